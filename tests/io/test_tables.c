/* Tables of scenes: files with all their habits, motions from accelerations, and what is refused with which line. */
#define _POSIX_C_SOURCE 200809L
#include "asperity/asperity.h"
#include "result_testing.h"

#include <sys/stat.h>

#define FOLDER ASP_BINARY_DIR "/table-test"

static void write_file(const char *name, const char *text, size_t length) {
  char path[512];
  mkdir(FOLDER, 0777);
  snprintf(path, sizeof path, FOLDER "/%s", name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

/* A sled that is moved, and a block that a force pushes. */
static AspError read_scene(AspContext *context, const char *tables, const char *motion, const char *force,
                           AspScene *scene, AspMistakes *mistakes) {
  char text[4096];
  snprintf(text, sizeof text,
           "{\"name\": \"t\", %s \"bodies\": [{\"name\": \"sled\", \"motion\": {\"position\": [%s, 0, 0]}},"
           "{\"name\": \"block\", \"mass\": 2, \"inertia\": [1, 1, 1], \"position\": [0, 1, 0]}],"
           "\"forces\": [{\"type\": \"force\", \"body\": \"block\", \"force\": [%s, 0, 0]}],"
           "\"run\": {\"dt\": 0.001, \"until\": 1}}",
           tables, motion, force);
  return asp_scene_parse(context, text, strlen(text), FOLDER "/scene.json", scene, mistakes);
}

/* Where both are in the end, and the sled's velocity. */
static void run(AspContext *context, AspScene *scene, AspScheme scheme, double *sled, double *speed, double *block) {
  AspWorld *world = NULL;
  AspStepInfo info;
  scene->run.scheme = scheme;
  assert_ok(context, asp_world_create(context, scene->model, &scene->run, &world));
  while (asp_world_state(world)->t < scene->run.until - 1e-9)
    assert_ok(context, asp_world_step(world, &info));
  *sled = asp_state_pose(scene->model, asp_world_state(world), 0).position.x;
  *speed = asp_state_velocity(scene->model, asp_world_state(world), 0).x;
  *block = asp_state_pose(scene->model, asp_world_state(world), 1).position.x;
  asp_world_destroy(world);
}

static void a_table_of_accelerations_moves_a_body_in_every_scheme(void **state) {
  (void)state;
  static const AspScheme schemes[] = {ASP_SCHEME_STEWART_TRINKLE, ASP_SCHEME_MOREAU_JEAN,
                                        ASP_SCHEME_GENERALIZED_ALPHA, ASP_SCHEME_EVENT_DRIVEN, ASP_SCHEME_COMPLIANT};
  AspContext *context = asp_context_create(NULL);
  AspScene scene;
  write_file("a.csv", "time,accel\n0,0\n0.5,4\n1,0\n", 24);
  assert_ok(context, read_scene(context,
                                "\"tables\": [{\"name\": \"a\", \"file\": \"a.csv\", \"column\": \"accel\", "
                                "\"integrate\": 2}],",
                                "\"0.25 + table(a, t)\"", "\"table('a.csv', t)\"", &scene, NULL));
  assert_int_equal(scene.file_count, 1);
  assert_string_equal(scene.file[0].path, "a.csv");
  assert_int_equal(scene.notes.count, 1);
  assert_non_null(strstr(scene.notes.line[0], "/tables/0: the table 'a' is integrated twice; at its last point, 1, it "
                                              "has come to 1 with slope 2"));
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    double sled, speed, block;
    run(context, &scene, schemes[i], &sled, &speed, &block);
    assert_near(sled, 1.25, 1e-12); // exact: the triangle's double integral is 1
    assert_near(speed, 2, 1e-12);
    assert_near(block, 0.5, 2e-3); // first order in Stewart-Trinkle: dt times the velocity at the end
  }
  asp_scene_destroy(context, &scene);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

/* The same points in any dress give the same table. */
static void files_of_all_habits_are_read(void **state) {
  (void)state;
  static const struct {
    const char *text, *keys;
  } cases[] = {
      {"0,1\n1,3\n2,2\n", ""},
      {"0 1\n1 3\n2 2", ""},
      {"  0   1 \n\t1\t3\n2 2\n\n", ""},
      {"0\t1\r\n1\t3\r\n2\t2\r\n", ""},
      {"0;1\r1;3\r2;2\r", ""},
      {"\xEF\xBB\xBFt,y\r\n0,1\r\n1,3\r\n2,2\r\n", ", \"argument\": \"t\", \"column\": \"y\""},
      {"# made by hand\n\n# t y\n0,1,\n1,3,\n# half\n2,2,\n", ""},
      {"\"a, m/s^2\", \"t\" ,z\n1,0e0,x\n+3.0,1.0,\n20e-1,.2E1,y\n", ", \"argument\": \"t\", \"column\": \"a, m/s^2\""},
      {"9,0,7,1\n9,1,7,3\n9,2,7,2\n", ", \"argument\": 2, \"column\": 4"},
  };
  AspContext *context = asp_context_create(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char tables[512];
    AspScene scene;
    write_file("b.csv", cases[i].text, strlen(cases[i].text));
    snprintf(tables, sizeof tables, "\"tables\": [{\"name\": \"b\", \"file\": \"b.csv\"%s}],", cases[i].keys);
    assert_ok(context, read_scene(context, tables, "0", "\"table(b, t)\"", &scene, NULL));
    const AspTable *table = asp_model_table(scene.model, 0);
    assert_int_equal(asp_table_definition(table)->count, 3);
    assert_true(asp_table_at(table, (AspJet){0.5, 1, 0}).value == 2);
    assert_true(asp_table_at(table, (AspJet){1.5, 1, 0}).value == 2.5);
    asp_scene_destroy(context, &scene);
  }
  asp_context_destroy(context);
}

static void a_million_rows_are_read(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  size_t rows = 1000000, length = 0;
  char *text = malloc(24 * rows);
  AspScene scene;
  assert_non_null(text);
  for (size_t i = 0; i < rows; i++)
    length += (size_t)sprintf(text + length, "%zu.%zu,%d\n", i / 10, i % 10, i % 2 ? 1 : -1);
  write_file("million.csv", text, length);
  free(text);
  assert_ok(context, read_scene(context, "", "0", "\"table('million.csv', t)\"", &scene, NULL));
  const AspTable *table = asp_model_table(scene.model, 0);
  assert_int_equal(asp_table_definition(table)->count, rows);
  assert_near(asp_table_at(table, (AspJet){77777.25, 1, 0}).value, 0, 1e-9);
  asp_scene_destroy(context, &scene);
  asp_context_destroy(context);
}

static void what_is_wrong_with_a_file_is_named_with_its_line(void **state) {
  (void)state;
  static const struct {
    const char *text, *keys, *message;
  } cases[] = {
      {"", "", "w.csv: there are no numbers in it"},
      {"# nothing\n\n", "", "w.csv: there are no numbers in it"},
      {"t,y\n", "", "w.csv: 0 lines with numbers; a table needs 2 or more"},
      {"0,1\n", "", "w.csv: 1 line with numbers; a table needs 2 or more"},
      {"0\n1\n2\n", "", "w.csv: line 1: 1 column; column 2 is needed"},
      {"0,1\n1\n", "", "w.csv: line 2: 1 column; column 2 is needed"},
      {"0,1\n1,\n", "", "w.csv: line 2: column 2 is empty; fill it or leave the line out"},
      {"0,1\n1,NaN\n", "", "w.csv: line 2: 'NaN' in column 2 is not finite"},
      {"0,nan\n1,2\n", "", "w.csv: line 1: 'nan' in column 2 is not finite"},
      {"0,1\n1,-inf\n", "", "w.csv: line 2: '-inf' in column 2 is not finite"},
      {"0,1\n1,1e999\n", "", "w.csv: line 2: '1e999' in column 2 is too large"},
      {"0;1\n0,5;2\n", "",
       "w.csv: line 2: '0,5' in column 1 is not a number; write a decimal point in place of the "
       "comma"},
      {"0,1\n1,2 m\n", "", "w.csv: line 2: '2 m' in column 2 is not a number"},
      {"0,1\n1,0x10\n", "", "w.csv: line 2: '0x10' in column 2 is not a number"},
      {"t,y\n0,1\n2,2\n1,3\n", "", "w.csv: line 4: 1 in column 1 is not above 2 of line 3; sort the lines"},
      {"0,1\n0,2\n1,3\n", "", "w.csv: line 2: 0 in column 1 is not above 0 of line 1"},
      {"0,1\n1,2\n", ", \"column\": \"y\"",
       "w.csv: line 1: there is no header line with names of columns, so that 'y'"},
      {"t,acc\n0,1\n1,2\n", ", \"column\": \"y\"", "w.csv: line 1: there is no column 'y'; the header has: t, acc"},
      {"t,y,y\n0,1,1\n1,2,2\n", ", \"column\": \"y\"", "w.csv: line 1: columns 2 and 3 are both called 'y'; give"},
      {"0,1\n1,2\n", ", \"column\": 3", "w.csv: line 1: 2 columns; column 3 is needed"},
      {"0,1\n1,2\n", ", \"column\": 0", "/tables/0/column: 0 is outside [1, 10000]"},
      {"0,1\n1,2\n", ", \"column\": true", "/tables/0/column: expected the name of a column or its number"},
      {"0,1\n1,2\n", ", \"interpolation\": \"cubik\"", "'cubik' is not one of linear, cubic; did you mean 'cubic'?"},
      {"0,1\n1,2\n", ", \"outside\": \"repeat\"", "table 'w': it repeats, but begins with 1 and ends with 2"},
      {"0,1\n1,2\n", ", \"outside\": \"wrap\"", "'wrap' is not one of hold, zero, extend, repeat"},
      {"0,1\n1,2\n", ", \"integrate\": 3", "/tables/0/integrate: 3 is outside [0, 2]"},
      {"0,1\n1,2\n", ", \"points\": [[0, 1], [1, 2]]", "/tables/0: a table has either a file or points; give one"},
      {"0,1\n1,2\n", ", \"filee\": 1", "/tables/0/filee: unknown key; did you mean 'file'?"},
  };
  AspContext *context = asp_context_create(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char tables[512];
    AspScene scene;
    AspMistakes mistakes;
    write_file("w.csv", cases[i].text, strlen(cases[i].text));
    snprintf(tables, sizeof tables, "\"tables\": [{\"name\": \"w\", \"file\": \"w.csv\"%s}],", cases[i].keys);
    assert_int_equal(read_scene(context, tables, "0", "0", &scene, &mistakes), ASP_ERROR_INPUT);
    if (!strstr(mistakes.line[0], cases[i].message))
      fail_msg("%s\nfound:    %s\nexpected: %s", cases[i].text, mistakes.line[0], cases[i].message);
    asp_mistakes_destroy(context, &mistakes);
    assert_int_equal(asp_context_memory_in_use(context), 0);
  }
  asp_context_destroy(context);
}

static void what_is_wrong_with_a_table_is_named_with_its_remedy(void **state) {
  (void)state;
#define UP "\"tables\": [{\"name\": \"up\", \"points\": [[0, 0], [1, 1], [2, 1]]}],"
  static const struct {
    const char *tables, *motion, *force, *message;
  } cases[] = {
      {UP, "\"table(up, t)\"", "0",
       "the table 'up' is linear: its slope jumps at its points, and a prescribed motion "
       "needs a velocity without jumps: use \"interpolation\": \"cubic\""},
      {UP, "0", "\"table(upp, t)\"", "/forces/0/force/0: 'table(upp, t)': there is no table 'upp'; did you mean 'up'?"},
      {"", "0", "\"table(up, t)\"", "there is no table 'up'; define it under tables, or name a file"},
      {"", "0", "\"table('no.csv', t)\"", "/no.csv: No such file or directory"},
      {"", "0", "\"table('.', t)\"", "/.: not a file"},
      {UP, "0", "\"table(up)\"", "expected ',' and the argument of the table, found ')'"},
      {"\"tables\": [{\"name\": \"up\", \"points\": [[0, 0]]}],", "0", "0", "table 'up': 1 points; a table has 2 to"},
      {"\"tables\": [{\"name\": \"up\", \"points\": [[0, 0], [0, 1]]}],", "0", "0", "points must ascend"},
      {"\"tables\": [{\"name\": \"up\", \"points\": [[0, 0], [1]]}],", "0", "0",
       "/tables/0/points/1: expected [x, y], found a list of 1"},
      {"\"tables\": [{\"name\": \"up\"}],", "0", "0", "/tables/0: a table has either a file or points; give one"},
      {"\"tables\": [{\"points\": [[0, 0], [1, 1]]}],", "0", "0", "/tables/0/name: missing"},
      {"\"tables\": [{\"name\": \"up\", \"points\": [[0, 0], [1, 1]], \"column\": 2}],", "0", "0",
       "/tables/0/column: columns are those of a file; points have none"},
      {"\"tables\": [{\"name\": \"a\", \"points\": [[0, 0], [1, 1]]}, {\"name\": \"a\", \"points\": [[0, 0], [1, "
       "1]]}],",
       "0", "0", "table 'a': the name is already taken"},
      {UP " \"gravity\": [0, 0, \"table(up, 1)\"],", "0", "0",
       "/gravity/2: 'table(up, 1)' uses a table; this number is constant over the run"},
      {UP " \"parameters\": {\"table\": 1},", "0", "0", "/parameters/table: 'table' has a meaning in expressions"},
  };
#undef UP
  AspContext *context = asp_context_create(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    AspScene scene;
    AspMistakes mistakes;
    AspError error = read_scene(context, cases[i].tables, cases[i].motion, cases[i].force, &scene, &mistakes);
    if (error != ASP_ERROR_INPUT)
      fail_msg("case %d is taken", (int)i);
    bool found = false;
    for (int k = 0; k < mistakes.count; k++)
      found = found || strstr(mistakes.line[k], cases[i].message);
    if (!found)
      fail_msg("found:    %s\nexpected: %s", mistakes.line[0], cases[i].message);
    asp_mistakes_destroy(context, &mistakes);
    assert_int_equal(asp_context_memory_in_use(context), 0);
  }
  asp_context_destroy(context);
}

static void parameters_and_tables_meet_in_one_expression(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspScene scene;
  assert_ok(context, read_scene(context,
                                "\"parameters\": {\"up\": 2, \"last\": 3}, \"tables\": [{\"name\": \"up\", \"points\": "
                                "[[0, 0], [\"last\", \"2*last\"]]}],",
                                "\"up*t\"", "\"up*table( up , up*t) + table(\\\"up\\\", 0)\"", &scene, NULL));
  double sled, speed, block;
  run(context, &scene, ASP_SCHEME_MOREAU_JEAN, &sled, &speed, &block);
  assert_near(sled, 2, 1e-12);
  assert_near(block, 8 / 2.0 / 6, 1e-5); // 8 t N on 2 kg
  asp_scene_destroy(context, &scene);
  asp_context_destroy(context);
}

static void damaged_files_give_an_error_or_a_table(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {.state = 7};
  static const char text[] = "t;y\r\n0.5;\"1\"\r\n1;3e-1\r\n2;-2\r\n";
  for (int i = 0; i < 2000; i++) {
    char copy[sizeof text];
    AspScene scene;
    memcpy(copy, text, sizeof text);
    for (int k = 0; k < 3; k++)
      copy[asp_random_bits(&random) % (sizeof text - 1)] = (char)(asp_random_bits(&random) % 256);
    write_file("d.csv", copy, (size_t)(asp_random_bits(&random) % sizeof text));
    AspError error = read_scene(context, "", "0", "\"table('d.csv', t)\"", &scene, NULL);
    assert_true(error == ASP_OK || error == ASP_ERROR_INPUT);
    if (error == ASP_OK)
      asp_scene_destroy(context, &scene);
    assert_int_equal(asp_context_memory_in_use(context), 0);
  }
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_table_of_accelerations_moves_a_body_in_every_scheme),
      cmocka_unit_test(files_of_all_habits_are_read),
      cmocka_unit_test(a_million_rows_are_read),
      cmocka_unit_test(what_is_wrong_with_a_file_is_named_with_its_line),
      cmocka_unit_test(what_is_wrong_with_a_table_is_named_with_its_remedy),
      cmocka_unit_test(parameters_and_tables_meet_in_one_expression),
      cmocka_unit_test(damaged_files_give_an_error_or_a_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
