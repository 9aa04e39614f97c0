/* collide: every pair of shapes against the independent judge of oracle.h, at random poses of every difficulty.
 * 300 poses per pair; ASPERITY_TEST_FULL=1 takes 10,000. */
#include "collide/scenes.h"

/* What goes wrong most, for the message. */
typedef struct Trial {
  int dimension, number;
  Difficulty difficulty;
  const AspCollider *a, *b;
  double size;
} Trial;

#define require(trial, condition, ...)                                                                                 \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      print_error("%s - %s, %dD, pose %d, difficulty %d: ", asp_shape_kind_name((trial)->a->shape->kind),              \
                  asp_shape_kind_name((trial)->b->shape->kind), (trial)->dimension, (trial)->number,                   \
                  (int)(trial)->difficulty);                                                                           \
      fail_msg(__VA_ARGS__);                                                                                           \
    }                                                                                                                  \
  } while (0)

static bool unbounded(const AspCollider *c) {
  return c->shape->kind == ASP_SHAPE_HALF_SPACE || c->shape->kind == ASP_SHAPE_HALF_PLANE;
}

/* Each contact for itself: unit normal, gap = (pb - pa).n, points not outside the shapes. */
static void check_contacts(const Trial *t, const AspContact *contacts, int count) {
  for (int i = 0; i < count; i++) {
    const AspContact *c = &contacts[i];
    require(t, fabs(norm3(c->normal) - 1) < 1e-12, "normal of length %.17g", norm3(c->normal));
    double along = dot3(sub3(c->point_b, c->point_a), c->normal),
           scale = t->size + norm3(c->point_a) + norm3(c->point_b);
    require(t, fabs(along - c->gap) <= 1e-13 * scale, "gap %.17g but points are %.17g apart", c->gap, along);
    require(t, t->dimension == 3 || (c->normal.z == 0 && c->point_a.z == 0 && c->point_b.z == 0), "leaves the plane");
    require(t, i == 0 || contacts[i - 1].feature < c->feature, "feature %u twice or out of order", c->feature);
    double out_a = oracle_outside(t->a->shape, &t->a->pose, c->point_a, t->dimension);
    require(t, out_a <= 2e-9 * scale, "contact %d of %d (feature %x): point_a is %g outside A (size %g)", i, count,
            c->feature, out_a, t->size);
    double out_b = oracle_outside(t->b->shape, &t->b->pose, c->point_b, t->dimension);
    require(t, out_b <= 2e-9 * scale, "contact %d of %d (feature %x): point_b is %g outside B (size %g)", i, count,
            c->feature, out_b, t->size);
  }
}

static const AspContact *deepest(const AspContact *contacts, int count) {
  const AspContact *c = contacts;
  for (int i = 1; i < count; i++)
    if (contacts[i].gap < c->gap)
      c = &contacts[i];
  return c;
}

/* In penetration: no direction separates by more than the answer and the tolerance. */
static void check_depth(const Trial *t, double gap, double tolerance, long *work) {
  if (gap + tolerance >= 0)
    return; // two points of the shapes as near as this are at hand
  OracleVerdict verdict = oracle_prove(t->dimension, t->a, t->b, gap + tolerance, work);
  require(t, verdict != ORACLE_REFUTED, "depth %.17g is more than needed (size %g)", -gap, t->size);
  require(t, verdict == ORACLE_PROVED, "depth %.17g: not settled (size %g)", -gap, t->size);
}

static void check_against_oracle(const Trial *t, const AspContact *contacts, int count, long *work) {
  const AspContact *c = deepest(contacts, count);
  double lower = oracle_separation(t->dimension, t->a, t->b, c->normal), scale = t->size + 1e-3 * norm3(c->point_a);
  double tolerance = (c->gap > 0 ? 1e-9 : 1e-6) * scale;
  require(t, fabs(lower - c->gap) <= tolerance, "gap %.17g, but its normal separates by %.17g (size %g)", c->gap, lower,
          t->size);
  double out_b = oracle_outside(t->b->shape, &t->b->pose, c->point_b, t->dimension);
  double distance = norm3(sub3(c->point_b, c->point_a));
  require(t, fabs(distance - fabs(c->gap)) <= tolerance, "gap %.17g, points %.17g apart", c->gap, distance);
  require(t, out_b <= tolerance, "point_b is %g outside B (gap %g, size %g)", out_b, c->gap, t->size);
  if (c->gap > 0 || unbounded(t->a) || unbounded(t->b))
    return; // both bounds meet: proved
  check_depth(t, c->gap, tolerance, work);
}

/* Exchanging the bodies mirrors the contacts; where two directions separate equally well either may be the normal. */
static void check_mirror(const Trial *t, const AspContact *contacts, int count) {
  AspContact swapped[ASP_MANIFOLD_MAX];
  int other = asp_collide_pair(t->dimension, t->b, t->a, 1e12, swapped);
  const AspContact *c = deepest(contacts, count), *d = deepest(swapped, other);
  double tolerance = (c->gap > 0 ? 1e-11 : 1e-8) * t->size;
  require(t, fabs(c->gap - d->gap) <= tolerance, "gap %.17g, exchanged %.17g", c->gap, d->gap);
  double s = oracle_separation(t->dimension, t->b, t->a, d->normal);
  require(t, dot3(c->normal, d->normal) < -1 + 1e-9 || fabs(s - c->gap) <= 1e-8 * t->size,
          "normals (%g %g %g) and (%g %g %g)", c->normal.x, c->normal.y, c->normal.z, d->normal.x, d->normal.y,
          d->normal.z);
}

/* Faces in line, which are not over each other, have no contact: moved sideways by a little they have. */
static bool is_in_line(const Trial *t) {
  AspContact contacts[ASP_MANIFOLD_MAX];
  for (int k = 0; k < 8; k++) {
    AspCollider moved = *t->a;
    double angle = 0.8 * k, step = 1e-6 * t->size;
    moved.pose.position = add3(moved.pose.position, vec3(step * cos(angle), step * sin(angle), step * cos(3 * angle)));
    if (asp_collide_pair(t->dimension, &moved, t->b, 1e12, contacts) > 0)
      return true;
  }
  return false;
}

static void check_pairs(int dimension, const AspShapeKind *kinds, int kind_count) {
  AspContext *context = asp_context_create(NULL);
  Hulls hulls = make_hulls(context);
  AspRandom random = {(uint64_t)dimension};
  for (int i = 0; i < kind_count; i++)
    for (int j = i; j < kind_count; j++) {
      long work = 0;
      for (int pose = 0; pose < poses_per_pair(); pose++) {
        AspShape sa, sb;
        AspCollider a, b;
        Trial t = {dimension, pose, (Difficulty)(pose % DIFFICULTIES), &a, &b, 0};
        if (i == kind_count - 1)
          continue; // two planes have no contact
        t.size = random_pair(&random, &hulls, dimension, kinds[i], kinds[j], t.difficulty, &sa, &sb, &a, &b);
        AspContact contacts[ASP_MANIFOLD_MAX];
        int count = asp_collide_pair(dimension, &a, &b, 1e12, contacts);
        require(&t, count > 0 || is_in_line(&t), "no contact within a margin of 1e12 m");
        if (count == 0)
          continue;
        check_contacts(&t, contacts, count);
        check_against_oracle(&t, contacts, count, &work);
        check_mirror(&t, contacts, count);
      }
      if (poses_per_pair() > 300)
        print_message("%s - %s, %dD: %ld directions covered\n", asp_shape_kind_name(kinds[i]),
                      asp_shape_kind_name(kinds[j]), dimension, work);
    }
  free_hulls(context, &hulls);
  asp_context_destroy(context);
}

static void every_3d_pair_agrees_with_the_oracle_and_its_mirror(void **state) {
  (void)state;
  check_pairs(3, kinds_3d, KINDS_3D);
}

static void every_2d_pair_agrees_with_the_oracle_and_its_mirror(void **state) {
  (void)state;
  check_pairs(2, kinds_2d, KINDS_2D);
}

/* The judge itself: known depths are proved, a little less is refuted. */
static void oracle_tells_a_right_depth_from_a_wrong_one(void **state) {
  (void)state;
  AspShape cylinder = {.kind = ASP_SHAPE_CYLINDER, .radius = 1, .half_length = 2},
           ball = {.kind = ASP_SHAPE_SPHERE, .radius = 0.5}, box = {.kind = ASP_SHAPE_BOX, .half_extents = {1, 2, 3}};
  AspCollider a = {.shape = &cylinder, .pose = pose_identity()}, b = {.shape = &ball, .pose = pose_identity()},
              c = {.shape = &box, .pose = pose_identity()};
  const double depth[3] = {1.5, 1.3, 2}; // coaxial in the middle; 0.2 off the axis; through the sides
  b.pose.orientation = quat_from_vector(vec3(1, 2, 3));
  for (int k = 0; k < 3; k++) {
    const AspCollider *other = k == 2 ? &c : &b;
    b.pose.position = vec3(k == 1 ? 0.2 : 0, 0, 0.3);
    long work = 0;
    assert_int_equal(oracle_prove(3, &a, other, -depth[k] + 1e-7, &work), ORACLE_PROVED);
    assert_int_equal(oracle_prove(3, &a, other, -depth[k] - 1e-7, &work), ORACLE_REFUTED);
    assert_true(work > 10);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(oracle_tells_a_right_depth_from_a_wrong_one),
      cmocka_unit_test(every_2d_pair_agrees_with_the_oracle_and_its_mirror),
      cmocka_unit_test(every_3d_pair_agrees_with_the_oracle_and_its_mirror),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
