/* The scheme compliant: closed forms through the world, joints, records and flows, what it refuses, how
 * it ends early. */
#include "world/scene_runner.h"

#define GROUND2D "{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-plane\"}]}"

static AspRunOptions springs(const AspRunOptions *given) {
  AspRunOptions options = *given;
  options.scheme = ASP_SCHEME_COMPLIANT;
  options.cone = ASP_CONE_EXACT;
  return options;
}

/* In damped, out free: e = exp(-z acos z / sqrt(1 - z^2)), z = c / (2 sqrt(m k)). */
static void bounce_gives_back_what_its_damper_leaves(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run, "{\"dimension\": 2, \"gravity\": [0, 0], \"materials\": [{\"pair\": [\"*\", \"*\"], "
                        "\"friction\": 0}], \"bodies\": [" GROUND2D ", {\"name\": \"ball\", \"mass\": 2, \"inertia\": "
                        "1, \"position\": [0, 0.2], \"velocity\": [0, -3], \"shapes\": [{\"type\": \"disk\", "
                        "\"radius\": 0.1}]}], \"run\": {\"scheme\": \"compliant\", \"dt\": 0.02, \"until\": 0.2, "
                        "\"compliant\": {\"stiffness\": 2e4, \"damping\": 160}}}");
  double impulse = 0, taken = 0;
  while (scene_step(&run)) {
    for (int i = 0; i < asp_world_contact_count(run.world); i++)
      impulse += asp_world_contacts(run.world)[i].impulse[0];
    taken += run.info.flow.impacts;
    assert_near(run.info.flow.remainder, 0, 1e-6);
    assert_near(run.info.momentum.linear_remainder.y, 0, 1e-7);
  }
  assert_int_equal(run.uncertified, 0);
  const double z = 160 / (2 * sqrt(2 * 2e4)), e = exp(-z * acos(z) / sqrt(1 - z * z));
  assert_near(scene_velocity(&run, "ball").y, 3 * e, 1e-7);
  assert_near(impulse, 2 * 3 * (1 + e), 1e-6);
  assert_near(taken, 0.5 * 2 * 9 * (1 - e * e), 1e-6);
  scene_close(&run);
}

/* A pendulum (rigid joint) swings into its limit and rests on it: the spring carries m g l / 2 cos(angle). */
static void pendulum_rests_on_the_spring_of_its_limit(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run, "{\"dimension\": 2, \"gravity\": [0, -10], \"bodies\": [{\"name\": \"rod\", \"mass\": 1, "
                        "\"inertia\": 0.1, \"position\": [1, 0]}], \"joints\": [{\"name\": \"hinge\", \"type\": "
                        "\"revolute\", \"bodies\": [\"world\", \"rod\"], \"point\": [0, 0], \"limits\": [-0.5, 1], "
                        "\"friction\": 0.2}], \"run\": {\"scheme\": \"compliant\", \"dt\": 0.05, \"until\": 3, "
                        "\"compliant\": {\"stiffness\": 1e4, \"damping\": 100, \"slip_damping\": 50}}}");
  scene_finish(&run);
  double angle = scene_joint(&run, "hinge")->coordinate;
  assert_near(angle, -0.5 - 10 * cos(angle) / 1e4, 1e-5); // the damper of its friction creeps there
  assert_near(scene_joint(&run, "hinge")->limit, 10 * cos(angle), 0.01);
  assert_near(scene_joint(&run, "hinge")->force.y, 10, 1e-3);
  assert_at_most(run.drift_max, 1e-6);
  scene_close(&run);
}

/* Springs of 1e4 to 1e7 N/m under a box that rests: the static deflection m g / (4 k), and the weight
 * in its contacts. */
static void resting_box_sinks_by_its_weight_over_the_stiffness(void **state) {
  (void)state;
  for (double k = 1e4; k < 2e7; k *= 1e3) {
    SceneRun run;
    scene_open(&run, "peers/flat_cube", 0);
    asp_world_destroy(run.world);
    run.scene.run = springs(&run.scene.run);
    run.scene.run.stiffness = k;
    run.scene.run.damping = 0.1 * k;
    assert_ok(run.context, asp_world_create(run.context, run.scene.model, &run.scene.run, &run.world));
    double height = scene_position(&run, "box 1").z;
    scene_finish(&run);
    double mass = asp_model_body_mass(run.scene.model, scene_body(&run, "box 1"));
    double weight = mass * -asp_model_gravity(run.scene.model).z;
    assert_near(height - scene_position(&run, "box 1").z, weight / (4 * k), 1e-3 * weight / k + 1e-9);
    assert_near(asp_world_contact_totals(run.world)[scene_body(&run, "box 1")].force.z, weight, 1e-3 * weight);
    scene_close(&run);
  }
}

static void laws_that_springs_do_not_know_are_refused_by_name(void **state) {
  (void)state;
  const char *text = "{\"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.5, \"spinning\": 0.01}], \"bodies\": "
                     "[{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]}, {\"name\": "
                     "\"ball\", \"mass\": 1, \"inertia\": [1, 1, 1], \"shapes\": [{\"type\": \"sphere\", \"radius\": "
                     "1}]}], \"run\": {\"scheme\": \"compliant\"}}";
  SceneRun run = {.context = asp_context_create(NULL)};
  assert_ok(run.context, asp_scene_parse(run.context, text, strlen(text), "text", &run.scene, NULL));
  assert_int_equal(asp_world_create(run.context, run.scene.model, &run.scene.run, &run.world), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(run.context), "\"spinning\""));
  scene_close(&run);
}

static bool at_once(void *user) {
  ++*(int *)user;
  return true;
}

static void long_step_can_be_stopped_and_made_again(void **state) {
  (void)state;
  SceneRun run;
  int asked = 0;
  scene_open(&run, "peers/bouncing_ball", 0.5);
  asp_world_destroy(run.world);
  run.scene.run = springs(&run.scene.run);
  assert_ok(run.context, asp_world_create(run.context, run.scene.model, &run.scene.run, &run.world));
  assert_int_equal(asp_world_warning_count(run.world), 1); // restitution is not looked at
  asp_context_set_stop(run.context, at_once, &asked);
  assert_int_equal(asp_world_step(run.world, &run.info), ASP_ERROR_INTERRUPTED);
  assert_int_equal(asked, 1);
  asp_context_set_stop(run.context, NULL, NULL);
  assert_ok(run.context, asp_world_step(run.world, &run.info));
  assert_near(run.info.t, 0.5, 0);
  scene_close(&run);
}

static void its_time_on_the_clock_can_be_limited(void **state) {
  (void)state;
  SceneRun run;
  AspCompliant *compliant;
  bool opened;
  scene_open(&run, "peers/bouncing_ball", 0);
  AspCompliantOptions options = asp_compliant_default_options();
  options.max_time = 1e-9;
  assert_ok(run.context, asp_compliant_create(run.context, run.scene.model, &options, &compliant));
  assert_int_equal(asp_compliant_advance(compliant, 5, false, &opened), ASP_ERROR_INTERRUPTED);
  asp_compliant_destroy(compliant);
  scene_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bounce_gives_back_what_its_damper_leaves),
      cmocka_unit_test(pendulum_rests_on_the_spring_of_its_limit),
      cmocka_unit_test(resting_box_sinks_by_its_weight_over_the_stiffness),
      cmocka_unit_test(laws_that_springs_do_not_know_are_refused_by_name),
      cmocka_unit_test(long_step_can_be_stopped_and_made_again),
      cmocka_unit_test(its_time_on_the_clock_can_be_limited),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
