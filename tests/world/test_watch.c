/* Findings in a run: instants without solution or with several, and the rule by which a step chooses. */
#include "world/scene_runner.h"

static void open_with(SceneRun *run, const char *name, double dt, AspSelection selection) {
  scene_open(run, name, dt);
  asp_world_destroy(run->world);
  run->scene.run.selection = selection;
  run->scene.run.watch = true;
  assert_ok(run->context, asp_world_create(run->context, run->scene.model, &run->scene.run, &run->world));
}

/* Reaction of the first step with each rule: nothing, or the one of least energy. */
static void rule_picks_among_three_solutions(void **state) {
  (void)state;
  const struct {
    AspSelection rule;
    double n, t;
  } cases[] = {{ASP_SELECT_PAINLEVE, 0, 0},
               {ASP_SELECT_ENERGY, 0.3266345264191645, 0.45157291281149714},
               {ASP_SELECT_STIFF, 0, 0}}; // springs that begin without load: below the separatrix
  for (int i = 0; i < 3; i++) {
    SceneRun run;
    open_with(&run, "painleve-three-solutions", 0.01, cases[i].rule);
    assert_true(scene_step(&run));
    assert_true(run.info.certified);
    assert_int_equal(run.info.alternatives, 3);
    assert_int_equal(run.info.instant_solutions, 2);
    assert_int_equal(asp_world_contact_count(run.world), 1);
    const AspContactRecord *contact = asp_world_contacts(run.world);
    assert_near(contact->impulse[0], cases[i].n, 1e-10);
    assert_near(contact->impulse[1], cases[i].t, 1e-10);
    scene_close(&run);
  }
}

static void instant_without_solution_is_named_with_its_contact(void **state) {
  (void)state;
  SceneRun run;
  open_with(&run, "painleve-no-solution", 0.01, ASP_SELECT_SOLVER);
  assert_true(scene_step(&run));
  assert_int_equal(run.info.instant_solutions, 0);
  assert_int_equal(run.info.alternatives, 1); // the step has one: an impulse
  assert_true(run.info.impulse);
  assert_int_equal(asp_world_warning_count(run.world), 1);
  const char *text = asp_world_warning(run.world, 0);
  assert_non_null(strstr(text, "no accelerations agree"));
  assert_non_null(strstr(text, "board/rod, A = -0.198557, b = -1"));
  scene_close(&run);
}

/* The rules are in force unless a scene says otherwise, and the rest of a run knows of them. */
static void episode_is_kept_with_contact_A_and_b(void **state) {
  (void)state;
  AspRunOptions options = asp_run_default_options();
  assert_int_equal(options.selection, ASP_SELECT_PAINLEVE);
  assert_true(options.watch);
  SceneRun run;
  scene_open(&run, "painleve-three-solutions", 0.01);
  while (scene_step(&run))
    assert_false(run.info.impulse); // it opens: no impulse
  assert_int_equal(asp_world_episode_count(run.world), 1);
  const AspEpisode *episode = asp_world_episodes(run.world);
  assert_int_equal(episode->solutions, 2);
  assert_int_equal(episode->instants, 1);
  assert_int_equal(episode->blocks, 1);
  assert_int_equal(episode->block[0].joint, -1);
  assert_near(episode->from, 0, 0);
  assert_near(episode->A[0], -0.1985571585149868, 1e-12);
  assert_near(episode->b[0], 1.5, 1e-12);
  scene_close(&run);
}

/* Of the same three solutions: where the step takes the one that finite forces do not give, it is marked. */
static void larger_impulse_than_finite_forces_give_is_marked(void **state) {
  (void)state;
  SceneRun run;
  open_with(&run, "painleve-three-solutions", 0.01, ASP_SELECT_ENERGY);
  assert_true(scene_step(&run));
  assert_true(run.info.impulse);
  scene_close(&run);
}

/* A = 0 at t = 0.81455 s: seen at the first step after it. */
static void rod_that_slides_into_the_paradox_is_noticed_to_the_step(void **state) {
  (void)state;
  const double steps[] = {1e-2, 1e-3, 2e-4};
  for (int i = 0; i < 3; i++) {
    SceneRun run;
    double dt = steps[i], noticed = NAN;
    open_with(&run, "painleve-slides-into-paradox", dt, ASP_SELECT_PAINLEVE);
    while (isnan(noticed) && scene_step(&run))
      if (run.info.instant_solutions == 0 || run.info.instant_solutions > 1)
        noticed = run.info.t - run.info.dt;
    assert_near(noticed, 0.81455, dt);
    scene_close(&run);
  }
}

static void ordinary_scene_has_one_solution_at_every_instant(void **state) {
  (void)state;
  SceneRun run;
  open_with(&run, "sphere-slides-then-rolls", 0, ASP_SELECT_PAINLEVE);
  while (scene_step(&run)) {
    assert_int_equal(run.info.instant_solutions, 1);
    assert_int_equal(run.info.alternatives, 1);
  }
  assert_int_equal(asp_world_warning_count(run.world), 0);
  scene_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rule_picks_among_three_solutions),
      cmocka_unit_test(instant_without_solution_is_named_with_its_contact),
      cmocka_unit_test(episode_is_kept_with_contact_A_and_b),
      cmocka_unit_test(larger_impulse_than_finite_forces_give_is_marked),
      cmocka_unit_test(rod_that_slides_into_the_paradox_is_noticed_to_the_step),
      cmocka_unit_test(ordinary_scene_has_one_solution_at_every_instant),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
