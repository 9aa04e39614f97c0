/* Ranks as threads: see rank_threads.h. Every call waits for all ranks twice: until all have given what they have, and
 * until all have taken what they need. */
#define _POSIX_C_SOURCE 200809L // barriers
#include "rank_threads.h"

#include "testing.h"

#include <pthread.h>

typedef struct Rank {
  RankThreads *threads;
  int number;
  RankWork *work;
  void *user;
  pthread_t thread;
  const AspPartition *partition;
  const double *own;
  AspRankReduction *reduction;
  RankCounts counts;
} Rank;

struct RankThreads {
  int ranks;
  Rank *rank;
  pthread_barrier_t barrier;
};

static AspError begin(void *user, int width, const double *own) {
  Rank *rank = user;
  (void)width;
  rank->own = own;
  rank->counts.exchanges++;
  pthread_barrier_wait(&rank->threads->barrier);
  return ASP_OK;
}

static AspError end(void *user, int width, double *remote) {
  Rank *rank = user;
  for (int k = 0; k < rank->partition->remotes; k++) {
    AspRemoteCopy copy = rank->partition->remote[k];
    memcpy(remote + (size_t)k * (size_t)width, rank->threads->rank[copy.rank].own + (size_t)copy.copy * (size_t)width,
           (size_t)width * sizeof *remote);
  }
  rank->counts.received += (long long)width * rank->partition->remotes;
  pthread_barrier_wait(&rank->threads->barrier);
  return ASP_OK;
}

static void add(AspRankReduction *to, const AspRankReduction *from) {
  for (int k = 0; k < to->sums; k++)
    to->sum[k] += from->sum[k];
  for (int k = 0; k < to->largest; k++)
    if (from->value[k] > to->value[k] || (from->value[k] == to->value[k] && from->place[k] < to->place[k])) {
      to->value[k] = from->value[k];
      to->place[k] = from->place[k];
    }
}

/* The last of the ranks to arrive adds up for all. */
static AspError reduce(void *user, AspRankReduction *reduction) {
  Rank *rank = user;
  RankThreads *threads = rank->threads;
  rank->reduction = reduction;
  rank->counts.reductions++;
  if (pthread_barrier_wait(&threads->barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
    AspRankReduction *all = threads->rank[0].reduction;
    for (int k = 1; k < threads->ranks; k++)
      add(all, threads->rank[k].reduction);
    for (int k = 1; k < threads->ranks; k++) {
      AspRankReduction *one = threads->rank[k].reduction;
      for (int j = 0; j < all->sums; j++)
        one->sum[j] = all->sum[j];
      for (int j = 0; j < all->largest; j++) {
        one->value[j] = all->value[j];
        one->place[j] = all->place[j];
      }
    }
  }
  pthread_barrier_wait(&threads->barrier);
  return ASP_OK;
}

AspExchange rank_threads_exchange(RankThreads *threads, const AspPartition *partition) {
  Rank *rank = &threads->rank[partition->rank];
  rank->partition = partition;
  return (AspExchange){rank, begin, end, reduce};
}

RankCounts rank_threads_counts(const RankThreads *threads, int rank) { return threads->rank[rank].counts; }

static void *run(void *data) {
  Rank *rank = data;
  AspContext *context = asp_context_create(NULL);
  rank->work(rank->threads, context, rank->threads->ranks, rank->number, rank->user);
  asp_context_destroy(context);
  return NULL;
}

void rank_threads_run(int ranks, RankWork *work, void *user) {
  RankThreads threads = {.ranks = ranks, .rank = calloc((size_t)ranks, sizeof *threads.rank)};
  pthread_barrier_init(&threads.barrier, NULL, (unsigned)ranks);
  for (int k = 0; k < ranks; k++) {
    threads.rank[k] = (Rank){.threads = &threads, .number = k, .work = work, .user = user};
    assert_int_equal(pthread_create(&threads.rank[k].thread, NULL, run, &threads.rank[k]), 0);
  }
  for (int k = 0; k < ranks; k++)
    pthread_join(threads.rank[k].thread, NULL);
  pthread_barrier_destroy(&threads.barrier);
  free(threads.rank);
}
