/* The positive semidefinite part of small symmetric matrices. */
#include "linalg/small.h"
#include "world/scene_runner.h"

/* A = Q diag(d) Q^T with Q a Householder reflection along u. */
static void make(int n, const double *d, const double *u, double *A) {
  double square = 0;
  for (int i = 0; i < n; i++)
    square += u[i] * u[i];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      A[i + j * n] = 0;
      for (int k = 0; k < n; k++)
        A[i + j * n] += ((i == k) - 2 * u[i] * u[k] / square) * d[k] * ((j == k) - 2 * u[j] * u[k] / square);
    }
}

static void negative_eigenvalues_become_zero_and_others_stay(void **state) {
  (void)state;
  const double u[6] = {0.3, -1, 0.2, 2, 0.7, -0.4}, d[6] = {5, -3, 0, 1e-8, 2e3, -1e3},
               expected[6] = {5, 0, 0, 1e-8, 2e3};
  for (int n = 1; n <= 6; n++) {
    double A[36], B[36];
    make(n, d, u, A);
    make(n, expected, u, B);
    asp_small_clamp(n, A);
    for (int k = 0; k < n * n; k++)
      assert_at_most(fabs(A[k] - B[k]), 1e-11);
  }
}

static void zero_stays_zero(void **state) {
  (void)state;
  double A[36] = {0};
  asp_small_clamp(6, A);
  for (int k = 0; k < 36; k++)
    assert_true(A[k] == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(negative_eigenvalues_become_zero_and_others_stay),
                                     cmocka_unit_test(zero_stays_zero)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
