/* The balance of energy and momentum against closed forms: friction work mu m g s, impact loss (1 - e^2) m v^2 / 2,
 * motor work, spring and damper, prescribed motion; and the remainder's order where nothing is lost. */
#include "linalg/vec3.h"
#include "scene_runner.h"

typedef struct Total {
  double start, end; /* energy, J */
  AspEnergyFlow flow;
  double momentum_remainder, angular_remainder; /* largest over the steps */
  double identity;                              /* largest violation of the balance's own equation, J */
} Total;

static double sum_of(const AspEnergy *energy) { return energy->kinetic + energy->gravitational + energy->elastic; }

static void add_step(Total *total, const AspStepInfo *info) {
  const AspEnergyFlow *flow = &info->flow;
  double before = total->end;
  total->end = sum_of(&info->energy);
  double explained = flow->motors + flow->forces - flow->friction - flow->impacts - flow->joints - flow->damping;
  total->identity = fmax(total->identity, fabs(total->end - before - explained - flow->remainder));
  total->flow.motors += flow->motors;
  total->flow.forces += flow->forces;
  total->flow.friction += flow->friction;
  total->flow.impacts += flow->impacts;
  total->flow.joints += flow->joints;
  total->flow.damping += flow->damping;
  total->flow.remainder += flow->remainder;
  total->momentum_remainder = fmax(total->momentum_remainder, norm3(info->momentum.linear_remainder));
  total->angular_remainder = fmax(total->angular_remainder, norm3(info->momentum.angular_remainder));
}

/* The scene to its end; `run` stays open. */
static Total run_text(SceneRun *run, const char *text) {
  scene_open_text(run, text);
  AspEnergy energy = asp_model_energy(run->scene.model, asp_world_state(run->world));
  Total total = {.start = sum_of(&energy), .end = sum_of(&energy)};
  while (scene_step(run))
    add_step(&total, &run->info);
  assert_int_equal(run->uncertified, 0);
  assert_at_most(total.identity, 1e-12 * (1 + fabs(total.start)));
  return total;
}

static void sliding_block_loses_mu_m_g_s_to_friction(void **state) {
  (void)state;
  SceneRun run;
  Total total =
      run_text(&run, "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.3}],"
                     " \"bodies\": [{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]},"
                     " {\"name\": \"block\", \"mass\": 2, \"position\": [0, 0, 0.1], \"velocity\": [2.4, 1.8, 0],"
                     "  \"shapes\": [{\"type\": \"box\", \"size\": [0.4, 0.4, 0.2]}]}],"
                     " \"run\": {\"dt\": 0.01, \"until\": 1, \"tolerance\": 1e-11}}");
  AspVec3 way = scene_position(&run, "block"); // it slides for 1.019 s
  assert_near(total.flow.friction, 0.3 * 2 * 9.81 * hypot(way.x, way.y), 1e-8);
  assert_near(total.flow.friction, 9 - pow(3 - 0.3 * 9.81, 2), 1e-8); // what m v^2 / 2 lost
  assert_near(total.flow.impacts, 0, 1e-9);
  assert_near(total.flow.remainder, 0, 1e-9);
  assert_at_most(total.momentum_remainder, 1e-10);
  assert_at_most(total.angular_remainder, 1e-10);
  scene_close(&run);
}

static void bounce_loses_what_restitution_does_not_give_back(void **state) {
  (void)state;
  // without gravity the impact is alone: loss (1 - e^2) m v^2 / 2
  SceneRun run;
  Total total =
      run_text(&run, "{\"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0, \"restitution\": 0.6}],"
                     " \"bodies\": [{\"name\": \"wall\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]},"
                     " {\"name\": \"ball\", \"mass\": 3, \"position\": [0, 0, 0.55], \"velocity\": [1, 0, -2],"
                     "  \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1}]}],"
                     " \"run\": {\"dt\": 0.01, \"until\": 0.5, \"tolerance\": 1e-12}}");
  assert_near(scene_velocity(&run, "ball").z, 1.2, 1e-10);
  assert_near(total.flow.impacts, (1 - 0.36) * 0.5 * 3 * 4, 1e-9);
  assert_near(total.flow.remainder, 0, 1e-10);
  assert_at_most(total.momentum_remainder, 1e-10);
  scene_close(&run);
}

static void motor_puts_in_what_kinetic_energy_and_dry_friction_take(void **state) {
  (void)state;
  // spins a rotor of J = 2 kg m^2 up to 3 rad/s with 5 N m against 1 N m of dry friction
  SceneRun run;
  Total total = run_text(
      &run, "{\"bodies\": [{\"name\": \"base\", \"fixed\": true},"
            " {\"name\": \"rotor\", \"mass\": 1, \"inertia\": [2, 2, 2]}],"
            " \"joints\": [{\"name\": \"axle\", \"type\": \"revolute\", \"bodies\": [\"base\", \"rotor\"], \"point\": "
            "[0, 0, 0], \"axis\": [0, 0, 1], \"friction\": 1, \"motor\": {\"velocity\": 3, \"effort\": 5}}],"
            " \"run\": {\"dt\": 0.01, \"until\": 4, \"tolerance\": 1e-12}}");
  double turned = scene_joint(&run, "axle")->coordinate;
  assert_near(turned, 0.5 * 3 * 1.5 + 3 * 2.5, 1e-9); // alpha = 2 rad/s^2 for 1.5 s
  assert_near(total.flow.joints, turned, 1e-9);
  assert_near(total.flow.motors, 0.5 * 2 * 9 + turned, 1e-9);
  assert_near(total.flow.remainder, 0, 1e-9);
  scene_close(&run);
}

static void dampers_and_forces_take_and_give_their_work(void **state) {
  (void)state;
  // pulled with 6 N against a damper of 3 N s/m: v = 2 (1 - exp(-3 t / m))
  SceneRun run;
  Total total = run_text(&run, "{\"bodies\": [{\"name\": \"base\", \"fixed\": true}, {\"name\": \"cart\", \"mass\": "
                               "1.5, \"inertia\": [1, 1, 1]}],"
                               " \"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"bodies\": [\"base\", "
                               "\"cart\"], \"axis\": [1, 0, 0], "
                               "\"spring\": {\"damping\": 3}}],"
                               " \"forces\": [{\"type\": \"force\", \"body\": \"cart\", \"force\": [6, 0, 0]}],"
                               " \"run\": {\"dt\": 0.002, \"until\": 2, \"tolerance\": 1e-12}}");
  double x = scene_position(&run, "cart").x, v = scene_velocity(&run, "cart").x;
  double exact_x = 2 * 2 - (1 - exp(-4)), damped = 6 * exact_x - 0.75 * 4 * (1 - exp(-4)) * (1 - exp(-4));
  assert_near(x, exact_x, 5e-3);
  assert_near(total.flow.forces, 6 * x, 1e-9);
  assert_near(total.flow.damping, damped, 2e-2);
  assert_near(total.flow.remainder, 0.75 * v * v - total.flow.forces + total.flow.damping, 1e-9);
  assert_near(total.flow.remainder, 0, 2e-2); // first order: the damper is taken at the start of the step
  scene_close(&run);
}

static void moving_floor_puts_energy_into_what_it_carries(void **state) {
  (void)state;
  // belt at 1 m/s under a block of 2 kg, mu = 0.4: the belt gives m v^2, half of it is lost to friction
  SceneRun run;
  Total total = run_text(
      &run, "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.4}],"
            " \"bodies\": [{\"name\": \"belt\", \"motion\": {\"position\": [\"t\", 0, 0]}, \"shapes\": [{\"type\": "
            "\"half-space\"}]},"
            " {\"name\": \"block\", \"mass\": 2, \"position\": [0, 0, 0.1], \"shapes\": [{\"type\": \"box\", \"size\": "
            "[0.4, 0.4, 0.2]}]}], \"run\": {\"dt\": 0.01, \"until\": 1, \"tolerance\": 1e-11}}");
  assert_near(scene_velocity(&run, "block").x, 1, 1e-8);
  assert_near(total.flow.motors, 2, 1e-7);
  assert_near(total.flow.friction, 1, 1e-7);
  assert_near(total.flow.remainder, 0, 1e-8);
  scene_close(&run);
}

/* Largest |energy - initial| of a pendulum, all of it remainder. */
static double pendulum_remainder(double dt) {
  char text[1024];
  snprintf(
      text, sizeof text,
      "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"base\", \"fixed\": true},"
      " {\"name\": \"bob\", \"mass\": 1, \"inertia\": 0.1, \"position\": [1, 0]}],"
      " \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"bodies\": [\"base\", \"bob\"], \"point\": [0, "
      "0]}], \"run\": {\"dt\": %g, \"until\": 2, \"tolerance\": 1e-12}}",
      dt);
  SceneRun run;
  scene_open_text(&run, text);
  double sum = 0, worst = 0;
  while (scene_step(&run)) {
    const AspEnergyFlow *flow = &run.info.flow;
    assert_near(fabs(flow->friction) + fabs(flow->impacts) + fabs(flow->joints) + fabs(flow->motors), 0, 0);
    sum += flow->remainder;
    assert_near(sum, sum_of(&run.info.energy), 1e-10);
    worst = fmax(worst, fabs(sum));
  }
  scene_close(&run);
  return worst;
}

static void pendulum_has_nothing_but_a_remainder_of_second_order(void **state) {
  (void)state;
  double coarse = pendulum_remainder(0.01), fine = pendulum_remainder(0.005), finer = pendulum_remainder(0.0025);
  print_message("remainder %.2e, %.2e, %.2e: orders %.2f, %.2f\n", coarse, fine, finer, log2(coarse / fine),
                log2(fine / finer));
  assert_at_most(coarse, 1e-2);
  assert_true(log2(coarse / fine) > 1.8);
  assert_true(log2(fine / finer) > 1.8);
}

static void flying_bodies_that_collide_keep_momentum(void **state) {
  (void)state;
  SceneRun run;
  Total total = run_text(
      &run,
      "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.5, "
      "\"restitution\": 0.3}],"
      " \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"position\": [-1, 0, 0], \"velocity\": [3, 0, 4], "
      "\"angular_velocity\": [0, 5, 1], \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.3}]},"
      " {\"name\": \"b\", \"mass\": 2, \"position\": [1, 0.2, 0.1], \"velocity\": [-1, 0, 4], \"shapes\": "
      "[{\"type\": \"sphere\", \"radius\": 0.3}]}], \"run\": {\"dt\": 0.01, \"until\": 0.8, \"tolerance\": 1e-12}}");
  AspVec3 p = run.info.momentum.linear;
  assert_near(p.x, 1, 1e-10);
  assert_near(p.y, 0, 1e-10);
  assert_near(p.z, 3 * (4 - 9.81 * 0.8), 1e-10);
  assert_true(total.flow.impacts > 0.5 && total.flow.friction > 0.01);
  assert_at_most(total.momentum_remainder, 1e-11);
  // forces meet at two witness points that are a gap apart: a torque of gap times impulse
  assert_at_most(total.angular_remainder, 0.1);
  scene_close(&run);
}

/* A constant force on a slider that meets its stop after 0.1 m, at every part of a step. */
static void forces_do_the_work_of_the_way_where_a_stop_is_hit(void **state) {
  (void)state;
  for (int i = 0; i < 6; i++) {
    char text[512];
    snprintf(
        text, sizeof text,
        "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"b\", \"mass\": 0.1, \"inertia\": 1e-4}],"
        " \"joints\": [{\"type\": \"prismatic\", \"bodies\": [\"world\", \"b\"], \"axis\": [0.6, 0.8],"
        " \"limits\": [-1, 0.1]}], \"forces\": [{\"type\": \"force\", \"body\": \"b\", \"force\": [0, 40]}],"
        " \"run\": {\"dt\": %.17g, \"until\": 0.2}}",
        0.005 + 0.0004 * i);
    SceneRun run;
    Total total = run_text(&run, text);
    assert_near(total.flow.forces, 40 * 0.08, 1e-4); // within the force's own step at the start
    assert_near(total.flow.impacts, (40 - 0.981) * 0.08, 1e-2);
    assert_near(total.flow.remainder, 0, 1e-9);
    scene_close(&run);
  }
}

/* Its velocity is the mean of a step: taken with the height in the middle of the step, energy neither comes nor goes. */
static void pendulum_by_stewart_trinkle_keeps_its_energy_to_second_order(void **state) {
  (void)state;
  double most[2];
  for (int k = 0; k < 2; k++) {
    char text[512];
    snprintf(
        text, sizeof text,
        "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": 0.01,"
        " \"position\": [0.25, 0]}], \"joints\": [{\"type\": \"revolute\", \"bodies\": [\"world\", \"b\"],"
        " \"point\": [0, 0]}], \"run\": {\"scheme\": \"stewart-trinkle\", \"dt\": %g, \"until\": 2}}",
        k == 0 ? 0.004 : 0.002);
    SceneRun run;
    scene_open_text(&run, text);
    most[k] = 0;
    while (scene_step(&run))
      most[k] = fmax(most[k], fabs(sum_of(&run.info.energy)));
    scene_close(&run);
  }
  assert_at_most(most[0], 2e-3 * 9.81 * 0.25); // 0.014 at the end of each step
  assert_true(most[0] > 3.5 * most[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sliding_block_loses_mu_m_g_s_to_friction),
      cmocka_unit_test(bounce_loses_what_restitution_does_not_give_back),
      cmocka_unit_test(motor_puts_in_what_kinetic_energy_and_dry_friction_take),
      cmocka_unit_test(dampers_and_forces_take_and_give_their_work),
      cmocka_unit_test(moving_floor_puts_energy_into_what_it_carries),
      cmocka_unit_test(pendulum_has_nothing_but_a_remainder_of_second_order),
      cmocka_unit_test(flying_bodies_that_collide_keep_momentum),
      cmocka_unit_test(forces_do_the_work_of_the_way_where_a_stop_is_hit),
      cmocka_unit_test(pendulum_by_stewart_trinkle_keeps_its_energy_to_second_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
