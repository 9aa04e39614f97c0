/* A study beside its scene, and the values of its first points. */
#include "fuzz.h"

static const char scene_text[] =
    "{\"parameters\": {\"mu\": {\"value\": 0.3, \"range\": [0, 1]}, \"h\": 2}, \"materials\": [{\"pair\": [\"a\", "
    "\"a\"], "
    "\"friction\": \"mu\"}], \"bodies\": [{\"name\": \"ball\", \"mass\": 1, \"position\": [0, 0, \"h\"], \"shapes\": "
    "[{\"type\": \"sphere\", \"radius\": 1, \"material\": \"a\"}]}], \"run\": {\"dt\": 0.01, \"until\": 0.02}}";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  AspContext *context = fuzz_context(1000);
  AspStudy *study = NULL;
  AspMistakes mistakes;
  fuzz_file("scene.json", scene_text, sizeof scene_text - 1);
  const char *path = fuzz_file("study.json", bytes, size);
  AspError error = asp_study_read(context, path, &study, &mistakes);
  fuzz_check_error(context, error);
  for (int64_t point = 0; error == ASP_OK && point < asp_study_point_count(study) && point < 20; point++) {
    char key[17];
    asp_study_key(study, point, key);
    for (int column = 0; column < asp_study_column_count(study); column++)
      asp_study_parameter(study, point, column);
  }
  asp_study_destroy(study);
  asp_mistakes_destroy(context, &mistakes);
  fuzz_context_end(context);
  return 0;
}
