/* States that meet the joints. Positions: Newton's method on the rows phi of all joints, with the smallest displacement
 * in the metric of the mass; velocities: the nearest ones that the joints allow,
 *
 *   d = -M^-1 J^T (J M^-1 J^T)^+ phi(q),       v+ = v - M^-1 J^T (J M^-1 J^T)^+ (J v - rate)
 *
 * A coordinate is set by one more row, coordinate - value. Bodies that hang on the joint alone are first moved rigidly
 * with it, so that any angle can be set; where the joint is in a loop, the value is approached in short steps.
 * Depends on joint_rows.c, state.c, linalg (dense).
 */
#include "linalg/dense.h"
#include "linalg/small.h"
#include "model/model.h"
#include "model/own_state.h"
#include "model/tuning/model.h"

/* All rows at a state. */
typedef struct JointRows {
  AspContext *context;
  const AspModel *model;
  AspArena *arena;
  int count, dofs;
  double *phi, *rate;   /* count: values, and rates of the present velocities */
  double *J, *MJ;       /* dofs x count: gradients, and M^-1 times these */
  int joint;            /* with a row of its own for its coordinate, which comes last; -1: none */
  double value, wanted; /* of this coordinate, and of its rate */
} JointRows;

static void add_gradient(const JointRows *rows, const AspState *state, int body, const double *j, double *column) {
  int n = asp_model_velocities(rows->model), dof = rows->model->body[body].dof;
  for (int i = 0; dof >= 0 && i < n; i++)
    column[dof + i] += j[i];
  if (rows->model->body[body].beam < 0)
    return;
  AspStationMap map;
  asp_station_map(rows->model, state, body, &map);
  for (int k = 0; k < map.count; k++)
    for (int i = 0; i < n; i++)
      column[map.dof + k] += map.T[n * k + i] * j[i];
}

static void add_row(JointRows *rows, const AspState *state, const AspRow *row, double value, double rate) {
  double *column = rows->J + (size_t)rows->dofs * (size_t)rows->count;
  for (const AspRow *part = row; part; part = part->more) {
    add_gradient(rows, state, part->body_a, part->ja, column);
    add_gradient(rows, state, part->body_b, part->jb, column);
  }
  rows->phi[rows->count] = value;
  rows->rate[rows->count++] = asp_row_rate(rows->model, state, row, state->v) - rate;
}

/* MJ := M^-1 J; the mass of a beam is spread over its dofs, which is a metric as good as another. */
static void divide_by_mass(JointRows *rows, const AspState *state) {
  const AspModel *model = rows->model;
  int n = asp_model_velocities(model), pivot[6];
  size_t dofs = (size_t)rows->dofs;
  memcpy(rows->MJ, rows->J, dofs * (size_t)rows->count * sizeof *rows->J);
  for (int body = 0; body < model->body_count; body++) {
    double M[36];
    if (model->body[body].dof < 0)
      continue;
    asp_body_mass_matrix(model, state, body, M);
    if (!asp_small_lu(n, M, pivot))
      continue;
    for (int k = 0; k < rows->count; k++)
      asp_small_lu_solve(n, M, pivot, rows->MJ + dofs * (size_t)k + model->body[body].dof);
  }
  for (int beam = 0; beam < model->beam_count; beam++) {
    int count, first = asp_model_beam_dof(model, beam, &count);
    double mass = asp_model_beam_mass(model, beam);
    for (int k = 0; k < rows->count; k++)
      for (int i = first; i < first + count; i++)
        rows->MJ[dofs * (size_t)k + (size_t)i] /= mass;
  }
}

static AspError gather(JointRows *rows, const AspState *state) {
  const AspModel *model = rows->model;
  size_t most = (size_t)(ASP_JOINT_ROWS_MAX + 1) * (size_t)model->joint_count;
  asp_arena_reset(rows->arena);
  rows->count = 0;
  rows->phi = ASP_TAKE(rows->arena, double, most);
  rows->rate = ASP_TAKE(rows->arena, double, most);
  rows->J = ASP_TAKE(rows->arena, double, most *(size_t)rows->dofs);
  rows->MJ = ASP_TAKE(rows->arena, double, most *(size_t)rows->dofs);
  if (!rows->phi || !rows->rate || !rows->J || !rows->MJ)
    return ASP_ERROR_MEMORY;
  for (int joint = 0; joint < model->joint_count; joint++) {
    AspRow list[ASP_JOINT_ROWS_MAX], row[ASP_ROW_PARTS];
    AspJet motion;
    int count = asp_joint_rows(model, state, joint, list);
    for (int i = 0; i < count; i++)
      add_row(rows, state, &list[i], list[i].value, 0);
    if (asp_joint_motion(model, state, joint, state->t, &motion) && asp_joint_coordinate(model, state, joint, row))
      add_row(rows, state, row, row->value - motion.value, motion.rate);
    if (joint == rows->joint && asp_joint_coordinate(model, state, joint, row))
      add_row(rows, state, row, row->value - rows->value, rows->wanted);
  }
  divide_by_mass(rows, state);
  return ASP_OK;
}

/* x (dofs) := -M^-1 J^T (J M^-1 J^T)^+ what */
static AspError correct(JointRows *rows, const double *what, double *x) {
  int count = rows->count;
  size_t dofs = (size_t)rows->dofs;
  AspSemidefinite factor;
  double *G = ASP_TAKE(rows->arena, double, count *count), *lambda = ASP_TAKE(rows->arena, double, count);
  if (!G || !lambda)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < count; i++)
    for (int j = 0; j <= i; j++)
      for (size_t d = 0; d < dofs; d++)
        G[i + j * count] += rows->J[dofs * (size_t)i + d] * rows->MJ[dofs * (size_t)j + d];
  memcpy(lambda, what, (size_t)count * sizeof *lambda);
  ASP_TRY(asp_dense_semidefinite(rows->arena, count, G, count, JOINT_STATE_SINGULAR, &factor));
  ASP_TRY(asp_dense_semidefinite_solve(rows->arena, &factor, lambda));
  memset(x, 0, dofs * sizeof *x);
  for (int i = 0; i < count; i++)
    for (size_t d = 0; d < dofs; d++)
      x[d] -= rows->MJ[dofs * (size_t)i + d] * lambda[i];
  return ASP_OK;
}

static double largest(int count, const double *x) {
  double most = 0;
  for (int i = 0; i < count; i++)
    most = !(fabs(x[i]) <= most) ? fabs(x[i]) : most;
  return most;
}

/* Positions onto the rows; *left: what remains of them. */
static AspError settle_positions(JointRows *rows, AspState *state, double *left) {
  double *x, *displacement;
  *left = INFINITY;
  for (int step = 0; step < JOINT_STATE_STEPS; step++) {
    ASP_TRY(gather(rows, state));
    *left = largest(rows->count, rows->phi);
    if (!(*left > JOINT_STATE_MET))
      return ASP_OK;
    x = ASP_TAKE(rows->arena, double, rows->dofs);
    displacement = ASP_TAKE(rows->arena, double, rows->model->v_size);
    if (!x || !displacement)
      return ASP_ERROR_MEMORY;
    ASP_TRY(correct(rows, rows->phi, x));
    asp_state_spread(rows->model, state, x, displacement);
    asp_state_displace(rows->model, state, displacement);
  }
  return ASP_OK;
}

static AspError settle_velocities(JointRows *rows, AspState *state) {
  ASP_TRY(gather(rows, state));
  double *change = ASP_TAKE(rows->arena, double, rows->dofs), *x = ASP_TAKE(rows->arena, double, rows->dofs);
  if (!change || !x)
    return ASP_ERROR_MEMORY;
  ASP_TRY(correct(rows, rows->rate, change));
  asp_state_gather(rows->model, state->v, x);
  for (int i = 0; i < rows->dofs; i++)
    x[i] += change[i];
  asp_state_spread(rows->model, state, x, state->v);
  return ASP_OK;
}

/* ---- what hangs on a joint ---- */

static bool is_coupled(const AspModel *model, int joint) {
  if (asp_joint_is_sum(&model->joint[joint].def) || model->joint[joint].def.kind == ASP_JOINT_SCREW)
    return true;
  for (int i = 0; i < model->joint_count; i++)
    for (int k = 0; k < model->joint[i].def.term_count; k++)
      if (model->joint[i].def.term[k].joint == joint)
        return true;
  return false;
}

/* Bodies connected to `from` by joints other than this one; false: it leads to the joint's other body, to one that is
 * not free to be moved, or to a beam, or a coupling moves other joints with it. */
static bool collect(const AspModel *model, int joint, int from, int other, bool *hangs) {
  bool grown = true;
  int of = model->joint[joint].def.compound; // whose axes act between the same bodies
  if (is_coupled(model, joint))
    return false;
  memset(hangs, 0, (size_t)model->body_count * sizeof *hangs);
  hangs[from] = true;
  while (grown) {
    grown = false;
    for (int i = 0; i < model->joint_count; i++) {
      const AspJointDef *def = &model->joint[i].def;
      bool same = i == joint || (of >= 0 && (i == of || def->compound == of));
      if (same || def->kind == ASP_JOINT_TENDON || hangs[def->body_a] == hangs[def->body_b])
        continue;
      hangs[def->body_a] = hangs[def->body_b] = grown = true;
    }
  }
  for (int body = 0; body < model->body_count; body++)
    if (hangs[body] && (body == other || model->body[body].dof < 0))
      return false;
  return true;
}

/* The bodies that hang on it turn about the joint's axis, or slide along it; velocities turn with them. */
static void carry(const AspModel *model, AspState *state, int joint, const bool *hangs, double by) {
  AspVec3 axes[3], place = asp_joint_place(model, state, joint, axes);
  bool slides = model->joint[joint].def.kind == ASP_JOINT_PRISMATIC;
  AspQuat turn = quat_from_axis_angle(axes[2], by);
  for (int body = 0; body < model->body_count; body++) {
    if (!hangs[body])
      continue;
    BodyMotion motion = asp_body_motion(model, state, body);
    if (slides) {
      motion.pose.position = axpy3(motion.pose.position, by, axes[2]);
    } else {
      motion.pose.position = add3(place, quat_rotate(turn, sub3(motion.pose.position, place)));
      motion.pose.orientation = quat_normalize(quat_multiply(turn, motion.pose.orientation));
      motion.angle += by;
      motion.v = quat_rotate(turn, motion.v);
      motion.w = quat_rotate(turn, motion.w);
    }
    asp_state_write_motion(model, state, body, &motion);
  }
  state->angle[joint] += by;
}

/* ---- interface ---- */

/* Rows of all joints, and the state as it was before. */
static AspError begin(AspContext *context, const AspModel *model, const AspState *state, AspArena *arena,
                      JointRows *rows, AspState *kept) {
  ASP_TRY(asp_state_create_on(context, model, kept));
  asp_state_copy(model, state, kept);
  asp_arena_init(arena, context);
  *rows = (JointRows){.context = context, .model = model, .arena = arena, .dofs = model->dofs, .joint = -1};
  return ASP_OK;
}

/* Velocities follow where the positions were found; else the state is as before. */
static AspError end(JointRows *rows, AspState *state, AspState *kept, AspError error) {
  if (error == ASP_OK)
    error = settle_velocities(rows, state);
  if (error != ASP_OK)
    asp_state_copy(rows->model, kept, state);
  asp_state_destroy_on(rows->context, kept);
  asp_arena_free(rows->arena);
  return error;
}

AspError asp_state_satisfy_joints(AspContext *context, const AspModel *model, AspState *state) {
  AspArena arena;
  JointRows rows;
  AspState kept;
  double left = 0;
  ASP_TRY(begin(context, model, state, &arena, &rows, &kept));
  AspError error = settle_positions(&rows, state, &left);
  if (error == ASP_OK && !(left <= JOINT_STATE_MET))
    error = asp_fail(context, ASP_ERROR_INPUT,
                     "the joints cannot be closed from these positions: %.3g m or rad are left", left);
  return end(&rows, state, &kept, error);
}

/* Approach the value: at once where bodies can be carried along, in short steps in a loop. */
static AspError approach(JointRows *rows, AspState *state, double value, double *left) {
  const AspModel *model = rows->model;
  const AspJointDef *def = &model->joint[rows->joint].def;
  AspRow row[ASP_ROW_PARTS];
  asp_joint_coordinate(model, state, rows->joint, row);
  double from = row->value, by = value - from;
  bool *hangs = asp_allocate(rows->context, (size_t)model->body_count, sizeof *hangs);
  if (!hangs)
    return ASP_ERROR_MEMORY;
  AspError error = ASP_OK;
  int steps = 1;
  if (collect(model, rows->joint, def->body_b, def->body_a, hangs))
    carry(model, state, rows->joint, hangs, by);
  else if (collect(model, rows->joint, def->body_a, def->body_b, hangs)) {
    carry(model, state, rows->joint, hangs, -by);
    state->angle[rows->joint] += 2 * by; // its coordinate grows
  } else
    steps = 1 + (int)fmin(fabs(by) / JOINT_STATE_TURN, JOINT_STATE_TURNS);
  for (int i = 1; i <= steps && error == ASP_OK; i++) {
    rows->value = from + by * i / steps;
    error = settle_positions(rows, state, left);
  }
  asp_release(rows->context, hangs);
  return error;
}

static AspError check_joint(AspContext *context, const AspModel *model, const AspState *state, int joint, double value,
                            double rate) {
  AspRow row[ASP_ROW_PARTS];
  AspJet motion;
  if (joint < 0 || joint >= model->joint_count)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "joint: %d is not a joint of the model; it has %d", joint,
                    model->joint_count);
  const char *name = asp_model_joint_name(model, joint);
  if (!(isfinite(value) && isfinite(rate)))
    return asp_fail(context, ASP_ERROR_VALUE, "joint %s: the coordinate %g with rate %g is not finite", name, value,
                    rate);
  if (!asp_joint_coordinate(model, state, joint, row))
    return asp_fail(context, ASP_ERROR_ARGUMENT, "joint %s: a %s joint has no single coordinate to set", name,
                    asp_joint_kind_name(model->joint[joint].def.kind));
  if (asp_joint_motion(model, state, joint, state->t, &motion))
    return asp_fail(context, ASP_ERROR_ARGUMENT,
                    "joint %s: its coordinate is prescribed; set the input that it follows", name);
  return ASP_OK;
}

AspError asp_state_set_joint(AspContext *context, const AspModel *model, AspState *state, int joint, double value,
                             double rate) {
  AspArena arena;
  JointRows rows;
  AspState kept;
  double left = 0;
  ASP_TRY(check_joint(context, model, state, joint, value, rate));
  ASP_TRY(begin(context, model, state, &arena, &rows, &kept));
  rows.joint = joint;
  rows.wanted = rate;
  AspError error = approach(&rows, state, value, &left);
  if (error == ASP_OK && !(left <= JOINT_STATE_MET))
    error = asp_fail(context, ASP_ERROR_INPUT,
                     "joint %s: the coordinate %g cannot be reached: %.3g m or rad are left open in the joints",
                     asp_model_joint_name(model, joint), value, left);
  return end(&rows, state, &kept, error);
}
