/* Moreau-Jean on scenes with closed forms: sliding and rolling, stick and slip on a slope, stacks, bounces, the ladder.
 * References: scenes/peers (exact solutions of the motion) and the cases with closed forms of
 * docs/reference/cases.md. Step 0.01 s unless said. */
#include "linalg/vec3.h"
#include "world/scene_runner.h"

static void sphere_slides_then_rolls_alike_in_every_direction(void **state) {
  (void)state;
  const char *names[] = {"peers/sphere_rolls_dir0", "peers/sphere_rolls_dir30"};
  const double angle[] = {0, 0.52359877559829882};
  double way[2];
  for (int i = 0; i < 2; i++) {
    SceneRun run;
    scene_open(&run, names[i], 0);
    while (scene_step(&run)) {
    }
    AspVec3 p = scene_position(&run, "sphere 1"), along = vec3(cos(angle[i]), sin(angle[i]), 0);
    way[i] = dot3(p, along);
    assert_near(way[i], 0.9403565707628616, 6e-5);
    assert_near(p.x * along.y - p.y * along.x, 0, 1e-10);
    assert_int_equal(run.uncertified, 0);
    scene_close(&run);
  }
  assert_near(way[0], way[1], 1e-10);
}

static void box_on_slope_sticks_below_and_slides_above_the_friction_angle(void **state) {
  (void)state;
  const char *stick[] = {"peers/slope_stick_dir0", "peers/slope_stick_dir30"},
             *slip[] = {"peers/slope_slip_dir0", "peers/slope_slip_dir30"};
  for (int i = 0; i < 2; i++) {
    SceneRun run;
    scene_open(&run, stick[i], 0);
    AspVec3 start = scene_position(&run, "box 1");
    while (scene_step(&run)) {
    }
    assert_at_most(norm3(sub3(scene_position(&run, "box 1"), start)), 1e-9);
    assert_int_equal(run.uncertified, 0);
    scene_close(&run);

    // tan(angle) = 1.01 mu: a = 0.01 mu g cos(angle)
    scene_open(&run, slip[i], 0);
    while (scene_step(&run)) {
    }
    double slope = atan(0.505), acceleration = 9.81 * (sin(slope) - 0.5 * cos(slope));
    assert_near(norm3(scene_velocity(&run, "box 1")) / (acceleration * run.info.t), 1, 1e-5);
    assert_int_equal(run.uncertified, 0);
    scene_close(&run);
  }
}

static void sliding_box_stops_at_the_same_distance_in_every_direction(void **state) {
  (void)state;
  const char *names[] = {"peers/box_stops_dir0", "peers/box_stops_dir30", "peers/box_stops_dir45"};
  double way[3];
  for (int i = 0; i < 3; i++) {
    SceneRun run;
    scene_open(&run, names[i], 0);
    while (scene_step(&run))
      assert_near(scene_position(&run, "box 1").z, 0.1, 1e-9); // no lift-off
    AspVec3 p = scene_position(&run, "box 1");
    way[i] = hypot(p.x, p.y);
    assert_near(way[i], 9 / (2 * 0.5 * 9.81), 0.5 * 0.01 * 0.05); // v dt at the last moving step
    assert_at_most(norm3(scene_velocity(&run, "box 1")), 1e-9);
    assert_int_equal(run.uncertified, 0);
    scene_close(&run);
  }
  assert_near(way[1], way[0], 1e-7);
  assert_near(way[2], way[0], 1e-7);
}

static void stack_of_ten_boxes_stands(void **state) {
  (void)state;
  SceneRun run;
  scene_open(&run, "peers/stack_of_ten", 0);
  for (int i = 0; i < 300; i++)
    assert_true(scene_step(&run));
  AspVec3 top = scene_position(&run, "box 10");
  assert_at_most(norm3(sub3(top, vec3(0, 0, 9.5))), 1e-6);
  assert_at_most(run.info.penetration, 1e-6);
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
}

static void bounces_accumulate_where_they_must_at_any_step(void **state) {
  (void)state;
  const double steps[] = {0.01, 0.001};
  for (int i = 0; i < 2; i++) {
    SceneRun run;
    scene_open(&run, "peers/bouncing_ball", steps[i]);
    double settled = 0, last_speed = 0;
    int bounces = 0;
    while (scene_step(&run)) {
      double height = scene_position(&run, "sphere 1").z - 0.1, speed = scene_velocity(&run, "sphere 1").z;
      if (fabs(speed) > 1e-9)
        settled = run.info.t;
      if (last_speed > 0 && speed <= 0 && ++bounces <= 4) // top of a bounce
        assert_near(height, pow(0.64, bounces), 2 * steps[i]);
      last_speed = speed;
    }
    assert_near(settled, 4.063687, 20 * steps[i]);
    assert_near(scene_position(&run, "sphere 1").z, 0.1, 1e-6);
    assert_int_equal(run.uncertified, 0);
    scene_close(&run);
  }
}

static void ladder_stands_above_and_falls_below_the_critical_friction(void **state) {
  (void)state;
  SceneRun run;
  scene_open(&run, "peers/ladder_stands", 0);
  AspVec3 start = scene_position(&run, "box 1");
  while (scene_step(&run)) {
  }
  assert_at_most(norm3(sub3(scene_position(&run, "box 1"), start)), 1e-7);
  scene_close(&run);
  scene_open(&run, "peers/ladder_falls", 0);
  while (scene_step(&run)) {
  }
  assert_at_most(scene_position(&run, "box 1").z, 0.5);
  scene_close(&run);
}

static void two_balls_exchange_momentum_as_newtons_law_says(void **state) {
  (void)state;
  const char *text =
      "{\"dimension\": 2, \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0, \"restitution\": 0.5}],"
      " \"bodies\": [{\"name\": \"one\", \"mass\": 1, \"inertia\": 1, \"position\": [0, 0], \"velocity\": [3, 0], "
      "\"shapes\": [{\"type\": \"disk\", \"radius\": 0.1}]},"
      "  {\"name\": \"two\", \"mass\": 2, \"inertia\": 1, \"position\": [1, 0], \"velocity\": [-1, 0], \"shapes\": "
      "[{\"type\": \"disk\", \"radius\": 0.1}]}],"
      " \"run\": {\"dt\": 0.01, \"until\": 0.5, \"tolerance\": 1e-12}}";
  SceneRun run;
  scene_open_text(&run, text);
  while (scene_step(&run)) {
  }
  assert_near(scene_velocity(&run, "one").x, -1, 1e-10);
  assert_near(scene_velocity(&run, "two").x, 1, 1e-10);
  scene_close(&run);
}

/* A block of 2 kg, mu = 0.3, pulled by 10 t: slips from 0.5886 s. Errors of v and x at 1 s. */
static void ramp_errors(double dt, double *v, double *x) {
  char text[1024];
  snprintf(text, sizeof text,
           "{\"dimension\": 2, \"gravity\": [0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.3}],"
           " \"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-plane\"}]},"
           "  {\"name\": \"block\", \"mass\": 2, \"position\": [0, 0.1], \"shapes\": [{\"type\": \"box\", \"size\": "
           "[1, 0.2]}]}],"
           " \"forces\": [{\"type\": \"force\", \"body\": \"block\", \"force\": [\"10*t\", 0], \"point\": [0, 0.1]}],"
           " \"run\": {\"dt\": %g, \"until\": 1, \"tolerance\": 1e-12}}",
           dt);
  SceneRun run;
  scene_open_text(&run, text);
  while (scene_step(&run)) {
  }
  *v = fabs(scene_velocity(&run, "block").x - 0.4231248999999999);
  *x = fabs(scene_position(&run, "block").x - 0.05802452795333332);
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
}

static void block_under_a_growing_force_slips_with_second_order(void **state) {
  (void)state;
  double v1, x1, v2, x2;
  // where slip begins within a step decides the constant: the worst of neighbouring steps shows the order
  double worst_v[2] = {0}, worst_x[2] = {0};
  for (int i = 0; i < 4; i++) {
    ramp_errors(1.0 / (50 + i), &v1, &x1);
    ramp_errors(1.0 / (200 + 4 * i), &v2, &x2);
    worst_v[0] = fmax(worst_v[0], v1);
    worst_v[1] = fmax(worst_v[1], v2);
    worst_x[0] = fmax(worst_x[0], x1);
    worst_x[1] = fmax(worst_x[1], x2);
  }
  print_message("order of v %.2f, of x %.2f\n", log(worst_v[0] / worst_v[1]) / log(4),
                log(worst_x[0] / worst_x[1]) / log(4));
  assert_true(log(worst_v[0] / worst_v[1]) / log(4) > 1.7);
  assert_true(log(worst_x[0] / worst_x[1]) / log(4) > 1.7);
}

/* A ball of radius 0.1 on a fixed sphere of radius 1, released 0.3 rad from the top: theta'' = g/(1.1 k) sin(theta), k
 * = 1 sliding without friction, 7/5 rolling. theta(0.4 s) by a solution of order 8 with relative error 1e-12. */
static double ball_on_a_sphere_error(double mu, double exact, double dt) {
  char text[1024];
  snprintf(text, sizeof text,
           "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": %g}], \"bodies\": "
           "[{\"name\": \"hill\", \"fixed\": true, \"shapes\": [{\"type\": \"sphere\", \"radius\": 1}]}, {\"name\": "
           "\"ball\", \"mass\": 1, \"inertia\": [0.004, 0.004, 0.004], \"position\": [%.17g, 0, %.17g], \"shapes\": "
           "[{\"type\": \"sphere\", \"radius\": 0.1}]}], \"run\": {\"dt\": %g, \"until\": 0.4, \"tolerance\": 1e-11}}",
           mu, 1.1 * sin(0.3), 1.1 * cos(0.3), dt);
  SceneRun run;
  scene_open_text(&run, text);
  while (scene_step(&run)) {
  }
  AspVec3 p = scene_position(&run, "ball");
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
  return fabs(atan2(p.x, p.z) - exact);
}

static void ball_on_a_sphere_converges_with_second_order(void **state) {
  (void)state;
  const struct { double mu, angle; } cases[] = {{0, 0.535498612230829}, {5, 0.463085899056161}};
  for (int i = 0; i < 2; i++) {
    double coarse = ball_on_a_sphere_error(cases[i].mu, cases[i].angle, 0.01);
    double fine = ball_on_a_sphere_error(cases[i].mu, cases[i].angle, 0.005);
    assert_at_most(coarse, 1e-4);
    assert_near(coarse / fine, 4, 0.3);
  }
}

/* tan(slope) = 0.99 mu, the box turned against the slope by steps of 15 degrees. */
static void box_below_the_friction_angle_does_not_creep_in_any_direction(void **state) {
  (void)state;
  double slope = atan(0.99 * 0.5);
  for (int i = 0; i < 24; i++) {
    double angle = i * 0.26179938779914943;
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"gravity\": [%.17g, %.17g, %.17g], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.5}], "
        "\"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]}, {\"name\": "
        "\"box\", \"mass\": 1, \"position\": [0, 0, 0.1], \"shapes\": [{\"type\": \"box\", \"size\": [0.2, 0.2, "
        "0.2]}]}], \"run\": {\"dt\": 0.01, \"until\": 10, \"tolerance\": 1e-10}}",
        9.81 * sin(slope) * cos(angle), 9.81 * sin(slope) * sin(angle), -9.81 * cos(slope));
    SceneRun run;
    scene_open_text(&run, text);
    while (scene_step(&run)) {
    }
    assert_at_most(norm3(scene_velocity(&run, "box")), 1e-12);
    assert_at_most(norm3(sub3(scene_position(&run, "box"), vec3(0, 0, 0.1))), 1e-11); // 10 s at 1e-12 m/s
    assert_int_equal(run.uncertified, 0);
    scene_close(&run);
  }
}

/* A capsule of 45 g between two guided pads that are pressed together: it must hang still. 6 s here, a minute
 * by `ASPERITY_TEST_FULL=1`. */
static void pinched_capsule_hangs_still(void **state) {
  (void)state;
  const double press[] = {12, 60};
  double until = getenv("ASPERITY_TEST_FULL") ? 60 : 6;
  for (int i = 0; i < 2; i++) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.7}], \"bodies\": "
        "[{\"name\": \"capsule\", \"mass\": 0.045, \"orientation\": {\"axis\": [0, 1, 0], \"angle_deg\": 90}, "
        "\"shapes\": [{\"type\": \"capsule\", \"radius\": 0.004, \"length\": 0.06}]}, {\"name\": \"left\", \"mass\": "
        "0.1, \"position\": [0, -0.014, 0], \"shapes\": [{\"type\": \"box\", \"size\": [0.1, 0.02, 0.05]}]}, "
        "{\"name\": \"right\", \"mass\": 0.1, \"position\": [0, 0.014, 0], \"shapes\": [{\"type\": \"box\", \"size\": "
        "[0.1, 0.02, 0.05]}]}], \"joints\": [{\"type\": \"prismatic\", \"bodies\": [\"world\", \"left\"], \"axis\": "
        "[0, 1, 0]}, {\"type\": \"prismatic\", \"bodies\": [\"world\", \"right\"], \"axis\": [0, 1, 0]}], \"forces\": "
        "[{\"type\": \"force\", \"body\": \"left\", \"force\": [0, %g, 0]}, {\"type\": \"force\", \"body\": "
        "\"right\", \"force\": [0, %g, 0]}], \"run\": {\"dt\": 0.01, \"until\": %g, \"tolerance\": 1e-10}}",
        press[i], -press[i], until);
    SceneRun run;
    scene_open_text(&run, text);
    while (scene_step(&run)) {
    }
    assert_at_most(norm3(scene_position(&run, "capsule")), 1e-9 * until);
    assert_at_most(norm3(scene_velocity(&run, "capsule")), 1e-9);
    assert_int_equal(run.uncertified, 0);
    scene_close(&run);
  }
}

/* Edge 0.1 m, 6 m/s along an edge direction, mu = 0.5 < 1: slides v^2/(2 mu g) = 3.670 m, flat. */
static void flat_cube_slides_to_rest_without_lifting(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(
      &run, "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.5}], \"bodies\": "
            "[{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]}, {\"name\": \"cube\", "
            "\"mass\": 1, \"position\": [0, 0, 0.05], \"velocity\": [6, 0, 0], \"shapes\": [{\"type\": \"box\", "
            "\"size\": [0.1, 0.1, 0.1]}]}], \"run\": {\"dt\": 0.01, \"until\": 2, \"tolerance\": 1e-10}}");
  while (scene_step(&run))
    assert_near(scene_position(&run, "cube").z, 0.05, 1e-9);
  assert_near(scene_position(&run, "cube").x, 36 / (2 * 0.5 * 9.81),
              0.5 * 0.01 * 0.05); // half a step of the last speed
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
}

/* A mass on a spring with a damper, m = 1, from rest at x = 1: off by, at the end of 0.4 s. Damped less or more than
 * critically. */
static double oscillator_error(double k, double c, double dt) {
  char text[1024];
  snprintf(
      text, sizeof text,
      "{\"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"mass\", \"mass\": 1, \"inertia\": [1, 1, 1], "
      "\"position\": [1, 0, 0]}], \"joints\": [{\"type\": \"prismatic\", \"bodies\": [\"world\", \"mass\"], "
      "\"point\": [1, 0, 0], \"axis\": [1, 0, 0], \"initial\": 1, \"spring\": {\"stiffness\": %g, \"damping\": %g}}], "
      "\"run\": {\"dt\": %.17g, \"until\": 0.4, \"locate\": 0}}",
      k, c, dt);
  SceneRun run;
  scene_open_text(&run, text);
  scene_finish(&run);
  double x = scene_position(&run, "mass").x, t = 0.4, half = 0.5 * c, square = k - half * half, w = sqrt(fabs(square));
  double waves = exp(-half * t) * (cos(w * t) + half / w * sin(w * t));
  double slow = -k / (w + half); // w - half without cancellation
  double creeps = ((w + half) * exp(slow * t) + slow * exp(-(w + half) * t)) / (2 * w);
  scene_close(&run);
  return fabs(x - (square > 0 ? waves : creeps));
}

/* dt^2 k / m from 0.1 to 4, dt c / m from 0.02 to 10: explicit and implicit ones, that the step follows. */
static void springs_and_dampers_are_of_second_order_wherever_the_step_follows(void **state) {
  (void)state;
  const double k[] = {40, 400, 900, 100, 100}, c[] = {1, 2, 4, 60, 200}, dt[] = {0.02, 0.02, 0.02, 0.01, 0.005};
  for (int i = 0; i < 5; i++) {
    double coarse = oscillator_error(k[i], c[i], dt[i]), fine = oscillator_error(k[i], c[i], 0.5 * dt[i]),
           finest = oscillator_error(k[i], c[i], 0.25 * dt[i]);
    print_message("k %g, c %g: %.2e %.2e %.2e\n", k[i], c[i], coarse, fine, finest);
    assert_at_most(finest, fine / 3);
    assert_at_most(coarse, 0.05);
  }
}

static void a_damper_of_any_strength_holds(void **state) {
  (void)state;
  for (double c = 1e3; c < 1e8; c *= 10)
    assert_at_most(oscillator_error(1, c, 0.02), 1e-4);
}

/* A rod on a hinge at its end with a spring: dt^2 k / I is 8 with the moment of inertia about its centre, which the
 * step would damp, and 2 about the hinge. */
static void hinge_makes_its_spring_slow_enough_to_be_followed(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(&run, "{\"dimension\": 2, \"gravity\": [0, 0], \"bodies\": [{\"name\": \"rod\", \"mass\": 1, "
                        "\"inertia\": 0.083333333333333333, \"position\": [0.5, 0]}], \"joints\": [{\"type\": "
                        "\"revolute\", \"bodies\": [\"world\", \"rod\"], \"point\": [0, 0], \"initial\": 0.1, "
                        "\"spring\": {\"stiffness\": 1666.6666666666667}}], \"run\": {\"dt\": 0.02, \"until\": 2}}");
  double start = 0.5 * 1666.67 * 0.01;
  while (
      scene_step(&run)) // the energy of such a step swings, but nothing of it is lost; damped, 1 % is left after 0.4 s
    assert_near(run.info.energy.kinetic + run.info.energy.elastic, start, 0.25 * start);
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hinge_makes_its_spring_slow_enough_to_be_followed),
      cmocka_unit_test(box_below_the_friction_angle_does_not_creep_in_any_direction),
      cmocka_unit_test(pinched_capsule_hangs_still),
      cmocka_unit_test(flat_cube_slides_to_rest_without_lifting),
      cmocka_unit_test(ball_on_a_sphere_converges_with_second_order),
      cmocka_unit_test(sphere_slides_then_rolls_alike_in_every_direction),
      cmocka_unit_test(box_on_slope_sticks_below_and_slides_above_the_friction_angle),
      cmocka_unit_test(sliding_box_stops_at_the_same_distance_in_every_direction),
      cmocka_unit_test(stack_of_ten_boxes_stands),
      cmocka_unit_test(bounces_accumulate_where_they_must_at_any_step),
      cmocka_unit_test(ladder_stands_above_and_falls_below_the_critical_friction),
      cmocka_unit_test(two_balls_exchange_momentum_as_newtons_law_says),
      cmocka_unit_test(block_under_a_growing_force_slips_with_second_order),
      cmocka_unit_test(springs_and_dampers_are_of_second_order_wherever_the_step_follows),
      cmocka_unit_test(a_damper_of_any_strength_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
