/* Which contacts act in a step, and what the scheme adds to their rows (docs/theory/time-stepping.md).
 *
 *   position level   w_N = gap / dt                 every contact that was found
 *   velocity level   w = (e_N u_N-, e_T u_T-)       impacts: gap + (1 + e)/2 dt u- <= 0
 *                    w_N = gap / (2 dt)             rest: pressing forces close it within the step
 *
 * u-: velocity at the start of the step. Depends on the dynamics (M^-1 h) and on the rows of a contact. */
#include "formulate/contact_parts.h"
#include "formulate/tuning/formulate.h"
#include "linalg/vec3.h"

#include <math.h>

/* J a along the normal: how fast forces alone change the approach, m/s^2; negative: they press. */
static double normal_acceleration(const AspFormulation *formulation, const AspRow *normal) {
  int n = asp_body_velocities(asp_model_dimension(formulation->model));
  return asp_row_dot(n, normal->ja, formulation->acceleration + (size_t)n * normal->body_a) +
         asp_row_dot(n, normal->jb, formulation->acceleration + (size_t)n * normal->body_b);
}

/* Speed that one step of pressing forces, or of gravity, gives an approach: slower is rest, not an impact. */
static double rest_speed(const AspFormulation *formulation, const AspRow *normal, double dt) {
  double pressing = fmax(-normal_acceleration(formulation, normal), norm3(asp_model_gravity(formulation->model)));
  return CONTACT_ACTIVATION_MARGIN * dt * pressing;
}

/* The distance by which a gap must close: 0 for a gap that counts as closed (|gap| <= tolerance), else down to half of
 * the tolerance. At the tolerance itself every error of the solver would open the contact again; at 0 it
 * would overlap now and then, and contacts of overlaps appear and vanish. */
static double open_gap(const AspContactFrame *frame, const AspStepTerms *terms) {
  double closed = terms->gap_tolerance;
  return fabs(frame->gap) <= closed ? 0 : frame->gap - 0.5 * closed;
}

/* Impact: the contact acts in the step in which it is met, gap + (1 + e)/2 dt u- <= 0. For e = 0 that is Moreau's
 * midpoint, which leaves no gap behind; towards e = 1 it takes the bias out of the instant of impact (at the midpoint
 * every bounce would come 1.1 dt late). Newton's law holds at the instant of impact, on average the middle of the step:
 * (u+ - a dt/2) = -e (u- + a dt/2), and u+ >= 0. */
static bool impact_shift(const AspFormulation *formulation, const AspContactFrame *frame, const AspRow *normal,
                         double approach, const AspStepTerms *terms, double *shift) {
  double e = frame->restitution, pressing = fmax(-normal_acceleration(formulation, normal), 0);
  *shift = fmin(e * approach + (1 - e) * 0.5 * terms->dt * pressing, 0);
  return frame->gap + 0.5 * (1 + e) * terms->dt * approach <= terms->slop;
}

/* Rest: the contact acts when the pressing forces can close it within the step; a gap that is left (rounding, tolerance
 * of the solver) closes in a few steps instead of letting the body fall through one. Bounces that accumulate end
 * here instead of continuing for ever at g dt. */
static bool rest_shift(const AspContactFrame *frame, double approach, double rest, const AspStepTerms *terms,
                       double *shift) {
  *shift = fmax(open_gap(frame, terms), 0) / (2 * terms->dt);
  return frame->gap + terms->dt * (approach - 0.5 * rest) <= terms->slop;
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
  double approach = row_rate(model, state, &rows[0]), rest = rest_speed(formulation, &rows[0], terms->dt);
  if (terms->phase == ASP_PHASE_SINGLE) {
    shift[0] = frame->restitution * approach;
    tangential_shift(model, frame, rows, state, shift);
    return frame->chosen;
  }
  if (frame->barrier) {
    shift[0] = asp_barrier_shift(formulation, frame, approach, terms->dt);
    return true;
  }
  bool met;
  if (approach < -rest) {
    tangential_shift(model, frame, rows, state, shift);
    met = impact_shift(formulation, frame, &rows[0], approach, terms, &shift[0]);
  } else {
    met = rest_shift(frame, approach, rest, terms, &shift[0]);
  }
  return met || asp_contact_is_urgent(frame, approach, terms->dt);
}

double asp_contact_approach(const AspModel *model, const AspContactFrame *frame, const AspState *state) {
  AspRow row;
  asp_contact_row_along(asp_model_dimension(model), frame, frame->normal, &row);
  return row_rate(model, state, &row);
}

double asp_contact_rest_speed(const AspFormulation *formulation, const AspContactFrame *frame, double dt) {
  AspRow row;
  asp_contact_row_along(asp_model_dimension(formulation->model), frame, frame->normal, &row);
  return rest_speed(formulation, &row, dt);
}

bool asp_contacts_meet(const AspFormulation *formulation, AspContactFrame *frames, int count, const AspState *state,
                       const AspStepTerms *terms) {
  bool any = false;
  for (int i = 0; i < count; i++) {
    AspRow rows[3];
    double shift[3], rest = asp_contact_rest_speed(formulation, &frames[i], terms->dt);
    asp_contact_rows(asp_model_dimension(formulation->model), &frames[i], rows);
    frames[i].closed = asp_contact_shift(formulation, &frames[i], rows, state, terms, shift);
    frames[i].hit = frames[i].closed && asp_contact_approach(formulation->model, &frames[i], state) < -rest;
    any = any || frames[i].hit;
  }
  return any;
}

bool asp_contact_expands(const AspContactFrame *frame, const AspStepTerms *terms) {
  return terms->phase == ASP_PHASE_EXPANSION && frame->restitution * frame->compression > 0;
}
