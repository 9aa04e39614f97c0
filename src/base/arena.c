/* Arena: a chain of blocks, newest first; a reset merges the chain into one block of the high-water size. */
#define _DEFAULT_SOURCE /* madvise */
#include "base/base.h"
#include "base/tuning/base.h"

#ifndef __wasm__
#ifndef _WIN32
#include <sys/mman.h>
#endif
#endif

#define HUGE_PAGE ((uintptr_t)2 << 20)

struct AspArenaBlock {
  AspArenaBlock *older;
  size_t bytes; /* usable, from the aligned start */
  unsigned char *start;
};

static size_t round_up(size_t bytes) { return (bytes + ARENA_ALIGNMENT - 1) & ~(ARENA_ALIGNMENT - 1); }

void asp_arena_init(AspArena *arena, AspContext *context) {
  memset(arena, 0, sizeof *arena);
  arena->context = context;
}

void asp_arena_free(AspArena *arena) {
  while (arena->newest) {
    AspArenaBlock *older = arena->newest->older;
    asp_release(arena->context, arena->newest);
    arena->newest = older;
  }
  arena->used = arena->total = 0;
}

/* Ask for huge pages for large blocks, where the system has them: fewer page-table walks when a large problem is read.
 * Only a hint; the ends of a block stay on small pages. */
static void prefer_huge_pages(const AspArenaBlock *block) {
#ifdef MADV_HUGEPAGE
  uintptr_t from = ((uintptr_t)block->start + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  uintptr_t end = ((uintptr_t)block->start + block->bytes) / HUGE_PAGE * HUGE_PAGE;
  if (end > from)
    madvise((void *)from, end - from, MADV_HUGEPAGE); // NOLINT(performance-no-int-to-ptr)
#else
  (void)block;
#endif
}

static AspError add_block(AspArena *arena, size_t bytes) {
  if (bytes > SIZE_MAX / 2)
    return asp_fail(arena->context, ASP_ERROR_MEMORY, "out of memory: %zu bytes of scratch", bytes);
  AspArenaBlock *block = asp_allocate_uncleared(arena->context, 1, sizeof *block + bytes + ARENA_ALIGNMENT);
  if (!block)
    return ASP_ERROR_MEMORY;
  block->older = arena->newest;
  block->bytes = bytes;
  block->start = (unsigned char *)(((uintptr_t)(block + 1) + ARENA_ALIGNMENT - 1) & ~(uintptr_t)(ARENA_ALIGNMENT - 1));
  prefer_huge_pages(block);
  arena->newest = block;
  arena->used = 0;
  return ASP_OK;
}

/* Bytes of a block that is added to those there are: twice the newest one, of a large arena a quarter of all, so that
 * few bytes too many do not cost as much again as there is. */
static size_t next_size(const AspArena *arena) {
  size_t all = 0;
  for (const AspArenaBlock *block = arena->newest; block; block = block->older)
    all += block->bytes;
  if (all == 0)
    return ARENA_FIRST_BLOCK;
  return all < ARENA_LARGE ? 2 * arena->newest->bytes : all / 4;
}

void *asp_arena_take_uncleared(AspArena *arena, size_t count, size_t size) {
  if (size && count > (SIZE_MAX / 4) / size) {
    asp_fail(arena->context, ASP_ERROR_MEMORY, "out of memory: %zu elements of %zu bytes", count, size);
    return NULL;
  }
  size_t bytes = count * size;
  bytes = round_up(bytes ? bytes : 1);
  if (!arena->newest || bytes > arena->newest->bytes - arena->used) {
    size_t fresh = next_size(arena);
    if (add_block(arena, fresh > bytes ? fresh : bytes) != ASP_OK)
      return NULL;
  }
  void *start = arena->newest->start + arena->used;
  arena->used += bytes;
  arena->total += bytes;
  if (arena->total > arena->high_water)
    arena->high_water = arena->total;
  return start;
}

void *asp_arena_take(AspArena *arena, size_t count, size_t size) {
  void *start = asp_arena_take_uncleared(arena, count, size);
  if (start)
    memset(start, 0, count * size);
  return start;
}

void asp_arena_reset(AspArena *arena) {
  if (arena->newest && arena->newest->older) {
    asp_arena_free(arena);
    // one block as large as everything taken since the last reset; if this fails the next take tries again
    add_block(arena, round_up(arena->high_water + arena->high_water / 4));
  }
  arena->used = arena->total = 0;
}

AspError asp_arena_reserve(AspArena *arena, size_t bytes) {
  if (arena->newest && arena->newest->bytes - arena->used >= bytes)
    return ASP_OK;
  return add_block(arena, round_up(bytes));
}

AspArenaMark asp_arena_mark(const AspArena *arena) { return (AspArenaMark){arena->newest, arena->used, arena->total}; }

void asp_arena_rewind(AspArena *arena, AspArenaMark mark) {
  // a block added since the mark stays in use: nothing below it is handed out again before the reset
  if (arena->newest == mark.block)
    arena->used = mark.used;
  else
    arena->used = 0;
  arena->total = mark.total;
}
