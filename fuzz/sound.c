/* Sound files that harnesses change: see sound.h. */
#include "sound.h"

const char sound_scene[] =
    "{\"name\": \"seed\", \"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"a\", \"a\"], \"friction\": 0.3}], "
    "\"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\", \"material\": "
    "\"a\"}]}, "
    "{\"name\": \"ball\", \"mass\": 1, \"position\": [0, 0, 0.1], \"velocity\": [1, 0, 0], \"shapes\": [{\"type\": "
    "\"sphere\", \"radius\": 0.1, \"material\": \"a\"}]}, {\"name\": \"arm\", \"mass\": 2, \"position\": [3, 0, 2], "
    "\"shapes\": [{\"type\": \"box\", \"size\": [1, 0.2, 0.2], \"material\": \"a\"}]}], \"joints\": [{\"name\": "
    "\"hinge\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"arm\"], \"point\": [3.5, 0, 2], \"axis\": [0, 1, "
    "0]}], \"probes\": [{\"name\": \"vx\", \"value\": \"ball.vx\"}], \"run\": {\"dt\": 0.01, \"until\": 0.03}}";

static void must(const AspContext *context, AspError error) {
  if (error != ASP_OK)
    fuzz_complain(asp_context_message(context));
}

const uint8_t *sound_result(size_t *size) {
  static uint8_t *bytes;
  static size_t length;
  if (!bytes) {
    AspContext *context = asp_context_create(NULL);
    AspScene scene;
    AspWorld *world = NULL;
    AspResultWriter *writer = NULL;
    AspStepInfo info;
    const char *path = fuzz_path("sound.h5");
    must(context, asp_scene_parse(context, sound_scene, strlen(sound_scene), "seed", &scene, NULL));
    must(context, asp_world_create(context, scene.model, &scene.run, &world));
    must(context, asp_result_create(context, path, &scene, world, &writer));
    for (int i = 0; i < 3; i++) {
      must(context, asp_world_step(world, &info));
      must(context, asp_result_append(writer, world, &info));
    }
    must(context, asp_result_close(writer, world));
    asp_world_destroy(world);
    asp_scene_destroy(context, &scene);
    asp_context_destroy(context);
    bytes = fuzz_read(path, &length);
  }
  *size = length;
  return bytes;
}

const uint8_t *sound_lcp(size_t *size) {
  static uint8_t *bytes;
  static size_t length;
  if (!bytes) {
    AspContext *context = asp_context_create(NULL);
    double M[4] = {2, 1, 1, 2}, q[2] = {-5, -6}, z[2] = {4.0 / 3, 7.0 / 3};
    const AspLcp lcp = {.n = 2, .M = M, .q = q};
    const char *path = fuzz_path("sound-lcp.h5");
    must(context, asp_lcp_write(context, path, &lcp, z));
    asp_context_destroy(context);
    bytes = fuzz_read(path, &length);
  }
  *size = length;
  return bytes;
}

const uint8_t *sound_fclib(size_t *size) {
  static uint8_t *bytes;
  static size_t length;
  if (!bytes) {
    AspContext *context = asp_context_create(NULL);
    AspContactProblem problem;
    must(context, asp_problem_create(context, 3, 1, 3, 0, 0, 0, 3, &problem));
    problem.offset[1] = 3;
    problem.law[0] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = 0.5};
    for (int i = 0; i < 3; i++) {
      problem.W.start[i + 1] = i + 1;
      problem.W.row[i] = i;
      problem.W.value[i] = 1 + i;
      problem.q[i] = -1;
    }
    const char *path = fuzz_path("sound.hdf5");
    must(context, asp_fclib_write(context, path, &problem, NULL));
    asp_problem_destroy(context, &problem);
    asp_context_destroy(context);
    bytes = fuzz_read(path, &length);
  }
  *size = length;
  return bytes;
}
