/* The impulses of a step of generalized-alpha as its balance of energy and momentum sees them. The scheme's rows are
 * those of the end of the step, its impulses P means over the step: along rows of the end they are half a step late,
 * for what goes round an error of first order in every step. Along rows of the middle the balance is of second order,
 * and as exact as before where rows do not change. */
#include "scheme/generalized_alpha.h"

/* Halfway along the mean of the velocities. */
static AspState middle_of(const AspSchemeHost *host) {
  const AspModel *model = host->model;
  int size = asp_model_v_size(model);
  double *v = ASP_TAKE_UNCLEARED(host->arena, double, size);
  AspState middle = asp_state_copied(model, host->arena, host->before);
  if (!v || !middle.q)
    return (AspState){0};
  for (int i = 0; i < size; i++)
    v[i] = 0.5 * (host->before->v[i] + host->state->v[i]);
  asp_state_advance(model, &middle, v, 0.5 * host->work->dt);
  for (int i = 0; i < size; i++)
    middle.v[i] = v[i];
  return middle;
}

AspError asp_alpha_tell_balance(const AspSchemeHost *host) {
  AspStepWork *work = host->work;
  AspAlpha *alpha = work->own;
  AspState middle = middle_of(host);
  AspFormulation *rows = ASP_TAKE(host->arena, AspFormulation, 1);
  AspContactFrame *frames = ASP_TAKE_UNCLEARED(host->arena, AspContactFrame, work->frame_count);
  AspRoundness *round = ASP_TAKE(host->arena, AspRoundness, 2 * work->frame_count);
  AspEndRows levels;
  if (!middle.q || !rows || !frames || !round)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < work->frame_count; i++)
    frames[i] = work->frames[i];
  ASP_TRY(alpha->look(alpha->user, &middle, frames, round));
  ASP_TRY(asp_formulation_begin(rows, host->arena, host->model, frames, work->frame_count));
  ASP_TRY(asp_formulate_end(rows, host->before, &middle, frames, round, work->frame_count, &work->friction, work->dt,
                            &levels));
  work->balanced = (AspBalancedRows){rows, frames, alpha->P};
  return ASP_OK;
}
