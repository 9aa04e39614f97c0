/* Mechanisms and robots of a folder outside the repository: every step certified, and joints that hold. */
#include "scene_runner.h"

#include <dirent.h>

#define ROBOT_STEPS 60

static void run_certified(const char *path) {
  bool full = getenv("ASPERITY_TEST_FULL") != NULL; // to the scene's end
  SceneRun run = {.context = asp_context_create(NULL)};
  assert_non_null(run.context);
  assert_ok(run.context, asp_scene_read(run.context, path, &run.scene, NULL));
  assert_ok(run.context, asp_world_create(run.context, run.scene.model, &run.scene.run, &run.world));
  for (int i = 0; (full || i < ROBOT_STEPS) && scene_step(&run); i++)
    if (!run.info.certified)
      fail_msg("%s: step %d is not certified, E2 %g", path, i + 1, run.info.residual.E2);
  if (!(run.drift_max < 1e-3))
    fail_msg("%s: joints apart by %g", path, run.drift_max);
  scene_close(&run);
}

static void every_step_of_mechanisms_and_robots_is_certified(void **state) {
  (void)state;
  const char *root = getenv("ASPERITY_ROBOTS_DIR");
  const char *folder = root ? root : ASP_SOURCE_DIR "/../shared/scenes/robots";
  char path[1024];
  int count = 0;
  DIR *list = opendir(folder);
  for (struct dirent *entry; list && (entry = readdir(list));) {
    size_t length = strlen(entry->d_name);
    if (length < 6 || strcmp(entry->d_name + length - 5, ".json") != 0)
      continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    run_certified(path);
    count++;
  }
  if (list)
    closedir(list);
  if (count == 0) {
    print_message("skipped: no scenes in %s (ASPERITY_ROBOTS_DIR)\n", folder);
    skip();
  }
  print_message("%d scenes\n", count);
}

/* Two parallel cranks that carry a finger; in space the hinges' conditions across the plane are there twice. */
static const char gripper[] =
    "{\"gravity\": [0, 0, -9.81], \"run\": {\"dt\": 1e-3, \"until\": 0.05}, \"bodies\": ["
    "{\"name\": \"inner\", \"mass\": 0.05, \"inertia\": [1e-4, 1e-4, 1e-4], \"position\": [0.06, 0, 0.42]},"
    "{\"name\": \"outer\", \"mass\": 0.05, \"inertia\": [1e-4, 1e-4, 1e-4], \"position\": [0.09, 0, 0.42]},"
    "{\"name\": \"finger\", \"mass\": 0.2, \"inertia\": [1e-3, 1e-3, 1e-3], \"position\": [0.1, 0, 0.3]}],"
    "\"joints\": ["
    "{\"name\": \"top1\", \"type\": \"revolute\", \"bodies\": [\"world\", \"inner\"], \"point\": [0.04, 0, 0.48], "
    "\"axis\": [0, 1, 0]},"
    "{\"name\": \"top2\", \"type\": \"revolute\", \"bodies\": [\"world\", \"outer\"], \"point\": [0.07, 0, 0.48], "
    "\"axis\": [0, 1, 0]},"
    "{\"name\": \"low1\", \"type\": \"revolute\", \"bodies\": [\"inner\", \"finger\"], \"point\": [0.08, 0, 0.36], "
    "\"axis\": [0, 1, 0]},"
    "{\"name\": \"low2\", \"type\": \"revolute\", \"bodies\": [\"outer\", \"finger\"], \"point\": [0.11, 0, 0.36], "
    "\"axis\": [0, 1, 0]}]}";

static void redundant_hinges_of_a_parallel_gripper_are_named_and_nothing_pushes_across_its_plane(void **state) {
  (void)state;
  SceneRun run;
  bool named = false;
  scene_open_text(&run, gripper);
  scene_finish(&run);
  for (int i = 0; i < asp_world_warning_count(run.world); i++)
    named = named || strstr(asp_world_warning(run.world, i), "redundant");
  assert_true(named);
  for (int i = 0; i < asp_model_joint_count(run.scene.model); i++)
    assert_near(asp_world_joints(run.world)[i].force.y, 0, 1e-9);
  scene_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_step_of_mechanisms_and_robots_is_certified),
      cmocka_unit_test(redundant_hinges_of_a_parallel_gripper_are_named_and_nothing_pushes_across_its_plane)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
