/* The engines beside Asperity, each built where its Debian package is installed (CMakeLists.txt), and what they share:
 * a scene of scenes/peers as they need it. These scenes have one law for all pairs, bodies of one shape each, guides
 * along one axis and constant forces.
 */
#ifndef BENCH_PEERS_ENGINES_H
#define BENCH_PEERS_ENGINES_H

#include "peer_judge.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const PeerEngine peer_mujoco, peer_mujoco_elliptic; /* libmujoco-dev */
extern const PeerEngine peer_bullet, peer_bullet_tight;    /* libbullet-dev */
extern const PeerEngine peer_ode, peer_ode_quick;          /* libode-dev */

/* The one law of the scene. */
AspPairLaw peer_law(const AspModel *model);
/* The axis of the prismatic joint that guides the body; false: it is free. */
bool peer_guide(const AspModel *model, int body, AspVec3 *axis);
/* The constant force of the scene on a body. */
AspVec3 peer_force(const AspModel *model, int body);
/* World pose of a shape at the start; the body it belongs to. */
AspPose peer_shape_pose(const AspScene *scene, int shape, int *body);
/* Pose and velocities of a body at the start. */
void peer_start(const AspScene *scene, int body, AspPose *pose, AspVec3 *velocity, AspVec3 *angular_velocity);

#ifdef __cplusplus
}
#endif
#endif
