/* integrate: one time-stepping scheme per file. A scheme takes a state and the contacts found at it, assembles the
 * contact problem of its step, has it solved, and moves the state to the end of the step. Depends on formulate and
 * solver; knows no collision.
 */
#ifndef ASP_INTEGRATE_H
#define ASP_INTEGRATE_H

#include "asperity/solver.h"
#include "formulate/formulate.h"

/* What a scheme gets, and what it leaves for the certificate and the result file. Arrays live on the arena until the
 * next step. */
typedef struct AspStepWork {
  const AspModel *model;
  AspArena *arena;
  AspSolver *solver;
  AspFrictionModel friction;
  double dt;                     /* s */
  const AspContactFrame *frames; /* contacts at the start of the step */
  int frame_count;

  AspFormulation formulation; /* out: the problem with its tags */
  double *r, *u;              /* out: reactions (impulses) and relative velocities, one per row */
  double *x;                  /* out: velocities of the dofs */
  bool *redundant;            /* out: per row, EQUALITY rows that follow from others */
  int redundant_count;
  AspSolverInfo solved; /* out: the solver's status and the judge's word */
} AspStepWork;

/* Stewart-Trinkle: velocities at the end of the step from the contact problem, positions along them. */
AspError asp_step_stewart_trinkle(AspStepWork *work, AspState *state);

/* Mean velocity of kinematic bodies over the step from t to t + dt, zeros for all others: v_size values on the arena,
 * NULL when out of memory. */
double *asp_known_velocity(const AspModel *model, AspArena *arena, const AspState *state, double dt);

#endif
