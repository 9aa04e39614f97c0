/* A scene file, and two steps of it. */
#include "fuzz.h"

#define QUESTIONS 2000 /* of the callback: bounds the work of one input */

static void step_twice(AspContext *context, const AspScene *scene) {
  AspWorld *world = NULL;
  AspError error = asp_world_create(context, scene->model, &scene->run, &world);
  for (int i = 0; error == ASP_OK && i < 2; i++) {
    AspStepInfo info;
    error = asp_world_step(world, &info);
  }
  fuzz_check_error(context, error);
  asp_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  AspContext *context = fuzz_context(QUESTIONS);
  AspScene scene;
  AspMistakes mistakes;
  char *text = fuzz_text(bytes, size);
  AspError error = asp_scene_parse(context, text, size, "scene.json", &scene, &mistakes);
  fuzz_check_error(context, error);
  if (error == ASP_OK) {
    step_twice(context, &scene);
    asp_scene_destroy(context, &scene);
  } else if (error == ASP_ERROR_INPUT && mistakes.count == 0)
    fuzz_complain("refused without a mistake");
  asp_mistakes_destroy(context, &mistakes);
  free(text);
  fuzz_context_end(context);
  return 0;
}
