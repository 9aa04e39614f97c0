/* Defaults of MJCF, each in a file of a few lines: lists that a class begins and an element goes on with, orientations,
 * actuators of other kinds in one class, names that are empty, classes of contact that touch nothing, flags. */
#include "io/import_testing.h"

#include <math.h>

static TestScene start(const char *text) { return test_import_text(text, NULL); }

static double mass_of(const TestScene *test, const char *name) {
  return asp_model_body_mass(test->scene.model, asp_model_find_body(test->scene.model, name));
}

/* Of the box .05 .2 .3 of the class the element says the first half: .1; density 200. The class turns its geoms by 90 deg
 * about y, whatever quat an element has, and not one that turns them itself. */
static void short_lists_keep_the_rest_of_their_class(void **state) {
  (void)state;
  TestScene test = start("<mujoco><default><geom type='box' size='.05 .2 .3' density='200' euler='0 90 0'/></default>"
                         "<worldbody><body name='a'><freejoint/><geom size='.1' quat='1 0 0 0'/></body><body name='b' "
                         "pos='9 0 0'><freejoint/><geom zaxis='0 0 1'/></body></worldbody></mujoco>");
  assert_near(mass_of(&test, "a"), 200 * 0.2 * 0.4 * 0.6, 1e-12);
  AspMat3 turned = asp_model_body_inertia(test.scene.model, asp_model_find_body(test.scene.model, "a")),
          upright = asp_model_body_inertia(test.scene.model, asp_model_find_body(test.scene.model, "b"));
  assert_near(turned.m[8], 9.6 / 12 * (0.4 * 0.4 + 0.6 * 0.6), 1e-12); // z of the body is -x of the box
  assert_near(upright.m[8], 4.8 / 12 * (0.1 * 0.1 + 0.4 * 0.4), 1e-12);
  test_scene_end(&test);
}

/* All actuators of a class share their defaults: the gear 2 and the range of its motor, the kp of its position. A kind
 * that an element is sets what it means: kp 50 counts no more for a velocity servo of gain 3. */
static void actuators_of_a_class_share_their_defaults(void **state) {
  (void)state;
#define ARM(n, y) "<body pos='0 " y " 0'><joint name='" n "'/><geom size='.1' pos='1 0 0'/></body>"
  TestScene test = start(
      "<mujoco><default><motor gear='2' ctrlrange='-3 3'/><default class='p'><position kp='50' kv='4'/>"
      "<default class='q'><general gear='5'/></default></default></default><worldbody>" ARM("a", "0") ARM("b", "1")
          ARM("c", "2")
              ARM("d", "3") "</worldbody><actuator><position name='pa' joint='a' "
                            "class='p'/><position name='pb' joint='b' class='q' kp='10'/><velocity name='vc' joint='c' "
                            "class='p' kv='3'/><general name='gd' joint='d' class='p'/></actuator></mujoco>");
  assert_near(test_joint_def(&test, "a")->servo_kp, 50 * 4, 1e-12);
  assert_near(test_joint_def(&test, "a")->servo_kd, 4 * 4, 1e-12);
  assert_near(test_joint_def(&test, "b")->servo_kp, 10 * 25, 1e-12);
  assert_near(test_joint_def(&test, "b")->servo_kd, 4 * 25, 1e-12);
  assert_near(test_joint_def(&test, "c")->servo_kp, 0, 0);
  assert_near(test_joint_def(&test, "c")->servo_kd, 3 * 4, 1e-12);
  assert_near(test_joint_def(&test, "d")->servo_kp, 50 * 4, 1e-12);
  test_scene_end(&test);
}

static int contacts_after(const char *text, double until) {
  TestScene test = start(text);
  test.scene.run.until = until;
  int count = test_scene_run(&test);
  test_scene_end(&test);
  return count;
}

/* contype 1 and conaffinity 0 everywhere: nothing touches, though all geoms are of one class. All bits: as -1. */
static void geoms_of_one_class_touch_by_its_masks(void **state) {
  (void)state;
#define DROP(masks)                                                                                                    \
  "<mujoco><default><geom " masks "/></default><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1'>"        \
  "<freejoint/><geom size='.1'/></body></worldbody></mujoco>"
  assert_int_equal(contacts_after(DROP("contype='1' conaffinity='0'"), 0.01), 0);
  assert_int_equal(contacts_after(DROP("contype='1' conaffinity='1'"), 0.01), 1);
  assert_int_equal(contacts_after(DROP("contype='-1' conaffinity='0'"), 0.01), 0);
  assert_int_equal(contacts_after(DROP("contype='-1' conaffinity='2147483648'"), 0.01), 1);
  assert_int_equal(contacts_after("<mujoco><option><flag constraint='disable'/></option><worldbody><geom type='plane' "
                                  "size='1 1 1'/><body pos='0 0 .1'><freejoint/><geom size='.1'/></body></worldbody>"
                                  "</mujoco>",
                                  0.01),
                   0);
  assert_import_refused(DROP("condim='1e14'"), "geom: condim is 1e+14, expected a whole number");
  assert_import_refused(DROP("contype='.5'"), "geom: contype is 0.5, expected a whole number");
}

static void empty_names_are_no_names(void **state) {
  (void)state;
  TestScene test = start("<mujoco><worldbody><body name=''><joint name=''/><geom name='' size='.1' pos='1 0 0'/><body "
                         "name='' pos='2 0 0'><joint name=''/><geom size='.1' pos='1 0 0'/></body></body></worldbody>"
                         "</mujoco>");
  assert_true(asp_model_find_body(test.scene.model, "body2") >= 0);
  assert_true(asp_model_find_joint(test.scene.model, "body2.joint") >= 0);
  test_scene_end(&test);
#define PATH(site)                                                                                                     \
  "<mujoco><worldbody><body><joint/><geom size='.1'/><site name='s'/></body></worldbody><tendon><spatial "             \
  "stiffness='5'>"                                                                                                     \
  "<site site='s'/>\n<site " site "/></spatial></tendon></mujoco>"
  assert_import_refused(PATH(""), ":2: site: the attribute site is missing");
  assert_import_refused(PATH("site=''"), ":2: site: there is no site ''");
}

/* A mesh that is missing is reported where nothing follows from it, and ends the import where a mass does. */
static void masses_of_missing_meshes_are_not_guessed(void **state) {
  (void)state;
#define MESH(inertial, more)                                                                                           \
  "<mujoco><asset><mesh name='m' file='there-is-none.stl'/></asset><worldbody><body name='a'><freejoint/>" inertial    \
  "\n<geom type='mesh' mesh='m' " more "/><geom size='.1' density='0'/></body></worldbody></mujoco>"
  assert_import_refused(MESH("", ""), ":2: geom: the mesh 'm' was not found, or cannot be read, and the mass");
  TestScene test = start(MESH("<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/>", ""));
  assert_near(mass_of(&test, "a"), 2, 0);
  test_scene_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(short_lists_keep_the_rest_of_their_class),
      cmocka_unit_test(actuators_of_a_class_share_their_defaults),
      cmocka_unit_test(geoms_of_one_class_touch_by_its_masks),
      cmocka_unit_test(empty_names_are_no_names),
      cmocka_unit_test(masses_of_missing_meshes_are_not_guessed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
