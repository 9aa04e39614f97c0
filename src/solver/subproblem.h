/* Subproblems: where sweeps stall, few contacts hold nearly all of the residual. Those and their neighbourhood become a
 * problem of their own, the reactions of all others held: with S the blocks of the subproblem and B its bodies,
 *
 *   M_B x = H_BS r_S + (f_B + H_BC r_C),   u_S = H_BS^T x + w_S,     C: all other blocks
 *
 * which is small enough for the second-order methods for any size of the whole. Sweeps over the whole then spread
 * what has changed. Depends on islands.h and prepared.h.
 */
#ifndef ASP_SOLVER_SUBPROBLEM_H
#define ASP_SOLVER_SUBPROBLEM_H

#include "solver/prepared.h"

/* One subproblem of the problem that `whole`'s judge was reset to (global form), from r, which receives the answer;
 * judged by the caller. *blocks: its size; 0: it would not be a small part of the problem, and r was left alone. Memory
 * of the call comes from `arena` and is given back. */
AspError asp_subproblem_improve(AspPrepared *whole, AspArena *arena, const AspContactProblem *problem,
                                const AspMethodOptions *options, double *r, int *blocks);

#endif
