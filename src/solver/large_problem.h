/* Large problems of rigid bodies (piles, packings, walls), before the general methods take over:
 *
 *   1. the start is judged: near rest it is good enough already
 *   2. packed Gauss-Seidel on the islands that miss their part of the tolerance, from the best start there is
 *   3. where sweeps stall, second-order methods on the subproblems with most of the residual (subproblem.h), then
 *      sweeps again
 *   4. what is still not solved, island by island through all methods, from the end of the sweeps
 *
 * An island's part of the tolerance: of ||F||^2 in proportion to its contacts, and for each of its contacts the same
 * bound as for any other. Where every island meets its part, the whole problem meets the tolerance.
 */
#ifndef ASP_SOLVER_LARGE_PROBLEM_H
#define ASP_SOLVER_LARGE_PROBLEM_H

#include "solver/method.h"

/* r (rows): the start, then the best answer; u (rows), x (dofs) as in asp_solver_solve. suggestion: another start, may
 * be NULL. *done: solved, as measured by the judge, or no other method was asked for. */
AspError asp_large_problem_solve(SolverRun *run, const double *suggestion, double *r, double *u, double *x, bool *done);

/* Large enough for it? */
bool asp_is_large_problem(const AspContactProblem *problem);

/* One island through all methods from r on; in solver.c. */
AspError asp_solver_solve_part(SolverRun *run, const AspContactProblem *problem, double tolerance,
                               double tolerance_contact, double *r, AspSolverInfo *info);

#endif
