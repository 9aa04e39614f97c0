/* Joints eliminated from the local form. With e the rows of EQUALITY laws, u_e = 0 gives
 *
 *   r_e = -W_ee^+ (W_e: r + q_e),   A = W - W_:e W_ee^+ W_e:,   b = q - W_:e W_ee^+ q_e,   u = A r + b
 *
 * for the other rows of r; W_ee^+ is the pseudo-inverse, so that joints which repeat each other are harmless. W is
 * dense, rows x rows, column-major. Depends on pseudo_solve.h.
 */
#ifndef ASP_PROBLEM_ELIMINATE_H
#define ASP_PROBLEM_ELIMINATE_H

#include "asperity/problem.h"
#include "base/base.h"

typedef struct AspElimination {
  int rows;     /* of the problem */
  int count;    /* rows of EQUALITY laws */
  int rank;     /* numerical rank of W_ee; set by asp_eliminate_equalities */
  int *row;     /* count */
  double *part; /* W_ee^+ [W_e: q_e], count x (rows + 1); NULL when there is nothing to eliminate */
} AspElimination;

/* The rows of EQUALITY laws, on the arena; nothing is eliminated yet (part = NULL). */
AspError asp_find_equalities(AspArena *arena, const AspContactProblem *problem, AspElimination *elimination);
AspError asp_eliminate_equalities(AspArena *arena, const double *W, const double *q, AspElimination *elimination);

/* column (rows) <- column - W_:e part, `part` by equalities: a column of A from one of W, or b from q. */
void asp_elimination_subtract(const AspElimination *elimination, const double *W, const double *part, double *column);
/* The part that belongs to row j of r; j = rows: to q. */
static inline const double *asp_elimination_part(const AspElimination *elimination, int j) {
  return elimination->part + (size_t)j * (size_t)elimination->count;
}
/* r_e from the other rows of r. */
void asp_elimination_reactions(const AspElimination *elimination, double *r);

#endif
