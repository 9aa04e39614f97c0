/* Intervals with outward rounding by one unit in the last place after every operation. Depends on nothing. */
#ifndef ASP_ANALYZE_INTERVAL_H
#define ASP_ANALYZE_INTERVAL_H

#include "analyze/tuning/analyze.h"
#include "base/constants.h"
#include "base/elementary.h"

#include <math.h>
#include <stdbool.h>

typedef struct Interval {
  double low, high;
} Interval;

static inline Interval iv(double low, double high) { return (Interval){low, high}; }
static inline Interval iv_out(double low, double high) {
  return (Interval){nextafter(low, -INFINITY), nextafter(high, INFINITY)};
}
static inline Interval iv_add(Interval a, Interval b) { return iv_out(a.low + b.low, a.high + b.high); }
static inline Interval iv_sub(Interval a, Interval b) { return iv_out(a.low - b.high, a.high - b.low); }
static inline Interval iv_mul(Interval a, Interval b) {
  double p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, s = a.high * b.high;
  return iv_out(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
}
static inline Interval iv_scale(double c, Interval a) { return iv_mul(iv(c, c), a); }
static inline double iv_middle(Interval a) { return 0.5 * (a.low + a.high); }

/* cos over [a.low, a.high], narrower than pi: extremes at the ends or at a multiple of pi between them;
 * asp_cos is right to one unit in the last place. */
static inline Interval iv_cos(Interval a) {
  const double slack = ASP_INTERVAL_SLACK;
  double c0 = asp_cos(a.low), c1 = asp_cos(a.high);
  Interval out = {fmin(c0, c1) - slack, fmax(c0, c1) + slack};
  double first = ceil(a.low / ASP_PI - slack) * ASP_PI;
  if (first <= a.high + slack) {
    bool even = fmod(fabs(round(first / ASP_PI)), 2) < 0.5;
    if (even)
      out.high = 1;
    else
      out.low = -1;
  }
  return out;
}
static inline Interval iv_sin(Interval a) {
  // exact: pi / 2
  const double half_pi = 1.57079632679489661923;
  return iv_cos(iv_sub(a, iv(half_pi - ASP_INTERVAL_PI, half_pi + ASP_INTERVAL_PI)));
}

#endif
