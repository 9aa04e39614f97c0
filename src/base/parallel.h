/* Loops whose rounds do not depend on each other, shared among threads:
 *
 *   ASP_PARALLEL(threads)
 *   for (int i = 0; i < count; i++)
 *
 * Each round writes its own places only, so that the result has the same bits for any number of threads. Without OpenMP
 * one thread does everything.
 */
#ifndef ASP_BASE_PARALLEL_H
#define ASP_BASE_PARALLEL_H

#include <sched.h>
#include <stdatomic.h>

#ifdef _OPENMP
#include <omp.h>

#define ASP_PRAGMA(text) _Pragma(#text)
/* The same, and `all` becomes false where one of the rounds makes it so. */
#define ASP_PARALLEL_ALL(threads, all)                                                                                 \
  ASP_PRAGMA(omp parallel for schedule(static) num_threads(threads) if ((threads) > 1) reduction(&& : all))
/* A loop that adds up what may be added in any order, several rounds at once. */
#define ASP_SIMD_SUM(sum) ASP_PRAGMA(omp simd reduction(+ : sum))
#define ASP_PARALLEL(threads)                                                                                          \
  ASP_PRAGMA(omp parallel for schedule(static) num_threads(threads) if ((threads) > 1))

/* A block that every thread of a team runs, for loops with many short parts. Between parts the threads meet: they wait
 * busily, since the runtime's own waiting may put them to sleep for longer than a part takes, and make way for other
 * jobs after a while. */
#define ASP_TEAM(threads) ASP_PRAGMA(omp parallel num_threads(threads) if ((threads) > 1))
static inline int asp_team_size(void) { return omp_get_num_threads(); }
static inline int asp_team_place(void) { return omp_get_thread_num(); }

/* Threads for so many rounds: more than processors would wait for each other, and few rounds are done sooner than a
 * thread is woken. */
static inline int asp_useful_threads(int threads, int rounds) {
  int most = omp_get_num_procs(), enough = rounds / 1024;
  most = threads < most ? threads : most;
  most = enough < most ? enough : most;
  return most > 1 ? most : 1;
}
#else
#define ASP_SIMD_SUM(sum)
#define ASP_TEAM(threads)
static inline int asp_team_size(void) { return 1; }
static inline int asp_team_place(void) { return 0; }
#define ASP_PARALLEL_ALL(threads, all)
#define ASP_PARALLEL(threads)
static inline int asp_useful_threads(int threads, int rounds) {
  (void)threads;
  (void)rounds;
  return 1;
}
#endif

/* Where a team meets; zero at first. */
typedef struct AspMeeting {
  atomic_int arrived, round;
} AspMeeting;

static inline void asp_meet(AspMeeting *meeting, int team) {
  if (team == 1)
    return;
  int round = atomic_load_explicit(&meeting->round, memory_order_acquire);
  if (atomic_fetch_add_explicit(&meeting->arrived, 1, memory_order_acq_rel) == team - 1) {
    atomic_store_explicit(&meeting->arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&meeting->round, round + 1, memory_order_release);
    return;
  }
  for (int turns = 0; atomic_load_explicit(&meeting->round, memory_order_acquire) == round; turns++)
    if (turns > 20000)
      sched_yield();
}

#endif
