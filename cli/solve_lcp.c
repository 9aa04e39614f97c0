/* asperity solve for LCP files: 0 <= w = M z + q _|_ z >= 0. Setting up is reading; the time is the solver's alone. */
#include "solve.h"
#include "terminal.h"

#include "asperity/io.h"

#include <stdio.h>
#include <stdlib.h>

static AspError run_method(AspContext *context, const AspLcp *lcp, const AspLcpOptions *options, AspMethod method,
                           double *z, AspLcpInfo *info) {
  if (method == ASP_METHOD_PGS)
    return asp_lcp_gauss_seidel(context, lcp, options, z, info);
  return asp_lcp_lemke(context, lcp, options, z, NULL, info);
}

static void explain(SolveReport *report) {
  if (report->status == ASP_STATUS_RAY)
    snprintf(report->finding, sizeof report->finding,
             "Lemke's path ends on a ray: it finds no solution (for copositive-plus M there is none)");
  else if (!report->certified)
    snprintf(report->finding, sizeof report->finding, "the residual missed the tolerance");
}

AspError solve_lcp(AspContext *context, const char *path, const SolveOptions *options, SolveReport *report) {
  AspLcp lcp = {0};
  AspLcpInfo info = {0};
  AspLcpOptions lcp_options = asp_lcp_default_options();
  lcp_options.tolerance = options->tolerance;
  lcp_options.max_iterations = options->max_iterations;
  double started = clock_seconds();
  AspError error = asp_lcp_read(context, path, &lcp);
  if (error != ASP_OK)
    return error;
  double *z = calloc((size_t)lcp.n + 1, sizeof *z);
  if (!z) {
    asp_lcp_destroy(context, &lcp);
    return ASP_ERROR_MEMORY;
  }
  *report = (SolveReport){.kind = "lcp", .contacts = -1, .dofs = lcp.n};
  report->method = options->method == ASP_METHOD_PGS ? ASP_METHOD_PGS : ASP_METHOD_LEMKE; // what an LCP can be given to
  double solving = clock_seconds();
  error = run_method(context, &lcp, &lcp_options, report->method, z, &info);
  double solved = clock_seconds();
  if (error == ASP_OK) {
    report->status = info.status;
    report->iterations = info.iterations;
    report->residual = asp_lcp_residual(&lcp, z);
    report->residual_invariant = report->residual; // it does not depend on units
    report->certified = info.status == ASP_STATUS_SOLVED && report->residual <= options->tolerance;
    report->time = solved - solving;
    report->setup_time = solving - started;
    explain(report);
    if (options->save)
      error = asp_lcp_write(context, options->save, &lcp, z);
  }
  free(z);
  asp_lcp_destroy(context, &lcp);
  return error;
}
