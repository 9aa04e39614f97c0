/* Worlds that are saved at a random step, restored into another world and continued, against the same run without
 * interruption: all steps must have the same bits. And what saving and restoring a world of 22 bodies takes.
 *
 *   bench_resume [RUNS]     default: 200
 *
 * Scenes and schemes in turn, steps drawn by seed. Exit code 1 where bits differ. */
#define _POSIX_C_SOURCE 200809L
#include "asperity/asperity.h"
#include "base/base.h"
#include "bench_clock.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const scenes[] = {"sphere-slides-then-rolls",
                                     "double-pendulum-hits-wall",
                                     "four-bar",
                                     "four-bar-in-space",
                                     "slider-crank",
                                     "motor-stalls",
                                     "rotor-with-dry-friction",
                                     "stick-slip-on-belt",
                                     "table-slides",
                                     "hammer-hits-box",
                                     "painleve-slides-into-paradox",
                                     "pyramid-of-balls",
                                     "arch-stands",
                                     "gallery/woodpecker",
                                     "gallery/tippe-top",
                                     "gallery/newtons-cradle",
                                     "gallery/diving-board",
                                     "gallery/brick-wall",
                                     "sorter-events",
                                     "balance-a-cart",
                                     "vibratory-feeder",
                                     "lamp-in-ball-joints",
                                     "toggle-clamp",
                                     "peers/stack_of_ten",
                                     "peers/bouncing_ball"};
#define SCENES    ((int)(sizeof scenes / sizeof *scenes))
#define STEPS_MAX 30 /* before the save, and after it */
#define SECONDS   1  /* of processor time for one side: larger runs end earlier */

typedef struct Run {
  AspContext *context;
  AspScene scene;
  AspWorld *world;
} Run;

static void must(AspContext *context, AspError error) {
  if (error == ASP_OK)
    return;
  fprintf(stderr, "bench_resume: %s\n", asp_context_message(context));
  exit(3);
}

/* False: the scheme does not take the scene. */
static bool open_run(Run *run, const char *name, int scheme) {
  char path[512];
  snprintf(path, sizeof path, "%s/scenes/%s.json", ASP_SOURCE_DIR, name);
  *run = (Run){.context = asp_context_create(NULL)};
  must(run->context, asp_scene_read(run->context, path, &run->scene, NULL));
  run->scene.run.scheme = scheme;
  run->scene.run.until = 1e6;
  return asp_world_create(run->context, run->scene.model, &run->scene.run, &run->world) == ASP_OK;
}

static void close_run(Run *run) {
  asp_world_destroy(run->world);
  asp_scene_destroy(run->context, &run->scene);
  asp_context_destroy(run->context);
}

/* A step and everything it says; false: it ended with an error. */
static bool step(Run *run, uint64_t *hash) {
  AspStepInfo info;
  if (asp_world_step(run->world, &info) != ASP_OK)
    return false;
  *hash = asp_hash_word(*hash, asp_world_state_hash(run->world));
  *hash = asp_hash_bytes(*hash, &info.residual.E2, sizeof info.residual.E2);
  *hash = asp_hash_bytes(*hash, info.measure, sizeof info.measure);
  *hash = asp_hash_bytes(*hash, &info.flow, sizeof info.flow);
  const int64_t counts[] = {info.iterations, info.attempts, info.contacts,
                            info.certified,  info.resolved, asp_world_warning_count(run->world)};
  *hash = asp_hash_bytes(*hash, counts, sizeof counts);
  return true;
}

static int steps_within(Run *run, int most, uint64_t *hash) {
  double began = processor_seconds();
  int made = 0;
  while (made < most && processor_seconds() - began < SECONDS && step(run, hash))
    made++;
  return made;
}

/* 1: equal, 0: other bits, -1: not possible. */
static int compare(const char *scene, int scheme, int before, int *after) {
  Run run, other;
  uint64_t expected = ASP_HASH_START, found = ASP_HASH_START, unused = 0;
  int equal = -1;
  size_t size;
  bool taken = open_run(&run, scene, scheme);
  if (taken && steps_within(&run, before, &unused) > 0) {
    must(run.context, asp_world_save(run.world, NULL, 0, &size));
    void *bytes = malloc(size);
    must(run.context, asp_world_save(run.world, bytes, size, &size));
    *after = steps_within(&run, STEPS_MAX, &expected);
    if (open_run(&other, scene, scheme)) {
      must(other.context, asp_world_restore(other.world, bytes, size));
      for (int i = 0; i < *after; i++)
        step(&other, &found);
      equal = expected == found;
    }
    close_run(&other);
    free(bytes);
  }
  close_run(&run);
  return equal;
}

/* The ground and 21 boxes in seven stacks of three. */
static bool open_stacks(Run *run) {
  char text[8192];
  int at = snprintf(text, sizeof text,
                    "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.5}],"
                    "\"run\": {\"dt\": 0.005}, \"bodies\": [{\"name\": \"ground\", \"fixed\": true,"
                    "\"shapes\": [{\"type\": \"half-space\", \"material\": \"m\"}]}");
  for (int i = 0; i < 21; i++)
    at += snprintf(text + at, sizeof text - (size_t)at,
                   ", {\"position\": [%g, 0, %g], \"shapes\": [{\"type\": \"box\", \"size\": [0.2, 0.2, 0.2], "
                   "\"density\": 1000, \"material\": \"m\"}]}",
                   0.3 * (i / 3), 0.1 + 0.2 * (i % 3));
  snprintf(text + at, sizeof text - (size_t)at, "]}");
  *run = (Run){.context = asp_context_create(NULL)};
  must(run->context, asp_scene_parse(run->context, text, strlen(text), "stacks", &run->scene, NULL));
  run->scene.run.until = 1e6;
  return asp_world_create(run->context, run->scene.model, &run->scene.run, &run->world) == ASP_OK;
}

/* Least time over some repetitions: other programs disturb. */
static void measure_time(void) {
  Run run;
  size_t size;
  uint64_t unused = 0;
  double least[2] = {1, 1};
  enum { REPEATS = 200, TIMES = 20 };
  if (!open_stacks(&run))
    return;
  steps_within(&run, 10, &unused);
  must(run.context, asp_world_save(run.world, NULL, 0, &size));
  void *bytes = malloc(size);
  for (int i = 0; i < REPEATS; i++) {
    double began = processor_seconds();
    for (int k = 0; k < TIMES; k++)
      must(run.context, asp_world_save(run.world, bytes, size, &size));
    double saved = processor_seconds();
    for (int k = 0; k < TIMES; k++)
      must(run.context, asp_world_restore(run.world, bytes, size));
    double restored = processor_seconds();
    least[0] = saved - began < least[0] * TIMES ? (saved - began) / TIMES : least[0];
    least[1] = restored - saved < least[1] * TIMES ? (restored - saved) / TIMES : least[1];
  }
  printf("world of %d bodies, %d contacts: %zu bytes, saved in %.1f us, restored in %.1f us\n",
         asp_model_body_count(run.scene.model), asp_world_contact_count(run.world), size, 1e6 * least[0],
         1e6 * least[1]);
  free(bytes);
  close_run(&run);
}

int main(int count, char **words) {
  int runs = count > 1 ? atoi(words[1]) : 200, made = 0, equal = 0;
  AspRandom random = {20};
  int by_scheme[ASP_SCHEME_COUNT] = {0};
  long steps = 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int tried = 0; made < runs; tried++) {
    int scheme = tried % ASP_SCHEME_COUNT, after = 0;
    const char *scene = scenes[tried / ASP_SCHEME_COUNT % SCENES];
    int before = 1 + (int)(asp_random_bits(&random) % STEPS_MAX);
    int same = compare(scene, scheme, before, &after);
    if (same < 0)
      continue;
    if (!same)
      printf("OTHER BITS: %s, %s, saved at step %d\n", scene, asp_scheme_names[scheme], before);
    made++;
    equal += same;
    steps += after;
    by_scheme[scheme]++;
  }
  printf("%d runs saved at a random step and continued for %ld steps: %d equal bit for bit\n", made, steps, equal);
  for (int i = 0; i < ASP_SCHEME_COUNT; i++)
    printf("  %-18s %d\n", asp_scheme_names[i], by_scheme[i]);
  measure_time();
  return equal == made ? 0 : 1;
}
