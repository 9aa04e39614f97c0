/* What a residual becomes when a law's own data are off: coefficients or directions that should follow from the
 * solution.
 */
#ifndef ASP_PROBLEM_RESIDUAL_H
#define ASP_PROBLEM_RESIDUAL_H

#include "asperity/problem.h"

/* Add a discrepancy (Euclidean norm over the blocks, unit of r) to E1, E2, E3 and exact, as rows of the natural map of
 * their own. */
void asp_residual_add(AspResidual *residual, double discrepancy);

#endif
