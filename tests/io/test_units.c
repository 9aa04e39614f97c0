/* Units of a file: shipped scenes written in mm, g, ms, deg and mN by a converter of the test's own run as they do in SI
 * units; expressions, tables, parameters, state and meshes in the file's units; what is refused. */
#include "io/scene_testing.h"

#include <cjson/cJSON.h>
#include <stdio.h>

#define PI 3.14159265358979323846

/* ---- the converter: SI units per unit of the file ---- */

enum { MM, G, MS, DEG, MN };
static const double size[] = {1e-3, 1e-3, 1e-3, PI / 180, 1e-3};

typedef struct Quantity {
  const char *within, *key; /* within: the list or object that holds it, "" any */
  int power[5];             /* of mm, g, ms, deg, mN */
  int slides[5];            /* of joints that slide, where it differs */
} Quantity;

static const Quantity quantities[] = {
    {.within = "", .key = "gravity", .power = {1, 0, -2}},
    {.within = "", .key = "position", .power = {1}},
    {.within = "", .key = "point", .power = {1}},
    {.within = "", .key = "point_b", .power = {1}},
    {.within = "", .key = "size", .power = {1}},
    {.within = "", .key = "radius", .power = {1}},
    {.within = "", .key = "offset", .power = {1}},
    {.within = "", .key = "rest_length", .power = {1}},
    {.within = "", .key = "length", .power = {1}},
    {.within = "", .key = "points", .power = {1}},
    {"joints", "initial", {0, 0, 0, 1}, {1}},
    {"joints", "limits", {0, 0, 0, 1}, {1}},
    {"spring", "rest", {0, 0, 0, 1}, {1}},
    {.within = "shapes", .key = "scale", .power = {1}},
    {.within = "", .key = "mass", .power = {0, 1}},
    {.within = "", .key = "inertia", .power = {2, 1}},
    {.within = "bodies", .key = "velocity", .power = {1, 0, -1}},
    {.within = "bodies", .key = "angular_velocity", .power = {0, 0, -1, 1}},
    {.within = "", .key = "angle", .power = {0, 0, 0, 1}},
    {.within = "run", .key = "dt", .power = {0, 0, 1}},
    {.within = "run", .key = "until", .power = {0, 0, 1}},
    {"joints", "friction", {1, 0, 0, 0, 1}, {0, 0, 0, 0, 1}},
    {"motor", "velocity", {0, 0, -1, 1}, {1, 0, -1}},
    {"motor", "effort", {1, 0, 0, 0, 1}, {0, 0, 0, 0, 1}},
    {"spring", "stiffness", {1, 0, 0, -1, 1}, {-1, 0, 0, 0, 1}},
    {"spring", "damping", {1, 0, 1, -1, 1}, {-1, 0, 1, 0, 1}},
    {.within = "forces", .key = "stiffness", .power = {-1, 0, 0, 0, 1}},
    {.within = "forces", .key = "force", .power = {0, 0, 0, 0, 1}},
    {.within = "forces", .key = "torque", .power = {1, 0, 0, 0, 1}},
};

static double factor_of(const Quantity *quantity, bool slides) {
  bool other = false;
  for (int i = 0; i < 5; i++)
    other = other || quantity->slides[i] != 0;
  double factor = 1;
  for (int i = 0; i < 5; i++)
    factor *= pow(size[i], (slides && other ? quantity->slides : quantity->power)[i]);
  return factor;
}

/* t of the text is in seconds, that of the file in ms. */
static void convert_text(cJSON *node, double factor) {
  char text[1024] = "(";
  size_t at = 1;
  for (const char *c = node->valuestring; *c; c++) {
    bool name = *c == 't' && !(c > node->valuestring && strchr("abcdefghijklmnopqrsuvwxyzt_.", c[-1])) &&
                !(c[1] >= 'a' && c[1] <= 'z');
    at += (size_t)snprintf(text + at, sizeof text - at, name ? "(%c/1000)" : "%c", *c);
  }
  snprintf(text + at, sizeof text - at, ")/%.17g", factor);
  cJSON_SetValuestring(node, text);
}

static void convert_number(cJSON *node, double factor) {
  cJSON *item = NULL;
  if (cJSON_IsNumber(node))
    cJSON_SetNumberValue(node, node->valuedouble / factor);
  if (cJSON_IsString(node))
    convert_text(node, factor);
  if (cJSON_IsArray(node))
    cJSON_ArrayForEach(item, node) convert_number(item, factor);
}

static void convert(cJSON *node, const char *within, int dimension, bool slides) {
  cJSON *item = NULL;
  const cJSON *type = cJSON_GetObjectItem(node, "type");
  if (strcmp(within, "joints") == 0 && cJSON_IsString(type))
    slides = strcmp(type->valuestring, "prismatic") == 0;
  cJSON_ArrayForEach(item, node) {
    if (item->string && strcmp(item->string, "density") == 0)
      convert_number(item, 1e-3 * pow(1e3, dimension));
    for (size_t i = 0; item->string && i < sizeof quantities / sizeof *quantities; i++)
      if (strcmp(item->string, quantities[i].key) == 0 && !cJSON_IsObject(item) &&
          (!*quantities[i].within || strcmp(quantities[i].within, within) == 0))
        convert_number(item, factor_of(&quantities[i], slides));
    if (cJSON_IsObject(item) || (cJSON_IsArray(item) && cJSON_IsObject(item->child)))
      convert(item, item->string ? item->string : within, dimension, slides);
  }
}

static char *read_text(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/scenes/%s.json", ASP_SOURCE_DIR, name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *text = calloc(1, 1 << 16);
  assert_non_null(text);
  assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
  fclose(file);
  return text;
}

/* ---- scenes ---- */

static TestScene start_text(const char *text, const char *label) {
  TestScene test = {.context = asp_context_create(NULL)};
  if (asp_scene_parse(test.context, text, strlen(text), label, &test.scene, NULL) != ASP_OK)
    fail_msg("%s", asp_context_message(test.context));
  assert_ok(test.context, asp_world_create(test.context, test.scene.model, &test.scene.run, &test.world));
  return test;
}

static void assert_same_motion(TestScene *one, TestScene *two, int steps, double tolerance) {
  AspStepInfo info;
  assert_near(one->scene.run.until, two->scene.run.until, 1e-15 * one->scene.run.until);
  for (int step = 0; step < steps; step++) {
    assert_ok(one->context, asp_world_step(one->world, &info));
    assert_ok(two->context, asp_world_step(two->world, &info));
  }
  const AspState *a = asp_world_state(one->world), *b = asp_world_state(two->world);
  for (int i = 0; i < asp_model_q_size(one->scene.model); i++)
    assert_near(a->q[i], b->q[i], tolerance * fmax(1, fabs(a->q[i])));
  for (int i = 0; i < asp_model_v_size(one->scene.model); i++)
    assert_near(a->v[i], b->v[i], tolerance * fmax(1, fabs(a->v[i])));
}

static void shipped_scenes_in_other_units_move_as_in_si_units(void **state) {
  (void)state;
  const char *names[] = {
      "slider-crank",  "four-bar-in-space",  "sphere-slides-then-rolls", "table-rests",  "dry-friction-oscillator",
      "bracket-falls", "stick-slip-on-belt", "rotor-with-dry-friction",  "table-slides", "block-on-slope-26"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *text = read_text(names[i]), label[512];
    snprintf(label, sizeof label, "%s/scenes/%s.json", ASP_SOURCE_DIR, names[i]);
    cJSON *root = cJSON_Parse(text), *dimension = cJSON_GetObjectItem(root, "dimension");
    convert(root, "", dimension ? dimension->valueint : 3, false);
    cJSON_AddItemToObject(
        root, "units",
        cJSON_Parse("{\"length\": \"mm\", \"mass\": \"g\", \"time\": \"ms\", \"angle\": \"deg\", \"force\": \"mN\"}"));
    char *converted = cJSON_PrintUnformatted(root);
    TestScene si = start_text(text, label), other = start_text(converted, label);
    assert_same_motion(&si, &other, 20, 1e-9);
    test_scene_end(&si);
    test_scene_end(&other);
    cJSON_free(converted);
    cJSON_Delete(root);
    free(text);
  }
}

/* A servo on a slide that follows its target, with parameters, t, the state and a table; a coupling of a slide and a
 * hinge; a spring. The same in SI units, and in mm, g, ms, deg, mN. */
#define MACHINE(units, amplitude, rate, from, mass, inertia, kp, kd, push, factor, end, dt, until)                     \
  "{" units "'parameters': {'amplitude': " amplitude "}, 'tables': [{'name': 'ramp', 'points': [[0, 0], [" end         \
  ", 2]]}], 'bodies': [{'name': 'a', 'mass': " mass ", 'inertia': " inertia ", 'position': [" from                     \
  ", 0, 0]}, {'name': 'b', 'mass': " mass ", 'inertia': " inertia "}, {'name': 'c', 'mass': " mass                     \
  ", 'inertia': " inertia                                                                                              \
  "}], 'joints': [{'name': 's', 'type': 'prismatic', 'bodies': ['world', 'a'], 'axis': [1, 0, "                        \
  "0], 'servo': {'kp': " kp ", 'kd': " kd ", 'target': 'amplitude*sin(" rate "*t) - 0.1*a.x'}}, {'name': 'h', "        \
  "'type': 'revolute', 'bodies': ['world', 'b'], 'point': [0, 0, 0], 'axis': [1, 0, 0]}, {'type': 'coupling', "        \
  "'joints': ['s', 'h'], 'factors': [1, " factor "]}], 'forces': [{'type': 'force', 'body': 'c', 'force': ['" push     \
  "*(table(ramp, t) + h.rate/" rate ")', 0, 0]}], 'run': {'dt': " dt ", 'until': " until "}}"

static void expressions_count_in_the_units_of_the_file(void **state) {
  (void)state;
  TestScene si = test_scene_start(
      MACHINE("", "0.02", "30", "0.1", "0.5", "[1e-3, 1e-3, 1e-3]", "200", "5", "3", "-0.05", "0.2", "0.001", "0.1"),
      NULL);
  TestScene other =
      test_scene_start(MACHINE("'units': {'length': 'mm', 'mass': 'g', 'time': 'ms', 'force': 'mN'},", "20", "0.03",
                               "100", "500", "[1e6, 1e6, 1e6]", "200", "5000", "3000", "-50", "200", "1", "100"),
                       NULL);
  assert_same_motion(&si, &other, 100, 1e-9);
  test_scene_end(&si);
  test_scene_end(&other);
}

static void mistakes_name_key_value_and_remedy(void **state) {
  (void)state;
#define BALL(units) "{'units': " units ", 'bodies': [{'name': 'ball', 'mass': 1, 'inertia': [1, 1, 1]}]}"
  assert_scene_refused(BALL("{'length': 'inch'}"), "/units/length: 'inch' is not one of m, mm, cm, um, km, in, ft");
  assert_scene_refused("{'units': {'length': 'mm'}, 'bodies': [{'name': 'b', 'mass': 1, 'shapes': [{'type': 'sphere', "
                       "'radius': -10}]}]}",
                       "/bodies/0/shapes/0/radius: -10 is not > 0 mm");
#define JOINT(kind, more)                                                                                              \
  "{'units': {'length': 'mm', 'mass': 'g', 'time': 'ms', 'angle': 'deg', 'force': 'mN'}, 'parameters': {'k': -1}, "    \
  "'bodies': [{'name': 'a', 'fixed': true}, {'name': 'b', 'mass': 1, 'inertia': [1, 1, 1]}], 'joints': [{'type': "     \
  "'" kind "', 'bodies': ['a', 'b'], 'point': [0, 0, 0], 'axis': [0, 0, 1], " more "}]}"
  assert_scene_refused(JOINT("revolute", "'servo': {'kp': -1, 'kd': 0}"),
                       "/joints/0/servo/kp: -1 is not >= 0 mN mm/deg");
  assert_scene_refused(JOINT("prismatic", "'servo': {'kp': -1, 'kd': 0}"), "/joints/0/servo/kp: -1 is not >= 0 mN/mm");
  assert_scene_refused(JOINT("revolute", "'servo': {'kp': '3*k', 'kd': 0}"),
                       "/joints/0/servo/kp: '3*k' = -3 is not >= 0 mN mm/deg");
  assert_scene_refused(JOINT("revolute", "'servo': {'kp': '3*j', 'kd': 0}"),
                       "/joints/0/servo/kp: '3*j', column 3: 'j' is not known");
  assert_scene_refused(JOINT("revolute", "'servo': {'kp': 1, 'kd': 0, 'target': '2*sin(t'}"),
                       "/joints/0/servo/target: '2*sin(");
  assert_scene_refused(JOINT("revolute", "'limits': [90, 45]"), "/joints/0/limits: low 90 is above high 45 deg");
  assert_scene_refused(JOINT("prismatic", "'limits': [90, 45]"), "/joints/0/limits: low 90 is above high 45 mm");
  assert_scene_refused(BALL("{'mass': 'mm'}"), "/units/mass: 'mm' is not one of kg, g, mg, t, lb");
  assert_scene_refused(BALL("{'lenght': 'mm'}"), "/units/lenght: unknown key; did you mean 'length'?");
  assert_scene_refused(BALL("{'time': 3}"), "/units/time: expected a name, found a number");
  assert_scene_refused(BALL("'mm'"), "/units: expected an object, found a text");
  assert_scene_refused(BALL("{'length': 'mm', 'length': 'm'}"), "/units/length: this key is given twice");
}

static void what_was_assumed_is_noted(void **state) {
  (void)state;
  TestScene test = test_scene_start(BALL("{'length': 'mm', 'angle': 'deg'}"), NULL);
  assert_int_equal(test.scene.notes.count, 1);
  assert_non_null(strstr(test.scene.notes.line[0], "/units: numbers and expressions are read in mm, kg, s, deg, N"));
  test_scene_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shipped_scenes_in_other_units_move_as_in_si_units),
      cmocka_unit_test(expressions_count_in_the_units_of_the_file),
      cmocka_unit_test(mistakes_name_key_value_and_remedy),
      cmocka_unit_test(what_was_assumed_is_noted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
