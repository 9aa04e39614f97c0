/* Large piles: bits that do not depend on threads, warm starts that hold near rest, honest steps under a limit. */
#include "base/parallel.h"
#include "linalg/vec3.h"
#include "scene_runner.h"

#include <stdlib.h>

/* Bodies of these shapes in turn in a cubic grid of `wide` x `wide` x `high`, almost touching, shaken a little. */
static char *heap(int wide, int high, const char *ground, int kinds, const char *const *shape, const char *run) {
  size_t room = 4096 + 512 * (size_t)(wide * wide * high), at;
  char *text = malloc(room);
  AspRandom random = {11};
  assert_non_null(text);
  at = (size_t)snprintf(text, room,
                        "{\"name\": \"heap\", \"materials\": [{\"pair\": [\"*\", \"*\"], "
                        "\"friction\": 0.5}], \"bodies\": "
                        "[{\"name\": \"ground\", \"fixed\": true, \"shapes\": [%s]}",
                        ground);
  for (int i = 0; i < wide * wide * high; i++)
    at += (size_t)snprintf(text + at, room - at,
                           ", {\"name\": \"body %d\", \"mass\": 1, \"position\": [%.4f, %.4f, %.4f], "
                           "\"velocity\": [%.3f, %.3f, -0.5], \"shapes\": [%s]}",
                           i, 1.001 * (i % wide), 1.001 * (i / wide % wide), 0.501 + 1.001 * (i / wide / wide),
                           asp_random_uniform(&random, -0.1, 0.1), asp_random_uniform(&random, -0.1, 0.1),
                           shape[(i + i / wide) % kinds]);
  snprintf(text + at, room - at, "], \"run\": {%s}}", run);
  return text;
}

/* On the ground. */
static char *heap_of_balls(int wide, int high, const char *run) {
  const char *ball = "{\"type\": \"sphere\", \"radius\": 0.5}";
  return heap(wide, high, "{\"type\": \"half-space\"}", 1, &ball, run);
}

/* On a height field. */
static char *heap_of_all_kinds(int wide, int high, const char *run) {
  const char *tetrahedron = "{\"type\": \"convex\", \"points\": "
                            "[[0.5, 0.5, 0.5], [-0.5, -0.5, 0.5], [-0.5, 0.5, -0.5], [0.5, -0.5, -0.5]]}";
  const char *const shapes[4] = {"{\"type\": \"sphere\", \"radius\": 0.5}", "{\"type\": \"box\", \"size\": [1, 1, 1]}",
                                 "{\"type\": \"capsule\", \"radius\": 0.5, \"length\": 0.01}", tetrahedron};
  const char *field = "{\"type\": \"height-field\", \"position\": [-5, -5, 0], \"spacing\": [30, 30], \"heights\": "
                      "[[0, 0], [0, 0]]}";
  return heap(wide, high, field, 4, shapes, run);
}

/* Of the state, of the judge's residual and of the balance of a step. */
static uint64_t hash_of_step(uint64_t hash, const SceneRun *run) {
  const AspStepInfo *info = &run->info;
  uint64_t state = asp_world_state_hash(run->world);
  const double said[] = {info->residual.E1,
                         info->residual.E2,
                         info->residual.contact,
                         info->residual.norm_u,
                         info->residual.mean_normal,
                         info->residual.worst_cone,
                         info->penetration,
                         info->energy.kinetic,
                         info->flow.friction,
                         info->flow.impacts,
                         info->flow.remainder,
                         info->momentum.linear.x,
                         info->momentum.angular.y,
                         info->momentum.linear_remainder.z,
                         info->momentum.angular_remainder.x};
  hash = asp_hash_bytes(hash, &state, sizeof state);
  return asp_hash_bytes(hash, said, sizeof said);
}

/* A run whose steps a team makes. */
typedef struct TeamRun {
  SceneRun run;
  uint64_t hash; /* of all steps */
} TeamRun;

static void make_steps(void *data) {
  TeamRun *team = data;
  team->hash = ASP_HASH_START;
  while (scene_step(&team->run))
    team->hash = hash_of_step(team->hash, &team->run);
}

/* More threads than processors too: a step takes the team that is there. */
static uint64_t hash_by_threads(const char *text, int threads) {
  TeamRun team;
  scene_open_text(&team.run, text);
  asp_team_run(team.run.context, threads, make_steps, &team);
  assert_true(team.run.info.contacts >= 2048); // enough for every loop to be shared
  scene_close(&team.run);
  return team.hash;
}

static void states_have_the_same_bits_for_1_2_3_and_8_threads(void **state) {
  (void)state;
  const int threads[] = {2, 3, 8};
  const char *schemes[] = {"stewart-trinkle", "moreau-jean"};
  for (int s = 0; s < 2; s++) {
    char options[256];
    snprintf(
        options, sizeof options,
        "\"scheme\": \"%s\", \"dt\": 0.01, \"until\": 0.03, \"solver\": \"nsgs\", \"max_iterations\": 16, \"retry\": "
        "false",
        schemes[s]);
    char *text = heap_of_balls(13, 13, options);
    uint64_t one = hash_by_threads(text, 1);
    for (int k = 0; k < 3; k++)
      assert_true(hash_by_threads(text, threads[k]) == one);
    free(text);
  }
}

static void all_kinds_of_shapes_have_the_same_bits_for_1_2_3_and_8_threads(void **state) {
  (void)state;
  const int threads[] = {2, 3, 8};
  char *text = heap_of_all_kinds(9, 9,
                                 "\"scheme\": \"stewart-trinkle\", \"dt\": 0.01, \"until\": 0.05, \"solver\": "
                                 "\"nsgs\", \"max_iterations\": 16, \"retry\": false");
  uint64_t one = hash_by_threads(text, 1);
  for (int k = 0; k < 3; k++)
    assert_true(hash_by_threads(text, threads[k]) == one);
  free(text);
}

static void a_step_above_its_tolerance_is_flagged_with_what_was_reached(void **state) {
  (void)state;
  char *text = heap_of_balls(5, 5,
                             "\"scheme\": \"stewart-trinkle\", \"dt\": 0.01, \"until\": 0.05, \"solver\": \"nsgs\", "
                             "\"max_iterations\": 8, \"retry\": false, \"tolerance\": 1e-12");
  SceneRun run;
  scene_open_text(&run, text);
  while (scene_step(&run)) {
    bool within = run.info.residual.E2 <= 1e-12 && run.info.residual.E3 <= 1e-10;
    assert_true(run.info.certified == within);
    assert_true(isfinite(run.info.residual.contact) && run.info.residual.contact > 0);
  }
  assert_true(run.uncertified > 0);
  scene_close(&run);
  free(text);
}

/* Iterations of a box pulled sideways on a plate that rocks by 1e-8 rad about x and about y. */
static int iterations_on_rocking_plate(double about_x, double about_y, int *jumps) {
  char text[2048];
  SceneRun run;
  snprintf(text, sizeof text,
           "{\"name\": \"rocking plate\", \"gravity\": [2, 1, -9.81],"
           " \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.6}],"
           " \"bodies\": [{\"name\": \"ground\", \"fixed\": true},"
           "  {\"name\": \"cross\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [0, 0, -0.1]},"
           "  {\"name\": \"plate\", \"mass\": 1, \"position\": [0, 0, -0.1], \"shapes\": [{\"type\": \"box\", "
           "\"size\": [4, 4, 0.2]}]},"
           "  {\"name\": \"box\", \"mass\": 1, \"position\": [0, 0, 0.1], \"shapes\": [{\"type\": \"box\", \"size\": "
           "[0.4, 0.4, 0.2]}]}],"
           " \"joints\": [{\"name\": \"first\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"cross\"], "
           "\"point\": [0, 0, -0.1], \"axis\": [1, 0, 0], \"angle\": \"%g*sin(300*t)\"},"
           "  {\"name\": \"second\", \"type\": \"revolute\", \"bodies\": [\"cross\", \"plate\"], \"point\": [0, 0, "
           "-0.1], \"axis\": [0, 1, 0], \"angle\": \"%g*cos(300*t)\"}],"
           " \"run\": {\"scheme\": \"stewart-trinkle\", \"dt\": 0.01, \"until\": 0.6, \"tolerance\": 1e-5}}",
           about_x, about_y);
  scene_open_text(&run, text);
  AspVec3 before = {0, 0, 0};
  int steps = 0, iterations = 0;
  *jumps = 0;
  while (scene_step(&run)) {
    const AspContactRecord *contact = asp_world_contacts(run.world);
    assert_true(asp_world_contact_count(run.world) >= 4);
    *jumps += steps > 20 && fabs(dot3(contact[0].t1, before)) < 0.5;
    before = contact[0].t1;
    iterations += steps++ > 20 ? run.info.iterations : 0;
  }
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
  return iterations;
}

/* The smaller one of two tiny components of its normal chooses the tangents of a contact, which so may turn by 90
 * degrees from step to step. */
static void friction_is_carried_over_when_the_tangents_jump(void **state) {
  (void)state;
  int jumps, none;
  int jumping = iterations_on_rocking_plate(1e-8, 1e-8, &jumps);
  int steady = iterations_on_rocking_plate(2e-8, 1e-12, &none);
  assert_true(jumps > 10 && none <= 3);
  assert_true(jumping <= 2 * steady + 20);
}

static bool after_some(void *left) { return --*(int *)left < 0; }

/* Wherever it is when it is asked to stop. */
static void interrupted_step_leaves_the_state_of_before_and_can_be_made_again(void **state) {
  (void)state;
  char *text = heap_of_balls(5, 4, "\"dt\": 0.01, \"until\": 1, \"tolerance\": 1e-10");
  int interrupted = 0;
  for (int asked = 0; asked < 40; asked = 2 * asked + 1) {
    SceneRun run;
    int left = asked;
    scene_open_text(&run, text);
    for (int step = 0; step < 3; step++)
      assert_true(scene_step(&run));
    uint64_t before = asp_world_state_hash(run.world);
    asp_context_set_stop(run.context, after_some, &left);
    AspError error = asp_world_step(run.world, &run.info);
    asp_context_set_stop(run.context, NULL, NULL);
    if (error == ASP_ERROR_INTERRUPTED) {
      interrupted++;
      assert_true(asp_world_state_hash(run.world) == before);
      assert_true(scene_step(&run));
    }
    assert_true(run.info.certified && run.info.step == 4);
    assert_near(run.info.t, 0.04, 1e-15);
    scene_close(&run);
  }
  assert_true(interrupted >= 2);
  free(text);
}

/* Gap after a step of 0.01 s of two balls that overlap by 10 mm and come apart at `speed`. */
static double gap_after_a_step(double speed) {
  char text[512];
  snprintf(text, sizeof text,
           "{\"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0}], \"bodies\": [{\"mass\": 1, \"shapes\": "
           "[{\"type\": \"sphere\", \"radius\": 0.5}]}, {\"mass\": 1, "
           "\"position\": [0.99, 0, 0], \"velocity\": [%g, 0, 0], \"shapes\": [{\"type\": \"sphere\", \"radius\": "
           "0.5}]}], \"run\": {\"dt\": 0.01, \"until\": 0.01}}",
           speed);
  SceneRun run;
  scene_open_text(&run, text);
  assert_true(scene_step(&run));
  const AspState *now = asp_world_state(run.world);
  double distance =
      asp_state_pose(run.scene.model, now, 1).position.x - asp_state_pose(run.scene.model, now, 0).position.x;
  scene_close(&run);
  return distance - 1;
}

/* Left alone while hits go on, overlaps that open slowly would add up in a pile; one that opens by a good part of
 * itself in a step is a bounce, to which lifting would add height. */
static void overlaps_that_open_slowly_are_taken_back_and_quick_ones_left(void **state) {
  (void)state;
  assert_at_most(-gap_after_a_step(0.01), 1e-9); // by a hundredth of itself
  assert_near(gap_after_a_step(0.5), -0.005, 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(states_have_the_same_bits_for_1_2_3_and_8_threads),
      cmocka_unit_test(all_kinds_of_shapes_have_the_same_bits_for_1_2_3_and_8_threads),
      cmocka_unit_test(a_step_above_its_tolerance_is_flagged_with_what_was_reached),
      cmocka_unit_test(friction_is_carried_over_when_the_tangents_jump),
      cmocka_unit_test(interrupted_step_leaves_the_state_of_before_and_can_be_made_again),
      cmocka_unit_test(overlaps_that_open_slowly_are_taken_back_and_quick_ones_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
