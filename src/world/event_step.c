/* A step of the event-driven scheme: settle, move, settle, ... to the end of the step. Where events accumulate (more
 * than EVENTS_IN_STEP of them), modes that hold are not found, or the integrator gives up, the rest of the step is one
 * of Moreau-Jean's, which takes infinitely many impacts in one; then events are followed again. */
#include "linalg/vec3.h"
#include "world/events.h"

#include <math.h>

#define EVENTS_IN_STEP 60
#define SHARP          1e-12  /* tolerance of the problems at instants */
#define EVENTS_MOST    100000 /* that are kept */
#define ENDED          1e-12  /* of dt: so near its end a step is over */

/* Laws that the problem of accelerations does not know would make the motion one of another scene. */
static AspError check_laws(AspWorld *world) {
  const AspModel *model = world->model;
  for (int a = 0; a < asp_model_material_count(model); a++)
    for (int b = 0; b <= a; b++) {
      const char *key = asp_pair_law_beyond_friction(asp_model_pair(model, a, b));
      if (key)
        return asp_fail(world->context, ASP_ERROR_INPUT,
                        "materials %s/%s: \"%s\" is not known to the scheme event-driven; take it out or use "
                        "moreau-jean",
                        asp_model_material_name(model, a), asp_model_material_name(model, b), key);
    }
  if (asp_model_beam_count(model) > 0)
    return asp_fail(world->context, ASP_ERROR_INPUT,
                    "beam %s: flexible bodies are not known to the scheme event-driven; use moreau-jean",
                    asp_model_beam_name(model, 0));
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    if (asp_model_joint_def(model, joint)->friction_coefficient > 0)
      return asp_fail(world->context, ASP_ERROR_INPUT,
                      "joint %s: \"friction_coefficient\" is not known to the scheme event-driven; take it out, give a "
                      "constant \"friction\", or use moreau-jean",
                      asp_model_joint_name(model, joint));
  return ASP_OK;
}

AspError asp_events_create(AspWorld *world) {
  const AspModel *model = world->model;
  size_t joints = (size_t)asp_model_joint_count(model);
  ASP_TRY(check_laws(world));
  EventRun *run = asp_allocate(world->context, 1, sizeof *run);
  if (!run)
    return ASP_ERROR_MEMORY;
  world->events = run;
  run->world = world;
  ASP_TRY(asp_state_create(model, &run->start));
  ASP_TRY(asp_state_create(model, &run->base));
  run->colliders = asp_allocate(world->context, (size_t)asp_model_shape_count(model), sizeof *run->colliders);
  run->joint = asp_allocate(world->context, joints, sizeof *run->joint);
  run->joint_near = asp_allocate(world->context, TALLY_SLOTS * joints, sizeof *run->joint_near);
  if (!run->colliders || !run->joint || !run->joint_near)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_tally_create(&run->tally, world));
  ASP_TRY(asp_judge_create(world->context, &run->judge));
  return asp_world_make_solver(world, (AspMethod)world->options.method, world->options.max_iterations,
                               fmin(SHARP, world->options.tolerance), &run->solver);
}

void asp_events_destroy(AspWorld *world) {
  EventRun *run = world->events;
  if (!run)
    return;
  asp_state_destroy(world->model, &run->start);
  asp_state_destroy(world->model, &run->base);
  asp_solver_destroy(run->solver);
  asp_judge_destroy(run->judge);
  asp_tally_destroy(&run->tally);
  asp_events_end_motion(run);
  void *blocks[] = {run->colliders, run->track,   run->near,      run->joint, run->joint_near,
                    run->offset,    run->further, run->direction, run->fired, run->event};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    asp_release(world->context, blocks[i]);
  asp_release(world->context, run);
  world->events = NULL;
}

/* ---- the rest of a step by time stepping ---- */

/* Impulses and flows of the time step just made, from `before` to the state. */
static AspError count_time_step(EventRun *run) {
  AspWorld *world = run->world;
  AspStepWork *work = &world->work;
  AspState middle;
  ASP_TRY(asp_world_middle_of_step(world, &middle));
  ASP_TRY(asp_world_count_flow(world, &middle, work->dt, &work->formulation, work->r, &world->balance.flow,
                               &world->balance.outside));
  ASP_TRY(asp_tally_count(&run->tally, &work->formulation, world->search.found, work->r));
  for (int i = 0; i < work->frame_count; i++)
    if (work->frames[i].impulse[0] != 0)
      ASP_TRY(asp_tally_contact(&run->tally, &world->search.found[i], &work->frames[i], work->frames[i].impulse,
                                work->frames[i].moment));
  asp_solved_combine(&run->tally.solved, &work->solved);
  return ASP_OK;
}

/* Contacts that the time step left pressed together are closed: what is left of their gap and approach is taken off, or
 * they would begin to bounce again. */
static AspError close_pressed(EventRun *run) {
  AspWorld *world = run->world;
  const AspStepWork *work = &world->work;
  const AspFormulation *formulation = &work->formulation;
  double slow = 2 * work->dt * norm3(asp_model_gravity(world->model));
  run->tracks = run->nears = 0;
  for (int b = 0; b < formulation->blocks; b++) {
    if (formulation->tag[b].role != ASP_ROLE_CONTACT || !(work->r[formulation->offset[b]] > 0))
      continue;
    EventTrack track = {.contact = world->search.found[formulation->tag[b].index], .hold = {.slides = true}};
    const AspContactFrame *frame = &work->frames[formulation->tag[b].index];
    track.law = frame->law;
    asp_world_follow(world, &world->before, &world->state, work->dt * slow, &track.contact);
    if (fabs(track.contact.gap) <= work->dt * slow &&
        fabs(asp_contact_approach(world->model, frame, &world->state)) <= slow)
      ASP_TRY(asp_events_add_track(run, &track));
  }
  memset(run->joint, 0, (size_t)asp_model_joint_count(world->model) * sizeof *run->joint);
  return asp_events_take_off_drift(run);
}

static AspError step_in_time(EventRun *run, double t, const char *why) {
  AspWorld *world = run->world;
  double from = world->state.t;
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
    ASP_TRY(asp_world_warn(world, "at t = %.9g s %s: the rest of the step is made by time stepping (moreau-jean)", from,
                           why));
  }
  asp_events_end_motion(run);
  world->options.scheme = ASP_SCHEME_MOREAU_JEAN;
  AspError error = asp_world_attempt(world, t - from, world->solvers.chosen, false);
  if (error == ASP_OK)
    error = count_time_step(run);
  if (error == ASP_OK)
    error = close_pressed(run);
  world->options.scheme = ASP_SCHEME_EVENT_DRIVEN;
  run->tracks = run->nears = 0; // modes are found anew
  if (run->fired)
    memset(run->fired, 0, run->root_capacity[2] * sizeof *run->fired);
  return error;
}

/* ---- the step ---- */

#define ROUNDS_AT_START 64 /* of the projection: there is no other one */

/* Position drift of joints and overlaps of the initial state: as Moreau-Jean does before each of its steps. */
static AspError put_right(EventRun *run) {
  AspWorld *world = run->world;
  if (world->clock.step > 0)
    return ASP_OK;
  ASP_TRY(asp_world_gather(world, world->options.dt));
  asp_state_copy(world->model, &world->state, &world->before);
  return asp_world_project(world, ROUNDS_AT_START);
}

/* Why modes cannot be followed from here; NULL: they can. */
static const char *find_modes(EventRun *run, int events, AspError *error) {
  bool settled = true;
  if (run->motion)
    return NULL;
  *error = asp_events_settle(run, &settled);
  if (*error != ASP_OK)
    return NULL;
  return run->crowded               ? "there are too many closed contacts"
         : !settled                 ? "no modes of contacts and joints were found that hold"
         : events >= EVENTS_IN_STEP ? "events accumulate"
                                    : NULL;
}

static AspError follow_events(EventRun *run, double t) {
  AspWorld *world = run->world;
  const double ended = ENDED * world->options.dt;
  const char *why = NULL;
  for (int events = 0; !why && t - world->state.t > ended; events++) {
    AspError error = ASP_OK;
    bool goes = true;
    why = find_modes(run, events, &error);
    ASP_TRY(error);
    if (!why)
      ASP_TRY(asp_events_move(run, t, &goes));
    if (!goes && !run->patient && !run->jammed &&
        run->largest <= EVENT_ISLAND_MOST) { // what asked to slip is held by others
      run->patient = true;
      why = find_modes(run, events, &error);
      ASP_TRY(error);
      if (!why)
        ASP_TRY(asp_events_move(run, t, &goes));
    }
    run->patient = false;
    why = goes                               ? why
          : run->largest > EVENT_ISLAND_MOST ? "too many contacts and joints hang together"
                                             : "the smooth motion cannot be followed";
  }
  if (why && t - world->state.t > ended)
    return step_in_time(run, t, why);
  if (!run->motion)
    return ASP_OK;
  bool lasts;
  ASP_TRY(asp_events_certify(run, &lasts));
  if (!lasts)
    asp_events_end_motion(run);
  return ASP_OK;
}

AspError asp_events_step(AspWorld *world, double dt) {
  EventRun *run = world->events;
  double t = world->state.t + dt;
  ASP_TRY(asp_world_make_consistent(world, dt));
  asp_state_copy(world->model, &world->state, &run->start);
  world->frames.penetration = 0;
  world->balance.integrated = true;
  asp_tally_clear(&run->tally);
  AspError error = put_right(run);
  if (error == ASP_OK)
    error = follow_events(run, t);
  if (error != ASP_OK) {
    asp_events_end_motion(run);
    asp_state_copy(world->model, &run->start, &world->state);
    return error;
  }
  asp_state_copy(world->model, &run->start, &world->before);
  world->state.t = t;
  return asp_tally_describe(&run->tally, dt);
}

/* ---- the list of events ---- */

AspError asp_events_note(EventRun *run, AspEvent event) {
  void *list = run->event;
  if (run->events >= EVENTS_MOST)
    return ASP_OK;
  AspError error =
      asp_grow(run->world->context, &list, &run->event_capacity, (size_t)run->events + 1, sizeof *run->event);
  run->event = list;
  if (error == ASP_OK)
    run->event[run->events++] = event;
  return error;
}

const char *asp_event_name(AspEventKind kind) {
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

int asp_world_events(const AspWorld *world, const AspEvent **events) {
  *events = world->events ? world->events->event : NULL;
  return world->events ? world->events->events : 0;
}
