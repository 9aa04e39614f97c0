/* The judge in twice the precision against the judge in double: the same maps of all laws and cones in both forms, each
 * within the other's bounds, and digits that double does not have.
 */
#include "judged_problems.h"
#include "problem/building.h"
#include "problem/judge_state.h"

#include <math.h>

enum { DRAWN = 400, BLOCKS = 3 };

typedef struct Judged {
  AspResidual residual;
  AspSharp sharp;
  double map, map_bound, q_bound; /* in double */
} Judged;

static Judged judge_both(AspContext *context, const AspContactProblem *problem, const double *r) {
  AspJudge *judge;
  Judged both;
  assert_ok(context, asp_judge_create(context, &judge));
  assert_ok(context, asp_judge_reset(judge, problem));
  assert_ok(context, asp_judge_residual(judge, r, &both.residual, NULL, NULL));
  if (problem->dofs > 0 && !judge->mass.is_blocks)
    assert_ok(context, asp_rounding_sparse(judge));
  both.map = both.residual.E2 * fmax(both.residual.norm_r, both.residual.rho * both.residual.norm_q);
  both.map_bound = asp_rounding_of_maps(judge, r);
  both.q_bound = asp_rounding_of_q(judge);
  assert_ok(context, asp_judge_sharp(judge, r, &both.sharp));
  asp_judge_destroy(judge);
  return both;
}

/* `flat`: no cone is so steep that double has no digits left. */
static void assert_agree(const Judged *both, bool flat) {
  const AspSharp *sharp = &both->sharp;
  double least = 1e-14 * both->map; // of the root and the sum of squares
  assert_true(fabs(both->map - sharp->map) <= both->map_bound + sharp->map_error + least);
  assert_true(fabs(both->residual.norm_q - sharp->norm_q) <=
              both->q_bound + sharp->norm_q_error + 1e-14 * sharp->norm_q);
  if (flat) {
    assert_near(sharp->map / both->map, 1, 1e-8);
    assert_true(sharp->map_error < 1e-9 * both->map_bound && sharp->map_error >= 0);
  }
}

/* r far from the planted one, so that every term of the maps counts */
static void drawn_problems_have_one_map_in_both_precisions(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  int compared = 0;
  for (uint64_t seed = 1; seed <= DRAWN; seed++) {
    JudgedProblem drawn;
    AspRandom random = {.state = seed};
    assert_ok(context, judged_problem_make(context, seed, &drawn));
    bool flat = !drawn.floats;
    for (int i = 0; i < drawn.problem.blocks; i++)
      flat = flat && (drawn.problem.law[i].mu <= 10 || rows_of_law(&drawn.problem.law[i], 3) == 1);
    for (int k = 0; k < drawn.problem.rows; k++)
      drawn.r[k] += drawn.size * asp_random_normal(&random);
    Judged both = judge_both(context, &drawn.problem, drawn.r);
    if (flat && isfinite(both.map_bound))
      assert_near(both.sharp.norm_q / both.residual.norm_q, 1, 1e-6);
    assert_agree(&both, flat && both.map_bound < 1e-9 * both.map);
    compared += flat && both.map_bound < 1e-9 * both.map;
    asp_problem_destroy(context, &drawn.problem);
  }
  assert_true(compared > DRAWN / 8);
  asp_context_destroy(context);
}

static AspLaw draw_law(AspRandom *random, int dimension) {
  static const AspLawKind kinds[] = {ASP_LAW_COULOMB,    ASP_LAW_COULOMB, ASP_LAW_EQUALITY, ASP_LAW_BOX,
                                     ASP_LAW_UNILATERAL, ASP_LAW_SLIDING, ASP_LAW_BALL};
  static const AspConeKind cones[] = {ASP_CONE_EXACT, ASP_CONE_RELAXED, ASP_CONE_INSCRIBED, ASP_CONE_CIRCUMSCRIBED};
  AspLaw law = {.kind = kinds[asp_random_bits(random) % 7], .mu = asp_random_uniform(random, 0, 2)};
  if (law.kind == ASP_LAW_COULOMB && dimension == 3)
    law.cone = cones[asp_random_bits(random) % 4];
  law.directions = 6;
  law.limit = 0.5;
  law.direction[0] = dimension == 3 ? 0.6 : 1;
  law.direction[1] = dimension == 3 ? 0.8 : 0;
  return law;
}

/* u = W r + q: contacts in the plane and in space, polygons and relaxed cones included */
static void local_problems_have_one_map_in_both_precisions(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  for (uint64_t seed = 1; seed <= DRAWN; seed++) {
    AspRandom random = {.state = seed};
    int dimension = seed % 2 ? 3 : 2, rows = 0;
    double A[9][9], W[81], q[9], r[9];
    AspLaw law[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
      law[i] = draw_law(&random, dimension);
      rows += rows_of_law(&law[i], dimension);
    }
    for (int i = 0; i < rows; i++) {
      q[i] = asp_random_normal(&random);
      r[i] = asp_random_normal(&random) + (i % dimension == 0);
      for (int j = 0; j < rows; j++)
        A[i][j] = asp_random_normal(&random);
    }
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < rows; j++) {
        W[i * rows + j] = i == j;
        for (int k = 0; k < rows; k++)
          W[i * rows + j] += A[i][k] * A[j][k];
      }
    AspContactProblem problem = local_problem(context, dimension, BLOCKS, law, W, q);
    Judged both = judge_both(context, &problem, r);
    bool polygon = false;
    for (int i = 0; i < BLOCKS; i++)
      polygon = polygon || law[i].cone == ASP_CONE_INSCRIBED || law[i].cone == ASP_CONE_CIRCUMSCRIBED;
    assert_near(both.sharp.map / both.map, 1, 1e-12);
    assert_agree(&both, !polygon); // polygons are evaluated in double
    asp_problem_destroy(context, &problem);
  }
  asp_context_destroy(context);
}

/* 3 * 0.1 - 0.3 of these doubles is 2.8e-17 exactly; in double it is 5.6e-17. rho = 1 / W. */
static void difference_below_the_last_digit_is_found(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  const AspLaw law = {.kind = ASP_LAW_UNILATERAL};
  const double W = 0.1, q = -0.3, r = 3, exact = fma(W, r, q);
  AspContactProblem problem = local_problem(context, 2, 1, &law, &W, &q);
  Judged both = judge_both(context, &problem, &r);
  assert_near(both.sharp.map / (both.residual.rho * exact), 1, 1e-12);
  assert_true(both.sharp.map_error < 1e-10 * both.sharp.map);
  assert_near(both.sharp.norm_q, 0.3, 0);
  asp_problem_destroy(context, &problem);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(drawn_problems_have_one_map_in_both_precisions),
      cmocka_unit_test(local_problems_have_one_map_in_both_precisions),
      cmocka_unit_test(difference_below_the_last_digit_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
