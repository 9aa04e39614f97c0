/* The event-driven scheme against closed forms and an integration of its own: times of events, states, what it refuses
 * and where it hands over to time stepping. */
#include "world/scene_runner.h"

static void open_events(SceneRun *run, const char *name, double dt) {
  scene_open(run, name, dt);
  asp_world_destroy(run->world);
  run->scene.run.scheme = ASP_SCHEME_EVENT_DRIVEN;
  run->scene.run.cone = ASP_CONE_EXACT;
  run->scene.run.method = ASP_METHOD_AUTO;
  assert_ok(run->context, asp_world_create(run->context, run->scene.model, &run->scene.run, &run->world));
}

/* The k-th event of a kind, from 0; NULL: there are not so many. */
static const AspEvent *event(const SceneRun *run, AspEventKind kind, int k) {
  const AspEvent *events = asp_world_events(run->world);
  int count = asp_world_event_count(run->world);
  for (int i = 0; i < count; i++)
    if (events[i].kind == kind && k-- == 0)
      return &events[i];
  return NULL;
}

static double time_of(const SceneRun *run, AspEventKind kind, int k) {
  const AspEvent *found = event(run, kind, k);
  assert_non_null(found);
  return found->t;
}

/* Dropped from 1 m with e = 0.8: t_k = sqrt(2 / g) (1 + 2 (e + ... + e^k)), at an end at 9 sqrt(2 / g). */
static void ball_bounces_at_the_times_of_its_series_and_comes_to_rest(void **state) {
  (void)state;
  SceneRun run;
  open_events(&run, "peers/bouncing_ball", 0);
  scene_finish(&run);
  double t = sqrt(2 / 9.81), v = 9.81 * t;
  for (int k = 0; k < 35; k++) {
    assert_near(time_of(&run, ASP_EVENT_IMPACT, k), t, 1e-9);
    assert_near(event(&run, ASP_EVENT_IMPACT, k)->speed, v, 1e-9);
    v *= 0.8;
    t += 2 * v / 9.81;
  }
  assert_near(time_of(&run, ASP_EVENT_TIME_STEPPING, 0), 9 * sqrt(2 / 9.81), 1e-5);
  assert_null(event(&run, ASP_EVENT_TIME_STEPPING, 1)); // it stays where it came to rest
  assert_near(scene_position(&run, "sphere 1").z, 0.1, 1e-12);
  assert_near(scene_velocity(&run, "sphere 1").z, 0, 1e-12);
  assert_near(run.info.flow.remainder, 0, 1e-9);
  assert_near(asp_world_contacts(run.world)[0].force.z, 9.81, 1e-8);
  scene_close(&run);
}

/* Period: pi-and-a-bit of slip, symmetric about mu_k m g / k, then stick until the spring pulls mu_s m g. */
static void mass_on_a_belt_sticks_and_slips_at_the_times_of_the_closed_form(void **state) {
  (void)state;
  const double w = 5, xs = 0.16, xk = 0.12, V = 0.1, turn = 2 * acos(-1) - 2 * atan((xs - xk) * w / V);
  SceneRun run;
  open_events(&run, "stick-slip-on-belt", 0);
  double t = xs / V;
  while (scene_step(&run))
    assert_near(run.info.flow.remainder, 0, 1e-9);
  assert_int_equal(run.uncertified, 0);
  for (int k = 0; k < 4; k++) {
    assert_near(time_of(&run, ASP_EVENT_SLIP, k), t, 1e-9);
    t += turn / w;
    assert_near(time_of(&run, ASP_EVENT_STICK, k), t, 1e-9);
    t += 2 * (xs - xk) / V;
  }
  assert_near(scene_position(&run, "mass").x, 2 * xk - xs + V * (8 - (t - 2 * (xs - xk) / V)), 1e-9);
  scene_close(&run);
}

static void block_on_two_corners_slips_when_the_pull_reaches_mu_m_g(void **state) {
  (void)state;
  SceneRun run;
  open_events(&run, "block-starts-to-slip", 0.05);
  const double t0 = 0.25 * 3 * 10 / 2;
  while (scene_step(&run)) {
    double late = fmax(run.info.t - t0, 0);
    assert_near(scene_position(&run, "block").x, 2 * late * late * late / 18, 1e-9);
    const AspContactRecord *contacts = asp_world_contacts(run.world);
    assert_int_equal(asp_world_contact_count(run.world), 2);
    // the pull is at the height of the centre, 0.1 m above the friction: the corners share the weight unevenly
    double middle = run.info.t - 0.5 * run.info.dt, friction = late > run.info.dt ? 7.5 : 2 * middle;
    if (late == 0 || late > run.info.dt)
      assert_near(contacts[1].force.y - contacts[0].force.y, friction * 0.1 / 0.3, 1e-7);
  }
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
}

/* ---- a double pendulum of point masses in its two angles, by the classical Runge-Kutta method ---- */

typedef struct Pendulum {
  double a, b, va, vb; /* angles from the vertical, rates */
} Pendulum;

static Pendulum pendulum_rate(const Pendulum *p) {
  double d = p->a - p->b, c = cos(d), s = sin(d), g = 9.81;
  // 2 a" + c b" = -s b'^2 - 2 g sin a,   c a" + b" = s a'^2 - g sin b
  double f = -s * p->vb * p->vb - 2 * g * sin(p->a), h = s * p->va * p->va - g * sin(p->b), det = 2 - c * c;
  return (Pendulum){p->va, p->vb, (f - c * h) / det, (2 * h - c * f) / det};
}

static Pendulum pendulum_sum(const Pendulum *p, double dt, const Pendulum *rate) {
  return (Pendulum){p->a + dt * rate->a, p->b + dt * rate->b, p->va + dt * rate->va, p->vb + dt * rate->vb};
}

static Pendulum pendulum_step(const Pendulum *p, double dt) {
  Pendulum k1 = pendulum_rate(p), y = pendulum_sum(p, dt / 2, &k1), k2 = pendulum_rate(&y);
  y = pendulum_sum(p, dt / 2, &k2);
  Pendulum k3 = pendulum_rate(&y);
  y = pendulum_sum(p, dt, &k3);
  Pendulum k4 = pendulum_rate(&y);
  y = pendulum_sum(p, dt / 6, &k1);
  y = pendulum_sum(&y, dt / 3, &k2);
  y = pendulum_sum(&y, dt / 3, &k3);
  return pendulum_sum(&y, dt / 6, &k4);
}

static double pendulum_gap(const Pendulum *p) { return sin(p->a) + sin(p->b) + 0.3; }

/* M (v+ - v-) = J^T p, J v+ = -e J v- */
static void pendulum_impact(Pendulum *p) {
  double c = cos(p->a - p->b), ja = cos(p->a), jb = cos(p->b), det = 2 - c * c;
  double xa = (ja - c * jb) / det, xb = (2 * jb - c * ja) / det;
  double impulse = -1.7 * (ja * p->va + jb * p->vb) / (ja * xa + jb * xb);
  p->va += impulse * xa;
  p->vb += impulse * xb;
}

/* The state at t and the instant of the only impact. */
static Pendulum pendulum_at(double t, double *impact) {
  Pendulum p = {acos(-1) / 3, 80 * acos(-1) / 180, 0, 0};
  double dt = 2e-5;
  int steps = (int)round(t / dt), hits = 0;
  for (int i = 0; i < steps; i++) {
    Pendulum next = pendulum_step(&p, dt);
    if (pendulum_gap(&next) < 0 && pendulum_gap(&p) > 0) {
      double low = 0, high = dt;
      for (int k = 0; k < 60; k++) {
        double middle = (low + high) / 2;
        Pendulum there = pendulum_step(&p, middle);
        *(pendulum_gap(&there) > 0 ? &low : &high) = middle;
      }
      Pendulum hit = pendulum_step(&p, low);
      *impact = i * dt + low;
      hits++;
      pendulum_impact(&hit);
      next = pendulum_step(&hit, dt - low);
    }
    p = next;
  }
  assert_int_equal(hits, 1);
  return p;
}

static void double_pendulum_strikes_the_wall_like_its_angles_say(void **state) {
  (void)state;
  SceneRun run;
  open_events(&run, "double-pendulum-hits-wall", 0);
  scene_finish(&run);
  double impact = NAN;
  Pendulum p = pendulum_at(1.5, &impact);
  assert_near(time_of(&run, ASP_EVENT_IMPACT, 0), impact, 1e-9);
  assert_null(event(&run, ASP_EVENT_IMPACT, 1));
  assert_near(scene_position(&run, "upper").x, sin(p.a), 1e-8);
  assert_near(scene_position(&run, "lower").x, sin(p.a) + sin(p.b), 1e-8);
  assert_near(scene_position(&run, "lower").y, -cos(p.a) - cos(p.b), 1e-8);
  assert_near(scene_velocity(&run, "lower").x, cos(p.a) * p.va + cos(p.b) * p.vb, 1e-7);
  assert_at_most(run.drift_max, 1e-10);
  scene_close(&run);
}

/* A = 0 at tan phi = 1: 0.81454965867 s by an integration in scipy (DOP853, 1e-13) of phi alone. */
static void rod_reaches_the_paradox_at_its_time(void **state) {
  (void)state;
  SceneRun run;
  open_events(&run, "painleve-slides-into-paradox", 0.01);
  scene_finish(&run);
  const AspEvent *end = event(&run, ASP_EVENT_NO_FORCE, 0);
  assert_non_null(end);
  assert_near(end->t, 0.81454965867, 1e-7);
  assert_near(end->A, 0, 1e-7);
  for (int k = 0; k < 7; k++) { // on the approach A and b fall together while the force grows
    const AspEvent *jam = event(&run, ASP_EVENT_JAM, k), *next = k < 6 ? event(&run, ASP_EVENT_JAM, k + 1) : end;
    assert_non_null(jam);
    assert_near(jam->force * jam->A + jam->b, 0, 1e-9 * fabs(jam->b));
    assert_true(next->A < 0.2 * jam->A && fabs(next->b) < 0.5 * fabs(jam->b) && next->force > 1.5 * jam->force);
  }
  const AspEvent *impulse = event(&run, ASP_EVENT_IMPULSE, 0); // where nothing collides
  assert_non_null(impulse);
  assert_true(impulse->impulse > 0.1 && impulse->t == end->t);
  assert_null(event(&run, ASP_EVENT_IMPACT, 0));
  scene_close(&run);
}

/* Turning points of the oscillator with dry friction lie pi / 2 apart; at the fourth it stays. */
static void dry_joint_turns_back_and_stops(void **state) {
  (void)state;
  SceneRun run;
  open_events(&run, "dry-friction-oscillator", 0.1);
  scene_finish(&run);
  for (int k = 1; k < 4; k++)
    assert_near(time_of(&run, ASP_EVENT_SLIP, k), k * acos(-1) / 2, 1e-8);
  assert_near(scene_joint(&run, "hinge")->coordinate, 0, 1e-9);
  assert_near(scene_joint(&run, "hinge")->rate, 0, 1e-9);
  scene_close(&run);
}

static const char spinner[] =
    "{\"dimension\": 2, \"bodies\": [{\"name\": \"p\", \"mass\": 1, \"inertia\": 0.25, \"position\": [0.5, 0],"
    "  \"velocity\": [0, 2], \"angular_velocity\": 4}],"
    " \"joints\": [{\"type\": \"revolute\", \"bodies\": [\"world\", \"p\"], \"point\": [0, 0], \"friction\": 0.5}],"
    " \"run\": {\"scheme\": \"event-driven\", \"dt\": 0.013, \"until\": 4.1}}";

/* 0.5 kg m^2 about the pin, slowed by 0.5 N m from 4 rad/s: at rest after 4 s, where forces and accelerations are
 * rounding and must still be certified. */
static void spinning_arm_that_stops_is_certified_at_rest(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run, spinner);
  while (scene_step(&run)) {
    assert_true(run.info.residual.E2 <= 1e-8);
    assert_true(run.info.residual.E3 <= 1e-8);
  }
  assert_near(time_of(&run, ASP_EVENT_STICK, 0), 4, 1e-9);
  scene_close(&run);
}

static const char shaker[] =
    "{\"dimension\": 2, \"gravity\": [0, -10], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0}],"
    " \"bodies\": [{\"name\": \"table\", \"motion\": {\"position\": [0, \"0.05*sin(20*t)\"]},"
    "               \"shapes\": [{\"type\": \"half-plane\"}]},"
    "              {\"name\": \"ball\", \"mass\": 1, \"inertia\": 1, \"position\": [0, 0.1], \"velocity\": [0, 1],"
    "               \"shapes\": [{\"type\": \"disk\", \"radius\": 0.1}]}],"
    " \"run\": {\"scheme\": \"event-driven\", \"dt\": 0.01, \"until\": 0.06}}";

/* A ball on a table that moves as a sin(w t) leaves it when a w^2 sin(w t) = g. */
static void ball_leaves_a_shaken_table_when_its_force_is_zero(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run, shaker);
  scene_finish(&run);
  assert_near(time_of(&run, ASP_EVENT_RELEASE, 0), asin(10 / 20.0) / 20, 1e-9);
  scene_close(&run);
}

/* A cup turns about the pin that it slides on, by more than 60 degrees in one smooth motion: it stays on the pin, and
 * the motion does not depend on the steps in which it is asked for. */
static void side_that_turns_far_with_its_body_stays_in_contact(void **state) {
  (void)state;
  AspVec3 spin[2];
  for (int i = 0; i < 2; i++) {
    SceneRun run;
    open_events(&run, "gallery/parts-feeder", i ? 0.0005 : 0.005);
    while (run.info.t < 0.24 - 1e-9)
      assert_true(scene_step(&run));
    assert_int_equal(run.uncertified, 0);
    assert_null(event(&run, ASP_EVENT_IMPACT, 3));
    spin[i] = scene_angular_velocity(&run, "cup open below");
    scene_close(&run);
  }
  assert_near(spin[0].z, spin[1].z, 1e-6 * fabs(spin[1].z));
}

/* A table in the plane that ends at x = 0, and a body that slides towards its end. */
static void open_table(SceneRun *run, const char *body, double friction, double dt) {
  char text[1024];
  int length =
      snprintf(text, sizeof text,
               "{\"dimension\": 2, \"gravity\": [0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], "
               "\"friction\": %g}], \"bodies\": [{\"name\": \"table\", \"fixed\": true, \"shapes\": [{\"type\": "
               "\"box\", \"size\": [2, 0.2], \"position\": [-1, -0.1]}]}, %s], \"run\": {\"scheme\": "
               "\"event-driven\", \"dt\": %g, \"until\": 0.5}}",
               friction, body, dt);
  assert_in_range(length, 1, sizeof text - 1);
  scene_open_text(run, text);
}

/* From 0.5 m before the end at 2 m/s: it falls from 0.25 s on. */
static void point_that_slides_over_the_end_of_a_table_falls(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    SceneRun run;
    open_table(&run,
               "{\"name\": \"a\", \"mass\": 1, \"inertia\": 1e-3, \"position\": [-0.5, 0], \"velocity\": [2, 0], "
               "\"shapes\": [{\"type\": \"point\"}]}",
               0, i ? 0.1 : 0.01);
    scene_finish(&run);
    assert_int_equal(run.uncertified, 0);
    assert_near(time_of(&run, ASP_EVENT_RELEASE, 0), 0.25, 1e-8);
    assert_near(scene_position(&run, "a").y, -9.81 * 0.25 * 0.25 / 2, 1e-7);
    scene_close(&run);
  }
}

/* Its leading corner leaves the table, then it tips over the end: the answer does not depend on the steps. */
static void box_tips_over_the_end_of_a_table_alike_in_long_and_short_steps(void **state) {
  (void)state;
  AspVec3 at[2];
  for (int i = 0; i < 2; i++) {
    SceneRun run;
    open_table(&run,
               "{\"name\": \"a\", \"mass\": 1, \"position\": [-0.3, 0.05], \"velocity\": [2, 0], \"shapes\": "
               "[{\"type\": \"box\", \"size\": [0.2, 0.1]}]}",
               0.3, i ? 0.05 : 0.002);
    scene_finish(&run);
    assert_int_equal(run.uncertified, 0);
    at[i] = scene_position(&run, "a");
    scene_close(&run);
  }
  assert_near(at[1].x, at[0].x, 1e-9);
  assert_near(at[1].y, at[0].y, 1e-9);
}

/* A cylinder that stands on many points moves over the end of a table: points whose load goes to zero while others can
 * carry it are let go once, and the motion gets on. */
static void unloaded_point_among_others_is_let_go_once(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run,
                  "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0}], "
                  "\"bodies\": [{\"name\": \"table\", \"fixed\": true, \"shapes\": [{\"type\": \"box\", \"size\": "
                  "[2, 2, 0.2], \"position\": [-1, 0, -0.1]}]}, {\"name\": \"a\", \"mass\": 1, \"position\": "
                  "[-0.3, 0.1, 0.05], \"velocity\": [20, 0.1, 0], \"orientation\": [0.98006657784124163, 0, 0, "
                  "0.19866933079506122], \"shapes\": [{\"type\": \"cylinder\", \"radius\": 0.08, \"length\": "
                  "0.1}]}], \"run\": {\"scheme\": \"event-driven\", \"dt\": 0.0145, \"until\": 0.0145}}");
  scene_finish(&run);
  assert_int_equal(run.uncertified, 0);
  assert_null(event(&run, ASP_EVENT_TIME_STEPPING, 0));
  assert_near(scene_position(&run, "a").z, 0.05, 1e-9);
  scene_close(&run);
}

static void refuses(const char *text, const char *what) {
  SceneRun run = {.context = asp_context_create(NULL)};
  assert_ok(run.context, asp_scene_parse(run.context, text, strlen(text), "text", &run.scene, NULL));
  run.scene.run.scheme = ASP_SCHEME_EVENT_DRIVEN;
  assert_int_equal(asp_world_create(run.context, run.scene.model, &run.scene.run, &run.world), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(run.context), what));
  scene_close(&run);
}

/* Farther than the contacts hold at once, so that the correction takes several iterations. */
static void deep_overlap_at_the_start_is_put_right_before_motion_begins(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run,
                  "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.3}], "
                  "\"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]}, "
                  "{\"name\": \"a\", \"mass\": 1, \"position\": [0, 0, 0.06], \"shapes\": [{\"type\": \"sphere\", "
                  "\"radius\": 0.1}]}, {\"name\": \"b\", \"mass\": 1, \"position\": [0.03, 0, 0.2], \"shapes\": "
                  "[{\"type\": \"sphere\", \"radius\": 0.1}]}], \"run\": {\"scheme\": \"event-driven\", \"dt\": "
                  "0.005, \"until\": 0.02}}");
  while (scene_step(&run))
    ;
  assert_int_equal(run.uncertified, 0);
  AspVec3 a = scene_position(&run, "a"), b = scene_position(&run, "b");
  assert_at_most(0.1 - a.z, 1e-6);
  assert_at_most(0.2 - sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) + (b.z - a.z) * (b.z - a.z)), 1e-6);
  scene_close(&run);
}

static void laws_that_accelerations_do_not_know_are_refused_by_name(void **state) {
  (void)state;
  refuses("{\"materials\": [{\"pair\": [\"a\", \"b\"], \"friction\": 0.5, \"rolling\": 0.01}],"
          " \"bodies\": [{\"name\": \"ground\", \"fixed\": true,"
          " \"shapes\": [{\"type\": \"sphere\", \"radius\": 1, \"material\": \"a\"}]},"
          " {\"name\": \"ball\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [0, 0, 3],"
          " \"shapes\": [{\"type\": \"sphere\", \"radius\": 1, \"material\": \"b\"}]}], \"run\": {\"dt\": 0.01}}",
          "materials a/b: \"rolling\" is not possible with the scheme event-driven");
  refuses("{\"materials\": [], \"bodies\": [{\"name\": \"ground\", \"fixed\": true}], \"run\": {\"friction\": "
          "{\"model\": \"inscribed\"}}}",
          "friction.model: inscribed");
}

static bool at_once(void *user) {
  ++*(int *)user;
  return true;
}

static void long_step_can_be_stopped(void **state) {
  (void)state;
  SceneRun run;
  int asked = 0;
  open_events(&run, "double-pendulum-hits-wall", 1);
  asp_context_set_stop(run.context, at_once, &asked);
  assert_int_equal(asp_world_step(run.world, &run.info), ASP_ERROR_INTERRUPTED);
  assert_int_equal(asked, 1);
  assert_near(asp_world_state(run.world)->t, 0, 0);
  asp_context_set_stop(run.context, NULL, NULL);
  assert_ok(run.context, asp_world_step(run.world, &run.info));
  assert_near(run.info.t, 1, 0);
  scene_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ball_bounces_at_the_times_of_its_series_and_comes_to_rest),
      cmocka_unit_test(mass_on_a_belt_sticks_and_slips_at_the_times_of_the_closed_form),
      cmocka_unit_test(block_on_two_corners_slips_when_the_pull_reaches_mu_m_g),
      cmocka_unit_test(double_pendulum_strikes_the_wall_like_its_angles_say),
      cmocka_unit_test(rod_reaches_the_paradox_at_its_time),
      cmocka_unit_test(dry_joint_turns_back_and_stops),
      cmocka_unit_test(spinning_arm_that_stops_is_certified_at_rest),
      cmocka_unit_test(ball_leaves_a_shaken_table_when_its_force_is_zero),
      cmocka_unit_test(side_that_turns_far_with_its_body_stays_in_contact),
      cmocka_unit_test(point_that_slides_over_the_end_of_a_table_falls),
      cmocka_unit_test(box_tips_over_the_end_of_a_table_alike_in_long_and_short_steps),
      cmocka_unit_test(unloaded_point_among_others_is_let_go_once),
      cmocka_unit_test(laws_that_accelerations_do_not_know_are_refused_by_name),
      cmocka_unit_test(deep_overlap_at_the_start_is_put_right_before_motion_begins),
      cmocka_unit_test(long_step_can_be_stopped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
