/* Subproblems: what is outside is held, what is inside obeys its laws, and large packings are solved by them. */
#include "exact_testing.h"
#include "shared_context.h"

#include "problem/natural_map.h"
#include "solver/subproblem.h"

#include <math.h>

/* Root of the summed squares of the natural maps of the blocks whose reactions differ from `before`,
 * and their number. */
static double residual_of_changed(const Trial *trial, const double *before, const double *r, const double *u,
                                  double rho, int *changed) {
  double sum = 0;
  *changed = 0;
  for (int i = 0; i < trial->problem.blocks; i++) {
    double F[3];
    if (memcmp(before + 3 * i, trial->r + 3 * i, 3 * sizeof *before) == 0)
      continue;
    asp_natural_map(&trial->problem.law[i], 3, rho, r + 3 * i, u + 3 * i, true, F);
    sum += F[0] * F[0] + F[1] * F[1] + F[2] * F[2];
    ++*changed;
  }
  return sqrt(sum);
}

static void the_rest_is_held_and_the_subproblem_obeys_its_laws(void **state) {
  (void)state;
  Trial trial;
  AspSolver *solver;
  SolverSpace *space;
  AspArena arena;
  AspResidual first, second;
  AspSolverOptions options = asp_solver_default_options();
  int blocks, changed;
  trial_make(&trial, context, FAMILY_PACKING, 2000, 1);
  size_t rows = (size_t)trial.problem.rows;
  options.method = ASP_METHOD_NSGS;
  options.max_iterations = 1000;
  assert_ok(context, asp_solver_create(context, &options, &solver));
  assert_ok(context, asp_solver_solve(solver, &trial.problem, trial.r, NULL, NULL, &trial.info));
  asp_solver_destroy(solver);
  assert_int_not_equal(trial.info.status, ASP_STATUS_SOLVED);
  double *before = calloc(rows, sizeof *before), *u_before = calloc(rows, sizeof *u_before);
  assert_non_null(before);
  assert_non_null(u_before);
  memcpy(before, trial.r, rows * sizeof *before);
  asp_arena_init(&arena, context);
  assert_ok(context, asp_space_create(context, &space));
  assert_ok(context, asp_judge_reset(space->prepared->judge, &trial.problem));
  SolverRun run = asp_run_default(space);
  run.problem = &trial.problem;
  run.arena = &arena;
  assert_ok(context, asp_judge_residual(space->prepared->judge, trial.r, &first, u_before, NULL));
  assert_ok(context, asp_subproblem_improve(&run, trial.r, &blocks));
  assert_in_range(blocks, 1, trial.problem.blocks / 2);
  assert_ok(context, asp_judge_residual(space->prepared->judge, trial.r, &second, trial.u, NULL));
  double old = residual_of_changed(&trial, before, before, u_before, first.rho, &changed);
  double new = residual_of_changed(&trial, before, trial.r, trial.u, first.rho, &changed);
  assert_in_range(changed, 1, blocks);
  assert_true(new < 1e-2 * old);
  assert_true(new <= 1e-8 * fmax(first.norm_r, first.rho * first.norm_q));
  asp_space_destroy(space);
  asp_arena_free(&arena);
  free(before);
  free(u_before);
  trial_free(&trial);
}

static void sweeps_and_subproblems_solve_a_packing(void **state) {
  (void)state;
  Trial trial;
  trial_make(&trial, context, FAMILY_PACKING, 2000, 1);
  trial_solve(&trial, ASP_METHOD_AUTO, 1e-8, 0);
  assert_int_equal(trial.info.status, ASP_STATUS_SOLVED);
  assert_non_null(strstr(trial.info.path, "subproblem"));
  AspResidual residual = trial_judge(&trial);
  assert_true(residual.E1 <= 1e-8 && residual.E2 <= 1e-8);
  trial_free(&trial);
}

static void a_problem_that_is_wrong_everywhere_has_no_subproblem(void **state) {
  (void)state;
  Trial trial;
  SolverSpace *space;
  AspArena arena;
  int blocks = 1;
  trial_make(&trial, context, FAMILY_TOWER, 100, 1);
  asp_arena_init(&arena, context);
  assert_ok(context, asp_space_create(context, &space));
  assert_ok(context, asp_judge_reset(space->prepared->judge, &trial.problem));
  SolverRun run = asp_run_default(space);
  run.problem = &trial.problem;
  run.arena = &arena;
  assert_ok(context, asp_subproblem_improve(&run, trial.r, &blocks));
  assert_int_equal(blocks, 0);
  for (int j = 0; j < trial.problem.rows; j++)
    assert_true(trial.r[j] == 0);
  asp_space_destroy(space);
  asp_arena_free(&arena);
  trial_free(&trial);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_rest_is_held_and_the_subproblem_obeys_its_laws),
      cmocka_unit_test(sweeps_and_subproblems_solve_a_packing),
      cmocka_unit_test(a_problem_that_is_wrong_everywhere_has_no_subproblem),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
