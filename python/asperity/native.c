/* The package's own C, compiled into its extension module behind native.h: worlds with memory that numpy sees, loops
 * that run without the interpreter, guards that let it stop them. Uses the library's public headers alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define POLL_SECONDS  0.05 /* wall clock between two questions to Python */
#define END_TOLERANCE 1e-6 /* of dt: rounding of a long sum, as in the program's runs */

/* Python's side: asperity/_callbacks.py. */
static int aspy_python_poll(void);
static AspError aspy_python_before(void *handle);
static AspError aspy_python_after(void *handle);

int aspy_version(void) { return ASP_VERSION_NUMBER; }

/* ---- guards ---- */

static double wall_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool guard_stops(void *user) {
  AspyGuard *guard = user;
  if (!guard->cancel && guard->cancelled && *(volatile const int *)guard->cancelled)
    guard->cancel = 1;
  if (guard->cancel)
    return true;
  double now = wall_clock();
  if (now - guard->asked < POLL_SECONDS)
    return false;
  guard->asked = now;
  guard->cancel = aspy_python_poll();
  return guard->cancel != 0;
}

void aspy_guard_watch(AspyGuard *guard, AspContext *context) {
  guard->cancel = 0;
  guard->asked = wall_clock();
  asp_context_set_stop(context, guard_stops, guard);
}

/* ---- a world and numpy ---- */

static AspError call_before(void *user, AspWorld *world) {
  AspyWorld *self = user;
  (void)world;
  AspError error = aspy_python_before(self->handle);
  return error == ASP_OK ? aspy_world_push(self) : error;
}

static AspError call_after(void *user, AspWorld *world, const AspStepInfo *info) {
  AspyWorld *self = user;
  (void)world;
  self->info = *info;
  aspy_world_pull(self);
  AspError error = aspy_python_after(self->handle);
  return error == ASP_OK ? aspy_world_push(self) : error;
}

AspError aspy_world_attach(AspyWorld *self, AspWorld *world, AspContext *context) {
  const AspModel *model = asp_world_model(world);
  bool fresh = !self->q;
  self->world = world;
  self->context = context;
  if (fresh) {
    self->q_size = asp_model_q_size(model);
    self->v_size = asp_model_v_size(model);
    self->inputs = asp_model_input_count(model);
    self->bodies = asp_model_body_count(model);
    self->joints = asp_model_joint_count(model);
    size_t q = (size_t)self->q_size, v = (size_t)self->v_size, inputs = (size_t)self->inputs;
    double *memory = calloc(2 * (q + v + inputs) + (size_t)self->joints + 1, sizeof *memory);
    self->set = calloc(inputs + 1, sizeof *self->set);
    self->control = calloc(inputs + 1, sizeof *self->control);
    if (!memory || !self->set || !self->control) {
      free(memory);
      free(self->set);
      free(self->control);
      return ASP_ERROR_MEMORY;
    }
    for (int i = 0; i < self->inputs; i++)
      if (!asp_model_is_sensor(model, i))
        self->control[self->controls++] = i;
    self->q = memory;
    self->v = self->q + q;
    self->input = self->v + v;
    self->q_was = self->input + inputs;
    self->v_was = self->q_was + q;
    self->input_was = self->v_was + v;
    self->angle = self->input_was + inputs;
  }
  memset(&self->info, 0, sizeof self->info);
  aspy_guard_watch(&self->guard, context);
  aspy_world_pull(self);
  return ASP_OK;
}

void aspy_world_release(AspyWorld *self) {
  asp_world_destroy(self->world);
  self->world = NULL;
  free(self->q);
  free(self->set);
  free(self->control);
  self->q = NULL;
  self->set = NULL;
  self->control = NULL;
}

void aspy_world_pull(AspyWorld *self) {
  const AspState *state = asp_world_state(self->world);
  size_t q = (size_t)self->q_size * sizeof(double), v = (size_t)self->v_size * sizeof(double);
  self->time = self->time_was = state->t;
  memcpy(self->q, state->q, q);
  memcpy(self->q_was, state->q, q);
  memcpy(self->v, state->v, v);
  memcpy(self->v_was, state->v, v);
  for (int i = 0; i < self->inputs; i++)
    self->input[i] = self->input_was[i] = asp_world_input(self->world, i).value;
}

/* Entries of bodies that the state does not place: the body's index, -1: none was written. */
static int written_elsewhere(const AspyWorld *self) {
  const AspModel *model = asp_world_model(self->world);
  size_t q = asp_model_dimension(model) == 3 ? 7 : 3, v = asp_model_dimension(model) == 3 ? 6 : 3;
  for (int i = 0; i < self->bodies; i++)
    if (asp_model_body_kind(model, i) != ASP_BODY_DYNAMIC &&
        (memcmp(self->q + (size_t)i * q, self->q_was + (size_t)i * q, q * sizeof(double)) != 0 ||
         memcmp(self->v + (size_t)i * v, self->v_was + (size_t)i * v, v * sizeof(double)) != 0))
      return i;
  return -1;
}

static AspError push_state(AspyWorld *self) {
  const AspState *now = asp_world_state(self->world);
  const AspModel *model = asp_world_model(self->world);
  int other = written_elsewhere(self);
  if (other >= 0) {
    snprintf(
        self->message, sizeof self->message,
        "q or v: body %s is %s: its place does not come from the state; move dynamic bodies, or use an input in the "
        "body's expressions",
        asp_model_body_name(model, other), asp_body_kind_name(asp_model_body_kind(model, other)));
    return ASP_ERROR_ARGUMENT;
  }
  AspState state = *now;
  memcpy(self->angle, now->angle, (size_t)self->joints * sizeof *self->angle);
  memcpy(self->set, now->input, (size_t)self->inputs * sizeof *self->set);
  state.t = self->time;
  state.q = self->q;
  state.v = self->v;
  state.angle = self->angle;
  state.input = self->set;
  return asp_world_set_state(self->world, &state);
}

static AspError push_input(AspyWorld *self, int input) {
  const AspModel *model = asp_world_model(self->world);
  if (!asp_model_is_sensor(model, input))
    return asp_world_set_input(self->world, input, self->input[input]);
  snprintf(self->message, sizeof self->message, "input %s follows the state and cannot be set; Model.controls can",
           asp_model_input_name(model, input));
  return ASP_ERROR_ARGUMENT;
}

AspError aspy_world_push(AspyWorld *self) {
  size_t q = (size_t)self->q_size * sizeof(double), v = (size_t)self->v_size * sizeof(double);
  bool moved = memcmp(&self->time, &self->time_was, sizeof self->time) != 0 || memcmp(self->q, self->q_was, q) != 0 ||
               memcmp(self->v, self->v_was, v) != 0;
  bool steered = memcmp(self->input, self->input_was, (size_t)self->inputs * sizeof(double)) != 0;
  AspError error = ASP_OK;
  self->message[0] = 0;
  if (!moved && !steered)
    return ASP_OK;
  for (int i = 0; steered && error == ASP_OK && i < self->inputs; i++)
    if (memcmp(&self->input[i], &self->input_was[i], sizeof(double)) != 0)
      error = push_input(self, i);
  if (error == ASP_OK && moved)
    error = push_state(self);
  aspy_world_pull(self);
  return error;
}

AspError aspy_world_step(AspyWorld *self) {
  AspError error = aspy_world_push(self);
  if (error != ASP_OK)
    return error;
  asp_world_set_callbacks(self->world, self->has_before ? call_before : NULL, self->has_after ? call_after : NULL,
                          self);
  error = asp_world_step(self->world, &self->info);
  aspy_world_pull(self);
  return error;
}

/* ---- many steps ---- */

AspError aspy_world_run(AspyWorld *self, double until, int64_t steps, AspResultWriter *writer, AspyRun *run) {
  double rest = END_TOLERANCE * asp_world_options(self->world)->dt;
  AspError error = aspy_world_push(self);
  run->stopped = false;
  for (int64_t i = 0; error == ASP_OK && i < steps && until - self->time > rest; i++) {
    if (guard_stops(&self->guard))
      return ASP_ERROR_INTERRUPTED;
    error = aspy_world_step(self);
    if (error != ASP_OK)
      break;
    asp_run_summary_add(&run->summary, &self->info);
    run->steps++;
    if (writer)
      error = asp_result_append(writer, self->world, &self->info);
    run->stopped = asp_world_stop_reason(self->world) != NULL;
    if (run->stopped)
      break;
  }
  return error;
}

AspError aspy_world_rollout(AspyWorld *self, int64_t steps, const double *table, double *states, bool *certified,
                            double *residual, int64_t *done) {
  size_t q = (size_t)self->q_size, v = (size_t)self->v_size, width = 1 + q + v, controls = (size_t)self->controls;
  AspError error = aspy_world_push(self);
  *done = 0;
  for (size_t i = 0; error == ASP_OK && i < (size_t)steps; i++) {
    if (guard_stops(&self->guard))
      return ASP_ERROR_INTERRUPTED;
    for (size_t k = 0; table && k < controls; k++)
      self->input[self->control[k]] = table[i * controls + k];
    error = aspy_world_step(self);
    if (error != ASP_OK)
      break;
    if (states) {
      states[i * width] = self->time;
      memcpy(states + i * width + 1, self->q, q * sizeof *states);
      memcpy(states + i * width + 1 + q, self->v, v * sizeof *states);
    }
    if (certified)
      certified[i] = self->info.certified;
    if (residual)
      residual[i] = self->info.residual.E2;
    ++*done;
  }
  return error;
}
