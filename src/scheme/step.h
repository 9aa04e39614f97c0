/* integrate: one time-stepping scheme per file. A scheme takes a state and the contacts found at it, assembles the
 * contact problem of its step, has it solved, and moves the state to the end of the step. Depends on formulate and
 * solver; knows no collision.
 */
#ifndef ASP_SCHEME_STEP_H
#define ASP_SCHEME_STEP_H

#include "asperity/solver.h"
#include "formulate/end_state.h"
#include "model/joint_motions.h"

/* A block whose coefficient of friction follows from the slip (dependent.c). */
typedef struct AspDependent {
  int block;
  int partner;      /* the other block of a patch: sliding and spinning share their friction; -1: none */
  double rest;      /* m/s: slower is rest */
  double mu, asked; /* of the iteration before: in use, and what its slip asked for */
  double off;       /* difference of the two in the last iteration */
} AspDependent;

/* Rows along which the impulses r of a step act, and its contacts there. */
typedef struct AspBalancedRows {
  const AspFormulation *formulation;
  const AspContactFrame *frames;
  const double *r;
} AspBalancedRows;

/* What a scheme gets, and what it leaves for the certificate and the result file. Arrays live on the arena until the
 * next step. */
typedef struct AspStepWork {
  const AspModel *model;
  AspArena *arena;
  AspSolver *solver;
  bool is_trial;    /* not the solution of the step (predictor.c, locate.c): its residual needs no bound on rounding */
  AspSolver *sharp; /* improves the solution of a small problem near rest, where the error that the tolerance allows
                           adds up to creep; a proximal method, which hardly changes the reactions; may be NULL */
  double sharp_tolerance; /* of that solver: on E2 */
  AspSolver *projector;   /* of positions (project.c), whatever method the step's problem is solved by */
  double tolerance;       /* of the solver: on E2 */
  AspFrictionModel friction;
  AspImpactLaw impact;     /* Moreau-Jean */
  double dt;               /* s */
  double whole;            /* s: step that this one is a part of, as in AspStepTerms */
  double separation;       /* Stewart-Trinkle: overlaps come apart no faster, m/s; 0: within one step */
  double theta;            /* Moreau-Jean: weight of the end of the step, in [1/2, 1] */
  const double *reach;     /* bodies: of their shapes from the centre of mass, m; 0: none */
  double slop, slop_turn;  /* m, rad: contacts and limits this near are closed, drift up to this is left alone */
  double gap_tolerance;    /* m: gaps of contacts up to this size count as closed */
  AspContactFrame *frames; /* contacts at the start of the step; a projection changes their gaps */
  int frame_count;
  /* fills the start of the step's solve, and another one that may be better, into r and other (zeros on entry); NULL:
   * cold start */
  AspError (*guess)(void *user, const AspFormulation *formulation, double *r, double *other);
  void *guess_user;
  /* may replace the solution by another one of the same problem; NULL: the solver's stands */
  AspError (*choose)(void *user, struct AspStepWork *work);
  void *choose_user;

  /* the gap of a frame's contact at a state near the one it was found at, m; NULL: not known */
  double (*gap_at)(void *user, int frame, const AspState *state);
  void *gap_user;

  JointMotions *motions;              /* of the state that was looked at last; NULL: none are kept */
  const struct AspStepMemory *memory; /* of the last step (step_memory.h); NULL: none is kept */
  AspTaut taut;                       /* as in AspFormulation */
  const double *foreseen;             /* v_size: velocities of the end as a solve predicted them; NULL: none did */
  const double *time_of_impact; /* bodies: at which their impacts act; from AspSchemeType.meet on. NULL: none does */
  AspTurn *turn;                /* bodies: their rotation over the step, on the arena; NULL: see AspFormulation */
  void *own; /* what the scheme itself put here before the step (AspSchemeType.prepare); otherwise NULL */

  AspFormulation formulation; /* out: the problem with its tags */
  double *r, *u;              /* out: reactions (impulses) and relative velocities, one per row */
  double *x;                  /* out: velocities of the dofs */
  double *force;              /* out: per row, the force at the end of the step; NULL: r / dt, its mean */
  double *instant; /* out: per row, the force at the instant the step ends; NULL: the scheme does not know it */
  AspBalancedRows balanced; /* out: for the balance of the step; formulation NULL: see asp_step_balanced */
  bool *redundant;          /* out: per row, EQUALITY rows that follow from others */
  int redundant_count;
  AspDependent *dependent; /* blocks whose data follow from the solution */
  int dependent_count;
  bool unconverged;     /* out: every problem was solved, but not the step: no other method would help */
  bool too_long;        /* out: it turns bodies into each other (world/turned.c), or leaves joints apart */
  AspSolverInfo solved; /* out: the solver's status and the judge's residual */
  double aside_time;    /* out: wall clock of further solves, of predictions and projections, s; with their judges */
  double aside_judge;   /* out: of that the judges, s */
  double impact_energy; /* out: kinetic energy that impacts before the step gave, J; Poisson and sequential */
  double *impact_r;     /* out: their impulses on the rows of joints, which come first; NULL: none */
  double missed;        /* out: momentum by which loads that depend on velocities are not settled, N s */
  double gain;          /* out: largest kinetic energy that an impact of Newton's law gave, J; 0: none */
  int gain_frame;       /* out: the contact with the largest share in it */
} AspStepWork;

/* Those of the step's problem, unless the scheme says otherwise. */
static inline AspBalancedRows asp_step_balanced(const AspStepWork *work) {
  return work->balanced.formulation ? work->balanced : (AspBalancedRows){&work->formulation, work->frames, work->r};
}

/* A step each, and the problem of the next one, not solved (scheme.h). Stewart-Trinkle: conditions at the end of the
 * step, impacts inelastic. */
AspError asp_step_stewart_trinkle(AspStepWork *work, AspState *state);
AspError asp_formulate_stewart_trinkle(AspStepWork *work, const AspState *state);
/* Moreau-Jean: conditions on velocities, with restitution; positions by the theta rule. */
AspError asp_step_moreau_jean(AspStepWork *work, AspState *state);

/* Move the state by the smallest displacement that meets joints and gaps again, when something is off by more than
 * `slop` (m, rad). The frames' gaps are carried along. *more: it was taken in part, since bodies would have gone
 * farther than the frames hold; look at the contacts again. */
AspError asp_project_positions(AspStepWork *work, AspState *state, bool *more);
/* The same of joints at the end of the step just solved, where no contact and no limit acts, by the factors of its
 * solve. *met: they hold to `slop` then. */
AspError asp_project_end(AspStepWork *work, AspState *state, bool *met);

/* The state's velocities become the nearest ones that joints and prescribed motions allow. *joint receives the joint
 * whose own conditions they violated most (-1: none) and *violation that rate, m/s or rad/s. */
AspError asp_make_consistent(AspStepWork *work, AspState *state, int *joint, double *violation);

/* ---- shared by the schemes ---- */

/* Velocity of kinematic bodies for the step from t to t + dt, zeros for all others, v_size values on the arena; NULL
 * when out of memory. Mean: what takes them exactly from pose to pose; otherwise their velocity at t + dt. */
double *asp_known_velocity(const AspModel *model, AspArena *arena, const AspState *state, double dt, bool mean);
/* A copy of the state on the arena; q is NULL when out of memory. */
AspState asp_state_copied(const AspModel *model, AspArena *arena, const AspState *state);
/* A copy of the state on the arena, moved by dt along its velocities; q = NULL when out of memory. */
AspState asp_state_ahead(const AspModel *model, AspArena *arena, const AspState *state, double dt);
/* The same by a part of the step, bodies that meet something to where they do; at the time of that part. */
AspState asp_state_in_step(const AspStepWork *work, const AspState *state, double part);
/* When bodies meet something in the step, and which of its frames they meet; *times: as in AspFormulation, or NULL. */
AspError asp_step_meet(AspStepWork *work, const AspState *state, const AspStepTerms *terms, double **times);
/* Joints, contacts and dependent rows into work->formulation, with M and f by theta; forces as in
 * asp_formulate_dynamics. */
AspError asp_formulate_step(AspStepWork *work, const AspState *state, const AspState *force_state, double theta,
                            const AspStepTerms *terms);
/* What the judge says of a solution that was a trial, into work->solved. *confirmed: the velocities it finds are those
 * that the step has taken, and nothing is to be sharpened. */
AspError asp_confirm_solution(AspStepWork *work, bool *confirmed);
/* Rows of joints that follow from others, into work->redundant. */
/* Count what a solve aside took. */
static inline void asp_count_aside(AspStepWork *work, const AspSolverInfo *solved) {
  work->aside_time += solved->setup_time + solved->time;
  work->aside_judge += solved->judge_time;
}
AspError asp_find_redundant(AspStepWork *work);
/* Room for r (zeros), u and x of work->formulation.problem. */
AspError asp_take_solution(AspStepWork *work);
/* Solve work->formulation.problem into r, u, x; laws that depend on the solution included. */
AspError asp_solve_problem(AspStepWork *work, const AspState *state, bool warm);
/* The same as asp_solve_problem, from the last step's reactions, and write x into the state's velocities. */
AspError asp_solve_step(AspStepWork *work, AspState *state);

/* ---- impacts ---- */

/* Impacts by Poisson's law or one after the other, before a step of Moreau-Jean: the velocities jump. `after`: they
 * took place, and the step goes on with ASP_PHASE_AFTER. */
AspError asp_impact_stage(AspStepWork *work, AspState *state, const AspStepTerms *terms, bool *after);
/* An impact at this instant: contacts and limits up to `gap` are closed, those that approach faster than `speed` are
 * hit; the state's velocities jump. The frames' impulses receive those of the contacts; `see` is shown every problem
 * solved with its reactions, work->solved is the worst of their certificates. */
AspError asp_impact_at(AspStepWork *work, AspState *state, double gap, double speed,
                       void (*see)(void *user, const AspStepWork *work), void *user);
/* Kinetic energy that the impacts of the step just solved gave; `before`: velocities at its start (v_size), state:
 * those at its end. */
AspError asp_impact_balance(AspStepWork *work, const double *before, const AspState *state);
/* Something was given back in the step just solved: restitution of a contact or a limit, or an impact before it. */
bool asp_step_has_impact(const AspStepWork *work);
/* The worse of two certificates. */
void asp_solved_combine(AspSolverInfo *solved, const AspSolverInfo *other);

/* Where joints are redundant: the smallest reactions that do the same, in work->r. */
AspError asp_smallest_reactions(AspStepWork *work);

/* ---- laws that depend on the solution ---- */

/* Find them and choose their data from the start of the step; before the first solve. */
AspError asp_dependent_begin(AspStepWork *work, const AspState *state);
/* After a solve (iterations count from 0): change the data to what the solution asks for. True: nothing changed. */
bool asp_dependent_update(AspStepWork *work, int iteration, double tolerance);
/* Add what is left of the difference to the residual. */
void asp_dependent_judge(const AspStepWork *work, AspResidual *residual);

#endif
