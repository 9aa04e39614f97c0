/* What contacts and joints gave in a step of the event-driven scheme, and the list of its events. The step is shown to
 * the records as one formulation at its end whose reactions are the impulses of all smooth motions and impacts. */
#include "linalg/vec3.h"
#include "world/events.h"

#include <math.h>

#define EVENTS_MOST 100000

int asp_event_slot(AspBlockRole role) {
  switch (role) {
  case ASP_ROLE_MOTION:
    return EVENT_SLOT_MOTION;
  case ASP_ROLE_MOTOR:
    return EVENT_SLOT_MOTOR;
  case ASP_ROLE_FRICTION:
    return EVENT_SLOT_FRICTION;
  case ASP_ROLE_LIMIT_LOW:
    return EVENT_SLOT_LOW;
  case ASP_ROLE_LIMIT_HIGH:
    return EVENT_SLOT_HIGH;
  default:
    return 0;
  }
}

void asp_events_clear(EventRun *run) {
  AspWorld *world = run->world;
  run->tallies = 0;
  memset(run->joint_tally, 0, EVENT_SLOTS * (size_t)asp_model_joint_count(world->model) * sizeof *run->joint_tally);
  run->solved = (AspSolverInfo){.status = ASP_STATUS_SOLVED};
  world->flow = (AspEnergyFlow){0};
  world->outside = (AspOutsideImpulse){{0, 0, 0}, {0, 0, 0}};
}

/* The contact's entry, made when new; -1: out of memory. */
static int entry_of(EventRun *run, const AspContact *contact, const AspContactFrame *frame) {
  int at = 0;
  while (at < run->tallies && !(run->tally[at].contact.collider_a == contact->collider_a &&
                                run->tally[at].contact.collider_b == contact->collider_b &&
                                run->tally[at].contact.feature == contact->feature))
    at++;
  if (at == run->tallies) {
    void *list = run->tally;
    AspError error = asp_grow(run->world->context, &list, &run->tally_capacity, (size_t)at + 1, sizeof *run->tally);
    run->tally = list;
    if (error != ASP_OK)
      return -1;
    run->tally[run->tallies++] = (EventTally){.contact = *contact};
  }
  run->tally[at].frame = *frame;
  return at;
}

AspError asp_events_count(EventRun *run, const AspFormulation *formulation, const AspContact *contacts,
                          const double *r) {
  const AspWorld *world = run->world;
  for (int b = 0; b < formulation->blocks; b++) {
    const AspBlockTag *tag = &formulation->tag[b];
    int first = formulation->offset[b], rows = formulation->offset[b + 1] - first;
    if (!asp_role_is_of_contact(tag->role)) {
      double *slot = run->joint_tally + EVENT_SLOTS * tag->index + asp_event_slot(tag->role);
      for (int k = 0; k < rows && tag->role != ASP_ROLE_BEARING; k++)
        slot[k] += r[first + k];
      continue;
    }
    const AspContactFrame *frame = &world->work.frames[tag->index];
    int at = entry_of(run, &contacts[tag->index], frame);
    if (at < 0)
      return ASP_ERROR_MEMORY;
    asp_contact_add_impulse(world->model, frame, tag->role, rows, r + first, run->tally[at].impulse,
                            run->tally[at].moment);
  }
  return ASP_OK;
}

AspError asp_events_count_contact(EventRun *run, const AspContact *contact, const AspContactFrame *frame,
                                  const double impulse[3], const double moment[3]) {
  int at = entry_of(run, contact, frame);
  if (at < 0)
    return ASP_ERROR_MEMORY;
  for (int k = 0; k < 3; k++) {
    run->tally[at].impulse[k] += impulse[k];
    run->tally[at].moment[k] += moment[k];
  }
  return ASP_OK;
}

/* Impulses onto the rows; velocities at the end. */
static void fill_rows(const EventRun *run, const AspFormulation *formulation, AspStepWork *work) {
  const AspWorld *world = run->world;
  int n = asp_model_dimension(world->model) == 3 ? 6 : 3;
  for (int b = 0; b < formulation->blocks; b++) {
    const AspBlockTag *tag = &formulation->tag[b];
    int first = formulation->offset[b];
    for (int k = first; k < formulation->offset[b + 1]; k++) {
      const AspRow *row = &formulation->row[k];
      bool contact = tag->role == ASP_ROLE_CONTACT;
      work->r[k] = contact ? run->tally[tag->index].impulse[k - first] /
                                 (k > first ? work->frames[tag->index].stretch[k - first - 1] : 1)
                           : run->joint_tally[EVENT_SLOTS * tag->index + asp_event_slot(tag->role) + k - first];
      work->u[k] = asp_row_dot(n, row->ja, world->state.v + (size_t)n * row->body_a) +
                   asp_row_dot(n, row->jb, world->state.v + (size_t)n * row->body_b) + formulation->shift[k];
    }
  }
}

AspError asp_events_describe(EventRun *run, double dt) {
  AspWorld *world = run->world;
  AspStepWork *work = &world->work;
  asp_world_prepare_work(world, dt);
  AspArena *arena = &world->arena;
  int count = run->tallies, joints = asp_model_joint_count(world->model), approaching;
  AspContact *found = ASP_TAKE(arena, AspContact, count);
  AspRoundness *round = ASP_TAKE(arena, AspRoundness, 2 * count);
  AspContactHold *holds = ASP_TAKE(arena, AspContactHold, count);
  AspJointHold *joint_holds = ASP_TAKE(arena, AspJointHold, joints);
  work->frames = ASP_TAKE(arena, AspContactFrame, count);
  if (!found || !round || !holds || !joint_holds || !work->frames)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < count; i++) {
    found[i] = run->tally[i].contact;
    work->frames[i] = run->tally[i].frame;
    memset(work->frames[i].impulse, 0, sizeof work->frames[i].impulse);
    memcpy(work->frames[i].moment, run->tally[i].moment, sizeof work->frames[i].moment);
  }
  for (int j = 0; j < joints; j++)
    joint_holds[j] = (AspJointHold){.low = run->joint_tally[EVENT_SLOTS * j + EVENT_SLOT_LOW] != 0,
                                    .high = run->joint_tally[EVENT_SLOTS * j + EVENT_SLOT_HIGH] != 0};
  world->found = found;
  work->frame_count = count;
  AspInstant instant = {.gap = run->gap, .speed = run->speed, .contacts = holds, .joints = joint_holds};
  AspFormulation *formulation = &work->formulation;
  ASP_TRY(asp_formulation_begin(formulation, arena, world->model, work->frames, count));
  ASP_TRY(asp_formulate_acceleration(formulation, &world->state, work->frames, round, count, &work->friction, &instant,
                                     &approaching));
  work->r = ASP_TAKE(arena, double, formulation->rows);
  work->u = ASP_TAKE(arena, double, formulation->rows);
  work->redundant = ASP_TAKE(arena, bool, formulation->rows);
  if (!work->r || !work->u || !work->redundant)
    return ASP_ERROR_MEMORY;
  fill_rows(run, formulation, work);
  work->solved = run->solved;
  return ASP_OK;
}

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
