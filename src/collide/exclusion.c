/* Pairs of owners that never touch: a sorted list, searched by halving. Owners in no pair are found first, so that a
 * scene without exclusions pays nothing. */
#include "collide/broad.h"

#include <stdlib.h>

static uint64_t key_of(int a, int b) {
  uint32_t low = (uint32_t)(a < b ? a : b), high = (uint32_t)(a < b ? b : a);
  return (uint64_t)low << 32 | high;
}

static int compare_keys(const void *x, const void *y) {
  uint64_t p = *(const uint64_t *)x, q = *(const uint64_t *)y;
  return (p > q) - (p < q);
}

static int compare_owners(const void *x, const void *y) {
  int p = *(const int *)x, q = *(const int *)y;
  return (p > q) - (p < q);
}

void asp_exclusions_free(AspContext *context, Exclusions *exclusions) {
  asp_release(context, exclusions->pair);
  asp_release(context, exclusions->owner);
  *exclusions = (Exclusions){0};
}

AspError asp_exclusions_set(AspContext *context, Exclusions *exclusions, const int (*owners)[2], int count) {
  asp_exclusions_free(context, exclusions);
  if (count == 0)
    return ASP_OK;
  exclusions->pair = asp_allocate(context, (size_t)count, sizeof *exclusions->pair);
  exclusions->owner = asp_allocate(context, 2 * (size_t)count, sizeof *exclusions->owner);
  if (!exclusions->pair || !exclusions->owner) {
    asp_exclusions_free(context, exclusions);
    return ASP_ERROR_MEMORY;
  }
  for (int i = 0; i < count; i++) {
    exclusions->pair[i] = key_of(owners[i][0], owners[i][1]);
    memcpy(&exclusions->owner[2 * i], owners[i], sizeof owners[i]);
  }
  qsort(exclusions->pair, (size_t)count, sizeof *exclusions->pair, compare_keys);
  qsort(exclusions->owner, 2 * (size_t)count, sizeof *exclusions->owner, compare_owners);
  exclusions->pairs = count;
  for (int i = 0; i < 2 * count; i++)
    if (exclusions->owners == 0 || exclusions->owner[exclusions->owners - 1] != exclusions->owner[i])
      exclusions->owner[exclusions->owners++] = exclusions->owner[i];
  return ASP_OK;
}

bool asp_exclusions_name(const Exclusions *exclusions, int owner) {
  return exclusions->owners > 0 && bsearch(&owner, exclusions->owner, (size_t)exclusions->owners,
                                           sizeof *exclusions->owner, compare_owners) != NULL;
}

bool asp_exclusions_have(const Exclusions *exclusions, int owner_a, int owner_b) {
  uint64_t key = key_of(owner_a, owner_b);
  return bsearch(&key, exclusions->pair, (size_t)exclusions->pairs, sizeof key, compare_keys) != NULL;
}
