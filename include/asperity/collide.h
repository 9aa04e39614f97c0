/* Asperity collide: poses and shapes in, contacts out. No dynamics.
 *
 * A collider is a shape with a world pose that belongs to an owner (a body). Contacts come sorted by (collider A,
 * collider B, feature), with A < B, independent of addresses and threads. Gaps are signed: positive apart, and contacts
 * are reported up to the margin.
 *
 * Threads and ownership: base.h. asp_collide_pair and asp_collide_impact write nothing but their results: any thread.
 */
#ifndef ASPERITY_COLLIDE_H
#define ASPERITY_COLLIDE_H

#include "asperity/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AspCollider {
  const AspShape *shape; /* borrowed */
  AspPose pose;          /* of the shape's frame, world */
  int owner;             /* colliders of one owner never touch each other */
  bool immobile;         /* two immobile colliders never touch each other */
  bool searched;         /* pairs of two colliders that were searched before are left out of this call */
  bool flexible;         /* the owner is not rigid: contacts of one of its colliders say nothing about the others */
  uint32_t group;        /* bits: what I am */
  uint32_t mask;         /* bits: what I touch; both ways must agree */
  double margin;         /* of this collider, m, >= 0: a pair has contacts up to the sum of both and the call's */
  /* Continuous collision, off when sweep and rotation are zero: how the collider is about to move until the next call.
   * A pair beyond its margin that would meet on the way gets the contacts of that impact (AspContact.gap). */
  AspVec3 sweep;          /* displacement of the centre of rotation, m */
  AspVec3 sweep_rotation; /* rotation vector, rad */
  AspVec3 sweep_arm;      /* from the frame's origin to the centre of rotation, world directions, m */
} AspCollider;

typedef struct AspContact {
  int collider_a, collider_b; /* indices into the collider array, a < b */
  uint32_t feature;           /* which point of the pair's manifold; persists from step to step */
  AspVec3 point_a, point_b;   /* witness points on the two surfaces, world, m */
  AspVec3 normal;             /* unit, from A to B, world */
  double gap;                 /* (point_b - point_a) . normal, m; negative: penetration */
} AspContact;

/* Contacts of a impact on the way (continuous collision) have the normal of that impact. Their points are those of
 * the impact, carried back by the displacement of the centres of rotation, so that the arms from there are those of
 * the impact; their gap is what the sweeps close along the normal until then. A step that obeys u_N + gap / dt >= 0 so
 * ends at the impact at the latest. Without rotation this is the gap along the normal now. */

/* Seams: where a collider lies behind the plane of another contact of the same mobile owner (flush tiles, parts of one
 * body), its edges are inside the union of the solids and make no contacts: it has the normal of that contact where it
 * lies under the owner along it, else none (docs/theory/collision.md). */

/* Positions, sweeps and margins beyond this are refused, m. */
#define ASP_COLLIDE_FARTHEST 1e30

typedef struct AspCollision AspCollision;

/* [one thread, yours: asp_collision_destroy] */
ASP_API AspError asp_collision_create(AspContext *context, int dimension, AspCollision **collision);
ASP_API void asp_collision_destroy(AspCollision *collision); /* [one thread, ends it] */

/* Number of threads for the narrow phase, 1 by default; the contacts do not depend on it, bit for bit. [one thread] */
ASP_API void asp_collision_use_threads(AspCollision *collision, int threads);

/* Pairs of owners that never touch each other, beside what groups and masks say; both orders mean the same. The list
 * takes the place of the one before and is copied. [one thread] */
ASP_API AspError asp_collision_exclude(AspCollision *collision, const int (*owners)[2], int count);

/* Make room, so that finding with no more colliders, nearby pairs (16 per collider) and contacts allocates nothing.
 * [one thread] */
ASP_API AspError asp_collision_reserve(AspCollision *collision, int colliders, int contacts);

/* Find all contacts with gap <= margin (m, >= 0) + the margins of the two colliders; once a pair is that near, points
 * of its manifold count as far as the sweeps can close them. The contacts belong to the collision object until the next
 * call. [one thread, lent] */
ASP_API AspError asp_collision_find(AspCollision *collision, const AspCollider *colliders, int count, double margin,
                                    const AspContact **contacts, int *contact_count);

#define ASP_MANIFOLD_MAX 16
/* One pair, without broad phase: writes up to ASP_MANIFOLD_MAX contacts, returns how many. Enough for any pair of
 * convex shapes (larger manifolds are reduced so that they lose the least of their area); of a height field the deepest
 * ones. The shapes must be valid (asp_shape_validate); a pose that is not finite or not of unit length gives no
 * contact. [any thread] */
ASP_API int asp_collide_pair(int dimension, const AspCollider *a, const AspCollider *b, double margin,
                             AspContact contacts[ASP_MANIFOLD_MAX]);

/* The first impact of two colliders on their sweeps. */
typedef struct AspImpact {
  double time;        /* fraction of the sweeps, in [0, 1] */
  AspContact contact; /* the nearest points then */
} AspImpact;

/* Earliest time at which the gap is within the tolerance (m, > 0), by conservative advancement: never later than the
 * true one. False when the colliders do not meet. Rotations count through the reach of the shape from its frame's
 * origin. [any thread] */
ASP_API bool asp_collide_impact(int dimension, const AspCollider *a, const AspCollider *b, double tolerance,
                                AspImpact *impact);

#ifdef __cplusplus
}
#endif
#endif
