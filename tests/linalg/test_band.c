/* Band matrices against dense ones: products, and L D L^T of positive definite and quasi-definite matrices. */
#include "linalg/band.h"
#include "shared_context.h"

#define N 40

static AspBand random_band(AspArena *arena, AspRandom *random, int n, int w, bool indefinite) {
  AspBand A = asp_band_take(arena, n, w);
  assert_non_null(A.a);
  for (int j = 0; j < n; j++) {
    for (int i = j + 1; i <= band_last(&A, j); i++)
      *band_at(&A, i, j) = *band_at(&A, j, i) = asp_random_uniform(random, -1, 1) * (i % 2 != j % 2 || !indefinite);
    *band_at(&A, j, j) = (indefinite && j % 2 ? -1 : 1) * (2 * w + 1.0);
  }
  return A;
}

static void products_and_solutions_are_those_of_the_dense_matrix(void **state) {
  (void)state;
  AspRandom random = {4};
  for (int w = 0; w < 12; w++)
    for (int indefinite = 0; indefinite < 2; indefinite++) {
      AspArena arena;
      asp_arena_init(&arena, context);
      AspBand A = random_band(&arena, &random, N, w, indefinite);
      double x[N], y[N] = {0}, dense[N] = {0};
      for (int i = 0; i < N; i++)
        x[i] = asp_random_uniform(&random, -1, 1);
      for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
          dense[i] += abs(i - j) <= w ? 2 * *band_at(&A, i, j) * x[j] : 0;
      asp_band_add_product(&A, 2, x, y);
      for (int i = 0; i < N; i++)
        assert_near(y[i], dense[i], 1e-13);
      assert_true(asp_band_factor(&A));
      asp_band_solve(&A, y);
      for (int i = 0; i < N; i++)
        assert_near(y[i], 2 * x[i], 1e-12);
      asp_arena_free(&arena);
    }
}

static void singular_matrices_are_said_to_be(void **state) {
  (void)state;
  double ones[3 * 3] = {0}, broken[3] = {NAN, 1, 1};
  AspBand A = {3, 1, ones}, B = {3, 0, broken};
  for (int j = 0; j < 3; j++)
    for (int i = band_first(&A, j); i <= band_last(&A, j); i++)
      *band_at(&A, i, j) = 1;
  assert_false(asp_band_factor(&A));
  assert_false(asp_band_factor(&B));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_and_solutions_are_those_of_the_dense_matrix),
      cmocka_unit_test(singular_matrices_are_said_to_be),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
