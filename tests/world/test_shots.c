/* Nothing passes a plate: what made shots of bench/seams/shots.py pass, one scene each. And edges of several shapes that
 * are no tiles: stairs, a groove, pipes end to end stop, hold and guide as they must, in every scheme, and so do their
 * mirror images. */
#include "linalg/vec3.h"
#include "scene_runner.h"

#include <math.h>

static const char *const schemes[] = {"moreau-jean", "stewart-trinkle", "generalized-alpha", "event-driven"};
enum { SCHEMES = 4 };

static void open_scene(SceneRun *run, const char *format, const char *scheme) {
  static char text[8192];
  snprintf(text, sizeof text, format, scheme);
  scene_open_text(run, text);
}

/* Where events of the first body cannot be followed, a step is made by time stepping: the second one, still on its way,
 * must meet its plate all the same. */
static void capsule_meets_its_plate_after_a_step_of_time_stepping(void **state) {
  (void)state;
  SceneRun run;
  open_scene(
      &run,
      "{\"gravity\": [0, 0, 0], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.3, \"restitution\": 0}], "
      "\"bodies\": [{\"name\": \"plate\", \"fixed\": true, \"shapes\": ["
      "{\"type\": \"box\", \"size\": [8, 8, 0.005], \"position\": [0, 0, -0.0025]}]}, "
      "{\"name\": \"other\", \"fixed\": true, \"position\": [10, 0, 0], \"shapes\": ["
      "{\"type\": \"box\", \"size\": [8, 8, 0.005], \"position\": [0, 0, -0.0025]}]}, "
      "{\"name\": \"cone\", \"mass\": 0.1, \"position\": [0.2365, -0.2219, 0.888], \"velocity\": [-11.19, -5.509, "
      "-42.01], "
      "\"orientation\": {\"axis\": [-0.1327, 0.775, 0.6179], \"angle\": 3.9323}, "
      "\"angular_velocity\": [12.43, 19.71, -15.72], "
      "\"shapes\": [{\"type\": \"cone\", \"radius\": 0.007787, \"length\": 0.004955}]}, "
      "{\"name\": \"capsule\", \"mass\": 0.1, \"position\": [10.35, 0.2052, 0.3519], \"velocity\": [-0.5565, 1.887, "
      "-3.773], "
      "\"orientation\": {\"axis\": [0.2039, 0.9763, 0.0724], \"angle\": 2.5943}, "
      "\"angular_velocity\": [9.396, -5.132, -20.09], "
      "\"shapes\": [{\"type\": \"capsule\", \"radius\": 0.02543, \"length\": 0.07992}]}], "
      "\"run\": {\"dt\": 0.005, \"until\": 0.12, \"scheme\": \"%s\"}}",
      "event-driven");
  while (scene_step(&run)) {
  }
  assert_true(scene_position(&run, "cone").z > 0);
  assert_true(scene_position(&run, "capsule").z > 0);
  scene_close(&run);
}

/* A cylinder at 179 m/s whose steps of generalized-alpha do not converge: they are made by Moreau-Jean, which stops it. */
static void cylinder_meets_its_plate_where_iterations_do_not_converge(void **state) {
  (void)state;
  SceneRun run;
  open_scene(
      &run,
      "{\"gravity\": [0, 0, 0], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.3, \"restitution\": 0}], "
      "\"bodies\": [{\"name\": \"plate\", \"fixed\": true, \"position\": [1600, 0, 0], \"shapes\": ["
      "{\"type\": \"box\", \"size\": [4, 4, 0.005], \"position\": [-2, -2, -0.0025]}, "
      "{\"type\": \"box\", \"size\": [4, 4, 0.005], \"position\": [-2, 2, -0.0025]}, "
      "{\"type\": \"box\", \"size\": [4, 4, 0.005], \"position\": [2, -2, -0.0025]}, "
      "{\"type\": \"box\", \"size\": [4, 4, 0.005], \"position\": [2, 2, -0.0025]}]}, "
      "{\"name\": \"cylinder\", \"mass\": 0.1, \"position\": [1600.3201398179758, -0.10953813445379512, "
      "0.6175886047704098], "
      "\"velocity\": [-81.36228386136438, 27.83868887482982, -156.95773080831398], "
      "\"orientation\": [-0.27564082068572804, 0.027684446682081584, 0.29310587104264757, 0.9150653844091887], "
      "\"angular_velocity\": [-23.60744905687577, -23.137572181710283, -20.477682932254144], "
      "\"shapes\": [{\"type\": \"cylinder\", \"radius\": 0.00463940702010534, \"length\": 0.007875908565759905}]}], "
      "\"run\": {\"dt\": 0.005, \"until\": 0.03, \"scheme\": \"%s\"}}",
      "generalized-alpha");
  while (scene_step(&run)) {
  }
  assert_true(scene_position(&run, "cylinder").z > 0);
  scene_close(&run);
}

/* Bodies that an impact at one end turns by radians within the step, which contacts at corners do not see. Steps are
 * whole (`locate` 0), as in scenes of many bodies. */
static void bodies_that_turn_far_in_the_step_of_their_impact_stay_on_their_side(void **state) {
  (void)state;
  static const struct {
    const char *shape, *position, *velocity, *orientation, *spin;
    double friction;
  } shots[] = {
      // struck at a corner, its middle would go on through the plate
      {"{\"type\": \"box\", \"size\": [0.0416575, 0.13128, 0.11744]}", "[-0.22887, -0.563005, 0.370032]",
       "[65.6601, 168.085, -106.158]", "[0.328234947, -0.853470361, 0.404396402, -0.0177119214]",
       "[217.654, 194.949, 21.6596]", 0.3},
      // the same without spin: the impact turns it by ten radians in the step
      {"{\"type\": \"cone\", \"radius\": 0.020505, \"length\": 0.019396}", "[0.357388, 0.13045, 0.382698]",
       "[-47.0285, -17.1658, -50.3591]", "[-0.285822056, -0.155118445, 0.759932919, -0.5628019]", "[-0, -0, -0]", 0},
      // its tip comes round into the plate within the step
      {"{\"type\": \"cone\", \"radius\": 0.037458, \"length\": 0.049947}", "[-0.160951, -0.783353, 0.951435]",
       "[7.31773, 36.9119, -43.2577]", "[0.448517595, -0.829706255, -0.258477071, -0.208827924]",
       "[202.608, -65.3887, -232.046]", 0},
  };
  for (size_t i = 0; i < sizeof shots / sizeof *shots; i++) {
    char text[2048];
    SceneRun run;
    snprintf(
        text, sizeof text,
        "{\"gravity\": [0, 0, 0], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": %g, \"restitution\": 0.3}], "
        "\"bodies\": [{\"name\": \"plate\", \"fixed\": true, \"shapes\": ["
        "{\"type\": \"box\", \"size\": [8, 8, 0.005], \"position\": [0, 0, -0.0025]}]}, "
        "{\"name\": \"b\", \"mass\": 0.1, \"position\": %s, \"velocity\": %s, \"orientation\": %s, "
        "\"angular_velocity\": %s, \"shapes\": [%s]}], "
        "\"run\": {\"dt\": 0.005, \"until\": 0.06, \"scheme\": \"moreau-jean\", \"locate\": 0}}",
        shots[i].friction, shots[i].position, shots[i].velocity, shots[i].orientation, shots[i].spin, shots[i].shape);
    scene_open_text(&run, text);
    while (scene_step(&run)) {
    }
    assert_true(scene_position(&run, "b").z > 0);
    scene_close(&run);
  }
}

#define FRICTIONLESS "\"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0, \"restitution\": 0}]"
#define WEIGHT       "\"gravity\": [0, 0, -9.81], "

/* Three steps of 0.2 m as boxes of one body, flush where one stands on the other: a box on the lowest slides into the
 * face of the second, and stays there on its step. */
static void stairs_stop_a_box_at_the_face_of_the_next_step(void **state) {
  (void)state;
  for (int scheme = 0; scheme < SCHEMES; scheme++) {
    SceneRun run;
    open_scene(&run,
               "{" WEIGHT FRICTIONLESS ", \"bodies\": [{\"name\": \"stairs\", \"fixed\": true, \"shapes\": ["
               "{\"type\": \"box\", \"size\": [2, 1, 0.2], \"position\": [0, 0, -0.1]}, "
               "{\"type\": \"box\", \"size\": [1, 1, 0.2], \"position\": [0.5, 0, 0.1]}, "
               "{\"type\": \"box\", \"size\": [0.5, 1, 0.2], \"position\": [0.75, 0, 0.3]}]}, "
               "{\"name\": \"b\", \"mass\": 1, \"position\": [-0.5, 0.1, 0.1], \"velocity\": [2, 0, 0], "
               "\"shapes\": [{\"type\": \"box\", \"size\": [0.2, 0.2, 0.2]}]}], "
               "\"run\": {\"dt\": 0.005, \"until\": 0.4, \"scheme\": \"%s\"}}",
               schemes[scheme]);
    while (scene_step(&run)) {
    }
    assert_near(scene_position(&run, "b").x, -0.1, 2e-3);
    assert_near(scene_position(&run, "b").z, 0.1, 1e-6);
    assert_near(scene_velocity(&run, "b").x, 0, 1e-6);
    scene_close(&run);
  }
}

/* Pipes of one radius end to end, bodies of their own: a ball slides along their tops as along one. */
static void ball_slides_along_pipes_end_to_end_at_its_speed(void **state) {
  (void)state;
  for (int scheme = 0; scheme < SCHEMES; scheme++) {
    SceneRun run;
    open_scene(
        &run,
        "{" WEIGHT FRICTIONLESS ", \"bodies\": ["
        "{\"name\": \"p\", \"fixed\": true, \"position\": [-0.5, 0, -0.1], \"shapes\": [{\"type\": \"cylinder\", "
        "\"radius\": 0.1, \"length\": 1, \"orientation\": {\"axis\": [0, 1, 0], \"angle_deg\": 90}}]}, "
        "{\"name\": \"q\", \"fixed\": true, \"position\": [0.5, 0, -0.1], \"shapes\": [{\"type\": \"cylinder\", "
        "\"radius\": 0.1, \"length\": 1, \"orientation\": {\"axis\": [0, 1, 0], \"angle_deg\": 90}}]}, "
        "{\"name\": \"b\", \"mass\": 1, \"position\": [-0.303, 0, 0.05], \"velocity\": [2, 0, 0], "
        "\"shapes\": [{\"type\": \"sphere\", \"radius\": 0.05}]}], "
        "\"run\": {\"dt\": 0.005, \"until\": 0.3, \"scheme\": \"%s\"}}",
        schemes[scheme]);
    while (scene_step(&run))
      assert_near(scene_velocity(&run, "b").x, 2, 2e-6);
    assert_near(scene_position(&run, "b").z, 0.05, 1e-6);
    scene_close(&run);
  }
}

/* A groove of two boxes turned by 45 degrees, one a body of its own; side = -1: the mirror image at y = 0. */
static AspVec3 roll_into_groove(const char *scheme, int side) {
  char text[2048];
  SceneRun run;
  snprintf(
      text, sizeof text,
      "{" WEIGHT FRICTIONLESS ", \"bodies\": ["
      "{\"name\": \"wall\", \"fixed\": true, \"shapes\": [{\"type\": \"box\", \"size\": [4, 1, 0.2], "
      "\"position\": [0, %.17g, 0.28284271247461901], \"orientation\": {\"axis\": [1, 0, 0], \"angle_deg\": %d}}]}, "
      "{\"name\": \"other\", \"fixed\": true, \"shapes\": [{\"type\": \"box\", \"size\": [4, 1, 0.2], "
      "\"position\": [0, %.17g, 0.28284271247461901], \"orientation\": {\"axis\": [1, 0, 0], \"angle_deg\": %d}}]}, "
      "{\"name\": \"b\", \"mass\": 1, \"position\": [-1, %.17g, 0.5], \"velocity\": [1, 0, 0], "
      "\"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1}]}], "
      "\"run\": {\"dt\": 0.005, \"until\": 0.4, \"scheme\": \"%s\"}}",
      side * 0.42426406871192851, side * 45, side * -0.42426406871192851, side * -45, side * 0.11, scheme);
  scene_open_text(&run, text);
  while (scene_step(&run)) {
  }
  AspVec3 at = scene_position(&run, "b");
  scene_close(&run);
  return at;
}

/* Centre of a ball of 0.1 m that touches both walls: 0.1 sqrt(2) above the line in which they meet. */
static void ball_stays_in_a_groove_and_its_mirror_image_too(void **state) {
  (void)state;
  for (int scheme = 0; scheme < SCHEMES; scheme++) {
    AspVec3 at = roll_into_groove(schemes[scheme], 1), mirrored = roll_into_groove(schemes[scheme], -1);
    assert_near(at.x, -0.6, 1e-6);
    assert_true(at.z > 0.1 && at.z < 0.5 && fabs(at.y) < 0.3);
    assert_near(mirrored.y, -at.y, 1e-9);
    assert_near(mirrored.z, at.z, 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(capsule_meets_its_plate_after_a_step_of_time_stepping),
      cmocka_unit_test(cylinder_meets_its_plate_where_iterations_do_not_converge),
      cmocka_unit_test(bodies_that_turn_far_in_the_step_of_their_impact_stay_on_their_side),
      cmocka_unit_test(stairs_stop_a_box_at_the_face_of_the_next_step),
      cmocka_unit_test(ball_slides_along_pipes_end_to_end_at_its_speed),
      cmocka_unit_test(ball_stays_in_a_groove_and_its_mirror_image_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
