/* Dry friction with constant bounds in joints (joint_friction.c). */
#ifndef ASP_MODEL_JOINT_FRICTION_H
#define ASP_MODEL_JOINT_FRICTION_H

#include "asperity/model.h"

// exact: of a joint at most
#define ASP_JOINT_FRICTIONS 2
// exact: the same
#define ASP_JOINT_FREE_ROWS 3

/* Its force along the free rows first, first + 1, ... is at most `limit` in size, and resists their rates. */
typedef struct AspJointFriction {
  int first, rows; /* of the joint's free rows */
  double limit;    /* N or N m, > 0 */
} AspJointFriction;

/* The frictions that the joint has; returns how many. */
int asp_joint_frictions(const AspModel *model, int joint, AspJointFriction friction[ASP_JOINT_FRICTIONS]);
/* Refuses bounds that the kind of joint does not have. */
AspError asp_joint_friction_check(const AspModel *model, const AspJointDef *def);

/* Of its kind: 1 where asp_joint_coordinate has it. */
int asp_joint_coordinates(const AspModel *model, int joint);

/* The rows along which a joint of this kind moves freely: its coordinate where there is one (with its parts), else
 *
 *   cylindrical   along the axis, about it
 *   universal     about A's axis, about B's
 *   spherical     about x, y, z of the world
 *   planar        along t1 and t2 of A, about the axis
 *
 * Of the last four only rate and bias have a meaning. 0: it is released, or has no such rows. */
int asp_joint_free_rows(const AspModel *model, const AspState *state, int joint, AspRow rows[ASP_ROW_PARTS]);

#endif
