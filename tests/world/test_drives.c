/* Drives that meet what cannot give way are refused with their names before the step is made, in every rigid scheme;
 * clamps that close to touching, jaws that carry, belts, and motors with an effort are not. */
#include "scene_runner.h"

#include <math.h>

#define MATERIALS "\"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.4, \"restitution\": 0}]"
#define RUN       "\"run\": {\"dt\": 0.01, \"until\": %g, \"scheme\": \"%s\"}}"

static const char *const schemes[] = {"moreau-jean", "stewart-trinkle", "generalized-alpha", "event-driven"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

/* Steps to the end or to an impossible drive; true: it was one. */
static bool ends_by_drive(SceneRun *run) {
  while (asp_world_state(run->world)->t < run->scene.run.until - 1e-9) {
    AspError error = asp_world_step(run->world, &run->info);
    if (error == ASP_ERROR_IMPOSSIBLE)
      return true;
    assert_ok(run->context, error);
    run->uncertified += !run->info.certified;
  }
  return false;
}

static void open_format(SceneRun *run, const char *format, double until, const char *scheme) {
  char text[4096];
  assert_true(snprintf(text, sizeof text, format, until, scheme) < (int)sizeof text);
  scene_open_text(run, text);
}

/* The scene ends at `t`, within two steps, and the message has these words. */
static void assert_refused(const char *format, double until, double t, const char *const *words) {
  for (int s = 0; s < SCHEMES; s++) {
    SceneRun run;
    open_format(&run, format, until, schemes[s]);
    assert_true(ends_by_drive(&run));
    assert_near(asp_world_state(run.world)->t, t, 0.021);
    for (int i = 0; words[i]; i++)
      assert_non_null(strstr(asp_context_message(run.context), words[i]));
    assert_int_equal(run.uncertified, 0);
    scene_close(&run);
  }
}

/* By every rigid scheme. A step may be flagged: that nothing solves it is not the drives' fault. */
static void assert_goes_on(const char *format, double until) {
  for (int s = 0; s < SCHEMES; s++) {
    SceneRun run;
    open_format(&run, format, until, schemes[s]);
    assert_false(ends_by_drive(&run));
    scene_close(&run);
  }
}

static void press_against_block_and_wall_is_refused_when_they_touch(void **state) {
  (void)state;
  assert_refused("{\"gravity\": [0, 0, -9.81], " MATERIALS ", \"bodies\": ["
                 "{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]},"
                 "{\"name\": \"wall\", \"fixed\": true, \"position\": [0.4, 0, 0.5], \"shapes\": [{\"type\": \"box\", "
                 "\"size\": [0.2, 1, 1]}]},"
                 "{\"name\": \"press\", \"motion\": {\"position\": [\"-0.45+0.5*t\", 0, 0.5]}, \"shapes\": [{\"type\": "
                 "\"box\", \"size\": [0.2, 1, 1]}]},"
                 "{\"name\": \"block\", \"mass\": 1, \"position\": [0, 0, 0.15], \"shapes\": [{\"type\": \"box\", "
                 "\"size\": [0.3, 0.3, 0.3]}]}], " RUN,
                 1, 0.7, (const char *[]){"body press", "wall", "block", "0.5 m/s", NULL});
}

/* The tip of an arm turned by its joint strikes a wall at angle 0.4. */
static void turned_arm_against_a_wall_is_refused(void **state) {
  (void)state;
  assert_refused("{\"dimension\": 2, \"gravity\": [0, 0], " MATERIALS ", \"bodies\": ["
                 "{\"name\": \"arm\", \"mass\": 1, \"inertia\": 0.1, \"position\": [0.5, 0], \"shapes\": [{\"type\": "
                 "\"box\", \"size\": [1, 0.05]}]},"
                 "{\"name\": \"wall\", \"fixed\": true, \"position\": [0.8, 0.5], \"shapes\": [{\"type\": \"box\", "
                 "\"size\": [0.2, 0.2]}]}],"
                 "\"joints\": [{\"name\": \"shoulder\", \"type\": \"revolute\", \"bodies\": [\"world\", \"arm\"], "
                 "\"point\": [0, 0], \"angle\": \"t\"}], " RUN,
                 1, 0.39, (const char *[]){"joint shoulder", "arm", "wall", "m/s", NULL});
}

/* Between the drive and the wall are three balls in a row, and a joint with a limit. */
static void chain_of_bodies_and_a_limit_cannot_give_way(void **state) {
  (void)state;
  assert_refused("{\"dimension\": 2, \"gravity\": [0, 0], " MATERIALS ", \"bodies\": ["
                 "{\"name\": \"wall\", \"fixed\": true, \"position\": [0.75, 0], \"shapes\": [{\"type\": \"box\", "
                 "\"size\": [0.1, 1]}]},"
                 "{\"name\": \"ram\", \"mass\": 1, \"inertia\": 0.1, \"position\": [-0.16, 0], \"shapes\": [{\"type\": "
                 "\"box\", \"size\": [0.1, 0.2]}]},"
                 "{\"name\": \"a\", \"mass\": 1, \"position\": [0, 0], \"shapes\": [{\"type\": \"disk\", \"radius\": "
                 "0.1}]},"
                 "{\"name\": \"b\", \"mass\": 1, \"position\": [0.2, 0], \"shapes\": [{\"type\": \"disk\", \"radius\": "
                 "0.1}]},"
                 "{\"name\": \"c\", \"mass\": 1, \"position\": [0.4, 0], \"shapes\": [{\"type\": \"disk\", \"radius\": "
                 "0.1}]}],"
                 "\"joints\": [{\"name\": \"cylinder\", \"type\": \"prismatic\", \"bodies\": [\"world\", \"ram\"], "
                 "\"axis\": [1, 0], \"displacement\": \"0.3*t\"}], " RUN,
                 2, 0.7, (const char *[]){"joint cylinder", "wall", "0.3 m/s", NULL});
  assert_refused("{\"dimension\": 2, \"gravity\": [0, 0], \"bodies\": ["
                 "{\"name\": \"cart\", \"mass\": 1, \"inertia\": 0.1, \"position\": [0, 0]}],"
                 "\"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"bodies\": [\"world\", \"cart\"], "
                 "\"axis\": [1, 0], \"limits\": [-0.2, 0.2]}, {\"name\": \"pull\", \"type\": \"prismatic\", "
                 "\"bodies\": [\"world\", \"cart\"], \"axis\": [1, 0], \"displacement\": \"0.5*t\"}], " RUN,
                 1, 0.4, (const char *[]){"joint pull", "limit of joint rail", NULL});
}

/* Nine boxes side by side on the ground, four contacts at each joint of the row: the linear program is degenerate, and
 * rounding once made it say that there are velocities. */
static void jaws_around_a_row_of_boxes_are_refused(void **state) {
  (void)state;
  char format[4096] = "{\"gravity\": [0, 0, -9.81], " MATERIALS ", \"bodies\": ["
                      "{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]},";
  for (int i = 0; i < 9; i++)
    snprintf(format + strlen(format), sizeof format - strlen(format),
             "{\"name\": \"b%d\", \"mass\": 1, \"position\": [%.1f, 0, 0.1], \"shapes\": [{\"type\": \"box\", "
             "\"size\": [0.2, 0.2, 0.2]}]},",
             i, -0.8 + 0.2 * i);
  strcat(format, "{\"name\": \"left\", \"motion\": {\"position\": [\"-1.1+0.5*t\", 0, 0.5]}, \"shapes\": [{\"type\": "
                 "\"box\", \"size\": [0.2, 1, 1]}]},"
                 "{\"name\": \"right\", \"motion\": {\"position\": [\"1.1-0.5*t\", 0, 0.5]}, \"shapes\": [{\"type\": "
                 "\"box\", \"size\": [0.2, 1, 1]}]}], " RUN);
  assert_refused(format, 0.4, 0.2, (const char *[]){"body left, body right meet", "b0", "1 m/s", NULL});
}

/* A straight chain whose end is carried away from its other end: joints alone hold. */
static void taut_chain_that_is_pulled_by_a_prescribed_body_is_refused(void **state) {
  (void)state;
  assert_refused("{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": ["
                 "{\"name\": \"a\", \"mass\": 1, \"inertia\": 0.01, \"position\": [0.1, 0]},"
                 "{\"name\": \"b\", \"mass\": 1, \"inertia\": 0.01, \"position\": [0.3, 0]},"
                 "{\"name\": \"hand\", \"motion\": {\"position\": [\"0.4+0.5*t\", 0]}, \"shapes\": []}],"
                 "\"joints\": [{\"name\": \"first\", \"type\": \"revolute\", \"bodies\": [\"world\", \"a\"], "
                 "\"point\": [0, 0]}, {\"name\": \"second\", \"type\": \"revolute\", \"bodies\": [\"a\", \"b\"], "
                 "\"point\": [0.2, 0]}, {\"name\": \"last\", \"type\": \"revolute\", \"bodies\": [\"b\", \"hand\"], "
                 "\"point\": [0.4, 0]}], " RUN,
                 0.4, 0, (const char *[]){"body hand meets", "joint first", "0.5 m/s", NULL});
}

/* Jaws that close to touching with speed zero there, then carry the block round a corner and up, turning it. */
static void clamp_that_closes_to_touching_and_carries_goes_on(void **state) {
  (void)state;
  assert_goes_on("{\"gravity\": [0, 0, -9.81], " MATERIALS ", \"bodies\": ["
                 "{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]},"
                 "{\"name\": \"left\", \"motion\": {\"position\": [\"-0.1-0.01*(1+cos(pi*min(t/0.2,1)))\", 0, "
                 "\"0.1+0.02*max(t-0.3,0)\"]}, \"shapes\": [{\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}]},"
                 "{\"name\": \"right\", \"motion\": {\"position\": [\"0.1+0.01*(1+cos(pi*min(t/0.2,1)))\", 0, "
                 "\"0.1+0.02*max(t-0.3,0)\"]}, \"shapes\": [{\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}]},"
                 "{\"name\": \"block\", \"mass\": 1, \"position\": [0, 0, 0.05], \"shapes\": [{\"type\": \"box\", "
                 "\"size\": [0.1, 0.1, 0.1]}]}], " RUN,
                 0.6);
  assert_goes_on("{\"dimension\": 2, \"gravity\": [0, 0], " MATERIALS ", \"bodies\": ["
                 "{\"name\": \"left\", \"motion\": {\"position\": [\"0.4*cos(3*t)\", \"0.4*sin(3*t)\"], \"rotation\": "
                 "\"3*t\"}, \"shapes\": [{\"type\": \"box\", \"size\": [0.2, 0.2]}]},"
                 "{\"name\": \"right\", \"motion\": {\"position\": [\"0.8*cos(3*t)\", \"0.8*sin(3*t)\"], \"rotation\": "
                 "\"3*t\"}, \"shapes\": [{\"type\": \"box\", \"size\": [0.2, 0.2]}]},"
                 "{\"name\": \"block\", \"mass\": 1, \"position\": [0.6, 0], \"velocity\": [0, 1.8], "
                 "\"angular_velocity\": 3, \"shapes\": [{\"type\": \"box\", \"size\": [0.2, 0.1]}]}], " RUN,
                 0.05); // stewart-trinkle's chords press the block by their second order: its steps have no solution
}

/* A belt under a box that a wall stops: the box slides on the belt. */
static void belt_under_a_stopped_box_goes_on(void **state) {
  (void)state;
  assert_goes_on("{\"gravity\": [0, 0, -9.81], " MATERIALS ", \"bodies\": ["
                 "{\"name\": \"belt\", \"motion\": {\"position\": [\"t\", 0, -0.1]}, \"shapes\": [{\"type\": \"box\", "
                 "\"size\": [8, 1, 0.2]}]},"
                 "{\"name\": \"wall\", \"fixed\": true, \"position\": [0.4, 0, 0.3], \"shapes\": [{\"type\": \"box\", "
                 "\"size\": [0.2, 1, 0.5]}]},"
                 "{\"name\": \"box\", \"mass\": 1, \"position\": [0, 0, 0.1], \"shapes\": [{\"type\": \"box\", "
                 "\"size\": [0.2, 0.2, 0.2]}]}], " RUN,
                 0.6);
}

/* The arm again, by a motor with an effort: it stalls at the wall and presses with what it has. */
static void motor_with_an_effort_stalls(void **state) {
  (void)state;
  SceneRun run;
  open_format(&run,
              "{\"dimension\": 2, \"gravity\": [0, 0], " MATERIALS ", \"bodies\": ["
              "{\"name\": \"arm\", \"mass\": 1, \"inertia\": 0.1, \"position\": [0.5, 0], \"shapes\": [{\"type\": "
              "\"box\", \"size\": [1, 0.05]}]},"
              "{\"name\": \"wall\", \"fixed\": true, \"position\": [0.8, 0.5], \"shapes\": [{\"type\": \"box\", "
              "\"size\": [0.2, 0.2]}]}],"
              "\"joints\": [{\"name\": \"shoulder\", \"type\": \"revolute\", \"bodies\": [\"world\", \"arm\"], "
              "\"point\": [0, 0], \"motor\": {\"velocity\": 1, \"effort\": 5}}], " RUN,
              1.0, "moreau-jean");
  assert_false(ends_by_drive(&run));
  assert_int_equal(run.uncertified, 0);
  assert_near(scene_angular_velocity(&run, "arm").z, 0, 1e-7);
  assert_near(scene_joint(&run, "shoulder")->motor, 5, 1e-6);
  scene_close(&run);
}

#define PLATE(name, x, size)                                                                                           \
  "{\"name\": \"" name "\", \"motion\": {\"position\": [\"" x                                                          \
  "\", \"0\", \"0.5\"]}, \"shapes\": [{\"type\": \"box\", "                                                            \
  "\"size\": [" size ", 0.2, 0.2]}]},"
#define BALL                                                                                                           \
  "{\"name\": \"ball\", \"mass\": 1, \"position\": [2, 0, 3], \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1}]}"
#define FALLS "{\"gravity\": [0, 0, -9.81], " MATERIALS ", "

/* They touch at 0.4 m / 0.75 m/s. */
static void prescribed_bodies_driven_into_each_other_are_refused(void **state) {
  (void)state;
  const char *const words[] = {"body left and body right, both prescribed", "0.75 m/s", NULL};
  assert_refused(FALLS "\"bodies\": [" PLATE("left", "-0.3+0.5*t", "0.2") PLATE("right", "0.3-0.25*t", "0.2") BALL
                 "], " RUN,
                 1, 0.533, words);
  // nothing else moves
  assert_refused(
      FALLS "\"bodies\": [" PLATE(
          "left", "-0.3+0.5*t",
          "0.2") "{\"name\": \"right\", \"motion\": {\"position\": [\"0.3-0.25*t\", \"0\", \"0.5\"]}, \"shapes\": "
                 "[{\"type\": \"sphere\", \"radius\": 0.1}]}], " RUN,
      1, 0.533, words);
}

static void prescribed_body_driven_into_a_fixed_one_is_refused(void **state) {
  (void)state;
  const char *const words[] = {"body left meets what cannot give way (wall)", "0.5 m/s", NULL};
  assert_refused(FALLS "\"bodies\": [{\"name\": \"wall\", \"fixed\": true, \"position\": [0.3, 0, 0.5], \"shapes\": "
                       "[{\"type\": \"box\", \"size\": [0.2, 1, 1]}]}," PLATE("left", "-0.3+0.5*t", "0.2") BALL
                 "], " RUN,
                 1, 0.8, words);
}

/* Plates of 2 mm that are through each other within a step, 0.3 m before it and 0.3 m behind it. */
static void prescribed_plates_do_not_pass_between_two_steps(void **state) {
  (void)state;
  const char *const words[] = {"body left and body right, both prescribed", NULL};
  assert_refused(FALLS "\"bodies\": [" PLATE("left", "-0.75+5*t", "0.002") PLATE("right", "0.75-5*t", "0.002") BALL
                 "], " RUN,
                 1, 0.15, words);
}

/* The scheme whose contacts give way has none between bodies that no force moves. */
static void compliant_contacts_do_not_help_prescribed_bodies(void **state) {
  (void)state;
  SceneRun run;
  open_format(
      &run, FALLS "\"bodies\": [" PLATE("left", "-0.3+0.5*t", "0.2") PLATE("right", "0.3-0.25*t", "0.2") BALL "], " RUN,
      1, "compliant");
  assert_true(ends_by_drive(&run));
  assert_non_null(strstr(asp_context_message(run.context), "body left and body right, both prescribed"));
  scene_close(&run);
}

static void prescribed_bodies_that_touch_pass_by_or_are_drawn_in_each_other_go_on(void **state) {
  (void)state;
  // they close to touching, and slide on each other
  assert_goes_on(FALLS "\"bodies\": [" PLATE("left", "-0.1-0.1*(1-t)*(1-t)", "0.2") PLATE("right", "0.1", "0.2") BALL
                 "], " RUN,
                 1);
  assert_goes_on(
      FALLS "\"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]},"
            "{\"name\": \"sledge\", \"motion\": {\"position\": [\"2*t\", \"0\", \"0.1\"]}, \"shapes\": [{\"type\": "
            "\"box\", \"size\": [0.2, 0.2, 0.2]}]}," BALL "], " RUN,
      0.5);
  // a shaft in its bearing
  assert_goes_on(FALLS "\"bodies\": [{\"name\": \"bearing\", \"fixed\": true, \"position\": [0, 0, 0.5], \"shapes\": "
                       "[{\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}]}," PLATE("shaft", "0.2*sin(3*t)", "1") BALL
                 "], " RUN,
                 1);
  // asked not to touch
  assert_goes_on(FALLS "\"exclude\": [[\"left\", \"right\"]], \"bodies\": [" PLATE("left", "-0.3+0.5*t", "0.2")
                     PLATE("right", "0.3-0.25*t", "0.2") BALL "], " RUN,
                 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(prescribed_bodies_driven_into_each_other_are_refused),
      cmocka_unit_test(prescribed_body_driven_into_a_fixed_one_is_refused),
      cmocka_unit_test(prescribed_plates_do_not_pass_between_two_steps),
      cmocka_unit_test(compliant_contacts_do_not_help_prescribed_bodies),
      cmocka_unit_test(prescribed_bodies_that_touch_pass_by_or_are_drawn_in_each_other_go_on),
      cmocka_unit_test(press_against_block_and_wall_is_refused_when_they_touch),
      cmocka_unit_test(turned_arm_against_a_wall_is_refused),
      cmocka_unit_test(chain_of_bodies_and_a_limit_cannot_give_way),
      cmocka_unit_test(jaws_around_a_row_of_boxes_are_refused),
      cmocka_unit_test(taut_chain_that_is_pulled_by_a_prescribed_body_is_refused),
      cmocka_unit_test(clamp_that_closes_to_touching_and_carries_goes_on),
      cmocka_unit_test(belt_under_a_stopped_box_goes_on),
      cmocka_unit_test(motor_with_an_effort_stalls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
