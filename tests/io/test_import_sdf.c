/* SDFormat: the crane of scenes/robots, computed by hand, and broken files. */
#include "io/import_testing.h"

#define CRANE ASP_SOURCE_DIR "/scenes/robots/crane.sdf"

/* The boom starts 3 m above the base, which stands at (1, 0, 0), and points along y. */
static void frames_that_hang_on_each_other_are_resolved(void **state) {
  (void)state;
  TestScene test = test_import(CRANE, NULL);
  const AspModel *model = test.scene.model;
  assert_true(asp_model_find_body(model, "base") < 0); // fixed to the world
  assert_near(asp_model_body_mass(model, asp_model_find_body(model, "boom")), 10, 0);
  assert_point(test_scene_position(&test, "boom"), 1, 2, 3, 1e-14);
  assert_point(test_scene_position(&test, "trolley"), 1, 1, 3, 1e-14);
  const AspJointDef *slew = asp_model_joint_def(model, asp_model_find_joint(model, "slew")),
                    *travel = asp_model_joint_def(model, asp_model_find_joint(model, "travel"));
  assert_near(slew->limit_high, 2, 0);
  assert_near(slew->damping, 0.5, 0);
  assert_near(slew->friction, 0.25, 0);
  assert_point(slew->point, 1, 0, 3, 1e-14);
  assert_point(travel->axis, 0, 1, 0, 1e-14); // along y of the model
  test_scene_end(&test);
}

static void what_is_not_simulated_is_counted(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspImportReport report;
  char *text;
  assert_int_equal(asp_import_read(context, CRANE, NULL, &text, &report), ASP_OK);
  assert_int_equal(test_report_count(&report, ASP_IMPORT_IGNORED, "plugin"), 1);
  assert_int_equal(report.total[ASP_IMPORT_IGNORED], 1);
  asp_text_destroy(context, text);
  asp_import_report_destroy(context, &report);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

#define MODEL(text) "<sdf>\n<model name='m'><link name='a'/>" text "</model></sdf>"

static void broken_files_are_named_with_file_and_line(void **state) {
  (void)state;
  assert_import_refused("<sdf/>", ":1: there is no model with a link in it");
  assert_import_refused(MODEL("<link name='b'><pose relative_to='c'/></link>"),
                        ":2: link: there is no link, joint or frame 'c'");
  assert_import_refused(MODEL("<link name='b'><pose relative_to='b'/></link>"), "hang on each other in a ring: 'b'");
  assert_import_refused(MODEL("<joint name='j' type='revolute'><parent>x</parent><child>a</child></joint>"),
                        ":2: joint: there is no link 'x'");
  assert_import_refused(MODEL("<link name='b'><inertial><mass>x</mass></inertial></link>"), "'x' is not a number");
}

/* A model of another file, by its name in the include and at its pose; a joint with two axes; a frame in a model within.
 * The wheel is 1 m in front of the axle, which hangs 0.5 m below a link that stands at (0, 0, 2). */
static void models_of_other_files_are_included(void **state) {
  (void)state;
  char part[512], text[2048], path[512];
  snprintf(part, sizeof part, "%s/tests/import_part_%ld.sdf", ASP_BINARY_DIR, (long)getpid());
  FILE *file = fopen(part, "w");
  assert_non_null(file);
  fputs(
      "<sdf version='1.9'><model name='m'><pose>9 9 9 0 0 0</pose><link name='axle'/><link name='wheel'><pose>1 0 0 0 "
      "0 0</pose></link><joint name='u' type='universal'><parent>axle</parent><child>wheel</child><axis><xyz>0 0 "
      "1</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint></model></sdf>",
      file);
  assert_int_equal(fclose(file), 0);
  snprintf(text, sizeof text,
           "<sdf version='1.11'><world name='w'><include><name>cart</name><pose>0 0 1.5 0 0 1.5707963267948966</pose>"
           "<uri>%s</uri></include><include><uri>model://not_there</uri></include><model name='m'><model "
           "name='i'><pose>0 0 2 0 0 0</pose><link name='a'/></model><link name='b'><pose relative_to='i::a'>0 0 1 0 0 "
           "0</pose></link></model></world></sdf>",
           strrchr(part, '/') + 1);
  test_import_write(text, path, sizeof path);
  TestScene test = test_import(path, NULL);
  assert_point(test_scene_position(&test, "cart::axle"), 0, 0, 1.5, 1e-14);
  assert_point(test_scene_position(&test, "cart::wheel"), 0, 1, 1.5, 1e-14);
  assert_point(test_scene_position(&test, "m::b"), 0, 0, 3, 1e-14);
  assert_true(asp_model_find_joint(test.scene.model, "cart::u") >= 0);
  assert_true(asp_model_find_joint(test.scene.model, "cart::u_2") >= 0);
  test_scene_end(&test);
  remove(part);
}

static TestScene turn(const char *text, const char *set) {
  char path[512];
  test_import_write(text, path, sizeof path);
  TestScene test = test_import(path, set);
  remove(path);
  test.scene.run.until = 1;
  test_scene_run(&test);
  return test;
}

static double turn_rate(const TestScene *test, const char *body) {
  return asp_state_angular_velocity(test->scene.model, asp_world_state(test->world),
                                    asp_model_find_body(test->scene.model, body))
      .z;
}

#define UNIT_LINK(name)                                                                                                \
  "<link name='" name "'><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"   \
  "</link>"
#define HINGE(name, child, more)                                                                                       \
  "<joint name='" name "' type='revolute'><parent>world</parent><child>" child "</child><axis><xyz>0 0 1</xyz>" more   \
  "</axis></joint>"
#define WORLD(text)                                                                                                    \
  "<sdf version='1.11'><world name='w'><gravity>0 0 -10</gravity><model name='m'>" text "</model></world></sdf>"

/* A nut of 1 kg and 1 kg m^2 on a thread of 2 pi m a turn, right-handed: (1 + 1) z'' = -10, and it turns with z' as it
 * sinks. Older files give the pitch in rad/m, with the other sign: a left-handed thread of 2 rad/m, (1 + 4) z'' = -10. */
static void screws_turn_as_they_move(void **state) {
  (void)state;
#define SCREW(pitch)                                                                                                   \
  WORLD(UNIT_LINK("nut") "<joint name='s' type='screw'><parent>world</parent><child>nut</child>" pitch "<axis><xyz>0 " \
                         "0 1</xyz></axis></joint>")
  TestScene test = turn(SCREW("<screw_thread_pitch>6.283185307179586</screw_thread_pitch>"), NULL);
  assert_point(test_scene_position(&test, "nut"), 0, 0, -2.5, 1e-9);
  assert_near(turn_rate(&test, "nut"), -5, 1e-9);
  test_scene_end(&test);
  test = turn(SCREW("<thread_pitch>2</thread_pitch>"), NULL);
  assert_point(test_scene_position(&test, "nut"), 0, 0, -1, 1e-9);
  assert_near(turn_rate(&test, "nut"), 4, 1e-9);
  test_scene_end(&test);
}

/* 10 N m on one of two wheels of 1 kg m^2 each; the other turns twice as fast, backwards: (1 + 4) w' = 10. */
static void gearboxes_couple_two_wheels(void **state) {
  (void)state;
  TestScene test =
      turn(WORLD(UNIT_LINK("a") UNIT_LINK("b") HINGE("p", "a", "<limit><effort>10</effort></limit>") HINGE(
               "q", "b",
               "") "<joint name='g' type='gearbox'><parent>a</parent><child>b</child><gearbox_ratio>2</gearbox_ratio>"
                   "<gearbox_reference_body>world</gearbox_reference_body><axis><xyz>0 0 1</xyz></axis></joint>"),
           "import.control=p=10");
  assert_near(turn_rate(&test, "a"), 2, 1e-9);
  assert_near(turn_rate(&test, "b"), -4, 1e-9);
  test_scene_end(&test);
}

/* q = 3 (p - 0.1) + 0.5: it starts at 0.2, and (1 + 9) p'' = 10. */
static void joints_mimic_others(void **state) {
  (void)state;
  TestScene test = turn(WORLD(UNIT_LINK("a") UNIT_LINK("b") HINGE("p", "a", "<limit><effort>10</effort></limit>") HINGE(
                            "q", "b",
                            "<mimic joint='p'><multiplier>3</multiplier><offset>0.5</offset><reference>0.1</reference>"
                            "</mimic>")),
                        "import.control=p=10");
  assert_near(turn_rate(&test, "a"), 1, 1e-9);
  assert_near(turn_rate(&test, "b"), 3, 1e-9);
  assert_near(asp_world_joints(test.world)[asp_model_find_joint(test.scene.model, "q")].coordinate, 0.2 + 1.5, 1e-9);
  test_scene_end(&test);
}

/* What cannot be coupled is in the report; poses by quaternion; too many numbers are refused. */
static void couplings_that_do_not_fit_are_reported(void **state) {
  (void)state;
  char path[512], *text = NULL;
  test_import_write(
      WORLD(UNIT_LINK("a") UNIT_LINK("b") HINGE("p", "a", "") HINGE(
          "q", "b",
          "<mimic joint='none'/>") "<joint name='g' type='gearbox'><parent>a</parent><child>c</child></joint><link "
                                   "name='c'><pose "
                                   "rotation_format='quat_xyzw'>1 2 3 0 0 1 0</pose></link><joint name='s' "
                                   "type='screw'><parent>c</parent>"
                                   "<child>d</child><axis><xyz>0 0 1</xyz></axis></joint>" UNIT_LINK("d")),
      path, sizeof path);
  AspContext *context = asp_context_create(NULL);
  AspImportReport report;
  assert_ok(context, asp_import_read(context, path, NULL, &text, &report));
  assert_int_equal(test_report_count(&report, ASP_IMPORT_IGNORED, "mimic"), 1);
  assert_int_equal(test_report_count(&report, ASP_IMPORT_IGNORED, "joint"), 2); // the gearbox, the screw without pitch
  assert_non_null(strstr(text, "\"position\": [1, 2, 3]"));
  asp_text_destroy(context, text);
  asp_import_report_destroy(context, &report);
  asp_context_destroy(context);
  remove(path);
  assert_import_refused(MODEL("<link name='b'><pose>1 2 3 4 5 6 7</pose></link>"), "there are 7 numbers");
}

/* A ball of radius 0.1 m falls 0.2 m in a field of 10 m/s^2, and rises again to the square of its restitution 0.5, the
 * smaller one of the two. From a speed on that is out of reach it does not bounce. */
static void surfaces_bounce_with_the_smaller_restitution(void **state) {
  (void)state;
#define BALL(threshold)                                                                                                \
  "<sdf><world name='w'><gravity>0 0 -10</gravity><model name='g'><static>1</static><link name='l'><collision "        \
  "name='c'><geometry><plane/></geometry><surface><bounce><restitution_coefficient>0.8</restitution_coefficient>"      \
  "</bounce></surface></collision></link></model><model name='m'><pose>0 0 0.3 0 0 0</pose><link name='b'>"            \
  "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry><surface><bounce>"                    \
  "<restitution_coefficient>0.5</restitution_coefficient>" threshold "</bounce></surface></collision></link></model>"  \
  "</world></sdf>"
  TestScene test = test_import_run(BALL(""), NULL, 0.3);
  assert_point(test_scene_position(&test, "m::b"), 0, 0, 0.15, 1e-6);
  test_scene_end(&test);
  test = test_import_run(BALL("<threshold>1e5</threshold>"), NULL, 0.3);
  assert_point(test_scene_position(&test, "m::b"), 0, 0, 0.1, 1e-6);
  test_scene_end(&test);
}

/* A coefficient below 0 means friction without limit; a patch of 0.02 m with the coefficient 0.8 resists spinning. */
static void friction_of_surfaces_is_read(void **state) {
  (void)state;
  const char *text =
      "<sdf><model name='m'><link name='b'><collision name='c'><geometry><sphere><radius>0.1</radius></sphere>"
      "</geometry><surface><friction><ode><mu>-1</mu><mu2>-1</mu2></ode><torsional><coefficient>0.5</coefficient>"
      "<patch_radius>0.04</patch_radius></torsional></friction></surface></collision></link></model></sdf>";
  assert_import_gives(text, "\"friction\": 100");
  assert_import_gives(text, "\"spinning\": 0.01178097245096"); // 3 pi/16 0.02
}

/* auto: a box of 0.2 x 0.3 x 0.4 m with 500 kg/m^3, 1 m in front of the link, and a ball that weighs nothing. */
static void automatic_inertias_are_those_of_the_collisions(void **state) {
  (void)state;
  const char *text =
      "<sdf><model name='m'><link name='my body'><inertial auto='true'><density>500</density></inertial><collision "
      "name='c'><pose>1 0 0 0 0 0</pose><geometry><box><size>0.2 0.3 0.4</size></box></geometry></collision><collision "
      "name='d'><density>0</density><geometry><sphere><radius>1</radius></sphere></geometry></collision></link><link "
      "name='arm'/><joint name='j' type='revolute'><parent> my body </parent><child>arm</child></joint></model></sdf>";
  assert_import_gives(text, "\"mass\": 12,\n");
  assert_import_gives(text, "\"center_of_mass\": [1, 0, 0]");
  assert_import_gives(text, "\"name\": \"my body\"");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_that_hang_on_each_other_are_resolved),
      cmocka_unit_test(what_is_not_simulated_is_counted),
      cmocka_unit_test(broken_files_are_named_with_file_and_line),
      cmocka_unit_test(models_of_other_files_are_included),
      cmocka_unit_test(screws_turn_as_they_move),
      cmocka_unit_test(gearboxes_couple_two_wheels),
      cmocka_unit_test(joints_mimic_others),
      cmocka_unit_test(couplings_that_do_not_fit_are_reported),
      cmocka_unit_test(surfaces_bounce_with_the_smaller_restitution),
      cmocka_unit_test(friction_of_surfaces_is_read),
      cmocka_unit_test(automatic_inertias_are_those_of_the_collisions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
