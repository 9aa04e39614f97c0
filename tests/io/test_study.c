/* Studies: points, samples, keys, rows; a failure of memory at any place is clean. The program's side: tests/cli/sweep.sh. */
#define _XOPEN_SOURCE 700
#include "asperity/study.h"
#include "failing_allocator.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCENE                                                                                                          \
  "{'parameters': {'a': 1, 'b': {'value': 2, 'range': [0, 10]}, 'c': 3}, 'bodies': [{'name': 'ball', 'mass': 1, "      \
  "'velocity': ['a + b + c', 0, 0], 'shapes': [{'type': 'sphere', 'radius': 0.1}]}], 'run': {'dt': 0.1, 'until': 1}}"

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (; *text; text++)
    fputc(*text == '\'' ? '"' : *text, file);
  assert_int_equal(fclose(file), 0);
}

/* A fresh folder for the test, entered. */
static void enter(const char *name) {
  char path[4096], command[8300];
  snprintf(path, sizeof path, "%s/study_test/%s", ASP_BINARY_DIR, name);
  snprintf(command, sizeof command, "rm -rf '%s' && mkdir -p '%s'", path, path);
  assert_int_equal(system(command), 0);
  assert_int_equal(chdir(path), 0);
  write_file("scene.json", SCENE);
}

static AspStudy *read_study(AspContext *context, const char *text) {
  AspStudy *study = NULL;
  write_file("study.json", text);
  assert_ok(context, asp_study_read(context, "study.json", &study, NULL));
  return study;
}

static void points_are_every_combination_of_lists_and_grids(void **state) {
  (void)state;
  enter("combinations");
  AspContext *context = asp_context_create(NULL);
  AspStudy *study =
      read_study(context, "{'scene': 'scene.json', 'parameters': {'a': {'values': [5, 7]}, 'b': {'range': "
                          "[1, 4], 'count': 3, 'scale': 'log'}, 'c': '2^3'}, 'outputs': {'x': 'ball.x'}}");
  assert_int_equal(asp_study_point_count(study), 6);
  const double expected[6][3] = {{5, 1, 8}, {5, 2, 8}, {5, 4, 8}, {7, 1, 8}, {7, 2, 8}, {7, 4, 8}};
  for (int point = 0; point < 6; point++)
    for (int c = 0; c < 3; c++)
      assert_near(asp_study_parameter(study, point, c), expected[point][c], 1e-15);
  char first[17], second[17];
  asp_study_key(study, 0, first);
  asp_study_key(study, 1, second);
  assert_string_not_equal(first, second);
  asp_study_destroy(study);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

static void latin_samples_have_one_in_each_slice_of_every_range(void **state) {
  (void)state;
  enter("latin");
  AspContext *context = asp_context_create(NULL);
  AspStudy *study =
      read_study(context, "{'scene': 'scene.json', 'parameters': {'a': {'range': [0, 50]}, 'b': {'range': "
                          "[0, 5]}}, 'sample': {'method': 'latin', 'count': 50, 'seed': 3}, 'outputs': "
                          "{'x': 'ball.x'}}");
  bool seen[2][50] = {{false}};
  assert_int_equal(asp_study_point_count(study), 50);
  for (int point = 0; point < 50; point++)
    for (int c = 0; c < 2; c++) {
      int slice = (int)floor(asp_study_parameter(study, point, c) / (c ? 0.1 : 1));
      assert_true(slice >= 0 && slice < 50 && !seen[c][slice]);
      seen[c][slice] = true;
    }
  asp_study_destroy(study);
  asp_context_destroy(context);
}

/* The digital shift of the seed is taken out again: the sequence of Joe and Kuo in Gray-code order. */
static void sobol_samples_are_the_known_sequence_and_stratified(void **state) {
  (void)state;
  enter("sobol");
  static const double known[8][3] = {{0, 0, 0},          {.5, .5, .5},       {.75, .25, .25},    {.25, .75, .75},
                                     {.375, .375, .625}, {.875, .875, .125}, {.625, .125, .875}, {.125, .625, .375}};
  AspContext *context = asp_context_create(NULL);
  AspStudy *study = read_study(context, "{'scene': 'scene.json', 'parameters': {'a': {'range': [0, 1]}, 'b': {'range': "
                                        "[0, 1]}, 'c': {'range': [0, 1]}}, 'sample': {'count': 64}, 'outputs': {'x': "
                                        "'ball.x'}}");
  const double bits = 4503599627370496; // 2^52
  for (int point = 0; point < 8; point++)
    for (int c = 0; c < 3; c++) {
      uint64_t shift = (uint64_t)(bits * asp_study_parameter(study, 0, c)),
               x = (uint64_t)(bits * asp_study_parameter(study, point, c));
      assert_true((double)(x ^ shift) / bits == known[point][c]);
    }
  for (int c = 0; c < 3; c++) {
    bool seen[64] = {false};
    for (int point = 0; point < 64; point++) {
      int slice = (int)(64 * asp_study_parameter(study, point, c));
      assert_true(slice >= 0 && slice < 64 && !seen[slice]);
      seen[slice] = true;
    }
  }
  asp_study_destroy(study);
  asp_context_destroy(context);
}

static void key_changes_with_all_that_the_row_depends_on(void **state) {
  (void)state;
  enter("keys");
  static const char *const studies[] = {
      "{'scene': 'scene.json', 'parameters': {'a': 1}, 'outputs': {'x': 'ball.x'}}",
      "{'scene': 'scene.json', 'parameters': {'a': 1.5}, 'outputs': {'x': 'ball.x'}}",
      "{'scene': 'scene.json', 'parameters': {'b': 1}, 'outputs': {'x': 'ball.x'}}",
      "{'scene': 'scene.json', 'parameters': {'a': 1}, 'outputs': {'x': 'ball.y'}}",
      "{'scene': 'scene.json', 'parameters': {'a': 1}, 'outputs': {'x': 'ball.x'}, 'run': {'dt': 0.2}}",
      "{'scene': 'scene.json', 'parameters': {'a': 1}, 'outputs': {'x': 'ball.x'}, 'results': 'all'}",
      "{'scene': 'other.json', 'parameters': {'a': 1}, 'outputs': {'x': 'ball.x'}}"};
  enum { COUNT = sizeof studies / sizeof *studies };
  char key[COUNT][17];
  AspContext *context = asp_context_create(NULL);
  write_file("other.json", SCENE " ");
  for (int i = 0; i < COUNT; i++) {
    AspStudy *study = read_study(context, studies[i]);
    asp_study_key(study, 0, key[i]);
    for (int k = 0; k < i; k++)
      assert_string_not_equal(key[i], key[k]);
    asp_study_destroy(study);
  }
  // what it is called and how it is laid out does not matter
  AspStudy *study =
      read_study(context, "{'name': 'n', 'scene':'scene.json', 'outputs':{'x':'ball.x'}, 'parameters':{'a':1}}");
  char again[17];
  asp_study_key(study, 0, again);
  assert_string_equal(again, key[0]);
  asp_study_destroy(study);
  asp_context_destroy(context);
}

static void a_row_is_written_once_and_read_back(void **state) {
  (void)state;
  enter("rows");
  AspContext *context = asp_context_create(NULL);
  AspStudy *study =
      read_study(context, "{'scene': 'scene.json', 'parameters': {'a': {'values': [1, 2]}, 'run.dt': 0.05}, "
                          "'outputs': {'x': 'ball.x', 'n': 'run.steps', 'most': 'ball.x.max + a'}}");
  AspStudyRow row;
  bool taken = false;
  int64_t count[4];
  assert_ok(context, asp_study_plan(study, "folder"));
  assert_ok(context, asp_study_run_point(study, "folder", 0, &taken));
  assert_true(taken);
  assert_ok(context, asp_study_run_point(study, "folder", 0, &taken));
  assert_false(taken);
  assert_ok(context, asp_study_fail_point(study, "folder", 0, 139, "too late", &taken));
  assert_false(taken);
  assert_ok(context, asp_study_row(study, "folder", 0, &row));
  assert_int_equal(row.state, ASP_ROW_DONE);
  assert_near(row.value[2], 6, 1e-9); // a + b + c over 1 s
  assert_near(row.value[3], 20, 0);
  assert_near(row.value[4], 7, 1e-9);
  asp_study_row_destroy(context, &row);
  assert_ok(context, asp_study_fail_point(study, "folder", 1, 139, "died \"here\" <b>", &taken));
  assert_true(taken);
  assert_ok(context, asp_study_row(study, "folder", 1, &row));
  assert_int_equal(row.state, ASP_ROW_FAILED);
  assert_int_equal(row.exit_code, 139);
  assert_string_equal(row.message, "died \"here\" <b>");
  assert_true(isnan(row.value[2]) && row.value[0] == 2);
  asp_study_row_destroy(context, &row);
  assert_ok(context, asp_study_collect(study, "folder"));
  assert_ok(context, asp_study_page(study, "folder"));
  assert_int_equal(access("folder/rows.h5", F_OK) | access("folder/index.html", F_OK), 0);
  int64_t reopened = 0;
  assert_ok(context, asp_study_reopen(study, "folder", &reopened));
  assert_int_equal(reopened, 1);
  assert_ok(context, asp_study_count(study, "folder", count));
  assert_int_equal(count[ASP_ROW_DONE], 1);
  assert_int_equal(count[ASP_ROW_OPEN], 1);
  assert_int_equal(asp_study_run_point(study, "folder", 2, &taken), ASP_ERROR_ARGUMENT);
  asp_study_destroy(study);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

static bool always(void *user) {
  (void)user;
  return true;
}

static void an_interrupted_point_stays_open(void **state) {
  (void)state;
  enter("interrupted");
  AspContext *context = asp_context_create(NULL);
  AspStudy *study = read_study(context, "{'scene': 'scene.json', 'outputs': {'x': 'ball.x'}}");
  bool taken = true;
  int64_t count[4];
  asp_context_set_stop(context, always, NULL);
  assert_int_equal(asp_study_run_point(study, "folder", 0, &taken), ASP_ERROR_INTERRUPTED);
  asp_context_set_stop(context, NULL, NULL);
  assert_ok(context, asp_study_count(study, "folder", count));
  assert_int_equal(count[ASP_ROW_OPEN], 1);
  asp_study_destroy(study);
  asp_context_destroy(context);
}

static void every_kth_allocation_failure_is_clean(void **state) {
  (void)state;
  enter("memory");
  FailingAllocator failing;
  AspContext *context = failing_context(&failing);
  write_file("study.json",
             "{'scene': 'scene.json', 'parameters': {'a': {'values': [1, 2]}, 'b': {'range': [0, 1]}}, 'sample': "
             "{'count': 3, 'method': 'latin'}, 'search': {'method': 'bisection', 'parameter': 'c', 'range': [0, "
             "1], 'when': 'ball.x > 1'}, 'outputs': {'x': 'ball.x', 'm': 'ball.x.max'}}");
  long live = failing.live;
  bool done = false;
  for (long k = 0; !done; k++) {
    AspStudy *study = NULL;
    AspMistakes mistakes = {0};
    failing.until_failure = k;
    done = asp_study_read(context, "study.json", &study, &mistakes) == ASP_OK;
    failing.until_failure = -1;
    asp_mistakes_destroy(context, &mistakes);
    asp_study_destroy(study);
    assert_true(failing.live <= live + 1); // the context keeps its last message
  }
  asp_context_destroy(context);
  assert_int_equal(failing.live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_are_every_combination_of_lists_and_grids),
      cmocka_unit_test(latin_samples_have_one_in_each_slice_of_every_range),
      cmocka_unit_test(sobol_samples_are_the_known_sequence_and_stratified),
      cmocka_unit_test(key_changes_with_all_that_the_row_depends_on),
      cmocka_unit_test(a_row_is_written_once_and_read_back),
      cmocka_unit_test(an_interrupted_point_stays_open),
      cmocka_unit_test(every_kth_allocation_failure_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
