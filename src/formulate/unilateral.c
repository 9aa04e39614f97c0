/* What a step at velocity level adds to the rate u of a unilateral condition, the gap of a contact or the distance to a
 * limit, so that 0 <= u+ + s _|_ r >= 0 needs no switch (docs/theory/time-stepping.md, "When a contact acts"):
 *
 *   s = max(gap, -slop) / dt         open ones may close within the step and no further; closed ones stay closed; up
 *                                    to the slop over the whole step where this is a part of one: over a short part
 *                                    what is no gap would be a kick
 *   s = e u- (+ forces)              impact that is met in the step, at its part tau (time_of_impact.c)
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
  return asp_row_along(n, row, acceleration);
}

double asp_row_rest_speed(const AspFormulation *formulation, const AspRow *row, double least,
                          const AspStepTerms *terms) {
  double pressing = fmax(-asp_row_acceleration(formulation, row, formulation->acceleration), least);
  if (terms->accelerated)
    pressing = fmax(pressing, -asp_row_acceleration(formulation, row, terms->accelerated));
  return CONTACT_ACTIVATION_MARGIN * terms->dt * pressing;
}

double asp_row_pressing(const AspFormulation *formulation, const AspRow *row, const AspStepTerms *terms) {
  return -asp_row_acceleration(formulation, row, terms->accelerated ? terms->accelerated : formulation->acceleration);
}

/* What the forces add to the approach in the step; those that turn it round do not count. */
static double pressed(const AspApproach *approach, double dt) {
  return fmin(fmax(dt * approach->pressing, approach->rate), -approach->rate);
}

bool asp_approach_is_impact(const AspApproach *approach, double dt) {
  return approach->rate < 0 && approach->rate - fmax(approach->instant, 0) * pressed(approach, dt) < -approach->rest;
}

double asp_approach_shift(const AspApproach *approach, const AspStepTerms *terms) {
  // overlaps that count as none are given as they are: cut off at zero, four corners of a box would contradict each
  // other, and one of them would open under load
  double time = approach->distance > approach->slop ? terms->dt : fmax(terms->dt, terms->whole);
  double open = fmax(approach->distance, -approach->slop) / time, e = approach->restitution;
  bool impact = asp_approach_is_impact(approach, terms->dt);
  if (approach->instant >= 0) {
    // Newton's law holds at the instant of impact, the forces act before and after it:
    // u+ - a (1 - tau) dt = -e (u- + a tau dt), and u+ >= 0
    double forces = (1 - (1 + e) * approach->instant) * pressed(approach, terms->dt);
    return impact ? fmin(e * approach->rate + forces, 0) : 0;
  }
  return impact && approach->bounces ? fmax(open, approach->rest - approach->rate) : open;
}

bool asp_block_gives_back(const AspFormulation *formulation, int block) {
  const AspBlockTag *tag = &formulation->tag[block];
  bool contact = tag->role == ASP_ROLE_CONTACT && formulation->frames;
  double bias = contact ? formulation->frames[tag->index].bias[0] : 0;
  return formulation->shift[formulation->offset[block]] < fmin(bias, 0) - formulation->overlap_rate;
}
