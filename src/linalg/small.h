/* Factorisations and solves of very small dense matrices, inline: written once for any n, unrolled by the compiler
 * where n is a constant (the 3x3 of a contact, the 6x6 of a body). Column-major, leading dimension n.
 *
 *   Cholesky  A = L L^T,   L overwrites the lower triangle of A;
 *   LDL^T     A = L D L^T, unit L below the diagonal, D on it (no pivoting: definite or quasi-definite A);
 *   LU        P A = L U with row exchanges, unit L below the diagonal, U on and above it.
 *
 * A factorisation returns false, with A destroyed, when a pivot is not usable: not positive (Cholesky), or at most
 * n eps times the largest entry of A (LDL^T, LU), or not finite. Depends on base only.
 */
#ifndef ASP_LINALG_SMALL_H
#define ASP_LINALG_SMALL_H

#include "base/base.h"

#include <float.h>
#include <math.h>

static inline bool asp_small_cholesky(int n, double *A) {
  for (int j = 0; j < n; j++) {
    double d = A[j + j * n];
    if (!(d > 0) || !isfinite(d))
      return false;
    d = sqrt(d);
    A[j + j * n] = d;
    double inverse = 1 / d;
    for (int i = j + 1; i < n; i++)
      A[i + j * n] *= inverse;
    for (int k = j + 1; k < n; k++)
      for (int i = k; i < n; i++)
        A[i + k * n] -= A[i + j * n] * A[k + j * n];
  }
  return true;
}

/* x := A^-1 x from the Cholesky factor */
static inline void asp_small_cholesky_solve(int n, const double *L, double *x) {
  for (int j = 0; j < n; j++) {
    x[j] /= L[j + j * n];
    for (int i = j + 1; i < n; i++)
      x[i] -= L[i + j * n] * x[j];
  }
  for (int j = n - 1; j >= 0; j--) {
    for (int i = j + 1; i < n; i++)
      x[j] -= L[i + j * n] * x[i];
    x[j] /= L[j + j * n];
  }
}

/* The size below which a pivot counts as zero. */
static inline double asp_small_threshold(int n, const double *A) {
  double largest = 0;
  for (int k = 0; k < n * n; k++)
    largest = fmax(largest, fabs(A[k]));
  return n * DBL_EPSILON * largest;
}

static inline bool asp_small_ldlt(int n, double *A) {
  double threshold = asp_small_threshold(n, A);
  for (int j = 0; j < n; j++) {
    double d = A[j + j * n];
    if (!(fabs(d) > threshold) || !isfinite(d))
      return false;
    for (int k = j + 1; k < n; k++) {
      double l = A[k + j * n] / d;
      for (int i = k; i < n; i++)
        A[i + k * n] -= A[i + j * n] * l;
    }
    for (int i = j + 1; i < n; i++)
      A[i + j * n] /= d;
  }
  return true;
}

static inline void asp_small_ldlt_solve(int n, const double *L, double *x) {
  for (int j = 0; j < n; j++)
    for (int i = j + 1; i < n; i++)
      x[i] -= L[i + j * n] * x[j];
  for (int j = n - 1; j >= 0; j--) {
    x[j] /= L[j + j * n];
    for (int i = j + 1; i < n; i++)
      x[j] -= L[i + j * n] * x[i];
  }
}

/* pivot[j]: the row exchanged with row j at step j */
static inline bool asp_small_lu(int n, double *A, int *pivot) {
  double threshold = asp_small_threshold(n, A);
  for (int j = 0; j < n; j++) {
    int p = j;
    for (int i = j + 1; i < n; i++)
      if (fabs(A[i + j * n]) > fabs(A[p + j * n]))
        p = i;
    pivot[j] = p;
    double d = A[p + j * n];
    if (!(fabs(d) > threshold) || !isfinite(d))
      return false;
    if (p != j)
      for (int k = 0; k < n; k++) {
        double t = A[j + k * n];
        A[j + k * n] = A[p + k * n];
        A[p + k * n] = t;
      }
    double inverse = 1 / d;
    for (int i = j + 1; i < n; i++)
      A[i + j * n] *= inverse;
    for (int k = j + 1; k < n; k++)
      for (int i = j + 1; i < n; i++)
        A[i + k * n] -= A[i + j * n] * A[j + k * n];
  }
  return true;
}

static inline void asp_small_lu_solve(int n, const double *LU, const int *pivot, double *x) {
  for (int j = 0; j < n; j++) {
    double t = x[pivot[j]];
    x[pivot[j]] = x[j];
    x[j] = t;
  }
  for (int j = 0; j < n; j++)
    for (int i = j + 1; i < n; i++)
      x[i] -= LU[i + j * n] * x[j];
  for (int j = n - 1; j >= 0; j--) {
    x[j] /= LU[j + j * n];
    for (int i = 0; i < j; i++)
      x[i] -= LU[i + j * n] * x[j];
  }
}

static inline bool asp_cholesky3(double A[9]) { return asp_small_cholesky(3, A); }
static inline bool asp_cholesky6(double A[36]) { return asp_small_cholesky(6, A); }
static inline void asp_cholesky3_solve(const double L[9], double x[3]) { asp_small_cholesky_solve(3, L, x); }
static inline void asp_cholesky6_solve(const double L[36], double x[6]) { asp_small_cholesky_solve(6, L, x); }
static inline bool asp_ldlt3(double A[9]) { return asp_small_ldlt(3, A); }
static inline bool asp_ldlt6(double A[36]) { return asp_small_ldlt(6, A); }
static inline void asp_ldlt3_solve(const double L[9], double x[3]) { asp_small_ldlt_solve(3, L, x); }
static inline void asp_ldlt6_solve(const double L[36], double x[6]) { asp_small_ldlt_solve(6, L, x); }
static inline bool asp_lu3(double A[9], int pivot[3]) { return asp_small_lu(3, A, pivot); }
static inline bool asp_lu6(double A[36], int pivot[6]) { return asp_small_lu(6, A, pivot); }
static inline void asp_lu3_solve(const double LU[9], const int pivot[3], double x[3]) {
  asp_small_lu_solve(3, LU, pivot, x);
}
static inline void asp_lu6_solve(const double LU[36], const int pivot[6], double x[6]) {
  asp_small_lu_solve(6, LU, pivot, x);
}

/* The positive semidefinite part of a symmetric A, n at most 6: negative eigenvalues become 0. By Jacobi's rotations,
 * in a fixed number of sweeps at most (Golub and Van Loan, section 8.5). */
void asp_small_clamp(int n, double *A);
/* Eigenvalues of a symmetric 3 x 3 matrix and its eigenvectors, the columns of V: a right-handed frame. */
void asp_small_principal(const double A[9], double value[3], double V[9]);

#endif
