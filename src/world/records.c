/* Contact and joint records of a step, from the problem's rows by their tags. Impulses become forces by division by dt.
 * Filled once, at the end of the step: readers change nothing. */
#include "world/records.h"

#include "base/parallel.h"
#include "linalg/vec3.h"
#include "model/joint_friction.h"
#include "model/joint_motions.h"
#include "world/step_parts.h"
#include "world/tuning/world.h"

#include <math.h>

static AspJointInstant unknown_instant(void) {
  return (AspJointInstant){vec3(NAN, NAN, NAN), vec3(NAN, NAN, NAN), NAN, NAN, NAN};
}

AspError asp_records_create(AspContext *context, const AspModel *model, const AspState *state, StepRecords *records) {
  size_t joints = (size_t)asp_model_joint_count(model);
  records->totals = asp_allocate(context, (size_t)asp_model_body_count(model), sizeof *records->totals);
  records->joints = asp_allocate(context, joints, sizeof *records->joints);
  records->joint_anchor = asp_allocate(context, joints, sizeof *records->joint_anchor);
  if (!records->totals || !records->joints || !records->joint_anchor)
    return ASP_ERROR_MEMORY;
  for (size_t joint = 0; joint < joints; joint++) {
    const AspJointDef *def = asp_model_joint_def(model, (int)joint);
    AspPose pose = asp_state_pose(model, state, def->body_b);
    records->joint_anchor[joint] = pose_point_back(&pose, def->point_b);
    records->joints[joint].instant = unknown_instant();
  }
  asp_records_joint_state(records, NULL, model, state);
  return asp_parts_create(context, model, &records->parts);
}

void asp_records_destroy(AspContext *context, StepRecords *records) {
  asp_parts_destroy(context, &records->parts);
  asp_release(context, records->totals);
  asp_release(context, records->joints);
  asp_release(context, records->joint_anchor);
}

void asp_records_clear(StepRecords *records) {
  records->contacts = NULL;
  records->contact_count = 0;
}

const char *asp_contact_mode_name(AspContactMode mode) {
  static const char *const names[] = {"open", "stick", "slide"};
  return mode >= ASP_MODE_OPEN && mode <= ASP_MODE_SLIDE ? names[mode] : "unknown";
}

/* Open: no normal impulse. Stick: the slip is nothing against the contact's own velocity scale, within
 * the tolerance. */
static AspContactMode contact_mode(const AspContactRecord *record, double impulse_scale, double speed_scale,
                                   double tolerance) {
  if (record->impulse[0] <= tolerance * impulse_scale)
    return ASP_MODE_OPEN;
  double slip = sqrt(record->slip[1] * record->slip[1] + record->slip[2] * record->slip[2]);
  return slip <= tolerance * speed_scale ? ASP_MODE_STICK : ASP_MODE_SLIDE;
}

/* Where the contact is; no slip and no impulse of the step yet. */
static void begin_record(const AspContact *contact, const AspContactFrame *frame, AspContactRecord *record) {
  record->body_a = frame->body_a;
  record->body_b = frame->body_b;
  record->shape_a = contact->collider_a;
  record->shape_b = contact->collider_b;
  record->feature = contact->feature;
  record->point = frame->point;
  record->normal = frame->normal;
  record->t1 = frame->t1;
  record->t2 = frame->t2;
  record->gap = contact->gap;
  for (int k = 0; k < 3; k++) {
    record->slip[k] = NAN;
    record->impulse[k] = frame->impulse[k]; // impacts before the step count, whether or not it goes on closed
    record->moment[k] = frame->moment[k];
  }
  record->mu = frame->mu;
  record->mode = ASP_MODE_OPEN;
}

/* How the points of a contact without block, or without friction, move at the end of the step. */
static void record_slip(const StepOutcome *step, const AspContactFrame *frame, AspContactRecord *record) {
  int dimension = asp_model_dimension(step->model), n = asp_body_velocities(dimension);
  AspRow rows[3];
  record->slip[2] = dimension == 3 ? record->slip[2] : 0;
  if (!isnan(record->slip[0]) && !isnan(record->slip[1]) && !isnan(record->slip[2]))
    return;
  asp_contact_rows(dimension, frame, rows);
  for (int k = 0; k < dimension; k++)
    if (isnan(record->slip[k]))
      record->slip[k] = asp_row_dot(n, rows[k].ja, step->state->v + (size_t)n * frame->body_a) +
                        asp_row_dot(n, rows[k].jb, step->state->v + (size_t)n * frame->body_b) + rows[k].rate;
}

/* Impulses of the contact's block and of its resistances, in the units of the contact's frame. */
static void record_block(const StepOutcome *step, int block, AspContactRecord *record) {
  const AspStepWork *work = step->work;
  const AspFormulation *formulation = &work->formulation;
  const AspContactFrame *frame = &work->frames[formulation->tag[block].index];
  int first = formulation->offset[block], count = formulation->offset[block + 1] - first;
  AspBlockRole role = formulation->tag[block].role;
  asp_contact_add_impulse(step->model, frame, role, count, work->r + first, record->impulse, record->moment);
  if (role != ASP_ROLE_CONTACT)
    return;
  for (int k = 0; k < count; k++)
    record->slip[k] =
        (work->u[first + k] - formulation->shift[first + k]) / (k > 0 ? frame->stretch[k - 1] : 1) + frame->bias[k];
  record->mu = formulation->law[block].mu * frame->stretch[0];
}

static AspVec3 world_axes(const AspContactRecord *record, const double p[3]) {
  return add3(scale3(p[0], record->normal), add3(scale3(p[1], record->t1), scale3(p[2], record->t2)));
}

/* The force at the end of the step, where the scheme knows it; block -1: the contact has none. */
static void record_instant(const StepOutcome *step, int block, AspContactRecord *record) {
  const AspStepWork *work = step->work;
  const AspFormulation *formulation = &work->formulation;
  double force[3] = {0}, moment[3] = {0};
  record->instant_force = vec3(NAN, NAN, NAN);
  if (!work->instant)
    return;
  if (block >= 0)
    asp_contact_add_impulse(step->model, &work->frames[formulation->tag[block].index], ASP_ROLE_CONTACT,
                            formulation->offset[block + 1] - formulation->offset[block],
                            work->instant + formulation->offset[block], force, moment);
  record->instant_force = world_axes(record, force);
}

/* Force in world axes, and its share in the totals of both bodies. */
static void record_totals(const StepOutcome *step, AspContactRecord *record, const AspContactFrame *frame,
                          AspWrench *totals) {
  double per = 1 / step->work->dt;
  const double *p = record->impulse, *m = record->moment;
  bool plane = asp_model_dimension(step->model) == 2;
  AspVec3 force = world_axes(record, p);
  AspVec3 moment = plane ? vec3(0, 0, m[1])
                         : add3(scale3(m[0], record->normal), add3(scale3(m[1], record->t1), scale3(m[2], record->t2)));
  record->force = scale3(per, force);
  AspWrench *a = &totals[record->body_a], *b = &totals[record->body_b];
  a->force = sub3(a->force, record->force);
  b->force = add3(b->force, record->force);
  record->torque_a = scale3(-per, add3(cross3(frame->arm_a, force), moment));
  record->torque_b = scale3(per, add3(cross3(frame->arm_b, force), moment));
  a->torque = add3(a->torque, record->torque_a);
  b->torque = add3(b->torque, record->torque_b);
}

/* The largest |x|, by four running ones: a single one would wait for itself. */
static double largest_of(const double *x, int count) {
  double most[4] = {0};
  for (int i = 0; i < count; i++) {
    double size = fabs(x[i]), *one = &most[i & 3];
    *one = size > *one ? size : *one;
  }
  return fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
}

/* Contacts that are recorded. Their blocks ascend by contact; those of resistances and expansions come behind all of
 * them. */
typedef struct Recording {
  const StepOutcome *step;
  AspContactRecord *contacts;
  int first, end;               /* blocks of contacts */
  double impulse, speed, small; /* the largest ones of the step, and the part of them that is nothing */
} Recording;

/* The first block from `first` on whose contact is not below i. */
static int block_from(const Recording *recording, int i) {
  const AspBlockTag *tag = recording->step->work->formulation.tag;
  int low = recording->first, high = recording->end;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (tag[middle].index < i)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void record_range(void *data, int from, int end) {
  const Recording *recording = data;
  const StepOutcome *step = recording->step;
  const AspBlockTag *tag = step->work->formulation.tag;
  for (int i = from, b = block_from(recording, from); i < end; i++) {
    const AspContactFrame *frame = &step->work->frames[i];
    AspContactRecord *record = &recording->contacts[i];
    bool has_block = b < recording->end && tag[b].index == i;
    begin_record(&step->found[i], frame, record);
    record_instant(step, has_block ? b : -1, record);
    if (has_block)
      record_block(step, b++, record);
    record_slip(step, frame, record);
    if (has_block)
      record->mode = contact_mode(record, recording->impulse, recording->speed, recording->small);
  }
}

static void record_contacts(StepRecords *records, AspContext *context, const StepOutcome *step) {
  const AspFormulation *formulation = &step->work->formulation;
  Recording recording = {.step = step,
                         .contacts = records->contacts,
                         .end = formulation->blocks,
                         .impulse = largest_of(step->work->r, formulation->rows),
                         .speed = fmax(largest_of(step->state->v, asp_model_v_size(step->model)),
                                       norm3(asp_model_gravity(step->model)) * step->work->dt),
                         .small = RECORDS_SMALL * step->tolerance};
  while (recording.first < recording.end && formulation->tag[recording.first].role != ASP_ROLE_CONTACT)
    recording.first++;
  while (recording.end > recording.first && formulation->tag[recording.end - 1].role != ASP_ROLE_CONTACT)
    recording.end--;
  asp_parallel_for(context, records->contact_count, RECORDS_GRAIN, record_range, &recording);
  for (int b = recording.end; b < formulation->blocks; b++)
    if (asp_role_is_of_contact(formulation->tag[b].role))
      record_block(step, b, &records->contacts[formulation->tag[b].index]);
  memset(records->totals, 0, (size_t)asp_model_body_count(step->model) * sizeof *records->totals);
  for (int i = 0; i < records->contact_count; i++)
    record_totals(step, &records->contacts[i], &step->work->frames[i], records->totals);
}

/* Impulse of impacts before the step on a row of a joint. */
static double before_step(const AspStepWork *work, int row) { return work->impact_r ? work->impact_r[row] : 0; }

/* Force of a row: at the instant the step ends; or its mean over the step, generalized-alpha's at its end. */
static double row_force(const AspStepWork *work, bool instant, int row) {
  if (instant)
    return work->instant[row];
  return work->force ? work->force[row] : (work->r[row] + before_step(work, row)) / work->dt;
}

/* Add a block's reaction on body B, moved from its centre of mass to the joint's point. */
static void add_reaction(const StepOutcome *step, const AspVec3 *anchor, bool instant, int block,
                         AspJointInstant *record) {
  const AspFormulation *formulation = &step->work->formulation;
  int joint = formulation->tag[block].index;
  double six[6] = {0};
  int n = asp_body_velocities(asp_model_dimension(step->model));
  for (int k = formulation->offset[block]; k < formulation->offset[block + 1]; k++)
    for (int i = 0; i < n; i++)
      six[i] += formulation->row[k].jb[i] * row_force(step->work, instant, k);
  AspVec3 force = n == 6 ? vec3(six[0], six[1], six[2]) : vec3(six[0], six[1], 0);
  AspVec3 about_centre = n == 6 ? vec3(six[3], six[4], six[5]) : vec3(0, 0, six[2]);
  int body = asp_model_joint_def(step->model, joint)->body_b;
  const AspState *at = instant ? step->state : step->before;
  AspVec3 arm = quat_rotate(asp_state_pose(step->model, at, body).orientation, anchor[joint]);
  record->force = add3(record->force, force);
  record->torque = add3(record->torque, sub3(about_centre, cross3(arm, force)));
}

/* Onto `instant` of every record. */
static void sum_joint_forces(StepRecords *records, const StepOutcome *step, bool instant) {
  const AspFormulation *formulation = &step->work->formulation;
  for (int b = 0; b < formulation->blocks; b++) {
    if (!asp_role_is_of_joint(formulation->tag[b].role))
      continue;
    AspJointInstant *record = &records->joints[formulation->tag[b].index].instant;
    bool acts = formulation->offset[b + 1] > formulation->offset[b];
    double effort = acts ? row_force(step->work, instant, formulation->offset[b]) : 0;
    switch (formulation->tag[b].role) {
    case ASP_ROLE_JOINT:
      add_reaction(step, records->joint_anchor, instant, b, record);
      break;
    case ASP_ROLE_MOTION:
      record->motor += effort;
      break;
    case ASP_ROLE_MOTOR: {
      double lever = asp_servo_lever(formulation, formulation->tag[b].index);
      record->motor += (lever > 0 ? lever : 1) * effort;
      break;
    }
    case ASP_ROLE_FRICTION:
      if (asp_joint_coordinates(step->model, formulation->tag[b].index) == 1)
        record->friction += effort;
      else // across the reactions of its conditions
        add_reaction(step, records->joint_anchor, instant, b, record);
      break;
    case ASP_ROLE_BEARING: {
      double lever = asp_bearing_lever(step->model, formulation->tag[b].index);
      record->friction += lever * row_force(step->work, instant, formulation->offset[b] + 1);
      break;
    }
    case ASP_ROLE_ARMATURE: // inertia, no load
      break;
    case ASP_ROLE_LIMIT_LOW:
      record->limit += effort;
      break;
    default:
      record->limit -= effort;
      break;
    }
  }
}

/* Servos that are forces of the state, and no blocks. */
static void record_servos(StepRecords *records, const StepOutcome *step) {
  for (int joint = 0; asp_model_servo_count(step->model) > 0 && joint < asp_model_joint_count(step->model); joint++)
    if (asp_servo_lever(&step->work->formulation, joint) == 0) {
      double effort = asp_joint_servo_effort(step->model, step->state, joint);
      records->joints[joint].motor += effort;
      records->joints[joint].instant.motor += effort;
    }
}

/* Means of the step, then those at its end. */
static void record_joint_forces(StepRecords *records, const StepOutcome *step) {
  int joints = asp_model_joint_count(step->model);
  for (int joint = 0; joint < joints; joint++)
    records->joints[joint] = (AspJointRecord){0};
  sum_joint_forces(records, step, false);
  for (int joint = 0; joint < joints; joint++) {
    AspJointRecord *record = &records->joints[joint];
    AspJointInstant mean = record->instant;
    *record = (AspJointRecord){.force = mean.force,
                               .torque = mean.torque,
                               .friction = mean.friction,
                               .motor = mean.motor,
                               .limit = mean.limit};
    if (!step->work->instant)
      record->instant = unknown_instant();
  }
  if (step->work->instant)
    sum_joint_forces(records, step, true);
  record_servos(records, step);
}

void asp_records_joint_state(StepRecords *records, JointMotions *motions, const AspModel *model,
                             const AspState *state) {
  asp_joint_motions_take(motions, model, state);
  for (int joint = 0; joint < asp_model_joint_count(model); joint++) {
    AspJointRecord *record = &records->joints[joint];
    RowMotion rows[ASP_JOINT_ROWS_MAX], row;
    int count = asp_kept_row_motions(motions, model, state, joint, rows);
    record->drift = 0;
    for (int k = 0; k < count; k++)
      record->drift = fmax(record->drift, fabs(rows[k].value));
    if (!asp_kept_motion_of_coordinate(motions, model, state, joint, &row))
      continue;
    record->coordinate = row.value;
    record->rate = row.rate;
    AspJet motion;
    if (asp_joint_motion(model, state, joint, state->t, &motion))
      record->drift = fmax(record->drift, fabs(row.value - motion.value));
  }
}

AspError asp_records_fill(StepRecords *records, AspArena *arena, const StepOutcome *step) {
  record_joint_forces(records, step);
  asp_records_joint_state(records, step->work->motions, step->model, step->state);
  records->contact_count = step->work->frame_count;
  records->contacts = ASP_TAKE_UNCLEARED(arena, AspContactRecord, records->contact_count);
  if (!records->contacts)
    return ASP_ERROR_MEMORY;
  record_contacts(records, arena->context, step);
  return ASP_OK;
}

double asp_records_joint_drift(const StepRecords *records, int joints) {
  double drift = 0;
  for (int joint = 0; joint < joints; joint++)
    drift = fmax(drift, records->joints[joint].drift);
  return drift;
}

AspError asp_records_archive(StepRecords *records, AspArena *arena, const AspModel *model, AspArchive *archive) {
  int count = asp_archive_count(archive, records->contact_count, sizeof *records->contacts);
  if (archive->reading && archive->error == ASP_OK) {
    records->contacts = ASP_TAKE(arena, AspContactRecord, count);
    if (!records->contacts)
      return ASP_ERROR_MEMORY;
    records->contact_count = count;
  }
  ASP_ARCHIVE_ARRAY(archive, records->contacts, count);
  ASP_ARCHIVE_ARRAY(archive, records->totals, asp_model_body_count(model));
  ASP_ARCHIVE_ARRAY(archive, records->joints, asp_model_joint_count(model));
  return archive->error;
}
