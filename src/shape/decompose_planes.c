/* Planes along which a piece may be cut, in the order in which they are preferred:
 *
 *   1. planes through two reflex edges that lie in one plane (cut off a tooth, a leg),
 *   2. at a reflex edge: the planes of its two triangles and the one that halves their angle,
 *   3. planes of triangles that lie below the hull (part pieces that hang apart),
 *   4. halves of the piece along x, y, z (curved surfaces, where all else has been tried).
 *
 * Only reflex edges within the piece's cell and below its hull count. */
#include "shape/decompose.h"

#include <math.h>

typedef struct PlaneList {
  const Solid *solid;
  const Piece *piece;
  CutPlane *plane;
  int count;
} PlaneList;

/* Left out: planes that leave nothing on one side, and those that are there already. */
static void offer(PlaneList *list, AspVec3 n, AspVec3 through) {
  double flat = list->solid->flat, least = INFINITY, most = -INFINITY;
  if (list->count == DECOMPOSE_PLANES_MOST || !(norm3(n) > 0))
    return;
  CutPlane plane = {.n = unit3(n)};
  plane.offset = dot3(plane.n, through);
  for (int i = 0; i < list->piece->hull->vertex_count; i++) {
    double d = dot3(plane.n, list->piece->hull->vertices[i]) - plane.offset;
    least = fmin(least, d);
    most = fmax(most, d);
  }
  if (!(least < -DECOMPOSE_CUT_LEAST * flat && most > DECOMPOSE_CUT_LEAST * flat))
    return;
  for (int i = 0; i < list->count; i++) {
    double sign = dot3(list->plane[i].n, plane.n) > 0 ? 1 : -1;
    if (norm3(axpy3(list->plane[i].n, -sign, plane.n)) * list->solid->size <= flat &&
        fabs(list->plane[i].offset - sign * plane.offset) <= flat)
      return;
  }
  list->plane[list->count++] = plane;
}

/* The middle of the edge's part in the cell; false where it is outside, or on the hull. */
static bool is_active(const PlaneList *list, const ReflexEdge *edge) {
  const AspHull *cell = list->piece->cell;
  double from = 0, to = 1;
  AspVec3 way = sub3(edge->b, edge->a);
  for (int f = 0; f < cell->face_count; f++) {
    AspVec3 n = cell->normals[f];
    double d = dot3(n, sub3(cell->vertices[cell->face_vertex[cell->face_start[f]]], edge->a)), rate = dot3(n, way);
    if (rate > 0)
      to = fmin(to, d / rate);
    else if (rate < 0)
      from = fmax(from, d / rate);
    else if (d < -list->solid->flat)
      return false;
  }
  AspVec3 middle = axpy3(edge->a, 0.5 * (from + to), way);
  return (to - from) * norm3(way) > list->solid->flat &&
         asp_hull_depth(list->piece->hull, middle) > list->solid->flat &&
         asp_hull_depth(cell, middle) > list->solid->flat;
}

static void offer_pairs(PlaneList *list, const int *active, int count) {
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count; j++) {
      const ReflexEdge *e = &list->solid->edge[active[i]], *f = &list->solid->edge[active[j]];
      AspVec3 n = cross3(sub3(e->b, e->a), sub3(f->a, e->a));
      if (!(norm3(n) > list->solid->flat * list->solid->size))
        n = cross3(sub3(e->b, e->a), sub3(f->b, e->a));
      if (!(norm3(n) > list->solid->flat * list->solid->size))
        continue;
      n = unit3(n);
      if (fabs(dot3(n, sub3(f->a, e->a))) <= list->solid->flat && fabs(dot3(n, sub3(f->b, e->a))) <= list->solid->flat)
        offer(list, n, e->a);
    }
}

int asp_piece_planes(const Solid *solid, const Piece *piece, CutPlane planes[DECOMPOSE_PLANES_MOST]) {
  PlaneList list = {solid, piece, planes, 0};
  int active[DECOMPOSE_EDGES_MOST], count = 0, all = 0;
  for (int e = 0; e < solid->edges; e++)
    all += is_active(&list, &solid->edge[e]);
  // evenly chosen where there are too many
  int stride = 1 + all / DECOMPOSE_EDGES_MOST, seen = 0;
  for (int e = 0; e < solid->edges && count < DECOMPOSE_EDGES_MOST; e++)
    if (is_active(&list, &solid->edge[e]) && seen++ % stride == 0)
      active[count++] = e;
  offer_pairs(&list, active, count);
  for (int i = 0; i < count; i++) {
    const ReflexEdge *e = &solid->edge[active[i]];
    offer(&list, e->n1, e->a);
    offer(&list, e->n2, e->a);
  }
  for (int i = 0; i < count; i++)
    offer(&list, sub3(solid->edge[active[i]].n1, solid->edge[active[i]].n2), solid->edge[active[i]].a);
  int facets = count > 0 ? 0 : piece->count;
  for (int i = 0; i < facets; i++) {
    const AspVec3 *p = piece->facet[i].p;
    if (!piece->facet[i].cap)
      offer(&list, cross3(sub3(p[1], p[0]), sub3(p[2], p[0])), p[0]);
  }
  AspVec3 middle = piece->hull->unit.centre;
  if (list.count == DECOMPOSE_PLANES_MOST)
    list.count -= 3;
  offer(&list, vec3(1, 0, 0), middle);
  offer(&list, vec3(0, 1, 0), middle);
  offer(&list, vec3(0, 0, 1), middle);
  return list.count;
}
