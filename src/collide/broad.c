/* Broad phase on a hierarchical hash grid, incremental.
 *
 * A box lives on the level whose cell size is the next power of sqrt(2) above its largest side, in the cell of its
 * middle; boxes that overlap on one level are at most one cell apart, so at most 27 cells tell a box all its neighbours
 * there, and fewer on coarser levels. Boxes carry slack; only those whose true box left
 * the slack are moved and asked again, all other pairs stay. Cost: linear in boxes, moved boxes and pairs; sizes may
 * differ by any factor. The set of pairs is always a superset of the truly overlapping ones, and the caller's exact
 * test removes the influence of the past.
 */
#include "collide/broad.h"
#include "base/elementary.h"

#include "base/parallel.h"
#include "collide/tuning/collide.h"

#include <math.h>

#define CELL_MOST (1 << 30)

void asp_broad_free(Broad *b) {
  asp_release(b->context, b->proxies);
  asp_release(b->context, b->kept);
  asp_release(b->context, b->changed);
  asp_release(b->context, b->proxy_of);
  asp_release(b->context, b->buckets);
  asp_release(b->context, b->moved);
  asp_release(b->context, b->pairs);
  asp_release(b->context, b->fresh);
  asp_release(b->context, b->scratch);
  for (int s = 0; s < BROAD_PARTS_MAX; s++)
    asp_release(b->context, b->part[s].pairs);
}

static AspError reserve_pairs(Broad *b, size_t pairs) {
  ASP_TRY(ASP_GROW(b->context, b->pairs, b->pair_capacity, pairs));
  ASP_TRY(ASP_GROW(b->context, b->fresh, b->fresh_capacity, pairs));
  return ASP_GROW(b->context, b->scratch, b->scratch_capacity, pairs);
}

/* Bits of x spread out to every third place. */
static uint64_t spread(uint64_t x) {
  x = (x | x << 16) & UINT64_C(0x030000ff);
  x = (x | x << 8) & UINT64_C(0x0300f00f);
  x = (x | x << 4) & UINT64_C(0x030c30c3);
  return (x | x << 2) & UINT64_C(0x09249249);
}

/* Proxies in the order of a Morton curve: neighbours in space become neighbours in memory. */
static void order_proxies(Broad *b, const Bound *bounds, int count) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3 && bounds[i].low[0] <= bounds[i].high[0]; k++) {
      low[k] = fmin(low[k], bounds[i].low[k]);
      high[k] = fmax(high[k], bounds[i].low[k]);
    }
  for (int i = 0; i < count; i++) {
    uint64_t key = 0;
    for (int k = 0; k < 3; k++) {
      double part = high[k] > low[k] ? (bounds[i].low[k] - low[k]) / (high[k] - low[k]) : 0;
      key |= spread((uint64_t)(BROAD_KEY_CELLS * fmax(0, fmin(1, part)))) << k;
    }
    b->fresh[i] = key << 32 | (uint64_t)i;
  }
  asp_sort_keys(b->fresh, b->scratch, (size_t)count);
  for (int slot = 0; slot < count; slot++) {
    int i = (int)(b->fresh[slot] & UINT32_C(0xffffffff));
    b->proxies[slot] = (Proxy){.level = -1, .collider = i};
    b->proxy_of[i] = slot;
  }
}

/* Create all proxies again, none of them in the grid, with at least two buckets per proxy. */
static AspError clear_grid(Broad *b, const Bound *bounds, int count) {
  ASP_TRY(reserve_pairs(b, (size_t)count));
  b->bucket_count = b->bucket_capacity ? 1 : 0;
  while (2 * b->bucket_count <= b->bucket_capacity)
    b->bucket_count *= 2;
  for (size_t i = 0; i < b->bucket_count; i++)
    b->buckets[i] = -1;
  for (int level = 0; level < BROAD_LEVEL_COUNT; level++)
    b->cell_size[level] = asp_exp2(0.5 * (level - BROAD_LEVEL_ZERO));
  memset(b->population, 0, sizeof b->population);
  order_proxies(b, bounds, count);
  b->pair_count = 0;
  b->moved_count = 0;
  b->count = count;
  b->fresh_start = true;
  return ASP_OK;
}

static AspError reserve_proxies(Broad *b, int colliders) {
  size_t n = (size_t)colliders;
  bool rebuilt = 2 * n > b->bucket_capacity;
  ASP_TRY(ASP_GROW(b->context, b->proxies, b->proxy_capacity, n));
  ASP_TRY(ASP_GROW(b->context, b->proxy_of, b->proxy_of_capacity, n));
  ASP_TRY(ASP_GROW(b->context, b->kept, b->kept_capacity, n));
  ASP_TRY(ASP_GROW(b->context, b->changed, b->changed_capacity, n));
  ASP_TRY(ASP_GROW(b->context, b->moved, b->moved_capacity, n));
  ASP_TRY(ASP_GROW(b->context, b->buckets, b->bucket_capacity, 2 * n));
  if (rebuilt)
    b->count = 0; // the next update starts afresh
  return ASP_OK;
}

static AspError reserve_part(Broad *b, BroadPart *part, size_t pairs) {
  return ASP_GROW(b->context, part->pairs, part->capacity, pairs);
}

AspError asp_broad_reserve(Broad *b, int colliders, size_t pairs, int parts) {
  ASP_TRY(reserve_proxies(b, colliders));
  for (int s = 0; s < parts; s++)
    ASP_TRY(reserve_part(b, &b->part[s], pairs / (size_t)parts + BROAD_NEIGHBOURS));
  return reserve_pairs(b, pairs);
}

/* The level whose cells are the next above the side. */
static int level_of(const Broad *b, double side) {
  if (!(side > b->cell_size[0]))
    return 0;
  int level = 2 * ilogb(side) + BROAD_LEVEL_ZERO; // cell size <= side < 2 cell size
  while (level < BROAD_LEVEL_COUNT - 1 && b->cell_size[level] < side)
    level++;
  return level;
}

static int32_t cell_of(double x, double size) {
  double c = floor(x / size);
  return c >= CELL_MOST ? CELL_MOST : c <= -CELL_MOST ? -CELL_MOST : (int32_t)c;
}

/* Cells in a row along x lie in a row of buckets, so that a search reads few cache lines. */
static size_t bucket_of(const Broad *b, int level, const int32_t cell[3]) {
  uint64_t h = (uint64_t)cell[1] * UINT64_C(0xc2b2ae3d27d4eb4f) + (uint64_t)cell[2] * UINT64_C(0x165667b19e3779f9) +
               (uint64_t)level * UINT64_C(0x27d4eb2f165667c5);
  h = (h ^ (h >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
  return ((size_t)(h >> 32) + (size_t)cell[0]) & (b->bucket_count - 1);
}

static void take_out(Broad *b, int i) {
  Proxy *p = &b->proxies[i];
  if (p->level < 0)
    return;
  if (p->previous < 0)
    b->buckets[-1 - p->previous] = p->next;
  else
    b->proxies[p->previous].next = p->next;
  if (p->next >= 0)
    b->proxies[p->next].previous = p->previous;
  b->population[p->level]--;
  p->level = -1;
}

static double side_of(const Bound *box) {
  double x = box->high[0] - box->low[0], y = box->high[1] - box->low[1], z = box->high[2] - box->low[2];
  return x > y ? (x > z ? x : z) : (y > z ? y : z);
}

/* The proxy's box and cell for the collider's box, and its filter. */
static void fit(const Broad *b, const Bound *box, KeptBox *h) {
  *h = (KeptBox){.owner = box->owner,
                 .group = box->group,
                 .mask = box->mask,
                 .immobile = box->immobile,
                 .present = box->low[0] <= box->high[0]};
  if (!h->present)
    return;
  double slack = 0.5 * BROAD_SLACK * side_of(box), side = 0;
  for (int k = 0; k < 3; k++) {
    h->low[k] = nextafterf((float)(box->low[k] - slack), -INFINITY);
    h->high[k] = nextafterf((float)(box->high[k] + slack), INFINITY);
    side = fmax(side, (double)h->high[k] - (double)h->low[k]);
  }
  h->level = (int16_t)level_of(b, side);
  for (int k = 0; k < 3; k++)
    h->cell[k] = cell_of(0.5 * ((double)h->low[k] + (double)h->high[k]), b->cell_size[h->level]);
  h->shrunk = h->level > 0 ? (float)(0.25 * b->cell_size[h->level]) : 0;
}

static void put_in(Broad *b, int i, const KeptBox *h) {
  Proxy *p = &b->proxies[i];
  memcpy(p->low, h->low, sizeof p->low);
  memcpy(p->high, h->high, sizeof p->high);
  memcpy(p->cell, h->cell, sizeof p->cell);
  p->level = h->level;
  size_t bucket = bucket_of(b, p->level, p->cell);
  p->next = b->buckets[bucket];
  p->previous = -1 - (int)bucket;
  if (p->next >= 0)
    b->proxies[p->next].previous = i;
  b->buckets[bucket] = i;
  b->population[p->level]++;
}

static bool still_holds(const KeptBox *h, const Bound *box) {
  bool present = box->low[0] <= box->high[0];
  if (h->owner != box->owner || h->immobile != box->immobile || h->group != box->group || h->mask != box->mask ||
      h->present != present)
    return false;
  for (int k = 0; k < 3 && present; k++)
    if (box->low[k] < (double)h->low[k] || box->high[k] > (double)h->high[k])
      return false;
  return !present || side_of(box) >= (double)h->shrunk;
}

/* Boxes of an update. */
typedef struct Update {
  Broad *broad;
  const Bound *bounds;
} Update;

static void fit_boxes(void *data, int from, int end) {
  const Update *update = data;
  Broad *b = update->broad;
  for (int i = from; i < end; i++) {
    b->changed[i] = b->fresh_start || !still_holds(&b->kept[i], &update->bounds[i]);
    if (b->changed[i])
      fit(b, &update->bounds[i], &b->kept[i]);
  }
}

/* The collider's proxy goes where its new box belongs. */
static void renew(Broad *b, int i) {
  int slot = b->proxy_of[i];
  take_out(b, slot);
  b->proxies[slot].moved = true;
  b->moved[b->moved_count++] = slot;
  if (b->kept[i].present)
    put_in(b, slot, &b->kept[i]);
}

static void move_proxies(Broad *b, const Bound *bounds, int count) {
  for (int k = 0; k < b->moved_count; k++) // of the last update
    b->proxies[b->moved[k]].moved = false;
  b->moved_count = 0;
  asp_parallel_for(b->context, count, BROAD_GRAIN, fit_boxes, &(Update){b, bounds});
  for (int k = 0; k < count; k++) {
    int i = b->fresh_start ? b->proxies[k].collider : k; // the first update follows the curve
    if (b->changed[i])
      renew(b, i);
  }
  b->fresh_start = false;
  memcpy(b->unmoved, b->population, sizeof b->unmoved);
  for (int k = 0; k < b->moved_count; k++)
    if (b->proxies[b->moved[k]].level >= 0)
      b->unmoved[b->proxies[b->moved[k]].level]--;
  b->active_count = 0;
  for (int level = 0; level < BROAD_LEVEL_COUNT; level++)
    if (b->population[level] > 0)
      b->active[b->active_count++] = level;
}

static bool overlap(const Proxy *p, const Proxy *q) {
  return p->low[0] <= q->high[0] && q->low[0] <= p->high[0] && p->low[1] <= q->high[1] && q->low[1] <= p->high[1] &&
         p->low[2] <= q->high[2] && q->low[2] <= p->high[2];
}

/* False when there is no room for the pair. */
static bool meet(const Broad *b, const Bound *bounds, int i, int j, BroadPart *part) {
  const Proxy *p = &b->proxies[i], *q = &b->proxies[j];
  // two moved proxies find each other twice when neither is finer: the first one reports
  if (j == i || (q->moved && (q->level < p->level || (q->level == p->level && j < i))))
    return true;
  if (!overlap(p, q) || !bounds_may_meet(&b->exclusions, &bounds[p->collider], &bounds[q->collider]))
    return true;
  if (part->count == part->capacity)
    return false;
  int low = p->collider < q->collider ? p->collider : q->collider;
  int high = p->collider < q->collider ? q->collider : p->collider;
  part->pairs[part->count++] = (uint64_t)low << 32 | (uint64_t)high;
  return true;
}

static bool visit_cell(const Broad *b, const Bound *bounds, int i, int level, const int32_t cell[3], BroadPart *part) {
  for (int j = b->buckets[bucket_of(b, level, cell)]; j >= 0; j = b->proxies[j].next) {
    const Proxy *q = &b->proxies[j];
    if (q->level == level && q->cell[0] == cell[0] && q->cell[1] == cell[1] && q->cell[2] == cell[2] &&
        !meet(b, bounds, i, j, part))
      return false;
  }
  return true;
}

/* All proxies of one level that overlap proxy i. Finer levels: only the unmoved ones are wanted, and when the cells are
 * more than the proxies, the proxies are gone through instead. False when there is no room for a pair. */
static bool visit_level(const Broad *b, const Bound *bounds, int i, int level, BroadPart *part) {
  const Proxy *p = &b->proxies[i];
  double size = b->cell_size[level], cells = 1;
  int32_t low[3], high[3], cell[3];
  for (int k = 0; k < 3; k++) {
    low[k] = cell_of((double)p->low[k] - 0.5 * size, size);
    high[k] = cell_of((double)p->high[k] + 0.5 * size, size);
    cells *= (double)high[k] - (double)low[k] + 1;
  }
  if (level < p->level && cells > b->count) {
    for (int j = 0; j < b->count; j++)
      if (b->proxies[j].level == level && !meet(b, bounds, i, j, part))
        return false;
    return true;
  }
  for (cell[2] = low[2]; cell[2] <= high[2]; cell[2]++)
    for (cell[1] = low[1]; cell[1] <= high[1]; cell[1]++)
      for (cell[0] = low[0]; cell[0] <= high[0]; cell[0]++)
        if (!visit_cell(b, bounds, i, level, cell, part))
          return false;
  return true;
}

/* The neighbours of one that moved; false when there is no room for all of them. */
static bool visit_levels(const Broad *b, const Bound *bounds, int i, BroadPart *part) {
  for (int m = 0; b->proxies[i].level >= 0 && m < b->active_count; m++)
    if ((b->active[m] >= b->proxies[i].level || b->unmoved[b->active[m]] > 0) &&
        !visit_level(b, bounds, i, b->active[m], part))
      return false;
  return true;
}

static void visit_parts(void *data, int from, int end) {
  const Update *update = data;
  Broad *b = update->broad;
  for (int s = from; s < end; s++) {
    BroadPart *part = &b->part[s];
    for (size_t known = part->count; part->next < part->end; known = part->count, part->next++)
      if (!visit_levels(b, update->bounds, b->moved[part->next], part)) {
        part->count = known; // again from here, with more room
        break;
      }
  }
}

/* Along the curve, so that one search finds in the cache what the last one read. */
static void order_moved(Broad *b) {
  for (int k = 0; k < b->moved_count; k++)
    b->fresh[k] = (uint64_t)b->moved[k];
  asp_sort_keys(b->fresh, b->scratch, (size_t)b->moved_count);
  for (int k = 0; k < b->moved_count; k++)
    b->moved[k] = (int)b->fresh[k];
}

/* The pairs of all parts into `fresh`. */
static AspError collect_fresh(Broad *b, int parts) {
  b->fresh_count = 0;
  for (int s = 0; s < parts; s++) {
    BroadPart *part = &b->part[s];
    ASP_TRY(ASP_GROW(b->context, b->fresh, b->fresh_capacity, b->fresh_count + part->count));
    if (part->count > 0)
      memcpy(b->fresh + b->fresh_count, part->pairs, part->count * sizeof *b->fresh);
    b->fresh_count += part->count;
  }
  return ASP_OK;
}

/* New pairs of the moved boxes, part by part in parallel; a part that runs out of room gets more and goes on. */
static AspError find_fresh(Broad *b, const Bound *bounds) {
  int wanted = asp_parts_for(asp_team_size(b->context)), most = b->moved_count / BROAD_PART_LEAST + 1;
  int parts = wanted < BROAD_PARTS_MAX ? wanted : BROAD_PARTS_MAX;
  parts = parts < most ? parts : most;
  order_moved(b);
  for (int s = 0; s < parts; s++) {
    BroadPart *part = &b->part[s];
    part->next = (int)((int64_t)b->moved_count * s / parts);
    part->end = (int)((int64_t)b->moved_count * (s + 1) / parts);
    part->count = 0;
    ASP_TRY(reserve_part(b, part, BROAD_NEIGHBOURS * (size_t)(part->end - part->next)));
  }
  for (bool done = false; !done;) {
    asp_parallel_for(b->context, parts, 1, visit_parts, &(Update){b, bounds});
    done = true;
    for (int s = 0; s < parts; s++) {
      if (b->part[s].next == b->part[s].end)
        continue;
      done = false;
      ASP_TRY(reserve_part(b, &b->part[s], b->part[s].capacity + 1));
    }
  }
  return collect_fresh(b, parts);
}

void asp_sort_keys(uint64_t *keys, uint64_t *scratch, size_t count) {
  uint64_t *from = keys, *to = scratch;
  // exact: bytes of a key
  for (int shift = 0; shift < 64 && count > 1; shift += 8) {
    size_t start[257] = {0};
    for (size_t i = 0; i < count; i++)
      start[(from[i] >> shift & 255) + 1]++;
    if (start[(from[0] >> shift & 255) + 1] == count)
      continue; // the same byte everywhere
    // exact: values of a byte
    for (int k = 0; k < 256; k++)
      start[k + 1] += start[k];
    for (size_t i = 0; i < count; i++)
      to[start[from[i] >> shift & 255]++] = from[i];
    uint64_t *sorted = to;
    to = from;
    from = sorted;
  }
  if (from != keys)
    memcpy(keys, from, count * sizeof *keys);
}

/* Old pairs without those of moved proxies, merged with the fresh ones. */
static AspError merge_pairs(Broad *b) {
  ASP_TRY(reserve_pairs(b, b->pair_count + b->fresh_count));
  asp_sort_keys(b->fresh, b->scratch, b->fresh_count);
  size_t kept = 0;
  for (size_t i = 0; i < b->pair_count; i++)
    if (!b->changed[b->pairs[i] >> 32] && !b->changed[b->pairs[i] & UINT32_C(0xffffffff)])
      b->pairs[kept++] = b->pairs[i];
  size_t i = kept, j = b->fresh_count, out = kept + b->fresh_count;
  b->pair_count = out;
  while (j > 0) // from the back, in place
    b->pairs[--out] = i > 0 && b->pairs[i - 1] > b->fresh[j - 1] ? b->pairs[--i] : b->fresh[--j];
  return ASP_OK;
}

AspError asp_broad_update(Broad *b, const Bound *bounds, int count) {
  ASP_TRY(reserve_proxies(b, count));
  if (count != b->count)
    ASP_TRY(clear_grid(b, bounds, count));
  move_proxies(b, bounds, count);
  AspError error = b->moved_count > 0 ? find_fresh(b, bounds) : ASP_OK;
  if (error == ASP_OK && b->moved_count > 0)
    error = merge_pairs(b);
  if (error != ASP_OK)
    b->count = 0; // half-done: the next update starts afresh
  return error;
}
