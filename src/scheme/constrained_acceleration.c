/* Accelerations in given modes: see constrained_acceleration.h. */
#include "scheme/constrained_acceleration.h"

#include "base/disjoint_sets.h"
#include "formulate/acceleration.h"
#include "linalg/dense.h"
#include "linalg/dimension.h"
#include "linalg/small.h"
#include "scheme/tuning/scheme.h"

#include <math.h>

/* A constrained row and what its reaction does. */
typedef struct ConstrainedRow {
  int row, block; /* of the formulation */
  bool slides;    /* its reaction takes the friction along */
  AspRow force;   /* direction of the reaction */
  double *done;   /* M^-1 J^T of its parts, 12 each */
  double give;    /* of an armature: what its row gives way by to its own reaction, 1/kg */
  double scale;   /* 1 / sqrt(C M^-1 C^T) */
} ConstrainedRow;

/* Rows that act on each other through common bodies. */
typedef struct Island {
  int *row; /* indices of constrained rows */
  int count;
} Island;

typedef struct ConstrainedSystem {
  const AspFormulation *formulation;
  int n;           /* velocities of a body */
  double *factors; /* bodies: Cholesky factors of M, n x n each */
  ConstrainedRow *row;
  int count;
} ConstrainedSystem;

static bool is_dynamic(const ConstrainedSystem *system, int body) {
  return asp_model_body_dof(system->formulation->model, body) >= 0;
}

static AspError factor_masses(ConstrainedSystem *system, const AspState *state) {
  const AspModel *model = system->formulation->model;
  int n = system->n, bodies = asp_model_body_count(model);
  system->factors = ASP_TAKE(system->formulation->arena, double, n *n *bodies);
  if (!system->factors)
    return ASP_ERROR_MEMORY;
  for (int body = 0; body < bodies; body++) {
    if (!is_dynamic(system, body))
      continue;
    double *M = system->factors + (size_t)(n * n) * (size_t)body;
    asp_body_mass_matrix(model, state, body, M);
    if (!asp_small_cholesky(n, M))
      return asp_fail(system->formulation->arena->context, ASP_ERROR_DIVERGED,
                      "body %s: its mass matrix is not positive definite at t = %g s", asp_model_body_name(model, body),
                      state->t);
  }
  return ASP_OK;
}

/* M^-1 J^T over both bodies of every part; zeros for those that are not dynamic. */
static void apply_masses(const ConstrainedSystem *system, const AspRow *row, double *done) {
  int n = system->n;
  for (const AspRow *part = row; part; part = part->more, done += 12)
    for (int side = 0; side < 2; side++) {
      int body = side ? part->body_b : part->body_a;
      double *x = done + 6 * side;
      memset(x, 0, 6 * sizeof *x);
      if (!is_dynamic(system, body))
        continue;
      memcpy(x, side ? part->jb : part->ja, (size_t)n * sizeof *x);
      asp_small_cholesky_solve(n, system->factors + (size_t)(n * n) * (size_t)body, x);
    }
}

/* J . (accelerations that `done` holds for the bodies of `of`), one part of each */
static double reach_part(const ConstrainedSystem *system, const AspRow *row, const AspRow *of, const double done[12]) {
  int n = system->n;
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    int body = side ? of->body_b : of->body_a;
    if (!is_dynamic(system, body))
      continue;
    if (row->body_a == body)
      sum += asp_row_dot(n, row->ja, done + 6 * side);
    if (row->body_b == body)
      sum += asp_row_dot(n, row->jb, done + 6 * side);
  }
  return sum;
}

/* The same over all parts. */
static double reach(const ConstrainedSystem *system, const AspRow *row, const AspRow *of, const double *done) {
  double sum = 0;
  for (; of; of = of->more, done += 12)
    for (const AspRow *part = row; part; part = part->more)
      sum += reach_part(system, part, of, done);
  return sum;
}

static AspRow sliding_force(const AspFormulation *formulation, int block) {
  const AspLaw *law = &formulation->law[block];
  int first = formulation->offset[block], rows = formulation->offset[block + 1] - first;
  AspRow force = formulation->row[first];
  for (int k = 1; k < rows; k++)
    for (int i = 0; i < 6; i++) {
      force.ja[i] -= law->mu * law->direction[k - 1] * formulation->row[first + k].ja[i];
      force.jb[i] -= law->mu * law->direction[k - 1] * formulation->row[first + k].jb[i];
    }
  return force;
}

static int constrained_rows(const AspFormulation *formulation, int block) {
  const AspLaw *law = &formulation->law[block];
  return asp_reaction_is_given(law)     ? 0
         : law->kind == ASP_LAW_SLIDING ? 1
                                        : formulation->offset[block + 1] - formulation->offset[block];
}

/* Room for M^-1 J^T of all parts. */
static double *take_done(AspArena *arena, const AspRow *row) {
  size_t parts = 0;
  for (; row; row = row->more)
    parts++;
  return ASP_TAKE_UNCLEARED(arena, double, 12 * parts);
}

/* Armatures are inertias on rows of their own: load couplings that nothing else acts on. */
static double give_of(const AspFormulation *formulation, int block, int row) {
  double give = 0;
  if (formulation->tag[block].role != ASP_ROLE_ARMATURE)
    return 0;
  for (int e = 0; e < formulation->entries; e++)
    if (formulation->entry[e].row == row)
      give += formulation->entry[e].value * formulation->entry[e].value /
              formulation->coupling_mass[formulation->entry[e].coupling];
  return give;
}

static AspError make_system(ConstrainedSystem *system, const AspState *state, bool forces) {
  const AspFormulation *formulation = system->formulation;
  system->n = asp_body_velocities(asp_model_dimension(formulation->model));
  system->row = ASP_TAKE(formulation->arena, ConstrainedRow, formulation->rows);
  if (!system->row)
    return ASP_ERROR_MEMORY;
  ASP_TRY(factor_masses(system, state));
  for (int b = 0; b < formulation->blocks; b++) {
    bool slides = formulation->law[b].kind == ASP_LAW_SLIDING;
    int first = formulation->offset[b];
    for (int k = first; k < first + constrained_rows(formulation, b); k++) {
      ConstrainedRow *row = &system->row[system->count++];
      double own[12 * ASP_ROW_PARTS];
      row->row = k;
      row->block = b;
      row->slides = slides && forces;
      row->force = slides && forces ? sliding_force(formulation, b) : formulation->row[k];
      row->done = take_done(formulation->arena, &row->force);
      if (!row->done)
        return ASP_ERROR_MEMORY;
      apply_masses(system, &row->force, row->done);
      apply_masses(system, &formulation->row[k], own);
      row->give = give_of(formulation, b, k);
      double square = reach(system, &formulation->row[k], &formulation->row[k], own) + row->give;
      row->scale = square > 0 ? 1 / sqrt(square) : 1;
    }
  }
  return ASP_OK;
}

/* S C M^-1 F S of an island, column-major; NULL: out of memory. */
static double *make_matrix(const ConstrainedSystem *system, const Island *island) {
  size_t n = (size_t)island->count;
  double *A = ASP_TAKE(system->formulation->arena, double, n *n);
  for (size_t j = 0; A && j < n; j++)
    for (size_t i = 0; i < n; i++) {
      const ConstrainedRow *row = &system->row[island->row[i]], *other = &system->row[island->row[j]];
      double W = reach(system, &system->formulation->row[row->row], &other->force, other->done);
      A[i + j * n] = row->scale * other->scale * (i == j ? W + row->give : W);
    }
  return A;
}

/* x (dofs) += l M^-1 F */
static void add_motion(const ConstrainedSystem *system, const ConstrainedRow *row, double l, double *x) {
  const double *done = row->done;
  for (const AspRow *part = &row->force; part; part = part->more, done += 12)
    for (int side = 0; side < 2; side++) {
      int dof = asp_model_body_dof(system->formulation->model, side ? part->body_b : part->body_a);
      for (int i = 0; dof >= 0 && i < system->n; i++)
        x[dof + i] += l * done[6 * side + i];
    }
}

static double row_of_dofs(const ConstrainedSystem *system, const AspRow *row, const double *x) {
  const AspModel *model = system->formulation->model;
  double sum = 0;
  for (; row; row = row->more) {
    int a = asp_model_body_dof(model, row->body_a), b = asp_model_body_dof(model, row->body_b);
    sum +=
        (a >= 0 ? asp_row_dot(system->n, row->ja, x + a) : 0) + (b >= 0 ? asp_row_dot(system->n, row->jb, x + b) : 0);
  }
  return sum;
}

/* M^-1 h, known reactions included, which go into r. */
static void free_acceleration(const ConstrainedSystem *system, double *r, double *x) {
  const AspFormulation *formulation = system->formulation;
  const AspModel *model = formulation->model;
  memcpy(x, formulation->problem.f, (size_t)asp_model_dof_count(model) * sizeof *x);
  for (int b = 0; b < formulation->blocks; b++) {
    const AspLaw *law = &formulation->law[b];
    int first = formulation->offset[b];
    for (int k = first; asp_reaction_is_given(law) && k < formulation->offset[b + 1]; k++) {
      r[k] = -law->direction[k - first] * law->limit;
      for (const AspRow *row = &formulation->row[k]; row; row = row->more)
        for (int side = 0; side < 2; side++) {
          int dof = asp_model_body_dof(model, side ? row->body_b : row->body_a);
          for (int i = 0; dof >= 0 && i < system->n; i++)
            x[dof + i] += r[k] * (side ? row->jb[i] : row->ja[i]);
        }
    }
  }
  for (int body = 0; body < asp_model_body_count(model); body++)
    if (is_dynamic(system, body))
      asp_small_cholesky_solve(system->n, system->factors + (size_t)(system->n * system->n) * (size_t)body,
                               x + asp_model_body_dof(model, body));
}

/* A of every sliding contact of an island with all its other rows held: 1 / (S^-1 A'^-1 S^-1)_ii; the smallest over its
 * value without friction is kept. A is destroyed. */
static AspError find_jam(const ConstrainedSystem *system, const Island *island, double *A, const double *l,
                         AspConstrainedMotion *motion) {
  AspArena *arena = system->formulation->arena;
  int n = island->count, *pivot = ASP_TAKE(arena, int, n);
  double *column = ASP_TAKE(arena, double, n);
  if (!pivot || !column)
    return ASP_ERROR_MEMORY;
  if (asp_dense_lu(n, A, n, pivot) >= 0)
    return ASP_OK;
  for (int i = 0; i < n; i++) {
    const ConstrainedRow *row = &system->row[island->row[i]];
    if (!row->slides)
      continue;
    memset(column, 0, (size_t)n * sizeof *column);
    column[i] = 1;
    asp_dense_lu_solve(n, A, n, pivot, 1, column, n);
    double relative = 1 / column[i]; // the scale is that of the row alone
    if (motion->jam_block < 0 || relative < motion->jam_relative) {
      motion->jam_block = row->block;
      motion->jam_relative = relative;
      motion->jam_A = relative / (row->scale * row->scale);
      motion->jam_b = -motion->jam_A * l[island->row[i]];
    }
  }
  return ASP_OK;
}

static void spread_reactions(const ConstrainedSystem *system, const double *l, double *r) {
  const AspFormulation *formulation = system->formulation;
  for (int i = 0; i < system->count; i++)
    r[system->row[i].row] = l[i];
  for (int b = 0; b < formulation->blocks; b++) {
    const AspLaw *law = &formulation->law[b];
    int first = formulation->offset[b];
    for (int k = 1; law->kind == ASP_LAW_SLIDING && k < formulation->offset[b + 1] - first; k++)
      r[first + k] = -law->mu * law->direction[k - 1] * r[first];
  }
}

/* Rows in the order of their islands: *order receives their indices, *start (count + 1) where each of the *count
 * islands begins. */
static AspError find_islands(const ConstrainedSystem *system, int **order, int **start, int *count) {
  AspArena *arena = system->formulation->arena;
  int bodies = asp_model_body_count(system->formulation->model);
  int *parent = ASP_TAKE(arena, int, bodies), *island = ASP_TAKE(arena, int, bodies);
  int *of = ASP_TAKE(arena, int, system->count);
  *order = ASP_TAKE(arena, int, system->count);
  *start = ASP_TAKE(arena, int, system->count + 1);
  *count = 0;
  if (!parent || !island || !of || !*order || !*start)
    return ASP_ERROR_MEMORY;
  asp_sets_begin(bodies, parent);
  for (int i = 0; i < system->count; i++)
    asp_row_unite(system->formulation->model, &system->row[i].force, parent);
  for (int i = 0; i < system->count; i++) {
    const AspRow *row = &system->row[i].force;
    int root = asp_set_of(parent, is_dynamic(system, row->body_a) ? row->body_a : row->body_b);
    if (island[root] == 0)
      island[root] = ++*count;
    of[i] = island[root] - 1;
  }
  asp_list_by_owner(system->count, of, *count, *start, *order);
  return ASP_OK;
}

/* The part of an island in l; its matrix is left in *A. */
static AspError solve_island(const ConstrainedSystem *system, const Island *island, const double *right,
                             const double *near, double **A, double *l, int *rank) {
  AspArena *arena = system->formulation->arena;
  size_t n = (size_t)island->count;
  double *copy = ASP_TAKE(arena, double, n *n), *x = ASP_TAKE(arena, double, n);
  *A = make_matrix(system, island);
  if (!copy || !x || !*A)
    return ASP_ERROR_MEMORY;
  memcpy(copy, *A, n * n * sizeof *copy);
  for (size_t i = 0; i < n; i++)
    x[i] = system->row[island->row[i]].scale * right[island->row[i]];
  for (size_t j = 0; near && j < n; j++) {
    const ConstrainedRow *row = &system->row[island->row[j]];
    for (size_t i = 0; i < n; i++)
      x[i] -= (*A)[i + j * n] * near[row->row] / row->scale;
  }
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i]))
      return asp_fail(arena->context, ASP_ERROR_DIVERGED, "forces or velocities are not finite");
  ASP_TRY(asp_dense_least_norm(arena, (int)n, copy, CONSTRAINED_DEPENDENT, x, rank));
  for (size_t i = 0; i < n; i++) {
    const ConstrainedRow *row = &system->row[island->row[i]];
    l[island->row[i]] = x[i] * row->scale + (near ? near[row->row] : 0);
  }
  return ASP_OK;
}

/* l (constrained rows): the solution of C M^-1 F l = right nearest to `near` (rows of the formulation, or NULL). motion
 * may be NULL. */
static AspError solve_system(const ConstrainedSystem *system, const double *right, const double *near, double *l,
                             AspConstrainedMotion *motion) {
  AspArena *arena = system->formulation->arena;
  int *order, *start, islands;
  ASP_TRY(find_islands(system, &order, &start, &islands));
  for (int k = 0; k < islands; k++) {
    AspArenaMark mark = asp_arena_mark(arena);
    Island island = {order + start[k], start[k + 1] - start[k]};
    bool slides = false;
    double *A;
    int rank;
    ASP_TRY(solve_island(system, &island, right, near, &A, l, &rank));
    for (int i = 0; i < island.count; i++)
      slides = slides || system->row[island.row[i]].slides;
    if (motion && slides && rank == island.count)
      ASP_TRY(find_jam(system, &island, A, l, motion));
    if (motion)
      motion->largest = island.count > motion->largest ? island.count : motion->largest;
    asp_arena_rewind(arena, mark);
  }
  return ASP_OK;
}

AspError asp_solve_constrained(const AspFormulation *formulation, const AspState *state, const double *near,
                               AspConstrainedMotion *motion) {
  AspArena *arena = formulation->arena;
  ConstrainedSystem system = {.formulation = formulation};
  ASP_TRY(make_system(&system, state, true));
  double *right = ASP_TAKE(arena, double, system.count), *l = ASP_TAKE(arena, double, system.count);
  *motion = (AspConstrainedMotion){.r = ASP_TAKE(arena, double, formulation->rows),
                                   .acceleration = ASP_TAKE(arena, double, asp_model_dof_count(formulation->model)),
                                   .jam_block = -1};
  if (!right || !l || !motion->r || !motion->acceleration)
    return ASP_ERROR_MEMORY;
  free_acceleration(&system, motion->r, motion->acceleration);
  for (int i = 0; i < system.count; i++) {
    int k = system.row[i].row;
    right[i] = -row_of_dofs(&system, &formulation->row[k], motion->acceleration) - formulation->shift[k] -
               formulation->known[k];
  }
  ASP_TRY(solve_system(&system, right, near, l, motion));
  for (int i = 0; i < system.count; i++)
    add_motion(&system, &system.row[i], l[i], motion->acceleration);
  spread_reactions(&system, l, motion->r);
  return ASP_OK;
}

AspError asp_correct_constrained(const AspFormulation *formulation, const AspState *state, const double *error,
                                 double **x) {
  AspArena *arena = formulation->arena;
  ConstrainedSystem system = {.formulation = formulation};
  ASP_TRY(make_system(&system, state, false));
  double *right = ASP_TAKE(arena, double, system.count), *l = ASP_TAKE(arena, double, system.count);
  double *dofs = ASP_TAKE(arena, double, asp_model_dof_count(formulation->model));
  int n = system.n;
  *x = ASP_TAKE(arena, double, asp_model_v_size(formulation->model));
  if (!right || !l || !dofs || !*x)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < system.count; i++)
    right[i] = -error[system.row[i].row];
  ASP_TRY(solve_system(&system, right, NULL, l, NULL));
  for (int i = 0; i < system.count; i++)
    add_motion(&system, &system.row[i], l[i], dofs);
  for (int body = 0; body < asp_model_body_count(formulation->model); body++)
    if (is_dynamic(&system, body))
      memcpy(*x + (size_t)(n * body), dofs + asp_model_body_dof(formulation->model, body), (size_t)n * sizeof **x);
  return ASP_OK;
}
