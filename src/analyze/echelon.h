/* Small dense linear systems of any rank, by Gauss elimination with complete pivoting: A x = b, the rank of A, one
 * solution and a basis of the null space. Data are expected of order 1. Depends on base. */
#ifndef ASP_ANALYZE_ECHELON_H
#define ASP_ANALYZE_ECHELON_H

#include "base/base.h"

typedef struct AspEchelon {
  int rows, columns, rank;
  double *x;           /* columns: a solution with free unknowns 0 (of the rows that could be met) */
  double *null_space;  /* (columns - rank) vectors of length columns, each of largest entry 1 */
  double inconsistent; /* largest |b| left in a dependent row */
} AspEchelon;

/* A: rows x columns, row-major; A and b are destroyed. Results lie on the arena. Pivots below tolerance times the
 * largest entry count as zero. */
AspError asp_echelon(AspArena *arena, int rows, int columns, double *A, double *b, double tolerance, AspEchelon *out);

#endif
