/* Mass matrix and right-hand side f of a step:
 *
 *   (M + dt C + dt^2 K) v+ = (M + dt C + s K) v + dt h + H r
 *   s = 0             forces h at the start of the step, h(q, v, t)
 *   s = theta dt^2    forces h in its middle, h(q + theta dt v, v, t + theta dt)
 *
 * v, v+: velocities at start and end, K and C: stiffness and damping of springs (stiff elements), H r: reactions.
 * Stiff elements are fully implicit for every theta, so that a step that cannot resolve them does not oscillate
 * (mass_matrix.c). Where a scheme gives the bodies' turns (rotation.c), M is that of the middle of the step.
 * docs/theory/time-stepping.md, "Stiff forces". Beams: beams.c. */
#include "base/parallel.h"
#include "formulate/formulate.h"
#include "formulate/mass_matrix.h"
#include "formulate/tuning/formulate.h"
#include "linalg/small.h"
#include "linalg/sparse.h"
#include "linalg/vec3.h"
#include "model/model.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

/* 3x3 angular block of a body's 6x6 mass matrix */
static AspMat3 angular_inertia(const double *M) {
  AspMat3 J;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      J.m[3 * i + j] = M[(3 + j) * 6 + 3 + i];
  return J;
}

/* a = M^-1 h of one body: a mass, and the inertia about the centre of mass; h where M is not positive definite. */
static void free_acceleration(int n, const double *M, const double *h, double *a) {
  int d = n == 6 ? 3 : 2, turns = n - d;
  double J[9];
  memcpy(a, h, (size_t)n * sizeof *a);
  for (int i = 0; i < turns; i++)
    for (int j = 0; j < turns; j++)
      J[j * turns + i] = M[(d + j) * n + d + i];
  if (!(M[0] > 0) || !asp_small_cholesky(turns, J))
    return;
  for (int i = 0; i < d; i++)
    a[i] /= M[0];
  asp_small_cholesky_solve(turns, J, a + d);
}

/* x with A x = b, by Cramer's rule; columns a, b, c. False when A is singular. */
static bool solve3(AspVec3 a, AspVec3 b, AspVec3 c, AspVec3 right, AspVec3 *x) {
  AspVec3 bc = cross3(b, c);
  double det = dot3(a, bc);
  *x = scale3(1 / det, vec3(dot3(right, bc), dot3(a, cross3(right, c)), dot3(a, cross3(b, right))));
  return finite3(*x);
}

/* The spin x in the body's axes after free rotation over dt by the implicit midpoint rule, which keeps energy and the
 * size of the angular momentum:  J (x - w) = -dt m x J m,  m = (w + x)/2,  by Newton's method. False where that does
 * not converge. */
static bool midpoint_spin(const AspMat3 *J, AspVec3 w, double dt, AspVec3 *x) {
  *x = w;
  for (int k = 0; k < DYNAMICS_MIDPOINT_STEPS; k++) {
    AspVec3 m = scale3(0.5, add3(w, *x)), L = mat3_times(J, m);
    AspVec3 F = axpy3(mat3_times(J, sub3(*x, w)), dt, cross3(m, L)), column[3], step;
    for (int j = 0; j < 3; j++) { // J e_j + dt/2 (e_j x L + m x J e_j)
      AspVec3 e = vec3(j == 0, j == 1, j == 2), Je = mat3_times(J, e);
      column[j] = axpy3(Je, 0.5 * dt, add3(cross3(e, L), cross3(m, Je)));
    }
    if (!solve3(column[0], column[1], column[2], F, &step))
      return false;
    *x = sub3(*x, step);
    if (norm3(step) <= DYNAMICS_MIDPOINT_END * norm3(w))
      return true;
  }
  return false;
}

/* The spin after the step: J+ w+ = J w with J+ = dR J dR^T and dR the turn by dt ((1 - theta) w + theta w+), by
 * fixed-point iteration; where that does not converge (thin rods: it needs dt |w| below the ratio of their inertias) by
 * the midpoint rule; and where the turn is too large for that too, the spin of before. */
static AspVec3 free_spin(const AspMat3 *J, const double factor[9], AspVec3 w, double dt, double theta) {
  AspVec3 next = w, L = mat3_times(J, w), spin;
  bool by_midpoint = false;
  for (int k = 0; k < DYNAMICS_SPIN_ITERATIONS; k++) {
    AspQuat turn = quat_from_vector(scale3(dt, add3(scale3(1 - theta, w), scale3(theta, next))));
    AspVec3 back = quat_rotate_back(turn, L);
    double x[3] = {back.x, back.y, back.z};
    asp_small_cholesky_solve(3, factor, x);
    AspVec3 better = quat_rotate(turn, by_midpoint ? spin : vec3(x[0], x[1], x[2]));
    double change = norm3(sub3(better, next));
    next = better;
    if (change <= DYNAMICS_SPIN_END * norm3(w))
      return next;
    if (k == DYNAMICS_SPIN_RESTART) { // start again with the spin in the body's axes known
      by_midpoint = midpoint_spin(J, w, dt, &spin);
      if (!by_midpoint)
        return w;
      next = w;
    }
  }
  return norm3(sub3(next, w)) <= 2 * norm3(w) ? next : w;
}

/* The explicit gyroscopic impulse dt (-w x J w) replaced by the one of free rotation. Explicitly, a body that turns
 * fast gains energy at every step. */
static void implicit_gyroscopic(const AspModel *model, const AspState *state, const AspState *force_state, int body,
                                const double *M, double dt, double theta, double *f) {
  double forced[36], factor[9];
  asp_body_mass_matrix(model, force_state, body, forced);
  AspMat3 J = angular_inertia(M), J_forced = angular_inertia(forced);
  AspVec3 w = asp_state_angular_velocity(model, state, body);
  AspVec3 w_forced = asp_state_angular_velocity(model, force_state, body);
  AspVec3 explicit_torque = cross3(mat3_times(&J_forced, w_forced), w_forced);
  memcpy(factor, J.m, sizeof factor); // symmetric: row or column order is the same
  if (!asp_small_cholesky(3, factor))
    return;
  AspVec3 next = norm3(w) * dt <= DYNAMICS_MOST_TURN ? free_spin(&J, factor, w, dt, theta) : w;
  AspVec3 impulse = sub3(mat3_times(&J, sub3(next, w)), scale3(dt, explicit_torque));
  f[3] += impulse.x;
  f[4] += impulse.y;
  f[5] += impulse.z;
}

/* The angular block of a body's 6x6 mass matrix at an orientation; inertia in its own axes. */
static void write_inertia(const AspMat3 *inertia, AspQuat orientation, double *M) {
  AspMat3 R = mat3_from_quat(orientation), J = mat3_congruence(&R, inertia);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) // the mean of both triangles: exactly symmetric
      M[(3 + j) * 6 + 3 + i] = 0.5 * (J.m[3 * i + j] + J.m[3 * j + i]);
}

/* The angular part of f of a body whose rotation over the step is known (rotation.c); M: at the middle of the step. */
static void turn_body(const AspModel *model, const AspState *force_state, int body, const double *M, const double *h,
                      double dt, AspTurn *turn, double *f) {
  AspMat3 J = angular_inertia(M);
  AspVec3 w = asp_state_angular_velocity(model, force_state, body);
  AspQuat R = asp_state_pose(model, force_state, body).orientation;
  AspVec3 spin = quat_rotate(R, mat3_times(&model->body[body].def.inertia, quat_rotate_back(R, w)));
  AspVec3 moment = sub3(vec3(h[3], h[4], h[5]), cross3(spin, w)); // h has the explicit gyroscopic term
  asp_turn_complete(scale3(dt, add3(moment, turn->carried)), dt, turn);
  AspVec3 angular = axpy3(mat3_times(&J, turn->spin), -dt, turn->carried);
  f[3] = angular.x;
  f[4] = angular.y;
  f[5] = angular.z;
}

static AspError check_force(const AspFormulation *formulation, const char *kind, const char *name, const double *h,
                            int count, double t) {
  for (int i = 0; i < count; i++)
    if (!isfinite(h[i]))
      return asp_fail(formulation->arena->context, ASP_ERROR_VALUE,
                      "%s %s: the force on it at t = %g s is not finite; look for huge values, or a force whose "
                      "expression is not finite there",
                      kind, name, t);
  return ASP_OK;
}

/* A body's block of M, unless it is there already, its part of f = M v + dt h, and its acceleration. */
static void add_body(AspFormulation *formulation, const AspState *state, const AspState *force_state, double dt,
                     double theta, int body, const double *h, double *M, double *f) {
  const AspModel *model = formulation->model;
  int n = asp_body_velocities(asp_model_dimension(model));
  const double *v = state->v + (size_t)n * (size_t)body;
  double *a = formulation->acceleration + (size_t)n * (size_t)body;
  AspTurn *turn = formulation->turn && formulation->turn[body].active ? &formulation->turn[body] : NULL;
  if (!model->mass.value)
    asp_body_mass_matrix(model, state, body, M);
  if (turn)
    write_inertia(&model->body[body].def.inertia, turn->middle, M);
  const AspBodyDef *def = &model->body[body].def;
  if (n == 6 && mat3_is_isotropic(&def->inertia)) { // M is diagonal and w x J w = 0
    for (int i = 0; i < 6; i++) {
      double inertia = i < 3 ? def->mass : def->inertia.m[0];
      f[i] = dt * h[i] + inertia * v[i];
      a[i] = h[i] / inertia;
    }
    return;
  }
  for (int i = 0; i < n; i++) {
    f[i] = dt * h[i];
    for (int j = 0; j < n; j++)
      f[i] += M[j * n + i] * v[j];
  }
  if (turn)
    turn_body(model, force_state, body, M, h, dt, turn, f);
  else if (n == 6)
    implicit_gyroscopic(model, state, force_state, body, M, dt, theta, f);
  free_acceleration(n, M, h, a);
}

/* What a step does to the bodies: forces h, and room for M and f. */
typedef struct Bodies {
  AspFormulation *formulation;
  const AspState *state, *force_state;
  double dt, theta;
  const double *h;
  double *blocks, *f;
  atomic_bool endless; /* a force is not finite */
} Bodies;

static void add_range(void *data, int from, int end) {
  Bodies *bodies = data;
  size_t n = (size_t)asp_body_velocities(asp_model_dimension(bodies->formulation->model));
  for (int body = from; body < end; body++) {
    int dof = bodies->formulation->dof[body];
    if (dof < 0)
      continue;
    if (!asp_all_finite(bodies->h + dof, n))
      atomic_store_explicit(&bodies->endless, true, memory_order_relaxed);
    add_body(bodies->formulation, bodies->state, bodies->force_state, bodies->dt, bodies->theta, body, bodies->h + dof,
             bodies->blocks + (size_t)dof * n, bodies->f + dof);
  }
}

/* All of them. */
static AspError add_bodies(AspFormulation *formulation, const AspState *state, const AspState *force_state, double dt,
                           double theta, const double *h, double *blocks, double *f) {
  const AspModel *model = formulation->model;
  int n = asp_body_velocities(asp_model_dimension(model));
  Bodies bodies = {.formulation = formulation,
                   .state = state,
                   .force_state = force_state,
                   .dt = dt,
                   .theta = theta,
                   .h = h,
                   .blocks = blocks,
                   .f = f};
  asp_parallel_for(formulation->arena->context, asp_model_body_count(model), DYNAMICS_GRAIN, add_range, &bodies);
  for (int body = 0; bodies.endless && body < asp_model_body_count(model); body++) { // which one?
    int dof = formulation->dof[body];
    if (dof >= 0)
      ASP_TRY(check_force(formulation, "body", asp_model_body_name(model, body), h + dof, n, force_state->t));
  }
  return ASP_OK;
}

/* Diagonal of M without stiff elements. */
static void mass_diagonal(const AspModel *model, int n, const double *blocks, const AspBeamMatrix *beams,
                          double *diagonal) {
  for (int body = 0; body < asp_model_body_count(model); body++) {
    int dof = asp_model_body_dof(model, body);
    for (int i = 0; dof >= 0 && i < n; i++)
      diagonal[dof + i] = blocks[(size_t)dof * (size_t)n + (size_t)(i * n + i)];
  }
  for (int beam = 0; beam < asp_model_beam_count(model); beam++)
    for (int i = 0; i < beams[beam].count; i++)
      diagonal[beams[beam].dof + i] = 0;
  for (int beam = 0; beam < asp_model_beam_count(model); beam++)
    for (int k = 0; k < beams[beam].entries; k++)
      if (beams[beam].row[k] == beams[beam].column[k] && beams[beam].row[k] < beams[beam].count)
        diagonal[beams[beam].dof + beams[beam].row[k]] = beams[beam].value[k];
}

AspError asp_formulate_dynamics(AspFormulation *formulation, const AspState *state, const AspState *force_state,
                                double dt, double theta) {
  const AspModel *model = formulation->model;
  AspArena *arena = formulation->arena;
  int n = asp_body_velocities(asp_model_dimension(model)), dofs = asp_model_dof_count(model);
  int beam_count = asp_model_beam_count(model);
  double *blocks = model->mass.value ? model->mass.value : ASP_TAKE_UNCLEARED(arena, double, dofs *n);
  double *diagonal = ASP_TAKE_UNCLEARED(arena, double, dofs);
  double *h = ASP_TAKE_UNCLEARED(arena, double, dofs);
  formulation->inner = formulation->unresolved = formulation->stiff.count = 0;
  for (int beam = 0; beam < beam_count; beam++)
    formulation->inner += asp_beam_inner_count(formulation, beam, dt, theta);
  double *f = ASP_TAKE(arena, double, dofs + formulation->inner);
  AspBeamMatrix *beams = ASP_TAKE(arena, AspBeamMatrix, beam_count);
  formulation->acceleration = ASP_TAKE(arena, double, asp_model_v_size(model));
  if (!blocks || !diagonal || !h || !f || !beams || !formulation->acceleration)
    return ASP_ERROR_MEMORY;
  asp_columns_place(formulation, force_state);
  AspSprings springs;
  asp_model_loads_but_springs(model, force_state, h);
  ASP_TRY(asp_springs_take(formulation, force_state, &springs, h));
  ASP_TRY(add_bodies(formulation, state, force_state, dt, theta, h, blocks, f));
  for (int beam = 0, inner = 0; beam < beam_count; beam++) {
    int size, dof = asp_model_beam_dof(model, beam, &size);
    ASP_TRY(check_force(formulation, "beam", asp_model_beam_name(model, beam), h + dof, size, force_state->t));
    ASP_TRY(asp_formulate_beam(formulation, state, force_state, beam, dt, theta, h + dof, &beams[beam], f + dof,
                               f + dofs + inner));
    beams[beam].inner = inner;
    inner += asp_beam_inner_count(formulation, beam, dt, theta);
  }
  AspStiff stiff = {0};
  if (asp_model_stiff_count(model) > 0 && dt > 0) { // in no time nothing is stiff
    mass_diagonal(model, n, blocks, beams, diagonal);
    bool expected = formulation->taut.velocity && formulation->taut.velocity != state->v;
    AspStiffStep step = {.start = state,
                         .dt = dt,
                         .theta = theta,
                         .ahead = expected,
                         .at_start = force_state == state,
                         .blocks = blocks,
                         .diagonal = diagonal};
    ASP_TRY(asp_stiff_collect(formulation, force_state, &step, &springs, &stiff, f));
  }
  formulation->problem.f = f;
  if (formulation->taut.force)
    ASP_TRY(asp_formulate_taut(formulation, force_state, dt, &blocks, f));
  return asp_mass_assemble(formulation, &stiff, beams, blocks);
}

AspError asp_formulate_lead(AspFormulation *formulation, const AspState *state, double damping, double stiffness,
                            AspSparse *lead) {
  const AspModel *model = formulation->model;
  AspArena *arena = formulation->arena;
  int n = asp_body_velocities(asp_model_dimension(model));
  int beam_count = asp_model_beam_count(model);
  double *blocks = ASP_TAKE(arena, double, asp_model_dof_count(model) * n);
  AspBeamMatrix *beams = ASP_TAKE(arena, AspBeamMatrix, beam_count);
  AspStiff stiff;
  if (!blocks || !beams)
    return ASP_ERROR_MEMORY;
  for (int body = 0; body < asp_model_body_count(model); body++)
    if (asp_model_body_dof(model, body) >= 0)
      asp_body_mass_matrix(model, state, body, blocks + (size_t)asp_model_body_dof(model, body) * (size_t)n);
  ASP_TRY(asp_stiff_collect_all(formulation, state, damping, stiffness, &stiff));
  for (int beam = 0; beam < beam_count; beam++)
    ASP_TRY(asp_formulate_beam_lead(formulation, state, beam, damping, stiffness, &beams[beam]));
  AspSparse M = formulation->problem.M;
  AspError error = asp_mass_assemble(formulation, &stiff, beams, blocks);
  *lead = formulation->problem.M;
  formulation->problem.M = M;
  return error;
}
