/* Moving surfaces: belts, treadmills, rollers and turntables, whose material moves along the surface while shape and
 * body stay. At a point p of the surface with outward normal n, in world axes with R the body's rotation and c the
 * origin of the shape's frame:
 *
 *   space   s = R surface_velocity + (R surface_spin) x (p - c)
 *   plane   s = surface_velocity t + surface_spin z x (p - c),      t = n turned by -90 degrees
 *
 * of which the part along the surface counts. Its rate on a body that turns with w: R (surface_velocity)' +
 * w x R surface_velocity; that of a spin is not known here. Depends on time_function.c.
 */
#include "model/model.h"

AspError asp_surface_make(const AspModel *model, ModelShape *shape) {
  static const char *const fields[] = {"surface_velocity", "surface_spin"};
  AspContext *context = model->context;
  AspShapeAttachment *it = &shape->attachment;
  const char **texts[] = {it->surface_velocity, it->surface_spin};
  bool any = false;
  for (int k = 0; k < 3; k++)
    any = any || it->surface_velocity[k] || it->surface_spin[k];
  if (!any)
    return ASP_OK;
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++)
      if (model->dimension == 2 && texts[i][k] && k != 2 * i)
        return asp_fail(context, ASP_ERROR_INPUT, "%s: in the plane only component %d is used", fields[i], 2 * i);
  shape->surface = asp_allocate(context, 1, sizeof *shape->surface);
  if (!shape->surface)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++) {
      TimeFunction *function = i == 0 ? &shape->surface->velocity[k] : &shape->surface->spin[k];
      ASP_TRY(asp_time_function_make(model, fields[i], texts[i][k], false, function));
      texts[i][k] = function->text;
    }
  return ASP_OK;
}

void asp_surface_release(AspContext *context, ModelShape *shape) {
  for (int k = 0; shape->surface && k < 3; k++) {
    asp_time_function_release(context, &shape->surface->velocity[k]);
    asp_time_function_release(context, &shape->surface->spin[k]);
  }
  asp_release(context, shape->surface);
  shape->surface = NULL;
}

bool asp_model_has_surfaces(const AspModel *model) { return model->surface_count > 0; }
int asp_model_surface_count(const AspModel *model) { return model->surface_count; }

static AspVec3 vector_at(const TimeFunction function[3], const AspState *state, AspVec3 *rate) {
  AspJet jet[3];
  for (int k = 0; k < 3; k++)
    jet[k] = asp_time_function_at(&function[k], state->t, state->input, 0);
  *rate = vec3(jet[0].rate, jet[1].rate, jet[2].rate);
  return vec3(jet[0].value, jet[1].value, jet[2].value);
}

bool asp_shape_surface_velocity(const AspModel *model, const AspState *state, int shape, AspVec3 point, AspVec3 normal,
                                AspVec3 *velocity, AspVec3 *rate) {
  const ModelShape *it = &model->shape[shape];
  *velocity = *rate = vec3(0, 0, 0);
  if (!it->surface)
    return false;
  AspPose pose = asp_state_pose(model, state, it->body);
  AspVec3 along_rate, spin_rate, along = vector_at(it->surface->velocity, state, &along_rate);
  AspVec3 spin = quat_rotate(pose.orientation, vector_at(it->surface->spin, state, &spin_rate));
  if (model->dimension == 2) {
    AspVec3 t = vec3(normal.y, -normal.x, 0);
    *velocity = scale3(along.x, t);
    *rate = scale3(along_rate.x, t);
  } else {
    *velocity = quat_rotate(pose.orientation, along);
    *rate = add3(quat_rotate(pose.orientation, along_rate),
                 cross3(asp_state_angular_velocity(model, state, it->body), *velocity));
  }
  *velocity = add3(*velocity, cross3(spin, sub3(point, pose_point(&pose, it->attachment.pose.position))));
  *velocity = axpy3(*velocity, -dot3(*velocity, normal), normal);
  return true;
}

bool asp_shape_surface_motion(const AspModel *model, const AspState *state, int shape, AspVec3 *velocity,
                              AspVec3 *spin) {
  const ModelSurface *surface = model->shape[shape].surface;
  AspVec3 rate;
  *velocity = surface ? vector_at(surface->velocity, state, &rate) : vec3(0, 0, 0);
  *spin = surface ? vector_at(surface->spin, state, &rate) : vec3(0, 0, 0);
  return surface != NULL;
}
