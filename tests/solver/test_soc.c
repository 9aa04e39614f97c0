/* Second-order cone kernels against their defining equations, on random interior points near and far
 * from the boundary. */
#include "testing.h"

#include "solver/soc.h"

static void draw_inside(AspRandom *random, int size, double *x) {
  double t = 0;
  for (int k = 1; k < size; k++) {
    x[k] = asp_random_normal(random);
    t = hypot(t, x[k]);
  }
  double scale = pow(10, asp_random_uniform(random, -3, 3));
  x[0] = t + pow(10, asp_random_uniform(random, -4, 1));
  for (int k = 0; k < size; k++)
    x[k] *= scale;
}

static void scaling_maps_z_to_r_and_both_to_lambda(void **state) {
  (void)state;
  AspRandom random = {11};
  for (int trial = 0; trial < 3000; trial++) {
    int size = 1 + trial % 3;
    double r[3] = {0}, z[3] = {0}, Theta[9] = {0}, image[3], back[3];
    SocScaling scaling = {0};
    draw_inside(&random, size, r);
    draw_inside(&random, size, z);
    assert_true(soc_scale(size, r, z, &scaling));
    soc_theta(&scaling, size, Theta);
    for (int k = 0; k < size; k++) {
      double sum = 0;
      for (int l = 0; l < size; l++)
        sum += Theta[k + 3 * l] * z[l];
      assert_near(sum, r[k], 1e-6 * r[0]);
    }
    soc_apply(&scaling, size, true, r, image);
    for (int k = 0; k < size; k++)
      assert_near(image[k], scaling.lambda[k], 1e-6 * scaling.lambda[0]);
    soc_apply(&scaling, size, false, image, back);
    for (int k = 0; k < size; k++)
      assert_near(back[k], r[k], 1e-6 * r[0]);
    assert_near(soc_dot(size, scaling.lambda, scaling.lambda), soc_dot(size, r, z), 1e-6 * r[0] * z[0]);
  }
}

static void points_outside_have_no_scaling(void **state) {
  (void)state;
  const double inside[3] = {2, 1, 0}, boundary[3] = {1, 1, 0}, below[3] = {-2, 1, 0}, broken[3] = {NAN, 0, 0};
  SocScaling scaling = {0};
  assert_false(soc_scale(3, inside, boundary, &scaling));
  assert_false(soc_scale(3, below, inside, &scaling));
  assert_false(soc_scale(3, broken, inside, &scaling));
}

static void division_undoes_the_product(void **state) {
  (void)state;
  AspRandom random = {5};
  for (int trial = 0; trial < 1000; trial++) {
    int size = 1 + trial % 3;
    double x[3] = {0}, y[3], product[3];
    draw_inside(&random, size, x);
    for (int k = 0; k < size; k++)
      product[k] = y[k] = asp_random_normal(&random);
    soc_product(size, x, product);
    soc_divide(size, x, product);
    for (int k = 0; k < size; k++)
      assert_near(product[k], y[k], 1e-8 * x[0] * x[0] / soc_det(size, x) * 10);
  }
}

static void longest_step_ends_on_the_boundary(void **state) {
  (void)state;
  AspRandom random = {7};
  int bounded = 0;
  for (int trial = 0; trial < 3000; trial++) {
    int size = 1 + trial % 3;
    double x[3] = {0}, d[3] = {0}, end[3], most = 10;
    draw_inside(&random, size, x);
    for (int k = 0; k < size; k++)
      d[k] = x[0] * asp_random_normal(&random);
    double step = soc_step(size, x, d, most);
    assert_true(step > 0 && step <= most);
    for (int part = 1; part <= 4; part++) { // inside all the way
      for (int k = 0; k < size; k++)
        end[k] = x[k] + 0.25 * part * step * d[k];
      assert_true(soc_smallest(size, end) >= -1e-9 * fabs(end[0]) - 1e-9 * x[0]);
    }
    if (step < most) {
      bounded++;
      assert_near(soc_smallest(size, end), 0, 1e-7 * (fabs(end[0]) + x[0]));
    }
  }
  assert_true(bounded > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scaling_maps_z_to_r_and_both_to_lambda),
      cmocka_unit_test(points_outside_have_no_scaling),
      cmocka_unit_test(division_undoes_the_product),
      cmocka_unit_test(longest_step_ends_on_the_boundary),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
