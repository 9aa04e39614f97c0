/* A world that is saved, and restored into another one, goes on to the same bits; what cannot be restored is refused by
 * name. */
#include "base/base.h"
#include "scene_runner.h"

/* Everything that a step says, but for the times it took. */
static uint64_t hash_of_step(uint64_t hash, const SceneRun *run) {
  const AspStepInfo *info = &run->info;
  const AspModel *model = asp_world_model(run->world);
  hash = asp_hash_word(hash, asp_world_state_hash(run->world));
  hash = asp_hash_bytes(hash, &info->residual.E2, sizeof info->residual.E2);
  hash = asp_hash_bytes(hash, &info->energy, sizeof info->energy);
  hash = asp_hash_bytes(hash, &info->flow, sizeof info->flow);
  hash = asp_hash_bytes(hash, &info->momentum, sizeof info->momentum);
  hash = asp_hash_bytes(hash, info->measure, sizeof info->measure);
  const int64_t counts[] = {info->step,
                            info->certified,
                            info->resolved,
                            info->iterations,
                            info->attempts,
                            info->contacts,
                            info->alternatives,
                            info->instant_solutions,
                            info->load_sharing,
                            info->impulse,
                            info->grid,
                            asp_world_warning_count(run->world),
                            asp_world_event_count(run->world)};
  hash = asp_hash_bytes(hash, counts, sizeof counts);
  for (int i = 0; i < asp_world_contact_count(run->world); i++)
    hash = asp_hash_bytes(hash, asp_world_contacts(run->world)[i].impulse, 3 * sizeof(double));
  for (int i = 0; i < asp_model_joint_count(model); i++)
    hash = asp_hash_bytes(hash, &asp_world_joints(run->world)[i].force, sizeof(AspVec3));
  return hash;
}

static uint64_t hash_of_steps(SceneRun *run, int steps) {
  uint64_t hash = ASP_HASH_START;
  for (int i = 0; i < steps && scene_step(run); i++)
    hash = hash_of_step(hash, run);
  return hash;
}

static void *save(SceneRun *run, size_t *size) {
  size_t written = 0;
  assert_ok(run->context, asp_world_save(run->world, NULL, 0, size));
  void *bytes = malloc(*size);
  assert_non_null(bytes);
  assert_ok(run->context, asp_world_save(run->world, bytes, *size, &written));
  assert_int_equal(written, *size);
  return bytes;
}

typedef struct SavedScene {
  const char *scene;
  int scheme; /* -1: the scene's own */
  int before, after;
  double accuracy;
} SavedScene;

/* False: the scheme does not take the scene. */
static bool open_saved(SceneRun *run, const SavedScene *saved) {
  scene_open(run, saved->scene, 0);
  asp_world_destroy(run->world);
  run->world = NULL;
  if (saved->scheme >= 0)
    run->scene.run.scheme = saved->scheme;
  run->scene.run.accuracy = saved->accuracy;
  run->scene.run.until = 1e6;
  return asp_world_create(run->context, run->scene.model, &run->scene.run, &run->world) == ASP_OK;
}

static void goes_on_to_the_same_bits(const SavedScene *saved) {
  SceneRun run, other;
  size_t size;
  bool taken = open_saved(&run, saved);
  for (int i = 0; taken && i < saved->before; i++)
    assert_true(scene_step(&run));
  void *bytes = taken ? save(&run, &size) : NULL;
  if (open_saved(&other, saved)) {
    hash_of_steps(&other, 2); // what it was before is gone
    assert_ok(other.context, asp_world_restore(other.world, bytes, size));
    assert_true(asp_world_state_hash(other.world) == asp_world_state_hash(run.world));
    assert_int_equal(asp_world_contact_count(other.world), asp_world_contact_count(run.world));
    uint64_t expected = hash_of_steps(&run, saved->after), found = hash_of_steps(&other, saved->after);
    if (expected != found)
      fail_msg("%s, scheme %d: other bits after step %d", saved->scene, saved->scheme, saved->before);
    for (int i = 0; i < asp_world_warning_count(run.world); i++)
      assert_string_equal(asp_world_warning(run.world, i), asp_world_warning(other.world, i));
  }
  free(bytes);
  scene_close(&run);
  scene_close(&other);
}

static void a_restored_world_goes_on_to_the_same_bits(void **state) {
  (void)state;
  static const char *const scenes[] = {"sphere-slides-then-rolls",
                                       "rotor-with-dry-friction",
                                       "lamp-in-ball-joints",
                                       "gallery/woodpecker",
                                       "pyramid-of-balls",
                                       "table-slides",
                                       "four-bar",
                                       "motor-stalls",
                                       "double-pendulum-hits-wall",
                                       "painleve-slides-into-paradox",
                                       "stick-slip-on-belt",
                                       "dry-friction-oscillator"};
  AspRandom random = {20};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
    for (int scheme = 0; scheme < ASP_SCHEME_COUNT; scheme++) {
      int before = 1 + (int)(asp_random_bits(&random) % 25);
      goes_on_to_the_same_bits(&(SavedScene){scenes[i], scheme, before, 12, 0});
    }
}

static void beams_and_structures_too(void **state) {
  (void)state;
  goes_on_to_the_same_bits(&(SavedScene){"gallery/diving-board", ASP_SCHEME_MOREAU_JEAN, 4, 4, 0});
  goes_on_to_the_same_bits(&(SavedScene){"gallery/diving-board", ASP_SCHEME_GENERALIZED_ALPHA, 3, 3, 0});
  goes_on_to_the_same_bits(&(SavedScene){"arch-stands", ASP_SCHEME_MOREAU_JEAN, 20, 10, 0});
  goes_on_to_the_same_bits(&(SavedScene){"arch-collapses", ASP_SCHEME_STEWART_TRINKLE, 20, 10, 0});
}

/* Frames of contacts lie in the room of frames of two steps before, which a save leaves out: a restored world has others
 * there, and what a step does not set must not come from them (AspContactFrame.bend, of the corners of falling stones). */
static void frames_of_earlier_steps_have_no_part_in_a_step(void **state) {
  (void)state;
  goes_on_to_the_same_bits(&(SavedScene){"arch-collapses", -1, 195, 12, 0});
}

static void a_world_under_error_control_too(void **state) {
  (void)state;
  goes_on_to_the_same_bits(&(SavedScene){"double-pendulum-hits-wall", ASP_SCHEME_MOREAU_JEAN, 9, 9, 1e-4});
  goes_on_to_the_same_bits(&(SavedScene){"double-pendulum-hits-wall", ASP_SCHEME_GENERALIZED_ALPHA, 9, 9, 1e-4});
}

static void what_cannot_be_restored_is_refused_by_name(void **state) {
  (void)state;
  SavedScene pile = {"pyramid-of-balls", -1, 5, 0, 0}, other = {"table-slides", -1, 5, 0, 0};
  SceneRun run, third;
  size_t size;
  assert_true(open_saved(&run, &pile));
  hash_of_steps(&run, 5);
  unsigned char *bytes = save(&run, &size);
  uint64_t before = asp_world_state_hash(run.world);
  size_t needed;
  assert_int_equal(asp_world_save(run.world, bytes, size - 1, &needed), ASP_ERROR_ARGUMENT);
  free(bytes);
  bytes = save(&run, &size);
  hash_of_steps(&run, 1);
  uint64_t after = asp_world_state_hash(run.world);
  const struct {
    size_t at, size;
    const char *message;
  } damages[] = {{0, size, "not a saved world"}, {8, size, "version"},        {size - 1, size, "checksum"},
                 {size / 2, size, "checksum"},   {size, size - 8, "damaged"}, {size, 3, "not a saved world"}};
  for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
    if (damages[i].at < size)
      bytes[damages[i].at] ^= 0x10;
    assert_int_not_equal(asp_world_restore(run.world, bytes, damages[i].size), ASP_OK);
    assert_non_null(strstr(asp_context_message(run.context), damages[i].message));
    if (damages[i].at < size)
      bytes[damages[i].at] ^= 0x10;
    assert_true(asp_world_state_hash(run.world) == after);
  }
  assert_true(open_saved(&third, &other));
  assert_int_equal(asp_world_restore(third.world, bytes, size), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(third.context), "saved with another model: bodies"));
  scene_close(&third);
  scene_open(&third, "pyramid-of-balls", 1e-3);
  assert_int_equal(asp_world_restore(third.world, bytes, size), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(third.context), "saved with the option"));
  scene_close(&third);
  assert_ok(run.context, asp_world_restore(run.world, bytes, size)); // back to where it was
  assert_true(asp_world_state_hash(run.world) == before);
  free(bytes);
  scene_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_restored_world_goes_on_to_the_same_bits),
      cmocka_unit_test(beams_and_structures_too),
      cmocka_unit_test(frames_of_earlier_steps_have_no_part_in_a_step),
      cmocka_unit_test(a_world_under_error_control_too),
      cmocka_unit_test(what_cannot_be_restored_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
