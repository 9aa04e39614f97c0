/* The law BALL: a block by itself against closed forms and its own equations, all methods that take it on random
 * problems with every other law, and who refuses it. */
#include "asperity/analyze.h"
#include "asperity/solver.h"
#include "base/base.h"
#include "problem/building.h"
#include "solver/local_ball.h"

static AspStatus solve_by(AspContext *context, AspMethod method, const AspContactProblem *problem, double tolerance,
                          double *r, AspSolverInfo *info) {
  AspSolverOptions options = asp_solver_default_options();
  AspSolver *solver;
  options.method = method;
  options.tolerance = tolerance;
  options.max_iterations = method == ASP_METHOD_PGS || method == ASP_METHOD_ADMM ? 20000 : 0;
  assert_ok(context, asp_solver_create(context, &options, &solver));
  memset(r, 0, (size_t)problem->rows * sizeof *r);
  assert_ok(context, asp_solver_solve(solver, problem, r, NULL, NULL, info));
  asp_solver_destroy(solver);
  return info->status;
}

/* W = w: r = -q/w, or where that is too long -limit q/|q|: along the velocity of the free motion. */
static void a_round_ball_opposes_the_free_motion(void **state) {
  (void)state;
  const double q[3] = {3, -4, 12}, W[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
  for (int part = 1; part < 4; part++) {
    double limit = 3.0 * part, r[3], size = fmin(13.0 / 2, limit);
    asp_local_ball_solve(3, W, limit, q, r);
    for (int k = 0; k < 3; k++)
      assert_near(r[k], -size * q[k] / 13, 1e-13);
  }
}

/* Inside u = 0; on the sphere u = -lambda r with lambda >= 0; W also nearly singular and of very different sizes. */
static void a_block_meets_its_law(void **state) {
  (void)state;
  AspRandom random = {.state = 7};
  for (int draw = 0; draw < 3000; draw++) {
    int n = 2 + draw % 2;
    double B[9], W[9] = {0}, q[3], r[3], u[3], limit = exp(asp_random_uniform(&random, -9, 9)), along = 0, off = 0,
                 size = 0, speed = 0;
    for (int k = 0; k < n * n; k++)
      B[k] = asp_random_normal(&random) * exp(asp_random_uniform(&random, -4, 4));
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < n - (draw % 7 == 0); k++) // some of lower rank
          W[i + j * n] += B[i + k * n] * B[j + k * n];
    for (int k = 0; k < n; k++)
      q[k] = asp_random_normal(&random);
    asp_local_ball_solve(n, W, limit, q, r);
    for (int i = 0; i < n; i++) {
      double most = fabs(q[i]);
      u[i] = q[i];
      for (int j = 0; j < n; j++) {
        u[i] += W[i + j * n] * r[j];
        most += fabs(W[i + j * n] * r[j]);
      }
      along -= u[i] * r[i];
      size += r[i] * r[i];
      speed = fmax(speed, most);
    }
    double lambda = sqrt(size) >= limit * (1 - 1e-8) ? fmax(along, 0) / size : 0;
    assert_true(sqrt(size) <= limit * (1 + 1e-14));
    for (int k = 0; k < n; k++)
      off = fmax(off, fabs(u[k] + lambda * r[k]));
    assert_true(off <= 1e-7 * speed);
  }
}

enum { BLOCKS = 6 };
static const AspLaw laws[BLOCKS] = {{.kind = ASP_LAW_BALL, .limit = 0.5}, {.kind = ASP_LAW_COULOMB, .mu = 0.6},
                                    {.kind = ASP_LAW_BOX, .limit = 0.3},  {.kind = ASP_LAW_BALL, .limit = 2},
                                    {.kind = ASP_LAW_UNILATERAL},         {.kind = ASP_LAW_COULOMB, .mu = 0.2}};

static AspContactProblem draw_problem(AspContext *context, AspRandom *random) {
  int rows = count_rows(3, BLOCKS, laws);
  double B[20 * 20], W[20 * 20] = {0}, q[20];
  assert_true(rows <= 20);
  for (int k = 0; k < rows * rows; k++)
    B[k] = asp_random_normal(random);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++)
      for (int k = 0; k < rows; k++)
        W[i * rows + j] += B[i * rows + k] * B[j * rows + k] / rows + (i == j && k == 0 ? 0.3 : 0);
  for (int k = 0; k < rows; k++)
    q[k] = 2 * asp_random_normal(random);
  return local_problem(context, 3, BLOCKS, laws, W, q);
}

static void all_methods_that_take_it_agree(void **state) {
  (void)state;
  static const AspMethod methods[] = {ASP_METHOD_AUTO, ASP_METHOD_NSGS, ASP_METHOD_NEWTON, ASP_METHOD_ADMM,
                                      ASP_METHOD_PGS};
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {.state = 11};
  for (int draw = 0; draw < 40; draw++) {
    AspContactProblem problem = draw_problem(context, &random);
    double first[20], r[20];
    for (int m = 0; m < 5; m++) {
      AspSolverInfo info;
      AspStatus status = solve_by(context, methods[m], &problem, 1e-11, m == 0 ? first : r, &info);
      assert_int_equal(status, ASP_STATUS_SOLVED);
      assert_true(info.residual.E2 <= 1e-11);
      for (int k = 0; m > 0 && k < problem.rows; k++)
        assert_near(r[k], first[k], 1e-8);
    }
    asp_problem_destroy(context, &problem);
  }
  asp_context_destroy(context);
}

static void interior_points_pivoting_and_enumeration_refuse_it_by_name(void **state) {
  (void)state;
  static const AspMethod methods[] = {ASP_METHOD_IPM, ASP_METHOD_ACLM, ASP_METHOD_LEMKE};
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {.state = 13};
  AspContactProblem problem = draw_problem(context, &random);
  for (int m = 0; m < 3; m++) {
    AspSolverOptions options = asp_solver_default_options();
    AspSolver *solver;
    AspSolverInfo info;
    double r[20] = {0};
    options.method = methods[m];
    assert_ok(context, asp_solver_create(context, &options, &solver));
    assert_int_equal(asp_solver_solve(solver, &problem, r, NULL, NULL, &info), ASP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(asp_context_message(context), "does not take the law ball"));
    asp_solver_destroy(solver);
    for (int b = 0; b < problem.blocks; b++) // without a force it is no matter to them
      problem.law[b].limit = problem.law[b].kind == ASP_LAW_BALL ? 0 : problem.law[b].limit;
    if (methods[m] != ASP_METHOD_LEMKE) {
      assert_int_equal(solve_by(context, methods[m], &problem, 1e-9, r, &info), ASP_STATUS_SOLVED);
      assert_true(r[0] == 0 && r[1] == 0 && r[2] == 0);
    }
    for (int b = 0; b < problem.blocks; b++)
      problem.law[b].limit = laws[b].limit;
  }
  AspAnalysis analysis;
  assert_int_equal(asp_analyze(context, &problem, NULL, &analysis), ASP_ERROR_UNSUPPORTED);
  assert_non_null(strstr(asp_context_message(context), "block 0: the law ball"));
  problem.law[0].limit = -1;
  assert_int_equal(asp_problem_validate(context, &problem), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(context), "block 0: limit -1"));
  asp_problem_destroy(context, &problem);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_round_ball_opposes_the_free_motion),
      cmocka_unit_test(a_block_meets_its_law),
      cmocka_unit_test(all_methods_that_take_it_agree),
      cmocka_unit_test(interior_points_pivoting_and_enumeration_refuse_it_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
