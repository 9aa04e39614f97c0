/* Servos: proportional and derivative control of a joint's coordinate c, with a limit,
 *
 *   effort = clamp(kp (target - c) + kd (velocity - c'), -limit, limit)
 *
 * target, velocity and limit are functions of time, inputs and the state as expressions know it; without a velocity it
 * is the target's rate. The limit is that of motors too. How steps take it: formulate/servos.c. Depends on
 * joint_rows.c, time_function.c.
 */
#include "model/model.h"

AspError asp_servo_check(const AspModel *model, const AspJointDef *def) {
  AspContext *context = model->context;
  if (!def->has_servo)
    return ASP_OK;
  if (def->has_motor || def->motion)
    return asp_fail(context, ASP_ERROR_INPUT, "a joint cannot have a servo and %s at the same time",
                    def->has_motor ? "a motor" : "a prescribed motion");
  ASP_TRY(asp_check_not_negative(context, "servo kp", def->servo_kp));
  ASP_TRY(asp_check_not_negative(context, "servo kd", def->servo_kd));
  if (def->servo_kp == 0 && def->servo_kd == 0)
    return asp_fail(context, ASP_ERROR_INPUT, "servo: kp and kd are both 0, so that it does nothing; give one of them");
  return ASP_OK;
}

AspError asp_servo_prepare(const AspModel *model, ModelJoint *joint) {
  AspJointDef *def = &joint->def;
  if (!def->has_servo)
    def->servo_target = def->servo_velocity = NULL;
  ASP_TRY(asp_time_function_make(model, "servo target", def->servo_target, false, &joint->target));
  ASP_TRY(asp_time_function_make(model, "servo target_velocity", def->servo_velocity, false, &joint->target_velocity));
  def->servo_target = joint->target.text;
  def->servo_velocity = joint->target_velocity.text;
  return ASP_OK;
}

AspError asp_effort_prepare(const AspModel *model, ModelJoint *joint) {
  AspJointDef *def = &joint->def;
  if (!def->has_servo && !def->has_motor)
    def->motor_effort_expression = NULL;
  ASP_TRY(asp_time_function_make(model, "effort", def->motor_effort_expression, false, &joint->effort));
  def->motor_effort_expression = joint->effort.text;
  return ASP_OK;
}

double asp_effort_at(const AspModel *model, const AspState *state, int joint, double t) {
  const ModelJoint *it = &model->joint[joint];
  return asp_time_function_at(&it->effort, t, state ? state->input : model->input, it->def.motor_effort).value;
}

bool asp_joint_servo(const AspModel *model, const AspState *state, int joint, double t, AspServo *servo) {
  const ModelJoint *it = &model->joint[joint];
  if (!it->def.has_servo)
    return false;
  const AspInput *input = state ? state->input : model->input;
  AspJet target = asp_time_function_at(&it->target, t, input, 0);
  *servo = (AspServo){.kp = it->def.servo_kp,
                      .kd = it->def.servo_kd,
                      .target = target.value,
                      .velocity = asp_time_function_at(&it->target_velocity, t, input, target.rate).value,
                      .effort = asp_effort_at(model, state, joint, t)};
  return true;
}

/* The effort at the state, and the coordinate it acts on. */
static double effort_along(const AspModel *model, const AspState *state, int joint, AspRow row[ASP_ROW_PARTS]) {
  AspServo servo;
  *row = (AspRow){.body_a = model->joint[joint].def.body_a, .body_b = model->joint[joint].def.body_b};
  if (!asp_joint_servo(model, state, joint, state->t, &servo) || !asp_joint_coordinate(model, state, joint, row))
    return 0;
  double rate = asp_row_rate(model, state, row, state->v);
  double wanted = servo.kp * (servo.target - row->value) + servo.kd * (servo.velocity - rate);
  return fmin(fmax(wanted, -servo.effort), servo.effort);
}

double asp_joint_servo_effort(const AspModel *model, const AspState *state, int joint) {
  AspRow row[ASP_ROW_PARTS];
  return effort_along(model, state, joint, row);
}

void asp_model_add_servo_forces(const AspModel *model, const AspState *state, double *h) {
  for (int i = 0; i < model->servo_count; i++) {
    AspRow row[ASP_ROW_PARTS];
    double effort = effort_along(model, state, model->stiff[model->stiff_count + i].index, row);
    asp_add_along_row(model, state, h, row, effort);
  }
}
