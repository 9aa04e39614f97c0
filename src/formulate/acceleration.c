/* The acceleration level, c the joint's coordinate (Trinkle 2003, section 2; acceleration.h):
 *   constraint rows     J v' + bias = 0                                                          EQUALITY
 *   prescribed motion   c'' = m''(t)                                                             EQUALITY
 *   motor               c' = wanted: c'' - wanted', |force| <= effort;  else force = +-effort    BOX, or known
 *   servo               its effort at the state                                                  known
 *   armature            force = -a c''                                                           EQUALITY, coupled
 *   dry friction        c' = 0: c'', |force| <= c_max;                  else force = -+c_max     BOX, BALL, or known
 *   limits              reached and not parting: c'' >= 0                                        UNILATERAL
 *   contacts            closed and not parting: u_N' >= 0 and the law of friction                SLIDING, COULOMB
 *   rolling, spinning   at rest: COULOMB on a load coupling of the normal force; turning: SLIDING on it
 */
#include "formulate/acceleration.h"
#include "base/elementary.h"
#include "formulate/blocks.h"
#include "formulate/tuning/formulate.h"
#include "linalg/vec3.h"
#include "model/model.h"

#include <float.h>
#include <math.h>

typedef struct Level {
  AspFormulation *formulation;
  const AspState *state;
  const AspInstant *instant;
  AspStepTerms
      terms; /* its known velocities are zero: rows bring the accelerations of kinematic bodies in their bias */
  int approaching;
} Level;

/* f += J^T force */
static void push(Level *level, const AspRow *row, double force) {
  int dof[ASP_COLUMN_MAX];
  double value[ASP_COLUMN_MAX];
  int count = asp_row_scatter(level->formulation, row, dof, value);
  for (int i = 0; i < count; i++)
    level->formulation->problem.f[dof[i]] += force * value[i];
}

static void one_row(Level *level, AspLaw law, AspBlockRole role, int joint, const AspRow *row, double bias) {
  open_block(level->formulation, law, role, joint);
  add_row(level->formulation, row, 0, bias, &level->terms);
}

/* A motor: a force of bounded size that pulls the rate to zero; `held`: the given sign of the motion, NULL: by its
 * rate. */
static void bounded(Level *level, int joint, const AspRow *row, double rate, double bias, double limit,
                    const signed char *held) {
  int sign = held ? *held : fabs(rate) > level->instant->speed ? (rate > 0 ? 1 : -1) : 0;
  if (sign != 0 && !held)
    push(level, row, -sign * limit);
  else
    one_row(level, (AspLaw){.kind = ASP_LAW_BOX, .limit = limit, .direction = {sign, 0, 0}}, ASP_ROLE_MOTOR, joint, row,
            bias);
}

/* The direction in which friction of several rows slips, of the rates. Where its mode is given, the direction in which
 * it began counts as a rate of the size ACCELERATION_HINT `slowest`, and a reversed slip keeps its friction until the
 * modes are decided again (as slip_direction). */
static void turn_direction(int rows, const double *rate, double slowest, const double *began, bool begins,
                           double *direction) {
  double along = 0, square = 0;
  for (int k = 0; k < rows; k++)
    along += rate[k] * began[k];
  double sign = !begins && along < 0 ? -1 : 1;
  for (int k = 0; k < rows; k++) {
    direction[k] = begins ? began[k] : sign * rate[k] + ACCELERATION_HINT * slowest * began[k];
    square += direction[k] * direction[k];
  }
  for (int k = 0; k < rows && square > 0; k++)
    direction[k] /= sqrt(square);
}

/* Of one friction: what it opposes; zero: it holds. */
static void friction_direction(const Level *level, const AspJointHold *hold, const AspJointFriction *friction,
                               const double *rate, double direction[3]) {
  double speed = 0, held = 0;
  const double *began = hold ? hold->friction + friction->first : NULL;
  for (int k = 0; k < friction->rows; k++) {
    speed = asp_hypot(speed, rate[k]);
    held = asp_hypot(held, hold ? began[k] : 0);
  }
  if (hold && held > 0 && friction->rows > 1)
    turn_direction(friction->rows, rate, level->instant->speed, began, hold->begins, direction);
  for (int k = 0; k < friction->rows && !(hold && friction->rows > 1); k++)
    direction[k] = hold ? began[k] : speed > level->instant->speed ? rate[k] / speed : 0;
}

/* Dry friction along the joint's free rows. */
static void dry(Level *level, int joint, const AspRow *row) {
  AspFormulation *formulation = level->formulation;
  const AspJointHold *hold = level->instant->joints ? &level->instant->joints[joint] : NULL;
  AspJointFriction friction[ASP_JOINT_FRICTIONS];
  int count = asp_joint_frictions(formulation->model, joint, friction);
  for (int i = 0; i < count; i++) {
    const AspRow *along = row + friction[i].first;
    double rate[ASP_JOINT_FREE_ROWS], direction[3] = {0};
    for (int k = 0; k < friction[i].rows; k++)
      rate[k] = row_rate(formulation->model, level->state, &along[k]);
    friction_direction(level, hold, &friction[i], rate, direction);
    bool moves = direction[0] != 0 || direction[1] != 0 || direction[2] != 0;
    if (!moves || hold) {
      open_friction(formulation, joint, &friction[i], 1);
      memcpy(formulation->law[formulation->blocks - 1].direction, direction, sizeof direction);
    }
    for (int k = 0; k < friction[i].rows; k++)
      if (!moves || hold)
        add_row(formulation, &along[k], 0, along[k].bias, &level->terms);
      else
        push(level, &along[k], -direction[k] * friction[i].limit);
  }
}

static void limit(Level *level, AspBlockRole role, int joint, const AspRow *row, double distance, const bool *held) {
  double rate = row_rate(level->formulation->model, level->state, row);
  if (held ? !*held : distance > level->instant->gap || rate > level->instant->speed)
    return;
  level->approaching += rate < -level->instant->speed;
  one_row(level, (AspLaw){.kind = ASP_LAW_UNILATERAL}, role, joint, row, row->bias);
}

/* A known force; `held`: as a block, whose reaction is recorded. */
static void servo(Level *level, int joint, const AspRow *row, bool held) {
  double effort = asp_joint_servo_effort(level->formulation->model, level->state, joint);
  level->formulation->servo_lever[joint] = 1;
  if (held)
    one_row(level, (AspLaw){.kind = ASP_LAW_BOX, .limit = -effort, .direction = {1, 0, 0}}, ASP_ROLE_MOTOR, joint, row,
            row->bias);
  else
    push(level, row, effort);
}

static void coordinate(Level *level, int joint) {
  const AspModel *model = level->formulation->model;
  const AspJointDef *def = asp_model_joint_def(model, joint);
  AspRow row[ASP_ROW_PARTS], opposite[ASP_ROW_PARTS];
  AspJet jet;
  double effort;
  if (!asp_joint_coordinate(model, level->state, joint, row)) {
    if (asp_joint_free_rows(model, level->state, joint, row) > 0)
      dry(level, joint, row);
    return;
  }
  double rate = row_rate(model, level->state, row);
  const AspJointHold *hold = level->instant->joints ? &level->instant->joints[joint] : NULL;
  if (asp_joint_motion(model, level->state, joint, level->state->t, &jet))
    one_row(level, (AspLaw){.kind = ASP_LAW_EQUALITY}, ASP_ROLE_MOTION, joint, row, row->bias - jet.acceleration);
  if (asp_joint_motor(model, level->state, joint, level->state->t, &jet, &effort)) {
    if (isfinite(effort))
      bounded(level, joint, row, rate - jet.value, row->bias - jet.rate, effort, hold ? &hold->motor : NULL);
    else
      one_row(level, (AspLaw){.kind = ASP_LAW_EQUALITY}, ASP_ROLE_MOTOR, joint, row, row->bias - jet.rate);
  }
  if (def->has_servo)
    servo(level, joint, row, hold != NULL);
  asp_formulate_armature(level->formulation, level->state, joint, row, 0, row->bias, &level->terms);
  dry(level, joint, row);
  if (isfinite(def->limit_low))
    limit(level, ASP_ROLE_LIMIT_LOW, joint, row, row->value - def->limit_low, hold ? &hold->low : NULL);
  if (isfinite(def->limit_high)) {
    opposite_row(row, opposite);
    limit(level, ASP_ROLE_LIMIT_HIGH, joint, opposite, def->limit_high - row->value, hold ? &hold->high : NULL);
  }
}

static void joints(Level *level) {
  const AspModel *model = level->formulation->model;
  for (int joint = 0; joint < asp_model_joint_count(model); joint++) {
    AspRow rows[ASP_JOINT_ROWS_MAX] = {0};
    int count = asp_joint_rows(model, level->state, joint, rows);
    open_joint(level->formulation, joint, count);
    for (int k = 0; k < count; k++)
      add_row(level->formulation, &rows[k], 0, rows[k].bias, &level->terms);
  }
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    coordinate(level, joint);
  asp_formulate_stretch(level->formulation, level->state, level->state, 0, 1, &level->terms);
}

static AspLaw contact_law(double mu, const AspFrictionModel *friction) {
  return (AspLaw){.kind = mu > 0 ? ASP_LAW_COULOMB : ASP_LAW_UNILATERAL,
                  .mu = mu,
                  .cone = friction->cone,
                  .directions = friction->directions,
                  .angle = friction->angle};
}

/* The coefficient at a slip speed, that of the stretched rows. */
static double coefficient(const AspContactFrame *frame, double slip) {
  if (!frame->law || !(frame->law->static_friction > frame->law->friction))
    return frame->mu;
  return asp_friction_coefficient(frame->law, slip) / frame->stretch[0];
}

/* The direction of slip in the stretched rows, of a contact that slides with rate (t1, t2, not stretched). Where its
 * mode is given as sliding, the direction in which it began counts as a slip of the size ACCELERATION_HINT `slowest`,
 * and a reversed slip keeps its friction until the modes are decided again: both keep the motion smooth. */
static void slip_direction(const AspContactFrame *frame, const double rate[2], double slowest,
                           const AspContactHold *hold, double direction[2]) {
  double s[2] = {rate[0], rate[1]}, sign = 1;
  if (hold) {
    double began[2] = {dot3(hold->direction, frame->t1), dot3(hold->direction, frame->t2)};
    sign = !hold->begins && rate[0] * began[0] + rate[1] * began[1] < 0 ? -1 : 1;
    for (int k = 0; k < 2; k++)
      s[k] = hold->begins ? began[k] : s[k] + sign * ACCELERATION_HINT * slowest * began[k];
  }
  double size = asp_hypot(frame->stretch[0] * s[0], frame->stretch[1] * s[1]);
  direction[0] = size > 0 ? sign * frame->stretch[0] * s[0] / size : 0;
  direction[1] = size > 0 ? sign * frame->stretch[1] * s[1] / size : 0;
}

/* Adds the contact; its normal row, -1: it is not closed. */
static int contact(Level *level, const AspContactFrame *frame, const AspRoundness round[2], int index,
                   const AspFrictionModel *friction) {
  const AspModel *model = level->formulation->model;
  const AspInstant *instant = level->instant;
  const AspContactHold *hold = instant->contacts ? &instant->contacts[index] : NULL;
  int dimension = asp_model_dimension(model), normal = level->formulation->rows;
  AspRow rows[3];
  double rate[3] = {0, 0, 0}, bias[3];
  asp_contact_rows(dimension, frame, rows);
  for (int k = 0; k < dimension; k++)
    rate[k] = row_rate(model, level->state, &rows[k]);
  if (!hold && (frame->gap > instant->gap || rate[0] > instant->speed))
    return -1;
  level->approaching += rate[0] < -instant->speed;
  asp_contact_bias(model, level->state, frame, round, bias);
  double slip = asp_hypot(rate[1], rate[2]);
  bool slides = hold ? hold->slides : slip > instant->speed;
  AspLaw law = contact_law(coefficient(frame, slides ? fmax(slip, DBL_MIN) : 0), friction);
  if (law.kind == ASP_LAW_COULOMB && slides) {
    law.kind = ASP_LAW_SLIDING;
    slip_direction(frame, rate + 1, instant->speed, hold, law.direction);
  }
  open_block(level->formulation, law, ASP_ROLE_CONTACT, index);
  for (int k = 0; k < (law.mu > 0 ? dimension : 1); k++) {
    double stretch = k > 0 ? frame->stretch[k - 1] : 1;
    scale_row(&rows[k], stretch);
    double surface = k > 0 ? dot3(frame->belt_rate, k == 1 ? frame->t1 : frame->t2) : 0;
    add_row(level->formulation, &rows[k], 0, stretch * (bias[k] + surface), &level->terms);
  }
  return normal;
}

/* Rolling and spinning: where the bodies turn against each other the torque is known but for the normal force. The rows
 * of bodies that do not turn against each other keep their directions: what is left of their second derivative is the
 * prescribed turning of kinematic bodies. */
static void resistance(Level *level, const AspContactFrame *frame, int index, int normal_row, AspBlockRole role,
                       const AspFrictionModel *friction) {
  const AspModel *model = level->formulation->model;
  BodyMotion a = asp_body_motion(model, level->state, frame->body_a);
  BodyMotion b = asp_body_motion(model, level->state, frame->body_b);
  AspVec3 lag = sub3(b.known_w, a.known_w);
  AspRow tangent[2];
  AspResistance it = {0};
  double rate[2] = {0, 0};
  asp_resistance_rows(model, frame, role, tangent);
  for (int k = 0; k + 1 < asp_model_dimension(model); k++) {
    const double *turn = asp_model_dimension(model) == 3 ? tangent[k].jb + 3 : NULL;
    rate[k] = row_rate(model, level->state, &tangent[k]);
    it.bias[k] = turn ? turn[0] * lag.x + turn[1] * lag.y + turn[2] * lag.z : tangent[k].jb[2] * lag.z;
  }
  double speed = asp_hypot(rate[0], rate[1]);
  it.turns = speed > level->instant->speed;
  for (int k = 0; it.turns && k < 2; k++)
    it.direction[k] = rate[k] / speed;
  asp_formulate_resistance(level->formulation, frame, index, normal_row, role, &it, friction, &level->terms);
}

/* M without implicit parts, and f = h. */
static AspError dynamics(AspFormulation *formulation, const AspState *state) {
  ASP_TRY(asp_formulate_dynamics(formulation, state, state, 0, 1));
  asp_model_forces(formulation->model, state, formulation->problem.f);
  return ASP_OK;
}

AspError asp_formulate_acceleration(AspFormulation *formulation, const AspState *state, const AspContactFrame *frames,
                                    const AspRoundness *round, int count, const AspFrictionModel *friction,
                                    const AspInstant *instant, int *approaching) {
  double *still = ASP_TAKE(formulation->arena, double, asp_model_v_size(formulation->model));
  int *normal_row = ASP_TAKE(formulation->arena, int, count);
  if (!still || !normal_row)
    return ASP_ERROR_MEMORY;
  Level level = {.formulation = formulation, .state = state, .instant = instant, .terms = {.known_velocity = still}};
  ASP_TRY(dynamics(formulation, state));
  joints(&level);
  for (int i = 0; i < count; i++)
    normal_row[i] = contact(&level, &frames[i], &round[2 * i], i, friction);
  for (AspBlockRole role = ASP_ROLE_ROLLING; role <= ASP_ROLE_SPINNING; role++)
    for (int i = 0; i < count; i++)
      if (normal_row[i] >= 0 && asp_resistance_length(&frames[i], role) > 0)
        resistance(&level, &frames[i], i, normal_row[i], role, friction);
  *approaching = level.approaching;
  return ASP_OK;
}

AspError asp_formulate_impulse(AspFormulation *formulation, const AspState *state, const AspContactFrame *frames,
                               int count, const AspFrictionModel *friction, const AspInstant *instant) {
  const AspModel *model = formulation->model;
  int dimension = asp_model_dimension(model), n = asp_body_velocities(dimension);
  double *known = ASP_TAKE(formulation->arena, double, asp_model_v_size(model));
  int *normal_row = ASP_TAKE(formulation->arena, int, count);
  if (!known || !normal_row)
    return ASP_ERROR_MEMORY;
  for (int body = 0; body < asp_model_body_count(model); body++)
    if (asp_model_body_kind(model, body) == ASP_BODY_KINEMATIC)
      memcpy(known + (size_t)n * body, state->v + (size_t)n * body, (size_t)n * sizeof *known);
  AspStepTerms terms = {
      .level = ASP_LEVEL_VELOCITY, .slop = instant->gap, .slop_turn = instant->gap, .known_velocity = known};
  ASP_TRY(asp_formulate_dynamics(formulation, state, state, 0, 1)); // f = M v
  ASP_TRY(asp_formulate_joints(formulation, state, state, friction, &terms));
  for (int i = 0; i < count; i++) {
    AspRow rows[3];
    asp_contact_rows(dimension, &frames[i], rows);
    normal_row[i] = frames[i].gap > instant->gap ? -1 : formulation->rows;
    if (normal_row[i] < 0)
      continue;
    double approach = fmin(row_rate(model, state, &rows[0]), 0);
    open_block(formulation, contact_law(frames[i].mu, friction), ASP_ROLE_CONTACT, i);
    add_row(formulation, &rows[0], 0, frames[i].restitution * approach, &terms);
    for (int k = 1; frames[i].mu > 0 && k < dimension; k++) {
      scale_row(&rows[k], frames[i].stretch[k - 1]);
      add_row(formulation, &rows[k], rows[k].rate, frames[i].tangential_restitution * row_rate(model, state, &rows[k]),
              &terms);
    }
  }
  for (AspBlockRole role = ASP_ROLE_ROLLING; role <= ASP_ROLE_SPINNING; role++)
    for (int i = 0; i < count; i++)
      if (normal_row[i] >= 0 && asp_resistance_length(&frames[i], role) > 0)
        asp_formulate_resistance(formulation, &frames[i], i, normal_row[i], role, &(AspResistance){0}, friction,
                                 &terms);
  return ASP_OK;
}
