/* Lemke: 10,000 random LCPs of the classes that matter, each judged by checks of its own (lcp_check.h). */
#include "asperity/solver.h"
#include "lcp_check.h"
#include "testing.h"

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
             asp_status_text(info->status), info->iterations, info->residual);
  if (info->status == ASP_STATUS_RAY && !check_is_ray(lcp, ray))
    fail_msg("%s %d, n = %d: the ray is none", class->name, number, lcp->n);
  if (class->promise == IFF_FEASIBLE && (info->status != ASP_STATUS_RAY || !check_proves_infeasible(lcp, ray)))
    fail_msg("%s %d, n = %d: %s without a proof that no solution exists", class->name, number, lcp->n,
             asp_status_text(info->status));
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
               asp_status_text(info.status));
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(definite_and_P_problems_are_always_solved),
      cmocka_unit_test(degenerate_semidefinite_problems_are_solved_or_proved_infeasible),
      cmocka_unit_test(general_problems_are_never_wrongly_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
