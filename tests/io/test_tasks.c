/* Engineering tasks as scenes (docs/howto/engineering-tasks.md): probes against closed forms, parameters changed as
 * --set does. */
#include "asperity/asperity.h"
#include "testing.h"

typedef struct Task {
  AspContext *context;
  AspScene scene;
  AspWorld *world;
  AspProbes *probes;
} Task;

/* The scene with this setting ("mu=0.3"; NULL: none), run to its end or to a stop. */
static Task run_task(const char *name, const char *set) {
  Task task = {.context = asp_context_create(NULL)};
  const AspSettings settings = {set != NULL, &set};
  char path[512];
  AspStepInfo info;
  snprintf(path, sizeof path, "%s/scenes/%s.json", ASP_SOURCE_DIR, name);
  assert_ok(task.context, asp_scene_read_set(task.context, path, &settings, &task.scene, NULL));
  assert_ok(task.context, asp_world_create(task.context, task.scene.model, &task.scene.run, &task.world));
  assert_ok(task.context, asp_probes_create(task.context, &task.scene, task.world, &task.probes));
  while (asp_world_state(task.world)->t < task.scene.run.until - 1e-9 && asp_world_stopped(task.world) < 0) {
    assert_ok(task.context, asp_world_step(task.world, &info));
    assert_true(info.certified && info.resolved);
    asp_probes_update(task.probes, task.world);
  }
  return task;
}

static void end_task(Task *task) {
  asp_probes_destroy(task->probes);
  asp_world_destroy(task->world);
  asp_scene_destroy(task->context, &task->scene);
  asp_context_destroy(task->context);
}

static int column(const Task *task, const char *name) {
  for (int i = 0; i < asp_probes_count(task->probes); i++)
    if (strcmp(asp_probes_name(task->probes, i), name) == 0)
      return i;
  fail_msg("no column is called %s", name);
  return 0;
}

static double final(const Task *task, const char *name) { return asp_probes_value(task->probes, column(task, name)); }

/* mass (9.81 + lift) / (2 mu) */
static void the_gripper_slips_below_its_least_squeeze(void **state) {
  (void)state;
  const double least = 0.5 * (9.81 + 2) / (2 * 0.4);
  const double squeeze[] = {0.98 * least, 1.02 * least};
  double slip[2];
  for (int i = 0; i < 2; i++) {
    char set[64];
    snprintf(set, sizeof set, "squeeze=%.17g", squeeze[i]);
    Task task = run_task("gripper-squeeze", set);
    const AspModel *model = task.scene.model;
    const AspState *now = asp_world_state(task.world);
    slip[i] = asp_state_pose(model, now, asp_model_find_body(model, "block")).position.y -
              asp_state_pose(model, now, asp_model_find_body(model, "hand")).position.y;
    end_task(&task);
  }
  assert_near(slip[0], -0.5 * 0.02 * (9.81 + 2) * 0.3 * 0.3, 1e-3 * 0.5); // the deficit accelerates it
  assert_true(fabs(slip[1]) < 0.5e-3);                                    // within dt times the lift
}

static void the_cam_carries_the_follower_s_inertia(void **state) {
  (void)state;
  Task task = run_task("cam-follower", NULL);
  assert_near(asp_probes_low(task.probes, column(&task, "force")), 0.5 * (9.81 - 0.02 * 15 * 15), 1e-3);
  assert_near(asp_probes_high(task.probes, column(&task, "force")), 0.5 * (9.81 + 0.02 * 15 * 15), 1e-3);
  assert_near(asp_probes_high(task.probes, column(&task, "error")), 0, 1e-6);
  end_task(&task);
}

static void the_toggle_clamp_multiplies_the_push(void **state) {
  (void)state;
  Task task = run_task("toggle-clamp", "alpha=0.05");
  assert_near(final(&task, "clamp"), 100 / (2 * tan(0.05)), 0.1);
  assert_near(final(&task, "pin"), 100 / (2 * sin(0.05)), 0.1);
  end_task(&task);
}

static void the_sorter_stops_at_the_gate_and_the_block_slides_on(void **state) {
  (void)state;
  Task task = run_task("sorter-events", NULL);
  assert_int_equal(asp_world_stopped(task.world), 0);
  assert_near(final(&task, "block"), 0.4 + 0.5 * 0.5 / (2 * 0.2 * 9.81), 0.6e-3); // one step at 0.5 m/s
  end_task(&task);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gripper_slips_below_its_least_squeeze),
      cmocka_unit_test(the_cam_carries_the_follower_s_inertia),
      cmocka_unit_test(the_toggle_clamp_multiplies_the_push),
      cmocka_unit_test(the_sorter_stops_at_the_gate_and_the_block_slides_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
