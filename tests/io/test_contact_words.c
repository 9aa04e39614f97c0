/* What keeps shapes from touching: "contact" of shapes and of joints, and excluded pairs; in every scheme. */
#include "io/scene_testing.h"

static const char *const schemes[] = {"moreau-jean", "stewart-trinkle", "generalized-alpha", "event-driven",
                                      "compliant"};
#define SCHEMES ((int)(sizeof schemes / sizeof *schemes))

/* Two capsules whose ends overlap at the hinge that connects them. */
#define HINGED(contact)                                                                                                \
  "{'materials': [{'pair': ['*', '*'], 'friction': 0.5}], 'bodies': ["                                                 \
  "{'name': 'a', 'mass': 1, 'shapes': [{'type': 'capsule', 'radius': 0.05, 'length': 0.4}]},"                          \
  "{'name': 'b', 'mass': 1, 'position': [0, 0, -0.42], 'shapes': [{'type': 'capsule', 'radius': 0.05, 'length': "      \
  "0.4}]}], 'joints': [{'type': 'revolute', 'bodies': ['a', 'b'], 'point': [0, 0, -0.21], 'axis': [0, 1, 0]" contact   \
  "}], 'run': {'dt': 0.01, 'until': 0.05}}"

static void bodies_that_a_joint_connects_do_not_touch_in_any_scheme(void **state) {
  (void)state;
  for (int s = 0; s < SCHEMES; s++) {
    TestScene test = test_scene_start(HINGED(""), schemes[s]);
    assert_int_equal(asp_world_warning_count(test.world), 0);
    assert_int_equal(test_scene_run(&test), 0);
    assert_near(test_scene_position(&test, "b").z, -0.42, 1e-15);
    test_scene_end(&test);
  }
}

static void a_joint_with_contact_lets_its_bodies_touch(void **state) {
  (void)state;
  TestScene test = test_scene_start(HINGED(", 'contact': true"), NULL);
  assert_int_equal(asp_world_warning_count(test.world), 1);
  assert_non_null(strstr(asp_world_warning(test.world, 0), "a and b overlap by 0.08 m"));
  test_scene_end(&test);
}

static void assert_notes(const char *text, int count, const char *fragment) {
  TestScene test = test_scene_start(text, NULL);
  AspMistakes notes;
  assert_ok(test.context, asp_scene_notes(test.context, &test.scene, "scene", &notes));
  assert_int_equal(notes.count, count);
  if (count > 0 && !strstr(notes.line[0], fragment))
    fail_msg("'%s' does not say '%s'", notes.line[0], fragment);
  asp_mistakes_destroy(test.context, &notes);
  test_scene_end(&test);
}

static void joints_that_do_not_say_whether_their_bodies_touch_are_noted(void **state) {
  (void)state;
  assert_notes(HINGED(""), 1, "/joints/0 ('joint0'): 'a' and 'b' do not touch each other");
  assert_notes(HINGED(""), 1, "which overlap by 0.08 m at the start");
  assert_notes(HINGED(", 'contact': false"), 0, "");
  assert_notes(HINGED(", 'contact': true"), 0, "");
}

/* A box falls through a plate and lands on the ground: its height at rest is half its size. */
#define FALLS(plate, more)                                                                                             \
  "{'gravity': [0, 0, -10], 'materials': [{'pair': ['box', '*'], 'friction': 0.5}], 'bodies': ["                       \
  "{'name': 'ground', 'fixed': true, 'shapes': [{'type': 'half-space'}]},"                                             \
  "{'name': 'plate', 'fixed': true, 'position': [0, 0, 0.4], 'shapes': [{'type': 'box', 'size': [1, 1, 0.1]" plate     \
  "}]}, {'name': 'box', 'mass': 1, 'position': [0, 0, 0.6], 'shapes': [{'type': 'box', 'size': [0.2, 0.2, 0.2],"       \
  "'material': 'box'}]}]" more ", 'run': {'dt': 0.005, 'until': 0.6}}"

static void a_shape_without_contact_and_an_excluded_pair_are_passed_in_every_scheme(void **state) {
  (void)state;
  const char *const scenes[] = {FALLS(", 'contact': false", ""), FALLS("", ", 'exclude': [['box', 'plate']]")};
  for (int i = 0; i < 2; i++)
    for (int s = 0; s < SCHEMES; s++) {
      TestScene test = test_scene_start(scenes[i], schemes[s]);
      test_scene_run(&test);
      assert_true(test_scene_position(&test, "box").z < 0.12); // on the ground, or bouncing a little (compliant)
      test_scene_end(&test);
    }
  TestScene test = test_scene_start(FALLS("", ""), NULL);
  test_scene_run(&test);
  assert_near(test_scene_position(&test, "box").z, 0.55, 1e-4);
  test_scene_end(&test);
}

/* 40 balls side by side, each overlapping the next: 39 exclusions, more than there are groups. */
static void any_number_of_pairs_can_be_excluded(void **state) {
  (void)state;
  enum { BALLS = 40 };
  char text[12000], *end = text;
  end += sprintf(end, "{'materials': [{'pair': ['*', '*'], 'friction': 0}], 'bodies': [");
  for (int i = 0; i < BALLS; i++)
    end += sprintf(end,
                   "%s{'name': 'ball%d', 'mass': 1, 'position': [%d, 0, 0], 'shapes': [{'type': 'sphere', 'radius': "
                   "0.6}]}",
                   i ? "," : "", i, i);
  end += sprintf(end, "], 'exclude': [");
  for (int i = 0; i + 1 < BALLS; i++)
    end += sprintf(end, "%s['ball%d', 'ball%d']", i ? "," : "", i + i % 2, i + 1 - i % 2);
  sprintf(end, "], 'run': {'dt': 0.01, 'until': 0.02}}");
  TestScene test = test_scene_start(text, NULL);
  int count;
  asp_model_excluded(test.scene.model, &count);
  assert_int_equal(count, BALLS - 1);
  assert_true(asp_model_is_excluded(test.scene.model, 7, 6) && !asp_model_is_excluded(test.scene.model, 7, 5));
  assert_int_equal(test_scene_run(&test), 0);
  test_scene_end(&test);
}

static void materials_that_meet_only_in_excluded_pairs_need_no_law(void **state) {
  (void)state;
#define LAWLESS(more)                                                                                                  \
  "{'bodies': [{'name': 'a', 'mass': 1, 'shapes': [{'type': 'sphere', 'radius': 1}]},"                                 \
  "{'name': 'b', 'mass': 1, 'shapes': [{'type': 'sphere', 'radius': 1}]}]" more "}"
  TestScene test = test_scene_start(LAWLESS(", 'exclude': [['a', 'b']]"), NULL);
  test_scene_end(&test);
  test = test_scene_start(LAWLESS(", 'joints': [{'type': 'fixed', 'bodies': ['a', 'b']}]"), NULL);
  test_scene_end(&test);
  assert_scene_refused(LAWLESS(""), "'default' and 'default' can touch (bodies 'a' and 'b')");
  assert_scene_refused(LAWLESS(", 'joints': [{'type': 'fixed', 'bodies': ['a', 'b'], 'contact': true}]"),
                       "'default' and 'default' can touch");
}

static void a_beam_is_excluded_with_all_its_stations(void **state) {
  (void)state;
  TestScene test = test_scene_start(
      "{'dimension': 2, 'materials': [{'pair': ['*', '*'], 'friction': 0}], 'bodies': [{'name': 'wall', 'fixed': true,"
      "'shapes': [{'type': 'half-plane', 'normal': [1, 0]}]}], 'beams': [{'name': 'beam', 'length': 1, 'width': 0.01,"
      "'height': 0.01, 'youngs_modulus': 1e9, 'density': 1000, 'position': [-0.1, 0], 'contact': {'radius': 0.05}}],"
      "'exclude': [['wall', 'beam']], 'run': {'dt': 0.001, 'until': 0.002}}",
      NULL);
  assert_int_equal(test_scene_run(&test), 0);
  test_scene_end(&test);
}

static void mistakes_are_named_with_key_value_and_remedy(void **state) {
  (void)state;
#define BROKEN(shape, more)                                                                                            \
  "{'materials': [{'pair': ['*', '*'], 'friction': 0}], 'bodies': [{'name': 'ball', 'mass': 1, 'shapes': [{'type': "   \
  "'sphere', 'radius': 1" shape "}]}, {'name': 'plate', 'fixed': true}]" more "}"
  assert_scene_refused(BROKEN(", 'contact': 0", ""), "/bodies/0/shapes/0/contact: expected true or false");
  assert_scene_refused(BROKEN(", 'contact': false, 'mask': []", ""),
                       "/bodies/0/shapes/0/mask: the shape has \"contact\": false, so that mask has no effect");
  assert_scene_refused(BROKEN("", ", 'exclude': [['ball', 'plat']]"),
                       "/exclude/0/1: no body is called 'plat'; did you mean 'plate'?");
  assert_scene_refused(BROKEN("", ", 'exclude': [['ball']]"), "/exclude/0: expected [name, name], found a list of 1");
  assert_scene_refused(BROKEN("", ", 'exclude': ['ball', 'plate']"), "/exclude/0: expected [name, name]");
  assert_scene_refused(BROKEN("", ", 'exclude': [['ball', 'ball']]"),
                       "/exclude/0: 'ball' and 'ball' are parts of one body");
  assert_scene_refused(BROKEN("", ", 'joints': [{'type': 'fixed', 'bodies': ['ball', 'plate'], 'contact': 'yes'}]"),
                       "/joints/0/contact: expected true or false, found a text");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_that_a_joint_connects_do_not_touch_in_any_scheme),
      cmocka_unit_test(a_joint_with_contact_lets_its_bodies_touch),
      cmocka_unit_test(joints_that_do_not_say_whether_their_bodies_touch_are_noted),
      cmocka_unit_test(a_shape_without_contact_and_an_excluded_pair_are_passed_in_every_scheme),
      cmocka_unit_test(any_number_of_pairs_can_be_excluded),
      cmocka_unit_test(materials_that_meet_only_in_excluded_pairs_need_no_law),
      cmocka_unit_test(a_beam_is_excluded_with_all_its_stations),
      cmocka_unit_test(mistakes_are_named_with_key_value_and_remedy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
