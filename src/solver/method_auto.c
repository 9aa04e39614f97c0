/* auto: the method that suits the problem, and another where it does not arrive. Exact cones: auto.c. Polygonal
 * friction: Lemke, which knows whether it found a solution; then projected Gauss-Seidel from the best reaction so far.
 */
#include "problem/polygon_lcp.h"
#include "solver/method.h"

AspError asp_method_auto(SolverRun *run, const double *start) {
  int block = 0;
  if (run->exact)
    return asp_run_exact(run, start, asp_auto_solve);
  if (!asp_polygon_has_exact_cone(run->problem, &block)) {
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
