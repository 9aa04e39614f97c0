/* Packed Gauss-Seidel on several ranks (AspRanks): who sweeps which sets, and what they send each other. See packed.h.
 *
 * All ranks have the same problem in the same order, and each packs and sweeps a run of slabs with the boundaries above
 * them. A sweep, on rank k:
 *
 *   own slabs;        foot of the first one to rank k - 1, that of rank k + 1 from there
 *   own boundaries;   what they made of that foot back to rank k + 1, one's own from rank k - 1
 *
 * The foot of a slab is its lowest level of bodies, a run of lines: a boundary acts on no others of the slab above it,
 * and on no body that another boundary acts on. So every body goes through the same operations in the same order as on
 * one rank, and has the same bits. Per sweep a rank sends at most two messages and receives as many; per look at the
 * residual the sums of the sets are gathered, and added up in the order of the sets.
 */
#include "solver/packed.h"

/* ---- who ---- */

static int rank_of(const AspPackedShare *share, int slab) {
  int rank = 0;
  while (slab >= share->start[rank + 1])
    rank++;
  return rank;
}

/* Runs of slabs with about equal numbers of batches. */
static AspError deal_out(AspPacked *packed, AspArena *arena) {
  AspPackedShare *share = &packed->share;
  int slabs = packed->slab_count, ranks = share->ranks->ranks;
  int *weight = ASP_TAKE(arena, int, slabs), *rank = ASP_TAKE(arena, int, slabs);
  share->start = ASP_TAKE(arena, int, (size_t)ranks + 1);
  share->bytes = ASP_TAKE(arena, size_t, ranks);
  if (!weight || !rank || !share->start || !share->bytes)
    return ASP_ERROR_MEMORY;
  for (int s = 0; s < packed->set_count; s++)
    weight[s < slabs ? s : s - slabs] += packed->set[s].end - packed->set[s].first;
  asp_cells_over_ranks(slabs, weight, ranks, rank);
  for (int s = 0; s < slabs; s++)
    share->start[rank[s] + 1] = s + 1;
  for (int k = 0; k < ranks; k++) // ranks without any
    share->start[k + 1] = share->start[k + 1] > share->start[k] ? share->start[k + 1] : share->start[k];
  share->first = share->start[share->ranks->rank];
  share->end = share->start[share->ranks->rank + 1];
  return ASP_OK;
}

/* The last body, plus one, of the slab above that a boundary acts on; the first of these is the slab's first. */
static int foot_end(const AspPacked *packed, const AspPackedEnds *ends, int boundary) {
  int from = packed->set_body[boundary + 1], end = from;
  const AspPackedSet *set = &packed->set[packed->slab_count + boundary];
  for (int b = set->first; b < set->end; b++)
    for (int lane = 0; lane < ASP_LANES && packed->source[b][lane] >= 0; lane++) {
      int n = packed->source[b][lane], second = ends->place[ends->second[n]];
      int first = ends->first[n] >= 0 ? ends->place[ends->first[n]] : second, upper = first > second ? first : second;
      end = upper >= end ? upper + 1 : end;
    }
  return end;
}

AspError asp_packed_share(AspPacked *packed, AspArena *arena, const AspRanks *ranks, const AspPackedEnds *ends) {
  AspPackedShare *share = &packed->share;
  int boundaries = asp_packed_boundaries(packed);
  *share = (AspPackedShare){.end = packed->slab_count, .boundary_end = boundaries, .below = -1, .above = -1};
  if (!ranks || packed->slab_count < 2)
    return ASP_OK;
  share->ranks = ranks;
  ASP_TRY(deal_out(packed, arena));
  share->boundary_end = share->end < boundaries ? share->end : boundaries;
  if (share->boundary_end < share->first)
    share->boundary_end = share->first;
  if (share->first == share->end)
    return ASP_OK;
  share->low = share->low_end = packed->set_body[share->first];
  share->high = share->high_end = packed->set_body[share->end];
  if (share->first > 0)
    share->low_end = foot_end(packed, ends, share->first - 1);
  if (share->end < packed->slab_count)
    share->high_end = foot_end(packed, ends, share->end - 1);
  share->below = share->low_end > share->low ? rank_of(share, share->first - 1) : -1;
  share->above = share->high_end > share->high ? rank_of(share, share->end) : -1;
  return ASP_OK;
}

/* ---- what is sent ---- */

static void *line_at(const AspPacked *packed, bool light, int body) {
  return light ? (void *)(packed->light_body + body) : (void *)(packed->body + body);
}

static void swap(AspPacked *packed, bool light, bool down) {
  AspPackedShare *share = &packed->share;
  size_t size = light ? sizeof(AspLightBody) : sizeof(AspPackedBody);
  size_t low = (size_t)(share->low_end - share->low) * size, high = (size_t)(share->high_end - share->high) * size;
  void *at_low = line_at(packed, light, share->low), *at_high = line_at(packed, light, share->high);
  if (share->error != ASP_OK || (share->below < 0 && share->above < 0))
    return;
  share->error = down ? share->ranks->swap(share->ranks->user, share->below, at_low, low, share->above, at_high, high)
                      : share->ranks->swap(share->ranks->user, share->above, at_high, high, share->below, at_low, low);
}

void asp_share_after_slabs(AspPacked *packed, bool light) { swap(packed, light, true); }

void asp_share_after_boundaries(AspPacked *packed, bool light) { swap(packed, light, false); }

static void gather(AspPacked *packed, void *all) {
  AspPackedShare *share = &packed->share;
  if (share->ranks && share->error == ASP_OK)
    share->error = share->ranks->gather(share->ranks->user, all, share->bytes);
}

void asp_share_gather_sums(AspPacked *packed) {
  AspPackedShare *share = &packed->share;
  for (int k = 0; share->ranks && k < share->ranks->ranks; k++)
    share->bytes[k] = 2 * (size_t)(share->start[k + 1] - share->start[k]) * sizeof *packed->sums;
  gather(packed, packed->sums);
}

/* The first batch of a slab or, with `sets` boundaries or slabs from set `first` on, that behind the last. */
static int batch_from(const AspPacked *packed, int first, int sets, int k) {
  return k < sets ? packed->set[first + k].first : packed->set[first + sets - 1].end;
}

static void gather_best_of(AspPacked *packed, int first, int sets) {
  AspPackedShare *share = &packed->share;
  if (sets == 0)
    return;
  for (int k = 0; k < share->ranks->ranks; k++) {
    int from = share->start[k] < sets ? share->start[k] : sets,
        to = share->start[k + 1] < sets ? share->start[k + 1] : sets;
    int batches = batch_from(packed, first, sets, to) - batch_from(packed, first, sets, from);
    share->bytes[k] = (size_t)batches * sizeof *packed->best;
  }
  gather(packed, packed->best + packed->set[first].first);
}

void asp_share_gather_best(AspPacked *packed) {
  if (!packed->share.ranks)
    return;
  gather_best_of(packed, 0, packed->slab_count);
  gather_best_of(packed, packed->slab_count, asp_packed_boundaries(packed));
}

bool asp_share_any(AspPacked *packed, bool own) {
  AspPackedShare *share = &packed->share;
  unsigned char *said =
      (unsigned char *)packed->sums; // 2 x slabs of them: room for a byte of every rank that has slabs
  bool any = own;
  if (!share->ranks)
    return own;
  int at = 0, mine = 0;
  for (int k = 0; k < share->ranks->ranks; k++) {
    share->bytes[k] = share->start[k + 1] > share->start[k];
    mine = k == share->ranks->rank ? at : mine;
    at += (int)share->bytes[k];
  }
  if (share->bytes[share->ranks->rank])
    said[mine] = own;
  gather(packed, said);
  for (int k = 0; k < at; k++)
    any = any || said[k];
  return any;
}

/* ---- loops over what is swept here ---- */

typedef struct Shifted {
  AspLoopBody *body;
  void *data;
  int first;
} Shifted;

static void run_shifted(void *data, int from, int end) {
  const Shifted *shifted = data;
  shifted->body(shifted->data, shifted->first + from, shifted->first + end);
}

static void for_sets(const AspPacked *packed, int first, int end, AspLoopBody *body, void *data) {
  if (first >= end)
    return;
  int from = packed->set[first].first, to = packed->set[end - 1].end;
  asp_parallel_for(packed->context, to - from, PACKED_SOLVE_BATCHES, run_shifted, &(Shifted){body, data, from});
}

void asp_packed_for_batches(const AspPacked *packed, AspLoopBody *body, void *data) {
  const AspPackedShare *share = &packed->share;
  for_sets(packed, share->first, share->end, body, data);
  for_sets(packed, packed->slab_count + share->first, packed->slab_count + share->boundary_end, body, data);
}
