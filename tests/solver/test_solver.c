/* The solver of the contact problem: methods agree with each other and with closed forms, the status is the judge's. */
#include "asperity/solver.h"
#include "base/constants.h"
#include "failing_allocator.h"
#include "problem/building.h"
#include "problem_families.h"
#include "shared_context.h"

static AspSolver *make_solver(AspMethod method, bool mixed) {
  AspSolverOptions options = asp_solver_default_options();
  AspSolver *solver;
  options.method = method;
  options.mixed = mixed;
  assert_ok(context, asp_solver_create(context, &options, &solver));
  return solver;
}

/* Solve from r = 0 with a fresh solver. */
static AspSolverInfo solve(const AspContactProblem *problem, AspMethod method, bool mixed, double *r, double *x) {
  AspSolver *solver = make_solver(method, mixed);
  AspSolverInfo info;
  memset(r, 0, (size_t)problem->rows * sizeof *r);
  assert_ok(context, asp_solver_solve(solver, problem, r, NULL, x, &info));
  asp_solver_destroy(solver);
  return info;
}

static void set_polygons(AspContactProblem *problem, AspConeKind cone, int directions) {
  for (int i = 0; i < problem->blocks; i++) {
    problem->law[i].cone = cone;
    problem->law[i].directions = directions;
  }
}

/* One step of docs/theory/trinkle.md: sphere with m = r = 1, mu = 0.2, g = 9.81, h = 0.12, v = (2, 0, 0): slides, then
 * rolls. */
static void sphere_slides_then_rolls(void **state) {
  (void)state;
  const AspLaw law = {.kind = ASP_LAW_COULOMB, .mu = 0.2, .cone = ASP_CONE_INSCRIBED, .directions = 4};
  const double M[36] = {1, 0, 0, 0,  0, 0, 0, 1, 0, 0, 0,  0, 0, 0, 1, 0, 0, 0,
                        0, 0, 0, .4, 0, 0, 0, 0, 0, 0, .4, 0, 0, 0, 0, 0, 0, .4};
  const double H[18] = {0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, -1, 0, 0, 0, 0}, w[3] = {0};
  const double vx[5] = {1.76456, 1.52912, 10.0 / 7, 10.0 / 7, 10.0 / 7};
  const double wy[5] = {0.5886, 1.1772, 10.0 / 7, 10.0 / 7, 10.0 / 7};
  const double force[5] = {-1.387344, -1.387344, -0.592488, 0,
                           0}; // c_t in axes turned by 45 degrees, of each component
  for (int method = ASP_METHOD_AUTO; method <= ASP_METHOD_PGS; method++) {
    double v[6] = {2, 0, 0, 0, 0, 0};
    for (int step = 0; step < 5; step++) {
      double f[6], r[3] = {0};
      for (int i = 0; i < 6; i++)
        f[i] = M[7 * i] * v[i] - (i == 2 ? 0.12 * 9.81 : 0);
      AspContactProblem problem = global_problem(context, 3, 1, &law, 6, M, H, f, w);
      AspSolverInfo info = solve(&problem, (AspMethod)method, false, r, v);
      assert_int_equal(info.status, ASP_STATUS_SOLVED);
      assert_near(v[0], vx[step], method == ASP_METHOD_PGS ? 1e-7 : 1e-12);
      assert_near(v[4], wy[step], method == ASP_METHOD_PGS ? 1e-7 : 1e-12);
      assert_near(r[1] / 0.12 / sqrt(2), force[step], 1e-6);
      asp_problem_destroy(context, &problem);
    }
  }
}

/* Block on a slope of angle a, friction polygon with a vertex downhill (inscribed) or an edge (circumscribed): it stays
 * exactly when tan a < mu, in the directions between it bears less or more. */
static void block_on_slope_sticks_iff_tan_angle_below_mu(void **state) {
  (void)state;
  const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, mu = 0.5;
  const AspConeKind cones[3] = {ASP_CONE_EXACT, ASP_CONE_INSCRIBED, ASP_CONE_CIRCUMSCRIBED};
  for (int c = 0; c < 3; c++)
    for (int turned = 0; turned < 2; turned++)
      for (int over = 0; over < 2; over++) {
        double half = ASP_PI / 4, limit = mu, r[3], u[3];
        if (turned && c > 0) // pull along the other symmetry axis of the square
          limit *= c == 1 ? cos(half) : 1 / cos(half);
        AspLaw law = {.kind = ASP_LAW_COULOMB, .mu = mu, .cone = cones[c], .directions = 4, .angle = turned ? half : 0};
        double q[3] = {-1, limit * (over ? 1.01 : 0.99), 0};
        AspContactProblem problem = local_problem(context, 3, 1, &law, W, q);
        AspSolver *solver = make_solver(c == 0 ? ASP_METHOD_PGS : ASP_METHOD_AUTO, false);
        AspSolverInfo info;
        memset(r, 0, sizeof r);
        assert_ok(context, asp_solver_solve(solver, &problem, r, u, NULL, &info));
        assert_int_equal(info.status, ASP_STATUS_SOLVED);
        assert_near(r[0], 1, 1e-7);
        assert_near(u[1], over ? 0.01 * limit : 0, 1e-7);
        asp_solver_destroy(solver);
        asp_problem_destroy(context, &problem);
      }
}

/* x is unique where friction is not too large; r need not be. */
static void standard_and_mixed_lemke_give_the_same_motion(void **state) {
  (void)state;
  const ProblemFamily families[] = {FAMILY_JOINTED, FAMILY_LAWS, FAMILY_TOWER, FAMILY_CHAIN};
  for (int f = 0; f < 4; f++)
    for (uint64_t seed = 0; seed < 5; seed++) {
      AspContactProblem problem;
      assert_ok(context, problem_family_make(context, families[f], 12, seed, &problem));
      set_polygons(&problem, seed % 2 ? ASP_CONE_INSCRIBED : ASP_CONE_CIRCUMSCRIBED, 6);
      for (int i = 0; i < problem.blocks; i++)
        problem.law[i].mu = fmin(problem.law[i].mu, 0.1); // at 0.2 one of them has two solutions
      size_t rows = (size_t)problem.rows, dofs = (size_t)problem.dofs;
      double *r = asp_allocate(context, 2 * rows, sizeof *r), *x = asp_allocate(context, 2 * dofs, sizeof *x);
      AspSolverInfo standard = solve(&problem, ASP_METHOD_LEMKE, false, r, x);
      AspSolverInfo mixed = solve(&problem, ASP_METHOD_LEMKE, true, r + rows, x + dofs);
      assert_int_equal(standard.status, ASP_STATUS_SOLVED);
      assert_int_equal(mixed.status, ASP_STATUS_SOLVED);
      double size = 0;
      for (size_t i = 0; i < dofs; i++)
        size = fmax(size, fabs(x[i]));
      for (size_t i = 0; i < dofs; i++)
        assert_near(x[i], x[dofs + i], 1e-9 * (1 + size));
      asp_release(context, r);
      asp_release(context, x);
      asp_problem_destroy(context, &problem);
    }
}

static void pgs_solves_small_problems_of_every_law_and_cone(void **state) {
  (void)state;
  int solved = 0, count = 0;
  for (int cone = 0; cone < 3; cone++)
    for (uint64_t seed = 0; seed < 20; seed++) {
      AspContactProblem problem;
      assert_ok(context, problem_family_make(context, seed % 2 ? FAMILY_SMALL : FAMILY_CHAIN, 3, seed, &problem));
      set_polygons(&problem, (AspConeKind)cone, 6);
      double *r = asp_allocate(context, (size_t)problem.rows, sizeof *r);
      AspSolverInfo info = solve(&problem, ASP_METHOD_PGS, false, r, NULL);
      // "solved" is checked by a judge of our own making
      AspJudge *judge;
      AspResidual residual;
      assert_ok(context, asp_judge_create(context, &judge));
      assert_ok(context, asp_judge_reset(judge, &problem));
      assert_ok(context, asp_judge_residual(judge, r, &residual, NULL, NULL));
      assert_near(residual.E2, info.residual.E2, 0);
      assert_int_equal(info.status == ASP_STATUS_SOLVED, residual.E2 <= 1e-8 && residual.E3 <= 1e-6);
      solved += info.status == ASP_STATUS_SOLVED;
      count++;
      asp_judge_destroy(judge);
      asp_release(context, r);
      asp_problem_destroy(context, &problem);
    }
  print_message("pgs: %d of %d small problems\n", solved, count);
  assert_true(solved >= count * 3 / 4);
}

static void exact_cones_are_refused_by_what_cannot_take_them(void **state) {
  (void)state;
  const AspLaw laws[2] = {{.kind = ASP_LAW_UNILATERAL}, {.kind = ASP_LAW_COULOMB, .mu = 0.5, .cone = ASP_CONE_EXACT}};
  const double W[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, q[4] = {-1, -1, 0, 0};
  AspContactProblem problem = local_problem(context, 3, 2, laws, W, q);
  AspSolverInfo info;
  double r[4] = {0};
  AspSolver *solver = make_solver(ASP_METHOD_LEMKE, false);
  assert_int_equal(asp_solver_solve(solver, &problem, r, NULL, NULL, &info), ASP_ERROR_UNSUPPORTED);
  assert_string_equal(asp_context_message(context),
                      "block 1 has an exact friction cone in 3D, which 'lemke' cannot take; choose an inscribed or "
                      "circumscribed polygon, or the method 'pgs'");
  asp_solver_destroy(solver);
  solver = make_solver(ASP_METHOD_PGS, false);
  assert_ok(context, asp_solver_solve(solver, &problem, r, NULL, NULL, &info));
  assert_int_equal(info.status, ASP_STATUS_SOLVED);
  asp_solver_destroy(solver);
  asp_problem_destroy(context, &problem);
}

/* SLIDING in the inconsistent range of Painleve's rod (docs/theory/existence.md, A < 0 and b < 0): no solution, and
 * none claimed.
 */
static void problem_without_solution_is_not_solved(void **state) {
  (void)state;
  const AspLaw law = {.kind = ASP_LAW_SLIDING, .mu = 1.5, .direction = {-1}};
  const double W[4] = {1.75, -0.75 * sqrt(3), -0.75 * sqrt(3), 3.25}, q[2] = {-1, 0};
  AspContactProblem problem = local_problem(context, 2, 1, &law, W, q);
  for (int method = ASP_METHOD_AUTO; method < ASP_METHOD_COUNT; method++) {
    double r[2];
    AspSolverInfo info = solve(&problem, (AspMethod)method, false, r, NULL);
    assert_int_not_equal(info.status, ASP_STATUS_SOLVED);
    if (method == ASP_METHOD_AUTO || method == ASP_METHOD_LEMKE)
      assert_int_equal(info.status, ASP_STATUS_RAY);
    assert_true(isfinite(r[0]) && isfinite(r[1]));
  }
  asp_problem_destroy(context, &problem);
}

static void auto_tells_its_path(void **state) {
  (void)state;
  AspContactProblem problem;
  assert_ok(context, problem_family_make(context, FAMILY_TOWER, 8, 1, &problem));
  set_polygons(&problem, ASP_CONE_INSCRIBED, 4);
  double *r = asp_allocate(context, (size_t)problem.rows, sizeof *r);
  AspSolverInfo info = solve(&problem, ASP_METHOD_AUTO, false, r, NULL);
  char expected[64];
  snprintf(expected, sizeof expected, "lemke %d", info.iterations);
  assert_string_equal(info.path, expected);
  assert_int_equal(info.method, ASP_METHOD_LEMKE);
  asp_release(context, r);
  asp_problem_destroy(context, &problem);
}

typedef struct Progress {
  int calls, last;
  bool lemke;
} Progress;

static void note_progress(void *user, int iteration, const char *method, double residual) {
  Progress *progress = user;
  progress->calls++;
  progress->last = iteration;
  progress->lemke = strcmp(method, "lemke") == 0 && isfinite(residual);
}

static void limits_are_kept_and_progress_is_told(void **state) {
  (void)state;
  AspContactProblem problem;
  assert_ok(context, problem_family_make(context, FAMILY_WALL, 20, 1, &problem));
  set_polygons(&problem, ASP_CONE_INSCRIBED, 4);
  double *r = asp_allocate(context, (size_t)problem.rows, sizeof *r);
  Progress progress = {0};
  AspSolverOptions options = asp_solver_default_options();
  options.method = ASP_METHOD_LEMKE;
  options.max_iterations = 10;
  options.progress = note_progress;
  options.progress_user = &progress;
  AspSolver *solver;
  AspSolverInfo info;
  assert_ok(context, asp_solver_create(context, &options, &solver));
  assert_ok(context, asp_solver_solve(solver, &problem, r, NULL, NULL, &info));
  assert_int_equal(info.status, ASP_STATUS_ITERATION_LIMIT);
  assert_true(progress.calls == 10 && progress.last == 10 && progress.lemke);
  asp_solver_destroy(solver);
  options.method = ASP_METHOD_PGS;
  options.max_iterations = 1000000;
  options.max_time = 1e-9;
  options.tolerance = 1e-15;
  assert_ok(context, asp_solver_create(context, &options, &solver));
  assert_ok(context, asp_solver_solve(solver, &problem, r, NULL, NULL, &info));
  assert_int_equal(info.status, ASP_STATUS_TIME_LIMIT);
  asp_solver_destroy(solver);
  asp_release(context, r);
  asp_problem_destroy(context, &problem);
}

static void solves_of_equal_size_allocate_nothing(void **state) {
  (void)state;
  for (int method = ASP_METHOD_LEMKE; method <= ASP_METHOD_PGS; method++)
    for (int mixed = 0; mixed < 2; mixed++) {
      ProblemSequence sequence;
      assert_ok(context, problem_sequence_create(context, FAMILY_JOINTED, 12, 1, &sequence));
      set_polygons(&sequence.problem, ASP_CONE_INSCRIBED, 4);
      double *r = asp_allocate(context, (size_t)sequence.problem.rows, sizeof *r);
      AspSolver *solver = make_solver((AspMethod)method, mixed);
      AspSolverInfo info;
      uint64_t calls = 0;
      for (int step = 0; step < 10; step++) {
        problem_sequence_step(&sequence, step);
        if (step == 3)
          calls = asp_context_allocation_count(context);
        assert_ok(context, asp_solver_solve(solver, &sequence.problem, r, NULL, NULL, &info));
      }
      assert_int_equal(asp_context_allocation_count(context), calls);
      asp_solver_destroy(solver);
      asp_release(context, r);
      problem_sequence_destroy(context, &sequence);
    }
}

static void problem_without_contacts_is_solved(void **state) {
  (void)state;
  const double M[4] = {2, 0, 0, 4}, f[2] = {2, 2}, none[1] = {0};
  AspContactProblem problem = global_problem(context, 2, 0, NULL, 2, M, none, f, none);
  AspSolver *solver = make_solver(ASP_METHOD_AUTO, false);
  AspSolverInfo info;
  double x[2];
  assert_ok(context, asp_solver_solve(solver, &problem, NULL, NULL, x, &info));
  assert_int_equal(info.status, ASP_STATUS_SOLVED);
  assert_true(x[0] == 1 && x[1] == 0.5);
  asp_solver_destroy(solver);
  asp_problem_destroy(context, &problem);
}

static void options_and_names_are_checked(void **state) {
  (void)state;
  AspSolver *solver;
  AspSolverOptions options = {0};
  AspMethod method;
  assert_int_equal(asp_solver_create(context, &options, &solver), ASP_ERROR_ARGUMENT);
  assert_null(solver);
  options = asp_solver_default_options();
  options.method = ASP_METHOD_COUNT;
  assert_int_equal(asp_solver_create(context, &options, &solver), ASP_ERROR_INPUT);
  options = asp_solver_default_options();
  options.max_time = NAN;
  assert_int_equal(asp_solver_create(context, &options, &solver), ASP_ERROR_INPUT);
  for (int i = 0; i < ASP_METHOD_COUNT; i++) {
    assert_true(asp_method_from_name(asp_method_name((AspMethod)i), &method));
    assert_int_equal(method, i);
  }
  assert_false(asp_method_from_name("lemk", &method));
  assert_string_equal(asp_method_name((AspMethod)-1), "unknown method");
  assert_string_equal(asp_status_name(ASP_STATUS_RAY), "ray");
  assert_string_equal(asp_status_name(ASP_STATUS_COUNT), "unknown status");
}

static void every_kth_allocation_failure_is_clean(void **state) {
  (void)state;
  AspContactProblem problem;
  assert_ok(context, problem_family_make(context, FAMILY_JOINTED, 4, 1, &problem));
  set_polygons(&problem, ASP_CONE_INSCRIBED, 4);
  double *r = asp_allocate(context, (size_t)problem.rows, sizeof *r);
  for (int mixed = 0; mixed < 2; mixed++) {
    AspError error = ASP_ERROR_MEMORY;
    long k = 0;
    for (; error != ASP_OK; k++) {
      FailingAllocator failing;
      AspContext *narrow = failing_context(&failing);
      AspSolverOptions options = asp_solver_default_options();
      AspSolver *solver;
      AspSolverInfo info;
      options.mixed = mixed;
      failing.until_failure = k;
      error = asp_solver_create(narrow, &options, &solver);
      if (error == ASP_OK)
        error = asp_solver_solve(solver, &problem, r, NULL, NULL, &info);
      assert_true(error == ASP_OK || error == ASP_ERROR_MEMORY);
      asp_solver_destroy(solver);
      assert_int_equal(asp_context_memory_in_use(narrow), 0);
      asp_context_destroy(narrow);
    }
    assert_true(k > 5);
  }
  asp_release(context, r);
  asp_problem_destroy(context, &problem);
}

int main(void) {
#define PROPERTY(name) cmocka_unit_test_setup_teardown(name, open_context, close_context)
  const struct CMUnitTest tests[] = {
      PROPERTY(sphere_slides_then_rolls),
      PROPERTY(block_on_slope_sticks_iff_tan_angle_below_mu),
      PROPERTY(standard_and_mixed_lemke_give_the_same_motion),
      PROPERTY(pgs_solves_small_problems_of_every_law_and_cone),
      PROPERTY(exact_cones_are_refused_by_what_cannot_take_them),
      PROPERTY(problem_without_solution_is_not_solved),
      PROPERTY(auto_tells_its_path),
      PROPERTY(limits_are_kept_and_progress_is_told),
      PROPERTY(solves_of_equal_size_allocate_nothing),
      PROPERTY(problem_without_contacts_is_solved),
      PROPERTY(options_and_names_are_checked),
      PROPERTY(every_kth_allocation_failure_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
