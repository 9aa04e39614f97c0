/* Expressions: values and exact derivatives against closed forms and against differences, and what is refused with
 * which column. */
#include "asperity/model.h"
#include "base/constants.h"
#include "shared_context.h"

#include <locale.h>

#define E 2.71828182845904523536

static AspJet jet_of(const char *text, double t) {
  AspExpression *expression;
  assert_ok(context, asp_expression_parse(context, text, &expression));
  AspJet jet = asp_expression_evaluate(expression, t);
  asp_expression_destroy(context, expression);
  return jet;
}

static void values_follow_the_rules_of_arithmetic(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value; /* at t = 2 */
  } cases[] = {{"1 + 2*3", 7},
               {"(1 + 2)*3", 9},
               {"2^3^2", 512},
               {"-2^2", -4},
               {"(-2)^2", 4},
               {"2^-1", 0.5},
               {"10 - 4 - 3", 3},
               {"24/4/2", 3},
               {"- -t", 2},
               {"+t - -t", 4},
               {"1.5e3", 1500},
               {"1.25E-2", 0.0125},
               {".5 + 5.", 5.5},
               {"0.1", 0.1},
               {"123456789012345678901234567890", 123456789012345678901234567890.0},
               {"4.9406564584124654e-324", 4.9406564584124654e-324},
               {"1e-400", 0},
               {"pi", ASP_PI},
               {"e", E},
               {" \t2 *\n t ", 4},
               {"min(t, 1) + max(t, 3)", 4},
               {"pow(t, 3)", 8},
               {"sign(-t) + sign(0)", -1},
               {"step(t, 2) + step(t, 2.1)", 1},
               {"smoothstep(t, 1, 5)", 0.15625},
               {"smoothstep(t, 0, 1) + smoothstep(t, 3, 4)", 1},
               {"clamp(t, 0, 1) + clamp(t, 3, 4) + clamp(t, 0, 9)", 6},
               {"if(t - 2, 5, 6) + if(1 - t, 10, 20)", 25},
               {"atan2(1, -1)", 0.75 * ASP_PI},
               {"abs(-t)", 2}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    if (jet_of(cases[i].text, 2).value != cases[i].value)
      fail_msg("%s = %.17g, expected %.17g", cases[i].text, jet_of(cases[i].text, 2).value, cases[i].value);
}

static void derivatives_equal_closed_forms(void **state) {
  (void)state;
  for (double t = 0.1; t < 0.9; t += 0.16) {
    double s = sin(t), c = cos(t);
    const struct {
      const char *text;
      double value, rate, acceleration;
    } cases[] = {
        {"t^3", t * t * t, 3 * t * t, 6 * t},
        {"1/t", 1 / t, -1 / (t * t), 2 / (t * t * t)},
        {"sin(2*t)", sin(2 * t), 2 * cos(2 * t), -4 * sin(2 * t)},
        {"sin(t)*cos(t)", s * c, c * c - s * s, -4 * s * c},
        {"tan(t)", s / c, 1 / (c * c), 2 * s / (c * c * c)},
        {"asin(t) + acos(t)", 0.5 * ASP_PI, 0, 0},
        {"asin(t)", asin(t), 1 / sqrt(1 - t * t), t / pow(1 - t * t, 1.5)},
        {"atan(t)", atan(t), 1 / (1 + t * t), -2 * t / pow(1 + t * t, 2)},
        {"atan2(sin(3*t), cos(3*t))", 3 * t, 3, 0},
        {"atan2(1e200*t, 1e200)", atan(t), 1 / (1 + t * t), -2 * t / pow(1 + t * t, 2)},
        {"cosh(t)^2 - sinh(t)^2", 1, 0, 0},
        {"tanh(t)", tanh(t), 1 / pow(cosh(t), 2), -2 * tanh(t) / pow(cosh(t), 2)},
        {"exp(-t^2)", exp(-t * t), -2 * t * exp(-t * t), (4 * t * t - 2) * exp(-t * t)},
        {"log(t)", log(t), 1 / t, -1 / (t * t)},
        {"sqrt(t)", sqrt(t), 0.5 / sqrt(t), -0.25 / (t * sqrt(t))},
        {"t^t", pow(t, t), pow(t, t) * (log(t) + 1), pow(t, t) * (pow(log(t) + 1, 2) + 1 / t)},
        {"2^t", pow(2, t), log(2) * pow(2, t), log(2) * log(2) * pow(2, t)},
        {"(-t)^3", -t * t * t, -3 * t * t, -6 * t},
        {"abs(t - 2)", 2 - t, -1, 0},
        {"min(t^2, t)", t * t, 2 * t, 2},
        {"smoothstep(t, 0, 1)", t * t * (3 - 2 * t), 6 * t * (1 - t), 6 - 12 * t},
        {"pi/3 - pi/30*(1 - cos(4*pi*t))", ASP_PI / 3 - ASP_PI / 30 * (1 - cos(4 * ASP_PI * t)),
         -ASP_PI / 30 * 4 * ASP_PI * sin(4 * ASP_PI * t), -ASP_PI / 30 * 16 * ASP_PI * ASP_PI * cos(4 * ASP_PI * t)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      AspJet jet = jet_of(cases[i].text, t);
      assert_near(jet.value, cases[i].value, 1e-14 * fmax(1, fabs(cases[i].value)));
      assert_near(jet.rate, cases[i].rate, 1e-13 * fmax(1, fabs(cases[i].rate)));
      assert_near(jet.acceleration, cases[i].acceleration, 1e-13 * fmax(10, fabs(cases[i].acceleration)));
    }
  }
}

static void derivatives_agree_with_differences(void **state) {
  (void)state;
  static const char *const texts[] = {"exp(sin(2*t))*atan2(t, 1 + t^2)/(2 + cos(t))", "(1 + t^2)^(0.5 + sin(t))",
                                      "sqrt(1 + tanh(t)^2)*log(3 + t) - acos(t/3)",
                                      "smoothstep(t^2, 0.1, 3)*sinh(t) + clamp(t, -9, 9)^3",
                                      "if(t - 0.3, cosh(t), t^5) + max(sin(t), -3)*tan(t/2)"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    for (double t = 0.4; t < 1.6; t += 0.21) {
      const double h = 1e-3;
      double f[5];
      for (int k = 0; k < 5; k++)
        f[k] = jet_of(texts[i], t + (k - 2) * h).value;
      AspJet jet = jet_of(texts[i], t);
      assert_near(jet.rate, (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h), 1e-9);
      assert_near(jet.acceleration, (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / (12 * h * h), 1e-7);
    }
}

static void kinks_have_the_derivatives_of_the_future(void **state) {
  (void)state;
  static const struct {
    const char *text; /* at t = 1 */
    AspJet jet;
  } cases[] = {{"abs(t - 1)", {0, 1, 0}},          {"abs(1 - t)", {0, 1, 0}},        {"max(t, t^2)", {1, 2, 2}},
               {"min(t, t^2)", {1, 1, 0}},         {"max(t^2, 2*t - 1)", {1, 2, 2}}, {"clamp(t, 1, 3)", {1, 1, 0}},
               {"clamp(t, 0, 1)", {1, 0, 0}},      {"step(t, 1)*t", {1, 1, 0}},      {"smoothstep(t, 1, 2)", {0, 0, 6}},
               {"smoothstep(t, 0, 1)", {1, 0, 0}}, {"if(t - 1, t^2, 0)", {1, 2, 2}}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    AspJet jet = jet_of(cases[i].text, 1);
    if (jet.value != cases[i].jet.value || jet.rate != cases[i].jet.rate ||
        jet.acceleration != cases[i].jet.acceleration)
      fail_msg("%s: (%g, %g, %g)", cases[i].text, jet.value, jet.rate, jet.acceleration);
  }
}

static void constants_inside_singular_functions_do_not_move(void **state) {
  (void)state;
  static const char *const texts[] = {"sqrt(0)*t", "asin(1) + acos(-1)", "0^0.5", "t^0", "t^1", "abs(0)"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    AspJet jet = jet_of(texts[i], 0);
    assert_true(isfinite(jet.value) && isfinite(jet.rate) && jet.acceleration == 0);
  }
  AspJet square = jet_of("t^2", 0);
  assert_true(square.value == 0 && square.rate == 0 && square.acceleration == 2);
}

static void leaving_a_domain_gives_nan(void **state) {
  (void)state;
  static const char *const texts[] = {
      "sqrt(t)",          "log(t)",       "log(t + 1)",       "asin(t - 1)",     "(t)^0.5",
      "0/(t+1)",          "t^(t^2)",      "max(log(t), 1)",   "min(1, sqrt(t))", "clamp(sqrt(t), 0, 1)",
      "step(sqrt(t), 0)", "sign(log(t))", "if(log(t), 1, 2)", "atan2(t + 1, 0)"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    bool power = strcmp(texts[i], "t^(t^2)") == 0; // (-1)^1 = -1 exists, its derivative does not
    AspJet jet = jet_of(texts[i], -1);
    if (!(power ? isnan(jet.rate) : isnan(jet.value)))
      fail_msg("%s at t = -1: (%g, %g, %g)", texts[i], jet.value, jet.rate, jet.acceleration);
  }
}

static void mistakes_are_named_with_their_column(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"", "'', column 1: expected a number, t, a function or '(', found the end"},
      {"1 +", "'1 +', column 4: expected a number, t, a function or '(', found the end"},
      {"2t", "'2t', column 2: expected an operator or the end, found 't'"},
      {"(1 + t", "'(1 + t', column 7: expected an operator or ')', found the end"},
      {"1 + t)", "'1 + t)', column 6: expected an operator or the end, found ')'"},
      {"sin t", "'sin t', column 5: expected '(' after sin, found 't'"},
      {"sin(t, 2)", "'sin(t, 2)', column 6: expected an operator or ')' (sin takes 1 argument), found ','"},
      {"min(t)", "'min(t)', column 6: expected an operator or ',' (min takes 2 arguments), found ')'"},
      {"sin()", "'sin()', column 5: expected a number, t, a function or '(', found ')'"},
      {"3*foo(t)", "'3*foo(t)', column 3: 'foo' is not known; expected t, pi, e or a function such as sin"},
      {"T", "'T', column 1: 'T' is not known; expected t, pi, e or a function such as sin"},
      {"1e", "'1e', column 3: expected the digits of an exponent, found the end"},
      {"1e+", "'1e+', column 4: expected the digits of an exponent, found the end"},
      {".", "'.', column 2: expected a digit, found the end"},
      {"1.2.3", "'1.2.3', column 4: expected an operator or the end, found '.'"},
      {"1e400", "'1e400', column 1: the number is too large (beyond 1.8e308)"},
      {"1e99999999999999999999", "'1e99999999999999999999', column 1: the number is too large (beyond 1.8e308)"},
      {"2 ** t", "'2 ** t', column 4: expected a number, t, a function or '(', found '*'"},
      {"t & 1", "'t & 1', column 3: expected an operator or the end, found '&'"},
      {"nan", "'nan', column 1: 'nan' is not known; expected t, pi, e or a function such as sin"},
      {"0x10", "'0x10', column 2: expected an operator or the end, found 'x'"},
      {"1,5", "'1,5', column 2: expected an operator or the end, found ','"},
      {"2\x80", "'2\x80', column 2: expected an operator or the end, found the byte 0x80"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    AspExpression *expression = (AspExpression *)&cases; // must be overwritten
    assert_int_equal(asp_expression_parse(context, cases[i].text, &expression), ASP_ERROR_INPUT);
    assert_null(expression);
    assert_string_equal(asp_context_message(context), cases[i].message);
  }
  AspExpression *expression;
  assert_int_equal(asp_expression_parse(context, NULL, &expression), ASP_ERROR_ARGUMENT);
}

/* `count` times `piece`, then `end`; the caller frees. */
static char *repeated(const char *piece, size_t count, const char *end) {
  size_t length = strlen(piece);
  char *text = malloc(count * length + strlen(end) + 1);
  assert_non_null(text);
  for (size_t i = 0; i < count; i++)
    memcpy(text + i * length, piece, length);
  memcpy(text + count * length, end, strlen(end) + 1);
  return text;
}

static void endless_input_is_an_error_not_a_crash(void **state) {
  (void)state;
  static const struct {
    const char *piece, *end, *message;
    size_t count;
  } cases[] = {{"(", "", "nested too deeply", 60000},
               {"-", "1", "nested too deeply", 60000},
               {"2^", "2", "nested too deeply", 30000},
               {"sin(", "t", "nested too deeply", 10000},
               {"max(1, 1+2*", "t", "too many operands", 60},
               {"(", "", "2097152 characters; at most 65536", 2097152},
               {"1+", "1", "200001 characters; at most 65536", 100000},
               {"1", "", "too many digits", 101}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char *text = repeated(cases[i].piece, cases[i].count, cases[i].end);
    AspExpression *expression;
    assert_int_equal(asp_expression_parse(context, text, &expression), ASP_ERROR_INPUT);
    if (!strstr(asp_context_message(context), cases[i].message))
      fail_msg("%s", asp_context_message(context));
    free(text);
  }
  char *sum = repeated("1+", 32000, "t");
  assert_true(jet_of(sum, 5).value == 32005);
  free(sum);
  char *nested = repeated("(", 60, "t");
  char *closing = repeated(")", 60, "");
  char both[200];
  snprintf(both, sizeof both, "%s%s", nested, closing);
  assert_true(jet_of(both, 5).value == 5);
  free(nested);
  free(closing);
}

static void numbers_do_not_depend_on_the_locale(void **state) {
  (void)state;
  static const char *const comma_locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
  bool found = false;
  for (size_t i = 0; i < sizeof comma_locales / sizeof comma_locales[0] && !found; i++)
    found = setlocale(LC_NUMERIC, comma_locales[i]) != NULL;
  if (!found)
    skip();
  assert_true(jet_of("1.25e1", 0).value == 12.5);
  setlocale(LC_NUMERIC, "C");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(values_follow_the_rules_of_arithmetic, open_context, close_context),
      cmocka_unit_test_setup_teardown(derivatives_equal_closed_forms, open_context, close_context),
      cmocka_unit_test_setup_teardown(derivatives_agree_with_differences, open_context, close_context),
      cmocka_unit_test_setup_teardown(kinks_have_the_derivatives_of_the_future, open_context, close_context),
      cmocka_unit_test_setup_teardown(constants_inside_singular_functions_do_not_move, open_context, close_context),
      cmocka_unit_test_setup_teardown(leaving_a_domain_gives_nan, open_context, close_context),
      cmocka_unit_test_setup_teardown(mistakes_are_named_with_their_column, open_context, close_context),
      cmocka_unit_test_setup_teardown(endless_input_is_an_error_not_a_crash, open_context, close_context),
      cmocka_unit_test_setup_teardown(numbers_do_not_depend_on_the_locale, open_context, close_context),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
