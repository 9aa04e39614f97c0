/* Broad phase on a hierarchical hash grid, incremental.
 *
 * A box lives on the level whose cell size is the next power of two above its largest side, in the cell of its middle;
 * boxes that overlap on one level are at most one cell apart, so 27 cells (9 in 2D scenes, which are one cell thick)
 * tell a box all its neighbours there, and fewer on coarser levels. Boxes carry slack; only those whose true box left
 * the slack are moved and asked again, all other pairs stay. Cost: linear in boxes, moved boxes and pairs; sizes may
 * differ by any factor. The set of pairs is always a superset of the truly overlapping ones, and the caller's exact
 * test removes the influence of the past.
 */
#include "collide/broad.h"

#include <math.h>

#define LEVEL_ZERO 128 /* level of cell size 1 */
#define SLACK      0.1 /* of the largest side */
#define CELL_MOST  ((int64_t)1 << 40)

void asp_broad_free(Broad *b) {
  asp_release(b->context, b->proxies);
  asp_release(b->context, b->buckets);
  asp_release(b->context, b->moved);
  asp_release(b->context, b->pairs);
  asp_release(b->context, b->fresh);
  asp_release(b->context, b->scratch);
}

static AspError reserve_pairs(Broad *b, size_t pairs) {
  ASP_TRY(asp_grow(b->context, (void **)&b->pairs, &b->pair_capacity, pairs, sizeof *b->pairs));
  ASP_TRY(asp_grow(b->context, (void **)&b->fresh, &b->fresh_capacity, pairs, sizeof *b->fresh));
  return asp_grow(b->context, (void **)&b->scratch, &b->scratch_capacity, pairs, sizeof *b->scratch);
}

/* All proxies out of the grid, with at least two buckets per proxy. */
static void clear_grid(Broad *b, int count) {
  b->bucket_count = b->bucket_capacity ? 1 : 0;
  while (2 * b->bucket_count <= b->bucket_capacity)
    b->bucket_count *= 2;
  for (size_t i = 0; i < b->bucket_count; i++)
    b->buckets[i] = -1;
  for (int i = 0; i < count; i++)
    b->proxies[i] = (Proxy){.in_grid = false};
  memset(b->population, 0, sizeof b->population);
  b->pair_count = 0;
}

static AspError reserve_proxies(Broad *b, int colliders) {
  size_t n = (size_t)colliders;
  bool rebuilt = 2 * n > b->bucket_capacity;
  ASP_TRY(asp_grow(b->context, (void **)&b->proxies, &b->proxy_capacity, n, sizeof *b->proxies));
  ASP_TRY(asp_grow(b->context, (void **)&b->moved, &b->moved_capacity, n, sizeof *b->moved));
  ASP_TRY(asp_grow(b->context, (void **)&b->buckets, &b->bucket_capacity, 2 * n, sizeof *b->buckets));
  if (rebuilt)
    b->count = 0; // the next update starts afresh
  return ASP_OK;
}

AspError asp_broad_reserve(Broad *b, int colliders, size_t pairs) {
  ASP_TRY(reserve_proxies(b, colliders));
  return reserve_pairs(b, pairs);
}

static int level_of(const Box *box) {
  double side = fmax(box->high[0] - box->low[0], fmax(box->high[1] - box->low[1], box->high[2] - box->low[2]));
  if (!(side > 0))
    return 0;
  int exponent = side < 1e300 ? ilogb(side) + 1 + LEVEL_ZERO : LEVEL_COUNT - 1;
  return exponent < 0 ? 0 : exponent >= LEVEL_COUNT ? LEVEL_COUNT - 1 : exponent;
}

static double cell_size(int level) { return ldexp(1, level - LEVEL_ZERO); }

static int64_t cell_of(double x, double size) {
  double c = floor(x / size);
  return c >= (double)CELL_MOST ? CELL_MOST : c <= -(double)CELL_MOST ? -CELL_MOST : (int64_t)c;
}

static size_t bucket_of(const Broad *b, int level, const int64_t cell[3]) {
  uint64_t h = (uint64_t)cell[0] * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)cell[1] * UINT64_C(0xc2b2ae3d27d4eb4f) +
               (uint64_t)cell[2] * UINT64_C(0x165667b19e3779f9) + (uint64_t)level * UINT64_C(0x27d4eb2f165667c5);
  h = (h ^ (h >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
  return (size_t)(h >> 32) & (b->bucket_count - 1);
}

static void take_out(Broad *b, int i) {
  Proxy *p = &b->proxies[i];
  if (!p->in_grid)
    return;
  if (p->previous < -1)
    b->buckets[-2 - p->previous] = p->next;
  else
    b->proxies[p->previous].next = p->next;
  if (p->next >= 0)
    b->proxies[p->next].previous = p->previous;
  b->population[p->level]--;
  p->in_grid = false;
}

static void put_in(Broad *b, int i, const Box *box) {
  Proxy *p = &b->proxies[i];
  double side = 0;
  for (int k = 0; k < 3; k++)
    side = fmax(side, box->high[k] - box->low[k]);
  for (int k = 0; k < 3; k++) {
    p->fat.low[k] = box->low[k] - 0.5 * SLACK * side;
    p->fat.high[k] = box->high[k] + 0.5 * SLACK * side;
  }
  p->level = level_of(&p->fat);
  double size = cell_size(p->level);
  for (int k = 0; k < 3; k++)
    p->cell[k] = cell_of(p->fat.low[k] + 0.5 * (p->fat.high[k] - p->fat.low[k]), size);
  size_t bucket = bucket_of(b, p->level, p->cell);
  p->next = b->buckets[bucket];
  p->previous = -2 - (int)bucket;
  if (p->next >= 0)
    b->proxies[p->next].previous = i;
  b->buckets[bucket] = i;
  b->population[p->level]++;
  p->in_grid = true;
}

static bool proxy_holds(const Proxy *p, const AspCollider *c, const Box *box) {
  if (p->owner != c->owner || p->immobile != c->immobile || p->group != c->group || p->mask != c->mask)
    return false;
  bool present = box->low[0] <= box->high[0];
  if (!p->in_grid || !present)
    return p->in_grid == present;
  for (int k = 0; k < 3; k++)
    if (box->low[k] < p->fat.low[k] || box->high[k] > p->fat.high[k])
      return false;
  // a box that shrank by much belongs to a finer level
  return level_of(box) >= p->level - 1;
}

static void move_proxies(Broad *b, const AspCollider *colliders, const Box *boxes, int count) {
  b->moved_count = 0;
  for (int i = 0; i < count; i++) {
    Proxy *p = &b->proxies[i];
    p->moved = !proxy_holds(p, &colliders[i], &boxes[i]);
    if (!p->moved)
      continue;
    b->moved[b->moved_count++] = i;
    take_out(b, i);
    p->owner = colliders[i].owner;
    p->immobile = colliders[i].immobile;
    p->group = colliders[i].group;
    p->mask = colliders[i].mask;
    if (boxes[i].low[0] <= boxes[i].high[0])
      put_in(b, i, &boxes[i]);
  }
  memcpy(b->unmoved, b->population, sizeof b->unmoved);
  for (int k = 0; k < b->moved_count; k++)
    if (b->proxies[b->moved[k]].in_grid)
      b->unmoved[b->proxies[b->moved[k]].level]--;
}

static AspError meet(Broad *b, const AspCollider *colliders, int i, int j) {
  const Proxy *p = &b->proxies[i], *q = &b->proxies[j];
  // two moved proxies find each other twice when neither is finer: the first one reports
  if (j == i || (q->moved && (q->level < p->level || (q->level == p->level && j < i))))
    return ASP_OK;
  if (!boxes_overlap(&p->fat, &q->fat) || !asp_filter_allows(&colliders[i], &colliders[j]))
    return ASP_OK;
  if (b->fresh_count == b->fresh_capacity)
    ASP_TRY(asp_grow(b->context, (void **)&b->fresh, &b->fresh_capacity, b->fresh_count + 1, sizeof *b->fresh));
  int low = i < j ? i : j, high = i < j ? j : i;
  b->fresh[b->fresh_count++] = (uint64_t)low << 32 | (uint64_t)high;
  return ASP_OK;
}

static AspError visit_cell(Broad *b, const AspCollider *colliders, int i, int level, const int64_t cell[3]) {
  for (int j = b->buckets[bucket_of(b, level, cell)]; j >= 0; j = b->proxies[j].next) {
    const Proxy *q = &b->proxies[j];
    if (q->level == level && q->cell[0] == cell[0] && q->cell[1] == cell[1] && q->cell[2] == cell[2])
      ASP_TRY(meet(b, colliders, i, j));
  }
  return ASP_OK;
}

/* All proxies of one level that overlap proxy i. Finer levels: only the unmoved ones are wanted, and when the cells are
 * more than the proxies, the proxies are gone through instead. */
static AspError visit_level(Broad *b, const AspCollider *colliders, int i, int level) {
  const Proxy *p = &b->proxies[i];
  double size = cell_size(level), cells = 1;
  int64_t low[3], high[3], cell[3];
  for (int k = 0; k < 3; k++) {
    low[k] = cell_of(p->fat.low[k] - 0.5 * size, size);
    high[k] = cell_of(p->fat.high[k] + 0.5 * size, size);
    cells *= (double)(high[k] - low[k] + 1);
  }
  if (level < p->level && cells > b->count) {
    for (int j = 0; j < b->count; j++)
      if (b->proxies[j].in_grid && b->proxies[j].level == level)
        ASP_TRY(meet(b, colliders, i, j));
    return ASP_OK;
  }
  for (cell[0] = low[0]; cell[0] <= high[0]; cell[0]++)
    for (cell[1] = low[1]; cell[1] <= high[1]; cell[1]++)
      for (cell[2] = low[2]; cell[2] <= high[2]; cell[2]++)
        ASP_TRY(visit_cell(b, colliders, i, level, cell));
  return ASP_OK;
}

static AspError find_fresh(Broad *b, const AspCollider *colliders) {
  b->fresh_count = 0;
  for (int k = 0; k < b->moved_count; k++) {
    int i = b->moved[k];
    if (!b->proxies[i].in_grid)
      continue;
    for (int level = 0; level < LEVEL_COUNT; level++)
      if (level >= b->proxies[i].level ? b->population[level] > 0 : b->unmoved[level] > 0)
        ASP_TRY(visit_level(b, colliders, i, level));
  }
  return ASP_OK;
}

void asp_sort_keys(uint64_t *keys, uint64_t *scratch, size_t count) {
  for (int shift = 0; shift < 64 && count > 1; shift += 8) {
    size_t start[257] = {0};
    for (size_t i = 0; i < count; i++)
      start[(keys[i] >> shift & 255) + 1]++;
    if (start[(keys[0] >> shift & 255) + 1] == count)
      continue; // the same byte everywhere
    for (int k = 0; k < 256; k++)
      start[k + 1] += start[k];
    for (size_t i = 0; i < count; i++)
      scratch[start[keys[i] >> shift & 255]++] = keys[i];
    memcpy(keys, scratch, count * sizeof *keys);
  }
}

/* Old pairs without those of moved proxies, merged with the fresh ones. */
static AspError merge_pairs(Broad *b) {
  ASP_TRY(reserve_pairs(b, b->pair_count + b->fresh_count));
  asp_sort_keys(b->fresh, b->scratch, b->fresh_count);
  size_t kept = 0;
  for (size_t i = 0; i < b->pair_count; i++)
    if (!b->proxies[b->pairs[i] >> 32].moved && !b->proxies[b->pairs[i] & UINT32_C(0xffffffff)].moved)
      b->pairs[kept++] = b->pairs[i];
  size_t i = kept, j = b->fresh_count, out = kept + b->fresh_count;
  b->pair_count = out;
  while (j > 0) // from the back, in place
    b->pairs[--out] = i > 0 && b->pairs[i - 1] > b->fresh[j - 1] ? b->pairs[--i] : b->fresh[--j];
  return ASP_OK;
}

AspError asp_broad_update(Broad *b, const AspCollider *colliders, const Box *boxes, int count) {
  ASP_TRY(reserve_proxies(b, count));
  if (count != b->count) {
    clear_grid(b, count);
    b->count = count;
  }
  move_proxies(b, colliders, boxes, count);
  AspError error = b->moved_count > 0 ? find_fresh(b, colliders) : ASP_OK;
  if (error == ASP_OK && b->moved_count > 0)
    error = merge_pairs(b);
  if (error != ASP_OK)
    b->count = 0; // half-done: the next update starts afresh
  return error;
}
