/* When bodies meet something within a step at velocity level. An impact acts at its own instant, the part tau of the
 * step; its bodies move with their old velocity until there and with the new one from there on:
 *
 *   gap + u- tau dt + b (tau dt)^2/2 = 0,    q+ = q + dt (tau v- + (1 - tau) v+)
 *
 * u-: approach at the start of the step; b: how the velocities change it (rims and corners that roll).
 * Rows, inertias and forces of these bodies belong to q + tau dt v-: there opposite impulses on both bodies keep
 * angular momentum for every tau,
 *
 *   q+ x m v+ - q x m v- = (q + tau dt v-) x p,    m v+ = m v- + p,
 *
 * and there normals and arms are those of the impact. So an impact costs O(dt^2) in position, and since
 * u+ >= -e u- >= 0, nothing closes after tau: fast bodies do not pass through thin ones. Met are contacts and
 * limits of joints that approach faster than rest and would close within the step, and contacts that would be passed by
 * more than `depth`.
 *
 * All bodies that are connected by contacts of the step and joints take the earliest tau of them. Contacts that are met
 * by more than TIME_OF_IMPACT_TOGETHER of the step later are left to the next step; where they give nothing back they
 * are barriers here. A barrier is a contact that is not passed in the step, whatever its own impact will be:
 *
 *   gap + dt (tau u- + (1 - tau) u+) >= 0
 *
 * So are contacts that a body meets unexpectedly, because it was struck.
 *
 * Beams meet everything within the step. Their strain changes along dt ((1 - tau') v+ + tau' v-), the work of its
 * forces on the velocities is along dt (v+ + v-)/2: the difference, dt (1/2 - tau') (v+ - v-) . h, is energy of either
 * sign, up to (1 + e) |1/2 - tau'| r |u-|, while the impact takes (1 - e)/2 r |u-|. So with restitution
 *
 *   tau' = 1/2 - (1/2 - tau) (1 - e)/(1 + e)
 *
 * which gains nothing, and leaves a gap of e tau dt |u-| at least: nothing overlaps. Depends on the dynamics. */
#include "base/disjoint_sets.h"
#include "formulate/contact_parts.h"
#include "formulate/tuning/formulate.h"
#include "linalg/vec3.h"
#include "model/joint_motions.h"

#include <math.h>
#include <string.h>

bool asp_contact_is_urgent(const AspContactFrame *frame, double approach, double dt) {
  return frame->gap + dt * approach < -frame->depth;
}

bool asp_contact_is_of_beam(const AspModel *model, const AspContactFrame *frame) {
  return asp_model_station_beam(model, frame->body_a, NULL) >= 0 ||
         asp_model_station_beam(model, frame->body_b, NULL) >= 0;
}

/* tau' of a beam */
static double mean_time(double tau, double e) { return 0.5 - (0.5 - tau) * (1 - e) / (1 + e); }

/* A body meets something at the part tau of the step; the earliest counts. */
static void offer(double *times, int body, double tau) {
  if (times[body] < 0 || tau < times[body])
    times[body] = tau;
}

/* ---- what is met ---- */

/* How the old velocities close a gap or the distance to a limit. */
typedef struct Closing {
  bool crossed; /* within the step */
  double tau;   /* part of the step at which it is met */
  double rate;  /* there */
} Closing;

static Closing close_in(double distance, double rate, double bend, double slop, double dt) {
  double ahead = fmax(distance, 0);
  double square = rate * rate - 2 * bend * ahead; // of the speed where it is met
  if (!(rate < 0 || (bend < 0 && distance > 0)) || !(square > 0))
    return (Closing){0};
  double speed = sqrt(square), tau = 2 * ahead / (dt * (speed - rate));
  // how far it would be passed at the end of the step, or where the approach ends
  double until = bend > 0 ? fmin(dt, fmax(-rate / bend, 0)) : dt,
         passed = -(distance + until * (rate + 0.5 * until * bend));
  return (Closing){.crossed = tau <= 1 && passed > slop, .tau = fmin(tau, 1), .rate = -speed};
}

/* Would the old velocity pass it? */
static bool limit_is_passed(double distance, double rate, double slop, double dt) {
  return close_in(distance, rate, 0, slop, dt).crossed;
}

/* Closed and slow, nothing to give back: held as it is. */
static bool is_held(double distance, double rate, double slow, double restitution, double slop) {
  return distance <= slop && restitution == 0 && rate > -TIME_OF_IMPACT_HELD * slow;
}

bool asp_limit_is_met(const AspApproach *limit, const AspStepTerms *terms) {
  Closing closing = close_in(limit->distance, limit->rate, -limit->pressing, limit->slop, terms->dt);
  return limit_is_passed(limit->distance, limit->rate, limit->slop, terms->dt) && closing.crossed &&
         closing.rate < -limit->rest &&
         !is_held(limit->distance, limit->rate, limit->rest, limit->restitution, limit->slop);
}

AspApproach asp_limit_approach(const AspFormulation *formulation, int joint, const AspRow *row, double distance,
                               double rate, const AspStepTerms *terms) {
  double e = asp_model_joint_def(formulation->model, joint)->limit_restitution;
  return (AspApproach){.distance = distance,
                       .rate = rate,
                       .rest = asp_row_rest_speed(formulation, row, 0, terms),
                       .pressing = asp_row_pressing(formulation, row, terms),
                       .instant = -1,
                       .slop = asp_limit_slop(formulation->model, joint, terms->slop, terms->slop_turn),
                       .restitution = e,
                       .bounces = e > 0};
}

/* Distance to a joint's limits, low and high, m or rad; false: it has none. */
static bool find_limits(const AspModel *model, const AspState *state, int joint, AspRow row[ASP_ROW_PARTS],
                        double distance[2]) {
  const AspJointDef *def = asp_model_joint_def(model, joint);
  if ((!isfinite(def->limit_low) && !isfinite(def->limit_high)) || !asp_joint_coordinate(model, state, joint, row))
    return false;
  distance[0] = row->value - def->limit_low;
  distance[1] = def->limit_high - row->value;
  return true;
}

/* May a limit be met: by the rates alone? */
static bool limits_may_be_met(const AspModel *model, const AspState *state, int joint, const AspStepTerms *terms) {
  const AspJointDef *def = asp_model_joint_def(model, joint);
  RowMotion at;
  if ((!isfinite(def->limit_low) && !isfinite(def->limit_high)) ||
      !asp_kept_motion_of_coordinate(terms->motions, model, state, joint, &at))
    return false;
  double slop = asp_limit_slop(model, joint, terms->slop, terms->slop_turn);
  return limit_is_passed(at.value - def->limit_low, at.rate, slop, terms->dt) ||
         limit_is_passed(def->limit_high - at.value, -at.rate, slop, terms->dt);
}

/* Is a limit met whose distance changes by `along`? row: of the coordinate. */
static bool side_is_met(const AspFormulation *formulation, int joint, const AspRow *row, double distance, bool high,
                        double along, const AspStepTerms *terms) {
  AspRow opposite[ASP_ROW_PARTS];
  if (!limit_is_passed(distance, along, asp_limit_slop(formulation->model, joint, terms->slop, terms->slop_turn),
                       terms->dt))
    return false;
  opposite_row(row, opposite);
  AspApproach limit = asp_limit_approach(formulation, joint, high ? opposite : row, distance, along, terms);
  return asp_limit_is_met(&limit, terms);
}

bool asp_limit_meets(const AspFormulation *formulation, const AspState *state, int joint, bool high,
                     const AspStepTerms *terms) {
  AspRow row[ASP_ROW_PARTS];
  double distance[2];
  if (!find_limits(formulation->model, state, joint, row, distance))
    return false;
  double rate = row_rate(formulation->model, state, row);
  return side_is_met(formulation, joint, row, distance[high], high, high ? -rate : rate, terms);
}

/* Limits of a joint's coordinate that are met. */
static bool meet_limits(const AspFormulation *formulation, const AspState *state, int joint, const AspStepTerms *terms,
                        double *times) {
  const AspModel *model = formulation->model;
  AspRow row[ASP_ROW_PARTS];
  double distance[2];
  bool any = false;
  if (!find_limits(model, state, joint, row, distance))
    return false;
  double rate = row_rate(model, state, row), slop = asp_limit_slop(model, joint, terms->slop, terms->slop_turn);
  for (int side = 0; side < 2; side++) {
    double along = side == 0 ? rate : -rate;
    if (!side_is_met(formulation, joint, row, distance[side], side == 1, along, terms))
      continue;
    any = true;
    double tau = fmin(close_in(distance[side], along, 0, slop, terms->dt).tau, 1 - TIME_OF_IMPACT_SHORTEST);
    for (const AspRow *part = row; part; part = part->more) {
      offer(times, part->body_a, tau);
      offer(times, part->body_b, tau);
    }
  }
  return any;
}

/* Is the contact an impact of this step, and when. */
static bool is_met(const AspFormulation *formulation, const AspContactFrame *frame, const AspState *state,
                   const AspStepTerms *terms, double *tau) {
  const AspModel *model = formulation->model;
  AspRow row;
  asp_contact_row_along(asp_model_dimension(model), frame, frame->normal, &row);
  double approach = row_rate(model, state, &row), gravity = norm3(asp_model_gravity(model));
  bool of_beam = asp_contact_is_of_beam(model, frame);
  // tau is that of the way along the velocities; whether there is an impact, the accelerations have a say in
  Closing way = close_in(frame->gap, approach, frame->bend, terms->slop, terms->dt);
  Closing closing =
      close_in(frame->gap, approach, frame->bend - asp_row_pressing(formulation, &row, terms), terms->slop, terms->dt);
  double rest = asp_row_rest_speed(formulation, &row, gravity, terms);
  // rims and corners that roll: the approach ends by itself in the first half of the step
  bool rolls = approach + 0.5 * terms->dt * frame->bend > -rest;
  // held as it is, like a contact at rest. Accelerations of a beam are those of its vibration
  double slow = of_beam ? terms->dt * fmax(gravity, fabs(frame->bend)) : rest;
  bool held = is_held(frame->gap, approach, slow, frame->restitution, terms->slop);
  *tau = way.tau;
  if (way.crossed && closing.crossed && !of_beam && closing.rate < -rest && !rolls && !held)
    return true;
  if (!asp_contact_is_urgent(frame, approach, terms->dt) || (of_beam && held))
    return false;
  *tau = fmin(fmax(frame->gap / (-terms->dt * approach), 0), 1);
  return true;
}

/* The centripetal acceleration of the contact's point on a body, m/s^2. */
static double centripetal(const AspModel *model, const AspState *state, int body, AspVec3 arm) {
  AspVec3 w = asp_state_angular_velocity(model, state, body);
  return norm3(cross3(w, cross3(w, arm)));
}

bool asp_frame_may_meet(const AspModel *model, const AspContactFrame *frame, const AspState *state, double dt) {
  double approach = asp_contact_approach(model, frame, state);
  if (frame->gap > 0) // what its points add at most
    approach -= 0.5 * dt *
                (centripetal(model, state, frame->body_a, frame->arm_a) +
                 centripetal(model, state, frame->body_b, frame->arm_b));
  return frame->barrier || (approach < -dt * norm3(asp_model_gravity(model)) && frame->gap + dt * approach < 0);
}

bool asp_may_meet(const AspModel *model, const AspContactFrame *frames, int count, const AspState *state,
                  const AspStepTerms *terms) {
  for (int i = 0; i < count; i++)
    if (asp_frame_may_meet(model, &frames[i], state, terms->dt) ||
        asp_contact_is_urgent(&frames[i], asp_contact_approach(model, &frames[i], state), terms->dt))
      return true;
  asp_joint_motions_take(terms->motions, model, state);
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    if (limits_may_be_met(model, state, joint, terms))
      return true;
  return false;
}

/* ---- bodies that are connected ---- */

static void connect(const AspModel *model, int *set, int a, int b) {
  if (asp_model_body_is_free(model, a) && asp_model_body_is_free(model, b))
    asp_unite_sets(set, a, b);
}

/* All bodies that are connected take the earliest of their times. */
static AspError spread_times(AspArena *arena, const AspModel *model, const AspContactFrame *frames, int count,
                             double *times) {
  int bodies = asp_model_body_count(model), *set = ASP_TAKE_UNCLEARED(arena, int, bodies);
  if (!set)
    return ASP_ERROR_MEMORY;
  asp_sets_begin(bodies, set);
  for (int i = 0; i < count; i++)
    if (frames[i].barrier || frames[i].met || !asp_contact_is_of_beam(model, &frames[i]))
      connect(model, set, frames[i].body_a, frames[i].body_b);
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    asp_joint_unite(model, joint, set);
  for (int body = 0; body < bodies; body++) { // a beam has one time for all of it
    int beam = asp_model_station_beam(model, body, NULL);
    if (beam >= 0)
      connect(model, set, body, asp_model_beam_station(model, beam, false));
  }
  for (int body = 0; body < bodies; body++)
    if (times[body] >= 0)
      offer(times, asp_set_of(set, body), times[body]);
  for (int body = 0; body < bodies; body++)
    times[body] = times[asp_set_of(set, body)];
  return ASP_OK;
}

static double time_of_pair(const AspModel *model, const double *times, int a, int b) {
  return !times ? -1 : times[asp_model_body_is_free(model, a) ? a : b];
}

double asp_time_of_bodies(const AspFormulation *formulation, int body_a, int body_b) {
  return time_of_pair(formulation->model, formulation->time_of_impact, body_a, body_b);
}

/* ---- times of all ---- */

/* A barrier has no time of its own: from the start, unless its bodies meet something later. */
static bool meet_contact(const AspFormulation *formulation, AspContactFrame *frame, const AspState *state,
                         const AspStepTerms *terms, double *times, double *tau) {
  frame->later = false;
  frame->met = !frame->barrier && is_met(formulation, frame, state, terms, tau);
  if (!frame->met && !frame->barrier)
    return false;
  if (frame->barrier)
    *tau = 1;
  if (asp_contact_is_of_beam(formulation->model, frame))
    *tau = frame->barrier ? 0.5 : mean_time(*tau, frame->restitution);
  offer(times, frame->body_a, *tau);
  offer(times, frame->body_b, *tau);
  return true;
}

/* What is left of the gap when one of the contact's bodies meets something by itself, m. */
static double still_open(const AspModel *model, const AspContactFrame *frame, const AspState *state, const double *own,
                         double at, double dt) {
  double first = at;
  for (int side = 0; side < 2; side++) {
    int body = side == 0 ? frame->body_a : frame->body_b;
    if (asp_model_body_is_free(model, body) && own[body] >= 0)
      first = fmin(first, own[body] * dt);
  }
  return fmax((first - at) * asp_contact_approach(model, frame, state), 0);
}

AspError asp_find_times_of_impact(AspFormulation *formulation, AspContactFrame *frames, int count,
                                  const AspState *state, const AspStepTerms *terms, double **found) {
  const AspModel *model = formulation->model;
  int bodies = asp_model_body_count(model);
  double *times = ASP_TAKE_UNCLEARED(formulation->arena, double, bodies);
  double *tau = ASP_TAKE_UNCLEARED(formulation->arena, double, count);
  bool any = false;
  *found = NULL;
  if (!times || !tau)
    return ASP_ERROR_MEMORY;
  for (int body = 0; body < bodies; body++)
    times[body] = -1;
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    any = meet_limits(formulation, state, joint, terms, times) || any;
  for (int i = 0; i < count; i++)
    any = meet_contact(formulation, &frames[i], state, terms, times, &tau[i]) || any;
  if (!any)
    return ASP_OK;
  double *own = ASP_TAKE_UNCLEARED(formulation->arena, double, bodies);
  if (!own)
    return ASP_ERROR_MEMORY;
  memcpy(own, times, (size_t)bodies * sizeof *own);
  ASP_TRY(spread_times(formulation->arena, model, frames, count, times));
  for (int i = 0; i < count; i++) {
    double earliest = time_of_pair(model, times, frames[i].body_a, frames[i].body_b);
    frames[i].later =
        frames[i].met && !asp_contact_is_of_beam(model, &frames[i]) && tau[i] > earliest + TIME_OF_IMPACT_TOGETHER;
    frames[i].met = frames[i].met && !frames[i].later;
    frames[i].merged = frames[i].met     ? still_open(model, &frames[i], state, own, tau[i] * terms->dt, terms->dt)
                       : frames[i].later ? (tau[i] - 1) * terms->dt * asp_contact_approach(model, &frames[i], state)
                                         : 0;
  }
  for (int body = 0; body < bodies; body++)
    if (times[body] == 1)
      times[body] = 0;
  *found = times;
  return ASP_OK;
}

double asp_barrier_shift(const AspFormulation *formulation, const AspContactFrame *frame, double approach, double dt) {
  double tau = fmax(asp_time_of_bodies(formulation, frame->body_a, frame->body_b), 0);
  double shift = (fmax(frame->gap, 0) + tau * dt * approach) / (fmax(1 - tau, TIME_OF_IMPACT_SHORTEST) * dt);
  return fmax(shift, fmin(approach, 0)); // it gives no more back than came: what overlaps all the same is projected
}
