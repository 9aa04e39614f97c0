/* Which contacts act in a step, and what the scheme adds to their rows (docs/theory/time-stepping.md).
 *
 *   position level   w_N = gap / dt                 every contact that was found
 *   velocity level   w = (e_N u_N-, e_T u_T-)       impacts: gap + (1 + e)/2 dt u- <= 0
 *                    w_N = max(gap, 0) / dt         every other contact that was found (unilateral.c)
 *
 * u-: velocity at the start of the step. Depends on the dynamics (M^-1 h) and on the rows of a contact. */
#include "formulate/contact_parts.h"
#include "formulate/tuning/formulate.h"
#include "linalg/vec3.h"

#include <math.h>

/* The distance by which a gap must close: 0 for a gap that counts as closed (|gap| <= tolerance), else down to half of
 * the tolerance. At the tolerance itself every error of the solver would open the contact again; at 0 it
 * would overlap now and then, and contacts of overlaps appear and vanish. */
static double open_gap(const AspContactFrame *frame, const AspStepTerms *terms) {
  double closed = terms->gap_tolerance;
  return fabs(frame->gap) <= closed ? 0 : frame->gap - 0.5 * closed;
}

/* How the step finds the contact. For e = 0 an impact acts from Moreau's midpoint on, which leaves no gap behind;
 * towards e = 1 the rule takes the bias out of the instant of impact (at the midpoint every bounce would come 1.1 dt
 * late). Bounces that accumulate end where the approach is rest, instead of continuing for ever at g dt. */
static AspApproach find_approach(const AspFormulation *formulation, const AspContactFrame *frame, const AspRow *normal,
                                 const AspState *state, const AspStepTerms *terms) {
  double gravity = norm3(asp_model_gravity(formulation->model));
  return (AspApproach){.distance = frame->gap,
                       .rate = row_rate(formulation->model, state, normal) - frame->bias[0], // at the start
                       .rest = asp_row_rest_speed(formulation, normal, gravity, terms),
                       .pressing = fmax(-asp_row_acceleration(formulation, normal, formulation->acceleration), 0),
                       .restitution = frame->restitution,
                       .bounces = frame->restitution > 0 || frame->tangential_restitution > 0};
}

/* The step closes it, as far as velocities and forces tell: an impact is met, or what presses can close it. */
static bool touches(const AspApproach *approach, const AspStepTerms *terms) {
  return asp_approach_is_impact(approach)
             ? asp_approach_is_met(approach, terms)
             : approach->distance + terms->dt * (approach->rate - 0.5 * approach->rest) <= terms->slop;
}

static void tangential_shift(const AspModel *model, const AspContactFrame *frame, const AspRow rows[3],
                             const AspState *state, double shift[3]) {
  for (int k = 1; frame->tangential_restitution > 0 && k < asp_model_dimension(model); k++)
    shift[k] = frame->tangential_restitution * row_rate(model, state, &rows[k]);
}

bool asp_contact_shift(const AspFormulation *formulation, const AspContactFrame *frame, const AspRow rows[3],
                       const AspState *state, const AspStepTerms *terms, double shift[3]) {
  const AspModel *model = formulation->model;
  shift[0] = open_gap(frame, terms) / terms->dt;
  shift[1] = shift[2] = 0;
  if (terms->level == ASP_LEVEL_POSITION) {
    if (terms->separation > 0)
      shift[0] = fmax(shift[0], -terms->separation);
    return true;
  }
  if (terms->phase == ASP_PHASE_END) {
    shift[0] = frame->restitution * fmin(frame->before[0], 0);
    shift[1] = frame->tangential_restitution * frame->before[1];
    shift[2] = frame->tangential_restitution * frame->before[2];
    return true;
  }
  bool whole = terms->phase == ASP_PHASE_COMPRESSION || terms->phase == ASP_PHASE_EXPANSION;
  if (whole || (terms->phase == ASP_PHASE_AFTER && frame->hit)) {
    shift[0] = 0;
    return frame->closed;
  }
  if (terms->phase == ASP_PHASE_SINGLE) {
    shift[0] = frame->restitution * row_rate(model, state, &rows[0]);
    tangential_shift(model, frame, rows, state, shift);
    return frame->chosen;
  }
  AspApproach approach = find_approach(formulation, frame, &rows[0], state, terms);
  if (frame->barrier) {
    shift[0] = asp_barrier_shift(formulation, frame, approach.rate, terms->dt);
    return true;
  }
  bool impact = asp_approach_is_impact(&approach), urgent = asp_contact_is_urgent(frame, approach.rate, terms->dt);
  if (impact && (urgent || asp_approach_is_met(&approach, terms)))
    tangential_shift(model, frame, rows, state, shift);
  bool of_beam = asp_contact_is_of_beam(model, frame); // vibrates: a contact that is not met stays open
  if (of_beam && !urgent && !touches(&approach, terms))
    return false;
  if (!impact)
    approach.distance = open_gap(frame, terms) * (of_beam ? 0.5 : 1);
  if (urgent) // the law acts where the bodies have met
    approach.distance = fmin(approach.distance, 0);
  shift[0] = asp_approach_shift(&approach, terms);
  // conditions at the end of the step; an impact is in its middle
  for (int k = 0; k < 3 && !urgent && !(impact && asp_approach_is_met(&approach, terms)); k++)
    shift[k] += frame->bias[k];
  return true;
}

double asp_contact_approach(const AspModel *model, const AspContactFrame *frame, const AspState *state) {
  AspRow row;
  asp_contact_row_along(asp_model_dimension(model), frame, frame->normal, &row);
  return row_rate(model, state, &row);
}

double asp_contact_rest_speed(const AspFormulation *formulation, const AspContactFrame *frame,
                              const AspStepTerms *terms) {
  AspRow row;
  asp_contact_row_along(asp_model_dimension(formulation->model), frame, frame->normal, &row);
  return asp_row_rest_speed(formulation, &row, norm3(asp_model_gravity(formulation->model)), terms);
}

bool asp_contacts_meet(const AspFormulation *formulation, AspContactFrame *frames, int count, const AspState *state,
                       const AspStepTerms *terms) {
  bool any = false;
  for (int i = 0; i < count; i++) {
    AspRow row;
    asp_contact_row_along(asp_model_dimension(formulation->model), &frames[i], frames[i].normal, &row);
    AspApproach approach = find_approach(formulation, &frames[i], &row, state, terms);
    frames[i].closed =
        frames[i].barrier || touches(&approach, terms) || asp_contact_is_urgent(&frames[i], approach.rate, terms->dt);
    frames[i].hit = frames[i].closed && asp_approach_is_impact(&approach);
    any = any || frames[i].hit;
  }
  return any;
}

bool asp_contact_expands(const AspContactFrame *frame, const AspStepTerms *terms) {
  return terms->phase == ASP_PHASE_EXPANSION && frame->restitution * frame->compression > 0;
}
