/* A clone of a model: nothing in it is the original's, unchanged it moves to the same bits, changed it leaves the
 * original alone. */
#include "failing_allocator.h"
#include "scene_runner.h"

#include <dirent.h>

/* What the words of a model are, in one scene: table, input, event, stop, switch, surface, motor, servo, coupling. */
static const char many_words[] =
    "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.3}],"
    " \"inputs\": [{\"name\": \"speed\", \"value\": 2}],"
    " \"tables\": [{\"name\": \"ramp\", \"points\": [[0, 0], [0.05, 1], [1, 2]], \"interpolation\": \"cubic\"}],"
    " \"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\", "
    "\"surface_velocity\": [\"0.5*speed\", 0, 0]}]},"
    " {\"name\": \"box\", \"mass\": 1, \"position\": [0, 0, 0.1], \"shapes\": [{\"type\": \"box\", \"size\": [0.2, "
    "0.2, "
    "0.2]}]},"
    " {\"name\": \"a\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [2, 0, 1]},"
    " {\"name\": \"b\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [3, 0, 1]},"
    " {\"name\": \"c\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [4, 0, 1]},"
    " {\"name\": \"plate\", \"motion\": {\"position\": [\"0.1*sin(t)\", 0, 5]}}],"
    " \"joints\": [{\"name\": \"ja\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"a\"], \"point\": [2, 0, 1], "
    "\"axis\": [0, 0, 1], \"motor\": {\"velocity\": \"table(ramp, t)*speed\", \"effort\": 5}},"
    " {\"name\": \"jb\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"b\"], \"point\": [3, 0, 1], \"axis\": [0, "
    "0, "
    "1]},"
    " {\"name\": \"jc\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"c\"], \"point\": [4, 0, 1], \"axis\": [0, "
    "0, "
    "1], \"servo\": {\"kp\": 3, \"kd\": 0.2, \"target\": \"sin(t) + ja.coordinate\"}},"
    " {\"name\": \"gear\", \"type\": \"coupling\", \"joints\": [\"ja\", \"jb\"], \"factors\": [1, 2]}],"
    " \"forces\": [{\"type\": \"force\", \"body\": \"box\", \"force\": [\"speed + table(ramp, t)\", 0, 0]}],"
    " \"events\": [{\"name\": \"later\", \"when\": \"t > 0.045\", \"set\": {\"speed\": \"speed + 1\"}}],"
    " \"stop\": [{\"when\": \"box.z < -1\", \"message\": \"fell\"}],"
    " \"run\": {\"dt\": 0.01, \"until\": 1}}";

#define STEPS 20

/* Hashes of the state after each step; the clone then takes the place of the model, which is gone. */
static void compare_with_clone(SceneRun *run) {
  uint64_t hash[STEPS];
  int steps = 0;
  while (steps < STEPS && scene_step(run))
    hash[steps++] = asp_world_state_hash(run->world);
  AspModel *clone;
  assert_ok(run->context, asp_model_clone(run->context, run->scene.model, &clone));
  asp_world_destroy(run->world);
  asp_model_destroy(run->scene.model);
  run->scene.model = clone;
  assert_ok(run->context, asp_model_finish(clone));
  assert_ok(run->context, asp_world_create(run->context, clone, &run->scene.run, &run->world));
  for (int i = 0; i < steps; i++) {
    assert_true(scene_step(run));
    assert_true(asp_world_state_hash(run->world) == hash[i]);
  }
  assert_true(steps > 0);
  scene_close(run);
}

static int compare_folder(const char *folder) {
  char path[512];
  int count = 0;
  snprintf(path, sizeof path, "%s/scenes/%s", ASP_SOURCE_DIR, folder);
  DIR *list = opendir(path);
  assert_non_null(list);
  for (struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
    char name[300];
    size_t length = strlen(entry->d_name);
    if (length < 5 || strcmp(entry->d_name + length - 5, ".json") != 0)
      continue;
    SceneRun run;
    snprintf(name, sizeof name, "%s%.*s", folder, (int)length - 5, entry->d_name);
    scene_open(&run, name, 0);
    compare_with_clone(&run);
    count++;
  }
  closedir(list);
  return count;
}

static void clones_of_all_scenes_move_to_the_same_bits(void **state) {
  (void)state;
  assert_true(compare_folder("") > 30);
  assert_true(compare_folder("gallery/") > 10);
}

static void a_clone_has_words_of_its_own(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run, many_words);
  compare_with_clone(&run);
}

/* A box that slides under a force along x: v = v0 + (F/m - mu g) t. */
static const char sliding[] =
    "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.3}],"
    " \"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]},"
    " {\"name\": \"box\", \"mass\": 1, \"position\": [0, 0, 0.1], \"velocity\": [2, 0, 0], \"shapes\": [{\"type\": "
    "\"box\", \"size\": [0.2, 0.2, 0.2]}]}],"
    " \"forces\": [{\"type\": \"force\", \"body\": \"box\", \"force\": [4, 0, 0]}], \"run\": {\"dt\": 0.01, \"until\": "
    "0.2}}";

static double speed_at_the_end(AspContext *context, const AspModel *model, const AspRunOptions *options) {
  AspStepInfo info;
  AspWorld *world;
  assert_ok(context, asp_world_create(context, model, options, &world));
  for (int i = 0; i < STEPS; i++)
    assert_ok(context, asp_world_step(world, &info));
  double speed = asp_state_velocity(model, asp_world_state(world), 1).x;
  asp_world_destroy(world);
  return speed;
}

static void a_changed_clone_leaves_the_original_alone(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run, sliding);
  const AspModel *model = run.scene.model;
  AspContext *own = asp_context_create(NULL);
  AspModel *clone;
  assert_ok(own, asp_model_clone(own, model, &clone));
  AspPairLaw law = asp_pair_law_default();
  law.friction = 0.1;
  for (int i = 0; i < asp_model_material_count(clone); i++)
    for (int j = 0; j <= i; j++)
      assert_ok(own, asp_model_set_pair(clone, i, j, &law));
  assert_ok(own, asp_model_set_mass(clone, 1, 2, NULL));
  asp_model_set_gravity(clone, (AspVec3){0, 0, -5});
  AspBodyDef more = asp_body_default();
  more.kind = ASP_BODY_FIXED;
  int body;
  assert_ok(own, asp_model_add_body(clone, &more, &body));
  assert_int_equal(body, 2);
  assert_ok(own, asp_model_finish(clone));
  assert_near(speed_at_the_end(own, clone, &run.scene.run), 2 + (4 / 2.0 - 0.1 * 5) * 0.2, 1e-9);
  assert_near(speed_at_the_end(run.context, model, &run.scene.run), 2 + (4 - 0.3 * 9.81) * 0.2, 1e-9);
  assert_int_equal(asp_model_body_count(model), 2);
  assert_near(asp_model_body_mass(model, 1), 1, 0);
  asp_model_destroy(clone);
  assert_int_equal(asp_context_memory_in_use(own), 0);
  asp_context_destroy(own);
  scene_close(&run);
}

/* Shapes that only the clone has do not touch where their bodies were excluded before. */
static void exclusions_hold_for_shapes_added_to_a_clone(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspModel *model, *clone;
  int body[3], material, count;
  assert_ok(context, asp_model_create(context, 3, &model));
  AspBodyDef def = asp_body_default();
  def.mass = 1;
  def.inertia = (AspMat3){{1, 0, 0, 0, 1, 0, 0, 0, 1}};
  for (int i = 0; i < 3; i++)
    assert_ok(context, asp_model_add_body(model, &def, &body[i]));
  assert_ok(context, asp_model_exclude(model, body[2], body[0]));
  assert_ok(context, asp_model_finish(model));
  asp_model_excluded(model, &count);
  assert_int_equal(count, 0);
  assert_ok(context, asp_model_clone(context, model, &clone));
  assert_ok(context, asp_model_material(clone, "any", &material));
  AspShapeAttachment ball = {.shape = asp_shape_default(ASP_SHAPE_SPHERE), .pose = def.pose, .material = material};
  ball.shape.radius = 1;
  for (int i = 0; i < 3; i++)
    assert_ok(context, asp_model_attach_shape(clone, body[i], &ball));
  assert_ok(context, asp_model_finish(clone));
  asp_model_excluded(clone, &count);
  assert_int_equal(count, 1);
  assert_true(asp_model_is_excluded(clone, body[0], body[2]));
  assert_false(asp_model_is_excluded(clone, body[0], body[1]));
  asp_model_destroy(clone);
  asp_model_destroy(model);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

static void a_clone_without_memory_leaves_nothing_behind(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run, many_words);
  FailingAllocator failing;
  AspContext *context = failing_context(&failing);
  long before = failing.live;
  AspError error = ASP_ERROR_MEMORY;
  AspModel *clone;
  for (long k = 0; error != ASP_OK; k++) {
    failing.until_failure = k;
    error = asp_model_clone(context, run.scene.model, &clone);
    assert_true(error == ASP_OK || (error == ASP_ERROR_MEMORY && !clone && failing.live == before));
    assert_true(k < 2000);
  }
  asp_model_destroy(clone);
  assert_int_equal(failing.live, before);
  asp_context_destroy(context);
  scene_close(&run);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run, sliding);
  AspModel *clone = run.scene.model;
  assert_int_equal(asp_model_clone(run.context, NULL, &clone), ASP_ERROR_ARGUMENT);
  assert_null(clone);
  assert_string_equal(asp_context_message(run.context), "model: NULL cannot be cloned");
  assert_int_equal(asp_model_set_mass(run.scene.model, 1, 2, NULL), ASP_ERROR_ARGUMENT); // finished
  assert_ok(run.context, asp_model_clone(run.context, run.scene.model, &clone));
  assert_int_equal(asp_model_set_mass(clone, 2, 1, NULL), ASP_ERROR_ARGUMENT);
  assert_int_equal(asp_model_set_mass(clone, 0, 1, NULL), ASP_ERROR_INPUT);
  assert_string_equal(asp_context_message(run.context), "body 'ground': mass: only a dynamic body has one");
  assert_int_equal(asp_model_set_mass(clone, 1, -1, NULL), ASP_ERROR_INPUT);
  assert_int_equal(asp_model_set_mass(clone, 1, 1, &(AspMat3){{0}}), ASP_ERROR_INPUT);
  assert_near(asp_model_body_mass(clone, 1), 1, 0);
  asp_model_destroy(clone);
  scene_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clones_of_all_scenes_move_to_the_same_bits),
      cmocka_unit_test(a_clone_has_words_of_its_own),
      cmocka_unit_test(a_changed_clone_leaves_the_original_alone),
      cmocka_unit_test(exclusions_hold_for_shapes_added_to_a_clone),
      cmocka_unit_test(a_clone_without_memory_leaves_nothing_behind),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
