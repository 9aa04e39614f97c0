/* pgs: projected Gauss-Seidel over the blocks of u = W r + q, each law by projection onto its own set:
 *
 *   EQUALITY    r_k <- r_k - u_k / W_kk                       row by row
 *   UNILATERAL  r <- max(0, r - u / W)
 *   COULOMB     r_N as UNILATERAL, then r_T <- P(r_T - u_T / lambda); both repeated a few times
 *   SLIDING     r_N <- max(0, r_N - u_N / (W_NN - mu W_NT d)), r_T = -mu r_N d
 *   BOX         r <- clamp(r - u / W, limit)
 *   BALL        r <- P(r - u / trace(W)); repeated a few times
 *
 * P: projection onto mu r_N times the disk, polygon or interval; lambda: largest eigenvalue of the symmetric part of
 * W_TT; d: direction of slip. u of the block is kept up to date within it. Fast for few significant digits; converges
 * slowly on stacks and not at all where a stiff joint row works against another. Depends on problem/cone.h for the
 * projections.
 */
#include "base/elementary.h"
#include "problem/cone.h"
#include "solver/method.h"
#include "solver/tuning/pgs.h"

typedef struct Block {
  const AspLaw *law;
  int rows;
  const double *W; /* rows x rows diagonal block, column-major */
  double *r, *u;   /* rows */
} Block;

/* r_k changes by `change`: u of the block follows. */
static void change_reaction(Block *block, int k, double change) {
  block->r[k] += change;
  for (int i = 0; i < block->rows; i++)
    block->u[i] += block->W[i + k * block->rows] * change;
}

static void update_equality(Block *block) {
  for (int k = 0; k < block->rows; k++) {
    double diagonal = block->W[k + k * block->rows];
    if (diagonal > 0)
      change_reaction(block, k, -block->u[k] / diagonal);
  }
}

static void update_normal(Block *block) {
  if (block->W[0] > 0)
    change_reaction(block, 0, fmax(0, block->r[0] - block->u[0] / block->W[0]) - block->r[0]);
}

static void update_box(Block *block) {
  if (block->W[0] > 0)
    change_reaction(block, 0,
                    asp_box_project(block->law->limit, block->r[0] - block->u[0] / block->W[0]) - block->r[0]);
}

static void update_ball(Block *block) {
  double trace = 0, next[3];
  for (int k = 0; k < block->rows; k++)
    trace += block->W[k + k * block->rows];
  for (int update = 0; update < PGS_BLOCK_UPDATES && trace > 0; update++) {
    for (int k = 0; k < block->rows; k++)
      next[k] = block->r[k] - block->u[k] / trace;
    asp_ball_project(block->rows, block->law->limit, next, next);
    for (int k = 0; k < block->rows; k++)
      change_reaction(block, k, next[k] - block->r[k]);
  }
}

static void update_sliding(Block *block) {
  int n = block->rows;
  double slope = block->W[0];
  for (int k = 1; k < n; k++)
    slope -= block->law->mu * block->W[k * n] * block->law->direction[k - 1];
  // r_T first, so that u_N is the one of a reaction on the friction ray; a slope <= 0 has no projection (Painleve)
  for (int k = 1; k < n; k++)
    change_reaction(block, k, -block->law->mu * block->r[0] * block->law->direction[k - 1] - block->r[k]);
  if (!(slope > 0))
    return;
  double change = fmax(0, block->r[0] - block->u[0] / slope) - block->r[0];
  change_reaction(block, 0, change);
  for (int k = 1; k < n; k++)
    change_reaction(block, k, -block->law->mu * change * block->law->direction[k - 1]);
}

/* y = P(t) onto radius times the disk, polygon or interval of the law */
static void project_tangential(const AspLaw *law, int tangents, double radius, const double *t, double *y) {
  if (tangents == 1) {
    y[0] = asp_box_project(radius, t[0]);
  } else if (law->cone == ASP_CONE_EXACT) {
    double length = asp_hypot(t[0], t[1]), factor = length > radius ? radius / length : 1;
    y[0] = factor * t[0];
    y[1] = factor * t[1];
  } else {
    AspPolygon polygon = asp_polygon_of_law(law);
    asp_polygon_project(&polygon, radius, t, y);
  }
}

static double largest_tangential_eigenvalue(const Block *block) {
  if (block->rows == 2)
    return block->W[3];
  double a = block->W[4], c = block->W[8], b = 0.5 * (block->W[5] + block->W[7]);
  return 0.5 * (a + c) + asp_hypot(0.5 * (a - c), b);
}

static void update_coulomb(Block *block) {
  int tangents = block->rows - 1;
  double lambda = largest_tangential_eigenvalue(block);
  for (int update = 0; update < PGS_BLOCK_UPDATES; update++) {
    double t[2] = {0}, y[2] = {0};
    update_normal(block);
    for (int k = 0; k < tangents; k++)
      t[k] = block->r[1 + k] - (lambda > 0 ? block->u[1 + k] / lambda : 0);
    project_tangential(block->law, tangents, block->law->mu * fmax(block->r[0], 0), t, y);
    for (int k = 0; k < tangents; k++)
      change_reaction(block, 1 + k, y[k] - block->r[1 + k]);
  }
}

static void sweep(SolverRun *run, double *r, double *u) {
  for (int i = 0; i < run->problem->blocks; i++) {
    int first = run->problem->offset[i];
    Block block = {&run->problem->law[i], asp_block_size(&run->call->W, i), asp_block_diagonal(&run->call->W, i),
                   r + first, u};
    memcpy(u, run->call->q + first, (size_t)block.rows * sizeof *u);
    asp_block_sparse_row_multiply_add(&run->call->W, i, r, u);
    switch (block.law->kind) {
    case ASP_LAW_UNILATERAL:
      update_normal(&block);
      break;
    case ASP_LAW_COULOMB:
      update_coulomb(&block);
      break;
    case ASP_LAW_SLIDING:
      update_sliding(&block);
      break;
    case ASP_LAW_BOX:
      update_box(&block);
      break;
    case ASP_LAW_BALL:
      update_ball(&block);
      break;
    case ASP_LAW_EQUALITY:
    case ASP_LAW_COUNT:
      update_equality(&block);
      break;
    }
  }
}

static AspError solve_by_pgs(SolverRun *run, const double *start) {
  size_t rows = (size_t)run->problem->rows;
  double *r = ASP_TAKE(run->arena, double, rows), *u = ASP_TAKE(run->arena, double, rows);
  if (!r || !u)
    return ASP_ERROR_MEMORY;
  if (start)
    memcpy(r, start, rows * sizeof *r);
  int limit = run->settings.max_iterations ? run->settings.max_iterations : PGS_DEFAULT_SWEEPS, sweeps = 0;
  ASP_TRY(asp_run_offer(run, r, NULL, NULL));
  run->status = ASP_STATUS_ITERATION_LIMIT;
  while (!asp_run_is_solved(run) && sweeps < limit && run->status == ASP_STATUS_ITERATION_LIMIT) {
    sweep(run, r, u);
    asp_run_spend(run, 1);
    sweeps++;
    if (sweeps % PGS_CHECK_INTERVAL != 0 && sweeps != limit)
      continue;
    double size = 0;
    for (size_t i = 0; i < rows; i++)
      size += fabs(r[i]);
    if (!isfinite(size)) {
      run->status = ASP_STATUS_NOT_FINITE;
      break;
    }
    ASP_TRY(asp_run_offer(run, r, NULL, NULL));
    asp_run_progress(run, asp_method_name(ASP_METHOD_PGS), sweeps, run->residual.E2);
    if (asp_run_is_late(run))
      run->status = ASP_STATUS_TIME_LIMIT;
  }
  if (asp_run_is_solved(run))
    run->status = ASP_STATUS_SOLVED;
  run->iterations += sweeps;
  asp_run_note(run, asp_method_name(ASP_METHOD_PGS), sweeps);
  return ASP_OK;
}

const SolverMethod asp_method_pgs = {
    .solve = solve_by_pgs, .exact_cones = true, .polygons = true, .balls = true, .local_form = true};
