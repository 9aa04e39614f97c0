/* What the schemes share: from rows to a solved problem, and the velocities back into the state. */
#include "scheme/step.h"
#include "model/advance.h"
#include "problem/verdict.h"
#include "scheme/tuning/scheme.h"
#include "solver/trial.h"

#include <math.h>

AspState asp_state_copied(const AspModel *model, AspArena *arena, const AspState *state) {
  AspState copy = {.t = state->t,
                   .q = ASP_TAKE_UNCLEARED(arena, double, asp_model_q_size(model)),
                   .v = ASP_TAKE_UNCLEARED(arena, double, asp_model_v_size(model)),
                   .angle = ASP_TAKE_UNCLEARED(arena, double, asp_model_joint_count(model)),
                   .input = ASP_TAKE_UNCLEARED(arena, AspInput, asp_model_input_count(model)),
                   .applied = state->applied};
  if (!copy.q || !copy.v || !copy.angle || !copy.input)
    return (AspState){0};
  asp_state_copy(model, state, &copy);
  return copy;
}

AspState asp_state_ahead(const AspModel *model, AspArena *arena, const AspState *state, double dt) {
  AspState ahead = asp_state_copied(model, arena, state);
  if (ahead.q)
    asp_state_expect(NULL, model, &ahead, ahead.v, dt);
  return ahead;
}

AspState asp_state_in_step(const AspStepWork *work, const AspState *state, double part) {
  const AspModel *model = work->model;
  const double *times = work->time_of_impact;
  AspState inside = asp_state_ahead(model, work->arena, state, part * work->dt);
  double *way = times && inside.q ? ASP_TAKE(work->arena, double, asp_model_v_size(model)) : NULL;
  if (!times || !inside.q)
    return inside;
  if (!way)
    return (AspState){0};
  int n = asp_body_velocities(asp_model_dimension(model));
  for (int body = 0; body < asp_model_body_count(model); body++)
    for (int i = n * body; times[body] >= 0 && i < n * (body + 1); i++)
      way[i] = (times[body] - part) * work->dt * state->v[i];
  asp_state_displace(model, &inside, way);
  return inside;
}

AspError asp_step_meet(AspStepWork *work, const AspState *state, const AspStepTerms *terms, double **times) {
  AspFormulation formulation;
  *times = NULL;
  if (!asp_may_meet(work->model, work->frames, work->frame_count, state, terms))
    return ASP_OK;
  ASP_TRY(asp_formulation_begin(&formulation, work->arena, work->model, work->frames, work->frame_count));
  ASP_TRY(asp_formulate_dynamics(&formulation, state, state, work->dt, 1));
  return asp_find_times_of_impact(&formulation, work->frames, work->frame_count, state, terms, times);
}

AspError asp_find_redundant(AspStepWork *work) {
  work->redundant = ASP_TAKE(work->arena, bool, work->formulation.rows);
  if (!work->redundant)
    return ASP_ERROR_MEMORY;
  return asp_formulate_redundancy(&work->formulation, work->redundant, &work->redundant_count);
}

AspError asp_formulate_step(AspStepWork *work, const AspState *state, const AspState *force_state, double theta,
                            const AspStepTerms *terms) {
  AspFormulation *formulation = &work->formulation;
  ASP_TRY(asp_joints_check_time(work->arena->context, work->model, state, state->t + terms->dt));
  ASP_TRY(asp_formulation_begin(formulation, work->arena, work->model, work->frames, work->frame_count));
  formulation->turn = work->turn;
  formulation->taut = work->taut;
  formulation->accelerated = terms->accelerated;
  formulation->accelerated_over = terms->accelerated_over;
  formulation->time_of_impact = work->time_of_impact;
  bool on_positions = terms->level == ASP_LEVEL_POSITION;
  formulation->stretch_inside = work->dt > 0;
  formulation->stretch_per_value = on_positions ? 1 / terms->dt : 0;
  formulation->stretch_per_bias = on_positions ? 0 : 0.5 * terms->dt;
  ASP_TRY(asp_formulate_dynamics(formulation, state, force_state, work->dt, theta));
  ASP_TRY(asp_formulate_joints(formulation, state, force_state, &work->friction, terms));
  ASP_TRY(asp_formulate_contacts(formulation, work->frames, work->frame_count, &work->friction, state, terms));
  ASP_TRY(asp_find_redundant(work));
  return asp_formulation_finish(formulation);
}

/* r is the start, then the answer. */
static AspError solve_once(AspStepWork *work) {
  AspSolverInfo before = work->solved;
  ASP_TRY((work->is_trial ? asp_solver_try : asp_solver_solve)(work->solver, &work->formulation.problem, work->r,
                                                               work->u, work->x, &work->solved));
  work->solved.iterations += before.iterations;
  work->solved.time += before.time;
  work->solved.setup_time += before.setup_time;
  work->solved.judge_time += before.judge_time;
  return ASP_OK;
}

/* Where elimination did not find the smallest reactions of redundant joints, they are judged again: the start is the
 * answer then. */
static AspError solve_with_smallest(AspStepWork *work) {
  ASP_TRY(solve_once(work));
  if (work->redundant_count == 0 || asp_solver_dependent_rows(work->solver) == work->redundant_count)
    return ASP_OK;
  ASP_TRY(asp_smallest_reactions(work));
  return solve_once(work);
}

AspError asp_take_solution(AspStepWork *work) {
  const AspContactProblem *problem = &work->formulation.problem;
  work->r = ASP_TAKE(work->arena, double, problem->rows);
  work->u = ASP_TAKE_UNCLEARED(work->arena, double, problem->rows);
  work->x = ASP_TAKE_UNCLEARED(work->arena, double, problem->dofs);
  work->solved = (AspSolverInfo){0};
  return work->r && work->u && work->x ? ASP_OK : ASP_ERROR_MEMORY;
}

/* Near rest, where what the tolerance leaves adds up to creep. */
static bool is_near_rest(const AspStepWork *work) {
  AspVec3 g = asp_model_gravity(work->model);
  double gravity = work->dt * sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
  return work->solved.residual.norm_q <= STEP_SLOW * gravity * sqrt(work->formulation.rows);
}

static bool has_equalities(const AspFormulation *formulation) {
  for (int b = 0; b < formulation->blocks; b++)
    if (formulation->law[b].kind == ASP_LAW_EQUALITY)
      return true;
  return false;
}

/* Is the solution one that the sharper solver would take as it is? Asked where elimination solves to rounding as a rule
 * (solver/reduced.h); elsewhere that solver decides, and its measure of the residual is the one that is recorded. */
static bool meets_sharp_goal(const AspStepWork *work) {
  AspResidual residual = work->solved.residual;
  residual.E2_rounding = residual.E3_rounding = 0; // as solvers measure their starts
  return has_equalities(&work->formulation) &&
         asp_verdict_is_met(&(AspTolerances){.residual = work->sharp_tolerance}, &residual);
}

static AspError sharpen(AspStepWork *work) {
  AspStepWork further = *work;
  size_t rows = (size_t)work->formulation.rows;
  if (!work->sharp || work->solved.status != ASP_STATUS_SOLVED || rows > STEP_SMALL || rows == 0 ||
      meets_sharp_goal(work) || !is_near_rest(work))
    return ASP_OK;
  ASP_TRY(asp_take_solution(&further));
  memcpy(further.r, work->r, rows * sizeof *work->r);
  ASP_TRY(asp_solver_solve(work->sharp, &work->formulation.problem, further.r, further.u, further.x, &further.solved));
  const AspResidual *before = &work->solved.residual, *now = &further.solved.residual;
  work->solved.iterations += further.solved.iterations;
  if (!(now->E2 <= before->E2 && now->E3 <= before->E3)) // the method has a measure of its own
    return ASP_OK;
  work->r = further.r;
  work->u = further.u;
  work->x = further.x;
  work->solved.residual = *now;
  return ASP_OK;
}

AspError asp_confirm_solution(AspStepWork *work, bool *confirmed) {
  const AspContactProblem *problem = &work->formulation.problem;
  double *u = ASP_TAKE_UNCLEARED(work->arena, double, problem->rows);
  double *x = ASP_TAKE_UNCLEARED(work->arena, double, problem->dofs), off = 0, most = 0;
  if (!u || !x)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_solver_certify(work->solver, problem, work->r, u, x, &work->solved.residual));
  asp_dependent_judge(work, &work->solved.residual);
  for (int i = 0; i < problem->dofs; i++) {
    off = fmax(off, fabs(x[i] - work->x[i]));
    most = fmax(most, fabs(x[i]));
  }
  work->u = u;
  work->is_trial = false;
  *confirmed = off <= STEP_CONFIRMED * most && (!work->sharp || meets_sharp_goal(work) || !is_near_rest(work));
  return ASP_OK;
}

AspError asp_solve_problem(AspStepWork *work, const AspState *state, bool warm) {
  ASP_TRY(asp_take_solution(work));
  if (warm && work->guess) {
    double *other = ASP_TAKE(work->arena, double, work->formulation.rows);
    if (!other)
      return ASP_ERROR_MEMORY;
    ASP_TRY(work->guess(work->guess_user, &work->formulation, work->r, other));
    asp_solver_suggest(work->solver, other);
  }
  ASP_TRY(asp_dependent_begin(work, state));
  int iteration = 0;
  do
    ASP_TRY(solve_with_smallest(work));
  while (!asp_dependent_update(work, iteration++, work->tolerance));
  ASP_TRY(sharpen(work));
  asp_dependent_judge(work, &work->solved.residual);
  return ASP_OK;
}

AspError asp_solve_step(AspStepWork *work, AspState *state) {
  ASP_TRY(asp_solve_problem(work, state, true));
  if (work->choose && work->dependent_count == 0)
    ASP_TRY(work->choose(work->choose_user, work));
  asp_state_spread_parallel(work->arena->context, work->model, state, work->x, state->v);
  return ASP_OK;
}
