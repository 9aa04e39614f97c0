/* Singular values and eigenvalues (dense.h), by rotations (Golub and Van Loan 2013, sections 8.5 and 8.6.4): pairs
 * of columns are made orthogonal, or off-diagonal entries zero, one after the other until none is left.
 *
 * Columns count as orthogonal by what n products leave of rounding, and a column that is no longer than the rounding of
 * the whole matrix is left as it is: it has no direction that a rotation could find. Singular values are off by as much
 * as that at most, n epsilons of the largest. Depends on base. */
#include "base/elementary.h"
#include "linalg/dense.h"
#include "linalg/tuning/linalg.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static AspError require_finite(AspContext *context, int n, const double *A, bool lower) {
  for (int j = 0; j < n; j++)
    for (int i = lower ? j : 0; i < n; i++)
      if (!isfinite(A[i + (size_t)j * (size_t)n]))
        return asp_fail(context, ASP_ERROR_INPUT, "dense matrix: entry (%d, %d) is %g, not a finite number", i, j,
                        A[i + (size_t)j * (size_t)n]);
  return ASP_OK;
}

static int ascending(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static int descending(const void *left, const void *right) { return ascending(right, left); }

/* tan of the angle that makes (a, c; c, b) diagonal, the smaller of the two */
static double tangent(double a, double b, double c) {
  double zeta = (b - a) / (2 * c);
  return fabs(zeta) > 1 / DBL_EPSILON ? 0.5 / zeta : copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
}

/* One pair of columns made orthogonal; false: they are, or one is no longer than `least`. */
static bool rotate_columns(int n, double least, double *a, double *b) {
  double aa = 0, bb = 0, ab = 0;
  for (int i = 0; i < n; i++) {
    aa += a[i] * a[i];
    bb += b[i] * b[i];
    ab += a[i] * b[i];
  }
  if (!(fabs(ab) > n * DBL_EPSILON * sqrt(aa) * sqrt(bb)) || !(sqrt(fmin(aa, bb)) > least))
    return false;
  double t = tangent(aa, bb, ab), c = 1 / sqrt(1 + t * t), s = c * t;
  for (int i = 0; i < n; i++) {
    double x = a[i];
    a[i] = c * x - s * b[i];
    b[i] = s * x + c * b[i];
  }
  return true;
}

AspError asp_dense_singular_values(AspArena *arena, int n, double *A, double *value) {
  ASP_TRY(require_finite(arena->context, n, A, false));
  size_t size = (size_t)n * (size_t)n;
  double largest = 0;
  for (size_t i = 0; i < size; i++)
    largest = fmax(largest, fabs(A[i]));
  double square = 0;
  for (size_t i = 0; i < size && largest > 0; i++) {
    A[i] /= largest; // squares neither overflow nor vanish
    square += A[i] * A[i];
  }
  double least = n * DBL_EPSILON * sqrt(square);
  bool turned = true;
  for (int sweep = 0; turned && sweep < JACOBI_SWEEPS_MOST; sweep++) {
    turned = false;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++)
        turned |= rotate_columns(n, least, A + (size_t)p * (size_t)n, A + (size_t)q * (size_t)n);
  }
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++)
      sum += A[i + (size_t)j * (size_t)n] * A[i + (size_t)j * (size_t)n];
    value[j] = largest * sqrt(sum);
  }
  qsort(value, (size_t)n, sizeof *value, descending);
  return turned ? asp_fail(arena->context, ASP_ERROR_INTERNAL, "singular values of %d rows: no convergence", n)
                : ASP_OK;
}

/* Entry (p, q) of the symmetric matrix made zero; both triangles are kept. */
static void rotate_both(int n, double *A, int p, int q) {
  double *a = A + (size_t)p * (size_t)n, *b = A + (size_t)q * (size_t)n;
  double app = a[p], bqq = b[q], apq = b[p], t = tangent(app, bqq, apq), c = 1 / sqrt(1 + t * t), s = c * t;
  for (int i = 0; i < n; i++) {
    double x = a[i];
    a[i] = c * x - s * b[i];
    b[i] = s * x + c * b[i];
  }
  for (int i = 0; i < n; i++) {
    A[p + (size_t)i * (size_t)n] = a[i];
    A[q + (size_t)i * (size_t)n] = b[i];
  }
  a[p] = app - t * apq;
  b[q] = bqq + t * apq;
  a[q] = b[p] = 0;
}

AspError asp_dense_symmetric_eigenvalues(AspArena *arena, int n, double *A, double *value) {
  ASP_TRY(require_finite(arena->context, n, A, true));
  double size = 0;
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      A[j + (size_t)i * (size_t)n] = A[i + (size_t)j * (size_t)n];
      size = asp_hypot(size, A[i + (size_t)j * (size_t)n]);
    }
  bool turned = size > 0;
  for (int sweep = 0; turned && sweep < JACOBI_SWEEPS_MOST; sweep++) {
    turned = false;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++)
        if (fabs(A[p + (size_t)q * (size_t)n]) > JACOBI_ZERO * DBL_EPSILON * size) {
          rotate_both(n, A, p, q);
          turned = true;
        }
  }
  for (int i = 0; i < n; i++)
    value[i] = A[i + (size_t)i * (size_t)n];
  qsort(value, (size_t)n, sizeof *value, ascending);
  return turned ? asp_fail(arena->context, ASP_ERROR_INTERNAL, "eigenvalues of %d rows: no convergence", n) : ASP_OK;
}
