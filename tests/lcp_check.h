/* Checks of LCP answers that share no code with the solvers: violations in long double, solvability by going through
 * all complementary cones, infeasibility by the ray.
 */
#ifndef ASP_LCP_CHECK_H
#define ASP_LCP_CHECK_H

#include "asperity/problem.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define CHECK_MAX 12 /* largest n of the enumeration */

/* Largest of -z_i, -w_i, min(z_i, w_i), each relative to its own scale (z: the largest z; w: the largest of |q_i|, of
 * the row's terms, and of 1e-3 times its largest entry times the largest z); NaN counts as infinite. */
static inline double check_violation(const AspLcp *lcp, const double *z) {
  long double worst = 0, largest_z = 0;
  size_t n = (size_t)lcp->n;
  for (size_t i = 0; i < n; i++)
    largest_z = fmaxl(largest_z, fabsl(z[i]));
  for (size_t i = 0; i < n; i++) {
    long double w = lcp->q[i], size = fabsl(w);
    for (size_t j = 0; j < n; j++) {
      w += (long double)lcp->M[j * n + i] * z[j];
      size = fmaxl(size, fabsl((long double)lcp->M[j * n + i]) * fmaxl(fabsl(z[j]), 1e-3L * largest_z));
    }
    long double zi = z[i] == 0 ? 0 : z[i] / largest_z, wi = w == 0 ? 0 : w / size;
    long double violation = fabsl(fminl(zi, wi));
    if (!(violation <= worst))
      worst = isnan((double)violation) ? (long double)INFINITY : violation;
  }
  return (double)worst;
}

/* s: least squares of C s = q over the columns in the set, zero elsewhere; normal equations with row exchanges, a
 * dependent column is left at zero. */
static inline void check_least_squares(int n, double C[CHECK_MAX][CHECK_MAX], const double *q, const bool *in,
                                       double *s) {
  double A[CHECK_MAX][CHECK_MAX + 1];
  int index[CHECK_MAX], k = 0;
  for (int j = 0; j < n; j++) {
    s[j] = 0;
    if (in[j])
      index[k++] = j;
  }
  for (int a = 0; a < k; a++)
    for (int b = 0; b <= k; b++) {
      A[a][b] = 0;
      for (int i = 0; i < n; i++)
        A[a][b] += C[index[a]][i] * (b < k ? C[index[b]][i] : q[i]);
    }
  for (int c = 0; c < k; c++) {
    int p = c;
    for (int r = c + 1; r < k; r++)
      if (fabs(A[r][c]) > fabs(A[p][c]))
        p = r;
    for (int j = 0; j <= k; j++) {
      double t = A[c][j];
      A[c][j] = A[p][j];
      A[p][j] = t;
    }
    if (fabs(A[c][c]) < 1e-12)
      A[c][c] = INFINITY;
    for (int r = c + 1; r < k; r++)
      for (int j = k; j >= c; j--)
        A[r][j] -= A[r][c] / A[c][c] * A[c][j];
  }
  for (int c = k - 1; c >= 0; c--) {
    double sum = A[c][k];
    for (int j = c + 1; j < k; j++)
      sum -= isinf(A[c][c]) ? 0 : A[c][j] * s[index[j]];
    s[index[c]] = sum / A[c][c];
  }
}

/* y moves to the least-squares solution over the set, back to the boundary where an entry turns negative (which then
 * leaves the set), and so on. */
static inline void check_improve(int n, double C[CHECK_MAX][CHECK_MAX], const double *q, bool *in, double *y) {
  for (double step = 0; step < 1;) {
    double s[CHECK_MAX];
    check_least_squares(n, C, q, in, s);
    step = 1;
    for (int j = 0; j < n; j++)
      if (in[j] && s[j] <= 0 && y[j] > s[j])
        step = fmin(step, y[j] / (y[j] - s[j]));
    for (int j = 0; j < n; j++) {
      y[j] += in[j] ? step * (s[j] - y[j]) : 0;
      if (in[j] && step < 1 && y[j] <= 1e-14) {
        y[j] = 0;
        in[j] = false;
      }
    }
  }
}

/* Smallest ||C y - q|| with y >= 0 (Lawson and Hanson), C n x n by columns; good to about 1e-9. */
static inline double check_nnls(int n, double C[CHECK_MAX][CHECK_MAX], const double *q) {
  double y[CHECK_MAX] = {0}, previous = INFINITY;
  bool in[CHECK_MAX] = {false};
  for (int round = 0; round < 20 * n + 20; round++) {
    double rest[CHECK_MAX], norm = 0, gain = 1e-12;
    int enter = -1;
    for (int i = 0; i < n; i++) {
      rest[i] = q[i];
      for (int j = 0; j < n; j++)
        rest[i] -= C[j][i] * y[j];
      norm += rest[i] * rest[i];
    }
    for (int j = 0; j < n; j++) {
      double g = 0, length = 1e-300;
      for (int i = 0; i < n; i++) {
        g += C[j][i] * rest[i];
        length += C[j][i] * C[j][i];
      }
      if (!in[j] && g / sqrt(length) > gain) {
        gain = g / sqrt(length);
        enter = j;
      }
    }
    if (enter < 0 || norm >= previous || norm < 1e-26)
      return sqrt(fmin(norm, previous));
    previous = norm;
    in[enter] = true;
    check_improve(n, C, q, in, y);
  }
  return sqrt(previous);
}

/* C y = q by elimination with row exchanges. False when C is nearly singular; *inside: y >= 0 to within 1e-9. */
static inline bool check_cone_regular(int n, double C[CHECK_MAX][CHECK_MAX], const double *q, bool *inside) {
  double A[CHECK_MAX][CHECK_MAX + 1], y[CHECK_MAX], largest = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      A[i][j] = C[j][i];
    A[i][n] = q[i];
  }
  for (int c = 0; c < n; c++) {
    int p = c;
    for (int r = c + 1; r < n; r++)
      if (fabs(A[r][c]) > fabs(A[p][c]))
        p = r;
    if (fabs(A[p][c]) < 1e-10)
      return false;
    for (int j = 0; j <= n; j++) {
      double t = A[c][j];
      A[c][j] = A[p][j];
      A[p][j] = t;
    }
    for (int r = c + 1; r < n; r++)
      for (int j = n; j >= c; j--)
        A[r][j] -= A[r][c] / A[c][c] * A[c][j];
  }
  for (int c = n - 1; c >= 0; c--) {
    y[c] = A[c][n];
    for (int j = c + 1; j < n; j++)
      y[c] -= A[c][j] * y[j];
    y[c] /= A[c][c];
    largest = fmax(largest, fabs(y[c]));
  }
  *inside = true;
  for (int c = 0; c < n; c++)
    *inside = *inside && y[c] >= -1e-9 * largest;
  return true;
}

/* Is q in one of the 2^n complementary cones, to within 1e-9? */
static inline bool check_solvable(const AspLcp *lcp) {
  int n = lcp->n;
  double size = 0, C[CHECK_MAX][CHECK_MAX];
  for (int i = 0; i < n; i++)
    size = fmax(size, fabs(lcp->q[i]));
  for (uint32_t subset = 0; subset < (UINT32_C(1) << n); subset++) {
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        C[j][i] = subset >> j & 1 ? -lcp->M[(size_t)j * (size_t)n + (size_t)i] : i == j ? 1 : 0;
    bool inside = false;
    if (!check_cone_regular(n, C, lcp->q, &inside))
      inside = check_nnls(n, C, lcp->q) <= 1e-9 * size;
    if (inside)
      return true;
  }
  return false;
}

/* v of a secondary ray, whatever the covering vector: v >= 0, v != 0, and M reverses no sign the wrong way,
 * v_i (M v)_i <= 0. */
static inline bool check_is_ray(const AspLcp *lcp, const double *v) {
  size_t n = (size_t)lcp->n;
  double largest = 0;
  for (size_t i = 0; i < n; i++) {
    if (!(v[i] >= 0) || !isfinite(v[i]))
      return false;
    largest = fmax(largest, v[i]);
  }
  for (size_t i = 0; i < n; i++) {
    double y = 0, size = 0;
    for (size_t j = 0; j < n; j++) {
      y += lcp->M[j * n + i] * v[j];
      size = fmax(size, fabs(lcp->M[j * n + i]));
    }
    if (fmin(v[i], y / fmax(size, 1e-300)) > 1e-7 * largest)
      return false;
  }
  return largest > 0;
}

/* For copositive-plus M the ray proves that no z >= 0 has M z + q >= 0: v >= 0, M^T v <= 0, q . v < 0. */
static inline bool check_proves_infeasible(const AspLcp *lcp, const double *v) {
  size_t n = (size_t)lcp->n;
  double qv = 0, largest = 0;
  for (size_t i = 0; i < n; i++) {
    largest = fmax(largest, v[i]);
    qv += lcp->q[i] * v[i];
  }
  for (size_t j = 0; j < n; j++) {
    double sum = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
      sum += lcp->M[j * n + i] * v[i];
      size += fabs(lcp->M[j * n + i]) * largest;
    }
    if (sum > 1e-8 * size)
      return false;
  }
  return qv < 0 && largest > 0;
}

#endif
