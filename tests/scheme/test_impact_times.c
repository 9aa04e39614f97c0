/* Impacts act at their own instant within a step (Moreau-Jean, docs/theory/time-stepping.md): positions after them are
 * of second order, momentum and energy are those of the law of impact, whatever the phase of the step. */
#include "linalg/vec3.h"
#include "world/scene_runner.h"

/* Height of a ball of radius 0 above the floor, t after it was dropped from 1 m. */
static double bouncing_height(double e, double t) {
  double speed = sqrt(2 * 9.81), flight = sqrt(2 / 9.81);
  if (t < flight)
    return 1 - 0.5 * 9.81 * t * t;
  for (t -= flight; e > 0; t -= flight) {
    speed *= e;
    flight = 2 * speed / 9.81;
    if (t < flight)
      break;
  }
  return t * (speed - 0.5 * 9.81 * t);
}

static void bounces_keep_their_times_to_second_order(void **state) {
  (void)state;
  const double restitution[] = {0.5, 0.8, 1}, steps[] = {0.01, 0.005, 0.0025, 0.00125};
  for (int i = 0; i < 12; i++) {
    double e = restitution[i / 4], dt = steps[i % 4], most = 0;
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0, \"restitution\": "
        "%g}], "
        "\"bodies\": [{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]}, {\"name\": "
        "\"ball\", \"mass\": 1, \"position\": [0, 0, 1.1], \"shapes\": [{\"type\": \"sphere\", \"radius\": "
        "0.1}]}], \"run\": {\"dt\": %g, \"until\": 1.2}}",
        e, dt);
    SceneRun run;
    scene_open_text(&run, text);
    while (scene_step(&run))
      most = fmax(most, fabs(scene_position(&run, "ball").z - 0.1 - bouncing_height(e, run.info.t)));
    assert_at_most(most, 30 * dt * dt); // three bounces at most, each off by (g dt^2)/2 in time times speed
    scene_close(&run);
  }
}

typedef struct Content {
  AspVec3 linear, angular;
  double energy;
} Content;

/* Of all bodies, angular momentum about the origin. */
static Content content_of(const SceneRun *run) {
  const AspModel *model = run->scene.model;
  const AspState *state = asp_world_state(run->world);
  Content content = {.energy = asp_model_energy(model, state).kinetic};
  for (int body = 0; body < asp_model_body_count(model); body++) {
    AspMat3 inertia = asp_model_body_inertia(model, body);
    AspPose pose = asp_state_pose(model, state, body);
    AspVec3 p = scale3(asp_model_body_mass(model, body), asp_state_velocity(model, state, body));
    AspVec3 w = asp_state_angular_velocity(model, state, body);
    AspVec3 L = asp_model_dimension(model) == 2
                    ? vec3(0, 0, inertia.m[8] * w.z)
                    : quat_rotate(pose.orientation, mat3_times(&inertia, quat_rotate_back(pose.orientation, w)));
    content.linear = add3(content.linear, p);
    content.angular = add3(content.angular, add3(L, cross3(pose.position, p)));
  }
  return content;
}

static const char *const shots[] = {
    "{\"dimension\": 2, \"gravity\": [0, 0], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": %g, "
    "\"restitution\": %g}], \"bodies\": [{\"name\": \"rod\", \"mass\": 2, \"angle\": 0.3, \"position\": [0.4, 0.1], "
    "\"angular_velocity\": 1.5, \"shapes\": [{\"type\": \"box\", \"size\": [0.1, 1.2]}]}, {\"name\": \"ball\", "
    "\"mass\": 0.7, \"position\": [%.17g, 0.4], \"velocity\": [6, -1], \"angular_velocity\": -4, \"shapes\": "
    "[{\"type\": \"disk\", \"radius\": 0.1}]}], \"run\": {\"dt\": %g, \"until\": 0.2, \"tolerance\": 1e-12, "
    "\"project\": false}}",
    "{\"gravity\": [0, 0, 0], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": %g, \"restitution\": %g}], "
    "\"bodies\": [{\"name\": \"rod\", \"mass\": 2, \"orientation\": {\"axis\": [1, 2, 3], \"angle\": 0.4}, "
    "\"position\": [0.4, 0.1, 0.05], \"angular_velocity\": [0.5, -0.8, 1.5], \"shapes\": [{\"type\": \"box\", "
    "\"size\": [0.1, 1.2, 0.3]}]}, {\"name\": \"ball\", \"mass\": 0.7, \"inertia\": [0.004, 0.003, 0.005], "
    "\"position\": [%.17g, 0.4, 0], \"velocity\": "
    "[6, -1, 0.5], \"angular_velocity\": [1, 2, -4], \"shapes\": [{\"type\": \"sphere\", \"radius\": "
    "0.1}]}], \"run\": {\"dt\": %g, \"until\": 0.2, \"tolerance\": 1e-12, \"project\": false}}"};

/* A ball, in space with different moments of inertia, hits a turning rod off its centre: in any phase of the step linear and angular momentum
 * are kept, with friction or without; without friction e = 1 keeps the energy, and e < 1 or friction never gain. */
static void off_centre_impact_keeps_momentum_in_any_phase(void **state) {
  (void)state;
  for (int i = 0; i < 96; i++) { // with the shorter step the turning rod touches the ball again without an impact
    double mu = i / 2 % 2 ? 0.4 : 0, e = i / 4 % 2 ? 1 : 0.3, far = -0.3 - 0.011 * (i % 48 / 8);
    char text[2048];
    snprintf(text, sizeof text, shots[i % 2], mu, e, far, i < 48 ? 0.01 : 0.007);
    SceneRun run;
    scene_open_text(&run, text);
    Content before = content_of(&run);
    scene_finish(&run);
    Content after = content_of(&run);
    assert_true(norm3(sub3(scene_velocity(&run, "ball"), vec3(6, -1, i % 2 ? 0.5 : 0))) > 1); // it did hit
    assert_near(norm3(sub3(after.linear, before.linear)), 0, 1e-9);
    assert_near(norm3(sub3(after.angular, before.angular)), 0, 1e-9);
    assert_at_most(after.energy, before.energy * (1 + 1e-6));
    if (mu == 0 && e == 1)
      assert_near(after.energy / before.energy, 1, 1e-6);
    scene_close(&run);
  }
}

/* Two equal smooth balls, b the distance of the centre from the other one's way: the closed form at any step. */
static void oblique_impact_of_two_balls_has_its_closed_form(void **state) {
  (void)state;
  for (int i = 0; i < 12; i++) {
    double dt = (double[]){0.01, 0.005, 0.0025}[i % 3], b = 0.03 * (i / 3 + 1), radius = 0.1, speed = 5;
    char text[1024];
    snprintf(text, sizeof text,
             "{\"gravity\": [0, 0, 0], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0, \"restitution\": "
             "1}], \"bodies\": "
             "[{\"name\": \"a\", \"mass\": 1, \"position\": [-0.5, %.17g, 0], \"velocity\": [%g, 0, 0], \"shapes\": "
             "[{\"type\": \"sphere\", \"radius\": %g}]}, {\"name\": \"b\", \"mass\": 1, \"shapes\": [{\"type\": "
             "\"sphere\", \"radius\": %g}]}], \"run\": {\"dt\": %g, \"until\": 0.2, \"tolerance\": 1e-12}}",
             b, speed, radius, radius, dt);
    SceneRun run;
    scene_open_text(&run, text);
    scene_finish(&run);
    double back = sqrt(4 * radius * radius - b * b);
    AspVec3 n = vec3(back / (2 * radius), -b / (2 * radius), 0); // from a to b where they meet
    AspVec3 v = scale3(speed * n.x, n), at = scale3(0.2 - (0.5 - back) / speed, v);
    double bound = 2e3 * dt * dt * (b / radius) / sqrt(1 - b * b / (4 * radius * radius)); // of the normal's curvature
    assert_at_most(norm3(sub3(scene_velocity(&run, "b"), v)), bound);
    assert_at_most(norm3(sub3(scene_position(&run, "b"), at)), bound);
    scene_close(&run);
  }
}

/* A ball thrown into a corner meets two walls in one step: it passes neither, with any restitution. */
static void walls_met_one_after_the_other_are_not_passed(void **state) {
  (void)state;
  for (int i = 0; i < 60; i++) { // ways of a radius and, as long as the margin of the search, of half of it
    double e = (double[]){0, 0.5, 1}[i % 3], ahead = 0.01 * (i % 30 / 3), overlap = 0;
    char text[1024];
    snprintf(text, sizeof text,
             "{\"dimension\": 2, \"gravity\": [0, 0], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0, "
             "\"restitution\": %g}], "
             "\"bodies\": [{\"name\": \"walls\", \"fixed\": true, \"shapes\": [{\"type\": \"half-plane\"}, {\"type\": "
             "\"half-plane\", \"angle_deg\": 90, \"position\": [1, 0]}]}, {\"name\": \"ball\", \"mass\": 1, "
             "\"position\": [%.17g, 0.4], \"velocity\": [10, -10], \"shapes\": [{\"type\": \"disk\", \"radius\": "
             "0.1}]}], \"run\": {\"dt\": %g, \"until\": 0.1}}",
             e, 0.6 - ahead, i < 30 ? 0.01 : 0.005);
    SceneRun run;
    scene_open_text(&run, text);
    while (scene_step(&run)) {
      AspVec3 at = scene_position(&run, "ball");
      overlap = fmax(overlap, fmax(0.1 - at.y, at.x - 0.9));
    }
    AspVec3 v = scene_velocity(&run, "ball");
    assert_at_most(overlap, e > 0 ? 0.1 : 1e-9); // what bounces may approach for the rest of a step
    assert_near(v.x, -10 * e, 1e-9);
    assert_near(v.y, 10 * e, 1e-9);
    scene_close(&run);
  }
}

/* A disk is pushed along the floor with 20 m/s^2 while it falls, and sticks for the instant of its bounce: from there on
 * it spins with 2/3 of the speed v that it had then, w R = -2/3 v, whatever the phase of the step. */
static void friction_of_a_bounce_acts_on_the_slip_of_its_instant(void **state) {
  (void)state;
  for (int i = 0; i < 16; i++) {
    double dt = i < 8 ? 0.01 : 0.005, height = 0.5 + 0.005 * (i % 8), fall = sqrt(2 * height / 9.81);
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"dimension\": 2, \"gravity\": [0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 5, "
        "\"restitution\": 0.7}], \"bodies\": [{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": "
        "\"half-plane\"}]}, {\"name\": \"disk\", \"mass\": 1, \"position\": [0, %.17g], \"shapes\": [{\"type\": "
        "\"disk\", \"radius\": 0.1}]}], \"forces\": [{\"type\": \"force\", \"body\": \"disk\", \"force\": [20, 0]}], "
        "\"run\": {\"dt\": %g, \"until\": 0.45, \"locate\": 0}}",
        0.1 + height, dt);
    SceneRun run;
    scene_open_text(&run, text);
    scene_finish(&run);
    int disk = 1;
    double spin = asp_state_angular_velocity(run.scene.model, asp_world_state(run.world), disk).z;
    assert_near(0.1 * spin, -2.0 / 3 * 20 * fall, 30 * dt * dt); // the push of a step is 0.2 m/s
    scene_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bounces_keep_their_times_to_second_order),
      cmocka_unit_test(off_centre_impact_keeps_momentum_in_any_phase),
      cmocka_unit_test(oblique_impact_of_two_balls_has_its_closed_form),
      cmocka_unit_test(walls_met_one_after_the_other_are_not_passed),
      cmocka_unit_test(friction_of_a_bounce_acts_on_the_slip_of_its_instant),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
