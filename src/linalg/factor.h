/* Sparse direct factorisation behind one small interface: analyse a pattern once, factor its values many times, solve
 * with many right-hand sides.
 *
 *   LDLT   A = P L D L^T P^T, symmetric, pivots on the diagonal: positive definite or quasi-definite A. The lower
 *          triangle is read.
 *   LU     A = P L U P^T on the pattern of A + A^T, row exchanges within dense diagonal blocks only: A unsymmetric in
 *          values and dominated by its symmetric positive definite part (body matrices M + H D H^T with unsymmetric D).
 *
 * Nothing is hidden in globals; equal input gives equal bits. Depends on base,
 * sparse.h and libamd; no BLAS (docs/decisions/0001-sparse-factorisation.md).
 */
#ifndef ASP_LINALG_FACTOR_H
#define ASP_LINALG_FACTOR_H

#include "linalg/sparse.h"
#include "linalg/tuning/linalg.h"

typedef enum AspFactorKind { ASP_FACTOR_LDLT, ASP_FACTOR_LU } AspFactorKind;

typedef struct AspFactorOptions {
  double pivot_tolerance; /* a pivot in row i, column j of at most this times e_i e_j counts as zero, e_i^2 being |a_ii|
                             or, where that is zero, the largest (a_ik / e_k)^2: what is left of a pivot after such
                             cancellation is rounding. Does not depend on the scaling of A. */
  double regularisation;  /* > 0: sign_i times this is added to diagonal entry i before factoring (LDLT, LU) */
  const double *size;     /* n, e_i where the caller knows them; NULL: found from A */
  const signed char *sign; /* n, +1 or -1: the signs that the pivots of a quasi-definite A must have; NULL: no check for
                              LDLT and all +1 for the regularisation */
} AspFactorOptions;
static inline AspFactorOptions asp_factor_default_options(void) {
  return (AspFactorOptions){.pivot_tolerance = ASP_FACTOR_PIVOT_TOLERANCE};
}

/* How a factorisation went. A pivot that counts as zero, is not finite or has the wrong sign is set aside: its unknown
 * becomes 0 in every solve. With a consistent right-hand side and a semidefinite A that is a solution; otherwise it is
 * not: check `set_aside`. */
typedef struct AspFactorInfo {
  int set_aside;            /* number of pivots set aside; 0: A is regular */
  int first;                /* index in A of the first of them; -1: none */
  double smallest, largest; /* |pivot|, over those used */
  size_t entries;           /* stored entries of the factors */
} AspFactorInfo;

typedef struct AspFactor AspFactor;
AspError asp_factor_create(AspContext *context, AspFactor **factor);
void asp_factor_destroy(AspFactor *factor);

/* Order the pattern of A and lay out its factors; values are not read. Memory of an earlier analysis is reused. */
AspError asp_factor_analyse(AspFactor *factor, AspFactorKind kind, const AspSparse *A);
/* The same, LDLT, for a saddle matrix
 *
 *   A = [ M    .  ]     M: `definite` x `definite`, positive definite;  the rows of H^T come after M's
 *       [ H^T  0  ]
 *
 * in an order in which every row of H^T is eliminated after all indices of M that it couples with: its pivot is then
 * one of -H^T M^-1 H, negative, or zero where the row depends on rows before it. Trees of bodies and joints are
 * eliminated from the leaves without fill between branches. */
AspError asp_factor_analyse_saddle(AspFactor *factor, int definite, const AspSparse *A);
/* Factor A, whose pattern is the analysed one. options and info may be NULL. */
AspError asp_factor_compute(AspFactor *factor, const AspSparse *A, const AspFactorOptions *options,
                            AspFactorInfo *info);
/* X := A^-1 X; X: n x columns, column-major, leading dimension ldx. */
AspError asp_factor_solve(AspFactor *factor, int columns, double *X, int ldx);
/* square[j] = H_j^T A^-1 H_j for `count` columns j of H, those of the list, where row i of H is row index[i] of A, or
 * none if that is negative; LDLT only. Costs forward solves through the fronts that a column reaches. */
AspError asp_factor_squares(AspFactor *factor, const AspSparse *H, const int *index, int count, const int *column,
                            double *square);
/* Find the entries of A^-1 between indices that share a front; LDLT only. They hold until the next factorisation. About
 * as much work as that, but vector by vector: *worth: false, and nothing is found, where fronts are large. */
AspError asp_factor_invert(AspFactor *factor, bool *worth);
/* Z = A^-1 at these rows and columns, count x count; false: they do not share a front, or are too many. */
bool asp_factor_inverse_entries(const AspFactor *factor, int count, const int *index, double *Z);
/* G = C^T A^-1 C, count x count, column-major, for C = the columns listed of H, whose rows are the first of A's; LDLT
 * only. Scratch from the arena, given back. */
AspError asp_factor_gram(AspFactor *factor, AspArena *arena, const AspSparse *H, int count, const int *column,
                         double *G);
/* A bound of ||(S L D L^T S)^-1|| in the largest sum of a row, S = diag(scale) > 0, up to the rounding of sums of n
 * positive terms twice over; infinite where a pivot is not positive. LDLT only. work: n. */
double asp_factor_inverse_bound(const AspFactor *factor, const double *scale, double *work);
/* Was the pivot of this index of A set aside by the last factorisation? */
bool asp_factor_is_set_aside(const AspFactor *factor, int index);
/* The next analysis starts again, whatever pattern it has. */
void asp_factor_forget(AspFactor *factor);
/* Stored entries of the factors as analysed. */
size_t asp_factor_entries(const AspFactor *factor);

#endif
