/* Positions back onto their conditions, by the smallest displacement x in the metric of the mass:
 *
 *   min 1/2 x^T M x   with   Psi + G x = 0,   gap + J_N x >= 0,   distance to limits + J x >= 0
 *
 * Psi, G: rows of the joints and their gradients; J_N, J: gradients of gaps and of the joints' coordinates. Solved as
 * the contact problem M x = H r, u = H^T x + w with EQUALITY and UNILATERAL blocks (w: lengths). Beams count with their
 * stiffness, M + dt^2 K: moved by their mass alone, a point of a stiff beam would be pressed in, which would add
 * elastic energy. */
#include "formulate/blocks.h"
#include "formulate/mass_matrix.h"
#include "formulate/tuning/formulate.h"
#include "model/model.h"

#include <math.h>

/* Passed, it is taken back; closed and at rest, it keeps its distance: let go by what joints drift, a pressed limit
 * would be open for the step. */
static void project_limit(AspFormulation *formulation, AspBlockRole role, int joint, const AspRow *row, double distance,
                          bool closed, const AspStepTerms *terms) {
  if (!(distance < 0) && !closed)
    return;
  open_block(formulation, (AspLaw){.kind = closed ? ASP_LAW_EQUALITY : ASP_LAW_UNILATERAL}, role, joint);
  add_row(formulation, row, 0, fmin(distance, 0), terms);
}

static void project_coordinate(AspFormulation *formulation, const AspState *state, int joint, double slop, double dt,
                               const AspStepTerms *terms) {
  const AspJointDef *def = asp_model_joint_def(formulation->model, joint);
  AspRow row[ASP_ROW_PARTS], opposite[ASP_ROW_PARTS];
  AspJet motion;
  double value, near = PROJECTION_CLOSED * slop;
  if (!asp_joint_value(formulation->model, state, joint, &value))
    return;
  double low = value - def->limit_low, high = def->limit_high - value; // infinite without limits
  if (low > near && high > near && !def->motion)
    return;
  asp_joint_coordinate(formulation->model, state, joint, row);
  if (asp_joint_motion(formulation->model, state, joint, state->t, &motion)) {
    open_block(formulation, (AspLaw){.kind = ASP_LAW_EQUALITY}, ASP_ROLE_MOTION, joint);
    add_row(formulation, row, 0, row->value - motion.value, terms);
  }
  bool rests = !def->motion && fabs(row_rate(formulation->model, state, row)) * dt <= near;
  project_limit(formulation, ASP_ROLE_LIMIT_LOW, joint, row, low, rests && fabs(low) <= near, terms);
  opposite_row(row, opposite);
  project_limit(formulation, ASP_ROLE_LIMIT_HIGH, joint, opposite, high, rests && fabs(high) <= near, terms);
}

AspError asp_formulate_projection(AspFormulation *formulation, const AspState *state, const AspContactFrame *frames,
                                  int count, double slop, double slop_turn, double dt) {
  const AspModel *model = formulation->model;
  double *still = ASP_TAKE(formulation->arena, double, asp_model_v_size(model));
  if (!still)
    return ASP_ERROR_MEMORY;
  AspStepTerms terms = {.level = ASP_LEVEL_POSITION, .dt = 1, .known_velocity = still};
  for (int joint = 0; joint < asp_model_joint_count(model); joint++) {
    AspRow rows[ASP_JOINT_ROWS_MAX] = {0};
    int row_count = asp_joint_rows(model, state, joint, rows);
    open_joint(formulation, joint, row_count);
    for (int k = 0; k < row_count; k++)
      add_row(formulation, &rows[k], 0, rows[k].value, &terms);
  }
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    project_coordinate(formulation, state, joint, asp_limit_slop(model, joint, slop, slop_turn), dt, &terms);
  asp_formulate_stretch(formulation, state, state, 1, 0, &terms);
  // contacts apart stay as bounds, so that freeing one overlap makes no other; overlaps that come apart by themselves
  // are left to it, since lifting them would add height to every bounce, but must not become deeper
  for (int i = 0; i < count; i++) {
    AspRow rows[3];
    asp_contact_rows(asp_model_dimension(model), &frames[i], rows);
    bool leaves = frames[i].gap < 0 && row_rate(model, state, &rows[0]) * dt > -frames[i].gap * PROJECTION_SOON;
    open_block(formulation, (AspLaw){.kind = ASP_LAW_UNILATERAL}, ASP_ROLE_CONTACT, i);
    add_row(formulation, &rows[0], 0, leaves ? 0 : frames[i].gap, &terms);
  }
  return ASP_OK;
}

AspError asp_formulate_projection_metric(AspFormulation *formulation, const AspState *state, double dt) {
  const AspModel *model = formulation->model;
  int n = asp_body_velocities(asp_model_dimension(model)), dofs = asp_model_dof_count(model);
  if (asp_model_beam_count(model) > 0) {
    ASP_TRY(asp_formulate_dynamics(formulation, state, state, dt, 1));
    memset(formulation->problem.f, 0, (size_t)dofs * sizeof(double));
    return ASP_OK;
  }
  double *blocks = model->mass.value ? model->mass.value : ASP_TAKE_UNCLEARED(formulation->arena, double, dofs *n);
  formulation->problem.f = ASP_TAKE(formulation->arena, double, dofs);
  if (!blocks || !formulation->problem.f)
    return ASP_ERROR_MEMORY;
  for (int body = 0; !model->mass.value && body < asp_model_body_count(model); body++)
    if (formulation->dof[body] >= 0)
      asp_body_mass_matrix(model, state, body, blocks + (size_t)formulation->dof[body] * (size_t)n);
  return asp_mass_assemble(formulation, &(AspStiff){0}, NULL, blocks);
}
