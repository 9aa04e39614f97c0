/* Dense kernels of one front of the sparse factorisation. A front's panel P is height x width, column-major with
 * leading dimension height: the diagonal block of `width` pivots and, below it, `height - width` further rows.
 *
 *   LDLT   P11 = L11 D L11^T, L21 = P21 L11^-T D^-1; unit L11 stays below the diagonal of P11, L21 in P21
 *   LU     P11 = Q L11 U11 with row exchanges Q within blocks of FRONT_BLOCK pivots, L21 = P21 U11^-1,
 *          U12 = L11^-1 Q^T A12, kept as its transpose UT: below x width right after P
 *
 * Depends on base and on CBLAS.
 */
#ifndef ASP_LINALG_FRONT_H
#define ASP_LINALG_FRONT_H

#include "base/base.h"

/* Pivots eliminated together; row exchanges stay within such a block. */
#define FRONT_BLOCK 32

/* What pivots must satisfy, and what was found. */
typedef struct FrontPivots {
  double threshold;        /* |pivot| at most this: set aside */
  double regularisation;   /* added to each diagonal entry, with its sign */
  const signed char *sign; /* by index of A; NULL: all +1, not checked */
  const int *order;        /* index of A by pivot */
  int first_pivot;         /* of the front at hand */
  int set_aside, first;    /* number set aside, index of A of the first; -1 */
  double smallest, largest;
} FrontPivots;

/* inverse: width values, 1/D; scratch: at least width x FRONT_BLOCK and the front's width x below */
void asp_front_ldlt(int width, int height, double *P, double *inverse, double *scratch, FrontPivots *pivots);
/* exchange: width values, the row exchanged with each, counted from the front's first pivot; inverse: 1 / U_ii */
void asp_front_lu(int width, int below, double *P, double *inverse, int *exchange, FrontPivots *pivots);

/* C (below x below, lower triangle) = - L D L^T; L: below x width. scratch: width x below. */
void asp_front_schur_ldlt(int width, int below, const double *L, int ld, const double *inverse, double *scratch,
                          double *C);
/* C (below x below) = - L U; UT: below x width. */
void asp_front_schur_lu(int width, int below, const double *L, int ld, const double *UT, double *C);

#endif
