/* One timed solve in a child process (see child_run.h). */
#define _DEFAULT_SOURCE
#include "child_run.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHORT_RUN 0.1 /* s: below this a run is repeated */

static void run_repeatedly(const RunTask *task, int rows, int repeats, double *r, RunOutcome *best) {
  for (int k = 0; k < repeats; k++) {
    RunOutcome outcome = {0};
    memset(r, 0, (size_t)rows * sizeof *r);
    task->run(task->user, r, &outcome);
    outcome.finished = true;
    if (k == 0 || outcome.setup + outcome.solve < best->setup + best->solve)
      *best = outcome;
    if (outcome.setup + outcome.solve > SHORT_RUN)
      break;
  }
}

/* Chatter of the methods goes nowhere; the alarm, on processor time, ends the process. */
static void prepare_child(double limit) {
  int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  struct itimerval alarm = {
      .it_value = {.tv_sec = (time_t)limit, .tv_usec = (suseconds_t)(1e6 * (limit - (time_t)limit)) + 1}};
  signal(SIGPROF, SIG_DFL);
  setitimer(ITIMER_PROF, &alarm, NULL);
}

void run_in_child(const RunTask *task, int rows, double limit, int repeats, double *r, RunOutcome *outcome) {
  size_t bytes = sizeof(RunOutcome) + (size_t)rows * sizeof(double);
  void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    perror("bench_fclib: mmap");
    exit(3);
  }
  RunOutcome *shared_outcome = shared;
  double *shared_r = (double *)(shared_outcome + 1);
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) {
    perror("bench_fclib: fork");
    exit(3);
  }
  if (child == 0) {
    prepare_child(limit);
    run_repeatedly(task, rows, repeats, shared_r, shared_outcome);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  memcpy(r, shared_r, (size_t)rows * sizeof *r);
  *outcome = *shared_outcome;
  if (!outcome->finished)
    snprintf(outcome->status, sizeof outcome->status, "%s",
             WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF ? "timeout" : "crash");
  munmap(shared, bytes);
}
