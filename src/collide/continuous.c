/* Continuous collision: when do two moving shapes first touch?
 *
 * Conservative advancement: with gap g and normal n at time t, the gap cannot close faster than
 *   mu = (v_a - v_b).n + |w_a| r_a + |w_b| r_b
 * (v, w: sweep per unit of time, r: reach from the frame's origin), because the plane across n keeps the convex shapes
 * apart that long; so t may advance by g/mu. Against a height field, which is not convex, |v_a - v_b| takes the place
 * of its part along n. Source: Mirtich, Impulse-based dynamic simulation of rigid body systems, 1996.
 */
#include "collide/narrow.h"

#define STEPS_MOST 400

AspCollider asp_swept_collider(const AspCollider *c, double time) {
  AspCollider moved = *c;
  moved.pose.position = axpy3(c->pose.position, time, c->sweep);
  moved.pose.orientation =
      quat_normalize(quat_multiply(quat_from_vector(scale3(time, c->sweep_rotation)), c->pose.orientation));
  return moved;
}

/* Reach of the shape from its frame's origin; 0 for unbounded shapes, which must not rotate. */
static double reach(const AspCollider *c, int dimension) {
  Convex convex;
  return asp_convex_from_shape(c->shape, &c->pose, dimension, &convex) ? convex.size : 0;
}

static bool nearest_contact(int dimension, const AspCollider *a, const AspCollider *b, double margin, AspContact *out) {
  AspContact contacts[ASP_MANIFOLD_MAX];
  ContactList list = {contacts, 0, ASP_MANIFOLD_MAX};
  asp_narrow(dimension, a, b, margin, &list);
  for (int i = 0; i < list.count; i++)
    if (i == 0 || contacts[i].gap < out->gap)
      *out = contacts[i];
  return list.count > 0;
}

bool asp_collide_impact(int dimension, const AspCollider *a, const AspCollider *b, double tolerance,
                        AspImpact *impact) {
  AspVec3 v = sub3(a->sweep, b->sweep);
  double turning = norm3(a->sweep_rotation) * reach(a, dimension) + norm3(b->sweep_rotation) * reach(b, dimension);
  double fastest = norm3(v) + turning, time = 0;
  bool convex = a->shape->kind != ASP_SHAPE_HEIGHT_FIELD && b->shape->kind != ASP_SHAPE_HEIGHT_FIELD;
  if (!(tolerance > 0) || !isfinite(fastest) || !asp_collider_usable(a) || !asp_collider_usable(b))
    return false;
  for (int step = 0; step < STEPS_MOST; step++) {
    AspCollider moved_a = asp_swept_collider(a, time), moved_b = asp_swept_collider(b, time);
    impact->time = time;
    // what is farther than the rest of the way is out of reach
    if (!nearest_contact(dimension, &moved_a, &moved_b, (1 - time) * fastest + tolerance, &impact->contact))
      return false;
    double gap = impact->contact.gap;
    if (gap <= tolerance)
      return true;
    double closing = convex ? dot3(v, impact->contact.normal) + turning : fastest;
    if (!(closing > 0))
      return false;
    time += (gap - 0.5 * tolerance) / closing;
    if (time > 1)
      return false;
  }
  return true; // not settled: the time reached is still before the meeting
}

/* Where a point that sits on the moved collider is now. */
static AspVec3 point_now(const AspCollider *c, const AspCollider *moved, AspVec3 point) {
  return pose_point(&c->pose, pose_point_back(&moved->pose, point));
}

void asp_narrow_swept(int dimension, const AspCollider *a, const AspCollider *b, double margin, ContactList *list) {
  int start = list->count;
  asp_narrow(dimension, a, b, margin, list);
  AspVec3 v = sub3(a->sweep, b->sweep);
  double travel = norm3(v) + norm3(a->sweep_rotation) + norm3(b->sweep_rotation);
  if (list->count > start || !(travel > 0))
    return;
  double ra = reach(a, dimension), rb = reach(b, dimension);
  double smaller = ra > 0 && (ra < rb || !(rb > 0)) ? ra : rb, tolerance = smaller > 0 ? 1e-4 * smaller : 1e-6 * travel;
  AspImpact impact;
  if (!asp_collide_impact(dimension, a, b, tolerance, &impact))
    return;
  AspCollider moved_a = asp_swept_collider(a, impact.time), moved_b = asp_swept_collider(b, impact.time);
  asp_narrow(dimension, &moved_a, &moved_b, fmax(margin, tolerance), list);
  for (int i = start; i < list->count; i++) {
    AspContact *c = &list->contacts[i];
    c->point_a = point_now(a, &moved_a, c->point_a);
    c->point_b = point_now(b, &moved_b, c->point_b);
    c->gap = dot3(sub3(c->point_b, c->point_a), c->normal);
  }
}
