/* Couplings of joint coordinates against closed forms, in every scheme: a gear pair with its reflected inertia, a screw
 * jack, rack and pinion, a differential, gears on a frame that moves, turns without end, play, a slipping clutch. */
#include "linalg/vec3.h"
#include "scene_runner.h"

static const char *const schemes[] = {"moreau-jean", "stewart-trinkle", "generalized-alpha", "event-driven",
                                      "compliant"};
#define SCHEMES ((int)(sizeof schemes / sizeof *schemes))

/* Wheels A and B on hinges along z at x = 0 and x = 1; then joints, forces and the run. */
#define WHEELS                                                                                                         \
  "{\"bodies\": [{\"name\": \"A\", \"mass\": 1, \"inertia\": [0.2, 0.2, 0.2], \"angular_velocity\": [0, 0, %g]}, "     \
  "{\"name\": \"B\", \"mass\": 2, \"inertia\": [0.5, 0.5, 0.5], \"position\": [1, 0, 0], \"angular_velocity\": "       \
  "[0, 0, %g]}], \"joints\": [{\"name\": \"a\", \"type\": \"revolute\", \"bodies\": [\"world\", \"A\"], \"point\": "   \
  "[0, 0, 0], \"axis\": [0, 0, 1]}, {\"name\": \"b\", \"type\": \"revolute\", \"bodies\": [\"world\", \"B\"], "        \
  "\"point\": [1, 0, 0], \"axis\": [0, 0, 1]}, {\"name\": \"gear\", %s}], \"forces\": [{\"type\": \"torque\", "        \
  "\"body\": \"A\", \"torque\": [0, 0, %g]}], \"run\": {\"scheme\": \"%s\", \"dt\": %g, \"until\": %g}}"

static void open_wheels(SceneRun *run, double spin_a, double spin_b, const char *gear, double torque,
                        const char *scheme, double dt, double until) {
  char text[2048];
  assert_true(snprintf(text, sizeof text, WHEELS, spin_a, spin_b, gear, torque, scheme, dt, until) < (int)sizeof text);
  scene_open_text(run, text);
}

#define RATIO_3 "\"type\": \"gear\", \"joints\": [\"a\", \"b\"], \"ratio\": -3"

/* w_A = -3 w_B: (J_A + J_B / 9) w_A' = T, and the gear takes J_B w_A' / 9 from A. */
static void a_gear_accelerates_with_the_reflected_inertia(void **state) {
  (void)state;
  double acceleration = 1.5 / (0.2 + 0.5 / 9);
  for (int i = 0; i < SCHEMES; i++) {
    SceneRun run;
    open_wheels(&run, 0, 0, RATIO_3, 1.5, schemes[i], 0.01, 0.5);
    scene_finish(&run);
    assert_near(scene_angular_velocity(&run, "A").z, 0.5 * acceleration, 1e-9);
    assert_near(scene_angular_velocity(&run, "B").z, -0.5 * acceleration / 3, 1e-9);
    assert_near(scene_joint(&run, "gear")->torque.z, -0.5 / 9 * acceleration, 1e-6);
    assert_true(fabs(run.info.flow.remainder) < 1e-9);
    scene_close(&run);
  }
}

/* 300 rad, 48 turns of A; energy stays. */
static void gears_keep_their_phase_and_energy_over_many_turns(void **state) {
  (void)state;
  for (int i = 0; i < SCHEMES; i++) {
    SceneRun run;
    open_wheels(&run, 30, -10, RATIO_3, 0, schemes[i], 0.02, 10);
    scene_finish(&run);
    assert_near(scene_joint(&run, "a")->coordinate, 300, i < SCHEMES - 1 ? 1e-3 : 1e-2);
    assert_near(scene_joint(&run, "a")->coordinate, -3 * scene_joint(&run, "b")->coordinate,
                i < SCHEMES - 1 ? 1e-3 : 1e-2);
    assert_near(scene_angular_velocity(&run, "A").z, 30, 1e-9);
    scene_close(&run);
  }
}

/* A load on a screw, k = pitch / 2 pi: (J + m k^2) w' = T - m g k. T = m g k holds it, and the thread carries m g. */
static void a_screw_jack_lifts_with_pitch_over_two_pi(void **state) {
  (void)state;
  const double pitch[] = {0.2, -0.05};
  for (int i = 0; i < SCHEMES; i++)
    for (int p = 0; p < 2; p++)
      for (int holds = 0; holds < 2; holds++) {
        double k = pitch[p] / (2 * 3.14159265358979323846), hold = 3 * 9.81 * k, torque = holds ? hold : 1;
        char text[1024];
        snprintf(text, sizeof text,
                 "{\"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"load\", \"mass\": 3, \"inertia\": [0.1, 0.1, "
                 "0.1]}], \"joints\": [{\"name\": \"screw\", \"type\": \"screw\", \"bodies\": [\"world\", \"load\"], "
                 "\"point\": [0, 0, 0], \"axis\": [0, 0, 1], \"pitch\": %.17g}], \"forces\": [{\"type\": \"torque\", "
                 "\"body\": \"load\", \"torque\": [0, 0, %.17g]}], \"run\": {\"scheme\": \"%s\", \"dt\": 0.01, "
                 "\"until\": 0.4}}",
                 pitch[p], torque, schemes[i]);
        SceneRun run;
        scene_open_text(&run, text);
        scene_finish(&run);
        double acceleration = (torque - hold) / (0.1 + 3 * k * k);
        assert_near(scene_angular_velocity(&run, "load").z, 0.4 * acceleration, 1e-8);
        assert_near(scene_velocity(&run, "load").z, 0.4 * acceleration * k, 1e-9);
        assert_near(scene_joint(&run, "screw")->coordinate, k == 0 ? 0 : scene_position(&run, "load").z / k, 1e-5);
        if (holds)
          assert_near(scene_joint(&run, "screw")->force.z, 3 * 9.81, 1e-6);
        scene_close(&run);
      }
}

/* (J + m r^2) w' = T + F r, in the plane. */
static void a_rack_moves_with_the_radius_of_its_pinion(void **state) {
  (void)state;
  for (int i = 0; i < SCHEMES; i++) {
    char text[1200];
    snprintf(text, sizeof text,
             "{\"dimension\": 2, \"bodies\": [{\"name\": \"pinion\", \"mass\": 1, \"inertia\": 0.02}, {\"name\": "
             "\"rack\", \"mass\": 4, \"inertia\": 1, \"position\": [0, -0.1]}], \"joints\": [{\"name\": \"turn\", "
             "\"type\": \"revolute\", \"bodies\": [\"world\", \"pinion\"], \"point\": [0, 0]}, {\"name\": \"slide\", "
             "\"type\": \"prismatic\", \"bodies\": [\"world\", \"rack\"], \"axis\": [1, 0]}, {\"name\": \"mesh\", "
             "\"type\": \"rack\", \"joints\": [\"turn\", \"slide\"], \"radius\": 0.1}], \"forces\": [{\"type\": "
             "\"torque\", \"body\": \"pinion\", \"torque\": 0.5}, {\"type\": \"force\", \"body\": \"rack\", \"force\": "
             "[-2, 0]}], \"run\": {\"scheme\": \"%s\", \"dt\": 0.01, \"until\": 0.5}}",
             schemes[i]);
    SceneRun run;
    scene_open_text(&run, text);
    scene_finish(&run);
    double acceleration = (0.5 - 2 * 0.1) / (0.02 + 4 * 0.01);
    assert_near(scene_angular_velocity(&run, "pinion").z, 0.5 * acceleration, 1e-9);
    assert_near(scene_velocity(&run, "rack").x, 0.05 * acceleration, 1e-9);
    assert_near(scene_joint(&run, "mesh")->force.x, 4 * 0.1 * acceleration + 2, 1e-6); // on the rack
    scene_close(&run);
  }
}

/* cage = (left + right) / 2. With J = 1, 0.5, 0.25 and torques 3 on the cage, -0.5 on the left shaft:
 *   a_c = 3 + l, a_l = (-0.5 - l/2) / 0.5, a_r = (-l/2) / 0.25, a_c = (a_l + a_r) / 2  =>  l = -1.4 */
static void a_differential_shares_the_torque_of_its_cage(void **state) {
  (void)state;
  for (int i = 0; i < SCHEMES; i++) {
    char text[2048];
    snprintf(text, sizeof text,
             "{\"dimension\": 2, \"bodies\": [{\"name\": \"cage\", \"mass\": 1, \"inertia\": 1}, {\"name\": \"left\", "
             "\"mass\": 1, \"inertia\": 0.5}, {\"name\": \"right\", \"mass\": 1, \"inertia\": 0.25}], \"joints\": ["
             "{\"name\": \"c\", \"type\": \"revolute\", \"bodies\": [\"world\", \"cage\"], \"point\": [0, 0]}, "
             "{\"name\": \"l\", \"type\": \"revolute\", \"bodies\": [\"world\", \"left\"], \"point\": [0, 0]}, "
             "{\"name\": \"r\", \"type\": \"revolute\", \"bodies\": [\"world\", \"right\"], \"point\": [0, 0]}, "
             "{\"name\": \"d\", \"type\": \"coupling\", \"joints\": [\"c\", \"l\", \"r\"], \"factors\": [1, -0.5, "
             "-0.5]}], \"forces\": [{\"type\": \"torque\", \"body\": \"cage\", \"torque\": 3}, {\"type\": \"torque\", "
             "\"body\": \"left\", \"torque\": -0.5}], \"run\": {\"scheme\": \"%s\", \"dt\": 0.01, \"until\": 0.5}}",
             schemes[i]);
    SceneRun run;
    scene_open_text(&run, text);
    scene_finish(&run);
    assert_near(scene_angular_velocity(&run, "cage").z, 0.5 * 1.6, 1e-9);
    assert_near(scene_angular_velocity(&run, "left").z, 0.5 * 0.4, 1e-9);
    assert_near(scene_angular_velocity(&run, "right").z, 0.5 * 2.8, 1e-9);
    assert_near(scene_joint(&run, "d")->torque.z, -1.4, 1e-6);
    scene_close(&run);
  }
}

/* Two wheels on a free frame, equal but for the gear -1: what the motor of one puts in, both share, and nothing turns
 * the frame. Four bodies in the row, since the wheels hang on different ones. */
static void gears_on_a_free_frame_keep_its_momentum(void **state) {
  (void)state;
  for (int i = 0; i < SCHEMES; i++) {
    char text[2400];
    snprintf(text, sizeof text,
             "{\"bodies\": [{\"name\": \"frame\", \"mass\": 5, \"inertia\": [1, 1, 1]}, {\"name\": \"plate\", "
             "\"mass\": 2, \"inertia\": [0.3, 0.3, 0.3], \"position\": [1, 0, 0]}, {\"name\": \"A\", \"mass\": 1, "
             "\"inertia\": [0.1, 0.1, 0.1], \"position\": [-0.5, 0, 0]}, {\"name\": \"B\", \"mass\": 1, \"inertia\": "
             "[0.1, 0.1, 0.1], \"position\": [1, 0, 0]}], \"joints\": [{\"type\": \"fixed\", \"bodies\": [\"frame\", "
             "\"plate\"]}, {\"name\": \"a\", \"type\": \"revolute\", \"bodies\": [\"frame\", \"A\"], \"point\": [-0.5, "
             "0, 0], \"axis\": [0, 0, 1], \"motor\": {\"velocity\": 4, \"effort\": 0.3}}, {\"name\": \"b\", "
             "\"type\": \"revolute\", \"bodies\": [\"plate\", \"B\"], \"point\": [1, 0, 0], \"axis\": [0, 0, 1]}, "
             "{\"name\": \"gear\", \"type\": \"gear\", \"joints\": [\"a\", \"b\"], \"ratio\": -1}], \"run\": "
             "{\"scheme\": \"%s\", \"dt\": 0.01, \"until\": 0.5}}",
             schemes[i]);
    SceneRun run;
    scene_open_text(&run, text);
    scene_finish(&run);
    double spin = scene_joint(&run, "a")->rate;
    assert_near(spin, 0.5 * 0.3 / 0.2, 1e-6);
    assert_near(scene_joint(&run, "b")->rate, -spin, 1e-8);
    assert_near(scene_angular_velocity(&run, "frame").z, 0, 1e-8);
    assert_near(norm3(scene_velocity(&run, "frame")), 0, 1e-8);
    scene_close(&run);
  }
}

/* Play of 0.2 rad: A runs free for 0.1 rad, then takes B along: J_A w = (J_A + J_B / 9) w'. */
static void wheels_with_play_meet_at_its_end(void **state) {
  (void)state;
  const char *play = "\"type\": \"gear\", \"joints\": [\"a\", \"b\"], \"ratio\": -3, \"limits\": [-0.1, 0.1]";
  double after = 0.2 * 2 / (0.2 + 0.5 / 9);
  for (int i = 0; i < 4; i++) { // the limit of the compliant scheme is a spring
    SceneRun run;
    open_wheels(&run, 2, 0, play, 0, schemes[i], 0.001, 0.1);
    while (scene_step(&run)) {
      double t = asp_world_state(run.world)->t;
      if (t < 0.045)
        assert_near(scene_angular_velocity(&run, "B").z, 0, 1e-12);
    }
    assert_near(scene_angular_velocity(&run, "A").z, after, 1e-7);
    assert_near(scene_angular_velocity(&run, "B").z, -after / 3, 1e-7);
    assert_near(scene_joint(&run, "gear")->coordinate, 0.1, 1e-4);
    scene_close(&run);
  }
}

/* A clutch that holds 0.4 N m: the driven side gets 0.4 while it slips. */
static void a_slipping_clutch_passes_its_limit_on(void **state) {
  (void)state;
  const char *clutch = "\"type\": \"coupling\", \"joints\": [\"a\", \"b\"], \"factors\": [1, -1], \"friction\": 0.4";
  for (int i = 0; i < 4; i++) {
    SceneRun run;
    open_wheels(&run, 5, 0, clutch, 0, schemes[i], 0.01, 0.5);
    scene_finish(&run);
    assert_near(scene_angular_velocity(&run, "A").z, 5 - 0.4 / 0.2 * 0.5, 1e-6);
    assert_near(scene_angular_velocity(&run, "B").z, 0.4 / 0.5 * 0.5, 1e-6);
    scene_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_gear_accelerates_with_the_reflected_inertia),
      cmocka_unit_test(gears_keep_their_phase_and_energy_over_many_turns),
      cmocka_unit_test(a_screw_jack_lifts_with_pitch_over_two_pi),
      cmocka_unit_test(a_rack_moves_with_the_radius_of_its_pinion),
      cmocka_unit_test(a_differential_shares_the_torque_of_its_cage),
      cmocka_unit_test(gears_on_a_free_frame_keep_its_momentum),
      cmocka_unit_test(wheels_with_play_meet_at_its_end),
      cmocka_unit_test(a_slipping_clutch_passes_its_limit_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
