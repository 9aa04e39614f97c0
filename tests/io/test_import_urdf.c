/* URDF: the arm of scenes/robots, computed by hand, and broken files whose message names the file and the line. */
#include "io/import_testing.h"

#define ARM ASP_SOURCE_DIR "/scenes/robots/arm.urdf"

/* upper: z along x of the world, with the plate 1 m out. */
static void fixed_links_are_one_body_with_the_sum_of_their_masses(void **state) {
  (void)state;
  TestScene test = test_import(ARM, NULL);
  const AspModel *model = test.scene.model;
  int upper = asp_model_find_body(model, "upper");
  assert_true(upper >= 0 && asp_model_find_body(model, "plate") < 0);
  assert_near(asp_model_body_mass(model, upper), 4, 1e-15);
  AspMat3 inertia = asp_model_body_inertia(model, upper);
  assert_near(inertia.m[0], 0.2 + 0.01 + 0.25, 1e-14);
  assert_near(inertia.m[4], 0.1 + 0.01 + 0.25, 1e-14);
  assert_near(inertia.m[8], 0.3 + 0.01, 1e-14);
  assert_point(test_scene_position(&test, "upper"), 0.75, 0, 1, 1e-14);
  test_scene_end(&test);
}

static void joints_start_where_the_file_says(void **state) {
  (void)state;
  TestScene test = test_import(ARM, NULL);
  const AspModel *model = test.scene.model;
  const AspJointDef *shoulder = asp_model_joint_def(model, asp_model_find_joint(model, "shoulder"));
  assert_near(shoulder->limit_low, -1, 0);
  assert_near(shoulder->limit_high, 1, 0);
  assert_point(test_scene_position(&test, "finger_l"), 1.1, 0, 1, 1e-14);
  assert_point(test_scene_position(&test, "finger_r"), 1.1, -0.02, 1, 1e-14); // -1 * 0 - 0.02
  assert_int_equal(asp_model_joint_count(model), 4);                          // shoulder, left, right, right.mimic
  test_scene_end(&test);
}

static void a_floating_base_has_no_joint(void **state) {
  (void)state;
  TestScene test = test_import(ARM, "import.base=floating");
  assert_near(asp_model_body_mass(test.scene.model, asp_model_find_body(test.scene.model, "base")), 5, 0);
  assert_int_equal(asp_model_joint_count(test.scene.model), 4);
  test_scene_end(&test);
}

static void what_is_not_simulated_is_counted(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspImportReport report;
  char *text;
  assert_int_equal(asp_import_read(context, ARM, NULL, &text, &report), ASP_OK);
  assert_int_equal(test_report_count(&report, ASP_IMPORT_IGNORED, "limit velocity"), 3);
  assert_int_equal(test_report_count(&report, ASP_IMPORT_IGNORED, "transmission"), 1);
  assert_int_equal(test_report_count(&report, ASP_IMPORT_APPROXIMATED, "inertia"), 1); // of the left finger
  assert_int_equal(test_report_count(&report, ASP_IMPORT_APPROXIMATED, "link"), 1);    // the camera
  assert_int_equal(test_report_count(&report, ASP_IMPORT_IRRELEVANT, "material"), 2);
  assert_int_equal(test_report_count(&report, ASP_IMPORT_TRANSLATED, "link"), 6);
  assert_non_null(strstr(text, "\"right.mimic\""));
  asp_text_destroy(context, text);
  asp_import_report_destroy(context, &report);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

#define LINK(name) "<link name='" name "'/>"
#define JOINT(type, parent, child)                                                                                     \
  "<joint name='j' type='" type "'><parent link='" parent "'/><child link='" child "'/>"

static void broken_files_are_named_with_file_and_line(void **state) {
  (void)state;
  assert_import_refused("<robot>\n<link name='a'>\n</robot>", ":3: not well-formed XML: mismatched tag");
  assert_import_refused("<?xml version='1.0'?>\n<!DOCTYPE r [\n<!ENTITY a 'aaaa'>\n]><robot>&a;</robot>",
                        ":3: declares the entity 'a'");
  assert_import_refused("<!DOCTYPE r [<!ENTITY x SYSTEM '/etc/passwd'>]><robot>&x;</robot>", ":1: declares the entity");
  assert_import_refused("<scene/>", ":1: the root element is <scene>");
  assert_import_refused("<robot/>", ":1: the robot has no link");
  assert_import_refused("<robot>" LINK("a") LINK("b") "\n" JOINT("hinge", "a", "b") "</joint></robot>",
                        ":2: joint type 'hinge' is not known; revolute,");
  assert_import_refused("<robot>" LINK("a") "\n" JOINT("fixed", "a", "b") "</joint></robot>",
                        ":2: the child of the joint 'j' is the link 'b', which does not exist");
  assert_import_refused("<robot>" LINK("a") LINK("b")
                            JOINT("fixed", "a", "b") "</joint>" JOINT("fixed", "b", "a") "</joint></robot>",
                        "nothing to begin with");
  assert_import_refused("<robot>" LINK("a") "\n" LINK("a") "</robot>", ":2: there are two links 'a'");
  assert_import_refused("<robot>" LINK("a") LINK("b") JOINT("revolute", "a", "b") "\n<axis xyz='0 0'/></joint></robot>",
                        ":2: axis: xyz has 2 numbers, expected 3");
  assert_import_refused("<robot>" LINK("a") LINK("b")
                            JOINT("revolute", "a", "b") "\n<axis xyz='0 0 1e99'/></joint></robot>",
                        ":2: axis: '1e99' is not a number within +-1e+15");
  assert_import_refused("<robot>" LINK("a") LINK("b") JOINT("revolute", "a", "b") "<axis xyz='0 0 0'/></joint></robot>",
                        "the axis of the joint 'j' has no length");
}

#define HEAVY(name)                                                                                                    \
  "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
#define TURN(name, parent, child, more)                                                                                \
  "<joint name='" name "' type='continuous'><parent link='" parent "'/><child link='" child "'/><axis xyz='0 0 1'/>"   \
  "<origin xyz='1 0 0' rpy=''/>" more "</joint>"

static double turn_of(const TestScene *test, const char *body) {
  const AspModel *model = test->scene.model;
  AspQuat turned = asp_state_pose(model, asp_world_state(test->world), asp_model_find_body(model, body)).orientation;
  return 2 * atan2(turned.z, turned.w);
}

/* A fixed joint's coordinate is 0: what mimics it stays at its offset. One that is not there is reported. */
static void joints_that_mimic_what_does_not_move_stay(void **state) {
  (void)state;
  char path[512];
  test_import_write("<robot>" HEAVY("a") HEAVY("b") HEAVY("c") HEAVY("d")
                        JOINT("fixed", "a", "b") "</joint>" TURN("k", "b", "c", "<mimic joint='j' offset='.3'/>")
                            TURN("l", "b", "d", "<mimic joint='x'/>") "</robot>",
                    path, sizeof path);
  TestScene test = test_import(path, NULL);
  remove(path);
  assert_point(test_scene_position(&test, "c"), 1, 0, 0, 1e-14);
  assert_near(turn_of(&test, "c"), 0.3, 1e-14);
  bool said = false;
  for (int i = 0; i < test.scene.warnings.count; i++)
    said = said || strstr(test.scene.warnings.line[i], "mimic (1)");
  assert_true(said);
  test.scene.run.until = 0.1;
  test_scene_run(&test);
  assert_near(turn_of(&test, "c"), 0.3, 1e-12);
  test_scene_end(&test);
}

/* Inputs have letters, digits and '_' in their names: of two joints that then have the same one the second gets a number. */
static void names_stay_apart(void **state) {
  (void)state;
  char path[512];
#define DRIVE "<limit effort='1' velocity='1'/>"
  test_import_write("<robot>" HEAVY("a") HEAVY("b") HEAVY("c") TURN("k-1", "a", "b", DRIVE)
                        TURN("k_1", "b", "c", DRIVE) "</robot>",
                    path, sizeof path);
  TestScene test = test_import(path, NULL);
  remove(path);
  assert_true(asp_model_find_input(test.scene.model, "k_1") >= 0);
  assert_true(asp_model_find_input(test.scene.model, "k_1_2") >= 0);
  test_scene_end(&test);
  assert_import_refused("<robot>" HEAVY("a") HEAVY("b") HEAVY("c")
                            TURN("k", "a", "b", "") "\n" TURN("k", "b", "c", "") "</robot>",
                        ":2: there are two joints 'k'");
}

/* An inertia without a mass is left out, and said. */
static void inertias_without_mass_are_named(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspImportReport report;
  char path[512], *text;
  test_import_write("<robot>" HEAVY("a") "<link name='b'><inertial><mass value='0'/><inertia ixx='1' iyy='1' izz='1'/>"
                                         "</inertial></link>" JOINT("fixed", "a", "b") "</joint></robot>",
                    path, sizeof path);
  assert_int_equal(asp_import_read(context, path, NULL, &text, &report), ASP_OK);
  assert_int_equal(test_report_count(&report, ASP_IMPORT_APPROXIMATED, "inertial"), 1);
  asp_text_destroy(context, text);
  asp_import_report_destroy(context, &report);
  asp_context_destroy(context);
  remove(path);
}

static void deep_nesting_is_refused(void **state) {
  (void)state;
  static char text[1 << 16];
  char *at = text;
  for (int i = 0; i < 300; i++)
    at += sprintf(at, "<robot>");
  assert_import_refused(text, "elements nested deeper than 200 levels");
}

/* As found in collections: prefixes that no one declared, text before the declaration. */
static void lenient_where_files_are(void **state) {
  (void)state;
  char path[512];
  test_import_write("\n comment \n<?xml version='1.0'?>\n<robot name='x'><link name='a'/><xacro:if value='1'/></robot>",
                    path, sizeof path);
  TestScene test = test_import(path, NULL);
  assert_int_equal(test.scene.warnings.count, 1);
  assert_non_null(strstr(test.scene.warnings.line[0], "ignored: xacro:if (1)"));
  test_scene_end(&test);
}

#define WEIGHT "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"

/* Files in the wild: a declaration that is none, an encoding by another name, a world that no link is called after. */
static void the_world_and_a_sound_declaration_are_taken_for_granted(void **state) {
  (void)state;
  const char *const heads[] = {"<?xml verison='1.0'?>", "<?xml version='1.0' encoding='ASCII'?>", ""};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    char text[1024], path[512];
    snprintf(text, sizeof text,
             "%s<robot name='r'><link name='a'>" WEIGHT "</link><link name='b'>" WEIGHT "</link><joint name='base' "
             "type='floating'><origin xyz='1 2 3'/><parent link='world'/><child link='a'/></joint><joint name='j' "
             "type='continuous'><origin xyz='0 0 1'/><parent link='a'/><child link='b'/></joint></robot>",
             heads[i]);
    test_import_write(text, path, sizeof path);
    TestScene test = test_import(path, NULL);
    assert_point(test_scene_position(&test, "a"), 1, 2, 3, 0);
    assert_point(test_scene_position(&test, "b"), 1, 2, 4, 0);
    assert_int_equal(asp_model_find_joint(test.scene.model, "base"), -1); // free
    test_scene_end(&test);
    remove(path);
  }
  assert_import_refused("<?xml version='1.0' encoding='klingon'?><robot name='r'/>", ":1: not well-formed XML");
  assert_import_refused("<?xml verison='1.0'", "not well-formed XML");
}

/* Of Gazebo (a text or a value) and of Bullet; of two coefficients the smaller, towards others the link's own. */
static void friction_that_files_say_for_other_programs_counts(void **state) {
  (void)state;
  const char *text =
      "<robot name='r'><link name='a'><contact><lateral_friction value='0.9'/><restitution value='0.25'/></contact>"
      "<collision><geometry><sphere radius='1'/></geometry></collision></link><link name='b'><inertial><mass "
      "value='1'/>"
      "<inertia ixx='1' iyy='1' izz='1'/></inertial><collision><geometry><sphere radius='1'/></geometry></collision>"
      "</link><joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint><gazebo reference='b'>"
      "<mu1>0.3</mu1><mu2 value='0.3'/><kp>1e6</kp><selfCollide>true</selfCollide></gazebo></robot>";
  assert_import_gives(text, "\"pair\": [\"*\", \"*\"],\n      \"friction\": 0.5");
  assert_import_gives(text, "\"pair\": [\"surface0\", \"surface1\"],\n      \"friction\": 0.3");
  assert_import_gives(text,
                      "\"pair\": [\"surface0\", \"surface0\"],\n      \"friction\": 0.9,\n      \"restitution\": 0.25");
  assert_import_gives(text, "\"pair\": [\"surface1\", \"*\"],\n      \"friction\": 0.3");
}

/* One line for all files of a package that is nowhere. */
static void a_missing_package_is_reported_once(void **state) {
  (void)state;
  char path[512], *scene = NULL;
#define DRAWN(name)                                                                                                    \
  "<visual><geometry><mesh filename='package://nowhere_at_all/meshes/" name ".stl'/></geometry></visual>"
  test_import_write("<robot name='r'><link name='a'>" DRAWN("a") DRAWN("b") "</link></robot>", path, sizeof path);
  AspContext *context = asp_context_create(NULL);
  AspImportReport report;
  assert_ok(context, asp_import_read(context, path, NULL, &scene, &report));
  int lines = 0;
  for (int i = 0; i < report.count; i++)
    if (strstr(report.entry[i].reason, "package://nowhere_at_all was not found; tried: ")) {
      assert_int_equal(report.entry[i].count, 2);
      lines++;
    }
  assert_int_equal(lines, 1);
  asp_text_destroy(context, scene);
  asp_import_report_destroy(context, &report);
  asp_context_destroy(context);
  remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fixed_links_are_one_body_with_the_sum_of_their_masses),
      cmocka_unit_test(joints_start_where_the_file_says),
      cmocka_unit_test(a_floating_base_has_no_joint),
      cmocka_unit_test(what_is_not_simulated_is_counted),
      cmocka_unit_test(broken_files_are_named_with_file_and_line),
      cmocka_unit_test(joints_that_mimic_what_does_not_move_stay),
      cmocka_unit_test(names_stay_apart),
      cmocka_unit_test(inertias_without_mass_are_named),
      cmocka_unit_test(deep_nesting_is_refused),
      cmocka_unit_test(lenient_where_files_are),
      cmocka_unit_test(the_world_and_a_sound_declaration_are_taken_for_granted),
      cmocka_unit_test(friction_that_files_say_for_other_programs_counts),
      cmocka_unit_test(a_missing_package_is_reported_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
