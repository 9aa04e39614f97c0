/* Sparse direct factorisation: life cycle and numbers. Fronts are visited children first; each is
 *
 *   1  cleared and filled with the entries of A in its pivot rows and columns, and with what its children leave there
 *   2  factored: L D L^T or L U of the diagonal block, then the panel below (and to the right)
 *   3  left to its parent: Schur complement - L D L^T (or - L U) below, plus what its children leave there
 */
#include "linalg/factor_internal.h"

#include "linalg/dense.h"
#include "linalg/front.h"

#include <math.h>

AspError asp_factor_create(AspContext *context, AspFactor **factor) {
  asp_blas_single_thread();
  *factor = asp_allocate(context, 1, sizeof **factor);
  if (!*factor)
    return ASP_ERROR_MEMORY;
  (*factor)->context = context;
  asp_arena_init(&(*factor)->symbolic, context);
  asp_arena_init(&(*factor)->scratch, context);
  return ASP_OK;
}

void asp_factor_destroy(AspFactor *factor) {
  if (!factor)
    return;
  asp_arena_free(&factor->symbolic);
  asp_arena_free(&factor->scratch);
  asp_release(factor->context, factor);
}

/* y[0 .. count - 1] += x[0 .. count - 1] */
static inline void add(int count, const double *restrict x, double *restrict y) {
  for (int k = 0; k < count; k++)
    y[k] += x[k];
}

/* Add columns `from` .. of the child's Schur complement, rows from the diagonal on, to columns of `target` at and below
 * the diagonal: target row = parent row - shift, first column at parent column `shift`. */
static void add_lower(const AspFactor *f, const Front *child, int first_run, int end_run, double *target, int ld,
                      int shift) {
  const double *C = f->stack[child->side] + child->schur;
  size_t below = (size_t)child->below;
  for (int a = first_run; a < end_run; a++)
    for (int l = 0; l < f->run[a].length; l++) {
      const double *column = C + (size_t)(f->run[a].from + l) * below;
      double *to = target + (size_t)(f->run[a].to + l - shift) * (size_t)ld - shift;
      add(f->run[a].length - l, column + f->run[a].from + l, to + f->run[a].to + l);
      for (int b = a + 1; b < child->end_run; b++)
        add(f->run[b].length, column + f->run[b].from, to + f->run[b].to);
    }
}

/* Add the child's whole columns first_run .. to full columns of `target`, only rows from run `first_row` on. */
static void add_full(const AspFactor *f, const Front *child, int first_run, int end_run, int first_row, double *target,
                     int ld, int shift) {
  const double *C = f->stack[child->side] + child->schur;
  size_t below = (size_t)child->below;
  for (int a = first_run; a < end_run; a++)
    for (int l = 0; l < f->run[a].length; l++) {
      const double *column = C + (size_t)(f->run[a].from + l) * below;
      double *to = target + (size_t)(f->run[a].to + l - shift) * (size_t)ld - (first_row == first_run ? shift : 0);
      for (int b = first_row; b < child->end_run; b++)
        add(f->run[b].length, column + f->run[b].from, to + f->run[b].to);
    }
}

/* Add the child's rows among the parent's pivots, columns beyond them, to the transposed rows of U. */
static void add_upper(const AspFactor *f, const Front *child, const Front *front, double *UT) {
  const double *C = f->stack[child->side] + child->schur;
  size_t below = (size_t)child->below;
  for (int b = child->own_runs; b < child->end_run; b++)
    for (int m = 0; m < f->run[b].length; m++) {
      const double *column = C + (size_t)(f->run[b].from + m) * below;
      double *to = UT + (f->run[b].to + m - front->width);
      for (int a = child->first_run; a < child->own_runs; a++)
        for (int l = 0; l < f->run[a].length; l++)
          to[(size_t)(f->run[a].to + l) * (size_t)front->below] += column[f->run[a].from + l];
    }
}

/* Step 1 */
static void assemble(AspFactor *f, const Front *front, const double *A) {
  size_t height = (size_t)(front->width + front->below), width = (size_t)front->width;
  double *P = f->value + front->values;
  memset(P, 0, (height * width + (f->kind == ASP_FACTOR_LU ? (size_t)front->below * width : 0)) * sizeof *P);
  for (int e = front->first_entry; e < front->end_entry; e++)
    P[f->place[e]] += A[f->entry[e]];
  for (int c = front->first_child; c < front->end_child; c++) {
    const Front *child = &f->front[f->child[c]];
    if (f->kind == ASP_FACTOR_LDLT) {
      add_lower(f, child, child->first_run, child->own_runs, P, (int)height, 0);
    } else {
      add_full(f, child, child->first_run, child->own_runs, child->first_run, P, (int)height, 0);
      add_upper(f, child, front, P + height * width);
    }
  }
}

/* Step 3 */
static void leave_to_parent(AspFactor *f, const Front *front) {
  double *C = f->stack[front->side] + front->schur;
  const double *P = f->value + front->values;
  int height = front->width + front->below;
  if (front->below == 0)
    return;
  if (f->kind == ASP_FACTOR_LDLT)
    asp_front_schur_ldlt(front->width, front->below, P + front->width, height, f->inverse_pivot + front->first,
                         f->scaled, C);
  else
    asp_front_schur_lu(front->width, front->below, P + front->width, height, P + (size_t)height * (size_t)front->width,
                       C);
  for (int c = front->first_child; c < front->end_child; c++) {
    const Front *child = &f->front[f->child[c]];
    if (f->kind == ASP_FACTOR_LDLT)
      add_lower(f, child, child->own_runs, child->end_run, C, front->below, front->width);
    else
      add_full(f, child, child->own_runs, child->end_run, child->own_runs, C, front->below, front->width);
  }
}

/* The sizes that make a pivot count as zero, from the diagonal of A. */
static double largest_diagonal(const AspSparse *A) {
  double largest = 0;
  for (int j = 0; j < A->columns; j++)
    for (int k = A->start[j]; k < A->start[j + 1]; k++)
      if (A->row[k] == j)
        largest = fmax(largest, fabs(A->value[k]));
  return largest;
}

AspError asp_factor_compute(AspFactor *f, const AspSparse *A, const AspFactorOptions *options, AspFactorInfo *info) {
  if (!f->analysed || A->columns != f->n || asp_sparse_entries(A) != f->entries)
    return asp_fail(f->context, ASP_ERROR_ARGUMENT, "%d x %d matrix with %d entries: not the pattern that was analysed",
                    A->rows, A->columns, asp_sparse_entries(A));
  AspFactorOptions chosen = options ? *options : asp_factor_default_options();
  FrontPivots pivots = {.threshold = chosen.pivot_tolerance * largest_diagonal(A),
                        .regularisation = chosen.regularisation,
                        .smallest = INFINITY,
                        .first = -1,
                        .order = f->order,
                        .sign = chosen.sign};
  for (int s = 0; s < f->fronts; s++) {
    const Front *front = &f->front[s];
    double *P = f->value + front->values;
    int height = front->width + front->below;
    assemble(f, front, A->value);
    pivots.first_pivot = front->first;
    if (f->kind == ASP_FACTOR_LDLT)
      asp_front_ldlt(front->width, height, P, f->inverse_pivot + front->first, f->scaled, &pivots);
    else
      asp_front_lu(front->width, front->below, P, f->inverse_pivot + front->first, f->exchange + front->first, &pivots);
    leave_to_parent(f, front);
  }
  f->computed = true;
  if (info)
    *info = (AspFactorInfo){.set_aside = pivots.set_aside,
                            .first = pivots.first,
                            .smallest = pivots.set_aside < f->n ? pivots.smallest : 0,
                            .largest = pivots.largest,
                            .entries = f->value_count};
  return ASP_OK;
}
