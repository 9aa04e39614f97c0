/* An independent judge of signed gaps, for tests: own support functions and membership tests, duality, and a search for
 * directions that separate better.
 *
 * Weak duality makes the separated case a proof, not a comparison: any two points of A and B bound the gap from above
 * by their distance, any direction n bounds it from below by s(n) = min over B of n.x - max over A of n.x. An answer
 * whose two bounds meet is right. In penetration the gap is the maximum of s(n) over all n: the answer's own normal
 * proves one side, the search over the sphere tries to break the other.
 */
#ifndef ASP_TEST_ORACLE_H
#define ASP_TEST_ORACLE_H

#include "asperity/collide.h"
#include "linalg/vec3.h"
#include "testing.h"

/* Largest x.d over the shape at its pose, d of any length, world. */
static inline double oracle_top(const AspShape *s, const AspPose *pose, AspVec3 direction, int dimension) {
  AspVec3 d = quat_rotate_back(pose->orientation, direction);
  double base = dot3(direction, pose->position), length = norm3(d), side = sqrt(d.x * d.x + d.y * d.y);
  switch (s->kind) {
  case ASP_SHAPE_SPHERE:
  case ASP_SHAPE_DISK:
    return base + s->radius * length;
  case ASP_SHAPE_BOX:
    return base + fabs(d.x) * s->half_extents.x + fabs(d.y) * s->half_extents.y +
           (dimension == 3 ? fabs(d.z) * s->half_extents.z : 0);
  case ASP_SHAPE_CAPSULE:
    return base + s->radius * length + s->half_length * fabs(dimension == 3 ? d.z : d.x);
  case ASP_SHAPE_CYLINDER:
    return base + s->radius * side + s->half_length * fabs(d.z);
  case ASP_SHAPE_CONE:
    return base + fmax(s->half_length * d.z, s->radius * side - s->half_length * d.z);
  case ASP_SHAPE_CONVEX:
  case ASP_SHAPE_POLYGON: {
    double top = -INFINITY;
    for (int i = 0; i < s->hull->vertex_count; i++)
      top = fmax(top, dot3(d, s->hull->vertices[i]));
    return base + top;
  }
  case ASP_SHAPE_HALF_SPACE: // bounded along its own normal only
    return d.z > 0 && side <= 1e-9 * length ? base : INFINITY;
  case ASP_SHAPE_HALF_PLANE:
    return d.y > 0 && fabs(d.x) <= 1e-9 * length ? base : INFINITY;
  default:
    return base;
  }
}

/* By how much the point is outside the shape, m (an upper bound that vanishes inside). */
static inline double oracle_outside(const AspShape *s, const AspPose *pose, AspVec3 point, int dimension) {
  AspVec3 p = pose_point_back(pose, point);
  double rho = sqrt(p.x * p.x + p.y * p.y);
  switch (s->kind) {
  case ASP_SHAPE_SPHERE:
  case ASP_SHAPE_DISK:
    return fmax(0, norm3(p) - s->radius);
  case ASP_SHAPE_BOX:
    return fmax(0,
                fmax(fabs(p.x) - s->half_extents.x,
                     fmax(fabs(p.y) - s->half_extents.y, dimension == 3 ? fabs(p.z) - s->half_extents.z : fabs(p.z))));
  case ASP_SHAPE_CAPSULE: {
    double t = dimension == 3 ? p.z : p.x, beyond = fmax(0, fabs(t) - s->half_length);
    double across = dimension == 3 ? rho : sqrt(p.y * p.y + p.z * p.z);
    return fmax(0, sqrt(beyond * beyond + across * across) - s->radius);
  }
  case ASP_SHAPE_CYLINDER:
    return fmax(0, fmax(rho - s->radius, fabs(p.z) - s->half_length));
  case ASP_SHAPE_CONE:
    return fmax(0, fmax(-s->half_length - p.z, rho - s->radius * (s->half_length - p.z) / (2 * s->half_length)));
  case ASP_SHAPE_CONVEX:
  case ASP_SHAPE_POLYGON: {
    double out = 0;
    for (int f = 0; f < s->hull->face_count; f++) {
      AspVec3 q = s->hull->vertices[s->hull->face_vertex[s->hull->face_start[f]]];
      out = fmax(out, dot3(s->hull->normals[f], sub3(p, q)));
    }
    return out;
  }
  case ASP_SHAPE_HALF_SPACE:
    return fmax(0, p.z);
  case ASP_SHAPE_HALF_PLANE:
    return fmax(0, p.y);
  default:
    return norm3(p);
  }
}

static inline double oracle_separation(int dimension, const AspCollider *a, const AspCollider *b, AspVec3 n) {
  return -oracle_top(b->shape, &b->pose, neg3(n), dimension) - oracle_top(a->shape, &a->pose, n, dimension);
}

/* Climb from n by random steps that shrink: the best separation near it. */
static inline double oracle_climb(int dimension, const AspCollider *a, const AspCollider *b, AspVec3 *n, double step,
                                  AspRandom *random) {
  double best = oracle_separation(dimension, a, b, *n);
  while (step > 1e-8) {
    bool gained = false;
    for (int k = 0; k < (dimension == 3 ? 10 : 4); k++) {
      AspVec3 d =
          vec3(asp_random_normal(random), asp_random_normal(random), dimension == 3 ? asp_random_normal(random) : 0);
      AspVec3 m = unit3(axpy3(*n, step, d));
      double s = oracle_separation(dimension, a, b, m);
      if (s > best) {
        best = s;
        *n = m;
        gained = true;
      }
    }
    step *= gained ? 1.5 : 0.5;
  }
  return best;
}

/* The best separation found over the sphere (or circle): samples everywhere, then climbs from the best few. */
static inline double oracle_search(int dimension, const AspCollider *a, const AspCollider *b, int samples, int climbs,
                                   AspRandom *random) {
  enum { KEEP = 8 };
  AspVec3 kept[KEEP];
  double value[KEEP];
  for (int i = 0; i < KEEP; i++)
    value[i] = -INFINITY;
  for (int i = 0; i < samples; i++) {
    double z = dimension == 3 ? 1 - (2 * i + 1.0) / samples : 0,
           angle = dimension == 3 ? 2.399963229728653 * i : 6.283185307179586 * i / samples;
    AspVec3 n = vec3(sqrt(1 - z * z) * cos(angle), sqrt(1 - z * z) * sin(angle), z);
    double s = oracle_separation(dimension, a, b, n);
    // one place per direction region: replace a near one, else the worst
    int slot = 0;
    for (int k = 1; k < KEEP; k++)
      if (value[k] < value[slot])
        slot = k;
    for (int k = 0; k < KEEP; k++)
      if (value[k] > -INFINITY && dot3(kept[k], n) > 0.95)
        slot = k;
    if (s > value[slot]) {
      value[slot] = s;
      kept[slot] = n;
    }
  }
  double best = -INFINITY;
  for (int i = 0; i < climbs; i++) {
    int top = 0;
    for (int k = 1; k < KEEP; k++)
      if (value[k] > value[top])
        top = k;
    if (value[top] == -INFINITY)
      break;
    value[top] = -INFINITY;
    best = fmax(best, oracle_climb(dimension, a, b, &kept[top], 0.1, random));
  }
  return best;
}

#endif
