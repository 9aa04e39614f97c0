/* State in expressions, events and stop conditions: closed forms, and mistakes by name. */
#include "live.h"

/* x'' = -k x from x(0) = 1: cos(sqrt(k) t). In time stepping the error falls by four with half the step; smooth motions
 * between events follow the force to the tolerance of their integration, whatever dt is. */
static double spring_error(const char *scheme, double dt) {
  char text[1024];
  snprintf(text, sizeof text,
           "{'dimension': 2, 'bodies': [{'name': 'mass', 'mass': 1, 'inertia': 1, 'position': [1, 0]}],"
           "'forces': [{'type': 'force', 'body': 'mass', 'force': ['-16*mass.x', 0]}],"
           "'run': {'scheme': '%s', 'dt': %.17g, 'until': 1}}",
           scheme, dt);
  Live live = start(text);
  run_to(&live, 1);
  double x = asp_state_pose(live.scene.model, asp_world_state(live.world), 0).position.x;
  end(&live);
  return fabs(x - cos(4.0));
}

static void a_force_that_depends_on_the_position_is_of_second_order(void **state) {
  (void)state;
  const char *schemes[] = {"moreau-jean", "generalized-alpha"}, *smooth[] = {"event-driven", "compliant"};
  for (size_t i = 0; i < 2; i++) {
    double coarse = spring_error(schemes[i], 0.01), fine = spring_error(schemes[i], 0.005);
    assert_true(coarse < 0.01);
    assert_true(fine < 0.27 * coarse);
    assert_true(spring_error(smooth[i], 0.01) < 1e-7);
  }
}

/* x'' = -2 x': the speed decays as exp(-2 t). */
static void a_velocity_in_a_motor_target_and_in_a_force_acts(void **state) {
  (void)state;
  Live live = start("{'dimension': 2, 'bodies': [{'name': 'a mass', 'mass': 1, 'inertia': 1, 'velocity': [1, 0]}, "
                    "{'name': 'wall', 'fixed': true}, {'name': 'cart', 'mass': 1, 'inertia': 1}],"
                    "'joints': [{'name': 'rail', 'type': 'prismatic', 'bodies': ['wall', 'cart'], 'axis': [1, 0], "
                    "'motor': {'velocity': '1 - 2*rail.coordinate', 'effort': 1e6}}],"
                    "'forces': [{'type': 'force', 'body': 'a mass', 'force': ['-2*a_mass.vx', 0]}],"
                    "'run': {'dt': 0.001, 'until': 1}}");
  run_to(&live, 1);
  assert_near(asp_state_velocity(live.scene.model, asp_world_state(live.world), 0).x, exp(-2.0), 1e-3);
  // q' = 1 - 2 q
  assert_near(asp_state_pose(live.scene.model, asp_world_state(live.world), 2).position.x, 0.5 * (1 - exp(-2.0)), 1e-3);
  end(&live);
}

/* Falls from 1 m: below 0.5 m from sqrt(2 0.5 / g) on. */
static void a_stop_ends_where_its_condition_becomes_true(void **state) {
  (void)state;
  Live live = start("{'parameters': {'low': 0.5}, 'gravity': [0, 0, -9.81], 'bodies': [{'name': 'ball', 'mass': 1, "
                    "'inertia': [1, 1, 1], 'position': [0, 0, 1]}],"
                    "'stop': [{'when': 'ball.x > 1'}, {'when': 'ball.z < low and not (t < 0.1)', 'message': 'fell'}],"
                    "'run': {'dt': 0.001, 'until': 1}}");
  assert_int_equal(asp_world_stopped(live.world), -1);
  double t = run_to(&live, 1), exact = sqrt(2 * 0.5 / 9.81);
  assert_true(t >= exact - 1e-12 && t < exact + 1e-8);
  assert_int_equal(asp_world_stopped(live.world), 1);
  assert_string_equal(asp_world_stop_reason(live.world), asp_model_stop_message(live.scene.model, 1));
  assert_string_equal(asp_model_stop_message(live.scene.model, 1), "fell");
  assert_string_equal(asp_model_stop_message(live.scene.model, 0), "ball.x > 1");
  end(&live);
}

/* A thruster switched by position: on below 0, off above 1; it acts each time its condition becomes true. */
static void events_act_when_their_condition_becomes_true_and_count(void **state) {
  (void)state;
  Live live = start("{'inputs': [{'name': 'thrust', 'value': 1}], 'dimension': 2, "
                    "'bodies': [{'name': 'ship', 'mass': 1, 'inertia': 1}],"
                    "'forces': [{'type': 'force', 'body': 'ship', 'force': ['thrust', 0]}],"
                    "'events': [{'name': 'far', 'when': 'ship.x >= 1', 'set': {'thrust': '-1'}},"
                    "{'name': 'back', 'when': 'ship.x <= 0 and t > 1', 'set': {'thrust': 1}},"
                    "{'name': 'early', 'when': 'ship.x > 0.5', 'once': true, 'set': {'thrust': 'thrust'}}],"
                    "'run': {'dt': 0.001, 'until': 20}}");
  // accelerates to x = 1 at t = sqrt(2), turns at x = 2, is back at 1 at 3 sqrt(2)
  run_to(&live, 3 * sqrt(2) + 0.01);
  const AspState *now = asp_world_state(live.world);
  assert_near(asp_state_pose(live.scene.model, now, 0).position.x, 1, 0.03);
  assert_int_equal(asp_state_event_actions(live.scene.model, now, 0), 1);
  assert_int_equal(asp_state_event_actions(live.scene.model, now, 1), 0);
  run_to(&live, 20);
  now = asp_world_state(live.world);
  assert_int_equal(asp_state_event_actions(live.scene.model, now, 0), 2);
  assert_int_equal(asp_state_event_actions(live.scene.model, now, 1), 2);
  assert_int_equal(asp_state_event_actions(live.scene.model, now, 2), 1);
  end(&live);
}

/* A block at rest: the ground carries its weight. */
static void contact_forces_of_a_pair_and_of_a_body_are_the_weight(void **state) {
  (void)state;
  Live live = start("{'gravity': [0, 0, -10], 'materials': [{'pair': ['*', '*'], 'friction': 0.5}],"
                    "'bodies': [{'name': 'ground', 'fixed': true, 'shapes': [{'type': 'half-space', 'material': 'a'}]},"
                    "{'name': 'box', 'mass': 2, 'position': [0, 0, 0.5], "
                    "'shapes': [{'type': 'box', 'size': [1, 1, 1], 'material': 'a'}]}],"
                    "'stop': [{'when': 'box.ground.fz > 19.9 and ground.box.fz < -19.9 and box.fz > 19.9 and "
                    "box.ground.normal < 20.1 and box.ground.contacts >= 3 and box.force > 19.9 and t > 0.1 and "
                    "abs(energy.total - 10) < 1e-6'}],"
                    "'run': {'dt': 0.01, 'until': 1}}");
  double t = run_to(&live, 1);
  assert_true(t < 0.2);
  end(&live);
}

static const Wrong wrong[] = {
    {"'stop': [{'when': 'box.q > 0'}]", "/stop/0/when: 'box.q': a body has no 'q'; known: x, y, angle, vx"},
    {"'stop': [{'when': 'box.z > 0'}]", "/stop/0/when: 'box.z': a body has no 'z'"},
    {"'stop': [{'when': 'bix.x > 0'}]", "/stop/0/when: 'bix.x': there is no body or joint 'bix', and no two bodies"},
    {"'stop': [{'when': 'box. > 0'}]", "/stop/0/when: "},
    {"'stop': [{'when': 'box.x > '}]", "/stop/0/when: 'box.x > ', column 9: expected a number"},
    {"'stop': [{'when': 'box.x > 0 and'}]", "/stop/0/when: 'box.x > 0 and', column 14: expected a number"},
    {"'stop': [{'when': 'far > 0'}]", "/stop/0/when: 'far > 0', column 1: 'far' is not known"},
    {"'stop': [{'when': 1}]", "/stop/0/when: expected a condition such as"},
    {"'stop': [{'message': 'x'}]", "/stop/0/when: missing"},
    {"'stop': [{'when': 't > 1', 'wen': 1}]", "/stop/0/wen: unknown key; did you mean 'when'?"},
    {"'stop': {'when': 't > 1'}", "/stop: expected a list of objects"},
    {"'events': [{'when': 't > 1'}]", "/events/0: event 'event0': set: missing; an event sets at least one input, or"},
    {"'events': [{'when': 't > 1', 'set': {}}]", "/events/0: event 'event0': set: missing; an event sets at least one"},
    {"'events': [{'when': 't > 1', 'set': {'far': 1}}]", "/events/0/set/far: not an input or parameter of the scene"},
    {"'events': [{'when': 't > 1', 'set': {'box.x': 1}}]",
     "/events/0/set/box.x: not an input or parameter of the scene"},
    {"'events': [{'when': 't > 1', 'set': {'k': 1}}]",
     "/bodies/0/mass: 'k' changes during the run (/events/0/set), this number cannot; use another parameter here"},
    {"'events': [{'when': 't > 1', 'set': {'puhs': 1}}]",
     "/events/0/set/puhs: not an input or parameter of the scene; did you mean 'push'?"},
    {"'events': [{'when': 't > 1', 'set': {'narrow': 5}}]",
     "/events/0/set/narrow: 5 is outside the range [0, 2] of the parameter"},
    {"'events': [{'when': 't > 1', 'set': {'narrow': 1}}], 'gravity': [0, 'narrow']",
     "/gravity/1: 'narrow' changes during the run (/events/0/set)"},
    {"'events': [{'when': 't > 1', 'set': {'push': 'x'}}]", "/events/0/set/push: 'x', column 1: 'x' is not known"},
    {"'events': [{'when': 't > 1', 'set': {'push': []}}]", "/events/0/set/push: expected a number or an expression"},
    {"'events': [{'name': 'a b', 'when': 't > 1', 'set': {'push': 1}}]", "event 'a b': a name has letters, digits"},
    {"'forces': [{'type': 'force', 'body': 'box', 'force': ['box.zz', 0]}]",
     "/forces/0/force/0: 'box.zz': a body has no"},
};

/* One mistake, not one for each place that uses the parameter. */
static void a_parameter_that_is_wrong_is_named_once(void **state) {
  (void)state;
  static const char text[] =
      "{\"parameters\": {\"push\": {\"value\": 7, \"range\": [0, 6]}}, \"bodies\": [{\"name\": \"ball\", "
      "\"mass\": 2, \"inertia\": [1, 1, 1]}], \"forces\": [{\"type\": \"force\", \"body\": \"ball\", "
      "\"force\": [\"push\", 0, 0]}], \"events\": [{\"when\": \"t > push\", \"set\": {\"push\": 1}}]}";
  AspContext *context = asp_context_create(NULL);
  AspScene scene;
  AspMistakes mistakes = {0};
  assert_int_equal(asp_scene_parse(context, text, strlen(text), "scene", &scene, &mistakes), ASP_ERROR_INPUT);
  assert_int_equal(mistakes.count, 1);
  assert_non_null(strstr(mistakes.line[0], "/parameters/push: 7 is outside its range [0, 6]"));
  asp_mistakes_destroy(context, &mistakes);
  asp_context_destroy(context);
}

static void what_is_wrong_with_a_rule_is_named(void **state) {
  (void)state;
  assert_refused(
      "{'dimension': 2, 'parameters': {'k': 1, 'narrow': {'value': 1, 'range': [0, 2]}}, 'inputs': [{'name': 'push'}], "
      "'bodies': [{'name': 'box', 'mass': 'k', 'inertia': 1}], %s}",
      wrong, sizeof wrong / sizeof *wrong);
}

/* A parameter that an event sets: 1 m/s^2 until x = 0.5 m at t = 1 s, then 3 m/s^2; the threshold is a parameter, too. */
static void events_change_parameters(void **state) {
  (void)state;
  Live live = start("{'parameters': {'push': {'value': '2*half', 'range': [0, 6]}, 'half': 1, 'where': 0.5}, 'bodies': "
                    "[{'name': 'ball', 'mass': 2, 'inertia': [1, 1, 1]}],"
                    "'forces': [{'type': 'force', 'body': 'ball', 'force': ['push', 0, 0]}],"
                    "'events': [{'when': 'ball.x >= where', 'set': {'push': '6*half'}, 'once': true}],"
                    "'run': {'scheme': 'event-driven', 'dt': 0.01, 'until': 2}}");
  run_to(&live, 2);
  assert_near(position_of(&live, "ball").x, 0.5 + 1 + 1.5, 1e-9);
  assert_near(velocity_of(&live, "ball").x, 4, 1e-9);
  assert_int_equal(live.scene.parameter_count, 3);
  end(&live);
}

/* What an expression gives is known in the run only: there it ends, named, and what was before stays. */
static void a_value_that_an_event_sets_out_of_range_ends_the_run(void **state) {
  (void)state;
  Live live = start("{'parameters': {'push': {'value': 2, 'range': [0, 6]}}, 'bodies': "
                    "[{'name': 'ball', 'mass': 2, 'inertia': [1, 1, 1]}],"
                    "'forces': [{'type': 'force', 'body': 'ball', 'force': ['push', 0, 0]}],"
                    "'events': [{'name': 'kick', 'when': 't >= 0.045', 'set': {'push': '100*t + 2'}}],"
                    "'run': {'dt': 0.01, 'until': 2}}");
  AspStepInfo info;
  int input = asp_model_find_input(live.scene.model, "push");
  for (int i = 0; i < 4; i++)
    assert_ok(live.context, asp_world_step(live.world, &info));
  assert_int_equal(asp_world_step(live.world, &info), ASP_ERROR_VALUE);
  assert_string_equal(asp_context_message(live.context),
                      "event 'kick': input push: 7 at t = 0.05 s is outside its range [0, 6]");
  assert_int_equal(asp_world_set_input(live.world, input, -1), ASP_ERROR_VALUE);
  assert_ok(live.context, asp_world_set_input(live.world, input, 5));
  end(&live);
}

/* Sensors of pairs: on A by B is the opposite of on B by A, whatever their order; several pairs at once. */
static void forces_of_pairs_are_equal_and_opposite(void **state) {
  (void)state;
  Live live =
      start("{'gravity': [0, 0, -10], 'materials': [{'pair': ['*', '*'], 'friction': 0.5}], 'bodies': ["
            "{'name': 'floor', 'fixed': true, 'shapes': [{'type': 'half-space'}]},"
            "{'name': 'low', 'mass': 2, 'position': [0, 0, 0.1], 'shapes': [{'type': 'box', 'size': [0.2, 0.2, "
            "0.2]}]}, {'name': 'high', 'mass': 1, 'position': [0, 0, 0.3], 'shapes': [{'type': 'box', 'size': "
            "[0.2, 0.2, 0.2]}]}], 'probes': [{'name': 'a', 'value': 'high.low.fz'}, {'name': 'b', 'value': "
            "'low.high.fz'}, {'name': 'c', 'value': 'low.floor.fz'}, {'name': 'd', 'value': 'floor.low.normal'}, "
            "{'name': 'e', 'value': 'high.floor.force'}, {'name': 'f', 'value': 'floor.low.contacts'}, {'name': "
            "'g', 'value': 'energy.total - energy.gravitational'}], 'run': {'dt': 0.01, 'until': 1}}");
  const double expected[] = {10, -10, 30, 30, 0, 4, 0};
  AspProbes *probes = NULL;
  assert_ok(live.context, asp_probes_create(live.context, &live.scene, live.world, &probes));
  run_to(&live, 0.1);
  asp_probes_update(probes, live.world);
  for (int i = 0; i < 7; i++)
    assert_near(asp_probes_value(probes, i), expected[i], 1e-6);
  asp_probes_destroy(probes);
  end(&live);
}

/* m a is the sum of weight and contact forces in every step, also in those that are made in parts. */
static void accelerations_are_those_of_whole_steps(void **state) {
  (void)state;
  Live live = start("{'gravity': [0, 0, -10], 'materials': [{'pair': ['*', '*'], 'friction': 0.3, 'restitution': 0.5}],"
                    "'bodies': [{'name': 'floor', 'fixed': true, 'shapes': [{'type': 'half-space'}, {'type': 'box', "
                    "'size': [0.1, 2, 2], 'position': [0.75, 0, 1]}]}, {'name': 'ball', 'mass': 2, "
                    "'position': [0.599, 0, 0.105], 'velocity': [2, 0, -1], 'shapes': [{'type': 'sphere', 'radius': "
                    "0.1}]}], 'probes': [{'name': 'off', 'value': '2*ball.ax - ball.fx'}, {'name': 'off2', 'value': "
                    "'2*ball.az + 20 - ball.fz'}], 'run': {'dt': 0.01, 'until': 1}}");
  AspProbes *probes = NULL;
  AspStepInfo info;
  int divided = 0;
  assert_ok(live.context, asp_probes_create(live.context, &live.scene, live.world, &probes));
  for (int i = 0; i < 40; i++) {
    assert_ok(live.context, asp_world_step(live.world, &info));
    asp_probes_update(probes, live.world);
    divided += info.parts > 1;
    assert_near(asp_probes_value(probes, 0), 0, 1e-6);
    assert_near(asp_probes_value(probes, 1), 0, 1e-6);
  }
  assert_true(divided > 0);
  asp_probes_destroy(probes);
  end(&live);
}

/* Falls from 1 m with 1 m/s sideways; at 0.5 m a push sideways sets in, at 0.25 m the run stops. */
static void event_driven_locates_events_and_stops_to_rounding(void **state) {
  (void)state;
  Live live = start("{'gravity': [0, 0, -9.81], 'inputs': [{'name': 'push'}], 'bodies': [{'name': 'ball', 'mass': 1, "
                    "'inertia': [1, 1, 1], 'position': [0, 0, 1]}],"
                    "'forces': [{'type': 'force', 'body': 'ball', 'force': ['push', 0, 0]}],"
                    "'events': [{'when': 'ball.z <= 0.5', 'set': {'push': 3}}], 'stop': [{'when': 'ball.z <= 0.25'}],"
                    "'run': {'scheme': 'event-driven', 'dt': 0.05, 'until': 1}}");
  double t = run_to(&live, 1), pushed = sqrt(2 * 0.5 / 9.81), stopped = sqrt(2 * 0.75 / 9.81);
  assert_near(t, stopped, 1e-12);
  assert_near(position_of(&live, "ball").z, 0.25, 1e-12);
  assert_near(velocity_of(&live, "ball").x, 3 * (stopped - pushed), 1e-11);
  assert_int_equal(asp_state_event_actions(live.scene.model, asp_world_state(live.world), 0), 1);
  end(&live);
}

/* A carriage at 3 m/s that a switch at 1.0071 m stops, in steps of 30 mm: by an event, and by its motor's expression.
 * What is left is the part in which its velocity changes. */
static void time_stepping_locates_events_stops_and_switches_of_motors(void **state) {
  (void)state;
  const char *schemes[] = {"moreau-jean", "generalized-alpha", "stewart-trinkle"};
  const char *words[] = {"'inputs': [{'name': 'drive', 'value': 3}], 'events': [{'when': 'cart.x > 1.0071', 'set': "
                         "{'drive': 0}, 'once': true}]",
                         "'parameters': {'drive': 3}, 'stop': [{'when': 'cart.x > 1.0071'}]",
                         "'inputs': [{'name': 'drive', 'value': 3}, {'name': 'unused'}]"};
  for (int s = 0; s < 3; s++)
    for (int w = 0; w < (s == 2 ? 2 : 3); w++) {
      char text[1024];
      snprintf(text, sizeof text,
               "{'dimension': 2, 'gravity': [0, 0], 'bodies': [{'name': 'cart', 'mass': 1, 'inertia': 1, 'velocity':"
               " [3, 0]}], 'joints': [{'name': 'rail', 'type': 'prismatic', 'bodies': ['world', 'cart'], 'axis':"
               " [1, 0], 'motor': {'velocity': '%s', 'effort': 1e6}}], %s,"
               "'run': {'scheme': '%s', 'dt': 0.01, 'until': 0.5}}",
               w == 2 ? "if(cart.x - 1.0071, 0, drive)" : "drive", words[w], schemes[s]);
      Live live = start(text);
      double t = run_to(&live, 0.5);
      assert_near(position_of(&live, "cart").x, 1.0071, w == 1 ? 1e-7 : 2e-3);
      if (w == 1)
        assert_near(t, 1.0071 / 3, 1e-8);
      end(&live);
    }
}

/* Two events that switch each other on and off where they meet: time goes on, and the run is not vouched for. */
static void events_that_act_all_the_time_do_not_stop_it(void **state) {
  (void)state;
  const char *schemes[] = {"moreau-jean", "event-driven"};
  for (int s = 0; s < 2; s++) {
    char text[1024];
    AspStepInfo info;
    bool resolved = true;
    snprintf(text, sizeof text,
             "{'dimension': 2, 'gravity': [0, 0], 'inputs': [{'name': 'push', 'value': -5}], 'bodies': [{'name': 'a',"
             " 'mass': 1, 'inertia': 1, 'velocity': [1, 0]}], 'forces': [{'type': 'force', 'body': 'a', 'force':"
             " ['push', 0]}], 'events': [{'when': 'a.vx > 0', 'set': {'push': -5}}, {'when': 'a.vx < 0', 'set':"
             " {'push': 5}}], 'run': {'scheme': '%s', 'dt': 0.01, 'until': 0.5}}",
             schemes[s]);
    Live live = start(text);
    int steps = 0;
    while (asp_world_state(live.world)->t < 0.5 - 1e-9) {
      assert_int_equal(asp_world_step(live.world, &info), ASP_OK);
      resolved = resolved && info.resolved;
      steps++;
    }
    assert_true(steps < 500);
    assert_false(resolved);
    end(&live);
  }
}

static void a_motion_that_depends_on_the_state_is_refused(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspScene scene;
  assert_int_equal(read_quoted(context,
                               "{'dimension': 2, 'bodies': [{'name': 'box', 'mass': 1, 'inertia': 1}, "
                               "{'name': 'hand', 'motion': {'position': ['box.x', 0]}}]}",
                               &scene),
                   ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(context), "depends on the state; a prescribed motion cannot"));
  asp_context_destroy(context);
}

static void a_sensor_cannot_be_set_and_a_condition_without_value_ends_the_run(void **state) {
  (void)state;
  AspStepInfo info;
  Live live = start("{'dimension': 2, 'bodies': [{'name': 'box', 'mass': 1, 'inertia': 1, 'velocity': [-1, 0]}],"
                    "'stop': [{'when': 'sqrt(box.x + 0.005) < 0'}], 'run': {'dt': 0.01, 'until': 1}}");
  int input = asp_model_find_input(live.scene.model, "box.x");
  assert_true(input >= 0 && asp_model_is_sensor(live.scene.model, input));
  assert_int_equal(asp_world_set_input(live.world, input, 1), ASP_ERROR_ARGUMENT);
  assert_int_equal(asp_world_step(live.world, &info), ASP_ERROR_VALUE);
  assert_non_null(strstr(asp_context_message(live.context), "is not a number at t = 0.01 s"));
  end(&live);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(events_change_parameters),
      cmocka_unit_test(a_value_that_an_event_sets_out_of_range_ends_the_run),
      cmocka_unit_test(a_parameter_that_is_wrong_is_named_once),
      cmocka_unit_test(forces_of_pairs_are_equal_and_opposite),
      cmocka_unit_test(accelerations_are_those_of_whole_steps),
      cmocka_unit_test(a_force_that_depends_on_the_position_is_of_second_order),
      cmocka_unit_test(a_velocity_in_a_motor_target_and_in_a_force_acts),
      cmocka_unit_test(a_stop_ends_where_its_condition_becomes_true),
      cmocka_unit_test(events_act_when_their_condition_becomes_true_and_count),
      cmocka_unit_test(contact_forces_of_a_pair_and_of_a_body_are_the_weight),
      cmocka_unit_test(event_driven_locates_events_and_stops_to_rounding),
      cmocka_unit_test(time_stepping_locates_events_stops_and_switches_of_motors),
      cmocka_unit_test(events_that_act_all_the_time_do_not_stop_it),
      cmocka_unit_test(what_is_wrong_with_a_rule_is_named),
      cmocka_unit_test(a_motion_that_depends_on_the_state_is_refused),
      cmocka_unit_test(a_sensor_cannot_be_set_and_a_condition_without_value_ends_the_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
