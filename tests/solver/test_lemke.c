/* Lemke: 10,000 random LCPs of the classes that matter, each judged by checks of its own (lcp_check.h). */
#include "asperity/solver.h"
#include "failing_allocator.h"
#include "lcp_check.h"
#include "problem_families.h"

#define LARGEST 200

/* What a class promises: Lemke always solves; solves exactly the feasible ones; nothing. */
typedef enum Promise { ALWAYS, IFF_FEASIBLE, NONE } Promise;

typedef struct Class {
  const char *name;
  Promise promise;
  int count, small, large; /* problems; n between small and large, most of them small */
  void (*make)(AspRandom *random, AspLcp *lcp);
} Class;

static int uniform_int(AspRandom *random, int low, int high) {
  return low + (int)(asp_random_bits(random) % (uint64_t)(high - low + 1));
}

static double *entry(AspLcp *lcp, int i, int j) { return &lcp->M[(size_t)j * (size_t)lcp->n + (size_t)i]; }

/* M = G G^T / n with G n x rank */
static void fill_gram(AspRandom *random, AspLcp *lcp, int rank, bool whole_numbers) {
  static double G[LARGEST * LARGEST];
  int n = lcp->n;
  for (int i = 0; i < n * rank; i++)
    G[i] = whole_numbers ? uniform_int(random, -2, 2) : asp_random_normal(random);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < rank; k++)
        sum += G[i * rank + k] * G[j * rank + k];
      *entry(lcp, i, j) = whole_numbers ? sum : sum / n;
    }
}

static void fill_q(AspRandom *random, AspLcp *lcp) {
  for (int i = 0; i < lcp->n; i++)
    lcp->q[i] = asp_random_normal(random);
}

static void make_positive_definite(AspRandom *random, AspLcp *lcp) {
  fill_gram(random, lcp, lcp->n, false);
  for (int i = 0; i < lcp->n; i++)
    *entry(lcp, i, i) += 1e-2;
  fill_q(random, lcp);
}

/* positive definite, not symmetric: Gram matrix and a skew part */
static void make_unsymmetric_definite(AspRandom *random, AspLcp *lcp) {
  make_positive_definite(random, lcp);
  for (int i = 0; i < lcp->n; i++)
    for (int j = 0; j < i; j++) {
      double skew = asp_random_normal(random);
      *entry(lcp, i, j) += skew;
      *entry(lcp, j, i) -= skew;
    }
}

/* P but not definite: triangular with positive diagonal, rows and columns exchanged alike */
static void make_triangular_P(AspRandom *random, AspLcp *lcp) {
  bool lower = asp_random_bits(random) & 1;
  for (int i = 0; i < lcp->n; i++)
    for (int j = 0; j < lcp->n; j++)
      *entry(lcp, i, j) = i == j             ? asp_random_uniform(random, 0.5, 2)
                          : (i > j) == lower ? asp_random_uniform(random, -2, 2) / (1 + lcp->n / 8)
                                             : 0;
  fill_q(random, lcp);
}

/* P: rows dominated by a positive diagonal */
static void make_dominant_P(AspRandom *random, AspLcp *lcp) {
  for (int i = 0; i < lcp->n; i++) {
    double sum = 0;
    for (int j = 0; j < lcp->n; j++)
      sum += fabs(*entry(lcp, i, j) = asp_random_normal(random));
    *entry(lcp, i, i) = sum * asp_random_uniform(random, 1.001, 1.5);
  }
  fill_q(random, lcp);
}

/* low rank and small whole numbers: many equal ratios; half of the q lie in the range and are feasible */
static void make_degenerate_semidefinite(AspRandom *random, AspLcp *lcp) {
  fill_gram(random, lcp, 1 + uniform_int(random, 0, lcp->n - 1) / 2, true);
  for (int i = 0; i < lcp->n; i++)
    lcp->q[i] = uniform_int(random, -2, 2);
  if (asp_random_bits(random) & 1)
    for (int i = 0; i < lcp->n; i++) {
      lcp->q[i] = uniform_int(random, 0, 1);
      for (int j = 0; j < lcp->n; j++)
        lcp->q[i] -= *entry(lcp, i, j) * (j % 3 == 0);
    }
}

static void make_small_integers(AspRandom *random, AspLcp *lcp) {
  for (int i = 0; i < lcp->n; i++) {
    lcp->q[i] = uniform_int(random, -2, 2);
    for (int j = 0; j < lcp->n; j++)
      *entry(lcp, i, j) = uniform_int(random, -2, 2);
  }
}

static void make_general(AspRandom *random, AspLcp *lcp) {
  for (int i = 0; i < lcp->n; i++)
    for (int j = 0; j < lcp->n; j++)
      *entry(lcp, i, j) = asp_random_normal(random);
  fill_q(random, lcp);
}

/* w = q - (something >= 0) z with a negative q: no z >= 0 helps that row */
static void make_infeasible(AspRandom *random, AspLcp *lcp) {
  fill_gram(random, lcp, lcp->n, false);
  fill_q(random, lcp);
  int row = uniform_int(random, 0, lcp->n - 1);
  for (int j = 0; j < lcp->n; j++)
    *entry(lcp, row, j) = -fabs(*entry(lcp, row, j));
  lcp->q[row] = -asp_random_uniform(random, 0.1, 1);
}

/* The answer's own checks; returns true when solved. */
static bool judge(const Class *class, int number, const AspLcp *lcp, const double *z, const double *ray,
                  const AspLcpInfo *info) {
  if (info->status == ASP_STATUS_SOLVED) {
    if (!(check_violation(lcp, z) <= 1e-9))
      fail_msg("%s %d, n = %d: wrong \"solved\", violation %g", class->name, number, lcp->n, check_violation(lcp, z));
    return true;
  }
  if (class->promise == ALWAYS)
    fail_msg("%s %d, n = %d: %s after %d pivots, residual %g", class->name, number, lcp->n,
             asp_status_name(info->status), info->iterations, info->residual);
  if (info->status == ASP_STATUS_RAY && !check_is_ray(lcp, ray))
    fail_msg("%s %d, n = %d: the ray is none", class->name, number, lcp->n);
  if (class->promise == IFF_FEASIBLE && (info->status != ASP_STATUS_RAY || !check_proves_infeasible(lcp, ray)))
    fail_msg("%s %d, n = %d: %s without a proof that no solution exists", class->name, number, lcp->n,
             asp_status_name(info->status));
  return false;
}

static void run_class(const Class *class, uint64_t seed) {
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {seed};
  double z[LARGEST], ray[LARGEST];
  int solved = 0, rays = 0;
  for (int number = 0; number < class->count; number++) {
    AspLcp lcp;
    AspLcpInfo info;
    int large = number % 20 == 0 ? class->large : class->small + (class->large - class->small) / 10;
    assert_ok(context, asp_lcp_create(context, uniform_int(&random, class->small, large), &lcp));
    class->make(&random, &lcp);
    assert_ok(context, asp_lcp_lemke(context, &lcp, NULL, z, ray, &info));
    assert_near(info.residual, asp_lcp_residual(&lcp, z), 0);
    bool is_solved = judge(class, number, &lcp, z, ray, &info);
    if (lcp.n <= 6 && is_solved != check_solvable(&lcp) && (is_solved || class->promise != NONE))
      fail_msg("%s %d, n = %d: %s, the enumeration says otherwise", class->name, number, lcp.n,
               asp_status_name(info.status));
    solved += is_solved;
    rays += info.status == ASP_STATUS_RAY;
    asp_lcp_destroy(context, &lcp);
  }
  print_message("%s: %d problems, %d solved, %d rays\n", class->name, class->count, solved, rays);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

static void definite_and_P_problems_are_always_solved(void **state) {
  (void)state;
  const Class classes[] = {{"positive definite", ALWAYS, 1500, 1, 200, make_positive_definite},
                           {"unsymmetric definite", ALWAYS, 1000, 1, 100, make_unsymmetric_definite},
                           {"triangular P", ALWAYS, 1000, 1, 30, make_triangular_P},
                           {"dominant P", ALWAYS, 1000, 1, 120, make_dominant_P}};
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    run_class(&classes[i], 100 + i);
}

static void degenerate_semidefinite_problems_are_solved_or_proved_infeasible(void **state) {
  (void)state;
  const Class class = {"degenerate semidefinite", IFF_FEASIBLE, 2000, 1, 60, make_degenerate_semidefinite};
  run_class(&class, 200);
}

static void general_problems_are_never_wrongly_solved(void **state) {
  (void)state;
  const Class classes[] = {{"small integers", NONE, 1200, 1, 8, make_small_integers},
                           {"general", NONE, 800, 1, 40, make_general},
                           {"infeasible", NONE, 500, 1, 40, make_infeasible}};
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    run_class(&classes[i], 300 + i);
}

/* Contact problems of every family but LAWS (whose SLIDING blocks may have no solution), as standard LCPs: copositive
 * matrices, gaps >= 0, consistent joints, for which a solution exists. */
static void contact_problems_are_always_solved(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  const Class class = {"contact", ALWAYS, 0, 0, 0, NULL};
  int count = 0, enumerated = 0;
  for (uint64_t seed = 0; seed < 72; seed++)
    for (int family = 0; family < FAMILY_COUNT; family++) {
      if (family == FAMILY_LAWS)
        continue;
      AspContactProblem problem;
      AspMixedLcp mixed;
      AspLcpInfo info;
      int directions = 3 + (int)(seed % 6), size = seed % 24 == 0 ? 24 : 1 + (int)(seed % 7);
      assert_ok(context, problem_family_make(context, (ProblemFamily)family, size, seed, &problem));
      for (int i = 0; i < problem.blocks; i++) {
        problem.law[i].cone = directions % 2 == 0 && seed % 4 < 2 ? ASP_CONE_CIRCUMSCRIBED : ASP_CONE_INSCRIBED;
        problem.law[i].directions = directions;
        problem.law[i].angle = 0.1 * (double)seed;
      }
      assert_ok(context, asp_problem_reduce(context, &problem));
      assert_ok(context, asp_problem_polygon_lcp(context, &problem, true, &mixed));
      AspLcp lcp = {mixed.n, mixed.M, mixed.q};
      double *z = asp_allocate(context, (size_t)lcp.n, sizeof *z),
             *ray = asp_allocate(context, (size_t)lcp.n, sizeof *z);
      assert_ok(context, asp_lcp_lemke(context, &lcp, NULL, z, ray, &info));
      judge(&class, count++, &lcp, z, ray, &info);
      if (lcp.n <= 6 && ++enumerated)
        assert_true(check_solvable(&lcp));
      asp_release(context, z);
      asp_release(context, ray);
      asp_mixed_lcp_destroy(context, &mixed);
      asp_problem_destroy(context, &problem);
    }
  print_message("contact: %d problems, %d of them enumerated\n", count, enumerated);
  assert_true(count >= 1000 && enumerated > 0);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

/* Painleve's rod, impulse level (docs/theory/existence.md): (0, 0) and stick both solve it; a covering vector of ones
 * finds stick. */
static void rod_with_two_solutions_sticks(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  const double Wnn = 1.75, Wnt = -0.75 * sqrt(3), Wtt = 3.25, mu = 1.5, ut = -1;
  double M[16] = {Wnn, Wnt, -Wnt, mu, Wnt, Wtt, -Wtt, -1, -Wnt, -Wtt, Wtt, -1, 0, 1, 1, 0};
  double q[4] = {0, ut, -ut, 0}, z[4];
  AspLcp lcp = {4, M, q};
  AspLcpInfo info;
  assert_ok(context, asp_lcp_lemke(context, &lcp, NULL, z, NULL, &info));
  assert_int_equal(info.status, ASP_STATUS_SOLVED);
  assert_near(z[0], 3 * sqrt(3) / 16, 1e-14);
  assert_near(z[1] - z[2], 7.0 / 16, 1e-14);
  asp_context_destroy(context);
}

static AspLcpInfo solve(const AspLcp *lcp, const AspLcpOptions *options, double *z, double *ray) {
  AspContext *context = asp_context_create(NULL);
  AspLcpInfo info;
  assert_ok(context, asp_lcp_lemke(context, lcp, options, z, ray, &info));
  asp_context_destroy(context);
  return info;
}

static void nothing_to_do_is_done_at_once(void **state) {
  (void)state;
  double M[4] = {-1, 5, 5, -1}, q[2] = {0, 3}, z[2] = {7, 7};
  AspLcpInfo info = solve(&(AspLcp){2, M, q}, NULL, z, NULL);
  assert_true(info.status == ASP_STATUS_SOLVED && info.iterations == 0 && z[0] == 0 && z[1] == 0);
  info = solve(&(AspLcp){0, M, q}, NULL, z, NULL);
  assert_int_equal(info.status, ASP_STATUS_SOLVED);
}

static void data_that_are_not_finite_are_reported_as_such(void **state) {
  (void)state;
  const double bad[3] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 3; k++) {
    double M[4] = {2, 1, 1, 2}, q[2] = {-5, -6}, z[2];
    M[2] = bad[k];
    AspLcpInfo info = solve(&(AspLcp){2, M, q}, NULL, z, NULL);
    assert_true(info.status == ASP_STATUS_NOT_FINITE && isinf(info.residual));
    M[2] = 1;
    q[1] = bad[k];
    info = solve(&(AspLcp){2, M, q}, NULL, z, NULL);
    assert_true(info.status == ASP_STATUS_NOT_FINITE && isinf(info.residual));
  }
}

static void too_few_pivots_are_reported_as_such(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspLcp lcp;
  AspRandom random = {1};
  assert_ok(context, asp_lcp_create(context, 30, &lcp));
  make_positive_definite(&random, &lcp);
  AspLcpOptions options = asp_lcp_default_options();
  double z[30];
  int needed = solve(&lcp, &options, z, NULL).iterations;
  options.max_iterations = needed - 1;
  AspLcpInfo info = solve(&lcp, &options, z, NULL);
  assert_int_equal(info.status, ASP_STATUS_ITERATION_LIMIT);
  assert_near(info.residual, asp_lcp_residual(&lcp, z), 0);
  options.max_iterations = needed;
  assert_int_equal(solve(&lcp, &options, z, NULL).status, ASP_STATUS_SOLVED);
  asp_lcp_destroy(context, &lcp);
  asp_context_destroy(context);
}

/* M -> S M S a b^-1, q -> S q a: z -> S^-1 z b, to the bit when all factors are powers of two */
static bool at_once(void *user) {
  ++*(int *)user;
  return true;
}

/* Large enough that the path is longer than what goes between two questions. */
static void a_stop_that_is_asked_for_ends_it_and_is_said(void **state) {
  (void)state;
  enum { N = 200 };
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {5};
  AspLcp lcp;
  double z[N];
  AspLcpInfo info;
  int asked = 0;
  assert_ok(context, asp_lcp_create(context, N, &lcp));
  make_positive_definite(&random, &lcp);
  asp_context_set_stop(context, at_once, &asked);
  assert_int_equal(asp_lcp_lemke(context, &lcp, NULL, z, NULL, &info), ASP_ERROR_INTERRUPTED);
  assert_true(asked > 0);
  asp_context_set_stop(context, NULL, NULL);
  assert_ok(context, asp_lcp_lemke(context, &lcp, NULL, z, NULL, &info));
  assert_int_equal(info.status, ASP_STATUS_SOLVED);
  asp_lcp_destroy(context, &lcp);
  asp_context_destroy(context);
}

static void units_change_the_answer_by_their_factor_only(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  enum { N = 20 };
  double z[N], scaled_z[N], s[N];
  for (uint64_t seed = 0; seed < 20; seed++) {
    AspRandom random = {seed};
    AspLcp lcp, scaled;
    assert_ok(context, asp_lcp_create(context, N, &lcp));
    assert_ok(context, asp_lcp_create(context, N, &scaled));
    make_positive_definite(&random, &lcp);
    double b = ldexp(1, uniform_int(&random, -40, 40));
    for (int i = 0; i < N; i++)
      s[i] = ldexp(1, uniform_int(&random, -20, 20));
    for (int i = 0; i < N; i++) {
      scaled.q[i] = lcp.q[i] * s[i];
      for (int j = 0; j < N; j++)
        *entry(&scaled, i, j) = *entry(&lcp, i, j) * s[i] * s[j] / b;
    }
    AspLcpInfo one = solve(&lcp, NULL, z, NULL), other = solve(&scaled, NULL, scaled_z, NULL);
    assert_true(one.status == ASP_STATUS_SOLVED && other.status == ASP_STATUS_SOLVED);
    for (int i = 0; i < N; i++)
      assert_near(scaled_z[i] * s[i] / b, z[i], 1e-13 * (1 + fabs(z[i])));
    asp_lcp_destroy(context, &lcp);
    asp_lcp_destroy(context, &scaled);
  }
  asp_context_destroy(context);
}

static void equal_input_gives_equal_bits(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspLcp lcp;
  AspRandom random = {4};
  double first[80], again[80];
  assert_ok(context, asp_lcp_create(context, 80, &lcp));
  make_unsymmetric_definite(&random, &lcp);
  solve(&lcp, NULL, first, NULL);
  for (int repeat = 0; repeat < 5; repeat++) {
    solve(&lcp, NULL, again, NULL);
    assert_memory_equal(first, again, sizeof first);
  }
  asp_lcp_destroy(context, &lcp);
  asp_context_destroy(context);
}

static void options_are_checked(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  double M[1] = {1}, q[1] = {-1}, z[1];
  AspLcp lcp = {1, M, q};
  AspLcpInfo info;
  AspLcpOptions options = {0};
  assert_int_equal(asp_lcp_lemke(context, &lcp, &options, z, NULL, &info), ASP_ERROR_ARGUMENT);
  assert_string_equal(asp_context_message(context), "LCP options: take them from asp_lcp_default_options()");
  options = asp_lcp_default_options();
  options.tolerance = NAN;
  assert_int_equal(asp_lcp_lemke(context, &lcp, &options, z, NULL, &info), ASP_ERROR_INPUT);
  options.tolerance = -1;
  assert_int_equal(asp_lcp_lemke(context, &lcp, &options, z, NULL, &info), ASP_ERROR_INPUT);
  assert_string_equal(asp_context_message(context), "tolerance: -1 is outside [1e-15, 1]");
  asp_context_destroy(context);
}

static void every_kth_allocation_failure_is_clean(void **state) {
  (void)state;
  double M[9] = {4, 1, 0, 1, 4, 1, 0, 1, 4}, q[3] = {-1, 2, -3}, z[3];
  AspLcp lcp = {3, M, q};
  AspLcpInfo info;
  AspError error = ASP_ERROR_MEMORY;
  for (long k = 0; error != ASP_OK; k++) {
    FailingAllocator failing;
    AspContext *context = failing_context(&failing);
    failing.until_failure = k;
    error = asp_lcp_lemke(context, &lcp, NULL, z, NULL, &info);
    assert_true(error == ASP_OK || error == ASP_ERROR_MEMORY);
    assert_int_equal(asp_context_memory_in_use(context), 0);
    assert_true(k > 0 || error == ASP_ERROR_MEMORY);
    asp_context_destroy(context);
  }
  assert_int_equal(info.status, ASP_STATUS_SOLVED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(definite_and_P_problems_are_always_solved),
      cmocka_unit_test(degenerate_semidefinite_problems_are_solved_or_proved_infeasible),
      cmocka_unit_test(general_problems_are_never_wrongly_solved),
      cmocka_unit_test(contact_problems_are_always_solved),
      cmocka_unit_test(rod_with_two_solutions_sticks),
      cmocka_unit_test(nothing_to_do_is_done_at_once),
      cmocka_unit_test(data_that_are_not_finite_are_reported_as_such),
      cmocka_unit_test(too_few_pivots_are_reported_as_such),
      cmocka_unit_test(a_stop_that_is_asked_for_ends_it_and_is_said),
      cmocka_unit_test(units_change_the_answer_by_their_factor_only),
      cmocka_unit_test(equal_input_gives_equal_bits),
      cmocka_unit_test(options_are_checked),
      cmocka_unit_test(every_kth_allocation_failure_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
