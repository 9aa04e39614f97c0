/* What the engines need of a scene: see engines.h. */
#include "engines.h"
#include "linalg/vec3.h"

#include <stdlib.h>

AspPairLaw peer_law(const AspModel *model) {
  const AspPairLaw *law = asp_model_pair(model, 0, 0);
  return law ? *law : asp_pair_law_default();
}

bool peer_guide(const AspModel *model, int body, AspVec3 *axis) {
  for (int joint = 0; joint < asp_model_joint_count(model); joint++) {
    const AspJointDef *def = asp_model_joint_def(model, joint);
    if (def->kind != ASP_JOINT_PRISMATIC || def->body_b != body)
      continue;
    *axis = def->axis;
    return true;
  }
  return false;
}

/* A fresh state of the model; NULL context of its own is not needed: the model has one. */
static bool initial_state(const AspModel *model, AspState *state) { return asp_state_create(model, state) == ASP_OK; }

AspVec3 peer_force(const AspModel *model, int body) {
  AspVec3 force = {0, 0, 0};
  AspState state;
  int dof = asp_model_body_dof(model, body);
  double *h = calloc((size_t)asp_model_dof_count(model) + 1, sizeof *h);
  if (dof >= 0 && h && initial_state(model, &state)) {
    asp_model_add_applied_forces(model, &state, h);
    force = vec3(h[dof], h[dof + 1], h[dof + 2]);
    asp_state_destroy(model, &state);
  }
  free(h);
  return force;
}

void peer_start(const AspScene *scene, int body, AspPose *pose, AspVec3 *velocity, AspVec3 *angular_velocity) {
  AspState state;
  *pose = (AspPose){{0, 0, 0}, {1, 0, 0, 0}};
  *velocity = *angular_velocity = vec3(0, 0, 0);
  if (!initial_state(scene->model, &state))
    return;
  *pose = asp_state_pose(scene->model, &state, body);
  *velocity = asp_state_velocity(scene->model, &state, body);
  *angular_velocity = asp_state_angular_velocity(scene->model, &state, body);
  asp_state_destroy(scene->model, &state);
}

AspPose peer_shape_pose(const AspScene *scene, int shape, int *body) {
  const AspShapeAttachment *attachment = asp_model_shape(scene->model, shape, body);
  AspPose pose;
  AspVec3 velocity, angular;
  peer_start(scene, *body, &pose, &velocity, &angular);
  return pose_multiply(&pose, &attachment->pose);
}
