/* Tables: piecewise polynomials through given points (x_i, y_i), integrated up to two times.
 *
 *   linear:  y_i + (y_i+1 - y_i) s / h                      s = x - x_i, h = x_i+1 - x_i
 *   cubic:   the spline with continuous second derivative (spline.c)
 *   integrated: F(x) = integral of f from x_0 to x, piece by piece, exact for the polynomials; the values at the points
 *   are sums with compensation (Neumaier 1974), so that 10^6 pieces lose no digits.
 *
 * Beyond the ends the function is again a polynomial: the last value, zero, or the last value and slope; or it repeats.
 * A repeated function that was integrated grows by the integral A over a period P: after k periods
 *
 *   F + k A,   and for the second integral   G + k G(P) + A (P k (k - 1) / 2 + k (u - x_0)),   u = x - k P.
 *
 * Finding a piece costs one division where the points are evenly spaced, otherwise a bisection; nothing is remembered
 * from call to call, so that threads can share a table. Depends on jet.h, spline.c.
 */
#include "model/table.h"
#include "model/jet.h"
#include "model/model.h"
#include "model/range.h"
#include "model/spline.h"

#define TABLE_COOKIE UINT32_C(0x7ab1e001)

AspTableDef asp_table_default(void) { return (AspTableDef){.cookie = TABLE_COOKIE}; }

const char *const asp_table_interpolation_names[] = {"linear", "cubic", NULL};
const char *const asp_table_outside_names[] = {"hold", "zero", "extend", "repeat", NULL};
const char *asp_table_interpolation_name(AspTableInterpolation interpolation) {
  return (unsigned)interpolation <= ASP_TABLE_CUBIC ? asp_table_interpolation_names[interpolation] : "unknown";
}
const char *asp_table_outside_name(AspTableOutside outside) {
  return (unsigned)outside <= ASP_TABLE_REPEAT ? asp_table_outside_names[outside] : "unknown";
}

/* ---- what a definition must satisfy ---- */

static AspError check_points(AspContext *context, const AspTableDef *def) {
  for (int i = 0; i < def->count; i++) {
    if (!isfinite(def->x[i]) || !isfinite(def->y[i]))
      return asp_fail(context, ASP_ERROR_INPUT, "point %d is (%g, %g); both must be finite", i + 1, def->x[i],
                      def->y[i]);
    if (i > 0 && !(def->x[i] > def->x[i - 1]))
      return asp_fail(context, ASP_ERROR_INPUT,
                      "point %d is at %.15g, point %d before it at %.15g; points must ascend, each at a place of its "
                      "own: sort them and leave out the double ones",
                      i + 1, def->x[i], i, def->x[i - 1]);
  }
  return ASP_OK;
}

static AspError check_definition(AspContext *context, const AspTableDef *def) {
  bool repeats = def->outside == ASP_TABLE_REPEAT;
  int least = repeats && def->interpolation == ASP_TABLE_CUBIC ? SPLINE_PERIODIC_LEAST : 2;
  if ((unsigned)def->interpolation > ASP_TABLE_CUBIC || (unsigned)def->outside > ASP_TABLE_REPEAT ||
      (unsigned)def->integrate > 2)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "interpolation %d, outside %d or integrate %d is not one there is",
                    (int)def->interpolation, (int)def->outside, def->integrate);
  if (def->count < least || def->count > TABLE_POINTS_MAX)
    return asp_fail(context, ASP_ERROR_INPUT, "%d points; a table%s has %d to %d", def->count,
                    least > 2 ? " that is cubic and repeats" : "", least, TABLE_POINTS_MAX);
  if (!def->x || !def->y)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "x or y is NULL");
  ASP_TRY(check_points(context, def));
  double first = def->y[0], last = def->y[def->count - 1], most = 0;
  for (int i = 0; i < def->count; i++)
    most = fmax(most, fabs(def->y[i]));
  if (repeats && fabs(last - first) > TABLE_CLOSED * most)
    return asp_fail(context, ASP_ERROR_INPUT,
                    "it repeats, but begins with %.15g and ends with %.15g: the last point must have the value of the "
                    "first, one period later",
                    first, last);
  return ASP_OK;
}

/* ---- making the pieces ---- */

static double *piece_of(const AspTable *table, int k) { return table->piece + (size_t)k * (size_t)table->terms; }

/* Value and derivatives of the polynomial at s. */
static AspJet polynomial(const double *c, int terms, double s) {
  double value = c[terms - 1], first = 0, half_second = 0;
  for (int i = terms - 2; i >= 0; i--) {
    half_second = half_second * s + first;
    first = first * s + value;
    value = value * s + c[i];
  }
  return (AspJet){value, first, 2 * half_second};
}

/* The pieces between the points; `curve`: second derivatives at the points, NULL: linear. */
static void set_pieces(AspTable *table, const double *y, const double *curve) {
  const double *x = table->x;
  for (int i = 0; i + 1 < table->def.count; i++) {
    double h = x[i + 1] - x[i], slope = (y[i + 1] - y[i]) / h, *c = piece_of(table, i + 1);
    c[0] = y[i];
    c[1] = slope;
    if (curve) {
      c[1] -= h * (2 * curve[i] + curve[i + 1]) / 6; // exact: of the spline through second derivatives
      c[2] = curve[i] / 2;
      c[3] = (curve[i + 1] - curve[i]) / (6 * h); // exact: the same
    }
  }
}

static void set_ends(AspTable *table) {
  int count = table->def.count;
  const double *first = piece_of(table, 1), *last = piece_of(table, count - 1);
  AspJet begin = polynomial(first, table->terms, 0);
  AspJet end = polynomial(last, table->terms, table->x[count - 1] - table->x[count - 2]);
  double *before = piece_of(table, 0), *behind = piece_of(table, count);
  bool zero = table->def.outside == ASP_TABLE_ZERO, extend = table->def.outside == ASP_TABLE_EXTEND;
  before[0] = zero ? 0 : begin.value;
  behind[0] = zero ? 0 : end.value;
  before[1] = extend ? begin.rate : 0;
  behind[1] = extend ? end.rate : 0;
}

/* Its integral from x_0 in place of the function. */
static void integrate(AspTable *table) {
  double sum = 0, lost = 0;
  for (int k = 0; k <= table->def.count; k++) {
    double *c = piece_of(table, k);
    for (int i = table->terms - 1; i > 0; i--)
      c[i] = c[i - 1] / i;
    c[0] = 0;
    double h = k > 0 && k < table->def.count ? table->x[k] - table->x[k - 1] : 0;
    double more = polynomial(c, table->terms, h).value;
    c[0] = sum + lost;
    double total = sum + more;
    lost += fabs(sum) >= fabs(more) ? (sum - total) + more : (more - total) + sum;
    sum = total;
  }
}

/* How many derivatives have no jump anywhere. */
static int smoothness(const AspTable *table, const double *y) {
  const AspTableDef *def = &table->def;
  bool cubic = def->interpolation == ASP_TABLE_CUBIC;
  int inside = cubic ? 2 : 0, ends = cubic ? 1 : 0;
  if (!cubic && def->count == 2 && def->outside != ASP_TABLE_REPEAT)
    inside = 2; // one line
  if (def->outside == ASP_TABLE_EXTEND || def->outside == ASP_TABLE_REPEAT)
    ends = inside;
  if (def->outside == ASP_TABLE_ZERO && (y[0] != 0 || y[def->count - 1] != 0))
    ends = -1;
  return (inside < ends ? inside : ends) + def->integrate;
}

/* Points per unit of x, where all lie within a hundredth of a spacing of an even grid. */
static double even_spacing(const AspTable *table) {
  int count = table->def.count;
  double per_x = (count - 1) / (table->x[count - 1] - table->x[0]);
  for (int i = 0; i < count; i++)
    if (!(fabs((table->x[i] - table->x[0]) * per_x - i) < TABLE_EVEN))
      return 0;
  return per_x;
}

static AspError build(AspContext *context, AspTable *table, const double *y) {
  static const SplineEnds ends[] = {[ASP_TABLE_HOLD] = SPLINE_CLAMPED,
                                    [ASP_TABLE_ZERO] = SPLINE_CLAMPED,
                                    [ASP_TABLE_EXTEND] = SPLINE_NATURAL,
                                    [ASP_TABLE_REPEAT] = SPLINE_PERIODIC};
  const AspTableDef *def = &table->def;
  double *curve = NULL;
  if (def->interpolation == ASP_TABLE_CUBIC) {
    curve = asp_allocate(context, (size_t)def->count, sizeof *curve);
    AspError error =
        curve ? asp_spline_curvature(context, def->count, table->x, y, ends[def->outside], curve) : ASP_ERROR_MEMORY;
    if (error != ASP_OK) {
      asp_release(context, curve);
      return error;
    }
  }
  set_pieces(table, y, curve);
  asp_release(context, curve);
  set_ends(table);
  for (int i = 0; i < def->integrate; i++) {
    integrate(table);
    if (i == 0)
      table->growth = piece_of(table, def->count)[0];
  }
  for (size_t i = 0; i < (size_t)(def->count + 1) * (size_t)table->terms; i++)
    if (!isfinite(table->piece[i]))
      return asp_fail(context, ASP_ERROR_INPUT, "its numbers are too large, or its points too close, to interpolate");
  table->smooth = smoothness(table, y);
  table->per_x = even_spacing(table);
  return ASP_OK;
}

static AspTable *allocate(AspContext *context, const AspTableDef *def, int terms) {
  AspTable *table = asp_allocate(context, 1, sizeof *table);
  if (!table)
    return NULL;
  *table = (AspTable){.def = *def, .terms = terms};
  table->def.y = NULL;
  table->x = asp_allocate(context, (size_t)def->count, sizeof *table->x);
  table->piece = asp_allocate(context, (size_t)(def->count + 1) * (size_t)terms, sizeof *table->piece);
  if (table->x && table->piece) {
    memcpy(table->x, def->x, (size_t)def->count * sizeof *table->x);
    table->def.x = table->x;
    return table;
  }
  asp_table_destroy(context, table);
  return NULL;
}

AspError asp_table_make(AspContext *context, const AspTableDef *def, AspTable **table) {
  *table = NULL;
  ASP_TRY(check_definition(context, def));
  AspTable *made = allocate(context, def, (def->interpolation == ASP_TABLE_CUBIC ? 4 : 2) + def->integrate);
  if (!made)
    return ASP_ERROR_MEMORY;
  AspError error = build(context, made, def->y);
  if (error == ASP_OK)
    *table = made;
  else
    asp_table_destroy(context, made);
  return error;
}

AspError asp_table_copy(AspContext *context, const AspTable *from, AspTable **table) {
  AspTable *made = allocate(context, &from->def, from->terms);
  *table = made;
  if (!made)
    return ASP_ERROR_MEMORY;
  AspTable kept = *made;
  *made = *from;
  made->x = kept.x;
  made->def.x = kept.x;
  made->piece = kept.piece;
  memcpy(made->piece, from->piece, (size_t)(from->def.count + 1) * (size_t)from->terms * sizeof *made->piece);
  return ASP_OK;
}

void asp_table_destroy(AspContext *context, AspTable *table) {
  if (!table)
    return;
  asp_release(context, table->x);
  asp_release(context, table->piece);
  asp_release(context, table);
}

AspError asp_table_check_motion(AspContext *context, const AspTable *table) {
  const AspTableDef *def = &table->def;
  if (table->smooth >= 1)
    return ASP_OK;
  if (def->outside == ASP_TABLE_ZERO && table->smooth - def->integrate < 0)
    return asp_fail(context, ASP_ERROR_INPUT,
                    "the table '%s' jumps to zero at its ends; a prescribed motion cannot jump: let the table begin "
                    "and end with 0, or use \"outside\": \"hold\" or \"extend\"",
                    def->name);
  return asp_fail(context, ASP_ERROR_INPUT,
                  "the table '%s' is linear: its slope jumps at its points, and a prescribed motion needs a velocity "
                  "without jumps: use \"interpolation\": \"cubic\", or a table of the velocity with \"integrate\": 1",
                  def->name);
}

/* ---- evaluation ---- */

/* The piece with x; `back`: x moves down, so that at a point the piece below it is next. */
static int find_piece(const AspTable *table, double x, bool back) {
  int count = table->def.count, low = 0,
      high = count; // points below `low` lie at or before x, those from `high` behind
  if (table->per_x > 0) {
    double guess = (x - table->x[0]) * table->per_x;
    low = guess < 2 ? 0 : guess > count ? count - 1 : (int)guess - 1;
    high = guess < 0 ? 1 : guess + 3 > count ? count : (int)guess + 3;
  }
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (table->x[middle] < x || (table->x[middle] == x && !back))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The function and its two derivatives at x, with respect to x. */
static AspJet value_at(const AspTable *table, double x, bool back) {
  int count = table->def.count;
  double first = table->x[0], periods = 0, period = table->x[count - 1] - first;
  if (table->def.outside == ASP_TABLE_REPEAT) {
    periods = floor((x - first) / period);
    x = fmin(fmax(x - periods * period, first), table->x[count - 1]);
    if (back && x == first) { // at the start of a period, on the way into the one before
      periods--;
      x = table->x[count - 1];
    }
  }
  int k = find_piece(table, x, back);
  if (table->def.outside == ASP_TABLE_REPEAT)
    k = k < 1 ? 1 : k > count - 1 ? count - 1 : k;
  double s = x - table->x[k > 0 ? k - 1 : 0];
  AspJet f = polynomial(piece_of(table, k), table->terms, s);
  double grown = periods * table->growth;
  if (periods != 0 && table->def.integrate == 1)
    f.value += grown;
  if (periods != 0 && table->def.integrate == 2) {
    f.value += periods * piece_of(table, count)[0] + grown * (period * (periods - 1) / 2 + (x - first));
    f.rate += grown;
  }
  return f;
}

AspJet asp_table_at(const AspTable *table, AspJet x) {
  if (!isfinite(x.value))
    return jet_nan();
  bool back = x.rate < 0 || (x.rate == 0 && x.acceleration < 0);
  AspJet f = value_at(table, x.value, back);
  return jet_chain(x, f.value, f.rate, f.acceleration);
}

/* Bounds of the derivative of piece k from s.low to s.high, by Horner's rule on ranges. */
static Range slope_range(const AspTable *table, int k, Range s) {
  const double *c = piece_of(table, k);
  Range of = {0, 0};
  for (int i = table->terms - 1; i > 0; i--) {
    double a = of.low * s.low, b = of.low * s.high, d = of.high * s.low, e = of.high * s.high;
    of = (Range){fmin(fmin(a, b), fmin(d, e)) + i * c[i], fmax(fmax(a, b), fmax(d, e)) + i * c[i]};
  }
  return of;
}

RangeJet asp_table_range(const AspTable *table, Range x) {
  int count = table->def.count;
  double first = table->x[0], period = table->x[count - 1] - first, way = x.high - x.low;
  bool repeats = table->def.outside == ASP_TABLE_REPEAT, integrated_twice = table->def.integrate == 2;
  double periods = repeats ? floor((x.low - first) / period) : 0;
  RangeJet of = {{-INFINITY, INFINITY}, {-INFINITY, INFINITY}, table->smooth < 1};
  if (!isfinite(way) || (repeats && !(x.high - periods * period <= table->x[count - 1])))
    return of; // over an end of a period: halves of it are not
  Range in = {x.low - periods * period, x.high - periods * period};
  int low = find_piece(table, in.low, false), high = find_piece(table, in.high, true);
  if (repeats) {
    low = low < 1 ? 1 : low > count - 1 ? count - 1 : low;
    high = high < 1 ? 1 : high > count - 1 ? count - 1 : high;
  }
  if (high - low > TABLE_PIECES_AT_ONCE)
    return of;
  of.changes = of.changes && high > low;
  of.rate = (Range){INFINITY, -INFINITY};
  for (int k = low; k <= (high > low ? high : low); k++) {
    double origin = table->x[k > 0 ? k - 1 : 0];
    Range s = {fmax(in.low, k > 0 ? table->x[k - 1] : -INFINITY) - origin,
               fmin(in.high, k < count ? table->x[k] : INFINITY) - origin};
    Range slope = slope_range(table, k, s);
    of.rate = (Range){fmin(of.rate.low, slope.low), fmax(of.rate.high, slope.high)};
  }
  double grown = integrated_twice ? periods * table->growth : 0, begin = value_at(table, x.low, false).value,
         end = value_at(table, x.high, true).value;
  of.rate = (Range){of.rate.low + grown, of.rate.high + grown};
  double far = way * fmax(fabs(of.rate.low), fabs(of.rate.high)); // from either end, up to a jump
  of.value = (Range){fmin(begin, end) - far, fmax(begin, end) + far};
  return of;
}

/* ---- tables of a model ---- */

AspError asp_model_add_table(AspModel *model, const AspTableDef *def, int *table) {
  AspContext *context = model->context;
  ModelTables *tables = &model->tables;
  AspTable *made = NULL;
  char label[ASP_LABEL_BYTES];
  asp_model_label(label, "table", tables->names.count, def->name);
  ASP_TRY(asp_model_may_add(model, "table", def->cookie == TABLE_COOKIE));
  AspError error = ASP_GROW(context, tables->table, tables->capacity, tables->names.count + 1);
  if (error == ASP_OK)
    error = asp_table_make(context, def, &made);
  if (error == ASP_OK)
    error = asp_model_name_element(model, &tables->names, def->name, label);
  if (error != ASP_OK) {
    asp_table_destroy(context, made);
    asp_fail_prefix(context, "table '%s': ", label);
    return error;
  }
  *table = tables->names.count - 1;
  made->def.name = tables->names.name[*table];
  tables->table[*table] = made;
  return ASP_OK;
}

void asp_tables_release(AspModel *model) {
  for (int i = 0; i < model->tables.names.count; i++)
    asp_table_destroy(model->context, model->tables.table[i]);
  asp_release(model->context, model->tables.table);
  asp_names_release(model->context, &model->tables.names);
}

int asp_model_table_count(const AspModel *model) { return model->tables.names.count; }
const AspTable *asp_model_table(const AspModel *model, int table) { return model->tables.table[table]; }
int asp_model_find_table(const AspModel *model, const char *name) { return asp_names_find(&model->tables.names, name); }
const AspTableDef *asp_table_definition(const AspTable *table) { return &table->def; }
