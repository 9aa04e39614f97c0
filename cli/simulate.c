/* A scene in motion: see simulate.h. */
#include "run_from.h"

#include "asperity/study.h"

#include "checkpoint.h"
#include "interrupt.h"
#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATH_SIZE 4096

static void show_progress(Progress *progress, const AspWorld *world, const AspStepInfo *info) {
  char text[80];
  double until = asp_world_options(world)->until;
  snprintf(text, sizeof text, "t = %.4g of %.4g s, %d contacts", info->t, until, info->contacts);
  progress_update(progress, info->t / until, text);
}

/* ---- problems as files ---- */

bool dump_path(const char *result, int64_t step, char *buffer, size_t size) {
  const char *slash = strrchr(result, '/'), *name = slash ? slash + 1 : result, *dot = strrchr(name, '.');
  int length = dot && dot > name ? (int)(dot - result) : (int)strlen(result);
  int written = snprintf(buffer, size, "%.*s-step%lld.hdf5", length, result, (long long)step);
  return written > 0 && (size_t)written < size;
}

/* The problem of the step just made, where it missed its tolerance or was asked for; what was reached goes along. */
static int dump_problem(const Session *session, const AspWorld *world, const SimulationOutput *output,
                        const AspStepInfo *info, SimulationSummary *summary) {
  bool asked = info->step == output->dump_step, missed = !info->certified && summary->dump_count < DUMPS_MAX - 1;
  if (output->no_files)
    return EXIT_DONE;
  char path[PATH_SIZE], title[128];
  const double *r = NULL, *u = NULL;
  const AspContactProblem *problem = asp_world_problem(world, &r, &u);
  if (asked && !problem)
    fprintf(stderr, "asperity run: a step of the scheme %s has no contact problem of its own to write\n",
            asp_scheme_names[asp_world_options(world)->scheme]);
  if ((!asked && !missed) || !problem)
    return EXIT_DONE;
  if (problem->rows == 0) {
    fprintf(stderr, "asperity run: step %lld has neither contacts nor joints: no problem to write\n",
            (long long)info->step);
    return EXIT_DONE;
  }
  if (!dump_path(output->result, info->step, path, sizeof path))
    return session_fail(session, EXIT_USAGE, "%s: the name of the result is too long", output->result);
  snprintf(title, sizeof title, "step %lld to t = %.15g s, E2 = %.3g", (long long)info->step, info->t,
           info->residual.E2);
  AspFclibPoint reached = {.r = (double *)r, .u = (double *)u};
  AspFclibExtra extra = {.title = title};
  if (info->certified) {
    extra.solution = reached;
  } else {
    extra.guess_count = 1;
    extra.guess = &reached;
  }
  AspError error = asp_fclib_write(session->context, path, problem, &extra);
  if (error != ASP_OK)
    return session_fail(session, EXIT_FAILED, "%s", asp_context_message(session->context));
  summary->dumped[summary->dump_count++] = info->step;
  return EXIT_DONE;
}

/* ---- steps ---- */

/* One step, noted and written. */
static int make_step(const Session *session, AspWorld *world, AspResultWriter *writer, const SimulationOutput *output,
                     SimulationSummary *summary, AspStepInfo *info) {
  AspError error = asp_world_step(world, info);
  if (error == ASP_ERROR_INTERRUPTED) { // the file holds the steps before
    summary->interrupted = interrupt_signal();
    return EXIT_DONE;
  }
  if (error == ASP_ERROR_IMPOSSIBLE) { // the same; the world says it with its warnings
    summary->impossible = true;
    error = asp_world_add_warning(world, asp_context_message(session->context));
    return error == ASP_OK ? EXIT_DONE : session_fail_error(session, error);
  }
  if (error != ASP_OK && (summary->run.steps == 0 || output->no_result))
    return session_fail_error(session, error);
  if (error != ASP_OK)
    return session_fail(session, exit_code_of(error), "%s; %s holds the steps before (%lld)",
                        asp_context_message(session->context), output->result, (long long)summary->run.steps);
  asp_run_summary_add(&summary->run, info);
  summary->interrupted = interrupt_signal();
  error = ASP_OK;
  if (writer)
    error = asp_result_append(writer, world, info); // updates the probes, which are its own
  else
    asp_probes_update(summary->probes, world);
  return error == ASP_OK ? dump_problem(session, world, output, info, summary)
                         : session_fail(session, EXIT_FAILED, "%s", asp_context_message(session->context));
}

static int make_steps(const Session *session, const AspScene *scene, AspWorld *world, const SimulationOutput *output,
                      AspResultWriter *writer, SimulationSummary *summary) {
  Progress progress = progress_start(!session->quiet);
  int code = writer ? checkpoint_write(session, output, scene, world, writer, summary) : EXIT_DONE;
  double kept = clock_seconds();
  while (code == EXIT_DONE && !asp_world_at_end(world) && !summary->interrupted && !summary->impossible) {
    AspStepInfo info;
    int64_t before = summary->run.steps;
    code = make_step(session, world, writer, output, summary, &info);
    if (code == EXIT_DONE && !summary->interrupted && !summary->impossible)
      show_progress(&progress, world, &info);
    // a step that was cut short leaves the solvers other than they were: the last checkpoint stands
    bool due = summary->interrupted || clock_seconds() - kept >= output->checkpoint_every;
    if (code == EXIT_DONE && writer && due && summary->run.steps > before) {
      code = checkpoint_write(session, output, scene, world, writer, summary);
      kept = clock_seconds();
    }
  }
  progress_finish(&progress);
  summary->stopped = asp_world_stopped(world);
  return code;
}

/* ---- the log of solver iterations ---- */

static void log_iteration(void *user, int64_t step, int iteration, const char *method, double residual) {
  fprintf((FILE *)user, "%lld,%d,%s,%.9g\n", (long long)step, iteration, method, residual);
}

static FILE *open_solver_log(const Session *session, AspWorld *world, const char *path) {
  FILE *log = fopen(path, "w");
  if (!log) {
    session_fail(session, exit_code_of_system(errno), "solver log %s: %s", path, strerror(errno));
    return NULL;
  }
  fputs("step,iteration,method,residual\n", log);
  asp_world_set_solver_log(world, log_iteration, log);
  return log;
}

static int close_solver_log(const Session *session, FILE *log, const char *path) {
  if (!log)
    return EXIT_DONE;
  errno = 0;
  bool failed = ferror(log) != 0;
  failed = fclose(log) != 0 || failed;
  return failed ? session_fail(session, EXIT_FAILED, "solver log %s: %s", path, errno ? strerror(errno) : "write error")
                : EXIT_DONE;
}

/* ---- the whole ---- */

/* The result, new or gone on with, and the probes, which are those that it writes. */
static AspError open_result(const Session *session, const AspScene *scene, const SimulationOutput *output,
                            const AspWorld *world, AspProbes **probes, AspResultWriter **writer) {
  const Checkpoint *from = output->resume;
  AspError error = output->no_result ? asp_probes_create(session->context, scene, world, probes)
                   : from ? asp_result_resume(session->context, output->result, scene, world, &from->mark, writer)
                          : asp_result_create(session->context, output->result, scene, world, writer);
  if (error != ASP_OK)
    return error;
  if (*writer)
    *probes = asp_result_take_probes(*writer);
  return from ? asp_probes_restore(*probes, from->probes, from->probes_size) : ASP_OK;
}

static int write_result(const Session *session, const AspScene *read, const SimulationOutput *output, AspWorld *world,
                        SimulationSummary *summary) {
  AspResultWriter *writer = NULL;
  AspScene told = *read;
  const AspScene *scene = &told;
  told.from = *summary->from ? summary->from : NULL;
  AspError error = open_result(session, scene, output, world, &summary->probes, &writer);
  if (error != ASP_OK) {
    int code = session_fail_error(session, error);
    asp_result_close(writer, world);
    return code;
  }
  double started = clock_seconds();
  int code = make_steps(session, scene, world, output, writer, summary);
  if (code == EXIT_DONE && output->dump_step > summary->run.steps)
    fprintf(stderr, "asperity run: step %lld was not reached, its problem is not written\n",
            (long long)output->dump_step);
  error = asp_result_close(writer, world);
  summary->wall = clock_seconds() - started;
  if (!summary->interrupted && error == ASP_OK && !output->no_result)
    checkpoint_remove(output->result);
  if (error != ASP_OK && code == EXIT_DONE)
    code = session_fail(session, EXIT_FAILED, "%s", asp_context_message(session->context));
  return code;
}

int simulate(const Session *session, const AspScene *scene, const SimulationOutput *output, AspWorld **world,
             SimulationSummary *summary) {
  FILE *log = NULL;
  AspRunOptions options = scene->run;
  if (options.until > 0) // a run shorter than its step is a step of its length, and judged by it
    options.dt = fmin(options.dt, options.until);
  AspError error = asp_world_create(session->context, scene->model, &options, world);
  for (int i = 0; error == ASP_OK && !output->resume && i < scene->warnings.count; i++) {
    if (!session->quiet)
      fprintf(stderr, "warning: %s\n", scene->warnings.line[i]);
    error = asp_world_add_warning(*world, scene->warnings.line[i]);
  }
  if (error != ASP_OK)
    return session_fail_error(session, error);
  if (output->solver_log && !output->no_files) {
    log = open_solver_log(session, *world, output->solver_log);
    if (!log)
      return EXIT_USAGE;
  }
  int code = run_from(session, output, scene, *world, summary);
  if (code != EXIT_DONE) {
    close_solver_log(session, log, output->solver_log);
    return code;
  }
  SimulationSummary began = *summary;
  *summary = (SimulationSummary){.stopped = -1};
  asp_run_summary_start(&summary->run, *world);
  memcpy(summary->from, began.from, sizeof summary->from);
  if (output->resume) {
    error = asp_world_restore(*world, output->resume->world, output->resume->world_size);
    if (error != ASP_OK)
      return session_fail_error(session, error);
    *summary = output->resume->summary;
    summary->interrupted = 0;
  }
  code = write_result(session, scene, output, *world, summary);
  asp_world_set_solver_log(*world, NULL, NULL);
  int log_code = close_solver_log(session, log, output->solver_log);
  return code == EXIT_DONE ? log_code : code;
}

int session_fail_scene(const Session *session, AspError error, const char *path, const AspMistakes *mistakes) {
  if (session->command != &command_sweep && asp_study_recognise(session->context, path))
    return session_fail(session, EXIT_USAGE, "%s: this is a study, not a scene; asperity sweep %s runs it", path, path);
  if (mistakes->count < 2)
    return session_fail_error(session, error);
  return session_fail(session, exit_code_of(error), "%s (and %d more: asperity validate %s)", mistakes->line[0],
                      mistakes->count - 1, path);
}
