/* A changed result file, by every reader of results. */
#include "sound.h"

#include <math.h>

static void ignore(void *user, const AspFact *fact) {
  (void)user;
  (void)fact;
}

static void read_state(AspContext *context, const char *path) {
  AspScene scene;
  AspState state;
  int matched = 0;
  if (asp_scene_parse(context, sound_scene, strlen(sound_scene), "seed", &scene, NULL) != ASP_OK)
    fuzz_complain("the sound scene");
  if (asp_state_create(scene.model, &state) == ASP_OK) {
    fuzz_check_error(context, asp_result_state(context, path, INFINITY, scene.model, &state, &matched));
    asp_state_destroy(scene.model, &state);
  }
  asp_scene_destroy(context, &scene);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  size_t length = 0;
  const uint8_t *sound = sound_result(&length);
  uint8_t *changed = malloc(length);
  if (!changed)
    fuzz_complain("no memory");
  memcpy(changed, sound, length);
  fuzz_patch(changed, length, bytes, size);
  const char *path = fuzz_file("changed.h5", changed, length), *out = fuzz_path("out");
  free(changed);
  AspContext *context = fuzz_context(1000);
  unsigned char *data = NULL;
  size_t data_length = 0;
  AspError error = asp_file_info(context, path, NULL, ignore, NULL);
  fuzz_check_error(context, error);
  if (size == 0 && error != ASP_OK)
    fuzz_complain("the sound file is refused");
  if (error == ASP_OK) { // what info refuses, all refuse
    fuzz_check_error(context, asp_result_export_part(context, path, "contacts", out));
    fuzz_check_error(context, asp_result_export_csv(context, path, out));
    fuzz_check_error(context, asp_result_export_svg(context, path, out));
    fuzz_check_error(context, asp_result_export_gltf(context, path, out));
    fuzz_check_error(context, asp_view_data(context, path, NULL, &data, &data_length));
    asp_view_data_destroy(context, data);
    read_state(context, path);
  }
  fuzz_context_end(context);
  return 0;
}
