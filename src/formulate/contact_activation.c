/* Which contacts act in a step, and what the scheme adds to their rows (docs/theory/time-stepping.md).
 *
 *   position level   w_N = gap / dt                 every contact that was found
 *   velocity level   w = (e_N u_N-, e_T u_T-)       impacts of the step (time_of_impact.c)
 *                    w_N = max(gap, -slop) / dt     every other contact that was found (unilateral.c)
 *
 * u-: velocity at the start of the step. Depends on the dynamics (M^-1 h) and on the rows of a contact. */
#include "formulate/contact_parts.h"
#include "formulate/tuning/formulate.h"
#include "linalg/vec3.h"

#include <math.h>

/* The places that a gap is the difference of are rounded, m. */
static double rounding_of_gap(const AspContactFrame *frame) {
  return CONTACT_ACTIVATION_ROUNDING * (norm3(frame->point) + norm3(frame->arm_a) + norm3(frame->arm_b));
}

/* The distance by which a gap must close: 0 for a gap that counts as closed (|gap| <= tolerance), else down to half of
 * the tolerance. At the tolerance itself every error of the solver would open the contact again; at 0 it
 * would overlap now and then, and contacts of overlaps appear and vanish. An overlap counts from its rounding on: a
 * body between two walls without clearance must have a place, turned by any angle. */
static double open_gap(const AspContactFrame *frame, const AspStepTerms *terms) {
  double closed = terms->gap_tolerance;
  if (fabs(frame->gap) <= closed)
    return 0;
  return frame->gap < 0 ? fmin(frame->gap + rounding_of_gap(frame), 0) - 0.5 * closed : frame->gap - 0.5 * closed;
}

/* How the step finds the contact. An impact is seen where it is met, everything else at the start. Bounces that
 * accumulate end where the approach is rest, instead of continuing for ever at g dt. Those of beams are on average in
 * the middle of the step. */
static AspApproach find_approach(const AspFormulation *formulation, const AspContactFrame *frame, const AspRow *normal,
                                 const AspState *state, const AspStepTerms *terms) {
  double gravity = norm3(asp_model_gravity(formulation->model));
  bool struck = asp_time_of_bodies(formulation, frame->body_a, frame->body_b) >= 0;
  return (AspApproach){.distance = frame->gap,
                       .rate = frame->met ? row_rate(formulation->model, state, normal)
                               : struck   ? frame->before[0]
                                          : row_rate(formulation->model, state, normal) - frame->bias[0],
                       .rest = asp_row_rest_speed(formulation, normal, gravity, terms),
                       .pressing = asp_row_pressing(formulation, normal, terms),
                       .instant = !frame->met ? -1
                                  : asp_contact_is_of_beam(formulation->model, frame)
                                      ? 0.5
                                      : fmax(asp_time_of_bodies(formulation, frame->body_a, frame->body_b), 0),
                       .slop = terms->slop,
                       .restitution = frame->restitution,
                       .bounces = frame->restitution > 0 || frame->tangential_restitution > 0};
}

/* The step closes it, as far as velocities and forces tell: an impact is met, or what presses can close it. */
static bool touches(const AspApproach *approach, const AspStepTerms *terms) {
  return approach->instant >= 0 ||
         (!asp_approach_is_impact(approach, terms->dt) &&
          approach->distance + terms->dt * (approach->rate - 0.5 * approach->rest) <= terms->slop);
}

static void tangential_shift(const AspModel *model, const AspContactFrame *frame, const AspRow rows[3],
                             const AspState *state, double shift[3]) {
  for (int k = 1; frame->tangential_restitution > 0 && k < asp_model_dimension(model); k++)
    shift[k] = frame->tangential_restitution * row_rate(model, state, &rows[k]);
}

/* Bodies that bounce touch for an instant: friction acts on the slip of that instant, the forces go on before and after
 * it, u_T+ - a (1 - tau) dt = -e_T (u_T- + a tau dt). They are limited by the approach, as along the normal. */
static void take_forces_off(const AspFormulation *formulation, const AspContactFrame *frame, const AspRow rows[3],
                            const AspApproach *approach, const AspStepTerms *terms, double shift[3]) {
  double before = frame->tangential_restitution * approach->instant, after = 1 - approach->instant;
  for (int k = 1; k < asp_model_dimension(formulation->model); k++) {
    double forces = -terms->dt * asp_row_pressing(formulation, &rows[k], terms), most = fabs(approach->rate);
    shift[k] -= (after - before) * fmin(fmax(forces, -most), most);
  }
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
  double tau = asp_time_of_bodies(formulation, frame->body_a, frame->body_b);
  bool of_beam = asp_contact_is_of_beam(model, frame), impact = asp_approach_is_impact(&approach, terms->dt);
  if (of_beam && !frame->barrier && !touches(&approach, terms)) // vibrates: a contact that is not met stays open
    return false;
  if (frame->barrier || frame->later) {
    shift[0] = asp_barrier_shift(formulation, frame, approach.rate, terms->dt);
    if (frame->later && approach.bounces) // its own impact is still to come
      shift[0] = fmax(shift[0], approach.rest - approach.rate);
    return true;
  }
  if (!impact && !frame->met && !of_beam && tau > 0 && frame->gap > terms->slop) {
    // its bodies are struck at tau, and only then begin to close the gap
    shift[0] = asp_barrier_shift(formulation, frame, approach.rate, terms->dt);
    return true;
  }
  if (impact && frame->met)
    tangential_shift(model, frame, rows, state, shift);
  if (!impact)
    approach.distance = open_gap(frame, terms) * (of_beam ? 0.5 : 1);
  shift[0] = asp_approach_shift(&approach, terms);
  if (impact && frame->met && !of_beam && shift[0] < 0)
    take_forces_off(formulation, frame, rows, &approach, terms, shift);
  // conditions at the end of the step; a bounce is where it is met
  double to_the_end = frame->met && approach.bounces ? 0 : tau < 0 ? 1 : 2 * (1 - tau);
  for (int k = 0; k < 3; k++)
    shift[k] += to_the_end * frame->bias[k];
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
    frames[i].closed = frames[i].barrier || touches(&approach, terms);
    frames[i].hit = frames[i].closed && asp_approach_is_impact(&approach, terms->dt);
    any = any || frames[i].hit;
  }
  return any;
}

bool asp_contact_expands(const AspContactFrame *frame, const AspStepTerms *terms) {
  return terms->phase == ASP_PHASE_EXPANSION && frame->restitution * frame->compression > 0;
}
