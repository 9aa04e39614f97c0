/* Linear complementarity problems and the judges of their solutions.
 *
 *   LCP:    0 <= z _|_ w = M z + q >= 0
 *   mixed:  w_i = 0, z_i free for i < free;  0 <= z_i _|_ w_i >= 0 for the others
 *
 * Residual: max_i |min(z_i / ||z||_inf, w_i / s_i)|, for free rows |w_i| / s_i, with s_i = max(||q||_inf,
 * sum_j |M_ij z_j|). Both parts have their own scale, so that stiff data (large w) do not hide a z that should be zero,
 * and small units do not pass for small errors. Anything that is not finite gives infinity. Natural map: Cottle, Pang,
 * Stone, The Linear Complementarity Problem, section 1.5.
 */
#include "asperity/problem.h"
#include "base/base.h"

#include <math.h>

#define ROWS_AT_ONCE 64 /* rows whose sums are kept on the stack while the columns stream by */

static AspError create_arrays(AspContext *context, int n, double **M, double **q) {
  if (n < 0)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "LCP: n = %d is not >= 0", n);
  *M = asp_allocate(context, (size_t)n * (size_t)n, sizeof **M);
  *q = *M ? asp_allocate(context, (size_t)n, sizeof **q) : NULL;
  if (*q)
    return ASP_OK;
  asp_release(context, *M);
  *M = NULL;
  return ASP_ERROR_MEMORY;
}

AspError asp_lcp_create(AspContext *context, int n, AspLcp *lcp) {
  memset(lcp, 0, sizeof *lcp);
  ASP_TRY(create_arrays(context, n, &lcp->M, &lcp->q));
  lcp->n = n;
  return ASP_OK;
}

void asp_lcp_destroy(AspContext *context, AspLcp *lcp) {
  asp_release(context, lcp->M);
  asp_release(context, lcp->q);
  memset(lcp, 0, sizeof *lcp);
}

AspError asp_mixed_lcp_create(AspContext *context, int n, int free, AspMixedLcp *lcp) {
  memset(lcp, 0, sizeof *lcp);
  if (free < 0 || free > n)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "mixed LCP: %d free variables, expected 0 to n = %d", free, n);
  ASP_TRY(create_arrays(context, n, &lcp->M, &lcp->q));
  lcp->n = n;
  lcp->free = free;
  return ASP_OK;
}

void asp_mixed_lcp_destroy(AspContext *context, AspMixedLcp *lcp) {
  asp_release(context, lcp->M);
  asp_release(context, lcp->q);
  memset(lcp, 0, sizeof *lcp);
}

/* Largest relative violation over the rows first .. first + count - 1; infinity when something is not finite. */
static double worst_of_rows(const AspMixedLcp *lcp, const double *z, double norm_q, double norm_z, int first,
                            int count) {
  double w[ROWS_AT_ONCE], scale[ROWS_AT_ONCE];
  for (int i = 0; i < count; i++) {
    w[i] = 0;
    scale[i] = 0;
  }
  for (int j = 0; j < lcp->n; j++) {
    const double *column = lcp->M + (size_t)j * (size_t)lcp->n + first;
    for (int i = 0; i < count; i++) {
      double term = column[i] * z[j];
      w[i] += term;
      scale[i] += fabs(term);
    }
  }
  double worst = 0;
  for (int i = 0; i < count; i++) {
    int row = first + i;
    w[i] += lcp->q[row];
    if (!isfinite(w[i]) || !isfinite(scale[i]))
      return INFINITY;
    // a scale is zero only together with what it divides
    double w_relative = w[i] != 0 ? w[i] / fmax(norm_q, scale[i]) : 0;
    double z_relative = z[row] != 0 ? z[row] / norm_z : 0;
    worst = fmax(worst, fabs(row < lcp->free ? w_relative : fmin(z_relative, w_relative)));
  }
  return worst;
}

double asp_mixed_lcp_residual(const AspMixedLcp *lcp, const double *z) {
  double norm_q = 0, norm_z = 0, worst = 0;
  for (int i = 0; i < lcp->n; i++) {
    if (!isfinite(lcp->q[i]) || !isfinite(z[i]))
      return INFINITY;
    norm_q = fmax(norm_q, fabs(lcp->q[i]));
    if (i >= lcp->free)
      norm_z = fmax(norm_z, fabs(z[i]));
  }
  for (int first = 0; first < lcp->n; first += ROWS_AT_ONCE) {
    int count = lcp->n - first < ROWS_AT_ONCE ? lcp->n - first : ROWS_AT_ONCE;
    worst = fmax(worst, worst_of_rows(lcp, z, norm_q, norm_z, first, count));
  }
  return worst;
}

double asp_lcp_residual(const AspLcp *lcp, const double *z) {
  AspMixedLcp mixed = {.n = lcp->n, .free = 0, .M = lcp->M, .q = lcp->q};
  return asp_mixed_lcp_residual(&mixed, z);
}
