/* The collision object: bounds of all colliders, candidate pairs from the broad phase, contacts in a stable order.
 * Unbounded shapes (planes, height fields) stay out of the broad phase and meet every collider through a cheap test.
 */
#include "base/base.h"
#include "collide/broad.h"
#include "collide/narrow.h"

#define PAIR_CONTACTS_MAX 256 /* height fields may give so many */

struct AspCollision {
  AspContext *context;
  int dimension;
  Broad broad;
  Bound *bounds; /* one per collider, half the margin around it; unbounded: low > high */
  int *unbounded;
  uint64_t *apart; /* pairs with unbounded shapes, (a << 32 | b), ascending */
  uint64_t *scratch;
  AspContact *contacts;
  size_t bound_capacity, unbounded_capacity, apart_capacity, scratch_capacity, contact_capacity;
  int unbounded_count, contact_count;
  size_t apart_count;
};

AspError asp_collision_create(AspContext *context, int dimension, AspCollision **collision) {
  *collision = NULL;
  if (dimension != 2 && dimension != 3)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "dimension: %d is not 2 or 3", dimension);
  AspCollision *made = asp_allocate(context, 1, sizeof *made);
  if (!made)
    return ASP_ERROR_MEMORY;
  made->context = made->broad.context = context;
  made->dimension = dimension;
  *collision = made;
  return ASP_OK;
}

void asp_collision_destroy(AspCollision *collision) {
  if (!collision)
    return;
  AspContext *context = collision->context;
  asp_broad_free(&collision->broad);
  asp_release(context, collision->bounds);
  asp_release(context, collision->unbounded);
  asp_release(context, collision->apart);
  asp_release(context, collision->scratch);
  asp_release(context, collision->contacts);
  asp_release(context, collision);
}

static AspError reserve_colliders(AspCollision *c, size_t count) {
  ASP_TRY(asp_grow(c->context, (void **)&c->bounds, &c->bound_capacity, count, sizeof *c->bounds));
  return asp_grow(c->context, (void **)&c->unbounded, &c->unbounded_capacity, count, sizeof *c->unbounded);
}

static AspError reserve_apart(AspCollision *c, size_t count) {
  ASP_TRY(asp_grow(c->context, (void **)&c->apart, &c->apart_capacity, count, sizeof *c->apart));
  return asp_grow(c->context, (void **)&c->scratch, &c->scratch_capacity, count, sizeof *c->scratch);
}

AspError asp_collision_reserve(AspCollision *c, int colliders, int contacts) {
  if (colliders < 0 || contacts < 0)
    return asp_fail(c->context, ASP_ERROR_ARGUMENT, "reserve: %d colliders and %d contacts, expected >= 0", colliders,
                    contacts);
  ASP_TRY(reserve_colliders(c, (size_t)colliders));
  ASP_TRY(reserve_apart(c, 2 * (size_t)colliders));
  ASP_TRY(asp_broad_reserve(&c->broad, colliders, 16 * (size_t)colliders));
  return asp_grow(c->context, (void **)&c->contacts, &c->contact_capacity, (size_t)contacts + PAIR_CONTACTS_MAX,
                  sizeof *c->contacts);
}

static AspError check_collider(AspCollision *c, const AspCollider *collider, int i) {
  AspError error = asp_shape_validate(c->context, collider->shape, c->dimension);
  if (error != ASP_OK) {
    asp_fail_prefix(c->context, "collider %d: ", i);
    return error;
  }
  if (!asp_collider_usable(collider))
    return asp_fail(
        c->context, ASP_ERROR_INPUT,
        "collider %d: its pose, margin or sweep is not finite and within 1e30 m, or its orientation not of unit length",
        i);
  return ASP_OK;
}

/* The box around the collider on its way, grown by half the margin; false for unbounded shapes. */
static bool bound(const AspCollision *c, const AspCollider *collider, double margin, Bound *box) {
  Convex convex;
  *box = (Bound){{1, 1, 1}, {-1, -1, -1}, collider->owner, collider->group, collider->mask, collider->immobile};
  if (!asp_convex_from_shape(collider->shape, &collider->pose, c->dimension, &convex))
    return false;
  AspVec3 low, high;
  asp_convex_bounds(&convex, &low, &high);
  // turning moves nothing farther than the arc, and nothing out of the ball around the centre of rotation
  double turning = norm3(collider->sweep_rotation), ball = norm3(collider->sweep_arm) + convex.size;
  AspVec3 centre = add3(convex.x, collider->sweep_arm);
  double grow = 0.5 * margin + collider->margin;
  for (int k = 0; k < 3; k++) {
    double from = get3(low, k), to = get3(high, k), way = get3(collider->sweep, k);
    if (turning > 0) {
      from = fmin(from, fmax(from - turning * ball, get3(centre, k) - ball));
      to = fmax(to, fmin(to + turning * ball, get3(centre, k) + ball));
    }
    box->low[k] = from - grow + lesser(way, 0);
    box->high[k] = to + grow + greater(way, 0);
  }
  return true;
}

static AspError collect_bounds(AspCollision *c, const AspCollider *colliders, int count, double margin) {
  ASP_TRY(reserve_colliders(c, (size_t)count));
  c->unbounded_count = 0;
  for (int i = 0; i < count; i++) {
    ASP_TRY(check_collider(c, &colliders[i], i));
    if (!bound(c, &colliders[i], margin, &c->bounds[i]))
      c->unbounded[c->unbounded_count++] = i;
  }
  return ASP_OK;
}

/* Can the box reach the unbounded shape? Planes: by the box's lowest corner; height fields look for themselves. */
static bool within_reach(const AspCollision *c, const AspCollider *plane, const Bound *box, double margin) {
  if (plane->shape->kind == ASP_SHAPE_HEIGHT_FIELD)
    return true;
  AspVec3 n = quat_rotate(plane->pose.orientation, c->dimension == 3 ? vec3(0, 0, 1) : vec3(0, 1, 0));
  AspVec3 lowest = vec3(n.x < 0 ? box->high[0] : box->low[0], n.y < 0 ? box->high[1] : box->low[1],
                        n.z < 0 ? box->high[2] : box->low[2]);
  return dot3(n, sub3(lowest, plane->pose.position)) <= margin + plane->margin + norm3(plane->sweep) ||
         norm3(plane->sweep_rotation) > 0;
}

static AspError collect_apart(AspCollision *c, const AspCollider *colliders, int count, double margin) {
  c->apart_count = 0;
  for (int k = 0; k < c->unbounded_count; k++) {
    int u = c->unbounded[k];
    for (int i = 0; i < count; i++) {
      if (!(c->bounds[i].low[0] <= c->bounds[i].high[0]) || !bounds_may_meet(&c->bounds[u], &c->bounds[i]) ||
          !within_reach(c, &colliders[u], &c->bounds[i], margin))
        continue;
      if (c->apart_count == c->apart_capacity)
        ASP_TRY(reserve_apart(c, c->apart_count + 1));
      c->apart[c->apart_count++] = u < i ? (uint64_t)u << 32 | (uint64_t)i : (uint64_t)i << 32 | (uint64_t)u;
    }
  }
  asp_sort_keys(c->apart, c->scratch, c->apart_count);
  return ASP_OK;
}

static AspError collide_candidate(AspCollision *c, const AspCollider *colliders, uint64_t pair, double margin) {
  int a = (int)(pair >> 32), b = (int)(pair & UINT32_C(0xffffffff));
  ASP_TRY(asp_grow(c->context, (void **)&c->contacts, &c->contact_capacity,
                   (size_t)c->contact_count + PAIR_CONTACTS_MAX, sizeof *c->contacts));
  ContactList list = {c->contacts + c->contact_count, 0, PAIR_CONTACTS_MAX};
  asp_narrow_swept(c->dimension, &colliders[a], &colliders[b], margin + colliders[a].margin + colliders[b].margin,
                   &list);
  for (int i = 0; i < list.count; i++) {
    list.contacts[i].collider_a = a;
    list.contacts[i].collider_b = b;
  }
  c->contact_count += list.count;
  return ASP_OK;
}

AspError asp_collision_find(AspCollision *collision, const AspCollider *colliders, int count, double margin,
                            const AspContact **contacts, int *contact_count) {
  AspCollision *c = collision;
  *contacts = NULL;
  *contact_count = c->contact_count = 0;
  if (count < 0 || !(margin >= 0 && margin <= ASP_COLLIDE_FARTHEST))
    return asp_fail(c->context, ASP_ERROR_ARGUMENT, "margin: %g m for %d colliders, expected 0 to %g m", margin, count,
                    ASP_COLLIDE_FARTHEST);
  ASP_TRY(collect_bounds(c, colliders, count, margin));
  ASP_TRY(asp_broad_update(&c->broad, c->bounds, count));
  ASP_TRY(collect_apart(c, colliders, count, margin));
  // both lists ascend: go through them together
  size_t i = 0, j = 0;
  while (i < c->broad.pair_count || j < c->apart_count) {
    bool near = j == c->apart_count || (i < c->broad.pair_count && c->broad.pairs[i] < c->apart[j]);
    uint64_t pair = near ? c->broad.pairs[i++] : c->apart[j++];
    if (near && !bounds_overlap(&c->bounds[pair >> 32], &c->bounds[pair & UINT32_C(0xffffffff)]))
      continue;
    ASP_TRY(collide_candidate(c, colliders, pair, margin));
  }
  *contacts = c->contacts;
  *contact_count = c->contact_count;
  return ASP_OK;
}
