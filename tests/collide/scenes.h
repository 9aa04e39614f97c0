/* Random shapes and poses of every kind of difficulty, for tests and benchmarks of the collision layer. */
#ifndef ASP_TEST_SCENES_H
#define ASP_TEST_SCENES_H

#include "collide/oracle.h"

static const AspShapeKind kinds_3d[] = {ASP_SHAPE_POINT,     ASP_SHAPE_SPHERE,   ASP_SHAPE_BOX,
                                        ASP_SHAPE_CAPSULE,   ASP_SHAPE_CYLINDER, ASP_SHAPE_CONE,
                                        ASP_SHAPE_ELLIPSOID, ASP_SHAPE_CONVEX,   ASP_SHAPE_HALF_SPACE};
static const AspShapeKind kinds_2d[] = {ASP_SHAPE_POINT,   ASP_SHAPE_DISK,    ASP_SHAPE_BOX,
                                        ASP_SHAPE_CAPSULE, ASP_SHAPE_POLYGON, ASP_SHAPE_HALF_PLANE};
#define KINDS_3D (int)(sizeof kinds_3d / sizeof *kinds_3d)
#define KINDS_2D (int)(sizeof kinds_2d / sizeof *kinds_2d)

/* Random poses per pair of shapes: 300, or with ASPERITY_TEST_FULL=1 10,000. */
static inline int poses_per_pair(void) {
  const char *full = getenv("ASPERITY_TEST_FULL");
  return full && full[0] == '1' ? 10000 : 300;
}

#define HULLS 8
typedef struct Hulls {
  AspHull *solid[HULLS], *flat[HULLS];
} Hulls;

static inline AspVec3 random_vector(AspRandom *random, int dimension) {
  return vec3(asp_random_normal(random), asp_random_normal(random), dimension == 3 ? asp_random_normal(random) : 0);
}

static inline AspQuat random_turn(AspRandom *random, int dimension) {
  if (dimension == 2)
    return quat_from_axis_angle(vec3(0, 0, 1), asp_random_uniform(random, -3.2, 3.2));
  return quat_normalize((AspQuat){asp_random_normal(random), asp_random_normal(random), asp_random_normal(random),
                                  asp_random_normal(random)});
}

/* Hulls of unit size: tetrahedron, prism, boxes, balls of points. */
static inline Hulls make_hulls(AspContext *context) {
  Hulls hulls;
  AspRandom random = {77};
  AspVec3 points[40];
  for (int h = 0; h < HULLS; h++) {
    int count = 4 + 5 * h;
    for (int i = 0; i < count; i++) {
      AspVec3 p = random_vector(&random, 3);
      points[i] = h == 2  ? vec3(i & 1 ? 1 : -1, i & 2 ? 0.5 : -0.5, i & 4 ? 0.7 : -0.7)
                  : h % 2 ? unit3(p)
                          : scale3(1 / (1 + norm3(p)), p);
      if (h == 3) // a prism with nine sides, off its origin
        points[i] = vec3(1 + cos(0.69813170079773183 * (i % 9)), sin(0.69813170079773183 * (i % 9)), i < 9 ? 0 : 1);
    }
    if (h == 0)
      for (int i = 0; i < 4; i++)
        points[i] = vec3(i == 1, i == 2, i == 3);
    assert_ok(context, asp_hull_create(context, 3, points, count, &hulls.solid[h]));
    for (int i = 0; i < count; i++)
      points[i].z = 0;
    assert_ok(context, asp_hull_create(context, 2, points, count, &hulls.flat[h]));
  }
  return hulls;
}

static inline void free_hulls(AspContext *context, Hulls *hulls) {
  for (int h = 0; h < HULLS; h++) {
    asp_hull_destroy(context, hulls->solid[h]);
    asp_hull_destroy(context, hulls->flat[h]);
  }
}

/* Sizes over two decades around `scale`; hulls have unit size whatever the scale. */
static inline AspShape random_shape(AspRandom *random, const Hulls *hulls, AspShapeKind kind, double scale) {
  AspShape s = {.kind = kind};
  s.radius = scale * pow(10, asp_random_uniform(random, -1, 0.3));
  s.half_length = scale * pow(10, asp_random_uniform(random, -1, 0.5));
  s.half_extents =
      vec3(scale * pow(10, asp_random_uniform(random, -1, 0.3)), scale * pow(10, asp_random_uniform(random, -1, 0.3)),
           scale * pow(10, asp_random_uniform(random, -1, 0.3)));
  int h = (int)asp_random_uniform(random, 0, HULLS);
  s.hull = kind == ASP_SHAPE_CONVEX ? hulls->solid[h] : kind == ASP_SHAPE_POLYGON ? hulls->flat[h] : NULL;
  return s;
}

static inline double shape_size(const AspShape *s, int dimension) {
  switch (s->kind) {
  case ASP_SHAPE_SPHERE:
  case ASP_SHAPE_DISK:
    return s->radius;
  case ASP_SHAPE_BOX:
    return dimension == 3 ? norm3(s->half_extents) : hypot(s->half_extents.x, s->half_extents.y);
  case ASP_SHAPE_ELLIPSOID:
    return fmax(s->half_extents.x, fmax(s->half_extents.y, s->half_extents.z));
  case ASP_SHAPE_CAPSULE:
    return s->radius + s->half_length;
  case ASP_SHAPE_CYLINDER:
  case ASP_SHAPE_CONE:
    return hypot(s->radius, s->half_length);
  case ASP_SHAPE_CONVEX:
  case ASP_SHAPE_POLYGON:
    return s->hull->radius;
  default:
    return 0;
  }
}

typedef enum Difficulty { APART, TOUCHING, PARALLEL, DEEP, FAR, TINY_BY_HUGE, DIFFICULTIES } Difficulty;

/* A pair of the given difficulty; the shapes must outlive the colliders. Returns the size that tolerances refer to. */
static inline double random_pair(AspRandom *random, const Hulls *hulls, int dimension, AspShapeKind ka, AspShapeKind kb,
                                 Difficulty difficulty, AspShape *sa, AspShape *sb, AspCollider *a, AspCollider *b) {
  bool tiny = difficulty == TINY_BY_HUGE;
  *sa = random_shape(random, hulls, ka, tiny ? pow(10, asp_random_uniform(random, -4, 4)) : 1);
  *sb = random_shape(random, hulls, kb, tiny ? pow(10, asp_random_uniform(random, -4, 4)) : 1);
  *a = (AspCollider){.shape = sa, .owner = 0, .group = 1, .mask = 1};
  *b = (AspCollider){.shape = sb, .owner = 1, .group = 1, .mask = 1};
  a->pose.position = scale3(3, random_vector(random, dimension));
  a->pose.orientation = random_turn(random, dimension);
  b->pose.position = a->pose.position;
  b->pose.orientation = random_turn(random, dimension);
  double size = shape_size(sa, dimension) + shape_size(sb, dimension);
  AspVec3 n = unit3(random_vector(random, dimension));
  if (difficulty == PARALLEL) {
    AspQuat quarter = {1, 0, 0, 0};
    int turns = (int)asp_random_uniform(random, 0, 4),
        about = dimension == 3 ? (int)asp_random_uniform(random, 0, 3) : 2;
    for (int i = 0; i < turns; i++)
      quarter =
          quat_multiply(quarter, quat_from_axis_angle(vec3(about == 0, about == 1, about == 2), 1.5707963267948966));
    b->pose.orientation = quat_normalize(quat_multiply(a->pose.orientation, quarter));
    int axis = (int)asp_random_uniform(random, 0, dimension);
    n = quat_rotate(a->pose.orientation, vec3(axis == 0, axis == 1, axis == 2));
  }
  if (ka == ASP_SHAPE_HALF_SPACE || ka == ASP_SHAPE_HALF_PLANE)
    n = quat_rotate(a->pose.orientation, dimension == 3 ? vec3(0, 0, 1) : vec3(0, 1, 0));
  if (kb == ASP_SHAPE_HALF_SPACE || kb == ASP_SHAPE_HALF_PLANE)
    n = neg3(quat_rotate(b->pose.orientation, dimension == 3 ? vec3(0, 0, 1) : vec3(0, 1, 0)));
  if (size == 0)
    size = 1; // two points
  double gap = 0;
  switch (difficulty) {
  case APART:
    gap = size * asp_random_uniform(random, 0, 1);
    break;
  case FAR:
    gap = size * pow(10, asp_random_uniform(random, 1, 5));
    break;
  case DEEP:
    gap = -size * asp_random_uniform(random, 0, 0.5);
    break;
  default:
    gap = size * (asp_random_uniform(random, 0, 1) < 0.2 ? 0 : pow(10, asp_random_uniform(random, -12, -2)));
    gap *= asp_random_uniform(random, 0, 1) < 0.5 ? -1 : 1;
    break;
  }
  if (difficulty == PARALLEL || difficulty == DEEP) // slide sideways as well
    b->pose.position =
        axpy3(b->pose.position, asp_random_uniform(random, 0, 0.3) * size, unit3(random_vector(random, dimension)));
  double now = oracle_separation(dimension, a, b, n);
  b->pose.position = axpy3(b->pose.position, gap - now, n);
  return difficulty == FAR ? size + fabs(gap) : size;
}

#endif
