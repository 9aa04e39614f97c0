/* Overlapping polytopes: the smallest separating translation over all directions that can carry it.
 *
 * The signed gap is max over unit n of s(n) (convex.h). For polytopes the maximum lies at a face normal of A or B or,
 * in 3D, at a cross product of two edges whose arcs on the Gauss sphere cross; s(n) of every candidate is evaluated in
 * full with support points, so a wrongly admitted candidate can do no harm.
 */
#include "collide/convex.h"
#include "collide/tuning/collide.h"

typedef struct Search {
  const Convex *a, *b;
  double prefer, best;
  AspVec3 normal;
} Search;

static void consider(Search *s, AspVec3 n) {
  double separation = asp_convex_separation(s->a, s->b, n);
  if (separation > s->best + s->prefer || s->best == -INFINITY) {
    s->best = separation;
    s->normal = n;
  }
}

static int face_count(const Convex *c) {
  switch (c->core) {
  case CORE_BOX:
    return 2 * c->dimension;
  case CORE_HULL:
    return c->hull->face_count;
  case CORE_SEGMENT:
    return c->dimension == 2 ? 2 : 0;
  default:
    return 0;
  }
}

/* Outward normal in world directions. Box: face 2 k is -axis k, 2 k + 1 is +axis k. */
static AspVec3 face_normal(const Convex *c, int i) {
  if (c->core == CORE_HULL)
    return convex_to_world(c, c->hull->normals[i]);
  int k = c->core == CORE_SEGMENT ? 1 : i / 2; // a segment of 2D has the two sides across x
  AspVec3 axis = vec3(c->R.m[k], c->R.m[3 + k], c->R.m[6 + k]);
  return i % 2 ? axis : neg3(axis);
}

/* An edge in some frame: its direction (any length) and the normals of the faces beside it; a segment has none (every
 * direction across it). */
typedef struct Edge {
  AspVec3 along, left, right;
  bool bare;
} Edge;

static int edge_count(const Convex *c) {
  switch (c->core) {
  case CORE_BOX:
    return c->dimension == 3 ? 12 : 0;
  case CORE_HULL:
    return c->hull->edge_count;
  case CORE_SEGMENT:
    return c->dimension == 3;
  default:
    return 0;
  }
}

static AspVec3 signed_axis(int k, int positive) {
  double sign = positive ? 1 : -1;
  return vec3(k == 0 ? sign : 0, k == 1 ? sign : 0, k == 2 ? sign : 0);
}

/* In the shape's own frame. */
static Edge edge_of(const Convex *c, int i) {
  if (c->core == CORE_SEGMENT)
    return (Edge){.along = vec3(0, 0, 1), .bare = true};
  if (c->core == CORE_BOX) {
    int k = i / 4;
    return (Edge){signed_axis(k, 1), signed_axis((k + 1) % 3, i % 2), signed_axis((k + 2) % 3, i / 2 % 2), false};
  }
  const int *edge = c->hull->edges + 4 * i;
  return (Edge){sub3(c->hull->vertices[edge[1]], c->hull->vertices[edge[0]]), c->hull->normals[edge[2]],
                c->hull->normals[edge[3]], false};
}

/* Do the arc's two ends lie clearly on one side of the plane across d? */
static bool one_side(const Edge *arc, AspVec3 d, double square) {
  double left = dot3(arc->left, d), right = dot3(arc->right, d), slack = SAT_SLACK * square;
  return left * right > 0 && left * left > slack && right * right > slack;
}

/* n = +-(ea x eb) can be normal to a face of A - B made by two edges only when the arc of A's face normals reaches both
 * sides of B's edge plane and the other way round. Edges of A are turned into B's frame once. */
static void consider_edges(Search *s) {
  const Convex *a = s->a, *b = s->b;
  for (int i = 0; i < edge_count(a); i++) {
    Edge ea = edge_of(a, i);
    ea.along = convex_to_local(b, convex_to_world(a, unit3(ea.along)));
    ea.left = convex_to_local(b, convex_to_world(a, ea.left));
    ea.right = convex_to_local(b, convex_to_world(a, ea.right));
    for (int j = 0; j < edge_count(b); j++) {
      Edge eb = edge_of(b, j);
      if (!eb.bare && one_side(&eb, ea.along, 1))
        continue;
      double square = dot3(eb.along, eb.along);
      if (!ea.bare && one_side(&ea, eb.along, square))
        continue;
      AspVec3 n = cross3(ea.along, eb.along);
      double sine = norm3(n);
      if (!(sine > SAT_PARALLEL * sqrt(square)))
        continue; // parallel edges: face normals serve
      n = scale3(1 / sine, n);
      // outward of A at this edge, inward of B; a bare edge goes both ways
      double out = ea.bare ? 0 : dot3(n, add3(ea.left, ea.right)), in = eb.bare ? 0 : -dot3(n, add3(eb.left, eb.right));
      AspVec3 world = convex_to_world(b, n);
      if (out >= -SAT_SIDE && in >= -SAT_SIDE)
        consider(s, world);
      if (out <= SAT_SIDE && in <= SAT_SIDE)
        consider(s, neg3(world));
    }
  }
}

void asp_witness_from_normal(const Convex *a, const Convex *b, Nearest *nearest) {
  // pull B out along the normal until it is clear of A by a little, and take the nearest points from there
  double clear = SAT_CLEAR * (a->size + b->size), shift = clear - nearest->gap;
  AspVec3 n = nearest->normal;
  Convex moved = *b;
  moved.x = axpy3(b->x, shift, n);
  Nearest apart;
  bool far;
  nearest->bare = false;
  if (asp_gjk(a, &moved, n, INFINITY, &apart, &far)) {
    nearest->a = apart.a;
    nearest->b = axpy3(apart.b, -shift, n);
    return;
  }
  int vertex;
  nearest->b = asp_convex_support(b, neg3(n), &vertex);
  nearest->a = axpy3(nearest->b, -nearest->gap, n);
}

void asp_sat(const Convex *a, const Convex *b, Nearest *nearest) {
  Search s = {a, b, SAT_PREFER_FIRST * (a->size + b->size), -INFINITY, vec3(0, 0, 0)};
  for (int i = 0; i < face_count(a); i++)
    consider(&s, face_normal(a, i));
  for (int i = 0; i < face_count(b); i++)
    consider(&s, neg3(face_normal(b, i)));
  consider_edges(&s);
  if (s.best == -INFINITY) { // two parallel segments or points on each other: any direction across
    AspVec3 t1 = vec3(0, 1, 0), t2;
    if (a->dimension == 3)
      tangents3(convex_axis(a->core == CORE_SEGMENT ? a : b), &t1, &t2);
    consider(&s, t1);
  }
  nearest->normal = s.normal;
  nearest->gap = fmin(s.best, 0);
  nearest->bare = true;
}

double asp_sat_boxes(const Convex *a, const Convex *b, double limit, AspVec3 *normal) {
  AspVec3 t = sub3(b->x, a->x), axis_a[3], axis_b[3];
  double ea[3] = {a->e.x, a->e.y, a->e.z}, eb[3] = {b->e.x, b->e.y, b->e.z}, R[3][3], Q[3][3], ta[3], tb[3];
  for (int i = 0; i < 3; i++) {
    axis_a[i] = vec3(a->R.m[i], a->R.m[3 + i], a->R.m[6 + i]);
    axis_b[i] = vec3(b->R.m[i], b->R.m[3 + i], b->R.m[6 + i]);
    ta[i] = dot3(t, axis_a[i]);
    tb[i] = dot3(t, axis_b[i]);
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      R[i][j] = dot3(axis_a[i], axis_b[j]);
      Q[i][j] = fabs(R[i][j]);
    }
  double prefer = SAT_PREFER_FIRST * (a->size + b->size), best = -INFINITY;
  for (int i = 0; i < 3; i++) {
    double s = fabs(ta[i]) - ea[i] - eb[0] * Q[i][0] - eb[1] * Q[i][1] - eb[2] * Q[i][2];
    if (s > best + prefer || best == -INFINITY) {
      best = s;
      *normal = ta[i] >= 0 ? axis_a[i] : neg3(axis_a[i]);
    }
  }
  for (int j = 0; j < 3; j++) {
    double s = fabs(tb[j]) - eb[j] - ea[0] * Q[0][j] - ea[1] * Q[1][j] - ea[2] * Q[2][j];
    if (s > best + prefer) {
      best = s;
      *normal = tb[j] >= 0 ? axis_b[j] : neg3(axis_b[j]);
    }
  }
  static const int after[3] = {1, 2, 0}, before[3] = {2, 0, 1};
  for (int i = 0; i < 3 && best <= limit; i++) {
    int i1 = after[i], i2 = before[i];
    const double *q = Q[i];
    double along[3], s[3],
        rb[3] = {eb[1] * q[2] + eb[2] * q[1], eb[2] * q[0] + eb[0] * q[2], eb[0] * q[1] + eb[1] * q[0]};
    for (int j = 0; j < 3; j++) { // along t . (ai x bj), not divided by its length, the sine, yet
      along[j] = ta[i2] * R[i1][j] - ta[i1] * R[i2][j];
      s[j] = fabs(along[j]) - (ea[i1] * Q[i2][j] + ea[i2] * Q[i1][j] + rb[j]);
    }
    for (int j = 0; j < 3; j++) {
      double needed = best + prefer;
      if (s[j] <= needed && s[j] <= 0)
        continue; // divided by the sine, which is at most 1, it stays below
      double square = 1 - R[i][j] * R[i][j];
      // s > needed sine, in squares where both are negative
      if (square < SAT_SHORTEST || (s[j] <= 0 && s[j] * s[j] >= needed * needed * square))
        continue; // parallel edges: face normals serve
      double sine = sqrt(square);
      if (!(s[j] > needed * sine))
        continue;
      best = s[j] / sine;
      *normal = unit3(scale3(along[j] >= 0 ? 1 : -1, cross3(axis_a[i], axis_b[j])));
    }
  }
  return best;
}
