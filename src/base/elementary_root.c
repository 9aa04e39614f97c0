/* The cubic root and the length of a vector: see elementary.h. Both are close to begin with and corrected once by what
 * is left in twice the precision:
 *
 *   y + (x - y^3)/(3 y^2)               after Halley's method
 *   r + (x^2 + y^2 - r^2)/(2 r)         after r = sqrt(x^2 + y^2)
 *
 * Depends on double_double.h.
 */
#include "base/double_double.h"
#include "base/elementary.h"

#include <stdlib.h>

double asp_cbrt(double x) {
  if (x == 0 || !(fabs(x) < INFINITY))
    return x;
  int exponent;
  double m = frexp(fabs(x), &exponent);
  // m is brought between 1/2 and 4, so that the exponent is a multiple of 3
  int more = (exponent % 3 + 3) % 3;
  m = ldexp(m, more);
  // exact: a straight line that is off by less than a tenth
  double y = 0.68 + 0.24 * m;
  for (int i = 0; i < 4; i++) {
    double cube = y * y * y;
    y = y * (cube + 2 * m) / (2 * cube + m);
  }
  AspTwice cube = asp_twice_scale(asp_twice_product(y, y), y);
  y += ((m - cube.hi) - cube.lo) / (3 * y * y);
  return copysign(ldexp(y, (exponent - more) / 3), x);
}

double asp_hypot(double x, double y) {
  double a = fabs(x), b = fabs(y);
  if (isinf(a) || isinf(b))
    return INFINITY;
  if (a < b) {
    double kept = a;
    a = b;
    b = kept;
  }
  // exact: b^2/(2 a) is less than a rounding of a
  if (!(b > 0x1p-28 * a))
    return b == b ? a : b;
  // exact: squares between these neither overflow nor lose digits
  int exponent = a > 0x1p500 ? 600 : b < 0x1p-400 ? -600 : 0;
  if (exponent != 0)
    return ldexp(asp_hypot(ldexp(a, -exponent), ldexp(b, -exponent)), exponent);
  AspTwice aa = asp_twice_product(a, a), bb = asp_twice_product(b, b), sum = asp_twice_normal(aa.hi, bb.hi);
  double r = sqrt(sum.hi);
  AspTwice rr = asp_twice_product(r, r);
  return r + ((sum.hi - rr.hi) + (sum.lo + ((aa.lo + bb.lo) - rr.lo))) / (2 * r);
}
