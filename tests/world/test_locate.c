/* Events inside a step that are located by making it in parts (option `locate`). */
#include "base/constants.h"
#include "linalg/vec3.h"
#include "scene_runner.h"

/* A box on a table that shakes faster than friction can follow: its slip turns round within steps. */
static const char shaken[] =
    "{\"dimension\": 2, \"gravity\": [0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.1}],"
    " \"bodies\": [{\"name\": \"table\", \"motion\": {\"position\": [\"0.01*sin(60*t)\", \"0\"]},"
    " \"shapes\": [{\"type\": \"half-plane\"}]},"
    " {\"name\": \"box\", \"mass\": 1, \"position\": [0, 0.05], \"velocity\": [%g, 0],"
    " \"shapes\": [{\"type\": \"box\", \"size\": [0.2, 0.1]}]}],"
    " \"run\": {\"dt\": %g, \"until\": 0.4, \"locate\": %g, \"scheme\": \"%s\"}}";

typedef struct Ridden {
  double x, impulse, velocity;
  int64_t steps, divided;
} Ridden;

static Ridden ride_from(double speed, double dt, double locate) {
  char text[1024];
  SceneRun run;
  Ridden ridden = {0};
  snprintf(text, sizeof text, shaken, speed, dt, locate, "moreau-jean");
  scene_open_text(&run, text);
  while (scene_step(&run)) {
    assert_near(run.info.dt, dt, 1e-12);
    ridden.steps++;
    ridden.divided += run.info.parts > 1;
    for (int i = 0; i < asp_world_contact_count(run.world); i++)
      ridden.impulse += run.info.dt * asp_world_contacts(run.world)[i].force.x;
  }
  const AspState *end = asp_world_state(run.world);
  ridden.x = asp_state_pose(run.scene.model, end, 1).position.x;
  ridden.velocity = asp_state_velocity(run.scene.model, end, 1).x;
  scene_close(&run);
  return ridden;
}

static Ridden ride(double dt, double locate) { return ride_from(0.3, dt, locate); }

static void slip_that_turns_within_a_step_is_followed(void **state) {
  (void)state;
  Ridden exact = ride(1e-4, 0), plain = ride(1e-3, 0), located = ride(1e-3, 0.005);
  assert_int_equal(located.steps, plain.steps);
  assert_int_equal(plain.divided, 0);
  assert_true(located.divided > 0);
  assert_at_most(fabs(located.x - exact.x), 0.25 * fabs(plain.x - exact.x));
}

/* Twelve starts, so that slip turns in every part of a step: the steps end there, and the error is of second order. */
static void slip_that_turns_anywhere_in_a_step_ends_it_there(void **state) {
  (void)state;
  double most[2] = {0, 0}, plainly = 0;
  for (int i = 0; i < 12; i++) {
    double speed = 0.2 + 0.017 * i, exact = ride_from(speed, 2.5e-5, 0.05).x;
    for (int k = 0; k < 2; k++)
      most[k] = fmax(most[k], fabs(ride_from(speed, k == 0 ? 1e-3 : 5e-4, 0.05).x - exact));
    plainly = fmax(plainly, fabs(ride_from(speed, 1e-3, 0).x - exact));
  }
  print_message("slip that turns: off by %.2e, %.2e m; plain steps %.2e\n", most[0], most[1], plainly);
  assert_at_most(most[0], 0.5 * plainly);
  assert_at_most(most[1], 0.4 * most[0]);
}

static void forces_of_a_divided_step_are_means_over_all_of_it(void **state) {
  (void)state;
  Ridden located = ride(0.01, 0.05);
  assert_true(located.divided > 0);
  assert_near(located.impulse, located.velocity - 0.3, 1e-9);
}

/* A world that is saved between two divided steps goes on to the same bits. */
static void save_between_divided_steps(const char *scheme) {
  char text[1024];
  SceneRun run, other;
  snprintf(text, sizeof text, shaken, 0.3, 0.01, 0.05, scheme);
  scene_open_text(&run, text);
  for (int i = 0; i < 15; i++)
    assert_true(scene_step(&run));
  size_t size = 0, written = 0;
  assert_ok(run.context, asp_world_save(run.world, NULL, 0, &size));
  void *bytes = malloc(size);
  assert_ok(run.context, asp_world_save(run.world, bytes, size, &written));
  scene_open_text(&other, text);
  assert_ok(other.context, asp_world_restore(other.world, bytes, size));
  free(bytes);
  for (int i = 0; i < 10; i++) {
    assert_true(scene_step(&run) && scene_step(&other));
    assert_true(run.info.parts == other.info.parts);
    for (int k = 0; k < asp_model_q_size(run.scene.model); k++)
      assert_true(asp_world_state(run.world)->q[k] == asp_world_state(other.world)->q[k]);
  }
  scene_close(&other);
  scene_close(&run);
}

static void saved_between_divided_steps_it_goes_on_the_same_way(void **state) {
  (void)state;
  save_between_divided_steps("moreau-jean");
  save_between_divided_steps("generalized-alpha");
}

/* A pendulum on a stiff spring: parts would resolve what the whole step damps, and gain energy. */
static void springs_that_the_step_does_not_resolve_gain_no_energy(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run,
                  "{\"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"base\", \"fixed\": true},"
                  " {\"name\": \"bob\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [1, 0, 0]}],"
                  " \"forces\": [{\"type\": \"spring\", \"bodies\": [\"base\", \"bob\"], \"points\": [[0, 0, 0], [1,"
                  " 0, 0]], \"stiffness\": 1e5}], \"run\": {\"dt\": 0.01, \"until\": 5, \"locate\": 0.05}}");
  while (scene_step(&run))
    assert_at_most(run.info.energy.kinetic + run.info.energy.gravitational + run.info.energy.elastic, 0.5);
  scene_close(&run);
}

/* A box that falls on its corners and bounces: two impacts of each corner, some of which turn in and out of the floor
 * within a step. */
static AspVec3 tumble(double spin, double dt, double locate) {
  char text[1024];
  SceneRun run;
  snprintf(text, sizeof text,
           "{\"dimension\": 2, \"gravity\": [0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.5, "
           "\"restitution\": 0.3}], \"bodies\": [{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": "
           "\"half-plane\"}]}, {\"name\": \"box\", \"mass\": 1, \"position\": [0, 0.3], \"velocity\": [0.5, 0], "
           "\"angle\": 0.4, \"angular_velocity\": %g, \"shapes\": [{\"type\": \"box\", \"size\": [0.2, 0.12]}]}], "
           "\"run\": {\"dt\": %g, \"until\": 0.4, \"locate\": %g}}",
           spin, dt, locate);
  scene_open_text(&run, text);
  scene_finish(&run);
  AspVec3 position = asp_state_pose(run.scene.model, asp_world_state(run.world), 1).position;
  scene_close(&run);
  return position;
}

static void impacts_anywhere_in_a_step_have_their_instant(void **state) {
  (void)state;
  double most = 0, plainly = 0;
  for (int i = 0; i < 10; i++) {
    double spin = 1 + 0.7 * i;
    AspVec3 exact = tumble(spin, 1e-4, 0.05), located = tumble(spin, 0.01, 0.05), plain = tumble(spin, 0.01, 0);
    most = fmax(most, hypot(located.x - exact.x, located.y - exact.y));
    plainly = fmax(plainly, hypot(plain.x - exact.x, plain.y - exact.y));
  }
  print_message("box on its corners: off by %.2e m; plain steps %.2e\n", most, plainly);
  assert_at_most(most, 1e-3); // of 0.23 m
  assert_at_most(most, 0.1 * plainly);
}

/* A square that spins above a smooth floor at y, a corner of which reaches below it for 2 phi of a turn. The corner
 * meets it at x = -R sin(phi) with u = w x, and p = (1 + e) |u| / (1/m + x^2/I) gives the square dv = p/m, dw = x p/I.
 * Speed and spin after a quarter of a turn, for a start at `angle` before the corner is lowest. */
static void graze(double angle, double speed[2], double exact[2]) {
  const double radius = 0.1, phi = 0.03, w = 30, e = 0.5, side = radius * sqrt(2), inertia = side * side / 6;
  char text[1024];
  SceneRun run;
  snprintf(text, sizeof text,
           "{\"dimension\": 2, \"gravity\": [0, 0], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0, "
           "\"restitution\": %.17g}], \"bodies\": [{\"name\": \"floor\", \"fixed\": true, "
           "\"shapes\": [{\"type\": \"half-plane\"}]}, {\"name\": \"square\", \"mass\": 1, \"position\": [0, %.17g], "
           "\"angle\": %.17g, \"angular_velocity\": %.17g, "
           "\"shapes\": [{\"type\": \"box\", \"size\": [%.17g, %.17g]}]}], \"run\": {\"dt\": 0.005, \"until\": 0.05}}",
           e, radius * cos(phi), ASP_PI / 4 - angle, w, side, side);
  scene_open_text(&run, text);
  scene_finish(&run);
  const AspState *end = asp_world_state(run.world);
  speed[0] = asp_state_velocity(run.scene.model, end, 1).y;
  speed[1] = asp_state_angular_velocity(run.scene.model, end, 1).z;
  scene_close(&run);
  double x = -radius * sin(phi), p = -(1 + e) * w * x / (1 + x * x / inertia);
  exact[0] = p;
  exact[1] = w + x * p / inertia;
}

static void a_corner_that_turns_in_and_out_within_a_step_is_met(void **state) {
  (void)state;
  for (int i = 0; i < 10; i++) {
    double speed[2], exact[2];
    graze(0.3 + 0.035 * i, speed, exact);
    print_message("start %.3f rad: %.6f of %.6f m/s, %.5f of %.5f rad/s\n", 0.3 + 0.035 * i, speed[0], exact[0],
                  speed[1], exact[1]);
    assert_near(speed[0], exact[0], 0.01 * exact[0]);
    assert_near(speed[1], exact[1], 0.01 * fabs(exact[1] - 30));
  }
}

/* Three equal balls in a row with small gaps, e = 1: the first one stops, the second passes the blow on and stays where it
 * is. A gap that no part of a step can be shorter than is named. */
static void pass_on_a_blow(const char *scheme) {
  const double gaps[] = {1e-4, 1e-5, 1e-6};
  for (int i = 0; i < 3; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "{\"dimension\": 2, \"gravity\": [0, 0], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0, "
             "\"restitution\": 1}], \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"position\": [-0.1, 0], \"velocity\": "
             "[1, 0], \"shapes\": [{\"type\": \"disk\", \"radius\": 0.05}]}, {\"name\": \"b\", \"mass\": 1, "
             "\"position\": [0.0321, 0], \"shapes\": [{\"type\": \"disk\", \"radius\": 0.05}]}, {\"name\": \"c\", "
             "\"mass\": 1, \"position\": [%.17g, 0], \"shapes\": [{\"type\": \"disk\", \"radius\": 0.05}]}], \"run\": "
             "{\"dt\": 0.005, \"until\": 0.1, \"scheme\": \"%s\"}}",
             0.1321 + gaps[i], scheme);
    SceneRun run;
    scene_open_text(&run, text);
    scene_finish(&run);
    if (i < 2) {
      assert_int_equal(run.unresolved, 0);
      assert_near(scene_velocity(&run, "a").x, 0, 1e-9);
      assert_near(scene_velocity(&run, "b").x, 0, 1e-9);
      assert_near(scene_velocity(&run, "c").x, 1, 1e-9);
    } else {
      assert_true(asp_world_resolution(run.world)[ASP_MEASURE_IMPACT_ORDER].steps > 0);
    }
    scene_close(&run);
  }
}

static void a_blow_is_passed_on_across_small_gaps(void **state) {
  (void)state;
  pass_on_a_blow("moreau-jean");
  pass_on_a_blow("generalized-alpha");
}

/* A ball between a wall and a piston that closes in, e = 1: every impact on the piston adds twice its speed. The scheme
 * whose impacts act at the end of a step has them late by a few of its shortest parts. */
static void impacts_on_a_moving_wall_are_neither_lost_nor_late(void **state) {
  (void)state;
  const double dt = 0.005, until = 1.2, radius = 0.1, closes = 0.3;
  SceneRun run;
  scene_open_text(
      &run,
      "{\"dimension\": 2, \"gravity\": [0, 0], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0, "
      "\"restitution\": 1}], "
      "\"bodies\": [{\"name\": \"wall\", \"fixed\": true, \"shapes\": [{\"type\": \"half-plane\", \"normal\": [1, "
      "0]}]}, "
      "{\"name\": \"piston\", \"motion\": {\"position\": [\"1.1 - 0.3*t\", 0]}, \"shapes\": [{\"type\": \"box\", "
      "\"size\": [0.2, 1]}]}, {\"name\": \"ball\", \"mass\": 1, \"position\": [0.35, 0], \"velocity\": [3, 0], "
      "\"shapes\": [{\"type\": \"disk\", \"radius\": 0.1}]}], \"run\": {\"scheme\": \"generalized-alpha\", \"dt\": "
      "0.005, \"until\": 1.2}}");
  scene_finish(&run);
  double x = 0.35, v = 3, t = 0;
  int impacts = 0;
  for (;;) {
    double reach = 1 - closes * t - radius, next = v > 0 ? (reach - x) / (v + closes) : (radius - x) / v;
    if (t + next > until)
      break;
    x += v * next;
    t += next;
    v = v > 0 ? -v - 2 * closes : -v;
    impacts++;
  }
  x += v * (until - t);
  assert_int_equal(run.unresolved, 0);
  assert_near(scene_velocity(&run, "ball").x, v, 1e-9);
  assert_near(scene_position(&run, "ball").x, x, 2 * impacts * fabs(v) * 4 * dt / 1024);
  scene_close(&run);
}

/* A cart on four corners, whose loads are shared in many ways, with an arm that a motor drives; a box on a box that tips,
 * some of whose halved steps Gauss-Seidel does not solve. */
static const char cart[] =
    "{\"dimension\": 3, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"floor\", \"fixed\": true, "
    "\"shapes\": [{\"type\": \"half-space\"}]}, {\"name\": \"cart\", \"mass\": 1.58373, \"shapes\": "
    "[{\"type\": \"box\", \"size\": [0.448922, 0.448922, 0.219811]}], \"position\": [0, 0, 0.109905], "
    "\"velocity\": [-0.459377, 0.332042, 0]}, {\"name\": \"arm\", \"mass\": 0.34898, \"shapes\": [{\"type\": "
    "\"box\", \"size\": [0.06, 0.06, 0.420884]}], \"position\": [0, 0, 0.450253], \"velocity\": [-0.459377, "
    "0.332042, 0]}], \"joints\": [{\"type\": \"revolute\", \"bodies\": [\"cart\", \"arm\"], \"point\": [0, 0, "
    "0.229811], \"axis\": [-0.32058, -0.947222, 0], \"motor\": {\"velocity\": -1.83367, \"effort\": "
    "1.28127}}], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0, \"restitution\": 0}], \"run\": "
    "{\"dt\": 0.005, \"until\": 0.2, \"tolerance\": 1e-12, \"solver\": \"%s\"}}";
static const char tipping[] =
    "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"floor\", \"fixed\": true, "
    "\"shapes\": [{\"type\": \"half-plane\"}]}, {\"name\": \"b0\", \"mass\": 1.6001, \"shapes\": [{\"type\": "
    "\"box\", \"size\": [0.168847, 0.169023]}], \"position\": [0, 0.0845115], \"velocity\": [0.918575, 0]}, "
    "{\"name\": \"b1\", \"mass\": 1.64725, \"shapes\": [{\"type\": \"box\", \"size\": [0.38224, 0.342143]}], "
    "\"position\": [0, 0.340095], \"velocity\": [0.918575, 0]}], \"joints\": [], \"materials\": [{\"pair\": "
    "[\"*\", \"*\"], \"friction\": 0.6, \"restitution\": 0}], \"run\": {\"dt\": 0.005, \"until\": 0.2, "
    "\"tolerance\": 1e-12, \"solver\": \"%s\"}}";

/* Where a body ends that a solver moved. */
static AspVec3 end_by(const char *scene, const char *solver, const char *body) {
  char text[2048];
  SceneRun run;
  snprintf(text, sizeof text, scene, solver);
  scene_open_text(&run, text);
  scene_finish(&run);
  AspVec3 at = scene_position(&run, body);
  scene_close(&run);
  return at;
}

static void steps_are_divided_alike_by_every_solver(void **state) {
  (void)state;
  assert_near(norm3(sub3(end_by(cart, "nsgs", "arm"), end_by(cart, "auto", "arm"))), 0, 1e-10);
  assert_near(norm3(sub3(end_by(tipping, "nsgs", "b0"), end_by(tipping, "auto", "b0"))), 0, 1e-6);
}

/* How far the velocity of a body at the end of a scene is from that of steps a sixteenth as long, m/s. */
static double velocity_off(const char *file, const char *body) {
  AspVec3 v[2];
  for (int i = 0; i < 2; i++) {
    SceneRun run = {.context = asp_context_create(NULL)};
    assert_ok(run.context, asp_scene_read(run.context, file, &run.scene, NULL));
    run.scene.run.dt = i == 0 ? 0.01 : 0.000625;
    assert_ok(run.context, asp_world_create(run.context, run.scene.model, &run.scene.run, &run.world));
    scene_finish(&run);
    v[i] = scene_velocity(&run, body);
    scene_close(&run);
  }
  return norm3(sub3(v[0], v[1]));
}

/* A capsule on a spring rolls and rocks on the ground while another one lands: contacts that touch take no parts of the
 * step from the impact, whose velocities are those of short steps. */
static void an_impact_has_its_parts_while_others_touch(void **state) {
  (void)state;
  // 1.4 m/s where the parts were used up
  assert_near(velocity_off(ASP_SOURCE_DIR "/tests/data/capsules.json", "body2"), 0, 1e-3);
}

/* A capsule falls on a box that turns, and meets it with another end than the one that was nearest at the start of the
 * step. */
static void bodies_that_turn_meet_when_they_do(void **state) {
  (void)state;
  // 0.05 m/s where it was foreseen too late
  assert_near(velocity_off(ASP_SOURCE_DIR "/tests/data/turned.json", "body0"), 0, 2e-3);
}

/* Only what the judge certified has bounds on its rounding. */
static void check_certificates(SceneRun *run) {
  int divided = 0;
  while (scene_step(run)) {
    assert_true(run->info.certified);
    assert_true(run->info.residual.E2_rounding > 0);
    divided += run->info.parts > 1;
  }
  assert_true(divided > 3);
  scene_close(run);
}

static void parts_of_divided_steps_have_the_certificate_of_the_judge(void **state) {
  (void)state;
  char text[1024];
  SceneRun run;
  snprintf(text, sizeof text, shaken, 0.3, 1e-3, 0.05, "moreau-jean");
  scene_open_text(&run, text);
  check_certificates(&run);
  scene_open(&run, "gallery/woodpecker", 0); // joints: solutions by elimination
  check_certificates(&run);
}

/* A body of 1 kg that a damper c catches at 5 m/s, c dt/m up to 10,000: its first steps are made in parts, and what a part
 * of dt/32 tells of the acceleration is no reason to throw the body back in the whole step behind it. */
static void dampers_of_any_strength_take_speed_and_never_give_it(void **state) {
  (void)state;
  for (double c = 30; c < 2e6; c *= 3) {
    SceneRun run;
    char text[1024];
    snprintf(text, sizeof text,
             "{\"dimension\": 2, \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": 0.01, \"position\": [1, 0], "
             "\"velocity\": [5, 0]}], \"forces\": [{\"type\": \"spring\", \"bodies\": [\"world\", \"a\"], \"points\": "
             "[[0, 0], [1, 0]], \"stiffness\": 0, \"damping\": %g}], \"run\": {\"dt\": 0.01, \"until\": 0.5}}",
             c);
    scene_open_text(&run, text);
    double most = 0;
    while (scene_step(&run))
      most = fmax(most, fabs(asp_state_velocity(run.scene.model, asp_world_state(run.world), 0).x));
    assert_true(most <= 5);
    assert_near(asp_state_velocity(run.scene.model, asp_world_state(run.world), 0).x, 0, 1e-4);
    scene_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_blow_is_passed_on_across_small_gaps),
      cmocka_unit_test(impacts_on_a_moving_wall_are_neither_lost_nor_late),
      cmocka_unit_test(impacts_anywhere_in_a_step_have_their_instant),
      cmocka_unit_test(a_corner_that_turns_in_and_out_within_a_step_is_met),
      cmocka_unit_test(an_impact_has_its_parts_while_others_touch),
      cmocka_unit_test(bodies_that_turn_meet_when_they_do),
      cmocka_unit_test(steps_are_divided_alike_by_every_solver),
      cmocka_unit_test(parts_of_divided_steps_have_the_certificate_of_the_judge),
      cmocka_unit_test(slip_that_turns_within_a_step_is_followed),
      cmocka_unit_test(slip_that_turns_anywhere_in_a_step_ends_it_there),
      cmocka_unit_test(forces_of_a_divided_step_are_means_over_all_of_it),
      cmocka_unit_test(springs_that_the_step_does_not_resolve_gain_no_energy),
      cmocka_unit_test(saved_between_divided_steps_it_goes_on_the_same_way),
      cmocka_unit_test(dampers_of_any_strength_take_speed_and_never_give_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
