/* Narrow phase: one pair of shapes, contacts out. Internal to the layer.
 *
 * Everything is computed relative to the origin of A's frame in world directions, so that a scene far from the world's
 * origin loses no accuracy; world positions are added at the very end.
 */
#ifndef ASP_COLLIDE_NARROW_H
#define ASP_COLLIDE_NARROW_H

#include "collide/manifold.h"

/* The part of a pair of colliders that the narrow phase needs. */
typedef struct Pair {
  int dimension;
  const AspShape *a, *b;
  AspPose pose_a, pose_b; /* position relative to A's origin: pose_a.position = 0 */
  double limit;           /* a pair farther apart has no contact, m */
  double margin;          /* largest gap of a point of the manifold; >= limit, m */
} Pair;

/* Where contacts go: convex pairs make at most ASP_MANIFOLD_MAX, height fields as many as there is room. */
typedef struct ContactList {
  AspContact *contacts;
  int count, capacity;
} ContactList;

/* Appends contacts with gap <= margin; points relative to A's origin. */
typedef void (*NarrowFunction)(const Pair *pair, ContactList *list);

void asp_collide_convex(const Pair *pair, ContactList *list);
void asp_collide_plane(const Pair *pair, ContactList *list);
void asp_collide_height_field(const Pair *pair, ContactList *list);

/* Nearest points of two convex shapes; false when their gap is above the limit. Gap and witness points are the cores'
 * (radii not taken off). */
bool asp_convex_nearest(const Convex *a, const Convex *b, double limit, Nearest *nearest);

/* Any pair: appends to the list, sorted by feature, world coordinates, colliders 0 and 1. The colliders' own margins
 * are left to the caller. */
void asp_narrow(int dimension, const AspCollider *a, const AspCollider *b, double limit, double margin,
                ContactList *list);

/* Two convex shapes: their contacts along this normal (unit, from A to B) in place of their own; none where they do not
 * lie over each other along it. */
void asp_narrow_along(int dimension, const AspCollider *a, const AspCollider *b, AspVec3 normal, double margin,
                      ContactList *list);

/* The same for swept colliders, at a fraction of their sweeps; a ball inside a swept shape stays on its side, too. */
void asp_narrow_along_swept(int dimension, const AspCollider *a, const AspCollider *b, double time, AspVec3 normal,
                            double margin, ContactList *list);
/* The fraction of the sweeps at which the pair's contacts are taken: 0 where it is within the margin at once. */
double asp_swept_time(int dimension, const AspCollider *a, const AspCollider *b, double margin);

/* A sphere. */
typedef struct Ball {
  AspVec3 centre; /* world, m */
  double radius;  /* m */
} Ball;
/* The same for two of them. */
void asp_narrow_balls(const Ball *a, const Ball *b, double limit, double margin, ContactList *list);

/* By feature, ascending. */
void asp_sort_contacts(AspContact *contacts, int count);

/* The same with continuous collision: when the pair is farther apart than the margin, the first contact on the
 * sweeps; when it is not, the manifold's points count as far as the sweeps can close them. */
void asp_narrow_swept(int dimension, const AspCollider *a, const AspCollider *b, double margin, ContactList *list);
/* Continuous collision is asked for. */
bool asp_collider_is_swept(const AspCollider *collider);
/* The collider at a fraction of its sweep. */
AspCollider asp_swept_collider(const AspCollider *collider, double time);
/* Pose and sweep finite and not beyond all bounds, orientation of unit length. */
bool asp_collider_usable(const AspCollider *collider);

#endif
