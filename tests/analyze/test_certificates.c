/* The recipe of docs/howto/check-a-certificate.md, followed with code of its own: determinants by expansion,
 * eigenvalues by Jacobi's rotations, sampling. */
#include "analyze_testing.h"

#include <math.h>

enum { MOST = 4 };

static double determinant(int n, const double *A) {
  double B[36], x[6] = {0}, value = 1;
  memcpy(B, A, (size_t)(n * n) * sizeof *B);
  for (int k = 0; k < n; k++) { // elimination with row exchanges
    int best = k;
    for (int i = k; i < n; i++)
      best = fabs(B[i * n + k]) > fabs(B[best * n + k]) ? i : best;
    if (B[best * n + k] == 0)
      return 0;
    for (int j = 0; j < n && best != k; j++) {
      x[0] = B[k * n + j];
      B[k * n + j] = B[best * n + j];
      B[best * n + j] = x[0];
    }
    value *= best == k ? B[k * n + k] : -B[k * n + k];
    for (int i = k + 1; i < n; i++)
      for (int j = n - 1; j >= k; j--)
        B[i * n + j] -= B[i * n + k] / B[k * n + k] * B[k * n + j];
  }
  return value;
}

/* Largest eigenvalue of a symmetric matrix. */
static double largest_eigenvalue(int n, double *A) {
  for (int sweep = 0; sweep < 60; sweep++)
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        double angle = 0.5 * atan2(2 * A[p * n + q], A[q * n + q] - A[p * n + p]), c = cos(angle), s = sin(angle);
        for (int k = 0; k < n; k++) {
          double a = A[k * n + p], b = A[k * n + q];
          A[k * n + p] = c * a - s * b;
          A[k * n + q] = s * a + c * b;
        }
        for (int k = 0; k < n; k++) {
          double a = A[p * n + k], b = A[q * n + k];
          A[p * n + k] = c * a - s * b;
          A[q * n + k] = s * a + c * b;
        }
      }
  double largest = 0;
  for (int i = 0; i < n; i++)
    largest = fmax(largest, A[i * n + i]);
  return largest;
}

/* ---- known slip: normal equations, P-matrix, copositivity, Lemke's ray ---- */

typedef struct Slipping {
  int n;
  AspLaw law[MOST];
  double W[4 * MOST * MOST], q[2 * MOST], A[MOST * MOST];
  AspAnalysis analysis;
} Slipping;

static void draw_slipping(AspContext *context, AspRandom *random, int n, Slipping *it) {
  int rows = 2 * n;
  it->n = n;
  random_delassus(random, rows + 1, rows, it->W);
  for (int c = 0; c < n; c++)
    it->law[c] = (AspLaw){.kind = ASP_LAW_SLIDING,
                          .mu = asp_random_uniform(random, 0, 2),
                          .direction = {asp_random_uniform(random, -1, 1) > 0 ? 1 : -1, 0}};
  for (int i = 0; i < rows; i++)
    it->q[i] = asp_random_normal(random);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      it->A[i * n + j] =
          it->W[2 * i * rows + 2 * j] - it->law[j].mu * it->law[j].direction[0] * it->W[2 * i * rows + 2 * j + 1];
  AspContactProblem p = dense_problem(context, 2, n, it->law, it->W, it->q);
  assert_ok(context, asp_analyze(context, &p, NULL, &it->analysis));
  asp_problem_destroy(context, &p);
}

static void normal_equations_and_minors_hold(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {5};
  int positive = 0, negative = 0;
  for (int round = 0; round < 200; round++) {
    Slipping it;
    draw_slipping(context, &random, 1 + round % MOST, &it);
    int n = it.n;
    double least = INFINITY;
    assert_int_equal(it.analysis.normals, n);
    for (int i = 0; i < n * n; i++)
      assert_near(it.analysis.normal_A[i], it.A[i], 1e-12 * (1 + fabs(it.A[i])));
    for (unsigned members = 1; members < 1u << n; members++) {
      int list[MOST], m = 0;
      double B[MOST * MOST];
      for (int i = 0; i < n; i++)
        if (members >> i & 1)
          list[m++] = i;
      for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
          B[i * m + j] = it.A[list[i] * n + list[j]];
      least = fmin(least, determinant(m, B));
    }
    assert_true((least > 0) == (it.analysis.smallest_minor > 0));
    if (least > 0)
      assert_true(it.analysis.unique);
    positive += least > 0;
    negative += least < 0;
    asp_analysis_destroy(context, &it.analysis);
  }
  assert_true(positive >= 20 && negative >= 20);
  asp_context_destroy(context);
}

static void copositive_matrices_always_have_a_solution(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {6};
  int copositive = 0, others = 0;
  for (int round = 0; round < 200; round++) {
    Slipping it;
    draw_slipping(context, &random, 1 + round % MOST, &it);
    int n = it.n;
    double sampled = INFINITY;
    for (int sample = 0; sample < 3000; sample++) {
      double r[MOST], sum = 0, value = 0;
      for (int i = 0; i < n; i++) {
        double u = asp_random_uniform(&random, 0, 1);
        r[i] = sample < n ? sample == i : u < 0.3 ? 0 : u;
        r[i] /= sqrt(it.W[2 * i * 2 * n + 2 * i]); // scaled as the certificate: W_NN has ones on its diagonal
        sum += r[i] * sqrt(it.W[2 * i * 2 * n + 2 * i]);
      }
      for (int i = 0; i < n && sum > 0; i++)
        for (int j = 0; j < n; j++)
          value += r[i] * it.A[i * n + j] * r[j] / (sum * sum);
      sampled = sum > 0 ? fmin(sampled, value) : sampled;
    }
    assert_true(it.analysis.least_power <= sampled + 1e-12);
    assert_true(it.analysis.least_power >= sampled - 0.05 * (1 + fabs(sampled))); // the samples come near it
    if (it.analysis.least_power > 0)
      assert_true(it.analysis.exists);
    copositive += it.analysis.least_power > 0;
    others += it.analysis.least_power < 0;
    asp_analysis_destroy(context, &it.analysis);
  }
  assert_true(copositive >= 20 && others >= 20);
  asp_context_destroy(context);
}

static void lemkes_ray_rules_out_every_solution(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {7};
  int proofs = 0;
  for (int round = 0; round < 300; round++) {
    Slipping it;
    draw_slipping(context, &random, 1 + round % MOST, &it);
    const AspAnalysis *found = &it.analysis;
    int n = found->lcp_size;
    double load = 0;
    if (n > 0)
      assert_false(found->exists);
    for (int j = 0; j < n; j++) {
      double sum = 0, size = 0;
      assert_near(found->lcp_q[j], it.q[2 * j], 1e-12 * (1 + fabs(it.q[2 * j])));
      assert_true(found->lcp_ray[j] >= 0);
      load += found->lcp_q[j] * found->lcp_ray[j];
      for (int i = 0; i < n; i++) {
        sum += it.A[i * n + j] * found->lcp_ray[i];
        size += fabs(it.A[i * n + j]) * found->lcp_ray[i];
      }
      if (found->lcp_ray_proves)
        assert_at_most(sum, 1e-9 * size);
    }
    if (n > 0 && found->lcp_ray_proves)
      assert_true(load < 0);
    proofs += n > 0 && found->lcp_ray_proves;
    asp_analysis_destroy(context, &it.analysis);
  }
  assert_true(proofs >= 5);
  asp_context_destroy(context);
}

/* ---- friction undecided: the strictly feasible velocity, small friction ---- */

static void feasible_velocity_lies_in_the_dual_cones(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {8};
  int sure = 0;
  for (int round = 0; round < 100; round++) {
    int n = 1 + round % 3, rows = 3 * n;
    double W[81], q[9];
    AspLaw law[3];
    random_delassus(&random, round % 2 ? rows - 2 : rows + 1, rows, W);
    for (int c = 0; c < n; c++)
      law[c] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = asp_random_uniform(&random, 0, 1), .cone = ASP_CONE_EXACT};
    for (int i = 0; i < rows; i++)
      q[i] = asp_random_normal(&random);
    AspContactProblem p = dense_problem(context, 3, n, law, W, q);
    AspAnalysisOptions options = asp_analysis_default_options();
    options.max_nodes = 1; // the certificate needs no search
    options.starts = 0;
    AspAnalysis analysis;
    assert_ok(context, asp_analyze(context, &p, &options, &analysis));
    for (int c = 0; c < n && analysis.existence_margin > 0; c++) {
      double u[3];
      for (int k = 0; k < 3; k++) {
        u[k] = q[3 * c + k];
        for (int j = 0; j < rows; j++)
          u[k] += W[(3 * c + k) * rows + j] * analysis.existence_y[j];
      }
      assert_true(u[0] - law[c].mu * hypot(u[1], u[2]) >= analysis.existence_margin * (1 - 1e-6));
    }
    sure += analysis.existence_margin > 0;
    asp_analysis_destroy(context, &analysis);
    asp_problem_destroy(context, &p);
  }
  assert_true(sure >= 50);
  asp_context_destroy(context);
}

/* Two contacts in the plane: kappa by eigenvalues, for the weights of a reader who takes g = 1 and W_NN = 1. */
static void small_friction_is_what_the_recipe_gives(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {9};
  for (int round = 0; round < 50; round++) {
    double W[16], q[4] = {-1, 0.1, -1, 0.2}, T[4], S[4], inverse[4];
    AspLaw law[2];
    random_delassus(&random, 5, 4, W);
    for (int c = 0; c < 2; c++)
      law[c] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = asp_random_uniform(&random, 0.1, 1)};
    AspContactProblem p = dense_problem(context, 2, 2, law, W, q);
    AspAnalysis analysis;
    assert_ok(context, asp_analyze(context, &p, NULL, &analysis));
    double tangents[4] = {W[5], W[7], W[13], W[15]}, det = tangents[0] * tangents[3] - tangents[1] * tangents[2];
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) { // S = W_NN - W_NT W_TT^-1 W_TN
        const double *n = W + 8 * i, *m = W + 8 * j;
        double x[2] = {(tangents[3] * m[1] - tangents[1] * m[3]) / det,
                       (tangents[0] * m[3] - tangents[2] * m[1]) / det};
        S[2 * i + j] = n[2 * j] - n[1] * x[0] - n[3] * x[1];
      }
    double detS = S[0] * S[3] - S[1] * S[2];
    inverse[0] = S[3] / detS;
    inverse[3] = S[0] / detS;
    inverse[1] = inverse[2] = -S[1] / detS;
    double g[2];
    for (int i = 0; i < 2; i++)
      g[i] = sqrt(sqrt(inverse[3 * i] / tangents[3 * i]));
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) {
        T[2 * i + j] = tangents[2 * i + j] * g[i] * g[j] * sqrt(law[i].mu * law[j].mu);
        inverse[2 * i + j] *= sqrt(law[i].mu * law[j].mu) / (g[i] * g[j]);
      }
    double kappa = largest_eigenvalue(2, T) * largest_eigenvalue(2, inverse);
    assert_true(analysis.small_friction >= kappa * (1 - 1e-9));   // an upper bound
    assert_true(analysis.small_friction < 4 || kappa >= 4 / 1.2); // and a near one where it decides
    asp_analysis_destroy(context, &analysis);
    asp_problem_destroy(context, &p);
  }
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(normal_equations_and_minors_hold),
      cmocka_unit_test(copositive_matrices_always_have_a_solution),
      cmocka_unit_test(lemkes_ray_rules_out_every_solution),
      cmocka_unit_test(feasible_velocity_lies_in_the_dual_cones),
      cmocka_unit_test(small_friction_is_what_the_recipe_gives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
