/* A context whose k-th allocation fails, once or from then on: to prove that every failure is clean. */
#ifndef ASP_FAILING_ALLOCATOR_H
#define ASP_FAILING_ALLOCATOR_H

#include "testing.h"

typedef struct FailingAllocator {
  long until_failure; /* successful allocations left; negative: never fails */
  long live;          /* blocks not yet freed */
} FailingAllocator;

static inline void *failing_reallocate(void *user, void *block, size_t bytes) {
  FailingAllocator *failing = user;
  if (bytes == 0) {
    failing->live -= block != NULL;
    free(block);
    return NULL;
  }
  if (failing->until_failure == 0)
    return NULL;
  if (failing->until_failure > 0)
    failing->until_failure--;
  failing->live += block == NULL;
  return realloc(block, bytes);
}

static inline AspContext *failing_context(FailingAllocator *failing) {
  AspContextOptions options = asp_context_default_options();
  options.reallocate = failing_reallocate;
  options.allocate_user = failing;
  failing->until_failure = -1;
  failing->live = 0;
  return asp_context_create(&options);
}

#endif
