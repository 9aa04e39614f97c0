/* Which EQUALITY rows follow from earlier ones, and a shift that they can meet together.
 *
 * S = G^T D G with D = 1/diag(M) and G the EQUALITY columns of H is factored row by row, S = L L^T, in skyline storage.
 * A row whose pivot falls below DEPENDENT x S_ii is a combination of earlier rows (the squared sine of its angle to
 * their span). With y from L y = s (s the shift of the independent rows) a dependent row's shift
 * becomes sum_k L_ik y_k: what the earlier rows imply. The order is that of the joints, so that the later joint is
 * named.
 */
#include "formulate/formulate.h"

#include <math.h>

#define DEPENDENT 1e-12

typedef struct Skyline {
  int count;     /* EQUALITY rows */
  int *row;      /* count: their row in the formulation */
  int *first;    /* count: first column of each skyline row */
  size_t *start; /* count: where L_{i, first[i]} is stored */
  double *value;
  double *y; /* count */
} Skyline;

/* J_i D J_k over the dofs that two rows share */
static double metric(const AspModel *model, const double *inverse_mass, int n, const AspRow *a, const AspRow *b) {
  double sum = 0;
  for (int side_a = 0; side_a < 2; side_a++) {
    int body = side_a ? a->body_b : a->body_a;
    int dof = asp_model_body_dof(model, body);
    for (int side_b = 0; dof >= 0 && side_b < 2; side_b++) {
      if (body != (side_b ? b->body_b : b->body_a))
        continue;
      const double *ja = side_a ? a->jb : a->ja, *jb = side_b ? b->jb : b->ja;
      for (int i = 0; i < n; i++)
        sum += ja[i] * inverse_mass[dof + i] * jb[i];
    }
  }
  return sum;
}

static AspError collect_rows(const AspFormulation *formulation, Skyline *sky) {
  AspArena *arena = formulation->arena;
  sky->row = ASP_TAKE(arena, int, formulation->rows);
  sky->first = ASP_TAKE(arena, int, formulation->rows);
  sky->start = ASP_TAKE(arena, size_t, formulation->rows);
  sky->y = ASP_TAKE(arena, double, formulation->rows);
  if (!sky->row || !sky->first || !sky->start || !sky->y)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < formulation->blocks; b++)
    for (int k = formulation->offset[b]; formulation->law[b].kind == ASP_LAW_EQUALITY && k < formulation->offset[b + 1];
         k++)
      sky->row[sky->count++] = k;
  size_t size = 0;
  int *seen = ASP_TAKE(arena, int, asp_model_body_count(formulation->model)); // 1 + first row of the body; 0: none yet
  if (!seen)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < sky->count; i++) {
    const AspRow *row = &formulation->row[sky->row[i]];
    const int bodies[] = {row->body_a, row->body_b};
    int first = i;
    for (int side = 0; side < 2; side++) {
      if (asp_model_body_dof(formulation->model, bodies[side]) < 0)
        continue;
      if (seen[bodies[side]] == 0)
        seen[bodies[side]] = i + 1;
      first = seen[bodies[side]] - 1 < first ? seen[bodies[side]] - 1 : first;
    }
    sky->first[i] = first;
    sky->start[i] = size;
    size += (size_t)(i - first + 1);
  }
  sky->value = ASP_TAKE(arena, double, size);
  return sky->value ? ASP_OK : ASP_ERROR_MEMORY;
}

/* Row i of L. Dependent rows keep their L_ik for k < i and have L_ii = 0. */
static void factor_row(const AspFormulation *formulation, const Skyline *sky, int i, const double *inverse_mass,
                       int n) {
  const AspRow *row = &formulation->row[sky->row[i]];
  double *Li = sky->value + sky->start[i] - sky->first[i];
  double squares = 0;
  for (int k = sky->first[i]; k < i; k++) {
    const double *Lk = sky->value + sky->start[k] - sky->first[k];
    double sum = metric(formulation->model, inverse_mass, n, row, &formulation->row[sky->row[k]]);
    int from = sky->first[k] > sky->first[i] ? sky->first[k] : sky->first[i];
    for (int m = from; m < k; m++)
      sum -= Li[m] * Lk[m];
    Li[k] = Lk[k] > 0 ? sum / Lk[k] : 0;
    squares += Li[k] * Li[k];
  }
  double whole = metric(formulation->model, inverse_mass, n, row, row);
  double pivot = whole - squares;
  Li[i] = pivot > DEPENDENT * whole ? sqrt(pivot) : 0;
}

double *asp_inverse_diagonal(AspArena *arena, const AspSparse *M) {
  double *inverse = ASP_TAKE(arena, double, M->columns);
  for (int j = 0; inverse && j < M->columns; j++)
    for (int k = M->start[j]; k < M->start[j + 1]; k++)
      if (M->row[k] == j)
        inverse[j] = 1 / M->value[k];
  return inverse;
}

AspError asp_formulate_redundancy(AspFormulation *formulation, bool *redundant, int *count) {
  int n = asp_model_dimension(formulation->model) == 3 ? 6 : 3;
  Skyline sky = {0};
  *count = 0;
  memset(redundant, 0, (size_t)formulation->rows * sizeof *redundant);
  bool any = false;
  for (int b = 0; b < formulation->blocks && !any; b++)
    any = formulation->law[b].kind == ASP_LAW_EQUALITY;
  if (!any)
    return ASP_OK;
  ASP_TRY(collect_rows(formulation, &sky));
  double *inverse_mass = asp_inverse_diagonal(formulation->arena, &formulation->problem.M);
  if (!inverse_mass)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < sky.count; i++) {
    factor_row(formulation, &sky, i, inverse_mass, n);
    const double *Li = sky.value + sky.start[i] - sky.first[i];
    double implied = 0;
    for (int k = sky.first[i]; k < i; k++)
      implied += Li[k] * sky.y[k];
    double *shift = &formulation->shift[sky.row[i]];
    if (Li[i] > 0) {
      sky.y[i] = (*shift - implied) / Li[i];
    } else {
      *shift = implied;
      redundant[sky.row[i]] = true;
      ++*count;
    }
  }
  return ASP_OK;
}
