/* One predictor-corrector step of the interior point. Symbols as in ipm.h; with u^(z) = z - s(z) n and
 * G = [1 theta t^T; 0 1], t = z_T/||z_T||, the linearisation is
 *
 *   rp = V^T y + w + eps r - u^(z),     dz = G (V^T dy + eps dr + rp),     dr + Theta dz = e
 *   =>  dr = C e - D (V^T dy + rp),     C = (1 + eps Theta G)^-1,  D = C Theta G
 *   g  = A y - F r - f,                 (A + F D V^T) dy = -g + F (C e - D rp)
 *
 * EQUALITY rows: D = 1/IPM_STEP_EQUALITY_SOFTNESS, rp = u (a proximal step: exact in the limit, indifferent to
 * redundancy). BOX rows: |r| <= limit with multipliers, u = low - high; D = 1/(high/(limit - r) + low/(limit + r) +
 * eps).
 */
#include "solver/ipm.h"
#include "solver/tuning/ipm.h"

#include <float.h>

AspError asp_ipm_take(AspIpm *ipm, SolverRun *run) {
  AspPrepared *prepared = run->prepared;
  AspArena *arena = &run->space->scratch;
  AspSystem *system = prepared->system;
  *ipm = (AspIpm){.prepared = prepared,
                  .system = system,
                  .form = asp_system_form(system),
                  .theta = IPM_STEP_LARGEST_THETA,
                  .largest_theta = IPM_STEP_LARGEST_THETA};
  int rows = prepared->rows, blocks = prepared->blocks, n = ipm->form->n;
  double **by_row[] = {&ipm->r, &ipm->z, &ipm->u, &ipm->rp, &ipm->dr, &ipm->dz, &ipm->du, &ipm->e};
  double **by_y[] = {&ipm->y, &ipm->g, &ipm->rhs, &ipm->dy};
  double **by_block[] = {&ipm->low, &ipm->high, &ipm->dlow, &ipm->dhigh};
  for (size_t k = 0; k < sizeof by_row / sizeof *by_row; k++)
    if (!(*by_row[k] = ASP_TAKE(arena, double, rows)))
      return ASP_ERROR_MEMORY;
  for (size_t k = 0; k < sizeof by_y / sizeof *by_y; k++)
    if (!(*by_y[k] = ASP_TAKE(arena, double, n)))
      return ASP_ERROR_MEMORY;
  for (size_t k = 0; k < sizeof by_block / sizeof *by_block; k++)
    if (!(*by_block[k] = ASP_TAKE(arena, double, blocks)))
      return ASP_ERROR_MEMORY;
  ipm->D = ASP_TAKE(arena, double, 9 * (size_t)blocks);
  ipm->C = ASP_TAKE(arena, double, 9 * (size_t)blocks);
  ipm->scaling = ASP_TAKE(arena, SocScaling, blocks);
  return ipm->D && ipm->C && ipm->scaling ? ASP_OK : ASP_ERROR_MEMORY;
}

static bool is_cone(const AspPreparedBlock *block) {
  return block->kind == ASP_LAW_COULOMB || block->kind == ASP_LAW_UNILATERAL;
}

static bool is_open_box(const AspPreparedBlock *block) { return block->kind == ASP_LAW_BOX && block->limit > 0; }

/* mu = mean of r.z over the cones and of the products of BOX */
static void measure_mu(AspIpm *ipm) {
  const AspPrepared *p = ipm->prepared;
  double sum = 0;
  ipm->cones = 0;
  for (int i = 0; i < p->blocks; i++) {
    const AspPreparedBlock *block = &p->block[i];
    const double *r = ipm->r + block->first;
    if (is_cone(block)) {
      sum += soc_dot(block->size, r, ipm->z + block->first);
      ipm->cones++;
    } else if (is_open_box(block)) {
      sum += ipm->low[i] * (block->limit + r[0]) + ipm->high[i] * (block->limit - r[0]);
      ipm->cones += 2;
    }
  }
  ipm->mu = ipm->cones > 0 ? sum / ipm->cones : 0;
}

void asp_ipm_cold_start(AspIpm *ipm) {
  const AspPrepared *p = ipm->prepared;
  memset(ipm->r, 0, (size_t)p->rows * sizeof *ipm->r);
  memset(ipm->z, 0, (size_t)p->rows * sizeof *ipm->z);
  memset(ipm->y, 0, (size_t)ipm->form->n * sizeof *ipm->y);
  for (int i = 0; i < p->blocks; i++) {
    if (is_cone(&p->block[i]))
      ipm->r[p->block[i].first] = ipm->z[p->block[i].first] = 1;
    ipm->low[i] = ipm->high[i] = 1;
  }
  measure_mu(ipm);
}

/* Move x inside the cone so that its smallest eigenvalue is at least `distance`. */
static void push_inside(int size, double distance, double *x) {
  double smallest = soc_smallest(size, x);
  if (!(smallest >= distance))
    x[0] = soc_tangential(size, x) + distance;
}

AspError asp_ipm_warm_start(AspIpm *ipm, const double *r, double distance) {
  const AspPrepared *p = ipm->prepared;
  size_t n = (size_t)ipm->form->n, rows = (size_t)p->rows;
  // y that belongs to r: A y = F r + f
  bool regular;
  memset(ipm->D, 0, 9 * (size_t)p->blocks * sizeof *ipm->D);
  ASP_TRY(asp_system_factor(ipm->system, ipm->D, &regular));
  memset(ipm->dy, 0, n * sizeof *ipm->dy);
  asp_form_imbalance(ipm->form, ipm->dy, r, ipm->g);
  for (size_t j = 0; j < n; j++)
    ipm->g[j] = -ipm->g[j];
  ASP_TRY(asp_system_solve(ipm->system, ipm->g, ipm->y));
  asp_form_velocity(ipm->form, ipm->y, ipm->u);
  if (rows > 0)
    memcpy(ipm->r, r, rows * sizeof *r);
  for (int i = 0; i < p->blocks; i++) {
    const AspPreparedBlock *block = &p->block[i];
    double *z = ipm->z + block->first, *r_i = ipm->r + block->first;
    const double *u = ipm->u + block->first;
    if (is_cone(block)) {
      for (int k = 0; k < block->size; k++)
        z[k] = u[k];
      z[0] += ipm->s ? ipm->s[i] : asp_block_shift(block, u);
      push_inside(block->size, distance, z);
      push_inside(block->size, distance, r_i);
    } else if (is_open_box(block)) {
      double margin = fmin(distance, 0.5 * block->limit);
      r_i[0] = fmax(-block->limit + margin, fmin(block->limit - margin, r_i[0]));
      ipm->low[i] = fmax(u[0], 0) + distance;
      ipm->high[i] = fmax(-u[0], 0) + distance;
    } else if (block->kind == ASP_LAW_BOX)
      r_i[0] = 0;
  }
  measure_mu(ipm);
  return ASP_OK;
}

/* B := A^-1 B for size x size matrices with leading dimension 3 and `columns` columns; partial pivoting. */
static bool solve_small(int size, const double *A, int columns, double *B) {
  double a[9];
  memcpy(a, A, sizeof a);
  for (int j = 0; j < size; j++) {
    int best = j;
    for (int i = j + 1; i < size; i++)
      if (fabs(a[i + 3 * j]) > fabs(a[best + 3 * j]))
        best = i;
    if (!(fabs(a[best + 3 * j]) > 0) || !isfinite(a[best + 3 * j]))
      return false;
    for (int k = j; k < size && best != j; k++) {
      double t = a[j + 3 * k];
      a[j + 3 * k] = a[best + 3 * k];
      a[best + 3 * k] = t;
    }
    for (int k = 0; k < columns && best != j; k++) {
      double t = B[j + 3 * k];
      B[j + 3 * k] = B[best + 3 * k];
      B[best + 3 * k] = t;
    }
    for (int i = j + 1; i < size; i++) {
      double l = a[i + 3 * j] / a[j + 3 * j];
      for (int k = j + 1; k < size; k++)
        a[i + 3 * k] -= l * a[j + 3 * k];
      for (int k = 0; k < columns; k++)
        B[i + 3 * k] -= l * B[j + 3 * k];
    }
  }
  for (int k = 0; k < columns; k++)
    for (int i = size - 1; i >= 0; i--) {
      for (int l = i + 1; l < size; l++)
        B[i + 3 * k] -= a[i + 3 * l] * B[l + 3 * k];
      B[i + 3 * k] /= a[i + 3 * i];
    }
  return true;
}

/* theta t, the tangential part of the first row of G */
static void shift_row(const AspIpm *ipm, const AspPreparedBlock *block, const double *z, double *row) {
  double t = asp_block_shift(block, z);
  for (int k = 1; k < block->size; k++)
    row[k] = ipm->s || !(t > 0) ? 0 : ipm->theta * z[k] / t;
}

/* x := G x */
static void apply_G(const AspIpm *ipm, const AspPreparedBlock *block, const double *z, double *x) {
  double row[3];
  shift_row(ipm, block, z, row);
  for (int k = 1; k < block->size; k++)
    x[0] += row[k] * x[k];
}

/* Scaling, C and D of a cone. */
static bool scale_cone(AspIpm *ipm, int i) {
  const AspPreparedBlock *block = &ipm->prepared->block[i];
  int size = block->size;
  SocScaling *scaling = &ipm->scaling[i];
  const double *z = ipm->z + block->first;
  if (!soc_scale(size, ipm->r + block->first, z, scaling))
    return false;
  double smallest = soc_smallest(size, scaling->lambda), row[3];
  ipm->centring = fmin(ipm->centring, smallest * smallest / ipm->mu);
  // D = C Theta G, the last factor column by column
  double *D = ipm->D + 9 * i, *C = ipm->C + 9 * i, A[9] = {0};
  soc_theta(scaling, size, D);
  shift_row(ipm, block, z, row);
  for (int l = 1; l < size; l++)
    for (int k = 0; k < size; k++)
      D[k + 3 * l] += row[l] * D[k];
  for (int l = 0; l < size; l++)
    for (int k = 0; k < size; k++) {
      A[k + 3 * l] = ipm->eps * D[k + 3 * l] + (k == l);
      C[k + 3 * l] = k == l;
    }
  return solve_small(size, A, size, C) && solve_small(size, A, size, D);
}

/* Everything that depends on the iterate alone: residuals, scalings, D. */
static bool linearise(AspIpm *ipm) {
  const AspPrepared *p = ipm->prepared;
  ipm->centring = 1;
  asp_form_velocity(ipm->form, ipm->y, ipm->u);
  asp_form_imbalance(ipm->form, ipm->y, ipm->r, ipm->g);
  for (int i = 0; i < p->blocks; i++) {
    const AspPreparedBlock *block = &p->block[i];
    int first = block->first, size = block->size;
    double *rp = ipm->rp + first, *D = ipm->D + 9 * i;
    const double *u = ipm->u + first, *r = ipm->r + first, *z = ipm->z + first;
    if (is_cone(block)) {
      for (int k = 0; k < size; k++)
        rp[k] = u[k] + ipm->eps * r[k] - z[k];
      if (size > 1)
        rp[0] += ipm->s ? ipm->s[i] : asp_block_shift(block, z);
      if (!scale_cone(ipm, i))
        return false;
    } else if (block->kind == ASP_LAW_EQUALITY) {
      rp[0] = u[0];
      D[0] = 1 / IPM_STEP_EQUALITY_SOFTNESS;
    } else if (is_open_box(block)) {
      double above = block->limit - r[0], below = block->limit + r[0];
      rp[0] = u[0] + ipm->eps * r[0] - (ipm->low[i] - ipm->high[i]);
      D[0] = 1 / (ipm->high[i] / above + ipm->low[i] / below + ipm->eps);
      double worst = fmin(ipm->high[i] * above, ipm->low[i] * below);
      ipm->centring = fmin(ipm->centring, worst / ipm->mu);
      if (!(above > 0) || !(below > 0) || !isfinite(D[0]))
        return false;
    } else
      rp[0] = D[0] = 0;
  }
  return true;
}

/* e of a cone: W (lambda \ (target e - lambda o lambda - (W^-1 dr) o (W dz))), C e in place */
static void cone_target(AspIpm *ipm, int i, double target, bool corrector) {
  const AspPreparedBlock *block = &ipm->prepared->block[i];
  const SocScaling *scaling = &ipm->scaling[i];
  int size = block->size, first = block->first;
  double right[3] = {0}, a[3] = {0}, b[3] = {0};
  for (int k = 0; k < size; k++)
    right[k] = scaling->lambda[k];
  soc_product(size, scaling->lambda, right);
  for (int k = 0; k < size; k++)
    right[k] = (k == 0 ? target : 0) - right[k];
  if (corrector) {
    soc_apply(scaling, size, true, ipm->dr + first, a);
    soc_apply(scaling, size, false, ipm->dz + first, b);
    soc_product(size, a, b);
    for (int k = 0; k < size; k++)
      right[k] -= b[k];
  }
  soc_divide(size, scaling->lambda, right);
  soc_apply(scaling, size, false, right, a);
  for (int k = 0; k < size; k++) {
    ipm->e[first + k] = 0;
    for (int l = 0; l < size; l++)
      ipm->e[first + k] += ipm->C[9 * i + k + 3 * l] * a[l];
  }
}

/* Right-hand sides of the complementarity equations of a BOX: high_i += c_high + ..., low_i += c_low + ... */
static void box_target(const AspIpm *ipm, int i, double target, bool corrector, double *c_high, double *c_low) {
  const AspPreparedBlock *block = &ipm->prepared->block[i];
  double r = ipm->r[block->first], dr = corrector ? ipm->dr[block->first] : 0;
  double above = block->limit - r, below = block->limit + r;
  *c_high = (target + (corrector ? dr * ipm->dhigh[i] : 0)) / above - ipm->high[i];
  *c_low = (target - (corrector ? dr * ipm->dlow[i] : 0)) / below - ipm->low[i];
}

/* Direction (dy, dr, dz, dlow, dhigh) towards mu = target; the corrector uses the direction that is there. */
static AspError find_direction(AspIpm *ipm, double target, bool corrector) {
  const AspPrepared *p = ipm->prepared;
  double c_high = 0, c_low = 0;
  for (int i = 0; i < p->blocks; i++) {
    const AspPreparedBlock *block = &p->block[i];
    if (is_cone(block))
      cone_target(ipm, i, target, corrector);
    else if (is_open_box(block)) {
      box_target(ipm, i, target, corrector, &c_high, &c_low);
      ipm->e[block->first] = ipm->D[9 * i] * (c_low - c_high);
    } else
      ipm->e[block->first] = 0;
    for (int k = 0; k < block->size; k++) {
      double known = ipm->e[block->first + k];
      for (int l = 0; l < block->size; l++)
        known -= ipm->D[9 * i + k + 3 * l] * ipm->rp[block->first + l];
      ipm->du[block->first + k] = known;
    }
  }
  for (int j = 0; j < ipm->form->n; j++)
    ipm->rhs[j] = -ipm->g[j];
  asp_sparse_multiply_add(&ipm->form->F, 1, ipm->du, ipm->rhs);
  ASP_TRY(asp_system_solve(ipm->system, ipm->rhs, ipm->dy));
  asp_form_velocity_change(ipm->form, ipm->dy, ipm->du);
  for (int i = 0; i < p->blocks; i++) {
    const AspPreparedBlock *block = &p->block[i];
    int first = block->first, size = block->size;
    if (is_open_box(block)) // before dr is replaced
      box_target(ipm, i, target, corrector, &c_high, &c_low);
    for (int k = 0; k < size; k++) {
      ipm->dr[first + k] = ipm->e[first + k];
      for (int l = 0; l < size; l++)
        ipm->dr[first + k] -= ipm->D[9 * i + k + 3 * l] * (ipm->du[first + l] + ipm->rp[first + l]);
    }
    for (int k = 0; k < size; k++)
      ipm->dz[first + k] = ipm->du[first + k] + ipm->rp[first + k] + ipm->eps * ipm->dr[first + k];
    apply_G(ipm, &p->block[i], ipm->z + first, ipm->dz + first);
    if (is_open_box(block)) {
      double r = ipm->r[first], dr = ipm->dr[first];
      ipm->dhigh[i] = c_high + ipm->high[i] / (block->limit - r) * dr;
      ipm->dlow[i] = c_low - ipm->low[i] / (block->limit + r) * dr;
    }
  }
  return ASP_OK;
}

/* The longest step, at most 1, that stays in the cones. */
static double longest_step(const AspIpm *ipm) {
  const AspPrepared *p = ipm->prepared;
  double step = 1 / IPM_STEP_TO_THE_BOUNDARY;
  for (int i = 0; i < p->blocks; i++) {
    const AspPreparedBlock *block = &p->block[i];
    int first = block->first;
    if (is_cone(block)) {
      step = soc_step(block->size, ipm->r + first, ipm->dr + first, step);
      step = soc_step(block->size, ipm->z + first, ipm->dz + first, step);
    } else if (is_open_box(block)) {
      double above = block->limit - ipm->r[first], below = block->limit + ipm->r[first], down = -ipm->dr[first];
      step = soc_step(1, &above, &down, step);
      step = soc_step(1, &below, ipm->dr + first, step);
      step = soc_step(1, &ipm->low[i], &ipm->dlow[i], step);
      step = soc_step(1, &ipm->high[i], &ipm->dhigh[i], step);
    }
  }
  return step;
}

/* mu after a step of length `step`, relative to mu now */
static double affine_ratio(const AspIpm *ipm, double step) {
  const AspPrepared *p = ipm->prepared;
  double sum = 0;
  for (int i = 0; i < p->blocks; i++) {
    const AspPreparedBlock *block = &p->block[i];
    int first = block->first;
    if (is_cone(block))
      for (int k = 0; k < block->size; k++)
        sum += (ipm->r[first + k] + step * ipm->dr[first + k]) * (ipm->z[first + k] + step * ipm->dz[first + k]);
    else if (is_open_box(block)) {
      double r = ipm->r[first] + step * ipm->dr[first];
      sum += (ipm->low[i] + step * ipm->dlow[i]) * (block->limit + r);
      sum += (ipm->high[i] + step * ipm->dhigh[i]) * (block->limit - r);
    }
  }
  return sum / ipm->cones / ipm->mu;
}

/* Centring: more when the iterate is off centre or the last step was short (docs/theory/interior-point.md). */
static double choose_sigma(const AspIpm *ipm, double affine_step, double last_step) {
  if (ipm->centring < IPM_STEP_SHORT || last_step < IPM_STEP_SHORT)
    return 1;
  if (ipm->centring < IPM_STEP_MEDIUM || last_step < 0.5)
    return 0.5;
  double ratio = fmax(0, affine_ratio(ipm, affine_step)), left = 1 - affine_step;
  return fmin(1, fmax(ratio * ratio * ratio, fmax(left * left * left, IPM_STEP_CENTRING_LEAST)));
}

static void advance(AspIpm *ipm, double step) {
  const AspPrepared *p = ipm->prepared;
  for (int j = 0; j < ipm->form->n; j++)
    ipm->y[j] += step * ipm->dy[j];
  for (int j = 0; j < p->rows; j++) {
    ipm->r[j] += step * ipm->dr[j];
    ipm->z[j] += step * ipm->dz[j];
  }
  for (int i = 0; i < p->blocks; i++) {
    if (!is_open_box(&p->block[i]))
      continue;
    ipm->low[i] += step * ipm->dlow[i];
    ipm->high[i] += step * ipm->dhigh[i];
  }
}

/* Short steps: the derivative of s has led away from the path; take less of it, and more again when steps are long. */
static void adapt_theta(AspIpm *ipm, double last_step) {
  if (last_step < IPM_STEP_SHORT)
    ipm->theta = fmax(0, ipm->theta - IPM_STEP_THETA_LESS);
  else if (last_step > IPM_STEP_MEDIUM)
    ipm->theta = fmin(ipm->largest_theta, ipm->theta + IPM_STEP_THETA_MORE);
}

AspError asp_ipm_step(AspIpm *ipm, double *last_step, bool *regular) {
  ipm->eps = IPM_STEP_REGULARISATION * ipm->mu;
  adapt_theta(ipm, *last_step);
  *regular = linearise(ipm);
  if (!*regular)
    return ASP_OK;
  ASP_TRY(asp_system_factor(ipm->system, ipm->D, regular));
  ipm->factorisations++;
  if (!*regular)
    return ASP_OK;
  ASP_TRY(find_direction(ipm, 0, false));
  double affine_step = ipm->cones > 0 ? fmin(1, longest_step(ipm)) : 1, step = 1;
  if (ipm->cones > 0) {
    double sigma = choose_sigma(ipm, affine_step, *last_step);
    ASP_TRY(find_direction(ipm, sigma * ipm->mu, true));
    step = fmin(1, IPM_STEP_TO_THE_BOUNDARY * longest_step(ipm));
  }
  for (int j = 0; j < ipm->form->n && *regular; j++)
    *regular = isfinite(ipm->dy[j]);
  if (!*regular || !isfinite(step))
    return ASP_OK;
  advance(ipm, step);
  measure_mu(ipm);
  *last_step = step;
  return ASP_OK;
}
