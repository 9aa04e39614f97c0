/* factor: solutions recomputed from the matrix, singular pivots, repeatability, memory. */
#include "failing_allocator.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/factor_internal.h"

/* What every test needs: a context, an arena and a factorisation. */
typedef struct Setup {
  AspContext *context;
  AspArena arena;
  AspFactor *factor;
} Setup;

static void set_up(Setup *it) {
  it->context = asp_context_create(NULL);
  asp_arena_init(&it->arena, it->context);
  assert_ok(it->context, asp_factor_create(it->context, &it->factor));
}

static void tear_down(Setup *it) {
  asp_factor_destroy(it->factor);
  asp_arena_free(&it->arena);
  assert_int_equal(asp_context_memory_in_use(it->context), 0);
  asp_context_destroy(it->context);
}

typedef struct Pattern {
  int bodies, size; /* dofs per body */
  double links;     /* neighbours per body */
  double asymmetry; /* of the values */
  bool negative;    /* the second half of the bodies has negative diagonal blocks: quasi-definite */
} Pattern;

/* A random matrix of dense blocks: strongly definite diagonal blocks and random couplings, on a scattered numbering. */
static AspSparse random_matrix(AspArena *arena, const Pattern *pattern, uint64_t seed) {
  AspRandom random = {seed};
  int n = pattern->bodies * pattern->size, links = (int)(pattern->links * pattern->bodies), s = pattern->size;
  size_t room = (size_t)(2 * links + pattern->bodies) * (size_t)(s * s);
  int *row = ASP_TAKE(arena, int, room), *column = ASP_TAKE(arena, int, room), count = 0;
  double *value = ASP_TAKE(arena, double, room);
  for (int l = 0; l < links + pattern->bodies; l++) {
    int a = l < pattern->bodies ? l : (int)asp_random_uniform(&random, 0, pattern->bodies);
    int b = l < pattern->bodies ? l : (int)asp_random_uniform(&random, 0, pattern->bodies);
    double sign = pattern->negative && 2 * a >= pattern->bodies ? -1 : 1;
    if (l >= pattern->bodies && a == b)
      continue;
    // for a quasi-definite matrix couple the two halves only
    if (l >= pattern->bodies && pattern->negative && (2 * a >= pattern->bodies) == (2 * b >= pattern->bodies))
      continue;
    for (int i = 0; i < s; i++)
      for (int j = 0; j < (a == b ? i + 1 : s); j++) {
        double v = asp_random_normal(&random) / s, d = pattern->asymmetry * asp_random_normal(&random) / s;
        if (a == b)
          v = sign * (i == j ? 4 + fabs(v) : 0.3 * v);
        row[count] = a * s + i, column[count] = b * s + j, value[count++] = v;
        if (a != b || i != j)
          row[count] = b * s + j, column[count] = a * s + i, value[count++] = v + d;
      }
  }
  AspSparse A;
  assert_ok(arena->context, asp_sparse_from_triplets(arena, n, n, count, row, column, value, &A));
  return A;
}

/* ||A x - b||_inf over the columns, with the lower triangle mirrored for LDLT */
static double solve_error(AspArena *arena, AspFactor *factor, const AspSparse *A, int columns, uint64_t seed) {
  AspRandom random = {seed};
  int n = A->columns, ldx = n + 3;
  double *X = ASP_TAKE(arena, double, ldx *columns), *B = ASP_TAKE(arena, double, ldx *columns), error = 0;
  for (int k = 0; k < ldx * columns; k++)
    X[k] = B[k] = asp_random_normal(&random);
  assert_ok(arena->context, asp_factor_solve(factor, columns, X, ldx));
  for (int c = 0; c < columns; c++) {
    asp_sparse_multiply_add(A, -1, X + c * ldx, B + c * ldx);
    for (int i = 0; i < n; i++)
      error = fmax(error, fabs(B[i + c * ldx]));
    for (int i = n; i < ldx; i++)
      assert_true(X[i + c * ldx] == B[i + c * ldx]); // what lies between the columns is not touched
  }
  return error;
}

static void solutions_satisfy_the_equations(void **state) {
  (void)state;
  Setup it;
  set_up(&it);
  const Pattern patterns[] = {{1, 1, 0, 0, false},     {1, 6, 0, 0, false},      {40, 6, 1, 0, false},
                              {40, 6, 1, 0.3, false},  {300, 1, 2, 0, false},    {60, 3, 3, 0.3, false},
                              {100, 6, 0, 0, false},   {50, 2, 2, 0, true},      {12, 40, 2, 0, false},
                              {12, 40, 2, 0.3, false}, {400, 1, 0.5, 0.2, false}};
  for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++)
    for (uint64_t seed = 1; seed <= 4; seed++)
      for (int kind = ASP_FACTOR_LDLT; kind <= ASP_FACTOR_LU; kind++) {
        if (kind == ASP_FACTOR_LDLT && patterns[p].asymmetry != 0)
          continue;
        asp_arena_reset(&it.arena);
        AspSparse A = random_matrix(&it.arena, &patterns[p], seed);
        AspFactorInfo info;
        assert_ok(it.context, asp_factor_analyse(it.factor, (AspFactorKind)kind, &A));
        assert_ok(it.context, asp_factor_compute(it.factor, &A, NULL, &info));
        assert_int_equal(info.set_aside, 0);
        assert_int_equal(info.first, -1);
        assert_true(info.smallest > 0 && info.smallest <= info.largest);
        assert_at_most(solve_error(&it.arena, it.factor, &A, 1, seed), 1e-11);
        assert_at_most(solve_error(&it.arena, it.factor, &A, 45, seed), 1e-11);
      }
  tear_down(&it);
}

/* The saddle matrix of a random mechanism, lower triangle: `bodies` of 6 dofs, body i joined by 1 to 5 rows to one
 * before it, and `loops` more joints of one row between any two. */
static AspSparse random_mechanism(AspArena *arena, int bodies, int loops, uint64_t seed, int *rows) {
  AspRandom random = {seed};
  size_t room = (size_t)(36 * bodies + 60 * bodies + 12 * loops);
  int *row = ASP_TAKE(arena, int, room), *column = ASP_TAKE(arena, int, room), count = 0, at = 6 * bodies;
  double *value = ASP_TAKE(arena, double, room);
  for (int b = 0; b < bodies; b++)
    for (int j = 0; j < 6; j++)
      for (int i = j; i < 6; i++, count++) {
        row[count] = 6 * b + i, column[count] = 6 * b + j;
        value[count] = i == j ? 1 + asp_random_uniform(&random, 0, 3) : 0.1 * asp_random_normal(&random);
      }
  for (int joint = 1; joint < bodies + loops; joint++) {
    bool loop = joint >= bodies;
    int a = loop ? (int)asp_random_uniform(&random, 0, bodies) : joint;
    int b = (int)asp_random_uniform(&random, 0, loop ? bodies : joint);
    for (int k = loop ? 1 : 1 + joint % 5; a != b && k > 0; k--, at++)
      for (int i = 0; i < 12; i++, count++) {
        row[count] = at, column[count] = i < 6 ? 6 * a + i : 6 * b + i - 6;
        value[count] = asp_random_normal(&random);
      }
  }
  *rows = at - 6 * bodies;
  AspSparse A;
  assert_ok(arena->context, asp_sparse_from_triplets(arena, at, at, count, row, column, value, &A));
  return A;
}

static void mechanisms_are_solved_as_by_dense_factors(void **state) {
  (void)state;
  Setup it;
  set_up(&it);
  for (uint64_t seed = 1; seed <= 40; seed++) {
    asp_arena_reset(&it.arena);
    int rows, bodies = 1 + (int)seed, loops = seed % 3 == 0 ? (int)seed / 4 : 0;
    AspSparse A = random_mechanism(&it.arena, bodies, loops, seed, &rows);
    int n = A.columns, *pivot = ASP_TAKE(&it.arena, int, n);
    signed char *sign = ASP_TAKE(&it.arena, signed char, n);
    double *D = ASP_TAKE(&it.arena, double, n *n), *x = ASP_TAKE(&it.arena, double, n);
    double *y = ASP_TAKE(&it.arena, double, n), most = 0;
    AspRandom random = {seed};
    for (int i = 0; i < n; i++)
      sign[i] = i < 6 * bodies ? 1 : -1, x[i] = y[i] = asp_random_normal(&random);
    for (int j = 0; j < n; j++)
      for (int k = A.start[j]; k < A.start[j + 1]; k++)
        D[A.row[k] + j * n] = D[j + A.row[k] * n] = A.value[k];
    AspFactorOptions options = {.pivot_tolerance = 1e-12, .sign = sign};
    AspFactorInfo info;
    assert_ok(it.context, asp_factor_analyse_saddle(it.factor, 6 * bodies, &A));
    assert_ok(it.context, asp_factor_compute(it.factor, &A, &options, &info));
    assert_int_equal(info.set_aside, 0);
    assert_ok(it.context, asp_factor_solve(it.factor, 1, x, n));
    assert_int_equal(asp_dense_lu(n, D, n, pivot), -1);
    asp_dense_lu_solve(n, D, n, pivot, 1, y, n);
    for (int i = 0; i < n; i++)
      most = fmax(most, fabs(y[i]));
    for (int i = 0; i < n; i++)
      assert_near(x[i], y[i], 1e-8 * most);
  }
  tear_down(&it);
}

/* The matrix of a spring chain with free ends, singular along (1, ..., 1), its links shuffled. */
static AspSparse free_chain(AspArena *arena, int n) {
  int *row = ASP_TAKE(arena, int, 4 * n), *column = ASP_TAKE(arena, int, 4 * n), count = 0;
  double *value = ASP_TAKE(arena, double, 4 * n);
  for (int k = 0; k + 1 < n; k++) {
    int a = k * 7 % n, b = (k + 1) * 7 % n; // n is no multiple of 7
    const int ends[2] = {a, b};
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) {
        row[count] = ends[i], column[count] = ends[j];
        value[count++] = (i == j ? 1 : -1) * (1.0 + k % 3);
      }
  }
  AspSparse A;
  assert_ok(arena->context, asp_sparse_from_triplets(arena, n, n, count, row, column, value, &A));
  return A;
}

static void singular_systems_are_reported_and_solved_when_consistent(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  AspFactor *factor;
  enum { n = 100 };
  asp_arena_init(&arena, context);
  assert_ok(context, asp_factor_create(context, &factor));
  AspSparse A = free_chain(&arena, n);
  for (int kind = ASP_FACTOR_LDLT; kind <= ASP_FACTOR_LU; kind++) {
    AspFactorInfo info;
    double x[n], b[n] = {0}, exact[n];
    AspRandom random = {5};
    for (int i = 0; i < n; i++)
      exact[i] = asp_random_normal(&random);
    asp_sparse_multiply_add(&A, 1, exact, b);
    memcpy(x, b, sizeof b);
    assert_ok(context, asp_factor_analyse(factor, (AspFactorKind)kind, &A));
    assert_ok(context, asp_factor_compute(factor, &A, NULL, &info));
    assert_int_equal(info.set_aside, 1);
    assert_true(info.first >= 0 && info.first < n);
    assert_true(info.smallest > 1e-3);
    assert_ok(context, asp_factor_solve(factor, 1, x, n));
    assert_true(x[info.first] == 0);
    asp_sparse_multiply_add(&A, -1, x, b);
    for (int i = 0; i < n; i++) {
      assert_near(b[i], 0, 1e-12);
      assert_near(x[i] - exact[i], x[0] - exact[0], 1e-11); // differs by a rigid motion
    }
  }
  asp_factor_destroy(factor);
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

static void scaling_a_matrix_does_not_make_it_singular(void **state) {
  (void)state;
  Setup it;
  set_up(&it);
  const Pattern pattern = {30, 6, 1, 0, false};
  AspSparse A = random_matrix(&it.arena, &pattern, 3);
  AspRandom random = {4};
  double *scale = ASP_TAKE(&it.arena, double, A.columns);
  for (int j = 0; j < A.columns; j++)
    scale[j] = pow(10, asp_random_uniform(&random, -9, 9));
  for (int j = 0; j < A.columns; j++)
    for (int k = A.start[j]; k < A.start[j + 1]; k++)
      A.value[k] *= scale[j] * scale[A.row[k]];
  for (int kind = ASP_FACTOR_LDLT; kind <= ASP_FACTOR_LU; kind++) {
    AspFactorInfo info;
    assert_ok(it.context, asp_factor_analyse(it.factor, (AspFactorKind)kind, &A));
    assert_ok(it.context, asp_factor_compute(it.factor, &A, NULL, &info));
    assert_int_equal(info.set_aside, 0);
  }
  tear_down(&it);
}

/* [M H; H^T 0] with M = 2 I and H's columns 0 and 2 equal: singular; redundant constraints. */
static AspSparse redundant_constraints(AspArena *arena, int n) {
  int *row = ASP_TAKE(arena, int, 8 * n), *column = ASP_TAKE(arena, int, 8 * n), count = 0;
  double *value = ASP_TAKE(arena, double, 8 * n);
  for (int i = 0; i < n; i++)
    row[count] = column[count] = i, value[count++] = 2;
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < n; i++) {
      double h = sin(1.0 + i * (c % 2 + 1));
      row[count] = i, column[count] = n + c, value[count++] = h;
      row[count] = n + c, column[count] = i, value[count++] = h;
    }
  AspSparse A;
  assert_ok(arena->context, asp_sparse_from_triplets(arena, n + 3, n + 3, count, row, column, value, &A));
  return A;
}

static void redundant_constraints_are_set_aside(void **state) {
  (void)state;
  enum { m = 20, n = m + 3 };
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  AspFactor *factor;
  AspFactorInfo info;
  asp_arena_init(&arena, context);
  assert_ok(context, asp_factor_create(context, &factor));
  AspSparse A = redundant_constraints(&arena, m);
  for (int kind = ASP_FACTOR_LDLT; kind <= ASP_FACTOR_LU; kind++) {
    double x[n], b[n] = {0}, exact[n];
    for (int i = 0; i < n; i++)
      exact[i] = cos(i);
    asp_sparse_multiply_add(&A, 1, exact, b); // consistent
    memcpy(x, b, sizeof b);
    assert_ok(context, asp_factor_analyse(factor, (AspFactorKind)kind, &A));
    assert_ok(context, asp_factor_compute(factor, &A, NULL, &info));
    assert_int_equal(info.set_aside, 1);
    assert_true(info.first == m || info.first == m + 2); // one of the two equal constraints
    assert_ok(context, asp_factor_solve(factor, 1, x, n));
    asp_sparse_multiply_add(&A, -1, x, b);
    for (int i = 0; i < n; i++)
      assert_near(b[i], 0, 1e-12);
  }
  asp_factor_destroy(factor);
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

static void regularisation_and_refinement_solve_redundant_constraints(void **state) {
  (void)state;
  enum { m = 20, n = m + 3 };
  Setup it;
  set_up(&it);
  AspSparse A = redundant_constraints(&it.arena, m);
  signed char sign[n];
  for (int i = 0; i < n; i++)
    sign[i] = i < m ? 1 : -1;
  AspFactorOptions options = asp_factor_default_options();
  options.sign = sign;
  options.regularisation = 1e-8;
  for (int kind = ASP_FACTOR_LDLT; kind <= ASP_FACTOR_LU; kind++) {
    AspFactorInfo info;
    double x[n] = {0}, exact[n], r[n] = {0}, b[n] = {0}, error = 0;
    for (int i = 0; i < n; i++)
      exact[i] = cos(i);
    asp_sparse_multiply_add(&A, 1, exact, b); // consistent
    assert_ok(it.context, asp_factor_analyse(it.factor, (AspFactorKind)kind, &A));
    assert_ok(it.context, asp_factor_compute(it.factor, &A, &options, &info));
    assert_int_equal(info.set_aside, 0);
    for (int round = 0; round < 8; round++) {
      memcpy(r, b, sizeof b);
      asp_sparse_multiply_add(&A, -1, x, r);
      assert_ok(it.context, asp_factor_solve(it.factor, 1, r, n));
      for (int i = 0; i < n; i++)
        x[i] += r[i];
    }
    asp_sparse_multiply_add(&A, -1, x, b);
    for (int i = 0; i < n; i++)
      error = fmax(error, fabs(b[i]));
    assert_at_most(error, 1e-12);
  }
  tear_down(&it);
}

static void pivots_of_the_wrong_sign_are_reported(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  AspFactor *factor;
  AspFactorInfo info;
  AspSparse A;
  asp_arena_init(&arena, context);
  assert_ok(context, asp_factor_create(context, &factor));
  const int row[4] = {0, 1, 1, 2}, column[4] = {0, 0, 1, 2};
  const double value[4] = {1, 2, 1, 3}; // [1 2; 2 1] is indefinite
  assert_ok(context, asp_sparse_from_triplets(&arena, 3, 3, 4, row, column, value, &A));
  const signed char positive[3] = {1, 1, 1};
  AspFactorOptions options = asp_factor_default_options();
  assert_ok(context, asp_factor_analyse(factor, ASP_FACTOR_LDLT, &A));
  assert_ok(context, asp_factor_compute(factor, &A, &options, &info));
  assert_int_equal(info.set_aside, 0); // not asked
  options.sign = positive;
  assert_ok(context, asp_factor_compute(factor, &A, &options, &info));
  assert_int_equal(info.set_aside, 1);
  assert_true(info.first == 0 || info.first == 1);
  A.value[3] = NAN;
  assert_ok(context, asp_factor_compute(factor, &A, &options, &info));
  assert_int_equal(info.set_aside, 2);
  asp_factor_destroy(factor);
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

static void only_the_lower_triangle_is_read_by_ldlt(void **state) {
  (void)state;
  Setup it;
  set_up(&it);
  const Pattern pattern = {20, 3, 2, 0, false};
  AspSparse A = random_matrix(&it.arena, &pattern, 8), L;
  int entries = 0, n = A.columns;
  assert_ok(it.context, asp_sparse_take(&it.arena, n, n, asp_sparse_entries(&A), &L));
  for (int j = 0; j < n; j++) {
    for (int k = A.start[j]; k < A.start[j + 1]; k++)
      if (A.row[k] >= j) {
        L.row[entries] = A.row[k];
        L.value[entries++] = A.value[k];
      }
    L.start[j + 1] = entries;
  }
  assert_ok(it.context, asp_factor_analyse(it.factor, ASP_FACTOR_LDLT, &L));
  assert_ok(it.context, asp_factor_compute(it.factor, &L, NULL, NULL));
  assert_at_most(solve_error(&it.arena, it.factor, &A, 2, 1), 1e-12);
  tear_down(&it);
}

static void squares_equal_products_with_solutions(void **state) {
  (void)state;
  Setup it;
  set_up(&it);
  const Pattern pattern = {50, 3, 2, 0, true};
  AspSparse A = random_matrix(&it.arena, &pattern, 8), H;
  enum { columns = 30 };
  int n = A.columns, row[2 * columns], column[2 * columns], all[columns];
  double value[2 * columns], square[columns], *x = ASP_TAKE(&it.arena, double, n);
  int *index = ASP_TAKE(&it.arena, int, n);
  for (int i = 0; i < n; i++)
    index[i] = i;
  for (int j = 0; j < columns; j++)
    all[j] = j;
  for (int k = 0; k < 2 * columns; k++) {
    row[k] = k * 37 % n, column[k] = k % columns, value[k] = 1 + k % 4;
  }
  assert_ok(it.context, asp_sparse_from_triplets(&it.arena, n, columns, 2 * columns, row, column, value, &H));
  assert_ok(it.context, asp_factor_analyse(it.factor, ASP_FACTOR_LDLT, &A));
  assert_ok(it.context, asp_factor_compute(it.factor, &A, NULL, NULL));
  assert_ok(it.context, asp_factor_squares(it.factor, &H, index, columns, all, square));
  for (int j = 0; j < columns; j++) {
    memset(x, 0, (size_t)n * sizeof *x);
    for (int k = H.start[j]; k < H.start[j + 1]; k++)
      x[H.row[k]] = H.value[k];
    assert_ok(it.context, asp_factor_solve(it.factor, 1, x, n));
    double sum = 0;
    for (int k = H.start[j]; k < H.start[j + 1]; k++)
      sum += H.value[k] * x[H.row[k]];
    assert_near(square[j], sum, 1e-12);
  }
  const int chosen[] = {29, 0, 7, 8, 15};
  enum { some = sizeof chosen / sizeof *chosen };
  double G[some * some];
  assert_ok(it.context, asp_factor_gram(it.factor, &it.arena, &H, some, chosen, G));
  for (int k = 0; k < some; k++) {
    assert_near(G[k * some + k], square[chosen[k]], 1e-12);
    memset(x, 0, (size_t)n * sizeof *x);
    for (int e = H.start[chosen[k]]; e < H.start[chosen[k] + 1]; e++)
      x[H.row[e]] = H.value[e];
    assert_ok(it.context, asp_factor_solve(it.factor, 1, x, n));
    for (int l = 0; l < some; l++) {
      double sum = 0;
      for (int e = H.start[chosen[l]]; e < H.start[chosen[l] + 1]; e++)
        sum += H.value[e] * x[H.row[e]];
      assert_near(G[k * some + l], sum, 1e-12);
    }
  }
  assert_ok(it.context, asp_factor_analyse(it.factor, ASP_FACTOR_LU, &A));
  assert_ok(it.context, asp_factor_compute(it.factor, &A, NULL, NULL));
  assert_int_equal(asp_factor_squares(it.factor, &H, index, columns, all, square), ASP_ERROR_ARGUMENT);
  tear_down(&it);
}

/* Neighbours in the graph of A share a front: the one of them that is eliminated first couples with the other. */
static void entries_of_the_inverse_between_neighbours_equal_solutions(void **state) {
  (void)state;
  Setup it;
  set_up(&it);
  const Pattern pattern = {50, 3, 2, 0, true};
  AspSparse A = random_matrix(&it.arena, &pattern, 9);
  int n = A.columns, apart = 0;
  bool worth;
  double *x = ASP_TAKE(&it.arena, double, n), Z[4];
  assert_int_equal(asp_factor_invert(it.factor, &worth), ASP_ERROR_ARGUMENT);
  assert_ok(it.context, asp_factor_analyse(it.factor, ASP_FACTOR_LDLT, &A));
  assert_ok(it.context, asp_factor_compute(it.factor, &A, NULL, NULL));
  assert_ok(it.context, asp_factor_invert(it.factor, &worth));
  assert_true(worth);
  for (int j = 0; j < n; j++) {
    memset(x, 0, (size_t)n * sizeof *x);
    x[j] = 1;
    assert_ok(it.context, asp_factor_solve(it.factor, 1, x, n));
    for (int k = A.start[j]; k < A.start[j + 1]; k++) {
      assert_true(asp_factor_inverse_entries(it.factor, 2, (int[]){A.row[k], j}, Z));
      assert_near(Z[2], x[A.row[k]], 1e-12);
      assert_near(Z[1], x[A.row[k]], 1e-12);
    }
    for (int i = 0; i < n; i++) // the others, where they can be read
      if (asp_factor_inverse_entries(it.factor, 2, (int[]){i, j}, Z))
        assert_near(Z[2], x[i], 1e-12);
      else
        apart++;
  }
  assert_true(apart > 0);
  tear_down(&it);
}

/* By solves with all unit vectors, in units in which the diagonal is near 1. */
static void bound_of_the_inverse_is_one_and_is_not_far_off(void **state) {
  (void)state;
  Setup it;
  set_up(&it);
  const Pattern pattern = {50, 3, 1, 0, false};
  for (unsigned seed = 1; seed <= 20; seed++) {
    AspSparse A = random_matrix(&it.arena, &pattern, seed);
    int n = A.columns;
    double *x = ASP_TAKE(&it.arena, double, n), *row = ASP_TAKE(&it.arena, double, n);
    double *scale = ASP_TAKE(&it.arena, double, n), most = 0;
    for (int j = 0; j < n; j++)
      for (int k = A.start[j]; k < A.start[j + 1]; k++)
        scale[j] = A.row[k] == j ? 1 / sqrt(A.value[k]) : scale[j];
    assert_ok(it.context, asp_factor_analyse(it.factor, ASP_FACTOR_LDLT, &A));
    assert_ok(it.context, asp_factor_compute(it.factor, &A, NULL, NULL));
    for (int j = 0; j < n; j++) {
      memset(x, 0, (size_t)n * sizeof *x);
      x[j] = 1 / scale[j];
      assert_ok(it.context, asp_factor_solve(it.factor, 1, x, n));
      for (int i = 0; i < n; i++)
        row[i] += fabs(x[i]) / scale[i];
    }
    for (int i = 0; i < n; i++)
      most = fmax(most, row[i]);
    double bound = asp_factor_inverse_bound(it.factor, scale, x);
    assert_true(bound >= most * (1 - 1e-12));
    assert_true(bound <= 2 * most);
  }
  tear_down(&it);
}

static void no_bound_of_an_inverse_where_a_pivot_is_not_positive(void **state) {
  (void)state;
  Setup it;
  set_up(&it);
  const int row[] = {0, 1, 0, 1}, column[] = {0, 0, 1, 1};
  const double value[] = {1, 2, 2, 1}, scale[] = {1, 1};
  double work[2];
  AspSparse A;
  assert_ok(it.context, asp_sparse_from_triplets(&it.arena, 2, 2, 4, row, column, value, &A));
  assert_ok(it.context, asp_factor_analyse(it.factor, ASP_FACTOR_LDLT, &A));
  assert_ok(it.context, asp_factor_compute(it.factor, &A, NULL, NULL));
  assert_true(isinf(asp_factor_inverse_bound(it.factor, scale, work)));
  tear_down(&it);
}

static void equal_input_gives_equal_bits_and_no_allocation(void **state) {
  (void)state;
  Setup it;
  set_up(&it);
  const Pattern pattern = {80, 6, 2, 0.1, false};
  AspSparse A = random_matrix(&it.arena, &pattern, 2), other = random_matrix(&it.arena, &pattern, 3);
  int n = A.columns;
  double *x = ASP_TAKE(&it.arena, double, n);
  uint64_t calls = 0, hash = 0;
  for (int round = 0; round < 6; round++) {
    if (round == 3)
      calls = asp_context_allocation_count(it.context);
    for (int i = 0; i < n; i++)
      x[i] = 1.0 / (i + 1);
    if (round % 2 == 1) // another pattern in between: an equal one is not analysed again
      assert_ok(it.context, asp_factor_analyse(it.factor, ASP_FACTOR_LU, &other));
    assert_ok(it.context, asp_factor_analyse(it.factor, ASP_FACTOR_LU, &A));
    assert_ok(it.context, asp_factor_compute(it.factor, &A, NULL, NULL));
    assert_ok(it.context, asp_factor_solve(it.factor, 1, x, n));
    uint64_t now = asp_hash_bytes(ASP_HASH_START, x, (size_t)n * sizeof *x);
    assert_true(round == 0 || now == hash);
    hash = now;
  }
  assert_int_equal(asp_context_allocation_count(it.context), calls);
  tear_down(&it);
}

static void misuse_is_refused(void **state) {
  (void)state;
  Setup it;
  set_up(&it);
  const Pattern pattern = {4, 2, 1, 0, false};
  AspSparse A = random_matrix(&it.arena, &pattern, 1), empty = {0}, wide = {.rows = 2, .columns = 3};
  double x[8] = {0};
  assert_int_equal(asp_factor_solve(it.factor, 1, x, 8), ASP_ERROR_ARGUMENT);
  assert_int_equal(asp_factor_compute(it.factor, &A, NULL, NULL), ASP_ERROR_ARGUMENT);
  assert_int_equal(asp_factor_analyse(it.factor, ASP_FACTOR_LU, &wide), ASP_ERROR_ARGUMENT);
  assert_ok(it.context, asp_factor_analyse(it.factor, ASP_FACTOR_LU, &A));
  assert_int_equal(asp_factor_solve(it.factor, 1, x, 8), ASP_ERROR_ARGUMENT);
  A.start[8]--;
  assert_int_equal(asp_factor_compute(it.factor, &A, NULL, NULL), ASP_ERROR_ARGUMENT);
  AspFactorInfo info;
  assert_ok(it.context, asp_factor_analyse(it.factor, ASP_FACTOR_LDLT, &empty));
  assert_ok(it.context, asp_factor_compute(it.factor, &empty, NULL, &info));
  assert_ok(it.context, asp_factor_solve(it.factor, 1, x, 0));
  assert_int_equal(info.set_aside, 0);
  tear_down(&it);
}

static void every_kth_allocation_failure_is_clean(void **state) {
  (void)state;
  FailingAllocator failing;
  AspContext *context = failing_context(&failing);
  AspArena arena;
  asp_arena_init(&arena, context);
  const Pattern pattern = {60, 6, 2, 0, false};
  AspSparse A = random_matrix(&arena, &pattern, 1);
  long before = failing.live;
  int failures = 0;
  for (long k = 0;; k++) {
    AspFactor *factor = NULL;
    failing.until_failure = k;
    AspError error = asp_factor_create(context, &factor);
    if (error == ASP_OK)
      error = asp_factor_analyse(factor, ASP_FACTOR_LU, &A);
    if (error == ASP_OK)
      error = asp_factor_compute(factor, &A, NULL, NULL);
    asp_factor_destroy(factor);
    assert_int_equal(failing.live, before);
    if (error == ASP_OK)
      break;
    assert_int_equal(error, ASP_ERROR_MEMORY);
    failures++;
  }
  assert_true(failures >= 5);
  failing.until_failure = -1;
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

/* The graph of a matrix with these edges. */
static FactorGraph graph_of(Setup *it, int vertices, int edges, const int (*edge)[2]) {
  int *row = ASP_TAKE(&it->arena, int, vertices + 2 * edges), *column = ASP_TAKE(&it->arena, int, vertices + 2 * edges);
  double *value = ASP_TAKE(&it->arena, double, vertices + 2 * edges);
  FactorGraph graph;
  AspSparse A;
  for (int i = 0; i < vertices; i++)
    row[i] = column[i] = i;
  for (int e = 0; e < edges; e++) {
    row[vertices + 2 * e] = column[vertices + 2 * e + 1] = edge[e][0];
    row[vertices + 2 * e + 1] = column[vertices + 2 * e] = edge[e][1];
  }
  assert_ok(it->context,
            asp_sparse_from_triplets(&it->arena, vertices, vertices, vertices + 2 * edges, row, column, value, &A));
  assert_ok(it->context, asp_factor_graph(&it->arena, &A, &graph));
  return graph;
}

static void inverse_is_not_found_where_fronts_are_large(void **state) {
  (void)state;
  Setup it;
  set_up(&it);
  const Pattern pattern = {60, 6, 8, 0, false};
  AspSparse A = random_matrix(&it.arena, &pattern, 4);
  bool worth = true;
  assert_ok(it.context, asp_factor_analyse(it.factor, ASP_FACTOR_LDLT, &A));
  assert_ok(it.context, asp_factor_compute(it.factor, &A, NULL, NULL));
  assert_ok(it.context, asp_factor_invert(it.factor, &worth));
  assert_false(worth);
  tear_down(&it);
}

/* Three legs of three links on a trunk, numbered leg by leg from its tip; two links that are coupled twice over. */
static void trees_are_eliminated_from_all_tips_to_the_middle(void **state) {
  (void)state;
  Setup it;
  set_up(&it);
  const int edge[][2] = {{0, 1}, {1, 2}, {2, 9}, {3, 4}, {4, 5}, {5, 9}, {6, 7}, {7, 8}, {8, 9}, {0, 2}};
  int order[10];
  bool done;
  FactorGraph graph = graph_of(&it, 10, 9, edge);
  assert_ok(it.context, asp_factor_order_leaves(&it.arena, &graph, order, &done));
  assert_true(done);
  assert_int_equal(graph.member[graph.member_start[order[9]]], 9);
  for (int i = 0; i < 3; i++) // tips first, then those beside the trunk last
    assert_int_equal(graph.member[graph.member_start[order[i]]] % 3, 0);
  graph = graph_of(&it, 10, 10, edge);
  assert_ok(it.context, asp_factor_order_leaves(&it.arena, &graph, order, &done));
  assert_true(done);
  tear_down(&it);
}

static void ring_has_no_order_without_fill(void **state) {
  (void)state;
  Setup it;
  set_up(&it);
  const int edge[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {4, 5}};
  int order[6];
  bool done;
  FactorGraph graph = graph_of(&it, 6, 6, edge);
  assert_ok(it.context, asp_factor_order_leaves(&it.arena, &graph, order, &done));
  assert_false(done);
  tear_down(&it);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_satisfy_the_equations),
      cmocka_unit_test(mechanisms_are_solved_as_by_dense_factors),
      cmocka_unit_test(singular_systems_are_reported_and_solved_when_consistent),
      cmocka_unit_test(scaling_a_matrix_does_not_make_it_singular),
      cmocka_unit_test(redundant_constraints_are_set_aside),
      cmocka_unit_test(regularisation_and_refinement_solve_redundant_constraints),
      cmocka_unit_test(pivots_of_the_wrong_sign_are_reported),
      cmocka_unit_test(only_the_lower_triangle_is_read_by_ldlt),
      cmocka_unit_test(squares_equal_products_with_solutions),
      cmocka_unit_test(entries_of_the_inverse_between_neighbours_equal_solutions),
      cmocka_unit_test(inverse_is_not_found_where_fronts_are_large),
      cmocka_unit_test(trees_are_eliminated_from_all_tips_to_the_middle),
      cmocka_unit_test(ring_has_no_order_without_fill),
      cmocka_unit_test(bound_of_the_inverse_is_one_and_is_not_far_off),
      cmocka_unit_test(no_bound_of_an_inverse_where_a_pivot_is_not_positive),
      cmocka_unit_test(equal_input_gives_equal_bits_and_no_allocation),
      cmocka_unit_test(misuse_is_refused),
      cmocka_unit_test(every_kth_allocation_failure_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
