/* Servos, and efforts as expressions: closed forms of one joint in all schemes, and mistakes by name. */
#include "live.h"

static const char *const schemes[] = {"moreau-jean", "stewart-trinkle", "generalized-alpha", "event-driven",
                                      "compliant"};
#define SCHEMES (sizeof schemes / sizeof *schemes)

/* A mass of 2 kg on a rail along `axis` under gravity 10 m/s^2 downwards, with what acts on the rail. */
static Live start_rail(const char *scheme, double dt, const char *axis, const char *acts) {
  char text[2048];
  snprintf(text, sizeof text,
           "{'dimension': 2, 'gravity': [0, -10], 'bodies': [{'name': 'mass', 'mass': 2, 'inertia': 1}],"
           "'joints': [{'name': 'rail', 'type': 'prismatic', 'bodies': ['world', 'mass'], 'axis': [%s], %s}],"
           "'run': {'scheme': '%s', 'dt': %.17g, 'until': 1}}",
           axis, acts, scheme, dt);
  return start(text);
}

static const AspJointRecord *rail(const Live *live) { return asp_world_joints(live->world); }

/* m c'' = kp (T - c) - kd c' from rest: an oscillation that dies away. */
static double response_error(const char *scheme, double dt) {
  const double m = 2, kp = 50, kd = 4, target = 0.3, t = 1;
  double w = sqrt(kp / m), damping = kd / (2 * m), wd = sqrt(w * w - damping * damping);
  double exact = target * (1 - exp(-damping * t) * (cos(wd * t) + damping / wd * sin(wd * t)));
  Live live = start_rail(scheme, dt, "1, 0", "'servo': {'kp': 50, 'kd': 4, 'target': 0.3}");
  run_to(&live, t);
  double error = fabs(rail(&live)->coordinate - exact);
  end(&live);
  return error;
}

static void the_response_is_that_of_a_damped_oscillator(void **state) {
  (void)state;
  const double allowed[SCHEMES] = {3e-4, 6e-3, 2e-4, 1e-9, 1e-7}, falls_to[SCHEMES] = {0.26, 0.55, 0.26, 2, 2};
  for (size_t i = 0; i < SCHEMES; i++) {
    double coarse = response_error(schemes[i], 0.01), fine = response_error(schemes[i], 0.005);
    assert_true(coarse < allowed[i]);
    assert_true(fine < falls_to[i] * coarse);
  }
}

/* The hinge of an arm in space, about y: I about the hinge = 0.1 + 2 0.5^2; the target moves, and so its velocity. */
static void a_hinge_in_space_follows_a_moving_target(void **state) {
  (void)state;
  Live live = start("{'bodies': [{'name': 'arm', 'mass': 2, 'inertia': [0.1, 0.1, 0.1], 'position': [0.5, 0, 0]}],"
                    "'joints': [{'name': 'hinge', 'type': 'revolute', 'bodies': ['world', 'arm'], 'point': [0, 0, 0], "
                    "'axis': [0, 1, 0], 'servo': {'kp': 600, 'kd': 30, 'target': '0.8*t'}}],"
                    "'run': {'dt': 0.001, 'until': 1}}");
  // e = 0.8 t - c: 0.6 e'' + 30 e' + 600 e = 0 with e'(0) = 0.8
  double d = 25, wd = sqrt(1000 - d * d), t = 0.1;
  run_to(&live, t);
  assert_near(0.8 * t - rail(&live)->coordinate, 0.8 / wd * exp(-d * t) * sin(wd * t), 2e-5);
  run_to(&live, 1);
  assert_near(rail(&live)->coordinate, 0.8, 1e-9);
  end(&live);
}

static void a_load_sags_by_its_weight_over_kp(void **state) {
  (void)state;
  for (size_t i = 0; i < SCHEMES; i++) {
    Live live = start_rail(schemes[i], 0.01, "0, 1", "'servo': {'kp': 400, 'kd': 100}");
    run_to(&live, 8);
    assert_near(rail(&live)->coordinate, -20.0 / 400, 1e-8);
    assert_near(rail(&live)->motor, 20, 1e-5);
    end(&live);
  }
}

/* Gains that no explicit step could follow: the target is held within a step, without swinging. */
static void a_servo_of_any_stiffness_is_stable(void **state) {
  (void)state;
  const char *gains[] = {"'servo': {'kp': 1e9, 'target': 0.1}", "'servo': {'kp': 1e9, 'kd': 1e6, 'target': 0.1}",
                         "'servo': {'kd': 1e9, 'target_velocity': 0.2}",
                         "'servo': {'kp': 1e9, 'kd': 1e6, 'target': 0.1, 'effort': 1e8}"};
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 4; k++) {
      if (i == 2 && k > 1)
        continue; // generalized-alpha carries on the acceleration of the first instant, or does not converge: it says so
      Live live = start_rail(schemes[i], 0.01, "0, 1", gains[k]);
      run_to(&live, 1);
      assert_near(rail(&live)->coordinate, k == 2 ? 0.2 : 0.1, k == 2 ? 2e-3 : 1e-5);
      end(&live);
    }
}

/* Far from the target the effort is at its limit: constant acceleration; the work is effort times way. */
static void at_its_limit_the_effort_is_constant(void **state) {
  (void)state;
  for (size_t i = 0; i < SCHEMES; i++) {
    Live live = start_rail(schemes[i], 0.01, "1, 0", "'servo': {'kp': 1e5, 'kd': 10, 'target': 100, 'effort': 6}");
    AspStepInfo info;
    double work = 0, remainder = 0;
    while (asp_world_state(live.world)->t < 1 - 1e-9) {
      assert_ok(live.context, asp_world_step(live.world, &info));
      assert_true(info.certified && info.resolved);
      assert_near(rail(&live)->motor, 6, 1e-9);
      work += info.flow.motors;
      remainder += fabs(info.flow.remainder);
    }
    bool first_order = i == 1; // positions with the velocity of the end of the step
    assert_near(rail(&live)->rate, 3, 1e-7);
    assert_near(rail(&live)->coordinate, first_order ? 1.515 : 1.5, 1e-7);
    assert_near(work, 9, 1e-5);
    assert_near(remainder, 0, 1e-5);
    end(&live);
  }
}

/* The stop takes what the servo gives. */
static void against_a_stop_it_stalls_at_its_limit(void **state) {
  (void)state;
  for (size_t i = 0; i < SCHEMES - 1; i++) { // compliant stops give way
    Live live = start_rail(schemes[i], 0.01, "1, 0",
                           "'limits': [-1, 0.05], 'servo': {'kp': 300, 'kd': 10, 'target': 1, 'effort': 8}");
    run_to(&live, 1);
    assert_near(rail(&live)->coordinate, 0.05, 1e-6);
    assert_near(rail(&live)->motor, 8, 1e-6);
    assert_near(rail(&live)->limit, -8, 1e-4);
    end(&live);
  }
}

/* Two servos on one body between two walls: neither row follows from the other. */
static void servos_in_a_closed_loop_share_the_load_by_their_gains(void **state) {
  (void)state;
  Live live = start("{'dimension': 2, 'gravity': [0, -10], 'bodies': [{'name': 'mass', 'mass': 2, 'inertia': 1}],"
                    "'joints': [{'type': 'prismatic', 'bodies': ['world', 'mass'], 'axis': [0, 1], "
                    "'servo': {'kp': 300, 'kd': 60}}, {'type': 'prismatic', 'bodies': ['world', 'mass'], "
                    "'axis': [0, 1], 'servo': {'kp': 100, 'kd': 20}}], 'run': {'dt': 0.01, 'until': 8}}");
  run_to(&live, 8);
  assert_near(rail(&live)[0].coordinate, -20.0 / 400, 1e-8);
  assert_near(rail(&live)[0].motor, 15, 1e-5);
  assert_near(rail(&live)[1].motor, 5, 1e-5);
  end(&live);
}

static void the_effort_of_motors_and_servos_may_be_an_expression(void **state) {
  (void)state;
  for (size_t i = 0; i < SCHEMES; i++) {
    Live live = start_rail(schemes[i], 0.001, "1, 0", "'motor': {'velocity': 100, 'effort': '2 + 4*t'}");
    run_to(&live, 1);
    assert_near(rail(&live)->rate, (2 + 0.5 * 4) / 2, 3e-3);
    end(&live);
    live = start_rail(schemes[i], 0.001, "1, 0",
                      "'servo': {'kp': 1e4, 'kd': 1, 'target': 100, 'effort': '8*rail.coordinate + 2'}");
    run_to(&live, 0.5);
    assert_near(rail(&live)->rate, 0.5 * sinh(2 * 0.5), 3e-3); // c'' = 4 c + 1
    end(&live);
  }
}

static void an_effort_below_zero_ends_the_run_with_its_name(void **state) {
  (void)state;
  AspStepInfo info;
  Live live = start_rail("moreau-jean", 0.01, "1, 0", "'motor': {'velocity': 1, 'effort': '0.5 - 100*t'}");
  assert_int_equal(asp_world_step(live.world, &info), ASP_ERROR_VALUE);
  assert_non_null(strstr(asp_context_message(live.context), "joint rail: its effort \"0.5 - 100*t\" is -0.5 at t = "));
  end(&live);
  live = start_rail("moreau-jean", 0.01, "1, 0", "'servo': {'kp': 1, 'target': 'sqrt(0.001 - t)'}");
  assert_int_equal(asp_world_step(live.world, &info), ASP_ERROR_VALUE);
  assert_non_null(strstr(asp_context_message(live.context), "its servo's target \"sqrt(0.001 - t)\" is "));
  end(&live);
}

/* A pole on a cart with state feedback F = -(k1 x + k2 x' + k3 th + k4 th'), made of the servo's own feedback and its
 * target; the poles of the linear system are at -2, -3, -4 and -5 1/s (examples/balance-a-cart.c). The angle is a sum
 * of four exponentials: e(t) with e^(j)(0) by the equations of motion. */
static void a_servo_balances_a_pole_with_the_poles_it_was_designed_for(void **state) {
  (void)state;
  const double M = 1, m = 0.2, l = 0.5, g = 9.81, tilt = 1e-3, pole[4] = {-2, -3, -4, -5};
  Live live = {.context = asp_context_create(NULL)};
  assert_ok(live.context,
            asp_scene_read(live.context, ASP_SOURCE_DIR "/scenes/balance-a-cart.json", &live.scene, NULL));
  assert_ok(live.context, asp_world_create(live.context, live.scene.model, &live.scene.run, &live.world));
  double J = 0.02 + m * l * l, D = (M + m) * J - m * m * l * l;
  double a = -m * m * l * l * g / D, b1 = J / D, c = (M + m) * m * g * l / D, b2 = -m * l / D, e = a * b2 - c * b1;
  double alpha[5] = {1, 0, 0, 0, 0}, k[4], worst = 0;
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j > 0; j--)
      alpha[j] -= pole[i] * alpha[j - 1];
  k[0] = alpha[4] / e;
  k[1] = alpha[3] / e;
  k[2] = (alpha[2] + c - b1 * k[0]) / b2;
  k[3] = (alpha[1] - b1 * k[1]) / b2;
  double x2 = a * tilt - b1 * k[2] * tilt, th2 = c * tilt - b2 * k[2] * tilt;
  double at[4] = {tilt, 0, th2, -b2 * (k[1] * x2 + k[3] * th2)};
  // Newton's divided form: th^(4) + alpha1 th''' + ... = 0, by Taylor steps that are exact to rounding
  int pivot = asp_model_find_joint(live.scene.model, "pivot");
  AspStepInfo info;
  while (asp_world_state(live.world)->t < 2 - 1e-9) {
    assert_ok(live.context, asp_world_step(live.world, &info));
    double next[4] = {0}, term[16];
    memcpy(term, at, sizeof at);
    for (int j = 4; j < 16; j++)
      term[j] = -(alpha[1] * term[j - 1] + alpha[2] * term[j - 2] + alpha[3] * term[j - 3] + alpha[4] * term[j - 4]);
    for (int d = 0; d < 4; d++)
      for (int j = 12, n = 12; j >= 0; j--, n--)
        next[d] = term[d + j] + (n < 12 ? next[d] * 1e-3 / (n + 1) : 0);
    memcpy(at, next, sizeof at);
    worst = fmax(worst, fabs(-asp_world_joints(live.world)[pivot].coordinate - at[0]));
  }
  assert_true(worst < 5e-3 * tilt);
  end(&live);
}

static const Wrong wrong[] = {
    {"'servo': {}", "servo: kp and kd are both 0, so that it does nothing; give one of them"},
    {"'servo': {'kp': -1}", "/joints/0/servo/kp: -1"},
    {"'servo': {'kp': 1, 'kd': 'x'}", "/joints/0/servo/kd: "},
    {"'servo': {'kp': 1, 'traget': 1}", "/joints/0/servo/traget: unknown key; did you mean 'target'?"},
    {"'servo': {'kp': 1, 'target': 'sin('}", "/joints/0/servo/target: 'sin(', column 5: expected a number"},
    {"'servo': {'kp': 1, 'target': 'arm.angle'}", "'arm.angle': there is no body or joint 'arm'"},
    {"'servo': {'kp': 1, 'target': 'log(-1)'}", "servo target: 'log(-1)' is nan at t = 0; it must be finite"},
    {"'servo': {'kp': 1, 'target_velocity': '1/0'}", "servo target_velocity: '1/0' is inf at t = 0"},
    {"'servo': {'kp': 1, 'effort': -3}", "effort: -3 is not >= 0"},
    {"'servo': {'kp': 1, 'effort': 'far'}", "'far' is not known"},
    {"'servo': {'kp': 1, 'target_deg': 1}", "/joints/0/servo/target_deg: the joint slides: give target, in metres"},
    {"'servo': {'kp': 1}, 'motor': {'velocity': 1}", "a joint cannot have a servo and a motor at the same time"},
    {"'servo': {'kp': 1}, 'displacement': 't'", "a joint cannot have a servo and a prescribed motion at the same time"},
    {"'motor': {'velocity': 1, 'effort': '2*'}", "/joints/0/motor/effort: '2*'"},
    {"'motor': {'velocity': 1, 'effort': []}", "/joints/0/motor/effort: expected a number or an expression"},
};

static void what_is_wrong_with_a_servo_is_named(void **state) {
  (void)state;
  assert_refused("{'dimension': 2, 'bodies': [{'name': 'mass', 'mass': 2, 'inertia': 1}], 'joints': [{'name': 'rail', "
                 "'type': 'prismatic', 'bodies': ['world', 'mass'], 'axis': [1, 0], %s}]}",
                 wrong, sizeof wrong / sizeof *wrong);
  const Wrong weld = {"'servo': {'kp': 1}", "/joints/0/servo: "};
  assert_refused("{'dimension': 2, 'bodies': [{'name': 'mass', 'mass': 2, 'inertia': 1}], 'joints': [{'name': 'rail', "
                 "'type': 'fixed', 'bodies': ['world', 'mass'], %s}]}",
                 &weld, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_response_is_that_of_a_damped_oscillator),
      cmocka_unit_test(a_hinge_in_space_follows_a_moving_target),
      cmocka_unit_test(a_load_sags_by_its_weight_over_kp),
      cmocka_unit_test(a_servo_of_any_stiffness_is_stable),
      cmocka_unit_test(at_its_limit_the_effort_is_constant),
      cmocka_unit_test(against_a_stop_it_stalls_at_its_limit),
      cmocka_unit_test(servos_in_a_closed_loop_share_the_load_by_their_gains),
      cmocka_unit_test(the_effort_of_motors_and_servos_may_be_an_expression),
      cmocka_unit_test(an_effort_below_zero_ends_the_run_with_its_name),
      cmocka_unit_test(a_servo_balances_a_pole_with_the_poles_it_was_designed_for),
      cmocka_unit_test(what_is_wrong_with_a_servo_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
