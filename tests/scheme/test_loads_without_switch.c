/* Contacts and limits under loads that no force of the scene shows, pressed through joints, motors and moving surfaces:
 * they carry in every step, with the load of the closed form, and nothing passes them. Moreau-Jean, at several steps,
 * in the plane and in space. */
#include "linalg/vec3.h"
#include "world/scene_runner.h"

/* Normal forces of all contacts together, N. */
static double pressed(const SceneRun *run) {
  double sum = 0;
  int count = asp_world_contact_count(run->world);
  const AspContactRecord *contacts = asp_world_contacts(run->world);
  for (int i = 0; i < count; i++)
    sum += contacts[i].impulse[0] / run->info.dt;
  return sum;
}

/* An arm driven by 10 N m onto its limit at 0.3 rad, in the plane and about an oblique axis in space. */
static void motor_rests_on_its_limit_with_its_effort(void **state) {
  (void)state;
  static const char *const head[] = {
      "{\"dimension\": 2, \"gravity\": [0, 0], \"bodies\": [{\"name\": \"arm\", \"mass\": 1, \"inertia\": 0.1, "
      "\"position\": [0.5, 0]}], \"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"world\", "
      "\"arm\"], "
      "\"point\": [0, 0], ",
      "{\"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"arm\", \"mass\": 1, \"inertia\": [0.1, 0.2, 0.25], "
      "\"position\": [0.5, 0, 0]}], \"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"world\", "
      "\"arm\"], \"point\": [0, 0, 0], \"axis\": [0.2, 0.3, 1], "};
  const double steps[] = {0.01, 0.005, 0.001}, restitution[] = {0, 0.5};
  for (int i = 0; i < 12; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "%s\"limits\": [-1, 0.3], \"limit_restitution\": %g, \"motor\": {\"velocity\": 3, \"effort\": 10}}], "
             "\"run\": {\"dt\": %g, \"until\": 1, \"tolerance\": 1e-10}}",
             head[i % 2], restitution[i / 6], steps[i / 2 % 3]);
    SceneRun run;
    scene_open_text(&run, text);
    while (scene_step(&run)) {
      const AspJointRecord *joint = scene_joint(&run, "A");
      // in space the way is curved; what bounces is not stopped before it is met: half of effort / inertia dt^2
      double over = restitution[i / 6] > 0 ? 0.5 * 10 / 0.35 : 9;
      assert_at_most(joint->coordinate, 0.3 + 1e-6 + over * run.info.dt * run.info.dt);
      if (run.info.t > 0.9)
        assert_near(joint->limit, -10, 1e-2);
    }
    assert_int_equal(run.uncertified, 0);
    scene_close(&run);
  }
}

/* A carriage of two bodies that 50 N drive against its limit at 0.1 m. */
static void limits_are_not_passed_at_any_step(void **state) {
  (void)state;
  const double steps[] = {0.02, 0.01, 0.003};
  for (int i = 0; i < 3; i++) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"dimension\": 2, \"gravity\": [0, 0], \"bodies\": [{\"name\": \"a\", \"mass\": 0.1, \"inertia\": 0.001, "
        "\"position\": [0.5, 0]}, {\"name\": \"b\", \"mass\": 0.1, \"inertia\": 0.001, \"position\": [1, 0]}], "
        "\"joints\": [{\"name\": \"guide\", \"type\": \"prismatic\", \"bodies\": [\"world\", \"a\"], \"point\": "
        "[0.5, 0], \"axis\": [1, 0], \"limits\": [-1, 0.1]}, {\"type\": \"fixed\", \"bodies\": [\"a\", \"b\"], "
        "\"point\": [0.75, 0]}], \"forces\": [{\"type\": \"force\", \"body\": \"b\", \"force\": [50, 0]}], "
        "\"run\": {\"dt\": %g, \"until\": 0.5}}",
        steps[i]);
    SceneRun run;
    scene_open_text(&run, text);
    while (scene_step(&run))
      assert_at_most(scene_joint(&run, "guide")->coordinate, 0.1 + 1e-6);
    assert_near(scene_joint(&run, "guide")->coordinate, 0.1, 1e-6);
    assert_near(scene_joint(&run, "guide")->limit, -50, 0.05);
    scene_close(&run);
  }
}

/* Eccentric a = 8 mm at 146.6 rad/s under a flat follower of 0.3 kg: lift y = a sin(w t), and the force of the cam is
 * m (g + y'') + k (y + l) + c y', with the spring's length at the start 30 mm longer than its rest, never below zero. */
static void follower_keeps_to_its_cam(void **state) {
  (void)state;
  const double a = 0.008, w = 146.60765716333333, steps[] = {2e-4, 1e-4};
  double error[2] = {0};
  for (int i = 0; i < 2; i++) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"dimension\": 2, \"gravity\": [0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0}], "
        "\"bodies\": [{\"name\": \"cam\", \"motion\": {\"position\": [0, 0], \"rotation\": \"%.17g*t\"}, \"shapes\": "
        "[{\"type\": \"disk\", \"radius\": 0.025, \"position\": [0.008, 0]}]}, {\"name\": \"follower\", \"mass\": "
        "0.3, \"position\": [0, 0.035], \"shapes\": [{\"type\": \"box\", \"size\": [0.06, 0.02]}]}], \"joints\": "
        "[{\"type\": \"prismatic\", \"bodies\": [\"world\", \"follower\"], \"axis\": [0, 1], \"spring\": "
        "{\"stiffness\": 2000, \"damping\": 2, \"rest\": -0.03}}], \"run\": {\"dt\": %g, \"until\": 0.1}}",
        w, steps[i]);
    SceneRun run;
    scene_open_text(&run, text);
    while (scene_step(&run)) {
      if (run.info.t < 0.01)
        continue; // it starts at rest on a cam that turns
      double t = run.info.t - 0.5 * steps[i], y = a * sin(w * t), y1 = a * w * cos(w * t), y2 = -w * w * y;
      error[i] = fmax(error[i], fabs(pressed(&run) - (0.3 * (9.81 + y2) + 2000 * (y + 0.03) + 2 * y1)));
    }
    scene_close(&run);
  }
  assert_at_most(error[0], 0.2); // of forces between 27 N and 99 N
  assert_at_most(error[1], 0.6 * error[0]);
}

/* 1000 N on a body that holds another one 1 micrometre above the floor: the floor is found in the same step. */
static void floor_holds_what_is_pressed_through_a_joint(void **state) {
  (void)state;
  const double steps[] = {0.01, 0.002};
  for (int i = 0; i < 2; i++) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"dimension\": 2, \"gravity\": [0, 0], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.3}], "
        "\"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-plane\"}]}, {\"name\": "
        "\"a\", \"mass\": 1, \"inertia\": 1, \"position\": [0, 1e-06], \"shapes\": [{\"type\": \"point\"}]}, "
        "{\"name\": \"c\", \"mass\": 1, \"inertia\": 1, \"position\": [0, 1]}], \"joints\": [{\"type\": \"distance\", "
        "\"bodies\": [\"a\", \"c\"], \"point\": [0, 1e-06], \"point_b\": [0, 1]}], \"forces\": [{\"type\": \"force\", "
        "\"body\": \"c\", \"force\": [0, -1000]}], \"run\": {\"dt\": %g, \"until\": 0.05}}",
        steps[i]);
    SceneRun run;
    scene_open_text(&run, text);
    while (scene_step(&run))
      assert_true(scene_position(&run, "a").y > -1e-6);
    assert_near(pressed(&run), 1000, 1);
    assert_int_equal(run.uncertified, 0);
    scene_close(&run);
  }
}

/* A block between two jaws without gravity, one driven with 20 N; 18 N pull at it, 90 % of what friction holds. */
static void gripped_block_stays_below_the_limit_of_friction(void **state) {
  (void)state;
  const double steps[] = {0.01, 0.005, 0.002};
  for (int i = 0; i < 3; i++) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "{\"gravity\": [0, 0, 0], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.5}], \"bodies\": ["
        "{\"name\": \"L\", \"mass\": 0.2, \"position\": [-0.2, 0, 0], \"shapes\": [{\"type\": \"box\", \"size\": [0.2, "
        "0.2, 0.2]}]}, {\"name\": \"R\", \"mass\": 0.2, \"position\": [0.2, 0, 0], \"shapes\": [{\"type\": \"box\", "
        "\"size\": [0.2, 0.2, 0.2]}]}, {\"name\": \"o\", \"mass\": 0.3, \"shapes\": [{\"type\": \"box\", \"size\": "
        "[0.2, 0.1, 0.1]}]}], \"joints\": [{\"type\": \"prismatic\", \"bodies\": [\"world\", \"L\"], \"point\": [-0.2, "
        "0, 0], \"axis\": [1, 0, 0], \"motor\": {\"velocity\": 0.1, \"effort\": 20}}, {\"type\": \"prismatic\", "
        "\"bodies\": [\"world\", \"R\"], \"point\": [0.2, 0, 0], \"axis\": [-1, 0, 0], \"displacement\": 0}], "
        "\"forces\": [{\"type\": \"force\", \"body\": \"o\", \"force\": [0, 0, -18]}], \"run\": {\"dt\": %g, "
        "\"until\": 0.2}}",
        steps[i]);
    SceneRun run;
    scene_open_text(&run, text);
    scene_finish(&run);
    assert_near(scene_position(&run, "o").z, 0, 1e-8);
    scene_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(motor_rests_on_its_limit_with_its_effort),
      cmocka_unit_test(limits_are_not_passed_at_any_step),
      cmocka_unit_test(follower_keeps_to_its_cam),
      cmocka_unit_test(floor_holds_what_is_pressed_through_a_joint),
      cmocka_unit_test(gripped_block_stays_below_the_limit_of_friction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
