/* Distance of two convex cores by the Gilbert-Johnson-Keerthi iteration: the point of least norm of K = A - B, found on
 * a growing and shrinking simplex of support points.
 *
 *   v         point of least norm of the simplex; |v| is an upper bound of the distance
 *   w         support point of K along -v
 *   v.w/|v|   lower bound of the distance
 *
 * Ends when the bounds agree within rounding, or when a support point comes back. On curved shapes the simplex shrinks
 * until the direction of v is noise while |v| is still accurate, so the normal is the direction of the best lower
 * bound, not the last one.
 *
 * The sub-problem (least-norm point of a simplex) is solved by trying every face of the simplex that contains the
 * newest point, with barycentric coordinates from signed volumes in the plane of projection of largest area. Every
 * candidate is a convex combination, so even in degenerate cases v is a true difference of points of A and B.
 * Sources: Gilbert, Johnson, Keerthi 1988; Montanari, Petrinic, Barbieri 2017 (signed volumes).
 */
#include "collide/convex.h"
#include "collide/tuning/collide.h"

typedef struct Simplex {
  int count;
  AspVec3 a[4], b[4], w[4]; /* w = a - b */
  double weight[4];
} Simplex;

/* Best face so far of one sub-problem. */
typedef struct Best {
  double square;
  int count, index[4];
  double weight[4];
} Best;

static void offer(const Simplex *s, int count, const int *index, const double *weight, Best *best) {
  AspVec3 v = vec3(0, 0, 0);
  for (int i = 0; i < count; i++)
    v = axpy3(v, weight[i], s->w[index[i]]);
  double square = dot3(v, v);
  if (square < best->square) {
    best->square = square;
    best->count = count;
    for (int i = 0; i < count; i++) {
      best->index[i] = index[i];
      best->weight[i] = weight[i];
    }
  }
}

static void try_segment(const Simplex *s, int i, int j, Best *best) {
  AspVec3 d = sub3(s->w[j], s->w[i]);
  double length = dot3(d, d), along = -dot3(s->w[i], d);
  if (!(along > 0 && along < length))
    return;
  double t = along / length;
  offer(s, 2, (int[2]){i, j}, (double[2]){1 - t, t}, best);
}

static double area2(AspVec3 a, AspVec3 b, AspVec3 c, int k) {
  int i = (k + 1) % 3, j = (k + 2) % 3;
  return (get3(b, i) - get3(a, i)) * (get3(c, j) - get3(a, j)) - (get3(c, i) - get3(a, i)) * (get3(b, j) - get3(a, j));
}

static void try_triangle(const Simplex *s, int i, int j, int k, Best *best) {
  AspVec3 a = s->w[i], b = s->w[j], c = s->w[k], n = cross3(sub3(b, a), sub3(c, a));
  double square = dot3(n, n);
  if (!(square > 0))
    return;
  AspVec3 p = scale3(dot3(n, a) / square, n); // projection of the origin onto the plane
  int axis = fabs(n.x) >= fabs(n.y) && fabs(n.x) >= fabs(n.z) ? 0 : fabs(n.y) >= fabs(n.z) ? 1 : 2;
  double total = get3(n, axis);
  double weight[3] = {area2(p, b, c, axis) / total, area2(a, p, c, axis) / total, 0};
  weight[2] = 1 - weight[0] - weight[1];
  if (weight[0] > 0 && weight[1] > 0 && weight[2] > 0)
    offer(s, 3, (int[3]){i, j, k}, weight, best);
}

/* True when the origin lies inside the tetrahedron. */
static bool inside_tetrahedron(const Simplex *s) {
  AspVec3 a = s->w[0], b = s->w[1], c = s->w[2], d = s->w[3];
  double v0 = dot3(b, cross3(c, d)), v1 = -dot3(a, cross3(c, d)), v2 = dot3(a, cross3(b, d)),
         v3 = -dot3(a, cross3(b, c));
  return (v0 > 0 && v1 > 0 && v2 > 0 && v3 > 0) || (v0 < 0 && v1 < 0 && v2 < 0 && v3 < 0);
}

/* Reduce the simplex to the face that carries its least-norm point; false when the origin is inside. */
static bool solve_simplex(Simplex *s) {
  int last = s->count - 1;
  Best best = {.square = INFINITY};
  offer(s, 1, (int[1]){last}, (double[1]){1}, &best);
  for (int i = 0; i < last; i++)
    try_segment(s, i, last, &best);
  for (int i = 0; i < last; i++)
    for (int j = i + 1; j < last; j++)
      try_triangle(s, i, j, last, &best);
  if (last == 3 && inside_tetrahedron(s))
    return false;
  Simplex reduced = {.count = best.count};
  for (int i = 0; i < best.count; i++) {
    int k = best.index[i];
    reduced.a[i] = s->a[k];
    reduced.b[i] = s->b[k];
    reduced.w[i] = s->w[k];
    reduced.weight[i] = best.weight[i];
  }
  *s = reduced;
  return true;
}

static AspVec3 combine(const Simplex *s, const AspVec3 *points) {
  AspVec3 v = vec3(0, 0, 0);
  for (int i = 0; i < s->count; i++)
    v = axpy3(v, s->weight[i], points[i]);
  return v;
}

static bool contains(const Simplex *s, AspVec3 w) {
  for (int i = 0; i < s->count; i++)
    if (w.x == s->w[i].x && w.y == s->w[i].y && w.z == s->w[i].z)
      return true;
  return false;
}

/* The support point of K along -v, put into the simplex; false when it is there already. */
static bool add_support(Simplex *s, const Convex *a, const Convex *b, AspVec3 v, double *along) {
  int vertex, k = s->count;
  AspVec3 pa = asp_convex_support(a, neg3(v), &vertex), pb = asp_convex_support(b, v, &vertex), w = sub3(pa, pb);
  *along = dot3(v, w);
  if (contains(s, w))
    return false;
  s->a[k] = pa;
  s->b[k] = pb;
  s->w[k] = w;
  s->count++;
  return true;
}

static bool finish(const Simplex *s, AspVec3 best, double touching, Nearest *nearest) {
  nearest->a = combine(s, s->a);
  nearest->b = combine(s, s->b);
  nearest->normal = best;
  nearest->bare = false;
  nearest->gap = norm3(combine(s, s->w));
  return nearest->gap > touching;
}

/* Ends when the bounds are within `accuracy` of distance and size. */
static bool iterate(const Convex *a, const Convex *b, AspVec3 guess, double limit, double accuracy, Nearest *nearest,
                    bool *far) {
  double size = a->size + b->size, touching = GJK_TOUCHING * size, best_lower = -INFINITY;
  Simplex s = {0}, better;
  AspVec3 v = neg3(guess), best = vec3(0, 0, 0);
  if (!(dot3(v, v) > 0))
    v = sub3(a->x, b->x);
  if (!(dot3(v, v) > 0))
    v = vec3(1, 0, 0);
  double along;
  add_support(&s, a, b, v, &along);
  s.weight[0] = 1;
  v = s.w[0];
  *far = false;
  int stalls = 0;
  for (int iteration = 0; iteration < GJK_ITERATIONS_MOST; iteration++) {
    double length = norm3(v);
    if (length <= touching)
      return false;
    better = s;
    bool fresh = add_support(&better, a, b, v, &along);
    double lower = along / length;
    if (lower > best_lower) {
      best_lower = lower;
      best = scale3(-1 / length, v);
    }
    if (best_lower > limit) {
      *far = true;
      return false;
    }
    if (!fresh || length - best_lower <= accuracy * (length + size))
      break;
    if (!solve_simplex(&better))
      return false;
    AspVec3 next = combine(&better, better.w);
    // |v| no longer falls beyond rounding, but its direction, which matters to first order, may still improve
    if (!(dot3(next, next) < dot3(v, v)) && ++stalls > GJK_STALLS_MOST)
      break;
    s = better;
    v = next;
  }
  return finish(&s, best, touching, nearest);
}

bool asp_gjk(const Convex *a, const Convex *b, AspVec3 guess, double limit, Nearest *nearest, bool *far) {
  return iterate(a, b, guess, limit, GJK_GAP, nearest, far);
}

double asp_climb(const Convex *a, const Convex *b, double separation, int most, double accuracy, AspVec3 *n) {
  double size = a->size + b->size;
  for (int k = 0; k < most; k++) {
    double clear = fmax(GJK_CLEAR_OF_GAP * fabs(separation), GJK_CLEAR_OF_SIZE * size);
    Convex moved = *b;
    moved.x = axpy3(b->x, clear - separation, *n);
    Nearest apart;
    bool far;
    if (!iterate(a, &moved, *n, INFINITY, accuracy, &apart, &far))
      break;
    double next = asp_convex_separation(a, b, apart.normal);
    if (!(next > separation))
      break;
    bool converged = next - separation <= GJK_CLIMBED * size;
    separation = next;
    *n = apart.normal;
    if (converged)
      break;
  }
  return separation;
}
