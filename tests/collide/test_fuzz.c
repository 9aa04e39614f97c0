/* collide: degenerate input of every kind gives an error or a sane answer. 25,000 inputs; ASPERITY_TEST_FULL=1: ten
 * million. */
#include "collide/scenes.h"

static long input_count(void) {
  const char *full = getenv("ASPERITY_TEST_FULL");
  return full && full[0] == '1' ? 10000000 : 25000;
}

/* Numbers that break formulas. */
static double nasty(AspRandom *random) {
  static const double values[] = {0,    -0.0,   1,     -1,   0.5,   1e-15, 1 + 1e-15, 1e-150, 1e150, -1e150, 1e-30,
                                  1e30, 1e-300, 1e300, 1e-8, 1e8,   2,     3,         1e-5,   0.1,   0.1,    1,
                                  1,    1,      1e-29, 1e29, 1e-12, 1e12,  0,         0,      1,     1};
  double choice = asp_random_uniform(random, 0, 1);
  if (choice < 0.01)
    return NAN;
  if (choice < 0.02)
    return choice < 0.015 ? INFINITY : -INFINITY;
  if (choice < 0.2)
    return asp_random_normal(random);
  return values[(int)asp_random_uniform(random, 0, sizeof values / sizeof *values)];
}

/* Valid numbers most of the time, so that many inputs reach the geometry. */
static double tricky(AspRandom *random, bool wild) {
  if (wild)
    return nasty(random);
  static const double values[] = {1, 1, 1, 0.5, 2, 1e-6, 1e6, 1e-30, 1e30, 1 + 1e-15, 1e-12};
  return values[(int)asp_random_uniform(random, 0, sizeof values / sizeof *values)];
}

static AspQuat nasty_turn(AspRandom *random, int dimension, bool wild) {
  double choice = asp_random_uniform(random, 0, 1);
  if (choice < 0.4)
    return quat_identity();
  if (choice < 0.6)
    return dimension == 3 ? (AspQuat){0.5, 0.5, 0.5, 0.5} : (AspQuat){sqrt(0.5), 0, 0, sqrt(0.5)};
  if (choice < 0.7)
    return quat_from_axis_angle(dimension == 3 ? vec3(1, 0, 0) : vec3(0, 0, 1), 1e-9);
  if (choice < 0.75 && wild)
    return (AspQuat){nasty(random), nasty(random), nasty(random), nasty(random)};
  return random_turn(random, dimension);
}

static void sane(const AspContact *contacts, int count, double margin) {
  for (int i = 0; i < count; i++) {
    const AspContact *c = &contacts[i];
    if (!(isfinite(c->gap) && finite3(c->point_a) && finite3(c->point_b) && fabs(norm3(c->normal) - 1) < 1e-6 &&
          (c->gap <= margin || c->gap <= margin * (1 + 1e-9))))
      fail_msg("contact %d of %d: gap %g (margin %g), normal (%g %g %g), points (%g %g %g) (%g %g %g)", i, count,
               c->gap, margin, c->normal.x, c->normal.y, c->normal.z, c->point_a.x, c->point_a.y, c->point_a.z,
               c->point_b.x, c->point_b.y, c->point_b.z);
  }
}

typedef struct Fuzz {
  AspContext *context;
  AspCollision *collision[2];
  Hulls hulls;
  AspHeightField *field;
  AspRandom random;
  long errors, contacts;
} Fuzz;

static void one_input(Fuzz *f) {
  AspShape shapes[3];
  AspCollider colliders[3];
  bool wild = asp_random_uniform(&f->random, 0, 1) < 0.3;
  int dimension = asp_random_uniform(&f->random, 0, 1) < 0.3 ? 2 : 3;
  for (int i = 0; i < 3; i++) {
    AspShape *s = &shapes[i];
    *s = (AspShape){.kind = dimension == 3 ? kinds_3d[(int)asp_random_uniform(&f->random, 0, KINDS_3D)]
                                           : kinds_2d[(int)asp_random_uniform(&f->random, 0, KINDS_2D)]};
    if (asp_random_uniform(&f->random, 0, 1) < (wild ? 0.2 : 0))
      s->kind = (AspShapeKind)(int)asp_random_uniform(&f->random, -1, ASP_SHAPE_COUNT + 1);
    if (dimension == 3 && asp_random_uniform(&f->random, 0, 1) < 0.05)
      s->kind = ASP_SHAPE_HEIGHT_FIELD;
    s->radius = tricky(&f->random, wild);
    s->half_length = tricky(&f->random, wild);
    s->half_extents = vec3(tricky(&f->random, wild), tricky(&f->random, wild), tricky(&f->random, wild));
    int h = (int)asp_random_uniform(&f->random, 0, HULLS);
    s->hull = s->kind == ASP_SHAPE_POLYGON ? f->hulls.flat[h] : s->kind == ASP_SHAPE_CONVEX ? f->hulls.solid[h] : NULL;
    s->field = s->kind == ASP_SHAPE_HEIGHT_FIELD ? f->field : NULL;
    AspCollider *c = &colliders[i];
    *c = (AspCollider){.shape = s, .owner = i, .group = 1, .mask = 1};
    c->pose.orientation = nasty_turn(&f->random, dimension, wild);
    if (asp_random_uniform(&f->random, 0, 1) < 0.6) {
      c->pose.position =
          vec3(wild ? nasty(&f->random) : round(asp_random_normal(&f->random)), tricky(&f->random, wild), 0);
      if (dimension == 3)
        c->pose.position.z = wild ? nasty(&f->random) : round(2 * asp_random_normal(&f->random)) / 2;
    }
    if (asp_random_uniform(&f->random, 0, 1) < 0.1)
      c->sweep.x = wild ? nasty(&f->random) : 2;
    if (asp_random_uniform(&f->random, 0, 1) < 0.05)
      c->sweep_rotation.z = wild ? nasty(&f->random) : 1;
    if (asp_random_uniform(&f->random, 0, 1) < 0.05)
      c->sweep_arm.x = wild ? nasty(&f->random) : 1;
    if (asp_random_uniform(&f->random, 0, 1) < 0.05)
      c->margin = wild ? nasty(&f->random) : 0.1;
  }
  double margin = wild ? fabs(nasty(&f->random)) : 0.1;
  const AspContact *contacts;
  int count;
  AspError error = asp_collision_find(f->collision[dimension - 2], colliders, 3, margin, &contacts, &count);
  if (error != ASP_OK) {
    f->errors++;
    assert_true(error == ASP_ERROR_INPUT || error == ASP_ERROR_ARGUMENT);
    assert_true(asp_context_message(f->context)[0] != 0);
    return;
  }
  f->contacts += count;
  bool swept = false;
  for (int i = 0; i < 3; i++)
    swept = swept || norm3(colliders[i].sweep) > 0 || norm3(colliders[i].sweep_rotation) > 0;
  for (int i = 0; i < 3; i++)
    margin += colliders[i].margin;
  sane(contacts, count, swept ? 1e300 : margin);
}

static void degenerate_colliders_give_an_error_or_a_sane_answer(void **state) {
  (void)state;
  Fuzz f = {.context = asp_context_create(NULL), .random = {2024}};
  f.hulls = make_hulls(f.context);
  double heights[16];
  for (int i = 0; i < 16; i++)
    heights[i] = i % 3;
  assert_ok(f.context, asp_height_field_create(f.context, 4, 4, 1, 1, heights, &f.field));
  for (int dimension = 2; dimension <= 3; dimension++)
    assert_ok(f.context, asp_collision_create(f.context, dimension, &f.collision[dimension - 2]));
  for (long i = 0; i < input_count(); i++)
    one_input(&f);
  // the generator must reach both outcomes often
  assert_true(f.errors > input_count() / 50);
  assert_true(f.contacts > input_count() / 10);
  for (int i = 0; i < 2; i++)
    asp_collision_destroy(f.collision[i]);
  asp_height_field_destroy(f.context, f.field);
  free_hulls(f.context, &f.hulls);
  assert_int_equal(asp_context_memory_in_use(f.context), 0);
  asp_context_destroy(f.context);
}

static void degenerate_points_give_an_error_or_a_hull_that_holds_them(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {7};
  long made = 0;
  for (long i = 0; i < input_count() / 20; i++) {
    AspVec3 points[24];
    int count = (int)asp_random_uniform(&random, 0, 24), dimension = 2 + (int)(i % 2);
    double choice = asp_random_uniform(&random, 0, 1), scale = pow(10, asp_random_uniform(&random, -20, 20));
    AspVec3 offset = scale3(choice < 0.5 ? 0 : 1e6, random_vector(&random, 3));
    for (int k = 0; k < count; k++) {
      AspVec3 p = random_vector(&random, 3);
      if (choice < 0.1)
        p = vec3(nasty(&random), nasty(&random), nasty(&random));
      else if (choice < 0.4)
        p = vec3(round(p.x), round(p.y), round(p.z));
      else if (choice < 0.6)
        p.z *= 1e-11; // nearly flat
      else if (choice < 0.7 && k > 3)
        p = points[k % 4]; // repeated
      points[k] = choice < 0.7 ? p : scale3(scale, add3(p, offset));
    }
    AspHull *hull;
    AspError error = asp_hull_create(context, dimension, points, count, &hull);
    if (error != ASP_OK) {
      assert_true(error == ASP_ERROR_INPUT);
      continue;
    }
    made++;
    for (int face = 0; face < hull->face_count; face++) {
      AspVec3 n = hull->normals[face], q = hull->vertices[hull->face_vertex[hull->face_start[face]]];
      for (int k = 0; k < count; k++) {
        AspVec3 p = points[k];
        if (dimension == 2)
          p.z = 0;
        assert_at_most(dot3(n, sub3(p, q)), 1e-7 * hull->radius);
      }
    }
    assert_true(hull->unit.mass > 0);
    asp_hull_destroy(context, hull);
  }
  assert_true(made > input_count() / 100);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(degenerate_colliders_give_an_error_or_a_sane_answer),
      cmocka_unit_test(degenerate_points_give_an_error_or_a_hull_that_holds_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
