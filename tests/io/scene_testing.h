/* Scenes written in the test: single quotes stand for double quotes, JSON in C reads better that way. */
#ifndef ASP_TESTS_IO_SCENE_TESTING_H
#define ASP_TESTS_IO_SCENE_TESTING_H

#include "asperity/io.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct TestScene {
  AspContext *context;
  AspScene scene;
  AspWorld *world;
} TestScene;

static inline char *test_scene_text(const char *text) {
  char *copy = malloc(strlen(text) + 1);
  assert_non_null(copy);
  for (size_t i = 0; i <= strlen(text); i++)
    copy[i] = text[i] == '\'' ? '"' : text[i];
  return copy;
}

/* Reads the scene and makes a world of it, in the given scheme; NULL: that of the scene. */
static inline TestScene test_scene_start(const char *text, const char *scheme) {
  TestScene test = {.context = asp_context_create(NULL)};
  char *copy = test_scene_text(text);
  AspError error = asp_scene_parse(test.context, copy, strlen(copy), "scene", &test.scene, NULL);
  if (error != ASP_OK)
    fail_msg("%s", asp_context_message(test.context));
  free(copy);
  for (int i = 0; scheme && i < ASP_SCHEME_COUNT; i++)
    if (strcmp(asp_scheme_name((AspScheme)i), scheme) == 0)
      test.scene.run.scheme = (AspScheme)i;
  error = asp_world_create(test.context, test.scene.model, &test.scene.run, &test.world);
  if (error != ASP_OK)
    fail_msg("%s: %s", scheme ? scheme : "scene", asp_context_message(test.context));
  return test;
}

/* Steps to the scene's end; every step must be certified. Returns the largest number of contacts. */
static inline int test_scene_run(TestScene *test) {
  int most = 0;
  while (asp_world_state(test->world)->t < test->scene.run.until * (1 - 1e-9)) {
    AspStepInfo info;
    if (asp_world_step(test->world, &info) != ASP_OK)
      fail_msg("%s", asp_context_message(test->context));
    assert_true(info.certified);
    most = asp_world_contact_count(test->world) > most ? asp_world_contact_count(test->world) : most;
  }
  return most;
}

static inline void test_scene_end(TestScene *test) {
  asp_world_destroy(test->world);
  asp_scene_destroy(test->context, &test->scene);
  assert_int_equal(asp_context_memory_in_use(test->context), 0);
  asp_context_destroy(test->context);
}

static inline AspVec3 test_scene_position(const TestScene *test, const char *body) {
  const AspModel *model = test->scene.model;
  return asp_state_pose(model, asp_world_state(test->world), asp_model_find_body(model, body)).position;
}

static inline AspVec3 test_scene_velocity(const TestScene *test, const char *body) {
  const AspModel *model = test->scene.model;
  return asp_state_velocity(model, asp_world_state(test->world), asp_model_find_body(model, body));
}

static inline AspVec3 test_scene_spin(const TestScene *test, const char *body) {
  const AspModel *model = test->scene.model;
  return asp_state_angular_velocity(model, asp_world_state(test->world), asp_model_find_body(model, body));
}

/* The scene is refused, and a line says `fragment`. */
static inline void assert_scene_refused(const char *text, const char *fragment) {
  AspContext *context = asp_context_create(NULL);
  AspScene scene;
  AspMistakes mistakes;
  char *copy = test_scene_text(text);
  assert_int_equal(asp_scene_parse(context, copy, strlen(copy), "scene", &scene, &mistakes), ASP_ERROR_INPUT);
  bool said = false;
  for (int i = 0; i < mistakes.count; i++)
    said = said || strstr(mistakes.line[i], fragment);
  if (!said)
    fail_msg("'%s' does not say '%s'", mistakes.line[0], fragment);
  asp_mistakes_destroy(context, &mistakes);
  free(copy);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

#endif
