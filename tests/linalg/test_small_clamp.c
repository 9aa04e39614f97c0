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

/* All signs, and eigenvalues as close as one likes to zero and to each other: the distance to A's part is rounding. */
static void part_of_turns_is_that_of_its_eigenvalues(void **state) {
  (void)state;
  AspRandom draw = {20261};
  for (int trial = 0; trial < 20000; trial++) {
    double d[3], u[3], expected[3], A[36] = {0}, B[9], C[9], scale = pow(10, asp_random_uniform(&draw, -8, 8)),
                                    most = 0;
    for (int i = 0; i < 3; i++) {
      u[i] = asp_random_uniform(&draw, -1, 1);
      d[i] = scale * asp_random_uniform(&draw, -1, 1) * pow(10, trial % 3 * asp_random_uniform(&draw, -6, 0));
      most = fmax(most, fabs(d[i]));
    }
    if (trial % 5 == 0)
      d[1] = d[0] * (1 + pow(10, asp_random_uniform(&draw, -17, -3)));
    for (int i = 0; i < 3; i++)
      expected[i] = fmax(d[i], 0);
    make(3, d, u, C);
    make(3, expected, u, B);
    for (int j = 0; j < 3; j++) // the angular part of a body's six velocities
      for (int i = 0; i < 3; i++)
        A[(j + 3) * 6 + i + 3] = i > j ? C[j * 3 + i] : C[i * 3 + j];
    asp_small_clamp(6, A);
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) {
        assert_at_most(fabs(A[(j + 3) * 6 + i + 3] - B[j * 3 + i]), 1e-13 * most);
        assert_true(A[(j + 3) * 6 + i + 3] == A[(i + 3) * 6 + j + 3]);
      }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(negative_eigenvalues_become_zero_and_others_stay),
                                     cmocka_unit_test(zero_stays_zero),
                                     cmocka_unit_test(part_of_turns_is_that_of_its_eigenvalues)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
