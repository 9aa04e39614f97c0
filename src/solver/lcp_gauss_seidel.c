/* Projected Gauss-Seidel with relaxation (PSOR) for 0 <= z _|_ w = M z + q >= 0, M with a positive diagonal:
 *
 *   z_i <- max(0, z_i - relaxation w_i / M_ii),   i = 1 .. n in turn, w kept up to date
 *
 * Converges for symmetric positive definite M and relaxation in (0, 2) (Cottle, Pang, Stone, theorem 5.3.15). Stops on
 * asp_lcp_residual, which also recomputes what is returned.
 */
#include "solver/kernels.h"
#include "solver/lcp.h"
#include "solver/tuning/pgs.h"

#include <math.h>

static AspError check_diagonal(AspContext *context, const AspLcp *lcp) {
  for (int i = 0; i < lcp->n; i++) {
    double diagonal = lcp->M[(size_t)i * (size_t)lcp->n + (size_t)i];
    if (diagonal <= 0)
      return asp_fail(context, ASP_ERROR_INPUT, "projected Gauss-Seidel: M[%d][%d] = %g is not > 0", i, i, diagonal);
  }
  return ASP_OK;
}

static void start_velocities(const AspLcp *lcp, const double *z, double *w) {
  memcpy(w, lcp->q, (size_t)lcp->n * sizeof *w);
  for (int j = 0; j < lcp->n; j++)
    if (z[j] != 0)
      asp_kernel_axpy(lcp->n, z[j], lcp->M + (size_t)j * (size_t)lcp->n, w);
}

static void sweep(const AspLcp *lcp, double relaxation, double *z, double *w) {
  size_t n = (size_t)lcp->n;
  for (size_t i = 0; i < n; i++) {
    double old = z[i], next = fmax(0, old - relaxation * w[i] / lcp->M[i * n + i]);
    z[i] = next;
    if (next != old)
      asp_kernel_axpy(lcp->n, next - old, lcp->M + i * n, w);
  }
}

static AspStatus iterate(const AspLcp *lcp, const AspLcpOptions *options, double *z, double *w, AspLcpInfo *info) {
  int limit = options->max_iterations ? options->max_iterations
                                      : LCP_GAUSS_SEIDEL_DEFAULT_SWEEPS + LCP_GAUSS_SEIDEL_SWEEPS_PER_ENTRY * lcp->n;
  start_velocities(lcp, z, w);
  while (info->residual > options->tolerance && info->iterations < limit) {
    sweep(lcp, options->relaxation, z, w);
    info->iterations++;
    if (info->iterations % LCP_GAUSS_SEIDEL_CHECK_INTERVAL == 0 || info->iterations == limit) {
      info->residual = asp_lcp_residual(lcp, z);
      if (!isfinite(info->residual))
        return ASP_STATUS_NOT_FINITE;
      start_velocities(lcp, z, w); // w without the rounding of the updates
    }
  }
  return info->residual <= options->tolerance ? ASP_STATUS_SOLVED : ASP_STATUS_ITERATION_LIMIT;
}

AspError asp_lcp_gauss_seidel(AspContext *context, const AspLcp *lcp, const AspLcpOptions *options, double *z,
                              AspLcpInfo *info) {
  AspLcpOptions chosen = options ? *options : asp_lcp_default_options();
  memset(info, 0, sizeof *info);
  ASP_TRY(asp_lcp_check_options(context, &chosen));
  ASP_TRY(check_diagonal(context, lcp));
  for (int i = 0; i < lcp->n; i++)
    z[i] = z[i] > 0 ? z[i] : 0;
  info->residual = asp_lcp_residual(lcp, z);
  if (!isfinite(info->residual)) {
    info->status = ASP_STATUS_NOT_FINITE;
    return ASP_OK;
  }
  double *w = asp_allocate(context, (size_t)lcp->n, sizeof *w);
  if (!w)
    return ASP_ERROR_MEMORY;
  info->status = iterate(lcp, &chosen, z, w, info);
  asp_release(context, w);
  return ASP_OK;
}
