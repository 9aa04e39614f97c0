/* HDF5 files of unknown origin: what the HDF5 library does not survive is refused with a message, and so are files that
 * take data from other files; sound files are read as before. */
#include "result_testing.h"

#define SOUND ASP_SOURCE_DIR "/tests/data/fclib/G_SimMassRatio_nc0081_n4_step00004_it112.hdf5"
#define MADE  ASP_BINARY_DIR "/guarded.hdf5"
#define OTHER ASP_BINARY_DIR "/guarded-other.hdf5"

static void ignore(void *user, const AspFact *fact) {
  (void)user;
  (void)fact;
}

static unsigned char *bytes_of(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(*length);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *length, file), *length);
  fclose(file);
  return bytes;
}

static void write_file(const char *path, const unsigned char *bytes, size_t length) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  fclose(file);
}

/* An address of a dataset's header that is no address: HDF5 1.10 follows it and ends by a signal. */
static void a_file_that_crashes_hdf5_is_refused(void **state) {
  (void)state;
  size_t length = 0;
  unsigned char *bytes = bytes_of(SOUND, &length);
  AspContext *context = asp_context_create(NULL);
  AspContactProblem problem;
  memset(bytes + 44088, 0xff, 8);
  write_file(MADE, bytes, length);
  for (int i = 0; i < 3; i++) { // every time again
    assert_int_equal(asp_file_info(context, MADE, NULL, ignore, NULL), ASP_ERROR_INPUT);
    assert_non_null(strstr(asp_context_message(context), MADE ": HDF5 file is "));
    assert_non_null(strstr(asp_context_message(context), "damaged"));
    assert_int_equal(asp_fclib_read(context, MADE, NULL, &problem, NULL), ASP_ERROR_INPUT);
  }
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
  free(bytes);
  remove(MADE);
}

/* A file is checked again when it has changed, though one with its name was sound a moment ago. */
static void a_changed_file_is_checked_again(void **state) {
  (void)state;
  size_t length = 0;
  unsigned char *bytes = bytes_of(SOUND, &length);
  AspContext *context = asp_context_create(NULL);
  write_file(MADE, bytes, length);
  assert_ok(context, asp_file_info(context, MADE, NULL, ignore, NULL));
  memset(bytes + 44088, 0xff, 8);
  write_file(MADE, bytes, length);
  assert_int_equal(asp_file_info(context, MADE, NULL, ignore, NULL), ASP_ERROR_INPUT);
  asp_context_destroy(context);
  free(bytes);
  remove(MADE);
}

/* A link, a dataset or a view into another file would make the reader open it. */
static void files_that_take_data_from_others_are_refused(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    const hsize_t extent[] = {4};
    hid_t file = H5Fcreate(MADE, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), list = H5Pcreate(H5P_DATASET_CREATE),
          space = H5Screate_simple(1, extent, NULL);
    if (kind == 0)
      assert_true(H5Lcreate_external(OTHER, "/q", file, "q", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    else {
      if (kind == 1)
        H5Pset_external(list, "/etc/hostname", 0, 32);
      else
        H5Pset_virtual(list, space, OTHER, "/q", space);
      H5Dclose(H5Dcreate2(file, "q", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list, H5P_DEFAULT));
    }
    H5Sclose(space);
    H5Pclose(list);
    assert_true(H5Fclose(file) >= 0);
    AspContext *context = asp_context_create(NULL);
    AspLcp lcp;
    assert_int_equal(asp_lcp_read(context, MADE, &lcp), ASP_ERROR_INPUT);
    assert_non_null(strstr(asp_context_message(context), "other files"));
    asp_context_destroy(context);
  }
  remove(MADE);
}

/* Groups, attributes, chunks, filters, texts of variable length: none of it is in the way. */
static void a_file_with_everything_passes(void **state) {
  (void)state;
  const hsize_t extent[] = {300, 3}, chunk[] = {7, 3};
  hid_t file = H5Fcreate(MADE, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), list = H5Pcreate(H5P_DATASET_CREATE),
        space = H5Screate_simple(2, extent, NULL), one = H5Screate(H5S_SCALAR), text = H5Tcopy(H5T_C_S1),
        group = H5Gcreate2(file, "/group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const char *words = "words of any length";
  static double numbers[900];
  H5Tset_size(text, H5T_VARIABLE);
  H5Pset_chunk(list, 2, chunk);
  H5Pset_shuffle(list);
  hid_t data = H5Dcreate2(group, "numbers", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list, H5P_DEFAULT),
        attribute = H5Acreate2(data, "unit", text, one, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
  assert_true(H5Awrite(attribute, text, &words) >= 0);
  assert_true(H5Lcreate_soft("/nowhere", file, "dangling", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  assert_true(H5Lcreate_hard(file, "/", group, "round", H5P_DEFAULT, H5P_DEFAULT) >= 0); // a cycle
  H5Aclose(attribute);
  H5Dclose(data);
  H5Gclose(group);
  H5Tclose(text);
  H5Sclose(one);
  H5Sclose(space);
  H5Pclose(list);
  assert_true(H5Fclose(file) >= 0);
  AspContext *context = asp_context_create(NULL);
  assert_int_equal(asp_file_info(context, MADE, NULL, ignore, NULL), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(context), "neither a result nor")); // read, and not ours
  asp_context_destroy(context);
  remove(MADE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_that_crashes_hdf5_is_refused),
      cmocka_unit_test(a_changed_file_is_checked_again),
      cmocka_unit_test(files_that_take_data_from_others_are_refused),
      cmocka_unit_test(a_file_with_everything_passes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
