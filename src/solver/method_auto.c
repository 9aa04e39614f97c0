/* auto: the method that suits the problem, and another where it fails. Exact cones: auto.c; what it does not solve goes
 * to Lemke where the problem is an LCP (contacts in the plane, sliding ones), which may find that there is no
 * solution. Relaxed cones: interior point, then Newton. Polygonal friction: Lemke; then projected Gauss-Seidel from the
 * best reaction so far.
 */
#include "problem/polygon_lcp.h"
#include "solver/method.h"
#include "solver/policy.h"
#include "solver/tuning/auto.h"

/* The methods of one ladder on the whole problem. */
typedef struct Walk {
  SolverRun *run;
  const double *start; /* rows: the caller's */
  bool is_lcp;
} Walk;

static bool is_over(const void *walker) {
  const SolverRun *run = ((const Walk *)walker)->run;
  return asp_run_is_solved(run) || run->status == ASP_STATUS_TIME_LIMIT;
}

static bool holds(const void *walker, unsigned condition) {
  const Walk *walk = walker;
  return condition == ASP_WHEN_LCP ? walk->is_lcp
         : condition == ASP_WHEN_FEW_ROWS
             ? walk->run->problem->rows <= METHOD_AUTO_LARGEST_LEMKE
             : condition == ASP_WHEN_NOT_FINITE && walk->run->status == ASP_STATUS_NOT_FINITE;
}

/* A stage that fails leaves the status that says most: a ray, that of the methods for exact cones, else its own. */
static AspError run_stage(void *walker, const AspStage *stage) {
  Walk *walk = walker;
  SolverRun *run = walk->run;
  AspStatus before = run->status;
  if (run->call->balls && !asp_solver_method((AspMethod)stage->kind)->balls)
    return ASP_OK;
  bool ray = before == ASP_STATUS_RAY, kept = run->call->exact && !run->call->relaxed;
  ASP_TRY(asp_run_stage(run, (AspMethod)stage->kind, stage->from_best ? run->best : walk->start));
  if (asp_run_is_solved(run) || run->status == ASP_STATUS_RAY)
    return ASP_OK;
  if (kept || (ray && run->status != ASP_STATUS_SOLVED))
    run->status = before;
  return ASP_OK;
}

static AspError walk_ladder(Walk *walk, AspLadderKind kind, bool begun) {
  static const AspLadderActs acts = {is_over, holds, run_stage};
  return asp_ladder_walk(asp_ladder(kind), &acts, walk, begun);
}

static AspError solve_exact(Walk *walk) {
  ASP_TRY(asp_run_scaled_stage(walk->run, asp_auto_solve, NULL, walk->start));
  return walk_ladder(walk, ASP_LADDER_REST, true);
}

static AspError solve_by_auto(SolverRun *run, const double *start) {
  int block = 0;
  Walk walk = {run, start, !asp_polygon_has_exact_cone(run->problem, &block)};
  if (run->call->relaxed)
    return walk_ladder(&walk, ASP_LADDER_RELAXED, false);
  return run->call->exact ? solve_exact(&walk) : walk_ladder(&walk, ASP_LADDER_POLYGON, false);
}

const SolverMethod asp_method_auto = {
    .solve = solve_by_auto, .exact_cones = true, .polygons = true, .relaxed = true, .balls = true};
