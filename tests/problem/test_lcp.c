/* LCPs as data, and their judge. */
#include "asperity/problem.h"
#include "failing_allocator.h"
#include "lcp_check.h"

static double M2[4] = {2, 1, 1, 2}, q2[2] = {-5, -6};
static const AspLcp two = {2, M2, q2}; /* solved by (4/3, 7/3) */

static void residual_is_zero_at_the_solution_and_only_there(void **state) {
  (void)state;
  double solution[2] = {4.0 / 3, 7.0 / 3}, off[2] = {4.0 / 3 + 1e-6, 7.0 / 3}, zero[2] = {0, 0};
  assert_at_most(asp_lcp_residual(&two, solution), 1e-15);
  assert_near(asp_lcp_residual(&two, off), 2e-6 / 6, 1e-7);
  assert_near(asp_lcp_residual(&two, zero), 1, 1e-15);
  double M[4] = {1, 0, 0, 1}, q[2] = {5, -4}, negative[2] = {-1, 4};
  AspLcp apart = {2, M, q};
  assert_near(asp_lcp_residual(&apart, negative), 0.25, 1e-15); // -1 of a largest z of 4
}

static void residual_agrees_with_an_independent_one(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {7};
  for (int n = 1; n <= 200; n += 13) {
    AspLcp lcp;
    double z[200];
    assert_ok(context, asp_lcp_create(context, n, &lcp));
    for (int i = 0; i < n * n; i++)
      lcp.M[i] = asp_random_normal(&random);
    for (int i = 0; i < n; i++) {
      lcp.q[i] = asp_random_normal(&random);
      z[i] = asp_random_normal(&random);
    }
    double ours = asp_lcp_residual(&lcp, z), theirs = check_violation(&lcp, z);
    // scales differ by at most n (sum against largest term)
    assert_true(ours <= theirs * (1 + 1e-12) && theirs <= n * ours);
    asp_lcp_destroy(context, &lcp);
  }
  asp_context_destroy(context);
}

/* z scaled by a, w by b: neither unit may hide an error or invent one */
static void residual_does_not_depend_on_units(void **state) {
  (void)state;
  double off[2] = {1, 2.5}, reference = asp_lcp_residual(&two, off);
  for (int k = -40; k <= 40; k += 8) {
    double a = ldexp(1, k), b = ldexp(1, -k / 2);
    double M[4], q[2] = {q2[0] * b, q2[1] * b}, z[2] = {off[0] * a, off[1] * a};
    for (int i = 0; i < 4; i++)
      M[i] = M2[i] * b / a;
    AspLcp scaled = {2, M, q};
    assert_near(asp_lcp_residual(&scaled, z), reference, 1e-15);
  }
}

static void a_row_in_small_units_is_judged_like_the_others(void **state) {
  (void)state;
  double M[4] = {1e-9, 0, 0, 1}, q[2] = {-1e-9, -1}, z[2] = {1.001, 1};
  AspLcp lcp = {2, M, q};
  assert_near(asp_lcp_residual(&lcp, z), 1e-3, 1e-5);
}

static void stiff_data_do_not_hide_a_wrong_z(void **state) {
  (void)state;
  double M[4] = {1e12, 0, 0, 1e12}, q[2] = {1e12, -1e12}, z[2] = {0.5, 1}; // z_0 must be 0
  AspLcp lcp = {2, M, q};
  assert_near(asp_lcp_residual(&lcp, z), 0.5, 1e-15);
}

static void what_is_not_finite_is_infinitely_wrong(void **state) {
  (void)state;
  double values[3] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 3; k++) {
    double M[4] = {2, 1, 1, 2}, q[2] = {-5, -6}, z[2] = {4.0 / 3, 0};
    AspLcp lcp = {2, M, q};
    z[1] = values[k];
    assert_true(isinf(asp_lcp_residual(&lcp, z)));
    z[1] = 0;
    M[3] = values[k];
    assert_true(isinf(asp_lcp_residual(&lcp, z)));
    M[3] = 2;
    q[0] = values[k];
    assert_true(isinf(asp_lcp_residual(&lcp, z)));
  }
  double M[1] = {1e308}, q[1] = {1}, z[1] = {1e308}; // overflow on the way
  AspLcp lcp = {1, M, q};
  assert_true(isinf(asp_lcp_residual(&lcp, z)));
}

static void free_rows_are_equations(void **state) {
  (void)state;
  double M[4] = {2, 1, 1, 2}, q[2] = {3, -6}, z[2] = {-4, 5}; // 2 z0 + z1 + 3 = 0, z0 + 2 z1 - 6 = 0
  AspMixedLcp mixed = {2, 1, M, q};
  AspLcp lcp = {2, M, q};
  assert_at_most(asp_mixed_lcp_residual(&mixed, z), 1e-15);
  assert_true(asp_lcp_residual(&lcp, z) > 0.1); // z0 < 0 is wrong without the freedom
  z[0] += 1e-3;
  assert_true(asp_mixed_lcp_residual(&mixed, z) > 1e-4);
}

static void empty_and_absurd_sizes(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspLcp lcp;
  AspMixedLcp mixed;
  double nothing = 0;
  assert_ok(context, asp_lcp_create(context, 0, &lcp));
  assert_near(asp_lcp_residual(&lcp, &nothing), 0, 0);
  asp_lcp_destroy(context, &lcp);
  assert_int_equal(asp_lcp_create(context, -1, &lcp), ASP_ERROR_ARGUMENT);
  assert_string_equal(asp_context_message(context), "LCP: n = -1 is not >= 0");
  assert_int_equal(asp_mixed_lcp_create(context, 3, 4, &mixed), ASP_ERROR_ARGUMENT);
  assert_string_equal(asp_context_message(context), "mixed LCP: 4 free variables, expected 0 to n = 3");
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

static void every_kth_allocation_failure_is_clean(void **state) {
  (void)state;
  for (long k = 0; k < 2; k++) {
    FailingAllocator failing;
    AspContext *context = failing_context(&failing);
    AspLcp lcp;
    failing.until_failure = k;
    assert_int_equal(asp_lcp_create(context, 10, &lcp), ASP_ERROR_MEMORY);
    assert_true(lcp.M == NULL && lcp.q == NULL);
    assert_int_equal(asp_context_memory_in_use(context), 0);
    asp_context_destroy(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(residual_is_zero_at_the_solution_and_only_there),
      cmocka_unit_test(residual_agrees_with_an_independent_one),
      cmocka_unit_test(residual_does_not_depend_on_units),
      cmocka_unit_test(a_row_in_small_units_is_judged_like_the_others),
      cmocka_unit_test(stiff_data_do_not_hide_a_wrong_z),
      cmocka_unit_test(what_is_not_finite_is_infinitely_wrong),
      cmocka_unit_test(free_rows_are_equations),
      cmocka_unit_test(empty_and_absurd_sizes),
      cmocka_unit_test(every_kth_allocation_failure_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
