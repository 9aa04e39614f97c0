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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_that_hang_on_each_other_are_resolved),
      cmocka_unit_test(what_is_not_simulated_is_counted),
      cmocka_unit_test(broken_files_are_named_with_file_and_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
