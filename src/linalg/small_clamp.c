/* The positive semidefinite part of a small symmetric matrix, A = V D V^T -> V max(D, 0) V^T, by Jacobi's rotations:
 * each makes one pair of entries off the diagonal zero. Depends on base only. */
#include "linalg/small.h"
#include "linalg/tuning/linalg.h"

#include <string.h>

// exact: velocities of a body in space
#define MOST 6

/* Rotate the plane of p and q so that A_pq becomes 0; V collects the rotations. */
static inline __attribute__((always_inline)) void rotate(const int n, double *A, double *V, int p, int q) {
  double apq = A[p + q * n], tau = (A[q + q * n] - A[p + p * n]) / (2 * apq);
  double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau)), c = 1 / sqrt(1 + t * t), s = t * c;
  for (int k = 0; k < n; k++) {
    double kp = A[k + p * n], kq = A[k + q * n], vp = V[k + p * n], vq = V[k + q * n];
    A[k + p * n] = c * kp - s * kq;
    A[k + q * n] = s * kp + c * kq;
    V[k + p * n] = c * vp - s * vq;
    V[k + q * n] = s * vp + c * vq;
  }
  for (int k = 0; k < n; k++) {
    double pk = A[p + k * n], qk = A[q + k * n];
    A[p + k * n] = c * pk - s * qk;
    A[q + k * n] = s * pk + c * qk;
  }
  A[p + q * n] = A[q + p * n] = 0;
}

/* The n x n part of A from its diagonal entry `first` on; ld: size of A; entries up to `least` count as 0. */
static inline __attribute__((always_inline)) void clamp(const int n, int ld, int first, double least, double *A) {
  double B[MOST * MOST], V[MOST * MOST] = {0}, D[MOST];
  bool turned = true;
  for (int j = 0; j < n; j++)
    memcpy(B + j * n, A + (first + j) * ld + first, (size_t)n * sizeof *B);
  for (int i = 0; i < n; i++)
    V[i + i * n] = 1;
  for (int sweep = 0; turned && sweep < SMALL_SWEEPS_MOST; sweep++) {
    turned = false;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++)
        if (fabs(B[p + q * n]) > least) {
          rotate(n, B, V, p, q);
          turned = true;
        }
  }
  for (int i = 0; i < n; i++)
    D[i] = fmax(B[i + i * n], 0);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) { // exactly symmetric
      double sum = 0;
      for (int k = 0; k < n; k++)
        sum += V[i + k * n] * D[k] * V[j + k * n];
      A[first + i + (first + j) * ld] = A[first + j + (first + i) * ld] = sum;
    }
}

void asp_small_clamp(int n, double *A) {
  int first = 0; // columns of zeros stay as they are: the linear part of what acts on turns
  for (bool zero = true; first < n; first++) {
    for (int i = 0; zero && i < n; i++)
      zero = A[i + first * n] == 0;
    if (!zero)
      break;
  }
  double least = asp_small_threshold(n, A);
  if (n - first == 3) // turns alone: with constant sizes
    clamp(3, n, first, least, A);
  else
    clamp(n - first, n, first, least, A);
}
