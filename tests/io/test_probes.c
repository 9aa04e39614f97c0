/* Probes: closed forms of a turning arm and a resting box; samples in the result and as CSV; mistakes by name. */
#include "asperity/asperity.h"
#include "testing.h"

static const char scene_text[] =
    "{'name': 'p', 'gravity': [0, -10], 'dimension': 2, 'materials': [{'pair': ['*', '*'], 'friction': 0.3}],"
    "'bodies': [{'name': 'ground', 'fixed': true, 'shapes': [{'type': 'half-plane', 'material': 'a', 'normal': [0, "
    "1]}]},"
    "{'name': 'arm', 'mass': 1, 'inertia': 0.5, 'position': [0, 3], 'angular_velocity': 2},"
    "{'name': 'box', 'mass': 2, 'position': [3, 0.1], "
    "'shapes': [{'type': 'box', 'size': [0.2, 0.2], 'material': 'b'}]}],"
    "'joints': [{'name': 'pin', 'type': 'revolute', 'bodies': ['ground', 'arm'], 'point': [0, 3]}],"
    "'probes': [%s], 'run': {'dt': 0.001, 'until': 0.5, 'output_every': 50}}";

static AspError read_quoted(AspContext *context, const char *probes, AspScene *scene) {
  char copy[4096];
  snprintf(copy, sizeof copy, scene_text, probes);
  for (char *c = copy; *c; c++)
    *c = *c == '\'' ? '"' : *c;
  return asp_scene_parse(context, copy, strlen(copy), "scene", scene, NULL);
}

static double value_of(const AspProbes *probes, const char *name) {
  for (int i = 0; i < asp_probes_count(probes); i++)
    if (strcmp(asp_probes_name(probes, i), name) == 0)
      return asp_probes_value(probes, i);
  fail_msg("no column is called %s", name);
  return NAN;
}

static const char all[] =
    "{'name': 'tip', 'type': 'point', 'body': 'arm', 'point': [1, 0]},"
    "{'name': 'fast', 'type': 'point', 'body': 'arm', 'point': [1, 0], 'quantity': 'velocity', 'every': 0.1},"
    "{'name': 'change', 'type': 'point', 'body': 'arm', 'point': [1, 0], 'quantity': 'acceleration'},"
    "{'name': 'gap', 'type': 'distance', 'bodies': ['arm', 'box'], 'points': [[1, 0], [0, 0]]},"
    "{'name': 'turn', 'type': 'angle', 'bodies': ['ground', 'arm']},"
    "{'name': 'foot', 'type': 'contact', 'bodies': ['box', 'ground']},"
    "{'name': 'sum', 'type': 'contact', 'body': 'box'},"
    "{'name': 'power', 'value': 'pin.rate*pin.coordinate + energy.kinetic', 'unit': 'J'}";

static void probes_measure_what_closed_forms_say(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspScene scene;
  AspWorld *world = NULL;
  AspResultWriter *writer = NULL;
  AspProbes *probes = NULL;
  AspStepInfo info;
  const char *path = ASP_BINARY_DIR "/probes.h5", *csv = ASP_BINARY_DIR "/probes.csv";
  assert_ok(context, read_quoted(context, all, &scene));
  assert_ok(context, asp_world_create(context, scene.model, &scene.run, &world));
  assert_ok(context, asp_probes_create(context, &scene, world, &probes));
  assert_ok(context, asp_result_create(context, path, &scene, world, &writer));
  assert_int_equal(asp_probes_count(probes), 15);
  assert_near(value_of(probes, "fast.y"), 2, 1e-12);
  for (int i = 0; i < 500; i++) {
    assert_ok(context, asp_world_step(world, &info));
    asp_probes_update(probes, world);
    assert_ok(context, asp_result_append(writer, world, &info));
  }
  assert_ok(context, asp_result_close(writer, world));
  assert_near(value_of(probes, "tip.x"), cos(1.0), 1e-9);
  assert_near(value_of(probes, "tip.y"), 3 + sin(1.0), 1e-9);
  assert_near(value_of(probes, "fast.x"), -2 * sin(1.0), 1e-9);
  assert_near(value_of(probes, "change.x"), -4 * cos(0.999), 1e-4); // in the middle of the step
  assert_near(value_of(probes, "gap"), hypot(3 - cos(1.0), 0.1 - 3 - sin(1.0)), 1e-9);
  assert_near(value_of(probes, "turn"), 1, 1e-9);
  assert_near(value_of(probes, "foot.fy"), 20, 1e-6);
  assert_near(value_of(probes, "sum.fy"), 20, 1e-6);
  assert_near(value_of(probes, "foot.tz"), 0, 1e-6);
  assert_near(value_of(probes, "power"), 3, 1e-9);
  static const char *const parts[] = {"bodies", "joints", "contacts", "energies", "probes"};
  for (size_t i = 0; i < 5; i++)
    assert_ok(context, asp_result_export_part(context, path, parts[i], csv));
  assert_int_equal(asp_result_export_part(context, path, "shapes", csv), ASP_ERROR_ARGUMENT);
  FILE *file = fopen(csv, "r");
  assert_non_null(file);
  char line[4096];
  int lines = 0, without = 0;
  assert_non_null(fgets(line, sizeof line, file));
  assert_non_null(strstr(line, "\"time [s]\",\"tip.x [m]\",\"tip.y [m]\",\"fast.x [m/s]\""));
  for (; fgets(line, sizeof line, file); lines++)
    without += strstr(line, "nan") != NULL;
  fclose(file);
  assert_int_equal(lines, 11);  // the initial state and every 50th of 500 steps
  assert_int_equal(without, 5); // of them not at multiples of 0.1 s
  asp_probes_destroy(probes);
  asp_world_destroy(world);
  asp_scene_destroy(context, &scene);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

typedef struct Wrong {
  const char *probe, *message;
} Wrong;

static const Wrong wrong[] = {
    {"{'value': '1'}", "/probes/0/name: missing"},
    {"{'name': '', 'value': '1'}", "/probes/0/name: a probe needs a name"},
    {"{'name': 'a'}", "/probes/0/value: missing; type 'expression' needs"},
    {"{'name': 'a', 'value': 'arm.q'}", "/probes/0/value: 'arm.q': a body has no 'q'"},
    {"{'name': 'a', 'value': 'arm.x +'}", "/probes/0/value: 'arm.x +', column 8: expected a number"},
    {"{'name': 'a', 'type': 'pont'}", "/probes/0/type: 'pont' is not one of expression, point"},
    {"{'name': 'a', 'type': 'point'}", "/probes/0/body: missing; type 'point' needs"},
    {"{'name': 'a', 'type': 'point', 'body': 'amr'}", "/probes/0/body: no body is called 'amr'; did you mean 'arm'?"},
    {"{'name': 'a', 'type': 'point', 'body': 'arm', 'point': [1]}", "/probes/0/point: expected [x, y]"},
    {"{'name': 'a', 'type': 'point', 'body': 'arm', 'quantity': 'jerk'}", "/probes/0/quantity: 'jerk' is not one of"},
    {"{'name': 'a', 'type': 'distance', 'body': 'arm'}", "/probes/0/body: type 'distance' has no such key"},
    {"{'name': 'a', 'type': 'angle', 'bodies': ['arm', 'box'], 'axes': [[0, 0], [1, 0]]}",
     "/probes/0/axes: an axis has no length"},
    {"{'name': 'a', 'type': 'contact'}",
     "/probes/0/body: give either body, for all its contacts, or bodies, for a pair"},
    {"{'name': 'a', 'body': 'arm', 'value': '1'}", "/probes/0/body: type 'expression' has no such key"},
    {"{'name': 'a', 'value': '1', 'every': -1}", "/probes/0/every: -1 is not >= 0 s"},
    {"{'name': 'a', 'value': '1'}, {'name': 'a', 'value': '2'}", "/probes/1/name: another probe is called 'a'"},
};

static void what_is_wrong_with_a_probe_is_named(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    AspContext *context = asp_context_create(NULL);
    AspScene scene;
    AspError error = read_quoted(context, wrong[i].probe, &scene);
    if (error != ASP_ERROR_INPUT || !strstr(asp_context_message(context), wrong[i].message))
      fail_msg("'%s': %s, '%s'", wrong[i].message, asp_error_name(error), asp_context_message(context));
    assert_int_equal(asp_context_memory_in_use(context), 0);
    asp_context_destroy(context);
  }
}

/* The pair's wrench is that of the body where it touches nothing else: with resistance to rolling, at speed, and in
 * schemes that take contacts at the start or the middle of a step. The probes are those of the writer. */
static void the_wrench_of_a_pair_is_that_of_a_body_which_touches_nothing_else(void **state) {
  (void)state;
  static const char *const schemes[] = {"moreau-jean", "stewart-trinkle", "event-driven"};
  for (int k = 0; k < 3; k++) {
    char text[2048];
    AspContext *context = asp_context_create(NULL);
    AspScene scene;
    AspWorld *world = NULL;
    AspResultWriter *writer = NULL;
    AspStepInfo info;
    snprintf(
        text, sizeof text,
        "{\"gravity\": [0, 0, -10], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.5, \"rolling\": %s}],"
        "\"bodies\": [{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]}, {\"name\": "
        "\"ball\", \"mass\": 3, \"position\": [0, 0, 0.1], \"velocity\": [10, 0, 0], \"angular_velocity\": [0, 100, "
        "0], "
        "\"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1}]}], \"probes\": [{\"name\": \"p\", \"type\": "
        "\"contact\", "
        "\"bodies\": [\"ball\", \"floor\"]}, {\"name\": \"b\", \"type\": \"contact\", \"body\": \"ball\"}], \"run\": "
        "{\"scheme\": \"%s\", \"dt\": 0.001, \"until\": 1}}",
        k == 2 ? "0" : "0.01", schemes[k]);
    assert_ok(context, asp_scene_parse(context, text, strlen(text), "scene", &scene, NULL));
    assert_ok(context, asp_world_create(context, scene.model, &scene.run, &world));
    assert_ok(context, asp_result_create(context, ASP_BINARY_DIR "/pair.h5", &scene, world, &writer));
    AspProbes *probes = asp_result_take_probes(writer);
    assert_null(asp_result_take_probes(writer));
    for (int i = 0; i < 20; i++) {
      assert_ok(context, asp_world_step(world, &info));
      assert_ok(context, asp_result_append(writer, world, &info));
    }
    assert_ok(context, asp_result_close(writer, world));
    assert_near(value_of(probes, "p.fz"), 30, 1e-3); // a solver's tolerance of 1e-8 at 10 m/s
    for (int c = 0; c < 6; c++)
      assert_near(asp_probes_value(probes, c), asp_probes_value(probes, 6 + c), 1e-9);
    // m r^2 2/5 w' = torque, m r w' = force: braked by the moment 0.01 N, which acts against the turn
    if (k == 0)
      assert_near(value_of(probes, "p.ty"), -0.01 * 30 * 2 / 7, 1e-4);
    asp_probes_destroy(probes);
    asp_world_destroy(world);
    asp_scene_destroy(context, &scene);
    assert_int_equal(asp_context_memory_in_use(context), 0);
    asp_context_destroy(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_wrench_of_a_pair_is_that_of_a_body_which_touches_nothing_else),
      cmocka_unit_test(probes_measure_what_closed_forms_say),
      cmocka_unit_test(what_is_wrong_with_a_probe_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
