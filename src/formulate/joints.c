/* Joints as blocks of the step's problem (T03 section 3, MATH section 0 and 2 of the theory pages):
 *   constraint rows     Psi / dt + dPsi/dt = 0                          EQUALITY
 *   prescribed motion   (c - m(t + dt)) / dt + c' = 0                   EQUALITY; the explicit rate is the secant over
 * the step, so that c reaches m exactly motor               c' - wanted(t + dt), |impulse| <= dt effort     BOX dry
 * friction        c',                  |impulse| <= dt c_max      BOX limits              (c - low) / dt + c' >= 0,
 * (high - c) / dt - c' >= 0   UNILATERAL with c the joint's coordinate. */
#include "formulate/blocks.h"

#include <math.h>

static void formulate_coordinate(AspFormulation *formulation, const AspState *state, int joint,
                                 const double *known_velocity, double dt) {
  const AspModel *model = formulation->model;
  AspRow row;
  if (!asp_joint_coordinate(model, state, joint, &row))
    return;
  const AspJointDef *def = asp_model_joint_def(model, joint);

  AspJet now, then;
  if (asp_joint_motion(model, joint, state->t, &now)) {
    asp_joint_motion(model, joint, state->t + dt, &then);
    open_block(formulation, (AspLaw){.kind = ASP_LAW_EQUALITY}, ASP_ROLE_MOTION, joint);
    add_row(formulation, &row, -(then.value - now.value) / dt, (row.value - now.value) / dt, known_velocity);
  }
  double effort;
  if (asp_joint_motor(model, joint, state->t + dt, &then, &effort)) {
    AspLaw law = {.kind = isfinite(effort) ? ASP_LAW_BOX : ASP_LAW_EQUALITY};
    law.limit = isfinite(effort) ? dt * effort : 0;
    open_block(formulation, law, ASP_ROLE_MOTOR, joint);
    add_row(formulation, &row, -then.value, 0, known_velocity);
  }
  if (def->friction > 0) {
    open_block(formulation, (AspLaw){.kind = ASP_LAW_BOX, .limit = dt * def->friction}, ASP_ROLE_FRICTION, joint);
    add_row(formulation, &row, 0, 0, known_velocity);
  }
  if (isfinite(def->limit_low)) {
    open_block(formulation, (AspLaw){.kind = ASP_LAW_UNILATERAL}, ASP_ROLE_LIMIT_LOW, joint);
    add_row(formulation, &row, 0, (row.value - def->limit_low) / dt, known_velocity);
  }
  if (isfinite(def->limit_high)) {
    AspRow opposite = row;
    for (int i = 0; i < 6; i++) {
      opposite.ja[i] = -row.ja[i];
      opposite.jb[i] = -row.jb[i];
    }
    open_block(formulation, (AspLaw){.kind = ASP_LAW_UNILATERAL}, ASP_ROLE_LIMIT_HIGH, joint);
    add_row(formulation, &opposite, 0, (def->limit_high - row.value) / dt, known_velocity);
  }
}

void asp_formulate_joints(AspFormulation *formulation, const AspState *state, const double *known_velocity, double dt) {
  const AspModel *model = formulation->model;
  for (int joint = 0; joint < asp_model_joint_count(model); joint++) {
    AspRow rows[ASP_JOINT_ROWS_MAX] = {0};
    int count = asp_joint_rows(model, state, joint, rows);
    open_block(formulation, (AspLaw){.kind = ASP_LAW_EQUALITY}, ASP_ROLE_JOINT, joint);
    for (int k = 0; k < count; k++)
      add_row(formulation, &rows[k], rows[k].rate, rows[k].value / dt, known_velocity);
  }
  // the coordinates after all constraint rows: where rows depend on each other the constraint keeps its place
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    formulate_coordinate(formulation, state, joint, known_velocity, dt);
}
