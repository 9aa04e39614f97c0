/* lemke: the polygonal contact problem as an LCP, solved by pivoting. Circumscribed polygons take the non-singular form
 * (problem/phantom_lcp.h); all others, and what that does not solve, the form by vertices (problem/polygon_lcp.h),
 * standard or mixed. The start is not used: a pivoting method begins at r = 0.
 */
#include "problem/phantom_lcp.h"
#include "solver/lcp.h"
#include "solver/method.h"

/* W as a dense matrix, column-major, in the arena */
static double *dense_W(SolverRun *run) {
  size_t rows = (size_t)run->problem->rows;
  const AspBlockSparse *W = &run->call->W;
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
  asp_run_progress(user, asp_method_name(ASP_METHOD_LEMKE), iteration, residual);
}

/* The answer z of an LCP, standard where it has no free variables. */
static AspError pivot(SolverRun *run, const AspMixedLcp *mixed, const char *name, double *z) {
  AspLcpInfo info;
  AspLcpOptions options = asp_lcp_default_options();
  options.max_iterations = run->settings.max_iterations;
  LcpHooks hooks = {.deadline = run->deadline, .progress = forward_progress, .user = run};
  AspLcp lcp = {mixed->n, mixed->M, mixed->q};
  if (mixed->free == 0)
    ASP_TRY(asp_lemke_solve(run->arena, &lcp, &options, &hooks, z, NULL, &info));
  else
    ASP_TRY(asp_mixed_lemke_solve(run->arena, mixed, &options, &hooks, z, NULL, &info));
  run->status = info.status;
  run->iterations += info.iterations;
  asp_run_note(run, name, info.iterations);
  return ASP_OK;
}

/* Circumscribed polygons with phantom inertia; redundant contacts keep their tangential reactions as variables. */
static AspError solve_phantom(SolverRun *run, const double *W, double *r) {
  double began = asp_clock_seconds();
  PhantomLcp phantom;
  AspPhantomOptions options = asp_phantom_default_options();
  options.rho = run->call->options->rho;
  ASP_TRY(asp_phantom_lcp_assemble(run->arena, run->problem, W, run->call->q, &options, &phantom));
  double *z = ASP_TAKE(run->arena, double, phantom.lcp.n);
  if (!z)
    return ASP_ERROR_MEMORY;
  run->call->setup_time += asp_clock_seconds() - began;
  ASP_TRY(pivot(run, &phantom.lcp, "lemke (phantom inertia)", z));
  asp_phantom_lcp_reactions(&phantom, z, r);
  return asp_run_offer(run, r, NULL, NULL);
}

static AspError solve_vertices(SolverRun *run, const double *W, double *r) {
  double began = asp_clock_seconds();
  PolygonLcp polygon;
  ASP_TRY(asp_polygon_lcp_assemble(run->arena, run->problem, W, run->call->q, !run->call->options->mixed, &polygon));
  double *z = ASP_TAKE(run->arena, double, polygon.lcp.n);
  if (!z)
    return ASP_ERROR_MEMORY;
  run->call->setup_time += asp_clock_seconds() - began;
  ASP_TRY(pivot(run, &polygon.lcp, "lemke", z));
  asp_polygon_lcp_reactions(run->problem, &polygon, z, r);
  return asp_run_offer(run, r, NULL, NULL);
}

static AspError solve_by_lemke(SolverRun *run, const double *start) {
  (void)start;
  double *W = dense_W(run), *r = ASP_TAKE(run->arena, double, run->problem->rows);
  if (!W || !r)
    return ASP_ERROR_MEMORY;
  if (asp_phantom_applies(run->problem)) {
    ASP_TRY(solve_phantom(run, W, r));
    if (asp_run_is_solved(run) || run->status == ASP_STATUS_TIME_LIMIT)
      return ASP_OK;
  }
  return solve_vertices(run, W, r);
}

const SolverMethod asp_method_lemke = {.solve = solve_by_lemke, .polygons = true, .local_form = true};
