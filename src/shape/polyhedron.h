/* A growing convex polyhedron of triangles: the hull of points given one after another. Serves the hull builder and the
 * expanding polytope of the collision layer. All memory belongs to the caller.
 */
#ifndef ASP_SHAPE_POLYHEDRON_H
#define ASP_SHAPE_POLYHEDRON_H

#include "linalg/vec3.h"

typedef struct PolyFace {
  int v[3];       /* counterclockwise from outside */
  int beside[3];  /* face across the edge v[i], v[i + 1] */
  AspVec3 n;      /* outward, unit */
  double offset;  /* n . x on the face */
  bool alive;     /* free slots are not */
  int visited_at; /* number of the last insertion that visited it */
} PolyFace;

typedef struct Polyhedron {
  const AspVec3 *points;
  PolyFace *faces; /* face_capacity */
  int *spoke;      /* point capacity: new face whose outer edge starts at this point */
  int *list;       /* 2 face_capacity: scratch, then faces made by the last insertion */
  int *free_slots; /* face_capacity */
  int face_capacity;
  int face_count; /* slots in use or free */
  int free_count;
  int made_count;    /* faces made by the last insertion: list[0 .. made_count) */
  int removed_count; /* faces removed by it: list[face_capacity .. face_capacity + removed_count) */
  int insertion;     /* number of insertions */
  double tolerance;  /* a face sees a point that lies further than this above it, m */
} Polyhedron;

/* Start from four points that span a volume; false when they do not. */
bool asp_polyhedron_start(Polyhedron *p, const int tetrahedron[4]);
/* Put in the point, which `face` must see. False when there is no room or rounding broke the horizon: then the
 * polyhedron is as it was before. */
bool asp_polyhedron_add(Polyhedron *p, int face, int point);

static inline double asp_poly_height(const PolyFace *face, AspVec3 x) { return dot3(face->n, x) - face->offset; }

#endif
