/* Linear complementarity problems and the judges of their solutions.
 *
 *   LCP:    0 <= z _|_ w = M z + q >= 0
 *   mixed:  w_i = 0, z_i free for i < free;  0 <= z_i _|_ w_i >= 0 for the others
 *
 * Residual: max_i |min(z_i / ||z||, w_i / s_i)|, for free rows |w_i| / s_i, with ||.|| the largest entry and
 *
 *   s_i = max(|q_i|, sum_j |M_ij z_j|, LCP_NOISE ||M_i|| ||z||)
 *
 * the size of the row's own terms. z and every row of w have a scale of their own, so that large data do not hide a z
 * that should be zero and a row in small units is judged like the others. The last term is for degenerate rows whose
 * terms are all rounding (q_i = 0, z_j = 1e-17). Anything that is not finite gives infinity. Natural map: Cottle, Pang,
 * Stone, The Linear Complementarity Problem, section 1.5.
 */
#include "asperity/problem.h"
#include "base/base.h"
#include "problem/tuning/problem.h"

#include <math.h>

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
  if (!lcp)
    return;
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
  if (!lcp)
    return;
  asp_release(context, lcp->M);
  asp_release(context, lcp->q);
  memset(lcp, 0, sizeof *lcp);
}

/* Largest |z_i|, of all variables and of the complementary ones. */
typedef struct Norms {
  double all, complementary;
} Norms;

/* Largest relative violation over the rows first .. first + count - 1; infinity when something is not finite. */
static double worst_of_rows(const AspMixedLcp *lcp, const double *z, Norms norms, int first, int count) {
  double w[LCP_ROWS_AT_ONCE], terms[LCP_ROWS_AT_ONCE], largest[LCP_ROWS_AT_ONCE];
  for (int i = 0; i < count; i++) {
    w[i] = lcp->q[first + i];
    terms[i] = largest[i] = 0;
  }
  for (int j = 0; j < lcp->n; j++) {
    const double *column = lcp->M + (size_t)j * (size_t)lcp->n + first;
    double zj = z[j];
    for (int i = 0; i < count; i++) {
      double size = fabs(column[i]);
      w[i] += column[i] * zj;
      terms[i] += size * fabs(zj);
      largest[i] = size > largest[i] ? size : largest[i];
    }
  }
  double worst = 0;
  for (int i = 0; i < count; i++) {
    int row = first + i;
    if (!isfinite(w[i]) || !isfinite(terms[i]))
      return INFINITY;
    double scale = fmax(fmax(fabs(lcp->q[row]), terms[i]), LCP_NOISE * largest[i] * norms.all);
    // a scale is zero only together with what it divides
    double w_relative = w[i] != 0 ? w[i] / scale : 0, z_relative = z[row] != 0 ? z[row] / norms.complementary : 0;
    worst = fmax(worst, fabs(row < lcp->free ? w_relative : fmin(z_relative, w_relative)));
  }
  return worst;
}

double asp_mixed_lcp_residual(const AspMixedLcp *lcp, const double *z) {
  double worst = 0;
  Norms norms = {0};
  for (int i = 0; i < lcp->n; i++) {
    if (!isfinite(lcp->q[i]) || !isfinite(z[i]))
      return INFINITY;
    norms.all = fmax(norms.all, fabs(z[i]));
    if (i >= lcp->free)
      norms.complementary = fmax(norms.complementary, fabs(z[i]));
  }
  for (int first = 0; first < lcp->n; first += LCP_ROWS_AT_ONCE) {
    int count = lcp->n - first < LCP_ROWS_AT_ONCE ? lcp->n - first : LCP_ROWS_AT_ONCE;
    worst = fmax(worst, worst_of_rows(lcp, z, norms, first, count));
  }
  return worst;
}

double asp_lcp_residual(const AspLcp *lcp, const double *z) {
  AspMixedLcp mixed = {.n = lcp->n, .free = 0, .M = lcp->M, .q = lcp->q};
  return asp_mixed_lcp_residual(&mixed, z);
}
