/* The tally of a step: see tally.h. The step is shown to the records as one formulation at its end whose reactions are
 * the impulses of all smooth motions and impacts. */
#include "world/tally.h"

#include "linalg/vec3.h"

#include <math.h>

int asp_tally_slot(AspBlockRole role) {
  switch (role) {
  case ASP_ROLE_MOTION:
    return TALLY_SLOT_MOTION;
  case ASP_ROLE_MOTOR:
    return TALLY_SLOT_MOTOR;
  case ASP_ROLE_FRICTION:
    return TALLY_SLOT_FRICTION;
  case ASP_ROLE_LIMIT_LOW:
    return TALLY_SLOT_LOW;
  case ASP_ROLE_LIMIT_HIGH:
    return TALLY_SLOT_HIGH;
  default:
    return 0;
  }
}

AspError asp_tally_create(StepTally *tally, AspWorld *world) {
  tally->world = world;
  tally->joint =
      asp_allocate(world->context, TALLY_SLOTS * (size_t)asp_model_joint_count(world->model), sizeof *tally->joint);
  return tally->joint ? ASP_OK : ASP_ERROR_MEMORY;
}

void asp_tally_destroy(StepTally *tally) {
  if (!tally->world)
    return;
  asp_release(tally->world->context, tally->contact);
  asp_release(tally->world->context, tally->joint);
}

void asp_tally_clear(StepTally *tally) {
  AspWorld *world = tally->world;
  tally->contacts = 0;
  memset(tally->joint, 0, TALLY_SLOTS * (size_t)asp_model_joint_count(world->model) * sizeof *tally->joint);
  tally->solved = (AspSolverInfo){.status = ASP_STATUS_SOLVED};
  world->balance.flow = (AspEnergyFlow){0};
  world->balance.outside = (AspOutsideImpulse){{0, 0, 0}, {0, 0, 0}};
}

/* The contact's entry, made when new; -1: out of memory. */
static int entry_of(StepTally *tally, const AspContact *contact, const AspContactFrame *frame) {
  int at = 0;
  while (at < tally->contacts && !(tally->contact[at].contact.collider_a == contact->collider_a &&
                                   tally->contact[at].contact.collider_b == contact->collider_b &&
                                   tally->contact[at].contact.feature == contact->feature))
    at++;
  if (at == tally->contacts) {
    void *list = tally->contact;
    AspError error = asp_grow(tally->world->context, &list, &tally->capacity, (size_t)at + 1, sizeof *tally->contact);
    tally->contact = list;
    if (error != ASP_OK)
      return -1;
    tally->contact[tally->contacts++] = (TallyContact){.contact = *contact};
  }
  tally->contact[at].frame = *frame;
  return at;
}

AspError asp_tally_count(StepTally *tally, const AspFormulation *formulation, const AspContact *contacts,
                         const double *r) {
  const AspWorld *world = tally->world;
  for (int b = 0; b < formulation->blocks; b++) {
    const AspBlockTag *tag = &formulation->tag[b];
    int first = formulation->offset[b], rows = formulation->offset[b + 1] - first;
    if (!asp_role_is_of_contact(tag->role)) {
      double *slot = tally->joint + TALLY_SLOTS * tag->index + asp_tally_slot(tag->role);
      for (int k = 0; k < rows && tag->role != ASP_ROLE_BEARING; k++)
        slot[k] += r[first + k];
      continue;
    }
    const AspContactFrame *frame = &world->work.frames[tag->index];
    int at = entry_of(tally, &contacts[tag->index], frame);
    if (at < 0)
      return ASP_ERROR_MEMORY;
    asp_contact_add_impulse(world->model, frame, tag->role, rows, r + first, tally->contact[at].impulse,
                            tally->contact[at].moment);
  }
  return ASP_OK;
}

AspError asp_tally_contact(StepTally *tally, const AspContact *contact, const AspContactFrame *frame,
                           const double impulse[3], const double moment[3]) {
  int at = entry_of(tally, contact, frame);
  if (at < 0)
    return ASP_ERROR_MEMORY;
  for (int k = 0; k < 3; k++) {
    tally->contact[at].impulse[k] += impulse[k];
    tally->contact[at].moment[k] += moment[k];
  }
  return ASP_OK;
}

/* Impulses onto the rows; velocities at the end. */
static void fill_rows(const StepTally *tally, const AspFormulation *formulation, AspStepWork *work) {
  const AspWorld *world = tally->world;
  int n = asp_model_dimension(world->model) == 3 ? 6 : 3;
  for (int b = 0; b < formulation->blocks; b++) {
    const AspBlockTag *tag = &formulation->tag[b];
    int first = formulation->offset[b];
    for (int k = first; k < formulation->offset[b + 1]; k++) {
      const AspRow *row = &formulation->row[k];
      bool contact = tag->role == ASP_ROLE_CONTACT;
      work->r[k] = contact ? tally->contact[tag->index].impulse[k - first] /
                                 (k > first ? work->frames[tag->index].stretch[k - first - 1] : 1)
                           : tally->joint[TALLY_SLOTS * tag->index + asp_tally_slot(tag->role) + k - first];
      work->u[k] = asp_row_dot(n, row->ja, world->state.v + (size_t)n * row->body_a) +
                   asp_row_dot(n, row->jb, world->state.v + (size_t)n * row->body_b) + formulation->shift[k];
    }
  }
}

AspError asp_tally_describe(StepTally *tally, double dt) {
  AspWorld *world = tally->world;
  AspStepWork *work = &world->work;
  asp_world_prepare_work(world, dt);
  AspArena *arena = &world->arena;
  int count = tally->contacts, joints = asp_model_joint_count(world->model), approaching;
  AspContact *found = ASP_TAKE(arena, AspContact, count);
  AspRoundness *round = ASP_TAKE(arena, AspRoundness, 2 * count);
  AspContactHold *holds = ASP_TAKE(arena, AspContactHold, count);
  AspJointHold *joint_holds = ASP_TAKE(arena, AspJointHold, joints);
  work->frames = ASP_TAKE(arena, AspContactFrame, count);
  if (!found || !round || !holds || !joint_holds || !work->frames)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < count; i++) {
    found[i] = tally->contact[i].contact;
    work->frames[i] = tally->contact[i].frame;
    memset(work->frames[i].impulse, 0, sizeof work->frames[i].impulse);
    memcpy(work->frames[i].moment, tally->contact[i].moment, sizeof work->frames[i].moment);
  }
  for (int j = 0; j < joints; j++)
    joint_holds[j] = (AspJointHold){.low = tally->joint[TALLY_SLOTS * j + TALLY_SLOT_LOW] != 0,
                                    .high = tally->joint[TALLY_SLOTS * j + TALLY_SLOT_HIGH] != 0};
  world->search.found = found;
  work->frame_count = count;
  AspInstant instant = {.contacts = holds, .joints = joint_holds};
  AspFormulation *formulation = &work->formulation;
  ASP_TRY(asp_formulation_begin(formulation, arena, world->model, work->frames, count));
  ASP_TRY(asp_formulate_acceleration(formulation, &world->state, work->frames, round, count, &work->friction, &instant,
                                     &approaching));
  work->r = ASP_TAKE(arena, double, formulation->rows);
  work->u = ASP_TAKE(arena, double, formulation->rows);
  work->redundant = ASP_TAKE(arena, bool, formulation->rows);
  if (!work->r || !work->u || !work->redundant)
    return ASP_ERROR_MEMORY;
  fill_rows(tally, formulation, work);
  work->solved = tally->solved;
  return ASP_OK;
}

AspError asp_tally_rates(StepTally *tally, const AspState *state, const AspFormulation *formulation, const double *r,
                         double rates[TALLY_FLOWS]) {
  AspEnergyFlow flow = {0};
  AspOutsideImpulse outside = {{0, 0, 0}, {0, 0, 0}};
  ASP_TRY(asp_world_count_flow(tally->world, state, 1, formulation, r, &flow, &outside));
  const double all[TALLY_FLOWS] = {flow.motors,      flow.forces,       flow.friction,     flow.impacts,
                                   flow.joints,      flow.damping,      outside.linear.x,  outside.linear.y,
                                   outside.linear.z, outside.angular.x, outside.angular.y, outside.angular.z};
  memcpy(rates, all, sizeof all);
  return ASP_OK;
}

void asp_tally_flows(StepTally *tally, const double grown[TALLY_FLOWS]) {
  AspWorld *world = tally->world;
  AspEnergyFlow *flow = &world->balance.flow;
  flow->motors += grown[0];
  flow->forces += grown[1];
  flow->friction += grown[2];
  flow->impacts += grown[3];
  flow->joints += grown[4];
  flow->damping += grown[5];
  world->balance.outside.linear = add3(world->balance.outside.linear, vec3(grown[6], grown[7], grown[8]));
  world->balance.outside.angular = add3(world->balance.outside.angular, vec3(grown[9], grown[10], grown[11]));
}
