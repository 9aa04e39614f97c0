/* Result files: what is in them is what the world had; they survive kills and full disks; equal runs give equal bytes.
 * The files are read by HDF5's own functions, not by ours. */
#define _GNU_SOURCE
#include "asperity/asperity.h"
#include "testing.h"

#include <errno.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Run {
  AspContext *context;
  AspScene scene;
  AspWorld *world;
  AspResultWriter *writer;
  char path[512];
} Run;

/* A scene of the repository, its run cut to `steps` steps. */
static Run open_run(const char *scene, const char *result, int steps, int output_every) {
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

static void start_writing(Run *run) {
  assert_ok(run->context, asp_result_create(run->context, run->path, &run->scene, run->world, &run->writer));
}

static void step(Run *run) {
  AspStepInfo info;
  assert_ok(run->context, asp_world_step(run->world, &info));
  assert_ok(run->context, asp_result_append(run->writer, run->world, &info));
}

static void close_run(Run *run) {
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

static hid_t open_file(const char *path) {
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  return file;
}

static Committed read_committed(hid_t file) {
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
static double *read_all(hid_t file, const char *path, hsize_t *rows, size_t *width) {
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
static void assert_column(hid_t file, const char *path, hsize_t rows, size_t width, const double *expected) {
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

static void remove_run(const char *path) {
  char partial[600];
  snprintf(partial, sizeof partial, "%s.part", path);
  remove(path);
  remove(partial);
}

/* ---- contents ---- */

static void states_steps_and_energies_are_those_of_the_world(void **state) {
  (void)state;
  enum { STEPS = 600 }; // more than one block of rows
  Run run = open_run("four-bar", "result-states.h5", STEPS, 1);
  size_t nq = (size_t)asp_model_q_size(run.scene.model), nv = (size_t)asp_model_v_size(run.scene.model);
  double *q = calloc((STEPS + 1) * nq, 8), *v = calloc((STEPS + 1) * nv, 8), *time = calloc(STEPS + 1, 8),
         *number = calloc(STEPS + 1, 8), *kinetic = calloc(STEPS + 1, 8), *residual = calloc(STEPS, 8),
         *crank = calloc((STEPS + 1) * 4, 8), *certified = calloc(STEPS, 8);
  start_writing(&run);
  for (int i = 0; i <= STEPS; i++) {
    const AspState *now = asp_world_state(run.world);
    AspStepInfo info = {0};
    if (i > 0) {
      assert_ok(run.context, asp_world_step(run.world, &info));
      assert_ok(run.context, asp_result_append(run.writer, run.world, &info));
      residual[i - 1] = info.residual.E2;
      certified[i - 1] = info.certified;
    }
    memcpy(q + (size_t)i * nq, now->q, nq * 8);
    memcpy(v + (size_t)i * nv, now->v, nv * 8);
    time[i] = now->t;
    number[i] = i;
    kinetic[i] = asp_model_energy(run.scene.model, now).kinetic;
    for (int joint = 0; joint < 4; joint++)
      crank[4 * i + joint] = asp_world_joints(run.world)[joint].coordinate;
  }
  close_run(&run);
  hid_t file = open_file(run.path);
  Committed committed = read_committed(file);
  assert_int_equal(committed.frames, STEPS + 1);
  assert_int_equal(committed.steps, STEPS);
  assert_int_equal(committed.energy, STEPS + 1);
  assert_int_equal(committed.contacts, 0);
  assert_int_equal(committed.complete, 1);
  assert_column(file, "/frames/time", STEPS + 1, 1, time);
  assert_column(file, "/frames/step", STEPS + 1, 1, number);
  assert_column(file, "/frames/q", STEPS + 1, nq, q);
  assert_column(file, "/frames/v", STEPS + 1, nv, v);
  assert_column(file, "/energy/kinetic", STEPS + 1, 1, kinetic);
  assert_column(file, "/energy/time", STEPS + 1, 1, time);
  assert_column(file, "/certificate/time", STEPS, 1, time + 1);
  assert_column(file, "/certificate/E2", STEPS, 1, residual);
  assert_column(file, "/certificate/certified", STEPS, 1, certified);
  assert_column(file, "/joints/coordinate", STEPS + 1, 4, crank);
  H5Fclose(file);
  remove_run(run.path);
  double *arrays[] = {q, v, time, number, kinetic, residual, crank, certified};
  for (int i = 0; i < 8; i++)
    free(arrays[i]);
}

static void contacts_of_each_frame_are_found_by_start_and_count(void **state) {
  (void)state;
  enum { STEPS = 100, MOST = 10000 };
  Run run = open_run("block-on-slope-27", "result-contacts.h5", STEPS, 1);
  double *count = calloc(STEPS + 1, 8), *first = calloc(STEPS + 1, 8), *impulse = calloc(MOST, 8),
         *bodies = calloc(MOST, 8), *mode = calloc(MOST, 8), *point = calloc(MOST, 8);
  size_t total = 0;
  start_writing(&run);
  for (int i = 1; i <= STEPS; i++) {
    step(&run);
    const AspContactRecord *contacts = asp_world_contacts(run.world);
    count[i] = asp_world_contact_count(run.world);
    first[i] = (double)total;
    for (int k = 0; k < (int)count[i]; k++, total++) {
      memcpy(impulse + 3 * total, contacts[k].impulse, 24);
      bodies[2 * total] = contacts[k].body_a;
      bodies[2 * total + 1] = contacts[k].body_b;
      mode[total] = contacts[k].mode;
      memcpy(point + 3 * total, &contacts[k].point, 24);
    }
  }
  close_run(&run);
  assert_true(total >= 3 * STEPS); // the block rests on its face
  hid_t file = open_file(run.path);
  assert_int_equal(read_committed(file).contacts, total);
  assert_column(file, "/contacts/count", STEPS + 1, 1, count);
  assert_column(file, "/contacts/start", STEPS + 1, 1, first);
  assert_column(file, "/contacts/impulse", total, 3, impulse);
  assert_column(file, "/contacts/body", total, 2, bodies);
  assert_column(file, "/contacts/mode", total, 1, mode);
  assert_column(file, "/contacts/point", total, 3, point);
  H5Fclose(file);
  remove_run(run.path);
  double *arrays[] = {count, first, impulse, bodies, mode, point};
  for (int i = 0; i < 6; i++)
    free(arrays[i]);
}

static void every_nth_step_and_the_last_one_become_frames(void **state) {
  (void)state;
  const int steps[] = {25, 30, 3};
  const double expected[][5] = {{0, 10, 20, 25}, {0, 10, 20, 30}, {0, 3}};
  const hsize_t rows[] = {4, 4, 2};
  for (int i = 0; i < 3; i++) {
    Run run = open_run("four-bar", "result-every.h5", steps[i], 10);
    start_writing(&run);
    for (int k = 0; k < steps[i]; k++)
      step(&run);
    close_run(&run);
    hid_t file = open_file(run.path);
    assert_column(file, "/frames/step", rows[i], 1, expected[i]);
    assert_int_equal(read_committed(file).steps, steps[i]);
    H5Fclose(file);
    remove_run(run.path);
  }
}

static void corners_of_hulls_and_points_of_fields_are_kept(void **state) {
  (void)state;
  const char *text = "{\"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0}], \"bodies\": [{\"fixed\": true,"
                     "\"shapes\": [{\"type\": \"point\"}, {\"type\": \"height-field\", \"spacing\": [1, 2],"
                     "\"heights\": [[7, 8, 9], [4, 5, 6]]}, {\"type\": \"convex\","
                     "\"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]]}]}]}";
  Run run = {.context = asp_context_create(NULL)};
  snprintf(run.path, sizeof run.path, "%s/result-vertices.h5", ASP_BINARY_DIR);
  assert_ok(run.context, asp_scene_parse(run.context, text, strlen(text), "vertices", &run.scene, NULL));
  assert_ok(run.context, asp_world_create(run.context, run.scene.model, &run.scene.run, &run.world));
  start_writing(&run);
  close_run(&run);
  hid_t file = open_file(run.path);
  assert_column(file, "/shapes/vertex_start", 3, 1, (const double[]){0, 0, 6});
  assert_column(file, "/shapes/vertex_count", 3, 1, (const double[]){0, 6, 4});
  assert_column(file, "/shapes/grid", 3, 2, (const double[]){0, 0, 3, 2, 0, 0});
  hsize_t rows = 0;
  size_t width = 0;
  double *points = read_all(file, "/vertices/position", &rows, &width), corners[3] = {0};
  assert_int_equal(rows, 10);
  const double grid[] = {0, 0, 7, 1, 0, 8, 2, 0, 9, 0, 2, 4, 1, 2, 5, 2, 2, 6};
  assert_memory_equal(points, grid, sizeof grid);
  for (int i = 18; i < 30; i++) // the unit corners, in whatever order
    corners[i % 3] += points[i];
  for (int i = 0; i < 3; i++)
    assert_near(corners[i], 1, 0);
  free(points);
  H5Fclose(file);
  remove_run(run.path);
}

/* ---- equal bytes ---- */

static unsigned char *read_bytes(const char *path, size_t *length) {
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

static void equal_runs_give_equal_bytes_whenever_they_were_flushed(void **state) {
  (void)state;
  enum { STEPS = 700 };
  const char *scenes[] = {"block-on-slope-27", "four-bar-in-space"};
  const int flush_every[] = {0, 1, 37};
  for (int s = 0; s < 2; s++) {
    unsigned char *reference = NULL;
    size_t length = 0;
    for (int i = 0; i < 3; i++) {
      Run run = open_run(scenes[s], "result-equal.h5", STEPS, 1);
      start_writing(&run);
      for (int k = 0; k < STEPS; k++) {
        step(&run);
        if (flush_every[i] && k % flush_every[i] == 0)
          assert_ok(run.context, asp_result_flush(run.writer));
      }
      close_run(&run);
      size_t found = 0;
      unsigned char *bytes = read_bytes(run.path, &found);
      if (i == 0) {
        reference = bytes;
        length = found;
        continue;
      }
      assert_int_equal(found, length);
      assert_memory_equal(bytes, reference, length);
      free(bytes);
    }
    free(reference);
  }
  remove_run(ASP_BINARY_DIR "/result-equal.h5");
}

/* ---- crashes ---- */

/* Steps forever; tells through the pipe when the file is in its place. */
static void write_until_killed(int pipe_end, int flush_every) {
  Run run = open_run("four-bar-in-space", "result-killed.h5", 100000000, 1);
  start_writing(&run);
  if (write(pipe_end, "x", 1) != 1)
    _exit(1);
  for (int k = 0;; k++) {
    step(&run);
    if (flush_every && k % flush_every == 0)
      assert_ok(run.context, asp_result_flush(run.writer));
  }
}

/* What is committed is whole: steps without a gap, states finite, quaternions of unit length. */
static int64_t check_killed_file(const char *path, double dt) {
  hid_t file = open_file(path);
  Committed committed = read_committed(file);
  assert_int_equal(committed.complete, 0);
  assert_in_range(committed.frames, 1, committed.steps + 1);
  hsize_t rows = 0;
  size_t width = 0, width_q = 0;
  double *time = read_all(file, "/frames/time", &rows, &width);
  assert_true((int64_t)rows >= committed.frames);
  double *q = read_all(file, "/frames/q", &rows, &width_q), *E2 = read_all(file, "/certificate/E2", &rows, &width);
  assert_true((int64_t)rows >= committed.steps);
  for (int64_t i = 0; i < committed.frames; i++) {
    assert_near(time[i], (double)i * dt, 1e-9);
    for (size_t body = 0; body < width_q / 7; body++) {
      const double *quat = q + (size_t)i * width_q + 7 * body + 3;
      assert_near(quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3], 1, 1e-12);
    }
  }
  for (int64_t i = 0; i < committed.steps; i++)
    assert_true(isfinite(E2[i]));
  free(time);
  free(q);
  free(E2);
  H5Fclose(file);
  return committed.steps;
}

static void a_killed_run_leaves_a_file_readable_up_to_the_last_flush(void **state) {
  (void)state;
  AspRandom random = {7};
  int64_t most = 0;
  const char *path = ASP_BINARY_DIR "/result-killed.h5";
  for (int round = 0; round < 12; round++) {
    int ends[2];
    remove_run(path);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
      write_until_killed(ends[1], round % 2 ? 3 : 0);
    char byte;
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    usleep((useconds_t)(asp_random_bits(&random) % 60000));
    assert_int_equal(kill(child, SIGKILL), 0);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    close(ends[0]);
    int64_t steps = check_killed_file(path, 0.005);
    most = steps > most ? steps : most;
  }
  assert_true(most > 0);
  AspContext *context = asp_context_create(NULL);
  assert_ok(context, asp_result_export_csv(context, path, ASP_BINARY_DIR "/result-killed.csv"));
  asp_context_destroy(context);
  remove(ASP_BINARY_DIR "/result-killed.csv");
  remove_run(path);
}

/* ---- full disks and bad places ---- */

static void limit_file_size(rlim_t bytes) {
  struct rlimit limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = bytes == 0 ? limit.rlim_max : bytes;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_full_disk_is_an_error_with_the_path_and_keeps_what_was_computed(void **state) {
  (void)state;
  signal(SIGXFSZ, SIG_IGN);
  Run run = open_run("four-bar-in-space", "result-full.h5", 100000, 1);
  start_writing(&run);
  limit_file_size(1 << 20);
  AspError error = ASP_OK;
  AspStepInfo info = {0};
  while (error == ASP_OK && info.step < 100000) {
    assert_ok(run.context, asp_world_step(run.world, &info));
    error = asp_result_append(run.writer, run.world, &info);
  }
  assert_int_equal(error, ASP_ERROR_FILE);
  assert_non_null(strstr(asp_context_message(run.context), run.path));
  assert_non_null(strstr(asp_context_message(run.context), strerror(EFBIG)));
  assert_int_equal(asp_result_append(run.writer, run.world, &info), ASP_ERROR_FILE);
  assert_int_equal(asp_result_flush(run.writer), ASP_ERROR_FILE);
  assert_int_equal(asp_result_close(run.writer, run.world), ASP_ERROR_FILE);
  limit_file_size(0);
  assert_true(check_killed_file(run.path, 0.005) >= info.step - 1);
  asp_world_destroy(run.world);
  asp_scene_destroy(run.context, &run.scene);
  assert_int_equal(asp_context_memory_in_use(run.context), 0);
  asp_context_destroy(run.context);
  remove_run(run.path);
}

static void an_old_file_stays_until_the_new_one_can_be_read(void **state) {
  (void)state;
  signal(SIGXFSZ, SIG_IGN);
  Run run = open_run("four-bar", "result-old.h5", 10, 1);
  FILE *old = fopen(run.path, "w");
  assert_non_null(old);
  fputs("precious", old);
  fclose(old);
  limit_file_size(20000);
  assert_int_equal(asp_result_create(run.context, run.path, &run.scene, run.world, &run.writer), ASP_ERROR_FILE);
  limit_file_size(0);
  assert_null(run.writer);
  size_t length = 0;
  unsigned char *bytes = read_bytes(run.path, &length);
  assert_int_equal(length, 8);
  assert_memory_equal(bytes, "precious", 8);
  free(bytes);
  char partial[600];
  snprintf(partial, sizeof partial, "%s.part", run.path);
  assert_int_not_equal(access(partial, F_OK), 0);
  start_writing(&run); // now there is room
  assert_int_equal(H5Fis_hdf5(run.path), 1);
  close_run(&run);
  remove_run(run.path);
}

static void a_result_never_replaces_a_device_or_a_folder(void **state) {
  (void)state;
  const char *places[] = {"/dev/full", "/dev/null", ASP_BINARY_DIR, ASP_BINARY_DIR "/no-such-folder/x.h5"};
  Run run = open_run("four-bar", "unused.h5", 10, 1);
  for (int i = 0; i < 4; i++) {
    AspResultWriter *writer = NULL;
    assert_int_equal(asp_result_create(run.context, places[i], &run.scene, run.world, &writer), ASP_ERROR_FILE);
    assert_null(writer);
    assert_non_null(strstr(asp_context_message(run.context), places[i]));
  }
  struct stat status;
  assert_int_equal(stat("/dev/null", &status), 0);
  assert_true(S_ISCHR(status.st_mode));
  close_run(&run);
}

/* ---- CSV and info ---- */

static void csv_has_the_same_numbers_and_quotes_names(void **state) {
  (void)state;
  const char *text = "{\"dimension\": 2, \"bodies\": [{\"name\": \"a, \\\"b\\\"\", \"mass\": 1, \"inertia\": 1,"
                     " \"velocity\": [1, 2], \"angular_velocity\": 0.1},"
                     " {\"name\": \"a longer name\", \"fixed\": true}, {\"name\": \"c\", \"fixed\": true}],"
                     " \"run\": {\"dt\": 0.1, \"until\": 100}}";
  Run run = {.context = asp_context_create(NULL)};
  snprintf(run.path, sizeof run.path, "%s/result-csv.h5", ASP_BINARY_DIR);
  assert_ok(run.context, asp_scene_parse(run.context, text, strlen(text), "csv", &run.scene, NULL));
  assert_ok(run.context, asp_world_create(run.context, run.scene.model, &run.scene.run, &run.world));
  start_writing(&run);
  for (int i = 0; i < 300; i++)
    step(&run);
  close_run(&run);
  AspContext *context = asp_context_create(NULL);
  const char *csv = ASP_BINARY_DIR "/result.csv";
  assert_ok(context, asp_result_export_csv(context, run.path, csv));
  FILE *file = fopen(csv, "r");
  assert_non_null(file);
  char line[1024];
  assert_non_null(fgets(line, sizeof line, file));
  const char *first = "\"time [s]\",\"a, \"\"b\"\".x [m]\",\"a, \"\"b\"\".y [m]\",\"a, \"\"b\"\".angle [rad]\","
                      "\"a, \"\"b\"\".vx [m/s]\",\"a, \"\"b\"\".vy [m/s]\",\"a, \"\"b\"\".w [rad/s]\"";
  assert_int_equal(strncmp(line, first, strlen(first)), 0);
  assert_non_null(strstr(line, ",\"a longer name.x [m]\",")); // names of other lengths arrive whole
  assert_non_null(strstr(line, ",\"c.x [m]\","));
  int rows = 0;
  for (; fgets(line, sizeof line, file); rows++) {
    double x[7];
    assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf", &x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6]), 7);
    assert_near(x[0], 0.1 * rows, 1e-12); // free flight without gravity
    assert_near(x[1], x[0], 1e-12);
    assert_near(x[2], 2 * x[0], 1e-12);
    assert_near(x[3], 0.1 * x[0], 1e-12);
    assert_near(x[4], 1, 0);
    assert_near(x[5], 2, 0);
    assert_near(x[6], 0.1, 0);
  }
  assert_int_equal(rows, 301);
  fclose(file);
  assert_int_equal(asp_result_export_csv(context, run.path, "/dev/full"), ASP_ERROR_FILE);
  assert_non_null(strstr(asp_context_message(context), "/dev/full: "));
  assert_int_equal(asp_result_export_csv(context, ASP_SOURCE_DIR "/LICENSE", csv), ASP_ERROR_INPUT);
  assert_int_equal(asp_result_export_csv(context, ASP_BINARY_DIR "/no-such.h5", csv), ASP_ERROR_FILE);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
  remove(csv);
  remove_run(run.path);
}

static void collect_line(void *user, const char *line) {
  char *all = user;
  snprintf(all + strlen(all), 4096 - strlen(all), "%s\n", line);
}

static void assert_info(AspContext *context, const char *path, const char *const *fragments) {
  char all[4096] = "";
  assert_ok(context, asp_file_info(context, path, collect_line, all));
  for (; *fragments; fragments++)
    if (!strstr(all, *fragments))
      fail_msg("%s: '%s' does not say '%s'", path, all, *fragments);
}

static void info_tells_scene_result_problem_and_lcp_apart(void **state) {
  (void)state;
  Run run = open_run("block-on-slope-26", "result-info.h5", 50, 10);
  start_writing(&run);
  for (int i = 0; i < 50; i++)
    step(&run);
  const AspContactProblem *problem = NULL;
  const double *r = NULL, *u = NULL;
  problem = asp_world_problem(run.world, &r, &u);
  const char *lcp_path = ASP_BINARY_DIR "/info-lcp.h5", *fclib_path = ASP_BINARY_DIR "/info-fclib.hdf5";
  AspLcp lcp;
  assert_ok(run.context, asp_lcp_create(run.context, 3, &lcp));
  assert_ok(run.context, asp_lcp_write(run.context, lcp_path, &lcp, NULL));
  asp_lcp_destroy(run.context, &lcp);
  assert_ok(run.context, asp_fclib_write(run.context, fclib_path, problem, NULL));
  close_run(&run);
  AspContext *context = asp_context_create(NULL);
  assert_info(context, ASP_SOURCE_DIR "/scenes/four-bar.json",
              (const char *[]){"kind: scene\n", "name: four-bar linkage\n",
                               "bodies: 4 (3 free, 1 fixed, 0 prescribed)\n", "dofs: 9\n", "joints: 4\n",
                               "run friction.directions: ", NULL});
  assert_info(context, run.path,
              (const char *[]){"kind: result\n", "name: block on a slope of 26 degrees\n", "bodies: 2\n", "frames: 6\n",
                               "time: 0 to 0.5 s\n", "steps: 50\n", "complete: yes\n", "steps not certified: 0\n",
                               "contacts, largest number: 4\n", NULL});
  assert_info(context, fclib_path,
              (const char *[]){"kind: contact problem (FCLIB), global form\n", "coulomb laws: 4\n", "rows: 12\n",
                               "dofs: 6\n", NULL});
  assert_info(context, lcp_path, (const char *[]){"kind: linear complementarity problem\n", "size: 3\n", NULL});
  char all[4096] = "";
  assert_int_equal(asp_file_info(context, ASP_BINARY_DIR "/no-such-file", collect_line, all), ASP_ERROR_FILE);
  assert_int_equal(asp_file_info(context, ASP_SOURCE_DIR "/LICENSE", collect_line, all), ASP_ERROR_INPUT);
  const char *empty = ASP_BINARY_DIR "/info-empty.h5";
  H5Fclose(H5Fcreate(empty, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  assert_int_equal(asp_file_info(context, empty, collect_line, all), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(context), "neither a result nor"));
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
  const char *files[] = {run.path, lcp_path, fclib_path, empty};
  for (int i = 0; i < 4; i++)
    remove(files[i]);
}

/* ---- damage ---- */

static void ignore_line(void *user, const char *line) {
  (void)user;
  (void)line;
}

static void copy_file(const unsigned char *bytes, size_t length, const char *path) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  fclose(file);
}

static void results_cut_short_are_refused(void **state) {
  (void)state;
  Run run = open_run("four-bar", "result-whole.h5", 20, 1);
  start_writing(&run);
  for (int i = 0; i < 20; i++)
    step(&run);
  close_run(&run);
  size_t length = 0;
  unsigned char *bytes = read_bytes(run.path, &length);
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {99};
  const char *path = ASP_BINARY_DIR "/result-cut.h5", *csv = ASP_BINARY_DIR "/result-cut.csv";
  for (int round = 0; round < 50; round++) {
    copy_file(bytes, (size_t)(asp_random_bits(&random) % length), path);
    assert_int_equal(asp_file_info(context, path, ignore_line, NULL), ASP_ERROR_INPUT);
    assert_int_equal(asp_result_export_csv(context, path, csv), ASP_ERROR_INPUT);
    assert_non_null(strstr(asp_context_message(context), path));
  }
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
  free(bytes);
  remove(path);
  remove_run(run.path);
}

/* Puts a dataset of another type or shape in the place of an old one. */
static void replace_dataset(hid_t file, const char *path, int rank, const hsize_t *extent, hid_t type) {
  assert_true(H5Ldelete(file, path, H5P_DEFAULT) >= 0);
  hid_t space = H5Screate_simple(rank, extent, NULL);
  H5Dclose(H5Dcreate2(file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space);
}

static void write_committed(hid_t file, int64_t frames) {
  hid_t type = H5Tcreate(H5T_COMPOUND, sizeof frames), dataset = H5Dopen2(file, "/committed", H5P_DEFAULT);
  H5Tinsert(type, "frames", 0, H5T_NATIVE_INT64);
  assert_true(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &frames) >= 0);
  H5Dclose(dataset);
  H5Tclose(type);
}

enum { DAMAGES = 10 };

static void damage(hid_t file, int kind) {
  const hsize_t few[] = {3, 3, 3}, huge[] = {(hsize_t)1 << 40};
  switch (kind) {
  case 0:
    H5Ldelete(file, "/committed", H5P_DEFAULT);
    break;
  case 1:
    H5Ldelete(file, "/bodies/name", H5P_DEFAULT);
    break;
  case 2:
    H5Ldelete(file, "/frames/q", H5P_DEFAULT);
    break;
  case 3:
    replace_dataset(file, "/frames/q", 3, few, H5T_NATIVE_DOUBLE);
    break;
  case 4:
    replace_dataset(file, "/frames/time", 1, few, H5T_C_S1);
    break;
  case 5:
    write_committed(file, 1000000);
    break;
  case 6:
    write_committed(file, -1);
    break;
  case 7:
    replace_dataset(file, "/bodies/name", 1, huge, H5T_C_S1);
    break;
  case 8:
    replace_dataset(file, "/committed", 1, few, H5T_NATIVE_DOUBLE);
    break;
  default:
    H5Adelete_by_name(file, "/", "format_version", H5P_DEFAULT);
  }
}

static void results_that_lack_or_contradict_something_are_refused(void **state) {
  (void)state;
  Run run = open_run("four-bar", "result-sound.h5", 20, 1);
  start_writing(&run);
  for (int i = 0; i < 20; i++)
    step(&run);
  close_run(&run);
  size_t length = 0;
  unsigned char *bytes = read_bytes(run.path, &length);
  AspContext *context = asp_context_create(NULL);
  const char *path = ASP_BINARY_DIR "/result-damaged.h5", *csv = ASP_BINARY_DIR "/result-damaged.csv";
  for (int kind = 0; kind < DAMAGES; kind++) {
    copy_file(bytes, length, path);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    damage(file, kind);
    assert_true(H5Fclose(file) >= 0);
    AspError error = asp_result_export_csv(context, path, csv);
    if (error != ASP_ERROR_INPUT || !strstr(asp_context_message(context), path))
      fail_msg("damage %d: %s: %s", kind, asp_error_text(error), asp_context_message(context));
    assert_int_equal(asp_context_memory_in_use(context), 0);
  }
  asp_context_destroy(context);
  free(bytes);
  remove(path);
  remove(csv);
  remove_run(run.path);
}

/* ---- manners ---- */

static herr_t visit(hid_t file, const char *name, const H5O_info_t *info, void *user) {
  const char *page = user;
  char path[256];
  snprintf(path, sizeof path, "`/%s`", name);
  bool dataset = info->type == H5O_TYPE_DATASET;
  if (dataset && !strstr(page, path) && strcmp(name, "committed") != 0)
    fail_msg("docs/reference/results.md does not mention %s", path);
  if (dataset && H5Aexists_by_name(file, name, "description", H5P_DEFAULT) <= 0)
    fail_msg("/%s has no description", name);
  return 0;
}

static void every_dataset_is_described_in_the_file_and_in_the_reference(void **state) {
  (void)state;
  Run run = open_run("slider-crank", "result-docs.h5", 5, 1);
  start_writing(&run);
  step(&run);
  close_run(&run);
  size_t length = 0;
  char *page = (char *)read_bytes(ASP_SOURCE_DIR "/docs/reference/results.md", &length);
  page[length] = 0;
  assert_non_null(strstr(page, "`/committed`"));
  hid_t file = open_file(run.path);
  assert_true(H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, page) >= 0);
  H5Fclose(file);
  free(page);
  remove_run(run.path);
}

static herr_t own_handler(hid_t stack, void *user) {
  (void)stack;
  ++*(int *)user;
  return 0;
}

static void the_callers_error_handler_is_neither_called_nor_lost(void **state) {
  (void)state;
  int calls = 0;
  assert_true(H5Eset_auto2(H5E_DEFAULT, own_handler, &calls) >= 0);
  Run run = open_run("four-bar", "result-handler.h5", 3, 1);
  AspResultWriter *writer = NULL;
  assert_int_equal(
      asp_result_create(run.context, ASP_BINARY_DIR "/no-such-folder/x.h5", &run.scene, run.world, &writer),
      ASP_ERROR_FILE);
  start_writing(&run);
  H5E_auto2_t handler = NULL;
  void *user = NULL;
  H5Eget_auto2(H5E_DEFAULT, &handler, &user);
  assert_true(handler == own_handler && user == &calls);
  step(&run);
  close_run(&run);
  H5Eget_auto2(H5E_DEFAULT, &handler, &user);
  assert_true(handler == own_handler && user == &calls);
  assert_int_equal(calls, 0);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  remove_run(run.path);
}

typedef struct FailingAllocator {
  bool armed;
  long left;
} FailingAllocator;

static void *failing_reallocate(void *user, void *block, size_t bytes) {
  FailingAllocator *allocator = user;
  if (bytes == 0) {
    free(block);
    return NULL;
  }
  if (allocator->armed && allocator->left-- <= 0)
    return NULL;
  return realloc(block, bytes);
}

static void every_kth_allocation_failure_is_clean(void **state) {
  (void)state;
  FailingAllocator allocator = {0};
  AspContextOptions options = asp_context_default_options();
  options.reallocate = failing_reallocate;
  options.allocate_user = &allocator;
  AspContext *context = asp_context_create(&options);
  AspScene scene;
  AspWorld *world = NULL;
  AspStepInfo info;
  const char *path = ASP_BINARY_DIR "/result-memory.h5", *csv = ASP_BINARY_DIR "/result-memory.csv";
  assert_ok(context, asp_scene_read(context, ASP_SOURCE_DIR "/scenes/four-bar.json", &scene, NULL));
  assert_ok(context, asp_world_create(context, scene.model, &scene.run, &world));
  assert_ok(context, asp_world_step(world, &info));
  size_t before = asp_context_memory_in_use(context);
  AspError error = ASP_ERROR_MEMORY;
  long k = 0;
  for (; error == ASP_ERROR_MEMORY && k < 1000; k++) {
    AspResultWriter *writer = NULL;
    allocator = (FailingAllocator){true, k};
    error = asp_result_create(context, path, &scene, world, &writer);
    if (error == ASP_OK)
      error = asp_result_append(writer, world, &info);
    AspError closed = asp_result_close(writer, world);
    error = error == ASP_OK ? closed : error;
    allocator.armed = false;
    assert_int_equal(asp_context_memory_in_use(context), before);
  }
  assert_int_equal(error, ASP_OK);
  assert_true(k > 40);
  error = ASP_ERROR_MEMORY;
  for (k = 0; error == ASP_ERROR_MEMORY && k < 1000; k++) {
    allocator = (FailingAllocator){true, k};
    error = asp_result_export_csv(context, path, csv);
    if (error == ASP_OK)
      error = asp_file_info(context, path, ignore_line, NULL);
    allocator.armed = false;
    assert_int_equal(asp_context_memory_in_use(context), before);
  }
  assert_int_equal(error, ASP_OK);
  asp_world_destroy(world);
  asp_scene_destroy(context, &scene);
  asp_context_destroy(context);
  remove(csv);
  remove_run(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(states_steps_and_energies_are_those_of_the_world),
      cmocka_unit_test(contacts_of_each_frame_are_found_by_start_and_count),
      cmocka_unit_test(every_nth_step_and_the_last_one_become_frames),
      cmocka_unit_test(corners_of_hulls_and_points_of_fields_are_kept),
      cmocka_unit_test(equal_runs_give_equal_bytes_whenever_they_were_flushed),
      cmocka_unit_test(a_killed_run_leaves_a_file_readable_up_to_the_last_flush),
      cmocka_unit_test(a_full_disk_is_an_error_with_the_path_and_keeps_what_was_computed),
      cmocka_unit_test(an_old_file_stays_until_the_new_one_can_be_read),
      cmocka_unit_test(a_result_never_replaces_a_device_or_a_folder),
      cmocka_unit_test(csv_has_the_same_numbers_and_quotes_names),
      cmocka_unit_test(info_tells_scene_result_problem_and_lcp_apart),
      cmocka_unit_test(results_cut_short_are_refused),
      cmocka_unit_test(results_that_lack_or_contradict_something_are_refused),
      cmocka_unit_test(every_dataset_is_described_in_the_file_and_in_the_reference),
      cmocka_unit_test(the_callers_error_handler_is_neither_called_nor_lost),
      cmocka_unit_test(every_kth_allocation_failure_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
