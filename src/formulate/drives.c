/* Rows of everything that cannot give way, over a step from t to t + dt:
 *
 *   joints       Psi' = 0                             EQUALITY
 *   motions      c' = (m(t + dt) - m(t)) / dt         EQUALITY
 *   motors       c' = wanted(t)                       EQUALITY, where the effort has no limit
 *   limits       distance / dt + c' >= 0              UNILATERAL
 *   contacts     gap / dt + u_N >= 0                  UNILATERAL
 *
 * with the geometry of the start. Psi, c, m as in joints.c. The known rates are kept twice: their mean over the step,
 * and as they are at its start. */
#include "formulate/drives.h"
#include "formulate/blocks.h"
#include "formulate/tuning/formulate.h"

#include <math.h>

bool asp_model_has_drives(const AspModel *model) {
  bool any = asp_model_has_kinematic(model);
  for (int joint = 0; !any && joint < asp_model_joint_count(model); joint++) {
    const AspJointDef *def = asp_model_joint_def(model, joint);
    any = def->motion || (def->motor_velocity && !isfinite(def->motor_effort) && !def->motor_effort_expression);
  }
  return any;
}

/* A row with its known rate at the start besides the mean; terms: with the mean velocities of prescribed bodies. */
static void add_drive_row(AspDriveRows *drives, const AspState *state, const AspRow *row, double now, double mean,
                          double distance, const AspStepTerms *terms) {
  AspFormulation *formulation = &drives->formulation;
  AspStepTerms start = *terms;
  int k = formulation->rows;
  start.known_velocity = state->v;
  add_row(formulation, row, mean, 0, terms);
  double known = formulation->known[k];
  set_terms(formulation, k, row, now, 0, &start);
  drives->rate[k] = formulation->known[k];
  drives->distance[k] = distance;
  formulation->known[k] = known;
}

static void add_coordinate(AspDriveRows *drives, const AspState *state, int joint, const AspStepTerms *terms) {
  AspFormulation *formulation = &drives->formulation;
  const AspModel *model = formulation->model;
  const AspJointDef *def = asp_model_joint_def(model, joint);
  AspRow row[ASP_ROW_PARTS], opposite[ASP_ROW_PARTS];
  AspJet now, then;
  double effort;
  if (!asp_joint_coordinate(model, state, joint, row))
    return;
  if (asp_joint_motion(model, state, joint, state->t, &now) &&
      asp_joint_motion(model, state, joint, state->t + terms->dt, &then)) {
    open_block(formulation, (AspLaw){.kind = ASP_LAW_EQUALITY}, ASP_ROLE_MOTION, joint);
    add_drive_row(drives, state, row, -now.rate, -(then.value - now.value) / terms->dt, 0, terms);
  }
  if (asp_joint_motor(model, state, joint, state->t, &now, &effort) && !isfinite(effort)) {
    open_block(formulation, (AspLaw){.kind = ASP_LAW_EQUALITY}, ASP_ROLE_MOTOR, joint);
    add_drive_row(drives, state, row, -now.value, -now.value, 0, terms);
  }
  if (isfinite(def->limit_low)) {
    open_block(formulation, (AspLaw){.kind = ASP_LAW_UNILATERAL}, ASP_ROLE_LIMIT_LOW, joint);
    add_drive_row(drives, state, row, 0, 0, row->value - def->limit_low, terms);
  }
  if (isfinite(def->limit_high)) {
    opposite_row(row, opposite);
    open_block(formulation, (AspLaw){.kind = ASP_LAW_UNILATERAL}, ASP_ROLE_LIMIT_HIGH, joint);
    add_drive_row(drives, state, opposite, 0, 0, def->limit_high - row->value, terms);
  }
}

static void add_joints(AspDriveRows *drives, const AspState *state, const AspStepTerms *terms) {
  const AspModel *model = drives->formulation.model;
  for (int joint = 0; joint < asp_model_joint_count(model); joint++) {
    AspRow rows[ASP_JOINT_ROWS_MAX] = {0};
    int count = asp_joint_rows(model, state, joint, rows);
    open_joint(&drives->formulation, joint, count);
    for (int k = 0; k < count; k++)
      add_drive_row(drives, state, &rows[k], rows[k].rate, rows[k].rate, 0, terms);
    add_coordinate(drives, state, joint, terms);
  }
}

/* The smaller reach of two bodies that have one. */
static double smaller_reach(const double *reach, int a, int b) {
  return fmin(reach[a] > 0 ? reach[a] : INFINITY, reach[b] > 0 ? reach[b] : INFINITY);
}

AspError asp_formulate_drives(AspArena *arena, const AspModel *model, const AspState *state,
                              const AspContactFrame *frames, int count, const double *reach, double dt,
                              const double *known_velocity, AspDriveRows *drives) {
  AspFormulation *formulation = &drives->formulation;
  AspStepTerms terms = {.level = ASP_LEVEL_POSITION, .dt = dt, .known_velocity = known_velocity};
  ASP_TRY(asp_formulation_begin(formulation, arena, model, frames, count));
  asp_columns_place(formulation, state);
  drives->rate = ASP_TAKE_UNCLEARED(arena, double, formulation->row_capacity);
  drives->distance = ASP_TAKE_UNCLEARED(arena, double, formulation->row_capacity);
  if (!drives->rate || !drives->distance)
    return ASP_ERROR_MEMORY;
  add_joints(drives, state, &terms);
  for (int i = 0; i < count; i++) {
    AspRow rows[3];
    if (frames[i].gap > DRIVES_NEAR * smaller_reach(reach, frames[i].body_a, frames[i].body_b))
      continue;
    asp_contact_rows(asp_model_dimension(model), &frames[i], rows);
    open_block(formulation, (AspLaw){.kind = ASP_LAW_UNILATERAL}, ASP_ROLE_CONTACT, i);
    add_drive_row(drives, state, &rows[0], 0, 0, frames[i].gap, &terms);
  }
  return ASP_OK;
}
