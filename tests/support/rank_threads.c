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
  const unsigned char *gathered;
  RankCounts counts;
} Rank;

/* From one rank to another: what was sent and not yet received. */
typedef struct Letter {
  void *bytes;
  size_t size;
} Letter;

struct RankThreads {
  int ranks;
  Rank *rank;
  pthread_barrier_t barrier;
  pthread_mutex_t mutex;
  pthread_cond_t arrived;
  Letter *letter; /* ranks x ranks: from, to */
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

/* ---- AspRanks ---- */

static AspError gather(void *user, void *all, const size_t *bytes) {
  Rank *rank = user;
  RankThreads *threads = rank->threads;
  rank->gathered = all;
  rank->counts.gathers++;
  pthread_barrier_wait(&threads->barrier);
  for (size_t k = 0, at = 0; k < (size_t)threads->ranks; at += bytes[k++])
    if ((int)k != rank->number && bytes[k] > 0)
      memcpy((unsigned char *)all + at, threads->rank[k].gathered + at, bytes[k]);
  pthread_barrier_wait(&threads->barrier);
  return ASP_OK;
}

static AspError swap(void *user, int to, const void *out, size_t out_bytes, int from, void *in, size_t in_bytes) {
  Rank *rank = user;
  RankThreads *threads = rank->threads;
  rank->counts.swaps++;
  pthread_mutex_lock(&threads->mutex);
  if (to >= 0) {
    Letter *letter = &threads->letter[rank->number * threads->ranks + to];
    while (letter->bytes)
      pthread_cond_wait(&threads->arrived, &threads->mutex);
    *letter = (Letter){malloc(out_bytes), out_bytes};
    memcpy(letter->bytes, out, out_bytes);
    pthread_cond_broadcast(&threads->arrived);
  }
  if (from >= 0) {
    Letter *letter = &threads->letter[from * threads->ranks + rank->number];
    while (!letter->bytes)
      pthread_cond_wait(&threads->arrived, &threads->mutex);
    assert_int_equal(letter->size, in_bytes);
    memcpy(in, letter->bytes, in_bytes);
    free(letter->bytes);
    letter->bytes = NULL;
    pthread_cond_broadcast(&threads->arrived);
  }
  pthread_mutex_unlock(&threads->mutex);
  return ASP_OK;
}

AspRanks rank_threads_ranks(RankThreads *threads, int rank) {
  return (AspRanks){threads->ranks, rank, &threads->rank[rank], gather, swap};
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
  threads.letter = calloc((size_t)ranks * (size_t)ranks, sizeof *threads.letter);
  pthread_barrier_init(&threads.barrier, NULL, (unsigned)ranks);
  pthread_mutex_init(&threads.mutex, NULL);
  pthread_cond_init(&threads.arrived, NULL);
  for (int k = 0; k < ranks; k++) {
    threads.rank[k] = (Rank){.threads = &threads, .number = k, .work = work, .user = user};
    assert_int_equal(pthread_create(&threads.rank[k].thread, NULL, run, &threads.rank[k]), 0);
  }
  for (int k = 0; k < ranks; k++)
    pthread_join(threads.rank[k].thread, NULL);
  pthread_cond_destroy(&threads.arrived);
  pthread_mutex_destroy(&threads.mutex);
  pthread_barrier_destroy(&threads.barrier);
  free(threads.letter);
  free(threads.rank);
}
