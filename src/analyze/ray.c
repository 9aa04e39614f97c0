/* Lemke's ray: see ray.h. */
#include "analyze/ray.h"

#include "analyze/tuning/analyze.h"
#include "asperity/solver.h"
#include "base/base.h"

#include <math.h>

static bool is_polygonal(const AspContactProblem *problem) {
  for (int b = 0; b < problem->blocks; b++) {
    const AspLaw *law = &problem->law[b];
    int rows = problem->offset[b + 1] - problem->offset[b];
    bool polygon = law->cone == ASP_CONE_INSCRIBED || law->cone == ASP_CONE_CIRCUMSCRIBED;
    if (law->kind == ASP_LAW_SLIDING || (law->kind == ASP_LAW_COULOMB && rows == 3 && !polygon))
      return false;
  }
  return true;
}

/* The normal equations where slip is known, else the LCP of polygonal friction; n = 0: neither. */
static AspError make_lcp(AspContext *context, const AspContactProblem *problem, const AspAnalysis *analysis,
                         AspMixedLcp *lcp) {
  int n = analysis->normals;
  *lcp = (AspMixedLcp){0};
  if (n == 0)
    return is_polygonal(problem) ? asp_problem_polygon_lcp(context, problem, true, lcp) : ASP_OK;
  ASP_TRY(asp_mixed_lcp_create(context, n, 0, lcp));
  for (int i = 0; i < n; i++) {
    lcp->q[i] = analysis->normal_b[i];
    for (int j = 0; j < n; j++)
      lcp->M[i + j * n] = analysis->normal_A[i * n + j];
  }
  return ASP_OK;
}

/* M^T v <= 0 and q.v < 0 */
static bool is_proof(const AspMixedLcp *lcp, const double *v) {
  double load = 0, scale = 0;
  for (int i = 0; i < lcp->n; i++) {
    load += lcp->q[i] * v[i];
    scale += fabs(lcp->q[i]) * v[i];
  }
  for (int j = 0; j < lcp->n; j++) {
    double sum = 0, size = 0;
    for (int i = 0; i < lcp->n; i++) {
      sum += lcp->M[i + (size_t)j * lcp->n] * v[i];
      size += fabs(lcp->M[i + (size_t)j * lcp->n]) * v[i];
    }
    if (sum > RAY_HOLDS * size)
      return false;
  }
  return load < -RAY_HOLDS * scale;
}

static AspError keep_ray(AspContext *context, const AspMixedLcp *lcp, const double *v, AspAnalysis *out) {
  size_t n = (size_t)lcp->n;
  out->lcp_M = asp_allocate(context, n * n, sizeof *out->lcp_M);
  out->lcp_q = asp_allocate(context, n, sizeof *out->lcp_q);
  out->lcp_ray = asp_allocate(context, n, sizeof *out->lcp_ray);
  if (!out->lcp_M || !out->lcp_q || !out->lcp_ray)
    return ASP_ERROR_MEMORY;
  out->lcp_size = lcp->n;
  for (size_t i = 0; i < n; i++) {
    out->lcp_q[i] = lcp->q[i];
    out->lcp_ray[i] = v[i];
    for (size_t j = 0; j < n; j++)
      out->lcp_M[i * n + j] = lcp->M[i + j * n];
  }
  out->lcp_ray_proves = is_proof(lcp, v);
  return ASP_OK;
}

AspError asp_witness_ray(AspContext *context, const AspContactProblem *problem, AspAnalysis *out) {
  AspMixedLcp lcp;
  AspLcpInfo info;
  ASP_TRY(make_lcp(context, problem, out, &lcp));
  if (lcp.n == 0)
    return ASP_OK;
  double *z = asp_allocate(context, 2 * (size_t)lcp.n, sizeof *z);
  AspLcpOptions options = asp_lcp_default_options();
  AspError error = z ? ASP_OK : ASP_ERROR_MEMORY;
  if (error == ASP_OK)
    error = asp_lcp_lemke(context, &(AspLcp){lcp.n, lcp.M, lcp.q}, &options, z, z + lcp.n, &info);
  if (error == ASP_OK && info.status == ASP_STATUS_RAY)
    error = keep_ray(context, &lcp, z + lcp.n, out);
  asp_release(context, z);
  asp_mixed_lcp_destroy(context, &lcp);
  return error;
}
