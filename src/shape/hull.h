/* Hulls inside the layer: one block of memory with its parts, the 3D builder. */
#ifndef ASP_SHAPE_HULL_H
#define ASP_SHAPE_HULL_H

#include "asperity/shape.h"
#include "base/base.h"
#include "shape/polyhedron.h"

/* A hull under construction: its arrays, writable. */
typedef struct HullParts {
  AspHull *hull;
  AspVec3 *vertices, *normals;
  int *face_start, *face_vertex, *edges;
} HullParts;

AspError asp_hull_allocate(AspContext *context, int dimension, int vertices, int faces, int corners, int edges,
                           HullParts *parts);
AspError asp_hull_build_3d(AspContext *context, const AspVec3 *points, int count, AspVec3 middle, AspHull **hull);

#endif
