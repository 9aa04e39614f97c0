/* auto: the default for the exact cone. Cheap methods first; each is left as soon as its progress shows that it will
 * not reach the tolerance:
 *
 *   -  independent parts of the problem, each alone, where Gauss-Seidel on the whole problem fails
 *   A  Gauss-Seidel, as long as its rate predicts few further sweeps
 *   B  interior point, cold start (it cannot use a start on the boundary of the cones), finished by proximal Newton;
 *      where it fails, again with other weights theta of the derivative of the shift
 *   C  proximal Newton from the best iterate so far
 *
 * The best iterate over all stages, as measured by the judge, is returned. Measurements: docs/decisions/auto.md.
 */
#include "solver/tuning/auto.h"
#include "solver/exact.h"
#include "solver/islands.h"
#include "solver/nsgs.h"

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

typedef AspError (*Method)(AspPrepared *, const AspMethodOptions *, double *, AspMethodInfo *);

/* Run a method, from the best iterate when `warm`. */
static AspError run_stage(Auto *a, const char *name, Method method, bool warm, int max_iterations) {
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
static AspError sweep_stage(Auto *a, bool warm) {
  AspPrepared *p = a->prepared;
  AspNsgs nsgs;
  AspNsgsLimits limits = {.max_sweeps = warm ? AUTO_SWEEPS_WARM : AUTO_SWEEPS_LIMIT,
                          .verdict = warm ? AUTO_WARM_VERDICT : AUTO_FIRST_VERDICT};
  ASP_TRY(asp_nsgs_take(&nsgs, p));
  limits.patience = sweeps_worth_waiting_for(&nsgs);
  nsgs.momentum = 0; // it pays in long runs only
  double *scaled = ASP_TAKE(&p->scratch, double, p->rows);
  if (!scaled)
    return ASP_ERROR_MEMORY;
  if (warm)
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

/* From a useful start: a few sweeps or Newton steps may be enough. */
static AspError continue_from_start(Auto *a) {
  if (!a->options.swept)
    ASP_TRY(sweep_stage(a, true));
  if (is_over(a) || asp_verdict_measure(&a->options.asked, &a->residual) > AUTO_WARM_SCORE || a->options.doubted)
    return ASP_OK;
  a->options.rho = AUTO_WARM_RHO;
  a->options.near = true;
  ASP_TRY(run_stage(a, "newton", asp_newton_solve, true, AUTO_NEWTON_WARM));
  a->options.near = false;
  a->info->tried_near = true;
  a->info->was_near = is_solved(a);
  return ASP_OK;
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
static AspError island_stage(Auto *a, bool *done) {
  AspPrepared *p = a->prepared;
  AspIslands islands;
  int failed = 0, passes = 0;
  char text[32];
  *done = false;
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
  *done = is_over(a) || (failed > 0 && passes == 1);
  return ASP_OK;
}

static AspError run_all(Auto *a, bool warm, bool split) {
  static const double theta[] = {0, AUTO_SECOND_THETA, AUTO_THIRD_THETA, 1},
                      last_theta[] = {AUTO_LAST_THETA_1, AUTO_LAST_THETA_2, 0.5}; // 0: the method's own
  bool done = false;
  if (warm)
    ASP_TRY(continue_from_start(a));
  else if (a->options.swept)
    a->status = ASP_STATUS_STALLED;
  else
    ASP_TRY(sweep_stage(a, false));
  a->options.rho = AUTO_FAR_RHO;
  if (split && !is_over(a))
    ASP_TRY(island_stage(a, &done));
  if (done)
    return ASP_OK;
  for (size_t k = 0; k < sizeof theta / sizeof *theta && !is_over(a); k++) {
    a->options.theta = theta[k];
    a->options.finish = k == 0 ? AUTO_SHORT_FINISH : 0;
    ASP_TRY(run_stage(a, "ipm", asp_ipm_solve, false, 0));
    if (a->options.brief)
      return ASP_OK;
  }
  if (!is_over(a))
    ASP_TRY(run_stage(a, "newton", asp_newton_solve, true, AUTO_NEWTON_STEPS));
  if (!is_over(a)) // from nothing it takes another way
    ASP_TRY(run_stage(a, "newton", asp_newton_solve, false, AUTO_NEWTON_COLD));
  if (is_rounded(a)) // other ways round no better
    return ASP_OK;
  for (size_t k = 0; k < sizeof last_theta / sizeof *last_theta && !is_over(a); k++) {
    a->options.theta = last_theta[k];
    ASP_TRY(run_stage(a, "ipm", asp_ipm_solve, false, 0));
    if (!is_over(a))
      ASP_TRY(run_stage(a, "newton", asp_newton_solve, true, AUTO_NEWTON_STEPS));
  }
  if (!is_over(a)) // now and then yet another way is wanted
    ASP_TRY(run_stage(a, "aclm", asp_aclm_solve, false, 0));
  // where u is a difference of much larger velocities rounding decides, and another order of operations may succeed
  if (!is_over(a) && a->prepared->blocks < AUTO_SMALL_PROBLEM)
    ASP_TRY(run_stage(a, "admm", asp_admm_solve, false, 0));
  return ASP_OK;
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
  Auto a = {.prepared = p, .options = *options, .status = ASP_STATUS_SOLVED, .info = info};
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
  if (!solved)
    ASP_TRY(run_all(&a, is_worth_continuing(&a, options), split));
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
  static const Method method[] = {asp_nsgs_solve, asp_ipm_solve, asp_newton_solve};
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
