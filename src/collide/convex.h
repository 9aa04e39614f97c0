/* Convex shapes as the narrow phase sees them: a core (point, segment, box, hull, cylinder, cone, ellipsoid) with a
 * ball of some radius around it, placed in space. A sphere is a point with a ball, a capsule a segment with a ball; the
 * gap of two shapes is the gap of their cores less the two radii, also when the cores penetrate.
 */
#ifndef ASP_COLLIDE_CONVEX_H
#define ASP_COLLIDE_CONVEX_H

#include "asperity/shape.h"
#include "linalg/vec3.h"

/* fmin and fmax of the C library are calls, because of NaN and signed zeros; these are one instruction. */
static inline double lesser(double a, double b) { return a < b ? a : b; }
static inline double greater(double a, double b) { return a > b ? a : b; }

typedef enum CoreKind {
  CORE_POINT,
  CORE_SEGMENT,
  CORE_BOX,
  CORE_HULL,
  CORE_CYLINDER,
  CORE_CONE,
  CORE_ELLIPSOID
} CoreKind;

typedef struct Convex {
  CoreKind core;
  int dimension;
  double radius;       /* of the ball, m */
  double r, h;         /* CYLINDER, CONE: radius and half length; SEGMENT: half length, m */
  AspVec3 e;           /* BOX: half extents; ELLIPSOID: radii, m */
  const AspHull *hull; /* HULL */
  AspMat3 R;           /* from the shape's frame to world directions */
  AspVec3 x;           /* origin of the shape's frame, m */
  double size;         /* everything lies within this distance of x, m */
} Convex;

/* False for shapes that are not convex and bounded (planes, height fields). */
bool asp_convex_from_shape(const AspShape *shape, const AspPose *pose, int dimension, Convex *convex);

/* A point of the core that lies farthest along d, and its vertex number (polytopes; else 0). */
AspVec3 asp_convex_support(const Convex *convex, AspVec3 d, int *vertex);

/* The box around the shape, ball included, along the axes of the world. */
void asp_convex_bounds(const Convex *convex, AspVec3 *low, AspVec3 *high);

/* How deep the point lies in the shape, m: the radius of the largest ball around it that fits in; negative outside. */
double asp_convex_inside(const Convex *convex, AspVec3 point);

static inline AspVec3 convex_to_world(const Convex *c, AspVec3 v) { return mat3_times(&c->R, v); }
static inline AspVec3 convex_to_local(const Convex *c, AspVec3 d) {
  const double *m = c->R.m;
  return vec3(m[0] * d.x + m[3] * d.y + m[6] * d.z, m[1] * d.x + m[4] * d.y + m[7] * d.z,
              m[2] * d.x + m[5] * d.y + m[8] * d.z);
}
/* The axis of segments (2D: x), cylinders and cones in world directions. */
static inline AspVec3 convex_axis(const Convex *c) {
  int k = c->core == CORE_SEGMENT && c->dimension == 2 ? 0 : 2;
  return vec3(c->R.m[k], c->R.m[3 + k], c->R.m[6 + k]);
}
static inline bool convex_is_curved(const Convex *c) { return c->core >= CORE_CYLINDER; }
/* It touches a plane at one point, whatever its pose. */
static inline bool convex_is_smooth(const Convex *c) { return c->core == CORE_POINT || c->core == CORE_ELLIPSOID; }

/* s(n) = min over B of n.x - max over A of n.x for the cores: a lower bound of their signed gap for every unit n, with
 * equality for the best n. */
double asp_convex_separation(const Convex *a, const Convex *b, AspVec3 n);

/* Signed gap of the cores: the nearest points and the direction from A to B. */
typedef struct Nearest {
  AspVec3 a, b;   /* witness points on the cores; b = a + gap normal up to rounding; not set when `bare` */
  AspVec3 normal; /* unit, from A to B */
  double gap;     /* negative: depth of the smallest separating translation */
  bool bare;      /* without witness points: asp_witness_from_normal finds them */
} Nearest;

/* Signed distance of a point to a core with closed form (all but hulls) and the outward normal; local frame. */
double asp_point_distance(const Convex *convex, AspVec3 point, AspVec3 *out);

/* Distance of two cores; false when they overlap or touch within rounding. Gives up with false beyond `limit`: then
 * *far is true. `guess`: about the direction from A to B; zero when nothing is known. */
bool asp_gjk(const Convex *a, const Convex *b, AspVec3 guess, double limit, Nearest *nearest, bool *far);
/* Improve a direction that separates by `separation` (negative: overlap): step out along it, project back, take the
 * direction of the projection (to this accuracy of its distance), at most so often. Exact for flat parts, converges to
 * a local maximum of s on curved ones. Returns s. */
double asp_climb(const Convex *a, const Convex *b, double separation, int most, double accuracy, AspVec3 *n);
/* Overlapping polytopes: segments, boxes, hulls (and points) in 3D, all of 2D. Exact over all separating directions.
 * Leaves the result bare. */
void asp_sat(const Convex *a, const Convex *b, Nearest *nearest);
/* The best of a box-box pair's fifteen directions: a lower bound of the gap, exact when <= 0. */
double asp_sat_boxes(const Convex *a, const Convex *b, double limit, AspVec3 *normal);
/* Overlapping shapes of which at least one is curved. Leaves the result bare. */
void asp_epa(const Convex *a, const Convex *b, Nearest *nearest);
/* Fill in the witness points of a penetration whose normal and depth are known. */
void asp_witness_from_normal(const Convex *a, const Convex *b, Nearest *nearest);

#endif
