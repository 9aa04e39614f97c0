/* What a block of the problem means, from step to step: blocks come and go, their keys stay. */
#ifndef ASP_SCHEME_BLOCK_KEY_H
#define ASP_SCHEME_BLOCK_KEY_H

#include "asperity/collide.h"
#include "formulate/formulate.h"

typedef struct AspBlockKey {
  int role, first, second; /* AspBlockRole; joint and part, or the contact's two shapes */
  uint32_t feature;
} AspBlockKey;

/* Of the block with this tag; contacts: those that its formulation was made of. */
static inline AspBlockKey asp_block_key(const AspBlockTag *tag, const AspContact *contacts) {
  if (!asp_role_is_of_contact(tag->role))
    return (AspBlockKey){.role = tag->role, .first = tag->index, .second = tag->part};
  const AspContact *contact = &contacts[tag->index];
  return (AspBlockKey){tag->role, contact->collider_a, contact->collider_b, contact->feature};
}

/* < 0, 0, > 0: ascending in the order of the problem's blocks within joints, then contacts by pair and feature. */
static inline int asp_block_key_compare(const AspBlockKey *a, const AspBlockKey *b) {
  if (a->role != b->role)
    return a->role < b->role ? -1 : 1;
  if (a->first != b->first)
    return a->first < b->first ? -1 : 1;
  if (a->second != b->second)
    return a->second < b->second ? -1 : 1;
  return a->feature < b->feature ? -1 : a->feature > b->feature;
}

#endif
