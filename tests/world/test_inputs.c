/* Inputs: what callers set from step to step acts as the same expression in t would, and bad values are refused. */
#include "scene_runner.h"

static const char *const schemes[] = {"moreau-jean", "stewart-trinkle", "generalized-alpha", "event-driven"};

/* A block on a frictionless rail, pushed by the input. */
static void open_pushed_block(SceneRun *run, const char *scheme, const char *force) {
  char text[1024];
  snprintf(text, sizeof text,
           "{\"inputs\": [{\"name\": \"push\", \"value\": 2}], \"bodies\": [{\"name\": \"block\", \"mass\": 2, "
           "\"inertia\": [1, 1, 1]}], \"joints\": [{\"type\": \"prismatic\", \"bodies\": [\"world\", \"block\"], "
           "\"axis\": [1, 0, 0]}], \"forces\": [{\"type\": \"force\", \"body\": \"block\", \"force\": [\"%s\", 0, "
           "0]}], \"run\": {\"scheme\": \"%s\", \"dt\": 0.01, \"until\": 0.1}}",
           force, scheme);
  scene_open_text(run, text);
}

static void an_input_that_is_set_acts_as_a_constant_would(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
    SceneRun by_input, constant;
    open_pushed_block(&by_input, schemes[i], "3*push");
    open_pushed_block(&constant, schemes[i], "15");
    assert_near(asp_world_input(by_input.world, 0).value, 2, 0);
    assert_ok(by_input.context, asp_world_set_input(by_input.world, 0, 5));
    scene_finish(&by_input);
    scene_finish(&constant);
    assert_true(asp_world_state_hash(by_input.world) == asp_world_state_hash(constant.world));
    assert_near(asp_world_state(by_input.world)->v[0], 15 / 2. * 0.1, 1e-12);
    scene_close(&by_input);
    scene_close(&constant);
  }
}

/* A lift whose height is an input: set as a piece of a parabola every ten steps, it moves as the expression does. */
static void a_body_follows_an_input_with_its_rate_and_acceleration(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run,
                  "{\"gravity\": [0, 0, -10], \"inputs\": [{\"name\": \"height\"}], \"materials\": [{\"pair\": [\"a\", "
                  "\"a\"], \"friction\": 0.5}], \"bodies\": [{\"name\": \"lift\", \"motion\": {\"position\": [0, 0, "
                  "\"height\"]}, \"shapes\": [{\"type\": \"box\", \"size\": [2, 2, 1], \"material\": \"a\"}]}, "
                  "{\"name\": \"ball\", \"position\": [0, 0, 1], \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.5, "
                  "\"density\": 1, \"material\": \"a\"}]}], \"run\": {\"dt\": 0.01, \"until\": 1}}");
  int lift = asp_model_find_body(run.scene.model, "lift"), ball = asp_model_find_body(run.scene.model, "ball");
  for (int step = 0; step < 100; step++) {
    double t = asp_world_state(run.world)->t; // 0.5 t^2: upwards with 1 m/s^2
    if (step % 10 == 0)
      assert_ok(run.context, asp_world_set_input_motion(run.world, 0, (AspJet){0.5 * t * t, t, 1}));
    assert_true(scene_step(&run));
    const AspState *now = asp_world_state(run.world);
    assert_near(asp_state_pose(run.scene.model, now, lift).position.z, 0.5 * now->t * now->t, 1e-14);
    assert_near(asp_state_velocity(run.scene.model, now, lift).z, now->t, 1e-14);
    if (step > 0)
      assert_near(asp_state_velocity(run.scene.model, now, ball).z, now->t, 1e-9); // it is carried
  }
  scene_close(&run);
}

static void inputs_that_are_not_finite_or_not_there_are_refused_by_name(void **state) {
  (void)state;
  SceneRun run;
  open_pushed_block(&run, "moreau-jean", "push");
  assert_int_equal(asp_world_set_input(run.world, 0, NAN), ASP_ERROR_VALUE);
  assert_non_null(strstr(asp_context_message(run.context), "input push: nan"));
  assert_int_equal(asp_world_set_input_motion(run.world, 0, (AspJet){0, INFINITY, 0}), ASP_ERROR_VALUE);
  assert_int_equal(asp_world_set_input(run.world, 1, 0), ASP_ERROR_ARGUMENT);
  assert_non_null(strstr(asp_context_message(run.context), "1 is not an input of the model; it has 1"));
  assert_near(asp_world_input(run.world, 0).value, 2, 0);
  scene_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_input_that_is_set_acts_as_a_constant_would),
      cmocka_unit_test(a_body_follows_an_input_with_its_rate_and_acceleration),
      cmocka_unit_test(inputs_that_are_not_finite_or_not_there_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
