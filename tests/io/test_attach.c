/* Joints that events close and release: momentum, energy and pose against closed forms in all schemes, saved and
 * restored, and mistakes by name. */
#include "live.h"

static const char *const schemes[] = {"moreau-jean", "stewart-trinkle", "generalized-alpha", "event-driven",
                                      "compliant"};
#define SCHEMES (sizeof schemes / sizeof *schemes)

static const char *const catcher =
    "{'dimension': 2, 'bodies': [{'name': 'dart', 'mass': 1, 'inertia': 0.5, 'velocity': [3, 0]}, "
    "{'name': 'cart', 'mass': 2, 'inertia': 0.5, 'position': [1, 0.5]}],"
    "'joints': [{'name': 'rail', 'type': 'prismatic', 'bodies': ['world', 'cart'], 'axis': [1, 0]},"
    "{'name': 'weld', 'type': 'fixed', 'bodies': ['cart', 'dart'], 'active': false}],"
    "'events': [{'name': 'catch', 'when': 'dart.x >= 0.6', 'activate': 'weld', 'once': true},"
    "{'name': 'let_go', 'when': 't > 0.4', 'release': 'weld'}],"
    "'run': {'scheme': '%s', 'dt': 0.01, 'until': 0.6}}";

/* 3 m/s and 1 kg catch 2 kg: 1 m/s together, 3 J of 4.5 J are lost; the rail takes no part. */
static void a_weld_that_closes_takes_the_other_body_along(void **state) {
  (void)state;
  for (size_t i = 0; i < SCHEMES; i++) {
    char text[2048];
    AspStepInfo info;
    double impacts = 0, remainder = 0, apart = NAN;
    snprintf(text, sizeof text, catcher, schemes[i]);
    Live live = start(text);
    int weld = asp_model_find_joint(live.scene.model, "weld");
    assert_false(asp_joint_is_active(live.scene.model, asp_world_state(live.world), weld));
    while (asp_world_state(live.world)->t < 0.39) {
      assert_ok(live.context, asp_world_step(live.world, &info));
      impacts += info.flow.impacts;
      remainder += fabs(info.flow.remainder);
      if (isnan(apart) && asp_joint_is_active(live.scene.model, asp_world_state(live.world), weld))
        apart = position_of(&live, "dart").x - position_of(&live, "cart").x;
    }
    assert_true(asp_joint_is_active(live.scene.model, asp_world_state(live.world), weld));
    assert_near(velocity_of(&live, "dart").x, 1, 1e-6);
    assert_near(velocity_of(&live, "cart").x, 1, 1e-6);
    assert_near(position_of(&live, "dart").x - position_of(&live, "cart").x, apart, 1e-6);
    assert_near(apart, -0.4, 0.031);
    assert_near(impacts, 3, 1e-4);
    assert_near(remainder, 0, 1e-4);
    run_to(&live, 0.6);
    assert_false(asp_joint_is_active(live.scene.model, asp_world_state(live.world), weld));
    end(&live);
  }
}

/* In space: an arm turns with 2 rad/s and takes up a block that lies in its way, at whatever pose; it swings on with
 * the angular momentum kept about the hinge. */
static void a_block_is_taken_up_at_its_present_pose(void **state) {
  (void)state;
  for (size_t i = 0; i < SCHEMES; i++) {
    char text[2048];
    snprintf(text, sizeof text,
             "{'bodies': [{'name': 'arm', 'mass': 1, 'inertia': [0.1, 0.1, 0.1], 'position': [0.5, 0, 0], "
             "'velocity': [0, 1, 0], 'angular_velocity': [0, 0, 2]}, {'name': 'block', 'mass': 1, "
             "'inertia': [0.1, 0.1, 0.1], 'position': [0, 1, 0], 'orientation': {'axis': [1, 1, 0], 'angle': 0.7}}],"
             "'joints': [{'name': 'hinge', 'type': 'revolute', 'bodies': ['world', 'arm'], 'point': [0, 0, 0], 'axis': "
             "[0, 0, 1]}, {'name': 'hook', 'type': 'fixed', 'bodies': ['arm', 'block'], 'active': false}],"
             "'events': [{'when': 'hinge.coordinate > 1', 'activate': 'hook'}],"
             "'run': {'scheme': '%s', 'dt': 0.005, 'until': 1.5}}",
             schemes[i]);
    Live live = start(text);
    run_to(&live, 1.5);
    AspVec3 x = position_of(&live, "block");
    assert_near(hypot(x.x, x.y), 1, 2e-3);
    // I of the arm 0.35, of the block 1.1: 2 0.35 / 1.45
    assert_near(asp_state_angular_velocity(live.scene.model, asp_world_state(live.world), 1).z, 0.7 / 1.45, 2e-3);
    end(&live);
  }
}

/* What a joint has on its coordinate ends with it: a cart that a servo, a spring or a torque sets in motion goes on as it is. */
static void a_released_joint_drives_nothing(void **state) {
  (void)state;
  static const char *const drives[] = {"'servo': {'kp': 20, 'kd': 1, 'target': 1, 'effort': 9}",
                                       "'spring': {'stiffness': 20, 'damping': 1, 'rest': 1}", "'effort': '8*cos(t)'",
                                       "'motor': {'velocity': 2, 'effort': 7}", "'limits': [-0.1, 0.12]"};
  for (size_t i = 0; i < SCHEMES; i++)
    for (size_t k = 0; k < sizeof drives / sizeof *drives; k++) {
      char text[2048];
      AspStepInfo info;
      double remainder = 0;
      snprintf(text, sizeof text,
               "{'dimension': 2, 'bodies': [{'name': 'cart', 'mass': 2, 'inertia': 0.5, 'velocity': [0.5, 0]}],"
               "'joints': [{'name': 'rail', 'type': 'prismatic', 'bodies': ['world', 'cart'], 'axis': [1, 0], "
               "'active': true, %s}], 'events': [{'name': 'let_go', 'when': 't > 0.2', 'release': 'rail'}],"
               "'run': {'scheme': '%s', 'dt': 0.01, 'until': 0.5}}",
               drives[k], schemes[i]);
      Live live = start(text);
      run_to(&live, 0.25);
      AspVec3 v = velocity_of(&live, "cart");
      while (asp_world_state(live.world)->t < 0.49) {
        assert_ok(live.context, asp_world_step(live.world, &info));
        remainder += fabs(info.flow.remainder) + fabs(info.flow.motors) + fabs(info.flow.forces);
      }
      assert_near(velocity_of(&live, "cart").x, v.x, 1e-12);
      assert_near(remainder, 0, 1e-12);
      end(&live);
    }
}

static void a_closed_joint_is_saved_and_restored(void **state) {
  (void)state;
  char text[2048];
  size_t size, written;
  snprintf(text, sizeof text, catcher, "moreau-jean");
  Live live = start(text), other = start(text);
  run_to(&live, 0.3);
  assert_ok(live.context, asp_world_save(live.world, NULL, 0, &size));
  void *bytes = malloc(size);
  assert_ok(live.context, asp_world_save(live.world, bytes, size, &written));
  assert_ok(other.context, asp_world_restore(other.world, bytes, written));
  free(bytes);
  run_to(&live, 0.6);
  run_to(&other, 0.6);
  assert_true(position_of(&live, "dart").x == position_of(&other, "dart").x);
  end(&live);
  end(&other);
}

static const Wrong wrong[] = {
    {"'activate': 'welt'", "activate: there is no joint 'welt'"},
    {"'activate': 'rail'", "activate: the joint 'rail' cannot be switched; give it \"active\""},
    {"'release': 'rail'", "release: the joint 'rail' cannot be switched"},
    {"'activate': 'rope'", "activate: the joint 'rope' is of the kind distance, which can only be released; use fixed"},
    {"'activate': 3", "/events/0/activate: expected a text"},
    {"'active': 'weld'", "/events/0/active: unknown key; did you mean 'activate'?"},
    {"'once': true", "set: missing; an event sets at least one input, or has a joint to activate or release"},
};

static void what_is_wrong_with_a_switch_is_named(void **state) {
  (void)state;
  assert_refused("{'dimension': 2, 'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1}, {'name': 'b', 'mass': 1, "
                 "'inertia': 1, 'position': [1, 0]}], 'joints': [{'name': 'rail', 'type': 'prismatic', 'bodies': "
                 "['world', 'a'], 'axis': [1, 0]}, {'name': 'rope', 'type': 'distance', 'bodies': ['a', 'b'], "
                 "'point': [0, 0], 'point_b': [1, 0], 'active': true}], 'events': [{'when': 't > 1', %s}]}",
                 wrong, sizeof wrong / sizeof *wrong);
  const Wrong flag = {"3", "/joints/0/active: expected true or false"};
  assert_refused("{'dimension': 2, 'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1}], 'joints': [{'type': 'fixed', "
                 "'bodies': ['world', 'a'], 'active': %s}]}",
                 &flag, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_weld_that_closes_takes_the_other_body_along),
      cmocka_unit_test(a_block_is_taken_up_at_its_present_pose),
      cmocka_unit_test(a_released_joint_drives_nothing),
      cmocka_unit_test(a_closed_joint_is_saved_and_restored),
      cmocka_unit_test(what_is_wrong_with_a_switch_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
