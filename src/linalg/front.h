/* Factoring one front of the sparse factorisation. Its panel P has `height` rows and `width` columns, column-major with
 * leading dimension asp_padded(height): the diagonal block of `width` pivots and, below it, the other rows.
 *
 *   LDLT   P11 = L11 D L11^T, L21 = P21 L11^-T D^-1; unit L11 stays below the diagonal of P11, L21 in P21
 *   LU     P11 = Q L11 U11 with row exchanges Q within blocks of FRONT_BLOCK pivots, L21 = P21 U11^-1,
 *          U12 = L11^-1 Q^T A12, kept as its transpose UT: below x width, leading dimension asp_padded_from_0(below),
 *          right after P
 *
 * and leaving - L21 D L21^T or - L21 U12 to the parent. Depends on base and kernels.h.
 */
#ifndef ASP_LINALG_FRONT_H
#define ASP_LINALG_FRONT_H

#include "linalg/kernels.h"
#include "linalg/tuning/linalg.h"

/* What pivots must satisfy, and what was found. */
typedef struct FrontPivots {
  double tolerance;        /* |pivot| at most this times size_i size_j: set aside */
  const double *size;      /* by pivot: e_i of factor.h */
  const double *least;     /* LDLT, by pivot: tolerance size_i^2 */
  double regularisation;   /* added to each diagonal entry, with its sign */
  const signed char *sign; /* by pivot; NULL: all +1, not checked */
  const int *order;        /* index of A by pivot */
  int first_pivot;         /* of the present front */
  int set_aside, first;    /* number set aside, index of A of the first; -1 */
  double smallest, largest;
} FrontPivots;

/* Number of values of a panel (with UT for LU), and of scratch that a front needs. */
static inline size_t asp_front_values(int width, int below, bool lu) {
  return (size_t)width * (size_t)(asp_padded(width + below) + (lu ? asp_padded_from_0(below) : 0));
}
static inline size_t asp_front_scratch(int width, int below) {
  int columns = width > 2 * FRONT_BLOCK ? width : 2 * FRONT_BLOCK;
  return (size_t)columns * (size_t)asp_padded(width + below);
}

/* inverse: width values, 1/D. scratch keeps L21 D for asp_front_schur_ldlt. */
void asp_front_ldlt(const AspKernels *kernels, int width, int height, double *P, double *inverse, double *scratch,
                    FrontPivots *pivots);
/* exchange: width values, the row exchanged with each, counted from the front's first pivot; inverse: 1 / U_ii */
void asp_front_lu(const AspKernels *kernels, int width, int below, double *P, double *inverse, int *exchange,
                  double *scratch, FrontPivots *pivots);

/* C (below x below, lower triangle) = - L D L^T, leading dimension asp_padded_from_0(below) */
void asp_front_schur_ldlt(const AspKernels *kernels, int width, int below, const double *P, const double *scratch,
                          double *C);
/* C (below x below) = - L U */
void asp_front_schur_lu(const AspKernels *kernels, int width, int below, const double *P, double *C);

#endif
