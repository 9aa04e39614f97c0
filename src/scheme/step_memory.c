/* What is kept of a step for the next one; see step_memory.h. Bodies that an impact of the step reached, directly or
 * through reactions, keep the acceleration of before: a jump of the velocity says nothing about the next step. Depends
 * on the step's problem and its solution. */
#include "scheme/step_memory.h"
#include "base/disjoint_sets.h"
#include "formulate/blocks.h"

#include <math.h>

AspError asp_step_memory_create(const AspSchemeHost *host, void **run) {
  AspStepMemory *memory = asp_allocate(host->context, 1, sizeof *memory);
  *run = memory;
  if (!memory)
    return ASP_ERROR_MEMORY;
  size_t bodies = (size_t)asp_model_body_count(host->model);
  memory->acceleration = asp_allocate(host->context, (size_t)asp_model_v_size(host->model), sizeof(double));
  memory->change = asp_allocate(host->context, (size_t)asp_model_v_size(host->model), sizeof(double));
  memory->moment = asp_allocate(host->context, 3 * bodies, sizeof(double));
  memory->moment_last = asp_allocate(host->context, 3 * bodies, sizeof(double));
  size_t size = (size_t)asp_model_v_size(host->model);
  memory->contact = asp_allocate(host->context, size, sizeof(double));
  memory->contact_last = asp_allocate(host->context, size, sizeof(double));
  memory->joint_force =
      asp_allocate(host->context, ASP_JOINT_FORCES * (size_t)asp_model_joint_count(host->model), sizeof(double));
  return memory->acceleration && memory->change && memory->moment && memory->moment_last && memory->joint_force &&
                 memory->contact && memory->contact_last
             ? ASP_OK
             : ASP_ERROR_MEMORY;
}

void asp_step_memory_destroy(const AspSchemeHost *host, void *run) {
  AspStepMemory *memory = run;
  if (memory) {
    asp_release(host->context, memory->acceleration);
    asp_release(host->context, memory->change);
    asp_release(host->context, memory->contact);
    asp_release(host->context, memory->contact_last);
    asp_release(host->context, memory->joint_force);
    asp_release(host->context, memory->moment);
    asp_release(host->context, memory->moment_last);
  }
  asp_release(host->context, memory);
}

static void copy(double *to, const double *from, size_t count) {
  if (count > 0)
    memcpy(to, from, count * sizeof *to);
}

AspError asp_step_memory_copy(const AspSchemeHost *host, const void *from, void *to) {
  const AspStepMemory *source = from;
  AspStepMemory *target = to;
  size_t bodies = (size_t)asp_model_body_count(host->model), joints = (size_t)asp_model_joint_count(host->model);
  target->known = source->known;
  target->dt = source->dt;
  target->even = source->even;
  target->apart = source->apart;
  target->extrapolated = source->extrapolated;
  target->solved = source->solved;
  target->ago = source->ago;
  copy(target->acceleration, source->acceleration, (size_t)asp_model_v_size(host->model));
  copy(target->change, source->change, (size_t)asp_model_v_size(host->model));
  copy(target->contact, source->contact, (size_t)asp_model_v_size(host->model));
  copy(target->contact_last, source->contact_last, (size_t)asp_model_v_size(host->model));
  copy(target->joint_force, source->joint_force, ASP_JOINT_FORCES * joints);
  copy(target->moment, source->moment, 3 * bodies);
  copy(target->moment_last, source->moment_last, 3 * bodies);
  return ASP_OK;
}

AspError asp_step_memory_archive(const AspSchemeHost *host, void *run, AspArchive *archive) {
  AspStepMemory *memory = run;
  int bodies = asp_model_body_count(host->model), size = asp_model_v_size(host->model);
  ASP_ARCHIVE(archive, memory->known);
  ASP_ARCHIVE(archive, memory->dt);
  ASP_ARCHIVE(archive, memory->even);
  ASP_ARCHIVE(archive, memory->apart);
  ASP_ARCHIVE(archive, memory->extrapolated);
  ASP_ARCHIVE(archive, memory->solved);
  ASP_ARCHIVE(archive, memory->ago);
  ASP_ARCHIVE_ARRAY(archive, memory->acceleration, size);
  ASP_ARCHIVE_ARRAY(archive, memory->change, size);
  ASP_ARCHIVE_ARRAY(archive, memory->contact, size);
  ASP_ARCHIVE_ARRAY(archive, memory->contact_last, size);
  ASP_ARCHIVE_ARRAY(archive, memory->joint_force, ASP_JOINT_FORCES * asp_model_joint_count(host->model));
  ASP_ARCHIVE_ARRAY(archive, memory->moment, 3 * bodies);
  ASP_ARCHIVE_ARRAY(archive, memory->moment_last, 3 * bodies);
  return archive->error;
}

static void forget(double *values, size_t count) { memset(values, 0, count * sizeof *values); }

void asp_step_memory_disturb(const AspSchemeHost *host, void *run, bool moved) {
  AspStepMemory *memory = run;
  size_t bodies = (size_t)asp_model_body_count(host->model), size = (size_t)asp_model_v_size(host->model);
  if (!moved)
    return;
  memory->known = false;
  memory->even = 0;
  forget(memory->acceleration, size);
  forget(memory->change, size);
  forget(memory->contact, size);
  forget(memory->contact_last, size);
  forget(memory->joint_force, ASP_JOINT_FORCES * (size_t)asp_model_joint_count(host->model));
  forget(memory->moment, 3 * bodies);
  forget(memory->moment_last, 3 * bodies);
}

AspError asp_step_memory_prepare(const AspSchemeHost *host, void *run) {
  host->work->memory = run;
  return ASP_OK;
}

static bool is_hit(const AspStepWork *work, int block) {
  return asp_block_is_of_impact(&work->formulation, block) && work->r[work->formulation.offset[block]] > 0;
}

bool asp_step_has_impact(const AspStepWork *work) {
  for (int b = 0; b < work->formulation.blocks; b++)
    if (is_hit(work, b))
      return true;
  for (int i = 0; i < work->frame_count; i++)
    if (work->frames[i].impulse[0] > 0)
      return true;
  return false;
}

static void connect(const AspModel *model, int *set, int a, int b) {
  if (asp_model_body_is_free(model, a) && asp_model_body_is_free(model, b))
    asp_unite_sets(set, a, b);
}

static void mark(const AspModel *model, int *set, bool *hit, int a, int b) {
  if (asp_model_body_is_free(model, a))
    hit[asp_set_of(set, a)] = true;
  if (asp_model_body_is_free(model, b))
    hit[asp_set_of(set, b)] = true;
}

/* Bodies that are connected by reactions, and which of these sets an impact reached. */
static void find_hit(const AspStepWork *work, int *set, bool *hit) {
  const AspFormulation *formulation = &work->formulation;
  const AspModel *model = work->model;
  for (int pass = 0; pass < 2; pass++) {
    for (int b = 0; b < formulation->blocks; b++) {
      AspRow room[3];
      const AspRow *row = asp_block_rows(formulation, b, room);
      for (int k = formulation->offset[b]; k < formulation->offset[b + 1]; k++, row++)
        if (pass == 0 && work->r[k] != 0)
          asp_row_unite(model, row, set);
        else if (pass == 1 && is_hit(work, b))
          mark(model, set, hit, row->body_a, row->body_b);
    }
    for (int i = 0; i < work->frame_count; i++)
      if (work->frames[i].impulse[0] > 0) {
        if (pass == 0)
          connect(model, set, work->frames[i].body_a, work->frames[i].body_b);
        else
          mark(model, set, hit, work->frames[i].body_a, work->frames[i].body_b);
      }
  }
}

/* Errors of the accelerations that turn bodies, as they were expected of the step just made. */
static void compare_with_expected(const AspSchemeHost *host, AspStepMemory *memory, bool impact) {
  const AspStepWork *work = host->work;
  int d = asp_model_dimension(host->model), n = asp_body_velocities(d);
  double dt = work->dt, extrapolated = 0, solved = 0;
  for (int body = 0; body < asp_model_body_count(host->model); body++)
    for (int i = n * body + d; asp_model_body_dof(host->model, body) >= 0 && i < n * (body + 1); i++) {
      double v = host->state->v[i], a = (v - host->before->v[i]) / dt;
      extrapolated = fmax(extrapolated, fabs(a - asp_memory_extrapolate(memory, dt, i)));
      solved = work->foreseen ? fmax(solved, fabs(v - work->foreseen[i]) / dt) : 0;
    }
  memory->extrapolated = memory->even > 0 && !impact ? extrapolated : INFINITY;
  memory->ago = work->foreseen ? 0 : memory->ago + 1;
  memory->solved = work->foreseen && !impact ? solved : memory->solved;
}

/* How accelerations go on; before: those of the step before this one. */
static void note_change(const AspSchemeHost *host, AspStepMemory *memory, const double *before, bool impact) {
  for (int i = 0; i < asp_model_v_size(host->model); i++)
    memory->change[i] = memory->even > 0 && !impact ? memory->acceleration[i] - before[i] : 0;
  memory->even = impact ? 0 : memory->even + 1;
}

static void keep_acceleration(const AspSchemeHost *host, AspStepMemory *memory, int *set, const bool *hit) {
  int n = asp_body_velocities(asp_model_dimension(host->model)), bodies = asp_model_body_count(host->model);
  for (int body = 0; body < bodies; body++) {
    // beams vibrate: how they were accelerated tells nothing about the next step
    if ((hit && hit[asp_set_of(set, body)]) || asp_model_station_beam(host->model, body, NULL) >= 0)
      continue;
    for (int i = n * body; i < n * (body + 1); i++)
      memory->acceleration[i] = (host->state->v[i] - host->before->v[i]) / host->work->dt;
  }
}

/* Moments of the step's reactions about the centres of mass, N m, into `moment` (bodies x 3, zeros on entry). */
static void sum_moments(const AspStepWork *work, double *moment) {
  const AspFormulation *formulation = &work->formulation;
  for (int b = 0; b < formulation->blocks; b++) {
    AspRow room[3];
    const AspRow *row = asp_block_rows(formulation, b, room);
    for (int k = formulation->offset[b]; k < formulation->offset[b + 1]; k++, row++)
      for (const AspRow *part = row; part && work->r[k] != 0 && !asp_stretch_of(formulation, k); part = part->more)
        for (int i = 0; i < 3; i++) {
          moment[3 * part->body_a + i] += part->ja[3 + i] * work->r[k] / work->dt;
          moment[3 * part->body_b + i] += part->jb[3 + i] * work->r[k] / work->dt;
        }
  }
}

/* What is expected of a body: the smaller of the moments of the last two steps where they point the same way. One that
 * came in one step alone was an impact. */
static void expect_moment(AspStepMemory *memory, const double *now, int body) {
  double along = 0, square = 0, square_last = 0, *last = memory->moment_last + 3 * body;
  for (int i = 0; i < 3; i++) {
    along += now[i] * last[i];
    square += now[i] * now[i];
    square_last += last[i] * last[i];
  }
  for (int i = 0; i < 3; i++) {
    memory->moment[3 * body + i] = along > 0 ? (square < square_last ? now[i] : last[i]) : 0;
    last[i] = now[i];
  }
}

static AspError keep_moments(const AspSchemeHost *host, AspStepMemory *memory) {
  const AspTurn *turn = host->work->turn;
  int bodies = asp_model_body_count(host->model);
  bool any = false;
  for (int body = 0; turn && !any && body < bodies; body++)
    any = turn[body].active;
  if (!any)
    return ASP_OK;
  double *moment = ASP_TAKE(host->arena, double, 3 * (size_t)bodies);
  if (!moment)
    return ASP_ERROR_MEMORY;
  sum_moments(host->work, moment);
  for (int body = 0; body < bodies; body++)
    if (turn[body].active)
      expect_moment(memory, moment + 3 * body, body);
  return ASP_OK;
}

void asp_step_joint_forces(const AspStepWork *work, double *forces) {
  const AspFormulation *formulation = &work->formulation;
  memset(forces, 0, ASP_JOINT_FORCES * (size_t)asp_model_joint_count(work->model) * sizeof(double));
  for (int b = 0; b < formulation->blocks; b++) {
    const AspBlockTag *tag = &formulation->tag[b];
    if (!asp_role_is_of_joint(tag->role) || tag->role == ASP_ROLE_BEARING)
      continue;
    double *force = forces + (size_t)ASP_JOINT_FORCES * (size_t)tag->index;
    int first = formulation->offset[b];
    double lever = tag->role == ASP_ROLE_MOTOR      ? asp_servo_lever(formulation, tag->index)
                   : tag->role == ASP_ROLE_ARMATURE ? asp_armature_lever(formulation, tag->index)
                                                    : 0;
    double per_row = tag->role == ASP_ROLE_LIMIT_HIGH ? -1 : lever > 0 ? lever : 1;
    for (int k = first; k < formulation->offset[b + 1]; k++)
      if (tag->role == ASP_ROLE_JOINT)
        force[k - first] = work->r[k] / work->dt;
      else
        force[ASP_JOINT_ROWS_MAX] += per_row * work->r[k] / work->dt;
  }
}

/* What is expected of the contacts of a body: see expect_moment. */
static void expect_contacts(AspStepMemory *memory, int n, int body, const double *now) {
  double along = 0, square = 0, square_last = 0, *last = memory->contact_last + (size_t)n * (size_t)body;
  for (int i = 0; i < n; i++) {
    along += now[i] * last[i];
    square += now[i] * now[i];
    square_last += last[i] * last[i];
  }
  for (int i = 0; i < n; i++) {
    memory->contact[n * body + i] = along > 0 ? (square < square_last ? now[i] : last[i]) : 0;
    last[i] = now[i];
  }
}

static AspError keep_contacts(const AspSchemeHost *host, AspStepMemory *memory) {
  const AspStepWork *work = host->work;
  const AspFormulation *formulation = &work->formulation;
  int n = asp_body_velocities(asp_model_dimension(host->model)), bodies = asp_model_body_count(host->model);
  double *wrench = ASP_TAKE(host->arena, double, (size_t)n *(size_t)bodies);
  if (!wrench)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < formulation->blocks; b++) {
    AspRow room[3];
    if (!asp_role_is_of_contact(formulation->tag[b].role))
      continue;
    const AspRow *row = asp_block_rows(formulation, b, room);
    for (int k = formulation->offset[b]; k < formulation->offset[b + 1]; k++, row++)
      for (int i = 0; i < n && work->r[k] != 0; i++) {
        wrench[n * row->body_a + i] += row->ja[i] * work->r[k] / work->dt;
        wrench[n * row->body_b + i] += row->jb[i] * work->r[k] / work->dt;
      }
  }
  for (int body = 0; body < bodies; body++)
    expect_contacts(memory, n, body, wrench + (size_t)n * (size_t)body);
  return ASP_OK;
}

AspError asp_step_memory_accept(const AspSchemeHost *host, void *run) {
  AspStepMemory *memory = run;
  int *set = NULL, bodies = asp_model_body_count(host->model);
  bool *hit = NULL;
  if (asp_step_has_impact(host->work)) {
    set = ASP_TAKE(host->arena, int, bodies);
    hit = ASP_TAKE(host->arena, bool, bodies);
    if (!set || !hit)
      return ASP_ERROR_MEMORY;
    for (int body = 0; body < bodies; body++) // stations are connected through their beam
      set[body] = asp_model_station_beam(host->model, body, NULL) < 0
                      ? body
                      : asp_model_beam_station(host->model, asp_model_station_beam(host->model, body, NULL), false);
    find_hit(host->work, set, hit);
  }
  size_t size = (size_t)asp_model_v_size(host->model);
  double *before = ASP_TAKE_UNCLEARED(host->arena, double, size);
  if (!before)
    return ASP_ERROR_MEMORY;
  bool expects = asp_model_joint_count(host->model) > 0;
  copy(before, memory->acceleration, size);
  if (expects)
    compare_with_expected(host, memory, hit != NULL);
  keep_acceleration(host, memory, set, hit);
  ASP_TRY(keep_moments(host, memory));
  if (expects) {
    note_change(host, memory, before, hit != NULL);
    asp_step_joint_forces(host->work, memory->joint_force);
    ASP_TRY(keep_contacts(host, memory));
  }
  memory->apart = 0.5 * (memory->dt + host->work->dt);
  memory->dt = host->work->dt;
  memory->known = true;
  return ASP_OK;
}
