/* Sine, cosine, tangent and their inverses: see elementary.h.
 *
 *   sin, cos, tan   x = n pi/2 + r with |r| <= pi/4, r in twice the precision (Cody and Waite 1980, chapter 8; for
 *                   large x Payne and Hanek 1983: as many digits of 2/pi as matter), Taylor's series of sin r, cos r
 *   atan2           of the ratio a/b <= 1, i/8 next to it: atan (a/b) = atan (i/8) + atan t with
 *                   t = (a - b i/8)/(b + a i/8), |t| <= 1/16 in twice the precision, Taylor's series of atan t
 *   asin, acos      the angle of the point (sqrt(1 - x^2), x), the root in twice the precision
 *
 * Depends on double_double.h.
 */
#include "base/elementary.h"
#include "base/elementary_tables.h"
#include "base/series.h"

#include <float.h>
#include <stdbool.h>
#include <stdlib.h>

/* ---- the rest after division by pi/2 ---- */

/* Below: binary numbers of LIMBS digits of BITS bits, the lowest first. */
// exact: 256 digits of 2/pi, of which x takes at most 53 + 34 and its closeness to a multiple of pi/2 another 62
enum { BITS = 32, WORDS = 8, LIMBS = WORDS + 2 };

static void multiply_words(uint64_t mantissa, const uint32_t *word, uint32_t limb[LIMBS]) {
  const uint64_t low = mantissa & 0xffffffff, high = mantissa >> 32;
  uint64_t carry_low = 0, carry_high = 0;
  for (int i = 0; i < LIMBS; i++)
    limb[i] = 0;
  for (int i = 0; i < WORDS; i++) {
    uint64_t digit = word[WORDS - 1 - i], a = limb[i] + low * digit + carry_low;
    limb[i] = (uint32_t)a;
    carry_low = a >> 32;
    uint64_t b = limb[i + 1] + high * digit + carry_high;
    limb[i + 1] = (uint32_t)b;
    carry_high = b >> 32;
  }
  uint64_t a = limb[WORDS] + carry_low;
  limb[WORDS] = (uint32_t)a;
  limb[WORDS + 1] = (uint32_t)(carry_high + (a >> 32));
}

static int bit_of(const uint32_t limb[LIMBS], int place) { return (int)(limb[place / BITS] >> place % BITS & 1); }

/* What stands below binary place `point`, as a share of what that place is worth; negative: that less 1. */
static AspTwice fraction(uint32_t limb[LIMBS], int point, bool negative) {
  AspTwice sum = {0, 0};
  uint32_t borrow = negative;
  for (int i = 0; i < LIMBS && negative; i++) { // what is missing to the next whole number
    limb[i] = ~limb[i] + borrow;
    borrow = borrow && limb[i] == 0;
  }
  for (int i = point / BITS; i >= 0; i--) {
    uint32_t digits = i == point / BITS ? limb[i] & ((UINT32_C(1) << point % BITS) - 1) : limb[i];
    sum = asp_twice_add(sum, asp_twice(ldexp(digits, BITS * i - point)));
  }
  return negative ? asp_twice_negative(sum) : sum;
}

/* Payne and Hanek: x 2/pi, without the words of 2/pi whose products with x are multiples of 4. */
static int reduce_large(double x, AspTwice *r) {
  int exponent;
  uint64_t mantissa = (uint64_t)ldexp(frexp(x, &exponent), DBL_MANT_DIG);
  exponent -= DBL_MANT_DIG;
  int first = exponent >= 2 ? (exponent - 2) / BITS : 0, point = BITS * (first + WORDS) - exponent;
  uint32_t limb[LIMBS];
  multiply_words(mantissa, two_over_pi + first, limb);
  int n = 2 * bit_of(limb, point + 1) + bit_of(limb, point);
  bool more_than_half = bit_of(limb, point - 1);
  *r = asp_twice_multiply(fraction(limb, point, more_than_half), half_pi_twice);
  return n + more_than_half;
}

/* |x| = n pi/2 + r; returns n up to multiples of 4 */
static int reduce(double x, AspTwice *r) {
  if (x <= 0.5 * half_pi_twice.hi) {
    *r = asp_twice(x);
    return 0;
  }
  // exact: products of smaller n with the parts of pi/2 are exact
  if (!(x < 0x1p20))
    return reduce_large(x, r);
  double n = rint(x / half_pi_twice.hi);
  AspTwice b = asp_twice_sum(x - n * half_pi_part[0], -n * half_pi_part[1]);
  AspTwice c = asp_twice_sum(b.hi, -n * half_pi_part[2]);
  *r = asp_twice_normal(c.hi, (b.lo + c.lo) - n * half_pi_part[3]);
  return (int)n;
}

/* ---- sine and cosine ---- */

/* a/b with an error of a few 2^-100 of it */
static AspTwice quotient(AspTwice a, AspTwice b) {
  double first = a.hi / b.hi;
  AspTwice p = asp_twice_product(first, b.hi);
  return asp_twice_normal(first, ((a.hi - p.hi) - p.lo + a.lo - first * b.lo) / b.hi);
}

static AspTwice sine_of(AspTwice r) {
  // exact: -1/3!, 1/5!, ...
  static const double c[8] = {-1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
                              -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
  double z = r.hi * r.hi;
  return asp_twice_normal(r.hi, r.hi * z * ASP_SERIES(c, z) + r.lo * (1 - 0.5 * z));
}

static AspTwice cosine_of(AspTwice r) {
  // exact: 1/4!, -1/6!, ...
  static const double c[7] = {1.0 / 24,        -1.0 / 720,         1.0 / 40320,         -1.0 / 3628800,
                              1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};
  AspTwice z = asp_twice_product(r.hi, r.hi), sum = asp_twice_normal(1, -0.5 * z.hi);
  double tail = z.hi * z.hi * ASP_SERIES(c, z.hi) - (0.5 * z.lo + r.hi * r.lo);
  return asp_twice_normal(sum.hi, sum.lo + tail);
}

/* sin (|x| + turns pi/2) */
static double turned_sine(double x, int turns) {
  AspTwice r;
  int n = turns + reduce(fabs(x), &r);
  AspTwice y = n & 1 ? cosine_of(r) : sine_of(r);
  double value = y.hi + y.lo;
  return n & 2 ? -value : value;
}

double asp_sin(double x) {
  if (!(fabs(x) < INFINITY))
    return NAN;
  // exact: x^3/6 is less than a rounding of x
  if (fabs(x) < 0x1p-27)
    return x;
  return x < 0 ? -turned_sine(x, 0) : turned_sine(x, 0);
}

double asp_cos(double x) { return fabs(x) < INFINITY ? turned_sine(x, 1) : NAN; }

double asp_tan(double x) {
  if (!(fabs(x) < INFINITY))
    return NAN;
  // exact: x^3/3 is less than a rounding of x
  if (fabs(x) < 0x1p-27)
    return x;
  AspTwice r;
  int n = reduce(fabs(x), &r);
  AspTwice s = sine_of(r), c = cosine_of(r), q = n & 1 ? quotient(asp_twice_negative(c), s) : quotient(s, c);
  return x < 0 ? -(q.hi + q.lo) : q.hi + q.lo;
}

/* ---- angles ---- */

/* atan (a/b) for 0 <= a <= b */
static AspTwice angle_below_diagonal(AspTwice a, AspTwice b) {
  // exact: -1/3, 1/5, ...
  static const double s[6] = {-1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13};
  // exact: table of 1/8
  int i = (int)rint(8 * (a.hi / b.hi));
  // exact: table of 1/8
  double c = i / 8.0;
  AspTwice p = asp_twice_product(c, b.hi), q = asp_twice_product(c, a.hi);
  // a.hi and p.hi are so close that their difference is exact
  AspTwice across = asp_twice_sum(a.hi - p.hi, (a.lo - p.lo) - c * b.lo), along = asp_twice_normal(b.hi, q.hi);
  along.lo += (b.lo + q.lo) + c * a.lo;
  AspTwice t = quotient(across, along);
  double z = t.hi * t.hi, tail = t.lo + t.hi * z * ASP_SERIES(s, z);
  AspTwice sum = asp_twice_sum(atan_table[i].hi, t.hi);
  return asp_twice_normal(sum.hi, sum.lo + (atan_table[i].lo + tail));
}

/* The angle of the point (x, y), y >= 0, not both zero. */
static double angle_above(AspTwice y, AspTwice x) {
  AspTwice b = x.hi < 0 ? asp_twice_negative(x) : x;
  AspTwice angle =
      y.hi > b.hi ? asp_twice_subtract(half_pi_twice, angle_below_diagonal(b, y)) : angle_below_diagonal(y, b);
  if (x.hi < 0)
    angle = asp_twice_subtract(pi_twice, angle);
  return angle.hi + angle.lo;
}

double asp_atan2(double y, double x) {
  if (x != x || y != y)
    return x + y;
  double a = fabs(y), b = fabs(x);
  if (isinf(a) || isinf(b)) {
    a = isinf(a);
    b = isinf(b);
  }
  if (a == 0) // also that of two zeros: its sign is y's
    return copysign(signbit(x) ? pi_twice.hi : 0, y);
  // exact: t^3/3 is less than a rounding of t, and angles this small change no other
  if (a < 0x1p-60 * b && x > 0)
    return y / x;
  double most = a > b ? a : b;
  // exact: between these nothing overflows or loses digits
  if (!(most > 0x1p-300 && most < 0x1p300)) {
    int exponent;
    frexp(most, &exponent);
    a = ldexp(a, -exponent);
    b = ldexp(b, -exponent);
  }
  return copysign(angle_above(asp_twice(a), asp_twice(copysign(b, x))), y);
}

double asp_atan(double x) { return asp_atan2(x, 1); }

/* sqrt(1 - x^2) */
static AspTwice other_side(double x) {
  return asp_twice_root(asp_twice_subtract(asp_twice(1), asp_twice_product(x, x)));
}

double asp_asin(double x) {
  if (!(fabs(x) <= 1))
    return NAN;
  // exact: x^3/6 is less than a rounding of x
  if (fabs(x) < 0x1p-27)
    return x;
  return copysign(angle_above(asp_twice(fabs(x)), other_side(x)), x);
}

double asp_acos(double x) { return fabs(x) <= 1 ? angle_above(other_side(x), asp_twice(x)) : NAN; }
