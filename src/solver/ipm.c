/* The interior-point method: s updated at every step, judged at every step. See ipm.h and ipm_step.c.
 *
 * It is left when the judge is content, when an iterate breaks down, after 7 tiny steps in a row, or after 40
 * iterations (12 near the solution) without 10 % improvement; the best iterate is returned in any case.
 */
#include "solver/ipm.h"

#include "solver/method.h"
#include "solver/newton.h"
#include "solver/tuning/ipm.h"

/* One run; *status says why it ended. */
static AspError iterate(AspIpm *ipm, SolverRun *run, AspStatus *status) {
  int limit = run->settings.max_iterations > 0 ? run->settings.max_iterations : IPM_MAX_ITERATIONS;
  double last_step = 1, best = HUGE_VAL;
  int tiny = 0, waiting = 0;
  *status = ASP_STATUS_ITERATION_LIMIT;
  for (int iteration = 0; iteration < limit; iteration++) {
    bool regular;
    AspResidual residual;
    ASP_TRY(asp_ipm_step(ipm, &last_step, &regular));
    if (!regular) {
      *status = ASP_STATUS_STALLED;
      return ASP_OK;
    }
    run->iterations++;
    asp_run_spend(run, 2);
    ASP_TRY(asp_run_offer_scaled(run, ipm->r, &residual, NULL));
    double score = asp_run_measure(run, &residual);
    asp_run_progress(run, "ipm", run->iterations, score);
    if (asp_verdict_is_met(&run->asked, &residual))
      return ASP_OK;
    tiny = last_step < IPM_TINY_STEP ? tiny + 1 : 0;
    waiting = score < IPM_PROGRESS * best ? 0 : waiting + 1;
    best = fmin(best, score);
    if (tiny >= IPM_MAX_TINY_STEPS || waiting >= (best < IPM_NEAR ? IPM_PATIENCE_NEAR : IPM_PATIENCE) ||
        !isfinite(score)) {
      *status = ASP_STATUS_STALLED;
      return ASP_OK;
    }
    if (asp_run_is_late(run)) {
      *status = ASP_STATUS_TIME_LIMIT;
      return ASP_OK;
    }
  }
  return ASP_OK;
}

static AspError start_and_iterate(SolverRun *run, const double *start, AspStatus *status) {
  AspPrepared *p = run->prepared;
  const MethodSettings *settings = &run->settings;
  AspIpm ipm;
  ASP_TRY(asp_prepared_need_system(p));
  ASP_TRY(asp_ipm_take(&ipm, run));
  if (settings->theta > 0)
    ipm.theta = ipm.largest_theta = settings->theta;
  double *scaled = ASP_TAKE(&run->space->scratch, double, p->rows);
  if (!scaled)
    return ASP_ERROR_MEMORY;
  if (start) {
    asp_prepared_to_scaled(p, start, scaled);
    ASP_TRY(asp_ipm_warm_start(&ipm, scaled, IPM_WARM_DISTANCE));
  } else
    asp_ipm_cold_start(&ipm);
  ASP_TRY(iterate(&ipm, run, status));
  run->factorisations += ipm.factorisations;
  asp_run_note(run, "ipm", run->iterations);
  if (!asp_run_is_solved(run) && *status == ASP_STATUS_STALLED)
    ASP_TRY(asp_newton_finish(run, run->best, settings->finish > 0 ? settings->finish : IPM_FINISHING_STEPS, status));
  return ASP_OK;
}

AspError asp_ipm_solve(SolverRun *run, const double *start) {
  AspStatus status = ASP_STATUS_SOLVED;
  bool solved;
  ASP_TRY(asp_run_begin(run, &run->space->scratch, start, &solved));
  if (!solved)
    ASP_TRY(start_and_iterate(run, start, &status));
  if (run->iterations > 0)
    ASP_TRY(asp_newton_deflate(run));
  return asp_newton_conclude(run, status);
}

const SolverMethod asp_method_ipm = {.solve = asp_ipm_solve, .exact_cones = true, .relaxed = true, .scaled_form = true};
