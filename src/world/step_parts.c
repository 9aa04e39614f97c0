/* A step that is made in parts (retry.c, locate.c) is one step to the reader: impulses of its parts add up, forces are
 * means over all of it, certificates are those of the worst part, states those of its end.
 *
 * A contact is the same in two parts where shapes and feature are; its impulse is summed in world axes, and told in
 * those of the last part that had it. */
#include "world/step_parts.h"
#include "linalg/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

AspError asp_parts_create(AspContext *context, const AspModel *model, StepParts *parts) {
  parts->totals = asp_allocate(context, (size_t)asp_model_body_count(model), sizeof *parts->totals);
  parts->joints = asp_allocate(context, (size_t)asp_model_joint_count(model), sizeof *parts->joints);
  return parts->totals && parts->joints ? ASP_OK : ASP_ERROR_MEMORY;
}

void asp_parts_destroy(AspContext *context, StepParts *parts) {
  asp_release(context, parts->contacts);
  asp_release(context, parts->totals);
  asp_release(context, parts->joints);
}

AspError asp_parts_reserve(StepParts *parts, AspContext *context, int contacts) {
  return ASP_GROW(context, parts->contacts, parts->capacity, contacts);
}

void asp_parts_begin(StepParts *parts) { parts->count = parts->contact_count = 0; }

/* ---- records ---- */

static AspVec3 moment_of(const AspContactRecord *record, bool plane) {
  const double *m = record->moment;
  return plane ? vec3(0, m[1], 0)
               : add3(scale3(m[0], record->normal), add3(scale3(m[1], record->t1), scale3(m[2], record->t2)));
}

/* Ascending by shapes and feature, as records are. */
static int compare(const void *a, const void *b) {
  const AspContactRecord *x = a, *y = b;
  if (x->shape_a != y->shape_a)
    return x->shape_a < y->shape_a ? -1 : 1;
  if (x->shape_b != y->shape_b)
    return x->shape_b < y->shape_b ? -1 : 1;
  return (x->feature > y->feature) - (x->feature < y->feature);
}

/* The record of a part with the sum of before, if it has one: forces and torques are impulses, in world axes. */
static void add_contact(AspContactRecord *sum, bool has_sum, const AspContactRecord *record, bool plane, double dt) {
  AspVec3 impulse = scale3(dt, record->force), moment = moment_of(record, plane);
  AspVec3 torque_a = scale3(dt, record->torque_a), torque_b = scale3(dt, record->torque_b);
  AspContactMode mode = record->mode;
  if (has_sum) {
    torque_a = add3(torque_a, sum->torque_a);
    torque_b = add3(torque_b, sum->torque_b);
    impulse = add3(impulse, sum->force);
    moment = add3(moment, vec3(sum->moment[0], sum->moment[1], sum->moment[2]));
    mode = mode == ASP_MODE_OPEN ? sum->mode : mode;
  }
  *sum = *record;
  sum->force = impulse;
  sum->torque_a = torque_a;
  sum->torque_b = torque_b;
  sum->mode = mode;
  for (int k = 0; k < 3; k++)
    sum->moment[k] = get3(moment, k);
}

/* Both lists ascend: one walk finds the sums of before; what is new is sorted in. */
static void add_contacts(StepParts *parts, const StepRecords *records, bool plane, double dt) {
  int before = parts->contact_count, at = 0;
  for (int i = 0; i < records->contact_count; i++) {
    const AspContactRecord *record = &records->contacts[i];
    while (at < before && compare(&parts->contacts[at], record) < 0)
      at++;
    bool has_sum = at < before && compare(&parts->contacts[at], record) == 0;
    add_contact(&parts->contacts[has_sum ? at++ : parts->contact_count++], has_sum, record, plane, dt);
  }
  if (parts->contact_count > before)
    qsort(parts->contacts, (size_t)parts->contact_count, sizeof *parts->contacts, compare);
}

static void add_wrench(AspVec3 *force, AspVec3 *torque, double dt, AspVec3 more_force, AspVec3 more_torque) {
  *force = axpy3(*force, dt, more_force);
  *torque = axpy3(*torque, dt, more_torque);
}

static void add_joint(AspJointRecord *sum, const AspJointRecord *joint, double dt) {
  add_wrench(&sum->force, &sum->torque, dt, joint->force, joint->torque);
  sum->friction += dt * joint->friction;
  sum->motor += dt * joint->motor;
  sum->limit += dt * joint->limit;
}

AspError asp_parts_add(StepParts *parts, AspContext *context, const AspModel *model, const StepRecords *records,
                       double dt) {
  bool plane = asp_model_dimension(model) == 2;
  int bodies = asp_model_body_count(model), joints = asp_model_joint_count(model);
  if (parts->count == 0) {
    parts->length = 0;
    memset(parts->totals, 0, (size_t)bodies * sizeof *parts->totals);
    if (joints > 0)
      memset(parts->joints, 0, (size_t)joints * sizeof *parts->joints);
  }
  ASP_TRY(ASP_GROW(context, parts->contacts, parts->capacity, parts->contact_count + records->contact_count));
  add_contacts(parts, records, plane, dt);
  for (int body = 0; body < bodies; body++)
    add_wrench(&parts->totals[body].force, &parts->totals[body].torque, dt, records->totals[body].force,
               records->totals[body].torque);
  for (int joint = 0; joint < joints; joint++)
    add_joint(&parts->joints[joint], &records->joints[joint], dt);
  parts->length += dt;
  parts->count++;
  return ASP_OK;
}

static void tell_contact(AspContactRecord *record, bool plane, double length) {
  AspVec3 axes[3] = {record->normal, record->t1, record->t2}, impulse = record->force,
          moment = vec3(record->moment[0], record->moment[1], record->moment[2]);
  for (int k = 0; k < 3; k++) {
    record->impulse[k] = dot3(impulse, axes[k]);
    record->moment[k] = plane ? (k == 1 ? moment.y : 0) : dot3(moment, axes[k]);
  }
  record->force = scale3(1 / length, impulse);
  record->torque_a = scale3(1 / length, record->torque_a);
  record->torque_b = scale3(1 / length, record->torque_b);
}

AspError asp_parts_tell(const StepParts *parts, AspArena *arena, const AspModel *model, StepRecords *records) {
  bool plane = asp_model_dimension(model) == 2;
  double per = 1 / parts->length;
  AspContactRecord *contacts = ASP_TAKE_UNCLEARED(arena, AspContactRecord, parts->contact_count);
  if (!contacts)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < parts->contact_count; i++) {
    contacts[i] = parts->contacts[i];
    tell_contact(&contacts[i], plane, parts->length);
  }
  records->contacts = contacts;
  records->contact_count = parts->contact_count;
  for (int body = 0; body < asp_model_body_count(model); body++)
    records->totals[body] =
        (AspWrench){scale3(per, parts->totals[body].force), scale3(per, parts->totals[body].torque)};
  for (int joint = 0; joint < asp_model_joint_count(model); joint++) {
    const AspJointRecord *sum = &parts->joints[joint];
    AspJointRecord *record = &records->joints[joint];
    record->force = scale3(per, sum->force);
    record->torque = scale3(per, sum->torque);
    record->friction = per * sum->friction;
    record->motor = per * sum->motor;
    record->limit = per * sum->limit;
  }
  return ASP_OK;
}

/* ---- info ---- */

static double worse(double a, double b) { return isnan(a) || a >= b ? a : isnan(b) ? a : b; }

static void add_times(AspStepTimes *sum, const AspStepTimes *times) {
  sum->collide += times->collide;
  sum->assemble += times->assemble;
  sum->solve += times->solve;
  sum->judge += times->judge;
  sum->record += times->record;
}

/* The worse of two certificates. */
static void take_certificate(AspStepInfo *info, const AspStepInfo *other) {
  if (!(other->residual.E2 > info->residual.E2) && !(info->certified && !other->certified))
    return;
  info->residual = other->residual;
  info->status = other->status;
  info->method = other->method;
}

void asp_info_add(const AspStepInfo *before, AspStepInfo *info) {
  take_certificate(info, before);
  info->certified = info->certified && before->certified;
  info->resolved = info->resolved && before->resolved;
  info->dt += before->dt;
  info->iterations += before->iterations;
  info->attempts += before->attempts - 1;
  info->parts += before->parts;
  info->contacts = info->contacts > before->contacts ? info->contacts : before->contacts;
  info->blocks = info->blocks > before->blocks ? info->blocks : before->blocks;
  bool undecided = info->alternatives == 0 || before->alternatives == 0;
  info->alternatives = undecided                                   ? 0
                       : info->alternatives > before->alternatives ? info->alternatives
                                                                   : before->alternatives;
  info->instant_solutions = before->instant_solutions; // at the start of the step
  info->load_sharing = info->load_sharing < 0 || before->load_sharing < 0 ? -1
                       : info->load_sharing > 0                           ? 1
                                                                          : before->load_sharing;
  info->impulse = info->impulse || before->impulse;
  info->penetration = fmax(info->penetration, before->penetration);
  asp_energy_flow_add(&info->flow, &before->flow);
  info->momentum.linear_remainder = add3(info->momentum.linear_remainder, before->momentum.linear_remainder);
  info->momentum.angular_remainder = add3(info->momentum.angular_remainder, before->momentum.angular_remainder);
  for (int i = 0; i < ASP_MEASURE_COUNT; i++)
    info->measure[i] = worse(before->measure[i], info->measure[i]);
  add_times(&info->times, &before->times);
}
