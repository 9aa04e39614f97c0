/* How redundant contacts that slide share their load: the same for every solver and mirror, as statics and symmetry ask,
 * and only where it changes the motion. */
#include "linalg/vec3.h"
#include "scene_runner.h"

#include <math.h>

/* A box of 0.6 x 0.3 x 0.1 m on four corners, friction 0.3; turned by an angle about an axis across it. */
static void open_tilted_box(SceneRun *run, double spin, double tilt, const char *more) {
  char text[1024];
  snprintf(text, sizeof text,
           "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.3}],"
           " \"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]},"
           " {\"name\": \"box\", \"mass\": 1, \"position\": [0, 0, 0.05], \"velocity\": [2, 0, 0], "
           "\"orientation\": {\"axis\": [3, 4, 0], \"angle\": %g}, \"angular_velocity\": [0, 0, %g], \"shapes\": "
           "[{\"type\": \"box\", \"size\": [0.6, 0.3, 0.1]}]}],"
           " \"run\": {\"dt\": 0.005, \"until\": 0.3%s}}",
           tilt, spin, more);
  scene_open_text(run, text);
}

static void open_box(SceneRun *run, double spin, const char *more) { open_tilted_box(run, spin, 0, more); }

static AspVec3 end_of(double spin, const char *more, int *shared) {
  SceneRun run;
  *shared = 0;
  open_box(&run, spin, more);
  while (scene_step(&run))
    *shared += run.info.load_sharing == 1;
  assert_int_equal(run.uncertified, 0);
  AspVec3 position = scene_position(&run, "box");
  scene_close(&run);
  return position;
}

static void all_solvers_give_one_motion(void **state) {
  (void)state;
  const char *const solvers[] = {"nsgs", "ipm", "newton", "aclm"};
  int shared, others;
  AspVec3 first = end_of(10, "", &shared);
  assert_true(shared > 50);
  for (int i = 0; i < 4; i++) {
    char more[64];
    snprintf(more, sizeof more, ", \"solver\": \"%s\"", solvers[i]);
    AspVec3 other = end_of(10, more, &others);
    assert_near(other.x, first.x, 1e-8);
    assert_near(other.y, first.y, 1e-8);
  }
}

static void mirrored_spin_gives_the_mirrored_motion(void **state) {
  (void)state;
  int shared;
  AspVec3 left = end_of(10, "", &shared), right = end_of(-10, "", &shared);
  assert_near(left.x, right.x, 1e-8);
  assert_near(left.y, -right.y, 1e-8);
  assert_true(fabs(left.y) > 1e-4); // it is not straight
  assert_near(end_of(10, ", \"share_loads\": false", &shared).z, 0.05, 1e-8);
  assert_int_equal(shared, 0);
}

/* Overlaps that count as none, of fractions of a nanometre: four corners of a plane lie on a plane, and none of them
 * is let go because the others are that much higher. */
static void a_tilt_that_is_none_changes_no_load(void **state) {
  (void)state;
  const double tilts[] = {0, 3e-11, -3e-11, 1e-10, -1e-10};
  AspVec3 level = {0};
  for (int i = 0; i < 5; i++) {
    SceneRun run;
    double least = INFINITY;
    open_tilted_box(&run, 10, tilts[i], "");
    for (int step = 0; step < 40 && scene_step(&run); step++) {
      assert_int_equal(asp_world_contact_count(run.world), 4);
      for (int k = 0; k < 4; k++)
        least = fmin(least, asp_world_contacts(run.world)[k].force.z);
    }
    AspVec3 end = scene_position(&run, "box");
    print_message("tilt %g: a corner carries %.3g N at least; at %.9f, %.9f m\n", tilts[i], least, end.x, end.y);
    level = i == 0 ? end : level;
    assert_true(least > 0.5);
    assert_at_most(norm3(sub3(end, level)), 1e-8);
    scene_close(&run);
  }
}

/* Motions of redundant contacts that slide are a continuum: a thorough search would not end, and is not begun. */
static void thorough_runs_of_sliding_corners_are_shared_not_searched(void **state) {
  (void)state;
  int shared, thorough;
  AspVec3 plain = end_of(10, "", &shared), searched = end_of(10, ", \"thorough\": true", &thorough);
  assert_int_equal(thorough, shared);
  assert_near(searched.x, plain.x, 1e-8);
  assert_near(searched.y, plain.y, 1e-8);
}

/* A box on another one, both sliding and spinning; the load leaves a corner slowly, step after step, and steps are
 * divided. */
static AspVec3 end_of_stack(int side, int *not_chosen) {
  char text[1024];
  SceneRun run;
  snprintf(text, sizeof text,
           "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.6}],"
           " \"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]},"
           " {\"name\": \"low\", \"mass\": 0.791, \"position\": [0, 0, 0.163], \"velocity\": [-0.063, %.17g, 0], "
           "\"orientation\": [0.96509250088133025, 0, 0, %.17g], \"angular_velocity\": [0, 0, %.17g], \"shapes\": "
           "[{\"type\": \"box\", "
           "\"size\": [0.265, 0.199, 0.326]}]},"
           " {\"name\": \"high\", \"mass\": 1.602, \"position\": [0, 0, 0.5675], \"velocity\": [-0.063, %.17g, 0], "
           "\"orientation\": [0.96509250088133025, 0, 0, %.17g], \"angular_velocity\": [0, 0, %.17g], \"shapes\": "
           "[{\"type\": \"box\", "
           "\"size\": [0.139, 0.392, 0.483]}]}],"
           " \"run\": {\"dt\": 0.005, \"until\": 0.1}}",
           side * 1.894, side * 0.26190926814952442, side * -2.43, side * 1.894, side * 0.26190926814952442,
           side * -4.01);
  scene_open_text(&run, text);
  while (scene_step(&run))
    *not_chosen += run.info.load_sharing == -1;
  AspVec3 position = scene_position(&run, "high");
  scene_close(&run);
  return position;
}

static void mirrored_stack_gives_the_mirrored_motion(void **state) {
  (void)state;
  int not_chosen = 0;
  AspVec3 left = end_of_stack(1, &not_chosen), right = end_of_stack(-1, &not_chosen);
  assert_int_equal(not_chosen, 0);
  assert_near(left.x, right.x, 1e-8);
  assert_near(left.y, -right.y, 1e-8);
  assert_near(left.z, right.z, 1e-8);
}

/* Straight on: the front pair carries m g (1 + mu h/L)/2 by the moment of friction, and its two corners the same. */
static void front_corners_carry_the_moment_of_friction_in_equal_parts(void **state) {
  (void)state;
  SceneRun run;
  open_box(&run, 0, "");
  assert_true(scene_step(&run));
  assert_int_equal(run.info.load_sharing, 1);
  const AspContactRecord *contacts = asp_world_contacts(run.world);
  assert_int_equal(asp_world_contact_count(run.world), 4);
  double weight = 9.81 * 0.005;
  for (int i = 0; i < 4; i++) {
    double part = 1 + (contacts[i].point.x > 0 ? 0.3 : -0.3) * 0.1 / 0.6;
    assert_near(contacts[i].impulse[0], part * weight / 4, 1e-9);
  }
  scene_close(&run);
}

/* At rest, on a slope that it sticks to, there is nothing to choose. */
static void contacts_that_stick_are_left_alone(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run, "{\"gravity\": [1, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.3}],"
                        " \"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": "
                        "\"half-space\"}]}, {\"name\": \"box\", \"mass\": 1, \"position\": [0, 0, 0.05], \"shapes\": "
                        "[{\"type\": \"box\", \"size\": [0.6, 0.3, 0.1]}]}], \"run\": {\"dt\": 0.005, \"until\": "
                        "0.1}}");
  while (scene_step(&run))
    assert_int_equal(run.info.load_sharing, 0);
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_solvers_give_one_motion),
      cmocka_unit_test(mirrored_spin_gives_the_mirrored_motion),
      cmocka_unit_test(mirrored_stack_gives_the_mirrored_motion),
      cmocka_unit_test(a_tilt_that_is_none_changes_no_load),
      cmocka_unit_test(thorough_runs_of_sliding_corners_are_shared_not_searched),
      cmocka_unit_test(front_corners_carry_the_moment_of_friction_in_equal_parts),
      cmocka_unit_test(contacts_that_stick_are_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
