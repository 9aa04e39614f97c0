/* The part of a core that faces a direction. Ids are numbers of vertices (polytopes) or of points fixed to the body:
 * rims of cylinders and cones carry eight points of fixed direction, so that a standing cylinder keeps its points while
 * it rocks; a line on a curved side moves over the body and keeps its two end ids while it rolls. */
#include "base/constants.h"
#include "base/elementary.h"
#include "collide/manifold.h"
#include "collide/tuning/collide.h"

#define LINE_ID (2 * FACING_RIM_POINTS)

/* In world directions at once: the middle of the face and its two half edges. */
static void box_facing(const Convex *c, AspVec3 d, Facing *facing) {
  int face = 0, last = c->dimension - 1;
  for (int i = 1; i <= last; i++)
    if (fabs(get3(d, i)) >= fabs(get3(d, face)))
      face = i;
  int side = get3(d, face) >= 0, u = face == last ? 0 : face + 1, v = u == 2 ? 0 : u + 1;
  const double *m = c->R.m;
  facing->normal = scale3(side ? 1 : -1, vec3(m[face], m[3 + face], m[6 + face]));
  AspVec3 middle = axpy3(c->x, get3(c->e, face), facing->normal);
  AspVec3 along_u = scale3(get3(c->e, u), vec3(m[u], m[3 + u], m[6 + u]));
  AspVec3 along_v = last == 2 ? scale3(get3(c->e, v), vec3(m[v], m[3 + v], m[6 + v])) : vec3(0, 0, 0);
  // counterclockwise about +axis: (-,-), (+,-), (+,+), (-,+); the other way round for -axis
  static const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  facing->count = 2 * last;
  for (int k = 0; k < facing->count; k++) {
    const int *at = corner[side ? k : facing->count - 1 - k];
    facing->id[k] = side << face | at[0] << u | (last == 2 ? at[1] << v : 0);
    AspVec3 on_u = at[0] ? add3(middle, along_u) : sub3(middle, along_u);
    facing->p[k] = at[1] ? add3(on_u, along_v) : sub3(on_u, along_v);
  }
}

/* Among the faces that meet at the support vertex the one turned most towards d: the nearest point is on the facing. */
static void hull_facing(const Convex *c, AspVec3 d, Facing *facing) {
  const AspHull *hull = c->hull;
  int support = 0, best = -1;
  for (int i = 1; i < hull->vertex_count; i++)
    if (dot3(hull->vertices[i], d) > dot3(hull->vertices[support], d))
      support = i;
  double most = -INFINITY;
  for (int f = 0; f < hull->face_count; f++) {
    double here = dot3(hull->normals[f], d);
    if (here <= most)
      continue;
    for (int k = hull->face_start[f]; k < hull->face_start[f + 1]; k++)
      if (hull->face_vertex[k] == support) {
        most = here;
        best = f;
      }
  }
  int corners = hull->face_start[best + 1] - hull->face_start[best],
      stride = (corners + MANIFOLD_FACING_MAX - 1) / MANIFOLD_FACING_MAX;
  facing->count = 0;
  for (int k = 0; k < corners; k += stride) {
    int v = hull->face_vertex[hull->face_start[best] + k];
    facing->id[facing->count] = v;
    facing->p[facing->count++] = hull->vertices[v];
  }
  facing->normal = hull->normals[best];
}

static void rim_facing(double r, double z, double side, int first_id, Facing *facing) {
  facing->count = FACING_RIM_POINTS;
  for (int k = 0; k < FACING_RIM_POINTS; k++) {
    int at = side > 0 ? k : FACING_RIM_POINTS - 1 - k;
    double angle = at * (2 * ASP_PI / FACING_RIM_POINTS);
    facing->p[k] = vec3(r * asp_cos(angle), r * asp_sin(angle), z);
    facing->id[k] = first_id + at;
  }
  facing->normal = vec3(0, 0, side);
}

static void line_facing(AspVec3 low, AspVec3 high, double radius, Facing *facing) {
  facing->count = 2;
  facing->p[0] = low;
  facing->p[1] = high;
  facing->id[0] = LINE_ID;
  facing->id[1] = LINE_ID + 1;
  facing->radius = radius;
  facing->centre[0] = vec3(0, 0, low.z);
  facing->centre[1] = vec3(0, 0, high.z);
}

/* End caps are seen within 45 degrees of the axis; a cone's base as long as its normal is the nearer one. */
static void revolved_facing(const Convex *c, AspVec3 d, Facing *facing) {
  double across = sqrt(d.x * d.x + d.y * d.y), x = across > 0 ? d.x / across : 1, y = across > 0 ? d.y / across : 0;
  if (c->core == CORE_CYLINDER) {
    if (fabs(d.z) > across)
      rim_facing(c->r, d.z > 0 ? c->h : -c->h, d.z > 0 ? 1 : -1, d.z > 0 ? FACING_RIM_POINTS : 0, facing);
    else
      line_facing(vec3(c->r * x, c->r * y, -c->h), vec3(c->r * x, c->r * y, c->h), c->r, facing);
    return;
  }
  double slant = asp_hypot(2 * c->h, c->r), towards_side = (across * 2 * c->h + d.z * c->r) / slant;
  if (-d.z > towards_side)
    rim_facing(c->r, -c->h, -1, 0, facing);
  else
    line_facing(vec3(c->r * x, c->r * y, -c->h), vec3(0, 0, c->h), 0, facing);
}

void asp_facing(const Convex *c, AspVec3 n, Facing *facing) {
  AspVec3 d = convex_to_local(c, n);
  facing->radius = 0;
  facing->ball = c->core == CORE_SEGMENT;
  switch (c->core) {
  case CORE_POINT:
    facing->count = 1;
    facing->p[0] = vec3(0, 0, 0);
    facing->id[0] = 0;
    break;
  case CORE_ELLIPSOID:
    facing->count = 1;
    facing->p[0] = asp_convex_support(c, n, &facing->id[0]);
    facing->normal = n;
    return;
  case CORE_SEGMENT: {
    AspVec3 end = c->dimension == 2 ? vec3(c->h, 0, 0) : vec3(0, 0, c->h);
    line_facing(neg3(end), end, c->radius, facing);
    break;
  }
  case CORE_BOX:
    box_facing(c, d, facing);
    return;
  case CORE_HULL:
    hull_facing(c, d, facing);
    break;
  case CORE_CYLINDER:
  case CORE_CONE:
    revolved_facing(c, d, facing);
    break;
  }
  for (int k = 0; k < facing->count; k++)
    facing->p[k] = add3(c->x, convex_to_world(c, facing->p[k]));
  for (int k = 0; k < 2 && facing->radius > 0; k++)
    facing->centre[k] = add3(c->x, convex_to_world(c, facing->centre[k]));
  facing->normal = convex_to_world(c, facing->normal);
}

bool asp_is_over_face(const Facing *face, int dimension, AspVec3 p, double slack) {
  for (int i = 0; i < face->count; i++) {
    AspVec3 e = sub3(face->p[i + 1 < face->count ? i + 1 : 0], face->p[i]), to = sub3(p, face->p[i]);
    double beyond = dimension == 2 ? dot3(e, to) : dot3(cross3(e, to), face->normal);
    if (beyond < -slack * norm3(e))
      return false;
  }
  return true;
}

bool asp_face_edge(const Facing *face, AspVec3 n, double radius, Facing *edge) {
  if (face->count < 3 || dot3(face->normal, n) > CONVEX_PAIR_SAME_FACE)
    return false;
  int best = 0, next = 0;
  double most = -INFINITY;
  for (int i = 0; i < face->count; i++) {
    int j = i + 1 < face->count ? i + 1 : 0;
    double height = dot3(n, add3(face->p[i], face->p[j]));
    if (height > most) {
      most = height;
      best = i;
      next = j;
    }
  }
  *edge = (Facing){.count = 2, .radius = radius, .ball = true, .normal = n};
  edge->p[0] = edge->centre[0] = face->p[best];
  edge->p[1] = edge->centre[1] = face->p[next];
  edge->id[0] = face->id[best];
  edge->id[1] = face->id[next];
  return true;
}
