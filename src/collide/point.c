/* Signed distance of a point to a core, in the core's frame: outside the distance to the nearest point, inside minus
 * the distance to the nearest point of the surface; `out` is the outward unit normal there.
 *
 * Cylinder and cone are solids of revolution: in the half plane (rho, z) of the point their section, mirrored at the
 * axis, is a convex polygon, and the nearest point lies in that plane.
 */
#include "collide/convex.h"

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

double asp_point_distance(const Convex *c, AspVec3 p, AspVec3 *out) {
  switch (c->core) {
  case CORE_SEGMENT:
    return segment_distance(c, p, out);
  case CORE_BOX:
    return box_distance(c, p, out);
  case CORE_CYLINDER:
  case CORE_CONE:
    return revolved_distance(c, p, out);
  default: {
    double distance = norm3(p);
    // coincident points: every direction is as good; one that exists in 2D and 3D
    *out = distance > 0 ? scale3(1 / distance, p) : vec3(0, c->dimension == 2, c->dimension == 3);
    return distance;
  }
  }
}
