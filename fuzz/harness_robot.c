/* A robot model (MJCF, URDF, SDFormat: the root element says which) as a scene, and that scene. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  AspContext *context = fuzz_context(1000);
  AspImportReport report;
  char *text = NULL;
  AspError error = asp_import_read(context, fuzz_file("robot.xml", bytes, size), NULL, &text, &report);
  fuzz_check_error(context, error);
  if (error == ASP_OK) {
    AspScene scene;
    AspMistakes mistakes;
    error = asp_scene_parse(context, text, strlen(text), "robot.xml", &scene, &mistakes);
    fuzz_check_error(context, error);
    if (error == ASP_OK)
      asp_scene_destroy(context, &scene);
    asp_mistakes_destroy(context, &mistakes);
  }
  asp_text_destroy(context, text);
  asp_import_report_destroy(context, &report);
  fuzz_context_end(context);
  return 0;
}
