/* The positive semidefinite part of a small symmetric matrix, A = V D V^T -> V max(D, 0) V^T, by Jacobi's rotations:
 * each makes one pair of entries off the diagonal zero; and the principal axes of a 3 x 3 matrix. Depends on base only.
 */
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

void asp_small_clamp(int n, double *A) {
  int zeros = 0, first; // columns of zeros stay as they are: the linear part of what acts on turns
  while (zeros < n * n && A[zeros] == 0)
    zeros++;
  first = zeros / n;
  double least = asp_small_threshold(n, A);
  if (n - first == 3) // turns alone: with constant sizes
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
