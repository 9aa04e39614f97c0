/* Joints that events close and release. Such a joint keeps in the state, as inputs of its own, whether it is closed
 * ("NAME.active", 1 or 0) and the pose of B against A at which it closed, which takes the place of the initial one:
 *
 *   point and axes of A  =  those of B, seen from A at that instant
 *
 * so that all its rows are zero there. Universal, distance and screw joints have no such place: they can only be
 * released. Couplings, and the joints that they couple, have no switch.
 * Depends on input.c. */
#include "model/attach.h"

#include <stdio.h>

enum { ACTIVE, AT_X, AT_Y, AT_Z, AT_W, AT_I, AT_J, AT_K, AT_TURN, MEMORY };

static double remembered(const ModelJoint *joint, const AspState *state, int what) {
  return state->input[joint->memory - 1 + what].set.value;
}

AspError asp_attach_prepare(AspModel *model, ModelJoint *joint) {
  static const char *const parts[MEMORY] = {"active", "at_x", "at_y", "at_z", "at_w", "at_i", "at_j", "at_k", "turn"};
  char name[ASP_LABEL_BYTES];
  int input;
  if (!joint->def.has_switch)
    return ASP_OK;
  if (asp_joint_is_sum(&joint->def) || joint->def.kind == ASP_JOINT_COMPOUND || joint->def.compound >= 0)
    return asp_fail(model->context, ASP_ERROR_INPUT, "active: a coupling, tendon or compound joint cannot be switched");
  for (int i = 0; i < MEMORY; i++) {
    snprintf(name, sizeof name, "%.60s.%s", joint->def.name, parts[i]);
    for (char *c = name; *c; c++) {
      bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '.';
      *c = plain ? *c : '_';
    }
    ASP_TRY(asp_model_add_memory(model, name, i == ACTIVE ? joint->def.starts_active : 0, &input));
    joint->memory = i == 0 ? input + 1 : joint->memory;
    model->sensor[input].acts = true;
  }
  return ASP_OK;
}

static void remember(AspState *state, const ModelJoint *joint, int what, double value) {
  state->input[joint->memory - 1 + what] = (AspInput){.since = state->t, .set = {.value = value}};
}

static bool has_place(AspJointKind kind) {
  return kind != ASP_JOINT_UNIVERSAL && kind != ASP_JOINT_DISTANCE && kind != ASP_JOINT_SCREW;
}

bool asp_joint_can_close(const AspModel *model, int joint) {
  return model->joint[joint].memory > 0 && has_place(model->joint[joint].def.kind);
}

bool asp_joint_is_active(const AspModel *model, const AspState *state, int joint) {
  const ModelJoint *it = &model->joint[joint];
  return it->memory == 0 || remembered(it, state, ACTIVE) > 0;
}

void asp_joint_switch(const AspModel *model, AspState *state, int joint, bool active) {
  const ModelJoint *it = &model->joint[joint];
  remember(state, it, ACTIVE, active);
  if (!active || !has_place(it->def.kind))
    return;
  BodyMotion a = asp_body_motion(model, state, it->def.body_a), b = asp_body_motion(model, state, it->def.body_b);
  AspVec3 x = pose_point_back(&a.pose, b.pose.position);
  AspQuat q = quat_multiply(quat_conjugate(a.pose.orientation), b.pose.orientation);
  const double values[MEMORY] = {1, x.x, x.y, x.z, q.w, q.x, q.y, q.z, b.angle - a.angle};
  for (int i = AT_X; i < MEMORY; i++)
    remember(state, it, i, values[i]);
  state->angle[joint] = it->def.initial;
}

bool asp_joint_closed_at(const AspModel *model, const AspState *state, int joint, AspVec3 *local_a, AspVec3 frame_a[3],
                         double *turn) {
  const ModelJoint *it = &model->joint[joint];
  if (it->memory == 0 || !has_place(it->def.kind))
    return false;
  AspQuat q = {remembered(it, state, AT_W), remembered(it, state, AT_I), remembered(it, state, AT_J),
               remembered(it, state, AT_K)};
  if (q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0)
    return false; // as it is at the initial poses
  AspVec3 x = {remembered(it, state, AT_X), remembered(it, state, AT_Y), remembered(it, state, AT_Z)};
  *local_a = add3(x, quat_rotate(q, it->local_b));
  for (int i = 0; i < 3; i++)
    frame_a[i] = quat_rotate(q, it->frame_b[i]);
  *turn = remembered(it, state, AT_TURN);
  return true;
}
