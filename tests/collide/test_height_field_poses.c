/* collide: every shape on random height fields, at random poses. The solid below the field is the union of the prisms
 * under its triangles, each a hull of six points, and the shape's gap to a prism is judged by the oracle:
 *   apart: the gap is the least over the prisms, proved by two points (above) and a separating direction per prism
 * (below); overlapping: the answer allows only the directions of the surface, so it is at least as deep as the deepest
 * prism, whose walls count too, and no deeper than the planes of the triangles under the shape are. 300 poses per
 * shape; ASPERITY_TEST_FULL=1 takes 10,000. */
#include "collide/scenes.h"

enum { COLUMNS = 9, ROWS = 7, TRIANGLES = 2 * (COLUMNS - 1) * (ROWS - 1), FIELDS = 5 };
#define DX     0.5
#define DY     0.4
#define BOTTOM (-6.0) /* of the prisms, far below everything */

typedef struct Terrain {
  AspHeightField *field;
  AspHull *prism[TRIANGLES];
  AspVec3 corner[TRIANGLES][3], normal[TRIANGLES];
} Terrain;

static Terrain make_terrain(AspContext *context, AspRandom *random, double roughness) {
  Terrain t;
  double heights[COLUMNS * ROWS];
  for (int i = 0; i < COLUMNS * ROWS; i++)
    heights[i] = roughness * asp_random_uniform(random, -1, 1);
  assert_ok(context, asp_height_field_create(context, COLUMNS, ROWS, DX, DY, heights, &t.field));
  for (int k = 0; k < TRIANGLES; k++) {
    int column = k / 2 % (COLUMNS - 1), row = k / 2 / (COLUMNS - 1);
    int at[3][2] = {{column, row}, {column + 1, row + k % 2}, {column + 1 - k % 2, row + 1}};
    AspVec3 points[6];
    for (int i = 0; i < 3; i++) {
      points[i] = vec3(at[i][0] * DX, at[i][1] * DY, heights[at[i][1] * COLUMNS + at[i][0]]);
      points[i + 3] = vec3(points[i].x, points[i].y, BOTTOM);
      t.corner[k][i] = points[i];
    }
    t.normal[k] = unit3(cross3(sub3(points[1], points[0]), sub3(points[2], points[0])));
    assert_true(t.normal[k].z > 0);
    assert_ok(context, asp_hull_create(context, 3, points, 6, &t.prism[k]));
  }
  return t;
}

static void free_terrain(AspContext *context, Terrain *t) {
  asp_height_field_destroy(context, t->field);
  for (int k = 0; k < TRIANGLES; k++)
    asp_hull_destroy(context, t->prism[k]);
}

/* Distance of a point of the field's frame from the surface (its triangles). */
static double off_surface(const Terrain *t, AspVec3 x) {
  double least = INFINITY;
  for (int k = 0; k < TRIANGLES; k++) {
    const AspVec3 *p = t->corner[k];
    bool over = true;
    for (int i = 0; i < 3; i++) // within rounding over the triangle, seen along its normal
      over = over && dot3(cross3(sub3(p[(i + 1) % 3], p[i]), sub3(x, p[i])), t->normal[k]) >= -1e-9;
    if (over)
      least = fmin(least, fabs(dot3(t->normal[k], sub3(x, p[0]))));
  }
  return least;
}

typedef struct Answer {
  double gap;
  const AspContact *contact; /* the deepest */
} Answer;

static Answer deepest_of(const AspContact *contacts, int count) {
  Answer answer = {INFINITY, NULL};
  for (int i = 0; i < count; i++)
    if (contacts[i].gap < answer.gap)
      answer = (Answer){contacts[i].gap, &contacts[i]};
  return answer;
}

/* The least gap over the prisms; each is a lower bound by its own separating direction, or an overlap. */
static double prism_gap(const Terrain *t, const AspPose *ground, const AspCollider *body, double limit, double size) {
  double least = INFINITY;
  for (int k = 0; k < TRIANGLES; k++) {
    AspShape shape = {.kind = ASP_SHAPE_CONVEX, .hull = t->prism[k]};
    AspCollider prism = {.shape = &shape, .pose = *ground, .group = 1, .mask = 1};
    AspContact contacts[ASP_MANIFOLD_MAX];
    int count = asp_collide_pair(3, &prism, body, limit, contacts);
    if (count == 0)
      continue; // beyond the limit
    Answer answer = deepest_of(contacts, count);
    double lower = oracle_separation(3, &prism, body, answer.contact->normal);
    assert_near(lower, answer.gap, (answer.gap > 0 ? 1e-9 : 1e-6) * (size + 6));
    least = fmin(least, answer.gap);
  }
  return least;
}

/* How deep the shape is below the planes of the triangles that lie under its box. */
static double plane_gap(const Terrain *t, const AspPose *ground, const AspCollider *body) {
  double least = INFINITY, low[2], high[2];
  for (int axis = 0; axis < 2; axis++) {
    AspVec3 d = quat_rotate(ground->orientation, vec3(axis == 0, axis == 1, 0));
    high[axis] = oracle_top(body->shape, &body->pose, d, 3) - dot3(d, ground->position);
    low[axis] = -oracle_top(body->shape, &body->pose, neg3(d), 3) - dot3(d, ground->position);
  }
  for (int k = 0; k < TRIANGLES; k++) {
    const AspVec3 *p = t->corner[k];
    if (fmax(fmax(p[0].x, p[1].x), p[2].x) < low[0] || fmin(fmin(p[0].x, p[1].x), p[2].x) > high[0] ||
        fmax(fmax(p[0].y, p[1].y), p[2].y) < low[1] || fmin(fmin(p[0].y, p[1].y), p[2].y) > high[1])
      continue;
    AspVec3 n = quat_rotate(ground->orientation, t->normal[k]);
    double bottom = -oracle_top(body->shape, &body->pose, neg3(n), 3);
    least = fmin(least, bottom - dot3(n, pose_point(ground, p[0])));
  }
  return least;
}

static double place(AspRandom *random, const Hulls *hulls, AspShapeKind kind, const AspPose *ground, AspShape *shape,
                    AspCollider *body) {
  *shape = random_shape(random, hulls, kind, 0.15);
  double size = fmax(shape_size(shape, 3), 0.01);
  *body = (AspCollider){.shape = shape, .owner = 1, .group = 1, .mask = 1};
  // hulls have unit size: in the middle of the field everything is away from its border
  AspVec3 at = vec3(asp_random_uniform(random, 1.7, 2.3), asp_random_uniform(random, 1.1, 1.3),
                    asp_random_uniform(random, -0.2, 1 + size));
  body->pose.position = pose_point(ground, at);
  body->pose.orientation = random_turn(random, 3);
  return size;
}

static void every_shape_lies_on_height_fields_as_the_oracle_says(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  Hulls hulls = make_hulls(context);
  AspRandom random = {41};
  Terrain terrain[FIELDS];
  for (int i = 0; i < FIELDS; i++)
    terrain[i] = make_terrain(context, &random, i == 0 ? 0 : 0.1 * i);
  long apart = 0, overlapping = 0, outside = 0;
  for (int kind = 0; kind < KINDS_3D - 1; kind++)
    for (int pose = 0; pose < poses_per_pair(); pose++) {
      const Terrain *t = &terrain[pose % FIELDS];
      AspShape field = {.kind = ASP_SHAPE_HEIGHT_FIELD, .field = t->field}, shape;
      AspCollider ground = {.shape = &field, .pose = {random_vector(&random, 3), random_turn(&random, 3)}}, body;
      ground.group = ground.mask = 1;
      double size = place(&random, &hulls, kinds_3d[kind], &ground.pose, &shape, &body);
      if (size > 0.9)
        continue; // reaches beyond the border, which has no side wall
      AspContact contacts[ASP_MANIFOLD_MAX], mirrored[ASP_MANIFOLD_MAX];
      int count = asp_collide_pair(3, &ground, &body, 1, contacts);
      double prisms = prism_gap(t, &ground.pose, &body, 1, size), scale = size + 4; // the field is 4 m long
      if (count == 0) {
        assert_true(prisms > 1 - 1e-9);
        continue;
      }
      Answer answer = deepest_of(contacts, count);
      int other = asp_collide_pair(3, &body, &ground, 1, mirrored);
      assert_int_equal(other, count);
      assert_near(deepest_of(mirrored, other).gap, answer.gap, 1e-12 * scale);
      for (int i = 0; i < count; i++) {
        const AspContact *c = &contacts[i];
        assert_near(dot3(sub3(c->point_b, c->point_a), c->normal), c->gap, 1e-11 * scale);
        assert_at_most(oracle_outside(&shape, &body.pose, c->point_b, 3), 2e-9 * scale);
      }
      if (answer.gap > 0) {
        apart++;
        assert_near(answer.gap, prisms, 1e-9 * scale);
        assert_near(norm3(sub3(answer.contact->point_b, answer.contact->point_a)), answer.gap, 1e-9 * scale);
        assert_at_most(off_surface(t, pose_point_back(&ground.pose, answer.contact->point_a)), 1e-9 * scale);
        continue;
      }
      overlapping++;
      double planes = plane_gap(t, &ground.pose, &body);
      assert_at_most(prisms, 1e-6 * scale); // it does overlap
      if (t == terrain)
        assert_near(answer.gap, planes, 1e-6 * scale); // flat: as deep as in a half-space
      outside += answer.gap > prisms + 1e-6 * scale || answer.gap < planes - 1e-6 * scale;
    }
  if (poses_per_pair() > 300)
    print_message("apart %ld, overlapping %ld, of these %ld outside the bounds\n", apart, overlapping, outside);
  assert_at_most((double)outside, 2 + 0.002 * (double)overlapping);
  assert_true(apart > poses_per_pair() && overlapping > poses_per_pair());
  for (int i = 0; i < FIELDS; i++)
    free_terrain(context, &terrain[i]);
  free_hulls(context, &hulls);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_shape_lies_on_height_fields_as_the_oracle_says)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
