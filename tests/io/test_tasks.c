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
  const AspSettings settings = {.count = set != NULL, .text = &set};
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

/* Slip of a rigid block on the ground of scenes/tables/quake.csv up to a time, by small explicit steps (Newmark 1965):
 * it sticks while |a| <= mu g, and slides with w' = -a - mu g sign(w) until w is zero. */
static double newmark_slip(double mu, double until) {
  FILE *file = fopen(ASP_SOURCE_DIR "/scenes/tables/quake.csv", "r");
  char line[128];
  double t = 0, left = 0, right = 0, before = 0, w = 0, slip = 0, limit = mu * 9.81;
  assert_non_null(file);
  for (int rows = 0; before < until && fgets(line, sizeof line, file);) {
    if (sscanf(line, "%lf,%lf", &t, &right) != 2)
      continue;
    const int parts = 200;
    for (int k = 0; rows > 0 && k < parts; k++) {
      double h = (t - before) / parts, a = left + (right - left) * (k + 0.5) / parts;
      if (w == 0 && fabs(a) <= limit)
        continue;
      double new = w + h *(-a - limit * copysign(1, w != 0 ? w : -a));
      bool stops = w != 0 && new *w <= 0;
      slip += stops ? w * h / 2 * w / (w - new) : h * (w + new) / 2;
      w = stops ? 0 : new;
    }
    left = right;
    before = t;
    rows++;
  }
  fclose(file);
  return slip;
}

/* Friction on the ground below that between blocks: all inner contacts stick, and the wall is one rigid body. */
static void the_wall_slides_as_one_like_newmarks_block(void **state) {
  (void)state;
  assert_near(newmark_slip(0.2, 25), -0.038411, 1e-6); // as make-quake.py --slide 0.2
  Task task = run_task("wall-under-quake", "duration=3.2");
  assert_int_equal(asp_model_body_count(task.scene.model), 62);
  assert_near(final(&task, "wall slip"), final(&task, "single slip"), 1e-7);
  assert_near(final(&task, "top against foot"), 0, 1e-7);
  assert_near(final(&task, "wall slip"), newmark_slip(0.2, 3.2), 1e-4); // of the order of dt^2 times 10 m/s^2
  end_task(&task);
}

/* m x'' = -+mu N, N = m (g + y''), of a block on a trough that moves with (x_t, y_t), in steps of 1 us; it sticks where
 * |x_t''| <= mu N / m. */
static double way_on_a_trough(double until) {
  const double w = 2 * acos(-1) * 25, amplitude = 0.0005, angle = 0.5, mu = 0.3, g = 9.81, h = 1e-6;
  const double c = amplitude * cos(angle) * w, s = amplitude * sin(angle) * w;
  double x = 0, v = c;
  for (long i = 0; (double)i * h < until - 0.5 * h; i++) {
    double t = (double)i * h, wave = sin(w * (t + 0.5 * h)), N = g - s * w * wave, pull = -c * w * wave;
    double slip = v - c * cos(w * t), after = c * cos(w * (t + h)), towards = slip != 0 ? -slip : pull;
    double next = v + h * (towards > 0 ? mu * N : -mu * N);
    if ((next - after) * slip <= 0 && fabs(pull) <= mu * N)
      next = after;
    x += 0.5 * h * (v + next);
    v = next;
  }
  return x;
}

static void the_feeder_conveys_as_the_sliding_block_does(void **state) {
  (void)state;
  Task task = run_task("vibratory-feeder", NULL);
  double way = way_on_a_trough(0.8);
  assert_near(way, 0.018616, 4e-6);
  assert_near(final(&task, "way"), way, 4e-6);
  end_task(&task);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gripper_slips_below_its_least_squeeze),
      cmocka_unit_test(the_cam_carries_the_follower_s_inertia),
      cmocka_unit_test(the_toggle_clamp_multiplies_the_push),
      cmocka_unit_test(the_sorter_stops_at_the_gate_and_the_block_slides_on),
      cmocka_unit_test(the_wall_slides_as_one_like_newmarks_block),
      cmocka_unit_test(the_feeder_conveys_as_the_sliding_block_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
