/* factor: solutions recomputed from the matrix, singular pivots, repeatability, memory. */
#include "failing_allocator.h"
#include "linalg/factor.h"

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
  double *X = ASP_TAKE(arena, double, ldx * columns), *B = ASP_TAKE(arena, double, ldx * columns), error = 0;
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
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  AspFactor *factor;
  asp_arena_init(&arena, context);
  assert_ok(context, asp_factor_create(context, &factor));
  const Pattern patterns[] = {{1, 1, 0, 0, false},   {1, 6, 0, 0, false},    {40, 6, 1, 0, false},  {40, 6, 1, 0.3, false},
                              {300, 1, 2, 0, false}, {60, 3, 3, 0.3, false}, {100, 6, 0, 0, false}, {50, 2, 2, 0, true},
                              {12, 40, 2, 0, false}, {12, 40, 2, 0.3, false}, {400, 1, 0.5, 0.2, false}};
  for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++)
    for (uint64_t seed = 1; seed <= 4; seed++)
      for (int kind = ASP_FACTOR_LDLT; kind <= ASP_FACTOR_LU; kind++) {
        if (kind == ASP_FACTOR_LDLT && patterns[p].asymmetry != 0)
          continue;
        asp_arena_reset(&arena);
        AspSparse A = random_matrix(&arena, &patterns[p], seed);
        AspFactorInfo info;
        assert_ok(context, asp_factor_analyse(factor, (AspFactorKind)kind, &A));
        assert_ok(context, asp_factor_compute(factor, &A, NULL, &info));
        assert_int_equal(info.set_aside, 0);
        assert_int_equal(info.first, -1);
        assert_true(info.smallest > 0 && info.smallest <= info.largest);
        assert_at_most(solve_error(&arena, factor, &A, 1, seed), 1e-11);
        assert_at_most(solve_error(&arena, factor, &A, 45, seed), 1e-11);
      }
  asp_factor_destroy(factor);
  asp_arena_free(&arena);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_satisfy_the_equations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
