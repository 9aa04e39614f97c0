/* Beside the judge's sums: the residual block by block, and what it becomes when a law's own data are off
 * (coefficients or directions that should follow from the solution).
 */
#ifndef ASP_PROBLEM_RESIDUAL_H
#define ASP_PROBLEM_RESIDUAL_H

#include "asperity/problem.h"

/* Add a discrepancy (Euclidean norm over the blocks, unit of r) to E1, E2, E3 and exact, as rows of the natural map of
 * their own. */
void asp_residual_add(AspResidual *residual, double discrepancy);

/* Measure against data of at least this norm of q (finite) in all denominators, and in those of what is added later. A
 * lower floor than the present one changes nothing. */
void asp_residual_floor(AspResidual *residual, double least_q);

/* Sizes of a block's natural map: at rho, at 1, at rho with the exact cone, and for contacts at 1/W_NN. */
typedef struct AspBlockError {
  double map, unit, exact, contact;
} AspBlockError;

/* Seconds of wall clock that the judge took since it was asked last. */
double asp_judge_take_time(AspJudge *judge);

/* rho and ||q|| of the judge's problem. */
void asp_judge_scales(const AspJudge *judge, double *rho, double *norm_q);

/* Those of the last residual, one per block; valid until the judge's next call. */
const AspBlockError *asp_judge_block_errors(const AspJudge *judge);

#endif
