/* Mixed LCPs: free variables eliminated, kept where their block is singular; projected Gauss-Seidel. */
#include "asperity/solver.h"
#include "failing_allocator.h"
#include "lcp_check.h"
#include "problem_families.h"
#include "shared_context.h"

/* Largest violation of the equations and of the complementary part, in long double. */
static double violation(const AspMixedLcp *lcp, const double *z) {
  long double worst = 0;
  size_t n = (size_t)lcp->n;
  for (size_t i = 0; i < n; i++) {
    long double w = lcp->q[i], size = fabsl(w);
    for (size_t j = 0; j < n; j++) {
      w += (long double)lcp->M[j * n + i] * z[j];
      size = fmaxl(size, fabsl((long double)lcp->M[j * n + i] * z[j]));
    }
    long double off = fabsl(i < (size_t)lcp->free ? w : fminl(z[i], w)) / fmaxl(1, size);
    worst = off > worst || isnan((double)off) ? off : worst;
  }
  return (double)worst;
}

/* M = G G^T / n with G n x rank, so that a low rank makes the free block singular; q in its range where free. */
static AspMixedLcp random_mixed(AspRandom *random, int n, int free, int rank) {
  AspMixedLcp lcp;
  double G[40 * 40];
  assert_ok(context, asp_mixed_lcp_create(context, n, free, &lcp));
  for (int i = 0; i < n * rank; i++)
    G[i] = asp_random_normal(random);
  for (int i = 0; i < n; i++) {
    lcp.q[i] = i < free ? 0 : asp_random_normal(random);
    for (int k = 0; k < rank; k++)
      lcp.q[i] += G[i * rank + k] * (k % 3 - 1);
    for (int j = 0; j < n; j++)
      for (int k = 0; k < rank; k++)
        lcp.M[j * n + i] += G[i * rank + k] * G[j * rank + k] / n;
  }
  for (int i = free; i < n; i++) // feasible: the complementary part is definite
    lcp.M[i * n + i] += 0.5;
  return lcp;
}

static void regular_free_variables_are_eliminated(void **state) {
  (void)state;
  AspRandom random = {1};
  for (int trial = 0; trial < 300; trial++) {
    int n = 1 + trial % 40, free = trial % (n + 1), kept = -1;
    AspMixedLcp lcp = random_mixed(&random, n, free, n);
    for (int i = 0; i < free; i++)
      lcp.M[i * n + i] += 0.1;
    double z[40];
    AspLcpInfo info;
    assert_ok(context, asp_mixed_lcp_lemke(context, &lcp, NULL, z, &kept, &info));
    assert_int_equal(info.status, ASP_STATUS_SOLVED);
    assert_int_equal(kept, 0);
    assert_at_most(violation(&lcp, z), 1e-10);
    assert_near(info.residual, asp_mixed_lcp_residual(&lcp, z), 0);
    asp_mixed_lcp_destroy(context, &lcp);
  }
}

static void singular_free_block_keeps_what_is_left(void **state) {
  (void)state;
  AspRandom random = {2};
  for (int trial = 0; trial < 200; trial++) {
    int n = 4 + trial % 30, free = 2 + trial % (n - 2), rank = 1 + trial % (free - 1 > 0 ? free - 1 : 1), kept = -1;
    AspMixedLcp lcp = random_mixed(&random, n, free, rank);
    double z[40];
    AspLcpInfo info;
    assert_ok(context, asp_mixed_lcp_lemke(context, &lcp, NULL, z, &kept, &info));
    assert_int_equal(info.status, ASP_STATUS_SOLVED);
    assert_int_equal(kept, free - rank);
    assert_at_most(violation(&lcp, z), 1e-9);
    asp_mixed_lcp_destroy(context, &lcp);
  }
}

/* saddle point: the free block is zero, its equations bind the complementary variables: kept, and needed */
static void kept_variables_can_be_essential(void **state) {
  (void)state;
  // min 1/2 |z|^2 - z_1 over z >= 0, z_0 + z_1 = 2: z = (0.5, 1.5), multiplier -0.5
  double M[9] = {0, 1, 1, -1, 1, 0, -1, 0, 1}, q[3] = {2, 0, -1}, z[3];
  AspMixedLcp lcp = {3, 1, M, q};
  AspLcpInfo info;
  int kept;
  assert_ok(context, asp_mixed_lcp_lemke(context, &lcp, NULL, z, &kept, &info));
  assert_int_equal(info.status, ASP_STATUS_SOLVED);
  assert_int_equal(kept, 1);
  assert_near(z[0], -0.5, 1e-14);
  assert_near(z[1], 0.5, 1e-14);
  assert_near(z[2], 1.5, 1e-14);
}

static void contradictory_equations_are_not_solved(void **state) {
  (void)state;
  double M[9] = {1, 1, 0, 1, 1, 0, 0, 0, 1}, q[3] = {1, 1 + 1e-6, -1}, z[3]; // x0 + x1 = -1 and = -1 - 1e-6
  AspMixedLcp lcp = {3, 2, M, q};
  AspLcpInfo info;
  assert_ok(context, asp_mixed_lcp_lemke(context, &lcp, NULL, z, NULL, &info));
  assert_int_equal(info.status, ASP_STATUS_RAY);
  assert_true(info.residual > 1e-8);
  q[1] = 1;
  assert_ok(context, asp_mixed_lcp_lemke(context, &lcp, NULL, z, NULL, &info));
  assert_int_equal(info.status, ASP_STATUS_SOLVED);
  M[4] = NAN;
  assert_ok(context, asp_mixed_lcp_lemke(context, &lcp, NULL, z, NULL, &info));
  assert_int_equal(info.status, ASP_STATUS_NOT_FINITE);
}

static void every_kth_allocation_failure_is_clean(void **state) {
  (void)state;
  double M[9] = {1, 1, 0, 1, 1, 0, 0, 0, 1}, q[3] = {1, 1, -1}, z[3];
  AspMixedLcp lcp = {3, 2, M, q};
  AspLcpInfo info;
  AspError error = ASP_ERROR_MEMORY;
  for (long k = 0; error != ASP_OK; k++) {
    FailingAllocator failing;
    AspContext *narrow = failing_context(&failing);
    failing.until_failure = k;
    error = asp_mixed_lcp_lemke(narrow, &lcp, NULL, z, NULL, &info);
    assert_true(error == ASP_OK || error == ASP_ERROR_MEMORY);
    assert_true(k > 0 || error == ASP_ERROR_MEMORY);
    assert_int_equal(asp_context_memory_in_use(narrow), 0);
    asp_context_destroy(narrow);
  }
}

static void gauss_seidel_agrees_with_lemke_on_definite_problems(void **state) {
  (void)state;
  AspRandom random = {3};
  for (int trial = 0; trial < 100; trial++) {
    int n = 1 + trial % 30;
    AspMixedLcp mixed = random_mixed(&random, n, 0, n);
    AspLcp lcp = {n, mixed.M, mixed.q};
    double z[30], start[30];
    AspLcpInfo info;
    AspLcpOptions options = asp_lcp_default_options();
    options.relaxation = 0.8 + 0.02 * (trial % 40);
    assert_ok(context, asp_lcp_lemke(context, &lcp, NULL, z, NULL, &info));
    for (int i = 0; i < n; i++)
      start[i] = asp_random_normal(&random); // any start, negative ones too
    assert_ok(context, asp_lcp_gauss_seidel(context, &lcp, &options, start, &info));
    assert_int_equal(info.status, ASP_STATUS_SOLVED);
    assert_at_most(check_violation(&lcp, start), 1e-9);
    for (int i = 0; i < n; i++)
      assert_near(start[i], z[i], 1e-8 * (1 + fabs(z[i])));
    asp_mixed_lcp_destroy(context, &mixed);
  }
}

static void gauss_seidel_says_what_it_cannot_do(void **state) {
  (void)state;
  double M[4] = {1, 0, 0, 0}, q[2] = {-1, -1}, z[2] = {0, 0};
  AspLcp lcp = {2, M, q};
  AspLcpInfo info;
  assert_int_equal(asp_lcp_gauss_seidel(context, &lcp, NULL, z, &info), ASP_ERROR_INPUT);
  assert_string_equal(asp_context_message(context), "projected Gauss-Seidel: M[1][1] = 0 is not > 0");
  M[3] = 1;
  M[1] = M[2] = -3; // indefinite: the sweeps run away
  AspLcpOptions options = asp_lcp_default_options();
  assert_ok(context, asp_lcp_gauss_seidel(context, &lcp, &options, z, &info));
  assert_true(info.status == ASP_STATUS_NOT_FINITE || info.status == ASP_STATUS_ITERATION_LIMIT);
  M[1] = M[2] = 0.9;
  z[0] = z[1] = 0;
  options.max_iterations = 2;
  assert_ok(context, asp_lcp_gauss_seidel(context, &lcp, &options, z, &info));
  assert_true(info.status == ASP_STATUS_ITERATION_LIMIT && info.iterations == 2);
  q[0] = NAN;
  assert_ok(context, asp_lcp_gauss_seidel(context, &lcp, NULL, z, &info));
  assert_int_equal(info.status, ASP_STATUS_NOT_FINITE);
}

int main(void) {
#define PROPERTY(name) cmocka_unit_test_setup_teardown(name, open_context, close_context)
  const struct CMUnitTest tests[] = {
      PROPERTY(regular_free_variables_are_eliminated), PROPERTY(singular_free_block_keeps_what_is_left),
      PROPERTY(kept_variables_can_be_essential),       PROPERTY(contradictory_equations_are_not_solved),
      PROPERTY(every_kth_allocation_failure_is_clean), PROPERTY(gauss_seidel_agrees_with_lemke_on_definite_problems),
      PROPERTY(gauss_seidel_says_what_it_cannot_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
