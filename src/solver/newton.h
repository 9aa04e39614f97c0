/* Proximal point with semismooth Newton, inside the solver layer: the method `newton`, and what the other second-order
 * methods finish with. Equations: docs/theory/proximal-newton.md.
 */
#ifndef ASP_SOLVER_NEWTON_H
#define ASP_SOLVER_NEWTON_H

#include "solver/prepared.h"
#include "solver/system.h"

typedef struct AspNewton {
  AspPrepared *prepared;
  AspSystem *system;
  const AspForm *form;
  double rho;           /* proximal step, scaled units */
  double *y, *y_before; /* n */
  double *centre;       /* rows: r_k */
  double *centre_before;
  double *r, *u;                  /* rows */
  double *g, *dy, *y_trial, *rhs; /* n */
  double *D;                      /* 9 blocks */
  int iterations, factorisations; /* outer steps, Newton steps */
} AspNewton;

/* Arrays in the prepared problem's scratch. */
AspError asp_newton_take(AspNewton *newton, AspPrepared *prepared);
/* Start at r (scaled rows) with the y that belongs to it. */
AspError asp_newton_start(AspNewton *newton, const double *r);
/* Outer steps until the judge is content, the limit or the deadline is reached or nothing moves any more. */
AspError asp_newton_run(AspNewton *newton, const AspMethodOptions *options, int max_outer, AspStatus *status);

/* From the best iterate so far: what the other methods finish with. Adds to info's counts and path. */
AspError asp_newton_finish(AspPrepared *prepared, const AspMethodOptions *options, int max_outer, AspMethodInfo *info,
                           AspStatus *status);

#endif
