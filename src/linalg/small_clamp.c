/* The positive semidefinite part of a small symmetric matrix, A = V D V^T -> V max(D, 0) V^T, by Jacobi's rotations:
 * each makes one pair of entries off the diagonal zero; and the principal axes of a 3 x 3 matrix.
 *
 * The part of a 3 x 3 matrix takes one eigenpair only, that of the eigenvalue l whose sign the other two have not: it
 * is A - l v v^T where l < 0, and l v v^T where l > 0. l is the outermost root of
 *
 *   p(x) = det(x - A) = x^3 - trace x^2 + minors x - det,
 *
 * which Newton's method reaches from outside without passing it, v the longest product of two rows of A - l. Where
 * p'(l), the product of l's distances to the others, is small, l is not known well enough, and rotations take over.
 * Depends on base only. */
#include "linalg/small.h"
#include "linalg/tuning/linalg.h"

#include <string.h>

// exact: velocities of a body in space
#define MOST 6

/* Rotate the plane of p and q so that A_pq becomes 0; V collects the rotations. A: lower triangle, row >= column.
 * n is a constant where it is called. */
static inline __attribute__((always_inline)) void rotate(const int n, double *A, double *V, int p, int q) {
  double apq = A[q + p * n], tau = (A[q + q * n] - A[p + p * n]) / (2 * apq);
  double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau)), c = 1 / sqrt(1 + t * t), s = t * c;
  A[p + p * n] -= t * apq;
  A[q + q * n] += t * apq;
  A[q + p * n] = 0;
  for (int k = 0; k < n; k++) {
    double vp = V[k + p * n], vq = V[k + q * n];
    V[k + p * n] = c * vp - s * vq;
    V[k + q * n] = s * vp + c * vq;
    if (k == p || k == q)
      continue;
    double *kp = k > p ? &A[k + p * n] : &A[p + k * n], *kq = k > q ? &A[k + q * n] : &A[q + k * n], a = *kp;
    *kp = c * a - s * *kq;
    *kq = s * a + c * *kq;
  }
}

/* V max(D, 0) V^T into the part of A from its diagonal entry `first` on, exactly symmetric. */
static inline __attribute__((always_inline)) void put_back(const int n, const double *D, const double *V, int ld,
                                                           int first, double *A) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++)
        sum += V[i + k * n] * fmax(D[k + k * n], 0) * V[j + k * n];
      A[first + i + (first + j) * ld] = A[first + j + (first + i) * ld] = sum;
    }
}

/* B becomes diagonal, V collects the rotations; entries up to `least` count as 0. */
static inline __attribute__((always_inline)) void diagonalize(const int n, double least, double *B, double *V) {
  bool turned = true;
  for (int i = 0; i < n; i++)
    V[i + i * n] = 1;
  for (int sweep = 0; turned && sweep < SMALL_SWEEPS_MOST; sweep++) {
    turned = false;
#pragma GCC unroll 3
    for (int p = 0; p < n; p++)
#pragma GCC unroll 3
      for (int q = p + 1; q < n; q++)
        if (fabs(B[q + p * n]) > least) {
          rotate(n, B, V, p, q);
          turned = true;
        }
  }
}

/* The n x n part of A from its diagonal entry `first` on; ld: size of A; entries up to `least` count as 0. */
static inline __attribute__((always_inline)) void clamp(const int n, int ld, int first, double least, double *A) {
  double B[MOST * MOST], V[MOST * MOST] = {0};
  for (int j = 0; j < n; j++)
    memcpy(B + j * n, A + (first + j) * ld + first, (size_t)n * sizeof *B);
  diagonalize(n, least, B, V);
  put_back(n, B, V, ld, first, A);
}

/* p and p' at x; c: coefficients of x^2, x, 1 */
static inline double characteristic(const double c[3], double x, double *slope) {
  *slope = (3 * x + 2 * c[0]) * x + c[1];
  return ((x + c[0]) * x + c[1]) * x + c[2];
}

/* Of p, by Newton's method from outside: it moves inwards by ever less, up to rounding. */
static inline double outermost_root(const double c[3], double from, double *slope) {
  double root = from, last = fabs(from);
  for (int step = 0; step < SMALL_SWEEPS_MOST; step++) {
    double change = characteristic(c, root, slope) / *slope;
    if (!(fabs(change) < last))
      break;
    root -= change;
    last = fabs(change);
    if (last < SMALL_ROOT_CHANGE)
      break;
  }
  return root;
}

/* The longest product of two rows of A - l; its square is the returned length. */
static inline double longest_product(const double D[3], const double B[3], double l, double v[3]) {
  double a = D[0] - l, b = D[1] - l, c = D[2] - l;
  const double products[3][3] = {{B[0] * B[2] - B[1] * b, B[1] * B[0] - a * B[2], a * b - B[0] * B[0]},
                                 {B[0] * c - B[1] * B[2], B[1] * B[1] - a * c, a * B[2] - B[0] * B[1]},
                                 {b * c - B[2] * B[2], B[2] * B[1] - B[0] * c, B[0] * B[2] - b * B[1]}};
  double most = 0;
  for (int i = 0; i < 3; i++) {
    const double *w = products[i];
    double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    if (!(square > most))
      continue;
    most = square;
    memcpy(v, w, 3 * sizeof *v);
  }
  return most;
}

/* The 3 x 3 part of A from its diagonal entry `first` on; false: nothing was done, rotations are needed. */
static bool clamp_by_root(int ld, int first, double *A) {
  double *own = A + first * ld + first, scale = 0, slope, v[3];
  for (int j = 0; j < 3; j++)
    for (int i = j; i < 3; i++)
      scale = fabs(own[i + j * ld]) > scale ? fabs(own[i + j * ld]) : scale;
  if (!(scale > SMALL_ROOT_LEAST && scale < 1 / SMALL_ROOT_LEAST))
    return false;
  double inverse = 1 / scale, bound = 3; // no eigenvalue is farther out than the sum of a row
  const double D[3] = {own[0] * inverse, own[1 + ld] * inverse, own[2 + 2 * ld] * inverse};
  const double B[3] = {own[1] * inverse, own[2] * inverse, own[2 + ld] * inverse}; // entries 21, 31, 32
  double trace = D[0] + D[1] + D[2];
  double minors = (D[0] * D[1] - B[0] * B[0]) + (D[0] * D[2] - B[1] * B[1]) + (D[1] * D[2] - B[2] * B[2]);
  double det =
      D[0] * (D[1] * D[2] - B[2] * B[2]) - B[0] * (B[0] * D[2] - B[1] * B[2]) + B[1] * (B[0] * B[2] - B[1] * D[1]);
  if (!(fabs(det) > SMALL_ROOT_APART)) // rounding may decide signs
    return false;
  if (minors > 0 && (det > 0) == (trace > 0)) { // all eigenvalues have one sign
    for (int j = 0; det < 0 && j < 3; j++)
      memset(own + j * ld, 0, 3 * sizeof *own);
    return true;
  }
  double root = outermost_root((const double[3]){-trace, minors, -det}, det < 0 ? -bound : bound, &slope);
  if (!(slope > SMALL_ROOT_APART))
    return false;
  double share = longest_product(D, B, root, v);
  share = root * scale / share;
  for (int j = 0; j < 3; j++)
    for (int i = j; i < 3; i++) {
      double part = share * (v[i] * v[j]), entry = root < 0 ? own[i + j * ld] - part : part;
      own[i + j * ld] = own[j + i * ld] = entry;
    }
  return true;
}

void asp_small_clamp(int n, double *A) {
  int zeros = 0, first; // columns of zeros stay as they are: the linear part of what acts on turns
  while (zeros < n * n && A[zeros] == 0)
    zeros++;
  first = zeros / n;
  if (n - first == 3 && clamp_by_root(n, first, A)) // turns alone
    return;
  double least = asp_small_threshold(n, A);
  if (n - first == 3) // with constant sizes
    clamp(3, n, first, least, A);
  else
    clamp(n - first, n, first, least, A);
}

void asp_small_principal(const double A[9], double value[3], double V[9]) {
  double B[9];
  memcpy(B, A, sizeof B);
  memset(V, 0, 9 * sizeof *V);
  diagonalize(3, asp_small_threshold(3, A), B, V); // rotations only: the frame stays right-handed
  for (int i = 0; i < 3; i++)
    value[i] = B[4 * i];
}
