/* Rules of MJCF's compiler and options, each in a file of a few lines with a closed form: masses of meshes, primitives
 * that are fitted to meshes, balanced inertias, sums of one coordinate, things that are turned off, sensors. */
#include "io/import_testing.h"

static double mass_of(const TestScene *test, const char *name) {
  return asp_model_body_mass(test->scene.model, asp_model_find_body(test->scene.model, name));
}

static AspMat3 inertia_of(const TestScene *test, const char *name) {
  return asp_model_body_inertia(test->scene.model, asp_model_find_body(test->scene.model, name));
}

/* A cube of 2 m about its middle, 12 triangles. */
#define CUBE                                                                                                           \
  "vertex='-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1 -1 1 1 1 1 1' face='0 2 1 1 2 3 4 5 6 5 7 6 0 1 4 1 5 4 2 "  \
  "6 "                                                                                                                 \
  "3 3 6 7 0 4 2 2 4 6 1 3 5 3 7 5'"

/* Solid 8 m^3, its moment 8 (2^2 + 2^2)/12. Shell 24 m^2: two faces turn about their own normal, 4 * 4/6 each; four at
 * 1 m, 4 * 4/12 + 4 each. The hull is the cube too. Density 3. */
static void meshes_are_solids_hulls_or_shells(void **state) {
  (void)state;
  TestScene test =
      test_import_run("<mujoco><asset><mesh name='solid' inertia='exact' " CUBE "/><mesh name='hull' "
                      "inertia='convex' " CUBE "/><mesh name='shell' inertia='shell' " CUBE "/></asset><worldbody>"
                      "<body name='a'><freejoint/><geom type='mesh' mesh='solid' density='3'/></body><body name='b' "
                      "pos='9 0 0'><freejoint/><geom type='mesh' mesh='hull' density='3'/></body><body name='c' "
                      "pos='0 9 0'><freejoint/><geom type='mesh' mesh='shell' density='3'/></body></worldbody>"
                      "</mujoco>",
                      NULL, 0);
  const char *const names[] = {"a", "b", "c"};
  const double mass[] = {24, 24, 72}, moment[] = {16, 16, 3 * (2 * 8 / 3.0 + 4 * (4 / 3.0 + 4))};
  for (int i = 0; i < 3; i++) {
    assert_near(mass_of(&test, names[i]), mass[i], 1e-12);
    for (int k = 0; k < 3; k++)
      assert_near(inertia_of(&test, names[i]).m[4 * k], moment[i], 1e-11);
  }
  test_scene_end(&test);
}

static void faces_that_do_not_fit_are_refused(void **state) {
  (void)state;
#define FACES(face)                                                                                                    \
  "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='" face "'/></asset><worldbody><body>"          \
  "<freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>"
  assert_import_refused(FACES("0 1 2 0 1"), "face must be three numbers of vertices each, 0 to 3");
  assert_import_refused(FACES("0 1 4"), "face must be three numbers");
  assert_import_refused(FACES("0 1.5 2"), "face must be three numbers");
  assert_import_refused(FACES("0 -1 2"), "face must be three numbers");
  assert_import_refused(FACES("0 nan 2"), "nan");
}

/* The box of the same inertia as the mesh of 2 x 2 x 6 m is that box: a capsule about it has the radius 1 and between
 * its ends 2 (3 - 1/2) m along the longest side, here x; a sphere the mean of 1, 1, 3. Sizes that are given do not count. */
static void primitives_are_fitted_to_meshes(void **state) {
  (void)state;
  TestScene test =
      test_import_run("<mujoco><asset><mesh name='m' scale='3 1 1' inertia='exact' " CUBE "/></asset><worldbody>"
                      "<body name='box'><freejoint/><geom type='box' mesh='m' density='1' size='9 9 9'/></body>"
                      "<body name='rod' pos='0 9 0'><freejoint/><geom type='capsule' mesh='m' density='1'/></body>"
                      "<body name='ball' pos='0 0 9'><freejoint/><geom type='sphere' mesh='m' fitscale='.5' "
                      "density='1'/></body></worldbody></mujoco>",
                      NULL, 0);
  double pi = 4 * atan(1.0), r = 5 / 6.0, l = 5;
  assert_near(mass_of(&test, "box"), 24, 1e-10);
  assert_near(inertia_of(&test, "box").m[0], 24 * 8 / 12.0, 1e-10);
  assert_near(inertia_of(&test, "box").m[4], 24 * 40 / 12.0, 1e-10);
  assert_near(mass_of(&test, "rod"), pi * l + 4 * pi / 3, 1e-10);
  assert_near(inertia_of(&test, "rod").m[0], pi * l / 2 + 4 * pi / 3 * 0.4, 1e-10); // x is the axis
  assert_near(mass_of(&test, "ball"), 4 * pi / 3 * r * r * r, 1e-10);
  test_scene_end(&test);
}

/* 1 + 1 < 4: no body has that; the mean is 2. The other stays. */
static void inertias_are_balanced_where_asked(void **state) {
  (void)state;
  TestScene test = test_import_run(
      "<mujoco><compiler balanceinertia='true'/><worldbody><body name='a'><freejoint/><inertial pos='0 0 0' "
      "mass='1' diaginertia='1 1 4'/></body><body name='b'><freejoint/><frame pos='1 0 0'><frame pos='0 2 0'>"
      "<inertial pos='0 0 3' mass='1' diaginertia='1 2 3'/></frame></frame></body></worldbody></mujoco>",
      NULL, 0);
  for (int k = 0; k < 3; k++) {
    assert_near(inertia_of(&test, "a").m[4 * k], 2, 1e-14);
    assert_near(inertia_of(&test, "b").m[4 * k], 1 + k, 1e-14);
  }
  assert_point(test_scene_position(&test, "b"), 1, 2, 3, 1e-14);
  test_scene_end(&test);
}

/* A tendon L = -2 q of one joint with everything on it, and a motor through it: 3 N against 2 q. */
static void sums_of_one_coordinate_are_on_the_joint(void **state) {
  (void)state;
  const char *text =
      "<mujoco><option gravity='0 0 0'/><worldbody><body name='a'><joint name='j' type='slide' axis='1 0 0' "
      "stiffness='1' armature='.5'/><geom size='.1' mass='1'/></body></worldbody><tendon><fixed name='t' range='-3 1' "
      "stiffness='5' springlength='.4' damping='2' frictionloss='.25' armature='.75'><joint joint='j' coef='-2'/>"
      "</fixed></tendon><actuator><motor name='m' tendon='t' gear='%s'/></actuator></mujoco>";
  char with[1024];
  snprintf(with, sizeof with, text, "3");
  TestScene test = test_import_run(with, NULL, 0);
  const AspJointDef *joint = test_joint_def(&test, "j");
  assert_near(joint->limit_low, -0.5, 0);
  assert_near(joint->limit_high, 1.5, 0);
  assert_near(joint->stiffness, 1 + 4 * 5, 0);
  assert_near(joint->rest, 20 * -0.2 / 21, 1e-15); // the joint's own spring rests at 0
  assert_near(joint->damping, 8, 0);
  assert_near(joint->friction, 0.5, 0);
  assert_near(joint->armature, 0.5 + 3, 0);
  test_scene_end(&test);
}

/* Gravity alone acts: the slide falls freely, through its limit. */
static void what_a_flag_turns_off_does_not_act(void **state) {
  (void)state;
  TestScene test = test_import_run(
      "<mujoco><option gravity='0 0 -10' timestep='.01'><flag limit='disable' equality='disable' spring='disable' "
      "damper='disable' frictionloss='disable' actuation='disable'/></option><worldbody><body name='a'><joint "
      "name='j' type='slide' range='-.1 .1' stiffness='50' damping='5' frictionloss='2'/><geom size='.1' mass='1'/>"
      "</body><body name='b' pos='1 0 0'><joint name='k' type='slide'/><geom size='.1'/></body></worldbody><tendon>"
      "<fixed><joint joint='j' coef='1'/><joint joint='k' coef='1'/></fixed></tendon><equality><joint joint1='j' "
      "joint2='k' polycoef='0 -1 0 0 0'/></equality><actuator><position joint='j' kp='90'/></actuator></mujoco>",
      NULL, 1);
  assert_point(test_scene_position(&test, "a"), 0, 0, -5, 1e-9);
  test_scene_end(&test);
}

/* A cylinder of 2 m^2 pushes 1 kg with 3 Pa and its bias: 2 * 3 + 4 = 10 N; two tendons of which one follows the other:
 * p = 2 q, 1 kg and 1 kg, driven by the 10 N on p: (1 + 1/4) p'' = 10. The lag of the cylinder is reported. */
static void cylinders_push_and_tendons_follow_each_other(void **state) {
  (void)state;
  TestScene test = test_import_run(
      "<mujoco><option gravity='0 0 0' timestep='.01'/><worldbody><body name='a'><joint name='p' type='slide' "
      "axis='1 0 0'/><geom size='.1' mass='1'/></body><body name='b' pos='0 1 0'><joint name='q' type='slide' "
      "axis='1 0 0'/><geom size='.1' mass='1'/></body></worldbody><tendon><fixed name='s'><joint joint='p' coef='1'/>"
      "</fixed><fixed name='t'><joint joint='q' coef='4'/></fixed></tendon><equality><tendon tendon1='s' tendon2='t' "
      "polycoef='0 .5 0 0 0'/></equality><actuator><cylinder name='c' joint='p' area='2' bias='4 0 0' timeconst='.1'/>"
      "</actuator></mujoco>",
      "import.control=c=3", 1);
  assert_point(test_scene_position(&test, "a"), 4, 0, 0, 1e-8);
  assert_point(test_scene_position(&test, "b"), 2, 1, 0, 1e-8);
  test_scene_end(&test);
}

/* A fourth hinge on a body would be dependent; a rope that starts longer than its range has the length as its limit. */
static void what_scenes_cannot_have_is_refused_or_said(void **state) {
  (void)state;
  assert_import_refused("<mujoco><worldbody><body name='b'>\n<joint/><joint axis='1 0 0'/><joint axis='0 1 0'/><joint "
                        "axis='1 1 0'/><geom size='.1'/></body></worldbody></mujoco>",
                        ":2: body 'b': 4 hinges and 0 slides on one body");
#define BODIES(text) "<mujoco><worldbody>\n" text "</worldbody></mujoco>"
#define TIMES        "<replicate count='100'>"
  assert_import_refused(BODIES("<body name='a'/><body name='a'/>"), ":2: there are two bodies 'a'");
  assert_import_refused(BODIES("<body><joint name='j'/></body><body><joint name='j'/></body>"), "two joints 'j'");
  assert_import_refused(BODIES("<body quat='0 0 0 0'/>"), ":2: body: quat has no length");
  assert_import_refused(BODIES(TIMES TIMES TIMES TIMES TIMES TIMES "</replicate></replicate></replicate></replicate>"
                                                                   "</replicate></replicate>"),
                        ":2: replicate: more than 20000 copies in all");
  TestScene test = test_import_run(
      "<mujoco><option gravity='0 0 0'/><worldbody><site name='o' pos='.1 .2 .3'/><body pos='.7 .11 .13'>"
      "<freejoint/><geom size='.1'/><site name='e'/></body></worldbody><tendon><spatial name='t' range='0 .1'>"
      "<site site='o'/><site site='e'/></spatial></tendon></mujoco>",
      NULL, 0);
  assert_near(test_joint_def(&test, "t")->limit_high, sqrt(.36 + .0081 + .0289), 1e-11);
  test_scene_end(&test);
}

static double value_of(const AspProbes *probes, const char *name) {
  for (int i = 0; i < asp_probes_count(probes); i++)
    if (strcmp(asp_probes_name(probes, i), name) == 0)
      return asp_probes_value(probes, i);
  fail_msg("no column is called %s", name);
  return NAN;
}

/* 1.1 N m turn 1.1 kg m^2 about z for 1 s: 1 rad/s, 0.5 rad. Its centre of mass is 1 m from the axis, the site on a
 * part without joints 2 m. What has no probe is counted. */
static void sensors_are_probes(void **state) {
  (void)state;
  TestScene test = test_import_run(
      "<mujoco><option gravity='0 0 -10' timestep='.001'/><worldbody><body name='a'><joint name='j'/><geom name='g' "
      "size='.5' mass='1' pos='1 0 0'/><body name='tip' pos='1 0 0'><site name='s' pos='1 0 0'/></body></body>"
      "</worldbody><actuator><motor name='m' joint='j'/></actuator><sensor><jointpos name='angle' joint='j'/><jointvel "
      "joint='j'/><framepos name='p' objtype='site' objname='s'/><framelinvel "
      "name='v' objtype='geom' objname='g'/><framepos name='c' objtype='body' objname='a'/><framepos name='x' "
      "objtype='xbody' objname='tip'/><frameangvel name='w' objtype='body' objname='a'/><clock name='now'/><e_kinetic "
      "name='T'/><gyro site='s'/></sensor></mujoco>",
      "import.control=m=1.1", 1);
  AspProbes *probes = NULL;
  assert_ok(test.context, asp_probes_create(test.context, &test.scene, test.world, &probes));
  const struct {
    const char *name;
    double value;
  } rows[] = {{"angle", 0.5},    {"j.rate", 1},     {"p.x", 2 * cos(0.5)}, {"p.y", 2 * sin(0.5)}, {"v.x", -sin(0.5)},
              {"v.y", cos(0.5)}, {"c.x", cos(0.5)}, {"c.y", sin(0.5)},     {"x.x", cos(0.5)},     {"w.z", 1},
              {"now", 1},        {"T", 0.55}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_near(value_of(probes, rows[i].name), rows[i].value, 1e-6);
  asp_probes_destroy(probes);
  test_scene_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(meshes_are_solids_hulls_or_shells),
      cmocka_unit_test(faces_that_do_not_fit_are_refused),
      cmocka_unit_test(primitives_are_fitted_to_meshes),
      cmocka_unit_test(inertias_are_balanced_where_asked),
      cmocka_unit_test(sums_of_one_coordinate_are_on_the_joint),
      cmocka_unit_test(what_a_flag_turns_off_does_not_act),
      cmocka_unit_test(cylinders_push_and_tendons_follow_each_other),
      cmocka_unit_test(what_scenes_cannot_have_is_refused_or_said),
      cmocka_unit_test(sensors_are_probes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
