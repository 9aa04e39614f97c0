/* Frames of SDFormat: what hangs on what, in models within models too, each computed by hand; links of one model that do
 * not touch each other, and links without weight. */
#include "io/import_testing.h"

static TestScene start(const char *text) { return test_import_text(text, NULL); }

#define BALL(name, more)                                                                                               \
  "<link name='" name "'>" more "<collision name='c'><geometry><sphere><radius>.1</radius></sphere></geometry>"        \
  "</collision></link>"
#define LINK(name, more)  "<link name='" name "'>" more "</link>"
#define POSE(to, numbers) "<pose relative_to='" to "'>" numbers "</pose>"

/* The shelf stands at (1, 2, 0) and looks along y; the box 1 m in front of it, at (1, 3, 0); the arm 1 m to the left of the
 * box, at (0, 3, 0). Its flange is 0.3 m up, the upper link 0.1 m above that, the palm of the hand 0.2 m above. */
static void poses_hang_on_any_frame(void **state) {
  (void)state;
  TestScene test = start(
      "<sdf version='1.10'><world name='w'><gravity>0 0 -9.8</gravity><frame name='shelf'><pose degrees='true'>1 2 0 0 "
      "0 90"
      "</pose></frame><model name='box'>" POSE("shelf", "1 0 0 0 0 0") LINK("l", "") "</model><model name='arm'>" POSE(
          "box", "0 1 0 0 0 0")
          LINK("base", "") "<frame name='flange' attached_to='base'><pose>0 0 .3 0 0 0</pose></frame>" LINK(
              "upper",
              POSE("flange", "0 0 .1 0 0 0") "<inertial>" POSE(
                  "flange", "0 0 .5 0 0 0") "</inertial>") "<joint name='fix' "
                                                           "type='fixed'><parent>world</parent><child>base</child></"
                                                           "joint><joint name='j' type='revolute'>"
                                                           "<parent>flange</parent><child>upper</child><axis><xyz>0 1 "
                                                           "0</xyz></axis></joint><model name='hand'>" POSE(
                                                               "upper", "0 0 .2 0 0 0")
                                                               LINK("palm",
                                                                    "") "</model><joint name='wrist' "
                                                                        "type='revolute'><parent>upper</parent>"
                                                                        "<child>hand::palm</child><axis><xyz>0 0 "
                                                                        "1</xyz></axis></joint></model></world></sdf>");
  assert_point(test_scene_position(&test, "box::l"), 1, 3, 0, 1e-14);
  assert_point(test_scene_position(&test, "arm::upper"), 0, 3, 0.8, 1e-14); // its centre of mass
  assert_point(test_scene_position(&test, "arm::hand::palm"), 0, 3, 0.6, 1e-14);
  assert_point(test_joint_def(&test, "arm::j")->point, 0, 3, 0.4, 1e-14);
  assert_point(test_joint_def(&test, "arm::j")->axis, -1, 0, 0, 1e-14);
  assert_point(test_joint_def(&test, "arm::wrist")->point, 0, 3, 0.6, 1e-14);
  test_scene_end(&test);
}

/* The child is turned by 90 deg. about z: its x is y of the model. In files before 1.5, and with use_parent_model_frame,
 * the axis x is that of the model; 1.10 is newer than 1.5. */
static void axes_of_older_files_are_of_the_model(void **state) {
  (void)state;
#define DOOR(version, more)                                                                                            \
  "<sdf version='" version "'><model name='m'>" LINK("a", "") LINK(                                                    \
      "b",                                                                                                             \
      "<pose>1 0 0 0 0 1.5707963267948966</pose>") "<joint name='fix' "                                                \
                                                   "type='fixed'><parent>world</parent><child>a</child></"             \
                                                   "joint><joint name='j' type='revolute'>"                            \
                                                   "<parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz>" more     \
                                                   "</axis></joint></model></sdf>"
  static const struct {
    const char *text;
    double x, y;
  } rows[] = {{DOOR("1.4", ""), 1, 0},
              {DOOR("1.4", "<use_parent_model_frame>0</use_parent_model_frame>"), 0, 1},
              {DOOR("1.6", ""), 0, 1},
              {DOOR("1.6", "<use_parent_model_frame>true</use_parent_model_frame>"), 1, 0},
              {DOOR("1.10", ""), 0, 1}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TestScene test = start(rows[i].text);
    assert_point(test_joint_def(&test, "j")->axis, rows[i].x, rows[i].y, 0, 1e-14);
    test_scene_end(&test);
  }
}

/* It is the hook, 0.5 m above the link, that stands at (1, 0, 2). */
static void models_are_placed_by_a_frame_of_theirs(void **state) {
  (void)state;
  TestScene test = start("<sdf version='1.9'><model name='m' placement_frame='hook'><pose>1 0 2 0 0 0</pose>" LINK(
      "a", "") "<frame name='hook'><pose>0 0 .5 0 0 0</pose></frame></model></sdf>");
  assert_point(test_scene_position(&test, "a"), 1, 0, 1.5, 1e-14);
  test_scene_end(&test);
  assert_import_refused("<sdf><model name='m' placement_frame='x'>" LINK("a", "") "</model></sdf>",
                        "model: there is no link, joint or frame 'x'");
}

static int contacts_of(const char *text) {
  TestScene test = start(text);
  test.scene.run.until = 0.01;
  int count = test_scene_run(&test);
  test_scene_end(&test);
  return count;
}

/* Two balls that lie on each other without a joint: of one model they do not touch, unless it says so. */
static void links_of_a_model_do_not_touch_each_other(void **state) {
  (void)state;
#define TWO(more) "<sdf><model name='m'>" more BALL("a", "") BALL("b", "<pose>0 0 .2 0 0 0</pose>") "</model></sdf>"
  assert_int_equal(contacts_of(TWO("")), 0);
  assert_int_equal(contacts_of(TWO("<self_collide>true</self_collide>")), 1);
  assert_int_equal(contacts_of("<sdf><world name='w'><model name='m'>" BALL("a", "") "</model><model name='n'>" BALL(
                       "b", "<pose>0 0 .2 0 0 0</pose>") "</model></world></sdf>"),
                   1);
}

/* A model within a static one stays; a link without gravity too, while the other falls g t^2/2. */
static void what_has_no_weight_or_is_static_stays(void **state) {
  (void)state;
  TestScene test = start("<sdf><world name='w'><model name='rack'><static>1</static><model name='in'>" BALL(
      "x",
      "") "</model></model><model name='m'>" LINK("a",
                                                  "<pose>0 0 5 0 0 0</pose><gravity>0</gravity>") "</model><model "
                                                                                                  "name='n'>" LINK(
                                                                                                      "b",
                                                                                                      "<po"
                                                                                                      "se>"
                                                                                                      "1 "
                                                                                                      "0 "
                                                                                                      "5 "
                                                                                                      "0 "
                                                                                                      "0 "
                                                                                                      "0</"
                                                                                                      "pos"
                                                                                                      "e><"
                                                                                                      "gra"
                                                                                                      "vit"
                                                                                                      "y>"
                                                                                                      "1</"
                                                                                                      "gra"
                                                                                                      "vit"
                                                                                                      "y>") "</model>"
                                                                                                            "</world></"
                                                                                                            "sdf>");
  assert_true(asp_model_find_body(test.scene.model, "rack::in::x") < 0);
  test.scene.run.until = 0.5;
  test_scene_run(&test);
  assert_point(test_scene_position(&test, "m::a"), 0, 0, 5, 1e-12);
  assert_point(test_scene_position(&test, "n::b"), 1, 0, 5 - 9.8 * 0.125, 1e-9);
  test_scene_end(&test);
}

static void joints_that_cannot_be_are_named(void **state) {
  (void)state;
#define JOIN(name, parent, child)                                                                                      \
  "<joint name='" name "' type='ball'><parent>" parent "</parent><child>" child "</child></joint>"
  AspContext *context = asp_context_create(NULL);
  AspImportReport report;
  char path[512], *text;
  test_import_write("<sdf><model name='m'>" LINK("a", "") LINK("b", "") JOIN("j", "a", "b") JOIN("k", "b", "a")
                        JOIN("l", "a", "x::y") JOIN("o", "a", "a") JOIN("p", "world", "b") "</model></sdf>",
                    path, sizeof path);
  assert_int_equal(asp_import_read(context, path, NULL, &text, &report), ASP_OK);
  assert_int_equal(test_report_count(&report, ASP_IMPORT_IGNORED, "joint"), 4);
  asp_text_destroy(context, text);
  asp_import_report_destroy(context, &report);
  asp_context_destroy(context);
  remove(path);
  assert_import_refused("<sdf><model name='m'>" LINK("a", "") "\n" LINK("a", "") "</model></sdf>",
                        ":2: there are two links 'a'");
  assert_import_refused("<sdf><model name='m'>" LINK("a", "") LINK("b", "")
                            JOIN("j", "world", "a") "\n" JOIN("j", "world", "b") "</model></sdf>",
                        ":2: there are two joints 'j'");
}

/* Gazebo's ground_plane is known, also where its file is not there; a model that is merged gives its links to the other. */
static void what_worlds_include_is_there(void **state) {
  (void)state;
  char part[512], text[2048];
  TestScene test = start("<sdf><world name='w'><include><uri>model://ground_plane</uri></include><model name='m'>" BALL(
      "a", "<pose>0 0 .1 0 0 0</pose>") "</model></world></sdf>");
  test.scene.run.until = 0.1;
  assert_int_equal(test_scene_run(&test), 1);
  assert_point(test_scene_position(&test, "m::a"), 0, 0, 0.1, 1e-12);
  test_scene_end(&test);
  snprintf(part, sizeof part, "%s/tests/import_merged_%ld.sdf", ASP_BINARY_DIR, (long)getpid());
  FILE *file = fopen(part, "w");
  assert_non_null(file);
  fputs("<sdf version=\"1.10\"><model name=\"part\"><link name=\"x\"/></model></sdf>", file);
  assert_int_equal(fclose(file), 0);
  snprintf(text, sizeof text,
           "<sdf version='1.10'><model name='top'><include merge='true'><uri>%s</uri><pose>0 0 1 0 0 "
           "0</pose></include>" LINK(
               "a", POSE("x", "0 0 1 0 0 0")) "<joint name='j' type='revolute'><parent>a</parent><child>x</child><axis>"
                                              "<xyz>0 1 0</xyz></axis></joint></model></sdf>",
           strrchr(part, '/') + 1);
  test = start(text);
  assert_point(test_scene_position(&test, "a"), 0, 0, 2, 1e-14);
  assert_point(test_joint_def(&test, "j")->point, 0, 0, 1, 1e-14);
  test_scene_end(&test);
  remove(part);
}

/* Older programs flattened models within models: the colons are in the names then. */
static void names_may_have_colons_of_their_own(void **state) {
  (void)state;
  TestScene test = start("<sdf version='1.6'><model name='m'>" LINK("a::x", "<pose>0 0 1 0 0 0</pose>") LINK(
      "b", "") "<joint name='j' type='revolute'><parent>b</parent><child>a::x</child><axis><xyz>0 0 1</xyz></axis>"
               "</joint></model></sdf>");
  assert_point(test_joint_def(&test, "j")->point, 0, 0, 1, 1e-14);
  test_scene_end(&test);
}

/* Sixty links, each on the one before it. */
static void long_chains_of_frames_are_no_rings(void **state) {
  (void)state;
  static char text[1 << 14];
  char *at = text + sprintf(text, "<sdf><model name='m'><link name='l0'/>");
  for (int i = 1; i < 60; i++)
    at += sprintf(at, "<link name='l%d'><pose relative_to='l%d'>0 0 1 0 0 0</pose></link>", i, i - 1);
  sprintf(at, "</model></sdf>");
  TestScene test = start(text);
  assert_point(test_scene_position(&test, "l59"), 0, 0, 59, 1e-12);
  test_scene_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(poses_hang_on_any_frame),
      cmocka_unit_test(axes_of_older_files_are_of_the_model),
      cmocka_unit_test(models_are_placed_by_a_frame_of_theirs),
      cmocka_unit_test(links_of_a_model_do_not_touch_each_other),
      cmocka_unit_test(what_has_no_weight_or_is_static_stays),
      cmocka_unit_test(joints_that_cannot_be_are_named),
      cmocka_unit_test(what_worlds_include_is_there),
      cmocka_unit_test(names_may_have_colons_of_their_own),
      cmocka_unit_test(long_chains_of_frames_are_no_rings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
