/* The simplex method on a dense tableau: see lp.h.
 *
 * Standard form after splitting free variables x = x' - x'' and adding slacks: T has one row per constraint, rows
 * signed so that b >= 0. A row whose slack can start the basis needs no artificial variable. y of row i is read off the
 * column that was row i's unit vector at the start: y_i = cost_i - reduced cost_i. */
#include "analyze/lp.h"
#include "analyze/tuning/analyze.h"

#include <math.h>

typedef struct Tableau {
  AspContext *context; /* asked whether to stop */
  int rows, columns;   /* without the right-hand side */
  int stride;          /* columns + 1 */
  double *T;           /* (rows + 1) x stride: last row reduced costs, last column b */
  int *basis;          /* rows */
  int *unit;           /* rows: the column that was the row's unit vector */
  double *sign;        /* rows: +-1 */
  double *cost;        /* columns, of the present phase */
  int artificial;      /* first artificial column */
  int *twin;           /* lp columns: column of x''; -1: none */
  bool *tried;         /* columns that no row limits, since the last pivot */
} Tableau;

AspError asp_lp_take(AspArena *arena, int rows, int columns, AspLp *lp) {
  *lp = (AspLp){0,
                0,
                ASP_TAKE(arena, double, (size_t)rows *columns),
                ASP_TAKE(arena, double, rows),
                ASP_TAKE(arena, bool, rows),
                ASP_TAKE(arena, bool, columns),
                ASP_TAKE(arena, double, columns)};
  return lp->A && lp->b && lp->equality && lp->is_free && lp->c ? ASP_OK : ASP_ERROR_MEMORY;
}

static void pivot(Tableau *t, int row, int column) {
  double *p = t->T + (size_t)row * t->stride;
  double inverse = 1 / p[column];
  for (int j = 0; j <= t->columns; j++)
    p[j] *= inverse;
  p[column] = 1;
  for (int i = 0; i <= t->rows; i++) {
    double *other = t->T + (size_t)i * t->stride, factor = other[column];
    if (i == row || factor == 0)
      continue;
    for (int j = 0; j <= t->columns; j++)
      other[j] -= factor * p[j];
    other[column] = 0;
  }
  t->basis[row] = column;
}

/* Reduced costs of the present cost vector, from scratch. */
static void price(Tableau *t) {
  double *d = t->T + (size_t)t->rows * t->stride;
  for (int j = 0; j <= t->columns; j++)
    d[j] = j < t->columns ? t->cost[j] : 0;
  for (int i = 0; i < t->rows; i++) {
    double c = t->cost[t->basis[i]];
    const double *row = t->T + (size_t)i * t->stride;
    for (int j = 0; c != 0 && j <= t->columns; j++)
      d[j] -= c * row[j];
  }
}

/* The column with the most negative reduced cost, with Bland's rule the first one. */
static int entering(const Tableau *t, int allowed, bool bland, const bool *tried) {
  const double *d = t->T + (size_t)t->rows * t->stride;
  int best = -1;
  for (int j = 0; j < allowed; j++)
    if (d[j] < -LP_COST_TOLERANCE && !tried[j] && (best < 0 || d[j] < d[best])) {
      best = j;
      if (bland)
        break;
    }
  return best;
}

/* Of the rows that limit the step the one with the largest pivot; with Bland's rule the smallest basic column. */
static int leaving(const Tableau *t, int column, bool bland) {
  int best = -1;
  double least = INFINITY;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < t->rows; i++) {
      const double *row = t->T + (size_t)i * t->stride;
      if (row[column] <= LP_PIVOT_TOLERANCE)
        continue;
      double ratio = fmax(row[t->columns], 0) / row[column];
      if (pass == 0)
        least = fmin(least, ratio);
      else if (ratio <= least + LP_TIE * (1 + least) &&
               (best < 0 ||
                (bland ? t->basis[i] < t->basis[best] : row[column] > t->T[(size_t)best * t->stride + column])))
        best = i;
    }
  return best;
}

/* bounded: the cost cannot fall for ever (phase 1). A column that no row limits is then rounding, and is passed over
 * until the next pivot. */
static AspLpStatus iterate(Tableau *t, int allowed, bool bounded) {
  int limit = LP_PIVOTS_PER_ROW * (t->rows + LP_ROWS_MORE), stalled = 0;
  double last = INFINITY;
  price(t);
  memset(t->tried, 0, (size_t)t->columns * sizeof *t->tried);
  for (int k = 0; k < limit; k++) {
    if (k % LP_ASK_INTERVAL == LP_ASK_INTERVAL - 1 && asp_stop_is_asked(t->context))
      return ASP_LP_STALLED;
    bool bland = stalled > LP_STALL_LIMIT;
    int column = entering(t, allowed, bland, t->tried);
    if (column < 0)
      return ASP_LP_OPTIMAL;
    int row = leaving(t, column, bland);
    if (row < 0 && !bounded)
      return ASP_LP_UNBOUNDED;
    if (row < 0) {
      t->tried[column] = true;
      continue;
    }
    pivot(t, row, column);
    memset(t->tried, 0, (size_t)t->columns * sizeof *t->tried);
    double value = -t->T[(size_t)t->rows * t->stride + t->columns];
    stalled = value < last - LP_PROGRESS * (1 + fabs(value)) ? 0 : stalled + 1;
    last = fmin(last, value);
  }
  return ASP_LP_STALLED;
}

/* Where the columns go, and the start. */
static AspError set_up(AspArena *arena, const AspLp *lp, Tableau *t) {
  int m = lp->rows, split = 0, slacks = 0, artificials = 0;
  t->twin = ASP_TAKE(arena, int, lp->columns);
  t->sign = ASP_TAKE(arena, double, m);
  t->basis = ASP_TAKE(arena, int, m);
  t->unit = ASP_TAKE(arena, int, m);
  if (!t->twin || !t->sign || !t->basis || !t->unit)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < lp->columns; j++)
    t->twin[j] = lp->is_free[j] ? lp->columns + split++ : -1;
  for (int i = 0; i < m; i++) {
    // a.x - s = b: with b <= 0 the row is turned and its slack starts in the basis
    t->sign[i] = lp->b[i] < 0 || (!lp->equality[i] && lp->b[i] == 0) ? -1 : 1;
    slacks += !lp->equality[i];
    artificials += lp->equality[i] || t->sign[i] > 0;
  }
  t->rows = m;
  t->artificial = lp->columns + split + slacks;
  t->columns = t->artificial + artificials;
  t->stride = t->columns + 1;
  t->T = ASP_TAKE(arena, double, (size_t)(m + 1) * t->stride);
  t->cost = ASP_TAKE(arena, double, t->columns);
  t->tried = ASP_TAKE(arena, bool, t->columns);
  if (!t->T || !t->cost || !t->tried)
    return ASP_ERROR_MEMORY;
  int slack = lp->columns + split, artificial = t->artificial;
  for (int i = 0; i < m; i++) {
    double *row = t->T + (size_t)i * t->stride;
    for (int j = 0; j < lp->columns; j++) {
      row[j] = t->sign[i] * lp->A[(size_t)i * lp->columns + j];
      if (t->twin[j] >= 0)
        row[t->twin[j]] = -row[j];
    }
    row[t->columns] = t->sign[i] * lp->b[i];
    if (!lp->equality[i])
      row[slack] = -t->sign[i];
    bool starts = !lp->equality[i] && t->sign[i] < 0;
    t->unit[i] = starts ? slack : artificial;
    slack += !lp->equality[i];
    if (!starts)
      row[artificial++] = 1;
    t->basis[i] = t->unit[i];
  }
  return ASP_OK;
}

/* Artificial variables that are basic at zero leave the basis where they can. */
static void drive_out(Tableau *t) {
  for (int i = 0; i < t->rows; i++) {
    const double *row = t->T + (size_t)i * t->stride;
    int best = -1;
    for (int j = 0; t->basis[i] >= t->artificial && j < t->artificial; j++)
      if (fabs(row[j]) > LP_PIVOT_TOLERANCE && (best < 0 || fabs(row[j]) > fabs(row[best])))
        best = j;
    if (best >= 0)
      pivot(t, i, best);
  }
}

static void read_duals(const Tableau *t, double *y) {
  const double *d = t->T + (size_t)t->rows * t->stride;
  for (int i = 0; i < t->rows; i++)
    y[i] = t->sign[i] * (t->cost[t->unit[i]] - d[t->unit[i]]);
}

static void read_point(const Tableau *t, const AspLp *lp, double *x) {
  memset(x, 0, (size_t)lp->columns * sizeof *x);
  for (int i = 0; i < t->rows; i++) {
    double value = t->T[(size_t)i * t->stride + t->columns];
    if (t->basis[i] < lp->columns)
      x[t->basis[i]] += value;
    for (int j = 0; j < lp->columns; j++)
      if (t->twin[j] == t->basis[i])
        x[j] -= value;
  }
}

static void solve(Tableau *t, const AspLp *lp, double tolerance, double *x, double *y, double *value,
                  AspLpStatus *status) {
  for (int j = 0; j < t->columns; j++)
    t->cost[j] = j >= t->artificial;
  *status = iterate(t, t->columns, true);
  double infeasibility = -t->T[(size_t)t->rows * t->stride + t->columns];
  if (*status == ASP_LP_OPTIMAL && infeasibility > tolerance) {
    *status = ASP_LP_INFEASIBLE;
    *value = infeasibility;
    if (x)
      read_point(t, lp, x);
    if (y)
      read_duals(t, y);
    return;
  }
  if (*status != ASP_LP_OPTIMAL)
    return;
  drive_out(t);
  memset(t->cost, 0, (size_t)t->columns * sizeof *t->cost);
  for (int j = 0; j < lp->columns; j++) {
    t->cost[j] = lp->c[j];
    if (t->twin[j] >= 0)
      t->cost[t->twin[j]] = -lp->c[j];
  }
  *status = iterate(t, t->artificial, false);
  *value = -t->T[(size_t)t->rows * t->stride + t->columns];
  if (x)
    read_point(t, lp, x);
  if (y)
    read_duals(t, y);
}

AspError asp_lp_solve(AspArena *arena, const AspLp *lp, double tolerance, double *x, double *y, double *value,
                      AspLpStatus *status) {
  AspArenaMark mark = asp_arena_mark(arena);
  Tableau t = {.context = arena->context};
  AspError error = set_up(arena, lp, &t);
  *value = 0;
  if (error == ASP_OK)
    solve(&t, lp, tolerance, x, y, value, status);
  asp_arena_rewind(arena, mark);
  return error;
}
