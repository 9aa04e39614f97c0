/* Inertia on joint coordinates against the equations in these coordinates, in all schemes that have it, and mistakes by
 * name. The equations are integrated by Runge and Kutta's method with steps whose error does not show. */
#include "live.h"

static const char *const schemes[] = {"moreau-jean", "stewart-trinkle", "event-driven", "compliant"};
#define SCHEMES (sizeof schemes / sizeof *schemes)
/* What the error at dt 0.005 may be, and what it falls to with half the step; seen from 0.01 to a quarter of it, since
 * errors of several orders may cancel at one of them. */
static const double allowed[SCHEMES] = {5e-4, 3e-2, 1e-6, 1e-6}, falls_to[SCHEMES] = {0.3, 0.6, INFINITY, INFINITY};

typedef void (*Equation)(const double q[2], const double v[2], double a[2]);

static void integrate(Equation equation, double t, double q[2], double v[2]) {
  const int steps = 20000;
  double h = t / steps;
  for (int s = 0; s < steps; s++) {
    double dq[4][2], dv[4][2];
    for (int k = 0; k < 4; k++) {
      double part = k == 0 ? 0 : k == 3 ? h : 0.5 * h, at[2];
      for (int i = 0; i < 2; i++) {
        at[i] = q[i] + (k > 0 ? part * dq[k - 1][i] : 0);
        dq[k][i] = v[i] + (k > 0 ? part * dv[k - 1][i] : 0);
      }
      equation(at, dq[k], dv[k]);
    }
    for (int i = 0; i < 2; i++) {
      q[i] += h / 6 * (dq[0][i] + 2 * dq[1][i] + 2 * dq[2][i] + dq[3][i]);
      v[i] += h / 6 * (dv[0][i] + 2 * dv[1][i] + 2 * dv[2][i] + dv[3][i]);
    }
  }
}

/* The scene, with %s for the scheme and %g for dt, after t: the largest error of its two first coordinates. */
static double error_of(const char *format, size_t scheme, double dt, double t, const double exact[2], int coordinates) {
  char text[4096];
  snprintf(text, sizeof text, format, schemes[scheme], dt);
  Live live = start(text);
  double before = asp_model_energy(live.scene.model, asp_world_state(live.world)).kinetic +
                  asp_model_energy(live.scene.model, asp_world_state(live.world)).gravitational;
  run_to(&live, t);
  double error = 0;
  for (int i = 0; i < coordinates; i++)
    error = fmax(error, fabs(asp_world_joints(live.world)[i].coordinate - exact[i]));
  AspEnergy energy = asp_model_energy(live.scene.model, asp_world_state(live.world));
  double lost = fabs(energy.kinetic + energy.gravitational - before);
  if (scheme != 1 && !(lost < 2e-4 * fmax(1, fabs(before)))) // nothing takes energy
    fail_msg("%s: energy changes by %g", schemes[scheme], lost);
  end(&live);
  return error;
}

static void assert_follows(const char *format, double t, const double exact[2], int coordinates) {
  for (size_t i = 0; i < SCHEMES; i++) {
    double coarse = error_of(format, i, 0.01, t, exact, coordinates);
    double middle = error_of(format, i, 0.005, t, exact, coordinates);
    double fine = error_of(format, i, 0.0025, t, exact, coordinates);
    if (!(middle < allowed[i] && fine <= falls_to[i] * falls_to[i] * coarse))
      fail_msg("%s: errors %g, %g and %g", schemes[i], coarse, middle, fine);
  }
}

/* (I + m l^2 + a) q'' = m g l cos q */
static void falling(const double q[2], const double v[2], double a[2]) {
  (void)v;
  a[0] = 2 * 10 * 0.5 * cos(q[0]) / (0.1 + 2 * 0.25 + 0.4);
  a[1] = 0;
}

static void a_pendulum_swings_with_the_inertia_of_its_rotor(void **state) {
  (void)state;
  double q[2] = {0, 0}, v[2] = {0, 0};
  integrate(falling, 1, q, v);
  assert_follows("{'gravity': [0, 0, -10], 'bodies': [{'name': 'arm', 'mass': 2, 'inertia': [0.1, 0.1, 0.1], "
                 "'position': [0.5, 0, 0]}], 'joints': [{'type': 'revolute', 'bodies': ['world', 'arm'], "
                 "'point': [0, 0, 0], 'axis': [0, 1, 0], 'armature': 0.4}], 'run': {'scheme': '%s', 'dt': %g}}",
                 1, q, 1);
}

/* Two links in the plane, l = 1, centres in the middle, m = 1, I = 0.1, armatures 0.3 and 0.2 on the relative angles:
 * with p = q1 + q2 the equations are linear in the accelerations. */
static void two_links(const double q[2], const double v[2], double a[2]) {
  const double m = 1, I = 0.1, g = 10, l = 1, c = 0.5;
  double cosine = cos(q[1]), sine = sin(q[1]), p = q[0] + q[1];
  double M11 = 2 * I + m * c * c + m * (l * l + c * c + 2 * l * c * cosine) + 0.3;
  double M12 = I + m * (c * c + l * c * cosine), M22 = I + m * c * c + 0.2;
  double h1 = m * l * c * sine * (2 * v[0] * v[1] + v[1] * v[1]) - m * g * (c * cos(q[0]) + l * cos(q[0]) + c * cos(p));
  double h2 = -m * l * c * sine * v[0] * v[0] - m * g * c * cos(p), det = M11 * M22 - M12 * M12;
  a[0] = (M22 * h1 - M12 * h2) / det;
  a[1] = (M11 * h2 - M12 * h1) / det;
}

static void two_links_move_as_their_joint_equations_say(void **state) {
  (void)state;
  double q[2] = {0, 0}, v[2] = {0, 0};
  integrate(two_links, 0.6, q, v);
  assert_follows("{'dimension': 2, 'gravity': [0, -10], 'bodies': ["
                 "{'name': 'upper', 'mass': 1, 'inertia': 0.1, 'position': [0.5, 0]},"
                 "{'name': 'lower', 'mass': 1, 'inertia': 0.1, 'position': [1.5, 0]}], 'joints': ["
                 "{'type': 'revolute', 'bodies': ['world', 'upper'], 'point': [0, 0], 'armature': 0.3},"
                 "{'type': 'revolute', 'bodies': ['upper', 'lower'], 'point': [1, 0], 'armature': 0.2}],"
                 "'run': {'scheme': '%s', 'dt': %g}}",
                 0.6, q, 2);
}

/* A turret about z (inertia 0.2) that carries an arm about a horizontal axis (m = 1, centre at l = 0.5, inertia 0.1
 * about all axes): the axis of the arm's rotor turns with the turret. q2 is counted downwards. */
static void turret(const double q[2], const double v[2], double a[2]) {
  const double m = 1, I = 0.1, l = 0.5, g = 10;
  double C = cos(q[1]), S = sin(q[1]);
  a[0] = 2 * m * l * l * C * S * v[0] * v[1] / (0.2 + I + m * l * l * C * C + 0.15);
  a[1] = (m * g * l * C - m * l * l * C * S * v[0] * v[0]) / (I + m * l * l + 0.25);
}

static void a_rotor_whose_axis_turns_has_no_momentum_of_its_own(void **state) {
  (void)state;
  double q[2] = {0, 0}, v[2] = {4, 0};
  integrate(turret, 0.6, q, v);
  assert_follows("{'gravity': [0, 0, -10], 'bodies': ["
                 "{'name': 'turret', 'mass': 1, 'inertia': [0.2, 0.2, 0.2], 'angular_velocity': [0, 0, 4]},"
                 "{'name': 'arm', 'mass': 1, 'inertia': [0.1, 0.1, 0.1], 'position': [0.5, 0, 0], "
                 "'velocity': [0, 2, 0], 'angular_velocity': [0, 0, 4]}], 'joints': ["
                 "{'type': 'revolute', 'bodies': ['world', 'turret'], 'point': [0, 0, 0], 'axis': [0, 0, 1], "
                 "'armature': 0.15}, {'type': 'revolute', 'bodies': ['turret', 'arm'], 'point': [0, 0, 0], "
                 "'axis': [0, 1, 0], 'armature': 0.25}], 'run': {'scheme': '%s', 'dt': %g}}",
                 0.6, q, 2);
}

/* A slide on a turning arm: the rotor does not feel the centrifugal force. (m + a) x'' = m x w^2 */
static void slide(const double q[2], const double v[2], double a[2]) {
  const double m = 1, I = 0.1, J = 0.5;
  a[0] = -2 * m * q[1] * v[1] * v[0] / (J + I + m * q[1] * q[1]);
  a[1] = m * q[1] * v[0] * v[0] / (m + 3);
}

static void a_slide_on_a_turning_arm_is_driven_outwards(void **state) {
  (void)state;
  double q[2] = {0, 0.3}, v[2] = {5, 0};
  integrate(slide, 0.6, q, v);
  assert_follows("{'bodies': ["
                 "{'name': 'arm', 'mass': 1, 'inertia': [0.5, 0.5, 0.5], 'angular_velocity': [0, 0, 5]},"
                 "{'name': 'slide', 'mass': 1, 'inertia': [0.1, 0.1, 0.1], 'position': [0.3, 0, 0], "
                 "'velocity': [0, 1.5, 0], 'angular_velocity': [0, 0, 5]}], 'joints': ["
                 "{'type': 'revolute', 'bodies': ['world', 'arm'], 'point': [0, 0, 0], 'axis': [0, 0, 1]}, "
                 "{'type': 'prismatic', 'bodies': ['arm', 'slide'], 'axis': [1, 0, 0], 'initial': 0.3, "
                 "'armature': 3}], 'run': {'scheme': '%s', 'dt': %g}}",
                 0.6, q, 2);
}

/* m + a moves with 2 m/s against a free body of 2 kg and they stay together: 2 (m + a) / (m + a + 2). */
static void an_impact_moves_the_rotor_too(void **state) {
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "{'dimension': 2, 'materials': [{'pair': ['*', '*'], 'friction': 0}], 'bodies': ["
        "{'name': 'ram', 'mass': 1, 'inertia': 1, 'velocity': [2, 0], 'shapes': [{'type': 'disk', 'radius': 0.1}]},"
        "{'name': 'block', 'mass': 2, 'inertia': 1, 'position': [0.3, 0], "
        "'shapes': [{'type': 'disk', 'radius': 0.1}]}],"
        "'joints': [{'type': 'prismatic', 'bodies': ['world', 'ram'], 'axis': [1, 0], 'armature': 3}],"
        "'run': {'scheme': '%s', 'dt': 0.01}}",
        schemes[i]);
    Live live = start(text);
    run_to(&live, 0.2);
    assert_near(velocity_of(&live, "block").x, 2 * 4.0 / 6, 1e-9);
    assert_near(velocity_of(&live, "ram").x, 2 * 4.0 / 6, 1e-9);
    end(&live);
  }
}

/* An armature of any size beside the body's own mass of 1 kg; a stop with restitution 1 turns the motion. */
static void the_inertia_may_be_far_from_the_mass(void **state) {
  (void)state;
  const double sizes[] = {1e-9, 1e-3, 1, 1e3, 1e6};
  for (size_t k = 0; k < 5; k++) {
    char text[2048];
    snprintf(text, sizeof text,
             "{'dimension': 2, 'bodies': [{'name': 'mass', 'mass': 1, 'inertia': 1, 'velocity': [1, 0]}],"
             "'forces': [{'type': 'force', 'body': 'mass', 'force': [%g, 0]}], 'joints': [{'type': 'prismatic', "
             "'bodies': ['world', 'mass'], 'axis': [1, 0], 'armature': %g, 'limits': [null, 1.2], "
             "'limit_restitution': 1}], 'run': {'dt': 0.01}}",
             -(1 + sizes[k]), sizes[k]);
    Live live = start(text);
    run_to(&live, 1);
    assert_near(asp_world_joints(live.world)->coordinate, 0.5, 1e-6);
    assert_near(velocity_of(&live, "mass").x, 0, 1e-6);
    end(&live);
  }
}

/* Motor's effort f on a gear pair whose driving wheel has the rotor: the other end sees n^2 a. */
static void a_gear_multiplies_it_by_the_square_of_its_ratio(void **state) {
  (void)state;
  for (size_t i = 0; i < SCHEMES; i++) {
    char text[2048];
    snprintf(text, sizeof text,
             "{'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, 0.02]}, "
             "{'name': 'b', 'mass': 1, 'inertia': [1, 1, 0.5], 'position': [1, 0, 0]}], 'joints': ["
             "{'name': 'fast', 'type': 'revolute', 'bodies': ['world', 'a'], 'point': [0, 0, 0], 'axis': [0, 0, 1], "
             "'armature': 0.03}, {'name': 'slow', 'type': 'revolute', 'bodies': ['world', 'b'], "
             "'point': [1, 0, 0], 'axis': [0, 0, 1]}, {'type': 'gear', 'joints': ['fast', 'slow'], 'ratio': -5}],"
             "'forces': [{'type': 'torque', 'body': 'b', 'torque': [0, 0, 7]}], "
             "'run': {'scheme': '%s', 'dt': 0.01}}",
             schemes[i]);
    Live live = start(text);
    run_to(&live, 1);
    assert_near(asp_world_joints(live.world)[1].rate, 7 / (0.5 + 25 * 0.05), 1e-6);
    end(&live);
  }
}

static void mistakes_are_named(void **state) {
  (void)state;
  const Wrong wrong[] = {{"'type': 'revolute', 'armature': -1", "/joints/0/armature"},
                         {"'type': 'revolute', 'armature': 'heavy'", "/joints/0/armature"},
                         {"'type': 'fixed', 'armature': 1", "/joints/0/armature"}};
  assert_refused("{'dimension': 2, 'bodies': [{'name': 'arm', 'mass': 1, 'inertia': 1}], 'joints': [{'bodies': "
                 "['world', 'arm'], 'point': [0, 0], %s}], 'run': {'dt': 0.01}}",
                 wrong, sizeof wrong / sizeof *wrong);
}

static void generalized_alpha_refuses_it_by_name(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspScene scene;
  AspWorld *world;
  assert_ok(context, read_quoted(context,
                                 "{'dimension': 2, 'bodies': [{'name': 'arm', 'mass': 1, 'inertia': 1}], 'joints': ["
                                 "{'name': 'hinge', 'type': 'revolute', 'bodies': ['world', 'arm'], 'point': [0, 0], "
                                 "'armature': 1}], 'run': {'scheme': 'generalized-alpha'}}",
                                 &scene));
  assert_int_equal(asp_world_create(context, scene.model, &scene.run, &world), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(context), "joint hinge: \"armature\" is not possible with the scheme"));
  asp_scene_destroy(context, &scene);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pendulum_swings_with_the_inertia_of_its_rotor),
      cmocka_unit_test(two_links_move_as_their_joint_equations_say),
      cmocka_unit_test(a_rotor_whose_axis_turns_has_no_momentum_of_its_own),
      cmocka_unit_test(a_slide_on_a_turning_arm_is_driven_outwards),
      cmocka_unit_test(an_impact_moves_the_rotor_too),
      cmocka_unit_test(the_inertia_may_be_far_from_the_mass),
      cmocka_unit_test(a_gear_multiplies_it_by_the_square_of_its_ratio),
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test(generalized_alpha_refuses_it_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
