/* Newton on the shift s, inside the solver layer: what `aclm` is made of, open to tests. Equations:
 * docs/theory/newton-on-s.md.
 */
#ifndef ASP_SOLVER_ACLM_H
#define ASP_SOLVER_ACLM_H

#include "solver/ipm.h"
#include "solver/newton.h"

typedef struct AspAclm {
  SolverRun *run; /* that its iterates are offered to */
  AspPrepared *prepared;
  AspIpm ipm;           /* with s held fixed: solves the program from nothing */
  AspNewton newton;     /* with s held fixed: makes it sharp, and solves it from a neighbouring one */
  bool interior_ready;  /* ipm stands inside the cones near the solution for s */
  bool has_program;     /* y and r belong to a program that was solved */
  double *y, *r;        /* n, rows: solution of the program for s, scaled */
  double *s, *G;        /* blocks: the shift and G_i(s) = ||u_Ti(s)||, scaled */
  double *s_solved;     /* blocks: the shift of the last program that was solved */
  double *s_trial, *ds; /* blocks */
  double infeasibility; /* root mean square of G - s, scaled: sets how sharp the next program must be */
  double *t;            /* 2 per block: direction of sliding; 0 where the contact sticks */
  int programs;         /* second-order cone programs solved */
  int interior;         /* interior-point steps in them */
  double program_error; /* residual of the last program, scaled */
} AspAclm;

AspError asp_aclm_take(AspAclm *aclm, SolverRun *run);
/* Solve the program for aclm->s: y, r, G. *solved: false when it could not (for instance without feasible point). */
AspError asp_aclm_program(AspAclm *aclm, bool *solved);
/* dG = G'(s) ds (blocks each; ds and dG may not overlap) at the program just solved. */
AspError asp_aclm_derivative(AspAclm *aclm, const double *ds, double *dG);
/* ds = the Newton step for G(s) - s = 0 at the program just solved. */
AspError asp_aclm_newton_step(AspAclm *aclm, double *ds);
/* ||G - s|| and its ratio to max(1, ||s||), both in the units of the original velocities. */
double asp_aclm_infeasibility(const AspAclm *aclm, double *relative);

#endif
