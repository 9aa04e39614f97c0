/* Drag of a fluid, and springs and dampers of spherical joints, against closed forms in every scheme; mistakes by name. */
#include "live.h"

static const char *const schemes[] = {"moreau-jean", "stewart-trinkle", "event-driven", "compliant",
                                      "generalized-alpha"};
#define SCHEMES (sizeof schemes / sizeof *schemes)

static Live start_in(const char *scheme, double dt, const char *scene) {
  char text[2048];
  snprintf(text, sizeof text, "{%s, 'run': {'scheme': '%s', 'dt': %g}}", scene, scheme, dt);
  return start(text);
}

/* A box of 0.3 x 0.4 x 0.5 m, 2 kg: that is its own equivalent box. Along x: 2 v' = -c v^2, c = rho/2 0.4 0.5. */
#define BOX "'name': 'box', 'mass': 2, 'inertia': [0.068333333333333343, 0.056666666666666664, 0.041666666666666664]"

static void drag_slows_by_the_square_of_the_speed(void **state) {
  (void)state;
  double c = 0.5 * 60 * 0.4 * 0.5, v = 3 / (1 + 3 * c / 2), x = log(1 + 3 * c / 2) * 2 / c;
  for (size_t i = 0; i < SCHEMES; i++) {
    Live live = start_in(schemes[i], 0.005,
                         "'bodies': [{" BOX ", 'velocity': [3, 0, 0]}], 'forces': [{'type': 'drag', "
                         "'body': 'box', 'density': 60}]");
    run_to(&live, 1);
    assert_near(velocity_of(&live, "box").x, v, i == 1 ? 5e-3 : 1e-4);
    assert_near(position_of(&live, "box").x, x, i == 1 ? 2e-2 : 5e-4);
    end(&live);
  }
}

/* Viscosity: v' = -3 pi d eta v / m, w' = -pi d^3 eta w / I with d = 0.4. Wind carries it along. */
static void viscosity_slows_in_proportion_and_wind_carries(void **state) {
  (void)state;
  double pi = 3.14159265358979323846, k = 3 * pi * 0.4 * 0.2 / 2, turn = pi * 0.064 * 0.2 / 0.041666666666666664;
  for (size_t i = 0; i < SCHEMES; i++) {
    Live live = start_in(schemes[i], 0.005,
                         "'bodies': [{" BOX ", 'velocity': [0, 3, 0], 'angular_velocity': [0, 0, 2]}], 'forces': "
                         "[{'type': 'drag', 'body': 'box', 'viscosity': 0.2, 'wind': [0, 1, 0]}]");
    run_to(&live, 1);
    assert_near(velocity_of(&live, "box").y, 1 + 2 * exp(-k), i == 1 ? 5e-3 : 1e-5);
    const AspState *at = asp_world_state(live.world);
    assert_near(asp_state_angular_velocity(live.scene.model, at, 0).z, 2 * exp(-turn), i == 1 ? 5e-3 : 1e-5);
    end(&live);
  }
}

/* w' = -rho b_z (b_x^4 + b_y^4) w^2 / (64 I) */
static void a_spinning_box_is_slowed(void **state) {
  (void)state;
  double c = 900 * 0.5 * (0.0081 + 0.0256) / 64 / 0.041666666666666664;
  for (size_t i = 0; i < SCHEMES; i++) {
    Live live = start_in(schemes[i], 0.005,
                         "'bodies': [{" BOX ", 'angular_velocity': [0, 0, 2]}], 'forces': [{'type': "
                         "'drag', 'body': 'box', 'density': 900, 'size': [0.3, 0.4, 0.5]}]");
    run_to(&live, 1);
    const AspState *at = asp_world_state(live.world);
    assert_near(asp_state_angular_velocity(live.scene.model, at, 0).z, 2 / (1 + 2 * c), i == 1 ? 1e-2 : 2e-4);
    end(&live);
  }
}

/* A spring on a ball joint swings about any axis: I phi'' = -k phi - c phi'. Sphere of 0.4 kg m^2 at its own centre. */
static void a_ball_joint_with_a_spring_swings_about_any_axis(void **state) {
  (void)state;
  double k = 3, c = 0.2, I = 0.4, a = c / (2 * I), w = sqrt(k / I - a * a);
  double spin = 1.2 * exp(-a) * (cos(w) - a / w * sin(w));
  for (size_t i = 0; i < SCHEMES; i++) {
    Live live =
        start_in(schemes[i], 0.005,
                 "'bodies': [{'name': 'ball', 'mass': 1, 'inertia': [0.4, 0.4, 0.4], 'angular_velocity': [0.72, "
                 "0, 0.96]}], 'joints': [{'type': 'spherical', 'bodies': ['world', 'ball'], 'point': [0, 0, "
                 "0], 'spring': {'stiffness': 3, 'damping': 0.2}}]");
    run_to(&live, 1);
    int body = asp_model_find_body(live.scene.model, "ball");
    AspVec3 v = asp_state_angular_velocity(live.scene.model, asp_world_state(live.world), body);
    assert_near(0.6 * v.x + 0.8 * v.z, spin, i == 1 ? 5e-2 : 1e-3);
    assert_near(v.y, 0, 1e-9);
    end(&live);
  }
}

/* A thin rod that lies across the axes of the world turns about itself under a damper that a step cannot follow,
 * dt c / I = 5: it slows down. */
static void a_strong_damper_on_a_thin_rod_is_stable(void **state) {
  (void)state;
  Live live = start_in("moreau-jean", 0.002,
                       "'bodies': [{'name': 'rod', 'mass': 0.16, 'inertia': [3.754e-6, 0.0045, 0.0045], 'orientation': "
                       "{'axis': [0, 0, 1], 'angle_deg': 45}, 'angular_velocity': [3, 3, 0]}], 'joints': [{'type': "
                       "'spherical', 'bodies': ['world', 'rod'], 'point': [0, 0, 0], 'spring': {'damping': 0.01}}]");
  int rod = asp_model_find_body(live.scene.model, "rod");
  run_to(&live, 0.1);
  AspVec3 w = asp_state_angular_velocity(live.scene.model, asp_world_state(live.world), rod);
  assert_near(w.x, 0, 1e-6);
  assert_near(w.y, 0, 1e-6);
  end(&live);
}

static void mistakes_are_named(void **state) {
  (void)state;
  const Wrong wrong[] = {
      {"'type': 'drag', 'body': 'a'", "a fluid without density and viscosity"},
      {"'type': 'drag', 'body': 'a', 'density': -1", "/forces/0/density: -1 is not >= 0"},
      {"'type': 'drag', 'body': 'b', 'density': 1", "/forces/0/body"},
      {"'type': 'drag', 'body': 'ground', 'density': 1", "is not dynamic"},
      {"'type': 'drag', 'body': 'a', 'density': 1, 'orientation': [1, 0, 0, 0]", "give its size too"},
      {"'type': 'force', 'body': 'a', 'force': [1, 0, 0], 'density': 1",
       "/forces/0/density: type 'force' has no such key"}};
  assert_refused("{'bodies': [{'name': 'ground', 'fixed': true}, {'name': 'a', 'mass': 1, 'inertia': [1, 1, 1]}], "
                 "'forces': [{%s}], 'run': {'dt': 0.01}}",
                 wrong, sizeof wrong / sizeof *wrong);
  const Wrong plane[] = {{"'type': 'drag', 'body': 'a', 'density': 1", "/forces/0/type: 'drag' is not one of"}};
  assert_refused("{'dimension': 2, 'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1}], 'forces': [{%s}]}", plane, 1);
  const Wrong ball[] = {{"'spring': {'stiffness': -1}", "stiffness"},
                        {"'spring': {'stiffness': 1, 'rest': 0.2}", "is relaxed as the joint starts"},
                        {"'limits': [0, 1]", "/joints/0/limits"}};
  assert_refused("{'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, 1]}], 'joints': [{'type': 'spherical', "
                 "'bodies': ['world', 'a'], 'point': [0, 0, 0], %s}]}",
                 ball, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(drag_slows_by_the_square_of_the_speed),
      cmocka_unit_test(viscosity_slows_in_proportion_and_wind_carries),
      cmocka_unit_test(a_spinning_box_is_slowed),
      cmocka_unit_test(a_ball_joint_with_a_spring_swings_about_any_axis),
      cmocka_unit_test(a_strong_damper_on_a_thin_rod_is_stable),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
