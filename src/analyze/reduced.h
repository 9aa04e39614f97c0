/* The contact problem as the enumeration sees it: dense, without EQUALITY rows, without units, one island at a time.
 *
 *   u = W r + q,  EQUALITY rows eliminated:  r_e = -W_ee^+ (W_ec r_c + q_e),  W := W_cc - W_ce W_ee^+ W_ec, likewise q
 *   block i scaled by d_i = W_NN^-1/2 and all by U = max |d q|:  u = u^ U / d_i,  r = r^ d_i U
 *
 * so that W^ has ones on its normal diagonal and |q^| <= 1; cones keep their shape. BOX blocks with limit 0 do nothing
 * and are left out. Depends on problem.
 */
#ifndef ASP_ANALYZE_REDUCED_H
#define ASP_ANALYZE_REDUCED_H

#include "asperity/problem.h"
#include "base/base.h"
#include "problem/eliminate.h"

typedef struct AspReduced {
  int dimension;
  int blocks, rows;
  int *block;  /* blocks: index in the problem */
  int *offset; /* blocks + 1 */
  AspLaw *law; /* blocks; limits scaled */
  double *W;   /* rows x rows, row-major */
  double *q;   /* rows */
  double *d;   /* blocks: scale */
  double unit; /* U */
  bool power;  /* r.u <= 0 in every solution: no SLIDING block with friction */
} AspReduced;

/* What was taken away and what is left. */
typedef struct AspReduction {
  AspElimination equalities;
  double contradiction; /* largest |q_e - W_ee W_ee^+ q_e| over max |q_e|: joints that cannot be met together */
  AspReduced whole;     /* all other blocks */
  int islands;          /* connected components of whole.W */
  int *island;          /* whole.blocks */
} AspReduction;

/* Everything lies on the arena. The problem must have its local form. */
AspError asp_reduction_make(AspArena *arena, const AspContactProblem *problem, AspReduction *out);
/* The blocks of one island as a problem of their own; *members (blocks): their index in whole. */
AspError asp_reduced_island(AspArena *arena, const AspReduction *reduction, int island, AspReduced *out, int **members);

/* r of the problem (rows, zeroed by the caller) from r^ of a reduced problem: its own rows. */
void asp_reduced_restore(const AspContactProblem *problem, const AspReduced *reduced, const double *scaled, double *r);

/* u^ = W^ r^ + q^ */
void asp_reduced_velocity(const AspReduced *reduced, const double *r, double *u);
static inline int asp_reduced_size(const AspReduced *reduced, int b) {
  return reduced->offset[b + 1] - reduced->offset[b];
}

#endif
