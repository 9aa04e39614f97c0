/* The local form W = H^T M^-1 H, q = H^T M^-1 f + w as block-sparse matrix in an arena: for solvers that work on W and
 * must not allocate. asp_problem_reduce is made of it. */
#ifndef ASP_PROBLEM_REDUCE_H
#define ASP_PROBLEM_REDUCE_H

#include "asperity/problem.h"
#include "linalg/block_sparse.h"
#include "problem/mass.h"

/* The problem must be valid and have its global form; `mass` is its M, factored. W and q (rows) lie in the arena. */
AspError asp_reduce(AspArena *arena, const AspContactProblem *problem, AspMass *mass, AspBlockSparse *W, double **q);

#endif
