/* Cubic splines with continuous second derivative m through points: for every inner point, with h_i = x_i+1 - x_i,
 *
 *   h_i-1 m_i-1 + 2 (h_i-1 + h_i) m_i + h_i m_i+1 = 6 (d_i - d_i-1),   d_i = (y_i+1 - y_i) / h_i,
 *
 * a symmetric tridiagonal system with a dominant diagonal (de Boor, A Practical Guide to Splines, 1978, ch. IV), so
 * that elimination without pivoting is safe. Ends: natural m = 0; clamped, slope 0: 2 h m_0 + h m_1 = 6 d_0 and its
 * mirror image; periodic: the system closes to a ring, solved with one rank-one correction (Sherman and Morrison).
 */
#include "model/spline.h"

/* Solves in place: rows with diagonal[i], off[i] between i and i + 1. Destroys `diagonal`. */
static void eliminate(int count, double *diagonal, const double *off, double *right) {
  for (int i = 1; i < count; i++) {
    double factor = off[i - 1] / diagonal[i - 1];
    diagonal[i] -= factor * off[i - 1];
    right[i] -= factor * right[i - 1];
  }
  for (int i = count - 1; i >= 0; i--)
    right[i] = (right[i] - (i + 1 < count ? off[i] * right[i + 1] : 0)) / diagonal[i];
}

static double slope(const double *x, const double *y, int i) { return (y[i + 1] - y[i]) / (x[i + 1] - x[i]); }

static void solve_open(int count, const double *x, const double *y, SplineEnds ends, double *work, double *curve) {
  double *diagonal = work, *off = work + count;
  int last = count - 1;
  for (int i = 0; i < last; i++)
    off[i] = x[i + 1] - x[i];
  for (int i = 1; i < last; i++) {
    diagonal[i] = 2 * (off[i - 1] + off[i]);
    curve[i] = 6 * (slope(x, y, i) - slope(x, y, i - 1)); // exact: of the equation above
  }
  if (ends == SPLINE_NATURAL) {
    curve[0] = curve[last] = 0;
    if (count > 2)
      eliminate(count - 2, diagonal + 1, off + 1, curve + 1);
    return;
  }
  diagonal[0] = 2 * off[0];
  curve[0] = 6 * slope(x, y, 0); // exact: of the equation above
  diagonal[last] = 2 * off[last - 1];
  curve[last] = -6 * slope(x, y, last - 1); // exact: the same
  eliminate(count, diagonal, off, curve);
}

/* Unknowns 0 .. n - 1 with n = count - 1; point n is point 0. A = T + u v^T, T tridiagonal, with
 *   u = (g, 0 .. 0, h),   v = (1, 0 .. 0, h / g). */
static void solve_ring(int count, const double *x, const double *y, double *work, double *curve) {
  int n = count - 1;
  double *diagonal = work, *off = work + n, *again = work + 2 * n, *correction = work + 3 * n;
  for (int i = 0; i < n; i++)
    off[i] = x[i + 1] - x[i];
  for (int i = 0; i < n; i++) {
    int before = i ? i - 1 : n - 1;
    diagonal[i] = 2 * (off[before] + off[i]);
    curve[i] = 6 * (slope(x, y, i) - slope(x, y, before)); // exact: of the equation above
    correction[i] = 0;
  }
  double corner = off[n - 1], g = -diagonal[0];
  diagonal[0] -= g;
  diagonal[n - 1] -= corner * corner / g;
  memcpy(again, diagonal, (size_t)n * sizeof *again);
  correction[0] = g;
  correction[n - 1] = corner;
  eliminate(n, diagonal, off, curve);
  eliminate(n, again, off, correction);
  double ratio = corner / g;
  double factor = (curve[0] + ratio * curve[n - 1]) / (1 + correction[0] + ratio * correction[n - 1]);
  for (int i = 0; i < n; i++)
    curve[i] -= factor * correction[i];
  curve[n] = curve[0];
}

AspError asp_spline_curvature(AspContext *context, int count, const double *x, const double *y, SplineEnds ends,
                              double *curve) {
  double *work = asp_allocate(context, 4 * (size_t)count, sizeof *work);
  if (!work)
    return ASP_ERROR_MEMORY;
  if (ends == SPLINE_PERIODIC)
    solve_ring(count, x, y, work, curve);
  else
    solve_open(count, x, y, ends, work, curve);
  asp_release(context, work);
  return ASP_OK;
}
