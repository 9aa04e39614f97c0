/* Sparse direct factorisation: life cycle and numbers. Fronts are visited children first; each is
 *
 *   1  cleared and filled with the entries of A in its pivot rows and columns, and with what its children leave there
 *   2  factored: L D L^T or L U of the diagonal block, then the panel below (and to the right)
 *   3  left to its parent: Schur complement - L D L^T (or - L U) below, plus what its children leave there
 */
#include "linalg/factor_internal.h"

#include <math.h>

AspError asp_factor_create(AspContext *context, AspFactor **factor) {
  *factor = asp_allocate(context, 1, sizeof **factor);
  if (!*factor)
    return ASP_ERROR_MEMORY;
  (*factor)->context = context;
  (*factor)->kernels = asp_kernels();
  asp_arena_init(&(*factor)->symbolic, context);
  asp_arena_init(&(*factor)->scratch, context);
  return ASP_OK;
}

void asp_factor_destroy(AspFactor *factor) {
  if (!factor)
    return;
  asp_release(factor->context, factor->value);
  asp_release(factor->context, factor->stack[0]);
  asp_release(factor->context, factor->stack[1]);
  asp_release(factor->context, factor->front_scratch);
  asp_release(factor->context, factor->inverse_value);
  asp_arena_free(&factor->symbolic);
  asp_arena_free(&factor->scratch);
  asp_release(factor->context, factor);
}

/* Add the child's rows among the parent's pivots, columns beyond them, to the transposed rows of U. */
static void add_upper(const AspFactor *f, const Front *child, const Front *front, double *UT) {
  const double *C = f->stack[child->side] + child->schur;
  size_t ldc = (size_t)asp_padded_from_0(child->below), ldu = (size_t)asp_padded_from_0(front->below);
  for (int b = child->own_runs; b < child->end_run; b++)
    for (int m = 0; m < f->run[b].length; m++) {
      const double *column = C + (size_t)(f->run[b].from + m) * ldc;
      double *to = UT + (f->run[b].to + m - front->width);
      for (int a = child->first_run; a < child->own_runs; a++)
        for (int l = 0; l < f->run[a].length; l++)
          to[(size_t)(f->run[a].to + l) * ldu] += column[f->run[a].from + l];
    }
}

/* Step 1 */
static void assemble(AspFactor *f, const Front *front, const double *A) {
  bool lu = f->kind == ASP_FACTOR_LU;
  int ld = asp_padded(front->width + front->below);
  double *P = f->value + front->values;
  memset(P, 0, asp_front_values(front->width, front->below, lu) * sizeof *P);
  for (int e = front->first_entry; e < front->end_entry; e++)
    P[f->place[e]] = A[f->entry[e]];
  for (int c = front->first_child; c < front->end_child; c++) {
    const Front *child = &f->front[f->child[c]];
    f->kernels->add_runs(f->run, child->first_run, child->own_runs, child->end_run, !lu,
                         f->stack[child->side] + child->schur, asp_padded_from_0(child->below), P, ld, 0);
    if (lu)
      add_upper(f, child, front, P + (size_t)ld * (size_t)front->width);
  }
}

/* Step 3 */
static void leave_to_parent(AspFactor *f, const Front *front) {
  double *C = f->stack[front->side] + front->schur;
  const double *P = f->value + front->values;
  bool lu = f->kind == ASP_FACTOR_LU;
  if (front->below == 0)
    return;
  if (lu)
    asp_front_schur_lu(f->kernels, front->width, front->below, P, C);
  else
    asp_front_schur_ldlt(f->kernels, front->width, front->below, P, f->front_scratch, C);
  for (int c = front->first_child; c < front->end_child; c++) {
    const Front *child = &f->front[f->child[c]];
    f->kernels->add_runs(f->run, child->own_runs, child->end_run, child->end_run, !lu,
                         f->stack[child->side] + child->schur, asp_padded_from_0(child->below), C,
                         asp_padded_from_0(front->below), front->width);
  }
}

/* Indices without a diagonal entry take their size, negative meanwhile, from the others. */
static void borrow_sizes(const AspSparse *A, double *e) {
  for (int j = 0; j < A->columns; j++) {
    double inverse = e[j] > 0 ? 1 / e[j] : 0;
    for (int k = A->start[j]; k < A->start[j + 1]; k++) {
      double *other = &e[A->row[k]], size = fabs(A->value[k]);
      if (inverse > 0 && *other <= 0 && size * inverse > -*other)
        *other = -size * inverse;
      else if (inverse == 0 && *other > 0 && size > -e[j] * *other)
        e[j] = -size / *other;
    }
  }
}

/* The sizes e_i, by index. */
static void find_sizes(const AspSparse *A, double *e) {
  bool zeros = false;
  for (int j = 0; j < A->columns; j++) {
    int k = A->start[j], end = A->start[j + 1];
    while (k < end && A->row[k] < j) // rows ascend
      k++;
    e[j] = k < end && A->row[k] == j ? sqrt(fabs(A->value[k])) : 0;
    zeros = zeros || e[j] == 0;
  }
  if (zeros)
    borrow_sizes(A, e);
}

/* The sizes that pivots are compared with (factor.h), and what pivots must exceed; both in pivot order. */
static void take_sizes(AspFactor *f, const AspSparse *A, const AspFactorOptions *options) {
  const double *e = options->size;
  if (!e) {
    find_sizes(A, f->solve_x);
    e = f->solve_x;
  }
  for (int i = 0; i < f->n; i++) {
    double size = fabs(e[f->order[i]]);
    f->size[i] = size;
    f->least[i] = options->pivot_tolerance * size * size;
  }
  for (int i = 0; i < f->n && options->sign; i++)
    f->sign[i] = options->sign[f->order[i]];
}

AspError asp_factor_compute(AspFactor *f, const AspSparse *A, const AspFactorOptions *options, AspFactorInfo *info) {
  if (!f->analysed || A->columns != f->n || asp_sparse_entries(A) != f->entries)
    return asp_fail(f->context, ASP_ERROR_ARGUMENT, "%d x %d matrix with %d entries: not the pattern that was analysed",
                    A->rows, A->columns, asp_sparse_entries(A));
  AspFactorOptions chosen = options ? *options : asp_factor_default_options();
  take_sizes(f, A, &chosen);
  FrontPivots pivots = {.tolerance = chosen.pivot_tolerance,
                        .size = f->size,
                        .least = f->least,
                        .regularisation = chosen.regularisation,
                        .smallest = INFINITY,
                        .first = -1,
                        .order = f->order,
                        .sign = chosen.sign ? f->sign : NULL};
  for (int s = 0; s < f->fronts; s++) {
    const Front *front = &f->front[s];
    double *P = f->value + front->values;
    assemble(f, front, A->value);
    pivots.first_pivot = front->first;
    if (f->kind == ASP_FACTOR_LDLT)
      asp_front_ldlt(f->kernels, front->width, front->width + front->below, P, f->inverse_pivot + front->first,
                     f->front_scratch, &pivots);
    else
      asp_front_lu(f->kernels, front->width, front->below, P, f->inverse_pivot + front->first,
                   f->exchange + front->first, f->front_scratch, &pivots);
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
