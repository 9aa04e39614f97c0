/* Lag: what a scheme of first order adds to the way. Stewart-Trinkle moves bodies through a step with the velocity of
 * its end, q+ = q + h v+, where the mean of both ends is right to second order: the way is too long by h (v+ - v) / 2,
 * in sum h/2 times all that the velocity changed since the start (a body that falls for t: h g t / 2). What stops a
 * body takes it back: at rest nothing is left, on the ground a gap decides where it is. Turns alike, in rad.
 * docs/theory/resolution.md. */
#include "linalg/vec3.h"
#include "world/resolution.h"

#include <math.h>

AspError asp_lag_create(Resolution *resolution, const StepView *view) {
  resolution->lag = asp_allocate(view->context, (size_t)asp_model_body_count(view->model), sizeof *resolution->lag);
  return resolution->lag ? ASP_OK : ASP_ERROR_MEMORY;
}

void asp_measure_lag(Resolution *resolution, const StepJudged *step, MeasuredNow *worst) {
  const StepView *view = step->view;
  const AspModel *model = view->model;
  double half = 0.5 * (view->state->t - view->before->t);
  for (int body = 0; body < asp_model_body_count(model); body++) {
    if (!view->geometry->body_free[body] || asp_model_body_dof(model, body) < 0)
      continue;
    BodyLag *lag = &resolution->lag[body];
    AspVec3 spin = asp_state_angular_velocity(model, view->state, body);
    AspVec3 faster = sub3(asp_state_velocity(model, view->state, body), asp_state_velocity(model, view->before, body));
    lag->way = add3(lag->way, scale3(half, faster));
    lag->turn = add3(lag->turn, scale3(half, sub3(spin, asp_state_angular_velocity(model, view->before, body))));
    lag->turned += 2 * half * norm3(spin);
    double length = resolution->size[body] + 0.5 * resolution->way[body];
    if (length > 0)
      asp_measure_worse(worst, norm3(lag->way) / length, -1, body, -1);
    asp_measure_worse(worst, norm3(lag->turn) / (1 + 0.5 * lag->turned), -1, body, -1);
  }
}
