/* Convex shapes: from a shape and its pose, support mappings, separation along a direction. */
#include "collide/convex.h"

bool asp_convex_from_shape(const AspShape *shape, const AspPose *pose, int dimension, Convex *c) {
  static const AspMat3 identity = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
  bool ball = shape->kind == ASP_SHAPE_SPHERE || shape->kind == ASP_SHAPE_POINT; // looks the same from everywhere
  *c = (Convex){.dimension = dimension, .R = ball ? identity : mat3_from_quat(pose->orientation), .x = pose->position};
  switch (shape->kind) {
  case ASP_SHAPE_POINT:
    c->core = CORE_POINT;
    return true;
  case ASP_SHAPE_SPHERE:
  case ASP_SHAPE_DISK:
    c->core = CORE_POINT;
    c->size = c->radius = shape->radius;
    return true;
  case ASP_SHAPE_CAPSULE:
    c->core = CORE_SEGMENT;
    c->radius = shape->radius;
    c->h = shape->half_length;
    c->size = shape->radius + shape->half_length;
    return true;
  case ASP_SHAPE_BOX:
    c->core = CORE_BOX;
    c->e = shape->half_extents;
    if (dimension == 2)
      c->e.z = 0;
    c->size = norm3(c->e);
    return true;
  case ASP_SHAPE_ELLIPSOID:
    c->core = CORE_ELLIPSOID;
    c->e = shape->half_extents;
    c->size = greater(c->e.x, greater(c->e.y, c->e.z));
    return true;
  case ASP_SHAPE_CYLINDER:
  case ASP_SHAPE_CONE:
    c->core = shape->kind == ASP_SHAPE_CYLINDER ? CORE_CYLINDER : CORE_CONE;
    c->r = shape->radius;
    c->h = shape->half_length;
    c->size = sqrt(c->r * c->r + c->h * c->h);
    return true;
  case ASP_SHAPE_CONVEX:
  case ASP_SHAPE_POLYGON:
    c->core = CORE_HULL;
    c->hull = shape->hull;
    c->size = shape->hull->radius;
    return true;
  default:
    return false;
  }
}

static AspVec3 hull_support(const AspHull *hull, AspVec3 d, int *vertex) {
  const AspVec3 *v = hull->vertices;
  int best = 0;
  double most = dot3(v[0], d);
  for (int i = 1; i < hull->vertex_count; i++) {
    double here = dot3(v[i], d);
    if (here > most) {
      most = here;
      best = i;
    }
  }
  *vertex = best;
  return v[best];
}

/* Rim point of a disk of radius r at height z; the centre when the direction does not say which. */
static AspVec3 rim_support(double r, double z, AspVec3 d, double across) {
  return across > 0 ? vec3(r * (d.x / across), r * (d.y / across), z) : vec3(0, 0, z);
}

/* E^2 d/|E d|, E the radii. */
static AspVec3 ellipsoid_support(AspVec3 e, AspVec3 d) {
  AspVec3 along = vec3(e.x * d.x, e.y * d.y, e.z * d.z);
  double length = norm3(along);
  return length > 0 ? vec3(e.x * (along.x / length), e.y * (along.y / length), e.z * (along.z / length))
                    : vec3(0, 0, e.z);
}

AspVec3 asp_convex_support(const Convex *c, AspVec3 direction, int *vertex) {
  AspVec3 d = convex_to_local(c, direction), p = vec3(0, 0, 0);
  *vertex = 0;
  switch (c->core) {
  case CORE_POINT:
    break;
  case CORE_SEGMENT:
    *vertex = (c->dimension == 2 ? d.x : d.z) >= 0;
    p = scale3(*vertex ? c->h : -c->h, c->dimension == 2 ? vec3(1, 0, 0) : vec3(0, 0, 1));
    break;
  case CORE_BOX:
    *vertex = (d.x >= 0) + 2 * (d.y >= 0) + (c->dimension == 3 ? 4 * (d.z >= 0) : 0);
    p = vec3(d.x >= 0 ? c->e.x : -c->e.x, d.y >= 0 ? c->e.y : -c->e.y, d.z >= 0 ? c->e.z : -c->e.z);
    break;
  case CORE_HULL:
    p = hull_support(c->hull, d, vertex);
    break;
  case CORE_ELLIPSOID:
    p = ellipsoid_support(c->e, d);
    break;
  case CORE_CYLINDER:
    p = rim_support(c->r, d.z >= 0 ? c->h : -c->h, d, sqrt(d.x * d.x + d.y * d.y));
    break;
  case CORE_CONE: {
    double across = sqrt(d.x * d.x + d.y * d.y);
    p = c->r * across - c->h * d.z > c->h * d.z ? rim_support(c->r, -c->h, d, across) : vec3(0, 0, c->h);
    break;
  }
  }
  return add3(c->x, convex_to_world(c, p));
}

double asp_convex_separation(const Convex *a, const Convex *b, AspVec3 n) {
  int vertex;
  return dot3(n, sub3(asp_convex_support(b, neg3(n), &vertex), asp_convex_support(a, n, &vertex)));
}

double asp_convex_inside(const Convex *c, AspVec3 point) {
  AspVec3 at = convex_to_local(c, sub3(point, c->x)), out;
  if (c->core != CORE_HULL)
    return c->radius - asp_point_distance(c, at, &out);
  double depth = INFINITY;
  for (int f = 0; f < c->hull->face_count; f++) {
    AspVec3 on_face = c->hull->vertices[c->hull->face_vertex[c->hull->face_start[f]]];
    depth = fmin(depth, dot3(c->hull->normals[f], sub3(on_face, at)));
  }
  return depth;
}

/* Half the width along axis k of the world, for cores that are their own mirror images. */
static double half_width(const Convex *c, int k) {
  const double *row = c->R.m + 3 * k;
  switch (c->core) {
  case CORE_SEGMENT:
    return c->h * fabs(row[c->dimension == 2 ? 0 : 2]);
  case CORE_BOX:
    return c->e.x * fabs(row[0]) + c->e.y * fabs(row[1]) + c->e.z * fabs(row[2]);
  case CORE_ELLIPSOID:
    return norm3(vec3(c->e.x * row[0], c->e.y * row[1], c->e.z * row[2]));
  case CORE_CYLINDER:
    return c->h * fabs(row[2]) + c->r * sqrt(row[0] * row[0] + row[1] * row[1]);
  default:
    return 0;
  }
}

/* Along the axes of the world, of the vertices as they lie in the shape's frame. */
static void bound_hull(const Convex *c, double from[3], double to[3]) {
  const double *R = c->R.m;
  const AspVec3 *v = c->hull->vertices, axis[3] = {{R[0], R[1], R[2]}, {R[3], R[4], R[5]}, {R[6], R[7], R[8]}};
  for (int k = 0; k < 3; k++)
    from[k] = to[k] = dot3(v[0], axis[k]);
  for (int i = 1; i < c->hull->vertex_count; i++)
    for (int k = 0; k < 3; k++) {
      double along = dot3(v[i], axis[k]);
      from[k] = lesser(from[k], along);
      to[k] = greater(to[k], along);
    }
  for (int k = 0; k < 3; k++) {
    from[k] = get3(c->x, k) + from[k] - c->radius;
    to[k] = get3(c->x, k) + to[k] + c->radius;
  }
}

static void bound_cone(const Convex *c, double from[3], double to[3]) {
  for (int k = 0; k < 3; k++) {
    AspVec3 axis = vec3(k == 0, k == 1, k == 2);
    int vertex;
    from[k] = get3(asp_convex_support(c, neg3(axis), &vertex), k) - c->radius;
    to[k] = get3(asp_convex_support(c, axis, &vertex), k) + c->radius;
  }
}

void asp_convex_bounds(const Convex *c, AspVec3 *low, AspVec3 *high) {
  double from[3], to[3];
  if (c->core == CORE_HULL)
    bound_hull(c, from, to);
  else if (c->core == CORE_CONE)
    bound_cone(c, from, to);
  else
    for (int k = 0; k < 3; k++) {
      double half = half_width(c, k) + c->radius;
      from[k] = get3(c->x, k) - half;
      to[k] = get3(c->x, k) + half;
    }
  *low = vec3(from[0], from[1], from[2]);
  *high = vec3(to[0], to[1], to[2]);
}
