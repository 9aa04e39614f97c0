/* The solid inside a closed triangle mesh: its checks, its reflex edges, whether it holds a point, and how far one is
 * from its surface. Points of equal coordinates are one point.
 *
 * Solid angle of a triangle (a, b, c), seen from the origin (van Oosterom, Strackee 1983):
 *
 *   tan(omega / 2) = a.(b x c) / (|a||b||c| + (a.b)|c| + (b.c)|a| + (c.a)|b|)
 */
#include "base/constants.h"
#include "base/elementary.h"
#include "shape/decompose.h"

#include <math.h>
#include <stdlib.h>

static int compare_points(const AspVec3 *p, const AspVec3 *q) {
  for (int k = 0; k < 3; k++)
    if (get3(*p, k) != get3(*q, k))
      return get3(*p, k) < get3(*q, k) ? -1 : 1;
  return 0;
}

/* One side of a triangle, with its ends in order. */
typedef struct Side {
  AspVec3 low, high;
  int triangle;
  int forward; /* 1: the triangle goes from low to high, else -1 */
} Side;

static int compare_sides(const void *x, const void *y) {
  const Side *p = x, *q = y;
  int low = compare_points(&p->low, &q->low), high = compare_points(&p->high, &q->high);
  return low ? low : high ? high : p->triangle - q->triangle;
}

static AspVec3 normal_of(AspVec3 (*t)[3], int i) {
  return unit3(cross3(sub3(t[i][1], t[i][0]), sub3(t[i][2], t[i][0])));
}

/* The corner that is not on the side. */
static AspVec3 opposite(const Solid *solid, const Side *side) {
  for (int k = 0; k < 3; k++) {
    const AspVec3 *p = &solid->triangle[side->triangle][k];
    if (compare_points(p, &side->low) != 0 && compare_points(p, &side->high) != 0)
      return *p;
  }
  return side->low;
}

static AspError add_reflex(Solid *solid, const Side *one, const Side *other) {
  AspVec3 n1 = normal_of(solid->triangle, one->triangle), n2 = normal_of(solid->triangle, other->triangle);
  if (dot3(n1, sub3(opposite(solid, other), one->low)) <= solid->flat)
    return ASP_OK;
  ASP_TRY(ASP_GROW(solid->context, solid->edge, solid->edge_capacity, solid->edges + 1));
  solid->edge[solid->edges++] = (ReflexEdge){one->low, one->high, n1, n2};
  return ASP_OK;
}

/* Every side must have a triangle on its other side for each on this one. */
static AspError find_edges(Solid *solid) {
  size_t count = 3 * (size_t)solid->triangles;
  Side *side = asp_allocate(solid->context, count, sizeof *side);
  if (!side)
    return ASP_ERROR_MEMORY;
  for (size_t i = 0; i < count; i++) {
    const AspVec3 *p = solid->triangle[i / 3], *a = &p[i % 3], *b = &p[(i + 1) % 3];
    bool forward = compare_points(a, b) < 0;
    side[i] = (Side){forward ? *a : *b, forward ? *b : *a, (int)(i / 3), forward ? 1 : -1};
  }
  qsort(side, count, sizeof *side, compare_sides);
  AspError error = ASP_OK;
  int open = 0;
  for (size_t i = 0, end; i < count && error == ASP_OK; i = end) {
    int sum = 0;
    for (end = i; end < count && compare_points(&side[i].low, &side[end].low) == 0 &&
                  compare_points(&side[i].high, &side[end].high) == 0;
         end++)
      sum += side[end].forward;
    open += sum != 0;
    for (size_t j = i; j < end && error == ASP_OK; j++) // of several solids that touch along an edge: each pair
      for (size_t k = j + 1; k < end && error == ASP_OK; k++)
        if (side[j].forward != side[k].forward)
          error = add_reflex(solid, &side[j], &side[k]);
  }
  asp_release(solid->context, side);
  if (error == ASP_OK && open > 0)
    error =
        asp_fail(solid->context, ASP_ERROR_INPUT,
                 "the mesh is not closed: %d edges have a triangle on one side only, so that it has no inside", open);
  return error;
}

static bool degenerate(const AspVec3 p[3]) {
  return compare_points(&p[0], &p[1]) == 0 || compare_points(&p[1], &p[2]) == 0 || compare_points(&p[2], &p[0]) == 0 ||
         !(norm3(cross3(sub3(p[1], p[0]), sub3(p[2], p[0]))) > 0);
}

static AspError take_triangles(Solid *solid, const AspVec3 *points, int point_count, const int (*triangles)[3],
                               int triangle_count) {
  solid->triangle = asp_allocate(solid->context, (size_t)triangle_count, sizeof *solid->triangle);
  if (triangle_count == 0 || !solid->triangle)
    return triangle_count ? ASP_ERROR_MEMORY
                          : asp_fail(solid->context, ASP_ERROR_INPUT, "there are no triangles to decompose");
  solid->low = solid->high = points[triangles[0][0]];
  for (int t = 0; t < triangle_count; t++) {
    AspVec3 p[3];
    for (int i = 0; i < 3; i++) {
      int v = triangles[t][i];
      if (v < 0 || v >= point_count)
        return asp_fail(solid->context, ASP_ERROR_INPUT, "triangles[%d][%d]: %d is not a point in [0, %d)", t, i, v,
                        point_count);
      p[i] = points[v];
      solid->low = vec3(fmin(solid->low.x, p[i].x), fmin(solid->low.y, p[i].y), fmin(solid->low.z, p[i].z));
      solid->high = vec3(fmax(solid->high.x, p[i].x), fmax(solid->high.y, p[i].y), fmax(solid->high.z, p[i].z));
    }
    if (!degenerate(p))
      memcpy(solid->triangle[solid->triangles++], p, sizeof p);
  }
  return ASP_OK;
}

void asp_solid_free(Solid *solid) {
  asp_release(solid->context, solid->triangle);
  asp_release(solid->context, solid->edge);
}

AspError asp_solid_make(AspContext *context, const AspVec3 *points, int point_count, const int (*triangles)[3],
                        int triangle_count, Solid *solid) {
  *solid = (Solid){.context = context};
  ASP_TRY(take_triangles(solid, points, point_count, triangles, triangle_count));
  solid->size = norm3(sub3(solid->high, solid->low));
  solid->flat = DECOMPOSE_FLAT * solid->size;
  AspVec3 o = scale3(0.5, add3(solid->low, solid->high));
  for (int t = 0; t < solid->triangles; t++) {
    const AspVec3 *p = solid->triangle[t];
    solid->volume += dot3(sub3(p[0], o), cross3(sub3(p[1], o), sub3(p[2], o))) / 6;
  }
  if (solid->volume < 0) { // turned inward: the other way round
    solid->volume = -solid->volume;
    for (int t = 0; t < solid->triangles; t++) {
      AspVec3 swap = solid->triangle[t][1];
      solid->triangle[t][1] = solid->triangle[t][2];
      solid->triangle[t][2] = swap;
    }
  }
  ASP_TRY(find_edges(solid));
  if (!(solid->volume > DECOMPOSE_VOLUME_LEAST * solid->size * solid->size * solid->size))
    return asp_fail(context, ASP_ERROR_INPUT, "the mesh of extent %g m holds no volume", solid->size);
  return ASP_OK;
}

bool asp_solid_holds(const Solid *solid, AspVec3 x) {
  double angle = 0;
  for (int t = 0; t < solid->triangles; t++) {
    AspVec3 a = sub3(solid->triangle[t][0], x), b = sub3(solid->triangle[t][1], x), c = sub3(solid->triangle[t][2], x);
    double la = norm3(a), lb = norm3(b), lc = norm3(c);
    angle += 2 * asp_atan2(dot3(a, cross3(b, c)), la * lb * lc + dot3(a, b) * lc + dot3(b, c) * la + dot3(c, a) * lb);
  }
  return angle > 2 * ASP_PI;
}

/* Nearest point of a triangle (Ericson 2005, 5.1.5), by its regions: corners, sides, inside. */
static double triangle_distance(const AspVec3 p[3], AspVec3 x) {
  AspVec3 n = cross3(sub3(p[1], p[0]), sub3(p[2], p[0]));
  double best = INFINITY;
  bool above = true;
  for (int k = 0; k < 3; k++) {
    AspVec3 a = p[k], d = sub3(p[(k + 1) % 3], a), r = sub3(x, a);
    double s = fmin(fmax(dot3(r, d) / dot3(d, d), 0), 1);
    best = fmin(best, norm3(axpy3(r, -s, d)));
    above = above && dot3(cross3(d, r), n) >= 0;
  }
  return above ? fmin(best, fabs(dot3(sub3(x, p[0]), n)) / norm3(n)) : best;
}

double asp_solid_distance(const Solid *solid, AspVec3 x) {
  double best = INFINITY;
  for (int t = 0; t < solid->triangles; t++)
    best = fmin(best, triangle_distance(solid->triangle[t], x));
  return best;
}
