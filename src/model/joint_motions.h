/* Values and rates of all joints' rows and coordinates at one state, kept for the next reader of the same state: the
 * end of a step is the start of the next one, and is measured, recorded and formulated. Depends on row_motion.h. */
#ifndef ASP_MODEL_JOINT_MOTIONS_H
#define ASP_MODEL_JOINT_MOTIONS_H

#include "base/base.h"
#include "model/row_motion.h"

typedef struct JointMotions {
  double *at;                     /* the state: q, v and angle of AspState, bit by bit */
  bool has_rows, has_coordinates; /* at that state */
  RowMotion *row, *coordinate;    /* joints x ASP_JOINT_ROWS_MAX; joints */
  int *count;                     /* joints: rows */
  bool *is_one;                   /* joints: it has a coordinate */
} JointMotions;

AspError asp_joint_motions_create(JointMotions *motions, AspContext *context, const AspModel *model);
void asp_joint_motions_destroy(JointMotions *motions, AspContext *context);

/* Make them those of a state; NULL: each joint is looked at where it is asked for. */
void asp_joint_motions_take(JointMotions *motions, const AspModel *model, const AspState *state);
/* As asp_joint_row_motions and asp_joint_motion_of_coordinate, at the state that was taken. */
int asp_kept_row_motions(JointMotions *motions, const AspModel *model, const AspState *state, int joint,
                         RowMotion motion[ASP_JOINT_ROWS_MAX]);
bool asp_kept_motion_of_coordinate(JointMotions *motions, const AspModel *model, const AspState *state, int joint,
                                   RowMotion *motion);

#endif
