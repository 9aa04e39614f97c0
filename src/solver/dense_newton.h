/* Few contacts in local form, W full: semismooth Newton on Alart and Curnier's map, from the last step's reactions.
 *
 *   F(r) = r - P(x) = 0,   x = r - rho u,   u = W r + q,   J = 1 - P'(x) (1 - rho W)
 *
 *   UNILATERAL   P = max(x, 0)
 *   COULOMB      P_N = max(x_N, 0),   P_T = x_T brought into the disc of radius mu P_N
 *   SLIDING      P_N = max(x_N, 0),   P_T = -mu P_N d
 *   BOX          P = x brought into [-limit, limit]
 *   BALL         P = x where |x| <= limit, else limit x/|x|
 *
 * with rho = 1 / W_ii. One Newton step on the right states (open, stick, slip) is the solution but for the turn of slip
 * directions, so that a start from the last step needs one to three of them. In J a small compliance stands beside W:
 * where contacts are redundant the change of r is then the smallest that will do. No step is shortened. Where more rows
 * stick than there are dofs, whose rates contradict each other by rounding or by a little, some of them must slip, and
 * plain steps jump; then proximal steps follow, from the same start:
 *
 *   r+ solves   u = (W + s D) r+ + q - s D r,   D = diag(1/rho),   s from DENSE_NEWTON_PROXIMAL down
 *
 * each a regular problem near r, for which a Newton step or two suffice. Set-up costs no more than the matrix. Sources:
 * P. Alart and A. Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991) 353-375; R. T. Rockafellar, SIAM J. Control
 * Optim. 14 (1976) 877-898. Depends on linalg.
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
