/* A step of the event-driven scheme: find the modes, move, find the modes, ... to the end of the step. Where events
 * accumulate (more than EVENT_EVENTS_IN_STEP of them), modes that hold are not found, or the integrator gives up, the
 * rest of the step is one of Moreau-Jean's, which takes infinitely many impacts in one; then events are followed again.
 * */
#include "scheme/event_driven.h"
#include "base/effort.h"
#include "linalg/vec3.h"
#include "model/own_state.h"
#include "model/sensor.h"
#include "scheme/tuning/event_driven.h"
#include "solver/archive.h"

#include <math.h>

static AspError create(const AspSchemeHost *host, void **out) {
  const AspModel *model = host->model;
  size_t joints = (size_t)asp_model_joint_count(model);
  EventRun *run = asp_allocate(host->context, 1, sizeof *run);
  if (!run)
    return ASP_ERROR_MEMORY;
  *out = run;
  run->host = host;
  ASP_TRY(asp_state_create_on(host->context, model, &run->start));
  ASP_TRY(asp_state_create_on(host->context, model, &run->base));
  run->colliders = asp_allocate(host->context, (size_t)asp_model_shape_count(model), sizeof *run->colliders);
  run->joint = asp_allocate(host->context, joints, sizeof *run->joint);
  run->joint_reaction = asp_allocate(host->context, TOTAL_SLOTS * joints, sizeof *run->joint_reaction);
  if (!run->colliders || !run->joint || !run->joint_reaction)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_totals_create(&run->totals, host));
  ASP_TRY(asp_judge_create(host->context, &run->judge));
  return host->call->make_solver(host->user, (AspMethod)host->options->method, host->options->max_iterations,
                                 fmin(EVENT_SHARP, host->options->tolerance), false, &run->solver);
}

static void destroy(const AspSchemeHost *host, void *data) {
  EventRun *run = data;
  asp_state_destroy_on(host->context, &run->start);
  asp_state_destroy_on(host->context, &run->base);
  asp_solver_destroy(run->solver);
  asp_judge_destroy(run->judge);
  asp_totals_destroy(&run->totals);
  asp_events_end_motion(run);
  void *blocks[] = {run->colliders, run->track,   run->touch,     run->joint, run->joint_reaction,
                    run->offset,    run->further, run->direction, run->fired, run->event};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    asp_release(host->context, blocks[i]);
  asp_release(host->context, run);
}

/* ---- written and read back ---- */

/* The law of a track belongs to the model: it is found again by its shapes. */
static void archive_tracks(EventRun *run, AspArchive *archive) {
  const AspModel *model = run->host->model;
  ASP_ARCHIVE_LIST(archive, run->track, run->track_capacity, run->tracks);
  for (int i = 0; archive->reading && archive->error == ASP_OK && i < run->tracks; i++) {
    const AspContact *contact = &run->track[i].contact;
    run->track[i].law = asp_model_pair(model, asp_model_shape(model, contact->collider_a, NULL)->material,
                                       asp_model_shape(model, contact->collider_b, NULL)->material);
  }
}

/* What is watched for, and the further unknowns. */
static void archive_roots(EventRun *run, AspArchive *archive) {
  int fired = (int)run->root_capacity[2]; // modes look at what fired before, with other contacts
  int unknowns = run->further ? 2 * (run->rows + STEP_TOTALS_TOTAL_FLOWS) : 0;
  ASP_ARCHIVE(archive, run->rows);
  ASP_ARCHIVE_LIST(archive, run->offset, run->root_capacity[0], run->roots);
  ASP_ARCHIVE_LIST(archive, run->direction, run->root_capacity[1], run->roots);
  ASP_ARCHIVE_LIST(archive, run->fired, run->root_capacity[2], fired);
  ASP_ARCHIVE_LIST(archive, run->further, run->further_capacity, unknowns);
}

static void archive_numbers(EventRun *run, AspArchive *archive) {
  ASP_ARCHIVE(archive, run->gap);
  ASP_ARCHIVE(archive, run->speed);
  ASP_ARCHIVE(archive, run->fastest);
  ASP_ARCHIVE(archive, run->strongest);
  ASP_ARCHIVE(archive, run->largest);
  ASP_ARCHIVE(archive, run->fired_touches);
  ASP_ARCHIVE(archive, run->jam_threshold);
  ASP_ARCHIVE(archive, run->jam_watched);
  ASP_ARCHIVE(archive, run->patient);
  ASP_ARCHIVE(archive, run->crowded);
  ASP_ARCHIVE(archive, run->stiff);
  ASP_ARCHIVE(archive, run->jammed);
  ASP_ARCHIVE(archive, run->named);
  ASP_ARCHIVE(archive, run->full);
}

static AspError archive(const AspSchemeHost *host, void *data, AspArchive *archive) {
  EventRun *run = data;
  int joints = asp_model_joint_count(host->model);
  archive_numbers(run, archive);
  asp_state_archive(archive, host->model, &run->start);
  asp_state_archive(archive, host->model, &run->base);
  archive_tracks(run, archive);
  ASP_ARCHIVE_LIST(archive, run->touch, run->touch_capacity, run->touches);
  ASP_ARCHIVE_ARRAY(archive, run->joint, joints);
  ASP_ARCHIVE_ARRAY(archive, run->joint_reaction, TOTAL_SLOTS * joints);
  archive_roots(run, archive);
  ASP_ARCHIVE_GROWING(archive, run->event, run->event_capacity, run->events);
  ASP_TRY(asp_solver_archive(archive, run->solver));
  return asp_events_archive_motion(run, archive);
}

/* Modes are found again. */
static void disturb(const AspSchemeHost *host, void *data, bool moved) {
  EventRun *run = data;
  (void)host;
  asp_events_end_motion(run);
  if (!moved)
    return;
  run->tracks = run->touches = 0;
  if (run->fired)
    memset(run->fired, 0, run->root_capacity[2] * sizeof *run->fired);
}

/* ---- the rest of a step by time stepping ---- */

/* Impulses and flows of the time step just made, from `before` to the state. */
static AspError count_time_step(EventRun *run) {
  const AspSchemeHost *host = run->host;
  AspStepWork *work = host->work;
  AspState middle;
  ASP_TRY(host->call->middle_of_step(host->user, &middle));
  ASP_TRY(
      host->call->count_flow(host->user, &middle, work->dt, &work->formulation, work->r, host->flow, host->outside));
  ASP_TRY(asp_totals_count(&run->totals, &work->formulation, *host->found, work->r));
  for (int i = 0; i < work->frame_count; i++)
    if (work->frames[i].impulse[0] != 0)
      ASP_TRY(asp_totals_contact(&run->totals, &(*host->found)[i], &work->frames[i], work->frames[i].impulse,
                                 work->frames[i].moment));
  asp_solved_combine(&run->totals.solved, &work->solved);
  return ASP_OK;
}

/* Contacts that the time step left pressed together are closed: what is left of their gap and approach is taken off, or
 * they would begin to bounce again. */
static AspError close_pressed(EventRun *run) {
  const AspSchemeHost *host = run->host;
  const AspStepWork *work = host->work;
  const AspFormulation *formulation = &work->formulation;
  double slow = 2 * work->dt * norm3(asp_model_gravity(host->model));
  run->tracks = run->touches = 0;
  for (int b = 0; b < formulation->blocks; b++) {
    if (formulation->tag[b].role != ASP_ROLE_CONTACT || !(work->r[formulation->offset[b]] > 0))
      continue;
    EventTrack track = {.contact = (*host->found)[formulation->tag[b].index], .hold = {.slides = true}};
    const AspContactFrame *frame = &work->frames[formulation->tag[b].index];
    track.law = frame->law;
    host->call->follow(host->user, host->before, host->state, work->dt * slow, &track.contact);
    if (fabs(track.contact.gap) <= work->dt * slow &&
        fabs(asp_contact_approach(host->model, frame, host->state)) <= slow)
      ASP_TRY(asp_events_add_track(run, &track));
  }
  memset(run->joint, 0, (size_t)asp_model_joint_count(host->model) * sizeof *run->joint);
  return asp_events_correct_drift(run);
}

static AspError step_in_time(EventRun *run, double t, const char *why) {
  const AspSchemeHost *host = run->host;
  double from = host->state->t;
  ASP_TRY(asp_events_note(run, (AspEvent){.kind = ASP_EVENT_TIME_STEPPING,
                                          .t = from,
                                          .joint = -1,
                                          .body_a = -1,
                                          .body_b = -1,
                                          .A = NAN,
                                          .b = NAN,
                                          .force = NAN}));
  if (!run->named) {
    run->named = true;
    ASP_TRY(asp_scheme_warn(host, "at t = %.9g s %s: the rest of the step is made by time stepping (moreau-jean)", from,
                            why));
  }
  asp_events_end_motion(run);
  AspError error = host->call->step_by(host->user, ASP_SCHEME_MOREAU_JEAN, t - from);
  if (error == ASP_OK)
    error = count_time_step(run);
  if (error == ASP_OK)
    error = close_pressed(run);
  run->tracks = run->touches = 0; // modes are found again
  if (run->fired)
    memset(run->fired, 0, run->root_capacity[2] * sizeof *run->fired);
  return error;
}

/* ---- the step ---- */

/* Position drift of joints and overlaps of the initial state: as Moreau-Jean does before each of its steps. */
static AspError put_right(EventRun *run) {
  const AspSchemeHost *host = run->host;
  if (*host->steps > 0)
    return ASP_OK;
  ASP_TRY(host->call->gather(host->user, host->options->dt));
  asp_state_copy(host->model, host->state, host->before);
  return host->call->project(host->user, EVENT_START_PROJECTIONS);
}

/* The reason why modes cannot be followed from here; NULL: they can. */
static const char *try_modes(EventRun *run, int events, AspError *error) {
  bool found = true;
  if (run->motion)
    return NULL;
  *error = asp_events_find_modes(run, &found);
  if (*error != ASP_OK)
    return NULL;
  return run->crowded                                        ? "there are too many closed contacts"
         : !found                                            ? "no modes of contacts and joints were found that hold"
         : events >= EVENT_EVENTS_IN_STEP                    ? "events accumulate"
         : asp_effort_is_low(asp_effort(run->host->context)) ? "the effort of the step is used up"
                                                             : NULL;
}

static AspError follow_events(EventRun *run, double t) {
  const AspSchemeHost *host = run->host;
  const double ended = EVENT_ENDED * host->options->dt;
  const char *why = NULL;
  for (int events = 0; !why && t - host->state->t > ended; events++) {
    AspError error = ASP_OK;
    bool goes = true;
    why = try_modes(run, events, &error);
    ASP_TRY(error);
    if (!why)
      ASP_TRY(asp_events_move(run, t, &goes));
    if (!goes && !run->patient && !run->jammed &&
        run->largest <= EVENT_ISLAND_MOST) { // what asked to slip is held by others
      run->patient = true;
      why = try_modes(run, events, &error);
      ASP_TRY(error);
      if (!why)
        ASP_TRY(asp_events_move(run, t, &goes));
    }
    run->patient = false;
    why = goes                               ? why
          : run->largest > EVENT_ISLAND_MOST ? "too many contacts and joints are connected"
                                             : "the smooth motion cannot be followed";
  }
  if (why && t - host->state->t > ended)
    return step_in_time(run, t, why);
  if (!run->motion)
    return ASP_OK;
  bool lasts;
  ASP_TRY(asp_events_certify(run, &lasts));
  if (!lasts)
    asp_events_end_motion(run);
  return ASP_OK;
}

static AspError integrate(const AspSchemeHost *host, void *data, double dt) {
  EventRun *run = data;
  double t = host->state->t + dt;
  ASP_TRY(host->call->make_consistent(host->user, dt));
  asp_state_copy(host->model, host->state, &run->start);
  if (run->motion && asp_inputs_differ(host->model, host->state, &run->base))
    asp_events_end_motion(run); // the smooth motion under other forces is another one
  *host->penetration = 0;
  asp_totals_clear(&run->totals);
  AspError error = put_right(run);
  if (error == ASP_OK)
    error = follow_events(run, t);
  if (error != ASP_OK) {
    asp_events_end_motion(run);
    asp_state_copy(host->model, &run->start, host->state);
    return error;
  }
  asp_state_copy(host->model, &run->start, host->before);
  host->state->t = t;
  return asp_totals_describe(&run->totals, dt);
}

/* ---- the list of events ---- */

AspError asp_events_note(EventRun *run, AspEvent event) {
  if (run->events >= EVENT_EVENTS_MOST) {
    if (run->full)
      return ASP_OK;
    run->full = true;
    return asp_scheme_warn(run->host,
                           "at t = %.9g s the list of events is full (%d): later ones act, but are not listed", event.t,
                           EVENT_EVENTS_MOST);
  }
  AspError error = ASP_GROW(run->host->context, run->event, run->event_capacity, run->events + 1);
  if (error == ASP_OK)
    run->event[run->events++] = event;
  return error;
}

const char *asp_event_kind_name(AspEventKind kind) {
  static const char *const names[] = {[ASP_EVENT_IMPACT] = "impact",
                                      [ASP_EVENT_TOUCH] = "touch",
                                      [ASP_EVENT_RELEASE] = "release",
                                      [ASP_EVENT_STICK] = "stick",
                                      [ASP_EVENT_SLIP] = "slip",
                                      [ASP_EVENT_JAM] = "jam",
                                      [ASP_EVENT_NO_FORCE] = "no finite force",
                                      [ASP_EVENT_IMPULSE] = "impulse without collision",
                                      [ASP_EVENT_TIME_STEPPING] = "time stepping"};
  return kind >= ASP_EVENT_IMPACT && kind <= ASP_EVENT_TIME_STEPPING ? names[kind] : "unknown";
}

static int events(const void *data, const AspEvent **list) {
  const EventRun *run = data;
  *list = run->event;
  return run->events;
}

const AspSchemeType asp_scheme_event_driven = {
    .armature = true,
    .selects = true,
    .impact_laws = true,
    .restitution = true,
    .uses_projection = true,
    .makes_consistent = true,
    .impacts_before = true,
    .late_solves = ASP_LATE_SOLVES,
    .create = create,
    .destroy = destroy,
    .archive = archive,
    .disturb = disturb,
    .integrate = integrate,
    .formulate = asp_formulate_stewart_trinkle,
    .rehearse = asp_step_moreau_jean,
    .events = events,
};
