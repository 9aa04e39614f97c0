/* Several axes between the same two bodies (compound.c). */
#ifndef ASP_MODEL_COMPOUND_H
#define ASP_MODEL_COMPOUND_H

#include "model/model.h"

/* Rows of the axes that are held; all zero when the joint is in order. */
int asp_compound_rows(const AspModel *model, const AspState *state, int joint, AspRow rows[ASP_JOINT_ROWS_MAX]);
/* The coordinate of one axis. */
AspRow asp_compound_coordinate(const AspModel *model, const AspState *state, int axis);
double asp_compound_value(const AspModel *model, const AspState *state, int axis); /* of this coordinate */
/* state->angle of all axes of a compound joint: their values at the present pose, or where these velocities (v_size)
 * take them in dt. */
void asp_compound_refresh(const AspModel *model, AspState *state, int joint);
void asp_compound_expect(const AspModel *model, AspState *state, int joint, const double *velocity, double dt);
/* A point on the axis, and across, across, along it, world. */
AspVec3 asp_compound_place(const AspModel *model, const AspState *state, int axis, AspVec3 axes[3]);

/* An axis as defined: that of a joint before it, of a right kind. */
AspError asp_compound_check_axis(const AspModel *model, const AspJointDef *def);
/* The chains of all compound joints; called by finish. */
AspError asp_compounds_finish(AspModel *model);

#endif
