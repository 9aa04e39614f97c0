/* Independent parts of a contact problem. Two blocks belong together when they act on the same body (bodies.h), or, in
 * local form, when W couples them. The solution of the whole is the union of the
 * solutions of the parts.
 */
#ifndef ASP_SOLVER_ISLANDS_H
#define ASP_SOLVER_ISLANDS_H

#include "asperity/problem.h"
#include "base/base.h"
#include "problem/bodies.h"

typedef struct AspIslands {
  int count;
  int *start;              /* count + 1: blocks of island k are block[start[k]] .. block[start[k + 1] - 1], ascending */
  int *block;              /* blocks of the problem */
  int *of_block;           /* blocks: island */
  int *dof_start;          /* count + 1: the same for the dofs of the bodies that some block acts on */
  int *dof;                /* dofs of the problem */
  int *place_of_dof;       /* dofs: place in its island; filled where an island is extracted */
  int *place_of_row;       /* rows of the local form: the same */
  AspProblemBodies bodies; /* of the problem; none in local form */
  int *place_of_body;      /* bodies: place in its island; filled where an island is extracted */
} AspIslands;

/* Islands ordered by their smallest block, all in the arena. bodies: of the problem where they are known, and then
 * borrowed as long as the islands live; NULL: those that it gives, or found. */
AspError asp_islands_find(AspArena *arena, const AspContactProblem *problem, const AspProblemBodies *bodies,
                          AspIslands *islands);
/* Room that the copy of one island takes at most. */
size_t asp_island_bytes(const AspContactProblem *problem);
/* The problem of island k with its bodies in the arena (borrowing nothing); row[j] is the original row of its row j. */
AspError asp_island_extract(AspArena *arena, const AspContactProblem *problem, const AspIslands *islands, int k,
                            AspContactProblem *part, int **row);

#endif
