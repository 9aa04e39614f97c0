/* Friction laws of pairs of materials, each against its closed form: static and kinetic friction, Stribeck's curve, an
 * elliptic cone, resistance to rolling and to spinning, tangential restitution. Through scenes; g = 9.81. */
#include "linalg/vec3.h"
#include "scene_runner.h"

#define GRAVITY 9.81

/* A body named "it" on the ground, with the given law, shape, motion and run. */
static void open_on_ground(SceneRun *run, const char *law, const char *body, const char *forces, const char *options) {
  char text[2048];
  snprintf(text, sizeof text,
           "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"a\", \"b\"], %s}], \"bodies\": [{\"name\": "
           "\"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\", \"material\": \"b\"}]}, {\"name\": "
           "\"it\", %s}], \"forces\": [%s], \"run\": {%s}}",
           law, body, forces, options);
  scene_open_text(run, text);
}

#define BLOCK                                                                                                          \
  "\"mass\": 2, \"position\": [0, 0, 0.05], \"shapes\": [{\"type\": \"box\", \"size\": [0.4, 0.4, 0.1], "              \
  "\"material\": \"a\"}]"
#define BALL                                                                                                           \
  "\"mass\": 3, \"inertia\": [0.3, 0.3, 0.3], \"position\": [0, 0, 0.5], \"shapes\": [{\"type\": \"sphere\", "         \
  "\"radius\": 0.5, \"material\": \"a\"}]"

static const char *const time_stepping[] = {"moreau-jean", "generalized-alpha"};

/* F = 10 t on 2 kg: at rest until 10 t = mu_s m g, then m v' = 10 t - mu_k m g. */
static double pulled_block_error(const char *scheme, double dt) {
  SceneRun run;
  char options[128];
  snprintf(options, sizeof options, "\"scheme\": \"%s\", \"dt\": %g, \"until\": 1.5, \"tolerance\": 1e-10", scheme, dt);
  open_on_ground(&run, "\"friction\": 0.3, \"static_friction\": 0.5", BLOCK,
                 "{\"type\": \"force\", \"body\": \"it\", \"force\": [\"10*t\", 0, 0], \"point\": [0, 0, 0]}", options);
  double loose = 0.5 * 2 * GRAVITY / 10, held = 0;
  while (scene_step(&run)) {
    double v = scene_velocity(&run, "it").x;
    if (run.info.t < loose - dt)
      assert_at_most(fabs(v), 1e-9);
    else if (held == 0 && v > 1e-6)
      held = run.info.t;
  }
  assert_near(held, loose, 2 * dt);
  assert_int_equal(run.uncertified, 0);
  double t = run.info.t, exact = (5 * (t * t - loose * loose) - 0.3 * 2 * GRAVITY * (t - loose)) / 2;
  double error = fabs(scene_velocity(&run, "it").x - exact);
  scene_close(&run);
  return error;
}

static void block_is_held_by_static_and_slides_with_kinetic_friction(void **state) {
  (void)state;
  // the jump of the force at the start of sliding falls somewhere within a step: first order
  for (int i = 0; i < 2; i++) {
    assert_at_most(pulled_block_error(time_stepping[i], 0.01), 0.01 * (0.5 - 0.3) * GRAVITY);
    assert_at_most(pulled_block_error(time_stepping[i], 0.001), 0.001 * (0.5 - 0.3) * GRAVITY);
  }
}

/* A block that is thrown slides with mu_k and comes to rest after v0 / (mu_k g), whatever mu_s. */
static void sliding_block_feels_no_static_friction(void **state) {
  (void)state;
  SceneRun run;
  open_on_ground(&run, "\"friction\": 0.3, \"static_friction\": 0.9", BLOCK ", \"velocity\": [0.6, 0.8, 0]", "",
                 "\"dt\": 0.001, \"until\": 0.5, \"tolerance\": 1e-10");
  scene_finish(&run);
  AspVec3 p = scene_position(&run, "it");
  assert_near(hypot(p.x, p.y), 1 / (2 * 0.3 * GRAVITY), 1e-6);
  assert_at_most(norm3(scene_velocity(&run, "it")), 1e-9);
  scene_close(&run);
}

/* s' = -g (mu_k + (mu_s - mu_k) exp(-s/v)): exp(s/v) = (1 + c) exp(...) ... ; with a = g mu_k, b = g (mu_s - mu_k)
 * the substitution y = exp(s/v) gives y' = -(a y + b)/v, so y(t) = (y0 + b/a) exp(-a t/v) - b/a. */
static double stribeck_error(const char *scheme, double dt) {
  SceneRun run;
  char options[128];
  snprintf(options, sizeof options, "\"scheme\": \"%s\", \"dt\": %g, \"until\": 0.2, \"tolerance\": 1e-10", scheme, dt);
  open_on_ground(&run, "\"friction\": 0.2, \"static_friction\": 0.6, \"stribeck_speed\": 0.3",
                 BLOCK ", \"velocity\": [0.6, 0.8, 0]", "", options);
  scene_finish(&run);
  double a = 0.2 * GRAVITY, b = 0.4 * GRAVITY, v = 0.3;
  double y = (exp(1 / v) + b / a) * exp(-a * 0.2 / v) - b / a;
  double error = fabs(norm3(scene_velocity(&run, "it")) - v * log(y));
  scene_close(&run);
  return error;
}

static void block_slows_down_along_stribecks_curve(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    double coarse = stribeck_error(time_stepping[i], 0.01), fine = stribeck_error(time_stepping[i], 0.001);
    assert_at_most(coarse, 0.02);
    assert_at_most(fine, coarse / 8); // first order: friction at the end of the step
    assert_true(fine > 0);
  }
}

/* Steep curve: within a step of 0.1 s friction changes by more than it must to make rest and sliding both possible. */
static void steep_stribeck_curve_is_certified(void **state) {
  (void)state;
  SceneRun run;
  open_on_ground(&run,
                 "\"friction\": 0.2, \"static_friction\": 0.6, \"stribeck_speed\": 0.01, \"stribeck_exponent\": 2",
                 BLOCK ", \"velocity\": [0.6, 0.8, 0]", "", "\"dt\": 0.05, \"until\": 1, \"tolerance\": 1e-8");
  scene_finish(&run);
  assert_at_most(norm3(scene_velocity(&run, "it")), 1e-7);
  scene_close(&run);
}

/* Friction opposes largest dissipation over the ellipse: r_i = -mu_i^2 u_i N / |(mu_1 u_1, mu_2 u_2)|. A push along the
 * ellipse's axes holds up to mu_1 N and mu_2 N; the body has turned by 30 degrees, and the ellipse with it. */
static void ellipse_holds_what_its_axes_say_in_the_frame_of_the_body(void **state) {
  (void)state;
  const double turn = 0.52359877559829882, mu[2] = {0.6, 0.2};
  for (int axis = 0; axis < 2; axis++)
    for (int beyond = 0; beyond < 2; beyond++) {
      double force = mu[axis] * 2 * GRAVITY * (beyond ? 1.01 : 0.99), angle = turn + 1.5707963267948966 * axis;
      char forces[256];
      snprintf(forces, sizeof forces,
               "{\"type\": \"force\", \"body\": \"it\", \"force\": [%.17g, %.17g, 0], \"point\": [0, 0, 0]}",
               force * cos(angle), force * sin(angle));
      SceneRun run;
      open_on_ground(&run, "\"friction\": 0.6, \"friction_across\": 0.2, \"direction\": [1, 0, 0]",
                     BLOCK ", \"orientation\": {\"axis\": [0, 0, 1], \"angle\": 0.52359877559829882}", forces,
                     "\"dt\": 0.01, \"until\": 0.5, \"tolerance\": 1e-10");
      scene_finish(&run);
      double expected = beyond ? (force / 2 - mu[axis] * GRAVITY) * 0.5 : 0;
      assert_near(norm3(scene_velocity(&run, "it")), expected, 1e-7);
      scene_close(&run);
    }
}

static void sliding_on_an_ellipse_is_pulled_towards_its_long_axis(void **state) {
  (void)state;
  SceneRun run;
  open_on_ground(&run, "\"friction\": 0.6, \"friction_across\": 0.2, \"direction\": [1, 0, 0]",
                 BLOCK ", \"velocity\": [3, 4, 0]", "", "\"dt\": 0.001, \"until\": 0.001, \"tolerance\": 1e-12");
  scene_finish(&run);
  // -mu_i^2 u_i / |(mu_1 u_1, mu_2 u_2)| g at the end of the step
  AspVec3 v = scene_velocity(&run, "it");
  double size = hypot(0.6 * v.x, 0.2 * v.y);
  assert_near((v.x - 3) / 0.001, -0.36 * v.x / size * GRAVITY, 1e-6);
  assert_near((v.y - 4) / 0.001, -0.04 * v.y / size * GRAVITY, 1e-6);
  scene_close(&run);
}

/* A rolling ball: (J/R^2 + m) v' = -c m g / R until rest. */
static void rolling_ball_comes_to_rest_where_its_resistance_says(void **state) {
  (void)state;
  SceneRun run;
  open_on_ground(&run, "\"friction\": 0.8, \"rolling\": 0.01",
                 BALL ", \"velocity\": [0.6, 0.8, 0], \"angular_velocity\": [-1.6, 1.2, 0]", "",
                 "\"dt\": 0.01, \"until\": 1, \"tolerance\": 1e-11");
  double slow = 0.01 * 3 * GRAVITY / 0.5 / (0.3 / 0.25 + 3);
  scene_finish(&run);
  AspVec3 p = scene_position(&run, "it"), v = scene_velocity(&run, "it");
  assert_near(norm3(v), 1 - slow, 1e-7);
  assert_near(hypot(p.x, p.y), 1 - 0.5 * slow, 1e-7);
  assert_near(p.x * 0.8 - p.y * 0.6, 0, 1e-9);
  const AspContactRecord *contact = asp_world_contacts(run.world);
  assert_near(hypot(contact->moment[1], contact->moment[2]), 0.01 * contact->impulse[0], 1e-9);
  scene_close(&run);
}

/* On a slope a ball with resistance c stays at rest as long as tan(slope) <= c / R. */
static void ball_on_a_slope_rests_iff_its_slope_is_below_the_rolling_limit(void **state) {
  (void)state;
  for (int beyond = 0; beyond < 2; beyond++) {
    double slope = atan(0.02 / 0.5 * (beyond ? 1.02 : 0.98));
    char forces[256], options[96];
    snprintf(forces, sizeof forces, "{\"type\": \"force\", \"body\": \"it\", \"force\": [%.17g, 0, 0]}",
             3 * GRAVITY * tan(slope));
    snprintf(options, sizeof options, "\"dt\": 0.01, \"until\": 1, \"tolerance\": 1e-11");
    SceneRun run;
    open_on_ground(&run, "\"friction\": 0.8, \"rolling\": 0.02", BALL, forces, options);
    scene_finish(&run);
    double expected = beyond ? (3 * GRAVITY * (tan(slope) - 0.02 / 0.5)) / (0.3 / 0.25 + 3) : 0;
    assert_near(norm3(scene_velocity(&run, "it")), expected, 1e-8);
    scene_close(&run);
  }
}

/* A spinning ball: J w' = -c m g; the same from a patch of radius a: c = 2/3 mu a. */
static void spinning_ball_slows_down_as_its_resistance_says(void **state) {
  (void)state;
  const char *laws[] = {"\"friction\": 0.6, \"spinning\": 0.02", "\"friction\": 0.6, \"contact_radius\": 0.05"};
  for (int i = 0; i < 2; i++) {
    SceneRun run;
    open_on_ground(&run, laws[i], BALL ", \"angular_velocity\": [0, 0, 5]", "",
                   "\"dt\": 0.01, \"until\": 1, \"tolerance\": 1e-11");
    scene_finish(&run);
    assert_near(scene_angular_velocity(&run, "it").z, 5 - 0.02 * 3 * GRAVITY / 0.3, 1e-7);
    scene_close(&run);
  }
}

/* Resistances need no method of their own: every exact method, and the polygons' ones, give the same motion. */
static void every_method_agrees_on_rolling_and_spinning(void **state) {
  (void)state;
  const char *options[] = {"\"solver\": \"auto\"",
                           "\"solver\": \"nsgs\"",
                           "\"solver\": \"admm\"",
                           "\"solver\": \"ipm\"",
                           "\"solver\": \"newton\"",
                           "\"solver\": \"aclm\"",
                           "\"solver\": \"lemke\", \"friction\": {\"model\": \"inscribed\"}",
                           "\"solver\": \"pgs\", \"friction\": {\"model\": \"circumscribed\"}"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    char text[256];
    snprintf(text, sizeof text, "%s, \"dt\": 0.01, \"until\": 0.3, \"tolerance\": 1e-9", options[i]);
    SceneRun run;
    open_on_ground(&run, "\"friction\": 0.8, \"rolling\": 0.01, \"spinning\": 0.02",
                   BALL ", \"velocity\": [1, 0, 0], \"angular_velocity\": [0, 2, 5]", "", text);
    scene_finish(&run);
    double slow = 0.01 * 3 * GRAVITY / 0.5 / (0.3 / 0.25 + 3);
    assert_near(scene_velocity(&run, "it").x, 1 - 0.3 * slow, 1e-6);
    assert_near(scene_angular_velocity(&run, "it").z, 5 - 0.3 * 0.02 * 3 * GRAVITY / 0.3, 1e-6);
    scene_close(&run);
  }
}

/* In the plane: a disk rolls with the torque c N. */
static void disk_in_the_plane_rolls_against_its_resistance(void **state) {
  (void)state;
  const char *text =
      "{\"dimension\": 2, \"gravity\": [0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.8, "
      "\"rolling\": 0.01}], \"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": "
      "\"half-plane\"}]}, {\"name\": \"it\", \"mass\": 3, \"inertia\": 0.3, \"position\": [0, 0.5], \"velocity\": [1, "
      "0], \"angular_velocity\": -2, \"shapes\": [{\"type\": \"disk\", \"radius\": 0.5}]}], \"run\": {\"dt\": 0.01, "
      "\"until\": 1, \"tolerance\": 1e-11}}";
  SceneRun run;
  scene_open_text(&run, text);
  scene_finish(&run);
  assert_near(scene_velocity(&run, "it").x, 1 - 0.01 * 3 * GRAVITY / 0.5 / (0.3 / 0.25 + 3), 1e-7);
  scene_close(&run);
}

/* A super ball: the slip at the point of contact is reversed, u_T+ = -e_T u_T-, when friction suffices. With
 * k = J/(m R^2): p_T = (1 + e_T) u_T- m k/(1 + k), v_x+ = v_x - p_T/m, w_y+ = w_y + p_T R/J up to sign. */
static void super_ball_returns_its_slip(void **state) {
  (void)state;
  SceneRun run;
  const char *body = "\"mass\": 3, \"inertia\": [0.3, 0.3, 0.3], \"position\": [0, 0, 0.51], \"velocity\": [1, 0, -4], "
                     "\"shapes\": [{\"type\": \"sphere\", \"radius\": 0.5, \"material\": \"a\"}]";
  const char *text = "\"friction\": 5, \"restitution\": 0.9, \"tangential_restitution\": 0.7";
  open_on_ground(&run, text, body, "", "\"dt\": 0.0001, \"until\": 0.02, \"tolerance\": 1e-11");
  scene_finish(&run);
  double k = 0.3 / (3 * 0.25), change = 1.7 * k / (1 + k);
  assert_near(scene_velocity(&run, "it").x, 1 - change, 1e-9);
  assert_near(scene_angular_velocity(&run, "it").y, change * 3 * 0.5 / 0.3, 1e-8);
  scene_close(&run);
}

/* Angular momentum about the origin. */
static AspVec3 angular_momentum(const SceneRun *run, const char *name) {
  const AspModel *model = run->scene.model;
  int body = scene_body(run, name);
  AspMat3 J = asp_model_body_inertia(model, body); // of a ball: the same in every frame
  AspVec3 w = scene_angular_velocity(run, name), p = scene_position(run, name);
  AspVec3 linear = scale3(asp_model_body_mass(model, body), scene_velocity(run, name));
  return add3(cross3(p, linear), scale3(J.m[0], w));
}

/* Two balls hit each other off centre, with friction, while the step leaves a gap of up to 0.07 m between them. */
static void oblique_impact_with_friction_keeps_angular_momentum_at_any_gap(void **state) {
  (void)state;
  const char *text =
      "{\"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.4, \"restitution\": 0.5}], \"bodies\": [{\"name\": "
      "\"one\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"velocity\": [7, 0, 0], \"angular_velocity\": [1, 2, 3], "
      "\"shapes\": [{\"type\": \"sphere\", \"radius\": 0.5}]}, {\"name\": \"two\", \"mass\": 2, \"inertia\": [0.2, "
      "0.2, 0.2], \"position\": [1.5, 0.4, 0.2], \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.5}]}], \"run\": "
      "{\"dt\": 0.01, \"until\": 0.3, \"tolerance\": 1e-12}}";
  SceneRun run;
  scene_open_text(&run, text);
  AspVec3 before = add3(angular_momentum(&run, "one"), angular_momentum(&run, "two"));
  scene_finish(&run);
  assert_true(norm3(scene_angular_velocity(&run, "two")) > 0.1);
  AspVec3 after = add3(angular_momentum(&run, "one"), angular_momentum(&run, "two"));
  assert_at_most(norm3(sub3(after, before)), 1e-11);
  scene_close(&run);
}

/* Newton's second law for every body and step, from the results alone: m dv/dt = m g + force, J dw/dt = torque. */
static void totals_of_contacts_are_what_changes_the_momentum(void **state) {
  (void)state;
  const char *laws[] = {"newton", "poisson", "sequential"};
  for (int law = 0; law < 3; law++) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.4, \"rolling\": "
        "0.01, \"spinning\": 0.02, \"restitution\": 0.3}], \"bodies\": [{\"name\": \"ground\", \"fixed\": true, "
        "\"shapes\": [{\"type\": \"half-space\"}]}, {\"name\": \"one\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], "
        "\"position\": [0, 0, 0.5], \"velocity\": [2, 0.1, 0], \"angular_velocity\": [1, 2, 3], \"shapes\": "
        "[{\"type\": \"sphere\", \"radius\": 0.5}]}, {\"name\": \"two\", \"mass\": 2, \"inertia\": [0.2, 0.2, 0.2], "
        "\"position\": [1.1, 0.1, 0.6], \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.5}]}], \"run\": "
        "{\"impact\": \"%s\", \"dt\": 0.01, \"until\": 0.4, \"tolerance\": 1e-11}}",
        laws[law]);
    SceneRun run;
    scene_open_text(&run, text);
    const char *names[] = {"one", "two"};
    for (bool going = true; going;) {
      AspVec3 v[2], w[2];
      for (int i = 0; i < 2; i++) {
        v[i] = scene_velocity(&run, names[i]);
        w[i] = scene_angular_velocity(&run, names[i]);
      }
      going = scene_step(&run);
      for (int i = 0; i < 2 && going; i++) {
        const AspWrench *total = &asp_world_contact_totals(run.world)[scene_body(&run, names[i])];
        double m = i + 1, J = 0.1 * m, per = 1 / run.info.dt;
        AspVec3 force = scale3(m * per, sub3(scene_velocity(&run, names[i]), v[i]));
        assert_at_most(norm3(sub3(force, add3(total->force, vec3(0, 0, -GRAVITY * m)))), 1e-7);
        AspVec3 torque = scale3(J * per, sub3(scene_angular_velocity(&run, names[i]), w[i]));
        assert_at_most(norm3(sub3(torque, total->torque)), 1e-7);
      }
    }
    assert_int_equal(run.uncertified, 0);
    scene_close(&run);
  }
}

/* A puck whose inertia about the normal is m k^2, with its centre of mass at the contact: (v, k w) shrinks towards zero
 * along its own direction, so that sliding and spinning end together after |(v, k w)| / (mu g). */
static void patch_that_slides_and_spins_ends_both_together(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run,
                  "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.3, "
                  "\"contact_radius\": 0.03}], \"bodies\": [{\"name\": \"floor\", \"fixed\": true, \"shapes\": "
                  "[{\"type\": \"half-space\"}]}, {\"name\": \"puck\", \"mass\": 1, \"inertia\": [1, 1, 4e-4], "
                  "\"velocity\": [0.3, 0, 0], \"angular_velocity\": [0, 0, 20], \"shapes\": [{\"type\": \"sphere\", "
                  "\"radius\": 0.1, \"position\": [0, 0, 0.1]}]}], \"run\": {\"dt\": 0.001, \"until\": 0.25}}");
  double end = 0.5 / (0.3 * 9.81);
  while (scene_step(&run)) {
    double left = fmax(0, 1 - run.info.t / end);
    assert_near(scene_velocity(&run, "puck").x, 0.3 * left, 1e-6 + (fabs(run.info.t - end) < 0.0015 ? 2e-3 : 0));
    assert_near(scene_angular_velocity(&run, "puck").z, 20 * left, 1e-4 + (fabs(run.info.t - end) < 0.0015 ? 0.1 : 0));
  }
  assert_near(scene_position(&run, "puck").x, 0.5 * 0.3 * end, 1e-5);
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(block_is_held_by_static_and_slides_with_kinetic_friction),
      cmocka_unit_test(sliding_block_feels_no_static_friction),
      cmocka_unit_test(block_slows_down_along_stribecks_curve),
      cmocka_unit_test(steep_stribeck_curve_is_certified),
      cmocka_unit_test(ellipse_holds_what_its_axes_say_in_the_frame_of_the_body),
      cmocka_unit_test(sliding_on_an_ellipse_is_pulled_towards_its_long_axis),
      cmocka_unit_test(rolling_ball_comes_to_rest_where_its_resistance_says),
      cmocka_unit_test(ball_on_a_slope_rests_iff_its_slope_is_below_the_rolling_limit),
      cmocka_unit_test(spinning_ball_slows_down_as_its_resistance_says),
      cmocka_unit_test(every_method_agrees_on_rolling_and_spinning),
      cmocka_unit_test(disk_in_the_plane_rolls_against_its_resistance),
      cmocka_unit_test(super_ball_returns_its_slip),
      cmocka_unit_test(totals_of_contacts_are_what_changes_the_momentum),
      cmocka_unit_test(oblique_impact_with_friction_keeps_angular_momentum_at_any_gap),
      cmocka_unit_test(patch_that_slides_and_spins_ends_both_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
