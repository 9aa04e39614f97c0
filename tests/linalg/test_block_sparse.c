/* block_sparse and gram: blocks of mixed sizes against scalar sparse and dense arrays. */
#include "linalg/block_sparse.h"
#include "linalg/gram.h"
#include "testing.h"

static const int offset[6] = {0, 3, 4, 6, 9, 15}; // blocks of 3, 1, 2, 3, 6 rows

static AspSparse random_pattern(AspArena *arena, AspRandom *random, int rows, int columns, int count) {
  int *row = ASP_TAKE(arena, int, count), *column = ASP_TAKE(arena, int, count);
  double *value = ASP_TAKE(arena, double, count);
  for (int k = 0; k < count; k++) {
    row[k] = (int)asp_random_uniform(random, 0, rows);
    column[k] = (int)asp_random_uniform(random, 0, columns);
    value[k] = asp_random_normal(random);
  }
  AspSparse A;
  assert_ok(arena->context, asp_sparse_from_triplets(arena, rows, columns, count, row, column, value, &A));
  return A;
}

static void blocks_multiply_like_their_scalar_matrix_and_convert_back(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  AspRandom random = {31};
  asp_arena_init(&arena, context);
  for (int round = 0; round < 20; round++) {
    AspSparse A = random_pattern(&arena, &random, 15, 15, 2 * round), back;
    AspBlockSparse B;
    double x[15], y[15], z[15] = {0};
    assert_ok(context, asp_block_sparse_from_sparse(&arena, &A, 5, offset, &B));
    assert_ok(context, asp_block_sparse_to_sparse(context, &B, &back));
    assert_ok(context, asp_sparse_validate(context, &back, "back"));
    for (int i = 0; i < 15; i++)
      x[i] = asp_random_normal(&random);
    asp_block_sparse_multiply(&B, x, y);
    asp_sparse_multiply_add(&A, 1, x, z);
    for (int i = 0; i < 15; i++)
      assert_near(y[i], z[i], 1e-13);
    asp_sparse_multiply_add(&back, -1, x, z);
    for (int i = 0; i < 15; i++)
      assert_near(z[i], 0, 1e-13);
    for (int i = 0; i < 5; i++) {
      assert_int_equal(asp_block_sparse_find(&B, i, i), B.diagonal[i]);
      assert_int_equal(B.column[B.diagonal[i]], i);
      for (int p = B.start[i] + 1; p < B.start[i + 1]; p++)
        assert_true(B.column[p] > B.column[p - 1]);
    }
    asp_sparse_release(context, &back);
  }
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

static void absent_blocks_are_not_found(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  AspSparse A;
  AspBlockSparse B;
  asp_arena_init(&arena, context);
  const int row[1] = {14}, column[1] = {0};
  const double value[1] = {5};
  assert_ok(context, asp_sparse_from_triplets(&arena, 15, 15, 1, row, column, value, &A));
  assert_ok(context, asp_block_sparse_from_sparse(&arena, &A, 5, offset, &B));
  assert_int_equal(asp_block_sparse_find(&B, 0, 4), -1);
  int p = asp_block_sparse_find(&B, 4, 0);
  assert_true(p >= 0 && B.value[B.at[p] + 5] == 5); // the last row of the first column of a 6 x 3 block
  assert_int_equal(B.start[5], 6);
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

static void gram_equals_dense_products(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  AspRandom random = {32};
  enum { n = 13, rows = 15 };
  asp_arena_init(&arena, context);
  for (int round = 0; round < 20; round++) {
    asp_arena_reset(&arena);
    AspSparse M = random_pattern(&arena, &random, n, n, 3 * round),
              H = random_pattern(&arena, &random, n, rows, 4 * round);
    AspGram gram;
    double D[9 + 1 + 4 + 9 + 36], h[n * rows] = {0}, expected[n * n] = {0};
    assert_ok(context, asp_gram_analyse(&arena, &M, &H, 5, offset, &gram));
    for (int repeat = 0; repeat < 2; repeat++) {
      for (int k = 0; k < 59; k++)
        D[k] = asp_random_normal(&random);
      asp_gram_compute(&gram, &M, D);
    }
    assert_ok(context, asp_sparse_validate(context, &gram.A, "A"));
    for (int j = 0; j < rows; j++)
      for (int k = H.start[j]; k < H.start[j + 1]; k++)
        h[H.row[k] + n * j] = H.value[k];
    for (int j = 0; j < n; j++)
      for (int k = M.start[j]; k < M.start[j + 1]; k++)
        expected[M.row[k] + n * j] = M.value[k];
    const double *block = D;
    for (int b = 0; b < 5; b++) {
      int d = offset[b + 1] - offset[b];
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
          for (int k = 0; k < d; k++)
            for (int l = 0; l < d; l++)
              expected[i + n * j] += h[i + n * (offset[b] + k)] * block[k + l * d] * h[j + n * (offset[b] + l)];
      block += d * d;
    }
    for (int j = 0; j < n; j++)
      for (int k = gram.A.start[j]; k < gram.A.start[j + 1]; k++) {
        assert_near(gram.A.value[k], expected[gram.A.row[k] + n * j], 1e-12);
        expected[gram.A.row[k] + n * j] = 0;
      }
    for (int k = 0; k < n * n; k++)
      assert_true(expected[k] == 0); // nothing is missing in the pattern
  }
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_multiply_like_their_scalar_matrix_and_convert_back),
      cmocka_unit_test(absent_blocks_are_not_found),
      cmocka_unit_test(gram_equals_dense_products),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
