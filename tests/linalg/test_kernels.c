/* kernels: every table that this processor runs, against plain loops. */
#include "linalg/kernels.h"
#include "testing.h"

enum { LD = 80, SIZE = LD * 80 };

static void fill(AspRandom *random, double *x) {
  for (int k = 0; k < SIZE; k++)
    x[k] = asp_random_normal(random);
}

static void products_agree_with_plain_loops_at_every_size(void **state) {
  (void)state;
  static double A[SIZE], B[SIZE], C[SIZE], before[SIZE];
  AspRandom random = {41};
  fill(&random, A), fill(&random, B), fill(&random, before);
  for (int t = 0; asp_kernels_at(t); t++)
    for (int round = 0; round < 400; round++) {
      int m = 1 + (int)asp_random_uniform(&random, 0, 70), n = 1 + (int)asp_random_uniform(&random, 0, 20);
      int k = round % 9 == 0 ? 0 : (int)asp_random_uniform(&random, 0, 70);
      bool add = round % 2, lower = round % 3 == 0, transposed = round % 5 == 0;
      memcpy(C, before, sizeof C);
      asp_kernels_at(t)->minus_product(m, n, k, A, LD, B, transposed ? LD : 1, transposed ? 1 : LD, add, lower, C, LD);
      for (int j = 0; j < n; j++) {
        for (int i = lower ? j : 0; i < m; i++) {
          double sum = add ? before[i + j * LD] : 0;
          for (int p = 0; p < k; p++)
            sum -= A[i + p * LD] * B[transposed ? j * LD + p : j + p * LD];
          assert_near(C[i + j * LD], sum, 1e-12);
        }
        for (int i = m + ASP_PAD; i < LD; i++) // beyond the padding nothing is touched
          assert_true(C[i + j * LD] == before[i + j * LD]);
      }
    }
}

static void deep_products_are_summed_in_parts(void **state) {
  (void)state;
  enum { k = 300, m = 9, n = 7, ld = 16 };
  static double A[ld * k], B[ld * k], C[ld * n];
  AspRandom random = {42};
  for (int i = 0; i < ld * k; i++) {
    A[i] = asp_random_normal(&random);
    B[i] = asp_random_normal(&random);
  }
  for (int t = 0; asp_kernels_at(t); t++) {
    asp_kernels_at(t)->minus_product(m, n, k, A, ld, B, 1, ld, false, false, C, ld);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int p = 0; p < k; p++)
          sum -= A[i + p * ld] * B[j + p * ld];
        assert_near(C[i + j * ld], sum, 1e-11);
      }
  }
}

static void triangular_solves_undo_the_triangle(void **state) {
  (void)state;
  static double X[SIZE], Y[SIZE], T[SIZE], start[SIZE];
  AspRandom random = {43};
  fill(&random, start), fill(&random, T);
  for (int k = 0; k < SIZE; k++)
    T[k] *= 0.2;
  for (int t = 0; asp_kernels_at(t); t++)
    for (int round = 0; round < 200; round++) {
      int m = (int)asp_random_uniform(&random, 0, 70), n = 1 + (int)asp_random_uniform(&random, 0, 24);
      bool apart = round % 2, transposed = round % 3 == 0;
      double scale[24], *y = apart ? Y : X;
      int tj = transposed ? LD : 1, tk = transposed ? 1 : LD;
      memcpy(X, start, sizeof X);
      for (int j = 0; j < n; j++)
        scale[j] = asp_random_normal(&random);
      asp_kernels_at(t)->solve_rows(m, n, X, LD, y, LD, T, tj, tk, apart ? scale : NULL);
      for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
          double sum = y[i + j * LD];
          for (int p = 0; p < j; p++)
            sum += y[i + p * LD] * T[j * tj + p * tk];
          assert_near(sum, start[i + j * LD], 1e-11);
          if (apart)
            assert_near(X[i + j * LD], y[i + j * LD] * scale[j], 1e-12);
        }
    }
}

static void transposed_products_agree_with_plain_loops(void **state) {
  (void)state;
  static double A[SIZE];
  AspRandom random = {44};
  fill(&random, A);
  for (int t = 0; asp_kernels_at(t); t++)
    for (int m = 0; m < 40; m++) {
      double v[80] = {0}, x[13], expected[13];
      int n = m % 13;
      for (int i = 0; i < m; i++)
        v[i] = asp_random_normal(&random);
      for (int j = 0; j < n; j++) {
        x[j] = expected[j] = asp_random_normal(&random);
        for (int i = 0; i < m; i++)
          expected[j] -= A[i + j * LD] * v[i];
      }
      asp_kernels_at(t)->minus_transposed(m, n, A, LD, v, x);
      for (int j = 0; j < n; j++)
        assert_near(x[j], expected[j], 1e-12);
    }
}

static void runs_are_added_to_their_places(void **state) {
  (void)state;
  static double C[SIZE], target[SIZE], expected[SIZE];
  const AspRun run[3] = {{0, 3, 6}, {6, 20, 13}, {19, 40, 1}};
  AspRandom random = {45};
  for (int t = 0; asp_kernels_at(t); t++)
    for (int lower = 0; lower < 2; lower++) {
      fill(&random, C), fill(&random, target);
      memcpy(expected, target, sizeof target);
      for (int a = 1; a < 3; a++)
        for (int j = 0; j < run[a].length; j++)
          for (int b = 1; b < 3; b++)
            for (int i = 0; i < run[b].length; i++) {
              int row = run[b].from + i, column = run[a].from + j;
              if (!lower || row >= column)
                expected[run[b].to + i - 20 + (run[a].to + j - 20) * LD] += C[row + column * LD];
            }
      asp_kernels_at(t)->add_runs(run, 1, 3, 3, lower, C, LD, target, LD, 20);
      for (int k = 0; k < SIZE; k++)
        assert_near(target[k], expected[k], 1e-15);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_agree_with_plain_loops_at_every_size),
      cmocka_unit_test(deep_products_are_summed_in_parts),
      cmocka_unit_test(triangular_solves_undo_the_triangle),
      cmocka_unit_test(transposed_products_agree_with_plain_loops),
      cmocka_unit_test(runs_are_added_to_their_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
