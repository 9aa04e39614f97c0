/* Manifold of a pair from its normal: the facing parts of both shapes are projected along the normal onto a plane; the
 * corners of the intersection of the two projections are the contact points, each with its own gap along the normal:
 *
 *   vertices of A's facing part inside B's, vertices of B's inside A's, crossings of their borders.
 *
 * The rule treats A and B alike, and its points move continuously with the poses as long as the facing parts stay the
 * same; where one changes, the points that appear or vanish have a positive gap. Points are reported up to the margin.
 * Two lines (capsules, curved sides) are treated as round bars: the nearest points, and where an end of one lies beside
 * the other the contact of that end, from the distance of the centre lines; parallel bars so touch along their common
 * stretch, and the ends of the stretch fade out through the margin when the bars cross.
 *
 * Two faces across the normal whose projections share nothing but a border are not over each other: the sides of the
 * shapes are in line, and they pass each other there (a box that falls beside a table without clearance). No contact.
 */
#include "collide/manifold.h"
#include "collide/tuning/collide.h"

#include <string.h>

/* A facing part seen along n: corners, height above each place (x, y) as h + zx (x - x0) + zy (y - y0) from the first
 * corner, and the lines through its border, nx x + ny y - c = distance inside x length of the edge. */
typedef struct View {
  const Facing *facing;
  int count, edges; /* a line has one edge */
  double h, zx, zy;
  double at[MANIFOLD_FACING_MAX][2];
  double line[MANIFOLD_FACING_MAX][3];
  double square[MANIFOLD_FACING_MAX];                      /* of the edge's length */
  double inside[MANIFOLD_FACING_MAX][MANIFOLD_FACING_MAX]; /* corner, line of the other */
} View;

static inline double height_at(const View *v, double x, double y) {
  return v->h + v->zx * (x - v->at[0][0]) + v->zy * (y - v->at[0][1]);
}

typedef struct Clip {
  AspVec3 n, t1, t2;
  double margin, same, gap;
  int dimension, count;
  AspContact *found;  /* COLLECT_MAX */
  double (*place)[2]; /* COLLECT_MAX */
} Clip;

static void add_point(Clip *c, const View *a, const View *b, double x, double y, uint32_t feature) {
  if (c->count == COLLECT_MAX)
    return;
  for (int i = 0; i < c->count; i++)
    if (fabs(c->place[i][0] - x) <= c->same && fabs(c->place[i][1] - y) <= c->same)
      return;
  double za = height_at(a, x, y), gap = height_at(b, x, y) - za;
  if (!(gap <= c->margin))
    return;
  c->place[c->count][0] = x;
  c->place[c->count][1] = y;
  // number by number into its place: a contact made elsewhere and copied waits for its own stores
  AspContact *contact = &c->found[c->count++];
  AspVec3 n = c->n, *a_at = &contact->point_a, *b_at = &contact->point_b;
  a_at->x = x * c->t1.x + y * c->t2.x + za * n.x;
  a_at->y = x * c->t1.y + y * c->t2.y + za * n.y;
  a_at->z = x * c->t1.z + y * c->t2.z + za * n.z;
  b_at->x = a_at->x + gap * n.x;
  b_at->y = a_at->y + gap * n.y;
  b_at->z = a_at->z + gap * n.z;
  contact->normal = n;
  contact->gap = gap;
  contact->feature = feature;
  contact->collider_a = 0;
  contact->collider_b = 1;
}

/* `lift`: ball radius, towards the other shape. */
static void look_along(const Clip *c, const Facing *facing, double lift, View *v) {
  v->facing = facing;
  v->count = facing->count;
  v->edges = facing->count == 2 ? 1 : facing->count;
  for (int i = 0; i < facing->count; i++) {
    v->at[i][0] = dot3(c->t1, facing->p[i]);
    v->at[i][1] = c->dimension == 3 ? dot3(c->t2, facing->p[i]) : 0;
  }
  double h0 = dot3(c->n, facing->p[0]);
  v->h = h0 + lift;
  v->zx = v->zy = 0;
  if (facing->count >= 3) {
    double tilt = 1 / dot3(facing->normal, c->n);
    v->zx = -dot3(facing->normal, c->t1) * tilt;
    v->zy = -dot3(facing->normal, c->t2) * tilt;
  } else if (facing->count == 2) {
    double dx = v->at[1][0] - v->at[0][0], dy = v->at[1][1] - v->at[0][1], square = dx * dx + dy * dy;
    double slope = square > 0 ? (dot3(c->n, facing->p[1]) - h0) / square : 0;
    v->zx = slope * dx;
    v->zy = slope * dy;
  }
}

/* Lines through the border; `turn` is 1 when it is counterclockwise. Edges that the projection shrinks to nothing never
 * exclude a point. */
static void find_lines(View *v, double turn, double shortest) {
  for (int i = 0; i < v->count; i++) {
    const double *p = v->at[i], *q = v->at[i + 1 < v->count ? i + 1 : 0];
    double dx = q[0] - p[0], dy = q[1] - p[1], square = dx * dx + dy * dy;
    double sign = square > shortest * shortest ? turn : 0;
    v->square[i] = square;
    v->line[i][0] = -dy * sign;
    v->line[i][1] = dx * sign;
    v->line[i][2] = v->line[i][0] * p[0] + v->line[i][1] * p[1];
  }
}

/* How far the corners of v are inside the lines of w. */
static void measure(View *v, const View *w) {
  for (int i = 0; i < v->count; i++)
    for (int j = 0; j < w->edges; j++)
      v->inside[i][j] = w->line[j][0] * v->at[i][0] + w->line[j][1] * v->at[i][1] - w->line[j][2];
}

static bool is_inside(const View *v, int corner, const View *w, double slack) {
  for (int j = 0; j < w->count; j++) {
    double d = v->inside[corner][j];
    if (d < 0 && d * d > slack * slack * w->square[j])
      return false;
  }
  return true;
}

static void add_corners(Clip *c, const View *a, const View *b) {
  for (int i = 0; b->count >= 3 && i < a->count; i++)
    if (is_inside(a, i, b, c->same))
      add_point(c, a, b, a->at[i][0], a->at[i][1], FEATURE_VERTEX_A(a->facing->id[i]));
  for (int i = 0; a->count >= 3 && i < b->count; i++)
    if (is_inside(b, i, a, c->same))
      add_point(c, a, b, b->at[i][0], b->at[i][1], FEATURE_VERTEX_B(b->facing->id[i]));
}

/* Edge i of A crosses edge j of B when the ends of each lie on different sides of the other. */
static void add_crossings(Clip *c, const View *a, const View *b) {
  for (int i = 0; i < a->edges; i++) {
    int i1 = i + 1 < a->count ? i + 1 : 0;
    for (int j = 0; j < b->edges; j++) {
      int j1 = j + 1 < b->count ? j + 1 : 0;
      double from = a->inside[i][j], to = a->inside[i1][j];
      if ((from > 0) == (to > 0) || (b->inside[j][i] > 0) == (b->inside[j1][i] > 0))
        continue;
      double dx = a->at[i1][0] - a->at[i][0], dy = a->at[i1][1] - a->at[i][1], s = from / (from - to);
      if (!((from - to) * (from - to) > MANIFOLD_PARALLEL * a->square[i] * b->square[j]))
        continue; // parallel: the ends of the common stretch are corners
      add_point(c, a, b, a->at[i][0] + s * dx, a->at[i][1] + s * dy, FEATURE_CROSS(a->facing->id[i], b->facing->id[j]));
    }
  }
}

/* In 2D all points of the common stretch lie over each other: the ends of one line beside the other. */
static void add_ends_2d(Clip *c, const View *a, const View *b, bool of_a) {
  const View *ends = of_a ? a : b, *line = of_a ? b : a;
  double low = lesser(line->at[0][0], line->at[1][0]) - c->same,
         high = greater(line->at[0][0], line->at[1][0]) + c->same;
  for (int i = 0; i < 2; i++)
    if (ends->at[i][0] >= low && ends->at[i][0] <= high) {
      int id = ends->facing->id[i];
      add_point(c, a, b, ends->at[i][0], 0, of_a ? FEATURE_VERTEX_A(id) : FEATURE_VERTEX_B(id));
    }
}

/* A point of the round surface of a bar with the given centre line, in direction m: balls as they are, cylinders across
 * their axis. */
static AspVec3 bar_point(const Facing *facing, AspVec3 centre, AspVec3 m) {
  AspVec3 axis = unit3(sub3(facing->centre[1], facing->centre[0]));
  AspVec3 across = facing->ball ? m : unit3(axpy3(m, -dot3(m, axis), axis));
  return axpy3(centre, facing->radius, across);
}

/* Contact of the end of one bar with the side of the other, from their centre lines: an end of P beside
 * the line of Q. */
static void add_bar_end(Clip *c, const Facing *p, const Facing *q, int i, bool of_a) {
  AspVec3 n = of_a ? c->n : neg3(c->n); // from P to Q
  AspVec3 end = p->centre[i], start = q->centre[0], d = sub3(q->centre[1], start);
  double t = dot3(sub3(end, start), d) / dot3(d, d), slack = c->same / norm3(d);
  if (!(t >= -slack && t <= 1 + slack))
    return;
  AspVec3 beside = axpy3(start, t, d), D = sub3(beside, end);
  double distance = norm3(D);
  if (!(dot3(D, n) > MANIFOLD_ALONG * distance))
    return; // far to the side, or deeper than the bars are thick: the crossing is the better contact
  AspVec3 m = scale3(1 / distance, D);
  // a cylinder that leans away meets the other with its rim, and that is the nearest point
  AspVec3 axis = sub3(p->centre[1], p->centre[0]);
  if (!p->ball && fabs(dot3(m, axis)) > MANIFOLD_ACROSS * norm3(axis))
    return;
  AspVec3 on_p = bar_point(p, end, m), on_q = bar_point(q, beside, neg3(m));
  AspContact contact = {.point_a = of_a ? on_p : on_q,
                        .point_b = of_a ? on_q : on_p,
                        .normal = of_a ? m : neg3(m),
                        .feature = of_a ? FEATURE_VERTEX_A(p->id[i]) : FEATURE_VERTEX_B(p->id[i])};
  contact.gap = dot3(sub3(contact.point_b, contact.point_a), contact.normal);
  // nearer than the shapes are: the nearest points are not on the two sides, so the centre lines tell nothing
  if (!(contact.gap <= c->margin) || contact.gap < c->gap - MANIFOLD_TOO_DEEP * c->same || c->count == COLLECT_MAX)
    return;
  for (int k = 0; k < c->count; k++)
    if (norm3(sub3(c->found[k].point_a, contact.point_a)) <= c->same)
      return;
  c->found[c->count++] = contact;
}

/* Two lines in 3D: the ends of the common stretch when both are bars of even thickness; the crossing is the
 * witness. */
static void add_lines(Clip *c, const Facing *a, const Facing *b) {
  for (int i = 0; a->radius > 0 && b->radius > 0 && i < 2; i++) {
    add_bar_end(c, a, b, i, true);
    add_bar_end(c, b, a, i, false);
  }
}

/* A bar along an edge of the other, which may be no thicker than a line: the ends of the common stretch. */
static bool add_along_edge(Clip *c, const ClipSetting *setting, const Facing *a, const Facing *b) {
  bool of_a = a->count == 2;
  const Facing *bar = of_a ? a : b, *face = of_a ? b : a;
  Facing edge;
  if (bar->count != 2 || !(bar->radius > 0) ||
      !asp_face_edge(face, of_a ? neg3(c->n) : c->n, of_a ? setting->lift_b : setting->lift_a, &edge))
    return false;
  AspVec3 axis = unit3(sub3(bar->centre[1], bar->centre[0])), along = unit3(sub3(edge.p[1], edge.p[0]));
  if (norm3(cross3(axis, along)) > MANIFOLD_BESIDE)
    return false;
  c->gap -= MANIFOLD_DEEPER * setting->size; // of an overlap no more is known
  for (int i = 0; i < 2; i++) {
    add_bar_end(c, bar, &edge, i, of_a);
    add_bar_end(c, &edge, bar, i, !of_a);
  }
  return c->count > 0;
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

static bool lies_across(const View *v, int least) {
  return v->count >= least && fabs(v->zx) <= MANIFOLD_IN_LINE && fabs(v->zy) <= MANIFOLD_IN_LINE;
}

/* In the plane: is what two faces have in common less than a point is wide, and each of them wider? */
static bool touch_by_ends(const Clip *c, const View *a, const View *b) {
  double low[2], high[2];
  const View *view[2] = {a, b};
  for (int i = 0; i < 2; i++) {
    low[i] = lesser(view[i]->at[0][0], view[i]->at[1][0]);
    high[i] = greater(view[i]->at[0][0], view[i]->at[1][0]);
    if (!(high[i] - low[i] > 2 * c->same))
      return false;
  }
  return fabs(lesser(high[0], high[1]) - greater(low[0], low[1])) <= c->same;
}

static double square_between(const Clip *c, int i, int j) {
  double x = c->place[j][0] - c->place[i][0], y = c->place[j][1] - c->place[i][1];
  return x * x + y * y;
}

/* In space: do all corners of what they have in common lie on one line? */
static bool touch_by_border(const Clip *c) {
  int end = 0;
  for (int i = 1; i < c->count; i++)
    end = square_between(c, 0, i) > square_between(c, 0, end) ? i : end;
  double square = c->count > 0 ? square_between(c, 0, end) : 0;
  for (int i = 1; i < c->count; i++) {
    double across = (c->place[end][0] - c->place[0][0]) * (c->place[i][1] - c->place[0][1]) -
                    (c->place[end][1] - c->place[0][1]) * (c->place[i][0] - c->place[0][0]);
    if (across * across > 4 * c->same * c->same * square)
      return false;
  }
  return c->count > 0;
}

/* Those within the margin; returns how many. */
static int keep_near(Clip *c, double margin) {
  int count = 0;
  for (int i = 0; i < c->count; i++)
    if (c->found[i].gap <= margin)
      c->found[count++] = c->found[i];
  return count;
}

int asp_manifold_clip(const ClipSetting *setting, const Facing *pa, const Facing *pb, AspContact found[COLLECT_MAX]) {
  if (pa->count < 2 || pb->count < 2)
    return 0; // a point has no extent: the nearest points are all there is
  double place[COLLECT_MAX][2];
  Clip c = {.n = setting->n,
            .margin = setting->margin,
            .gap = setting->gap,
            .same = MANIFOLD_SAME_PLACE * setting->size,
            .dimension = setting->dimension,
            .found = found,
            .place = place};
  if (c.dimension == 3) {
    tangents3(c.n, &c.t1, &c.t2);
  } else {
    c.t1 = vec3(-c.n.y, c.n.x, 0);
    c.t2 = vec3(0, 0, 1);
  }
  if (c.dimension == 3 && pa->count == 2 && pb->count == 2) {
    add_lines(&c, pa, pb);
    return c.count;
  }
  if (c.dimension == 3 && add_along_edge(&c, setting, pa, pb))
    return c.count;
  View a, b;
  look_along(&c, pa, setting->lift_a, &a);
  look_along(&c, pb, -setting->lift_b, &b);
  if (c.dimension == 2) {
    add_ends_2d(&c, &a, &b, true);
    add_ends_2d(&c, &a, &b, false);
    return lies_across(&a, 2) && lies_across(&b, 2) && touch_by_ends(&c, &a, &b) ? MANIFOLD_BESIDE_EACH_OTHER : c.count;
  }
  // facing parts turn counterclockwise about their own normals: A's faces the viewer, B's looks away
  find_lines(&a, 1, c.same);
  find_lines(&b, -1, c.same);
  measure(&a, &b);
  measure(&b, &a);
  bool across = lies_across(&a, 3) && lies_across(&b, 3);
  if (across) // what they have in common does not depend on how near its corners are
    c.margin = INFINITY;
  add_corners(&c, &a, &b);
  add_crossings(&c, &a, &b);
  if (across && touch_by_border(&c))
    return MANIFOLD_BESIDE_EACH_OTHER;
  return across ? keep_near(&c, setting->margin) : c.count;
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

int asp_manifold_spread(const Convex *a, const Convex *b, const Nearest *nearest, double margin, AspContact *contacts,
                        double *least) {
  *least = INFINITY;
  if (convex_is_smooth(a) || convex_is_smooth(b))
    return 0;
  AspVec3 n = nearest->normal;
  Facing pa, pb;
  asp_facing(a, n, &pa);
  asp_facing(b, neg3(n), &pb);
  AspContact found[COLLECT_MAX];
  ClipSetting setting = {.dimension = a->dimension,
                         .n = n,
                         .lift_a = a->radius,
                         .lift_b = b->radius,
                         .margin = margin,
                         .size = a->size + b->size,
                         .gap = nearest->gap - a->radius - b->radius};
  int count = asp_manifold_clip(&setting, &pa, &pb, found);
  for (int i = 0; i < count; i++)
    *least = lesser(*least, found[i].gap);
  if (count < 0)
    return count;
  count = asp_manifold_reduce(found, count, n, ASP_MANIFOLD_MAX - 1);
  memcpy(contacts, found, (size_t)count * sizeof *found);
  return count;
}

int asp_manifold(const Convex *a, const Convex *b, const Nearest *nearest, double margin, AspContact *contacts) {
  double least, gap = nearest->gap - a->radius - b->radius;
  int count = asp_manifold_spread(a, b, nearest, margin, contacts, &least);
  if (count == MANIFOLD_BESIDE_EACH_OTHER)
    return 0;
  if (count == 0 || gap < least - MANIFOLD_DEEPER * (a->size + b->size))
    contacts[count++] = witness_contact(a, b, nearest);
  return count;
}

int asp_manifold_foot(const Convex *a, const Convex *b, AspVec3 n, AspContact *contacts) {
  bool of_a = convex_is_smooth(a);
  int vertex;
  const Convex *ball = of_a ? a : b, *other = of_a ? b : a;
  AspVec3 down = of_a ? n : neg3(n); // from the ball to the other
  Facing face;
  asp_facing(other, neg3(down), &face);
  if (face.count < a->dimension || other->radius > 0)
    return 0;
  AspVec3 point = axpy3(asp_convex_support(ball, down, &vertex), ball->radius, down);
  double gap = dot3(face.normal, sub3(face.p[0], point)) / dot3(face.normal, down);
  AspVec3 foot = axpy3(point, gap, down);
  if (!asp_is_over_face(&face, a->dimension, foot, MANIFOLD_SAME_PLACE * (a->size + b->size)))
    return 0;
  contacts[0] = (AspContact){.feature = FEATURE_WITNESS,
                             .point_a = of_a ? point : foot,
                             .point_b = of_a ? foot : point,
                             .normal = n,
                             .gap = gap};
  return 1;
}
