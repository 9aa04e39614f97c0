/* Connected parts of a contact problem by union of sets, and the problem of one part. See islands.h. */
#include "solver/islands.h"

#include "base/disjoint_sets.h"
#include "base/parallel.h"
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

/* Is the component these six dofs in a row? */
static bool is_six_from(const AspComponents *components, int c, int dof) {
  const int *member = components->member + components->start[c];
  return components->start[c + 1] - components->start[c] == 6 && member[0] == dof && member[5] == dof + 5;
}

/* Do the entries of column j stand in the same rows as those of the column before? */
static bool has_rows_of_last(const AspSparse *H, int j) {
  int first = H->start[j], size = H->start[j + 1] - first;
  return first - H->start[j - 1] == size &&
         memcmp(H->row + first, H->row + first - size, (size_t)size * sizeof(int)) == 0;
}

/* The components of M that a block acts on, -1: none; most blocks act on one or two. */
typedef struct Touched {
  int component[2];
  bool more;
} Touched;

typedef struct Touching {
  const AspContactProblem *problem;
  const AspComponents *components;
  Touched *touched; /* blocks */
} Touching;

static void add_touched(Touched *touched, int component) {
  int *known = touched->component;
  if (component == known[0] || component == known[1])
    return;
  touched->more = touched->more || known[1] >= 0;
  known[known[0] < 0 ? 0 : 1] = component;
}

static void touch_blocks(void *data, int from, int end) {
  const Touching *touching = data;
  const AspContactProblem *problem = touching->problem;
  const AspComponents *components = touching->components;
  const AspSparse *H = &problem->H;
  for (int i = from; i < end; i++) {
    Touched *touched = &touching->touched[i];
    *touched = (Touched){.component = {-1, -1}};
    for (int j = problem->offset[i]; j < problem->offset[i + 1]; j++) {
      if (j > problem->offset[i] && has_rows_of_last(H, j))
        continue;
      for (int k = H->start[j], last = H->start[j + 1]; k < last; k++) {
        int c = components->of[H->row[k]];
        add_touched(touched, c);
        if (k + 5 < last && H->row[k + 5] == H->row[k] + 5 && is_six_from(components, c, H->row[k]))
          k += 5; // the whole body
      }
    }
  }
}

/* Block i acts on component c; owner[c]: a block that does, or -1. */
static void join(int *parent, int *owner, int c, int i) {
  if (owner[c] < 0)
    owner[c] = i;
  else
    asp_unite_sets(parent, owner[c], i);
}

#define GRAIN 256 /* blocks worth a thread */

/* Join the blocks that share a component of M. */
static AspError join_by_bodies(AspArena *arena, const AspContactProblem *problem, int *parent, int *of_dof) {
  AspComponents components;
  ASP_TRY(asp_sparse_components(arena, &problem->M, &components));
  int *owner = ASP_TAKE_UNCLEARED(arena, int, components.count);
  Touched *touched = ASP_TAKE_UNCLEARED(arena, Touched, problem->blocks);
  if (!owner || !touched)
    return ASP_ERROR_MEMORY;
  asp_parallel_for(arena->context, problem->blocks, GRAIN, touch_blocks, &(Touching){problem, &components, touched});
  for (int c = 0; c < components.count; c++)
    owner[c] = -1;
  for (int i = 0; i < problem->blocks; i++) {
    for (int k = 0; k < 2 && touched[i].component[k] >= 0; k++)
      join(parent, owner, touched[i].component[k], i);
    int first = problem->H.start[problem->offset[i]], end = problem->H.start[problem->offset[i + 1]];
    for (int k = first; k < end && touched[i].more; k++)
      join(parent, owner, components.of[problem->H.row[k]], i);
  }
  for (int j = 0; j < problem->dofs; j++)
    of_dof[j] = owner[components.of[j]];
  return ASP_OK;
}

static void join_by_coupling(const AspContactProblem *problem, int *parent) {
  for (int i = 0; i < problem->blocks; i++)
    for (int k = problem->W.start[problem->offset[i]]; k < problem->W.start[problem->offset[i + 1]]; k++)
      if (problem->W.value[k] != 0)
        asp_unite_sets(parent, i, block_of_row(problem, problem->W.row[k]));
}

AspError asp_islands_find(AspArena *arena, const AspContactProblem *problem, AspIslands *islands) {
  int blocks = problem->blocks, dofs = problem->dofs;
  *islands = (AspIslands){0};
  int *parent = ASP_TAKE_UNCLEARED(arena, int, blocks), *of_dof = ASP_TAKE_UNCLEARED(arena, int, dofs);
  islands->of_block = ASP_TAKE_UNCLEARED(arena, int, blocks);
  islands->start = ASP_TAKE(arena, int, (size_t)blocks + 1);
  islands->block = ASP_TAKE_UNCLEARED(arena, int, blocks);
  islands->dof_start = ASP_TAKE(arena, int, (size_t)blocks + 1);
  islands->dof = ASP_TAKE_UNCLEARED(arena, int, dofs);
  islands->place_of_dof = ASP_TAKE_UNCLEARED(arena, int, dofs);
  islands->place_of_row = ASP_TAKE_UNCLEARED(arena, int, dofs > 0 ? 0 : problem->rows);
  if (!parent || !of_dof || !islands->of_block || !islands->start || !islands->block || !islands->dof_start ||
      !islands->dof || !islands->place_of_dof || !islands->place_of_row)
    return ASP_ERROR_MEMORY;
  asp_sets_begin(blocks, parent);
  if (dofs > 0)
    ASP_TRY(join_by_bodies(arena, problem, parent, of_dof));
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
  if (part->dofs == 0) { // blocks between immobile bodies: u = w whatever r is
    part->q = part->w;
    return asp_sparse_take(arena, part->rows, part->rows, 0, &part->W);
  }
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
  return entries * (sizeof(int) + sizeof(double)) + (rows + dofs) * 4 * sizeof(double) +
         blocks * (sizeof(AspLaw) + sizeof(int)) + 64 * 16;
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
