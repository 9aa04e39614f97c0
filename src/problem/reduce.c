/* Condensation to the local form, W = H^T M^-1 H and q = H^T M^-1 f + w.
 *
 * W has a block (i, k) where the blocks i and k act on a common body (bodies.h). The pattern comes from that graph
 * alone; the numbers cost one small solve per body of a contact and one sparse product per block of W. Depends on
 * mass.h, bodies.h and block_sparse.h.
 */
#include "problem/reduce.h"

#include "problem/bodies.h"

/* Bodies by block and blocks by body. */
typedef struct Graph {
  const AspProblemBodies *bodies;
  AspBodyBlocks blocks;
} Graph;

/* Calls for every neighbour i of block k once, k itself first: with list = NULL it only counts. */
static int neighbours(const Graph *graph, int k, int *seen, int stamp, int *list) {
  int count = 0;
  seen[k] = stamp;
  if (list)
    list[count] = k;
  count++;
  for (int l = graph->bodies->block_start[k]; l < graph->bodies->block_start[k + 1]; l++) {
    int body = graph->bodies->of_block[l];
    for (int b = graph->blocks.start[body]; b < graph->blocks.start[body + 1]; b++) {
      int i = graph->blocks.block[b];
      if (seen[i] == stamp)
        continue;
      seen[i] = stamp;
      if (list)
        list[count] = i;
      count++;
    }
  }
  return count;
}

static AspError make_pattern(AspArena *arena, const AspContactProblem *problem, const Graph *graph, AspBlockSparse *W) {
  int blocks = problem->blocks;
  int *start = ASP_TAKE(arena, int, (size_t)blocks + 1), *next = ASP_TAKE(arena, int, blocks);
  int *seen = ASP_TAKE(arena, int, blocks), *list = ASP_TAKE(arena, int, blocks);
  if (!start || !next || !seen || !list)
    return ASP_ERROR_MEMORY;
  for (int k = 0; k < blocks; k++) {
    start[k + 1] = start[k] + neighbours(graph, k, seen, k + 1, NULL);
    next[k] = start[k];
  }
  int *column = ASP_TAKE(arena, int, start[blocks]);
  if (!column)
    return ASP_ERROR_MEMORY;
  // the pattern is symmetric: appending k to its neighbours' lists in ascending order of k sorts every list
  memset(seen, 0, (size_t)blocks * sizeof *seen);
  for (int k = 0; k < blocks; k++) {
    int count = neighbours(graph, k, seen, k + 1, list);
    for (int l = 0; l < count; l++)
      column[next[list[l]]++] = k;
  }
  return asp_block_sparse_take(arena, blocks, problem->offset, start, column, W);
}

/* block (i, k) of W = H_i^T Z_k, Z_k dense with `dofs` rows */
static void fill_block(const AspSparse *H, int first, int height, int width, size_t dofs, const double *Z,
                       double *block) {
  for (int l = 0; l < height; l++)
    for (int m = 0; m < width; m++) {
      const double *z = Z + (size_t)m * dofs;
      double sum = 0;
      for (int e = H->start[first + l]; e < H->start[first + l + 1]; e++)
        sum += H->value[e] * z[H->row[e]];
      block[l + m * height] = sum;
    }
}

static AspError fill_values(AspArena *arena, const AspContactProblem *problem, AspMass *mass, AspBlockSparse *W) {
  const int *offset = problem->offset;
  int blocks = problem->blocks, widest = mass->is_blocks ? 1 : ASP_MASS_PANEL;
  for (int k = 0; k < blocks; k++)
    widest = asp_block_size(W, k) > widest ? asp_block_size(W, k) : widest;
  size_t dofs = (size_t)problem->dofs;
  double *Z = ASP_TAKE(arena, double, (size_t)widest *dofs);
  int *touched = ASP_TAKE(arena, int, (size_t)mass->components.count + 1), *next = ASP_TAKE(arena, int, blocks);
  if (!Z || !touched || !next)
    return ASP_ERROR_MEMORY;
  memcpy(next, W->start, (size_t)blocks * sizeof *next);
  // block column k of W stands at the next unused position of each of its rows, which are the columns of block row k
  for (int first = 0, end; first < blocks; first = end) {
    // as many block columns at once as a panel holds, where a solve is more than a few small ones
    for (end = first + 1; end < blocks && !mass->is_blocks && offset[end + 1] - offset[first] <= widest;)
      end++;
    int columns = offset[end] - offset[first];
    ASP_TRY(asp_mass_solve_columns(mass, problem, (AspMassColumns){first, end, offset[first], columns}, Z, touched));
    for (int k = first; k < end; k++)
      for (int p = W->start[k]; p < W->start[k + 1]; p++) {
        int i = W->column[p];
        fill_block(&problem->H, offset[i], asp_block_size(W, i), asp_block_size(W, k), dofs,
                   Z + dofs * (size_t)(offset[k] - offset[first]), W->value + W->at[next[i]++]);
      }
    asp_mass_clear_columns(mass, columns, Z, touched);
  }
  return ASP_OK;
}

AspError asp_reduce(AspArena *arena, const AspContactProblem *problem, AspMass *mass, AspBlockSparse *W, double **q) {
  Graph graph = {.bodies = &mass->bodies};
  ASP_TRY(asp_body_blocks(arena, &mass->bodies, problem->blocks, &graph.blocks));
  ASP_TRY(make_pattern(arena, problem, &graph, W));
  ASP_TRY(fill_values(arena, problem, mass, W));
  double *x = ASP_TAKE(arena, double, problem->dofs);
  *q = ASP_TAKE(arena, double, problem->rows);
  if (!x || !*q)
    return ASP_ERROR_MEMORY;
  memcpy(x, problem->f, (size_t)problem->dofs * sizeof *x);
  ASP_TRY(asp_mass_solve(mass, x));
  if (problem->rows > 0)
    memcpy(*q, problem->w, (size_t)problem->rows * sizeof **q);
  asp_sparse_multiply_transpose_add(&problem->H, 1, x, *q);
  return ASP_OK;
}

AspError asp_problem_reduce(AspContext *context, AspContactProblem *problem) {
  if (problem->dofs == 0)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "the problem has no global form (dofs = 0) to make a local one from");
  ASP_TRY(asp_problem_validate(context, problem));
  AspError error = ASP_OK;
  AspArena arena;
  AspMass mass;
  AspBlockSparse blocks;
  AspSparse W = {0};
  double *in_arena, *q = NULL;
  asp_arena_init(&arena, context);
  asp_mass_init(&mass, context);
  ASP_CHECK(asp_mass_factor(&mass, &arena, problem));
  ASP_CHECK(asp_reduce(&arena, problem, &mass, &blocks, &in_arena));
  ASP_CHECK(asp_block_sparse_to_sparse(context, &blocks, &W));
  q = asp_allocate(context, (size_t)problem->rows, sizeof *q);
  if (!q) {
    error = ASP_ERROR_MEMORY;
    goto done;
  }
  if (problem->rows > 0)
    memcpy(q, in_arena, (size_t)problem->rows * sizeof *q);
  asp_sparse_release(context, &problem->W);
  asp_release(context, problem->q);
  problem->W = W;
  problem->q = q;
done:
  if (error != ASP_OK)
    asp_sparse_release(context, &W);
  asp_mass_free(&mass);
  asp_arena_free(&arena);
  return error;
}
