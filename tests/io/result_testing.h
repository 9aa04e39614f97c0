/* Runs of scenes that write results, and reading them by HDF5's own functions, not by ours. */
#ifndef ASP_RESULT_TESTING_H
#define ASP_RESULT_TESTING_H

#include "asperity/asperity.h"
#include "testing.h"

#include <hdf5.h>

typedef struct Run {
  AspContext *context;
  AspScene scene;
  AspWorld *world;
  AspResultWriter *writer;
  char path[512];
} Run;

/* A scene of the repository, its run cut to `steps` steps. */
static inline Run open_run(const char *scene, const char *result, int steps, int output_every) {
  Run run = {.context = asp_context_create(NULL)};
  char path[512];
  snprintf(path, sizeof path, "%s/scenes/%s.json", ASP_SOURCE_DIR, scene);
  snprintf(run.path, sizeof run.path, "%s/%s", ASP_BINARY_DIR, result);
  assert_ok(run.context, asp_scene_read(run.context, path, &run.scene, NULL));
  run.scene.run.until = steps * run.scene.run.dt;
  run.scene.run.output_every = output_every;
  assert_ok(run.context, asp_world_create(run.context, run.scene.model, &run.scene.run, &run.world));
  return run;
}

/* A scene given as text. */
static inline Run open_run_text(const char *text, const char *result) {
  Run run = {.context = asp_context_create(NULL)};
  snprintf(run.path, sizeof run.path, "%s/%s", ASP_BINARY_DIR, result);
  assert_ok(run.context, asp_scene_parse(run.context, text, strlen(text), "text", &run.scene, NULL));
  assert_ok(run.context, asp_world_create(run.context, run.scene.model, &run.scene.run, &run.world));
  return run;
}

static inline void start_writing(Run *run) {
  assert_ok(run->context, asp_result_create(run->context, run->path, &run->scene, run->world, &run->writer));
}

static inline void step(Run *run) {
  AspStepInfo info;
  assert_ok(run->context, asp_world_step(run->world, &info));
  assert_ok(run->context, asp_result_append(run->writer, run->world, &info));
}

static inline void close_run(Run *run) {
  assert_ok(run->context, asp_result_close(run->writer, run->world));
  asp_world_destroy(run->world);
  asp_scene_destroy(run->context, &run->scene);
  assert_int_equal(asp_context_memory_in_use(run->context), 0);
  asp_context_destroy(run->context);
}

/* ---- reading with HDF5 itself ---- */

typedef struct Committed {
  int64_t frames, contacts, steps, energy, complete;
} Committed;

static inline hid_t open_file(const char *path) {
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  return file;
}

static inline Committed read_committed(hid_t file) {
  static const char *const names[] = {"frames", "contacts", "steps", "energy", "complete"};
  Committed committed;
  hid_t type = H5Tcreate(H5T_COMPOUND, sizeof committed), dataset = H5Dopen2(file, "/committed", H5P_DEFAULT);
  for (size_t i = 0; i < 5; i++)
    H5Tinsert(type, names[i], i * sizeof(int64_t), H5T_NATIVE_INT64);
  assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &committed) >= 0);
  H5Dclose(dataset);
  H5Tclose(type);
  return committed;
}

/* All numbers of a dataset; *rows and *width tell its shape. */
static inline double *read_all(hid_t file, const char *path, hsize_t *rows, size_t *width) {
  hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
  if (dataset < 0)
    fail_msg("%s is missing", path);
  hid_t space = H5Dget_space(dataset);
  hsize_t extent[4] = {0};
  int rank = H5Sget_simple_extent_dims(space, extent, NULL);
  *rows = extent[0];
  *width = 1;
  for (int i = 1; i < rank; i++)
    *width *= (size_t)extent[i];
  double *values = malloc((size_t)(*rows + 1) * (*width + 1) * sizeof *values);
  assert_non_null(values);
  assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Sclose(space);
  H5Dclose(dataset);
  return values;
}

/* Column `path` has exactly these rows. */
static inline void assert_column(hid_t file, const char *path, hsize_t rows, size_t width, const double *expected) {
  hsize_t found_rows = 0;
  size_t found_width = 0;
  double *found = read_all(file, path, &found_rows, &found_width);
  assert_int_equal(found_rows, rows);
  assert_int_equal(found_width, width);
  for (size_t i = 0; i < (size_t)rows * width; i++)
    if (found[i] != expected[i])
      fail_msg("%s[%zu] = %.17g, expected %.17g", path, i, found[i], expected[i]);
  free(found);
}

static inline void remove_run(const char *path) {
  char partial[600];
  snprintf(partial, sizeof partial, "%s.part", path);
  remove(path);
  remove(partial);
}

static inline unsigned char *read_bytes(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(*length + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *length, file), *length);
  fclose(file);
  return bytes;
}

#endif
