/* The solvers of a world: one for each kind of problem, all made from the run's options. */
#ifndef ASP_WORLD_SOLVERS_H
#define ASP_WORLD_SOLVERS_H

#include "asperity/solver.h"

typedef void (*SolverLog)(void *user, int64_t step, int iteration, const char *method, double residual);

typedef struct WorldSolvers {
  AspSolver *chosen;    /* of the steps */
  AspSolver *projector; /* of positions; NULL: the chosen one */
  AspSolver *sharp;     /* NULL where the chosen method shall be alone */
  AspSolver *stronger;  /* for steps that the chosen one missed; NULL until the first of them */
  SolverLog log;        /* called at every iteration; NULL: no call */
  void *log_user;
} WorldSolvers;

#endif
