/* Warm start: the reactions of the last step, found again by what their blocks mean: role and joint, or the contact's
 * pair of shapes and feature. Contacts come sorted, so that a merge of the two lists finds every old one. */
#include "world/world_data.h"

/* Ascending in the order of the problem's blocks within joints, then contacts by pair and feature. */
static int compare_keys(const WarmKey *a, const WarmKey *b) {
  if (a->role != b->role)
    return a->role < b->role ? -1 : 1;
  if (a->first != b->first)
    return a->first < b->first ? -1 : 1;
  if (a->second != b->second)
    return a->second < b->second ? -1 : 1;
  return a->feature < b->feature ? -1 : a->feature > b->feature;
}

static WarmKey block_key(const AspBlockTag *tag, const AspContact *contacts) {
  if (!asp_role_is_of_contact(tag->role))
    return (WarmKey){.role = tag->role, .first = tag->index};
  const AspContact *contact = &contacts[tag->index];
  return (WarmKey){tag->role, contact->collider_a, contact->collider_b, contact->feature};
}

/* Old joint blocks are few and not sorted among each other; contacts are. */
static int find(const WarmStore *store, const WarmKey *key) {
  int low = 0, high = store->count;
  if (!asp_role_is_of_contact((AspBlockRole)key->role)) {
    for (int i = 0; i < store->contacts_from; i++)
      if (compare_keys(&store->key[i], key) == 0)
        return i;
    return -1;
  }
  for (low = store->contacts_from; low < high;) {
    int middle = low + (high - low) / 2, order = compare_keys(&store->key[middle], key);
    if (order == 0)
      return middle;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return -1;
}

void asp_warm_guess(void *user, const AspFormulation *formulation, double *r) {
  const AspWorld *world = user;
  const WarmStore *store = &world->warm;
  double scale = store->dt > 0 ? world->work.dt / store->dt : 0;
  for (int b = 0; b < formulation->blocks && store->count > 0; b++) {
    WarmKey key = block_key(&formulation->tag[b], world->found);
    int old = find(store, &key), first = formulation->offset[b], count = formulation->offset[b + 1] - first;
    if (old < 0 || store->offset[old + 1] - store->offset[old] != count)
      continue;
    for (int k = 0; k < count; k++)
      r[first + k] = scale * store->r[store->offset[old] + k];
  }
}

AspError asp_warm_store(AspWorld *world) {
  const AspFormulation *formulation = &world->work.formulation;
  WarmStore *store = &world->warm;
  ASP_TRY(asp_warm_reserve(world, formulation->blocks, formulation->rows));
  store->count = formulation->blocks;
  store->contacts_from = formulation->blocks;
  store->dt = world->work.dt;
  for (int b = 0; b < formulation->blocks; b++) {
    store->key[b] = block_key(&formulation->tag[b], world->found);
    store->offset[b + 1] = formulation->offset[b + 1];
    if (asp_role_is_of_contact(formulation->tag[b].role) && b < store->contacts_from)
      store->contacts_from = b;
  }
  if (formulation->rows > 0)
    memcpy(store->r, world->work.r, (size_t)formulation->rows * sizeof *store->r);
  return ASP_OK;
}

AspError asp_warm_reserve(AspWorld *world, int blocks, int rows) {
  WarmStore *store = &world->warm;
  void *key = store->key, *offset = store->offset, *r = store->r;
  AspError error = asp_grow(world->context, &key, &store->key_capacity, (size_t)blocks, sizeof *store->key);
  store->key = key;
  ASP_TRY(error);
  error = asp_grow(world->context, &offset, &store->offset_capacity, (size_t)blocks + 1, sizeof *store->offset);
  store->offset = offset;
  ASP_TRY(error);
  error = asp_grow(world->context, &r, &store->r_capacity, (size_t)rows, sizeof *store->r);
  store->r = r;
  return error;
}
