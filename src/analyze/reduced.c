/* Elimination, scaling, islands: see reduced.h. */
#include "analyze/reduced.h"

#include "analyze/tuning/analyze.h"
#include "base/disjoint_sets.h"
#include "problem/polygon_lcp.h"

#include <math.h>

static bool is_left_out(const AspLaw *law) {
  return law->kind == ASP_LAW_EQUALITY || ((law->kind == ASP_LAW_BOX || law->kind == ASP_LAW_BALL) && law->limit == 0);
}

/* A (row-major) and b without the EQUALITY rows' reactions, and how far those rows contradict each other. */
static AspError eliminate(AspArena *arena, const AspContactProblem *problem, AspReduction *out, double **A,
                          double **b) {
  size_t n = (size_t)problem->rows;
  double *W = asp_polygon_dense(arena, problem), *column = ASP_TAKE(arena, double, n), largest = 0, worst = 0;
  *A = ASP_TAKE(arena, double, n *n);
  *b = ASP_TAKE(arena, double, n);
  if (!W || !column || !*A || !*b)
    return ASP_ERROR_MEMORY;
  AspElimination *equalities = &out->equalities;
  ASP_TRY(asp_find_equalities(arena, problem, equalities));
  if (equalities->count > 0)
    ASP_TRY(asp_eliminate_equalities(arena, W, problem->q, equalities));
  for (size_t j = 0; j <= n; j++) {
    memcpy(column, j < n ? W + j * n : problem->q, n * sizeof *column);
    if (equalities->count > 0)
      asp_elimination_subtract(equalities, W, asp_elimination_part(equalities, (int)j), column);
    for (size_t i = 0; i < n; i++)
      *(j < n ? &(*A)[i * n + j] : &(*b)[i]) = column[i];
  }
  for (int k = 0; k < equalities->count; k++) {
    worst = fmax(worst, fabs((*b)[equalities->row[k]]));
    largest = fmax(largest, fabs(problem->q[equalities->row[k]]));
  }
  out->contradiction = largest > 0 ? worst / largest : 0;
  return ASP_OK;
}

static AspError take_reduced(AspArena *arena, int blocks, int rows, AspReduced *out) {
  out->block = ASP_TAKE(arena, int, blocks);
  out->offset = ASP_TAKE(arena, int, blocks + 1);
  out->law = ASP_TAKE(arena, AspLaw, blocks);
  out->W = ASP_TAKE(arena, double, (size_t)rows *(size_t)rows);
  out->q = ASP_TAKE(arena, double, rows);
  out->d = ASP_TAKE(arena, double, blocks);
  return out->block && out->offset && out->law && out->W && out->q && out->d ? ASP_OK : ASP_ERROR_MEMORY;
}

/* Rows and columns of the blocks that stay, scaled. */
static AspError extract(AspArena *arena, const AspContactProblem *problem, const double *W, const double *q,
                        AspReduced *out) {
  size_t n = (size_t)problem->rows;
  *out = (AspReduced){.dimension = problem->dimension, .unit = 0, .power = true};
  ASP_TRY(take_reduced(arena, problem->blocks, problem->rows, out));
  int *row = ASP_TAKE(arena, int, problem->rows);
  double *scale = ASP_TAKE(arena, double, problem->rows);
  if (!row || !scale)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < problem->blocks; b++) {
    if (is_left_out(&problem->law[b]))
      continue;
    int first = problem->offset[b], i = out->blocks++;
    double diagonal = W[(size_t)first * n + (size_t)first];
    out->block[i] = b;
    out->law[i] = problem->law[b];
    out->d[i] = diagonal > REDUCED_DIAGONAL_LEAST ? 1 / sqrt(diagonal) : 1;
    out->power = out->power && !(problem->law[b].kind == ASP_LAW_SLIDING && problem->law[b].mu > 0);
    for (int k = first; k < problem->offset[b + 1]; k++) {
      scale[out->rows] = out->d[i];
      row[out->rows++] = k;
      out->unit = fmax(out->unit, fabs(out->d[i] * q[k]));
    }
    out->offset[i + 1] = out->rows;
  }
  out->unit = out->unit > 0 ? out->unit : 1;
  for (int i = 0; i < out->rows; i++) {
    out->q[i] = scale[i] * q[row[i]] / out->unit;
    for (int j = 0; j < out->rows; j++)
      out->W[(size_t)i * out->rows + j] = scale[i] * W[(size_t)row[i] * n + (size_t)row[j]] * scale[j];
  }
  for (int b = 0; b < out->blocks; b++)
    out->law[b].limit /= out->d[b] * out->unit;
  return ASP_OK;
}

static bool couples(const AspReduced *it, int a, int b) {
  for (int i = it->offset[a]; i < it->offset[a + 1]; i++)
    for (int j = it->offset[b]; j < it->offset[b + 1]; j++)
      if (fabs(it->W[(size_t)i * it->rows + j]) > REDUCED_COUPLED ||
          fabs(it->W[(size_t)j * it->rows + i]) > REDUCED_COUPLED)
        return true;
  return false;
}

static AspError find_islands(AspArena *arena, AspReduction *out) {
  const AspReduced *it = &out->whole;
  out->island = ASP_TAKE(arena, int, it->blocks);
  int *parent = ASP_TAKE(arena, int, it->blocks);
  if (!out->island || !parent)
    return ASP_ERROR_MEMORY;
  asp_sets_begin(it->blocks, parent);
  for (int b = 0; b < it->blocks; b++)
    for (int other = b + 1; other < it->blocks; other++)
      if (asp_set_of(parent, b) != asp_set_of(parent, other) && couples(it, b, other))
        asp_unite_sets(parent, b, other);
  out->islands = asp_sets_number(it->blocks, parent, out->island);
  return ASP_OK;
}

AspError asp_reduction_make(AspArena *arena, const AspContactProblem *problem, AspReduction *out) {
  double *A, *b;
  *out = (AspReduction){0};
  ASP_TRY(eliminate(arena, problem, out, &A, &b));
  ASP_TRY(extract(arena, problem, A, b, &out->whole));
  return find_islands(arena, out);
}

AspError asp_reduced_island(AspArena *arena, const AspReduction *reduction, int island, AspReduced *out,
                            int **members) {
  const AspReduced *whole = &reduction->whole;
  *out = (AspReduced){.dimension = whole->dimension, .unit = whole->unit, .power = true};
  ASP_TRY(take_reduced(arena, whole->blocks, whole->rows, out));
  int *row = ASP_TAKE(arena, int, whole->rows);
  *members = ASP_TAKE(arena, int, whole->blocks);
  if (!row || !*members)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < whole->blocks; b++) {
    if (reduction->island[b] != island)
      continue;
    int i = out->blocks++;
    (*members)[i] = b;
    out->block[i] = whole->block[b];
    out->law[i] = whole->law[b];
    out->d[i] = whole->d[b];
    out->power = out->power && !(whole->law[b].kind == ASP_LAW_SLIDING && whole->law[b].mu > 0);
    for (int k = whole->offset[b]; k < whole->offset[b + 1]; k++)
      row[out->rows++] = k;
    out->offset[i + 1] = out->rows;
  }
  for (int i = 0; i < out->rows; i++) {
    out->q[i] = whole->q[row[i]];
    for (int j = 0; j < out->rows; j++)
      out->W[(size_t)i * out->rows + j] = whole->W[(size_t)row[i] * whole->rows + row[j]];
  }
  return ASP_OK;
}

void asp_reduced_restore(const AspContactProblem *problem, const AspReduced *reduced, const double *scaled, double *r) {
  for (int b = 0; b < reduced->blocks; b++)
    for (int k = 0; k < asp_reduced_size(reduced, b); k++)
      r[problem->offset[reduced->block[b]] + k] = scaled[reduced->offset[b] + k] * reduced->d[b] * reduced->unit;
}

void asp_reduced_velocity(const AspReduced *reduced, const double *r, double *u) {
  for (int i = 0; i < reduced->rows; i++) {
    const double *row = reduced->W + (size_t)i * reduced->rows;
    u[i] = reduced->q[i];
    for (int j = 0; j < reduced->rows; j++)
      u[i] += row[j] * r[j];
  }
}
