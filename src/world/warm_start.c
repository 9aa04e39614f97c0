/* Warm start: the reactions of the last step, found again by what their blocks mean: role and joint, or the contact's
 * pair of shapes and feature. Contacts come sorted, so that a merge of the two lists finds every old one. A reaction
 * is carried over as a vector of the world: the tangents of a frame jump where its normal is near an axis, and the
 * normal of two faces changes from one to the other. The step before it is offered too: a step that stops a motion has
 * impulses that the next one must not repeat. */
#include "linalg/vec3.h"
#include "world/world_data.h"

#include <math.h>

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

/* Old joint blocks are few and not sorted among each other; contacts are, in both lists: the search goes on from *at.
 */
static int find(const WarmStore *store, const WarmKey *key, int *at) {
  if (!asp_role_is_of_contact((AspBlockRole)key->role)) {
    for (int i = 0; i < store->contacts_from; i++)
      if (compare_keys(&store->key[i], key) == 0)
        return i;
    return -1;
  }
  int order = -1;
  while (*at < store->count && (order = compare_keys(&store->key[*at], key)) < 0)
    ++*at;
  return *at < store->count && order == 0 ? *at : -1;
}

/* World directions of the rows of a contact's block in space, as long as r makes impulses of them; zero: it has none.
 */
static void block_axes(const AspWorld *world, const AspFormulation *formulation, int b, AspVec3 axes[3]) {
  AspBlockRole role = formulation->tag[b].role;
  axes[0] = axes[1] = axes[2] = vec3(0, 0, 0);
  if (role < ASP_ROLE_CONTACT || role == ASP_ROLE_SPINNING || formulation->offset[b + 1] - formulation->offset[b] != 3)
    return;
  const AspContactFrame *frame = &world->work.frames[formulation->tag[b].index];
  bool torque = role == ASP_ROLE_ROLLING;
  axes[0] = role == ASP_ROLE_CONTACT ? frame->normal : vec3(0, 0, 0); // the first row of the others is a load
  axes[1] = scale3(torque ? 1 : frame->stretch[0], frame->t1);
  axes[2] = scale3(torque ? 1 : frame->stretch[1], frame->t2);
}

/* The reaction r of an old block in the directions of a new one; its friction stays within mu of its normal force. */
static void turn_reaction(const AspVec3 old[3], const AspVec3 axes[3], double mu, double *r) {
  double square[2] = {dot3(axes[1], axes[1]), dot3(axes[2], axes[2])};
  if (!(square[0] > 0 && square[1] > 0))
    return;
  AspVec3 reaction = add3(scale3(r[0], old[0]), add3(scale3(r[1], old[1]), scale3(r[2], old[2])));
  if (dot3(axes[0], axes[0]) > 0)
    r[0] = fmax(dot3(reaction, axes[0]), 0);
  r[1] = dot3(reaction, axes[1]) / square[0];
  r[2] = dot3(reaction, axes[2]) / square[1];
  double friction = sqrt(r[1] * r[1] + r[2] * r[2]), most = mu * r[0];
  for (int k = 1; friction > most && k < 3; k++)
    r[k] *= most / friction;
}

/* What `old` (rows of the store) says about the blocks of the present step. */
static void match(const AspWorld *world, const AspFormulation *formulation, const double *old, double *r) {
  const WarmStore *store = &world->warm;
  double scale = store->dt > 0 ? world->work.dt / store->dt : 0;
  int at = store->contacts_from;
  for (int b = 0; b < formulation->blocks && store->count > 0; b++) {
    WarmKey key = block_key(&formulation->tag[b], world->found);
    int found = find(store, &key, &at), first = formulation->offset[b], count = formulation->offset[b + 1] - first;
    if (found < 0 || store->offset[found + 1] - store->offset[found] != count)
      continue;
    AspVec3 axes[3];
    block_axes(world, formulation, b, axes);
    for (int k = 0; k < count; k++)
      r[first + k] = scale * old[store->offset[found] + k];
    if (count == 3)
      turn_reaction(store->axes[found], axes, formulation->law[b].mu, r + first);
  }
}

void asp_warm_guess(void *user, const AspFormulation *formulation, double *r, double *other) {
  const AspWorld *world = user;
  match(world, formulation, world->warm.r, r);
  match(world, formulation, world->warm.earlier, other);
}

AspError asp_warm_store(AspWorld *world) {
  const AspFormulation *formulation = &world->work.formulation;
  WarmStore *store = &world->warm;
  double *earlier = ASP_TAKE(&world->arena, double, formulation->rows);
  if (!earlier)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_warm_reserve(world, formulation->blocks, formulation->rows));
  match(world, formulation, store->r, earlier);
  store->count = formulation->blocks;
  store->contacts_from = formulation->blocks;
  store->dt = world->work.dt;
  for (int b = 0; b < formulation->blocks; b++) {
    store->key[b] = block_key(&formulation->tag[b], world->found);
    store->offset[b + 1] = formulation->offset[b + 1];
    block_axes(world, formulation, b, store->axes[b]);
    if (asp_role_is_of_contact(formulation->tag[b].role) && b < store->contacts_from)
      store->contacts_from = b;
  }
  if (formulation->rows > 0) {
    memcpy(store->r, world->work.r, (size_t)formulation->rows * sizeof *store->r);
    memcpy(store->earlier, earlier, (size_t)formulation->rows * sizeof *store->r);
  }
  return ASP_OK;
}

AspError asp_warm_reserve(AspWorld *world, int blocks, int rows) {
  WarmStore *store = &world->warm;
  void *key = store->key, *offset = store->offset, *r = store->r, *earlier = store->earlier;
  AspError error = asp_grow(world->context, &key, &store->key_capacity, (size_t)blocks, sizeof *store->key);
  store->key = key;
  ASP_TRY(error);
  error = asp_grow(world->context, &offset, &store->offset_capacity, (size_t)blocks + 1, sizeof *store->offset);
  store->offset = offset;
  ASP_TRY(error);
  error = asp_grow(world->context, &r, &store->r_capacity, (size_t)rows, sizeof *store->r);
  store->r = r;
  ASP_TRY(error);
  error = asp_grow(world->context, &earlier, &store->earlier_capacity, (size_t)rows, sizeof *store->r);
  store->earlier = earlier;
  ASP_TRY(error);
  void *axes = store->axes;
  error = asp_grow(world->context, &axes, &store->axes_capacity, (size_t)blocks, sizeof *store->axes);
  store->axes = axes;
  return error;
}
