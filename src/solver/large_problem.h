/* Large problems of rigid bodies (piles, packings, walls), before the general methods take over:
 *
 *   1. the judge looks at the start: near rest that is all there is to do
 *   2. packed Gauss-Seidel on the islands that miss their share of the tolerance, from the best start there is
 *   3. where sweeps stall, the subproblems that hold the residual by the second-order methods (subproblem.h), and
 * sweeps again
 *   4. what that leaves open, island by island through all methods, from where the sweeps ended
 *
 * The share of an island: its part of ||F||^2 may be as large as its part of the contacts, and each of its contacts
 * as wrong as any; where every island keeps to that, the whole problem does.
 */
#ifndef ASP_SOLVER_LARGE_PROBLEM_H
#define ASP_SOLVER_LARGE_PROBLEM_H

#include "solver/method.h"

/* r (rows): the start, then the best answer; u (rows), x (dofs) as in asp_solver_solve. suggestion: another start, may
 * be NULL. *done: nothing is left to do, by the judge's word or because no other method was asked for. */
AspError asp_large_problem_solve(SolverRun *run, const double *suggestion, double *r, double *u, double *x, bool *done);

/* Large enough for it? */
bool asp_is_large_problem(const AspContactProblem *problem);

/* One island through all methods from r on; in solver.c. */
AspError asp_solver_solve_part(SolverRun *run, const AspContactProblem *problem, double tolerance,
                               double tolerance_contact, double *r, AspSolverInfo *info);

#endif
