/* Cells of a contact problem from its graph of bodies and blocks. See asperity/partition.h.
 *
 * Halves: the bodies of a set in breadth-first order from one at the rim, cut where the cells of both sides get equal
 * numbers of bodies; then each half again. Bodies in a row of cells are neighbours, as along a space-filling curve.
 * Depends on bodies.h.
 */
#include "asperity/partition.h"

#include "problem/bodies.h"
#include "problem/tuning/problem.h"

typedef struct Halving {
  AspProblemBodies bodies;
  AspBodyBlocks blocks; /* of bodies */
  int *list;            /* bodies with blocks, in order */
  int *set;             /* bodies: where their set begins in the list; -1: they have no blocks */
  int *met;             /* bodies: the last search that met them */
  int *room;            /* bodies */
  int *cell;            /* bodies */
  int search, cells;
} Halving;

/* Breadth first from `root` through its set into queue[end ..]; the new end. */
static int spread(Halving *halving, int root, int *queue, int end) {
  const AspProblemBodies *bodies = &halving->bodies;
  int at = end, set = halving->set[root];
  queue[end++] = root;
  halving->met[root] = halving->search;
  for (; at < end; at++)
    for (int k = halving->blocks.start[queue[at]]; k < halving->blocks.start[queue[at] + 1]; k++) {
      int block = halving->blocks.block[k];
      for (int j = bodies->block_start[block]; j < bodies->block_start[block + 1]; j++) {
        int other = bodies->of_block[j];
        if (halving->met[other] == halving->search || halving->set[other] != set)
          continue;
        halving->met[other] = halving->search;
        queue[end++] = other;
      }
    }
  return end;
}

/* The bodies list[first .. end - 1] in breadth-first order, component after component, each from its rim. */
static void sort_by_distance(Halving *halving, int first, int end) {
  int *list = halving->list, *queue = halving->room, count = 0, components = 0;
  halving->search++;
  for (int k = first; k < end; k++)
    if (halving->met[list[k]] != halving->search) {
      int after = spread(halving, list[k], queue, count);
      queue[components++] = queue[after - 1]; // a body at the rim takes the place of the component's bodies
      count = components;
    }
  memcpy(list + first, queue, (size_t)components * sizeof *list);
  halving->search++;
  count = 0;
  for (int k = first; k < first + components; k++)
    count = spread(halving, list[k], queue, count);
  memcpy(list + first, queue, (size_t)count * sizeof *list);
}

static void halve(Halving *halving, int first, int end, int per_cell) {
  int count = end - first, cells = (count + per_cell - 1) / per_cell;
  if (cells <= 1) {
    for (int k = first; k < end; k++)
      halving->cell[halving->list[k]] = halving->cells;
    halving->cells += count > 0;
    return;
  }
  sort_by_distance(halving, first, end);
  int middle = first + (int)((long long)count * (cells / 2) / cells);
  for (int k = middle; k < end; k++)
    halving->set[halving->list[k]] = middle;
  halve(halving, first, middle, per_cell);
  halve(halving, middle, end, per_cell);
}

static AspError begin(Halving *halving, AspArena *arena, const AspContactProblem *problem) {
  ASP_TRY(asp_bodies_find(arena, problem, &halving->bodies));
  ASP_TRY(asp_body_blocks(arena, &halving->bodies, problem->blocks, &halving->blocks));
  int count = halving->bodies.count;
  halving->list = ASP_TAKE(arena, int, count);
  halving->set = ASP_TAKE(arena, int, count);
  halving->met = ASP_TAKE(arena, int, count);
  halving->room = ASP_TAKE(arena, int, count);
  halving->cell = ASP_TAKE(arena, int, count);
  return halving->list && halving->set && halving->met && halving->room && halving->cell ? ASP_OK : ASP_ERROR_MEMORY;
}

/* A block belongs to the lowest cell of its bodies. */
static void place_blocks(const Halving *halving, int blocks, int *cell_of_block) {
  const AspProblemBodies *bodies = &halving->bodies;
  for (int i = 0; i < blocks; i++) {
    int cell = halving->cells;
    for (int k = bodies->block_start[i]; k < bodies->block_start[i + 1]; k++)
      cell = halving->cell[bodies->of_block[k]] < cell ? halving->cell[bodies->of_block[k]] : cell;
    cell_of_block[i] = cell < halving->cells ? cell : 0; // a block without bodies
  }
}

/* Bodies that would be split into many copies: their blocks get a cell of their own. */
static AspError gather_many(Halving *halving, AspArena *arena, int *cell_of_block) {
  int cells = halving->cells, *met = ASP_TAKE(arena, int, cells);
  bool *many = ASP_TAKE(arena, bool, halving->bodies.count);
  if (!met || !many)
    return ASP_ERROR_MEMORY;
  const AspBodyBlocks *blocks = &halving->blocks;
  for (int b = 0; b < halving->bodies.count; b++) {
    int copies = 0;
    for (int k = blocks->start[b]; k < blocks->start[b + 1]; k++) {
      int cell = cell_of_block[blocks->block[k]];
      copies += met[cell] != b + 1;
      met[cell] = b + 1;
    }
    many[b] = copies > PARTITION_MOST_COPIES;
  }
  for (int b = 0; b < halving->bodies.count; b++) {
    bool used = false;
    for (int k = blocks->start[b]; many[b] && k < blocks->start[b + 1]; k++)
      if (cell_of_block[blocks->block[k]] < cells) { // not yet in the cell of another such body
        cell_of_block[blocks->block[k]] = halving->cells;
        used = true;
      }
    halving->cells += used;
  }
  return ASP_OK;
}

/* Cells without blocks are left out. */
static AspError number_cells(AspArena *arena, int cells, int blocks, AspCellPlan *plan) {
  int *number = ASP_TAKE(arena, int, cells);
  if (!number)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < blocks; i++)
    number[plan->cell_of_block[i]] = 1;
  plan->cells = 0;
  for (int c = 0; c < cells; c++)
    number[c] = number[c] ? plan->cells++ : -1;
  for (int i = 0; i < blocks; i++)
    plan->cell_of_block[i] = number[plan->cell_of_block[i]];
  return ASP_OK;
}

static AspError make_plan(AspArena *arena, const AspContactProblem *problem, int per_cell, AspCellPlan *plan) {
  Halving halving = {0};
  int used = 0;
  ASP_TRY(begin(&halving, arena, problem));
  for (int b = 0; b < halving.bodies.count; b++) {
    bool has_blocks = halving.blocks.start[b] < halving.blocks.start[b + 1];
    halving.set[b] = has_blocks ? 0 : -1;
    if (has_blocks)
      halving.list[used++] = b;
  }
  halve(&halving, 0, used, per_cell);
  if (halving.cells == 0)
    halving.cells = problem->blocks > 0; // blocks without bodies alone
  place_blocks(&halving, problem->blocks, plan->cell_of_block);
  ASP_TRY(gather_many(&halving, arena, plan->cell_of_block));
  return number_cells(arena, halving.cells, problem->blocks, plan);
}

AspError asp_cell_plan_create(AspContext *context, const AspContactProblem *problem, int bodies_per_cell,
                              AspCellPlan *plan) {
  *plan = (AspCellPlan){0};
  if (bodies_per_cell < 1)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "cells: bodies_per_cell is %d, at least 1 is needed", bodies_per_cell);
  if (problem->dofs == 0)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "cells: the problem has no bodies (local form); give M and H");
  AspArena arena;
  asp_arena_init(&arena, context);
  AspError error = asp_problem_validate(context, problem);
  if (error == ASP_OK) {
    plan->cell_of_block = asp_allocate(context, (size_t)problem->blocks, sizeof *plan->cell_of_block);
    error = plan->cell_of_block ? make_plan(&arena, problem, bodies_per_cell, plan) : ASP_ERROR_MEMORY;
  }
  asp_arena_free(&arena);
  if (error != ASP_OK)
    asp_cell_plan_destroy(context, plan);
  return error;
}

void asp_cell_plan_destroy(AspContext *context, AspCellPlan *plan) {
  if (!plan)
    return;
  asp_release(context, plan->cell_of_block);
  *plan = (AspCellPlan){0};
}

void asp_cells_over_ranks(int cells, const int *weight, int ranks, int *rank_of_cell) {
  long long all = 0, before = 0;
  for (int c = 0; c < cells; c++)
    all += weight[c];
  for (int c = 0; c < cells; c++) { // by the middle of the cell on the line of all weights
    long long middle = 2 * before + weight[c];
    int rank = all > 0 ? (int)(middle * ranks / (2 * all)) : 0;
    rank_of_cell[c] = rank < ranks ? rank : ranks - 1;
    before += weight[c];
  }
}
