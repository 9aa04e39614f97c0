/* A convex shape on a height field: contacts per touched triangle, with normals that the surface as a whole allows.
 *
 * For a triangle T and a direction u (from the field towards the shape A) the separation is
 *
 *   s(u) = min over A of u.x - max over T of u.p
 *
 * and the triangle's signed gap is the maximum of s over the directions the surface allows there: the normal of T, and
 * directions in the normal cone of an edge or vertex of T, that is, no vertex q of the triangles around that edge or
 * vertex p rises above it along u: (q - p).u <= 0. Edges inside a flat or hollow region allow nothing but the normals
 * of their triangles, so a box sliding over them meets no ghost edge. The field is solid below: u always points out of
 * it.
 *
 * All in the field's frame; contacts of equal normal are reduced together.
 */
#include "base/base.h"
#include "collide/narrow.h"
#include "collide/tuning/collide.h"

typedef struct Field {
  const AspHeightField *field;
  Convex a; /* in the field's frame */
  double margin;
  bool buried;           /* the middle of A is below the surface */
  int above[3];          /* then: column, row and half of the triangle above it */
  int column, row, half; /* the present triangle: cell, lower right (0) or upper left (1) half */
  AspVec3 p[3];          /* its corners, counterclockwise from above */
  int at[3][2];          /* their grid points: column, row */
  AspVec3 up;            /* its normal */
  bool below;            /* A does not touch it, and is below the surface there */
  AspContact found[HEIGHT_FIELD_FIELD_COLLECT];
  int count;
} Field;

static AspVec3 grid_point(const AspHeightField *f, int column, int row) {
  return vec3(column * f->dx, row * f->dy, f->heights[(size_t)row * (size_t)f->columns + (size_t)column]);
}

static void take_triangle(Field *x, int column, int row, int half) {
  static const int corner[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
  x->column = column;
  x->row = row;
  x->half = half;
  for (int i = 0; i < 3; i++) {
    x->at[i][0] = column + corner[half][i][0];
    x->at[i][1] = row + corner[half][i][1];
    x->p[i] = grid_point(x->field, x->at[i][0], x->at[i][1]);
  }
  x->up = unit3(cross3(sub3(x->p[1], x->p[0]), sub3(x->p[2], x->p[0])));
}

/* Does the grid point (column, row) rise above p along u? Points beyond the border do not. */
static bool rises(const Field *x, int column, int row, AspVec3 p, AspVec3 u) {
  if (column < 0 || row < 0 || column >= x->field->columns || row >= x->field->rows)
    return false;
  AspVec3 d = sub3(grid_point(x->field, column, row), p);
  return dot3(d, u) > HEIGHT_FIELD_SLACK * norm3(d);
}

/* Does the surface allow u as a normal where T supports it? A vertex: none of its six neighbours rises; an edge: the
 * corner of the triangle beyond it does not; the face itself: always. */
static bool allowed(const Field *x, AspVec3 u) {
  if (!(dot3(u, x->up) > HEIGHT_FIELD_STEEPEST))
    return false;
  double h[3], top = -INFINITY, scale = norm3(sub3(x->p[1], x->p[0])) + norm3(sub3(x->p[2], x->p[0]));
  int support[3], count = 0, below = 0;
  for (int i = 0; i < 3; i++)
    top = fmax(top, h[i] = dot3(u, x->p[i]));
  for (int i = 0; i < 3; i++)
    if (h[i] >= top - HEIGHT_FIELD_SLACK * scale)
      support[count++] = i;
    else
      below = i;
  if (count == 2) { // the parallelogram over the edge has the corner beyond it
    const int *a = x->at[support[0]], *b = x->at[support[1]], *c = x->at[below];
    return !rises(x, a[0] + b[0] - c[0], a[1] + b[1] - c[1], x->p[support[0]], u);
  }
  static const int ring[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
  for (int k = 0; count == 1 && k < 6; k++)
    if (rises(x, x->at[support[0]][0] + ring[k][0], x->at[support[0]][1] + ring[k][1], x->p[support[0]], u))
      return false;
  return true;
}

static double separation(const Field *x, AspVec3 u) {
  int vertex;
  double top = fmax(dot3(u, x->p[0]), fmax(dot3(u, x->p[1]), dot3(u, x->p[2])));
  return dot3(u, asp_convex_support(&x->a, neg3(u), &vertex)) - top;
}

static void offer(const Field *x, AspVec3 u, double *best, AspVec3 *normal) {
  double length = norm3(u);
  if (!(length > HEIGHT_FIELD_SHORTEST))
    return;
  for (int sign = 1; sign >= -1; sign -= 2) {
    AspVec3 v = scale3(sign / length, u);
    double s = separation(x, v);
    if (s > *best + HEIGHT_FIELD_BETTER * x->a.size && allowed(x, v)) {
      *best = s;
      *normal = v;
    }
  }
}

/* The best allowed direction when A overlaps the triangle or lies below it. */
static double penetration(const Field *x, AspVec3 *normal) {
  double best = separation(x, x->up);
  *normal = x->up;
  const Convex *a = &x->a;
  AspVec3 axes[3];
  for (int k = 0; k < 3; k++)
    axes[k] = vec3(a->R.m[k], a->R.m[3 + k], a->R.m[6 + k]);
  bool box = a->core == CORE_BOX, round = a->core == CORE_SEGMENT || (convex_is_curved(a) && !convex_is_smooth(a));
  for (int k = box ? 0 : 2; (box || round) && k < 3; k++) {
    if (a->core != CORE_SEGMENT)
      offer(x, axes[k], &best, normal);
    for (int i = 0; i < 3; i++)
      offer(x, cross3(axes[k], sub3(x->p[(i + 1) % 3], x->p[i])), &best, normal);
  }
  for (int f = 0; a->core == CORE_HULL && f < a->hull->face_count; f++)
    offer(x, convex_to_world(a, a->hull->normals[f]), &best, normal);
  for (int e = 0; a->core == CORE_HULL && e < a->hull->edge_count; e++) {
    const int *edge = a->hull->edges + 4 * e;
    AspVec3 d = unit3(convex_to_world(a, sub3(a->hull->vertices[edge[1]], a->hull->vertices[edge[0]])));
    for (int i = 0; i < 3; i++)
      offer(x, cross3(d, unit3(sub3(x->p[(i + 1) % 3], x->p[i]))), &best, normal);
  }
  return best;
}

/* The triangle as a hull of three vertices, for the distance iteration. */
static Convex triangle_core(const Field *x, AspHull *hull) {
  *hull = (AspHull){.dimension = 3, .vertex_count = 3, .vertices = x->p};
  Convex c = {.core = CORE_HULL, .dimension = 3, .hull = hull, .R = mat3_diagonal(1, 1, 1)};
  c.size = norm3(sub3(x->p[1], x->p[0])) + norm3(sub3(x->p[2], x->p[0]));
  return c;
}

static uint32_t field_feature(const Field *x, uint32_t local) {
  int32_t parts[3] = {x->column, 2 * x->row + x->half, (int32_t)local};
  uint64_t hash = asp_hash_bytes(ASP_HASH_START, parts, sizeof parts);
  return (uint32_t)(hash ^ hash >> 32);
}

/* Points of neighbouring triangles that coincide in place and normal are one contact. */
static void keep(Field *x, AspContact contact, double same) {
  for (int i = 0; i < x->count; i++)
    if (dot3(x->found[i].normal, contact.normal) > 1 - HEIGHT_FIELD_SAME_NORMAL &&
        norm3(sub3(x->found[i].point_b, contact.point_b)) <= same)
      return;
  if (x->count < HEIGHT_FIELD_FIELD_COLLECT) {
    contact.feature = field_feature(x, contact.feature);
    x->found[x->count++] = contact;
  }
}

/* Height of the surface at (x, y) and the triangle there; false beyond the border. */
static bool ground_at(const AspHeightField *f, double x, double y, double *height, int triangle[3]) {
  double u = x / f->dx, v = y / f->dy;
  if (!(u >= 0 && v >= 0 && u <= f->columns - 1 && v <= f->rows - 1))
    return false;
  int column = u < f->columns - 1 ? (int)u : f->columns - 2, row = v < f->rows - 1 ? (int)v : f->rows - 2;
  u -= column;
  v -= row;
  double low = grid_point(f, column, row).z, high = grid_point(f, column + 1, row + 1).z;
  double side = u >= v ? grid_point(f, column + 1, row).z : grid_point(f, column, row + 1).z;
  *height = low + (u >= v ? u * (side - low) + v * (high - side) : v * (side - low) + u * (high - side));
  triangle[0] = column;
  triangle[1] = row;
  triangle[2] = u >= v ? 0 : 1;
  return true;
}

/* The surface right above the point of the core is nearer than this triangle's plane: another triangle has the say. */
static bool is_farther(const Field *x, const AspContact *contact) {
  double ground, depth = -contact->gap - x->a.radius;
  int triangle[3];
  AspVec3 q = axpy3(contact->point_a, -x->a.radius, contact->normal);
  if (!(depth > 0) || !ground_at(x->field, q.x, q.y, &ground, triangle))
    return false;
  return depth > fmax(ground - q.z, 0) + HEIGHT_FIELD_BELOW * (x->a.size + fabs(ground));
}

/* Points of the triangle and A over each other along u, and the nearest ones (on the cores) when they are not among
 * them. */
static void clip_triangle(Field *x, AspVec3 u, double gap, AspVec3 nearest_a, AspVec3 nearest_b) {
  AspVec3 n = neg3(u);
  Facing pa, pb = {.count = 3, .id = {0, 1, 2}, .normal = x->up};
  AspContact found[COLLECT_MAX];
  int count = 0;
  double size = x->a.size, least = INFINITY;
  if (!convex_is_smooth(&x->a) && dot3(u, x->up) > 0.5) {
    asp_facing(&x->a, n, &pa);
    for (int i = 0; i < 3; i++)
      pb.p[i] = x->p[i];
    ClipSetting setting = {3, n, x->a.radius, 0, x->margin, size, gap};
    count = asp_manifold_clip(&setting, &pa, &pb, found);
    for (int i = 0; i < count; i++)
      least = fmin(least, found[i].gap);
  }
  for (int i = 0; i < count; i++)
    if (!x->below || !is_farther(x, &found[i]))
      keep(x, found[i], HEIGHT_FIELD_SAME_PLACE * size);
  if (!(gap <= x->margin && gap < least - HEIGHT_FIELD_BETTER * size))
    return;
  AspContact witness = {.point_a = axpy3(nearest_a, x->a.radius, n), .point_b = nearest_b, .normal = n};
  witness.gap = dot3(sub3(witness.point_b, witness.point_a), n);
  if (!x->below || !is_farther(x, &witness))
    keep(x, witness, HEIGHT_FIELD_SAME_PLACE * size);
}

/* Does the foot of the point along u lie over the triangle? */
static bool over_triangle(const Field *x, AspVec3 point, AspVec3 u) {
  for (int i = 0; i < 3; i++) {
    AspVec3 e = sub3(x->p[(i + 1) % 3], x->p[i]);
    if (dot3(cross3(e, sub3(point, x->p[i])), u) < -HEIGHT_FIELD_SLACK * norm3(e) * x->a.size)
      return false;
  }
  return true;
}

/* An ellipsoid with its middle above the triangle's plane and its lowest point over the triangle or right below it:
 * that point is the nearest or deepest one. Iterations know it by the root of what they know of the distance only. */
static bool stands_on(Field *x) {
  int vertex;
  if (x->a.core != CORE_ELLIPSOID || x->buried || dot3(x->up, sub3(x->a.x, x->p[0])) < 0)
    return false;
  AspVec3 lowest = asp_convex_support(&x->a, neg3(x->up), &vertex);
  double gap = separation(x, x->up);
  if (!over_triangle(x, lowest, x->up))
    return false;
  x->below = false;
  clip_triangle(x, x->up, gap - x->a.radius, lowest, axpy3(lowest, -gap, x->up));
  return true;
}

/* The middle of A is above the surface and its deepest point below the triangle, which it need not touch. */
static bool dips_below(const Field *x) {
  int vertex;
  AspVec3 deepest = asp_convex_support(&x->a, neg3(x->up), &vertex);
  return !x->buried && separation(x, x->up) < 0 && over_triangle(x, deepest, x->up);
}

static void collide_triangle(Field *x) {
  AspHull hull;
  Convex triangle = triangle_core(x, &hull);
  // nothing of A reaches down to the triangle's plane
  if (separation(x, x->up) - x->a.radius > x->margin)
    return;
  if (stands_on(x))
    return;
  Nearest nearest;
  bool far;
  triangle.x = vec3(0, 0, 0);
  x->below = false;
  bool overlaps = !asp_gjk(&x->a, &triangle, neg3(x->up), x->margin + x->a.radius, &nearest, &far);
  bool dips = far && dips_below(x);
  if (!overlaps && !dips) {
    AspVec3 u = neg3(nearest.normal);
    // a small distance leaves noise in its direction, up to any angle where it is rounding itself, and that of curved
    // shapes is known less exactly: the face's normal when it separates as well as the direction found
    bool face =
        x->a.core != CORE_ELLIPSOID && // it would stand on it (above)
        separation(x, x->up) >= separation(x, u) * (1 - HEIGHT_FIELD_SAME_GAP) - HEIGHT_FIELD_BETTER * x->a.size;
    if (face || allowed(x, u)) {
      clip_triangle(x, face ? x->up : u, nearest.gap - x->a.radius, nearest.a, nearest.b);
      return;
    }
    double ground;
    int there[3];
    x->below = ground_at(x->field, nearest.a.x, nearest.a.y, &ground, there) && nearest.a.z < ground;
    if (dot3(u, x->up) > 0 || !x->below)
      return; // a neighbour is nearer and reports it, or this is the far side of a ridge
  }
  if (far && !dips)
    return;
  AspVec3 u;
  int vertex;
  double gap = penetration(x, &u) - x->a.radius;
  if (gap > x->margin)
    return;
  AspVec3 deepest = asp_convex_support(&x->a, neg3(u), &vertex);
  // below the bottom of a valley no triangle may have the foot of the point: the one above it then counts
  bool above = x->buried && x->column == x->above[0] && x->row == x->above[1] && x->half == x->above[2] &&
               dot3(u, x->up) > 1 - HEIGHT_FIELD_UPRIGHT;
  if (above || over_triangle(x, deepest, u)) {
    clip_triangle(x, u, gap, deepest, axpy3(deepest, -(gap + x->a.radius), u));
    return;
  }
  nearest = (Nearest){.normal = neg3(u), .gap = gap + x->a.radius};
  if (overlaps)
    asp_witness_from_normal(&x->a, &triangle, &nearest);
  clip_triangle(x, u, overlaps ? gap : INFINITY, nearest.a, nearest.b);
}

/* Contacts of one normal are thinned out together; order of first appearance. */
static void reduce_groups(Field *x) {
  bool done[HEIGHT_FIELD_FIELD_COLLECT] = {false};
  AspContact group[COLLECT_MAX], reduced[HEIGHT_FIELD_FIELD_COLLECT];
  int out = 0;
  for (int i = 0; i < x->count; i++) {
    if (done[i])
      continue;
    int count = 0;
    AspVec3 n = x->found[i].normal;
    for (int k = i; k < x->count && count < COLLECT_MAX; k++)
      if (!done[k] && dot3(x->found[k].normal, n) > 1 - HEIGHT_FIELD_ALIKE) {
        done[k] = true;
        group[count++] = x->found[k];
      }
    count = asp_manifold_reduce(group, count, n, HEIGHT_FIELD_GROUP_MAX);
    for (int k = 0; k < count; k++)
      reduced[out++] = group[k];
  }
  memcpy(x->found, reduced, (size_t)out * sizeof *reduced);
  x->count = out;
}

/* The deepest `most` contacts. */
static void drop_shallow(Field *x, int most) {
  while (x->count > most) {
    int worst = 0;
    for (int i = 1; i < x->count; i++)
      if (x->found[i].gap >= x->found[worst].gap)
        worst = i;
    x->found[worst] = x->found[--x->count];
  }
}

static int cell(double x, double spacing, int cells) {
  double c = floor(x / spacing);
  return c <= 0 ? 0 : c >= cells ? cells : (int)c;
}

static void deliver(const Pair *pair, Field *x, ContactList *list) {
  drop_shallow(x, list->capacity - list->count);
  for (int i = 0; i < x->count; i++) {
    AspContact *contact = &x->found[i];
    contact->point_a = pose_point(&pair->pose_b, contact->point_a);
    contact->point_b = pose_point(&pair->pose_b, contact->point_b);
    contact->normal = quat_rotate(pair->pose_b.orientation, contact->normal);
    list->contacts[list->count++] = *contact;
  }
}

void asp_collide_height_field(const Pair *pair, ContactList *list) {
  Field x = {.field = pair->b->field, .margin = pair->limit};
  AspQuat back = quat_conjugate(pair->pose_b.orientation);
  AspPose pose = {pose_point_back(&pair->pose_b, pair->pose_a.position),
                  quat_normalize(quat_multiply(back, pair->pose_a.orientation))};
  if (!asp_convex_from_shape(pair->a, &pose, 3, &x.a))
    return;
  double ground;
  x.buried = ground_at(x.field, x.a.x.x, x.a.x.y, &ground, x.above) && x.a.x.z < ground;
  double low[3], high[3], around = x.a.radius + x.margin;
  int vertex;
  for (int k = 0; k < 3; k++) {
    AspVec3 axis = vec3(k == 0, k == 1, k == 2);
    high[k] = get3(asp_convex_support(&x.a, axis, &vertex), k) + around;
    low[k] = get3(asp_convex_support(&x.a, neg3(axis), &vertex), k) - around;
  }
  const AspHeightField *f = x.field;
  if (low[2] > f->high || high[0] < 0 || high[1] < 0 || low[0] > f->dx * (f->columns - 1) ||
      low[1] > f->dy * (f->rows - 1))
    return;
  int last_column = cell(high[0], f->dx, f->columns - 2), last_row = cell(high[1], f->dy, f->rows - 2);
  for (int row = cell(low[1], f->dy, f->rows - 2); row <= last_row; row++)
    for (int column = cell(low[0], f->dx, f->columns - 2); column <= last_column; column++)
      for (int half = 0; half < 2; half++) {
        take_triangle(&x, column, row, half);
        if (x.count > HEIGHT_FIELD_FIELD_COLLECT - COLLECT_MAX / 2) {
          reduce_groups(&x);
          drop_shallow(&x, HEIGHT_FIELD_FIELD_COLLECT / 2);
        }
        collide_triangle(&x);
      }
  reduce_groups(&x);
  deliver(pair, &x, list);
}
