/* The solvers of a world: one for each kind of problem, all made from the run's options. */
#ifndef ASP_WORLD_SOLVERS_H
#define ASP_WORLD_SOLVERS_H

#include "scheme/step.h"

typedef void (*SolverLog)(void *user, int64_t step, int iteration, const char *method, double residual);

typedef struct WorldSolvers {
  AspSolver *chosen;                   /* of the steps */
  AspSolver *projector;                /* of positions; NULL: the chosen one */
  AspSolver *sharp;                    /* NULL where the chosen method shall be alone */
  AspSolver *stronger;                 /* for steps that the chosen one missed; NULL until the first of them */
  AspSolver *fine;                     /* generalized-alpha: to rounding; otherwise NULL */
  AspSolver *level[ASP_ALPHA_LEVELS];  /* the same: for its large problems, */
  AspSolver *coarse[ASP_ALPHA_LEVELS]; /* and for these in early rounds */
  AspJudge *judge;                     /* the same: for these between rounds */
  SolverLog log;                       /* told of every iteration; NULL: nobody */
  void *log_user;
} WorldSolvers;

#endif
