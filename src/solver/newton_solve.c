/* The method `newton` and what the other second-order methods borrow from it: the finish, the polish, the reaction of
 * smallest norm. See newton.c for the iteration.
 */
#include "solver/method.h"
#include "solver/newton.h"
#include "solver/tuning/newton.h"

#include <math.h>
#include <stdio.h>

static void count(AspMethodInfo *info, const AspNewton *newton, const char *what) {
  info->iterations += newton->iterations;
  info->factorisations += newton->factorisations;
  size_t length = strlen(info->path);
  snprintf(info->path + length, sizeof info->path - length, "%s%s %d", length ? ", " : "", what, newton->iterations);
}

/* Ready at r (original units; NULL: at no reaction). */
static AspError start_at(AspPrepared *p, const double *r, AspNewton *newton) {
  ASP_TRY(asp_prepared_need_system(p));
  ASP_TRY(asp_newton_take(newton, p));
  double *scaled = ASP_TAKE(&p->scratch, double, p->rows);
  if (!scaled)
    return ASP_ERROR_MEMORY;
  if (r)
    asp_prepared_to_scaled(p, r, scaled);
  return asp_newton_start(newton, scaled);
}

AspError asp_newton_finish(AspPrepared *p, const AspMethodOptions *options, const double *r, int max_outer,
                           AspMethodInfo *info, AspStatus *status) {
  AspNewton newton;
  ASP_TRY(start_at(p, r, &newton));
  ASP_TRY(asp_newton_run(&newton, options, max_outer, status));
  bool close = asp_verdict_measure(&options->asked, &p->best_residual) <= NEWTON_SOLVE_CLOSE * options->asked.residual;
  if (*status == ASP_STATUS_ITERATION_LIMIT && close && max_outer < NEWTON_SOLVE_LONG_FINISH)
    ASP_TRY(asp_newton_run(&newton, options, NEWTON_SOLVE_LONG_FINISH - max_outer, status));
  count(info, &newton, "newton");
  return ASP_OK;
}

AspError asp_newton_polish(AspPrepared *p, const AspMethodOptions *options, AspMethodInfo *info) {
  AspNewton newton;
  AspMethodOptions own = *options;
  AspStatus status;
  own.asked.residual = 0; // as far as it goes; a score that is not halved ends it
  own.progress = NULL;
  // large steps converge fast, smaller ones have less rounding
  static const double steps[] = {NEWTON_SOLVE_POLISH_RHO_1, NEWTON_SOLVE_POLISH_RHO_2, NEWTON_SOLVE_POLISH_RHO_3};
  for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
    ASP_TRY(start_at(p, p->best_r, &newton));
    newton.rho = newton.largest = steps[k];
    newton.enough = HUGE_VAL;
    ASP_TRY(asp_newton_run(&newton, &own, NEWTON_SOLVE_POLISH_OUTER, &status));
    count(info, &newton, "polish");
  }
  return ASP_OK;
}

/* Tikhonov: with the centre held at 0 the inner problem is that of W + 1/rho, whose r tends to the one of smallest norm
 * as rho grows. The sliding speeds are held at those of the solution, which all its reactions share: then the problem
 * is convex. From the y that is there the last rho may do at once; else rho grows by tens, as far as it goes. */
static AspError regularise(AspNewton *newton, double last, bool *converged) {
  const AspPrepared *p = newton->prepared;
  int steps;
  size_t n = (size_t)newton->form->n;
  double *y = ASP_TAKE(&newton->prepared->scratch, double, n),
         *s = ASP_TAKE(&newton->prepared->scratch, double, p->blocks);
  if (!y || !s)
    return ASP_ERROR_MEMORY;
  asp_newton_evaluate(newton, newton->y);
  for (int i = 0; i < p->blocks; i++)
    s[i] = p->block[i].kind == ASP_LAW_COULOMB ? asp_block_shift(&p->block[i], newton->u + p->block[i].first) : 0;
  memcpy(y, newton->y, n * sizeof *y);
  memset(newton->centre, 0, (size_t)p->rows * sizeof *newton->centre);
  newton->s = s;
  newton->rho = last;
  ASP_TRY(asp_newton_solve_inner(newton, &steps, converged));
  if (!*converged) {
    bool further = true;
    memcpy(newton->y, y, n * sizeof *y);
    for (double rho = NEWTON_SOLVE_NORM_FIRST_RHO; rho <= last && further; rho *= NEWTON_SOLVE_NORM_RHO_GROWTH) {
      newton->rho = rho;
      for (int round = 0; round < NEWTON_SOLVE_NORM_ROUNDS; round++)
        ASP_TRY(asp_newton_solve_inner(newton, &steps, &further));
      *converged = *converged || (further && rho >= NEWTON_SOLVE_NORM_LEAST_RHO);
    }
  }
  asp_newton_evaluate(newton, newton->y);
  memcpy(newton->centre, newton->r, (size_t)p->rows * sizeof *newton->centre);
  newton->s = NULL;
  return ASP_OK;
}

/* norm of (mu r_N, r_T), scaled */
static double scaled_norm(const AspPrepared *p, const double *r) {
  double sum = 0;
  for (int j = 0; j < p->rows; j++)
    sum += pow(r[p->source[j]] / p->scale[j], 2);
  return sqrt(sum);
}

/* Replace the best iterate by one of smaller norm: Tikhonov with 1/last, then proximal steps that remove what is left
 * of it. Given up when the first does not bring the norm below `gain` times what it was. */
static AspError shrink(AspPrepared *p, const AspMethodOptions *options, double last, double gain, AspMethodInfo *info) {
  AspNewton newton;
  AspStatus status = ASP_STATUS_STALLED;
  AspResidual before = p->best_residual;
  double norm = scaled_norm(p, p->best_r);
  AspMethodOptions own = *options;
  bool converged;
  own.progress = NULL;
  double *kept = ASP_TAKE(&p->scratch, double, p->problem->rows);
  if (!kept)
    return ASP_ERROR_MEMORY;
  memcpy(kept, p->best_r, (size_t)p->problem->rows * sizeof *kept);
  ASP_TRY(start_at(p, p->best_r, &newton));
  for (int i = 0; i < p->blocks; i++)
    newton.weight[i] = 1;
  ASP_TRY(regularise(&newton, last, &converged));
  p->best_residual = asp_verdict_worst(); // what counts now is what comes from here
  ASP_TRY(asp_prepared_offer_scaled(p, newton.r, NULL, NULL));
  if (converged && scaled_norm(p, p->best_r) < gain * norm)
    ASP_TRY(asp_newton_run(&newton, &own, NEWTON_SOLVE_SHRINK_OUTER, &status));
  bool better = asp_verdict_is_met(&options->asked, &p->best_residual) && scaled_norm(p, p->best_r) < norm;
  if (!better) {
    memcpy(p->best_r, kept, (size_t)p->problem->rows * sizeof *kept);
    p->best_residual = before;
  }
  count(info, &newton, "smaller norm");
  return ASP_OK;
}

AspError asp_newton_minimum_norm(AspPrepared *p, const AspMethodOptions *options, AspMethodInfo *info) {
  return shrink(p, options, NEWTON_SOLVE_NORM_LAST_RHO, 1, info);
}

AspError asp_newton_deflate(AspPrepared *p, const AspMethodOptions *options, AspMethodInfo *info) {
  const AspResidual *residual = &p->best_residual;
  if (!asp_verdict_is_met(&options->asked, residual) || residual->norm_r <= ASP_INFLATION * p->rho * p->norm_q)
    return ASP_OK;
  return shrink(p, options, NEWTON_SOLVE_DEFLATION_RHO, NEWTON_SOLVE_DEFLATION_GAIN, info);
}

AspError asp_newton_conclude(AspPrepared *p, const AspMethodOptions *options, AspStatus otherwise, double *r,
                             AspMethodInfo *info) {
  double score = asp_verdict_measure(&options->asked, &p->best_residual);
  bool solved = asp_verdict_is_met(&options->asked, &p->best_residual);
  if (!solved && !options->near && score <= NEWTON_SOLVE_NEARLY * options->asked.residual &&
      otherwise != ASP_STATUS_TIME_LIMIT) {
    ASP_TRY(asp_newton_polish(p, options, info));
    solved = asp_verdict_is_met(&options->asked, &p->best_residual);
  }
  if (solved && options->minimum_norm && p->rows > 0) {
    ASP_TRY(asp_newton_polish(p, options, info)); // its velocities are what the smallest reaction must give
    ASP_TRY(asp_newton_minimum_norm(p, options, info));
  }
  if (solved && options->polish && p->rows > 0)
    ASP_TRY(asp_newton_polish(p, options, info));
  asp_prepared_conclude(p, options, otherwise, r, info);
  return ASP_OK;
}

AspError asp_newton_solve(AspPrepared *p, const AspMethodOptions *options, double *r, AspMethodInfo *info) {
  AspStatus status = ASP_STATUS_SOLVED;
  bool solved;
  ASP_TRY(asp_prepared_begin(p, options, r, info, &solved));
  if (!solved) {
    AspNewton newton;
    ASP_TRY(start_at(p, options->warm ? r : NULL, &newton));
    if (options->rho > 0)
      newton.rho = options->rho;
    else if (options->warm)
      newton.rho = NEWTON_SOLVE_WARM_RHO;
    newton.near = options->near;
    ASP_TRY(asp_newton_run(&newton, options,
                           options->max_iterations > 0 ? options->max_iterations : NEWTON_SOLVE_MAX_OUTER, &status));
    count(info, &newton, "newton");
  }
  return asp_newton_conclude(p, options, status, r, info);
}

const SolverMethod asp_method_newton = {.exact = asp_newton_solve, .exact_cones = true, .relaxed = true};
