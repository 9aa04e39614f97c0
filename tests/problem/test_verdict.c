/* The verdict: what solved means, in each of its parts and at its edges. */
#include "problem/verdict.h"
#include "testing.h"

#include <math.h>

static const AspTolerances law = {.residual = 1e-8}, with_E1 = {.residual = 1e-8, .ask_E1 = true},
                           with_contact = {.residual = 1e-8, .contact = 1e-3};

static void solved_means_E2_within_the_tolerance_and_E3_within_the_inflation(void **state) {
  (void)state;
  assert_true(asp_verdict_is_met(&law, &(AspResidual){.E2 = 1e-8}));
  assert_false(asp_verdict_is_met(&law, &(AspResidual){.E2 = nextafter(1e-8, 1)}));
  assert_true(asp_verdict_is_met(&law, &(AspResidual){.E3 = 0.999 * ASP_INFLATION * 1e-8}));
  assert_false(asp_verdict_is_met(&law, &(AspResidual){.E3 = 1.001 * ASP_INFLATION * 1e-8}));
}

static void E1_counts_only_where_it_is_asked(void **state) {
  (void)state;
  AspResidual residual = {.E1 = 1, .E2 = 1e-9, .E3 = 1e-9};
  assert_true(asp_verdict_is_met(&law, &residual));
  assert_false(asp_verdict_is_met(&with_E1, &residual));
  assert_near(asp_verdict_measure(&law, &residual), 1e-9, 0);
  assert_near(asp_verdict_measure(&with_E1, &residual), 1, 0);
  residual.norm_q = residual.norm_r = residual.rho = 1;
  assert_true(isinf(asp_verdict_allowed_unit_map(&law, &residual)));
  assert_near(asp_verdict_allowed_unit_map(&with_E1, &residual), 1e-8, 0);
}

static void the_worst_contact_counts_only_where_it_is_asked(void **state) {
  (void)state;
  AspResidual residual = {.contact = 2e-3};
  assert_true(asp_verdict_is_met(&law, &residual));
  assert_false(asp_verdict_is_met(&with_contact, &residual));
  assert_near(asp_verdict_excess(&with_contact, &residual), 2, 1e-15);
}

static void an_excess_of_at_most_one_is_solved_and_more_is_not(void **state) {
  (void)state;
  for (double E = 1e-8, k = 0; k < 3; k++, E = nextafter(E, 1)) {
    AspResidual residual = {.E2 = E};
    assert_int_equal(asp_verdict_excess(&law, &residual) <= 1, asp_verdict_is_met(&law, &residual));
  }
}

static void what_is_not_a_number_is_not_solved(void **state) {
  (void)state;
  const AspTolerances all = {1, 1, true};
  AspResidual residual[4] = {{.E1 = NAN}, {.E2 = NAN}, {.E3 = NAN}, {.contact = NAN}};
  for (int k = 0; k < 4; k++) {
    assert_false(asp_verdict_is_met(&all, &residual[k]));
    assert_true(isinf(asp_verdict_excess(&all, &residual[k])));
  }
  AspResidual worst = asp_verdict_worst();
  assert_true(isinf(asp_verdict_measure(&law, &worst)) && isinf(asp_verdict_measure(&with_E1, &worst)));
}

static void the_allowed_map_is_what_E2_and_E3_allow(void **state) {
  (void)state;
  AspResidual residual = {.rho = 2, .norm_q = 3, .norm_r = 30};
  assert_near(asp_verdict_allowed_map(&law, &residual), 30e-8, 1e-20);
  residual.norm_r = 1e6; // inflated
  assert_near(asp_verdict_allowed_map(&law, &residual), ASP_INFLATION * 6e-8, 1e-20);
  residual.norm_r = 0;
  assert_near(asp_verdict_allowed_map(&law, &residual), 6e-8, 1e-20);
}

/* q below its own rounding over the tolerance counts as that large: ||F|| = 1e-3, 1e-6 / 1e-8 = 100 */
static void data_below_their_rounding_count_as_large_as_it(void **state) {
  (void)state;
  AspResidual residual = {.rho = 1, .norm_q = 1e-3, .E1 = 1, .E2 = 1, .E3 = 1, .rounding = 1e-6};
  assert_near(asp_verdict_measure(&law, &residual), 1e-5, 1e-18);
  assert_near(asp_verdict_measure(&with_E1, &residual), 1e-5, 1e-18);
  assert_near(residual.E2, 1, 0); // the residual itself stays
  assert_near(asp_verdict_allowed_map(&law, &residual), 100e-8, 1e-20);
  residual.rounding = 1e-12; // 1e-4 < ||q||: enough data
  assert_near(asp_verdict_measure(&law, &residual), 1, 0);
  residual.norm_q = 1000; // data beyond the floor: nothing is raised
  residual.rounding = 1e-6;
  assert_near(asp_verdict_measure(&law, &residual), 1, 0);
}

/* What rounding may have hidden counts as if it were there. */
static void bounds_on_rounding_are_added(void **state) {
  (void)state;
  assert_near(asp_verdict_measure(&law, &(AspResidual){.E2 = 3e-9, .E2_rounding = 4e-9}), 7e-9, 1e-22);
  assert_near(asp_verdict_measure(&law, &(AspResidual){.E3 = 3e-7, .E3_rounding = 4e-7}), 7e-7 / ASP_INFLATION, 1e-22);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solved_means_E2_within_the_tolerance_and_E3_within_the_inflation),
      cmocka_unit_test(E1_counts_only_where_it_is_asked),
      cmocka_unit_test(the_worst_contact_counts_only_where_it_is_asked),
      cmocka_unit_test(an_excess_of_at_most_one_is_solved_and_more_is_not),
      cmocka_unit_test(what_is_not_a_number_is_not_solved),
      cmocka_unit_test(data_below_their_rounding_count_as_large_as_it),
      cmocka_unit_test(bounds_on_rounding_are_added),
      cmocka_unit_test(the_allowed_map_is_what_E2_and_E3_allow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
