/* The exact methods through the public interface: honesty, agreement, units, degenerate laws, warm starts. Every
 * verdict is that of a judge which the solver never saw. */
#include "context_in_state.h"
#include "exact_testing.h"

#define TOLERANCE 1e-8

static const AspMethod exact_methods[] = {ASP_METHOD_AUTO, ASP_METHOD_NSGS,   ASP_METHOD_ADMM,
                                          ASP_METHOD_IPM,  ASP_METHOD_NEWTON, ASP_METHOD_ACLM};
#define METHODS (sizeof exact_methods / sizeof *exact_methods)

static void solved_is_confirmed_on_random_small_problems(void **state) {
  AspContext *context = *state;
  int count = is_full_test() ? 100000 : 500, solved = 0;
  for (int seed = 1; seed <= count; seed++) {
    Trial trial;
    trial_make(&trial, context, FAMILY_SMALL, 1, (uint64_t)seed);
    trial_solve(&trial, ASP_METHOD_AUTO, TOLERANCE, 5);
    assert_honest(&trial, TOLERANCE);
    solved += trial.info.status == ASP_STATUS_SOLVED;
    trial_free(&trial);
  }
  print_message("auto solved %d of %d random small problems\n", solved, count);
  assert_true(solved >= 0.97 * count);
}

static void every_method_is_honest_on_random_small_problems(void **state) {
  AspContext *context = *state;
  int count = is_full_test() ? 5000 : 60;
  for (int seed = 1; seed <= count; seed++)
    for (size_t m = 0; m < METHODS; m++)
      for (int digits = 4; digits <= 10; digits += 3) {
        Trial trial;
        trial_make(&trial, context, FAMILY_SMALL, 1, (uint64_t)seed);
        trial_solve(&trial, exact_methods[m], pow(10, -digits), 0.05);
        assert_honest(&trial, pow(10, -digits));
        trial_free(&trial);
      }
}

static void auto_solves_every_family(void **state) {
  static const ProblemFamily families[] = {
      FAMILY_TOWER,      FAMILY_WALL,    FAMILY_ARCH,          FAMILY_WEDGE,   FAMILY_GRIPPER,
      FAMILY_CHAIN,      FAMILY_PACKING, FAMILY_MIXED_PACKING, FAMILY_CLUSTER, FAMILY_MASS_PACKING,
      FAMILY_MASS_TOWER, FAMILY_JOINTED, FAMILY_LAWS,          FAMILY_DENSE,   FAMILY_TIGHT_PACKING};
  static const struct {
    int size;
    uint64_t seed;
    double tolerance;
  } draws[] = {{30, 1, 1e-8}, {30, 2, 1e-10}, {50, 201, 1e-10}, {70, 202, 1e-8}, {100, 301, 1e-8}};
  AspContext *context = *state;
  for (size_t f = 0; f < sizeof families / sizeof *families; f++)
    for (size_t k = 0; k < sizeof draws / sizeof *draws; k++) {
      Trial trial;
      int seed = (int)draws[k].seed;
      trial_make(&trial, context, families[f], draws[k].size, draws[k].seed);
      trial_solve(&trial, ASP_METHOD_AUTO, draws[k].tolerance, 0);
      assert_honest(&trial, draws[k].tolerance);
      if (trial.info.status != ASP_STATUS_SOLVED)
        fail_msg("%s, seed %d: %s, E1 = %g, E2 = %g, E3 = %g (%s)", problem_family_name(families[f]), seed,
                 asp_status_name(trial.info.status), trial.info.residual.E1, trial.info.residual.E2,
                 trial.info.residual.E3, trial.info.path);
      trial_free(&trial);
    }
}

/* The slowest of 30 draws, and last one that stayed open as long as Newton steps were measured by ||g||. Seconds
 * together, so that only the first is always run. */
static void light_bodies_between_heavy_ones_are_solved(void **state) {
  static const struct {
    int size;
    uint64_t seed;
  } draws[] = {{100, 324}, {100, 311}, {100, 327}, {150, 201}};
  AspContext *context = *state;
  for (size_t k = 0; k < (is_full_test() ? sizeof draws / sizeof *draws : 1); k++) {
    Trial trial;
    trial_make(&trial, context, FAMILY_MASS_PACKING, draws[k].size, draws[k].seed);
    trial_solve(&trial, ASP_METHOD_AUTO, TOLERANCE, 0);
    assert_honest(&trial, TOLERANCE);
    if (trial.info.status != ASP_STATUS_SOLVED)
      fail_msg("size %d: E1 = %g, E3 = %g (%s)", draws[k].size, trial.info.residual.E1, trial.info.residual.E3,
               trial.info.path);
    trial_free(&trial);
  }
}

/* Two parts, each solved by the measure of its own data, whose union is not: the whole must be tried then. */
static void parts_that_do_not_make_the_whole_are_not_the_end(void **state) {
  static const uint64_t seeds[] = {75741, 80103};
  AspContext *context = *state;
  for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++) {
    Trial trial;
    trial_make(&trial, context, FAMILY_SMALL, 1, seeds[k]);
    trial_solve(&trial, ASP_METHOD_AUTO, TOLERANCE, 0);
    assert_honest(&trial, TOLERANCE);
    assert_int_equal(trial.info.status, ASP_STATUS_SOLVED);
    trial_free(&trial);
  }
}

/* Small friction and few contacts: one solution, which every method must find. */
static void methods_agree_where_the_solution_is_unique(void **state) {
  AspContext *context = *state;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    Trial reference;
    trial_make(&reference, context, FAMILY_CHAIN, 8, seed);
    trial_solve(&reference, ASP_METHOD_AUTO, 1e-11, 0);
    assert_int_equal(reference.info.status, ASP_STATUS_SOLVED);
    for (size_t m = 1; m < METHODS; m++) {
      Trial trial;
      trial_make(&trial, context, FAMILY_CHAIN, 8, seed);
      trial_solve(&trial, exact_methods[m], 1e-10, 5);
      assert_int_equal(trial.info.status, ASP_STATUS_SOLVED);
      for (int j = 0; j < trial.problem.rows; j++)
        assert_near(trial.u[j], reference.u[j], 1e-6 * reference.info.residual.norm_q);
      trial_free(&trial);
    }
    trial_free(&reference);
  }
}

static void units_do_not_change_the_verdict(void **state) {
  static const ProblemFamily families[] = {FAMILY_TOWER, FAMILY_PACKING, FAMILY_GRIPPER, FAMILY_LAWS};
  static const double factors[] = {1e-3, 1e3};
  AspContext *context = *state;
  for (size_t f = 0; f < sizeof families / sizeof *families; f++)
    for (int combination = 0; combination < 8; combination++) {
      Trial trial;
      trial_make(&trial, context, families[f], 25, 3);
      problem_rescale(&trial.problem, factors[combination & 1], factors[combination >> 1 & 1],
                      factors[combination >> 2 & 1], true);
      trial_solve(&trial, ASP_METHOD_AUTO, TOLERANCE, 0);
      assert_honest(&trial, TOLERANCE);
      assert_int_equal(trial.info.status, ASP_STATUS_SOLVED);
      trial_free(&trial);
    }
}

/* A jam has self-stress: a reaction that grows along it would pass E1 and E2. */
static void jams_are_not_solved_by_inflating_the_reaction(void **state) {
  AspContext *context = *state;
  for (uint64_t seed = 1; seed <= 3; seed++)
    for (size_t m = 0; m < METHODS; m++) {
      Trial trial;
      trial_make(&trial, context, FAMILY_WEDGE, 20, seed);
      trial_solve(&trial, exact_methods[m], TOLERANCE, 0.5);
      assert_honest(&trial, TOLERANCE);
      trial_free(&trial);
    }
}

static void contacts_without_friction_have_normal_reactions_only(void **state) {
  AspContext *context = *state;
  for (size_t m = 0; m < METHODS; m++) {
    Trial trial;
    trial_make(&trial, context, FAMILY_PACKING, 20, 5);
    for (int i = 0; i < trial.problem.blocks; i++)
      trial.problem.law[i].mu = 0;
    trial_solve(&trial, exact_methods[m], TOLERANCE, 5);
    assert_honest(&trial, TOLERANCE);
    assert_int_equal(trial.info.status, ASP_STATUS_SOLVED);
    for (int j = 0; j < trial.problem.rows; j++)
      assert_true(j % 3 == 0 ? trial.r[j] >= 0 : trial.r[j] == 0);
    trial_free(&trial);
  }
}

static void a_solution_is_a_start_that_needs_nothing(void **state) {
  AspContext *context = *state;
  for (size_t m = 0; m < METHODS; m++) {
    Trial trial;
    trial_make(&trial, context, FAMILY_TOWER, 40, 7);
    trial_solve(&trial, ASP_METHOD_AUTO, 1e-10, 0);
    assert_int_equal(trial.info.status, ASP_STATUS_SOLVED);
    trial_solve(&trial, exact_methods[m], TOLERANCE, 0);
    assert_int_equal(trial.info.status, ASP_STATUS_SOLVED);
    assert_int_equal(trial.info.iterations, 0);
    trial_free(&trial);
  }
}

static void a_better_start_is_never_left_behind(void **state) {
  AspContext *context = *state;
  for (size_t m = 0; m < METHODS; m++) {
    Trial trial;
    trial_make(&trial, context, FAMILY_WALL, 60, 7);
    trial_solve(&trial, ASP_METHOD_AUTO, 1e-6, 0);
    double before = fmax(trial.info.residual.E1, trial.info.residual.E2);
    AspSolver *solver;
    AspSolverOptions options = asp_solver_default_options();
    options.method = exact_methods[m];
    options.tolerance = 1e-14;
    options.ask_E1 = true;
    options.max_iterations = 1;
    options.max_time = 0.2;
    assert_ok(context, asp_solver_create(context, &options, &solver));
    assert_ok(context, asp_solver_solve(solver, &trial.problem, trial.r, NULL, NULL, &trial.info));
    asp_solver_destroy(solver);
    assert_at_most(fmax(trial.info.residual.E1, trial.info.residual.E2), before * (1 + 1e-9));
    trial_free(&trial);
  }
}

static bool after_a_few(void *asked) { return ++*(int *)asked > 2; }

static void every_method_ends_soon_when_it_is_asked_to_stop(void **state) {
  AspContext *context = *state;
  for (size_t m = 0; m < METHODS; m++) {
    Trial trial;
    int asked = 0;
    trial_make(&trial, context, FAMILY_WALL, 300, 7);
    AspSolver *solver;
    AspSolverOptions options = asp_solver_default_options();
    options.method = exact_methods[m];
    options.tolerance = 1e-15; // out of reach: nothing but the question ends it
    options.max_iterations = 1000000000;
    assert_ok(context, asp_solver_create(context, &options, &solver));
    asp_context_set_stop(context, after_a_few, &asked);
    assert_int_equal(asp_solver_solve(solver, &trial.problem, trial.r, NULL, NULL, &trial.info), ASP_ERROR_INTERRUPTED);
    assert_int_equal(asked, 3);
    asp_context_set_stop(context, NULL, NULL);
    asp_solver_destroy(solver);
    trial_free(&trial);
  }
}

static void polygons_are_refused_by_name(void **state) {
  AspContext *context = *state;
  Trial trial;
  trial_make(&trial, context, FAMILY_TOWER, 8, 1);
  trial.problem.law[0].cone = ASP_CONE_INSCRIBED;
  trial.problem.law[0].directions = 8;
  for (size_t m = 1; m < METHODS; m++) {
    AspSolver *solver;
    AspSolverOptions options = asp_solver_default_options();
    options.method = exact_methods[m];
    assert_ok(context, asp_solver_create(context, &options, &solver));
    assert_int_equal(asp_solver_solve(solver, &trial.problem, trial.r, NULL, NULL, &trial.info), ASP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(asp_context_message(context), asp_method_name(exact_methods[m])));
    asp_solver_destroy(solver);
  }
  trial_free(&trial);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solved_is_confirmed_on_random_small_problems),
      cmocka_unit_test(every_method_is_honest_on_random_small_problems),
      cmocka_unit_test(auto_solves_every_family),
      cmocka_unit_test(light_bodies_between_heavy_ones_are_solved),
      cmocka_unit_test(parts_that_do_not_make_the_whole_are_not_the_end),
      cmocka_unit_test(methods_agree_where_the_solution_is_unique),
      cmocka_unit_test(units_do_not_change_the_verdict),
      cmocka_unit_test(jams_are_not_solved_by_inflating_the_reaction),
      cmocka_unit_test(contacts_without_friction_have_normal_reactions_only),
      cmocka_unit_test(a_solution_is_a_start_that_needs_nothing),
      cmocka_unit_test(a_better_start_is_never_left_behind),
      cmocka_unit_test(every_method_ends_soon_when_it_is_asked_to_stop),
      cmocka_unit_test(polygons_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, make_context, free_context);
}
