/* The laws of contact as unions of polyhedra. A block's law is met by (u, r) in one of a few pieces; deciding every
 * block's piece turns the contact problem into linear equations and inequalities.
 *
 *   UNILATERAL        open r = 0, u >= 0                      closed u = 0, r >= 0
 *   SLIDING           open r = 0, u_N >= 0                    closed u_N = 0, r = r_N (1, -mu d)
 *   BOX               stick u = 0, |r| <= limit               slide u >= 0, r = -limit and its mirror image
 *   COULOMB           open                                    stick u = 0, r in the cone
 *     in the plane    slide: u_N = 0, r = r_N (1, -+mu), +-u_T >= 0
 *     polygon         vertex j: r_T = mu r_N v_j, -u_T in the cone of the two normals there;
 *                     edge j: r_T on edge j, -u_T along its normal
 *     exact cone      arc: the slip direction lies between two angles; a polyhedron around that set
 *
 * Undecided blocks get a polyhedron around the whole law, so that a partial choice that has no solution rules out all
 * its completions. Pieces are kept disjoint by asking for some motion (at least SMALLEST_MOTION of the largest |q|)
 * wherever a piece is not stick: contacts at rest stick. Depends on problem.
 */
#ifndef ASP_ANALYZE_PIECES_H
#define ASP_ANALYZE_PIECES_H

#include "analyze/tuning/analyze.h"
#include "asperity/problem.h"

#define ASP_PIECE_GENERATORS ASP_PIECE_DIRECTIONS
#define ASP_PIECE_CHILDREN   (2 * ASP_PIECE_DIRECTIONS + 1)

typedef enum AspPieceState {
  ASP_PIECE_UNDECIDED,
  ASP_PIECE_OPEN,
  ASP_PIECE_CLOSED, /* COULOMB: stick or slide is still undecided */
  ASP_PIECE_STICK,
  ASP_PIECE_SLIDE,  /* in the plane and BOX: feature = sign of u_T */
  ASP_PIECE_VERTEX, /* polygon: feature */
  ASP_PIECE_EDGE,   /* polygon: feature */
  ASP_PIECE_ARC     /* exact cone: slip direction in [low, high], rad */
} AspPieceState;

typedef struct AspPieceChoice {
  AspPieceState state;
  int feature;
  double low, high;
} AspPieceChoice;

/* a.u (or a.r) = or >= rhs */
typedef struct AspPieceCondition {
  double a[3], rhs;
  bool equality, on_r;
} AspPieceCondition;

/* r = base + sum of generators times weights; weights >= 0 unless free, the first one at most `cap` where cap > 0. */
typedef struct AspPiece {
  int generators, conditions;
  double g[ASP_PIECE_GENERATORS][3];
  bool is_free[ASP_PIECE_GENERATORS];
  double base[3], cap;
  AspPieceCondition condition[ASP_PIECE_CONDITIONS];
} AspPiece;

/* `rows`: of the block. angles (count): extra directions in which the exact cone is cut off in the piece stick. */
void asp_piece(const AspLaw *law, int rows, const AspPieceChoice *choice, const double *angles, int count,
               AspPiece *piece);
/* The same for solving: as many generators (all free) as equations, inequalities left out. Not for arcs. */
void asp_piece_equations(const AspLaw *law, int rows, const AspPieceChoice *choice, AspPiece *piece);

bool asp_piece_is_decided(const AspLaw *law, const AspPieceChoice *choice);
/* What an undecided choice splits into; returns how many. */
int asp_piece_children(const AspLaw *law, int rows, const AspPieceChoice *choice,
                       AspPieceChoice children[ASP_PIECE_CHILDREN]);

/* Edge normal j and vertex j (between normals j and j + 1) of the polygon of a 3D COULOMB block for mu r_N = 1. */
void asp_piece_normal(const AspLaw *law, int j, double m[2]);
void asp_piece_vertex(const AspLaw *law, int j, double v[2]);

#endif
