/* The program of `aclm` for a fixed shift s, its solution map G and the derivative of G.
 *
 *   min 1/2 y'Ay - f'y  over  V^T y + w + s n in K*     (symmetric A, F = V), G_i(s) = ||u_Ti||
 *
 * Derivative: at the solution r = P(r - rho z), z = u + s n, for every rho > 0. With D = rho P'(r - rho z),
 *
 *   dr = -D (V^T dy + ds n),   A dy = F dr   =>   (A + F D V^T) dy = -F D n ds,   dG_i = t_i . du_Ti
 *
 * which for rho -> infinity is the system of Acary, Cadoux, Lemarechal, Malick (2008): no row where a contact opens,
 * the rows H_i^T dv = -ds n where it sticks, and where it slips n_i = (1, -t) with the curvature
 * r_N/||u_T|| (1 - t t^T). A finite rho is its regularisation, which stays regular on hyperstatic clusters.
 * Newton on G(s) - s: with ds = G - s + t.du_T eliminated the matrix becomes
 *
 *   A + F D G_1 V^T,   G_1 = [1 t^T; 0 1]
 *
 * so that a step takes one solve and no matrix dG/ds.
 */
#include "solver/aclm.h"
#include "solver/tuning/aclm.h"

AspError asp_aclm_take(AspAclm *aclm, SolverRun *run) {
  AspPrepared *prepared = run->prepared;
  AspArena *arena = &run->space->scratch;
  *aclm = (AspAclm){.run = run, .prepared = prepared, .infeasibility = 1};
  ASP_TRY(asp_ipm_take(&aclm->ipm, run));
  ASP_TRY(asp_newton_take(&aclm->newton, run));
  aclm->newton.quiet = true;
  size_t blocks = (size_t)prepared->blocks;
  double **by_block[] = {&aclm->s, &aclm->G, &aclm->s_trial, &aclm->s_solved, &aclm->ds};
  for (size_t k = 0; k < sizeof by_block / sizeof *by_block; k++)
    if (!(*by_block[k] = ASP_TAKE(arena, double, blocks)))
      return ASP_ERROR_MEMORY;
  aclm->y = ASP_TAKE(arena, double, aclm->newton.form->n);
  aclm->r = ASP_TAKE(arena, double, prepared->rows);
  aclm->t = ASP_TAKE(arena, double, 2 * blocks);
  return aclm->y && aclm->r && aclm->t ? ASP_OK : ASP_ERROR_MEMORY;
}

static void copy(double *to, const double *from, int count) {
  if (count > 0)
    memcpy(to, from, (size_t)count * sizeof *to);
}

/* Interior point, from nothing or from where the rough start left it, as far as it goes. */
static AspError start_interior(AspAclm *aclm) {
  AspIpm *ipm = &aclm->ipm;
  double last_step = 1;
  bool regular = true;
  ipm->s = aclm->s;
  if (!aclm->interior_ready)
    asp_ipm_cold_start(ipm);
  aclm->interior_ready = false;
  for (int k = 0; k < PROGRAM_INTERIOR_STEPS && regular && ipm->mu > PROGRAM_INTERIOR_END; k++) {
    ASP_TRY(asp_ipm_step(ipm, &last_step, &regular));
    aclm->interior++;
    if (last_step < PROGRAM_STEP_LEAST)
      break;
  }
  copy(aclm->newton.y, ipm->y, ipm->form->n);
  copy(aclm->newton.centre, ipm->r, aclm->prepared->rows);
  return ASP_OK;
}

/* Proximal Newton with s fixed from what stands in newton.y and newton.centre. */
static AspError sharpen(AspAclm *aclm) {
  AspNewton *newton = &aclm->newton;
  AspStatus status;
  double sharpest = fmax(PROGRAM_TOLERANCE, PROGRAM_SHARPER * aclm->run->asked.residual);
  double tolerance =
      fmin(PROGRAM_LOOSE, fmax(sharpest, PROGRAM_OF_INFEASIBILITY * aclm->infeasibility * aclm->infeasibility));
  newton->enough = PROGRAM_ROUNDING;
  newton->s = aclm->s;
  newton->rho = PROGRAM_RHO;
  newton->largest = 0;
  ASP_TRY(asp_newton_run(newton, tolerance, PROGRAM_OUTER, &status));
  if (newton->best < HUGE_VAL) {
    copy(newton->y, newton->y_best, newton->form->n);
    copy(newton->centre, newton->centre_best, aclm->prepared->rows);
    newton->rho = newton->rho_best;
  }
  asp_newton_evaluate(newton, newton->y);
  aclm->program_error = asp_newton_residual(newton);
  return ASP_OK;
}

/* Is s near enough to the one of the last program to start from its solution? */
static bool is_neighbour(const AspAclm *aclm) {
  double sum = 0;
  for (int i = 0; i < aclm->prepared->blocks; i++)
    sum += (aclm->s[i] - aclm->s_solved[i]) * (aclm->s[i] - aclm->s_solved[i]);
  return aclm->has_program && sqrt(sum) <= PROGRAM_NEIGHBOUR * sqrt(aclm->prepared->blocks);
}

AspError asp_aclm_program(AspAclm *aclm, bool *solved) {
  const AspPrepared *p = aclm->prepared;
  AspNewton *newton = &aclm->newton;
  aclm->programs++;
  *solved = false;
  bool neighbour = is_neighbour(aclm) && !aclm->interior_ready;
  if (neighbour) {
    copy(newton->y, aclm->y, newton->form->n);
    copy(newton->centre, aclm->r, p->rows);
    ASP_TRY(sharpen(aclm));
  }
  if (!neighbour || !(aclm->program_error <= PROGRAM_LOOSE)) {
    ASP_TRY(start_interior(aclm));
    ASP_TRY(sharpen(aclm));
  }
  if (!(aclm->program_error <= PROGRAM_LOOSE))
    return ASP_OK;
  *solved = true;
  aclm->has_program = true;
  copy(aclm->y, newton->y, newton->form->n);
  copy(aclm->r, newton->r, p->rows);
  copy(aclm->s_solved, aclm->s, p->blocks);
  for (int i = 0; i < p->blocks; i++)
    aclm->G[i] =
        p->block[i].kind == ASP_LAW_COULOMB ? soc_tangential(p->block[i].size, newton->u + p->block[i].first) : 0;
  return ASP_OK;
}

/* D = rho P'(r - rho z) at the program's solution, and the directions of sliding. */
static void linearise(AspAclm *aclm) {
  const AspPrepared *p = aclm->prepared;
  AspNewton *newton = &aclm->newton;
  copy(newton->centre, aclm->r, p->rows);
  newton->s = aclm->s;
  newton->rho = PROGRAM_DERIVATIVE_RHO;
  asp_newton_evaluate(newton, aclm->y);
  for (int i = 0; i < p->blocks; i++) {
    const AspPreparedBlock *block = &p->block[i];
    const double *u = newton->u + block->first, *r = aclm->r + block->first;
    double *t = aclm->t + 2 * i, x[3] = {0}, slip = soc_tangential(block->size, u);
    t[0] = t[1] = 0;
    if (block->kind != ASP_LAW_COULOMB)
      continue;
    for (int k = 0; k < block->size; k++)
      x[k] = r[k] - newton->weight[i] * PROGRAM_DERIVATIVE_RHO * u[k];
    x[0] -= newton->weight[i] * PROGRAM_DERIVATIVE_RHO * aclm->s[i];
    bool sticks = soc_tangential(block->size, x) <= x[0];
    for (int k = 1; k < block->size && !sticks && slip > 0; k++)
      t[k - 1] = u[k] / slip;
  }
}

/* dy from (A + F D V^T) dy = -F D n change, and dG = t.du_T */
static AspError respond(AspAclm *aclm, const double *change, double *dG) {
  const AspPrepared *p = aclm->prepared;
  AspNewton *newton = &aclm->newton;
  const AspForm *form = newton->form;
  bool regular;
  ASP_TRY(asp_system_factor(newton->system, newton->D, &regular));
  newton->factorisations++;
  memset(newton->u, 0, (size_t)p->rows * sizeof *newton->u);
  for (int i = 0; i < p->blocks; i++)
    for (int k = 0; k < p->block[i].size && p->block[i].kind == ASP_LAW_COULOMB; k++)
      newton->u[p->block[i].first + k] = -newton->D[9 * i + k] * change[i];
  memset(newton->rhs, 0, (size_t)form->n * sizeof *newton->rhs);
  asp_sparse_multiply_add(&form->F, 1, newton->u, newton->rhs);
  ASP_TRY(asp_system_solve(newton->system, newton->rhs, newton->dy));
  asp_form_velocity_change(form, newton->dy, newton->u);
  for (int i = 0; i < p->blocks; i++) {
    dG[i] = 0;
    for (int k = 1; k < p->block[i].size; k++)
      dG[i] += aclm->t[2 * i + k - 1] * newton->u[p->block[i].first + k];
  }
  return ASP_OK;
}

AspError asp_aclm_derivative(AspAclm *aclm, const double *ds, double *dG) {
  linearise(aclm);
  return respond(aclm, ds, dG);
}

AspError asp_aclm_newton_step(AspAclm *aclm, double *ds) {
  const AspPrepared *p = aclm->prepared;
  linearise(aclm);
  // D := D G_1
  for (int i = 0; i < p->blocks; i++)
    for (int l = 1; l < p->block[i].size; l++)
      for (int k = 0; k < p->block[i].size; k++)
        aclm->newton.D[9 * i + k + 3 * l] += aclm->newton.D[9 * i + k] * aclm->t[2 * i + l - 1];
  for (int i = 0; i < p->blocks; i++)
    aclm->s_trial[i] = aclm->G[i] - aclm->s[i];
  ASP_TRY(respond(aclm, aclm->s_trial, ds));
  for (int i = 0; i < p->blocks; i++)
    ds[i] += aclm->s_trial[i];
  return ASP_OK;
}

double asp_aclm_infeasibility(const AspAclm *aclm, double *relative) {
  double difference = 0, size = 0, unit = aclm->prepared->unit_u;
  for (int i = 0; i < aclm->prepared->blocks; i++) {
    double d = aclm->G[i] - aclm->s[i];
    difference += d * d;
    size += aclm->s[i] * aclm->s[i];
  }
  difference = unit * sqrt(difference);
  *relative = difference / fmax(1, unit * sqrt(size));
  return difference;
}
