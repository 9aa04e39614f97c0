/* Levels through scenes: Painleve's rod at the three levels, the table with four legs on a slope
 * (docs/reference/cases.md), solvers' answers within the intervals, and clean failure when memory runs out. */
#include "failing_allocator.h"
#include "world/scene_runner.h"

typedef struct Case {
  SceneRun run;
  AspLevelProblem level;
  AspAnalysis analysis;
} Case;

static Case open_case(const char *scene, AspProblemLevel level, double dt) {
  Case it;
  scene_open(&it.run, scene, dt);
  assert_ok(it.run.context, asp_world_problem_at(it.run.world, level, &it.level));
  assert_ok(it.run.context, asp_analyze(it.run.context, &it.level.problem, NULL, &it.analysis));
  return it;
}

static void close_case(Case *it) {
  asp_analysis_destroy(it->run.context, &it->analysis);
  asp_level_problem_destroy(it->run.context, &it->level);
  scene_close(&it->run);
}

static void assert_solution(const Case *it, int index, AspBlockMode mode, double n, double t, double tolerance) {
  const AspSolution *solution = &it->analysis.solution[index];
  assert_int_equal(solution->mode[0], mode);
  assert_near(solution->r[0], n, tolerance);
  assert_near(solution->r[1], t, tolerance);
  assert_at_most(solution->residual.E2, 1e-12);
}

static void rod_without_solution_has_none_in_accelerations_and_one_in_a_step(void **state) {
  (void)state;
  Case it = open_case("painleve-no-solution", ASP_PROBLEM_ACCELERATION, 0);
  assert_true(it.analysis.complete);
  assert_false(it.analysis.exists);
  assert_true(it.analysis.smallest_minor < 0);
  assert_near(it.analysis.smallest_minor * 1.75, -0.1985571585149868, 1e-12); // scaled by W_NN
  close_case(&it);

  it = open_case("painleve-no-solution", ASP_PROBLEM_STEP, 0.01);
  assert_true(it.analysis.unique);
  assert_solution(&it, 0, ASP_BLOCK_STICK, 0.3328845264191645, 0.44074759526419166, 1e-12);
  close_case(&it);
}

static void rod_with_torque_has_two_two_and_three_solutions(void **state) {
  (void)state;
  Case it = open_case("painleve-three-solutions", ASP_PROBLEM_ACCELERATION, 0);
  assert_true(it.analysis.complete);
  assert_int_equal(it.analysis.count, 2);
  assert_solution(&it, 0, ASP_BLOCK_OPEN, 0, 0, 0);
  assert_solution(&it, 1, ASP_BLOCK_SLIDE, 7.554499728030612, 11.331749592045917, 1e-11);
  close_case(&it);

  it = open_case("painleve-three-solutions", ASP_PROBLEM_IMPULSE, 0);
  assert_int_equal(it.analysis.count, 2);
  assert_solution(&it, 0, ASP_BLOCK_OPEN, 0, 0, 0);
  assert_solution(&it, 1, ASP_BLOCK_STICK, 3 * sqrt(3) / 16, 7.0 / 16, 1e-13);
  assert_near(it.analysis.solution[1].energy, 0.28125, 1e-13);
  assert_near(it.analysis.solution[1].x[0], -0.5625, 1e-13);
  assert_near(it.analysis.solution[1].x[2], 0.6495190528383289, 1e-13);
  close_case(&it);

  it = open_case("painleve-three-solutions", ASP_PROBLEM_STEP, 0.01);
  assert_true(it.analysis.complete);
  assert_int_equal(it.analysis.count, 3);
  assert_solution(&it, 0, ASP_BLOCK_OPEN, 0, 0, 0);
  assert_solution(&it, 1, ASP_BLOCK_STICK, 0.3266345264191645, 0.45157291281149714, 1e-12);
  assert_solution(&it, 2, ASP_BLOCK_SLIDE, 0.07554499728030613, 0.1133174959204592, 1e-12);
  close_case(&it);
}

/* Legs at (+-0.5, +-0.4), height 0.7, 10 kg: for each diagonal the sums are fixed, one number is free. */
static void sliding_table_has_one_acceleration_and_intervals_of_leg_forces(void **state) {
  (void)state;
  Case it = open_case("table-slides", ASP_PROBLEM_ACCELERATION, 0);
  const AspSolution *solution = &it.analysis.solution[0];
  assert_true(it.analysis.unique_motion);
  assert_false(it.analysis.unique);
  assert_int_equal(it.analysis.rank, 6);
  assert_int_equal(it.analysis.rows, 12);
  assert_int_equal(solution->reaction_dimension, 1);
  assert_near(hypot(solution->x[0], solution->x[2]), 1.2595305608494087, 1e-10);
  double sum = 0, normal = 86.09084932144556, front = 2 * 33.575412, rear = 2 * 9.470012;
  for (int b = 0; b < 4; b++) {
    sum += solution->r[3 * b];
    bool is_front = it.level.block[b].point.x > 0;
    // one leg of a pair carries all or nothing, as far as the other pair can follow
    assert_near(solution->low[b], is_front ? (front - rear) / 2 : 0, 1e-4);
    assert_near(solution->high[b], is_front ? (front + rear) / 2 : rear, 1e-4);
  }
  assert_near(sum, normal, 1e-9);
  close_case(&it);
}

static void intervals_hold_what_every_solver_returns(void **state) {
  (void)state;
  const char *scenes[] = {"table-slides", "table-rests"};
  for (int s = 0; s < 2; s++) {
    Case it = open_case(scenes[s], ASP_PROBLEM_STEP, 0.01);
    const AspSolution *solution = &it.analysis.solution[0];
    assert_int_equal(it.analysis.count, 1);
    const AspMethod methods[] = {ASP_METHOD_NSGS, ASP_METHOD_ADMM, ASP_METHOD_IPM, ASP_METHOD_NEWTON, ASP_METHOD_ACLM};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
      AspSolverOptions options = asp_solver_default_options();
      AspSolver *solver;
      AspSolverInfo info;
      double r[12] = {0}, u[12];
      options.method = methods[m];
      options.tolerance = 1e-9;
      assert_ok(it.run.context, asp_solver_create(it.run.context, &options, &solver));
      assert_ok(it.run.context, asp_solver_solve(solver, &it.level.problem, r, u, NULL, &info));
      assert_int_equal(info.status, ASP_STATUS_SOLVED);
      for (int b = 0; b < 4; b++) {
        assert_true(r[3 * b] >= solution->low[b] - 1e-6 && r[3 * b] <= solution->high[b] + 1e-6);
        assert_near(u[3 * b + 1], solution->u[3 * b + 1], 1e-7);
        assert_near(u[3 * b + 2], solution->u[3 * b + 2], 1e-7);
      }
      asp_solver_destroy(solver);
    }
    close_case(&it);
  }
}

/* r_1 .. r_3 of A r + b = 0 for a given r_0, from the first three equations. */
static void leg_forces(const AspAnalysis *analysis, double first, double r[4]) {
  double M[3][4];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      M[i][j] = analysis->normal_A[4 * i + j + 1];
    M[i][3] = -analysis->normal_b[i] - analysis->normal_A[4 * i] * first;
  }
  for (int k = 0; k < 3; k++) // Gauss and Jordan; the pivots are far from zero here
    for (int i = 0; i < 3; i++)
      for (int j = 3; j >= k && i != k; j--)
        M[i][j] -= M[i][k] / M[k][k] * M[k][j];
  r[0] = first;
  for (int i = 0; i < 3; i++)
    r[i + 1] = M[i][3] / M[i][i];
}

/* A box that slides and turns on its four corners: how they share its weight changes the friction, so that the motions
 * form a line, between the two ways in which a corner carries nothing. */
static void sliding_and_turning_box_has_a_continuum_of_motions(void **state) {
  (void)state;
  Case it = {0};
  scene_open_text(&it.run,
                  "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.4}], "
                  "\"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]}, "
                  "{\"name\": \"box\", \"mass\": 1, \"position\": [0, 0, 0.25], \"velocity\": [1, 0, 0], "
                  "\"angular_velocity\": [0, 0, 2], \"shapes\": [{\"type\": \"box\", \"size\": [1, 0.8, 0.5]}]}]}");
  assert_ok(it.run.context, asp_world_problem_at(it.run.world, ASP_PROBLEM_ACCELERATION, &it.level));
  assert_ok(it.run.context, asp_analyze(it.run.context, &it.level.problem, NULL, &it.analysis));
  const AspSolution *solution = &it.analysis.solution[0];
  assert_true(it.analysis.complete);
  assert_false(it.analysis.unique_motion);
  assert_int_equal(it.analysis.count, 1);
  assert_int_equal(solution->motion_dimension, 1);
  assert_near(it.analysis.smallest_minor, 0, 0); // singular: no certificate of uniqueness
  for (int side = 0; side < 2; side++) {
    double r[4], sum = 0, least = INFINITY;
    leg_forces(&it.analysis, side ? solution->high[0] : solution->low[0], r);
    for (int b = 0; b < 4; b++) {
      sum += r[b];
      least = fmin(least, r[b]);
      assert_near(fmin(fabs(r[b] - solution->low[b]), fabs(r[b] - solution->high[b])), 0, 1e-7);
    }
    assert_near(sum, 9.81, 1e-9);
    assert_near(least, 0, 1e-7);
  }
  close_case(&it);
}

static void rolling_sphere_rolls_on_with_one_solution_in_space(void **state) {
  (void)state;
  Case it = open_case("sphere-slides-then-rolls", ASP_PROBLEM_ACCELERATION, 0); // slides: known slip, P-matrix
  assert_true(it.analysis.unique);
  assert_true(it.analysis.smallest_minor > 0);
  assert_near(it.analysis.solution[0].x[0], -0.2 * 9.81, 1e-12);
  assert_near(it.analysis.solution[0].x[4], 0.2 * 9.81 / 0.4, 1e-11);
  close_case(&it);
}

static void every_failing_allocation_is_clean(void **state) {
  (void)state;
  Case it = open_case("table-rests", ASP_PROBLEM_ACCELERATION, 0);
  int succeeded = 0;
  for (int k = 0; k < 400 && succeeded == 0; k++) {
    FailingAllocator failing;
    AspContext *context = failing_context(&failing);
    assert_non_null(context);
    failing.until_failure = k;
    AspAnalysis analysis;
    AspError error = asp_analyze(context, &it.level.problem, NULL, &analysis);
    assert_true(error == ASP_OK || error == ASP_ERROR_MEMORY);
    if (error == ASP_OK) {
      succeeded++;
      asp_analysis_destroy(context, &analysis);
    }
    assert_int_equal(asp_context_memory_in_use(context), 0);
    asp_context_destroy(context);
  }
  assert_int_equal(succeeded, 1);
  close_case(&it);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rod_without_solution_has_none_in_accelerations_and_one_in_a_step),
      cmocka_unit_test(rod_with_torque_has_two_two_and_three_solutions),
      cmocka_unit_test(sliding_table_has_one_acceleration_and_intervals_of_leg_forces),
      cmocka_unit_test(intervals_hold_what_every_solver_returns),
      cmocka_unit_test(sliding_and_turning_box_has_a_continuum_of_motions),
      cmocka_unit_test(rolling_sphere_rolls_on_with_one_solution_in_space),
      cmocka_unit_test(every_failing_allocation_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
