/* collide: manifolds of slowly moving bodies change slowly.
 *
 * What a manifold can carry is its support polygon. A point with gap g > 0 carries nothing until the gap closes, so the
 * polygon is judged through its soft support function
 *     h(d) = max over points of  d.x - (REACH / MARGIN) (g - g_min),
 * in which a point has faded out when it reaches the margin. Along each motion h is sampled in 48 directions; per step
 * it may change by no more than the motion itself explains: speed of the points plus REACH/MARGIN times speed of the
 * gaps.
 */
#include "collide/scenes.h"

#define MARGIN     0.02
#define REACH      2.5
#define DIRECTIONS 48

typedef struct Sample {
  double h[DIRECTIONS], gap;
  uint32_t feature[ASP_MANIFOLD_MAX];
  int count;
} Sample;

static Sample sample(const AspCollider *ground, const AspCollider *body) {
  AspContact contacts[ASP_MANIFOLD_MAX];
  Sample s = {.gap = INFINITY};
  s.count = asp_collide_pair(3, ground, body, MARGIN, contacts);
  assert_true(s.count > 0);
  for (int i = 0; i < s.count; i++) {
    s.gap = fmin(s.gap, contacts[i].gap);
    s.feature[i] = contacts[i].feature;
  }
  for (int k = 0; k < DIRECTIONS; k++) {
    double angle = 6.283185307179586 * k / DIRECTIONS;
    s.h[k] = -INFINITY;
    for (int i = 0; i < s.count; i++) {
      AspVec3 x = contacts[i].point_b;
      s.h[k] = fmax(s.h[k], x.x * cos(angle) + x.y * sin(angle) - REACH / MARGIN * (contacts[i].gap - s.gap));
    }
  }
  return s;
}

typedef AspPose (*Motion)(double t);

/* Runs the motion over t in [0, 1] in steps of size `step` (the fastest point moves about that far, m), with the gap
 * held at -1e-4 by lifting the body. Returns the number of steps in which the set of features changed. */
static int follow(const AspShape *ground_shape, const AspShape *body_shape, Motion motion, int steps, double speed,
                  bool tilts, double allowed_jump) {
  AspCollider ground = {.shape = ground_shape, .pose = pose_identity(), .group = 1, .mask = 1};
  AspCollider body = {.shape = body_shape, .owner = 1, .group = 1, .mask = 1};
  Sample before = {0};
  int changes = 0;
  double bound = speed / steps * (1 + (tilts ? 2 * REACH / MARGIN : 0)) + allowed_jump;
  for (int k = 0; k <= steps; k++) {
    body.pose = motion((double)k / steps);
    // let it down until it overlaps the ground by 0.1 mm
    double lowest = oracle_top(body_shape, &body.pose, vec3(0, 0, -1), 3);
    body.pose.position.z += lowest - 1e-4;
    Sample now = sample(&ground, &body);
    if (k > 0) {
      for (int d = 0; d < DIRECTIONS; d++)
        if (!(fabs(now.h[d] - before.h[d]) <= bound))
          fail_msg("step %d of %d: support in direction %d goes from %g to %g (%d, then %d points), bound %g", k, steps,
                   d, before.h[d], now.h[d], before.count, now.count, bound);
      assert_at_most(fabs(now.gap - before.gap), speed / steps);
      changes +=
          now.count != before.count || memcmp(now.feature, before.feature, sizeof(uint32_t) * (size_t)now.count) != 0;
    }
    before = now;
  }
  return changes;
}

static AspPose slide_and_turn(double t) {
  return (AspPose){{-0.2 + 1.1 * t, 0.1 + 0.3 * t, 0}, quat_from_axis_angle(vec3(0, 0, 1), 0.2 + 0.5 * t)};
}
static AspPose tip_over(double t) {
  return (AspPose){{0.1, 0, 0},
                   quat_multiply(quat_from_axis_angle(vec3(0, 1, 0), 1.5707963267948966 * t),
                                 quat_from_axis_angle(vec3(0, 0, 1), 0.3))};
}
static AspPose rock(double t) {
  return (AspPose){{0, 0, 0}, quat_from_axis_angle(vec3(0.8, 0.6, 0), 0.05 * sin(12 * (t - 0.37)))};
}
static AspPose roll(double t) {
  AspQuat lying = quat_from_axis_angle(vec3(1, 0, 0), 1.5707963267948966);
  return (AspPose){{-0.4 + 0.8 * t, 0, 0}, quat_multiply(quat_from_axis_angle(vec3(0, 1, 0), 4 * t), lying)};
}
/* From its side (axis along x) to its end (axis along z). */
static AspPose stand_up(double t) {
  return (AspPose){{0, 0, 0}, quat_from_axis_angle(vec3(0, 1, 0), 1.5707963267948966 * (1 - t))};
}
static AspPose turn_on_side(double t) {
  AspQuat lying = quat_from_axis_angle(vec3(0, 1, 0), 1.5707963267948966);
  return (AspPose){{0, 0, 0}, quat_multiply(quat_from_axis_angle(vec3(0, 0, 1), 1.2 * t), lying)};
}

/* The tops of these lie in z = 0, so that the ground can be any of them. */
static const AspShape plane = {.kind = ASP_SHAPE_HALF_SPACE};
static const AspShape box = {.kind = ASP_SHAPE_BOX, .half_extents = {0.4, 0.3, 0.2}};
static const AspShape cylinder = {.kind = ASP_SHAPE_CYLINDER, .radius = 0.25, .half_length = 0.4};
static const AspShape cone = {.kind = ASP_SHAPE_CONE, .radius = 0.25, .half_length = 0.3};
static const AspShape capsule = {.kind = ASP_SHAPE_CAPSULE, .radius = 0.1, .half_length = 0.5};

/* A slab whose top face is z = 0, given as a convex mesh so that its frame can lie in the face. */
static AspShape slab(AspContext *context, AspHull **hull) {
  AspVec3 points[8];
  for (int i = 0; i < 8; i++)
    points[i] = vec3(i & 1 ? 0.6 : -0.6, i & 2 ? 0.5 : -0.5, i & 4 ? 0 : -0.4);
  assert_ok(context, asp_hull_create(context, 3, points, 8, hull));
  return (AspShape){.kind = ASP_SHAPE_CONVEX, .hull = *hull};
}

enum { STEPS = 20000 };

static void box_sliding_over_a_box_loses_its_support_gradually(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspHull *hull;
  AspShape ground = slab(context, &hull);
  int changes = follow(&ground, &box, slide_and_turn, STEPS, 7, false, 0); // crossings run 1/sin(0.2) faster
  assert_true(changes >= 2 && changes <= 20);                              // corners pass over edges, nothing flickers
  asp_hull_destroy(context, hull);
  asp_context_destroy(context);
}

static void tipping_box_goes_from_face_over_edge_to_face(void **state) {
  (void)state;
  int changes = follow(&plane, &box, tip_over, STEPS, 1, true, 0);
  assert_true(changes >= 2 && changes <= 8);
}

static void rocking_cylinder_keeps_its_support_to_the_sagitta_of_its_rim_points(void **state) {
  (void)state;
  // eight fixed rim points and the deepest one: r (1 - cos(pi/8)) is what the deepest adds when it appears
  double sagitta = cylinder.radius * (1 - cos(0.39269908169872414));
  follow(&plane, &cylinder, rock, STEPS, 0.5, true, sagitta);
  AspContext *context = asp_context_create(NULL);
  AspHull *hull;
  AspShape ground = slab(context, &hull);
  follow(&ground, &cylinder, rock, STEPS, 0.5, true, sagitta);
  follow(&plane, &cone, rock, STEPS, 0.5, true, sagitta);
  asp_hull_destroy(context, hull);
  asp_context_destroy(context);
}

static void rolling_cylinder_keeps_its_two_points(void **state) {
  (void)state;
  assert_int_equal(follow(&plane, &cylinder, roll, STEPS, 3, false, 0), 0);
  AspContext *context = asp_context_create(NULL);
  AspHull *hull;
  AspShape ground = slab(context, &hull);
  assert_int_equal(follow(&ground, &cylinder, roll, STEPS, 3, false, 0), 0);
  asp_hull_destroy(context, hull);
  asp_context_destroy(context);
}

static void cylinder_rises_from_its_side_to_its_end(void **state) {
  (void)state;
  double sagitta = cylinder.radius * (1 - cos(0.39269908169872414));
  int changes = follow(&plane, &cylinder, stand_up, STEPS, 1, true, sagitta);
  assert_at_most(changes, 12);
}

static void capsule_turns_from_side_to_end(void **state) {
  (void)state;
  assert_at_most(follow(&plane, &capsule, stand_up, STEPS, 1, true, 0), 2);
  AspContext *context = asp_context_create(NULL);
  AspHull *hull;
  AspShape ground = slab(context, &hull);
  assert_at_most(follow(&ground, &capsule, stand_up, STEPS, 1, true, 0), 3);
  assert_at_most(follow(&ground, &capsule, turn_on_side, STEPS, 1, false, 0), 4);
  asp_hull_destroy(context, hull);
  asp_context_destroy(context);
}

/* Two bars lying on each other, one turning: from a line to a point. */
static void crossing_capsules_go_from_a_line_to_a_point(void **state) {
  (void)state;
  AspQuat lying = quat_from_axis_angle(vec3(0, 1, 0), 1.5707963267948966);
  AspCollider low = {.shape = &capsule, .pose = {{0, 0, 0}, lying}, .group = 1, .mask = 1};
  AspCollider high = {.shape = &capsule, .owner = 1, .group = 1, .mask = 1};
  Sample before = {0};
  for (int k = 0; k <= STEPS; k++) {
    double angle = 0.6 * (k - 5000) / STEPS;
    high.pose = (AspPose){{0.1, 0, 0.1999}, quat_multiply(quat_from_axis_angle(vec3(0, 0, 1), angle), lying)};
    Sample now = sample(&low, &high);
    double bound = 0.6 / STEPS * (1 + 2 * REACH / MARGIN);
    for (int d = 0; k > 0 && d < DIRECTIONS; d++)
      assert_at_most(fabs(now.h[d] - before.h[d]), bound);
    before = now;
  }
  assert_int_equal(before.count, 1);
}

/* Least-norm forces that carry a unit weight at the origin on the contacts of a tilted box: they must follow the points
 * without a jump while the ids stay the same. */
static void forces_of_persistent_points_vary_continuously(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspHull *hull;
  AspShape shape = slab(context, &hull);
  AspCollider ground = {.shape = &shape, .pose = pose_identity(), .group = 1, .mask = 1};
  AspCollider body = {.shape = &box, .owner = 1, .group = 1, .mask = 1};
  double before[ASP_MANIFOLD_MAX] = {0};
  uint32_t feature[ASP_MANIFOLD_MAX] = {0};
  int count_before = 0, compared = 0;
  for (int k = 0; k <= 4000; k++) {
    double t = k / 4000.0;
    body.pose = slide_and_turn(0.5 * t);
    body.pose.position.z = 0.1999;
    AspContact c[ASP_MANIFOLD_MAX];
    int count = asp_collide_pair(3, &ground, &body, MARGIN, c);
    // minimise |f|^2 with sum f = 1, sum f x = x_0: f_i = a + b.x_i
    double S[3][4] = {{0}};
    for (int i = 0; i < count; i++) {
      double row[3] = {1, c[i].point_b.x - body.pose.position.x, c[i].point_b.y - body.pose.position.y};
      for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++)
          S[r][s] += row[r] * row[s];
    }
    S[0][3] = 1;
    for (int p = 0; p < 3; p++)
      for (int r = 0; r < 3; r++)
        for (int s = 3; r != p && s >= p; s--)
          S[r][s] -= S[r][p] / S[p][p] * S[p][s];
    double a = S[0][3] / S[0][0], bx = S[1][3] / S[1][1], by = S[2][3] / S[2][2], force[ASP_MANIFOLD_MAX];
    for (int i = 0; i < count; i++)
      force[i] = a + bx * (c[i].point_b.x - body.pose.position.x) + by * (c[i].point_b.y - body.pose.position.y);
    bool same = k > 0 && count == count_before;
    for (int i = 0; i < count; i++)
      same = same && feature[i] == c[i].feature;
    for (int i = 0; i < count; i++) {
      if (same)
        assert_at_most(fabs(force[i] - before[i]), 5.0 / 4000);
      before[i] = force[i];
      feature[i] = c[i].feature;
    }
    compared += same;
    count_before = count;
  }
  assert_true(compared > 3950);
  asp_hull_destroy(context, hull);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(box_sliding_over_a_box_loses_its_support_gradually),
      cmocka_unit_test(tipping_box_goes_from_face_over_edge_to_face),
      cmocka_unit_test(rocking_cylinder_keeps_its_support_to_the_sagitta_of_its_rim_points),
      cmocka_unit_test(rolling_cylinder_keeps_its_two_points),
      cmocka_unit_test(cylinder_rises_from_its_side_to_its_end),
      cmocka_unit_test(capsule_turns_from_side_to_end),
      cmocka_unit_test(crossing_capsules_go_from_a_line_to_a_point),
      cmocka_unit_test(forces_of_persistent_points_vary_continuously),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
