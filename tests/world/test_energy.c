/* Energy and momentum where they must be kept: joints, gyroscopic motion, springs that the step cannot resolve. */
#include "linalg/vec3.h"
#include "scene_runner.h"

static double total(const AspEnergy *energy) { return energy->kinetic + energy->gravitational + energy->elastic; }

static void pendulum_keeps_its_amplitude_over_forty_seconds(void **state) {
  (void)state;
  const char *text = "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"base\", \"fixed\": true},"
                     " {\"name\": \"bob\", \"mass\": 1, \"inertia\": 0.1, \"position\": [0.049979169270678331, "
                     "-0.99875026039496628]}],"
                     " \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"bodies\": [\"base\", \"bob\"], "
                     "\"point\": [0, 0]}],"
                     " \"run\": {\"dt\": 0.01, \"until\": 40}}";
  SceneRun run;
  scene_open_text(&run, text);
  double late = 0;
  while (scene_step(&run))
    if (run.info.t > 36)
      late = fmax(late, fabs(scene_position(&run, "bob").x));
  assert_near(late / 0.049979169270678331, 1, 0.01);
  assert_at_most(run.drift_max, 1e-4);
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
}

/* Largest relative change of energy and of angular momentum of a free asymmetric body. */
static void tumble(const char *scheme, double dt, double *energy_change, double *energy_gain, double *momentum_change) {
  char text[512];
  snprintf(
      text, sizeof text,
      "{\"bodies\": [{\"name\": \"body\", \"mass\": 1, \"inertia\": [1, 2, 3], \"angular_velocity\": [0.1, 10, 0.1]}],"
      " \"run\": {\"scheme\": \"%s\", \"dt\": %g, \"until\": 10}}",
      scheme, dt);
  SceneRun run;
  scene_open_text(&run, text);
  double start = 100 + 0.5 * 0.04;
  *energy_change = *energy_gain = *momentum_change = 0;
  while (scene_step(&run)) {
    AspPose pose = asp_state_pose(run.scene.model, asp_world_state(run.world), 0);
    AspVec3 w = quat_rotate_back(pose.orientation, scene_angular_velocity(&run, "body"));
    AspVec3 L = quat_rotate(pose.orientation, vec3(w.x, 2 * w.y, 3 * w.z));
    *energy_change = fmax(*energy_change, fabs(total(&run.info.energy) / start - 1));
    *energy_gain = fmax(*energy_gain, total(&run.info.energy) / start - 1);
    *momentum_change = fmax(*momentum_change, norm3(sub3(L, vec3(0.1, 20, 0.3))) / 20);
  }
  scene_close(&run);
}

static void tumbling_body_keeps_momentum_and_its_energy_to_the_order_of_the_scheme(void **state) {
  (void)state;
  double energy[2], gain, momentum[2];
  tumble("moreau-jean", 0.01, &energy[0], &gain, &momentum[0]);
  tumble("moreau-jean", 0.005, &energy[1], &gain, &momentum[1]);
  print_message("moreau-jean: energy %.2e, %.2e; momentum %.2e\n", energy[0], energy[1], momentum[0]);
  assert_at_most(fmax(energy[0], energy[1]), 1e-10); // free rotation keeps both
  assert_at_most(fmax(momentum[0], momentum[1]), 1e-10);
  tumble("stewart-trinkle", 0.01, &energy[0], &gain, &momentum[0]);
  assert_at_most(gain, 1e-9); // it loses energy, first order, and never gains
  assert_at_most(momentum[0], 1e-10);
}

static void springs_that_the_step_cannot_resolve_stay_bounded(void **state) {
  (void)state;
  const double stiffness[] = {1e5, 1e7, 1e9}, damping[] = {0, 0, 1e6};
  for (int i = 0; i < 3; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "{\"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"base\", \"fixed\": true},"
             " {\"name\": \"bob\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [1, 0, 0]}],"
             " \"forces\": [{\"type\": \"spring\", \"bodies\": [\"base\", \"bob\"], \"points\": [[0, 0, 0], [1, 0, "
             "0]], \"stiffness\": %g, \"damping\": %g}],"
             " \"run\": {\"dt\": 0.01, \"until\": 10}}",
             stiffness[i], damping[i]);
    SceneRun run;
    scene_open_text(&run, text);
    while (scene_step(&run)) {
      assert_near(norm3(scene_position(&run, "bob")), 1, 0.05);
      assert_at_most(total(&run.info.energy), 0.5);
    }
    scene_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum_keeps_its_amplitude_over_forty_seconds),
      cmocka_unit_test(tumbling_body_keeps_momentum_and_its_energy_to_the_order_of_the_scheme),
      cmocka_unit_test(springs_that_the_step_cannot_resolve_stay_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
