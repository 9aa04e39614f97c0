/* Band matrices: see band.h. */
#include "linalg/band.h"

#include <math.h>

AspBand asp_band_take(AspArena *arena, int n, int w) {
  return (AspBand){n, w, ASP_TAKE(arena, double, band_entries(n, w))};
}

void asp_band_add_product(const AspBand *A, double factor, const double *x, double *y) {
  for (int j = 0; j < A->n; j++) {
    double s = factor * x[j];
    const double *column = band_at(A, 0, j);
    for (int i = band_first(A, j); i <= band_last(A, j); i++)
      y[i] += s * column[i];
  }
}

bool asp_band_factor(AspBand *A) {
  for (int j = 0; j < A->n; j++) {
    double *column = band_at(A, 0, j), pivot = column[j];
    if (!(fabs(pivot) > 0) || !isfinite(pivot))
      return false;
    int last = band_last(A, j);
    for (int k = j + 1; k <= last; k++) { // right-looking: column k loses L_kj times column j
      double part = column[k] / pivot, *next = band_at(A, 0, k);
      for (int i = k; i <= last && part != 0; i++)
        next[i] -= part * column[i];
    }
    for (int i = j + 1; i <= last; i++)
      column[i] /= pivot;
  }
  return true;
}

void asp_band_solve(const AspBand *A, double *x) {
  for (int j = 0; j < A->n; j++) {
    const double *column = band_at(A, 0, j);
    for (int i = j + 1; i <= band_last(A, j); i++)
      x[i] -= column[i] * x[j];
  }
  for (int j = A->n - 1; j >= 0; j--) {
    const double *column = band_at(A, 0, j);
    double sum = x[j] / column[j];
    for (int i = j + 1; i <= band_last(A, j); i++)
      sum -= column[i] * x[i];
    x[j] = sum;
  }
}
