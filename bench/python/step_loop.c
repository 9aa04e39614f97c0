/* step_loop SCENE STEPS: the loop of a C program over asp_world_step; prints the CPU time per step in microseconds. The
 * same loop in Python: python.py beside this file. */
#include <asperity/asperity.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int count, char **words) {
  AspContext *context = asp_context_create(NULL);
  AspScene scene;
  AspWorld *world;
  AspStepInfo info;
  if (count != 3)
    return fprintf(stderr, "usage: step_loop SCENE STEPS\n"), 2;
  long steps = atol(words[2]);
  if (asp_scene_read(context, words[1], &scene, NULL) != ASP_OK ||
      asp_world_create(context, scene.model, &scene.run, &world) != ASP_OK)
    return fprintf(stderr, "%s\n", asp_context_message(context)), 1;
  double started = cpu_seconds();
  for (long i = 0; i < steps; i++)
    if (asp_world_step(world, &info) != ASP_OK)
      return fprintf(stderr, "%s\n", asp_context_message(context)), 1;
  printf("%.3f %016llx\n", 1e6 * (cpu_seconds() - started) / (double)steps,
         (unsigned long long)asp_world_state_hash(world));
  asp_world_destroy(world);
  asp_scene_destroy(context, &scene);
  asp_context_destroy(context);
  return 0;
}
