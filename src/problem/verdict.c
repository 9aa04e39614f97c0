/* Solved or not: see verdict.h. */
#include "problem/verdict.h"

#include "problem/residual.h"

#include <math.h>

/* The larger one; what is not a number is larger than any. */
static double larger(double a, double b) { return isnan(a) || isnan(b) ? INFINITY : fmax(a, b); }

/* Norm of q that the denominators are not below: data of this size times the tolerance are q's own rounding. */
static double least_data(const AspTolerances *asked, const AspResidual *residual) {
  return fmax(residual->least_q, residual->rounding / asked->residual);
}

double asp_verdict_measure(const AspTolerances *asked, const AspResidual *residual) {
  AspResidual raised;
  if (residual->rounding > asked->residual * fmax(residual->norm_q, residual->least_q)) {
    raised = *residual;
    asp_residual_floor(&raised, least_data(asked, residual));
    residual = &raised;
  }
  double law =
      larger(residual->E2 + residual->E2_rounding, (1.0 / ASP_INFLATION) * (residual->E3 + residual->E3_rounding));
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
  double data = residual->rho * fmax(residual->norm_q, least_data(asked, residual));
  return asked->residual * fmin(fmax(residual->norm_r, data), ASP_INFLATION * data);
}

double asp_verdict_allowed_unit_map(const AspTolerances *asked, const AspResidual *residual) {
  double size = fmax(residual->norm_q, fmax(residual->norm_u, residual->norm_r));
  return asked->ask_E1 ? asked->residual * size : INFINITY;
}

AspResidual asp_verdict_worst(void) {
  return (AspResidual){.E1 = INFINITY, .E2 = INFINITY, .E3 = INFINITY, .exact = INFINITY, .contact = INFINITY};
}
