/* Sums and products in twice the precision of double: a number is the unevaluated sum hi + lo, |lo| <= ulp(hi)/2.
 *
 *   a + b = s + e,  a b = p + e    exactly: Knuth's sum, Dekker's product (no fused multiply-add is needed)
 *
 * Every operation below has a relative error of at most ASP_TWICE_ROUNDING, where nothing overflows or vanishes: for
 * sum, product and quotient 3, 5 and 10 times 2^-106 are proven by Joldes, Muller and Popescu, ACM Trans. Math. Softw.
 * 44 (2017). Needs -ffp-contract=off. Depends on nothing.
 */
#ifndef ASP_BASE_DOUBLE_DOUBLE_H
#define ASP_BASE_DOUBLE_DOUBLE_H

#include "base/tuning/base.h"

#include <math.h>

typedef struct AspTwice {
  double hi, lo;
} AspTwice;

static inline AspTwice asp_twice(double a) { return (AspTwice){a, 0}; }

/* |a| >= |b|, or a = 0 */
static inline AspTwice asp_twice_normal(double a, double b) {
  double s = a + b;
  return (AspTwice){s, b - (s - a)};
}

static inline AspTwice asp_twice_sum(double a, double b) {
  double s = a + b, t = s - a;
  return (AspTwice){s, (a - (s - t)) + (b - t)};
}

static inline AspTwice asp_twice_product(double a, double b) {
  double p = a * b, c = ASP_TWICE_SPLIT * a, d = ASP_TWICE_SPLIT * b;
  double a_hi = c - (c - a), a_lo = a - a_hi, b_hi = d - (d - b), b_lo = b - b_hi;
  return (AspTwice){p, ((a_hi * b_hi - p) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
}

static inline AspTwice asp_twice_add(AspTwice a, AspTwice b) {
  AspTwice s = asp_twice_sum(a.hi, b.hi), t = asp_twice_sum(a.lo, b.lo);
  s = asp_twice_normal(s.hi, s.lo + t.hi);
  return asp_twice_normal(s.hi, s.lo + t.lo);
}

static inline AspTwice asp_twice_negative(AspTwice a) { return (AspTwice){-a.hi, -a.lo}; }
static inline AspTwice asp_twice_subtract(AspTwice a, AspTwice b) { return asp_twice_add(a, asp_twice_negative(b)); }

/* a b with a double b */
static inline AspTwice asp_twice_scale(AspTwice a, double b) {
  AspTwice p = asp_twice_product(a.hi, b);
  return asp_twice_normal(p.hi, p.lo + a.lo * b);
}

static inline AspTwice asp_twice_multiply(AspTwice a, AspTwice b) {
  AspTwice p = asp_twice_product(a.hi, b.hi);
  return asp_twice_normal(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline AspTwice asp_twice_divide(AspTwice a, AspTwice b) {
  double first = a.hi / b.hi;
  AspTwice rest = asp_twice_subtract(a, asp_twice_scale(b, first));
  double second = rest.hi / b.hi;
  rest = asp_twice_subtract(rest, asp_twice_scale(b, second));
  AspTwice q = asp_twice_normal(first, second);
  return asp_twice_add(q, asp_twice(rest.hi / b.hi));
}

static inline AspTwice asp_twice_root(AspTwice a) {
  if (!(a.hi > 0))
    return asp_twice(0);
  double s = sqrt(a.hi);
  AspTwice rest = asp_twice_subtract(a, asp_twice_product(s, s));
  AspTwice root = asp_twice_normal(s, rest.hi / (2 * s));
  rest = asp_twice_subtract(a, asp_twice_multiply(root, root)); // one more step of Newton's method
  return asp_twice_add(root, asp_twice(rest.hi / (2 * s)));
}

/* sum + a b */
static inline AspTwice asp_twice_accumulate(AspTwice sum, double a, double b) {
  return asp_twice_add(sum, asp_twice_product(a, b));
}

#endif
