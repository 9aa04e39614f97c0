/* auto: the default for the exact cone. Cheap methods first; each is left as soon as its progress shows that it will
 * not reach the tolerance. The stages stand in policy.c; here is what a stage of each kind does, and the conditions.
 *
 * The best iterate over all stages, as measured by the judge, is returned. Measurements: docs/decisions/auto.md.
 */
#include "solver/tuning/auto.h"
#include "solver/exact.h"
#include "solver/islands.h"
#include "solver/method.h"
#include "solver/nsgs.h"
#include "solver/policy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Auto {
  AspPrepared *prepared;
  AspMethodOptions options; /* of the stage that runs */
  double *r;                /* rows: of the stage that runs */
  double *best;             /* rows */
  AspResidual residual;     /* of `best`, by the judge */
  AspStatus status;         /* of the last stage */
  AspMethodInfo *info;
  bool start;       /* the caller's start is better than nothing */
  bool whole;       /* the problem may be split into parts */
  bool part_failed; /* it was, and a part was not solved */
} Auto;

static bool is_solved(const Auto *a) { return asp_verdict_is_met(&a->options.asked, &a->residual); }

/* Add to the path: a stage's own text, or its name and its iterations. */
static void note(Auto *a, const char *name, int iterations) {
  char *path = a->info->path, count[16] = "";
  size_t length = strlen(path), room = sizeof a->info->path - length;
  if (iterations >= 0)
    snprintf(count, sizeof count, " %d", iterations);
  snprintf(path + length, room, "%s%s%s", length ? ", " : "", name, count);
}

static void keep_better(Auto *a, const double *r, const AspResidual *residual) {
  if (!(asp_verdict_measure(&a->options.asked, residual) < asp_verdict_measure(&a->options.asked, &a->residual)))
    return;
  a->residual = *residual;
  memcpy(a->best, r, (size_t)a->prepared->problem->rows * sizeof *r);
}

/* Run a method, from the best iterate when `warm`. */
static AspError run_stage(Auto *a, const char *name, AspExactMethod *method, bool warm, int max_iterations) {
  AspMethodInfo info;
  a->options.warm = warm;
  a->options.max_iterations = max_iterations;
  memcpy(a->r, a->best, (size_t)a->prepared->problem->rows * sizeof *a->r);
  ASP_TRY(method(a->prepared, &a->options, a->r, &info));
  keep_better(a, a->r, &info.residual);
  a->status = info.status;
  a->info->iterations += info.iterations;
  a->info->factorisations += info.factorisations;
  note(a, *info.path ? info.path : name, *info.path ? -1 : info.iterations);
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
  AspPrepared *p = a->prepared;
  AspNsgs nsgs;
  AspNsgsLimits limits = {.max_sweeps = stage->limit, .verdict = stage->verdict};
  ASP_TRY(asp_nsgs_take(&nsgs, p));
  limits.patience = sweeps_worth_waiting_for(&nsgs);
  nsgs.momentum = 0; // it pays in long runs only
  double *scaled = ASP_TAKE(&p->scratch, double, p->rows);
  if (!scaled)
    return ASP_ERROR_MEMORY;
  if (stage->from_best)
    asp_prepared_to_scaled(p, a->best, scaled);
  asp_nsgs_start(&nsgs, scaled);
  ASP_TRY(asp_nsgs_run(&nsgs, &a->options, &limits, &a->status));
  keep_better(a, p->best_r, &p->best_residual);
  a->info->iterations += nsgs.sweeps;
  note(a, "nsgs", nsgs.sweeps);
  return ASP_OK;
}

static bool is_over(const Auto *a) { return is_solved(a) || asp_method_out_of_time(&a->options); }

/* E3 alone is missed, by the rounding of reactions that are truly large (heavy bodies on light ones). */
static bool is_rounded(const Auto *a) {
  AspResidual rounded = a->residual;
  rounded.E2 = rounded.E2 <= AUTO_ROUNDED ? 0 : INFINITY;
  rounded.E3 = 0;
  return asp_verdict_is_met(&a->options.asked, &rounded);
}

static AspError solve_connected(AspPrepared *p, const AspMethodOptions *options, double *r, AspMethodInfo *info);

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

/* All islands to `tolerance`; the union is judged as a whole. *failed: how many were not solved. */
static AspError solve_islands(Auto *a, const AspIslands *islands, const IslandSize *order, AspPrepared *part,
                              double tolerance, int *failed) {
  AspArena *arena = &a->prepared->arena;
  AspMethodOptions options = a->options;
  AspResidual residual;
  size_t rows = (size_t)a->prepared->problem->rows;
  *failed = 0;
  options.asked.residual = tolerance;
  options.max_iterations = 0;
  options.warm = options.swept = false;
  memcpy(a->r, a->best, rows * sizeof *a->r); // where time runs out, what is known stays
  for (int n = 0; n < islands->count && !asp_method_out_of_time(&options); n++) {
    int k = order[n].island;
    AspArenaMark mark = asp_arena_mark(arena);
    AspContactProblem problem;
    AspMethodInfo info = {0};
    int *row;
    ASP_TRY(asp_island_extract(arena, a->prepared->problem, islands, k, &problem, &row));
    double *r = ASP_TAKE(arena, double, problem.rows);
    if (!r)
      return ASP_ERROR_MEMORY;
    ASP_TRY(asp_prepared_reset(part, &problem));
    ASP_TRY(solve_connected(part, &options, r, &info));
    for (int j = 0; j < problem.rows; j++)
      a->r[row[j]] = r[j];
    *failed += info.status != ASP_STATUS_SOLVED;
    a->status = info.status != ASP_STATUS_SOLVED ? info.status : a->status;
    a->info->iterations += info.iterations;
    a->info->factorisations += info.factorisations;
    asp_arena_rewind(arena, mark);
  }
  ASP_TRY(asp_prepared_offer(a->prepared, a->r, &residual, NULL));
  keep_better(a, a->r, &residual);
  return ASP_OK;
}

/* The independent parts of the problem. *done: solved. Where every part is solved and the union is not (each part is
 * measured relative to its own data), the whole problem is tried. */
static AspError island_stage(Auto *a) {
  AspPrepared *p = a->prepared;
  AspIslands islands;
  int failed = 0, passes = 0;
  char text[32];
  ASP_TRY(asp_islands_find(&p->arena, p->problem, &asp_judge_mass(p->judge)->bodies, &islands));
  if (islands.count < 2)
    return ASP_OK;
  IslandSize *order = order_islands(&p->arena, &islands);
  if (!order)
    return ASP_ERROR_MEMORY;
  if (!p->part)
    ASP_TRY(asp_prepared_create(p->context, &p->part));
  a->status = ASP_STATUS_SOLVED;
  for (double fraction = 0.5; fraction > AUTO_ISLAND_LEAST && failed == 0 && !is_over(a);
       fraction *= AUTO_ISLAND_SHARPER, passes++)
    ASP_TRY(solve_islands(a, &islands, order, p->part, fraction * a->options.asked.residual, &failed));
  snprintf(text, sizeof text, "%d islands", islands.count);
  note(a, text, -1);
  a->part_failed = failed > 0 && passes == 1;
  return ASP_OK;
}

/* ---- stages ---- */

/* The few Newton steps from a start that is near: the solver remembers whether they arrived. */
static AspError near_stage(Auto *a, const AspStage *stage) {
  ASP_TRY(run_stage(a, "newton", asp_newton_solve, stage->from_best, stage->limit));
  a->info->tried_near = true;
  a->info->was_near = is_solved(a);
  return ASP_OK;
}

static AspError run(void *walker, const AspStage *stage) {
  Auto *a = walker;
  a->options.theta = stage->theta;
  a->options.rho = stage->rho;
  a->options.finish = stage->finish;
  a->options.near = stage->near;
  if (stage->kind == ASP_METHOD_NSGS)
    return sweep_stage(a, stage);
  if (stage->kind == ASP_STAGE_ISLANDS)
    return island_stage(a);
  if (stage->near)
    return near_stage(a, stage);
  return run_stage(a, asp_method_name((AspMethod)stage->kind), asp_solver_method((AspMethod)stage->kind)->exact,
                   stage->from_best, stage->limit);
}

static bool walk_is_over(const void *walker) { return is_over(walker); }

static bool holds(const void *walker, unsigned condition) {
  const Auto *a = walker;
  switch (condition) {
  case ASP_WHEN_START:
    return a->start;
  case ASP_WHEN_NO_START:
    return !a->start;
  case ASP_WHEN_NOT_SWEPT:
    return !a->options.swept;
  case ASP_WHEN_NEAR:
    return asp_verdict_measure(&a->options.asked, &a->residual) <= AUTO_WARM_SCORE && !a->options.doubted;
  case ASP_WHEN_WHOLE:
    return a->whole;
  case ASP_WHEN_SMALL:
    return a->prepared->blocks < AUTO_SMALL_PROBLEM;
  case ASP_WHEN_PART_FAILED:
    return a->part_failed;
  case ASP_WHEN_ROUNDED:
    return is_rounded(a);
  default:
    return false;
  }
}

static AspError walk(Auto *a, const AspLadder *ladder) {
  static const AspLadderActs acts = {walk_is_over, holds, run};
  bool swept = a->options.swept;
  if (swept && !a->start)
    a->status = ASP_STATUS_STALLED;
  return asp_ladder_walk(ladder, &acts, a, swept);
}

/* Polish and smallest norm, on the whole and at the end: what is within the tolerance and comes from there counts. */
static AspError refine(Auto *a, const AspMethodOptions *options) {
  AspMethodOptions own = *options;
  AspMethodInfo info;
  size_t bytes = (size_t)a->prepared->problem->rows * sizeof *a->r;
  own.warm = true;
  memcpy(a->r, a->best, bytes);
  ASP_TRY(asp_newton_solve(a->prepared, &own, a->r, &info));
  if (info.status != ASP_STATUS_SOLVED)
    return ASP_OK;
  memcpy(a->best, a->r, bytes);
  a->residual = info.residual;
  a->info->iterations += info.iterations;
  a->info->factorisations += info.factorisations;
  note(a, info.path, -1);
  return ASP_OK;
}

/* A start that the caller gave, better than nothing. */
static bool is_worth_continuing(const Auto *a, const AspMethodOptions *options) {
  return options->warm && (options->given || !options->swept) &&
         asp_verdict_measure(&a->options.asked, &a->residual) <
             asp_verdict_measure(&a->options.asked, &a->prepared->residual_zero);
}

static AspError solve(AspPrepared *p, const AspMethodOptions *options, bool split, double *r, AspMethodInfo *info) {
  Auto a = {.prepared = p, .options = *options, .status = ASP_STATUS_SOLVED, .info = info, .whole = split};
  size_t rows = (size_t)p->problem->rows;
  bool solved;
  a.options.polish = a.options.minimum_norm = false; // of the stages
  ASP_TRY(asp_prepared_begin(p, options, r, info, &solved));
  a.r = ASP_TAKE(&p->arena, double, rows);
  a.best = ASP_TAKE(&p->arena, double, rows);
  if (!a.r || !a.best)
    return ASP_ERROR_MEMORY;
  a.residual = p->best_residual;
  if (rows > 0)
    memcpy(a.best, p->best_r, rows * sizeof *r);
  if (!solved) {
    a.start = is_worth_continuing(&a, options);
    ASP_TRY(walk(&a, asp_ladder(options->brief ? ASP_LADDER_SUBPROBLEM : ASP_LADDER_EXACT)));
  }
  if (rows > 0 && is_solved(&a) && (options->polish || options->minimum_norm))
    ASP_TRY(refine(&a, options));
  if (rows > 0)
    memcpy(r, a.best, rows * sizeof *r);
  info->residual = a.residual;
  info->status = is_solved(&a)                     ? ASP_STATUS_SOLVED
                 : asp_method_out_of_time(options) ? ASP_STATUS_TIME_LIMIT
                 : a.status == ASP_STATUS_SOLVED   ? ASP_STATUS_STALLED
                                                   : a.status;
  return ASP_OK;
}

static AspError solve_connected(AspPrepared *p, const AspMethodOptions *options, double *r, AspMethodInfo *info) {
  return solve(p, options, false, r, info);
}

AspError asp_auto_solve(AspPrepared *p, const AspMethodOptions *options, double *r, AspMethodInfo *info) {
  return solve(p, options, true, r, info);
}

AspError asp_auto_reserve(AspPrepared *p, const AspContactProblem *problem) {
  static AspExactMethod *const method[] = {asp_nsgs_solve, asp_ipm_solve, asp_newton_solve};
  AspMethodOptions options = asp_method_default_options();
  AspMethodInfo info;
  AspIslands islands;
  ASP_TRY(asp_islands_find(&p->arena, problem, &asp_judge_mass(p->judge)->bodies, &islands));
  if (!asp_arena_take_uncleared(&p->arena, 1, asp_island_bytes(problem)))
    return ASP_ERROR_MEMORY;
  if (!p->part)
    ASP_TRY(asp_prepared_create(p->context, &p->part));
  options.max_iterations = 2;
  for (size_t k = 0; k < sizeof method / sizeof *method; k++) {
    ASP_TRY(asp_prepared_reset(p->part, problem));
    double *r = ASP_TAKE(&p->part->arena, double, 3 * (size_t)problem->rows); // and two of the stages
    if (!r)
      return ASP_ERROR_MEMORY;
    ASP_TRY(method[k](p->part, &options, r, &info));
  }
  return ASP_OK;
}
