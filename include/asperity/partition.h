/* Asperity partition: a contact problem in cells, over several processes.
 *
 *   M x = H r + f,   u = H^T x + w,   (u_i, r_i) obeys law_i                       (problem.h)
 *
 * Every block belongs to one cell. A body that blocks of several cells act on has a copy in each of them; M's component
 * of a body stays whole. Cells do not depend on the number of processes (ranks): a rank holds some of them, and what is
 * computed has the same bits however the cells are dealt out, since
 *
 *   - what a cell computes depends on the cell alone,
 *   - copies are summed in the order of their cells,
 *   - sums over all blocks are exact (fixed point).
 *
 * All data here are plain; how ranks reach each other is left to an AspExchange of three callbacks, so that the library
 * knows no message passing. docs/theory/scale.md has method, costs and limits.
 *
 * Threads and ownership: base.h. Ranks are processes, or threads with a context each.
 */
#ifndef ASPERITY_PARTITION_H
#define ASPERITY_PARTITION_H

#include "asperity/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- which cell, which rank ---- */

/* Indices alone, of a whole problem. */
typedef struct AspCellPlan {
  int cells;
  int *cell_of_block; /* blocks of the problem */
} AspCellPlan;

/* Cells of about `bodies_per_cell` (>= 1) bodies each, made of the graph of bodies and blocks: halves of breadth-first
 * orders, again and again, so that neighbours in number are neighbours in the graph. A block between two cells belongs
 * to the lower one, so that bodies of one side alone are split. All blocks of a body that would be split into more than
 * eight copies make a cell of their own. [one thread, yours: asp_cell_plan_destroy] */
ASP_API AspError asp_cell_plan_create(AspContext *context, const AspContactProblem *problem, int bodies_per_cell,
                                      AspCellPlan *plan);
ASP_API void asp_cell_plan_destroy(AspContext *context, AspCellPlan *plan); /* [one thread, ends it] */

/* Runs of cells of about equal weight (number of blocks) for each rank; rank_of_cell: cells values, ascending. More
 * ranks than cells leave ranks without any. [any thread] */
ASP_API void asp_cells_over_ranks(int cells, const int *weight, int ranks, int *rank_of_cell);

/* ---- what one rank holds ---- */

typedef struct AspCell {
  int number;                /* among all cells */
  AspContactProblem problem; /* its blocks and its copies of bodies, each with the whole mass and force of the body */
  int64_t *block;            /* problem.blocks: number in the whole problem, ascending */
  int64_t *body;             /* problem.bodies.count: number in the whole problem, ascending */
  int *holders;              /* problem.bodies.count: number of cells that hold a copy of the body */
} AspCell;

/* A copy of a body that other cells hold, too: body `body` of own cell `cell`. */
typedef struct AspCopy {
  int cell, body;
} AspCopy;

/* A copy that another rank holds: its number among the copies of that rank. */
typedef struct AspRemoteCopy {
  int rank, copy;
} AspRemoteCopy;

typedef struct AspPartition {
  int ranks, rank;
  int all_cells;                /* of all ranks */
  int64_t all_blocks, all_rows; /* of the whole problem */
  int64_t all_contacts;         /* its COULOMB and UNILATERAL blocks */
  int cells;                    /* here, ascending by number */
  AspCell *cell;
  int copies; /* of split bodies, by cell, then by body */
  AspCopy *copy;
  int remotes; /* copies on other ranks of bodies that have one here, by rank, then by copy */
  AspRemoteCopy *remote;
  int split;         /* bodies with a copy here and at least one more anywhere */
  int *member_start; /* split + 1 */
  int *member;       /* all copies of a split body, ascending by cell: number in `copy`, or -1 minus
                                           the number in `remote` */
} AspPartition;

/* What `rank` of `ranks` holds of a problem that this process knows as a whole. rank_of_cell: plan->cells ranks.
 * Needs the global form. [one thread, yours: asp_partition_destroy] */
ASP_API AspError asp_partition_create(AspContext *context, const AspContactProblem *problem, const AspCellPlan *plan,
                                      const int *rank_of_cell, int ranks, int rank, AspPartition *partition);
ASP_API void asp_partition_destroy(AspContext *context, AspPartition *partition); /* [one thread, ends it] */

/* ---- exchange ---- */

/* Sums of integers, and largest values, over all ranks: each rank gives its own and gets those of all. */
typedef struct AspRankReduction {
  int sums;
  int64_t *sum; /* sums */
  int largest;
  double *value;  /* largest: no NaN */
  int64_t *place; /* largest: where the value is; the smallest place among equal values */
} AspRankReduction;

/* All ranks make the same calls in the same order. A callback's error ends the call that made it. */
typedef struct AspExchange {
  void *user;
  /* Send `width` numbers of every own copy (copies x width, not to be changed before `end`), */
  AspError (*begin)(void *user, int width, const double *own);
  /* and receive those of all remote copies (remotes x width). */
  AspError (*end)(void *user, int width, double *remote);
  AspError (*reduce)(void *user, AspRankReduction *reduction);
} AspExchange;

/* The exchange of a single rank: nothing to do. [any thread] */
ASP_API AspExchange asp_exchange_alone(void);

/* ---- the judge on parts ---- */

/* As AspJudge, of a problem in parts: every rank gets the residual of the whole, equal to all digits for any number of
 * ranks. Not given: E2_rounding, E3_rounding (0). Sizes of r, u and q must lie between 1e-40 and 1e40: larger
 * ones make the residual infinite, smaller ones count as zero. It borrows the partition and the exchange. */
typedef struct AspPartsJudge AspPartsJudge;
/* [one thread, yours: asp_parts_judge_destroy, keeps partition and exchange] */
ASP_API AspError asp_parts_judge_create(AspContext *context, const AspPartition *partition, const AspExchange *exchange,
                                        AspPartsJudge **judge);
ASP_API void asp_parts_judge_destroy(AspPartsJudge *judge); /* [one thread, ends it] */
/* r: by cell, its rows. One exchange of copies, one reduction. residual->worst_block is the number in the whole
 * problem; -1 where that exceeds an int. [one thread] */
ASP_API AspError asp_parts_judge_residual(AspPartsJudge *judge, const double *const *r, AspResidual *residual);
/* x of the last residual, by dof of the cell's problem; copies of a body have equal bits. Valid until the judge's next
 * call. [many readers, lent] */
ASP_API const double *asp_parts_judge_x(const AspPartsJudge *judge, int cell);

#ifdef __cplusplus
}
#endif
#endif
