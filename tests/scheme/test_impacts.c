/* Laws of impact, each against its closed form (docs/theory/impacts.md): balls in a row, two balls, a bouncing
 * ball, a ball that hits obliquely (docs/reference/cases.md), a rod whose slip Newton's law turns back. */
#include "linalg/vec3.h"
#include "world/scene_runner.h"

static const char *const laws[] = {"newton", "poisson", "sequential"};

/* `count` balls of 1 kg in a row that touch, the first `moving` of them at 1 m/s towards the others from 0.05 m away;
 * restitution of the first contact and of all others. */
static void open_row(SceneRun *run, int count, int moving, double first, double others, const char *law) {
  char text[8192];
  int length = snprintf(text, sizeof text,
                        "{\"materials\": [{\"pair\": [\"a\", \"b\"], \"friction\": 0, \"restitution\": %g}, {\"pair\": "
                        "[\"*\", \"*\"], \"friction\": 0, \"restitution\": %g}], \"run\": {\"impact\": \"%s\", \"dt\": "
                        "0.01, \"until\": 0.2, \"tolerance\": 1e-12}, \"bodies\": [",
                        first, others, law);
  for (int i = 0; i < count; i++)
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "%s{\"name\": \"%d\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [%.17g, 0, 0], "
                       "\"velocity\": [%d, 0, 0], \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.5, \"material\": "
                       "\"%s\"}]}",
                       i ? ", " : "", i, i - (i < moving ? 0.05 : 0), i < moving,
                       i == 0   ? "a"
                       : i == 1 ? "b"
                                : "c");
  snprintf(text + length, sizeof text - (size_t)length, "]}");
  scene_open_text(run, text);
}

static void check_row(int count, int moving, double first, double others, const char *law, const double *expected) {
  SceneRun run;
  open_row(&run, count, moving, first, others, law);
  scene_finish(&run);
  for (int i = 0; i < count; i++) {
    char name[16];
    snprintf(name, sizeof name, "%d", i);
    assert_near(scene_velocity(&run, name).x, expected[i], 1e-9);
  }
  scene_close(&run);
}

static void three_touching_balls_leave_as_each_law_says(void **state) {
  (void)state;
  static const double elastic[3][3] = {{-1.0 / 3, 2.0 / 3, 2.0 / 3}, {-1.0 / 3, 2.0 / 3, 2.0 / 3}, {0, 0, 1}};
  static const double mixed[3][3] = {{0, 0.5, 0.5}, {0, 1.0 / 3, 2.0 / 3}, {0.0625, 0.1875, 0.75}};
  for (int i = 0; i < 3; i++) {
    check_row(3, 1, 1, 1, laws[i], elastic[i]);
    check_row(3, 1, 0.5, 1, laws[i], mixed[i]);
  }
}

static void newtons_cradle_swings_as_each_law_says(void **state) {
  (void)state;
  static const double together[] = {-0.6, 0.4, 0.4, 0.4, 0.4}, one[] = {0, 0, 0, 0, 1}, two[] = {0, 0, 0, 1, 1};
  check_row(5, 1, 1, 1, "newton", together);
  check_row(5, 1, 1, 1, "poisson", together);
  check_row(5, 1, 1, 1, "sequential", one);
  check_row(5, 2, 1, 1, "sequential", two);
}

/* e < 1: the sequence has no end; it stops at the speeds that count as rest, none here, or at the limit
 * of its length. */
static void sequence_without_end_is_cut_and_keeps_momentum(void **state) {
  (void)state;
  SceneRun run;
  open_row(&run, 6, 3, 0.6, 0.6, "sequential");
  scene_finish(&run);
  double momentum = 0, last = -1;
  for (int i = 0; i < 6; i++) {
    char name[16];
    snprintf(name, sizeof name, "%d", i);
    double v = scene_velocity(&run, name).x;
    momentum += v;
    assert_true(v >= last - 1e-9); // none approaches
    last = v;
  }
  assert_near(momentum, 3, 1e-9);
  scene_close(&run);
}

static void two_balls_give_the_same_by_every_law(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "{\"dimension\": 2, \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0, \"restitution\": 0.5}], "
             "\"bodies\": [{\"name\": \"one\", \"mass\": 1, \"inertia\": 1, \"velocity\": [3, 0], \"shapes\": "
             "[{\"type\": \"disk\", \"radius\": 0.1}]}, {\"name\": \"two\", \"mass\": 2, \"inertia\": 1, \"position\": "
             "[1, 0], \"velocity\": [-1, 0], \"shapes\": [{\"type\": \"disk\", \"radius\": 0.1}]}], \"run\": "
             "{\"impact\": \"%s\", \"dt\": 0.01, \"until\": 0.5, \"tolerance\": 1e-12}}",
             laws[i]);
    SceneRun run;
    scene_open_text(&run, text);
    double impulse = 0;
    while (scene_step(&run))
      for (int k = 0; k < asp_world_contact_count(run.world); k++)
        impulse += asp_world_contacts(run.world)[k].impulse[0];
    assert_near(scene_velocity(&run, "one").x, -1, 1e-10);
    assert_near(scene_velocity(&run, "two").x, 1, 1e-10);
    assert_near(impulse, 4, 1e-10);
    assert_int_equal(run.uncertified, 0);
    scene_close(&run);
  }
}

#define GROUND "{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]}, "

/* Heights of the bounces and the time of rest, by every law and at two steps. */
static void ball_bounces_as_high_as_restitution_says_by_every_law(void **state) {
  (void)state;
  const double steps[] = {0.01, 0.001};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++) {
      char text[1024];
      snprintf(
          text, sizeof text,
          "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.3, "
          "\"restitution\": 0.5}], \"bodies\": [" GROUND "{\"name\": \"ball\", \"mass\": 1, \"position\": [0, 0, "
          "1.1], \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1}]}], \"run\": {\"impact\": \"%s\", \"dt\": %g, "
          "\"until\": 2, \"tolerance\": 1e-10}}",
          laws[i], steps[j]);
      SceneRun run;
      scene_open_text(&run, text);
      double settled = 0, last = 0;
      int bounces = 0;
      while (scene_step(&run)) {
        double speed = scene_velocity(&run, "ball").z;
        if (fabs(speed) > 1e-9)
          settled = run.info.t;
        if (last > 0 && speed <= 0 && ++bounces <= 2)
          assert_near(scene_position(&run, "ball").z - 0.1, bounces == 1 ? 0.25 : 0.0625, 2 * steps[j]);
        last = speed;
      }
      assert_near(settled, 1.3545709229571927, 20 * steps[j]);
      assert_int_equal(run.uncertified, 0);
      scene_close(&run);
    }
}

/* A ball falls obliquely; p_T = min(mu p_N, 2/7 m v_T). Against the exact motion at the grid's time: from the
 * impact on, mu m g acts on a ball that still slips. */
static void oblique_impact_gives_the_exact_motion_at_the_grid_time(void **state) {
  (void)state;
  const double mu[] = {0.03, 0.05, 0.5}, g = 9.81, dt = 0.001, until = 0.02;
  // falls 0.05 m from vz = -3
  double fall = (-3 + sqrt(9 + 2 * g * 0.05)) / g, speed = 3 + g * fall;
  for (int law = 0; law < 3; law++)
    for (int i = 0; i < 3; i++) {
      char text[1024];
      snprintf(
          text, sizeof text,
          "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": %g}], \"bodies\": "
          "[" GROUND "{\"name\": \"ball\", \"mass\": 1, \"inertia\": [0.4, 0.4, 0.4], \"position\": [0, 0, 1.05], "
          "\"velocity\": [1, 0, -3], \"shapes\": [{\"type\": \"sphere\", \"radius\": 1}]}], \"run\": {\"impact\": "
          "\"%s\", \"dt\": %g, \"until\": %g, \"tolerance\": 1e-12}}",
          mu[i], laws[law], dt, until);
      SceneRun run;
      scene_open_text(&run, text);
      scene_finish(&run);
      double change = fmin(mu[i] * (speed + g * (until - fall)), 2.0 / 7);
      assert_near(scene_velocity(&run, "ball").x, 1 - change, 1e-9);
      assert_near(scene_angular_velocity(&run, "ball").y, 2.5 * change, 1e-9);
      assert_near(scene_velocity(&run, "ball").z, 0, 1e-9);
      scene_close(&run);
    }
}

/* A rod of 1 kg and 2 m at 45 degrees hits the ground with its tip, u = (-1, 0.2) m/s: W = [2.5, -1.5; -1.5, 2.5], and
 * for mu = 0.8 the tip sticks. Newton, e = 1: r = (4.7, 2.5)/4, energy + 0.0625 J. Poisson: compression r = (2.2, 1)/4,
 * expansion 0.55 (1, 0.6), energy - 0.25 + 0.242 J. */
static void open_rod(SceneRun *run, const char *law) {
  char text[1024];
  double s = sqrt(0.5);
  snprintf(text, sizeof text,
           "{\"dimension\": 2, \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.8, \"restitution\": 1}], "
           "\"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-plane\"}]}, {\"name\": "
           "\"rod\", \"mass\": 1, \"inertia\": 0.33333333333333331, \"position\": [0, %.17g], \"velocity\": [0.2, -1], "
           "\"shapes\": [{\"type\": \"point\", \"position\": [%.17g, %.17g]}]}], \"run\": {\"impact\": \"%s\", \"dt\": "
           "0.01, \"until\": 0.1, \"tolerance\": 1e-12}}",
           s + 0.05, -s, -s, law);
  scene_open_text(run, text);
}

static void newtons_gain_of_energy_is_named_with_its_size(void **state) {
  (void)state;
  SceneRun run;
  open_rod(&run, "newton");
  double before = asp_model_energy(run.scene.model, asp_world_state(run.world)).kinetic;
  scene_finish(&run);
  assert_near(run.info.energy.kinetic - before, 0.0625, 1e-9);
  assert_int_equal(asp_world_warning_count(run.world), 2);
  const char *warning = asp_world_warning(run.world, 0);
  assert_non_null(strstr(warning, "gains 0.0625 J"));
  assert_non_null(strstr(warning, "ground and rod"));
  assert_non_null(strstr(asp_world_warning(run.world, 1), "impact_gain"));
  scene_close(&run);
}

static void poissons_law_gains_no_energy_where_newtons_does(void **state) {
  (void)state;
  SceneRun run;
  open_rod(&run, "poisson");
  double before = asp_model_energy(run.scene.model, asp_world_state(run.world)).kinetic;
  scene_finish(&run);
  assert_near(run.info.energy.kinetic - before, -0.25 + 0.242, 1e-9);
  assert_int_equal(asp_world_warning_count(run.world), 0);
  scene_close(&run);
}

static void laws_that_do_not_go_together_are_refused(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRunOptions options = asp_run_default_options();
  options.scheme = ASP_SCHEME_STEWART_TRINKLE;
  options.impact = 1;
  assert_int_equal(asp_run_validate(context, &options), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(context), "impact: poisson is not possible with the scheme "
                                                       "stewart-trinkle; leave it out, or use moreau-jean"));
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(three_touching_balls_leave_as_each_law_says),
      cmocka_unit_test(newtons_cradle_swings_as_each_law_says),
      cmocka_unit_test(sequence_without_end_is_cut_and_keeps_momentum),
      cmocka_unit_test(two_balls_give_the_same_by_every_law),
      cmocka_unit_test(ball_bounces_as_high_as_restitution_says_by_every_law),
      cmocka_unit_test(oblique_impact_gives_the_exact_motion_at_the_grid_time),
      cmocka_unit_test(newtons_gain_of_energy_is_named_with_its_size),
      cmocka_unit_test(poissons_law_gains_no_energy_where_newtons_does),
      cmocka_unit_test(laws_that_do_not_go_together_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
