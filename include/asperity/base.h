/* Asperity base: context, errors, memory, log.
 *
 * Everything hangs on an AspContext; there are no globals. A context is used by one thread at a time; different
 * contexts are independent. Functions that can fail return an AspError and leave a message in the context that names
 * the thing, the value and what would be right. Numerical outcomes (solved, iteration limit, ...) are statuses, not
 * errors.
 *
 * Rules of all headers. The comment of every function ends with a mark in brackets: from which threads it may be
 * called, and what changes hands. The test source/header_contracts compares the marks with the declarations.
 *
 * Threads. A context, with everything created on it, is used by one thread at a time.
 *   [one thread]    the thread that uses the context: the call can fail, or changes an object
 *   [many readers]  any number of threads at the same time, while no call changes the objects: they are read, and only
 *                   results in the caller's own memory are written
 *   [any thread]    no object: the call works on its arguments alone; texts and tables that it returns are constant
 *
 * Ownership. Who creates, destroys. Without one of these words nothing changes hands: arguments are borrowed for the
 * call, results are values or go into the caller's memory.
 *   yours: asp_X_destroy  the result is the caller's, who ends it with this function
 *   lent                  the result belongs to the object asked, and is valid until that object is changed or
 *                         destroyed; what [any thread] lends is valid for ever
 *   keeps ARGUMENT        the argument is borrowed beyond the call: until the object is destroyed, or gets another one
 *   ends it               destroys its argument
 * Objects that remember their context have asp_X_destroy(x); plain data has asp_X_destroy(owner, &x) with the context
 * (or model) it was created on, which leaves it empty: all zero. Every destroy takes NULL, and plain data that is
 * empty.
 *
 * Structs. Options and definitions come from their default function, which sets `cookie`; without it the call is
 * refused with ASP_ERROR_ARGUMENT. Other plain data is zeroed before it is filled, and zero means "not used" for fields
 * that are added. Structs that calls fill (AspStepInfo, AspResidual, AspAnalysis, ...) have no field for their size:
 * the caller's compiler lays them out, so a program and the library must have the same major and minor version. The
 * shared libraries' names carry both, asp_version_fits tells at run time, and a new version needs no more than to
 * compile again.
 *
 * Arrays. An object's list is asp_X_items(x) with asp_X_item_count(x) entries; NULL may stand for an empty one. A call
 * that can fail (asp_collision_find) gives list and count through its last arguments.
 *
 * Enums. Every enum has asp_<enum>_name(value), "unknown..." for a value it does not have; never NULL.
 */
#ifndef ASPERITY_BASE_H
#define ASPERITY_BASE_H

#include "asperity/version.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Marks what the shared libraries export; all else in them is hidden. */
#if defined(__GNUC__)
#define ASP_API __attribute__((visibility("default")))
#else
#define ASP_API
#endif

/* code, short text */
#define ASP_ERROR_LIST(X)                                                                                              \
  X(ASP_OK, "no error")                                                                                                \
  X(ASP_ERROR_MEMORY, "out of memory")                                                                                 \
  X(ASP_ERROR_ARGUMENT, "invalid argument")                                                                            \
  X(ASP_ERROR_INPUT, "invalid input")                                                                                  \
  X(ASP_ERROR_FILE, "file cannot be read or written")                                                                  \
  X(ASP_ERROR_STORAGE, "no room to write, or the disk failed")                                                         \
  X(ASP_ERROR_UNSUPPORTED, "not supported")                                                                            \
  X(ASP_ERROR_DIVERGED, "motion beyond what numbers can hold")                                                         \
  X(ASP_ERROR_INTERRUPTED, "interrupted")                                                                              \
  X(ASP_ERROR_INTERNAL, "internal failure")                                                                            \
  X(ASP_ERROR_VALUE, "a value that the input gives as a function of time is not finite")                               \
  X(ASP_ERROR_IMPOSSIBLE, "a prescribed motion that nothing can give way to")

typedef enum AspError {
#define ASP_ERROR_ENUM(code, text) code,
  ASP_ERROR_LIST(ASP_ERROR_ENUM)
#undef ASP_ERROR_ENUM
      ASP_ERROR_COUNT
} AspError;

typedef enum AspLogLevel { ASP_LOG_DEBUG, ASP_LOG_INFO, ASP_LOG_WARNING } AspLogLevel;

typedef struct AspContext AspContext;

/* How a context gets memory and where its log goes. Take it from asp_context_default_options(). */
typedef struct AspContextOptions {
  uint32_t cookie;                                                 /* set by the default function */
  void *(*reallocate)(void *user, void *block, size_t bytes);      /* realloc's contract; bytes = 0 frees */
  void *allocate_user;                                             /* passed to reallocate */
  void (*log)(void *user, AspLogLevel level, const char *message); /* may be NULL: silent */
  void *log_user;                                                  /* passed to log */
} AspContextOptions;

ASP_API AspContextOptions asp_context_default_options(void); /* [any thread] */

/* NULL when out of memory or when options did not come from the default function; options may be NULL, and are copied.
 * The functions in the options are called by the thread that uses the context.
 * [any thread, yours: asp_context_destroy, keeps allocate_user and log_user] */
ASP_API AspContext *asp_context_create(const AspContextOptions *options);
/* After everything that was created on it. [one thread, ends it] */
ASP_API void asp_context_destroy(AspContext *context);

/* Set a callback that long calls make from time to time, in the thread of the call. When it returns true, the call ends
 * soon with ASP_ERROR_INTERRUPTED, and so do all later ones until the callback is set again. NULL: no callback. An
 * interrupted call leaves its objects as before, unless it says otherwise; the solver of a world keeps the finished
 * solves of the step as starts for the next ones, within the tolerance. [one thread, keeps user] */
ASP_API void asp_context_set_stop(AspContext *context, bool (*stop)(void *user), void *user);

/* Ranks: processes, or threads with a context each, that make the same calls on equal data. Large loops are divided
 * among them, and every rank gets what all have computed: the same bits as one of them alone would have. All data is on
 * every rank; what is shared is work. The callbacks are made by all ranks in the same order, and return when they are
 * done; an error ends the call that made them. */
typedef struct AspRanks {
  int ranks, rank; /* rank: from 0 */
  void *user;
  /* What the ranks have, behind each other in the order of ranks: `all` holds one's own part at its place, and all
   * parts on return. bytes: of each rank, `ranks` numbers. */
  AspError (*gather)(void *user, void *all, const size_t *bytes);
  /* Send to a rank and receive from another one; to, from < 0: nothing. */
  AspError (*swap)(void *user, int to, const void *out, size_t out_bytes, int from, void *in, size_t in_bytes);
} AspRanks;

/* Share the work of later calls on this context with other ranks; NULL: with none. Limits of wall clock time and a stop
 * callback would end calls on one rank alone: do not use them then. [one thread, keeps ranks] */
ASP_API void asp_context_set_ranks(AspContext *context, const AspRanks *ranks);

/* End the threads that parallel work of the calling thread left waiting for more; the next such work starts new ones.
 * Call it before fork(): threads do not live on in the child, which would wait for them for ever. [any thread] */
ASP_API void asp_threads_release(void);

/* Of `count` names the one that a mistyped word most likely means: few letters inserted, dropped, replaced or swapped,
 * or the word is its beginning. NULL: none is near. [any thread, lent] */
ASP_API const char *asp_nearest_name(const char *word, const char *const *names, int count);

/* The message of the last failure, never NULL; valid until the next call on this context. [many readers, lent] */
ASP_API const char *asp_context_message(const AspContext *context);
ASP_API const char *asp_log_level_name(AspLogLevel level); /* [any thread, lent] */
/* The exit code of a program that ends with it: 0 no error, 1 what was asked is impossible, 2 bad input or usage, 3
 * internal failure. [any thread] */
ASP_API int asp_error_exit_code(AspError error);
ASP_API const char *asp_error_name(AspError error); /* [any thread, lent] */

/* Number of calls that reached the context's allocator so far (growth and fresh blocks; frees do not count).
 * [many readers] */
ASP_API uint64_t asp_context_allocation_count(const AspContext *context);
/* Bytes requested from the allocator and not yet freed, and their maximum so far. [many readers] */
ASP_API size_t asp_context_memory_in_use(const AspContext *context);
ASP_API size_t asp_context_memory_peak(const AspContext *context); /* [many readers] */

/* Version of the library that runs, "major.minor.patch". [any thread, lent] */
ASP_API const char *asp_version(void);
/* Whether the library that runs serves a program compiled with headers of this version: the same major and (before 1.0)
 * minor version. Call it as asp_version_fits(ASP_VERSION_NUMBER). [any thread] */
ASP_API bool asp_version_fits(int number);

#ifdef __cplusplus
}
#endif
#endif
