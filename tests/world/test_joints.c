/* Friction of joints in proportion to their load, against statics: a rotor in a bearing, a drawer that jams, a drawer
 * in space whose guides are loaded two ways, an overhung shaft. g = 9.81. */
#include "linalg/vec3.h"
#include "scene_runner.h"

#define GRAVITY 9.81

/* I w' = -mu R m g, in both schemes, in the plane and in space. */
static void rotor_slows_down_by_the_weight_on_its_bearing(void **state) {
  (void)state;
  const char *schemes[] = {"moreau-jean", "stewart-trinkle"};
  for (int scheme = 0; scheme < 2; scheme++)
    for (int dimension = 2; dimension <= 3; dimension++) {
      char text[1024];
      bool plane = dimension == 2;
      snprintf(text, sizeof text,
               "{\"dimension\": %d, \"gravity\": [0, -9.81%s], \"bodies\": [{\"name\": \"rotor\", \"mass\": 2, "
               "\"inertia\": %s, \"angular_velocity\": %s}], \"joints\": [{\"name\": \"bearing\", \"type\": "
               "\"revolute\", \"bodies\": [\"world\", \"rotor\"], \"point\": [0, 0%s], %s \"friction_coefficient\": "
               "0.2, \"bearing_radius\": 0.05}], \"run\": {\"scheme\": \"%s\", \"dt\": 0.01, \"until\": 1, "
               "\"tolerance\": 1e-11}}",
               dimension, plane ? "" : ", 0", plane ? "0.5" : "[0.5, 0.5, 0.5]", plane ? "3" : "[0, 0, 3]",
               plane ? "" : ", 0", plane ? "" : "\"axis\": [0, 0, 1],", schemes[scheme]);
      SceneRun run;
      scene_open_text(&run, text);
      scene_finish(&run);
      double torque = 0.2 * 0.05 * 2 * GRAVITY;
      assert_near(scene_joint(&run, "bearing")->friction, -torque, 1e-8);
      assert_near(scene_angular_velocity(&run, "rotor").z, 3 - torque / 0.5, 1e-8);
      scene_close(&run);
    }
}

/* A drawer on guides 0.4 m apart, pulled by F at the distance c from its middle: N = F c / L at both guides, friction
 * 2 mu F c / L. It jams, whatever F, iff 2 mu c >= L; else m a = F (1 - 2 mu c / L). */
static void drawer_jams_iff_it_is_pulled_too_far_from_its_middle(void **state) {
  (void)state;
  const double L = 0.4, mu = 0.5, part[] = {0.5, 0.98, 1.02, 3};
  for (int i = 0; i < 4; i++)
    for (int strong = 0; strong < 2; strong++) {
      double c = part[i] * L / (2 * mu), force = strong ? 1000 : 1;
      char text[1024];
      snprintf(text, sizeof text,
               "{\"dimension\": 2, \"bodies\": [{\"name\": \"drawer\", \"mass\": 2, \"inertia\": 0.5}], \"joints\": "
               "[{\"name\": \"guide\", \"type\": \"prismatic\", \"bodies\": [\"world\", \"drawer\"], \"axis\": [1, 0], "
               "\"friction_coefficient\": 0.5, \"bearing_length\": 0.4}], \"forces\": [{\"type\": \"force\", "
               "\"body\": \"drawer\", \"point\": [0, %.17g], \"force\": [%g, 0]}], \"run\": {\"dt\": 0.01, \"until\": "
               "0.5, \"tolerance\": 1e-11}}",
               c, force);
      SceneRun run;
      scene_open_text(&run, text);
      scene_finish(&run);
      double expected = part[i] >= 1 ? 0 : force * (1 - part[i]) / 2 * 0.5;
      assert_near(scene_velocity(&run, "drawer").x, expected, 1e-7 * force);
      scene_close(&run);
    }
}

/* In space: the weight presses both guides down, the pull besides the middle presses them sideways;
 * |N| = sqrt((m g / 2)^2 + (F c / L)^2) at each. */
static void guides_in_space_add_loads_as_vectors(void **state) {
  (void)state;
  const char *text =
      "{\"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"drawer\", \"mass\": 2, \"inertia\": [0.5, 0.5, 0.5]}], "
      "\"joints\": [{\"name\": \"guide\", \"type\": \"prismatic\", \"bodies\": [\"world\", \"drawer\"], \"axis\": [1, "
      "0, "
      "0], \"friction_coefficient\": 0.3, \"bearing_length\": 0.4}], \"forces\": [{\"type\": \"force\", \"body\": "
      "\"drawer\", \"point\": [0, 0.2, 0], \"force\": [20, 0, 0]}], \"run\": {\"dt\": 0.01, \"until\": 0.5, "
      "\"tolerance\": 1e-11}}";
  SceneRun run;
  scene_open_text(&run, text);
  scene_finish(&run);
  double friction = 2 * 0.3 * hypot(2 * GRAVITY / 2, 20 * 0.2 / 0.4);
  assert_near(scene_velocity(&run, "drawer").x, (20 - friction) / 2 * 0.5, 1e-8);
  assert_near(scene_joint(&run, "guide")->friction, -friction, 1e-7);
  scene_close(&run);
}

/* A wheel that hangs beside its two bearings, overhang b, bearings L apart: N_1 = m g (b + L/2)/L, N_2 = m g (b -
 * L/2)/L. The wheel's own spin is slow, so that its gyroscopic moment about the fixed axis is none. */
static void overhung_wheel_loads_its_bearings_by_the_lever(void **state) {
  (void)state;
  const char *text =
      "{\"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"wheel\", \"mass\": 2, \"inertia\": [0.5, 0.5, 0.5], "
      "\"position\": [0.3, 0, 0], \"angular_velocity\": [4, 0, 0]}], \"joints\": [{\"name\": \"bearing\", \"type\": "
      "\"revolute\", \"bodies\": [\"world\", \"wheel\"], \"point\": [0, 0, 0], \"axis\": [1, 0, 0], "
      "\"friction_coefficient\": 0.2, \"bearing_radius\": 0.05, \"bearing_length\": 0.2}], \"run\": {\"dt\": 0.01, "
      "\"until\": 1, \"tolerance\": 1e-11}}";
  SceneRun run;
  scene_open_text(&run, text);
  scene_finish(&run);
  double torque = 0.2 * 0.05 * 2 * GRAVITY * ((0.3 + 0.1) / 0.2 + (0.3 - 0.1) / 0.2);
  assert_near(scene_angular_velocity(&run, "wheel").x, 4 - torque / 0.5, 1e-7);
  scene_close(&run);
}

/* Load friction, constant friction, a limit and a contact in one problem: a slider pressed by its weight is pushed
 * against a limit, and a block rests on it. */
static void load_friction_stands_beside_constant_friction_and_contacts(void **state) {
  (void)state;
  const char *text =
      "{\"dimension\": 2, \"gravity\": [0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.5}], "
      "\"bodies\": [{\"name\": \"slider\", \"mass\": 2, \"inertia\": 0.5, \"shapes\": [{\"type\": \"box\", \"size\": "
      "[1, 0.2]}]}, {\"name\": \"load\", \"mass\": 3, \"position\": [0, 0.2], \"shapes\": [{\"type\": \"box\", "
      "\"size\": [0.2, 0.2]}]}], \"joints\": [{\"name\": \"guide\", \"type\": \"prismatic\", \"bodies\": [\"world\", "
      "\"slider\"], \"axis\": [1, 0], \"friction\": 4, \"friction_coefficient\": 0.1, \"bearing_length\": 0.8}], "
      "\"forces\": [{\"type\": \"force\", \"body\": \"slider\", \"point\": [0, 0], \"force\": [20, 0]}], \"run\": "
      "{\"dt\": 0.01, \"until\": 0.1, \"tolerance\": 1e-11}}";
  SceneRun run;
  scene_open_text(&run, text);
  scene_finish(&run);
  // both move together; the load leans back as it is taken along, which loads the two guides unevenly but as much
  double a = (20 - 4 - 0.1 * 5 * GRAVITY) / 5;
  assert_near(scene_velocity(&run, "slider").x, 0.1 * a, 1e-7);
  assert_near(scene_velocity(&run, "load").x, 0.1 * a, 1e-7);
  scene_close(&run);
}

/* Schemes that do not follow the load of a joint's bearings refuse such friction, and do not leave it out. */
static void load_friction_acts_or_is_refused(void **state) {
  (void)state;
  const char *schemes[] = {"moreau-jean", "stewart-trinkle", "generalized-alpha", "event-driven"};
  for (int i = 0; i < 4; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"drawer\", \"mass\": 2, "
             "\"inertia\": 0.5, \"velocity\": [1, 0]}], \"joints\": [{\"type\": \"prismatic\", \"bodies\": "
             "[\"world\", \"drawer\"], \"axis\": [1, 0], \"friction_coefficient\": 0.2, \"bearing_length\": 0.4}], "
             "\"run\": {\"scheme\": \"%s\", \"dt\": 0.01, \"until\": 0.2}}",
             schemes[i]);
    AspContext *context = asp_context_create(NULL);
    AspScene scene;
    AspWorld *world = NULL;
    assert_ok(context, asp_scene_parse(context, text, strlen(text), "text", &scene, NULL));
    assert_int_equal(asp_world_create(context, scene.model, &scene.run, &world), i < 2 ? ASP_OK : ASP_ERROR_INPUT);
    assert_true(i < 2 || strstr(asp_context_message(context), "friction_coefficient"));
    asp_world_destroy(world);
    asp_scene_destroy(context, &scene);
    asp_context_destroy(context);
    if (i >= 2)
      continue;
    SceneRun run;
    scene_open_text(&run, text);
    scene_finish(&run);
    assert_near(scene_velocity(&run, "drawer").x, 1 - 0.2 * 0.2 * GRAVITY, 1e-6);
    scene_close(&run);
  }
}

/* The crank is told to turn with 2 rad/s and given at rest: no half step is lost, no position jumps. */
static void prescribed_joint_follows_from_the_first_step_on(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run,
                  "{\"bodies\": [{\"name\": \"arm\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [1, 0, 0]}], "
                  "\"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"bodies\": [\"world\", \"arm\"], "
                  "\"point\": [0, 0, 0], \"axis\": [0, 0, 1], \"angle\": \"2*t\"}], \"run\": {\"dt\": 0.01, \"until\": "
                  "0.05, \"tolerance\": 1e-11}}");
  while (scene_step(&run)) {
    assert_near(scene_joint(&run, "hinge")->coordinate, 2 * run.info.t, 1e-6);
    assert_near(scene_joint(&run, "hinge")->rate, 2, 1e-6);
  }
  assert_int_equal(asp_world_warning_count(run.world), 0);
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
}

static void velocities_that_part_a_joint_are_told_and_mended(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(
      &run, "{\"dimension\": 2, \"bodies\": [{\"name\": \"arm\", \"mass\": 1, \"inertia\": 1, \"position\": [1, 0], "
            "\"velocity\": [0, 3]}], \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"bodies\": "
            "[\"world\", \"arm\"], \"point\": [0, 0]}], \"run\": {\"dt\": 0.01, \"until\": 0.01, \"tolerance\": "
            "1e-11}}");
  scene_finish(&run);
  // the nearest in kinetic energy: (m v)/(m + J) about the hinge
  assert_near(scene_joint(&run, "hinge")->rate, 1.5, 1e-4);
  assert_int_equal(asp_world_warning_count(run.world), 1);
  assert_non_null(
      strstr(asp_world_warning(run.world, 0), "joint hinge: the velocities given at the start part it with 3"));
  scene_close(&run);
}

/* A slider thrown at its limit with 2 m/s comes back with e times that, while a load friction acts on the way. */
static void limit_returns_the_slider_with_its_restitution(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(
      &run, "{\"dimension\": 2, \"bodies\": [{\"name\": \"slider\", \"mass\": 2, \"inertia\": 1, \"velocity\": [2, "
            "0]}], \"joints\": [{\"name\": \"guide\", \"type\": \"prismatic\", \"bodies\": [\"world\", \"slider\"], "
            "\"axis\": [1, 0], \"limits\": [-1, 0.5], \"limit_restitution\": 0.6}], \"run\": {\"dt\": 0.01, "
            "\"until\": 0.5, \"tolerance\": 1e-11}}");
  scene_finish(&run);
  assert_near(scene_velocity(&run, "slider").x, -1.2, 1e-9);
  // back from the limit for 0.25 s; the instant of impact is known to a step
  assert_near(scene_position(&run, "slider").x, 0.5 - 1.2 * 0.25, 0.01 * 3.2);
  scene_close(&run);
}

/* Two equal hinges hold one body: of all shares of its weight the smallest reactions are the equal ones. */
static void redundant_hinges_share_the_load_equally(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(
      &run, "{\"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"door\", \"mass\": 4, \"inertia\": [1, 1, 1], "
            "\"position\": [1, 0, 0]}], \"joints\": [{\"name\": \"one\", \"type\": \"revolute\", \"bodies\": "
            "[\"world\", \"door\"], \"point\": [0, 0, 0], \"axis\": [0, 0, 1]}, {\"name\": \"two\", \"type\": "
            "\"revolute\", \"bodies\": [\"world\", \"door\"], \"point\": [0, 0, 0], \"axis\": [0, 0, 1]}], \"run\": "
            "{\"dt\": 0.01, \"until\": 0.1, \"tolerance\": 1e-10}}");
  scene_finish(&run);
  assert_near(scene_joint(&run, "one")->force.z, 2 * GRAVITY, 1e-6);
  assert_near(scene_joint(&run, "two")->force.z, 2 * GRAVITY, 1e-6);
  assert_int_equal(asp_world_warning_count(run.world), 1);
  assert_non_null(strstr(asp_world_warning(run.world, 0), "joint two is redundant"));
  scene_close(&run);
}

/* Two balls that overlap by 0.1 m: told once, and parted no faster than the option says. */
static void overlap_is_told_and_parted_at_the_speed_that_was_asked_for(void **state) {
  (void)state;
  for (int capped = 0; capped < 2; capped++) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0}], \"bodies\": [{\"name\": \"one\", \"mass\": 1, "
        "\"shapes\": [{\"type\": \"sphere\", \"radius\": 0.5}]}, {\"name\": \"two\", \"mass\": 1, \"position\": "
        "[0.9, 0, 0], \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.5}]}], \"run\": {\"scheme\": "
        "\"stewart-trinkle\", \"dt\": 0.01, \"until\": 0.03, \"separation_speed\": %g}}",
        capped ? 0.5 : 0);
    SceneRun run;
    scene_open_text(&run, text);
    scene_finish(&run);
    assert_near(scene_velocity(&run, "two").x - scene_velocity(&run, "one").x, capped ? 0.5 : 10, 1e-6);
    // the overlap is named at the start in both, and not resolved in both; without a cap the kick is named, too, and
    // what it adds to the way
    assert_int_equal(asp_world_warning_count(run.world), capped ? 2 : 4);
    assert_non_null(strstr(asp_world_warning(run.world, 0), "overlap"));
    assert_non_null(strstr(asp_world_warning(run.world, capped ? 1 : 2), "penetration"));
    scene_close(&run);
  }
}

/* Two links that swing about axes across each other: the largest drift of their joints after a step, m or rad. */
static double drift_of_swing(bool project) {
  char text[1024];
  double most = 0;
  SceneRun run;
  snprintf(text, sizeof text,
           "{\"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.01], "
           "\"position\": [0.5, 0, 0]}, {\"name\": \"b\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.01], \"position\": "
           "[1.5, 0, 0]}], \"joints\": [{\"name\": \"first\", \"type\": \"revolute\", \"bodies\": [\"world\", "
           "\"a\"], \"point\": [0, 0, 0], \"axis\": [0, 1, 0]}, {\"name\": \"second\", \"type\": \"spherical\", "
           "\"bodies\": [\"a\", \"b\"], \"point\": [1, 0, 0]}], \"run\": "
           "{\"dt\": 0.01, \"until\": 1, \"project\": %s}}",
           project ? "true" : "false");
  scene_open_text(&run, text);
  for (int i = 0; i < 100; i++) {
    AspStepInfo info;
    assert_ok(run.context, asp_world_step(run.world, &info));
    most = fmax(most, info.joint_drift);
  }
  scene_close(&run);
  return most;
}

static void swinging_joints_are_closed_at_the_end_of_every_step(void **state) {
  (void)state;
  assert_true(drift_of_swing(false) > 1e-5);
  assert_true(drift_of_swing(true) < 1e-8);
}

/* A leg on two joints whose foot, a ball, slides over the floor: the largest drift of its joints after a step, m or
 * rad; *apart: the largest gap or overlap of the foot's contact at the start of a step, m. */
static double drift_of_leg(bool project, double *apart) {
  char text[1536];
  double most = 0;
  SceneRun run;
  snprintf(text, sizeof text,
           "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.2}], \"bodies\": "
           "[{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]}, {\"name\": \"a\", "
           "\"mass\": 1, \"inertia\": [0.1, 0.1, 0.01], \"position\": [0.5, 0, 0.8], \"velocity\": [0, 0.5, 0], "
           "\"angular_velocity\": [0, 0, 1]}, {\"name\": \"b\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.01], "
           "\"position\": [1.3, 0, 0.4], \"velocity\": [0, 1.3, 0], \"angular_velocity\": [0, 0, 1], \"shapes\": "
           "[{\"type\": \"sphere\", \"radius\": 0.1, \"position\": [0.3, 0, -0.3]}]}], \"joints\": [{\"type\": "
           "\"spherical\", \"bodies\": [\"floor\", \"a\"], \"point\": [0, 0, 0.8]}, {\"type\": \"revolute\", "
           "\"bodies\": [\"a\", \"b\"], \"point\": [1, 0, 0.8], \"axis\": [0, 1, 0]}], \"run\": {\"dt\": 0.005, "
           "\"until\": 0.5, \"project\": %s}}",
           project ? "true" : "false");
  scene_open_text(&run, text);
  *apart = 0;
  for (int i = 0; i < 40; i++) {
    AspStepInfo info;
    assert_ok(run.context, asp_world_step(run.world, &info));
    assert_int_equal(asp_world_contact_count(run.world), 1);
    assert_true(asp_world_contacts(run.world)->impulse[0] > 0);
    *apart = fmax(*apart, fabs(asp_world_contacts(run.world)->gap));
    most = fmax(most, info.joint_drift);
  }
  scene_close(&run);
  return most;
}

static void joints_are_closed_at_the_end_of_steps_in_which_contacts_carry(void **state) {
  (void)state;
  double apart, unprojected, drift = drift_of_leg(true, &apart);
  assert_true(drift < 1e-9 && apart < 1e-9);
  assert_true(drift_of_leg(false, &unprojected) > 1000 * drift);
  assert_true(unprojected > 1000 * apart);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotor_slows_down_by_the_weight_on_its_bearing),
      cmocka_unit_test(drawer_jams_iff_it_is_pulled_too_far_from_its_middle),
      cmocka_unit_test(guides_in_space_add_loads_as_vectors),
      cmocka_unit_test(overhung_wheel_loads_its_bearings_by_the_lever),
      cmocka_unit_test(load_friction_stands_beside_constant_friction_and_contacts),
      cmocka_unit_test(load_friction_acts_or_is_refused),
      cmocka_unit_test(prescribed_joint_follows_from_the_first_step_on),
      cmocka_unit_test(velocities_that_part_a_joint_are_told_and_mended),
      cmocka_unit_test(limit_returns_the_slider_with_its_restitution),
      cmocka_unit_test(redundant_hinges_share_the_load_equally),
      cmocka_unit_test(swinging_joints_are_closed_at_the_end_of_every_step),
      cmocka_unit_test(joints_are_closed_at_the_end_of_steps_in_which_contacts_carry),
      cmocka_unit_test(overlap_is_told_and_parted_at_the_speed_that_was_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
