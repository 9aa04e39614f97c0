/* The effort of a step is bounded by counted work, not by a clock: steps that nothing solves end flagged, at the same
 * place every time; steps that are solved do not notice the bound. */
#include "base/effort.h"
#include "scene_runner.h"

/* A block between jaws that fit exactly and carry it round: stewart-trinkle's chords press it by their second order, so
 * that the step's own problem has no solution. */
static const char *const tight_clamp =
    "{\"dimension\": 2, \"gravity\": [0, 0], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.4}], "
    "\"bodies\": [{\"name\": \"left\", \"motion\": {\"position\": [\"0.4*cos(3*t)\", \"0.4*sin(3*t)\"], \"rotation\": "
    "\"3*t\"}, \"shapes\": [{\"type\": \"box\", \"size\": [0.2, 0.2]}]},"
    "{\"name\": \"right\", \"motion\": {\"position\": [\"0.8*cos(3*t)\", \"0.8*sin(3*t)\"], \"rotation\": \"3*t\"}, "
    "\"shapes\": [{\"type\": \"box\", \"size\": [0.2, 0.2]}]},"
    "{\"name\": \"block\", \"mass\": 1, \"position\": [0.6, 0], \"velocity\": [0, 1.8], \"angular_velocity\": 3, "
    "\"shapes\": [{\"type\": \"box\", \"size\": [0.2, 0.1]}]}], "
    "\"run\": {\"dt\": 0.01, \"until\": 0.02, \"scheme\": \"%s\", \"step_effort\": %g}}";

static void open_clamp(SceneRun *run, const char *scheme, double effort) {
  char text[2048];
  assert_true(snprintf(text, sizeof text, tight_clamp, scheme, effort) < (int)sizeof text);
  scene_open_text(run, text);
}

static void narrowed_effort_is_a_share_of_what_is_left_and_stays_counted(void **state) {
  (void)state;
  AspEffort effort = {0}, before;
  asp_effort_add(&effort, 1e30);
  assert_false(asp_effort_is_spent(&effort)); // without a limit nothing is counted
  asp_effort_begin(&effort, 100);
  asp_effort_add(&effort, 20);
  before = effort;
  asp_effort_narrow(&effort, 0.5, 0.1);
  asp_effort_add(&effort, 399);
  assert_false(asp_effort_is_spent(&effort));
  assert_true(asp_effort_is_low(&effort));
  asp_effort_add(&effort, 1);
  assert_true(asp_effort_is_spent(&effort));
  asp_effort_restore(&effort, &before);
  assert_near(effort.done, 60, 1e-12);
  assert_false(asp_effort_is_low(&effort));
  asp_effort_add(&effort, 40);
  assert_true(asp_effort_is_spent(&effort));
}

static void step_that_nothing_solves_ends_flagged_and_equal_every_time(void **state) {
  (void)state;
  uint64_t hash[2];
  int attempts[2];
  for (int i = 0; i < 2; i++) {
    SceneRun run;
    open_clamp(&run, "stewart-trinkle", 20);
    assert_true(scene_step(&run));
    assert_false(run.info.certified);
    assert_int_equal(run.info.status, ASP_STATUS_EFFORT_LIMIT);
    assert_near(run.info.dt, 0.01, 1e-15);
    hash[i] = asp_world_state_hash(run.world);
    attempts[i] = run.info.attempts;
    scene_close(&run);
  }
  assert_true(hash[0] == hash[1]);
  assert_int_equal(attempts[0], attempts[1]);
}

static void more_effort_means_more_iterations(void **state) {
  (void)state;
  int iterations[2];
  for (int i = 0; i < 2; i++) {
    SceneRun run;
    open_clamp(&run, "stewart-trinkle", i == 0 ? 2 : 20);
    assert_true(scene_step(&run));
    iterations[i] = run.info.iterations;
    scene_close(&run);
  }
  assert_true(iterations[1] > 2 * iterations[0]);
}

static void solved_steps_do_not_depend_on_the_bound(void **state) {
  (void)state;
  uint64_t hash[2];
  for (int i = 0; i < 2; i++) {
    SceneRun run;
    open_clamp(&run, "event-driven", i == 0 ? 0 : 3000);
    while (scene_step(&run))
      assert_true(run.info.certified);
    hash[i] = asp_world_state_hash(run.world);
    scene_close(&run);
  }
  assert_true(hash[0] == hash[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(narrowed_effort_is_a_share_of_what_is_left_and_stays_counted),
      cmocka_unit_test(step_that_nothing_solves_ends_flagged_and_equal_every_time),
      cmocka_unit_test(more_effort_means_more_iterations),
      cmocka_unit_test(solved_steps_do_not_depend_on_the_bound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
