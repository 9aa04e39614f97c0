/* What a method of the contact problem gets and gives. To add one: a file method_NAME.c that defines asp_method_NAME,
 * and a row of ASP_METHOD_LIST (solver.h); docs/howto/add-a-solver.md.
 */
#ifndef ASP_SOLVER_METHOD_H
#define ASP_SOLVER_METHOD_H

#include "asperity/solver.h"
#include "linalg/block_sparse.h"
#include "problem/mass.h"
#include "solver/prepared.h"

/* One call of asp_solver_solve. Methods read the upper part, call the functions below and leave status
 * and iterations. */
/* What earlier solves of the same solver tell the next. */
typedef struct SolverMemory {
  int sweeps;    /* packed Gauss-Seidel: what it needed when it last arrived, less since it did not */
  bool at_limit; /* it ended at its limit of sweeps last time, far from the tolerance */
  int unseen;    /* solves of which no start is looked at: nearly all of the last ones had to be swept */
  /* a few Newton steps from a given start: misses in a row, and solves for which they are left out because of them */
  int misses, pause;
} SolverMemory;

typedef struct SolverRun {
  AspContext *context;
  AspArena *arena; /* scratch until the end of the solve */
  const AspContactProblem *problem;
  const AspSolverOptions *options;
  AspTolerances asked; /* of the answer */
  double tolerance;    /* on E2, for the methods: that of the options, or less where a contact needs it */
  bool judged;         /* the judge has the problem */
  bool swept;          /* packed Gauss-Seidel has been tried */
  bool given;          /* the caller's start is not zero */
  SolverMemory *memory;
  struct AspPackedMemory *order; /* of packed Gauss-Seidel */
  AspBlockSparse W;              /* local form, after asp_run_local_form */
  double *q;                     /* rows */
  double deadline;               /* asp_clock_seconds() at which to stop; INFINITY: none */

  AspStatus status; /* how the method ended by its own criterion; SOLVED counts only where the judge finds it */
  int iterations;   /* of this method */

  /* kept by asp_run_offer: the best reaction so far and its residual */
  AspPrepared *prepared; /* reset for the problem, unless it has polygons */
  bool relaxed;          /* some friction is the convex relaxation */
  bool exact;            /* no polygons: `prepared` can be used */
  AspJudge *judge;       /* that of `prepared` */
  AspSolver **part;      /* solver for the islands of a large problem; NULL until needed */
  double *best;
  AspResidual residual;
  AspMethod best_method;
  bool reduced;

  AspMethod method; /* stage that is running */
  int total_iterations;
  double setup_time;
  char path[128];
  char inner_path[128]; /* what the running stage says of its own path */
} SolverRun;

typedef struct SolverMethod {
  AspExactMethod *exact; /* for exact cones, on the prepared problem (exact.h); NULL: */
  AspError (*solve)(SolverRun *run, const double *start); /* offers what it finds; start: rows */
  bool exact_cones;                                       /* takes exact friction cones in 3D */
  bool polygons;                                          /* takes polygonal friction in 3D */
  bool relaxed;                                           /* takes relaxed cones */
  bool local_form;                                        /* works on run->W and run->q */
} SolverMethod;

/* One per row of ASP_METHOD_LIST, each in its method's file. */
#define SOLVER_METHOD_DECLARE(code, text, word) extern const SolverMethod asp_method_##word;
ASP_METHOD_LIST(SOLVER_METHOD_DECLARE)
#undef SOLVER_METHOD_DECLARE
const SolverMethod *asp_solver_method(AspMethod method);

/* W and q of the local form, made once per solve. */
AspError asp_run_local_form(SolverRun *run);
/* Judge r; the better of it and the best so far is kept. *accepted: within the tolerance. */
AspError asp_run_offer(SolverRun *run, const double *r, bool *accepted);
/* A residual over what the tolerances allow: at most 1 when solved. */
double asp_run_excess(const SolverRun *run, const AspResidual *residual);
/* Does the best so far meet the tolerance? */
bool asp_run_accepted(const SolverRun *run);
/* Run a method of the table as a stage of another. Refuses what the method does not take. */
AspError asp_run_stage(SolverRun *run, AspMethod method, const double *start);
/* Tell the caller's progress function. */
void asp_run_progress(SolverRun *run, int iteration, double residual);

/* A method of exact.h as a stage. */
AspError asp_run_exact(SolverRun *run, const double *start, AspExactMethod *solve);

#endif
