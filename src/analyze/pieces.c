/* Pieces of the laws: see pieces.h. */
#include "analyze/pieces.h"
#include "base/elementary.h"

#include "analyze/tuning/analyze.h"
#include "problem/cone.h"

static AspPieceCondition *condition(AspPiece *piece, double n, double t1, double t2, double rhs, bool equality) {
  AspPieceCondition *it = &piece->condition[piece->conditions++];
  *it = (AspPieceCondition){{n, t1, t2}, rhs, equality, false};
  return it;
}

static void generator(AspPiece *piece, double n, double t1, double t2, bool is_free) {
  double g[3] = {n, t1, t2};
  for (int k = 0; k < 3; k++)
    piece->g[piece->generators][k] = g[k];
  piece->is_free[piece->generators++] = is_free;
}

static void at_rest(AspPiece *piece, int rows) {
  for (int k = 0; k < rows; k++)
    condition(piece, k == 0, k == 1, k == 2, 0, true);
}

static void all_free(AspPiece *piece, int rows) {
  for (int k = 0; k < rows; k++)
    generator(piece, k == 0, k == 1, k == 2, true);
}

void asp_piece_normal(const AspLaw *law, int j, double m[2]) {
  AspPolygon P = asp_polygon_of_law(law);
  double angle = P.phase + 2 * ASP_PI * j / P.edges;
  m[0] = asp_cos(angle);
  m[1] = asp_sin(angle);
}

void asp_piece_vertex(const AspLaw *law, int j, double v[2]) {
  AspPolygon P = asp_polygon_of_law(law);
  double angle = P.phase + ASP_PI * (2 * j + 1) / P.edges, radius = asp_hypot(P.apothem, P.half_edge);
  v[0] = radius * asp_cos(angle);
  v[1] = radius * asp_sin(angle);
}

static void vertex_generator(AspPiece *piece, const AspLaw *law, int j, bool is_free) {
  double v[2];
  asp_piece_vertex(law, (j + law->directions) % law->directions, v);
  generator(piece, 1, law->mu * v[0], law->mu * v[1], is_free);
}

/* All of the cone. */
static void cone(const AspLaw *law, int rows, AspPiece *piece) {
  if (rows == 2) {
    generator(piece, 1, law->mu, 0, false);
    generator(piece, 1, -law->mu, 0, false);
  } else if (law->cone == ASP_CONE_EXACT) {
    double radius = law->mu / asp_cos(ASP_PI / PIECES_ROUND_DIRECTIONS);
    for (int j = 0; j < PIECES_ROUND_DIRECTIONS; j++) {
      double angle = 2 * ASP_PI * j / PIECES_ROUND_DIRECTIONS;
      generator(piece, 1, radius * asp_cos(angle), radius * asp_sin(angle), false);
    }
  } else {
    for (int j = 0; j < law->directions; j++)
      vertex_generator(piece, law, j, false);
  }
}

/* The exact cone from outside: facets in the given directions instead of corners. */
static void cone_by_facets(const AspLaw *law, const double *angles, int count, AspPiece *piece) {
  generator(piece, 1, 0, 0, false);
  generator(piece, 0, 1, 0, true);
  generator(piece, 0, 0, 1, true);
  for (int j = 0; j < PIECES_ROUND_DIRECTIONS + count; j++) {
    double angle =
        j < PIECES_ROUND_DIRECTIONS ? 2 * ASP_PI * j / PIECES_ROUND_DIRECTIONS : angles[j - PIECES_ROUND_DIRECTIONS];
    condition(piece, law->mu, -asp_cos(angle), -asp_sin(angle), 0, false)->on_r = true;
  }
}

static void slide_in_plane(const AspLaw *law, int sign, AspPiece *piece) {
  generator(piece, 1, -sign * law->mu, 0, false);
  condition(piece, 1, 0, 0, 0, true);
  condition(piece, 0, sign, 0, ASP_SMALLEST_MOTION, false);
}

/* -u_T strictly between the normals of the two edges that meet at the vertex */
static void slide_at_vertex(const AspLaw *law, int j, AspPiece *piece) {
  double a[2], b[2];
  asp_piece_normal(law, j, a);
  asp_piece_normal(law, j + 1, b);
  vertex_generator(piece, law, j, false);
  condition(piece, 1, 0, 0, 0, true);
  condition(piece, 0, a[1], -a[0], ASP_SMALLEST_MOTION, false);
  condition(piece, 0, -b[1], b[0], ASP_SMALLEST_MOTION, false);
}

static void slide_on_edge(const AspLaw *law, int j, AspPiece *piece) {
  double m[2];
  asp_piece_normal(law, j, m);
  vertex_generator(piece, law, j - 1, false);
  vertex_generator(piece, law, j, false);
  condition(piece, 1, 0, 0, 0, true);
  condition(piece, 0, -m[1], m[0], 0, true);
  condition(piece, 0, -m[0], -m[1], ASP_SMALLEST_MOTION, false);
}

static void slide_in_arc(const AspLaw *law, double low, double high, AspPiece *piece) {
  double half = 0.5 * (high - low), middle = 0.5 * (low + high), out = law->mu / asp_cos(half);
  generator(piece, 1, -law->mu * asp_cos(low), -law->mu * asp_sin(low), false);
  generator(piece, 1, -law->mu * asp_cos(high), -law->mu * asp_sin(high), false);
  generator(piece, 1, -out * asp_cos(middle), -out * asp_sin(middle), false);
  condition(piece, 1, 0, 0, 0, true);
  condition(piece, 0, -asp_sin(low), asp_cos(low), 0, false);
  condition(piece, 0, asp_sin(high), -asp_cos(high), 0, false);
  condition(piece, 0, asp_cos(middle), asp_sin(middle), 0.5 * ASP_SMALLEST_MOTION, false);
}

static void coulomb(const AspLaw *law, int rows, const AspPieceChoice *choice, const double *angles, int count,
                    AspPiece *piece) {
  switch (choice->state) {
  case ASP_PIECE_OPEN:
    condition(piece, 1, 0, 0, ASP_SMALLEST_MOTION, false);
    break;
  case ASP_PIECE_STICK:
    at_rest(piece, rows);
    if (rows == 3 && law->cone == ASP_CONE_EXACT)
      cone_by_facets(law, angles, count, piece);
    else
      cone(law, rows, piece);
    break;
  case ASP_PIECE_SLIDE:
    slide_in_plane(law, choice->feature, piece);
    break;
  case ASP_PIECE_VERTEX:
    slide_at_vertex(law, choice->feature, piece);
    break;
  case ASP_PIECE_EDGE:
    slide_on_edge(law, choice->feature, piece);
    break;
  case ASP_PIECE_ARC:
    slide_in_arc(law, choice->low, choice->high, piece);
    break;
  default:
    cone(law, rows, piece);
    condition(piece, 1, 0, 0, 0, choice->state == ASP_PIECE_CLOSED);
    break;
  }
}

static void box(const AspLaw *law, const AspPieceChoice *choice, AspPiece *piece) {
  if (choice->state == ASP_PIECE_SLIDE) {
    piece->base[0] = -choice->feature * law->limit;
    condition(piece, choice->feature, 0, 0, ASP_SMALLEST_MOTION, false);
    return;
  }
  piece->base[0] = -law->limit;
  piece->cap = 2 * law->limit;
  generator(piece, 1, 0, 0, false);
  if (choice->state == ASP_PIECE_STICK)
    at_rest(piece, 1);
}

void asp_piece(const AspLaw *law, int rows, const AspPieceChoice *choice, const double *angles, int count,
               AspPiece *piece) {
  piece->generators = piece->conditions = 0;
  piece->base[0] = piece->base[1] = piece->base[2] = piece->cap = 0;
  if (law->kind == ASP_LAW_COULOMB) {
    coulomb(law, rows, choice, angles, count, piece);
  } else if (law->kind == ASP_LAW_BOX) {
    box(law, choice, piece);
  } else {
    double mu = law->kind == ASP_LAW_SLIDING ? law->mu : 0;
    if (choice->state != ASP_PIECE_OPEN)
      generator(piece, 1, -mu * law->direction[0], -mu * law->direction[1], false);
    condition(piece, 1, 0, 0, choice->state == ASP_PIECE_OPEN ? ASP_SMALLEST_MOTION : 0,
              choice->state == ASP_PIECE_CLOSED);
  }
}

void asp_piece_equations(const AspLaw *law, int rows, const AspPieceChoice *choice, AspPiece *piece) {
  asp_piece(law, rows, choice, NULL, 0, piece);
  int kept = 0;
  for (int k = 0; k < piece->conditions; k++)
    if (piece->condition[k].equality)
      piece->condition[kept++] = piece->condition[k];
  piece->conditions = kept;
  if (choice->state == ASP_PIECE_STICK) {
    piece->generators = 0;
    all_free(piece, rows);
    piece->base[0] = 0;
  }
}

bool asp_piece_is_decided(const AspLaw *law, const AspPieceChoice *choice) {
  if (law->kind == ASP_LAW_COULOMB)
    return choice->state != ASP_PIECE_UNDECIDED && choice->state != ASP_PIECE_CLOSED;
  return choice->state != ASP_PIECE_UNDECIDED;
}

/* Stick and the ways to slide. */
static int slides(const AspLaw *law, int rows, AspPieceChoice *child) {
  int count = 0;
  child[count++] = (AspPieceChoice){.state = ASP_PIECE_STICK};
  if (rows == 2 || law->kind == ASP_LAW_BOX) {
    child[count++] = (AspPieceChoice){.state = ASP_PIECE_SLIDE, .feature = 1};
    child[count++] = (AspPieceChoice){.state = ASP_PIECE_SLIDE, .feature = -1};
  } else if (law->cone == ASP_CONE_EXACT) {
    for (int k = 0; k < 4; k++)
      child[count++] = (AspPieceChoice){.state = ASP_PIECE_ARC,
                                        .low = PIECES_FIRST_ANGLE + k * ASP_PI / 2,
                                        .high = PIECES_FIRST_ANGLE + (k + 1) * ASP_PI / 2};
  } else {
    for (int j = 0; j < law->directions; j++) {
      child[count++] = (AspPieceChoice){.state = ASP_PIECE_VERTEX, .feature = j};
      child[count++] = (AspPieceChoice){.state = ASP_PIECE_EDGE, .feature = j};
    }
  }
  return count;
}

int asp_piece_children(const AspLaw *law, int rows, const AspPieceChoice *choice,
                       AspPieceChoice children[ASP_PIECE_CHILDREN]) {
  if (choice->state == ASP_PIECE_CLOSED || law->kind == ASP_LAW_BOX)
    return slides(law, rows, children);
  children[0] = (AspPieceChoice){.state = ASP_PIECE_OPEN};
  children[1] = (AspPieceChoice){.state = ASP_PIECE_CLOSED};
  return 2;
}
