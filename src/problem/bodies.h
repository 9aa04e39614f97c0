/* Which blocks of a contact problem act on which body.
 *
 * A body is a set of dofs such that M is block diagonal by bodies. The components of M are the smallest such sets, but
 * a rigid body whose M is diagonal falls apart into six of them: neighbouring components on which the same blocks act
 * are joined again, up to the dofs of a rigid body. Wrong guesses cost time only. Depends on linalg.
 */
#ifndef ASP_PROBLEM_BODIES_H
#define ASP_PROBLEM_BODIES_H

#include "asperity/problem.h"
#include "linalg/sparse.h"

/* Both ways, lists without repetition. */
typedef struct AspContactGraph {
  int *component_start; /* blocks + 1 */
  int *component;       /* by block */
  int *block_start;     /* components + 1 */
  int *block;           /* by component, ascending */
} AspContactGraph;

AspError asp_contact_graph(AspArena *arena, const AspContactProblem *problem, const AspComponents *components,
                           AspContactGraph *graph);
/* Components of M joined to bodies, and the graph of the bodies. */
AspError asp_bodies_find(AspArena *arena, const AspContactProblem *problem, AspComponents *bodies,
                         AspContactGraph *graph);

#endif
