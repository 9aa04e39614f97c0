/* auto: the default for the exact cone. Cheap methods first; each is left as soon as its progress shows that it will
 * not reach the tolerance. The stages stand in policy.c; here is what a stage of each kind does, and the conditions.
 *
 * The best iterate over all stages, as measured by the judge, is returned. Measurements: docs/decisions/auto.md.
 */
#include "solver/tuning/auto.h"
#include "solver/islands.h"
#include "solver/method.h"
#include "solver/nsgs.h"
#include "solver/policy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Auto {
  SolverRun *run;
  bool start;       /* the caller's start is better than nothing */
  bool whole;       /* the problem may be split into parts */
  bool part_failed; /* it was, and a part was not solved */
} Auto;

/* What the stages are told: polish and smallest norm are for the whole, at the end. */
static MethodSettings stage_settings(const SolverRun *run, const AspStage *stage) {
  MethodSettings settings = run->settings;
  settings.polish = settings.minimum_norm = false;
  settings.theta = stage->theta;
  settings.rho = stage->rho;
  settings.finish = stage->finish;
  settings.near = stage->near;
  settings.max_iterations = stage->limit;
  return settings;
}

/* Run a method, from the best iterate or from nothing. */
static AspError run_method(SolverRun *run, const AspStage *stage) {
  AspMethod method = (AspMethod)stage->kind;
  MethodSettings settings = stage_settings(run, stage);
  SolverRun own = asp_run_child(run, &settings);
  ASP_TRY(asp_solver_method(method)->solve(&own, stage->from_best ? run->best : NULL));
  asp_run_merge(run, &own, asp_method_name(method));
  return ASP_OK;
}

/* A factorisation of a full W costs as much as a third of its size in sweeps, and tens of them are needed. */
static int sweeps_worth_waiting_for(const AspNsgs *nsgs) {
  const AspPrepared *p = nsgs->prepared;
  if (p->blocks < AUTO_SMALL_PROBLEM)
    return AUTO_PATIENCE_SMALL;
  double rows = p->rows, entries = asp_sparse_entries(&nsgs->form->V);
  if (!nsgs->bodies && entries > AUTO_FULL * rows * rows)
    return rows < AUTO_PATIENCE_SMALL ? p->rows : AUTO_PATIENCE_SMALL;
  return AUTO_PATIENCE;
}

/* Gauss-Seidel with a verdict after few sweeps. */
static AspError sweep_stage(Auto *a, const AspStage *stage) {
  SolverRun *run = a->run;
  AspPrepared *p = run->prepared;
  AspNsgs nsgs;
  AspNsgsLimits limits = {.max_sweeps = stage->limit, .verdict = stage->verdict};
  ASP_TRY(asp_nsgs_take(&nsgs, run));
  limits.patience = sweeps_worth_waiting_for(&nsgs);
  nsgs.momentum = 0; // it pays in long runs only
  double *scaled = ASP_TAKE(&run->space->scratch, double, p->rows);
  if (!scaled)
    return ASP_ERROR_MEMORY;
  if (stage->from_best)
    asp_prepared_to_scaled(p, run->best, scaled);
  asp_nsgs_start(&nsgs, scaled);
  ASP_TRY(asp_nsgs_run(&nsgs, run, &limits, &run->status));
  run->iterations += nsgs.sweeps;
  asp_run_note(run, "nsgs", nsgs.sweeps);
  return ASP_OK;
}

static bool is_over(const SolverRun *run) { return asp_run_is_solved(run) || asp_run_is_late(run); }

/* E3 alone is missed, by the rounding of reactions that are truly large (heavy bodies on light ones). */
static bool is_rounded(const SolverRun *run) {
  AspResidual rounded = run->residual;
  rounded.E2 = rounded.E2 <= AUTO_ROUNDED ? 0 : INFINITY;
  rounded.E3 = 0;
  return asp_verdict_is_met(&run->asked, &rounded);
}

static AspError solve(SolverRun *run, const double *start, bool split);

/* Small islands first: what is easy is done before time runs out. */
typedef struct IslandSize {
  int blocks, island;
} IslandSize;

static int compare_sizes(const void *left, const void *right) {
  const IslandSize *a = left, *b = right;
  return a->blocks != b->blocks ? (a->blocks > b->blocks) - (a->blocks < b->blocks)
                                : (a->island > b->island) - (a->island < b->island);
}

static IslandSize *order_islands(AspArena *arena, const AspIslands *islands) {
  IslandSize *order = ASP_TAKE(arena, IslandSize, islands->count);
  for (int k = 0; k < islands->count && order; k++)
    order[k] = (IslandSize){islands->start[k + 1] - islands->start[k], k};
  if (order)
    qsort(order, (size_t)islands->count, sizeof *order, compare_sizes);
  return order;
}

/* One island by a run of its own, whose best iterate is the answer. */
static AspError solve_island(SolverRun *run, const AspContactProblem *problem, double tolerance, SolverRun *own) {
  SolverSpace *part;
  MethodSettings settings = run->settings;
  settings.polish = settings.minimum_norm = settings.swept = false;
  settings.max_iterations = 0;
  ASP_TRY(asp_space_take_part(run->space, problem, &part));
  *own = asp_run_part(run, part, &settings);
  own->asked.residual = tolerance;
  ASP_TRY(solve(own, NULL, false));
  run->status = own->status != ASP_STATUS_SOLVED ? own->status : run->status;
  run->iterations += own->iterations;
  run->factorisations += own->factorisations;
  return ASP_OK;
}

/* All islands to `tolerance`; the union is judged as a whole. *failed: how many were not solved. */
static AspError solve_islands(SolverRun *run, const AspIslands *islands, const IslandSize *order, double tolerance,
                              int *failed) {
  AspArena *arena = &run->prepared->arena;
  double *together = run->trial;
  *failed = 0;
  // where time runs out, what is known stays
  memcpy(together, run->best, (size_t)run->problem->rows * sizeof *together);
  for (int n = 0; n < islands->count && !asp_run_is_late(run); n++) {
    AspArenaMark mark = asp_arena_mark(arena);
    AspContactProblem problem;
    SolverRun own;
    int *row;
    ASP_TRY(asp_island_extract(arena, run->problem, islands, order[n].island, &problem, &row));
    ASP_TRY(solve_island(run, &problem, tolerance, &own));
    for (int j = 0; j < problem.rows; j++)
      together[row[j]] = own.best[j];
    *failed += own.status != ASP_STATUS_SOLVED;
    asp_arena_rewind(arena, mark);
  }
  return asp_run_offer(run, together, NULL, NULL);
}

/* The independent parts of the problem. Where every part is solved and the union is not (each part is
 * measured relative to its own data), the whole problem is tried. */
static AspError island_stage(Auto *a) {
  SolverRun *run = a->run;
  AspPrepared *p = run->prepared;
  AspIslands islands;
  int failed = 0, passes = 0;
  char text[32];
  ASP_TRY(asp_islands_find(&p->arena, p->problem, &asp_judge_mass(p->judge)->bodies, &islands));
  if (islands.count < 2)
    return ASP_OK;
  IslandSize *order = order_islands(&p->arena, &islands);
  if (!order)
    return ASP_ERROR_MEMORY;
  run->status = ASP_STATUS_SOLVED;
  for (double fraction = 0.5; fraction > AUTO_ISLAND_LEAST && failed == 0 && !is_over(run);
       fraction *= AUTO_ISLAND_SHARPER, passes++)
    ASP_TRY(solve_islands(run, &islands, order, fraction * run->asked.residual, &failed));
  snprintf(text, sizeof text, "%d islands", islands.count);
  asp_run_note(run, text, -1);
  a->part_failed = failed > 0 && passes == 1;
  return ASP_OK;
}

/* ---- stages ---- */

static AspError run_stage(void *walker, const AspStage *stage) {
  Auto *a = walker;
  if (stage->kind == ASP_METHOD_NSGS)
    return sweep_stage(a, stage);
  if (stage->kind == ASP_STAGE_ISLANDS)
    return island_stage(a);
  if (a->run->prepared->balls > 0 && !asp_solver_method((AspMethod)stage->kind)->balls)
    return ASP_OK;
  ASP_TRY(run_method(a->run, stage));
  if (stage->near) { // the few Newton steps from a start that is near: the solver remembers whether they arrived
    a->run->tried_near = true;
    a->run->was_near = asp_run_is_solved(a->run);
  }
  return ASP_OK;
}

static bool walk_is_over(const void *walker) { return is_over(((const Auto *)walker)->run); }

static bool holds(const void *walker, unsigned condition) {
  const Auto *a = walker;
  const SolverRun *run = a->run;
  switch (condition) {
  case ASP_WHEN_START:
    return a->start;
  case ASP_WHEN_NO_START:
    return !a->start;
  case ASP_WHEN_NOT_SWEPT:
    return !run->settings.swept;
  case ASP_WHEN_NEAR:
    return asp_run_measure(run, &run->residual) <= AUTO_WARM_SCORE && !run->settings.doubted;
  case ASP_WHEN_WHOLE:
    return a->whole;
  case ASP_WHEN_SMALL:
    return run->prepared->blocks < AUTO_SMALL_PROBLEM;
  case ASP_WHEN_PART_FAILED:
    return a->part_failed;
  case ASP_WHEN_ROUNDED:
    return is_rounded(run);
  default:
    return false;
  }
}

static AspError walk(Auto *a, const AspLadder *ladder) {
  static const AspLadderActs acts = {walk_is_over, holds, run_stage};
  bool swept = a->run->settings.swept;
  if (swept && !a->start)
    a->run->status = ASP_STATUS_STALLED;
  return asp_ladder_walk(ladder, &acts, a, swept);
}

/* Polish and smallest norm, on the whole and at the end: what is within the tolerance and comes from there counts. */
static AspError refine(SolverRun *run) {
  SolverRun own = asp_run_child(run, &run->settings);
  ASP_TRY(asp_newton_solve(&own, run->best));
  if (own.status != ASP_STATUS_SOLVED)
    return ASP_OK;
  memcpy(run->best, own.best, (size_t)run->problem->rows * sizeof *run->best);
  run->residual = own.residual;
  run->iterations += own.iterations;
  run->factorisations += own.factorisations;
  asp_run_note(run, own.path, -1);
  return ASP_OK;
}

/* A start that the caller gave, better than nothing. */
static bool is_worth_continuing(const SolverRun *run, const double *start) {
  return start && (run->settings.given || !run->settings.swept) &&
         asp_run_measure(run, &run->residual) < asp_run_measure(run, &run->prepared->residual_zero);
}

static AspError solve(SolverRun *run, const double *start, bool split) {
  Auto a = {.run = run, .whole = split};
  const MethodSettings *settings = &run->settings;
  bool solved;
  ASP_TRY(asp_run_begin(run, &run->prepared->arena, start, &solved)); // the stages take the scratch
  run->status = ASP_STATUS_SOLVED;
  if (!solved) {
    a.start = is_worth_continuing(run, start);
    ASP_TRY(walk(&a, asp_ladder(settings->brief ? ASP_LADDER_SUBPROBLEM : ASP_LADDER_EXACT)));
  }
  if (run->problem->rows > 0 && asp_run_is_solved(run) && (settings->polish || settings->minimum_norm))
    ASP_TRY(refine(run));
  AspStatus otherwise = run->status == ASP_STATUS_SOLVED ? ASP_STATUS_STALLED : run->status;
  if (!asp_run_is_solved(run) && asp_run_is_late(run))
    otherwise = ASP_STATUS_TIME_LIMIT;
  asp_run_conclude(run, otherwise);
  return ASP_OK;
}

AspError asp_auto_solve(SolverRun *run, const double *start) { return solve(run, start, true); }

AspError asp_auto_reserve(SolverSpace *space, const AspContactProblem *problem) {
  AspPrepared *p = space->prepared;
  SolverSpace *part;
  static const AspMethod method[] = {ASP_METHOD_NSGS, ASP_METHOD_IPM, ASP_METHOD_NEWTON};
  AspIslands islands;
  ASP_TRY(asp_islands_find(&p->arena, problem, &asp_judge_mass(p->judge)->bodies, &islands));
  if (!asp_arena_take_uncleared(&p->arena, 1, asp_island_bytes(problem)))
    return ASP_ERROR_MEMORY;
  for (size_t k = 0; k < sizeof method / sizeof *method; k++) {
    const SolverMethod *kind = asp_solver_method(method[k]);
    if (p->balls > 0 && !kind->balls)
      continue;
    ASP_TRY(asp_space_take_part(space, problem, &part));
    SolverRun run = asp_run_default(part);
    run.settings.max_iterations = 2;
    if (!ASP_TAKE(run.arena, double, 2 * (size_t)problem->rows)) // the record of `auto`
      return ASP_ERROR_MEMORY;
    ASP_TRY(kind->solve(&run, NULL));
  }
  return ASP_OK;
}
