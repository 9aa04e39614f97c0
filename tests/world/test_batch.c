/* Worlds of a batch make the same steps, bit for bit, as worlds of their own, at any number of threads; what fails in one
 * of them leaves the others alone; their memory is small. */
#include "base/base.h"
#include "scene_runner.h"

#define WORLDS 5

/* A state near the model's own, another one for every world: all speeds changed by up to 1 %, and by a little. */
static void draw_state(const AspModel *model, int world, AspState *state) {
  AspRandom random = {100 + (uint64_t)world};
  asp_state_initial(model, state);
  for (int i = 0; i < asp_model_v_size(model); i++)
    state->v[i] += asp_random_uniform(&random, -1, 1) * (1e-2 * fabs(state->v[i]) + 1e-4);
}

static uint64_t hash_of_info(uint64_t hash, const AspStepInfo *info) {
  hash = asp_hash_bytes(hash, &info->residual.E2, sizeof info->residual.E2);
  hash = asp_hash_bytes(hash, &info->energy, sizeof info->energy);
  hash = asp_hash_bytes(hash, &info->flow, sizeof info->flow);
  hash = asp_hash_bytes(hash, info->measure, sizeof info->measure);
  const int64_t counts[] = {info->step,     info->certified,    info->resolved, info->iterations,  info->attempts,
                            info->contacts, info->alternatives, info->impulse,  info->load_sharing};
  return asp_hash_bytes(hash, counts, sizeof counts);
}

static uint64_t hash_of_state(const AspModel *model, double t, const double *q, const double *v) {
  uint64_t hash = asp_hash_bytes(ASP_HASH_START, &t, sizeof t);
  hash = asp_hash_bytes(hash, q, (size_t)asp_model_q_size(model) * sizeof *q);
  return asp_hash_bytes(hash, v, (size_t)asp_model_v_size(model) * sizeof *v);
}

static uint64_t hash_of_batch_world(const AspModel *model, const AspBatch *batch, int world) {
  size_t nq = (size_t)asp_model_q_size(model), nv = (size_t)asp_model_v_size(model), w = (size_t)world;
  uint64_t hash =
      hash_of_state(model, asp_batch_t(batch)[world], asp_batch_q(batch) + nq * w, asp_batch_v(batch) + nv * w);
  return hash_of_info(hash, &asp_batch_infos(batch)[world]);
}

static double input_of(int world, int step, int input) { return 0.5 + 0.01 * world - 0.003 * step + 0.1 * input; }

/* The hash after each step of a world of its own, in the same place of the motion. */
static void step_alone(SceneRun *run, int world, int steps, uint64_t *hash) {
  const AspModel *model = run->scene.model;
  AspWorld *alone;
  AspState state;
  assert_ok(run->context, asp_world_create(run->context, model, &run->scene.run, &alone));
  assert_ok(run->context, asp_state_create(model, &state));
  draw_state(model, world, &state);
  assert_ok(run->context, asp_world_set_state(alone, &state));
  for (int i = 0; i < steps; i++) {
    AspStepInfo info;
    for (int input = 0; input < asp_model_input_count(model); input++)
      if (!asp_model_is_sensor(model, input))
        assert_ok(run->context, asp_world_set_input(alone, input, input_of(world, i, input)));
    assert_ok(run->context, asp_world_step(alone, &info));
    const AspState *now = asp_world_state(alone);
    hash[i] = hash_of_info(hash_of_state(model, now->t, now->q, now->v), &info);
  }
  asp_state_destroy(model, &state);
  asp_world_destroy(alone);
}

static AspBatch *open_batch(SceneRun *run, int worlds, int threads) {
  const AspModel *model = run->scene.model;
  AspBatch *batch;
  AspState state;
  assert_ok(run->context, asp_batch_create(run->context, model, &run->scene.run, worlds, threads, &batch));
  assert_int_equal(asp_batch_world_count(batch), worlds);
  assert_ok(run->context, asp_state_create(model, &state));
  for (int world = 0; world < worlds; world++) {
    draw_state(model, world, &state);
    assert_ok(run->context, asp_batch_set_state(batch, world, state.q, state.v));
  }
  asp_state_destroy(model, &state);
  return batch;
}

static void set_inputs(SceneRun *run, AspBatch *batch, int step) {
  int inputs = asp_model_input_count(run->scene.model), worlds = asp_batch_world_count(batch);
  double value[WORLDS * 8];
  assert_true(inputs <= 8 && worlds <= WORLDS);
  for (int i = 0; i < worlds * inputs; i++)
    value[i] = input_of(i / inputs, step, i % inputs);
  assert_ok(run->context, asp_batch_set_inputs(batch, value));
}

static void steps_are_those_of_single_worlds(const char *scene, int scheme, int steps) {
  SceneRun run;
  uint64_t expected[WORLDS][32];
  const int threads[] = {1, 2, 8};
  scene_open(&run, scene, 0);
  if (scheme >= 0)
    run.scene.run.scheme = scheme;
  run.scene.run.cone = ASP_CONE_EXACT;
  for (int world = 0; world < WORLDS; world++)
    step_alone(&run, world, steps, expected[world]);
  for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
    AspBatch *batch = open_batch(&run, WORLDS, threads[t]);
    for (int i = 0, failed; i < steps; i++) {
      set_inputs(&run, batch, i);
      assert_ok(run.context, asp_batch_step(batch, 1, &failed));
      assert_int_equal(failed, 0);
      for (int world = 0; world < WORLDS; world++)
        if (hash_of_batch_world(run.scene.model, batch, world) != expected[world][i])
          fail_msg("%s, %d threads: world %d has other bits after step %d", scene, threads[t], world, i + 1);
    }
    asp_batch_destroy(batch);
  }
  scene_close(&run);
}

static void batch_steps_equal_single_steps_bit_for_bit_at_1_2_and_8_threads(void **state) {
  (void)state;
  steps_are_those_of_single_worlds("pyramid-of-balls", -1, 12);
  steps_are_those_of_single_worlds("four-bar", -1, 12);
  steps_are_those_of_single_worlds("motor-stalls", -1, 12);
  steps_are_those_of_single_worlds("gallery/woodpecker", -1, 12);
  steps_are_those_of_single_worlds("gallery/newtons-cradle", -1, 12);
  steps_are_those_of_single_worlds("gallery/diving-board", -1, 4);
  steps_are_those_of_single_worlds("table-slides", -1, 12);
  steps_are_those_of_single_worlds("sorter-events", -1, 12);
}

static void in_every_scheme(void **state) {
  (void)state;
  for (int scheme = 0; scheme < ASP_SCHEME_COUNT; scheme++)
    steps_are_those_of_single_worlds("sphere-slides-then-rolls", scheme, 8);
}

static void several_steps_in_one_call_are_the_same_steps(void **state) {
  (void)state;
  SceneRun run;
  scene_open(&run, "pyramid-of-balls", 0);
  AspBatch *one = open_batch(&run, WORLDS, 2), *many = open_batch(&run, WORLDS, 2);
  for (int i = 0; i < 7; i++)
    assert_ok(run.context, asp_batch_step(one, 1, NULL));
  assert_ok(run.context, asp_batch_step(many, 7, NULL));
  for (int world = 0; world < WORLDS; world++)
    assert_true(hash_of_batch_world(run.scene.model, one, world) == hash_of_batch_world(run.scene.model, many, world));
  asp_batch_destroy(one);
  asp_batch_destroy(many);
  scene_close(&run);
}

static void worlds_are_small_and_steps_allocate_nothing_after_the_first(void **state) {
  (void)state;
  static const char *const scenes[] = {"pyramid-of-balls", "four-bar-in-space", "table-slides"};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    SceneRun run;
    scene_open(&run, scenes[i], 0);
    size_t before = asp_context_memory_in_use(run.context);
    // one thread: of several, one may come to its first world when the others have made all steps
    AspBatch *batch = open_batch(&run, WORLDS, 1);
    assert_ok(run.context, asp_batch_step(batch, 12, NULL));
    AspBatchMemory memory = asp_batch_memory(batch);
    size_t all = asp_context_memory_in_use(run.context) - before;
    uint64_t count = asp_context_allocation_count(run.context);
    assert_true(memory.largest_world <= 100 * 1024);
    assert_true(memory.worlds <= WORLDS * memory.largest_world);
    double told = (double)(memory.worlds + memory.workspaces); // without what the allocator adds to each block
    assert_true((double)all >= told && (double)all <= 1.05 * told);
    for (int step = 0; step < 6; step++)
      assert_ok(run.context, asp_batch_step(batch, 1, NULL));
    assert_int_equal(asp_context_allocation_count(run.context), count);
    asp_batch_destroy(batch);
    assert_int_equal(asp_context_memory_in_use(run.context), before);
    scene_close(&run);
  }
}

static void a_world_that_fails_leaves_the_others_alone(void **state) {
  (void)state;
  SceneRun run;
  uint64_t expected[WORLDS][8];
  scene_open(&run, "sphere-slides-then-rolls", 0);
  const AspModel *model = run.scene.model;
  int failed, nv = asp_model_v_size(model);
  for (int world = 0; world < WORLDS; world++)
    step_alone(&run, world, 6, expected[world]);
  AspBatch *batch = open_batch(&run, WORLDS, 2);
  double *v = calloc((size_t)nv, sizeof *v);
  for (int i = 0; i < nv; i++)
    v[i] = 1e200;
  assert_ok(run.context, asp_batch_set_state(batch, 2, NULL, v));
  for (int i = 0; i < 6; i++) {
    assert_ok(run.context, asp_batch_step(batch, 1, &failed));
    assert_int_equal(failed, 1);
  }
  for (int world = 0; world < WORLDS; world++)
    if (world != 2)
      assert_true(hash_of_batch_world(model, batch, world) == expected[world][5]);
  assert_int_not_equal(asp_batch_error(batch, 2), ASP_OK);
  assert_true(strlen(asp_batch_message(batch, 2)) > 0);
  assert_true(asp_batch_v(batch)[2 * nv] == 1e200 && asp_batch_t(batch)[2] == 0);
  AspState fresh; // set, it is stepped again, from the start
  assert_ok(run.context, asp_state_create(model, &fresh));
  draw_state(model, 2, &fresh);
  assert_ok(run.context, asp_batch_set_state(batch, 2, fresh.q, fresh.v));
  assert_int_equal(asp_batch_error(batch, 2), ASP_OK);
  assert_string_equal(asp_batch_message(batch, 2), "");
  assert_ok(run.context, asp_batch_step(batch, 6, &failed));
  assert_int_equal(failed, 0);
  assert_true(hash_of_batch_world(model, batch, 2) == expected[2][5]);
  asp_state_destroy(model, &fresh);
  free(v);
  asp_batch_destroy(batch);
  scene_close(&run);
}

static void a_saved_world_goes_on_alone_or_in_another_place(void **state) {
  (void)state;
  SceneRun run;
  size_t size;
  scene_open(&run, "pyramid-of-balls", 0);
  const AspModel *model = run.scene.model;
  AspBatch *batch = open_batch(&run, 3, 2);
  assert_ok(run.context, asp_batch_step(batch, 9, NULL));
  assert_ok(run.context, asp_batch_save(batch, 1, NULL, 0, &size));
  unsigned char *bytes = malloc(size);
  assert_non_null(bytes);
  assert_ok(run.context, asp_batch_save(batch, 1, bytes, size, &size));
  assert_ok(run.context, asp_batch_restore(batch, 2, bytes, size));
  assert_ok(run.context, asp_world_restore(run.world, bytes, size));
  assert_ok(run.context, asp_batch_step(batch, 5, NULL));
  for (int i = 0; i < 5; i++)
    assert_ok(run.context, asp_world_step(run.world, &run.info));
  uint64_t hash = hash_of_batch_world(model, batch, 1);
  const AspState *now = asp_world_state(run.world);
  assert_true(hash_of_batch_world(model, batch, 2) == hash);
  assert_true(hash_of_info(hash_of_state(model, now->t, now->q, now->v), &run.info) == hash);
  bytes[size / 2] ^= 1;
  assert_int_equal(asp_batch_restore(batch, 0, bytes, size), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(run.context), "world 0: the saved world is damaged"));
  assert_int_equal(asp_batch_save(batch, 0, bytes, 10, &size), ASP_ERROR_ARGUMENT);
  free(bytes);
  asp_batch_destroy(batch);
  scene_close(&run);
}

static AspError push_first_body(void *user, AspWorld *world) {
  const AspModel *model = asp_world_model(world);
  for (int body = 0; body < asp_model_body_count(model); body++)
    if (asp_model_body_dof(model, body) >= 0)
      return asp_world_apply_wrench(world, body, user, NULL);
  return ASP_OK;
}

static void what_is_done_with_a_world_counts_in_its_next_step(void **state) {
  (void)state;
  SceneRun run;
  AspWrench push = {.force = {0, 0, 30}};
  scene_open(&run, "pyramid-of-balls", 0);
  AspBatch *batch;
  assert_ok(run.context, asp_batch_create(run.context, run.scene.model, &run.scene.run, 2, 1, &batch));
  assert_ok(run.context, asp_batch_use(batch, 1, push_first_body, &push));
  assert_ok(run.context, push_first_body(&push, run.world));
  assert_ok(run.context, asp_batch_step(batch, 1, NULL));
  assert_ok(run.context, asp_world_step(run.world, &run.info));
  const AspState *now = asp_world_state(run.world);
  uint64_t alone = hash_of_info(hash_of_state(run.scene.model, now->t, now->q, now->v), &run.info);
  assert_true(hash_of_batch_world(run.scene.model, batch, 1) == alone);
  assert_false(hash_of_batch_world(run.scene.model, batch, 0) == alone);
  asp_batch_destroy(batch);
  scene_close(&run);
}

static void broken_arguments_are_refused_by_name(void **state) {
  (void)state;
  SceneRun run;
  AspBatch *batch = NULL;
  scene_open(&run, "sorter-events", 0);
  const AspModel *model = run.scene.model;
  int inputs = asp_model_input_count(model); // drive, and some that follow the state
  assert_int_equal(asp_batch_create(run.context, model, &run.scene.run, 0, 1, &batch), ASP_ERROR_ARGUMENT);
  assert_non_null(strstr(asp_context_message(run.context), "worlds: 0"));
  assert_int_equal(asp_batch_create(run.context, model, &run.scene.run, 1, -3, &batch), ASP_ERROR_ARGUMENT);
  assert_non_null(strstr(asp_context_message(run.context), "threads: -3"));
  AspRunOptions wrong = run.scene.run;
  wrong.dt = -1;
  assert_int_not_equal(asp_batch_create(run.context, model, &wrong, 2, 1, &batch), ASP_OK);
  assert_non_null(strstr(asp_context_message(run.context), "dt"));
  assert_null(batch);
  batch = open_batch(&run, 2, 1);
  uint64_t before = hash_of_batch_world(model, batch, 1);
  double *bad = calloc((size_t)(2 * inputs), sizeof *bad), *q = calloc((size_t)asp_model_q_size(model), sizeof *q);
  q[0] = INFINITY;
  bad[inputs] = NAN;
  assert_int_equal(asp_batch_step(batch, 0, NULL), ASP_ERROR_ARGUMENT);
  assert_int_equal(asp_batch_set_inputs(batch, bad), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(run.context), "world 1: input drive"));
  assert_int_equal(asp_batch_set_world_inputs(batch, 2, bad), ASP_ERROR_ARGUMENT);
  assert_non_null(strstr(asp_context_message(run.context), "world: 2 is not one of 0 to 1"));
  assert_int_equal(asp_batch_set_state(batch, -1, q, NULL), ASP_ERROR_ARGUMENT);
  assert_int_not_equal(asp_batch_set_state(batch, 1, q, NULL), ASP_OK);
  assert_non_null(strstr(asp_context_message(run.context), "world 1: "));
  assert_int_equal(asp_batch_error(batch, 7), ASP_ERROR_ARGUMENT);
  assert_true(strlen(asp_batch_message(batch, 7)) > 0);
  assert_true(hash_of_batch_world(model, batch, 1) == before);
  free(q);
  free(bad);
  asp_batch_destroy(batch);
  asp_batch_destroy(NULL);
  scene_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(batch_steps_equal_single_steps_bit_for_bit_at_1_2_and_8_threads),
      cmocka_unit_test(in_every_scheme),
      cmocka_unit_test(several_steps_in_one_call_are_the_same_steps),
      cmocka_unit_test(worlds_are_small_and_steps_allocate_nothing_after_the_first),
      cmocka_unit_test(a_world_that_fails_leaves_the_others_alone),
      cmocka_unit_test(a_saved_world_goes_on_alone_or_in_another_place),
      cmocka_unit_test(what_is_done_with_a_world_counts_in_its_next_step),
      cmocka_unit_test(broken_arguments_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
