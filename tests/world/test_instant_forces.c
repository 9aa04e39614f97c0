/* Forces at the instant a step ends: those of event-driven runs are exact, those of generalized-alpha of second order,
 * other schemes do not claim to know them.
 */
#include "scene_runner.h"

#include <math.h>

enum { MASS = 2 };

/* Hinge at the origin, rod of 1 m that falls from the horizontal: with the inertia 0.1 about its centre,
 * w^2 = 2 m g sin(a) / (m + 0.1), a'' = m g cos(a) / (m + 0.1) for the angle a below the horizontal. */
#define PENDULUM                                                                                                       \
  "{\"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"b\", \"mass\": 2, \"inertia\": [0.1, 0.1, 0.1], "            \
  "\"position\": [1, 0, 0]}], \"joints\": [{\"name\": \"h\", \"type\": \"revolute\", \"bodies\": [\"world\", \"b\"], " \
  "\"point\": [0, 0, 0], \"axis\": [0, 1, 0]}], \"run\": {\"dt\": %g, \"until\": 0.4, \"scheme\": \"%s\"}}"

/* A block on a table that shakes slowly up and down, and does not take off: N = m (g + z''). */
#define TABLE                                                                                                          \
  "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.5, \"restitution\": 0}], "  \
  "\"bodies\": [{\"name\": \"table\", \"motion\": {\"position\": [0, 0, \"0.05*(1 - cos(8*t))\"]}, \"shapes\": "   \
  "[{\"type\": \"box\", \"size\": [2, 2, 0.2]}]}, {\"name\": \"ball\", \"mass\": 2, \"position\": [0, 0, 0.3], "       \
  "\"shapes\": [{\"type\": \"sphere\", \"radius\": 0.2}]}], \"run\": {\"dt\": %g, \"until\": 0.4, \"scheme\": "        \
  "\"%s\"}}"

static void open_at(SceneRun *run, const char *format, double dt, const char *scheme) {
  char text[4096];
  assert_true(snprintf(text, sizeof text, format, dt, scheme) < (int)sizeof text);
  scene_open_text(run, text);
}

/* Largest error of the hinge's force over the run, N. */
static double pendulum_error(const char *scheme, double dt) {
  SceneRun run;
  double worst = 0;
  open_at(&run, PENDULUM, dt, scheme);
  while (scene_step(&run)) {
    AspVec3 at = scene_position(&run, "b"), force = asp_world_joints(run.world)[0].instant.force;
    double a = atan2(-at.z, at.x), square = 2 * MASS * 9.81 * sin(a) / 2.1, turn = MASS * 9.81 * cos(a) / 2.1;
    double x = MASS * (-cos(a) * square - sin(a) * turn), z = MASS * (sin(a) * square - cos(a) * turn + 9.81);
    worst = fmax(worst, fmax(fabs(force.x - x), fabs(force.z - z)));
    assert_false(isnan(force.x + force.z));
  }
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
  return worst;
}

static double table_error(const char *scheme, double dt) {
  SceneRun run;
  double worst = 0;
  open_at(&run, TABLE, dt, scheme);
  while (scene_step(&run)) {
    double N = 0;
    for (int i = 0; i < asp_world_contact_count(run.world); i++)
      N += asp_world_contacts(run.world)[i].instant_force.z;
    if (run.info.t > 0.05)
      worst = fmax(worst, fabs(fabs(N) - MASS * (9.81 + 0.05 * 64 * cos(8 * run.info.t))));
  }
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
  return worst;
}

static void event_driven_forces_are_exact_at_the_end_of_every_step(void **state) {
  (void)state;
  assert_true(pendulum_error("event-driven", 0.02) < 1e-6);
  assert_true(table_error("event-driven", 0.01) < 1e-5);
}

static void generalized_alpha_forces_are_of_second_order(void **state) {
  (void)state;
  double coarse = pendulum_error("generalized-alpha", 0.01), fine = pendulum_error("generalized-alpha", 0.005);
  assert_true(coarse < 0.1 && coarse / fine > 3.6 && coarse / fine < 4.4);
  assert_true(table_error("generalized-alpha", 0.005) < 1e-3);
}

static void other_schemes_do_not_know_them(void **state) {
  (void)state;
  SceneRun run;
  open_at(&run, PENDULUM, 0.01, "moreau-jean");
  assert_true(scene_step(&run));
  assert_true(isnan(asp_world_joints(run.world)[0].instant.force.x));
  assert_false(isnan(asp_world_joints(run.world)[0].force.x));
  scene_close(&run);
}

/* A rotor with dry friction in its bearing: it spins down, stops and stays; every step is certified. */
static void rotors_with_dry_joints_are_certified_until_they_stop(void **state) {
  (void)state;
  const double axes[][3] = {{1, 2, 2}, {2, 3, 6}, {0, 0, 1}, {1, 1, 1}};
  for (int i = 0; i < 4; i++) {
    SceneRun run;
    char text[2048];
    const double *n = axes[i], size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), w = -2.5 / size;
    snprintf(
        text, sizeof text,
        "{\"bodies\": [{\"name\": \"r\", \"mass\": 1, \"inertia\": [0.84, 0.84, 0.84], \"angular_velocity\": "
        "[%.17g, %.17g, %.17g]}], \"joints\": [{\"type\": \"revolute\", \"bodies\": [\"world\", \"r\"], "
        "\"point\": [0, 0, 0], \"axis\": [%g, %g, %g], \"friction\": 0.35}], \"run\": {\"dt\": 0.02, \"until\": 7, "
        "\"scheme\": \"event-driven\"}}",
        w * n[0], w * n[1], w * n[2], n[0], n[1], n[2]);
    scene_open_text(&run, text);
    while (scene_step(&run)) {
      double friction = asp_world_joints(run.world)[0].instant.friction;
      if (run.info.t < 5.9)
        assert_near(fabs(friction), 0.35, 1e-9);
      if (run.info.t > 6.1)
        assert_near(friction, 0, 1e-9);
    }
    assert_int_equal(run.uncertified, 0);
    assert_near(asp_world_joints(run.world)[0].rate, 0, 1e-9);
    scene_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(event_driven_forces_are_exact_at_the_end_of_every_step),
      cmocka_unit_test(generalized_alpha_forces_are_of_second_order),
      cmocka_unit_test(other_schemes_do_not_know_them),
      cmocka_unit_test(rotors_with_dry_joints_are_certified_until_they_stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
