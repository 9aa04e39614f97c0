/* Limits of joints whose axes turn: what is pressed on a limit by the rotation stays there, and loses no energy. */
#include "io/scene_testing.h"

#include "model/model.h"

/* A bead of 1 kg at the end of a slot in a rotor, 1 m from its axle; both turn with 10 rad/s and no torque acts:
 *   E = (1 + 0.1 + 1) 10^2 / 2 = 105 J for ever, and the limit pushes with m w^2 r = 100 N.
 * Before limits held at the end of a step, 0.01 s steps took 30 J in 2 s. */
#define ROTOR                                                                                                          \
  "{'gravity': [0, 0, 0], 'bodies': [{'name': 'rotor', 'mass': 1, 'inertia': [1, 1, 1], 'angular_velocity': "          \
  "[0, 0, 10]}, {'name': 'bead', 'mass': 1, 'inertia': [0.1, 0.1, 0.1], 'position': [1, 0, 0], 'velocity': "           \
  "[0, 10, 0], 'angular_velocity': [0, 0, 10]}], 'joints': [{'name': 'axle', 'type': 'revolute', 'bodies': "           \
  "['world', 'rotor'], 'point': [0, 0, 0], 'axis': [0, 0, 1]}, {'name': 'slot', 'type': 'prismatic', 'bodies': "       \
  "['rotor', 'bead'], 'point': [1, 0, 0], 'axis': [1, 0, 0], 'limits': [%s]}], 'run': {'dt': 0.01, 'until': 2}}"

static void assert_rotor_turns(const char *limits, const char *scheme, double tolerance) {
  char text[1024];
  snprintf(text, sizeof text, ROTOR, limits);
  TestScene test = test_scene_start(text, scheme);
  test_scene_run(&test);
  const AspState *state = asp_world_state(test.world);
  const AspModel *model = test.scene.model;
  double w = asp_state_angular_velocity(model, state, asp_model_find_body(model, "rotor")).z, r;
  assert_true(asp_joint_value(model, state, asp_model_find_joint(model, "slot"), &r));
  assert_near(r, 0, 1e-3);
  assert_near((1.1 + (1 + r) * (1 + r)) * w * w / 2, 105, 105 * tolerance);
  test_scene_end(&test);
}

static void a_bead_in_a_rotor_stays_on_its_limit(void **state) {
  (void)state;
  assert_rotor_turns("-0.5, 0", "moreau-jean", 0.01);
  assert_rotor_turns("-0.5, 0", "event-driven", 1e-9);
}

/* An arm of two links that swings, straight: its elbow is a limit that a spring presses, or fixed. */
#define ARM                                                                                                            \
  "{'gravity': [0, 0, -9.81], 'bodies': [{'name': 'upper', 'mass': 1, 'inertia': [0.1, 0.1, 0.01], 'position': "       \
  "[0.5, 0, 0]}, {'name': 'lower', 'mass': 1, 'inertia': [0.1, 0.1, 0.01], 'position': [1.5, 0, 0]}], 'joints': "      \
  "[{'name': 'shoulder', 'type': 'revolute', 'bodies': ['world', 'upper'], 'point': [0, 0, 0], 'axis': [0, 1, 0]}, "   \
  "{'name': 'elbow', 'bodies': ['upper', 'lower'], 'point': [1, 0, 0], %s}], 'run': {'dt': 0.005, 'until': 1}}"

/* Where the lower link comes to; no step is divided. */
static AspVec3 swing_arm(const char *elbow) {
  char text[1024];
  snprintf(text, sizeof text, ARM, elbow);
  TestScene test = test_scene_start(text, "moreau-jean");
  while (asp_world_state(test.world)->t < 1 - 1e-9) {
    AspStepInfo info;
    assert_int_equal(asp_world_step(test.world, &info), ASP_OK);
    assert_true(info.certified);
    assert_int_equal(info.parts, 1);
  }
  AspVec3 end = test_scene_position(&test, "lower");
  test_scene_end(&test);
  return end;
}

static void a_limit_that_is_pressed_has_no_impacts(void **state) {
  (void)state;
  AspVec3 free = swing_arm("'type': 'revolute', 'axis': [0, 1, 0], 'limits': [0, 1], 'spring': {'stiffness': 10, "
                           "'rest': -2}");
  AspVec3 fixed = swing_arm("'type': 'fixed'");
  assert_near(free.x, fixed.x, 1e-5);
  assert_near(free.z, fixed.z, 1e-5);
}

/* A knee that a force presses on its limit while the leg swings: positions are taken back to the joints in every step,
 * and the limit is neither passed nor let go by that. */
static void a_limit_that_is_pressed_stays_closed_where_joints_are_corrected(void **state) {
  (void)state;
  TestScene test = test_scene_start(
      "{'dimension': 2, 'gravity': [0, -9.81], 'bodies': [{'name': 'upper', 'mass': 3, 'inertia': 0.01, 'position': "
      "[0, "
      "-0.1]}, {'name': 'lower', 'mass': 4, 'inertia': 0.01, 'position': [0, -0.3]}], 'joints': [{'type': 'revolute', "
      "'bodies': ['world', 'upper'], 'point': [0, 0]}, {'name': 'knee', 'type': 'revolute', 'bodies': ['upper', "
      "'lower'], "
      "'point': [0, -0.2], 'limits': [-1, 0.1]}], 'forces': [{'type': 'force', 'body': 'lower', 'force': [120, 50]}], "
      "'run': {'dt': 0.004, 'until': 0.08}}",
      "moreau-jean");
  const AspModel *model = test.scene.model;
  int knee = asp_model_find_joint(model, "knee"), closed = 0;
  double at;
  while (asp_world_state(test.world)->t < 0.08 - 1e-9) {
    AspStepInfo info;
    assert_int_equal(asp_world_step(test.world, &info), ASP_OK);
    assert_true(info.certified && info.resolved);
    assert_true(asp_joint_value(model, asp_world_state(test.world), knee, &at));
    closed = at > 0.1 - 1e-3 ? closed + 1 : 0;
    assert_true(closed < 2 || fabs(at - 0.1) < 1e-10);
  }
  assert_true(closed > 3);
  test_scene_end(&test);
}

/* Two links that swing into their limits and bounce, in a unit of length; where the second one is after 3 s, in it. */
static void swing(double unit, double restitution, double at[3]) {
  char text[1536];
  double inertia = unit * unit;
  snprintf(text, sizeof text,
           "{'dimension': 2, 'gravity': [0, %.17g], 'bodies': [{'name': 'a', 'mass': 1, 'inertia': %.17g, 'position': "
           "[%.17g, 0], 'shapes': [{'type': 'disk', 'radius': %.17g}]}, {'name': 'b', 'mass': 0.25, 'inertia': %.17g, "
           "'position': [%.17g, 0]}], 'joints': [{'type': 'revolute', 'bodies': ['world', 'a'], 'point': [0, 0], "
           "'limits': [-1.2, 2], 'limit_restitution': %g}, {'type': 'revolute', 'bodies': ['a', 'b'], 'point': "
           "[%.17g, 0], 'limits': [-0.7, 0.7], 'limit_restitution': %g}], 'run': {'dt': 0.005, 'until': 3}}",
           -9.75 * unit, 0.125 * inertia, 0.5 * unit, 0.125 * unit, 0.03125 * inertia, 1.5 * unit, restitution, unit,
           restitution);
  TestScene test = test_scene_start(text, "moreau-jean");
  while (asp_world_state(test.world)->t < 3 - 1e-9)
    assert_int_equal(asp_world_step(test.world, NULL), ASP_OK);
  const AspModel *model = test.scene.model;
  AspPose pose = asp_state_pose(model, asp_world_state(test.world), asp_model_find_body(model, "b"));
  at[0] = pose.position.x / unit;
  at[1] = pose.position.y / unit;
  at[2] = pose.orientation.z;
  test_scene_end(&test);
}

/* Angles have no unit of length: a factor of 2^k changes no digit but those of a solver's tolerance. */
static void limits_of_angles_do_not_know_the_unit_of_length(void **state) {
  (void)state;
  const double unit[] = {1.0 / 1024, 1024, 1.0 / (1 << 20)};
  for (int bounces = 0; bounces < 2; bounces++) {
    double first[3], other[3];
    swing(1, 0.5 * bounces, first);
    for (int i = 0; i < 3; i++) {
      swing(unit[i], 0.5 * bounces, other);
      for (int k = 0; k < 3; k++)
        assert_near(other[k], first[k], 1e-7);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_bead_in_a_rotor_stays_on_its_limit),
                                     cmocka_unit_test(a_limit_that_is_pressed_has_no_impacts),
                                     cmocka_unit_test(limits_of_angles_do_not_know_the_unit_of_length),
                                     cmocka_unit_test(a_limit_that_is_pressed_stays_closed_where_joints_are_corrected)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
