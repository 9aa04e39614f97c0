/* The step of generalized-alpha under way: what its files share.
 *
 * Symbols as in docs/theory/generalized-alpha.md: D displacement of the step in velocity coordinates, u velocity, a
 * acceleration, x_bar the averaged x; kappa, P, lambda the reactions of the three levels, each for the rows of `all`.
 * With the scheme's weights alpha_f, alpha_m, beta, gamma
 *
 *   next   = (1 - alpha_f) / (1 - alpha_m),      m(x, x_bar) = (alpha_f x - alpha_m x_bar) / (1 - alpha_m)
 *   x_bar+ = m(x, x_bar) + next x+
 *   u+     = u_0 + g a+ + U                      u_0 = u + dt ((1 - gamma) a_bar + gamma m(a, a_bar))
 *                                                g   = dt gamma next
 *   D      = D_0 + b a+ + Q                      D_0 = dt u + dt^2/2 ((1 - 2 beta) a_bar + 2 beta m(a, a_bar))
 *                                                b   = dt^2 beta next
 *
 * and the same for the forces (P_0, kappa_0). Not seen outside.
 */
#ifndef ASP_SCHEME_GENERALIZED_ALPHA_H
#define ASP_SCHEME_GENERALIZED_ALPHA_H

#include "scheme/scheme.h"
#include "scheme/tuning/generalized_alpha.h"

typedef enum AspAlphaLevel {
  ASP_ALPHA_POSITION,
  ASP_ALPHA_VELOCITY,
  ASP_ALPHA_ACCELERATION,
  ASP_ALPHA_LEVELS
} AspAlphaLevel;

/* What is carried from step to step (generalized_alpha_memory.c), and what is asked about the end of the step. Forces
 * per unit of time, one per row of `all`; barred ones are the scheme's weighted means. */
typedef struct AspAlpha {
  double rho_inf;                      /* in [0, 1] */
  AspSolver *fine;                     /* solves small problems to rounding */
  AspSolver *large[ASP_ALPHA_LEVELS];  /* solve large problems: one each, since they learn from their problems */
  AspSolver *coarse[ASP_ALPHA_LEVELS]; /* the same, roughly, in early passes */
  AspJudge *judge;                     /* of large problems, whether they need another pass */
  bool first;                          /* nothing is carried yet: forces and accelerations follow from the state */
  double *a, *a_bar;                   /* dofs: at the start of the step, then at its end; m/s^2, rad/s^2 */
  double *known;                       /* v_size: accelerations at the start of the step; of the first one zeros */
  double *times;                       /* bodies: when they meet something in the step, as in AspFormulation; or NULL */
  /* forces of the last step's rows, zeros where a row is new */
  void (*recall)(void *user, const AspFormulation *all, double *lambda, double *lambda_bar);
  /* frames (with gaps, laws kept) and the roundness of their two sides at another state */
  AspError (*look)(void *user, const AspState *state, AspContactFrame *frames, AspRoundness *round);
  void *user;
  AspFormulation all;          /* out: all conditions at the end of the step */
  double *lambda, *lambda_bar; /* out */
  double *P;                   /* out: impulses */
  int iterations;              /* out: passes over the three levels */
  int combinations;   /* out: combinations of contact modes that were tried; 0: the passes converged by themselves */
  double residual[3]; /* out: E2 of position, velocity, acceleration level */
  double defect[3];   /* out: last change of displacement, velocity, acceleration, relative to their sizes */
} AspAlpha;

typedef struct AlphaWeights {
  double alpha_m, alpha_f, gamma, beta;
  double dt, next, g, b;
} AlphaWeights;

/* What a block does at the end of the step. */
typedef enum AlphaMode {
  ALPHA_OPEN,  /* no reaction at velocity and acceleration level */
  ALPHA_PARTS, /* closed, but parting: none at acceleration level */
  ALPHA_STICK, /* stuck: all rows at acceleration level */
  ALPHA_SLIP   /* slips: friction is known */
} AlphaMode;

/* A mode that a block is held in, in place of its law (generalized_alpha_modes.c). */
typedef enum AlphaHold {
  ALPHA_FREE,
  ALPHA_HOLD_OPEN,
  ALPHA_HOLD_STICK,
  ALPHA_HOLD_SLIP,     /* in the plane: towards +t; in space along the slip of the last pass */
  ALPHA_HOLD_SLIP_BACK /* in the plane: towards -t */
} AlphaHold;

typedef struct AlphaMixing {
  double *z, *F, *G; /* of the last pass */
  double *dF[ALPHA_HISTORY], *dG[ALPHA_HISTORY];
  int count, passes;
} AlphaMixing;

typedef struct AlphaStep {
  AspStepWork *work;
  AspAlpha *alpha;
  AlphaWeights weights;
  const AspState *start;
  AspState end;
  int dofs, size;      /* of the model; with room for load couplings */
  double *u_0, *D_0;   /* size */
  double *D, *u, *a;   /* size: the iterate */
  double *h;           /* size: forces at the iterate */
  double *friction;    /* size: W_F (b lambda_F + dt/2 Lambda_F), of the last pass or mixed */
  double *inverse;     /* dofs: 1 / M_jj at the iterate */
  AspRoundness *round; /* 2 per frame */
  AspEndRows rows;
  int row_count, block_count; /* of alpha->all; the same in all passes */
  double *old, *old_bar;      /* rows: forces of the last step */
  double *kappa, *P, *lambda; /* rows */
  double *metric;             /* rows: H_k^T diag(M)^-1 H_k */
  AlphaMode *mode;            /* blocks */
  double *slip;               /* 3 per block: direction of slip at acceleration level */
  int *contact_block;         /* frames: their block */
  AlphaHold *hold;            /* blocks */
  int *flips;                 /* blocks: how often the mode changed in the passes */
  bool *closed;               /* blocks: in A, the gap is closed or pressed */
  int *velocity_rows;         /* rows of the velocity level among them */
  bool early;                 /* the passes are far from the end: large problems are solved roughly */
  bool diverged;              /* the last passes ended with velocities that mean nothing */
  bool judging;               /* passes judge what the reactions come to instead of solving for them */
  AspSolverInfo position, velocity, acceleration;
  AlphaMixing mixing;
  double stiffness; /* largest row sum of |M + g C + b K| over M_jj: how rounding of D grows in forces; 1: nothing is */
  double scale[3];  /* of D, u, a: sizes that their errors are relative to */
  double change[3]; /* relative to these, of D, u, a in this pass */
} AlphaStep;

/* Springs, servos or beams may be too stiff for the step. */
static inline bool asp_alpha_is_stiff(const AlphaStep *step) {
  const AspModel *model = step->work->model;
  return asp_model_stiff_count(model) > 0 || asp_model_servo_count(model) > 0 || asp_model_beam_count(model) > 0;
}

static inline AspSolver *asp_alpha_solver(const AlphaStep *step, AspAlphaLevel level, int rows) {
  const AspAlpha *alpha = step->alpha;
  return rows <= ALPHA_SMALL ? alpha->fine : step->early ? alpha->coarse[level] : alpha->large[level];
}

/* When bodies meet something; impacts act at the end of the step all the same. */
AspError asp_alpha_meet(AspStepWork *work, const AspState *state);
/* Conditions at the end of the step on three levels; work->own: an AspAlpha. */
AspError asp_step_generalized_alpha(AspStepWork *work, AspState *state);

/* The impulses of the step just made, for its balance (generalized_alpha_balance.c). */
AspError asp_alpha_tell_balance(const AspSchemeHost *host);

/* Passes from the prediction on; *converged: D and u no longer change. */
AspError asp_alpha_iterate(AlphaStep *step, bool *converged);
/* Geometry, forces and conditions at the iterate; one pass from there. */
AspError asp_alpha_evaluate(AlphaStep *step);
AspError asp_alpha_pass(AlphaStep *step);
/* Where free passes did not converge: the modes of the contacts that keep changing, one combination after the other. */
AspError asp_alpha_enumerate(AlphaStep *step, bool *converged);

/* f += H c over some rows of `all`, c = scale x; the load couplings' dofs are left alone. */
void asp_alpha_push(const AlphaStep *step, const double *x, double *f);
/* step->friction from P and lambda. */
AspError asp_alpha_note_friction(AlphaStep *step);

/* Room for the passes' history; what the next pass begins with is noted, and mixed after it. */
AspError asp_alpha_mixing_begin(AlphaStep *step);
void asp_alpha_mixing_note(AlphaStep *step);
AspError asp_alpha_mix(AlphaStep *step, bool restart, double damping);

/* One level each at the present iterate: reactions, and the new D, u, a. */
AspError asp_alpha_position(AlphaStep *step);
AspError asp_alpha_velocity(AlphaStep *step);
AspError asp_alpha_acceleration(AlphaStep *step);
/* Which blocks stick and slip when all that is known are velocities (the first step). */
void asp_alpha_modes_at_start(AlphaStep *step, double gap, double speed);

#endif
