/* The solver of the contact problem: options, the table of methods, and one solve from set-up to the judged answer.
 *
 * A solve: check the problem, reset the judge, prepare the form that the method works on, run the method (run.h: it
 * offers reactions to the judge), return the best. What SOLVED needs is said in problem/verdict.h. Memory comes from an
 * arena that is kept between solves: after the first solves of equal size nothing is allocated.
 */
#include "asperity/options.h"
#include "base/parallel.h"
#include "problem/polygon_lcp.h"
#include "problem/reduce.h"
#include "problem/residual.h"
#include "solver/archive.h"
#include "solver/islands.h"
#include "solver/large_problem.h"
#include "solver/method.h"
#include "solver/packed.h"
#include "solver/reduced.h"
#include "solver/trial.h"
#include "solver/tuning/auto.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

#define SOLVER_COOKIE UINT32_C(0x41535053)

static const SolverMethod *const methods[ASP_METHOD_COUNT] = {
#define SOLVER_METHOD_ROW(code, text, word) [code] = &asp_method_##word,
    ASP_METHOD_LIST(SOLVER_METHOD_ROW)
#undef SOLVER_METHOD_ROW
};

struct AspSolver {
  AspContext *context;
  AspSolverOptions options;
  AspArena arena;
  SolverSpace *space;       /* with the judge */
  const double *suggestion; /* of asp_solver_suggest; NULL: none */
  AspSolver *part;          /* for the islands of a large problem; NULL until the first of them */
  bool swept;               /* is such a part: its problems have been swept before, */
  bool cold;                /* and what they start from comes from these sweeps alone */
  bool whole;               /* EQUALITY rows are not eliminated */
  bool trial;               /* the answer is not certified (asp_solver_try) */
  SolverReduced reduced;    /* for problems with EQUALITY rows */
  int dependent;            /* of them, in the last solve (trial.h) */
  SolverMemory memory;
  AspPackedMemory order;
};

const char *const asp_method_names[] = {
#define ASP_METHOD_TEXT(code, text, word) text,
    ASP_METHOD_LIST(ASP_METHOD_TEXT)
#undef ASP_METHOD_TEXT
        NULL};

static const AspField fields[] = {
    {"method", NULL, ASP_FIELD_CHOICE, offsetof(AspSolverOptions, method), ASP_METHOD_AUTO, 0, ASP_METHOD_COUNT - 1,
     asp_method_names, "", "method"},
    {"tolerance", NULL, ASP_FIELD_REAL, offsetof(AspSolverOptions, tolerance), 1e-8, 1e-15, 1, NULL, "",
     "tolerance on the residual E2"},
    {"tolerance_contact", NULL, ASP_FIELD_REAL, offsetof(AspSolverOptions, tolerance_contact), 0, 0, 1e12, NULL, "",
     "tolerance on the residual of the worst contact; 0: not asked"},
    {"ask_E1", NULL, ASP_FIELD_FLAG, offsetof(AspSolverOptions, ask_E1), 0, 0, 1, NULL, "",
     "the residual E1, which depends on units, must meet the tolerance, too"},
    {"max_iterations", NULL, ASP_FIELD_INTEGER, offsetof(AspSolverOptions, max_iterations), 0, 0, INT_MAX, NULL, "",
     "iterations; 0: the method's own limit"},
    {"max_time", NULL, ASP_FIELD_REAL, offsetof(AspSolverOptions, max_time), 0, 0, 1e12, NULL, "s",
     "wall-clock time; 0: no limit"},
    {"threads", NULL, ASP_FIELD_INTEGER, offsetof(AspSolverOptions, threads), 1, 1, 1024, NULL, "",
     "threads at most; answers do not depend on it"},
    {"mixed", NULL, ASP_FIELD_FLAG, offsetof(AspSolverOptions, mixed), 0, 0, 1, NULL, "",
     "lemke: keep EQUALITY rows as free variables"},
    {"rho", NULL, ASP_FIELD_REAL, offsetof(AspSolverOptions, rho), -1, -1, 1e30, NULL, "kg",
     "lemke, circumscribed polygons: phantom inertia; 0: none, which leaves the matrix singular; -1: chosen"},
    {"polish", NULL, ASP_FIELD_FLAG, offsetof(AspSolverOptions, polish), 0, 0, 1, NULL, "",
     "auto, ipm, newton, aclm: sharpen the solution on its contact state"},
    {"minimum_norm", NULL, ASP_FIELD_FLAG, offsetof(AspSolverOptions, minimum_norm), 0, 0, 1, NULL, "",
     "auto, ipm, newton, aclm: the reaction of smallest norm"},
    {"fixed_point", NULL, ASP_FIELD_FLAG, offsetof(AspSolverOptions, fixed_point), 0, 0, 1, NULL, "",
     "aclm: plain fixed point on s"},
};
#define FIELD_COUNT ((int)(sizeof fields / sizeof *fields))

const char *asp_status_name(AspStatus status) {
  static const char *const texts[ASP_STATUS_COUNT] = {
#define ASP_STATUS_TEXT(code, text) text,
      ASP_STATUS_LIST(ASP_STATUS_TEXT)
#undef ASP_STATUS_TEXT
  };
  return (unsigned)status < ASP_STATUS_COUNT ? texts[status] : "unknown status";
}

const char *asp_method_name(AspMethod method) {
  return (unsigned)method < ASP_METHOD_COUNT ? asp_method_names[method] : "unknown method";
}

bool asp_method_from_name(const char *name, AspMethod *method) {
  for (int i = 0; i < ASP_METHOD_COUNT; i++)
    if (strcmp(name, asp_method_names[i]) == 0) {
      *method = (AspMethod)i;
      return true;
    }
  return false;
}

AspSolverOptions asp_solver_default_options(void) {
  AspSolverOptions options = {.cookie = SOLVER_COOKIE};
  asp_fields_set_defaults(fields, FIELD_COUNT, &options);
  return options;
}

AspError asp_solver_create(AspContext *context, const AspSolverOptions *options, AspSolver **solver) {
  *solver = NULL;
  AspSolverOptions chosen = options ? *options : asp_solver_default_options();
  if (chosen.cookie != SOLVER_COOKIE)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "solver options: take them from asp_solver_default_options()");
  ASP_TRY(asp_fields_validate(context, fields, FIELD_COUNT, &chosen));
  AspSolver *made = asp_allocate(context, 1, sizeof *made);
  if (!made)
    return ASP_ERROR_MEMORY;
  made->context = context;
  made->options = chosen;
  asp_arena_init(&made->arena, context);
  asp_arena_init(&made->order.arena, context);
  AspError error = asp_space_create(context, &made->space);
  if (error != ASP_OK) {
    asp_solver_destroy(made);
    return error;
  }
  *solver = made;
  return ASP_OK;
}

void asp_solver_destroy(AspSolver *solver) {
  if (!solver)
    return;
  asp_solver_destroy(solver->part);
  asp_reduced_free(&solver->reduced);
  asp_space_destroy(solver->space);
  asp_arena_free(&solver->order.arena);
  asp_arena_free(&solver->arena);
  asp_release(solver->context, solver);
}

void asp_solver_suggest(AspSolver *solver, const double *r) { solver->suggestion = r; }

/* ---- what methods call ---- */

AspError asp_run_local_form(SolverRun *run) {
  const AspContactProblem *problem = run->problem;
  SolverCall *call = run->call;
  if (call->reduced)
    return ASP_OK;
  call->reduced = true;
  if (problem->W.columns != problem->rows || problem->rows == 0)
    return asp_reduce(run->arena, problem, asp_judge_mass(run->judge), &call->W, &call->q);
  call->q = problem->q;
  return asp_block_sparse_from_sparse(run->arena, &problem->W, problem->blocks, problem->offset, &call->W);
}

static void remember(SolverMemory *memory, bool was_near) {
  memory->misses = was_near ? 0 : memory->misses + 1;
  if (memory->misses > 2)
    memory->pause = 1 << (memory->misses <= SOLVER_LONGEST_PAUSE ? memory->misses - 1 : SOLVER_LONGEST_PAUSE);
}

AspError asp_run_scaled_stage(SolverRun *run, SolveFunction *solve, const char *name, const double *start) {
  const SolverCall *call = run->call;
  MethodSettings settings = run->settings;
  settings.swept = call->swept;
  settings.given = call->given;
  settings.doubted = call->memory->pause > 0;
  SolverRun own = asp_run_child(run, &settings);
  own.asked.residual = call->tolerance;
  bool warm = false;
  for (int j = 0; j < run->problem->rows && start; j++)
    warm = warm || start[j] != 0;
  ASP_TRY(solve(&own, warm ? start : NULL));
  if (own.tried_near)
    remember(call->memory, own.was_near);
  asp_run_merge(run, &own, name);
  return ASP_OK;
}

const SolverMethod *asp_solver_method(AspMethod method) { return methods[method]; }

AspError asp_run_stage(SolverRun *run, AspMethod method, const double *start) {
  const SolverMethod *kind = methods[method];
  int block = 0;
  if (!kind->relaxed && run->call->relaxed)
    return asp_fail(run->context, ASP_ERROR_UNSUPPORTED,
                    "'%s' does not take the convex relaxation of friction; choose 'auto', 'ipm' or 'newton'",
                    asp_method_name(method));
  if (!kind->balls && run->call->balls)
    return asp_fail(run->context, ASP_ERROR_UNSUPPORTED,
                    "'%s' does not take the law ball (dry friction of a spherical or planar joint); choose 'auto', "
                    "'nsgs', 'admm', 'newton' or 'pgs'",
                    asp_method_name(method));
  if (!kind->exact_cones && asp_polygon_has_exact_cone(run->problem, &block))
    return asp_fail(run->context, ASP_ERROR_UNSUPPORTED,
                    "block %d has an exact friction cone in 3D, which '%s' cannot take; choose an inscribed or "
                    "circumscribed polygon, or the method 'pgs'",
                    block, asp_method_name(method));
  if (!kind->polygons && !run->call->exact)
    return asp_fail(run->context, ASP_ERROR_UNSUPPORTED,
                    "'%s' takes the exact friction cone only; for polygons choose 'lemke' or 'pgs'",
                    asp_method_name(method));
  if (kind->local_form)
    ASP_TRY(asp_run_local_form(run));
  run->method = method;
  run->status = ASP_STATUS_STALLED;
  return kind->scaled_form ? asp_run_scaled_stage(run, kind->solve, asp_method_name(method), start)
                           : kind->solve(run, start);
}

/* ---- one solve ---- */

/* Is there friction with one of these cones? */
static bool has_cone(const AspContactProblem *problem, AspConeKind one, AspConeKind other) {
  for (int i = 0; i < problem->blocks; i++)
    if (problem->law[i].kind == ASP_LAW_COULOMB && problem->law[i].mu > 0 &&
        (problem->law[i].cone == one || problem->law[i].cone == other))
      return true;
  return false;
}

static bool has_polygon(const AspContactProblem *problem) {
  return problem->dimension == 3 && has_cone(problem, ASP_CONE_INSCRIBED, ASP_CONE_CIRCUMSCRIBED);
}

static bool has_relaxed(const AspContactProblem *problem) {
  return has_cone(problem, ASP_CONE_RELAXED, ASP_CONE_RELAXED);
}

static bool has_ball(const AspContactProblem *problem) {
  for (int i = 0; i < problem->blocks; i++)
    if (problem->law[i].kind == ASP_LAW_BALL && problem->law[i].limit > 0)
      return true;
  return false;
}

static AspError set_up(AspSolver *solver, SolverRun *run, const double *r, double began) {
  asp_arena_reset(&solver->arena);
  if (!run->call->judged)
    ASP_TRY(asp_judge_reset(run->judge, run->problem));
  if (run->call->exact)
    ASP_TRY(asp_prepared_take(run->prepared, run->problem));
  run->best = ASP_TAKE(&solver->arena, double, run->problem->rows);
  if (!run->best)
    return ASP_ERROR_MEMORY;
  if (run->problem->rows > 0)
    memcpy(run->best, r, (size_t)run->problem->rows * sizeof *r);
  if (!run->call->judged)
    ASP_TRY(asp_judge_residual(run->judge, run->best, &run->residual, NULL, NULL));
  run->call->setup_time = asp_clock_seconds() - began;
  return ASP_OK;
}

static void report(const SolverRun *run, double began, AspSolverInfo *info) {
  AspStatus failed = run->status == ASP_STATUS_SOLVED ? ASP_STATUS_STALLED : run->status;
  info->status = asp_run_is_solved(run) ? ASP_STATUS_SOLVED : failed;
  info->method = run->best_method;
  info->iterations = run->iterations;
  info->residual = run->residual;
  info->setup_time = run->call->setup_time;
  info->time = asp_clock_seconds() - began - run->call->setup_time;
  info->judge_time = asp_judge_take_time(run->judge);
  memcpy(info->path, run->path, sizeof info->path);
}

/* The tolerance on E2 that promises what is asked of the worst contact, judged by their present ratio. */
static double promising_tolerance(const SolverRun *run) {
  double limit = run->asked.contact, contact = run->residual.contact;
  if (!(limit > 0) || !(contact > limit))
    return run->call->tolerance;
  return fmin(run->call->tolerance,
              fmax(SOLVER_MARGIN * limit / contact * asp_run_measure(run, &run->residual), SOLVER_SHARPEST));
}

/* The method, and again where E2 is met but the worst contact is not good enough. */
static AspError run_to_tolerances(SolverRun *run) {
  for (int solves = 0; solves < SOLVER_CONTACT_SOLVES && (solves == 0 || !asp_run_is_solved(run)); solves++) {
    run->call->tolerance = promising_tolerance(run);
    ASP_TRY(asp_run_stage(run, run->call->options->method, run->best));
    if (asp_run_measure(run, &run->residual) > run->call->tolerance || run->status == ASP_STATUS_TIME_LIMIT)
      break;
  }
  return ASP_OK;
}

/* What the runs of one call share, and the run of the whole problem. */
static SolverCall make_call(AspSolver *solver, const AspContactProblem *problem, const double *r) {
  SolverCall call = {.options = &solver->options,
                     .tolerance = solver->options.tolerance,
                     .swept = solver->swept,
                     .relaxed = has_relaxed(problem),
                     .balls = has_ball(problem),
                     .exact = !has_polygon(problem),
                     .memory = &solver->memory,
                     .order = &solver->order,
                     .part = &solver->part};
  for (int j = 0; j < problem->rows && !call.given && !solver->cold; j++)
    call.given = r[j] != 0;
  return call;
}

static SolverRun make_run(AspSolver *solver, SolverCall *call, const AspContactProblem *problem, double began) {
  const AspSolverOptions *options = &solver->options;
  return (SolverRun){.context = solver->context,
                     .problem = problem,
                     .space = solver->space,
                     .prepared = solver->space->prepared,
                     .judge = solver->space->prepared->judge,
                     .arena = &solver->arena,
                     .call = call,
                     .asked = {options->tolerance, options->tolerance_contact, options->ask_E1},
                     .deadline = options->max_time > 0 ? began + options->max_time : 0,
                     .settings = {.max_iterations = options->max_iterations,
                                  .minimum_norm = options->minimum_norm,
                                  .polish = options->polish,
                                  .fixed_point = options->fixed_point},
                     .progress = options->progress,
                     .progress_user = options->progress_user,
                     .method = options->method,
                     .best_method = options->method};
}

static AspError solve(AspSolver *solver, const AspContactProblem *problem, double *r, double *u, double *x,
                      AspSolverInfo *info) {
  double began = asp_clock_seconds();
  memset(info, 0, sizeof *info);
  SolverCall call = make_call(solver, problem, r);
  SolverRun run = make_run(solver, &call, problem, began);
  bool done = false;
  asp_judge_take_time(run.judge); // what it took for others
  if (call.given && solver->memory.pause > 0)
    solver->memory.pause--;
  asp_arena_reset(&solver->arena);
  bool reducible = !solver->whole && asp_is_reducible(problem, &solver->options);
  if (reducible && solver->trial)
    ASP_TRY(asp_reduced_try(&run, &solver->reduced, r, u, x, &done));
  if (reducible && !done)
    ASP_TRY(asp_reduced_solve(&run, &solver->reduced, r, u, x, &done));
  solver->dependent = done ? asp_reduced_dependent(&solver->reduced) : -1;
  if (!done && !solver->swept && call.exact && !call.relaxed)
    ASP_TRY(asp_large_problem_solve(&run, solver->suggestion, r, u, x, &done));
  solver->suggestion = NULL;
  if (done) {
    if (!solver->trial)
      ASP_TRY(asp_judge_certify(run.judge, &run.asked, r, &run.residual, NULL, NULL));
    report(&run, began, info);
    return ASP_OK;
  }
  ASP_TRY(set_up(solver, &run, r, began));
  if (problem->rows > 0) {
    ASP_TRY(run_to_tolerances(&run));
    if (!isfinite(run.residual.E2)) // nothing usable was found: no reaction rather than an infinite one
      memset(run.best, 0, (size_t)problem->rows * sizeof *r);
    memcpy(r, run.best, (size_t)problem->rows * sizeof *r);
  }
  double *x_asked = problem->dofs > 0 ? x : NULL;
  ASP_TRY(solver->trial ? asp_judge_residual(run.judge, run.best, &run.residual, u, x_asked)
                        : asp_judge_certify(run.judge, &run.asked, run.best, &run.residual, u, x_asked));
  report(&run, began, info);
  return ASP_OK;
}

/* A call of asp_solver_solve. */
typedef struct Call {
  AspSolver *solver;
  const AspContactProblem *problem;
  double *r, *u, *x;
  AspSolverInfo *info;
  AspError error;
} Call;

/* What an operation counts of a step's effort: less in problems of many rows. */
static double effort_weight(const AspContactProblem *problem) { return fmin(EFFORT_ROWS / fmax(problem->rows, 1), 1); }

/* A solve uses at most a share of what the step has left, so that others may follow; parts are within that. */
static void solve_within_effort(Call *call) {
  AspEffort *effort = asp_effort(call->solver->context);
  const AspEffort before = *effort;
  if (!call->solver->swept && before.end > 0)
    asp_effort_narrow(effort, EFFORT_SHARE, effort_weight(call->problem));
  call->error = solve(call->solver, call->problem, call->r, call->u, call->x, call->info);
  if (call->info->status == ASP_STATUS_TIME_LIMIT && asp_effort_is_spent(effort))
    call->info->status = ASP_STATUS_EFFORT_LIMIT;
  asp_effort_restore(effort, &before);
}

static void answer(void *data) {
  Call *call = data;
  AspContext *context = call->solver->context;
  const SolverMemory before = call->solver->memory;
  solve_within_effort(call);
  if (call->error != ASP_OK || call->info->status == ASP_STATUS_SOLVED || !asp_stop_is_asked(context))
    return;
  call->solver->memory = before; // nothing is to be learnt from a solve that was cut short
  call->error = asp_fail(context, ASP_ERROR_INTERRUPTED, "interrupted after %.3g s, at the residual E2 = %.3g",
                         call->info->setup_time + call->info->time, call->info->residual.E2);
}

AspError asp_solver_solve(AspSolver *solver, const AspContactProblem *problem, double *r, double *u, double *x,
                          AspSolverInfo *info) {
  Call call = {solver, problem, r, u, x, info, ASP_OK};
  asp_team_run(solver->context, asp_useful_threads(solver->options.threads, problem->blocks), answer, &call);
  return call.error;
}

AspError asp_solver_try(AspSolver *solver, const AspContactProblem *problem, double *r, double *u, double *x,
                        AspSolverInfo *info) {
  solver->trial = true;
  AspError error = asp_solver_solve(solver, problem, r, u, x, info);
  solver->trial = false;
  return error;
}

AspError asp_solver_certify(AspSolver *solver, const AspContactProblem *problem, const double *r, double *u, double *x,
                            AspResidual *residual) {
  const AspSolverOptions *options = &solver->options;
  AspTolerances asked = {options->tolerance, options->tolerance_contact, options->ask_E1};
  AspJudge *judge = solver->space->prepared->judge;
  ASP_TRY(asp_judge_reset(judge, problem));
  return asp_judge_certify(judge, &asked, r, residual, u, x);
}

int asp_solver_dependent_rows(const AspSolver *solver) { return solver->dependent; }

AspError asp_solver_correct(AspSolver *solver, const AspContactProblem *problem, const double *off, const bool *held,
                            double *x, bool *done) {
  *done = false;
  if (solver->dependent < 0)
    return ASP_OK;
  return asp_reduced_correct(&solver->reduced, &solver->arena, problem, off, held, x, done);
}

/* The solver for the islands of a large problem, made when first needed. */
static AspError make_part(AspContext *context, const AspSolverOptions *options, AspSolver **part) {
  if (*part)
    return ASP_OK;
  ASP_TRY(asp_solver_create(context, options, part));
  (*part)->swept = true;
  return ASP_OK;
}

AspError asp_solver_solve_for(AspSolver *solver, const SolverRun *run, const AspTolerances *asked,
                              const AspContactProblem *problem, double *r, AspSolverInfo *info) {
  AspSolverOptions *options = &solver->options;
  options->tolerance = asked->residual;
  options->tolerance_contact = asked->contact;
  options->max_time = run->deadline > 0 ? fmax(run->deadline - asp_clock_seconds(), SOLVER_TIME_LEAST) : 0;
  return asp_solver_solve(solver, problem, r, NULL, NULL, info);
}

AspError asp_solver_solve_part(SolverRun *run, const AspContactProblem *problem, double tolerance,
                               double tolerance_contact, double *r, AspSolverInfo *info) {
  AspSolver **part = run->call->part;
  ASP_TRY(make_part(run->context, run->call->options, part));
  (*part)->cold = !run->call->given;
  return asp_solver_solve_for(*part, run, &(AspTolerances){.residual = tolerance, .contact = tolerance_contact},
                              problem, r, info);
}

static AspError reserve_whole(AspSolver *solver, const AspContactProblem *problem) {
  AspSolverOptions chosen = solver->options;
  double *r = asp_allocate(solver->context, (size_t)problem->rows + 1, sizeof *r);
  AspSolverInfo info;
  AspError error = r ? asp_solver_solve(solver, problem, r, NULL, NULL, &info) : ASP_ERROR_MEMORY;
  const AspMethod second_order[] = {ASP_METHOD_IPM, ASP_METHOD_NEWTON};
  for (int i = has_ball(problem); i < 2 && error == ASP_OK && chosen.method == ASP_METHOD_AUTO && !has_polygon(problem);
       i++) {
    solver->options.method = second_order[i];
    solver->options.max_iterations = 2;
    memset(r, 0, (size_t)problem->rows * sizeof *r);
    error = asp_solver_solve(solver, problem, r, NULL, NULL, &info);
  }
  solver->options = chosen;
  asp_release(solver->context, r);
  if (error == ASP_OK && chosen.method == ASP_METHOD_AUTO && problem->dofs > 0 && !has_polygon(problem) &&
      !has_relaxed(problem)) {
    error = asp_auto_reserve(solver->space, problem);
    if (error == ASP_OK) // merge the blocks of the trial solve into one now, not at the next solve
      error = asp_prepared_take(solver->space->prepared, problem);
  }
  // an island may be almost the whole problem: its copy, and what solves it
  bool islands = !solver->swept && chosen.method == ASP_METHOD_AUTO && asp_is_large_problem(problem);
  if (error == ASP_OK && islands && !asp_arena_take_uncleared(&solver->arena, 1, asp_island_bytes(problem)))
    error = ASP_ERROR_MEMORY;
  if (error == ASP_OK && islands)
    error = make_part(solver->context, &chosen, &solver->part);
  return error == ASP_OK && islands ? asp_solver_reserve(solver->part, problem) : error;
}

/* With and without elimination of the EQUALITY rows: where one does not solve a problem the other has to. */
AspError asp_solver_reserve(AspSolver *solver, const AspContactProblem *problem) {
  solver->whole = true;
  AspError error = reserve_whole(solver, problem);
  solver->whole = false;
  return error == ASP_OK ? asp_reduced_reserve(&solver->reduced, &solver->arena, &solver->options, problem) : error;
}

/* ---- written and read back ---- */

static AspError make_own_part(void *user, AspSolver **part) {
  const AspSolver *solver = user;
  return make_part(solver->context, &solver->options, part);
}

static AspError make_own_reduced(void *user, AspSolver **reduced) {
  const AspSolver *solver = user;
  return asp_solver_create(solver->context, &solver->options, reduced);
}

AspError asp_solver_archive(AspArchive *archive, AspSolver *solver) {
  ASP_ARCHIVE(archive, solver->memory.sweeps);
  ASP_ARCHIVE(archive, solver->memory.at_limit);
  ASP_ARCHIVE(archive, solver->memory.unseen);
  ASP_ARCHIVE(archive, solver->memory.misses);
  ASP_ARCHIVE(archive, solver->memory.pause);
  ASP_TRY(asp_solver_archive_late(archive, &solver->part, make_own_part, solver));
  return asp_solver_archive_late(archive, &solver->reduced.solver, make_own_reduced, solver);
}

/* Nothing learnt, as if it had just been made; its room is kept. */
static void forget(AspSolver *solver) {
  if (!solver)
    return;
  solver->memory = (SolverMemory){0};
  forget(solver->part);
  forget(solver->reduced.solver);
}

AspError asp_solver_archive_late(AspArchive *archive, AspSolver **solver,
                                 AspError (*make)(void *user, AspSolver **solver), void *user) {
  bool made = *solver != NULL;
  ASP_ARCHIVE(archive, made);
  if (archive->error == ASP_OK && !made)
    forget(*solver);
  if (archive->error != ASP_OK || !made)
    return archive->error;
  if (!*solver)
    ASP_TRY(make(user, solver));
  return asp_solver_archive(archive, *solver);
}
