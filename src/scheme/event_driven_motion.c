/* Smooth motion of the event-driven scheme: accelerations in the present modes (scheme/constrained_acceleration.h), and
 * the values whose fall through zero is an event:
 *
 *   gap of every open contact              impact, touch
 *   r_N of a closed one                    release
 *   mu r_N - |r_T| of one that sticks      slip
 *   slip along its direction otherwise     stick, reversal
 *   how far a closed one is from its end   another face, edge or vertex touches, or none
 *   the same four of joints: distance to limits, their force, effort - |force|, rate
 *   A of a sliding contact                 Painleve's paradox
 *
 * A value that starts at zero (the slip of a contact that just began to slide, a contact at the edge of its cone) gets
 * an offset, so that only its fall below zero counts; gaps that open at the start get a smaller offset. */
#include "base/elementary.h"
#include "linalg/dimension.h"
#include "linalg/vec3.h"
#include "scheme/event_driven.h"

#include "problem/cone.h"
#include "scheme/tuning/event_driven.h"

#include <math.h>

// exact: the slop is 1e-9 of the size
static double size_of(const AspSchemeHost *host) { return host->slop * 1e9; }

/* ---- the blocks of the modes ---- */

/* A closed contact at a state near run->base. Its bodies move along the face, edge or curved part that touches,
 * extended beyond its end. There the pair has other contacts or none, a gap, or other parts of its shapes are
 * nearest. */
static void follow_track(const EventRun *run, const AspState *state, EventTrack *track, AspContactFrame *frame,
                         AspRoundness round[2]) {
  const AspSchemeHost *host = run->host;
  AspContact contact = track->contact;
  double reach = EVENT_REACH * size_of(host);
  track->left = host->call->follow(host->user, &run->base, state, reach, &contact);
  frame->law = track->law;
  frame->gap = contact.gap;
  host->call->place_frame(host->user, state, &contact, frame);
  for (int side = 0; side < 2; side++)
    round[side] = host->call->roundness(host->user, state, &contact, frame, side == 1);
  track->left = asp_contact_parts(round) != track->parts ? reach : fmin(reach, fmax(track->left, fabs(contact.gap)));
}

AspError asp_events_formulate(EventRun *run, const AspState *state, AspFormulation *formulation) {
  const AspSchemeHost *host = run->host;
  AspStepWork *work = host->work;
  AspArena *arena = host->arena;
  AspContactFrame *frames = ASP_TAKE(arena, AspContactFrame, run->tracks);
  AspRoundness *round = ASP_TAKE(arena, AspRoundness, 2 * run->tracks);
  AspContactHold *holds = ASP_TAKE(arena, AspContactHold, run->tracks);
  if (!frames || !round || !holds)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < run->tracks; i++) {
    follow_track(run, state, &run->track[i], &frames[i], &round[2 * i]);
    holds[i] = run->track[i].hold;
  }
  work->frames = frames;
  work->frame_count = run->tracks;
  AspInstant instant = {.gap = run->gap, .speed = run->speed, .contacts = holds, .joints = run->joint};
  int approaching;
  ASP_TRY(asp_formulation_begin(formulation, arena, host->model, frames, run->tracks));
  return asp_formulate_acceleration(formulation, state, frames, round, run->tracks, &work->friction, &instant,
                                    &approaching);
}

double *asp_events_last_reactions(const EventRun *run, const AspFormulation *formulation) {
  double *last = ASP_TAKE(run->host->arena, double, formulation->rows);
  for (int b = 0; last && b < formulation->blocks; b++) {
    const AspBlockTag *tag = &formulation->tag[b];
    int first = formulation->offset[b];
    const double *from = tag->role == ASP_ROLE_CONTACT
                             ? run->track[tag->index].reaction
                             : run->joint_reaction + TOTAL_SLOTS * tag->index + asp_totals_slot(tag);
    memcpy(last + first, from, (size_t)(formulation->offset[b + 1] - first) * sizeof *last);
  }
  return last;
}

/* Accelerations and reactions at a state; the caller rewinds the arena. */
static AspError solve_at(EventRun *run, const AspState *state, AspFormulation *formulation,
                         AspConstrainedMotion *motion) {
  ASP_TRY(asp_events_formulate(run, state, formulation));
  double *last = asp_events_last_reactions(run, formulation);
  return last ? asp_solve_constrained(formulation, state, last, motion) : ASP_ERROR_MEMORY;
}

static AspError rates(void *user, const AspState *state, double *acceleration, double *further, bool *fits) {
  EventRun *run = user;
  const AspSchemeHost *host = run->host;
  AspArenaMark mark = asp_arena_mark(host->arena);
  AspFormulation formulation;
  AspConstrainedMotion motion;
  AspError error;
  ASP_CHECK(solve_at(run, state, &formulation, &motion));
  ASP_CHECK(asp_totals_rates(&run->totals, state, &formulation, motion.r, further + run->rows));
  memcpy(acceleration, motion.acceleration, (size_t)asp_model_dof_count(host->model) * sizeof *acceleration);
  memcpy(further, motion.r, (size_t)run->rows * sizeof *further);
  *fits = !run->jam_watched || motion.jam_block < 0 || motion.jam_relative > 0; // from here on there is no finite force
done:
  asp_arena_rewind(host->arena, mark);
  return error;
}

/* ---- values of events ---- */

/* Roots: 0 the gaps of all contacts that are neither closed nor touching; then touching ones; per track force,
 * friction, beginning, end; per joint motor, frictions, low, high; A. */
static int root_of_tracks(const EventRun *run) { return 1 + run->touches; }
static int root_of_joints(const EventRun *run) { return root_of_tracks(run) + EVENT_TRACK_ROOTS * run->tracks; }
static int root_of_jam(const EventRun *run) {
  return root_of_joints(run) + EVENT_JOINT_ROOTS * asp_model_joint_count(run->host->model);
}

static bool same_contact(const AspContact *contact, int a, int b, uint32_t feature) {
  return contact->collider_a == a && contact->collider_b == b && contact->feature == feature;
}

/* Place of a contact's gap among the roots; -1: it is motion. */
static int gap_root(const EventRun *run, const AspContact *contact) {
  for (int i = 0; i < run->tracks; i++) {
    const AspContact *closed = &run->track[i].contact;
    if (same_contact(contact, closed->collider_a, closed->collider_b, closed->feature))
      return -1;
  }
  for (int i = 0; i < run->touches; i++)
    if (same_contact(contact, run->touch[i].collider_a, run->touch[i].collider_b, run->touch[i].feature))
      return 1 + i;
  return 0;
}

static AspError gap_values(EventRun *run, const AspState *state, double *value) {
  const AspSchemeHost *host = run->host;
  int count;
  double reach = EVENT_REACH * size_of(host);
  const AspContact *found;
  ASP_TRY(host->call->find_at(host->user, state, reach, run->colliders, &found, &count));
  for (int i = 0; i <= run->touches; i++)
    value[i] = reach;
  for (int i = 0; i < count; i++) {
    int root = gap_root(run, &found[i]);
    if (root >= 0)
      value[root] = fmin(value[root], found[i].gap);
  }
  return ASP_OK;
}

/* Force and friction of a closed contact, whether its slip is still beginning, and whether it has ended. */
static void contact_values(const EventRun *run, const AspState *state, const AspFormulation *formulation, int block,
                           const double *r, double value[EVENT_TRACK_ROOTS]) {
  const AspSchemeHost *host = run->host;
  const EventTrack *track = &run->track[formulation->tag[block].index];
  const AspContactFrame *frame = &host->work->frames[formulation->tag[block].index];
  int first = formulation->offset[block], rows = formulation->offset[block + 1] - first;
  double tangential = 0, along = 0;
  value[EVENT_TRACK_FORCE] = r[first];
  value[EVENT_TRACK_FRICTION] = value[EVENT_TRACK_BEGUN] = 1;
  value[EVENT_TRACK_END] = track->watched ? EVENT_MOTION_LEFT * run->gap - track->left : 1;
  if (rows == 1)
    return;
  for (int k = 1; k < rows; k++) {
    const AspRow *row = &formulation->row[first + k];
    int n = asp_body_velocities(asp_model_dimension(host->model));
    double rate = asp_row_along(n, row, state->v) + row->rate;
    tangential = asp_hypot(tangential, r[first + k]);
    along += rate / frame->stretch[k - 1] * dot3(track->hold.direction, k == 1 ? frame->t1 : frame->t2);
  }
  if (track->hold.begins)
    value[EVENT_TRACK_BEGUN] = EVENT_BEGUN * run->speed - along;
  value[EVENT_TRACK_FRICTION] = track->hold.slides ? along : formulation->law[block].mu * r[first] - tangential;
}

/* Rates along which friction moves; of a friction of several rows the second value tells that its slip has begun. */
static void friction_values(const EventRun *run, const AspState *state, int joint, double *value) {
  const AspModel *model = run->host->model;
  int n = asp_body_velocities(asp_model_dimension(model));
  AspJointFriction friction[ASP_JOINT_FRICTIONS];
  AspRow row[ASP_ROW_PARTS];
  int count = asp_joint_frictions(model, joint, friction);
  if (count == 0 || asp_joint_free_rows(model, state, joint, row) == 0)
    return;
  for (int i = 0; i < count; i++) {
    int first = friction[i].first;
    double along = 0, moves = 0;
    for (int k = first; k < first + friction[i].rows; k++) {
      along += run->joint[joint].friction[k] * asp_row_along(n, &row[k], state->v);
      moves += fabs(run->joint[joint].friction[k]);
    }
    if (moves > 0)
      value[first] = along;
    if (moves > 0 && friction[i].rows > 1 && run->joint[joint].begins)
      value[first + 1] = EVENT_BEGUN * run->speed - along;
  }
}

/* Rates of moving joints and motors, distances to limits that are open; what is held comes from the reactions. */
static void joint_values(const EventRun *run, const AspState *state, int joint, double value[EVENT_JOINT_ROOTS]) {
  const AspModel *model = run->host->model;
  const AspJointDef *def = asp_model_joint_def(model, joint);
  const AspJointHold *hold = &run->joint[joint];
  int n = asp_body_velocities(asp_model_dimension(model));
  AspRow row[ASP_ROW_PARTS];
  AspJet wanted;
  double effort;
  for (int i = 0; i < EVENT_JOINT_ROOTS; i++)
    value[i] = 1;
  friction_values(run, state, joint, value + EVENT_ROOT_FRICTION);
  if (!asp_joint_coordinate(model, state, joint, row))
    return;
  double rate = asp_row_along(n, row, state->v);
  if (hold->motor != 0 && asp_joint_motor(model, state, joint, state->t, &wanted, &effort))
    value[EVENT_ROOT_MOTOR] = hold->motor * (rate - wanted.value);
  if (isfinite(def->limit_low) && !hold->low)
    value[EVENT_ROOT_LOW] = row->value - def->limit_low;
  if (isfinite(def->limit_high) && !hold->high)
    value[EVENT_ROOT_HIGH] = def->limit_high - row->value;
}

static void block_values(const EventRun *run, const AspState *state, const AspFormulation *formulation, int block,
                         const double *r, double *value) {
  const AspBlockTag *tag = &formulation->tag[block];
  const AspLaw *law = &formulation->law[block];
  int first = formulation->offset[block], rows = formulation->offset[block + 1] - first;
  double force = rows > 0 ? r[first] : 0;
  double *joint = value + root_of_joints(run) + EVENT_JOINT_ROOTS * tag->index;
  bool holds = (law->kind == ASP_LAW_BOX || law->kind == ASP_LAW_BALL) && !asp_reaction_is_given(law);
  switch (tag->role) {
  case ASP_ROLE_CONTACT:
    contact_values(run, state, formulation, block, r, value + root_of_tracks(run) + EVENT_TRACK_ROOTS * tag->index);
    break;
  case ASP_ROLE_MOTOR:
    if (holds)
      joint[EVENT_ROOT_MOTOR] = law->limit - fabs(force);
    break;
  case ASP_ROLE_FRICTION:
    if (holds)
      joint[EVENT_ROOT_FRICTION + tag->part] = law->limit - asp_ball_length(rows, r + first);
    break;
  case ASP_ROLE_LIMIT_LOW:
    joint[EVENT_ROOT_LOW] = force;
    break;
  case ASP_ROLE_LIMIT_HIGH:
    joint[EVENT_ROOT_HIGH] = force;
    break;
  default:
    break;
  }
}

static AspError root_values(void *user, const AspState *state, double *value) {
  EventRun *run = user;
  const AspSchemeHost *host = run->host;
  AspArenaMark mark = asp_arena_mark(host->arena);
  AspFormulation formulation;
  AspConstrainedMotion motion;
  AspError error;
  ASP_CHECK(gap_values(run, state, value));
  ASP_CHECK(solve_at(run, state, &formulation, &motion));
  for (int i = root_of_tracks(run); i < root_of_joints(run); i++)
    value[i] = 1;
  for (int joint = 0; joint < asp_model_joint_count(host->model); joint++)
    joint_values(run, state, joint, value + root_of_joints(run) + EVENT_JOINT_ROOTS * joint);
  for (int b = 0; b < formulation.blocks; b++)
    block_values(run, state, &formulation, b, motion.r, value);
  value[root_of_jam(run)] = !run->jam_watched || motion.jam_block < 0 ? 1 : motion.jam_relative - run->jam_threshold;
  for (int i = 0; i < run->roots; i++)
    value[i] += run->offset[i];
done:
  asp_arena_rewind(host->arena, mark);
  return error;
}

/* ---- one smooth motion ---- */

static AspError reserve_roots(EventRun *run) {
  AspContext *context = run->host->context;
  run->roots = root_of_jam(run) + 1;
  ASP_TRY(ASP_GROW(context, run->offset, run->root_capacity[0], run->roots));
  ASP_TRY(ASP_GROW(context, run->direction, run->root_capacity[1], run->roots));
  ASP_TRY(ASP_GROW(context, run->fired, run->root_capacity[2], run->roots));
  for (int i = 0; i < run->roots; i++) {
    run->offset[i] = 0;
    run->direction[i] = -1;
  }
  return ASP_OK;
}

/* Does the friction that a root is of move; *begun: the root tells that its slip has begun. */
static bool friction_moves(const EventRun *run, int joint, int place, bool *begun) {
  AspJointFriction friction[ASP_JOINT_FRICTIONS];
  int count = asp_joint_frictions(run->host->model, joint, friction);
  double moves = 0;
  for (int i = 0; i < count; i++) {
    bool within = place >= friction[i].first && place < friction[i].first + friction[i].rows;
    for (int k = 0; within && k < friction[i].rows; k++)
      moves += fabs(run->joint[joint].friction[friction[i].first + k]);
    *begun = *begun || (within && place > friction[i].first);
  }
  return moves > 0;
}

/* Size below which the start value of a root counts as zero; 0: it needs no offset. */
static double root_tolerance(const EventRun *run, int root, double force) {
  if (root == 0)
    return 0;
  if (root < root_of_tracks(run))
    return EVENT_MOTION_PARTING * run->gap;
  if (root < root_of_joints(run)) {
    int place = root - root_of_tracks(run), kind = place % EVENT_TRACK_ROOTS;
    return kind == EVENT_TRACK_BEGUN || kind == EVENT_TRACK_END ? 0
           : kind == EVENT_TRACK_FRICTION && run->track[place / EVENT_TRACK_ROOTS].hold.slides
               ? run->speed
               : EVENT_MOTION_LIGHT * force;
  }
  if (root == root_of_jam(run))
    return 0;
  int place = (root - root_of_joints(run)) % EVENT_JOINT_ROOTS,
      joint = (root - root_of_joints(run)) / EVENT_JOINT_ROOTS;
  const AspJointHold *hold = &run->joint[joint];
  bool moves = place == EVENT_ROOT_MOTOR && hold->motor != 0, begun = false;
  if (place >= EVENT_ROOT_FRICTION && place < EVENT_ROOT_LOW)
    moves = friction_moves(run, joint, place - EVENT_ROOT_FRICTION, &begun);
  if (begun)
    return 0;
  bool open = (place == EVENT_ROOT_LOW && !hold->low) || (place == EVENT_ROOT_HIGH && !hold->high);
  return open ? EVENT_MOTION_PARTING * run->gap : moves ? run->speed : EVENT_MOTION_LIGHT * force;
}

/* What touches as the motion begins. A contact that its pair does not have by itself there (collide/seam.h) is not
 * watched for its end. */
static void note_parts(EventRun *run) {
  AspContactFrame frame = {0};
  AspRoundness round[2];
  for (int i = 0; i < run->tracks; i++) {
    EventTrack *track = &run->track[i];
    follow_track(run, &run->base, track, &frame, round);
    track->parts = asp_contact_parts(round);
    follow_track(run, &run->base, track, &frame, round);
    track->watched = track->left <= EVENT_MOTION_LEFT * run->gap;
  }
}

/* Offsets of the values that start at zero; *fits = false: one of them starts far below. */
static AspError make_offsets(EventRun *run, bool *fits) {
  const AspSchemeHost *host = run->host;
  AspArenaMark mark = asp_arena_mark(host->arena);
  AspFormulation formulation;
  AspConstrainedMotion motion;
  AspError error;
  double force = 0;
  *fits = true;
  note_parts(run);
  ASP_CHECK(solve_at(run, &run->base, &formulation, &motion));
  for (int k = 0; k < formulation.rows; k++)
    force = fmax(force, fabs(motion.r[k]));
  run->rows = formulation.rows;
  run->largest = motion.largest;
  run->jam_threshold = EVENT_MOTION_JAM_FIRST;
  run->jam_watched = motion.jam_block >= 0 && motion.jam_relative > EVENT_MOTION_JAM_LAST;
  while (run->jam_watched && run->jam_threshold > motion.jam_relative * (1 - EVENT_MOTION_JAM_ROUNDING) &&
         run->jam_threshold > EVENT_MOTION_JAM_LAST)
    run->jam_threshold *= EVENT_MOTION_JAM_NEXT;
  double *value = ASP_TAKE(host->arena, double, run->roots);
  error = value ? root_values(run, &run->base, value) : ASP_ERROR_MEMORY;
  for (int i = 0; error == ASP_OK && i < run->roots; i++) {
    double nothing = root_tolerance(run, i, force);
    if (nothing > 0 && value[i] <= nothing)
      run->offset[i] = nothing - value[i];
    bool of_force = i >= root_of_tracks(run) && i < root_of_jam(run);
    *fits = *fits && !(of_force && nothing > 0 && value[i] < -EVENT_MOTION_PULLING * nothing);
  }
done:
  asp_arena_rewind(host->arena, mark);
  return error;
}

/* Steps of the integrator in which nothing passes through anything thin, and nothing turns far. */
static double longest_step(const AspSchemeHost *host) {
  double longest = INFINITY;
  for (int body = 0; body < asp_model_body_count(host->model); body++) {
    double turn = norm3(asp_state_angular_velocity(host->model, host->state, body));
    double speed = norm3(asp_state_velocity(host->model, host->state, body)) + turn * host->body_radius[body];
    if (isfinite(host->thinnest) && speed > 0)
      longest = fmin(longest, 0.5 * host->thinnest / speed);
    if (turn > 0)
      longest = fmin(longest, EVENT_MOTION_TURN / turn);
  }
  return isfinite(longest) ? longest : 0;
}

/* Are there springs, dampers and servos that an explicit method could follow with very short steps only? */
static bool is_stiff(const AspSchemeHost *host, double dt) {
  const AspModel *model = host->model;
  int n = asp_body_velocities(asp_model_dimension(model));
  for (int e = 0; e < asp_model_stiff_count(model) + asp_model_servo_count(model); e++) {
    double K[144], C[144], M[36], stiffness = 0, damping = 0;
    int bodies[2];
    asp_model_stiff(model, host->state, e, &bodies[0], &bodies[1], K, C);
    for (int side = 0; side < 2; side++) {
      if (asp_model_body_dof(model, bodies[side]) < 0)
        continue;
      asp_body_mass_matrix(model, host->state, bodies[side], M);
      for (int i = 0; i < n; i++) {
        int k = side * n + i;
        stiffness += K[k * 2 * n + k] / M[i * n + i];
        damping += C[k * 2 * n + k] / M[i * n + i];
      }
    }
    if (dt * dt * stiffness > EVENT_MOTION_STIFF * EVENT_MOTION_STIFF || dt * damping > EVENT_MOTION_STIFF)
      return true;
  }
  return false;
}

/* Impulses and flows of the motion just made, at its end: what the further unknowns grew by. */
static AspError count_motion(EventRun *run, const double *now, const double *last) {
  const AspSchemeHost *host = run->host;
  AspArenaMark mark = asp_arena_mark(host->arena);
  AspFormulation formulation;
  double *grown = ASP_TAKE(host->arena, double, run->rows + STEP_TOTALS_TOTAL_FLOWS);
  AspContact *contacts = ASP_TAKE(host->arena, AspContact, run->tracks);
  if (!grown || !contacts)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < run->rows + STEP_TOTALS_TOTAL_FLOWS; i++)
    grown[i] = now[i] - last[i];
  for (int i = 0; i < run->tracks; i++)
    contacts[i] = run->track[i].contact;
  ASP_TRY(asp_events_formulate(run, host->state, &formulation));
  ASP_TRY(asp_totals_count(&run->totals, &formulation, contacts, grown));
  asp_totals_flows(&run->totals, grown + run->rows);
  asp_arena_rewind(host->arena, mark);
  return ASP_OK;
}

/* A fell below a threshold, or the integrator failed while A was falling. */
static AspError note_jam(EventRun *run, bool stuck) {
  const AspSchemeHost *host = run->host;
  AspArenaMark mark = asp_arena_mark(host->arena);
  AspFormulation formulation;
  AspConstrainedMotion motion;
  AspError error = solve_at(run, host->state, &formulation, &motion);
  if (error == ASP_OK && run->jam_watched && motion.jam_block >= 0 &&
      (!stuck || motion.jam_relative < EVENT_MOTION_JAM_FIRST)) {
    const AspContactFrame *frame = &host->work->frames[formulation.tag[motion.jam_block].index];
    run->jammed = stuck || run->jam_threshold <= EVENT_MOTION_JAM_LAST * (1 + EVENT_MOTION_JAM_ROUNDING);
    error = asp_events_note(run, (AspEvent){.kind = run->jammed ? ASP_EVENT_NO_FORCE : ASP_EVENT_JAM,
                                            .t = host->state->t,
                                            .joint = -1,
                                            .body_a = frame->body_a,
                                            .body_b = frame->body_b,
                                            .A = motion.jam_A,
                                            .b = motion.jam_b,
                                            .force = motion.r[formulation.offset[motion.jam_block]]});
  }
  asp_arena_rewind(host->arena, mark);
  return error;
}

/* Absolute tolerance of impulses and flows: of the momentum that all bodies have at the fastest speed,
 * or their energy. */
static double allowed_impulse(const EventRun *run) {
  const AspSchemeHost *host = run->host;
  // exact: the speed is 1e-9 of the fastest
  double mass = 0, speed = 1e9 * run->speed;
  for (int body = 0; body < asp_model_body_count(host->model); body++)
    mass += asp_model_body_dof(host->model, body) >= 0 ? asp_model_body_mass(host->model, body) : 0;
  return EVENT_MOTION_FLOWS * mass * speed * fmax(fmax(speed, size_of(host)), 1);
}

/* What the integrator asks. */
static AspSmooth calls_of(EventRun *run) {
  return (AspSmooth){.context = run->host->context,
                     .model = run->host->model,
                     .user = run,
                     .rates = rates,
                     .roots = root_values,
                     .direction = run->direction};
}

AspError asp_events_archive_motion(EventRun *run, AspArchive *archive) {
  AspSmooth calls = calls_of(run);
  return asp_smooth_archive(archive, &calls, &run->motion);
}

/* The integrator for the present modes, from the present state. */
static AspError begin_motion(EventRun *run, double t) {
  const AspSchemeHost *host = run->host;
  size_t unknowns = (size_t)(run->rows + STEP_TOTALS_TOTAL_FLOWS);
  ASP_TRY(ASP_GROW(host->context, run->further, run->further_capacity, 2 * unknowns));
  memset(run->further, 0, 2 * unknowns * sizeof *run->further);
  AspSmooth smooth = calls_of(run);
  smooth.further = (int)unknowns;
  smooth.root_count = run->roots;
  smooth.stiff = run->stiff || is_stiff(host, t - host->state->t);
  smooth.tolerance = EVENT_MOTION_TOLERANCE;
  smooth.size = size_of(host);
  // exact: the speed is 1e-9 of the fastest
  smooth.speed = 1e9 * run->speed;
  smooth.allowed = allowed_impulse(run);
  smooth.longest = longest_step(host);
  smooth.evaluations = EVENT_MOTION_EVALUATIONS;
  return asp_smooth_open(&smooth, host->state, run->further, &run->motion);
}

void asp_events_end_motion(EventRun *run) {
  asp_smooth_close(run->motion);
  run->motion = NULL;
}

/* From where it is to t; without a motion under way one begins in the present modes. */
static AspError advance(EventRun *run, double t, AspSmoothEnd *end) {
  const AspSchemeHost *host = run->host;
  int flag = 0;
  if (!run->motion)
    ASP_TRY(begin_motion(run, t));
  size_t unknowns = (size_t)(run->rows + STEP_TOTALS_TOTAL_FLOWS);
  double *now = run->further, *last = now + unknowns;
  memcpy(last, now, unknowns * sizeof *last);
  memset(run->fired, 0, (size_t)run->roots * sizeof *run->fired);
  ASP_TRY(asp_smooth_advance(run->motion, t, host->state, now, run->fired, end, &flag));
  ASP_TRY(count_motion(run, now, last));
  if (*end != ASP_SMOOTH_REACHED)
    asp_events_end_motion(run);
  return ASP_OK;
}

AspError asp_events_move(EventRun *run, double t, bool *moving) {
  const AspSchemeHost *host = run->host;
  AspSmoothEnd end;
  *moving = true;
  if (!run->motion) {
    run->stiff = false;
    asp_state_copy(host->model, host->state, &run->base);
    ASP_TRY(reserve_roots(run));
    ASP_TRY(make_offsets(run, moving));
    if (!*moving || run->largest > EVENT_ISLAND_MOST) {
      *moving = false;
      return ASP_OK;
    }
  }
  ASP_TRY(advance(run, t, &end));
  if (end == ASP_SMOOTH_STUCK && !run->stiff) { // slip that just begins in space is stiff across its direction
    run->stiff = true;
    ASP_TRY(advance(run, t, &end));
  }
  if (end == ASP_SMOOTH_STUCK || run->fired[root_of_jam(run)])
    ASP_TRY(note_jam(run, end == ASP_SMOOTH_STUCK));
  *moving = end != ASP_SMOOTH_STUCK || run->jammed;
  return ASP_OK;
}
