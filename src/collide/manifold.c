/* Manifold of a pair from its normal: both shapes' facing patches are projected along the normal onto a plane; the
 * corners of the intersection of the two projections are the contact points, each with its own gap along the normal:
 *
 *   vertices of A's patch inside B's, vertices of B's inside A's, crossings of their borders.
 *
 * The rule treats A and B alike, and its points move continuously with the poses as long as the patches stay the same;
 * where a patch changes, the points that come or go have a positive gap. A point is only reported up to the margin.
 * Two lines (capsules, curved sides) are treated as round bars: the nearest points, and where an end of one lies beside
 * the other the contact of that end, from the distance of the centre lines; parallel bars so touch along their common
 * stretch, and the ends of the stretch fade out through the margin when the bars cross.
 */
#include "collide/manifold.h"

#define SAME_PLACE 2e-10 /* of the size: points closer than this are one */
#define DEEPER     1e-13 /* of the size: the witness is added when it is deeper than all others by this */

typedef struct Clip {
  const Patch *pa, *pb;
  AspVec3 n, t1, t2;
  double lift_a, lift_b; /* ball radii, along n */
  double margin, same, gap;
  int dimension, count;
  AspContact *found; /* COLLECT_MAX */
  double place[COLLECT_MAX][2];
  double a2[PATCH_MAX][2], b2[PATCH_MAX][2];           /* projections */
  double lines_a[PATCH_MAX][3], lines_b[PATCH_MAX][3]; /* of the borders: nx x + ny y - c is the height inside */
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

static void add_point(Clip *c, double x, double y, uint32_t feature) {
  if (c->count == COLLECT_MAX)
    return;
  for (int i = 0; i < c->count; i++)
    if (fabs(c->place[i][0] - x) <= c->same && fabs(c->place[i][1] - y) <= c->same)
      return;
  double za = height(c, c->pa, (const double(*)[2])c->a2, x, y) + c->lift_a;
  double zb = height(c, c->pb, (const double(*)[2])c->b2, x, y) - c->lift_b;
  double gap = zb - za;
  if (!(gap <= c->margin))
    return;
  AspVec3 point = axpy3(axpy3(scale3(x, c->t1), y, c->t2), za, c->n);
  c->place[c->count][0] = x;
  c->place[c->count][1] = y;
  c->found[c->count++] = contact_from(point, c->n, gap, feature);
}

/* Lines through the border of a polygon, positive inside; `turn` is 1 when it is counterclockwise. Edges that the
 * projection shrinks to nothing never exclude a point. */
static void find_lines(const double (*at)[2], int count, double turn, double shortest, double (*lines)[3]) {
  for (int i = 0; i < count; i++) {
    const double *p = at[i], *q = at[i + 1 < count ? i + 1 : 0];
    double dx = q[0] - p[0], dy = q[1] - p[1], length = sqrt(dx * dx + dy * dy);
    double scale = length > shortest ? turn / length : 0;
    lines[i][0] = -dy * scale;
    lines[i][1] = dx * scale;
    lines[i][2] = lines[i][0] * p[0] + lines[i][1] * p[1];
  }
}

static bool inside(const double (*lines)[3], int count, const double at[2], double slack) {
  for (int i = 0; i < count; i++)
    if (lines[i][0] * at[0] + lines[i][1] * at[1] - lines[i][2] < -slack)
      return false;
  return true;
}

static void add_vertices(Clip *c) {
  for (int i = 0; c->pb->count >= 3 && i < c->pa->count; i++)
    if (inside((const double(*)[3])c->lines_b, c->pb->count, c->a2[i], c->same))
      add_point(c, c->a2[i][0], c->a2[i][1], FEATURE_VERTEX_A(c->pa->id[i]));
  for (int i = 0; c->pa->count >= 3 && i < c->pb->count; i++)
    if (inside((const double(*)[3])c->lines_a, c->pa->count, c->b2[i], c->same))
      add_point(c, c->b2[i][0], c->b2[i][1], FEATURE_VERTEX_B(c->pb->id[i]));
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
        add_point(c, a0[0] + s * ax, a0[1] + s * ay, FEATURE_CROSS(c->pa->id[i], c->pb->id[j]));
    }
  }
}

/* In 2D all points of the common stretch lie over each other. */
static void add_ends_2d(Clip *c, bool of_a) {
  const double(*ends)[2] = (const double(*)[2])(of_a ? c->a2 : c->b2);
  const double(*line)[2] = (const double(*)[2])(of_a ? c->b2 : c->a2);
  const int *id = of_a ? c->pa->id : c->pb->id;
  double low = fmin(line[0][0], line[1][0]) - c->same, high = fmax(line[0][0], line[1][0]) + c->same;
  for (int i = 0; i < 2; i++)
    if (ends[i][0] >= low && ends[i][0] <= high)
      add_point(c, ends[i][0], 0, of_a ? FEATURE_VERTEX_A(id[i]) : FEATURE_VERTEX_B(id[i]));
}

/* A point of the round surface of a bar with the given centre line, in direction m: balls as they are, cylinders across
 * their axis. */
static AspVec3 bar_point(const Patch *patch, AspVec3 centre, AspVec3 m) {
  AspVec3 axis = unit3(sub3(patch->centre[1], patch->centre[0]));
  AspVec3 across = patch->ball ? m : unit3(axpy3(m, -dot3(m, axis), axis));
  return axpy3(centre, patch->round, across);
}

/* Contact of the end of one bar with the side of the other, from their centre lines: an end of P beside the line of Q.
 */
static void add_bar_end(Clip *c, const Patch *p, const Patch *q, int i, bool of_a) {
  AspVec3 n = of_a ? c->n : neg3(c->n); // from P to Q
  AspVec3 end = p->centre[i], start = q->centre[0], d = sub3(q->centre[1], start);
  double t = dot3(sub3(end, start), d) / dot3(d, d), slack = c->same / norm3(d);
  if (!(t >= -slack && t <= 1 + slack))
    return;
  AspVec3 beside = axpy3(start, t, d), D = sub3(beside, end);
  double distance = norm3(D);
  if (!(dot3(D, n) > 0.2 * distance))
    return; // far to the side, or deeper than the bars are thick: the crossing tells more
  AspVec3 m = scale3(1 / distance, D);
  // a cylinder that leans away meets the other with its rim, and that is the nearest point
  AspVec3 axis = sub3(p->centre[1], p->centre[0]);
  if (!p->ball && fabs(dot3(m, axis)) > 0.01 * norm3(axis))
    return;
  AspVec3 on_p = bar_point(p, end, m), on_q = bar_point(q, beside, neg3(m));
  AspContact contact = {.point_a = of_a ? on_p : on_q,
                        .point_b = of_a ? on_q : on_p,
                        .normal = of_a ? m : neg3(m),
                        .feature = of_a ? FEATURE_VERTEX_A(p->id[i]) : FEATURE_VERTEX_B(p->id[i])};
  contact.gap = dot3(sub3(contact.point_b, contact.point_a), contact.normal);
  // nearer than the shapes are: the nearest points are not on the two sides, so the centre lines tell nothing
  if (!(contact.gap <= c->margin) || contact.gap < c->gap - 5e-4 * c->same || c->count == COLLECT_MAX)
    return;
  for (int k = 0; k < c->count; k++)
    if (norm3(sub3(c->found[k].point_a, contact.point_a)) <= c->same)
      return;
  c->found[c->count++] = contact;
}

/* Two lines in 3D: the ends of the common stretch when both are bars of even thickness; the crossing is the
 * witness. */
static void add_lines(Clip *c) {
  for (int i = 0; c->pa->round > 0 && c->pb->round > 0 && i < 2; i++) {
    add_bar_end(c, c->pa, c->pb, i, true);
    add_bar_end(c, c->pb, c->pa, i, false);
  }
}

static void project(const Clip *c, const Patch *patch, double (*at)[2]) {
  for (int i = 0; i < patch->count; i++) {
    at[i][0] = dot3(c->t1, patch->p[i]);
    at[i][1] = c->dimension == 3 ? dot3(c->t2, patch->p[i]) : 0;
  }
}

typedef struct Ring {
  double at[COLLECT_MAX][2];
  int order[COLLECT_MAX]; /* all points, left to right */
  int hull[2 * COLLECT_MAX + 2];
  int count;
} Ring;

static double turn(const Ring *r, int o, int a, int b) {
  return (r->at[a][0] - r->at[o][0]) * (r->at[b][1] - r->at[o][1]) -
         (r->at[a][1] - r->at[o][1]) * (r->at[b][0] - r->at[o][0]);
}

/* The convex hull of the points, counterclockwise (monotone chain). */
static void find_ring(Ring *r, int count) {
  for (int i = 0; i < count; i++) {
    int k = i;
    for (; k > 0; k--) {
      const double *p = r->at[r->order[k - 1]], *q = r->at[i];
      if (p[0] < q[0] || (p[0] == q[0] && p[1] <= q[1]))
        break;
      r->order[k] = r->order[k - 1];
    }
    r->order[k] = i;
  }
  r->count = 0;
  for (int side = 0; side < 2; side++) {
    int base = r->count;
    for (int k = 0; k < count; k++) {
      int p = r->order[side ? count - 1 - k : k];
      while (r->count >= base + 2 && turn(r, r->hull[r->count - 2], r->hull[r->count - 1], p) <= 0)
        r->count--;
      r->hull[r->count++] = p;
    }
    r->count--; // the last point of a side is the first of the other
  }
}

int asp_manifold_reduce(AspContact *contacts, int count, AspVec3 n, int most) {
  if (count <= most)
    return count;
  Ring r;
  int deepest = 0, out = 0;
  AspVec3 t1, t2;
  tangents3(n, &t1, &t2);
  for (int i = 0; i < count; i++) {
    r.at[i][0] = dot3(t1, contacts[i].point_a);
    r.at[i][1] = dot3(t2, contacts[i].point_a);
    if (contacts[i].gap < contacts[deepest].gap)
      deepest = i;
  }
  find_ring(&r, count);
  bool stays[COLLECT_MAX] = {false};
  stays[deepest] = true;
  for (int spare = most - 1; r.count > spare && r.count > 1;) {
    int drop = 0;
    double least = INFINITY;
    for (int k = 0; k < r.count; k++) {
      double lost = turn(&r, r.hull[(k + r.count - 1) % r.count], r.hull[k], r.hull[(k + 1) % r.count]);
      if (lost < least && r.hull[k] != deepest) {
        least = lost;
        drop = k;
      }
    }
    for (int k = drop; k + 1 < r.count; k++)
      r.hull[k] = r.hull[k + 1];
    r.count--;
  }
  for (int k = 0; k < r.count; k++)
    stays[r.hull[k]] = true;
  for (int i = 0; i < count; i++)
    if (stays[i])
      contacts[out++] = contacts[i];
  return out;
}

int asp_manifold_clip(const ClipSetting *setting, const Patch *pa, const Patch *pb, AspContact found[COLLECT_MAX]) {
  if (pa->count < 2 || pb->count < 2)
    return 0; // a point has no extent: the nearest points are all there is
  Clip c = {.pa = pa,
            .pb = pb,
            .n = setting->n,
            .lift_a = setting->lift_a,
            .lift_b = setting->lift_b,
            .margin = setting->margin,
            .gap = setting->gap,
            .same = SAME_PLACE * setting->size,
            .dimension = setting->dimension,
            .found = found};
  if (c.dimension == 3) {
    tangents3(c.n, &c.t1, &c.t2);
  } else {
    c.t1 = vec3(-c.n.y, c.n.x, 0);
    c.t2 = vec3(0, 0, 1);
  }
  project(&c, pa, c.a2);
  project(&c, pb, c.b2);
  if (c.dimension == 2) {
    add_ends_2d(&c, true);
    add_ends_2d(&c, false);
  } else if (pa->count == 2 && pb->count == 2) {
    add_lines(&c);
  } else {
    // patches turn counterclockwise about their own normals: A's faces the viewer, B's looks away
    find_lines((const double(*)[2])c.a2, pa->count, 1, c.same, c.lines_a);
    find_lines((const double(*)[2])c.b2, pb->count, -1, c.same, c.lines_b);
    add_vertices(&c);
    add_crossings(&c);
  }
  return c.count;
}

/* The nearest points as a contact. */
static AspContact witness_contact(const Convex *a, const Convex *b, const Nearest *nearest) {
  Nearest full = *nearest;
  if (full.bare)
    asp_witness_from_normal(a, b, &full);
  AspVec3 n = full.normal, point_a = axpy3(full.a, a->radius, n), point_b = axpy3(full.b, -b->radius, n);
  return (AspContact){.feature = FEATURE_WITNESS,
                      .point_a = point_a,
                      .point_b = point_b,
                      .normal = n,
                      .gap = dot3(sub3(point_b, point_a), n)};
}

int asp_manifold(const Convex *a, const Convex *b, const Nearest *nearest, double margin, AspContact *contacts) {
  double gap = nearest->gap - a->radius - b->radius, size = a->size + b->size, least = INFINITY;
  int count = 0;
  if (a->core != CORE_POINT && b->core != CORE_POINT) {
    AspVec3 n = nearest->normal;
    Patch pa, pb;
    asp_patch(a, n, &pa);
    asp_patch(b, neg3(n), &pb);
    AspContact found[COLLECT_MAX];
    ClipSetting setting = {a->dimension, n, a->radius, b->radius, margin, size, gap};
    count = asp_manifold_clip(&setting, &pa, &pb, found);
    for (int i = 0; i < count; i++)
      least = fmin(least, found[i].gap);
    count = asp_manifold_reduce(found, count, n, ASP_MANIFOLD_MAX - 1);
    for (int i = 0; i < count; i++)
      contacts[i] = found[i];
  }
  if (count == 0 || gap < least - DEEPER * size)
    contacts[count++] = witness_contact(a, b, nearest);
  return count;
}
