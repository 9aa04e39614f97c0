/* Lag: what a scheme of first order adds to the way. Stewart-Trinkle moves bodies through a step with the velocity of
 * its end, q+ = q + h v+, where the mean of both ends is right to second order: the way is too long by h (v+ - v) / 2,
 * in sum h/2 times all that the velocity changed since the start (a body that falls for t: h g t / 2). What stops a
 * body takes it back: at rest nothing is left, on the ground a gap decides where it is. Turns alike, in rad.
 *
 * A contact that carried in the step before and opens in this one was lost at an instant that is unknown to a step: the
 * velocity behind it is unknown by what it opens with, the relative acceleration times the step (a body that lands on a
 * plate that swings, and is thrown up again at once). It is carried on until the two carry again through two steps.
 * docs/theory/resolution.md. */
#include "linalg/vec3.h"
#include "world/resolution.h"

#include <math.h>

AspError asp_lag_create(Resolution *resolution, const StepView *view) {
  resolution->lag = asp_allocate(view->context, (size_t)asp_model_body_count(view->model), sizeof *resolution->lag);
  return resolution->lag ? ASP_OK : ASP_ERROR_MEMORY;
}

static AspVec3 change_of(const StepView *view, int body) {
  return sub3(asp_state_velocity(view->model, view->state, body), asp_state_velocity(view->model, view->before, body));
}

/* The relative velocity that two bodies got in the step, m/s: no more of what they part with is new. */
static double parted(const StepView *view, const PairLoad *pair) {
  return fmin(pair->rate, norm3(sub3(change_of(view, pair->body_b), change_of(view, pair->body_a))));
}

/* Which bodies contacts carry in this step. */
static void note_carried(Resolution *resolution, const StepView *view) {
  const LoadTable *loads = &resolution->loads;
  const PairLoad *pair = loads->pair[loads->now];
  for (int body = 0; body < asp_model_body_count(view->model); body++)
    resolution->lag[body].carried = false;
  for (int i = 0; i < loads->pairs[loads->now]; i++)
    if (pair[i].history.steps & 0x1)
      resolution->lag[pair[i].body_a].carried = resolution->lag[pair[i].body_b].carried = true;
}

/* What contacts that were lost leave unknown; each pair of bodies once. Where something else carries or strikes one of
 * the two, it goes by that, and what they part with tells nothing. */
static void note_lost(Resolution *resolution, const StepView *view) {
  const LoadTable *loads = &resolution->loads;
  const PairLoad *pair = loads->pair[loads->now];
  const bool *is_free = view->geometry->body_free;
  note_carried(resolution, view);
  for (int i = 0; i < loads->pairs[loads->now]; i++) {
    int a = pair[i].body_a, b = pair[i].body_b;
    BodyLag *of_a = &resolution->lag[a], *of_b = &resolution->lag[b];
    uint32_t steps = pair[i].history.steps & 0x3;
    bool elsewhere = (is_free[a] && of_a->carried) || (is_free[b] && of_b->carried);
    if (steps == 0x3)
      of_a->loose = of_b->loose = of_a->adrift = of_b->adrift = 0;
    else if (steps == 0x2 && pair[i].rate > 0 && !elsewhere) { // loaded in the step before, not now
      double speed = parted(view, &pair[i]);
      of_a->loose += speed;
      of_b->loose += speed;
    }
  }
}

void asp_measure_lag(Resolution *resolution, const StepJudged *step, MeasuredNow *worst) {
  const StepView *view = step->view;
  const AspModel *model = view->model;
  double half = 0.5 * (view->state->t - view->before->t);
  note_lost(resolution, view);
  for (int body = 0; body < asp_model_body_count(model); body++) {
    if (!view->geometry->body_free[body] || asp_model_body_dof(model, body) < 0)
      continue;
    BodyLag *lag = &resolution->lag[body];
    AspVec3 spin = asp_state_angular_velocity(model, view->state, body);
    lag->way = add3(lag->way, scale3(half, change_of(view, body)));
    lag->turn = add3(lag->turn, scale3(half, sub3(spin, asp_state_angular_velocity(model, view->before, body))));
    lag->turned += 2 * half * norm3(spin);
    lag->adrift += 2 * half * lag->loose;
    double length = resolution->size[body] + 0.5 * resolution->way[body];
    if (length > 0)
      asp_measure_worse(worst, (norm3(lag->way) + lag->adrift) / length, -1, body, -1);
    asp_measure_worse(worst, norm3(lag->turn) / (1 + 0.5 * lag->turned), -1, body, -1);
  }
}
