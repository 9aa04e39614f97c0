/* What Lemke stands on: the long vector loops against plain ones, the inverse of the basis against one from scratch. */
#include "solver/kernels.h"
#include "solver/lemke_basis.h"
#include "testing.h"

#define N 60

static void fill(AspRandom *random, int count, double *x) {
  for (int i = 0; i < count; i++)
    x[i] = asp_random_normal(random);
}

static void kernels_equal_plain_loops_to_the_bit(void **state) {
  (void)state;
  AspRandom random = {1};
  double x[4][N + 1], y[N + 1], expected[N + 1], g[8], A[8 * (N + 1)], B[8 * (N + 1)];
  for (int n = 0; n <= N; n++)
    for (int shift = 0; shift < 2 && n + shift <= N + 1; shift++) { // aligned and not
      for (int k = 0; k < 4; k++)
        fill(&random, N + 1, x[k]);
      fill(&random, N + 1, y);
      fill(&random, 8, g);
      int length = n + shift <= N ? n : n - 1;
      memcpy(expected, y, sizeof y);
      for (int i = 0; i < length; i++)
        expected[i + shift] += g[0] * x[0][i];
      asp_kernel_axpy(length, g[0], x[0], y + shift);
      assert_memory_equal(y, expected, sizeof y);

      for (int i = 0; i < length; i++)
        for (int k = 0; k < 4; k++)
          expected[i + shift] += g[k] * x[k][i];
      asp_kernel_axpy4(length, g, x[0], x[1], x[2], x[3], y + shift);
      assert_memory_equal(y, expected, sizeof y);

      double part[8] = {0};
      for (int i = 0; i < length; i++)
        part[i % 8] += x[0][i] * x[1][i + shift];
      double sum = ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]));
      assert_true(asp_kernel_dot(length, x[0], x[1] + shift) == sum);

      fill(&random, 8 * (N + 1), A);
      memcpy(B, A, sizeof A);
      g[3] = 0;
      for (int j = 0; j < 8; j++)
        for (int i = 0; i < length && j != 3; i++)
          B[j * (N + 1) + i] += g[j] * x[2][i];
      asp_kernel_rank1(length, 8, x[2], g, A, N + 1);
      assert_memory_equal(A, B, sizeof A);
    }
}

/* C from M, d and the index lists; largest entry of C C^-1 - 1 */
static double inverse_error(const LemkeBasis *basis) {
  double worst = 0;
  for (int a = 0; a < basis->size; a++)
    for (int c = 0; c < basis->size; c++) {
      double sum = a == c ? -1 : 0;
      for (int s = 0; s < basis->size; s++) {
        int j = basis->slot_variable[s], row = basis->column_row[a];
        double entry = j == basis->n ? basis->d[row] : basis->M[(size_t)j * basis->ld + (size_t)row];
        sum += entry * basis->inverse[(size_t)c * basis->ld + (size_t)s];
      }
      worst = fmax(worst, fabs(sum));
    }
  return worst;
}

static LemkeVariable random_variable(const LemkeBasis *basis, AspRandom *random, bool basic) {
  for (;;) {
    LemkeVariable v = {asp_random_bits(random) & 1, (int)(asp_random_bits(random) % (uint64_t)basis->n)};
    if ((v.is_z ? basis->slot_of[v.index] >= 0 : basis->column_of[v.index] < 0) == basic)
      return v;
  }
}

/* Random exchanges of all four kinds, z0 staying: index lists and inverse stay what they say they are. */
static void exchanges_keep_the_inverse(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  for (int sparse = 0; sparse < 2; sparse++) {
    AspRandom random = {(uint64_t)sparse};
    size_t ld = (N + 8) & ~7;
    double *M = asp_allocate(context, ld * N, sizeof *M), d[N], slot_rate[N + 1], w_rate[N + 1];
    for (int j = 0; j < N; j++) {
      for (int i = 0; i < N; i++)
        M[(size_t)j * ld + (size_t)i] = !sparse || asp_random_bits(&random) % 8 == 0 ? asp_random_normal(&random) : 0;
      d[j] = asp_random_uniform(&random, 0.5, 1.5);
    }
    AspArena arena;
    LemkeBasis basis;
    asp_arena_init(&arena, context);
    assert_ok(context, asp_lemke_basis_take(&arena, N, M, ld, d, &basis));
    assert_int_equal(basis.start != NULL, sparse);
    asp_lemke_basis_start(&basis, 5);
    int kinds[2][2] = {{0}};
    for (int exchange = 0; exchange < 600; exchange++) {
      LemkeVariable entering = random_variable(&basis, &random, false),
                    leaving = random_variable(&basis, &random, true);
      double error = asp_lemke_basis_rates(&basis, entering, slot_rate, w_rate);
      assert_at_most(error, 1e-9);
      double rate = leaving.is_z ? slot_rate[basis.slot_of[leaving.index]] : w_rate[leaving.index];
      if (fabs(rate) < 0.05)
        continue;
      asp_lemke_basis_exchange(&basis, entering, leaving, 1, slot_rate, w_rate);
      kinds[entering.is_z][leaving.is_z]++;
      assert_true(entering.is_z ? basis.slot_of[entering.index] >= 0 : basis.column_of[entering.index] < 0);
      assert_true(leaving.is_z ? basis.slot_of[leaving.index] < 0 : basis.column_of[leaving.index] >= 0);
      if (exchange % 50 == 0) {
        assert_at_most(inverse_error(&basis), 1e-7); // updates alone
        assert_true(asp_lemke_basis_refactor(&basis));
        assert_at_most(inverse_error(&basis), 1e-11);
      }
    }
    for (int k = 0; k < 4; k++)
      assert_true(kinds[k / 2][k % 2] > 20);
    asp_arena_free(&arena);
    asp_release(context, M);
  }
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernels_equal_plain_loops_to_the_bit),
      cmocka_unit_test(exchanges_keep_the_inverse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
