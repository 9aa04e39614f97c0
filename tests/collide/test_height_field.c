/* collide: height fields. Spheres against the closed form over all triangles, other shapes by bounds, no ghost contacts
 * on flat ground, and the same answer as a half-space where the field is flat. */
#include "base/constants.h"
#include "collide/scenes.h"

enum { COLUMNS = 9, ROWS = 7 };

static AspHeightField *make_field(AspContext *context, AspRandom *random, double roughness) {
  double heights[COLUMNS * ROWS];
  for (int i = 0; i < COLUMNS * ROWS; i++)
    heights[i] = roughness * asp_random_uniform(random, -1, 1);
  AspHeightField *field;
  assert_ok(context, asp_height_field_create(context, COLUMNS, ROWS, 0.5, 0.4, heights, &field));
  return field;
}

static AspVec3 corner(const AspHeightField *f, int column, int row) {
  return vec3(column * f->dx, row * f->dy, f->heights[row * f->columns + column]);
}

/* The t-th triangle, counterclockwise from above. */
static void triangle(const AspHeightField *f, int t, AspVec3 p[3]) {
  int cell = t / 2, column = cell % (f->columns - 1), row = cell / (f->columns - 1);
  p[0] = corner(f, column, row);
  p[1] = t % 2 ? corner(f, column + 1, row + 1) : corner(f, column + 1, row);
  p[2] = t % 2 ? corner(f, column, row + 1) : corner(f, column + 1, row + 1);
}

static int triangle_count(const AspHeightField *f) { return 2 * (f->columns - 1) * (f->rows - 1); }

static double segment_distance(AspVec3 x, AspVec3 a, AspVec3 b) {
  AspVec3 d = sub3(b, a);
  double t = fmax(0, fmin(1, dot3(sub3(x, a), d) / dot3(d, d)));
  return norm3(sub3(x, axpy3(a, t, d)));
}

static double triangle_distance(AspVec3 x, const AspVec3 p[3]) {
  AspVec3 n = unit3(cross3(sub3(p[1], p[0]), sub3(p[2], p[0])));
  bool over = true;
  double edge = INFINITY;
  for (int i = 0; i < 3; i++) {
    AspVec3 e = sub3(p[(i + 1) % 3], p[i]);
    over = over && dot3(cross3(e, sub3(x, p[i])), n) >= 0;
    edge = fmin(edge, segment_distance(x, p[i], p[(i + 1) % 3]));
  }
  return over ? fabs(dot3(n, sub3(x, p[0]))) : edge;
}

static double ground_height(const AspHeightField *f, double x, double y) {
  int column = (int)(x / f->dx), row = (int)(y / f->dy);
  double u = x / f->dx - column, v = y / f->dy - row;
  double h00 = corner(f, column, row).z, h11 = corner(f, column + 1, row + 1).z;
  return u >= v ? h00 + u * (corner(f, column + 1, row).z - h00) + v * (h11 - corner(f, column + 1, row).z)
                : h00 + v * (corner(f, column, row + 1).z - h00) + u * (h11 - corner(f, column, row + 1).z);
}

static double least_gap(const AspContact *contacts, int count) {
  double gap = INFINITY;
  for (int i = 0; i < count; i++)
    gap = fmin(gap, contacts[i].gap);
  return gap;
}

static void sphere_gap_is_the_distance_to_the_nearest_triangle(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {21};
  for (int trial = 0; trial < 2000; trial++) {
    AspHeightField *field = make_field(context, &random, 0.3);
    AspShape ground = {.kind = ASP_SHAPE_HEIGHT_FIELD, .field = field}, ball = {.kind = ASP_SHAPE_SPHERE};
    ball.radius = asp_random_uniform(&random, 0.05, 0.6);
    AspCollider a = {
        .shape = &ground, .pose = {random_vector(&random, 3), random_turn(&random, 3)}, .group = 1, .mask = 1};
    double x = asp_random_uniform(&random, 0.6, 3.3), y = asp_random_uniform(&random, 0.6, 1.7);
    AspVec3 centre = vec3(x, y, ground_height(field, x, y) + asp_random_uniform(&random, 0.01, 1));
    AspCollider b = {.shape = &ball,
                     .pose = {pose_point(&a.pose, centre), random_turn(&random, 3)},
                     .owner = 1,
                     .group = 1,
                     .mask = 1};
    double exact = INFINITY;
    for (int t = 0; t < triangle_count(field); t++) {
      AspVec3 p[3];
      triangle(field, t, p);
      exact = fmin(exact, triangle_distance(centre, p));
    }
    AspContact contacts[ASP_MANIFOLD_MAX];
    int count = asp_collide_pair(3, &a, &b, 2, contacts);
    assert_true(count > 0);
    assert_near(least_gap(contacts, count), exact - ball.radius, 1e-9);
    for (int i = 0; i < count; i++) {
      assert_near(dot3(contacts[i].normal, sub3(contacts[i].point_b, contacts[i].point_a)), contacts[i].gap, 1e-12);
      assert_near(norm3(sub3(contacts[i].point_b, b.pose.position)), ball.radius, 1e-9);
    }
    asp_height_field_destroy(context, field);
  }
  asp_context_destroy(context);
}

/* Upper bound: points on the surface and in the shape. Lower bound: for every triangle some direction separates by the
 * gap; found by climbing from the contact normal and the triangle's own. */
static void gap_of_other_shapes_lies_between_the_bounds(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  Hulls hulls = make_hulls(context);
  AspRandom random = {22};
  const AspShapeKind kinds[] = {ASP_SHAPE_BOX, ASP_SHAPE_CAPSULE, ASP_SHAPE_CYLINDER, ASP_SHAPE_CONE, ASP_SHAPE_CONVEX};
  for (int trial = 0; trial < 100; trial++) {
    AspHeightField *field = make_field(context, &random, 0.3);
    AspShape ground = {.kind = ASP_SHAPE_HEIGHT_FIELD, .field = field};
    AspShape shape = random_shape(&random, &hulls, kinds[trial % 5], 0.3);
    AspCollider a = {.shape = &ground, .pose = pose_identity(), .group = 1, .mask = 1};
    AspCollider b = {.shape = &shape, .owner = 1, .group = 1, .mask = 1};
    b.pose.position = vec3(asp_random_uniform(&random, 1, 3), asp_random_uniform(&random, 0.8, 1.6),
                           asp_random_uniform(&random, 0.6, 2.5));
    b.pose.orientation = random_turn(&random, 3);
    AspContact contacts[ASP_MANIFOLD_MAX];
    int count = asp_collide_pair(3, &a, &b, 5, contacts);
    double gap = least_gap(contacts, count);
    if (count > 0 && gap > 0 && shape_size(&shape, 3) < 0.75) { // not over the border, where the field has no side
      const AspContact *c = contacts;
      while (c->gap > gap)
        c++;
      double on_ground = INFINITY;
      for (int t = 0; t < triangle_count(field); t++) {
        AspVec3 p[3];
        triangle(field, t, p);
        on_ground = fmin(on_ground, triangle_distance(c->point_a, p));
        double best = -INFINITY;
        AspVec3 starts[2] = {c->normal, unit3(cross3(sub3(p[1], p[0]), sub3(p[2], p[0])))};
        for (int k = 0; k < 2 && best < gap - 1e-9; k++)
          for (double step = 0.5; step > 1e-10; step *= 0.8)
            for (int turn = 0; turn < 6; turn++) {
              AspVec3 u = unit3(axpy3(starts[k], step, random_vector(&random, 3)));
              double s[2];
              for (int which = 0; which < 2; which++) {
                AspVec3 d = which ? u : starts[k];
                double top = fmax(dot3(d, p[0]), fmax(dot3(d, p[1]), dot3(d, p[2])));
                s[which] = -oracle_top(&shape, &b.pose, neg3(d), 3) - top;
              }
              if (s[1] > s[0])
                starts[k] = u;
              best = fmax(best, fmax(s[0], s[1]));
            }
        if (best < gap - 1e-6)
          fail_msg("trial %d, %s: gap %.12g, triangle %d is separated by %.12g only", trial,
                   asp_shape_kind_name(shape.kind), gap, t, best);
      }
      assert_at_most(on_ground, 1e-9);
      assert_at_most(oracle_outside(&shape, &b.pose, c->point_b, 3), 1e-9);
      assert_near(norm3(sub3(c->point_b, c->point_a)), gap, 1e-9);
    }
    asp_height_field_destroy(context, field);
  }
  free_hulls(context, &hulls);
  asp_context_destroy(context);
}

static void flat_field_gives_the_gap_and_normal_of_the_half_space_everywhere(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  Hulls hulls = make_hulls(context);
  AspRandom random = {23};
  AspHeightField *field = make_field(context, &random, 0);
  AspShape ground = {.kind = ASP_SHAPE_HEIGHT_FIELD, .field = field}, plane = {.kind = ASP_SHAPE_HALF_SPACE};
  for (int trial = 0; trial < 2000; trial++) {
    AspShapeKind kind = kinds_3d[trial % (KINDS_3D - 1)];
    AspShape shape = random_shape(&random, &hulls, kind, 0.2);
    AspCollider a = {.shape = &ground, .pose = pose_identity(), .group = 1, .mask = 1}, c = a;
    c.shape = &plane;
    AspCollider b = {.shape = &shape, .owner = 1, .group = 1, .mask = 1};
    b.pose.orientation = trial % 3 ? random_turn(&random, 3) : quat_identity();
    b.pose.position = vec3(asp_random_uniform(&random, 1.5, 2.5), asp_random_uniform(&random, 1, 1.4), 0);
    b.pose.position.z = oracle_top(&shape, &b.pose, vec3(0, 0, -1), 3) +
                        asp_random_uniform(&random, -0.05, 0.05) * fmax(shape_size(&shape, 3), 0.1);
    AspContact on_field[ASP_MANIFOLD_MAX], on_plane[ASP_MANIFOLD_MAX];
    int field_count = asp_collide_pair(3, &a, &b, 0.02, on_field),
        plane_count = asp_collide_pair(3, &c, &b, 0.02, on_plane);
    if (shape_size(&shape, 3) > 1)
      continue; // reaches over the border of the field
    assert_int_equal(field_count > 0, plane_count > 0);
    if (plane_count > 0)
      assert_near(least_gap(on_field, field_count), least_gap(on_plane, plane_count), 1e-9);
    for (int i = 0; i < field_count; i++)
      assert_near(on_field[i].normal.z, 1, 1e-12); // no ghost: inner edges have no say
  }
  asp_height_field_destroy(context, field);
  free_hulls(context, &hulls);
  asp_context_destroy(context);
}

/* A box at rest is tilted and apart by what rounding leaves: the direction of so small a distance is noise. */
static void box_resting_on_flat_ground_keeps_its_corners_at_tilts_of_rounding(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {25};
  AspHeightField *field = make_field(context, &random, 0);
  AspShape ground = {.kind = ASP_SHAPE_HEIGHT_FIELD, .field = field},
           box = {.kind = ASP_SHAPE_BOX, .half_extents = {0.7, 0.6, 0.1}};
  AspCollider a = {.shape = &ground, .pose = pose_identity(), .group = 1, .mask = 1};
  for (int trial = 0; trial < 500; trial++) {
    AspCollider b = {.shape = &box, .owner = 1, .group = 1, .mask = 1};
    double small = pow(10, asp_random_uniform(&random, -16, -11));
    AspVec3 tilt = vec3(asp_random_uniform(&random, -small, small), asp_random_uniform(&random, -small, small), 0);
    b.pose =
        (AspPose){{1.5 + 0.002 * trial, 1.2, 0.1 + asp_random_uniform(&random, -small, small)}, quat_from_vector(tilt)};
    AspContact contacts[ASP_MANIFOLD_MAX];
    int count = asp_collide_pair(3, &a, &b, 0.01, contacts);
    for (int k = 0; k < 4; k++) {
      AspVec3 foot = pose_point(&b.pose, vec3(k & 1 ? 0.7 : -0.7, k & 2 ? 0.6 : -0.6, -0.1));
      double nearest = INFINITY;
      for (int i = 0; i < count; i++)
        nearest = fmin(nearest, norm3(sub3(contacts[i].point_b, foot)));
      assert_at_most(nearest, 1e-9);
    }
    for (int i = 0; i < count; i++)
      assert_near(contacts[i].normal.z, 1, 1e-10);
  }
  asp_height_field_destroy(context, field);
  asp_context_destroy(context);
}

/* The same for a cylinder that rolls: both ends of its line. */
static void cylinder_rolling_on_flat_ground_keeps_both_ends(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {26};
  AspHeightField *field = make_field(context, &random, 0);
  AspShape ground = {.kind = ASP_SHAPE_HEIGHT_FIELD, .field = field},
           cylinder = {.kind = ASP_SHAPE_CYLINDER, .radius = 0.1, .half_length = 0.1};
  AspCollider a = {.shape = &ground, .pose = pose_identity(), .group = 1, .mask = 1};
  AspQuat lie = quat_from_axis_angle(vec3(1, 0, 0), 0.5 * ASP_PI);
  for (int trial = 0; trial < 300; trial++) {
    double small = pow(10, asp_random_uniform(&random, -16, -12)), low = INFINITY, high = -INFINITY;
    AspCollider b = {.shape = &cylinder, .owner = 1, .group = 1, .mask = 1};
    b.pose = (AspPose){{1 + 0.0041 * trial, 1.213, 0.1 + asp_random_uniform(&random, -small, small)},
                       quat_multiply(quat_from_axis_angle(vec3(0, 1, 0), 0.2 * trial), lie)};
    AspContact contacts[ASP_MANIFOLD_MAX];
    int count = asp_collide_pair(3, &a, &b, 0.01, contacts);
    for (int i = 0; i < count; i++) {
      assert_near(contacts[i].normal.z, 1, 1e-9);
      low = fmin(low, contacts[i].point_b.y);
      high = fmax(high, contacts[i].point_b.y);
    }
    assert_near(low, 1.113, 1e-6);
    assert_near(high, 1.313, 1e-6);
  }
  asp_height_field_destroy(context, field);
  asp_context_destroy(context);
}

static void box_sliding_over_flat_ground_keeps_its_corners(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {24};
  AspHeightField *field = make_field(context, &random, 0);
  AspShape ground = {.kind = ASP_SHAPE_HEIGHT_FIELD, .field = field},
           box = {.kind = ASP_SHAPE_BOX, .half_extents = {0.7, 0.6, 0.1}};
  AspCollider a = {.shape = &ground, .pose = pose_identity(), .group = 1, .mask = 1};
  for (int step = 0; step < 500; step++) {
    AspCollider b = {.shape = &box, .owner = 1, .group = 1, .mask = 1};
    b.pose = (AspPose){{1.5 + 0.002 * step, 1.2, 0.0999}, quat_from_axis_angle(vec3(0, 0, 1), 0.003 * step)};
    AspContact contacts[ASP_MANIFOLD_MAX];
    int count = asp_collide_pair(3, &a, &b, 0.01, contacts);
    for (int k = 0; k < 4; k++) {
      AspVec3 foot = pose_point(&b.pose, vec3(k & 1 ? 0.7 : -0.7, k & 2 ? 0.6 : -0.6, -0.1));
      double nearest = INFINITY;
      for (int i = 0; i < count; i++)
        nearest = fmin(nearest, norm3(sub3(contacts[i].point_b, foot)));
      assert_at_most(nearest, 1e-9);
    }
    for (int i = 0; i < count; i++) {
      assert_near(contacts[i].normal.z, 1, 1e-12);
      assert_near(contacts[i].gap, -1e-4, 1e-9);
    }
  }
  asp_height_field_destroy(context, field);
  asp_context_destroy(context);
}

static void broken_fields_are_refused(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspHeightField *field;
  double heights[4] = {0, 1, NAN, 2};
  assert_int_equal(asp_height_field_create(context, 2, 2, 1, 1, heights, &field), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(context), "heights[2]"));
  heights[2] = 0;
  assert_int_equal(asp_height_field_create(context, 1, 4, 1, 1, heights, &field), ASP_ERROR_INPUT);
  assert_int_equal(asp_height_field_create(context, 2, 2, 0, 1, heights, &field), ASP_ERROR_INPUT);
  assert_ok(context, asp_height_field_create(context, 2, 2, 1, 1, heights, &field));
  assert_near(field->high, 2, 0);
  asp_height_field_destroy(context, field);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sphere_gap_is_the_distance_to_the_nearest_triangle),
      cmocka_unit_test(gap_of_other_shapes_lies_between_the_bounds),
      cmocka_unit_test(flat_field_gives_the_gap_and_normal_of_the_half_space_everywhere),
      cmocka_unit_test(box_sliding_over_flat_ground_keeps_its_corners),
      cmocka_unit_test(box_resting_on_flat_ground_keeps_its_corners_at_tilts_of_rounding),
      cmocka_unit_test(cylinder_rolling_on_flat_ground_keeps_both_ends),
      cmocka_unit_test(broken_fields_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
