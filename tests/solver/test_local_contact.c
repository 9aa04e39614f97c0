/* One contact alone: the exact solve against the natural map and against a scan over all directions of slip. */
#include "testing.h"

#include "base/constants.h"
#include "problem/natural_map.h"
#include "solver/local_contact.h"

static bool is_full(void) { return getenv("ASPERITY_TEST_FULL") != NULL; }

/* A random W: symmetric positive definite, nearly singular, or with a skew part; entry (k, l) at W[k + 3 l]. */
static void draw_W(AspRandom *random, int size, double *W) {
  double A[9], thin = asp_random_uniform(random, 0, 1) < 0.2 ? pow(10, asp_random_uniform(random, -7, 0)) : 1;
  double skew = asp_random_uniform(random, 0, 1) < 0.3 ? 0.1 : 0;
  double scale = pow(10, asp_random_uniform(random, -3, 3));
  memset(W, 0, 9 * sizeof *W);
  for (int k = 0; k < 9; k++)
    A[k] = asp_random_normal(random) * (k % 3 == 2 ? thin : 1);
  for (int l = 0; l < size; l++)
    for (int k = 0; k < size; k++) {
      for (int m = 0; m < size; m++)
        W[k + 3 * l] += scale * A[m + 3 * k] * A[m + 3 * l];
      W[k + 3 * l] += k == l ? scale * 1e-6 : 0;
    }
  for (int l = 0; l < size; l++)
    for (int k = 0; k < l; k++) {
      double s = skew * asp_random_normal(random) * sqrt(W[k + 3 * k] * W[l + 3 * l]);
      W[k + 3 * l] += s;
      W[l + 3 * k] -= s;
    }
}

static double largest_entry(const double *W) {
  double largest = 0;
  for (int k = 0; k < 9; k++)
    largest = fmax(largest, fabs(W[k]));
  return largest;
}

/* The natural map in units where W and b are of order one. */
static double violation(int size, const double *W, const double *b, const double *r) {
  AspLaw law = {.kind = ASP_LAW_COULOMB, .mu = 1};
  double u[3] = {0}, F[3] = {0}, scale = largest_entry(W), sum = 0, length = 0, drive = 0;
  for (int k = 0; k < size; k++) {
    u[k] = b[k];
    for (int l = 0; l < size; l++)
      u[k] += W[k + 3 * l] * r[l];
    length += r[k] * r[k];
    drive += b[k] * b[k];
  }
  asp_natural_map(&law, size, 1 / scale, r, u, false, F);
  for (int k = 0; k < size; k++)
    sum += F[k] * F[k];
  return sqrt(sum) / fmax(sqrt(length), sqrt(drive) / scale);
}

static void solve_and_check(AspRandom *random, int size, int count) {
  for (int i = 0; i < count; i++) {
    double W[9], b[3] = {0}, r[3] = {0};
    AspLocalContact contact;
    draw_W(random, size, W);
    for (int k = 0; k < size; k++)
      b[k] = asp_random_normal(random);
    asp_local_contact_set(&contact, size, W);
    asp_local_contact_solve(&contact, b, r);
    assert_at_most(violation(size, W, b, r), 1e-9);
    // from the multiplier of the first solve to another right-hand side
    b[0] -= 0.1;
    b[1] += 0.3;
    asp_local_contact_solve(&contact, b, r);
    assert_at_most(violation(size, W, b, r), 1e-9);
  }
}

static void every_random_contact_obeys_its_law_in_space(void **state) {
  (void)state;
  AspRandom random = {1};
  solve_and_check(&random, 3, is_full() ? 100000 : 20000);
}

static void every_random_contact_obeys_its_law_in_the_plane(void **state) {
  (void)state;
  AspRandom random = {2};
  solve_and_check(&random, 2, is_full() ? 100000 : 20000);
}

/* r of slip towards -(cos a, sin a), and the part of u_T across that direction: zero at a solution with u_T.t <= 0 */
static double slip_towards(const double *W, const double *b, double angle, double *r, double *along) {
  double t[2] = {cos(angle), sin(angle)};
  double normal = -b[0] / (W[0] + W[3] * t[0] + W[6] * t[1]);
  r[0] = normal;
  r[1] = normal * t[0];
  r[2] = normal * t[1];
  double u1 = b[1] + W[1] * r[0] + W[4] * r[1] + W[7] * r[2], u2 = b[2] + W[2] * r[0] + W[5] * r[1] + W[8] * r[2];
  *along = u1 * t[0] + u2 * t[1];
  return u1 * t[1] - u2 * t[0];
}

static void slip_is_one_of_the_solutions_of_a_scan_over_directions(void **state) {
  (void)state;
  enum { ANGLES = 720 };
  AspRandom random = {3};
  int slips = 0;
  for (int i = 0; i < 300; i++) {
    double W[9], b[3], r[3] = {0}, nearest = HUGE_VAL;
    AspLocalContact contact;
    draw_W(&random, 3, W);
    for (int k = 0; k < 3; k++)
      b[k] = asp_random_normal(&random) - (k == 0 ? 1 : 0);
    asp_local_contact_set(&contact, 3, W);
    asp_local_contact_solve(&contact, b, r);
    if (!(r[0] > 0) || hypot(r[1], r[2]) < (1 - 1e-9) * r[0])
      continue;
    slips++;
    double step = 2 * ASP_PI / ANGLES, low[3], high[3], along_low, along_high;
    for (int a = 0; a < ANGLES; a++) {
      double before = slip_towards(W, b, a * step, low, &along_low);
      double after = slip_towards(W, b, (a + 1) * step, high, &along_high);
      if ((before > 0) == (after > 0) || fmin(along_low, along_high) > 0 || !(low[0] > 0) || !(high[0] > 0))
        continue;
      double direction = atan2(r[2], r[1]) - (a + 0.5) * step;
      nearest = fmin(nearest, fabs(remainder(direction, ANGLES * step)));
    }
    assert_at_most(nearest, 0.51 * step);
  }
  assert_true(slips > 50);
}

static void degenerate_matrices_give_an_admissible_reaction(void **state) {
  (void)state;
  static const double matrices[][9] = {
      {0},                           // nothing moves
      {0, 0, 0, 0, 1, 0, 0, 0, 1},   // no normal inertia
      {1, 0, 0, 0, 0, 0, 0, 0, 0},   // no tangential inertia
      {1, 0, 0, 0, -1, 0, 0, 0, 1},  // indefinite
      {-1, 0, 0, 0, 1, 0, 0, 0, 1},  // negative normal
      {1, 1, 1, 1, 1, 1, 1, 1, 1},   // rank one
      {1, -2, 0, -2, 4, 0, 0, 0, 1}, // rank two, strongly coupled
      {1e-300, 0, 0, 0, 1e300, 0, 0, 0, 1},
  };
  AspRandom random = {4};
  for (size_t m = 0; m < sizeof matrices / sizeof *matrices; m++)
    for (int i = 0; i < 200; i++) {
      AspLocalContact contact;
      double b[3], r[3] = {0};
      for (int k = 0; k < 3; k++)
        b[k] = asp_random_uniform(&random, 0, 1) < 0.2 ? 0 : asp_random_normal(&random);
      asp_local_contact_set(&contact, 3, matrices[m]);
      asp_local_contact_solve(&contact, b, r);
      for (int k = 0; k < 3; k++)
        assert_true(isfinite(r[k]));
      assert_true(r[0] >= 0);
      assert_at_most(hypot(r[1], r[2]), r[0] * (1 + 1e-12) + 1e-300);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_random_contact_obeys_its_law_in_space),
      cmocka_unit_test(every_random_contact_obeys_its_law_in_the_plane),
      cmocka_unit_test(slip_is_one_of_the_solutions_of_a_scan_over_directions),
      cmocka_unit_test(degenerate_matrices_give_an_admissible_reaction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
