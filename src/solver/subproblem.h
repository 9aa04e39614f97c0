/* Subproblems: where sweeps stall, few contacts hold nearly all of the residual. Those and their neighbourhood become a
 * problem of their own, the reactions of all others held: with S the blocks of the subproblem and B its bodies,
 *
 *   M_B x = H_BS r_S + (f_B + H_BC r_C),   u_S = H_BS^T x + w_S,     C: all other blocks
 *
 * which is small enough for the second-order methods for any size of the whole. Sweeps over the whole then spread
 * what has changed. Depends on islands.h and run.h.
 */
#ifndef ASP_SOLVER_SUBPROBLEM_H
#define ASP_SOLVER_SUBPROBLEM_H

#include "solver/run.h"

/* One subproblem of the problem of `run` (global form; its judge has it), from r, which receives the answer; judged by
 * the caller. *blocks: its size; 0: it would not be a small part of the problem, and r was left alone. Memory
 * of the call comes from the run's arena and is given back. */
AspError asp_subproblem_improve(const SolverRun *run, double *r, int *blocks);

#endif
