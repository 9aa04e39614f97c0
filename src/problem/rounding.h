/* How far rounding may have moved what the judge computes: bounds that hold, not estimates.
 *
 *   |b - b*| <= beta = gamma_n (|H| |r| + |f|)                  b = H r + f, n terms
 *   |x - x*| <= |M^-1| e,   e = |b - M x| + its rounding + beta
 *   |u - u*| <= gamma_n (|H|^T |x| + |w|) + |H|^T |x - x*|
 *   ||F - F*|| <= rho (||u - u*|| + mu ||u_T - u_T*||) + a few roundings of its terms
 *
 * Stars: exact values for the stored M, H, f, w and r. gamma_n = n 2^-53 / (1 - n 2^-53). |M^-1| is bounded through an
 * approximate inverse Y of each component A of M: with g = ||Y A - I|| < 1, |A^-1 e| <= |Y| e + g/(1-g) max(|Y| e), in
 * units in which A has a unit diagonal.
 * Of a sparse M the smallest eigenvalue of its symmetric part is bounded from below (rounding_sparse.c).
 * Proofs: docs/theory/rounding.md. Depends on mass.h.
 */
#ifndef ASP_PROBLEM_ROUNDING_H
#define ASP_PROBLEM_ROUNDING_H

#include "asperity/problem.h"
#include "problem/mass.h"
#include "problem/tuning/problem.h"

/* The part of a component of M that is no diagonal: `count` of its dofs from `first` on. Its entries A (column-major)
 * stand at matrix[at], its approximate inverse Y behind them, then weights of its unknowns. */
typedef struct AspDensePart {
  int first, count; /* count 0: the component is diagonal */
  size_t at;
  double more; /* g / (1 - g); infinite: not bounded */
} AspDensePart;

typedef struct AspRounding {
  double floor;       /* ||q - q*|| is at most this; of a sparse M an estimate. The floor of the denominators. */
  double rho;         /* relative error of rho at most */
  int longest;        /* most entries of a column of H, or of a row of W */
  double *e, *away;   /* dofs: bounds on the error of M x = b and of x */
  double *size;       /* dofs: |H| |r| + |f| */
  int *terms;         /* dofs: of the sum b */
  double *du;         /* rows: bounds on the error of u */
  double *square;     /* chunks: sums of squares of du */
  double *map_square; /* chunks: the same of the maps' errors */
  AspDensePart *part; /* components, where all are small */
  double *matrix;
  AspFactor *proof; /* of a sparse M: made when first needed, kept */
  double *free;     /* dofs: of a sparse M, bounds on the error of M x = f */
  double size_away; /* of a sparse M: |x - x*| is at most this times |scale|, for the last r */
  double norm_away; /* the norm of du for the last r */
  double *scale;    /* dofs: D S of a sparse M (rounding_sparse.c) */
  double least;     /* smallest eigenvalue of its B at least; 0: not known, negative: not looked for */
} AspRounding;

/* n roundings: at least gamma_n, its own rounding included */
static inline double asp_roundings(double n) { return (n + 2) * ASP_UNIT_ROUNDOFF; }

/* For the problem that the judge has: q, x = M^-1 f and b = f. Memory in the judge's arena. */
AspError asp_rounding_reset(AspJudge *judge);
void asp_rounding_free(AspRounding *rounding);

/* away >= |M^-1 e| for every vector of at most this size; false: M^-1 is not bounded. */
bool asp_rounding_inverse(AspJudge *judge, const double *e, double *away);
/* Lower bound on the eigenvalues of a sparse M, into rounding->least. */
AspError asp_rounding_sparse(AspJudge *judge);
/* To e, which bounds the error of b, add that of x as a solution of M x = b with a sparse M; b - M x goes to
 * rounding->away. */
void asp_rounding_sparse_error(AspJudge *judge, const double *b, const double *x, double *e);

/* How far a block's natural map at rho may be from the exact one: du (rows) bounds the error of u, and evaluation
 * costs `unit` times the sizes of its terms. Unit of r. */
double asp_rounding_of_map(const AspLaw *law, int rows, double rho, const double *r, const double *u, const double *du,
                           double unit);
/* The norm over all blocks for the r that was judged last; infinite: not bounded. */
double asp_rounding_of_maps(AspJudge *judge, const double *r);
/* A bound on ||q - q*||, after that of maps; infinite: not bounded. */
double asp_rounding_of_q(AspJudge *judge);

/* ||F(rho)|| and ||q|| for r in twice the precision, with bounds on their errors. */
typedef struct AspSharp {
  double map, map_error;
  double norm_q, norm_q_error;
} AspSharp;
AspError asp_judge_sharp(AspJudge *judge, const double *r, AspSharp *sharp);

#endif
