/* What the contact search knows of the model's shapes and bodies (contact_geometry.h). */
#include "world/contact_geometry.h"
#include "base/base.h"
#include "linalg/vec3.h"
#include "world/tuning/world.h"

#include <math.h>

static AspError allocate(AspContext *context, const AspModel *model, ContactGeometry *geometry) {
  size_t shapes = (size_t)asp_model_shape_count(model), bodies = (size_t)asp_model_body_count(model);
  geometry->shape_pose = asp_allocate(context, shapes, sizeof *geometry->shape_pose);
  geometry->shape_body = asp_allocate(context, shapes, sizeof *geometry->shape_body);
  geometry->shape_material = asp_allocate(context, shapes, sizeof *geometry->shape_material);
  geometry->shape_thickness = asp_allocate(context, shapes, sizeof *geometry->shape_thickness);
  geometry->body_free = asp_allocate(context, bodies, sizeof *geometry->body_free);
  geometry->body_radius = asp_allocate(context, bodies, sizeof *geometry->body_radius);
  bool complete = geometry->shape_pose && geometry->shape_body && geometry->shape_material &&
                  geometry->shape_thickness && geometry->body_free && geometry->body_radius;
  return complete ? ASP_OK : ASP_ERROR_MEMORY;
}

AspError asp_geometry_create(AspContext *context, const AspModel *model, ContactGeometry *geometry) {
  ASP_TRY(allocate(context, model, geometry));
  geometry->thinnest = INFINITY;
  for (int i = 0; i < asp_model_shape_count(model); i++) {
    int body;
    const AspShapeAttachment *attachment = asp_model_shape(model, i, &body);
    geometry->shape_pose[i] = attachment->pose;
    geometry->shape_body[i] = body;
    geometry->shape_material[i] = attachment->material;
    double thickness = asp_shape_thickness(&attachment->shape, asp_model_dimension(model));
    geometry->shape_thickness[i] = thickness;
    geometry->thinnest = thickness > 0 ? fmin(geometry->thinnest, thickness) : geometry->thinnest;
    double reach = asp_shape_reach(&attachment->shape);
    if (isfinite(reach))
      geometry->body_radius[body] = fmax(geometry->body_radius[body], norm3(attachment->pose.position) + reach);
  }
  for (int body = 0; body < asp_model_body_count(model); body++) {
    geometry->body_free[body] = asp_model_body_is_free(model, body);
    geometry->slop = fmax(geometry->slop, WORLD_SLOP * geometry->body_radius[body]);
  }
  geometry->slop = geometry->slop > 0 ? geometry->slop : WORLD_SLOP;
  return ASP_OK;
}

void asp_geometry_destroy(AspContext *context, ContactGeometry *geometry) {
  void *blocks[] = {geometry->shape_pose,      geometry->shape_body, geometry->shape_material,
                    geometry->shape_thickness, geometry->body_free,  geometry->body_radius};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    asp_release(context, blocks[i]);
}
