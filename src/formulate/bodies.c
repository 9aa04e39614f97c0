/* The bodies of the problem and which of them each block acts on, as rows, beams and load couplings say it: solvers
 * need not conclude it from H. A body of the problem is a component of M: a rigid body, a beam with its inner
 * unknowns, or several of them that stiff elements couple. The load couplings of one block, dofs without mass
 * coupling, count as one body. Depends on columns.c (where bodies have their dofs) and load_coupling.c (entries in
 * ascending order of their rows). */
#include "base/parallel.h"
#include "formulate/formulate.h"
#include "formulate/tuning/formulate.h"
#include "linalg/sparse.h"

#include <assert.h>

#define BLOCK_BODIES (ASP_COLUMN_MAX + BODIES_BLOCK_COUPLINGS)

/* ---- load couplings ---- */

static int block_of_row(const AspFormulation *formulation, int row) {
  int low = 0, high = formulation->blocks - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (formulation->offset[middle] <= row)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* The couplings are the last components, each alone; those in a row that press the same block become one. A coupling
 * presses the last of the rows that it couples. */
static AspError join_couplings(const AspFormulation *formulation, AspComponents *sets) {
  int couplings = formulation->problem.dofs - asp_model_dof_count(formulation->model) - formulation->inner;
  int base = formulation->problem.dofs - couplings, last = -1;
  if (couplings <= 0)
    return ASP_OK;
  int *pressed = ASP_TAKE(formulation->arena, int, couplings); // 1 + block; 0: none
  if (!pressed)
    return ASP_ERROR_MEMORY;
  for (int e = 0; e < formulation->entries; e++)
    pressed[formulation->entry[e].coupling] = 1 + block_of_row(formulation, formulation->entry[e].row);
  sets->count -= couplings;
  for (int c = 0; c < couplings; c++) {
    if (pressed[c] != last)
      sets->count++;
    last = pressed[c];
    sets->of[base + c] = sets->count - 1;
    sets->start[sets->count] = base + c + 1;
  }
  return ASP_OK;
}

/* ---- blocks ---- */

/* Insert a set into the ascending list; its new length. */
static int insert(int set, int *list, int count) {
  int at = count;
  while (at > 0 && list[at - 1] > set)
    at--;
  if (at > 0 && list[at - 1] == set)
    return count;
  assert(count < BLOCK_BODIES);
  for (int k = count; k > at; k--)
    list[k] = list[k - 1];
  list[at] = set;
  return count + 1;
}

static int insert_dofs(const AspComponents *sets, int first, int dofs, int *list, int count) {
  for (int k = 0; k < dofs; k++)
    count = insert(sets->of[first + k], list, count);
  return count;
}

/* The dofs of a body: its own are in one set, those that a station has of a beam may not be. */
static int insert_body(const AspFormulation *formulation, const AspComponents *sets, int body, int *list, int count) {
  int station = formulation->station[body], dof = formulation->dof[body];
  if (station >= 0)
    return insert_dofs(sets, formulation->map[station].dof, formulation->map[station].count, list, count);
  return dof >= 0 ? insert(sets->of[dof], list, count) : count;
}

/* The couplings that the rows from `first` to `end` - 1 couple to. */
static int insert_couplings(const AspFormulation *formulation, const AspComponents *sets, int first, int end, int *list,
                            int count) {
  int base = asp_model_dof_count(formulation->model) + formulation->inner;
  int low = 0, high = formulation->entries;
  while (low < high) {
    int middle = (low + high) / 2;
    if (formulation->entry[middle].row < first)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < formulation->entries && formulation->entry[low].row < end; low++)
    count = insert(sets->of[base + formulation->entry[low].coupling], list, count);
  return count;
}

/* The sets that block b acts on, ascending; how many. */
static int list_block(const AspFormulation *formulation, const AspComponents *sets, int b, int list[BLOCK_BODIES]) {
  const AspBlockTag *tag = &formulation->tag[b];
  int first = formulation->offset[b], end = formulation->offset[b + 1], count = 0;
  if (tag->body_a >= 0) {
    count = insert_body(formulation, sets, tag->body_a, list, count);
    count = insert_body(formulation, sets, tag->body_b, list, count);
  }
  for (int k = first; k < end && tag->body_a < 0; k++) {
    const AspStretchRow *stretch = asp_stretch_of(formulation, k);
    if (stretch) {
      count = insert_dofs(sets, stretch->dof, stretch->count, list, count);
      continue;
    }
    const AspRow *row = &formulation->row[k];
    if (k > first && !row->more && !row[-1].more && row->body_a == row[-1].body_a && row->body_b == row[-1].body_b)
      continue; // as the one before
    for (const AspRow *part = row; part; part = part->more) {
      count = insert_body(formulation, sets, part->body_a, list, count);
      count = insert_body(formulation, sets, part->body_b, list, count);
    }
  }
  return formulation->entries > 0 ? insert_couplings(formulation, sets, first, end, list, count) : count;
}

typedef struct Listing {
  const AspFormulation *formulation;
  const AspComponents *sets;
  AspProblemBodies *bodies;
} Listing;

static void count_bodies(void *data, int from, int end) {
  const Listing *listing = data;
  int list[BLOCK_BODIES];
  for (int b = from; b < end; b++)
    listing->bodies->block_start[b + 1] = list_block(listing->formulation, listing->sets, b, list);
}

static void write_bodies(void *data, int from, int end) {
  const Listing *listing = data;
  int list[BLOCK_BODIES];
  for (int b = from; b < end; b++) {
    int count = list_block(listing->formulation, listing->sets, b, list);
    memcpy(listing->bodies->of_block + listing->bodies->block_start[b], list, (size_t)count * sizeof *list);
  }
}

AspError asp_formulate_bodies(AspFormulation *formulation) {
  AspArena *arena = formulation->arena;
  AspContactProblem *problem = &formulation->problem;
  AspProblemBodies *bodies = &problem->bodies;
  AspComponents sets;
  *bodies = (AspProblemBodies){0};
  if (problem->dofs == 0)
    return ASP_OK;
  ASP_TRY(asp_sparse_components(arena, &problem->M, &sets));
  ASP_TRY(join_couplings(formulation, &sets));
  bodies->start = sets.start;
  bodies->dof = sets.member;
  bodies->of = sets.of;
  bodies->block_start = ASP_TAKE_UNCLEARED(arena, int, (size_t)formulation->blocks + 1);
  if (!bodies->block_start)
    return ASP_ERROR_MEMORY;
  bodies->block_start[0] = 0;
  Listing listing = {formulation, &sets, bodies};
  asp_parallel_for(arena->context, formulation->blocks, BODIES_GRAIN, count_bodies, &listing);
  for (int b = 0; b < formulation->blocks; b++)
    bodies->block_start[b + 1] += bodies->block_start[b];
  bodies->of_block = ASP_TAKE_UNCLEARED(arena, int, bodies->block_start[formulation->blocks]);
  if (!bodies->of_block)
    return ASP_ERROR_MEMORY;
  asp_parallel_for(arena->context, formulation->blocks, BODIES_GRAIN, write_bodies, &listing);
  bodies->count = sets.count;
  return ASP_OK;
}
