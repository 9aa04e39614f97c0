/* collide: pairs with closed forms written down by hand, order and filters of the contact list. */
#include "asperity/collide.h"
#include "base/constants.h"
#include "linalg/vec3.h"
#include "testing.h"

static AspCollider collider(const AspShape *shape, AspVec3 position, AspQuat orientation, int owner) {
  return (AspCollider){.shape = shape, .pose = {position, orientation}, .owner = owner, .group = 1, .mask = 1};
}

static void sphere_on_plane_has_the_gap_and_normal_of_the_formula(void **state) {
  (void)state;
  AspShape sphere = {.kind = ASP_SHAPE_SPHERE, .radius = 0.5}, plane = {.kind = ASP_SHAPE_HALF_SPACE};
  AspCollider ball = collider(&sphere, vec3(1, 2, 0.6), quat_identity(), 0);
  AspCollider ground = collider(&plane, vec3(0, 0, 0), quat_identity(), 1);
  AspContact contacts[ASP_MANIFOLD_MAX];
  assert_int_equal(asp_collide_pair(3, &ball, &ground, 0.05, contacts), 0);
  assert_int_equal(asp_collide_pair(3, &ground, &ball, 0.2, contacts), 1);
  assert_near(contacts[0].gap, 0.1, 1e-15);
  assert_near(contacts[0].normal.z, 1, 0);
  assert_near(contacts[0].point_a.z, 0, 1e-15);
  assert_near(contacts[0].point_b.z, 0.1, 1e-15);
  assert_near(contacts[0].point_a.x, 1, 0);
}

static void resting_box_has_its_four_lower_corners(void **state) {
  (void)state;
  AspShape box = {.kind = ASP_SHAPE_BOX, .half_extents = {1, 2, 3}}, plane = {.kind = ASP_SHAPE_HALF_SPACE};
  AspCollider ground = collider(&plane, vec3(0, 0, 0), quat_identity(), 0);
  AspCollider block = collider(&box, vec3(5, 0, 3.001), quat_identity(), 1);
  AspContact contacts[ASP_MANIFOLD_MAX];
  assert_int_equal(asp_collide_pair(3, &ground, &block, 0.01, contacts), 4);
  double x = 0, y = 0;
  for (int i = 0; i < 4; i++) {
    assert_near(contacts[i].gap, 0.001, 1e-15);
    assert_near(fabs(contacts[i].point_b.x - 5), 1, 1e-15);
    assert_near(fabs(contacts[i].point_b.y), 2, 1e-15);
    x += contacts[i].point_b.x - 5;
    y += contacts[i].point_b.y;
    assert_true(i == 0 || contacts[i].feature > contacts[i - 1].feature);
  }
  assert_near(x, 0, 1e-14);
  assert_near(y, 0, 1e-14);
}

static void planar_box_on_half_plane_has_two_points(void **state) {
  (void)state;
  AspShape box = {.kind = ASP_SHAPE_BOX, .half_extents = {1, 0.5, 0}}, plane = {.kind = ASP_SHAPE_HALF_PLANE};
  AspCollider ground = collider(&plane, vec3(0, 0, 0), quat_from_axis_angle(vec3(0, 0, 1), 0.3), 0);
  AspCollider block =
      collider(&box, vec3(-0.5 * sin(0.3), 0.5 * cos(0.3), 0), quat_from_axis_angle(vec3(0, 0, 1), 0.3), 1);
  AspContact contacts[ASP_MANIFOLD_MAX];
  assert_int_equal(asp_collide_pair(2, &block, &ground, 0.01, contacts), 2);
  for (int i = 0; i < 2; i++) {
    assert_near(contacts[i].gap, 0, 1e-15);
    assert_near(contacts[i].normal.x, sin(0.3), 1e-15);
    assert_near(contacts[i].normal.y, -cos(0.3), 1e-15);
    assert_near(contacts[i].point_a.z, 0, 0);
  }
}

static void sphere_inside_a_box_leaves_through_the_nearest_face(void **state) {
  (void)state;
  AspShape box = {.kind = ASP_SHAPE_BOX, .half_extents = {1, 1, 1}},
           sphere = {.kind = ASP_SHAPE_SPHERE, .radius = 0.25};
  AspCollider block = collider(&box, vec3(0, 0, 0), quat_identity(), 0);
  AspCollider ball = collider(&sphere, vec3(0.1, -0.7, 0.2), quat_identity(), 1);
  AspContact contacts[ASP_MANIFOLD_MAX];
  assert_int_equal(asp_collide_pair(3, &block, &ball, 0, contacts), 1);
  assert_near(contacts[0].gap, -0.55, 1e-15);
  assert_near(contacts[0].normal.y, -1, 0);
  assert_near(contacts[0].point_a.y, -1, 1e-15);
  assert_near(contacts[0].point_b.y, -0.45, 1e-15);
}

/* A cylinder, or capsule, along an edge of a box touches it with both ends of its straight part, and to rounding, apart or
 * overlapping: with one point anywhere on the line a wheel on a kerb would be turned aside. */
static void bar_along_an_edge_touches_with_both_ends(void **state) {
  (void)state;
  AspShape kerb = {.kind = ASP_SHAPE_BOX, .half_extents = {2, 1, 0.04}};
  AspShape bars[] = {{.kind = ASP_SHAPE_CYLINDER, .radius = 0.3, .half_length = 0.05},
                     {.kind = ASP_SHAPE_CAPSULE, .radius = 0.3, .half_length = 0.05}};
  double angle = acos(0.22 / 0.3); // of the edge, seen from the axle of a wheel that stands on the floor
  AspVec3 n = vec3(-sin(angle), 0, cos(angle));
  for (int i = 0; i < 40; i++) {
    double gap = (i % 2 ? 1 : -1) * pow(10, -14 + 0.3 * i);
    AspQuat turn = quat_multiply(quat_from_vector(vec3(0.5 * ASP_PI, 0, 0)), quat_from_vector(vec3(0, 0, 0.37 * i)));
    AspCollider a = collider(&kerb, vec3(3, 0, 0.04), quat_identity(), 0),
                b = collider(&bars[i / 2 % 2], axpy3(vec3(1, 0, 0.08), 0.3 + gap, n), turn, 1);
    AspContact contacts[ASP_MANIFOLD_MAX];
    assert_int_equal(asp_collide_pair(3, &a, &b, 0.05, contacts), 2);
    assert_near(contacts[0].point_a.y + contacts[1].point_a.y, 0, 1e-14);
    for (int k = 0; k < 2; k++) {
      assert_near(fabs(contacts[k].point_a.y), 0.05, 1e-14);
      assert_near(contacts[k].gap, gap, 1e-14);
      assert_near(norm3(sub3(contacts[k].normal, n)), 0, 1e-13);
    }
  }
}

static void filters_and_owners_keep_pairs_apart_and_the_order_is_stable(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspCollision *collision;
  assert_ok(context, asp_collision_create(context, 3, &collision));
  AspShape sphere = {.kind = ASP_SHAPE_SPHERE, .radius = 1};
  AspCollider colliders[40];
  for (int i = 0; i < 40; i++)
    colliders[i] = collider(&sphere, vec3(1.9 * (i * 7 % 40), 0, 0), quat_identity(), i);
  const AspContact *contacts;
  int count;
  assert_ok(context, asp_collision_find(collision, colliders, 40, 0, &contacts, &count));
  assert_int_equal(count, 39);
  for (int i = 0; i < count; i++) {
    assert_true(contacts[i].collider_a < contacts[i].collider_b);
    if (i > 0)
      assert_true(contacts[i].collider_a > contacts[i - 1].collider_a ||
                  (contacts[i].collider_a == contacts[i - 1].collider_a &&
                   contacts[i].collider_b > contacts[i - 1].collider_b));
  }
  uint64_t calls = asp_context_allocation_count(context);
  assert_ok(context, asp_collision_find(collision, colliders, 40, 0, &contacts, &count));
  assert_int_equal(asp_context_allocation_count(context), calls);
  for (int i = 0; i < 40; i++)
    colliders[i].owner = 0;
  assert_ok(context, asp_collision_find(collision, colliders, 40, 0, &contacts, &count));
  assert_int_equal(count, 0);
  colliders[3].pose.position.y = NAN;
  assert_int_equal(asp_collision_find(collision, colliders, 40, 0, &contacts, &count), ASP_ERROR_INPUT);
  asp_collision_destroy(collision);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sphere_on_plane_has_the_gap_and_normal_of_the_formula),
      cmocka_unit_test(resting_box_has_its_four_lower_corners),
      cmocka_unit_test(planar_box_on_half_plane_has_two_points),
      cmocka_unit_test(sphere_inside_a_box_leaves_through_the_nearest_face),
      cmocka_unit_test(bar_along_an_edge_touches_with_both_ends),
      cmocka_unit_test(filters_and_owners_keep_pairs_apart_and_the_order_is_stable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
