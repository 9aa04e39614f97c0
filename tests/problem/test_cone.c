/* cone: projections, checked by what defines them and by hand-computed points. */
#include "problem/cone.h"
#include "testing.h"

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < n; k++)
    sum += a[k] * b[k];
  return sum;
}

/* p = P_K(x) exactly when p in K, x - p in the polar cone -K^*, and p is orthogonal to x - p. */
static void cone_projection_splits_every_point_into_cone_and_polar_cone(void **state) {
  (void)state;
  AspRandom random = {11};
  for (int round = 0; round < 20000; round++) {
    int d = 1 + round % 2;
    double mu = round % 7 == 0 ? 0 : exp(asp_random_uniform(&random, -7, 7));
    double x[3], p[3], rest[3];
    for (int k = 0; k <= d; k++)
      x[k] = asp_random_normal(&random);
    asp_cone_project(d, mu, x, p);
    for (int k = 0; k <= d; k++)
      rest[k] = x[k] - p[k];
    double size = 1 + mu;
    assert_true(p[0] >= 0);
    assert_at_most(asp_cone_tangential_norm(d, p) - mu * p[0], 1e-14 * size);
    assert_at_most(rest[0] + mu * asp_cone_tangential_norm(d, rest), 1e-13 * size);
    assert_near(dot(d + 1, p, rest), 0, 1e-13 * size);
  }
}

static void dual_projection_is_what_the_cone_leaves(void **state) {
  (void)state;
  AspRandom random = {12};
  for (int round = 0; round < 2000; round++) {
    double mu = exp(asp_random_uniform(&random, -3, 3)), x[3], p[3];
    for (int k = 0; k < 3; k++)
      x[k] = asp_random_normal(&random);
    asp_cone_project_dual(2, mu, x, p);
    assert_at_most(mu * hypot(p[1], p[2]) - p[0], 1e-13 * (1 + mu)); // in K^*
    double minus[3] = {p[0] - x[0], p[1] - x[1], p[2] - x[2]};       // in K
    assert_at_most(hypot(minus[1], minus[2]) - mu * minus[0], 1e-13 * (1 + mu));
  }
}

static void cone_points_of_known_projection(void **state) {
  (void)state;
  double y[3];
  asp_cone_project(2, 1, (double[]){0, -1, 0}, y); // nearest ray at 45 degrees
  assert_near(y[0], 0.5, 2e-16);
  assert_near(y[1], -0.5, 2e-16);
  asp_cone_project(2, 0.5, (double[]){2, 0.6, 0.8}, y); // on the boundary: stays
  assert_true(y[0] == 2 && y[1] == 0.6 && y[2] == 0.8);
  asp_cone_project(2, 0.5, (double[]){-1, 2, 0}, y); // on the boundary of the polar cone: the tip
  assert_near(y[0], 0, 1e-16);
  assert_near(y[1], 0, 1e-16);
  asp_cone_project(2, 0, (double[]){3, 1, 1}, y);
  assert_true(y[0] == 3 && y[1] == 0 && y[2] == 0);
  asp_cone_project(1, 3, (double[]){1, -4}, y); // plane: onto the ray (1, -3)/sqrt(10), 13/10 of (1, -3)
  assert_near(y[0], 1.3, 1e-15);
  assert_near(y[1], -3.9, 1e-15);
}

static void huge_and_tiny_friction_stay_finite(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    double mu = k == 0 ? 1e300 : 1e-300, y[3];
    asp_cone_project(2, mu, (double[]){-1, 1, 1}, y);
    assert_true(isfinite(y[0]) && isfinite(y[1]) && isfinite(y[2]));
    asp_cone_project(2, mu, (double[]){1e-300, 1e300, 0}, y);
    assert_true(isfinite(y[0]) && isfinite(y[1]) && isfinite(y[2]));
  }
}

static void polygon_points_of_known_projection(void **state) {
  (void)state;
  AspLaw law = {.kind = ASP_LAW_COULOMB, .mu = 1, .cone = ASP_CONE_INSCRIBED, .directions = 4};
  AspPolygon diamond = asp_polygon_of_law(&law); // vertices (+-1, 0), (0, +-1)
  double y[2];
  asp_polygon_project(&diamond, 1, (double[]){1, 1}, y);
  assert_near(y[0], 0.5, 1e-15);
  assert_near(y[1], 0.5, 1e-15);
  asp_polygon_project(&diamond, 2, (double[]){7, 0.5}, y); // beyond the vertex (2, 0)
  assert_near(y[0], 2, 1e-15);
  assert_near(y[1], 0, 1e-15);
  law = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = 1, .cone = ASP_CONE_CIRCUMSCRIBED, .directions = 4};
  AspPolygon square = asp_polygon_of_law(&law); // |t1|, |t2| <= 1
  asp_polygon_project(&square, 1, (double[]){2, 0.5}, y);
  assert_near(y[0], 1, 1e-15);
  assert_near(y[1], 0.5, 1e-15);
  asp_polygon_project(&square, 1, (double[]){-2, 3}, y);
  assert_near(y[0], -1, 1e-15);
  assert_near(y[1], 1, 1e-15);
  law = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = 1, .cone = ASP_CONE_INSCRIBED, .directions = 3};
  AspPolygon triangle = asp_polygon_of_law(&law); // a vertex at (1, 0), the edge opposite at t1 = -1/2
  asp_polygon_project(&triangle, 1, (double[]){-2, 0.1}, y);
  assert_near(y[0], -0.5, 1e-15);
  assert_near(y[1], 0.1, 1e-15);
  assert_near(asp_polygon_excess(&triangle, 1, (double[]){-2, 0.1}), 1.5, 1e-15);
  asp_polygon_project(&triangle, 1, (double[]){0.3, 0.05}, y); // inside: stays, bit by bit
  assert_true(y[0] == 0.3 && y[1] == 0.05);
}

/* p = P(x) exactly when p is in the polygon and (x - p).(v - p) <= 0 for every vertex v. */
static void polygon_projection_satisfies_the_variational_inequality(void **state) {
  (void)state;
  AspRandom random = {13};
  for (int round = 0; round < 5000; round++) {
    AspLaw law = {.kind = ASP_LAW_COULOMB,
                  .cone = round % 2 ? ASP_CONE_INSCRIBED : ASP_CONE_CIRCUMSCRIBED,
                  .directions = round % 2 ? 3 + round % 9 : 4 + 2 * (round % 5),
                  .angle = asp_random_uniform(&random, -10, 10)};
    double scale = round % 11 == 0 ? 0 : asp_random_uniform(&random, 0, 2);
    // vertices from the definition, not from AspPolygon
    double turn = 2 * ASP_PI / law.directions;
    double radius = law.cone == ASP_CONE_INSCRIBED ? scale : scale / cos(turn / 2);
    double first = law.cone == ASP_CONE_INSCRIBED ? law.angle : law.angle + turn / 2;
    AspPolygon polygon = asp_polygon_of_law(&law);
    double x[2] = {2 * asp_random_normal(&random), 2 * asp_random_normal(&random)}, p[2];
    asp_polygon_project(&polygon, scale, x, p);
    for (int j = 0; j < law.directions; j++) {
      double v[2] = {radius * cos(first + turn * j), radius * sin(first + turn * j)};
      double next[2] = {radius * cos(first + turn * (j + 1)), radius * sin(first + turn * (j + 1))};
      double cross = (next[0] - v[0]) * (p[1] - v[1]) - (next[1] - v[1]) * (p[0] - v[0]);
      assert_at_most(-cross, 1e-13); // left of every edge
      assert_at_most((x[0] - p[0]) * (v[0] - p[0]) + (x[1] - p[1]) * (v[1] - p[1]), 1e-12);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cone_projection_splits_every_point_into_cone_and_polar_cone),
      cmocka_unit_test(dual_projection_is_what_the_cone_leaves),
      cmocka_unit_test(cone_points_of_known_projection),
      cmocka_unit_test(huge_and_tiny_friction_stay_finite),
      cmocka_unit_test(polygon_points_of_known_projection),
      cmocka_unit_test(polygon_projection_satisfies_the_variational_inequality),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
