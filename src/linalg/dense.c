/* Dense factorisations through LAPACK: see dense.h. The "_work" functions of LAPACKE are used because they neither
 * allocate nor scan for NaN; what is not finite shows up in the pivots. */
#include "linalg/dense.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>

#if defined(__GNUC__)
/* absent in other BLAS libraries: then the address is null */
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int) __attribute__((weak));
#endif

void asp_blas_single_thread(void) {
#if defined(__GNUC__)
  if (openblas_get_num_threads && openblas_set_num_threads && openblas_get_num_threads() != 1)
    openblas_set_num_threads(1);
#endif
}

void asp_dense_add_product_transposed(int m, int n, int k, const double *A, int lda, const double *B, int ldb,
                                      double *C, int ldc) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, m, n, k, 1, A, lda, B, ldb, 1, C, ldc);
}

/* The first index whose pivot is not finite, or -1. */
static int first_bad_pivot(int n, const double *A, int lda) {
  for (int i = 0; i < n; i++)
    if (!isfinite(A[i + (size_t)i * (size_t)lda]))
      return i;
  return -1;
}

static int outcome(lapack_int info, int n, const double *A, int lda) {
  return info != 0 ? (info > 0 ? (int)info - 1 : 0) : first_bad_pivot(n, A, lda);
}

int asp_dense_cholesky(int n, double *A, int lda) {
  asp_blas_single_thread();
  return outcome(LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, A, lda), n, A, lda);
}

void asp_dense_cholesky_solve(int n, const double *L, int lda, int columns, double *X, int ldx) {
  if (n > 0)
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, columns, L, lda, X, ldx);
}

int asp_dense_lu(int n, double *A, int lda, int *pivot) {
  asp_blas_single_thread();
  return outcome(LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, lda, pivot), n, A, lda);
}

void asp_dense_lu_solve(int n, const double *LU, int lda, const int *pivot, int columns, double *X, int ldx) {
  if (n > 0)
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, columns, LU, lda, pivot, X, ldx);
}

AspError asp_dense_ldlt(AspArena *arena, int n, double *A, int lda, int *pivot, int *failed) {
  asp_blas_single_thread();
  AspArenaMark mark = asp_arena_mark(arena);
  double wanted = 0;
  LAPACKE_dsytrf_work(LAPACK_COL_MAJOR, 'L', n, A, lda, pivot, &wanted, -1);
  lapack_int size = wanted > 1 ? (lapack_int)wanted : 1;
  double *work = ASP_TAKE(arena, double, size);
  if (!work)
    return ASP_ERROR_MEMORY;
  *failed = outcome(LAPACKE_dsytrf_work(LAPACK_COL_MAJOR, 'L', n, A, lda, pivot, work, size), n, A, lda);
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}

void asp_dense_ldlt_solve(int n, const double *L, int lda, const int *pivot, int columns, double *X, int ldx) {
  if (n > 0)
    LAPACKE_dsytrs_work(LAPACK_COL_MAJOR, 'L', n, columns, L, lda, pivot, X, ldx);
}

static AspError require_finite(AspContext *context, int n, const double *A, int lda) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++)
      if (!isfinite(A[i + (size_t)j * (size_t)lda]))
        return asp_fail(context, ASP_ERROR_INPUT, "dense matrix: entry (%d, %d) is %g, not a finite number", i, j,
                        A[i + (size_t)j * (size_t)lda]);
  return ASP_OK;
}

AspError asp_dense_semidefinite(AspArena *arena, int n, double *A, int lda, double tolerance, AspSemidefinite *S) {
  asp_blas_single_thread();
  ASP_TRY(require_finite(arena->context, n, A, lda));
  *S = (AspSemidefinite){.n = n, .order = ASP_TAKE(arena, int, n)};
  double *work = ASP_TAKE(arena, double, 2 * (size_t)n + 1);
  if (!S->order || !work)
    return ASP_ERROR_MEMORY;
  double largest = 0;
  for (int i = 0; i < n; i++)
    largest = fmax(largest, A[i + (size_t)i * (size_t)lda]);
  if (n > 0 && largest > 0)
    LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', n, A, lda, S->order, &S->rank,
                        (tolerance > 0 ? tolerance : n * DBL_EPSILON) * largest, work);
  for (int i = 0; i < n && S->rank > 0; i++)
    S->order[i]--; // LAPACK counts from one
  // L = Q R, so that A = Q R R^T Q^T and the pseudo-inverse is Q R^-T R^-1 Q^T
  S->QR = ASP_TAKE(arena, double, (size_t)n *(size_t)S->rank);
  S->tau = ASP_TAKE(arena, double, S->rank);
  double wanted = 0;
  LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, n, S->rank, S->QR, n > 0 ? n : 1, S->tau, &wanted, -1);
  lapack_int size = wanted > 1 ? (lapack_int)wanted : 1;
  double *qr_work = ASP_TAKE(arena, double, size);
  if (!S->QR || !S->tau || !qr_work)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < S->rank; j++)
    for (int i = j; i < n; i++)
      S->QR[i + (size_t)j * (size_t)n] = A[i + (size_t)j * (size_t)lda];
  if (S->rank > 0)
    LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, n, S->rank, S->QR, n, S->tau, qr_work, size);
  return ASP_OK;
}

AspError asp_dense_semidefinite_solve(AspArena *arena, const AspSemidefinite *S, double *x) {
  int n = S->n, r = S->rank;
  if (r == 0) {
    memset(x, 0, (size_t)n * sizeof *x);
    return ASP_OK;
  }
  AspArenaMark mark = asp_arena_mark(arena);
  double *y = ASP_TAKE(arena, double, n), *work = ASP_TAKE(arena, double, n);
  if (!y || !work)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < n; i++)
    y[i] = x[S->order[i]];
  LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', n, 1, r, S->QR, n, S->tau, y, n, work, n);
  LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', 'N', 'N', r, 1, S->QR, n, y, n);
  LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', 'T', 'N', r, 1, S->QR, n, y, n);
  memset(y + r, 0, (size_t)(n - r) * sizeof *y);
  LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'N', n, 1, r, S->QR, n, S->tau, y, n, work, n);
  for (int i = 0; i < n; i++)
    x[S->order[i]] = y[i];
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}

AspError asp_dense_least_norm(AspArena *arena, int n, double *A, double tolerance, double *x, int *rank) {
  asp_blas_single_thread();
  *rank = 0;
  ASP_TRY(require_finite(arena->context, n, A, n));
  if (n == 0)
    return ASP_OK;
  AspArenaMark mark = asp_arena_mark(arena);
  double wanted = 0;
  lapack_int found = 0, *order = ASP_TAKE(arena, lapack_int, n);
  if (!order)
    return ASP_ERROR_MEMORY;
  LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, n, n, 1, A, n, x, n, order, tolerance, &found, &wanted, -1);
  double *work = ASP_TAKE(arena, double, (size_t)wanted);
  if (!work)
    return ASP_ERROR_MEMORY;
  LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, n, n, 1, A, n, x, n, order, tolerance, &found, work, (lapack_int)wanted);
  asp_arena_rewind(arena, mark);
  *rank = (int)found;
  return ASP_OK;
}

AspError asp_dense_singular_values(AspArena *arena, int n, double *A, double *value) {
  asp_blas_single_thread();
  ASP_TRY(require_finite(arena->context, n, A, n));
  if (n == 0)
    return ASP_OK;
  AspArenaMark mark = asp_arena_mark(arena);
  double wanted = 0, none = 0;
  LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'N', 'N', n, n, A, n, value, &none, 1, &none, 1, &wanted, -1);
  double *work = ASP_TAKE(arena, double, (size_t)wanted);
  if (!work)
    return ASP_ERROR_MEMORY;
  lapack_int info =
      LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'N', 'N', n, n, A, n, value, &none, 1, &none, 1, work, (lapack_int)wanted);
  asp_arena_rewind(arena, mark);
  return info == 0 ? ASP_OK
                   : asp_fail(arena->context, ASP_ERROR_INTERNAL, "singular values of %d rows: no convergence", n);
}

AspError asp_dense_symmetric_eigenvalues(AspArena *arena, int n, double *A, double *value) {
  asp_blas_single_thread();
  ASP_TRY(require_finite(arena->context, n, A, n));
  if (n == 0)
    return ASP_OK;
  AspArenaMark mark = asp_arena_mark(arena);
  double wanted = 0;
  LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'N', 'L', n, A, n, value, &wanted, -1);
  double *work = ASP_TAKE(arena, double, (size_t)wanted);
  if (!work)
    return ASP_ERROR_MEMORY;
  lapack_int info = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'N', 'L', n, A, n, value, work, (lapack_int)wanted);
  asp_arena_rewind(arena, mark);
  return info == 0 ? ASP_OK : asp_fail(arena->context, ASP_ERROR_INTERNAL, "eigenvalues of %d rows: no convergence", n);
}
