/* Stewart-Trinkle time stepping (Trinkle 2003, section 3; MATH sections 0 and 2):
 *   M v+ = M v + dt h + H r,   u = H^T v+ + w,   w_N = gap/dt + dgap/dt,   joints Psi/dt + dPsi/dt,   q+ = q + dt G v+
 * Impacts are inelastic. Operations of a step: rows of joints, rows of contacts, M and f, dependent rows, H and w,
 * solve, advance. */
#include "integrate/integrate.h"

static AspError formulate(AspStepWork *work, const AspState *state) {
  AspFormulation *formulation = &work->formulation;
  double *known = asp_known_velocity(work->model, work->arena, state, work->dt);
  if (!known)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_formulation_begin(formulation, work->arena, work->model, work->frame_count));
  asp_formulate_joints(formulation, state, known, work->dt);
  asp_formulate_contacts(formulation, work->frames, work->frame_count, &work->friction, known, work->dt);
  ASP_TRY(asp_formulate_dynamics(formulation, state, work->dt, 1.0));
  work->redundant = ASP_TAKE(work->arena, bool, formulation->rows);
  if (!work->redundant)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_formulate_redundancy(formulation, work->redundant, &work->redundant_count));
  return asp_formulation_finish(formulation);
}

AspError asp_step_stewart_trinkle(AspStepWork *work, AspState *state) {
  const AspModel *model = work->model;
  ASP_TRY(formulate(work, state));
  const AspContactProblem *problem = &work->formulation.problem;
  work->r = ASP_TAKE(work->arena, double, problem->rows);
  work->u = ASP_TAKE(work->arena, double, problem->rows);
  work->x = ASP_TAKE(work->arena, double, problem->dofs);
  if (!work->r || !work->u || !work->x)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_solver_solve(work->solver, problem, work->r, work->u, work->x, &work->solved));

  // v <- v+, then q along it
  int n = asp_model_dimension(model) == 3 ? 6 : 3;
  for (int body = 0; body < asp_model_body_count(model); body++) {
    int dof = asp_model_body_dof(model, body);
    if (dof >= 0)
      memcpy(state->v + (size_t)n * body, work->x + dof, (size_t)n * sizeof(double));
  }
  asp_state_advance(model, state, state->v, work->dt);
  return ASP_OK;
}
