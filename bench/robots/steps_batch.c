/* Many worlds of one scene: world-steps per second and processor, and memory, as one line of JSON for robots.py.
 *
 *   steps_batch SCENE.json WORLDS STEPS THREADS
 *
 * Velocities of every world are changed by a little, so that their motions differ. The time of the whole process counts,
 * all threads together, but for the first steps, which make room. */
#define _POSIX_C_SOURCE 200809L
#include "asperity/asperity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void must(AspContext *context, AspError error) {
  if (error == ASP_OK)
    return;
  fprintf(stderr, "steps_batch: %s\n", asp_context_message(context));
  exit(3);
}

static double process_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void spread(AspContext *context, const AspModel *model, AspBatch *batch) {
  int nv = asp_model_v_size(model);
  double *v = calloc((size_t)nv, sizeof *v);
  for (int world = 0; v && world < asp_batch_world_count(batch); world++) {
    for (int i = 0; i < nv; i++)
      v[i] = asp_batch_v(batch)[(size_t)world * (size_t)nv + (size_t)i] + 1e-3 * sin(1.0 + world + 7.0 * i);
    must(context, asp_batch_set_state(batch, world, NULL, v));
  }
  free(v);
}

int main(int count, char **word) {
  enum { FIRST = 1 };
  if (count < 5)
    return 2;
  AspContext *context = asp_context_create(NULL);
  AspScene scene;
  AspBatch *batch;
  int worlds = atoi(word[2]), steps = atoi(word[3]), failed = 0, uncertified = 0;
  must(context, asp_scene_read(context, word[1], &scene, NULL));
  scene.run.until = 1e9;
  must(context, asp_batch_create(context, scene.model, &scene.run, worlds, atoi(word[4]), &batch));
  spread(context, scene.model, batch);
  must(context, asp_batch_step(batch, FIRST, &failed));
  unsigned long long before = asp_context_allocation_count(context);
  double began = process_seconds();
  for (int i = 0; i < steps; i++) {
    must(context, asp_batch_step(batch, 1, &failed));
    for (int world = 0; world < worlds; world++)
      uncertified += !asp_batch_infos(batch)[world].certified;
  }
  double seconds = process_seconds() - began;
  AspBatchMemory memory = asp_batch_memory(batch);
  printf("{\"rate\": %.6g, \"largest\": %zu, \"mean\": %.6g, \"workspaces\": %zu, \"failed\": %d, \"uncertified\": %d, "
         "\"allocations\": %llu}\n",
         (double)worlds * steps / seconds, memory.largest_world, (double)memory.worlds / worlds, memory.workspaces,
         failed, uncertified, asp_context_allocation_count(context) - before);
  asp_batch_destroy(batch);
  asp_scene_destroy(context, &scene);
  asp_context_destroy(context);
  return 0;
}
