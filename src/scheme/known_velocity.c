/* Kinematic bodies move from their pose at t to that at t + dt; over the step they count with the velocity that takes
 * them exactly there. */
#include "base/elementary.h"
#include "linalg/vec3.h"
#include "scheme/step.h"
#include "scheme/tuning/scheme.h"

/* Rotation vector of the turn from one orientation to another, world frame, shortest way. */
static AspVec3 rotation_between(AspQuat from, AspQuat to) {
  AspQuat d = quat_multiply(to, quat_conjugate(from));
  if (d.w < 0)
    d = (AspQuat){-d.w, -d.x, -d.y, -d.z};
  AspVec3 u = {d.x, d.y, d.z};
  double s = norm3(u);
  return scale3(s > KNOWN_VELOCITY_SERIES_BELOW ? 2 * asp_atan2(s, d.w) / s : 2, u);
}

double *asp_known_velocity(const AspModel *model, AspArena *arena, const AspState *state, double dt, bool mean) {
  int bodies = asp_model_body_count(model), n = asp_body_velocities(asp_model_dimension(model));
  double *known = ASP_TAKE(arena, double, asp_model_v_size(model));
  if (!asp_model_has_kinematic(model))
    return known;
  AspState ahead = asp_state_ahead(model, arena, state, dt);
  if (!known || !ahead.q)
    return NULL;
  for (int body = 0; body < bodies; body++) {
    if (asp_model_body_kind(model, body) != ASP_BODY_KINEMATIC)
      continue;
    double *v = known + (size_t)n * body;
    if (!mean) {
      memcpy(v, ahead.v + (size_t)n * body, (size_t)n * sizeof *v);
    } else if (n == 3) {
      for (int i = 0; i < 3; i++)
        v[i] = (ahead.q[3 * body + i] - state->q[3 * body + i]) / dt;
    } else {
      AspPose from = asp_state_pose(model, state, body), to = asp_state_pose(model, &ahead, body);
      AspVec3 linear = scale3(1 / dt, sub3(to.position, from.position));
      AspVec3 angular = scale3(1 / dt, rotation_between(from.orientation, to.orientation));
      double six[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
      memcpy(v, six, sizeof six);
    }
  }
  return known;
}
