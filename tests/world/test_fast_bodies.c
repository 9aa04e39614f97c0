/* world: fast bodies do not pass through thin ones, with either scheme, whatever the phase of the step, angle and
 * shape; and bodies far from a fast one do not notice it. */
#include "linalg/vec3.h"
#include "scene_runner.h"

static const char *const schemes[] = {"moreau-jean", "stewart-trinkle"};

static void open_scene(SceneRun *run, const char *scheme, double restitution, const char *gravity, const char *bodies) {
  char text[8192];
  int written = snprintf(text, sizeof text,
                         "{\"gravity\": %s, \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.3, "
                         "\"restitution\": %g}], \"bodies\": [%s],"
                         " \"run\": {\"scheme\": \"%s\", \"dt\": 0.01, \"until\": 0.05}}",
                         gravity, restitution, bodies, scheme);
  assert_true(written > 0 && written < (int)sizeof text);
  *run = (SceneRun){.context = asp_context_create(NULL)};
  assert_ok(run->context, asp_scene_parse(run->context, text, strlen(text), "text", &run->scene, NULL));
  assert_ok(run->context, asp_world_create(run->context, run->scene.model, &run->scene.run, &run->world));
}

/* The plate is fixed in z = 0, 1 mm thick and so wide that no shot can pass beside it. */
#define PLATE                                                                                                          \
  "{\"name\": \"plate\", \"fixed\": true, \"shapes\": [{\"type\": \"box\", \"size\": [1000, 1000, 0.001]}]},"

/* Every point of the shape stays above the middle of the plate. */
static void fly(SceneRun *run, double lowest_allowed) {
  while (scene_step(run)) {
    assert_true(scene_position(run, "bullet").z > lowest_allowed);
    // rolling at 100 m/s and more q is the rounding of such speeds, and E2, which is relative to q, can be that of noise
    assert_true(run->info.certified || run->info.residual.norm_q < 1e-7);
  }
}

static void bullet_of_1_cm_at_1000_m_s_stops_at_a_plate_of_1_mm(void **state) {
  (void)state;
  const double restitutions[] = {0, 0.5, 1};
  for (int scheme = 0; scheme < 2; scheme++)
    for (int phase = 0; phase < 25; phase++)
      for (int angle = 0; angle < 4; angle++)
        for (int e = 0; e < (scheme == 0 ? 3 : 1); e++) {
          // starts 0.05 to 12 m before the plate: the step of 10 m meets it anywhere, or the next one does
          double far = 0.05 + 0.5 * phase, tilt = 0.4 * angle;
          char bullet[512];
          snprintf(bullet, sizeof bullet,
                   PLATE "{\"name\": \"bullet\", \"mass\": 0.01, \"position\": [%.17g, 0, %.17g], \"velocity\": "
                         "[%.17g, 0, %.17g], \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.005}]}",
                   -far * tan(tilt), far, 1000 * sin(tilt), -1000 * cos(tilt));
          SceneRun run;
          open_scene(&run, schemes[scheme], restitutions[e], "[0, 0, -9.81]", bullet);
          fly(&run, 0.0055 - 1e-6);
          AspVec3 v = scene_velocity(&run, "bullet");
          if (restitutions[e] >
              0) // Newton's law is that of the speed of flight, and of what gravity does in five steps
            assert_near(v.z, restitutions[e] * 1000 * cos(tilt), 1);
          else
            assert_near(v.z, 0, 0.6);
          scene_close(&run);
        }
}

static void fast_shapes_of_every_kind_stop_at_a_plate_in_any_posture(void **state) {
  (void)state;
  static const char *const shapes[] = {"{\"type\": \"box\", \"size\": [0.02, 0.01, 0.005]}",
                                       "{\"type\": \"capsule\", \"radius\": 0.002, \"length\": 0.02}",
                                       "{\"type\": \"cylinder\", \"radius\": 0.004, \"length\": 0.02}",
                                       "{\"type\": \"cone\", \"radius\": 0.004, \"length\": 0.02}",
                                       "{\"type\": \"ellipsoid\", \"radii\": [0.004, 0.01, 0.002]}"};
  AspRandom random = {8};
  for (int trial = 0; trial < 160; trial++) {
    AspVec3 w = vec3(asp_random_normal(&random), asp_random_normal(&random), asp_random_normal(&random));
    AspQuat q = quat_from_vector(scale3(2, w));
    w = scale3(trial % 3 == 0 ? 0 : 30, w);
    char bullet[1024];
    snprintf(bullet, sizeof bullet,
             PLATE "{\"name\": \"bullet\", \"mass\": 0.01, \"position\": [0, 0, %.17g], \"orientation\": "
                   "[%.17g, %.17g, %.17g, %.17g], \"velocity\": [%g, %g, -1000], \"angular_velocity\": "
                   "[%.17g, %.17g, %.17g], \"shapes\": [%s]}",
             asp_random_uniform(&random, 0.02, 25), q.w, q.x, q.y, q.z, asp_random_uniform(&random, -300, 300),
             asp_random_uniform(&random, -300, 300), w.x, w.y, w.z, shapes[trial / 2 % 5]);
    SceneRun run;
    open_scene(&run, schemes[trial % 2], 0, "[0, 0, 0]", bullet);
    fly(&run, 0.0005); // the middle of the body never gets to the plate's surface
    scene_close(&run);
  }
}

/* A thin rod turns about its middle and would be behind the post within a step. */
/* Between two states a contact is known by its normal, which turns with a box but not with a ball. */
static void ball_that_spins_by_radians_in_a_step_takes_no_far_side_for_the_near_one(void **state) {
  (void)state;
  for (int spin = 0; spin < 12; spin++)
    for (int phase = 0; phase < 4; phase++) {
      char bullet[512];
      snprintf(bullet, sizeof bullet,
               PLATE "{\"name\": \"bullet\", \"mass\": 0.1, \"position\": [0, 0, %g], \"velocity\": [2, 0, -12], "
                     "\"angular_velocity\": [0, %d, 0], \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.01}]}",
               0.04 + 0.03 * phase, 60 * spin);
      SceneRun run;
      open_scene(&run, "generalized-alpha", 0.5, "[0, 0, 0]", bullet);
      while (scene_step(&run))
        assert_true(scene_position(&run, "bullet").z > 0);
      assert_near(scene_velocity(&run, "bullet").z, 6, 1e-6);
      scene_close(&run);
    }
}

static void spinning_rod_stops_at_a_thin_post(void **state) {
  (void)state;
  for (int scheme = 0; scheme < 2; scheme++)
    for (int phase = 0; phase < 24; phase++) {
      double post = 0.05 + 0.12 * phase, radius = 0.4; // angle of the post ahead of the rod, rad
      char bodies[1024];
      snprintf(bodies, sizeof bodies,
               "{\"name\": \"post\", \"fixed\": true, \"position\": [%.17g, %.17g, 0], \"shapes\": [{\"type\": "
               "\"cylinder\", \"radius\": 0.001, \"length\": 0.2}]},"
               "{\"name\": \"bullet\", \"mass\": 1, \"angular_velocity\": [0, 0, 250], \"shapes\": [{\"type\": "
               "\"box\", \"size\": [1, 0.004, 0.01]}]}",
               radius * cos(post), radius * sin(post));
      SceneRun run;
      open_scene(&run, schemes[scheme], 0, "[0, 0, 0]", bodies);
      // the side of the post in the rod's frame tells whether the rod went through it
      double side_before = 0;
      while (scene_step(&run)) {
        AspPose pose = asp_state_pose(run.scene.model, asp_world_state(run.world), scene_body(&run, "bullet"));
        AspVec3 at = pose_point_back(&pose, vec3(radius * cos(post), radius * sin(post), 0));
        if (fabs(at.x) < 0.5 && side_before != 0)
          assert_true(at.y * side_before > 0);
        side_before = at.y;
      }
      // a free rod that stops dead at one point of it keeps w L^2/12 / (L^2/12 + r^2) of its spin
      assert_near(scene_angular_velocity(&run, "bullet").z, 250 / (1 + 12 * radius * radius), 30);
      scene_close(&run);
    }
}

/* The ball at rest is hit and thrown at the plate behind it in the same step. */
static void struck_body_does_not_pass_the_plate_behind_it(void **state) {
  (void)state;
  for (int scheme = 0; scheme < 2; scheme++) {
    SceneRun run;
    open_scene(&run, schemes[scheme], 0, "[0, 0, 0]",
               PLATE "{\"name\": \"bullet\", \"mass\": 0.1, \"position\": [0, 0, 0.2], \"shapes\": [{\"type\": "
                     "\"sphere\", \"radius\": 0.01}]},"
                     "{\"name\": \"hammer\", \"mass\": 10, \"position\": [0, 0, 0.5], \"velocity\": [0, 0, -300], "
                     "\"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1}]}");
    fly(&run, 0.0105 - 1e-5);
    assert_true(scene_position(&run, "hammer").z > 0.11);
    scene_close(&run);
  }
}

/* Contacts of a quiet pile, with and without a bullet that flies by. */
static void bullet_makes_no_contacts_far_from_its_way(void **state) {
  (void)state;
  int contacts[2];
  for (int with = 0; with < 2; with++) {
    char bodies[8000] = "{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]}";
    size_t used = strlen(bodies);
    for (int i = 0; i < 20; i++)
      used +=
          (size_t)snprintf(bodies + used, sizeof bodies - used,
                           ", {\"name\": \"b%d\", \"mass\": 1, \"position\": [%g, %g, 0.5], \"shapes\": [{\"type\": "
                           "\"sphere\", \"radius\": 0.5}]}",
                           i, 1.1 * (i % 5), 1.1 * (i / 5));
    if (with)
      snprintf(bodies + used, sizeof bodies - used,
               ", {\"name\": \"bullet\", \"mass\": 0.01, \"position\": [-3, 0, 5], \"velocity\": [300, 0, 0], "
               "\"shapes\": [{\"type\": \"sphere\", \"radius\": 0.005}]}");
    SceneRun run;
    open_scene(&run, "moreau-jean", 0, "[0, 0, -9.81]", bodies);
    assert_true(scene_step(&run));
    contacts[with] = run.info.contacts;
    scene_close(&run);
  }
  assert_int_equal(contacts[0], 20); // each ball with the ground, none with its neighbour 0.1 m away
  assert_int_equal(contacts[1], contacts[0]);
}

/* Inertias of 1 : 8000, where an iteration for the gyroscopic torque that is not careful blows up. */
static void thin_rod_tumbles_without_gain_of_energy(void **state) {
  (void)state;
  for (int scheme = 0; scheme < 2; scheme++)
    for (int fast = 1; fast <= 1000; fast *= 10) {
      char rod[512];
      snprintf(rod, sizeof rod,
               "{\"name\": \"rod\", \"mass\": 1, \"angular_velocity\": [%g, %g, %g], \"shapes\": [{\"type\": "
               "\"box\", \"size\": [1, 0.004, 0.01]}]}",
               0.1 * fast, 0.3 * fast, 1.0 * fast);
      SceneRun run;
      open_scene(&run, schemes[scheme], 0, "[0, 0, 0]", rod);
      run.scene.run.until = 2;
      asp_world_destroy(run.world);
      assert_ok(run.context, asp_world_create(run.context, run.scene.model, &run.scene.run, &run.world));
      double before = asp_model_energy(run.scene.model, asp_world_state(run.world)).kinetic;
      while (scene_step(&run))
        assert_at_most(run.info.energy.kinetic, 1.05 * before);
      scene_close(&run);
    }
}

static void bullet_of_the_scene_stops_with_both_schemes(void **state) {
  (void)state;
  for (int scheme = 0; scheme < 2; scheme++) {
    SceneRun run;
    scene_open(&run, "bullet-hits-plate", 0);
    asp_world_destroy(run.world);
    run.scene.run.scheme = scheme == 0 ? ASP_SCHEME_MOREAU_JEAN : ASP_SCHEME_STEWART_TRINKLE;
    assert_ok(run.context, asp_world_create(run.context, run.scene.model, &run.scene.run, &run.world));
    while (scene_step(&run))
      assert_true(scene_position(&run, "bullet").x < -0.005); // its middle before the plate's front
    assert_int_equal(run.uncertified, 0);
    scene_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bullet_of_1_cm_at_1000_m_s_stops_at_a_plate_of_1_mm),
      cmocka_unit_test(fast_shapes_of_every_kind_stop_at_a_plate_in_any_posture),
      cmocka_unit_test(ball_that_spins_by_radians_in_a_step_takes_no_far_side_for_the_near_one),
      cmocka_unit_test(spinning_rod_stops_at_a_thin_post),
      cmocka_unit_test(struck_body_does_not_pass_the_plate_behind_it),
      cmocka_unit_test(thin_rod_tumbles_without_gain_of_energy),
      cmocka_unit_test(bullet_of_the_scene_stops_with_both_schemes),
      cmocka_unit_test(bullet_makes_no_contacts_far_from_its_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
