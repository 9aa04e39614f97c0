/* Context: allocator with counts, last error message, log callback. The allocator hook gets every block with a small
 * header in front that keeps its size, so that the memory in use can be counted. */
// exact: version of POSIX
#define _POSIX_C_SOURCE 200809L
#include "base/base.h"
#include "base/effort.h"
#include "base/elementary.h"
#include "base/file_mark.h"
#include "base/thread_team.h"
#include "base/tuning/base.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CONTEXT_COOKIE UINT32_C(0x41535043)

struct AspContext {
  AspContextOptions options;
  uint64_t allocation_count;
  size_t in_use, peak;
  AspThreadTeam *team; /* while asp_team_run runs */
  bool (*stop)(void *user);
  void *stop_user;
  bool stopped; /* the stop callback has asked for it */
  AspEffort effort;
  AspFileMark checked;
  const AspRanks *ranks; /* that share the work; NULL: none */
  atomic_flag locked;    /* by a thread that works with a part of it */
  char message[1024];
};

static void *default_reallocate(void *user, void *block, size_t bytes) {
  (void)user;
  if (bytes == 0) {
    free(block);
    return NULL;
  }
  return realloc(block, bytes);
}

AspContextOptions asp_context_default_options(void) {
  AspContextOptions options = {.cookie = CONTEXT_COOKIE, .reallocate = default_reallocate};
  return options;
}

AspContext *asp_context_create(const AspContextOptions *options) {
  AspContextOptions chosen = options ? *options : asp_context_default_options();
  if (chosen.cookie != CONTEXT_COOKIE || !chosen.reallocate)
    return NULL;
  AspContext *context = chosen.reallocate(chosen.allocate_user, NULL, sizeof *context);
  if (!context)
    return NULL;
  memset(context, 0, sizeof *context);
  context->options = chosen;
  atomic_flag_clear(&context->locked);
  return context;
}

void asp_context_destroy(AspContext *context) {
  if (context)
    context->options.reallocate(context->options.allocate_user, context, 0);
}

void asp_context_set_stop(AspContext *context, bool (*stop)(void *user), void *user) {
  context->stop = stop;
  context->stop_user = user;
  context->stopped = false;
}

void asp_context_set_ranks(AspContext *context, const AspRanks *ranks) {
  context->ranks = ranks && ranks->ranks > 1 ? ranks : NULL;
}

const AspRanks *asp_ranks(const AspContext *context) { return context->ranks; }

AspStop asp_context_stop(const AspContext *context) { return (AspStop){context->stop, context->stop_user}; }

bool asp_stop_is_asked(AspContext *context) {
  if (!context)
    return false;
  context->stopped = context->stopped || (context->stop && context->stop(context->stop_user));
  return context->stopped;
}

bool asp_is_late(AspContext *context, double deadline) {
  return asp_stop_is_asked(context) || (deadline > 0 && asp_clock_seconds() > deadline) ||
         (context && asp_effort_is_spent(&context->effort));
}

AspEffort *asp_effort(AspContext *context) { return &context->effort; }

void asp_effort_begin(AspEffort *effort, double limit) {
  *effort = (AspEffort){.end = limit, .weight = 1, .least = (1 - EFFORT_LITTLE) * limit};
}

void asp_effort_narrow(AspEffort *effort, double share, double weight) {
  double allowed = share * fmax(effort->end - effort->done, 0);
  effort->weight = weight;
  if (!(effort->end > 0))
    return;
  effort->end = effort->done + allowed;
  effort->least = effort->done + (1 - EFFORT_LITTLE) * allowed;
}

void asp_effort_restore(AspEffort *effort, const AspEffort *before) {
  double done = effort->done;
  *effort = *before;
  effort->done = done;
}

AspThreadTeam **asp_context_team(AspContext *context) { return &context->team; }

const char *asp_context_message(const AspContext *context) { return context ? context->message : ""; }
uint64_t asp_context_allocation_count(const AspContext *context) { return context->allocation_count; }
AspFileMark *asp_context_checked(AspContext *context) { return &context->checked; }

size_t asp_context_memory_in_use(const AspContext *context) { return context->in_use; }
size_t asp_context_memory_peak(const AspContext *context) { return context->peak; }
#define TEXT(number)                #number
#define DOTTED(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

const char *asp_version(void) { return DOTTED(ASP_VERSION_MAJOR, ASP_VERSION_MINOR, ASP_VERSION_PATCH); }

// exact: digits of the version number
bool asp_version_fits(int number) { return number / 100 == ASP_VERSION_NUMBER / 100; }

const char *asp_log_level_name(AspLogLevel level) {
  static const char *const names[] = {"debug", "info", "warning"};
  return ASP_NAME_OF(names, level);
}

int asp_error_exit_code(AspError error) {
  switch (error) {
  case ASP_OK:
    return 0;
  case ASP_ERROR_IMPOSSIBLE:
    return 1;
  case ASP_ERROR_ARGUMENT:
  case ASP_ERROR_INPUT:
  case ASP_ERROR_FILE:
  case ASP_ERROR_UNSUPPORTED:
  case ASP_ERROR_VALUE:
    return 2;
  default:
    return 3;
  }
}

const char *asp_error_name(AspError error) {
  static const char *const texts[ASP_ERROR_COUNT] = {
#define ASP_ERROR_TEXT(code, text) text,
      ASP_ERROR_LIST(ASP_ERROR_TEXT)
#undef ASP_ERROR_TEXT
  };
  return error >= 0 && error < ASP_ERROR_COUNT ? texts[error] : "unknown error";
}

bool asp_is_control(const char *text) {
  const unsigned char *c = (const unsigned char *)text;
  return (c[0] != 0 && c[0] < 0x20) || c[0] == 0x7F || (c[0] == 0xC2 && c[1] >= 0x80 && c[1] <= 0x9F);
}

/* Messages quote names, keys and paths of unknown origin: terminals must not take them as commands. */
static void blank_controls(char *text) {
  for (char *c = text; *c; c++)
    if (asp_is_control(c) && *c != '\n' && *c != '\t') {
      if ((unsigned char)*c == 0xC2)
        *c++ = '?';
      *c = '?';
    }
}

AspError asp_fail(AspContext *context, AspError code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(context->message, sizeof context->message, format, arguments);
  va_end(arguments);
  blank_controls(context->message);
  return code;
}

void asp_fail_prefix(AspContext *context, const char *format, ...) {
  char prefix[512], old[sizeof context->message];
  memcpy(old, context->message, sizeof old);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(prefix, sizeof prefix, format, arguments);
  va_end(arguments);
  blank_controls(prefix);
  int length = snprintf(context->message, sizeof context->message, "%s", prefix);
  if (length >= 0 && (size_t)length < sizeof context->message)
    snprintf(context->message + length, sizeof context->message - (size_t)length, "%s", old);
}

void asp_log(AspContext *context, AspLogLevel level, const char *format, ...) {
  if (!context->options.log)
    return;
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  context->options.log(context->options.log_user, level, text);
}

/* One place through which every block goes: resize (block may be NULL) or free (bytes = 0). */
static void *resize(AspContext *context, void *block, size_t bytes) {
  unsigned char *raw = block ? (unsigned char *)block - CONTEXT_HEADER_BYTES : NULL;
  size_t old_bytes = 0;
  if (raw)
    memcpy(&old_bytes, raw, sizeof old_bytes);
  if (bytes == 0) {
    if (raw)
      context->options.reallocate(context->options.allocate_user, raw, 0);
    context->in_use -= old_bytes;
    return NULL;
  }
  if (bytes > SIZE_MAX - CONTEXT_HEADER_BYTES)
    return NULL;
  raw = context->options.reallocate(context->options.allocate_user, raw, bytes + CONTEXT_HEADER_BYTES);
  context->allocation_count++;
  if (!raw)
    return NULL;
  memcpy(raw, &bytes, sizeof bytes);
  context->in_use += bytes - old_bytes;
  if (context->in_use > context->peak)
    context->peak = context->in_use;
  return raw + CONTEXT_HEADER_BYTES;
}

void *asp_allocate_uncleared(AspContext *context, size_t count, size_t size) {
  size_t bytes = count ? count : 1;
  if (size && bytes > SIZE_MAX / size) {
    asp_fail(context, ASP_ERROR_MEMORY, "out of memory: %zu elements of %zu bytes", count, size);
    return NULL;
  }
  bytes *= size ? size : 1;
  void *block = resize(context, NULL, bytes);
  if (!block)
    asp_fail(context, ASP_ERROR_MEMORY, "out of memory: %zu bytes", bytes);
  return block;
}

void *asp_allocate(AspContext *context, size_t count, size_t size) {
  void *block = asp_allocate_uncleared(context, count, size);
  if (block)
    memset(block, 0, (count ? count : 1) * (size ? size : 1));
  return block;
}

AspError asp_grow(AspContext *context, void *array, size_t *capacity, size_t needed, size_t size) {
  if (needed <= *capacity)
    return ASP_OK;
  size_t grown = *capacity > SIZE_MAX / 2 ? needed : 2 * *capacity;
  if (grown < needed)
    grown = needed;
  if (grown < CONTEXT_FIRST_CAPACITY)
    grown = CONTEXT_FIRST_CAPACITY;
  void *block; // copied as bytes: the caller's pointer has a type of its own
  memcpy(&block, array, sizeof block);
  void *larger = grown > SIZE_MAX / size ? NULL : resize(context, block, grown * size);
  if (!larger)
    return asp_fail(context, ASP_ERROR_MEMORY, "out of memory: %zu elements of %zu bytes", grown, size);
  memset((unsigned char *)larger + *capacity * size, 0, (grown - *capacity) * size);
  memcpy(array, &larger, sizeof larger);
  *capacity = grown;
  return ASP_OK;
}

void asp_context_lock(AspContext *context) {
  while (atomic_flag_test_and_set_explicit(&context->locked, memory_order_acquire))
    sched_yield();
}

void asp_context_unlock(AspContext *context) { atomic_flag_clear_explicit(&context->locked, memory_order_release); }

static void *take_from_parent(void *user, void *block, size_t bytes) {
  AspContext *parent = user;
  asp_context_lock(parent);
  void *resized = resize(parent, block, bytes);
  asp_context_unlock(parent);
  return resized;
}

AspContext *asp_context_create_part(AspContext *parent) {
  AspContextOptions options = asp_context_default_options();
  options.reallocate = take_from_parent;
  options.allocate_user = parent;
  return asp_context_create(&options);
}

void asp_release(AspContext *context, void *block) {
  if (block)
    resize(context, block, 0);
}

char *asp_copy_text(AspContext *context, const char *text) {
  size_t bytes = strlen(text) + 1;
  char *copy = asp_allocate(context, bytes, 1);
  if (copy)
    memcpy(copy, text, bytes);
  return copy;
}

uint64_t asp_hash_bytes(uint64_t hash, const void *bytes, size_t count) {
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < count; i++)
    hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
  return hash;
}

double asp_clock_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  // exact: ns to s
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

uint64_t asp_random_bits(AspRandom *random) {
  uint64_t z = (random->state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

double asp_random_uniform(AspRandom *random, double low, double high) {
  // exact: 2^-53, digits of a double
  return low + (high - low) * (double)(asp_random_bits(random) >> 11) * 0x1p-53;
}

double asp_random_normal(AspRandom *random) {
  // exact: 2^-53, digits of a double
  double radius = sqrt(-2 * asp_ln(asp_random_uniform(random, 0x1p-53, 1)));
  // exact: 2 pi
  return radius * asp_cos(6.283185307179586 * asp_random_uniform(random, 0, 1));
}
