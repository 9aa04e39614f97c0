/* Ranks as threads of this process: the exchange of asperity/partition.h for tests, without message passing. */
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

/* Calls of `begin` and of `reduce`, and numbers received, by this rank so far. */
typedef struct RankCounts {
  int exchanges, reductions;
  long long received;
} RankCounts;
RankCounts rank_threads_counts(const RankThreads *threads, int rank);

#endif
