/* Error control: steps of varying length that keep to an asked accuracy (docs/theory/error-control.md).
 *
 * A step of length h is compared with two of h/2 from the same state (step doubling; Hairer, Norsett, Wanner, Solving
 * Ordinary Differential Equations I, II.4). With the scheme's order p, for each body b
 *
 *   e_x = |x_h - x_h/2| + R |angle between them|      e_v = |v_h - v_h/2| + R |w_h - w_h/2|      R: its reach
 *   e   = (e_x + (T - t) e_v) / (1 - 2^-p)            error at the end T that the step leaves, m
 *   a   = position + relative (R + way so far)        what is asked of the body, m
 *
 * Of v_h - v_h/2 counts what goes on: what joints, closed contacts and sticking friction take back does not. Then s =
 * max_b e / a is the step's share of what is asked; with an accuracy of velocities, also e_v over it. All shares of a
 * run shall add up to at most 1. One half of that is for smooth motion and goes to each step by its length; the other
 * is for events (impacts, changes of contacts and of stick and slip), each of which may take a part of what is left. A
 * step that takes more is made again, shorter: an event is so enclosed by steps as short as it needs. Bounces that
 * accumulate end where their velocities no longer count.
 *
 * Where even the shortest step differs, a jump came in one of the two and not yet in the other, or the motion has no
 * limit: a few steps more tell. In the former case they agree; in the latter (a dynamic jam, several solutions) this is
 * reported, and the run goes on with steps of dt and without a claim. */
#include "linalg/vec3.h"
#include "model/own_state.h"
#include "world/tuning/world.h"
#include "world/world_data.h"

#include <math.h>

/* What a step leaves, as above. */
typedef struct StepError {
  double share;  /* of what is asked */
  double noise;  /* share that the tolerance of the solves may make */
  double length; /* m: carried to the end of the run */
  double speed;  /* m/s: largest e_v */
} StepError;

/* ---- life cycle ---- */

static bool is_asked(const AspRunOptions *options) { return options->accuracy > 0 || options->accuracy_relative > 0; }

AspError asp_control_create(AspWorld *world) {
  if (!is_asked(&world->options))
    return ASP_OK;
  ErrorControl *control = asp_allocate(world->context, 1, sizeof *control);
  if (!control)
    return ASP_ERROR_MEMORY;
  world->clock.control = control;
  *control = (ErrorControl){.length = world->options.dt, .smooth = ACCURACY_SMOOTH, .events = 1 - ACCURACY_SMOOTH};
  control->told.dt_min = INFINITY;
  control->told.lost_at = NAN;
  ASP_TRY(asp_state_create_on(world->context, world->model, &control->start));
  ASP_TRY(asp_state_create_on(world->context, world->model, &control->coarse));
  ASP_TRY(asp_state_create_on(world->context, world->model, &control->fine));
  control->path = asp_allocate(world->context, (size_t)asp_model_body_count(world->model), sizeof *control->path);
  control->difference =
      asp_allocate(world->context, (size_t)asp_model_v_size(world->model), sizeof *control->difference);
  if (!control->path || !control->difference)
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
  asp_release(world->context, control->path);
  asp_release(world->context, control->difference);
  asp_release(world->context, control);
  world->clock.control = NULL;
}

const AspAccuracy *asp_world_accuracy(const AspWorld *world) {
  return world->clock.control ? &world->clock.control->told : NULL;
}

/* ---- trials ---- */

/* The world as it is at the start of a step is put aside, and taken back. */
static AspError put_aside(AspWorld *world) {
  ErrorControl *control = world->clock.control;
  asp_state_copy(world->model, &world->state, &control->start);
  return control->memory ? world->scheme->copy(&world->host, world->scheme_run, control->memory) : ASP_OK;
}

static AspError take_back(AspWorld *world) {
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

/* Where `count` steps of h lead; the world is as before. *finite: false where they lead nowhere. */
static AspError try_steps(AspWorld *world, double h, int count, AspState *end, bool *finite) {
  world->warnings.muted = true;
  AspError error = make_steps(world, h, count);
  world->warnings.muted = false;
  *finite = error == ASP_OK;
  if (error == ASP_OK)
    asp_state_copy(world->model, &world->state, end);
  AspError back = take_back(world);
  return error == ASP_OK || error == ASP_ERROR_DIVERGED ? back : error;
}

/* ---- the error of a step ---- */

/* How far from its centre of mass a body has mass or shapes, m. */
static double reach_of(const AspWorld *world, int body) {
  double reach = world->geometry.body_radius[body], mass = asp_model_body_mass(world->model, body);
  if (reach > 0 && isfinite(reach))
    return reach;
  AspMat3 inertia = asp_model_body_inertia(world->model, body);
  double largest = fmax(fmax(inertia.m[0], inertia.m[4]), inertia.m[8]);
  return mass > 0 && largest > 0 ? sqrt(largest / mass) : 0;
}

/* Angle between two orientations, to first order: q and -q are the same. */
static double angle_between(AspQuat a, AspQuat b) {
  double same = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z, sign = same < 0 ? -1 : 1;
  double w = a.w - sign * b.w, x = a.x - sign * b.x, y = a.y - sign * b.y, z = a.z - sign * b.z;
  return 2 * sqrt(w * w + x * x + y * y + z * z);
}

static double speed_of(const AspWorld *world, const AspState *state, int body, double reach) {
  return norm3(asp_state_velocity(world->model, state, body)) +
         reach * norm3(asp_state_angular_velocity(world->model, state, body));
}

/* What is asked of a body, m. */
static double asked_of(const AspWorld *world, int body, double reach) {
  const AspRunOptions *options = &world->options;
  return options->accuracy + options->accuracy_relative * (reach + world->clock.control->path[body]);
}

/* ---- what of a difference of velocities goes on ---- */

/* Does the row hold its relative velocity at both ends: joints, contacts that stay closed, friction that sticks? */
static bool is_held(const AspStepWork *work, int block, int row) {
  const AspFormulation *formulation = &work->formulation;
  int first = formulation->offset[block];
  AspBlockRole role = formulation->tag[block].role;
  if (role == ASP_ROLE_JOINT || role == ASP_ROLE_MOTION)
    return true;
  if (role == ASP_ROLE_LIMIT_LOW || role == ASP_ROLE_LIMIT_HIGH)
    return work->r[first] > 0 && formulation->shift[first] >= 0;
  if (role != ASP_ROLE_CONTACT || !(work->r[first] > 0) || formulation->shift[first] < 0) // open, or an impact
    return false;
  int rows = formulation->offset[block + 1] - first;
  double t1 = rows > 1 ? work->r[first + 1] : 0, t2 = rows > 2 ? work->r[first + 2] : 0;
  return row == 0 || hypot(t1, t2) < (1 - ACCURACY_STICKS) * formulation->law[block].mu * work->r[first];
}

/* Takes out of dv (v_size) what the row holds; masses and inertias by size alone. */
static void take_out(const AspWorld *world, const AspRow *row, double *dv) {
  const AspModel *model = world->model;
  int n = asp_body_velocities(asp_model_dimension(model)), linear = asp_model_dimension(model);
  double rate = 0, weight = 0, inverse[2][2] = {{0}};
  for (int side = 0; side < 2; side++) {
    int body = side == 0 ? row->body_a : row->body_b;
    const double *j = side == 0 ? row->ja : row->jb;
    if (!asp_model_body_is_free(model, body))
      continue;
    double mass = asp_model_body_mass(model, body), reach = reach_of(world, body);
    inverse[side][0] = mass > 0 ? 1 / mass : 0;
    inverse[side][1] = mass > 0 && reach > 0 ? 1 / (mass * reach * reach) : 0;
    for (int k = 0; k < n; k++) {
      rate += j[k] * dv[n * body + k];
      weight += j[k] * j[k] * inverse[side][k >= linear];
    }
  }
  for (int side = 0; side < 2 && weight > 0; side++) {
    int body = side == 0 ? row->body_a : row->body_b;
    const double *j = side == 0 ? row->ja : row->jb;
    for (int k = 0; k < n; k++)
      dv[n * body + k] -= inverse[side][k >= linear] * j[k] * rate / weight;
  }
}

/* The difference of two velocities without what joints and closed contacts take back in the next step, by sweeps over
 * the rows of the step just made (Kaczmarz): only the rest is carried to the end of the run. */
static void take_out_held(const AspWorld *world, double *dv) {
  const AspFormulation *formulation = &world->work.formulation;
  for (int sweep = 0; sweep < ACCURACY_SWEEPS; sweep++)
    for (int b = 0; b < formulation->blocks; b++) {
      AspRow room[3];
      const AspRow *rows = asp_block_rows(formulation, b, room);
      for (int k = 0; k < formulation->offset[b + 1] - formulation->offset[b]; k++)
        if (is_held(&world->work, b, k))
          take_out(world, &rows[k], dv);
    }
}

static double speed_in(const AspWorld *world, const double *dv, int body, double reach) {
  int n = asp_body_velocities(asp_model_dimension(world->model)), linear = asp_model_dimension(world->model);
  double moved = 0, turned = 0;
  for (int k = 0; k < n; k++)
    *(k < linear ? &moved : &turned) += dv[n * body + k] * dv[n * body + k];
  return sqrt(moved) + reach * sqrt(turned);
}

static void add_body_error(const AspWorld *world, const AspState *coarse, const AspState *fine, const double *dv,
                           int body, double left, StepError *error) {
  const AspModel *model = world->model;
  const AspRunOptions *options = &world->options;
  AspPose a = asp_state_pose(model, coarse, body), b = asp_state_pose(model, fine, body);
  double reach = reach_of(world, body), asked = asked_of(world, body, reach);
  double estimate = 1 / (1 - exp2(-world->scheme->order));
  double e_x = estimate * (norm3(sub3(a.position, b.position)) + reach * angle_between(a.orientation, b.orientation));
  double e_v = estimate * speed_in(world, dv, body, reach), e = e_x + left * e_v;
  error->share = fmax(error->share, e / asked);
  if (options->accuracy_velocity > 0)
    error->share = fmax(error->share, e_v / options->accuracy_velocity);
  error->length = fmax(error->length, e);
  error->speed = fmax(error->speed, e_v);
  double noise = ACCURACY_NOISE * options->tolerance * speed_of(world, fine, body, reach) * left;
  error->noise = fmax(error->noise, noise / asked);
}

/* Of the step that ends at `coarse` against its halves. */
static StepError compare(const AspWorld *world, const AspState *coarse, const AspState *fine) {
  StepError error = {0};
  double left = fmax(world->options.until - fine->t, 0), *dv = world->clock.control->difference;
  for (int i = 0; i < asp_model_v_size(world->model); i++)
    dv[i] = coarse->v[i] - fine->v[i];
  take_out_held(world, dv);
  for (int body = 0; body < asp_model_body_count(world->model); body++)
    if (asp_model_body_is_free(world->model, body))
      add_body_error(world, coarse, fine, dv, body, left, &error);
  if (!isfinite(error.share) || !isfinite(error.length))
    error.share = error.length = error.speed = INFINITY;
  return error;
}

/* Overlaps that the step just made leaves, which no trial shows where all of them miss the same contact: a step is late
 * by them. The gap at its end follows from the velocities at both ends. */
static void add_overlaps(const AspWorld *world, StepError *error) {
  const AspStepWork *work = &world->work;
  for (int i = 0; i < work->frame_count; i++) {
    const AspContactFrame *frame = &work->frames[i];
    double way = 0.5 * work->dt *
                 (asp_contact_approach(world->model, frame, &world->before) +
                  asp_contact_approach(world->model, frame, &world->state));
    double deeper = fmax(-(frame->gap + way), 0) - fmax(-frame->gap, 0);
    if (!(deeper > 0))
      continue;
    for (int side = 0; side < 2; side++) {
      int body = side == 0 ? frame->body_a : frame->body_b;
      if (asp_model_body_is_free(world->model, body))
        error->share = fmax(error->share, deeper / asked_of(world, body, reach_of(world, body)));
    }
    error->length = fmax(error->length, deeper);
  }
}

/* How far a joint is beyond its limits, m or rad; its two bodies into row. */
static double beyond_limit(const AspModel *model, const AspState *state, int joint, AspRow *row) {
  const AspJointDef *def = asp_model_joint_def(model, joint);
  if (!asp_joint_coordinate(model, state, joint, row))
    return 0;
  return fmax(fmax(def->limit_low - row->value, row->value - def->limit_high), 0);
}

/* The same for limits of joints. */
static void add_limits(const AspWorld *world, StepError *error) {
  const AspModel *model = world->model;
  for (int joint = 0; joint < asp_model_joint_count(model); joint++) {
    AspRow row;
    if (isinf(asp_model_joint_def(model, joint)->limit_low) && isinf(asp_model_joint_def(model, joint)->limit_high))
      continue;
    double before = beyond_limit(model, &world->before, joint, &row);
    double further = beyond_limit(model, &world->state, joint, &row) - before;
    bool turns = asp_model_joint_kind(model, joint) == ASP_JOINT_REVOLUTE;
    for (int side = 0; side < 2 && further > 0; side++) {
      int body = side == 0 ? row.body_a : row.body_b;
      double reach = reach_of(world, body);
      if (!asp_model_body_is_free(model, body))
        continue;
      error->share = fmax(error->share, further * (turns ? reach : 1) / asked_of(world, body, reach));
      error->length = fmax(error->length, further * (turns ? reach : 1));
    }
  }
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
    double reach = reach_of(world, body), speed = speed_of(world, &world->clock.control->start, body, reach);
    double later = (gravity + speed / dt) * left; // what its velocity may change by within a second, carried to the end
    if (speed + later > 0)
      least = fmin(least, ACCURACY_SHORT * asked_of(world, body, reach) / (speed + later));
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
  double factor = error > 0 ? ACCURACY_SAFETY * pow(meant / error, 1.0 / world->scheme->order) : ACCURACY_GROWTH;
  return fmin(fmax(factor, ACCURACY_SHRINK), ACCURACY_GROWTH);
}

/* ---- a step ---- */

/* The step of h that is to be taken; certified unless it is `final`. */
static AspError make_candidate(AspWorld *world, double h, bool final, int *attempts, bool *certified) {
  world->uniqueness.alternatives = 0;
  AspError error = asp_world_try_methods(world, h, final, attempts, certified);
  if (error == ASP_ERROR_DIVERGED && !final) {
    *certified = false;
    return take_back(world);
  }
  return error;
}

/* Even the shortest step differs from its halves: does the difference fall with its length, or do a few more steps
 * agree again? *error: the smallest that was seen. */
static AspError look_further(AspWorld *world, double h, double allowed, StepError *error, bool *agree) {
  ErrorControl *control = world->clock.control;
  double parted = error->speed;
  bool coarse, fine;
  ASP_TRY(try_steps(world, 0.25 * h, 4, &control->coarse, &coarse));
  *agree = coarse && compare(world, &control->coarse, &control->fine).speed <= ACCURACY_FALLS * parted;
  for (int count = 2; count <= ACCURACY_WINDOW && error->share > allowed; count *= 2) {
    ASP_TRY(try_steps(world, h, count, &control->coarse, &coarse));
    ASP_TRY(try_steps(world, 0.5 * h, 2 * count, &control->fine, &fine));
    if (!coarse || !fine)
      return ASP_OK;
    StepError later = compare(world, &control->coarse, &control->fine);
    *agree = *agree || later.speed <= ACCURACY_AGREES * parted;
    *error = later.share < error->share ? later : *error;
  }
  *agree = *agree || error->share <= allowed;
  return ASP_OK;
}

/* ---- a dynamic jam ---- */

/* The largest change of a body's velocity over the step, m/s. */
static double velocity_change(const AspWorld *world) {
  const AspState *before = &world->clock.control->start, *after = &world->state;
  double largest = 0;
  for (int body = 0; body < asp_model_body_count(world->model); body++) {
    AspVec3 dv = sub3(asp_state_velocity(world->model, after, body), asp_state_velocity(world->model, before, body));
    AspVec3 dw = sub3(asp_state_angular_velocity(world->model, after, body),
                      asp_state_angular_velocity(world->model, before, body));
    if (asp_model_body_is_free(world->model, body))
      largest = fmax(largest, norm3(dv) + reach_of(world, body) * norm3(dw));
  }
  return largest;
}

/* What contacts and limits give in the step: the largest change of velocity by one normal impulse, and the fastest
 * approach before it, m/s. */
static void contact_changes(const AspWorld *world, double *given, double *approach) {
  const AspFormulation *formulation = &world->work.formulation;
  int n = asp_body_velocities(asp_model_dimension(world->model));
  *given = *approach = 0;
  for (int b = 0; b < formulation->blocks; b++) {
    AspRow room[3];
    AspBlockRole role = formulation->tag[b].role;
    double impulse = world->work.r[formulation->offset[b]];
    if (!(role == ASP_ROLE_CONTACT || role == ASP_ROLE_LIMIT_LOW || role == ASP_ROLE_LIMIT_HIGH) || !(impulse > 0))
      continue;
    const AspRow *row = asp_block_rows(formulation, b, room);
    double mass = INFINITY;
    for (int side = 0; side < 2; side++) {
      int body = side == 0 ? row->body_a : row->body_b;
      mass = asp_model_body_is_free(world->model, body) ? fmin(mass, asp_model_body_mass(world->model, body)) : mass;
    }
    *given = fmax(*given, mass > 0 ? impulse / mass : 0);
    *approach = fmax(*approach, -asp_row_dot(n, row->ja, world->before.v + (size_t)n * row->body_a) -
                                    asp_row_dot(n, row->jb, world->before.v + (size_t)n * row->body_b));
  }
}

/* Forces of a contact grew beyond every bound: an impulse where nothing collides, in motion that was followed up to
 * here. How it goes on depends on how the step met it. */
static bool is_jam(const AspWorld *world, double h) {
  const ErrorControl *control = world->clock.control;
  double change = velocity_change(world), given, approach;
  double expected = h * fmax(control->acceleration, norm3(asp_model_gravity(world->model)));
  if (control->told.steps == 0 || !(change > ACCURACY_JAM * expected))
    return false;
  contact_changes(world, &given, &approach);
  return given > ACCURACY_AGREES * change && approach < ACCURACY_AGREES * change;
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
  control->acceleration = velocity_change(world) / h;
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
  bool cut = !rejected && h < control->length; // by the grid of times
  control->length = fmin(cut && factor >= 1 ? fmax(factor * h, control->length) : factor * h, world->options.dt);
}

AspError asp_world_control_step(AspWorld *world, double wanted, double *dt, int *attempts) {
  ErrorControl *control = world->clock.control;
  ASP_TRY(asp_world_make_consistent(world, wanted));
  ASP_TRY(put_aside(world));
  double least = shortest(world), h = fit_length(control->length, wanted, least);
  control->short_steps = h < ACCURACY_PROBE_BELOW * wanted ? control->short_steps + 1 : 0;
  bool probe = control->short_steps > ACCURACY_PROBE_EVERY;
  double short_h = h;
  if (probe) {
    control->short_steps = 0;
    h = wanted;
  }
  StepError error = {0};
  bool rejected = false, agree = true, certified = false;
  for (;;) {
    *attempts = 0;
    bool final = h <= least * (1 + RETRY_ROUNDING) || h <= ACCURACY_SHORTEST * world->options.dt, finite;
    ASP_TRY(try_steps(world, 0.5 * h, 2, &control->fine, &finite));
    ASP_TRY(make_candidate(world, h, final, attempts, &certified));
    bool compared = finite && (certified || final);
    error = compared ? compare(world, &world->state, &control->fine) : (StepError){INFINITY, 0, INFINITY, INFINITY};
    if (compared) {
      add_overlaps(world, &error);
      add_limits(world, &error);
    }
    double allowed = smooth_share(world, h) + error.noise + ACCURACY_EVENT * control->events;
    if (error.share <= allowed)
      break;
    if (final) {
      ASP_TRY(take_back(world));
      ASP_TRY(look_further(world, h, allowed, &error, &agree));
      if (!agree)
        ASP_TRY(report_lost(world, h, &error));
      ASP_TRY(make_candidate(world, agree ? h : wanted, true, attempts, &certified));
      h = agree ? h : wanted;
      break;
    }
    ASP_TRY(take_back(world));
    double factor = fmin(factor_of(world, error.share, allowed), ACCURACY_RETREAT);
    rejected = !probe;
    h = fmax(probe ? short_h : factor * h, least);
    probe = false;
    control->told.rejected++;
  }
  *dt = h;
  if (agree && is_jam(world, h))
    return report_jam(world, h);
  if (agree)
    note_accepted(world, h, rejected, &error);
  return ASP_OK;
}

bool asp_world_controls(const AspWorld *world) {
  const ErrorControl *control = world->clock.control;
  return control && isnan(control->told.lost_at);
}
