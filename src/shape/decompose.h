/* Convex decomposition inside the layer: the solid, its pieces, cuts and measures. */
#ifndef ASP_SHAPE_DECOMPOSE_H
#define ASP_SHAPE_DECOMPOSE_H

#include "asperity/shape.h"
#include "base/base.h"
#include "linalg/vec3.h"
#include "shape/tuning/shape.h"

typedef struct CutPlane {
  AspVec3 n; /* unit */
  double offset;
} CutPlane;

/* A triangle of a closed chain: counterclockwise from outside. Caps close what cuts have opened; they are fans that
 * may overlap each other, so that they count in integrals and nowhere else. */
typedef struct Facet {
  AspVec3 p[3];
  bool cap;
} Facet;

/* Two triangles of the mesh that meet at less than 180 degrees outside: what makes the solid not convex. */
typedef struct ReflexEdge {
  AspVec3 a, b, n1, n2; /* its ends, the triangles' normals */
} ReflexEdge;

typedef struct Solid {
  AspContext *context;
  AspVec3 (*triangle)[3]; /* triangles of the mesh, turned outward */
  int triangles;
  ReflexEdge *edge;
  int edges;
  size_t edge_capacity;
  AspVec3 low, high;
  double size, volume;
  double flat; /* m: distances below it are rounding */
} Solid;

/* The part of the solid in a convex cell. */
typedef struct Piece {
  Facet *facet;
  int count;
  size_t capacity;
  AspHull *cell, *hull; /* hull of the part; NULL: the part is empty */
  double volume;        /* of the part, m^3 */
  double depth;         /* of the part's surface below the hull's, m: how far it is from convex */
} Piece;

/* decompose_solid.c */
AspError asp_solid_make(AspContext *context, const AspVec3 *points, int point_count, const int (*triangles)[3],
                        int triangle_count, Solid *solid);
void asp_solid_free(Solid *solid);
/* By the winding number: the solid angle of the mesh over 4 pi. */
bool asp_solid_holds(const Solid *solid, AspVec3 x);
double asp_solid_distance(const Solid *solid, AspVec3 x); /* to the surface, m */

/* decompose_cut.c */
void asp_piece_free(const Solid *solid, Piece *piece);
AspError asp_piece_whole(const Solid *solid, Piece *piece);
/* The part of `piece` on the side n x <= offset (side = 1) or >= offset (side = -1). */
AspError asp_piece_cut(const Solid *solid, const Piece *piece, const CutPlane *plane, double side, Piece *part);
/* How deep a point is in a hull, m; negative outside. */
double asp_hull_depth(const AspHull *hull, AspVec3 x);

/* decompose_planes.c */
/* Planes along which the piece may be cut; returns how many, at most DECOMPOSE_PLANES_MOST. */
int asp_piece_planes(const Solid *solid, const Piece *piece, CutPlane planes[DECOMPOSE_PLANES_MOST]);

#endif
