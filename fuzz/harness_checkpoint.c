/* A changed checkpoint with a checksum that fits, read as `run --resume` does: options, world, probes; then a step. */
#include "sound.h"

#include "checkpoint.h"

#define HEADER   32 /* bytes: mark, version, size, checksum */
#define CHECKSUM 24

static const Command command = {.name = "run", .arguments = "", .summary = "", .details = "", .examples = ""};

static uint64_t hash_of(const uint8_t *bytes, size_t size) { // FNV-1a, as cli/checkpoint.c
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static void must(const AspContext *context, AspError error) {
  if (error != ASP_OK)
    fuzz_complain(asp_context_message(context));
}

/* A scene and its world after two steps, and the checkpoint of that. */
static uint8_t *make_checkpoint(AspContext *context, const AspScene *scene, size_t *size) {
  const Session session = {.command = &command, .context = context, .quiet = true};
  SimulationSummary summary = {.stopped = -1};
  AspWorld *world = NULL;
  AspResultWriter *writer = NULL;
  AspStepInfo info;
  char path[128];
  snprintf(path, sizeof path, "%s", fuzz_path("sound.h5"));
  const SimulationOutput output = {.result = path, .scene = "scene.json"};
  must(context, asp_world_create(context, scene->model, &scene->run, &world));
  must(context, asp_result_create(context, path, scene, world, &writer));
  summary.probes = asp_result_take_probes(writer);
  for (int i = 0; i < 2; i++) {
    must(context, asp_world_step(world, &info));
    must(context, asp_result_append(writer, world, &info));
  }
  if (checkpoint_write(&session, &output, scene, world, writer, &summary) != EXIT_DONE)
    fuzz_complain("no checkpoint");
  must(context, asp_result_close(writer, world));
  asp_probes_destroy(summary.probes);
  asp_world_destroy(world);
  return fuzz_read(fuzz_path("sound.h5.checkpoint"), size);
}

/* Any error is right, as the bytes may be those of another model, but for the checkpoint as it was written. */
static void go_on(AspContext *context, AspScene *scene, const Checkpoint *checkpoint, bool unchanged) {
  AspWorld *world = NULL;
  AspProbes *probes = NULL;
  AspStepInfo info;
  AspRunOptions own = scene->run;
  scene->run = checkpoint->options;
  AspError error = asp_run_validate(context, &scene->run);
  if (error == ASP_OK)
    error = asp_world_create(context, scene->model, &scene->run, &world);
  if (error == ASP_OK)
    error = asp_world_restore(world, checkpoint->world, checkpoint->world_size);
  if (error == ASP_OK)
    error = asp_probes_create(context, scene, world, &probes);
  if (error == ASP_OK)
    error = asp_probes_restore(probes, checkpoint->probes, checkpoint->probes_size);
  if (error == ASP_OK)
    error = asp_world_step(world, &info);
  asp_probes_destroy(probes);
  asp_world_destroy(world);
  if (checkpoint->summary.dump_count < 0 || checkpoint->summary.dump_count > DUMPS_MAX)
    fuzz_complain("more dumped problems than there is room for");
  if (memchr(checkpoint->summary.from, '\0', sizeof checkpoint->summary.from) == NULL)
    fuzz_complain("a text without an end");
  if (unchanged && error != ASP_OK)
    fuzz_complain(asp_context_message(context));
  scene->run = own;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static uint8_t *sound;
  static size_t length;
  AspContext *context = fuzz_context(2000);
  const Session session = {.command = &command, .context = context, .quiet = true};
  AspScene scene;
  must(context, asp_scene_parse(context, sound_scene, strlen(sound_scene), "seed", &scene, NULL));
  if (!sound)
    sound = make_checkpoint(context, &scene, &length);
  uint8_t *changed = malloc(length);
  if (!changed)
    fuzz_complain("no memory");
  memcpy(changed, sound, length);
  fuzz_patch(changed + HEADER, length - HEADER, bytes, size);
  uint64_t checksum = hash_of(changed + HEADER, length - HEADER);
  memcpy(changed + CHECKSUM, &checksum, sizeof checksum);
  fuzz_file("changed.h5.checkpoint", changed, length);
  free(changed);
  Checkpoint checkpoint;
  if (checkpoint_read(&session, fuzz_path("changed.h5"), &checkpoint) == EXIT_DONE) {
    go_on(context, &scene, &checkpoint, size == 0);
    checkpoint_free(&checkpoint);
  }
  asp_scene_destroy(context, &scene);
  fuzz_context_end(context);
  return 0;
}
