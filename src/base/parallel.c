/* The thread team: see parallel.h.
 *
 * A job is a loop, cut into parts; each place of the team has some of them in a row, which keeps what a thread works on
 * in its cache from job to job. Parts are claimed one by one, at the own place first, then at the others'. A claim is
 * one word: number of the job, next part, end. A thread that comes late to a job finds another number, or no part left,
 * and touches none of its data; a claimed part keeps the job from ending until the part is done.
 */
// exact: version of POSIX
#define _POSIX_C_SOURCE 200809L
#include "base/parallel.h"

#include "base/thread_team.h"
#include "base/tuning/base.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#ifdef _OPENMP
#include <omp.h>
#endif

typedef struct Place {
  _Alignas(64) atomic_uint_least64_t claim; /* job << 32 | next part << 16 | end */
} Place;

struct AspThreadTeam {
  int size;
  int spins; /* PARALLEL_SPINS, or none where there are more threads than processors */
  bool busy; /* with a job */
  AspLoopBody *body;
  void *data;
  int count, parts;
  _Alignas(64) atomic_uint_least32_t job; /* the present one; 0: none yet */
  atomic_bool dismissed;
  _Alignas(64) atomic_int done; /* parts */
  Place place[PARALLEL_PLACES_MOST];
};

static inline void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/* The next poll after this many without success. */
static void wait_on(const AspThreadTeam *team, int turns) {
  const struct timespec asleep = {.tv_nsec = PARALLEL_ASLEEP};
  if (turns < team->spins)
    pause_briefly();
  else if (turns < team->spins + PARALLEL_YIELDS)
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

/* All parts of the job that no thread has begun. */
static void work_on(AspThreadTeam *team, uint32_t job, int own) {
  for (int k = 0, part; k < team->size; k++)
    while (claim_part(&team->place[(own + k) % team->size], job, &part)) {
      team->body(team->data, first_of(team->count, part, team->parts), first_of(team->count, part + 1, team->parts));
      atomic_fetch_add_explicit(&team->done, 1, memory_order_release);
    }
}

int asp_team_size(const AspContext *context) {
  const AspThreadTeam *team = *asp_context_team((AspContext *)context);
  return team ? team->size : 1;
}

void asp_parallel_for(AspContext *context, int count, int grain, AspLoopBody *body, void *data) {
  AspThreadTeam *team = context ? *asp_context_team(context) : NULL;
  int parts = team ? asp_parts_for(team->size) : 1;
  parts = count / grain < parts ? count / grain : parts;
  if (team && parts > team->size)
    parts -= parts % team->size; // as many for each
  if (parts < 2 || team->busy) {
    if (count > 0)
      body(data, 0, count);
    return;
  }
  uint32_t job = atomic_load_explicit(&team->job, memory_order_relaxed) + 1;
  team->busy = true;
  team->body = body;
  team->data = data;
  team->count = count;
  team->parts = parts;
  atomic_store_explicit(&team->done, 0, memory_order_relaxed);
  for (int k = 0; k < team->size; k++) {
    uint64_t first = (uint64_t)first_of(parts, k, team->size), end = (uint64_t)first_of(parts, k + 1, team->size);
    atomic_store_explicit(&team->place[k].claim, (uint64_t)job << 32 | first << 16 | end, memory_order_release);
  }
  atomic_store_explicit(&team->job, job, memory_order_release);
  work_on(team, job, 0);
  for (int turns = 0; atomic_load_explicit(&team->done, memory_order_acquire) < parts; turns++)
    wait_on(team, turns);
  team->busy = false;
}

#ifdef _OPENMP
/* Jobs as they come, until the team is dismissed. */
static void serve(AspThreadTeam *team, int own) {
  uint32_t last = 0;
  for (int turns = 0; !atomic_load_explicit(&team->dismissed, memory_order_acquire); turns++) {
    uint32_t job = atomic_load_explicit(&team->job, memory_order_acquire);
    if (job != last) {
      work_on(team, job, own);
      last = job;
      turns = 0;
    } else
      wait_on(team, turns);
  }
}

static void run_with_team(AspContext *context, int threads, void (*work)(void *data), void *data) {
  AspThreadTeam team = {.size = threads < PARALLEL_PLACES_MOST ? threads : PARALLEL_PLACES_MOST};
  team.spins = team.size <= omp_get_num_procs() ? PARALLEL_SPINS : 0;
  *asp_context_team(context) = &team;
  // fewer threads than asked for may start: the others do their parts
#pragma omp parallel num_threads(team.size)
  {
    if (omp_get_thread_num() == 0) {
      work(data);
      atomic_store_explicit(&team.dismissed, true, memory_order_release);
    } else
      serve(&team, omp_get_thread_num());
  }
  *asp_context_team(context) = NULL;
}

void asp_threads_release(void) {
#if _OPENMP >= 201811 || (!defined __clang__ && __GNUC__ >= 9) // gcc has it, but claims OpenMP 4.5
  omp_pause_resource_all(omp_pause_soft);
#endif
}

int asp_useful_threads(int threads, int iterations) {
  int enough = iterations / PARALLEL_ENOUGH, most = threads < enough ? threads : enough;
  if (most <= 1) // the number of processors is a call to the system
    return 1;
  int processors = omp_get_num_procs();
  return most < processors ? most : processors;
}
#else
static void run_with_team(AspContext *context, int threads, void (*work)(void *data), void *data) {
  (void)context;
  (void)threads;
  work(data);
}

void asp_threads_release(void) {}

int asp_useful_threads(int threads, int iterations) {
  (void)threads;
  (void)iterations;
  return 1;
}
#endif

void asp_team_run(AspContext *context, int threads, void (*work)(void *data), void *data) {
  if (threads > 1 && !*asp_context_team(context))
    run_with_team(context, threads, work, data);
  else
    work(data);
}
