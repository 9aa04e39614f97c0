/* The test of small friction: where it says one motion at most, brute facts and the complete search agree; its value
 * against closed forms; redundant contacts. */
#include "analyze/small_friction.h"

#include "analyze_testing.h"

#include <math.h>

static double kappa_of(AspContext *context, int blocks, const AspLaw *law, const int *offset, const double *W) {
  AspArena arena;
  double kappa;
  asp_arena_init(&arena, context);
  assert_ok(context, asp_small_friction(&arena, blocks, offset, law, W, &kappa));
  asp_arena_free(&arena);
  return kappa;
}

/* One contact in the plane: S = det W / W_TT, kappa = mu^2 W_TT / S. Two solutions exist for some load as soon as
 * W_NN < mu |W_NT|. */
static void rod_has_the_closed_form(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  const double W[4] = {1.75, -1.299038105676658, -1.299038105676658, 3.25};
  const int offset[2] = {0, 2};
  const double mu[3] = {0.5, 1.2, 1.5};
  for (int i = 0; i < 3; i++) {
    AspLaw law = {.kind = ASP_LAW_COULOMB, .mu = mu[i]};
    double S = (1.75 * 3.25 - 1.6875) / 3.25;
    assert_near(kappa_of(context, 1, &law, offset, W), mu[i] * mu[i] * 3.25 / S, 1e-12);
    law.kind = ASP_LAW_SLIDING;
    law.direction[0] = -1;
    assert_near(kappa_of(context, 1, &law, offset, W), mu[i] * mu[i] * 3.25 / S, 1e-12);
  }
  asp_context_destroy(context);
}

/* Random problems with friction up to mu = 1: below 4 the complete list holds one motion, for every load tried; and
 * some of those above have several, so that the check can fail. */
static void below_four_there_is_one_motion(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {77};
  int sure = 0, several = 0;
  for (int round = 0; round < 400; round++) {
    int contacts = 1 + round % 3, rows = 2 * contacts, offset[4] = {0, 2, 4, 6};
    AspLaw law[3] = {{0}};
    double W[36], q[6];
    double most = round % 2 ? 0.3 : 3;
    for (int c = 0; c < contacts; c++)
      law[c] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = asp_random_uniform(&random, 0, most)};
    random_delassus(&random, rows + (round % 4 == 0 ? -1 : 1), rows, W);
    double kappa = kappa_of(context, contacts, law, offset, W);
    sure += kappa < ASP_KAPPA_UNIQUE;
    for (int load = 0; load < 3; load++) {
      AspAnalysis analysis;
      for (int i = 0; i < rows; i++)
        q[i] = asp_random_normal(&random);
      AspContactProblem p = dense_problem(context, 2, contacts, law, W, q);
      assert_ok(context, asp_analyze(context, &p, NULL, &analysis));
      if (kappa < ASP_KAPPA_UNIQUE)
        assert_true(analysis.unique_motion);
      several += analysis.count > 1;
      assert_true(analysis.small_friction <= kappa * (1 + 1e-9) || isinf(kappa));
      asp_analysis_destroy(context, &analysis);
      asp_problem_destroy(context, &p);
    }
  }
  assert_true(sure >= 60);
  assert_true(several >= 10);
  asp_context_destroy(context);
}

/* Four feet in one plane: normal reactions of which one is free. */
static void redundant_normals_are_infinite(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  const double x[4] = {-1, 1, 1, -1}, y[4] = {-1, -1, 1, 1}, inverse[6] = {1, 1, 1, 6, 6, 6};
  double H[6][12] = {{0}}, W[144];
  AspLaw law[4];
  int offset[5] = {0, 3, 6, 9, 12};
  for (int c = 0; c < 4; c++) {
    const double axis[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}, arm[3] = {x[c], y[c], -0.5};
    law[c] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = 0.1};
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < 3; i++) {
        H[i][3 * c + k] = axis[k][i];
        H[3 + i][3 * c + k] = arm[(i + 1) % 3] * axis[k][(i + 2) % 3] - arm[(i + 2) % 3] * axis[k][(i + 1) % 3];
      }
  }
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++) {
      W[12 * i + j] = 0;
      for (int d = 0; d < 6; d++)
        W[12 * i + j] += H[d][i] * inverse[d] * H[d][j];
    }
  assert_true(isinf(kappa_of(context, 4, law, offset, W)));
  for (int i = 0; i < 12; i++) // three feet are enough
    for (int j = 0; i < 9 && j < 9; j++)
      W[9 * i + j] = 0;
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 9; j++)
      for (int d = 0; d < 6; d++)
        W[9 * i + j] += H[d][i] * inverse[d] * H[d][j];
  assert_true(kappa_of(context, 3, law, offset, W) < ASP_KAPPA_UNIQUE);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rod_has_the_closed_form),
      cmocka_unit_test(below_four_there_is_one_motion),
      cmocka_unit_test(redundant_normals_are_infinite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
