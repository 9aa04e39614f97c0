/* Contact manifolds: from the normal of a pair to a few points that span its contact area. */
#ifndef ASP_COLLIDE_MANIFOLD_H
#define ASP_COLLIDE_MANIFOLD_H

#include "asperity/collide.h"
#include "collide/convex.h"
#include "collide/tuning/collide.h"

/* Feature ids: which geometric event a contact point is. Bits 30-31 say what, the rest which one. They name parts of
 * the two shapes, so they stay the same while the bodies move, and can be mirrored when A and B are exchanged. */
#define FEATURE_WITNESS       UINT32_C(0)                                          /* the nearest points */
#define FEATURE_BALL(of_a, i) (UINT32_C(1) + 2 * (uint32_t)(i) + ((of_a) ? 0 : 1)) /* the ball in A or B */
#define FEATURE_VERTEX_A(i)   ((UINT32_C(1) << 30) | (uint32_t)(i))                /* vertex of A over B */
#define FEATURE_VERTEX_B(i)   ((UINT32_C(2) << 30) | (uint32_t)(i))                /* vertex of B over A */
/* edge of A over edge of B */
#define FEATURE_CROSS(i, j) ((UINT32_C(3) << 30) | ((uint32_t)(i) << 15) | (uint32_t)(j))

/* Is the feature a vertex of A, or of B, over the other? */
static inline bool asp_feature_is_vertex(uint32_t feature, bool of_a) { return feature >> 30 == (of_a ? 1U : 2U); }

typedef struct Facing {
  int count; /* 1: point, 2: line, else a flat convex polygon, counterclockwise about the normal */
  AspVec3 p[MANIFOLD_FACING_MAX];
  int id[MANIFOLD_FACING_MAX];
  AspVec3 normal;    /* polygon: outward */
  double radius;     /* line: radius of the surface across it, ball included; 0: not the same everywhere, m */
  AspVec3 centre[2]; /* line with radius > 0: ends of the centre line */
  bool ball;         /* line: the ends are balls */
} Facing;

/* The facing part of the core, as seen from n (unit, world). */
void asp_facing(const Convex *convex, AspVec3 n, Facing *facing);
/* Is the point over the face, seen along its normal? In 2D the face is a line. */
bool asp_is_over_face(const Facing *face, int dimension, AspVec3 p, double slack);
/* The edge of a face that is foremost along n, as a bar of this radius with round ends; false: the face itself is. */
bool asp_face_edge(const Facing *face, AspVec3 n, double radius, Facing *edge);

/* The reduced manifold of two convex shapes whose signed gap, normal and witness points (of the cores) are known:
 * contacts with gap <= margin, at least the witness. Returns how many. */
int asp_manifold(const Convex *a, const Convex *b, const Nearest *nearest, double margin, AspContact *contacts);

/* Their faces are not over each other, but in line: they have no contact, and no witness. */
enum { MANIFOLD_BESIDE_EACH_OTHER = -1 };

/* The same without the witness, or MANIFOLD_BESIDE_EACH_OTHER; `least` receives the smallest gap among the points,
 * INFINITY when there is none. When it is the separation s(n) itself, two points of the shapes lie that far apart, and
 * s(n) is their distance. */
int asp_manifold_spread(const Convex *a, const Convex *b, const Nearest *nearest, double margin, AspContact *contacts,
                        double *least);

/* One of the two is a ball or point: its contact with the face of the other that lies under its centre along n, if one
 * does. Returns how many. */
int asp_manifold_foot(const Convex *a, const Convex *b, AspVec3 n, AspContact *contacts);

/* The same from two facings, without the witness: up to COLLECT_MAX points, or MANIFOLD_BESIDE_EACH_OTHER. `size` sets
 * the tolerances. */
#define COLLECT_MAX (4 * MANIFOLD_FACING_MAX + 4)
typedef struct ClipSetting {
  int dimension;
  AspVec3 n;             /* from A to B */
  double lift_a, lift_b; /* ball radii, m */
  double margin, size;
  double gap; /* of the shapes: no point can be nearer */
} ClipSetting;
int asp_manifold_clip(const ClipSetting *setting, const Facing *a, const Facing *b, AspContact found[COLLECT_MAX]);

/* At most `most` of the contacts: the corners of their convex hull (seen along n) and the deepest one; of the corners,
 * one after the other, the one whose loss shrinks the hull least is dropped. */
int asp_manifold_reduce(AspContact *contacts, int count, AspVec3 n, int most);

static inline AspContact contact_from(AspVec3 point_a, AspVec3 normal, double gap, uint32_t feature) {
  return (AspContact){
      .feature = feature, .point_a = point_a, .point_b = axpy3(point_a, gap, normal), .normal = normal, .gap = gap};
}

#endif
