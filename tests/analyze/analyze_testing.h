/* Small contact problems in local form with a dense W, for tests of the enumeration. */
#ifndef ASP_ANALYZE_TESTING_H
#define ASP_ANALYZE_TESTING_H

#include "asperity/analyze.h"
#include "testing.h"

/* W and q (row-major) into a problem whose blocks are given by their laws. */
static inline AspContactProblem dense_problem(AspContext *context, int dimension, int blocks, const AspLaw *law,
                                              const double *W, const double *q) {
  AspContactProblem p;
  int rows = 0, sizes[64];
  for (int b = 0; b < blocks; b++) {
    bool friction = law[b].kind == ASP_LAW_COULOMB || law[b].kind == ASP_LAW_SLIDING;
    sizes[b] = friction ? dimension : 1;
    rows += sizes[b];
  }
  assert_ok(context, asp_problem_create(context, dimension, blocks, rows, 0, 0, 0, rows * rows, &p));
  for (int b = 0; b < blocks; b++) {
    p.law[b] = law[b];
    p.offset[b + 1] = p.offset[b] + sizes[b];
  }
  for (int j = 0; j < rows; j++) {
    p.W.start[j + 1] = (j + 1) * rows;
    for (int i = 0; i < rows; i++) {
      p.W.row[j * rows + i] = i;
      p.W.value[j * rows + i] = W[i * rows + j];
    }
    p.q[j] = q[j];
  }
  return p;
}

/* W = B^T B for a random B with `dofs` rows: rank min(dofs, rows). */
static inline void random_delassus(AspRandom *random, int dofs, int rows, double *W) {
  double B[64][64];
  for (int i = 0; i < dofs; i++)
    for (int j = 0; j < rows; j++)
      B[i][j] = asp_random_normal(random);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++) {
      W[i * rows + j] = 0;
      for (int k = 0; k < dofs; k++)
        W[i * rows + j] += B[k][i] * B[k][j];
    }
}

/* x := A^-1 x by elimination with row exchanges; false when a pivot is below 1e-9. Independent of the library. */
static inline bool plain_solve(int n, double *A, double *x) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[p * n + k]))
        p = i;
    if (fabs(A[p * n + k]) < 1e-9)
      return false;
    for (int j = 0; j < n; j++) {
      double t = A[k * n + j];
      A[k * n + j] = A[p * n + j];
      A[p * n + j] = t;
    }
    double t = x[k];
    x[k] = x[p];
    x[p] = t;
    for (int i = 0; i < n; i++) {
      double factor = i == k ? 0 : A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; j++)
        A[i * n + j] -= factor * A[k * n + j];
      x[i] -= factor * x[k];
    }
  }
  for (int k = 0; k < n; k++)
    x[k] /= A[k * n + k];
  return true;
}

#endif
