/* The planar beam against closed forms: eigenfrequencies, elastica, roll-up; no membrane locking. */
#include "base/constants.h"
#include "flex/spline.h"
#include "flex_testing.h"

static const int clamped[] = {0, 1, 3}; /* c_0, and c_1 across the axis */

static AspVec3 tip(const AspFlex *flex, const double *q) {
  double v[DOFS_MAX] = {0};
  AspFlexSection end;
  asp_flex_section(flex, asp_flex_def(flex)->length, q, v, &end);
  return end.pose.position;
}

/* Cantilever of length 1, EI = rho A = 1: w_1 = 3.516015268500151, w_2 = 22.034491564666773 exactly; four cubic
 * elements give them times 1.0000350292 and 1.0017630429 (computed independently of this code). */
static void four_cubic_elements_have_the_known_eigenfrequencies(void **state) {
  (void)state;
  AspFlexDef def = unit_beam(4, 1e6);
  AspFlex *flex = make_flex(&def, false);
  int n = asp_flex_dofs(flex), kept[32], count = 0;
  double q[32], v[32] = {0}, K[32 * 32], C[32 * 32], M[32 * 32], A[32 * 32], value[32];
  place_at_rest(flex, q, v);
  dense_tangent(flex, q, v, K, C);
  dense_mass(flex, q, M);
  for (int i = 5; i < n; i += 2) // motion across the axis, clamped
    kept[count++] = i;
  // K^-1 M has the eigenvalues 1/w^2; symmetric by the factor of K: L^-1 M L^-T
  for (int j = 0; j < count; j++)
    for (int i = 0; i < count; i++) {
      A[j * count + i] = K[kept[j] * n + kept[i]];
      C[j * count + i] = M[kept[j] * n + kept[i]];
    }
  assert_int_equal(asp_dense_cholesky(count, A, count), -1);
  for (int side = 0; side < 2; side++) {
    for (int j = 0; j < count; j++)
      for (int i = 0; i < count; i++) {
        double sum = C[j * count + i];
        for (int k = 0; k < i; k++)
          sum -= A[k * count + i] * C[j * count + k];
        C[j * count + i] = sum / A[i * count + i];
      }
    for (int j = 0; j < count; j++)
      for (int i = 0; i < j; i++) {
        double swap = C[j * count + i];
        C[j * count + i] = C[i * count + j];
        C[i * count + j] = swap;
      }
  }
  AspArena arena;
  asp_arena_init(&arena, context);
  assert_ok(context, asp_dense_symmetric_eigenvalues(&arena, count, C, value));
  assert_near(1 / sqrt(value[count - 1]) / 3.516015268500151, 1.0000350292, 1e-8);
  assert_near(1 / sqrt(value[count - 2]) / 22.034491564666773, 1.0017630429, 1e-8);
  asp_arena_free(&arena);
  asp_flex_destroy(context, flex);
}

/* Tip of the extensible elastica under a dead load P across: EI f'' = -P cos f (1 + P sin f/EA), f(0) = 0, f'(L) = 0,
 * by shooting with the classical Runge-Kutta rule; nothing of the code under test. */
static AspVec3 elastica(double P, double axial) {
  double low = 0, high = 2 * P;
  AspVec3 end = {0, 0, 0};
  for (int round = 0; round < 80; round++) {
    double y[4] = {0, 0.5 * (low + high), 0, 0}; // f, f', x, y
    int steps = 2000;
    for (int k = 0; k < steps; k++) {
      double h = 1.0 / steps, rate[4][4], at[4];
      static const double ahead[] = {0, 0.5, 0.5, 1}, share[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
      for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < 4; i++)
          at[i] = y[i] + (stage ? ahead[stage] * h * rate[stage - 1][i] : 0);
        double stretch = 1 + P * sin(at[0]) / axial;
        rate[stage][0] = at[1];
        rate[stage][1] = -P * cos(at[0]) * stretch;
        rate[stage][2] = stretch * cos(at[0]);
        rate[stage][3] = stretch * sin(at[0]);
      }
      for (int i = 0; i < 4; i++)
        for (int stage = 0; stage < 4; stage++)
          y[i] += h * share[stage] * rate[stage][i];
    }
    *(y[1] > 0 ? &high : &low) = 0.5 * (low + high);
    end = vec3(y[2], y[3], 0);
  }
  return end;
}

static void elastica_is_met_without_locking_and_the_error_falls(void **state) {
  (void)state;
  AspVec3 rigid = elastica(1, 1e300);
  assert_near(rigid.x, 0.9435667637166218, 1e-9);
  assert_near(rigid.y, 0.3017207737998136, 1e-9);
  for (double axial = 1e4; axial < 2e8; axial *= 100) {
    AspVec3 exact = elastica(1, axial);
    double before = INFINITY, stretched = norm3(sub3(exact, rigid));
    for (int elements = 2; elements <= 8; elements *= 2) {
      AspFlexDef def = unit_beam(elements, axial);
      AspFlex *flex = make_flex(&def, false);
      double q[64], v[64];
      place_at_rest(flex, q, v);
      solve_static(flex, false, clamped, 3, (EndLoad){vec3(0, 1, 0), vec3(0, 0, 0)}, 4, q);
      AspVec3 end = tip(flex, q);
      assert_near(end.y, 0.301721, 0.01 * 0.301721);
      double error = norm3(sub3(end, exact)), apart = norm3(sub3(end, rigid));
      print_message("EA L^2/EI = %g, %d elements: off by %.2g, from the inextensible tip by %.2g (exact: %.2g); y off "
                    "0.301721 by %.2g\n",
                    axial, elements, error, apart, stretched, end.y - 0.301721);
      assert_near(apart, stretched, error);
      assert_true(axial > 1e4 || stretched > 3 * error); // stretching moves the exact tip itself, farther than that
      assert_at_most(error, 0.25 * before);
      assert_at_most(error, 2e-5);
      before = error;
      asp_flex_destroy(context, flex);
    }
  }
}

/* Elements with plain strain lock, and by how much depends on the rule: tips under P L^2/EI = 1, computed independently
 * of this code for cubic elements. */
static void plain_strain_locks_as_such_elements_do(void **state) {
  (void)state;
  static const struct {
    double axial;
    int elements, gauss;
    double x, y;
  } known[] = {{53333.333333333336, 2, 2, 0.9438717614756941, 0.3007905332127238},
               {53333.333333333336, 4, 3, 0.9438491484888217, 0.300878327621963},
               {53333.333333333336, 8, 4, 0.943579110832393, 0.30169835281477875},
               {1e6, 2, 3, 0.9632945108659864, 0.23700269709544192},
               {1e6, 4, 2, 0.946767670133238, 0.2933786848901195},
               {1e6, 4, 0, 0.9486131592809711, 0.2857383116904893},
               {1e6, 8, 2, 0.9437902527533624, 0.3010438219901885}};
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
    AspFlexDef def = unit_beam(known[k].elements, known[k].axial);
    def.gauss = known[k].gauss;
    def.plain = true;
    AspFlex *flex = make_flex(&def, false);
    double q[64], v[64];
    place_at_rest(flex, q, v);
    solve_static(flex, false, clamped, 3, (EndLoad){vec3(0, 1, 0), vec3(0, 0, 0)}, 4, q);
    AspVec3 end = tip(flex, q);
    assert_near(end.x, known[k].x, 1e-6);
    assert_near(end.y, known[k].y, 1e-6);
    asp_flex_destroy(context, flex);
  }
}

static void inextensible_beam_is_the_limit(void **state) {
  (void)state;
  // EA = 1e8 through the force, against the conditions on the length that an inextensible beam would have to meet
  AspFlexDef def = unit_beam(4, 1e8), rigid = unit_beam(4, 0);
  rigid.inextensible = true;
  AspFlex *flex = make_flex(&def, false), *limit = make_flex(&rigid, false);
  double q[64], v[64] = {0};
  place_at_rest(flex, q, v);
  solve_static(flex, false, clamped, 3, (EndLoad){vec3(0, 1, 0), vec3(0, 0, 0)}, 4, q);
  assert_int_equal(asp_flex_row_count(limit), 6);
  assert_int_equal(asp_flex_row_count(flex), 0);
  for (int row = 0; row < 6; row++) {
    AspFlexRow condition;
    asp_flex_row(limit, row, q, v, &condition);
    assert_at_most(fabs(condition.value), 1e-8); // strains of the order P/EA over an element
  }
  asp_flex_destroy(context, flex);
  asp_flex_destroy(context, limit);
}

static void end_moment_rolls_the_beam_up_to_a_circle(void **state) {
  (void)state;
  static const double part[] = {0.25, 0.5, 1};
  static const double exact[][2] = {{0.6366197723675814, 0.6366197723675813}, {0, 0.6366197723675814}, {0, 0}};
  AspFlexDef def = unit_beam(16, 1e6);
  for (int k = 0; k < 3; k++) {
    AspFlex *flex = make_flex(&def, false);
    double q[64], v[64];
    place_at_rest(flex, q, v);
    solve_static(flex, false, clamped, 3, (EndLoad){vec3(0, 0, 0), vec3(0, 0, 2 * ASP_PI * part[k])}, 20, q);
    AspVec3 end = tip(flex, q);
    assert_near(end.x, exact[k][0], 1e-3);
    assert_near(end.y, exact[k][1], 1e-3);
    asp_flex_destroy(context, flex);
  }
}

/* Any degree: a straight beam under its own weight, small deflection q L^4/(8 EI), is met by quartics exactly. */
static void every_degree_carries_a_cantilever(void **state) {
  (void)state;
  for (int degree = 2; degree <= ASP_FLEX_DEGREE_MAX; degree++) {
    AspFlexDef def = unit_beam(degree == 2 ? 16 : 3, 1e6);
    def.degree = degree;
    AspFlex *flex = make_flex(&def, false);
    double q[128], v[128] = {0}, h[128] = {0}, K[128 * 128], C[128 * 128];
    int n = asp_flex_dofs(flex), pivot[128];
    place_at_rest(flex, q, v);
    asp_flex_add_load(flex, q, v, vec3(0, -1e-6, 0), h);
    dense_tangent(flex, q, v, K, C);
    for (int k = 0; k < 3; k++) {
      for (int i = 0; i < n; i++)
        K[clamped[k] * n + i] = K[i * n + clamped[k]] = i == clamped[k];
      h[clamped[k]] = 0;
    }
    assert_int_equal(asp_dense_lu(n, K, n, pivot), -1);
    asp_dense_lu_solve(n, K, n, pivot, 1, h, n);
    // c_2 of quadratics is bent by the clamp's discrete slope: first order there, exact from degree 4 on
    assert_near(h[n - 1], -1e-6 / 8, degree == 2 ? 2e-9 : degree == 3 ? 1e-9 : 1e-15);
    asp_flex_destroy(context, flex);
  }
}

static void gauss_rules_integrate_polynomials(void **state) {
  (void)state;
  for (int n = 1; n <= ASP_FLEX_DEGREE_MAX + 1; n++) {
    double node[ASP_FLEX_DEGREE_MAX + 1], weight[ASP_FLEX_DEGREE_MAX + 1];
    asp_gauss_rule(n, node, weight);
    for (int power = 0; power < 2 * n; power++) {
      double sum = 0;
      for (int i = 0; i < n; i++)
        sum += weight[i] * pow(node[i], power);
      assert_near(sum, power % 2 ? 0 : 2.0 / (power + 1), 1e-14);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(four_cubic_elements_have_the_known_eigenfrequencies),
      cmocka_unit_test(elastica_is_met_without_locking_and_the_error_falls),
      cmocka_unit_test(plain_strain_locks_as_such_elements_do),
      cmocka_unit_test(inextensible_beam_is_the_limit),
      cmocka_unit_test(end_moment_rolls_the_beam_up_to_a_circle),
      cmocka_unit_test(every_degree_carries_a_cantilever),
      cmocka_unit_test(gauss_rules_integrate_polynomials),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
