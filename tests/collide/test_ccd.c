/* collide: libccd (Debian's libccd-dev) as a second, independent judge, where it is installed: whether two shapes
 * touch, and how deep. Its own accuracy sets the tolerances: it works with a few hundred iterations to the tolerance
 * given. 300 poses per pair; ASPERITY_TEST_FULL=1 takes 10,000. */
#include "collide/scenes.h"

#ifdef ASP_TEST_CCD
#include <ccd/ccd.h>

/* Its convention: depth, direction and position of B's way out. */
static void ccd_support_point(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *point) {
  const AspCollider *c = object;
  AspVec3 d = vec3(direction->v[0], direction->v[1], direction->v[2]);
  AspVec3 p = oracle_support(c->shape, &c->pose, norm3(d) > 0 ? d : vec3(1, 0, 0), 3);
  ccdVec3Set(point, p.x, p.y, p.z);
}

static void ccd_middle(const void *object, ccd_vec3_t *point) {
  const AspCollider *c = object;
  AspVec3 p = c->pose.position;
  if (c->shape->kind == ASP_SHAPE_CONVEX)
    p = pose_point(&c->pose, c->shape->hull->unit.centre);
  ccdVec3Set(point, p.x, p.y, p.z);
}

static ccd_t ccd_settings(double size) {
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.support1 = ccd.support2 = ccd_support_point;
  ccd.center1 = ccd.center2 = ccd_middle;
  ccd.max_iterations = 500;
  ccd.epa_tolerance = 1e-7 * size;
  ccd.mpr_tolerance = 1e-7 * size;
  return ccd;
}

typedef struct Tally {
  long apart, overlapping, flat, depths; /* flat: overlapping boxes and hulls; depths: with the same depth */
} Tally;

static bool is_flat(const AspShape *s) { return s->kind == ASP_SHAPE_BOX || s->kind == ASP_SHAPE_CONVEX; }

static void check_pose(AspCollider *a, AspCollider *b, double size, Tally *tally) {
  AspContact contacts[ASP_MANIFOLD_MAX];
  // its tolerances are absolute: near the origin
  b->pose.position = sub3(b->pose.position, a->pose.position);
  a->pose.position = vec3(0, 0, 0);
  int count = asp_collide_pair(3, a, b, 1e12, contacts);
  assert_true(count > 0);
  double gap = contacts[0].gap;
  for (int i = 1; i < count; i++)
    gap = fmin(gap, contacts[i].gap);
  if (fabs(gap) < 1e-5 * size)
    return; // within its accuracy either answer is right
  ccd_t ccd = ccd_settings(size);
  int touches = ccdMPRIntersect(a, b, &ccd);
  if (touches != (gap < 0))
    fail_msg("%s - %s: gap %.12g (size %g), libccd says %s", asp_shape_kind_name(a->shape->kind),
             asp_shape_kind_name(b->shape->kind), gap, size, touches ? "overlapping" : "apart");
  *(gap > 0 ? &tally->apart : &tally->overlapping) += 1;
  if (gap > 0)
    return;
  ccd_real_t depth;
  ccd_vec3_t direction, position;
  // its portal lies on the surface of A - B, not always at the nearest place: never nearer than the depth
  if (ccdMPRPenetration(a, b, &ccd, &depth, &direction, &position) == 0 && depth < -gap - 1e-5 * size)
    fail_msg("%s - %s: depth %.12g (size %g), libccd's portal %.12g", asp_shape_kind_name(a->shape->kind),
             asp_shape_kind_name(b->shape->kind), -gap, size, depth);
  // its expanding polytope ends early on round shapes (spheres 0.4 % of the size off and more): flat ones only
  if (!is_flat(a->shape) || !is_flat(b->shape))
    return;
  tally->flat++;
  if (ccdGJKPenetration(a, b, &ccd, &depth, &direction, &position) == 0 && fabs(depth + gap) <= 1e-6 * size)
    tally->depths++;
}

static void every_bounded_pair_agrees_with_libccd(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  Hulls hulls = make_hulls(context);
  AspRandom random = {33};
  Tally tally = {0};
  for (int i = 1; i < KINDS_3D - 1; i++) // no points, no planes
    for (int j = i; j < KINDS_3D - 1; j++)
      for (int pose = 0; pose < poses_per_pair(); pose++) {
        static const Difficulty difficulties[] = {APART, PARALLEL, DEEP, DEEP};
        AspShape sa, sb;
        AspCollider a, b;
        double size =
            random_pair(&random, &hulls, 3, kinds_3d[i], kinds_3d[j], difficulties[pose % 4], &sa, &sb, &a, &b);
        check_pose(&a, &b, size, &tally);
      }
  print_message("apart %ld, overlapping %ld, %ld of boxes and hulls, %ld of them with the same depth\n", tally.apart,
                tally.overlapping, tally.flat, tally.depths);
  assert_true(tally.apart > 3 * poses_per_pair() && tally.overlapping > 3 * poses_per_pair());
  assert_true((double)tally.depths > 0.9 * (double)tally.flat);
  free_hulls(context, &hulls);
  asp_context_destroy(context);
}
#else
static void every_bounded_pair_agrees_with_libccd(void **state) {
  (void)state;
  skip(); // libccd-dev is not installed
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_bounded_pair_agrees_with_libccd)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
