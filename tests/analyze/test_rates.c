/* Velocities that meet equalities and inequalities, or the witness that there are none: against data made with a known
 * answer, checked by the definition of a witness alone. */
#include "analyze/rates.h"
#include "testing.h"

#include <math.h>

enum { DOFS = 6, ROWS = 14, CASES = 300 };

typedef struct Made {
  int start[ROWS + 2], dof[(ROWS + 1) * DOFS];
  double value[(ROWS + 1) * DOFS], c[ROWS + 1];
  bool equality[ROWS + 1];
  AspRates rates;
} Made;

/* Rows of norm 1 that x meets, inequalities with a slack of 0 to `most`. */
static void make_feasible(AspRandom *seed, double most, Made *made) {
  double x[DOFS];
  for (int j = 0; j < DOFS; j++)
    x[j] = asp_random_uniform(seed, -1, 1);
  for (int i = 0; i < ROWS; i++) {
    double square = 0, rate = 0;
    for (int j = 0; j < DOFS; j++) {
      made->dof[i * DOFS + j] = j;
      made->value[i * DOFS + j] = asp_random_uniform(seed, -1, 1);
      square += made->value[i * DOFS + j] * made->value[i * DOFS + j];
    }
    for (int j = 0; j < DOFS; j++) {
      made->value[i * DOFS + j] /= sqrt(square);
      rate += made->value[i * DOFS + j] * x[j];
    }
    made->equality[i] = i < 2;
    made->c[i] = -rate + (made->equality[i] ? 0 : asp_random_uniform(seed, 0, most));
    made->start[i] = i * DOFS;
  }
  made->start[ROWS] = ROWS * DOFS;
  made->rates = (AspRates){ROWS, DOFS, made->start, made->dof, made->value, made->c, made->equality};
}

/* One more row: minus a sum of earlier ones with weights >= 0, off by `gap` from what they allow. */
static void contradict(AspRandom *seed, Made *made, double gap) {
  double sum[DOFS] = {0}, c = 0, square = 0;
  for (int i = 0; i < 5; i++) {
    double weight = i < 2 ? asp_random_uniform(seed, -1, 1) : asp_random_uniform(seed, 0.1, 1);
    for (int j = 0; j < DOFS; j++)
      sum[j] += weight * made->value[i * DOFS + j];
    c += weight * made->c[i];
  }
  for (int j = 0; j < DOFS; j++)
    square += sum[j] * sum[j];
  for (int j = 0; j < DOFS; j++) {
    made->dof[ROWS * DOFS + j] = j;
    made->value[ROWS * DOFS + j] = -sum[j] / sqrt(square);
  }
  made->c[ROWS] = -c / sqrt(square) - gap;
  made->equality[ROWS] = false;
  made->start[ROWS + 1] = (ROWS + 1) * DOFS;
  made->rates.rows = ROWS + 1;
}

static AspRatesVerdict decide(AspContext *context, const Made *made, double *r, double *power) {
  AspArena arena;
  double x[DOFS] = {0};
  AspRatesVerdict verdict;
  asp_arena_init(&arena, context);
  assert_ok(context, asp_rates_decide(&arena, &made->rates, x, 1e-9, 1, 100, r, &verdict));
  assert_ok(context, asp_rates_judge(&arena, &made->rates, r, 1e6, power));
  asp_arena_free(&arena);
  return verdict;
}

static void feasible_rows_have_no_witness(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom seed = {1};
  for (int k = 0; k < CASES; k++) {
    Made made;
    double r[ROWS + 1], power;
    make_feasible(&seed, k % 2, &made); // every other one just touches all that is allowed
    assert_int_equal(decide(context, &made, r, &power), ASP_RATES_EXIST);
  }
  asp_context_destroy(context);
}

static void contradiction_has_a_witness_that_the_judge_confirms(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom seed = {2};
  for (int k = 0; k < CASES; k++) {
    Made made;
    double r[ROWS + 1], power;
    make_feasible(&seed, 1, &made);
    contradict(&seed, &made, 0.1);
    assert_int_equal(decide(context, &made, r, &power), ASP_RATES_NONE);
    assert_true(power > 0);
    for (int i = 2; i <= ROWS; i++)
      assert_true(r[i] >= 0);
  }
  asp_context_destroy(context);
}

static void projections_end_where_rows_are_met(void **state) {
  (void)state;
  AspRandom seed = {3};
  int met = 0;
  for (int k = 0; k < CASES; k++) {
    Made made;
    double x[DOFS] = {0};
    make_feasible(&seed, 1, &made);
    if (!asp_rates_relax(&made.rates, 200, 1e-6, x))
      continue;
    met++;
    for (int i = 0; i < ROWS; i++)
      assert_true(asp_rates_violation(&made.rates, i, x) < 1e-5);
  }
  assert_true(met > CASES / 2);
}

static void sets_with_too_many_rows_are_left_undecided(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  AspRandom seed = {4};
  Made made;
  double r[ROWS + 1], x[DOFS] = {0};
  AspRatesVerdict verdict;
  asp_arena_init(&arena, context);
  make_feasible(&seed, 1, &made);
  contradict(&seed, &made, 1);
  assert_ok(context, asp_rates_decide(&arena, &made.rates, x, 1e-9, 1, 3, r, &verdict));
  assert_int_equal(verdict, ASP_RATES_UNDECIDED);
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(feasible_rows_have_no_witness),
      cmocka_unit_test(contradiction_has_a_witness_that_the_judge_confirms),
      cmocka_unit_test(projections_end_where_rows_are_met),
      cmocka_unit_test(sets_with_too_many_rows_are_left_undecided),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
