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
  double dt;               /* s */
  double theta;            /* Moreau-Jean: weight of the end of the step, in [1/2, 1] */
  double slop;             /* m, rad: contacts and limits this near are closed, drift up to this is left alone */
  double closed;           /* m: gaps of contacts up to this size count as closed */
  AspContactFrame *frames; /* contacts at the start of the step; a projection changes their gaps */
  int frame_count;
  /* fills the start of the step's solve into r (zeros on entry); NULL: cold start */
  void (*guess)(void *user, const AspFormulation *formulation, double *r);
  void *guess_user;

  AspFormulation formulation; /* out: the problem with its tags */
  double *r, *u;              /* out: reactions (impulses) and relative velocities, one per row */
  double *x;                  /* out: velocities of the dofs */
  bool *redundant;            /* out: per row, EQUALITY rows that follow from others */
  int redundant_count;
  AspSolverInfo solved; /* out: the solver's status and the judge's word */
} AspStepWork;

/* Stewart-Trinkle: conditions at the end of the step, impacts inelastic. */
AspError asp_step_stewart_trinkle(AspStepWork *work, AspState *state);
/* Moreau-Jean: conditions on velocities, with restitution; positions by the theta rule. */
AspError asp_step_moreau_jean(AspStepWork *work, AspState *state);

/* Move the state by the smallest displacement that meets joints and gaps again, when something is off by more than
 * `slop` (m, rad). The frames' gaps are carried along. */
AspError asp_project_positions(AspStepWork *work, AspState *state);

/* ---- shared by the schemes ---- */

/* Velocity of kinematic bodies for the step from t to t + dt, zeros for all others, v_size values on the arena; NULL
 * when out of memory. Mean: what takes them exactly from pose to pose; otherwise their velocity at t + dt. */
double *asp_known_velocity(const AspModel *model, AspArena *arena, const AspState *state, double dt, bool mean);
/* A copy of the state on the arena, moved by dt along its velocities; q = NULL when out of memory. */
AspState asp_state_ahead(const AspModel *model, AspArena *arena, const AspState *state, double dt);
/* Joints, contacts and dependent rows into work->formulation, with M and f by theta; forces as in
 * asp_formulate_dynamics. */
AspError asp_formulate_step(AspStepWork *work, const AspState *state, const AspState *force_state, double theta,
                            const AspStepTerms *terms);
/* Solve work->formulation.problem into r, u, x and write x into the state's velocities. */
AspError asp_solve_step(AspStepWork *work, AspState *state);

#endif
