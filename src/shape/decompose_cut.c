/* Cutting a piece along a plane. The part's surface is a closed chain of triangles: those of the mesh, clipped, and
 * caps. A cap is made of the sides that lie in the plane after clipping: for each side a -> b the triangle (b, a, o), o
 * any point of the plane; all other sides of these triangles cancel, so that the chain is closed again and volumes are
 * exact, without any triangulation of the section.
 *
 * The corners of the part are those of the clipped mesh, and the corners of its cell that are inside the solid. */
#include "shape/decompose.h"

#include <math.h>

void asp_piece_free(const Solid *solid, Piece *piece) {
  asp_release(solid->context, piece->facet);
  asp_hull_destroy(solid->context, piece->cell);
  asp_hull_destroy(solid->context, piece->hull);
  *piece = (Piece){0};
}

static AspError add_facet(const Solid *solid, Piece *piece, AspVec3 a, AspVec3 b, AspVec3 c, bool cap) {
  ASP_TRY(ASP_GROW(solid->context, piece->facet, piece->capacity, piece->count + 1));
  piece->facet[piece->count++] = (Facet){{a, b, c}, cap};
  return ASP_OK;
}

double asp_hull_depth(const AspHull *hull, AspVec3 x) {
  double depth = INFINITY;
  for (int f = 0; f < hull->face_count; f++)
    depth = fmin(depth, dot3(hull->normals[f], sub3(hull->vertices[hull->face_vertex[hull->face_start[f]]], x)));
  return depth;
}

/* ---- hull and measures of a part ---- */

static AspVec3 centroid(const AspVec3 p[3]) { return scale3(1.0 / 3, add3(p[0], add3(p[1], p[2]))); }

static void measure(const Solid *solid, Piece *piece) {
  for (int i = 0; i < piece->count; i++) {
    const Facet *facet = &piece->facet[i];
    for (int k = 0; !facet->cap && k < 3; k++)
      piece->depth = fmax(piece->depth, asp_hull_depth(piece->hull, facet->p[k]));
    if (!facet->cap)
      piece->depth = fmax(piece->depth, asp_hull_depth(piece->hull, centroid(facet->p)));
  }
  if (piece->depth <= solid->flat)
    piece->depth = 0;
}

/* Is the cell's corner a corner of the part? A little inside the cell the answer does not depend on rounding. */
static bool is_corner(const Solid *solid, const AspHull *cell, AspVec3 x) {
  return asp_solid_holds(solid, axpy3(x, DECOMPOSE_INWARD, sub3(cell->unit.centre, x)));
}

/* The hull of the part; none where it is empty. */
static AspError wrap(const Solid *solid, Piece *piece) {
  AspVec3 o = piece->cell->unit.centre;
  piece->volume = 0;
  for (int i = 0; i < piece->count; i++) {
    const AspVec3 *p = piece->facet[i].p;
    piece->volume += dot3(sub3(p[0], o), cross3(sub3(p[1], o), sub3(p[2], o))) / 6;
  }
  if (!(piece->volume > DECOMPOSE_VOLUME_LEAST * solid->volume))
    return ASP_OK;
  size_t room = 3 * (size_t)piece->count + (size_t)piece->cell->vertex_count;
  AspVec3 *points = asp_allocate(solid->context, room, sizeof *points);
  if (!points)
    return ASP_ERROR_MEMORY;
  int count = 0;
  for (int i = 0; i < piece->count; i++)
    for (int k = 0; !piece->facet[i].cap && k < 3; k++)
      points[count++] = piece->facet[i].p[k];
  for (int i = 0; i < piece->cell->vertex_count; i++)
    if (is_corner(solid, piece->cell, piece->cell->vertices[i]))
      points[count++] = piece->cell->vertices[i];
  AspError error = asp_hull_create(solid->context, 3, points, count, &piece->hull);
  asp_release(solid->context, points);
  if (error == ASP_OK)
    measure(solid, piece);
  return error == ASP_ERROR_INPUT ? ASP_OK : error; // flat: nothing of it is left
}

/* The whole solid, in the box around it. */
AspError asp_piece_whole(const Solid *solid, Piece *piece) {
  *piece = (Piece){0};
  enum { CORNERS = 1 << 3 };
  AspVec3 corner[CORNERS];
  for (int i = 0; i < CORNERS; i++)
    corner[i] = vec3(i & 1 ? solid->high.x : solid->low.x, i & 2 ? solid->high.y : solid->low.y,
                     i & 4 ? solid->high.z : solid->low.z);
  ASP_TRY(asp_hull_create(solid->context, 3, corner, CORNERS, &piece->cell));
  for (int t = 0; t < solid->triangles; t++)
    ASP_TRY(add_facet(solid, piece, solid->triangle[t][0], solid->triangle[t][1], solid->triangle[t][2], false));
  return wrap(solid, piece);
}

/* ---- cutting ---- */

static double height(const Solid *solid, const CutPlane *plane, double side, AspVec3 x) {
  double d = side * (dot3(plane->n, x) - plane->offset);
  return fabs(d) <= solid->flat ? 0 : d;
}

/* The same bits for both triangles of an edge. */
static AspVec3 meet(AspVec3 p, double dp, AspVec3 q, double dq) {
  bool swap = p.x != q.x ? p.x > q.x : p.y != q.y ? p.y > q.y : p.z > q.z;
  AspVec3 a = swap ? q : p, b = swap ? p : q;
  double da = swap ? dq : dp, db = swap ? dp : dq;
  return axpy3(a, da / (da - db), sub3(b, a));
}

/* The part of a triangle on the kept side: up to four corners, and which of them lie in the plane. */
static int clip(const AspVec3 p[3], const double d[3], AspVec3 out[4], bool on[4]) {
  int count = 0;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    if (d[i] <= 0) {
      on[count] = d[i] == 0;
      out[count++] = p[i];
    }
    if ((d[i] < 0 && d[j] > 0) || (d[i] > 0 && d[j] < 0)) {
      on[count] = true;
      out[count++] = meet(p[i], d[i], p[j], d[j]);
    }
  }
  return count;
}

/* The sides that lie in the plane, so far. */
typedef struct Section {
  AspVec3 (*side)[2];
  int count;
  size_t capacity;
} Section;

static AspError cut_facet(const Solid *solid, const Facet *facet, const CutPlane *plane, double side, Piece *part,
                          Section *section) {
  double d[3];
  AspVec3 corner[4];
  bool on[4];
  for (int i = 0; i < 3; i++)
    d[i] = height(solid, plane, side, facet->p[i]);
  AspVec3 n = cross3(sub3(facet->p[1], facet->p[0]), sub3(facet->p[2], facet->p[0]));
  // a triangle in the plane belongs to the side that it closes
  if (d[0] == 0 && d[1] == 0 && d[2] == 0 && side * dot3(n, plane->n) <= 0)
    return ASP_OK;
  int count = clip(facet->p, d, corner, on);
  for (int i = 2; i < count; i++)
    ASP_TRY(add_facet(solid, part, corner[0], corner[i - 1], corner[i], facet->cap));
  for (int i = 0; i < count && count > 2; i++)
    if (on[i] && on[(i + 1) % count]) {
      ASP_TRY(ASP_GROW(solid->context, section->side, section->capacity, section->count + 1));
      section->side[section->count][0] = corner[i];
      section->side[section->count++][1] = corner[(i + 1) % count];
    }
  return ASP_OK;
}

/* The cell on the kept side; NULL: nothing of it. */
static AspError cut_cell(const Solid *solid, const AspHull *cell, const CutPlane *plane, double side, AspHull **part) {
  size_t room = (size_t)cell->vertex_count + (size_t)cell->edge_count;
  AspVec3 *points = asp_allocate(solid->context, room, sizeof *points);
  if (!points)
    return ASP_ERROR_MEMORY;
  int count = 0;
  for (int i = 0; i < cell->vertex_count; i++)
    if (height(solid, plane, side, cell->vertices[i]) <= 0)
      points[count++] = cell->vertices[i];
  for (int e = 0; e < cell->edge_count; e++) {
    AspVec3 a = cell->vertices[cell->edges[4 * e]], b = cell->vertices[cell->edges[4 * e + 1]];
    double da = height(solid, plane, side, a), db = height(solid, plane, side, b);
    if ((da < 0 && db > 0) || (da > 0 && db < 0))
      points[count++] = meet(a, da, b, db);
  }
  AspError error = count > 3 ? asp_hull_create(solid->context, 3, points, count, part) : ASP_OK;
  asp_release(solid->context, points);
  return error == ASP_ERROR_INPUT ? ASP_OK : error;
}

AspError asp_piece_cut(const Solid *solid, const Piece *piece, const CutPlane *plane, double side, Piece *part) {
  *part = (Piece){0};
  Section section = {0};
  AspError error;
  ASP_CHECK(cut_cell(solid, piece->cell, plane, side, &part->cell));
  for (int i = 0; i < piece->count && part->cell; i++)
    ASP_CHECK(cut_facet(solid, &piece->facet[i], plane, side, part, &section));
  for (int i = 0; i < section.count; i++)
    ASP_CHECK(add_facet(solid, part, section.side[i][1], section.side[i][0], section.side[0][0], true));
  if (part->cell)
    error = wrap(solid, part);
done:
  asp_release(solid->context, section.side);
  return error;
}
