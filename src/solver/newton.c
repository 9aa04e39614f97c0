/* Proximal point with semismooth Newton. For the centre r_k and the step rho, the inner problem is
 *
 *   g(y) = A y - f - F P(x(y)) = 0,   x = r_k - rho u,   u = V^T y + w
 *
 * with the generalised Jacobian A + F D V^T, D = rho P'(x). Then r_{k+1} = P(x). P: projection of each law; for
 * friction Alart and Curnier's map, r_N = max(x_N, 0) and r_T = x_T brought into the disc of radius r_N. It has the
 * solutions of the projection onto the cone of r_k - rho (u + ||u_T|| n), but no kink at u_T = 0, where every sticking
 * contact ends up, and does not unload contacts that stick while r_T still changes. That projection serves where the
 * shift is held, and where blocks are few. A Newton step is shortened until the next correction, with the same matrix,
 * is the smaller one (Deuflhard's natural monotonicity test, in the norm of A's diagonal): unlike ||g|| that does not
 * depend on how rows are scaled, and light and heavy bodies, rho and mu spread them over many decades. Outer steps are
 * never rejected because the judge's residual rises (passes through large residuals are needed), only when the inner
 * problem also failed. Sources: P. Alart and A. Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991) 353-375, for the
 * map; P. Deuflhard, "Newton Methods for Nonlinear Problems" (2004), section 3.3, for the test.
 */
#include "solver/newton.h"
#include "base/elementary.h"

#include "problem/cone.h"
#include "problem/mass.h"
#include "solver/soc.h"
#include "solver/tuning/newton.h"

/* trace of V_i^T A^-1 F_i of one block, with the diagonal of A alone; scratch: n zeros, zeros again on return */
static double block_trace(const AspForm *form, const AspPreparedBlock *block, const double *diagonal, double *scratch) {
  double trace = 0;
  for (int j = block->first; j < block->first + block->size; j++) {
    for (int e = form->F.start[j]; e < form->F.start[j + 1]; e++)
      scratch[form->F.row[e]] = form->F.value[e] / diagonal[form->F.row[e]];
    for (int e = form->V.start[j]; e < form->V.start[j + 1]; e++)
      trace += form->V.value[e] * scratch[form->V.row[e]];
    for (int e = form->F.start[j]; e < form->F.start[j + 1]; e++)
      scratch[form->F.row[e]] = 0;
  }
  return trace;
}

/* The proximal step of a block is rho times its weight, which follows what W has on its diagonal there, so that light
 * and heavy bodies, small and large mu move more alike; the inverse itself would leave hyperstatic packings unsolved,
 * its square root solves most. Geometric mean 1. */
static void weigh(AspNewton *newton) {
  const AspForm *form = newton->form;
  const AspPrepared *p = newton->prepared;
  double *diagonal = newton->diagonal, mean = 0;
  for (int j = 0; j < form->n; j++)
    for (int e = form->A.start[j]; e < form->A.start[j + 1]; e++)
      if (form->A.row[e] == j)
        diagonal[j] = form->A.value[e];
  for (int i = 0; i < p->blocks; i++) {
    double trace = block_trace(form, &p->block[i], diagonal, newton->dy) / p->block[i].size;
    newton->weight[i] = trace > 0 && isfinite(trace) ? 1 / sqrt(trace) : 1;
    mean += asp_ln(newton->weight[i]) / p->blocks;
  }
  for (int i = 0; i < p->blocks; i++)
    newton->weight[i] = fmin(NEWTON_LARGEST_WEIGHT, fmax(1 / NEWTON_LARGEST_WEIGHT, newton->weight[i] / asp_exp(mean)));
}

AspError asp_newton_take(AspNewton *newton, SolverRun *run) {
  AspPrepared *prepared = run->prepared;
  AspArena *arena = &run->space->scratch;
  AspSystem *system = prepared->system;
  *newton = (AspNewton){
      .run = run, .prepared = prepared, .system = system, .form = asp_system_form(system), .rho = NEWTON_FIRST_RHO};
  double **by_row[] = {&newton->centre, &newton->centre_before, &newton->centre_best, &newton->r, &newton->u};
  double **by_y[] = {&newton->y,       &newton->y_before, &newton->y_best,     &newton->g,       &newton->dy,
                     &newton->y_trial, &newton->rhs,      &newton->correction, &newton->diagonal};
  for (size_t k = 0; k < sizeof by_row / sizeof *by_row; k++)
    if (!(*by_row[k] = ASP_TAKE(arena, double, prepared->rows)))
      return ASP_ERROR_MEMORY;
  for (size_t k = 0; k < sizeof by_y / sizeof *by_y; k++)
    if (!(*by_y[k] = ASP_TAKE(arena, double, newton->form->n)))
      return ASP_ERROR_MEMORY;
  newton->D = ASP_TAKE(arena, double, 9 * (size_t)prepared->blocks);
  newton->weight = ASP_TAKE(arena, double, prepared->blocks);
  newton->state = ASP_TAKE(arena, signed char, prepared->blocks);
  if (!newton->D || !newton->weight || !newton->state)
    return ASP_ERROR_MEMORY;
  weigh(newton);
  return ASP_OK;
}

/* y of the body form at r: x = M^-1 (H r + f) in scaled units. */
static AspError follow_bodies(AspNewton *newton, const double *r) {
  AspPrepared *p = newton->prepared;
  const AspContactProblem *problem = p->problem;
  double *x = ASP_TAKE(&newton->run->space->scratch, double, problem->dofs);
  if (!x)
    return ASP_ERROR_MEMORY;
  asp_prepared_to_original(p, r, newton->run->trial);
  memcpy(x, problem->f, (size_t)problem->dofs * sizeof *x);
  asp_sparse_multiply_add(&problem->H, 1, newton->run->trial, x);
  ASP_TRY(asp_mass_solve(asp_judge_mass(p->judge), x));
  for (int j = 0; j < newton->form->n; j++)
    newton->y[j] = x[newton->form->dof[j]] / p->unit_u;
  return ASP_OK;
}

AspError asp_newton_start(AspNewton *newton, const double *r) {
  size_t n = (size_t)newton->form->n, rows = (size_t)newton->prepared->rows;
  memcpy(newton->centre, r, rows * sizeof *r);
  if (newton->form->dof)
    return follow_bodies(newton, r);
  memcpy(newton->y, r, n * sizeof *r); // condensed: y = r
  return ASP_OK;
}

/* The same for the laws of one row. */
static void project_row(const AspNewton *newton, int i, double *r, double *D) {
  const AspPreparedBlock *block = &newton->prepared->block[i];
  double rho = newton->weight[i] * newton->rho, x = newton->centre[block->first] - rho * newton->u[block->first];
  double low = block->kind == ASP_LAW_BOX ? -block->limit : block->kind == ASP_LAW_UNILATERAL ? 0 : -HUGE_VAL;
  double high = block->kind == ASP_LAW_BOX ? block->limit : HUGE_VAL;
  if (!newton->frozen)
    newton->state[i] = x < low ? -1 : x > high ? 1 : 0;
  r[0] = newton->state[i] < 0 ? low : newton->state[i] > 0 ? high : x;
  D[0] = newton->state[i] == 0 ? rho : 0;
}

/* The same for the projection onto a ball. */
static void project_ball(const AspNewton *newton, int i, const double *x, double rho, double *r, double *D) {
  const AspPreparedBlock *block = &newton->prepared->block[i];
  int size = block->size;
  double length = asp_ball_length(size, x), factor = 1;
  if (!newton->frozen)
    newton->state[i] = length > block->limit;
  if (newton->state[i] && length > 0)
    factor = block->limit / length;
  for (int k = 0; k < size; k++) {
    r[k] = factor * x[k];
    for (int l = 0; l < size; l++)
      D[k + 3 * l] = rho * factor * ((k == l) - (newton->state[i] && length > 0 ? x[k] * x[l] / (length * length) : 0));
  }
}

/* r = P(x) and D = rho P'(x) of friction by Alart and Curnier's map. */
static void project_friction(const AspNewton *newton, int i, const double *x, double rho, double *r, double *D) {
  int size = newton->prepared->block[i].size;
  double tangential = soc_tangential(size, x), ratio = x[0] / tangential;
  if (!newton->frozen)
    newton->state[i] = x[0] <= 0 ? -1 : tangential <= x[0] ? 1 : 0;
  if (newton->state[i] < 0 || (newton->state[i] == 0 && !(tangential > 0)))
    return;
  D[0] = rho;
  r[0] = x[0];
  for (int k = 1; k < size; k++) {
    if (newton->state[i] > 0) {
      r[k] = x[k];
      D[k + 3 * k] = rho;
      continue;
    }
    double t_k = x[k] / tangential;
    r[k] = r[0] * t_k;
    D[k] = rho * t_k;
    for (int l = 1; l < size; l++)
      D[k + 3 * l] = rho * ratio * ((k == l) - t_k * x[l] / tangential);
  }
}

/* The same for the projection of x onto the cone, the shift being in x. */
static void project_cone(const AspNewton *newton, int i, const double *x, double rho, double *r, double *D) {
  int size = newton->prepared->block[i].size;
  double tangential = soc_tangential(size, x), ratio = x[0] / tangential;
  if (!newton->frozen)
    newton->state[i] = tangential <= x[0] ? 1 : tangential > -x[0] ? 0 : -1;
  if (newton->state[i] > 0) { // inside: P' = 1
    memcpy(r, x, (size_t)size * sizeof *r);
    for (int k = 0; k < size; k++)
      D[k + 3 * k] = rho;
  } else if (newton->state[i] == 0 && tangential > 0) { // between the cone and its polar
    D[0] = 0.5 * rho;
    r[0] = 0.5 * (x[0] + tangential);
    for (int k = 1; k < size; k++) {
      double t_k = x[k] / tangential;
      r[k] = r[0] * t_k;
      D[k] = D[3 * k] = 0.5 * rho * t_k;
      for (int l = 1; l < size; l++)
        D[k + 3 * l] = 0.5 * rho * ((k == l ? 1 + ratio : 0) - ratio * t_k * x[l] / tangential);
    }
  }
}

/* r = P(x) and D = rho P'(x) of one block. */
static void project_block(const AspNewton *newton, int i, double *r, double *D) {
  const AspPreparedBlock *block = &newton->prepared->block[i];
  int first = block->first, size = block->size;
  double rho = newton->weight[i] * newton->rho, x[3] = {0};
  if (block->kind != ASP_LAW_COULOMB && block->kind != ASP_LAW_BALL) {
    project_row(newton, i, r, D);
    return;
  }
  for (int k = 0; k < size; k++)
    x[k] = newton->centre[first + k] - rho * newton->u[first + k];
  memset(D, 0, 9 * sizeof *D);
  memset(r, 0, (size_t)size * sizeof *r);
  if (block->kind == ASP_LAW_BALL) {
    project_ball(newton, i, x, rho, r, D);
    return;
  }
  if (!newton->s && !block->relaxed && newton->prepared->blocks >= NEWTON_MANY) {
    project_friction(newton, i, x, rho, r, D);
    return;
  }
  const double *u = newton->u + first;
  double slip = asp_block_shift(block, u);
  x[0] -= rho * (newton->s ? newton->s[i] : slip);
  project_cone(newton, i, x, rho, r, D);
  for (int l = 1; l < size && slip > 0 && !newton->s; l++)
    for (int k = 0; k < size; k++)
      D[k + 3 * l] += D[k] * u[l] / slip;
}

double asp_newton_evaluate(AspNewton *newton, const double *y) {
  const AspPrepared *p = newton->prepared;
  asp_run_spend(newton->run, 1);
  asp_form_velocity(newton->form, y, newton->u);
  for (int i = 0; i < p->blocks; i++)
    project_block(newton, i, newton->r + p->block[i].first, newton->D + 9 * i);
  asp_form_imbalance(newton->form, y, newton->r, newton->g);
  double sum = 0;
  for (int j = 0; j < newton->form->n; j++)
    sum += newton->g[j] * newton->g[j];
  return sqrt(sum);
}

/* Largest entry of u and of r/rho: what rounding in x is relative to, over rho. */
static double magnitude(const AspNewton *newton) {
  double largest = 0;
  for (int j = 0; j < newton->prepared->rows; j++)
    largest = fmax(largest, fmax(fabs(newton->u[j]), fabs(newton->r[j]) / newton->rho));
  return largest * sqrt(newton->form->n);
}

/* norm of a change of y, weighted by the diagonal of A */
static double natural_norm(const AspNewton *newton, const double *dy) {
  double sum = 0;
  for (int j = 0; j < newton->form->n; j++)
    sum += newton->diagonal[j] * dy[j] * dy[j];
  return sqrt(sum);
}

/* y_trial on the way along dy, as far as the natural test allows; *size: ||g|| there. *passed: some length did. */
static AspError find_step(AspNewton *newton, double *size, bool *passed) {
  int n = newton->form->n;
  double step = 1, length = natural_norm(newton, newton->dy);
  *passed = false;
  for (int halving = 0; halving <= NEWTON_MAX_HALVINGS && !*passed; halving++, step *= 0.5) {
    for (int j = 0; j < n; j++)
      newton->y_trial[j] = newton->y[j] + step * newton->dy[j];
    *size = asp_newton_evaluate(newton, newton->y_trial);
    for (int j = 0; j < n; j++)
      newton->rhs[j] = -newton->g[j];
    ASP_TRY(asp_system_solve(newton->system, newton->rhs, newton->correction));
    *passed = natural_norm(newton, newton->correction) <= (1 - NEWTON_NATURAL_GAIN * step) * length;
  }
  return ASP_OK;
}

AspError asp_newton_solve_inner(AspNewton *newton, int *steps, bool *converged) {
  int n = newton->form->n, rejected = 0;
  double size = asp_newton_evaluate(newton, newton->y), goal = NEWTON_INNER_ACCURACY * size;
  *converged = false;
  for (*steps = 0; *steps < NEWTON_MAX_INNER; ++*steps) {
    if (size <= goal && *steps > 0) {
      *converged = true;
      return ASP_OK;
    }
    bool regular, passed;
    if (asp_run_is_late(newton->run))
      return ASP_OK;
    ASP_TRY(asp_system_factor(newton->system, newton->D, &regular));
    newton->factorisations++;
    for (int j = 0; j < n; j++)
      newton->rhs[j] = -newton->g[j];
    ASP_TRY(asp_system_solve(newton->system, newton->rhs, newton->dy));
    double trial;
    ASP_TRY(find_step(newton, &trial, &passed));
    rejected += !passed && newton->prepared->blocks >= NEWTON_MANY;
    if (!isfinite(trial) || rejected > NEWTON_MAX_REJECTED)
      return ASP_OK;
    if (!(trial < size) && size <= NEWTON_ROUNDING * newton->rho * magnitude(newton)) { // as small as rounding allows
      *converged = true;
      return ASP_OK;
    }
    memcpy(newton->y, newton->y_trial, (size_t)n * sizeof *newton->y);
    size = trial;
  }
  *converged = size <= goal;
  return ASP_OK;
}

static void swap(double **a, double **b) {
  double *t = *a;
  *a = *b;
  *b = t;
}

double asp_newton_residual(AspNewton *newton) {
  const AspPrepared *p = newton->prepared;
  double sum = 0;
  for (int j = 0; j < newton->form->n; j++)
    sum += newton->g[j] * newton->g[j];
  for (int i = 0; i < p->blocks; i++) {
    const AspPreparedBlock *block = &p->block[i];
    int size = block->size, first = block->first;
    const double *r = newton->r + first, *u = newton->u + first;
    double x[3] = {0}, map[3] = {0};
    for (int k = 0; k < size; k++)
      x[k] = r[k] - u[k];
    if (block->kind == ASP_LAW_COULOMB) {
      x[0] -= newton->s ? newton->s[i] : asp_block_shift(block, u);
      asp_cone_project(size - 1, 1, x, map);
    } else if (block->kind == ASP_LAW_BALL)
      asp_ball_project(size, block->limit, x, map);
    else
      map[0] = block->kind == ASP_LAW_BOX          ? asp_box_project(block->limit, x[0])
               : block->kind == ASP_LAW_UNILATERAL ? fmax(x[0], 0)
                                                   : x[0];
    for (int k = 0; k < size; k++)
      sum += (r[k] - map[k]) * (r[k] - map[k]);
  }
  return sqrt(sum / (p->rows > 0 ? p->rows : 1));
}

/* The residual of the outer iterate: the judge's, or the own one when s is held fixed; then the best is kept here and
 * not by the judge. */
static AspError measure(AspNewton *newton, double *score) {
  if (newton->s) {
    *score = asp_newton_residual(newton);
    if (*score < newton->best) {
      newton->best = *score;
      newton->rho_best = newton->rho;
      memcpy(newton->y_best, newton->y, (size_t)newton->form->n * sizeof *newton->y);
      memcpy(newton->centre_best, newton->centre, (size_t)newton->prepared->rows * sizeof *newton->centre);
    }
    return ASP_OK;
  }
  AspResidual residual;
  ASP_TRY(asp_run_offer_scaled(newton->run, newton->r, &residual, NULL));
  *score = asp_run_measure(newton->run, &residual);
  if (!newton->quiet)
    asp_run_progress(newton->run, "newton", newton->iterations, *score);
  return ASP_OK;
}

/* Rounding in x grows with rho, and with 1/mu^2 on the way to the normal reaction: keep it a tenth of the score. */
static double largest_rho(const AspNewton *newton, double score) {
  const AspPrepared *p = newton->prepared;
  double scale = 1;
  if (newton->largest > 0)
    return newton->largest;
  for (int j = 0; j < p->rows; j++)
    scale = fmax(scale, p->scale[j]);
  return fmin(NEWTON_LARGEST_RHO, fmax(NEWTON_SMALLEST_CAP, NEWTON_RHO_PER_SCORE * score / (scale * scale)));
}

/* The proximal step for the next outer step; false: it became too small. `converged`, `steps`: of the inner problem. */
static bool adapt(AspNewton *newton, bool converged, int steps, double score, double previous, double tolerance) {
  if (!converged && !(score < previous)) { // restore and be more careful
    swap(&newton->y, &newton->y_before);
    swap(&newton->centre, &newton->centre_before);
    newton->rho *= NEWTON_RHO_FAILED;
    newton->cap = 4 * newton->rho;
    return newton->rho >= NEWTON_SMALLEST_RHO;
  }
  swap(&newton->centre, &newton->r);
  if (converged && steps <= 5 && score < 1.5 * previous)
    newton->rho = fmin((newton->near && steps <= 2 ? NEWTON_RHO_NEAR : 3) * newton->rho, newton->cap);
  else if (steps > NEWTON_MANY_STEPS)
    newton->rho *= NEWTON_RHO_SLOW;
  newton->rho = fmin(newton->rho, largest_rho(newton, fmax(score, NEWTON_SCORE_LEAST * tolerance)));
  newton->cap = fmin(NEWTON_CAP_GROWTH * newton->cap, NEWTON_LARGEST_RHO);
  return true;
}

/* Newton with the branches of P held, with the matrix of an earlier step as long as that does. */
static AspError solve_on_states(AspNewton *newton) {
  int n = newton->form->n;
  double size = asp_newton_evaluate(newton, newton->y), goal = NEWTON_STATE_ACCURACY * size;
  bool usable = false;
  for (int step = 0, left = NEWTON_STATE_FACTORS; step < NEWTON_STATE_STEPS && size > goal; step++) {
    if (!usable && left-- == 0)
      return ASP_OK;
    if (!usable) {
      ASP_TRY(asp_system_factor(newton->system, newton->D, &usable));
      newton->factorisations++;
    }
    for (int j = 0; j < n; j++)
      newton->rhs[j] = -newton->g[j];
    ASP_TRY(asp_system_solve(newton->system, newton->rhs, newton->dy));
    for (int j = 0; j < n; j++)
      newton->y[j] += newton->dy[j];
    double next = asp_newton_evaluate(newton, newton->y);
    if (!(next < size))
      return ASP_OK;
    usable = next < NEWTON_STATE_RATE * size;
    size = next;
  }
  return ASP_OK;
}

/* Near the solution the states that the last step ended with are likely to be the right ones: solve on them, with a
 * proximal term that hardly counts. What the judge does not accept is undone. */
static AspError try_states(AspNewton *newton, double tolerance, bool *solved) {
  double rho = newton->rho, score;
  memcpy(newton->y_best, newton->y, (size_t)newton->form->n * sizeof *newton->y);
  swap(&newton->centre, &newton->centre_best);
  memcpy(newton->centre, newton->r, (size_t)newton->prepared->rows * sizeof *newton->r);
  newton->frozen = true;
  newton->rho = fmax(rho, fmin(NEWTON_STATE_RHO, largest_rho(newton, NEWTON_SCORE_LEAST * tolerance)));
  ASP_TRY(solve_on_states(newton));
  ASP_TRY(measure(newton, &score));
  newton->frozen = false;
  newton->rho = rho;
  *solved = score <= tolerance;
  if (*solved)
    return ASP_OK;
  newton->misses++;
  swap(&newton->y, &newton->y_best);
  swap(&newton->centre, &newton->centre_best);
  asp_newton_evaluate(newton, newton->y);
  return ASP_OK;
}

AspError asp_newton_run(AspNewton *newton, double tolerance, int max_outer, AspStatus *status) {
  double previous = HUGE_VAL;
  size_t n = (size_t)newton->form->n, rows = (size_t)newton->prepared->rows;
  newton->cap = NEWTON_LARGEST_RHO;
  newton->best = HUGE_VAL;
  *status = ASP_STATUS_ITERATION_LIMIT;
  for (int outer = 0; outer < max_outer; outer++) {
    int steps;
    bool converged;
    double score = HUGE_VAL;
    memcpy(newton->y_before, newton->y, n * sizeof *newton->y);
    memcpy(newton->centre_before, newton->centre, rows * sizeof *newton->r);
    ASP_TRY(asp_newton_solve_inner(newton, &steps, &converged));
    newton->iterations++;
    bool solved = false;
    if (newton->near && converged && steps <= 2 && newton->misses < NEWTON_STATE_MISSES)
      ASP_TRY(try_states(newton, tolerance, &solved));
    if (!solved)
      ASP_TRY(measure(newton, &score));
    if (solved || score <= tolerance) {
      *status = ASP_STATUS_SOLVED;
      return ASP_OK;
    }
    if (newton->near && newton->factorisations >= NEWTON_NEAR_STEPS) // it was not near
      return ASP_OK;
    if (asp_run_is_late(newton->run)) {
      *status = ASP_STATUS_TIME_LIMIT;
      return ASP_OK;
    }
    bool stagnant = score > 0.5 * previous && score <= newton->enough;
    if (stagnant && newton->rho <= NEWTON_ACCURATE_RHO) {
      *status = ASP_STATUS_STALLED;
      return ASP_OK;
    }
    bool restored = !converged && !(score < previous);
    if (!adapt(newton, converged, steps, score, previous, tolerance)) {
      *status = ASP_STATUS_STALLED;
      return ASP_OK;
    }
    if (stagnant) // large steps converge fast, smaller ones have less rounding
      newton->cap = newton->rho = fmax(NEWTON_RHO_STAGNANT * newton->rho, NEWTON_ACCURATE_RHO);
    if (!restored)
      previous = score;
  }
  return ASP_OK;
}
