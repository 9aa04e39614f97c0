/* Assembling and solving the program of a choice: see relaxation.h. */
#include "analyze/relaxation.h"
#include "base/elementary.h"

#include "analyze/tuning/analyze.h"
#include "problem/cone.h"

#include <math.h>

AspError asp_relaxation_begin(AspArena *arena, const AspReduced *problem, AspRelaxation *it) {
  *it = (AspRelaxation){.arena = arena, .problem = problem, .power = problem->power, .tolerance = ASP_FEASIBLE};
  it->cut = ASP_TAKE(arena, double, (size_t)ASP_CUTS_MAX *(size_t)problem->rows);
  it->height = ASP_TAKE(arena, double, ASP_CUTS_MAX);
  it->facet = ASP_TAKE(arena, double, (size_t)ASP_FACETS_MAX *(size_t)problem->blocks);
  it->facets = ASP_TAKE(arena, int, problem->blocks);
  if (!it->cut || !it->height || !it->facet || !it->facets)
    return ASP_ERROR_MEMORY;
  return ASP_OK;
}

/* ---- the program ---- */

typedef struct Program {
  AspLp lp;
  int *block;     /* columns: whose weight */
  double *g;      /* columns x 3: generators */
  double *effect; /* columns x rows: W times the generator */
  double *base;   /* rows: r with all weights zero */
  double *offset; /* rows: W base + q */
  int *owner;     /* lp rows: block of a condition on u; -1: other */
  double *a;      /* lp rows x 3: its coefficients */
} Program;

static AspError take_program(AspRelaxation *it, Program *program, int rows, int columns) {
  AspArena *arena = it->arena;
  size_t n = (size_t)it->problem->rows;
  ASP_TRY(asp_lp_take(arena, rows, columns + 1, &program->lp));
  program->block = ASP_TAKE(arena, int, columns);
  program->g = ASP_TAKE(arena, double, 3 * (size_t)columns);
  program->effect = ASP_TAKE(arena, double, n *(size_t)columns);
  program->base = ASP_TAKE(arena, double, n);
  program->offset = ASP_TAKE(arena, double, n);
  program->owner = ASP_TAKE(arena, int, rows);
  program->a = ASP_TAKE(arena, double, 3 * (size_t)rows);
  bool complete = program->block && program->g && program->effect && program->base && program->offset &&
                  program->owner && program->a;
  return complete ? ASP_OK : ASP_ERROR_MEMORY;
}

static void describe(AspRelaxation *it, const AspPieceChoice *choices, int b) {
  asp_piece(&it->problem->law[b], asp_reduced_size(it->problem, b), &choices[b], it->facet + (size_t)b * ASP_FACETS_MAX,
            it->facets[b], &it->piece);
}

static void count_sizes(AspRelaxation *it, const AspPieceChoice *choices, int *rows, int *columns) {
  *rows = it->cuts + 1 + (it->motion ? it->problem->rows : 0);
  *columns = 0;
  for (int b = 0; b < it->problem->blocks; b++) {
    describe(it, choices, b);
    *rows += it->piece.conditions + (it->piece.cap > 0);
    *columns += it->piece.generators;
  }
}

/* Columns of a block, and what they do to u. */
static void add_columns(AspRelaxation *it, Program *program, int b, int *columns) {
  const AspReduced *problem = it->problem;
  const AspPiece *piece = &it->piece;
  int first = problem->offset[b], size = asp_reduced_size(problem, b), n = problem->rows;
  for (int k = 0; k < size; k++)
    program->base[first + k] = piece->base[k];
  for (int j = 0; j < piece->generators; j++) {
    int column = (*columns)++;
    program->block[column] = b;
    program->lp.is_free[column] = piece->is_free[j];
    memcpy(program->g + 3 * (size_t)column, piece->g[j], sizeof piece->g[j]);
    double *effect = program->effect + (size_t)column * n;
    for (int i = 0; i < n; i++)
      for (int k = 0; k < size; k++)
        effect[i] += problem->W[(size_t)i * n + first + k] * piece->g[j][k];
  }
}

/* A row with all columns' coefficients of a.u_b */
static void add_condition(const AspRelaxation *it, Program *program, int b, const AspPieceCondition *condition,
                          int columns) {
  const AspReduced *problem = it->problem;
  AspLp *lp = &program->lp;
  int row = lp->rows++, first = problem->offset[b], size = asp_reduced_size(problem, b), n = problem->rows;
  double *A = lp->A + (size_t)row * lp->columns;
  double rhs = it->closure && !condition->on_r && !it->motion ? 0 : condition->rhs; // the only ones that are not zero
  for (int k = 0; k < size; k++) {
    if (condition->on_r) {
      for (int j = 0; j < columns; j++)
        A[j] += program->block[j] == b ? condition->a[k] * program->g[3 * (size_t)j + k] : 0;
      rhs -= condition->a[k] * program->base[first + k];
    } else {
      for (int j = 0; j < columns && condition->a[k] != 0; j++)
        A[j] += condition->a[k] * program->effect[(size_t)j * n + first + k];
      rhs -= condition->a[k] * program->offset[first + k];
    }
  }
  lp->b[row] = rhs;
  lp->equality[row] = condition->equality;
  program->owner[row] = condition->on_r ? -1 : b;
  memcpy(program->a + 3 * (size_t)row, condition->a, sizeof condition->a);
}

static void add_cap(Program *program, int column, double cap) {
  int row = program->lp.rows++;
  program->lp.A[(size_t)row * program->lp.columns + column] = -1;
  program->lp.b[row] = -cap;
  program->owner[row] = -1;
}

/* z - gradient.r >= -height */
static void add_cuts(const AspRelaxation *it, Program *program, int columns) {
  AspLp *lp = &program->lp;
  int n = it->problem->rows;
  for (int c = 0; c < it->cuts; c++) {
    const double *gradient = it->cut + (size_t)c * n;
    double *A = lp->A + (size_t)lp->rows * lp->columns, rhs = -it->height[c];
    for (int j = 0; j < columns; j++) {
      int first = it->problem->offset[program->block[j]], size = asp_reduced_size(it->problem, program->block[j]);
      for (int k = 0; k < size; k++)
        A[j] -= gradient[first + k] * program->g[3 * (size_t)j + k];
    }
    for (int i = 0; i < n; i++)
      rhs += gradient[i] * program->base[i];
    A[columns] = 1;
    program->owner[lp->rows] = -1;
    lp->b[lp->rows++] = rhs;
  }
  // z >= -1: only its sign matters
  lp->A[(size_t)lp->rows * lp->columns + columns] = 1;
  program->owner[lp->rows] = -1;
  lp->b[lp->rows++] = -1;
}

static AspError assemble(AspRelaxation *it, const AspPieceChoice *choices, Program *program) {
  const AspReduced *problem = it->problem;
  int rows, columns, filled = 0;
  count_sizes(it, choices, &rows, &columns);
  ASP_TRY(take_program(it, program, rows, columns));
  program->lp.columns = columns + 1;
  program->lp.is_free[columns] = true; // z
  program->lp.c[columns] = 1;
  for (int b = 0; b < problem->blocks; b++) {
    describe(it, choices, b);
    add_columns(it, program, b, &filled);
  }
  asp_reduced_velocity(problem, program->base, program->offset);
  filled = 0;
  for (int b = 0; b < problem->blocks; b++) {
    describe(it, choices, b);
    for (int k = 0; k < it->piece.conditions; k++)
      if (it->piece.condition[k].on_r || !it->motion)
        add_condition(it, program, b, &it->piece.condition[k], columns);
    for (int k = 0; it->motion && k < asp_reduced_size(problem, b); k++) {
      AspPieceCondition held = {{k == 0, k == 1, k == 2}, it->motion[problem->offset[b] + k], true, false};
      add_condition(it, program, b, &held, columns);
    }
    if (it->piece.cap > 0)
      add_cap(program, filled, it->piece.cap);
    filled += it->piece.generators;
  }
  add_cuts(it, program, columns);
  return ASP_OK;
}

static void read_reactions(const AspRelaxation *it, const Program *program, const double *weights, double *r) {
  memcpy(r, program->base, (size_t)it->problem->rows * sizeof *r);
  for (int j = 0; j < program->lp.columns - 1; j++) {
    int first = it->problem->offset[program->block[j]], size = asp_reduced_size(it->problem, program->block[j]);
    for (int k = 0; k < size; k++)
      r[first + k] += weights[j] * program->g[3 * (size_t)j + k];
  }
}

/* The Farkas vector as one on u: p = sum of y_i a_i; only where caps, facets and cuts have no part in it. */
static void read_witness(const AspRelaxation *it, const Program *program, const double *y, AspRelaxed *out) {
  memset(out->witness, 0, (size_t)it->problem->rows * sizeof *out->witness);
  out->has_witness = true;
  for (int i = 0; i < program->lp.rows; i++) {
    if (program->owner[i] < 0) {
      out->has_witness = out->has_witness && fabs(y[i]) <= RELAXATION_WITNESS;
      continue;
    }
    int first = it->problem->offset[program->owner[i]], size = asp_reduced_size(it->problem, program->owner[i]);
    for (int k = 0; k < size; k++)
      out->witness[first + k] += y[i] * program->a[3 * (size_t)i + k];
  }
}

/* ---- power ---- */

static double power(const AspReduced *problem, const double *r, double *u) {
  double sum = 0;
  asp_reduced_velocity(problem, r, u);
  for (int i = 0; i < problem->rows; i++)
    sum += r[i] * u[i];
  return sum;
}

/* The tangent where the line from 0 to r leaves the set of admissible power. */
static void add_cut(AspRelaxation *it, const double *r) {
  const AspReduced *problem = it->problem;
  int n = problem->rows, slot = it->next_cut;
  double linear = 0, quadratic = 0, *gradient = it->cut + (size_t)slot * n;
  for (int i = 0; i < n; i++) {
    gradient[i] = 0;
    for (int j = 0; j < n; j++)
      gradient[i] += (problem->W[(size_t)i * n + j] + problem->W[(size_t)j * n + i]) * r[j];
    quadratic += 0.5 * r[i] * gradient[i];
    linear += problem->q[i] * r[i];
  }
  double t = quadratic > 0 ? fmin(fmax(-linear / quadratic, 0), 1) : 1;
  for (int i = 0; i < n; i++)
    gradient[i] = t * gradient[i] + problem->q[i];
  it->height[slot] = t * t * quadratic;
  it->next_cut = (slot + 1) % ASP_CUTS_MAX;
  it->cuts = it->cuts < ASP_CUTS_MAX ? it->cuts + 1 : ASP_CUTS_MAX;
}

static AspError solve_once(AspRelaxation *it, const AspPieceChoice *choices, AspRelaxed *out, bool *stalled) {
  Program program;
  AspLpStatus status;
  double value;
  ASP_TRY(assemble(it, choices, &program));
  double *x = ASP_TAKE(it->arena, double, program.lp.columns), *y = ASP_TAKE(it->arena, double, program.lp.rows);
  if (!x || !y)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_lp_solve(it->arena, &program.lp, it->tolerance, x, y, &value, &status));
  out->feasible = status != ASP_LP_INFEASIBLE && !(status == ASP_LP_OPTIMAL && value > it->tolerance);
  out->has_witness = false;
  out->miss = out->feasible ? 0 : value;
  *stalled = status == ASP_LP_STALLED || status == ASP_LP_UNBOUNDED;
  if (status == ASP_LP_INFEASIBLE)
    read_witness(it, &program, y, out);
  if (!*stalled)
    read_reactions(it, &program, x, out->r);
  return ASP_OK;
}

AspError asp_relaxation_solve(AspRelaxation *it, const AspPieceChoice *choices, AspRelaxed *out) {
  AspArenaMark mark = asp_arena_mark(it->arena);
  AspError error = ASP_OK;
  for (int iteration = 0; iteration < RELAXATION_MAX_CUT_ITERATIONS; iteration++) {
    bool stalled;
    error = solve_once(it, choices, out, &stalled);
    asp_arena_rewind(it->arena, mark);
    if (error != ASP_OK || !out->feasible) {
      if (error == ASP_OK)
        asp_reduced_velocity(it->problem, out->r, out->u);
      return error;
    }
    if (stalled) { // nothing is ruled out: go on from any point
      memset(out->r, 0, (size_t)it->problem->rows * sizeof *out->r);
      break;
    }
    if (!it->power || power(it->problem, out->r, out->u) <= RELAXATION_POWER)
      break;
    add_cut(it, out->r);
  }
  asp_reduced_velocity(it->problem, out->r, out->u);
  return error;
}

AspError asp_relaxation_extreme(AspRelaxation *it, const AspPieceChoice *choices, const double *c, const double *s,
                                double *value, AspLpStatus *status, double *r) {
  AspArenaMark mark = asp_arena_mark(it->arena);
  int cuts = it->cuts, n = it->problem->rows;
  Program program;
  AspError error;
  it->cuts = 0; // exact: the pieces alone
  ASP_CHECK(assemble(it, choices, &program));
  AspLp *lp = &program.lp;
  double *x = ASP_TAKE(it->arena, double, lp->columns), constant = 0;
  if (!x) {
    error = ASP_ERROR_MEMORY;
    goto done;
  }
  lp->c[lp->columns - 1] = 0;
  for (int j = 0; j < lp->columns - 1; j++) {
    int first = it->problem->offset[program.block[j]], size = asp_reduced_size(it->problem, program.block[j]);
    for (int k = 0; c && k < size; k++)
      lp->c[j] += c[first + k] * program.g[3 * (size_t)j + k];
    for (int i = 0; s && i < n; i++)
      lp->c[j] += s[i] * program.effect[(size_t)j * n + i];
  }
  for (int i = 0; i < n; i++)
    constant += (c ? c[i] * program.base[i] : 0) + (s ? s[i] * program.offset[i] : 0);
  ASP_CHECK(asp_lp_solve(it->arena, lp, it->tolerance, x, NULL, value, status));
  *value += constant;
  if (r && *status == ASP_LP_OPTIMAL)
    read_reactions(it, &program, x, r);
done:
  it->cuts = cuts;
  asp_arena_rewind(it->arena, mark);
  return error;
}

bool asp_relaxation_add_facet(AspRelaxation *it, int block, const double *r) {
  if (it->facets[block] == ASP_FACETS_MAX)
    return false;
  const double *t = r + it->problem->offset[block] + 1;
  it->facet[(size_t)block * ASP_FACETS_MAX + it->facets[block]++] = asp_atan2(t[1], t[0]);
  return true;
}
