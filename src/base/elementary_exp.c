/* Exponential functions, logarithms and powers: see elementary.h.
 *
 *   exp   x = k ln 2 + r with |r| <= ln(2)/2, r in twice the precision; exp x = 2^k exp r, Taylor's series of exp
 *   log   x = 2^k m with sqrt(1/2) <= m < sqrt 2, F = j/64 next to m;
 *         log x = k ln 2 + log F + 2 artanh((m - F)/(m + F)), log F from a table, Taylor's series of artanh; the sum
 *         in twice the precision
 *   pow   exp (y log x), the product in twice the precision: the error of log x is below 2^-68 of it, that of the
 *         product's absolute value (at most 745) below 2^-58
 *
 * Depends on double_double.h.
 */
#include "base/elementary.h"
#include "base/elementary_tables.h"
#include "base/series.h"

#include <stdbool.h>

/* ---- exp ---- */

/* exp r for |r| <= 0.35 */
static AspTwice exp_near_zero(AspTwice r) {
  // exact: 1/2!, 1/3!, ...
  static const double c[12] = {1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
                               1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                               1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
  double x = r.hi, tail = x * x * ASP_SERIES(c, x);
  AspTwice sum = asp_twice_normal(1, x);
  return asp_twice_normal(sum.hi, sum.lo + (tail + (r.lo + r.lo * x)));
}

/* exp x = 2^k times the result, for |x| < 1100 */
static AspTwice exp_parts(AspTwice x, int *k) {
  double n = rint(x.hi * log2_e_twice.hi);
  AspTwice r = asp_twice_sum(x.hi - n * ln2_parts.hi, -n * ln2_parts.lo);
  *k = (int)n;
  return exp_near_zero(asp_twice_sum(r.hi, r.lo + x.lo));
}

static double exp_of(AspTwice x) {
  // exact: beyond these even the smallest or the largest double is passed
  if (!(fabs(x.hi) < 1100))
    return x.hi > 0 ? INFINITY : x.hi < 0 ? 0 : x.hi;
  int k;
  AspTwice y = exp_parts(x, &k);
  return ldexp(y.hi + y.lo, k);
}

double asp_exp(double x) { return exp_of(asp_twice(x)); }

double asp_exp2(double x) {
  // exact: beyond these even the smallest or the largest double is passed
  if (!(fabs(x) < 1100))
    return x > 0 ? INFINITY : x < 0 ? 0 : x;
  double k = rint(x);
  AspTwice y = exp_near_zero(asp_twice_scale(ln2_twice, x - k));
  return ldexp(y.hi + y.lo, (int)k);
}

/* ---- log ---- */

/* log x of a finite x > 0 */
static AspTwice log_twice(double x) {
  // exact: 2/3, 2/5, ... of 2 artanh s
  static const double c[4] = {2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9};
  int k;
  double m = frexp(x, &k);
  // exact: sqrt(1/2)
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2;
    k--;
  }
  // exact: table of 1/64
  int j = (int)rint(m * 64);
  // exact: table of 1/64
  double F = j / 64.0, n = m - F;
  AspTwice d = asp_twice_sum(m, F);
  double s = n / d.hi;
  AspTwice p = asp_twice_product(s, d.hi);
  double s_lo = (((n - p.hi) - p.lo) - s * d.lo) / d.hi, square = s * s;
  double tail = 2 * s_lo + s * square * ASP_SERIES(c, square);
  // exact: the first entry of the table
  AspTwice log_F = log_table[j - 45];
  AspTwice sum = asp_twice_sum(k * ln2_parts.hi + log_F.hi, 2 * s);
  return asp_twice_normal(sum.hi, sum.lo + (tail + (k * ln2_parts.lo + log_F.lo)));
}

/* What logarithms of all bases have in common: true where x is not a finite positive number. */
static bool log_is_special(double x, double *value) {
  *value = x > 0 || x != x ? x : x < 0 ? NAN : -INFINITY;
  return !(x > 0 && x < INFINITY);
}

static double log_to_base(double x, AspTwice factor) {
  double value;
  if (log_is_special(x, &value))
    return value;
  AspTwice product = asp_twice_multiply(log_twice(x), factor);
  return product.hi + product.lo;
}

double asp_ln(double x) {
  double value;
  if (log_is_special(x, &value))
    return value;
  AspTwice y = log_twice(x);
  return y.hi + y.lo;
}

double asp_log2(double x) { return log_to_base(x, log2_e_twice); }
double asp_log10(double x) { return log_to_base(x, log10_e_twice); }

/* ---- pow ---- */

/* Powers of 0, of what is infinite, and to what is infinite; |x| != 1, y != 0. */
static double pow_special(double x, double y) {
  bool odd = fmod(fabs(y), 2) == 1, grows = (fabs(x) > 1) == (y > 0);
  double size = grows ? INFINITY : 0;
  return odd ? copysign(size, x) : size;
}

double asp_pow(double x, double y) {
  if (y == 0 || x == 1)
    return 1;
  if (x != x || y != y)
    return x + y;
  if (x == -1 && isinf(y))
    return 1;
  if (x == 0 || isinf(x) || isinf(y))
    return pow_special(x, y);
  if (x < 0 && rint(y) != y)
    return NAN;
  AspTwice power = log_twice(fabs(x));
  double rough = power.hi * y;
  // exact: beyond these even the smallest or the largest double is passed
  double size = exp_of(rough != 0 && fabs(rough) < 1100 ? asp_twice_scale(power, y) : asp_twice(rough));
  return x < 0 && fmod(fabs(y), 2) == 1 ? -size : size;
}

/* ---- hyperbolic functions ---- */

/* sinh x and cosh x for |x| < 1, the first term apart */
static AspTwice sinh_near_zero(double x) {
  // exact: 1/3!, 1/5!, ...
  static const double c[9] = {1.0 / 6,
                              1.0 / 120,
                              1.0 / 5040,
                              1.0 / 362880,
                              1.0 / 39916800,
                              1.0 / 6227020800,
                              1.0 / 1307674368000,
                              1.0 / 355687428096000,
                              1.0 / 121645100408832000};
  return asp_twice_normal(x, x * (x * x) * ASP_SERIES(c, x * x));
}

static AspTwice cosh_near_zero(double x) {
  // exact: 1/4!, 1/6!, ...
  static const double c[8] = {1.0 / 24,        1.0 / 720,         1.0 / 40320,          1.0 / 3628800,
                              1.0 / 479001600, 1.0 / 87178291200, 1.0 / 20922789888000, 1.0 / 6402373705728000};
  AspTwice z = asp_twice_product(x, x), sum = asp_twice_normal(1, 0.5 * z.hi);
  double tail = z.hi * z.hi * ASP_SERIES(c, z.hi);
  return asp_twice_normal(sum.hi, sum.lo + (0.5 * z.lo + tail));
}

/* (exp x + sign exp -x)/2 for x >= 1 */
static double half_sum_of_exps(double x, double sign) {
  int k;
  // exact: beyond this the largest double is passed
  if (!(x < 1100))
    return x > 0 ? INFINITY : x;
  AspTwice up = exp_parts(asp_twice(x), &k);
  // exact: beyond this the other term is less than a rounding
  if (k < 64) {
    AspTwice down = asp_twice_divide(asp_twice(ldexp(sign, -2 * k)), up);
    up = asp_twice_add(up, down);
  }
  return ldexp(up.hi + up.lo, k - 1);
}

double asp_sinh(double x) {
  if (fabs(x) < 1) {
    AspTwice y = sinh_near_zero(x);
    return x == 0 ? x : y.hi + y.lo;
  }
  return copysign(half_sum_of_exps(fabs(x), -1), x);
}

double asp_cosh(double x) {
  if (!(fabs(x) < 1))
    return half_sum_of_exps(fabs(x), 1);
  AspTwice y = cosh_near_zero(x);
  return y.hi + y.lo;
}

double asp_tanh(double x) {
  if (x == 0 || x != x)
    return x;
  if (fabs(x) < 1) {
    AspTwice q = asp_twice_divide(sinh_near_zero(x), cosh_near_zero(x));
    return q.hi + q.lo;
  }
  // exact: from 20 on it is 1 to the last digit
  if (fabs(x) >= 20)
    return copysign(1, x);
  int k;
  AspTwice square = exp_parts(asp_twice(2 * fabs(x)), &k), one = asp_twice(ldexp(1, -k));
  AspTwice q = asp_twice_divide(asp_twice_subtract(square, one), asp_twice_add(square, one));
  return copysign(q.hi + q.lo, x);
}
