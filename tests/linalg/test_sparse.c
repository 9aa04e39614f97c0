/* sparse: products, transposition, triplets, permutation, components, against dense arrays. */
#include "failing_allocator.h"
#include "linalg/sparse.h"

/* A random matrix with about `share` of its entries, and its dense copy (row i, column j at dense[i * columns + j]). */
static AspSparse random_sparse(AspArena *arena, AspRandom *random, int rows, int columns, double share, double *dense) {
  int count = 0, *row = ASP_TAKE(arena, int, rows *columns), *column = ASP_TAKE(arena, int, rows *columns);
  double *value = ASP_TAKE(arena, double, rows *columns);
  memset(dense, 0, (size_t)(rows * columns) * sizeof *dense);
  for (int k = 0; k < rows * columns; k++)
    if (asp_random_uniform(random, 0, 1) < share) {
      // places in random order, some twice: those add up
      row[count] = (int)asp_random_uniform(random, 0, rows);
      column[count] = (int)asp_random_uniform(random, 0, columns);
      value[count] = asp_random_normal(random);
      dense[row[count] * columns + column[count]] += value[count];
      count++;
    }
  AspSparse A;
  assert_ok(arena->context, asp_sparse_from_triplets(arena, rows, columns, count, row, column, value, &A));
  assert_ok(arena->context, asp_sparse_validate(arena->context, &A, "A"));
  return A;
}

static double entry(const AspSparse *A, int i, int j) {
  for (int k = A->start[j]; k < A->start[j + 1]; k++)
    if (A->row[k] == i)
      return A->value[k];
  return 0;
}

static void triplets_products_and_transposes_agree_with_dense_arrays(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  AspRandom random = {1};
  asp_arena_init(&arena, context);
  const int sizes[][2] = {{1, 1}, {7, 5}, {5, 7}, {0, 3}, {3, 0}, {20, 20}};
  for (int s = 0; s < 6; s++) {
    int rows = sizes[s][0], columns = sizes[s][1];
    double dense[400], x[20], y[20] = {0}, z[20] = {0};
    AspSparse A = random_sparse(&arena, &random, rows, columns, 0.4, dense), T;
    for (int k = 0; k < 20; k++)
      x[k] = asp_random_normal(&random);
    asp_sparse_multiply_add(&A, 2, x, y);
    asp_sparse_multiply_transpose_add(&A, -1, x, z);
    int *map = ASP_TAKE(&arena, int, asp_sparse_entries(&A));
    assert_ok(context, asp_sparse_take(&arena, columns, rows, asp_sparse_entries(&A), &T));
    asp_sparse_transpose(&A, &T, map);
    assert_ok(context, asp_sparse_validate(context, &T, "T"));
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) {
        assert_near(entry(&A, i, j), dense[i * columns + j], 1e-14);
        assert_true(entry(&T, j, i) == entry(&A, i, j));
        y[i] -= 2 * dense[i * columns + j] * x[j];
        z[j] += dense[i * columns + j] * x[i];
      }
    }
    for (int k = 0; k < asp_sparse_entries(&A); k++)
      assert_true(T.value[map[k]] == A.value[k]);
    for (int k = 0; k < 20; k++) {
      assert_near(y[k], 0, 1e-13);
      assert_near(z[k], 0, 1e-13);
    }
  }
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

static void triplets_out_of_range_are_named(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  AspSparse A;
  asp_arena_init(&arena, context);
  const int row[2] = {0, 3}, column[2] = {0, 1};
  const double value[2] = {1, 1};
  assert_int_equal(asp_sparse_from_triplets(&arena, 3, 2, 2, row, column, value, &A), ASP_ERROR_INPUT);
  assert_string_equal(asp_context_message(context), "triplet 1: (3, 1) is outside a 3 x 2 matrix");
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

static void permutation_moves_entries_to_their_places(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  AspRandom random = {2};
  enum { n = 15 };
  double dense[n * n];
  int p[n], inverse[n];
  asp_arena_init(&arena, context);
  AspSparse A = random_sparse(&arena, &random, n, n, 0.3, dense), B;
  for (int i = 0; i < n; i++) {
    p[i] = (i * 7 + 3) % n;
    inverse[p[i]] = i;
  }
  assert_ok(context, asp_sparse_permute(&arena, &A, p, inverse, &B));
  assert_ok(context, asp_sparse_validate(context, &B, "B"));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      assert_near(entry(&B, i, j), dense[p[i] * n + p[j]], 1e-15);
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

static void components_are_found_from_either_triangle(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  AspSparse A;
  AspComponents components;
  asp_arena_init(&arena, context);
  // 0-5-3 by upper and lower entries, 1-2 by an upper one, 4 alone without any entry
  const int row[4] = {5, 3, 1, 0}, column[4] = {0, 5, 2, 0};
  const double value[4] = {1, 1, 1, 1};
  assert_ok(context, asp_sparse_from_triplets(&arena, 6, 6, 4, row, column, value, &A));
  assert_ok(context, asp_sparse_components(&arena, &A, &components));
  const int start[4] = {0, 3, 5, 6}, member[6] = {0, 3, 5, 1, 2, 4}, of[6] = {0, 1, 1, 0, 2, 0};
  assert_int_equal(components.count, 3);
  assert_memory_equal(components.start, start, sizeof start);
  assert_memory_equal(components.member, member, sizeof member);
  assert_memory_equal(components.of, of, sizeof of);
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

static void copies_survive_allocation_failures(void **state) {
  (void)state;
  FailingAllocator failing;
  AspContext *context = failing_context(&failing);
  AspArena arena;
  AspRandom random = {3};
  double dense[100];
  asp_arena_init(&arena, context);
  AspSparse A = random_sparse(&arena, &random, 10, 10, 0.3, dense), B;
  long before = failing.live;
  for (long k = 0; k < 3; k++) {
    failing.until_failure = k;
    assert_int_equal(asp_sparse_copy(context, &A, &B), ASP_ERROR_MEMORY);
    assert_int_equal(failing.live, before);
  }
  failing.until_failure = -1;
  assert_ok(context, asp_sparse_copy(context, &A, &B));
  assert_memory_equal(A.value, B.value, (size_t)asp_sparse_entries(&A) * sizeof(double));
  asp_sparse_release(context, &B);
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(triplets_products_and_transposes_agree_with_dense_arrays),
      cmocka_unit_test(triplets_out_of_range_are_named),
      cmocka_unit_test(permutation_moves_entries_to_their_places),
      cmocka_unit_test(components_are_found_from_either_triangle),
      cmocka_unit_test(copies_survive_allocation_failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
