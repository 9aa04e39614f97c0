/* Beams in whole scenes: vibration, pendulums, contact, joints with prescribed motion, in both time-stepping schemes.
 */
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

/* The guided hopper with the element of an earlier implementation, plain strain and two Gauss points: what the foot
 * gives to the ground in the first contact, and where body and foot are, were computed independently of this code. */
static void hopper_with_the_plain_element_meets_the_known_values(void **state) {
  (void)state;
  static const struct {
    double t, y, rate, x, height;
  } known[] = {{0.05, 0.29346411869, -0.46264046396, 1.0218731e-06, 0.05157479309},
               {0.12, 0.24113773593, -0.67293551275, -0.01564417008, 0},
               {0.15, 0.24001310998, 0.67952539373, -0.02316446024, 0},
               {0.18, 0.27777688505, 1.66613725373, -0.01007263615, 0},
               {0.20, 0.31065825938, 1.54302478530, -0.00228906292, 0.01670691772}};
  SceneRun run;
  double normal = 0, friction = 0, begin = 0, end = 0, turn = 0;
  scene_open_changed(&run, "gallery/guided-hopper", "\"elements\": 4,",
                     "\"elements\": 4, \"gauss_points\": 2, \"axial_strain\": \"plain\",");
  for (size_t k = 0; k < sizeof known / sizeof known[0] && scene_step(&run);) {
    for (int i = 0; i < asp_world_contact_count(run.world); i++) {
      const double *P = asp_world_contacts(run.world)[i].impulse;
      normal += P[0];
      friction += P[1];
      end = P[0] > 0 ? run.info.t : end;
      begin = begin == 0 ? end : begin;
      turn = turn == 0 && run.info.t > 0.13 && P[1] < -0.0999 * P[0] && P[0] > 0 ? run.info.t : turn;
    }
    if (fabs(run.info.t - known[k].t) > 1e-9)
      continue;
    AspVec3 foot = scene_position(&run, "foot");
    assert_near(scene_position(&run, "main").y, known[k].y, 1e-6);
    assert_near(asp_state_velocity(run.scene.model, asp_world_state(run.world), scene_body(&run, "main")).y,
                known[k].rate, 1e-4);
    assert_near(foot.x, known[k].x, 2e-6);
    assert_near(foot.y, known[k].height, 2e-6);
    k++;
  }
  assert_int_equal(run.uncertified, 0);
  assert_near(begin, 0.1, 1e-9);
  assert_near(end, 0.19, 1e-9);
  assert_near(turn, 0.15, 0.005);
  assert_near(normal, 16.410178, 2e-4);
  assert_near(friction, 0.177120, 2e-3);
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
/* A steel blade whose axial modes no step resolves, let go under a load of `gravity`: largest gain and loss of energy
 * over its largest elastic energy. */
static void swing_steel(double gravity, double rho_inf, double until, double *gain, double *loss) {
  char text[512];
  SceneRun run;
  double largest = 0;
  snprintf(text, sizeof text,
           "{\"dimension\": 2, \"gravity\": [0, -%g], \"bodies\": [{\"fixed\": true, \"name\": \"wall\"}], \"beams\": "
           "[{\"name\": \"blade\", \"length\": 0.2, " STEEL "}], \"joints\": [{\"type\": \"fixed\", \"bodies\": "
           "[\"wall\", \"blade.start\"]}], \"run\": {\"scheme\": \"generalized-alpha\", \"rho_inf\": %g, \"dt\": 1e-3, "
           "\"until\": %g}}",
           gravity, rho_inf, until);
  scene_open_text(&run, text);
  *gain = *loss = 0;
  while (scene_step(&run)) {
    *gain = fmax(*gain, total(&run.info));
    *loss = fmax(*loss, -total(&run.info));
    largest = fmax(largest, run.info.energy.elastic);
  }
  assert_int_equal(run.uncertified, 0);
  *gain /= largest;
  *loss /= largest;
  scene_close(&run);
}

static void generalized_alpha_keeps_the_energy_of_a_steel_blade(void **state) {
  (void)state;
  double gain, loss;
  swing_steel(200, 1, 0.5, &gain, &loss);
  assert_at_most(gain, 5e-5);
  assert_at_most(loss, 5e-5);
  swing_steel(1000, 0.95, 0.25, &gain, &loss);
  assert_at_most(gain, 1e-4);
  assert_at_most(loss, 1e-3);
}

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
        rate -= 1e-5 * 1.5 * 9.81 / 0.2 * cos(angle);
        angle += 1e-5 * rate;
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

/* Matrices are bands with unknowns of their own: five hundred elements move as few do, held or stretching, in the
 * plane and in space. */
static void many_elements_move_as_few_do(void **state) {
  (void)state;
  for (int c = 0; c < 4; c++) {
    double low[2];
    bool space = c & 1, inextensible = c & 2, trinkle = c == 2;
    for (int fine = 0; fine < 2; fine++) {
      char text[1024];
      SceneRun run;
      snprintf(
          text, sizeof text,
          "{\"dimension\": %d, \"gravity\": %s, \"bodies\": [{\"fixed\": true, \"name\": \"wall\"}], "
          "\"beams\": [{\"name\": \"blade\", \"length\": 1, \"elements\": %d, \"inextensible\": %s, \"width\": "
          "0.03, \"height\": 0.03, \"youngs_modulus\": 1e6, \"density\": 1000}], \"joints\": [{\"type\": \"fixed\", "
          "\"bodies\": [\"wall\", \"blade.start\"]}], \"run\": {\"dt\": 0.02, \"until\": 0.16, \"scheme\": \"%s\"}}",
          space ? 3 : 2, space ? "[0, -9.81, 0]" : "[0, -9.81]",
          fine    ? 512
          : space ? 64
                  : 16,
          inextensible ? "true" : "false", trinkle ? "stewart-trinkle" : "moreau-jean");
      scene_open_text(&run, text);
      while (scene_step(&run)) {
      }
      assert_int_equal(run.uncertified, 0);
      low[fine] = scene_position(&run, "blade.end").y;
      scene_close(&run);
    }
    assert_true(low[0] < -0.1);
    assert_near(low[1], low[0], 3e-4);
  }
}

/* A scene of beams alone, in every scheme that knows them: it falls freely. */
static void beam_without_bodies_falls(void **state) {
  (void)state;
  static const char *const schemes[] = {"moreau-jean", "stewart-trinkle", "generalized-alpha"};
  for (int c = 0; c < 6; c++) {
    char text[512];
    SceneRun run;
    snprintf(
        text, sizeof text,
        "{\"dimension\": %d, \"gravity\": %s, \"beams\": [{\"name\": \"rod\", \"length\": 1, \"radius\": 0.01, "
        "\"youngs_modulus\": 1e8, \"density\": 1000}], \"run\": {\"dt\": 0.01, \"until\": 0.5, \"scheme\": \"%s\"}}",
        2 + c % 2, c % 2 ? "[0, -10, 0]" : "[0, -10]", schemes[c / 2]);
    scene_open_text(&run, text);
    while (scene_step(&run)) {
    }
    assert_int_equal(run.uncertified, 0);
    assert_near(scene_position(&run, "rod.end").x, 1, 1e-9);
    assert_near(scene_position(&run, "rod.end").y, -1.25, c / 2 == 1 ? 0.026 : 1e-9); // Euler's steps: g t dt/2
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
      cmocka_unit_test(hopper_with_the_plain_element_meets_the_known_values),
      cmocka_unit_test(generalized_alpha_keeps_the_energy_of_large_vibrations),
      cmocka_unit_test(generalized_alpha_keeps_the_energy_of_a_steel_blade),
      cmocka_unit_test(material_damping_takes_what_the_balance_says),
      cmocka_unit_test(stiff_blade_turns_without_gaining_or_losing_energy),
      cmocka_unit_test(many_elements_move_as_few_do),
      cmocka_unit_test(beam_without_bodies_falls),
      cmocka_unit_test(blade_comes_to_rest_on_the_floor),
      cmocka_unit_test(beam_follows_a_prescribed_angle_at_its_clamp),
      cmocka_unit_test(blade_lies_on_a_cylinder_as_a_finer_mesh_has_it),
      cmocka_unit_test(rod_in_space_bends_like_the_beam_in_the_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
