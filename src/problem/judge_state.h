/* What a judge holds, for the files it is made of: judge.c (values), rounding.c (how far rounding may have moved them),
 * sharp_judge.c (the same values in twice the precision), parts_judge.c (a problem in parts).
 */
#ifndef ASP_PROBLEM_JUDGE_STATE_H
#define ASP_PROBLEM_JUDGE_STATE_H

#include "problem/block_columns.h"
#include "problem/mass.h"
#include "problem/residual.h"
#include "problem/rounding.h"
#include "problem/verdict.h"

/* What a chunk of blocks adds to the residual. */
typedef struct AspJudgePart {
  double square[5]; /* of the natural maps as in AspBlockError (map, unit, exact), of r and u */
  double normal, contact;
  int contacts;
  double map;        /* largest of its blocks, of worst.worst_block */
  AspResidual worst; /* its worst_* */
} AspJudgePart;

struct AspJudge {
  AspContext *context;
  AspArena arena;
  AspMass mass;
  const AspContactProblem *problem; /* borrowed; NULL before the first reset */
  const double *q;                  /* rows */
  const AspBlockBodies *bodies;     /* blocks: where they act; NULL: blocks are not all of that kind */
  const AspBlockBodies *runs;       /* blocks: the same without a condition on M; for bounds */
  double *diagonal;                 /* rows: of W */
  double *rho_contact;              /* blocks: 1 / W_NN */
  double *u, *x;                    /* rows, dofs */
  double *b;                        /* dofs: H r + f of the last residual */
  double *last;                     /* rows: r of the last residual, */
  AspResidual last_residual;        /* which is this one, */
  bool has_last;                    /* if there was one since the reset, and u and x are still those of `last` */
  double *F;                        /* rows: scratch, natural maps */
  AspBlockError *error;             /* blocks: of the last residual */
  AspJudgePart *part;               /* chunks of blocks: their sums */
  double rho, norm_q;
  AspRounding rounding; /* of the problem */
  double time;          /* s, since asp_judge_take_time */
};

/* The problem's rho, and what follows from it. */
void asp_judge_set_rho(AspJudge *judge, const AspContactProblem *problem, double rho);
/* A residual in steps, for problems in parts: x = f + H r (of the local form u = W r + q); x := M^-1 x; then u and the
 * natural maps of all blocks, judge->error, whose sums and largest values are added to `sum`; last E1, E2, E3 and exact
 * from norms, rho, and the sizes of the natural maps: at rho, at 1, of the exact cone. */
AspError asp_judge_push(AspJudge *judge, const double *r);
AspError asp_judge_follow(AspJudge *judge);
void asp_judge_evaluate(AspJudge *judge, const double *r, AspJudgePart *sum);
void asp_judge_divide(AspResidual *residual, const double size[3]);

#endif
