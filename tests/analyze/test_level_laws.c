/* Friction beyond one coefficient at the acceleration, impulse and static levels: rolling, spinning, ellipses,
 * Stribeck's curve, against closed forms; what cannot be stated as one problem is refused. */
#include "world/scene_runner.h"

typedef struct Case {
  SceneRun run;
  AspLevelProblem level;
  AspAnalysis analysis;
} Case;

/* A ball of 1 kg and radius 0.5 m (I = 0.1 kg m^2), or a short puck that does not turn over, on the ground. */
static AspError open_on_ground(Case *it, const char *pair, const char *body, AspProblemLevel level) {
  char text[2048];
  *it = (Case){0};
  snprintf(
      text, sizeof text,
      "{\"gravity\": [0, 0, -10], \"materials\": [{\"pair\": [\"ground\", \"body\"], %s}], \"bodies\": [{\"name\": "
      "\"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\", \"material\": \"ground\"}]}, {\"name\": "
      "\"body\", \"mass\": 1, \"position\": [0, 0, 0.5], %s}]}",
      pair, body);
  scene_open_text(&it->run, text);
  AspError error = asp_world_problem_at(it->run.world, level, &it->level);
  if (error == ASP_OK)
    assert_ok(it->run.context, asp_analyze(it->run.context, &it->level.problem, NULL, &it->analysis));
  return error;
}

static void close_case(Case *it) {
  asp_analysis_destroy(it->run.context, &it->analysis);
  asp_level_problem_destroy(it->run.context, &it->level);
  scene_close(&it->run);
}

#define BALL                                                                                                           \
  "\"inertia\": [0.1, 0.1, 0.1], \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.5, \"material\": \"body\"}]"

/* Rolling with c = 0.02 m: a = -(5/7) c g / r. */
static void rolling_ball_slows_down_by_its_resistance(void **state) {
  (void)state;
  Case it;
  assert_int_equal(open_on_ground(&it, "\"friction\": 0.5, \"rolling\": 0.02",
                                  "\"velocity\": [1, 0, 0], \"angular_velocity\": [0, 2, 0], " BALL,
                                  ASP_PROBLEM_ACCELERATION),
                   ASP_OK);
  assert_true(it.analysis.unique_motion);
  const AspSolution *solution = &it.analysis.solution[0];
  assert_near(solution->x[0], -5.0 / 7 * 0.02 * 10 / 0.5, 1e-9);
  assert_near(solution->x[4], -5.0 / 7 * 0.02 * 10 / 0.25, 1e-9);
  assert_near(solution->r[0], 10, 1e-9);
  close_case(&it);
}

/* Spinning about the normal with c = 0.01 m: w' = -c m g / I. */
static void spinning_ball_slows_down_by_its_resistance(void **state) {
  (void)state;
  Case it;
  assert_int_equal(open_on_ground(&it, "\"friction\": 0.5, \"spinning\": 0.01",
                                  "\"angular_velocity\": [0, 0, 3], " BALL, ASP_PROBLEM_ACCELERATION),
                   ASP_OK);
  assert_true(it.analysis.unique_motion);
  assert_near(it.analysis.solution[0].x[5], -0.01 * 10 / 0.1, 1e-9);
  assert_near(it.analysis.solution[0].x[0], 0, 1e-9);
  close_case(&it);
}

/* The largest dissipation over the ellipse with half axes mu_1 N and mu_2 N: r_T = -N (mu_1^2 v_1, mu_2^2 v_2) over
 * hypot(mu_1 v_1, mu_2 v_2). */
static void ellipse_takes_the_largest_dissipation(void **state) {
  (void)state;
  Case it;
  const double along = 0.6, across = 0.2, vx = 1, vy = 2, size = hypot(along * vx, across * vy);
  assert_int_equal(open_on_ground(&it, "\"friction\": 0.6, \"friction_across\": 0.2, \"direction\": [1, 0, 0]",
                                  "\"velocity\": [1, 2, 0], " BALL, ASP_PROBLEM_ACCELERATION),
                   ASP_OK);
  assert_true(it.analysis.unique);
  assert_near(it.analysis.solution[0].x[0], -10 * along * along * vx / size, 1e-9);
  assert_near(it.analysis.solution[0].x[1], -10 * across * across * vy / size, 1e-9);
  close_case(&it);
}

/* At slip speed 1 m/s mu = 0.2 + 0.3 exp(-1). */
static void stribeck_counts_at_the_present_slip(void **state) {
  (void)state;
  Case it;
  assert_int_equal(
      open_on_ground(&it,
                     "\"friction\": 0.2, \"static_friction\": 0.5, \"stribeck_speed\": 1, \"stribeck_exponent\": 1",
                     "\"velocity\": [1, 0, 0], " BALL, ASP_PROBLEM_ACCELERATION),
      ASP_OK);
  assert_true(it.analysis.unique);
  assert_near(it.analysis.solution[0].x[0], -10 * (0.2 + 0.3 * exp(-1)), 1e-9);
  close_case(&it);
}

static void static_friction_is_kinetic_where_it_slips_and_refused_where_it_rests(void **state) {
  (void)state;
  Case it;
  const char *pair = "\"friction\": 0.2, \"static_friction\": 0.5";
  assert_int_equal(open_on_ground(&it, pair, "\"velocity\": [1, 0, 0], " BALL, ASP_PROBLEM_ACCELERATION), ASP_OK);
  assert_near(it.analysis.solution[0].x[0], -2, 1e-9);
  close_case(&it);
  assert_int_equal(open_on_ground(&it, pair, BALL, ASP_PROBLEM_ACCELERATION), ASP_ERROR_UNSUPPORTED);
  assert_non_null(strstr(asp_context_message(it.run.context), "static_friction"));
  scene_close(&it.run);
  assert_int_equal(open_on_ground(&it, pair, BALL, ASP_PROBLEM_STATIC), ASP_OK); // what can balance may be static
  assert_near(it.level.problem.law[0].mu, 0.5, 0);
  close_case(&it);
}

/* A ball that falls without turning and with friction enough takes up rolling: J_T = m v / (1 + 5/2) without
 * resistance; with c so large that it cannot begin to roll it only loses its velocity. */
static void impulse_knows_resistance_to_rolling(void **state) {
  (void)state;
  Case it;
  const char *body = "\"velocity\": [1, 0, -4], " BALL;
  assert_int_equal(open_on_ground(&it, "\"friction\": 2", body, ASP_PROBLEM_IMPULSE), ASP_OK);
  assert_near(it.analysis.solution[0].x[0], 5.0 / 7, 1e-9);
  close_case(&it);
  assert_int_equal(open_on_ground(&it, "\"friction\": 2, \"rolling\": 10", body, ASP_PROBLEM_IMPULSE), ASP_OK);
  assert_true(it.analysis.exists);
  assert_near(it.analysis.solution[0].x[0], 0, 1e-9);
  assert_near(it.analysis.solution[0].x[4], 0, 1e-9);
  close_case(&it);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rolling_ball_slows_down_by_its_resistance),
      cmocka_unit_test(spinning_ball_slows_down_by_its_resistance),
      cmocka_unit_test(ellipse_takes_the_largest_dissipation),
      cmocka_unit_test(stribeck_counts_at_the_present_slip),
      cmocka_unit_test(static_friction_is_kinetic_where_it_slips_and_refused_where_it_rests),
      cmocka_unit_test(impulse_knows_resistance_to_rolling),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
