/* The contact problem of accelerations at an instant of the event-driven scheme: COULOMB where a contact rests, SLIDING
 * where it slips, BOX for dry joints and motors at rest. Where the solver finds no solution of a small problem, all of
 * its solutions are listed (analyze). */
#include "scheme/event_driven.h"

#include "analyze/enumerated.h"

#include "asperity/analyze.h"

#include <math.h>

AspError asp_events_gather(EventRun *run) {
  const AspSchemeHost *host = run->host;
  // exact: the slop is 1e-9 of the size
  ASP_TRY(host->call->gather_within(host->user, EVENT_REACH * 1e9 * host->slop));
  host->work->solver = run->solver;
  return ASP_OK;
}

/* Where the solver finds no solution: all solutions of a small problem; *found: one was taken. */
static AspError take_by_analysis(EventRun *run, bool *found) {
  const AspSchemeHost *host = run->host;
  AspStepWork *work = host->work;
  const AspContactProblem *problem = &work->formulation.problem;
  AspAnalysis analysis;
  int laws = 0;
  *found = false;
  for (int b = 0; b < problem->blocks; b++)
    laws += problem->law[b].kind == ASP_LAW_EQUALITY  ? 0
            : asp_law_is_enumerated(&problem->law[b]) ? 1
                                                      : EVENT_MODES_BLOCKS + 1;
  if (laws > EVENT_MODES_BLOCKS)
    return ASP_OK;
  AspAnalysisOptions options = asp_analysis_default_options();
  options.max_time = 2;
  ASP_TRY(asp_analyze(host->context, problem, &options, &analysis));
  if (analysis.count > 0) {
    *found = true;
    memcpy(work->r, analysis.solution[0].r, (size_t)problem->rows * sizeof *work->r);
    memcpy(work->u, analysis.solution[0].u, (size_t)problem->rows * sizeof *work->u);
    work->solved.residual = analysis.solution[0].residual;
    work->solved.status = ASP_STATUS_SOLVED;
  }
  asp_analysis_destroy(host->context, &analysis);
  return ASP_OK;
}

/* The contact problem of accelerations into the work, r and u zero; slower than `speed` is rest. */
AspError asp_events_formulate_accelerations(EventRun *run, double speed) {
  const AspSchemeHost *host = run->host;
  AspStepWork *work = host->work;
  AspFormulation *formulation = &work->formulation;
  AspArena *arena = host->arena;
  AspInstant instant = {.gap = run->gap, .speed = speed};
  AspRoundness *round = ASP_TAKE(arena, AspRoundness, 2 * work->frame_count);
  int approaching;
  if (!round)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < 2 * work->frame_count; i++)
    round[i] = host->call->roundness(host->user, host->state, &(*host->found)[i / 2], &work->frames[i / 2], i % 2 == 1);
  ASP_TRY(asp_joints_check_time(host->context, host->model, host->state, host->state->t));
  ASP_TRY(asp_formulation_begin(formulation, arena, host->model, work->frames, work->frame_count));
  ASP_TRY(asp_formulate_acceleration(formulation, host->state, work->frames, round, work->frame_count, &work->friction,
                                     &instant, &approaching));
  work->redundant = ASP_TAKE(arena, bool, formulation->rows);
  work->r = ASP_TAKE(arena, double, formulation->rows);
  work->u = ASP_TAKE(arena, double, formulation->rows);
  work->x = ASP_TAKE(arena, double, asp_model_dof_count(host->model));
  if (!work->redundant || !work->r || !work->u || !work->x)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_formulate_redundancy(formulation, work->redundant, &work->redundant_count));
  return asp_formulation_finish(formulation);
}

/* Solve it; *solved = false: no solution was found. */
AspError asp_events_solve_accelerations(EventRun *run, bool *solved) {
  const AspSchemeHost *host = run->host;
  AspStepWork *work = host->work;
  const AspFormulation *formulation = &work->formulation;
  ASP_TRY(asp_events_formulate_accelerations(run, run->speed));
  *solved = true;
  if (formulation->rows == 0)
    return ASP_OK;
  ASP_TRY(asp_solver_solve(run->solver, &formulation->problem, work->r, work->u, work->x, &work->solved));
  *solved = host->call->is_certified(host->user);
  if (!*solved)
    ASP_TRY(take_by_analysis(run, solved));
  else if (host->work->choose && host->options->selection != ASP_SELECT_STIFF) // that rule is for steps
    ASP_TRY(work->choose(work->choose_user, work));
  if (*solved)
    asp_solved_combine(&run->totals.solved, &work->solved);
  return ASP_OK;
}
