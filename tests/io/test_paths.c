/* Tendons of scenes against closed forms in every scheme: ropes over drums, around a pole, behind pulleys, with springs
 * and efforts; couplings by polynomials; mistakes by name. */
#include "live.h"

static const char *const schemes[] = {"moreau-jean", "stewart-trinkle", "event-driven", "compliant",
                                      "generalized-alpha"};
#define SCHEMES     (sizeof schemes / sizeof *schemes)
#define WITH_SERVOS 4

static double coordinate_of(const Live *live, int joint) { return asp_world_joints(live->world)[joint].coordinate; }

static Live start_in(const char *scheme, double dt, const char *scene) {
  char text[4096];
  snprintf(text, sizeof text, "{%s, 'run': {'scheme': '%s', 'dt': %g}}", scene, scheme, dt);
  return start(text);
}

/* Two weights on a rope over a fixed drum: a = g (m1 - m2)/(m1 + m2). */
static void two_weights_over_a_drum_fall_like_atwoods(void **state) {
  (void)state;
  for (size_t i = 0; i < SCHEMES; i++) {
    Live live = start_in(
        schemes[i], 0.01,
        "'gravity': [0, 0, -10], 'bodies': [{'name': 'a', 'mass': 3, 'inertia': [1, 1, 1], 'position': [-0.5, 0, -2]}, "
        "{'name': 'b', 'mass': 2, 'inertia': [1, 1, 1], 'position': [0.5, 0, -2]}], 'joints': ["
        "{'name': 'left', 'type': 'prismatic', 'bodies': ['world', 'a'], 'axis': [0, 0, 1]}, "
        "{'name': 'right', 'type': 'prismatic', 'bodies': ['world', 'b'], 'axis': [0, 0, 1]}, "
        "{'name': 'rope', 'type': 'tendon', 'path': [{'body': 'a', 'point': [-0.5, 0, -2]}, "
        "{'body': 'world', 'around': 'cylinder', 'point': [0, 0, 0], 'axis': [0, 1, 0], 'radius': 0.5, "
        "'side': [0, 0, 1]}, {'body': 'b', 'point': [0.5, 0, -2]}]}]");
    run_to(&live, 0.5);
    double fall = 0.5 * 2 * 0.25, length = 4 + 0.5 * 3.14159265358979;
    assert_near(position_of(&live, "a").z, -2 - fall, i == 1 ? 0.01 : 1e-6);
    assert_near(position_of(&live, "b").z, -2 + fall, i == 1 ? 0.01 : 1e-6);
    assert_near(coordinate_of(&live, 2), length, 1e-6);
    end(&live);
  }
}

/* A puck on a rope that winds up on a pole of radius R: the speed stays, the free length l falls as l^2 = l0^2 - 2 R v t
 * (an involute). The rope leaves the pole at the angle phi. */
static void a_puck_winds_itself_up_on_a_pole(void **state) {
  (void)state;
  double R = 0.5, l0 = 1.5, v = 1, phi = 1.2;
  for (size_t i = 0; i < SCHEMES; i++) {
    char text[2048];
    double x = R * cos(phi) + l0 * sin(phi), y = R * sin(phi) - l0 * cos(phi);
    snprintf(text, sizeof text,
             "'dimension': 2, 'bodies': [{'name': 'puck', 'mass': 2, 'inertia': 1, 'position': [%.17g, %.17g], "
             "'velocity': [%.17g, %.17g]}], 'joints': [{'type': 'tendon', 'path': [{'body': 'world', 'point': [-2, "
             "0.5]}, {'body': 'world', 'around': 'sphere', 'point': [0, 0], 'radius': 0.5, 'side': [0, 1]}, "
             "{'body': 'puck', 'point': [%.17g, %.17g]}]}]",
             x, y, -v * cos(phi), -v * sin(phi), x, y);
    Live live = start_in(schemes[i], 0.002, text);
    run_to(&live, 1);
    AspVec3 at = position_of(&live, "puck"), w = velocity_of(&live, "puck");
    double l = sqrt(l0 * l0 - 2 * R * v), p = sqrt(at.x * at.x + at.y * at.y);
    double allowed = i == 1 ? 5e-3 : i == 2 || i == 4 ? 1e-5 : 1e-4;
    assert_near(sqrt(p * p - R * R), l, allowed);
    assert_near(sqrt(w.x * w.x + w.y * w.y), v, allowed);
    end(&live);
  }
}

/* A weight below a loose pulley: the rope's end on the other side moves twice as far. L = z_a + z_b / (1/2). */
static void a_loose_pulley_halves_the_way(void **state) {
  (void)state;
  for (size_t i = 0; i < SCHEMES; i++) {
    Live live = start_in(
        schemes[i], 0.01,
        "'dimension': 2, 'gravity': [0, -10], 'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1, 'position': [0, -2]}, "
        "{'name': 'b', 'mass': 5, 'inertia': 1, 'position': [1, -3]}], 'joints': ["
        "{'type': 'prismatic', 'bodies': ['world', 'a'], 'axis': [0, 1]}, "
        "{'type': 'prismatic', 'bodies': ['world', 'b'], 'axis': [0, 1]}, "
        "{'type': 'tendon', 'path': [{'body': 'world', 'point': [0, 0]}, {'body': 'a', 'point': [0, -2]}, "
        "{'body': 'world', 'point': [1, 0], 'branch': 0.5}, {'body': 'b', 'point': [1, -3]}]}]");
    run_to(&live, 0.5);
    double a = 10 * (5 - 2 * 1) / (5 + 4.0 * 1); // 5 b'' = 50 - 2 T, a'' = -2 b'', a'' = 10 - T downwards
    assert_near(position_of(&live, "b").y, -3 - 0.5 * a * 0.25, i == 1 ? 0.05 : 1e-6);
    assert_near(position_of(&live, "a").y, -2 + a * 0.25, i == 1 ? 0.1 : 1e-6);
    end(&live);
  }
}

/* An effort along the rope turns a drum that it winds on: torque = force times radius, as long as it is on the drum. */
static void an_effort_on_a_rope_turns_its_drum(void **state) {
  (void)state;
  for (size_t i = 0; i < SCHEMES; i++) {
    Live live = start_in(schemes[i], 0.01,
                         "'dimension': 2, 'bodies': [{'name': 'drum', 'mass': 1, 'inertia': 0.25}], 'joints': ["
                         "{'type': 'revolute', 'bodies': ['world', 'drum'], 'point': [0, 0]}, {'type': 'tendon', "
                         "'effort': -1, 'path': [{'body': 'world', 'point': [-3, 0.5]}, {'body': 'drum', 'around': "
                         "'sphere', 'point': [0, 0], 'radius': 0.5, 'side': [0, 1]}, {'body': 'drum', 'point': [0, "
                         "-0.6]}]}]");
    run_to(&live, 0.5); // the rope over the top pulls it against the clock: 0.25 q'' = 0.5
    assert_near(coordinate_of(&live, 0), 0.5 * 2 * 0.25, i == 1 ? 0.02 : 1e-6);
    end(&live);
  }
}

/* A spring on the length swings as one between its two ends does. */
static void a_spring_on_a_rope_is_a_spring(void **state) {
  (void)state;
  for (size_t i = 0; i < WITH_SERVOS; i++) {
    Live live = start_in(schemes[i], 0.002,
                         "'dimension': 2, 'bodies': [{'name': 'a', 'mass': 2, 'inertia': 1, 'position': [1, 0]}], "
                         "'joints': [{'type': 'prismatic', 'bodies': ['world', 'a'], 'axis': [1, 0]}, {'type': "
                         "'tendon', 'spring': {'stiffness': 8, 'rest': 0.8}, 'path': [{'body': 'world', 'point': [0, "
                         "0]}, {'body': 'a', 'point': [1, 0]}]}]");
    run_to(&live, 1);
    assert_near(position_of(&live, "a").x, 0.8 + 0.2 * cos(2), i == 1 ? 5e-3 : 1e-5);
    end(&live);
  }
  AspContext *context = asp_context_create(NULL);
  AspScene scene;
  assert_int_equal(read_quoted(context,
                               "{'dimension': 2, 'bodies': [{'name': 'a', 'mass': 2, 'inertia': 1, 'position': [1, "
                               "0]}], 'joints': [{'name': 'rope', 'type': 'tendon', 'spring': {'stiffness': 8}, "
                               "'path': [{'body': 'world', 'point': [0, 0]}, {'body': 'a', 'point': [1, 0]}]}], 'run': "
                               "{'scheme': 'generalized-alpha', 'dt': 0.01}}",
                               &scene),
                   ASP_OK);
  AspWorld *world;
  assert_int_not_equal(asp_world_create(context, scene.model, &scene.run, &world), ASP_OK);
  assert_non_null(strstr(asp_context_message(context), "joint rope: a spring or servo of a tendon"));
  asp_scene_destroy(context, &scene);
  asp_context_destroy(context);
}

/* A rope that may hang loose: it stops what falls at its length. */
static void a_rope_with_a_limit_stops_a_fall(void **state) {
  (void)state;
  Live live = start_in("moreau-jean", 0.01,
                       "'gravity': [0, 0, -10], 'bodies': [{'name': 'a', 'mass': 2, 'inertia': [1, 1, 1], 'position': "
                       "[0, 0, -1]}], 'joints': [{'type': 'tendon', 'limits': [null, 1.5], 'path': [{'body': 'world', "
                       "'point': [0, 0, 0]}, {'body': 'a', 'point': [0, 0, -1]}]}]");
  run_to(&live, 2);
  assert_near(position_of(&live, "a").z, -1.5, 1e-6);
  assert_near(velocity_of(&live, "a").z, 0, 1e-9);
  end(&live);
}

/* b = 0.3 a + 0.5 a^2 - 0.2 a^3 + 0.1 a^4, a turns at 1 rad/s to 1 rad. */
static void a_polynomial_couples_two_joints(void **state) {
  (void)state;
  for (size_t i = 0; i < SCHEMES; i++) {
    Live live = start_in(
        schemes[i], 0.005,
        "'dimension': 2, 'bodies': [{'name': 'A', 'mass': 1, 'inertia': 0.2}, {'name': 'B', 'mass': 1, 'inertia': 0.5, "
        "'position': [1, 0]}], 'joints': [{'name': 'a', 'type': 'revolute', 'bodies': ['world', 'A'], 'point': [0, 0], "
        "'angle': 't'}, {'name': 'b', 'type': 'revolute', 'bodies': ['world', 'B'], 'point': [1, 0]}, {'type': "
        "'coupling', 'joints': ['b', 'a'], 'factors': [1, [-0.3, -0.5, 0.2, -0.1]]}]");
    run_to(&live, 1);
    assert_near(coordinate_of(&live, 1), 0.3 + 0.5 - 0.2 + 0.1, i == 1 ? 5e-3 : 1e-4);
    assert_near(asp_world_joints(live.world)[1].rate, 0.3 + 1 - 0.6 + 0.4, i == 1 ? 2e-2 : 2e-3);
    end(&live);
  }
}

static void mistakes_are_named(void **state) {
  (void)state;
  const Wrong wrong[] = {
      {"{'body': 'world', 'point': [0, 0, 0]}", "/joints/0/path: 1 elements; a tendon has 2 to 64"},
      {"{'body': 'wrold', 'point': [0, 0, 0]}, {'body': 'a', 'point': [0, 0, 1]}", "/joints/0/path/0/body"},
      {"{'body': 'world'}, {'body': 'a', 'point': [0, 0, 1]}", "/joints/0/path/0/point: missing"},
      {"{'body': 'world', 'point': [0, 0, 0]}, {'body': 'a', 'around': 'cone', 'point': [0, 0, 1]}",
       "/joints/0/path/1/around: 'cone' is not one of"},
      {"{'body': 'world', 'point': [0, 0, 0]}, {'body': 'a', 'around': 'sphere', 'point': [0, 0, 1]}, {'body': 'a', "
       "'point': [0, 0, 2]}",
       "/joints/0/path/1/radius: missing"},
      {"{'body': 'world', 'point': [0, 0, 0]}, {'body': 'a', 'around': 'sphere', 'radius': 0.1, 'side': [0, 0, 1], "
       "'point': [0, 0, 1]}, {'body': 'a', 'point': [0, 0, 2]}",
       "side: 0 m from the axis or centre, within the radius 0.1"},
      {"{'body': 'world', 'point': [0, 0, 0], 'branch': -1}, {'body': 'a', 'point': [0, 0, 1]}",
       "/joints/0/path/0/branch: -1 is not > 0"},
      {"{'body': 'world', 'point': [0, 0, 0]}, {'body': 'a', 'point': [0, 0, 1], 'radius': 2}",
       "/joints/0/path/1/radius: type 'point' has no such key"},
  };
  assert_refused("{'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, 1]}], 'joints': [{'type': 'tendon', 'path': "
                 "[%s]}], 'run': {'dt': 0.01}}",
                 wrong, sizeof wrong / sizeof *wrong);
  const Wrong couplings[] = {{"[1, []]", "/joints/1/factors/1: expected 1 to 4 coefficients"},
                             {"[1, [1, 2, 3, 4, 5]]", "/joints/1/factors/1: expected 1 to 4 coefficients"},
                             {"[1, ['x']]", "/joints/1/factors/1/0"},
                             {"[1, [0, 0]]", "must be a number other than 0"},
                             {"[1, {}]", "/joints/1/factors/1"}};
  assert_refused("{'dimension': 2, 'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1}], 'joints': [{'name': 'h', "
                 "'type': 'revolute', 'bodies': ['world', 'a'], 'point': [0, 0]}, {'type': 'coupling', 'joints': ['h', "
                 "'h'], 'factors': %s}]}",
                 couplings, sizeof couplings / sizeof *couplings);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_weights_over_a_drum_fall_like_atwoods),
      cmocka_unit_test(a_puck_winds_itself_up_on_a_pole),
      cmocka_unit_test(a_loose_pulley_halves_the_way),
      cmocka_unit_test(an_effort_on_a_rope_turns_its_drum),
      cmocka_unit_test(a_spring_on_a_rope_is_a_spring),
      cmocka_unit_test(a_rope_with_a_limit_stops_a_fall),
      cmocka_unit_test(a_polynomial_couples_two_joints),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
