/* Points, spheres and disks against each other, boxes and planes: closed forms.
 *
 * A round shape is a centre c with a radius r (0: point). Its gap to a solid S is dist(c, S) - r, where dist is signed:
 * outside the distance to the nearest point of S, inside minus the distance to the nearest point of its surface.
 */
#include "collide/narrow.h"

static double radius_of(const AspShape *shape) { return shape->kind == ASP_SHAPE_POINT ? 0 : shape->radius; }

int collide_round_round(const Pair *pair, AspContact *contacts) {
  double ra = radius_of(pair->a), rb = radius_of(pair->b);
  AspVec3 d = pair->pose_b.position;
  double distance = norm3(d), gap = distance - ra - rb;
  if (!(gap <= pair->margin))
    return 0;
  // coincident centres: every direction is as good; the one that exists in 2D and 3D
  AspVec3 n = distance > 0 ? scale3(1 / distance, d) : vec3(0, pair->dimension == 2, pair->dimension == 3);
  contacts[0] = contact_from(scale3(ra, n), n, gap, FEATURE_WITNESS);
  return 1;
}

/* Signed distance of the point c to the box |x_i| <= e_i in the box frame, outward normal at the nearest surface
 * point. Ties inside: the first axis, the positive side. */
static double box_distance(AspVec3 c, AspVec3 e, int dimension, AspVec3 *normal) {
  double x[3] = {c.x, c.y, c.z}, size[3] = {e.x, e.y, e.z}, out[3] = {0, 0, 0}, square = 0;
  int nearest = 0;
  double depth = INFINITY;
  for (int i = 0; i < dimension; i++) {
    double beyond = fabs(x[i]) - size[i];
    if (beyond > 0) {
      out[i] = x[i] > 0 ? beyond : -beyond;
      square += beyond * beyond;
    } else if (-beyond < depth) {
      depth = -beyond;
      nearest = i;
    }
  }
  if (square > 0) {
    double distance = sqrt(square);
    *normal = scale3(1 / distance, vec3(out[0], out[1], out[2]));
    return distance;
  }
  double sign = x[nearest] >= 0 ? 1 : -1;
  *normal = vec3(nearest == 0 ? sign : 0, nearest == 1 ? sign : 0, nearest == 2 ? sign : 0);
  return -depth;
}

int collide_round_box(const Pair *pair, AspContact *contacts) {
  AspVec3 out, centre = pose_point_back(&pair->pose_b, pair->pose_a.position);
  double r = radius_of(pair->a), gap = box_distance(centre, pair->b->half_extents, pair->dimension, &out) - r;
  if (!(gap <= pair->margin))
    return 0;
  AspVec3 n = neg3(quat_rotate(pair->pose_b.orientation, out)); // from the round shape into the box
  contacts[0] = contact_from(scale3(r, n), n, gap, FEATURE_WITNESS);
  return 1;
}

int collide_round_plane(const Pair *pair, AspContact *contacts) {
  AspVec3 free = pair->dimension == 3 ? vec3(0, 0, 1) : vec3(0, 1, 0);
  AspVec3 n = neg3(quat_rotate(pair->pose_b.orientation, free));
  double r = radius_of(pair->a), gap = dot3(n, pair->pose_b.position) - r;
  if (!(gap <= pair->margin))
    return 0;
  contacts[0] = contact_from(scale3(r, n), n, gap, FEATURE_WITNESS);
  return 1;
}

int collide_box_plane(const Pair *pair, AspContact *contacts) {
  AspVec3 free = pair->dimension == 3 ? vec3(0, 0, 1) : vec3(0, 1, 0), e = pair->a->half_extents;
  AspVec3 n = neg3(quat_rotate(pair->pose_b.orientation, free));
  AspVec3 local = quat_rotate_back(pair->pose_a.orientation, n);
  double offset = dot3(n, pair->pose_b.position);
  // the face turned most towards the plane; ties: the later axis
  int face = 0;
  for (int i = 1; i < pair->dimension; i++)
    if (fabs(get3(local, i)) >= fabs(get3(local, face)))
      face = i;
  int count = 0;
  for (int vertex = 0; vertex < 1 << pair->dimension; vertex++) {
    if (((vertex >> face & 1) != 0) != (get3(local, face) > 0))
      continue;
    AspVec3 corner = vec3(vertex & 1 ? e.x : -e.x, vertex & 2 ? e.y : -e.y,
                          pair->dimension == 2 ? 0
                          : vertex & 4         ? e.z
                                               : -e.z);
    AspVec3 point = quat_rotate(pair->pose_a.orientation, corner);
    double gap = offset - dot3(n, point);
    if (gap <= pair->margin)
      contacts[count++] = contact_from(point, n, gap, FEATURE_VERTEX_A(vertex));
  }
  return count;
}
