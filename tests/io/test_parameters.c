/* Parameters: a scene with them is the scene with their values written out; what is wrong is refused by name. */
#include "asperity/asperity.h"
#include "result_testing.h"

/* One box on the ground; `parameters` and every number that may use them are given. */
static const char *scene_text(char *text, size_t size, const char *parameters, const char *friction, const char *mass,
                              const char *force) {
  snprintf(text, size,
           "{\"name\": \"p\", %s \"gravity\": [0, 0, -9.81],"
           "\"materials\": [{\"pair\": [\"a\", \"b\"], \"friction\": %s}],"
           "\"bodies\": [{\"name\": \"ground\", \"fixed\": true,"
           "\"shapes\": [{\"type\": \"half-space\", \"material\": \"a\"}]},"
           "{\"name\": \"box\", \"mass\": %s, \"position\": [0, 0, 0.1],"
           "\"shapes\": [{\"type\": \"box\", \"size\": [0.2, 0.2, 0.2], \"material\": \"b\"}]}],"
           "\"forces\": [{\"type\": \"force\", \"body\": \"box\", \"force\": [%s, 0, 0]}],"
           "\"run\": {\"dt\": 0.001, \"until\": 0.05}}",
           parameters, friction, mass, force);
  return text;
}

static AspError read_set(AspContext *context, const char *text, const char *const *set, int count, AspScene *scene,
                         AspMistakes *mistakes) {
  const AspSettings settings = {.count = count, .text = set};
  return asp_scene_parse_set(context, text, strlen(text), "scene", &settings, scene, mistakes);
}

/* Where the box is in the end. */
static double end_of(AspContext *context, const AspScene *scene) {
  AspWorld *world = NULL;
  AspStepInfo info;
  assert_ok(context, asp_world_create(context, scene->model, &scene->run, &world));
  while (asp_world_state(world)->t < scene->run.until - 1e-9)
    assert_ok(context, asp_world_step(world, &info));
  double x = asp_state_pose(scene->model, asp_world_state(world), 1).position.x;
  asp_world_destroy(world);
  return x;
}

static void a_scene_with_parameters_moves_bit_for_bit_like_the_one_with_numbers(void **state) {
  (void)state;
  const char *set[] = {"mu=0.1*3"};
  char text[2048];
  AspContext *context = asp_context_create(NULL);
  AspScene plain, scene;
  scene_text(text, sizeof text, "", "0.30000000000000004", "2.5", "\"24*sin(40*t)^2 + 1e1\"");
  assert_ok(context, asp_scene_parse(context, text, strlen(text), "scene", &plain, NULL));
  scene_text(text, sizeof text,
             "\"parameters\": {\"both\": \"2*load\", \"mu\": 0.7, \"load\": {\"value\": 12, \"unit\": \"N\", "
             "\"range\": [0, null]}, \"e1\": 10, \"down\": -1},",
             "\"mu\"", "\"-10*down/4\"", "\"both*sin(40*t)^2 + e1^-down\"");
  assert_ok(context, read_set(context, text, set, 1, &scene, NULL));
  assert_int_equal(scene.parameter_count, 5);
  assert_string_equal(scene.parameter[0].name, "both");
  assert_true(scene.parameter[0].value == 24);
  assert_true(scene.parameter[1].set && !scene.parameter[2].set);
  assert_string_equal(scene.parameter[2].unit, "N");
  assert_true(end_of(context, &scene) == end_of(context, &plain));
  assert_true(end_of(context, &plain) > 0);
  asp_scene_destroy(context, &scene);
  asp_scene_destroy(context, &plain);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

static void every_kind_of_number_takes_an_expression(void **state) {
  (void)state;
  static const char text[] =
      "{\"parameters\": {\"d\": 2, \"r\": 0.5, \"n\": 7, \"turn\": 90}, \"dimension\": \"d\", \"gravity\": [0, \"-r\"],"
      "\"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0}],"
      "\"bodies\": [{\"fixed\": true}, {\"name\": \"disk\", \"mass\": 1, \"angle_deg\": \"turn\","
      "\"shapes\": [{\"type\": \"disk\", \"radius\": \"r\", \"material\": \"m\"}]}],"
      "\"joints\": [{\"type\": \"revolute\", \"bodies\": [\"body0\", \"disk\"], \"point\": [0, 0], \"limits_deg\": "
      "[null, \"2*turn\"]}],"
      "\"run\": {\"dt\": \"r/100\", \"until\": 1, \"output_every\": \"n\"}}";
  AspContext *context = asp_context_create(NULL);
  AspScene scene;
  assert_ok(context, asp_scene_parse(context, text, strlen(text), "scene", &scene, NULL));
  assert_int_equal(asp_model_dimension(scene.model), 2);
  assert_true(asp_model_gravity(scene.model).y == -0.5);
  assert_int_equal(scene.run.output_every, 7);
  assert_true(scene.run.dt == 0.005);
  asp_scene_destroy(context, &scene);
  asp_context_destroy(context);
}

typedef struct Wrong {
  const char *parameters, *friction, *set, *message;
} Wrong;

static const Wrong wrong[] = {
    {"{\"mu\": 0.3}", "\"muu\"", NULL,
     "/materials/0/friction: 'muu', column 1: 'muu' is not known; did you mean 'mu'?"},
    {"{\"mu\": -0.3}", "\"mu\"", NULL, "/materials/0/friction: 'mu' = -0.3 is not >= 0"},
    {"{\"mu\": 0.3}", "\"mu*t\"", NULL, "/materials/0/friction: 'mu*t' depends on t; this number is constant"},
    {"{\"mu\": 0.3}", "\"mu +\"", NULL, "/materials/0/friction: '0.3 +', column 6: expected a number"},
    {"{\"mu\": 0.3}", "\"1/(mu - mu)\"", NULL, "/materials/0/friction: '1/(mu - mu)' is inf; it must be finite"},
    {"{\"mu\": \"load\", \"load\": \"2*mu\"}", "\"mu\"", NULL, "/parameters/mu: depends on itself: mu -> load -> mu"},
    {"{\"mu\": \"mu\"}", "\"mu\"", NULL, "/parameters/mu: depends on itself: mu -> mu; give one of them a number"},
    {"{\"mu\": \"log(0)\"}", "\"mu\"", NULL, "/parameters/mu: 'log(0)' is nan; it must be finite"},
    {"{\"mu\": {\"value\": 3, \"range\": [0, 1]}}", "\"mu\"", NULL, "/parameters/mu: 3 is outside its range [0, 1]"},
    {"{\"mu\": {\"value\": 3, \"rang\": [0, 1]}}", "\"mu\"", NULL,
     "/parameters/mu/rang: unknown key; did you mean 'range'?"},
    {"{\"mu\": {\"unit\": \"N\"}}", "\"mu\"", NULL,
     "/parameters/mu/value: missing; expected a number or an expression"},
    {"{\"mu\": true}", "\"mu\"", NULL, "/parameters/mu: expected a number, an expression or an object"},
    {"{\"sin\": 1}", "0.3", NULL, "/parameters/sin: 'sin' has a meaning in expressions; choose another name"},
    {"{\"2mu\": 1}", "0.3", NULL, "/parameters/2mu: '2mu': a name has letters, digits and _, and begins with a letter"},
    {"{\"mu\": 1, \"mu\": 2}", "\"mu\"", NULL, "/parameters/mu: this parameter is given twice"},
    {"{\"mu\": 1}, \"inputs\": [{\"name\": \"mu\"}]", "\"mu\"", NULL,
     "/inputs/0/name: a parameter is called 'mu'; an input needs another name"},
    {"[1]", "0.3", NULL, "/parameters: expected an object, found a list"},
    {"{\"mu\": 0.3}", "\"mu\"", "nu=1", "--set nu=1: the scene has no such parameter; did you mean 'mu'?"},
    {"{}", "0.3", "mu=1", "--set mu=1: the scene has no parameters"},
    {"{\"mu\": 0.3}", "\"mu\"", "mu", "--set 'mu': expected NAME=VALUE, for example --set mu=0.4"},
    {"{\"mu\": 0.3}", "\"mu\"", "mu=", "--set 'mu=': expected NAME=VALUE"},
    {"{\"mu\": {\"value\": 0.3, \"range\": [0, 1]}}", "\"mu\"", "mu=2",
     "/parameters/mu: --set: 2 is outside its range"},
    {"{\"mu\": 0.3}", "\"mu\"", "mu=mu", "/parameters/mu: depends on itself"},
};

static void what_is_wrong_with_a_parameter_is_named(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[2048], block[512];
    AspContext *context = asp_context_create(NULL);
    AspScene scene;
    AspMistakes mistakes;
    snprintf(block, sizeof block, "\"parameters\": %s,", wrong[i].parameters);
    scene_text(text, sizeof text, block, wrong[i].friction, "1", "0");
    AspError error = read_set(context, text, &wrong[i].set, wrong[i].set != NULL, &scene, &mistakes);
    if (error != ASP_ERROR_INPUT || !strstr(asp_context_message(context), wrong[i].message))
      fail_msg("'%s': %s, '%s'", wrong[i].message, asp_error_name(error), asp_context_message(context));
    asp_mistakes_destroy(context, &mistakes);
    assert_int_equal(asp_context_memory_in_use(context), 0);
    asp_context_destroy(context);
  }
}

static void a_parameter_that_nothing_uses_is_a_warning(void **state) {
  (void)state;
  char text[2048];
  AspContext *context = asp_context_create(NULL);
  AspScene scene;
  scene_text(text, sizeof text, "\"parameters\": {\"mu\": 0.3, \"idle\": \"2*mu\"},", "0.3", "1", "0");
  assert_ok(context, asp_scene_parse(context, text, strlen(text), "scene", &scene, NULL));
  assert_int_equal(scene.warnings.count, 1);
  assert_non_null(strstr(scene.warnings.line[0], "/parameters/idle: no number of the scene uses this parameter"));
  asp_scene_destroy(context, &scene);
  asp_context_destroy(context);
}

static void collect(void *user, const AspFact *fact) {
  char *all = user;
  if (strncmp(fact->key, "parameter_", 10) == 0)
    snprintf(all + strlen(all), 200, "%s=%g %s;", fact->key, fact->number, fact->unit);
}

static void a_result_keeps_the_values_that_the_run_used(void **state) {
  (void)state;
  const char *set[] = {"load=20"};
  const AspSettings settings = {.count = 1, .text = set};
  char text[2048], found[512] = "";
  AspContext *context = asp_context_create(NULL);
  AspScene scene;
  AspWorld *world = NULL;
  AspResultWriter *writer = NULL;
  const char *path = ASP_BINARY_DIR "/parameters.h5";
  scene_text(text, sizeof text, "\"parameters\": {\"mu\": 0.3, \"load\": {\"value\": 12, \"unit\": \"N\"}},", "\"mu\"",
             "1", "\"load\"");
  assert_ok(context, asp_scene_parse_set(context, text, strlen(text), "scene", &settings, &scene, NULL));
  assert_ok(context, asp_world_create(context, scene.model, &scene.run, &world));
  assert_ok(context, asp_result_create(context, path, &scene, world, &writer));
  assert_ok(context, asp_result_close(writer, world));
  assert_ok(context, asp_file_info(context, path, NULL, collect, found));
  assert_string_equal(found, "parameter_mu=0.3 ;parameter_load=20 N;");
  asp_world_destroy(world);
  asp_scene_destroy(context, &scene);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_scene_with_parameters_moves_bit_for_bit_like_the_one_with_numbers),
      cmocka_unit_test(every_kind_of_number_takes_an_expression),
      cmocka_unit_test(what_is_wrong_with_a_parameter_is_named),
      cmocka_unit_test(a_parameter_that_nothing_uses_is_a_warning),
      cmocka_unit_test(a_result_keeps_the_values_that_the_run_used),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
