/* Statics: can the contacts balance the loads at all? (docs/theory/existence.md, section on statics)
 *
 *   find r in K with H r + f = 0               K: cones of the contacts, free joint reactions, |r| <= limit of dry ones
 *   none: x with H^T x in K*, f.x > 0          Farkas: a mechanism in which the loads win and no reaction resists
 *   load factor: max s with H r + f + s load = 0;     friction factor: least s with K(s mu) holding a balance
 *
 * A linear program; exact cones are cut out facet by facet until the reactions lie within 1e-9 of them. Rows are scaled
 * to unit size, forces by the largest load. Depends on lp, pieces. */
#include "asperity/analyze.h"
#include "base/elementary.h"

#include "analyze/lp.h"
#include "analyze/pieces.h"
#include "analyze/tuning/analyze.h"

#include <math.h>

typedef struct Structure {
  AspContext *context;
  AspArena *arena;
  const AspContactProblem *problem;
  const double *load; /* dofs; NULL: none */
  double friction;    /* factor on mu */
  double *row_scale;  /* dofs */
  double force;       /* largest scaled load */
  double *facet;      /* blocks x STATICS_FACETS */
  int *facets;        /* blocks */
} Structure;

static int block_rows(const AspContactProblem *problem, int b) { return problem->offset[b + 1] - problem->offset[b]; }

static AspLaw scaled_law(const Structure *it, int b) {
  AspLaw law = it->problem->law[b];
  law.mu *= it->friction;
  law.limit /= it->force;
  law.cone = law.cone == ASP_CONE_RELAXED ? ASP_CONE_EXACT : law.cone; // they differ in motion, not in what r may be
  return law;
}

static bool is_exact(const Structure *it, int b) {
  const AspLaw *law = &it->problem->law[b];
  return law->kind == ASP_LAW_COULOMB && (law->cone == ASP_CONE_EXACT || law->cone == ASP_CONE_RELAXED) &&
         block_rows(it->problem, b) == 3;
}

/* What reactions a block may have; EQUALITY rows are free. */
static void reactions_of(const Structure *it, int b, AspPiece *piece) {
  AspLaw law = scaled_law(it, b);
  AspPieceChoice choice = {.state = law.kind == ASP_LAW_UNILATERAL || law.kind == ASP_LAW_SLIDING ? ASP_PIECE_CLOSED
                                                                                                  : ASP_PIECE_STICK};
  if (law.kind == ASP_LAW_SLIDING)
    law.kind = ASP_LAW_COULOMB;
  if (law.kind == ASP_LAW_COULOMB)
    choice.state = ASP_PIECE_STICK;
  asp_piece(&law, block_rows(it->problem, b), &choice, it->facet + (size_t)b * STATICS_FACETS, it->facets[b], piece);
}

static void set_scales(Structure *it) {
  const AspContactProblem *problem = it->problem;
  for (int i = 0; i < problem->dofs; i++)
    it->row_scale[i] = 0;
  int entries = problem->rows > 0 ? problem->H.start[problem->rows] : 0;
  for (int k = 0; k < entries; k++)
    it->row_scale[problem->H.row[k]] = fmax(it->row_scale[problem->H.row[k]], fabs(problem->H.value[k]));
  it->force = 0;
  for (int i = 0; i < problem->dofs; i++) {
    it->row_scale[i] = it->row_scale[i] > 0 ? 1 / it->row_scale[i] : 1;
    it->force = fmax(it->force, fabs(problem->f[i]) * it->row_scale[i]);
    if (it->load)
      it->force = fmax(it->force, fabs(it->load[i]) * it->row_scale[i]);
  }
  it->force = it->force > 0 ? it->force : 1;
}

/* ---- the program ---- */

typedef struct Program {
  AspLp lp;
  int *block;      /* columns */
  double *g;       /* columns x 3 */
  double *base;    /* rows of the problem */
  int load_column; /* -1: none */
} Program;

static AspError take_program(Structure *it, bool grow, Program *program) {
  const AspContactProblem *problem = it->problem;
  AspPiece *piece = ASP_TAKE(it->arena, AspPiece, 1);
  if (!piece)
    return ASP_ERROR_MEMORY;
  int rows = problem->dofs, columns = 1;
  for (int b = 0; b < problem->blocks; b++) {
    if (problem->law[b].kind == ASP_LAW_EQUALITY) {
      columns += block_rows(problem, b);
      continue;
    }
    reactions_of(it, b, piece);
    columns += piece->generators;
    rows += piece->conditions + 1;
  }
  ASP_TRY(asp_lp_take(it->arena, rows, columns, &program->lp));
  program->lp.columns = columns;
  program->lp.rows = problem->dofs;
  program->block = ASP_TAKE(it->arena, int, columns);
  program->g = ASP_TAKE(it->arena, double, 3 * (size_t)columns);
  program->base = ASP_TAKE(it->arena, double, problem->rows);
  program->load_column = grow ? columns - 1 : -1;
  return program->block && program->g && program->base ? ASP_OK : ASP_ERROR_MEMORY;
}

/* Column of H r for r = value on one row of the problem. */
static void add_effect(const Structure *it, AspLp *lp, int column, int row, double value) {
  const AspSparse *H = &it->problem->H;
  for (int k = H->start[row]; k < H->start[row + 1]; k++)
    lp->A[(size_t)H->row[k] * lp->columns + column] += value * H->value[k] * it->row_scale[H->row[k]];
}

static void add_block(const Structure *it, Program *program, int b, const AspPiece *piece, int *column) {
  const AspContactProblem *problem = it->problem;
  AspLp *lp = &program->lp;
  int first = *column, at = problem->offset[b];
  for (int k = 0; k < block_rows(problem, b); k++)
    program->base[at + k] = piece->base[k];
  for (int j = 0; j < piece->generators; j++, ++*column) {
    program->block[*column] = b;
    lp->is_free[*column] = piece->is_free[j];
    for (int k = 0; k < block_rows(problem, b); k++) {
      program->g[3 * (size_t)*column + k] = piece->g[j][k];
      add_effect(it, lp, *column, at + k, piece->g[j][k]);
    }
  }
  for (int c = 0; c < piece->conditions; c++) {
    if (!piece->condition[c].on_r)
      continue;
    for (int j = 0; j < piece->generators; j++)
      for (int k = 0; k < block_rows(problem, b); k++)
        lp->A[(size_t)lp->rows * lp->columns + first + j] += piece->condition[c].a[k] * piece->g[j][k];
    lp->rows++;
  }
  if (piece->cap > 0) {
    lp->A[(size_t)lp->rows * lp->columns + first] = -1;
    lp->b[lp->rows++] = -piece->cap;
  }
}

static AspError assemble(Structure *it, bool grow, Program *program) {
  const AspContactProblem *problem = it->problem;
  ASP_TRY(take_program(it, grow, program));
  AspPiece *piece = ASP_TAKE(it->arena, AspPiece, 1);
  if (!piece)
    return ASP_ERROR_MEMORY;
  AspLp *lp = &program->lp;
  int column = 0;
  for (int b = 0; b < problem->blocks; b++) {
    if (problem->law[b].kind != ASP_LAW_EQUALITY) {
      reactions_of(it, b, piece);
      add_block(it, program, b, piece, &column);
      continue;
    }
    for (int k = 0; k < block_rows(problem, b); k++, column++) {
      program->block[column] = -1 - (problem->offset[b] + k); // a row by itself
      lp->is_free[column] = true;
      add_effect(it, lp, column, problem->offset[b] + k, 1);
    }
  }
  for (int i = 0; i < problem->dofs; i++) {
    lp->equality[i] = true;
    lp->b[i] = -problem->f[i] * it->row_scale[i] / it->force;
    if (grow)
      lp->A[(size_t)i * lp->columns + program->load_column] = it->load[i] * it->row_scale[i] / it->force;
  }
  for (int k = 0; k < problem->rows; k++)
    for (int m = problem->H.start[k]; program->base[k] != 0 && m < problem->H.start[k + 1]; m++)
      lp->b[problem->H.row[m]] -= program->base[k] * problem->H.value[m] * it->row_scale[problem->H.row[m]];
  if (grow)
    lp->c[program->load_column] = -1;
  return ASP_OK;
}

static void read_reactions(const Structure *it, const Program *program, const double *x, double *r) {
  memcpy(r, program->base, (size_t)it->problem->rows * sizeof *r);
  for (int j = 0; j < program->lp.columns - 1; j++) {
    int b = program->block[j];
    if (b < 0)
      r[-1 - b] += x[j];
    for (int k = 0; b >= 0 && k < block_rows(it->problem, b); k++)
      r[it->problem->offset[b] + k] += x[j] * program->g[3 * (size_t)j + k];
  }
}

/* One more facet wherever r leaves an exact cone; false: nowhere, or no room. */
static bool cut_cones(Structure *it, const double *r) {
  bool cut = false;
  for (int b = 0; b < it->problem->blocks; b++) {
    const double *at = r + it->problem->offset[b];
    double mu = it->friction * it->problem->law[b].mu;
    if (!is_exact(it, b) || it->facets[b] == STATICS_FACETS || asp_hypot(at[1], at[2]) - mu * at[0] <= STATICS_IN_CONE)
      continue;
    it->facet[(size_t)b * STATICS_FACETS + it->facets[b]++] = asp_atan2(at[2], at[1]);
    cut = true;
  }
  return cut;
}

typedef struct Balance {
  AspLpStatus status;
  double factor;     /* of the load, where it may grow */
  double *r;         /* rows, scaled */
  double *mechanism; /* dofs */
} Balance;

static AspError solve(Structure *it, bool grow, Balance *out) {
  for (int iteration = 0; iteration < STATICS_MAX_FACET_ITERATIONS; iteration++) {
    AspArenaMark mark = asp_arena_mark(it->arena);
    Program program;
    double value;
    ASP_TRY(assemble(it, grow, &program));
    double *x = ASP_TAKE(it->arena, double, program.lp.columns), *y = ASP_TAKE(it->arena, double, program.lp.rows);
    if (!x || !y)
      return ASP_ERROR_MEMORY;
    ASP_TRY(asp_lp_solve(it->arena, &program.lp, STATICS_FEASIBLE, x, y, &value, &out->status));
    if (out->status == ASP_LP_INFEASIBLE)
      for (int i = 0; i < it->problem->dofs; i++)
        out->mechanism[i] = -y[i] * it->row_scale[i];
    if (out->status == ASP_LP_OPTIMAL) {
      read_reactions(it, &program, x, out->r);
      out->factor = grow ? x[program.load_column] : 0;
    }
    asp_arena_rewind(it->arena, mark);
    if (out->status != ASP_LP_OPTIMAL || !cut_cones(it, out->r))
      break;
  }
  return ASP_OK;
}

static AspError stands_with(Structure *it, double friction, Balance *balance, bool *stands) {
  it->friction = friction;
  memset(it->facets, 0,
         (size_t)it->problem->blocks * sizeof *it->facets); // the directions are valid for every mu, but few are needed
  ASP_TRY(solve(it, false, balance));
  *stands = balance->status == ASP_LP_OPTIMAL;
  return ASP_OK;
}

/* ---- results ---- */

/* The least factor on all coefficients of friction; infinite where none helps. */
static AspError least_friction(Structure *it, Balance *balance, double *factor) {
  double low = 0, high = 1;
  bool stands;
  ASP_TRY(stands_with(it, 0, balance, &stands));
  if (stands) {
    *factor = 0;
    return ASP_OK;
  }
  ASP_TRY(stands_with(it, high, balance, &stands));
  while (!stands && high < STATICS_LOAD_MOST) {
    low = high;
    high *= 4;
    ASP_TRY(stands_with(it, high, balance, &stands));
  }
  if (!stands) {
    *factor = INFINITY;
    return ASP_OK;
  }
  for (int k = 0; k < STATICS_BISECTIONS; k++) {
    double middle = 0.5 * (low + high);
    ASP_TRY(stands_with(it, middle, balance, &stands));
    if (stands)
      high = middle;
    else
      low = middle;
  }
  *factor = high;
  return ASP_OK;
}

/* Largest |H r + f| over the scaled dofs, relative to the loads; rest: dofs, scratch. */
static double balance_residual(const Structure *it, const double *r, double *rest) {
  const AspContactProblem *problem = it->problem;
  double worst = 0;
  memcpy(rest, problem->f, (size_t)problem->dofs * sizeof *rest);
  for (int k = 0; k < problem->rows; k++)
    for (int m = problem->H.start[k]; m < problem->H.start[k + 1]; m++)
      rest[problem->H.row[m]] += problem->H.value[m] * r[k];
  for (int i = 0; i < problem->dofs; i++)
    worst = fmax(worst, fabs(rest[i]) * it->row_scale[i] / it->force);
  return worst;
}

static AspError fill(Structure *it, Balance *balance, bool find_friction, AspStatics *out) {
  const AspContactProblem *problem = it->problem;
  ASP_TRY(stands_with(it, 1, balance, &out->stands));
  if (asp_stop_is_asked(it->context))
    return asp_fail(it->context, ASP_ERROR_INTERRUPTED, "statics was interrupted");
  if (balance->status != ASP_LP_OPTIMAL && balance->status != ASP_LP_INFEASIBLE)
    return asp_fail(it->context, ASP_ERROR_INTERNAL, "statics: the linear program reached its limit of iterations");
  if (out->stands) {
    for (int k = 0; k < problem->rows; k++)
      out->r[k] = balance->r[k] * it->force;
    out->residual = balance_residual(it, out->r, balance->mechanism);
  } else {
    double size = 0;
    for (int i = 0; i < problem->dofs; i++)
      size = fmax(size, fabs(balance->mechanism[i]));
    for (int i = 0; i < problem->dofs; i++) {
      out->mechanism[i] = balance->mechanism[i] / size;
      out->power += out->mechanism[i] * problem->f[i];
    }
    for (int k = 0; k < problem->rows; k++)
      for (int m = problem->H.start[k]; m < problem->H.start[k + 1]; m++)
        out->opening[k] += problem->H.value[m] * out->mechanism[problem->H.row[m]];
  }
  if (it->load) {
    it->friction = 1;
    ASP_TRY(solve(it, true, balance));
    out->load_factor = balance->status == ASP_LP_UNBOUNDED ? INFINITY
                       : balance->status == ASP_LP_OPTIMAL ? balance->factor
                                                           : NAN;
  }
  return find_friction ? least_friction(it, balance, &out->friction_factor) : ASP_OK;
}

static AspError check(AspContext *context, const AspContactProblem *problem) {
  ASP_TRY(asp_problem_validate(context, problem));
  if (problem->dofs == 0 && problem->rows > 0)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "statics needs the problem's global form (H and f)");
  for (int b = 0; b < problem->blocks; b++)
    if (problem->dimension == 3 && problem->law[b].cone != ASP_CONE_EXACT && problem->law[b].cone != ASP_CONE_RELAXED &&
        problem->law[b].directions > ASP_PIECE_DIRECTIONS)
      return asp_fail(context, ASP_ERROR_UNSUPPORTED, "block %d: %d friction directions; statics takes at most %d", b,
                      problem->law[b].directions, ASP_PIECE_DIRECTIONS);
  return ASP_OK;
}

AspError asp_statics(AspContext *context, const AspContactProblem *problem, const double *load, bool find_friction,
                     AspStatics *out) {
  *out = (AspStatics){.load_factor = NAN, .friction_factor = NAN};
  ASP_TRY(check(context, problem));
  size_t rows = (size_t)problem->rows, dofs = (size_t)problem->dofs;
  AspArena arena;
  asp_arena_init(&arena, context);
  Structure it = {.context = context,
                  .arena = &arena,
                  .problem = problem,
                  .load = load,
                  .friction = 1,
                  .row_scale = ASP_TAKE(&arena, double, dofs),
                  .facet = ASP_TAKE(&arena, double, (size_t)problem->blocks *STATICS_FACETS),
                  .facets = ASP_TAKE(&arena, int, problem->blocks)};
  Balance balance = {.r = ASP_TAKE(&arena, double, rows), .mechanism = ASP_TAKE(&arena, double, dofs)};
  out->r = asp_allocate(context, rows, sizeof *out->r);
  out->opening = asp_allocate(context, rows, sizeof *out->opening);
  out->mechanism = asp_allocate(context, dofs, sizeof *out->mechanism);
  AspError error = ASP_ERROR_MEMORY;
  if (it.row_scale && it.facet && it.facets && balance.r && balance.mechanism && out->r && out->opening &&
      out->mechanism) {
    set_scales(&it);
    error = fill(&it, &balance, find_friction, out);
    if (error == ASP_OK && asp_stop_is_asked(context))
      error = asp_fail(context, ASP_ERROR_INTERRUPTED, "statics was interrupted");
  }
  asp_arena_free(&arena);
  if (error != ASP_OK)
    asp_statics_destroy(context, out);
  return error;
}

void asp_statics_destroy(AspContext *context, AspStatics *statics) {
  if (!statics)
    return;
  asp_release(context, statics->r);
  asp_release(context, statics->opening);
  asp_release(context, statics->mechanism);
  *statics = (AspStatics){0};
}
