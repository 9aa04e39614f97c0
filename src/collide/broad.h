/* Broad phase: which bounding boxes overlap, kept up to date from call to call. */
#ifndef ASP_COLLIDE_BROAD_H
#define ASP_COLLIDE_BROAD_H

#include "asperity/collide.h"
#include "base/base.h"

typedef struct Box {
  double low[3], high[3];
} Box;

static inline bool boxes_overlap(const Box *a, const Box *b) {
  return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] && b->low[1] <= a->high[1] &&
         a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

typedef struct Proxy {
  Box fat;            /* box with slack: as long as the true box is inside, nothing changes */
  int64_t cell[3];    /* grid cell of its middle */
  int level;          /* cell size 2^(level - LEVEL_ZERO) >= the fat box */
  int next, previous; /* in the bucket; -1: end; previous < -1: head of bucket -2 - previous */
  bool in_grid, moved;
  int owner;
  bool immobile;
  uint32_t group, mask;
} Proxy;

#define LEVEL_COUNT 256

/* Pairs are numbers (a << 32 | b) with a < b, ascending. */
typedef struct Broad {
  AspContext *context;
  Proxy *proxies;
  int *buckets;
  int *moved; /* proxies that changed in this update */
  uint64_t *pairs, *fresh, *scratch;
  size_t proxy_capacity, bucket_capacity, moved_capacity, pair_capacity, fresh_capacity, scratch_capacity;
  int count, moved_count;
  size_t bucket_count; /* a power of two, or 0 */
  size_t pair_count, fresh_count;
  int population[LEVEL_COUNT]; /* proxies on each level */
  int unmoved[LEVEL_COUNT];    /* of them unchanged in this update */
} Broad;

void asp_broad_free(Broad *broad);
AspError asp_broad_reserve(Broad *broad, int colliders, size_t pairs);
/* boxes: one per collider; low > high marks a collider that takes no part (unbounded shapes). After it broad->pairs has
 * every pair of overlapping boxes that the filters allow, and some that do not overlap quite. */
AspError asp_broad_update(Broad *broad, const AspCollider *colliders, const Box *boxes, int count);

/* Owners, immobility, groups and masks. */
static inline bool asp_filter_allows(const AspCollider *a, const AspCollider *b) {
  return a->owner != b->owner && !(a->immobile && b->immobile) && (a->group & b->mask) && (b->group & a->mask);
}

/* Ascending, by bytes; scratch has room for count. */
void asp_sort_keys(uint64_t *keys, uint64_t *scratch, size_t count);

#endif
