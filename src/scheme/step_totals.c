/* Totals of a step: see step_totals.h. The step is shown to the records as one formulation at its end whose reactions
 * are the impulses of all smooth motions and impacts. */
#include "scheme/step_totals.h"

#include "linalg/dimension.h"
#include "linalg/vec3.h"

#include <math.h>

void asp_energy_flow_add(AspEnergyFlow *sum, const AspEnergyFlow *flow) {
  sum->motors += flow->motors;
  sum->forces += flow->forces;
  sum->friction += flow->friction;
  sum->impacts += flow->impacts;
  sum->joints += flow->joints;
  sum->damping += flow->damping;
  sum->remainder += flow->remainder;
}

int asp_totals_slot(const AspBlockTag *tag) {
  switch (tag->role) {
  case ASP_ROLE_MOTION:
    return TOTAL_SLOT_MOTION;
  case ASP_ROLE_MOTOR:
    return TOTAL_SLOT_MOTOR;
  case ASP_ROLE_FRICTION:
    return TOTAL_SLOT_FRICTION + tag->part;
  case ASP_ROLE_LIMIT_LOW:
    return TOTAL_SLOT_LOW;
  case ASP_ROLE_LIMIT_HIGH:
    return TOTAL_SLOT_HIGH;
  case ASP_ROLE_ARMATURE:
    return TOTAL_SLOT_ARMATURE;
  default:
    return 0;
  }
}

AspError asp_totals_create(StepTotals *totals, const AspSchemeHost *host) {
  totals->host = host;
  totals->joint =
      asp_allocate(host->context, TOTAL_SLOTS * (size_t)asp_model_joint_count(host->model), sizeof *totals->joint);
  totals->joint_force = asp_allocate(host->context, TOTAL_SLOTS * (size_t)asp_model_joint_count(host->model),
                                     sizeof *totals->joint_force);
  return totals->joint && totals->joint_force ? ASP_OK : ASP_ERROR_MEMORY;
}

void asp_totals_destroy(StepTotals *totals) {
  if (!totals->host)
    return;
  asp_release(totals->host->context, totals->contact);
  asp_release(totals->host->context, totals->joint);
  asp_release(totals->host->context, totals->joint_force);
}

void asp_totals_clear(StepTotals *totals) {
  const AspSchemeHost *host = totals->host;
  totals->contacts = 0;
  totals->instant = false;
  totals->gain = totals->gain_most = 0;
  totals->gain_contact = 0;
  memset(totals->joint, 0, TOTAL_SLOTS * (size_t)asp_model_joint_count(host->model) * sizeof *totals->joint);
  totals->solved = (AspSolverInfo){.status = ASP_STATUS_SOLVED};
  *host->flow = (AspEnergyFlow){0};
  *host->outside = (AspOutsideImpulse){{0, 0, 0}, {0, 0, 0}};
}

/* The contact's entry, made when new; -1: out of memory. */
static int entry_of(StepTotals *totals, const AspContact *contact, const AspContactFrame *frame) {
  int at = 0;
  while (at < totals->contacts && !(totals->contact[at].contact.collider_a == contact->collider_a &&
                                    totals->contact[at].contact.collider_b == contact->collider_b &&
                                    totals->contact[at].contact.feature == contact->feature))
    at++;
  if (at == totals->contacts) {
    AspError error = ASP_GROW(totals->host->context, totals->contact, totals->capacity, at + 1);
    if (error != ASP_OK)
      return -1;
    totals->contact[totals->contacts++] = (TotalContact){.contact = *contact};
  }
  totals->contact[at].frame = *frame;
  return at;
}

AspError asp_totals_count(StepTotals *totals, const AspFormulation *formulation, const AspContact *contacts,
                          const double *r) {
  const AspSchemeHost *host = totals->host;
  for (int b = 0; b < formulation->blocks; b++) {
    const AspBlockTag *tag = &formulation->tag[b];
    int first = formulation->offset[b], rows = formulation->offset[b + 1] - first;
    if (!asp_role_is_of_contact(tag->role)) {
      double *slot = totals->joint + TOTAL_SLOTS * tag->index + asp_totals_slot(tag);
      for (int k = 0; k < rows && tag->role != ASP_ROLE_BEARING; k++)
        slot[k] += r[first + k];
      continue;
    }
    const AspContactFrame *frame = &host->work->frames[tag->index];
    int at = entry_of(totals, &contacts[tag->index], frame);
    if (at < 0)
      return ASP_ERROR_MEMORY;
    asp_contact_add_impulse(host->model, frame, tag->role, rows, r + first, totals->contact[at].impulse,
                            totals->contact[at].moment);
  }
  return ASP_OK;
}

AspError asp_totals_contact(StepTotals *totals, const AspContact *contact, const AspContactFrame *frame,
                            const double impulse[3], const double moment[3]) {
  int at = entry_of(totals, contact, frame);
  if (at < 0)
    return ASP_ERROR_MEMORY;
  for (int k = 0; k < 3; k++) {
    totals->contact[at].impulse[k] += impulse[k];
    totals->contact[at].moment[k] += moment[k];
  }
  return ASP_OK;
}

AspError asp_totals_instant(StepTotals *totals, const AspFormulation *formulation, const AspContact *contacts,
                            const double *r) {
  const AspSchemeHost *host = totals->host;
  size_t slots = TOTAL_SLOTS * (size_t)asp_model_joint_count(host->model);
  memset(totals->joint_force, 0, slots * sizeof *totals->joint_force);
  for (int i = 0; i < totals->contacts; i++)
    memset(totals->contact[i].force, 0, sizeof totals->contact[i].force);
  for (int b = 0; b < formulation->blocks; b++) {
    const AspBlockTag *tag = &formulation->tag[b];
    int first = formulation->offset[b], rows = formulation->offset[b + 1] - first;
    if (!asp_role_is_of_contact(tag->role)) {
      double *slot = totals->joint_force + TOTAL_SLOTS * tag->index + asp_totals_slot(tag);
      for (int k = 0; k < rows && tag->role != ASP_ROLE_BEARING; k++)
        slot[k] += r[first + k];
      continue;
    }
    const AspContactFrame *frame = &host->work->frames[tag->index];
    double moment[3] = {0};
    int at = entry_of(totals, &contacts[tag->index], frame);
    if (at < 0)
      return ASP_ERROR_MEMORY;
    asp_contact_add_impulse(host->model, frame, tag->role, rows, r + first, totals->contact[at].force, moment);
  }
  totals->instant = true;
  return ASP_OK;
}

AspError asp_totals_gain(StepTotals *totals, const AspContact *contact, const AspContactFrame *frame, double gain) {
  int at = entry_of(totals, contact, frame);
  if (at < 0)
    return ASP_ERROR_MEMORY;
  totals->gain += gain;
  if (gain > totals->gain_most) {
    totals->gain_most = gain;
    totals->gain_contact = at;
  }
  return ASP_OK;
}

/* Impulses onto the rows, and forces at the end where they are known; velocities at the end. */
static void fill_rows(const StepTotals *totals, const AspFormulation *formulation, AspStepWork *work) {
  const AspSchemeHost *host = totals->host;
  int n = asp_body_velocities(asp_model_dimension(host->model));
  for (int b = 0; b < formulation->blocks; b++) {
    const AspBlockTag *tag = &formulation->tag[b];
    int first = formulation->offset[b];
    for (int k = first; k < formulation->offset[b + 1]; k++) {
      const AspRow *row = &formulation->row[k];
      bool contact = tag->role == ASP_ROLE_CONTACT;
      double stretch = contact && k > first ? work->frames[tag->index].stretch[k - first - 1] : 1;
      int slot = TOTAL_SLOTS * tag->index + asp_totals_slot(tag) + k - first;
      work->r[k] = contact ? totals->contact[tag->index].impulse[k - first] / stretch : totals->joint[slot];
      if (work->instant)
        work->instant[k] = contact ? totals->contact[tag->index].force[k - first] / stretch : totals->joint_force[slot];
      work->u[k] = asp_row_along(n, row, host->state->v) + row->rate + formulation->shift[k];
    }
  }
}

AspError asp_totals_describe(StepTotals *totals, double dt) {
  const AspSchemeHost *host = totals->host;
  AspStepWork *work = host->work;
  host->call->prepare_work(host->user, dt);
  AspArena *arena = host->arena;
  int count = totals->contacts, joints = asp_model_joint_count(host->model), approaching;
  AspContact *found = ASP_TAKE(arena, AspContact, count);
  AspRoundness *round = ASP_TAKE(arena, AspRoundness, 2 * count);
  AspContactHold *holds = ASP_TAKE(arena, AspContactHold, count);
  AspJointHold *joint_holds = ASP_TAKE(arena, AspJointHold, joints);
  work->frames = ASP_TAKE(arena, AspContactFrame, count);
  if (!found || !round || !holds || !joint_holds || !work->frames)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < count; i++) {
    found[i] = totals->contact[i].contact;
    work->frames[i] = totals->contact[i].frame;
    memset(work->frames[i].impulse, 0, sizeof work->frames[i].impulse);
    memcpy(work->frames[i].moment, totals->contact[i].moment, sizeof work->frames[i].moment);
  }
  for (int j = 0; j < joints; j++)
    joint_holds[j] = (AspJointHold){.low = totals->joint[TOTAL_SLOTS * j + TOTAL_SLOT_LOW] != 0,
                                    .high = totals->joint[TOTAL_SLOTS * j + TOTAL_SLOT_HIGH] != 0};
  *host->found = found;
  work->frame_count = count;
  AspInstant instant = {.contacts = holds, .joints = joint_holds};
  AspFormulation *formulation = &work->formulation;
  ASP_TRY(asp_formulation_begin(formulation, arena, host->model, work->frames, count));
  ASP_TRY(asp_formulate_acceleration(formulation, host->state, work->frames, round, count, &work->friction, &instant,
                                     &approaching));
  work->r = ASP_TAKE(arena, double, formulation->rows);
  work->u = ASP_TAKE(arena, double, formulation->rows);
  work->redundant = ASP_TAKE(arena, bool, formulation->rows);
  work->instant = totals->instant ? ASP_TAKE(arena, double, formulation->rows) : NULL;
  if (!work->r || !work->u || !work->redundant || (totals->instant && !work->instant))
    return ASP_ERROR_MEMORY;
  fill_rows(totals, formulation, work);
  work->solved = totals->solved;
  work->gain = totals->gain;
  work->gain_frame = totals->gain_contact;
  return ASP_OK;
}

AspError asp_totals_rates(StepTotals *totals, const AspState *state, const AspFormulation *formulation, const double *r,
                          double rates[STEP_TOTALS_TOTAL_FLOWS]) {
  const AspSchemeHost *host = totals->host;
  AspEnergyFlow flow = {0};
  AspOutsideImpulse outside = {{0, 0, 0}, {0, 0, 0}};
  ASP_TRY(host->call->count_flow(host->user, state, 1, formulation, r, &flow, &outside));
  const double all[STEP_TOTALS_TOTAL_FLOWS] = {
      flow.motors,      flow.forces,      flow.friction,    flow.impacts,      flow.joints,       flow.damping,
      outside.linear.x, outside.linear.y, outside.linear.z, outside.angular.x, outside.angular.y, outside.angular.z};
  memcpy(rates, all, sizeof all);
  return ASP_OK;
}

void asp_totals_flows(StepTotals *totals, const double grown[STEP_TOTALS_TOTAL_FLOWS]) {
  const AspSchemeHost *host = totals->host;
  AspEnergyFlow *flow = host->flow;
  flow->motors += grown[0];
  flow->forces += grown[1];
  flow->friction += grown[2];
  flow->impacts += grown[3];
  flow->joints += grown[4];
  flow->damping += grown[5];
  host->outside->linear = add3(host->outside->linear, vec3(grown[6], grown[7], grown[8]));
  host->outside->angular = add3(host->outside->angular, vec3(grown[9], grown[10], grown[11]));
}
