/* The table of methods of the contact problem. Every method is one function of a run (run.h) and a start. To add one: a
 * file method_NAME.c that defines asp_method_NAME, and a row of ASP_METHOD_LIST (solver.h); docs/howto/add-a-solver.md.
 */
#ifndef ASP_SOLVER_METHOD_H
#define ASP_SOLVER_METHOD_H

#include "solver/run.h"

typedef struct SolverMethod {
  SolveFunction *solve; /* offers what it finds; leaves status, iterations and path in the run */
  bool exact_cones;     /* takes exact friction cones in 3D */
  bool polygons;        /* takes polygonal friction in 3D */
  bool relaxed;         /* takes relaxed cones */
  bool balls;           /* takes BALL */
  bool local_form;      /* works on W and q of the call */
  bool scaled_form;     /* works on run->prepared, in a run of its own that is asked for a residual alone */
} SolverMethod;

/* One per row of ASP_METHOD_LIST, each in its method's file. */
#define SOLVER_METHOD_DECLARE(code, text, word) extern const SolverMethod asp_method_##word;
ASP_METHOD_LIST(SOLVER_METHOD_DECLARE)
#undef SOLVER_METHOD_DECLARE
const SolverMethod *asp_solver_method(AspMethod method);

/* The methods on the scaled problem; each begins with asp_run_begin. */
SolveFunction asp_nsgs_solve, asp_admm_solve, asp_ipm_solve, asp_newton_solve, asp_aclm_solve;
/* `auto` for exact cones (auto.c); method_auto.c goes on where it ends. */
SolveFunction asp_auto_solve;
/* Room for islands as large as the problem, so that `auto` allocates nothing for them later. */
AspError asp_auto_reserve(SolverSpace *space, const AspContactProblem *problem);

/* Solve another problem for this run by a solver of its own, until the run's deadline; r is start and answer. */
AspError asp_solver_solve_for(AspSolver *solver, const SolverRun *run, const AspTolerances *asked,
                              const AspContactProblem *problem, double *r, AspSolverInfo *info);

/* For methods on the run of the whole solve. W and q of the local form, made once per solve. */
AspError asp_run_local_form(SolverRun *run);
/* Run a method of the table as a stage. Refuses what the method does not take. */
AspError asp_run_stage(SolverRun *run, AspMethod method, const double *start);
/* The same for a function on the scaled problem; name: for the path where the stage leaves none, or NULL. */
AspError asp_run_scaled_stage(SolverRun *run, SolveFunction *solve, const char *name, const double *start);

#endif
