/* Signed distance of a point to a core, in the core's frame: outside the distance to the nearest point, inside minus
 * the distance to the nearest point of the surface; `out` is the outward unit normal there.
 *
 * Cylinder and cone are solids of revolution: in the half plane (rho, z) of the point their section, mirrored at the
 * axis, is a convex polygon, and the nearest point lies in that plane.
 *
 * Ellipsoid with the radii e: the nearest point is y_i = e_i^2 p_i/(e_i^2 + t), t the largest root of
 *
 *   F(t) = sum_i (e_i p_i/(e_i^2 + t))^2 - 1 = 0,      t > -e^2, e the smallest radius
 *
 * F is convex and falls there: Newton's method from the left climbs to it. Source: Eberly, Distance from a point to an
 * ellipse, an ellipsoid, or a hyperellipsoid, 2013.
 */
#include "collide/convex.h"
#include "collide/tuning/collide.h"

/* Some direction of the space the shape lives in, across the given axis. */
static AspVec3 any_across(const Convex *c, AspVec3 axis) {
  if (c->dimension == 2)
    return vec3(-axis.y, axis.x, 0);
  AspVec3 t1, t2;
  tangents3(axis, &t1, &t2);
  return t1;
}

static double segment_distance(const Convex *c, AspVec3 p, AspVec3 *out) {
  AspVec3 axis = c->dimension == 2 ? vec3(1, 0, 0) : vec3(0, 0, 1);
  double along = fmax(-c->h, fmin(c->h, dot3(axis, p)));
  AspVec3 d = axpy3(p, -along, axis);
  double distance = norm3(d);
  *out = distance > 0 ? scale3(1 / distance, d) : any_across(c, axis);
  return distance;
}

/* Ties inside: the first axis, the positive side. */
static double box_distance(const Convex *c, AspVec3 p, AspVec3 *out) {
  double x[3] = {p.x, p.y, p.z}, size[3] = {c->e.x, c->e.y, c->e.z}, beyond[3] = {0, 0, 0}, depth = INFINITY;
  bool outside = false;
  int nearest = 0, axes = c->dimension == 2 ? 2 : 3;
  for (int i = 0; i < axes; i++) {
    double over = fabs(x[i]) - size[i];
    if (over > 0) {
      beyond[i] = x[i] > 0 ? over : -over;
      outside = true;
    } else if (-over < depth) {
      depth = -over;
      nearest = i;
    }
  }
  if (outside) {
    AspVec3 d = vec3(beyond[0], beyond[1], beyond[2]);
    double distance = norm3(d);
    *out = scale3(1 / distance, d);
    return distance;
  }
  double sign = x[nearest] >= 0 ? 1 : -1;
  *out = vec3(nearest == 0 ? sign : 0, nearest == 1 ? sign : 0, nearest == 2 ? sign : 0);
  return -depth;
}

/* Signed distance of (x, z) to a convex polygon given counterclockwise, normal (nx, nz). */
static double section_distance(const double (*v)[2], int count, double x, double z, double *nx, double *nz) {
  double inside = -INFINITY, outside = INFINITY, in[2] = {0, 0}, to[2] = {0, 0};
  for (int i = 0; i < count; i++) {
    const double *a = v[i], *b = v[(i + 1) % count];
    double ex = b[0] - a[0], ez = b[1] - a[1], length = sqrt(ex * ex + ez * ez);
    double height = (ez * (x - a[0]) - ex * (z - a[1])) / length;
    if (height > inside) {
      inside = height;
      in[0] = ez / length;
      in[1] = -ex / length;
    }
    double t = ((x - a[0]) * ex + (z - a[1]) * ez) / (length * length);
    bool over = t > 0 && t < 1;
    t = fmax(0, fmin(1, t));
    double dx = x - (a[0] + t * ex), dz = z - (a[1] + t * ez), distance = sqrt(dx * dx + dz * dz);
    if (distance < outside) {
      outside = distance;
      // over the middle of an edge its own normal is free of the noise of a small distance
      to[0] = over ? ez / length : dx / distance;
      to[1] = over ? -ex / length : dz / distance;
    }
  }
  *nx = inside <= 0 ? in[0] : to[0];
  *nz = inside <= 0 ? in[1] : to[1];
  return inside <= 0 ? inside : outside;
}

static double revolved_distance(const Convex *c, AspVec3 p, AspVec3 *out) {
  double rho = sqrt(p.x * p.x + p.y * p.y), nx, nz, distance;
  if (c->core == CORE_CYLINDER) {
    const double section[4][2] = {{c->r, -c->h}, {c->r, c->h}, {-c->r, c->h}, {-c->r, -c->h}};
    distance = section_distance(section, 4, rho, p.z, &nx, &nz);
  } else {
    const double section[3][2] = {{c->r, -c->h}, {0, c->h}, {-c->r, -c->h}};
    distance = section_distance(section, 3, rho, p.z, &nx, &nz);
  }
  *out = rho > 0 ? vec3(nx * (p.x / rho), nx * (p.y / rho), nz) : vec3(nx, 0, nz);
  return distance;
}

/* t of the nearest point; from: where the smallest radius alone makes F zero. */
static double ellipsoid_root(const double *e, const double *p, double from) {
  double t = from;
  for (int step = 0; step < POINT_ELLIPSOID_STEPS; step++) {
    double F = -1, slope = 0;
    for (int i = 0; i < 3; i++) {
      double under = e[i] * e[i] + t, part = p[i] != 0 ? e[i] * p[i] / under : 0;
      F += part * part;
      slope += part != 0 ? 2 * part * part / under : 0;
    }
    double next = slope > 0 ? t + F / slope : t;
    if (!(F > 0) || !(next > t))
      break;
    t = next;
  }
  return t;
}

/* In units of the largest radius. */
static double ellipsoid_distance(const Convex *c, AspVec3 point, AspVec3 *out) {
  double e[3] = {c->e.x / c->size, c->e.y / c->size, c->e.z / c->size}, y[3], normal[3], rest = 1, inside = -1;
  double p[3] = {point.x / c->size, point.y / c->size, point.z / c->size}, least = lesser(e[0], lesser(e[1], e[2]));
  double across = 0; // of the axes with the smallest radius
  int shortest = 0;
  for (int i = 2; i >= 0; i--) {
    across = e[i] == least ? sqrt(across * across + p[i] * p[i]) : across;
    shortest = e[i] == least ? i : shortest;
    inside += (p[i] / e[i]) * (p[i] / e[i]);
  }
  double t = ellipsoid_root(e, p, -least * least + least * across);
  for (int i = 0; i < 3; i++) {
    bool short_axis = e[i] == least && across == 0;
    y[i] = short_axis ? 0 : e[i] * e[i] * p[i] / (e[i] * e[i] + t);
    rest -= (y[i] / e[i]) * (y[i] / e[i]);
  }
  if (across == 0 && rest > 0) // in the middle: both sides are as near
    y[shortest] = e[shortest] * sqrt(rest);
  AspVec3 d = vec3(p[0] - y[0], p[1] - y[1], p[2] - y[2]);
  for (int i = 0; i < 3; i++)
    normal[i] = y[i] / (e[i] * e[i]);
  *out = unit3(vec3(normal[0], normal[1], normal[2]));
  double distance = dot3(d, *out);
  return c->size * (inside > 0 ? fabs(distance) : -fabs(distance));
}

double asp_point_distance(const Convex *c, AspVec3 p, AspVec3 *out) {
  switch (c->core) {
  case CORE_SEGMENT:
    return segment_distance(c, p, out);
  case CORE_BOX:
    return box_distance(c, p, out);
  case CORE_CYLINDER:
  case CORE_CONE:
    return revolved_distance(c, p, out);
  case CORE_ELLIPSOID:
    return ellipsoid_distance(c, p, out);
  default: {
    double distance = norm3(p);
    // coincident points: every direction is as good; one that exists in 2D and 3D
    *out = distance > 0 ? scale3(1 / distance, p) : vec3(0, c->dimension == 2, c->dimension == 3);
    return distance;
  }
  }
}
