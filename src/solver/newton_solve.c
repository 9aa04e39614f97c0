/* The method `newton` and what the other second-order methods borrow from it: the finish, the polish, the reaction of
 * smallest norm. See newton.c for the iteration.
 */
#include "solver/method.h"
#include "solver/newton.h"
#include "solver/tuning/newton.h"

#include <math.h>

static void count(SolverRun *run, const AspNewton *newton, const char *what) {
  run->iterations += newton->iterations;
  run->factorisations += newton->factorisations;
  asp_run_note(run, what, newton->iterations);
}

/* Ready at r (original units; NULL: at no reaction). */
static AspError start_at(SolverRun *run, const double *r, AspNewton *newton) {
  AspPrepared *p = run->prepared;
  ASP_TRY(asp_prepared_need_system(p));
  ASP_TRY(asp_newton_take(newton, run));
  double *scaled = ASP_TAKE(&run->space->scratch, double, p->rows);
  if (!scaled)
    return ASP_ERROR_MEMORY;
  if (r)
    asp_prepared_to_scaled(p, r, scaled);
  return asp_newton_start(newton, scaled);
}

AspError asp_newton_finish(SolverRun *run, const double *r, int max_outer, AspStatus *status) {
  AspNewton newton;
  ASP_TRY(start_at(run, r, &newton));
  ASP_TRY(asp_newton_run(&newton, run->asked.residual, max_outer, status));
  bool close = asp_run_measure(run, &run->residual) <= NEWTON_SOLVE_CLOSE * run->asked.residual;
  if (*status == ASP_STATUS_ITERATION_LIMIT && close && max_outer < NEWTON_SOLVE_LONG_FINISH)
    ASP_TRY(asp_newton_run(&newton, run->asked.residual, NEWTON_SOLVE_LONG_FINISH - max_outer, status));
  count(run, &newton, "newton");
  return ASP_OK;
}

AspError asp_newton_polish(SolverRun *run) {
  AspNewton newton;
  AspStatus status;
  // large steps converge fast, smaller ones have less rounding
  static const double steps[] = {NEWTON_SOLVE_POLISH_RHO_1, NEWTON_SOLVE_POLISH_RHO_2, NEWTON_SOLVE_POLISH_RHO_3};
  for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
    AspArenaMark mark = asp_arena_mark(&run->space->scratch);
    ASP_TRY(start_at(run, run->best, &newton));
    newton.rho = newton.largest = steps[k];
    newton.enough = HUGE_VAL;
    newton.quiet = true;
    // tolerance 0: as far as it goes; a score that is not halved ends it
    ASP_TRY(asp_newton_run(&newton, 0, NEWTON_SOLVE_POLISH_OUTER, &status));
    count(run, &newton, "polish");
    asp_arena_rewind(&run->space->scratch, mark);
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
  double *y = ASP_TAKE(&newton->run->space->scratch, double, n),
         *s = ASP_TAKE(&newton->run->space->scratch, double, p->blocks);
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
      for (int solve = 0; solve < NEWTON_SOLVE_NORM_SOLVES; solve++)
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
  for (int j = 0; j < p->rows; j++) {
    double scaled = r[p->source[j]] / p->scale[j];
    sum += scaled * scaled;
  }
  return sqrt(sum);
}

/* Replace the best iterate by one of smaller norm: Tikhonov with 1/last, then proximal steps that remove what is left
 * of it. Given up when the first does not bring the norm below `gain` times what it was. */
static AspError shrink(SolverRun *run, double last, double gain) {
  AspPrepared *p = run->prepared;
  AspNewton newton;
  AspStatus status = ASP_STATUS_STALLED;
  AspResidual before = run->residual;
  double norm = scaled_norm(p, run->best);
  bool converged;
  double *kept = ASP_TAKE(&run->space->scratch, double, p->problem->rows);
  if (!kept)
    return ASP_ERROR_MEMORY;
  memcpy(kept, run->best, (size_t)p->problem->rows * sizeof *kept);
  ASP_TRY(start_at(run, run->best, &newton));
  newton.quiet = true;
  for (int i = 0; i < p->blocks; i++)
    newton.weight[i] = 1;
  ASP_TRY(regularise(&newton, last, &converged));
  run->residual = asp_verdict_worst(); // what counts now is what comes from here
  ASP_TRY(asp_run_offer_scaled(run, newton.r, NULL, NULL));
  if (converged && scaled_norm(p, run->best) < gain * norm)
    ASP_TRY(asp_newton_run(&newton, run->asked.residual, NEWTON_SOLVE_SHRINK_OUTER, &status));
  bool better = asp_run_is_solved(run) && scaled_norm(p, run->best) < norm;
  if (!better) {
    memcpy(run->best, kept, (size_t)p->problem->rows * sizeof *kept);
    run->residual = before;
  }
  count(run, &newton, "smaller norm");
  return ASP_OK;
}

AspError asp_newton_minimum_norm(SolverRun *run) { return shrink(run, NEWTON_SOLVE_NORM_LAST_RHO, 1); }

AspError asp_newton_deflate(SolverRun *run) {
  const AspPrepared *p = run->prepared;
  if (!asp_run_is_solved(run) || run->residual.norm_r <= ASP_INFLATION * p->rho * p->norm_q)
    return ASP_OK;
  return shrink(run, NEWTON_SOLVE_DEFLATION_RHO, NEWTON_SOLVE_DEFLATION_GAIN);
}

AspError asp_newton_conclude(SolverRun *run, AspStatus otherwise) {
  const MethodSettings *settings = &run->settings;
  double score = asp_run_measure(run, &run->residual);
  bool solved = asp_run_is_solved(run), rows = run->prepared->rows > 0;
  if (!solved && !settings->near && score <= NEWTON_SOLVE_NEARLY * run->asked.residual &&
      otherwise != ASP_STATUS_TIME_LIMIT) {
    ASP_TRY(asp_newton_polish(run));
    solved = asp_run_is_solved(run);
  }
  if (solved && settings->minimum_norm && rows) {
    ASP_TRY(asp_newton_polish(run)); // its velocities are what the smallest reaction must give
    ASP_TRY(asp_newton_minimum_norm(run));
  }
  if (solved && settings->polish && rows)
    ASP_TRY(asp_newton_polish(run));
  asp_run_conclude(run, otherwise);
  return ASP_OK;
}

AspError asp_newton_solve(SolverRun *run, const double *start) {
  const MethodSettings *settings = &run->settings;
  AspStatus status = ASP_STATUS_SOLVED;
  bool solved;
  ASP_TRY(asp_run_begin(run, &run->space->scratch, start, &solved));
  if (!solved) {
    AspNewton newton;
    AspArenaMark mark = asp_arena_mark(&run->space->scratch);
    ASP_TRY(start_at(run, start, &newton));
    if (settings->rho > 0)
      newton.rho = settings->rho;
    else if (start)
      newton.rho = NEWTON_SOLVE_WARM_RHO;
    newton.near = settings->near;
    ASP_TRY(asp_newton_run(&newton, run->asked.residual,
                           settings->max_iterations > 0 ? settings->max_iterations : NEWTON_SOLVE_MAX_OUTER, &status));
    count(run, &newton, "newton");
    asp_arena_rewind(&run->space->scratch, mark);
  }
  return asp_newton_conclude(run, status);
}

const SolverMethod asp_method_newton = {
    .solve = asp_newton_solve, .exact_cones = true, .relaxed = true, .balls = true, .scaled_form = true};
