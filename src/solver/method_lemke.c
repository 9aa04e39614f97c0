/* lemke: the polygonal contact problem as an LCP, solved by pivoting. Circumscribed polygons take the non-singular form
 * (problem/phantom_lcp.h); all others, and what that does not solve, the form by vertices (problem/polygon_lcp.h),
 * standard or mixed. The start is not used: a pivoting method begins at r = 0.
 */
#include "problem/phantom_lcp.h"
#include "solver/lcp.h"
#include "solver/method.h"

#include <stdio.h>

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

/* The answer z of an LCP, standard where it has no free variables. */
static AspError pivot(SolverRun *run, const AspMixedLcp *mixed, double *z) {
  AspLcpInfo info;
  AspLcpOptions options = asp_lcp_default_options();
  options.max_iterations = run->options->max_iterations;
  LcpHooks hooks = {.deadline = run->deadline, .progress = forward_progress, .user = run};
  AspLcp lcp = {mixed->n, mixed->M, mixed->q};
  if (mixed->free == 0)
    ASP_TRY(asp_lemke_solve(run->arena, &lcp, &options, &hooks, z, NULL, &info));
  else
    ASP_TRY(asp_mixed_lemke_solve(run->arena, mixed, &options, &hooks, z, NULL, &info));
  run->status = info.status;
  run->iterations += info.iterations;
  return ASP_OK;
}

/* Circumscribed polygons with phantom inertia; redundant contacts keep their tangential reactions as variables. */
static AspError solve_phantom(SolverRun *run, const double *W, double *r, bool *accepted) {
  double began = asp_clock_seconds();
  PhantomLcp phantom;
  AspPhantomOptions options = asp_phantom_default_options();
  options.rho = run->options->rho;
  ASP_TRY(asp_phantom_lcp_assemble(run->arena, run->problem, W, run->q, &options, &phantom));
  double *z = ASP_TAKE(run->arena, double, phantom.lcp.n);
  if (!z)
    return ASP_ERROR_MEMORY;
  run->setup_time += asp_clock_seconds() - began;
  ASP_TRY(pivot(run, &phantom.lcp, z));
  asp_phantom_lcp_reactions(&phantom, z, r);
  return asp_run_offer(run, r, accepted);
}

static AspError solve_vertices(SolverRun *run, const double *W, double *r, bool *accepted) {
  double began = asp_clock_seconds();
  PolygonLcp polygon;
  ASP_TRY(asp_polygon_lcp_assemble(run->arena, run->problem, W, run->q, !run->options->mixed, &polygon));
  double *z = ASP_TAKE(run->arena, double, polygon.lcp.n);
  if (!z)
    return ASP_ERROR_MEMORY;
  run->setup_time += asp_clock_seconds() - began;
  ASP_TRY(pivot(run, &polygon.lcp, z));
  asp_polygon_lcp_reactions(run->problem, &polygon, z, r);
  return asp_run_offer(run, r, accepted);
}

static AspError solve_by_lemke(SolverRun *run, const double *start) {
  (void)start;
  bool accepted = false;
  double *W = dense_W(run), *r = ASP_TAKE(run->arena, double, run->problem->rows);
  if (!W || !r)
    return ASP_ERROR_MEMORY;
  if (asp_phantom_applies(run->problem)) {
    ASP_TRY(solve_phantom(run, W, r, &accepted));
    snprintf(run->inner_path, sizeof run->inner_path, "lemke (phantom inertia) %d", run->iterations);
    if (accepted || run->status == ASP_STATUS_TIME_LIMIT)
      return ASP_OK;
    int spent = run->iterations;
    ASP_TRY(solve_vertices(run, W, r, &accepted));
    snprintf(run->inner_path, sizeof run->inner_path, "lemke (phantom inertia) %d, lemke %d", spent,
             run->iterations - spent);
    return ASP_OK;
  }
  return solve_vertices(run, W, r, &accepted);
}

const SolverMethod asp_method_lemke = {.solve = solve_by_lemke, .polygons = true, .local_form = true};
