/* Alternating direction method of multipliers on A y = F r + f, u = V^T y + w (prepared.h), z = u + s n in the dual of
 * each law's set C, penalty rho:
 *
 *   (A + rho F V^T) y = f + F (r^ - rho (w + s n - z^))          one factorisation as long as rho stays
 *   x = alpha (V^T y + w + s n) + (1 - alpha) z^                 over-relaxation
 *   r = P_C(r^ - rho x),   z = x + (r - r^)/rho                  r lies exactly in C: always an admissible reaction
 *   r^, z^ = r, z + extrapolation by Nesterov's weights          restarted where the combined residual rises
 *   s = ||u_T||                                                  De Saxce's shift, at every iteration
 *
 * The penalty follows the ratio of primal to dual residual, with a limited number of factorisations. Sources: Boyd et
 * al., Foundations and Trends in Machine Learning 3 (2010); Goldstein et al., SIAM J. Imaging Sci. 7 (2014). Depends on
 * prepared.h, system.h and problem/cone.h.
 */
#include "solver/tuning/admm.h"
#include "problem/cone.h"
#include "solver/method.h"
#include "solver/soc.h"
#include "solver/system.h"

#include <float.h>

typedef struct Admm {
  AspPrepared *prepared;
  AspSystem *system;
  const AspForm *form;
  double rho, weight; /* penalty; Nesterov's sequence */
  double combined;    /* combined residual of the iterate before */
  double primal, dual;
  double *y, *rhs;               /* n */
  double *r, *z, *r_hat, *z_hat; /* rows */
  double *r_new, *z_new, *u, *row;
  double *D; /* 9 blocks */
  int iterations, factorisations;
} Admm;

static AspError take(Admm *admm, SolverRun *run) {
  AspPrepared *p = run->prepared;
  AspArena *arena = &run->space->scratch;
  *admm = (Admm){.prepared = p, .rho = ADMM_FIRST_PENALTY, .weight = 1, .combined = HUGE_VAL};
  ASP_TRY(asp_prepared_need_system(p));
  admm->system = p->system;
  admm->form = asp_system_form(p->system);
  double **by_row[] = {&admm->r,     &admm->z,     &admm->r_hat, &admm->z_hat,
                       &admm->r_new, &admm->z_new, &admm->u,     &admm->row};
  for (size_t k = 0; k < sizeof by_row / sizeof *by_row; k++)
    if (!(*by_row[k] = ASP_TAKE(arena, double, p->rows)))
      return ASP_ERROR_MEMORY;
  admm->y = ASP_TAKE(arena, double, admm->form->n);
  admm->rhs = ASP_TAKE(arena, double, admm->form->n);
  admm->D = ASP_TAKE(arena, double, 9 * (size_t)p->blocks);
  return admm->y && admm->rhs && admm->D ? ASP_OK : ASP_ERROR_MEMORY;
}

static AspError factor(Admm *admm, bool *regular) {
  const AspPrepared *p = admm->prepared;
  for (int i = 0; i < p->blocks; i++)
    for (int k = 0; k < 9; k++)
      admm->D[9 * i + k] = k % 4 == 0 && k / 4 < p->block[i].size ? admm->rho : 0;
  admm->factorisations++;
  return asp_system_factor(admm->system, admm->D, regular);
}

/* y of the penalised problem for r_hat and z_hat; u from it. s is that of the u before. */
static AspError solve_y(Admm *admm) {
  const AspPrepared *p = admm->prepared;
  const AspForm *form = admm->form;
  for (int i = 0; i < p->blocks; i++) {
    const AspPreparedBlock *block = &p->block[i];
    for (int k = 0; k < block->size; k++) {
      int j = block->first + k;
      double shift = k == 0 && block->kind == ASP_LAW_COULOMB ? soc_tangential(block->size, admm->u + block->first) : 0;
      admm->row[j] = admm->r_hat[j] - admm->rho * (form->w[j] + shift - admm->z_hat[j]);
    }
  }
  for (int j = 0; j < form->n; j++)
    admm->rhs[j] = form->f[j];
  asp_sparse_multiply_add(&form->F, 1, admm->row, admm->rhs);
  ASP_TRY(asp_system_solve(admm->system, admm->rhs, admm->y));
  asp_form_velocity(form, admm->y, admm->u);
  return ASP_OK;
}

/* r_new and z_new of one block. */
static void project_block(Admm *admm, const AspPreparedBlock *block) {
  int first = block->first, size = block->size;
  double x[3] = {0}, t[3] = {0};
  double slip = block->kind == ASP_LAW_COULOMB ? soc_tangential(size, admm->u + first) : 0;
  for (int k = 0; k < size; k++) {
    double shifted = admm->u[first + k] + (k == 0 ? slip : 0);
    x[k] = ADMM_OVER_RELAXATION * shifted + (1 - ADMM_OVER_RELAXATION) * admm->z_hat[first + k];
    t[k] = admm->r_hat[first + k] - admm->rho * x[k];
  }
  if (block->kind == ASP_LAW_COULOMB)
    asp_cone_project(size - 1, 1, t, t);
  else if (block->kind == ASP_LAW_UNILATERAL)
    t[0] = fmax(t[0], 0);
  else if (block->kind == ASP_LAW_BOX)
    t[0] = asp_box_project(block->limit, t[0]);
  else if (block->kind == ASP_LAW_BALL)
    asp_ball_project(size, block->limit, t, t);
  for (int k = 0; k < size; k++) {
    admm->r_new[first + k] = t[k];
    admm->z_new[first + k] = x[k] + (t[k] - admm->r_hat[first + k]) / admm->rho;
  }
}

static void swap(double **a, double **b) {
  double *t = *a;
  *a = *b;
  *b = t;
}

/* Residuals, momentum with restart, and the step to the new iterate. */
static void extrapolate(Admm *admm) {
  int rows = admm->prepared->rows;
  double change_r = 0, change_z = 0, dual = 0;
  for (int j = 0; j < rows; j++) {
    double dr = admm->r_new[j] - admm->r_hat[j], dz = admm->z_new[j] - admm->z_hat[j],
           step = admm->z_new[j] - admm->z[j];
    change_r += dr * dr;
    change_z += dz * dz;
    dual += step * step;
  }
  admm->primal = sqrt(change_r) / admm->rho;
  admm->dual = sqrt(dual) * admm->rho;
  double combined = change_r / admm->rho + change_z * admm->rho;
  if (combined < ADMM_RESTART * admm->combined) {
    double next = 0.5 * (1 + sqrt(1 + 4 * admm->weight * admm->weight)), beta = (admm->weight - 1) / next;
    for (int j = 0; j < rows; j++) {
      admm->r_hat[j] = admm->r_new[j] + beta * (admm->r_new[j] - admm->r[j]);
      admm->z_hat[j] = admm->z_new[j] + beta * (admm->z_new[j] - admm->z[j]);
    }
    admm->weight = next;
    admm->combined = combined;
  } else {
    for (int j = 0; j < rows; j++) {
      admm->r_hat[j] = admm->r_new[j];
      admm->z_hat[j] = admm->z_new[j];
    }
    admm->weight = 1;
    admm->combined = combined / ADMM_RESTART;
  }
  swap(&admm->r, &admm->r_new);
  swap(&admm->z, &admm->z_new);
}

/* Another penalty where the residuals are out of balance. r is the multiplier itself, so that nothing is rescaled. */
static AspError adapt(Admm *admm, int *interval, bool *regular) {
  double size_r = DBL_MIN, size_z = DBL_MIN;
  for (int j = 0; j < admm->prepared->rows; j++) {
    size_r += admm->r[j] * admm->r[j];
    size_z += admm->z[j] * admm->z[j];
  }
  double primal = admm->primal / sqrt(fmax(size_z, ADMM_SIZE_LEAST * size_r)), dual = admm->dual / sqrt(size_r);
  double ratio = sqrt(primal / dual);
  *regular = true;
  if (!(ratio > ADMM_IMBALANCE || ratio < 1.0 / ADMM_IMBALANCE) || admm->factorisations >= ADMM_MAX_FACTORISATIONS ||
      !isfinite(ratio))
    return ASP_OK;
  admm->rho *= fmin(ADMM_LARGEST_CHANGE, fmax(1.0 / ADMM_LARGEST_CHANGE, ratio));
  admm->weight = 1;
  admm->combined = HUGE_VAL;
  *interval += *interval / 2;
  return factor(admm, regular);
}

/* Start from r (scaled rows): y that belongs to it, z = u + s n. */
static AspError start(Admm *admm, const double *r, bool *regular) {
  const AspPrepared *p = admm->prepared;
  size_t rows = (size_t)p->rows;
  asp_prepared_scale_velocity(p, p->q, admm->u); // the shift of the free motion
  memcpy(admm->r, r, rows * sizeof *r);
  memcpy(admm->r_hat, r, rows * sizeof *r);
  return factor(admm, regular);
}

static AspError iterate(Admm *admm, SolverRun *run, AspStatus *status) {
  AspPrepared *p = admm->prepared;
  int limit = run->settings.max_iterations > 0 ? run->settings.max_iterations : ADMM_MAX_ITERATIONS;
  int interval = ADMM_FIRST_INTERVAL, next_look = ADMM_FIRST_INTERVAL;
  *status = ASP_STATUS_ITERATION_LIMIT;
  while (admm->iterations < limit) {
    bool regular = true;
    ASP_TRY(solve_y(admm));
    for (int i = 0; i < p->blocks; i++)
      project_block(admm, &p->block[i]);
    extrapolate(admm);
    admm->iterations++;
    asp_run_spend(run, 1);
    if (!isfinite(admm->primal + admm->dual)) {
      *status = ASP_STATUS_NOT_FINITE;
      return ASP_OK;
    }
    if (admm->iterations % ADMM_JUDGE_INTERVAL == 0 || admm->iterations == limit) {
      AspResidual residual;
      ASP_TRY(asp_run_offer_scaled(run, admm->r, &residual, NULL));
      asp_run_progress(run, "admm", admm->iterations, asp_run_measure(run, &residual));
      if (asp_verdict_is_met(&run->asked, &residual))
        return ASP_OK;
      if (asp_run_is_late(run)) {
        *status = ASP_STATUS_TIME_LIMIT;
        return ASP_OK;
      }
    }
    if (admm->iterations >= next_look) {
      ASP_TRY(adapt(admm, &interval, &regular));
      next_look = admm->iterations + interval;
    }
    if (!regular) {
      *status = ASP_STATUS_STALLED;
      return ASP_OK;
    }
  }
  return ASP_OK;
}

AspError asp_admm_solve(SolverRun *run, const double *from) {
  AspPrepared *p = run->prepared;
  AspStatus status = ASP_STATUS_SOLVED;
  bool solved, regular;
  ASP_TRY(asp_run_begin(run, &run->space->scratch, from, &solved));
  if (!solved) {
    Admm admm;
    ASP_TRY(take(&admm, run));
    double *scaled = ASP_TAKE(&run->space->scratch, double, p->rows);
    if (!scaled)
      return ASP_ERROR_MEMORY;
    if (from)
      asp_prepared_to_scaled(p, from, scaled);
    ASP_TRY(start(&admm, scaled, &regular));
    status = ASP_STATUS_STALLED;
    if (regular)
      ASP_TRY(iterate(&admm, run, &status));
    run->iterations = admm.iterations;
    run->factorisations = admm.factorisations;
  }
  asp_run_conclude(run, status);
  return ASP_OK;
}

const SolverMethod asp_method_admm = {.solve = asp_admm_solve, .exact_cones = true, .balls = true, .scaled_form = true};
