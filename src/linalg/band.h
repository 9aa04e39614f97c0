/* Band matrices: n x n, entries where |i - j| <= w alone, by columns,
 *
 *   A_ij = a[2 w j + w + i]
 *
 * Symmetric ones have both triangles. L D L^T without exchanges serves positive definite and quasi-definite matrices in
 * n w^2 operations. Depends on base.
 */
#ifndef ASP_LINALG_BAND_H
#define ASP_LINALG_BAND_H

#include "base/base.h"

typedef struct AspBand {
  int n, w;
  double *a;
} AspBand;

static inline size_t band_entries(int n, int w) { return (size_t)n * (size_t)(2 * w + 1); }
static inline double *band_at(const AspBand *A, int i, int j) {
  return A->a + (size_t)(2 * A->w) * (size_t)j + (size_t)(A->w + i);
}
/* The rows of column j: first .. last. */
static inline int band_first(const AspBand *A, int j) { return j > A->w ? j - A->w : 0; }
static inline int band_last(const AspBand *A, int j) { return j + A->w < A->n ? j + A->w : A->n - 1; }

/* A zero matrix on the arena; a = NULL when out of memory. */
AspBand asp_band_take(AspArena *arena, int n, int w);
/* y += factor A x */
void asp_band_add_product(const AspBand *A, double factor, const double *x, double *y);
/* The lower triangle becomes L, the diagonal D. False: a pivot is zero or not finite. */
bool asp_band_factor(AspBand *A);
/* x := A^-1 x with the factors */
void asp_band_solve(const AspBand *A, double *x);

#endif
