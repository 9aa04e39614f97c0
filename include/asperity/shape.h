/* Asperity shape: geometry of bodies, for collision and for mass properties. A shape lives in its own frame; where it
 * sits on a body is part of the attachment.
 *
 * Threads and ownership: base.h. Shapes are values; hulls and height fields never change after their creation and may
 * be read by any number of threads.
 */
#ifndef ASPERITY_SHAPE_H
#define ASPERITY_SHAPE_H

#include "asperity/linalg.h"

#ifdef __cplusplus
extern "C" {
#endif

/* kind, scene name, in 3D scenes, in 2D scenes */
#define ASP_SHAPE_LIST(X)                                                                                              \
  X(ASP_SHAPE_POINT, "point", 1, 1)           /* a contact point without extent */                                     \
  X(ASP_SHAPE_SPHERE, "sphere", 1, 0)         /* radius */                                                             \
  X(ASP_SHAPE_BOX, "box", 1, 1)               /* half extents; in 2D x and y */                                        \
  X(ASP_SHAPE_HALF_SPACE, "half-space", 1, 0) /* solid below the plane z = 0 of its frame, free side +z */             \
  X(ASP_SHAPE_DISK, "disk", 0, 1)             /* radius */                                                             \
  X(ASP_SHAPE_HALF_PLANE, "half-plane", 0, 1) /* solid below the line y = 0 of its frame, free side +y */              \
  X(ASP_SHAPE_CAPSULE, "capsule", 1, 1)       /* radius, half_length of the axis; along z, in 2D along x */            \
  X(ASP_SHAPE_CYLINDER, "cylinder", 1, 0)     /* radius, half_length; axis z */                                        \
  X(ASP_SHAPE_CONE, "cone", 1, 0)             /* radius of the base at z = -half_length, apex at z = half_length */    \
  X(ASP_SHAPE_CONVEX, "convex", 1, 0)         /* hull */                                                               \
  X(ASP_SHAPE_POLYGON, "polygon", 0, 1)       /* hull */                                                               \
  X(ASP_SHAPE_HEIGHT_FIELD, "height-field", 1, 0) /* field; solid below the surface, without bottom */                 \
  X(ASP_SHAPE_ELLIPSOID, "ellipsoid", 1, 0)       /* half extents: its radii along x, y, z */

typedef enum AspShapeKind {
#define ASP_SHAPE_ENUM(kind, name, in_3d, in_2d) kind,
  ASP_SHAPE_LIST(ASP_SHAPE_ENUM)
#undef ASP_SHAPE_ENUM
      ASP_SHAPE_COUNT
} AspShapeKind;

typedef struct AspHull AspHull;
typedef struct AspHeightField AspHeightField;

/* Copyable by value. Hull and field are borrowed: they are created on a context, never change, may be shared by any
 * number of shapes and must outlive them. A body that is not convex is a compound: several shapes attached to it. */
typedef struct AspShape {
  AspShapeKind kind;
  double radius;               /* SPHERE, DISK, CAPSULE, CYLINDER, CONE, m */
  AspVec3 half_extents;        /* BOX, ELLIPSOID, m */
  double half_length;          /* CAPSULE, CYLINDER, CONE, m */
  const AspHull *hull;         /* CONVEX, POLYGON */
  const AspHeightField *field; /* HEIGHT_FIELD */
} AspShape;

/* A shape of this kind with all sizes zero, to be filled in. [any thread] */
ASP_API AspShape asp_shape_default(AspShapeKind kind);
ASP_API const char *asp_shape_kind_name(AspShapeKind kind);                  /* [any thread, lent] */
ASP_API bool asp_shape_kind_from_name(const char *name, AspShapeKind *kind); /* [any thread] */
/* Sizes positive and finite, kind allowed in this dimension. The message names the field. [one thread] */
ASP_API AspError asp_shape_validate(AspContext *context, const AspShape *shape, int dimension);

/* Largest distance of a point of the shape from the origin of its frame, m; INFINITY for unbounded shapes.
 * [any thread] */
ASP_API double asp_shape_reach(const AspShape *shape);

/* Smallest width over all directions (hulls: over their face normals), m: what is pushed in by less than half of it
 * comes out on the side it went in. 0 for points, INFINITY for unbounded shapes. [any thread] */
ASP_API double asp_shape_thickness(const AspShape *shape, int dimension);

/* Mass, centre and inertia about the centre, in the frame they are given in. In 2D density is per area and only
 * inertia.m[8] (about z) has a meaning. */
typedef struct AspMassProperties {
  double mass;     /* kg */
  AspVec3 centre;  /* m */
  AspMat3 inertia; /* kg m^2, about the centre */
} AspMassProperties;

/* Convex hull of points, 3D (volume) or 2D (area). Faces are polygons: coplanar triangles are merged. Plain data to
 * read; in 2D face i is the edge from vertex i to vertex i + 1, counterclockwise. */
#define ASP_HULL_VERTICES_MAX 16384
struct AspHull {
  int dimension;
  int vertex_count, face_count, edge_count; /* 2D: edge_count = 0 */
  const AspVec3 *vertices;                  /* vertex_count, m */
  const AspVec3 *normals;                   /* face_count, outward, unit */
  const int *face_start;                    /* face_count + 1 */
  const int *face_vertex; /* vertices of face f: face_start[f] .. face_start[f + 1], counterclockwise from outside */
  const int *edges;       /* 4 edge_count: from, to, face on the left seen from outside, face on the right */
  double radius;          /* of the ball around the origin of the frame that holds all vertices, m */
  double thickness;       /* smallest width along the normals of its faces (some, when there are very many), m */
  AspMassProperties unit; /* for density 1 */
};

/* The points' order has no influence on the geometry. Flat or too few points: ASP_ERROR_INPUT.
 * [one thread, yours: asp_hull_destroy] */
ASP_API AspError asp_hull_create(AspContext *context, int dimension, const AspVec3 *points, int count, AspHull **hull);
ASP_API void asp_hull_destroy(AspContext *context, AspHull *hull); /* [one thread, ends it] */

/* The hull of a triangle mesh (as STL and OBJ files give it), and how much of the hull the closed mesh fills: its
 * volume / the hull's volume. 1 for a convex mesh; less: the mesh is not convex and the hull covers its hollows, which
 * deserves a warning (a compound of convex pieces keeps them). [one thread, yours: asp_hull_destroy] */
ASP_API AspError asp_hull_from_mesh(AspContext *context, const AspVec3 *points, int point_count,
                                    const int (*triangles)[3], int triangle_count, AspHull **hull, double *filled);
#define ASP_HULL_FILLED_CONVEX 0.9999 /* at least this much filled: counts as convex */

#define ASP_DRAWN_TRIANGLES_MAX 200000
/* The triangles as they are, in place of their hull: for asp_model_add_drawing alone, whatever they enclose. It has no
 * edges, which tells it from a hull. [one thread, yours: asp_hull_destroy] */
ASP_API AspError asp_hull_from_triangles(AspContext *context, const AspVec3 *points, int point_count,
                                         const int (*triangles)[3], int triangle_count, AspHull **hull);

/* Convex pieces of the solid inside a closed triangle mesh (docs/theory/decomposition.md). Each piece is the hull of a
 * part of the solid, so that together they cover it. */
typedef struct AspDecomposition {
  int count;
  AspHull **piece; /* count */
  double volume;   /* of the solid, m^3 */
  double excess;   /* sum of the pieces' volumes minus that, m^3 */
  double distance; /* largest one of a piece to the solid, m; at corners and middles of its edges and faces */
} AspDecomposition;
/* Cut until no part of the surface lies deeper than `error` (m, > 0) below the hull of its piece. The same mesh gives
 * the same pieces. ASP_ERROR_INPUT: the mesh is not closed, or needs too many pieces.
 * [one thread, yours: asp_decomposition_destroy] */
ASP_API AspError asp_mesh_decompose(AspContext *context, const AspVec3 *points, int point_count,
                                    const int (*triangles)[3], int triangle_count, double error,
                                    AspDecomposition *decomposition);
/* [one thread, ends it] */
ASP_API void asp_decomposition_destroy(AspContext *context, AspDecomposition *decomposition);

/* Heights over a regular grid in the x-y plane of the frame; each cell is two triangles, split along the diagonal from
 * (x, y) to (x + dx, y + dy). */
struct AspHeightField {
  int columns, rows; /* grid points along x and y, >= 2 */
  double dx, dy;     /* spacing, m */
  const double
      *heights; /* rows * columns, m; point (column, row) lies at (column dx, row dy, heights[row columns + column]) */
  double low, high; /* smallest and largest height, m */
};

/* The heights are copied. [one thread, yours: asp_height_field_destroy] */
ASP_API AspError asp_height_field_create(AspContext *context, int columns, int rows, double dx, double dy,
                                         const double *heights, AspHeightField **field);
ASP_API void asp_height_field_destroy(AspContext *context, AspHeightField *field); /* [one thread, ends it] */

/* From a density (kg/m^3; 2D: kg/m^2). Unbounded shapes and points have none: ASP_ERROR_ARGUMENT. [one thread] */
ASP_API AspError asp_shape_mass(AspContext *context, const AspShape *shape, int dimension, double density,
                                AspMassProperties *properties);
/* The properties seen from the frame in which the shape's own frame has this pose. [any thread] */
ASP_API AspMassProperties asp_mass_transform(const AspMassProperties *properties, const AspPose *pose);
/* Two bodies glued together, both given in the same frame. [any thread] */
ASP_API AspMassProperties asp_mass_sum(const AspMassProperties *a, const AspMassProperties *b);

#ifdef __cplusplus
}
#endif
#endif
