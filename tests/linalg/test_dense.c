/* small and dense: every factorisation solves what it factored, and says when it cannot. */
#include "linalg/dense.h"
#include "linalg/small.h"
#include "testing.h"

enum { MAX = 40 };

/* Symmetric matrix B B^T (+ shift I), B n x rank, column-major; rank < n and shift = 0 make it singular. */
static void random_gram(AspRandom *random, int n, int rank, double shift, double *A) {
  double B[MAX * MAX];
  for (int k = 0; k < n * rank; k++)
    B[k] = asp_random_normal(random);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      A[i + j * n] = i == j ? shift : 0;
      for (int k = 0; k < rank; k++)
        A[i + j * n] += B[i + k * n] * B[j + k * n];
    }
}

/* ||A x - b||_inf / ||A||_max ||x|| */
static double residual(int n, const double *A, const double *x, const double *b) {
  double worst = 0, size = 1e-300, norm = 0;
  for (int i = 0; i < n; i++) {
    double sum = -b[i];
    for (int j = 0; j < n; j++) {
      sum += A[i + j * n] * x[j];
      size = fmax(size, fabs(A[i + j * n]));
    }
    worst = fmax(worst, fabs(sum));
    norm = fmax(norm, fabs(x[i]));
  }
  return worst / (size * norm);
}

static void small_factorisations_solve_at_every_size(void **state) {
  (void)state;
  AspRandom random = {21};
  for (int n = 1; n <= 12; n++)
    for (int round = 0; round < 20; round++) {
      double A[144], F[144], b[12], x[12];
      int pivot[12];
      for (int i = 0; i < n; i++)
        b[i] = asp_random_normal(&random);
      random_gram(&random, n, n, 0.5, A);
      memcpy(F, A, sizeof A), memcpy(x, b, sizeof b);
      assert_true(asp_small_cholesky(n, F));
      asp_small_cholesky_solve(n, F, x);
      assert_at_most(residual(n, A, x, b), 1e-13);
      for (int j = n / 2; j < n; j++) // quasi-definite: the second half negative
        for (int i = n / 2; i < n; i++)
          A[i + j * n] = -A[i + j * n];
      memcpy(F, A, sizeof A), memcpy(x, b, sizeof b);
      assert_true(asp_small_ldlt(n, F));
      asp_small_ldlt_solve(n, F, x);
      assert_at_most(residual(n, A, x, b), 1e-12);
      for (int k = 0; k < n * n; k++)
        A[k] = asp_random_normal(&random); // general, no good diagonal
      memcpy(F, A, sizeof A), memcpy(x, b, sizeof b);
      assert_true(asp_small_lu(n, F, pivot));
      asp_small_lu_solve(n, F, pivot, x);
      assert_at_most(residual(n, A, x, b), 1e-13);
    }
}

static void unrolled_kernels_equal_the_general_ones_bit_by_bit(void **state) {
  (void)state;
  AspRandom random = {22};
  for (int n = 3; n <= 6; n += 3) {
    double A[36], F[36], G[36], x[6], y[6];
    int p[6], q[6];
    random_gram(&random, n, n, 1, A);
    for (int i = 0; i < n; i++)
      x[i] = y[i] = asp_random_normal(&random);
    memcpy(F, A, sizeof A), memcpy(G, A, sizeof A);
    assert_true(asp_small_lu(n, F, p) && (n == 3 ? asp_lu3(G, q) : asp_lu6(G, q)));
    asp_small_lu_solve(n, F, p, x);
    n == 3 ? asp_lu3_solve(G, q, y) : asp_lu6_solve(G, q, y);
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
    memcpy(F, A, sizeof A), memcpy(G, A, sizeof A);
    assert_true(asp_small_cholesky(n, F) && (n == 3 ? asp_cholesky3(G) : asp_cholesky6(G)));
    asp_small_cholesky_solve(n, F, x);
    n == 3 ? asp_cholesky3_solve(G, y) : asp_cholesky6_solve(G, y);
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
    memcpy(F, A, sizeof A), memcpy(G, A, sizeof A);
    assert_true(asp_small_ldlt(n, F) && (n == 3 ? asp_ldlt3(G) : asp_ldlt6(G)));
    asp_small_ldlt_solve(n, F, x);
    n == 3 ? asp_ldlt3_solve(G, y) : asp_ldlt6_solve(G, y);
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
  }
}

static void small_factorisations_refuse_singular_and_not_finite_matrices(void **state) {
  (void)state;
  int pivot[3];
  double zero[9] = {0}, rank1[9] = {1, 2, 3, 2, 4, 6, 3, 6, 9}, bad[9] = {1, 0, 0, 0, NAN, 0, 0, 0, 1}, copy[9];
  assert_false(asp_cholesky3(memcpy(copy, zero, sizeof zero)));
  assert_false(asp_ldlt3(memcpy(copy, zero, sizeof zero)));
  assert_false(asp_lu3(memcpy(copy, zero, sizeof zero), pivot));
  assert_false(asp_cholesky3(memcpy(copy, rank1, sizeof zero)));
  assert_false(asp_ldlt3(memcpy(copy, rank1, sizeof zero)));
  assert_false(asp_lu3(memcpy(copy, rank1, sizeof zero), pivot));
  assert_false(asp_cholesky3(memcpy(copy, bad, sizeof zero)));
  assert_false(asp_ldlt3(memcpy(copy, bad, sizeof zero)));
  assert_false(asp_lu3(memcpy(copy, bad, sizeof zero), pivot));
}

static void dense_factorisations_solve(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  AspRandom random = {23};
  double A[MAX * MAX], F[MAX * MAX], b[MAX], x[MAX];
  int pivot[MAX], failed, n = MAX;
  asp_arena_init(&arena, context);
  for (int i = 0; i < n; i++)
    b[i] = asp_random_normal(&random);
  random_gram(&random, n, n, 0.1, A);
  memcpy(F, A, sizeof A), memcpy(x, b, sizeof b);
  assert_int_equal(asp_dense_cholesky(n, F, n), -1);
  asp_dense_cholesky_solve(n, F, n, 1, x, n);
  assert_at_most(residual(n, A, x, b), 1e-13);
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++)
      A[i + j * n] = A[j + i * n] = asp_random_normal(&random); // indefinite
  memcpy(F, A, sizeof A), memcpy(x, b, sizeof b);
  assert_ok(context, asp_dense_ldlt(&arena, n, F, n, pivot, &failed));
  assert_int_equal(failed, -1);
  asp_dense_ldlt_solve(n, F, n, pivot, 1, x, n);
  assert_at_most(residual(n, A, x, b), 1e-12);
  for (int k = 0; k < n * n; k++)
    A[k] = asp_random_normal(&random);
  memcpy(F, A, sizeof A), memcpy(x, b, sizeof b);
  assert_int_equal(asp_dense_lu(n, F, n, pivot), -1);
  asp_dense_lu_solve(n, F, n, pivot, 1, x, n);
  assert_at_most(residual(n, A, x, b), 1e-12);
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

/* P D P^T with P a product of reflections and D given: its eigenvalues are known, and with signs its singular values. */
static void random_turned(AspRandom *random, int n, const double *d, double *A) {
  for (int k = 0; k < n * n; k++)
    A[k] = k % (n + 1) == 0 ? d[k / (n + 1)] : 0;
  for (int round = 0; round < 3; round++) {
    double v[MAX], sum = 0, left[MAX] = {0}, right[MAX] = {0};
    for (int i = 0; i < n; i++) {
      v[i] = asp_random_normal(random);
      sum += v[i] * v[i];
    }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        left[j] += v[i] * A[i + j * n];
        right[i] += A[i + j * n] * v[j];
      }
    double both = 0;
    for (int i = 0; i < n; i++)
      both += v[i] * right[i];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        A[i + j * n] += -2 / sum * (v[i] * left[j] + right[i] * v[j]) + 4 / (sum * sum) * both * v[i] * v[j];
  }
}

/* Blocks of columns, remainders of them, several right-hand sides, leading dimensions beyond the rows. */
static void dense_lu_solves_at_every_size(void **state) {
  (void)state;
  enum { N = 100, LD = N + 3, COLUMNS = 5 };
  static double A[LD * N], F[LD * N], X[LD * COLUMNS], B[LD * COLUMNS];
  AspRandom random = {27};
  int pivot[N];
  for (int n = 1; n <= N; n += n < 10 ? 1 : 7) {
    for (int k = 0; k < LD * n; k++)
      A[k] = asp_random_normal(&random);
    for (int k = 0; k < LD * COLUMNS; k++)
      B[k] = asp_random_normal(&random);
    memcpy(F, A, sizeof A), memcpy(X, B, sizeof B);
    assert_int_equal(asp_dense_lu(n, F, LD, pivot), -1);
    asp_dense_lu_solve(n, F, LD, pivot, COLUMNS, X, LD);
    for (int c = 0; c < COLUMNS; c++) {
      double largest = 1;
      for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(X[i + c * LD]));
      for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
          sum += A[i + j * LD] * X[j + c * LD];
        assert_near(sum, B[i + c * LD], 1e-12 * n * largest);
      }
      for (int i = n; i < LD; i++) // beyond the rows nothing is touched
        assert_true(X[i + c * LD] == B[i + c * LD]);
    }
  }
}

static void singular_values_of_rank_deficient_matrices_converge(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  AspRandom random = {28};
  asp_arena_init(&arena, context);
  for (int round = 0; round < 300; round++) {
    int n = 2 + round % 20, rank = round % n;
    double d[MAX] = {0}, A[MAX * MAX], value[MAX];
    for (int i = 0; i < rank; i++)
      d[i] = rank - i;
    random_turned(&random, n, d, A);
    assert_ok(context, asp_dense_singular_values(&arena, n, A, value));
    for (int i = 0; i < n; i++)
      assert_near(value[i], d[i], 1e-12 * n);
  }
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

static void dense_factorisations_name_the_pivot_that_failed(void **state) {
  (void)state;
  double A[9] = {4, 2, 0, 2, 1, 0, 0, 0, 1}; // the second leading minor is 0
  double B[9] = {1, 0, 0, 0, 0, 0, 0, 0, 1}, C[4] = {1, 0, 0, NAN};
  int pivot[3];
  assert_int_equal(asp_dense_cholesky(3, A, 3), 1);
  assert_int_equal(asp_dense_lu(3, B, 3, pivot), 1);
  assert_int_equal(asp_dense_lu(2, C, 2, pivot), 1);
  assert_int_equal(asp_dense_lu(0, NULL, 1, NULL), -1);
}

/* x is the solution of smallest norm when A x = b and x is orthogonal to the kernel of A, that is, in its range. */
static void singular_semidefinite_systems_get_their_smallest_solution(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  AspRandom random = {24};
  asp_arena_init(&arena, context);
  const int ranks[] = {0, 1, 7, 29, 30};
  for (int k = 0; k < 5; k++) {
    int n = 30;
    double A[900], F[900], g[30], b[30] = {0}, x[30], least[30] = {0};
    random_gram(&random, n, ranks[k], 0, A);
    for (int i = 0; i < n; i++)
      g[i] = asp_random_normal(&random);
    // least = A g lies in the range of A, so it is the smallest solution of A x = A least
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        least[i] += A[i + j * n] * g[j];
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        b[i] += A[i + j * n] * least[j];
    AspSemidefinite S;
    memcpy(F, A, sizeof A), memcpy(x, b, sizeof b);
    assert_ok(context, asp_dense_semidefinite(&arena, n, F, n, ranks[k] == n ? 0 : 1e-10, &S));
    assert_int_equal(S.rank, ranks[k]);
    assert_ok(context, asp_dense_semidefinite_solve(&arena, &S, x));
    for (int i = 0; i < n; i++)
      assert_near(x[i], least[i], ranks[k] == n ? 1e-4 : 1e-7);
  }
  double bad[4] = {1, NAN, NAN, 1};
  AspSemidefinite S;
  assert_int_equal(asp_dense_semidefinite(&arena, 2, bad, 2, 0, &S), ASP_ERROR_INPUT);
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

static void eigenvalues_and_singular_values_are_those_that_the_matrix_was_made_of(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  AspRandom random = {25};
  asp_arena_init(&arena, context);
  for (int n = 1; n <= 24; n++) {
    double d[MAX], A[MAX * MAX], F[MAX * MAX], value[MAX];
    for (int i = 0; i < n; i++)
      d[i] = i - n / 3 + 0.25; // ascending, some negative
    random_turned(&random, n, d, A);
    memcpy(F, A, sizeof A);
    assert_ok(context, asp_dense_symmetric_eigenvalues(&arena, n, F, value));
    for (int i = 0; i < n; i++)
      assert_near(value[i], d[i], 1e-11);
    for (int i = 0; i < n; i++)
      d[i] = n - i; // descending
    random_turned(&random, n, d, A);
    for (int i = 0; i < n; i++) // rows and columns with other signs: no longer symmetric, the same singular values
      for (int j = 0; j < n; j++)
        A[i + j * n] *= (i % 3 == 0 ? -1 : 1) * (j % 2 == 0 ? -1 : 1);
    assert_ok(context, asp_dense_singular_values(&arena, n, A, value));
    for (int i = 0; i < n; i++)
      assert_near(value[i], d[i], 1e-11);
  }
  double bad[4] = {1, NAN, NAN, 1}, value[2];
  assert_int_equal(asp_dense_symmetric_eigenvalues(&arena, 2, bad, value), ASP_ERROR_INPUT);
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

/* A = B C of rank r; least = C^T g lies in the range of A^T, so it is the shortest solution of A x = A least. */
static void singular_general_systems_get_their_shortest_solution(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  AspRandom random = {26};
  asp_arena_init(&arena, context);
  const int ranks[] = {0, 1, 5, 19, 20};
  for (int k = 0; k < 5; k++) {
    enum { N = 20 };
    int r = ranks[k], rank = -1;
    double B[N * N], C[N * N], A[N * N] = {0}, g[N], least[N] = {0}, x[N] = {0};
    for (int i = 0; i < N * N; i++) {
      B[i] = asp_random_normal(&random);
      C[i] = asp_random_normal(&random);
    }
    for (int i = 0; i < N; i++)
      g[i] = asp_random_normal(&random);
    asp_dense_add_product_transposed(N, N, r, B, N, C, N, A, N); // rows of C are its first r columns here
    for (int j = 0; j < r; j++)
      for (int i = 0; i < N; i++)
        least[i] += C[i + j * N] * g[j];
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N; i++)
        x[i] += A[i + j * N] * least[j];
    assert_ok(context, asp_dense_least_norm(&arena, N, A, 1e-11, x, &rank));
    assert_int_equal(rank, r);
    for (int i = 0; i < N; i++)
      assert_near(x[i], least[i], 1e-8);
  }
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_factorisations_solve_at_every_size),
      cmocka_unit_test(unrolled_kernels_equal_the_general_ones_bit_by_bit),
      cmocka_unit_test(small_factorisations_refuse_singular_and_not_finite_matrices),
      cmocka_unit_test(dense_factorisations_solve),
      cmocka_unit_test(dense_lu_solves_at_every_size),
      cmocka_unit_test(singular_values_of_rank_deficient_matrices_converge),
      cmocka_unit_test(dense_factorisations_name_the_pivot_that_failed),
      cmocka_unit_test(singular_semidefinite_systems_get_their_smallest_solution),
      cmocka_unit_test(eigenvalues_and_singular_values_are_those_that_the_matrix_was_made_of),
      cmocka_unit_test(singular_general_systems_get_their_shortest_solution),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
