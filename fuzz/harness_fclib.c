/* A changed contact problem in FCLIB's layout. */
#include "sound.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  size_t length = 0;
  const uint8_t *sound = sound_fclib(&length);
  uint8_t *changed = malloc(length);
  if (!changed)
    fuzz_complain("no memory");
  memcpy(changed, sound, length);
  fuzz_patch(changed, length, bytes, size);
  const char *path = fuzz_file("changed.hdf5", changed, length);
  free(changed);
  AspContext *context = fuzz_context(1000);
  AspContactProblem problem;
  AspFclibExtra extra;
  AspError error = asp_fclib_read(context, path, NULL, &problem, &extra);
  fuzz_check_error(context, error);
  if (size == 0 && error != ASP_OK)
    fuzz_complain("the sound file is refused");
  if (error == ASP_OK) {
    if (asp_problem_validate(context, &problem) != ASP_OK)
      fuzz_complain("a problem was read that is not valid");
    asp_problem_destroy(context, &problem);
  }
  asp_fclib_extra_destroy(context, &extra);
  fuzz_context_end(context);
  return 0;
}
