/* Tables: interpolation, derivatives and integrals against closed forms; ends; smoothness asked of motions. */
#include "asperity/model.h"
#include "base/constants.h"
#include "shared_context.h"

#define POINTS 41

static AspModel *model;

static int open_model(void **state) {
  open_context(state);
  assert_ok(context, asp_model_create(context, 3, &model));
  return 0;
}

static int close_model(void **state) {
  asp_model_destroy(model);
  return close_context(state);
}

static const AspTable *add(const char *name, int count, const double *x, const double *y,
                           AspTableInterpolation interpolation, AspTableOutside outside, int integrate) {
  AspTableDef def = asp_table_default();
  int table = -1;
  def.name = name;
  def.count = count;
  def.x = x;
  def.y = y;
  def.interpolation = interpolation;
  def.outside = outside;
  def.integrate = integrate;
  assert_ok(context, asp_model_add_table(model, &def, &table));
  assert_int_equal(asp_model_find_table(model, name), table);
  return asp_model_table(model, table);
}

static AspJet at(const AspTable *table, double x) { return asp_table_at(table, (AspJet){x, 1, 0}); }

/* Points on [0, 4], evenly spaced or not. */
static void places(double *x, bool even) {
  for (int i = 0; i < POINTS; i++)
    x[i] = 4 * (even ? i / (POINTS - 1.0) : pow(i / (POINTS - 1.0), 1.5));
}

static void assert_jet(AspJet found, AspJet expected, double tolerance) {
  assert_near(found.value, expected.value, tolerance);
  assert_near(found.rate, expected.rate, tolerance);
  assert_near(found.acceleration, expected.acceleration, tolerance);
}

static void a_spline_repeats_the_cubic_that_its_ends_allow(void **state) {
  (void)state;
  double x[POINTS], line_y[POINTS], clamped[POINTS];
  for (int even = 0; even < 2; even++) {
    places(x, even);
    for (int i = 0; i < POINTS; i++) {
      line_y[i] = 3 - 2 * x[i];
      clamped[i] = x[i] * x[i] * (3 * 4 - 2 * x[i]); // slope 6 x (4 - x): 0 at both ends
    }
    const AspTable *line = add(even ? "l1" : "l0", POINTS, x, line_y, ASP_TABLE_CUBIC, ASP_TABLE_EXTEND, 0);
    const AspTable *cubic = add(even ? "c1" : "c0", POINTS, x, clamped, ASP_TABLE_CUBIC, ASP_TABLE_HOLD, 0);
    for (double s = -0.5; s < 4.6; s += 0.0371) {
      assert_jet(at(line, s), (AspJet){3 - 2 * s, -2, 0}, 1e-12);
      double u = fmin(fmax(s, 0), 4);
      AspJet inside = {u * u * (12 - 2 * u), u == s ? 6 * u * (4 - u) : 0, u == s ? 24 - 12 * u : 0};
      assert_jet(at(cubic, s), inside, 1e-10);
    }
  }
}

static void splines_of_a_sine_converge_with_its_derivatives(void **state) {
  (void)state;
  static const AspTableOutside ends[] = {ASP_TABLE_REPEAT, ASP_TABLE_EXTEND};
  for (int kind = 0; kind < 2; kind++) {
    double error[2][3] = {{0}};
    for (int fine = 0; fine < 2; fine++) {
      int count = fine ? 81 : 41;
      double x[81], y[81];
      char name[32];
      for (int i = 0; i < count; i++) {
        x[i] = 2 * ASP_PI * i / (count - 1);
        y[i] = sin(x[i]); // no curvature at its ends: line_y
      }
      snprintf(name, sizeof name, "sine%d%d", kind, fine);
      const AspTable *table = add(name, count, x, y, ASP_TABLE_CUBIC, ends[kind], 0);
      double from = kind ? 0 : -7, to = kind ? 2 * ASP_PI : 20;
      for (double s = from; s < to; s += 0.01) {
        AspJet f = at(table, s);
        error[fine][0] = fmax(error[fine][0], fabs(f.value - sin(s)));
        error[fine][1] = fmax(error[fine][1], fabs(f.rate - cos(s)));
        error[fine][2] = fmax(error[fine][2], fabs(f.acceleration + sin(s)));
      }
    }
    assert_true(error[0][0] / error[1][0] > 14 && error[1][0] < 2e-7); // order 4
    assert_true(error[0][1] / error[1][1] > 7);                        // 3
    assert_true(error[0][2] / error[1][2] > 3.6);                      // 2
  }
}

static void the_argument_may_be_any_function_of_time(void **state) {
  (void)state;
  double x[POINTS], y[POINTS];
  places(x, false);
  for (int i = 0; i < POINTS; i++)
    y[i] = x[i] * x[i] * (12 - 2 * x[i]);
  add("cam", POINTS, x, y, ASP_TABLE_CUBIC, ASP_TABLE_HOLD, 0);
  AspVariables variables = asp_model_variables(model);
  AspExpression *expression = NULL;
  assert_ok(context,
            asp_expression_parse_with(context, "2*table(cam, 2 + sin(t)) - table('cam', t)", &variables, &expression));
  for (double t = 0.1; t < 3; t += 0.3) {
    double u = 2 + sin(t), du = cos(t), ddu = -sin(t);
    double f = u * u * (12 - 2 * u), df = 6 * u * (4 - u), ddf = 24 - 12 * u;
    AspJet expected = {2 * f - t * t * (12 - 2 * t), 2 * df * du - 6 * t * (4 - t),
                       2 * (ddf * du * du + df * ddu) - (24 - 12 * t)};
    assert_jet(asp_expression_evaluate(expression, t), expected, 1e-10);
  }
  asp_expression_destroy(context, expression);
}

/* A saw of 10^5 points integrated twice: the integral of a linear interpolant by exact formulas in whole numbers. */
static void integrals_are_those_of_the_interpolant(void **state) {
  (void)state;
  int count = 100001;
  double *x = malloc(2 * (size_t)count * sizeof *x), *y = x + count, h = 0.01;
  assert_non_null(x);
  for (int i = 0; i < count; i++) {
    x[i] = i * h;
    y[i] = i % 2 ? 1 : -1;
  }
  const AspTable *table = add("saw", count, x, y, ASP_TABLE_LINEAR, ASP_TABLE_ZERO, 2);
  // from -1 to 1 the velocity returns to 0 and the displacement falls by h^2/6, then it comes back
  for (int i = 0; i + 1 < count; i += 5003) {
    AspJet f = at(table, x[i]);
    assert_near(f.rate, 0, 1e-12);
    assert_near(f.value, i % 2 ? -h * h / 6 : 0, 1e-11);
    assert_near(f.acceleration, y[i], 1e-9);
  }
  // constant acceleration: the parabola, to rounding, after 10^5 sums
  for (int i = 0; i < count; i++)
    y[i] = 0.1;
  table = add("even", count, x, y, ASP_TABLE_LINEAR, ASP_TABLE_ZERO, 2);
  AspJet end = at(table, x[count - 1]);
  assert_near(end.rate, 0.1 * x[count - 1], 1e-12 * end.rate);
  assert_near(end.value, 0.05 * x[count - 1] * x[count - 1], 1e-12 * end.value);
  AspJet beyond = at(table, x[count - 1] + 10); // no more acceleration
  assert_near(beyond.value, end.value + 10 * end.rate, 1e-9);
  assert_true(beyond.acceleration == 0);
  free(x);
}

static void integrals_of_what_repeats_go_on_growing(void **state) {
  (void)state;
  static const double x[] = {1, 2, 4}, y[] = {1, 3, 1}; // mean 2 over a period of 3
  const AspTable *once = add("once", 3, x, y, ASP_TABLE_LINEAR, ASP_TABLE_REPEAT, 1);
  const AspTable *twice = add("twice", 3, x, y, ASP_TABLE_LINEAR, ASP_TABLE_REPEAT, 2);
  const AspTable *plain = add("plain", 3, x, y, ASP_TABLE_LINEAR, ASP_TABLE_REPEAT, 0);
  // against sums over fine trapezoids
  double f = 0, g = 0, h = 1e-4;
  for (int i = 0; i < 120000; i++) {
    double s = 1 + i * h, a = at(plain, s).value, b = at(plain, s + h).value;
    if (i % 7001 == 0) {
      assert_near(at(once, s).value, f, 1e-6);
      assert_near(at(twice, s).value, g, 1e-5);
      assert_near(at(twice, s).rate, f, 1e-6);
      assert_near(at(twice, s).acceleration, a, 1e-12);
    }
    g += h * f + h * h * (2 * a + b) / 6;
    f += h * (a + b) / 2;
  }
}

static void kinks_have_the_derivatives_of_the_future(void **state) {
  (void)state;
  static const double x[] = {0, 1, 3}, y[] = {0, 2, 0};
  const AspTable *hold = add("hold", 3, x, y, ASP_TABLE_LINEAR, ASP_TABLE_HOLD, 0);
  const AspTable *again = add("again", 3, x, y, ASP_TABLE_LINEAR, ASP_TABLE_REPEAT, 0);
  for (double back = -1; back < 2; back += 2) {
    assert_true(asp_table_at(hold, (AspJet){1, back, 0}).rate == (back > 0 ? -1 : -2));
    assert_true(asp_table_at(again, (AspJet){4, back, 0}).rate == (back > 0 ? -1 : -2));
    assert_true(asp_table_at(hold, (AspJet){0, back, 0}).rate == (back > 0 ? 2 : 0));
    assert_true(asp_table_at(again, (AspJet){0, back, 0}).rate == (back > 0 ? 2 : 1));
    assert_true(asp_table_at(again, (AspJet){-3, back, 0}).rate == (back > 0 ? 2 : 1));
  }
  assert_true(isnan(at(hold, NAN).value) && isnan(at(hold, INFINITY).value));
  assert_true(at(hold, 1e300).value == 0 && at(hold, -1e300).value == 0);
}

static void what_is_no_table_is_refused_with_the_remedy(void **state) {
  (void)state;
  static const double up[] = {0, 1, 2, 3}, same[] = {0, 1, 1, 2}, down[] = {0, 2, 1, 3}, nan_at[] = {0, 1, NAN, 3};
  static const double huge[] = {-1e308, 1e308, -1e308, 1e308};
  static const struct {
    const double *x, *y;
    int count, cubic, outside, integrate;
    const char *message;
  } cases[] = {
      {up, up, 1, 0, 0, 0, "1 points; a table has 2 to"},
      {up, up, 3, 1, ASP_TABLE_REPEAT, 0, "3 points; a table that is cubic and repeats has 4 to"},
      {same, up, 4, 0, 0, 0, "point 3 is at 1, point 2 before it at 1; points must ascend"},
      {down, up, 4, 0, 0, 0, "point 3 is at 1, point 2 before it at 2"},
      {up, nan_at, 4, 0, 0, 0, "point 3 is (2, nan); both must be finite"},
      {up, up, 4, 0, ASP_TABLE_REPEAT, 0, "it repeats, but begins with 0 and ends with 3"},
      {up, huge, 4, 1, 0, 0, "its numbers are too large"},
      {up, up, 4, 0, 0, 3, "integrate 3 is not one there is"},
      {NULL, up, 4, 0, 0, 0, "x or y is NULL"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    AspTableDef def = asp_table_default();
    int table;
    def.name = "wrong";
    def.x = cases[i].x;
    def.y = cases[i].y;
    def.count = cases[i].count;
    def.interpolation = cases[i].cubic ? ASP_TABLE_CUBIC : ASP_TABLE_LINEAR;
    def.outside = (AspTableOutside)cases[i].outside;
    def.integrate = cases[i].integrate;
    assert_true(asp_model_add_table(model, &def, &table) != ASP_OK);
    if (!strstr(asp_context_message(context), cases[i].message))
      fail_msg("%s", asp_context_message(context));
  }
  AspTableDef def = {.name = "no cookie", .count = 2, .x = up, .y = up};
  assert_int_equal(asp_model_add_table(model, &def, &(int){0}), ASP_ERROR_ARGUMENT);
}

static void a_motion_takes_no_table_with_jumps_of_velocity(void **state) {
  (void)state;
  static const double x[] = {0, 1, 2, 3}, y[] = {0, 1, 0, 0}, end[] = {0, 1, 0, 1};
  static const struct {
    const double *y;
    int cubic, outside, integrate;
    const char *message; /* NULL: taken */
  } cases[] = {
      {y, 0, ASP_TABLE_HOLD, 0, "is linear: its slope jumps at its points"},
      {y, 0, ASP_TABLE_ZERO, 1, NULL},
      {end, 0, ASP_TABLE_ZERO, 1, "jumps to zero at its ends"},
      {end, 0, ASP_TABLE_HOLD, 1, NULL},
      {end, 0, ASP_TABLE_ZERO, 2, NULL},
      {y, 1, ASP_TABLE_HOLD, 0, NULL},
      {y, 1, ASP_TABLE_ZERO, 0, NULL},
      {end, 1, ASP_TABLE_ZERO, 0, "jumps to zero at its ends"},
      {y, 1, ASP_TABLE_EXTEND, 0, NULL},
      {y, 1, ASP_TABLE_REPEAT, 0, NULL},
      {y, 0, ASP_TABLE_REPEAT, 0, "is linear"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char name[32], text[64];
    int body;
    snprintf(name, sizeof name, "t%d", (int)i);
    add(name, 4, x, cases[i].y, cases[i].cubic ? ASP_TABLE_CUBIC : ASP_TABLE_LINEAR, (AspTableOutside)cases[i].outside,
        cases[i].integrate);
    snprintf(text, sizeof text, "0.1 + table(t%d, t)", (int)i);
    AspBodyDef def = asp_body_default();
    def.kind = ASP_BODY_KINEMATIC;
    def.position_expression[0] = text;
    AspError error = asp_model_add_body(model, &def, &body);
    assert_int_equal(error, cases[i].message ? ASP_ERROR_INPUT : ASP_OK);
    if (cases[i].message && !strstr(asp_context_message(context), cases[i].message))
      fail_msg("%s", asp_context_message(context));
  }
}

static void expressions_name_tables_that_there_are(void **state) {
  (void)state;
  static const double x[] = {0, 1}, y[] = {0, 1};
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"table(nose, t)", "column 7: there is no table 'nose'"},
      {"table('a b.csv', t)", "column 7: there is no table 'a b.csv'"},
      {"table(up)", "column 9: expected ',' and the argument of the table, found ')'"},
      {"table(, t)", "column 7: expected the name of a table"},
      {"table('up, t)", "column 7: expected the name of a table"},
      {"table(up, t, 2)", "column 12: expected an operator or ')' (table takes 1 argument)"},
      {"table up", "column 7: expected '(' after table"},
  };
  add("up", 2, x, y, ASP_TABLE_LINEAR, ASP_TABLE_HOLD, 0);
  AspVariables variables = asp_model_variables(model);
  AspExpression *expression;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(asp_expression_parse_with(context, cases[i].text, &variables, &expression), ASP_ERROR_INPUT);
    if (!strstr(asp_context_message(context), cases[i].message))
      fail_msg("%s", asp_context_message(context));
  }
  assert_int_equal(asp_expression_parse(context, "table(up, t)", &expression), ASP_ERROR_INPUT);
  assert_true(asp_expression_knows("table"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_model, close_model)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_spline_repeats_the_cubic_that_its_ends_allow), TEST(splines_of_a_sine_converge_with_its_derivatives),
      TEST(the_argument_may_be_any_function_of_time),       TEST(integrals_are_those_of_the_interpolant),
      TEST(integrals_of_what_repeats_go_on_growing),        TEST(kinks_have_the_derivatives_of_the_future),
      TEST(what_is_no_table_is_refused_with_the_remedy),    TEST(a_motion_takes_no_table_with_jumps_of_velocity),
      TEST(expressions_name_tables_that_there_are)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
