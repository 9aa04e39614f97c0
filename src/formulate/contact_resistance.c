/* What a contact does through blocks that its normal force loads: resistance to rolling and spinning
 * (docs/theory/friction-laws.md), and friction while an impact expands (docs/theory/impacts.md).
 *
 *   |moment| <= length N      rows: relative angular velocity times the contact's lever, coefficient: length / lever
 *
 * N reaches the block through a load coupling (load_coupling.c). */
#include "formulate/contact_parts.h"
#include "formulate/tuning/formulate.h"
#include "linalg/vec3.h"

#include <math.h>

/* length (w_B - w_A) . axis, a speed */
static AspRow turn_row(int dimension, const AspContactFrame *frame, AspVec3 axis, double length) {
  AspRow row = {.body_a = frame->body_a, .body_b = frame->body_b};
  double turn[3] = {length * axis.x, length * axis.y, length * axis.z};
  for (int i = 0; i < 3 && dimension == 3; i++) {
    row.ja[3 + i] = -turn[i];
    row.jb[3 + i] = turn[i];
  }
  if (dimension == 2) {
    row.ja[2] = -turn[2];
    row.jb[2] = turn[2];
  }
  return row;
}

/* Distance of the contact from the centre of mass, but no less than the body's radius of gyration: the centre may lie
 * in the contact. Of a beam, about what moves with a cross-section. */
static double lever_of(const AspModel *model, int body, AspVec3 arm) {
  int beam = asp_model_station_beam(model, body, NULL);
  if (beam >= 0)
    return fmax(norm3(arm), CONTACT_RESISTANCE_BEAM_LEVER * asp_model_beam_def(model, beam)->length);
  if (asp_model_body_dof(model, body) < 0)
    return 0;
  AspMat3 inertia = asp_model_body_inertia(model, body);
  double turning = asp_model_dimension(model) == 3 ? (inertia.m[0] + inertia.m[4] + inertia.m[8]) / 3 : inertia.m[8];
  return fmax(norm3(arm), sqrt(turning / asp_model_body_mass(model, body)));
}

double asp_contact_lever(const AspModel *model, const AspContactFrame *frame) {
  double lever = fmax(lever_of(model, frame->body_a, frame->arm_a), lever_of(model, frame->body_b, frame->arm_b));
  return lever > 0 ? lever : 1;
}

void asp_contact_add_impulse(const AspModel *model, const AspContactFrame *frame, AspBlockRole role, int rows,
                             const double *r, double impulse[3], double moment[3]) {
  bool resists = role == ASP_ROLE_SPINNING || role == ASP_ROLE_ROLLING;
  double lever = resists ? asp_contact_lever(model, frame) : 0;
  if (role == ASP_ROLE_CONTACT)
    impulse[0] += r[0];
  if (role == ASP_ROLE_SPINNING)
    moment[0] += lever * r[1];
  for (int k = 1; k < rows && role == ASP_ROLE_ROLLING; k++)
    moment[k] += lever * r[k];
  for (int k = 1; k < rows && (role == ASP_ROLE_CONTACT || role == ASP_ROLE_EXPANSION); k++)
    impulse[k] += frame->stretch[k - 1] * r[k];
}

/* The first row of a block carries the whole normal impulse of a contact, the part that an expansion gives back
 * included. */
static void carry_normal(AspFormulation *formulation, const AspContactFrame *frame, int normal_row, int first,
                         double mass, const AspStepTerms *terms) {
  double back = asp_contact_expands(frame, terms) ? frame->restitution * frame->compression : 0;
  int coupling = asp_coupling_add(formulation, ASP_COUPLING_WEIGHT * mass, back);
  asp_coupling_connect(formulation, normal_row, coupling, -1);
  asp_coupling_connect(formulation, first, coupling, 1);
}

void asp_formulate_expansion(AspFormulation *formulation, const AspContactFrame *frame, int index, int normal_row,
                             const AspFrictionModel *friction, const AspStepTerms *terms) {
  const AspModel *model = formulation->model;
  int dimension = asp_model_dimension(model), first = formulation->rows;
  AspRow rows[3], none = {.body_a = frame->body_a, .body_b = frame->body_b};
  asp_contact_rows(dimension, frame, rows);
  open_block(formulation, asp_coupling_law(friction, frame->mu, false), ASP_ROLE_EXPANSION, index);
  add_row(formulation, &none, 0, 0, terms);
  for (int k = 1; k < dimension; k++) {
    scale_row(&rows[k], frame->stretch[k - 1]);
    add_row(formulation, &rows[k], rows[k].rate, 0, terms);
  }
  carry_normal(formulation, frame, normal_row, first, asp_reduced_mass(model, frame->body_a, frame->body_b), terms);
}

double asp_resistance_length(const AspContactFrame *frame, AspBlockRole role) {
  if (!frame->law)
    return 0;
  return role == ASP_ROLE_ROLLING ? frame->law->rolling : asp_spinning_length(frame->law);
}

void asp_resistance_rows(const AspModel *model, const AspContactFrame *frame, AspBlockRole role, AspRow tangent[2]) {
  int dimension = asp_model_dimension(model);
  double lever = asp_contact_lever(model, frame);
  AspRow none = {.body_a = frame->body_a, .body_b = frame->body_b};
  bool spins = role == ASP_ROLE_SPINNING;
  tangent[0] = turn_row(dimension, frame, spins ? frame->normal : dimension == 2 ? frame->t2 : frame->t1, lever);
  tangent[1] = spins ? none : turn_row(dimension, frame, frame->t2, lever);
}

/* Its rows are speeds at the contact's lever, so that the coefficient is length / lever and the block has the scale of
 * the contact. */
void asp_formulate_resistance(AspFormulation *formulation, const AspContactFrame *frame, int index, int normal_row,
                              AspBlockRole role, const AspResistance *resistance, const AspFrictionModel *friction,
                              const AspStepTerms *terms) {
  const AspModel *model = formulation->model;
  int dimension = asp_model_dimension(model), first = formulation->rows;
  double lever = asp_contact_lever(model, frame), mass = asp_reduced_mass(model, frame->body_a, frame->body_b);
  double length = asp_resistance_length(frame, role);
  AspLaw law = asp_coupling_law(friction, length / lever, role == ASP_ROLE_SPINNING);
  AspRow none = {.body_a = frame->body_a, .body_b = frame->body_b}, tangent[2];
  asp_resistance_rows(model, frame, role, tangent);
  if (resistance->turns) {
    law.kind = ASP_LAW_SLIDING;
    law.direction[0] = resistance->direction[0];
    law.direction[1] = resistance->direction[1];
  }
  open_block(formulation, law, role, index);
  add_row(formulation, &none, 0, 0, terms);
  for (int k = 1; k < dimension; k++)
    add_row(formulation, &tangent[k - 1], 0, resistance->bias[k - 1], terms);
  carry_normal(formulation, frame, normal_row, first, mass, terms);
  if (role == ASP_ROLE_SPINNING)
    asp_coupling_connect(formulation, first + 2, asp_coupling_add(formulation, mass, 0), 1);
}
