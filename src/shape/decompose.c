/* Convex decomposition of the solid inside a closed triangle mesh, by cuts along planes.
 *
 *   pieces = {whole solid}
 *   while some piece is deeper than the allowed error:
 *     cut the deepest one along the plane after which the hulls of its two parts have the least volume
 *   join pieces whose common hull has the volume of both
 *
 * depth: how far the piece's surface lies below the hull of the piece. Every piece is the hull of a part of the solid,
 * so that together they cover it; what they cover beyond it is at most about the allowed error thick. A polyhedron with
 * enough cuts along its faces is met exactly. The method follows approximate convex decomposition (Lien, Amato 2007)
 * with the choice of planes by volume as in CoACD (Wei et al. 2022), without their voxels and random samples: the same
 * mesh gives the same pieces, bit for bit. */
#include "shape/decompose.h"

#include <math.h>

typedef struct Pieces {
  Piece *piece;
  int count;
  size_t capacity;
} Pieces;

static double hull_volume(const Piece *piece) { return piece->hull ? piece->hull->unit.mass : 0; }

/* The two parts of the piece after its best cut. False: no cut makes it any better. */
static AspError best_cut(const Solid *solid, const Piece *piece, Piece part[2], bool *found) {
  CutPlane planes[DECOMPOSE_PLANES_MOST];
  int count = asp_piece_planes(solid, piece, planes);
  double best = INFINITY;
  *found = false;
  for (int i = 0; i < count; i++) {
    Piece made[2] = {{0}, {0}};
    AspError error = asp_piece_cut(solid, piece, &planes[i], 1, &made[0]);
    if (error == ASP_OK)
      error = asp_piece_cut(solid, piece, &planes[i], -1, &made[1]);
    double volume = hull_volume(&made[0]) + hull_volume(&made[1]);
    // both parts, or less void: else the cut was none
    bool useful = error == ASP_OK && ((made[0].hull && made[1].hull) || volume < hull_volume(piece) - solid->flat);
    bool better = useful && volume < best - DECOMPOSE_VOLUME_LEAST * solid->volume;
    if (better) {
      best = volume;
      *found = true;
    }
    for (int k = 0; k < 2; k++) {
      asp_piece_free(solid, better ? &part[k] : &made[k]);
      if (better)
        part[k] = made[k];
    }
    if (error != ASP_OK)
      return error;
  }
  return ASP_OK;
}

static AspError add(const Solid *solid, Pieces *pieces, Piece *piece) {
  if (!piece->hull) {
    asp_piece_free(solid, piece);
    return ASP_OK;
  }
  ASP_TRY(ASP_GROW(solid->context, pieces->piece, pieces->capacity, pieces->count + 1));
  pieces->piece[pieces->count++] = *piece;
  *piece = (Piece){0};
  return ASP_OK;
}

static int deepest(const Pieces *pieces) {
  int most = 0;
  for (int i = 1; i < pieces->count; i++)
    most = pieces->piece[i].depth > pieces->piece[most].depth ? i : most;
  return most;
}

static AspError cut_all(const Solid *solid, double error_allowed, Pieces *pieces) {
  Piece whole;
  AspError error = asp_piece_whole(solid, &whole);
  if (error == ASP_OK)
    error = add(solid, pieces, &whole);
  asp_piece_free(solid, &whole);
  while (error == ASP_OK && pieces->count > 0) {
    int at = deepest(pieces);
    double depth = pieces->piece[at].depth;
    bool found = false;
    Piece part[2] = {{0}, {0}};
    if (depth <= error_allowed)
      break;
    if (pieces->count < DECOMPOSE_PIECES_MOST)
      error = best_cut(solid, &pieces->piece[at], part, &found);
    if (error == ASP_OK && !found)
      error = asp_fail(solid->context, ASP_ERROR_INPUT,
                       "an error of %g m needs more than %d convex pieces (with %d it is %g m); allow a larger one",
                       error_allowed, DECOMPOSE_PIECES_MOST, pieces->count, depth);
    if (found) {
      asp_piece_free(solid, &pieces->piece[at]);
      pieces->piece[at] = pieces->piece[--pieces->count];
    }
    for (int k = 0; k < 2; k++) {
      if (error == ASP_OK)
        error = add(solid, pieces, &part[k]);
      asp_piece_free(solid, &part[k]);
    }
  }
  return error;
}

/* ---- joining ---- */

static AspError join(const Solid *solid, const AspHull *a, const AspHull *b, AspHull **joined) {
  size_t count = (size_t)a->vertex_count + (size_t)b->vertex_count;
  AspVec3 *points = asp_allocate(solid->context, count, sizeof *points);
  if (!points)
    return ASP_ERROR_MEMORY;
  memcpy(points, a->vertices, (size_t)a->vertex_count * sizeof *points);
  memcpy(points + a->vertex_count, b->vertices, (size_t)b->vertex_count * sizeof *points);
  AspError error = asp_hull_create(solid->context, 3, points, (int)count, joined);
  asp_release(solid->context, points);
  double more = error == ASP_OK ? (*joined)->unit.mass - a->unit.mass - b->unit.mass : INFINITY;
  if (error == ASP_OK && fabs(more) > DECOMPOSE_JOIN * solid->volume) {
    asp_hull_destroy(solid->context, *joined);
    *joined = NULL;
  }
  return error == ASP_ERROR_INPUT ? ASP_OK : error;
}

static AspError join_all(const Solid *solid, AspHull **hull, int *count) {
  for (int i = 0; i < *count; i++)
    for (int j = i + 1; j < *count; j++) {
      AspHull *joined = NULL;
      ASP_TRY(join(solid, hull[i], hull[j], &joined));
      if (!joined)
        continue;
      asp_hull_destroy(solid->context, hull[i]);
      asp_hull_destroy(solid->context, hull[j]);
      hull[i] = joined;
      hull[j] = hull[--*count];
      i = -1; // the joined one may join others
      break;
    }
  return ASP_OK;
}

/* ---- the error that is left ---- */

/* Largest distance from a hull's surface to the solid, at its corners, the middles of its edges and faces. */
static double distance_of(const Solid *solid, const AspHull *hull) {
  double most = 0;
  int total = hull->vertex_count + hull->edge_count + hull->face_count;
  for (int i = 0; i < total; i++) {
    AspVec3 x = {0, 0, 0};
    int e = i - hull->vertex_count, f = e - hull->edge_count;
    if (e < 0) {
      x = hull->vertices[i];
    } else if (f < 0) {
      x = scale3(0.5, add3(hull->vertices[hull->edges[4 * e]], hull->vertices[hull->edges[4 * e + 1]]));
    } else {
      int corners = hull->face_start[f + 1] - hull->face_start[f];
      for (int k = hull->face_start[f]; k < hull->face_start[f + 1]; k++)
        x = axpy3(x, 1.0 / corners, hull->vertices[hull->face_vertex[k]]);
    }
    double distance = asp_solid_distance(solid, x);
    if (distance > fmax(most, solid->flat) && !asp_solid_holds(solid, x))
      most = distance;
  }
  return most;
}

AspError asp_mesh_decompose(AspContext *context, const AspVec3 *points, int point_count, const int (*triangles)[3],
                            int triangle_count, double error_allowed, AspDecomposition *out) {
  *out = (AspDecomposition){0};
  if (!(error_allowed > 0))
    return asp_fail(context, ASP_ERROR_ARGUMENT, "error: %g m is not > 0", error_allowed);
  Solid solid;
  Pieces pieces = {0};
  AspError error;
  ASP_CHECK(asp_solid_make(context, points, point_count, triangles, triangle_count, &solid));
  ASP_CHECK(cut_all(&solid, error_allowed, &pieces));
  out->piece = asp_allocate(context, (size_t)pieces.count, sizeof *out->piece);
  error = out->piece ? ASP_OK : ASP_ERROR_MEMORY;
  for (int i = 0; i < pieces.count && error == ASP_OK; i++) {
    out->piece[out->count++] = pieces.piece[i].hull;
    pieces.piece[i].hull = NULL;
  }
  if (error == ASP_OK)
    error = join_all(&solid, out->piece, &out->count);
  out->volume = solid.volume;
  out->excess = -solid.volume;
  for (int i = 0; i < out->count && error == ASP_OK; i++) {
    out->excess += out->piece[i]->unit.mass;
    out->distance = fmax(out->distance, distance_of(&solid, out->piece[i]));
  }
done:
  for (int i = 0; i < pieces.count; i++)
    asp_piece_free(&solid, &pieces.piece[i]);
  asp_release(context, pieces.piece);
  asp_solid_free(&solid);
  if (error != ASP_OK)
    asp_decomposition_destroy(context, out);
  return error;
}

void asp_decomposition_destroy(AspContext *context, AspDecomposition *decomposition) {
  for (int i = 0; i < decomposition->count; i++)
    asp_hull_destroy(context, decomposition->piece[i]);
  asp_release(context, decomposition->piece);
  *decomposition = (AspDecomposition){0};
}
