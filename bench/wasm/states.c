/* bench_wasm_states SCENE.json STEPS: the hash of time, positions and velocities after so many steps, one thread. */
#include "asperity/asperity.h"

#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) {
  AspContext *context = asp_context_create(NULL);
  AspScene scene;
  AspWorld *world = NULL;
  if (count != 3 || asp_scene_read(context, words[1], &scene, NULL) != ASP_OK ||
      asp_world_create(context, scene.model, &scene.run, &world) != ASP_OK) {
    fprintf(stderr, "usage: bench_wasm_states SCENE.json STEPS\n%s\n", asp_context_message(context));
    return 2;
  }
  for (int step = 0; step < atoi(words[2]); step++)
    if (asp_world_step(world, NULL) != ASP_OK)
      return 1;
  printf("%016llx\n", (unsigned long long)asp_world_state_hash(world));
  asp_world_destroy(world);
  asp_scene_destroy(context, &scene);
  asp_context_destroy(context);
  return 0;
}
