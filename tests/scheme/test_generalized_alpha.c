/* Generalized-alpha against closed forms and independent integrations: order 2 on a constrained pendulum and on a heavy
 * top on a ball joint, impacts and friction (docs/reference/cases.md), gaps and joints to rounding. */
#include "linalg/vec3.h"
#include "world/scene_runner.h"

#include <math.h>

#define GROUND                                                                                                         \
  "{\"name\":\"ground\",\"fixed\":true,\"shapes\":[{\"type\":\"half-plane\",\"normal\":[0,1],\"position\":[0,0]}]},"

/* A scene with its step, rho_inf and end. */
static void open_with(SceneRun *run, const char *parts, double dt, double rho_inf, double until) {
  char text[4096];
  snprintf(text, sizeof text,
           "{%s,\"run\":{\"scheme\":\"generalized-alpha\",\"dt\":%.17g,\"rho_inf\":%.17g,\"until\":%.17g}}", parts, dt,
           rho_inf, until);
  scene_open_text(run, text);
}

/* A step; gaps at its start, which is the last one's end, never below rounding. */
static bool step_without_overlap(SceneRun *run) {
  if (!scene_step(run))
    return false;
  assert_true(run->info.certified);
  assert_at_most(run->info.penetration, 1e-11);
  return true;
}

/* ---- order ---- */

typedef struct Errors {
  double q, u, lambda;
} Errors;

static void assert_second_order(Errors coarse, Errors fine) {
  assert_near(log2(coarse.q / fine.q), 2, 0.05);
  assert_near(log2(coarse.u / fine.u), 2, 0.05);
  assert_near(log2(coarse.lambda / fine.lambda), 2, 0.05);
}

/* theta and omega at 1.5 s: reference by DOP853; the rod's force is m (g cos theta + L omega^2). */
static Errors pendulum(double dt, double rho_inf) {
  const double theta = -0.35149206092911545, omega = 2.934354110060391;
  SceneRun run;
  open_with(&run,
            "\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"base\",\"fixed\":true},"
            "{\"name\":\"bob\",\"mass\":2,\"inertia\":0.1,\"position\":[0.8660254037844386,-0.5]}],"
            "\"joints\":[{\"name\":\"rod\",\"type\":\"distance\",\"bodies\":[\"base\",\"bob\"],\"point\":[0,0],"
            "\"point_b\":[0.8660254037844386,-0.5]}]",
            dt, rho_inf, 1.5);
  while (scene_step(&run)) {
    AspVec3 x = scene_position(&run, "bob"), v = scene_velocity(&run, "bob");
    assert_at_most(fabs(norm3(x) - 1), 1e-14);
    assert_at_most(fabs(dot3(x, v)), 1e-13);
  }
  assert_int_equal(run.uncertified, 0);
  AspVec3 x = scene_position(&run, "bob"), v = scene_velocity(&run, "bob");
  Errors errors = {norm3(sub3(x, vec3(sin(theta), -cos(theta), 0))),
                   norm3(sub3(v, scale3(omega, vec3(cos(theta), sin(theta), 0)))),
                   fabs(norm3(scene_joint(&run, "rod")->force) - 2 * (9.81 * cos(theta) + omega * omega))};
  scene_close(&run);
  return errors;
}

static void pendulum_is_of_second_order_in_position_velocity_and_force(void **state) {
  (void)state;
  const double rho_inf[] = {0.5, 0.8, 1};
  for (int i = 0; i < 3; i++)
    assert_second_order(pendulum(0.02, rho_inf[i]), pendulum(0.01, rho_inf[i]));
}

/* Reference at 1 s: Euler's equations about the ball joint in minimal coordinates, integrated by scipy's DOP853 with a
 * relative tolerance of 1e-13. */
static Errors heavy_top(double dt, double rho_inf) {
  const AspVec3 x1 = {0.3928925047999458, -0.1308511702046835, -0.19624844184881685};
  const AspVec3 w1 = {-6.243373785865183, 2.705778722995417, 7.1036845654876295};
  const AspVec3 f1 = {-11.987807543333057, 5.396594535103379, 7.53176256747612};
  SceneRun run;
  open_with(&run,
            "\"gravity\":[0,0,-9.81],\"bodies\":[{\"name\":\"base\",\"fixed\":true},"
            "{\"name\":\"top\",\"mass\":1.5,\"inertia\":[0.05,0.08,0.03],\"position\":[0.4,0.1,-0.2],"
            "\"velocity\":[-0.1,2.2,0.9],\"angular_velocity\":[1,-2,5]}],"
            "\"joints\":[{\"name\":\"pivot\",\"type\":\"spherical\",\"bodies\":[\"base\",\"top\"],\"point\":[0,0,0]}]",
            dt, rho_inf, 1);
  while (scene_step(&run)) {
    AspVec3 x = scene_position(&run, "top");
    AspVec3 slip = sub3(scene_velocity(&run, "top"), cross3(scene_angular_velocity(&run, "top"), x));
    assert_at_most(run.info.joint_drift, 1e-13);
    assert_at_most(norm3(slip), 1e-11);
  }
  assert_int_equal(run.uncertified, 0);
  Errors errors = {norm3(sub3(scene_position(&run, "top"), x1)), norm3(sub3(scene_angular_velocity(&run, "top"), w1)),
                   norm3(sub3(scene_joint(&run, "pivot")->force, f1))};
  scene_close(&run);
  return errors;
}

static void heavy_top_on_a_ball_joint_is_of_second_order(void **state) {
  (void)state;
  const double rho_inf[] = {0.5, 0.8, 1};
  for (int i = 0; i < 3; i++)
    assert_second_order(heavy_top(0.005, rho_inf[i]), heavy_top(0.0025, rho_inf[i]));
}

/* ---- impacts and friction ---- */

static void open_ball(SceneRun *run, double spin, double friction, const char *restitution, double height, double dt,
                      double until) {
  char parts[1024];
  snprintf(parts, sizeof parts,
           "\"dimension\":2,\"gravity\":[0,-9.81],\"materials\":[{\"pair\":[\"*\",\"*\"],\"friction\":%g%s}],"
           "\"bodies\":[" GROUND "{\"name\":\"ball\",\"mass\":1,\"inertia\":0.004,\"position\":[0,%g],"
           "\"angular_velocity\":%g,\"shapes\":[{\"type\":\"disk\",\"radius\":0.1}]}]",
           friction, restitution, height, spin);
  open_with(run, parts, dt, 0.5, until);
}

/* After its impact at t_1 the ball slips with the rate mu g R / I until it rolls; exact at the grid times. */
static void rotating_ball_slips_then_rolls_as_the_exact_solution(void **state) {
  (void)state;
  const double t1 = sqrt(2 * 0.9 / 9.81), t2 = 0.7281200;
  SceneRun run;
  open_ball(&run, 50, 0.2, "", 1, 2e-3, 1);
  while (step_without_overlap(&run)) {
    double t = run.info.t, spin = scene_angular_velocity(&run, "ball").z;
    if (t < t1)
      assert_near(spin, 50, 1e-12);
    else if (t < t2)
      assert_near(spin, 28.98929 - 0.2 * 9.81 * 0.1 / 0.004 * (t - t1), 1e-5);
    else
      assert_near(spin, 14.285714285714286, 1e-9);
  }
  assert_near(scene_velocity(&run, "ball").x, -1.4285714285714286, 1e-10);
  scene_close(&run);
  open_ball(&run, 10, 0.2, "", 1, 2e-3, 0.6);
  while (step_without_overlap(&run))
    assert_near(scene_angular_velocity(&run, "ball").z, run.info.t < t1 ? 10 : 2.8571428571428571, 1e-10);
  assert_near(scene_velocity(&run, "ball").x, -0.2857142857142857, 1e-10);
  scene_close(&run);
}

/* The largest sum of what the balance of momentum leaves over steps of dt, of the momentum. */
static double left_of_momentum(double dt) {
  const double w = sqrt(9.81 / cos(1.2)), v = w * sin(1.2);
  char parts[1024];
  SceneRun run;
  snprintf(
      parts, sizeof parts,
      "\"dimension\":3,\"gravity\":[0,-9.81,0],\"bodies\":[{\"name\":\"bob\",\"mass\":1,\"inertia\":[0.01,0.01,0.01],"
      "\"position\":[%.17g,%.17g,0],\"velocity\":[0,0,%.17g]}],\"joints\":[{\"type\":\"distance\",\"bodies\":["
      "\"world\","
      "\"bob\"],\"point\":[0,0,0],\"point_b\":[%.17g,%.17g,0]}]",
      sin(1.2), -cos(1.2), -v, sin(1.2), -cos(1.2));
  open_with(&run, parts, dt, 0.5, 2);
  AspVec3 sum = vec3(0, 0, 0);
  double most = 0;
  while (step_without_overlap(&run)) {
    sum = add3(sum, run.info.momentum.linear_remainder);
    most = fmax(most, norm3(sum) / v);
  }
  assert_int_equal(run.unresolved, 0);
  scene_close(&run);
  return most;
}

/* A conical pendulum: the force on the bob turns, and its impulses act along their direction in the middle of a step. */
static void momentum_of_what_goes_round_is_balanced_to_second_order(void **state) {
  (void)state;
  double coarse = left_of_momentum(0.01), fine = left_of_momentum(0.005);
  assert_at_most(coarse, 2e-3);
  assert_near(log2(coarse / fine), 2, 0.2);
}

static void bounces_of_the_ball_shrink_and_end_at_the_zeno_time(void **state) {
  (void)state;
  const double impact[] = {0.4515236409857309, 0.9030472819714618, 1.1288091024643272}, peak[] = {0.25, 0.0625};
  const double dt = 1e-3;
  double last = 0, settled = 0;
  int impacts = 0, peaks = 0;
  SceneRun run;
  open_ball(&run, 0, 0, ",\"restitution\":0.5", 1.1, dt, 2);
  while (step_without_overlap(&run)) {
    double speed = scene_velocity(&run, "ball").y, height = scene_position(&run, "ball").y - 0.1;
    if (last < 0 && speed > 0 && impacts < 3)
      assert_near(run.info.t, impact[impacts++], 2 * dt);
    if (last > 0 && speed <= 0 && peaks < 2)
      assert_near(height, peak[peaks++], 2 * dt);
    if (fabs(speed) > 1e-9)
      settled = run.info.t;
    last = speed;
  }
  assert_int_equal(impacts, 3);
  assert_int_equal(peaks, 2);
  assert_near(settled, 1.3545709229571927, 20 * dt);
  assert_near(asp_world_contacts(run.world)[0].impulse[0] / dt, 9.81, 1e-9);
  scene_close(&run);
}

/* e_F: slip turns back where friction can hold it, |P_F| = (1 + e_F) |u_T| / W_TT <= mu P_N. It lands inside the last
 * step, no later than a few of the shortest parts behind t_1, and slides for the rest of it: a = mu g (1 + R^2 m/I). */
static void tangential_restitution_turns_the_slip_back(void **state) {
  (void)state;
  SceneRun run;
  const double t1 = sqrt(2 * 0.9 / 9.81), until = 0.43, slows = 0.8 * 9.81 * (1 + 0.01 / 0.004), dt = 2e-3;
  open_ball(&run, 5, 0.8, ",\"tangential_restitution\":0.6", 1, dt, until);
  while (step_without_overlap(&run)) {
  }
  double slip = scene_velocity(&run, "ball").x + 0.1 * scene_angular_velocity(&run, "ball").z;
  assert_near(slip, -0.6 * 0.5 + slows * (until - t1), slows * 3 * dt / 1024);
  scene_close(&run);
}

static void open_block(SceneRun *run, const char *velocity, const char *force, double dt, double until) {
  char parts[1024];
  snprintf(parts, sizeof parts,
           "\"dimension\":2,\"gravity\":[0,-9.81],\"materials\":[{\"pair\":[\"*\",\"*\"],\"friction\":0.3}],"
           "\"bodies\":[" GROUND "{\"name\":\"block\",\"mass\":2,\"inertia\":0.1,\"position\":[0,0.1]%s,"
           "\"shapes\":[{\"type\":\"box\",\"size\":[0.4,0.2]}]}]%s",
           velocity, force);
  open_with(run, parts, dt, 0.5, until);
}

/* Errors of the order dt^2: bounded by the curvature that the kink has in the step of the change. */
static void pushed_block_begins_to_slip_when_the_force_exceeds_friction(void **state) {
  (void)state;
  const double steps[] = {0.02, 0.01, 0.005};
  for (int i = 0; i < 3; i++) {
    SceneRun run;
    open_block(&run, "", ",\"forces\":[{\"type\":\"force\",\"body\":\"block\",\"point\":[0,0],\"force\":[\"10*t\",0]}]",
               steps[i], 1);
    while (step_without_overlap(&run)) {
    }
    assert_near(scene_velocity(&run, "block").x, 0.4231249, 0.6 * steps[i] * steps[i]);
    assert_near(scene_position(&run, "block").x, 0.05802452795333332, 0.6 * steps[i] * steps[i]);
    scene_close(&run);
  }
}

static void sliding_block_stops_where_it_must(void **state) {
  (void)state;
  const double steps[] = {0.02, 0.01, 0.005};
  for (int i = 0; i < 3; i++) {
    SceneRun run;
    open_block(&run, ",\"velocity\":[2,0]", "", steps[i], 1);
    while (step_without_overlap(&run)) {
    }
    assert_near(scene_position(&run, "block").x, 0.6795786612300374, 0.6 * steps[i] * steps[i]);
    assert_at_most(fabs(scene_velocity(&run, "block").x), 1e-12);
    scene_close(&run);
  }
}

static void stack_of_two_masses_comes_to_rest(void **state) {
  (void)state;
  SceneRun run;
  open_with(
      &run,
      "\"dimension\":2,\"gravity\":[0,-9.81],\"materials\":[{\"pair\":[\"*\",\"*\"],\"friction\":0}],"
      "\"bodies\":[" GROUND
      "{\"name\":\"low\",\"mass\":1,\"inertia\":0.1,\"position\":[0,0.15],\"shapes\":[{\"type\":\"box\",\"size\":"
      "[0.1,0.1]}]},"
      "{\"name\":\"high\",\"mass\":2,\"inertia\":0.1,\"position\":[0,0.45],\"shapes\":[{\"type\":\"box\",\"size\":"
      "[0.1,0.1]}]}]",
      1e-3, 0.5, 0.5);
  while (step_without_overlap(&run)) {
  }
  double force[2] = {0, 0};
  for (int i = 0; i < asp_world_contact_count(run.world); i++) {
    const AspContactRecord *contact = &asp_world_contacts(run.world)[i];
    force[contact->body_a == 0 ? 0 : 1] += contact->impulse[0] / run.info.dt;
  }
  assert_near(scene_position(&run, "low").y, 0.05, 1e-9);
  assert_near(scene_position(&run, "high").y, 0.15, 1e-9);
  assert_near(force[0], 29.43, 1e-9);
  assert_near(force[1], 19.62, 1e-9);
  scene_close(&run);
}

/* A beam is bent by a force that ends at 0.5 s and vibrates freely for ten seconds: with rho_inf = 1 its energy stays,
 * within an error of second order that does not grow. */
static void free_vibration_keeps_its_energy(void **state) {
  (void)state;
  const double steps[] = {0.02, 0.01};
  double spread[2];
  for (int i = 0; i < 2; i++) {
    double first = 0, low = INFINITY, high = 0;
    SceneRun run;
    open_with(&run,
              "\"dimension\":2,\"gravity\":[0,0],\"bodies\":[{\"name\":\"base\",\"fixed\":true}],"
              "\"beams\":[{\"name\":\"beam\",\"length\":1,\"position\":[0,0],\"bending_stiffness\":1,"
              "\"mass_per_length\":1,\"axial_stiffness\":1e4,\"elements\":4}],"
              "\"joints\":[{\"name\":\"clamp\",\"type\":\"fixed\",\"bodies\":[\"base\",\"beam.start\"]}],"
              "\"forces\":[{\"type\":\"force\",\"body\":\"beam.end\",\"point\":[1,0],"
              "\"force\":[0,\"0.3*(1-cos(4*pi*t))*step(0.5,t)\"]}]",
              steps[i], 1, 10.5);
    while (scene_step(&run)) {
      double energy = run.info.energy.kinetic + run.info.energy.elastic;
      if (run.info.t < 0.5 + 1.5 * steps[i])
        continue;
      first = first > 0 ? first : energy;
      low = fmin(low, energy);
      high = fmax(high, energy);
    }
    assert_int_equal(run.uncertified, 0);
    double last = run.info.energy.kinetic + run.info.energy.elastic;
    spread[i] = (high - low) / first;
    assert_at_most(fabs(last - first) / first, 1e-4);
    scene_close(&run);
  }
  assert_at_most(spread[0], 3e-4);
  assert_at_most(spread[1], 0.3 * spread[0]);
}

/* ---- rest: nothing to compare errors with but the bodies' size ---- */

static void beam_without_load_stays_at_rest(void **state) {
  (void)state;
  const char *parts = "\"dimension\":2,\"gravity\":[0,0],\"bodies\":[{\"name\":\"ground\",\"fixed\":true}],\"beams\":["
                      "{\"name\":\"beam\",\"length\":1,\"mass_per_length\":1,\"bending_stiffness\":10,"
                      "\"axial_stiffness\":100000,\"elements\":4}],\"joints\":[{\"type\":\"fixed\",\"bodies\":"
                      "[\"ground\",\"beam.start\"]}]";
  for (double dt = 0.001; dt < 0.1; dt *= 4) {
    SceneRun run;
    open_with(&run, parts, dt, 0.5, 10 * dt);
    scene_finish(&run);
    assert_int_equal(run.uncertified, 0);
    assert_near(scene_position(&run, "beam.end").y, 0, 1e-12);
    assert_at_most(run.info.energy.kinetic, 1e-18);
    scene_close(&run);
  }
}

static void damped_oscillator_comes_to_rest_under_its_load(void **state) {
  (void)state;
  const char *parts = "\"dimension\":2,\"bodies\":[{\"name\":\"m\",\"mass\":1,\"inertia\":1,\"position\":[1,0]}],"
                      "\"forces\":[{\"type\":\"spring\",\"bodies\":[\"world\",\"m\"],\"points\":[[0,0],[1,0]],"
                      "\"stiffness\":100,\"damping\":10},{\"type\":\"force\",\"body\":\"m\",\"force\":[1,0]}]";
  SceneRun run;
  open_with(&run, parts, 0.01, 0.5, 10);
  scene_finish(&run);
  assert_int_equal(run.uncertified, 0);
  assert_near(scene_position(&run, "m").x, 1.01, 1e-12);
  scene_close(&run);
}

/* The torque 0.5 N m against J = 0.5 kg m^2 stops 4 rad/s in 4 s, after 8 rad; (4 rad/s dt)^2 = 1.6e-3. */
static void dry_joint_stops_the_arm_for_good(void **state) {
  (void)state;
  const char *parts = "\"bodies\":[{\"name\":\"arm\",\"mass\":1,\"inertia\":[0.25,0.25,0.25],\"position\":[0.5,0,0],"
                      "\"velocity\":[0,2,0],\"angular_velocity\":[0,0,4]}],\"joints\":[{\"type\":\"revolute\","
                      "\"bodies\":[\"world\",\"arm\"],\"point\":[0,0,0],\"axis\":[0,0,1],\"friction\":0.5}]";
  SceneRun run;
  open_with(&run, parts, 0.01, 0.5, 6);
  scene_finish(&run);
  assert_int_equal(run.uncertified, 0);
  assert_near(scene_position(&run, "arm").x, 0.5 * cos(8), 1e-3);
  assert_near(scene_position(&run, "arm").y, 0.5 * sin(8), 1e-3);
  assert_at_most(run.info.energy.kinetic, 1e-20);
  scene_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum_is_of_second_order_in_position_velocity_and_force),
      cmocka_unit_test(heavy_top_on_a_ball_joint_is_of_second_order),
      cmocka_unit_test(rotating_ball_slips_then_rolls_as_the_exact_solution),
      cmocka_unit_test(momentum_of_what_goes_round_is_balanced_to_second_order),
      cmocka_unit_test(bounces_of_the_ball_shrink_and_end_at_the_zeno_time),
      cmocka_unit_test(tangential_restitution_turns_the_slip_back),
      cmocka_unit_test(pushed_block_begins_to_slip_when_the_force_exceeds_friction),
      cmocka_unit_test(sliding_block_stops_where_it_must),
      cmocka_unit_test(stack_of_two_masses_comes_to_rest),
      cmocka_unit_test(free_vibration_keeps_its_energy),
      cmocka_unit_test(beam_without_load_stays_at_rest),
      cmocka_unit_test(damped_oscillator_comes_to_rest_under_its_load),
      cmocka_unit_test(dry_joint_stops_the_arm_for_good),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
