/* io: malformed FCLIB files. Each is a good file spoilt in one place with HDF5 itself; reading must refuse it as bad
 * input and name file and dataset. */
#define FCLIB_TEST_NAME "test_fclib_malformed"
#include "fclib_testing.h"

/* ---- malformed files ---- */

/* The file at PATH is refused as bad input, and the message names it and `part`. */
static void assert_refused(const char *part) {
  AspContactProblem problem;
  AspFclibExtra extra;
  AspError error = asp_fclib_read(context, PATH, NULL, &problem, &extra);
  const char *message = asp_context_message(context);
  if (error != ASP_ERROR_INPUT || !strstr(message, PATH) || !strstr(message, part))
    fail_msg("expected a refusal that names %s, got %s: %s", part, asp_error_name(error), message);
  assert_null(problem.offset);
  assert_null(extra.title);
}

static void write_good(bool global) {
  AspContactProblem p = global ? planar_problem(3) : local_problem(3, 2, 1, true);
  double r[8] = {0}, x[6] = {0};
  AspFclibPoint guess = {.r = r};
  AspFclibExtra extra = {.title = "good", .solution = {r, r, global ? x : NULL}, .guess_count = 1, .guess = &guess};
  assert_ok(context, asp_fclib_write(context, PATH, &p, &extra));
  asp_problem_destroy(context, &p);
}

static void every_missing_dataset_is_named(void **state) {
  (void)state;
  static const char *const global[] = {"/fclib_global/spacedim",  "/fclib_global/M/m",       "/fclib_global/M/n",
                                       "/fclib_global/M/nz",      "/fclib_global/M/p",       "/fclib_global/M/i",
                                       "/fclib_global/M/x",       "/fclib_global/H/x",       "/fclib_global/vectors/mu",
                                       "/fclib_global/vectors/f", "/fclib_global/vectors/w", "/solution/r"};
  static const char *const local[] = {
      "/fclib_local/W/p",       "/fclib_local/V/x",        "/fclib_local/R/x", "/fclib_local/vectors/q",
      "/fclib_local/vectors/s", "/fclib_local/vectors/mu", "/solution/l",      "/guesses/number_of_guesses"};
  for (size_t k = 0; k < sizeof global / sizeof *global; k++) {
    write_good(true);
    delete_link(global[k]);
    assert_refused(global[k]);
  }
  for (size_t k = 0; k < sizeof local / sizeof *local; k++) {
    write_good(false);
    delete_link(local[k]);
    assert_refused(local[k]);
  }
  write_good(false);
  delete_link("/fclib_local/R"); // V alone makes no sense
  assert_refused("/fclib_local/R");
  write_good(true);
  delete_link("/fclib_global");
  assert_refused("neither /fclib_global nor /fclib_local");
}

static void every_wrong_size_is_named(void **state) {
  (void)state;
  static const char *const reals[] = {"/fclib_global/M/x",
                                      "/fclib_global/H/x",
                                      "/fclib_global/vectors/f",
                                      "/fclib_global/vectors/w",
                                      "/fclib_global/vectors/mu",
                                      "/solution/r",
                                      "/solution/v",
                                      "/guesses/1/r"};
  static const char *const integers[] = {"/fclib_global/M/p", "/fclib_global/M/i", "/fclib_global/H/p",
                                         "/fclib_global/H/i"};
  const double real = 1;
  for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
    write_good(true);
    put_reals(reals[k], 1, &real);
    assert_refused(reals[k]);
  }
  for (size_t k = 0; k < sizeof integers / sizeof *integers; k++) {
    write_good(true);
    put_integer(integers[k], 0);
    assert_refused(integers[k]);
  }
  static const struct {
    const char *name;
    int value;
  } numbers[] = {{"/fclib_global/spacedim", 4},
                 {"/fclib_global/spacedim", 1},
                 {"/fclib_global/spacedim", 0},
                 {"/fclib_global/M/m", 5},
                 {"/fclib_global/M/m", -1},
                 {"/fclib_global/M/m", 2147483647},
                 {"/fclib_global/M/n", 7},
                 {"/fclib_global/H/m", 5},
                 {"/fclib_global/H/n", 5},
                 {"/fclib_global/H/n", 0},
                 {"/fclib_global/M/nz", -3},
                 {"/fclib_global/M/nz", 1000000},
                 {"/guesses/number_of_guesses", 2147483647},
                 {"/guesses/number_of_guesses", -1}};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    write_good(true);
    put_integer(numbers[k].name, numbers[k].value);
    assert_refused(strstr(numbers[k].name, "guesses") ? "/guesses" : "/fclib_global");
  }
}

static void no_contacts_is_said_so(void **state) {
  (void)state;
  write_good(true);
  put_integer("/fclib_global/H/n", 0);
  put_integer("/fclib_global/H/p", 0);
  put_integers("/fclib_global/H/i", 0, NULL);
  put_reals("/fclib_global/H/x", 0, NULL);
  assert_refused("there are no contacts");
}

static void indices_out_of_range_are_named(void **state) {
  (void)state;
  static const int too_large[6] = {0, 1, 2, 3, 4, 6}, negative[6] = {0, 1, 2, -3, 4, 5};
  write_good(true);
  put_integers("/fclib_global/M/i", 6, too_large);
  assert_refused("/fclib_global/M/i: element 5 is 6, expected 0 to 5");
  write_good(true);
  put_integers("/fclib_global/M/i", 6, negative);
  assert_refused("/fclib_global/M/i: element 3 is -3");
  static const int falling[7] = {0, 1, 3, 2, 4, 5, 6}, late[7] = {1, 2, 3, 4, 5, 6, 6}, far[7] = {0, 1, 2, 3, 4, 5, 7};
  write_good(true);
  put_integers("/fclib_global/M/p", 7, falling);
  assert_refused("/fclib_global/M/p");
  write_good(true);
  put_integers("/fclib_global/M/p", 7, late);
  assert_refused("/fclib_global/M/p");
  write_good(true);
  put_integers("/fclib_global/M/p", 7, far);
  assert_refused("/fclib_global/M/i"); // holds fewer than p promises
  const long long huge[6] = {0, 1, 2, 3, 4, 1LL << 40};
  hsize_t six = 6;
  write_good(true);
  put("/fclib_global/M/i", H5T_NATIVE_LLONG, 1, &six, huge);
  assert_refused("/fclib_global/M/i: element 5 is 1099511627776");
}

static void numbers_that_are_none_are_named(void **state) {
  (void)state;
  static const char *const names[] = {"/fclib_global/M/x", "/fclib_global/vectors/f", "/fclib_global/vectors/w",
                                      "/solution/u", "/solution/v"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    for (int infinite = 0; infinite < 2; infinite++) {
      double values[6] = {1, 1, 1, infinite ? INFINITY : NAN, 1, 1};
      write_good(true);
      put_reals(names[k], 6, values);
      assert_refused(names[k]);
    }
  const double negative[3] = {0.1, -0.1, 0.1}, nan[3] = {0.1, 0.1, NAN};
  write_good(true);
  put_reals("/fclib_global/vectors/mu", 3, negative);
  assert_refused("/fclib_global/vectors/mu: element 1 is -0.1, expected >= 0");
  write_good(true);
  put_reals("/fclib_global/vectors/mu", 3, nan);
  assert_refused("/fclib_global/vectors/mu: element 2 is nan");
}

static void wrong_types_are_named(void **state) {
  (void)state;
  const double reals[6] = {0, 1, 2, 3, 4, 5};
  const hsize_t square[2] = {3, 2}, six = 6;
  write_good(true);
  put_reals("/fclib_global/M/i", 6, reals); // indices must be whole
  assert_refused("/fclib_global/M/i");
  write_good(true);
  put("/fclib_global/vectors/f", H5T_NATIVE_DOUBLE, 2, square, reals);
  assert_refused("/fclib_global/vectors/f has 2 dimensions");
  hid_t text = H5Tcopy(H5T_C_S1);
  write_good(true);
  put("/fclib_global/vectors/w", text, 1, &six, "123456");
  assert_refused("/fclib_global/vectors/w");
  H5Tclose(text);
  write_good(true);
  put_integer("/fclib_global/info/title", 3);
  assert_refused("/fclib_global/info/title");
  write_good(true);
  delete_link("/fclib_global/M/x");
  hid_t file = edit();
  H5Gclose(H5Gcreate2(file, "/fclib_global/M/x", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Fclose(file);
  assert_refused("/fclib_global/M/x");
  // a scalar is as good as one element
  const int two = 2;
  AspContactProblem problem;
  write_good(true);
  put("/fclib_global/spacedim", H5T_NATIVE_INT, 0, NULL, &two);
  assert_ok(context, asp_fclib_read(context, PATH, NULL, &problem, NULL));
  asp_problem_destroy(context, &problem);
}

static void huge_declared_sizes_ask_for_no_memory(void **state) {
  (void)state;
  hsize_t huge = (hsize_t)1 << 40, large = (hsize_t)1 << 30;
  size_t before = asp_context_memory_peak(context);
  write_good(true);
  put("/fclib_global/M/x", H5T_NATIVE_DOUBLE, 1, &huge, NULL); // declared, never written
  assert_refused("/fclib_global/M/x declares 1099511627776 elements");
  write_good(true);
  put("/fclib_global/M/p", H5T_NATIVE_INT, 1, &large, NULL);
  assert_refused("/fclib_global/M/p declares");
  assert_true(asp_context_memory_peak(context) < before + ((size_t)1 << 22));
}

static void our_own_group_is_checked(void **state) {
  (void)state;
  static const char *const columns[] = {"/asperity/kind",      "/asperity/offset",  "/asperity/cone",
                                        "/asperity/mu",        "/asperity/limit",   "/asperity/angle",
                                        "/asperity/direction", "/asperity/version", "/asperity/directions"};
  AspContactProblem laws = family(FAMILY_LAWS, 12);
  for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
    assert_ok(context, asp_fclib_write(context, PATH, &laws, NULL));
    delete_link(columns[k]);
    assert_refused("/asperity/");
  }
  assert_ok(context, asp_fclib_write(context, PATH, &laws, NULL));
  put_integer("/asperity/version", 2);
  assert_refused("/asperity/version is 2");
  int *kind = calloc((size_t)laws.blocks, sizeof *kind);
  kind[1] = ASP_LAW_COUNT;
  assert_ok(context, asp_fclib_write(context, PATH, &laws, NULL));
  put_integers("/asperity/kind", (size_t)laws.blocks, kind);
  assert_refused("/asperity/kind: element 1 is 6");
  free(kind);
  asp_problem_destroy(context, &laws);
  // a table that does not fit the FCLIB group beside it
  AspContactProblem rods = family(FAMILY_JOINTED, 12);
  assert_ok(context, asp_fclib_write(context, PATH, &rods, NULL));
  int *all_equal = calloc((size_t)rods.blocks, sizeof *all_equal);
  put_integers("/asperity/kind", (size_t)rods.blocks, all_equal);
  assert_refused("/asperity lists 0 contact");
  free(all_equal);
  asp_problem_destroy(context, &rods);
}

static void truncated_files_and_other_files_are_refused(void **state) {
  (void)state;
  write_good(true);
  FILE *file = fopen(PATH, "rb");
  static char bytes[1 << 16];
  size_t length = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  assert_true(length > 1000 && length < sizeof bytes);
  for (int k = 0; k < 16; k++) {
    file = fopen(PATH, "wb");
    fwrite(bytes, 1, length * (size_t)k / 16, file);
    fclose(file);
    assert_refused(k == 0 ? "not an HDF5 file" : "");
  }
  AspContactProblem problem;
  assert_int_equal(asp_fclib_read(context, "no/such/file.hdf5", NULL, &problem, NULL), ASP_ERROR_FILE);
  assert_non_null(strstr(asp_context_message(context), "no/such/file.hdf5"));
  assert_false(asp_fclib_recognise(context, "no/such/file.hdf5"));
}

int main(void) {
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_missing_dataset_is_named, open_context, close_context),
      cmocka_unit_test_setup_teardown(every_wrong_size_is_named, open_context, close_context),
      cmocka_unit_test_setup_teardown(no_contacts_is_said_so, open_context, close_context),
      cmocka_unit_test_setup_teardown(indices_out_of_range_are_named, open_context, close_context),
      cmocka_unit_test_setup_teardown(numbers_that_are_none_are_named, open_context, close_context),
      cmocka_unit_test_setup_teardown(wrong_types_are_named, open_context, close_context),
      cmocka_unit_test_setup_teardown(huge_declared_sizes_ask_for_no_memory, open_context, close_context),
      cmocka_unit_test_setup_teardown(our_own_group_is_checked, open_context, close_context),
      cmocka_unit_test_setup_teardown(truncated_files_and_other_files_are_refused, open_context, close_context),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
