/* Are there rates x that meet all of these conditions, and if not, which of them contradict each other?
 *
 *   G x + c = 0  on equalities,   G x + c >= 0  on the others
 *
 * By Farkas' lemma there are none exactly if there is a witness r with
 *
 *   G^T r = 0,   r >= 0 on inequalities,   c.r < 0
 *
 * In mechanics r are forces in equilibrium, and -c.r is the power that drives would have to put into them. Rows are
 * expected with norms of about 1. Depends on lp.
 */
#ifndef ASP_ANALYZE_RATES_H
#define ASP_ANALYZE_RATES_H

#include "base/base.h"

typedef struct AspRates {
  int rows, dofs;
  int *start;    /* rows + 1: entries of row i are start[i] .. start[i + 1] - 1 */
  int *dof;      /* entries */
  double *value; /* entries of G */
  double *c;     /* rows */
  bool *equality;
} AspRates;

typedef enum AspRatesVerdict {
  ASP_RATES_EXIST,
  ASP_RATES_NONE,     /* the witness says why */
  ASP_RATES_UNDECIDED /* too many rows are connected, or the linear program stalled */
} AspRatesVerdict;

/* How far row i is from being met by x. */
double asp_rates_violation(const AspRates *rates, int i, const double *x);

/* Projections onto one row after the other, from x on, until no row is off by more than `enough`; true: x does it. A
 * cheap way to show that rates exist; it shows nothing where it ends without success. */
bool asp_rates_relax(const AspRates *rates, int sweeps, double enough, double *x);

/* The witness (rows, zero outside of it) or none, by a linear program over each set of connected rows that x leaves
 * off by more than `enough`. Sets of more than `most` rows are not decided. scale: the size of the c that matter; sums
 * of violations below RATES_INFEASIBLE of it count as none. */
AspError asp_rates_decide(AspArena *arena, const AspRates *rates, const double *x, double enough, double scale,
                          int most, double *r, AspRatesVerdict *verdict);

/* -c.r - farthest ||G^T r||_1: where it is positive no rates of at most `farthest` meet the rows, whatever made r. */
AspError asp_rates_judge(AspArena *arena, const AspRates *rates, const double *r, double farthest, double *power);

#endif
