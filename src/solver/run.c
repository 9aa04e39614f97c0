/* The run: what it works in, record of the best iterate, begin and end of a method, path and progress. See run.h. */
#include "solver/run.h"

#include <stdio.h>

AspError asp_space_create(AspContext *context, SolverSpace **space) {
  *space = asp_allocate(context, 1, sizeof **space);
  if (!*space)
    return ASP_ERROR_MEMORY;
  asp_arena_init(&(*space)->scratch, context);
  AspError error = asp_prepared_create(context, &(*space)->prepared);
  if (error != ASP_OK) {
    asp_release(context, *space);
    *space = NULL;
  }
  return error;
}

void asp_space_destroy(SolverSpace *space) {
  if (!space)
    return;
  AspContext *context = space->prepared->context;
  asp_space_destroy(space->part);
  asp_prepared_destroy(space->prepared);
  asp_arena_free(&space->scratch);
  asp_release(context, space);
}

AspError asp_space_take_part(SolverSpace *space, const AspContactProblem *problem, SolverSpace **part) {
  if (!space->part)
    ASP_TRY(asp_space_create(space->prepared->context, &space->part));
  *part = space->part;
  return asp_prepared_reset(space->part->prepared, problem);
}

SolverRun asp_run_default(SolverSpace *space) {
  AspPrepared *prepared = space->prepared;
  return (SolverRun){.context = prepared->context,
                     .problem = prepared->problem,
                     .space = space,
                     .prepared = prepared,
                     .judge = prepared->judge,
                     .arena = &prepared->arena,
                     .asked = {.residual = asp_solver_default_options().tolerance}};
}

SolverRun asp_run_part(const SolverRun *run, SolverSpace *part, const MethodSettings *settings) {
  SolverRun made = asp_run_default(part);
  made.call = run->call;
  made.asked = (AspTolerances){.residual = run->asked.residual, .ask_E1 = run->asked.ask_E1};
  made.deadline = run->deadline;
  made.settings = *settings;
  made.progress = run->progress;
  made.progress_user = run->progress_user;
  made.method = made.best_method = run->method;
  return made;
}

SolverRun asp_run_child(const SolverRun *run, const MethodSettings *settings) {
  SolverRun made = asp_run_part(run, run->space, settings);
  made.caller = run;
  return made;
}

/* Without a tolerance of the worst contact the excess is the measure over a constant: compared without that division,
 * which could round two measures to one. */
static bool is_better(const SolverRun *run, const AspResidual *residual, const AspResidual *than) {
  if (run->asked.contact > 0)
    return asp_run_excess(run, residual) < asp_run_excess(run, than);
  return asp_run_measure(run, residual) < asp_run_measure(run, than);
}

void asp_run_keep_better(SolverRun *run, const double *r, const AspResidual *residual) {
  if (!is_better(run, residual, &run->residual))
    return;
  run->residual = *residual;
  run->best_method = run->method;
  if (r != run->best && run->problem->rows > 0)
    memcpy(run->best, r, (size_t)run->problem->rows * sizeof *r);
}

AspError asp_run_offer(SolverRun *run, const double *r, AspResidual *residual, double *u) {
  AspResidual own;
  AspResidual *result = residual ? residual : &own;
  ASP_TRY(asp_judge_residual(run->judge, r, result, u, NULL));
  asp_run_keep_better(run, r, result);
  return ASP_OK;
}

AspError asp_run_offer_scaled(SolverRun *run, const double *scaled, AspResidual *residual, double *u) {
  asp_prepared_to_original(run->prepared, scaled, run->trial);
  return asp_run_offer(run, run->trial, residual, u);
}

AspError asp_run_begin(SolverRun *run, AspArena *arena, const double *start, bool *solved) {
  asp_arena_reset(&run->space->scratch);
  run->best = ASP_TAKE(arena, double, run->problem->rows);
  run->trial = ASP_TAKE(arena, double, run->problem->rows);
  if (!run->best || !run->trial)
    return ASP_ERROR_MEMORY;
  run->residual = run->prepared->residual_zero;
  if (start && run->caller && start == run->caller->best)
    asp_run_keep_better(run, start, &run->caller->residual);
  else if (start)
    ASP_TRY(asp_run_offer(run, start, NULL, NULL));
  *solved = asp_run_is_solved(run);
  return ASP_OK;
}

void asp_run_conclude(SolverRun *run, AspStatus otherwise) {
  run->status = asp_run_is_solved(run) ? ASP_STATUS_SOLVED : otherwise;
}

void asp_run_note(SolverRun *run, const char *text, int count) {
  char number[16] = "";
  size_t length = strlen(run->path);
  if (count >= 0)
    snprintf(number, sizeof number, " %d", count);
  snprintf(run->path + length, sizeof run->path - length, "%s%s%s", length ? ", " : "", text, number);
}

void asp_run_progress(const SolverRun *run, const char *method, int iteration, double residual) {
  if (run->progress)
    run->progress(run->progress_user, iteration, method, residual);
}

void asp_run_merge(SolverRun *run, const SolverRun *stage, const char *name) {
  asp_run_keep_better(run, stage->best, &stage->residual);
  run->status = stage->status;
  run->iterations += stage->iterations;
  run->factorisations += stage->factorisations;
  if (*stage->path)
    asp_run_note(run, stage->path, -1);
  else if (name)
    asp_run_note(run, name, stage->iterations);
}
