/* Beams that fall on a floor with Moreau-Jean: what elastic impacts leave of the energy, at any step, with one contact
 * point and with several, for beams as good as rigid and for soft ones. Independent of the code: without friction and
 * damping the energy of motion, weight and strain together is kept. */
#include "scene_runner.h"

typedef struct Fall {
  double first, last, largest; /* J */
} Fall;

/* A bar of 1 m and 0.6 kg, 0.3 m above the floor; contact is a piece of the beam's JSON. */
static Fall let_fall(double youngs, double angle, const char *contact, double restitution, double dt, double until) {
  char text[1024];
  SceneRun run;
  snprintf(
      text, sizeof text,
      "{\"dimension\": 2, \"gravity\": [0, -9.81], \"materials\": [{\"pair\": [\"bar\", \"floor\"], "
      "\"friction\": 0, \"restitution\": %g}], \"bodies\": [{\"fixed\": true, \"shapes\": [{\"type\": \"half-plane\", "
      "\"material\": \"floor\"}]}], \"beams\": [{\"name\": \"bar\", \"length\": 1, \"position\": [0, 0.3], "
      "\"angle\": %g, \"youngs_modulus\": %g, \"density\": 1000, \"width\": 0.03, \"height\": 0.02, "
      "\"elements\": 6, %s}], \"run\": {\"dt\": %g, \"until\": %g}}",
      restitution, angle, youngs, contact, dt, until);
  scene_open_text(&run, text);
  Fall fall = {0.6 * 9.81 * (0.3 + 0.5 * sin(angle)), 0, -INFINITY};
  while (scene_step(&run)) {
    fall.last = run.info.energy.kinetic + run.info.energy.gravitational + run.info.energy.elastic;
    fall.largest = fmax(fall.largest, fall.last);
  }
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
  return fall;
}

static const double steps[] = {4e-3, 3e-3, 2e-3, 1e-3};
static const double moduli[] = {2e6, 2e9, 2e11}; /* first bending mode at 5.8, 182, 1820 rad/s */
#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* Points all along it: a flat fall is given back whole, whatever the step and however soft the bar. */
static void bar_that_falls_flat_on_many_points_keeps_its_energy(void **state) {
  (void)state;
  static const char *const contact[] = {"\"contact\": {\"radius\": 0.01, \"points\": 9, \"material\": \"bar\"}",
                                        "\"contact\": {\"radius\": 0.01, \"points\": 33, \"material\": \"bar\"}"};
  for (size_t k = 0; k < COUNT(steps); k++)
    for (size_t m = 0; m < COUNT(moduli); m++)
      for (size_t c = 0; c < COUNT(contact); c++) {
        Fall fall = let_fall(moduli[m], 0, contact[c], 1, steps[k], 0.6);
        assert_near(fall.last, fall.first, 1e-6 * fall.first);
        assert_near(fall.largest, fall.first, 1e-6 * fall.first);
      }
}

/* One point in the middle, both ends, one end of a tilted bar: vibrations take up much of the energy, and what the step
 * does not resolve of them is damped; nothing is gained where the step resolves the hit. */
static void impacts_on_few_points_gain_no_energy(void **state) {
  (void)state;
  static const struct {
    double angle;
    const char *contact;
  } cases[] = {{0, "\"stations\": [{\"name\": \"m\", \"at\": 0.5, \"shapes\": [{\"type\": \"disk\", \"radius\": 0.01, "
                   "\"material\": \"bar\"}]}]"},
               {0, "\"contact\": {\"radius\": 0.01, \"points\": 2, \"material\": \"bar\"}"},
               {0.3, "\"contact\": {\"radius\": 0.01, \"points\": 2, \"material\": \"bar\"}"},
               {0.3, "\"contact\": {\"radius\": 0.01, \"points\": 9, \"material\": \"bar\"}"}};
  for (size_t c = 0; c < COUNT(cases); c++)
    for (size_t m = 0; m < COUNT(moduli); m++)
      for (size_t k = 2; k < COUNT(steps); k++) {
        Fall fall = let_fall(moduli[m], cases[c].angle, cases[c].contact, 1, steps[k], 0.4);
        print_message("case %zu, E = %g, dt = %g: %.4f J, at most %.4f, then %.4f\n", c, moduli[m], steps[k],
                      fall.first, fall.largest, fall.last);
        assert_at_most(fall.largest, (steps[k] <= 1e-3 ? 1.0005 : 1.03) * fall.first);
        assert_true(fall.last > 0.5 * fall.first || moduli[m] > 2e6);
      }
}

/* Inelastic impacts of one point: the less restitution, the less is left; never more than there was. */
static void less_restitution_leaves_less(void **state) {
  (void)state;
  double before = INFINITY;
  for (double e = 1; e >= 0; e -= 0.25) {
    Fall fall = let_fall(2e6, 0, "\"contact\": {\"radius\": 0.01, \"points\": 9, \"material\": \"bar\"}", e, 1e-3, 0.3);
    assert_near(fall.last - 0.6 * 9.81 * 0.01, e * e * (fall.first - 0.6 * 9.81 * 0.01), 0.02 * fall.first);
    assert_at_most(fall.largest, 1.0005 * fall.first);
    assert_true(fall.last < before);
    before = fall.last;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bar_that_falls_flat_on_many_points_keeps_its_energy),
      cmocka_unit_test(impacts_on_few_points_gain_no_energy),
      cmocka_unit_test(less_restitution_leaves_less),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
