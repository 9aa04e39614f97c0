/* Products with H block by block, where every block acts on whole rigid bodies.
 *
 *   x += H r,   u = H^T x + w,   diag(W)_j = H_j^T M^-1 H_j
 *
 * The columns of such a block stand in the same rows: the six dofs of one body, or of two, each of them a component of
 * M. One or two numbers per block tell that, and a pass then reads the values of H alone, those of a block at once.
 * Products and sums in the same order as in sparse.h and mass.h, so that results do not depend on which is used.
 * Depends on mass.h.
 */
#ifndef ASP_PROBLEM_BLOCK_COLUMNS_H
#define ASP_PROBLEM_BLOCK_COLUMNS_H

#include "asperity/problem.h"
#include "problem/mass.h"

/* First dofs of the bodies, ascending; the second is negative where there is one body only, the first, too, where the
 * block is of another kind: its columns are then read entry by entry. */
typedef struct AspBlockBodies {
  int dof[2];
} AspBlockBodies;

/* The bodies of the blocks from `from` to `end` - 1 into bodies[from ..]; false when a block is of another kind, or the
 * rows of H are not those of its bodies: they need not have been looked at before. The mass is that of the problem. */
bool asp_block_bodies_find(const AspContactProblem *problem, const AspMass *mass, int from, int end,
                           AspBlockBodies *bodies);

/* The same from H alone: runs of six dofs, in range, whatever M couples them with. How many blocks are of another
 * kind. */
int asp_block_runs_find(const AspContactProblem *problem, int from, int end, AspBlockBodies *runs);

/* Rows of the blocks from `from` to `end` - 1 of u = H^T x + w, and of diag(W): an entry of H that is not finite makes
 * that of its column not finite, since M^-1 is positive definite. */
void asp_blocks_velocity(const AspContactProblem *problem, const AspBlockBodies *bodies, const double *x, int from,
                         int end, double *u);
void asp_blocks_diagonal(const AspContactProblem *problem, const AspBlockBodies *bodies, const AspMass *mass, int from,
                         int end, double *diagonal);
/* Rows of |H|^T y, y not negative. */
void asp_blocks_sizes(const AspContactProblem *problem, const AspBlockBodies *bodies, const double *y, int from,
                      int end, double *sum);
/* size += |H| |r|, and the number of terms of each sum is added to `terms`; in parallel by the context's team. */
void asp_blocks_push_sizes(AspContext *context, const AspContactProblem *problem, const AspBlockBodies *bodies,
                           const double *r, double *size, int *terms);
/* x += H r, in parallel by the context's team. */
void asp_blocks_push(AspContext *context, const AspContactProblem *problem, const AspBlockBodies *bodies,
                     const double *r, double *x);

#endif
