/* elementary: errors against the C library's long double, special values, arguments far from zero, and bits that must
 * be the same with every compiler and on every processor. */
#include "base/elementary.h"
#include "testing.h"

#include <float.h>
#include <math.h>

typedef struct OneArgument {
  const char *name;
  double (*own)(double);
  long double (*reference)(long double);
  double low, high; /* arguments, or exponents of two of their sizes where `wide` */
  bool wide;
} OneArgument;

static const OneArgument functions[] = {
    {"exp", asp_exp, expl, -700, 709, false},      {"exp", asp_exp, expl, -60, 1, true},
    {"exp2", asp_exp2, exp2l, -1000, 1023, false}, {"exp2", asp_exp2, exp2l, -1, 1, false},
    {"ln", asp_ln, logl, 0.5, 2, false},           {"ln", asp_ln, logl, -1000, 1000, true},
    {"log2", asp_log2, log2l, 0.5, 2, false},      {"log2", asp_log2, log2l, -1000, 1000, true},
    {"log10", asp_log10, log10l, 0.5, 2, false},   {"log10", asp_log10, log10l, -1000, 1000, true},
    {"sinh", asp_sinh, sinhl, -2, 2, false},       {"sinh", asp_sinh, sinhl, -300, 9, true},
    {"cosh", asp_cosh, coshl, -2, 2, false},       {"cosh", asp_cosh, coshl, -300, 9, true},
    {"tanh", asp_tanh, tanhl, -25, 25, false},     {"tanh", asp_tanh, tanhl, -300, 1, true},
    {"sin", asp_sin, sinl, -8, 8, false},          {"sin", asp_sin, sinl, -300, 60, true},
    {"cos", asp_cos, cosl, -8, 8, false},          {"cos", asp_cos, cosl, -300, 60, true},
    {"tan", asp_tan, tanl, -8, 8, false},          {"tan", asp_tan, tanl, -300, 60, true},
    {"asin", asp_asin, asinl, -1, 1, false},       {"asin", asp_asin, asinl, -300, 0, true},
    {"acos", asp_acos, acosl, -1, 1, false},       {"acos", asp_acos, acosl, 0.999, 1, false},
    {"atan", asp_atan, atanl, -4, 4, false},       {"atan", asp_atan, atanl, -300, 300, true},
    {"cbrt", asp_cbrt, cbrtl, -8, 8, false},       {"cbrt", asp_cbrt, cbrtl, -1000, 1000, true},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static double argument(AspRandom *random, double low, double high, bool wide) {
  double x = asp_random_uniform(random, low, high);
  if (!wide)
    return x;
  double size = ldexp(asp_random_uniform(random, 0.5, 1), (int)x);
  return asp_random_uniform(random, 0, 1) < 0.5 ? -size : size;
}

/* Distance of y from the reference, in units of the last place of a double there. */
static double error_of(double y, long double reference) {
  int exponent;
  frexpl(reference, &exponent);
  return (double)fabsl((y - reference) / ldexpl(1, exponent - DBL_MANT_DIG));
}

static void errors_are_below_nine_tenths_of_the_last_place(void **state) {
  (void)state;
  if (LDBL_MANT_DIG < DBL_MANT_DIG + 11)
    skip(); // nothing more accurate to compare with
  for (int f = 0; f < FUNCTIONS; f++) {
    AspRandom random = {51};
    for (int i = 0; i < 20000; i++) {
      double x = argument(&random, functions[f].low, functions[f].high, functions[f].wide);
      long double reference = functions[f].reference(x);
      if (isfinite(reference) && fabsl(reference) > DBL_MIN && fabsl(reference) < DBL_MAX &&
          !(error_of(functions[f].own(x), reference) < 0.9))
        fail_msg("%s(%a) = %a, but %La", functions[f].name, x, functions[f].own(x), reference);
    }
  }
}

static void functions_of_two_arguments_are_as_accurate(void **state) {
  (void)state;
  if (LDBL_MANT_DIG < DBL_MANT_DIG + 11)
    skip(); // nothing more accurate to compare with
  AspRandom random = {52};
  for (int i = 0; i < 40000; i++) {
    double range = i % 2 ? 4 : 500, x = argument(&random, -range, range, true),
           y = argument(&random, -range, range, true);
    if (fabsl(atan2l(y, x)) > DBL_MIN)
      assert_true(error_of(asp_atan2(y, x), atan2l(y, x)) < 0.9);
    assert_true(error_of(asp_hypot(x, y), hypotl(x, y)) < 0.9);
    double base = i % 2 ? fabs(x) : 1 + 1e-3 * asp_random_uniform(&random, -1, 1);
    double power = i % 2 ? asp_random_uniform(&random, -50, 50) : asp_random_uniform(&random, -1e5, 1e5);
    assert_true(error_of(asp_pow(base, power), powl(base, power)) < 0.9);
  }
}

/* From mpmath, with 2000 bits: the nearest doubles. */
static void angles_far_from_zero_and_next_to_its_multiples_are_reduced_exactly(void **state) {
  (void)state;
  assert_true(asp_sin(1e22) == -0x1.b453ab76bf397p-1);
  assert_true(asp_cos(1e22) == 0x1.0be2cef01c8f4p-1);
  assert_true(asp_tan(1e22) == -0x1.a0f79c1b6b257p+0);
  assert_true(asp_sin(-1e22) == 0x1.b453ab76bf397p-1);
  assert_true(asp_sin(DBL_MAX) == 0x1.452fc98b34e97p-8);
  assert_true(asp_cos(DBL_MAX) == -0x1.fffe62ecfab75p-1);
  assert_true(asp_sin(0x1.6ac5b262ca1ffp+849) == 1); // of all doubles the one next to a multiple of pi/2
  assert_true(asp_cos(0x1.6ac5b262ca1ffp+849) == -0x1.14ae72e6ba22fp-61);
  assert_true(asp_sin(0x1.921fb54442d18p+1) == 0x1.1a62633145c07p-53);
  assert_true(asp_tan(0x1.921fb54442d18p+0) == 0x1.d02967c31cdb5p+53);
}

static void whole_powers_roots_and_logarithms_are_exact(void **state) {
  (void)state;
  double ten = 1;
  for (int i = 0; i <= 22; i++, ten *= 10) {
    assert_true(asp_pow(10, i) == ten);
    assert_true(asp_log10(ten) == i);
    assert_true(asp_cbrt((double)i * i * i) == i);
  }
  for (int i = -1074; i < 1024; i++) {
    assert_true(asp_exp2(i) == ldexp(1, i));
    assert_true(asp_pow(2, i) == ldexp(1, i));
    assert_true(asp_log2(ldexp(1, i)) == i);
  }
  assert_true(asp_hypot(3, 4) == 5 && asp_hypot(0x1.8p1022, 0x1p1023) == 0x1.4p1023);
  assert_true(asp_hypot(3 * 0x1p-1074, 4 * 0x1p-1074) == 5 * 0x1p-1074);
  assert_true(asp_pow(-2, 3) == -8 && asp_pow(-2, -2) == 0.25);
}

static bool same(double a, double b) { return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b); }

static void special_values_are_those_of_the_c_library(void **state) {
  (void)state;
  const double value[] = {0,      -0.0,  1,      -1,  2,        -2,        3,   -3,      0.5,     -0.5,
                          1e-310, 1e300, -1e300, 1e9, INFINITY, -INFINITY, NAN, DBL_MAX, DBL_MIN, 0x1p-1074};
  const int count = sizeof value / sizeof *value;
  for (int i = 0; i < count; i++) {
    for (int f = 0; f < FUNCTIONS; f++) {
      double own = functions[f].own(value[i]), theirs = (double)functions[f].reference(value[i]);
      if (!same(own, theirs) && !(isfinite(theirs) && fabs(own - theirs) <= 2 * DBL_EPSILON * fabs(theirs)))
        fail_msg("%s(%a) = %a, but %a", functions[f].name, value[i], own, theirs);
    }
    for (int j = 0; j < count; j++) {
      double x = value[i], y = value[j], power = pow(x, y), angle = atan2(x, y), length = hypot(x, y);
      assert_true(same(asp_pow(x, y), power) ||
                  (isfinite(power) && fabs(asp_pow(x, y) - power) <= 2 * DBL_EPSILON * fabs(power)));
      assert_true(same(asp_atan2(x, y), angle) || (fabs(asp_atan2(x, y) - angle) <= 2 * DBL_EPSILON * fabs(angle)));
      assert_true(same(asp_hypot(x, y), length) ||
                  (isfinite(length) && fabs(asp_hypot(x, y) - length) <= 2 * DBL_EPSILON * length));
    }
  }
}

static void add_to_hash(uint64_t *hash, double x) {
  unsigned char byte[sizeof x];
  memcpy(byte, &x, sizeof x);
  for (size_t i = 0; i < sizeof x; i++)
    *hash = (*hash ^ byte[i]) * UINT64_C(0x100000001b3);
}

/* The constant holds for every compiler, processor and C library: no other test would see a function that is accurate
 * but rounds in another way. It changes with the functions, and with nothing else. Arguments are made without them. */
static void bits_are_the_same_everywhere(void **state) {
  (void)state;
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  AspRandom random = {53};
  for (int i = 0; i < 2000; i++) {
    for (int f = 0; f < FUNCTIONS; f++) {
      double y = functions[f].own(argument(&random, functions[f].low, functions[f].high, functions[f].wide));
      add_to_hash(&hash, isnan(y) ? 0 : y);
    }
    double x = argument(&random, -20, 20, true), y = argument(&random, -20, 20, true);
    add_to_hash(&hash, asp_atan2(y, x));
    add_to_hash(&hash, asp_hypot(y, x));
    add_to_hash(&hash, asp_pow(fabs(x), asp_random_uniform(&random, -30, 30)));
  }
  if (hash != UINT64_C(0xa5fddadac628c592))
    fail_msg("the hash is %016llx", (unsigned long long)hash);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_are_below_nine_tenths_of_the_last_place),
      cmocka_unit_test(functions_of_two_arguments_are_as_accurate),
      cmocka_unit_test(angles_far_from_zero_and_next_to_its_multiples_are_reduced_exactly),
      cmocka_unit_test(whole_powers_roots_and_logarithms_are_exact),
      cmocka_unit_test(special_values_are_those_of_the_c_library),
      cmocka_unit_test(bits_are_the_same_everywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
