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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_that_hang_on_each_other_are_resolved),
      cmocka_unit_test(what_is_not_simulated_is_counted),
      cmocka_unit_test(broken_files_are_named_with_file_and_line),
      cmocka_unit_test(models_of_other_files_are_included),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
