/* Problems with EQUALITY rows by elimination: one factorisation (saddle.h), a contact problem in local form for the
 * rows that are left, by any method, and the eliminated reactions from it. Without other rows that is one linear solve.
 * The judge stays on the whole problem: what it does not accept goes on to the methods for the whole, from there.
 * Depends on run.h, saddle.h.
 */
#ifndef ASP_SOLVER_REDUCED_H
#define ASP_SOLVER_REDUCED_H

#include "solver/run.h"
#include "solver/tuning/reduced.h"

struct AspSaddle;

/* What is kept between solves. */
typedef struct SolverReduced {
  /* of the last patterns, the latest first: those of a step, of a projection, of what comes and goes take turns; NULL
   * until needed */
  struct AspSaddle *saddle[REDUCED_LAYOUTS];
  struct {
    int count;       /* rows that were left of the last solve */
    const int *row;  /* in its problem */
    const double *W; /* count x count, column-major */
  } left;            /* in the arena of that solve */
  AspSolver *solver; /* of what is left; NULL until needed */
} SolverReduced;

void asp_reduced_free(SolverReduced *reduced);
/* Has the problem EQUALITY rows to eliminate, and few enough others? */
bool asp_is_reducible(const AspContactProblem *problem, const AspSolverOptions *options);
/* r: the start, then the answer where it is better. u (rows), x (dofs) may be NULL. *done: the answer meets what is
 * asked. */
AspError asp_reduced_solve(SolverRun *run, SolverReduced *reduced, double *r, double *u, double *x, bool *done);
/* The same without the judge, for answers that are not certified: *done where elimination and Newton's steps on what is
 * left arrive. Its residual is how far M x = H r + f and u_e = 0 are off, over the size of their terms. */
AspError asp_reduced_try(SolverRun *run, SolverReduced *reduced, double *r, double *u, double *x, bool *done);
/* EQUALITY rows of the last problem that was eliminated that follow from others: their reactions are the smallest. */
int asp_reduced_dependent(const SolverReduced *reduced);
/* x (dofs) := the smallest displacement in the metric of M that takes `off` (rows) from the EQUALITY rows of the
 * problem and from those that are `held` (rows), by the factors of its solve. *done: false where these are not there,
 * or do not allow it. */
AspError asp_reduced_correct(SolverReduced *reduced, AspArena *arena, const AspContactProblem *problem,
                             const double *off, const bool *held, double *x, bool *done);
/* Room for all of it, in the arena that solves take from: for the problem, or where too many rows are left of it for as
 * many as may be. */
AspError asp_reduced_reserve(SolverReduced *reduced, AspArena *arena, const AspSolverOptions *options,
                             const AspContactProblem *problem);

#endif
