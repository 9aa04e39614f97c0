/* collide: every pair of shapes against the independent judge of oracle.h, at random poses of every difficulty.
 * 300 poses per pair; ASPERITY_TEST_FULL=1 takes 10,000. */
#include "collide/scenes.h"

static int poses_per_pair(void) {
  const char *full = getenv("ASPERITY_TEST_FULL");
  return full && full[0] == '1' ? 10000 : 300;
}

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
      print_error("%s - %s, %dD, pose %d, difficulty %d: ", asp_shape_name((trial)->a->shape->kind),                   \
                  asp_shape_name((trial)->b->shape->kind), (trial)->dimension, (trial)->number,                        \
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

static void check_against_oracle(const Trial *t, const AspContact *contacts, int count, AspRandom *random) {
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
  double better = oracle_search(t->dimension, t->a, t->b, t->dimension == 3 ? 400 : 200, 3, random);
  require(t, better <= c->gap + tolerance, "depth %.17g, but %.17g is enough (size %g)", -c->gap, -better, t->size);
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

static void check_pairs(int dimension, const AspShapeKind *kinds, int kind_count) {
  AspContext *context = asp_context_create(NULL);
  Hulls hulls = make_hulls(context);
  AspRandom random = {(uint64_t)dimension};
  for (int i = 0; i < kind_count; i++)
    for (int j = i; j < kind_count; j++)
      for (int pose = 0; pose < poses_per_pair(); pose++) {
        AspShape sa, sb;
        AspCollider a, b;
        Trial t = {dimension, pose, (Difficulty)(pose % DIFFICULTIES), &a, &b, 0};
        if (i == kind_count - 1)
          continue; // two planes have no contact
        t.size = random_pair(&random, &hulls, dimension, kinds[i], kinds[j], t.difficulty, &sa, &sb, &a, &b);
        AspContact contacts[ASP_MANIFOLD_MAX];
        int count = asp_collide_pair(dimension, &a, &b, 1e12, contacts);
        require(&t, count > 0, "no contact within a margin of 1e12 m");
        check_contacts(&t, contacts, count);
        check_against_oracle(&t, contacts, count, &random);
        check_mirror(&t, contacts, count);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_2d_pair_agrees_with_the_oracle_and_its_mirror),
      cmocka_unit_test(every_3d_pair_agrees_with_the_oracle_and_its_mirror),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
