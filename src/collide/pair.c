/* One pair of colliders: which function serves which two kinds of shapes, and the exchange of A and B.
 *
 * The pair is brought into a standard order (kind, then sizes, never poses), so that exchanging the bodies gives the
 * mirrored answer and a moving pair never changes its order.
 */
#include "collide/narrow.h"
#include "collide/tuning/collide.h"

typedef enum Family { FAMILY_CONVEX, FAMILY_PLANE, FAMILY_HEIGHT_FIELD, FAMILY_COUNT } Family;

static Family family_of(AspShapeKind kind) {
  switch (kind) {
  case ASP_SHAPE_HALF_SPACE:
  case ASP_SHAPE_HALF_PLANE:
    return FAMILY_PLANE;
  case ASP_SHAPE_HEIGHT_FIELD:
    return FAMILY_HEIGHT_FIELD;
  default:
    return FAMILY_CONVEX;
  }
}

/* Unbounded shapes have no contacts with each other. */
static const NarrowFunction narrow[FAMILY_COUNT][FAMILY_COUNT] = {
    [FAMILY_CONVEX] = {asp_collide_convex, asp_collide_plane, asp_collide_height_field},
};

/* < 0: a comes first */
static int compare(const AspShape *a, const AspShape *b) {
  Family fa = family_of(a->kind), fb = family_of(b->kind);
  if (fa != fb)
    return (int)fa - (int)fb;
  if (a->kind != b->kind)
    return (int)a->kind - (int)b->kind;
  double sizes_a[] = {a->radius,         a->half_length,    a->half_extents.x,
                      a->half_extents.y, a->half_extents.z, a->hull ? a->hull->radius : 0};
  double sizes_b[] = {b->radius,         b->half_length,    b->half_extents.x,
                      b->half_extents.y, b->half_extents.z, b->hull ? b->hull->radius : 0};
  for (int i = 0; i < 6; i++)
    if (sizes_a[i] != sizes_b[i])
      return sizes_a[i] < sizes_b[i] ? -1 : 1;
  return 0;
}

static uint32_t mirrored_feature(uint32_t feature) {
  switch (feature >> 30) {
  case 1:
  case 2:
    return feature ^ UINT32_C(0xc0000000);
  case 3:
    return FEATURE_CROSS(feature & 0x7fff, feature >> 15 & 0x7fff);
  default:
    return feature;
  }
}

static void mirror(AspContact *contact) {
  AspVec3 point = contact->point_a;
  contact->point_a = contact->point_b;
  contact->point_b = point;
  contact->normal = neg3(contact->normal);
  contact->feature = mirrored_feature(contact->feature);
}

void asp_sort_contacts(AspContact *contacts, int count) {
  for (int i = 1; i < count; i++) {
    if (contacts[i - 1].feature <= contacts[i].feature)
      continue;
    AspContact contact = contacts[i];
    int j = i;
    for (; j > 0 && contacts[j - 1].feature > contact.feature; j--)
      contacts[j] = contacts[j - 1];
    contacts[j] = contact;
  }
}

static bool within(AspVec3 v, double most) { return fabs(v.x) <= most && fabs(v.y) <= most && fabs(v.z) <= most; }

bool asp_collider_usable(const AspCollider *c) {
  AspQuat q = c->pose.orientation;
  double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  return c->shape && within(c->pose.position, ASP_COLLIDE_FARTHEST) && within(c->sweep, ASP_COLLIDE_FARTHEST) &&
         within(c->sweep_rotation, PAIR_TURN_MOST) && within(c->sweep_arm, ASP_COLLIDE_FARTHEST) && c->margin >= 0 &&
         c->margin <= ASP_COLLIDE_FARTHEST && fabs(square - 1) <= PAIR_UNIT;
}

/* What asp_collide_convex would find of them, without the way there. */
void asp_narrow_balls(const Ball *a, const Ball *b, double limit, double margin, ContactList *list) {
  bool swapped = a->radius > b->radius;
  const Ball *first = swapped ? b : a, *second = swapped ? a : b;
  AspVec3 origin = first->centre, d = sub3(second->centre, origin);
  double distance = norm3(d), radius_a = first->radius, radius_b = second->radius;
  if (!(distance <= limit + radius_a + radius_b) || list->count + ASP_MANIFOLD_MAX > list->capacity)
    return;
  // coincident centres: every direction is as good
  AspVec3 normal = distance > 0 ? scale3(1 / distance, d) : vec3(0, 0, -1);
  AspVec3 point_a = scale3(radius_a, normal), point_b = axpy3(scale3(distance, normal), -radius_b, normal);
  AspContact *contact = &list->contacts[list->count];
  *contact = (AspContact){.collider_b = 1,
                          .feature = FEATURE_WITNESS,
                          .point_a = add3(point_a, origin),
                          .point_b = add3(point_b, origin),
                          .normal = normal,
                          .gap = dot3(sub3(point_b, point_a), normal)};
  if (!(contact->gap <= margin)) // sizes that differ by more than rounding can hold
    return;
  list->count++;
  if (swapped)
    mirror(contact);
}

/* The contacts from `start` on in world coordinates and the order that was asked for. */
static void deliver(ContactList *list, int start, AspVec3 origin, bool swapped, double margin) {
  int kept = start;
  for (int i = start; i < list->count; i++) {
    // sizes that differ by more than rounding can hold: what came out of it beyond the margin is no contact
    if (!(list->contacts[i].gap <= margin))
      continue;
    AspContact *contact = &list->contacts[kept++];
    if (contact != &list->contacts[i])
      *contact = list->contacts[i];
    contact->point_a = add3(contact->point_a, origin);
    contact->point_b = add3(contact->point_b, origin);
    contact->collider_a = 0;
    contact->collider_b = 1;
    if (swapped)
      mirror(contact);
  }
  list->count = kept;
  asp_sort_contacts(list->contacts + start, list->count - start);
}

void asp_narrow(int dimension, const AspCollider *a, const AspCollider *b, double limit, double margin,
                ContactList *list) {
  if (a->shape->kind == ASP_SHAPE_SPHERE && b->shape->kind == ASP_SHAPE_SPHERE) {
    asp_narrow_balls(&(Ball){a->pose.position, a->shape->radius}, &(Ball){b->pose.position, b->shape->radius}, limit,
                     margin, list);
    return;
  }
  bool swapped = compare(a->shape, b->shape) > 0;
  const AspCollider *first = swapped ? b : a, *second = swapped ? a : b;
  NarrowFunction function = narrow[family_of(first->shape->kind)][family_of(second->shape->kind)];
  if (!function)
    return;
  AspVec3 origin = first->pose.position;
  Pair pair = {dimension, first->shape, second->shape, first->pose, second->pose, limit, margin};
  pair.pose_a.position = vec3(0, 0, 0);
  pair.pose_b.position = sub3(second->pose.position, origin);
  int start = list->count;
  function(&pair, list);
  deliver(list, start, origin, swapped, margin);
}

void asp_narrow_along(int dimension, const AspCollider *a, const AspCollider *b, AspVec3 normal, double margin,
                      ContactList *list) {
  bool swapped = compare(a->shape, b->shape) > 0;
  const AspCollider *first = swapped ? b : a, *second = swapped ? a : b;
  AspVec3 origin = first->pose.position;
  AspPose pose_a = first->pose, pose_b = second->pose;
  pose_a.position = vec3(0, 0, 0);
  pose_b.position = sub3(second->pose.position, origin);
  Convex ca, cb;
  if (list->count + ASP_MANIFOLD_MAX > list->capacity ||
      !asp_convex_from_shape(first->shape, &pose_a, dimension, &ca) ||
      !asp_convex_from_shape(second->shape, &pose_b, dimension, &cb))
    return;
  int start = list->count;
  Nearest nearest = {.normal = swapped ? neg3(normal) : normal, .bare = true};
  nearest.gap = asp_convex_separation(&ca, &cb, nearest.normal);
  double least;
  int count = convex_is_smooth(&ca) || convex_is_smooth(&cb)
                  ? asp_manifold_foot(&ca, &cb, nearest.normal, list->contacts + start)
                  : asp_manifold_spread(&ca, &cb, &nearest, margin, list->contacts + start, &least);
  list->count += count > 0 ? count : 0; // beside each other: none
  deliver(list, start, origin, swapped, margin);
}

int asp_collide_pair(int dimension, const AspCollider *a, const AspCollider *b, double margin,
                     AspContact contacts[ASP_MANIFOLD_MAX]) {
  if (!asp_collider_usable(a) || !asp_collider_usable(b) || !(margin >= 0 && margin <= ASP_COLLIDE_FARTHEST))
    return 0;
  ContactList list = {contacts, 0, ASP_MANIFOLD_MAX};
  margin += a->margin + b->margin;
  asp_narrow(dimension, a, b, margin, margin, &list);
  return list.count;
}
