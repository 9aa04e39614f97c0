/* Problems with EQUALITY rows by elimination: see reduced.h. */
#include "solver/reduced.h"

#include "linalg/sparse.h"
#include "solver/dense_newton.h"
#include "solver/method.h"
#include "solver/saddle.h"
#include "solver/tuning/auto.h"
#include "solver/tuning/reduced.h"

#include <math.h>

/* The whole problem and what is left of it. */
typedef struct Reduction {
  SolverRun *run;
  AspSaddle *saddle;
  const AspContactProblem *problem;
  int left;               /* rows that are not EQUALITY */
  int *row;               /* left: in the problem */
  AspContactProblem rest; /* local form */
  double *r_c;            /* left */
  double *z;              /* dofs + EQUALITY rows */
  double *trial, *u;      /* rows: all reactions, and their velocities by the judge */
} Reduction;

void asp_reduced_free(SolverReduced *reduced) {
  asp_saddle_destroy(reduced->saddle[0]);
  asp_saddle_destroy(reduced->saddle[1]);
  asp_solver_destroy(reduced->solver);
}

static int count_left(const AspContactProblem *problem, int *blocks) {
  int left = 0;
  *blocks = 0;
  for (int b = 0; b < problem->blocks; b++) {
    if (problem->law[b].kind == ASP_LAW_EQUALITY)
      continue;
    left += problem->offset[b + 1] - problem->offset[b];
    ++*blocks;
  }
  return left;
}

bool asp_is_reducible(const AspContactProblem *problem, const AspSolverOptions *options) {
  int blocks, left = count_left(problem, &blocks);
  bool by_method = options->minimum_norm || (options->method == ASP_METHOD_LEMKE && options->mixed);
  return problem->dofs > 0 && left < problem->rows && left <= REDUCED_ROWS && !by_method;
}

/* The saddle matrix of the problem, factored: one that is laid out for it, or the one that was not used last. */
static AspError factor(SolverReduced *reduced, AspContext *context, AspArena *arena, const AspContactProblem *problem,
                       AspSaddle **saddle, bool *usable) {
  bool fits = false;
  for (int k = 0; k < 2 && !fits; k++) {
    int which = reduced->last ^ k;
    if (!reduced->saddle[which])
      continue;
    ASP_TRY(asp_saddle_fits(reduced->saddle[which], arena, problem, &fits));
    reduced->last = fits ? which : reduced->last;
  }
  if (!fits)
    reduced->last ^= 1;
  AspSaddle **chosen = &reduced->saddle[reduced->last];
  if (!*chosen)
    ASP_TRY(asp_saddle_create(context, chosen));
  *saddle = *chosen;
  return asp_saddle_factor(*chosen, arena, problem, fits, usable);
}

/* ---- what is left ---- */

static AspError take_rest(AspArena *arena, Reduction *reduction) {
  const AspContactProblem *problem = reduction->problem;
  AspContactProblem *rest = &reduction->rest;
  *rest = (AspContactProblem){.dimension = problem->dimension};
  reduction->left = count_left(problem, &rest->blocks);
  rest->offset = ASP_TAKE(arena, int, (size_t)rest->blocks + 1);
  rest->law = ASP_TAKE(arena, AspLaw, rest->blocks);
  reduction->row = ASP_TAKE(arena, int, reduction->left);
  reduction->r_c = ASP_TAKE(arena, double, reduction->left);
  reduction->z = ASP_TAKE(arena, double, problem->dofs + problem->rows);
  reduction->trial = ASP_TAKE(arena, double, problem->rows);
  reduction->u = ASP_TAKE(arena, double, problem->rows);
  if (!rest->offset || !rest->law || !reduction->row || !reduction->r_c || !reduction->z || !reduction->trial ||
      !reduction->u)
    return ASP_ERROR_MEMORY;
  for (int b = 0, block = 0; b < problem->blocks; b++) {
    if (problem->law[b].kind == ASP_LAW_EQUALITY)
      continue;
    for (int k = problem->offset[b]; k < problem->offset[b + 1]; k++)
      reduction->row[rest->rows++] = k;
    rest->law[block] = problem->law[b];
    rest->offset[++block] = rest->rows;
  }
  return ASP_OK;
}

/* W = H_c^T K^-1 H_c as a full sparse matrix, q = u_c at r_c = 0. */
static AspError take_local_form(AspArena *arena, Reduction *reduction) {
  const AspContactProblem *problem = reduction->problem;
  AspContactProblem *rest = &reduction->rest;
  int n = rest->rows;
  ASP_TRY(asp_sparse_take(arena, n, n, n * n, &rest->W));
  rest->q = ASP_TAKE_UNCLEARED(arena, double, n);
  if (!rest->q)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < n; j++) {
    rest->W.start[j + 1] = (j + 1) * n;
    for (int i = 0; i < n; i++)
      rest->W.row[j * n + i] = i;
  }
  ASP_TRY(asp_saddle_delassus(reduction->saddle, arena, problem, n, reduction->row, rest->W.value));
  double *z = reduction->z;
  memcpy(z, problem->f, (size_t)problem->dofs * sizeof *z);
  for (int i = 0; i < reduction->saddle->rows; i++)
    z[problem->dofs + i] = -problem->w[reduction->saddle->row[i]];
  ASP_TRY(asp_saddle_solve(reduction->saddle, z));
  for (int j = 0; j < n; j++) {
    int k = reduction->row[j];
    rest->q[j] = problem->w[k];
    for (int e = problem->H.start[k]; e < problem->H.start[k + 1]; e++)
      rest->q[j] += problem->H.value[e] * z[problem->H.row[e]];
  }
  return ASP_OK;
}

/* ---- the eliminated reactions ---- */

/* trial := r_c and the r_e that follow from it */
static AspError follow_rest(Reduction *reduction) {
  const AspContactProblem *problem = reduction->problem;
  const AspSaddle *saddle = reduction->saddle;
  double *z = reduction->z, *r_e = z + problem->dofs;
  memcpy(z, problem->f, (size_t)problem->dofs * sizeof *z);
  for (int j = 0; j < reduction->left; j++) {
    int k = reduction->row[j];
    reduction->trial[k] = reduction->r_c[j];
    for (int e = problem->H.start[k]; e < problem->H.start[k + 1] && reduction->r_c[j] != 0; e++)
      z[problem->H.row[e]] += problem->H.value[e] * reduction->r_c[j];
  }
  for (int i = 0; i < saddle->rows; i++)
    r_e[i] = -problem->w[saddle->row[i]];
  ASP_TRY(asp_saddle_solve(reduction->saddle, z));
  for (int i = 0; i < saddle->rows; i++)
    r_e[i] = -r_e[i];
  asp_saddle_smallest(saddle, r_e);
  for (int i = 0; i < saddle->rows; i++)
    reduction->trial[saddle->row[i]] = r_e[i];
  return ASP_OK;
}

/* trial := trial + what brings u_e, as the judge finds it, to zero */
static AspError refine(Reduction *reduction) {
  const AspSaddle *saddle = reduction->saddle;
  double *z = reduction->z, *change = z + reduction->problem->dofs;
  memset(z, 0, (size_t)reduction->problem->dofs * sizeof *z);
  for (int i = 0; i < saddle->rows; i++)
    change[i] = -reduction->u[saddle->row[i]];
  ASP_TRY(asp_saddle_solve(reduction->saddle, z));
  asp_saddle_smallest(saddle, change);
  for (int i = 0; i < saddle->rows; i++)
    reduction->trial[saddle->row[i]] -= change[i];
  return ASP_OK;
}

/* Offer the whole reaction that follows from r_c to the judge, refined as long as that is needed and helps. */
static AspError offer(Reduction *reduction) {
  SolverRun *run = reduction->run;
  AspResidual residual;
  double worst;
  ASP_TRY(follow_rest(reduction));
  for (int step = 0;; step++) {
    ASP_TRY(asp_run_offer(run, reduction->trial, &residual, reduction->u));
    double violation = residual.worst_equality;
    bool enough = asp_run_measure(run, &residual) <= REDUCED_ENOUGH * run->asked.residual;
    if (enough || step >= REDUCED_REFINEMENTS || (step > 0 && !(violation < worst / 2)) || !isfinite(violation))
      return ASP_OK;
    worst = violation;
    ASP_TRY(refine(reduction));
  }
}

/* ---- one solve ---- */

static AspError make_solver(SolverReduced *reduced, AspContext *context, const AspSolverOptions *options) {
  return reduced->solver ? ASP_OK : asp_solver_create(context, options, &reduced->solver);
}

/* What is left by Newton steps on the full W; where these do not arrive the start stays as it was. */
static AspError step_on_rest(Reduction *reduction) {
  SolverRun *run = reduction->run;
  int steps;
  size_t bytes = (size_t)reduction->left * sizeof *reduction->r_c;
  double *kept = ASP_TAKE_UNCLEARED(run->arena, double, reduction->left);
  if (!kept)
    return ASP_ERROR_MEMORY;
  memcpy(kept, reduction->r_c, bytes);
  ASP_TRY(asp_dense_newton_solve(run->arena, &reduction->rest, reduction->r_c, &steps));
  run->iterations += steps;
  asp_run_spend(run, steps);
  ASP_TRY(offer(reduction));
  asp_run_note(run, "dense newton", steps);
  if (!asp_run_is_solved(run))
    memcpy(reduction->r_c, kept, bytes);
  return ASP_OK;
}

/* The same by the method of the run, to smaller tolerances until the whole problem meets its own. */
static AspError solve_rest(Reduction *reduction, SolverReduced *reduced) {
  SolverRun *run = reduction->run;
  AspTolerances asked = run->asked;
  ASP_TRY(make_solver(reduced, run->context, run->call->options));
  for (int solve = 0; solve < REDUCED_SOLVES && !asp_run_is_solved(run); solve++) {
    AspSolverInfo info;
    ASP_TRY(asp_solver_solve_for(reduced->solver, run, &asked, &reduction->rest, reduction->r_c, &info));
    run->iterations += info.iterations;
    asp_run_note(run, *info.path ? info.path : asp_method_name(info.method), *info.path ? -1 : info.iterations);
    run->status = info.status;
    run->method = info.method;
    ASP_TRY(offer(reduction));
    if (info.status != ASP_STATUS_SOLVED)
      break;
    asked.residual = fmax(REDUCED_SHARPER * asked.residual, SOLVER_SHARPEST);
    asked.contact *= REDUCED_SHARPER;
  }
  return ASP_OK;
}

static bool takes_newton_steps(const SolverRun *run) {
  AspMethod method = run->call->options->method;
  return method == ASP_METHOD_AUTO || method == ASP_METHOD_NEWTON;
}

static AspError begin(SolverRun *run, const double *r) {
  size_t rows = (size_t)run->problem->rows;
  if (!run->call->judged)
    ASP_TRY(asp_judge_reset(run->judge, run->problem));
  run->call->judged = true;
  run->best = ASP_TAKE_UNCLEARED(run->arena, double, rows);
  if (!run->best)
    return ASP_ERROR_MEMORY;
  memcpy(run->best, r, rows * sizeof *r);
  run->residual = asp_verdict_worst();
  return ASP_OK;
}

AspError asp_reduced_solve(SolverRun *run, SolverReduced *reduced, double *r, double *u, double *x, bool *done) {
  const AspContactProblem *problem = run->problem;
  Reduction reduction = {.run = run, .problem = problem};
  double began = asp_clock_seconds();
  bool usable;
  *done = false;
  ASP_TRY(begin(run, r));
  ASP_TRY(factor(reduced, run->context, run->arena, problem, &reduction.saddle, &usable));
  run->call->setup_time = asp_clock_seconds() - began;
  if (!usable)
    return asp_judge_residual(run->judge, r, &run->residual, NULL, NULL);
  ASP_TRY(take_rest(run->arena, &reduction));
  for (int j = 0; j < reduction.left; j++)
    reduction.r_c[j] = r[reduction.row[j]];
  run->status = ASP_STATUS_SOLVED;
  if (reduction.left == 0)
    asp_run_note(run, "elimination", -1);
  if (reduction.left == 0)
    ASP_TRY(offer(&reduction));
  else
    ASP_TRY(take_local_form(run->arena, &reduction));
  if (reduction.left > 0 && takes_newton_steps(run) && asp_dense_newton_takes(&reduction.rest))
    ASP_TRY(step_on_rest(&reduction));
  if (!asp_run_is_solved(run) && reduction.left > 0)
    ASP_TRY(solve_rest(&reduction, reduced));
  *done = asp_run_is_solved(run);
  run->method = run->call->options->method;
  if (!*done) // the given start may be the better one
    ASP_TRY(asp_run_offer(run, r, NULL, NULL));
  memcpy(r, run->best, (size_t)problem->rows * sizeof *r);
  return *done ? asp_judge_residual(run->judge, r, &run->residual, u, x) : ASP_OK;
}

/* The first laws of the problem, up to those beyond what may be left. Borrows. */
static AspContactProblem cut(const AspContactProblem *problem) {
  AspContactProblem part = *problem;
  int left = 0;
  part.blocks = 0;
  for (int b = 0; b < problem->blocks; b++) {
    left += problem->law[b].kind == ASP_LAW_EQUALITY ? 0 : problem->offset[b + 1] - problem->offset[b];
    if (left > REDUCED_ROWS)
      break;
    part.blocks++;
  }
  part.rows = problem->offset[part.blocks];
  return part;
}

/* Lay both out twice: the second time finds the memory of the first in one piece. */
static AspError reserve_saddles(SolverReduced *reduced, AspArena *arena, const AspContactProblem *problem,
                                bool *usable) {
  for (int k = 0; k < 4; k++) {
    AspSaddle **saddle = &reduced->saddle[k % 2];
    if (!*saddle)
      ASP_TRY(asp_saddle_create(arena->context, saddle));
    ASP_TRY(asp_saddle_factor(*saddle, arena, problem, false, usable));
  }
  return ASP_OK;
}

AspError asp_reduced_reserve(SolverReduced *reduced, AspArena *arena, const AspSolverOptions *options,
                             const AspContactProblem *problem) {
  AspContactProblem part = cut(problem);
  bool usable = false;
  int steps;
  asp_arena_reset(arena);
  if (!asp_is_reducible(&part, options))
    return ASP_OK;
  ASP_TRY(reserve_saddles(reduced, arena, &part, &usable));
  Reduction reduction = {.problem = &part, .saddle = reduced->saddle[0]};
  if (usable) {
    ASP_TRY(take_rest(arena, &reduction));
    ASP_TRY(take_local_form(arena, &reduction));
    if (asp_dense_newton_takes(&reduction.rest))
      ASP_TRY(asp_dense_newton_solve(arena, &reduction.rest, reduction.r_c, &steps));
    ASP_TRY(make_solver(reduced, arena->context, options));
    for (int k = 0; k < 2; k++)
      ASP_TRY(asp_solver_reserve(reduced->solver, &reduction.rest));
  }
  asp_arena_reset(arena);
  return ASP_OK;
}
