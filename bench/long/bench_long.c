/* Long runs: does anything grow that should not?
 *
 *   bench_long [SECONDS [LIMIT [SCENE ...]]]     simulated seconds, 3600; processor seconds per scene, 600; scenes/SCENE.json
 *
 * Each run is cut into a first and a second half, after a tenth for the start. Compared are
 *
 *   memory      of the process (VmRSS, kB): growth in the second half
 *   handles     open files at the end against the start
 *   energy      what the scheme adds: the sum of the positive and negative remainders of the energy balance, against the
 *               largest energy that the scene had, and the largest mechanical energy of each half
 *   drift       largest |Psi| of the joints and largest penetration of each half, m or rad
 *
 * GROWS stands behind a scene when memory grows by more than 256 kB in the second half, handles differ, or drift or
 * penetration of the second half exceed twice those of the first by more than 1e-9. Energy of driven scenes may change:
 * its columns are to be read. A scene that reaches LIMIT ends early, and its row says when. Exit code 1 when one grows.
 */
#define _DEFAULT_SOURCE
#include "asperity/asperity.h"
#include "bench_clock.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const gallery[] = {
    "gallery/woodpecker", "gallery/newtons-cradle", "gallery/tippe-top", "gallery/arch", "gallery/card-house",
    "gallery/gripper",    "gallery/wedge-jam",      "gallery/ladder",    "four-bar",     "double-pendulum-hits-wall"};

typedef struct Half {
  double energy, drift, penetration; /* largest */
  long memory;                       /* at its end, kB */
  long uncertified;
} Half;

static long memory_now(void) {
  char line[256];
  long size = -1;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (!strncmp(line, "VmRSS:", 6))
      size = strtol(line + 6, NULL, 10);
  if (file)
    fclose(file);
  return size;
}

static int handles_now(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (folder && readdir(folder))
    count++;
  if (folder)
    closedir(folder);
  return count;
}

static bool step(AspWorld *world, Half *half, double *added) {
  AspStepInfo info;
  if (asp_world_step(world, &info) != ASP_OK)
    return false;
  half->energy = fmax(half->energy, info.energy.kinetic + info.energy.gravitational + info.energy.elastic);
  half->drift = fmax(half->drift, info.joint_drift);
  half->penetration = fmax(half->penetration, info.penetration);
  half->uncertified += !info.certified;
  *added += info.flow.remainder;
  return true;
}

static bool exceeds(double first, double second) { return second > 2 * first + 1e-9; }

/* True when something grows. */
static bool run(const char *name, double seconds, double limit) {
  char path[512];
  AspScene scene;
  AspWorld *world = NULL;
  Half half[3] = {{.energy = -INFINITY}, {.energy = -INFINITY}, {.energy = -INFINITY}};
  double added = 0, began = processor_seconds(), t = 0;
  int handles = handles_now(), end = 0;
  AspContext *context = asp_context_create(NULL);
  snprintf(path, sizeof path, "%s/scenes/%s.json", ASP_SOURCE_DIR, name);
  AspError error = asp_scene_read(context, path, &scene, NULL);
  if (error == ASP_OK) {
    scene.run.until = seconds;
    error = asp_world_create(context, scene.model, &scene.run, &world);
  }
  if (error != ASP_OK) {
    printf("%-26s %s\n", name, asp_context_message(context));
    exit(3);
  }
  long steps = 0;
  for (; t < seconds && end == 0; t = asp_world_state(world)->t, steps++) {
    double used = fmax(t / seconds, (processor_seconds() - began) / limit);
    Half *now = &half[used < 0.1 ? 0 : used < 0.55 ? 1 : 2];
    if (used >= 1 || !step(world, now, &added))
      end = used >= 1 ? 1 : 2;
    if (steps % 64 == 0)
      now->memory = memory_now();
  }
  const char *message = end == 2 ? asp_context_message(context) : "";
  long growth = half[2].memory - half[1].memory;
  bool grows = growth > 256 || handles_now() != handles || exceeds(half[1].drift, half[2].drift) ||
               exceeds(half[1].penetration, half[2].penetration);
  printf("%-26s %8.1f %9ld %6ld %8ld %+7d %10.3e %10.3e %+10.2e %9.2e %9.2e %9.2e %9.2e%s%s\n", name, t, steps,
         half[0].uncertified + half[1].uncertified + half[2].uncertified, growth, handles_now() - handles,
         half[1].energy, half[2].energy, added, half[1].drift, half[2].drift, half[1].penetration, half[2].penetration,
         grows ? " GROWS" : "", message);
  fflush(stdout);
  asp_world_destroy(world);
  asp_scene_destroy(context, &scene);
  asp_context_destroy(context);
  return grows;
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? strtod(argv[1], NULL) : 3600, limit = argc > 2 ? strtod(argv[2], NULL) : 600;
  int count = argc > 3 ? argc - 3 : (int)(sizeof gallery / sizeof *gallery), grown = 0;
  if (!(seconds > 0) || !(limit > 0)) {
    fprintf(stderr, "bench_long [SECONDS [LIMIT [SCENE ...]]]\n");
    return 2;
  }
  printf("%-26s %8s %9s %6s %8s %7s %10s %10s %10s %9s %9s %9s %9s\n", "scene", "t [s]", "steps", "uncert", "kB",
         "handles", "energy 1", "energy 2", "added [J]", "drift 1", "drift 2", "pen. 1", "pen. 2");
  for (int i = 0; i < count; i++)
    grown += run(argc > 3 ? argv[3 + i] : gallery[i], seconds, limit);
  return grown > 0;
}
