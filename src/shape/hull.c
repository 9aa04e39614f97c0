/* Convex hull of points in 3D: quickhull on an incremental polyhedron, then coplanar triangles merged into polygons.
 *
 * Tolerances, relative to the extent of the points: a point less than 1e-12 above the hull so far is taken to be on it;
 * triangles whose corners lie within 1e-9 of a larger triangle's plane become part of its face. Coordinates are taken
 * relative to the middle of the points, so a mesh far from its origin loses nothing.
 * Source of the method: Barber, Dobkin, Huhdanpaa, The quickhull algorithm for convex hulls, 1996.
 */
#include "shape/hull.h"
#include "shape/tuning/shape.h"

#include <stdlib.h>

/* Scratch of one build. */
typedef struct Build {
  AspContext *context;
  AspVec3 *points; /* relative to the middle, deduplicated by the hull itself */
  int count;
  double extent;
  Polyhedron poly;
  int *next_point;  /* count: list of outside points of a face; -1 ends */
  int *first_point; /* face capacity */
  int *group;       /* face capacity: merged face of a triangle, -1: none yet */
  int group_count;
  int *left_out; /* count: points that rounding kept out */
  int left_out_count;
  int *degree; /* count: number of merged faces that meet at the point */
} Build;

static void release_build(Build *b) {
  AspContext *context = b->context;
  asp_release(context, b->points);
  asp_release(context, b->next_point);
  asp_release(context, b->first_point);
  asp_release(context, b->group);
  asp_release(context, b->degree);
  asp_release(context, b->left_out);
  asp_release(context, b->poly.faces);
  asp_release(context, b->poly.spoke);
  asp_release(context, b->poly.list);
  asp_release(context, b->poly.free_slots);
}

static AspError allocate_build(Build *b, int count) {
  AspContext *context = b->context;
  size_t n = (size_t)count, faces = 4 * n + HULL_FACES_RESERVED;
  b->count = count;
  b->poly.face_capacity = (int)faces;
  b->points = asp_allocate(context, n, sizeof *b->points);
  b->next_point = asp_allocate(context, n, sizeof *b->next_point);
  b->degree = asp_allocate(context, n, sizeof *b->degree);
  b->left_out = asp_allocate(context, n, sizeof *b->left_out);
  b->first_point = asp_allocate(context, faces, sizeof *b->first_point);
  b->group = asp_allocate(context, faces, sizeof *b->group);
  b->poly.faces = asp_allocate(context, faces, sizeof *b->poly.faces);
  b->poly.spoke = asp_allocate(context, n, sizeof *b->poly.spoke);
  b->poly.list = asp_allocate(context, 2 * faces, sizeof *b->poly.list);
  b->poly.free_slots = asp_allocate(context, faces, sizeof *b->poly.free_slots);
  bool all = b->points && b->next_point && b->degree && b->left_out && b->first_point && b->group && b->poly.faces &&
             b->poly.spoke && b->poly.list && b->poly.free_slots;
  return all ? ASP_OK : ASP_ERROR_MEMORY;
}

/* The point farthest in direction d from `from`, or across the line / plane given by the caller's measure. */
static int farthest(const Build *b, AspVec3 from, const AspVec3 *line, const AspVec3 *normal, double *best) {
  int chosen = 0;
  *best = -1;
  for (int i = 0; i < b->count; i++) {
    AspVec3 d = sub3(b->points[i], from);
    double measure = normal ? fabs(dot3(d, *normal)) : line ? norm3(cross3(d, *line)) : norm3(d);
    if (measure > *best) {
      *best = measure;
      chosen = i;
    }
  }
  return chosen;
}

static AspError start_build(Build *b) {
  double best;
  int t[4];
  t[0] = farthest(b, vec3(0, 0, 0), NULL, NULL, &best);
  t[1] = farthest(b, b->points[t[0]], NULL, NULL, &best);
  b->extent = best;
  AspVec3 line = unit3(sub3(b->points[t[1]], b->points[t[0]]));
  t[2] = farthest(b, b->points[t[0]], &line, NULL, &best);
  AspVec3 normal = unit3(cross3(line, sub3(b->points[t[2]], b->points[t[0]])));
  if (best > HULL_LEAST_WIDTH * b->extent)
    t[3] = farthest(b, b->points[t[0]], NULL, &normal, &best);
  if (!(best > HULL_LEAST_WIDTH * b->extent))
    return asp_fail(b->context, ASP_ERROR_INPUT,
                    "points: %d points of extent %g m lie in a plane or on a line; a convex shape needs a volume",
                    b->count, b->extent);
  b->poly.points = b->points;
  b->poly.tolerance = HULL_ON_HULL * b->extent;
  if (!asp_polyhedron_start(&b->poly, t))
    return asp_fail(b->context, ASP_ERROR_INPUT, "points: no tetrahedron of positive volume among %d points", b->count);
  return ASP_OK;
}

/* Give an outside point to the first of the faces that see it; points no face sees are inside and forgotten. */
static void assign(Build *b, int point, const int *faces, int face_count) {
  for (int k = 0; k < face_count; k++)
    if (asp_poly_height(&b->poly.faces[faces[k]], b->points[point]) > b->poly.tolerance) {
      b->next_point[point] = b->first_point[faces[k]];
      b->first_point[faces[k]] = point;
      return;
    }
}

/* A point in line with an edge of the horizon would make a triangle without area; counting the faces in whose plane it
 * lies as seen moves the horizon away from it, counting them as unseen does for others. */
static bool put_in(Build *b, int face, int point) {
  static const double tolerances[] = {1, -1, HULL_COARSE, -HULL_COARSE};
  bool done = false;
  for (int k = 0; k < 4 && !done; k++) {
    b->poly.tolerance = tolerances[k] * HULL_ON_HULL * b->extent;
    done = asp_polyhedron_add(&b->poly, face, point);
  }
  b->poly.tolerance = HULL_ON_HULL * b->extent;
  return done;
}

/* The face's farthest outside point goes in; the points of the removed faces find new faces. A point that rounding
 * keeps out is remembered. */
static void expand(Build *b, int face) {
  const PolyFace *f = &b->poly.faces[face];
  int best = b->first_point[face];
  for (int i = best; i >= 0; i = b->next_point[i])
    if (asp_poly_height(f, b->points[i]) > asp_poly_height(f, b->points[best]))
      best = i;
  if (!put_in(b, face, best)) {
    int *link = &b->first_point[face];
    while (*link != best)
      link = &b->next_point[*link];
    *link = b->next_point[best];
    b->left_out[b->left_out_count++] = best;
    return;
  }
  int orphans = -1;
  for (int k = 0; k < b->poly.removed_count; k++) {
    int removed = b->poly.list[b->poly.face_capacity + k];
    for (int i = b->first_point[removed], next; i >= 0; i = next) {
      next = b->next_point[i];
      if (i != best) {
        b->next_point[i] = orphans;
        orphans = i;
      }
    }
    b->first_point[removed] = -1;
  }
  for (int k = 0; k < b->poly.made_count; k++)
    b->first_point[b->poly.list[k]] = -1;
  for (int i = orphans, next; i >= 0; i = next) {
    next = b->next_point[i];
    assign(b, i, b->poly.list, b->poly.made_count);
  }
}

/* Points that could not be added must lie on the hull within the tolerance of merging. */
static AspError check_left_out(const Build *b) {
  for (int k = 0; k < b->left_out_count; k++)
    for (int f = 0; f < b->poly.face_count; f++) {
      double height = asp_poly_height(&b->poly.faces[f], b->points[b->left_out[k]]);
      if (b->poly.faces[f].alive && height > HULL_ON_FACE * b->extent)
        return asp_fail(b->context, ASP_ERROR_INTERNAL, "points[%d]: rounding keeps it %g m outside the hull",
                        b->left_out[k], height);
    }
  return ASP_OK;
}

static AspError quickhull(Build *b) {
  ASP_TRY(start_build(b));
  static const int first_faces[4] = {0, 1, 2, 3};
  for (int f = 0; f < b->poly.face_capacity; f++)
    b->first_point[f] = -1;
  for (int i = 0; i < b->count; i++)
    assign(b, i, first_faces, 4);
  // a face slot may be used again after it was passed, so go round until nothing is outside
  for (bool outside = true; outside;) {
    outside = false;
    for (int f = 0; f < b->poly.face_count; f++)
      if (b->poly.faces[f].alive && b->first_point[f] >= 0) {
        outside = true;
        expand(b, f);
      }
  }
  return check_left_out(b);
}

typedef struct Ranked {
  double area;
  int face;
} Ranked;

static int larger_first(const void *left, const void *right) {
  const Ranked *a = left, *b = right;
  if (a->area != b->area)
    return a->area > b->area ? -1 : 1;
  return (a->face > b->face) - (a->face < b->face);
}

static bool on_plane(const Build *b, const PolyFace *seed, const PolyFace *face) {
  for (int i = 0; i < 3; i++)
    if (fabs(asp_poly_height(seed, b->points[face->v[i]])) > HULL_ON_FACE * b->extent)
      return false;
  return dot3(seed->n, face->n) > 0;
}

/* Triangles on the plane of a larger one, connected to it, form one face: seeds in order of falling area. */
static AspError merge_faces(Build *b) {
  int face_count = b->poly.face_count;
  Ranked *order = asp_allocate(b->context, (size_t)face_count, sizeof *order);
  if (!order)
    return ASP_ERROR_MEMORY;
  int ranked = 0, *stack = b->poly.list;
  for (int f = 0; f < face_count; f++) {
    const PolyFace *face = &b->poly.faces[f];
    b->group[f] = -1;
    if (!face->alive)
      continue;
    AspVec3 u = sub3(b->points[face->v[1]], b->points[face->v[0]]),
            w = sub3(b->points[face->v[2]], b->points[face->v[0]]);
    order[ranked++] = (Ranked){norm3(cross3(u, w)), f};
  }
  qsort(order, (size_t)ranked, sizeof *order, larger_first);
  b->group_count = 0;
  for (int k = 0; k < ranked; k++) {
    if (b->group[order[k].face] >= 0)
      continue;
    const PolyFace *seed = &b->poly.faces[order[k].face];
    int depth = 1;
    stack[0] = order[k].face;
    b->group[stack[0]] = b->group_count;
    while (depth > 0) {
      const PolyFace *face = &b->poly.faces[stack[--depth]];
      for (int i = 0; i < 3; i++) {
        int beside = face->beside[i];
        if (b->group[beside] < 0 && on_plane(b, seed, &b->poly.faces[beside])) {
          b->group[beside] = b->group_count;
          stack[depth++] = beside;
        }
      }
    }
    b->group_count++;
  }
  asp_release(b->context, order);
  return ASP_OK;
}

/* Number of merged faces around each point: walk its ring of triangles from every triangle corner that
 * starts a group. */
static void count_degrees(Build *b) {
  for (int i = 0; i < b->count; i++)
    b->degree[i] = 0;
  for (int f = 0; f < b->poly.face_count; f++)
    for (int i = 0; b->poly.faces[f].alive && i < 3; i++)
      if (b->group[b->poly.faces[f].beside[i]] != b->group[f])
        b->degree[b->poly.faces[f].v[i]]++; // a border edge leaves v[i], seen from its left face
}

static int edge_order(const void *left, const void *right) {
  const int *a = left, *b = right; // low vertex, high vertex, face, forward
  for (int i = 0; i < 4; i++)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}

/* The loop of border vertices of one group, corners of degree >= 3 only. Returns its length, 0 when the border is not
 * one loop. leaving[v]: a triangle edge 3 f + i of the group that leaves v. */
static int trace_loop(const Build *b, int group, int *leaving, int *loop) {
  int borders = 0, start = -1;
  for (int f = 0; f < b->poly.face_count; f++)
    for (int i = 0; b->poly.faces[f].alive && b->group[f] == group && i < 3; i++)
      if (b->group[b->poly.faces[f].beside[i]] != group) {
        leaving[b->poly.faces[f].v[i]] = 3 * f + i;
        start = 3 * f + i;
        borders++;
      }
  int length = 0, steps = 0, edge = start;
  if (borders == 0) // all faces count as one plane
    return 0;
  do {
    const PolyFace *face = &b->poly.faces[edge / 3];
    if (b->degree[face->v[edge % 3]] >= 3)
      loop[length++] = face->v[edge % 3];
    edge = leaving[face->v[(edge % 3 + 1) % 3]];
    steps++;
  } while (edge != start && steps <= borders);
  return steps == borders && length >= 3 ? length : 0;
}

/* Everything into one block behind the hull: vertices, normals, face lists, edges. */
static AspError pack(Build *b, AspVec3 middle, int *loops, const int *loop_start, AspHull **hull) {
  int corners = loop_start[b->group_count], vertex_count = 0, *number = b->next_point;
  for (int i = 0; i < b->count; i++)
    number[i] = -1;
  for (int k = 0; k < corners; k++)
    number[loops[k]] = 0;
  for (int i = 0; i < b->count; i++)
    if (number[i] == 0)
      number[i] = vertex_count++;
  if (vertex_count > ASP_HULL_VERTICES_MAX)
    return asp_fail(b->context, ASP_ERROR_INPUT, "points: the hull has %d vertices, at most %d are allowed",
                    vertex_count, ASP_HULL_VERTICES_MAX);
  HullParts parts;
  ASP_TRY(asp_hull_allocate(b->context, 3, vertex_count, b->group_count, corners, corners / 2, &parts));
  for (int i = 0; i < b->count; i++)
    if (number[i] >= 0)
      parts.vertices[number[i]] = add3(b->points[i], middle);
  int *sorted = asp_allocate(b->context, (size_t)corners, 4 * sizeof *sorted);
  if (!sorted) {
    asp_hull_destroy(b->context, parts.hull);
    return ASP_ERROR_MEMORY;
  }
  for (int g = 0; g < b->group_count; g++) {
    AspVec3 n = vec3(0, 0, 0);
    parts.face_start[g + 1] = loop_start[g + 1];
    for (int k = loop_start[g]; k < loop_start[g + 1]; k++) {
      int after = loops[k + 1 < loop_start[g + 1] ? k + 1 : loop_start[g]], u = number[loops[k]], w = number[after];
      n = add3(n, cross3(sub3(b->points[loops[k]], b->points[loops[loop_start[g]]]),
                         sub3(b->points[after], b->points[loops[loop_start[g]]])));
      parts.face_vertex[k] = u;
      int *edge = sorted + 4 * k;
      edge[0] = u < w ? u : w;
      edge[1] = u < w ? w : u;
      edge[2] = u < w ? 0 : 1;
      edge[3] = g;
    }
    parts.normals[g] = unit3(n);
  }
  qsort(sorted, (size_t)corners, 4 * sizeof *sorted, edge_order);
  bool paired = corners % 2 == 0;
  for (int k = 0; paired && k < corners; k += 2) {
    const int *left = sorted + 4 * k, *right = left + 4;
    paired = left[0] == right[0] && left[1] == right[1] && left[2] == 0 && right[2] == 1;
    memcpy(parts.edges + 2 * k, (int[4]){left[0], left[1], left[3], right[3]}, 4 * sizeof(int));
  }
  asp_release(b->context, sorted);
  *hull = parts.hull;
  if (paired)
    return ASP_OK;
  asp_hull_destroy(b->context, parts.hull);
  *hull = NULL;
  return asp_fail(b->context, ASP_ERROR_INTERNAL, "points: the faces of the hull of %d points do not close", b->count);
}

static AspError trace_faces(Build *b, AspVec3 middle, AspHull **hull) {
  AspError error = ASP_ERROR_MEMORY;
  size_t corners = 3 * (size_t)b->poly.face_count;
  int *loops = asp_allocate(b->context, corners, sizeof *loops), length = 0;
  int *loop_start = asp_allocate(b->context, (size_t)b->group_count + 1, sizeof *loop_start);
  if (!loops || !loop_start)
    goto done;
  count_degrees(b);
  for (int g = 0; g < b->group_count; g++) {
    int added = trace_loop(b, g, b->next_point, loops + length);
    if (added == 0) {
      error = asp_fail(b->context, ASP_ERROR_INTERNAL, "points: a face of the hull has no simple border");
      goto done;
    }
    loop_start[g + 1] = length += added;
  }
  error = pack(b, middle, loops, loop_start, hull);
done:
  asp_release(b->context, loops);
  asp_release(b->context, loop_start);
  return error;
}

AspError asp_hull_build_3d(AspContext *context, const AspVec3 *points, int count, AspVec3 middle, AspHull **hull) {
  Build build = {.context = context};
  AspError error;
  ASP_CHECK(allocate_build(&build, count));
  for (int i = 0; i < count; i++)
    build.points[i] = sub3(points[i], middle);
  ASP_CHECK(quickhull(&build));
  ASP_CHECK(merge_faces(&build));
  ASP_CHECK(trace_faces(&build, middle, hull));
done:
  release_build(&build);
  return error;
}
