/* Error control: the asked accuracy is kept against closed forms, output times stay, what has no limit is said. */
#include "scene_runner.h"

/* Of a ball of radius 0.1 m that is dropped from 1 m with restitution 0.8: height of its centre. */
static double bouncing_height(double t) {
  double g = 9.81, v = sqrt(2 * g), began = -sqrt(2 / g); // as if it had bounced up to 1 m before
  for (int bounce = 0; bounce < 400; bounce++, v *= 0.8) {
    double flight = 2 * v / g;
    if (t < began + flight)
      return 0.1 + v * (t - began) - 0.5 * g * (t - began) * (t - began);
    began += flight;
  }
  return 0.1;
}

static void open_with(SceneRun *run, const char *name, AspScheme scheme, double dt, double until, double accuracy) {
  char path[512];
  snprintf(path, sizeof path, "%s/scenes/%s.json", ASP_SOURCE_DIR, name);
  *run = (SceneRun){.context = asp_context_create(NULL)};
  assert_ok(run->context, asp_scene_read(run->context, path, &run->scene, NULL));
  run->scene.run.scheme = scheme;
  run->scene.run.accuracy = accuracy;
  run->scene.run.dt = dt;
  run->scene.run.until = until;
  assert_ok(run->context, asp_world_create(run->context, run->scene.model, &run->scene.run, &run->world));
}

/* The largest error of the ball's height at the times k dt; the number of steps into *steps. */
static double bouncing_error(AspScheme scheme, double accuracy, double until, int64_t *steps) {
  SceneRun run;
  double worst = 0;
  open_with(&run, "peers/bouncing_ball", scheme, 0.05, until, accuracy);
  while (scene_step(&run))
    if (run.info.grid > 0)
      worst = fmax(worst, fabs(scene_position(&run, "sphere 1").z - bouncing_height(run.info.t)));
  assert_int_equal(run.uncertified, 0);
  assert_true(asp_world_accuracy(run.world)->share <= 1);
  assert_true(isnan(asp_world_accuracy(run.world)->lost_at));
  *steps = run.info.step;
  scene_close(&run);
  return worst;
}

/* Bounces accumulate at 4.0637 s. */
static void bouncing_ball_keeps_to_the_accuracy_past_its_accumulation(void **state) {
  (void)state;
  int64_t steps[3];
  const double asked[3] = {1e-2, 1e-3, 1e-4};
  for (int i = 0; i < 3; i++)
    assert_true(bouncing_error(ASP_SCHEME_MOREAU_JEAN, asked[i], 5, &steps[i]) <= asked[i]);
  assert_true(steps[2] < 20 * steps[0]); // events cost the logarithm of the accuracy
}

static void generalized_alpha_keeps_to_the_accuracy(void **state) {
  (void)state;
  int64_t steps;
  assert_true(bouncing_error(ASP_SCHEME_GENERALIZED_ALPHA, 1e-3, 2, &steps) <= 1e-3);
}

/* Spring of 4 N m/rad, inertia 1, dry friction 0.5 N m, released at 1 rad: cosines about +-1/8 rad, whose amplitude falls
 * by 1/4 rad at every turn, pi/2 apart. */
static double oscillator_angle(double t) {
  double half = 0.5 * acos(-1), turn = floor(t / half), sign = fmod(turn, 2) == 0 ? 1 : -1;
  return sign * (0.125 + (0.875 - 0.25 * turn) * cos(2 * (t - turn * half)));
}

/* Friction of a step is that of its end: where the slip turns round in its first half, both halves are off by the same,
 * and their difference shows nothing. */
static void slip_that_turns_round_keeps_to_the_accuracy(void **state) {
  (void)state;
  const double asked[] = {1e-3, 1e-4}, grid[] = {0.02, 0.013};
  for (int i = 0; i < 2; i++) {
    SceneRun run;
    double worst = 0;
    open_with(&run, "dry-friction-oscillator", ASP_SCHEME_MOREAU_JEAN, grid[i], 4, asked[i]);
    while (scene_step(&run))
      worst = fmax(worst, fabs(asp_world_joints(run.world)[0].coordinate - oscillator_angle(run.info.t)));
    assert_true(asp_world_accuracy(run.world)->share <= 1);
    assert_true(worst <= asked[i]);
    scene_close(&run);
  }
}

static void every_time_of_the_grid_is_met_in_order(void **state) {
  (void)state;
  SceneRun run;
  int64_t grid = 0, steps = 0;
  open_with(&run, "peers/bouncing_ball", ASP_SCHEME_MOREAU_JEAN, 0.01, 1, 1e-4);
  while (scene_step(&run)) {
    steps++;
    assert_true(run.info.dt <= 0.01 * (1 + 1e-12));
    if (run.info.grid == 0)
      continue;
    assert_int_equal(run.info.grid, ++grid);
    assert_true(run.info.t == (double)grid * 0.01);
  }
  const AspAccuracy *accuracy = asp_world_accuracy(run.world);
  assert_int_equal(grid, 100);
  assert_int_equal(accuracy->steps, steps);
  assert_true(steps > 100 && accuracy->rejected > 0);
  assert_true(accuracy->dt_min < accuracy->dt_max && accuracy->dt_max <= 0.01 * (1 + 1e-12));
  scene_close(&run);
}

static void equal_runs_are_equal(void **state) {
  (void)state;
  uint64_t hash[2];
  for (int i = 0; i < 2; i++) {
    SceneRun run;
    open_with(&run, "peers/bouncing_ball", ASP_SCHEME_MOREAU_JEAN, 0.01, 0.7, 1e-4);
    scene_finish(&run);
    hash[i] = asp_world_state_hash(run.world);
    scene_close(&run);
  }
  assert_true(hash[0] == hash[1]);
}

/* A ball on a floor: nothing to control, so that every step is as long as it may be. */
static void smooth_motion_takes_the_longest_steps(void **state) {
  (void)state;
  SceneRun run;
  open_with(&run, "peers/flat_cube", ASP_SCHEME_MOREAU_JEAN, 0.01, 0.1, 1e-2);
  scene_finish(&run);
  assert_int_equal(run.info.step, 10);
  assert_int_equal(asp_world_accuracy(run.world)->rejected, 0);
  scene_close(&run);
}

/* Painleve's rod starts without finite forces; the impulse that answers has a limit. Reference: extrapolated from steps
 * of 10 to 0.625 ms, 0.3898953 +- 2e-6 m. */
static void impulse_without_finite_forces_at_the_start_has_a_limit(void **state) {
  (void)state;
  SceneRun run;
  open_with(&run, "peers/painleve_rod", ASP_SCHEME_GENERALIZED_ALPHA, 0.01, 0.2, 1e-4);
  scene_finish(&run);
  assert_near(scene_position(&run, "capsule 1").x, 0.3898953, 1e-4);
  assert_true(isnan(asp_world_accuracy(run.world)->lost_at));
  scene_close(&run);
}

/* Forces grow without bound at 0.81455 s. */
static void beyond_a_dynamic_jam_there_is_no_limit(void **state) {
  (void)state;
  SceneRun run;
  open_with(&run, "painleve-slides-into-paradox", ASP_SCHEME_GENERALIZED_ALPHA, 0.005, 0.83, 1e-2);
  while (scene_step(&run)) {
  }
  assert_near(asp_world_accuracy(run.world)->lost_at, 0.8146, 2e-3);
  bool said = false;
  for (int i = 0; i < asp_world_warning_count(run.world); i++)
    said = said || strstr(asp_world_warning(run.world, i), "there is no limit for dt -> 0");
  assert_true(said);
  scene_close(&run);
}

/* Nothing moves: what rounding leaves of velocities is no jump. */
static void clamped_plate_at_rest_has_a_limit(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(
      &run,
      "{\"dimension\": 2, \"gravity\": [0, 0], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.3}], "
      "\"bodies\": [{\"name\": \"base\", \"fixed\": true, \"shapes\": [{\"type\": \"half-plane\"}]}, {\"name\": "
      "\"plate\", \"mass\": 1, \"position\": [0, 0.05], \"shapes\": [{\"type\": \"box\", \"size\": [0.4, 0.1]}]}, "
      "{\"name\": \"jaw\", \"mass\": 0.5, \"position\": [0, 0.15], \"shapes\": [{\"type\": \"box\", \"size\": "
      "[0.1, 0.1]}]}], \"joints\": [{\"type\": \"prismatic\", \"bodies\": [\"world\", \"jaw\"], \"axis\": [0, -1], "
      "\"motor\": {\"velocity\": 1, \"effort\": 100}}], \"forces\": [{\"type\": \"force\", \"body\": \"plate\", "
      "\"force\": [59.5, 0]}], \"run\": {\"dt\": 0.01, \"until\": 1, \"accuracy\": 1e-4}}");
  scene_finish(&run);
  assert_near(scene_position(&run, "plate").x, 0, 1e-9);
  assert_true(isnan(asp_world_accuracy(run.world)->lost_at));
  assert_true(asp_world_accuracy(run.world)->share <= 1);
  scene_close(&run);
}

static void accuracy_of_velocities_alone_is_refused(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRunOptions options = asp_run_default_options();
  options.accuracy_velocity = 1e-3;
  assert_int_equal(asp_run_validate(context, &options), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(context), "accuracy_velocity"));
  options.accuracy_relative = 1e-3;
  assert_int_equal(asp_run_validate(context, &options), ASP_OK);
  asp_context_destroy(context);
}

/* Two cups that strike rails with several corners: gaps of 1e-12 m over steps of 1e-10 s are no velocities. */
static void gaps_that_are_none_are_no_kicks_in_short_steps(void **state) {
  (void)state;
  SceneRun run;
  open_with(&run, "gallery/parts-feeder", ASP_SCHEME_MOREAU_JEAN, 1e-3, 0.21, 1e-3);
  while (scene_step(&run))
    assert_true(run.info.certified);
  assert_true(isnan(asp_world_accuracy(run.world)->lost_at));
  assert_true(asp_world_accuracy(run.world)->share <= 1);
  scene_close(&run);
}

/* A ball on a plate that throws it up and strikes it twice: where the plate lets it go decides all that follows. */
static void thrown_ball_keeps_to_the_accuracy(void **state) {
  (void)state;
  static const char text[] =
      "{\"dimension\": 2, \"gravity\": [0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0,"
      " \"restitution\": 0.7}], \"bodies\": [{\"name\": \"plate\", \"motion\": {\"position\": [0, \"0.01*sin(50*t)\"]},"
      " \"shapes\": [{\"type\": \"box\", \"size\": [0.4, 0.02], \"position\": [0, -0.01]}]}, {\"name\": \"ball\","
      " \"mass\": 1, \"inertia\": 1e-3, \"position\": [0, 0.02], \"velocity\": [0, 0.5], \"shapes\": [{\"type\": "
      "\"disk\","
      " \"radius\": 0.02}]}], \"run\": {\"dt\": 0.005, \"until\": 0.9, %s}}";
  static const char *const words[] = {"\"scheme\": \"event-driven\"", "\"accuracy\": 1e-4"};
  double y[2];
  for (int i = 0; i < 2; i++) {
    char scene[1024];
    SceneRun run;
    snprintf(scene, sizeof scene, text, words[i]);
    scene_open_text(&run, scene);
    scene_finish(&run);
    y[i] = scene_position(&run, "ball").y;
    scene_close(&run);
  }
  assert_near(y[1], y[0], 1e-4);
}

/* A ball flies straight until its rope of 1 m is taut, after 0.8 m, and circles from there with what is left of its speed.
 * Impacts of the scheme act at the ends of steps: one in the second half of a step is late alike in the step and in its
 * halves. */
static void rope_that_becomes_taut_anywhere_in_a_step_keeps_to_the_accuracy(void **state) {
  (void)state;
  for (int i = 0; i < 12; i++) {
    SceneRun run;
    double v = 1.9 + 0.01 * i, asked = i % 2 ? 1e-3 : 1e-4;
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"dimension\": 2, \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": 1e-4, \"position\": [0.6, 0], "
        "\"velocity\": [0, %g]}], \"joints\": [{\"type\": \"tendon\", \"path\": [{\"body\": \"world\", \"point\": [0, "
        "0]}, {\"body\": \"a\", \"point\": [0.6, 0]}], \"limits\": [null, 1]}], \"run\": {\"scheme\": "
        "\"generalized-alpha\", \"dt\": 0.01, \"until\": 1.1, \"accuracy\": %g}}",
        -v, asked);
    scene_open_text(&run, text);
    scene_finish(&run);
    double angle = asin(0.6) - 0.6 * v * (1.1 - 0.8 / v);
    AspVec3 end = scene_position(&run, "a");
    assert_true(hypot(end.x - sin(angle), end.y + cos(angle)) <= asked);
    assert_true(asp_world_accuracy(run.world)->share <= 1);
    scene_close(&run);
  }
}

/* 5 N on 1 kg that always pull towards the origin: parabolas, sqrt(2 d / 5) for each quarter of a swing. Where the force
 * turns round in the first or last quarter of a step, the step and its halves have it alike. */
static double relay_place(double d, double t) {
  double quarter = sqrt(2 * d / 5), s = fmod(t, 4 * quarter), sign = s < quarter || s > 3 * quarter ? 1 : -1;
  s = s < quarter ? s : s > 3 * quarter ? 4 * quarter - s : s - 2 * quarter;
  return sign * (d - 2.5 * s * s);
}

static void loads_that_jump_anywhere_in_a_step_keep_to_the_accuracy(void **state) {
  (void)state;
  const char *const schemes[] = {"moreau-jean", "generalized-alpha"};
  for (int i = 0; i < 16; i++) {
    SceneRun run;
    double d = 0.5 + 0.01 * i, asked = i % 4 < 2 ? 1e-3 : 1e-4;
    char text[512];
    snprintf(
        text, sizeof text,
        "{\"dimension\": 2, \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": 0.01, \"position\": [%g, 0]}], "
        "\"forces\": [{\"type\": \"force\", \"body\": \"a\", \"force\": [\"-5*sign(a.x)\", 0]}], \"run\": {\"scheme\": "
        "\"%s\", \"dt\": 0.01, \"until\": 2, \"accuracy\": %g}}",
        d, schemes[i % 2], asked);
    scene_open_text(&run, text);
    scene_finish(&run);
    assert_near(scene_position(&run, "a").x, relay_place(d, 2), asked);
    assert_true(asp_world_accuracy(run.world)->share <= 1);
    scene_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bouncing_ball_keeps_to_the_accuracy_past_its_accumulation),
                                     cmocka_unit_test(generalized_alpha_keeps_to_the_accuracy),
                                     cmocka_unit_test(gaps_that_are_none_are_no_kicks_in_short_steps),
                                     cmocka_unit_test(thrown_ball_keeps_to_the_accuracy),
                                     cmocka_unit_test(slip_that_turns_round_keeps_to_the_accuracy),
                                     cmocka_unit_test(every_time_of_the_grid_is_met_in_order),
                                     cmocka_unit_test(equal_runs_are_equal),
                                     cmocka_unit_test(smooth_motion_takes_the_longest_steps),
                                     cmocka_unit_test(impulse_without_finite_forces_at_the_start_has_a_limit),
                                     cmocka_unit_test(beyond_a_dynamic_jam_there_is_no_limit),
                                     cmocka_unit_test(accuracy_of_velocities_alone_is_refused),
                                     cmocka_unit_test(rope_that_becomes_taut_anywhere_in_a_step_keeps_to_the_accuracy),
                                     cmocka_unit_test(loads_that_jump_anywhere_in_a_step_keep_to_the_accuracy),
                                     cmocka_unit_test(clamped_plate_at_rest_has_a_limit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
