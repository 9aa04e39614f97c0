/* Verdicts in exact arithmetic: planted solutions are accepted, perturbed ones are refused, steep cones are not
 * flattered, floating mechanisms are measured against the rounding of their own terms.
 */
#include "base/double_double.h"
#include "judged_problems.h"
#include "problem/building.h"
#include "problem/verdict.h"

#include <math.h>

enum { DRAWN = 1000 };

static const AspTolerances usual = {.residual = 1e-8};

static AspResidual certified(AspContext *context, const AspContactProblem *problem, const double *r) {
  AspJudge *judge;
  AspResidual residual;
  assert_ok(context, asp_judge_create(context, &judge));
  assert_ok(context, asp_judge_reset(judge, problem));
  assert_ok(context, asp_judge_certify(judge, &usual, r, &residual, NULL, NULL));
  asp_judge_destroy(judge);
  return residual;
}

/* Sums and products of doubles are exact, quotients and roots right to thirty digits. */
static void twice_the_precision_has_thirty_digits(void **state) {
  (void)state;
  AspTwice third = asp_twice_divide(asp_twice(1), asp_twice(3));
  AspTwice one = asp_twice_scale(third, 3);
  assert_true(one.hi == 1 && fabs(one.lo) < 1e-31);
  AspTwice two = asp_twice_root(asp_twice(2)), square = asp_twice_multiply(two, two);
  assert_true(fabs(asp_twice_subtract(square, asp_twice(2)).hi) < 1e-30);
  AspTwice sum = asp_twice_add(asp_twice_product(1e16, 1), asp_twice(1)); // 1e16 + 1 is no double
  assert_true(asp_twice_subtract(sum, asp_twice(1e16)).hi == 1);
}

/* A sticking contact with mu = 1e12 whose slip is 1e-16 of its data: in double mu ||u_T|| rounds to nothing or to
 * 1e-4. The exact residual decides. */
static void steep_sticking_contact_is_not_flattered_by_rounding(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  const AspLaw law = {.kind = ASP_LAW_COULOMB, .mu = 1e12};
  const double W[9] = {1, 0, 0, 0, 0.1, 0, 0, 0, 0.1}, q[3] = {-1, 0.3, 0}, r[3] = {1, -3, 0};
  AspContactProblem problem = local_problem(context, 3, 1, &law, W, q);
  double slip = 0.3 - 0.1 * 3; // as double rounds it; exactly 0.3 - 3 * 0.1 of these doubles is -2.8e-17
  AspResidual residual = certified(context, &problem, r);
  assert_false(asp_verdict_is_met(&usual, &residual));
  assert_true(residual.E2 > 1e-6);
  assert_true(fabs(slip) < 1e-16);
  asp_problem_destroy(context, &problem);
  asp_context_destroy(context);
}

/* r moved along a random direction until a second judge, in long double, finds ten tolerances or up to a million of
 * them; then it must be refused. */
static void perturbed_is_refused(AspContext *context, const JudgedProblem *drawn, uint64_t seed) {
  AspRandom random = {.state = seed + 77};
  int rows = drawn->problem.rows;
  AspResidual planted = certified(context, &drawn->problem, drawn->r);
  double least_q = planted.rounding / usual.residual, d[JUDGED_ROWS], r[JUDGED_ROWS], E2 = 0;
  double asked = pow(10, asp_random_uniform(&random, 1, 6)) * usual.residual;
  double by = usual.residual * fmax(planted.norm_r, planted.rho * fmax(planted.norm_q, least_q));
  for (int k = 0; k < rows; k++)
    d[k] = asp_random_normal(&random);
  // along directions that hardly move anything E2 stays below what was drawn
  for (int round = 0; round < 60 && !(E2 >= asked); round++, by *= 4) {
    for (int k = 0; k < rows; k++)
      r[k] = drawn->r[k] + by * d[k];
    E2 = judged_problem_E2(drawn, r, least_q);
  }
  AspResidual residual = certified(context, &drawn->problem, r);
  assert_false(asp_verdict_is_met(&usual, &residual));
  if (E2 < 10 * usual.residual) // then E3 alone shows it
    assert_true(residual.E3 > 10 * ASP_INFLATION * usual.residual);
}

/* Of ordinary data (mu up to 1000) the planted r is found to be a solution; of all of them the perturbed one not. */
static void planted_solutions_are_accepted_and_perturbed_ones_refused(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  int accepted = 0, floating = 0;
  for (uint64_t seed = 1; seed <= DRAWN; seed++) {
    JudgedProblem drawn;
    assert_ok(context, judged_problem_make(context, seed, &drawn));
    AspResidual planted = certified(context, &drawn.problem, drawn.r);
    bool steep = false, met = asp_verdict_is_met(&usual, &planted);
    for (int i = 0; i < drawn.problem.blocks; i++)
      steep = steep || drawn.problem.law[i].mu > 1e3;
    if (!steep)
      assert_true(met);
    accepted += met;
    floating += drawn.floats && met;
    perturbed_is_refused(context, &drawn, seed);
    asp_problem_destroy(context, &drawn.problem);
  }
  assert_true(accepted > DRAWN / 2 && floating > DRAWN / 10);
  asp_context_destroy(context);
}

/* Some last digits of the velocities that cancel, and no more. */
static void floor_is_at_the_rounding_of_q(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  int seen = 0;
  for (uint64_t seed = 1; seed <= DRAWN; seed++) {
    JudgedProblem drawn;
    assert_ok(context, judged_problem_make(context, seed, &drawn));
    if (drawn.floats) {
      AspResidual planted = certified(context, &drawn.problem, drawn.r);
      double speed = 0, *x = calloc((size_t)drawn.problem.dofs, sizeof *x);
      judged(context, &drawn.problem, drawn.r, NULL, x);
      for (int k = 0; k < drawn.problem.dofs; k++)
        speed = fmax(speed, fabs(x[k]));
      assert_true(planted.rounding < 1e-13 * speed);
      assert_true(planted.rounding > 1e-16 * speed);
      free(x);
      seen++;
    }
    asp_problem_destroy(context, &drawn.problem);
  }
  assert_true(seen > DRAWN / 10);
  asp_context_destroy(context);
}

/* The exact E2 lies within the bound, and the bound is mostly a small part of the tolerance: for planted solutions and for ones that
 * are off by a tenth of the tolerance, whatever is larger, r or the data. The second judge's own rounding is 1e-16. */
static void bounds_hold_and_are_narrow(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  int by_load = 0, by_data = 0, bounded = 0, narrow = 0;
  for (uint64_t seed = 1; seed <= DRAWN; seed++) {
    JudgedProblem drawn;
    AspRandom random = {.state = seed};
    assert_ok(context, judged_problem_make(context, seed, &drawn));
    bool flat = !drawn.floats && !drawn.jointed; // those are judged in fractions: bench/judge/exact.py
    for (int i = 0; i < drawn.problem.blocks; i++)
      flat = flat && drawn.problem.law[i].mu <= 1;
    if (flat) {
      AspResidual planted = certified(context, &drawn.problem, drawn.r);
      for (int k = 0; k < drawn.problem.rows; k++)
        drawn.r[k] +=
            0.1 * usual.residual * (planted.norm_r + planted.rho * planted.norm_q) * asp_random_normal(&random);
      AspResidual moved = certified(context, &drawn.problem, drawn.r);
      double exact = judged_problem_E2(&drawn, drawn.r, moved.least_q);
      if (isfinite(moved.E2_rounding) && moved.E2_rounding > 0) { // else refused without a look at rounding
        assert_near(moved.E2, exact, moved.E2_rounding + 1e-15);
        assert_at_most(moved.E2_rounding, usual.residual);
        bounded++;
        narrow += moved.E2_rounding < 1e-4 * usual.residual;
        by_load += moved.norm_r > 10 * moved.rho * moved.norm_q;
        by_data += moved.norm_r < 0.1 * moved.rho * moved.norm_q;
      }
    }
    asp_problem_destroy(context, &drawn.problem);
  }
  assert_true(by_load > 3 && by_data > 10 && narrow > 3 * bounded / 4);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twice_the_precision_has_thirty_digits),
      cmocka_unit_test(steep_sticking_contact_is_not_flattered_by_rounding),
      cmocka_unit_test(planted_solutions_are_accepted_and_perturbed_ones_refused),
      cmocka_unit_test(bounds_hold_and_are_narrow),
      cmocka_unit_test(floor_is_at_the_rounding_of_q),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
