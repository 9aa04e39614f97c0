/* A run: what every method of the contact problem receives. It holds the problem, what is asked, the deadline, and what
 * the method leaves: its best iterate, status, iterations and path.
 *
 * Runs are nested: a method that calls others (`auto`) gives each a run of its own (asp_run_child) and merges what it
 * leaves. The record of the best iterate is that of the run. Iterates are measured on the ORIGINAL problem by
 * asp_judge_residual alone and compared by what the run is asked for:
 *
 *   asked.contact = 0    asp_verdict_measure: methods on the scaled problem, whose caller turns a tolerance of the
 *                        worst contact into one on E2
 *   asked.contact > 0    asp_verdict_excess, which includes the worst contact: the run of the whole solve
 *
 * Depends on prepared.h and problem/verdict.h.
 */
#ifndef ASP_SOLVER_RUN_H
#define ASP_SOLVER_RUN_H

#include "asperity/solver.h"
#include "base/effort.h"
#include "linalg/block_sparse.h"
#include "solver/prepared.h"
#include "solver/tuning/effort.h"

/* What earlier solves of the same solver tell the next. */
typedef struct SolverMemory {
  int sweeps;    /* packed Gauss-Seidel: what it needed when it last arrived, less since it did not */
  bool at_limit; /* it ended at its limit of sweeps last time, far from the tolerance */
  int unseen;    /* solves of which no start is looked at: nearly all of the last ones had to be swept */
  /* a few Newton steps from a given start: misses in a row, and solves for which they are left out because of them */
  int misses, pause;
} SolverMemory;

/* What runs work in; it lasts between solves, so that later ones allocate nothing. */
typedef struct SolverSpace {
  AspPrepared *prepared;    /* and the judge */
  AspArena scratch;         /* of the method that runs; reset by asp_run_begin */
  struct SolverSpace *part; /* the same for the islands and subproblems of `auto`; NULL until needed */
} SolverSpace;

AspError asp_space_create(AspContext *context, SolverSpace **space);
void asp_space_destroy(SolverSpace *space); /* may be NULL */
/* The space for a part, made when first needed, with that problem. */
AspError asp_space_take_part(SolverSpace *space, const AspContactProblem *problem, SolverSpace **part);

/* What all runs of one call of asp_solver_solve share. */
typedef struct SolverCall {
  const AspSolverOptions *options;
  double tolerance;              /* on E2, for methods on the scaled problem: of the options, or less for a contact */
  bool judged;                   /* the judge has the problem */
  bool swept;                    /* packed Gauss-Seidel has been tried */
  bool given;                    /* the caller's start is not zero */
  bool relaxed;                  /* some friction is the convex relaxation */
  bool balls;                    /* some law is a BALL that allows a force */
  bool exact;                    /* no polygons: the problem can be scaled */
  SolverMemory *memory;          /* of the solver */
  struct AspPackedMemory *order; /* of packed Gauss-Seidel */
  AspSolver **part;              /* solver for the islands of a large problem; NULL until needed */
  bool reduced;                  /* W and q are there */
  AspBlockSparse W;              /* local form, after asp_run_local_form */
  double *q;                     /* rows */
  double setup_time;             /* s */
} SolverCall;

/* What a method may be told; all zero: its own choice. */
typedef struct MethodSettings {
  int max_iterations; /* 0: the method's own */
  bool minimum_norm;  /* hyperstatic problems: aim at the reaction of smallest norm */
  bool polish;        /* finish on the identified contact state, as far as rounding allows */
  double theta;       /* ipm: weight of the derivative of s, 0 .. 1; 0: the method's own */
  double rho;         /* newton: first proximal step; 0: the method's own */
  bool near;          /* newton: the start is thought to be near the solution, rho grows faster */
  int finish;         /* ipm: proximal Newton steps it may finish with; 0: the method's own */
  bool fixed_point;   /* aclm: plain fixed point on s instead of Newton */
  bool swept;         /* auto: Gauss-Seidel has been tried on the problem and given up */
  bool given;         /* auto: the start before those sweeps was the caller's, and not zero */
  bool brief;         /* auto: one interior point and its finish, no further methods */
  bool doubted;       /* auto: skip the Newton steps from such a start this time */
} MethodSettings;

typedef struct SolverRun {
  /* given */
  AspContext *context; /* whose caller may ask to stop, which counts as the deadline */
  const AspContactProblem *problem;
  SolverSpace *space;
  AspPrepared *prepared; /* that of the space: scaled; reset for the problem, unless it has polygons */
  AspJudge *judge;       /* that of `prepared` */
  AspArena *arena;       /* scratch until the end of the solve */
  SolverCall *call;      /* NULL: not inside asp_solver_solve */
  AspTolerances asked;
  double deadline; /* on asp_clock_seconds(); 0: none */
  MethodSettings settings;
  /* once per outer iteration; may be NULL */
  void (*progress)(void *user, int iteration, const char *method, double residual);
  void *progress_user;
  const struct SolverRun *caller; /* run of the same problem that this one is a stage of; NULL: none */

  /* the best iterate so far */
  double *best;         /* rows */
  AspResidual residual; /* its residual, by the judge */
  AspMethod method;     /* that runs */
  AspMethod best_method;
  double *trial; /* rows: scratch of asp_run_offer_scaled */

  /* left */
  AspStatus status;   /* how the method ended; SOLVED counts only where the judge finds it */
  int iterations;     /* outer iterations, of all stages */
  int factorisations; /* of the Newton matrix, or of the penalty matrix */
  bool tried_near;    /* auto: a few Newton steps from a given start were tried, */
  bool was_near;      /* and arrived */
  char path[128];     /* how it was solved; may be empty */
} SolverRun;

/* start (rows): where to begin; NULL: at no reaction. The answer is the best iterate of the run. */
typedef AspError SolveFunction(SolverRun *run, const double *start);

/* A run of the problem that the space has, to the default tolerance, without deadline. */
SolverRun asp_run_default(SolverSpace *space);
/* A run with a record of its own for a stage of `run`: the same problem, deadline and progress; asked for a residual,
 * not for the worst contact. */
SolverRun asp_run_child(const SolverRun *run, const MethodSettings *settings);
/* The same for the problem that `part` has. */
SolverRun asp_run_part(const SolverRun *run, SolverSpace *part, const MethodSettings *settings);

/* The beginning of every method on the scaled problem: scratch is free, the record (in `arena`) is the better of no
 * reaction at all and the start. The best iterate of the caller is not judged again. *solved: nothing is left to do. */
AspError asp_run_begin(SolverRun *run, AspArena *arena, const double *start, bool *solved);
/* The end: the status is SOLVED when the best iterate meets what is asked, else `otherwise`. */
void asp_run_conclude(SolverRun *run, AspStatus otherwise);

/* Keep r where its residual, which the judge has measured, is less than that of the best so far. */
void asp_run_keep_better(SolverRun *run, const double *r, const AspResidual *residual);
/* Judge r (original units) and keep the better; u (rows) and residual may be NULL. */
AspError asp_run_offer(SolverRun *run, const double *r, AspResidual *residual, double *u);
/* The same for a scaled iterate. */
AspError asp_run_offer_scaled(SolverRun *run, const double *scaled, AspResidual *residual, double *u);

/* One number to compare iterates of a method by, and with asked.residual. */
static inline double asp_run_measure(const SolverRun *run, const AspResidual *residual) {
  return asp_verdict_measure(&run->asked, residual);
}
/* A residual over what the tolerances allow: at most 1 when solved. */
static inline double asp_run_excess(const SolverRun *run, const AspResidual *residual) {
  return asp_verdict_excess(&run->asked, residual);
}
/* Does the best so far meet what is asked? */
static inline bool asp_run_is_solved(const SolverRun *run) { return asp_verdict_is_met(&run->asked, &run->residual); }
static inline bool asp_run_is_late(const SolverRun *run) { return asp_is_late(run->context, run->deadline); }

/* Count a loop over all blocks of the prepared problem, so many times. */
static inline void asp_run_spend(const SolverRun *run, int times) {
  asp_effort_add(asp_effort(run->context), times * (EFFORT_PASS + EFFORT_BLOCK * (double)run->problem->blocks));
}

/* Add to the path: text, and a count where that is not negative. */
void asp_run_note(SolverRun *run, const char *text, int count);
/* Tell the caller's progress function. */
void asp_run_progress(const SolverRun *run, const char *method, int iteration, double residual);
/* Take over what a stage left: the better iterate, status, counts and path; name: for a stage without path, or NULL. */
void asp_run_merge(SolverRun *run, const SolverRun *stage, const char *name);

#endif
