/* A cheap test for one motion at most, whatever the load: friction that is small against the inertia at the contacts.
 *
 * Two solutions of u = W r + q differ by dr and du = W dr. For every contact dr_N du_N <= 0, and since friction
 * opposes slip dr_T.du_T <= -mu dr_N d||u_T|| <= mu |dr_N| ||du_T||; joints do no work, dry joints never less than
 * none. With y = M^1/2 dx, |y|^2 = dr.W dr, split into its part in the range of all rows but the normals with friction
 * and the part y' across:
 *
 *   |y|^2 <= sum mu_i |dr_Ni| ||du_Ti||,     ||du_Ti|| seen by the first part alone,    |y'|^2 = dr_N.S dr_N
 *   S = W_NN - W_NQ W_QQ^+ W_QN     (Q: tangents, dry joints, normals without friction; joints eliminated)
 *
 * so that kappa = lambda_max(D G W_TT G D) lambda_max(D G^-1 S^-1 G^-1 D) < 4 with D = diag sqrt(mu_i), any G = diag
 * g_i > 0, leaves y = 0: one motion, one set of normal reactions (docs/theory/existence.md). The same holds for SLIDING
 * blocks. It is nearly sharp: 1.23 for Painleve's rod at 60 degrees, where two solutions begin at mu = 1.347. Depends
 * on problem.
 */
#ifndef ASP_ANALYZE_SMALL_FRICTION_H
#define ASP_ANALYZE_SMALL_FRICTION_H

#include "analyze/tuning/analyze.h"
#include "asperity/problem.h"
#include "base/base.h"

/* W: rows x rows, symmetric up to rounding, EQUALITY rows included or eliminated. *kappa is an upper bound of
 * the least product, 0 without friction; infinite where the normal reactions of contacts with friction are redundant.
 */
AspError asp_small_friction(AspArena *arena, int blocks, const int *offset, const AspLaw *law, const double *W,
                            double *kappa);

/* The same for some blocks of a problem in global form. Infinite, too, where M is not symmetric positive definite or
 * couples many dofs. */
AspError asp_small_friction_of(AspArena *arena, const AspContactProblem *problem, int count, const int *block,
                               double *kappa);

#endif
