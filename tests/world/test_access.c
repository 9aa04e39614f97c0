/* A world from outside: wrenches, state, joint coordinates, pairs that do not touch, callbacks, several worlds of one
 * model. */
#include "linalg/vec3.h"
#include "scene_runner.h"

#include <pthread.h>

static const char *const schemes[] = {"moreau-jean", "stewart-trinkle", "generalized-alpha", "event-driven",
                                      "compliant"};
#define SCHEMES ((int)(sizeof schemes / sizeof *schemes))

static void open_block(SceneRun *run, const char *scheme, const char *force) {
  char text[1024];
  snprintf(text, sizeof text,
           "{\"bodies\": [{\"name\": \"block\", \"mass\": 2, \"inertia\": [1, 2, 3]}]%s, \"run\": {\"scheme\": "
           "\"%s\", \"dt\": 0.01, \"until\": 0.1}}",
           force, scheme);
  scene_open_text(run, text);
}

static void a_wrench_acts_as_a_force_of_the_scene_for_one_step(void **state) {
  (void)state;
  for (int i = 0; i < SCHEMES; i++) {
    SceneRun pushed, plain;
    open_block(&pushed, schemes[i], "");
    open_block(&plain, schemes[i],
               ", \"forces\": [{\"type\": \"force\", \"body\": \"block\", \"force\": [3, 0, 0]}, {\"type\": "
               "\"torque\", \"body\": \"block\", \"torque\": [0, 0, 0.5]}]");
    for (int step = 0; step < 5; step++) {
      AspWrench wrench = {{1, 0, 0}, {0, 0, 0.5}}, more = {{2, 0, 0}, {0, 0, 0}};
      assert_ok(pushed.context, asp_world_apply_wrench(pushed.world, 0, &wrench, NULL));
      assert_ok(pushed.context, asp_world_apply_wrench(pushed.world, 0, &more, NULL)); // they add up
      assert_true(scene_step(&pushed) && scene_step(&plain));
      assert_near(pushed.info.flow.forces, plain.info.flow.forces, 1e-9);
      assert_true(fabs(pushed.info.flow.remainder) < 1e-9);
    }
    const AspState *state_of = asp_world_state(pushed.world), *expected = asp_world_state(plain.world);
    for (int k = 0; k < 6; k++)
      assert_near(state_of->v[k], expected->v[k], 1e-9);
    double v = state_of->v[0];
    assert_near(v, 3 / 2. * 0.05, 1e-9);
    assert_true(scene_step(&pushed)); // nothing acts any more
    assert_near(asp_world_state(pushed.world)->v[0], v, 1e-12);
    scene_close(&pushed);
    scene_close(&plain);
  }
}

static void a_force_beside_the_centre_turns_the_body(void **state) {
  (void)state;
  SceneRun run;
  open_block(&run, "moreau-jean", "");
  AspVec3 point = {0, 0.5, 0};
  assert_ok(run.context, asp_world_apply_wrench(run.world, 0, &(AspWrench){{6, 0, 0}, {0, 0, 0}}, &point));
  assert_true(scene_step(&run));
  assert_near(asp_world_state(run.world)->v[5], -6 * 0.5 / 3 * 0.01, 1e-9);
  scene_close(&run);
}

static void what_is_not_finite_is_refused_by_name(void **state) {
  (void)state;
  SceneRun run;
  AspState changed;
  open_block(&run, "moreau-jean", "");
  uint64_t before = asp_world_state_hash(run.world);
  assert_int_equal(asp_world_apply_wrench(run.world, 0, &(AspWrench){{NAN, 0, 0}, {0, 0, 0}}, NULL), ASP_ERROR_VALUE);
  assert_non_null(strstr(asp_context_message(run.context), "body block"));
  assert_int_equal(asp_world_apply_wrench(run.world, 7, &(AspWrench){{1, 0, 0}, {0, 0, 0}}, NULL), ASP_ERROR_ARGUMENT);
  assert_ok(run.context, asp_state_create(run.scene.model, &changed));
  changed.v[1] = INFINITY;
  assert_int_equal(asp_world_set_state(run.world, &changed), ASP_ERROR_VALUE);
  assert_non_null(strstr(asp_context_message(run.context), "state: body block"));
  changed.v[1] = 0;
  changed.q[3] = 2;
  assert_int_equal(asp_world_set_state(run.world, &changed), ASP_ERROR_VALUE);
  assert_non_null(strstr(asp_context_message(run.context), "quaternion"));
  assert_true(asp_world_state_hash(run.world) == before);
  asp_state_destroy(run.scene.model, &changed);
  scene_close(&run);
}

/* A run that begins at a state of another one goes the same way. */
static void a_state_that_is_set_is_gone_on_from(void **state) {
  (void)state;
  static const AspScheme with_impacts[] = {ASP_SCHEME_MOREAU_JEAN, ASP_SCHEME_GENERALIZED_ALPHA,
                                           ASP_SCHEME_EVENT_DRIVEN};
  for (int i = 0; i < 3; i++) {
    SceneRun run, other;
    scene_open(&run, "double-pendulum-hits-wall", 1e-3);
    scene_open(&other, "double-pendulum-hits-wall", 1e-3);
    SceneRun *both[] = {&run, &other};
    for (int k = 0; k < 2; k++) {
      asp_world_destroy(both[k]->world);
      both[k]->scene.run.scheme = with_impacts[i];
      assert_ok(both[k]->context,
                asp_world_create(both[k]->context, both[k]->scene.model, &both[k]->scene.run, &both[k]->world));
    }
    for (int step = 0; step < 20; step++)
      assert_true(scene_step(&run));
    assert_true(scene_step(&other));
    assert_ok(other.context, asp_world_set_state(other.world, asp_world_state(run.world)));
    for (int step = 0; step < 20; step++) {
      assert_true(scene_step(&run) && scene_step(&other));
      assert_true(other.info.certified);
    }
    int size = asp_model_q_size(run.scene.model);
    for (int k = 0; k < size; k++)
      assert_near(asp_world_state(other.world)->q[k], asp_world_state(run.world)->q[k], 1e-6);
    assert_near(asp_world_state(other.world)->t, asp_world_state(run.world)->t, 1e-12);
    scene_close(&run);
    scene_close(&other);
  }
}

/* Three links in space: any angle, also beyond a full turn, carries what hangs on the joint. */
static void the_coordinate_of_a_joint_in_a_tree_is_set_exactly(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(
      &run, "{\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [0.5, 0, 0]}, "
            "{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [1.5, 0, 0]}, {\"name\": \"c\", "
            "\"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [2.5, 0, 0]}], \"joints\": [{\"name\": \"first\", "
            "\"type\": \"revolute\", \"bodies\": [\"world\", \"a\"], \"point\": [0, 0, 0], \"axis\": [0, 0, 1]}, "
            "{\"name\": \"second\", \"type\": \"revolute\", \"bodies\": [\"a\", \"b\"], \"point\": [1, 0, 0], "
            "\"axis\": [0, 1, 0]}, {\"name\": \"third\", \"type\": \"prismatic\", \"bodies\": [\"b\", \"c\"], "
            "\"axis\": [1, 0, 0]}], \"run\": {\"dt\": 0.001, \"until\": 1}}");
  const double values[] = {7.5, -1.2, 0.3}, rates[] = {2, -3, 0.5};
  for (int joint = 2; joint >= 0; joint--)
    assert_ok(run.context, asp_world_set_joint(run.world, joint, values[joint], 0));
  for (int joint = 0; joint < 3; joint++)
    assert_near(asp_world_joints(run.world)[joint].coordinate, values[joint], 1e-12);
  for (int joint = 0; joint < 3; joint++)
    assert_ok(run.context, asp_world_set_joint(run.world, joint, values[joint], rates[joint]));
  assert_near(asp_world_joint_drift(run.world), 0, 1e-12);
  assert_near(asp_world_joints(run.world)[2].rate, rates[2], 1e-12);
  AspVec3 tip = asp_state_pose(run.scene.model, asp_world_state(run.world), 2).position;
  double reach = 1 + 1.8 * cos(1.2);
  assert_near(tip.x, reach * cos(7.5), 1e-12);
  assert_near(tip.y, reach * sin(7.5), 1e-12);
  assert_near(tip.z, 1.8 * sin(1.2), 1e-12);
  assert_true(scene_step(&run));
  scene_close(&run);
}

/* In the four-bar mechanism all joints stay closed, whatever angle is set; one that it does not reach is refused. */
static void the_coordinate_of_a_joint_in_a_loop_closes_the_others(void **state) {
  (void)state;
  static const char *const scenes[] = {"four-bar", "four-bar-in-space", "slider-crank"};
  for (int i = 0; i < 3; i++) {
    SceneRun run;
    scene_open(&run, scenes[i], 0);
    const AspModel *model = run.scene.model;
    AspState set;
    assert_ok(run.context, asp_state_create(model, &set));
    int joint = -1;
    for (int k = 0; k < asp_model_joint_count(model) && joint < 0; k++) {
      AspJet motion;
      AspRow row[ASP_ROW_PARTS];
      if (asp_joint_coordinate(model, &set, k, row) && !asp_joint_motion(model, &set, k, 0, &motion))
        joint = k;
    }
    assert_true(joint >= 0);
    AspRow row[ASP_ROW_PARTS];
    assert_true(asp_joint_coordinate(model, &set, joint, row));
    double wanted = row->value + 0.05;
    AspError error = asp_state_set_joint(run.context, model, &set, joint, wanted, 0.7);
    AspJet motion;
    bool driven = false;
    for (int k = 0; k < asp_model_joint_count(model); k++)
      driven = driven || asp_joint_motion(model, &set, k, 0, &motion);
    if (!driven) {
      assert_ok(run.context, error);
      for (int k = 0; k < asp_model_joint_count(model); k++) {
        AspRow rows[ASP_ROW_PARTS];
        int count = asp_joint_rows(model, &set, k, rows);
        for (int c = 0; c < count; c++)
          assert_near(rows[c].value, 0, 1e-11);
      }
      assert_true(asp_joint_coordinate(model, &set, joint, row));
      assert_near(row->value, wanted, 1e-11);
    }
    asp_state_destroy(model, &set);
    scene_close(&run);
  }
}

static const char *const two_balls =
    "{\"gravity\": [0, 0, -10], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0}], \"bodies\": [{\"name\": "
    "\"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\", \"material\": \"m\"}]}, {\"name\": \"ball\", "
    "\"position\": [0, 0, 0.5], \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.5, \"density\": 1, \"material\": "
    "\"m\"}]}], \"run\": {\"dt\": 0.01, \"until\": 1}}";

static void pairs_that_are_taken_out_do_not_touch_until_they_are_put_back(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run, two_balls);
  for (int i = 0; i < 5; i++)
    assert_true(scene_step(&run));
  assert_int_equal(run.info.contacts, 1);
  assert_ok(run.context, asp_world_set_contact(run.world, 1, 0, false));
  for (int i = 0; i < 5; i++)
    assert_true(scene_step(&run));
  assert_int_equal(run.info.contacts, 0);
  assert_near(asp_world_state(run.world)->v[8], -10 * 0.05, 1e-9); // it falls through
  assert_ok(run.context, asp_world_set_contact(run.world, 0, 1, true));
  assert_true(scene_step(&run));
  assert_int_equal(run.info.contacts, 1);
  assert_int_equal(asp_world_set_contact(run.world, 0, 9, true), ASP_ERROR_ARGUMENT);
  scene_close(&run);
}

typedef struct Calls {
  int before, after;
} Calls;

static AspError count_before(void *user, AspWorld *world) {
  ((Calls *)user)->before++;
  return asp_world_apply_wrench(world, 1, &(AspWrench){{0, 0, 100}, {0, 0, 0}}, NULL);
}

static AspError stop_above(void *user, AspWorld *world, const AspStepInfo *info) {
  ((Calls *)user)->after++;
  assert_true(info->step > 0);
  return asp_world_state(world)->q[9] > 1 ? asp_world_stop(world, "the ball is above 1 m") : ASP_OK;
}

static void callbacks_push_and_stop(void **state) {
  (void)state;
  SceneRun run;
  Calls calls = {0, 0};
  scene_open_text(&run, two_balls);
  asp_world_set_callbacks(run.world, count_before, stop_above, &calls);
  asp_world_set_user_data(run.world, &calls);
  assert_ptr_equal(asp_world_user_data(run.world), &calls);
  assert_null(asp_world_stop_reason(run.world));
  while (!asp_world_stop_reason(run.world))
    assert_true(scene_step(&run));
  assert_string_equal(asp_world_stop_reason(run.world), "the ball is above 1 m");
  assert_int_equal(calls.before, calls.after);
  assert_true(asp_world_state(run.world)->q[9] > 1);
  scene_close(&run);
}

typedef struct OwnWorld {
  const AspModel *model;
  AspRunOptions options;
  uint64_t hash;
} OwnWorld;

/* A world on a context of its own; inputs and wrenches are its own too. */
static void *step_own_world(void *data) {
  OwnWorld *own = data;
  AspContext *context = asp_context_create(NULL);
  AspWorld *world;
  AspStepInfo info;
  assert_ok(context, asp_world_create(context, own->model, &own->options, &world));
  for (int i = 0; i < 20; i++) {
    assert_ok(context, asp_world_set_input(world, 0, i));
    assert_ok(context, asp_world_apply_wrench(world, 0, &(AspWrench){{0, i, 0}, {0, 0, 0}}, NULL));
    assert_ok(context, asp_world_step(world, &info));
  }
  own->hash = asp_world_state_hash(world);
  asp_world_destroy(world);
  asp_context_destroy(context);
  return NULL;
}

static void worlds_of_one_model_in_several_threads_are_independent(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run,
                  "{\"inputs\": [{\"name\": \"push\"}], \"bodies\": [{\"name\": \"block\", \"mass\": 2, \"inertia\": "
                  "[1, 2, 3]}], \"forces\": [{\"type\": \"force\", \"body\": \"block\", \"force\": [\"push\", 0, 0]}], "
                  "\"run\": {\"dt\": 0.01, \"until\": 1}}");
  pthread_t thread[3];
  OwnWorld own[4];
  for (int i = 0; i < 4; i++)
    own[i] = (OwnWorld){run.scene.model, run.scene.run, 0};
  for (int i = 0; i < 3; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, step_own_world, &own[i]), 0);
  for (int i = 0; i < 3; i++)
    assert_int_equal(pthread_join(thread[i], NULL), 0);
  step_own_world(&own[3]);
  for (int i = 0; i < 3; i++)
    assert_true(own[i].hash == own[3].hash && own[i].hash != 0);
  scene_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wrench_acts_as_a_force_of_the_scene_for_one_step),
      cmocka_unit_test(a_force_beside_the_centre_turns_the_body),
      cmocka_unit_test(what_is_not_finite_is_refused_by_name),
      cmocka_unit_test(a_state_that_is_set_is_gone_on_from),
      cmocka_unit_test(the_coordinate_of_a_joint_in_a_tree_is_set_exactly),
      cmocka_unit_test(the_coordinate_of_a_joint_in_a_loop_closes_the_others),
      cmocka_unit_test(pairs_that_are_taken_out_do_not_touch_until_they_are_put_back),
      cmocka_unit_test(callbacks_push_and_stop),
      cmocka_unit_test(worlds_of_one_model_in_several_threads_are_independent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
