/* Dry friction of joints with several coordinates against closed forms, in every scheme: a sleeve that slides and spins
 * on a rod, one that hangs, a cross that turns about both axes, a ball joint in which a body spins and a pendulum hangs,
 * a puck. */
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

/* The torque is a vector of bounded size: it opposes the spin, whatever its axis, and a body with equal inertias keeps
 * that axis. At rest after I w / T = 0.2 * 3 / 0.5 = 1.2 s; a bound for every component would stop it sooner. */
static void a_body_in_a_ball_joint_spins_to_rest_along_a_straight_line(void **state) {
  (void)state;
  for (int i = 0; i < SCHEMES; i++)
    for (int k = 0; k < AXES; k++) {
      double near = i == COMPLIANT ? 1e-4 : 1e-9;
      AspVec3 d = axes[k];
      SceneRun run;
      open_joined(&run, vec3(0, 0, 0), vec3(0, 0, 0), scale3(3, d), vec3(0, 0, 0),
                  "\"type\": \"spherical\", \"point\": [0, 0, 0], \"friction\": 0.5", schemes[i], 1.5);
      double taken = 0;
      while (scene_step(&run)) {
        double t = asp_world_state(run.world)->t;
        taken += run.info.flow.joints;
        assert_vectors_near(scene_angular_velocity(&run, "B"), scale3(fmax(3 - 2.5 * t, 0), d), near);
        if (fabs(t - 1.2) > 0.005)
          assert_vectors_near(scene_joint(&run, "j")->torque, scale3(t < 1.2 ? -0.5 : 0, d), 100 * near);
      }
      assert_int_equal(run.uncertified, 0);
      assert_near(taken, 0.5 * 0.2 * 9, 10 * near);
      scene_close(&run);
    }
}

/* An arm of 0.5 m, level at first, in a direction oblique to the world's axes: its weight has the moment m g l = 9.81 N m
 * and the inertia 0.2 + m l^2 = 0.7 kg m^2. Friction of 10 N m holds it; one of 4 N m lets it fall by the angle a with
 * 0.7 a'^2 / 2 = 9.81 sin a - 4 a. */
static void a_pendulum_in_a_ball_joint_sticks_iff_its_moment_is_below_the_bound(void **state) {
  (void)state;
  for (int i = 0; i < SCHEMES; i++)
    for (int holds = 0; holds < 2; holds++) {
      char joint[128];
      AspVec3 arm = vec3(0.3, 0.4, 0), axis = vec3(0.8, -0.6, 0); // the weight turns it about `axis`
      snprintf(joint, sizeof joint, "\"type\": \"spherical\", \"point\": [0, 0, 0], \"friction\": %d", holds ? 10 : 4);
      SceneRun run;
      open_joined(&run, arm, vec3(0, 0, 0), vec3(0, 0, 0), vec3(0, 0, -9.81), joint, schemes[i], 0.5);
      while (scene_step(&run)) {
        AspVec3 w = scene_angular_velocity(&run, "B");
        double angle = asin(fmin(-scene_position(&run, "B").z / 0.5, 1));
        double rate = holds ? 0 : sqrt(fmax(2 / 0.7 * (9.81 * sin(angle) - 4 * angle), 0));
        assert_vectors_near(w, scale3(-rate, axis), i == EVENT_DRIVEN ? 1e-7 : i == COMPLIANT ? 1e-3 : 0.05);
      }
      assert_int_equal(run.uncertified, 0);
      if (holds && i != COMPLIANT)
        assert_vectors_near(scene_joint(&run, "j")->torque, scale3(9.81, axis), 1e-6);
      scene_close(&run);
    }
}

/* In the plane a = 4 N / 2 kg along a straight line, oblique to t1 and t2 of the joint; about the normal as a sleeve. */
static void a_puck_slides_straight_and_spins_to_rest_independently(void **state) {
  (void)state;
  for (int i = 0; i < SCHEMES; i++) {
    SceneRun run;
    AspVec3 d = vec3(0.6, -0.8, 0);
    double near = i == COMPLIANT ? 1e-4 : 1e-9;
    open_joined(&run, vec3(0, 0, 0), scale3(1.2, d), vec3(0, 0, 3), vec3(0, 0, 0),
                "\"type\": \"planar\", \"point\": [0, 0, 0], \"axis\": [0, 0, 1], \"friction\": 4, "
                "\"friction_torque\": 0.3",
                schemes[i], 2.2);
    while (scene_step(&run)) {
      double t = asp_world_state(run.world)->t;
      assert_vectors_near(scene_velocity(&run, "B"), scale3(fmax(1.2 - 2 * t, 0), d), near);
      assert_vectors_near(scene_angular_velocity(&run, "B"), vec3(0, 0, fmax(3 - 1.5 * t, 0)), near);
    }
    assert_int_equal(run.uncertified, 0);
    assert_vectors_near(scene_position(&run, "B"), scale3(0.36, d), i == EVENT_DRIVEN ? 1e-9 : 0.01);
    scene_close(&run);
  }
}

/* Arms that turn about axes which move: every scheme finds the pose in which friction holds them, with a polygon for the
 * friction of contacts too, and the joints' torques there are those of the weights. */
static void all_schemes_find_the_pose_in_which_a_lamp_stays(void **state) {
  (void)state;
  static const char *const runs[] = {"\"dt\"", "\"scheme\": \"stewart-trinkle\", \"dt\"",
                                     "\"scheme\": \"stewart-trinkle\", \"friction\": {\"model\": \"inscribed\", "
                                     "\"directions\": 8}, \"dt\"",
                                     "\"scheme\": \"generalized-alpha\", \"dt\"",
                                     "\"scheme\": \"event-driven\", \"dt\""};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    SceneRun run;
    scene_open_changed(&run, "lamp-in-ball-joints", "\"dt\"", runs[i]);
    scene_finish(&run);
    assert_vectors_near(scene_position(&run, "lamp"), vec3(0.159451, 0.014104, 0.581209), 1e-4);
    assert_true(norm3(scene_velocity(&run, "lamp")) < 1e-12);
    AspVec3 lamp = scene_position(&run, "lamp"), arm = scene_position(&run, "arm"), elbow, axes_of_joint[3];
    const AspState *at = asp_world_state(run.world);
    elbow = asp_joint_place(run.scene.model, at, asp_model_find_joint(run.scene.model, "elbow"), axes_of_joint);
    AspVec3 moment = cross3(sub3(lamp, elbow), vec3(0, 0, 0.5 * 9.81)); // against that of the weight
    assert_vectors_near(scene_joint(&run, "elbow")->torque, moment, 1e-6);
    assert_true(norm3(moment) <= 0.3 + 1e-9);
    AspVec3 shoulder =
        asp_joint_place(run.scene.model, at, asp_model_find_joint(run.scene.model, "shoulder"), axes_of_joint);
    moment =
        add3(cross3(sub3(lamp, shoulder), vec3(0, 0, 0.5 * 9.81)), cross3(sub3(arm, shoulder), vec3(0, 0, 0.8 * 9.81)));
    assert_vectors_near(scene_joint(&run, "shoulder")->torque, moment, 1e-6);
    assert_true(norm3(moment) <= 2.5 + 1e-9);
    scene_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sleeve_slides_and_spins_to_rest_independently),
      cmocka_unit_test(a_hanging_sleeve_sticks_iff_its_weight_is_below_the_bound),
      cmocka_unit_test(a_cross_comes_to_rest_about_both_axes_independently),
      cmocka_unit_test(a_body_in_a_ball_joint_spins_to_rest_along_a_straight_line),
      cmocka_unit_test(a_pendulum_in_a_ball_joint_sticks_iff_its_moment_is_below_the_bound),
      cmocka_unit_test(a_puck_slides_straight_and_spins_to_rest_independently),
      cmocka_unit_test(all_schemes_find_the_pose_in_which_a_lamp_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
