/* Memory of the exact methods: none is allocated once a solver has seen a problem, none is lost when it runs out. */
#include "exact_testing.h"
#include "failing_allocator.h"

static void first_order_methods_allocate_nothing_the_second_time(void **state) {
  (void)state;
  static const AspMethod methods[] = {ASP_METHOD_NSGS, ASP_METHOD_ADMM};
  for (size_t m = 0; m < 2; m++) {
    FailingAllocator failing;
    AspContext *context = failing_context(&failing);
    Trial trial;
    AspSolver *solver;
    AspSolverOptions options = asp_solver_default_options();
    options.method = methods[m];
    options.max_iterations = 200;
    trial_make(&trial, context, FAMILY_PACKING, 60, 1);
    assert_ok(context, asp_solver_create(context, &options, &solver));
    for (int round = 0; round < 6; round++) {
      memset(trial.r, 0, (size_t)trial.problem.rows * sizeof *trial.r);
      failing.until_failure = round < 3 ? -1 : 0; // the arenas settle in the first rounds
      assert_ok(context, asp_solver_solve(solver, &trial.problem, trial.r, NULL, NULL, &trial.info));
    }
    failing.until_failure = -1;
    asp_solver_destroy(solver);
    trial_free(&trial);
    asp_context_destroy(context);
    assert_int_equal(failing.live, 0);
  }
}

static void every_kth_allocation_failure_is_clean(void **state) {
  (void)state;
  static const AspMethod methods[] = {ASP_METHOD_AUTO, ASP_METHOD_NSGS, ASP_METHOD_ADMM};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    AspError error = ASP_ERROR_MEMORY;
    for (long k = 0; error == ASP_ERROR_MEMORY; k++) {
      FailingAllocator failing;
      AspContext *context = failing_context(&failing);
      Trial trial;
      AspSolver *solver = NULL;
      AspSolverOptions options = asp_solver_default_options();
      options.method = methods[m];
      options.max_iterations = 50;
      options.max_time = 5;
      trial_make(&trial, context, FAMILY_TOWER, 60, 3);
      failing.until_failure = k;
      error = asp_solver_create(context, &options, &solver);
      if (error == ASP_OK)
        error = asp_solver_solve(solver, &trial.problem, trial.r, NULL, NULL, &trial.info);
      failing.until_failure = -1;
      assert_true(error == ASP_OK || error == ASP_ERROR_MEMORY);
      asp_solver_destroy(solver);
      trial_free(&trial);
      asp_context_destroy(context);
      assert_int_equal(failing.live, 0);
      assert_true(k < 2000);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_order_methods_allocate_nothing_the_second_time),
      cmocka_unit_test(every_kth_allocation_failure_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
