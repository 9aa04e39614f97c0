/* Proximal point with semismooth Newton, inside the solver layer: the method `newton`, and what the other second-order
 * methods finish with. Equations: docs/theory/proximal-newton.md.
 */
#ifndef ASP_SOLVER_NEWTON_H
#define ASP_SOLVER_NEWTON_H

#include "solver/run.h"
#include "solver/system.h"

typedef struct AspNewton {
  SolverRun *run; /* that its iterates are offered to */
  AspPrepared *prepared;
  AspSystem *system;
  const AspForm *form;
  const double *s;      /* blocks: shift held fixed (a second-order cone program); NULL: s = ||u_T|| */
  bool quiet;           /* no progress is told */
  double enough;        /* score at which stagnation ends the run; 0: none */
  double largest;       /* what rho may ever grow to; 0: follows from the score */
  double cap;           /* what rho may grow to */
  double rho;           /* proximal step, scaled units */
  bool near;            /* the start is thought to be near the solution: rho grows faster, states are tried */
  int misses;           /* attempts on held states that the judge did not accept */
  bool frozen;          /* the branch of P is that of `state`, for every x */
  signed char *state;   /* blocks: the branch of P at what was evaluated last; -1 open, 0 slips, 1 inside */
  double *y, *y_before; /* n */
  double *centre;       /* rows: r_k */
  double *centre_before;
  double best, rho_best;          /* s fixed: smallest residual of the run, and where it was */
  double *y_best, *centre_best;   /* n, rows */
  double *r, *u;                  /* rows */
  double *g, *dy, *y_trial, *rhs; /* n */
  double *correction;             /* n: the next Newton step, with the matrix of this one */
  double *diagonal;               /* n: of A */
  double *weight;                 /* blocks: the proximal step of a block over rho */
  double *D;                      /* 9 blocks */
  int iterations, factorisations; /* outer steps, Newton steps */
} AspNewton;

/* Arrays in the run's scratch. */
AspError asp_newton_take(AspNewton *newton, SolverRun *run);
/* Start at r (scaled rows) with the y that belongs to it. */
AspError asp_newton_start(AspNewton *newton, const double *r);
/* Outer steps until the residual is at most the tolerance, the limit or the deadline is reached or nothing moves any
 * more. */
AspError asp_newton_run(AspNewton *newton, double tolerance, int max_outer, AspStatus *status);

/* u, r = P(x), g and D at y, for the centre and rho that are set. Returns ||g||. */
double asp_newton_evaluate(AspNewton *newton, const double *y);
/* Natural map and imbalance at what was evaluated last, root mean square over the rows, scaled units. */
double asp_newton_residual(AspNewton *newton);
/* Newton on the inner problem for the centre and rho that are set; *steps: how many were made, *converged: g fell to
 * the accuracy asked for. */
AspError asp_newton_solve_inner(AspNewton *newton, int *steps, bool *converged);
/* From r (original units, may be the best iterate; NULL: from nothing): what the other methods finish with. Adds to the
 * run's counts and path, as all below. */
AspError asp_newton_finish(SolverRun *run, const double *r, int max_outer, AspStatus *status);

/* Sharpen the best iterate on the contact state that it shows, until rounding ends the progress. */
AspError asp_newton_polish(SolverRun *run);
/* Replace the best iterate by the solution of smallest (mu r_N, r_T) with the same velocities, where there is one
 * within the tolerance. */
AspError asp_newton_minimum_norm(SolverRun *run);
/* The same where the reaction looks inflated by self-stress: interior points drift along it. */
AspError asp_newton_deflate(SolverRun *run);
/* What every second-order method ends with: the polish where a little is missing, polish and smallest norm where the
 * settings ask for them. */
AspError asp_newton_conclude(SolverRun *run, AspStatus otherwise);

#endif
