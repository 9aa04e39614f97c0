/* Overlapping shapes with curved cores: the smallest separating translation by an expanding polytope.
 *
 * K = A - B contains the origin. A polyhedron P inside K grows by support points of K along the normal of its face
 * nearest to the origin: that face's offset is a lower bound of the depth, the smallest support value seen an upper
 * bound. The start need not contain the origin: offsets are signed and the least one is always expanded. Between the
 * expansions the best direction is improved by projecting onto K from outside, which is exact for flat parts and
 * converges for curved ones, so that the upper bound is good long before the bounds meet.
 * Source: van den Bergen, Proximity queries and penetration depth computation on 3D game objects, 2001.
 */
#include "collide/convex.h"
#include "collide/tuning/collide.h"
#include "shape/polyhedron.h"

#define FACES_MOST (2 * EPA_POINTS_MOST)

typedef struct Expansion {
  const Convex *a, *b;
  double size;
  AspVec3 points[EPA_POINTS_MOST];
  int point_count;
  double depth; /* upper bound */
  AspVec3 normal;
} Expansion;

/* Support value h(n) of K along n, kept when it is the least so far. */
static double probe(Expansion *x, AspVec3 n, AspVec3 *w) {
  int vertex;
  *w = sub3(asp_convex_support(x->a, n, &vertex), asp_convex_support(x->b, neg3(n), &vertex));
  double h = dot3(n, *w);
  if (h < x->depth) {
    x->depth = h;
    x->normal = n;
  }
  return h;
}

/* A tetrahedron of support points of K; K is full-dimensional because one of the shapes is curved. */
static bool start(Expansion *x, Polyhedron *p) {
  AspVec3 axis = convex_axis(convex_is_curved(x->a) ? x->a : x->b), t1, t2, *q = x->points;
  tangents3(axis, &t1, &t2);
  probe(x, axis, &q[0]);
  probe(x, neg3(axis), &q[1]);
  AspVec3 line = unit3(sub3(q[1], q[0]));
  tangents3(line, &t1, &t2);
  AspVec3 across[4] = {t1, neg3(t1), t2, neg3(t2)}, w;
  double most = 0;
  for (int i = 0; i < 4; i++) {
    probe(x, across[i], &w);
    double distance = norm3(cross3(sub3(w, q[0]), line));
    if (distance > most) {
      most = distance;
      q[2] = w;
    }
  }
  AspVec3 n = unit3(cross3(line, sub3(q[2], q[0])));
  double above = 0;
  for (int side = 0; side < 2; side++) {
    probe(x, side ? neg3(n) : n, &w);
    double distance = fabs(dot3(sub3(w, q[0]), n));
    if (distance > above) {
      above = distance;
      q[3] = w;
    }
  }
  x->point_count = 4;
  return above > EPA_FLAT * x->size && asp_polyhedron_start(p, (int[4]){0, 1, 2, 3});
}

static int nearest_face(const Polyhedron *p) {
  int best = -1;
  for (int f = 0; f < p->face_count; f++)
    if (p->faces[f].alive && (best < 0 || p->faces[f].offset < p->faces[best].offset))
      best = f;
  return best;
}

static void expand(Expansion *x, Polyhedron *p) {
  double polished = INFINITY;
  while (x->point_count < EPA_POINTS_MOST) {
    int face = nearest_face(p);
    PolyFace *f = &p->faces[face];
    AspVec3 *w = &x->points[x->point_count];
    double h = probe(x, f->n, w);
    if (x->depth < polished - EPA_ACCURACY * x->size && h <= x->depth + EPA_POLISH_FROM * x->size) {
      x->depth = polished = -asp_climb(x->a, x->b, -x->depth, 3, EPA_POLISH_END, &x->normal);
    }
    if (x->depth - f->offset <= EPA_ACCURACY * x->size)
      return;
    x->point_count++;
    if (!(asp_poly_height(f, *w) > p->tolerance) || !asp_polyhedron_add(p, face, x->point_count - 1))
      f->offset = INFINITY; // as far out as rounding lets this face go: it has had its say
  }
}

void asp_epa(const Convex *a, const Convex *b, Nearest *nearest) {
  Expansion x = {.a = a, .b = b, .size = a->size + b->size, .depth = INFINITY};
  PolyFace faces[FACES_MOST];
  int spoke[EPA_POINTS_MOST], list[2 * FACES_MOST], free_slots[FACES_MOST];
  Polyhedron p = {.points = x.points,
                  .faces = faces,
                  .spoke = spoke,
                  .list = list,
                  .free_slots = free_slots,
                  .face_capacity = FACES_MOST,
                  .tolerance = EPA_ROUNDING * x.size};
  for (int i = 0; i < EPA_POINTS_MOST; i++)
    spoke[i] = -1;
  if (start(&x, &p))
    expand(&x, &p);
  nearest->gap = asp_climb(a, b, -x.depth, EPA_CLIMB_STEPS, EPA_CLIMB_END, &x.normal);
  nearest->normal = x.normal;
  nearest->bare = true;
}
