/* Loads that are expressions of velocities, within a step:
 *
 *   M v+ = M v + dt h(q_m, (1 - late) v + late v+, t_m) + H r
 *
 * The velocity that acts is the one that takes the body through the step, and follows from the solution. It is found by
 * iteration from that of the last step's acceleration, over-relaxed by the last two differences (Irons and Tuck,
 * International Journal for Numerical Methods in Engineering 1, 1969), so that damping up to 2 m/dt converges at once.
 * What the last solve still changed is momentum that the loads miss, and is told to the judge of the resolution.
 * Depends on step.c. */
#include "scheme/sensed.h"
#include "model/sensor.h"
#include "scheme/tuning/scheme.h"

#include <math.h>

/* The velocity that takes each body through the step. */
static void take_mean(const AspStepWork *work, const double *before, const double *after, double *mean) {
  int n = asp_body_velocities(asp_model_dimension(work->model)), size = asp_model_v_size(work->model);
  int bodies = asp_model_body_count(work->model);
  for (int i = 0; i < size; i++) {
    double early = i < n * bodies ? asp_part_of_step(work->time_of_impact, i / n, 0.5) : 0.5;
    mean[i] = early * before[i] + (1 - early) * after[i];
  }
}

/* Sum over bodies of a x b, weighed by mass and inertia. */
static double weighed(const AspModel *model, const double *a, const double *b) {
  int d = asp_model_dimension(model), n = asp_body_velocities(d);
  double sum = 0;
  for (int body = 0; body < asp_model_body_count(model); body++) {
    if (asp_model_body_dof(model, body) < 0)
      continue;
    AspMat3 J = asp_model_body_inertia(model, body);
    double mass = asp_model_body_mass(model, body), spin = fmax(fmax(J.m[0], J.m[4]), J.m[8]);
    for (int i = 0; i < n; i++)
      sum += (i < d ? mass : spin) * a[n * body + i] * b[n * body + i];
  }
  return sum;
}

bool asp_sensed_begin(Sensed *sensed) {
  AspStepWork *work = sensed->work;
  const AspModel *model = work->model;
  AspArena *arena = work->arena;
  size_t size = (size_t)asp_model_v_size(model), bodies = (size_t)asp_model_body_count(model);
  double **vectors[] = {&sensed->before, &sensed->mean, &sensed->change, &sensed->last};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    if (!(*vectors[i] = ASP_TAKE(arena, double, size)))
      return false;
  sensed->turns = work->turn ? ASP_TAKE_UNCLEARED(arena, AspTurn, bodies) : NULL;
  if (work->turn && !sensed->turns)
    return false;
  if (work->turn)
    memcpy(sensed->turns, work->turn, bodies * sizeof *sensed->turns);
  memcpy(sensed->before, sensed->state->v, size * sizeof *sensed->before);
  memcpy(sensed->mean, sensed->before, size * sizeof *sensed->mean);
  sensed->relaxation = 1;
  return true;
}

/* The problem with the loads at the present mean. */
static AspError formulate(Sensed *sensed) {
  AspStepWork *work = sensed->work;
  asp_state_sense(work->model, sensed->forced, sensed->mean);
  if (work->turn)
    memcpy(work->turn, sensed->turns, (size_t)asp_model_body_count(work->model) * sizeof *sensed->turns);
  return asp_formulate_step(work, sensed->entry, sensed->forced, sensed->theta, sensed->terms);
}

/* The mean moves on; false: near enough. */
static bool relax(Sensed *sensed, int round) {
  const AspModel *model = sensed->work->model;
  int size = asp_model_v_size(model);
  double *swap = sensed->last, along = 0, square = 0;
  sensed->last = sensed->change;
  sensed->change = swap;
  take_mean(sensed->work, sensed->before, sensed->state->v, sensed->change);
  for (int i = 0; i < size; i++)
    sensed->change[i] -= sensed->mean[i];
  double energy = weighed(model, sensed->change, sensed->change);
  if (round > 0) {
    double across = weighed(model, sensed->last, sensed->change), former = weighed(model, sensed->last, sensed->last);
    along = former - across;
    square = former - 2 * across + energy;
  }
  if (square > 0)
    sensed->relaxation *= fmin(fmax(along / square, SENSED_LEAST), SENSED_MOST);
  for (int i = 0; i < size; i++)
    sensed->mean[i] += sensed->relaxation * sensed->change[i];
  return energy > SENSED_NEAR * SENSED_NEAR * weighed(model, sensed->mean, sensed->mean);
}

AspError asp_sensed_expect(Sensed *sensed) {
  AspStepWork *work = sensed->work;
  size_t size = (size_t)asp_model_v_size(work->model);
  bool more = true;
  for (int round = 0; more && round < SENSED_SOLVES; round++) {
    ASP_TRY(formulate(sensed));
    ASP_TRY(asp_solve_problem(work, sensed->state, true));
    asp_count_aside(work, &work->solved);
    asp_state_spread(work->model, sensed->state, work->x, sensed->state->v);
    more = relax(sensed, round);
    memcpy(sensed->state->v, sensed->before, size * sizeof *sensed->before);
  }
  return formulate(sensed);
}

void asp_sensed_end(Sensed *sensed) {
  const AspModel *model = sensed->work->model;
  take_mean(sensed->work, sensed->before, sensed->state->v, sensed->change);
  double mass = 0, most = 0;
  for (int i = 0; i < asp_model_v_size(model); i++)
    sensed->change[i] -= sensed->mean[i];
  for (int body = 0; body < asp_model_body_count(model); body++)
    mass += asp_model_body_dof(model, body) >= 0 ? asp_model_body_mass(model, body) : 0;
  most = weighed(model, sensed->change, sensed->change);
  sensed->work->missed = 2 * sqrt(mass * most); // at least the sum of the sizes of the bodies' momenta
}
