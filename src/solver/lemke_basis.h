/* The basis of Lemke's method in revised form. With w = q + M z + d z0 and the nonbasic variables at zero, the basic
 * z (set alpha) and z0 follow from the rows rho whose w is nonbasic:
 *
 *   C (z_alpha, z0) = -q_rho,   C = [M_rho,alpha  d_rho],   w = q + M_:,alpha z_alpha + d z0
 *
 * C is square with k = |alpha| + 1 rows; its inverse is kept and changed by a rank-one update per pivot, so that a
 * pivot costs O(n k + k^2) instead of the O(n^2) of a tableau. "Slots" number the rows of the inverse (basic z and z0),
 * "columns" its columns (rows rho of M).
 */
#ifndef ASP_SOLVER_LEMKE_BASIS_H
#define ASP_SOLVER_LEMKE_BASIS_H

#include "base/base.h"

/* A variable of the method: z_index or w_index; z0 is z with index n. */
typedef struct LemkeVariable {
  bool is_z;
  int index;
} LemkeVariable;

typedef struct LemkeBasis {
  int n;
  size_t ld;       /* leading dimension of M and inverse */
  const double *M; /* n x n, column-major */
  const double *d; /* n: covering vector */
  /* the columns of M without their zeros; start is NULL when M is too dense for that to pay */
  int *start, *row;
  double *value;

  int size;            /* k */
  int *slot_variable;  /* n + 1: index of the z in this slot, n for z0 */
  int *slot_of;        /* n + 1: slot of z_i, of z0 at n; -1 when nonbasic */
  int *column_row;     /* n + 1: row of M of this column */
  int *column_of;      /* n: column of row i when w_i is nonbasic, else -1 */
  double *inverse;     /* k x k, column-major */
  double *slot_value;  /* n + 1: values of the basic z and z0 */
  double *w_value;     /* n: values of the basic w; about zero for nonbasic ones */
  double *row_scratch; /* n + 1 */
  double *factor;      /* (n + 1) x (n + 1), for refactorisation */
  double *work;        /* n + 1 */
  int *pivots;         /* n + 1 */
} LemkeBasis;

/* Take the arrays from the arena; M (leading dimension ld, at least n + 1 rounded up to 8) and d are borrowed. */
AspError asp_lemke_basis_take(AspArena *arena, int n, const double *M, size_t ld, const double *d, LemkeBasis *basis);

/* alpha empty, z0 basic in row `row`: the basis after the first pivot. */
void asp_lemke_basis_start(LemkeBasis *basis, int row);

/* Rates of the basic variables when the nonbasic `entering` grows by one: slot_rate (k), w_rate (n). Returns how far
 * the rows rho are from what they must be (0, or 1 for the entering w): the error of the inverse, seen for free. */
double asp_lemke_basis_rates(LemkeBasis *basis, LemkeVariable entering, double *slot_rate, double *w_rate);

/* y = M_:,alpha x_alpha + d x_0 for x by slots (k); y has n entries. */
void asp_lemke_basis_times(const LemkeBasis *basis, const double *x, double *y);

/* Entry of the inverse basis that belongs to the basic variable `of` and the nonbasic w_row, times -1: what a growth of
 * q_row does to that variable is minus this. */
double asp_lemke_basis_influence(LemkeBasis *basis, LemkeVariable of, int row);

/* Exchange: `entering` becomes basic with the given value, `leaving` nonbasic; rates as returned for `entering`. */
void asp_lemke_basis_exchange(LemkeBasis *basis, LemkeVariable entering, LemkeVariable leaving, double value,
                              const double *slot_rate, const double *w_rate);

/* Compute the inverse again from M and d. False when C is singular to working precision. */
bool asp_lemke_basis_refactor(LemkeBasis *basis);

/* Compute the values of all basic variables again from q, with one step of refinement. scratch: n. */
void asp_lemke_basis_values(LemkeBasis *basis, const double *q, double *scratch);

#endif
