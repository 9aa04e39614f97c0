/* Error control: steps of varying length that keep to an asked accuracy (docs/theory/error-control.md).
 *
 * A step of length h is compared with two of h/2 from the same state (step doubling; Hairer, Norsett, Wanner, Solving
 * Ordinary Differential Equations I, II.4); step_error.c makes of it the step's share of what is asked. All shares of a
 * run shall add up to at most 1. One half of that is for smooth motion and goes to each step by its length; the other
 * is for events (impacts, changes of contacts and of stick and slip), each of which may take a part of what is left. A
 * step that takes more is made again, shorter: an event is so enclosed by steps as short as it needs. Bounces that
 * accumulate end where their velocities no longer count.
 *
 * Where even the shortest step differs, a jump came in one of the two and not yet in the other, or the motion has no
 * limit: a few steps more tell. In the former case they agree; in the latter (a dynamic jam, several solutions) this is
 * reported, and the run goes on with steps of dt and without a claim. */
#include "base/effort.h"
#include "base/elementary.h"
#include "linalg/vec3.h"
#include "model/own_state.h"
#include "world/changes.h"
#include "world/step_error.h"
#include "world/tuning/world.h"
#include "world/world_data.h"

#include <math.h>

/* ---- life cycle ---- */

static bool is_asked(const AspRunOptions *options) { return options->accuracy > 0 || options->accuracy_relative > 0; }

AspError asp_control_create(AspWorld *world) {
  bool locates = asp_locate_is_asked(world->model, world->scheme, &world->options);
  if (!is_asked(&world->options) && !locates)
    return ASP_OK;
  ErrorControl *control = asp_allocate(world->context, 1, sizeof *control);
  if (!control)
    return ASP_ERROR_MEMORY;
  world->clock.control = control;
  *control = (ErrorControl){.length = world->options.dt, .smooth = ACCURACY_SMOOTH, .events = 1 - ACCURACY_SMOOTH};
  control->told.dt_min = INFINITY;
  control->told.lost_at = NAN;
  control->locating = (StepLocating){.on = locates && !is_asked(&world->options)};
  asp_locate_begin(world->model, &control->locating);
  for (int k = 0; k < ATTEMPTS_KEPT; k++)
    asp_arena_init(&control->kept[k].arena, world->context);
  ASP_TRY(asp_state_create_on(world->context, world->model, &control->start));
  ASP_TRY(asp_state_create_on(world->context, world->model, &control->coarse));
  ASP_TRY(asp_state_create_on(world->context, world->model, &control->fine));
  for (int k = 0; k < ATTEMPTS_KEPT; k++)
    ASP_TRY(asp_state_create_on(world->context, world->model, &control->kept[k].end));
  control->path = asp_allocate(world->context, (size_t)asp_model_body_count(world->model), sizeof *control->path);
  control->difference =
      asp_allocate(world->context, 5 * (size_t)asp_model_v_size(world->model), sizeof *control->difference);
  for (int k = 0; k < 2; k++)
    control->locating.acceleration[k] =
        asp_allocate(world->context, (size_t)asp_model_v_size(world->model), sizeof(double));
  if (!control->path || !control->difference || !control->locating.acceleration[0] ||
      !control->locating.acceleration[1])
    return ASP_ERROR_MEMORY;
  return world->scheme->copy ? world->scheme->create(&world->host, &control->memory) : ASP_OK;
}

void asp_control_destroy(AspWorld *world) {
  ErrorControl *control = world->clock.control;
  if (!control)
    return;
  if (control->memory)
    world->scheme->destroy(&world->host, control->memory);
  asp_state_destroy_on(world->context, &control->start);
  asp_state_destroy_on(world->context, &control->coarse);
  asp_state_destroy_on(world->context, &control->fine);
  for (int k = 0; k < ATTEMPTS_KEPT; k++) {
    asp_state_destroy_on(world->context, &control->kept[k].end);
    asp_arena_free(&control->kept[k].arena);
    asp_release(world->context, control->kept[k].frames);
  }
  asp_release(world->context, control->path);
  asp_release(world->context, control->difference);
  for (int k = 0; k < 2; k++)
    asp_release(world->context, control->locating.acceleration[k]);
  asp_release(world->context, control);
  world->clock.control = NULL;
}

AspError asp_control_archive(AspWorld *world, AspArchive *archive) {
  ErrorControl *control = world->clock.control;
  if (!control)
    return ASP_OK;
  ASP_ARCHIVE(archive, control->told);
  ASP_ARCHIVE_ARRAY(archive, control->path, asp_model_body_count(world->model));
  ASP_ARCHIVE(archive, control->short_steps);
  ASP_ARCHIVE(archive, control->length);
  ASP_ARCHIVE(archive, control->smooth);
  ASP_ARCHIVE(archive, control->events);
  ASP_ARCHIVE(archive, control->acceleration);
  ASP_ARCHIVE(archive, control->event);
  ASP_ARCHIVE(archive, control->struck);
  StepLocating *locating = &control->locating;
  for (int k = 0; k < 2; k++)
    ASP_ARCHIVE_ARRAY(archive, locating->acceleration[k], asp_model_v_size(world->model));
  ASP_ARCHIVE(archive, locating->length);
  ASP_ARCHIVE(archive, locating->change);
  ASP_ARCHIVE(archive, locating->share);
  ASP_ARCHIVE(archive, locating->credit);
  ASP_ARCHIVE(archive, locating->cuts);
  ASP_ARCHIVE(archive, locating->ago);
  return archive->error;
}

const AspAccuracy *asp_world_accuracy(const AspWorld *world) {
  return world->clock.control && is_asked(&world->options) ? &world->clock.control->told : NULL;
}

/* ---- trials ---- */

AspError asp_control_put_aside(AspWorld *world) {
  ErrorControl *control = world->clock.control;
  asp_state_copy(world->model, &world->state, &control->start);
  return control->memory ? world->scheme->copy(&world->host, world->scheme_run, control->memory) : ASP_OK;
}

AspError asp_control_take_back(AspWorld *world) {
  ErrorControl *control = world->clock.control;
  asp_state_copy(world->model, &control->start, &world->state);
  return control->memory ? world->scheme->copy(&world->host, control->memory, world->scheme_run) : ASP_OK;
}

static AspError make_steps(AspWorld *world, double h, int count) {
  for (int i = 0; i < count; i++) {
    ASP_TRY(asp_world_attempt(world, h, world->solvers.chosen, true));
    if (i + 1 < count && world->scheme->accept)
      ASP_TRY(world->scheme->accept(&world->host, world->scheme_run));
  }
  return ASP_OK;
}

AspError asp_control_try_steps(AspWorld *world, double h, int count, AspState *end, bool *finite) {
  world->warnings.muted = true;
  AspError error = make_steps(world, h, count);
  world->warnings.muted = false;
  *finite = error == ASP_OK;
  if (error == ASP_OK)
    asp_state_copy(world->model, &world->state, end);
  AspError back = asp_control_take_back(world);
  return error == ASP_OK || error == ASP_ERROR_DIVERGED ? back : error;
}

/* ---- lengths ---- */

/* Steps are no shorter than this: what happens in it changes positions at the end by a small part of what is asked,
 * s. */
static double shortest(const AspWorld *world) {
  double least = INFINITY, dt = world->options.dt, gravity = norm3(asp_model_gravity(world->model));
  double left = fmax(world->options.until - world->clock.control->start.t, 0);
  for (int body = 0; body < asp_model_body_count(world->model); body++) {
    if (!asp_model_body_is_free(world->model, body))
      continue;
    double reach = asp_error_reach(world, body),
           speed = asp_error_speed(world, &world->clock.control->start, body, reach);
    double later = (gravity + speed / dt) * left; // what its velocity may change by within a second, carried to the end
    if (speed + later > 0)
      least = fmin(least, ACCURACY_SHORT * asp_error_asked(world, body, reach) / (speed + later));
  }
  return fmin(fmax(least, ACCURACY_SHORTEST * dt), ACCURACY_LONGEST_FLOOR * dt);
}

/* The wished length within what is left to the next time of the grid, which equal steps shall reach. */
static double fit_length(double length, double wanted, double least) {
  double steps = ceil(wanted / fmax(length, least) * (1 - RETRY_ROUNDING));
  return steps <= 1 || wanted <= 2 * least ? wanted : wanted / steps;
}

/* What a step of h may take for smooth motion. */
static double smooth_share(const AspWorld *world, double h) {
  const ErrorControl *control = world->clock.control;
  double left = world->options.until - control->start.t;
  return control->smooth * fmin(h / fmax(left, h), 1);
}

/* Factor on the length of a step by its error over what was meant for it; both grow with h, as h^(p+1) and h. */
static double factor_of(const AspWorld *world, double error, double meant) {
  double factor = error > 0 ? ACCURACY_SAFETY * asp_pow(meant / error, 1.0 / world->scheme->order) : ACCURACY_GROWTH;
  return fmin(fmax(factor, ACCURACY_SHRINK), ACCURACY_GROWTH);
}

/* ---- a step ---- */

AspError asp_control_make_candidate(AspWorld *world, double h, bool final, int *attempts, bool *certified) {
  world->uniqueness.alternatives = 0;
  AspError error = asp_world_try_methods(world, h, final, attempts, certified);
  if (error == ASP_ERROR_DIVERGED && !final) {
    *certified = false;
    return asp_control_take_back(world);
  }
  return error;
}

/* Even the shortest step differs from its halves: does the difference fall with its length, or do a few more steps
 * agree again? *error: the smallest that was seen. */
static AspError look_further(AspWorld *world, double h, double allowed, StepError *error, bool *agree) {
  ErrorControl *control = world->clock.control;
  double parted = error->speed;
  bool coarse, fine;
  ASP_TRY(asp_control_try_steps(world, 0.25 * h, 4, &control->coarse, &coarse));
  *agree = coarse && asp_error_compare(world, &control->coarse, &control->fine).speed <= ACCURACY_FALLS * parted;
  for (int count = 2; count <= ACCURACY_WINDOW && error->share > allowed; count *= 2) {
    ASP_TRY(asp_control_try_steps(world, h, count, &control->coarse, &coarse));
    ASP_TRY(asp_control_try_steps(world, 0.5 * h, 2 * count, &control->fine, &fine));
    if (!coarse || !fine)
      return ASP_OK;
    StepError later = asp_error_compare(world, &control->coarse, &control->fine);
    *agree = *agree || later.speed <= ACCURACY_AGREES * parted;
    *error = later.share < error->share ? later : *error;
  }
  *agree = *agree || error->share <= allowed;
  return ASP_OK;
}

static AspError report_jam(AspWorld *world, double h) {
  ErrorControl *control = world->clock.control;
  control->told.lost_at = control->start.t;
  return asp_warn(
      &world->warnings,
      "accuracy: at t = %.9g s a step of %.2g s has an impulse where nothing collides (a dynamic jam): there "
      "is no limit for dt -> 0 beyond. The rest of the run has steps of dt and no claim to the accuracy",
      control->start.t, h);
}

static AspError report_lost(AspWorld *world, double h, const StepError *error) {
  ErrorControl *control = world->clock.control;
  control->told.lost_at = control->start.t;
  const char *why = world->watch.solutions == 0  ? "; no finite forces exist (a dynamic jam)"
                    : world->watch.solutions > 1 ? "; several accelerations are possible"
                                                 : "";
  return asp_warn(
      &world->warnings,
      "accuracy: at t = %.9g s steps of %.2g s and of half of it differ by %.3g m/s however short: there is "
      "no limit for dt -> 0 beyond%s. The rest of the run has steps of dt and no claim to the accuracy",
      control->start.t, h, error->speed, why);
}

/* The step is taken: what it cost, and how long the next one may be. */
static void note_accepted(AspWorld *world, double h, bool rejected, const StepError *error) {
  ErrorControl *control = world->clock.control;
  AspAccuracy *told = &control->told;
  double meant = smooth_share(world, h), beyond = fmax(error->share - error->noise, 0);
  double smooth = fmin(error->share, meant);
  bool event = beyond > meant;
  for (int body = 0; body < asp_model_body_count(world->model); body++)
    control->path[body] += norm3(sub3(asp_state_pose(world->model, &world->state, body).position,
                                      asp_state_pose(world->model, &control->start, body).position));
  control->acceleration = asp_error_velocity_change(world) / h;
  told->steps++;
  told->dt_min = fmin(told->dt_min, h);
  told->dt_max = fmax(told->dt_max, h);
  told->share += error->share;
  told->estimated += error->length;
  control->smooth -= smooth;
  control->events = fmax(control->events - (error->share - smooth), 0);
  if (control->events < ACCURACY_SPENT) // it is not kept: the rest of the run must end all the same
    control->events = 1 - ACCURACY_SMOOTH;
  double factor = factor_of(world, beyond, meant);
  if (rejected || (event && !control->event)) // motion behind an event is smooth again
    factor = 1;
  control->event = event;
  control->struck = control->struck || event;
  bool cut = !rejected && h < control->length; // by the grid of times
  control->length = fmin(cut && factor >= 1 ? fmax(factor * h, control->length) : factor * h, world->options.dt);
}

/* A length that was tried and rejected; 0: none yet. */
typedef struct TriedLength {
  double h, share;
} TriedLength;

/* What a step of h may take. Smooth motion gets its part by its length. More is for events, whose errors are of first
 * order: an error that fell with the length as smooth motion's does, or that was seen at one length only, is none. */
static double allowed_share(const AspWorld *world, double h, const StepError *error, const TriedLength *last,
                            bool final) {
  const ErrorControl *control = world->clock.control;
  double smooth = smooth_share(world, h) + error->noise;
  bool fell = !(last->h > 0) || error->share <= last->share * asp_pow(h / last->h, world->scheme->order);
  return fell && !final ? smooth : smooth + ACCURACY_EVENT * control->events;
}

/* Two steps of h/2, then the one of h. A length that is not the last to be tried gets a small share of the effort. */
static AspError try_length(AspWorld *world, double h, bool final, int *attempts, bool *finite, bool *certified) {
  AspEffort *effort = asp_effort(world->context), before = *effort;
  if (!final)
    asp_effort_narrow(effort, ACCURACY_EFFORT, 1);
  ASP_TRY(asp_control_try_steps(world, 0.5 * h, 2, &world->clock.control->fine, finite));
  ASP_TRY(asp_control_make_candidate(world, h, final, attempts, certified));
  asp_effort_restore(effort, &before);
  return ASP_OK;
}

AspError asp_world_control_step(AspWorld *world, double wanted, double *dt, int *attempts) {
  ErrorControl *control = world->clock.control;
  ASP_TRY(asp_world_make_consistent(world, wanted));
  ASP_TRY(asp_control_put_aside(world));
  double least = shortest(world), h = fit_length(control->length, wanted, least);
  control->short_steps = h < ACCURACY_PROBE_BELOW * wanted ? control->short_steps + 1 : 0;
  bool probe = control->short_steps > ACCURACY_PROBE_EVERY && control->struck;
  double short_h = h;
  if (probe) {
    control->short_steps = 0;
    control->struck = false;
    h = wanted;
  }
  StepError error = {0};
  TriedLength last = {0, 0};
  bool rejected = false, agree = true, certified = false;
  for (;;) {
    *attempts = 0;
    bool final = h <= least * (1 + RETRY_ROUNDING) || h <= ACCURACY_SHORTEST * world->options.dt ||
                 asp_effort_is_low(asp_effort(world->context)),
         finite;
    ASP_TRY(try_length(world, h, final, attempts, &finite, &certified));
    bool compared = finite && (certified || final);
    error = compared ? asp_error_compare(world, &world->state, &control->fine)
                     : (StepError){INFINITY, 0, INFINITY, INFINITY};
    if (compared) {
      asp_error_add_overlaps(world, &error);
      asp_error_add_limits(world, &error);
      asp_error_add_reversals(world, &error);
      asp_error_add_lift_offs(world, &error);
      asp_error_add_late_impacts(world, h, &error);
      asp_error_add_switches(world, h, &error);
    }
    double allowed = allowed_share(world, h, &error, &last, final);
    if (error.share <= allowed)
      break;
    if (final) {
      ASP_TRY(asp_control_take_back(world));
      ASP_TRY(look_further(world, h, allowed, &error, &agree));
      if (!agree)
        ASP_TRY(report_lost(world, h, &error));
      ASP_TRY(asp_control_make_candidate(world, agree ? h : wanted, true, attempts, &certified));
      h = agree ? h : wanted;
      break;
    }
    ASP_TRY(asp_control_take_back(world));
    double factor = fmin(factor_of(world, error.share, allowed), ACCURACY_RETREAT);
    last = (TriedLength){h, error.share};
    rejected = !probe;
    h = fmax(probe ? short_h : factor * h, least);
    probe = false;
    control->told.rejected++;
  }
  *dt = h;
  if (agree && asp_error_is_jam(world, h))
    return report_jam(world, h);
  if (agree)
    note_accepted(world, h, rejected, &error);
  return ASP_OK;
}

bool asp_world_controls(const AspWorld *world) {
  const ErrorControl *control = world->clock.control;
  return control && is_asked(&world->options) && isnan(control->told.lost_at);
}
