/* auto: the method that suits the problem, and another where it fails. Exact cones: auto.c; what it does not solve goes
 * to Lemke where the problem is an LCP (contacts in the plane, sliding ones), which may find that there is no
 * solution. Relaxed cones: interior point, then Newton. Polygonal friction: Lemke; then projected Gauss-Seidel from the
 * best reaction so far.
 */
#include "problem/polygon_lcp.h"
#include "solver/method.h"
#include "solver/tuning/auto.h"

#include <stdio.h>

static AspError solve_exact(SolverRun *run, const double *start, bool is_lcp) {
  ASP_TRY(asp_run_exact(run, start, asp_auto_solve));
  size_t length = strlen(run->path);
  snprintf(run->path + length, sizeof run->path - length, "%s%s", length && *run->inner_path ? ", " : "",
           run->inner_path);
  run->total_iterations += run->iterations;
  *run->inner_path = '\0';
  if (asp_run_accepted(run) || run->status == ASP_STATUS_TIME_LIMIT || !is_lcp ||
      run->problem->rows > METHOD_AUTO_LARGEST_LEMKE)
    return ASP_OK;
  AspStatus status = run->status;
  ASP_TRY(asp_run_stage(run, ASP_METHOD_LEMKE, start));
  if (!asp_run_accepted(run) && run->status != ASP_STATUS_RAY)
    run->status = status;
  return ASP_OK;
}

/* A convex program: interior point, and Newton where it gets no further. */
static AspError solve_relaxed(SolverRun *run, const double *start) {
  ASP_TRY(asp_run_stage(run, ASP_METHOD_IPM, start));
  if (asp_run_accepted(run) || run->status == ASP_STATUS_TIME_LIMIT)
    return ASP_OK;
  return asp_run_stage(run, ASP_METHOD_NEWTON, run->best);
}

AspError asp_method_auto(SolverRun *run, const double *start) {
  int block = 0;
  bool is_lcp = !asp_polygon_has_exact_cone(run->problem, &block);
  if (run->relaxed)
    return solve_relaxed(run, start);
  if (run->exact)
    return solve_exact(run, start, is_lcp);
  if (is_lcp) {
    ASP_TRY(asp_run_stage(run, ASP_METHOD_LEMKE, start));
    if (asp_run_accepted(run) || run->status == ASP_STATUS_TIME_LIMIT || run->status == ASP_STATUS_NOT_FINITE)
      return ASP_OK;
  }
  AspStatus status = run->status;
  ASP_TRY(asp_run_stage(run, ASP_METHOD_PGS, run->best));
  if (status == ASP_STATUS_RAY && run->status != ASP_STATUS_SOLVED)
    run->status = ASP_STATUS_RAY; // says more than "iteration limit"
  return ASP_OK;
}
