/* One model run in several ways: orders of known sequences, runs that are interrupted, memory that is not there. The numbers themselves:
 * tests/cli/converge.sh, python/tests/test_studies.py. */
#include "failing_allocator.h"

#include "asperity/asperity.h"

#include <math.h>

static const char slide[] =
    "{\"dimension\": 2, \"gravity\": [0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.3}],"
    " \"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-plane\"}]},"
    " {\"name\": \"box\", \"mass\": 1, \"position\": [0, 0.05], \"velocity\": [0.2, 0], \"shapes\": [{\"type\": "
    "\"box\", \"size\": [0.2, 0.1]}]}], \"run\": {\"dt\": 0.01, \"until\": 0.1}}";

static AspScene open_scene(AspContext *context) {
  AspScene scene = {0};
  assert_ok(context, asp_scene_parse(context, slide, strlen(slide), "slide", &scene, NULL));
  return scene;
}

/* y_l = 1 + c 2^(-p l) has order p and the limit 1 */
static void sequence_with_a_steady_rate_is_extrapolated_to_its_limit(void **state) {
  (void)state;
  for (int p = 1; p <= 3; p++) {
    AspConvergeRow row = {.scale = 1};
    for (int l = 0; l < 5; l++)
      row.value[l] = 1 + 0.3 * exp2(-p * l);
    asp_converge_judge(&row, 5, 0);
    assert_int_equal(row.state, ASP_CONVERGE_REGULAR);
    assert_true(fabs(row.order - p) < 1e-9);
    assert_true(fabs(row.extrapolated - 1) < 1e-12);
    assert_true(row.error < 1e-10);
  }
}

static void sequence_that_does_not_fall_has_no_limit(void **state) {
  (void)state;
  AspConvergeRow row = {.scale = 1, .value = {0, 1, 0, 1, 0}};
  asp_converge_judge(&row, 5, 1e-6);
  assert_int_equal(row.state, ASP_CONVERGE_NONE);
  assert_true(isnan(row.extrapolated));
  row.value[4] = NAN;
  asp_converge_judge(&row, 5, 1e-6);
  assert_int_equal(row.state, ASP_CONVERGE_NONE);
}

/* A difference that is zero by chance is no order; an error bar without order has a factor of safety. */
static void differences_that_vanish_by_chance_are_no_order(void **state) {
  (void)state;
  AspConvergeRow row = {.scale = 1, .value = {1, 1.1, 1.15, 1.16, 1.16}};
  asp_converge_judge(&row, 5, 0);
  assert_int_equal(row.state, ASP_CONVERGE_IRREGULAR);
  assert_true(row.order <= 6);
  assert_true(fabs(row.error - 3 * 0.005) < 1e-12);
}

static bool stop_now(void *user) { return --*(int *)user < 0; }

static void interrupted_studies_say_what_was_done(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspScene scene = open_scene(context);
  AspConvergence found;
  AspComparison rows;
  int left = 5;
  asp_context_set_stop(context, stop_now, &left);
  assert_int_equal(asp_converge(context, scene.model, &scene.run, NULL, &found), ASP_ERROR_INTERRUPTED);
  assert_false(found.level[3].done);
  assert_false(found.converged);
  assert_int_equal(found.row_count, 0);
  assert_non_null(strstr(found.reason, "at least 3"));
  asp_convergence_destroy(context, &found);
  left = 5;
  asp_context_set_stop(context, stop_now, &left);
  assert_int_equal(asp_compare(context, scene.model, &scene.run, NULL, &rows), ASP_ERROR_INTERRUPTED);
  assert_true(rows.count > 10);
  assert_int_equal(rows.row[rows.count - 1].state, ASP_COMPARE_SKIPPED);
  asp_comparison_destroy(context, &rows);
  // the caller's callback is in place again
  assert_int_equal(asp_converge(context, scene.model, &scene.run, NULL, &found), ASP_ERROR_INTERRUPTED);
  asp_convergence_destroy(context, &found);
  asp_scene_destroy(context, &scene);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

static void wrong_options_are_named(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspScene scene = open_scene(context);
  AspConvergence found;
  AspComparison rows;
  AspConvergeOptions options = asp_converge_default_options();
  options.levels = 2;
  assert_int_equal(asp_converge(context, scene.model, &scene.run, &options, &found), ASP_ERROR_ARGUMENT);
  assert_non_null(strstr(asp_context_message(context), "levels: 2 is outside 3 to 12"));
  options = asp_converge_default_options();
  options.output = "box.positoin";
  assert_int_equal(asp_converge(context, scene.model, &scene.run, &options, &found), ASP_ERROR_ARGUMENT);
  assert_non_null(strstr(asp_context_message(context), "no quantity 'box.positoin'"));
  options = (AspConvergeOptions){.levels = 4};
  assert_int_equal(asp_converge(context, scene.model, &scene.run, &options, &found), ASP_ERROR_ARGUMENT);
  AspCompareOptions limits = asp_compare_default_options();
  limits.row_time = NAN;
  assert_int_equal(asp_compare(context, scene.model, &scene.run, &limits, &rows), ASP_ERROR_ARGUMENT);
  scene.run.until = 0;
  assert_int_equal(asp_converge(context, scene.model, &scene.run, NULL, &found), ASP_ERROR_ARGUMENT);
  assert_non_null(strstr(asp_context_message(context), "until: 0 s leaves no steps"));
  asp_scene_destroy(context, &scene);
  asp_context_destroy(context);
}

static void every_kth_allocation_failure_is_clean(void **state) {
  (void)state;
  FailingAllocator failing;
  AspContext *context = failing_context(&failing);
  AspScene scene = open_scene(context);
  AspConvergeOptions options = asp_converge_default_options();
  options.levels = 3;
  scene.run.until = 0.02;
  long before = failing.live;
  AspError error = ASP_ERROR_MEMORY;
  for (long k = 0; error != ASP_OK; k += k < 20 ? 1 : 7) {
    AspConvergence found;
    failing.until_failure = k;
    error = asp_converge(context, scene.model, &scene.run, &options, &found);
    failing.until_failure = -1;
    assert_true(error == ASP_OK || error == ASP_ERROR_MEMORY);
    asp_convergence_destroy(context, &found);
    assert_int_equal(failing.live, before);
  }
  asp_scene_destroy(context, &scene);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sequence_with_a_steady_rate_is_extrapolated_to_its_limit),
      cmocka_unit_test(differences_that_vanish_by_chance_are_no_order),
      cmocka_unit_test(sequence_that_does_not_fall_has_no_limit),
      cmocka_unit_test(interrupted_studies_say_what_was_done),
      cmocka_unit_test(wrong_options_are_named),
      cmocka_unit_test(every_kth_allocation_failure_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
