/* A servo as a block of the step's problem. Its effort is taken within the step, of the coordinate c and its rate,
 * with v_c the rate at the start and R = J v+ + b that at the end (joints.c):
 *
 *   r = -dt (kp (c + dt (p_0 v_c + p_1 R) - target) + kd ((1 - g) v_c + g R - velocity)),   |r| <= dt effort
 *   p_0 = (1 - s)/4,  p_1 = (1 + 3 s)/4,  g = (1 + s)/2,  s = x^2 / (1 + x^2),  x = (dt^2 kp + dt kd) W
 *
 * target and velocity at t + g dt, effort in the middle, W = J M^-1 J^T about. Where the step resolves the servo, s is
 * about 0 and this the middle of the step, of second order (s is of the order of dt^2); where it does not, s is about 1
 * and it is the end, so that nothing swings. Stewart-Trinkle: s = 1. With G = dt (dt p_1 kp + g kd) the law is that of
 * a motor,
 *
 *   u = R + A + r / G,   A = dt (kp (c + dt p_0 v_c - target) + kd ((1 - g) v_c - velocity)) / G,      BOX or EQUALITY
 *
 * r / G is the velocity of a load coupling of mass m = G + 1/W (load_coupling.c) when the row is multiplied by the
 * lever l = sqrt(G / m), and its reaction is r / l: so the row is of the size of others for any gains. Unlike other
 * load couplings it does not stay at rest. docs/theory/servos.md. */
#include "formulate/blocks.h"
#include "linalg/vec3.h"

#include <math.h>

double asp_row_mobility(const AspModel *model, const AspState *state, const AspRow *row) {
  int n = asp_body_velocities(asp_model_dimension(model));
  double sum = 0, M[36];
  for (const AspRow *part = row; part; part = part->more)
    for (int side = 0; side < 2; side++) {
      int body = side ? part->body_b : part->body_a;
      const double *j = side ? part->jb : part->ja;
      if (asp_model_body_dof(model, body) < 0)
        continue;
      asp_body_mass_matrix(model, state, body, M);
      for (int i = 0; i < n; i++)
        sum += j[i] * j[i] / M[i * n + i];
    }
  return sum > 0 ? sum : 1 / asp_reduced_mass(model, row->body_a, row->body_b); // a station: that of its beam
}

double asp_servo_lever(const AspFormulation *formulation, int joint) {
  return formulation->servo_lever ? formulation->servo_lever[joint] : 0;
}

void asp_formulate_servo(AspFormulation *formulation, const AspState *state, int joint, const AspRow *coordinate,
                         double rate, double to_end, const AspStepTerms *terms) {
  const AspModel *model = formulation->model;
  AspServo servo;
  double dt = terms->dt;
  if (!(dt > 0) || !(terms->effort_time > 0) || !asp_joint_servo(model, state, joint, state->t, &servo))
    return;
  double W = 1 / (1 / asp_row_mobility(model, state, coordinate) + asp_model_joint_def(model, joint)->armature);
  double x = (dt * dt * servo.kp + dt * servo.kd) * W;
  double s = terms->level == ASP_LEVEL_POSITION ? 1 : x < 1 ? x * x / (1 + x * x) : 1 / (1 + 1 / (x * x));
  double p_0 = 0.25 * (1 - s), p_1 = 0.25 * (1 + 3 * s), g = 0.5 * (1 + s);
  asp_joint_servo(model, state, joint, state->t + (terms->level == ASP_LEVEL_POSITION ? 1 : 0.5) * dt, &servo);
  double effort = servo.effort;
  asp_joint_servo(model, state, joint, state->t + g * dt, &servo);
  double G = dt * (dt * p_1 * servo.kp + g * servo.kd), mass = G + 1 / W, lever = sqrt(G / mass);
  double A =
      dt / G *
      (servo.kp * (coordinate->value + dt * p_0 * rate - servo.target) + servo.kd * ((1 - g) * rate - servo.velocity));
  bool bounded = isfinite(effort);
  AspLaw law = {.kind = bounded ? ASP_LAW_BOX : ASP_LAW_EQUALITY,
                .limit = bounded ? terms->effort_time * effort / lever : 0};
  AspRow row[ASP_ROW_PARTS];
  copy_row(coordinate, row);
  scale_row(row, lever);
  open_block(formulation, law, ASP_ROLE_MOTOR, joint);
  asp_coupling_connect(formulation, formulation->rows, asp_coupling_add(formulation, mass, 0), 1);
  add_row(formulation, row, lever * A, lever * to_end, terms);
  formulation->servo_lever[joint] = lever;
}
