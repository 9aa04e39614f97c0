/* Words of robot models, each in a file of a few lines with a closed form. */
#include "io/import_testing.h"

/* Neither touches by contype; the pair does. Gravity (3, 0, -10): friction 0.2 leaves 1 m/s^2 along x. */
static void pairs_touch_with_a_law_of_their_own(void **state) {
  (void)state;
  TestScene test =
      test_import_run("<mujoco><option gravity='3 0 -10' timestep='0.01'/><default><geom contype='0' conaffinity='0'/>"
                      "</default><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
                      "<body name='slides' pos='0 0 0.1'><freejoint/><geom name='a' type='box' size='.1 .1 .1'/></body>"
                      "<body name='falls' pos='0 5 0.1'><freejoint/><geom name='b' type='box' size='.1 .1 .1'/></body>"
                      "</worldbody><contact><pair geom1='a' geom2='floor' friction='0.2 0.2'/></contact></mujoco>",
                      NULL, 1);
  assert_point(test_scene_position(&test, "slides"), 0.5, 0, 0.1, 1e-9);
  assert_point(test_scene_position(&test, "falls"), 1.5, 5, 0.1 - 5, 1e-9);
  test_scene_end(&test);
}

/* A body that is welded to a guided one goes where the input says: x = 0.5 t^2. */
static void guided_bodies_have_inputs(void **state) {
  (void)state;
  TestScene test =
      test_import_run("<mujoco><option timestep='0.01'/><worldbody><body name='hand' mocap='true' pos='0 0 1'/>"
                      "<body name='load' pos='0 0 0.5'><freejoint/><geom size='.1'/></body></worldbody>"
                      "<equality><weld body1='hand' body2='load'/></equality></mujoco>",
                      "import.control=hand_x=0.5*t^2", 1);
  assert_point(test_scene_position(&test, "load"), 0.5, 0, 0.5, 1e-9);
  test_scene_end(&test);
}

/* q1 + q2 stays: 8 N move 1 kg and 3 kg, opposite ways, with 2 m/s^2. */
static void a_tendon_that_is_held_couples(void **state) {
  (void)state;
  TestScene test = test_import_run(
      "<mujoco><option gravity='0 0 0' timestep='0.01'/><worldbody><body name='a'>"
      "<joint name='p' type='slide' axis='1 0 0'/><geom size='.1' mass='1'/></body>"
      "<body name='b' pos='0 1 0'><joint name='q' type='slide' axis='1 0 0'/><geom size='.1' mass='3'/>"
      "</body></worldbody><tendon><fixed name='sum'><joint joint='p' coef='1'/><joint joint='q' coef='1'/>"
      "</fixed></tendon><equality><tendon tendon1='sum'/></equality><actuator><motor name='u' joint='p'/>"
      "</actuator></mujoco>",
      "import.control=u=8", 1);
  assert_point(test_scene_position(&test, "a"), 1, 0, 0, 1e-9);
  assert_point(test_scene_position(&test, "b"), -1, 1, 0, 1e-9);
  test_scene_end(&test);
}

/* 12 N wanted, 5 allowed by the joint; of the other motor -4 in its own range of -9 to 2. Both on 1 kg. */
static void ranges_of_forces_hold(void **state) {
  (void)state;
  TestScene test = test_import_run(
      "<mujoco><option gravity='0 0 0' timestep='0.01'/><worldbody><body name='a'>"
      "<joint name='p' type='slide' axis='1 0 0' actuatorfrcrange='-5 5'/><geom size='.1' mass='1'/></body>"
      "<body name='b' pos='0 1 0'><joint name='q' type='slide' axis='1 0 0'/><geom size='.1' mass='1'/>"
      "</body></worldbody><actuator><motor name='u' joint='p' gear='3'/>"
      "<general name='w' joint='q' gainprm='0' biastype='affine' biasprm='6' forcerange='-9 2'/>"
      "</actuator></mujoco>",
      "import.control=u=4", 1);
  assert_point(test_scene_position(&test, "a"), 2.5, 0, 0, 1e-9);
  assert_point(test_scene_position(&test, "b"), 1, 1, 0, 1e-9);
  test_scene_end(&test);
}

/* Two servos on one joint: kp 30 to 1 and kp 10 to -1 hold it at 0.5. */
static void servos_on_one_joint_add_up(void **state) {
  (void)state;
  TestScene test = test_import_run(
      "<mujoco><option gravity='0 0 0' timestep='0.01'/><worldbody><body name='a'>"
      "<joint name='p' type='slide' axis='1 0 0'/><geom size='.1' mass='1'/></body></worldbody><actuator>"
      "<position name='u' joint='p' kp='30' kv='10'/><position name='w' joint='p' kp='10' kv='5'/>"
      "</actuator><keyframe><key name='k' qpos='0' ctrl='1 -1'/></keyframe></mujoco>",
      "import.keyframe=k", 10);
  assert_point(test_scene_position(&test, "a"), 0.5, 0, 0, 1e-6);
  test_scene_end(&test);
}

static void all_masses_are_scaled_to_their_sum(void **state) {
  (void)state;
  TestScene test =
      test_import_run("<mujoco><compiler settotalmass='12'/><worldbody><body name='a'><freejoint/><geom size='.1' "
                      "mass='1'/></body><body name='b' pos='1 0 0'><freejoint/><geom size='.1' mass='2'/></body>"
                      "</worldbody></mujoco>",
                      NULL, 0);
  const AspModel *model = test.scene.model;
  assert_near(asp_model_body_mass(model, asp_model_find_body(model, "a")), 4, 1e-14);
  assert_near(asp_model_body_inertia(model, asp_model_find_body(model, "b")).m[0], 0.4 * 8 * 0.01, 1e-14);
  test_scene_end(&test);
}

/* Limits beyond 1e15 are none; the effort limit is a motor: 6 N m on 2 kg m^2. */
static void limits_of_sdformat_may_be_huge_and_efforts_are_motors(void **state) {
  (void)state;
  TestScene test = test_import_run(
      "<sdf version='1.9'><world name='w'><gravity>0 0 0</gravity><model name='m'><link name='a'><inertial>"
      "<mass>1</mass><inertia><ixx>2</ixx><iyy>2</iyy><izz>2</izz></inertia></inertial></link><joint "
      "name='j' type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz><limit><lower>"
      "-1.79769e+308</lower><upper>1e16</upper><effort>6</effort></limit></axis></joint></model></world></sdf>",
      "import.control=j=100", 1);
  assert_near(asp_state_angular_velocity(test.scene.model, asp_world_state(test.world),
                                         asp_model_find_body(test.scene.model, "a"))
                  .z,
              3, 1e-9);
  test_scene_end(&test);
}

static void meshes_that_only_mujoco_builds_are_refused(void **state) {
  (void)state;
#define BUILT(words)                                                                                                   \
  "<mujoco><asset><mesh name='m' " words "/></asset><worldbody><body name='a'><freejoint/><geom type='mesh' mesh='m' " \
  "density='1'/></body></worldbody></mujoco>"
  assert_import_refused(BUILT("builtin='wedge' params='8 .5 1 1'"), "builtin 'wedge' is not built here");
  assert_import_refused(BUILT("builtin='supertorus' params='8 .5'"), "a supertorus has 4 numbers");
  assert_import_refused(BUILT("builtin='cone' params='1e9 .5'"), "the first from 3 to 512");
}

/* Masses as MuJoCo 3.14 gives them. */
static void superspheres_tori_and_cones_are_built(void **state) {
  (void)state;
  const struct {
    const char *text;
    double mass;
  } built[] = {{BUILT("builtin='supersphere' params='6 .5 2'"), 2.118189136169318},
               {BUILT("builtin='supertorus' params='6 .5 1 1'"), 4.312499925851403},
               {BUILT("builtin='cone' params='5 .4'"), 2.4727469768243218}};
  for (size_t i = 0; i < sizeof built / sizeof *built; i++) {
    TestScene test = test_import_run(built[i].text, NULL, 0);
    int body = asp_model_find_body(test.scene.model, "a");
    assert_near(asp_model_body_mass(test.scene.model, body), built[i].mass, 1e-7);
    test_scene_end(&test);
  }
}

/* What refers to something that <replicate> copies stands for one element for each copy: three pendulums, each with its
 * motor, its damper to the ceiling and a probe. */
static void references_to_copies_are_copied(void **state) {
  (void)state;
  TestScene test = test_import_run(
      "<mujoco><option gravity='0 0 0'/><worldbody><site name='top' pos='0 0 5'/><replicate count='3' offset='1 0 "
      "0'><body name='p'><joint name='j' type='slide' axis='0 0 1'/><geom size='.1' mass='1'/><site "
      "name='e'/></body></replicate></worldbody><tendon><spatial name='t' stiffness='0' damping='1'><site "
      "site='top'/><site site='e'/></spatial></tendon><actuator><motor name='m' joint='j'/></actuator><sensor>"
      "<jointpos name='s' joint='j'/></sensor></mujoco>",
      NULL, 0);
  const char *const tendons[] = {"t0", "t1", "t2"}, *const motors[] = {"m0", "m1", "m2"};
  for (int i = 0; i < 3; i++) {
    assert_true(asp_model_find_joint(test.scene.model, tendons[i]) >= 0);
    assert_true(asp_model_find_input(test.scene.model, motors[i]) >= 0);
  }
  test_scene_end(&test);
}

/* The foot is 0.03 m in the floor: raised to touch it. */
static void robots_that_start_in_the_ground_are_raised(void **state) {
  (void)state;
  TestScene test =
      test_import_run("<mujoco><option gravity='0 0 -10'/><worldbody><geom type='plane' size='1 1 1'/><body name='a' "
                      "pos='0 0 0.07'><freejoint/><geom size='.1'/></body></worldbody></mujoco>",
                      NULL, 0.1);
  assert_point(test_scene_position(&test, "a"), 0, 0, 0.1, 1e-9);
  test_scene_end(&test);
}

/* As in MuJoCo: as many digits as the count has, the inner copy's number first. */
static void copies_of_copies_have_the_names_of_mujoco(void **state) {
  (void)state;
  TestScene test = test_import_text("<mujoco><worldbody><replicate count='10' sep='-' offset='1 0 0'><replicate "
                                    "count='2' sep='_' offset='0 1 0'><body name='b'><freejoint/><geom size='.1'/>"
                                    "</body></replicate></replicate></worldbody></mujoco>",
                                    NULL);
  assert_point(test_scene_position(&test, "b_1-03"), 3, 1, 0, 1e-14);
  test_scene_end(&test);
}

/* Files of before MuJoCo 2.3.4: places and axes of all that is in a body are those in the world. */
static void places_may_be_those_in_the_world(void **state) {
  (void)state;
  const char *head = "<mujoco><compiler coordinate='global'/><worldbody><body name='a' pos='0 0 1'><joint name='j' "
                     "axis='0 1 0' pos='0 0 1.5'/><geom type='capsule' fromto='0 0 1.5 0 0 1' size='.1'/>";
  char text[1024];
  snprintf(text, sizeof text,
           "%s<body name='b' pos='1 0 1' euler='0 0 90'><joint name='k' axis='1 0 0' pos='1 0 0'/><geom size='.1' "
           "pos='1 0 2'/></body></body></worldbody></mujoco>",
           head);
  TestScene test = test_import_text(text, NULL);
  assert_point(test_scene_position(&test, "a"), 0, 0, 1.25, 1e-15); // the centre of mass
  assert_point(test_scene_position(&test, "b"), 1, 0, 2, 1e-15);
  assert_point(test_joint_def(&test, "j")->point, 0, 0, 1.5, 1e-15);
  assert_point(test_joint_def(&test, "k")->point, 1, 0, 0, 1e-15);
  assert_point(test_joint_def(&test, "k")->axis, 1, 0, 0, 1e-15);
  test_scene_end(&test);
  assert_import_gives(text, "\"center_of_mass\": [0, 0, 1]"); // of b
  snprintf(text, sizeof text, "%s<body name='b'><joint/><geom size='.1'/></body></body></worldbody></mujoco>", head);
  assert_import_refused(text, "body 'b': with coordinate 'global' it needs a pos");
}

/* A fall from rest: v = m g/c (1 - exp(-c t/m)). */
static void free_joints_are_damped(void **state) {
  (void)state;
  TestScene test = test_import_run("<mujoco><option gravity='0 0 -10' timestep='0.001'/><worldbody><body name='b'>"
                                   "<joint type='free' damping='4'/><geom size='.1' mass='2'/></body></worldbody>"
                                   "</mujoco>",
                                   NULL, 1);
  assert_point(test_scene_velocity(&test, "b"), 0, 0, -5 * (1 - exp(-2)), 1e-5);
  test_scene_end(&test);
}

/* An equality of one joint: a slide that is held at 0.1 m carries its body against its weight. */
static void slides_are_held_by_an_equality(void **state) {
  (void)state;
  TestScene test = test_import_run("<mujoco><worldbody><body name='b'><joint name='s' type='slide' axis='0 0 1'/>"
                                   "<geom size='.1'/></body></worldbody><equality><joint joint1='s' polycoef='.1 0 0 0 "
                                   "0'/></equality></mujoco>",
                                   NULL, 0.1);
  assert_point(test_scene_position(&test, "b"), 0, 0, 0.1, 1e-12);
  test_scene_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_touch_with_a_law_of_their_own),
      cmocka_unit_test(guided_bodies_have_inputs),
      cmocka_unit_test(a_tendon_that_is_held_couples),
      cmocka_unit_test(ranges_of_forces_hold),
      cmocka_unit_test(servos_on_one_joint_add_up),
      cmocka_unit_test(all_masses_are_scaled_to_their_sum),
      cmocka_unit_test(limits_of_sdformat_may_be_huge_and_efforts_are_motors),
      cmocka_unit_test(meshes_that_only_mujoco_builds_are_refused),
      cmocka_unit_test(superspheres_tori_and_cones_are_built),
      cmocka_unit_test(references_to_copies_are_copied),
      cmocka_unit_test(robots_that_start_in_the_ground_are_raised),
      cmocka_unit_test(copies_of_copies_have_the_names_of_mujoco),
      cmocka_unit_test(free_joints_are_damped),
      cmocka_unit_test(places_may_be_those_in_the_world),
      cmocka_unit_test(slides_are_held_by_an_equality),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
