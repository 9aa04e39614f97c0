/* What one rank holds of a problem that it knows as a whole: cells, copies of bodies, and where the other copies are.
 * See asperity/partition.h. Depends on bodies.h.
 */
#include "asperity/partition.h"

#include "linalg/sparse.h"
#include "problem/bodies.h"

#include <stdlib.h>

/* Lists over the whole problem, the same on every rank. */
typedef struct Whole {
  const AspContactProblem *problem;
  const AspCellPlan *plan;
  const int *rank_of_cell;
  AspProblemBodies bodies;
  int *block_start, *block; /* blocks by cell, ascending */
  int *body_start, *body;   /* bodies by cell, ascending */
  int *holders;             /* bodies: copies */
  int *copy;                /* by place in `body`: its number among the copies of its rank; -1: the body is not split */
} Whole;

static int compare_ints(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static AspError list_blocks(Whole *whole, AspArena *arena) {
  int cells = whole->plan->cells, blocks = whole->problem->blocks;
  whole->block_start = ASP_TAKE(arena, int, cells + 2);
  whole->block = ASP_TAKE(arena, int, blocks);
  if (!whole->block_start || !whole->block)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < blocks; i++)
    whole->block_start[whole->plan->cell_of_block[i] + 2]++;
  for (int c = 0; c < cells; c++)
    whole->block_start[c + 2] += whole->block_start[c + 1];
  for (int i = 0; i < blocks; i++)
    whole->block[whole->block_start[whole->plan->cell_of_block[i] + 1]++] = i;
  return ASP_OK;
}

/* Bodies of each cell, each once. */
static AspError list_bodies(Whole *whole, AspArena *arena) {
  const AspProblemBodies *bodies = &whole->bodies;
  int cells = whole->plan->cells, blocks = whole->problem->blocks, count = 0;
  int *met = ASP_TAKE(arena, int, bodies->count);
  whole->body_start = ASP_TAKE(arena, int, cells + 1);
  whole->body = ASP_TAKE(arena, int, blocks > 0 ? bodies->block_start[blocks] : 0);
  whole->holders = ASP_TAKE(arena, int, bodies->count);
  if (!met || !whole->body_start || !whole->body || !whole->holders)
    return ASP_ERROR_MEMORY;
  for (int c = 0; c < cells; c++) {
    for (int k = whole->block_start[c]; k < whole->block_start[c + 1]; k++)
      for (int j = bodies->block_start[whole->block[k]]; j < bodies->block_start[whole->block[k] + 1]; j++) {
        int body = bodies->of_block[j];
        if (met[body] == c + 1)
          continue;
        met[body] = c + 1;
        whole->holders[body]++;
        whole->body[count++] = body;
      }
    qsort(whole->body + whole->body_start[c], (size_t)(count - whole->body_start[c]), sizeof *whole->body,
          compare_ints);
    whole->body_start[c + 1] = count;
  }
  return ASP_OK;
}

/* Copies of split bodies are numbered rank by rank, by cell, then by body. */
static AspError number_copies(Whole *whole, AspArena *arena, int ranks) {
  int cells = whole->plan->cells, *next = ASP_TAKE(arena, int, ranks);
  whole->copy = ASP_TAKE(arena, int, whole->body_start[cells]);
  if (!next || !whole->copy)
    return ASP_ERROR_MEMORY;
  for (int c = 0; c < cells; c++)
    for (int k = whole->body_start[c]; k < whole->body_start[c + 1]; k++)
      whole->copy[k] = whole->holders[whole->body[k]] > 1 ? next[whole->rank_of_cell[c]]++ : -1;
  return ASP_OK;
}

/* ---- one cell ---- */

/* The bodies of a cell as part of the whole: where their dofs are. */
typedef struct CellDofs {
  int count;     /* dofs */
  int *of_whole; /* count: ascending by body, then as the body has them */
  int *of_cell;  /* dofs of the whole: those of the cell; only valid at the cell's bodies */
} CellDofs;

static AspError list_dofs(const Whole *whole, AspArena *arena, int c, CellDofs *dofs) {
  int first = whole->body_start[c], end = whole->body_start[c + 1];
  dofs->count = 0;
  for (int k = first; k < end; k++)
    dofs->count += whole->bodies.start[whole->body[k] + 1] - whole->bodies.start[whole->body[k]];
  dofs->of_whole = ASP_TAKE_UNCLEARED(arena, int, dofs->count);
  if (!dofs->of_whole)
    return ASP_ERROR_MEMORY;
  int at = 0;
  for (int k = first; k < end; k++)
    for (int j = whole->bodies.start[whole->body[k]]; j < whole->bodies.start[whole->body[k] + 1]; j++)
      dofs->of_whole[at++] = whole->bodies.dof[j];
  qsort(dofs->of_whole, (size_t)dofs->count, sizeof(int), compare_ints);
  for (at = 0; at < dofs->count; at++)
    dofs->of_cell[dofs->of_whole[at]] = at;
  return ASP_OK;
}

/* Column `from` of A with rows renumbered behind the entries of B. */
static void copy_column(const AspSparse *A, int from, const int *row_of, AspSparse *B, int to) {
  int at = B->start[to];
  for (int k = A->start[from]; k < A->start[from + 1]; k++, at++) {
    B->row[at] = row_of[A->row[k]];
    B->value[at] = A->value[k];
  }
  B->start[to + 1] = at;
}

static AspError create_problem(AspContext *context, const Whole *whole, int c, const CellDofs *dofs,
                               AspContactProblem *out) {
  const AspContactProblem *problem = whole->problem;
  int rows = 0, in_M = 0, in_H = 0, blocks = whole->block_start[c + 1] - whole->block_start[c];
  for (int k = whole->block_start[c]; k < whole->block_start[c + 1]; k++) {
    int first = problem->offset[whole->block[k]], end = problem->offset[whole->block[k] + 1];
    rows += end - first;
    in_H += problem->H.start[end] - problem->H.start[first];
  }
  for (int j = 0; j < dofs->count; j++)
    in_M += problem->M.start[dofs->of_whole[j] + 1] - problem->M.start[dofs->of_whole[j]];
  return asp_problem_create(context, problem->dimension, blocks, rows, dofs->count, in_M, in_H, 0, out);
}

static AspError fill_problem(AspContext *context, const Whole *whole, int c, const CellDofs *dofs,
                             AspContactProblem *out) {
  const AspContactProblem *problem = whole->problem;
  ASP_TRY(create_problem(context, whole, c, dofs, out));
  for (int j = 0; j < dofs->count; j++) {
    copy_column(&problem->M, dofs->of_whole[j], dofs->of_cell, &out->M, j);
    out->f[j] = problem->f[dofs->of_whole[j]];
  }
  for (int i = 0; i < out->blocks; i++) {
    int block = whole->block[whole->block_start[c] + i], first = problem->offset[block];
    int rows = problem->offset[block + 1] - first;
    out->law[i] = problem->law[block];
    out->offset[i + 1] = out->offset[i] + rows;
    for (int k = 0; k < rows; k++) {
      copy_column(&problem->H, first + k, dofs->of_cell, &out->H, out->offset[i] + k);
      out->w[out->offset[i] + k] = problem->w[first + k];
    }
  }
  return ASP_OK;
}

/* The whole's bodies, as those of the cell. */
static AspError give_bodies(AspContext *context, AspArena *arena, const Whole *whole, int c, const CellDofs *dofs,
                            AspContactProblem *out) {
  int first = whole->body_start[c], count = whole->body_start[c + 1] - first, at = 0, used = 0;
  AspProblemBodies bodies = {.count = count,
                             .start = ASP_TAKE(arena, int, count + 1),
                             .dof = ASP_TAKE(arena, int, dofs->count),
                             .of = ASP_TAKE(arena, int, dofs->count),
                             .block_start = ASP_TAKE(arena, int, out->blocks + 1)};
  for (int i = 0; i < out->blocks; i++) {
    int block = whole->block[whole->block_start[c] + i];
    used += whole->bodies.block_start[block + 1] - whole->bodies.block_start[block];
  }
  bodies.of_block = ASP_TAKE(arena, int, used);
  if (!bodies.start || !bodies.dof || !bodies.of || !bodies.block_start || !bodies.of_block)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < count; b++) {
    for (int j = whole->bodies.start[whole->body[first + b]]; j < whole->bodies.start[whole->body[first + b] + 1];
         j++) {
      bodies.dof[at] = dofs->of_cell[whole->bodies.dof[j]];
      bodies.of[bodies.dof[at++]] = b;
    }
    bodies.start[b + 1] = at;
  }
  used = 0;
  for (int i = 0; i < out->blocks; i++) {
    int block = whole->block[whole->block_start[c] + i];
    for (int k = whole->bodies.block_start[block]; k < whole->bodies.block_start[block + 1]; k++)
      bodies.of_block[used++] =
          bodies.of[dofs->of_cell[whole->bodies.dof[whole->bodies.start[whole->bodies.of_block[k]]]]];
    bodies.block_start[i + 1] = used;
  }
  return asp_problem_set_bodies(context, out, &bodies);
}

static AspError make_cell(AspContext *context, AspArena *arena, const Whole *whole, int c, CellDofs *dofs,
                          AspCell *cell) {
  AspArenaMark mark = asp_arena_mark(arena);
  int bodies = whole->body_start[c + 1] - whole->body_start[c],
      blocks = whole->block_start[c + 1] - whole->block_start[c];
  cell->number = c;
  cell->block = asp_allocate(context, (size_t)blocks, sizeof *cell->block);
  cell->body = asp_allocate(context, (size_t)bodies, sizeof *cell->body);
  cell->holders = asp_allocate(context, (size_t)bodies, sizeof *cell->holders);
  if (!cell->block || !cell->body || !cell->holders)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < blocks; i++)
    cell->block[i] = whole->block[whole->block_start[c] + i];
  for (int b = 0; b < bodies; b++) {
    cell->body[b] = whole->body[whole->body_start[c] + b];
    cell->holders[b] = whole->holders[cell->body[b]];
  }
  ASP_TRY(list_dofs(whole, arena, c, dofs));
  ASP_TRY(fill_problem(context, whole, c, dofs, &cell->problem));
  ASP_TRY(give_bodies(context, arena, whole, c, dofs, &cell->problem));
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}

static AspError make_cells(AspContext *context, AspArena *arena, const Whole *whole, AspPartition *partition) {
  CellDofs dofs = {.of_cell = ASP_TAKE_UNCLEARED(arena, int, whole->problem->dofs)};
  int own = 0;
  for (int c = 0; c < whole->plan->cells; c++)
    own += whole->rank_of_cell[c] == partition->rank;
  partition->cell = asp_allocate(context, (size_t)own, sizeof *partition->cell);
  if (!dofs.of_cell || !partition->cell)
    return ASP_ERROR_MEMORY;
  for (int c = 0; c < whole->plan->cells; c++)
    if (whole->rank_of_cell[c] == partition->rank)
      ASP_TRY(make_cell(context, arena, whole, c, &dofs, &partition->cell[partition->cells++]));
  return ASP_OK;
}

/* ---- copies ---- */

/* Split bodies of this rank in order, and the copies of each. */
typedef struct Members {
  int *number; /* bodies of the whole: 1 + that among the split ones here; 0: none */
  int *next;   /* split: place of the next member */
} Members;

static AspError list_own(AspContext *context, const Whole *whole, AspPartition *partition, Members *members) {
  int copies = 0;
  for (int c = 0; c < partition->cells; c++)
    for (int b = 0; b < partition->cell[c].problem.bodies.count; b++)
      copies += partition->cell[c].holders[b] > 1;
  partition->copy = asp_allocate(context, (size_t)copies, sizeof *partition->copy);
  partition->member_start = asp_allocate(context, (size_t)copies + 1, sizeof *partition->member_start);
  if (!partition->copy || !partition->member_start)
    return ASP_ERROR_MEMORY;
  for (int c = 0; c < partition->cells; c++)
    for (int b = 0; b < partition->cell[c].problem.bodies.count; b++) {
      int body = (int)partition->cell[c].body[b];
      if (whole->holders[body] == 1)
        continue;
      partition->copy[partition->copies++] = (AspCopy){c, b};
      if (members->number[body] != 0)
        continue;
      members->number[body] = ++partition->split;
      partition->member_start[partition->split] = partition->member_start[partition->split - 1] + whole->holders[body];
    }
  return ASP_OK;
}

typedef struct Far {
  AspRemoteCopy copy;
  int member; /* its place */
} Far;

static int compare_far(const void *a, const void *b) {
  const AspRemoteCopy *x = &((const Far *)a)->copy, *y = &((const Far *)b)->copy;
  return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : (x->copy > y->copy) - (x->copy < y->copy);
}

static AspError list_members(AspContext *context, AspArena *arena, const Whole *whole, AspPartition *partition,
                             Members *members) {
  int all = partition->member_start[partition->split];
  Far *far = ASP_TAKE(arena, Far, all);
  members->next = ASP_TAKE(arena, int, partition->split);
  partition->member = asp_allocate(context, (size_t)all, sizeof *partition->member);
  if (!far || !members->next || !partition->member)
    return ASP_ERROR_MEMORY;
  for (int c = 0; c < whole->plan->cells; c++)
    for (int k = whole->body_start[c]; k < whole->body_start[c + 1]; k++) {
      int number = members->number[whole->body[k]] - 1, rank = whole->rank_of_cell[c];
      if (number < 0)
        continue;
      int place = partition->member_start[number] + members->next[number]++;
      partition->member[place] = whole->copy[k];
      if (rank != partition->rank)
        far[partition->remotes++] = (Far){{rank, whole->copy[k]}, place};
    }
  partition->remote = asp_allocate(context, (size_t)partition->remotes, sizeof *partition->remote);
  if (!partition->remote)
    return ASP_ERROR_MEMORY;
  qsort(far, (size_t)partition->remotes, sizeof *far, compare_far);
  for (int k = 0; k < partition->remotes; k++) {
    partition->remote[k] = far[k].copy;
    partition->member[far[k].member] = -1 - k;
  }
  return ASP_OK;
}

/* ---- all of it ---- */

static void count_all(const Whole *whole, AspPartition *partition) {
  const AspContactProblem *problem = whole->problem;
  partition->all_cells = whole->plan->cells;
  partition->all_blocks = problem->blocks;
  partition->all_rows = problem->rows;
  for (int i = 0; i < problem->blocks; i++)
    partition->all_contacts += problem->law[i].kind == ASP_LAW_COULOMB || problem->law[i].kind == ASP_LAW_UNILATERAL;
}

static AspError make_partition(AspContext *context, AspArena *arena, Whole *whole, AspPartition *partition) {
  ASP_TRY(asp_bodies_find(arena, whole->problem, &whole->bodies));
  ASP_TRY(list_blocks(whole, arena));
  ASP_TRY(list_bodies(whole, arena));
  ASP_TRY(number_copies(whole, arena, partition->ranks));
  count_all(whole, partition);
  ASP_TRY(make_cells(context, arena, whole, partition));
  Members members = {.number = ASP_TAKE(arena, int, whole->bodies.count)};
  if (!members.number)
    return ASP_ERROR_MEMORY;
  ASP_TRY(list_own(context, whole, partition, &members));
  return list_members(context, arena, whole, partition, &members);
}

static AspError check_plan(AspContext *context, const AspContactProblem *problem, const AspCellPlan *plan,
                           const int *rank_of_cell, int ranks, int rank) {
  if (problem->dofs == 0)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "partition: the problem has no bodies (local form); give M and H");
  if (ranks < 1 || rank < 0 || rank >= ranks)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "partition: rank %d of %d ranks; ranks count from 0", rank, ranks);
  for (int i = 0; i < problem->blocks; i++)
    if (plan->cell_of_block[i] < 0 || plan->cell_of_block[i] >= plan->cells)
      return asp_fail(context, ASP_ERROR_ARGUMENT, "partition: block %d is in cell %d, cells are 0 to %d", i,
                      plan->cell_of_block[i], plan->cells - 1);
  for (int c = 0; c < plan->cells; c++)
    if (rank_of_cell[c] < 0 || rank_of_cell[c] >= ranks)
      return asp_fail(context, ASP_ERROR_ARGUMENT, "partition: cell %d is given to rank %d, ranks are 0 to %d", c,
                      rank_of_cell[c], ranks - 1);
  return ASP_OK;
}

AspError asp_partition_create(AspContext *context, const AspContactProblem *problem, const AspCellPlan *plan,
                              const int *rank_of_cell, int ranks, int rank, AspPartition *partition) {
  *partition = (AspPartition){.ranks = ranks, .rank = rank};
  ASP_TRY(asp_problem_validate(context, problem));
  ASP_TRY(check_plan(context, problem, plan, rank_of_cell, ranks, rank));
  Whole whole = {.problem = problem, .plan = plan, .rank_of_cell = rank_of_cell};
  AspArena arena;
  asp_arena_init(&arena, context);
  AspError error = make_partition(context, &arena, &whole, partition);
  asp_arena_free(&arena);
  if (error != ASP_OK)
    asp_partition_destroy(context, partition);
  return error;
}

void asp_partition_destroy(AspContext *context, AspPartition *partition) {
  if (!partition)
    return;
  for (int c = 0; c < partition->cells; c++) {
    asp_problem_destroy(context, &partition->cell[c].problem);
    asp_release(context, partition->cell[c].block);
    asp_release(context, partition->cell[c].body);
    asp_release(context, partition->cell[c].holders);
  }
  asp_release(context, partition->cell);
  asp_release(context, partition->copy);
  asp_release(context, partition->remote);
  asp_release(context, partition->member_start);
  asp_release(context, partition->member);
  *partition = (AspPartition){0};
}

/* ---- alone ---- */

static AspError send_nothing(void *user, int width, const double *own) {
  (void)user;
  (void)width;
  (void)own;
  return ASP_OK;
}

static AspError receive_nothing(void *user, int width, double *remote) {
  (void)user;
  (void)width;
  (void)remote;
  return ASP_OK;
}

static AspError reduce_alone(void *user, AspRankReduction *reduction) {
  (void)user;
  (void)reduction;
  return ASP_OK;
}

AspExchange asp_exchange_alone(void) { return (AspExchange){NULL, send_nothing, receive_nothing, reduce_alone}; }
