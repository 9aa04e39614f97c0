/* Result files survive kills and full disks, damage is refused, equal runs give equal bytes. */
#define _GNU_SOURCE
#include "failing_allocator.h"
#include "result_testing.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- equal bytes ---- */

static void equal_runs_give_equal_bytes_whenever_they_were_flushed(void **state) {
  (void)state;
  enum { STEPS = 300 }; // more than one block of rows
  const char *scenes[] = {"block-on-slope-27", "four-bar-in-space"};
  const int flush_every[] = {0, 2, 37};
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

/* Steps forever; every flush is told through the pipe. */
static void write_until_killed(int pipe_end, int flush_every) {
  Run run = open_run("four-bar-in-space", "result-killed.h5", 100000000, 1);
  start_writing(&run);
  for (int k = 1;; k++) {
    step(&run);
    if (k % flush_every != 0)
      continue;
    assert_ok(run.context, asp_result_flush(run.writer));
    if (write(pipe_end, "x", 1) != 1)
      _exit(1);
  }
}

#define FOUR_BAR_DT 0.0025 /* s: of scenes/four-bar-in-space.json */

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
  const char *path = ASP_BINARY_DIR "/result-killed.h5";
  const int flush_every[] = {1, 7, 40};
  for (int round = 0; round < 9; round++) {
    int ends[2], flushes = 1 + (int)(asp_random_bits(&random) % 12), every = flush_every[round % 3];
    remove_run(path);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
      write_until_killed(ends[1], every);
    close(ends[1]);
    char byte;
    for (int i = 0; i < flushes; i++)
      assert_int_equal(read(ends[0], &byte, 1), 1);
    usleep((useconds_t)(asp_random_bits(&random) % 5000)); // anywhere in the work that follows
    assert_int_equal(kill(child, SIGKILL), 0);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    close(ends[0]);
    assert_true(check_killed_file(path, FOUR_BAR_DT) >= flushes * every);
  }
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
  limit_file_size(700000);
  AspError error = ASP_OK;
  AspStepInfo info = {0};
  while (error == ASP_OK && info.step < 100000) {
    assert_ok(run.context, asp_world_step(run.world, &info));
    error = asp_result_append(run.writer, run.world, &info);
  }
  assert_int_equal(error, ASP_ERROR_STORAGE);
  assert_non_null(strstr(asp_context_message(run.context), run.path));
  assert_non_null(strstr(asp_context_message(run.context), strerror(EFBIG)));
  assert_int_equal(asp_result_append(run.writer, run.world, &info), ASP_ERROR_STORAGE);
  assert_int_equal(asp_result_flush(run.writer), ASP_ERROR_STORAGE);
  assert_int_equal(asp_result_close(run.writer, run.world), ASP_ERROR_STORAGE);
  limit_file_size(0);
  assert_true(check_killed_file(run.path, FOUR_BAR_DT) >= info.step - 1);
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
  assert_int_equal(asp_result_create(run.context, run.path, &run.scene, run.world, &run.writer), ASP_ERROR_STORAGE);
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

/* ---- damage ---- */

static void ignore_line(void *user, const AspFact *fact) {
  (void)user;
  (void)fact;
}

static void copy_file(const unsigned char *bytes, size_t length, const char *path) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  fclose(file);
}

/* The bytes of a sound result, on the heap. */
static unsigned char *whole_result(size_t *length) {
  Run run = open_run("four-bar", "result-whole.h5", 20, 1);
  start_writing(&run);
  for (int i = 0; i < 20; i++)
    step(&run);
  close_run(&run);
  unsigned char *bytes = read_bytes(run.path, length);
  remove_run(run.path);
  return bytes;
}

/* Bytes changed at random, mostly in the file's structure: read or refused, never a crash. */
static void results_with_changed_bytes_are_read_or_refused(void **state) {
  (void)state;
  size_t length = 0;
  unsigned char *bytes = whole_result(&length);
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {2024};
  const char *path = ASP_BINARY_DIR "/result-changed.h5", *csv = ASP_BINARY_DIR "/result-changed.csv";
  for (int round = 0; round < 200; round++) {
    unsigned char *changed = malloc(length);
    assert_non_null(changed);
    memcpy(changed, bytes, length);
    for (int k = 0; k < 1 << round % 5; k++)
      changed[asp_random_bits(&random) % (round % 3 ? 20000 : length)] = (unsigned char)asp_random_bits(&random);
    copy_file(changed, length, path);
    free(changed);
    AspError error = asp_file_info(context, path, NULL, ignore_line, NULL);
    assert_true(error == ASP_OK || error == ASP_ERROR_INPUT);
    error = asp_result_export_csv(context, path, csv);
    assert_true(error == ASP_OK || error == ASP_ERROR_INPUT);
  }
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
  free(bytes);
  remove(path);
  remove(csv);
}

static void results_cut_short_are_refused(void **state) {
  (void)state;
  size_t length = 0;
  unsigned char *bytes = whole_result(&length);
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {99};
  const char *path = ASP_BINARY_DIR "/result-cut.h5", *csv = ASP_BINARY_DIR "/result-cut.csv";
  for (int round = 0; round < 20; round++) {
    copy_file(bytes, (size_t)(asp_random_bits(&random) % length), path);
    assert_int_equal(asp_file_info(context, path, NULL, ignore_line, NULL), ASP_ERROR_INPUT);
    assert_int_equal(asp_result_export_csv(context, path, csv), ASP_ERROR_INPUT);
    assert_non_null(strstr(asp_context_message(context), path));
  }
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
  free(bytes);
  remove(path);
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
      fail_msg("damage %d: %s: %s", kind, asp_error_name(error), asp_context_message(context));
    assert_int_equal(asp_context_memory_in_use(context), 0);
  }
  asp_context_destroy(context);
  free(bytes);
  remove(path);
  remove(csv);
  remove_run(run.path);
}

static void every_kth_allocation_failure_is_clean(void **state) {
  (void)state;
  FailingAllocator failing;
  AspContext *context = failing_context(&failing);
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
    failing.until_failure = k;
    error = asp_result_create(context, path, &scene, world, &writer);
    if (error == ASP_OK)
      error = asp_result_append(writer, world, &info);
    AspError closed = asp_result_close(writer, world);
    error = error == ASP_OK ? closed : error;
    failing.until_failure = -1;
    assert_int_equal(asp_context_memory_in_use(context), before);
  }
  assert_int_equal(error, ASP_OK);
  assert_true(k > 40);
  error = ASP_ERROR_MEMORY;
  for (k = 0; error == ASP_ERROR_MEMORY && k < 1000; k++) {
    failing.until_failure = k;
    error = asp_result_export_csv(context, path, csv);
    if (error == ASP_OK)
      error = asp_file_info(context, path, NULL, ignore_line, NULL);
    failing.until_failure = -1;
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
      cmocka_unit_test(equal_runs_give_equal_bytes_whenever_they_were_flushed),
      cmocka_unit_test(a_killed_run_leaves_a_file_readable_up_to_the_last_flush),
      cmocka_unit_test(a_full_disk_is_an_error_with_the_path_and_keeps_what_was_computed),
      cmocka_unit_test(an_old_file_stays_until_the_new_one_can_be_read),
      cmocka_unit_test(a_result_never_replaces_a_device_or_a_folder),
      cmocka_unit_test(results_cut_short_are_refused),
      cmocka_unit_test(results_with_changed_bytes_are_read_or_refused),
      cmocka_unit_test(results_that_lack_or_contradict_something_are_refused),
      cmocka_unit_test(every_kth_allocation_failure_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
