/* Broad phase: which bounding boxes overlap, kept up to date from call to call. */
#ifndef ASP_COLLIDE_BROAD_H
#define ASP_COLLIDE_BROAD_H

#include "base/base.h"
#include "collide/tuning/collide.h"

/* Bounding box of a collider and what filters its pairs: one cache line. */
typedef struct Bound {
  double low[3], high[3]; /* low > high: takes no part (unbounded shapes) */
  int owner;
  uint32_t group, mask;
  bool immobile;
  bool selective; /* its owner is in a pair of the exclusions */
} Bound;

static inline bool bounds_overlap(const Bound *a, const Bound *b) {
  return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] && b->low[1] <= a->high[1] &&
         a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

/* Pairs of owners that never touch: (low << 32 | high), ascending, and all owners in them, ascending, each once. */
typedef struct Exclusions {
  uint64_t *pair;
  int *owner;
  int pairs, owners;
} Exclusions;

/* exclusion.c */
AspError asp_exclusions_set(AspContext *context, Exclusions *exclusions, const int (*owners)[2], int count);
void asp_exclusions_free(AspContext *context, Exclusions *exclusions);
bool asp_exclusions_name(const Exclusions *exclusions, int owner); /* the owner is in a pair */
bool asp_exclusions_have(const Exclusions *exclusions, int owner_a, int owner_b);

/* Owners, immobility, groups and masks, exclusions. */
static inline bool bounds_may_meet(const Exclusions *exclusions, const Bound *a, const Bound *b) {
  return a->owner != b->owner && !(a->immobile && b->immobile) && (a->group & b->mask) && (b->group & a->mask) &&
         !(a->selective && b->selective && asp_exclusions_have(exclusions, a->owner, b->owner));
}

/* What a search reads of a box: small, so that many fit a cache line. */
typedef struct Proxy {
  float low[3], high[3]; /* box with slack, rounded outward: as long as the true box is inside, nothing changes */
  int32_t cell[3];       /* grid cell of its middle */
  int16_t level;         /* -1: not in the grid */
  bool moved;            /* changed in this update */
  int next, previous;    /* in the bucket; next -1: end; previous < 0: head of bucket -1 - previous */
  int collider;          /* whose box */
} Proxy;

/* What decides whether a collider's proxy still holds, in the order of the colliders. */
typedef struct KeptBox {
  float low[3], high[3]; /* as in the proxy, */
  int32_t cell[3];
  int16_t level;
  float shrunk; /* a box with sides below this belongs to a finer level */
  int owner;
  uint32_t group, mask;
  bool immobile, present; /* present: in the grid */
} KeptBox;

typedef struct BroadPart {
  int next, end; /* of the moved */
  uint64_t *pairs;
  size_t capacity, count;
  char apart[64]; /* from the next one's cache line */
} BroadPart;

/* Pairs are numbers (a << 32 | b) with a < b, ascending. */
typedef struct Broad {
  AspContext *context;
  Exclusions exclusions;
  Proxy *proxies; /* in the order of a space-filling curve through the boxes of the first update */
  int *proxy_of;  /* collider -> proxy */
  KeptBox *kept;  /* by collider */
  bool *changed;  /* by collider: in this update */
  int *buckets;
  int *moved; /* proxies that changed in this update */
  uint64_t *pairs, *fresh, *scratch;
  size_t proxy_capacity, kept_capacity, changed_capacity, proxy_of_capacity, bucket_capacity, moved_capacity,
      pair_capacity, fresh_capacity, scratch_capacity;
  int count, moved_count;
  bool fresh_start;    /* every collider is new */
  size_t bucket_count; /* a power of two, or 0 */
  size_t pair_count, fresh_count;
  BroadPart part[BROAD_PARTS_MAX];
  int population[BROAD_LEVEL_COUNT]; /* proxies on each level */
  int unmoved[BROAD_LEVEL_COUNT];    /* of them unchanged in this update */
  int active[BROAD_LEVEL_COUNT];     /* levels with proxies, ascending */
  int active_count;
  double cell_size[BROAD_LEVEL_COUNT]; /* 2^((level - LEVEL_ZERO)/2) */
} Broad;

void asp_broad_free(Broad *broad);
/* Memory for searches that are divided into this many parts. */
AspError asp_broad_reserve(Broad *broad, int colliders, size_t pairs, int parts);
/* One bound per collider. After it broad->pairs has every pair of overlapping boxes that the filters allow, and some
 * that do not overlap quite. */
AspError asp_broad_update(Broad *broad, const Bound *bounds, int count);

/* Ascending, by bytes; scratch has room for count. */
void asp_sort_keys(uint64_t *keys, uint64_t *scratch, size_t count);

#endif
