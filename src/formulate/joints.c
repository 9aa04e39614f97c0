/* Joints as blocks of the step's problem, c the joint's coordinate, Psi its constraint rows:
 *
 *                       position level                             velocity level
 *   constraint rows     Psi / dt + Psi' = 0                        Psi' = 0 at the end             EQUALITY
 *   prescribed motion   (c - m(t + dt)) / dt + c' = 0              c' = m'(t + dt)                 EQUALITY
 *   motor               c' - wanted(t + dt), |impulse| <= dt effort                                BOX
 *   servo               c' + r / G = ..., |impulse| <= dt effort (servos.c)                        BOX, coupled
 *   armature            impulse = -a (c'(end) - c'(start)) (armature.c)                            EQUALITY, coupled
 *   dry friction        c',                  |impulse| <= dt c_max, of one free row or several     BOX, BALL
 *   bearing friction    c',                  |impulse| <= mu load (bearings.c)                     COULOMB, coupled
 *   limits              (c - low) / dt + c' >= 0                   as gaps (unilateral.c)          UNILATERAL
 *
 * The high limit in the same way. At position level the rate of a prescribed motion m is its secant over the step, so
 * that c reaches m exactly. Source: Trinkle 2003, section 3; docs/theory/trinkle.md, docs/theory/time-stepping.md. */
#include "formulate/blocks.h"
#include "model/joint_motions.h"
#include "model/tuning/model.h"

#include <math.h>

/* At velocity level a row J is taken in the middle of the step, but is to hold at its end, J(end) v+ = 0. It becomes
 * J(middle) v+ + b = 0, with
 *
 *   b_1 = (J(middle) - J(start)) v       what the row changes by in the first half of the step,
 *   b_2 = (J(end) - J(middle)) v*        in the second one, v* the expected velocity,
 *   b   = b_1 + 1/4 (b_2 - b_1) + 1/2 J(start) v        constraint rows
 *   b   = b_1 + 1/2 (b_2 - b_1)                         coordinates, whose rate at the start is no error
 *   b   = b_2                                           the rate at the end as it is: armatures
 *   b   = dt/2 J' v                                     where no end is expected
 *   b   = (1 - tau) dt J' v                             from where the bodies meet something on
 *
 * Without b every step would project the velocity onto the middle's tangent, and a pendulum would lose the share
 * (w dt)^2 of its energy in each of them. The work of the reactions is r J(middle) (v + v+)/2, zero for b =
 * J(middle) v: but that reflects an error of the start's velocity without end, and b_1 or b_2 alone leaves work of
 * second order. b as above halves an error in each step, and leaves work of third order, which takes energy. */
typedef enum RowUse { CONSTRAINT, COORDINATE, INERTIA } RowUse;

/* start: J(start) v; end: J(end) v*, of terms->ahead */
static double to_the_end(const AspFormulation *formulation, const AspState *state, const AspRow *row, double start,
                         double end, RowUse use, const AspStepTerms *terms) {
  const AspModel *model = formulation->model;
  if (terms->level == ASP_LEVEL_POSITION)
    return use == INERTIA ? terms->dt * row->bias : 0;
  double tau = asp_time_of_bodies(formulation, row->body_a, row->body_b);
  if (!terms->ahead || terms->dt == 0 || tau >= 0)
    return (tau < 0 ? 0.5 : 1 - tau) * terms->dt * row->bias;
  double second = end - row_rate(model, terms->ahead, row);
  if (use == INERTIA)
    return second;
  double first = row_rate(model, state, row) - start;
  // exact: see above
  return use == COORDINATE ? 0.5 * (first + second) : first + 0.25 * (second - first) + 0.5 * start;
}

/* A servo's target, and the effort of motors and servos. */
static AspError check_drive(AspContext *context, const AspModel *model, const AspState *state, int joint, double t) {
  const AspJointDef *def = asp_model_joint_def(model, joint);
  AspJet wanted;
  AspServo servo = {.effort = 0};
  if (!asp_joint_motor(model, state, joint, t, &wanted, &servo.effort))
    asp_joint_servo(model, state, joint, t, &servo);
  if (!(isfinite(servo.target) && isfinite(servo.velocity)))
    return asp_fail(context, ASP_ERROR_VALUE,
                    "joint %s: its servo's target \"%s\" is %g with velocity %g at t = %g s; both must be finite",
                    asp_model_joint_name(model, joint), def->servo_target ? def->servo_target : "0", servo.target,
                    servo.velocity, t);
  if (!(servo.effort >= 0))
    return asp_fail(context, ASP_ERROR_VALUE, "joint %s: its effort \"%s\" is %g at t = %g s; it must be >= 0",
                    asp_model_joint_name(model, joint), def->motor_effort_expression, servo.effort, t);
  return ASP_OK;
}

AspError asp_joints_check_time(AspContext *context, const AspModel *model, const AspState *state, double t) {
  for (int joint = 0; joint < asp_model_joint_count(model); joint++) {
    double sine = asp_joint_sine(model, state, joint);
    if (!(sine > COMPOUND_SINGULAR))
      return asp_fail(
          context, ASP_ERROR_VALUE,
          "joint %s: at t = %g s its axes have become dependent (sine %.3g), as in a gimbal lock; there its "
          "coordinates are not defined. Limits can keep it away, or a spherical joint",
          asp_model_joint_name(model, joint), state->t, sine);
    AspJet motion, wanted;
    double effort;
    if (asp_joint_motion(model, state, joint, t, &motion) && !(isfinite(motion.value) && isfinite(motion.rate)))
      return asp_fail(context, ASP_ERROR_VALUE,
                      "joint %s: its prescribed motion \"%s\" is %g with rate %g at t = %g s; both must be finite",
                      asp_model_joint_name(model, joint), asp_model_joint_def(model, joint)->motion, motion.value,
                      motion.rate, t);
    if (asp_joint_motor(model, state, joint, t, &wanted, &effort) && !isfinite(wanted.value))
      return asp_fail(
          context, ASP_ERROR_VALUE, "joint %s: its motor's velocity \"%s\" is %g at t = %g s; it must be finite",
          asp_model_joint_name(model, joint), asp_model_joint_def(model, joint)->motor_velocity, wanted.value, t);
    ASP_TRY(check_drive(context, model, state, joint, t));
  }
  return ASP_OK;
}

static void formulate_motion(AspFormulation *formulation, const AspState *state, int joint, const AspRow *row,
                             double to_end, const AspStepTerms *terms) {
  AspJet now, then;
  if (!asp_joint_motion(formulation->model, state, joint, state->t, &now))
    return;
  asp_joint_motion(formulation->model, state, joint, state->t + terms->dt, &then);
  open_block(formulation, (AspLaw){.kind = ASP_LAW_EQUALITY}, ASP_ROLE_MOTION, joint);
  if (terms->level == ASP_LEVEL_POSITION)
    add_row(formulation, row, -(then.value - now.value) / terms->dt, (row->value - now.value) / terms->dt, terms);
  else
    add_row(formulation, row, -then.rate, to_end, terms);
}

static void formulate_motor(AspFormulation *formulation, const AspState *state, int joint, const AspRow *row,
                            double to_end, const AspStepTerms *terms) {
  AspJet wanted, mean;
  double effort, part = terms->level == ASP_LEVEL_POSITION ? 1 : 0.5;
  if (!asp_joint_motor(formulation->model, state, joint, state->t + part * terms->dt, &mean, &effort))
    return;
  double limit = effort;
  asp_joint_motor(formulation->model, state, joint, state->t + terms->dt, &wanted, &effort);
  AspLaw law = {.kind = isfinite(limit) ? ASP_LAW_BOX : ASP_LAW_EQUALITY};
  law.limit = isfinite(limit) ? terms->effort_time * limit : 0;
  open_block(formulation, law, ASP_ROLE_MOTOR, joint);
  add_row(formulation, row, -wanted.value, to_end, terms);
}

/* distance >= 0 along the row; rate: at the start. Where an impact reaches it within the step, it is met at the part
 * tau of the step (time_of_impact.c), so that no limit is passed; slower than that it is closed as a gap is. */
static void formulate_limit(AspFormulation *formulation, const AspState *state, AspBlockRole role, int joint,
                            const AspRow *row, double distance, double rate, double to_end, const AspStepTerms *terms) {
  double shift = distance / terms->dt;
  bool met = false;
  if (terms->level == ASP_LEVEL_VELOCITY) {
    AspApproach approach = asp_limit_approach(formulation, joint, row, distance, rate, terms);
    met = asp_limit_is_met(&approach, terms);
    approach.rate = row_rate(formulation->model, state, row);
    if (met)
      approach.instant = fmax(asp_time_of_bodies(formulation, row->body_a, row->body_b), 0);
    bool at_instant = terms->dt == 0 || (terms->phase != ASP_PHASE_STEP && terms->phase != ASP_PHASE_AFTER);
    if (at_instant && distance + 0.5 * terms->dt * approach.rate > approach.slop)
      return;
    shift = at_instant ? approach.restitution * fmin(approach.rate, 0) : asp_approach_shift(&approach, terms);
    if (!at_instant && !(approach.instant >= 0 && approach.bounces)) // the rate at the end; a bounce is where it is met
      shift += to_end;
  }
  open_block(formulation, (AspLaw){.kind = ASP_LAW_UNILATERAL}, role, joint);
  formulation->tag[formulation->blocks - 1].met = met;
  add_row(formulation, row, 0, shift, terms);
}

/* Dry friction along the joint's free rows; to_end: of each. */
static void formulate_friction(AspFormulation *formulation, int joint, const AspRow *row, const double *to_end,
                               const AspStepTerms *terms) {
  AspJointFriction friction[ASP_JOINT_FRICTIONS];
  int count = asp_joint_frictions(formulation->model, joint, friction);
  for (int i = 0; i < count; i++) {
    open_friction(formulation, joint, &friction[i], terms->effort_time);
    for (int k = friction[i].first; k < friction[i].first + friction[i].rows; k++)
      add_row(formulation, &row[k], 0, to_end[k], terms);
  }
}

/* A joint with several coordinates: nothing but friction acts on them. */
static void formulate_free_rows(AspFormulation *formulation, const AspState *state, const AspState *geometry, int joint,
                                const AspStepTerms *terms) {
  const AspModel *model = formulation->model;
  AspJointFriction friction[ASP_JOINT_FRICTIONS];
  AspRow row[ASP_ROW_PARTS], start[ASP_ROW_PARTS], end[ASP_ROW_PARTS];
  double to_end[ASP_ROW_PARTS];
  if (asp_joint_frictions(model, joint, friction) == 0)
    return;
  int count = asp_joint_free_rows(model, geometry, joint, row);
  asp_joint_free_rows(model, state, joint, start);
  if (terms->ahead)
    asp_joint_free_rows(model, terms->ahead, joint, end);
  for (int k = 0; k < count; k++)
    to_end[k] = to_the_end(formulation, state, &row[k], row_rate(model, state, &start[k]),
                           terms->ahead ? row_rate(model, terms->ahead, &end[k]) : 0, COORDINATE, terms);
  if (count > 0)
    formulate_friction(formulation, joint, row, to_end, terms);
}

/* Does anything act along the joint's coordinates? */
static bool coordinate_acts(const AspModel *model, int joint) {
  const AspJointDef *def = asp_model_joint_def(model, joint);
  AspJointFriction friction[ASP_JOINT_FRICTIONS];
  return def->motion || def->has_motor || def->has_servo || def->armature > 0 || def->friction_coefficient > 0 ||
         isfinite(def->limit_low) || isfinite(def->limit_high) || asp_joint_frictions(model, joint, friction) > 0;
}

static void formulate_coordinate(AspFormulation *formulation, const AspState *state, const AspState *geometry,
                                 int joint, const AspFrictionModel *friction, const AspStepTerms *terms) {
  const AspModel *model = formulation->model;
  const AspJointDef *def = asp_model_joint_def(model, joint);
  AspRow row[ASP_ROW_PARTS], opposite[ASP_ROW_PARTS];
  RowMotion start, end = {0};
  if (!coordinate_acts(model, joint))
    return;
  if (!asp_joint_coordinate(model, geometry, joint, row) ||
      !asp_kept_motion_of_coordinate(terms->motions, model, state, joint, &start)) {
    formulate_free_rows(formulation, state, geometry, joint, terms);
    return;
  }
  row->value = start.value;
  double rate = start.rate;
  if (terms->ahead)
    asp_joint_motion_of_coordinate(model, terms->ahead, joint, &end);
  double to_end = to_the_end(formulation, state, row, rate, end.rate, COORDINATE, terms);
  formulate_motion(formulation, state, joint, row, to_end, terms);
  formulate_motor(formulation, state, joint, row, to_end, terms);
  asp_formulate_servo(formulation, state, joint, row, rate, to_end, terms);
  if (def->armature > 0)
    asp_formulate_armature(formulation, state, joint, row, rate,
                           to_the_end(formulation, state, row, rate, end.rate, INERTIA, terms), terms);
  formulate_friction(formulation, joint, row, &to_end, terms);
  if (def->friction_coefficient > 0)
    asp_formulate_bearing(formulation, geometry, joint, row, friction, terms);
  if (isfinite(def->limit_low))
    formulate_limit(formulation, state, ASP_ROLE_LIMIT_LOW, joint, row, row->value - def->limit_low, rate, to_end,
                    terms);
  if (isfinite(def->limit_high)) {
    opposite_row(row, opposite);
    formulate_limit(formulation, state, ASP_ROLE_LIMIT_HIGH, joint, opposite, def->limit_high - row->value, -rate,
                    -to_end, terms);
  }
}

static void formulate_constraint(AspFormulation *formulation, const AspState *state, int joint,
                                 const AspStepTerms *terms) {
  const AspModel *model = formulation->model;
  int count = formulation->joint_rows.count[joint];
  const AspRow *rows = formulation->joint_rows.row + (size_t)ASP_JOINT_ROWS_MAX * (size_t)joint;
  RowMotion start[ASP_JOINT_ROWS_MAX], end[ASP_JOINT_ROWS_MAX];
  if (count == 0)
    return;
  if (terms->ahead) {
    asp_kept_row_motions(terms->motions, model, state, joint, start);
    asp_joint_row_motions(model, terms->ahead, joint, end);
  }
  open_joint(formulation, joint, count);
  for (int k = 0; k < count; k++) // at position level geometry is the state itself
    add_row(formulation, &rows[k], rows[k].rate,
            terms->level == ASP_LEVEL_POSITION
                ? rows[k].value / terms->dt
                : to_the_end(formulation, state, &rows[k], terms->ahead ? start[k].rate : 0,
                             terms->ahead ? end[k].rate : 0, CONSTRAINT, terms),
            terms);
}

AspError asp_formulation_take_joint_rows(AspFormulation *formulation, const AspState *geometry) {
  const AspModel *model = formulation->model;
  size_t joints = (size_t)asp_model_joint_count(model);
  if (formulation->joint_rows.at == geometry)
    return ASP_OK;
  AspRow *row = ASP_TAKE_UNCLEARED(formulation->arena, AspRow, ASP_JOINT_ROWS_MAX * joints);
  int *count = ASP_TAKE_UNCLEARED(formulation->arena, int, joints);
  if (!row || !count)
    return ASP_ERROR_MEMORY;
  for (size_t joint = 0; joint < joints; joint++)
    count[joint] = asp_joint_rows(model, geometry, (int)joint, row + ASP_JOINT_ROWS_MAX * joint);
  formulation->joint_rows.at = geometry;
  formulation->joint_rows.row = row;
  formulation->joint_rows.count = count;
  return ASP_OK;
}

AspError asp_formulate_joints(AspFormulation *formulation, const AspState *state, const AspState *geometry,
                              const AspFrictionModel *friction, const AspStepTerms *terms) {
  const AspModel *model = formulation->model;
  set_overlap_rate(formulation, terms);
  ASP_TRY(asp_formulation_take_joint_rows(formulation, geometry));
  asp_joint_motions_take(terms->motions, model, state);
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    formulate_constraint(formulation, state, joint, terms);
  // the coordinates after all constraint rows: where rows depend on each other the constraint keeps its place
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    formulate_coordinate(formulation, state, geometry, joint, friction, terms);
  bool on_positions = terms->level == ASP_LEVEL_POSITION;
  if (!formulation->stretch_inside)
    asp_formulate_stretch(formulation, state, geometry, on_positions ? 1 / terms->dt : 0,
                          on_positions ? 0 : 0.5 * terms->dt, terms);
  return ASP_OK;
}
