/* What MJCF has on joints, tendons, sites and in fluids, as motion of scenes: tendons through space, polynomials, ranges
 * of efforts, rotors, weight that is taken off, height fields, damping of ball joints, drag. Closed forms. */
#include "io/import_testing.h"

static TestScene start(const char *text, const char *set, double until) {
  char path[512];
  test_import_write(text, path, sizeof path);
  TestScene test = test_import(path, set);
  AspStepInfo info;
  while (asp_world_state(test.world)->t < until - 1e-9)
    assert_ok(test.context, asp_world_step(test.world, &info));
  return test;
}

static const AspJointRecord *joint_of(const TestScene *test, const char *joint) {
  return &asp_world_joints(test->world)[asp_model_find_joint(test->scene.model, joint)];
}

/* A rope from the ceiling over a pin to a weight on a slide, pulled by a motor: 2 kg, 30 N along it, up. A rope that
 * nothing acts on is left out. */
static void tendons_through_space_pull(void **state) {
  (void)state;
  TestScene test =
      start("<mujoco><option gravity='0 0 -10'/><worldbody><site name='s' pos='-1 0 0'/><geom name='pin' "
            "type='cylinder' size='.1 .2' euler='90 0 0' contype='0' conaffinity='0'/><site name='up' pos='0 0 "
            "1'/><body name='a' pos='.1 0 -1'><joint name='j' type='slide' axis='0 0 1'/><geom size='.05' "
            "mass='2'/><site name='e'/></body></worldbody><tendon><spatial name='t'><site site='s'/><geom geom='pin' "
            "sidesite='up'/><site site='e'/></spatial><spatial name='loose'><site site='s'/><site "
            "site='e'/></spatial></tendon><actuator><motor name='m' tendon='t' gear='-30'/></actuator></mujoco>",
            "import.control=m=1", 0.2);
  assert_near(joint_of(&test, "j")->coordinate, 0.5 * (30.0 / 2 - 10) * 0.04, 1e-9);
  assert_int_equal(asp_model_find_joint(test.scene.model, "loose"), -1);
  test_scene_end(&test);
}

/* A spring beside a servo on the same tendon: both act. x'' = -(3 (x - 1) + 5 (x - 2))/2 from x = 1. */
static void a_spring_and_a_servo_share_a_tendon(void **state) {
  (void)state;
  TestScene test =
      start("<mujoco><option gravity='0 0 0'/><worldbody><site name='s'/><body name='a' pos='1 0 0'><joint "
            "name='j' type='slide' axis='1 0 0'/><geom size='.05' mass='2'/><site "
            "name='e'/></body></worldbody><tendon><spatial name='t' stiffness='3' springlength='1'><site "
            "site='s'/><site site='e'/></spatial></tendon><actuator><position name='p' tendon='t' "
            "kp='5'/></actuator></mujoco>",
            "import.control=p=2", 0.5);
  double rest = (3.0 + 5 * 2) / 8;
  assert_near(joint_of(&test, "j")->coordinate, rest - 1 + (1 - rest) * cos(0.5 * 2), 1e-5);
  test_scene_end(&test);
}

/* b = 0.2 + 0.5 x + x^2 of x = a - 0.3 (its reference), held at a = 0.8. */
static void joints_follow_polynomials_about_their_reference(void **state) {
  (void)state;
  TestScene test = start("<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody><body name='a'><joint "
                         "name='a' ref='.3'/><geom size='.1'/></body><body name='b' pos='1 0 0'><joint name='b'/><geom "
                         "size='.1'/></body></worldbody><equality><joint joint1='b' joint2='a' polycoef='.2 .5 1 0 "
                         "0'/></equality><actuator><position name='p' joint='a' kp='50' kv='20'/></actuator></mujoco>",
                         "import.control=p=0.8", 4);
  double x = joint_of(&test, "a")->coordinate - 0.3;
  assert_near(x, 0.5, 1e-3);
  assert_near(joint_of(&test, "b")->coordinate, 0.2 + 0.5 * x + x * x, 1e-6);
  test_scene_end(&test);
}

/* The range of a joint holds the sum of what comes through two tendons: 4 + 3 and 4 - 3 N m within +-5; I = 1. */
static void ranges_of_joints_hold_what_comes_through_tendons(void **state) {
  (void)state;
  TestScene test =
      start("<mujoco><option gravity='0 0 0'/><worldbody><body name='l'><joint name='l' actuatorfrcrange='-5 5'/><geom "
            "size='.5' mass='10'/></body><body name='r' pos='2 0 0'><joint name='r' actuatorfrcrange='-5 5'/><geom "
            "size='.5' mass='10'/></body></worldbody><tendon><fixed name='f'><joint joint='l' coef='1'/><joint "
            "joint='r' coef='1'/></fixed><fixed name='t'><joint joint='l' coef='1'/><joint joint='r' "
            "coef='-1'/></fixed></tendon><actuator><motor name='f' tendon='f'/><motor name='t' tendon='t' "
            "gear='3'/></actuator><keyframe><key name='go' ctrl='4 1'/></keyframe></mujoco>",
            "import.keyframe=go", 1);
  assert_near(joint_of(&test, "l")->rate, 5, 1e-9);
  assert_near(joint_of(&test, "r")->rate, 1, 1e-9);
  test_scene_end(&test);
}

/* Rotors push along the axes of their sites: half of 80 N up on 2 kg; gravcomp takes the weight off. */
static void sites_push_and_weight_is_taken_off(void **state) {
  (void)state;
  TestScene test =
      start("<mujoco><option gravity='0 0 -10'/><worldbody><body name='drone' euler='0 90 0'><freejoint/><geom "
            "size='.1' mass='2'/><site name='rotor' euler='0 -90 0'/></body><body name='light' pos='3 0 0' "
            "gravcomp='1'><freejoint/><geom size='.1'/></body></worldbody><actuator><motor name='m' site='rotor' "
            "gear='0 0 80 0 0 0'/></actuator></mujoco>",
            "import.control=m=0.5", 0.5);
  assert_point(test_scene_position(&test, "drone"), 0, 0, 0.5 * (40.0 / 2 - 10) * 0.25, 1e-9);
  assert_point(test_scene_position(&test, "light"), 3, 0, 0, 1e-12);
  test_scene_end(&test);
}

/* The first row of elevations has the largest y: the field falls towards +y by 0.5 over 2 m. A ball on a slide lies on
 * it, 0.1 m along the normal from the plane. */
static void height_fields_are_ground(void **state) {
  (void)state;
  TestScene test =
      start("<mujoco><asset><hfield name='h' nrow='2' ncol='3' size='2 1 .5 .1' elevation='0 0 0 2 2 "
            "2'/></asset><worldbody><geom type='hfield' hfield='h' pos='0 0 1' friction='0'/><body name='a' pos='0 -.5 "
            "2'><joint type='slide' axis='0 0 1'/><geom size='.1' friction='0'/></body></worldbody></mujoco>",
            NULL, 2);
  double slope = 0.25, height = 1 + 0.25 + slope * 0.5;
  assert_near(test_scene_position(&test, "a").z, height + 0.1 * sqrt(1 + slope * slope), 1e-6);
  test_scene_end(&test);
}

/* A plate that falls flat: 8 kg, 1 m^2, density 100. A ball joint keeps its damping. */
static void fluids_drag_and_ball_joints_are_damped(void **state) {
  (void)state;
  TestScene test = start("<mujoco><option gravity='0 0 -10' density='100'/><worldbody><body name='plate'><freejoint/>"
                         "<geom type='box' size='.5 .5 .1' mass='8'/></body></worldbody></mujoco>",
                         NULL, 3);
  int plate = asp_model_find_body(test.scene.model, "plate");
  assert_near(asp_state_velocity(test.scene.model, asp_world_state(test.world), plate).z, -sqrt(8 * 10 / 50.0), 1e-6);
  test_scene_end(&test);
  test = start("<mujoco><worldbody><body name='a'><joint name='j' type='ball' damping='2' stiffness='3'/><geom "
               "size='.5'/></body></worldbody></mujoco>",
               NULL, 0);
  const AspJointDef *ball = asp_model_joint_def(test.scene.model, asp_model_find_joint(test.scene.model, "j"));
  assert_near(ball->damping, 2, 0);
  assert_near(ball->stiffness, 3, 0);
  test_scene_end(&test);
}

static void paths_and_fields_that_are_wrong_are_refused(void **state) {
  (void)state;
#define ROPE(path)                                                                                                     \
  "<mujoco><worldbody><site name='s'/><geom name='g' type='box' size='1 1 1'/><body name='a'><freejoint/><geom "       \
  "size='.1'/><site name='e'/></body></worldbody><tendon><spatial stiffness='1'>" path "</spatial></tendon></mujoco>"
  assert_import_refused(ROPE("<site site='s'/><site site='x'/>"), "'x'");
  assert_import_refused(ROPE("<site site='s'/><geom geom='g'/><site site='e'/>"), "'g' is not a sphere or cylinder");
  assert_import_refused(ROPE("<site site='s'/><pulley divisor='0'/><site site='e'/>"), "divisor is 0");
  assert_import_refused("<mujoco><worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>",
                        "there is no hfield 'h'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tendons_through_space_pull),
      cmocka_unit_test(a_spring_and_a_servo_share_a_tendon),
      cmocka_unit_test(joints_follow_polynomials_about_their_reference),
      cmocka_unit_test(ranges_of_joints_hold_what_comes_through_tendons),
      cmocka_unit_test(sites_push_and_weight_is_taken_off),
      cmocka_unit_test(height_fields_are_ground),
      cmocka_unit_test(fluids_drag_and_ball_joints_are_damped),
      cmocka_unit_test(paths_and_fields_that_are_wrong_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
