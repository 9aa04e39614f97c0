/* An independent judge of signed gaps, for tests: own support functions and membership tests, duality, and a search for
 * directions that separate better.
 *
 * Weak duality makes the separated case a proof, not a comparison: any two points of A and B bound the gap from above
 * by their distance, any direction n bounds it from below by s(n) = min over B of n.x - max over A of n.x. An answer
 * whose two bounds meet is right. In penetration the gap is the maximum of s(n) over all n: the answer's own normal
 * proves one side; the other is proved by covering the sphere of directions with triangles (2D: the circle with arcs).
 * With h = -s, the support function of A - B, and any point w of A - B,
 *
 *   h(n) >= w.n >= min over the corners n_i of w.n_i   for every unit n in the triangle, when that is positive,
 *
 * and with w the support point of one of its corners or its middle this is h up to second order in the triangle's size.
 * Triangles whose bound is too low are cut in four; a corner itself that is too low refutes the answer.
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
  case ASP_SHAPE_ELLIPSOID:
    return base +
           sqrt(pow(d.x * s->half_extents.x, 2) + pow(d.y * s->half_extents.y, 2) + pow(d.z * s->half_extents.z, 2));
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
  case ASP_SHAPE_ELLIPSOID: { // along the ray from the centre
    double level =
        sqrt(pow(p.x / s->half_extents.x, 2) + pow(p.y / s->half_extents.y, 2) + pow(p.z / s->half_extents.z, 2));
    return level > 1 ? norm3(p) * (1 - 1 / level) : 0;
  }
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

/* A point of the shape that lies farthest along d. */
static inline AspVec3 oracle_support(const AspShape *s, const AspPose *pose, AspVec3 direction, int dimension) {
  AspVec3 d = quat_rotate_back(pose->orientation, direction), p = vec3(0, 0, 0);
  double length = norm3(d), side = sqrt(d.x * d.x + d.y * d.y), along = s->half_length;
  AspVec3 rim = side > 0 ? vec3(s->radius * d.x / side, s->radius * d.y / side, 0) : vec3(s->radius, 0, 0);
  switch (s->kind) {
  case ASP_SHAPE_SPHERE:
  case ASP_SHAPE_DISK:
    p = scale3(s->radius / length, d);
    break;
  case ASP_SHAPE_BOX:
    p = vec3(copysign(s->half_extents.x, d.x), copysign(s->half_extents.y, d.y),
             dimension == 3 ? copysign(s->half_extents.z, d.z) : 0);
    break;
  case ASP_SHAPE_ELLIPSOID: {
    AspVec3 e = s->half_extents;
    double top = sqrt(pow(d.x * e.x, 2) + pow(d.y * e.y, 2) + pow(d.z * e.z, 2));
    p = top > 0 ? vec3(e.x * e.x * d.x / top, e.y * e.y * d.y / top, e.z * e.z * d.z / top) : vec3(e.x, 0, 0);
    break;
  }
  case ASP_SHAPE_CAPSULE:
    p = scale3(s->radius / length, d);
    p = dimension == 3 ? vec3(p.x, p.y, p.z + copysign(along, d.z)) : vec3(p.x + copysign(along, d.x), p.y, p.z);
    break;
  case ASP_SHAPE_CYLINDER:
    p = vec3(rim.x, rim.y, copysign(along, d.z));
    break;
  case ASP_SHAPE_CONE:
    p = along * d.z > s->radius * side - along * d.z ? vec3(0, 0, along) : vec3(rim.x, rim.y, -along);
    break;
  case ASP_SHAPE_CONVEX:
  case ASP_SHAPE_POLYGON:
    p = s->hull->vertices[0];
    for (int i = 1; i < s->hull->vertex_count; i++)
      if (dot3(d, s->hull->vertices[i]) > dot3(d, p))
        p = s->hull->vertices[i];
    break;
  default:
    break;
  }
  return pose_point(pose, p);
}

/* A - B as the proof sees it, positions relative to A's. */
typedef struct OracleSum {
  int dimension;
  const AspShape *a, *b;
  AspPose pose_a, pose_b;
  long looked_at; /* triangles and arcs */
} OracleSum;

static inline AspVec3 oracle_sum_support(const OracleSum *k, AspVec3 n) {
  return sub3(oracle_support(k->a, &k->pose_a, n, k->dimension),
              oracle_support(k->b, &k->pose_b, neg3(n), k->dimension));
}

typedef enum OracleVerdict { ORACLE_PROVED, ORACLE_REFUTED, ORACLE_UNSETTLED } OracleVerdict;
#define ORACLE_WORK 4000000L

/* Is h(n) >= least > 0 for all unit n between the corners (3, in 2D 2)? `w`: support points of the corners. */
static inline OracleVerdict oracle_cover(OracleSum *k, const AspVec3 *n, const AspVec3 *w, double least, int depth) {
  int corners = k->dimension;
  AspVec3 middle = corners == 3 ? add3(add3(n[0], n[1]), n[2]) : add3(n[0], n[1]);
  AspVec3 candidate[4] = {w[0], w[1], corners == 3 ? w[2] : w[0], oracle_sum_support(k, unit3(middle))};
  if (++k->looked_at > ORACLE_WORK || depth > 60)
    return ORACLE_UNSETTLED;
  for (int c = 3; c >= 0; c--) {
    bool holds = true;
    for (int i = 0; i < corners; i++)
      holds = holds && dot3(candidate[c], n[i]) >= least;
    if (holds)
      return ORACLE_PROVED;
  }
  for (int i = 0; i < corners; i++)
    if (dot3(w[i], n[i]) < least)
      return ORACLE_REFUTED;
  AspVec3 m[3], v[3];
  for (int i = 0; i < (corners == 3 ? 3 : 1); i++) {
    m[i] = unit3(add3(n[i], n[(i + 1) % corners]));
    v[i] = oracle_sum_support(k, m[i]);
  }
  if (corners == 2) {
    OracleVerdict first = oracle_cover(k, (AspVec3[2]){n[0], m[0]}, (AspVec3[2]){w[0], v[0]}, least, depth + 1);
    return first ? first : oracle_cover(k, (AspVec3[2]){m[0], n[1]}, (AspVec3[2]){v[0], w[1]}, least, depth + 1);
  }
  OracleVerdict verdict = oracle_cover(k, m, v, least, depth + 1);
  for (int i = 0; i < 3 && verdict == ORACLE_PROVED; i++)
    verdict = oracle_cover(k, (AspVec3[3]){n[i], m[i], m[(i + 2) % 3]}, (AspVec3[3]){w[i], v[i], v[(i + 2) % 3]}, least,
                           depth + 1);
  return verdict;
}

/* Does no direction separate better than `gap` < 0? */
static inline OracleVerdict oracle_prove(int dimension, const AspCollider *a, const AspCollider *b, double gap,
                                         long *work) {
  OracleSum k = {dimension, a->shape, b->shape, a->pose, b->pose, 0};
  k.pose_a.position = vec3(0, 0, 0);
  k.pose_b.position = sub3(b->pose.position, a->pose.position);
  OracleVerdict verdict = ORACLE_PROVED;
  for (int octant = 0; octant < (dimension == 3 ? 8 : 4) && verdict == ORACLE_PROVED; octant++) {
    AspVec3 n[3] = {vec3(octant & 1 ? 1 : -1, 0, 0), vec3(0, octant & 2 ? 1 : -1, 0), vec3(0, 0, octant & 4 ? 1 : -1)};
    AspVec3 w[3];
    for (int i = 0; i < dimension; i++)
      w[i] = oracle_sum_support(&k, n[i]);
    verdict = oracle_cover(&k, n, w, -gap, 0);
  }
  *work += k.looked_at;
  return verdict;
}

#endif
