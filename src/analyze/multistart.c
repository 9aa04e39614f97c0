/* Solutions by the contact solvers from many starts, for islands that the search could not decide. Proves nothing about
 * how many there are. Depends on solver. */
#include "analyze/search.h"
#include "analyze/tuning/analyze.h"
#include "asperity/solver.h"

static AspError island_problem(AspContext *context, const AspReduced *part, AspContactProblem *problem) {
  int n = part->rows;
  ASP_TRY(asp_problem_create(context, part->dimension, part->blocks, n, 0, 0, 0, n * n, problem));
  for (int b = 0; b < part->blocks; b++) {
    problem->law[b] = part->law[b];
    problem->offset[b + 1] = part->offset[b + 1];
  }
  for (int j = 0; j < n; j++) {
    problem->W.start[j + 1] = (j + 1) * n;
    problem->q[j] = part->q[j];
    for (int i = 0; i < n; i++) {
      problem->W.row[(size_t)j * n + i] = i;
      problem->W.value[(size_t)j * n + i] = part->W[(size_t)i * n + j];
    }
  }
  return ASP_OK;
}

/* Nothing, then random reactions of growing size. */
static void random_start(const AspReduced *part, AspRandom *random, int start, double *r) {
  memset(r, 0, (size_t)part->rows * sizeof *r);
  double size = MULTISTART_FIRST_SIZE * start;
  for (int b = 0; start > 0 && b < part->blocks; b++)
    for (int k = 0; k < asp_reduced_size(part, b); k++) {
      double value = asp_random_uniform(random, -size, size);
      r[part->offset[b] + k] = k == 0 && part->law[b].kind != ASP_LAW_BOX && value < 0 ? 0 : value;
    }
}

static AspError run(AspSearch *search, AspContext *context, const AspContactProblem *problem, int starts, double *r) {
  AspSolverOptions options = asp_solver_default_options();
  AspSolver *solver;
  AspRandom random = {1};
  options.tolerance = MULTISTART_TOLERANCE;
  options.max_time = 2;
  options.polish = true;
  ASP_TRY(asp_solver_create(context, &options, &solver));
  AspError error = ASP_OK;
  for (int start = 0; start < starts && error == ASP_OK; start++) {
    AspSolverInfo info;
    random_start(search->problem, &random, start, r);
    error = asp_solver_solve(solver, problem, r, NULL, NULL, &info);
    if (error == ASP_OK)
      error = asp_search_offer(search, r);
    if (search->deadline > 0 && asp_clock_seconds() > search->deadline && search->count > 0)
      break;
  }
  asp_solver_destroy(solver);
  return error;
}

AspError asp_search_multistart(AspSearch *search, AspContext *context, int starts) {
  if (starts == 0)
    return ASP_OK;
  AspContactProblem problem = {0};
  double *r = ASP_TAKE(search->arena, double, search->problem->rows);
  if (!r)
    return ASP_ERROR_MEMORY;
  AspError error = island_problem(context, search->problem, &problem);
  if (error == ASP_OK)
    error = run(search, context, &problem, starts, r);
  asp_problem_destroy(context, &problem);
  return error;
}
