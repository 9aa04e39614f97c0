/* See joint_motions.h. Two states are the same where all their bits are: what a joint's rows follow from is the places,
 * the velocities and the counted turns of the state; not the time, nor what prescribes motions. */
#include "model/joint_motions.h"
#include "model/model.h"

#include <string.h>

AspError asp_joint_motions_create(JointMotions *motions, AspContext *context, const AspModel *model) {
  size_t joints = (size_t)asp_model_joint_count(model);
  size_t size = (size_t)asp_model_q_size(model) + (size_t)asp_model_v_size(model) + joints;
  *motions = (JointMotions){.at = asp_allocate(context, size, sizeof *motions->at),
                            .row = asp_allocate(context, ASP_JOINT_ROWS_MAX * joints, sizeof *motions->row),
                            .coordinate = asp_allocate(context, joints, sizeof *motions->coordinate),
                            .count = asp_allocate(context, joints, sizeof *motions->count),
                            .is_one = asp_allocate(context, joints, sizeof *motions->is_one)};
  bool complete = motions->at && motions->row && motions->coordinate && motions->count && motions->is_one;
  return complete ? ASP_OK : ASP_ERROR_MEMORY;
}

void asp_joint_motions_destroy(JointMotions *motions, AspContext *context) {
  asp_release(context, motions->at);
  asp_release(context, motions->row);
  asp_release(context, motions->coordinate);
  asp_release(context, motions->count);
  asp_release(context, motions->is_one);
  *motions = (JointMotions){0};
}

/* Is it the same as what is kept; else it is kept. */
static bool keep(double **kept, const double *values, size_t count) {
  double *old = *kept;
  *kept += count;
  if (count == 0 || memcmp(old, values, count * sizeof *values) == 0)
    return true;
  memcpy(old, values, count * sizeof *values);
  return false;
}

void asp_joint_motions_take(JointMotions *motions, const AspModel *model, const AspState *state) {
  if (!motions)
    return;
  double *at = motions->at;
  bool same = keep(&at, state->q, (size_t)asp_model_q_size(model));
  same = keep(&at, state->v, (size_t)asp_model_v_size(model)) && same;
  same = keep(&at, state->angle, (size_t)asp_model_joint_count(model)) && same;
  motions->has_rows = motions->has_rows && same;
  motions->has_coordinates = motions->has_coordinates && same;
}

static void find_rows(JointMotions *motions, const AspModel *model, const AspState *state) {
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    motions->count[joint] =
        asp_joint_row_motions(model, state, joint, motions->row + (size_t)ASP_JOINT_ROWS_MAX * (size_t)joint);
  motions->has_rows = true;
}

static void find_coordinates(JointMotions *motions, const AspModel *model, const AspState *state) {
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    motions->is_one[joint] = asp_joint_motion_of_coordinate(model, state, joint, &motions->coordinate[joint]);
  motions->has_coordinates = true;
}

int asp_kept_row_motions(JointMotions *motions, const AspModel *model, const AspState *state, int joint,
                         RowMotion motion[ASP_JOINT_ROWS_MAX]) {
  if (!motions)
    return asp_joint_row_motions(model, state, joint, motion);
  if (!motions->has_rows)
    find_rows(motions, model, state);
  int count = motions->count[joint];
  const RowMotion *row = motions->row + (size_t)ASP_JOINT_ROWS_MAX * (size_t)joint;
  for (int k = 0; k < count; k++)
    motion[k] = row[k];
  return count;
}

bool asp_kept_motion_of_coordinate(JointMotions *motions, const AspModel *model, const AspState *state, int joint,
                                   RowMotion *motion) {
  if (!motions)
    return asp_joint_motion_of_coordinate(model, state, joint, motion);
  if (!motions->has_coordinates)
    find_coordinates(motions, model, state);
  if (motions->is_one[joint])
    *motion = motions->coordinate[joint];
  return motions->is_one[joint];
}
