/* A centre of mass off the origin of the body's frame, and inertia along turned axes. */
#include "io/scene_testing.h"
#include "linalg/vec3.h"

/* A physical pendulum: hinge at the frame's origin, centre of mass at the distance l. Small swings have the period
 * 2 pi sqrt((I + m l^2) / (m g l)); after a quarter of it the angle is zero. m = 2, l = 0.5, I = 0.1, g = 9.81:
 * omega^2 = 9.81 / 0.6. */
static void a_pendulum_swings_about_its_frame_with_the_closed_form_period(void **state) {
  (void)state;
  double omega = sqrt(9.81 / 0.6), start = 1e-4;
  for (int dimension = 2; dimension <= 3; dimension++) {
    char text[1200];
    snprintf(text, sizeof text,
             dimension == 2
                 ? "{'dimension': 2, 'gravity': [0, -9.81], 'bodies': [{'name': 'arm', 'mass': 2, 'inertia': "
                   "0.1, 'center_of_mass': [0, -0.5], 'angle': %.17g}], 'joints': [{'type': 'revolute', "
                   "'bodies': ['world', 'arm'], 'point': [0, 0]}], 'run': {'dt': %.17g, 'until': %.17g}}"
                 : "{'gravity': [0, -9.81, 0], 'bodies': [{'name': 'arm', 'mass': 2, 'inertia': [0.1, 0.1, 0.1], "
                   "'center_of_mass': [0, -0.5, 0], 'inertia_orientation': {'axis': [1, 0, 0], 'angle': 0},"
                   "'orientation': {'axis': [0, 0, 1], 'angle': %.17g}}], 'joints': [{'type': 'revolute', "
                   "'bodies': ['world', 'arm'], 'point': [0, 0, 0], 'axis': [0, 0, 1]}], 'run': {'dt': "
                   "%.17g, 'until': %.17g}}",
             start, acos(-1) / 2 / omega / 400, acos(-1) / 2 / omega);
    TestScene test = test_scene_start(text, NULL);
    assert_near(test_scene_position(&test, "arm").y, -0.5 * cos(start), 1e-15);
    test_scene_run(&test);
    AspVec3 at = test_scene_position(&test, "arm");
    assert_near(at.x / 0.5, 0, 1e-5 * start);
    assert_near(test_scene_spin(&test, "arm").z, -omega * start, 1e-4 * omega * start);
    test_scene_end(&test);
  }
}

static void velocities_are_those_of_the_frame(void **state) {
  (void)state;
  TestScene test = test_scene_start("{'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, 1], 'position': [1, 0, 0],"
                                    "'center_of_mass': [0, 2, 0], 'velocity': [3, 0, 0], 'angular_velocity': [0, 0, 5],"
                                    "'shapes': [{'type': 'sphere', 'radius': 1, 'contact': false}]}]}",
                                    NULL);
  AspVec3 x = test_scene_position(&test, "a"), v = test_scene_velocity(&test, "a");
  assert_near(x.x, 1, 0);
  assert_near(x.y, 2, 0);
  assert_near(v.x, 3 - 5 * 2, 0);
  assert_near(asp_model_shape(test.scene.model, 0, NULL)->pose.position.y, -2, 0);
  assert_near(test.scene.centre[0].y, 2, 0);
  test_scene_end(&test);
}

/* Principal moments 1, 2, 2.5 along axes turned by 90 degrees about z: xx and yy change places. */
static void inertia_is_given_along_any_axes(void **state) {
  (void)state;
  TestScene test =
      test_scene_start("{'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 2, 2.5],"
                       "'inertia_orientation': {'axis': [0, 0, 1], 'angle_deg': 90}}, {'name': 'b', 'mass': 1,"
                       "'inertia': [1, 2, 2.5], 'inertia_orientation': {'axis': [0, 0, 1], 'angle_deg': 30}}]}",
                       NULL);
  AspMat3 a = asp_model_body_inertia(test.scene.model, 0), b = asp_model_body_inertia(test.scene.model, 1);
  assert_near(a.m[0], 2, 1e-15);
  assert_near(a.m[4], 1, 1e-15);
  assert_near(a.m[8], 2.5, 1e-15);
  assert_near(b.m[0], 1 * 0.75 + 2 * 0.25, 1e-15);
  assert_near(b.m[1], (1 - 2) * sqrt(3) / 4, 1e-15);
  test_scene_end(&test);
}

static void mistakes_are_named_with_key_value_and_remedy(void **state) {
  (void)state;
#define BODY(keys) "{'bodies': [{'mass': 1, 'shapes': [{'type': 'sphere', 'radius': 1}]" keys "}]}"
  assert_scene_refused(BODY(", 'center_of_mass': [0, 0, 1]"), "/bodies/0/center_of_mass: is given without inertia");
  assert_scene_refused(BODY(", 'inertia_orientation': [1, 0, 0, 0]"),
                       "/bodies/0/inertia_orientation: is given without inertia");
  assert_scene_refused(BODY(", 'inertia': [1, 1, 1], 'center_of_mass': [0, 1]"),
                       "/bodies/0/center_of_mass: expected [x, y, z], found a list of 2");
  assert_scene_refused(BODY(", 'inertia': [1, 1, 1], 'center_of_mass': [0, 0, 1e16]"),
                       "/bodies/0/center_of_mass/2: 1e+16 is outside");
  assert_scene_refused(BODY(", 'inertia': [1, 1, 1], 'inertia_orientation': [1, 1, 0, 0]"),
                       "/bodies/0/inertia_orientation: the quaternion [w, x, y, z] has length 1.41421356 instead of 1");
  assert_scene_refused(BODY(", 'inertia': [1, 1, 1], 'centre_of_mass': [0, 0, 0]"),
                       "unknown key; did you mean 'center_of_mass'?");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pendulum_swings_about_its_frame_with_the_closed_form_period),
      cmocka_unit_test(velocities_are_those_of_the_frame),
      cmocka_unit_test(inertia_is_given_along_any_axes),
      cmocka_unit_test(mistakes_are_named_with_key_value_and_remedy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
