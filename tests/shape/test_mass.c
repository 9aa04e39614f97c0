/* shape: names, validation, mass properties against numerical integration. */
#include "asperity/shape.h"
#include "linalg/vec3.h"
#include "testing.h"

static void names_go_both_ways(void **state) {
  (void)state;
  for (int kind = 0; kind < ASP_SHAPE_COUNT; kind++) {
    AspShapeKind back;
    assert_true(asp_shape_kind_from_name(asp_shape_kind_name((AspShapeKind)kind), &back));
    assert_int_equal(back, kind);
  }
  AspShapeKind kind;
  assert_false(asp_shape_kind_from_name("torus", &kind));
}

static void sizes_that_are_not_sizes_are_named(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  const double bad[] = {0, -1, NAN, INFINITY, 1e150, 1e-150};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    AspShape sphere = {.kind = ASP_SHAPE_SPHERE, .radius = bad[i]};
    assert_int_equal(asp_shape_validate(context, &sphere, 3), ASP_ERROR_INPUT);
    assert_non_null(strstr(asp_context_message(context), "radius"));
    AspShape box = {.kind = ASP_SHAPE_BOX, .half_extents = {1, bad[i], 1}};
    assert_int_equal(asp_shape_validate(context, &box, 3), ASP_ERROR_INPUT);
    assert_non_null(strstr(asp_context_message(context), "half_extents[1]"));
  }
  AspShape disk = {.kind = ASP_SHAPE_DISK, .radius = 1};
  assert_int_equal(asp_shape_validate(context, &disk, 3), ASP_ERROR_INPUT);
  AspShape flat = {.kind = ASP_SHAPE_BOX, .half_extents = {1, 2, 0}};
  assert_ok(context, asp_shape_validate(context, &flat, 2));
  AspMassProperties p;
  AspShape plane = {.kind = ASP_SHAPE_HALF_SPACE};
  assert_int_equal(asp_shape_mass(context, &plane, 3, 1000, &p), ASP_ERROR_ARGUMENT);
  asp_context_destroy(context);
}

static void two_halves_make_the_whole_box(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspShape whole = {.kind = ASP_SHAPE_BOX, .half_extents = {1, 2, 3}}, half = whole;
  half.half_extents.x = 0.5;
  AspMassProperties expected, part;
  assert_ok(context, asp_shape_mass(context, &whole, 3, 7, &expected));
  assert_ok(context, asp_shape_mass(context, &half, 3, 7, &part));
  AspPose pose = {{4, 5, 6}, quat_from_vector(vec3(0.3, -0.4, 0.5))}, left = pose_identity(), right = left;
  left.position.x = -0.5;
  right.position.x = 0.5;
  left = pose_multiply(&pose, &left);
  right = pose_multiply(&pose, &right);
  AspMassProperties a = asp_mass_transform(&part, &left), b = asp_mass_transform(&part, &right);
  AspMassProperties sum = asp_mass_sum(&a, &b), moved = asp_mass_transform(&expected, &pose);
  assert_near(sum.mass, 7 * 48, 1e-12 * 7 * 48);
  assert_near(norm3(sub3(sum.centre, pose.position)), 0, 1e-14);
  for (int i = 0; i < 9; i++)
    assert_near(sum.inertia.m[i], moved.inertia.m[i], 1e-11 * 336);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_go_both_ways),
      cmocka_unit_test(sizes_that_are_not_sizes_are_named),
      cmocka_unit_test(two_halves_make_the_whole_box),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
