/* Friction of joints in proportion to their load, against statics: a rotor in a bearing, a drawer that jams, a drawer
 * in space whose guides are loaded two ways, an overhung shaft. g = 9.81. */
#include "linalg/vec3.h"
#include "scene_runner.h"

#define GRAVITY 9.81

static void open_text(SceneRun *run, const char *text) {
  *run = (SceneRun){.context = asp_context_create(NULL)};
  assert_ok(run->context, asp_scene_parse(run->context, text, strlen(text), "text", &run->scene, NULL));
  assert_ok(run->context, asp_world_create(run->context, run->scene.model, &run->scene.run, &run->world));
}

static void run_to_the_end(SceneRun *run) {
  while (scene_step(run)) {
  }
  assert_int_equal(run->uncertified, 0);
}

/* I w' = -mu R m g, in both schemes, in the plane and in space. */
static void rotor_slows_down_by_the_weight_on_its_bearing(void **state) {
  (void)state;
  const char *schemes[] = {"moreau-jean", "stewart-trinkle"};
  for (int scheme = 0; scheme < 2; scheme++)
    for (int dimension = 2; dimension <= 3; dimension++) {
      char text[1024];
      bool plane = dimension == 2;
      snprintf(text, sizeof text,
               "{\"dimension\": %d, \"gravity\": [0, -9.81%s], \"bodies\": [{\"name\": \"rotor\", \"mass\": 2, "
               "\"inertia\": %s, \"angular_velocity\": %s}], \"joints\": [{\"name\": \"bearing\", \"type\": "
               "\"revolute\", \"bodies\": [\"world\", \"rotor\"], \"point\": [0, 0%s], %s \"friction_coefficient\": "
               "0.2, \"bearing_radius\": 0.05}], \"run\": {\"scheme\": \"%s\", \"dt\": 0.01, \"until\": 1, "
               "\"tolerance\": 1e-11}}",
               dimension, plane ? "" : ", 0", plane ? "0.5" : "[0.5, 0.5, 0.5]", plane ? "3" : "[0, 0, 3]",
               plane ? "" : ", 0", plane ? "" : "\"axis\": [0, 0, 1],", schemes[scheme]);
      SceneRun run;
      open_text(&run, text);
      run_to_the_end(&run);
      double torque = 0.2 * 0.05 * 2 * GRAVITY;
      assert_near(scene_joint(&run, "bearing")->friction, -torque, 1e-8);
      assert_near(scene_angular_velocity(&run, "rotor").z, 3 - torque / 0.5, 1e-8);
      scene_close(&run);
    }
}

/* A drawer on guides 0.4 m apart, pulled by F at the distance c from its middle: N = F c / L at both guides, friction
 * 2 mu F c / L. It jams, whatever F, iff 2 mu c >= L; else m a = F (1 - 2 mu c / L). */
static void drawer_jams_iff_it_is_pulled_too_far_from_its_middle(void **state) {
  (void)state;
  const double L = 0.4, mu = 0.5, part[] = {0.5, 0.98, 1.02, 3};
  for (int i = 0; i < 4; i++)
    for (int strong = 0; strong < 2; strong++) {
      double c = part[i] * L / (2 * mu), force = strong ? 1000 : 1;
      char text[1024];
      snprintf(text, sizeof text,
               "{\"dimension\": 2, \"bodies\": [{\"name\": \"drawer\", \"mass\": 2, \"inertia\": 0.5}], \"joints\": "
               "[{\"name\": \"guide\", \"type\": \"prismatic\", \"bodies\": [\"world\", \"drawer\"], \"axis\": [1, 0], "
               "\"friction_coefficient\": 0.5, \"bearing_length\": 0.4}], \"forces\": [{\"type\": \"force\", "
               "\"body\": \"drawer\", \"point\": [0, %.17g], \"force\": [%g, 0]}], \"run\": {\"dt\": 0.01, \"until\": "
               "0.5, \"tolerance\": 1e-11}}",
               c, force);
      SceneRun run;
      open_text(&run, text);
      run_to_the_end(&run);
      double expected = part[i] >= 1 ? 0 : force * (1 - part[i]) / 2 * 0.5;
      assert_near(scene_velocity(&run, "drawer").x, expected, 1e-7 * force);
      scene_close(&run);
    }
}

/* In space: the weight presses both guides down, the pull besides the middle presses them sideways;
 * |N| = sqrt((m g / 2)^2 + (F c / L)^2) at each. */
static void guides_in_space_add_loads_as_vectors(void **state) {
  (void)state;
  const char *text =
      "{\"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"drawer\", \"mass\": 2, \"inertia\": [0.5, 0.5, 0.5]}], "
      "\"joints\": [{\"name\": \"guide\", \"type\": \"prismatic\", \"bodies\": [\"world\", \"drawer\"], \"axis\": [1, "
      "0, "
      "0], \"friction_coefficient\": 0.3, \"bearing_length\": 0.4}], \"forces\": [{\"type\": \"force\", \"body\": "
      "\"drawer\", \"point\": [0, 0.2, 0], \"force\": [20, 0, 0]}], \"run\": {\"dt\": 0.01, \"until\": 0.5, "
      "\"tolerance\": 1e-11}}";
  SceneRun run;
  open_text(&run, text);
  run_to_the_end(&run);
  double friction = 2 * 0.3 * hypot(2 * GRAVITY / 2, 20 * 0.2 / 0.4);
  assert_near(scene_velocity(&run, "drawer").x, (20 - friction) / 2 * 0.5, 1e-8);
  assert_near(scene_joint(&run, "guide")->friction, -friction, 1e-7);
  scene_close(&run);
}

/* A wheel that hangs beside its two bearings, overhang b, bearings L apart: N_1 = m g (b + L/2)/L, N_2 = m g (b -
 * L/2)/L. The wheel's own spin is slow, so that its gyroscopic moment about the fixed axis is none. */
static void overhung_wheel_loads_its_bearings_by_the_lever(void **state) {
  (void)state;
  const char *text =
      "{\"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"wheel\", \"mass\": 2, \"inertia\": [0.5, 0.5, 0.5], "
      "\"position\": [0.3, 0, 0], \"angular_velocity\": [4, 0, 0]}], \"joints\": [{\"name\": \"bearing\", \"type\": "
      "\"revolute\", \"bodies\": [\"world\", \"wheel\"], \"point\": [0, 0, 0], \"axis\": [1, 0, 0], "
      "\"friction_coefficient\": 0.2, \"bearing_radius\": 0.05, \"bearing_length\": 0.2}], \"run\": {\"dt\": 0.01, "
      "\"until\": 1, \"tolerance\": 1e-11}}";
  SceneRun run;
  open_text(&run, text);
  run_to_the_end(&run);
  double torque = 0.2 * 0.05 * 2 * GRAVITY * ((0.3 + 0.1) / 0.2 + (0.3 - 0.1) / 0.2);
  assert_near(scene_angular_velocity(&run, "wheel").x, 4 - torque / 0.5, 1e-7);
  scene_close(&run);
}

/* Load friction, constant friction, a limit and a contact in one problem: a slider pressed by its weight is pushed
 * against a limit, and a block rests on it. */
static void load_friction_stands_beside_constant_friction_and_contacts(void **state) {
  (void)state;
  const char *text =
      "{\"dimension\": 2, \"gravity\": [0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.5}], "
      "\"bodies\": [{\"name\": \"slider\", \"mass\": 2, \"inertia\": 0.5, \"shapes\": [{\"type\": \"box\", \"size\": "
      "[1, 0.2]}]}, {\"name\": \"load\", \"mass\": 3, \"position\": [0, 0.2], \"shapes\": [{\"type\": \"box\", "
      "\"size\": [0.2, 0.2]}]}], \"joints\": [{\"name\": \"guide\", \"type\": \"prismatic\", \"bodies\": [\"world\", "
      "\"slider\"], \"axis\": [1, 0], \"friction\": 4, \"friction_coefficient\": 0.1, \"bearing_length\": 0.8}], "
      "\"forces\": [{\"type\": \"force\", \"body\": \"slider\", \"point\": [0, 0], \"force\": [20, 0]}], \"run\": "
      "{\"dt\": 0.01, \"until\": 0.1, \"tolerance\": 1e-11}}";
  SceneRun run;
  open_text(&run, text);
  run_to_the_end(&run);
  // both move together; the load leans back as it is taken along, which loads the two guides unevenly but as much
  double a = (20 - 4 - 0.1 * 5 * GRAVITY) / 5;
  assert_near(scene_velocity(&run, "slider").x, 0.1 * a, 1e-7);
  assert_near(scene_velocity(&run, "load").x, 0.1 * a, 1e-7);
  scene_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotor_slows_down_by_the_weight_on_its_bearing),
      cmocka_unit_test(drawer_jams_iff_it_is_pulled_too_far_from_its_middle),
      cmocka_unit_test(guides_in_space_add_loads_as_vectors),
      cmocka_unit_test(overhung_wheel_loads_its_bearings_by_the_lever),
      cmocka_unit_test(load_friction_stands_beside_constant_friction_and_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
