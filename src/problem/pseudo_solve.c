/* A x = b with A = W_ee, the Delassus matrix of EQUALITY rows. Scaled to unit diagonal, A' = D A D, x = D x',
 * D_ii = |A_ii|^-1/2, and solved
 *   - by LU with one step of refinement when A' is regular,
 *   - else by its singular values, those below RANK_TOLERANCE of the largest taken as zero: the smallest x' of all
 *     least-squares solutions.
 * Depends on LAPACK.
 */
#include "problem/pseudo_solve.h"

#include <lapacke.h>
#include <math.h>

#define RANK_TOLERANCE 1e-11 /* relative to the largest singular value of the scaled matrix */

/* D, and A' = D A D, B' = D B in place */
static void scale_system(int n, double *A, int count, double *B, double *D) {
  size_t ld = (size_t)n;
  for (size_t i = 0; i < ld; i++) {
    double diagonal = fabs(A[i * ld + i]);
    D[i] = diagonal > 0 ? 1 / sqrt(diagonal) : 1;
  }
  for (size_t j = 0; j < ld; j++)
    for (size_t i = 0; i < ld; i++)
      A[j * ld + i] *= D[i] * D[j];
  for (size_t j = 0; j < (size_t)count; j++)
    for (size_t i = 0; i < ld; i++)
      B[j * ld + i] *= D[i];
}

/* X = A^-1 B with one step of refinement; false when A is singular or nearly so. */
static AspError solve_regular(AspArena *arena, int n, const double *A, int count, double *B, bool *regular) {
  size_t ld = (size_t)n, width = (size_t)count;
  double *LU = ASP_TAKE(arena, double, ld *ld);
  double *X = ASP_TAKE(arena, double, ld *width);
  double *work = ASP_TAKE(arena, double, 4 * ld);
  int *pivots = ASP_TAKE(arena, int, n), *integers = ASP_TAKE(arena, int, n);
  if (!LU || !X || !work || !pivots || !integers)
    return ASP_ERROR_MEMORY;
  memcpy(LU, A, ld * ld * sizeof *LU);
  double norm = LAPACKE_dlange_work(LAPACK_COL_MAJOR, '1', n, n, A, n, work), reciprocal = 0;
  *regular = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, LU, n, pivots) == 0 &&
             LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', n, LU, n, norm, &reciprocal, work, integers) == 0 &&
             reciprocal > RANK_TOLERANCE;
  if (!*regular)
    return ASP_OK;
  memcpy(X, B, ld * width * sizeof *X);
  LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, count, LU, n, pivots, X, n);
  for (size_t c = 0; c < width; c++) // B <- B - A X
    for (size_t j = 0; j < ld; j++)
      for (size_t i = 0; i < ld; i++)
        B[c * ld + i] -= A[j * ld + i] * X[c * ld + j];
  LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, count, LU, n, pivots, B, n);
  for (size_t i = 0; i < ld * width; i++)
    B[i] += X[i];
  return ASP_OK;
}

static AspError solve_singular(AspArena *arena, int n, double *A, int count, double *B, int *rank) {
  double size = 0;
  int integer_size = 0;
  if (LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, n, n, count, NULL, n, NULL, n, NULL, RANK_TOLERANCE, rank, &size, -1,
                          &integer_size) != 0)
    return asp_fail(arena->context, ASP_ERROR_INTERNAL, "singular values: workspace of a %d x %d system refused", n, n);
  double *values = ASP_TAKE(arena, double, n), *work = ASP_TAKE(arena, double, size);
  int *integers = ASP_TAKE(arena, int, integer_size);
  if (!values || !work || !integers)
    return ASP_ERROR_MEMORY;
  if (LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, n, n, count, A, n, B, n, values, RANK_TOLERANCE, rank, work, (int)size,
                          integers) != 0)
    return asp_fail(arena->context, ASP_ERROR_INTERNAL, "singular values of a %d x %d system not found", n, n);
  return ASP_OK;
}

AspError asp_pseudo_solve(AspArena *arena, int n, double *A, int count, double *B, int *rank) {
  *rank = 0;
  if (n == 0 || count == 0)
    return ASP_OK;
  double *D = ASP_TAKE(arena, double, n);
  if (!D)
    return ASP_ERROR_MEMORY;
  scale_system(n, A, count, B, D);
  bool regular = false;
  ASP_TRY(solve_regular(arena, n, A, count, B, &regular));
  *rank = n;
  if (!regular)
    ASP_TRY(solve_singular(arena, n, A, count, B, rank));
  for (size_t j = 0; j < (size_t)count; j++)
    for (size_t i = 0; i < (size_t)n; i++)
      B[j * (size_t)n + i] *= D[i];
  return ASP_OK;
}
