/* Denominators of a residual that are raised, and discrepancies that are added: see residual.h. */
#include "problem/residual.h"
#include "base/elementary.h"

#include <math.h>

static double over(double numerator, double denominator) {
  double ratio = numerator / (denominator > 0 ? denominator : 1);
  return isfinite(ratio) ? ratio : INFINITY;
}

/* What E1, E2 and E3 are divided by. */
typedef struct Denominators {
  double largest, law, data;
} Denominators;

static Denominators denominators(const AspResidual *residual) {
  double q = fmax(residual->norm_q, residual->least_q), data = residual->rho * q;
  return (Denominators){fmax(q, fmax(residual->norm_u, residual->norm_r)), fmax(residual->norm_r, data), data};
}

/* The same numerator over another denominator; a denominator of zero counts as 1. */
static double rescaled(double value, double from, double to) { return over(value * (from > 0 ? from : 1), to); }

void asp_residual_floor(AspResidual *residual, double least_q) {
  Denominators before = denominators(residual);
  if (!(least_q > fmax(residual->norm_q, residual->least_q)) || !(before.largest > 0) ||
      !isfinite(before.largest)) // enough data, or neither data nor answer: nothing to measure
    return;
  residual->least_q = least_q;
  Denominators now = denominators(residual);
  residual->E1 = rescaled(residual->E1, before.largest, now.largest);
  residual->E2 = rescaled(residual->E2, before.law, now.law);
  residual->E2_rounding = rescaled(residual->E2_rounding, before.law, now.law);
  residual->E3 = rescaled(residual->E3, before.data, now.data);
  residual->E3_rounding = rescaled(residual->E3_rounding, before.data, now.data);
  residual->exact = rescaled(residual->exact, before.law, now.law);
}

void asp_residual_add(AspResidual *residual, double discrepancy) {
  Denominators by = denominators(residual);
  residual->E1 = asp_hypot(residual->E1, over(discrepancy, by.largest));
  residual->E2 = asp_hypot(residual->E2, over(discrepancy, by.law));
  residual->E3 = asp_hypot(residual->E3, over(discrepancy, by.data));
  residual->exact = asp_hypot(residual->exact, over(discrepancy, by.law));
}
