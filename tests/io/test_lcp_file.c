/* The LCPs of the FCLIB collection, and LCP files: good, bad and damaged. The collection is looked for in
 * ASPERITY_FCLIB_DIR, else beside the source tree; without it that test is skipped. */
#include "asperity/io.h"
#include "lcp_check.h"
#include "shared_context.h"

#include <dirent.h>
#include <hdf5.h>

#define FILE_NAME ASP_BINARY_DIR "/test_lcp_file.hdf5"

static int close_and_remove(void **state) {
  remove(FILE_NAME);
  return close_context(state);
}

static void judge_file(const char *path) {
  AspLcp lcp;
  AspLcpInfo info;
  double z[64], ray[64];
  assert_ok(context, asp_lcp_read(context, path, &lcp));
  assert_in_range(lcp.n, 1, 64);
  assert_ok(context, asp_lcp_lemke(context, &lcp, NULL, z, ray, &info));
  bool solved = info.status == ASP_STATUS_SOLVED;
  print_message("%s: n = %d, %s, %d pivots, residual %.1e\n", strrchr(path, '/') + 1, lcp.n,
                asp_status_name(info.status), info.iterations, info.residual);
  if (solved)
    assert_at_most(check_violation(&lcp, z), 1e-10);
  if (lcp.n <= CHECK_MAX)
    assert_int_equal(solved, check_solvable(&lcp));
  else
    assert_true(solved); // the one large file has a solution
  asp_lcp_destroy(context, &lcp);
}

static void collection_is_solved_or_has_no_solution(void **state) {
  (void)state;
  const char *root = getenv("ASPERITY_FCLIB_DIR");
  char folder[512], path[1024];
  snprintf(folder, sizeof folder, "%s/lcp", root ? root : ASP_SOURCE_DIR "/../shared/data/fclib");
  DIR *directory = opendir(folder);
  if (!directory) {
    print_message("skipped: no %s (set ASPERITY_FCLIB_DIR)\n", folder);
    skip();
  }
  int count = 0;
  for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
    if (strstr(entry->d_name, ".hdf5")) {
      snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
      judge_file(path);
      count++;
    }
  closedir(directory);
  assert_int_equal(count, 14);
}

static void files_come_back_as_written(void **state) {
  (void)state;
  double M[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, q[3] = {-1, 0.1, 1e-300}, z[3] = {1, 0, 2};
  AspLcp lcp = {3, M, q}, back;
  assert_ok(context, asp_lcp_write(context, FILE_NAME, &lcp, z));
  assert_ok(context, asp_lcp_read(context, FILE_NAME, &back));
  assert_int_equal(back.n, 3);
  assert_memory_equal(back.M, M, sizeof M);
  assert_memory_equal(back.q, q, sizeof q);
  asp_lcp_destroy(context, &back);
  // stored by rows: the second number of /M is M(0, 1)
  double by_rows[9], stored[3];
  hid_t file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, "/M", H5P_DEFAULT);
  assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, by_rows) >= 0);
  H5Dclose(set);
  assert_near(by_rows[1], M[3], 0);
  set = H5Dopen2(file, "/z", H5P_DEFAULT);
  assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, stored) >= 0);
  H5Dclose(set);
  H5Fclose(file);
  assert_memory_equal(stored, z, sizeof z);
  AspLcp empty = {0, M, q};
  assert_ok(context, asp_lcp_write(context, FILE_NAME, &empty, NULL));
  assert_ok(context, asp_lcp_read(context, FILE_NAME, &back));
  assert_int_equal(back.n, 0);
  asp_lcp_destroy(context, &back);
}

/* A file with /M of the given extents (rank 1 or 2) and /q, either left out when its size is negative. */
static void write_file(int rank, int rows, int columns, int length, double value) {
  double values[64];
  hsize_t extent[2] = {(hsize_t)rows, (hsize_t)columns}, size = (hsize_t)length;
  for (int i = 0; i < 64; i++)
    values[i] = value;
  hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  for (int k = 0; k < 2; k++) {
    if ((k == 0 ? rows : length) < 0)
      continue;
    hid_t space = k == 0 ? H5Screate_simple(rank, extent, NULL) : H5Screate_simple(1, &size, NULL);
    hid_t set = H5Dcreate2(file, k == 0 ? "/M" : "/q", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
    H5Sclose(space);
  }
  H5Fclose(file);
}

static void assert_refused(AspError code, const char *message) {
  AspLcp lcp;
  assert_int_equal(asp_lcp_read(context, FILE_NAME, &lcp), code);
  assert_true(lcp.M == NULL && lcp.q == NULL);
  assert_string_equal(asp_context_message(context), message);
}

static void bad_files_are_named_with_what_is_wrong(void **state) {
  (void)state;
  write_file(2, -1, -1, 3, 1);
  assert_refused(ASP_ERROR_INPUT, FILE_NAME ": dataset /M is missing: an LCP has /M (n x n) and /q (n)");
  write_file(2, 3, 3, -1, 1);
  assert_refused(ASP_ERROR_INPUT, FILE_NAME ": dataset /q is missing");
  write_file(2, 3, 2, 3, 1);
  assert_refused(ASP_ERROR_INPUT, FILE_NAME ": /M is 3 x 2, expected 3 x 3 as /q has 3 elements");
  write_file(2, 3, 3, 4, 1);
  assert_refused(ASP_ERROR_INPUT, FILE_NAME ": /M is 3 x 3, expected 4 x 4 as /q has 4 elements");
  write_file(1, 9, 0, 3, 1);
  assert_refused(ASP_ERROR_INPUT, FILE_NAME ": /M has 1 dimensions, expected 2");
  write_file(2, 2, 2, 2, NAN);
  assert_refused(ASP_ERROR_INPUT, FILE_NAME ": /M: entry (0, 0) is nan, expected a finite number");
  FILE *file = fopen(FILE_NAME, "w");
  fputs("not HDF5", file);
  fclose(file);
  assert_refused(ASP_ERROR_INPUT, FILE_NAME ": not an HDF5 file");
  remove(FILE_NAME);
  assert_refused(ASP_ERROR_FILE, FILE_NAME ": cannot be opened: No such file or directory");
}

static herr_t note_call(hid_t stack, void *data) {
  (void)stack;
  ++*(int *)data;
  return 0;
}

static void hdf5_error_printing_stays_as_it_was(void **state) {
  (void)state;
  H5E_auto2_t before, after;
  void *data;
  int calls = 0;
  AspLcp lcp;
  H5Eget_auto2(H5E_DEFAULT, &before, &data);
  H5Eset_auto2(H5E_DEFAULT, note_call, &calls);
  write_file(2, 3, 2, 3, 1);
  assert_int_equal(asp_lcp_read(context, FILE_NAME, &lcp), ASP_ERROR_INPUT);
  assert_int_equal(asp_lcp_write(context, ASP_BINARY_DIR "/no/such/folder/x.hdf5", &(AspLcp){0}, NULL), ASP_ERROR_FILE);
  assert_int_equal(calls, 0);
  H5Eget_auto2(H5E_DEFAULT, &after, &data);
  assert_true(after == note_call && data == &calls);
  H5Eset_auto2(H5E_DEFAULT, before, NULL);
}

static void only_a_whole_file_takes_the_name(void **state) {
  (void)state;
  AspLcp lcp;
  assert_ok(context, asp_lcp_create(context, 2, &lcp));
  const char *places[] = {"/dev/full", "/dev/null", ASP_BINARY_DIR, ASP_BINARY_DIR "/no-such-folder/x.h5"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    assert_int_equal(asp_lcp_write(context, places[i], &lcp, NULL), ASP_ERROR_FILE);
    assert_non_null(strstr(asp_context_message(context), places[i]));
  }
  const char *path = ASP_BINARY_DIR "/lcp-whole.h5";
  assert_ok(context, asp_lcp_write(context, path, &lcp, NULL));
  FILE *part = fopen(ASP_BINARY_DIR "/lcp-whole.h5.part", "r");
  assert_null(part);
  remove(path);
  asp_lcp_destroy(context, &lcp);
}

int main(void) {
#define PROPERTY(name) cmocka_unit_test_setup_teardown(name, open_context, close_and_remove)
  const struct CMUnitTest tests[] = {
      PROPERTY(collection_is_solved_or_has_no_solution), PROPERTY(files_come_back_as_written),
      PROPERTY(bad_files_are_named_with_what_is_wrong),  PROPERTY(hdf5_error_printing_stays_as_it_was),
      PROPERTY(only_a_whole_file_takes_the_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
