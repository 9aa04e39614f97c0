/* An instant of the event-driven scheme: the modes in which the motion continues.
 *
 *   1. contacts at the state; what collides: an impact (event_driven_impulses.c), and again from 1.
 *   2. the contact problem of accelerations (event_driven_accelerations.c). Its solution tells which contacts stay
 *      closed, which stick and which slide.
 *   3. no solution, or A has fallen to zero (Painleve): an impulse without collision, and again from 1.
 *   4. the drift of joints and closed contacts is removed (event_driven_drift.c).
 *
 * Changes of modes are noted as events. */
#include "base/elementary.h"
#include "scheme/event_driven.h"

#include "linalg/vec3.h"
#include "problem/cone.h"

#include <math.h>

/* Lengths and speeds that count as zero, from sizes and speeds of the state. */
static void choose_tolerances(EventRun *run) {
  const AspSchemeHost *host = run->host;
  // exact: the slop is 1e-9 of the size
  double size = host->slop * 1e9;
  run->fastest = fmax(run->fastest, sqrt(norm3(asp_model_gravity(host->model)) * size));
  for (int i = 0; i < asp_model_v_size(host->model); i++)
    run->fastest = fmax(run->fastest, fabs(host->state->v[i]));
  run->gap = host->slop;
  run->speed = EVENT_MODES_SPEED * (run->fastest > 0 ? run->fastest : 1);
}

/* ---- modes ---- */

AspError asp_events_add_track(EventRun *run, const EventTrack *track) {
  AspError error = ASP_GROW(run->host->context, run->track, run->track_capacity, run->tracks + 1);
  if (error == ASP_OK)
    run->track[run->tracks++] = *track;
  return error;
}

static AspError add_touch(EventRun *run, const AspContact *contact) {
  AspError error = ASP_GROW(run->host->context, run->touch, run->touch_capacity, run->touches + 1);
  if (error == ASP_OK)
    run->touch[run->touches++] = (EventTouch){contact->collider_a, contact->collider_b, contact->feature};
  return error;
}

/* Sizes below which reactions and accelerations count as zero. */
typedef struct Scale {
  double r, u;
} Scale;

static AspVec3 in_plane(const AspContactFrame *frame, double first, double second) {
  return unit3(add3(scale3(first, frame->t1), scale3(second, frame->t2)));
}

/* Slides: known slip; at rest when it accelerates, or when it came to the edge of its cone. */
static void choose_slip(const EventRun *run, int block, const Scale *scale, EventTrack *track) {
  const AspSchemeHost *host = run->host;
  const AspStepWork *work = host->work;
  const AspFormulation *formulation = &work->formulation;
  const AspContactFrame *frame = &work->frames[formulation->tag[block].index];
  const AspLaw *law = &formulation->law[block];
  int first = formulation->offset[block], rows = formulation->offset[block + 1] - first;
  const double *r = work->r + first, *u = work->u + first, *s = frame->stretch;
  if (rows == 1)
    return;
  double across[2] = {u[1], rows > 2 ? u[2] : 0}, friction[2] = {r[1], rows > 2 ? r[2] : 0};
  if (law->kind == ASP_LAW_SLIDING) {
    track->hold = (AspContactHold){true, false, in_plane(frame, law->direction[0] / s[0], law->direction[1] / s[1])};
  } else if (asp_hypot(across[0], across[1]) > EVENT_MODES_SLOW * scale->u ||
             (track->hold.slides && asp_hypot(friction[0], friction[1]) >= (1 - EVENT_MODES_EDGE) * law->mu * r[0])) {
    // the slip is opposite to the friction, which is known better where the slip only begins
    track->hold = (AspContactHold){true, true, in_plane(frame, -friction[0] / s[0], -friction[1] / s[1])};
  } else {
    track->hold.slides = false;
  }
}

static const EventTrack *find_track(const EventTrack *list, int count, const AspContact *contact) {
  for (int i = 0; i < count; i++)
    if (list[i].contact.collider_a == contact->collider_a && list[i].contact.collider_b == contact->collider_b &&
        list[i].contact.feature == contact->feature)
      return &list[i];
  return NULL;
}

/* A track of before that asked for this when the smooth motion ended: its root of this kind fired. NULL: none did. */
static const EventTrack *find_asking(const EventRun *run, const EventTrack *before, int before_count,
                                     const AspContact *contact, EventTrackRoot kind) {
  const EventTrack *was = find_track(before, before_count, contact);
  if (!was || run->patient || !run->fired)
    return NULL;
  size_t root = 1 + (size_t)run->fired_touches + (size_t)EVENT_TRACK_ROOTS * (size_t)(was - before) + (size_t)kind;
  // tracks that came after the motion ended have no root
  return root < run->root_capacity[2] && run->fired[root] != 0 ? was : NULL;
}

static AspError choose_contact(EventRun *run, int block, const Scale *scale, const EventTrack *before,
                               int before_count) {
  const AspSchemeHost *host = run->host;
  const AspStepWork *work = host->work;
  const AspFormulation *formulation = &work->formulation;
  int frame = formulation->tag[block].index, first = formulation->offset[block];
  int rows = formulation->offset[block + 1] - first;
  EventTrack track = {.contact = (*host->found)[frame], .law = work->frames[frame].law};
  // where others can carry its load the solution is not unique: one that was just unloaded does not take it up again
  if (work->r[first] <= EVENT_MODES_LIGHT * scale->r ||
      find_asking(run, before, before_count, &track.contact, EVENT_TRACK_FORCE))
    return add_touch(run, &track.contact);
  const EventTrack *asking = find_asking(run, before, before_count, &track.contact, EVENT_TRACK_FRICTION);
  track.hold.slides = asking && !asking->hold.slides;
  choose_slip(run, block, scale, &track);
  memcpy(track.reaction, work->r + first, (size_t)rows * sizeof *track.reaction);
  return asp_events_add_track(run, &track);
}

/* A dry joint or motor at rest: does it begin to move? */
static signed char choose_sign(const EventRun *run, int block, const Scale *scale, bool asked) {
  const AspStepWork *work = run->host->work;
  int k = work->formulation.offset[block];
  double limit = work->formulation.law[block].limit, r = work->r[k], u = work->u[k];
  if (fabs(u) > EVENT_MODES_SLOW * scale->u)
    return u > 0 ? 1 : -1;
  if (asked && fabs(r) >= (1 - EVENT_MODES_EDGE) * limit)
    return r > 0 ? -1 : 1;
  return 0;
}

/* Friction of a joint that moves. */
static void choose_friction(EventRun *run, int joint) {
  const AspSchemeHost *host = run->host;
  AspJointFriction friction[ASP_JOINT_FRICTIONS];
  AspRow row[ASP_ROW_PARTS];
  int count = asp_joint_frictions(host->model, joint, friction);
  if (count == 0 || asp_joint_free_rows(host->model, host->state, joint, row) == 0)
    return;
  for (int i = 0; i < count; i++) {
    double rate[ASP_JOINT_FREE_ROWS], speed = 0;
    for (int k = 0; k < friction[i].rows; k++)
      rate[k] = asp_events_rate(host, &row[friction[i].first + k]);
    speed = asp_ball_length(friction[i].rows, rate);
    for (int k = 0; k < friction[i].rows && speed > run->speed; k++)
      run->joint[joint].friction[friction[i].first + k] = rate[k] / speed;
  }
}

/* The same at rest: does it begin to move? It opposes the reaction, which is known better than the acceleration. */
static void choose_turn(const EventRun *run, int block, const Scale *scale, bool asked, AspJointHold *hold) {
  const AspStepWork *work = run->host->work;
  const AspFormulation *formulation = &work->formulation;
  int first = formulation->offset[block], rows = formulation->offset[block + 1] - first;
  double size = asp_ball_length(rows, work->r + first), *direction = hold->friction + formulation->tag[block].part;
  bool edge = asked && size >= (1 - EVENT_MODES_EDGE) * formulation->law[block].limit;
  if (!(size > 0) || !(edge || asp_ball_length(rows, work->u + first) > EVENT_MODES_SLOW * scale->u))
    return;
  hold->begins = true;
  for (int k = 0; k < rows; k++)
    direction[k] = -work->r[first + k] / size;
}

/* Joints: moving ones keep moving, the modes of the others follow from their blocks. */
static void choose_joints(EventRun *run, const Scale *scale, const int *asked) {
  const AspSchemeHost *host = run->host;
  const AspModel *model = host->model;
  const AspStepWork *work = host->work;
  const AspFormulation *formulation = &work->formulation;
  memset(run->joint_reaction, 0, TOTAL_SLOTS * (size_t)asp_model_joint_count(model) * sizeof *run->joint_reaction);
  for (int joint = 0; joint < asp_model_joint_count(model); joint++) {
    AspJointHold *hold = &run->joint[joint];
    AspRow row[ASP_ROW_PARTS];
    AspJet wanted;
    double effort;
    *hold = (AspJointHold){0};
    choose_friction(run, joint);
    if (!asp_joint_coordinate(model, host->state, joint, row))
      continue;
    double rate = asp_events_rate(host, row);
    if (asp_joint_motor(model, host->state, joint, host->state->t, &wanted, &effort) && isfinite(effort))
      hold->motor = (signed char)(fabs(rate - wanted.value) > run->speed ? (rate > wanted.value ? 1 : -1) : 0);
  }
  for (int b = 0; b < formulation->blocks; b++) {
    const AspBlockTag *tag = &formulation->tag[b];
    if (asp_role_is_of_contact(tag->role))
      continue;
    AspJointHold *hold = &run->joint[tag->index];
    int first = formulation->offset[b], rows = formulation->offset[b + 1] - first;
    memcpy(run->joint_reaction + TOTAL_SLOTS * tag->index + asp_totals_slot(tag), work->r + first,
           (size_t)rows * sizeof *work->r);
    bool box = formulation->law[b].kind == ASP_LAW_BOX;
    const int *wants = asked + EVENT_JOINT_ROOTS * tag->index;
    if (tag->role == ASP_ROLE_MOTOR && box)
      hold->motor = choose_sign(run, b, scale, wants[EVENT_ROOT_MOTOR]);
    if (tag->role == ASP_ROLE_FRICTION && box)
      hold->friction[tag->part] = choose_sign(run, b, scale, wants[EVENT_ROOT_FRICTION + tag->part]);
    if (formulation->law[b].kind == ASP_LAW_BALL)
      choose_turn(run, b, scale, wants[EVENT_ROOT_FRICTION + tag->part], hold);
    if (tag->role == ASP_ROLE_LIMIT_LOW)
      hold->low = work->r[first] > EVENT_MODES_LIGHT * scale->r;
    if (tag->role == ASP_ROLE_LIMIT_HIGH)
      hold->high = work->r[first] > EVENT_MODES_LIGHT * scale->r;
  }
}

/* ---- changes of modes, as events ---- */

AspEvent asp_event_of(const EventRun *run, AspEventKind kind, int joint, int body_a, int body_b) {
  return (AspEvent){.kind = kind,
                    .t = run->host->state->t,
                    .joint = joint,
                    .body_a = body_a,
                    .body_b = body_b,
                    .A = NAN,
                    .b = NAN,
                    .force = NAN};
}

static AspError note_contact(EventRun *run, const EventTrack *before, const EventTrack *now) {
  const AspSchemeHost *host = run->host;
  const AspContact *contact = now ? &now->contact : &before->contact;
  int a, b;
  asp_model_shape(host->model, contact->collider_a, &a);
  asp_model_shape(host->model, contact->collider_b, &b);
  AspEventKind kind = !before ? ASP_EVENT_TOUCH : !now ? ASP_EVENT_RELEASE : ASP_EVENT_SLIP;
  if (before && now) {
    bool turned = before->hold.slides && now->hold.slides && dot3(before->hold.direction, now->hold.direction) < 0;
    if (before->hold.slides == now->hold.slides && !turned)
      return ASP_OK;
    kind = now->hold.slides ? ASP_EVENT_SLIP : ASP_EVENT_STICK;
  }
  return asp_events_note(run, asp_event_of(run, kind, -1, a, b));
}

/* A friction that begins, ends or turns round. */
static void note_friction(const AspModel *model, int joint, const double *was, const double *is, bool *changes,
                          bool *sticks) {
  AspJointFriction friction[ASP_JOINT_FRICTIONS];
  int count = asp_joint_frictions(model, joint, friction);
  for (int i = 0; i < count; i++) {
    double along = 0, moved = 0, moves = 0;
    for (int k = friction[i].first; k < friction[i].first + friction[i].rows; k++) {
      along += was[k] * is[k];
      moved += fabs(was[k]);
      moves += fabs(is[k]);
    }
    bool differs = (moved > 0) != (moves > 0) || along < 0;
    *changes = *changes || differs;
    *sticks = *sticks || (differs && !(moves > 0));
  }
}

static AspError note_changes(EventRun *run, const EventTrack *before, int before_count, const AspJointHold *joints) {
  const AspModel *model = run->host->model;
  for (int i = 0; i < run->tracks; i++)
    ASP_TRY(note_contact(run, find_track(before, before_count, &run->track[i].contact), &run->track[i]));
  for (int i = 0; i < before_count; i++)
    if (!find_track(run->track, run->tracks, &before[i].contact))
      ASP_TRY(note_contact(run, &before[i], NULL));
  for (int j = 0; j < asp_model_joint_count(model); j++) {
    const AspJointHold *was = &joints[j], *is = &run->joint[j];
    const AspJointDef *def = asp_model_joint_def(model, j);
    bool held = was->low || was->high, holds = is->low || is->high;
    if (held != holds)
      ASP_TRY(asp_events_note(
          run, asp_event_of(run, holds ? ASP_EVENT_TOUCH : ASP_EVENT_RELEASE, j, def->body_a, def->body_b)));
    bool changes = was->motor != is->motor, sticks = changes && is->motor == 0;
    note_friction(model, j, was->friction, is->friction, &changes, &sticks);
    if (changes)
      ASP_TRY(asp_events_note(
          run, asp_event_of(run, sticks ? ASP_EVENT_STICK : ASP_EVENT_SLIP, j, def->body_a, def->body_b)));
  }
  return ASP_OK;
}

/* ---- the whole ---- */

static bool is_crowded(const EventRun *run) {
  const AspStepWork *work = run->host->work;
  int closed = 0;
  for (int i = 0; i < work->frame_count; i++)
    closed += work->frames[i].gap <= run->gap;
  return closed > EVENT_MODES_CLOSED_MOST;
}

static AspError choose_modes(EventRun *run) {
  const AspSchemeHost *host = run->host;
  const AspFormulation *formulation = &host->work->formulation;
  size_t joints = (size_t)asp_model_joint_count(host->model);
  int before_count = run->tracks, asked_from = 1 + run->touches + EVENT_TRACK_ROOTS * run->tracks;
  EventTrack *before = ASP_TAKE(host->arena, EventTrack, before_count);
  AspJointHold *before_joints = ASP_TAKE(host->arena, AspJointHold, joints);
  int *asked = ASP_TAKE(host->arena, int, EVENT_JOINT_ROOTS *joints);
  if (!before || !before_joints || !asked)
    return ASP_ERROR_MEMORY;
  if (before_count > 0)
    memcpy(before, run->track, (size_t)before_count * sizeof *before);
  if (joints > 0)
    memcpy(before_joints, run->joint, joints * sizeof *before_joints);
  if (run->fired && !run->patient && joints > 0 &&
      (size_t)asked_from + EVENT_JOINT_ROOTS * joints <= run->root_capacity[2])
    memcpy(asked, run->fired + asked_from, EVENT_JOINT_ROOTS * joints * sizeof *asked);
  run->strongest = fmax(run->strongest, host->work->solved.residual.norm_q);
  Scale scale = {.u = run->strongest};
  for (int k = 0; k < formulation->rows; k++)
    scale.r = fmax(scale.r, fabs(host->work->r[k]));
  run->fired_touches = run->touches;
  run->tracks = run->touches = 0;
  for (int b = 0; b < formulation->blocks; b++)
    if (formulation->tag[b].role == ASP_ROLE_CONTACT)
      ASP_TRY(choose_contact(run, b, &scale, before, before_count));
  // closed, but parting: not in the problem
  for (int i = 0; i < host->work->frame_count; i++)
    if (host->work->frames[i].gap <= run->gap &&
        asp_contact_approach(host->model, &host->work->frames[i], host->state) > run->speed)
      ASP_TRY(add_touch(run, &(*host->found)[i]));
  choose_joints(run, &scale, asked);
  return note_changes(run, before, before_count, before_joints);
}

AspError asp_events_find_modes(EventRun *run, bool *found) {
  bool jammed = run->jammed;
  *found = false;
  run->jammed = false;
  for (int impulses = 0; impulses < EVENT_MODES_MOST_IMPULSES && !*found; impulses++) {
    AspEvent event = asp_event_of(run, ASP_EVENT_IMPACT, -1, -1, -1);
    bool solved = true;
    choose_tolerances(run);
    ASP_TRY(asp_events_gather(run));
    run->crowded = is_crowded(run);
    if (run->crowded)
      return ASP_OK;
    if (asp_events_fastest_approach(run, &event) > 0) {
      ASP_TRY(asp_events_collide(run, &event));
      continue;
    }
    if (!jammed)
      ASP_TRY(asp_events_solve_accelerations(run, &solved));
    if (jammed || !solved) {
      if (!jammed)
        ASP_TRY(asp_events_note(run, asp_event_of(run, ASP_EVENT_NO_FORCE, -1, -1, -1)));
      jammed = false;
      ASP_TRY(asp_events_push(run));
      continue;
    }
    ASP_TRY(choose_modes(run));
    *found = true;
  }
  if (!*found)
    return ASP_OK;
  return asp_events_correct_drift(run);
}
