/* Ellipsoids against closed forms: rocking on a plane with and without friction about both axes, one with equal radii
 * beside a ball, a fast one and a thin plate, heaps at rest. */
#include "linalg/vec3.h"
#include "scene_runner.h"

#define GRAVITY 9.81
static const char *const schemes[] = {"moreau-jean", "stewart-trinkle", "generalized-alpha", "event-driven"};

/* An ellipsoid that lies on z = 0, turned by `angle` about y, on a plane with this friction. */
static void open_rocking(SceneRun *run, const double radii[3], double angle, double mu, const char *scheme, double dt,
                         double until) {
  char text[2048];
  double height = hypot(radii[0] * sin(angle), radii[2] * cos(angle));
  snprintf(
      text, sizeof text,
      "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"default\", \"default\"], \"friction\": %g}], "
      "\"bodies\": [{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]}, {\"name\": "
      "\"egg\", \"position\": [0, 0, %.17g], \"orientation\": {\"axis\": [0, 1, 0], \"angle\": %.17g}, \"shapes\": "
      "[{\"type\": \"ellipsoid\", \"radii\": [%g, %g, %g], \"density\": 1000}]}], \"run\": {\"scheme\": \"%s\", "
      "\"dt\": %g, \"until\": %.17g}}",
      mu, height, angle, radii[0], radii[1], radii[2], scheme, dt, until);
  scene_open_text(run, text);
}

/* The centre is c above the plane and the radius of curvature below it a^2/c: w^2 = g (a^2 - c^2)/c over (a^2 + c^2)/5,
 * plus c^2 where it rolls. After half a period it leans as far to the other side. */
static void an_ellipsoid_rocks_with_the_frequency_of_its_curvature(void **state) {
  (void)state;
  const double radii[2][3] = {{0.3, 0.2, 0.1}, {0.15, 0.4, 0.12}};
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 2; k++)
      for (int rolls = 0; rolls < 2; rolls++) {
        double a = radii[k][0], c = radii[k][2], angle = 0.01;
        double inertia = (a * a + c * c) / 5 + (rolls ? c * c : 0);
        double period = 2 * 3.14159265358979323846 * sqrt(inertia / (GRAVITY * (a * a - c * c) / c));
        SceneRun run;
        open_rocking(&run, radii[k], angle, rolls ? 1 : 0, schemes[i], period / 400, period / 2);
        scene_finish(&run);
        AspQuat turn = asp_state_pose(run.scene.model, asp_world_state(run.world), scene_body(&run, "egg")).orientation;
        double near = i == 1 ? 0.05 : i == 3 ? 1e-3 : 4e-3; // of the angle; it is small, not infinitely so
        assert_near(2 * asin(turn.y), -angle, near * angle);
        assert_near(scene_angular_velocity(&run, "egg").y, 0, 5 * near * angle * 2 * 3.15 / period);
        scene_close(&run);
      }
}

/* Equal radii make a ball: it slides, then rolls with 5/7 of its speed. */
static void one_with_equal_radii_rolls_as_a_ball(void **state) {
  (void)state;
  static const char *const shapes[] = {"\"sphere\", \"radius\": 0.1", "\"ellipsoid\", \"radii\": [0.1, 0.1, 0.1]"};
  for (int i = 0; i < 4; i++) {
    AspVec3 at[2];
    for (int k = 0; k < 2; k++) {
      char text[1024];
      snprintf(
          text, sizeof text,
          "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"default\", \"default\"], \"friction\": 0.3}], "
          "\"bodies\": [{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]}, "
          "{\"name\": \"B\", \"position\": [0, 0, 0.1], \"velocity\": [0.7, 0.2, 0], \"shapes\": [{\"type\": %s, "
          "\"density\": 1000}]}], \"run\": {\"scheme\": \"%s\", \"dt\": 0.005, \"until\": 0.5}}",
          shapes[k], schemes[i]);
      SceneRun run;
      scene_open_text(&run, text);
      scene_finish(&run);
      assert_near(scene_velocity(&run, "B").x, 0.5, 1e-6);
      assert_near(scene_velocity(&run, "B").y, 1. / 7, 1e-6);
      at[k] = scene_position(&run, "B");
      scene_close(&run);
    }
    assert_true(norm3(sub3(at[0], at[1])) < 1e-6);
  }
}

/* 300 m/s, 3 m in a step, against 1 cm of steel, turning. */
/* Over a face the lowest point is the contact, to rounding, in whatever way the ellipsoid is turned, apart or
 * overlapping; iterations alone left it 1e-5 m beside it. */
static void contact_with_a_face_is_exact(void **state) {
  (void)state;
  AspShape plate = {.kind = ASP_SHAPE_BOX, .half_extents = {1, 1, 0.5}},
           egg = {.kind = ASP_SHAPE_ELLIPSOID, .half_extents = {0.1, 0.12, 0.15}};
  for (int i = 0; i < 400; i++) {
    AspQuat turn = quat_from_vector(vec3(0.013 * i, 0.7 * sin(i), 0.9 * cos(2 * i)));
    AspVec3 down = quat_rotate_back(turn, vec3(0, 0, -1)), e = egg.half_extents;
    AspVec3 scaled = vec3(e.x * down.x, e.y * down.y, e.z * down.z);
    double height = norm3(scaled), gap = (i % 2 ? 1 : -1) * pow(10, -14 + 0.02 * i);
    AspVec3 lowest = quat_rotate(turn, vec3(e.x * scaled.x / height, e.y * scaled.y / height, e.z * scaled.z / height));
    AspVec3 centre = vec3(0.3 * sin(i), 0.2, 0.5 + height + gap);
    AspCollider a = {.shape = &plate, .pose = {{0, 0, 0}, {1, 0, 0, 0}}}, b = {.shape = &egg, .pose = {centre, turn}};
    AspContact contact[ASP_MANIFOLD_MAX];
    assert_int_equal(asp_collide_pair(3, &a, &b, 1e-3, contact), 1);
    assert_near(contact[0].gap, gap, 1e-14);
    assert_near(norm3(sub3(contact[0].normal, vec3(0, 0, 1))), 0, 1e-14);
    assert_near(norm3(sub3(contact[0].point_b, add3(centre, lowest))), 0, 1e-14);
  }
}

static void a_fast_one_does_not_pass_a_thin_plate(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++)
    for (int turned = 0; turned < 3; turned++) {
      char text[1280];
      snprintf(
          text, sizeof text,
          "{\"materials\": [{\"pair\": [\"default\", \"default\"], \"friction\": 0.3}], \"bodies\": [{\"name\": "
          "\"plate\", \"fixed\": true, \"shapes\": [{\"type\": \"box\", \"size\": [4, 4, 0.01]}]}, {\"name\": "
          "\"shot\", \"position\": [0, 0, 1], \"velocity\": [10, 0, -300], \"angular_velocity\": [0, 40, 3], "
          "\"orientation\": {\"axis\": [1, 1, 0], \"angle\": %g}, \"shapes\": [{\"type\": \"ellipsoid\", \"radii\": "
          "[0.02, 0.01, 0.03], \"density\": 7800}]}], \"run\": {\"scheme\": \"%s\", \"dt\": 0.01, \"until\": "
          "0.03}}",
          0.7 * turned, schemes[i]);
      SceneRun run;
      scene_open_text(&run, text);
      while (scene_step(&run))
        assert_true(scene_position(&run, "shot").z > 0.0);
      scene_close(&run);
    }
}

/* Eggs and a box in a bowl of planes come to rest; resistance to rolling ends their rocking. */
static void a_heap_of_them_comes_to_rest(void **state) {
  (void)state;
  SceneRun run;
  scene_open_text(
      &run,
      "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"default\", \"default\"], \"friction\": 0.6, "
      "\"rolling\": 0.002}], "
      "\"bodies\": [{\"name\": \"bowl\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\", \"normal\": "
      "[0.5, 0, 1]}, {\"type\": \"half-space\", \"normal\": [-0.5, 0, 1]}, {\"type\": \"half-space\", \"normal\": "
      "[0, 0.5, 1]}, {\"type\": \"half-space\", \"normal\": [0, -0.5, 1]}]}, "
      "{\"name\": \"a\", \"position\": [0.02, 0, 0.2], \"shapes\": [{\"type\": \"ellipsoid\", \"radii\": [0.12, "
      "0.1, 0.08], \"density\": 500}]}, {\"name\": \"b\", \"position\": [-0.02, 0.03, 0.5], \"shapes\": "
      "[{\"type\": \"ellipsoid\", \"radii\": [0.07, 0.1, 0.09], \"density\": 500}]}, {\"name\": \"c\", "
      "\"position\": [0, 0, 0.8], \"shapes\": [{\"type\": \"box\", \"size\": [0.1, 0.1, 0.1], \"density\": "
      "500}]}], \"run\": {\"dt\": 0.005, \"until\": 3}}");
  scene_finish(&run);
  for (int k = 0; k < 3; k++) {
    const char *name = (const char *[]){"a", "b", "c"}[k];
    assert_true(scene_position(&run, name).z > 0.05);
    assert_true(norm3(scene_velocity(&run, name)) < 0.02);
  }
  assert_true(run.info.penetration < 1e-5);
  scene_close(&run);
}

/* The same over a flat height field, whose triangles share the lowest point's surroundings: no contact beside it. */
static void contact_with_a_height_field_is_exact(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  double heights[25] = {0};
  AspHeightField *field;
  assert_ok(context, asp_height_field_create(context, 5, 5, 0.25, 0.25, heights, &field));
  AspShape ground = {.kind = ASP_SHAPE_HEIGHT_FIELD, .field = field},
           egg = {.kind = ASP_SHAPE_ELLIPSOID, .half_extents = {0.1, 0.12, 0.15}};
  for (int i = 0; i < 400; i++) {
    AspQuat turn = quat_from_vector(vec3(0.013 * i, 0.7 * sin(i), 0.9 * cos(2 * i)));
    AspVec3 down = quat_rotate_back(turn, vec3(0, 0, -1)), e = egg.half_extents;
    AspVec3 scaled = vec3(e.x * down.x, e.y * down.y, e.z * down.z);
    double height = norm3(scaled), gap = (i % 2 ? 1 : -1) * pow(10, -14 + 0.02 * i);
    AspVec3 lowest = quat_rotate(turn, vec3(e.x * scaled.x / height, e.y * scaled.y / height, e.z * scaled.z / height));
    AspVec3 centre = vec3(0.3 + 0.001 * i, 0.4, height + gap);
    AspCollider a = {.shape = &ground, .pose = {{0, 0, 0}, {1, 0, 0, 0}}}, b = {.shape = &egg, .pose = {centre, turn}};
    AspContact contact[ASP_MANIFOLD_MAX];
    int count = asp_collide_pair(3, &a, &b, 1e-3, contact);
    assert_true(count >= 1);
    for (int k = 0; k < count; k++) {
      assert_near(contact[k].gap, gap, 1e-14);
      assert_near(norm3(sub3(contact[k].normal, vec3(0, 0, 1))), 0, 1e-14);
      assert_near(norm3(sub3(contact[k].point_b, add3(centre, lowest))), 0, 1e-14);
    }
  }
  asp_height_field_destroy(context, field);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_ellipsoid_rocks_with_the_frequency_of_its_curvature),
      cmocka_unit_test(one_with_equal_radii_rolls_as_a_ball),
      cmocka_unit_test(contact_with_a_face_is_exact),
      cmocka_unit_test(contact_with_a_height_field_is_exact),
      cmocka_unit_test(a_fast_one_does_not_pass_a_thin_plate),
      cmocka_unit_test(a_heap_of_them_comes_to_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
