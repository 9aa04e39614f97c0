/* Primal-dual interior point for the prepared problem, inside the solver layer: `ipm` runs it with the shift s updated
 * at every step, `aclm` with s held fixed (then it solves a second-order cone program).
 *
 *   A y = F r + f,   u = V^T y + w + eps r,   z = u + s n,   r o z = sigma mu e,   s = ||z_T|| or given
 *
 * Equations and safeguards: docs/theory/interior-point.md.
 */
#ifndef ASP_SOLVER_IPM_H
#define ASP_SOLVER_IPM_H

#include "solver/run.h"
#include "solver/soc.h"
#include "solver/system.h"

typedef struct AspIpm {
  AspPrepared *prepared;
  AspSystem *system;
  const AspForm *form;
  const double *s;      /* blocks: the fixed shift; NULL: s = ||z_T|| */
  double largest_theta; /* what theta grows to while steps are long */
  double theta;         /* weight of the derivative of s in the matrix, 0 .. 1; 0 when s is fixed */
  double mu;            /* mean complementarity */
  double eps;           /* regularisation of W, proportional to mu */
  double centring;      /* smallest squared eigenvalue of lambda over mu */
  double *y;            /* n */
  double *r, *z;        /* rows, strictly inside their cones (BOX rows of z unused, EQUALITY rows of z unused) */
  double *low, *high;   /* blocks: multipliers of r >= -limit and r <= limit of BOX */

  /* scratch */
  double *u, *rp, *g, *rhs;      /* rows, rows, n, n */
  double *dy, *dr, *dz, *du, *e; /* n, rows, rows, rows, rows */
  double *dlow, *dhigh;          /* blocks */
  double *D, *C;                 /* 9 blocks: D, and (1 + eps Theta G)^-1 */
  SocScaling *scaling;           /* blocks */
  int cones;                     /* complementarity pairs that make mu */
  int factorisations;
} AspIpm;

/* Arrays in the run's scratch; the system of the prepared problem is there. */
AspError asp_ipm_take(AspIpm *ipm, SolverRun *run);
/* Start from nothing, or from r and the velocities u that belong to it (scaled rows), moved inside the cones by at
 * least `distance`. */
void asp_ipm_cold_start(AspIpm *ipm);
AspError asp_ipm_warm_start(AspIpm *ipm, const double *r, double distance);

/* One predictor-corrector step. last_step: length of the step before (1 at first), replaced by this one's.
 * *regular: false when the matrix or the iterate broke down, nothing is changed then. */
AspError asp_ipm_step(AspIpm *ipm, double *last_step, bool *regular);

#endif
