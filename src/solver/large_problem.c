/* Large problems of rigid bodies: see large_problem.h. */
#include "solver/large_problem.h"

#include "problem/residual.h"
#include "solver/islands.h"
#include "solver/packed.h"
#include "solver/policy.h"
#include "solver/subproblem.h"
#include "solver/tuning/auto.h"

#include <math.h>
#include <stdio.h>

typedef struct LargeProblem {
  SolverRun *run;
  const double *r;    /* rows: what the judge looked at last */
  AspIslands islands; /* count 0: not looked for yet */
  double *excess;     /* islands: residual over their share, at most 1 when good */
  bool *active;       /* blocks: of islands that are swept */
  double mean;        /* normal impulse of a contact */

  /* of the walk */
  double *answer, *u, *x;   /* rows, rows, dofs (may be NULL): the best answer and what follows from it */
  const double *suggestion; /* another start; NULL: none */
  AspPackedScope scope;
  AspPacked packed;
  AspPackedGoal goal;
  bool split; /* the islands went through all methods */
} LargeProblem;

/* ---- shares ---- */

static bool counts_as_contact(const AspLaw *law) {
  return law->kind == ASP_LAW_COULOMB || law->kind == ASP_LAW_UNILATERAL;
}

static double mean_normal(const AspContactProblem *problem, const int *block, int blocks, const double *r) {
  double sum = 0;
  int contacts = 0;
  for (int k = 0; k < blocks; k++) {
    int i = block ? block[k] : k;
    if (!counts_as_contact(&problem->law[i]))
      continue;
    sum += fabs(r[problem->offset[i]]);
    contacts++;
  }
  return contacts > 0 ? sum / contacts : 0;
}

/* Residual of one island over its share. */
static double island_excess(const LargeProblem *large, int island) {
  const SolverRun *run = large->run;
  const AspResidual *whole = &run->residual;
  const AspBlockError *error = asp_judge_block_errors(run->judge);
  const AspIslands *islands = &large->islands;
  double map = 0, unit = 0, contact = 0;
  for (int k = islands->start[island]; k < islands->start[island + 1]; k++) {
    const AspBlockError *of_block = &error[islands->block[k]];
    map += of_block->map * of_block->map;
    unit += of_block->unit * of_block->unit;
    contact = fmax(contact, of_block->contact);
  }
  double share = (double)(islands->start[island + 1] - islands->start[island]) / run->problem->blocks;
  double map_limit = asp_verdict_allowed_map(&run->asked, whole);
  double unit_limit = asp_verdict_allowed_unit_map(&run->asked, whole);
  double excess = fmax(sqrt(map / share) / map_limit, sqrt(unit / share) / unit_limit);
  if (run->asked.contact > 0)
    excess = fmax(excess, contact / (run->asked.contact * large->mean));
  return isnan(excess) ? INFINITY : excess;
}

static AspError measure_islands(LargeProblem *large) {
  SolverRun *run = large->run;
  if (large->islands.count == 0) {
    const AspProblemBodies *bodies = &asp_judge_mass(run->judge)->bodies;
    ASP_TRY(asp_islands_find(run->arena, run->problem, bodies, &large->islands));
    large->excess = ASP_TAKE(run->arena, double, large->islands.count);
    large->active = ASP_TAKE(run->arena, bool, run->problem->blocks);
    if (!large->excess || !large->active)
      return ASP_ERROR_MEMORY;
  }
  large->mean = mean_normal(run->problem, NULL, run->problem->blocks, large->r);
  for (int k = 0; k < large->islands.count; k++)
    large->excess[k] = island_excess(large, k);
  return ASP_OK;
}

/* ---- sweeps ---- */

/* The islands to sweep, and what the others contribute to the sums. */
static AspPackedScope choose_scope(LargeProblem *large, const double *u) {
  const SolverRun *run = large->run;
  const AspContactProblem *problem = run->problem;
  const AspBlockError *error = asp_judge_block_errors(run->judge);
  AspPackedScope scope = {.active = large->active, .rho = run->residual.rho, .norm_q = run->residual.norm_q};
  for (int i = 0; i < problem->blocks; i++) {
    large->active[i] = large->excess[large->islands.of_block[i]] > LARGE_LEAVE;
    if (large->active[i])
      continue;
    scope.rest.map += error[i].map * error[i].map;
    scope.rest.map_unit += error[i].unit * error[i].unit;
    scope.rest.worst = fmax(scope.rest.worst, error[i].contact * error[i].contact);
    scope.rest.normal += large->r[problem->offset[i]];
    for (int k = problem->offset[i]; k < problem->offset[i + 1]; k++) {
      scope.rest.total += large->r[k] * large->r[k];
      scope.rest.speed += u[k] * u[k];
    }
  }
  return scope;
}

/* bodies^2 / blocks of what is swept: what factors cost against sweeps */
static double factor_cost(const AspPacked *packed) {
  double bodies = packed->bodies - ASP_GROUND_LINES * packed->set_count;
  return bodies * bodies / packed->contacts;
}

/* How long packed Gauss-Seidel may try before the other methods take over. */
static AspPackedGoal packed_goal(const SolverRun *run, const AspPacked *packed, int limit) {
  const AspSolverOptions *options = run->call->options;
  AspPackedGoal goal = {.asked = run->asked,
                        .max_sweeps = options->max_iterations > 0 ? options->max_iterations : limit,
                        .at_limit = run->call->memory->at_limit && options->max_iterations > 0,
                        .deadline = run->deadline,
                        .progress = run->progress,
                        .progress_user = run->progress_user};
  if (options->method == ASP_METHOD_AUTO) {
    double factors = factor_cost(packed);
    double cost = fmax(LARGE_NEAR_LEAST, LARGE_NEAR_COST * factors * factors);
    bool near = run->call->given && run->call->memory->pause == 0 && cost < LARGE_NEAR_LIMIT;
    goal.patience = (int)fmin(LARGE_LONGEST_PATIENCE, LARGE_PATIENCE + LARGE_PATIENCE_FACTORS * factors);
    goal.window = (int)fmin(ASP_LONGEST_WINDOW, LARGE_SHORTEST_WINDOW + LARGE_WINDOW_FACTORS * factors);
    goal.near = near ? LARGE_NEAR : 0;
    goal.near_patience = (int)fmin(LARGE_NEAR_LIMIT, cost);
    goal.near_verdict =
        run->call->memory->sweeps < goal.patience / 2 ? (int)(LARGE_PATIENT * run->call->memory->sweeps) : 0;
    goal.verdict = (int)fmax(goal.near_verdict, fmin(LARGE_PACKED_VERDICT, goal.patience / LARGE_VERDICT_SHARE));
  }
  return goal;
}

/* Sweeps from r or, where that is better, from `other` (may be NULL); the answer, which the judge has
 * looked at, in r. */
static AspError sweep(SolverRun *run, AspPacked *packed, const AspPackedGoal *goal, double *r, const double *other,
                      AspResidual *residual, double *u, double *x) {
  int sweeps;
  run->status = asp_packed_solve(packed, goal, r, other, &sweeps);
  run->iterations += sweeps;
  asp_run_note(run, "nsgs", sweeps);
  ASP_TRY(packed->share.error);
  return asp_judge_residual(run->judge, r, residual, u, x);
}

/* Where sweeps stall few contacts hold the residual: these subproblems by the other methods and sweeps over all in
 * turns, as long as the residual falls. */
static AspError refine_subproblems(SolverRun *run, AspPacked *packed, const AspPackedGoal *goal, int limit, double *r) {
  size_t rows = (size_t)run->problem->rows;
  double *trial = ASP_TAKE(run->arena, double, rows);
  if (!trial)
    return ASP_ERROR_MEMORY;
  for (int pass = 0; pass < limit && !asp_run_is_solved(run) && !asp_run_is_late(run); pass++) {
    AspResidual residual;
    int blocks;
    double before = asp_run_excess(run, &run->residual);
    memcpy(trial, r, rows * sizeof *r);
    ASP_TRY(asp_subproblem_improve(run, trial, &blocks));
    if (blocks == 0)
      return ASP_OK;
    asp_run_note(run, "subproblem", blocks);
    ASP_TRY(sweep(run, packed, goal, trial, NULL, &residual, NULL, NULL));
    double after = asp_run_excess(run, &residual);
    if (!(after < before))
      return ASP_OK;
    memcpy(r, trial, rows * sizeof *r);
    run->residual = residual;
    if (after > LARGE_SUBPROBLEM_GAIN * before)
      return ASP_OK;
  }
  return ASP_OK;
}

/* ---- the start ---- */

/* The suggestion is looked at first: r and it change places. */
static AspError exchange_starts(SolverRun *run, const double **suggestion, double *r) {
  size_t bytes = (size_t)run->problem->rows * sizeof *r;
  if (!run->call->given || !*suggestion)
    return ASP_OK;
  double *other = ASP_TAKE_UNCLEARED(run->arena, double, run->problem->rows);
  if (!other)
    return ASP_ERROR_MEMORY;
  memcpy(other, r, bytes);
  memcpy(r, *suggestion, bytes);
  *suggestion = other;
  return ASP_OK;
}

/* Is the start good enough? If not, what is to be swept: the islands that miss their share. Where the last solves had
 * to sweep nearly all there is, so will this one, and the sweeps look at their start themselves. */
static AspError look_at_start(LargeProblem *large, double *r, double *u, double *x, AspPackedScope *scope, bool *done) {
  SolverRun *run = large->run;
  SolverMemory *memory = run->call->memory;
  if (memory->unseen > 0) {
    memory->unseen--;
    *scope = (AspPackedScope){.active = NULL};
    asp_judge_scales(run->judge, &scope->rho, &scope->norm_q);
    return ASP_OK;
  }
  ASP_TRY(asp_judge_residual(run->judge, r, &run->residual, u, x));
  *done = asp_run_is_solved(run);
  if (*done)
    return ASP_OK;
  ASP_TRY(measure_islands(large));
  *scope = choose_scope(large, u);
  return ASP_OK;
}

/* What the next solve takes for granted. */
static void remember_sweeps(SolverRun *run, const AspPackedScope *scope, const AspPacked *packed) {
  SolverMemory *memory = run->call->memory;
  if (run->iterations == 0)
    memory->unseen = 0;
  else if (scope->active && packed->contacts >= LARGE_NEARLY_ALL * run->problem->blocks)
    memory->unseen = LARGE_UNSEEN;
  memory->sweeps = asp_run_is_solved(run) ? run->iterations : memory->sweeps / 2;
  memory->at_limit = run->status == ASP_STATUS_ITERATION_LIMIT && run->residual.contact > LARGE_FAR_AT_LIMIT;
}

/* ---- islands by the other methods ---- */

static AspError solve_island(LargeProblem *large, int island, double fraction, double *r) {
  SolverRun *run = large->run;
  const AspSolverOptions *options = run->call->options;
  const AspIslands *islands = &large->islands;
  AspArenaMark mark = asp_arena_mark(run->arena);
  AspContactProblem part;
  AspSolverInfo info;
  int *row, first = islands->start[island], blocks = islands->start[island + 1] - first;
  ASP_TRY(asp_island_extract(run->arena, run->problem, islands, island, &part, &row));
  double *start = ASP_TAKE(run->arena, double, part.rows);
  if (!start)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < part.rows; j++)
    start[j] = r[row[j]];
  // the residual of a contact counts against the mean normal impulse of the whole
  double mean = mean_normal(run->problem, islands->block + first, blocks, r);
  double contact = mean > 0 ? fraction * options->tolerance_contact * large->mean / mean : 0;
  ASP_TRY(asp_solver_solve_part(run, &part, fraction * options->tolerance, contact, start, &info));
  for (int j = 0; j < part.rows; j++)
    r[row[j]] = start[j];
  run->iterations += info.iterations;
  run->status = info.status == ASP_STATUS_SOLVED ? run->status : info.status;
  asp_arena_rewind(run->arena, mark);
  return ASP_OK;
}

/* The islands that miss their share; r receives what was reached where that is better on the whole. */
static AspError finish_islands(LargeProblem *large, int limit, double *r, double *u, double *x) {
  SolverRun *run = large->run;
  size_t rows = (size_t)run->problem->rows;
  double fraction = 1, *trial = ASP_TAKE(run->arena, double, rows);
  AspResidual residual;
  int solved = 0;
  char text[48];
  if (!trial)
    return ASP_ERROR_MEMORY;
  memcpy(trial, r, rows * sizeof *r);
  run->status = ASP_STATUS_SOLVED;
  for (int solves = 0; solves < limit && !asp_run_is_solved(run) && run->status == ASP_STATUS_SOLVED; solves++) {
    fraction *= solves == 0 ? 0.5 : LARGE_ISLAND_SHARPER;
    for (int k = 0; k < large->islands.count && !asp_run_is_late(run); k++) {
      if (!(large->excess[k] > fraction))
        continue;
      solved += solves == 0;
      ASP_TRY(solve_island(large, k, fraction, trial));
    }
    ASP_TRY(asp_judge_residual(run->judge, trial, &residual, NULL, NULL));
    if (!(asp_run_excess(run, &residual) < asp_run_excess(run, &run->residual)))
      break;
    memcpy(r, trial, rows * sizeof *r);
    ASP_TRY(asp_judge_residual(run->judge, r, &run->residual, u, x));
    run->best_method = ASP_METHOD_AUTO;
    ASP_TRY(measure_islands(large));
  }
  if (asp_run_is_late(run))
    run->status = ASP_STATUS_TIME_LIMIT;
  snprintf(text, sizeof text, "%d of %d islands", solved, large->islands.count);
  asp_run_note(run, text, -1);
  return asp_judge_residual(run->judge, r, &run->residual, u, x);
}

/* ---- stages of the ladder ---- */

static AspError packed_stage(LargeProblem *large, const AspStage *stage) {
  SolverRun *run = large->run;
  large->goal = packed_goal(run, &large->packed, stage->limit);
  ASP_TRY(
      sweep(run, &large->packed, &large->goal, large->answer, large->suggestion, &run->residual, large->u, large->x));
  remember_sweeps(run, &large->scope, &large->packed);
  run->call->swept = true;
  return ASP_OK;
}

static AspError island_stage(LargeProblem *large, const AspStage *stage) {
  if (large->islands.count == 1)
    return ASP_OK;
  ASP_TRY(measure_islands(large));
  if (large->islands.count < 2)
    return ASP_OK;
  large->split = true;
  return finish_islands(large, stage->limit, large->answer, large->u, large->x);
}

static AspError run_stage(void *walker, const AspStage *stage) {
  LargeProblem *large = walker;
  SolverRun *run = large->run;
  if (stage->kind == ASP_STAGE_PACKED)
    return packed_stage(large, stage);
  if (stage->kind == ASP_STAGE_ISLANDS)
    return island_stage(large, stage);
  ASP_TRY(refine_subproblems(run, &large->packed, &large->goal, stage->limit, large->answer));
  return asp_judge_residual(run->judge, large->answer, &run->residual, large->u, large->x);
}

static bool is_over(const void *walker) {
  const SolverRun *run = ((const LargeProblem *)walker)->run;
  return asp_run_is_solved(run) || run->status == ASP_STATUS_TIME_LIMIT;
}

static bool holds(const void *walker, unsigned condition) {
  const LargeProblem *large = walker;
  return condition == ASP_WHEN_AUTO
             ? large->run->call->options->method == ASP_METHOD_AUTO
             : condition == ASP_WHEN_FACTORS_COSTLY && factor_cost(&large->packed) >= LARGE_SUBPROBLEM_FACTORS;
}

/* ---- all of it ---- */

bool asp_is_large_problem(const AspContactProblem *problem) {
  return problem->blocks >= LARGE_SMALL_PROBLEM && problem->dofs > 0;
}

AspError asp_large_problem_solve(SolverRun *run, const double *suggestion, double *r, double *u, double *x,
                                 bool *done) {
  const AspSolverOptions *options = run->call->options;
  double began = asp_clock_seconds();
  LargeProblem large = {.run = run, .r = r};
  AspPackedScope *scope = &large.scope;
  static const AspLadderActs acts = {is_over, holds, run_stage};
  bool fits;
  *done = false;
  if (!asp_is_large_problem(run->problem) || options->polish || options->minimum_norm ||
      (options->method != ASP_METHOD_AUTO && options->method != ASP_METHOD_NSGS))
    return ASP_OK;
  if (!u)
    u = ASP_TAKE(run->arena, double, run->problem->rows);
  if (!u)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_judge_reset(run->judge, run->problem));
  run->call->judged = true;
  ASP_TRY(exchange_starts(run, &suggestion, r));
  ASP_TRY(look_at_start(&large, r, u, x, scope, done));
  run->best_method = ASP_METHOD_NSGS;
  run->call->setup_time = asp_clock_seconds() - began;
  if (*done) {
    asp_run_note(run, "nsgs", 0);
    return ASP_OK;
  }
  scope->mass = asp_judge_mass(run->judge);
  scope->memory = run->call->order;
  scope->ranks = asp_ranks(run->context);
  ASP_TRY(asp_packed_take(&large.packed, run->arena, run->problem, scope, &fits));
  run->call->setup_time = asp_clock_seconds() - began;
  if (!fits) { // the other methods begin with what the judge says of the start
    run->call->memory->unseen = 0;
    return scope->active ? ASP_OK : asp_judge_residual(run->judge, r, &run->residual, u, x);
  }
  large.answer = r;
  large.u = u;
  large.x = x;
  large.suggestion = run->call->given ? suggestion : NULL;
  ASP_TRY(asp_ladder_walk(asp_ladder(ASP_LADDER_LARGE), &acts, &large, false));
  *done = is_over(&large) || options->method == ASP_METHOD_NSGS || large.split;
  return ASP_OK;
}
