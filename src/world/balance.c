/* Energy and momentum of a step. With M v+ = M v- + dt h + H r and the mean velocity v = (v- + v+) / 2,
 *
 *   v+.M v+ / 2 - v-.M v- / 2 = v.(dt h + H r)
 *
 * so that the work of a reaction r_k is r_k (J v)_k. J v is split into the part of the dynamic bodies and that of
 * bodies with prescribed motion: the latter is energy that the motion adds. Constraint rows of joints do no work
 * except for errors of the geometry; their work, projections, and forces that differ from their value in the middle of
 * the step make the remainder. Where a body meets something at the part tau of the step, forces h act along its way
 * dt (tau v- + (1 - tau) v+). Their work differs from dt h.v by S = (1/2 - tau) dt h.(v+ - v-): the impact has that
 * much too little. Where v is the mean velocity of a step, potential energies are those of its middle. Momentum: the
 * remainder is its change minus the impulses from outside: gravity, the scene's forces, reactions of bodies that are
 * not dynamic (springs to such bodies included). docs/theory/energy.md.
 */
#include "world/balance.h"
#include "base/parallel.h"
#include "linalg/sparse.h"
#include "linalg/vec3.h"
#include "model/advance.h"
#include "model/sensor.h"
#include "model/spring_work.h"
#include "world/contact_search.h"
#include "world/tuning/world.h"

#include <math.h>

typedef AspOutsideImpulse Impulse;

static void add_impulse(Impulse *sum, AspVec3 at, AspVec3 linear, AspVec3 about_centre) {
  sum->linear = add3(sum->linear, linear);
  sum->angular = add3(sum->angular, add3(cross3(at, linear), about_centre));
}

/* A wrench in the velocity coordinates of a body, n = 6 or 3. */
static void add_wrench(Impulse *sum, int n, AspVec3 at, const double *wrench, double scale) {
  AspVec3 linear = n == 6 ? vec3(wrench[0], wrench[1], wrench[2]) : vec3(wrench[0], wrench[1], 0);
  AspVec3 angular = n == 6 ? vec3(wrench[3], wrench[4], wrench[5]) : vec3(0, 0, wrench[2]);
  add_impulse(sum, at, scale3(scale, linear), scale3(scale, angular));
}

/* One count of energy and momentum: its sums and its data. */
typedef struct Count {
  const StepView *view;
  const AspFormulation *formulation;
  const double *r;
  const AspState *middle;
  const double *h; /* dofs: the scene's forces, then springs too */
  double dt;
  int n; /* velocities of a body */
  AspEnergyFlow *flow;
  Impulse *outside; /* one of both for each chunk, or for all */
} Count;

static bool is_free(const Count *count, int body) { return count->view->geometry->body_free[body]; }

/* An impulse r along a row: what it takes of the energy of the motion into *taken, what bodies with prescribed motion
 * give, and what comes from outside, where it acts between a dynamic body and one that is not. */
static void count_part(const Count *count, const AspRow *row, double r, double *taken, double sign) {
  int n = count->n;
  bool free_a = is_free(count, row->body_a), free_b = is_free(count, row->body_b);
  double a = asp_row_dot(n, row->ja, count->middle->v + (size_t)n * row->body_a);
  double b = asp_row_dot(n, row->jb, count->middle->v + (size_t)n * row->body_b);
  count->flow->motors -= r * ((free_a ? 0 : a) + (free_b ? 0 : b) + row->rate); // a surface that moves is driven
  if (taken)
    *taken += sign * r * (a + b + row->rate);
  if (free_a == free_b)
    return;
  AspVec3 at = asp_body_position(count->view->model, count->middle, free_a ? row->body_a : row->body_b);
  add_wrench(count->outside, n, at, free_a ? row->ja : row->jb, r);
}

static void count_row(const Count *count, const AspRow *row, double r, double *taken, double sign) {
  for (const AspRow *part = row; part; part = part->more)
    count_part(count, part, r, taken, sign);
}

/* Where the work of a block's rows goes; the sign with which it counts there. */
static double *taken_by(AspBlockRole role, AspEnergyFlow *flow, double *sign) {
  *sign = 1;
  switch (role) {
  case ASP_ROLE_CONTACT: // its tangents; the normal is an impact
  case ASP_ROLE_ROLLING:
  case ASP_ROLE_SPINNING:
  case ASP_ROLE_EXPANSION:
    *sign = -1;
    return &flow->friction;
  case ASP_ROLE_LIMIT_LOW:
  case ASP_ROLE_LIMIT_HIGH:
    *sign = -1;
    return &flow->impacts;
  case ASP_ROLE_FRICTION:
  case ASP_ROLE_BEARING:
    *sign = -1;
    return &flow->joints;
  case ASP_ROLE_MOTOR:
  case ASP_ROLE_MOTION:
    return &flow->motors;
  case ASP_ROLE_JOINT:
  case ASP_ROLE_ARMATURE: // kinetic energy
  case ASP_ROLE_STRETCH:
    break;
  }
  return NULL;
}

/* Velocity of a body's point in the middle of the step. */
static AspVec3 point_velocity(const Count *count, int body, AspVec3 arm) {
  const double *v = count->middle->v + (size_t)count->n * (size_t)body;
  return count->n == 6 ? add3(vec3(v[0], v[1], v[2]), cross3(vec3(v[3], v[4], v[5]), arm))
                       : vec3(v[0] - v[2] * arm.y, v[1] + v[2] * arm.x, 0);
}

/* The same as count_row for the impulses p of a contact along its normal, t1 and t2. */
static void count_contact(const Count *count, const AspContactFrame *frame, const double p[3]) {
  bool free_a = is_free(count, frame->body_a), free_b = is_free(count, frame->body_b);
  AspVec3 va = point_velocity(count, frame->body_a, frame->arm_a),
          vb = point_velocity(count, frame->body_b, frame->arm_b);
  AspVec3 apart = sub3(vb, va), friction = add3(scale3(p[1], frame->t1), scale3(p[2], frame->t2));
  AspVec3 on_b = axpy3(friction, p[0], frame->normal);
  count->flow->impacts -= p[0] * dot3(apart, frame->normal);
  count->flow->friction -= dot3(add3(apart, frame->belt), friction);
  count->flow->motors += (free_a ? 0 : dot3(on_b, va)) - (free_b ? 0 : dot3(on_b, vb)) - dot3(frame->belt, friction);
  if (free_a == free_b)
    return;
  AspVec3 at = asp_body_position(count->view->model, count->middle, free_a ? frame->body_a : frame->body_b);
  AspVec3 impulse = free_a ? neg3(on_b) : on_b;
  add_impulse(count->outside, at, impulse, cross3(free_a ? frame->arm_a : frame->arm_b, impulse));
}

static void count_block(const Count *count, int b) {
  const AspFormulation *formulation = count->formulation;
  AspBlockRole role = formulation->tag[b].role;
  int first = formulation->offset[b], rows = formulation->offset[b + 1] - first;
  const double *r = count->r + first;
  if (role == ASP_ROLE_CONTACT && formulation->frames) {
    const AspContactFrame *frame = &formulation->frames[formulation->tag[b].index];
    double p[3] = {r[0], rows > 1 ? frame->stretch[0] * r[1] : 0, rows > 2 ? frame->stretch[1] * r[2] : 0};
    if (p[0] != 0 || p[1] != 0 || p[2] != 0)
      count_contact(count, frame, p);
    return;
  }
  double sign, *taken = taken_by(role, count->flow, &sign);
  for (int k = 0; k < rows; k++)
    if (r[k] != 0)
      count_row(count, &formulation->row[first + k], r[k],
                role == ASP_ROLE_CONTACT && k == 0 ? &count->flow->impacts : taken, sign);
}

/* The impulse of an impact that was treated before the step (scheme/impact.c). */
static void count_impact(const Count *count, int i) {
  const AspContactFrame *frame = &count->view->work->frames[i];
  if (frame->impulse[0] != 0 || frame->impulse[1] != 0 || frame->impulse[2] != 0)
    count_contact(count, frame, frame->impulse);
}

/* S of the file's head for the wrench f on a body, J. */
static double shifted_work(const Count *count, int body, const double *f) {
  const double *times = count->view->work->time_of_impact;
  if (!times || times[body] < 0)
    return 0;
  size_t first = (size_t)count->n * (size_t)body;
  return (0.5 - times[body]) * count->dt *
         (asp_row_dot(count->n, f, count->view->state->v + first) -
          asp_row_dot(count->n, f, count->view->before->v + first));
}

/* Gravity, and h: the scene's forces and springs in the middle of the step, of which those inside cancel. */
static void count_body(const Count *count, int body) {
  const AspModel *model = count->view->model;
  int dof = asp_model_body_dof(model, body);
  if (dof < 0)
    return;
  AspVec3 at = asp_body_position(count->view->model, count->middle, body);
  AspVec3 weight = scale3(count->dt * asp_model_body_mass(model, body), asp_model_gravity(model));
  add_impulse(count->outside, at, weight, vec3(0, 0, 0));
  double gravity[6] = {0};
  for (int k = 0; k < asp_model_dimension(model); k++)
    gravity[k] = asp_model_body_mass(model, body) * get3(asp_model_gravity(model), k);
  count->flow->impacts += shifted_work(count, body, gravity);
  if (!count->h)
    return;
  add_wrench(count->outside, count->n, at, count->h + dof, count->dt);
  count->flow->impacts += shifted_work(count, body, count->h + dof);
}

/* A count in chunks, each with its own sums. */
typedef struct Chunks {
  const Count *count;
  int size;
  void (*one)(const Count *count, int i);
  AspEnergyFlow *flow;
  Impulse *outside;
} Chunks;

static void count_chunks(void *data, int from, int end) {
  const Chunks *chunks = data;
  for (int c = from; c < end; c++) {
    Count part = *chunks->count;
    part.flow = &chunks->flow[c];
    part.outside = &chunks->outside[c];
    for (int i = BALANCE_CHUNK * c; i < chunks->size && i < BALANCE_CHUNK * (c + 1); i++)
      chunks->one(&part, i);
  }
}

/* Chunk after chunk, and their sums in order: the same bits for any number of threads. */
static AspError count_all(const Count *count, AspArena *arena, int size, void (*one)(const Count *count, int i)) {
  int chunks = (size + BALANCE_CHUNK - 1) / BALANCE_CHUNK;
  AspEnergyFlow *flow = ASP_TAKE(arena, AspEnergyFlow, chunks);
  Impulse *outside = ASP_TAKE(arena, Impulse, chunks);
  if (!flow || !outside)
    return ASP_ERROR_MEMORY;
  asp_parallel_for(arena->context, chunks, 1, count_chunks, &(Chunks){count, size, one, flow, outside});
  for (int c = 0; c < chunks; c++) {
    asp_energy_flow_add(count->flow, &flow[c]);
    add_impulse(count->outside, vec3(0, 0, 0), outside[c].linear, outside[c].angular);
  }
  return ASP_OK;
}

static void count_beams(const Count *count) {
  const AspModel *model = count->view->model;
  for (int beam = 0; beam < asp_model_beam_count(model); beam++) {
    AspVec3 force, moment;
    asp_beam_resultant(model, count->middle, beam, count->h + asp_model_beam_dof(model, beam, NULL), &force, &moment);
    add_impulse(count->outside, vec3(0, 0, 0), scale3(count->dt, force), scale3(count->dt, moment));
    add_impulse(count->outside, asp_beam_centre(model, count->middle, beam),
                scale3(count->dt * asp_model_beam_mass(model, beam), asp_model_gravity(model)), vec3(0, 0, 0));
  }
}

/* S of the file's head for a beam that is struck: all its forces are h = (M (v+ - v-) - H r)/dt. */
static void count_struck_beam(const Count *count, int beam, const double *reactions, double *change) {
  const AspModel *model = count->view->model;
  const double *times = count->view->work->time_of_impact;
  int station = asp_model_beam_station(model, beam, false);
  if (times[station] < 0)
    return;
  int size, dof = asp_model_beam_dof(model, beam, &size), first = asp_model_beam_v(model, beam, NULL);
  for (int i = first; i < first + size; i++)
    change[i] = count->view->state->v[i] - count->view->before->v[i];
  double inertia = 2 * asp_beam_kinetic(model, count->view->before, change, beam);
  count->flow->impacts += (0.5 - times[station]) * (inertia - asp_row_dot(size, reactions + dof, change + first));
}

/* The same for all beams. */
static AspError count_struck_beams(const Count *count, AspArena *arena) {
  const AspModel *model = count->view->model;
  const AspContactProblem *problem = &count->formulation->problem;
  if (asp_model_beam_count(model) == 0 || !count->view->work->time_of_impact)
    return ASP_OK;
  double *reactions = ASP_TAKE(arena, double, problem->dofs);
  double *change = ASP_TAKE(arena, double, asp_model_v_size(model));
  if (!reactions || !change)
    return ASP_ERROR_MEMORY;
  asp_sparse_multiply_add(&problem->H, 1, count->r, reactions);
  for (int beam = 0; beam < asp_model_beam_count(model); beam++)
    count_struck_beam(count, beam, reactions, change);
  return ASP_OK;
}

/* What the scene's forces h give over dt, and what springs do, which join them. */
static void count_forces(const Count *count, double *h) {
  const AspModel *model = count->view->model;
  const AspState *middle = count->middle;
  int n = count->n;
  AspEnergyFlow *flow = count->flow;
  for (int body = 0; body < asp_model_body_count(model); body++)
    if (asp_model_body_dof(model, body) >= 0) {
      const double *of = h + asp_model_body_dof(model, body);
      flow->forces += count->dt * asp_row_dot(n, of, middle->v + (size_t)n * body) + shifted_work(count, body, of);
    }
  for (int beam = 0; beam < asp_model_beam_count(model); beam++) {
    int size, dof = asp_model_beam_dof(model, beam, &size);
    flow->forces += count->dt * asp_row_dot(size, h + dof, middle->v + asp_model_beam_v(model, beam, NULL));
  }
  AspSpringPower springs = asp_model_spring_work(model, middle, middle->v, h);
  flow->damping += count->dt * springs.damped;
  flow->motors += count->dt * springs.driven;
}

/* Servos that are forces of the state, and no blocks: their effort in the middle of the step. */
static void count_servos(const Count *count) {
  const AspModel *model = count->view->model;
  for (int joint = 0; asp_model_servo_count(model) > 0 && joint < asp_model_joint_count(model); joint++) {
    AspRow row[ASP_ROW_PARTS];
    if (!asp_model_joint_def(model, joint)->has_servo || asp_servo_lever(count->formulation, joint) > 0)
      continue;
    if (asp_joint_coordinate(model, count->middle, joint, row)) // not where an event released it
      count_row(count, row, count->dt * asp_joint_servo_effort(model, count->middle, joint), &count->flow->motors, 1);
  }
}

/* Forces, springs, servos or beams, whose work depends on more than where the bodies are. */
static bool has_forces(const AspModel *model, const AspState *state) {
  return state->pushed || asp_model_has_applied_forces(model) || asp_model_stiff_count(model) > 0 ||
         asp_model_servo_count(model) > 0 || asp_model_beam_count(model) > 0;
}

/* Where bodies are in the middle of the step. */
typedef struct Middle {
  const StepView *view;
  AspState *state;
} Middle;

static void place_middle(void *data, int from, int end) {
  const Middle *middle = data;
  const StepView *view = middle->view;
  int dimension = asp_model_dimension(view->model), nq = asp_body_positions(dimension),
      nv = asp_body_velocities(dimension);
  for (int body = from; body < end; body++) {
    double *q = middle->state->q + (size_t)nq * body, *v = middle->state->v + (size_t)nv * body;
    const double *before = view->before->v + (size_t)nv * body, *after = view->state->v + (size_t)nv * body;
    for (int i = 0; i < nv; i++)
      v[i] = 0.5 * (before[i] + after[i]);
    for (int i = 0; i < 3; i++)
      q[i] = view->before->q[(size_t)nq * body + i] + 0.5 * view->work->dt * v[i];
  }
}

/* The middle of the step as far as contacts and gravity ask: positions and velocities, but no orientations. */
static AspError middle_of_bodies(const StepView *view, AspState *middle) {
  *middle = (AspState){.t = view->before->t + 0.5 * view->work->dt,
                       .input = view->before->input,
                       .applied = view->before->applied,
                       .pushed = view->before->pushed,
                       .q = ASP_TAKE_UNCLEARED(view->arena, double, asp_model_q_size(view->model)),
                       .v = ASP_TAKE_UNCLEARED(view->arena, double, asp_model_v_size(view->model))};
  if (!middle->q || !middle->v)
    return ASP_ERROR_MEMORY;
  asp_parallel_for(view->context, asp_model_body_count(view->model), BALANCE_CHUNK, place_middle,
                   &(Middle){view, middle});
  return ASP_OK;
}

AspError asp_balance_middle(const StepView *view, AspState *middle) {
  if (!has_forces(view->model, view->before))
    return middle_of_bodies(view, middle);
  int size = asp_model_v_size(view->model);
  double *v = ASP_TAKE_UNCLEARED(view->arena, double, size);
  *middle = asp_state_copied(view->model, view->arena, view->before);
  if (!v || !middle->q)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < size; i++)
    v[i] = 0.5 * (view->before->v[i] + view->state->v[i]);
  asp_state_advance_parallel(view->context, view->model, middle, v, 0.5 * view->work->dt);
  memcpy(middle->v, v, (size_t)size * sizeof *v);
  asp_state_place_stations(view->model, middle);
  asp_state_sense(view->model, middle, middle->v);
  return ASP_OK;
}

static double total(const AspEnergy *energy) { return energy->kinetic + energy->gravitational + energy->elastic; }

AspError asp_balance_count_flow(const StepView *view, const AspSchemeType *scheme, const AspState *middle, double dt,
                                const AspFormulation *formulation, const double *r, AspEnergyFlow *flow,
                                AspOutsideImpulse *outside) {
  const AspModel *model = view->model;
  Count count = {.view = view,
                 .formulation = formulation,
                 .r = r,
                 .middle = middle,
                 .dt = dt,
                 .n = asp_body_velocities(asp_model_dimension(model)),
                 .flow = flow,
                 .outside = outside};
  if (has_forces(model, middle)) {
    double *h = ASP_TAKE(view->arena, double, asp_model_dof_count(model)); // the scene's forces
    if (!h)
      return ASP_ERROR_MEMORY;
    asp_model_add_applied_forces(model, middle, h);
    count.h = h;
    count_forces(&count, h);
    count_beams(&count);
    ASP_TRY(count_struck_beams(&count, view->arena));
    count_servos(&count);
  }
  ASP_TRY(count_all(&count, view->arena, formulation->blocks, count_block));
  if (scheme->impacts_before)
    ASP_TRY(count_all(&count, view->arena, view->work->frame_count, count_impact));
  return count_all(&count, view->arena, asp_model_body_count(model), count_body);
}

/* What the bodies have after a step. */
typedef struct Content {
  const StepView *view;
  const AspState *middle; /* where potential energies are taken; NULL: at the end */
  AspEnergy energy;
  AspMomentumSum momentum;
} Content;

static AspMomentumSum momentum_of(const StepView *view, const AspState *state) {
  AspMomentumSum momentum; // here: what others write may be next to the sums
  asp_model_momentum(view->model, state, &momentum.linear, &momentum.angular);
  return momentum;
}

static AspEnergy energy_of(const StepView *view, const AspState *state, const AspState *middle) {
  AspEnergy energy = asp_model_energy(view->model, state);
  if (!middle)
    return energy;
  AspEnergy there = asp_model_energy(view->model, middle);
  return (AspEnergy){energy.kinetic, there.gravitational, there.elastic};
}

/* The middle of the step that led to a state with the mean velocity state->v. */
static AspError place_back(const StepView *view, const AspState *state, AspState *middle) {
  *middle = asp_state_copied(view->model, view->arena, state);
  if (!middle->q)
    return ASP_ERROR_MEMORY;
  asp_state_advance_parallel(view->context, view->model, middle, state->v, -0.5 * view->work->dt);
  asp_state_place_stations(view->model, middle);
  return ASP_OK;
}

static void measure_content(void *data, int from, int end) {
  Content *content = data;
  const StepView *view = content->view;
  for (int k = from; k < end; k++)
    if (k == 0)
      content->momentum = momentum_of(view, view->state);
    else
      content->energy = energy_of(view, view->state, content->middle);
}

static void close_energy(StepBalance *balance, const Content *content, AspStepInfo *info) {
  AspEnergyFlow *flow = &info->flow;
  flow->impacts += balance->captured;
  balance->captured = 0;
  double given = flow->motors + flow->forces, taken = flow->friction + flow->impacts + flow->joints + flow->damping;
  info->energy = content->energy;
  flow->remainder = total(&info->energy) - total(&balance->energy) - given + taken;
  balance->energy = info->energy;
}

static void close_momentum(StepBalance *balance, const StepView *view, const Content *content, const Impulse *outside,
                           AspMomentum *momentum) {
  // the first step may begin with other velocities than those given (asp_world_make_consistent)
  AspMomentumSum before = view->clock->step > 1 ? balance->momentum : momentum_of(view, view->before);
  momentum->linear = content->momentum.linear;
  momentum->angular = content->momentum.angular;
  momentum->linear_remainder = sub3(sub3(momentum->linear, before.linear), outside->linear);
  momentum->angular_remainder = sub3(sub3(momentum->angular, before.angular), outside->angular);
  balance->momentum = content->momentum;
}

AspError asp_balance_close(StepBalance *balance, const StepView *view, const AspSchemeType *scheme, AspStepInfo *info) {
  AspState middle;
  Impulse outside = {{0, 0, 0}, {0, 0, 0}};
  info->flow = (AspEnergyFlow){0};
  if (scheme->integrate) { // counted along the motion
    info->flow = balance->flow;
    outside = balance->outside;
  } else {
    const AspStepWork *work = view->work;
    AspBalancedRows rows = asp_step_balanced(work);
    ASP_TRY(asp_balance_middle(view, &middle));
    ASP_TRY(asp_balance_count_flow(view, scheme, &middle, work->dt, rows.formulation, rows.r, &info->flow, &outside));
  }
  Content content = {.view = view};
  if (scheme->mean_velocities) {
    if (view->clock->step == 1) {
      ASP_TRY(place_back(view, view->before, &middle));
      balance->energy = energy_of(view, view->before, &middle);
    }
    ASP_TRY(place_back(view, view->state, &middle));
    content.middle = &middle;
  }
  asp_parallel_for(view->context, 2, 1, measure_content, &content);
  close_energy(balance, &content, info);
  close_momentum(balance, view, &content, &outside, &info->momentum);
  return ASP_OK;
}

void asp_balance_capture(StepBalance *balance, const AspModel *model, const AspState *state, double loss) {
  balance->captured += loss;
  asp_model_momentum(model, state, &balance->momentum.linear, &balance->momentum.angular);
}

AspError asp_balance_archive(StepBalance *balance, AspArchive *archive) {
  ASP_ARCHIVE(archive, balance->energy);
  ASP_ARCHIVE(archive, balance->momentum);
  ASP_ARCHIVE(archive, balance->flow);
  ASP_ARCHIVE(archive, balance->outside);
  ASP_ARCHIVE(archive, balance->captured);
  return archive->error;
}
