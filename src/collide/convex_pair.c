/* Two convex shapes, and a convex shape on a plane. */
#include "base/elementary.h"
#include "collide/narrow.h"
#include "collide/tuning/collide.h"

/* A sphere or point A against any core with a closed form. */
static bool point_nearest(const Convex *a, const Convex *b, double limit, Nearest *nearest) {
  AspVec3 out, local = convex_to_local(b, sub3(a->x, b->x));
  nearest->gap = asp_point_distance(b, local, &out);
  if (!(nearest->gap <= limit))
    return false;
  nearest->normal = neg3(convex_to_world(b, out));
  nearest->bare = false;
  nearest->a = a->x;
  nearest->b = axpy3(a->x, nearest->gap, nearest->normal);
  return true;
}

/* Turn the normal a little every way, by ever smaller angles, while that separates better: s is concave where it is
 * positive, so this finds the top. Only for the rare pair whose direction the distance iteration left unfinished. */
static double refine_normal(const Convex *a, const Convex *b, double separation, Nearest *nearest) {
  double missing = (nearest->gap - separation) / (a->size + b->size), angle = sqrt(fmax(missing, 0));
  for (int iteration = 0; iteration < CONVEX_PAIR_SEARCH_ITERATIONS && angle > CONVEX_PAIR_SEARCH_END; iteration++) {
    AspVec3 t1, t2, best = nearest->normal;
    tangents3(best, &t1, &t2);
    bool gained = false;
    for (int k = 0; k < CONVEX_PAIR_SEARCH_DIRECTIONS; k++) {
      // exact: pi / 4
      double turn = 0.78539816339744831 * k + iteration;
      AspVec3 n = unit3(axpy3(axpy3(nearest->normal, angle * asp_cos(turn), t1), angle * asp_sin(turn), t2));
      double here = asp_convex_separation(a, b, n);
      if (here > separation) {
        separation = here;
        best = n;
        gained = true;
      }
    }
    nearest->normal = best;
    angle *= gained ? CONVEX_PAIR_SEARCH_WIDEN : CONVEX_PAIR_SEARCH_NARROW;
  }
  return separation;
}

/* The lowest point of a smooth shape over a face of the other, where it is above that face: the nearest one, which
 * iterations know by the root of what they know of the distance only. The normal is that of the face, from a to b. */
static bool stand_on_face(const Convex *a, const Convex *b, const Facing *face, AspVec3 n, Nearest *nearest) {
  int vertex;
  bool of_b = convex_is_smooth(b);
  if (!of_b && !convex_is_smooth(a))
    return false;
  AspVec3 lowest = of_b ? asp_convex_support(b, neg3(n), &vertex) : asp_convex_support(a, n, &vertex);
  double gap = dot3(face->normal, sub3(lowest, face->p[0]));
  if (!asp_is_over_face(face, a->dimension, lowest, 0))
    return false;
  AspVec3 foot = axpy3(lowest, of_b ? -gap : gap, n);
  *nearest = (Nearest){of_b ? foot : lowest, of_b ? lowest : foot, n, gap, false};
  return true;
}

/* When the normal of a facing part separates as well as the computed direction, within rounding, it is the normal:
 * free of the noise that a small distance leaves in its direction. */
static bool take_face_normal(const Convex *a, const Convex *b, double tolerance, Nearest *nearest) {
  Facing facing;
  for (int side = 0; side < 2; side++) {
    AspVec3 towards = side ? neg3(nearest->normal) : nearest->normal;
    const Convex *c = side ? b : a;
    if (convex_is_smooth(c) || c->core == CORE_SEGMENT)
      continue;
    asp_facing(c, towards, &facing);
    if (facing.count < 3 && a->dimension == 3)
      continue;
    if (dot3(facing.normal, towards) < CONVEX_PAIR_SAME_FACE)
      continue;
    AspVec3 n = side ? neg3(facing.normal) : facing.normal;
    double separation = asp_convex_separation(a, b, n);
    if (stand_on_face(a, b, &facing, n, nearest))
      return true;
    if (separation >= nearest->gap - tolerance) {
      nearest->normal = n;
      if (nearest->gap <= 0)
        nearest->gap = fmin(separation, 0);
      return true;
    }
  }
  return false;
}

static void settle_normal(const Convex *a, const Convex *b, Nearest *nearest) {
  double tolerance = CONVEX_PAIR_ROUNDING * (a->size + b->size);
  if (take_face_normal(a, b, tolerance, nearest))
    return;
  // a distance near rounding says little about the direction; one from further out does
  double separation = asp_convex_separation(a, b, nearest->normal);
  if (separation < nearest->gap - CONVEX_PAIR_DOUBTFUL * tolerance &&
      nearest->gap < CONVEX_PAIR_NEAR * (a->size + b->size))
    separation = asp_climb(a, b, separation, CONVEX_PAIR_CLIMB_STEPS, CONVEX_PAIR_CLIMB_END, &nearest->normal);
  if (separation < nearest->gap - CONVEX_PAIR_MISSED * tolerance && a->dimension == 3)
    separation = refine_normal(a, b, separation, nearest);
  // the true gap lies between the bounds; the rest of the difference comes from the points: search them again from
  // farther out
  if (separation < nearest->gap - CONVEX_PAIR_MISSED * tolerance) {
    nearest->gap = separation;
    nearest->bare = true;
  }
}

/* Sizes that differ by more than rounding can hold leave no direction at all: take the line of the origins. */
static void ensure_normal(const Convex *a, const Convex *b, Nearest *nearest) {
  if (fabs(dot3(nearest->normal, nearest->normal) - 1) < CONVEX_PAIR_UNIT)
    return;
  AspVec3 d = sub3(b->x, a->x);
  double distance = norm3(d);
  nearest->normal = distance > 0 ? scale3(1 / distance, d) : vec3(0, a->dimension == 2, a->dimension == 3);
  nearest->gap = fmin(asp_convex_separation(a, b, nearest->normal), 0);
  nearest->bare = false;
  int vertex;
  nearest->b = asp_convex_support(b, neg3(nearest->normal), &vertex);
  nearest->a = axpy3(nearest->b, -nearest->gap, nearest->normal);
}

/* The radii of curvature of an ellipsoid along t1, t2 (11, 12, 22) where its normal is n: the second derivative of its
 * support function, (E^2 - s s^T)/|E n| with s the support point. */
static void add_curvature(const Convex *c, AspVec3 n, const AspVec3 t[2], double R[3]) {
  AspVec3 d = convex_to_local(c, n), along = vec3(c->e.x * d.x, c->e.y * d.y, c->e.z * d.z);
  double length = norm3(along);
  for (int k = 0; k < 3 && length > 0; k++) {
    AspVec3 a = convex_to_local(c, t[k / 2]), b = convex_to_local(c, t[(k + 1) / 2]);
    AspVec3 x = vec3(c->e.x * a.x, c->e.y * a.y, c->e.z * a.z), y = vec3(c->e.x * b.x, c->e.y * b.y, c->e.z * b.z);
    R[k] += (dot3(x, y) - dot3(along, x) * dot3(along, y) / (length * length)) / length;
  }
}

/* Two ellipsoids: Newton's method for the normal n. The support points differ by d(n), d along n at the end, and
 * turning n by delta changes d across it by -(R_a + R_b + gap) delta. Ends the noise that the distance iteration
 * leaves in points and normals of curved shapes. */
static void polish_smooth(const Convex *a, const Convex *b, Nearest *nearest) {
  double separation = asp_convex_separation(a, b, nearest->normal),
         rounding = CONVEX_PAIR_ROUNDING * (a->size + b->size);
  AspVec3 n = nearest->normal, t[2];
  int vertex;
  for (int step = 0; step < CONVEX_PAIR_POLISH_STEPS; step++) {
    AspVec3 d = sub3(asp_convex_support(b, neg3(n), &vertex), asp_convex_support(a, n, &vertex));
    tangents3(n, &t[0], &t[1]);
    double R[3] = {separation, 0, separation}, g[2] = {dot3(d, t[0]), dot3(d, t[1])};
    add_curvature(a, n, t, R);
    add_curvature(b, n, t, R);
    double determinant = R[0] * R[2] - R[1] * R[1];
    if (!(R[0] > 0 && determinant > 0)) // too deep: not the top, or none
      break;
    AspVec3 next = unit3(axpy3(axpy3(n, (R[2] * g[0] - R[1] * g[1]) / determinant, t[0]),
                               (R[0] * g[1] - R[1] * g[0]) / determinant, t[1]));
    double here = asp_convex_separation(a, b, next);
    if (!(here >= separation - rounding))
      break;
    separation = here;
    n = next;
  }
  nearest->normal = n;
  nearest->gap = separation;
  nearest->a = asp_convex_support(a, n, &vertex);
  nearest->b = axpy3(nearest->a, separation, n);
  nearest->bare = false;
}

/* A point of the core of a segment or box lies on an edge, whose direction this is; at one of its ends, `corner`, which
 * is the point itself then. False: on a face. */
static bool edge_at(const Convex *c, AspVec3 point, AspVec3 *along, bool *corner, AspVec3 *end) {
  AspVec3 p = convex_to_local(c, sub3(point, c->x)), ends = c->core == CORE_SEGMENT ? vec3(0, 0, c->h) : c->e;
  double near = CONVEX_PAIR_EDGE * c->size;
  int inside = 0, free = 0;
  for (int k = 0; k < 3; k++)
    if (fabs(get3(p, k)) < get3(ends, k) - near) {
      inside++;
      free = k;
    }
  *along = vec3(c->R.m[free], c->R.m[3 + free], c->R.m[6 + free]);
  *corner = inside == 0;
  *end = add3(c->x, convex_to_world(c, vec3(copysign(ends.x, p.x), copysign(ends.y, p.y), copysign(ends.z, p.z))));
  return inside < 2;
}

/* The same with a straight edge along u in place of one of the ellipsoids: n stays across u, and turning it by delta
 * about u changes d by -(R + gap) delta. */
static AspVec3 turn_about_edge(const Convex *a, const Convex *b, AspVec3 u, AspVec3 n) {
  double rounding = CONVEX_PAIR_ROUNDING * (a->size + b->size);
  const Convex *egg = a->core == CORE_ELLIPSOID ? a : b;
  int vertex;
  n = unit3(axpy3(n, -dot3(n, u), u));
  double separation = asp_convex_separation(a, b, n);
  for (int step = 0; step < CONVEX_PAIR_POLISH_STEPS; step++) {
    AspVec3 d = sub3(asp_convex_support(b, neg3(n), &vertex), asp_convex_support(a, n, &vertex)), t = cross3(u, n);
    double R[3] = {separation, 0, 0};
    add_curvature(egg, n, (AspVec3[2]){t, t}, R);
    AspVec3 next = unit3(axpy3(n, dot3(d, t) / R[0], t));
    double here = R[0] > 0 ? asp_convex_separation(a, b, next) : -INFINITY;
    if (!(here >= separation - rounding))
      break;
    separation = here;
    n = next;
  }
  return n;
}

/* An ellipsoid apart from a segment or box: exact where the nearest point of the latter is a corner, else Newton's
 * method about its edge. Faces have given their normal already. */
static void polish_straight(const Convex *a, const Convex *b, Nearest *nearest) {
  const Convex *egg = a->core == CORE_ELLIPSOID ? a : b, *other = egg == a ? b : a;
  double side = egg == a ? 1 : -1;
  AspVec3 along, end, out, n = nearest->normal;
  bool corner;
  if (nearest->bare || !edge_at(other, egg == a ? nearest->b : nearest->a, &along, &corner, &end))
    return;
  if (corner) {
    asp_point_distance(egg, convex_to_local(egg, sub3(end, egg->x)), &out);
    n = scale3(side, convex_to_world(egg, out));
  } else {
    n = turn_about_edge(a, b, along, n);
  }
  double separation = asp_convex_separation(a, b, n);
  if (separation < asp_convex_separation(a, b, nearest->normal) - CONVEX_PAIR_ROUNDING * (a->size + b->size))
    return; // another feature is nearest
  int vertex;
  AspVec3 point = asp_convex_support(egg, scale3(side, n), &vertex), across = axpy3(point, side * separation, n);
  *nearest = (Nearest){egg == a ? point : across, egg == a ? across : point, n, separation, false};
}

/* The nearest points of two segments. */
static void between_segments(const AspVec3 p[2], const AspVec3 q[2], AspVec3 *on_p, AspVec3 *on_q) {
  AspVec3 u = sub3(p[1], p[0]), v = sub3(q[1], q[0]), w = sub3(p[0], q[0]);
  double uu = dot3(u, u), uv = dot3(u, v), vv = dot3(v, v), uw = dot3(u, w), vw = dot3(v, w), area = uu * vv - uv * uv;
  double s = area > CONVEX_PAIR_PARALLEL * uu * vv ? fmin(fmax((uv * vw - vv * uw) / area, 0), 1) : 0.5;
  double t = fmin(fmax((uv * s + vw) / vv, 0), 1);
  s = fmin(fmax((uv * t - uw) / uu, 0), 1);
  *on_p = axpy3(p[0], s, u);
  *on_q = axpy3(q[0], t, v);
}

/* The curved side of a cylinder or capsule at an edge of the other: exact from axis and edge, where both are nearest
 * with their inner points. side: 0 where a has the curved side. */
static bool lie_at_edge(const Convex *a, const Convex *b, int side, Nearest *nearest) {
  const Convex *bar = side ? b : a, *other = side ? a : b;
  AspVec3 towards = side ? neg3(nearest->normal) : nearest->normal, on_axis, on_edge;
  Facing line, face, edge;
  if ((bar->core != CORE_SEGMENT && bar->core != CORE_CYLINDER) ||
      (other->core != CORE_BOX && other->core != CORE_HULL))
    return false;
  asp_facing(bar, towards, &line);
  asp_facing(other, neg3(towards), &face);
  if (line.count != 2 || !asp_face_edge(&face, neg3(towards), 0, &edge))
    return false;
  between_segments(line.centre, edge.p, &on_axis, &on_edge);
  AspVec3 d = sub3(on_edge, on_axis), axis = sub3(line.centre[1], line.centre[0]);
  double distance = norm3(d), radius = bar->core == CORE_CYLINDER ? bar->r : 0, gap = distance - radius;
  if (!(dot3(d, towards) > CONVEX_PAIR_SAME_FACE * distance) ||
      (!line.ball && fabs(dot3(d, axis)) > CONVEX_PAIR_FACE_SLACK * distance * norm3(axis)))
    return false;
  AspVec3 m = scale3(1 / distance, d), n = side ? neg3(m) : m, on_bar = axpy3(on_axis, radius, m);
  if (asp_convex_separation(a, b, n) < gap - CONVEX_PAIR_FACE_SLACK * (a->size + b->size))
    return false; // another feature is nearest
  *nearest = (Nearest){side ? on_edge : on_bar, side ? on_bar : on_edge, n, gap, false};
  return true;
}

/* The same, whichever of the two has the curved side. */
static void polish_bar(const Convex *a, const Convex *b, Nearest *nearest) {
  if (a->dimension == 3 && !lie_at_edge(a, b, 0, nearest))
    lie_at_edge(a, b, 1, nearest);
}

static bool is_straight(const Convex *c) { return c->core == CORE_SEGMENT || c->core == CORE_BOX; }

/* Distance iteration, then separating directions or the expanding polytope when the cores overlap. */
static bool general_nearest(const Convex *a, const Convex *b, AspVec3 guess, double limit, Nearest *nearest) {
  bool far;
  if (asp_gjk(a, b, guess, limit, nearest, &far)) {
    settle_normal(a, b, nearest);
    if (convex_is_smooth(a) && convex_is_smooth(b))
      polish_smooth(a, b, nearest);
    else if ((a->core == CORE_ELLIPSOID && is_straight(b)) || (b->core == CORE_ELLIPSOID && is_straight(a)))
      polish_straight(a, b, nearest);
    else
      polish_bar(a, b, nearest);
    return nearest->gap <= limit;
  }
  if (far)
    return false;
  if (convex_is_curved(a) || convex_is_curved(b)) {
    asp_epa(a, b, nearest);
    bool face = take_face_normal(a, b, CONVEX_PAIR_FACE_SLACK * (a->size + b->size), nearest);
    if (convex_is_smooth(a) && convex_is_smooth(b))
      polish_smooth(a, b, nearest);
    else if (!face)
      polish_bar(a, b, nearest);
  } else {
    asp_sat(a, b, nearest);
  }
  ensure_normal(a, b, nearest);
  return nearest->gap <= limit;
}

static bool are_boxes(const Convex *a, const Convex *b) {
  return a->dimension == 3 && a->core == CORE_BOX && b->core == CORE_BOX;
}

bool asp_convex_nearest(const Convex *a, const Convex *b, double limit, Nearest *nearest) {
  AspVec3 guess = vec3(0, 0, 0);
  if (norm3(sub3(b->x, a->x)) - a->size - b->size > limit)
    return false;
  if (a->core == CORE_POINT && b->core != CORE_HULL)
    return point_nearest(a, b, limit, nearest);
  if (b->core == CORE_POINT && a->core != CORE_HULL) {
    if (!point_nearest(b, a, limit, nearest))
      return false;
    AspVec3 point = nearest->a;
    nearest->a = nearest->b;
    nearest->b = point;
    nearest->normal = neg3(nearest->normal);
    return true;
  }
  if (are_boxes(a, b)) {
    nearest->gap = asp_sat_boxes(a, b, limit, &nearest->normal);
    nearest->bare = true;
    if (!(nearest->gap > 0) || nearest->gap > limit)
      return nearest->gap <= limit;
    guess = nearest->normal;
  }
  return general_nearest(a, b, guess, limit, nearest);
}

/* Two boxes: their fifteen directions decide when they overlap, and also when they are apart and the manifold has a
 * point as near as the best direction says; only what is left (edge beside edge, corner beside corner) is iterated. */
static int collide_boxes(const Convex *a, const Convex *b, double margin, double limit, AspContact *contacts) {
  Nearest nearest = {.bare = true};
  nearest.gap = asp_sat_boxes(a, b, limit, &nearest.normal);
  if (nearest.gap > limit)
    return 0;
  if (nearest.gap > 0) {
    double least;
    int count = asp_manifold_spread(a, b, &nearest, margin, contacts, &least);
    if (count == MANIFOLD_BESIDE_EACH_OTHER)
      return 0;
    if (count > 0 && least <= nearest.gap + CONVEX_PAIR_ROUNDING * (a->size + b->size))
      return count;
    if (!general_nearest(a, b, nearest.normal, limit, &nearest))
      return 0;
  }
  return asp_manifold(a, b, &nearest, margin, contacts);
}

void asp_collide_convex(const Pair *pair, ContactList *list) {
  Convex a, b;
  if (list->count + ASP_MANIFOLD_MAX > list->capacity ||
      !asp_convex_from_shape(pair->a, &pair->pose_a, pair->dimension, &a) ||
      !asp_convex_from_shape(pair->b, &pair->pose_b, pair->dimension, &b))
    return;
  Nearest nearest;
  if (are_boxes(&a, &b))
    list->count += collide_boxes(&a, &b, pair->margin, pair->limit, list->contacts + list->count);
  else if (asp_convex_nearest(&a, &b, pair->limit + a.radius + b.radius, &nearest))
    list->count += asp_manifold(&a, &b, &nearest, pair->margin, list->contacts + list->count);
}

/* B is a half-space or half-plane: the facing part of A, each point with its own gap, and the nearest point when the
 * facing part does not have it. */
void asp_collide_plane(const Pair *pair, ContactList *list) {
  Convex a;
  if (list->count + ASP_MANIFOLD_MAX > list->capacity ||
      !asp_convex_from_shape(pair->a, &pair->pose_a, pair->dimension, &a))
    return;
  AspVec3 free = pair->dimension == 3 ? vec3(0, 0, 1) : vec3(0, 1, 0);
  AspVec3 n = neg3(quat_rotate(pair->pose_b.orientation, free));
  double offset = dot3(n, pair->pose_b.position);
  int vertex;
  AspVec3 nearest = axpy3(asp_convex_support(&a, n, &vertex), a.radius, n);
  double gap = offset - dot3(n, nearest), least = INFINITY;
  if (!(gap <= pair->limit))
    return;
  AspContact found[MANIFOLD_FACING_MAX];
  int count = 0;
  Facing facing;
  asp_facing(&a, n, &facing);
  for (int i = 0; i < facing.count && !convex_is_smooth(&a); i++) {
    AspVec3 point = axpy3(facing.p[i], a.radius, n);
    double here = offset - dot3(n, point);
    if (here <= pair->margin) {
      found[count++] = contact_from(point, n, here, FEATURE_VERTEX_A(facing.id[i]));
      least = fmin(least, here);
    }
  }
  count = asp_manifold_reduce(found, count, n, ASP_MANIFOLD_MAX - 1);
  for (int i = 0; i < count; i++)
    list->contacts[list->count++] = found[i];
  if (count == 0 || gap < least - CONVEX_PAIR_DEEPER * a.size)
    list->contacts[list->count++] = contact_from(nearest, n, gap, FEATURE_WITNESS);
}
