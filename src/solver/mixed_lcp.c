/* Mixed LCP: x free with equations, z complementary,
 *
 *   A x + B z + a = 0,    0 <= z _|_ C x + D z + b >= 0,     [A B; C D] = M, (a, b) = q
 *
 * Elimination with complete pivoting takes free variables and equations out in pairs, largest pivot first, for as long
 * as a pivot of the scaled A is left (MIXED_LCP_RANK_TOLERANCE): the rest of M becomes its Schur complement. What is
 * left of x and of the equations when A is singular is kept: x_j = y+ - y-, and the equation e = 0 becomes 0 <= y+ _|_
 * e >= 0 and 0 <= y- _|_ -e >= 0. Then Lemke, then x backwards from the eliminated equations. Entries that cancelled to
 * rounding in the kept rows and columns are set to zero: redundant joints leave 0 = 0, not noise = noise.
 */
#include "solver/kernels.h"
#include "solver/lcp.h"
#include "solver/tuning/lemke.h"

#include <math.h>

typedef struct Elimination {
  const AspMixedLcp *lcp;
  int n, free, rank;
  double *T;             /* n x (n + 1): scaled [M q] under elimination */
  double *scale;         /* n: x = scale x_scaled for free ones; 1 for the others */
  double *row_size;      /* n: largest entry of each row of the scaled M at the start */
  double *column_size;   /* n */
  int *pivot_row;        /* free: eliminated pairs in order, then the kept ones */
  int *pivot_column;     /* free */
  double *factor, *line; /* n, n + 1: scratch of a pivot */
} Elimination;

static double *column_of(const Elimination *e, int j) { return e->T + (size_t)j * (size_t)e->n; }

static AspError take(AspArena *arena, const AspMixedLcp *lcp, Elimination *e) {
  memset(e, 0, sizeof *e);
  e->lcp = lcp;
  e->n = lcp->n;
  e->free = lcp->free;
  size_t n = (size_t)lcp->n;
  e->T = ASP_TAKE(arena, double, n *(n + 1));
  e->scale = ASP_TAKE(arena, double, n);
  e->row_size = ASP_TAKE(arena, double, n);
  e->column_size = ASP_TAKE(arena, double, n);
  e->pivot_row = ASP_TAKE(arena, int, lcp->free);
  e->pivot_column = ASP_TAKE(arena, int, lcp->free);
  e->factor = ASP_TAKE(arena, double, n);
  e->line = ASP_TAKE(arena, double, n + 1);
  return e->T && e->scale && e->row_size && e->column_size && e->pivot_row && e->pivot_column && e->factor && e->line
             ? ASP_OK
             : ASP_ERROR_MEMORY;
}

/* T = S [M q] S with unit diagonal (to a power of two) in the free block. */
static void start(Elimination *e) {
  size_t n = (size_t)e->n;
  for (size_t i = 0; i < n; i++) {
    int exponent = 0;
    double diagonal = fabs(e->lcp->M[i * n + i]);
    if ((int)i < e->free && diagonal > 0)
      frexp(sqrt(diagonal), &exponent);
    e->scale[i] = ldexp(1, -exponent);
  }
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      double entry = e->scale[i] * e->lcp->M[j * n + i] * e->scale[j];
      e->T[j * n + i] = entry;
      e->row_size[i] = fmax(e->row_size[i], fabs(entry));
      e->column_size[j] = fmax(e->column_size[j], fabs(entry));
    }
  for (size_t i = 0; i < n; i++)
    e->T[n * n + i] = e->scale[i] * e->lcp->q[i];
  for (int i = 0; i < e->free; i++)
    e->pivot_row[i] = e->pivot_column[i] = i;
}

/* The largest entry among the free rows and columns that are left goes to place `step`; its size is returned. */
static double choose_pivot(Elimination *e, int step) {
  int row = step, column = step;
  double largest = -1;
  for (int c = step; c < e->free; c++)
    for (int r = step; r < e->free; r++) {
      double size = fabs(column_of(e, e->pivot_column[c])[e->pivot_row[r]]);
      if (size > largest) {
        largest = size;
        row = r;
        column = c;
      }
    }
  int swap = e->pivot_row[step];
  e->pivot_row[step] = e->pivot_row[row];
  e->pivot_row[row] = swap;
  swap = e->pivot_column[step];
  e->pivot_column[step] = e->pivot_column[column];
  e->pivot_column[column] = swap;
  return largest;
}

/* Take the pivot's variable out of all equations that are left. Eliminated rows keep their coefficients for later. */
static void eliminate(Elimination *e, int step) {
  int row = e->pivot_row[step], column = e->pivot_column[step];
  memcpy(e->factor, column_of(e, column), (size_t)e->n * sizeof *e->factor);
  double pivot = e->factor[row];
  for (int k = 0; k <= step; k++)
    e->factor[e->pivot_row[k]] = 0;
  for (int j = 0; j <= e->n; j++)
    e->line[j] = -column_of(e, j)[row] / pivot;
  for (int k = 0; k < step; k++)
    e->line[e->pivot_column[k]] = 0;
  asp_kernel_rank1(e->n, e->n + 1, e->factor, e->line, e->T, (size_t)e->n);
}

/* Set to zero what cancelled in the kept equations and in the columns of the kept variables. */
static void remove_noise(Elimination *e) {
  double size_q = 0;
  for (int i = 0; i < e->n; i++)
    size_q = fmax(size_q, fabs(e->scale[i] * e->lcp->q[i]));
  for (int k = e->rank; k < e->free; k++) {
    int row = e->pivot_row[k], column = e->pivot_column[k];
    for (int j = 0; j <= e->n; j++) {
      double size = j == e->n ? size_q : fmin(e->row_size[row], e->column_size[j]);
      if (fabs(column_of(e, j)[row]) <= MIXED_LCP_RANK_TOLERANCE * size)
        column_of(e, j)[row] = 0;
    }
    for (int i = 0; i < e->n; i++)
      if (fabs(column_of(e, column)[i]) <= MIXED_LCP_RANK_TOLERANCE * fmin(e->row_size[i], e->column_size[column]))
        column_of(e, column)[i] = 0;
  }
}

static void run_elimination(Elimination *e) {
  start(e);
  double first = 0;
  for (e->rank = 0; e->rank < e->free; e->rank++) {
    double size = choose_pivot(e, e->rank);
    first = fmax(first, size);
    if (!(size > MIXED_LCP_RANK_TOLERANCE * first))
      break;
    eliminate(e, e->rank);
  }
  remove_noise(e);
}

/* Variables of the LCP that is left: the complementary ones, then y+ and y- of the kept free ones. For each its column
 * (row) of T and its sign. */
static int variable_index(const Elimination *e, int k, bool row, double *sign) {
  int complementary = e->n - e->free, kept = e->free - e->rank;
  *sign = k >= complementary + kept ? -1 : 1;
  if (k < complementary)
    return e->free + k;
  int place = e->rank + (k - complementary) % kept;
  return row ? e->pivot_row[place] : e->pivot_column[place];
}

static AspError make_lcp(AspArena *arena, const Elimination *e, AspLcp *lcp) {
  lcp->n = e->n - e->free + 2 * (e->free - e->rank);
  size_t n = (size_t)lcp->n;
  lcp->M = ASP_TAKE(arena, double, n *n);
  lcp->q = ASP_TAKE(arena, double, n);
  if (!lcp->M || !lcp->q)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < lcp->n; j++) {
    double column_sign, row_sign;
    const double *column = column_of(e, variable_index(e, j, false, &column_sign));
    for (int i = 0; i < lcp->n; i++) {
      int row = variable_index(e, i, true, &row_sign);
      lcp->M[(size_t)j * n + (size_t)i] = row_sign * column_sign * column[row];
    }
    int row = variable_index(e, j, true, &row_sign);
    lcp->q[j] = row_sign * column_of(e, e->n)[row];
  }
  return ASP_OK;
}

/* z of the mixed problem from the answer y of the LCP: kept free variables, then the eliminated ones backwards. */
static void substitute_back(const Elimination *e, const double *y, double *z) {
  int complementary = e->n - e->free, kept = e->free - e->rank;
  for (int k = 0; k < complementary; k++)
    z[e->free + k] = y[k];
  for (int k = 0; k < kept; k++)
    z[e->pivot_column[e->rank + k]] = y[complementary + k] - y[complementary + kept + k];
  for (int step = e->rank - 1; step >= 0; step--) {
    int row = e->pivot_row[step], own = e->pivot_column[step];
    double sum = column_of(e, e->n)[row];
    for (int k = step + 1; k < e->free; k++)
      sum += column_of(e, e->pivot_column[k])[row] * z[e->pivot_column[k]];
    for (int j = e->free; j < e->n; j++)
      sum += column_of(e, j)[row] * z[j];
    z[own] = -sum / column_of(e, own)[row];
  }
  for (int i = 0; i < e->free; i++)
    z[i] *= e->scale[i];
}

AspError asp_mixed_lemke_solve(AspArena *arena, const AspMixedLcp *lcp, const AspLcpOptions *options,
                               const LcpHooks *hooks, double *z, int *kept, AspLcpInfo *info) {
  AspArenaMark mark = asp_arena_mark(arena);
  Elimination e;
  AspLcp rest;
  ASP_TRY(take(arena, lcp, &e));
  run_elimination(&e);
  ASP_TRY(make_lcp(arena, &e, &rest));
  double *y = ASP_TAKE(arena, double, rest.n);
  if (!y)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_lemke_solve(arena, &rest, options, hooks, y, NULL, info));
  substitute_back(&e, y, z);
  info->residual = asp_mixed_lcp_residual(lcp, z);
  if (!isfinite(info->residual))
    info->status = ASP_STATUS_NOT_FINITE;
  else if (info->status == ASP_STATUS_SOLVED && info->residual > options->tolerance)
    info->status = ASP_STATUS_STALLED; // the LCP is solved, the mixed problem only to this residual
  if (kept)
    *kept = e.free - e.rank;
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}

AspError asp_mixed_lcp_lemke(AspContext *context, const AspMixedLcp *lcp, const AspLcpOptions *options, double *z,
                             int *kept, AspLcpInfo *info) {
  AspLcpOptions chosen = options ? *options : asp_lcp_default_options();
  ASP_TRY(asp_lcp_check_options(context, &chosen));
  AspArena arena;
  asp_arena_init(&arena, context);
  AspError error = asp_mixed_lemke_solve(&arena, lcp, &chosen, NULL, z, kept, info);
  asp_arena_free(&arena);
  return error;
}
