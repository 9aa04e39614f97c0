/* Ranks as threads of this process, without message passing, for tests: the exchange of asperity/partition.h, and AspRanks
 * of asperity/base.h. */
#ifndef ASP_TESTS_RANK_THREADS_H
#define ASP_TESTS_RANK_THREADS_H

#include "asperity/partition.h"

typedef struct RankThreads RankThreads;

/* What a rank runs, with a context of its own. */
typedef void RankWork(RankThreads *threads, AspContext *context, int ranks, int rank, void *user);

/* `ranks` threads at once; returns when all have ended. */
void rank_threads_run(int ranks, RankWork *work, void *user);

/* The exchange of one rank; the partition must live as long as it is used. Asked once by every rank. */
AspExchange rank_threads_exchange(RankThreads *threads, const AspPartition *partition);

/* The callbacks by which one rank shares work with the others; valid as long as they run. */
AspRanks rank_threads_ranks(RankThreads *threads, int rank);

/* Calls of `begin` and of `reduce`, and numbers received, by this rank so far; of AspRanks: calls of both callbacks. */
typedef struct RankCounts {
  int exchanges, reductions;
  long long received;
  int gathers, swaps;
} RankCounts;
RankCounts rank_threads_counts(const RankThreads *threads, int rank);

#endif
