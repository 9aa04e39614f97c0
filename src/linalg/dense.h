/* Dense factorisations, column-major throughout (entry (i, j) at A[i + j * lda]).
 *
 *   cholesky          A = L L^T, symmetric positive definite, lower triangle read and overwritten
 *   lu                P A = L U, general
 *   ldlt              A = P L D L^T P^T with 1x1 and 2x2 pivots (Bunch-Kaufman), symmetric indefinite, lower triangle
 *   pivoted cholesky  P^T A P = L L^T of rank r for symmetric positive semidefinite A (lower triangle), and from it the
 *                     solution of smallest norm of A x = b
 *
 * A factorisation says how it went: -1 when it succeeded, else the first index whose pivot failed (not positive,
 * exactly zero, or not finite). Scratch comes from the arena and is given back before return. Depends on base.
 *
 * Why not LAPACK: the matrices are small (docs/decisions/no-blas.md), and a BLAS chooses its code, so the last bits of
 * its results, by processor and number of threads.
 */
#ifndef ASP_LINALG_DENSE_H
#define ASP_LINALG_DENSE_H

#include "asperity/linalg.h"
#include "base/base.h"

/* C := C + A B^T;  A: m x k, B: n x k, C: m x n */
void asp_dense_add_product_transposed(int m, int n, int k, const double *A, int lda, const double *B, int ldb,
                                      double *C, int ldc);

int asp_dense_cholesky(int n, double *A, int lda);
/* X := A^-1 X, X with `columns` columns of leading dimension ldx (so below) */
void asp_dense_cholesky_solve(int n, const double *L, int lda, int columns, double *X, int ldx);

/* pivot: n */
int asp_dense_lu(int n, double *A, int lda, int *pivot);
void asp_dense_lu_solve(int n, const double *LU, int lda, const int *pivot, int columns, double *X, int ldx);

/* *failed: as above; pivot: n */
AspError asp_dense_ldlt(AspArena *arena, int n, double *A, int lda, int *pivot, int *failed);
void asp_dense_ldlt_solve(int n, const double *L, int lda, const int *pivot, int columns, double *X, int ldx);

/* A positive semidefinite matrix, factored so that singular systems have an answer. */
typedef struct AspSemidefinite {
  int n, rank;
  int *order;  /* n: order[i] is the index that stands at place i */
  double *QR;  /* n x rank: L = Q R with R in the upper triangle */
  double *tau; /* rank: the reflectors of Q */
} AspSemidefinite;
/* A (lower triangle) is destroyed. A pivot of at most `tolerance` times the largest diagonal entry ends the
 * factorisation; tolerance <= 0 takes n eps. S lies in the arena. Refused: entries that are not finite. */
AspError asp_dense_semidefinite(AspArena *arena, int n, double *A, int lda, double tolerance, AspSemidefinite *S);
/* x := the x of smallest norm among those that minimise ||A x - b||, b being x on entry. */
AspError asp_dense_semidefinite_solve(AspArena *arena, const AspSemidefinite *S, double *x);

/* x := the x of smallest norm among those that minimise ||A x - b||, b being x on entry; A (n x n, general) is
 * destroyed. Directions with pivots of at most `tolerance` times the largest are left out; *rank receives the number
 * of the others. */
AspError asp_dense_least_norm(AspArena *arena, int n, double *A, double tolerance, double *x, int *rank);

/* Singular values of an n x n matrix, largest first; A is destroyed. value: n */
AspError asp_dense_singular_values(AspArena *arena, int n, double *A, double *value);
/* Eigenvalues of a symmetric n x n matrix (lower triangle), smallest first; A is destroyed. value: n */
AspError asp_dense_symmetric_eigenvalues(AspArena *arena, int n, double *A, double *value);

#endif
