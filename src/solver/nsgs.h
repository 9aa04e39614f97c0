/* Block Gauss-Seidel inside the solver layer: the method `nsgs`, and the first stage of `auto`.
 *
 *   for every block i:   b = u_i - W_ii r_i,   r_i <- exact solution of the law of block i with u = W_ii r + b
 *
 * on a scaled form A y = F r + f, u = V^T y + w of the prepared problem. Two data paths, one code: with bodies
 * (A block diagonal) y = A^-1 (F r + f) is carried along, y += A^-1 F_i dr_i; in the condensed form y = r and V^T = W.
 *
 * Momentum: each block keeps an age; the sweep runs on y_i = r_i + beta (r_i - x_i), x_i the previous output,
 * beta = age/(age + 3) capped; where (y_i - r_i).(r_i - x_i) > 0 the age is halved, else it grows by one.
 * Equations: docs/theory/gauss-seidel.md.
 */
#ifndef ASP_SOLVER_NSGS_H
#define ASP_SOLVER_NSGS_H

#include "solver/local_contact.h"
#include "solver/run.h"
#include "solver/tuning/nsgs.h"

/* The rows of one block in y: a dense piece per group. */
typedef struct AspNsgsPiece {
  int at, height; /* first y and number of y */
  size_t value;   /* V piece: height x size of the block, column-major; with bodies A^-1 F follows */
} AspNsgsPiece;

typedef struct AspNsgsBlock {
  AspLawKind kind;
  int first, size; /* prepared rows; EQUALITY: the rows of one original block together */
  int piece, pieces;
  int law;      /* COULOMB: index of its local contact; EQUALITY, BALL: where its W_ii starts; others: unused */
  double W;     /* one row: W_ii */
  double limit; /* BOX, BALL */
} AspNsgsBlock;

typedef struct AspNsgs {
  AspPrepared *prepared;
  const AspForm *form;
  bool bodies; /* y is not r */
  int blocks, rows;
  AspNsgsBlock *block; /* blocks */
  AspNsgsPiece *piece;
  double *value;
  AspLocalContact *contact; /* prepared->contacts */
  double *LU, *W;           /* EQUALITY and BALL blocks: factors and W_ii */
  int *pivot;               /* rows */
  double *y;                /* form->n; the same as `state` in the condensed form */
  double *y_zero;           /* form->n: y of r = 0 (bodies) */
  double *state;            /* rows: the reaction that y belongs to (r, or its extrapolation) */
  double *r;                /* rows: the last output of every block */
  double *age;              /* blocks */
  double *u, *trial;        /* rows of the largest block */
  double momentum;          /* cap of beta; 0: plain Gauss-Seidel */
  int sweeps;
} AspNsgs;

/* Lay out the problem in the run's scratch. */
AspError asp_nsgs_take(AspNsgs *nsgs, SolverRun *run);
/* Start at r (scaled rows). */
void asp_nsgs_start(AspNsgs *nsgs, const double *r);
/* One sweep; returns ||change of r|| / ||r||, the cheap measure of convergence. */
double asp_nsgs_sweep(AspNsgs *nsgs);

/* When a run stops early: never (0), or when extrapolation predicts more sweeps than this. */
typedef struct AspNsgsLimits {
  int max_sweeps;
  int verdict;  /* sweeps before a run may be given up */
  int patience; /* upper bound on predicted further sweeps; 0: none, until max_sweeps */
} AspNsgsLimits;
/* Sweeps; r is offered to the judge when the cheap measure predicts success. */
AspError asp_nsgs_run(AspNsgs *nsgs, SolverRun *run, const AspNsgsLimits *limits, AspStatus *status);

#endif
