/* Several threads read one world at once, or run worlds of their own on one model. */
#include "scene_runner.h"

#include <pthread.h>

enum { READERS = 2, ROUNDS = 20 };

/* What a reader sees of a world. */
typedef struct Sight {
  const AspWorld *world;
  uint64_t hash;
} Sight;

static uint64_t hash_of_contacts(uint64_t hash, const AspWorld *world) {
  const AspContactRecord *contacts = asp_world_contacts(world);
  for (int i = 0; i < asp_world_contact_count(world); i++) {
    hash = asp_hash_bytes(hash, &contacts[i].force, sizeof contacts[i].force);
    hash = asp_hash_bytes(hash, contacts[i].slip, sizeof contacts[i].slip);
    hash = asp_hash_bytes(hash, &contacts[i].mode, sizeof contacts[i].mode);
  }
  return hash;
}

static void *read_world(void *data) {
  Sight *sight = data;
  const AspWorld *world = sight->world;
  const AspModel *model = asp_world_model(world);
  const double *r = NULL, *u = NULL;
  sight->hash = ASP_HASH_START;
  for (int round = 0; round < ROUNDS; round++) {
    sight->hash = hash_of_contacts(sight->hash, world);
    sight->hash = asp_hash_bytes(sight->hash, asp_world_contact_totals(world),
                                 (size_t)asp_model_body_count(model) * sizeof(AspWrench));
    for (int joint = 0; joint < asp_model_joint_count(model); joint++)
      sight->hash = asp_hash_bytes(sight->hash, &asp_world_joints(world)[joint].force, sizeof(AspVec3));
    const AspContactProblem *problem = asp_world_problem(world, &r, &u);
    sight->hash = asp_hash_bytes(sight->hash, r, (size_t)(problem ? problem->rows : 0) * sizeof *r);
    sight->hash = asp_hash_word(sight->hash, asp_world_state_hash(world));
  }
  return NULL;
}

static void readers_see_the_same(const char *scene) {
  SceneRun run;
  scene_open(&run, scene, 0);
  for (int step = 0; step < 5; step++) {
    pthread_t thread[READERS];
    Sight sight[READERS + 1];
    assert_true(scene_step(&run));
    for (int i = 0; i <= READERS; i++)
      sight[i] = (Sight){.world = run.world};
    for (int i = 0; i < READERS; i++) // before anybody else reads the step
      assert_int_equal(pthread_create(&thread[i], NULL, read_world, &sight[i]), 0);
    for (int i = 0; i < READERS; i++)
      assert_int_equal(pthread_join(thread[i], NULL), 0);
    read_world(&sight[READERS]);
    for (int i = 0; i < READERS; i++)
      assert_true(sight[i].hash == sight[READERS].hash);
  }
  scene_close(&run);
}

static void threads_that_read_one_world_at_once_see_the_same(void **state) {
  (void)state;
  readers_see_the_same("pyramid-of-balls");
  readers_see_the_same("table-slides");
  readers_see_the_same("four-bar-in-space");
}

/* Reading leaves the world as it is: no order of questions changes the answers. */
static void totals_do_not_need_contacts_to_be_read_first(void **state) {
  SceneRun first, second;
  (void)state;
  scene_open(&first, "pyramid-of-balls", 0);
  scene_open(&second, "pyramid-of-balls", 0);
  for (int step = 0; step < 5; step++) {
    assert_true(scene_step(&first) && scene_step(&second));
    int bodies = asp_model_body_count(asp_world_model(first.world));
    size_t bytes = (size_t)bodies * sizeof(AspWrench);
    assert_non_null(asp_world_contacts(second.world));
    assert_memory_equal(asp_world_contact_totals(first.world), asp_world_contact_totals(second.world), bytes);
  }
  scene_close(&first);
  scene_close(&second);
}

/* Worlds in several threads may share a model: each takes its memory from its own context. */
static void worlds_of_other_contexts_leave_the_context_of_their_model_alone(void **state) {
  SceneRun run;
  (void)state;
  scene_open(&run, "sphere-slides-then-rolls", 0);
  uint64_t count = asp_context_allocation_count(run.context);
  size_t in_use = asp_context_memory_in_use(run.context);
  for (int scheme = 0; scheme < ASP_SCHEME_COUNT; scheme++) {
    AspContext *other = asp_context_create(NULL);
    AspRunOptions options = run.scene.run;
    AspWorld *world;
    AspStepInfo info;
    options.scheme = (AspScheme)scheme;
    options.cone = ASP_CONE_EXACT;
    options.method = ASP_METHOD_AUTO;
    options.dt = 1e-3;
    assert_ok(other, asp_world_create(other, run.scene.model, &options, &world));
    for (int step = 0; step < 3; step++)
      assert_ok(other, asp_world_step(world, &info));
    asp_world_destroy(world);
    assert_int_equal(asp_context_memory_in_use(other), 0);
    asp_context_destroy(other);
  }
  assert_int_equal(asp_context_allocation_count(run.context), count);
  assert_int_equal(asp_context_memory_in_use(run.context), in_use);
  scene_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(worlds_of_other_contexts_leave_the_context_of_their_model_alone),
                                     cmocka_unit_test(threads_that_read_one_world_at_once_see_the_same),
                                     cmocka_unit_test(totals_do_not_need_contacts_to_be_read_first)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
