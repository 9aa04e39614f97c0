/* Rates that meet equalities and inequalities, or the witness that there are none: see rates.h. */
#include "analyze/rates.h"

#include "analyze/lp.h"
#include "analyze/tuning/analyze.h"
#include "base/disjoint_sets.h"

#include <math.h>

static double rate_of(const AspRates *rates, int i, const double *x) {
  double u = rates->c[i];
  for (int e = rates->start[i]; e < rates->start[i + 1]; e++)
    u += rates->value[e] * x[rates->dof[e]];
  return u;
}

double asp_rates_violation(const AspRates *rates, int i, const double *x) {
  double u = rate_of(rates, i, x);
  return rates->equality[i] ? fabs(u) : fmax(-u, 0);
}

/* One sweep; the largest violation that it met. */
static double sweep(const AspRates *rates, double *x) {
  double worst = 0;
  for (int i = 0; i < rates->rows; i++) {
    double u = rate_of(rates, i, x), square = 0;
    if (!rates->equality[i] && u >= 0)
      continue;
    worst = fmax(worst, fabs(u));
    for (int e = rates->start[i]; e < rates->start[i + 1]; e++)
      square += rates->value[e] * rates->value[e];
    for (int e = rates->start[i]; square > 0 && e < rates->start[i + 1]; e++)
      x[rates->dof[e]] -= u / square * rates->value[e];
  }
  return worst;
}

bool asp_rates_relax(const AspRates *rates, int sweeps, double enough, double *x) {
  for (int k = 0; k < sweeps; k++)
    if (sweep(rates, x) <= enough)
      return true;
  return false;
}

/* ---- sets of connected rows ---- */

typedef struct RateSets {
  int *set;    /* dofs: as in disjoint_sets.h */
  int *rows;   /* by root: rows of the set */
  double *off; /* by root: largest violation */
  int *place;  /* dofs: column in the linear program */
} RateSets;

static int set_of_row(const AspRates *rates, const RateSets *sets, int i) {
  return asp_set_of(sets->set, rates->dof[rates->start[i]]);
}

static AspError find_sets(AspArena *arena, const AspRates *rates, const double *x, RateSets *sets) {
  *sets = (RateSets){ASP_TAKE(arena, int, rates->dofs), ASP_TAKE(arena, int, rates->dofs),
                     ASP_TAKE(arena, double, rates->dofs), ASP_TAKE(arena, int, rates->dofs)};
  if (!sets->set || !sets->rows || !sets->off || !sets->place)
    return ASP_ERROR_MEMORY;
  asp_sets_begin(rates->dofs, sets->set);
  for (int i = 0; i < rates->rows; i++)
    for (int e = rates->start[i] + 1; e < rates->start[i + 1]; e++)
      asp_unite_sets(sets->set, rates->dof[rates->start[i]], rates->dof[e]);
  for (int i = 0; i < rates->rows; i++) {
    int root = set_of_row(rates, sets, i);
    sets->rows[root]++;
    sets->off[root] = fmax(sets->off[root], asp_rates_violation(rates, i, x));
  }
  return ASP_OK;
}

/* The linear program of one set: its rows as constraints, its dofs as free variables. row: which rows they are. */
static AspError make_program(AspArena *arena, const AspRates *rates, const RateSets *sets, int root, double scale,
                             AspLp *lp, int *row) {
  int columns = 0;
  for (int j = 0; j < rates->dofs; j++)
    if (asp_set_of(sets->set, j) == root)
      sets->place[j] = columns++;
  ASP_TRY(asp_lp_take(arena, sets->rows[root], columns, lp));
  lp->columns = columns;
  for (int j = 0; j < columns; j++)
    lp->is_free[j] = true;
  for (int i = 0; i < rates->rows; i++) {
    if (set_of_row(rates, sets, i) != root)
      continue;
    for (int e = rates->start[i]; e < rates->start[i + 1]; e++)
      lp->A[(size_t)lp->rows * (size_t)columns + (size_t)sets->place[rates->dof[e]]] += rates->value[e];
    lp->b[lp->rows] = -rates->c[i] / scale;
    lp->equality[lp->rows] = rates->equality[i];
    row[lp->rows++] = i;
  }
  return ASP_OK;
}

static AspError decide_set(AspArena *arena, const AspRates *rates, const RateSets *sets, int root, double scale,
                           double *r, AspRatesVerdict *verdict) {
  AspArenaMark mark = asp_arena_mark(arena);
  AspLp lp;
  AspLpStatus status;
  double value;
  int *row = ASP_TAKE(arena, int, sets->rows[root]);
  double *y = ASP_TAKE(arena, double, sets->rows[root]);
  if (!row || !y)
    return ASP_ERROR_MEMORY;
  ASP_TRY(make_program(arena, rates, sets, root, scale, &lp, row));
  ASP_TRY(asp_lp_solve(arena, &lp, RATES_INFEASIBLE, NULL, y, &value, &status));
  *verdict = status == ASP_LP_INFEASIBLE ? ASP_RATES_NONE
             : status == ASP_LP_STALLED  ? ASP_RATES_UNDECIDED
                                         : ASP_RATES_EXIST;
  for (int k = 0; *verdict == ASP_RATES_NONE && k < lp.rows; k++)
    r[row[k]] = lp.equality[k] ? y[k] : fmax(y[k], 0);
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}

AspError asp_rates_decide(AspArena *arena, const AspRates *rates, const double *x, double enough, double scale,
                          int most, double *r, AspRatesVerdict *verdict) {
  RateSets sets;
  bool undecided = false;
  *verdict = ASP_RATES_EXIST;
  memset(r, 0, (size_t)rates->rows * sizeof *r);
  ASP_TRY(find_sets(arena, rates, x, &sets));
  for (int root = 0; root < rates->dofs; root++) {
    if (asp_set_of(sets.set, root) != root || !(sets.off[root] > enough))
      continue;
    *verdict = ASP_RATES_UNDECIDED;
    if (sets.rows[root] <= most)
      ASP_TRY(decide_set(arena, rates, &sets, root, scale, r, verdict));
    if (*verdict == ASP_RATES_NONE)
      return ASP_OK;
    undecided = undecided || *verdict == ASP_RATES_UNDECIDED;
  }
  *verdict = undecided ? ASP_RATES_UNDECIDED : ASP_RATES_EXIST;
  return ASP_OK;
}

AspError asp_rates_judge(AspArena *arena, const AspRates *rates, const double *r, double farthest, double *power) {
  AspArenaMark mark = asp_arena_mark(arena);
  double *g = ASP_TAKE(arena, double, rates->dofs);
  if (!g)
    return ASP_ERROR_MEMORY;
  *power = 0;
  for (int i = 0; i < rates->rows; i++) {
    *power -= rates->c[i] * r[i];
    for (int e = rates->start[i]; e < rates->start[i + 1]; e++)
      g[rates->dof[e]] += rates->value[e] * r[i];
  }
  for (int j = 0; j < rates->dofs; j++)
    *power -= farthest * fabs(g[j]);
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}
