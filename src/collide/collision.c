/* The collision object: bounds of all colliders, candidate pairs, contacts in a stable order.
 *
 * Broad phase: bounding boxes sorted along x (a stable order with the collider's index as tie-break), swept once;
 * unbounded shapes are tried against everything. Candidates are then sorted by (a, b).
 */
#include "base/base.h"
#include "collide/narrow.h"

#include <stdlib.h>

#define PAIR_CONTACTS_MAX 256 /* height fields may give so many */

typedef struct Bounds {
  double low[3], high[3];
  int collider;
} Bounds;

typedef struct Candidate {
  int a, b;
} Candidate;

struct AspCollision {
  AspContext *context;
  int dimension;
  Bounds *bounds; /* the bounded colliders, sorted by low[0] */
  Candidate *candidates;
  AspContact *contacts;
  int *unbounded;
  size_t bounds_capacity, candidate_capacity, contact_capacity, unbounded_capacity;
  int bounds_count, candidate_count, contact_count, unbounded_count;
};

AspError asp_collision_create(AspContext *context, int dimension, AspCollision **collision) {
  *collision = NULL;
  if (dimension != 2 && dimension != 3)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "dimension: %d is not 2 or 3", dimension);
  AspCollision *made = asp_allocate(context, 1, sizeof *made);
  if (!made)
    return ASP_ERROR_MEMORY;
  made->context = context;
  made->dimension = dimension;
  *collision = made;
  return ASP_OK;
}

void asp_collision_destroy(AspCollision *collision) {
  if (!collision)
    return;
  AspContext *context = collision->context;
  asp_release(context, collision->bounds);
  asp_release(context, collision->candidates);
  asp_release(context, collision->contacts);
  asp_release(context, collision->unbounded);
  asp_release(context, collision);
}

static AspError collect_bounds(AspCollision *c, const AspCollider *colliders, int count, double margin) {
  ASP_TRY(asp_grow(c->context, (void **)&c->bounds, &c->bounds_capacity, (size_t)count, sizeof *c->bounds));
  ASP_TRY(asp_grow(c->context, (void **)&c->unbounded, &c->unbounded_capacity, (size_t)count, sizeof *c->unbounded));
  c->bounds_count = c->unbounded_count = 0;
  for (int i = 0; i < count; i++) {
    const AspCollider *collider = &colliders[i];
    AspError error = asp_shape_validate(c->context, collider->shape, c->dimension);
    if (error != ASP_OK) {
      asp_fail_prefix(c->context, "collider %d: ", i);
      return error;
    }
    const AspPose *pose = &collider->pose;
    AspQuat q = pose->orientation;
    if (!finite3(pose->position) || !isfinite(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z))
      return asp_fail(c->context, ASP_ERROR_INPUT, "collider %d: its pose is not finite", i);
    Convex convex;
    if (!asp_convex_from_shape(collider->shape, pose, c->dimension, &convex)) {
      c->unbounded[c->unbounded_count++] = i;
      continue;
    }
    Bounds *bounds = &c->bounds[c->bounds_count++];
    bounds->collider = i;
    for (int k = 0; k < 3; k++) {
      AspVec3 axis = vec3(k == 0, k == 1, k == 2);
      int vertex;
      double reach = convex.radius + 0.5 * margin;
      bounds->low[k] = get3(asp_convex_support(&convex, neg3(axis), &vertex), k) - reach;
      bounds->high[k] = get3(asp_convex_support(&convex, axis, &vertex), k) + reach;
    }
  }
  return ASP_OK;
}

static int compare_bounds(const void *left, const void *right) {
  const Bounds *a = left, *b = right;
  if (a->low[0] != b->low[0])
    return a->low[0] < b->low[0] ? -1 : 1;
  return a->collider - b->collider;
}

static int compare_candidates(const void *left, const void *right) {
  const Candidate *a = left, *b = right;
  return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

static AspError consider(AspCollision *c, const AspCollider *colliders, int i, int j) {
  const AspCollider *a = &colliders[i], *b = &colliders[j];
  if (a->owner == b->owner || (a->immobile && b->immobile) || !(a->group & b->mask) || !(b->group & a->mask))
    return ASP_OK;
  ASP_TRY(asp_grow(c->context, (void **)&c->candidates, &c->candidate_capacity, (size_t)c->candidate_count + 1,
                   sizeof *c->candidates));
  c->candidates[c->candidate_count++] = i < j ? (Candidate){i, j} : (Candidate){j, i};
  return ASP_OK;
}

static AspError collect_candidates(AspCollision *c, const AspCollider *colliders) {
  c->candidate_count = 0;
  if (c->bounds_count > 1)
    qsort(c->bounds, (size_t)c->bounds_count, sizeof *c->bounds, compare_bounds);
  for (int i = 0; i < c->bounds_count; i++) {
    const Bounds *a = &c->bounds[i];
    for (int j = i + 1; j < c->bounds_count && c->bounds[j].low[0] <= a->high[0]; j++) {
      const Bounds *b = &c->bounds[j];
      if (b->low[1] <= a->high[1] && a->low[1] <= b->high[1] && b->low[2] <= a->high[2] && a->low[2] <= b->high[2])
        ASP_TRY(consider(c, colliders, a->collider, b->collider));
    }
    for (int j = 0; j < c->unbounded_count; j++)
      ASP_TRY(consider(c, colliders, a->collider, c->unbounded[j]));
  }
  if (c->candidate_count > 1)
    qsort(c->candidates, (size_t)c->candidate_count, sizeof *c->candidates, compare_candidates);
  return ASP_OK;
}

AspError asp_collision_find(AspCollision *collision, const AspCollider *colliders, int count, double margin,
                            const AspContact **contacts, int *contact_count) {
  AspCollision *c = collision;
  *contacts = NULL;
  *contact_count = c->contact_count = 0;
  if (count < 0 || !(margin >= 0 && isfinite(margin)))
    return asp_fail(c->context, ASP_ERROR_ARGUMENT, "margin: %g m for %d colliders is not finite and >= 0", margin,
                    count);
  ASP_TRY(collect_bounds(c, colliders, count, margin));
  ASP_TRY(collect_candidates(c, colliders));
  for (int k = 0; k < c->candidate_count; k++) {
    Candidate pair = c->candidates[k];
    ASP_TRY(asp_grow(c->context, (void **)&c->contacts, &c->contact_capacity,
                     (size_t)c->contact_count + PAIR_CONTACTS_MAX, sizeof *c->contacts));
    ContactList list = {c->contacts + c->contact_count, 0, PAIR_CONTACTS_MAX};
    asp_narrow(c->dimension, &colliders[pair.a], &colliders[pair.b], margin, &list);
    for (int i = 0; i < list.count; i++) {
      list.contacts[i].collider_a = pair.a;
      list.contacts[i].collider_b = pair.b;
    }
    c->contact_count += list.count;
  }
  *contacts = c->contacts;
  *contact_count = c->contact_count;
  return ASP_OK;
}
