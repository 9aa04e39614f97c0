/* world: memory, repeatability, honest failures. */
#include "failing_allocator.h"
#include "linalg/vec3.h"
#include "scene_runner.h"

static int balls_and_boxes_text(char *text, size_t size, const char *scheme) {
  return snprintf(
      text, size,
      "{\"name\": \"heap\", \"gravity\": [0, 0, -9.81],"
      " \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.4}],"
      " \"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]},"
      "  {\"name\": \"a\", \"mass\": 1, \"position\": [0, 0, 0.5], \"velocity\": [1, 0.3, 0], \"shapes\": [{\"type\": "
      "\"box\", \"size\": [1, 1, 1]}]},"
      "  {\"name\": \"b\", \"mass\": 2, \"position\": [0.1, 0, 1.3], \"velocity\": [0, 0, 0], \"shapes\": [{\"type\": "
      "\"sphere\", \"radius\": 0.3}]},"
      "  {\"name\": \"c\", \"mass\": 0.5, \"position\": [2, 0.1, 0.4], \"velocity\": [-2, 0, 0], \"shapes\": "
      "[{\"type\": \"sphere\", \"radius\": 0.4}]}],"
      " \"run\": {\"scheme\": \"%s\", \"dt\": 0.01, \"until\": 1.5, \"friction\": {\"model\": \"inscribed\", "
      "\"directions\": 6}, \"resolution\": {\"lag\": 0}}}",
      scheme);
}

static void after_reserve_a_step_allocates_nothing(void **state) {
  (void)state;
  const char *schemes[] = {"stewart-trinkle", "moreau-jean"};
  for (int i = 0; i < 2; i++) {
    char text[4096];
    balls_and_boxes_text(text, sizeof text, schemes[i]);
    SceneRun run;
    scene_open_text(&run, text);
    assert_ok(run.context, asp_world_reserve(run.world, 16));
    assert_near(asp_world_state(run.world)->t, 0, 0);
    uint64_t calls = asp_context_allocation_count(run.context);
    int contacts = 0;
    while (scene_step(&run))
      contacts = run.info.contacts > contacts ? run.info.contacts : contacts;
    assert_true(contacts >= 5);
    assert_int_equal(asp_context_allocation_count(run.context), calls);
    assert_int_equal(run.uncertified, 0);
    scene_close(&run);
  }
}

/* Rolling, spinning and bearings have blocks of their own, on dofs of their own. */
static void after_reserve_resistances_and_bearings_allocate_nothing(void **state) {
  (void)state;
  const char *text =
      "{\"name\": \"rollers\", \"gravity\": [0, 0, -9.81],"
      " \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.4, \"rolling\": 0.01, \"spinning\": 0.02}],"
      " \"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]},"
      "  {\"name\": \"a\", \"mass\": 1, \"position\": [0, 0, 0.5], \"velocity\": [1, 0.3, 0], \"shapes\": [{\"type\": "
      "\"box\", \"size\": [1, 1, 1]}]},"
      "  {\"name\": \"b\", \"mass\": 2, \"position\": [0.1, 0, 1.3], \"shapes\": [{\"type\": \"sphere\", \"radius\": "
      "0.3}]},"
      "  {\"name\": \"arm\", \"mass\": 1, \"position\": [3, 0, 1], \"shapes\": [{\"type\": \"sphere\", \"radius\": "
      "0.2}]}],"
      " \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"arm\"], \"point\": [2.5, "
      "0, 1], \"axis\": [0, 1, 0], \"friction_coefficient\": 0.2, \"bearing_radius\": 0.05}],"
      " \"run\": {\"dt\": 0.01, \"until\": 1, \"tolerance\": 1e-8}}";
  SceneRun run;
  scene_open_text(&run, text);
  assert_ok(run.context, asp_world_reserve(run.world, 12));
  uint64_t calls = asp_context_allocation_count(run.context);
  while (scene_step(&run)) {
  }
  assert_true(run.info.contacts >= 4 && run.info.blocks > 2 * run.info.contacts);
  assert_int_equal(asp_context_allocation_count(run.context), calls);
  scene_close(&run);
}

static uint64_t hash_of_run(const char *text, bool reserve) {
  SceneRun run;
  scene_open_text(&run, text);
  if (reserve)
    assert_ok(run.context, asp_world_reserve(run.world, 32));
  uint64_t hash = ASP_HASH_START;
  while (scene_step(&run)) {
    uint64_t now = asp_world_state_hash(run.world);
    hash = asp_hash_bytes(hash, &now, sizeof now);
  }
  scene_close(&run);
  return hash;
}

static void equal_runs_give_equal_bits_with_and_without_reserve(void **state) {
  (void)state;
  char text[4096];
  balls_and_boxes_text(text, sizeof text, "stewart-trinkle");
  uint64_t hash = hash_of_run(text, false);
  assert_true(hash == hash_of_run(text, false));
  assert_true(hash == hash_of_run(text, true));
}

static void standard_and_mixed_lcp_give_the_same_motion(void **state) {
  (void)state;
  SceneRun standard, mixed;
  scene_open(&standard, "four-bar-in-space", 0.01);
  scene_open(&mixed, "four-bar-in-space", 0.01);
  asp_world_destroy(mixed.world);
  mixed.scene.run.mixed = true;
  assert_ok(mixed.context, asp_world_create(mixed.context, mixed.scene.model, &mixed.scene.run, &mixed.world));
  for (int i = 0; i < 100; i++) {
    assert_true(scene_step(&standard) && scene_step(&mixed));
    AspVec3 a = scene_position(&standard, "coupler"), b = scene_position(&mixed, "coupler");
    assert_near(norm3(sub3(a, b)), 0, 1e-9);
  }
  assert_int_equal(standard.uncertified + mixed.uncertified, 0);
  scene_close(&standard);
  scene_close(&mixed);
}

static void energy_of_sliding_and_rolling_bodies_never_grows(void **state) {
  (void)state;
  char text[4096];
  balls_and_boxes_text(text, sizeof text, "stewart-trinkle");
  SceneRun run;
  scene_open_text(&run, text);
  AspEnergy start = asp_model_energy(run.scene.model, asp_world_state(run.world));
  double last = start.kinetic + start.gravitational;
  while (scene_step(&run)) {
    double now = run.info.energy.kinetic + run.info.energy.gravitational;
    assert_at_most(now, last + 1e-9);
    last = now;
  }
  scene_close(&run);
}

static void a_motion_that_becomes_infinite_is_an_error_that_names_the_body(void **state) {
  (void)state;
  const char *text =
      "{\"bodies\": [{\"name\": \"rocket\", \"mass\": 1, \"inertia\": [1, 1, 1]}],"
      " \"forces\": [{\"type\": \"force\", \"body\": \"rocket\", \"force\": [\"1/(0.5 - t)^400\", 0, 0]}],"
      " \"run\": {\"dt\": 0.01, \"until\": 1}}";
  SceneRun run;
  scene_open_text(&run, text);
  AspError error = ASP_OK;
  for (int i = 0; i < 100 && error == ASP_OK; i++)
    error = asp_world_step(run.world, &run.info);
  assert_int_equal(error, ASP_ERROR_DIVERGED);
  assert_non_null(strstr(asp_context_message(run.context), "rocket"));
  // the state before the step is kept
  assert_true(isfinite(asp_world_state(run.world)->q[0]));
  scene_close(&run);
}

static void a_world_of_fixed_bodies_steps_through_time(void **state) {
  (void)state;
  const char *text = "{\"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]}],"
                     " \"run\": {\"dt\": 0.1, \"until\": 1}}";
  SceneRun run;
  scene_open_text(&run, text);
  assert_ok(run.context, asp_world_reserve(run.world, 10));
  while (scene_step(&run))
    assert_true(run.info.certified);
  assert_near(asp_world_state(run.world)->t, 1, 1e-12);
  scene_close(&run);
}

static void contradicting_motions_are_refused_by_name(void **state) {
  (void)state;
  const char *text =
      "{\"bodies\": [{\"name\": \"base\", \"fixed\": true}, {\"name\": \"arm\", \"mass\": 1, \"inertia\": [1, 1, 1]}],"
      " \"joints\": [{\"name\": \"one\", \"type\": \"revolute\", \"bodies\": [\"base\", \"arm\"], \"point\": [0, 0, "
      "0], \"axis\": [0, 0, 1], \"angle\": \"t\"},"
      "  {\"name\": \"two\", \"type\": \"revolute\", \"bodies\": [\"base\", \"arm\"], \"point\": [0, 0, 0], \"axis\": "
      "[0, 0, 1], \"angle\": \"2*t\"}],"
      " \"run\": {\"dt\": 0.1, \"until\": 0.3}}";
  SceneRun run;
  scene_open_text(&run, text);
  assert_int_equal(asp_world_step(run.world, &run.info), ASP_ERROR_IMPOSSIBLE);
  assert_non_null(strstr(asp_context_message(run.context), "joint one, joint two contradict each other by 1"));
  scene_close(&run);
}

static void restitution_is_refused_not_dropped(void **state) {
  (void)state;
  const char *text = "{\"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.4, \"restitution\": 0.5}],"
                     " \"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]},"
                     "  {\"name\": \"ball\", \"mass\": 1, \"shapes\": [{\"type\": \"sphere\", \"radius\": 1}]}],"
                     " \"run\": {\"scheme\": \"stewart-trinkle\", \"dt\": 0.1, \"until\": 0.3}}";
  AspContext *context = asp_context_create(NULL);
  AspScene scene;
  AspWorld *world;
  assert_ok(context, asp_scene_parse(context, text, strlen(text), "text", &scene, NULL));
  assert_int_equal(asp_world_create(context, scene.model, &scene.run, &world), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(context), "restitution 0.5"));
  asp_scene_destroy(context, &scene);
  asp_context_destroy(context);
}

/* A whole short run with an allocator that fails at the k-th call; true when it got through. */
static bool run_with_failure_at(int k, const char *text) {
  FailingAllocator failing;
  AspContext *context = failing_context(&failing);
  AspScene scene = {0};
  AspWorld *world = NULL;
  failing.until_failure = k;
  AspError error = asp_scene_parse(context, text, strlen(text), "text", &scene, NULL);
  if (error == ASP_OK)
    error = asp_world_create(context, scene.model, &scene.run, &world);
  for (int i = 0; i < 3 && error == ASP_OK; i++)
    error = asp_world_step(world, NULL);
  asp_world_destroy(world);
  if (scene.model)
    asp_scene_destroy(context, &scene);
  assert_true(error == ASP_OK || error == ASP_ERROR_MEMORY);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
  return error == ASP_OK;
}

static void every_kth_allocation_failure_is_clean(void **state) {
  (void)state;
  char text[4096];
  balls_and_boxes_text(text, sizeof text, "stewart-trinkle");
  int k = 0;
  while (!run_with_failure_at(k, text))
    assert_true(++k < 100000);
  assert_true(k > 20);
}

/* A ball at 1e6 m/s: that contacts carry it shows in no residual relative to its momentum, so a warning must say it.
 * Balls that merely touch (the cradle before its first impact) carry rounding errors, which do not matter. */
static void a_contact_that_is_off_is_named_where_it_carries_something(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(
      &run, "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.2}], \"bodies\": ["
            "{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]},"
            "{\"name\": \"ball\", \"mass\": 1, \"position\": [0, 0, 1], \"velocity\": [1e6, 0, 0],"
            " \"shapes\": [{\"type\": \"sphere\", \"radius\": 1}]}],"
            "\"run\": {\"dt\": 0.01, \"until\": 0.05, \"tolerance\": 1e-3}}");
  while (scene_step(&run))
    assert_true(run.info.certified);
  assert_int_equal(asp_world_warning_count(run.world), 1);
  assert_non_null(strstr(asp_world_warning(run.world, 0), "lower the tolerance"));
  scene_close(&run);
  scene_open(&run, "gallery/newtons-cradle", 0);
  while (scene_step(&run) && asp_world_state(run.world)->t < 0.5)
    assert_true(run.info.certified);
  assert_int_equal(asp_world_warning_count(run.world), 0);
  scene_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(after_reserve_a_step_allocates_nothing),
      cmocka_unit_test(after_reserve_resistances_and_bearings_allocate_nothing),
      cmocka_unit_test(equal_runs_give_equal_bits_with_and_without_reserve),
      cmocka_unit_test(standard_and_mixed_lcp_give_the_same_motion),
      cmocka_unit_test(energy_of_sliding_and_rolling_bodies_never_grows),
      cmocka_unit_test(a_motion_that_becomes_infinite_is_an_error_that_names_the_body),
      cmocka_unit_test(a_world_of_fixed_bodies_steps_through_time),
      cmocka_unit_test(contradicting_motions_are_refused_by_name),
      cmocka_unit_test(restitution_is_refused_not_dropped),
      cmocka_unit_test(a_contact_that_is_off_is_named_where_it_carries_something),
      cmocka_unit_test(every_kth_allocation_failure_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
