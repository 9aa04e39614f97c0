/* Sparse direct factorisation: see factor.h. */
#include "linalg/factor.h"

#include "linalg/dense.h"

#include <math.h>

struct AspFactor {
  AspContext *context;
  AspArena arena;
  int n;
  double *LU;
  int *pivot;
};

AspError asp_factor_create(AspContext *context, AspFactor **factor) {
  *factor = asp_allocate(context, 1, sizeof **factor);
  if (!*factor)
    return ASP_ERROR_MEMORY;
  (*factor)->context = context;
  asp_arena_init(&(*factor)->arena, context);
  return ASP_OK;
}

void asp_factor_destroy(AspFactor *factor) {
  if (!factor)
    return;
  asp_arena_free(&factor->arena);
  asp_release(factor->context, factor);
}

AspError asp_factor_analyse(AspFactor *factor, AspFactorKind kind, const AspSparse *A) {
  (void)kind;
  asp_arena_reset(&factor->arena);
  factor->n = A->columns;
  factor->LU = ASP_TAKE(&factor->arena, double, (size_t)A->columns *(size_t)A->columns);
  factor->pivot = ASP_TAKE(&factor->arena, int, A->columns);
  return factor->LU && factor->pivot ? ASP_OK : ASP_ERROR_MEMORY;
}

AspError asp_factor_compute(AspFactor *factor, const AspSparse *A, const AspFactorOptions *options,
                            AspFactorInfo *info) {
  (void)options;
  int n = factor->n;
  memset(factor->LU, 0, (size_t)n * (size_t)n * sizeof *factor->LU);
  for (int j = 0; j < n; j++)
    for (int k = A->start[j]; k < A->start[j + 1]; k++)
      factor->LU[A->row[k] + (size_t)j * (size_t)n] = A->value[k];
  int failed = asp_dense_lu(n, factor->LU, n, factor->pivot);
  if (info)
    *info = (AspFactorInfo){.set_aside = failed >= 0, .first = failed};
  return ASP_OK;
}

AspError asp_factor_solve(AspFactor *factor, int columns, double *X, int ldx) {
  asp_dense_lu_solve(factor->n, factor->LU, factor->n, factor->pivot, columns, X, ldx);
  return ASP_OK;
}
