/* Loops whose rounds do not depend on each other, shared among threads.
 *
 * Who may use several threads gathers a crew for as long as its work takes; every loop below that shares its rounds
 * finds the crew by the context and runs alone where there is none:
 *
 *   static void add_rounds(void *data, int from, int end) { ... rounds from to end - 1 ... }
 *   asp_share(context, count, grain, add_rounds, &data);
 *
 * Each round writes its own places only, so that the result has the same bits for any number of threads. Between loops
 * the crew waits busily for a while, since to wake a thread takes longer than most loops do; then it makes way for
 * other jobs, then it sleeps. Nobody waits for a thread that has not begun: its rounds are done by the others.
 */
#ifndef ASP_BASE_PARALLEL_H
#define ASP_BASE_PARALLEL_H

#include "base/base.h"

#ifdef _OPENMP
#define ASP_PRAGMA(text) _Pragma(#text)
/* A loop that adds up what may be added in any order, several rounds at once. */
#define ASP_SIMD_SUM(sum) ASP_PRAGMA(omp simd reduction(+ : sum))
#else
#define ASP_SIMD_SUM(sum)
#endif

/* Rounds from `from` to `end` - 1. */
typedef void AspRounds(void *data, int from, int end);

/* Run `work` with a crew of so many threads, the calling one included; alone where `threads` is 1 or the context has a
 * crew already. */
void asp_crew_gather(AspContext *context, int threads, void (*work)(void *data), void *data);
/* How many threads share loops now. */
int asp_crew_size(const AspContext *context);
/* So many parts of a loop keep threads busy also where one of them is late. */
static inline int asp_parts_for(int threads) { return threads > 1 ? 4 * threads : 1; }

/* Rounds 0 to count - 1 in parts of at least `grain` rounds, by the context's crew; alone without a context (NULL).
 * What rounds share in turn is done by one thread. */
void asp_share(AspContext *context, int count, int grain, AspRounds *rounds, void *data);

/* Threads for work of so many rounds: more than processors would wait for each other, and few rounds are done sooner
 * than a thread is woken. */
int asp_useful_threads(int threads, int rounds);

#endif
