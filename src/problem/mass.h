/* M^-1 of a contact problem. The graph of M falls apart into one component per rigid body: those are factored as small
 * dense blocks. Where a component is larger (flexible bodies, implicit springs) the sparse factorisation takes over
 * (mass_core.h).
 *
 *   M = blockdiag(M_c) up to a permutation,   x := M^-1 x,   diag(W)_j = H_j^T M^-1 H_j
 *
 * M may be unsymmetric. Depends on linalg.
 */
#ifndef ASP_PROBLEM_MASS_H
#define ASP_PROBLEM_MASS_H

#include "asperity/problem.h"
#include "problem/bodies.h"
#include "problem/mass_core.h"
#include "problem/tuning/problem.h"

/* A component that is a rigid body in space: 1/m (0: it is not), and J^-1 as xx, xy, xz, yy, yz, zz. */
typedef struct AspMassRigid {
  double inverse_mass, inverse_inertia[6];
  double mass, inertia[6]; /* m, J */
  double diagonal[3];      /* J where it is diagonal, else 0 */
} AspMassRigid;

typedef struct AspMass {
  AspContext *context;
  bool is_blocks;   /* all components are small */
  AspMassCore core; /* of a sparse M */
  int dofs;
  AspComponents components;
  AspProblemBodies bodies; /* of the problem: unions of components */
  size_t *at;              /* components.count + 1: where the block's factors start */
  double *LU;              /* at[components.count] */
  int *pivot;              /* dofs, by member */
  AspMassRigid *rigid;     /* components.count, where all components are small */
  int *place;              /* dofs: position of a dof in its component */
  int *seen;               /* components.count: the last visit of asp_mass_solve_columns that met the component */
  int *touched;            /* components.count + 1, scratch of the diagonal */
  int visit;
  double *work; /* dofs, or dofs x ASP_MASS_PANEL of a sparse M without symmetry */
} AspMass;

void asp_mass_init(AspMass *mass, AspContext *context);
void asp_mass_free(AspMass *mass);
/* Factor M and take the problem's bodies; what it needs lies in the arena until the next call. A singular M is refused
 * with the dof named. H's rows must be in range where the problem does not give its bodies. */
AspError asp_mass_factor(AspMass *mass, AspArena *arena, const AspContactProblem *problem);
/* The rigid body whose six dofs begin at `dof`; NULL where M has none there. */
static inline const AspMassRigid *asp_mass_rigid_at(const AspMass *mass, int dof) {
  if (!mass->is_blocks)
    return NULL;
  int b = mass->components.of[dof], first = mass->components.start[b];
  const AspMassRigid *rigid = &mass->rigid[b];
  return mass->components.member[first] == dof && rigid->inverse_mass > 0 ? rigid : NULL;
}
/* h^T M^-1 h for the six entries of a column at a rigid body */
static inline double asp_mass_rigid_square(const AspMassRigid *body, const double *h) {
  const double *J = body->inverse_inertia;
  return body->inverse_mass * (h[0] * h[0] + h[1] * h[1] + h[2] * h[2]) +
         (J[0] * h[3] * h[3] + J[3] * h[4] * h[4] + J[5] * h[5] * h[5]) +
         2 * (J[1] * h[3] * h[4] + J[2] * h[3] * h[5] + J[4] * h[4] * h[5]);
}
/* x := M^-1 x */
AspError asp_mass_solve(AspMass *mass, double *x);
/* Some columns of H, of the blocks from `block` to `block_end` - 1. */
typedef struct AspMassColumns {
  int block, block_end;
  int first, count; /* columns */
} AspMassColumns;
/* Z = M^-1 H of these columns as dense columns of length dofs. `touched` (components.count + 1 ints) receives the
 * components of the blocks' bodies, where Z may be nonzero, ended by -1; of a sparse M none, Z may be nonzero
 * everywhere. Z must be zero on entry; asp_mass_clear_columns makes it so again. */
AspError asp_mass_solve_columns(AspMass *mass, const AspContactProblem *problem, AspMassColumns columns, double *Z,
                                int *touched);
void asp_mass_clear_columns(const AspMass *mass, int count, double *Z, const int *touched);
/* The mass of the problem that the judge was reset to, factored until the next reset. For solvers: M is
 * factored once. */
AspMass *asp_judge_mass(AspJudge *judge);
/* diagonal[j] = H_j^T M^-1 H_j. Scratch from the arena, given back. */
AspError asp_mass_delassus_diagonal(AspMass *mass, AspArena *arena, const AspContactProblem *problem, double *diagonal);

#endif
