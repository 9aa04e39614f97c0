/* The judge: how well r solves a contact problem, recomputed from r alone.
 *
 *   u  = H^T M^-1 (H r + f) + w      in the global form, else u = W r + q
 *   E1 = ||F(1)||   / max(||q||, ||u||, ||r||)
 *   E2 = ||F(rho)|| / max(||r||, rho ||q||)
 *   E3 = ||F(rho)|| / (rho ||q||)
 *
 * r: reactions, u: velocities (or accelerations) of the rows, F: the natural map of natural_map.h, rho = rows /
 * trace(W), which has the unit of r / u. Equations: docs/theory/contact-problem.md, "How good is r?".
 *
 * Degenerate data: rho = 1 when trace(W) gives no finite positive rho; a denominator of zero is replaced by 1, so that
 * the numerator is reported. A number that is not finite, in r or in an intermediate result, makes every residual
 * infinite. Depends on mass.h and natural_map.h.
 */
#include "asperity/problem.h"

#include "base/effort.h"
#include "base/parallel.h"
#include "problem/judge_state.h"
#include "problem/natural_map.h"
#include "problem/tuning/problem.h"
#include "problem/validate.h"

#include <math.h>
#include <stdatomic.h>

/* Euclidean norm without overflow; infinite where an entry is not finite. */
static double norm(int n, const double *x) {
  double largest = 0, sum = 0, plain = 0;
  for (int i = 0; i < n; i++)
    plain += x[i] * x[i];
  if (plain > JUDGE_SQUARES_LEAST &&
      plain < JUDGE_SQUARES_MOST) // no square overflowed, and those that vanished do not count
    return sqrt(plain);
  for (int i = 0; i < n; i++) {
    if (!isfinite(x[i]))
      return INFINITY;
    largest = fmax(largest, fabs(x[i]));
  }
  if (largest == 0)
    return 0;
  for (int i = 0; i < n; i++)
    sum += (x[i] / largest) * (x[i] / largest);
  return largest * sqrt(sum);
}

AspError asp_judge_create(AspContext *context, AspJudge **judge) {
  *judge = asp_allocate(context, 1, sizeof **judge);
  if (!*judge)
    return ASP_ERROR_MEMORY;
  (*judge)->context = context;
  asp_arena_init(&(*judge)->arena, context);
  asp_mass_init(&(*judge)->mass, context);
  return ASP_OK;
}

void asp_judge_destroy(AspJudge *judge) {
  if (!judge)
    return;
  asp_mass_free(&judge->mass);
  asp_rounding_free(&judge->rounding);
  asp_arena_free(&judge->arena);
  asp_release(judge->context, judge);
}

double asp_judge_take_time(AspJudge *judge) {
  double time = judge->time;
  judge->time = 0;
  return time;
}

AspMass *asp_judge_mass(AspJudge *judge) { return &judge->mass; }

/* Rows `first` to `end` - 1 of u = H^T x + w */
static void add_transposed(const AspContactProblem *problem, const double *x, int first, int end, double *u) {
  AspSparse part = problem->H;
  if (end == first)
    return;
  part.columns = end - first;
  part.start += first;
  memcpy(u + first, problem->w + first, (size_t)(end - first) * sizeof *u);
  asp_sparse_multiply_transpose_add(&part, 1, x, u + first);
}

typedef struct Transposed {
  const AspContactProblem *problem;
  const double *x;
  double *u;
} Transposed;

static void transpose_range(void *data, int from, int end) {
  const Transposed *transposed = data;
  add_transposed(transposed->problem, transposed->x, from, end, transposed->u);
}

/* What is made of H's columns in one pass. */
typedef struct Columns {
  const AspContactProblem *problem;
  const AspMass *mass;
  const double *x; /* dofs: M^-1 f */
  AspBlockBodies *bodies;
  double *diagonal, *q;      /* rows */
  bool sound;                /* entries are known to be as they must be */
  atomic_bool wrong, differ; /* entries are not as they must be; blocks are of another kind */
} Columns;

/* Are H's entries of these blocks as they must be, and at their bodies? */
static bool is_sound(const Columns *columns, int from, int end) {
  const AspContactProblem *problem = columns->problem;
  return columns->sound || (asp_sparse_are_sound(&problem->H, problem->offset[from], problem->offset[end]) &&
                            asp_bodies_hold(problem, &columns->mass->bodies, from, end));
}

/* Each chunk while it is in the cache. Rows of whole bodies and a finite diagonal show that the entries are right;
 * otherwise they are looked at for themselves. */
static void read_chunk(Columns *columns, int from, int end) {
  const AspContactProblem *problem = columns->problem;
  int first = problem->offset[from], after = problem->offset[end];
  bool whole = asp_block_bodies_find(problem, columns->mass, from, end, columns->bodies);
  if (whole)
    asp_blocks_diagonal(problem, columns->bodies, columns->mass, from, end, columns->diagonal);
  if ((!whole || !asp_all_finite(columns->diagonal + first, (size_t)(after - first))) && !is_sound(columns, from, end))
    atomic_store_explicit(&columns->wrong, true, memory_order_relaxed);
  else if (!whole)
    atomic_store_explicit(&columns->differ, true, memory_order_relaxed);
  else
    asp_blocks_velocity(problem, columns->bodies, columns->x, from, end, columns->q);
}

static void read_columns(void *data, int from, int end) {
  for (int first = from; first < end; first += JUDGE_READ_AT_ONCE)
    read_chunk(data, first, end - first < JUDGE_READ_AT_ONCE ? end : first + JUDGE_READ_AT_ONCE);
}

/* Are all entries of H in these blocks finite and in order, at the bodies of their block? */
static bool are_sound_runs(const Columns *columns, int from, int end) {
  const AspContactProblem *problem = columns->problem;
  const AspSparse *H = &problem->H;
  for (int i = from; i < end; i++) {
    bool other = columns->bodies[i].dof[0] < 0;
    if (other ? !is_sound(columns, i, i + 1) : !asp_bodies_hold_alike(problem, &columns->mass->bodies, i))
      return false;
  }
  int first = H->start[problem->offset[from]];
  return asp_all_finite(H->value + first, (size_t)(H->start[problem->offset[end]] - first));
}

/* For a sparse M, of which only the columns' runs are needed. */
static void read_runs(void *data, int from, int end) {
  Columns *columns = data;
  asp_block_runs_find(columns->problem, from, end, columns->bodies);
  if (!columns->sound && !are_sound_runs(columns, from, end))
    atomic_store_explicit(&columns->wrong, true, memory_order_relaxed);
  else
    asp_blocks_velocity(columns->problem, columns->bodies, columns->x, from, end, columns->q);
}

/* diag(W), and q for the global form. An input error without a message: H is wrong. */
static AspError make_local(AspJudge *judge, const AspContactProblem *problem, double *diagonal) {
  judge->bodies = NULL;
  if (problem->dofs == 0) {
    judge->q = problem->q;
    memset(diagonal, 0, (size_t)problem->rows * sizeof *diagonal);
    for (int j = 0; j < problem->rows; j++)
      for (int k = problem->W.start[j]; k < problem->W.start[j + 1]; k++)
        if (problem->W.row[k] == j)
          diagonal[j] = problem->W.value[k];
    return ASP_OK;
  }
  double *q = ASP_TAKE_UNCLEARED(&judge->arena, double, problem->rows);
  AspBlockBodies *bodies = ASP_TAKE_UNCLEARED(&judge->arena, AspBlockBodies, problem->blocks);
  if (!q || !bodies)
    return ASP_ERROR_MEMORY;
  judge->q = q;
  bool found = problem->bodies.count == 0 && problem->rows > 0; // from the entries of H
  if (found && !asp_sparse_are_sound(&problem->H, 0, problem->rows))
    return ASP_ERROR_INPUT;
  ASP_TRY(asp_mass_factor(&judge->mass, &judge->arena, problem));
  memcpy(judge->x, problem->f, (size_t)problem->dofs * sizeof *judge->x);
  ASP_TRY(asp_mass_solve(&judge->mass, judge->x));
  Columns columns = {.problem = problem,
                     .mass = &judge->mass,
                     .x = judge->x,
                     .bodies = bodies,
                     .diagonal = diagonal,
                     .q = q,
                     .sound = found};
  bool sparse = !judge->mass.is_blocks;
  asp_parallel_for(judge->context, problem->blocks, JUDGE_READ_AT_ONCE, sparse ? read_runs : read_columns, &columns);
  if (columns.wrong)
    return ASP_ERROR_INPUT;
  if (!columns.differ)
    judge->bodies = bodies;
  if (sparse)
    return asp_mass_delassus_diagonal(&judge->mass, &judge->arena, problem, diagonal);
  if (!columns.differ)
    return ASP_OK;
  ASP_TRY(asp_mass_delassus_diagonal(&judge->mass, &judge->arena, problem, diagonal));
  asp_parallel_for(judge->context, problem->rows, JUDGE_CHUNK, transpose_range, &(Transposed){problem, judge->x, q});
  return ASP_OK;
}

static double usable_or(double rho, double otherwise) { return rho > 0 && isfinite(rho) ? rho : otherwise; }

void asp_judge_set_rho(AspJudge *judge, const AspContactProblem *problem, double rho) {
  judge->rho = rho;
  for (int i = 0; i < problem->blocks; i++)
    judge->rho_contact[i] = usable_or(1 / judge->diagonal[problem->offset[i]], rho);
}

static AspError reset(AspJudge *judge, const AspContactProblem *problem) {
  judge->problem = NULL;
  ASP_TRY(asp_problem_validate_frame(judge->context, problem));
  AspArena *arena = &judge->arena;
  asp_arena_reset(arena);
  int rows = problem->rows;
  double *diagonal = ASP_TAKE_UNCLEARED(arena, double, rows);
  judge->rho_contact = ASP_TAKE_UNCLEARED(arena, double, problem->blocks);
  judge->u = ASP_TAKE_UNCLEARED(arena, double, rows);
  judge->x = ASP_TAKE_UNCLEARED(arena, double, problem->dofs);
  judge->b = ASP_TAKE_UNCLEARED(arena, double, problem->dofs);
  judge->last = ASP_TAKE_UNCLEARED(arena, double, rows);
  judge->has_last = false;
  judge->F = ASP_TAKE_UNCLEARED(arena, double, rows);
  judge->error = ASP_TAKE_UNCLEARED(arena, AspBlockError, problem->blocks);
  judge->part = ASP_TAKE_UNCLEARED(arena, AspJudgePart, problem->blocks / JUDGE_CHUNK + 1);
  if (!diagonal || !judge->rho_contact || !judge->u || !judge->x || !judge->b || !judge->last || !judge->F ||
      !judge->error || !judge->part)
    return ASP_ERROR_MEMORY;
  AspError error = make_local(judge, problem, diagonal);
  if (error == ASP_ERROR_INPUT) // what is wrong with H is said before what M's factors miss
    ASP_TRY(asp_problem_validate(judge->context, problem));
  if (error != ASP_OK)
    return error;
  double trace = 0;
  for (int j = 0; j < rows; j++)
    trace += diagonal[j];
  judge->diagonal = diagonal;
  asp_judge_set_rho(judge, problem, usable_or(rows / trace, 1));
  judge->norm_q = norm(rows, judge->q);
  judge->problem = problem;
  return asp_rounding_reset(judge);
}

AspError asp_judge_reset(AspJudge *judge, const AspContactProblem *problem) {
  double began = asp_clock_seconds();
  AspError error = reset(judge, problem);
  if (error != ASP_OK)
    judge->problem = NULL;
  judge->time += asp_clock_seconds() - began;
  return error;
}

AspError asp_judge_push(AspJudge *judge, const double *r) {
  const AspContactProblem *p = judge->problem;
  if (p->dofs == 0) {
    for (int j = 0; j < p->rows; j++)
      judge->u[j] = p->q[j];
    asp_sparse_multiply_add(&p->W, 1, r, judge->u);
    return ASP_OK;
  }
  memcpy(judge->x, p->f, (size_t)p->dofs * sizeof *judge->x);
  if (judge->bodies)
    asp_blocks_push(judge->context, p, judge->bodies, r, judge->x);
  else
    asp_sparse_multiply_add_parallel(judge->context, &p->H, 1, r, judge->x);
  return ASP_OK;
}

AspError asp_judge_follow(AspJudge *judge) {
  if (judge->problem->dofs == 0)
    return ASP_OK;
  memcpy(judge->b, judge->x, (size_t)judge->problem->dofs * sizeof *judge->b);
  return asp_mass_solve(&judge->mass, judge->x);
}

static double over(double numerator, double denominator) {
  double ratio = numerator / (denominator > 0 ? denominator : 1);
  return isfinite(ratio) ? ratio : INFINITY;
}

/* The larger of two, NaN counting as infinite. */
static double worse(double worst, double value) { return isnan(value) ? INFINITY : value > worst ? value : worst; }

/* The per-law report: excess of the set, complementarity, approach, joint violation. */
static void report_block(const AspLaw *law, int rows, const double *r, const double *u, AspResidual *residual) {
  residual->worst_cone = worse(residual->worst_cone, asp_law_excess(law, rows, r));
  if (law->kind == ASP_LAW_EQUALITY)
    for (int k = 0; k < rows; k++)
      residual->worst_equality = worse(residual->worst_equality, fabs(u[k]));
  if (law->kind == ASP_LAW_EQUALITY || law->kind == ASP_LAW_BOX || law->kind == ASP_LAW_BALL)
    return;
  residual->worst_complementarity = worse(residual->worst_complementarity, fabs(u[0] * r[0]));
  residual->worst_penetration_rate = worse(residual->worst_penetration_rate, -u[0]);
}

static void infinite(AspResidual *residual) {
  residual->E1 = residual->E2 = residual->E3 = residual->exact = residual->contact = INFINITY;
  residual->worst_cone = residual->worst_complementarity = INFINITY;
  residual->worst_penetration_rate = residual->worst_equality = INFINITY;
}

static bool is_one_row(const AspLaw *law, int rows) {
  return rows == 1 && (law->kind == ASP_LAW_UNILATERAL || law->kind == ASP_LAW_BOX || law->kind == ASP_LAW_EQUALITY);
}

/* The norm of a map that is one number. */
static double size_of(double F) { return isfinite(F) ? fabs(F) : INFINITY; }

static AspBlockError evaluate_row(const AspJudge *judge, int i, const AspLaw *law, double r, double u) {
  double map = size_of(asp_natural_map_of_row(law, judge->rho, r, u));
  double unit = size_of(asp_natural_map_of_row(law, 1, r, u)), contact = 0;
  if (law->kind == ASP_LAW_UNILATERAL)
    contact = size_of(asp_natural_map_of_row(law, judge->rho_contact[i], r, u));
  return (AspBlockError){map, unit, map, contact};
}

/* Sizes of the natural maps of one block. */
static AspBlockError evaluate_block(AspJudge *judge, int i, const double *r, const double *u) {
  const AspContactProblem *p = judge->problem;
  const AspLaw *law = &p->law[i];
  int rows = p->offset[i + 1] - p->offset[i];
  double *F = judge->F + p->offset[i];
  AspBlockError error = {0};
  if (rows == 3 && law->kind == ASP_LAW_COULOMB && law->cone == ASP_CONE_EXACT) {
    const double rho[3] = {judge->rho, 1, judge->rho_contact[i]};
    double size[3];
    asp_exact_cone_map_sizes(law->mu, rho, r, u, size);
    return (AspBlockError){size[0], size[1], size[0], size[2]};
  }
  if (is_one_row(law, rows))
    return evaluate_row(judge, i, law, r[0], u[0]);
  asp_natural_map(law, rows, judge->rho, r, u, false, F);
  error.map = error.exact = norm(rows, F);
  asp_natural_map(law, rows, 1, r, u, false, F);
  error.unit = norm(rows, F);
  if (law->kind == ASP_LAW_COULOMB && law->cone != ASP_CONE_EXACT) {
    asp_natural_map(law, rows, judge->rho, r, u, true, F);
    error.exact = norm(rows, F);
  }
  if (law->kind == ASP_LAW_COULOMB || law->kind == ASP_LAW_UNILATERAL) {
    asp_natural_map(law, rows, judge->rho_contact[i], r, u, false, F);
    error.contact = norm(rows, F);
  }
  return error;
}

/* The natural maps of the blocks of a chunk, and their sums; of the global form u first, while it is in the cache. */
static void evaluate_chunk(AspJudge *judge, int first, const double *r, AspJudgePart *part) {
  const AspContactProblem *p = judge->problem;
  int end = p->blocks - first < JUDGE_CHUNK ? p->blocks : first + JUDGE_CHUNK;
  if (judge->bodies)
    asp_blocks_velocity(p, judge->bodies, judge->x, first, end, judge->u);
  else if (p->dofs > 0)
    add_transposed(p, judge->x, p->offset[first], p->offset[end], judge->u);
  *part = (AspJudgePart){.map = -1, .worst = {.worst_block = -1}};
  for (int i = first; i < end; i++) {
    int from = p->offset[i], rows = p->offset[i + 1] - from;
    const AspLaw *law = &p->law[i];
    const double *r_i = r + from, *u_i = judge->u + from;
    AspBlockError error = judge->error[i] = evaluate_block(judge, i, r_i, u_i);
    part->square[0] += error.map * error.map;
    part->square[1] += error.unit * error.unit;
    part->square[2] += error.exact * error.exact;
    for (int k = 0; k < rows; k++) {
      part->square[3] += r_i[k] * r_i[k];
      part->square[4] += u_i[k] * u_i[k];
    }
    if (error.map > part->map) {
      part->map = error.map;
      part->worst.worst_block = i;
    }
    if (law->kind == ASP_LAW_COULOMB || law->kind == ASP_LAW_UNILATERAL) {
      part->contact = fmax(part->contact, error.contact);
      part->normal += fabs(r_i[0]);
      part->contacts++;
    }
    report_block(law, rows, r_i, u_i, &part->worst);
  }
}

static void add_part(AspJudgePart *sum, const AspJudgePart *part) {
  AspResidual *worst = &sum->worst;
  for (int k = 0; k < 5; k++)
    sum->square[k] += part->square[k];
  sum->normal += part->normal;
  sum->contact = fmax(sum->contact, part->contact);
  sum->contacts += part->contacts;
  if (part->map > sum->map) {
    sum->map = part->map;
    worst->worst_block = part->worst.worst_block;
  }
  worst->worst_cone = worse(worst->worst_cone, part->worst.worst_cone);
  worst->worst_equality = worse(worst->worst_equality, part->worst.worst_equality);
  worst->worst_complementarity = worse(worst->worst_complementarity, part->worst.worst_complementarity);
  worst->worst_penetration_rate = worse(worst->worst_penetration_rate, part->worst.worst_penetration_rate);
}

/* The root of a sum of squares where none of them overflowed and those that vanished do not count; else by `norm` from
 * what was summed. */
static double root(double square, int n, const double *x) {
  return square > JUDGE_SQUARES_LEAST && square < JUDGE_SQUARES_MOST ? sqrt(square) : norm(n, x);
}

/* Norms over the blocks: map, unit, exact. */
static void root_errors(const AspJudge *judge, const AspJudgePart *sum, double size[3]) {
  int blocks = judge->problem->blocks;
  for (int k = 0; k < 3; k++) {
    for (int i = 0; !(sum->square[k] > JUDGE_SQUARES_LEAST && sum->square[k] < JUDGE_SQUARES_MOST) && i < blocks; i++)
      judge->F[i] = k == 0 ? judge->error[i].map : k == 1 ? judge->error[i].unit : judge->error[i].exact;
    size[k] = root(sum->square[k], blocks, judge->F);
  }
}

typedef struct Evaluation {
  AspJudge *judge;
  const double *r;
} Evaluation;

static void evaluate_range(void *data, int from, int end) {
  const Evaluation *evaluation = data;
  for (int chunk = from; chunk < end; chunk++)
    evaluate_chunk(evaluation->judge, JUDGE_CHUNK * chunk, evaluation->r, &evaluation->judge->part[chunk]);
}

void asp_judge_evaluate(AspJudge *judge, const double *r, AspJudgePart *sum) {
  int chunks = (judge->problem->blocks + JUDGE_CHUNK - 1) / JUDGE_CHUNK;
  asp_parallel_for(judge->context, chunks, 1, evaluate_range, &(Evaluation){judge, r});
  for (int chunk = 0; chunk < chunks; chunk++)
    add_part(sum, &judge->part[chunk]);
}

/* Norms of r and u, worst blocks and contacts into the residual; of the natural maps into size. */
static void evaluate_blocks(AspJudge *judge, const double *r, AspResidual *residual, double size[3]) {
  const AspContactProblem *p = judge->problem;
  AspJudgePart sum = {.map = -1, .worst = *residual};
  asp_judge_evaluate(judge, r, &sum);
  *residual = sum.worst;
  residual->norm_r = root(sum.square[3], p->rows, r);
  residual->norm_u = root(sum.square[4], p->rows, judge->u);
  residual->mean_normal = sum.contacts > 0 ? sum.normal / sum.contacts : 0;
  residual->contact = sum.contacts > 0 ? over(sum.contact, residual->mean_normal) : 0;
  root_errors(judge, &sum, size);
}

void asp_judge_divide(AspResidual *residual, const double size[3]) {
  double largest = fmax(residual->norm_q, fmax(residual->norm_u, residual->norm_r));
  double largest_rho = fmax(residual->norm_r, residual->rho * residual->norm_q);
  residual->E1 = over(size[1], largest);
  residual->E2 = over(size[0], largest_rho);
  residual->E3 = over(size[0], residual->rho * residual->norm_q);
  residual->exact = over(size[2], largest_rho);
  if (!isfinite(residual->norm_r) || !isfinite(residual->norm_u))
    infinite(residual);
}

void asp_judge_scales(const AspJudge *judge, double *rho, double *norm_q) {
  *rho = judge->rho;
  *norm_q = judge->norm_q;
}

const AspBlockError *asp_judge_block_errors(const AspJudge *judge) { return judge->error; }

/* u and x of the last residual, where they are asked for. */
static void give_last(const AspJudge *judge, double *u, double *x) {
  const AspContactProblem *p = judge->problem;
  if (u && p->rows > 0)
    memcpy(u, judge->u, (size_t)p->rows * sizeof *u);
  if (x)
    memcpy(x, judge->x, (size_t)p->dofs * sizeof *x);
}

AspError asp_judge_residual(AspJudge *judge, const double *r, AspResidual *residual, double *u, double *x) {
  const AspContactProblem *p = judge->problem;
  if (!p)
    return asp_fail(judge->context, ASP_ERROR_ARGUMENT, "the judge has no problem: call asp_judge_reset first");
  if (x && p->dofs == 0)
    return asp_fail(judge->context, ASP_ERROR_ARGUMENT, "x was asked for, but the problem has no global form");
  int rows = p->rows;
  if (judge->has_last && rows > 0 && memcmp(judge->last, r, (size_t)rows * sizeof *r) == 0) {
    *residual = judge->last_residual;
    give_last(judge, u, x);
    return ASP_OK;
  }
  double began = asp_clock_seconds();
  ASP_TRY(asp_judge_push(judge, r));
  ASP_TRY(asp_judge_follow(judge));
  asp_effort_add(asp_effort(judge->context), JUDGE_EFFORT * p->rows);
  double size[3];
  *residual =
      (AspResidual){.norm_q = judge->norm_q, .rounding = judge->rounding.floor, .rho = judge->rho, .worst_block = -1};
  evaluate_blocks(judge, r, residual, size);
  asp_judge_divide(residual, size);
  if (rows > 0)
    memcpy(judge->last, r, (size_t)rows * sizeof *r);
  judge->last_residual = *residual;
  judge->has_last = true;
  give_last(judge, u, x);
  judge->time += asp_clock_seconds() - began;
  return ASP_OK;
}
