/* Solves whose answers are intermediate results of a step. Depends on asperity/solver.h. */
#ifndef ASP_SOLVER_TRIAL_H
#define ASP_SOLVER_TRIAL_H

#include "asperity/solver.h"

/* asp_solver_solve without bounds on the rounding of the residual: for what is not recorded as certified. */
AspError asp_solver_try(AspSolver *solver, const AspContactProblem *problem, double *r, double *u, double *x,
                        AspSolverInfo *info);

#endif
