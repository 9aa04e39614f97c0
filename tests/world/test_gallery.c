/* The gallery: every scene runs briefly, every step certified and resolved, and shows its physical
 * point. Whole runs: scenes/gallery/README.md. */
#include "linalg/vec3.h"
#include "scene_runner.h"

static void open_scene(SceneRun *run, const char *name, double until) {
  char path[128];
  snprintf(path, sizeof path, "gallery/%s", name);
  scene_open(run, path, 0);
  asp_world_destroy(run->world);
  run->scene.run.until = until;
  assert_ok(run->context, asp_world_create(run->context, run->scene.model, &run->scene.run, &run->world));
}

static void assert_trusted(const SceneRun *run) {
  assert_int_equal(run->uncertified, 0);
  assert_int_equal(run->unresolved, 0);
}

static void finish(SceneRun *run) {
  while (scene_step(run)) {
  }
  assert_trusted(run);
}

/* Largest way that a body went from where it began. */
static double largest_move(const SceneRun *run) {
  const AspModel *model = run->scene.model;
  AspState start;
  assert_ok(run->context, asp_state_create(model, &start));
  double largest = 0;
  for (int body = 0; body < asp_model_body_count(model); body++)
    largest = fmax(largest, norm3(sub3(asp_state_pose(model, asp_world_state(run->world), body).position,
                                       asp_state_pose(model, &start, body).position)));
  asp_state_destroy(model, &start);
  return largest;
}

/* Cosine between a body's own z axis and the vertical. */
static double upright(const SceneRun *run, const char *name) {
  AspQuat q = asp_state_pose(run->scene.model, asp_world_state(run->world), scene_body(run, name)).orientation;
  return quat_rotate(q, vec3(0, 0, 1)).z;
}

static void structures_stand_where_they_were_built(void **state) {
  (void)state;
  const char *names[] = {"arch", "card-house", "kapla-tower"};
  for (int i = 0; i < 3; i++) {
    SceneRun run;
    open_scene(&run, names[i], 0.3);
    finish(&run);
    assert_at_most(largest_move(&run), 2e-7);
    assert_at_most(run.info.penetration, 1e-7);
    scene_close(&run);
  }
}

/* Thrust of the arch at its feet: outwards, equal on both sides, carried by friction; together they
 * carry the weight. */
static void arch_pushes_its_feet_apart(void **state) {
  (void)state;
  SceneRun run;
  open_scene(&run, "arch", 0.1);
  finish(&run);
  double weight = 0, lift = 0, thrust[2] = {0, 0};
  for (int body = 0; body < asp_model_body_count(run.scene.model); body++)
    weight += 9.81 * asp_model_body_mass(run.scene.model, body) *
              (asp_model_body_kind(run.scene.model, body) == ASP_BODY_DYNAMIC);
  for (int i = 0; i < asp_world_contact_count(run.world); i++) {
    const AspContactRecord *contact = &asp_world_contacts(run.world)[i];
    if (contact->body_a != 0 && contact->body_b != 0)
      continue;
    AspVec3 force =
        scale3((contact->body_a == 0 ? 1 : -1) / run.info.dt,
               add3(scale3(contact->impulse[0], contact->normal),
                    add3(scale3(contact->impulse[1], contact->t1), scale3(contact->impulse[2], contact->t2))));
    lift += force.z;
    thrust[contact->point.x > 0] += force.x;
  }
  assert_near(lift / weight, 1, 1e-6);
  assert_near((thrust[0] + thrust[1]) / weight, 0, 1e-6);
  assert_true(thrust[0] / weight > 0.1 && thrust[0] / weight < 0.35); // inwards on the left foot
  scene_close(&run);
}

static void ladder_slips_when_the_climber_is_too_high(void **state) {
  (void)state;
  // 0.5 (t - 0.25) = 4 m (mu (m + M) / tan(30 deg) - m / 2) / M = 2.5311 m: 5.312 s
  SceneRun run;
  open_scene(&run, "ladder", 6);
  double slipped = 0;
  while (scene_step(&run))
    if (slipped == 0 && fabs(scene_velocity(&run, "ladder").x) > 1e-4)
      slipped = run.info.t;
  assert_near(slipped, 5.312, 0.03);
  assert_trusted(&run);
  scene_close(&run);
}

static void dominoes_fall_one_after_the_other(void **state) {
  (void)state;
  SceneRun run;
  open_scene(&run, "domino-run", 0.6);
  double fell[31] = {0};
  while (scene_step(&run))
    for (int i = 1; i <= 30; i++) {
      char name[32];
      snprintf(name, sizeof name, "domino %d", i);
      if (fell[i] == 0 && upright(&run, name) < cos(0.25))
        fell[i] = run.info.t;
    }
  assert_trusted(&run);
  int count = 0;
  for (int i = 1; i <= 30 && fell[i] > 0; i++, count++)
    assert_true(i == 1 || fell[i] > fell[i - 1]);
  assert_true(count >= 8);
  // a steady pace: the time from one to the next settles
  double first = fell[4] - fell[3], last = fell[count] - fell[count - 1];
  assert_true(last > 0.4 * first && last < 1.5 * first);
  scene_close(&run);
}

static void gripper_lifts_the_capsule_and_holds_it_still(void **state) {
  (void)state;
  SceneRun run;
  open_scene(&run, "gripper", 3);
  double held = 0;
  while (scene_step(&run)) {
    if (run.info.t > 1.6 && held == 0)
      held = scene_position(&run, "capsule").z;
  }
  assert_trusted(&run);
  assert_near(scene_position(&run, "capsule").z, 0.054, 1e-4); // the lift itself is of the order of the step
  assert_near(scene_position(&run, "capsule").z, held, 1e-9);  // then nothing moves
  assert_at_most(norm3(scene_velocity(&run, "capsule")), 1e-10);
  scene_close(&run);
}

static void balls_come_to_rest_as_a_heap(void **state) {
  (void)state;
  SceneRun run;
  open_scene(&run, "granular-pile", 0.3);
  finish(&run);
  double top = 0;
  for (int body = 1; body < asp_model_body_count(run.scene.model); body++) {
    AspVec3 p = asp_state_pose(run.scene.model, asp_world_state(run.world), body).position;
    top = fmax(top, p.z);
    assert_true(p.z > 0.04); // none sinks into the ground
  }
  assert_true(run.info.flow.friction > 0 && run.info.flow.impacts > 0);
  assert_true(top < 1.02 - 0.3); // 0.5 g t^2 = 0.44 m of fall, less what the heap holds up
  scene_close(&run);
}

static void break_keeps_momentum_until_the_cushions_and_never_gains_energy(void **state) {
  (void)state;
  SceneRun run;
  open_scene(&run, "billiard-break", 0.3);
  double energy = 1e9;
  int moving = 0;
  while (scene_step(&run)) {
    double now = run.info.energy.kinetic + run.info.energy.gravitational;
    assert_true(now <= energy + 2e-5 * 4.9);
    energy = now;
  }
  assert_trusted(&run);
  for (int body = 2; body < 17; body++) {
    char name[32];
    snprintf(name, sizeof name, "ball %d", body - 1);
    moving += norm3(scene_velocity(&run, name)) > 0.05;
  }
  assert_true(moving >= 9); // event-driven: 12; steps of 10 us: 9, others of the rack at up to 0.03 m/s
  // only the cloth's friction, at most mu m g per ball, brakes
  assert_true(run.info.momentum.linear.x > 0.17 * 7 - 16 * 0.2 * 0.17 * 9.81 * 0.3);
  scene_close(&run);
}

static void ball_breaks_the_wall(void **state) {
  (void)state;
  SceneRun run;
  open_scene(&run, "brick-wall", 0.08);
  finish(&run);
  assert_true(scene_velocity(&run, "ball").y < 7); // it has given momentum to the bricks
  assert_true(run.info.momentum.linear.y > 0.9 * 15 * 8);
  assert_at_most(scene_position(&run, "brick 1.1").z, 0.0356); // the foot of the wall stays on the floor
  scene_close(&run);
}

/* The scene with another number in place of every `old`, which has as many letters. */
static void open_changed(SceneRun *run, const char *name, const char *old, const char *new) {
  open_scene(run, name, 1);
  size_t bytes = strlen(run->scene.text) + 1;
  char *text = malloc(bytes);
  assert_non_null(text);
  memcpy(text, run->scene.text, bytes);
  scene_close(run);
  assert_int_equal(strlen(old), strlen(new));
  int changed = 0;
  for (char *at = strstr(text, old); at; at = strstr(at + 1, old), changed++)
    memcpy(at, new, strlen(new));
  assert_true(changed > 0);
  scene_open_text(run, text);
  free(text);
}

static void wedge_stays_when_let_go_where_friction_says_so(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) { // the limit is mu = tan(10 deg) = 0.176
    SceneRun run;
    open_changed(&run, "wedge-jam", "\"friction\": 0.3", i == 0 ? "\"friction\": 0.3" : "\"friction\": 0.1");
    double driven = 0, start = scene_position(&run, "wedge").y;
    while (scene_step(&run))
      if (run.info.t < 1.0001)
        driven = scene_position(&run, "wedge").y;
    double left = scene_position(&run, "wedge").y;
    assert_true(driven < start - 0.05);
    if (i == 0)
      assert_near(left, driven, 1e-7);
    else
      assert_true(left > start - 0.01);
    assert_trusted(&run);
    scene_close(&run);
  }
}

static void woodpecker_walks_down_with_a_steady_period(void **state) {
  (void)state;
  SceneRun run;
  open_scene(&run, "woodpecker", 1.1);
  double rate = 0, last = 0, period[16], down[16], height = 0;
  int beats = 0;
  while (scene_step(&run)) {
    double now = scene_angular_velocity(&run, "woodpecker").z;
    if (rate > 1 && now < rate - 2) { // the beak strikes
      if (last > 0 && beats < 16) {
        period[beats] = run.info.t - last;
        down[beats++] = height - scene_position(&run, "sleeve").y;
      }
      last = run.info.t;
      height = scene_position(&run, "sleeve").y;
    }
    rate = now;
  }
  assert_trusted(&run);
  assert_true(beats >= 6);
  double beat = 0, way = 0; // of the cycle, after the way into it
  for (int i = 3; i < beats; i++) {
    beat += period[i] / (beats - 3);
    way += down[i] / (beats - 3);
  }
  for (int i = 3; i < beats; i++) {
    assert_near(period[i], beat, 0.01 * beat);
    assert_near(down[i], way, 0.02 * way);
  }
  assert_near(beat, 0.1258, 0.01 * 0.1258); // dt 2.5e-5 s
  assert_near(way, 0.00756, 0.02 * 0.00756);
  scene_close(&run);
}

/* Velocities right after the first hit, over that of the ball that came; string 0.5 m, so 30 degrees give 1.147 m/s. */
static void cradle_shows_what_each_impact_law_says(void **state) {
  (void)state;
  const double after[][5] = {{-0.6, 0.4, 0.4, 0.4, 0.4}, {-0.6, 0.4, 0.4, 0.4, 0.4}, {0, 0, 0, 0, 1}};
  for (int law = 0; law < 3; law++) {
    SceneRun run;
    open_scene(&run, "newtons-cradle", 0.45);
    asp_world_destroy(run.world);
    run.scene.run.impact = law; // newton, poisson, sequential
    assert_ok(run.context, asp_world_create(run.context, run.scene.model, &run.scene.run, &run.world));
    double speed = 0;
    while (scene_step(&run) && run.info.flow.impacts == 0 && scene_velocity(&run, "ball 5").x < 0.1)
      speed = scene_velocity(&run, "ball 1").x;
    assert_near(speed, sqrt(2 * 9.81 * 0.5 * (1 - cos(asin(1) / 3))), 5e-3);
    for (int ball = 0; ball < 5; ball++) {
      char name[32];
      snprintf(name, sizeof name, "ball %d", ball + 1);
      assert_near(scene_velocity(&run, name).x / speed, after[law][ball], 5e-3);
    }
    assert_trusted(&run);
    scene_close(&run);
  }
}

static void cradle_swings_one_in_one_out(void **state) {
  (void)state;
  SceneRun run;
  open_scene(&run, "newtons-cradle", 2.2);
  double highest[2] = {-1, -1}; // of the outer balls, in their first swings out
  while (scene_step(&run)) {
    highest[0] = run.info.t > 0.8 ? fmax(highest[0], scene_position(&run, "ball 1").y) : highest[0];
    highest[1] = fmax(highest[1], scene_position(&run, "ball 5").y);
    assert_at_most(fabs(scene_velocity(&run, "ball 3").x), 0.02 + (run.info.flow.impacts != 0) * 2);
  }
  assert_near(highest[1], -0.5 * cos(asin(1) / 3), 2e-3);
  assert_near(highest[0], -0.5 * cos(asin(1) / 3), 2e-3);
  assert_trusted(&run);
  scene_close(&run);
}

/* Cosine between the axis of a cup in the plane and the vertical: 1 with the round end below. */
static double cup_upright(const SceneRun *run, const char *name) {
  return cos(asp_world_state(run->world)->q[3 * scene_body(run, name) + 2]);
}

static void feeder_turns_the_cups_round_end_below(void **state) {
  (void)state;
  SceneRun run;
  open_scene(&run, "parts-feeder", 1.5);
  assert_near(cup_upright(&run, "cup open below"), -1, 1e-12);
  assert_near(cup_upright(&run, "cup open above"), 1, 1e-12);
  finish(&run);
  assert_true(cup_upright(&run, "cup open below") > 0.9 && cup_upright(&run, "cup open above") > 0.9);
  assert_true(scene_position(&run, "cup open below").y < -0.25 && scene_position(&run, "cup open above").y < -0.25);
  scene_close(&run);
}

/* Spun at 180 rad/s it stands on its stem after 1.47 s at dt = 1e-3 and after 1.45 s at 1e-4; the stem's contact lifts
 * the centre of mass from 12 to 21 mm. */
static void tippe_top_turns_over(void **state) {
  (void)state;
  SceneRun run;
  open_scene(&run, "tippe-top", 2);
  double turned = 0, highest = 0;
  while (scene_step(&run)) {
    if (turned == 0 && upright(&run, "top") < -0.9)
      turned = run.info.t;
    highest = fmax(highest, scene_position(&run, "top").z);
  }
  assert_near(turned, 1.447, 0.05 * 1.447);
  assert_near(highest, 0.016 + 0.005, 1e-4);
  assert_true(upright(&run, "top") < -0.9);
  assert_trusted(&run);
  scene_close(&run);
}

/* The foot touches, slips backwards as the leg bends, then forwards; percussions lie on the cone while it slips. */
static void hopper_slips_forth_and_back_on_its_blade(void **state) {
  (void)state;
  double forth = 0, back = 0;
  SceneRun run;
  open_scene(&run, "guided-hopper", 0.2);
  while (scene_step(&run)) {
    assert_at_most(run.info.penetration, 1e-12);
    assert_at_most(run.info.joint_drift, 1e-11);
    for (int i = 0; i < asp_world_contact_count(run.world); i++) {
      const double *p = asp_world_contacts(run.world)[i].impulse;
      assert_at_most(fabs(p[1]), 0.1 * p[0] + 1e-12);
      forth += p[1] > 0 ? p[1] : 0;
      back += p[1] < 0 ? -p[1] : 0;
    }
  }
  assert_trusted(&run);
  assert_in_range((uintmax_t)(100 * forth), 80, 100); // 0.1 P_N until near 0.147 s, then -0.1 P_N; P_N is 16.4 N s
  assert_in_range((uintmax_t)(100 * back), 60, 80);
  scene_close(&run);
}

/* The board bends as its stiffness says: the ball's fall from 0.6 m less what the impact takes, against 3 E I/a^3
 * at 1.8 m, and back: the ball flies. */
static void diving_board_throws_the_ball_up(void **state) {
  (void)state;
  SceneRun run;
  double lowest = 0, highest = -1;
  open_scene(&run, "diving-board", 0.85);
  while (scene_step(&run)) {
    lowest = fmin(lowest, scene_position(&run, "board.end").y);
    if (run.info.t > 0.5)
      highest = fmax(highest, scene_position(&run, "ball").y);
  }
  assert_trusted(&run);
  assert_near(lowest, -0.144, 0.003);
  assert_near(highest, 0.428, 0.01); // generalized-alpha has it at 0.4283
  scene_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(diving_board_throws_the_ball_up),
      cmocka_unit_test(structures_stand_where_they_were_built),
      cmocka_unit_test(arch_pushes_its_feet_apart),
      cmocka_unit_test(ladder_slips_when_the_climber_is_too_high),
      cmocka_unit_test(dominoes_fall_one_after_the_other),
      cmocka_unit_test(gripper_lifts_the_capsule_and_holds_it_still),
      cmocka_unit_test(balls_come_to_rest_as_a_heap),
      cmocka_unit_test(break_keeps_momentum_until_the_cushions_and_never_gains_energy),
      cmocka_unit_test(ball_breaks_the_wall),
      cmocka_unit_test(wedge_stays_when_let_go_where_friction_says_so),
      cmocka_unit_test(cradle_shows_what_each_impact_law_says),
      cmocka_unit_test(cradle_swings_one_in_one_out),
      cmocka_unit_test(feeder_turns_the_cups_round_end_below),
      cmocka_unit_test(tippe_top_turns_over),
      cmocka_unit_test(woodpecker_walks_down_with_a_steady_period),
      cmocka_unit_test(hopper_slips_forth_and_back_on_its_blade),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
