/* Processor time of the calling thread, s (finer than that of the process while an alarm is set). Include after defining _POSIX_C_SOURCE. */
#ifndef ASP_BENCH_CLOCK_H
#define ASP_BENCH_CLOCK_H

#include <time.h>

static inline double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
