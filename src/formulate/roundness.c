/* Radii of curvature of the shapes at their witness points: see roundness.h. */
#include "formulate/roundness.h"
#include "base/elementary.h"

#include "formulate/tuning/formulate.h"
#include "linalg/vec3.h"

#include <math.h>

/* Where and how the shape is looked at, in the shape's own frame. */
typedef struct Place {
  int dimension;
  const AspShape *shape;
  AspVec3 p, n;   /* witness point and outward normal */
  AspVec3 t1, t2; /* tangents */
  AspRoundness round;
} Place;

static void add_direction(Place *place, AspVec3 e, double weight, double part[3]) {
  double c1 = dot3(e, place->t1), c2 = place->dimension == 3 ? dot3(e, place->t2) : 0;
  part[0] += weight * c1 * c1;
  part[1] += weight * c1 * c2;
  part[2] += weight * c2 * c2;
}

static void round_along(Place *place, AspVec3 e, double radius) {
  add_direction(place, e, radius, place->round.finite);
}
static void flat_along(Place *place, AspVec3 e) { add_direction(place, e, 1, place->round.flat); }
static void ends_along(Place *place, AspVec3 e) { add_direction(place, e, 1, place->round.ends); }

static void ball(Place *place, double radius) {
  round_along(place, place->t1, radius);
  if (place->dimension == 3)
    round_along(place, place->t2, radius);
}

static void face(Place *place) {
  flat_along(place, place->t1);
  if (place->dimension == 3)
    flat_along(place, place->t2);
}

/* At its edge or corner, seen along its normal. */
static void end_of_face(Place *place) {
  ends_along(place, place->t1);
  if (place->dimension == 3)
    ends_along(place, place->t2);
}

static bool is_along(AspVec3 normal, AspVec3 n) {
  return dot3(normal, n) > 0 && norm3(cross3(normal, n)) <= ROUNDNESS_NEAR;
}

/* A straight line on the surface, round across it. */
static void side(Place *place, AspVec3 line, double radius) {
  flat_along(place, line);
  if (place->dimension == 3)
    round_along(place, unit3(cross3(line, place->n)), radius);
}

static void capsule(Place *place) {
  AspVec3 axis = place->dimension == 3 ? vec3(0, 0, 1) : vec3(1, 0, 0);
  double h = place->shape->half_length, r = place->shape->radius;
  if (fabs(dot3(axis, place->p)) < h * (1 - ROUNDNESS_NEAR)) {
    side(place, axis, r);
    return;
  }
  ball(place, r);
  if (fabs(dot3(axis, place->n)) <= ROUNDNESS_NEAR)
    ends_along(place, axis);
}

static void box(Place *place) {
  double size = norm3(place->shape->half_extents);
  int reached = 0, along = 0;
  bool seen = false; // along the normal of a face that holds the point
  for (int i = 0; i < place->dimension; i++) {
    double coordinate = get3(place->p, i);
    bool at_face = fabs(coordinate) >= get3(place->shape->half_extents, i) - ROUNDNESS_NEAR * size;
    seen = seen || (at_face && is_along(scale3(coordinate > 0 ? 1 : -1, vec3(i == 0, i == 1, i == 2)), place->n));
    reached += at_face;
    along = at_face ? along : i;
  }
  if (seen && reached > 1)
    end_of_face(place);
  if (reached <= 1)
    face(place);
  else if (place->dimension == 3 && reached == 2)
    flat_along(place, vec3(along == 0, along == 1, along == 2));
}

static void hull(Place *place) {
  const AspHull *it = place->shape->hull;
  AspVec3 first = vec3(0, 0, 0), edge = vec3(0, 0, 0);
  int rank = 0; // of the normals of the faces that hold the point
  bool seen = false;
  for (int f = 0; f < it->face_count; f++) {
    int corner = it->dimension == 3 ? it->face_vertex[it->face_start[f]] : f;
    AspVec3 normal = it->normals[f];
    if (fabs(dot3(normal, sub3(place->p, it->vertices[corner]))) > ROUNDNESS_NEAR * it->radius)
      continue;
    seen = seen || is_along(normal, place->n);
    if (rank == 0) {
      first = normal;
      rank = 1;
    } else if (rank == 1 && norm3(cross3(first, normal)) > ROUNDNESS_NEAR) {
      edge = unit3(cross3(first, normal));
      rank = 2;
    } else if (rank == 2 && fabs(dot3(edge, normal)) > ROUNDNESS_NEAR)
      rank = 3;
  }
  if (seen && rank > 1)
    end_of_face(place);
  if (rank <= 1)
    face(place);
  else if (rank == 2 && place->dimension == 3)
    flat_along(place, edge);
}

/* A circle of this radius about z. Seen along z its points count as fixed to the body. */
static void rim(Place *place, double radius) {
  double across = asp_hypot(place->n.x, place->n.y);
  if (across > ROUNDNESS_NEAR)
    round_along(place, vec3(-place->n.y / across, place->n.x / across, 0), radius / across);
  else
    end_of_face(place);
}

static void cylinder(Place *place) {
  double r = place->shape->radius, h = place->shape->half_length, near = ROUNDNESS_NEAR * (r + h);
  bool at_cap = fabs(place->p.z) >= h - near, at_side = asp_hypot(place->p.x, place->p.y) >= r - near;
  if (at_cap && at_side)
    rim(place, r);
  else if (at_cap)
    face(place);
  else
    side(place, vec3(0, 0, 1), r);
}

static void cone(Place *place) {
  double r = place->shape->radius, h = place->shape->half_length, near = ROUNDNESS_NEAR * (r + h);
  double rho = asp_hypot(place->p.x, place->p.y), slant = asp_hypot(r, 2 * h);
  if (place->p.z >= h - near)
    return; // the tip is a vertex
  if (place->p.z <= -h + near && rho >= r - near)
    rim(place, r);
  else if (place->p.z <= -h + near)
    face(place);
  else
    side(place, unit3(sub3(vec3(0, 0, h), place->p)), rho * slant / (2 * h));
}

/* The support function |E n| has the second derivative (E^2 - s s^T)/|E n|, s = E^2 n/|E n| the point itself. */
static void ellipsoid(Place *place) {
  AspVec3 e = place->shape->half_extents, n = place->n, t[2] = {place->t1, place->t2};
  AspVec3 along = vec3(e.x * n.x, e.y * n.y, e.z * n.z);
  double length = norm3(along);
  AspVec3 s = vec3(e.x * along.x / length, e.y * along.y / length, e.z * along.z / length);
  for (int k = 0; k < 3; k++) { // 11, 12, 22
    AspVec3 a = t[k / 2], b = t[(k + 1) / 2];
    double square = e.x * e.x * a.x * b.x + e.y * e.y * a.y * b.y + e.z * e.z * a.z * b.z;
    place->round.finite[k] = (square - dot3(s, a) * dot3(s, b)) / length;
  }
}

AspRoundness asp_shape_roundness(int dimension, const AspShape *shape, const AspPose *pose, AspVec3 point,
                                 AspVec3 outward, AspVec3 t1, AspVec3 t2) {
  AspQuat turn = pose->orientation;
  Place place = {.dimension = dimension,
                 .shape = shape,
                 .p = pose_point_back(pose, point),
                 .n = quat_rotate_back(turn, outward),
                 .t1 = quat_rotate_back(turn, t1),
                 .t2 = quat_rotate_back(turn, t2)};
  switch (shape->kind) {
  case ASP_SHAPE_SPHERE:
  case ASP_SHAPE_DISK:
    ball(&place, shape->radius);
    break;
  case ASP_SHAPE_CAPSULE:
    capsule(&place);
    break;
  case ASP_SHAPE_BOX:
    box(&place);
    break;
  case ASP_SHAPE_CONVEX:
  case ASP_SHAPE_POLYGON:
    hull(&place);
    break;
  case ASP_SHAPE_CYLINDER:
    cylinder(&place);
    break;
  case ASP_SHAPE_CONE:
    cone(&place);
    break;
  case ASP_SHAPE_ELLIPSOID:
    ellipsoid(&place);
    break;
  case ASP_SHAPE_HALF_SPACE:
  case ASP_SHAPE_HALF_PLANE:
  case ASP_SHAPE_HEIGHT_FIELD:
    face(&place);
    break;
  default: // a point is a vertex
    break;
  }
  bool ends = place.round.ends[0] + place.round.ends[2] > 0;
  for (int k = 0; ends && k < 3; k++)
    place.round.ends[k] -= place.round.flat[k];
  return place.round;
}
