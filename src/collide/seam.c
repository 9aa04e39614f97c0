/* Seams: where solids lie flush beside each other, or overlap, their edges are inside the union, which has no normals
 * there. The narrow phase sees one pair at a time, and reports such an edge when it separates the pair best: a box that
 * slides over two flush tiles would be stopped by the side of the second one.
 *
 * For a mobile body M and two of its contacts, i with shape B_i and j with shape B_j, let d be the normal of j, from M
 * to B_j, and
 *
 *   s_k(d) = min over B_k of d.x - max over M's shape in k of d.x        (separation of pair k along d)
 *
 * Contact j keeps M on its side of the plane d.x = min over B_j of d.x. j hides i when
 *
 *   s_i(d) >= s_j(d) - eps,        eps = 1e-7 of the smaller shape:
 *
 * B_i lies behind that plane, so M cannot reach it without breaking j. The condition does not depend on where M is. Two
 * groups that hide each other both stay; what is hidden itself hides nothing. A hidden group gets the normal of the
 * group that hides it: what of M lies over B_i along that normal stays a contact, the rest goes.
 *
 * A contact of two mobile bodies is seen by both. Where one sees it hidden, and the other hidden, too, or flush with
 * another of its groups, corner lies on corner: over a seam of loose tiles the edge of a box has come to the next tile,
 * which sees the box in the plane of its own side. Either plane would do, and which one the bodies leave each other
 * along is not told by the geometry, so there is no contact. Each body has another one that keeps it on its side.
 *
 * Only translations are covered. Bodies that are not swept turn too little to matter (they travel less than a quarter
 * of the thinnest shape); of swept ones i stays where the turn takes M's shape deeper than the next step corrects.
 */
#include "collide/seam.h"
#include "collide/broad.h"
#include "collide/narrow.h"
#include "collide/tuning/collide.h"

#include <string.h>

void asp_seams_free(Seams *s) {
  void *blocks[] = {s->group, s->group_of, s->key, s->scratch, s->body, s->contacts, s->link};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    asp_release(s->context, blocks[i]);
}

AspError asp_seams_reserve(Seams *s, size_t contacts) {
  ASP_TRY(ASP_GROW(s->context, s->group, s->group_capacity, contacts));
  ASP_TRY(ASP_GROW(s->context, s->group_of, s->group_of_capacity, contacts));
  ASP_TRY(ASP_GROW(s->context, s->key, s->key_capacity, 2 * contacts));
  ASP_TRY(ASP_GROW(s->context, s->scratch, s->scratch_capacity, 2 * contacts));
  ASP_TRY(ASP_GROW(s->context, s->body, s->body_capacity, 2 * contacts));
  ASP_TRY(ASP_GROW(s->context, s->link, s->link_capacity, 2 * contacts));
  return ASP_GROW(s->context, s->contacts, s->contact_capacity, contacts + ASP_MANIFOLD_MAX);
}

/* ---- groups ---- */

static bool is_bounded_convex(const AspShape *shape) {
  return shape->kind != ASP_SHAPE_HALF_SPACE && shape->kind != ASP_SHAPE_HALF_PLANE &&
         shape->kind != ASP_SHAPE_HEIGHT_FIELD;
}

static bool is_ball(const AspShape *shape) { return shape->kind == ASP_SHAPE_SPHERE || shape->kind == ASP_SHAPE_DISK; }

/* May contacts of the pair be hidden? Free balls touch each other only where both surfaces really are. */
static bool may_be_hidden(const AspCollider *a, const AspCollider *b) {
  if (is_ball(a->shape) && is_ball(b->shape) && !a->immobile && !b->immobile)
    return false;
  return is_bounded_convex(a->shape) && is_bounded_convex(b->shape);
}

/* How far the collider reaches along d, m; of an unbounded one the point is known to lie there. */
static double extent(int dimension, const AspCollider *collider, AspVec3 d, AspVec3 point) {
  Convex convex;
  int vertex;
  if (!asp_convex_from_shape(collider->shape, &collider->pose, dimension, &convex))
    return dot3(d, point);
  return dot3(d, asp_convex_support(&convex, d, &vertex)) + convex.radius;
}

static double separation(int dimension, const AspCollider *a, const AspCollider *b, AspVec3 n,
                         const AspContact *contact) {
  return -extent(dimension, b, neg3(n), contact->point_b) - extent(dimension, a, n, contact->point_a);
}

bool asp_is_of_inner_ball(const AspCollider *a, const AspCollider *b, uint32_t feature) {
  bool field = a->shape->kind == ASP_SHAPE_HEIGHT_FIELD || b->shape->kind == ASP_SHAPE_HEIGHT_FIELD;
  return !field && feature != FEATURE_WITNESS && feature >> 30 == 0;
}

static double flush_of(const AspCollider *a, const AspCollider *b) {
  double first = asp_shape_reach(a->shape), second = asp_shape_reach(b->shape);
  double size = first > 0 && (first < second || !(second > 0)) ? first : second;
  return SEAM_FLUSH * (isfinite(size) ? size : 0);
}

static SeamGroup group_from(int dimension, const AspCollider *a, const AspCollider *b, const AspContact *contact) {
  return (SeamGroup){.a = contact->collider_a,
                     .b = contact->collider_b,
                     .normal = contact->normal,
                     .level = separation(dimension, a, b, contact->normal, contact),
                     .flush = flush_of(a, b),
                     .convex = may_be_hidden(a, b),
                     .guards = !asp_is_of_inner_ball(a, b, contact->feature),
                     .by = -1};
}

static bool same_pair(const AspContact *a, const AspContact *b) {
  return a->collider_a == b->collider_a && a->collider_b == b->collider_b;
}

static bool same_normal(AspVec3 a, AspVec3 b) {
  AspVec3 d = sub3(a, b);
  return dot3(d, d) <= SEAM_SAME_NORMAL * SEAM_SAME_NORMAL;
}

/* The group of a contact among those of its pair from `from` on; a new one where there is none. */
static int group_of(Seams *s, const AspCollider *colliders, const AspContact *contact, int at, int from) {
  const AspCollider *a = &colliders[contact->collider_a], *b = &colliders[contact->collider_b];
  for (int g = from; g < s->groups; g++)
    if (same_normal(s->group[g].normal, contact->normal)) {
      s->group[g].guards = s->group[g].guards || !asp_is_of_inner_ball(a, b, contact->feature);
      return g;
    }
  s->group[s->groups] = group_from(s->dimension, a, b, contact);
  s->group[s->groups].first = at;
  return s->groups++;
}

static int compare_ints(int a, int b) { return (a > b) - (a < b); }

static bool has_body(const Seams *s, int body) {
  int low = 0, high = s->bodies;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (compare_ints(s->body[middle], body) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < s->bodies && s->body[low] == body;
}

/* Bodies with a group that may be hidden: all others are left alone. A pair's shape of a flexible body is a body of its
 * own, with a negative number. */
static int body_of(const AspCollider *colliders, int i) { return colliders[i].flexible ? -1 - i : colliders[i].owner; }

static void collect_bodies(Seams *s, const AspCollider *colliders, const AspContact *contacts, int count) {
  size_t keys = 0;
  for (int i = 0; i < count; i++) {
    int a = contacts[i].collider_a, b = contacts[i].collider_b;
    if ((i > 0 && same_pair(&contacts[i - 1], &contacts[i])) || !may_be_hidden(&colliders[a], &colliders[b]))
      continue;
    if (!colliders[a].immobile)
      s->key[keys++] = (uint32_t)body_of(colliders, a) ^ UINT32_C(0x80000000);
    if (!colliders[b].immobile)
      s->key[keys++] = (uint32_t)body_of(colliders, b) ^ UINT32_C(0x80000000);
  }
  asp_sort_keys(s->key, s->scratch, keys);
  s->bodies = 0;
  for (size_t k = 0; k < keys; k++)
    if (k == 0 || s->key[k] != s->key[k - 1])
      s->body[s->bodies++] = (int)((uint32_t)s->key[k] ^ UINT32_C(0x80000000));
}

/* The groups of those bodies, ordered by body; how many entries. A group of two of them has two. */
static size_t collect_groups(Seams *s, const AspCollider *colliders, const AspContact *contacts, int count) {
  size_t keys = 0;
  int from = 0;
  bool shared[2] = {false, false};
  s->groups = 0;
  for (int i = 0; i < count; i++) {
    int side[2] = {contacts[i].collider_a, contacts[i].collider_b};
    s->group_of[i] = -1;
    if (i == 0 || !same_pair(&contacts[i - 1], &contacts[i])) {
      from = s->groups;
      for (int k = 0; k < 2; k++)
        shared[k] = !colliders[side[k]].immobile && has_body(s, body_of(colliders, side[k]));
    }
    if (!shared[0] && !shared[1])
      continue;
    int known = s->groups, g = group_of(s, colliders, &contacts[i], i, from);
    s->group_of[i] = g;
    for (int k = 0; k < 2 && g == known; k++)
      if (shared[k])
        s->key[keys++] = (uint64_t)((uint32_t)body_of(colliders, side[k]) ^ UINT32_C(0x80000000)) << 32 | (uint32_t)g;
  }
  asp_sort_keys(s->key, s->scratch, keys);
  return keys;
}

/* ---- what hides what ---- */

/* A group as a body sees it: its own shape, the other one, and the direction from the one to the other. */
typedef struct Side {
  const AspCollider *own, *other;
  int own_at, other_at;
  AspVec3 d;
  unsigned bit; /* its own one is that of A: 1, of B: 2 */
} Side;

static Side side_of(const AspCollider *colliders, const SeamGroup *group, int body) {
  bool of_a = body_of(colliders, group->a) == body && !colliders[group->a].immobile;
  int own = of_a ? group->a : group->b, other = of_a ? group->b : group->a;
  return (Side){.own = &colliders[own],
                .other = &colliders[other],
                .own_at = own,
                .other_at = other,
                .d = of_a ? group->normal : neg3(group->normal),
                .bit = of_a ? 1 : 2};
}

/* Do the two shapes keep their places relative to each other along d in the step, as far as is expected? */
static bool move_alike(const Side *i, const Side *j, double flush) {
  if (i->other_at == j->other_at || (i->other->owner == j->other->owner && !i->other->flexible))
    return true;
  if (norm3(i->other->sweep_rotation) + norm3(j->other->sweep_rotation) > 0)
    return false;
  return dot3(j->d, sub3(i->other->sweep, j->other->sweep)) >= -flush;
}

/* How much farther the turn of a swept shape makes it reach along d, m. */
static double reach_of_turn(int dimension, const AspCollider *c, AspVec3 d) {
  double turn = norm3(c->sweep_rotation), most = 0;
  if (!(turn > 0) || is_ball(c->shape))
    return 0;
  AspCollider still = *c;
  still.sweep = vec3(0, 0, 0);
  double now = extent(dimension, c, d, c->pose.position);
  for (int k = 1; k <= SEAM_TURN_SAMPLES; k++) {
    AspCollider turned = asp_swept_collider(&still, (double)k / SEAM_TURN_SAMPLES);
    most = fmax(most, extent(dimension, &turned, d, turned.pose.position) - now);
  }
  return most;
}

/* A depth that the next step corrects on the side where it came in. */
static double safe_depth(int dimension, const Side *i) {
  return 0.25 * (asp_shape_thickness(i->own->shape, dimension) + asp_shape_thickness(i->other->shape, dimension));
}

/* Origins lie in all shapes but hulls: the separation is less than their distance. */
static bool clearly_beside(const Side *i, AspVec3 d, double least) {
  return !i->own->shape->hull && !i->other->shape->hull &&
         dot3(d, sub3(i->other->pose.position, i->own->pose.position)) < least;
}

/* Does j hide i, by the direction d of j? *separates: s_i(d). */
static bool hides(int dimension, const SeamGroup *group_j, const Side *j, const SeamGroup *group_i, const Side *i,
                  double *separates) {
  double least = group_j->level - group_i->flush;
  if (!group_i->convex || !group_j->guards || same_normal(i->d, j->d) || clearly_beside(i, j->d, least) ||
      !move_alike(i, j, group_i->flush))
    return false;
  AspVec3 none = vec3(0, 0, 0);
  *separates = -extent(dimension, i->other, neg3(j->d), none) - extent(dimension, i->own, j->d, none);
  return *separates >= least && reach_of_turn(dimension, i->own, j->d) <= safe_depth(dimension, i);
}

static bool hides_alone(int dimension, const SeamGroup *group_j, const Side *j, const SeamGroup *group_i, const Side *i,
                        double *separates) {
  double back;
  return hides(dimension, group_j, j, group_i, i, separates) && !hides(dimension, group_i, i, group_j, j, &back);
}

static AspError add_link(Seams *s, const SeamGroup *shown, const SeamGroup *beside) {
  ASP_TRY(ASP_GROW(s->context, s->link, s->link_capacity, s->links + 1));
  s->link[s->links++] = (SeamLink){shown->a, shown->b, beside->a, beside->b};
  return ASP_OK;
}

static bool are_flush(const SeamGroup *i, const Side *side_i, const SeamGroup *j, const Side *side_j) {
  return same_normal(side_i->d, side_j->d) && fabs(i->level - j->level) <= i->flush;
}

/* The groups key[from] .. key[end] of one body: mark the hidden ones, and link what lies flush or behind to each
 * other. */
static AspError mark(Seams *s, const AspCollider *colliders, size_t from, size_t end, bool *any) {
  int body = (int)((uint32_t)(s->key[from] >> 32) ^ UINT32_C(0x80000000));
  for (size_t k = from; k < end; k++) {
    SeamGroup *i = &s->group[(uint32_t)s->key[k]];
    Side side_i = side_of(colliders, i, body);
    double separates;
    for (size_t m = from; m < end && i->convex; m++) {
      const SeamGroup *j = &s->group[(uint32_t)s->key[m]];
      Side side_j = side_of(colliders, j, body);
      bool flush = are_flush(i, &side_i, j, &side_j);
      if (m == k || !(flush || hides_alone(s->dimension, j, &side_j, i, &side_i, &separates)))
        continue;
      ASP_TRY(add_link(s, i, j));
      if (flush) {
        i->flush_for |= side_i.bit;
        continue;
      }
      ASP_TRY(add_link(s, j, i));
      i->hidden_for |= side_i.bit;
      *any = i->hidden = true;
    }
  }
  return ASP_OK;
}

/* Of what is not hidden, the group that separates a hidden one best hides it. */
static AspError choose(Seams *s, const AspCollider *colliders, size_t from, size_t end, bool *any) {
  int body = (int)((uint32_t)(s->key[from] >> 32) ^ UINT32_C(0x80000000));
  for (size_t k = from; k < end; k++) {
    SeamGroup *i = &s->group[(uint32_t)s->key[k]];
    Side side_i = side_of(colliders, i, body);
    double best = -INFINITY, separates;
    for (size_t m = from; m < end && i->hidden; m++) {
      const SeamGroup *j = &s->group[(uint32_t)s->key[m]];
      Side side_j = side_of(colliders, j, body);
      if (m == k || j->hidden || !hides_alone(s->dimension, j, &side_j, i, &side_i, &separates) || !(separates > best))
        continue;
      best = separates;
      i->by = (int)(uint32_t)s->key[m];
      *any = true;
    }
  }
  return ASP_OK;
}

typedef AspError (*Look)(Seams *s, const AspCollider *colliders, size_t from, size_t end, bool *any);

/* Each body that has more than one group. */
static AspError look_at_bodies(Seams *s, const AspCollider *colliders, size_t keys, Look look, bool *any) {
  *any = false;
  for (size_t from = 0, end; from < keys; from = end) {
    for (end = from + 1; end < keys && s->key[end] >> 32 == s->key[from] >> 32;)
      end++;
    if (end - from > 1)
      ASP_TRY(look(s, colliders, from, end, any));
  }
  return ASP_OK;
}

/* ---- what is left ---- */

/* The normal of the group that hides this one, from A to B of this one. */
static AspVec3 normal_instead(const SeamGroup *group, const SeamGroup *by, const AspCollider *colliders) {
  bool same_side = body_of(colliders, group->a) == body_of(colliders, by->a) ||
                   body_of(colliders, group->b) == body_of(colliders, by->b);
  return same_side ? by->normal : neg3(by->normal);
}

static double travel_of(const AspCollider *c) {
  double arm = norm3(c->sweep_arm) + asp_shape_reach(c->shape), turn = norm3(c->sweep_rotation);
  return norm3(c->sweep) + (turn > 0 ? turn * arm : 0);
}

/* Corner on corner of two mobile bodies. */
static bool is_corner(const SeamGroup *group) { return (group->hidden_for | group->flush_for) == (1 | 2); }

/* Contacts of a hidden group along the other normal, once per pair. */
static AspError add_along(Seams *s, const AspCollider *colliders, double margin, int g, int *left) {
  const SeamGroup *group = &s->group[g], *by = &s->group[group->by];
  const AspCollider *a = &colliders[group->a], *b = &colliders[group->b];
  for (int other = g - 1; other >= 0 && s->group[other].a == group->a && s->group[other].b == group->b; other--)
    if (s->group[other].hidden && s->group[other].by == group->by)
      return ASP_OK;
  ASP_TRY(ASP_GROW(s->context, s->contacts, s->contact_capacity, (size_t)*left + ASP_MANIFOLD_MAX + 2));
  ContactList list = {s->contacts + *left, 0, ASP_MANIFOLD_MAX + 2};
  const AspCollider *by_a = &colliders[by->a], *by_b = &colliders[by->b];
  double near = margin + a->margin + b->margin, travel = travel_of(a) + travel_of(b);
  double time = travel > 0 ? asp_swept_time(s->dimension, by_a, by_b, margin + by_a->margin + by_b->margin) : 0;
  asp_narrow_along_swept(s->dimension, a, b, time, normal_instead(group, by, colliders), near + travel, &list);
  for (int i = 0; i < list.count; i++) {
    list.contacts[i].collider_a = group->a;
    list.contacts[i].collider_b = group->b;
  }
  *left += list.count;
  return ASP_OK;
}

static AspError leave_out(Seams *s, const AspCollider *colliders, double margin, const AspContact **contacts,
                          int *count) {
  int left = 0, pair = 0;
  for (int i = 0; i < *count; i++) {
    const AspContact *contact = &(*contacts)[i];
    int g = s->group_of[i];
    if (i > 0 && !same_pair(contact - 1, contact)) {
      asp_sort_contacts(s->contacts + pair, left - pair);
      pair = left;
    }
    if (g >= 0 && s->group[g].hidden && s->group[g].by >= 0) {
      if (s->group[g].first == i && !is_corner(&s->group[g]))
        ASP_TRY(add_along(s, colliders, margin, g, &left));
      continue;
    }
    ASP_TRY(ASP_GROW(s->context, s->contacts, s->contact_capacity, (size_t)left + 1));
    s->contacts[left++] = *contact;
  }
  asp_sort_contacts(s->contacts + pair, left - pair);
  *contacts = s->contacts;
  *count = left;
  return ASP_OK;
}

AspError asp_seams_link(Seams *s, const AspCollider *colliders, const AspContact *contacts, int count, bool *any) {
  s->links = 0;
  *any = false;
  ASP_TRY(asp_seams_reserve(s, (size_t)count));
  collect_bodies(s, colliders, contacts, count);
  if (s->bodies == 0)
    return ASP_OK;
  size_t keys = collect_groups(s, colliders, contacts, count);
  ASP_TRY(look_at_bodies(s, colliders, keys, mark, any));
  return *any ? look_at_bodies(s, colliders, keys, choose, any) : ASP_OK;
}

AspError asp_seams_resolve(Seams *s, const AspCollider *colliders, double margin, const AspContact **contacts,
                           int *count) {
  bool any;
  ASP_TRY(asp_seams_link(s, colliders, *contacts, *count, &any));
  return any ? leave_out(s, colliders, margin, contacts, count) : ASP_OK;
}

/* ---- a contact at another state ---- */

/* The point of the collider's surface towards d: of a face or line the corner nearest to `near`. */
static AspVec3 surface_point(int dimension, const AspCollider *collider, AspVec3 d, AspVec3 near) {
  Convex convex;
  Facing facing;
  int vertex;
  if (!asp_convex_from_shape(collider->shape, &collider->pose, dimension, &convex))
    return near;
  AspVec3 best = asp_convex_support(&convex, d, &vertex);
  double distance = INFINITY;
  if (convex.core != CORE_POINT) {
    asp_facing(&convex, d, &facing);
    for (int k = 0; k < facing.count; k++) {
      double here = norm3(sub3(facing.p[k], near));
      if (here < distance && dot3(d, facing.p[k]) >= dot3(d, best) - SEAM_FLUSH * convex.size) {
        distance = here;
        best = facing.p[k];
      }
    }
  }
  return axpy3(best, convex.radius, d);
}

bool asp_seam_settle(int dimension, const AspCollider *a, const AspCollider *b, const AspCollider *c,
                     const AspCollider *d, double reach, AspVec3 near_a, AspVec3 near_b, AspContact *contact) {
  AspCollider all[4] = {*a, *b, *c, *d};
  AspContact own = *contact, beside[ASP_MANIFOLD_MAX];
  own.collider_a = 0;
  own.collider_b = 1;
  int count = asp_collide_pair(dimension, c, d, reach, beside);
  SeamGroup i = group_from(dimension, a, b, &own);
  for (int k = 0; k < count; k++) {
    beside[k].collider_a = 2;
    beside[k].collider_b = 3;
    SeamGroup j = group_from(dimension, c, d, &beside[k]);
    for (int m = 0; m < 2; m++) {
      int body = body_of(all, m);
      if (all[m].immobile || (body != body_of(all, 2) && body != body_of(all, 3)))
        continue;
      Side side_i = side_of(all, &i, body), side_j = side_of(all, &j, body);
      double separates;
      if (!hides_alone(dimension, &j, &side_j, &i, &side_i, &separates))
        continue;
      AspVec3 point = surface_point(dimension, side_i.own, side_j.d, m == 0 ? near_a : near_b);
      double gap = dot3(side_j.d, sub3(side_j.other_at == 3 ? beside[k].point_b : beside[k].point_a, point));
      AspVec3 across = axpy3(point, gap, side_j.d);
      contact->point_a = m == 0 ? point : across;
      contact->point_b = m == 0 ? across : point;
      contact->normal = m == 0 ? side_j.d : neg3(side_j.d);
      contact->gap = gap;
      return true;
    }
  }
  return false;
}
