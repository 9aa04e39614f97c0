/* Which EQUALITY rows follow from earlier ones, and a shift that they can meet together.
 *
 * S = G^T D G with D = 1/diag(M) and G the EQUALITY columns of H is factored row by row, S = L L^T, in skyline storage.
 * A row whose pivot falls below REDUNDANCY_DEPENDENT x S_ii is a combination of earlier rows (the squared sine of its
 * angle to their span). With y from L y = s (s the shift of the independent rows) a dependent row's shift
 * becomes sum_k L_ik y_k: what the earlier rows imply. The order is that of the joints, so that the later joint is
 * named. Rows of servos give way and follow from nothing; rows that cannot depend on others (leaves.c) are left out: of
 * a tree of joints nothing is to be factored.
 */
#include "formulate/formulate.h"
#include "formulate/tuning/formulate.h"

#include <math.h>

typedef struct Skyline {
  int count;     /* EQUALITY rows */
  int *row;      /* count: their row in the formulation */
  int *first;    /* count: first column of each skyline row */
  size_t *start; /* count: where L_{i, first[i]} is stored */
  double *value;
  double *inverse; /* count: 1 / L_ii; 0 of dependent rows */
  double *y;       /* count */
  /* the rows' columns of H */
  int *column; /* count + 1 */
  int *dof;
  double *gradient;
  /* the same entries by dofs, of the rows up to the one that is looked at */
  int *from, *end; /* dofs */
  int *of_row;
  double *entry;
  double *metric; /* count: J_i D J_k of that row i and k <= i; zero between rows */
} Skyline;

/* metric_k := J_i D J_k of all rows k <= i that share dofs with row i, which joins the lists of its dofs. */
static void find_metric(const Skyline *sky, const double *inverse_mass, int i) {
  for (int a = sky->column[i]; a < sky->column[i + 1]; a++) {
    int dof = sky->dof[a];
    double scaled = sky->gradient[a] * inverse_mass[dof];
    sky->of_row[sky->end[dof]] = i;
    sky->entry[sky->end[dof]++] = sky->gradient[a];
    for (int e = sky->from[dof]; e < sky->end[dof]; e++)
      sky->metric[sky->of_row[e]] += scaled * sky->entry[e];
  }
}

/* In parts that do not wait for each other. */
static double product(const double *a, const double *b, int from, int end) {
  double sum[4] = {0};
  int m = from;
  for (; m + 4 <= end; m += 4)
    for (int k = 0; k < 4; k++)
      sum[k] += a[m + k] * b[m + k];
  for (; m < end; m++)
    sum[0] += a[m] * b[m];
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* The columns of the EQUALITY rows. */
static AspError collect_columns(const AspFormulation *formulation, Skyline *sky) {
  AspArena *arena = formulation->arena;
  size_t size = 0;
  for (int i = 0; i < sky->count; i++)
    size += (size_t)asp_column_size(formulation, sky->row[i], &formulation->row[sky->row[i]]);
  sky->column = ASP_TAKE(arena, int, sky->count + 1);
  sky->dof = ASP_TAKE(arena, int, size);
  sky->gradient = ASP_TAKE(arena, double, size);
  int dofs = asp_model_dof_count(formulation->model);
  sky->from = ASP_TAKE(arena, int, (size_t)dofs + 1);
  sky->end = ASP_TAKE_UNCLEARED(arena, int, dofs);
  sky->of_row = ASP_TAKE_UNCLEARED(arena, int, size);
  sky->entry = ASP_TAKE_UNCLEARED(arena, double, size);
  sky->metric = ASP_TAKE(arena, double, sky->count);
  if (!sky->column || !sky->dof || !sky->gradient || !sky->from || !sky->end || !sky->of_row || !sky->entry ||
      !sky->metric)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < sky->count; i++) {
    int at = sky->column[i], k = sky->row[i];
    sky->column[i + 1] = at + asp_column(formulation, k, &formulation->row[k], sky->dof + at, sky->gradient + at);
    for (int a = at; a < sky->column[i + 1]; a++)
      sky->from[sky->dof[a] + 1]++;
  }
  for (int dof = 0; dof < dofs; dof++)
    sky->from[dof + 1] += sky->from[dof];
  memcpy(sky->end, sky->from, (size_t)dofs * sizeof *sky->end);
  return ASP_OK;
}

static AspError collect_rows(const AspFormulation *formulation, const bool *leaf, Skyline *sky) {
  AspArena *arena = formulation->arena;
  sky->row = ASP_TAKE(arena, int, formulation->rows);
  sky->first = ASP_TAKE(arena, int, formulation->rows);
  sky->start = ASP_TAKE(arena, size_t, formulation->rows);
  sky->y = ASP_TAKE(arena, double, formulation->rows);
  sky->inverse = ASP_TAKE(arena, double, formulation->rows);
  int *seen = ASP_TAKE(arena, int, asp_model_dof_count(formulation->model)); // 1 + first row of the dof; 0: none yet
  if (!sky->row || !sky->first || !sky->start || !sky->y || !sky->inverse || !seen)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < formulation->blocks; b++)
    for (int k = formulation->offset[b]; asp_block_holds(formulation, b) && k < formulation->offset[b + 1]; k++)
      if (!leaf[k])
        sky->row[sky->count++] = k;
  ASP_TRY(collect_columns(formulation, sky));
  size_t size = 0;
  for (int i = 0; i < sky->count; i++) {
    int first = i;
    for (int k = sky->column[i]; k < sky->column[i + 1]; k++) {
      int *of_dof = &seen[sky->dof[k]];
      if (*of_dof == 0)
        *of_dof = i + 1;
      first = *of_dof - 1 < first ? *of_dof - 1 : first;
    }
    sky->first[i] = first;
    sky->start[i] = size;
    size += (size_t)(i - first + 1);
  }
  sky->value = ASP_TAKE(arena, double, size);
  return sky->value ? ASP_OK : ASP_ERROR_MEMORY;
}

/* Row i of L. Dependent rows keep their L_ik for k < i and have L_ii = 0. */
static void factor_row(const Skyline *sky, int i, const double *inverse_mass) {
  double *Li = sky->value + sky->start[i] - sky->first[i];
  double squares = 0;
  find_metric(sky, inverse_mass, i);
  for (int k = sky->first[i]; k < i; k++) {
    const double *Lk = sky->value + sky->start[k] - sky->first[k];
    int from = sky->first[k] > sky->first[i] ? sky->first[k] : sky->first[i];
    double sum = sky->metric[k] - product(Li, Lk, from, k);
    Li[k] = sum * sky->inverse[k];
    squares += Li[k] * Li[k];
  }
  double whole = sky->metric[i];
  memset(sky->metric + sky->first[i], 0, (size_t)(i - sky->first[i] + 1) * sizeof *sky->metric);
  double pivot = whole - squares;
  Li[i] = pivot > REDUNDANCY_DEPENDENT * whole ? sqrt(pivot) : 0;
  sky->inverse[i] = Li[i] > 0 ? 1 / Li[i] : 0;
}

double *asp_inverse_diagonal(AspArena *arena, const AspSparse *M) {
  double *inverse = ASP_TAKE_UNCLEARED(arena, double, M->columns);
  for (int j = 0; inverse && j < M->columns; j++) {
    int k = M->start[j], end = M->start[j + 1];
    while (k < end && M->row[k] < j) // rows ascend
      k++;
    inverse[j] = k < end && M->row[k] == j ? 1 / M->value[k] : 0;
  }
  return inverse;
}

AspError asp_formulate_redundancy(AspFormulation *formulation, bool *redundant, int *count) {
  Skyline sky = {0};
  *count = 0;
  memset(redundant, 0, (size_t)formulation->rows * sizeof *redundant);
  bool any = false;
  for (int b = 0; b < formulation->blocks && !any; b++)
    any = formulation->law[b].kind == ASP_LAW_EQUALITY;
  if (!any)
    return ASP_OK;
  double *inverse_mass = asp_inverse_diagonal(formulation->arena, &formulation->problem.M);
  bool *leaf = ASP_TAKE(formulation->arena, bool, formulation->rows);
  if (!inverse_mass || !leaf)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_find_leaf_rows(formulation, inverse_mass, leaf));
  ASP_TRY(collect_rows(formulation, leaf, &sky));
  for (int i = 0; i < sky.count; i++) {
    factor_row(&sky, i, inverse_mass);
    const double *Li = sky.value + sky.start[i] - sky.first[i];
    double implied = 0;
    for (int k = sky.first[i]; k < i; k++)
      implied += Li[k] * sky.y[k];
    double *shift = &formulation->shift[sky.row[i]];
    if (Li[i] > 0) {
      sky.y[i] = (*shift - implied) * sky.inverse[i];
    } else {
      *shift = implied;
      redundant[sky.row[i]] = true;
      ++*count;
    }
  }
  return ASP_OK;
}
