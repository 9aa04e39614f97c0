/* A changed file of a linear complementarity problem. */
#include "sound.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  size_t length = 0;
  const uint8_t *sound = sound_lcp(&length);
  uint8_t *changed = malloc(length);
  if (!changed)
    fuzz_complain("no memory");
  memcpy(changed, sound, length);
  fuzz_patch(changed, length, bytes, size);
  const char *path = fuzz_file("changed.hdf5", changed, length);
  free(changed);
  AspContext *context = fuzz_context(1000);
  AspLcp lcp;
  AspError error = asp_lcp_read(context, path, &lcp);
  fuzz_check_error(context, error);
  if (size == 0 && error != ASP_OK)
    fuzz_complain("the sound file is refused");
  if (error == ASP_OK)
    asp_lcp_destroy(context, &lcp);
  fuzz_context_end(context);
  return 0;
}
