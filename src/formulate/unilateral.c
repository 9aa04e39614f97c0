/* What a step at velocity level adds to the rate u of a unilateral condition, the gap of a contact or the distance to a
 * limit, so that 0 <= u+ + s _|_ r >= 0 needs no switch (docs/theory/time-stepping.md, "When a contact acts"):
 *
 *   s = max(gap, 0) / dt             open ones may close within the step and no further; closed ones stay closed
 *   s = e u- (+ forces)              impact that is met in the step: gap + (1 + e)/2 dt u- <= 0
 *   s = max(gap / dt, |u-| + rest)   impact with e > 0 that comes later: the approach may go on as it is
 *
 * Every condition within reach has its row; complementarity decides which of them carry. An approach is an impact where
 * it is faster than rest, the speed that one step of the known forces, of gravity or of the accelerations of the last
 * step without impact gives: reactions of joints, motors and other contacts are in these. Depends on the dynamics. */
#include "formulate/blocks.h"
#include "formulate/tuning/formulate.h"

#include <math.h>

double asp_row_acceleration(const AspFormulation *formulation, const AspRow *row, const double *acceleration) {
  int n = asp_body_velocities(asp_model_dimension(formulation->model));
  return asp_row_dot(n, row->ja, acceleration + (size_t)n * row->body_a) +
         asp_row_dot(n, row->jb, acceleration + (size_t)n * row->body_b);
}

double asp_row_rest_speed(const AspFormulation *formulation, const AspRow *row, double least,
                          const AspStepTerms *terms) {
  double pressing = fmax(-asp_row_acceleration(formulation, row, formulation->acceleration), least);
  if (terms->accelerated)
    pressing = fmax(pressing, -asp_row_acceleration(formulation, row, terms->accelerated));
  return CONTACT_ACTIVATION_MARGIN * terms->dt * pressing;
}

bool asp_approach_is_met(const AspApproach *approach, const AspStepTerms *terms) {
  return approach->distance + 0.5 * (1 + approach->restitution) * terms->dt * approach->rate <= terms->slop;
}

bool asp_approach_is_impact(const AspApproach *approach) { return approach->rate < -approach->rest; }

double asp_approach_shift(const AspApproach *approach, const AspStepTerms *terms) {
  double open = fmax(approach->distance, 0) / terms->dt, e = approach->restitution;
  if (!asp_approach_is_impact(approach))
    return open;
  if (asp_approach_is_met(approach, terms))
    // Newton's law holds at the instant of impact, on average the middle of the step:
    // (u+ - a dt/2) = -e (u- + a dt/2), and u+ >= 0
    return fmin(e * approach->rate + (1 - e) * 0.5 * terms->dt * approach->pressing, 0);
  return approach->bounces ? fmax(open, approach->rest - approach->rate) : open;
}
