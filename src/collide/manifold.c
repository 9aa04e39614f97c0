/* Manifold of a pair from its normal: both shapes' facing patches are projected along the normal onto a plane; the
 * corners of the intersection of the two projections are the contact points, each with its own gap along the normal:
 *
 *   vertices of A's patch inside B's, vertices of B's inside A's, crossings of their borders.
 *
 * The rule treats A and B alike, and its points move continuously with the poses as long as the patches stay the same;
 * where a patch changes, the points that come or go have a positive gap. A point is only reported up to the margin.
 * Two lines (curved sides, capsules) meet in a crossing or, when nearly parallel, along their common stretch: its ends
 * are the points, with the gap of two round bars offset sideways,  gap + sqrt(D^2 + s^2) - D.
 */
#include "collide/manifold.h"

#define SAME_PLACE 1e-9  /* of the size: points closer than this are one */
#define DEEPER     1e-10 /* of the size: the witness is added when it is deeper than all others by this */

typedef struct Clip {
  const Patch *pa, *pb;
  AspVec3 n, t1, t2;
  double lift_a, lift_b; /* ball radii, along n */
  double margin, same;
  int dimension, count;
  AspContact *found; /* COLLECT_MAX */
  double place[COLLECT_MAX][2];
  double a2[PATCH_MAX][2], b2[PATCH_MAX][2]; /* projections */
} Clip;

/* Height along n of the patch over the place (x, y). */
static double height(const Clip *c, const Patch *patch, const double (*at)[2], double x, double y) {
  if (patch->count >= 3) {
    AspVec3 p = axpy3(scale3(x, c->t1), y, c->t2);
    double tilt = dot3(patch->normal, c->n);
    return dot3(patch->normal, sub3(patch->p[0], p)) / tilt;
  }
  double h0 = dot3(c->n, patch->p[0]);
  if (patch->count == 1)
    return h0;
  double dx = at[1][0] - at[0][0], dy = at[1][1] - at[0][1], square = dx * dx + dy * dy;
  if (!(square > 0))
    return h0;
  double t = ((x - at[0][0]) * dx + (y - at[0][1]) * dy) / square;
  return h0 + t * (dot3(c->n, patch->p[1]) - h0);
}

static void add_point(Clip *c, double x, double y, double extra, uint32_t feature) {
  if (c->count == COLLECT_MAX)
    return;
  for (int i = 0; i < c->count; i++)
    if (fabs(c->place[i][0] - x) <= c->same && fabs(c->place[i][1] - y) <= c->same)
      return;
  double za = height(c, c->pa, (const double(*)[2])c->a2, x, y) + c->lift_a;
  double zb = height(c, c->pb, (const double(*)[2])c->b2, x, y) - c->lift_b;
  double gap = zb - za + extra;
  if (!(gap <= c->margin))
    return;
  AspVec3 point = axpy3(axpy3(scale3(x, c->t1), y, c->t2), za, c->n);
  c->place[c->count][0] = x;
  c->place[c->count][1] = y;
  c->found[c->count++] = contact_from(point, c->n, gap, feature);
}

/* Inside or within `slack` of a convex polygon, whichever way round it is projected. */
static bool inside(const double (*polygon)[2], int count, double x, double y, double slack) {
  double left = INFINITY, right = INFINITY;
  for (int i = 0; i < count; i++) {
    const double *a = polygon[i], *b = polygon[(i + 1) % count];
    double dx = b[0] - a[0], dy = b[1] - a[1], length = sqrt(dx * dx + dy * dy);
    if (!(length > slack))
      continue;
    double side = (dx * (y - a[1]) - dy * (x - a[0])) / length;
    left = fmin(left, side);
    right = fmin(right, -side);
  }
  return left >= -slack || right >= -slack;
}

static void add_vertices(Clip *c) {
  for (int i = 0; c->pb->count >= 3 && i < c->pa->count; i++)
    if (inside((const double(*)[2])c->b2, c->pb->count, c->a2[i][0], c->a2[i][1], c->same))
      add_point(c, c->a2[i][0], c->a2[i][1], 0, FEATURE_VERTEX_A(c->pa->id[i]));
  for (int i = 0; c->pa->count >= 3 && i < c->pb->count; i++)
    if (inside((const double(*)[2])c->a2, c->pa->count, c->b2[i][0], c->b2[i][1], c->same))
      add_point(c, c->b2[i][0], c->b2[i][1], 0, FEATURE_VERTEX_B(c->pb->id[i]));
}

static void add_crossings(Clip *c) {
  int edges_a = c->pa->count == 2 ? 1 : c->pa->count, edges_b = c->pb->count == 2 ? 1 : c->pb->count;
  for (int i = 0; i < edges_a; i++) {
    const double *a0 = c->a2[i], *a1 = c->a2[(i + 1) % c->pa->count];
    double ax = a1[0] - a0[0], ay = a1[1] - a0[1], la = sqrt(ax * ax + ay * ay);
    for (int j = 0; j < edges_b; j++) {
      const double *b0 = c->b2[j], *b1 = c->b2[(j + 1) % c->pb->count];
      double bx = b1[0] - b0[0], by = b1[1] - b0[1], det = ax * by - ay * bx;
      if (!(fabs(det) > 1e-9 * la * sqrt(bx * bx + by * by)))
        continue; // parallel: the ends of the common stretch are vertices
      double dx = b0[0] - a0[0], dy = b0[1] - a0[1], s = (dx * by - dy * bx) / det, t = (dx * ay - dy * ax) / det;
      if (s > 0 && s < 1 && t > 0 && t < 1)
        add_point(c, a0[0] + s * ax, a0[1] + s * ay, 0, FEATURE_CROSS(c->pa->id[i], c->pb->id[j]));
    }
  }
}

/* Ends of one line that lie beside the other line: the common stretch of nearly parallel bars. */
static void add_ends(Clip *c, bool of_a) {
  const double(*ends)[2] = (const double(*)[2])(of_a ? c->a2 : c->b2);
  const double(*line)[2] = (const double(*)[2])(of_a ? c->b2 : c->a2);
  const Patch *patch = of_a ? c->pa : c->pb;
  double dx = line[1][0] - line[0][0], dy = line[1][1] - line[0][1], length = sqrt(dx * dx + dy * dy);
  double D = c->pa->round + c->pb->round;
  if (!(length > c->same))
    return;
  for (int i = 0; i < 2; i++) {
    double x = ends[i][0] - line[0][0], y = ends[i][1] - line[0][1], along = (x * dx + y * dy) / length;
    if (along < -c->same || along > length + c->same)
      continue;
    double aside = (x * dy - y * dx) / length, extra = c->dimension == 3 ? sqrt(D * D + aside * aside) - D : 0;
    add_point(c, ends[i][0], ends[i][1], extra, of_a ? FEATURE_VERTEX_A(patch->id[i]) : FEATURE_VERTEX_B(patch->id[i]));
  }
}

static void project(const Clip *c, const Patch *patch, double (*at)[2]) {
  for (int i = 0; i < patch->count; i++) {
    at[i][0] = dot3(c->t1, patch->p[i]);
    at[i][1] = c->dimension == 3 ? dot3(c->t2, patch->p[i]) : 0;
  }
}

/* Twice the area that the polygon loses without point k of the ring. */
static double loss(const double (*at)[2], const int *ring, int count, int k) {
  const double *p = at[ring[(k + count - 1) % count]], *q = at[ring[k]], *r = at[ring[(k + 1) % count]];
  return fabs((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]));
}

int asp_manifold_reduce(AspContact *contacts, int count, AspVec3 n, int most) {
  if (count <= most)
    return count;
  double at[COLLECT_MAX][2], angle[COLLECT_MAX], middle[2] = {0, 0};
  int ring[COLLECT_MAX], deepest = 0, kept = count;
  AspVec3 t1, t2;
  tangents3(n, &t1, &t2);
  for (int i = 0; i < count; i++) {
    at[i][0] = dot3(t1, contacts[i].point_a);
    at[i][1] = dot3(t2, contacts[i].point_a);
    middle[0] += at[i][0] / count;
    middle[1] += at[i][1] / count;
    if (contacts[i].gap < contacts[deepest].gap)
      deepest = i;
  }
  for (int i = 0; i < count; i++) { // around the middle, by insertion
    angle[i] = atan2(at[i][1] - middle[1], at[i][0] - middle[0]);
    int k = i;
    for (; k > 0 && angle[ring[k - 1]] > angle[i]; k--)
      ring[k] = ring[k - 1];
    ring[k] = i;
  }
  while (kept > most) {
    int drop = -1;
    double least = INFINITY;
    for (int k = 0; k < kept; k++) {
      double lost = loss((const double(*)[2])at, ring, kept, k);
      if (ring[k] != deepest && lost < least) {
        least = lost;
        drop = k;
      }
    }
    if (drop < 0)
      drop = ring[0] == deepest;
    for (int k = drop; k + 1 < kept; k++)
      ring[k] = ring[k + 1];
    kept--;
  }
  bool stays[COLLECT_MAX] = {false};
  for (int k = 0; k < kept; k++)
    stays[ring[k]] = true;
  int out = 0;
  for (int i = 0; i < count; i++)
    if (stays[i])
      contacts[out++] = contacts[i];
  return out;
}

int asp_manifold_clip(const ClipSetting *setting, const Patch *pa, const Patch *pb, AspContact found[COLLECT_MAX]) {
  Clip c;
  c.pa = pa;
  c.pb = pb;
  c.n = setting->n;
  c.lift_a = setting->lift_a;
  c.lift_b = setting->lift_b;
  c.margin = setting->margin;
  c.same = SAME_PLACE * setting->size;
  c.dimension = setting->dimension;
  c.count = 0;
  c.found = found;
  if (c.dimension == 3) {
    tangents3(c.n, &c.t1, &c.t2);
  } else {
    c.t1 = vec3(-c.n.y, c.n.x, 0);
    c.t2 = vec3(0, 0, 1);
  }
  project(&c, pa, c.a2);
  project(&c, pb, c.b2);
  if (c.dimension == 2 || (pa->count == 2 && pb->count == 2)) {
    add_ends(&c, true);
    add_ends(&c, false);
    if (c.dimension == 3)
      add_crossings(&c);
  } else {
    add_vertices(&c);
    add_crossings(&c);
  }
  return c.count;
}

int asp_manifold(const Convex *a, const Convex *b, const Nearest *nearest, double margin, AspContact *contacts) {
  double gap = nearest->gap - a->radius - b->radius, size = a->size + b->size, least = INFINITY;
  AspVec3 n = nearest->normal;
  contacts[0] = contact_from(axpy3(nearest->a, a->radius, n), n, gap, FEATURE_WITNESS);
  if (a->core == CORE_POINT || b->core == CORE_POINT)
    return 1;
  Patch pa, pb;
  asp_patch(a, n, &pa);
  asp_patch(b, neg3(n), &pb);
  AspContact found[COLLECT_MAX], witness = contacts[0];
  ClipSetting setting = {a->dimension, n, a->radius, b->radius, margin, size};
  int count = asp_manifold_clip(&setting, &pa, &pb, found);
  for (int i = 0; i < count; i++)
    least = fmin(least, found[i].gap);
  count = asp_manifold_reduce(found, count, n, ASP_MANIFOLD_MAX - 1);
  for (int i = 0; i < count; i++)
    contacts[i] = found[i];
  if (count == 0 || gap < least - DEEPER * size)
    contacts[count++] = witness;
  return count;
}
