/* Moreau-Jean time stepping (MATH section 0), theta in [1/2, 1]:
 *   M v+ = M v + dt h(q + theta dt v, v, t + theta dt) + H r,   u = H^T v+ + w
 *   contacts met in the step:  w_N = e_N u_N-, w_T = e_T u_T-;   joints: rate = 0
 *   q+ = q + dt G ((1 - theta) v + theta v+)
 * Forces are taken at the theta point, so that theta = 1/2 is of second order while contacts stay as they are. Gaps and
 * joints drift by what the theta rule leaves over; asp_project_positions removes it. */
#include "integrate/integrate.h"

AspError asp_step_moreau_jean(AspStepWork *work, AspState *state) {
  const AspModel *model = work->model;
  double theta = work->theta;
  int size = asp_model_v_size(model);
  AspState middle = asp_state_ahead(model, work->arena, state, theta * work->dt);
  double *known = asp_known_velocity(model, work->arena, state, work->dt, false);
  double *mean = ASP_TAKE(work->arena, double, size);
  if (!middle.q || !known || !mean)
    return ASP_ERROR_MEMORY;
  AspStepTerms terms = {ASP_LEVEL_VELOCITY, work->dt, work->slop, work->closed, known};
  ASP_TRY(asp_formulate_step(work, state, &middle, theta, &terms));
  for (int i = 0; i < size; i++)
    mean[i] = (1 - theta) * state->v[i];
  ASP_TRY(asp_solve_step(work, state));
  for (int i = 0; i < size; i++)
    mean[i] += theta * state->v[i];
  asp_state_advance(model, state, mean, work->dt);
  return ASP_OK;
}
