/* Asperity batch: many worlds of one model, each with its own state and inputs, stepped by a team of threads.
 *
 *   asp_batch_create(context, model, &options, 1000, 8, &batch);
 *   asp_batch_set_inputs(batch, torque);        1000 x inputs
 *   asp_batch_step(batch, 1, &failed);
 *   const double *q = asp_batch_q(batch);       1000 x asp_model_q_size
 *
 * Every world makes the same steps, bit for bit, as a world of its own (asp_world_create, asp_world_step), at any
 * number of threads.
 *
 * Memory. Of a world the batch keeps what the next step depends on and what is recorded of the last one, as
 * asp_world_save does (a humanoid with 22 bodies and 8 contacts: 38 kB), and up to as much again as room to grow. The
 * room in which steps are computed, some MB, is there once per thread. asp_batch_memory tells both. After some steps
 * nothing is allocated, unless a world has more contacts than any before, or the option `watch` is set.
 *
 * Threads and ownership: base.h. A batch belongs to the thread of its context; the threads of the team work during
 * calls of asp_batch_step alone. Memory is asked of the context's allocator by one thread at a time. The model is
 * borrowed.
 */
#ifndef ASPERITY_BATCH_H
#define ASPERITY_BATCH_H

#include "asperity/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AspBatch AspBatch;

/* All worlds start at the model's initial state. worlds and threads: 1 or more; the option `threads` is not used.
 * [one thread, yours: asp_batch_destroy, keeps model] */
ASP_API AspError asp_batch_create(AspContext *context, const AspModel *model, const AspRunOptions *options, int worlds,
                                  int threads, AspBatch **batch);
ASP_API void asp_batch_destroy(AspBatch *batch);          /* [one thread, ends it] */
ASP_API int asp_batch_world_count(const AspBatch *batch); /* [many readers] */

/* `steps` steps of every world. A world in which a step ends with an error stays as it was before the call, keeps error
 * and message (asp_batch_error), and is left out until it is set or restored; the others go on. *failed: how many such
 * worlds there are now; may be NULL. The context's stop callback is asked once, before the first step. [one thread] */
ASP_API AspError asp_batch_step(AspBatch *batch, int steps, int *failed);
/* ASP_OK: the world is stepped. [one thread] */
ASP_API AspError asp_batch_error(const AspBatch *batch, int world);
/* "" without an error. [many readers, lent] */
ASP_API const char *asp_batch_message(const AspBatch *batch, int world);

/* ---- reading, world after world ---- */

/* What the last step of each did; all zero before the first. [many readers, lent] */
ASP_API const AspStepInfo *asp_batch_infos(const AspBatch *batch);
ASP_API const double *asp_batch_t(const AspBatch *batch); /* s [many readers, lent] */
/* worlds x asp_model_q_size [many readers, lent] */
ASP_API const double *asp_batch_q(const AspBatch *batch);
/* worlds x asp_model_v_size [many readers, lent] */
ASP_API const double *asp_batch_v(const AspBatch *batch);

typedef struct AspBatchMemory {
  size_t largest_world; /* bytes of the world that needs most */
  size_t worlds;        /* bytes of all worlds together */
  size_t workspaces;    /* bytes of the threads' room, and of the lists of the batch */
} AspBatchMemory;
ASP_API AspBatchMemory asp_batch_memory(const AspBatch *batch); /* [many readers] */

/* ---- setting ---- */

/* Inputs of the model from the next step on: worlds x asp_model_input_count values, as asp_world_set_input for each.
 * Those of sensors, which follow the state, are not read. Numbers that are not finite are refused by name, and nothing
 * is set. [one thread] */
ASP_API AspError asp_batch_set_inputs(AspBatch *batch, const double *values);
/* The same for one world: asp_model_input_count values. [one thread] */
ASP_API AspError asp_batch_set_world_inputs(AspBatch *batch, int world, const double *values);
/* A world's positions and velocities at its time, as asp_world_set_state: q of asp_model_q_size, v of asp_model_v_size,
 * NULL keeps what is there. Clears its error. [one thread] */
ASP_API AspError asp_batch_set_state(AspBatch *batch, int world, const double *q, const double *v);

/* Anything else that can be done with a world between two steps: `use` gets it as an AspWorld, which is lent for the
 * call; bodies, joints and wrenches can be set, contacts and warnings read, but it must not be stepped or destroyed.
 * What it returns is returned; other than ASP_OK, the world stays as it was. Clears its error. [one thread] */
ASP_API AspError asp_batch_use(AspBatch *batch, int world, AspError (*use)(void *user, AspWorld *world), void *user);

/* A world in the form of asp_world_save, which a world of the same model and options restores. [one thread] */
ASP_API AspError asp_batch_save(AspBatch *batch, int world, void *bytes, size_t room, size_t *size);
/* A world of the batch becomes a saved one (asp_world_restore); clears its error. [one thread] */
ASP_API AspError asp_batch_restore(AspBatch *batch, int world, const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
