/* A table of numbers (CSV and its relatives) that a scene reads from a file, and its values. */
#include "fuzz.h"

static const char scene_text[] = "{\"tables\": [{\"name\": \"f\", \"file\": \"table.csv\"}], \"bodies\": [{\"name\": "
                                 "\"a\", \"mass\": 1, \"shapes\": "
                                 "[{\"type\": \"sphere\", \"radius\": 1}]}], \"forces\": [{\"name\": \"push\", "
                                 "\"type\": \"force\", \"body\": \"a\", "
                                 "\"force\": [\"table(f, t)\", 0, 0]}], \"run\": {\"dt\": 0.01, \"until\": 0.02}}";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  AspContext *context = fuzz_context(1000);
  AspScene scene;
  AspMistakes mistakes;
  fuzz_file("table.csv", bytes, size);
  const char *path = fuzz_file("scene.json", scene_text, sizeof scene_text - 1);
  AspError error = asp_scene_read(context, path, &scene, &mistakes);
  fuzz_check_error(context, error);
  if (error == ASP_OK) {
    const AspTable *table = asp_model_table(scene.model, 0);
    for (double x = -2; x < 3; x += 0.25)
      asp_table_at(table, (AspJet){x, 1, 0});
    asp_scene_destroy(context, &scene);
  }
  asp_mistakes_destroy(context, &mistakes);
  fuzz_context_end(context);
  return 0;
}
