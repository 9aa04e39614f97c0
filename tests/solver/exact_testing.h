/* What the tests of the exact methods share: a problem with its own judge, and one solve through the
 * public interface. */
#ifndef ASP_EXACT_TESTING_H
#define ASP_EXACT_TESTING_H

#include "testing.h"

#include "asperity/solver.h"
#include "support/problem_families.h"

typedef struct Trial {
  AspContext *context;
  AspContactProblem problem;
  double *r, *u;
  AspSolverInfo info;
} Trial;

static inline void trial_make(Trial *trial, AspContext *context, ProblemFamily family, int size, uint64_t seed) {
  *trial = (Trial){.context = context};
  assert_ok(context, problem_family_make(context, family, size, seed, &trial->problem));
  trial->r = calloc((size_t)trial->problem.rows + 1, sizeof *trial->r);
  trial->u = calloc((size_t)trial->problem.rows + 1, sizeof *trial->u);
  assert_non_null(trial->r);
  assert_non_null(trial->u);
}

static inline void trial_free(Trial *trial) {
  asp_problem_destroy(trial->context, &trial->problem);
  free(trial->r);
  free(trial->u);
}

/* From the r that is there, with a solver of its own. */
static inline void trial_solve(Trial *trial, AspMethod method, double tolerance, double max_time) {
  AspSolver *solver;
  AspSolverOptions options = asp_solver_default_options();
  options.method = method;
  options.tolerance = tolerance;
  options.ask_E1 = true; // as for problem files
  options.max_time = max_time;
  assert_ok(trial->context, asp_solver_create(trial->context, &options, &solver));
  assert_ok(trial->context, asp_solver_solve(solver, &trial->problem, trial->r, trial->u, NULL, &trial->info));
  asp_solver_destroy(solver);
}

/* The word of a judge that the solver never saw. */
static inline AspResidual trial_judge(const Trial *trial) {
  AspJudge *judge;
  AspResidual residual;
  assert_ok(trial->context, asp_judge_create(trial->context, &judge));
  assert_ok(trial->context, asp_judge_reset(judge, &trial->problem));
  assert_ok(trial->context, asp_judge_residual(judge, trial->r, &residual, NULL, NULL));
  asp_judge_destroy(judge);
  return residual;
}

/* "solved" is true, and any other status comes with a finite reaction and honest residuals. */
static inline void assert_honest(const Trial *trial, double tolerance) {
  AspResidual residual = trial_judge(trial);
  for (int j = 0; j < trial->problem.rows; j++)
    assert_true(isfinite(trial->r[j]));
  assert_near(trial->info.residual.E1, residual.E1, 1e-12 + 1e-3 * residual.E1);
  assert_near(trial->info.residual.E2, residual.E2, 1e-12 + 1e-3 * residual.E2);
  if (trial->info.status != ASP_STATUS_SOLVED)
    return;
  assert_at_most(residual.E1, tolerance);
  assert_at_most(residual.E2, tolerance);
  assert_at_most(residual.E3, 100 * tolerance);
}

static inline bool is_full_test(void) { return getenv("ASPERITY_TEST_FULL") != NULL; }

#endif
