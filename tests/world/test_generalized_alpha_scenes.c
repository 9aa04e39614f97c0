/* Generalized-alpha on scenes that other schemes and a plain semismooth Newton method find hard: the tippe-top with
 * friction that sliding and spinning share, the hopper whose foot sticks and slips, a pile of balls. */
#include "linalg/vec3.h"
#include "scene_runner.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tippe_top_turns_over_in_the_time_of_moreau_jean),
      cmocka_unit_test(hopper_with_much_friction_finds_its_modes),
      cmocka_unit_test(pyramid_of_balls_stays_without_overlap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
