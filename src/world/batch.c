/* Many worlds of one model (batch.h). A world is what the next step depends on: the bytes that its archive lists. Each
 * thread has one AspWorld, the engine, with all the room that a step needs. To step a world:
 *
 *   read its bytes into the engine, set inputs, step, write the bytes back
 *
 * Threads take the next world that no thread has. Engines differ in nothing that a step can see, so that it does not
 * matter which of them makes it. */
#include "asperity/batch.h"
#include "base/parallel.h"
#include "model/own_state.h"
#include "world/world_data.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>

typedef struct BatchWorld {
  WorldBytes saved; /* its archive; no bytes: as at the start */
  AspError error;
  bool inputs_set; /* they count from the next step on */
} BatchWorld;

typedef struct Engine {
  AspContext *context;
  AspWorld *world;
} Engine;

typedef struct BatchArrays {
  AspStepInfo *info;    /* worlds */
  double *t, *q, *v;    /* worlds; worlds x q; worlds x v */
  double *input;        /* worlds x inputs */
  char (*message)[256]; /* worlds */
} BatchArrays;

struct AspBatch {
  AspContext *context;
  const AspModel *model;
  int worlds, threads;
  Engine *engine;    /* threads */
  BatchWorld *world; /* worlds */
  BatchArrays array;
};

/* One call of asp_batch_step. */
typedef struct BatchJob {
  AspBatch *batch;
  int steps;
  atomic_int next; /* world that no thread has */
} BatchJob;

/* ---- a world goes into an engine and back ---- */

static AspError load(AspBatch *batch, Engine *engine, int world) {
  return asp_world_put_back(engine->world, false, &batch->world[world].saved);
}

static AspError keep(AspBatch *batch, Engine *engine, int world) {
  return asp_world_keep(engine->world, batch->context, false, &batch->world[world].saved);
}

static void show(AspBatch *batch, const Engine *engine, int world) {
  const AspState *state = asp_world_state(engine->world);
  size_t nq = (size_t)asp_model_q_size(batch->model), nv = (size_t)asp_model_v_size(batch->model);
  batch->array.t[world] = state->t;
  memcpy(batch->array.q + nq * (size_t)world, state->q, nq * sizeof(double));
  memcpy(batch->array.v + nv * (size_t)world, state->v, nv * sizeof(double));
}

static AspError give_inputs(AspBatch *batch, Engine *engine, int world) {
  int inputs = asp_model_input_count(batch->model);
  const double *value = batch->array.input + (size_t)inputs * (size_t)world;
  for (int i = 0; batch->world[world].inputs_set && i < inputs; i++)
    if (!asp_model_is_sensor(batch->model, i))
      ASP_TRY(asp_world_set_input(engine->world, i, value[i]));
  return ASP_OK;
}

/* What was kept stays until all has gone well. */
static AspError keep_changed(AspBatch *batch, Engine *engine, int world) {
  ASP_TRY(keep(batch, engine, world));
  batch->world[world].error = ASP_OK;
  batch->array.message[world][0] = '\0';
  show(batch, engine, world);
  return ASP_OK;
}

/* ---- steps ---- */

static AspError step_world(AspBatch *batch, Engine *engine, int world, int steps) {
  AspStepInfo info;
  ASP_TRY(load(batch, engine, world));
  ASP_TRY(give_inputs(batch, engine, world));
  for (int i = 0; i < steps; i++)
    ASP_TRY(asp_world_step(engine->world, &info));
  ASP_TRY(keep(batch, engine, world));
  batch->world[world].inputs_set = false;
  batch->array.info[world] = info;
  show(batch, engine, world);
  return ASP_OK;
}

static void step_some(void *data, int from, int end) {
  BatchJob *job = data;
  AspBatch *batch = job->batch;
  for (int i = from; i < end; i++) {
    Engine *engine = &batch->engine[i];
    for (int world; (world = atomic_fetch_add(&job->next, 1)) < batch->worlds;) {
      if (batch->world[world].error != ASP_OK)
        continue;
      batch->world[world].error = step_world(batch, engine, world, job->steps);
      if (batch->world[world].error != ASP_OK)
        snprintf(batch->array.message[world], sizeof *batch->array.message, "%s", asp_context_message(engine->context));
    }
  }
}

static void step_all(void *data) {
  BatchJob *job = data;
  asp_parallel_for(job->batch->context, job->batch->threads, 1, step_some, job);
}

AspError asp_batch_step(AspBatch *batch, int steps, int *failed) {
  if (failed)
    *failed = 0;
  if (steps < 1)
    return asp_fail(batch->context, ASP_ERROR_ARGUMENT, "steps: %d; it must be 1 or more", steps);
  if (asp_stop_is_asked(batch->context))
    return asp_fail(batch->context, ASP_ERROR_INTERRUPTED, "interrupted before the steps of the batch");
  BatchJob job = {.batch = batch, .steps = steps};
  asp_team_run(batch->context, batch->threads, step_all, &job);
  for (int i = 0; failed && i < batch->worlds; i++)
    *failed += batch->world[i].error != ASP_OK;
  return ASP_OK;
}

/* ---- life cycle ---- */

static AspError make_engine(AspBatch *batch, const AspRunOptions *options, Engine *engine) {
  AspRunOptions own = *options;
  own.threads = 1;
  engine->context = asp_context_create_part(batch->context);
  if (!engine->context)
    return asp_fail(batch->context, ASP_ERROR_MEMORY, "out of memory for a thread of the batch");
  AspError error = asp_world_create(engine->context, batch->model, &own, &engine->world);
  return error == ASP_OK ? ASP_OK : asp_fail(batch->context, error, "%s", asp_context_message(engine->context));
}

static AspError make_arrays(AspBatch *batch) {
  AspContext *context = batch->context;
  size_t n = (size_t)batch->worlds;
  BatchArrays *array = &batch->array;
  batch->world = asp_allocate(context, n, sizeof *batch->world);
  batch->engine = asp_allocate(context, (size_t)batch->threads, sizeof *batch->engine);
  array->info = asp_allocate(context, n, sizeof *array->info);
  array->t = asp_allocate(context, n, sizeof *array->t);
  array->q = asp_allocate(context, n * (size_t)asp_model_q_size(batch->model), sizeof *array->q);
  array->v = asp_allocate(context, n * (size_t)asp_model_v_size(batch->model), sizeof *array->v);
  array->input = asp_allocate(context, n * (size_t)asp_model_input_count(batch->model), sizeof *array->input);
  array->message = asp_allocate(context, n, sizeof *array->message);
  bool made = batch->world && batch->engine && array->info && array->t && array->q && array->v && array->input &&
              array->message;
  return made ? ASP_OK : ASP_ERROR_MEMORY;
}

static AspError check_sizes(AspContext *context, int worlds, int threads) {
  if (worlds < 1 || threads < 1)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "%s: %d; it must be 1 or more", worlds < 1 ? "worlds" : "threads",
                    worlds < 1 ? worlds : threads);
  return ASP_OK;
}

AspError asp_batch_create(AspContext *context, const AspModel *model, const AspRunOptions *options, int worlds,
                          int threads, AspBatch **out) {
  *out = NULL;
  ASP_TRY(check_sizes(context, worlds, threads));
  AspBatch *batch = asp_allocate(context, 1, sizeof *batch);
  if (!batch)
    return ASP_ERROR_MEMORY;
  *batch = (AspBatch){.context = context, .model = model, .worlds = worlds};
  batch->threads = threads < worlds ? threads : worlds;
  AspError error;
  ASP_CHECK(make_arrays(batch));
  for (int i = 0; i < batch->threads; i++)
    ASP_CHECK(make_engine(batch, options, &batch->engine[i]));
  for (int i = 0; i < worlds; i++) {
    ASP_CHECK(keep(batch, &batch->engine[0], i));
    show(batch, &batch->engine[0], i);
  }
done:
  if (error != ASP_OK) {
    asp_batch_destroy(batch);
    return error;
  }
  *out = batch;
  return ASP_OK;
}

void asp_batch_destroy(AspBatch *batch) {
  if (!batch)
    return;
  AspContext *context = batch->context;
  for (int i = 0; batch->engine && i < batch->threads; i++) {
    asp_world_destroy(batch->engine[i].world);
    asp_context_destroy(batch->engine[i].context);
  }
  for (int i = 0; batch->world && i < batch->worlds; i++)
    asp_release(context, batch->world[i].saved.bytes);
  asp_release(context, batch->engine);
  asp_release(context, batch->world);
  asp_release(context, batch->array.info);
  asp_release(context, batch->array.t);
  asp_release(context, batch->array.q);
  asp_release(context, batch->array.v);
  asp_release(context, batch->array.input);
  asp_release(context, batch->array.message);
  asp_release(context, batch);
}

/* ---- reading ---- */

int asp_batch_world_count(const AspBatch *batch) { return batch->worlds; }
const AspStepInfo *asp_batch_infos(const AspBatch *batch) { return batch->array.info; }
const double *asp_batch_t(const AspBatch *batch) { return batch->array.t; }
const double *asp_batch_q(const AspBatch *batch) { return batch->array.q; }
const double *asp_batch_v(const AspBatch *batch) { return batch->array.v; }

static bool is_world(const AspBatch *batch, int world) { return world >= 0 && world < batch->worlds; }

AspError asp_batch_error(const AspBatch *batch, int world) {
  return is_world(batch, world) ? batch->world[world].error : ASP_ERROR_ARGUMENT;
}

const char *asp_batch_message(const AspBatch *batch, int world) {
  return is_world(batch, world) ? batch->array.message[world] : "there is no such world";
}

AspBatchMemory asp_batch_memory(const AspBatch *batch) {
  AspBatchMemory memory = {0};
  size_t lists = sizeof *batch->world + sizeof *batch->array.info + sizeof *batch->array.message +
                 sizeof(double) * (size_t)(1 + asp_model_q_size(batch->model) + asp_model_v_size(batch->model) +
                                           asp_model_input_count(batch->model));
  for (int i = 0; i < batch->worlds; i++) {
    size_t bytes = batch->world[i].saved.capacity + lists;
    memory.worlds += bytes;
    memory.largest_world = bytes > memory.largest_world ? bytes : memory.largest_world;
  }
  for (int i = 0; i < batch->threads; i++)
    memory.workspaces += asp_context_memory_in_use(batch->engine[i].context);
  return memory;
}

/* ---- setting ---- */

static AspError check_world(AspBatch *batch, int world) {
  if (is_world(batch, world))
    return ASP_OK;
  return asp_fail(batch->context, ASP_ERROR_ARGUMENT, "world: %d is not one of 0 to %d", world, batch->worlds - 1);
}

/* The message of a part of the context becomes that of the whole. */
static AspError pass_on(AspBatch *batch, int world, AspError error) {
  if (error == ASP_OK)
    return ASP_OK;
  return asp_fail(batch->context, error, "world %d: %s", world, asp_context_message(batch->engine[0].context));
}

static AspError check_inputs(AspBatch *batch, int world, const double *values) {
  for (int i = 0; i < asp_model_input_count(batch->model); i++)
    if (!isfinite(values[i]) && !asp_model_is_sensor(batch->model, i))
      return asp_fail(batch->context, ASP_ERROR_INPUT, "world %d: input %s: %g is not a finite number", world,
                      asp_model_input_name(batch->model, i), values[i]);
  return ASP_OK;
}

static void take_inputs(AspBatch *batch, int world, const double *values) {
  size_t inputs = (size_t)asp_model_input_count(batch->model);
  memcpy(batch->array.input + inputs * (size_t)world, values, inputs * sizeof *values);
  batch->world[world].inputs_set = true;
}

AspError asp_batch_set_world_inputs(AspBatch *batch, int world, const double *values) {
  ASP_TRY(check_world(batch, world));
  ASP_TRY(check_inputs(batch, world, values));
  take_inputs(batch, world, values);
  return ASP_OK;
}

AspError asp_batch_set_inputs(AspBatch *batch, const double *values) {
  size_t inputs = (size_t)asp_model_input_count(batch->model);
  for (int i = 0; i < batch->worlds; i++)
    ASP_TRY(check_inputs(batch, i, values + inputs * (size_t)i));
  for (int i = 0; i < batch->worlds; i++)
    take_inputs(batch, i, values + inputs * (size_t)i);
  return ASP_OK;
}

AspError asp_batch_use(AspBatch *batch, int world, AspError (*use)(void *user, AspWorld *world), void *user) {
  Engine *engine = &batch->engine[0];
  ASP_TRY(check_world(batch, world));
  AspError error = load(batch, engine, world);
  if (error == ASP_OK)
    error = give_inputs(batch, engine, world);
  if (error == ASP_OK)
    error = use(user, engine->world);
  if (error == ASP_OK)
    error = keep_changed(batch, engine, world);
  if (error == ASP_OK)
    batch->world[world].inputs_set = false; // the world has them
  return pass_on(batch, world, error);
}

typedef struct NewState {
  const double *q, *v;
} NewState;

static AspError set_state(void *user, AspWorld *world) {
  const NewState *given = user;
  const AspModel *model = world->model;
  AspState state;
  ASP_TRY(asp_state_create_on(world->context, model, &state));
  asp_state_copy(model, &world->state, &state);
  if (given->q)
    memcpy(state.q, given->q, (size_t)asp_model_q_size(model) * sizeof *given->q);
  if (given->v)
    memcpy(state.v, given->v, (size_t)asp_model_v_size(model) * sizeof *given->v);
  AspError error = asp_world_set_state(world, &state);
  asp_state_destroy_on(world->context, &state);
  return error;
}

AspError asp_batch_set_state(AspBatch *batch, int world, const double *q, const double *v) {
  NewState given = {q, v};
  return asp_batch_use(batch, world, set_state, &given);
}

/* ---- saved worlds ---- */

AspError asp_batch_save(AspBatch *batch, int world, void *bytes, size_t room, size_t *size) {
  Engine *engine = &batch->engine[0];
  *size = 0;
  ASP_TRY(check_world(batch, world));
  AspError error = load(batch, engine, world);
  if (error == ASP_OK)
    error = give_inputs(batch, engine, world);
  if (error == ASP_OK)
    error = asp_world_save(engine->world, bytes, room, size);
  return pass_on(batch, world, error);
}

typedef struct SavedBytes {
  const void *bytes;
  size_t size;
} SavedBytes;

static AspError restore_from(void *user, AspWorld *world) {
  const SavedBytes *saved = user;
  return asp_world_restore(world, saved->bytes, saved->size);
}

AspError asp_batch_restore(AspBatch *batch, int world, const void *bytes, size_t size) {
  SavedBytes saved = {bytes, size};
  return asp_batch_use(batch, world, restore_from, &saved);
}
