/* shape: hulls against the definition (every point below every face, every face through its corners, Euler's formula),
 * mass properties against closed forms and against each other. */
#include "asperity/shape.h"
#include "base/constants.h"
#include "failing_allocator.h"
#include "linalg/vec3.h"
#include "testing.h"

static AspVec3 random_vector(AspRandom *random) {
  return vec3(asp_random_uniform(random, -1, 1), asp_random_uniform(random, -1, 1), asp_random_uniform(random, -1, 1));
}

/* Every point is at most `slack` above every face, faces are convex and turn counterclockwise, V - E + F = 2, an edge
 * lies on its two faces, every vertex is one of the points. */
static void check_hull(const AspHull *hull, const AspVec3 *points, int count, double slack) {
  assert_int_equal(hull->vertex_count - hull->edge_count + hull->face_count, 2);
  for (int f = 0; f < hull->face_count; f++) {
    AspVec3 n = hull->normals[f];
    assert_near(norm3(n), 1, 1e-12);
    const int *v = hull->face_vertex + hull->face_start[f];
    int corners = hull->face_start[f + 1] - hull->face_start[f];
    double offset = dot3(n, hull->vertices[v[0]]);
    for (int i = 0; i < count; i++)
      assert_at_most(dot3(n, points[i]) - offset, slack);
    for (int k = 0; k < corners; k++) {
      AspVec3 a = hull->vertices[v[k]], b = hull->vertices[v[(k + 1) % corners]],
              c = hull->vertices[v[(k + 2) % corners]];
      assert_near(dot3(n, a), offset, slack);
      assert_true(dot3(n, cross3(sub3(b, a), sub3(c, b))) > 0);
    }
  }
  for (int e = 0; e < hull->edge_count; e++) {
    const int *edge = hull->edges + 4 * e;
    AspVec3 d = sub3(hull->vertices[edge[1]], hull->vertices[edge[0]]);
    AspVec3 across = cross3(hull->normals[edge[2]], hull->normals[edge[3]]);
    assert_true(dot3(d, across) > 0 || norm3(across) < 1e-6);
  }
  for (int i = 0; i < hull->vertex_count; i++) {
    double nearest = INFINITY;
    for (int k = 0; k < count; k++)
      nearest = fmin(nearest, norm3(sub3(hull->vertices[i], points[k])));
    assert_at_most(nearest, 1e-15);
  }
}

static void random_points_have_a_hull_that_meets_the_definition(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {1};
  AspVec3 points[300];
  for (int trial = 0; trial < 60; trial++) {
    int count = 4 + (int)asp_random_uniform(&random, 0, 296);
    for (int i = 0; i < count; i++) {
      points[i] = random_vector(&random);
      if (trial % 3 == 1)
        points[i] = unit3(points[i]); // all on a sphere
      if (trial % 3 == 2)             // a small lattice: many coplanar, collinear and repeated points
        points[i] = vec3(round(2 * points[i].x), round(2 * points[i].y), round(2 * points[i].z));
    }
    AspHull *hull;
    AspError error = asp_hull_create(context, 3, points, count, &hull);
    if (error != ASP_OK && count < 12)
      continue; // a few lattice points may well be flat
    assert_ok(context, error);
    check_hull(hull, points, count, 4e-9);
    asp_hull_destroy(context, hull);
  }
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

static void noisy_cube_grid_has_six_faces(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {5};
  AspVec3 points[343];
  for (int i = 0; i < 343; i++) {
    AspVec3 noise = scale3(1e-12, random_vector(&random));
    points[i] = add3(vec3(i % 7, i / 7 % 7, i / 49), noise);
  }
  AspHull *hull;
  assert_ok(context, asp_hull_create(context, 3, points, 343, &hull));
  assert_int_equal(hull->face_count, 6);
  assert_int_equal(hull->edge_count, 12);
  assert_int_equal(hull->vertex_count, 8);
  assert_near(hull->unit.mass, 216, 1e-8);
  asp_hull_destroy(context, hull);
  asp_context_destroy(context);
}

static void flat_and_broken_points_are_refused(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspVec3 flat[10], line[10], same[10], broken[4] = {{0, 0, 0}, {1, 0, 0}, {0, NAN, 0}, {0, 0, 1}};
  for (int i = 0; i < 10; i++) {
    flat[i] = vec3(i, i * i, 3 * i + 2 * i * i);
    line[i] = vec3(i, 2 * i, 0);
    same[i] = vec3(1, 1, 1);
  }
  AspHull *hull;
  assert_int_equal(asp_hull_create(context, 3, flat, 10, &hull), ASP_ERROR_INPUT);
  assert_int_equal(asp_hull_create(context, 3, line, 10, &hull), ASP_ERROR_INPUT);
  assert_int_equal(asp_hull_create(context, 3, same, 10, &hull), ASP_ERROR_INPUT);
  assert_int_equal(asp_hull_create(context, 3, broken, 4, &hull), ASP_ERROR_INPUT);
  assert_int_equal(asp_hull_create(context, 2, line, 10, &hull), ASP_ERROR_INPUT);
  assert_int_equal(asp_hull_create(context, 3, flat, 3, &hull), ASP_ERROR_INPUT);
  assert_null(hull);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

static void compare_mass(AspMassProperties a, AspMassProperties b, double size, double tolerance) {
  assert_near(a.mass, b.mass, tolerance * b.mass);
  assert_near(norm3(sub3(a.centre, b.centre)), 0, tolerance * size);
  for (int i = 0; i < 9; i++)
    assert_near(a.inertia.m[i], b.inertia.m[i], tolerance * b.mass * size * size);
}

static void hull_of_a_box_has_the_mass_of_the_box(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspShape box = {.kind = ASP_SHAPE_BOX, .half_extents = {1, 2, 3}};
  AspPose pose = {{4, -5, 6}, quat_from_vector(vec3(0.3, 1, -0.5))};
  AspVec3 points[8];
  for (int i = 0; i < 8; i++)
    points[i] = pose_point(&pose, vec3(i & 1 ? 1 : -1, i & 2 ? 2 : -2, i & 4 ? 3 : -3));
  AspShape mesh = {.kind = ASP_SHAPE_CONVEX};
  AspHull *hull;
  assert_ok(context, asp_hull_create(context, 3, points, 8, &hull));
  mesh.hull = hull;
  AspMassProperties of_box, of_mesh;
  assert_ok(context, asp_shape_mass(context, &box, 3, 7, &of_box));
  assert_ok(context, asp_shape_mass(context, &mesh, 3, 7, &of_mesh));
  compare_mass(of_mesh, asp_mass_transform(&of_box, &pose), 3, 1e-12);
  asp_hull_destroy(context, hull);
  asp_context_destroy(context);
}

/* Profile of a solid of revolution at height z, as a hull of many points: inscribed, so smaller by O(1/n^2). */
static void finely_meshed_round_solids_have_the_mass_of_the_formula(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  const AspShape solids[] = {{.kind = ASP_SHAPE_CYLINDER, .radius = 0.5, .half_length = 1.5},
                             {.kind = ASP_SHAPE_CONE, .radius = 0.8, .half_length = 0.7},
                             {.kind = ASP_SHAPE_CAPSULE, .radius = 0.6, .half_length = 0.9},
                             {.kind = ASP_SHAPE_SPHERE, .radius = 1.1},
                             {.kind = ASP_SHAPE_ELLIPSOID, .half_extents = {0.7, 1.3, 0.4}}};
  enum { AROUND = 64, ALONG = 33 };
  static AspVec3 points[AROUND * ALONG * 2];
  for (size_t s = 0; s < sizeof solids / sizeof *solids; s++) {
    const AspShape *shape = &solids[s];
    bool ellipsoid = shape->kind == ASP_SHAPE_ELLIPSOID; // a stretched ball
    double r = ellipsoid ? 1 : shape->radius, h = shape->kind == ASP_SHAPE_SPHERE ? 0 : shape->half_length;
    AspVec3 stretch = ellipsoid ? shape->half_extents : vec3(1, 1, 1);
    int count = 0;
    for (int i = 0; i < 2 * ALONG; i++)
      for (int k = 0; k < AROUND; k++) {
        double lift = 0.5 * ASP_PI * (i % ALONG) / (ALONG - 1), side = i < ALONG ? 1 : -1, rho, z;
        if (shape->kind == ASP_SHAPE_CYLINDER || shape->kind == ASP_SHAPE_CONE) {
          z = side * h;
          rho = shape->kind == ASP_SHAPE_CONE && side > 0 ? 0 : r;
        } else {
          z = side * (h + r * sin(lift));
          rho = r * cos(lift);
        }
        double angle = 2 * ASP_PI * k / AROUND;
        points[count++] = vec3(stretch.x * rho * cos(angle), stretch.y * rho * sin(angle), stretch.z * z);
      }
    AspHull *hull;
    AspMassProperties exact;
    assert_ok(context, asp_hull_create(context, 3, points, count, &hull));
    assert_ok(context, asp_shape_mass(context, shape, 3, 1, &exact));
    compare_mass(hull->unit, exact, r + h, 6e-3); // 2 pi^2 / (3 n^2) = 1.6e-3 of the area for n = 64
    asp_hull_destroy(context, hull);
  }
  asp_context_destroy(context);
}

static void polygons_are_ordered_and_have_the_mass_of_the_formula(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspVec3 points[400];
  AspRandom random = {3};
  for (int i = 0; i < 400; i++) {
    double angle = asp_random_uniform(&random, 0, 7), r = i < 390 ? 1 : 0.3;
    points[i] = vec3(2 + r * cos(angle), 3 + r * sin(angle), 0);
  }
  AspHull *hull;
  assert_ok(context, asp_hull_create(context, 2, points, 400, &hull));
  for (int i = 0; i < hull->vertex_count; i++)
    for (int k = 0; k < 400; k++)
      assert_at_most(dot3(hull->normals[i], sub3(points[k], hull->vertices[i])), 1e-11);
  AspShape disk = {.kind = ASP_SHAPE_DISK, .radius = 1},
           capsule = {.kind = ASP_SHAPE_CAPSULE, .radius = 0.5, .half_length = 2};
  AspMassProperties exact;
  assert_ok(context, asp_shape_mass(context, &disk, 2, 1, &exact));
  exact.centre = vec3(2, 3, 0);
  compare_mass(hull->unit, exact, 1, 2e-3);
  asp_hull_destroy(context, hull);
  for (int i = 0; i < 400; i++) {
    double angle = 2 * ASP_PI * i / 400;
    points[i] = vec3(0.5 * cos(angle) + (cos(angle) > 0 ? 2 : -2), 0.5 * sin(angle), 0);
  }
  assert_ok(context, asp_hull_create(context, 2, points, 400, &hull));
  assert_ok(context, asp_shape_mass(context, &capsule, 2, 1, &exact));
  compare_mass(hull->unit, exact, 2, 1e-3);
  asp_hull_destroy(context, hull);
  asp_context_destroy(context);
}

static void hollow_mesh_is_reported_by_how_much_of_its_hull_it_fills(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  // an L of three unit cubes pulled out of the plane: hull volume 3.5, mesh volume 3
  const double xy[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  const int cap[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
  AspVec3 points[12];
  int triangles[20][3], count = 0;
  for (int i = 0; i < 12; i++)
    points[i] = vec3(xy[i % 6][0], xy[i % 6][1], i / 6);
  for (int t = 0; t < 4; t++) {
    memcpy(triangles[count++], (int[3]){cap[t][0], cap[t][2], cap[t][1]}, sizeof *triangles);
    memcpy(triangles[count++], (int[3]){cap[t][0] + 6, cap[t][1] + 6, cap[t][2] + 6}, sizeof *triangles);
  }
  for (int i = 0; i < 6; i++) {
    int j = (i + 1) % 6;
    memcpy(triangles[count++], (int[3]){i, j, j + 6}, sizeof *triangles);
    memcpy(triangles[count++], (int[3]){i, j + 6, i + 6}, sizeof *triangles);
  }
  AspHull *hull;
  double filled;
  assert_ok(context, asp_hull_from_mesh(context, points, 12, (const int(*)[3])triangles, count, &hull, &filled));
  assert_near(filled, 3 / 3.5, 1e-12);
  assert_true(filled < ASP_HULL_FILLED_CONVEX);
  asp_hull_destroy(context, hull);
  triangles[7][1] = 12;
  assert_int_equal(asp_hull_from_mesh(context, points, 12, (const int(*)[3])triangles, count, &hull, &filled),
                   ASP_ERROR_INPUT);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

static void every_kth_allocation_failure_of_a_hull_is_clean(void **state) {
  (void)state;
  AspVec3 points[30];
  AspRandom random = {9};
  for (int i = 0; i < 30; i++)
    points[i] = random_vector(&random);
  for (int dimension = 2; dimension <= 3; dimension++) {
    bool done = false;
    for (int k = 1; !done; k++) {
      FailingAllocator failing;
      AspContext *context = failing_context(&failing);
      assert_non_null(context);
      failing.until_failure = k - 1;
      AspHull *hull;
      AspError error = asp_hull_create(context, dimension, points, 30, &hull);
      done = error == ASP_OK;
      assert_true(done || error == ASP_ERROR_MEMORY);
      asp_hull_destroy(context, hull);
      assert_int_equal(asp_context_memory_in_use(context), 0);
      asp_context_destroy(context);
      assert_true(k < 100);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_points_have_a_hull_that_meets_the_definition),
      cmocka_unit_test(noisy_cube_grid_has_six_faces),
      cmocka_unit_test(flat_and_broken_points_are_refused),
      cmocka_unit_test(hull_of_a_box_has_the_mass_of_the_box),
      cmocka_unit_test(finely_meshed_round_solids_have_the_mass_of_the_formula),
      cmocka_unit_test(polygons_are_ordered_and_have_the_mass_of_the_formula),
      cmocka_unit_test(hollow_mesh_is_reported_by_how_much_of_its_hull_it_fills),
      cmocka_unit_test(every_kth_allocation_failure_of_a_hull_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
