/* What the contact search knows of the model's shapes and bodies: made once with the world, constant from then on. */
#ifndef ASP_WORLD_CONTACT_GEOMETRY_H
#define ASP_WORLD_CONTACT_GEOMETRY_H

#include "asperity/collide.h"
#include "asperity/model.h"
#include "linalg/dimension.h"

typedef struct ContactGeometry {
  AspPose *shape_pose;     /* shapes: pose in the body frame, copied for locality */
  int *shape_body;         /* shapes: their body */
  int *shape_material;     /* shapes */
  bool *body_free;         /* bodies: forces move it */
  double *body_radius;     /* bodies: reach of their shapes from the centre of mass, m; unbounded shapes do not count */
  double *shape_thickness; /* shapes: asp_shape_thickness, m */
  double thinnest;         /* of them, points left out, m */
  double slop;             /* 1e-9 of the largest reach, m: closer is touching */
} ContactGeometry;

AspError asp_geometry_create(AspContext *context, const AspModel *model, ContactGeometry *geometry);
void asp_geometry_destroy(AspContext *context, ContactGeometry *geometry);

/* Where a body's centre of mass is. */
static inline AspVec3 asp_body_position(const AspModel *model, const AspState *state, int body) {
  int dimension = asp_model_dimension(model);
  const double *q = state->q + (size_t)asp_body_positions(dimension) * (size_t)body;
  return (AspVec3){q[0], q[1], dimension == 3 ? q[2] : 0};
}

#endif
