/* M and f of a step; h at the start of the step or in its middle (q + theta dt v, v, t + theta dt):
 *   (M + dt C + dt^2 K) v+ = (M + dt C + s K) v + dt h + H r,     s = 0 for forces at the start, theta dt^2 for forces
 * in the middle Stiff elements are fully implicit whatever theta: a step that cannot resolve them must not ring. An
 * element's K and C enter only where the explicit step would not resolve it: dt^2 tr(M^-1 K) or dt tr(M^-1 C) above
 * STIFF. */
#include "base/parallel.h"
#include "formulate/formulate.h"
#include "linalg/small.h"
#include "linalg/vec3.h"

#include <math.h>

#define STIFF 0.1

/* Mean inverse mass seen by the diagonal entries of an element's matrix. */
static double diagonal_over_mass(const AspModel *model, const double *mass_diagonal, int n, const int bodies[2],
                                 const double *matrix) {
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    int dof = asp_model_body_dof(model, bodies[side]);
    for (int i = 0; dof >= 0 && i < n; i++) {
      int k = side * n + i;
      sum += matrix[k * 2 * n + k] / mass_diagonal[dof + i];
    }
  }
  return sum;
}

typedef struct Elements {
  int count;
  int (*bodies)[2];
  double *lead;  /* (2n)^2 each: dt C + dt^2 K */
  double *right; /* what acts on v: see the head of the file */
} Elements;

/* The stiff elements that need the implicit treatment at this step. */
static AspError collect_elements(AspFormulation *formulation, const AspState *force_state, double implied, double dt,
                                 int n, const double *mass_diagonal, Elements *elements) {
  const AspModel *model = formulation->model;
  int count = asp_model_stiff_count(model), size = 4 * n * n;
  elements->count = 0;
  elements->bodies = asp_arena_take(formulation->arena, (size_t)count, sizeof *elements->bodies);
  elements->lead = ASP_TAKE(formulation->arena, double, count *size);
  elements->right = ASP_TAKE(formulation->arena, double, count *size);
  if (!elements->bodies || !elements->lead || !elements->right)
    return ASP_ERROR_MEMORY;
  for (int e = 0; e < count; e++) {
    double K[144], C[144];
    int *bodies = elements->bodies[elements->count];
    asp_model_stiff(model, force_state, e, &bodies[0], &bodies[1], K, C);
    bool stiff = dt * dt * diagonal_over_mass(model, mass_diagonal, n, bodies, K) > STIFF ||
                 dt * diagonal_over_mass(model, mass_diagonal, n, bodies, C) > STIFF;
    if (!stiff)
      continue;
    double *lead = elements->lead + (size_t)elements->count * size;
    double *right = elements->right + (size_t)elements->count * size;
    for (int k = 0; k < size; k++) {
      lead[k] = dt * C[k] + dt * dt * K[k];
      right[k] = dt * C[k] + implied * K[k];
    }
    elements->count++;
  }
  return ASP_OK;
}

/* f += right v over the element's dynamic bodies (all bodies' velocities count) */
static void add_right_side(const AspModel *model, const Elements *elements, int n, const double *v, double *f) {
  for (int e = 0; e < elements->count; e++) {
    const double *right = elements->right + (size_t)e * 4 * n * n;
    for (int side = 0; side < 2; side++) {
      int dof = asp_model_body_dof(model, elements->bodies[e][side]);
      for (int i = 0; dof >= 0 && i < n; i++)
        for (int other = 0; other < 2; other++)
          for (int j = 0; j < n; j++)
            f[dof + i] += right[(other * n + j) * 2 * n + side * n + i] * v[n * elements->bodies[e][other] + j];
    }
  }
}

/* lead acts on v+ of dynamic bodies; a kinematic partner's v+ is known and goes to the right */
static void add_known_velocity(const AspModel *model, const Elements *elements, int n, const double *v, double *f) {
  for (int e = 0; e < elements->count; e++) {
    const double *lead = elements->lead + (size_t)e * 4 * n * n;
    for (int side = 0; side < 2; side++) {
      int dof = asp_model_body_dof(model, elements->bodies[e][side]);
      int partner = elements->bodies[e][1 - side];
      if (dof < 0 || asp_model_body_dof(model, partner) >= 0)
        continue;
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
          f[dof + i] -= lead[((1 - side) * n + j) * 2 * n + side * n + i] * v[n * partner + j];
    }
  }
}

/* Body-block pattern of M: block column b lists the dynamic bodies it couples with, ascending, itself included. */
static AspError block_pattern(AspFormulation *formulation, const Elements *elements, int n, int **start,
                              int **partner) {
  const AspModel *model = formulation->model;
  int blocks = asp_model_dof_count(model) / n;
  int *begin = ASP_TAKE(formulation->arena, int, blocks + 2);
  int *list = ASP_TAKE(formulation->arena, int, blocks + 2 * elements->count);
  if (!begin || !list)
    return ASP_ERROR_MEMORY;
  for (int pass = 0; pass < 2; pass++) {
    // pass 0 counts into begin[b + 2], pass 1 fills through begin[b + 1]
    for (int b = 0; b < blocks; b++)
      if (pass == 0)
        begin[b + 2]++;
      else
        list[begin[b + 1]++] = b;
    for (int e = 0; e < elements->count; e++) {
      int dof_a = asp_model_body_dof(model, elements->bodies[e][0]);
      int dof_b = asp_model_body_dof(model, elements->bodies[e][1]);
      if (dof_a < 0 || dof_b < 0)
        continue;
      int a = dof_a / n, b = dof_b / n;
      if (pass == 0) {
        begin[a + 2]++;
        begin[b + 2]++;
      } else {
        list[begin[a + 1]++] = b;
        list[begin[b + 1]++] = a;
      }
    }
    for (int b = 0; pass == 0 && b < blocks; b++)
      begin[b + 2] += begin[b + 1];
  }
  // sort each list and drop repeats (two springs between the same bodies)
  int kept = 0;
  for (int b = 0, from = 0; b < blocks; b++) {
    int to = begin[b + 1], first = kept;
    for (int k = from; k < to; k++) {
      int value = list[k], at = kept;
      while (at > first && list[at - 1] > value)
        at--;
      if (at > first && list[at - 1] == value)
        continue;
      for (int m = kept; m > at; m--)
        list[m] = list[m - 1];
      list[at] = value;
      kept++;
    }
    from = to;
    begin[b + 1] = kept;
  }
  begin[0] = 0;
  *start = begin;
  *partner = list;
  return ASP_OK;
}

/* value slot of entry (i, j) within block (row block r, column block c) */
static double *entry(AspSparse *M, const int *start, const int *partner, int n, int r, int c, int i, int j) {
  int k = start[c];
  while (partner[k] != r)
    k++;
  return &M->value[M->start[c * n + j] + (k - start[c]) * n + i];
}

/* M without stiff elements: one dense block per body. */
static AspError assemble_diagonal(AspFormulation *formulation, int n, const double *blocks) {
  AspArena *arena = formulation->arena;
  int dofs = asp_model_dof_count(formulation->model), entries = dofs * n;
  AspSparse *M = &formulation->problem.M;
  *M = (AspSparse){dofs, dofs, ASP_TAKE(arena, int, dofs + 1), ASP_TAKE(arena, int, entries),
                   ASP_TAKE(arena, double, entries)};
  if (!M->start || !M->row || !M->value)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < dofs; j++) {
    M->start[j + 1] = (j + 1) * n;
    for (int i = 0; i < n; i++)
      M->row[j * n + i] = j / n * n + i;
  }
  if (entries > 0)
    memcpy(M->value, blocks, (size_t)entries * sizeof *M->value);
  return ASP_OK;
}

static AspError assemble_mass(AspFormulation *formulation, const Elements *elements, int n, const double *blocks) {
  const AspModel *model = formulation->model;
  AspArena *arena = formulation->arena;
  int dofs = asp_model_dof_count(model);
  int *start, *partner;
  if (elements->count == 0)
    return assemble_diagonal(formulation, n, blocks);
  ASP_TRY(block_pattern(formulation, elements, n, &start, &partner));
  int entries = start[dofs / n] * n * n;
  AspSparse *M = &formulation->problem.M;
  *M = (AspSparse){dofs, dofs, ASP_TAKE(arena, int, dofs + 1), ASP_TAKE(arena, int, entries),
                   ASP_TAKE(arena, double, entries)};
  if (!M->start || !M->row || !M->value)
    return ASP_ERROR_MEMORY;
  for (int c = 0; c < dofs / n; c++)
    for (int j = 0; j < n; j++) {
      int at = M->start[c * n + j];
      for (int k = start[c]; k < start[c + 1]; k++)
        for (int i = 0; i < n; i++)
          M->row[at++] = partner[k] * n + i;
      M->start[c * n + j + 1] = at;
      for (int i = 0; i < n; i++)
        *entry(M, start, partner, n, c, c, i, j) = blocks[(size_t)c * n * n + j * n + i];
    }
  for (int e = 0; e < elements->count; e++)
    for (int column = 0; column < 2; column++)
      for (int row = 0; row < 2; row++) {
        int r = asp_model_body_dof(model, elements->bodies[e][row]);
        int c = asp_model_body_dof(model, elements->bodies[e][column]);
        const double *lead = elements->lead + (size_t)e * 4 * n * n;
        for (int j = 0; r >= 0 && c >= 0 && j < n; j++)
          for (int i = 0; i < n; i++)
            *entry(M, start, partner, n, r / n, c / n, i, j) += lead[(column * n + j) * 2 * n + row * n + i];
      }
  return ASP_OK;
}

/* 3x3 angular block of a body's 6x6 mass matrix */
static AspMat3 angular_inertia(const double *M) {
  AspMat3 J;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      J.m[3 * i + j] = M[(3 + j) * 6 + 3 + i];
  return J;
}

static bool is_isotropic(AspMat3 J) {
  return J.m[0] == J.m[4] && J.m[0] == J.m[8] && J.m[1] == 0 && J.m[2] == 0 && J.m[5] == 0 && J.m[3] == 0 &&
         J.m[6] == 0 && J.m[7] == 0;
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
  for (int k = 0; k < 20; k++) {
    AspVec3 m = scale3(0.5, add3(w, *x)), L = mat3_times(J, m);
    AspVec3 F = axpy3(mat3_times(J, sub3(*x, w)), dt, cross3(m, L)), column[3], step;
    for (int j = 0; j < 3; j++) { // J e_j + dt/2 (e_j x L + m x J e_j)
      AspVec3 e = vec3(j == 0, j == 1, j == 2), Je = mat3_times(J, e);
      column[j] = axpy3(Je, 0.5 * dt, add3(cross3(e, L), cross3(m, Je)));
    }
    if (!solve3(column[0], column[1], column[2], F, &step))
      return false;
    *x = sub3(*x, step);
    if (norm3(step) <= 1e-13 * norm3(w))
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
  for (int k = 0; k < 100; k++) {
    AspQuat turn = quat_from_vector(scale3(dt, add3(scale3(1 - theta, w), scale3(theta, next))));
    AspVec3 back = quat_rotate_back(turn, L);
    double x[3] = {back.x, back.y, back.z};
    asp_small_cholesky_solve(3, factor, x);
    AspVec3 better = quat_rotate(turn, by_midpoint ? spin : vec3(x[0], x[1], x[2]));
    double change = norm3(sub3(better, next));
    next = better;
    if (change <= 1e-14 * norm3(w))
      return next;
    if (k == 49) { // start again with the spin in the body's axes known
      by_midpoint = midpoint_spin(J, w, dt, &spin);
      if (!by_midpoint)
        return w;
      next = w;
    }
  }
  return norm3(sub3(next, w)) <= 2 * norm3(w) ? next : w;
}

#define MOST_TURN 1.0 /* rad in a step; beyond, no step resolves the motion: the spin stays as it is */

/* The explicit gyroscopic impulse dt (-w x J w) replaced by the one of free rotation. Explicitly, a body that turns
 * fast gains energy at every step. */
static void implicit_gyroscopic(const AspModel *model, const AspState *state, const AspState *force_state, int body,
                                const double *M, double dt, double theta, double *f) {
  double forced[36], factor[9];
  if (is_isotropic(asp_model_body_inertia(model, body)))
    return; // w x J w = 0
  asp_body_mass_matrix(model, force_state, body, forced);
  AspMat3 J = angular_inertia(M), J_forced = angular_inertia(forced);
  AspVec3 w = asp_state_angular_velocity(model, state, body);
  AspVec3 w_forced = asp_state_angular_velocity(model, force_state, body);
  AspVec3 explicit_torque = cross3(mat3_times(&J_forced, w_forced), w_forced);
  memcpy(factor, J.m, sizeof factor); // symmetric: row or column order is the same
  if (!asp_small_cholesky(3, factor))
    return;
  AspVec3 next = norm3(w) * dt <= MOST_TURN ? free_spin(&J, factor, w, dt, theta) : w;
  AspVec3 impulse = sub3(mat3_times(&J, sub3(next, w)), scale3(dt, explicit_torque));
  f[3] += impulse.x;
  f[4] += impulse.y;
  f[5] += impulse.z;
}

AspError asp_formulate_dynamics(AspFormulation *formulation, const AspState *state, const AspState *force_state,
                                double dt, double theta) {
  const AspModel *model = formulation->model;
  AspArena *arena = formulation->arena;
  int n = asp_model_dimension(model) == 3 ? 6 : 3, dofs = asp_model_dof_count(model);
  double *blocks = ASP_TAKE(arena, double, dofs *n);
  double *diagonal = ASP_TAKE(arena, double, dofs);
  double *h = ASP_TAKE(arena, double, dofs);
  double *f = ASP_TAKE(arena, double, dofs);
  formulation->acceleration = ASP_TAKE(arena, double, asp_model_v_size(model));
  if (!blocks || !diagonal || !h || !f || !formulation->acceleration)
    return ASP_ERROR_MEMORY;

  // M v + dt h
  asp_model_forces(model, force_state, h);
  for (int body = 0; body < asp_model_body_count(model); body++)
    for (int i = 0; asp_model_body_dof(model, body) >= 0 && i < n; i++)
      if (!isfinite(h[asp_model_body_dof(model, body) + i]))
        return asp_fail(arena->context, ASP_ERROR_INPUT,
                        "body %s: the force on it at t = %g s is not finite; look for huge values, or a force whose "
                        "expression is not finite there",
                        asp_model_body_name(model, body), force_state->t);
  ASP_PARALLEL(asp_useful_threads(formulation->threads, dofs))
  for (int body = 0; body < asp_model_body_count(model); body++) {
    int dof = asp_model_body_dof(model, body);
    if (dof < 0)
      continue;
    double *M = blocks + (size_t)dof * n;
    asp_body_mass_matrix(model, state, body, M);
    for (int i = 0; i < n; i++) {
      diagonal[dof + i] = M[i * n + i];
      f[dof + i] = dt * h[dof + i];
      for (int j = 0; j < n; j++)
        f[dof + i] += M[j * n + i] * state->v[n * body + j];
    }
    if (n == 6)
      implicit_gyroscopic(model, state, force_state, body, M, dt, theta, f + dof);
    free_acceleration(n, M, h + dof, formulation->acceleration + (size_t)n * body);
  }
  Elements elements;
  ASP_TRY(collect_elements(formulation, force_state, force_state == state ? 0 : theta * dt * dt, dt, n, diagonal,
                           &elements));
  add_right_side(model, &elements, n, state->v, f);
  add_known_velocity(model, &elements, n, state->v, f);
  formulation->problem.f = f;
  return assemble_mass(formulation, &elements, n, blocks);
}
