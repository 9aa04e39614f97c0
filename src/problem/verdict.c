/* Solved or not: see verdict.h. */
#include "problem/verdict.h"

#include <math.h>

/* The larger one; what is not a number is larger than any. */
static double larger(double a, double b) { return isnan(a) || isnan(b) ? INFINITY : fmax(a, b); }

double asp_verdict_measure(const AspTolerances *asked, const AspResidual *residual) {
  double law = larger(residual->E2, (1.0 / ASP_INFLATION) * residual->E3);
  return asked->ask_E1 ? larger(residual->E1, law) : law;
}

double asp_verdict_excess(const AspTolerances *asked, const AspResidual *residual) {
  double excess = asp_verdict_measure(asked, residual) / asked->residual;
  return asked->contact > 0 ? larger(excess, residual->contact / asked->contact) : excess;
}

bool asp_verdict_is_met(const AspTolerances *asked, const AspResidual *residual) {
  return asp_verdict_measure(asked, residual) <= asked->residual &&
         (!(asked->contact > 0) || residual->contact <= asked->contact);
}

double asp_verdict_allowed_map(const AspTolerances *asked, const AspResidual *residual) {
  double data = residual->rho * residual->norm_q;
  return asked->residual * fmin(fmax(residual->norm_r, data), ASP_INFLATION * data);
}

double asp_verdict_allowed_unit_map(const AspTolerances *asked, const AspResidual *residual) {
  double size = fmax(residual->norm_q, fmax(residual->norm_u, residual->norm_r));
  return asked->ask_E1 ? asked->residual * size : INFINITY;
}

AspResidual asp_verdict_worst(void) {
  return (AspResidual){.E1 = INFINITY, .E2 = INFINITY, .E3 = INFINITY, .exact = INFINITY, .contact = INFINITY};
}
