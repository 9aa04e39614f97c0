/* Joints that carry much more than their bodies weigh, and mechanisms that turn fast, by the time-stepping
 * schemes: energy, joints, order. */
#include "linalg/vec3.h"
#include "world/scene_runner.h"

#include <math.h>

static double energy_of(const SceneRun *run) {
  AspEnergy energy = asp_model_energy(run->scene.model, asp_world_state(run->world));
  return energy.kinetic + energy.gravitational + energy.elastic;
}

/* A chain of five links of 0.1 kg and 5 cm, inclined, with a load at its end; plane or space. kind: of its joints. */
static void write_chain(char *text, size_t size, bool space, const char *kind, double load, double dt,
                        const char *scheme) {
  double s = sin(0.5), c = cos(0.5), l = 0.05;
  int at = snprintf(text, size, "{\"dimension\": %d, \"gravity\": %s, \"bodies\": [", space ? 3 : 2,
                    space ? "[0, 0, -9.81]" : "[0, -9.81]");
  for (int k = 0; k < 6; k++) {
    double way = l * (k < 5 ? k + 0.5 : 5), mass = k < 5 ? 0.1 : load, J = k < 5 ? 2.0833e-5 : 0.1;
    at += snprintf(text + at, size - (size_t)at, "%s{\"name\": \"b%d\", \"mass\": %g, ", k ? ", " : "", k, mass);
    at += space ? snprintf(text + at, size - (size_t)at,
                           "\"inertia\": [%g, %g, %g], \"position\": [%.15g, 0, %.15g], \"orientation\": {\"axis\": "
                           "[0, 1, 0], \"angle\": %g}}",
                           J, J, k < 5 ? 0.2 * J : J, way * s, -way * c, k < 5 ? -0.5 : 0)
                : snprintf(text + at, size - (size_t)at, "\"inertia\": %g, \"position\": [%.15g, %.15g]}", J, way * s,
                           -way * c);
  }
  at += snprintf(text + at, size - (size_t)at, "], \"joints\": [");
  for (int k = 0; k < 6; k++) {
    at += snprintf(text + at, size - (size_t)at, "%s{\"type\": \"%s\", \"bodies\": [\"%s\", \"b%d\"], ", k ? ", " : "",
                   kind, k == 0 ? "world" : (const char *[]){"b0", "b1", "b2", "b3", "b4"}[k - 1], k);
    at += space ? snprintf(text + at, size - (size_t)at, "\"point\": [%.15g, 0, %.15g]%s}", l * k * s, -l * k * c,
                           strcmp(kind, "universal") == 0 ? ", \"axis\": [0, 1, 0], \"axis_b\": [1, 0, 0]" : "")
                : snprintf(text + at, size - (size_t)at, "\"point\": [%.15g, %.15g]}", l * k * s, -l * k * c);
  }
  snprintf(text + at, size - (size_t)at, "], \"run\": {\"dt\": %g, \"until\": 0.6, \"scheme\": \"%s\"}}", dt, scheme);
}

/* The largest change of energy over the swing's, and how far joints came apart. */
static void swing(const char *text, double *change, double *drift) {
  SceneRun run;
  scene_open_text(&run, text);
  double start = energy_of(&run), low = asp_model_energy(run.scene.model, asp_world_state(run.world)).gravitational;
  *change = *drift = 0;
  double least = low;
  while (scene_step(&run)) {
    *change = fmax(*change, fabs(energy_of(&run) - start));
    *drift = fmax(*drift, run.info.joint_drift);
    least = fmin(least, asp_model_energy(run.scene.model, asp_world_state(run.world)).gravitational);
  }
  *change /= low - least;
  scene_close(&run);
}

/* Explicit directions of the joints' forces fly apart at these steps: the links swing with up to 4000 rad/s. */
static void taut_chain_keeps_energy_and_joints(void **state) {
  (void)state;
  const struct {
    bool space;
    const char *kind;
    double load, dt;
  } chain[] = {{false, "revolute", 10, 0.005},
               {false, "revolute", 100, 0.005},
               {false, "revolute", 10000, 0.002},
               {true, "spherical", 100, 0.005},
               {true, "spherical", 10, 0.01}};
  for (size_t i = 0; i < sizeof chain / sizeof *chain; i++) {
    char text[8192];
    double change, drift;
    write_chain(text, sizeof text, chain[i].space, chain[i].kind, chain[i].load, chain[i].dt, "moreau-jean");
    swing(text, &change, &drift);
    print_message("%s chain, load %g kg, dt %g: energy %.1e, joints %.1e m\n", chain[i].kind, chain[i].load,
                  chain[i].dt, change, drift);
    assert_at_most(change, 1e-4);
    assert_at_most(drift, 1e-5);
  }
}

/* First order: its energy goes up and down by dt sqrt(g/L) / 2 of the swing's. */
static void taut_chain_holds_by_stewart_trinkle(void **state) {
  (void)state;
  const double load[] = {10, 100, 1000};
  for (int i = 0; i < 3; i++) {
    char text[8192];
    double change, drift, dt = 0.005;
    write_chain(text, sizeof text, i == 1, i == 1 ? "spherical" : "revolute", load[i], dt, "stewart-trinkle");
    swing(text, &change, &drift);
    print_message("Stewart-Trinkle, load %g kg: energy %.1e, joints %.1e m\n", load[i], change, drift);
    assert_at_most(change, 1.2 * dt * sqrt(9.81 / 0.25) / 2);
    assert_at_most(drift, 5e-5);
  }
}

/* Two rods of 1 m and 1 kg, released from rest: where the lower one is after 1 s, against steps of a tenth. */
static void double_pendulum(double dt, double q[3]) {
  char text[1024];
  snprintf(text, sizeof text,
           "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": "
           "0.0833333333333, \"position\": [0.5, 0]}, {\"name\": \"b\", \"mass\": 1, \"inertia\": 0.0833333333333, "
           "\"position\": [1, 0.5]}], \"joints\": [{\"type\": \"revolute\", \"bodies\": [\"world\", \"a\"], \"point\": "
           "[0, 0]}, {\"type\": \"revolute\", \"bodies\": [\"a\", \"b\"], \"point\": [1, 0]}], \"run\": {\"dt\": %g, "
           "\"until\": 1}}",
           dt);
  SceneRun run;
  scene_open_text(&run, text);
  scene_finish(&run);
  memcpy(q, asp_world_state(run.world)->q + (size_t)(3 * scene_body(&run, "b")), 3 * sizeof *q);
  scene_close(&run);
}

static double distance(const double a[3], const double b[3]) { return hypot(a[0] - b[0], a[1] - b[1]); }

static void double_pendulum_converges_with_second_order(void **state) {
  (void)state;
  double exact[3], coarse[3], fine[3];
  double_pendulum(0.0005, exact);
  double_pendulum(0.01, coarse);
  double_pendulum(0.005, fine);
  print_message("double pendulum: off by %.2e, %.2e m\n", distance(coarse, exact), distance(fine, exact));
  assert_at_most(distance(coarse, exact), 2e-3);
  assert_at_most(distance(fine, exact), 0.3 * distance(coarse, exact));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(taut_chain_keeps_energy_and_joints),
                                     cmocka_unit_test(taut_chain_holds_by_stewart_trinkle),
                                     cmocka_unit_test(double_pendulum_converges_with_second_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
