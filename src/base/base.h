/* What the layers above use of base beyond the public header: failing with a message, memory, arena, log, hash.
 * Depends on nothing.
 */
#ifndef ASP_BASE_INTERNAL_H
#define ASP_BASE_INTERNAL_H

#include "asperity/base.h"

#include <string.h>

#if defined(__GNUC__)
#define ASP_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define ASP_PRINTF(format_index, first)
#endif

/* The name of an enum's value from a table by value. */
#define ASP_NAME_OF(names, value) ((size_t)(value) < sizeof(names) / sizeof *(names) ? (names)[value] : "unknown")

/* Return the error to the caller at once. For functions that hold nothing to release. */
#define ASP_TRY(expression)                                                                                            \
  do {                                                                                                                 \
    AspError asp_try_error_ = (expression);                                                                            \
    if (asp_try_error_ != ASP_OK)                                                                                      \
      return asp_try_error_;                                                                                           \
  } while (0)

/* Jump to the one clean-up exit: needs `AspError error` and a label `done`. */
#define ASP_CHECK(expression)                                                                                          \
  do {                                                                                                                 \
    error = (expression);                                                                                              \
    if (error != ASP_OK)                                                                                               \
      goto done;                                                                                                       \
  } while (0)

/* Does the text begin with a control character (C0, DEL, or C1 in UTF-8)? Terminals take these as commands. */
bool asp_is_control(const char *text);
/* Record the message, control characters but line ends and tabs as '?', and return the code. */
AspError asp_fail(AspContext *context, AspError code, const char *format, ...) ASP_PRINTF(3, 4);
/* Put text in front of the message of the failure that is being passed on ("scene.json: " + message). */
void asp_fail_prefix(AspContext *context, const char *format, ...) ASP_PRINTF(2, 3);

void asp_log(AspContext *context, AspLogLevel level, const char *format, ...) ASP_PRINTF(3, 4);

/* A context for another thread that works for the same caller: its memory comes from `parent`, counts there, and is
 * given back to it. Until it is destroyed, the parent is used between asp_context_lock and asp_context_unlock only.
 * NULL: out of memory. */
AspContext *asp_context_create_part(AspContext *parent);
void asp_context_lock(AspContext *context);
void asp_context_unlock(AspContext *context);

/* Memory that outlives a step. NULL when out of memory, with the failure recorded. Zeroed. Overflow-safe. */
void *asp_allocate(AspContext *context, size_t count, size_t size);
/* The same, not zeroed: for large blocks that are written before they are read. */
void *asp_allocate_uncleared(AspContext *context, size_t count, size_t size);
/* Grow an array to hold at least `needed` elements, doubling *capacity; new elements are zeroed. `array` is the address
 * of the pointer to its first element, which may be NULL. Use the macro: array and capacity are the variables
 * themselves. */
AspError asp_grow(AspContext *context, void *array, size_t *capacity, size_t needed, size_t size);
#define ASP_GROW(context, array, capacity, needed)                                                                     \
  asp_grow((context), &(array), &(capacity), (size_t)(needed), sizeof *(array))
void asp_release(AspContext *context, void *block);
char *asp_copy_text(AspContext *context, const char *text);

/* Arena: scratch memory for one step or one solve. Blocks are kept over a reset and merged into one, so that after the
 * first few steps of equal size no call reaches the allocator any more. */
typedef struct AspArenaBlock AspArenaBlock;
typedef struct AspArena {
  AspContext *context;
  AspArenaBlock *newest;
  size_t used;       /* bytes used in the newest block */
  size_t total;      /* bytes handed out since the last reset */
  size_t high_water; /* largest total so far */
} AspArena;

void asp_arena_init(AspArena *arena, AspContext *context);
void asp_arena_free(AspArena *arena);
/* 64-byte aligned, zeroed; NULL when out of memory, with the failure recorded. */
void *asp_arena_take(AspArena *arena, size_t count, size_t size);
/* Forget everything taken; keeps the memory, as one block as large as the high-water mark. */
void asp_arena_reset(AspArena *arena);
/* Make room so that the next `bytes` taken need no allocation. */
AspError asp_arena_reserve(AspArena *arena, size_t bytes);

/* A mark to return to: what was taken since is forgotten (kept memory stays). */
typedef struct AspArenaMark {
  AspArenaBlock *block;
  size_t used, total;
} AspArenaMark;
AspArenaMark asp_arena_mark(const AspArena *arena);
void asp_arena_rewind(AspArena *arena, AspArenaMark mark);

/* The same without zeros, for large arrays that are filled at once. */
void *asp_arena_take_uncleared(AspArena *arena, size_t count, size_t size);

#define ASP_TAKE(arena, type, count) ((type *)asp_arena_take((arena), (size_t)(count), sizeof(type)))
#define ASP_TAKE_UNCLEARED(arena, type, count)                                                                         \
  ((type *)asp_arena_take_uncleared((arena), (size_t)(count), sizeof(type)))

/* Stable 64-bit hash (FNV-1a over bytes); start with ASP_HASH_START and chain. Equal on every machine of equal
 * endianness. */
#define ASP_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t asp_hash_bytes(uint64_t hash, const void *bytes, size_t count);
/* The same for one word at once: faster, but only for hashes that are compared within one run. */
static inline uint64_t asp_hash_word(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

/* Seconds on a monotonic clock. */
double asp_clock_seconds(void);
/* The callback of asp_context_set_stop, for calls that set another one for a while. */
typedef struct AspStop {
  bool (*ask)(void *user); /* may be NULL */
  void *user;
} AspStop;
AspStop asp_context_stop(const AspContext *context);
/* The ranks that share the work of this context; NULL: it works alone. */
const AspRanks *asp_ranks(const AspContext *context);
/* Has the caller asked to stop? The context may be NULL. */
bool asp_stop_is_asked(AspContext *context);
/* The same, or the deadline on that clock has passed (0 or INFINITY: there is none), or the effort is spent
 * (effort.h). */
bool asp_is_late(AspContext *context, double deadline);

/* Small deterministic generator (splitmix64) for tests, generators and randomised starts. */
typedef struct AspRandom {
  uint64_t state;
} AspRandom;
uint64_t asp_random_bits(AspRandom *random);
double asp_random_uniform(AspRandom *random, double low, double high); /* in [low, high) */
double asp_random_normal(AspRandom *random);                           /* mean 0, variance 1 */

#endif
