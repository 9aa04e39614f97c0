/* The crew: see parallel.h.
 *
 * A job is a loop, cut into parts; each place of the crew has some of them in a row, which keeps what a thread works on
 * in its cache from job to job. Parts are claimed one by one, at the own place first, then at the others'. A claim is
 * one word: number of the job, next part, end. Who comes late to a job finds another number, or no part left, and
 * touches nothing of it; who claimed a part keeps the job from ending until the part is done.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/parallel.h"

#include "base/crew.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#define PLACES_MOST 64
#define ENOUGH      2048  /* rounds worth a thread that must be woken */
#define SPINS       20000 /* looks for the next job in a row, about 1 ms; */
#define YIELDS      500   /* then so many with way made for others; then asleep in between for */
#define ASLEEP      50000 /* ns */

typedef struct Place {
  _Alignas(64) atomic_uint_least64_t claim; /* job << 32 | next part << 16 | end */
} Place;

struct AspCrew {
  int size;
  int spins; /* SPINS, or none where there are more threads than processors */
  bool busy; /* with a job */
  AspRounds *rounds;
  void *data;
  int count, parts;
  _Alignas(64) atomic_uint_least32_t job; /* the present one; 0: none yet */
  atomic_bool dismissed;
  _Alignas(64) atomic_int done; /* parts */
  Place place[PLACES_MOST];
};

static inline void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/* Another look after so many of them without success. */
static void wait_on(const AspCrew *crew, int turns) {
  const struct timespec asleep = {.tv_nsec = ASLEEP};
  if (turns < crew->spins)
    pause_briefly();
  else if (turns < crew->spins + YIELDS)
    sched_yield();
  else
    nanosleep(&asleep, NULL);
}

static int first_of(int count, int part, int parts) { return (int)((int64_t)count * part / parts); }

static bool claim_part(Place *place, uint32_t job, int *part) {
  uint64_t word = atomic_load_explicit(&place->claim, memory_order_acquire);
  while (word >> 32 == job && (word >> 16 & 0xffff) < (word & 0xffff))
    if (atomic_compare_exchange_weak_explicit(&place->claim, &word, word + 0x10000, memory_order_acq_rel,
                                              memory_order_acquire)) {
      *part = (int)(word >> 16 & 0xffff);
      return true;
    }
  return false;
}

/* All parts of the job that nobody has begun. */
static void work_on(AspCrew *crew, uint32_t job, int own) {
  for (int k = 0, part; k < crew->size; k++)
    while (claim_part(&crew->place[(own + k) % crew->size], job, &part)) {
      crew->rounds(crew->data, first_of(crew->count, part, crew->parts), first_of(crew->count, part + 1, crew->parts));
      atomic_fetch_add_explicit(&crew->done, 1, memory_order_release);
    }
}

int asp_crew_size(const AspContext *context) {
  const AspCrew *crew = *asp_context_crew((AspContext *)context);
  return crew ? crew->size : 1;
}

void asp_share(AspContext *context, int count, int grain, AspRounds *rounds, void *data) {
  AspCrew *crew = context ? *asp_context_crew(context) : NULL;
  int parts = crew ? asp_parts_for(crew->size) : 1;
  parts = count / grain < parts ? count / grain : parts;
  if (crew && parts > crew->size)
    parts -= parts % crew->size; // as many for each
  if (parts < 2 || crew->busy) {
    if (count > 0)
      rounds(data, 0, count);
    return;
  }
  uint32_t job = atomic_load_explicit(&crew->job, memory_order_relaxed) + 1;
  crew->busy = true;
  crew->rounds = rounds;
  crew->data = data;
  crew->count = count;
  crew->parts = parts;
  atomic_store_explicit(&crew->done, 0, memory_order_relaxed);
  for (int k = 0; k < crew->size; k++) {
    uint64_t first = (uint64_t)first_of(parts, k, crew->size), end = (uint64_t)first_of(parts, k + 1, crew->size);
    atomic_store_explicit(&crew->place[k].claim, (uint64_t)job << 32 | first << 16 | end, memory_order_release);
  }
  atomic_store_explicit(&crew->job, job, memory_order_release);
  work_on(crew, job, 0);
  for (int turns = 0; atomic_load_explicit(&crew->done, memory_order_acquire) < parts; turns++)
    wait_on(crew, turns);
  crew->busy = false;
}

#ifdef _OPENMP
/* Jobs as they come, until the crew is dismissed. */
static void serve(AspCrew *crew, int own) {
  uint32_t last = 0;
  for (int turns = 0; !atomic_load_explicit(&crew->dismissed, memory_order_acquire); turns++) {
    uint32_t job = atomic_load_explicit(&crew->job, memory_order_acquire);
    if (job != last) {
      work_on(crew, job, own);
      last = job;
      turns = 0;
    } else
      wait_on(crew, turns);
  }
}

static void gather(AspContext *context, int threads, void (*work)(void *data), void *data) {
  AspCrew crew = {.size = threads < PLACES_MOST ? threads : PLACES_MOST};
  crew.spins = crew.size <= omp_get_num_procs() ? SPINS : 0;
  *asp_context_crew(context) = &crew;
  // fewer than asked for may come: the others' parts are done all the same
#pragma omp parallel num_threads(crew.size)
  {
    if (omp_get_thread_num() == 0) {
      work(data);
      atomic_store_explicit(&crew.dismissed, true, memory_order_release);
    } else
      serve(&crew, omp_get_thread_num());
  }
  *asp_context_crew(context) = NULL;
}

int asp_useful_threads(int threads, int rounds) {
  int most = omp_get_num_procs(), enough = rounds / ENOUGH;
  most = threads < most ? threads : most;
  most = enough < most ? enough : most;
  return most > 1 ? most : 1;
}
#else
static void gather(AspContext *context, int threads, void (*work)(void *data), void *data) {
  (void)context;
  (void)threads;
  work(data);
}

int asp_useful_threads(int threads, int rounds) {
  (void)threads;
  (void)rounds;
  return 1;
}
#endif

void asp_crew_gather(AspContext *context, int threads, void (*work)(void *data), void *data) {
  if (threads > 1 && !*asp_context_crew(context))
    gather(context, threads, work, data);
  else
    work(data);
}
