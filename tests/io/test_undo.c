/* A file written through our HDF5 driver is whole after its writer died at any write, and one that is in use is left
 * alone. */
#define _GNU_SOURCE
#include "asperity/asperity.h"
#include "io/file/hdf5_driver.h"
#include "io/file/undo.h"
#include "testing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TABLES = 12, BLOCK = 16, ROUNDS = 70, DIED = 9 };
static const char path[] = ASP_BINARY_DIR "/undo.h5", undo_path[] = ASP_BINARY_DIR "/undo.h5.undo";

/* ---- a writer that dies ---- */

static void die_at_zero(void *left) {
  if (--*(int *)left == 0)
    _exit(DIED);
}

static double value_of(int table, int row) { return 1000.0 * table + row; }

static hid_t make_table(hid_t file, int table) {
  char name[24];
  hsize_t extent = 0, most = H5S_UNLIMITED, chunk = BLOCK;
  snprintf(name, sizeof name, "table%d", table);
  hid_t space = H5Screate_simple(1, &extent, &most), properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(properties, 1, &chunk);
  H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
  hid_t made = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  H5Pclose(properties);
  H5Sclose(space);
  return made;
}

static void grow(hid_t table, int index, int rounds) {
  double rows[BLOCK];
  hsize_t extent = (hsize_t)(rounds + 1) * BLOCK, start = (hsize_t)rounds * BLOCK, count = BLOCK;
  for (int i = 0; i < BLOCK; i++)
    rows[i] = value_of(index, (int)start + i);
  H5Dset_extent(table, &extent);
  hid_t space = H5Dget_space(table), memory = H5Screate_simple(1, &count, NULL);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
  H5Dwrite(table, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, rows);
  H5Sclose(memory);
  H5Sclose(space);
}

/* Tables that grow, an attribute that is replaced, the count of rounds written when the rest is safe, as results have
 * it; at the end all but the first round is given back. Dies at the k-th write. */
static void write_and_die(int k) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), table[TABLES];
  hid_t driver = asp_h5_use_driver(access, &(AspH5Driver){.path = path, .before_write = die_at_zero, .of = &k});
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access), scalar = H5Screate(H5S_SCALAR);
  hid_t count = H5Dcreate2(file, "count", H5T_STD_I32LE, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  for (int i = 0; i < TABLES; i++)
    table[i] = make_table(file, i);
  int rounds = 0;
  H5Dwrite(count, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &rounds);
  H5Fflush(file, H5F_SCOPE_LOCAL);
  for (; rounds < ROUNDS; rounds++) {
    for (int i = 0; i < TABLES; i++)
      grow(table[i], i, rounds);
    H5Adelete(file, "note");
    H5Aclose(H5Acreate2(file, "note", H5T_STD_I32LE, scalar, H5P_DEFAULT, H5P_DEFAULT));
    H5Fflush(file, H5F_SCOPE_LOCAL);
    int safe = rounds + 1;
    H5Dwrite(count, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &safe);
    H5Fflush(file, H5F_SCOPE_LOCAL);
  }
  hsize_t least = BLOCK;
  int one = 1;
  H5Dwrite(count, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &one);
  for (int i = 0; i < TABLES; i++)
    H5Dset_extent(table[i], &least);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  for (int i = 0; i < TABLES; i++)
    H5Dclose(table[i]);
  H5Dclose(count);
  H5Sclose(scalar);
  H5Fclose(file);
  H5Pclose(access);
  H5FDunregister(driver);
  _exit(0);
}

static int child_of(int k) {
  pid_t child = fork();
  if (child == 0) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    write_and_die(k);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

/* Rounds that count, every row of them right, read without our driver. */
static int rounds_in_file(void) {
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  int rounds = -1;
  hid_t count = H5Dopen2(file, "count", H5P_DEFAULT);
  assert_true(H5Dread(count, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &rounds) >= 0);
  H5Dclose(count);
  for (int i = 0; i < TABLES; i++) {
    static double rows[(ROUNDS + 1) * BLOCK];
    char name[24];
    snprintf(name, sizeof name, "table%d", i);
    hid_t table = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(table);
    hsize_t extent = 0;
    H5Sget_simple_extent_dims(space, &extent, NULL);
    assert_in_range(extent, rounds * BLOCK, (ROUNDS + 1) * BLOCK);
    assert_true(H5Dread(table, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
    for (int row = 0; row < rounds * BLOCK; row++)
      assert_true(rows[row] == value_of(i, row));
    H5Sclose(space);
    H5Dclose(table);
  }
  H5Fclose(file);
  return rounds;
}

static void a_file_is_whole_whichever_write_was_its_writers_last(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  int mended = 0, last = 0, k = 1;
  for (;; k += 1 + k / 40) { // every one of the first 40, then samples to the end
    remove(path);
    remove(undo_path);
    int code = child_of(k);
    struct stat log;
    mended += stat(undo_path, &log) == 0 && log.st_size > 0;
    if (code == 0)
      break;
    assert_int_equal(code, DIED);
    assert_ok(context, asp_undo_recover(context, path));
    assert_int_not_equal(access(undo_path, F_OK), 0);
    if (H5Fis_hdf5(path) > 0)
      last = rounds_in_file();
    else
      assert_int_equal(last, 0); // before its first flush: not a file yet
  }
  assert_int_equal(rounds_in_file(), 1);
  assert_int_not_equal(access(undo_path, F_OK), 0);
  assert_true(mended > 20); // the test met changes that were cut off
  assert_true(k > 500);
  remove(path);
  asp_context_destroy(context);
}

/* ---- the log ---- */

static void write_text(const char *name, const char *text) {
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void expect_text(const char *name, const char *expected) {
  char text[64] = "";
  FILE *file = fopen(name, "r");
  assert_non_null(file);
  assert_true(fread(text, 1, sizeof text - 1, file) > 0);
  fclose(file);
  assert_string_equal(text, expected);
}

/* Overwrites "0123456789" twice and makes it longer; the log stays behind, locked where `open_log` is given. */
static void change_and_leave(int *open_log) {
  AspUndo undo;
  write_text(path, "0123456789");
  int file = open(path, O_RDWR);
  assert_true(asp_undo_begin(&undo, path, file, 10));
  asp_undo_note(&undo, 2, 3);
  assert_int_equal(pwrite(file, "abc", 3, 2), 3);
  asp_undo_note(&undo, 4, 20);
  assert_int_equal(pwrite(file, "ABCDEFGHIJ", 10, 4), 10);
  close(file);
  if (open_log)
    *open_log = undo.log;
  else
    close(undo.log);
  free(undo.path);
}

static void bytes_return_in_the_order_that_undoes_them(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  change_and_leave(NULL);
  expect_text(path, "01abABCDEFGHIJ");
  assert_ok(context, asp_undo_recover(context, path));
  expect_text(path, "0123456789");
  assert_ok(context, asp_undo_recover(context, path)); // nothing left to do
  remove(path);
  asp_context_destroy(context);
}

static void a_record_that_was_cut_off_is_not_applied(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  change_and_leave(NULL);
  struct stat log;
  assert_int_equal(stat(undo_path, &log), 0);
  assert_int_equal(truncate(undo_path, log.st_size - 1), 0);
  assert_ok(context, asp_undo_recover(context, path));
  expect_text(path, "01234BCDEF"); // its record gone, "ABC..." was in fact not written yet where this happens
  remove(path);
  asp_context_destroy(context);
}

static void a_file_in_use_is_left_alone(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  int log;
  change_and_leave(&log);
  assert_ok(context, asp_undo_recover(context, path));
  expect_text(path, "01abABCDEFGHIJ");
  close(log);
  assert_ok(context, asp_undo_recover(context, path));
  expect_text(path, "0123456789");
  remove(path);
  asp_context_destroy(context);
}

static void a_log_of_another_file_is_refused_by_name(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  change_and_leave(NULL);
  write_text(path, "short");
  assert_int_equal(asp_undo_recover(context, path), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(context), "undo.h5.undo does not belong to"));
  expect_text(path, "short");
  write_text(undo_path, "this is no log of ours, but a text");
  assert_int_equal(asp_undo_recover(context, path), ASP_ERROR_INPUT);
  asp_undo_forget(path);
  assert_ok(context, asp_undo_recover(context, path));
  remove(path);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_is_whole_whichever_write_was_its_writers_last),
      cmocka_unit_test(bytes_return_in_the_order_that_undoes_them),
      cmocka_unit_test(a_record_that_was_cut_off_is_not_applied),
      cmocka_unit_test(a_file_in_use_is_left_alone),
      cmocka_unit_test(a_log_of_another_file_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
