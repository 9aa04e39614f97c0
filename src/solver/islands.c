/* Connected parts of a contact problem by union of sets, and the problem of one part. See islands.h. */
#include "solver/islands.h"

#include "base/disjoint_sets.h"
#include "linalg/sparse.h"

static int block_of_row(const AspContactProblem *problem, int row) {
  int low = 0, high = problem->blocks - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (problem->offset[middle] <= row)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* Join the blocks that act on the same body; of_dof: a block that acts on the dof's body, or -1. */
static AspError join_by_bodies(AspArena *arena, const AspContactProblem *problem, const AspProblemBodies *bodies,
                               int *parent, int *of_dof) {
  int *owner = ASP_TAKE_UNCLEARED(arena, int, bodies->count); // a block that acts on the body, or -1
  if (!owner)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < bodies->count; b++)
    owner[b] = -1;
  for (int i = 0; i < problem->blocks; i++)
    for (int k = bodies->block_start[i]; k < bodies->block_start[i + 1]; k++) {
      int b = bodies->of_block[k];
      if (owner[b] < 0)
        owner[b] = i;
      else
        asp_unite_sets(parent, owner[b], i);
    }
  for (int j = 0; j < problem->dofs; j++)
    of_dof[j] = owner[bodies->of[j]];
  return ASP_OK;
}

static void join_by_coupling(const AspContactProblem *problem, int *parent) {
  for (int i = 0; i < problem->blocks; i++)
    for (int k = problem->W.start[problem->offset[i]]; k < problem->W.start[problem->offset[i + 1]]; k++)
      if (problem->W.value[k] != 0)
        asp_unite_sets(parent, i, block_of_row(problem, problem->W.row[k]));
}

AspError asp_islands_find(AspArena *arena, const AspContactProblem *problem, const AspProblemBodies *bodies,
                          AspIslands *islands) {
  int blocks = problem->blocks, dofs = problem->dofs;
  *islands = (AspIslands){0};
  if (dofs > 0 && bodies)
    islands->bodies = *bodies;
  else if (dofs > 0)
    ASP_TRY(asp_bodies_find(arena, problem, &islands->bodies));
  int *parent = ASP_TAKE_UNCLEARED(arena, int, blocks), *of_dof = ASP_TAKE_UNCLEARED(arena, int, dofs);
  islands->of_block = ASP_TAKE_UNCLEARED(arena, int, blocks);
  islands->start = ASP_TAKE(arena, int, (size_t)blocks + 1);
  islands->block = ASP_TAKE_UNCLEARED(arena, int, blocks);
  islands->dof_start = ASP_TAKE(arena, int, (size_t)blocks + 1);
  islands->dof = ASP_TAKE_UNCLEARED(arena, int, dofs);
  islands->place_of_dof = ASP_TAKE_UNCLEARED(arena, int, dofs);
  islands->place_of_row = ASP_TAKE_UNCLEARED(arena, int, dofs > 0 ? 0 : problem->rows);
  islands->place_of_body = ASP_TAKE_UNCLEARED(arena, int, islands->bodies.count);
  if (!parent || !of_dof || !islands->of_block || !islands->start || !islands->block || !islands->dof_start ||
      !islands->dof || !islands->place_of_dof || !islands->place_of_row || !islands->place_of_body)
    return ASP_ERROR_MEMORY;
  asp_sets_begin(blocks, parent);
  if (dofs > 0)
    ASP_TRY(join_by_bodies(arena, problem, &islands->bodies, parent, of_dof));
  else
    join_by_coupling(problem, parent);
  islands->count = asp_sets_number(blocks, parent, islands->of_block);
  for (int j = 0; j < dofs; j++)
    of_dof[j] = of_dof[j] < 0 ? -1 : islands->of_block[of_dof[j]];
  asp_list_by_owner(blocks, islands->of_block, islands->count, islands->start, islands->block);
  asp_list_by_owner(dofs, of_dof, islands->count, islands->dof_start, islands->dof);
  return ASP_OK;
}

/* Places of an island's dofs within it, in local form of its rows. */
static void number_within(const AspContactProblem *problem, const AspIslands *islands, int k) {
  int rows = 0;
  for (int d = islands->dof_start[k]; d < islands->dof_start[k + 1]; d++)
    islands->place_of_dof[islands->dof[d]] = d - islands->dof_start[k];
  for (int b = islands->start[k]; problem->dofs == 0 && b < islands->start[k + 1]; b++)
    for (int j = problem->offset[islands->block[b]]; j < problem->offset[islands->block[b] + 1]; j++)
      islands->place_of_row[j] = rows++;
}

/* B = the columns of A listed, its rows renumbered by `place`. */
static AspError columns_of(AspArena *arena, const AspSparse *A, int rows, const int *place, int columns,
                           const int *column, AspSparse *B) {
  int entries = 0;
  for (int c = 0; c < columns; c++)
    entries += A->start[column[c] + 1] - A->start[column[c]];
  ASP_TRY(asp_sparse_take(arena, rows, columns, entries, B));
  entries = 0;
  for (int c = 0; c < columns; c++) {
    for (int k = A->start[column[c]]; k < A->start[column[c] + 1]; k++) {
      B->row[entries] = place[A->row[k]];
      B->value[entries++] = A->value[k];
    }
    B->start[c + 1] = entries;
  }
  return ASP_OK;
}

/* Number the bodies of island k by their first dofs. How many. */
static int number_bodies(const AspIslands *islands, int k) {
  const AspProblemBodies *bodies = &islands->bodies;
  int count = 0;
  for (int d = islands->dof_start[k]; d < islands->dof_start[k + 1]; d++) {
    int dof = islands->dof[d], body = bodies->of[dof];
    if (bodies->dof[bodies->start[body]] == dof)
      islands->place_of_body[body] = count++;
  }
  return count;
}

static AspError extract_bodies(AspArena *arena, const AspIslands *islands, int k, AspContactProblem *part) {
  const AspProblemBodies *bodies = &islands->bodies;
  const int *block = islands->block + islands->start[k];
  AspProblemBodies *own = &part->bodies;
  int entries = 0, place = 0;
  for (int i = 0; i < part->blocks; i++)
    entries += bodies->block_start[block[i] + 1] - bodies->block_start[block[i]];
  own->count = number_bodies(islands, k);
  own->start = ASP_TAKE(arena, int, (size_t)own->count + 1);
  own->dof = ASP_TAKE_UNCLEARED(arena, int, part->dofs);
  own->of = ASP_TAKE_UNCLEARED(arena, int, part->dofs);
  own->block_start = ASP_TAKE(arena, int, (size_t)part->blocks + 1);
  own->of_block = ASP_TAKE_UNCLEARED(arena, int, entries);
  if (!own->start || !own->dof || !own->of || !own->block_start || !own->of_block)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < part->blocks; i++) {
    int at = own->block_start[i];
    for (int l = bodies->block_start[block[i]]; l < bodies->block_start[block[i] + 1]; l++)
      own->of_block[at++] = islands->place_of_body[bodies->of_block[l]];
    own->block_start[i + 1] = at;
  }
  for (int d = islands->dof_start[k]; d < islands->dof_start[k + 1]; d++) {
    int body = bodies->of[islands->dof[d]], first = bodies->start[body];
    own->of[d - islands->dof_start[k]] = islands->place_of_body[body];
    if (bodies->dof[first] != islands->dof[d])
      continue;
    for (int l = first; l < bodies->start[body + 1]; l++)
      own->dof[place++] = islands->place_of_dof[bodies->dof[l]];
    own->start[islands->place_of_body[body] + 1] = place;
  }
  return ASP_OK;
}

static AspError extract_global(AspArena *arena, const AspContactProblem *problem, const AspIslands *islands, int k,
                               AspContactProblem *part, const int *row) {
  const int *dof = islands->dof + islands->dof_start[k];
  part->dofs = islands->dof_start[k + 1] - islands->dof_start[k];
  part->f = ASP_TAKE(arena, double, part->dofs);
  part->w = ASP_TAKE(arena, double, part->rows);
  if (!part->f || !part->w)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < part->dofs; j++)
    part->f[j] = problem->f[dof[j]];
  for (int j = 0; j < part->rows; j++)
    part->w[j] = problem->w[row[j]];
  if (part->dofs == 0) { // blocks between immobile bodies: u = w for every r
    part->q = part->w;
    return asp_sparse_take(arena, part->rows, part->rows, 0, &part->W);
  }
  ASP_TRY(extract_bodies(arena, islands, k, part));
  ASP_TRY(columns_of(arena, &problem->M, part->dofs, islands->place_of_dof, part->dofs, dof, &part->M));
  return columns_of(arena, &problem->H, part->dofs, islands->place_of_dof, part->rows, row, &part->H);
}

/* Zeros that couple islands are left out. */
static AspError extract_local(AspArena *arena, const AspContactProblem *problem, const AspIslands *islands, int k,
                              AspContactProblem *part, const int *row) {
  const AspSparse *W = &problem->W;
  int entries = 0;
  part->q = ASP_TAKE(arena, double, part->rows);
  if (!part->q)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < part->rows; j++) {
    part->q[j] = problem->q[row[j]];
    entries += W->start[row[j] + 1] - W->start[row[j]];
  }
  ASP_TRY(asp_sparse_take(arena, part->rows, part->rows, entries, &part->W));
  entries = 0;
  for (int j = 0; j < part->rows; j++) {
    for (int e = W->start[row[j]]; e < W->start[row[j] + 1]; e++) {
      if (islands->of_block[block_of_row(problem, W->row[e])] != k)
        continue;
      part->W.row[entries] = islands->place_of_row[W->row[e]];
      part->W.value[entries++] = W->value[e];
    }
    part->W.start[j + 1] = entries;
  }
  return ASP_OK;
}

size_t asp_island_bytes(const AspContactProblem *problem) {
  size_t entries = (size_t)asp_sparse_entries(&problem->H) + (size_t)asp_sparse_entries(&problem->M);
  size_t rows = (size_t)problem->rows, dofs = (size_t)problem->dofs, blocks = (size_t)problem->blocks;
  size_t pairs = problem->bodies.count > 0 ? (size_t)problem->bodies.block_start[problem->blocks] : entries;
  return entries * (sizeof(int) + sizeof(double)) + (rows + dofs) * 4 * sizeof(double) +
         // exact: alignment of the arrays of an extract
         blocks * (sizeof(AspLaw) + 2 * sizeof(int)) + (3 * dofs + pairs) * sizeof(int) + 64 * 16;
}

AspError asp_island_extract(AspArena *arena, const AspContactProblem *problem, const AspIslands *islands, int k,
                            AspContactProblem *part, int **row) {
  int first = islands->start[k], blocks = islands->start[k + 1] - first;
  *part = (AspContactProblem){.dimension = problem->dimension, .blocks = blocks};
  part->offset = ASP_TAKE(arena, int, (size_t)blocks + 1);
  part->law = ASP_TAKE(arena, AspLaw, blocks);
  if (!part->offset || !part->law)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < blocks; i++) {
    int block = islands->block[first + i];
    part->law[i] = problem->law[block];
    part->offset[i + 1] = part->offset[i] + problem->offset[block + 1] - problem->offset[block];
  }
  part->rows = part->offset[blocks];
  *row = ASP_TAKE(arena, int, part->rows);
  if (!*row)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < blocks; i++)
    for (int j = part->offset[i]; j < part->offset[i + 1]; j++)
      (*row)[j] = problem->offset[islands->block[first + i]] + j - part->offset[i];
  number_within(problem, islands, k);
  return problem->dofs > 0 ? extract_global(arena, problem, islands, k, part, *row)
                           : extract_local(arena, problem, islands, k, part, *row);
}
