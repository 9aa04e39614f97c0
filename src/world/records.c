/* Contact and joint records of a step, from the problem's rows by their tags. Impulses become forces by division by dt.
 * Those of contacts are filled in when they are first asked for: everything that they come from lives until the next
 * step. */
#include "base/parallel.h"
#include "linalg/vec3.h"
#include "world/world_data.h"

#include <math.h>

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
static AspContactRecord contact_geometry(const AspContact *contact, const AspContactFrame *frame) {
  return (AspContactRecord){.body_a = frame->body_a,
                            .body_b = frame->body_b,
                            .shape_a = contact->collider_a,
                            .shape_b = contact->collider_b,
                            .feature = contact->feature,
                            .point = frame->point,
                            .normal = frame->normal,
                            .t1 = frame->t1,
                            .t2 = frame->t2,
                            .gap = contact->gap,
                            .impulse = {frame->impulse[0], frame->impulse[1], frame->impulse[2]},
                            .moment = {frame->moment[0], frame->moment[1], frame->moment[2]},
                            .slip = {NAN, NAN, NAN},
                            .mu = frame->mu};
}

/* How the points of a contact without block, or without friction, move at the end of the step. */
static void record_slip(const AspWorld *world, const AspContactFrame *frame, AspContactRecord *record) {
  int dimension = asp_model_dimension(world->model), n = dimension == 3 ? 6 : 3;
  AspRow rows[3];
  record->slip[2] = dimension == 3 ? record->slip[2] : 0;
  if (!isnan(record->slip[0]) && !isnan(record->slip[1]) && !isnan(record->slip[2]))
    return;
  asp_contact_rows(dimension, frame, rows);
  for (int k = 0; k < dimension; k++)
    if (isnan(record->slip[k]))
      record->slip[k] = asp_row_dot(n, rows[k].ja, world->state.v + (size_t)n * frame->body_a) +
                        asp_row_dot(n, rows[k].jb, world->state.v + (size_t)n * frame->body_b);
}

/* Impulses of the contact's block and of its resistances, in the units of the contact's frame. */
static void record_block(const AspWorld *world, int block, AspContactRecord *record) {
  const AspFormulation *formulation = &world->work.formulation;
  const AspContactFrame *frame = &world->work.frames[formulation->tag[block].index];
  int first = formulation->offset[block], count = formulation->offset[block + 1] - first;
  AspBlockRole role = formulation->tag[block].role;
  asp_contact_add_impulse(world->model, frame, role, count, world->work.r + first, record->impulse, record->moment);
  if (role != ASP_ROLE_CONTACT)
    return;
  for (int k = 0; k < count; k++)
    record->slip[k] = (world->work.u[first + k] - formulation->shift[first + k]) / (k > 0 ? frame->stretch[k - 1] : 1);
  record->mu = formulation->law[block].mu * frame->stretch[0];
}

/* Force in world axes, and its share in the totals of both bodies. */
static void record_totals(const AspWorld *world, AspContactRecord *record, const AspContactFrame *frame) {
  double per = 1 / world->work.dt;
  const double *p = record->impulse, *m = record->moment;
  bool plane = asp_model_dimension(world->model) == 2;
  AspVec3 force = add3(scale3(p[0], record->normal), add3(scale3(p[1], record->t1), scale3(p[2], record->t2)));
  AspVec3 moment = plane ? vec3(0, 0, m[1])
                         : add3(scale3(m[0], record->normal), add3(scale3(m[1], record->t1), scale3(m[2], record->t2)));
  record->force = scale3(per, force);
  AspWrench *a = &world->records.totals[record->body_a], *b = &world->records.totals[record->body_b];
  a->force = sub3(a->force, record->force);
  b->force = add3(b->force, record->force);
  a->torque = axpy3(a->torque, -per, add3(cross3(frame->arm_a, force), moment));
  b->torque = axpy3(b->torque, per, add3(cross3(frame->arm_b, force), moment));
}

void asp_world_record_contacts(const AspWorld *world) {
  const AspFormulation *formulation = &world->work.formulation;
  if (*world->records.recorded)
    return;
  *world->records.recorded = true;
  double impulse_scale = 0, speed_scale = 0;
  for (int k = 0; k < formulation->rows; k++)
    impulse_scale = fmax(impulse_scale, fabs(world->work.r[k]));
  for (int i = 0; i < asp_model_v_size(world->model); i++)
    speed_scale = fmax(speed_scale, fabs(world->state.v[i]));
  speed_scale = fmax(speed_scale, norm3(asp_model_gravity(world->model)) * world->work.dt);
  double tolerance = 10 * world->options.tolerance;
  for (int i = 0; i < world->records.contact_count;
       i++) // impacts before the step count, whether or not it goes on closed
    world->records.contacts[i] = contact_geometry(&world->search.found[i], &world->work.frames[i]);
  for (int b = 0; b < formulation->blocks; b++) {
    if (!asp_role_is_of_contact(formulation->tag[b].role))
      continue;
    AspContactRecord *record = &world->records.contacts[formulation->tag[b].index];
    record_block(world, b, record);
    if (formulation->tag[b].role != ASP_ROLE_CONTACT)
      continue;
    record_slip(world, &world->work.frames[formulation->tag[b].index], record);
    record->mode = contact_mode(record, impulse_scale, speed_scale, tolerance);
  }
  memset(world->records.totals, 0, (size_t)asp_model_body_count(world->model) * sizeof *world->records.totals);
  for (int i = 0; i < world->records.contact_count; i++) {
    record_slip(world, &world->work.frames[i], &world->records.contacts[i]);
    record_totals(world, &world->records.contacts[i], &world->work.frames[i]);
  }
}

/* Impulse of impacts before the step on a row of a joint. */
static double before_step(const AspStepWork *work, int row) { return work->impact_r ? work->impact_r[row] : 0; }

/* Force of a row: its mean over the step, or that at its end where the scheme knows it. */
static double row_force(const AspStepWork *work, int row) {
  return work->force ? work->force[row] : (work->r[row] + before_step(work, row)) / work->dt;
}

/* Constraint reaction on body B, moved from its centre of mass to the joint's point. */
static void record_reaction(const AspWorld *world, int block, AspJointRecord *record) {
  const AspFormulation *formulation = &world->work.formulation;
  int joint = formulation->tag[block].index;
  double six[6] = {0};
  int n = asp_model_dimension(world->model) == 3 ? 6 : 3;
  for (int k = formulation->offset[block]; k < formulation->offset[block + 1]; k++)
    for (int i = 0; i < n; i++)
      six[i] += formulation->row[k].jb[i] * row_force(&world->work, k);
  record->force = n == 6 ? vec3(six[0], six[1], six[2]) : vec3(six[0], six[1], 0);
  AspVec3 about_centre = n == 6 ? vec3(six[3], six[4], six[5]) : vec3(0, 0, six[2]);
  int body = asp_model_joint_def(world->model, joint)->body_b;
  AspVec3 arm =
      quat_rotate(asp_state_pose(world->model, &world->before, body).orientation, world->records.joint_anchor[joint]);
  record->torque = sub3(about_centre, cross3(arm, record->force));
}

static void record_joint_forces(AspWorld *world) {
  const AspFormulation *formulation = &world->work.formulation;
  for (int joint = 0; joint < asp_model_joint_count(world->model); joint++)
    world->records.joints[joint] = (AspJointRecord){0};
  for (int b = 0; b < formulation->blocks; b++) {
    if (!asp_role_is_of_joint(formulation->tag[b].role))
      continue;
    AspJointRecord *record = &world->records.joints[formulation->tag[b].index];
    bool acts = formulation->offset[b + 1] > formulation->offset[b];
    double effort = acts ? row_force(&world->work, formulation->offset[b]) : 0;
    switch (formulation->tag[b].role) {
    case ASP_ROLE_JOINT:
      record_reaction(world, b, record);
      break;
    case ASP_ROLE_MOTION:
    case ASP_ROLE_MOTOR:
      record->motor += effort;
      break;
    case ASP_ROLE_FRICTION:
      record->friction += effort;
      break;
    case ASP_ROLE_BEARING: {
      double lever = asp_bearing_lever(world->model, formulation->tag[b].index);
      record->friction += lever * row_force(&world->work, formulation->offset[b] + 1);
      break;
    }
    case ASP_ROLE_LIMIT_LOW:
      record->limit += effort;
      break;
    default:
      record->limit -= effort;
      break;
    }
  }
}

void asp_world_record_joint_state(AspWorld *world) {
  int n = asp_model_dimension(world->model) == 3 ? 6 : 3;
  for (int joint = 0; joint < asp_model_joint_count(world->model); joint++) {
    AspJointRecord *record = &world->records.joints[joint];
    AspRow rows[ASP_JOINT_ROWS_MAX], row;
    int count = asp_joint_rows(world->model, &world->state, joint, rows);
    record->drift = 0;
    for (int k = 0; k < count; k++)
      record->drift = fmax(record->drift, fabs(rows[k].value));
    if (!asp_joint_coordinate(world->model, &world->state, joint, &row))
      continue;
    record->coordinate = row.value;
    record->rate = asp_row_dot(n, row.ja, world->state.v + (size_t)n * row.body_a) +
                   asp_row_dot(n, row.jb, world->state.v + (size_t)n * row.body_b);
    AspJet motion;
    if (asp_joint_motion(world->model, joint, world->state.t, &motion))
      record->drift = fmax(record->drift, fabs(row.value - motion.value));
  }
}

AspError asp_world_record(AspWorld *world) {
  record_joint_forces(world);
  asp_world_record_joint_state(world);
  world->records.contact_count = world->work.frame_count;
  world->records.contacts = ASP_TAKE_UNCLEARED(&world->arena, AspContactRecord, world->records.contact_count);
  *world->records.recorded = false;
  return world->records.contacts ? ASP_OK : ASP_ERROR_MEMORY;
}
