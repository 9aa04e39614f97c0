/* Beams in whole scenes: vibration, pendulums, contact, joints with prescribed motion, in both
 * time-stepping schemes. */
#include "linalg/vec3.h"
#include "scene_runner.h"

#define STEEL "\"width\": 0.03, \"height\": 0.003, \"youngs_modulus\": 210e9, \"density\": 7850"

/* A soft cantilever (first mode 3.516 rad/s) that is let go under its weight; its first mode, seen at the tip. */
#define SOFT "\"mass_per_length\": 1, \"axial_stiffness\": 1e4, \"bending_stiffness\": 1"

static double total(const AspStepInfo *info) {
  return info->energy.kinetic + info->energy.gravitational + info->energy.elastic;
}

static void free_vibration_has_the_frequency_and_keeps_its_energy(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run,
                  "{\"dimension\": 2, \"gravity\": [0, -0.01], \"bodies\": [{\"fixed\": true, \"name\": \"wall\"}], "
                  "\"beams\": [{\"name\": \"rod\", \"length\": 1, " SOFT "}], \"joints\": [{\"type\": \"fixed\", "
                  "\"bodies\": [\"wall\", \"rod.start\"]}], \"run\": {\"dt\": 0.01, \"until\": 10}}");
  int tip = asp_model_find_body(run.scene.model, "rod.end"), turns = 0;
  double before = 0, last = 0, first = 0, lowest = 0, largest = 0, E0 = NAN, off = 0;
  while (scene_step(&run)) {
    double y = asp_state_pose(run.scene.model, asp_world_state(run.world), tip).position.y, rate = y - before;
    if (last < 0 && rate >= 0 && ++turns > 0) { // a lowest point
      first = turns == 1 ? run.info.t : first;
      lowest = run.info.t;
    }
    before = y;
    last = rate;
    if (isnan(E0))
      E0 = total(&run.info);
    off = fmax(off, fabs(total(&run.info) - E0));
    largest = fmax(largest, run.info.energy.elastic);
  }
  assert_int_equal(run.uncertified, 0);
  double frequency = 2 * 3.14159265358979 * (turns - 1) / (lowest - first);
  assert_near(frequency, 3.516, 0.01 * 3.516);
  assert_at_most(off, 0.02 * largest);
  scene_close(&run);
}

/* Ten seconds of swings by a quarter of the length: nothing is damped at rho_inf = 1, the error is of second order. */
static void generalized_alpha_keeps_the_energy_of_large_vibrations(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run, "{\"dimension\": 2, \"gravity\": [0, -1], \"bodies\": [{\"fixed\": true, \"name\": \"wall\"}], "
                        "\"beams\": [{\"name\": \"rod\", \"length\": 1, " SOFT "}], \"joints\": [{\"type\": \"fixed\", "
                        "\"bodies\": [\"wall\", \"rod.start\"]}], \"run\": {\"scheme\": \"generalized-alpha\", "
                        "\"rho_inf\": 1, \"dt\": 0.02, \"until\": 10}}");
  double off = 0, largest = 0, lowest = 0;
  while (scene_step(&run)) {
    off = fmax(off, fabs(total(&run.info)));
    largest = fmax(largest, run.info.energy.elastic);
    lowest = fmin(lowest, scene_position(&run, "rod.end").y);
  }
  assert_int_equal(run.uncertified, 0);
  assert_true(lowest < -0.2);
  assert_at_most(off, 3e-5 * largest);
  scene_close(&run);
}

/* With Kelvin-Voigt damping tau the first mode has the damping ratio w tau/2: energy falls by exp(-w^2 tau t); the
 * balance of every step counts it. */
static void material_damping_takes_what_the_balance_says(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run,
                  "{\"dimension\": 2, \"gravity\": [0, -0.01], \"bodies\": [{\"fixed\": true, \"name\": \"wall\"}], "
                  "\"beams\": [{\"name\": \"rod\", \"length\": 1, \"damping\": 0.05, " SOFT "}], \"joints\": "
                  "[{\"type\": \"fixed\", \"bodies\": [\"wall\", \"rod.start\"]}], \"run\": {\"dt\": 0.002, "
                  "\"until\": 40}}");
  double damped = 0, remainder = 0, E0 = 0, elastic = 0;
  AspEnergy initial = asp_model_energy(run.scene.model, asp_world_state(run.world));
  E0 = initial.kinetic + initial.gravitational + initial.elastic;
  while (scene_step(&run)) {
    damped += run.info.flow.damping;
    remainder += fabs(run.info.flow.remainder);
    elastic = run.info.energy.elastic;
  }
  // at rest: q L^4/(8 EI) at the tip, energy q^2 L^5/(40 EI) in the bend
  assert_near(
      asp_state_pose(run.scene.model, asp_world_state(run.world), asp_model_find_body(run.scene.model, "rod.end"))
          .position.y,
      -0.01 / 8, 2e-6);
  assert_near(elastic, 1e-4 / 40, 1e-9);
  assert_near(damped, E0 - total(&run.info), 0.02 * damped);
  assert_at_most(remainder, 0.05 * damped);
  scene_close(&run);
}

/* A blade that turns about its end with 20 rad/s swings as a rigid rod does (period of its energy), at a step over
 * which its stretching has 40 radians. */
static void stiff_blade_turns_without_gaining_or_losing_energy(void **state) {
  (void)state;
  for (int inextensible = 0; inextensible < 2; inextensible++) {
    char text[1024];
    SceneRun run;
    snprintf(text, sizeof text,
             "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"fixed\": true, \"name\": \"wall\"}], "
             "\"beams\": [{\"name\": \"blade\", \"length\": 0.2, \"angular_velocity\": 20, \"inextensible\": %s, " STEEL
             "}], \"joints\": [{\"type\": \"revolute\", \"bodies\": [\"wall\", \"blade.start\"], \"point\": [0, 0]}], "
             "\"run\": {\"dt\": 1e-3, \"until\": 0.5}}",
             inextensible ? "true" : "false");
    scene_open_text(&run, text);
    double m = 7850 * 0.03 * 0.003 * 0.2, E0 = 0.5 * m * 0.04 / 3 * 400, off = 0, angle = 0, rate = 20;
    while (scene_step(&run)) {
      off = fmax(off, fabs(total(&run.info) - E0));
      for (int k = 0; k < 100; k++) { // the rigid rod
        double h = 0.01 * run.info.dt; // a step may have been halved
        rate -= h * 1.5 * 9.81 / 0.2 * cos(angle);
        angle += h * rate;
      }
    }
    assert_int_equal(run.uncertified, 0);
    assert_at_most(off, 1e-3 * E0);
    AspVec3 tip = scene_position(&run, "blade.end");
    assert_near(tip.x, 0.2 * cos(angle), 1e-3);
    assert_near(tip.y, 0.2 * sin(angle), 1e-3);
    assert_near(norm3(tip), 0.2, inextensible ? 1e-6 : 1e-5);
    scene_close(&run);
  }
}

/* A blade falls on the floor in both schemes and comes to rest on it, every step certified. */
static void blade_comes_to_rest_on_the_floor(void **state) {
  (void)state;
  static const char *const schemes[] = {"moreau-jean", "stewart-trinkle"};
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int scheme = 0; scheme < 2; scheme++) {
      char text[1024];
      SceneRun run;
      bool plane = dimension == 2;
      snprintf(
          text, sizeof text,
          "{\"dimension\": %d, \"gravity\": [0, %s], \"materials\": [{\"pair\": [\"steel\", \"floor\"], "
          "\"friction\": 0.3}], \"bodies\": [{\"fixed\": true, \"name\": \"ground\", \"shapes\": [{\"type\": %s, "
          "\"material\": \"floor\"}]}], \"beams\": [{\"name\": \"blade\", \"length\": 0.2, \"position\": [0, %s], "
          "%s, \"contact\": {\"radius\": 0.0015, \"points\": 5, \"material\": \"steel\"}, \"damping\": 1e-5, " STEEL
          "}], \"run\": {\"scheme\": \"%s\", \"dt\": 5e-4, \"until\": 0.4, \"theta\": %s}}",
          dimension, plane ? "-9.81" : "0, -9.81", plane ? "\"half-plane\"" : "\"half-space\"",
          plane ? "0.05" : "0, 0.05",
          plane ? "\"angle\": 0.3" : "\"orientation\": {\"axis\": [0, -1, 0], \"angle\": 0.3}", schemes[scheme],
          scheme ? "0.5" : "1");
      scene_open_text(&run, text);
      scene_finish(&run);
      for (int end = 0; end < 2; end++) {
        AspVec3 x = scene_position(&run, end ? "blade.end" : "blade.start");
        assert_near(plane ? x.y : x.z, 0.0015, 2e-5);
      }
      assert_at_most(run.info.energy.kinetic, 1e-8);
      // the floor carries its weight
      AspVec3 force = {0, 0, 0};
      const AspContactRecord *contacts = asp_world_contacts(run.world);
      for (int i = 0; i < asp_world_contact_count(run.world); i++)
        force = add3(force, contacts[i].force);
      assert_near(plane ? force.y : force.z, 7850 * 0.03 * 0.003 * 0.2 * 9.81, 1e-3);
      scene_close(&run);
    }
}

/* The hopper's knee: a rod turned by a prescribed angle, and a beam whose clamp turns against the rod as prescribed.
 * The beam's end is where the two angles say, less a bend that the beam's own weight and motion make. */
static void beam_follows_a_prescribed_angle_at_its_clamp(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run, "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"rod\", \"mass\": 1.56, "
                        "\"inertia\": 0.0052, \"position\": [0.1, 0]}], \"beams\": [{\"name\": \"blade\", \"length\": "
                        "0.2, \"position\": [0.2, 0], " STEEL "}], \"joints\": [{\"name\": \"hip\", \"type\": "
                        "\"revolute\", \"bodies\": [\"world\", \"rod\"], \"point\": [0, 0], \"angle\": "
                        "\"0.15*(1 - cos(3*t))\"}, {\"name\": \"knee\", \"type\": \"revolute\", \"bodies\": [\"rod\", "
                        "\"blade.start\"], \"point\": [0.2, 0], \"angle\": \"0.5*(1 - cos(4*t))\"}], \"run\": {\"dt\": "
                        "1e-3, \"until\": 1}}");
  while (scene_step(&run)) {
    double t = run.info.t, hip = 0.15 * (1 - cos(3 * t)), knee = 0.5 * (1 - cos(4 * t));
    AspVec3 start = scene_position(&run, "blade.start"), end = scene_position(&run, "blade.end");
    AspPose clamp = asp_state_pose(run.scene.model, asp_world_state(run.world),
                                   asp_model_find_body(run.scene.model, "blade.start"));
    assert_near(start.x, 0.2 * cos(hip), 1e-7);
    assert_near(start.y, 0.2 * sin(hip), 1e-7);
    assert_near(2 * atan2(clamp.orientation.z, clamp.orientation.w), hip + knee, 1e-7);
    assert_near(end.x, start.x + 0.2 * cos(hip + knee), 1e-3);
    assert_near(end.y, start.y + 0.2 * sin(hip + knee), 1e-3);
  }
  assert_int_equal(run.uncertified, 0);
  assert_near(scene_joint(&run, "knee")->coordinate, 0.5 * (1 - cos(4.0)), 1e-7);
  scene_close(&run);
}

/* A blade clamped at its start beside a cylinder is pressed on it by a load at its end: it bends round the cylinder and
 * lies on it along a part of its length. The end's position; wrapped: the length that lies on it, m. */
static AspVec3 press(int elements, int points, double *wrapped) {
  char text[1400];
  SceneRun run;
  snprintf(
      text, sizeof text,
      "{\"dimension\": 2, \"materials\": [{\"pair\": [\"steel\", \"steel\"], \"friction\": 0}], \"bodies\": "
      "[{\"fixed\": true, \"name\": \"roller\", \"position\": [0.05, -0.1], \"shapes\": [{\"type\": \"disk\", "
      "\"radius\": 0.0995, \"material\": \"steel\"}]}], \"beams\": [{\"name\": \"blade\", \"length\": 0.2, "
      "\"elements\": %d, \"bending_stiffness\": 0.05, \"axial_stiffness\": 1e5, \"mass_per_length\": 0.5, "
      "\"damping\": 0.05, \"contact\": {\"radius\": 0.0005, \"points\": %d, \"material\": \"steel\"}}], \"joints\": "
      "[{\"type\": \"fixed\", \"bodies\": [\"world\", \"blade.start\"]}], \"forces\": [{\"type\": \"force\", "
      "\"body\": \"blade.end\", \"force\": [0, \"-20*smoothstep(t, 0, 0.5)\"]}], \"run\": {\"dt\": 5e-3, "
      "\"until\": 1.5, \"scheme\": \"stewart-trinkle\"}}",
      elements, points);
  scene_open_text(&run, text);
  scene_finish(&run);
  assert_at_most(run.info.penetration, 1e-8);
  assert_at_most(run.info.energy.kinetic, 1e-7);
  *wrapped = 0;
  for (int i = 0; i < points; i++) {
    char name[32];
    snprintf(name, sizeof name, "blade.%d", i);
    double gap = norm3(sub3(scene_position(&run, name), vec3(0.05, -0.1, 0))) - 0.1;
    assert_true(gap > -1e-8);
    *wrapped += gap < 5e-5 ? 0.2 / (points - 1) : 0;
  }
  AspVec3 end = scene_position(&run, "blade.end");
  scene_close(&run);
  return end;
}

static void blade_lies_on_a_cylinder_as_a_finer_mesh_has_it(void **state) {
  (void)state;
  double wrapped[3];
  AspVec3 end[3] = {press(6, 33, &wrapped[0]), press(8, 33, &wrapped[1]), press(16, 65, &wrapped[2])};
  for (int k = 0; k < 3; k++)
    print_message("%d elements: end (%.6f, %.6f), %.4f m lie on it\n", k == 0 ? 6 : 4 << k, end[k].x, end[k].y,
                  wrapped[k]);
  assert_near(wrapped[1], wrapped[2], 0.02);
  assert_true(wrapped[2] > 0.06);
  assert_at_most(norm3(sub3(end[0], end[2])), 0.01 * 0.2);
  assert_at_most(norm3(sub3(end[1], end[2])), 0.003 * 0.2);
}

/* The rod in space and the beam in the plane are the same cantilever. */
static void rod_in_space_bends_like_the_beam_in_the_plane(void **state) {
  (void)state;
  AspVec3 tip[2];
  for (int dimension = 2; dimension <= 3; dimension++) {
    char text[1024];
    SceneRun run;
    bool plane = dimension == 2;
    snprintf(text, sizeof text,
             "{\"dimension\": %d, \"gravity\": [0, -9.81%s], \"bodies\": [{\"fixed\": true, \"name\": \"wall\"}], "
             "\"beams\": [{\"name\": \"rod\", \"length\": 1, \"elements\": %d, \"radius\": 0.01, \"youngs_modulus\": "
             "2e8, \"density\": 1200, \"damping\": 0.1}], \"joints\": [{\"type\": \"fixed\", \"bodies\": [\"wall\", "
             "\"rod.start\"]}], \"run\": {\"dt\": 0.01, \"until\": 10, \"theta\": 1}}",
             dimension, plane ? "" : ", 0", plane ? 4 : 20);
    scene_open_text(&run, text);
    scene_finish(&run);
    tip[dimension - 2] = scene_position(&run, "rod.end");
    assert_at_most(run.info.energy.kinetic, 1e-9);
    scene_close(&run);
  }
  assert_near(tip[1].z, 0, 1e-12);
  assert_true(tip[0].y < -0.2);
  assert_near(norm3(sub3(tip[0], tip[1])), 0, 2e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_vibration_has_the_frequency_and_keeps_its_energy),
      cmocka_unit_test(generalized_alpha_keeps_the_energy_of_large_vibrations),
      cmocka_unit_test(material_damping_takes_what_the_balance_says),
      cmocka_unit_test(stiff_blade_turns_without_gaining_or_losing_energy),
      cmocka_unit_test(blade_comes_to_rest_on_the_floor),
      cmocka_unit_test(beam_follows_a_prescribed_angle_at_its_clamp),
      cmocka_unit_test(blade_lies_on_a_cylinder_as_a_finer_mesh_has_it),
      cmocka_unit_test(rod_in_space_bends_like_the_beam_in_the_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
