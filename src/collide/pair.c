/* One pair of colliders: the table that says which function serves which two kinds of shapes, and the exchange of A
 * and B when the table has the pair the other way round.
 */
#include "collide/narrow.h"

static const NarrowFunction narrow[ASP_SHAPE_COUNT][ASP_SHAPE_COUNT] = {
    [ASP_SHAPE_POINT] = {[ASP_SHAPE_POINT] = collide_round_round,
                         [ASP_SHAPE_SPHERE] = collide_round_round,
                         [ASP_SHAPE_DISK] = collide_round_round,
                         [ASP_SHAPE_BOX] = collide_round_box,
                         [ASP_SHAPE_HALF_SPACE] = collide_round_plane,
                         [ASP_SHAPE_HALF_PLANE] = collide_round_plane},
    [ASP_SHAPE_SPHERE] = {[ASP_SHAPE_SPHERE] = collide_round_round,
                          [ASP_SHAPE_BOX] = collide_round_box,
                          [ASP_SHAPE_HALF_SPACE] = collide_round_plane},
    [ASP_SHAPE_DISK] = {[ASP_SHAPE_DISK] = collide_round_round,
                        [ASP_SHAPE_BOX] = collide_round_box,
                        [ASP_SHAPE_HALF_PLANE] = collide_round_plane},
    [ASP_SHAPE_BOX] = {[ASP_SHAPE_HALF_SPACE] = collide_box_plane, [ASP_SHAPE_HALF_PLANE] = collide_box_plane},
};

static uint32_t mirrored_feature(uint32_t feature) {
  switch (feature >> 30) {
  case 1:
    return feature ^ UINT32_C(0xc0000000);
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

static void sort_by_feature(AspContact *contacts, int count) {
  for (int i = 1; i < count; i++) {
    AspContact contact = contacts[i];
    int j = i;
    for (; j > 0 && contacts[j - 1].feature > contact.feature; j--)
      contacts[j] = contacts[j - 1];
    contacts[j] = contact;
  }
}

int asp_collide_pair(int dimension, const AspCollider *a, const AspCollider *b, double margin,
                     AspContact contacts[ASP_MANIFOLD_MAX]) {
  NarrowFunction function = narrow[a->shape->kind][b->shape->kind];
  bool swapped = false;
  if (!function) {
    const AspCollider *first = a;
    a = b;
    b = first;
    function = narrow[a->shape->kind][b->shape->kind];
    swapped = true;
  }
  if (!function)
    return 0;
  AspVec3 origin = a->pose.position;
  Pair pair = {dimension, a->shape, b->shape, a->pose, b->pose, margin};
  pair.pose_a.position = vec3(0, 0, 0);
  pair.pose_b.position = sub3(b->pose.position, origin);
  int count = function(&pair, contacts);
  for (int i = 0; i < count; i++) {
    contacts[i].point_a = add3(contacts[i].point_a, origin);
    contacts[i].point_b = add3(contacts[i].point_b, origin);
    contacts[i].collider_a = 0;
    contacts[i].collider_b = 1;
    if (swapped)
      mirror(&contacts[i]);
  }
  sort_by_feature(contacts, count);
  return count;
}
