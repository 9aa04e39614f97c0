/* An expression over an interval of time: bounds of its value and of its first derivative, by interval arithmetic
 * (R. E. Moore, Interval Analysis, 1966), and whether one of its branches changes there.
 *
 * Every operation takes ranges to a range that holds all results; where a function is monotone these are its values at
 * the ends. A condition whose range does not hold zero is decided all over the interval, and what it does not choose is
 * left out. So no pulse is too short to be seen: halving the interval shows where it is (timed.c). Bounds are not
 * rounded outwards: what is off by a rounding is found at the next instant. Depends on operation.h, table.c. */
#include "model/range.h"
#include "base/constants.h"
#include "model/model.h"
#include "model/operation.h"
#include "model/tuning/model.h"

#include <math.h>

static const Range everything = {-INFINITY, INFINITY};

static Range hull(Range a, Range b) { return (Range){fmin(a.low, b.low), fmax(a.high, b.high)}; }
static Range point(double x) { return (Range){x, x}; }
static bool is_point(Range a) { return a.low == a.high; }
static bool holds(Range a, double x) { return a.low <= x && x <= a.high; }
/* From two values, whichever is smaller; all where one is not a number. */
static Range between(double a, double b) { return isnan(a) || isnan(b) ? everything : (Range){fmin(a, b), fmax(a, b)}; }
static Range minus(Range a) { return (Range){-a.high, -a.low}; }
static Range plus(Range a, Range b) { return between(a.low + b.low, a.high + b.high); }

static double times_bound(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

static Range times(Range a, Range b) {
  return hull(between(times_bound(a.low, b.low), times_bound(a.low, b.high)),
              between(times_bound(a.high, b.low), times_bound(a.high, b.high)));
}
static Range inverse(Range a) { return holds(a, 0) ? everything : between(1 / a.low, 1 / a.high); }
static Range square(Range a) {
  double most = fmax(a.low * a.low, a.high * a.high);
  return holds(a, 0) ? (Range){0, most} : (Range){fmin(a.low * a.low, a.high * a.high), most};
}
/* |a| */
static Range size_of(Range a) {
  Range of = between(fabs(a.low), fabs(a.high));
  return holds(a, 0) ? (Range){0, of.high} : of;
}

static Range sine(Range a) {
  double turn = 2 * ASP_PI;
  if (!(a.high - a.low < turn))
    return (Range){-1, 1};
  Range of = between(asp_sin(a.low), asp_sin(a.high));
  double top = ASP_PI / 2 + turn * ceil((a.low - ASP_PI / 2) / turn),
         bottom = -ASP_PI / 2 + turn * ceil((a.low + ASP_PI / 2) / turn);
  return (Range){bottom <= a.high ? -1 : of.low, top <= a.high ? 1 : of.high};
}
static Range cosine(Range a) { return sine(plus(a, point(ASP_PI / 2))); }

/* a^c with a constant c */
static Range power(Range a, double c) {
  if (c == 0)
    return point(1);
  bool whole = c == floor(c), even = whole && c == 2 * floor(c / 2);
  if ((a.low < 0 && !whole) || (c < 0 && holds(a, 0)))
    return everything;
  a = even ? size_of(a) : a;
  return between(asp_pow(a.low, c), asp_pow(a.high, c));
}

static RangeJet chain(RangeJet u, Range value, Range slope) {
  return (RangeJet){value, times(slope, u.rate), u.changes};
}
/* of an ascending function, by its values at the ends */
static RangeJet ascending(RangeJet u, double (*f)(double), Range slope) {
  return chain(u, between(f(u.value.low), f(u.value.high)), slope);
}

static RangeJet sum(RangeJet u, RangeJet v) {
  return (RangeJet){plus(u.value, v.value), plus(u.rate, v.rate), u.changes || v.changes};
}
static RangeJet negative(RangeJet u) { return (RangeJet){minus(u.value), minus(u.rate), u.changes}; }
static RangeJet product(RangeJet u, RangeJet v) {
  return (RangeJet){times(u.value, v.value), plus(times(u.rate, v.value), times(u.value, v.rate)),
                    u.changes || v.changes};
}
static RangeJet quotient(RangeJet u, RangeJet v) {
  Range over = inverse(v.value);
  RangeJet one = {over, minus(times(v.rate, times(over, over))), v.changes};
  return product(u, one);
}
static RangeJet logarithm(RangeJet u) {
  if (!(u.value.low > 0))
    return (RangeJet){everything, everything, u.changes};
  return ascending(u, asp_ln, inverse(u.value));
}
static RangeJet exponential(RangeJet u) {
  Range value = between(asp_exp(u.value.low), asp_exp(u.value.high));
  return chain(u, value, value);
}
static RangeJet raised(RangeJet u, RangeJet v) {
  if (!is_point(v.value))
    return exponential(product(v, logarithm(u)));
  double c = v.value.low;
  return chain(u, power(u.value, c), c == 0 ? point(0) : times(point(c), power(u.value, c - 1)));
}
static RangeJet angle_of(RangeJet y, RangeJet x) {
  RangeJet of = {{-ASP_PI, ASP_PI}, everything, y.changes || x.changes};
  Range r = plus(square(x.value), square(y.value));
  of.changes = of.changes || (x.value.low <= 0 && holds(y.value, 0));
  if (r.low > 0)
    of.rate = times(plus(times(x.value, y.rate), minus(times(y.value, x.rate))), inverse(r));
  return of;
}

/* ---- branches ---- */

typedef enum Sign { SIGN_BELOW, SIGN_NOT_BELOW, SIGN_OPEN } Sign;

/* Of a margin that decides between branches. One that stays as it is decides for all of the interval, and so does one
 * that is zero at an end of its range. */
static Sign sign_of(RangeJet margin) {
  if (margin.value.low >= 0)
    return SIGN_NOT_BELOW;
  return margin.value.high <= 0 ? SIGN_BELOW : SIGN_OPEN;
}

static RangeJet either(RangeJet u, RangeJet v) {
  return (RangeJet){hull(u.value, v.value), hull(u.rate, v.rate), true};
}
static RangeJet choose(RangeJet margin, RangeJet not_below, RangeJet below) {
  Sign sign = sign_of(margin);
  return sign == SIGN_OPEN ? either(not_below, below) : sign == SIGN_BELOW ? below : not_below;
}
static RangeJet larger(RangeJet u, RangeJet v) {
  RangeJet of = choose(sum(u, negative(v)), u, v);
  return (RangeJet){{fmax(u.value.low, v.value.low), fmax(u.value.high, v.value.high)}, of.rate, of.changes};
}
static RangeJet smaller(RangeJet u, RangeJet v) { return negative(larger(negative(u), negative(v))); }
static RangeJet constant(double value) { return (RangeJet){point(value), point(0), false}; }

static RangeJet smooth_step(RangeJet u, RangeJet start, RangeJet end) {
  RangeJet s = quotient(sum(u, negative(start)), sum(end, negative(start)));
  s = smaller(larger(s, constant(0)), constant(1));
  Range rest = plus(point(3), minus(times(point(2), s.value)));
  Range slope = times(point(6), times(s.value, plus(point(1), minus(s.value)))); // exact: of s^2 (3 - 2 s)
  return chain(s, times(square(s.value), rest), slope);
}

static RangeJet looked_up(const AspTable *table, RangeJet u) {
  RangeJet of = asp_table_range(table, u.value), chained = chain(u, of.value, of.rate);
  chained.changes = u.changes || of.changes;
  return chained;
}

static RangeJet variable_range(const AspInput *input, Range t) {
  AspJet first = asp_input_at(input, t.low), last = asp_input_at(input, t.high);
  RangeJet of = {between(first.value, last.value), between(first.rate, last.rate), false};
  double widest = fmax(fabs(of.rate.low), fabs(of.rate.high)) * (t.high - t.low);
  if (first.acceleration != 0) // it may turn round
    of.value = plus(of.value, (Range){-widest, widest});
  return of;
}

/* ---- the program ---- */

static RangeJet of_function(Code code, RangeJet u) {
  Range x = u.value, size = size_of(x);
  switch (code) {
  case CODE_SIN:
    return chain(u, sine(x), cosine(x));
  case CODE_COS:
    return chain(u, cosine(x), minus(sine(x)));
  case CODE_TAN: {
    Range slope = inverse(square(cosine(x)));
    return isinf(slope.high) ? (RangeJet){everything, everything, u.changes} : ascending(u, asp_tan, slope);
  }
  case CODE_ASIN:
    return ascending(u, asp_asin, power(plus(point(1), minus(square(x))), -0.5));
  case CODE_ACOS:
    return negative(sum(of_function(CODE_ASIN, u), constant(-ASP_PI / 2)));
  case CODE_ATAN:
    return ascending(u, asp_atan, inverse(plus(point(1), square(x))));
  case CODE_SINH:
    return ascending(u, asp_sinh, between(asp_cosh(size.low), asp_cosh(size.high)));
  case CODE_COSH:
    return chain(u, between(asp_cosh(size.low), asp_cosh(size.high)), between(asp_sinh(x.low), asp_sinh(x.high)));
  case CODE_TANH: {
    double near = asp_tanh(size.low), far = asp_tanh(size.high);
    return ascending(u, asp_tanh, between(1 - near * near, 1 - far * far));
  }
  case CODE_EXP:
    return exponential(u);
  case CODE_LOG:
    return logarithm(u);
  case CODE_SQRT:
    return x.low < 0 ? (RangeJet){everything, everything, u.changes} : raised(u, constant(0.5));
  case CODE_ABS:
    return larger(u, negative(u));
  case CODE_SIGN:
    return is_point(x) ? constant(x.low > 0 ? 1 : x.low < 0 ? -1 : 0) : choose(u, constant(1), constant(-1));
  default:
    return (RangeJet){everything, everything, u.changes};
  }
}

static RangeJet apply(const Operation *operation, const RangeJet *u, Range t, const AspInput *variable) {
  switch (operation->code) {
  case CODE_NUMBER:
    return constant(operation->number);
  case CODE_TIME:
    return (RangeJet){t, point(1), false};
  case CODE_VARIABLE:
    return variable_range(&variable[(int)operation->number], t);
  case CODE_NEGATIVE:
  case CODE_NOT:
    return negative(u[0]);
  case CODE_SUM:
    return sum(u[0], u[1]);
  case CODE_DIFFERENCE:
  case CODE_GREATER:
  case CODE_AT_LEAST:
    return sum(u[0], negative(u[1]));
  case CODE_LESS:
  case CODE_AT_MOST:
    return sum(u[1], negative(u[0]));
  case CODE_PRODUCT:
    return product(u[0], u[1]);
  case CODE_QUOTIENT:
    return quotient(u[0], u[1]);
  case CODE_POWER:
    return raised(u[0], u[1]);
  case CODE_ATAN2:
    return angle_of(u[0], u[1]);
  case CODE_MIN:
  case CODE_AND:
    return smaller(u[0], u[1]);
  case CODE_MAX:
  case CODE_OR:
    return larger(u[0], u[1]);
  case CODE_CLAMP:
    return smaller(larger(u[0], u[1]), u[2]);
  case CODE_STEP:
    return choose(sum(u[0], negative(u[1])), constant(1), constant(0));
  case CODE_SMOOTHSTEP:
    return smooth_step(u[0], u[1], u[2]);
  case CODE_TABLE:
    return looked_up(operation->table, u[0]);
  case CODE_IF:
    return choose(u[0], u[1], u[2]);
  default:
    return of_function(operation->code, u[0]);
  }
}

RangeJet asp_expression_range(const AspExpression *expression, Range t, const AspInput *variable) {
  RangeJet stack[EXPRESSION_STACK_MAX];
  int top = 0;
  for (int i = 0; i < expression->count; i++) {
    const Operation *operation = &expression->operation[i];
    top -= asp_operands(operation->code);
    stack[top] = apply(operation, &stack[top], t, variable);
    top++;
  }
  return stack[0];
}
