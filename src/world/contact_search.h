/* Which contacts a step has (contact_search.c), and the frames made of them. */
#ifndef ASP_WORLD_CONTACT_SEARCH_H
#define ASP_WORLD_CONTACT_SEARCH_H

#include "asperity/collide.h"
#include "formulate/formulate.h"

/* How a body is expected to move in the step, later how it did. */
typedef struct BodyWay {
  AspVec3 shift, turn; /* of the centre of mass, m; rotation vector, rad */
  double margin;       /* contacts are looked for this far from it, m */
  bool swept;          /* and all along the way */
  bool settled;        /* after the solve: it kept to what was expected */
} BodyWay;

typedef struct ContactSearch {
  AspCollision *collision;
  AspCollider *colliders;  /* one per shape of the model */
  BodyWay *way;            /* bodies */
  const AspContact *found; /* contacts of this step: the collision object's, or `kept` */
  AspContact *kept;        /* contacts of this step when more were found after a solve */
  AspContact *late;        /* those found after a solve */
  size_t kept_capacity, late_capacity;
  int late_count;
} ContactSearch;

/* Frames of the last step accepted, which the warm start reads, and of the one under way. */
typedef struct ContactFrames {
  AspContactFrame *list[2];
  size_t capacity[2];
  int now;            /* which of them is the latter */
  double penetration; /* deepest overlap found at the start of the step, m */
  bool deep;          /* a contact of the step overlaps deeper than a step makes by itself */
} ContactFrames;

#endif
