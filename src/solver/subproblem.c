/* A subproblem of a contact problem: chosen by residual, cut out, solved, put back. See subproblem.h. */
#include "solver/subproblem.h"

#include "problem/natural_map.h"
#include "solver/islands.h"
#include "solver/method.h"
#include "solver/tuning/auto.h"

#include <math.h>
#include <stdlib.h>

typedef struct BlockResidual {
  double square;
  int block;
} BlockResidual;

static int larger_first(const void *left, const void *right) {
  const BlockResidual *a = left, *b = right;
  if (a->square != b->square)
    return a->square > b->square ? -1 : 1;
  return (a->block > b->block) - (a->block < b->block);
}

/* Squares of the natural map at rho, block by block, the largest first. */
static AspError rank_blocks(AspArena *arena, const AspContactProblem *problem, double rho, const double *r,
                            const double *u, BlockResidual **ranked) {
  *ranked = ASP_TAKE(arena, BlockResidual, problem->blocks);
  if (!*ranked)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < problem->blocks; i++) {
    int first = problem->offset[i], rows = problem->offset[i + 1] - first;
    double F[3] = {0}, square = 0;
    asp_natural_map(&problem->law[i], rows, rho, r + first, u + first, true, F);
    for (int k = 0; k < rows; k++)
      square += F[k] * F[k];
    (*ranked)[i] = (BlockResidual){square, i};
  }
  qsort(*ranked, (size_t)problem->blocks, sizeof **ranked, larger_first);
  return ASP_OK;
}

/* Mark the blocks that hold all of the residual but `left`, or the worst of them; returns their number. */
static int mark_worst(const BlockResidual *ranked, int blocks, double left, bool *inside) {
  double outside = 0;
  int count = blocks;
  while (count > 0 && outside + ranked[count - 1].square <= left * left)
    outside += ranked[--count].square;
  count = (int)fmin(count, fmax(SUBPROBLEM_LEAST_WORST, fmin(SUBPROBLEM_MOST_WORST, SUBPROBLEM_WORST * blocks)));
  for (int k = 0; k < count; k++)
    inside[ranked[k].block] = true;
  return count;
}

/* One ring: blocks that share a body with a marked one. seen (bodies): zeros where no ring has been yet. */
static int grow(const AspContactProblem *problem, const AspProblemBodies *bodies, const AspBodyBlocks *blocks,
                bool *inside, bool *seen) {
  int count = 0;
  for (int i = 0; i < problem->blocks; i++)
    for (int k = bodies->block_start[i]; k < bodies->block_start[i + 1] && inside[i]; k++)
      seen[bodies->of_block[k]] = true;
  for (int b = 0; b < bodies->count; b++)
    for (int k = blocks->start[b]; k < blocks->start[b + 1] && seen[b]; k++)
      inside[blocks->block[k]] = true;
  for (int i = 0; i < problem->blocks; i++)
    count += inside[i];
  return count;
}

/* The marked blocks and their bodies as the only island of a decomposition. */
static AspError collect(AspArena *arena, const AspContactProblem *problem, const AspProblemBodies *bodies,
                        const bool *inside, int count, AspIslands *subproblem) {
  *subproblem = (AspIslands){.count = 1, .bodies = *bodies};
  bool *touched = ASP_TAKE(arena, bool, bodies->count);
  subproblem->start = ASP_TAKE(arena, int, 2);
  subproblem->block = ASP_TAKE(arena, int, count);
  subproblem->dof_start = ASP_TAKE(arena, int, 2);
  subproblem->dof = ASP_TAKE(arena, int, problem->dofs);
  subproblem->place_of_dof = ASP_TAKE(arena, int, problem->dofs);
  subproblem->place_of_body = ASP_TAKE(arena, int, bodies->count);
  if (!touched || !subproblem->start || !subproblem->block || !subproblem->dof_start || !subproblem->dof ||
      !subproblem->place_of_dof || !subproblem->place_of_body)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < problem->blocks; i++) {
    if (!inside[i])
      continue;
    subproblem->block[subproblem->start[1]++] = i;
    for (int k = bodies->block_start[i]; k < bodies->block_start[i + 1]; k++)
      touched[bodies->of_block[k]] = true;
  }
  for (int j = 0; j < problem->dofs; j++)
    if (touched[bodies->of[j]]) {
      subproblem->place_of_dof[j] = subproblem->dof_start[1];
      subproblem->dof[subproblem->dof_start[1]++] = j;
    }
  return ASP_OK;
}

/* part->f gets what the reactions outside do. */
static AspError add_outside(AspArena *arena, const AspContactProblem *problem, const AspIslands *subproblem,
                            const bool *inside, const double *r, AspContactProblem *part) {
  double *held = ASP_TAKE(arena, double, problem->rows), *force = ASP_TAKE(arena, double, problem->dofs);
  if (!held || !force)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < problem->blocks; i++)
    for (int j = problem->offset[i]; j < problem->offset[i + 1]; j++)
      held[j] = inside[i] ? 0 : r[j];
  asp_sparse_multiply_add(&problem->H, 1, held, force);
  for (int d = 0; d < part->dofs; d++)
    part->f[d] += force[subproblem->dof[d]];
  return ASP_OK;
}

static AspError solve_part(const SolverRun *run, const AspContactProblem *part, const int *row, double norm_r,
                           double *r) {
  SolverSpace *space;
  MethodSettings settings = {.brief = true};
  double *answer = ASP_TAKE(run->arena, double, part->rows), square = 0;
  if (!answer)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < part->rows; j++) {
    answer[j] = r[row[j]];
    square += answer[j] * answer[j];
  }
  double ratio = square > 0 ? fmax(1, norm_r / sqrt(square)) : 1;
  ASP_TRY(asp_space_take_part(run->space, part, &space));
  SolverRun own = asp_run_part(run, space, &settings);
  own.asked.residual = fmin(SUBPROBLEM_LOOSEST, SUBPROBLEM_SHARE * run->asked.residual * ratio);
  ASP_TRY(asp_auto_solve(&own, answer));
  for (int j = 0; j < part->rows; j++)
    r[row[j]] = own.best[j];
  return ASP_OK;
}

static AspError improve(const SolverRun *run, double *r, int *blocks) {
  AspArena *arena = run->arena;
  const AspContactProblem *problem = run->problem;
  AspResidual residual;
  const AspProblemBodies *bodies = &asp_judge_mass(run->judge)->bodies;
  AspBodyBlocks of_bodies;
  AspIslands subproblem;
  AspContactProblem part;
  BlockResidual *ranked;
  int *row;
  double *u = ASP_TAKE(arena, double, problem->rows);
  bool *inside = ASP_TAKE(arena, bool, problem->blocks);
  if (!u || !inside)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_judge_residual(run->judge, r, &residual, u, NULL));
  ASP_TRY(asp_body_blocks(arena, bodies, problem->blocks, &of_bodies));
  ASP_TRY(rank_blocks(arena, problem, residual.rho, r, u, &ranked));
  double allowed = asp_verdict_allowed_map(&run->asked, &residual);
  int count = mark_worst(ranked, problem->blocks, SUBPROBLEM_LEFT_OUT * allowed, inside);
  bool *seen = ASP_TAKE(arena, bool, bodies->count);
  if (!seen)
    return ASP_ERROR_MEMORY;
  for (int ring = 0; ring < SUBPROBLEM_RINGS && count <= SUBPROBLEM_ENOUGH * problem->blocks; ring++)
    count = grow(problem, bodies, &of_bodies, inside, seen);
  if (count == 0 || count > SUBPROBLEM_LARGEST * problem->blocks)
    return ASP_OK;
  ASP_TRY(collect(arena, problem, bodies, inside, count, &subproblem));
  subproblem.place_of_row = NULL; // of the local form alone
  ASP_TRY(asp_island_extract(arena, problem, &subproblem, 0, &part, &row));
  ASP_TRY(add_outside(arena, problem, &subproblem, inside, r, &part));
  *blocks = count;
  return solve_part(run, &part, row, residual.norm_r, r);
}

AspError asp_subproblem_improve(const SolverRun *run, double *r, int *blocks) {
  AspArenaMark mark = asp_arena_mark(run->arena);
  *blocks = 0;
  AspError error = improve(run, r, blocks);
  asp_arena_rewind(run->arena, mark);
  return error;
}
