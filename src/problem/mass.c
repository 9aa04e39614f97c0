/* M^-1 of a contact problem by components: see mass.h. */
#include "problem/mass.h"

#include "base/parallel.h"
#include "linalg/small.h"
#include "problem/rigid.h"
#include "problem/tuning/problem.h"

void asp_mass_init(AspMass *mass, AspContext *context) {
  *mass = (AspMass){.context = context};
  asp_mass_core_init(&mass->core, context);
}

void asp_mass_free(AspMass *mass) {
  asp_mass_core_free(&mass->core);
  *mass = (AspMass){0};
}

static AspError singular(AspMass *mass, int dof) {
  return asp_fail(
      mass->context, ASP_ERROR_INPUT,
      "M is singular at dof %d: every dof needs a positive mass, and masses and stiffnesses that meet in one "
      "matrix must not be so far apart that rounding swallows the smaller",
      dof);
}

/* Mass and inertia where component b is a rigid body with six dofs in a row. */
static void note_rigid_body(AspMass *mass, int b, const double *M) {
  const int *member = mass->components.member + mass->components.start[b];
  double m = 0, *J = mass->rigid[b].inertia;
  bool rigid =
      member[5] == member[0] + 5 && asp_rigid_split(M, &m, J) && asp_rigid_inverse(J, mass->rigid[b].inverse_inertia);
  bool diagonal = rigid && J[1] == 0 && J[2] == 0 && J[4] == 0;
  mass->rigid[b].inverse_mass = rigid && isfinite(1 / m) ? 1 / m : 0;
  mass->rigid[b].mass = m;
  mass->rigid[b].diagonal[0] = diagonal ? J[0] : 0;
  mass->rigid[b].diagonal[1] = diagonal ? J[3] : 0;
  mass->rigid[b].diagonal[2] = diagonal ? J[5] : 0;
}

/* The entries of component b as a dense matrix by columns: where they stand in M in this order already, there; else
 * copied to A. */
static const double *dense_block(const AspMass *mass, const AspSparse *M, int b, double *A) {
  const AspComponents *c = &mass->components;
  const int *member = c->member + c->start[b];
  int size = c->start[b + 1] - c->start[b], from = M->start[member[0]];
  if (member[size - 1] == member[0] + size - 1 && M->start[member[size - 1] + 1] - from == size * size)
    return M->value + from;
  memset(A, 0, (size_t)(size * size) * sizeof *A);
  for (int l = 0; l < size; l++)
    for (int k = M->start[member[l]]; k < M->start[member[l] + 1]; k++)
      A[mass->place[M->row[k]] + l * size] = M->value[k];
  return A;
}

/* False when the block is singular. */
static bool factor_block(AspMass *mass, const AspSparse *M, int b) {
  const AspComponents *c = &mass->components;
  int size = c->start[b + 1] - c->start[b], *pivot = mass->pivot + c->start[b];
  double *A = mass->LU + mass->at[b];
  const double *entries = dense_block(mass, M, b, A);
  mass->rigid[b] = (AspMassRigid){0};
  if (size == 6)
    note_rigid_body(mass, b, entries);
  if (mass->rigid[b].inverse_mass > 0)
    return true;
  if (entries != A)
    memcpy(A, entries, (size_t)(size * size) * sizeof *A);
  return size == 6 ? asp_lu6(A, pivot) : asp_small_lu(size, A, pivot);
}

/* Components of M, and which are regular. */
typedef struct Factoring {
  AspMass *mass;
  const AspSparse *M;
  bool *regular;
} Factoring;

static void factor_range(void *data, int from, int end) {
  const Factoring *factoring = data;
  for (int b = from; b < end; b++)
    factoring->regular[b] = factor_block(factoring->mass, factoring->M, b);
}

static AspError factor_blocks(AspMass *mass, AspArena *arena, const AspSparse *M) {
  const AspComponents *c = &mass->components;
  mass->at = ASP_TAKE_UNCLEARED(arena, size_t, (size_t)c->count + 1);
  if (!mass->at)
    return ASP_ERROR_MEMORY;
  mass->at[0] = 0;
  for (int b = 0; b < c->count; b++) {
    size_t size = (size_t)(c->start[b + 1] - c->start[b]);
    mass->at[b + 1] = mass->at[b] + size * size;
  }
  mass->LU = ASP_TAKE_UNCLEARED(arena, double, mass->at[c->count]);
  mass->pivot = ASP_TAKE_UNCLEARED(arena, int, mass->dofs);
  mass->rigid = ASP_TAKE_UNCLEARED(arena, AspMassRigid, c->count);
  bool *regular = ASP_TAKE_UNCLEARED(arena, bool, c->count);
  if (!mass->LU || !mass->pivot || !mass->rigid || !regular)
    return ASP_ERROR_MEMORY;
  asp_parallel_for(mass->context, c->count, MASS_GRAIN, factor_range, &(Factoring){mass, M, regular});
  for (int b = 0; b < c->count; b++)
    if (!regular[b])
      return singular(mass, c->member[c->start[b]]);
  return ASP_OK;
}

/* Of M's components; where they are small blocks, the places of dofs in them. */
static AspError take_components(AspMass *mass, AspArena *arena, const AspSparse *M) {
  if (asp_mass_core_fits(&mass->core, M)) { // a sparse M of the pattern that was factored last
    mass->components = mass->core.components;
    mass->is_blocks = false;
    return ASP_OK;
  }
  ASP_TRY(asp_sparse_components(arena, M, &mass->components));
  const AspComponents *c = &mass->components;
  mass->is_blocks = true;
  for (int b = 0; b < c->count; b++)
    mass->is_blocks = mass->is_blocks && c->start[b + 1] - c->start[b] <= ASP_MASS_BLOCK;
  return ASP_OK;
}

static AspError factor_sparse(AspMass *mass, AspArena *arena, const AspSparse *M) {
  int dof;
  ASP_TRY(asp_mass_core_factor(&mass->core, M, &dof));
  if (dof >= 0)
    return singular(mass, dof);
  mass->components = mass->core.components;
  mass->work = ASP_TAKE(arena, double, mass->core.is_symmetric ? 0 : (size_t)mass->dofs *ASP_MASS_PANEL);
  return mass->work ? ASP_OK : ASP_ERROR_MEMORY;
}

AspError asp_mass_factor(AspMass *mass, AspArena *arena, const AspContactProblem *problem) {
  const AspSparse *M = &problem->M;
  mass->dofs = M->columns;
  ASP_TRY(take_components(mass, arena, M));
  ASP_TRY(asp_bodies_take(arena, problem, &mass->components, &mass->bodies));
  const AspComponents *c = &mass->components;
  mass->visit = 0;
  mass->seen = ASP_TAKE(arena, int, c->count);
  mass->touched = ASP_TAKE_UNCLEARED(arena, int, (size_t)c->count + 1);
  if (!mass->seen || !mass->touched)
    return ASP_ERROR_MEMORY;
  if (!mass->is_blocks)
    return factor_sparse(mass, arena, M);
  mass->place = ASP_TAKE_UNCLEARED(arena, int, mass->dofs);
  mass->work = ASP_TAKE(arena, double, mass->dofs);
  if (!mass->place || !mass->work)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < c->count; b++)
    for (int k = c->start[b]; k < c->start[b + 1]; k++)
      mass->place[c->member[k]] = k - c->start[b];
  return factor_blocks(mass, arena, M);
}

/* x := M_b^-1 x for the dofs of component b */
static void solve_block(const AspMass *mass, int b, double *x) {
  const AspComponents *c = &mass->components;
  const int *member = c->member + c->start[b], *pivot = mass->pivot + c->start[b];
  const double *LU = mass->LU + mass->at[b];
  int size = c->start[b + 1] - c->start[b];
  if (size == 1) {
    x[member[0]] /= LU[0];
    return;
  }
  const AspMassRigid *rigid = &mass->rigid[b];
  if (rigid->inverse_mass > 0) {
    double *v = x + member[0], *w = v + 3, t[3] = {w[0], w[1], w[2]};
    const double *J = rigid->inverse_inertia;
    for (int l = 0; l < 3; l++)
      v[l] /= rigid->mass;
    if (rigid->diagonal[0] > 0) { // divided, not multiplied: what cancels exactly shall do so
      for (int l = 0; l < 3; l++)
        w[l] /= rigid->diagonal[l];
      return;
    }
    w[0] = J[0] * t[0] + J[1] * t[1] + J[2] * t[2];
    w[1] = J[1] * t[0] + J[3] * t[1] + J[4] * t[2];
    w[2] = J[2] * t[0] + J[4] * t[1] + J[5] * t[2];
    return;
  }
  double z[ASP_MASS_BLOCK];
  for (int l = 0; l < size; l++)
    z[l] = x[member[l]];
  if (size == 6)
    asp_lu6_solve(LU, pivot, z);
  else
    asp_small_lu_solve(size, LU, pivot, z);
  for (int l = 0; l < size; l++)
    x[member[l]] = z[l];
}

typedef struct Solving {
  const AspMass *mass;
  double *x;
} Solving;

static void solve_range(void *data, int from, int end) {
  const Solving *solving = data;
  for (int b = from; b < end; b++)
    solve_block(solving->mass, b, solving->x);
}

AspError asp_mass_solve(AspMass *mass, double *x) {
  if (!mass->is_blocks)
    return asp_mass_core_solve(&mass->core, 1, x);
  asp_parallel_for(mass->context, mass->components.count, MASS_GRAIN, solve_range, &(Solving){mass, x});
  return ASP_OK;
}

/* The components of the bodies of some blocks, each once, ended by -1. */
static void list_touched(AspMass *mass, int block, int block_end, int *touched) {
  const AspProblemBodies *bodies = &mass->bodies;
  int last = 0;
  mass->visit++;
  for (int k = bodies->block_start[block]; k < bodies->block_start[block_end]; k++)
    for (int l = bodies->start[bodies->of_block[k]]; l < bodies->start[bodies->of_block[k] + 1]; l++) {
      int c = mass->components.of[bodies->dof[l]];
      if (mass->seen[c] != mass->visit)
        touched[last++] = c;
      mass->seen[c] = mass->visit;
    }
  touched[last] = -1;
}

/* z := column j of H */
static void scatter_column(const AspSparse *H, int j, double *z) {
  for (int k = H->start[j]; k < H->start[j + 1]; k++)
    z[H->row[k]] = H->value[k];
}

AspError asp_mass_solve_columns(AspMass *mass, const AspContactProblem *problem, AspMassColumns columns, double *Z,
                                int *touched) {
  for (int l = 0; l < columns.count; l++)
    scatter_column(&problem->H, columns.first + l, Z + (size_t)l * (size_t)mass->dofs);
  touched[0] = -1;
  if (!mass->is_blocks)
    return asp_mass_core_solve(&mass->core, columns.count, Z);
  list_touched(mass, columns.block, columns.block_end, touched);
  for (int l = 0; l < columns.count; l++)
    for (int t = 0; touched[t] >= 0; t++)
      solve_block(mass, touched[t], Z + (size_t)l * (size_t)mass->dofs);
  return ASP_OK;
}

void asp_mass_clear_columns(const AspMass *mass, int count, double *Z, const int *touched) {
  const AspComponents *c = &mass->components;
  if (!mass->is_blocks)
    memset(Z, 0, (size_t)count * (size_t)mass->dofs * sizeof *Z);
  for (int t = 0; touched[t] >= 0; t++)
    for (int k = c->start[touched[t]]; k < c->start[touched[t] + 1]; k++)
      for (int l = 0; l < count; l++)
        Z[(size_t)l * (size_t)mass->dofs + (size_t)c->member[k]] = 0;
}

/* ---- diag(W) ---- */

/* The diagonal's entry of a column of the block that is made of whole rigid bodies; -1 when it is not. */
static double rigid_diagonal(const AspMass *mass, const AspSparse *H, int block, int column) {
  const AspProblemBodies *bodies = &mass->bodies;
  int e = H->start[column], end = H->start[column + 1];
  double entry = 0;
  for (int k = bodies->block_start[block]; k < bodies->block_start[block + 1] && e < end; k++) {
    int first = bodies->dof[bodies->start[bodies->of_block[k]]];
    const AspMassRigid *body = asp_mass_rigid_at(mass, first);
    if (body && e + 6 <= end && H->row[e] == first && H->row[e + 5] == first + 5) {
      entry += asp_mass_rigid_square(body, H->value + e);
      e += 6;
    }
  }
  return e == end ? entry : -1;
}

typedef struct Diagonal {
  const AspMass *mass;
  const AspContactProblem *problem;
  double *entry;
} Diagonal;

static void diagonal_range(void *data, int from, int end) {
  const Diagonal *diagonal = data;
  const AspContactProblem *problem = diagonal->problem;
  for (int i = from; i < end; i++)
    for (int j = problem->offset[i]; j < problem->offset[i + 1]; j++)
      diagonal->entry[j] = rigid_diagonal(diagonal->mass, &problem->H, i, j);
}

/* H_j^T z of the columns, whose z = M^-1 H_j stand in the work space; it is cleared. */
static void multiply_columns(AspMass *mass, const AspSparse *H, int first, int count, double *diagonal) {
  for (int l = 0; l < count; l++) {
    const double *z = mass->work + (size_t)l * (size_t)mass->dofs;
    diagonal[first + l] = 0;
    for (int k = H->start[first + l]; k < H->start[first + l + 1]; k++)
      diagonal[first + l] += H->value[k] * z[H->row[k]];
  }
  asp_mass_clear_columns(mass, count, mass->work, mass->touched);
}

AspError asp_mass_delassus_diagonal(AspMass *mass, AspArena *arena, const AspContactProblem *problem,
                                    double *diagonal) {
  const AspSparse *H = &problem->H;
  if (!mass->is_blocks && mass->core.is_symmetric)
    return asp_mass_core_squares(&mass->core, arena, H, diagonal);
  for (int first = 0; first < H->columns && !mass->is_blocks; first += ASP_MASS_PANEL) {
    int count = H->columns - first < ASP_MASS_PANEL ? H->columns - first : ASP_MASS_PANEL;
    ASP_TRY(asp_mass_solve_columns(mass, problem, (AspMassColumns){.first = first, .count = count}, mass->work,
                                   mass->touched));
    multiply_columns(mass, H, first, count, diagonal);
  }
  if (!mass->is_blocks)
    return ASP_OK;
  asp_parallel_for(mass->context, problem->blocks, 2 * MASS_GRAIN, diagonal_range,
                   &(Diagonal){mass, problem, diagonal});
  for (int i = 0; i < problem->blocks; i++) {
    bool listed = false;
    for (int j = problem->offset[i]; j < problem->offset[i + 1]; j++) {
      if (diagonal[j] != -1)
        continue;
      if (!listed)
        list_touched(mass, i, i + 1, mass->touched);
      listed = true;
      scatter_column(H, j, mass->work);
      for (int t = 0; mass->touched[t] >= 0; t++)
        solve_block(mass, mass->touched[t], mass->work);
      multiply_columns(mass, H, j, 1, diagonal);
    }
  }
  return ASP_OK;
}
