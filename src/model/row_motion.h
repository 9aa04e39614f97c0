/* Values and rates of the rows of joints at a state, without their gradients: what drift, records and the ends of a
 * step need of them (joint_rows.c). Depends on the public headers only. */
#ifndef ASP_MODEL_ROW_MOTION_H
#define ASP_MODEL_ROW_MOTION_H

#include "asperity/model.h"

typedef struct RowMotion {
  double value, rate; /* m or rad, per s; rate: at the state's velocities */
  bool is_length;     /* m, not rad */
} RowMotion;

/* Those of asp_joint_rows; how many. */
int asp_joint_row_motions(const AspModel *model, const AspState *state, int joint,
                          RowMotion motion[ASP_JOINT_ROWS_MAX]);
/* That of asp_joint_coordinate; false where the joint has none. */
bool asp_joint_motion_of_coordinate(const AspModel *model, const AspState *state, int joint, RowMotion *motion);

/* The axis of a joint as it is fixed in B, world: of a universal joint the second one. */
AspVec3 asp_joint_axis_of_b(const AspModel *model, const AspState *state, int joint);

#endif
