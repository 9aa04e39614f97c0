/* Certified steps do not hide bodies that went through each other: positions are corrected without pushing bodies into
 * others, bodies that are struck stop at their neighbours, and what is deep all the same is named. */
#include "linalg/vec3.h"
#include "scene_runner.h"

#include <stdlib.h>

#define MATERIAL "\"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.5}]"
#define BALL     "\"shapes\": [{\"type\": \"sphere\", \"radius\": 0.05}]"

static double distance(const SceneRun *run, const char *a, const char *b) {
  return norm3(sub3(scene_position(run, a), scene_position(run, b)));
}

/* Pressed 0.5 mm into the sides of two heavy balls, almost exactly between them: in the linear problem the way out is
 * 10 cm, into the third. */
static void light_ball_between_heavy_ones_is_not_moved_through_a_third(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run, "{\"gravity\": [0, 0, 0], " MATERIAL ", \"bodies\": ["
                        "{\"name\": \"left\", \"mass\": 1000, \"position\": [-0.0995, -0.0005, 0], " BALL "},"
                        "{\"name\": \"right\", \"mass\": 1000, \"position\": [0.0995, -0.0005, 0], " BALL "},"
                        "{\"name\": \"light\", \"mass\": 0.001, " BALL "},"
                        "{\"name\": \"third\", \"mass\": 1000, \"position\": [0, 0.19, 0], " BALL "}],"
                        "\"run\": {\"dt\": 0.005, \"until\": 0.05}}");
  while (scene_step(&run)) {
    assert_true(distance(&run, "light", "third") > 0.1 - 1e-4);
    assert_true(distance(&run, "light", "left") > 0.1 - 0.0006);
    assert_true(distance(&run, "light", "right") > 0.1 - 0.0006);
  }
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
}

/* The light ball leaves the floor by itself, so that nothing lifts it; the heavy one, 5 mm into it, must not be freed
 * by pressing it down. */
static void overlap_that_comes_apart_by_itself_is_not_made_deeper(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(
      &run,
      "{\"gravity\": [0, 0, 0], " MATERIAL ", \"bodies\": ["
      "{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]},"
      "{\"name\": \"light\", \"mass\": 0.001, \"position\": [0, 0, 0.049999], \"velocity\": [0, 0, 0.01], " BALL "},"
      "{\"name\": \"heavy\", \"mass\": 1000, \"position\": [0, 0, 0.144999], \"velocity\": [0, 0, 0.01], " BALL
      "}], \"run\": {\"dt\": 0.005, \"until\": 0.005}}");
  assert_true(scene_step(&run));
  assert_true(scene_position(&run, "light").z > 0.049999);
  assert_true(distance(&run, "light", "heavy") > 0.1 - 1e-8);
  scene_close(&run);
}

/* The contact with the target is known before the step, and open for all that its velocities tell. The striker drives
 * the light ball into the target; while it crosses the gap it turns aside, so that the target gets the less the wider
 * the gap is. Event-driven gets 6.09, 5.53 and 1.77 m/s of 20, plain steps of 2e-6 s 5.96, 5.32 and 1.77. */
static void struck_ball_does_not_pass_the_neighbour_that_it_almost_touches(void **state) {
  (void)state;
  const double gaps[] = {3e-4, 9e-4, 5e-3}, speeds[] = {20, 50, 100}, shares[] = {0.305, 0.276, 0.089};
  for (int i = 0; i < 9; i++) {
    char text[1024];
    double gap = gaps[i / 3], n[2] = {cos(0.87), -sin(0.87)};
    snprintf(text, sizeof text,
             "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0}], \"bodies\": ["
             "{\"name\": \"striker\", \"mass\": 10, \"position\": [%.17g, %.17g, 0], \"velocity\": [%g, 0, 0], " BALL
             "}, {\"name\": \"light\", \"mass\": 0.01, " BALL "},"
             "{\"name\": \"target\", \"mass\": 10, \"position\": [%.17g, %.17g, 0], " BALL "}],"
             "\"run\": {\"dt\": 0.005, \"until\": 0.05, \"locate\": 0.05}}",
             -0.1005 * n[0], -0.1005 * n[1], speeds[i % 3], (0.1 + gap) * n[0], (0.1 + gap) * n[1]);
    SceneRun run;
    scene_open_text(&run, text);
    while (scene_step(&run)) {
      assert_true(distance(&run, "light", "target") > 0.1 - 0.0125);
      assert_true(run.info.certified || run.info.residual.norm_q < 1e-7); // else q is the rounding of such speeds
    }
    AspVec3 v = scene_velocity(&run, "target");
    assert_near(v.x * n[0] + v.y * n[1], shares[i / 3] * speeds[i % 3], 0.05 * speeds[i % 3]);
    scene_close(&run);
  }
}

/* Balls of 5 cm in a grid, masses from 1 g to 1 t without order. */
static char *heap_of_uneven_masses(int wide, int high) {
  size_t room = 1024 + 256 * (size_t)(wide * wide * high), at;
  char *text = malloc(room);
  AspRandom random = {3};
  assert_non_null(text);
  at = (size_t)snprintf(text, room,
                        "{" MATERIAL ", \"bodies\": [{\"name\": \"ground\", \"fixed\": true, "
                        "\"shapes\": [{\"type\": \"half-space\"}]}");
  for (int i = 0; i < wide * wide * high; i++)
    at += (size_t)snprintf(
        text + at, room - at,
        ", {\"name\": \"ball %d\", \"mass\": %.5g, \"position\": [%.5f, %.5f, %.5f], "
        "\"velocity\": [0, 0, -0.1], " BALL "}",
        i, pow(10, asp_random_uniform(&random, -3, 3)), 0.102 * (i % wide) + asp_random_uniform(&random, -0.002, 0.002),
        0.102 * (i / wide % wide) + asp_random_uniform(&random, -0.002, 0.002), 0.0501 + 0.0995 * (i / wide / wide));
  snprintf(text + at, room - at, "], \"run\": {\"dt\": 0.005, \"until\": 0.15}}");
  return text;
}

static void masses_of_very_different_size_do_not_press_balls_through_each_other(void **state) {
  (void)state;
  char *text = heap_of_uneven_masses(5, 4);
  SceneRun run;
  scene_open_text(&run, text);
  free(text);
  int bodies = asp_model_body_count(run.scene.model);
  while (scene_step(&run)) {
    const AspState *now = asp_world_state(run.world);
    for (int a = 1; a < bodies; a++) {
      AspVec3 p = asp_state_pose(run.scene.model, now, a).position;
      assert_true(p.z > 0.05 - 0.025);
      for (int b = a + 1; b < bodies; b++)
        assert_true(norm3(sub3(p, asp_state_pose(run.scene.model, now, b).position)) > 0.1 - 0.025);
    }
  }
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
}

/* Five balls in each other, one above the other on the floor. */
#define COLUMN                                                                                                         \
  "{" MATERIAL ", \"bodies\": [{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]},"      \
  "{\"name\": \"0\", \"mass\": 1, \"position\": [0, 0, 0.049], " BALL                                                  \
  "}, {\"name\": \"1\", \"mass\": 1, \"position\": [0, 0, 0.147], " BALL                                               \
  "}, {\"name\": \"2\", \"mass\": 1, \"position\": [0, 0, 0.245], " BALL                                               \
  "}, {\"name\": \"3\", \"mass\": 1, \"position\": [0, 0, 0.343], " BALL                                               \
  "}, {\"name\": \"4\", \"mass\": 1, \"position\": [0, 0, 0.441], " BALL "}],"

/* One iteration would not get them apart. */
static void overlaps_are_put_right_whatever_solves_the_step(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run, COLUMN "\"run\": {\"solver\": \"admm\", \"max_iterations\": 1, \"retry\": false, "
                               "\"dt\": 1e-5, \"until\": 1e-5}}");
  assert_true(scene_step(&run));
  assert_near(scene_position(&run, "0").z, 0.05, 1e-8);
  assert_near(distance(&run, "3", "4"), 0.1, 1e-8);
  scene_close(&run);
}

/* A gap that the tolerance left would be open at so short a step, and the balls fall freely. */
static void contacts_that_were_put_right_are_closed(void **state) {
  (void)state;
  char text[8192];
  AspRandom random = {2};
  size_t at = (size_t)snprintf(text, sizeof text,
                               "{" MATERIAL ", \"gravity\": [0, 0, -9.81], \"bodies\": [{\"fixed\": true, "
                               "\"shapes\": [{\"type\": \"half-space\"}]}");
  for (int i = 0; i < 36; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, ", {\"mass\": 1, \"position\": [%.5f, %.5f, %.5f], " BALL "}",
                           0.098 * (i % 3) + asp_random_uniform(&random, -0.001, 0.001),
                           0.098 * (i / 3 % 3) + asp_random_uniform(&random, -0.001, 0.001), 0.048 + 0.098 * (i / 9));
  assert_true(snprintf(text + at, sizeof text - at,
                       "], \"run\": {\"tolerance\": 1e-6, \"dt\": 1e-6, \"until\": 1e-6}}") < (int)(sizeof text - at));
  SceneRun run;
  scene_open_text(&run, text);
  assert_true(scene_step(&run));
  for (int body = 1; body <= 36; body++)
    assert_true(asp_state_velocity(run.scene.model, asp_world_state(run.world), body).z > -0.1 * 9.81e-6);
  scene_close(&run);
}

/* Whatever made it. */
static void deep_overlap_is_named_with_its_bodies(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run, "{\"gravity\": [0, 0, 0], " MATERIAL ", \"bodies\": ["
                        "{\"name\": \"one\", \"mass\": 1, " BALL "},"
                        "{\"name\": \"two\", \"mass\": 1, \"position\": [0.06, 0, 0], " BALL "},"
                        "{\"name\": \"three\", \"mass\": 1, \"position\": [0, 0.09, 0], " BALL "}],"
                        "\"run\": {\"dt\": 0.005, \"until\": 0.005}}");
  assert_int_equal(asp_world_warning_count(run.world), 2); // both pairs, the deeper one first
  const char *warning = asp_world_warning(run.world, 0);
  assert_non_null(strstr(warning, "one and two overlap by 0.04 m"));
  assert_non_null(strstr(warning, "40 %"));
  assert_non_null(strstr(asp_world_warning(run.world, 1), "one and three overlap by 0.01 m"));
  assert_true(scene_step(&run));
  assert_int_equal(asp_world_warning_count(run.world), 3);
  assert_non_null(strstr(asp_world_warning(run.world, 2), "penetration"));
  scene_close(&run);
}

/* Before the first step, with both names, the depth and what to do; bodies that touch are not. */
static void deep_overlap_at_the_start_is_named_in_every_scheme(void **state) {
  (void)state;
  const char *const schemes[] = {"moreau-jean", "stewart-trinkle", "generalized-alpha", "event-driven", "compliant"};
  for (int i = 0; i < 10; i++) {
    bool deep = i < 5;
    char text[1024];
    snprintf(text, sizeof text,
             "{\"gravity\": [0, 0, -9.81], " MATERIAL ", \"bodies\": ["
             "{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]},"
             "{\"name\": \"left\", \"mass\": 1, \"position\": [0, 0, 0.05], " BALL "},"
             "{\"name\": \"right\", \"mass\": 1, \"position\": [%g, 0, 0.05], " BALL
             "}], \"run\": {\"dt\": 0.005, \"until\": 0.05, \"scheme\": \"%s\"}}",
             deep ? 0.08 : 0.1, schemes[i % 5]);
    SceneRun run;
    scene_open_text(&run, text);
    assert_int_equal(asp_world_warning_count(run.world), deep);
    if (deep) {
      assert_non_null(strstr(asp_world_warning(run.world, 0), "left and right overlap by 0.02 m at the start, 20 %"));
      assert_non_null(strstr(asp_world_warning(run.world, 0), "move them apart"));
    }
    scene_close(&run);
  }
}

/* A box between two fixed walls, without clearance, the whole scene turned by an angle: what rounding leaves of the
 * clearance is now and then negative. Before, no velocity met such contacts, and the solver labored on each step. */
static void body_between_walls_without_clearance_falls_freely_at_any_angle(void **state) {
  static const char *const schemes[] = {"moreau-jean", "stewart-trinkle", "generalized-alpha"};
  (void)state;
  for (int k = 0; k < 24; k++) {
    SceneRun run;
    char text[1024];
    double angle = 0.1 + 0.26 * k, c = cos(angle), s = sin(angle), far = 1 + k % 3;
    snprintf(
        text, sizeof text,
        "{\"dimension\": 2, \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0}], \"gravity\": [%.17g, %.17g], "
        "\"bodies\": ["
        "{\"name\": \"l\", \"fixed\": true, \"angle\": %.17g, \"position\": [%.17g, %.17g], \"shapes\": "
        "[{\"type\": \"box\", \"size\": [0.2, 4]}]}, "
        "{\"name\": \"r\", \"fixed\": true, \"angle\": %.17g, \"position\": [%.17g, %.17g], \"shapes\": "
        "[{\"type\": \"box\", \"size\": [0.2, 4]}]}, "
        "{\"name\": \"a\", \"mass\": 1, \"angle\": %.17g, \"position\": [%.17g, %.17g], \"shapes\": "
        "[{\"type\": \"box\", \"size\": [0.2, 0.3]}]}], \"run\": {\"dt\": 0.002, \"until\": 0.1, \"scheme\": \"%s\"}}",
        9.81 * s, -9.81 * c, angle, far - 0.2 * c, far - 0.2 * s, angle, far + 0.2 * c, far + 0.2 * s, angle, far - s,
        far + c, schemes[k % 3]);
    scene_open_text(&run, text);
    scene_finish(&run);
    assert_int_equal(run.uncertified, 0);
    AspVec3 v = scene_velocity(&run, "a");
    assert_near(v.x, 0.981 * s, 1e-9);
    assert_near(v.y, -0.981 * c, 1e-9);
    scene_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(deep_overlap_at_the_start_is_named_in_every_scheme),
      cmocka_unit_test(light_ball_between_heavy_ones_is_not_moved_through_a_third),
      cmocka_unit_test(overlap_that_comes_apart_by_itself_is_not_made_deeper),
      cmocka_unit_test(struck_ball_does_not_pass_the_neighbour_that_it_almost_touches),
      cmocka_unit_test(masses_of_very_different_size_do_not_press_balls_through_each_other),
      cmocka_unit_test(overlaps_are_put_right_whatever_solves_the_step),
      cmocka_unit_test(contacts_that_were_put_right_are_closed),
      cmocka_unit_test(deep_overlap_is_named_with_its_bodies),
      cmocka_unit_test(body_between_walls_without_clearance_falls_freely_at_any_angle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
