/* lemke: the polygonal contact problem as an LCP (problem/polygon_lcp.h), standard or mixed, solved by pivoting. The
 * start is not used: a pivoting method begins at r = 0.
 */
#include "problem/polygon_lcp.h"
#include "solver/lcp.h"
#include "solver/method.h"

/* W as a dense matrix, column-major, in the arena */
static double *dense_W(SolverRun *run) {
  size_t rows = (size_t)run->problem->rows;
  const AspBlockSparse *W = &run->W;
  double *dense = ASP_TAKE(run->arena, double, rows *rows);
  for (int i = 0; i < W->blocks && dense; i++)
    for (int p = W->start[i]; p < W->start[i + 1]; p++) {
      int k = W->column[p], height = asp_block_size(W, i), width = asp_block_size(W, k);
      for (int c = 0; c < width; c++)
        memcpy(dense + (size_t)(W->offset[k] + c) * rows + (size_t)W->offset[i],
               W->value + W->at[p] + (size_t)c * (size_t)height, (size_t)height * sizeof *dense);
    }
  return dense;
}

static void forward_progress(void *user, int iteration, double residual) {
  asp_run_progress(user, iteration, residual);
}

AspError asp_method_lemke(SolverRun *run, const double *start) {
  (void)start;
  double began = asp_clock_seconds();
  PolygonLcp polygon;
  AspLcpInfo info;
  AspLcpOptions options = asp_lcp_default_options();
  options.max_iterations = run->options->max_iterations;
  LcpHooks hooks = {.deadline = run->deadline, .progress = forward_progress, .user = run};
  double *W = dense_W(run);
  if (!W)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_polygon_lcp_assemble(run->arena, run->problem, W, run->q, !run->options->mixed, &polygon));
  double *z = ASP_TAKE(run->arena, double, polygon.lcp.n);
  double *r = ASP_TAKE(run->arena, double, run->problem->rows);
  if (!z || !r)
    return ASP_ERROR_MEMORY;
  run->setup_time += asp_clock_seconds() - began;

  if (polygon.standard) {
    AspLcp lcp = {polygon.lcp.n, polygon.lcp.M, polygon.lcp.q};
    ASP_TRY(asp_lemke_solve(run->arena, &lcp, &options, &hooks, z, NULL, &info));
  } else {
    ASP_TRY(asp_mixed_lemke_solve(run->arena, &polygon.lcp, &options, &hooks, z, NULL, &info));
  }
  asp_polygon_lcp_reactions(run->problem, &polygon, z, r);
  run->status = info.status;
  run->iterations = info.iterations;
  bool accepted;
  return asp_run_offer(run, r, &accepted);
}
