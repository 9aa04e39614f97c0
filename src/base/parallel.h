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
#define ASP_PARALLEL_ALL(threads, all)
#define ASP_PARALLEL(threads)
static inline int asp_useful_threads(int threads, int rounds) {
  (void)threads;
  (void)rounds;
  return 1;
}
#endif

#endif
