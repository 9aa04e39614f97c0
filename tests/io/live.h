/* A scene from text and its world, for tests that run it to a time. Single quotes stand for double quotes. */
#ifndef ASP_TEST_LIVE_H
#define ASP_TEST_LIVE_H

#include "asperity/asperity.h"
#include "testing.h"

typedef struct Live {
  AspContext *context;
  AspScene scene;
  AspWorld *world;
} Live;

static inline AspError read_quoted(AspContext *context, const char *text, AspScene *scene) {
  char copy[8192];
  snprintf(copy, sizeof copy, "%s", text);
  for (char *c = copy; *c; c++)
    *c = *c == '\'' ? '"' : *c;
  return asp_scene_parse(context, copy, strlen(copy), "scene", scene, NULL);
}

static inline Live start(const char *text) {
  Live live = {.context = asp_context_create(NULL)};
  assert_ok(live.context, read_quoted(live.context, text, &live.scene));
  assert_ok(live.context, asp_world_create(live.context, live.scene.model, &live.scene.run, &live.world));
  return live;
}

static inline void end(Live *live) {
  asp_world_destroy(live->world);
  asp_scene_destroy(live->context, &live->scene);
  assert_int_equal(asp_context_memory_in_use(live->context), 0);
  asp_context_destroy(live->context);
}

/* To `until` or to a stop; the time reached. */
static inline double run_to(Live *live, double until) {
  AspStepInfo info;
  while (asp_world_state(live->world)->t < until - 1e-9 && asp_world_stopped(live->world) < 0)
    assert_ok(live->context, asp_world_step(live->world, &info));
  return asp_world_state(live->world)->t;
}

static inline AspVec3 position_of(const Live *live, const char *body) {
  const AspModel *model = live->scene.model;
  return asp_state_pose(model, asp_world_state(live->world), asp_model_find_body(model, body)).position;
}

static inline AspVec3 velocity_of(const Live *live, const char *body) {
  const AspModel *model = live->scene.model;
  return asp_state_velocity(model, asp_world_state(live->world), asp_model_find_body(model, body));
}

typedef struct Wrong {
  const char *more, *message;
} Wrong;

/* `format` takes `more` of each; the scene is refused with the message. */
static inline void assert_refused(const char *format, const Wrong *wrong, size_t count) {
  for (size_t i = 0; i < count; i++) {
    char text[4096];
    AspContext *context = asp_context_create(NULL);
    AspScene scene;
    snprintf(text, sizeof text, format, wrong[i].more);
    AspError error = read_quoted(context, text, &scene);
    if (error != ASP_ERROR_INPUT || !strstr(asp_context_message(context), wrong[i].message))
      fail_msg("'%s': %s, '%s'", wrong[i].message, asp_error_name(error), asp_context_message(context));
    assert_int_equal(asp_context_memory_in_use(context), 0);
    asp_context_destroy(context);
  }
}

#endif
