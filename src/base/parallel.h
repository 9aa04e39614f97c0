/* Parallel loops whose iterations do not depend on each other.
 *
 * Call asp_team_run once around the work: it starts a team of threads that lives as long as the work does. Every
 * asp_parallel_for below finds the team by the context and divides its iterations among the threads; without a team the
 * calling thread runs them all:
 *
 *   static void add_iterations(void *data, int from, int end) { ... iterations from to end - 1 ... }
 *   asp_parallel_for(context, count, grain, add_iterations, &data);
 *
 * Each iteration writes its own places only, so that the result has the same bits for any number of threads. Between
 * loops the threads of the team poll for about 1 ms, since to wake a thread takes longer than most loops do; then they
 * yield the processor, then they sleep. No loop waits for a thread that has not begun: the others run its iterations.
 */
#ifndef ASP_BASE_PARALLEL_H
#define ASP_BASE_PARALLEL_H

#include "base/base.h"

#ifdef _OPENMP
#define ASP_PRAGMA(text) _Pragma(#text)
/* A loop that adds up what may be added in any order, several iterations at once. */
#define ASP_SIMD_SUM(sum) ASP_PRAGMA(omp simd reduction(+ : sum))
#else
#define ASP_SIMD_SUM(sum)
#endif

/* Iterations `from` to `end` - 1. */
typedef void AspLoopBody(void *data, int from, int end);

/* Run `work` with a team of this many threads, including the calling one; without a new team where `threads` is 1 or
 * the context has a team already. */
void asp_team_run(AspContext *context, int threads, void (*work)(void *data), void *data);
/* Threads of the present team; 1: there is none. */
int asp_team_size(const AspContext *context);
/* Number of parts of a loop that keeps all threads busy even where one of them is late. */
static inline int asp_parts_for(int threads) { return threads > 1 ? 4 * threads : 1; }

/* Iterations 0 to count - 1 in parts of at least `grain` iterations, by the context's team; by the calling thread
 * without a context (NULL). A parallel loop inside an iteration runs in that iteration's thread. */
void asp_parallel_for(AspContext *context, int count, int grain, AspLoopBody *body, void *data);

/* Number of threads for work of this many iterations: not more than processors, which would wait for each other, and
 * only one for few iterations, which take less time than waking a thread. */
int asp_useful_threads(int threads, int iterations);

#endif
