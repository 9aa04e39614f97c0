/* Seams: contacts with edges that the union of the solids does not have (seam.c). Internal to the layer, and read by
 * the world where it follows a contact to another state. */
#ifndef ASP_COLLIDE_SEAM_H
#define ASP_COLLIDE_SEAM_H

#include "asperity/collide.h"
#include "base/base.h"

/* Contacts of one pair that have one normal. */
typedef struct SeamGroup {
  int a, b;       /* colliders */
  int first;      /* its first contact */
  AspVec3 normal; /* unit, from A to B */
  double level;   /* separation of the pair along the normal, m */
  double flush;   /* smaller differences of level are none, m */
  bool convex;    /* it may be hidden: both shapes are convex and bounded */
  bool guards;    /* it may hide others: its contacts keep the whole shape on its side */
  bool hidden;
  int by;                         /* then: the group that hides it; -1: not decided */
  unsigned hidden_for, flush_for; /* bodies that see it hidden, flush with another group: 1 that of A, 2 that of B */
} SeamGroup;

/* A pair with contacts, and one that lies flush beside it or is hidden by it: when a contact of the first is followed
 * to another state, the second may hide it there. */
typedef struct SeamLink {
  int shown_a, shown_b, beside_a, beside_b; /* colliders */
} SeamLink;

typedef struct Seams {
  AspContext *context;
  int dimension;
  SeamGroup *group;
  int *group_of;        /* contacts: their group */
  uint64_t *key;        /* body << 32 | group, ascending */
  uint64_t *scratch;    /* to sort them */
  int *body;            /* mobile bodies that may have hidden groups, ascending */
  AspContact *contacts; /* what is left */
  SeamLink *link;
  size_t group_capacity, group_of_capacity, key_capacity, scratch_capacity, body_capacity, contact_capacity,
      link_capacity;
  int groups, bodies, links;
} Seams;

void asp_seams_free(Seams *seams);
AspError asp_seams_reserve(Seams *seams, size_t contacts);

/* Contacts found among colliders within a margin (m), sorted; *contacts and *count become what is left of them. */
AspError asp_seams_resolve(Seams *seams, const AspCollider *colliders, double margin, const AspContact **contacts,
                           int *count);

/* The links alone; *any: something is hidden. */
AspError asp_seams_link(Seams *seams, const AspCollider *colliders, const AspContact *contacts, int count, bool *any);

/* The links of the last search; after asp_collision_relink those of its contacts, sorted. */
const SeamLink *asp_collision_links(const AspCollision *collision, int *count);
AspError asp_collision_relink(AspCollision *collision, const AspCollider *colliders, const AspContact *contacts,
                              int count);

/* Is it the contact of the ball in one of the shapes (continuous.c)? It keeps that ball on its side, not the shape. */
bool asp_is_of_inner_ball(const AspCollider *a, const AspCollider *b, uint32_t feature);

/* A contact of the colliders (a, b), and a pair beside it (c, d), which shares a mobile owner with it, at the same
 * state. True: the pair beside it hides the contact, which then has the plane of that pair in place of its own; of
 * several points that would do, the one nearest to near_a or near_b, where the contact was on its bodies. */
bool asp_seam_settle(int dimension, const AspCollider *a, const AspCollider *b, const AspCollider *c,
                     const AspCollider *d, double reach, AspVec3 near_a, AspVec3 near_b, AspContact *contact);

#endif
