/* Solves whose answers are intermediate results of a step. Depends on asperity/solver.h. */
#ifndef ASP_SOLVER_TRIAL_H
#define ASP_SOLVER_TRIAL_H

#include "asperity/solver.h"

/* asp_solver_solve without bounds on the rounding of the residual: for what is not recorded as certified. */
AspError asp_solver_try(AspSolver *solver, const AspContactProblem *problem, double *r, double *u, double *x,
                        AspSolverInfo *info);

/* What the judge says of the r of a trial, with bounds on rounding; u (rows) and x (dofs): the ones it finds. */
AspError asp_solver_certify(AspSolver *solver, const AspContactProblem *problem, const double *r, double *u, double *x,
                            AspResidual *residual);

/* How many EQUALITY rows of the last solve follow from others, where their reactions are the smallest of all that do
 * the same (saddle.h); -1: the answer may be another one. */
int asp_solver_dependent_rows(const AspSolver *solver);
/* x (dofs) := the smallest displacement in the metric of M that takes `off` (rows) from the EQUALITY rows of the
 * problem that was solved last and from others that are `held` (rows; NULL: none are), by its factors. *done: false
 * where it was solved otherwise, or the held rows do not allow it. */
AspError asp_solver_correct(AspSolver *solver, const AspContactProblem *problem, const double *off, const bool *held,
                            double *x, bool *done);

#endif
