/* Joints eliminated from the local form: see eliminate.h. */
#include "problem/eliminate.h"

#include "problem/pseudo_solve.h"

AspError asp_find_equalities(AspArena *arena, const AspContactProblem *problem, AspElimination *elimination) {
  *elimination = (AspElimination){.rows = problem->rows};
  for (int i = 0; i < problem->blocks; i++)
    if (problem->law[i].kind == ASP_LAW_EQUALITY)
      elimination->count += problem->offset[i + 1] - problem->offset[i];
  elimination->row = ASP_TAKE(arena, int, elimination->count);
  if (!elimination->row)
    return ASP_ERROR_MEMORY;
  int next = 0;
  for (int i = 0; i < problem->blocks; i++)
    for (int row = problem->offset[i]; row < problem->offset[i + 1]; row++)
      if (problem->law[i].kind == ASP_LAW_EQUALITY)
        elimination->row[next++] = row;
  return ASP_OK;
}

AspError asp_eliminate_equalities(AspArena *arena, const double *W, const double *q, AspElimination *elimination) {
  size_t e = (size_t)elimination->count, rows = (size_t)elimination->rows;
  const int *row = elimination->row;
  if (e == 0)
    return ASP_OK;
  elimination->part = ASP_TAKE(arena, double, e *(rows + 1));
  double *Wee = ASP_TAKE(arena, double, e *e);
  if (!elimination->part || !Wee)
    return ASP_ERROR_MEMORY;
  for (size_t i = 0; i < e; i++) {
    for (size_t j = 0; j < e; j++)
      Wee[j * e + i] = W[(size_t)row[j] * rows + (size_t)row[i]];
    for (size_t j = 0; j < rows; j++)
      elimination->part[j * e + i] = W[j * rows + (size_t)row[i]];
    elimination->part[rows * e + i] = q[row[i]];
  }
  return asp_pseudo_solve(arena, elimination->count, Wee, elimination->rows + 1, elimination->part, &elimination->rank);
}

void asp_elimination_subtract(const AspElimination *elimination, const double *W, const double *part, double *column) {
  size_t rows = (size_t)elimination->rows;
  for (int i = 0; i < elimination->count; i++) {
    const double *We = W + (size_t)elimination->row[i] * rows;
    for (size_t k = 0; k < rows && part[i] != 0; k++)
      column[k] -= We[k] * part[i];
  }
}

void asp_elimination_reactions(const AspElimination *elimination, double *r) {
  int e = elimination->count, rows = elimination->rows, next = 0; // rows of equalities come in ascending order
  if (!elimination->part)
    return;
  for (int i = 0; i < e; i++)
    r[elimination->row[i]] = -asp_elimination_part(elimination, rows)[i];
  for (int j = 0; j < rows; j++) {
    if (next < e && elimination->row[next] == j) {
      next++;
      continue;
    }
    const double *part = asp_elimination_part(elimination, j);
    for (int i = 0; i < e && r[j] != 0; i++)
      r[elimination->row[i]] -= part[i] * r[j];
  }
}
