/* The stiff limit: of several solutions of a step's island the one that springs in place of its contacts tend to.
 *
 * Over the step, s in [0, 1], W frozen, scaled as in analyze/reduced.h (W_NN = 1, joints eliminated):
 *
 *   u(s) = u- + (q - u-) s + W p,   p' = F,   delta' = -u_N
 *   F_N = K delta + C max(delta', 0) where delta > 0,   F_T = -u_T min(mu F_N / ||u_T||, C_T),   dry joints likewise
 *
 * with K = STIFF_OMEGA^2, C = C_T = STIFF_OMEGA: STIFF_OMEGA / 2 pi vibrations in a step. u-: velocities before the
 * step. The springs begin with the reactions of the last step, which is what the limit depends on where a separatrix
 * lies between solutions (Preclik and Rude 2011, section 5; docs/theory/existence.md). The solution nearest to p(1) is
 * taken. Classical Runge-Kutta steps, short against 1 / (STIFF_OMEGA ||W||). Depends on analyze. */
#include "analyze/reduced.h"
#include "base/elementary.h"
#include "world/choice.h"
#include "world/tuning/world.h"

#include <math.h>

typedef struct Springs {
  const AspReduced *it;
  const double *before; /* rows: u- */
  int n;                /* rows */
  double *delta, *p;    /* blocks, rows: state */
  double *u, *F;        /* rows: scratch */
} Springs;

/* Limited to `most`, against u. */
static void oppose(int count, const double *u, double most, double *F) {
  double speed = 0;
  for (int k = 0; k < count; k++)
    speed = asp_hypot(speed, u[k]);
  double factor = speed * STIFF_OMEGA > most ? most / speed : STIFF_OMEGA;
  for (int k = 0; k < count; k++)
    F[k] = -factor * u[k];
}

/* Rates of delta and p at (s, delta, p). */
static void rates(const Springs *springs, double s, const double *delta, const double *p, double *delta_rate,
                  double *F) {
  const AspReduced *it = springs->it;
  for (int i = 0; i < springs->n; i++) {
    double sum = springs->before[i] + (it->q[i] - springs->before[i]) * s;
    for (int j = 0; j < springs->n; j++)
      sum += it->W[(size_t)i * it->rows + j] * p[j];
    springs->u[i] = sum;
  }
  for (int b = 0; b < it->blocks; b++) {
    int at = it->offset[b], size = asp_reduced_size(it, b);
    const double *u = springs->u + at;
    delta_rate[b] = 0;
    if (it->law[b].kind == ASP_LAW_BOX || it->law[b].kind == ASP_LAW_BALL) {
      oppose(size, u, it->law[b].limit, F + at);
      continue;
    }
    delta_rate[b] = -u[0];
    F[at] = delta[b] > 0 ? STIFF_OMEGA * STIFF_OMEGA * delta[b] + STIFF_OMEGA * fmax(-u[0], 0) : 0;
    oppose(size - 1, u + 1, it->law[b].mu * F[at], F + at + 1);
  }
}

typedef struct Stage {
  double *delta, *p;         /* where */
  double *delta_rate, *F;    /* there */
  double *delta_sum, *F_sum; /* weighted */
} Stage;

static void runge_kutta(Springs *springs, double s, double h, Stage *stage) {
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  int blocks = springs->it->blocks, rows = springs->n;
  memset(stage->delta_sum, 0, (size_t)blocks * sizeof(double));
  memset(stage->F_sum, 0, (size_t)rows * sizeof(double));
  for (int k = 0; k < 4; k++) {
    for (int b = 0; b < blocks; b++)
      stage->delta[b] = springs->delta[b] + (k ? at[k] * h * stage->delta_rate[b] : 0);
    for (int i = 0; i < rows; i++)
      stage->p[i] = springs->p[i] + (k ? at[k] * h * stage->F[i] : 0);
    rates(springs, s + at[k] * h, stage->delta, stage->p, stage->delta_rate, stage->F);
    for (int b = 0; b < blocks; b++)
      stage->delta_sum[b] += weight[k] * stage->delta_rate[b];
    for (int i = 0; i < rows; i++)
      stage->F_sum[i] += weight[k] * stage->F[i];
  }
  for (int b = 0; b < blocks; b++)
    springs->delta[b] += h * stage->delta_sum[b];
  for (int i = 0; i < rows; i++)
    springs->p[i] += h * stage->F_sum[i];
}

static AspError integrate(AspArena *arena, Springs *springs, bool *done) {
  int blocks = springs->it->blocks, rows = springs->n;
  double norm = 1;
  for (int i = 0; i < rows; i++) {
    double sum = 0;
    for (int j = 0; j < rows; j++)
      sum += fabs(springs->it->W[(size_t)i * springs->it->rows + j]);
    norm = fmax(norm, sum);
  }
  double steps = ceil(fmax(STIFF_OMEGA * norm, STIFF_OMEGA * sqrt(norm) / STIFF_STEP));
  *done = steps <= STIFF_MOST_STEPS;
  Stage stage = {ASP_TAKE(arena, double, blocks), ASP_TAKE(arena, double, rows),   ASP_TAKE(arena, double, blocks),
                 ASP_TAKE(arena, double, rows),   ASP_TAKE(arena, double, blocks), ASP_TAKE(arena, double, rows)};
  if (!stage.delta || !stage.p || !stage.delta_rate || !stage.F || !stage.delta_sum || !stage.F_sum)
    return ASP_ERROR_MEMORY;
  for (int64_t i = 0; *done && i < (int64_t)steps; i++)
    runge_kutta(springs, (double)i / steps, 1 / steps, &stage);
  return ASP_OK;
}

/* ---- from the step and back ---- */

/* H^T v + w with the velocities before the step, for the rows of the part. */
static AspError velocities_before(const StepView *view, const AspStepWork *work, int rows, const int *row, double *u) {
  const AspContactProblem *problem = &work->formulation.problem;
  const AspModel *model = view->model;
  int n = asp_body_velocities(asp_model_dimension(model));
  double *x = ASP_TAKE(work->arena, double, problem->dofs);
  if (!x)
    return ASP_ERROR_MEMORY;
  for (int body = 0; body < asp_model_body_count(model); body++) {
    int dof = asp_model_body_dof(model, body);
    if (dof >= 0)
      memcpy(x + dof, view->before->v + (size_t)n * body, (size_t)n * sizeof *x);
  }
  for (int i = 0; i < rows; i++) {
    u[i] = problem->w[row[i]];
    for (int k = problem->H.start[row[i]]; k < problem->H.start[row[i] + 1]; k++)
      u[i] += problem->H.value[k] * x[problem->H.row[k]];
  }
  return ASP_OK;
}

/* u- and the first reactions of the springs, scaled. */
static AspError begin(const SolutionChoice *choice, const AspStepWork *work, const AspContactProblem *part,
                      const int *row, Springs *springs) {
  const AspReduced *it = springs->it;
  AspArena *arena = work->arena;
  double *u = ASP_TAKE(arena, double, part->rows), *r = ASP_TAKE(arena, double, work->formulation.rows);
  double *other = ASP_TAKE(arena, double, work->formulation.rows), *before = ASP_TAKE(arena, double, it->rows);
  springs->n = it->rows;
  springs->before = before;
  springs->delta = ASP_TAKE(arena, double, it->blocks);
  springs->p = ASP_TAKE(arena, double, it->rows);
  springs->u = ASP_TAKE(arena, double, it->rows);
  springs->F = ASP_TAKE(arena, double, it->rows);
  if (!u || !r || !other || !before || !springs->delta || !springs->p || !springs->u || !springs->F)
    return ASP_ERROR_MEMORY;
  ASP_TRY(velocities_before(choice->view, work, part->rows, row, u));
  ASP_TRY(asp_warm_expect(choice->warm, &work->formulation, r, other));
  for (int b = 0; b < it->blocks; b++) {
    int first = part->offset[it->block[b]];
    for (int k = 0; k < asp_reduced_size(it, b); k++)
      before[it->offset[b] + k] = u[first + k] * it->d[b] / it->unit;
    springs->delta[b] = fmax(r[row[first]], 0) / (it->d[b] * it->unit) / (STIFF_OMEGA * STIFF_OMEGA);
  }
  return ASP_OK;
}

/* The solution with the least (p - r).W (p - r). */
static int nearest(const Springs *springs, const AspContactProblem *part, const AspAnalysis *analysis, double *off) {
  const AspReduced *it = springs->it;
  int best = -1;
  double least = INFINITY;
  for (int s = 0; s < analysis->count; s++) {
    double sum = 0;
    for (int b = 0; b < it->blocks; b++)
      for (int k = 0; k < asp_reduced_size(it, b); k++)
        off[it->offset[b] + k] = springs->p[it->offset[b] + k] -
                                 analysis->solution[s].r[part->offset[it->block[b]] + k] / (it->d[b] * it->unit);
    for (int i = 0; i < it->rows; i++)
      for (int j = 0; j < it->rows; j++)
        sum += off[i] * it->W[(size_t)i * it->rows + j] * off[j];
    if (sum < least) {
      least = sum;
      best = s;
    }
  }
  return best;
}

AspError asp_stiff_limit(const SolutionChoice *choice, const AspStepWork *work, const AspContactProblem *part,
                         const int *row, const AspAnalysis *analysis, int *chosen) {
  AspContactProblem local = {0};
  AspReduction reduction;
  Springs springs = {.it = &reduction.whole};
  bool done = false;
  AspError error;
  ASP_CHECK(asp_problem_copy(choice->view->context, part, &local));
  ASP_CHECK(asp_problem_reduce(choice->view->context, &local));
  ASP_CHECK(asp_reduction_make(work->arena, &local, &reduction));
  ASP_CHECK(begin(choice, work, part, row, &springs));
  ASP_CHECK(integrate(work->arena, &springs, &done));
  *chosen = done ? nearest(&springs, part, analysis, springs.F) : -1;
done:
  asp_problem_destroy(choice->view->context, &local);
  return error;
}
