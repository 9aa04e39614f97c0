/* One timed solve in a child process: a peer without a time limit can be ended, a crash stays apart, and every run
 * starts from the same memory. */
#ifndef BENCH_CHILD_RUN_H
#define BENCH_CHILD_RUN_H

#include <stdbool.h>
#include <stddef.h>

/* What a run leaves behind; lies in memory shared with the child. */
typedef struct RunOutcome {
  bool finished;       /* the run came to its own end */
  bool claims;         /* the method says that it solved the problem */
  double setup, solve; /* processor time, s */
  size_t memory;       /* most bytes in use at once; 0: not counted */
  int iterations;
  char status[32];
  char path[128]; /* how, in the method's words */
} RunOutcome;

/* Solve from r = 0 (rows); fill the outcome but `finished`. Called up to `repeats` times. */
typedef struct RunTask {
  void (*run)(void *user, double *r, RunOutcome *outcome);
  void *user;
} RunTask;

/* Run the task in a child for at most `limit` seconds of processor time; short runs are repeated and the fastest one
 * counts. r (rows) gets the answer, or what a run that was ended left there. */
void run_in_child(const RunTask *task, int rows, double limit, int repeats, double *r, RunOutcome *outcome);

#endif
