/* Dry friction of joints with several coordinates against closed forms, in every scheme: a sleeve that slides and spins
 * on a rod, one that hangs, a cross that turns about both axes. */
#include "linalg/vec3.h"
#include "scene_runner.h"

static const char *const schemes[] = {"moreau-jean", "stewart-trinkle", "generalized-alpha", "event-driven",
                                      "compliant"};
enum { SCHEMES = sizeof schemes / sizeof *schemes, EVENT_DRIVEN = 3, COMPLIANT };

/* A body of 2 kg with the inertia 0.2 kg m^2 about every axis at `position`, on one joint to the world. */
static void open_joined(SceneRun *run, AspVec3 position, AspVec3 v, AspVec3 w, AspVec3 gravity, const char *joint,
                        const char *scheme, double until) {
  char text[2048];
  int length = snprintf(
      text, sizeof text,
      "{\"gravity\": [%.17g, %.17g, %.17g], \"bodies\": [{\"name\": \"B\", \"mass\": 2, \"inertia\": [0.2, 0.2, 0.2], "
      "\"position\": [%.17g, %.17g, %.17g], \"velocity\": [%.17g, %.17g, %.17g], \"angular_velocity\": [%.17g, %.17g, "
      "%.17g]}], \"joints\": [{\"name\": \"j\", \"bodies\": [\"world\", \"B\"], %s}], \"run\": {\"scheme\": \"%s\", "
      "\"dt\": 0.01, \"until\": %g, \"tolerance\": 1e-11%s}}",
      gravity.x, gravity.y, gravity.z, position.x, position.y, position.z, v.x, v.y, v.z, w.x, w.y, w.z, joint, scheme,
      until, strcmp(scheme, "compliant") ? "" : ", \"compliant\": {\"slip_damping\": 1e5}");
  assert_true(length < (int)sizeof text);
  scene_open_text(run, text);
}

static void assert_vectors_near(AspVec3 value, AspVec3 expected, double tolerance) {
  assert_near(value.x, expected.x, tolerance);
  assert_near(value.y, expected.y, tolerance);
  assert_near(value.z, expected.z, tolerance);
}

/* Axes of the scene, turned, and mirrored through the origin. */
static const AspVec3 axes[] = {{0, 0, 1}, {1. / 3, 2. / 3, -2. / 3}, {-1. / 3, -2. / 3, 2. / 3}};
enum { AXES = sizeof axes / sizeof *axes };

/* Along the axis a = 4 N / 2 kg from 1.2 m/s: at rest after 0.6 s and 0.36 m. About it 0.3 N m / 0.2 kg m^2 from 3
 * rad/s: at rest after 2 s. Neither knows of the other. */
static void a_sleeve_slides_and_spins_to_rest_independently(void **state) {
  (void)state;
  for (int i = 0; i < SCHEMES; i++)
    for (int k = 0; k < AXES; k++) {
      char joint[256];
      double near = i == COMPLIANT ? 1e-4 : 1e-9;
      AspVec3 d = axes[k];
      snprintf(joint, sizeof joint,
               "\"type\": \"cylindrical\", \"point\": [0, 0, 0], \"axis\": [%.17g, %.17g, %.17g], \"friction\": 4, "
               "\"friction_torque\": 0.3",
               d.x, d.y, d.z);
      SceneRun run;
      open_joined(&run, vec3(0, 0, 0), scale3(1.2, d), scale3(3, d), vec3(0, 0, 0), joint, schemes[i], 2.2);
      double taken = 0;
      while (scene_step(&run)) {
        double t = asp_world_state(run.world)->t;
        taken += run.info.flow.joints;
        assert_vectors_near(scene_velocity(&run, "B"), scale3(fmax(1.2 - 2 * t, 0), d), near);
        assert_vectors_near(scene_angular_velocity(&run, "B"), scale3(fmax(3 - 1.5 * t, 0), d), near);
        if (fabs(t - 0.6) > 0.005) // at the instant it is what the scheme takes it for
          assert_vectors_near(scene_joint(&run, "j")->force, scale3(t < 0.6 ? -4 : 0, d), 100 * near);
        if (fabs(t - 2) > 0.005)
          assert_vectors_near(scene_joint(&run, "j")->torque, scale3(t < 2 ? -0.3 : 0, d), 100 * near);
      }
      assert_int_equal(run.uncertified, 0);
      assert_near(taken, 0.5 * 2 * 1.44 + 0.5 * 0.2 * 9, 10 * near);
      assert_vectors_near(scene_position(&run, "B"), scale3(0.36, d), i == EVENT_DRIVEN ? 1e-9 : 0.01);
      scene_close(&run);
    }
}

/* A weight of 19.62 N along the axis: friction of 20 N holds it, one of 15 N does not. */
static void a_hanging_sleeve_sticks_iff_its_weight_is_below_the_bound(void **state) {
  (void)state;
  for (int i = 0; i < SCHEMES; i++)
    for (int holds = 0; holds < 2; holds++) {
      char joint[256];
      double friction = holds ? 20 : 15, near = i == COMPLIANT ? 1e-3 : 1e-8;
      snprintf(joint, sizeof joint,
               "\"type\": \"cylindrical\", \"point\": [0, 0, 0], \"axis\": [0, 0, 1], \"friction\": %g", friction);
      SceneRun run;
      open_joined(&run, vec3(0, 0, 0), vec3(0, 0, 0), vec3(0, 0, 1), vec3(0, 0, -9.81), joint, schemes[i], 0.5);
      scene_finish(&run);
      assert_near(scene_velocity(&run, "B").z, holds ? 0 : -0.5 * (19.62 - 15) / 2, near);
      assert_near(scene_joint(&run, "j")->force.z, holds ? 19.62 : 15, 100 * near);
      assert_near(scene_angular_velocity(&run, "B").z, 1, near); // nothing resists it
      scene_close(&run);
    }
}

/* w = a' A + b' B with A fixed and B turning about it; of a body with equal inertias a'' = -T/I, b'' = -T_b/I. */
static void a_cross_comes_to_rest_about_both_axes_independently(void **state) {
  (void)state;
  for (int i = 0; i < SCHEMES; i++) {
    SceneRun run;
    open_joined(&run, vec3(0, 0, 0), vec3(0, 0, 0), vec3(1, 0, 2), vec3(0, 0, 0),
                "\"type\": \"universal\", \"point\": [0, 0, 0], \"axis\": [0, 0, 1], \"axis_b\": [1, 0, 0], "
                "\"friction\": 0.3, \"friction_b\": 0.4",
                schemes[i], 1.5);
    double near = i == EVENT_DRIVEN ? 1e-8 : 0.02; // the others resolve the turning axis with the step
    while (scene_step(&run)) {
      double t = asp_world_state(run.world)->t;
      AspVec3 w = scene_angular_velocity(&run, "B");
      assert_near(w.z, fmax(2 - 1.5 * t, 0), near);
      assert_near(hypot(w.x, w.y), fmax(1 - 2 * t, 0), near);
    }
    assert_int_equal(run.uncertified, 0);
    assert_true(norm3(scene_angular_velocity(&run, "B")) < (i == COMPLIANT ? 1e-4 : 1e-9));
    scene_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sleeve_slides_and_spins_to_rest_independently),
      cmocka_unit_test(a_hanging_sleeve_sticks_iff_its_weight_is_below_the_bound),
      cmocka_unit_test(a_cross_comes_to_rest_about_both_axes_independently),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
