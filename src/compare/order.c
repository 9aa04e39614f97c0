/* What values at dt, dt/2, ..., dt/2^(L-1) say about their limit. With the differences d_l = |y_(l+1) - y_l|:
 *
 *   p_l     = log2(d_(l-1) / d_l)                                      order seen between two of them
 *   regular   the last two p_l are alike:   y* by Richardson, error |y* - that of the level before|
 *   irregular d_l fall, but not steadily (instants of impacts move within a step): the finest value stands, and
 *             error = 3 max(d_last, d_before / 2^p) / (2^p - 1),  p the slope of the last differences, at most 1
 *   settled   the differences are no larger than what the tolerance of the steps leaves
 *   none      they do not fall: no limit is seen
 *
 * A chaotic motion, one that is not unique, or one beyond a jam has differences that stay; the same is seen in the
 * samples of all positions on the way, which tell up to when the motion converges. (Roache, Annu. Rev. Fluid Mech. 29,
 * 1997: grid convergence index, and its factor of 3 where no order is seen.) */
#include "base/elementary.h"
#include "compare/converge.h"
#include "compare/tuning/compare.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *asp_converge_state_name(AspConvergeState state) {
  static const char *const names[ASP_CONVERGE_STATES] = {"regular", "irregular", "settled", "none"};
  return ASP_NAME_OF(names, state);
}

/* Slope of log2 d over the last three differences, or two, by least squares. */
static double slope(const double *d, int count) {
  int from = count > 3 ? count - 3 : 0, used = count - from;
  double mean_l = 0.5 * (used - 1), mean = 0, over = 0, under = 0;
  for (int i = 0; i < used; i++)
    mean += asp_log2(fmax(d[from + i], ORDER_TINY)) / used;
  for (int i = 0; i < used; i++) {
    over += (i - mean_l) * (asp_log2(fmax(d[from + i], ORDER_TINY)) - mean);
    under += (i - mean_l) * (i - mean_l);
  }
  return -over / under;
}

static double order_at(const double *d, int l) { return asp_log2(fmax(d[l - 1], ORDER_TINY) / fmax(d[l], ORDER_TINY)); }

static double extrapolate(const double *y, int last, double order) {
  return y[last] + (y[last] - y[last - 1]) / (asp_exp2(order) - 1);
}

static bool falls(const double *d, int count, double order) {
  double before = count > 2 ? fmax(d[count - 2], d[count - 3]) : d[count - 2];
  return order >= ORDER_LEAST && d[count - 1] <= ORDER_FALLS * sqrt(2) * before;
}

static void judge_falling(AspConvergeRow *row, const double *d, int count, double floor) {
  double last = order_at(d, count - 1), previous = count > 2 ? order_at(d, count - 2) : last;
  bool steady = last >= ORDER_LEAST && previous >= ORDER_LEAST && fabs(last - previous) <= ORDER_ALIKE;
  if (steady) {
    double order = fmin(last, ORDER_MOST);
    row->state = ASP_CONVERGE_REGULAR;
    row->order = order;
    row->extrapolated = extrapolate(row->value, count, order);
    double before = count > 2 ? extrapolate(row->value, count - 1, fmin(previous, ORDER_MOST)) : row->value[count];
    row->error = fmax(fabs(row->extrapolated - before), floor / ORDER_SOLVER_FACTOR);
    return;
  }
  double order = fmin(fmax(row->order, ORDER_LEAST), 1);
  row->state = ASP_CONVERGE_IRREGULAR;
  row->extrapolated = row->value[count];
  row->error = ORDER_UNSURE * fmax(d[count - 1], d[count - 2] / asp_exp2(order)) / (asp_exp2(order) - 1);
}

void asp_converge_judge(AspConvergeRow *row, int levels, double floor) {
  double d[ASP_CONVERGE_LEVELS_MAX] = {0};
  int count = levels - 1;
  bool finite = true;
  for (int l = 0; l < count; l++) {
    d[l] = fabs(row->value[l + 1] - row->value[l]);
    finite = finite && isfinite(d[l]);
  }
  row->state = ASP_CONVERGE_NONE;
  row->order = row->extrapolated = row->error = NAN;
  if (!finite)
    return;
  double largest = fmax(d[count - 1], d[count - 2]);
  if (largest <= ORDER_ROUNDING * row->scale) {
    row->state = ASP_CONVERGE_SETTLED;
  } else {
    row->order = fmin(slope(d, count), ORDER_MOST);
    if (falls(d, count, row->order)) {
      judge_falling(row, d, count, floor);
      return;
    }
    if (largest <= floor)
      row->state = ASP_CONVERGE_SETTLED;
  }
  if (row->state == ASP_CONVERGE_SETTLED) {
    row->order = NAN;
    row->extrapolated = row->value[count];
    row->error = largest;
  }
}

/* Largest way of a point between two levels at a sample, m; the size of the scene into *size. */
static double distance_at(const Converge *converge, const LevelData *a, const LevelData *b, int sample, double *size) {
  size_t points = (size_t)asp_model_body_count(converge->model) * CONVERGE_POINTS;
  const double *at = a->track + points * (size_t)sample, *other = b->track + points * (size_t)sample;
  double largest = 0;
  for (size_t i = 0; i + 2 < points; i += 3) {
    largest = fmax(largest, asp_hypot(asp_hypot(at[i] - other[i], at[i + 1] - other[i + 1]), at[i + 2] - other[i + 2]));
    *size = fmax(*size, fmax(fmax(fabs(at[i]), fabs(at[i + 1])), fabs(at[i + 2])));
  }
  return largest;
}

/* ---- the rows ---- */

/* Quaternions q and -q are the same: sign of each as at the first level. */
static void align_quaternions(const Quantity *quantities, AspConvergeRow *rows, int count, int levels) {
  for (int i = 0; i + 3 < count; i++) {
    const Quantity *first = &quantities[i], *last = &quantities[i + 3];
    if (strcmp(first->kind_name, "orientation") != 0 || first->part != 0 || last->part != 3 ||
        last->index != first->index || last->kind != first->kind)
      continue;
    for (int l = 1; l < levels; l++) {
      double same = 0;
      for (int k = 0; k < 4; k++)
        same += rows[i + k].value[l] * rows[i + k].value[0];
      for (int k = 0; k < 4 && same < 0; k++)
        rows[i + k].value[l] = -rows[i + k].value[l];
    }
  }
}

/* What differences of a kind are measured against: its largest value, or, where there is hardly any motion of that
 * kind, what the scene's mass, size and duration make natural for it. */
static void set_scales(const Converge *converge, const LevelData *finest, AspConvergeRow *rows, int count, int levels) {
  const AspModel *model = converge->model;
  double size = 0, mass = 0, of_kind[64] = {0};
  for (int sample = 0; sample < converge->sample_count; sample++)
    distance_at(converge, finest, finest, sample, &size);
  for (int body = 0; body < asp_model_body_count(model); body++)
    mass += asp_model_body_is_free(model, body) ? asp_model_body_mass(model, body) : 0;
  for (int i = 0; i < count; i++) {
    const Quantity *quantity = &converge->quantities.list[i];
    double largest =
        asp_quantity_natural_size(quantity, fmax(mass, ORDER_NOTHING), fmax(size, ORDER_NOTHING), converge->run->until);
    for (int l = 0; l < levels; l++)
      largest = fmax(largest, fabs(rows[i].value[l]));
    of_kind[quantity->kind] = fmax(of_kind[quantity->kind], largest);
  }
  for (int i = 0; i < count; i++)
    rows[i].scale = of_kind[converge->quantities.list[i].kind];
}

/* ---- the motion on the way ---- */

/* Do positions converge at this sample? The distances stand in for differences of one value. */
static bool converges_at(const Converge *converge, const LevelData *const *levels, int count, int sample) {
  AspConvergeRow row = {0};
  double size = 0;
  for (int l = 0; l + 1 < count; l++)
    row.value[l + 1] = row.value[l] + distance_at(converge, levels[l], levels[l + 1], sample, &size);
  row.scale = size;
  asp_converge_judge(&row, count, ORDER_SOLVER_FACTOR * converge->run->tolerance * size);
  return row.state != ASP_CONVERGE_NONE;
}

static void judge_motion(const Converge *converge, const LevelData *const *levels, int count, AspConvergence *verdict) {
  int sample = converge->sample_count - 1;
  while (sample >= 0 && !converges_at(converge, levels, count, sample))
    sample--;
  verdict->motion_lost = sample + 1 < converge->sample_count;
  verdict->until = sample >= 0 ? converge->sample_time[sample] : 0;
}

/* ---- why not ---- */

/* The earliest time that some level noted; NaN: none did. */
static double earliest(const LevelData *const *levels, int count, size_t offset) {
  double first = NAN;
  for (int l = 0; l < count; l++)
    first = fmin(first, *(const double *)((const char *)levels[l] + offset)); // fmin passes over NaN
  return first;
}

static void explain(const LevelData *const *levels, AspConvergence *verdict) {
  double none_at = earliest(levels, verdict->levels, offsetof(LevelData, none_at));
  double impulse_at = earliest(levels, verdict->levels, offsetof(LevelData, impulse_at));
  double several_at = earliest(levels, verdict->levels, offsetof(LevelData, several_at));
  char *text = verdict->reason;
  size_t size = sizeof verdict->reason;
  int used = 0;
  if (verdict->missing == 0)
    return;
  if (!verdict->motion_lost)
    used = snprintf(text, size,
                    "the motion as a whole converges, but not each of these at its end: instants of impacts and of "
                    "sticking move with dt, and velocities and forces jump there; more levels or another end "
                    "would tell");
  else if (verdict->until > 0)
    used = snprintf(text, size, "positions converge up to about t = %.6g s and not beyond", verdict->until);
  else
    used = snprintf(text, size, "positions do not converge from the start");
  if (used < 0 || (size_t)used >= size || !verdict->motion_lost)
    return;
  text += used;
  size -= (size_t)used;
  if (!isnan(none_at))
    snprintf(text, size, "; no finite forces exist at t = %.6g s (a jam): beyond, there is no limit", none_at);
  else if (!isnan(impulse_at))
    snprintf(text, size, "; an impulse without collision at t = %.6g s: beyond, there may be no limit", impulse_at);
  else if (!isnan(several_at))
    snprintf(text, size, "; the motion is not unique at t = %.6g s: its limit depends on the choice", several_at);
  else
    snprintf(text, size,
             "; differences do not shrink with dt: the motion is sensitive to small changes (chaos), not unique, or "
             "the steps are still too long: shorter ones (a smaller dt, more levels) would tell");
}

/* Fewer lengths of step than a rate needs: which one did not run to the end, and why. */
static void explain_few(AspConvergence *found) {
  int l = 0;
  while (l + 1 < found->level_count && found->level[l].done)
    l++;
  const char *message = found->level[l].message;
  snprintf(found->reason, sizeof found->reason, "at least %d lengths of step must run to the end; dt = %g s: %.300s",
           ASP_CONVERGE_LEVELS_MIN, found->level[l].dt, *message ? message : "not reached");
}

AspError asp_converge_conclude(const Converge *converge) {
  const LevelData *levels[ASP_CONVERGE_LEVELS_MAX];
  const Quantities *quantities = &converge->quantities;
  AspConvergence *found = converge->found;
  for (int l = 0; l < found->level_count; l++) {
    found->uncertified += found->level[l].summary.steps_uncertified;
    if (found->level[l].done) {
      found->dt[found->levels] = found->level[l].dt;
      levels[found->levels++] = &converge->level[l];
    }
  }
  if (found->levels < ASP_CONVERGE_LEVELS_MIN) {
    explain_few(found);
    return ASP_OK;
  }
  found->row = asp_allocate(converge->context, (size_t)quantities->count, sizeof *found->row);
  if (!found->row)
    return ASP_ERROR_MEMORY;
  found->row_count = quantities->count;
  for (int i = 0; i < found->row_count; i++) {
    AspConvergeRow *row = &found->row[i];
    memcpy(row->name, quantities->list[i].name, sizeof row->name);
    row->unit = quantities->list[i].unit;
    for (int l = 0; l < found->levels; l++)
      row->value[l] = levels[l]->value[i];
  }
  align_quaternions(quantities->list, found->row, found->row_count, found->levels);
  set_scales(converge, levels[found->levels - 1], found->row, found->row_count, found->levels);
  for (int i = 0; i < found->row_count; i++) {
    AspConvergeRow *row = &found->row[i];
    asp_converge_judge(row, found->levels, ORDER_SOLVER_FACTOR * converge->run->tolerance * row->scale);
    found->missing += row->state == ASP_CONVERGE_NONE;
  }
  judge_motion(converge, levels, found->levels, found);
  explain(levels, found);
  found->converged = found->missing == 0 && found->uncertified == 0;
  return ASP_OK;
}
