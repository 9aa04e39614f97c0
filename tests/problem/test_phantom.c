/* Phantom inertia: the matrix is regular, forces do not know of it, joints and redundant contacts are no obstacle. */
#include "asperity/solver.h"
#include "base/constants.h"
#include "building.h"
#include "problem_families.h"
#include "shared_context.h"

static AspLaw circumscribed(double mu, int lines, double angle) {
  return (AspLaw){
      .kind = ASP_LAW_COULOMB, .mu = mu, .cone = ASP_CONE_CIRCUMSCRIBED, .directions = 2 * lines, .angle = angle};
}

/* A particle of mass m on a floor, pulled by f; rows n, t1, t2. */
static AspContactProblem particle(double m, double mu, int lines, const double *f) {
  const AspLaw law = circumscribed(mu, lines, 0);
  const double M[9] = {m, 0, 0, 0, m, 0, 0, 0, m}, H[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0}, w[3] = {0};
  AspContactProblem problem = global_problem(context, 3, 1, &law, 3, M, H, f, w);
  assert_ok(context, asp_problem_reduce(context, &problem));
  return problem;
}

static AspPhantomInfo describe(const AspContactProblem *problem, double rho, bool reduced) {
  AspPhantomOptions options = asp_phantom_default_options();
  options.rho = rho;
  options.reduced = reduced;
  AspMixedLcp lcp;
  AspPhantomInfo info;
  assert_ok(context, asp_problem_phantom_lcp(context, problem, &options, &lcp, &info));
  assert_int_equal(info.size, lcp.n);
  asp_mixed_lcp_destroy(context, &lcp);
  return info;
}

static void solve_lemke(const AspContactProblem *problem, double rho, double *r, AspSolverInfo *info) {
  AspSolverOptions options = asp_solver_default_options();
  AspSolver *solver = NULL;
  options.method = ASP_METHOD_LEMKE;
  options.tolerance = 1e-9;
  options.rho = rho;
  assert_ok(context, asp_solver_create(context, &options, &solver));
  memset(r, 0, (size_t)problem->rows * sizeof *r);
  assert_ok(context, asp_solver_solve(solver, problem, r, NULL, NULL, info));
  asp_solver_destroy(solver);
}

static void rank_is_three_without_inertia_full_with_it_and_drops_where_it_equals_m_k(void **state) {
  (void)state;
  const double f[3] = {1, 0.3, -2};
  for (int k = 2; k <= 8; k++)
    for (int i = 0; i < 2; i++) {
      double m = i ? 1.7 : 2;
      AspContactProblem problem = particle(m, 0.5, k, f);
      AspPhantomInfo none = describe(&problem, 0, true), one = describe(&problem, 1, true),
                     singular = describe(&problem, m * k, true), chosen = describe(&problem, -1, true);
      assert_int_equal(none.size, 1 + 2 * k);
      assert_int_equal(none.rank, 3);
      assert_true(isinf(none.condition));
      assert_int_equal(one.rank, 1 + 2 * k);
      assert_int_equal(singular.rank, 2 * k - 1); // two tangential directions
      assert_near(one.rho_singular, m * k, 1e-11);
      assert_int_equal(chosen.rank, 1 + 2 * k);
      assert_near(chosen.rho_most, 0.5 * m * k, 1e-11);
      assert_int_equal(describe(&problem, 1, false).rank, 3 + 2 * k); // unreduced: r_T kept
      assert_int_equal(describe(&problem, 0, false).rank, 5);
      asp_problem_destroy(context, &problem);
    }
}

/* Families in space with circumscribed polygons of 2k edges; FAMILY_JOINTED has EQUALITY blocks. */
static AspContactProblem polygonal(ProblemFamily family, int size, uint64_t seed, int lines) {
  AspContactProblem problem;
  assert_ok(context, problem_family_make(context, family, size, seed, &problem));
  for (int i = 0; i < problem.blocks; i++)
    if (problem.law[i].kind == ASP_LAW_COULOMB)
      problem.law[i] = circumscribed(problem.law[i].mu, lines, 0.1 * i);
  assert_ok(context, asp_problem_reduce(context, &problem));
  return problem;
}

/* Contacts that are not redundant: dense random H with twice as many dofs as rows, M regular. */
static AspContactProblem regular(int contacts, int lines, uint64_t seed) {
  int rows = 3 * contacts, dofs = 2 * rows;
  size_t size = (size_t)dofs;
  AspRandom random = {seed};
  AspLaw *law = asp_allocate(context, (size_t)contacts, sizeof *law);
  double *M = asp_allocate(context, size * size, sizeof *M), *H = asp_allocate(context, size * (size_t)rows, sizeof *H);
  double *f = asp_allocate(context, size, sizeof *f), *w = asp_allocate(context, (size_t)rows, sizeof *w);
  for (int i = 0; i < contacts; i++)
    law[i] = circumscribed(asp_random_uniform(&random, 0.1, 0.6), lines, asp_random_uniform(&random, 0, 1));
  for (size_t i = 0; i < size; i++) {
    M[i * size + i] = asp_random_uniform(&random, 0.5, 2);
    f[i] = asp_random_normal(&random);
  }
  for (size_t i = 0; i < size * (size_t)rows; i++)
    H[i] = asp_random_normal(&random) / sqrt((double)dofs);
  for (int i = 0; i < rows; i++)
    w[i] = i % 3 ? asp_random_normal(&random) : -asp_random_uniform(&random, 0, 2);
  AspContactProblem problem = global_problem(context, 3, contacts, law, dofs, M, H, f, w);
  asp_release(context, law);
  asp_release(context, M);
  asp_release(context, H);
  asp_release(context, f);
  asp_release(context, w);
  assert_ok(context, asp_problem_reduce(context, &problem));
  return problem;
}

static void forces_do_not_depend_on_the_inertia(void **state) {
  (void)state;
  const double rho[] = {0.1, 1, 10, 100, -1};
  for (uint64_t seed = 1; seed <= 12; seed++) {
    AspContactProblem problem = regular(6, 2 + (int)(seed % 4), seed);
    double first[64], r[64], largest = 0;
    assert_true(problem.rows <= 64);
    for (int i = 0; i < 5; i++) {
      AspSolverInfo info;
      solve_lemke(&problem, rho[i], i ? r : first, &info);
      assert_int_equal(info.status, ASP_STATUS_SOLVED);
      assert_null(strstr(info.path, ", lemke")); // by the phantom LCP alone
      for (int j = 0; j < problem.rows; j++) {
        largest = fmax(largest, fabs(first[j]));
        if (i)
          assert_near(r[j], first[j], 1e-12 * fmax(1, largest));
      }
    }
    asp_problem_destroy(context, &problem);
  }
}

static void chosen_inertia_stays_below_half_the_singular_one(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    AspContactProblem problem = regular(5, 2 + (int)(seed % 5), seed);
    AspPhantomInfo info = describe(&problem, -1, true);
    assert_int_equal(info.rank, info.size);
    // one inertia for all lines, the largest chosen one
    AspPhantomInfo same = describe(&problem, info.rho_least, true);
    assert_true(same.rho_least <= 0.5 * info.rho_singular * (1 + 1e-9));
    assert_true(isfinite(same.condition));
    asp_problem_destroy(context, &problem);
  }
}

/* The law is the same as that of the vertex form: compare with pgs, judged. */
static void answers_obey_the_law_with_joints_and_with_redundant_contacts(void **state) {
  (void)state;
  const struct {
    ProblemFamily family;
    int size;
  } cases[] = {{FAMILY_JOINTED, 8}, {FAMILY_TOWER, 16}, {FAMILY_LAWS, 12}, {FAMILY_CLUSTER, 12}};
  int by_phantom = 0, total = 0;
  for (int c = 0; c < 4; c++)
    for (uint64_t seed = 1; seed <= 5; seed++) {
      AspContactProblem problem = polygonal(cases[c].family, cases[c].size, seed, 4);
      double *r = asp_allocate(context, (size_t)problem.rows, sizeof *r);
      AspSolverInfo info;
      AspResidual residual;
      AspJudge *judge = NULL;
      solve_lemke(&problem, -1, r, &info);
      assert_ok(context, asp_judge_create(context, &judge));
      assert_ok(context, asp_judge_reset(judge, &problem));
      assert_ok(context, asp_judge_residual(judge, r, &residual, NULL, NULL));
      assert_int_equal(info.status, ASP_STATUS_SOLVED);
      assert_true(residual.E2 <= 1e-9);
      total++;
      by_phantom += !strstr(info.path, ", lemke");
      asp_judge_destroy(judge);
      asp_release(context, r);
      asp_problem_destroy(context, &problem);
    }
  assert_true(2 * by_phantom > total); // the others by the vertex form that stands behind it
}

static void redundant_contacts_are_refused_in_reduced_form_and_named(void **state) {
  (void)state;
  AspContactProblem problem = polygonal(FAMILY_CLUSTER, 24, 1, 2);
  AspMixedLcp lcp;
  AspPhantomOptions options = asp_phantom_default_options();
  assert_int_equal(asp_problem_phantom_lcp(context, &problem, &options, &lcp, NULL), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(context), "redundant"));
  AspPhantomInfo plain = describe(&problem, -1, false);
  assert_true(plain.tangent_rank < plain.tangents);
  assert_true(isnan(plain.rho_singular));
  options.relaxation = 1e-6;
  AspPhantomInfo relaxed;
  assert_ok(context, asp_problem_phantom_lcp(context, &problem, &options, &lcp, &relaxed));
  assert_int_equal(relaxed.tangent_rank, relaxed.tangents);
  asp_mixed_lcp_destroy(context, &lcp);
  asp_problem_destroy(context, &problem);
}

static void wrong_options_and_other_cones_are_refused(void **state) {
  (void)state;
  const double f[3] = {0, 0, -1};
  AspContactProblem problem = particle(1, 0.5, 2, f);
  AspMixedLcp lcp;
  AspPhantomOptions options = asp_phantom_default_options();
  options.rho = NAN;
  assert_int_not_equal(asp_problem_phantom_lcp(context, &problem, &options, &lcp, NULL), ASP_OK);
  options.rho = -1;
  options.cookie = 0;
  assert_int_equal(asp_problem_phantom_lcp(context, &problem, &options, &lcp, NULL), ASP_ERROR_ARGUMENT);
  problem.law[0].cone = ASP_CONE_EXACT;
  assert_int_equal(asp_problem_phantom_lcp(context, &problem, NULL, &lcp, NULL), ASP_ERROR_UNSUPPORTED);
  asp_problem_destroy(context, &problem);
}

/* Largest force in direction phi that a resting particle resists, over mu m g: the edge of the polygon. */
static void stick_limit_is_that_of_the_circumscribed_polygon(void **state) {
  (void)state;
  const double m = 2, mu = 0.5, g = 9.81;
  for (int k = 2; k <= 8; k *= 2)
    for (int i = 0; i < 2; i++) {
      double phi = i * ASP_PI / (2 * k), factor = i ? 1 / cos(ASP_PI / (2 * k)) : 1;
      for (int beyond = 0; beyond < 2; beyond++) {
        double pull = mu * m * g * factor * (1 + (beyond ? 1e-9 : -1e-9));
        const double f[3] = {pull * cos(phi), pull * sin(phi), -m * g};
        AspContactProblem problem = particle(m, mu, k, f);
        double r[3], u[3];
        AspSolverInfo info;
        solve_lemke(&problem, -1, r, &info);
        assert_int_equal(info.status, ASP_STATUS_SOLVED);
        for (int row = 1; row < 3; row++)
          u[row] = (r[row] + f[row - 1]) / m;
        double speed = hypot(u[1], u[2]) / (mu * g);
        if (beyond)
          assert_true(speed > 0.5e-9);
        else
          assert_true(speed < 1e-13);
        asp_problem_destroy(context, &problem);
      }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rank_is_three_without_inertia_full_with_it_and_drops_where_it_equals_m_k),
      cmocka_unit_test(forces_do_not_depend_on_the_inertia),
      cmocka_unit_test(chosen_inertia_stays_below_half_the_singular_one),
      cmocka_unit_test(answers_obey_the_law_with_joints_and_with_redundant_contacts),
      cmocka_unit_test(redundant_contacts_are_refused_in_reduced_form_and_named),
      cmocka_unit_test(wrong_options_and_other_cones_are_refused),
      cmocka_unit_test(stick_limit_is_that_of_the_circumscribed_polygon),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
