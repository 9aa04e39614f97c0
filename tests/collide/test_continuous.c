/* collide: nothing fast passes through anything thin; times of impact against closed forms. */
#include "collide/scenes.h"

static AspCollider at(const AspShape *shape, AspVec3 position, int owner) {
  return (AspCollider){.shape = shape, .pose = {position, quat_identity()}, .owner = owner, .group = 1, .mask = 1};
}

/* One step of a particle under the rule that every time stepping scheme here uses: u_N + gap/h >= 0 at each contact. */
static AspVec3 stopped_velocity(AspVec3 v, const AspContact *contacts, int count, double h) {
  for (int i = 0; i < count; i++) {
    double approach = dot3(v, contacts[i].normal), allowed = contacts[i].gap / h; // A moves along the normal
    if (approach > allowed)
      v = axpy3(v, allowed - approach, contacts[i].normal);
  }
  return v;
}

static void bullet_of_1_cm_at_1000_m_s_does_not_pass_a_plate_of_1_mm(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspCollision *collision;
  assert_ok(context, asp_collision_create(context, 3, &collision));
  AspShape ball = {.kind = ASP_SHAPE_SPHERE, .radius = 0.005},
           sheet = {.kind = ASP_SHAPE_BOX, .half_extents = {1, 1, 0.0005}};
  const double h = 0.01;
  AspRandom random = {4};
  int would_pass = 0;
  for (int shot = 0; shot < 200; shot++) {
    AspCollider c[2];
    AspVec3 aim = vec3(asp_random_uniform(&random, -0.9, 0.9), asp_random_uniform(&random, -0.9, 0.9), 0);
    AspVec3 from = add3(aim, scale3(asp_random_uniform(&random, 0.1, 9),
                                    unit3(vec3(asp_random_normal(&random), asp_random_normal(&random), 1.5))));
    c[0] = at(&ball, from, 0);
    c[1] = at(&sheet, vec3(0, 0, 0), 1);
    AspVec3 velocity = scale3(1000, unit3(sub3(aim, from)));
    double start = from.z;
    for (int step = 0; step < 3; step++) {
      c[0].sweep = scale3(h, velocity);
      const AspContact *contacts;
      int count;
      assert_ok(context, asp_collision_find(collision, c, 2, 1e-4, &contacts, &count));
      AspVec3 end = axpy3(c[0].pose.position, h, velocity);
      would_pass += end.z < -0.0055 && step == 0;
      velocity = stopped_velocity(velocity, contacts, count, h);
      c[0].pose.position = axpy3(c[0].pose.position, h, velocity);
      bool over_plate = fabs(c[0].pose.position.x) < 1 && fabs(c[0].pose.position.y) < 1;
      if (over_plate)
        assert_true(c[0].pose.position.z > 0 && start > 0);
      // touching, to the tolerance of the impact time (1e-4 of the ball)
      AspContact contact[ASP_MANIFOLD_MAX];
      if (over_plate && asp_collide_pair(3, &c[0], &c[1], 1, contact))
        assert_true(contact[0].gap > -1e-5);
    }
  }
  assert_int_equal(would_pass, 200); // without it every one of them ends behind the plate
  asp_collision_destroy(collision);
  asp_context_destroy(context);
}

static void impact_time_of_two_spheres_is_the_root_of_the_quadratic(void **state) {
  (void)state;
  AspRandom random = {6};
  int hits = 0;
  for (int trial = 0; trial < 2000; trial++) {
    AspShape a = {.kind = ASP_SHAPE_SPHERE, .radius = asp_random_uniform(&random, 0.01, 1)},
             b = {.kind = ASP_SHAPE_SPHERE, .radius = asp_random_uniform(&random, 0.01, 1)};
    AspCollider ca = at(&a, scale3(4, random_vector(&random, 3)), 0),
                cb = at(&b, scale3(4, random_vector(&random, 3)), 1);
    ca.sweep = scale3(6, random_vector(&random, 3));
    AspVec3 towards = scale3(asp_random_uniform(&random, 0.3, 2), sub3(ca.pose.position, cb.pose.position));
    cb.sweep = add3(add3(ca.sweep, towards), random_vector(&random, 3));
    AspVec3 x = sub3(cb.pose.position, ca.pose.position), v = sub3(cb.sweep, ca.sweep);
    double r = a.radius + b.radius, tolerance = 1e-7, reach = r + tolerance;
    if (norm3(x) <= 2 * reach)
      continue;
    double A = dot3(v, v), B = dot3(x, v), C = dot3(x, x) - r * r, root = B * B - A * C;
    double exact = root > 0 && B < 0 ? (-B - sqrt(root)) / A : 2;
    AspImpact impact;
    bool hit = asp_collide_impact(3, &ca, &cb, tolerance, &impact);
    if (exact <= 1) {
      assert_true(hit);
      assert_at_most(impact.time, exact + 1e-12);
      // the gap closes with at least this speed between the tolerance and touching
      double speed = sqrt(root) / r;
      assert_at_most((exact - impact.time) * speed, 1.1 * tolerance + 1e-12);
      hits++;
    } else if (root < 0 && sqrt(dot3(x, x) - B * B / A) > reach) {
      assert_false(hit);
    }
  }
  assert_true(hits > 100);
}

static void swept_shapes_of_every_kind_stop_before_they_overlap(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  Hulls hulls = make_hulls(context);
  AspRandom random = {12};
  int hits = 0;
  for (int trial = 0; trial < 3000; trial++) {
    AspShape sa, sb;
    AspCollider a, b;
    int dimension = 2 + trial % 2, count = dimension == 3 ? KINDS_3D : KINDS_2D;
    const AspShapeKind *kinds = dimension == 3 ? kinds_3d : kinds_2d;
    AspShapeKind ka = kinds[(int)asp_random_uniform(&random, 0, count - 1)],
                 kb = kinds[(int)asp_random_uniform(&random, 0, count)];
    double size = random_pair(&random, &hulls, dimension, ka, kb, APART, &sa, &sb, &a, &b);
    a.sweep = scale3(3 * size, random_vector(&random, dimension));
    a.sweep_rotation = dimension == 3 ? random_vector(&random, 3) : vec3(0, 0, asp_random_normal(&random));
    AspImpact impact;
    double tolerance = 1e-5 * size;
    bool hit = asp_collide_impact(dimension, &a, &b, tolerance, &impact);
    hits += hit;
    // on the way up to the reported time (or to the end) there is no overlap
    for (int k = 0; k <= 40; k++) {
      double t = (hit ? impact.time : 1) * k / 40;
      AspCollider moved = a;
      moved.pose.position = axpy3(a.pose.position, t, a.sweep);
      moved.pose.orientation =
          quat_normalize(quat_multiply(quat_from_vector(scale3(t, a.sweep_rotation)), a.pose.orientation));
      AspContact contacts[ASP_MANIFOLD_MAX];
      int found = asp_collide_pair(dimension, &moved, &b, 0, contacts);
      for (int i = 0; i < found; i++)
        assert_true(contacts[i].gap > -1e-9 * size);
    }
    if (hit)
      assert_at_most(impact.contact.gap, 1.0001 * tolerance);
  }
  assert_true(hits > 300);
  free_hulls(context, &hulls);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bullet_of_1_cm_at_1000_m_s_does_not_pass_a_plate_of_1_mm),
      cmocka_unit_test(impact_time_of_two_spheres_is_the_root_of_the_quadratic),
      cmocka_unit_test(swept_shapes_of_every_kind_stop_before_they_overlap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
