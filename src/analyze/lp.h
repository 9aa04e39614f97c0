/* Linear programs of contact size, dense: minimise c.x with rows a_i.x = b_i or a_i.x >= b_i, variables free or >= 0.
 *
 * Two-phase simplex on a tableau, Dantzig's rule with Bland's after stalling pivots. Data are expected of order 1. An
 * infeasible program leaves a Farkas vector y: y.A <= 0 over the variables >= 0, = 0 over free ones, y_i >= 0 on
 * inequalities, y.b > 0. Depends on base.
 */
#ifndef ASP_ANALYZE_LP_H
#define ASP_ANALYZE_LP_H

#include "base/base.h"

typedef enum AspLpStatus { ASP_LP_OPTIMAL, ASP_LP_INFEASIBLE, ASP_LP_UNBOUNDED, ASP_LP_STALLED } AspLpStatus;

typedef struct AspLp {
  int rows, columns;
  double *A;      /* rows x columns, row-major */
  double *b;      /* rows */
  bool *equality; /* rows */
  bool *is_free;  /* columns */
  double *c;      /* columns */
} AspLp;

/* Zeroed arrays for at most this many rows and columns on the arena; rows and columns start at 0. */
AspError asp_lp_take(AspArena *arena, int rows, int columns, AspLp *lp);

/* x (columns) and y (rows) may be NULL; scratch comes from the arena and is given back. Optimal: x, *value, and y the
 * duals. Infeasible: y is the Farkas vector, *value = y.b > 0, x where
 * the sum of violations is least. tolerance: how much infeasibility (sum over rows)
 * counts as none. */
AspError asp_lp_solve(AspArena *arena, const AspLp *lp, double tolerance, double *x, double *y, double *value,
                      AspLpStatus *status);

#endif
