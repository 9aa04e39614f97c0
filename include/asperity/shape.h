/* Asperity shape: geometry of bodies, for collision and for mass properties. A shape lives in its own frame; where it
 * sits on a body is the attachment's business.
 */
#ifndef ASPERITY_SHAPE_H
#define ASPERITY_SHAPE_H

#include "asperity/linalg.h"

#ifdef __cplusplus
extern "C" {
#endif

/* kind, scene name, in 3D scenes, in 2D scenes */
#define ASP_SHAPE_LIST(X)                                                                                              \
  X(ASP_SHAPE_POINT, "point", 1, 1)           /* a contact point without extent */                                     \
  X(ASP_SHAPE_SPHERE, "sphere", 1, 0)         /* radius */                                                             \
  X(ASP_SHAPE_BOX, "box", 1, 1)               /* half extents; in 2D x and y */                                        \
  X(ASP_SHAPE_HALF_SPACE, "half-space", 1, 0) /* solid below the plane z = 0 of its frame, free side +z */             \
  X(ASP_SHAPE_DISK, "disk", 0, 1)             /* radius */                                                             \
  X(ASP_SHAPE_HALF_PLANE, "half-plane", 0, 1) /* solid below the line y = 0 of its frame, free side +y */

typedef enum AspShapeKind {
#define ASP_SHAPE_ENUM(kind, name, in_3d, in_2d) kind,
  ASP_SHAPE_LIST(ASP_SHAPE_ENUM)
#undef ASP_SHAPE_ENUM
      ASP_SHAPE_COUNT
} AspShapeKind;

typedef struct AspShape {
  AspShapeKind kind;
  double radius;        /* SPHERE, DISK, m */
  AspVec3 half_extents; /* BOX, m */
} AspShape;

const char *asp_shape_name(AspShapeKind kind);
bool asp_shape_from_name(const char *name, AspShapeKind *kind);
/* Sizes positive and finite, kind allowed in this dimension. The message names the field. */
AspError asp_shape_validate(AspContext *context, const AspShape *shape, int dimension);

/* Largest distance of a point of the shape from the origin of its frame, m; INFINITY for unbounded shapes. */
double asp_shape_reach(const AspShape *shape);

/* Mass, centre and inertia about the centre, in the frame they are given in. In 2D density is per area and only
 * inertia.m[8] (about z) has a meaning. */
typedef struct AspMassProperties {
  double mass;     /* kg */
  AspVec3 centre;  /* m */
  AspMat3 inertia; /* kg m^2, about the centre */
} AspMassProperties;

/* From a density (kg/m^3; 2D: kg/m^2). Unbounded shapes and points have none: ASP_ERROR_ARGUMENT. */
AspError asp_shape_mass(AspContext *context, const AspShape *shape, int dimension, double density,
                        AspMassProperties *properties);
/* The properties seen from the frame in which the shape's own frame has this pose. */
AspMassProperties asp_mass_transform(const AspMassProperties *properties, const AspPose *pose);
/* Two bodies glued together, both given in the same frame. */
AspMassProperties asp_mass_sum(const AspMassProperties *a, const AspMassProperties *b);

#ifdef __cplusplus
}
#endif
#endif
