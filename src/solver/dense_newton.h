/* Few contacts in local form, W full: semismooth Newton on Alart and Curnier's map, from the last step's reactions.
 *
 *   F(r) = r - P(x) = 0,   x = r - rho u,   u = W r + q,   J = 1 - P'(x) (1 - rho W)
 *
 *   UNILATERAL   P = max(x, 0)
 *   COULOMB      P_N = max(x_N, 0),   P_T = x_T brought into the disc of radius mu P_N
 *   SLIDING      P_N = max(x_N, 0),   P_T = -mu P_N d
 *   BOX          P = x brought into [-limit, limit]
 *
 * with rho = 1 / W_ii. One Newton step on the right states (open, stick, slip) is the solution but for the turn of slip
 * directions, so that a start from the last step needs one to three of them. In J a small compliance stands beside W:
 * where contacts are redundant the change of r is then the smallest that will do. No step is shortened: what does not
 * arrive within a few, with rho and then with a smaller one that keeps the states of the start longer, is for other
 * methods. Set-up costs no more than the matrix. Source: P. Alart and A. Curnier,
 * Comput. Methods Appl. Mech. Eng. 92 (1991) 353-375. Depends on linalg.
 */
#ifndef ASP_SOLVER_DENSE_NEWTON_H
#define ASP_SOLVER_DENSE_NEWTON_H

#include "asperity/problem.h"
#include "base/base.h"

/* Are all laws of those above, and W not too large? Relaxed cones and polygons in space are not. */
bool asp_dense_newton_takes(const AspContactProblem *problem);
/* problem: local form, W with all entries (column-major); r: the start, then the iterate with the smallest ||F||.
 * *steps: factorisations; *arrived: ||F|| is as small as it gets. */
AspError asp_dense_newton_solve(AspArena *arena, const AspContactProblem *problem, double *r, int *steps,
                                bool *arrived);

#endif
