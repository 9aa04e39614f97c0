/* The exact cone in space: planted problems, against the polynomial of the slip direction (one contact) and with two
 * solutions planted at once (one and two contacts). `complete` must be true: the search proves that there are no more.
 */
#include "analyze_testing.h"
#include "base/constants.h"

/* A pair (r, u) that obeys Coulomb's law with this mu: stick, slide or open. */
static void plant(AspRandom *random, double mu, double *r, double *u) {
  double kind = asp_random_uniform(random, 0, 1), angle = asp_random_uniform(random, -ASP_PI, ASP_PI);
  double normal = asp_random_uniform(random, 0.2, 2), size = asp_random_uniform(random, 0.2, 2);
  memset(r, 0, 3 * sizeof *r);
  memset(u, 0, 3 * sizeof *u);
  if (kind < 0.15) {
    u[0] = normal;
    u[1] = size * cos(angle);
    u[2] = size * sin(angle);
  } else if (kind < 0.35) {
    double share = asp_random_uniform(random, 0, 0.95);
    r[0] = normal;
    r[1] = share * mu * normal * cos(angle);
    r[2] = share * mu * normal * sin(angle);
  } else {
    r[0] = normal;
    r[1] = -mu * normal * cos(angle);
    r[2] = -mu * normal * sin(angle);
    u[1] = size * cos(angle);
    u[2] = size * sin(angle);
  }
}

/* ---- one contact: all solutions without the library ---- */

typedef struct Single {
  double W[9], q[3], mu;
} Single;

/* d' . u_T times the normal equation's denominator, at slip direction theta: zero at sliding solutions */
static double slip_polynomial(const Single *p, double theta, double *normal, double *speed) {
  double c = cos(theta), s = sin(theta);
  double A = p->W[0] - p->mu * (p->W[1] * c + p->W[2] * s);
  double r = -p->q[0] / A;
  double u1 = p->q[1] + r * (p->W[3] - p->mu * (p->W[4] * c + p->W[5] * s));
  double u2 = p->q[2] + r * (p->W[6] - p->mu * (p->W[7] * c + p->W[8] * s));
  *normal = r;
  *speed = c * u1 + s * u2;
  return A * (-s * u1 + c * u2);
}

/* Number of solutions: open, stick, and the sign changes of the polynomial with r_N > 0 and slip along theta. */
static int count_by_polynomial(const Single *p) {
  int count = p->q[0] > 0;
  double W[9], r[3] = {-p->q[0], -p->q[1], -p->q[2]};
  memcpy(W, p->W, sizeof W);
  if (plain_solve(3, W, r) && r[0] >= 0 && hypot(r[1], r[2]) <= p->mu * r[0])
    count++;
  const int samples = 100000;
  double normal, speed, before = slip_polynomial(p, 0, &normal, &speed);
  for (int i = 1; i <= samples; i++) {
    double low = 2 * ASP_PI * (i - 1) / samples, high = 2 * ASP_PI * i / samples;
    double value = slip_polynomial(p, high, &normal, &speed);
    if ((value > 0) != (before > 0)) {
      for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (low + high);
        if ((slip_polynomial(p, middle, &normal, &speed) > 0) == (before > 0))
          low = middle;
        else
          high = middle;
      }
      slip_polynomial(p, 0.5 * (low + high), &normal, &speed);
      count += normal > 0 && speed > 0;
    }
    before = value;
  }
  return count;
}

static void assert_planted_is_found(const AspAnalysis *analysis, const double *u, int rows) {
  double best = INFINITY;
  for (int i = 0; i < analysis->count; i++) {
    double difference = 0;
    for (int k = 0; k < rows; k++)
      difference = fmax(difference, fabs(u[k] - analysis->solution[i].u[k]));
    best = fmin(best, difference);
  }
  assert_at_most(best, 1e-7);
}

static void one_contact_has_the_solutions_of_its_polynomial(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {31};
  int several = 0;
  for (int round = 0; round < 100; round++) {
    Single single = {.mu = asp_random_uniform(&random, 0.2, 4)};
    double r[3], u[3];
    random_delassus(&random, 3, 3, single.W);
    plant(&random, single.mu, r, u);
    for (int i = 0; i < 3; i++) {
      single.q[i] = u[i];
      for (int j = 0; j < 3; j++)
        single.q[i] -= single.W[3 * i + j] * r[j];
    }
    AspLaw law = {.kind = ASP_LAW_COULOMB, .mu = single.mu};
    AspContactProblem p = dense_problem(context, 3, 1, &law, single.W, single.q);
    AspAnalysis analysis;
    assert_ok(context, asp_analyze(context, &p, NULL, &analysis));
    assert_true(analysis.complete);
    assert_planted_is_found(&analysis, u, 3);
    assert_int_equal(analysis.count, count_by_polynomial(&single));
    several += analysis.count > 1;
    asp_analysis_destroy(context, &analysis);
    asp_problem_destroy(context, &p);
  }
  assert_true(several > 10);
  asp_context_destroy(context);
}

/* ---- two solutions planted: W (r - r') = u - u' ---- */

/* W = b b^T / (a.b) + P C P with P the projector across a: symmetric positive definite, W a = b. */
static void delassus_through(AspRandom *random, int n, const double *a, const double *b, double *W) {
  double C[36], aa = 0, ab = 0;
  random_delassus(random, n, n, C);
  for (int i = 0; i < n; i++) {
    aa += a[i] * a[i];
    ab += a[i] * b[i];
  }
  double P[36], PC[36] = {0};
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      P[i * n + j] = (i == j) - a[i] * a[j] / aa;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        PC[i * n + j] += P[i * n + k] * C[k * n + j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      W[i * n + j] = b[i] * b[j] / ab;
      for (int k = 0; k < n; k++)
        W[i * n + j] += PC[i * n + k] * P[k * n + j];
    }
}

static void two_planted_solutions_are_both_found(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {57};
  for (int round = 0; round < 100; round++) {
    int contacts = 2, n = 3 * contacts;
    double mu = asp_random_uniform(&random, 0.5, 2), r[2][6], u[2][6], a[6], b[6], product;
    do { // a pair that a positive definite W can connect
      product = 0;
      for (int s = 0; s < 2; s++)
        for (int c = 0; c < contacts; c++)
          plant(&random, mu, r[s] + 3 * c, u[s] + 3 * c);
      for (int i = 0; i < n; i++) {
        a[i] = r[0][i] - r[1][i];
        b[i] = u[0][i] - u[1][i];
        product += a[i] * b[i];
      }
    } while (product < 0.1);
    double W[36], q[6];
    delassus_through(&random, n, a, b, W);
    for (int i = 0; i < n; i++) {
      q[i] = u[0][i];
      for (int j = 0; j < n; j++)
        q[i] -= W[i * n + j] * r[0][j];
    }
    AspLaw law[2] = {{.kind = ASP_LAW_COULOMB, .mu = mu}, {.kind = ASP_LAW_COULOMB, .mu = mu}};
    AspContactProblem p = dense_problem(context, 3, contacts, law, W, q);
    AspAnalysis analysis;
    assert_ok(context, asp_analyze(context, &p, NULL, &analysis));
    assert_true(analysis.complete);
    for (int s = 0; s < 2; s++)
      assert_planted_is_found(&analysis, u[s], n);
    for (int i = 0; i < analysis.count; i++)
      assert_at_most(analysis.solution[i].residual.E2, 1e-9);
    asp_analysis_destroy(context, &analysis);
    asp_problem_destroy(context, &p);
  }
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_contact_has_the_solutions_of_its_polynomial),
      cmocka_unit_test(two_planted_solutions_are_both_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
