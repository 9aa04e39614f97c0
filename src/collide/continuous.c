/* Continuous collision: when do two moving shapes first touch?
 *
 * Conservative advancement: with gap g and normal n at time t, the gap cannot close faster than
 *
 *   mu = (v_a - v_b).n + |n x w_a| r_a + |n x w_b| r_b
 *
 * so that t may advance by g/mu: until then a plane normal to n separates the convex shapes. v, w: translation and
 * rotation per unit of time; r: largest distance of the core from the centre of rotation (the ball around the core is
 * unchanged by rotation). A height field is not convex: there |v_a - v_b| replaces its component along n. Source:
 * Mirtich, Impulse-based dynamic simulation of rigid body systems, 1996.
 */
#include "collide/narrow.h"
#include "collide/tuning/collide.h"

static AspVec3 centre_at(const AspCollider *c, double time) {
  return axpy3(add3(c->pose.position, c->sweep_arm), time, c->sweep);
}

AspCollider asp_swept_collider(const AspCollider *c, double time) {
  AspCollider moved = *c;
  AspQuat turn = quat_from_vector(scale3(time, c->sweep_rotation));
  moved.sweep_arm = quat_rotate(turn, c->sweep_arm);
  moved.pose.position = sub3(centre_at(c, time), moved.sweep_arm);
  moved.pose.orientation = quat_normalize(quat_multiply(turn, c->pose.orientation));
  return moved;
}

/* Reach of the shape's core from its centre of rotation; 0 for unbounded shapes, which must not rotate. */
static double reach(const AspCollider *c, int dimension) {
  Convex convex;
  return asp_convex_from_shape(c->shape, &c->pose, dimension, &convex)
             ? norm3(c->sweep_arm) + convex.size - convex.radius
             : 0;
}

static bool nearest_contact(int dimension, const AspCollider *a, const AspCollider *b, double margin, AspContact *out) {
  AspContact contacts[ASP_MANIFOLD_MAX];
  ContactList list = {contacts, 0, ASP_MANIFOLD_MAX};
  asp_narrow(dimension, a, b, margin, margin, &list);
  for (int i = 0; i < list.count; i++)
    if (i == 0 || contacts[i].gap < out->gap)
      *out = contacts[i];
  return list.count > 0;
}

bool asp_collide_impact(int dimension, const AspCollider *a, const AspCollider *b, double tolerance,
                        AspImpact *impact) {
  AspVec3 v = sub3(a->sweep, b->sweep), wa = a->sweep_rotation, wb = b->sweep_rotation;
  double ra = reach(a, dimension), rb = reach(b, dimension), time = 0;
  double fastest = norm3(v) + norm3(wa) * ra + norm3(wb) * rb;
  bool convex = a->shape->kind != ASP_SHAPE_HEIGHT_FIELD && b->shape->kind != ASP_SHAPE_HEIGHT_FIELD;
  if (!(tolerance > 0) || !isfinite(fastest) || !asp_collider_usable(a) || !asp_collider_usable(b))
    return false;
  for (int step = 0; step < CONTINUOUS_STEPS_MOST; step++) {
    AspCollider moved_a = asp_swept_collider(a, time), moved_b = asp_swept_collider(b, time);
    impact->time = time;
    // what is farther than the rest of the way is out of reach
    if (!nearest_contact(dimension, &moved_a, &moved_b, (1 - time) * fastest + tolerance, &impact->contact))
      return false;
    double gap = impact->contact.gap;
    if (gap <= tolerance)
      return true;
    AspVec3 n = impact->contact.normal;
    double closing = convex ? dot3(v, n) + norm3(cross3(n, wa)) * ra + norm3(cross3(n, wb)) * rb : fastest;
    if (!(closing > 0))
      return false;
    time += (gap - 0.5 * tolerance) / closing;
    if (time > 1)
      return false;
  }
  return true; // not converged: the time reached is still before the impact
}

/* How far the sweep moves a point of the collider at the time of impact, per unit of time. */
static AspVec3 carried(const AspCollider *c, double time, AspVec3 point) {
  return add3(c->sweep, cross3(c->sweep_rotation, sub3(point, centre_at(c, time))));
}

/* A contact at the time of impact, as seen at the start (collide.h). */
static void bring_back(const AspCollider *a, const AspCollider *b, double time, AspContact *c) {
  double closing = dot3(sub3(carried(a, time, c->point_a), carried(b, time, c->point_b)), c->normal);
  c->gap += time * fmax(closing, 0);
  c->point_a = axpy3(c->point_a, -time, a->sweep);
  c->point_b = axpy3(c->point_b, -time, b->sweep);
}

/* What is known of a pair with sweeps. */
typedef struct SweptPair {
  int dimension;
  const AspCollider *a, *b;
  double margin, travel; /* m */
} SweptPair;

/* The points of the manifold that the sweeps can close, or those at the time of impact. */
static void swept_manifold(const SweptPair *pair, ContactList *list) {
  int start = list->count, dimension = pair->dimension;
  const AspCollider *a = pair->a, *b = pair->b;
  asp_narrow(dimension, a, b, pair->margin, pair->margin + pair->travel, list);
  // to a small part of the thinner shape: points and planes have no size of their own
  double thin_a = asp_shape_thickness(a->shape, dimension), thin_b = asp_shape_thickness(b->shape, dimension);
  double thin = thin_a > 0 && thin_b > 0 ? fmin(thin_a, thin_b) : fmax(thin_a, thin_b);
  double tolerance =
      thin > 0 && isfinite(thin) ? CONTINUOUS_HIT_OF_WIDTH * thin : CONTINUOUS_HIT_OF_TRAVEL * pair->travel;
  AspImpact impact;
  if (list->count > start || !(tolerance > 0) || !asp_collide_impact(dimension, a, b, tolerance, &impact))
    return;
  AspCollider moved_a = asp_swept_collider(a, impact.time), moved_b = asp_swept_collider(b, impact.time);
  double limit = fmax(tolerance, impact.contact.gap + CONTINUOUS_ROUNDING * tolerance);
  double margin = fmax(pair->margin, tolerance) + (1 - impact.time) * pair->travel;
  asp_narrow(dimension, &moved_a, &moved_b, limit, margin, list);
  for (int i = start; i < list->count; i++)
    bring_back(a, b, impact.time, &list->contacts[i]);
}

/* A shape that goes farther than its own size may come out of the step turned by any angle, which contacts at its
 * corners, linear in the turn, do not see. A ball in it around the centre of rotation turns into itself: it adds a
 * contact of its own. */
static bool inner_ball(const SweptPair *pair, bool of_a, AspCollider *ball, AspShape *shape) {
  *ball = of_a ? *pair->a : *pair->b;
  Convex convex;
  if (!asp_convex_from_shape(ball->shape, &ball->pose, pair->dimension, &convex) || convex.core == CORE_POINT)
    return false;
  *shape = (AspShape){.kind = pair->dimension == 3 ? ASP_SHAPE_SPHERE : ASP_SHAPE_DISK};
  ball->pose.position = add3(ball->pose.position, ball->sweep_arm);
  shape->radius = asp_convex_inside(&convex, ball->pose.position);
  double own = norm3(ball->sweep) + norm3(ball->sweep_rotation) * (norm3(ball->sweep_arm) + convex.size);
  ball->shape = shape;
  ball->sweep_arm = vec3(0, 0, 0);
  return shape->radius > 0 && own > shape->radius;
}

static void add_inner_ball(const SweptPair *pair, bool of_a, ContactList *list) {
  AspCollider ball;
  AspShape shape;
  if (!inner_ball(pair, of_a, &ball, &shape))
    return;
  SweptPair inner = *pair;
  *(of_a ? &inner.a : &inner.b) = &ball;
  int start = list->count;
  swept_manifold(&inner, list);
  for (int i = start; i < list->count; i++)
    list->contacts[i].feature = FEATURE_BALL(of_a, i - start);
}

bool asp_collider_is_swept(const AspCollider *c) {
  return c->sweep.x != 0 || c->sweep.y != 0 || c->sweep.z != 0 || c->sweep_rotation.x != 0 ||
         c->sweep_rotation.y != 0 || c->sweep_rotation.z != 0;
}

void asp_narrow_swept(int dimension, const AspCollider *a, const AspCollider *b, double margin, ContactList *list) {
  if (!asp_collider_is_swept(a) && !asp_collider_is_swept(b)) {
    asp_narrow(dimension, a, b, margin, margin, list);
    return;
  }
  double turning = norm3(a->sweep_rotation) + norm3(b->sweep_rotation), way = norm3(sub3(a->sweep, b->sweep));
  if (!(way + turning > 0)) {
    asp_narrow(dimension, a, b, margin, margin, list);
    return;
  }
  SweptPair pair = {dimension, a, b, margin, way};
  pair.travel += norm3(a->sweep_rotation) * reach(a, dimension) + norm3(b->sweep_rotation) * reach(b, dimension);
  int start = list->count;
  swept_manifold(&pair, list);
  if (list->count == start || list->count - start > ASP_MANIFOLD_MAX)
    return;
  add_inner_ball(&pair, true, list);
  add_inner_ball(&pair, false, list);
  asp_sort_contacts(list->contacts + start, list->count - start);
}

double asp_swept_time(int dimension, const AspCollider *a, const AspCollider *b, double margin) {
  AspContact contacts[ASP_MANIFOLD_MAX];
  ContactList list = {contacts, 0, ASP_MANIFOLD_MAX};
  AspImpact impact;
  asp_narrow(dimension, a, b, margin, margin, &list);
  double travel = norm3(sub3(a->sweep, b->sweep));
  bool met =
      list.count == 0 && asp_collide_impact(dimension, a, b, CONTINUOUS_HIT_OF_TRAVEL * fmax(travel, margin), &impact);
  return met ? impact.time : 0;
}

/* The plane across n that B reaches to, or the other way round, and the ball in the swept shape. */
static void add_ball_along(const SweptPair *pair, bool of_a, AspVec3 n, ContactList *list) {
  AspCollider ball;
  AspShape shape;
  Convex other;
  int vertex;
  const AspCollider *beside = of_a ? pair->b : pair->a;
  if (list->count == list->capacity || !inner_ball(pair, of_a, &ball, &shape) ||
      !asp_convex_from_shape(beside->shape, &beside->pose, pair->dimension, &other))
    return;
  AspVec3 d = of_a ? n : neg3(n), point = axpy3(ball.pose.position, shape.radius, d);
  double gap = dot3(d, sub3(asp_convex_support(&other, neg3(d), &vertex), point)) - other.radius;
  AspVec3 across = axpy3(point, gap, d);
  list->contacts[list->count++] = (AspContact){.collider_b = 1,
                                               .feature = FEATURE_BALL(of_a, 0),
                                               .point_a = of_a ? point : across,
                                               .point_b = of_a ? across : point,
                                               .normal = n,
                                               .gap = gap};
}

void asp_narrow_along_swept(int dimension, const AspCollider *a, const AspCollider *b, double time, AspVec3 normal,
                            double margin, ContactList *list) {
  SweptPair pair = {dimension, a, b, margin, norm3(sub3(a->sweep, b->sweep))};
  AspCollider moved_a = asp_swept_collider(a, time), moved_b = asp_swept_collider(b, time);
  int start = list->count;
  asp_narrow_along(dimension, &moved_a, &moved_b, normal, margin, list);
  for (int i = start; i < list->count && time > 0; i++)
    bring_back(a, b, time, &list->contacts[i]);
  if (asp_collider_is_swept(a))
    add_ball_along(&pair, true, normal, list);
  if (asp_collider_is_swept(b))
    add_ball_along(&pair, false, normal, list);
}
