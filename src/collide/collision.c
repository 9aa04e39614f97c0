/* The collision object: bounds of all colliders, candidate pairs from the broad phase, contacts in a stable order.
 * Unbounded shapes (planes, height fields) stay out of the broad phase and meet every collider through a cheap test.
 */
#include "base/base.h"
#include "base/parallel.h"
#include "collide/broad.h"
#include "collide/narrow.h"
#include "collide/seam.h"
#include "collide/tuning/collide.h"

#define PARTS_MAX BROAD_PARTS_MAX

/* A part of the pairs, treated by one thread, and the contacts found in it. */
typedef struct SearchPart {
  size_t next, end; /* pairs */
  AspContact *contacts;
  size_t capacity;
  int count;
  char apart[64]; /* from the next one's cache line */
} SearchPart;

/* What the narrow phase reads of a sphere that is not swept, in one cache line. */
typedef struct PlainBall {
  Ball ball;
  double margin;  /* of the collider, m */
  bool is;        /* otherwise it is something else */
  char apart[23]; /* from the next one's cache line */
} PlainBall;

struct AspCollision {
  AspContext *context;
  int dimension;
  Broad broad;
  Bound *bounds;    /* one per collider, half the margin around it; unbounded: low > high */
  PlainBall *balls; /* colliders */
  int *unbounded;
  uint64_t *apart; /* pairs with unbounded shapes, (a << 32 | b), ascending */
  uint64_t *scratch;
  AspContact *contacts;
  size_t bound_capacity, ball_capacity, unbounded_capacity, apart_capacity, scratch_capacity, contact_capacity;
  int unbounded_count, contact_count;
  size_t apart_count;
  uint64_t *near; /* both kinds of pairs, ascending */
  size_t near_capacity, near_count;
  int threads;
  SearchPart part[PARTS_MAX]; /* the first one writes into `contacts` */
  Seams seams;
};

/* One search for contacts, for the threads. */
typedef struct Search {
  AspCollision *collision;
  const AspCollider *colliders;
  double margin;
} Search;

AspError asp_collision_create(AspContext *context, int dimension, AspCollision **collision) {
  *collision = NULL;
  if (dimension != 2 && dimension != 3)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "dimension: %d is not 2 or 3", dimension);
  AspCollision *made = asp_allocate(context, 1, sizeof *made);
  if (!made)
    return ASP_ERROR_MEMORY;
  made->context = made->broad.context = made->seams.context = context;
  made->dimension = made->seams.dimension = dimension;
  made->threads = 1;
  *collision = made;
  return ASP_OK;
}

void asp_collision_destroy(AspCollision *collision) {
  if (!collision)
    return;
  AspContext *context = collision->context;
  asp_exclusions_free(context, &collision->broad.exclusions);
  asp_broad_free(&collision->broad);
  asp_seams_free(&collision->seams);
  asp_release(context, collision->bounds);
  asp_release(context, collision->balls);
  asp_release(context, collision->unbounded);
  asp_release(context, collision->apart);
  asp_release(context, collision->scratch);
  asp_release(context, collision->contacts);
  asp_release(context, collision->near);
  for (int s = 1; s < PARTS_MAX; s++)
    asp_release(context, collision->part[s].contacts);
  asp_release(context, collision);
}

AspError asp_collision_exclude(AspCollision *c, const int (*owners)[2], int count) {
  if (count < 0)
    return asp_fail(c->context, ASP_ERROR_ARGUMENT, "exclude: %d pairs, expected >= 0", count);
  c->broad.count = 0; // kept pairs were found with other exclusions: the next update starts afresh
  return asp_exclusions_set(c->context, &c->broad.exclusions, owners, count);
}

static AspError reserve_colliders(AspCollision *c, size_t count) {
  ASP_TRY(ASP_GROW(c->context, c->bounds, c->bound_capacity, count));
  ASP_TRY(ASP_GROW(c->context, c->balls, c->ball_capacity, count));
  return ASP_GROW(c->context, c->unbounded, c->unbounded_capacity, count);
}

static AspError reserve_apart(AspCollision *c, size_t count) {
  ASP_TRY(ASP_GROW(c->context, c->apart, c->apart_capacity, count));
  return ASP_GROW(c->context, c->scratch, c->scratch_capacity, count);
}

AspError asp_collision_reserve(AspCollision *c, int colliders, int contacts) {
  if (colliders < 0 || contacts < 0)
    return asp_fail(c->context, ASP_ERROR_ARGUMENT, "reserve: %d colliders and %d contacts, expected >= 0", colliders,
                    contacts);
  ASP_TRY(reserve_colliders(c, (size_t)colliders));
  ASP_TRY(reserve_apart(c, 2 * (size_t)colliders));
  int wanted = asp_parts_for(c->threads), parts = wanted < PARTS_MAX ? wanted : PARTS_MAX;
  ASP_TRY(asp_broad_reserve(&c->broad, colliders, COLLISION_PAIRS_RESERVED * (size_t)colliders, parts));
  ASP_TRY(ASP_GROW(c->context, c->near, c->near_capacity, COLLISION_NEAR_RESERVED * (size_t)colliders));
  for (int s = 1; s < parts; s++)
    ASP_TRY(ASP_GROW(c->context, c->part[s].contacts, c->part[s].capacity,
                     COLLISION_UNEVEN * (size_t)contacts / (size_t)parts + COLLISION_PAIR_CONTACTS_MAX));
  ASP_TRY(asp_seams_reserve(&c->seams, (size_t)contacts));
  return ASP_GROW(c->context, c->contacts, c->contact_capacity, (size_t)contacts + COLLISION_PAIR_CONTACTS_MAX);
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

static bool is_bounded(const Bound *box) { return box->low[0] <= box->high[0]; }

/* The box around the collider on its way, grown by half the margin; none for unbounded shapes. */
static void bound(const AspCollision *c, const AspCollider *collider, double margin, Bound *box) {
  Convex convex;
  *box = (Bound){.low = {1, 1, 1},
                 .high = {-1, -1, -1},
                 .owner = collider->owner,
                 .group = collider->group,
                 .mask = collider->mask,
                 .immobile = collider->immobile,
                 .selective = asp_exclusions_name(&c->broad.exclusions, collider->owner)};
  if (!asp_convex_from_shape(collider->shape, &collider->pose, c->dimension, &convex))
    return;
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
}

static PlainBall plain_ball(const AspCollider *collider) {
  bool is = collider->shape->kind == ASP_SHAPE_SPHERE && !collider->searched && !asp_collider_is_swept(collider);
  return (PlainBall){
      .ball = {collider->pose.position, is ? collider->shape->radius : 0}, .margin = collider->margin, .is = is};
}

static void bound_colliders(void *data, int from, int end) {
  const Search *search = data;
  for (int i = from; i < end; i++) {
    bound(search->collision, &search->colliders[i], search->margin, &search->collision->bounds[i]);
    search->collision->balls[i] = plain_ball(&search->colliders[i]);
  }
}

static AspError collect_bounds(AspCollision *c, const AspCollider *colliders, int count, double margin) {
  ASP_TRY(reserve_colliders(c, (size_t)count));
  for (int i = 0; i < count; i++)
    ASP_TRY(check_collider(c, &colliders[i], i));
  asp_parallel_for(c->context, count, COLLISION_GRAIN, bound_colliders, &(Search){c, colliders, margin});
  c->unbounded_count = 0;
  for (int i = 0; i < count; i++)
    if (!is_bounded(&c->bounds[i]))
      c->unbounded[c->unbounded_count++] = i;
  return ASP_OK;
}

/* What decides whether boxes can touch an unbounded shape. */
typedef struct PlaneTest {
  bool all;     /* everything may: height fields look for themselves, and what turns may be anywhere */
  AspVec3 n;    /* of a plane: its outward normal */
  double limit; /* the farthest that counts, m */
} PlaneTest;

static PlaneTest plane_test(const AspCollision *c, const AspCollider *plane, double margin) {
  AspVec3 n = quat_rotate(plane->pose.orientation, c->dimension == 3 ? vec3(0, 0, 1) : vec3(0, 1, 0));
  return (PlaneTest){.all = plane->shape->kind == ASP_SHAPE_HEIGHT_FIELD || norm3(plane->sweep_rotation) > 0,
                     .n = n,
                     .limit = margin + plane->margin + norm3(plane->sweep)};
}

/* By the box's lowest corner. */
static bool may_touch_plane(const PlaneTest *test, AspVec3 position, const Bound *box) {
  AspVec3 n = test->n;
  AspVec3 lowest = vec3(n.x < 0 ? box->high[0] : box->low[0], n.y < 0 ? box->high[1] : box->low[1],
                        n.z < 0 ? box->high[2] : box->low[2]);
  return test->all || dot3(n, sub3(lowest, position)) <= test->limit;
}

static AspError collect_apart(AspCollision *c, const AspCollider *colliders, int count, double margin) {
  c->apart_count = 0;
  for (int k = 0; k < c->unbounded_count; k++) {
    int u = c->unbounded[k];
    PlaneTest test = plane_test(c, &colliders[u], margin);
    AspVec3 position = colliders[u].pose.position;
    for (int i = 0; i < count; i++) {
      if (!may_touch_plane(&test, position, &c->bounds[i]) || !is_bounded(&c->bounds[i]) ||
          !bounds_may_meet(&c->broad.exclusions, &c->bounds[u], &c->bounds[i]))
        continue;
      if (c->apart_count == c->apart_capacity)
        ASP_TRY(reserve_apart(c, c->apart_count + 1));
      c->apart[c->apart_count++] = u < i ? (uint64_t)u << 32 | (uint64_t)i : (uint64_t)i << 32 | (uint64_t)u;
    }
  }
  asp_sort_keys(c->apart, c->scratch, c->apart_count);
  return ASP_OK;
}

/* May the pair touch, judging by its bounds alone? Unbounded shapes were tested before. */
static bool may_touch(const AspCollision *c, const AspCollider *colliders, int a, int b) {
  const Bound *first = &c->bounds[a], *second = &c->bounds[b];
  return (bounds_overlap(first, second) || !is_bounded(first) || !is_bounded(second)) &&
         !(colliders[a].searched && colliders[b].searched);
}

static void collide_candidate(const AspCollision *c, const AspCollider *colliders, uint64_t pair, double margin,
                              SearchPart *part) {
  int a = (int)(pair >> 32), b = (int)(pair & UINT32_C(0xffffffff));
  const PlainBall *first = &c->balls[a], *second = &c->balls[b];
  ContactList list = {part->contacts + part->count, 0, COLLISION_PAIR_CONTACTS_MAX};
  if (first->is && second->is) {
    double distance = margin + first->margin + second->margin;
    asp_narrow_balls(&first->ball, &second->ball, distance, distance, &list);
  } else if (may_touch(c, colliders, a, b)) {
    asp_narrow_swept(c->dimension, &colliders[a], &colliders[b], margin + colliders[a].margin + colliders[b].margin,
                     &list);
  }
  for (int i = 0; i < list.count; i++) {
    list.contacts[i].collider_a = a;
    list.contacts[i].collider_b = b;
  }
  part->count += list.count;
}

/* The pairs of the broad phase and those with unbounded shapes, ascending. */
static AspError collect_near(AspCollision *c) {
  const uint64_t *pair = c->broad.pairs, *end = pair + c->broad.pair_count;
  c->near_count = 0;
  ASP_TRY(ASP_GROW(c->context, c->near, c->near_capacity, c->broad.pair_count + c->apart_count));
  for (size_t j = 0; j < c->apart_count; j++) {
    while (pair < end && *pair < c->apart[j])
      c->near[c->near_count++] = *pair++;
    c->near[c->near_count++] = c->apart[j];
  }
  while (pair < end)
    c->near[c->near_count++] = *pair++;
  return ASP_OK;
}

/* Room for the contacts of at least one more pair, so that an unfinished part can go on. */
static AspError make_room(AspCollision *c, SearchPart *part) {
  return ASP_GROW(c->context, part->contacts, part->capacity, (size_t)part->count + COLLISION_PAIR_CONTACTS_MAX);
}

static void collide_some_parts(void *data, int from, int end) {
  const Search *search = data;
  for (int s = from; s < end; s++) {
    SearchPart *part = &search->collision->part[s];
    while (part->next < part->end && (size_t)part->count + COLLISION_PAIR_CONTACTS_MAX <= part->capacity)
      collide_candidate(search->collision, search->colliders, search->collision->near[part->next++], search->margin,
                        part);
  }
}

/* All pairs, divided into parts of consecutive pairs; a part that runs out of room gets more and goes on. */
static AspError collide_parts(AspCollision *c, const AspCollider *colliders, double margin, int parts) {
  bool done = false;
  while (!done) {
    AspError error = ASP_OK;
    for (int s = 0; s < parts && error == ASP_OK; s++)
      if (c->part[s].next < c->part[s].end)
        error = make_room(c, &c->part[s]);
    c->contacts = c->part[0].contacts;
    c->contact_capacity = c->part[0].capacity;
    ASP_TRY(error);
    asp_parallel_for(c->context, parts, 1, collide_some_parts, &(Search){c, colliders, margin});
    done = true;
    for (int s = 0; s < parts; s++)
      done = done && c->part[s].next == c->part[s].end;
  }
  return ASP_OK;
}

static AspError collide_all(AspCollision *c, const AspCollider *colliders, double margin) {
  int wanted = asp_parts_for(asp_team_size(c->context)), parts = wanted < PARTS_MAX ? wanted : PARTS_MAX;
  c->part[0].contacts = c->contacts;
  c->part[0].capacity = c->contact_capacity;
  for (int s = 0; s < parts; s++) {
    c->part[s].next = c->near_count * (size_t)s / (size_t)parts;
    c->part[s].end = c->near_count * (size_t)(s + 1) / (size_t)parts;
    c->part[s].count = 0;
  }
  ASP_TRY(collide_parts(c, colliders, margin, parts));
  for (int s = 1; s < parts; s++) {
    SearchPart *all = &c->part[0], *part = &c->part[s];
    AspError error = ASP_GROW(c->context, all->contacts, all->capacity, (size_t)all->count + (size_t)part->count);
    c->contacts = all->contacts;
    c->contact_capacity = all->capacity;
    ASP_TRY(error);
    if (part->count > 0)
      memcpy(all->contacts + all->count, part->contacts, (size_t)part->count * sizeof *part->contacts);
    all->count += part->count;
  }
  c->contact_count = c->part[0].count;
  return ASP_OK;
}

void asp_collision_use_threads(AspCollision *collision, int threads) {
  collision->threads = threads < PARTS_MAX ? threads : PARTS_MAX;
}

static AspError find(AspCollision *c, const AspCollider *colliders, int count, double margin) {
  c->contact_count = 0;
  if (count < 0 || !(margin >= 0 && margin <= ASP_COLLIDE_FARTHEST))
    return asp_fail(c->context, ASP_ERROR_ARGUMENT, "margin: %g m for %d colliders, expected 0 to %g m", margin, count,
                    ASP_COLLIDE_FARTHEST);
  ASP_TRY(collect_bounds(c, colliders, count, margin));
  ASP_TRY(asp_broad_update(&c->broad, c->bounds, count));
  ASP_TRY(collect_apart(c, colliders, count, margin));
  ASP_TRY(collect_near(c));
  return collide_all(c, colliders, margin);
}

/* A call of asp_collision_find. */
typedef struct Call {
  AspCollision *collision;
  const AspCollider *colliders;
  int count;
  double margin;
  AspError error;
} Call;

static void answer(void *data) {
  Call *call = data;
  call->error = find(call->collision, call->colliders, call->count, call->margin);
}

AspError asp_collision_find(AspCollision *collision, const AspCollider *colliders, int count, double margin,
                            const AspContact **contacts, int *contact_count) {
  Call call = {collision, colliders, count, margin, ASP_OK};
  *contacts = NULL;
  *contact_count = 0;
  asp_team_run(collision->context, asp_useful_threads(collision->threads, count), answer, &call);
  ASP_TRY(call.error);
  *contacts = collision->contacts;
  *contact_count = collision->contact_count;
  return asp_seams_resolve(&collision->seams, colliders, margin, contacts, contact_count);
}

const SeamLink *asp_collision_links(const AspCollision *collision, int *count) {
  *count = collision->seams.links;
  return collision->seams.link;
}

AspError asp_collision_relink(AspCollision *collision, const AspCollider *colliders, const AspContact *contacts,
                              int count) {
  bool any;
  return asp_seams_link(&collision->seams, colliders, contacts, count, &any);
}
