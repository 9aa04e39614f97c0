/* Efforts on coordinates, and sums of coordinates as tendons: efforts, springs and servos on couplings, against closed
 * forms; mistakes by name. */
#include "live.h"

static const char *const schemes[] = {"moreau-jean", "stewart-trinkle", "event-driven", "compliant",
                                      "generalized-alpha"};
#define SCHEMES     (sizeof schemes / sizeof *schemes)
#define WITH_SERVOS 4

static double coordinate_of(const Live *live, int joint) { return asp_world_joints(live->world)[joint].coordinate; }

/* Wheels of 0.2 and 0.5 kg m^2 on the hinges `a` and `b` of the world, and what is given on and behind them. */
static Live start_wheels(const char *scheme, double dt, const char *on_a, const char *behind) {
  char text[4096];
  snprintf(text, sizeof text,
           "{'dimension': 2, 'inputs': [{'name': 'u', 'value': 1.5}], 'bodies': ["
           "{'name': 'A', 'mass': 1, 'inertia': 0.2}, {'name': 'B', 'mass': 1, 'inertia': 0.5, 'position': [1, 0]}],"
           "'joints': [{'name': 'a', 'type': 'revolute', 'bodies': ['world', 'A'], 'point': [0, 0]%s},"
           "{'name': 'b', 'type': 'revolute', 'bodies': ['world', 'B'], 'point': [1, 0]}%s],"
           "'run': {'scheme': '%s', 'dt': %g}}",
           on_a, behind, scheme, dt);
  return start(text);
}

static void an_effort_accelerates_its_coordinate(void **state) {
  (void)state;
  for (size_t i = 0; i < SCHEMES; i++) {
    Live live = start_wheels(schemes[i], 0.01, ", 'effort': '2*u*t'", "");
    run_to(&live, 1); // 0.2 q'' = 3 t
    assert_near(coordinate_of(&live, 0), 15.0 / 6, i == 1 ? 0.08 : 1e-3);
    assert_near(coordinate_of(&live, 1), 0, 1e-12);
    end(&live);
  }
}

/* What it does to B it does to A the other way round. */
static void an_effort_between_two_free_bodies_keeps_their_momentum(void **state) {
  (void)state;
  Live live = start("{'bodies': [{'name': 'A', 'mass': 1, 'inertia': [1, 1, 0.2]}, "
                    "{'name': 'B', 'mass': 1, 'inertia': [1, 1, 0.3]}], 'joints': [{'type': 'revolute', "
                    "'bodies': ['A', 'B'], 'point': [0, 0, 0], 'axis': [0, 0, 1], 'effort': 0.6}], "
                    "'run': {'dt': 0.01}}");
  run_to(&live, 1);
  AspVec3 linear, angular;
  asp_model_momentum(live.scene.model, asp_world_state(live.world), &linear, &angular);
  assert_near(angular.z, 0, 1e-12);
  assert_near(coordinate_of(&live, 0), 0.5 * 0.6 * (1 / 0.2 + 1 / 0.3), 1e-4);
  end(&live);
}

/* s = a - 2 b */
static void an_effort_on_a_tendon_pulls_at_each_joint_by_its_factor(void **state) {
  (void)state;
  for (size_t i = 0; i < SCHEMES; i++) {
    Live live = start_wheels(schemes[i], 0.01, "",
                             ", {'type': 'coupling', 'joints': ['a', 'b'], 'factors': [1, -2], 'effort': 0.3}");
    run_to(&live, 1);
    assert_near(coordinate_of(&live, 0), 0.5 * 0.3 / 0.2, i == 1 ? 0.01 : 1e-9);
    assert_near(coordinate_of(&live, 1), -0.5 * 0.6 / 0.5, i == 1 ? 0.01 : 1e-9);
    end(&live);
  }
}

/* s = a + b from 0 with a spring relaxed at 0.4: s = 0.4 (1 - cos w t), w^2 = k (1/0.2 + 1/0.5). */
static double spring_error(const char *scheme, double dt) {
  Live live = start_wheels(scheme, dt, "",
                           ", {'type': 'coupling', 'joints': ['a', 'b'], 'factors': [1, 1], "
                           "'spring': {'stiffness': 3, 'rest': 0.4}}");
  run_to(&live, 1);
  double w = sqrt(3 * (1 / 0.2 + 1 / 0.5)), error = fabs(coordinate_of(&live, 2) - 0.4 * (1 - cos(w)));
  end(&live);
  return error;
}

static void a_tendon_with_a_spring_swings(void **state) {
  (void)state;
  const double allowed[WITH_SERVOS] = {1e-3, 5e-2, 1e-8, 1e-6}, falls_to[WITH_SERVOS] = {0.3, 0.6, INFINITY, INFINITY};
  for (size_t i = 0; i < WITH_SERVOS; i++) {
    double coarse = spring_error(schemes[i], 0.01), fine = spring_error(schemes[i], 0.005);
    if (!(coarse < allowed[i] && fine <= falls_to[i] * coarse))
      fail_msg("%s: errors %g and %g", schemes[i], coarse, fine);
  }
}

/* One joint in the tendon, factor 2: a load of 1.2 N m on it leaves s = 2 a = 2 * 1.2 / (4 k). */
static void a_tendon_of_one_joint_multiplies(void **state) {
  (void)state;
  for (size_t i = 0; i < WITH_SERVOS; i++) {
    Live live = start_wheels(schemes[i], 0.01, ", 'effort': 1.2",
                             ", {'type': 'coupling', 'joints': ['a'], 'factors': [2], "
                             "'spring': {'stiffness': 10, 'damping': 1}}");
    run_to(&live, 6);
    assert_near(coordinate_of(&live, 0), 1.2 / 40, 1e-6);
    assert_near(coordinate_of(&live, 2), 2 * 1.2 / 40, 1e-6);
    end(&live);
  }
}

/* A servo on the sum of two fingers with an effort limit: at the target the fingers hold; against a load beyond the
 * limit they give way with constant acceleration. */
static void a_servo_on_a_tendon_holds_up_to_its_effort(void **state) {
  (void)state;
  for (size_t i = 0; i < WITH_SERVOS; i++) {
    Live live = start_wheels(schemes[i], 0.01, "",
                             ", {'type': 'coupling', 'joints': ['a', 'b'], 'factors': [1, 1], "
                             "'servo': {'kp': 50, 'kd': 8, 'target': 0.6, 'effort': 2}}");
    run_to(&live, 5);
    assert_near(coordinate_of(&live, 2), 0.6, 1e-5);
    assert_near(coordinate_of(&live, 0) * 0.2, coordinate_of(&live, 1) * 0.5, 1e-6); // equal impulses on both
    end(&live);
  }
  Live live = start_wheels(schemes[0], 0.01, ", 'effort': 5",
                           ", {'type': 'coupling', 'joints': ['a'], 'factors': [1], "
                           "'servo': {'kp': 1000, 'kd': 10, 'effort': 2}}");
  run_to(&live, 0.5);
  double before = asp_world_joints(live.world)->rate;
  run_to(&live, 1);
  assert_near(asp_world_joints(live.world)->rate - before, 0.5 * 3 / 0.2, 1e-6);
  end(&live);
}

/* A rope of length s = a + b between limits, as a tendon with play. */
static void a_tendon_stops_at_its_limit(void **state) {
  (void)state;
  Live live = start_wheels("moreau-jean", 0.01, ", 'effort': 0.5",
                           ", {'type': 'coupling', 'joints': ['a', 'b'], 'factors': [1, 1], 'limits': [null, 0.5], "
                           "'effort': 0.01}");
  run_to(&live, 3);
  assert_near(coordinate_of(&live, 2), 0.5, 1e-6);
  end(&live);
}

static void mistakes_are_named(void **state) {
  (void)state;
  const Wrong wrong[] = {{"'type': 'revolute', 'effort': 'push('", "effort"},
                         {"'type': 'revolute', 'effort': '1/t'", "effort"},
                         {"'type': 'fixed', 'effort': 1", "/joints/0/effort"}};
  assert_refused("{'dimension': 2, 'bodies': [{'name': 'arm', 'mass': 1, 'inertia': 1}], 'joints': [{'bodies': "
                 "['world', 'arm'], 'point': [0, 0], %s}], 'run': {'dt': 0.01}}",
                 wrong, sizeof wrong / sizeof *wrong);
  const Wrong couplings[] = {
      {"'joints': [], 'factors': []", "1 to 6 joints"},
      {"'joints': ['h'], 'factors': [1], 'spring': {'stiffness': 1}, 'servo': {'kp': 1}", "a spring beside a motor"},
      {"'joints': ['h'], 'factors': [1], 'spring': {'stiffness': -1}", "stiffness"}};
  assert_refused("{'dimension': 2, 'bodies': [{'name': 'arm', 'mass': 1, 'inertia': 1}], 'joints': [{'name': 'h', "
                 "'type': 'revolute', 'bodies': ['world', 'arm'], 'point': [0, 0]}, {'type': 'coupling', %s}]}",
                 couplings, sizeof couplings / sizeof *couplings);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_effort_accelerates_its_coordinate),
      cmocka_unit_test(an_effort_between_two_free_bodies_keeps_their_momentum),
      cmocka_unit_test(an_effort_on_a_tendon_pulls_at_each_joint_by_its_factor),
      cmocka_unit_test(a_tendon_with_a_spring_swings),
      cmocka_unit_test(a_tendon_of_one_joint_multiplies),
      cmocka_unit_test(a_servo_on_a_tendon_holds_up_to_its_effort),
      cmocka_unit_test(a_tendon_stops_at_its_limit),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
