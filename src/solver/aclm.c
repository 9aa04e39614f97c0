/* The method of Acary, Cadoux, Lemarechal, Malick (2008): a second-order cone program for fixed s, and a damped Newton
 * iteration on G(s) = s around it; the plain fixed point s := G(s) (from s = 0) as an option. A start takes s from a
 * rough run that updates s inside (interior point when cold, proximal Newton when warm): from s = 0 the damped
 * iteration may need very short steps.
 *
 * Safeguards: s >= 0; backtracking on ||G - s||; where no step along the Newton direction helps, a fixed-point step;
 * where progress ends, Newton on s again from the better s that some proximal Newton steps find; when that does not
 * help either (hyperstatic clusters, where G has kinks), proximal Newton from the best iterate, and at last from
 * nothing. The path of the result says which of these were needed.
 */
#include "solver/aclm.h"
#include "solver/method.h"
#include "solver/tuning/aclm.h"

#include <stdio.h>

typedef struct Outer {
  double *s_start; /* blocks: s at the start of an outer step */
  double *y, *r, *G;
  int iterations, plain;
  int restarts; /* of Newton on s from a better s that may still be made */
} Outer;

static AspError take_outer(const AspAclm *aclm, Outer *outer) {
  const AspPrepared *p = aclm->prepared;
  AspArena *arena = &aclm->run->space->scratch;
  outer->s_start = ASP_TAKE(arena, double, p->blocks);
  outer->G = ASP_TAKE(arena, double, p->blocks);
  outer->y = ASP_TAKE(arena, double, aclm->newton.form->n);
  outer->r = ASP_TAKE(arena, double, p->rows);
  return outer->s_start && outer->G && outer->y && outer->r ? ASP_OK : ASP_ERROR_MEMORY;
}

static void copy(double *to, const double *from, int count) {
  if (count > 0)
    memcpy(to, from, (size_t)count * sizeof *to);
}

static void save(const AspAclm *aclm, Outer *outer) {
  copy(outer->s_start, aclm->s, aclm->prepared->blocks);
  copy(outer->G, aclm->G, aclm->prepared->blocks);
  copy(outer->y, aclm->y, aclm->newton.form->n);
  copy(outer->r, aclm->r, aclm->prepared->rows);
}

static void restore(AspAclm *aclm, const Outer *outer) {
  copy(aclm->s, outer->s_start, aclm->prepared->blocks);
  copy(aclm->G, outer->G, aclm->prepared->blocks);
  copy(aclm->y, outer->y, aclm->newton.form->n);
  copy(aclm->r, outer->r, aclm->prepared->rows);
}

/* s := max(0, start + step ds) and the program there; infinite infeasibility when it cannot be solved */
static AspError try_step(AspAclm *aclm, const Outer *outer, double step, double *infeasibility) {
  bool solved;
  double relative;
  restore(aclm, outer);
  for (int i = 0; i < aclm->prepared->blocks; i++)
    aclm->s[i] = fmax(0, outer->s_start[i] + step * aclm->ds[i]);
  ASP_TRY(asp_aclm_program(aclm, &solved));
  *infeasibility = solved ? asp_aclm_infeasibility(aclm, &relative) : HUGE_VAL;
  return ASP_OK;
}

/* One damped Newton step; *accepted: false when no step length helped, nothing is changed then. */
static AspError damped_newton(AspAclm *aclm, Outer *outer, double before, bool *accepted) {
  ASP_TRY(asp_aclm_newton_step(aclm, aclm->ds));
  *accepted = true;
  double step = 1;
  for (int halving = 0; halving <= ACLM_MAX_HALVINGS; halving++, step *= 0.5) {
    double after;
    ASP_TRY(try_step(aclm, outer, step, &after));
    if (after <= (1 - ACLM_DESCENT * step) * before)
      return ASP_OK;
    if (asp_run_is_late(aclm->run))
      break;
  }
  restore(aclm, outer);
  *accepted = false;
  return ASP_OK;
}

/* s := G(s); *usable: the program there could be solved. */
static AspError plain_step(AspAclm *aclm, Outer *outer, bool *usable) {
  double after;
  for (int i = 0; i < aclm->prepared->blocks; i++)
    aclm->ds[i] = outer->G[i] - outer->s_start[i];
  ASP_TRY(try_step(aclm, outer, 1, &after));
  *usable = isfinite(after);
  if (!*usable)
    restore(aclm, outer);
  outer->plain++;
  return ASP_OK;
}

/* The first program: for the s that is there; raised where that has no feasible point. */
static AspError first_program(AspAclm *aclm, bool *solved) {
  ASP_TRY(asp_aclm_program(aclm, solved));
  double raise = 1; // in units of the free velocity
  for (int k = 0; k < ACLM_MAX_RAISES && !*solved && !asp_run_is_late(aclm->run); k++, raise *= 4) {
    for (int i = 0; i < aclm->prepared->blocks; i++)
      aclm->s[i] += raise;
    ASP_TRY(asp_aclm_program(aclm, solved));
  }
  return ASP_OK;
}

/* The outer iteration, until the judge is content or nothing helps any more. */
static AspError iterate(AspAclm *aclm, Outer *outer, AspStatus *status) {
  SolverRun *run = aclm->run;
  const AspPrepared *p = aclm->prepared;
  bool fixed_point = run->settings.fixed_point;
  int limit = run->settings.max_iterations > 0 ? run->settings.max_iterations
              : fixed_point                    ? ACLM_MAX_FIXED_POINT
                                               : ACLM_MAX_NEWTON;
  double smallest = HUGE_VAL;
  int useless = 0;
  *status = ASP_STATUS_ITERATION_LIMIT;
  for (outer->iterations++; outer->iterations <= limit; outer->iterations++) {
    double relative, infeasibility = asp_aclm_infeasibility(aclm, &relative);
    aclm->infeasibility = infeasibility / (p->unit_u * sqrt(p->blocks));
    asp_run_progress(run, "aclm", outer->iterations, infeasibility);
    ASP_TRY(asp_run_offer_scaled(run, aclm->r, NULL, NULL));
    if (asp_run_is_solved(run))
      return ASP_OK;
    useless = infeasibility < ACLM_PROGRESS * smallest ? 0 : useless + 1;
    smallest = fmin(smallest, infeasibility);
    int patience = outer->restarts > 0 ? 0 : ACLM_MAX_PLAIN_STEPS;
    if (relative <= ACLM_NEGLIGIBLE || (useless > patience && !fixed_point)) {
      *status = ASP_STATUS_STALLED;
      return ASP_OK;
    }
    if (asp_run_is_late(run)) {
      *status = ASP_STATUS_TIME_LIMIT;
      return ASP_OK;
    }
    save(aclm, outer);
    bool accepted = false, usable = true;
    if (!fixed_point)
      ASP_TRY(damped_newton(aclm, outer, infeasibility, &accepted));
    if (!accepted && outer->restarts > 0)
      usable = false;
    else if (!accepted)
      ASP_TRY(plain_step(aclm, outer, &usable));
    if (!usable) {
      *status = ASP_STATUS_STALLED;
      return ASP_OK;
    }
  }
  outer->iterations = limit;
  return ASP_OK;
}

/* Start at y and r with the s that belongs to them; u = V^T y + w. */
static void adopt(AspAclm *aclm, const double *y, const double *r, const double *u) {
  const AspPrepared *p = aclm->prepared;
  for (int i = 0; i < p->blocks; i++)
    aclm->s[i] = p->block[i].kind == ASP_LAW_COULOMB ? soc_tangential(p->block[i].size, u + p->block[i].first) : 0;
  copy(aclm->s_solved, aclm->s, p->blocks);
  copy(aclm->y, y, aclm->newton.form->n);
  copy(aclm->r, r, p->rows);
  aclm->has_program = true;
}

/* From r: a few proximal Newton steps with s free, until the score is `goal`; then the sliding speeds found. */
static AspError warm_shift(AspAclm *aclm, const double *r, double goal) {
  AspPrepared *p = aclm->prepared;
  AspNewton *newton = &aclm->newton;
  AspStatus status;
  double *scaled = ASP_TAKE(&aclm->run->space->scratch, double, p->rows);
  if (!scaled)
    return ASP_ERROR_MEMORY;
  asp_prepared_to_scaled(p, r, scaled);
  newton->s = NULL;
  newton->rho = ACLM_WARM_RHO;
  newton->largest = newton->enough = 0;
  ASP_TRY(asp_newton_start(newton, scaled));
  ASP_TRY(asp_newton_run(newton, fmax(goal, aclm->run->asked.residual), ACLM_WARM_OUTER, &status));
  asp_newton_evaluate(newton, newton->y);
  adopt(aclm, newton->y, newton->r, newton->u);
  return ASP_OK;
}

/* s from a rough interior-point run that updates it inside: Newton on s starts near the solution. */
static AspError rough_shift(AspAclm *aclm, double theta, int *steps) {
  AspIpm *ipm = &aclm->ipm;
  double last_step = 1, score = HUGE_VAL, best = HUGE_VAL;
  bool regular = true;
  int waiting = 0;
  ipm->s = NULL;
  if (theta > 0)
    ipm->theta = ipm->largest_theta = theta;
  asp_ipm_cold_start(ipm);
  for (*steps = 0; *steps < ACLM_ROUGH_STEPS && score > ACLM_ROUGH && waiting < ACLM_ROUGH_PATIENCE; ++*steps) {
    AspResidual residual;
    ASP_TRY(asp_ipm_step(ipm, &last_step, &regular));
    if (!regular || asp_run_is_late(aclm->run))
      break;
    ASP_TRY(asp_run_offer_scaled(aclm->run, ipm->r, &residual, NULL));
    score = asp_run_measure(aclm->run, &residual);
    waiting = score < ACLM_PROGRESS * best ? 0 : waiting + 1;
    best = fmin(best, score);
  }
  asp_form_velocity(ipm->form, ipm->y, ipm->u);
  adopt(aclm, ipm->y, ipm->r, ipm->u);
  aclm->interior_ready = regular;
  return ASP_OK;
}

/* Newton on s; where it gets stuck, from a better s again. */
static AspError newton_on_s(AspAclm *aclm, Outer *outer, AspStatus *status) {
  const SolverRun *run = aclm->run;
  for (outer->restarts = run->settings.fixed_point ? 0 : ACLM_MAX_RESTARTS;; outer->restarts--) {
    bool solved;
    ASP_TRY(first_program(aclm, &solved));
    if (solved)
      ASP_TRY(iterate(aclm, outer, status));
    else
      *status = asp_run_is_late(run) ? ASP_STATUS_TIME_LIMIT : ASP_STATUS_STALLED;
    double score = asp_run_measure(run, &run->residual);
    if (*status != ASP_STATUS_STALLED || outer->restarts == 0 || score <= run->asked.residual)
      return ASP_OK;
    ASP_TRY(warm_shift(aclm, run->best, ACLM_WARM_ACCURACY * score));
    if (asp_run_is_solved(run))
      return ASP_OK;
  }
}

/* From one start: Newton on s, then proximal Newton from the best iterate. theta: of the rough start, 0: its own. */
static AspError run_from_start(AspAclm *aclm, Outer *outer, const double *r, double theta, AspStatus *status) {
  SolverRun *run = aclm->run;
  bool fixed_point = run->settings.fixed_point;
  int rough = 0, steps = aclm->newton.iterations, programs = aclm->programs;
  char text[sizeof run->path];
  *outer = (Outer){outer->s_start, outer->y, outer->r, outer->G, 0, 0, ACLM_MAX_RESTARTS};
  if (r)
    ASP_TRY(warm_shift(aclm, r, ACLM_ROUGH));
  else if (!fixed_point)
    ASP_TRY(rough_shift(aclm, theta, &rough));
  rough += aclm->newton.iterations - steps;
  ASP_TRY(newton_on_s(aclm, outer, status));
  run->iterations += outer->iterations;
  snprintf(text, sizeof text, "start %d, aclm %d (%d programs, %d plain, %d restarts)", rough, outer->iterations,
           aclm->programs - programs, outer->plain, fixed_point ? 0 : ACLM_MAX_RESTARTS - outer->restarts);
  asp_run_note(run, text, -1);
  if (!asp_run_is_solved(run) && *status == ASP_STATUS_STALLED && !fixed_point)
    ASP_TRY(asp_newton_finish(run, run->best, ACLM_FINISHING_STEPS, status));
  return ASP_OK;
}

static AspError start_and_iterate(SolverRun *run, const double *start, AspStatus *status) {
  static const double theta[] = {0, ACLM_SECOND_THETA, ACLM_THIRD_THETA};
  const MethodSettings *settings = &run->settings;
  AspAclm aclm;
  Outer outer = {0};
  ASP_TRY(asp_prepared_need_system(run->prepared));
  int starts = settings->fixed_point || settings->max_iterations > 0 ? 1 : (int)(sizeof theta / sizeof *theta);
  for (int k = 0; k < starts; k++) {
    ASP_TRY(asp_aclm_take(&aclm, run));
    ASP_TRY(take_outer(&aclm, &outer));
    ASP_TRY(run_from_start(&aclm, &outer, k == 0 ? start : NULL, theta[k], status));
    run->factorisations += aclm.ipm.factorisations + aclm.newton.factorisations;
    if (asp_run_is_solved(run) || *status == ASP_STATUS_TIME_LIMIT)
      return ASP_OK;
  }
  if (!settings->fixed_point)
    ASP_TRY(asp_newton_finish(run, NULL, ACLM_FINISHING_STEPS, status));
  return ASP_OK;
}

AspError asp_aclm_solve(SolverRun *run, const double *start) {
  AspStatus status = ASP_STATUS_SOLVED;
  bool solved;
  ASP_TRY(asp_run_begin(run, &run->space->scratch, start, &solved));
  if (!solved)
    ASP_TRY(start_and_iterate(run, start, &status));
  if (run->iterations > 0 && !run->settings.fixed_point)
    ASP_TRY(asp_newton_deflate(run));
  return asp_newton_conclude(run, status);
}

const SolverMethod asp_method_aclm = {.solve = asp_aclm_solve, .exact_cones = true, .scaled_form = true};
