/* The saddle matrix of the EQUALITY rows: layout, numbers, solves. See saddle.h. */
#include "solver/saddle.h"

#include "linalg/sparse.h"
#include "solver/tuning/reduced.h"

#include <math.h>

AspError asp_saddle_create(AspContext *context, AspSaddle **saddle) {
  *saddle = asp_allocate(context, 1, sizeof **saddle);
  if (!*saddle)
    return ASP_ERROR_MEMORY;
  (*saddle)->context = context;
  asp_arena_init(&(*saddle)->layout, context);
  AspError error = asp_factor_create(context, &(*saddle)->factor);
  if (error != ASP_OK) {
    asp_release(context, *saddle);
    *saddle = NULL;
  }
  return error;
}

void asp_saddle_destroy(AspSaddle *saddle) {
  if (!saddle)
    return;
  asp_factor_destroy(saddle->factor);
  asp_arena_free(&saddle->layout);
  asp_release(saddle->context, saddle);
}

/* ---- layout ---- */

/* What the layout depends on, as one list of numbers. With list = NULL it only counts. */
static size_t write_pattern(const AspContactProblem *problem, int *list) {
  const AspSparse *M = &problem->M, *H = &problem->H;
  size_t entries = (size_t)asp_sparse_entries(M), at = (size_t)M->columns + 1 + entries;
  if (list) {
    memcpy(list, M->start, ((size_t)M->columns + 1) * sizeof *list);
    memcpy(list + M->columns + 1, M->row, entries * sizeof *list);
  }
  for (int b = 0; b < problem->blocks; b++) {
    int first = problem->offset[b], end = problem->offset[b + 1];
    if (problem->law[b].kind != ASP_LAW_EQUALITY)
      continue;
    for (int k = first; k < end; k++) {
      size_t count = (size_t)(H->start[k + 1] - H->start[k]);
      if (list) {
        list[at] = k == first ? end - first : 0; // where a block begins
        list[at + 1] = (int)count;
        memcpy(list + at + 2, H->row + H->start[k], count * sizeof *list);
      }
      at += count + 2;
    }
  }
  return at;
}

AspError asp_saddle_fits(const AspSaddle *saddle, AspArena *arena, const AspContactProblem *problem, bool *same) {
  size_t length = write_pattern(problem, NULL);
  *same = false;
  if (!saddle->laid_out || length != saddle->length)
    return ASP_OK;
  int *pattern = ASP_TAKE_UNCLEARED(arena, int, length);
  if (!pattern)
    return ASP_ERROR_MEMORY;
  write_pattern(problem, pattern);
  *same = memcmp(pattern, saddle->pattern, length * sizeof *pattern) == 0;
  return ASP_OK;
}

/* The problem's rows may stand elsewhere than when they were laid out, with contacts before them. */
static void follow_rows(AspSaddle *saddle, const AspContactProblem *problem) {
  int at = 0;
  for (int b = 0; b < problem->blocks; b++)
    for (int k = problem->offset[b]; problem->law[b].kind == ASP_LAW_EQUALITY && k < problem->offset[b + 1]; k++)
      saddle->row[at++] = k;
}

/* Entries of H_e, and of the zero blocks below it. */
static size_t count_entries(const AspContactProblem *problem, int *rows) {
  size_t entries = 0;
  *rows = 0;
  for (int b = 0; b < problem->blocks; b++) {
    int first = problem->offset[b], size = problem->offset[b + 1] - first;
    if (problem->law[b].kind != ASP_LAW_EQUALITY)
      continue;
    entries += (size_t)(problem->H.start[first + size] - problem->H.start[first]) + (size_t)size * (size_t)size;
    *rows += size;
  }
  return entries;
}

/* The rows of H_e as columns of K: entry (dofs + i, d) for every H(d, row i), by d; next[d] counts. */
static void place_rows(AspSaddle *saddle, const AspContactProblem *problem, int *next) {
  const AspSparse *H = &problem->H;
  int *place = saddle->place;
  for (int i = 0; i < saddle->rows; i++)
    for (int k = H->start[saddle->row[i]]; k < H->start[saddle->row[i] + 1]; k++) {
      *place = next[H->row[k]]++;
      saddle->K.row[*place++] = saddle->dofs + i;
    }
}

/* The zero block of each law: its rows are then eliminated together. */
static void place_zeros(AspSaddle *saddle, const AspContactProblem *problem, int at) {
  int i = 0;
  for (int b = 0; b < problem->blocks; b++) {
    int size = problem->law[b].kind == ASP_LAW_EQUALITY ? problem->offset[b + 1] - problem->offset[b] : 0;
    for (int l = 0; l < size; l++) {
      for (int k = l; k < size; k++)
        saddle->K.row[at++] = saddle->dofs + i + k;
      saddle->K.start[saddle->dofs + i + l + 1] = at;
    }
    i += size;
  }
}

static AspError fill_layout(AspSaddle *saddle, AspArena *arena, const AspContactProblem *problem) {
  const AspSparse *M = &problem->M, *H = &problem->H;
  int *next = ASP_TAKE(arena, int, (size_t)saddle->dofs + 1), *start = saddle->K.start, at = 0;
  if (!next)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < saddle->rows; i++)
    for (int k = H->start[saddle->row[i]]; k < H->start[saddle->row[i] + 1]; k++)
      next[H->row[k]]++;
  for (int j = 0; j < saddle->dofs; j++) {
    int rows = next[j], k = M->start[j];
    while (k < M->start[j + 1] && M->row[k] < j) // rows ascend
      k++;
    saddle->lower[j] = k;
    for (; k < M->start[j + 1]; k++)
      saddle->K.row[at++] = M->row[k];
    next[j] = at;
    at += rows;
    start[j + 1] = at;
  }
  place_rows(saddle, problem, next);
  place_zeros(saddle, problem, at);
  return ASP_OK;
}

static AspError lay_out(AspSaddle *saddle, AspArena *arena, const AspContactProblem *problem) {
  AspArena *layout = &saddle->layout;
  saddle->laid_out = false;
  asp_factor_forget(saddle->factor);
  asp_arena_reset(layout);
  saddle->dofs = problem->dofs;
  size_t entries = (size_t)asp_sparse_entries(&problem->M) + count_entries(problem, &saddle->rows);
  if (entries > INT32_MAX)
    return asp_fail(saddle->context, ASP_ERROR_UNSUPPORTED, "EQUALITY blocks of %d rows are too large", saddle->rows);
  int n = saddle->dofs + saddle->rows;
  ASP_TRY(asp_sparse_take(layout, n, n, (int)entries, &saddle->K));
  saddle->length = write_pattern(problem, NULL);
  saddle->row = ASP_TAKE(layout, int, saddle->rows);
  saddle->lower = ASP_TAKE(layout, int, saddle->dofs);
  saddle->place = ASP_TAKE(layout, int, entries);
  saddle->pattern = ASP_TAKE(layout, int, saddle->length);
  saddle->sign = ASP_TAKE(layout, signed char, n);
  saddle->size = ASP_TAKE(layout, double, n);
  saddle->inverse = ASP_TAKE(layout, double, saddle->dofs);
  saddle->set_aside = ASP_TAKE(layout, int, saddle->rows);
  saddle->weight = ASP_TAKE(layout, double, saddle->rows);
  if (!saddle->row || !saddle->lower || !saddle->place || !saddle->pattern || !saddle->sign || !saddle->size ||
      !saddle->inverse || !saddle->set_aside || !saddle->weight)
    return ASP_ERROR_MEMORY;
  write_pattern(problem, saddle->pattern);
  follow_rows(saddle, problem);
  for (int i = 0; i < n; i++)
    saddle->sign[i] = i < saddle->dofs ? 1 : -1;
  ASP_TRY(fill_layout(saddle, arena, problem));
  ASP_TRY(asp_factor_analyse_saddle(saddle->factor, saddle->dofs, &saddle->K));
  saddle->laid_out = true;
  return ASP_OK;
}

/* ---- numbers ---- */

/* The lower half of M's columns, and the sizes of its pivots. */
static void fill_mass(AspSaddle *saddle, const AspSparse *M) {
  for (int j = 0; j < saddle->dofs; j++) {
    int from = saddle->lower[j], end = M->start[j + 1];
    double *to = saddle->K.value + saddle->K.start[j];
    for (int k = from; k < end; k++)
      to[k - from] = M->value[k];
    double size = from < end && M->row[from] == j ? sqrt(fabs(M->value[from])) : 0;
    saddle->size[j] = size;
    saddle->inverse[j] = size > 0 ? 1 / size : 0;
  }
}

static void fill_values(AspSaddle *saddle, const AspContactProblem *problem) {
  const AspSparse *H = &problem->H;
  double *value = saddle->K.value;
  const int *place = saddle->place;
  fill_mass(saddle, &problem->M);
  for (int i = 0; i < saddle->rows; i++) {
    double size = 0;
    for (int k = H->start[saddle->row[i]]; k < H->start[saddle->row[i] + 1]; k++) {
      double own = fabs(H->value[k]) * saddle->inverse[H->row[k]];
      size = own > size ? own : size;
      value[*place++] = H->value[k];
    }
    saddle->size[saddle->dofs + i] = size;
  }
}

/* sqrt(H_i^T diag(M)^-1 H_i) of the rows */
static void weigh_rows(AspSaddle *saddle, const AspContactProblem *problem) {
  const AspSparse *H = &problem->H;
  for (int i = 0; i < saddle->rows; i++) {
    double sum = 0;
    for (int k = H->start[saddle->row[i]]; k < H->start[saddle->row[i] + 1]; k++)
      sum += H->value[k] * H->value[k] / saddle->K.value[saddle->K.start[H->row[k]]]; // its column begins with M_dd
    saddle->weight[i] = sum > 0 ? sqrt(sum) : 1;
  }
}

static double dot(size_t n, const double *a, const double *b) {
  double sum = 0;
  for (size_t k = 0; k < n; k++)
    sum += a[k] * b[k];
  return sum;
}

/* null[s] := weight * (reaction of 1 at dependent row s, balanced by the others), made orthonormal one by one */
static AspError find_null_space(AspSaddle *saddle, AspArena *arena, const AspContactProblem *problem) {
  const AspSparse *H = &problem->H;
  size_t rows = (size_t)saddle->rows;
  double *z = ASP_TAKE(arena, double, saddle->dofs + saddle->rows);
  saddle->null = ASP_TAKE(arena, double, rows *(size_t)saddle->dependent);
  if (!z || !saddle->null)
    return ASP_ERROR_MEMORY;
  for (int s = 0; s < saddle->dependent; s++) {
    int i = saddle->set_aside[s];
    double *y = saddle->null + rows * (size_t)s;
    memset(z, 0, (size_t)(saddle->dofs + saddle->rows) * sizeof *z);
    for (int k = H->start[saddle->row[i]]; k < H->start[saddle->row[i] + 1]; k++)
      z[H->row[k]] = H->value[k];
    ASP_TRY(asp_factor_solve(saddle->factor, 1, z, saddle->dofs + saddle->rows));
    for (size_t k = 0; k < rows; k++)
      y[k] = -z[(size_t)saddle->dofs + k] * saddle->weight[k];
    y[i] = saddle->weight[i];
    for (int pass = 0; pass < 2; pass++) // twice is enough
      for (int t = 0; t < s; t++) {
        const double *other = saddle->null + rows * (size_t)t;
        double product = dot(rows, other, y);
        for (size_t k = 0; k < rows; k++)
          y[k] -= product * other[k];
      }
    double length = sqrt(dot(rows, y, y));
    for (size_t k = 0; k < rows && length > 0; k++)
      y[k] /= length;
  }
  return ASP_OK;
}

AspError asp_saddle_factor(AspSaddle *saddle, AspArena *arena, const AspContactProblem *problem, bool fits,
                           bool *usable) {
  *usable = false;
  if (!fits)
    ASP_TRY(lay_out(saddle, arena, problem));
  if ((double)asp_factor_entries(saddle->factor) > SADDLE_FILL * (double)asp_sparse_entries(&saddle->K))
    return ASP_OK;
  follow_rows(saddle, problem);
  fill_values(saddle, problem);
  AspFactorOptions options = {.pivot_tolerance = SADDLE_DEPENDENT, .size = saddle->size, .sign = saddle->sign};
  AspFactorInfo info;
  ASP_TRY(asp_factor_compute(saddle->factor, &saddle->K, &options, &info));
  saddle->dependent = 0;
  for (int j = 0; j < saddle->dofs && info.set_aside > 0; j++)
    if (asp_factor_is_set_aside(saddle->factor, j))
      return ASP_OK;
  for (int i = 0; i < saddle->rows && info.set_aside > 0; i++)
    if (asp_factor_is_set_aside(saddle->factor, saddle->dofs + i))
      saddle->set_aside[saddle->dependent++] = i;
  if (saddle->dependent > SADDLE_DEPENDENT_MOST)
    return ASP_OK;
  if (saddle->dependent > 0) {
    weigh_rows(saddle, problem);
    ASP_TRY(find_null_space(saddle, arena, problem));
  }
  *usable = true;
  return ASP_OK;
}

AspError asp_saddle_solve(AspSaddle *saddle, double *z) {
  return asp_factor_solve(saddle->factor, 1, z, saddle->dofs + saddle->rows);
}

AspError asp_saddle_delassus(AspSaddle *saddle, AspArena *arena, const AspContactProblem *problem, int count,
                             const int *row, double *W) {
  return asp_factor_gram(saddle->factor, arena, &problem->H, count, row, W);
}

void asp_saddle_smallest(const AspSaddle *saddle, double *r_e) {
  size_t rows = (size_t)saddle->rows;
  for (int s = 0; s < saddle->dependent; s++) {
    const double *y = saddle->null + rows * (size_t)s;
    double product = 0;
    for (size_t k = 0; k < rows; k++)
      product += y[k] * saddle->weight[k] * r_e[k];
    for (size_t k = 0; k < rows; k++)
      r_e[k] -= product * y[k] / saddle->weight[k];
  }
}
