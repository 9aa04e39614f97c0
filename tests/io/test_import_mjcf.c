/* MJCF: the leg of scenes/robots, computed by hand, and broken files whose message names the file and the line. */
#include "io/import_testing.h"

#define LEG ASP_SOURCE_DIR "/scenes/robots/leg.xml"
static const double pi = 3.14159265358979323846;

/* The shin hangs 0.5 below the hip and is turned by 30 degrees about y of the hip, which is y turned to -x. */
static void bodies_stand_where_frames_put_them(void **state) {
  (void)state;
  TestScene test = test_import(LEG, NULL);
  const AspModel *model = test.scene.model;
  int shin = asp_model_find_body(model, "shin");
  double capsule = 500 * (pi * 0.05 * 0.05 * 0.4 + 4 * pi / 3 * pow(0.05, 3)), mass = capsule + 0.2;
  double down = (capsule * 0.2 + 0.2 * 0.4) / mass; // of the centre of mass, along -z of the shin
  assert_near(asp_model_body_mass(model, shin), mass, 1e-14);
  // -z of the shin in the hip: (-sin 30, 0, -cos 30); the hip turns x to y
  assert_point(test_scene_position(&test, "shin"), 0, -down * 0.5, 0.5 - down * sqrt(0.75), 1e-14);
  assert_near(asp_model_body_mass(model, asp_model_find_body(model, "hip")), 6, 0);
  AspMat3 box = asp_model_body_inertia(model, asp_model_find_body(model, "hip"));
  assert_near(box.m[0], 6.0 / 3 * (0.04 + 0.09), 1e-14);
  test_scene_end(&test);
}

static void replicas_go_along_the_turned_offset(void **state) {
  (void)state;
  TestScene test = test_import(LEG, NULL);
  assert_point(test_scene_position(&test, "ball0"), 2, 0, 1.1, 1e-14);
  assert_point(test_scene_position(&test, "ball1"), 0, 3, 1.1, 1e-14); // (2, 0) turned by 90 degrees, plus (0, 1)
  AspMat3 inertia = asp_model_body_inertia(test.scene.model, asp_model_find_body(test.scene.model, "ball0"));
  assert_near(inertia.m[1], 0.01, 1e-15);
  assert_near(inertia.m[5], 0.03, 1e-15);
  test_scene_end(&test);
}

static void joints_have_their_limits_springs_and_servos(void **state) {
  (void)state;
  TestScene test = test_import(LEG, NULL);
  const AspModel *model = test.scene.model;
  const AspJointDef *knee = asp_model_joint_def(model, asp_model_find_joint(model, "knee"));
  assert_near(knee->limit_low, -120 * pi / 180, 1e-15);
  assert_near(knee->limit_high, 0, 0);
  assert_near(knee->friction, 0.5, 0);
  assert_near(knee->stiffness, 3, 0);
  assert_near(knee->rest, -60 * pi / 180, 1e-15);
  assert_near(knee->servo_kp, 160, 0); // 40 gear^2
  assert_near(knee->servo_kd, 8, 0);
  assert_near(asp_model_joint_def(model, asp_model_find_joint(model, "lift"))->initial, 0.5, 0);
  assert_near(test.scene.run.dt, 0.001, 0);
  test_scene_end(&test);
}

/* The hip comes down by 0.25; the knee turns by -90 degrees about its point 0.2 above the shin's origin. */
static void a_keyframe_is_the_start(void **state) {
  (void)state;
  TestScene test = test_import(LEG, "import.keyframe=bent");
  assert_point(test_scene_position(&test, "hip"), 0, 0, 0.75, 1e-14);
  // the free body at (0, 0, 2), turned by nothing; the other by half a turn about x
  assert_point(test_scene_position(&test, "ball0"), 0, 0, 2.1, 1e-14);
  assert_point(test_scene_position(&test, "ball1"), 5, 5, 4.9, 1e-14);
  assert_near(asp_model_inputs(test.scene.model)[0].set.value, -80, 0);
  test_scene_end(&test);
}

/* A slider-crank of two bars of length 1, stretched in the reference pose. The keyframe turns the crank and leaves the
 * rest: bars keep their length, and the loop closes within the slider's limits. One hinge is rounded to 1e-5, so all holds to its square. */
#define CRANK                                                                                                          \
  "<mujoco><option timestep='0.001'/><worldbody><body name='crank'><joint name='a' axis='0 -1 0'/>"                    \
  "<inertial pos='0.5 0 0' mass='1' diaginertia='0.01 0.1 0.1'/><body name='rod' pos='1 0 0'>"                         \
  "<joint name='b' axis='1e-5 -1 0'/><inertial pos='1 0 0' mass='1' diaginertia='0.01 0.1 0.1'/></body></body>"        \
  "<body name='slider' pos='2 0 0'><joint name='c' type='slide' axis='1 0 0' range='-1.3 0'/>"                         \
  "<inertial pos='0 0 0' mass='1' diaginertia='0.1 0.1 0.1'/></body></worldbody>"                                      \
  "<equality><connect body1='rod' body2='slider' anchor='1 0 0'/></equality>"                                          \
  "<keyframe><key name='bent' qpos='%s'/></keyframe></mujoco>"

static void assert_crank_closes(const char *qpos, double tolerance) {
  char text[2048], path[512];
  snprintf(text, sizeof text, CRANK, qpos);
  test_import_write(text, path, sizeof path);
  TestScene test = test_import(path, "import.keyframe=bent");
  for (int i = 0; i < 2; i++) { // at the start, and after a while of swinging
    AspVec3 crank = test_scene_position(&test, "crank"), rod = test_scene_position(&test, "rod"),
            slider = test_scene_position(&test, "slider");
    double angle = atan2(crank.z, crank.x);
    assert_near(hypot(crank.x, crank.z), 0.5, tolerance);
    assert_point(slider, 2 * cos(angle), 0, 0, tolerance);
    assert_point(rod, slider.x, 1e-5 * sin(angle), 0, 2e-5);
    test.scene.run.until = 0.3;
    if (i == 0)
      test_scene_run(&test);
    tolerance = 1e-4;
  }
  test_scene_end(&test);
  remove(path);
}

static void loops_close_as_in_the_reference_pose(void **state) {
  (void)state;
  assert_crank_closes("60 0 0", 1e-9); // 60 rad: by many turns
  assert_crank_closes("0.5 -1 -0.3", 1e-9);
  assert_crank_closes("-0.9 0.2 -1.2", 1e-9);
}

static void loops_that_cannot_close_are_told(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspImportReport report;
  char path[512], *scene = NULL, text[2048];
  snprintf(text, sizeof text, CRANK, "0 0 0");
  memcpy(strstr(text, "-1.3 0"), "2.5 9.", 6); // bars reach 2
  test_import_write(text, path, sizeof path);
  assert_int_equal(asp_import_read(context, path, NULL, &scene, &report), ASP_OK);
  assert_int_equal(test_report_count(&report, ASP_IMPORT_IGNORED, "connect"), 1);
  asp_text_destroy(context, scene);
  asp_import_report_destroy(context, &report);
  asp_context_destroy(context);
  remove(path);
}

static void what_is_not_simulated_is_counted(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspImportReport report;
  char *text;
  assert_int_equal(asp_import_read(context, LEG, NULL, &text, &report), ASP_OK);
  assert_int_equal(test_report_count(&report, ASP_IMPORT_IGNORED, "muscle"), 1);
  assert_int_equal(report.total[ASP_IMPORT_IGNORED], 1);
  assert_int_equal(test_report_count(&report, ASP_IMPORT_IRRELEVANT, "light"), 1);
  assert_int_equal(test_report_count(&report, ASP_IMPORT_IRRELEVANT, "key"), 1);
  assert_non_null(strstr(text, "\"knee.coordinate\"")); // the sensor
  // floor (2, 2), box (0, 0): drawn, shin (1, 3): touches the floor by 3 & 2
  assert_non_null(strstr(text, "\"mask\": [0, 1]"));
  asp_text_destroy(context, text);
  asp_import_report_destroy(context, &report);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

#define WORLD(text) "<mujoco>\n<worldbody>" text "</worldbody></mujoco>"

static void broken_files_are_named_with_file_and_line(void **state) {
  (void)state;
  assert_import_refused("<mujoco>\n<include file='none.xml'/></mujoco>", ":2: include: 'none.xml' was not found");
  assert_import_refused(WORLD("<geom class='a'/>"), ":2: geom: there is no default class 'a'");
  assert_import_refused(WORLD("<body childclass='a'/>"), ":2: body: there is no default class 'a'");
  assert_import_refused(WORLD("<body><joint type='screw'/></body>"), ":2: joint: type 'screw' is not hinge");
  assert_import_refused(WORLD("<body><joint axis='0 0 0'/></body>"), ":2: joint: the axis has no length");
  assert_import_refused(WORLD("<geom size='1 2 3 4'/>"), ":2: geom: size has 4 numbers, at most 3 are expected");
  assert_import_refused(WORLD("<geom type='mesh' mesh='m'/>"), ":2: geom: there is no mesh 'm'");
  assert_import_refused(WORLD("<replicate count='1e9'/>"), ":2: replicate: count is 1e+09, expected 0 to 20000");
  assert_import_refused(WORLD("<attach model='m' prefix='a'/>"), ":2: attach: there is no model 'm'");
  assert_import_refused(WORLD("<body name='b'><attach body='b'/></body>"), ":2: attach: 'b' would hold itself");
  assert_import_refused("<mujoco><actuator>\n<motor joint='j'/></actuator></mujoco>",
                        ":2: motor: there is no joint 'j'");
  assert_import_refused("<mujoco><contact>\n<exclude body1='a' body2='b'/></contact></mujoco>",
                        ":2: exclude: there is no body 'a'");
  assert_import_refused("<mujoco><compiler eulerseq='abc'/></mujoco>", "eulerseq 'abc' is not three of x, y, z");
  assert_import_refused("<mujoco><compiler coordinate='polar'/></mujoco>", "coordinate 'polar' is not read");
}

static void files_that_include_themselves_are_refused(void **state) {
  (void)state;
  char path[512], text[700];
  test_import_write("<mujoco/>", path, sizeof path);
  snprintf(text, sizeof text, "<mujoco><include file='%s'/></mujoco>", strrchr(path, '/') + 1);
  assert_import_refused(text, "include: files include each other more than 64 deep");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_stand_where_frames_put_them),
      cmocka_unit_test(replicas_go_along_the_turned_offset),
      cmocka_unit_test(joints_have_their_limits_springs_and_servos),
      cmocka_unit_test(a_keyframe_is_the_start),
      cmocka_unit_test(loops_close_as_in_the_reference_pose),
      cmocka_unit_test(loops_that_cannot_close_are_told),
      cmocka_unit_test(what_is_not_simulated_is_counted),
      cmocka_unit_test(broken_files_are_named_with_file_and_line),
      cmocka_unit_test(files_that_include_themselves_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
