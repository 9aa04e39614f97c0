/* Energy and momentum of a step. With M v+ = M v- + dt h + H r and the mean velocity v = (v- + v+) / 2,
 *
 *   v+.M v+ / 2 - v-.M v- / 2 = v.(dt h + H r)
 *
 * so that a reaction r_k works r_k (J v)_k. J v is split into what the dynamic bodies do and what bodies with
 * prescribed motion do: the latter is energy that the motion puts in. Constraint rows of joints do no work but for
 * rounding of the geometry; what they do, projections, and forces that differ from their value in the middle of the
 * step make the remainder. Momentum: the remainder is what is left of its change without the impulses from outside:
 * gravity, the scene's forces, reactions of bodies that are not dynamic (springs to such bodies included).
 * docs/theory/energy.md.
 */
#include "linalg/vec3.h"
#include "world/world_data.h"

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

static bool is_free(const AspWorld *world, int body) { return asp_model_body_is_free(world->model, body); }

/* J v of a row: of both bodies, and of those whose motion is prescribed alone. */
static void row_rates(const AspWorld *world, int n, const AspRow *row, const double *v, double *both,
                      double *prescribed) {
  double a = asp_row_dot(n, row->ja, v + (size_t)n * row->body_a);
  double b = asp_row_dot(n, row->jb, v + (size_t)n * row->body_b);
  *both = a + b;
  *prescribed = (is_free(world, row->body_a) ? 0 : a) + (is_free(world, row->body_b) ? 0 : b);
}

static void count_work(const AspWorld *world, const AspFormulation *formulation, const double *reaction,
                       const double *mean, AspEnergyFlow *flow) {
  int n = asp_model_dimension(world->model) == 3 ? 6 : 3;
  for (int b = 0; b < formulation->blocks; b++)
    for (int k = formulation->offset[b]; k < formulation->offset[b + 1]; k++) {
      double both, prescribed, r = reaction[k];
      if (r == 0)
        continue;
      row_rates(world, n, &formulation->row[k], mean, &both, &prescribed);
      flow->motors -= r * prescribed;
      switch (formulation->tag[b].role) {
      case ASP_ROLE_CONTACT:
        *(k == formulation->offset[b] ? &flow->impacts : &flow->friction) -= r * both;
        break;
      case ASP_ROLE_ROLLING:
      case ASP_ROLE_SPINNING:
      case ASP_ROLE_EXPANSION:
        flow->friction -= r * both;
        break;
      case ASP_ROLE_LIMIT_LOW:
      case ASP_ROLE_LIMIT_HIGH:
        flow->impacts -= r * both;
        break;
      case ASP_ROLE_FRICTION:
      case ASP_ROLE_BEARING:
        flow->joints -= r * both;
        break;
      case ASP_ROLE_MOTOR:
      case ASP_ROLE_MOTION:
        flow->motors += r * both;
        break;
      case ASP_ROLE_JOINT:
      case ASP_ROLE_STRETCH:
        break;
      }
    }
}

/* Did an impact before the step leave an impulse? */
static bool was_hit(const AspContactFrame *frame) {
  return frame->impulse[0] != 0 || frame->impulse[1] != 0 || frame->impulse[2] != 0;
}

/* Impulses of impacts that were treated before the step (integrate/impact.c). */
static void count_impacts(const AspWorld *world, const double *mean, AspEnergyFlow *flow) {
  int dimension = asp_model_dimension(world->model);
  for (int i = 0; i < world->work.frame_count; i++) {
    const AspContactFrame *frame = &world->work.frames[i];
    AspRow rows[3];
    if (!was_hit(frame))
      continue;
    asp_contact_rows(dimension, frame, rows);
    for (int k = 0; k < dimension; k++) {
      double both, prescribed;
      row_rates(world, dimension == 3 ? 6 : 3, &rows[k], mean, &both, &prescribed);
      flow->motors -= frame->impulse[k] * prescribed;
      *(k == 0 ? &flow->impacts : &flow->friction) -= frame->impulse[k] * both;
    }
  }
}

/* The wrench of one row's reaction, where it acts between a dynamic body and one that is not. */
static void count_row(const AspWorld *world, const AspState *middle, const AspRow *row, double r, Impulse *outside) {
  int n = asp_model_dimension(world->model) == 3 ? 6 : 3;
  bool a = is_free(world, row->body_a), b = is_free(world, row->body_b);
  if (a == b)
    return;
  int body = a ? row->body_a : row->body_b;
  add_wrench(outside, n, asp_state_pose(world->model, middle, body).position, a ? row->ja : row->jb, r);
}

/* Reactions between a dynamic body and one that is not. */
static void count_reactions(const AspWorld *world, const AspFormulation *formulation, const double *reaction,
                            const AspState *middle, Impulse *outside) {
  int dimension = asp_model_dimension(world->model);
  for (int k = 0; k < formulation->rows; k++)
    count_row(world, middle, &formulation->row[k], reaction[k], outside);
  for (int i = 0; i < world->work.frame_count; i++) {
    AspRow rows[3];
    if (!was_hit(&world->work.frames[i]))
      continue;
    asp_contact_rows(dimension, &world->work.frames[i], rows);
    for (int k = 0; k < dimension; k++)
      count_row(world, middle, &rows[k], world->work.frames[i].impulse[k], outside);
  }
}

/* Gravity, and h: the scene's forces and springs in the middle of the step, of which those inside cancel. */
static void count_forces(const AspWorld *world, const AspState *middle, double dt, const double *h, Impulse *outside) {
  const AspModel *model = world->model;
  int n = asp_model_dimension(model) == 3 ? 6 : 3;
  for (int body = 0; body < asp_model_body_count(model); body++) {
    if (asp_model_body_dof(model, body) < 0)
      continue;
    AspVec3 at = asp_state_pose(model, middle, body).position;
    add_impulse(outside, at, scale3(dt * asp_model_body_mass(model, body), asp_model_gravity(model)), vec3(0, 0, 0));
    add_wrench(outside, n, at, h + asp_model_body_dof(model, body), dt);
  }
  for (int beam = 0; beam < asp_model_beam_count(model); beam++) {
    AspVec3 force, moment;
    asp_beam_resultant(model, middle, beam, h + asp_model_beam_dof(model, beam, NULL), &force, &moment);
    add_impulse(outside, vec3(0, 0, 0), scale3(dt, force), scale3(dt, moment));
    add_impulse(outside, asp_beam_centre(model, middle, beam),
                scale3(dt * asp_model_beam_mass(model, beam), asp_model_gravity(model)), vec3(0, 0, 0));
  }
}

AspError asp_world_middle_of_step(AspWorld *world, AspState *middle) {
  int size = asp_model_v_size(world->model);
  double *v = ASP_TAKE(&world->arena, double, size);
  *middle = asp_state_ahead(world->model, &world->arena, &world->before, 0);
  if (!v || !middle->q)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < size; i++)
    v[i] = 0.5 * (world->before.v[i] + world->state.v[i]);
  asp_state_advance(world->model, middle, v, 0.5 * world->work.dt);
  memcpy(middle->v, v, (size_t)size * sizeof *v);
  asp_state_place_stations(world->model, middle);
  return ASP_OK;
}

static double total(const AspEnergy *energy) { return energy->kinetic + energy->gravitational + energy->elastic; }

AspError asp_world_count_flow(AspWorld *world, const AspState *middle, double dt, const AspFormulation *formulation,
                              const double *r, AspEnergyFlow *flow, AspOutsideImpulse *outside) {
  const AspModel *model = world->model;
  int n = asp_model_dimension(model) == 3 ? 6 : 3;
  double *h = ASP_TAKE(&world->arena, double, asp_model_dof_count(model)); // the scene's forces
  if (!h)
    return ASP_ERROR_MEMORY;
  asp_model_add_applied_forces(model, middle, h);
  count_work(world, formulation, r, middle->v, flow);
  count_impacts(world, middle->v, flow);
  for (int body = 0; body < asp_model_body_count(model); body++)
    if (asp_model_body_dof(model, body) >= 0)
      flow->forces += dt * asp_row_dot(n, h + asp_model_body_dof(model, body), middle->v + (size_t)n * body);
  for (int beam = 0; beam < asp_model_beam_count(model); beam++) {
    int count, dof = asp_model_beam_dof(model, beam, &count);
    flow->forces += dt * asp_row_dot(count, h + dof, middle->v + asp_model_beam_v(model, beam, NULL));
  }
  AspSpringPower springs = asp_model_spring_power(model, middle, middle->v);
  flow->damping += dt * springs.damped;
  flow->motors += dt * springs.driven;
  asp_model_add_spring_forces(model, middle, h);
  count_reactions(world, formulation, r, middle, outside);
  count_forces(world, middle, dt, h, outside);
  return ASP_OK;
}

static void close_energy(AspWorld *world, AspStepInfo *info) {
  AspEnergyFlow *flow = &info->flow;
  double given = flow->motors + flow->forces, taken = flow->friction + flow->impacts + flow->joints + flow->damping;
  info->energy = asp_model_energy(world->model, &world->state);
  flow->remainder = total(&info->energy) - total(&world->energy) - given + taken;
  world->energy = info->energy;
}

static void close_momentum(const AspWorld *world, const Impulse *outside, AspMomentum *momentum) {
  AspVec3 linear, angular;
  asp_model_momentum(world->model, &world->before, &linear, &angular);
  asp_model_momentum(world->model, &world->state, &momentum->linear, &momentum->angular);
  momentum->linear_remainder = sub3(sub3(momentum->linear, linear), outside->linear);
  momentum->angular_remainder = sub3(sub3(momentum->angular, angular), outside->angular);
}

AspError asp_world_balance(AspWorld *world, AspStepInfo *info) {
  AspState middle;
  Impulse outside = {{0, 0, 0}, {0, 0, 0}};
  info->flow = (AspEnergyFlow){0};
  if (world->integrated) { // counted along the motion
    info->flow = world->flow;
    outside = world->outside;
  } else {
    ASP_TRY(asp_world_middle_of_step(world, &middle));
    ASP_TRY(asp_world_count_flow(world, &middle, world->work.dt, &world->work.formulation, world->work.r, &info->flow,
                                 &outside));
  }
  close_energy(world, info);
  close_momentum(world, &outside, &info->momentum);
  return ASP_OK;
}
