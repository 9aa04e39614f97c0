/* Problems from files: `auto` solves them, by the word of a judge that it never saw. The committed ones always; with
 * ASPERITY_TEST_FULL also every file below ASPERITY_FCLIB_DIR (default: beside the source tree), skipped visibly where
 * that folder is absent. */
#define _DEFAULT_SOURCE // scandir
#include "context_in_state.h"
#include "exact_testing.h"

#include "asperity/io.h"

#include <dirent.h>

#define TOLERANCE 1e-8

static int is_problem(const struct dirent *entry) { return strstr(entry->d_name, ".hdf5") != NULL; }

typedef struct Units {
  double length, mass, time;
} Units;

static const Units own_units = {1, 1, 1};

/* Solve every file of the folder in the given units; returns how many there were. */
static int solve_folder(AspContext *context, const char *folder, Units units) {
  struct dirent **entry = NULL;
  int count = scandir(folder, &entry, is_problem, alphasort);
  for (int i = 0; i < count; i++) {
    char path[1024];
    Trial trial = {.context = context};
    snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
    assert_ok(context, asp_fclib_read(context, path, NULL, &trial.problem, NULL));
    problem_rescale(&trial.problem, units.length, units.mass, units.time, trial.problem.dofs % 6 == 0);
    trial.r = calloc((size_t)trial.problem.rows + 1, sizeof *trial.r);
    trial.u = calloc((size_t)trial.problem.rows + 1, sizeof *trial.u);
    assert_non_null(trial.r);
    assert_non_null(trial.u);
    trial_solve(&trial, ASP_METHOD_AUTO, TOLERANCE, 0);
    assert_honest(&trial, TOLERANCE);
    if (trial.info.status != ASP_STATUS_SOLVED)
      fail_msg("%s in units of %g, %g, %g: %s, E1 = %g (%s)", path, units.length, units.mass, units.time,
               asp_status_name(trial.info.status), trial.info.residual.E1, trial.info.path);
    trial_free(&trial);
    free(entry[i]);
  }
  free(entry);
  return count;
}

static void auto_solves_the_committed_problems(void **state) {
  assert_int_equal(solve_folder(*state, ASP_SOURCE_DIR "/tests/data/fclib", own_units), 6);
}

static void auto_solves_the_committed_problems_in_other_units(void **state) {
  static const Units units[] = {{1e3, 1, 1}, {1e-3, 1, 1}, {1, 1e3, 1},      {1, 1e-3, 1},
                                {1, 1, 1e3}, {1, 1, 1e-3}, {1e-3, 1e3, 1e-3}};
  for (size_t k = 0; k < sizeof units / sizeof *units; k++)
    assert_int_equal(solve_folder(*state, ASP_SOURCE_DIR "/tests/data/fclib", units[k]), 6);
}

static void auto_solves_the_collection(void **state) {
  const char *root = getenv("ASPERITY_FCLIB_DIR");
  static const char *const kinds[] = {"fc3d", "fc2d"};
  char folder[1024];
  if (!is_full_test()) {
    print_message("skipped: the whole collection needs ASPERITY_TEST_FULL\n");
    skip();
  }
  for (size_t k = 0; k < 2; k++) {
    snprintf(folder, sizeof folder, "%s/%s", root ? root : ASP_SOURCE_DIR "/../shared/data/fclib", kinds[k]);
    int count = solve_folder(*state, folder, own_units);
    if (count <= 0) {
      print_message("skipped: no FCLIB files in %s (ASPERITY_FCLIB_DIR)\n", folder);
      skip();
    }
    print_message("%s: %d problems\n", kinds[k], count);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(auto_solves_the_committed_problems),
      cmocka_unit_test(auto_solves_the_committed_problems_in_other_units),
      cmocka_unit_test(auto_solves_the_collection),
  };
  return cmocka_run_group_tests(tests, make_context, free_context);
}
