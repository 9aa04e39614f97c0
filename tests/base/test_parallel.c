/* Parallel loops: every iteration runs once, also with more threads than processors and while threads come late. */
#define _POSIX_C_SOURCE 200809L
#include "base/parallel.h"
#include "testing.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ITERATIONS 1000

typedef struct Tally {
  AspContext *context;
  atomic_int made[ITERATIONS]; /* how often */
  int grain, jobs;
  bool nested;
} Tally;

static void count_iterations(void *data, int from, int end) {
  Tally *tally = data;
  for (int k = from; k < end; k++)
    atomic_fetch_add(&tally->made[k], 1);
}

static void count_within(void *data, int from, int end) {
  Tally *tally = data;
  for (int k = from; k < end; k++)
    asp_parallel_for(tally->context, 1 + k % 3, 1, count_iterations, tally);
}

static void run_jobs(void *data) {
  Tally *tally = data;
  for (int job = 0; job < tally->jobs; job++)
    asp_parallel_for(tally->context, ITERATIONS, tally->grain, tally->nested ? count_within : count_iterations, tally);
}

static void every_iteration_runs_once_in_each_job(void **state) {
  (void)state;
  const int threads[] = {1, 2, 3, 8, 70}, grains[] = {1, 7, 300, ITERATIONS, 5000};
  AspContext *context = asp_context_create(NULL);
  for (int t = 0; t < 5; t++)
    for (int g = 0; g < 5; g++) {
      Tally *tally = calloc(1, sizeof *tally);
      tally->context = context;
      tally->grain = grains[g];
      tally->jobs = 50;
      asp_team_run(context, threads[t], run_jobs, tally);
      for (int k = 0; k < ITERATIONS; k++)
        assert_int_equal(tally->made[k], 50);
      assert_int_equal(asp_team_size(context), 1); // dismissed
      free(tally);
    }
  asp_context_destroy(context);
}

static void loops_within_iterations_run_in_their_thread(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  Tally *tally = calloc(1, sizeof *tally);
  tally->context = context;
  tally->grain = 1;
  tally->jobs = 3;
  tally->nested = true;
  asp_team_run(context, 8, run_jobs, tally);
  assert_int_equal(tally->made[0], 3 * ITERATIONS);
  assert_int_equal(tally->made[1], 3 * (ITERATIONS - (ITERATIONS + 2) / 3));
  assert_int_equal(tally->made[2], 3 * (ITERATIONS / 3));
  assert_int_equal(tally->made[3], 0);
  free(tally);
  asp_context_destroy(context);
}

static void note_size(void *data) {
  Tally *tally = data;
  tally->jobs = asp_team_size(tally->context);
}

static void start_another_team(void *data) {
  Tally *tally = data;
  asp_team_run(tally->context, 2, note_size, tally);
}

static void a_team_that_is_there_is_used(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  Tally *tally = calloc(1, sizeof *tally);
  tally->context = context;
  asp_team_run(context, 1, note_size, tally);
  assert_int_equal(tally->jobs, 1);
  asp_team_run(context, 3, start_another_team, tally);
#ifdef _OPENMP
  assert_int_equal(tally->jobs, 3);
#else
  assert_int_equal(tally->jobs, 1);
#endif
  free(tally);
  asp_context_destroy(context);
}

static void a_forked_process_has_threads_of_its_own(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  Tally *tally = calloc(1, sizeof *tally);
  int status;
  tally->context = context;
  tally->grain = tally->jobs = 1;
  asp_team_run(context, 3, run_jobs, tally);
  asp_threads_release();
  pid_t child = fork();
  if (child == 0) {
    alarm(60); // ends a child that waits for ever
    asp_team_run(context, 3, run_jobs, tally);
    _exit(tally->made[0] == 2 && tally->made[ITERATIONS - 1] == 2 ? 0 : 1);
  }
  assert_true(child > 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  asp_team_run(context, 3, run_jobs, tally);
  assert_int_equal(tally->made[0], 2);
  free(tally);
  asp_context_destroy(context);
}

/* A job ends although others are asleep: after a pause of the one that leads, and where nothing is to be done. */
static void pause_and_run(void *data) {
  Tally *tally = data;
  for (int job = 0; job < tally->jobs; job++) {
    double until = asp_clock_seconds() + 0.005;
    while (asp_clock_seconds() < until)
      ;
    asp_parallel_for(tally->context, 0, 1, count_iterations, tally);
    asp_parallel_for(tally->context, ITERATIONS, 1, count_iterations, tally);
  }
}

static void jobs_end_also_where_the_team_fell_asleep(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  Tally *tally = calloc(1, sizeof *tally);
  tally->context = context;
  tally->jobs = 5;
  asp_team_run(context, 4, pause_and_run, tally);
  for (int k = 0; k < ITERATIONS; k++)
    assert_int_equal(tally->made[k], 5);
  free(tally);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_iteration_runs_once_in_each_job),
      cmocka_unit_test(loops_within_iterations_run_in_their_thread),
      cmocka_unit_test(a_team_that_is_there_is_used),
      cmocka_unit_test(a_forked_process_has_threads_of_its_own),
      cmocka_unit_test(jobs_end_also_where_the_team_fell_asleep),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
