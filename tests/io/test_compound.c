/* Compound joints in scenes: motion against the equations in their coordinates and against chains with the same freedom,
 * in all schemes; what acts on single axes; mistakes by name. */
#include "live.h"

static const char *const schemes[] = {"moreau-jean", "stewart-trinkle", "generalized-alpha", "event-driven",
                                      "compliant"};
#define SCHEMES (sizeof schemes / sizeof *schemes)
static const double allowed[SCHEMES] = {1e-3, 4e-2, 1e-3, 1e-6, 1e-6},
                    falls_to[SCHEMES] = {0.3, 0.6, 0.3, INFINITY, INFINITY};

static double coordinate_of(const Live *live, const char *joint) {
  return asp_world_joints(live->world)[asp_model_find_joint(live->scene.model, joint)].coordinate;
}

typedef void (*Equation)(const double q[2], const double v[2], double a[2]);

/* Midpoint rule with steps whose error does not show. */
static void integrate(Equation equation, double t, double q[2], double v[2]) {
  const int steps = 200000;
  double h = t / steps, a[2];
  for (int s = 0; s < steps; s++) {
    equation(q, v, a);
    double p[2] = {q[0] + 0.5 * h * v[0], q[1] + 0.5 * h * v[1]}, w[2] = {v[0] + 0.5 * h * a[0], v[1] + 0.5 * h * a[1]};
    equation(p, w, a);
    for (int i = 0; i < 2; i++) {
      q[i] += h * w[i];
      v[i] += h * a[i];
    }
  }
}

static double error_of(const char *format, size_t scheme, double dt, double t, const double exact[2]) {
  char text[4096];
  snprintf(text, sizeof text, format, schemes[scheme], dt);
  Live live = start(text);
  run_to(&live, t);
  double error = fmax(fabs(coordinate_of(&live, "first") - exact[0]), fabs(coordinate_of(&live, "second") - exact[1]));
  end(&live);
  return error;
}

static void assert_follows(const char *format, double t, const double exact[2]) {
  for (size_t i = 0; i < SCHEMES; i++) {
    double coarse = error_of(format, i, 0.005, t, exact), fine = error_of(format, i, 0.0025, t, exact);
    if (!(coarse < allowed[i] && fine <= falls_to[i] * coarse))
      fail_msg("%s: errors %g and %g", schemes[i], coarse, fine);
  }
}

/* About z, then about the y axis that turned with it; the second is counted downwards. m = 1, l = 0.5, I = 0.1. */
static void gimbal(const double q[2], const double v[2], double a[2]) {
  double C = cos(q[1]), S = sin(q[1]), ml = 0.25;
  a[0] = 2 * ml * C * S * v[0] * v[1] / (0.1 + ml * C * C);
  a[1] = (5 * C - ml * C * S * v[0] * v[0]) / (0.1 + ml);
}

static void two_turns_move_as_their_equations_say(void **state) {
  (void)state;
  double q[2] = {0, 0}, v[2] = {3, 0};
  integrate(gimbal, 0.3, q, v);
  assert_follows("{'gravity': [0, 0, -10], 'bodies': [{'name': 'arm', 'mass': 1, 'inertia': [0.1, 0.1, 0.1], "
                 "'position': [0.5, 0, 0], 'velocity': [0, 1.5, 0], 'angular_velocity': [0, 0, 3]}], 'joints': ["
                 "{'type': 'compound', 'bodies': ['world', 'arm'], 'axes': ["
                 "{'name': 'first', 'type': 'revolute', 'axis': [0, 0, 1], 'point': [0, 0, 0]},"
                 "{'name': 'second', 'type': 'revolute', 'axis': [0, 1, 0], 'point': [0, 0, 0]}]}],"
                 "'run': {'scheme': '%s', 'dt': %g}}",
                 0.3, q);
}

/* A turn, then a slide along what it turns: (I + m r^2) q1'' = -2 m r r' q1' - m g r cos, r'' = r q1'^2 - g sin. */
static void polar(const double q[2], const double v[2], double a[2]) {
  double r = q[1], g = 10;
  a[0] = (-2 * r * v[1] * v[0] - g * r * cos(q[0])) / (0.1 + r * r);
  a[1] = r * v[0] * v[0] - g * sin(q[0]);
}

static void a_turn_and_a_slide_move_as_their_equations_say(void **state) {
  (void)state;
  double q[2] = {0, 0.5}, v[2] = {3, 0};
  integrate(polar, 0.3, q, v);
  assert_follows("{'gravity': [0, 0, -10], 'bodies': [{'name': 'arm', 'mass': 1, 'inertia': [0.1, 0.1, 0.1], "
                 "'position': [0.5, 0, 0], 'velocity': [0, 0, 1.5], 'angular_velocity': [0, -3, 0]}], 'joints': ["
                 "{'type': 'compound', 'bodies': ['world', 'arm'], 'axes': ["
                 "{'name': 'first', 'type': 'revolute', 'axis': [0, -1, 0], 'point': [0, 0, 0]},"
                 "{'name': 'second', 'type': 'prismatic', 'axis': [1, 0, 0], 'initial': 0.5}]}],"
                 "'run': {'scheme': '%s', 'dt': %g}}",
                 0.3, q);
}

/* Slides along x and z and a turn about y: a body thrown in a plane. */
static void a_planar_root_falls_freely(void **state) {
  (void)state;
  for (size_t i = 0; i < SCHEMES; i++) {
    char text[2048];
    snprintf(text, sizeof text,
             "{'gravity': [0, 0, -10], 'bodies': [{'name': 'body', 'mass': 2, 'inertia': [0.2, 0.2, 0.2], "
             "'velocity': [1, 0, 3], 'angular_velocity': [0, 20, 0]}], 'joints': [{'name': 'root', 'type': 'compound', "
             "'bodies': ['world', 'body'], 'axes': [{'type': 'prismatic', 'axis': [2, 0, 0]}, "
             "{'type': 'prismatic', 'axis': [0, 0, 1]}, {'type': 'revolute', 'axis': [0, 1, 0], 'point': [0, 0, 0]}]}],"
             "'run': {'scheme': '%s', 'dt': 0.01}}",
             schemes[i]);
    Live live = start(text);
    run_to(&live, 1);
    assert_near(coordinate_of(&live, "root_0"), 1, 1e-7);
    assert_near(coordinate_of(&live, "root_1"), 3 - 5, i == 1 ? 0.06 : 1e-6);
    assert_near(coordinate_of(&live, "root_2"), 20, 1e-5); // more than three turns
    end(&live);
  }
}

/* Three turns through one point leave the freedom of a spherical joint. */
static void three_turns_are_a_spherical_joint(void **state) {
  (void)state;
  const char *joints[] = {"'type': 'spherical', 'point': [0, 0, 0]",
                          "'type': 'compound', 'axes': [{'type': 'revolute', 'axis': [1, 0, 0.2], 'point': [0, 0, 0]}, "
                          "{'type': 'revolute', 'axis': [0, 1, 0], 'point': [0, 0, 0]}, "
                          "{'type': 'revolute', 'axis': [0, 0.3, 1], 'point': [0, 0, 0]}]"};
  AspVec3 at[2];
  for (int k = 0; k < 2; k++) {
    char text[2048];
    snprintf(text, sizeof text,
             "{'gravity': [0, 0, -10], 'bodies': [{'name': 'body', 'mass': 2, 'inertia': [0.1, 0.2, 0.25], "
             "'position': [0, 0, -0.5], 'velocity': [0, 1, 0], 'angular_velocity': [2, 0, 1]}], "
             "'joints': [{'bodies': ['world', 'body'], %s}], 'run': {'dt': 0.001}}",
             joints[k]);
    Live live = start(text);
    run_to(&live, 0.5);
    at[k] = position_of(&live, "body");
    end(&live);
  }
  assert_near(at[0].x, at[1].x, 1e-6);
  assert_near(at[0].y, at[1].y, 1e-6);
  assert_near(at[0].z, at[1].z, 1e-6);
}

/* A hip of three turns that carries a horizontal arm of 2 kg at 0.5 m: one axis on a stop, one held by a servo, one by
 * a spring, one by friction. */
static void each_axis_has_what_acts_on_it(void **state) {
  (void)state;
  const char *schemes_with_contact[] = {"moreau-jean", "stewart-trinkle", "generalized-alpha", "event-driven"};
  for (size_t i = 0; i < 4; i++) {
    char text[4096];
    snprintf(
        text, sizeof text,
        "{'gravity': [0, 0, -10], 'bodies': [{'name': 'arm', 'mass': 2, 'inertia': [0.1, 0.1, 0.1], "
        "'position': [0.5, 0, 0]}], 'forces': [{'type': 'torque', 'body': 'arm', 'torque': [1, 0, 3]}],"
        "'joints': [{'name': 'hip', 'type': 'compound', 'bodies': ['world', 'arm'], 'axes': ["
        "{'name': 'z', 'type': 'revolute', 'axis': [0, 0, 1], 'point': [0, 0, 0], 'friction': 4},"
        "{'name': 'y', 'type': 'revolute', 'axis': [0, 1, 0], 'point': [0, 0, 0], 'servo': {'kp': 1e4, 'kd': 300}},"
        "{'name': 'x', 'type': 'revolute', 'axis': [1, 0, 0], 'point': [0, 0, 0], 'limits': [-1, 0.1], "
        "'spring': {'damping': 1}}]}], 'run': {'scheme': '%s', 'dt': 0.005}}",
        schemes_with_contact[i]);
    Live live = start(text);
    run_to(&live, 4);
    const AspJointRecord *records = asp_world_joints(live.world);
    assert_near(coordinate_of(&live, "x"), 0.1, 1e-5);
    assert_near(coordinate_of(&live, "y"), 10.0 / 1e4, 1e-5);
    assert_near(coordinate_of(&live, "z"), 0, 1e-3);
    assert_near(records[asp_model_find_joint(live.scene.model, "y")].motor, -10, 0.05);
    assert_near(fabs(records[asp_model_find_joint(live.scene.model, "x")].limit), 1, 0.05);
    assert_near(fabs(records[asp_model_find_joint(live.scene.model, "z")].friction), 3, 0.05);
    end(&live);
  }
}

/* The second axis follows half of the first, which is driven; a probe and a condition know them by their names. */
static void axes_are_coupled_and_sensed_like_joints(void **state) {
  (void)state;
  for (size_t i = 0; i < SCHEMES; i++) {
    char text[2048];
    snprintf(text, sizeof text,
             "{'bodies': [{'name': 'arm', 'mass': 2, 'inertia': [0.1, 0.1, 0.1], 'position': [0.5, 0, 0]}],"
             "'joints': [{'type': 'compound', 'bodies': ['world', 'arm'], 'axes': ["
             "{'name': 'pan', 'type': 'revolute', 'axis': [0, 0, 1], 'point': [0, 0, 0], 'angle': 'sin(t)'},"
             "{'name': 'tilt', 'type': 'revolute', 'axis': [0, 1, 0], 'point': [0, 0, 0]}]},"
             "{'type': 'coupling', 'joints': ['tilt', 'pan'], 'factors': [1, -0.5]}],"
             "'stop': [{'when': 'pan.coordinate > 0.8'}], 'run': {'scheme': '%s', 'dt': 0.005}}",
             schemes[i]);
    Live live = start(text);
    double t = run_to(&live, 2);
    assert_near(t, asin(0.8), 0.006);
    assert_near(coordinate_of(&live, "pan"), sin(t), 1e-5);
    assert_near(coordinate_of(&live, "tilt"), 0.5 * sin(t), 1e-5);
    end(&live);
  }
}

static void a_gimbal_lock_is_named(void **state) {
  (void)state;
  Live live = start("{'bodies': [{'name': 'arm', 'mass': 2, 'inertia': [0.1, 0.1, 0.1]}], 'joints': [{'name': 'hip', "
                    "'type': 'compound', 'bodies': ['world', 'arm'], 'axes': ["
                    "{'type': 'revolute', 'axis': [0, 0, 1], 'point': [0, 0, 0]},"
                    "{'type': 'revolute', 'axis': [0, 1, 0], 'point': [0, 0, 0], 'angle': 'pi/2*(1-exp(-20*t))'},"
                    "{'type': 'revolute', 'axis': [1, 0, 0], 'point': [0, 0, 0]}]}], 'run': {'dt': 0.01}}");
  AspStepInfo info;
  AspError error = ASP_OK;
  for (int k = 0; k < 300 && error == ASP_OK; k++)
    error = asp_world_step(live.world, &info);
  assert_int_equal(error, ASP_ERROR_VALUE);
  assert_non_null(strstr(asp_context_message(live.context), "joint hip"));
  assert_non_null(strstr(asp_context_message(live.context), "axes have become dependent"));
  end(&live);
}

static void mistakes_are_named(void **state) {
  (void)state;
  const Wrong wrong[] = {
      {"'name': 'hip'", "/joints/0"},
      {"'axes': []", "it has none"},
      {"'point': [0, 0, 0], 'axes': [{'type': 'prismatic', 'axis': [1, 0, 0]}]", "/joints/0/point"},
      {"'friction': 1, 'axes': [{'type': 'prismatic', 'axis': [1, 0, 0]}]", "/joints/0/friction"},
      {"'active': true, 'axes': [{'type': 'prismatic', 'axis': [1, 0, 0]}]", "cannot be switched"},
      {"'axes': [{'type': 'fixed'}]", "/joints/0/axes/0/type"},
      {"'axes': [{'type': 'revolute', 'axis': [1, 0, 0]}]", "/joints/0/axes/0"},
      {"'axes': [{'type': 'prismatic', 'axis': [0, 0, 0]}]", "/joints/0/axes/0/axis"},
      {"'axes': [{'type': 'prismatic', 'axis': [1, 0, 0], 'friction_coefficient': 1}]", "friction_coefficient"},
      {"'axes': [{'type': 'prismatic', 'axis': [1, 0, 0], 'limits_deg': [0, 1]}]", "limits_deg"},
      {"'axes': [{'type': 'prismatic', 'axis': [1, 0, 0]}, {'type': 'prismatic', 'axis': [1, 0, 0]}]", "dependent"}};
  assert_refused("{'bodies': [{'name': 'arm', 'mass': 1, 'inertia': [1, 1, 1]}], 'joints': [{'bodies': "
                 "['world', 'arm'], 'type': 'compound', %s}], 'run': {'dt': 0.01}}",
                 wrong, sizeof wrong / sizeof *wrong);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_turns_move_as_their_equations_say),
      cmocka_unit_test(a_turn_and_a_slide_move_as_their_equations_say),
      cmocka_unit_test(a_planar_root_falls_freely),
      cmocka_unit_test(three_turns_are_a_spherical_joint),
      cmocka_unit_test(each_axis_has_what_acts_on_it),
      cmocka_unit_test(axes_are_coupled_and_sensed_like_joints),
      cmocka_unit_test(a_gimbal_lock_is_named),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
