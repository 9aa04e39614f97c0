/* Rotation of bodies of any inertia by Moreau-Jean: against an own integration of high order, and what free rotation
 * keeps. */
#include "linalg/vec3.h"
#include "world/scene_runner.h"

/* Where the axis of a heavy top points after 1 s: 0.5 kg, centre 0.1 m from its point, spin 50 rad/s, inclined by
 * 0.6 rad; A = 0.002, C of its own, kg m^2. */
static AspVec3 axis_of_top(double C, double dt) {
  char text[1024];
  snprintf(
      text, sizeof text,
      "{\"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"top\", \"mass\": 0.5, \"inertia\": [0.002, 0.002, %g], "
      "\"position\": [0, -0.05646424733950354, 0.08253356149096784], \"orientation\": {\"axis\": [1, 0, 0], "
      "\"angle\": 0.6}, \"angular_velocity\": [0, -28.23212366975177, 41.26678074548391]}], \"joints\": [{\"type\": "
      "\"spherical\", \"bodies\": [\"world\", \"top\"], \"point\": [0, 0, 0]}], \"run\": {\"dt\": %g, \"until\": 1}}",
      C, dt);
  SceneRun run;
  scene_open_text(&run, text);
  scene_finish(&run);
  AspQuat q = asp_state_pose(run.scene.model, asp_world_state(run.world), scene_body(&run, "top")).orientation;
  scene_close(&run);
  return quat_rotate(q, vec3(0, 0, 1));
}

/* Error of order 2. The axis (-0.287643, -0.795100, -0.533927) is that of an own integration of high order. */
static void heavy_top_precesses_with_second_order(void **state) {
  (void)state;
  const AspVec3 exact = {-0.287643, -0.795100, -0.533927};
  double coarse = norm3(sub3(axis_of_top(0.001, 0.0025), exact));
  double fine = norm3(sub3(axis_of_top(0.001, 0.00125), exact));
  print_message("heavy top: off by %.2e, %.2e\n", coarse, fine);
  assert_at_most(coarse, 0.01);
  assert_at_most(fine, 0.4 * coarse);
}

/* A thick top has no reference but itself: differences of steps fall by four. */
static void thick_top_converges_with_second_order(void **state) {
  (void)state;
  AspVec3 a = axis_of_top(0.0035, 0.0025), b = axis_of_top(0.0035, 0.00125), c = axis_of_top(0.0035, 0.000625);
  print_message("thick top: differences %.2e, %.2e\n", norm3(sub3(a, b)), norm3(sub3(b, c)));
  assert_at_most(norm3(sub3(b, c)), 0.4 * norm3(sub3(a, b)));
}

/* Two to eight radians in a step. */
static void free_spin_keeps_momentum_and_energy_at_any_step(void **state) {
  (void)state;
  const double steps[] = {0.01, 0.02, 0.04};
  for (int i = 0; i < 3; i++) {
    char text[512];
    snprintf(
        text, sizeof text,
        "{\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [1, 2, 3], \"angular_velocity\": [20, 198, 20]}], "
        "\"run\": {\"dt\": %g, \"until\": 1}}",
        steps[i]);
    SceneRun run;
    scene_open_text(&run, text);
    double start = 0.5 * (400 + 2 * 198 * 198 + 3 * 400);
    while (scene_step(&run)) {
      AspPose pose = asp_state_pose(run.scene.model, asp_world_state(run.world), scene_body(&run, "a"));
      AspVec3 w = quat_rotate_back(pose.orientation, scene_angular_velocity(&run, "a"));
      AspVec3 L = quat_rotate(pose.orientation, vec3(w.x, 2 * w.y, 3 * w.z));
      assert_near(norm3(sub3(L, vec3(20, 396, 60))) / 400, 0, 1e-11);
      assert_near(run.info.energy.kinetic / start, 1, 1e-11);
    }
    scene_close(&run);
  }
}

/* A thin rod that falls on a floor and spins about its axis by many radians in a step gains nothing. */
static void needle_on_a_floor_gains_no_energy(void **state) {
  (void)state;
  const double steps[] = {0.01, 0.005, 0.002};
  for (int i = 0; i < 3; i++) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.125, \"restitution\": "
        "0.5}], \"bodies\": [{\"name\": \"plate\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]}, "
        "{\"name\": \"rod\", \"mass\": 8.6, \"position\": [-0.1, -0.08, 0.3], \"orientation\": {\"axis\": [-0.23, "
        "-0.49, -0.84], \"angle\": 0.4535}, \"velocity\": [1.86, -0.96, -0.18], \"angular_velocity\": [-4.1, -0.74, "
        "-0.28], \"shapes\": "
        "[{\"type\": \"box\", \"size\": [0.3, 0.004, 0.004]}]}], \"run\": {\"dt\": %g, \"until\": 1}}",
        steps[i]);
    SceneRun run;
    double most = 0;
    scene_open_text(&run, text);
    while (scene_step(&run)) {
      double energy = run.info.energy.kinetic + run.info.energy.gravitational;
      most = most > 0 ? most : energy;
      assert_at_most(energy, 1.001 * most);
    }
    scene_close(&run);
  }
}

/* A disk that rolls on its rim, inclined, without slip: nothing takes energy. */
static void rolling_disk_keeps_its_energy_to_second_order(void **state) {
  (void)state;
  double lost[2];
  for (int i = 0; i < 2; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 1}], \"bodies\": "
             "[{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]}, {\"name\": \"d\", "
             "\"mass\": 1, \"inertia\": [0.125, 0.125, 0.125], \"position\": [0, 0, 0.08460677701616003], "
             "\"orientation\": {\"axis\": [0, 1, 0], \"angle\": 0.15}, \"angular_velocity\": [2.3871309185124074, 0, "
             "-0.4097607558972042], \"shapes\": [{\"type\": \"cylinder\", \"radius\": 0.5, \"length\": 0.02}]}], "
             "\"run\": {\"dt\": %g, \"until\": 0.5, \"locate\": 0}}", // equal steps: parts lose less, of no order
             i ? 0.001 : 0.002);
    SceneRun run;
    scene_open_text(&run, text);
    double start = 9.81 * 0.08460677701616003 + 0.5 * 0.125 * (2.3871309185124074 * 2.3871309185124074 + 0.16790387);
    scene_finish(&run);
    lost[i] = fabs(run.info.energy.kinetic + run.info.energy.gravitational - start);
    scene_close(&run);
  }
  print_message("rolling disk: energy off by %.2e, %.2e J\n", lost[0], lost[1]);
  assert_at_most(lost[0], 2e-3); // of 1.2 J
  assert_at_most(lost[1], 0.35 * lost[0]);
}

/* A body with three different moments of inertia, turned by 0.1 rad in a step: where it points after 1 s. */
static AspQuat tumbled(double dt) {
  char text[512];
  SceneRun run;
  snprintf(text, sizeof text,
           "{\"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"stone\", \"mass\": 1, \"inertia\": [1, 2, 2.5], "
           "\"angular_velocity\": [3, 4, 2]}], \"run\": {\"dt\": %g, \"until\": 1, \"locate\": 0}}",
           dt);
  scene_open_text(&run, text);
  scene_finish(&run);
  AspQuat q = asp_state_pose(run.scene.model, asp_world_state(run.world), 0).orientation;
  scene_close(&run);
  return q;
}

static void free_rotation_is_followed_far_better_than_its_steps(void **state) {
  (void)state;
  AspQuat exact = tumbled(2.5e-4);
  for (int i = 0; i < 2; i++) {
    AspQuat q = tumbled(i ? 0.01 : 0.02);
    double same = fabs(q.w * exact.w + q.x * exact.x + q.y * exact.y + q.z * exact.z);
    double off = 2 * sqrt(fmax(2 - 2 * same, 0));
    print_message("tumbling: off by %.2e rad of 5.4\n", off);
    assert_at_most(off, 1e-4); // steps of the midpoint rule: 1e-3
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heavy_top_precesses_with_second_order),
      cmocka_unit_test(thick_top_converges_with_second_order),
      cmocka_unit_test(free_spin_keeps_momentum_and_energy_at_any_step),
      cmocka_unit_test(needle_on_a_floor_gains_no_energy),
      cmocka_unit_test(rolling_disk_keeps_its_energy_to_second_order),
      cmocka_unit_test(free_rotation_is_followed_far_better_than_its_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
