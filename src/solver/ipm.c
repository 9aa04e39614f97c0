/* The interior-point method: s updated at every step, judged at every step. See ipm.h and ipm_step.c.
 *
 * It is left when the judge is content, when an iterate breaks down, after 7 tiny steps in a row, or after 40
 * iterations (12 near the solution) without 10 % improvement; the best iterate is returned in any case.
 */
#include "solver/ipm.h"

#include "solver/method.h"
#include "solver/newton.h"
#include "solver/tuning/ipm.h"

#include <stdio.h>

/* One run; *status says why it ended. */
static AspError run(AspIpm *ipm, const AspMethodOptions *options, AspMethodInfo *info, AspStatus *status) {
  AspPrepared *p = ipm->prepared;
  int limit = options->max_iterations > 0 ? options->max_iterations : IPM_MAX_ITERATIONS;
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
    info->iterations++;
    ASP_TRY(asp_prepared_offer_scaled(p, ipm->r, &residual, NULL));
    double score = asp_verdict_measure(&options->asked, &residual);
    if (options->progress)
      options->progress(options->progress_user, info->iterations, "ipm", score);
    if (asp_verdict_is_met(&options->asked, &residual))
      return ASP_OK;
    tiny = last_step < IPM_TINY_STEP ? tiny + 1 : 0;
    waiting = score < IPM_PROGRESS * best ? 0 : waiting + 1;
    best = fmin(best, score);
    if (tiny >= IPM_MAX_TINY_STEPS || waiting >= (best < IPM_NEAR ? IPM_PATIENCE_NEAR : IPM_PATIENCE) ||
        !isfinite(score)) {
      *status = ASP_STATUS_STALLED;
      return ASP_OK;
    }
    if (asp_method_out_of_time(options)) {
      *status = ASP_STATUS_TIME_LIMIT;
      return ASP_OK;
    }
  }
  return ASP_OK;
}

static AspError start_and_run(AspPrepared *p, const AspMethodOptions *options, const double *r, AspMethodInfo *info,
                              AspStatus *status) {
  AspIpm ipm;
  ASP_TRY(asp_prepared_need_system(p));
  ASP_TRY(asp_ipm_take(&ipm, p));
  if (options->theta > 0)
    ipm.theta = ipm.largest_theta = options->theta;
  double *scaled = ASP_TAKE(&p->scratch, double, p->rows);
  if (!scaled)
    return ASP_ERROR_MEMORY;
  if (r) {
    asp_prepared_to_scaled(p, r, scaled);
    ASP_TRY(asp_ipm_warm_start(&ipm, scaled, IPM_WARM_DISTANCE));
  } else
    asp_ipm_cold_start(&ipm);
  ASP_TRY(run(&ipm, options, info, status));
  info->factorisations += ipm.factorisations;
  snprintf(info->path, sizeof info->path, "ipm %d", info->iterations);
  if (!asp_verdict_is_met(&options->asked, &p->best_residual) && *status == ASP_STATUS_STALLED)
    ASP_TRY(asp_newton_finish(p, options, p->best_r, options->finish > 0 ? options->finish : IPM_FINISHING_STEPS, info,
                              status));
  return ASP_OK;
}

AspError asp_ipm_solve(AspPrepared *p, const AspMethodOptions *options, double *r, AspMethodInfo *info) {
  AspStatus status = ASP_STATUS_SOLVED;
  bool solved;
  ASP_TRY(asp_prepared_begin(p, options, r, info, &solved));
  if (!solved)
    ASP_TRY(start_and_run(p, options, options->warm ? r : NULL, info, &status));
  if (info->iterations > 0)
    ASP_TRY(asp_newton_deflate(p, options, info));
  return asp_newton_conclude(p, options, status, r, info);
}

const SolverMethod asp_method_ipm = {.exact = asp_ipm_solve, .exact_cones = true, .relaxed = true};
