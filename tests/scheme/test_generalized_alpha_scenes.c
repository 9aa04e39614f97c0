/* Generalized-alpha on scenes that other schemes and a plain semismooth Newton method find hard: the tippe-top with
 * friction that sliding and spinning share, the hopper whose foot sticks and slips, piles and stacks. */
#include "linalg/vec3.h"
#include "world/scene_runner.h"

#include <math.h>

/* Moreau-Jean with dt = 1e-4 s has the top's axis horizontal at 0.976 s. */
static void tippe_top_turns_over_in_the_time_of_moreau_jean(void **state) {
  (void)state;
  SceneRun run;
  scene_open_changed(&run, "gallery/tippe-top", "{\"dt\": 0.001, \"until\": 8}",
                     "{\"dt\": 0.001, \"until\": 1.1, \"scheme\": \"generalized-alpha\"}");
  double turned = 0;
  while (turned == 0 && scene_step(&run)) {
    AspQuat q = asp_state_pose(run.scene.model, asp_world_state(run.world), scene_body(&run, "top")).orientation;
    if (quat_rotate(q, vec3(0, 0, 1)).z < 0)
      turned = run.info.t;
    assert_at_most(run.info.penetration, 1e-12);
  }
  assert_int_equal(run.uncertified, 0);
  assert_near(turned, 0.976, 0.05 * 0.976);
  scene_close(&run);
}

/* With mu = 0.8 rounds cycle between sticking and slipping; one mode is consistent, and found. */
static void hopper_with_much_friction_finds_its_modes(void **state) {
  (void)state;
  SceneRun run;
  scene_open_changed(&run, "gallery/guided-hopper", "\"friction\": 0.1", "\"friction\": 0.8");
  for (int i = 0; i < 150; i++) {
    assert_true(scene_step(&run));
    assert_at_most(run.info.penetration, 1e-12);
  }
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
}

static void pyramid_of_balls_stays_without_overlap(void **state) {
  (void)state;
  SceneRun run;
  scene_open_changed(&run, "pyramid-of-balls",
                     "\"scheme\": \"stewart-trinkle\", \"friction\": {\"model\": \"inscribed\", \"directions\": 8}",
                     "\"scheme\": \"generalized-alpha\"");
  for (int i = 0; i < 10; i++) {
    assert_true(scene_step(&run));
    assert_at_most(run.info.penetration, 1e-10);
  }
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
}

#define FLOOR                                                                                                          \
  "{\"dimension\": 3, \"gravity\": [0, 0, -10], \"materials\": [{\"pair\": [\"m\", \"m\"], \"friction\": 0.3}], "      \
  "\"run\": {\"scheme\": \"generalized-alpha\", \"dt\": 0.005, \"until\": 1}, \"bodies\": [{\"name\": \"floor\", "     \
  "\"fixed\": "                                                                                                        \
  "true, \"shapes\": [{\"type\": \"half-space\", \"material\": \"m\"}]}"

/* Every contact's impulse obeys Coulomb's law; returns the largest normal one. A sum over parts of a step, in which normals
 * turn, need not. */
static double assert_friction_obeyed(const SceneRun *run, double mu) {
  double largest = 0;
  for (int i = 0; i < asp_world_contact_count(run->world); i++)
    largest = fmax(largest, asp_world_contacts(run->world)[i].impulse[0]);
  for (int i = 0; i < asp_world_contact_count(run->world); i++) {
    const double *P = asp_world_contacts(run->world)[i].impulse;
    if (run->info.parts > 1)
      continue;
    assert_true(P[0] >= -1e-6 * largest);
    assert_at_most(hypot(P[1], P[2]), mu * P[0] + 1e-6 * largest);
  }
  return largest;
}

/* Forty balls, close to each other and a little off their grid, fall on the floor and on each other. */
static void heap_of_balls_falls_apart_without_a_flagged_step(void **state) {
  (void)state;
  char text[16384] = FLOOR;
  SceneRun run;
  AspRandom random = {7};
  int most = 0;
  for (int i = 0; i < 40; i++) {
    size_t at = strlen(text);
    double off[2] = {asp_random_uniform(&random, -0.004, 0.004), asp_random_uniform(&random, -0.004, 0.004)};
    snprintf(
        text + at, sizeof text - at,
        ", {\"name\": \"b%d\", \"position\": [%.17g, %.17g, %.17g], \"mass\": 0.5, \"inertia\": [5e-4, 5e-4, 5e-4], "
        "\"shapes\": [{\"type\": \"sphere\", \"radius\": 0.05, \"material\": \"m\"}]}",
        i, 0.11 * (i % 3) + off[0], 0.11 * (i / 3 % 3) + off[1], 0.06 + 0.101 * (i / 9));
  }
  snprintf(text + strlen(text), sizeof text - strlen(text), "]}");
  scene_open_text(&run, text);
  for (int i = 0; i < 40; i++) {
    assert_true(scene_step(&run));
    assert_at_most(run.info.penetration, 1e-9);
    assert_friction_obeyed(&run, 0.3);
    most = run.info.contacts > most ? run.info.contacts : most;
  }
  assert_int_equal(run.uncertified, 0);
  assert_true(most > 20); // 60 rows: beyond what is solved to rounding
  scene_close(&run);
}

/* Six boxes, 24 contacts, each layer carries what is above it, and nothing moves. */
static void stack_of_boxes_stays_at_rest(void **state) {
  (void)state;
  char text[8192] = FLOOR, name[16];
  SceneRun run;
  for (int i = 0; i < 6; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text),
             ", {\"name\": \"b%d\", \"position\": [0, 0, %.17g], \"mass\": 1, \"inertia\": [0.0067, 0.0067, 0.0067], "
             "\"shapes\": [{\"type\": \"box\", \"size\": [0.2, 0.2, 0.2], \"material\": \"m\"}]}",
             i, 0.1 + 0.2 * i);
  snprintf(text + strlen(text), sizeof text - strlen(text), "]}");
  scene_open_text(&run, text);
  for (int i = 0; i < 40; i++) {
    double ground = 0;
    assert_true(scene_step(&run));
    for (int k = 0; k < asp_world_contact_count(run.world); k++)
      ground += asp_world_contacts(run.world)[k].body_a == 0 ? asp_world_contacts(run.world)[k].impulse[0] : 0;
    assert_near(ground, 6 * 10 * 0.005, 1e-6);
  }
  assert_int_equal(run.uncertified, 0);
  for (int i = 0; i < 6; i++) {
    snprintf(name, sizeof name, "b%d", i);
    AspVec3 at = scene_position(&run, name);
    assert_near(at.z, 0.1 + 0.2 * i, 1e-8);
    assert_at_most(hypot(at.x, at.y), 1e-8);
  }
  scene_close(&run);
}

static bool at_once(void *user) { return ++*(int *)user > 0; }

static void step_ends_where_it_is_asked_to_stop(void **state) {
  (void)state;
  SceneRun run;
  int asked = 0;
  scene_open_changed(&run, "gallery/guided-hopper", "\"friction\": 0.1", "\"friction\": 0.8");
  asp_context_set_stop(run.context, at_once, &asked);
  assert_int_equal(asp_world_step(run.world, &run.info), ASP_ERROR_INTERRUPTED);
  assert_true(asked > 0);
  asp_context_set_stop(run.context, NULL, NULL);
  assert_true(scene_step(&run));
  assert_near(run.info.t, 1e-3, 1e-12);
  scene_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tippe_top_turns_over_in_the_time_of_moreau_jean),
      cmocka_unit_test(hopper_with_much_friction_finds_its_modes),
      cmocka_unit_test(pyramid_of_balls_stays_without_overlap),
      cmocka_unit_test(heap_of_balls_falls_apart_without_a_flagged_step),
      cmocka_unit_test(stack_of_boxes_stays_at_rest),
      cmocka_unit_test(step_ends_where_it_is_asked_to_stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
