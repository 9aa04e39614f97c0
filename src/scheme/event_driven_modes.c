/* An instant of the event-driven scheme: the impacts at it, and the modes in which the motion continues.
 *
 *   1. contacts at the state; those that are closed (gap within run->gap) and approach faster than run->speed collide:
 *      impact (scheme/impact.c), and again from 1.
 *   2. the contact problem of accelerations: COULOMB where a contact rests, SLIDING where it slips, BOX for dry joints
 *      and motors at rest. Its solution tells which contacts stay closed, which stick and which slide.
 *   3. no solution, or A has fallen to zero (Painleve): an impulse without collision, the limit for d -> 0 of
 *          M v+ = M v + d h + H r,  contacts inelastic;   and again from 1.
 *   4. the drift of joints and closed contacts is removed from positions and velocities.
 */
#include "linalg/vec3.h"
#include "problem/residual.h"
#include "problem/verdict.h"
#include "scheme/event_driven.h"

#include "asperity/analyze.h"
#include "linalg/dimension.h"
#include "scheme/tuning/event_driven.h"

#include <math.h>

/* ---- contacts of the state ---- */

static AspError gather(EventRun *run) {
  const AspSchemeHost *host = run->host;
  // exact: the slop is 1e-9 of the size
  ASP_TRY(host->call->gather_within(host->user, EVENT_REACH * 1e9 * host->slop));
  host->work->solver = run->solver;
  return ASP_OK;
}

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

/* ---- impacts ---- */

static double coordinate_rate(const AspSchemeHost *host, const AspRow *row) {
  int n = asp_body_velocities(asp_model_dimension(host->model));
  return asp_row_along(n, row, host->state->v) + row->rate;
}

/* Speed with which a joint runs into a limit it has reached; 0: it does not. */
static double limit_speed(const EventRun *run, int joint) {
  const AspSchemeHost *host = run->host;
  const AspJointDef *def = asp_model_joint_def(host->model, joint);
  AspRow row[ASP_ROW_PARTS];
  if (!asp_joint_coordinate(host->model, host->state, joint, row))
    return 0;
  double rate = coordinate_rate(host, row);
  if (row->value <= def->limit_low + run->gap && rate < -run->speed)
    return -rate;
  return row->value >= def->limit_high - run->gap && rate > run->speed ? rate : 0;
}

/* The fastest approach of anything closed; *event names it. */
static double fastest_approach(const EventRun *run, AspEvent *event) {
  const AspSchemeHost *host = run->host;
  double fastest = 0;
  for (int i = 0; i < host->work->frame_count; i++) {
    const AspContactFrame *frame = &host->work->frames[i];
    double speed = -asp_contact_approach(host->model, frame, host->state);
    if (frame->gap > run->gap || speed <= fmax(run->speed, fastest))
      continue;
    fastest = speed;
    event->joint = -1;
    event->body_a = frame->body_a;
    event->body_b = frame->body_b;
  }
  for (int joint = 0; joint < asp_model_joint_count(host->model); joint++) {
    double speed = limit_speed(run, joint);
    if (speed <= fastest)
      continue;
    fastest = speed;
    event->joint = joint;
    event->body_a = asp_model_joint_def(host->model, joint)->body_a;
    event->body_b = asp_model_joint_def(host->model, joint)->body_b;
  }
  event->speed = fastest;
  return fastest;
}

typedef struct Sight {
  EventRun *run;
  double (*seen)[3]; /* frames: impulses counted so far */
  AspError error;
} Sight;

/* A problem of the impact was solved, the velocities are those before it: joint impulses and flows. */
static void see_problem(void *user, const AspStepWork *solved) {
  Sight *sight = user;
  EventRun *run = sight->run;
  const AspSchemeHost *host = run->host;
  AspArenaMark mark = asp_arena_mark(host->arena);
  AspFormulation joints = solved->formulation; // they come first
  AspState mean = asp_state_ahead(host->model, host->arena, host->state, 0);
  AspContactFrame *now = solved->frames, *part = ASP_TAKE(host->arena, AspContactFrame, solved->frame_count);
  if (!mean.q || !part) {
    sight->error = ASP_ERROR_MEMORY;
    return;
  }
  joints.blocks = 0;
  while (joints.blocks < solved->formulation.blocks && !asp_role_is_of_contact(joints.tag[joints.blocks].role))
    joints.blocks++;
  joints.rows = joints.offset[joints.blocks];
  for (int i = 0; i < solved->frame_count; i++) {
    part[i] = now[i];
    for (int k = 0; k < 3; k++) {
      part[i].impulse[k] -= sight->seen[i][k];
      sight->seen[i][k] = now[i].impulse[k];
    }
  }
  asp_state_spread(host->model, &mean, solved->x, mean.v);
  for (int i = 0; i < asp_model_v_size(host->model); i++)
    mean.v[i] = 0.5 * (mean.v[i] + host->state->v[i]);
  host->work->frames = part;
  sight->error = host->call->count_flow(host->user, &mean, 0, &joints, solved->r, host->flow, host->outside);
  if (sight->error == ASP_OK)
    sight->error = asp_totals_count(&run->totals, &joints, *host->found, solved->r);
  host->work->frames = now;
  asp_arena_rewind(host->arena, mark);
}

static AspError collide(EventRun *run, AspEvent *event) {
  const AspSchemeHost *host = run->host;
  AspStepWork *work = host->work;
  Sight sight = {.run = run, .seen = asp_arena_take(host->arena, (size_t)work->frame_count, sizeof *sight.seen)};
  if (!sight.seen)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_impact_at(work, host->state, run->gap, run->speed, see_problem, &sight));
  ASP_TRY(sight.error);
  asp_solved_combine(&run->totals.solved, &work->solved);
  for (int i = 0; i < work->frame_count; i++) {
    const double *impulse = work->frames[i].impulse;
    if (impulse[0] != 0)
      ASP_TRY(asp_totals_contact(&run->totals, &(*host->found)[i], &work->frames[i], impulse, work->frames[i].moment));
    event->impulse = fmax(event->impulse, impulse[0]);
  }
  if (work->gain > 0)
    ASP_TRY(
        asp_totals_gain(&run->totals, &(*host->found)[work->gain_frame], &work->frames[work->gain_frame], work->gain));
  event->kind = ASP_EVENT_IMPACT;
  return asp_events_note(run, *event);
}

/* ---- an impulse where nothing collides ---- */

static AspError push_without_collision(EventRun *run) {
  const AspSchemeHost *host = run->host;
  AspStepWork *work = host->work;
  double dt = work->dt;
  AspState mean = asp_state_ahead(host->model, host->arena, host->state, 0);
  double *known = asp_known_velocity(host->model, host->arena, host->state, 0, false);
  if (!mean.q || !known)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < work->frame_count; i++)
    work->frames[i].closed = work->frames[i].hit = work->frames[i].gap <= run->gap;
  work->dt = EVENT_MODES_INSTANT * dt;
  AspStepTerms terms = {.level = ASP_LEVEL_VELOCITY,
                        .phase = ASP_PHASE_AFTER,
                        .dt = work->dt,
                        .effort_time = work->dt,
                        .slop = run->gap,
                        .known_velocity = known};
  host->before->t = host->state->t; // for the message of a choice among solutions
  ASP_TRY(asp_formulate_step(work, host->state, host->state, 1, &terms));
  ASP_TRY(asp_solve_step(work, host->state));
  for (int i = 0; i < asp_model_v_size(host->model); i++)
    mean.v[i] = 0.5 * (mean.v[i] + host->state->v[i]);
  ASP_TRY(host->call->count_flow(host->user, &mean, 0, &work->formulation, work->r, host->flow, host->outside));
  ASP_TRY(asp_totals_count(&run->totals, &work->formulation, *host->found, work->r));
  asp_solved_combine(&run->totals.solved, &work->solved);
  AspEvent event = {.kind = ASP_EVENT_IMPULSE,
                    .t = host->state->t,
                    .joint = -1,
                    .body_a = -1,
                    .body_b = -1,
                    .A = NAN,
                    .b = NAN,
                    .force = NAN};
  for (int b = 0; b < work->formulation.blocks; b++)
    if (work->formulation.tag[b].role == ASP_ROLE_CONTACT && work->r[work->formulation.offset[b]] > event.impulse) {
      event.impulse = work->r[work->formulation.offset[b]];
      event.body_a = work->frames[work->formulation.tag[b].index].body_a;
      event.body_b = work->frames[work->formulation.tag[b].index].body_b;
    }
  work->dt = dt;
  return asp_events_note(run, event);
}

/* ---- accelerations ---- */

/* Where the solver finds no solution: all solutions of a small problem; *found: one was taken. */
static AspError take_by_analysis(EventRun *run, bool *found) {
  const AspSchemeHost *host = run->host;
  AspStepWork *work = host->work;
  const AspContactProblem *problem = &work->formulation.problem;
  AspAnalysis analysis;
  int laws = 0;
  *found = false;
  for (int b = 0; b < problem->blocks; b++)
    laws += problem->law[b].kind != ASP_LAW_EQUALITY;
  if (laws > EVENT_MODES_BLOCKS)
    return ASP_OK;
  AspAnalysisOptions options = asp_analysis_default_options();
  options.max_time = 2;
  ASP_TRY(asp_analyze(host->context, problem, &options, &analysis));
  if (analysis.count > 0) {
    *found = true;
    memcpy(work->r, analysis.solution[0].r, (size_t)problem->rows * sizeof *work->r);
    memcpy(work->u, analysis.solution[0].u, (size_t)problem->rows * sizeof *work->u);
    work->solved.residual = analysis.solution[0].residual;
    work->solved.status = ASP_STATUS_SOLVED;
  }
  asp_analysis_destroy(host->context, &analysis);
  return ASP_OK;
}

/* The contact problem of accelerations into the work, r and u zero; slower than `speed` is rest. */
static AspError formulate_accelerations(EventRun *run, double speed) {
  const AspSchemeHost *host = run->host;
  AspStepWork *work = host->work;
  AspFormulation *formulation = &work->formulation;
  AspArena *arena = host->arena;
  AspInstant instant = {.gap = run->gap, .speed = speed};
  AspRoundness *round = ASP_TAKE(arena, AspRoundness, 2 * work->frame_count);
  int approaching;
  if (!round)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < 2 * work->frame_count; i++)
    round[i] = host->call->roundness(host->user, host->state, &(*host->found)[i / 2], &work->frames[i / 2], i % 2 == 1);
  ASP_TRY(asp_joints_check_time(host->context, host->model, host->state, host->state->t));
  ASP_TRY(asp_formulation_begin(formulation, arena, host->model, work->frames, work->frame_count));
  ASP_TRY(asp_formulate_acceleration(formulation, host->state, work->frames, round, work->frame_count, &work->friction,
                                     &instant, &approaching));
  work->redundant = ASP_TAKE(arena, bool, formulation->rows);
  work->r = ASP_TAKE(arena, double, formulation->rows);
  work->u = ASP_TAKE(arena, double, formulation->rows);
  work->x = ASP_TAKE(arena, double, asp_model_dof_count(host->model));
  if (!work->redundant || !work->r || !work->u || !work->x)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_formulate_redundancy(formulation, work->redundant, &work->redundant_count));
  return asp_formulation_finish(formulation);
}

/* Solve it; *solved = false: no solution was found. */
static AspError solve_accelerations(EventRun *run, bool *solved) {
  const AspSchemeHost *host = run->host;
  AspStepWork *work = host->work;
  const AspFormulation *formulation = &work->formulation;
  ASP_TRY(formulate_accelerations(run, run->speed));
  *solved = true;
  if (formulation->rows == 0)
    return ASP_OK;
  ASP_TRY(asp_solver_solve(run->solver, &formulation->problem, work->r, work->u, work->x, &work->solved));
  *solved = host->call->is_certified(host->user);
  if (!*solved)
    ASP_TRY(take_by_analysis(run, solved));
  else if (host->work->choose && host->options->selection != ASP_SELECT_STIFF) // that rule is for steps
    ASP_TRY(work->choose(work->choose_user, work));
  if (*solved)
    asp_solved_combine(&run->totals.solved, &work->solved);
  return ASP_OK;
}

/* ---- modes ---- */

AspError asp_events_add_track(EventRun *run, const EventTrack *track) {
  AspError error = ASP_GROW(run->host->context, run->track, run->track_capacity, run->tracks + 1);
  if (error == ASP_OK)
    run->track[run->tracks++] = *track;
  return error;
}

static AspError add_touch(EventRun *run, const AspContact *contact, bool dormant) {
  AspError error = ASP_GROW(run->host->context, run->touch, run->touch_capacity, run->touches + 1);
  if (error == ASP_OK)
    run->touch[run->touches++] = (EventTouch){contact->collider_a, contact->collider_b, contact->feature, dormant};
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
  } else if (hypot(across[0], across[1]) > EVENT_MODES_SLOW * scale->u ||
             (track->hold.slides && hypot(friction[0], friction[1]) >= (1 - EVENT_MODES_EDGE) * law->mu * r[0])) {
    // the slip is opposite to the friction, which is known better where the slip only begins
    track->hold = (AspContactHold){true, true, in_plane(frame, -friction[0] / s[0], -friction[1] / s[1])};
  } else {
    track->hold.slides = false;
  }
}

/* Did this contact ask to slip when the smooth motion ended? */
static bool asked_to_slip(const EventRun *run, const EventTrack *before, int before_count, const AspContact *contact) {
  for (int i = 0; i < before_count; i++)
    if (before[i].contact.collider_a == contact->collider_a && before[i].contact.collider_b == contact->collider_b &&
        before[i].contact.feature == contact->feature) {
      size_t root = 1 + (size_t)run->fired_touches + (size_t)EVENT_TRACK_ROOTS * (size_t)i + 1;
      // tracks that came after the motion ended have no root
      return !before[i].hold.slides && !run->patient && run->fired && root < run->root_capacity[2] &&
             run->fired[root] != 0;
    }
  return false;
}

static AspError choose_contact(EventRun *run, int block, const Scale *scale, const EventTrack *before,
                               int before_count) {
  const AspSchemeHost *host = run->host;
  const AspStepWork *work = host->work;
  const AspFormulation *formulation = &work->formulation;
  int frame = formulation->tag[block].index, first = formulation->offset[block];
  int rows = formulation->offset[block + 1] - first;
  if (work->r[first] <= EVENT_MODES_LIGHT * scale->r)
    return add_touch(run, &(*host->found)[frame], work->u[first] <= EVENT_MODES_SLOW * scale->u);
  EventTrack track = {.contact = (*host->found)[frame], .law = work->frames[frame].law};
  track.hold.slides = asked_to_slip(run, before, before_count, &track.contact);
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

/* Joints: moving ones keep moving, the modes of the others follow from their blocks. */
static void choose_joints(EventRun *run, const Scale *scale, const bool *asked) {
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
    if (!asp_joint_coordinate(model, host->state, joint, row))
      continue;
    double rate = coordinate_rate(host, row);
    hold->friction = (signed char)(fabs(rate) > run->speed ? (rate > 0 ? 1 : -1) : 0);
    if (asp_joint_motor(model, host->state, joint, host->state->t, &wanted, &effort) && isfinite(effort))
      hold->motor = (signed char)(fabs(rate - wanted.value) > run->speed ? (rate > wanted.value ? 1 : -1) : 0);
  }
  for (int b = 0; b < formulation->blocks; b++) {
    const AspBlockTag *tag = &formulation->tag[b];
    if (asp_role_is_of_contact(tag->role))
      continue;
    AspJointHold *hold = &run->joint[tag->index];
    int first = formulation->offset[b], rows = formulation->offset[b + 1] - first;
    memcpy(run->joint_reaction + TOTAL_SLOTS * tag->index + asp_totals_slot(tag->role), work->r + first,
           (size_t)rows * sizeof *work->r);
    bool box = formulation->law[b].kind == ASP_LAW_BOX;
    if (tag->role == ASP_ROLE_MOTOR && box)
      hold->motor = choose_sign(run, b, scale, asked[2 * tag->index]);
    if (tag->role == ASP_ROLE_FRICTION && box)
      hold->friction = choose_sign(run, b, scale, asked[2 * tag->index + 1]);
    if (tag->role == ASP_ROLE_LIMIT_LOW)
      hold->low = work->r[first] > EVENT_MODES_LIGHT * scale->r;
    if (tag->role == ASP_ROLE_LIMIT_HIGH)
      hold->high = work->r[first] > EVENT_MODES_LIGHT * scale->r;
  }
}

/* ---- changes of modes, as events ---- */

static AspEvent event_of(const EventRun *run, AspEventKind kind, int joint, int body_a, int body_b) {
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
  return asp_events_note(run, event_of(run, kind, -1, a, b));
}

static const EventTrack *find_track(const EventTrack *list, int count, const AspContact *contact) {
  for (int i = 0; i < count; i++)
    if (list[i].contact.collider_a == contact->collider_a && list[i].contact.collider_b == contact->collider_b &&
        list[i].contact.feature == contact->feature)
      return &list[i];
  return NULL;
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
      ASP_TRY(asp_events_note(run,
                              event_of(run, holds ? ASP_EVENT_TOUCH : ASP_EVENT_RELEASE, j, def->body_a, def->body_b)));
    if ((def->friction > 0 && was->friction != is->friction) || was->motor != is->motor)
      ASP_TRY(asp_events_note(run, event_of(run,
                                            was->friction != is->friction && is->friction == 0 ? ASP_EVENT_STICK
                                            : was->motor != is->motor && is->motor == 0        ? ASP_EVENT_STICK
                                                                                               : ASP_EVENT_SLIP,
                                            j, def->body_a, def->body_b)));
  }
  return ASP_OK;
}

/* ---- drift ---- */

/* What a row is off, as a length (rate = false) or a speed. */
static double row_error(const AspSchemeHost *host, const AspFormulation *formulation, int block, int k, bool rate) {
  const AspBlockTag *tag = &formulation->tag[block];
  const AspJointDef *def = asp_role_is_of_contact(tag->role) ? NULL : asp_model_joint_def(host->model, tag->index);
  const AspRow *row = &formulation->row[k];
  double moves = coordinate_rate(host, row), effort;
  AspJet jet;
  switch (tag->role) {
  case ASP_ROLE_JOINT:
    return rate ? moves : row->value;
  case ASP_ROLE_MOTION:
    asp_joint_motion(host->model, host->state, tag->index, host->state->t, &jet);
    return rate ? moves - jet.rate : row->value - jet.value;
  case ASP_ROLE_MOTOR:
    asp_joint_motor(host->model, host->state, tag->index, host->state->t, &jet, &effort);
    return rate ? moves - jet.value : 0;
  case ASP_ROLE_LIMIT_LOW:
    return rate ? moves : row->value - def->limit_low;
  case ASP_ROLE_LIMIT_HIGH: // the row has the opposite sign, its value that of the coordinate
    return rate ? moves : def->limit_high - row->value;
  case ASP_ROLE_CONTACT:
    return rate ? moves : k == formulation->offset[block] ? host->work->frames[tag->index].gap : 0;
  default:
    return rate ? moves : 0;
  }
}

/* Errors of all rows, on the arena (NULL: out of memory), and the largest of constrained ones over what is none. */
static double *row_errors(const EventRun *run, const AspFormulation *formulation, bool rate, double *largest) {
  const AspSchemeHost *host = run->host;
  // exact: the slop is 1e-9 of the size
  double *error = ASP_TAKE(host->arena, double, formulation->rows), none = 1e9 * (rate ? run->speed : host->slop);
  *largest = 0;
  for (int b = 0; error && b < formulation->blocks; b++)
    for (int k = formulation->offset[b]; k < formulation->offset[b + 1]; k++) {
      const AspLaw *law = &formulation->law[b];
      error[k] = row_error(host, formulation, b, k, rate);
      bool known = (law->kind == ASP_LAW_SLIDING && k > formulation->offset[b]) ||
                   (law->kind == ASP_LAW_BOX && law->direction[0] != 0);
      *largest = known ? *largest : fmax(*largest, fabs(error[k]) / none);
    }
  return error;
}

static AspError correct(EventRun *run, bool rate) {
  const AspSchemeHost *host = run->host;
  AspArenaMark mark = asp_arena_mark(host->arena);
  AspFormulation formulation;
  double largest, *x;
  asp_state_copy(host->model, host->state, &run->base);
  ASP_TRY(asp_events_formulate(run, host->state, &formulation));
  double *error = row_errors(run, &formulation, rate, &largest);
  if (!error)
    return ASP_ERROR_MEMORY;
  if (largest > EVENT_MODES_EXACT) {
    ASP_TRY(asp_correct_constrained(&formulation, host->state, error, &x));
    if (rate)
      for (int i = 0; i < asp_model_v_size(host->model); i++)
        host->state->v[i] += x[i];
    else
      asp_state_displace(host->model, host->state, x);
  }
  asp_arena_rewind(host->arena, mark);
  return ASP_OK;
}

AspError asp_events_correct_drift(EventRun *run) {
  ASP_TRY(correct(run, false));
  return correct(run, true);
}

/* ---- certificate ---- */

/* The reaction of a block of accelerations in the present modes; NULL: it is open or known. */
static const double *reaction_of(const EventRun *run, const AspFormulation *modes, const double *r,
                                 const AspBlockTag *tag) {
  const AspSchemeHost *host = run->host;
  for (int b = 0; b < modes->blocks; b++) {
    bool same = modes->tag[b].role == tag->role && modes->tag[b].index == tag->index;
    if (tag->role == ASP_ROLE_CONTACT && modes->tag[b].role == tag->role) {
      const AspContact *a = &run->track[modes->tag[b].index].contact, *c = &(*host->found)[tag->index];
      same = a->collider_a == c->collider_a && a->collider_b == c->collider_b && a->feature == c->feature;
    }
    if (same)
      return r + modes->offset[b];
  }
  return NULL;
}

/* Forces at the end of the step, in the modes and frames that `modes` was made with. */
static AspError note_forces(EventRun *run, const AspFormulation *modes, const double *r) {
  AspContact *contacts = ASP_TAKE(run->host->arena, AspContact, run->tracks);
  if (!contacts)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < run->tracks; i++)
    contacts[i] = run->track[i].contact;
  return asp_totals_instant(&run->totals, modes, contacts, r);
}

/* The present modes at the end of the step: host->work->solved is their certificate. */
static AspError judge_modes(EventRun *run, bool *lasts) {
  const AspSchemeHost *host = run->host;
  AspFormulation modes;
  AspConstrainedMotion answer;
  AspSolverInfo judged = {.status = ASP_STATUS_SOLVED};
  double drift, rates;
  bool begins = false; // slip that has no direction of its own yet counts as rest
  for (int i = 0; i < run->tracks; i++)
    begins = begins || run->track[i].hold.begins;
  ASP_TRY(gather(run));
  AspContactFrame *frames = host->work->frames;
  int frame_count = host->work->frame_count;
  ASP_TRY(asp_events_formulate(run, host->state, &modes));
  double *last = asp_events_last_reactions(run, &modes);
  if (!last || !row_errors(run, &modes, false, &drift) || !row_errors(run, &modes, true, &rates))
    return ASP_ERROR_MEMORY;
  *lasts = fmax(drift, rates) <= EVENT_MODES_DRIFT * EVENT_MODES_EXACT;
  ASP_TRY(asp_solve_constrained(&modes, host->state, last, &answer));
  ASP_TRY(note_forces(run, &modes, answer.r));
  host->work->frames = frames;
  host->work->frame_count = frame_count;
  ASP_TRY(formulate_accelerations(run, begins ? EVENT_BEGUN * run->speed : run->speed));
  const AspFormulation *formulation = &host->work->formulation;
  host->work->solved = judged;
  if (formulation->rows == 0)
    return ASP_OK;
  for (int b = 0; b < formulation->blocks; b++) {
    const double *r = reaction_of(run, &modes, answer.r, &formulation->tag[b]);
    int first = formulation->offset[b], rows = formulation->offset[b + 1] - first;
    if (r && rows > 0)
      memcpy(host->work->r + first, r, (size_t)rows * sizeof *r);
  }
  ASP_TRY(asp_judge_reset(run->judge, &formulation->problem));
  ASP_TRY(asp_judge_certify(run->judge, &(AspTolerances){.residual = host->options->tolerance}, host->work->r,
                            &judged.residual, host->work->u, host->work->x));
  asp_residual_floor(&judged.residual, EVENT_MODES_SLOW * run->strongest); // at rest q is rounding
  host->work->solved = judged;
  return ASP_OK;
}

/* An event at the very end of the step: its modes end there, and those that begin there are judged. */
static AspError judge_next_modes(EventRun *run, bool *found) {
  const AspSchemeHost *host = run->host;
  bool lasts;
  asp_events_end_motion(run);
  ASP_TRY(asp_events_find_modes(run, found));
  if (!*found)
    return ASP_OK;
  asp_state_copy(host->model, host->state, &run->base);
  return judge_modes(run, &lasts);
}

AspError asp_events_certify(EventRun *run, bool *lasts) {
  const AspSchemeHost *host = run->host;
  ASP_TRY(judge_modes(run, lasts));
  AspSolverInfo judged = host->work->solved;
  if (!host->call->is_certified(host->user)) {
    bool found;
    *lasts = false;
    ASP_TRY(judge_next_modes(run, &found));
    if (found && host->call->is_certified(host->user))
      judged = host->work->solved;
  }
  asp_solved_combine(&run->totals.solved, &judged);
  host->work->solved = judged;
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
  bool *asked = ASP_TAKE(host->arena, bool, 2 * joints);
  if (!before || !before_joints || !asked)
    return ASP_ERROR_MEMORY;
  if (before_count > 0)
    memcpy(before, run->track, (size_t)before_count * sizeof *before);
  if (joints > 0)
    memcpy(before_joints, run->joint, joints * sizeof *before_joints);
  for (size_t i = 0; run->fired && !run->patient && i < 2 * joints; i++)
    asked[i] = run->fired[(size_t)asked_from + 4 * (i / 2) + i % 2] != 0;
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
      ASP_TRY(add_touch(run, &(*host->found)[i], false));
  choose_joints(run, &scale, asked);
  return note_changes(run, before, before_count, before_joints);
}

AspError asp_events_find_modes(EventRun *run, bool *found) {
  bool jammed = run->jammed;
  *found = false;
  run->jammed = false;
  for (int impulses = 0; impulses < EVENT_MODES_MOST_IMPULSES && !*found; impulses++) {
    AspEvent event = event_of(run, ASP_EVENT_IMPACT, -1, -1, -1);
    bool solved = true;
    choose_tolerances(run);
    ASP_TRY(gather(run));
    run->crowded = is_crowded(run);
    if (run->crowded)
      return ASP_OK;
    if (fastest_approach(run, &event) > 0) {
      ASP_TRY(collide(run, &event));
      continue;
    }
    if (!jammed)
      ASP_TRY(solve_accelerations(run, &solved));
    if (jammed || !solved) {
      if (!jammed)
        ASP_TRY(asp_events_note(run, event_of(run, ASP_EVENT_NO_FORCE, -1, -1, -1)));
      jammed = false;
      ASP_TRY(push_without_collision(run));
      continue;
    }
    ASP_TRY(choose_modes(run));
    *found = true;
  }
  if (!*found)
    return ASP_OK;
  return asp_events_correct_drift(run);
}
