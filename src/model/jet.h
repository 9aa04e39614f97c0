/* Jets of second order in t: f, f', f'' carried through every operation by the rules of differentiation, so that the
 * derivatives are exact up to rounding. A function g of a jet u follows the chain rule
 *
 *   (g(u))' = g'(u) u',   (g(u))'' = g''(u) u'^2 + g'(u) u''.
 *
 * Where a function has a kink (abs, min, max) the derivatives are those from the right, into the future. Outside its
 * domain a function gives NaN. Depends on nothing but AspJet.
 */
#ifndef ASP_MODEL_JET_H
#define ASP_MODEL_JET_H

#include "asperity/model.h"
#include "base/elementary.h"

#include <float.h>
#include <math.h>

static inline AspJet jet_constant(double value) { return (AspJet){value, 0, 0}; }
static inline AspJet jet_nan(void) { return (AspJet){NAN, NAN, NAN}; }

/* slope times rate, where the slope may be infinite: 0 where the rate is 0. */
static inline double jet_slope(double slope, double rate) { return rate == 0 ? 0 : slope * rate; }

/* Chain rule with g = value, g' = first, g'' = second at u. */
static inline AspJet jet_chain(AspJet u, double value, double first, double second) {
  return (AspJet){value, jet_slope(first, u.rate),
                  jet_slope(second, u.rate * u.rate) + jet_slope(first, u.acceleration)};
}

static inline AspJet jet_negative(AspJet u) { return (AspJet){-u.value, -u.rate, -u.acceleration}; }
static inline AspJet jet_sum(AspJet u, AspJet v) {
  return (AspJet){u.value + v.value, u.rate + v.rate, u.acceleration + v.acceleration};
}
static inline AspJet jet_difference(AspJet u, AspJet v) { return jet_sum(u, jet_negative(v)); }
static inline AspJet jet_product(AspJet u, AspJet v) {
  return (AspJet){u.value * v.value, u.rate * v.value + u.value * v.rate,
                  u.acceleration * v.value + 2 * u.rate * v.rate + u.value * v.acceleration};
}
static inline AspJet jet_quotient(AspJet u, AspJet v) {
  double value = u.value / v.value;
  double rate = (u.rate - value * v.rate) / v.value;
  return (AspJet){value, rate, (u.acceleration - 2 * rate * v.rate - value * v.acceleration) / v.value};
}

/* u >= v now or, when equal now, in the near future. */
static inline bool jet_not_less(AspJet u, AspJet v) {
  if (u.value != v.value)
    return u.value > v.value;
  return u.rate != v.rate ? u.rate > v.rate : u.acceleration >= v.acceleration;
}
static inline AspJet jet_maximum(AspJet u, AspJet v) {
  if (isnan(u.value) || isnan(v.value))
    return jet_nan();
  return jet_not_less(u, v) ? u : v;
}
static inline AspJet jet_minimum(AspJet u, AspJet v) {
  return jet_negative(jet_maximum(jet_negative(u), jet_negative(v)));
}
/* Truth as a number, true where >= 0: equal numbers are not less, so the difference is then just below zero. */
static inline AspJet jet_false_at_zero(AspJet u) {
  return (AspJet){u.value == 0 ? -DBL_TRUE_MIN : u.value, u.rate, u.acceleration};
}
static inline AspJet jet_less(AspJet u, AspJet v) { return jet_false_at_zero(jet_difference(v, u)); }
static inline AspJet jet_not(AspJet u) { return jet_false_at_zero(jet_negative(u)); }
static inline AspJet jet_absolute(AspJet u) { return jet_maximum(u, jet_negative(u)); }
static inline AspJet jet_clamp(AspJet u, AspJet low, AspJet high) { return jet_minimum(jet_maximum(u, low), high); }

static inline AspJet jet_sign(AspJet u) {
  return isnan(u.value) ? jet_nan() : jet_constant(u.value > 0 ? 1 : u.value < 0 ? -1 : 0);
}
/* 0 before, 1 from start on */
static inline AspJet jet_step(AspJet u, AspJet start) {
  return isnan(u.value) || isnan(start.value) ? jet_nan() : jet_constant(u.value >= start.value ? 1 : 0);
}
/* s^2 (3 - 2 s) with s = (u - start) / (end - start) held in [0, 1] */
static inline AspJet jet_smoothstep(AspJet u, AspJet start, AspJet end) {
  AspJet s = jet_quotient(jet_difference(u, start), jet_difference(end, start));
  s = jet_clamp(s, jet_constant(0), jet_constant(1));
  AspJet rest = jet_difference(jet_constant(3), jet_product(jet_constant(2), s));
  return jet_product(jet_product(s, s), rest);
}
static inline AspJet jet_choose(AspJet condition, AspJet when_not_negative, AspJet otherwise) {
  if (isnan(condition.value))
    return jet_nan();
  return condition.value >= 0 ? when_not_negative : otherwise;
}

static inline AspJet jet_sin(AspJet u) { return jet_chain(u, asp_sin(u.value), asp_cos(u.value), -asp_sin(u.value)); }
static inline AspJet jet_cos(AspJet u) { return jet_chain(u, asp_cos(u.value), -asp_sin(u.value), -asp_cos(u.value)); }
static inline AspJet jet_tan(AspJet u) {
  double f = asp_tan(u.value), first = 1 + f * f;
  return jet_chain(u, f, first, 2 * f * first);
}
static inline AspJet jet_asin(AspJet u) {
  double first = 1 / sqrt((1 - u.value) * (1 + u.value));
  return jet_chain(u, asp_asin(u.value), first, u.value * first * first * first);
}
static inline AspJet jet_acos(AspJet u) {
  AspJet f = jet_negative(jet_asin(u));
  f.value = asp_acos(u.value);
  return f;
}
static inline AspJet jet_atan(AspJet u) {
  double first = 1 / (1 + u.value * u.value);
  return jet_chain(u, asp_atan(u.value), first, -2 * u.value * first * first);
}
/* angle f of (x, y); with (cx, cy) = (x, y)/r:
 *   f' = (cx y' - cy x')/r,   f'' = (cx y'' - cy x'' - 2 f' (cx x' + cy y'))/r */
static inline AspJet jet_atan2(AspJet y, AspJet x) {
  double r = asp_hypot(x.value, y.value), cx = x.value / r, cy = y.value / r;
  if (r == 0)
    return jet_nan();
  double rate = (cx * y.rate - cy * x.rate) / r;
  double radial = cx * x.rate + cy * y.rate;
  return (AspJet){asp_atan2(y.value, x.value), rate,
                  (cx * y.acceleration - cy * x.acceleration - 2 * rate * radial) / r};
}
static inline AspJet jet_sinh(AspJet u) {
  return jet_chain(u, asp_sinh(u.value), asp_cosh(u.value), asp_sinh(u.value));
}
static inline AspJet jet_cosh(AspJet u) {
  return jet_chain(u, asp_cosh(u.value), asp_sinh(u.value), asp_cosh(u.value));
}
static inline AspJet jet_tanh(AspJet u) {
  double f = asp_tanh(u.value), first = 1 - f * f;
  return jet_chain(u, f, first, -2 * f * first);
}
static inline AspJet jet_exp(AspJet u) {
  double f = asp_exp(u.value);
  return jet_chain(u, f, f, f);
}
static inline AspJet jet_log(AspJet u) {
  if (!(u.value > 0))
    return jet_nan();
  return jet_chain(u, asp_ln(u.value), 1 / u.value, -1 / (u.value * u.value));
}
static inline AspJet jet_sqrt(AspJet u) {
  double f = sqrt(u.value);
  return jet_chain(u, f, 0.5 / f, -0.25 / (f * u.value));
}

/* u^v. A resting exponent needs no logarithm, so the base may be negative where the power exists; c u^(c-1) with c = 0
 * is 0 even at u = 0. */
static inline AspJet jet_power(AspJet u, AspJet v) {
  double f = asp_pow(u.value, v.value), c = v.value;
  if (v.rate == 0 && v.acceleration == 0)
    return jet_chain(u, f, c == 0 ? 0 : c * asp_pow(u.value, c - 1),
                     c == 0 || c == 1 ? 0 : c * (c - 1) * asp_pow(u.value, c - 2));
  AspJet g = jet_product(v, jet_log(u));
  return (AspJet){f, f * g.rate, f * (g.rate * g.rate + g.acceleration)};
}

#endif
