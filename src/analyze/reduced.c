/* Elimination, scaling, islands: see reduced.h. */
#include "analyze/reduced.h"

#include "problem/pseudo_solve.h"

#include <math.h>

/* W of the problem, dense and row-major. */
static double *dense(AspArena *arena, const AspContactProblem *problem) {
  size_t n = (size_t)problem->rows;
  double *W = ASP_TAKE(arena, double, n *n);
  for (int j = 0; W && j < problem->rows; j++)
    for (int k = problem->W.start[j]; k < problem->W.start[j + 1]; k++)
      W[(size_t)problem->W.row[k] * n + (size_t)j] = problem->W.value[k];
  return W;
}

static bool is_left_out(const AspLaw *law) {
  return law->kind == ASP_LAW_EQUALITY || (law->kind == ASP_LAW_BOX && law->limit == 0);
}

static AspError list_equalities(AspArena *arena, const AspContactProblem *problem, AspElimination *out) {
  out->rows = problem->rows;
  out->equality = ASP_TAKE(arena, int, problem->rows);
  if (!out->equality)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < problem->blocks; b++)
    for (int k = problem->offset[b]; problem->law[b].kind == ASP_LAW_EQUALITY && k < problem->offset[b + 1]; k++)
      out->equality[out->equalities++] = k;
  return ASP_OK;
}

/* X = W_ee^+ (W_e | q_e), the Schur complement into W and q (rows of the whole problem). */
static AspError eliminate(AspArena *arena, AspElimination *out, double *W, double *q) {
  size_t n = (size_t)out->rows, e = (size_t)out->equalities;
  double *A = ASP_TAKE(arena, double, e *e);
  out->X = ASP_TAKE(arena, double, e *(n + 1));
  double *left = ASP_TAKE(arena, double, e);
  if (!A || !out->X || !left)
    return ASP_ERROR_MEMORY;
  for (size_t i = 0; i < e; i++) {
    size_t row = (size_t)out->equality[i];
    for (size_t j = 0; j < e; j++)
      A[j * e + i] = W[row * n + (size_t)out->equality[j]];
    for (size_t j = 0; j < n; j++)
      out->X[j * e + i] = W[row * n + j];
    out->X[n * e + i] = q[row];
  }
  ASP_TRY(asp_pseudo_solve(arena, (int)e, A, (int)n + 1, out->X, &out->rank));
  double largest = 0, worst = 0;
  for (size_t i = 0; i < e; i++) {
    size_t row = (size_t)out->equality[i];
    double rest = q[row];
    for (size_t k = 0; k < e; k++)
      rest -= W[row * n + (size_t)out->equality[k]] * out->X[n * e + k];
    worst = fmax(worst, fabs(rest));
    largest = fmax(largest, fabs(q[row]));
  }
  out->contradiction = largest > 0 ? worst / largest : 0;
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < e; k++)
      left[k] = W[i * n + (size_t)out->equality[k]];
    for (size_t j = 0; j < n; j++)
      for (size_t k = 0; k < e; k++)
        W[i * n + j] -= left[k] * out->X[j * e + k];
    for (size_t k = 0; k < e; k++)
      q[i] -= left[k] * out->X[n * e + k];
  }
  for (size_t k = 0; k < e; k++) // what is left is applied to the other rows' reactions alone
    memset(out->X + (size_t)out->equality[k] * e, 0, e * sizeof *out->X);
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
    out->d[i] = diagonal > 1e-300 ? 1 / sqrt(diagonal) : 1;
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

#define COUPLED 1e-12 /* scaled entries of W below this do not couple */

static bool couples(const AspReduced *it, int a, int b) {
  for (int i = it->offset[a]; i < it->offset[a + 1]; i++)
    for (int j = it->offset[b]; j < it->offset[b + 1]; j++)
      if (fabs(it->W[(size_t)i * it->rows + j]) > COUPLED || fabs(it->W[(size_t)j * it->rows + i]) > COUPLED)
        return true;
  return false;
}

static AspError find_islands(AspArena *arena, AspElimination *out) {
  const AspReduced *it = &out->whole;
  out->island = ASP_TAKE(arena, int, it->blocks);
  int *stack = ASP_TAKE(arena, int, it->blocks);
  if (!out->island || !stack)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < it->blocks; b++)
    out->island[b] = -1;
  for (int b = 0; b < it->blocks; b++) {
    if (out->island[b] >= 0)
      continue;
    int depth = 0;
    out->island[b] = out->islands;
    stack[depth++] = b;
    while (depth > 0) {
      int at = stack[--depth];
      for (int other = 0; other < it->blocks; other++)
        if (out->island[other] < 0 && couples(it, at, other)) {
          out->island[other] = out->islands;
          stack[depth++] = other;
        }
    }
    out->islands++;
  }
  return ASP_OK;
}

AspError asp_eliminate(AspArena *arena, const AspContactProblem *problem, AspElimination *out) {
  *out = (AspElimination){0};
  double *W = dense(arena, problem), *q = ASP_TAKE(arena, double, problem->rows);
  if (!W || !q)
    return ASP_ERROR_MEMORY;
  memcpy(q, problem->q, (size_t)problem->rows * sizeof *q);
  ASP_TRY(list_equalities(arena, problem, out));
  if (out->equalities > 0)
    ASP_TRY(eliminate(arena, out, W, q));
  ASP_TRY(extract(arena, problem, W, q, &out->whole));
  return find_islands(arena, out);
}

AspError asp_reduced_island(AspArena *arena, const AspElimination *elimination, int island, AspReduced *out,
                            int **members) {
  const AspReduced *whole = &elimination->whole;
  *out = (AspReduced){.dimension = whole->dimension, .unit = whole->unit, .power = true};
  ASP_TRY(take_reduced(arena, whole->blocks, whole->rows, out));
  int *row = ASP_TAKE(arena, int, whole->rows);
  *members = ASP_TAKE(arena, int, whole->blocks);
  if (!row || !*members)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < whole->blocks; b++) {
    if (elimination->island[b] != island)
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

void asp_elimination_restore(const AspElimination *elimination, double *r) {
  size_t e = (size_t)elimination->equalities, n = (size_t)elimination->rows;
  for (size_t i = 0; i < e; i++) {
    double sum = elimination->X[n * e + i];
    for (size_t j = 0; j < n; j++)
      sum += elimination->X[j * e + i] * r[j];
    r[elimination->equality[i]] = -sum;
  }
}

void asp_reduced_velocity(const AspReduced *reduced, const double *r, double *u) {
  for (int i = 0; i < reduced->rows; i++) {
    const double *row = reduced->W + (size_t)i * reduced->rows;
    u[i] = reduced->q[i];
    for (int j = 0; j < reduced->rows; j++)
      u[i] += row[j] * r[j];
  }
}
