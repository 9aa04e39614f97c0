/* io: FCLIB files. Round trips are compared bit by bit; files of other shapes are made with HDF5 itself, not with our
 * writer. */
#define FCLIB_TEST_NAME "test_fclib"
#include "failing_allocator.h"
#include "fclib_testing.h"

#include <dirent.h>

/* ---- round trips ---- */

static void every_family_reads_back_identically(void **state) {
  (void)state;
  for (int which = 0; which < FAMILY_COUNT; which++) {
    AspContactProblem problem = family((ProblemFamily)which, 40);
    assert_round_trip(&problem);
    asp_problem_destroy(context, &problem);
  }
}

static void local_and_planar_problems_read_back_identically(void **state) {
  (void)state;
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int equalities = 0; equalities <= 2; equalities++) {
      AspContactProblem problem = local_problem(dimension, 3, equalities, true);
      assert_round_trip(&problem);
      assert_true(link_exists("/fclib_local"));
      asp_problem_destroy(context, &problem);
    }
  AspContactProblem planar = planar_problem(5);
  assert_round_trip(&planar);
  assert_true(link_exists("/fclib_global") && !link_exists("/asperity"));
  asp_problem_destroy(context, &planar);
}

static void equality_constraints_are_stored_as_fclib_defines_them(void **state) {
  (void)state;
  AspContactProblem p = local_problem(3, 2, 1, true);
  assert_ok(context, asp_fclib_write(context, PATH, &p, NULL));
  // V: rows 0..5, columns 6..7 of W; R: the last 2 x 2; s: the end of q
  double V[12], R[4], s[2];
  assert_int_equal(get_reals("/fclib_local/V/x", V, 12), 12);
  assert_int_equal(get_reals("/fclib_local/R/x", R, 4), 4);
  assert_int_equal(get_reals("/fclib_local/vectors/s", s, 2), 2);
  for (int j = 0; j < 2; j++) {
    for (int i = 0; i < 6; i++)
      assert_true(V[6 * j + i] == p.W.value[8 * (6 + j) + i]);
    for (int i = 0; i < 2; i++)
      assert_true(R[2 * j + i] == p.W.value[8 * (6 + j) + 6 + i]);
    assert_true(s[j] == p.q[6 + j]);
  }
  asp_problem_destroy(context, &p);
}

static void without_our_group_equalities_follow_the_contacts_row_by_row(void **state) {
  (void)state;
  AspContactProblem p = family(FAMILY_JOINTED, 20), q;
  assert_ok(context, asp_fclib_write(context, PATH, &p, NULL));
  delete_link("/asperity");
  assert_ok(context, asp_fclib_read(context, PATH, NULL, &q, NULL));
  int equality_rows = 0, next = 0;
  for (int b = 0; b < p.blocks; b++)
    equality_rows += p.law[b].kind == ASP_LAW_EQUALITY ? 3 : 0;
  int contacts = (p.rows - equality_rows) / 3;
  assert_int_equal(q.blocks, contacts + equality_rows);
  for (int pass = 0; pass < 2; pass++)
    for (int b = 0; b < p.blocks; b++) {
      if ((p.law[b].kind == ASP_LAW_EQUALITY) != (pass == 1))
        continue;
      for (int i = p.offset[b]; i < p.offset[b + 1]; i++, next++) {
        int entries = p.H.start[i + 1] - p.H.start[i];
        assert_int_equal(q.H.start[next + 1] - q.H.start[next], entries);
        assert_memory_equal(q.H.row + q.H.start[next], p.H.row + p.H.start[i], (size_t)entries * sizeof(int));
        assert_memory_equal(q.H.value + q.H.start[next], p.H.value + p.H.start[i], (size_t)entries * sizeof(double));
        assert_true(q.w[next] == p.w[i]);
      }
    }
  for (int b = contacts; b < q.blocks; b++)
    assert_true(q.law[b].kind == ASP_LAW_EQUALITY && q.offset[b + 1] - q.offset[b] == 1);
  asp_problem_destroy(context, &p);
  asp_problem_destroy(context, &q);
}

static void what_fclib_cannot_say_is_hidden_from_its_readers(void **state) {
  (void)state;
  AspContactProblem laws = family(FAMILY_LAWS, 30), unsymmetric = local_problem(3, 2, 1, false);
  AspContactProblem polygon = family(FAMILY_TOWER, 12);
  for (int b = 0; b < polygon.blocks; b++) {
    polygon.law[b].cone = b % 2 ? ASP_CONE_INSCRIBED : ASP_CONE_CIRCUMSCRIBED;
    polygon.law[b].directions = 8;
    polygon.law[b].angle = 0.1;
  }
  AspContactProblem *const problems[] = {&laws, &unsymmetric, &polygon};
  for (int k = 0; k < 3; k++) {
    assert_round_trip(problems[k]);
    assert_false(link_exists("/fclib_global"));
    assert_false(link_exists("/fclib_local"));
    asp_problem_destroy(context, problems[k]);
  }
}

static void solution_guesses_and_texts_read_back_identically(void **state) {
  (void)state;
  AspContactProblem p = family(FAMILY_JOINTED, 20), back;
  double *r = asp_allocate(context, (size_t)p.rows, sizeof *r), *u = asp_allocate(context, (size_t)p.rows, sizeof *u);
  double *x = asp_allocate(context, (size_t)p.dofs, sizeof *x);
  problem_plant_solution(&p, 4, r, u, x);
  AspFclibPoint guess[2] = {{.r = r}, {.r = u, .u = r, .x = x}};
  AspFclibExtra extra = {
      .title = "rods", .description = "on ball joints", .solution = {r, u, x}, .guess_count = 2, .guess = guess};
  AspFclibExtra found;
  assert_ok(context, asp_fclib_write(context, PATH, &p, &extra));
  assert_ok(context, asp_fclib_read(context, PATH, NULL, &back, &found));
  assert_identical(&p, &back);
  assert_string_equal(found.title, "rods");
  assert_string_equal(found.description, "on ball joints");
  assert_null(found.math_info);
  assert_vectors_identical(found.solution.r, r, p.rows);
  assert_vectors_identical(found.solution.u, u, p.rows); // 0 on equality rows, as planted
  assert_vectors_identical(found.solution.x, x, p.dofs);
  assert_int_equal(found.guess_count, 2);
  assert_vectors_identical(found.guess[0].r, r, p.rows);
  assert_null(found.guess[0].u);
  assert_vectors_identical(found.guess[1].r, u, p.rows);
  assert_vectors_identical(found.guess[1].x, x, p.dofs);
  asp_fclib_extra_destroy(context, &found);
  asp_problem_destroy(context, &back);
  asp_problem_destroy(context, &p);
  asp_release(context, r);
  asp_release(context, u);
  asp_release(context, x);
}

static void equal_problems_give_equal_files(void **state) {
  (void)state;
  AspContactProblem p = family(FAMILY_TOWER, 20);
  char *bytes[2];
  long length[2];
  for (int k = 0; k < 2; k++) {
    assert_ok(context, asp_fclib_write(context, PATH, &p, NULL));
    FILE *file = fopen(PATH, "rb");
    fseek(file, 0, SEEK_END);
    length[k] = ftell(file);
    rewind(file);
    bytes[k] = malloc((size_t)length[k]);
    assert_int_equal(fread(bytes[k], 1, (size_t)length[k], file), length[k]);
    fclose(file);
  }
  assert_int_equal(length[0], length[1]);
  assert_memory_equal(bytes[0], bytes[1], (size_t)length[0]);
  free(bytes[0]);
  free(bytes[1]);
  asp_problem_destroy(context, &p);
}

/* ---- other storage of the matrices ---- */

/* Store H of the problem at PATH as triplets, in a scrambled order, each entry as two halves. */
static void put_triplets(const AspSparse *H, bool p_is_row) {
  int entries = H->start[H->columns], next = 0;
  int *row = malloc(2 * (size_t)entries * sizeof *row), *column = malloc(2 * (size_t)entries * sizeof *column);
  double *value = malloc(2 * (size_t)entries * sizeof *value);
  for (int half = 0; half < 2; half++)
    for (int j = H->columns - 1; j >= 0; j--)
      for (int k = H->start[j]; k < H->start[j + 1]; k++, next++) {
        row[next] = H->row[k];
        column[next] = j;
        value[next] = 0.5 * H->value[k];
      }
  put_integers("/fclib_global/H/p", (size_t)next, p_is_row ? row : column);
  put_integers("/fclib_global/H/i", (size_t)next, p_is_row ? column : row);
  put_reals("/fclib_global/H/x", (size_t)next, value);
  put_integer("/fclib_global/H/nz", next);
  put_integer("/fclib_global/H/nzmax", next);
  free(row);
  free(column);
  free(value);
}

static void triplets_of_either_orientation_are_sorted_and_summed(void **state) {
  (void)state;
  AspContactProblem p = family(FAMILY_WALL, 60), back;
  for (int turned = 0; turned < 2; turned++) {
    assert_ok(context, asp_fclib_write(context, PATH, &p, NULL));
    put_triplets(&p.H, !turned);
    AspFclibOptions options = asp_fclib_default_options();
    options.triplet = turned ? ASP_TRIPLET_P_IS_COLUMN : ASP_TRIPLET_P_IS_ROW;
    assert_ok(context, asp_fclib_read(context, PATH, &options, &back, NULL));
    assert_identical(&p, &back);
    asp_problem_destroy(context, &back);
    // the wrong orientation runs out of range and says what to try
    options.triplet = turned ? ASP_TRIPLET_P_IS_ROW : ASP_TRIPLET_P_IS_COLUMN;
    assert_int_equal(asp_fclib_read(context, PATH, &options, &back, NULL), ASP_ERROR_INPUT);
    assert_non_null(strstr(asp_context_message(context), "the other way round"));
  }
  asp_problem_destroy(context, &p);
}

static void compressed_rows_are_read(void **state) {
  (void)state;
  AspContactProblem p = local_problem(2, 3, 0, false), back;
  assert_ok(context, asp_fclib_write(context, PATH, &p, NULL));
  // the same p, i and x read as rows mean the transpose
  put_integer("/fclib_local/W/nz", -2);
  assert_ok(context, asp_fclib_read(context, PATH, NULL, &back, NULL));
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      assert_true(back.W.value[6 * j + i] == p.W.value[6 * i + j]);
  asp_problem_destroy(context, &back);
  asp_problem_destroy(context, &p);
}

static void unsorted_columns_and_room_to_spare_are_accepted(void **state) {
  (void)state;
  AspContactProblem p = local_problem(2, 1, 0, true), back;
  assert_ok(context, asp_fclib_write(context, PATH, &p, NULL));
  const int rows[6] = {1, 0, 1, 0, 7, 7}; // the last two are beyond p[n]
  const double values[6] = {p.W.value[1], p.W.value[0], p.W.value[3], p.W.value[2], 9, 9};
  put_integers("/fclib_local/W/i", 6, rows);
  put_reals("/fclib_local/W/x", 6, values);
  put_integer("/fclib_local/W/nzmax", 6);
  assert_ok(context, asp_fclib_read(context, PATH, NULL, &back, NULL));
  assert_identical(&p, &back);
  asp_problem_destroy(context, &back);
  asp_problem_destroy(context, &p);
}

/* ---- misuse and shortage ---- */

static void what_cannot_be_written_leaves_the_old_file(void **state) {
  (void)state;
  AspContactProblem p = family(FAMILY_TOWER, 12), back;
  assert_round_trip(&p);
  AspContactProblem broken = p;
  double *w = broken.w;
  broken.w = asp_allocate(context, (size_t)p.rows, sizeof *w);
  broken.w[0] = NAN;
  assert_int_not_equal(asp_fclib_write(context, PATH, &broken, NULL), ASP_OK);
  assert_ok(context, asp_fclib_read(context, PATH, NULL, &back, NULL));
  assert_identical(&p, &back);
  asp_problem_destroy(context, &back);
  assert_int_equal(asp_fclib_write(context, "no/such/folder/file.hdf5", &p, NULL), ASP_ERROR_FILE);
  asp_release(context, broken.w);
  asp_problem_destroy(context, &p);
  AspFclibOptions zeroed = {0};
  assert_int_equal(asp_fclib_read(context, PATH, &zeroed, &back, NULL), ASP_ERROR_ARGUMENT);
}

static void every_kth_allocation_failure_is_clean(void **state) {
  (void)state;
  AspContactProblem p = family(FAMILY_JOINTED, 12);
  double *r = asp_allocate(context, (size_t)p.rows, sizeof *r);
  AspFclibPoint guess = {.r = r};
  AspFclibExtra extra = {.title = "t", .solution = {.r = r, .u = r}, .guess_count = 1, .guess = &guess};
  int failures = 0;
  for (int k = 1;; k++) {
    FailingAllocator failing;
    AspContext *poor = failing_context(&failing);
    assert_non_null(poor);
    failing.until_failure = k - 1;
    AspContactProblem back;
    AspFclibExtra found;
    AspError error = asp_fclib_write(poor, PATH, &p, &extra);
    if (error == ASP_OK) {
      error = asp_fclib_read(poor, PATH, NULL, &back, &found);
      if (error == ASP_OK) {
        assert_identical(&p, &back);
        asp_fclib_extra_destroy(poor, &found);
        asp_problem_destroy(poor, &back);
      }
    }
    assert_int_equal(asp_context_memory_in_use(poor), 0);
    asp_context_destroy(poor);
    if (error == ASP_OK)
      break;
    assert_int_equal(error, ASP_ERROR_MEMORY);
    failures++;
  }
  assert_true(failures > 10);
  asp_release(context, r);
  asp_problem_destroy(context, &p);
}

/* ---- real files ---- */

static int read_folder(const char *folder) {
  int files = 0;
  DIR *directory = opendir(folder);
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    if (!strstr(entry->d_name, ".hdf5"))
      continue;
    char path[1300];
    AspContactProblem problem, back;
    AspFclibExtra extra;
    int contacts = 0;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    assert_ok(context, asp_fclib_read(context, path, NULL, &problem, &extra));
    assert_non_null(extra.title);
    assert_int_equal(sscanf(strstr(entry->d_name, "_nc") + 3, "%d", &contacts), 1);
    assert_int_equal(problem.blocks, contacts);
    assert_int_equal(problem.dofs > 0, entry->d_name[0] == 'G');
    assert_ok(context, asp_fclib_write(context, PATH, &problem, &extra));
    asp_fclib_extra_destroy(context, &extra);
    assert_ok(context, asp_fclib_read(context, PATH, NULL, &back, NULL));
    assert_identical(&problem, &back);
    asp_problem_destroy(context, &back);
    asp_problem_destroy(context, &problem);
    files++;
  }
  if (directory)
    closedir(directory);
  return files;
}

static void every_file_of_the_collection_is_read_and_survives_a_round_trip(void **state) {
  (void)state;
  const char *root = getenv("ASPERITY_FCLIB_DIR");
  char folder[1024];
  int files = 0;
  for (int dimension = 2; dimension <= 3; dimension++) {
    snprintf(folder, sizeof folder, "%s/fc%dd", root ? root : ASP_SOURCE_DIR "/../shared/data/fclib", dimension);
    files += read_folder(folder);
  }
  if (files == 0) {
    print_message("no FCLIB files below %s (ASPERITY_FCLIB_DIR)\n", folder);
    skip();
  }
  print_message("%d files read\n", files);
}

int main(void) {
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_family_reads_back_identically, open_context, close_context),
      cmocka_unit_test_setup_teardown(local_and_planar_problems_read_back_identically, open_context, close_context),
      cmocka_unit_test_setup_teardown(equality_constraints_are_stored_as_fclib_defines_them, open_context,
                                      close_context),
      cmocka_unit_test_setup_teardown(without_our_group_equalities_follow_the_contacts_row_by_row, open_context,
                                      close_context),
      cmocka_unit_test_setup_teardown(what_fclib_cannot_say_is_hidden_from_its_readers, open_context, close_context),
      cmocka_unit_test_setup_teardown(solution_guesses_and_texts_read_back_identically, open_context, close_context),
      cmocka_unit_test_setup_teardown(equal_problems_give_equal_files, open_context, close_context),
      cmocka_unit_test_setup_teardown(triplets_of_either_orientation_are_sorted_and_summed, open_context,
                                      close_context),
      cmocka_unit_test_setup_teardown(compressed_rows_are_read, open_context, close_context),
      cmocka_unit_test_setup_teardown(unsorted_columns_and_room_to_spare_are_accepted, open_context, close_context),
      cmocka_unit_test_setup_teardown(what_cannot_be_written_leaves_the_old_file, open_context, close_context),
      cmocka_unit_test_setup_teardown(every_kth_allocation_failure_is_clean, open_context, close_context),
      cmocka_unit_test_setup_teardown(every_file_of_the_collection_is_read_and_survives_a_round_trip, open_context,
                                      close_context),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
