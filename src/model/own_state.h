/* States on a context of their own. A model may be shared by worlds in several threads, each with its context: what
 * they allocate must not be counted, or fail, on the model's. */
#ifndef ASP_MODEL_OWN_STATE_H
#define ASP_MODEL_OWN_STATE_H

#include "asperity/model.h"
#include "base/archive.h"

/* As asp_state_create and asp_state_destroy, with memory and messages of this context. */
AspError asp_state_create_on(AspContext *context, const AspModel *model, AspState *state);
void asp_state_destroy_on(AspContext *context, AspState *state);
/* Time, q, v, angles, inputs: written or read back. */
void asp_state_archive(AspArchive *archive, const AspModel *model, AspState *state);
/* Pose and velocities of one dynamic body; NULL keeps what is there. */
void asp_state_set_body(const AspModel *model, AspState *state, int body, const AspPose *pose, const AspVec3 *velocity,
                        const AspVec3 *angular_velocity);
/* After q, v or t were written: unit quaternions, kinematic bodies at t, stations from their beams, angles. */
void asp_state_place_others(const AspModel *model, AspState *state);

#endif
