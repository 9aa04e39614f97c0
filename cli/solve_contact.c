/* asperity solve for contact problems in FCLIB files, local or global. Setting up is reading and what the solver
 * prepares; the time is the solver's alone. */
#include "solve.h"
#include "terminal.h"

#include "asperity/io.h"

#include <stdio.h>
#include <stdlib.h>

static void explain(const AspSolverInfo *info, SolveReport *report) {
  if (report->certified)
    snprintf(report->finding, sizeof report->finding, "path: %s", *info->path ? info->path : "the start solves it");
  else
    snprintf(report->finding, sizeof report->finding, "E1 = %.3g, E2 = %.3g, E3 = %.3g missed the tolerance; path: %s",
             info->residual.E1, info->residual.E2, info->residual.E3, info->path);
}

static AspError solve_and_report(AspContext *context, const AspContactProblem *problem, const SolveOptions *options,
                                 AspFclibPoint *point, SolveReport *report) {
  AspSolver *solver = NULL;
  AspSolverInfo info;
  AspSolverOptions chosen = asp_solver_default_options();
  chosen.method = (AspMethod)options->method;
  chosen.tolerance = options->tolerance;
  chosen.ask_E1 = true;
  chosen.max_time = options->max_time;
  chosen.max_iterations = options->max_iterations;
  chosen.polish = options->polish;
  chosen.minimum_norm = options->minimum_norm;
  AspError error = asp_solver_create(context, &chosen, &solver);
  if (error == ASP_OK)
    error = asp_solver_solve(solver, problem, point->r, point->u, problem->dofs > 0 ? point->x : NULL, &info);
  asp_solver_destroy(solver);
  if (error != ASP_OK)
    return error;
  report->method = (AspMethod)options->method;
  report->status = info.status;
  report->iterations = info.iterations;
  report->residual = info.residual.E1;
  report->residual_invariant = info.residual.E2;
  report->time = info.time;
  report->setup_time += info.setup_time;
  report->certified = info.status == ASP_STATUS_SOLVED;
  explain(&info, report);
  return ASP_OK;
}

AspError solve_contact(AspContext *context, const char *path, const SolveOptions *options, SolveReport *report) {
  AspContactProblem problem = {0};
  AspFclibExtra extra = {0};
  double started = clock_seconds();
  AspError error = asp_fclib_read(context, path, NULL, &problem, &extra);
  if (error != ASP_OK)
    return error;
  bool global = problem.dofs > 0;
  *report =
      (SolveReport){.kind = global ? "fclib_global" : "fclib_local", .dofs = global ? problem.dofs : problem.rows};
  for (int i = 0; i < problem.blocks; i++)
    report->contacts += problem.law[i].kind != ASP_LAW_EQUALITY;
  report->setup_time = clock_seconds() - started;
  size_t rows = (size_t)problem.rows, dofs = (size_t)problem.dofs;
  AspFclibPoint point = {calloc(rows + 1, sizeof(double)), calloc(rows + 1, sizeof(double)),
                         calloc(dofs + 1, sizeof(double))};
  if (!point.r || !point.u || !point.x)
    error = ASP_ERROR_MEMORY;
  else
    error = solve_and_report(context, &problem, options, &point, report);
  if (error == ASP_OK && options->save) {
    AspFclibExtra answer = {.title = extra.title,
                            .description = extra.description,
                            .math_info = extra.math_info,
                            .solution = {point.r, point.u, global ? point.x : NULL}};
    error = asp_fclib_write(context, options->save, &problem, &answer);
  }
  free(point.r);
  free(point.u);
  free(point.x);
  asp_fclib_extra_destroy(context, &extra);
  asp_problem_destroy(context, &problem);
  return error;
}
