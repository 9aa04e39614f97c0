/* Dense systems that may be singular: joints whose constraints repeat each other. */
#ifndef ASP_PROBLEM_PSEUDO_SOLVE_H
#define ASP_PROBLEM_PSEUDO_SOLVE_H

#include "base/base.h"

/* B <- A^+ B for the n x n matrix A and n x count right-hand sides (column-major, leading dimension n); A is destroyed.
 * *rank receives the numerical rank. Of all least-squares solutions the one that is smallest in the norm
 * sum_i |A_ii| x_i^2, which does not depend on units. */
AspError asp_pseudo_solve(AspArena *arena, int n, double *A, int count, double *B, int *rank);

#endif
