/* Problems with EQUALITY rows by elimination: see reduced.h. */
#include "solver/reduced.h"

#include "linalg/dense.h"
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
  int left;               /* rows that are not EQUALITY, or of these the rows of `narrow` */
  int *row;               /* left: in the problem */
  AspContactProblem rest; /* local form */
  bool narrow;            /* blocks that are open without reactions, and were so at the start, are left out */
  double *r_c;            /* left */
  double *open;           /* rows: u of those that are left at r_c = 0 */
  double *z;              /* dofs + EQUALITY rows */
  double *trial, *u;      /* rows: all reactions, and their velocities by the judge */
} Reduction;

void asp_reduced_free(SolverReduced *reduced) {
  for (int k = 0; k < REDUCED_LAYOUTS; k++)
    asp_saddle_destroy(reduced->saddle[k]);
  asp_solver_destroy(reduced->solver);
}

int asp_reduced_dependent(const SolverReduced *reduced) { return reduced->saddle[0]->dependent; }

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

/* The saddle matrix of the problem, factored: one that is laid out for it, or the one whose last use is longest ago. */
static AspError factor(SolverReduced *reduced, AspContext *context, AspArena *arena, const AspContactProblem *problem,
                       AspSaddle **saddle, bool *usable) {
  AspSaddle **kept = reduced->saddle;
  bool fits = false;
  int k = 0;
  for (; k < REDUCED_LAYOUTS && kept[k]; k++) {
    ASP_TRY(asp_saddle_fits(kept[k], arena, problem, &fits));
    if (fits)
      break;
  }
  k = k < REDUCED_LAYOUTS ? k : REDUCED_LAYOUTS - 1;
  if (!kept[k])
    ASP_TRY(asp_saddle_create(context, &kept[k]));
  *saddle = kept[k];
  memmove(kept + 1, kept, (size_t)k * sizeof(AspSaddle *));
  kept[0] = *saddle;
  return asp_saddle_factor(*saddle, arena, problem, fits, usable);
}

/* ---- displacements by the factors of the last solve ---- */

/* K [x, -l] = [f, -off], f on entry in z; x: the first of z. */
static AspError displace(AspSaddle *saddle, const double *off, double *z) {
  for (int i = 0; i < saddle->rows; i++)
    z[saddle->dofs + i] = off ? -off[saddle->row[i]] : 0;
  return asp_saddle_solve(saddle, z);
}

/* l of the held rows k of those that were left: sum_m W_km l_m = -off_k - H_k^T x. *met: there is one. */
static AspError hold(const SolverReduced *reduced, AspArena *arena, const AspContactProblem *problem, int count,
                     const int *place, const double *off, const double *x, double *l, bool *met) {
  size_t n = (size_t)reduced->left.count;
  double *W = ASP_TAKE_UNCLEARED(arena, double, (size_t)count *(size_t)count);
  double *asked = ASP_TAKE_UNCLEARED(arena, double, count);
  AspSemidefinite S;
  if (!W || !asked)
    return ASP_ERROR_MEMORY;
  double most = 0, left = 0;
  for (int i = 0; i < count; i++) {
    int k = reduced->left.row[place[i]];
    asked[i] = -off[k];
    for (int e = problem->H.start[k]; e < problem->H.start[k + 1]; e++)
      asked[i] -= problem->H.value[e] * x[problem->H.row[e]];
    l[i] = asked[i];
    most = fmax(most, fabs(asked[i]));
    for (int m = 0; m < count; m++)
      W[i * count + m] = reduced->left.W[(size_t)place[i] * n + (size_t)place[m]];
  }
  ASP_TRY(asp_dense_semidefinite(arena, count, W, count, REDUCED_HELD, &S));
  ASP_TRY(asp_dense_semidefinite_solve(arena, &S, l));
  for (int i = 0; i < count; i++) {
    double off_by = asked[i];
    for (int m = 0; m < count; m++)
      off_by -= reduced->left.W[(size_t)place[i] * n + (size_t)place[m]] * l[m];
    left = fmax(left, fabs(off_by));
  }
  *met = left <= REDUCED_HOLDS * most;
  return ASP_OK;
}

/* x := x + the displacement along the EQUALITY rows that takes what it leaves off the held rows. */
static AspError add_held(const SolverReduced *reduced, AspArena *arena, const AspContactProblem *problem,
                         const double *off, const bool *held, double *z, double *x, bool *done) {
  int left = reduced->left.count, asked = 0, count = 0;
  for (int k = 0; k < problem->rows; k++)
    asked += held[k];
  int *place = ASP_TAKE_UNCLEARED(arena, int, left);
  double *l = ASP_TAKE_UNCLEARED(arena, double, left);
  if (!place || !l)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < left; i++)
    if (held[reduced->left.row[i]])
      place[count++] = i;
  *done = count == asked;
  if (!*done || count == 0)
    return ASP_OK;
  ASP_TRY(hold(reduced, arena, problem, count, place, off, x, l, done));
  memset(z, 0, (size_t)problem->dofs * sizeof *z);
  for (int i = 0; i < count; i++) {
    int k = reduced->left.row[place[i]];
    for (int e = problem->H.start[k]; e < problem->H.start[k + 1]; e++)
      z[problem->H.row[e]] += problem->H.value[e] * l[i];
  }
  ASP_TRY(displace(reduced->saddle[0], NULL, z));
  for (int i = 0; i < problem->dofs; i++)
    x[i] += z[i];
  return ASP_OK;
}

AspError asp_reduced_correct(SolverReduced *reduced, AspArena *arena, const AspContactProblem *problem,
                             const double *off, const bool *held, double *x, bool *done) {
  AspSaddle *saddle = reduced->saddle[0];
  int blocks;
  *done = saddle->dofs == problem->dofs && saddle->rows == problem->rows - count_left(problem, &blocks);
  if (!*done)
    return ASP_OK;
  AspArenaMark mark = asp_arena_mark(arena);
  double *z = ASP_TAKE(arena, double, saddle->dofs + saddle->rows);
  if (!z)
    return ASP_ERROR_MEMORY;
  ASP_TRY(displace(saddle, off, z));
  memcpy(x, z, (size_t)problem->dofs * sizeof *x);
  AspError error = held ? add_held(reduced, arena, problem, off, held, z, x, done) : ASP_OK;
  asp_arena_rewind(arena, mark);
  return error;
}

/* ---- what is left ---- */

static AspError take_rest(AspArena *arena, Reduction *reduction) {
  const AspContactProblem *problem = reduction->problem;
  AspContactProblem *rest = &reduction->rest;
  int blocks, left = count_left(problem, &blocks);
  *rest = (AspContactProblem){.dimension = problem->dimension};
  rest->offset = ASP_TAKE(arena, int, (size_t)blocks + 1);
  rest->law = ASP_TAKE_UNCLEARED(arena, AspLaw, blocks);
  reduction->row = ASP_TAKE_UNCLEARED(arena, int, left);
  reduction->r_c = ASP_TAKE_UNCLEARED(arena, double, left);
  reduction->open = ASP_TAKE_UNCLEARED(arena, double, problem->rows);
  reduction->z = ASP_TAKE_UNCLEARED(arena, double, problem->dofs + problem->rows);
  reduction->trial = ASP_TAKE_UNCLEARED(arena, double, problem->rows);
  reduction->u = ASP_TAKE_UNCLEARED(arena, double, problem->rows);
  return rest->offset && rest->law && reduction->row && reduction->r_c && reduction->open && reduction->z &&
                 reduction->trial && reduction->u
             ? ASP_OK
             : ASP_ERROR_MEMORY;
}

/* open := u of the rows that are left, at r_c = 0 */
static AspError find_open(Reduction *reduction) {
  const AspContactProblem *problem = reduction->problem;
  double *z = reduction->z;
  memcpy(z, problem->f, (size_t)problem->dofs * sizeof *z);
  for (int i = 0; i < reduction->saddle->rows; i++)
    z[problem->dofs + i] = -problem->w[reduction->saddle->row[i]];
  ASP_TRY(asp_saddle_solve(reduction->saddle, z));
  for (int b = 0; b < problem->blocks; b++)
    for (int k = problem->offset[b]; problem->law[b].kind != ASP_LAW_EQUALITY && k < problem->offset[b + 1]; k++) {
      reduction->open[k] = problem->w[k];
      for (int e = problem->H.start[k]; e < problem->H.start[k + 1]; e++)
        reduction->open[k] += problem->H.value[e] * z[problem->H.row[e]];
    }
  return ASP_OK;
}

/* Is a block that opens without reactions expected to carry none? */
static bool is_open(const Reduction *reduction, const double *r, int b) {
  const AspContactProblem *problem = reduction->problem;
  int first = problem->offset[b];
  bool one_sided = problem->law[b].kind != ASP_LAW_BOX && problem->law[b].kind != ASP_LAW_BALL;
  for (int k = first; one_sided && k < problem->offset[b + 1]; k++)
    one_sided = r[k] == 0;
  return one_sided && reduction->open[first] > 0;
}

/* The blocks of what is left, and where they start from; narrow: without those that are open. */
static void choose_rest(Reduction *reduction, const double *r, bool narrow) {
  const AspContactProblem *problem = reduction->problem;
  AspContactProblem *rest = &reduction->rest;
  rest->blocks = rest->rows = 0;
  reduction->narrow = false;
  memset(reduction->trial, 0, (size_t)problem->rows * sizeof *reduction->trial);
  for (int b = 0; b < problem->blocks; b++) {
    bool open = narrow && problem->law[b].kind != ASP_LAW_EQUALITY && is_open(reduction, r, b);
    reduction->narrow = reduction->narrow || open;
    if (open || problem->law[b].kind == ASP_LAW_EQUALITY)
      continue;
    for (int k = problem->offset[b]; k < problem->offset[b + 1]; k++) {
      reduction->r_c[rest->rows] = r[k];
      reduction->row[rest->rows++] = k;
    }
    rest->law[rest->blocks] = problem->law[b];
    rest->offset[++rest->blocks] = rest->rows;
  }
  reduction->left = rest->rows;
}

/* W = H_c^T K^-1 H_c of the chosen rows as a full sparse matrix, q = u_c at r_c = 0. */
static AspError take_local_form(AspArena *arena, Reduction *reduction) {
  const AspContactProblem *problem = reduction->problem;
  AspContactProblem *rest = &reduction->rest;
  int n = rest->rows;
  rest->W = (AspSparse){.rows = n,
                        .columns = n,
                        .start = ASP_TAKE_UNCLEARED(arena, int, (size_t)n + 1),
                        .row = ASP_TAKE_UNCLEARED(arena, int, n *n),
                        .value = ASP_TAKE_UNCLEARED(arena, double, n *n)};
  rest->q = ASP_TAKE_UNCLEARED(arena, double, n);
  if (!rest->q || !rest->W.start || !rest->W.row || !rest->W.value)
    return ASP_ERROR_MEMORY;
  rest->W.start[0] = 0;
  for (int j = 0; j < n; j++) {
    rest->W.start[j + 1] = (j + 1) * n;
    for (int i = 0; i < n; i++)
      rest->W.row[j * n + i] = i;
  }
  ASP_TRY(asp_saddle_delassus(reduction->saddle, arena, problem, n, reduction->row, rest->W.value));
  for (int j = 0; j < n; j++)
    rest->q[j] = reduction->open[reduction->row[j]];
  return ASP_OK;
}

/* What a displacement after the solve may hold. */
static void keep_left(const Reduction *reduction, SolverReduced *reduced) {
  reduced->left.count = reduction->left;
  reduced->left.row = reduction->row;
  reduced->left.W = reduction->left > 0 ? reduction->rest.W.value : NULL;
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

/* What is left by Newton steps on the full W; where these do not arrive the start stays as it was. *again: they did,
 * but blocks were left out of it. */
static AspError step_on_rest(Reduction *reduction, bool *again) {
  SolverRun *run = reduction->run;
  int steps;
  size_t bytes = (size_t)reduction->left * sizeof *reduction->r_c;
  double *kept = ASP_TAKE_UNCLEARED(run->arena, double, reduction->left);
  if (!kept)
    return ASP_ERROR_MEMORY;
  memcpy(kept, reduction->r_c, bytes);
  bool arrived;
  ASP_TRY(asp_dense_newton_solve(run->arena, &reduction->rest, reduction->r_c, &steps, &arrived));
  *again = arrived && reduction->narrow;
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

/* Newton steps on what is not open at the start, or on all of it; *again: see step_on_rest. */
static AspError attempt(Reduction *reduction, const double *r, bool narrow, bool *again) {
  SolverRun *run = reduction->run;
  choose_rest(reduction, r, narrow);
  *again = reduction->narrow;
  if (reduction->left == 0) {
    asp_run_note(run, "elimination", -1);
    return offer(reduction);
  }
  ASP_TRY(take_local_form(run->arena, reduction));
  return takes_newton_steps(run) && asp_dense_newton_takes(&reduction->rest) ? step_on_rest(reduction, again) : ASP_OK;
}

/* The judge sees the whole problem: where it finds that a block which was left out pushes, once more with all. */
static AspError step_from(Reduction *reduction, const double *r) {
  SolverRun *run = reduction->run;
  bool again;
  ASP_TRY(attempt(reduction, r, takes_newton_steps(run), &again));
  if (asp_run_is_solved(run) || !reduction->narrow)
    return ASP_OK;
  if (again)
    return attempt(reduction, r, false, &again);
  choose_rest(reduction, r, false);
  return take_local_form(run->arena, reduction);
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
  run->status = ASP_STATUS_SOLVED;
  int blocks;
  if (count_left(problem, &blocks) > 0)
    ASP_TRY(find_open(&reduction));
  ASP_TRY(step_from(&reduction, r));
  if (!asp_run_is_solved(run) && reduction.left > 0)
    ASP_TRY(solve_rest(&reduction, reduced));
  *done = asp_run_is_solved(run);
  keep_left(&reduction, reduced);
  run->method = run->call->options->method;
  if (!*done) // the given start may be the better one
    ASP_TRY(asp_run_offer(run, r, NULL, NULL));
  memcpy(r, run->best, (size_t)problem->rows * sizeof *r);
  return *done ? asp_judge_residual(run->judge, r, &run->residual, u, x) : ASP_OK;
}

/* ---- answers that are not certified ---- */

/* u := H^T x + w; ||u_e|| over the size of its terms. */
static double find_velocities(const AspContactProblem *problem, const double *x, double *u) {
  double away = 0, size = 0;
  for (int b = 0; b < problem->blocks; b++)
    for (int k = problem->offset[b]; k < problem->offset[b + 1]; k++) {
      double sum = problem->w[k], terms = fabs(sum);
      for (int e = problem->H.start[k]; e < problem->H.start[k + 1]; e++) {
        double product = problem->H.value[e] * x[problem->H.row[e]];
        sum += product;
        terms += fabs(product);
      }
      u[k] = sum;
      away += problem->law[b].kind == ASP_LAW_EQUALITY ? sum * sum : 0;
      size += problem->law[b].kind == ASP_LAW_EQUALITY ? terms * terms : 0;
    }
  return size > 0 ? sqrt(away / size) : away;
}

/* ||M x - f - H r|| over ||f|| + ||H r||, by its parts */
static AspError find_imbalance(AspArena *arena, const AspContactProblem *problem, const double *x, const double *r,
                               double *imbalance) {
  size_t dofs = (size_t)problem->dofs;
  double *b = ASP_TAKE(arena, double, dofs), away = 0, size = 0;
  if (!b)
    return ASP_ERROR_MEMORY;
  asp_sparse_multiply_add(&problem->H, 1, r, b);
  for (size_t k = 0; k < dofs; k++) {
    size += b[k] * b[k] + problem->f[k] * problem->f[k];
    b[k] += problem->f[k];
  }
  asp_sparse_multiply_add(&problem->M, -1, x, b);
  for (size_t k = 0; k < dofs; k++)
    away += b[k] * b[k];
  *imbalance = size > 0 ? sqrt(away / size) : away;
  return ASP_OK;
}

/* Does a block that was left out push? */
static bool left_out_is_open(const Reduction *reduction) {
  const AspContactProblem *problem = reduction->problem;
  for (int b = 0, next = 0; b < problem->blocks; b++) {
    int first = problem->offset[b];
    bool inside = next < reduction->left && reduction->row[next] == first;
    next += inside ? problem->offset[b + 1] - first : 0;
    if (!inside && problem->law[b].kind != ASP_LAW_EQUALITY && reduction->u[first] < 0)
      return false;
  }
  return true;
}

/* Reactions and velocities of one choice of rows; *usable: Newton's steps arrive. */
static AspError follow_choice(Reduction *reduction, const double *r, bool narrow, bool *usable) {
  SolverRun *run = reduction->run;
  int steps;
  choose_rest(reduction, r, narrow);
  *usable = reduction->left == 0 || (takes_newton_steps(run) && asp_dense_newton_takes(&reduction->rest));
  if (reduction->left > 0 && *usable) {
    ASP_TRY(take_local_form(run->arena, reduction));
    ASP_TRY(asp_dense_newton_solve(run->arena, &reduction->rest, reduction->r_c, &steps, usable));
    run->iterations += steps;
    asp_run_spend(run, steps);
  }
  if (*usable)
    ASP_TRY(follow_rest(reduction));
  return ASP_OK;
}

AspError asp_reduced_try(SolverRun *run, SolverReduced *reduced, double *r, double *u, double *x, bool *done) {
  const AspContactProblem *problem = run->problem;
  Reduction reduction = {.run = run, .problem = problem};
  int blocks;
  *done = false;
  ASP_TRY(factor(reduced, run->context, run->arena, problem, &reduction.saddle, done));
  if (!*done)
    return ASP_OK;
  ASP_TRY(take_rest(run->arena, &reduction));
  if (count_left(problem, &blocks) > 0)
    ASP_TRY(find_open(&reduction));
  double away, imbalance;
  for (int narrow = 1; narrow >= 0; narrow--) {
    ASP_TRY(follow_choice(&reduction, r, narrow, done));
    if (!*done)
      return ASP_OK;
    away = find_velocities(problem, reduction.z, reduction.u);
    if (left_out_is_open(&reduction))
      break;
  }
  ASP_TRY(find_imbalance(run->arena, problem, reduction.z, reduction.trial, &imbalance));
  double worst = fmax(away, imbalance);
  *done = isfinite(away + imbalance) && worst <= run->asked.residual;
  if (!*done)
    return ASP_OK;
  keep_left(&reduction, reduced);
  run->residual = (AspResidual){.E1 = worst, .E2 = worst, .E3 = worst, .exact = worst, .worst_block = -1};
  run->status = ASP_STATUS_SOLVED;
  asp_run_note(run, "elimination", -1);
  memcpy(r, reduction.trial, (size_t)problem->rows * sizeof *r);
  memcpy(u, reduction.u, (size_t)problem->rows * sizeof *u);
  memcpy(x, reduction.z, (size_t)problem->dofs * sizeof *x);
  return ASP_OK;
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

/* Lay all out twice: the second time finds the memory of the first in one piece. */
static AspError reserve_saddles(SolverReduced *reduced, AspArena *arena, const AspContactProblem *problem,
                                bool *usable) {
  for (int k = 0; k < 2 * REDUCED_LAYOUTS; k++) {
    AspSaddle **saddle = &reduced->saddle[k % REDUCED_LAYOUTS];
    if (!*saddle)
      ASP_TRY(asp_saddle_create(arena->context, saddle));
    ASP_TRY(asp_saddle_factor(*saddle, arena, problem, false, usable));
  }
  return ASP_OK;
}

AspError asp_reduced_reserve(SolverReduced *reduced, AspArena *arena, const AspSolverOptions *options,
                             const AspContactProblem *problem) {
  AspContactProblem part = cut(problem);
  bool usable = false, arrived;
  int steps;
  asp_arena_reset(arena);
  if (!asp_is_reducible(&part, options))
    return ASP_OK;
  ASP_TRY(reserve_saddles(reduced, arena, &part, &usable));
  Reduction reduction = {.problem = &part, .saddle = reduced->saddle[0]};
  if (usable) {
    double *r = ASP_TAKE(arena, double, part.rows);
    if (!r)
      return ASP_ERROR_MEMORY;
    ASP_TRY(take_rest(arena, &reduction));
    ASP_TRY(find_open(&reduction));
    choose_rest(&reduction, r, false);
    ASP_TRY(take_local_form(arena, &reduction));
    if (asp_dense_newton_takes(&reduction.rest))
      ASP_TRY(asp_dense_newton_solve(arena, &reduction.rest, reduction.r_c, &steps, &arrived));
    ASP_TRY(make_solver(reduced, arena->context, options));
    for (int k = 0; k < 2; k++)
      ASP_TRY(asp_solver_reserve(reduced->solver, &reduction.rest));
  }
  asp_arena_reset(arena);
  return ASP_OK;
}
