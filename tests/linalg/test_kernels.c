/* kernels: every table that this processor runs, against plain loops. */
#define _POSIX_C_SOURCE 200112L // setenv
#include "linalg/kernels.h"
#include "testing.h"

#include <stdlib.h>

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

static void squares_agree_with_plain_loops(void **state) {
  (void)state;
  static double Y[SIZE];
  AspRandom random = {49};
  fill(&random, Y);
  for (int t = 0; asp_kernels_at(t); t++)
    for (int m = 0; m < 40; m++) {
      double scale[13], sum[LD], expected[LD];
      int n = m % 13;
      for (int i = 0; i < n; i++)
        scale[i] = asp_random_normal(&random);
      for (int c = 0; c < LD; c++) {
        sum[c] = expected[c] = asp_random_normal(&random);
        for (int i = 0; i < n; i++)
          expected[c] += Y[c + i * LD] * Y[c + i * LD] * scale[i];
      }
      asp_kernels_at(t)->add_squares(m, n, Y, LD, scale, sum);
      for (int c = 0; c < m; c++)
        assert_near(sum[c], expected[c], 1e-12);
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

/* A random panel of m rows and n pivots, definite or of mixed signs, zero in its padding; column `zero` depends on
 * nothing and has no pivot (-1: none). */
static void fill_panel(AspRandom *random, int m, int n, int zero, double *P) {
  memset(P, 0, SIZE * sizeof *P);
  for (int j = 0; j < n; j++)
    for (int i = j; i < m; i++)
      if (i != zero && j != zero)
        P[i + j * LD] = i == j ? (j % 3 == 2 ? -9 : 9) : asp_random_normal(random) / 3;
}

static void panels_are_factored_and_solved_as_by_plain_loops(void **state) {
  (void)state;
  static double P[SIZE], A[SIZE], S[SIZE];
  AspRandom random = {46};
  for (int t = 0; asp_kernels_at(t); t++)
    for (int round = 0; round < 300; round++) {
      int n = 1 + (int)asp_random_uniform(&random, 0, 24), m = n + (int)asp_random_uniform(&random, 0, 45);
      int zero = round % 4 == 0 ? (int)asp_random_uniform(&random, 0, n) : -1;
      double least[24], inverse[24], y[LD] = {0}, x[LD];
      signed char sign[24];
      for (int j = 0; j < n; j++)
        least[j] = 1e-12, sign[j] = j % 3 == 2 ? -1 : 1;
      fill_panel(&random, m, n, zero, A);
      memcpy(P, A, sizeof P);
      asp_kernels_at(t)->ldlt(m, n, P, S, LD, least, round % 2 ? sign : NULL, inverse);
      for (int j = 0; j < n; j++) {
        assert_true((inverse[j] == 0) == (j == zero));
        for (int i = j; i < m; i++) { // A_ij = sum of L_ik D_k L_jk
          double sum = 0;
          for (int k = 0; k <= j; k++)
            sum += (i == k ? 1 : P[i + k * LD]) * (inverse[k] == 0 ? 0 : P[k + k * LD]) * (j == k ? 1 : P[j + k * LD]);
          assert_near(sum, A[i + j * LD], 1e-12);
        }
        for (int i = m; i < m + ASP_PAD; i++)
          assert_true(P[i + j * LD] == 0);
      }
      for (int i = 0; i < m; i++)
        y[i] = x[i] = asp_random_normal(&random);
      asp_kernels_at(t)->forward(m, n, P, LD, inverse, y);
      for (int i = 0; i < m; i++) {
        double sum = y[i];
        for (int k = 0; k < i && k < n; k++)
          sum += P[i + k * LD] * y[k];
        assert_near(sum, i == zero ? sum : x[i], 1e-11);
      }
      if (zero >= 0)
        assert_true(y[zero] == 0);
      memcpy(x, y, sizeof x);
      memset(y + m, 0, (size_t)(LD - m) * sizeof *y);
      asp_kernels_at(t)->backward(m, n, P, LD, y);
      for (int j = 0; j < n; j++) {
        double sum = y[j];
        for (int i = j + 1; i < m; i++)
          sum += P[i + j * LD] * y[i];
        assert_near(sum, x[j], 1e-11);
      }
    }
}

/* P A = L U of the first n rows; the others become what they are times U^-1. */
static void rows_are_exchanged_and_factored_as_by_plain_loops(void **state) {
  (void)state;
  static double A[SIZE], F[SIZE], PA[SIZE];
  AspRandom random = {47};
  fill(&random, A);
  for (int t = 0; asp_kernels_at(t); t++)
    for (int n = 0; n <= 40; n++)
      for (int more = 0; more < 3; more++) {
        int pivot[40], m = n + more;
        memcpy(F, A, sizeof F), memcpy(PA, A, sizeof PA);
        assert_true(asp_kernels_at(t)->lu(m, n, F, LD, pivot));
        for (int k = 0; k < n; k++)
          for (int j = 0; j < n; j++) {
            double kept = PA[k + j * LD];
            PA[k + j * LD] = PA[pivot[k] + j * LD];
            PA[pivot[k] + j * LD] = kept;
          }
        for (int j = 0; j < n; j++) {
          for (int i = 0; i < m; i++) {
            double sum = i <= j ? F[i + j * LD] : 0;
            for (int p = 0; p < i && p <= j; p++)
              sum += F[i + p * LD] * F[p + j * LD];
            assert_near(sum, PA[i + j * LD], 1e-12);
            assert_true(i <= j || i >= n || fabs(F[i + j * LD]) <= 1 + 1e-15); // the largest is the pivot
          }
          for (int i = m + ASP_PAD; i < LD; i++)
            assert_true(F[i + j * LD] == A[i + j * LD]);
        }
      }
}

static void factors_of_rows_without_a_pivot_are_refused(void **state) {
  (void)state;
  for (int t = 0; asp_kernels_at(t); t++) {
    double A[3 * 16] = {0}, B[2 * 16] = {0};
    int pivot[3];
    A[0] = A[1 + 16] = A[2 + 16] = 1;
    A[1 + 2 * 16] = A[2 + 2 * 16] = 3; // the third column is three times the second
    assert_false(asp_kernels_at(t)->lu(3, 3, A, 16, pivot));
    B[0] = 1, B[1 + 16] = NAN;
    assert_false(asp_kernels_at(t)->lu(2, 2, B, 16, pivot));
  }
}

static void pivots_of_the_wrong_sign_or_size_are_set_aside(void **state) {
  (void)state;
  const double least[4] = {1, 1, 1, 1}, pivot[4] = {-2, 2, 0.5, INFINITY};
  const signed char sign[4] = {1, -1, 1, 1};
  for (int t = 0; asp_kernels_at(t); t++)
    for (int j = 0; j < 4; j++) {
      double P[16] = {pivot[j]}, S[16], inverse;
      asp_kernels_at(t)->ldlt(1, 1, P, S, 16, least, sign + j, &inverse);
      assert_true(inverse == 0);
    }
}

/* What a table makes of one set of random numbers: m x n products, a triangular solve, sums over rows, both
 * factorisations and both sweeps of a solve. Entries that a kernel may fill with anything are set to zero. */
typedef struct Outcome {
  double product[SIZE], solved[SIZE], sums[LD], squares[LD], panel[SIZE], y[LD], lu[SIZE];
} Outcome;

static void clear_beyond(double *A, int m, int n, bool lower) {
  for (int j = 0; j < SIZE / LD; j++)
    for (int i = 0; i < LD; i++)
      if (i >= m || j >= n || (lower && i < j))
        A[i + j * LD] = 0;
}

static void compute_all(const AspKernels *kernels, unsigned seed, int m, int n, int k, Outcome *out) {
  static double A[SIZE], B[SIZE], S[SIZE];
  AspRandom random = {seed};
  double least[24] = {0}, inverse[24], t[LD] = {0};
  int pivot[24];
  fill(&random, A), fill(&random, B), fill(&random, out->product), fill(&random, out->solved), fill(&random, out->lu);
  kernels->minus_product(m, n, k, A, LD, B, 1, LD, true, false, out->product, LD);
  clear_beyond(out->product, m, n, false);
  for (int i = 0; i < SIZE; i++)
    B[i] /= LD; // a triangle whose inverse does not grow
  kernels->solve_rows(m, n, out->solved, LD, out->solved, LD, B, 1, LD, NULL);
  clear_beyond(out->solved, m, n, false);
  for (int i = 0; i < LD; i++) {
    out->sums[i] = asp_random_normal(&random);
    t[i] = i < m ? asp_random_normal(&random) : 0;
    out->y[i] = i < m ? asp_random_normal(&random) : 0;
  }
  kernels->minus_transposed(m, n, A, LD, t, out->sums);
  memset(out->squares, 0, sizeof out->squares);
  kernels->add_squares(m, n, A, LD, t, out->squares);
  memset(out->squares + m, 0, (size_t)(LD - m) * sizeof *out->squares);
  fill_panel(&random, m, n, -1, out->panel);
  kernels->ldlt(m, n, out->panel, S, LD, least, NULL, inverse);
  kernels->forward(m, n, out->panel, LD, inverse, out->y);
  memset(out->y + m, 0, (size_t)(LD - m) * sizeof *out->y);
  kernels->backward(m, n, out->panel, LD, out->y);
  clear_beyond(out->panel, m, n, true);
  assert_true(kernels->lu(m, n, out->lu, LD, pivot));
  clear_beyond(out->lu, m, n, false);
}

static void every_table_gives_the_same_bits(void **state) {
  (void)state;
  static Outcome reference, other;
  AspRandom random = {48};
  for (unsigned round = 0; round < 200; round++) {
    int n = 1 + (int)asp_random_uniform(&random, 0, 24), m = n + (int)asp_random_uniform(&random, 0, 45);
    int k = (int)asp_random_uniform(&random, 0, 70);
    compute_all(asp_kernels_at(0), round, m, n, k, &reference);
    for (int table = 1; asp_kernels_at(table); table++) {
      compute_all(asp_kernels_at(table), round, m, n, k, &other);
      assert_memory_equal(&other, &reference, sizeof other);
    }
  }
}

static void the_environment_names_the_last_table_that_is_taken(void **state) {
  (void)state;
  int last = 0;
  while (asp_kernels_at(last + 1))
    last++;
  unsetenv("ASPERITY_KERNELS");
  assert_ptr_equal(asp_kernels(), asp_kernels_at(last));
  for (int table = 0; table <= last; table++) {
    setenv("ASPERITY_KERNELS", asp_kernels_at(table)->name, 1);
    assert_ptr_equal(asp_kernels(), asp_kernels_at(table));
  }
  setenv("ASPERITY_KERNELS", "another", 1);
  assert_ptr_equal(asp_kernels(), asp_kernels_at(last));
  unsetenv("ASPERITY_KERNELS");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_agree_with_plain_loops_at_every_size),
      cmocka_unit_test(deep_products_are_summed_in_parts),
      cmocka_unit_test(triangular_solves_undo_the_triangle),
      cmocka_unit_test(transposed_products_agree_with_plain_loops),
      cmocka_unit_test(squares_agree_with_plain_loops),
      cmocka_unit_test(runs_are_added_to_their_places),
      cmocka_unit_test(panels_are_factored_and_solved_as_by_plain_loops),
      cmocka_unit_test(rows_are_exchanged_and_factored_as_by_plain_loops),
      cmocka_unit_test(factors_of_rows_without_a_pivot_are_refused),
      cmocka_unit_test(pivots_of_the_wrong_sign_or_size_are_set_aside),
      cmocka_unit_test(every_table_gives_the_same_bits),
      cmocka_unit_test(the_environment_names_the_last_table_that_is_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
