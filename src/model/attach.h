/* Joints that events close and release (attach.c). */
#ifndef ASP_MODEL_ATTACH_H
#define ASP_MODEL_ATTACH_H

#include "model/model.h"

/* Its memory among the inputs, where the definition has a switch; the name is known. */
AspError asp_attach_prepare(AspModel *model, ModelJoint *joint);
/* Closing has a meaning for its kind. */
bool asp_joint_can_close(const AspModel *model, int joint);
/* Close where the bodies are, or release. */
void asp_joint_switch(const AspModel *model, AspState *state, int joint, bool active);
/* Point and axes of A of a joint that closed later than at the start; false: as defined. */
bool asp_joint_closed_at(const AspModel *model, const AspState *state, int joint, AspVec3 *local_a, AspVec3 frame_a[3],
                         double *turn);

#endif
