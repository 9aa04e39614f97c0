/* Reactions of redundant joints: of all that do the same to the bodies, G l' = G l, the smallest in the norm
 * sum_i S_ii l_i^2, S = G^T D G with G the EQUALITY columns of H and D = 1/diag(M). That is l' = S^+ S l, since S has
 * the null space of G; the weights make the norm independent of units. Dense: for up to SMALLEST_MOST rows. */
#include "problem/pseudo_solve.h"
#include "scheme/step.h"
#include "scheme/tuning/scheme.h"

#include <math.h>

/* G with rows scaled by D^1/2, dense by columns; its rows in the problem. */
typedef struct Columns {
  int count;
  int *row;
  double *G; /* dofs x count */
} Columns;

static int count_equalities(const AspContactProblem *problem) {
  int count = 0;
  for (int b = 0; b < problem->blocks; b++)
    if (problem->law[b].kind == ASP_LAW_EQUALITY)
      count += problem->offset[b + 1] - problem->offset[b];
  return count;
}

static void fill_columns(const AspContactProblem *problem, const double *inverse_mass, Columns *columns) {
  const AspSparse *H = &problem->H;
  size_t dofs = (size_t)problem->dofs;
  int at = 0;
  for (int b = 0; b < problem->blocks; b++)
    for (int k = problem->offset[b]; k < problem->offset[b + 1] && problem->law[b].kind == ASP_LAW_EQUALITY; k++) {
      columns->row[at] = k;
      for (int e = H->start[k]; e < H->start[k + 1]; e++)
        columns->G[(size_t)at * dofs + (size_t)H->row[e]] = H->value[e] * sqrt(inverse_mass[H->row[e]]);
      at++;
    }
}

AspError asp_smallest_reactions(AspStepWork *work) {
  const AspContactProblem *problem = &work->formulation.problem;
  AspArena *arena = work->arena;
  size_t m = (size_t)count_equalities(problem), dofs = (size_t)problem->dofs;
  if (m > SMALLEST_MOST)
    return ASP_OK;
  double *inverse = asp_inverse_diagonal(arena, &problem->M), *S = ASP_TAKE(arena, double, m *m);
  double *l = ASP_TAKE(arena, double, m);
  Columns columns = {(int)m, ASP_TAKE(arena, int, m), ASP_TAKE(arena, double, m *dofs)};
  if (!inverse || !S || !l || !columns.row || !columns.G)
    return ASP_ERROR_MEMORY;
  fill_columns(problem, inverse, &columns);
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j <= i; j++)
      S[i * m + j] = S[j * m + i] = asp_row_dot((int)dofs, columns.G + i * dofs, columns.G + j * dofs);
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < m; j++)
      l[i] += S[j * m + i] * work->r[columns.row[j]];
  int rank;
  ASP_TRY(asp_pseudo_solve(arena, (int)m, S, 1, l, &rank));
  for (size_t i = 0; i < m; i++)
    work->r[columns.row[i]] = l[i];
  return ASP_OK;
}
