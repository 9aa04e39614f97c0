/* Contacts as blocks: u = velocity of B relative to A at the witness points, rows normal, t1, t2 (2D: normal, t).
 * Position level: w_N = gap / dt. Velocity level: w = (e_N u_N-, e_T u_T-) for contacts that are met in the step (MATH
 * section 0, refined below). */
#include "formulate/blocks.h"
#include "linalg/vec3.h"

#include <math.h>

AspContactFrame asp_contact_frame(int dimension, AspVec3 normal, AspVec3 point_a, AspVec3 point_b, AspVec3 centre_a,
                                  AspVec3 centre_b) {
  AspContactFrame frame = {
      .normal = normal, .arm_a = sub3(point_a, centre_a), .arm_b = sub3(point_b, centre_b), .depth = INFINITY};
  if (dimension == 3) {
    tangents3(normal, &frame.t1, &frame.t2);
  } else {
    frame.t1 = vec3(normal.y, -normal.x, 0);
    frame.t2 = vec3(0, 0, 1);
  }
  return frame;
}

static void direction_row(int dimension, const AspContactFrame *frame, AspVec3 direction, AspRow *row) {
  *row = (AspRow){.body_a = frame->body_a, .body_b = frame->body_b};
  AspVec3 turn_a = cross3(frame->arm_a, direction), turn_b = cross3(frame->arm_b, direction);
  if (dimension == 3) {
    double ja[6] = {-direction.x, -direction.y, -direction.z, -turn_a.x, -turn_a.y, -turn_a.z};
    double jb[6] = {direction.x, direction.y, direction.z, turn_b.x, turn_b.y, turn_b.z};
    memcpy(row->ja, ja, sizeof ja);
    memcpy(row->jb, jb, sizeof jb);
  } else {
    double ja[3] = {-direction.x, -direction.y, -turn_a.z}, jb[3] = {direction.x, direction.y, turn_b.z};
    memcpy(row->ja, ja, sizeof ja);
    memcpy(row->jb, jb, sizeof jb);
  }
}

void asp_contact_rows(int dimension, const AspContactFrame *frame, AspRow rows[3]) {
  direction_row(dimension, frame, frame->normal, &rows[0]);
  direction_row(dimension, frame, frame->t1, &rows[1]);
  if (dimension == 3)
    direction_row(dimension, frame, frame->t2, &rows[2]);
}

/* J a along the normal: how fast forces alone change the approach, m/s^2; negative: they press. */
static double normal_acceleration(const AspFormulation *formulation, const AspRow *normal) {
  int n = asp_model_dimension(formulation->model) == 3 ? 6 : 3;
  return asp_row_dot(n, normal->ja, formulation->acceleration + (size_t)n * normal->body_a) +
         asp_row_dot(n, normal->jb, formulation->acceleration + (size_t)n * normal->body_b);
}

/* Speed that one step of pressing forces, or of gravity, gives an approach: slower is rest, not an impact. */
static double rest_speed(const AspFormulation *formulation, const AspRow *normal, double dt) {
  double pressing = fmax(-normal_acceleration(formulation, normal), norm3(asp_model_gravity(formulation->model)));
  return 1.0001 * dt * pressing;
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
 * of the solver) closes in a few steps instead of letting the body fall through one. Bounces that accumulate come to
 * their end here instead of going on for ever at g dt. */
static bool rest_shift(const AspContactFrame *frame, double approach, double rest, const AspStepTerms *terms,
                       double *shift) {
  *shift = fmax(frame->gap, 0) / (2 * terms->dt);
  return frame->gap + terms->dt * (approach - 0.5 * rest) <= terms->slop;
}

/* What the scheme adds to the rows; false when the contact stays open for this step. */
static bool contact_shift(const AspFormulation *formulation, const AspContactFrame *frame, const AspRow rows[3],
                          const AspState *state, const AspStepTerms *terms, double shift[3]) {
  const AspModel *model = formulation->model;
  shift[0] = frame->gap / terms->dt;
  shift[1] = shift[2] = 0;
  if (terms->level == ASP_LEVEL_POSITION)
    return true;
  double approach = row_rate(model, state, &rows[0]), rest = rest_speed(formulation, &rows[0], terms->dt);
  for (int k = 1; frame->tangential_restitution > 0 && k < asp_model_dimension(model); k++)
    shift[k] = frame->tangential_restitution * row_rate(model, state, &rows[k]);
  if (frame->barrier) {
    shift[0] = asp_barrier_shift(formulation, frame, approach, terms->dt);
    return true;
  }
  bool met = approach < -rest ? impact_shift(formulation, frame, &rows[0], approach, terms, &shift[0])
                              : rest_shift(frame, approach, rest, terms, &shift[0]);
  return met || asp_contact_is_urgent(frame, approach, terms->dt);
}

void asp_formulate_contacts(AspFormulation *formulation, const AspContactFrame *frames, int count,
                            const AspFrictionModel *friction, const AspState *state, const AspStepTerms *terms) {
  int dimension = asp_model_dimension(formulation->model);
  if (terms->level == ASP_LEVEL_VELOCITY)
    asp_find_meetings(formulation, frames, count, state, terms->dt);
  for (int i = 0; i < count; i++) {
    AspRow rows[3];
    double shift[3];
    asp_contact_rows(dimension, &frames[i], rows);
    if (!contact_shift(formulation, &frames[i], rows, state, terms, shift))
      continue;
    AspLaw law = {.kind = frames[i].mu > 0 ? ASP_LAW_COULOMB : ASP_LAW_UNILATERAL, .mu = frames[i].mu};
    law.cone = friction->cone;
    law.directions = friction->directions;
    law.angle = friction->angle;
    open_block(formulation, law, ASP_ROLE_CONTACT, i);
    for (int k = 0; k < (frames[i].mu > 0 ? dimension : 1); k++)
      add_row(formulation, &rows[k], 0, shift[k], terms);
  }
}
