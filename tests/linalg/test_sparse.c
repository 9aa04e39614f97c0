/* sparse: products, transposition, triplets, permutation, components, against dense arrays. */
#include "base/parallel.h"
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

/* Dense blocks of 6, 1 and 3 along the diagonal, and one more entry; -1: none. */
static void expect_components(int extra_row, int extra_column, int count, const int of[10]) {
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  AspSparse A;
  AspComponents components;
  const int first[4] = {0, 6, 7, 10};
  int row[64], column[64], entries = 0;
  double value[64];
  asp_arena_init(&arena, context);
  for (int b = 0; b < 3; b++)
    for (int j = first[b]; j < first[b + 1]; j++)
      for (int i = first[b]; i < first[b + 1]; i++) {
        row[entries] = i;
        column[entries] = j;
        value[entries++] = 1;
      }
  if (extra_row >= 0) {
    row[entries] = extra_row;
    column[entries] = extra_column;
    value[entries++] = 1;
  }
  assert_ok(context, asp_sparse_from_triplets(&arena, 10, 10, entries, row, column, value, &A));
  assert_ok(context, asp_sparse_components(&arena, &A, &components));
  assert_int_equal(components.count, count);
  assert_memory_equal(components.of, of, 10 * sizeof *of);
  int place = 0;
  for (int c = 0; c < count; c++) // members ascend, all of them are there
    for (int i = 0; i < 10; i++)
      if (of[i] == c) {
        assert_true(place >= components.start[c] && place < components.start[c + 1]);
        assert_int_equal(components.member[place++], i);
      }
  assert_int_equal(components.start[count], 10);
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

static void dense_blocks_are_components_unless_an_entry_joins_them(void **state) {
  (void)state;
  expect_components(-1, -1, 3, (const int[10]){0, 0, 0, 0, 0, 0, 1, 2, 2, 2});
  expect_components(6, 5, 2, (const int[10]){0, 0, 0, 0, 0, 0, 0, 1, 1, 1});
  expect_components(9, 0, 2, (const int[10]){0, 0, 0, 0, 0, 0, 1, 0, 0, 0});
  expect_components(2, 6, 2, (const int[10]){0, 0, 0, 0, 0, 0, 0, 1, 1, 1});
}

static void what_is_wrong_with_a_matrix_is_named(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  int start[4] = {0, 2, 2, 4}, row[4] = {0, 2, 1, 2};
  double value[4] = {1, 2, 3, 4};
  AspSparse A = {3, 3, start, row, value};
  assert_ok(context, asp_sparse_validate(context, &A, "A"));
  row[3] = 1; // where a column begins rows may fall, not within one
  assert_int_equal(asp_sparse_validate(context, &A, "A"), ASP_ERROR_INPUT);
  assert_string_equal(asp_context_message(context), "A: row 1 follows row 1 in column 2, rows must ascend");
  row[3] = 3;
  assert_int_equal(asp_sparse_validate(context, &A, "A"), ASP_ERROR_INPUT);
  assert_string_equal(asp_context_message(context), "A: row 3 in column 2 is outside 0 .. 2");
  row[3] = 2;
  value[3] = -INFINITY;
  assert_int_equal(asp_sparse_validate(context, &A, "A"), ASP_ERROR_INPUT);
  assert_string_equal(asp_context_message(context), "A: entry (2, 2) is -inf, not a finite number");
  asp_context_destroy(context);
}

/* What a team makes of a matrix. */
typedef struct Matrix {
  AspContext *context;
  AspSparse A;
  double *x, *z;
} Matrix;

static void multiply_by_team(void *data) {
  Matrix *matrix = data;
  asp_sparse_multiply_add_parallel(matrix->context, &matrix->A, 1.5, matrix->x, matrix->z);
}

static void look_for_faults(void *data) {
  Matrix *matrix = data;
  AspSparse *A = &matrix->A;
  int last = asp_sparse_entries(A) - 1;
  double value = A->value[last];
  assert_ok(matrix->context, asp_sparse_validate(matrix->context, A, "A"));
  A->value[last] = NAN; // which the last thread finds
  assert_int_equal(asp_sparse_validate(matrix->context, A, "A"), ASP_ERROR_INPUT);
  A->value[last] = value;
}

/* Columns of two runs of six rows, as those of contacts, some of single rows, some empty. */
static void products_by_threads_have_the_same_bits(void **state) {
  (void)state;
  enum { columns = 5000, rows = 1200 };
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  AspSparse A;
  AspRandom random = {4};
  asp_arena_init(&arena, context);
  assert_ok(context, asp_sparse_take(&arena, rows, columns, 12 * columns, &A));
  double *x = ASP_TAKE(&arena, double, columns), *y = ASP_TAKE(&arena, double, rows);
  double *z = ASP_TAKE(&arena, double, rows);
  for (int j = 0; j < columns; j++) {
    int at = A.start[j], body = (int)asp_random_uniform(&random, 0, rows / 6 - 20), size = j % 7 == 0 ? 3 : 6;
    for (int run = 0; run < (j % 50 == 0 ? 0 : 2); run++)
      for (int i = 0; i < size; i++) {
        A.row[at] = 6 * (body + 19 * run) + i + (j % 5 == 0); // not all begin with a body
        A.value[at++] = asp_random_normal(&random);
      }
    A.start[j + 1] = at;
    x[j] = j % 11 == 0 ? 0 : asp_random_normal(&random);
  }
  assert_ok(context, asp_sparse_validate(context, &A, "A"));
  asp_sparse_multiply_add(&A, 1.5, x, y);
  const int threads[] = {2, 3, 8};
  for (int t = 0; t < 3; t++) {
    memset(z, 0, rows * sizeof *z);
    asp_team_run(context, threads[t], multiply_by_team, &(Matrix){context, A, x, z});
    assert_memory_equal(y, z, rows * sizeof *y);
    asp_team_run(context, threads[t], look_for_faults, &(Matrix){context, A, x, z});
  }
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
      cmocka_unit_test(dense_blocks_are_components_unless_an_entry_joins_them),
      cmocka_unit_test(what_is_wrong_with_a_matrix_is_named),
      cmocka_unit_test(products_by_threads_have_the_same_bits),
      cmocka_unit_test(copies_survive_allocation_failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
