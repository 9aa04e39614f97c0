/* A scene given as text, run in rows of `asperity reproduce`. */
#ifndef CLI_REPRODUCE_CASE_H
#define CLI_REPRODUCE_CASE_H

#include "asperity/asperity.h"

#include <string.h>

/* A scene's run. */
typedef struct Case {
  AspContext *context;
  AspScene scene;
  AspWorld *world;
  AspStepInfo info;
} Case;

static inline AspError open_case(AspContext *context, const char *text, Case *it) {
  *it = (Case){.context = context};
  AspError error = asp_scene_parse(context, text, strlen(text), "case", &it->scene, NULL);
  return error == ASP_OK ? asp_world_create(context, it->scene.model, &it->scene.run, &it->world) : error;
}

static inline void close_case(Case *it) {
  asp_world_destroy(it->world);
  asp_scene_destroy(it->context, &it->scene);
}

static inline bool step_case(Case *it, AspError *error) {
  const AspRunOptions *run = &it->scene.run;
  if (*error != ASP_OK || asp_world_state(it->world)->t >= run->until - 1e-9 * run->dt)
    return false;
  *error = asp_world_step(it->world, &it->info);
  return *error == ASP_OK;
}

static inline AspVec3 position(const Case *it, const char *name) {
  return asp_state_pose(it->scene.model, asp_world_state(it->world), asp_model_find_body(it->scene.model, name))
      .position;
}
static inline AspVec3 velocity(const Case *it, const char *name) {
  return asp_state_velocity(it->scene.model, asp_world_state(it->world), asp_model_find_body(it->scene.model, name));
}

/* Run a scene to its end; position and velocity of one body there. */
static inline AspError run_case(AspContext *context, const char *text, const char *name, AspVec3 *p, AspVec3 *v) {
  Case it;
  AspError error = open_case(context, text, &it);
  *p = *v = (AspVec3){0, 0, 0};
  while (step_case(&it, &error)) {
  }
  if (error == ASP_OK) {
    *p = position(&it, name);
    *v = velocity(&it, name);
  }
  close_case(&it);
  return error;
}

#endif
