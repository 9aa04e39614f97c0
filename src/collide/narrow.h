/* Narrow phase: one pair of shapes, contacts out. Internal to the layer.
 *
 * Everything is computed relative to the origin of A's frame in world directions, so that a scene far from the world's
 * origin loses no accuracy; world positions are added at the very end.
 */
#ifndef ASP_COLLIDE_NARROW_H
#define ASP_COLLIDE_NARROW_H

#include "asperity/collide.h"
#include "linalg/vec3.h"

/* Feature ids: which geometric event a contact point is. Bits 30-31 say what, the rest which one. They name parts of
 * the two shapes, so they stay the same while the bodies move, and can be mirrored when A and B are exchanged. */
#define FEATURE_WITNESS     UINT32_C(0)                                                   /* the nearest points */
#define FEATURE_VERTEX_A(i) ((UINT32_C(1) << 30) | (uint32_t)(i))                         /* vertex of A over B */
#define FEATURE_VERTEX_B(i) ((UINT32_C(2) << 30) | (uint32_t)(i))                         /* vertex of B over A */
#define FEATURE_CROSS(i, j) ((UINT32_C(3) << 30) | ((uint32_t)(i) << 15) | (uint32_t)(j)) /* edge of A over edge of B  \
                                                                                           */

/* The part of a pair of colliders that the narrow phase needs. */
typedef struct Pair {
  int dimension;
  const AspShape *a, *b;
  AspPose pose_a, pose_b; /* position relative to A's origin: pose_a.position = 0 */
  double margin;
} Pair;

/* Writes contacts with gap <= margin and returns how many; points relative to A's origin. */
typedef int (*NarrowFunction)(const Pair *pair, AspContact *contacts);

/* One contact from the witness on A, the normal and the gap along it. */
static inline AspContact contact_from(AspVec3 point_a, AspVec3 normal, double gap, uint32_t feature) {
  return (AspContact){
      .feature = feature, .point_a = point_a, .point_b = axpy3(point_a, gap, normal), .normal = normal, .gap = gap};
}

int collide_round_round(const Pair *pair, AspContact *contacts);
int collide_round_box(const Pair *pair, AspContact *contacts);
int collide_round_plane(const Pair *pair, AspContact *contacts);
int collide_box_plane(const Pair *pair, AspContact *contacts);

#endif
