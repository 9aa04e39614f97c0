/* The bodies of a contact problem: given with it (AspProblemBodies), or found here from the entries of M and H.
 *
 * A body is a set of dofs such that M is block diagonal by bodies. The components of M are the smallest such sets, but
 * a rigid body whose M is diagonal falls apart into six of them: neighbouring components on which the same blocks act
 * are joined again, up to the dofs of a rigid body. Wrong guesses cost time only. This is the only place that concludes
 * from H which bodies a block joins. Depends on linalg.
 */
#ifndef ASP_PROBLEM_BODIES_H
#define ASP_PROBLEM_BODIES_H

#include "asperity/problem.h"
#include "linalg/sparse.h"

/* Those of the problem, or found, in the arena. `components`: of M. H's entries must be sound; that given bodies hold
 * them is not looked at (asp_bodies_hold). Refuses given bodies that do not fit M. */
AspError asp_bodies_take(AspArena *arena, const AspContactProblem *problem, const AspComponents *components,
                         AspProblemBodies *bodies);
/* The same where M's components are not known. */
AspError asp_bodies_find(AspArena *arena, const AspContactProblem *problem, AspProblemBodies *bodies);
/* Have the blocks from `from` to `end` - 1 entries of H at the dofs of their bodies only? */
bool asp_bodies_hold(const AspContactProblem *problem, const AspProblemBodies *bodies, int from, int end);
/* The same of block i, whose columns have equal rows. */
bool asp_bodies_hold_alike(const AspContactProblem *problem, const AspProblemBodies *bodies, int i);
/* The same of all blocks, with a message. */
AspError asp_bodies_validate(AspContext *context, const AspContactProblem *problem);

/* The blocks that act on each body. */
typedef struct AspBodyBlocks {
  int *start; /* bodies + 1 */
  int *block; /* ascending within a body */
} AspBodyBlocks;
AspError asp_body_blocks(AspArena *arena, const AspProblemBodies *bodies, int blocks, AspBodyBlocks *of_bodies);

/* Copies on the context. */
AspError asp_bodies_copy(AspContext *context, int dofs, int blocks, const AspProblemBodies *from, AspProblemBodies *to);
void asp_bodies_release(AspContext *context, AspProblemBodies *bodies);

#endif
