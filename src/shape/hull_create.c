/* Hulls: memory, the planar case, volume integrals, meshes.
 *
 * Volume integrals of a polyhedron as a sum over tetrahedra (o, a, b, c), o a point inside, all relative to o:
 *
 *   V = det/6,    centre (a + b + c)/4,    int x x^T = det/120 (sum_i x_i x_i^T + s s^T),    s = a + b + c
 *
 * and of a polygon as a sum over triangles (o, a, b):
 *
 *   A = det/2,    int |x|^2 = det/12 (|a|^2 + a.b + |b|^2)
 */
#include "shape/hull.h"
#include "shape/tuning/shape.h"

#include <stdlib.h>

AspError asp_hull_allocate(AspContext *context, int dimension, int vertices, int faces, int corners, int edges,
                           HullParts *parts) {
  size_t vectors = (size_t)vertices + (size_t)faces, numbers = (size_t)faces + 1 + (size_t)corners + 4 * (size_t)edges;
  AspHull *hull = asp_allocate(context, 1, sizeof *hull + vectors * sizeof(AspVec3) + numbers * sizeof(int));
  if (!hull)
    return ASP_ERROR_MEMORY;
  *parts = (HullParts){.hull = hull};
  parts->vertices = (AspVec3 *)(hull + 1);
  parts->normals = parts->vertices + vertices;
  parts->face_start = (int *)(parts->normals + faces);
  parts->face_vertex = parts->face_start + faces + 1;
  parts->edges = parts->face_vertex + corners;
  *hull = (AspHull){.dimension = dimension,
                    .vertex_count = vertices,
                    .face_count = faces,
                    .edge_count = edges,
                    .vertices = parts->vertices,
                    .normals = parts->normals,
                    .face_start = parts->face_start,
                    .face_vertex = parts->face_vertex,
                    .edges = parts->edges};
  return ASP_OK;
}

void asp_hull_destroy(AspContext *context, AspHull *hull) { asp_release(context, hull); }

static double turn(AspVec3 o, AspVec3 a, AspVec3 b) { return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x); }

static int left_to_right(const void *left, const void *right) {
  const AspVec3 *a = left, *b = right;
  if (a->x != b->x)
    return a->x < b->x ? -1 : 1;
  return (a->y > b->y) - (a->y < b->y);
}

/* Monotone chain: lower, then upper border, counterclockwise from the leftmost point. */
static int chain(const AspVec3 *points, int count, AspVec3 *out) {
  int length = 0;
  for (int side = 0; side < 2; side++) {
    int base = length;
    for (int k = 0; k < count; k++) {
      AspVec3 p = points[side == 0 ? k : count - 1 - k];
      while (length >= base + 2 && turn(out[length - 2], out[length - 1], p) <= 0)
        length--;
      out[length++] = p;
    }
    length--; // the last point of a side is the first of the other
  }
  return length;
}

/* Leave out corners less than 1e-12 of the extent outside the chord of their neighbours. */
static int straighten(AspVec3 *border, int count, double extent) {
  for (int i = 0; i < count && count > 2;) {
    AspVec3 before = border[(i + count - 1) % count], after = border[(i + 1) % count];
    double height = turn(before, border[i], after) / norm3(sub3(after, before));
    if (height > HULL_CREATE_FLAT * extent) {
      i++;
      continue;
    }
    for (int k = i; k + 1 < count; k++)
      border[k] = border[k + 1];
    count--;
    i = i > 0 ? i - 1 : 0;
  }
  return count;
}

static AspError build_2d(AspContext *context, const AspVec3 *points, int count, AspVec3 middle, double extent,
                         AspHull **hull) {
  AspError error = ASP_ERROR_MEMORY;
  AspVec3 *sorted = asp_allocate(context, (size_t)count, sizeof *sorted);
  AspVec3 *border = asp_allocate(context, 2 * (size_t)count + 2, sizeof *border);
  if (!sorted || !border)
    goto done;
  for (int i = 0; i < count; i++)
    sorted[i] = vec3(points[i].x - middle.x, points[i].y - middle.y, 0);
  qsort(sorted, (size_t)count, sizeof *sorted, left_to_right);
  int n = straighten(border, chain(sorted, count, border), extent);
  double area = 0;
  for (int i = 2; i < n; i++)
    area += turn(border[0], border[i - 1], border[i]);
  if (n < 3 || !(area > HULL_CREATE_AREA_LEAST * extent * extent)) {
    error = asp_fail(context, ASP_ERROR_INPUT, "points: %d points of extent %g m span no area", count, extent);
    goto done;
  }
  if (n > ASP_HULL_VERTICES_MAX) {
    error = asp_fail(context, ASP_ERROR_INPUT, "points: the hull has %d vertices, at most %d are allowed", n,
                     ASP_HULL_VERTICES_MAX);
    goto done;
  }
  HullParts parts;
  ASP_CHECK(asp_hull_allocate(context, 2, n, n, 2 * n, 0, &parts));
  for (int i = 0; i < n; i++) {
    AspVec3 d = sub3(border[(i + 1) % n], border[i]);
    parts.vertices[i] = add3(border[i], middle);
    parts.normals[i] = unit3(vec3(d.y, -d.x, 0));
    parts.face_start[i + 1] = 2 * (i + 1);
    parts.face_vertex[2 * i] = i;
    parts.face_vertex[2 * i + 1] = (i + 1) % n;
  }
  *hull = parts.hull;
done:
  asp_release(context, sorted);
  asp_release(context, border);
  return error;
}

typedef struct Moments {
  double volume;       /* or area */
  AspVec3 first;       /* int x */
  double second[3][3]; /* int x x^T */
} Moments;

static void add_tetrahedron(Moments *m, AspVec3 a, AspVec3 b, AspVec3 c) {
  double det = dot3(a, cross3(b, c));
  AspVec3 s = add3(a, add3(b, c));
  m->volume += det / 6;
  // exact: centre of a tetrahedron
  m->first = axpy3(m->first, det / 24, s);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      m->second[i][j] +=
          // exact: inertia of a tetrahedron
          det / 120 *
          (get3(a, i) * get3(a, j) + get3(b, i) * get3(b, j) + get3(c, i) * get3(c, j) + get3(s, i) * get3(s, j));
}

static void add_triangle(Moments *m, AspVec3 a, AspVec3 b) {
  double det = a.x * b.y - a.y * b.x;
  m->volume += det / 2;
  m->first = axpy3(m->first, det / 6, add3(a, b));
  m->second[0][0] += det / 12 * (a.x * a.x + a.x * b.x + b.x * b.x);
  m->second[1][1] += det / 12 * (a.y * a.y + a.y * b.y + b.y * b.y);
}

static void set_mass(AspHull *hull, AspVec3 middle) {
  Moments m = {0};
  for (int f = 0; f < hull->face_count; f++) {
    const int *v = hull->face_vertex + hull->face_start[f];
    int corners = hull->face_start[f + 1] - hull->face_start[f];
    AspVec3 a = sub3(hull->vertices[v[0]], middle);
    for (int k = 1; k + 1 < corners; k++)
      add_tetrahedron(&m, a, sub3(hull->vertices[v[k]], middle), sub3(hull->vertices[v[k + 1]], middle));
    if (hull->dimension == 2)
      add_triangle(&m, a, sub3(hull->vertices[v[1]], middle));
  }
  AspVec3 c = scale3(1 / m.volume, m.first);
  double S[3][3], trace = 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      S[i][j] = m.second[i][j] - m.volume * get3(c, i) * get3(c, j);
    trace += S[i][i];
  }
  AspMassProperties p = {.mass = m.volume, .centre = add3(c, middle)};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      p.inertia.m[3 * i + j] = (i == j ? trace : 0) - S[i][j];
  if (hull->dimension == 2)
    p.inertia = mat3_diagonal(0, 0, trace);
  hull->unit = p;
}

/* Reach and smallest width. */
static void set_extent(AspHull *hull) {
  for (int i = 0; i < hull->vertex_count; i++)
    hull->radius = fmax(hull->radius, norm3(hull->vertices[i]));
  int stride = (int)((long long)hull->face_count * hull->vertex_count / HULL_CREATE_WIDTH_WORK) + 1;
  hull->thickness = INFINITY;
  for (int f = 0; f < hull->face_count; f += stride) {
    AspVec3 n = hull->normals[f], on = hull->vertices[hull->face_vertex[hull->face_start[f]]];
    double width = 0;
    for (int i = 0; i < hull->vertex_count; i++)
      width = fmax(width, dot3(n, sub3(on, hull->vertices[i])));
    hull->thickness = fmin(hull->thickness, width);
  }
}

AspError asp_hull_create(AspContext *context, int dimension, const AspVec3 *points, int count, AspHull **hull) {
  *hull = NULL;
  if (dimension != 2 && dimension != 3)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "dimension: %d is not 2 or 3", dimension);
  if (count < dimension + 1 || count > HULL_CREATE_POINTS_MOST)
    return asp_fail(context, ASP_ERROR_INPUT, "points: %d given, expected %d to 10000000", count, dimension + 1);
  AspVec3 low = points[0], high = points[0];
  for (int i = 0; i < count; i++) {
    AspVec3 p = points[i];
    if (!(fabs(p.x) <= HULL_CREATE_COORDINATE_MOST && fabs(p.y) <= HULL_CREATE_COORDINATE_MOST &&
          fabs(p.z) <= HULL_CREATE_COORDINATE_MOST))
      return asp_fail(context, ASP_ERROR_INPUT, "points[%d]: (%g, %g, %g) is not within +-1e30 m", i, p.x, p.y, p.z);
    low = vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
    high = vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
  }
  if (dimension == 2)
    low.z = high.z = 0;
  AspVec3 middle = axpy3(low, 0.5, sub3(high, low));
  double extent = norm3(sub3(high, low));
  if (!(extent >= HULL_CREATE_EXTENT_LEAST))
    return asp_fail(context, ASP_ERROR_INPUT, "points: %d points within %g m of each other span nothing", count,
                    extent);
  ASP_TRY(dimension == 3 ? asp_hull_build_3d(context, points, count, middle, hull)
                         : build_2d(context, points, count, middle, extent, hull));
  if (!*hull)
    return asp_fail(context, ASP_ERROR_INTERNAL, "points: no hull was made of %d points", count);
  set_mass(*hull, middle);
  set_extent(*hull);
  return ASP_OK;
}

static AspError check_triangles(AspContext *context, int points, const int (*triangles)[3], int count) {
  for (int t = 0; t < count; t++)
    for (int i = 0; i < 3; i++)
      if (triangles[t][i] < 0 || triangles[t][i] >= points)
        return asp_fail(context, ASP_ERROR_INPUT, "triangles[%d][%d]: %d is not a point in [0, %d)", t, i,
                        triangles[t][i], points);
  return ASP_OK;
}

AspError asp_hull_from_mesh(AspContext *context, const AspVec3 *points, int point_count, const int (*triangles)[3],
                            int triangle_count, AspHull **hull, double *filled) {
  *hull = NULL;
  ASP_TRY(check_triangles(context, point_count, triangles, triangle_count));
  AspError error = asp_hull_create(context, 3, points, point_count, hull);
  if (error != ASP_OK || !*hull)
    return error;
  AspVec3 o = (*hull)->unit.centre;
  Moments m = {0};
  for (int t = 0; t < triangle_count; t++) {
    AspVec3 corner[3];
    for (int i = 0; i < 3; i++)
      corner[i] = sub3(points[triangles[t][i]], o);
    add_tetrahedron(&m, corner[0], corner[1], corner[2]);
  }
  *filled = fabs(m.volume) / (*hull)->unit.mass;
  return ASP_OK;
}

AspError asp_hull_from_triangles(AspContext *context, const AspVec3 *points, int point_count, const int (*triangles)[3],
                                 int triangle_count, AspHull **hull) {
  HullParts parts;
  *hull = NULL;
  if (triangle_count < 1 || triangle_count > ASP_DRAWN_TRIANGLES_MAX)
    return asp_fail(context, ASP_ERROR_INPUT, "%d triangles to draw; expected 1 to %d", triangle_count,
                    ASP_DRAWN_TRIANGLES_MAX);
  ASP_TRY(check_triangles(context, point_count, triangles, triangle_count));
  ASP_TRY(asp_hull_allocate(context, 3, point_count, triangle_count, 3 * triangle_count, 0, &parts));
  for (int i = 0; i < point_count; i++) {
    parts.vertices[i] = points[i];
    parts.hull->radius = fmax(parts.hull->radius, norm3(points[i]));
  }
  for (int t = 0; t < triangle_count; t++) {
    const int *v = triangles[t];
    AspVec3 normal = cross3(sub3(points[v[1]], points[v[0]]), sub3(points[v[2]], points[v[0]]));
    parts.normals[t] = norm3(normal) > 0 ? unit3(normal) : normal;
    parts.face_start[t + 1] = 3 * (t + 1);
    for (int i = 0; i < 3; i++)
      parts.face_vertex[3 * t + i] = v[i];
  }
  *hull = parts.hull;
  return ASP_OK;
}
