/* Packed Gauss-Seidel (src/solver/packed.h): nanoseconds of processor time per contact and sweep, of every table of
 * kernels that this processor can run, in floats and doubles, spheres and general bodies.
 *
 *   bench_sweeps            batches that share no body with the one before ("apart"), and that all have the same bodies
 *                           ("chained": each waits for what the last one wrote), with 2,500 contacts, which stay in the
 *                           cache, and with 20,000
 *
 * The tables in turn, least of REPEATS: the geometry is made up, the work is that of a pile.
 */
#define _GNU_SOURCE
#include "bench_clock.h"
#include "solver/packed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPEATS 40
#define SETS    3

typedef struct Pile {
  int batches, bodies;
  bool spheres, chained, floats;
  void *batch, *body;
} Pile;

static void *take(size_t bytes) {
  size_t whole = (bytes + 63) / 64 * 64;
  void *memory = aligned_alloc(64, whole);
  if (!memory) {
    fputs("bench_sweeps: out of memory\n", stderr);
    exit(1);
  }
  return memset(memory, 0, whole);
}

/* Bodies of lane `lane` of batch `b`: 32 others than those of the batch before, or always the same. */
static int body_of(const Pile *pile, int b, int lane, int end) {
  int first = pile->chained ? 0 : 2 * ASP_LANES * b;
  return (first + ASP_LANES * end + lane) % pile->bodies;
}

#define FILL(TYPE, BATCH, BODY, UNIT)                                                                                  \
  for (int b = 0; b < pile->batches; b++) {                                                                            \
    BATCH *batch = (BATCH *)((char *)pile->batch + (size_t)b * size);                                                  \
    TYPE *own = (TYPE *)(batch + 1);                                                                                   \
    for (int lane = 0; lane < ASP_LANES; lane++) {                                                                     \
      batch->D[2][lane] = batch->D[3][lane] = batch->D[7][lane] = 1;                                                   \
      batch->w[0][lane] = (TYPE)-1e-3;                                                                                 \
      batch->inverse_N[lane] = (TYPE)0.5;                                                                              \
      batch->inverse_T[lane] = batch->mu[lane] = (TYPE)0.3;                                                            \
      own[lane] = own[ASP_LANES + lane] = (TYPE)0.5;                                                                   \
      batch->p[lane] = (UNIT)*body_of(pile, b, lane, 0);                                                               \
      batch->q[lane] = (UNIT)*body_of(pile, b, lane, 1);                                                               \
    }                                                                                                                  \
  }                                                                                                                    \
  for (int k = 0; k < pile->bodies; k++)                                                                               \
  ((BODY *)pile->body)[k].inverse_mass = 1

static void make_pile(Pile *pile) {
  size_t size = pile->floats ? asp_light_size(pile->spheres) : asp_batch_size(pile->spheres);
  pile->batch = take((size_t)pile->batches * size);
  pile->body = take((size_t)pile->bodies * (pile->floats ? sizeof(AspLightBody) : sizeof(AspPackedBody)));
  if (pile->floats) {
    FILL(float, AspLightBatch, AspLightBody, (int)sizeof(AspLightBody));
  } else {
    FILL(double, AspBatch, AspPackedBody, 1);
  }
}

/* ns per contact of one sweep */
static double sweep(const Pile *pile, const AspPackedKernels *kernels) {
  int sweeps = 1 + 20000 / pile->batches;
  double began = processor_seconds();
  for (int k = 0; k < sweeps; k++)
    if (pile->floats)
      kernels->light_sweep(pile->batch, pile->batches, pile->body, k % 2, 0.5F);
    else
      kernels->sweep(pile->batch, pile->batches, pile->body, k % 2, 0.5);
  return 1e9 * (processor_seconds() - began) / ((double)sweeps * pile->batches * ASP_LANES);
}

static void measure(Pile pile) {
  double least[SETS];
  make_pile(&pile);
  for (int k = 0; k < SETS; k++)
    least[k] = 1e9;
  for (int repeat = 0; repeat < REPEATS; repeat++)
    for (int k = 0; k < SETS && asp_packed_kernels_at(k, pile.spheres); k++) {
      double time = sweep(&pile, asp_packed_kernels_at(k, pile.spheres));
      least[k] = time < least[k] ? time : least[k];
    }
  printf("%-7s %-6s %-8s %8d", pile.floats ? "floats" : "doubles", pile.spheres ? "spheres" : "general",
         pile.chained ? "chained" : "apart", pile.batches * ASP_LANES);
  for (int k = 0; k < SETS && asp_packed_kernels_at(k, pile.spheres); k++)
    printf(" %8.2f", least[k]);
  printf("\n");
  free(pile.batch);
  free(pile.body);
}

int main(void) {
  printf("ns per contact\n%-7s %-6s %-8s %8s", "", "bodies", "batches", "contacts");
  for (int k = 0; k < SETS && asp_packed_kernels_at(k, true); k++)
    printf(" %8s", asp_packed_kernels_at(k, true)->name);
  printf("\n");
  for (int kind = 0; kind < 8; kind++)
    for (int large = 0; large < 2; large++)
      measure((Pile){.batches = large ? 1250 : 156,
                     .bodies = large ? 8000 : 1024,
                     .floats = kind < 4,
                     .spheres = kind % 4 < 2,
                     .chained = kind % 2});
  return 0;
}
