/* Run a scene file through the library's public path (the one the program's `run` uses) and watch it. */
#ifndef ASP_SCENE_RUNNER_H
#define ASP_SCENE_RUNNER_H

#include "asperity/asperity.h"
#include "testing.h"

typedef struct SceneRun {
  AspContext *context;
  AspScene scene;
  AspWorld *world;
  AspStepInfo info;    /* of the last step */
  int64_t uncertified; /* steps that missed the tolerance */
  int64_t unresolved;  /* steps that exceeded a measure of resolution */
  double drift_max;    /* largest joint drift over all steps so far */
  double residual_max; /* largest E2 so far */
} SceneRun;

/* dt <= 0 keeps the scene's own. */
static inline void scene_open(SceneRun *run, const char *name, double dt) {
  char path[512];
  snprintf(path, sizeof path, "%s/scenes/%s.json", ASP_SOURCE_DIR, name);
  *run = (SceneRun){.context = asp_context_create(NULL)};
  assert_non_null(run->context);
  assert_ok(run->context, asp_scene_read(run->context, path, &run->scene, NULL));
  if (dt > 0)
    run->scene.run.dt = dt;
  assert_ok(run->context, asp_world_create(run->context, run->scene.model, &run->scene.run, &run->world));
}

/* A scene given as text. */
static inline void scene_open_text(SceneRun *run, const char *text) {
  *run = (SceneRun){.context = asp_context_create(NULL)};
  assert_non_null(run->context);
  assert_ok(run->context, asp_scene_parse(run->context, text, strlen(text), "text", &run->scene, NULL));
  assert_ok(run->context, asp_world_create(run->context, run->scene.model, &run->scene.run, &run->world));
}

/* The text of a scene with one piece replaced. */
static inline void scene_open_changed(SceneRun *run, const char *name, const char *from, const char *to) {
  char path[512], text[8192], changed[9216];
  snprintf(path, sizeof path, "%s/scenes/%s.json", ASP_SOURCE_DIR, name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = '\0';
  char *at = strstr(text, from);
  assert_non_null(at);
  *at = '\0';
  assert_true(snprintf(changed, sizeof changed, "%s%s%s", text, to, at + strlen(from)) < (int)sizeof changed);
  scene_open_text(run, changed);
}

/* One step; false when the scene's end has been reached. */
static inline bool scene_step(SceneRun *run) {
  const AspRunOptions *options = &run->scene.run;
  if (asp_world_state(run->world)->t >= options->until - 1e-9 * options->dt)
    return false;
  assert_ok(run->context, asp_world_step(run->world, &run->info));
  run->uncertified += !run->info.certified;
  run->unresolved += !run->info.resolved;
  run->drift_max = fmax(run->drift_max, run->info.joint_drift);
  run->residual_max = fmax(run->residual_max, run->info.residual.E2);
  return true;
}

/* Every step to the end, all certified. */
static inline void scene_finish(SceneRun *run) {
  while (scene_step(run)) {
  }
  assert_int_equal(run->uncertified, 0);
}

static inline void scene_close(SceneRun *run) {
  asp_world_destroy(run->world);
  asp_scene_destroy(run->context, &run->scene);
  assert_int_equal(asp_context_memory_in_use(run->context), 0);
  asp_context_destroy(run->context);
}

static inline int scene_body(const SceneRun *run, const char *name) {
  int body = asp_model_find_body(run->scene.model, name);
  assert_true(body >= 0);
  return body;
}

static inline AspVec3 scene_position(const SceneRun *run, const char *name) {
  return asp_state_pose(run->scene.model, asp_world_state(run->world), scene_body(run, name)).position;
}
static inline AspVec3 scene_velocity(const SceneRun *run, const char *name) {
  return asp_state_velocity(run->scene.model, asp_world_state(run->world), scene_body(run, name));
}
static inline AspVec3 scene_angular_velocity(const SceneRun *run, const char *name) {
  return asp_state_angular_velocity(run->scene.model, asp_world_state(run->world), scene_body(run, name));
}
static inline const AspJointRecord *scene_joint(const SceneRun *run, const char *name) {
  int joint = asp_model_find_joint(run->scene.model, name);
  assert_true(joint >= 0);
  return &asp_world_joints(run->world)[joint];
}

#endif
