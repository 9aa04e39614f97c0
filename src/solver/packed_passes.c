/* Packed Gauss-Seidel: passes over what is packed, and the momentum of the sweeps. See packed.h. */
#include "solver/packed.h"

#include "base/parallel.h"
#include "solver/tuning/packed.h"

#include <math.h>

static double finite_or_zero(double x) { return isfinite(x) ? x : 0; }

/* A start at r, or on the way from there to `other`. */
typedef struct Start {
  AspPacked *packed;
  const double *r, *other;
  double part;
} Start;

/* What is not finite counts as zero. */
static void load_batches(void *data, int from, int end) {
  const Start *start_at = data;
  AspPacked *packed = start_at->packed;
  const double *r = start_at->r, *other = start_at->other;
  double part = start_at->part;
  for (int b = from; b < end; b++)
    for (int lane = 0; lane < ASP_LANES; lane++) {
      int i = packed->source[b][lane];
      for (int k = 0; i >= 0 && k < packed->problem->offset[i + 1] - packed->problem->offset[i]; k++) {
        int row = packed->problem->offset[i] + k;
        double start = part > 0 ? (1 - part) * r[row] + part * other[row] : r[row];
        AspBatch *batch = asp_batch_at(packed, b);
        batch->r[0][k][lane] = batch->r[1][k][lane] = finite_or_zero(start);
      }
    }
}

void asp_packed_load(AspPacked *packed, const double *r, const double *other, double part) {
  packed->now = 0;
  asp_packed_for_batches(packed, load_batches, &(Start){packed, r, other, part});
}

/* The best answer so far, and where it goes. */
typedef struct Answer {
  const AspPacked *packed;
  double *r;
} Answer;

static void unload_batches(void *data, int from, int end) {
  const AspPacked *packed = ((const Answer *)data)->packed;
  double *r = ((const Answer *)data)->r;
  for (int b = from; b < end; b++)
    for (int lane = 0; lane < ASP_LANES; lane++) {
      int i = packed->source[b][lane];
      for (int k = 0; i >= 0 && k < packed->problem->offset[i + 1] - packed->problem->offset[i]; k++)
        r[packed->problem->offset[i] + k] = packed->best[b][k][lane];
    }
}

void asp_packed_unload(AspPacked *packed, double *r) {
  asp_share_gather_best(packed);
  asp_parallel_for(packed->context, packed->batch_count, PACKED_SOLVE_BATCHES, unload_batches, &(Answer){packed, r});
}

static void keep_batches(void *data, int from, int end) {
  const AspPacked *packed = data;
  for (int b = from; b < end; b++)
    memcpy(packed->best[b], asp_batch_at(packed, b)->r[packed->now], sizeof packed->best[b]);
}

void asp_packed_keep(AspPacked *packed) { asp_packed_for_batches(packed, keep_batches, packed); }

/* ---- passes ---- */

typedef enum Pass { PASS_SWEEP, PASS_LIGHT, PASS_APPLY, PASS_RESIDUAL } Pass;

static void run_set(AspPacked *packed, const AspPackedKernels *kernels, Pass pass, int s) {
  int first = packed->set[s].first, count = packed->set[s].end - first, now = packed->now;
  AspBatch *batch = asp_batch_at(packed, first);
  AspLightBatch *light = packed->in_floats ? asp_light_at(packed, first) : NULL;
  switch (pass) {
  case PASS_SWEEP:
    kernels->sweep(batch, count, packed->body, now, packed->momentum);
    return;
  case PASS_LIGHT:
    kernels->light_sweep(light, count, packed->light_body, now, (float)packed->momentum);
    return;
  case PASS_APPLY:
    kernels->apply(batch, light, count, packed->body, now);
    return;
  case PASS_RESIDUAL:
    kernels->residual(batch, light, count, packed->body, now, packed->rho, asp_packed_sums_of(packed, s));
    return;
  }
}

/* What is done with the sets from the first one on, or with the bodies. */
typedef struct Turn {
  AspPacked *packed;
  const AspPackedKernels *kernels;
  Pass pass;
  int first;
} Turn;

static void run_sets(void *data, int from, int end) {
  const Turn *turn = data;
  for (int s = from; s < end; s++)
    run_set(turn->packed, turn->kernels, turn->pass, turn->first + s);
}

/* All slabs, then all boundaries: sets of one kind share no body, so that threads may take them in any order. */
static void run_pass(AspPacked *packed, const AspPackedKernels *kernels, Pass pass) {
  const AspPackedShare *share = &packed->share;
  Turn slabs = {packed, kernels, pass, share->first}, boundaries = slabs;
  boundaries.first += packed->slab_count;
  asp_parallel_for(packed->context, share->end - share->first, 1, run_sets, &slabs);
  if (pass != PASS_RESIDUAL)
    asp_share_after_slabs(packed, pass == PASS_LIGHT);
  asp_parallel_for(packed->context, share->boundary_end - share->first, 1, run_sets, &boundaries);
  if (pass != PASS_RESIDUAL)
    asp_share_after_boundaries(packed, pass == PASS_LIGHT);
}

static void free_bodies(void *data, int from, int end) {
  AspPacked *packed = data;
  memcpy(packed->body + from, packed->free + from, (size_t)(end - from) * sizeof *packed->body);
}

void asp_packed_refresh(AspPacked *packed) {
  const AspPackedKernels *kernels = asp_packed_kernels(packed->spheres);
  asp_parallel_for(packed->context, packed->bodies, PACKED_SOLVE_BODIES, free_bodies, packed);
  run_pass(packed, kernels, PASS_APPLY);
}

/* Momentum of a part of the bodies, ASP_LINES at a time. */
static void extrapolate(void *data, int from, int end) {
  const AspPackedKernels *kernels = ((const Turn *)data)->kernels;
  AspPacked *packed = ((const Turn *)data)->packed;
  int first = ASP_LINES * (((const Turn *)data)->first + from), count = ASP_LINES * (end - from);
  if (packed->in_floats)
    kernels->light_extrapolate(packed->light_body + first, packed->light_before + first, count,
                               (float)packed->momentum);
  else
    kernels->extrapolate(packed->body + first, packed->before + first, count, packed->momentum);
}

void asp_packed_sweep(AspPacked *packed, int count) {
  const AspPackedKernels *kernels = asp_packed_kernels(packed->spheres);
  const AspPackedShare *share = &packed->share; // lines of the ground stand still: those of one's own slabs are enough
  int first = packed->set_body[share->first] / ASP_LINES;
  int end = (packed->set_body[share->end] + ASP_LINES - 1) / ASP_LINES;
  Turn turn = {.packed = packed, .kernels = kernels, .first = first};
  for (int k = 0; k < count; k++) {
    asp_parallel_for(packed->context, end - first, PACKED_SOLVE_EXTRAPOLATED / ASP_LINES, extrapolate, &turn);
    run_pass(packed, kernels, packed->in_floats ? PASS_LIGHT : PASS_SWEEP);
    packed->now = 1 - packed->now;
  }
}

AspPackedSums asp_packed_sum(AspPacked *packed) {
  AspPackedSums all = packed->rest;
  run_pass(packed, asp_packed_kernels(packed->spheres), PASS_RESIDUAL);
  asp_share_gather_sums(packed);
  for (int s = 0; s < packed->set_count; s++) {
    const AspPackedSums *sums = asp_packed_sums_of(packed, s);
    all.worst = sums->worst <= all.worst ? all.worst : sums->worst;
    all.map += sums->map;
    all.map_unit += sums->map_unit;
    all.speed += sums->speed;
    all.total += sums->total;
    all.normal += sums->normal;
  }
  return all;
}

/* ---- momentum ---- */

void asp_packed_start_momentum(AspPacked *packed, double contact) {
  memcpy(packed->before, packed->body, (size_t)packed->bodies * sizeof *packed->body);
  packed->momentum = contact > PACKED_SOLVE_CLOSE ? PACKED_SOLVE_MOMENTUM : PACKED_SOLVE_GENTLE;
  packed->least = PACKED_SOLVE_LEAST * packed->momentum;
  packed->most = PACKED_SOLVE_MOST;
}

void asp_packed_adapt_momentum(AspPacked *packed, double before, double now) {
  double rest = 1 - packed->momentum;
  packed->momentum =
      now < before ? 1 - PACKED_SOLVE_FASTER * rest : fmax(packed->least, 1 - PACKED_SOLVE_SLOWER * rest);
  packed->momentum = fmin(packed->momentum, packed->most);
}

bool asp_packed_lower_momentum(AspPacked *packed) {
  bool lower = packed->most > 0;
  if (lower)
    packed->most = packed->most > PACKED_SOLVE_CAREFUL ? PACKED_SOLVE_CAREFUL : 0;
  return lower;
}
