/* A scene in motion: see simulate.h. */
#include "simulate.h"

#include "interrupt.h"
#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What may be left of the time at the end, in steps: the rounding of a long sum. */
#define END_TOLERANCE 1e-6

static double total(AspEnergy energy) { return energy.kinetic + energy.gravitational + energy.elastic; }

/* max(worst, value) that keeps a NaN */
static double worse(double worst, double value) { return isnan(worst) || worst >= value ? worst : value; }

static void note_start(SimulationSummary *summary, const AspWorld *world) {
  const AspState *state = asp_world_state(world);
  *summary = (SimulationSummary){.time = state->t, .joint_drift_max = asp_world_joint_drift(world)};
  summary->energy_initial = summary->energy_final = total(asp_model_energy(asp_world_model(world), state));
}

static void note_step(SimulationSummary *summary, const AspStepInfo *info) {
  summary->steps = info->step;
  summary->time = info->t;
  summary->steps_uncertified += !info->certified;
  summary->residual_max = worse(summary->residual_max, info->residual.E2);
  summary->residual_exact_max = worse(summary->residual_exact_max, info->residual.exact);
  summary->residual_contact_max = worse(summary->residual_contact_max, info->residual.contact);
  summary->penetration_max = worse(summary->penetration_max, info->penetration);
  summary->joint_drift_max = worse(summary->joint_drift_max, info->joint_drift);
  summary->energy_final = total(info->energy);
  summary->contacts_max = info->contacts > summary->contacts_max ? info->contacts : summary->contacts_max;
}

static bool at_end(const AspWorld *world) {
  const AspRunOptions *options = asp_world_options(world);
  return options->until - asp_world_state(world)->t <= END_TOLERANCE * options->dt;
}

static void show_progress(Progress *progress, const AspWorld *world, const AspStepInfo *info) {
  char text[80];
  double until = asp_world_options(world)->until;
  snprintf(text, sizeof text, "t = %.4g of %.4g s, %d contacts", info->t, until, info->contacts);
  progress_update(progress, info->t / until, text);
}

/* One step, noted and written. */
static int make_step(const Session *session, AspWorld *world, AspResultWriter *writer, const char *result,
                     SimulationSummary *summary, AspStepInfo *info) {
  AspError error = asp_world_step(world, info);
  if (error != ASP_OK && summary->steps == 0)
    return session_fail_error(session, error);
  if (error != ASP_OK)
    return session_fail(session, exit_code_of(error), "%s; %s holds the steps before (%lld)",
                        asp_context_message(session->context), result, (long long)summary->steps);
  note_step(summary, info);
  summary->interrupted = interrupt_signal();
  bool is_last = at_end(world) || summary->interrupted;
  if (!is_last && info->step % asp_world_options(world)->output_every != 0)
    return EXIT_DONE;
  error = asp_result_append(writer, world, info);
  return error == ASP_OK ? EXIT_DONE : session_fail(session, EXIT_FAILED, "%s", asp_context_message(session->context));
}

static int make_steps(const Session *session, AspWorld *world, const char *result, AspResultWriter *writer,
                      SimulationSummary *summary) {
  int code = EXIT_DONE;
  Progress progress = progress_start(!session->quiet);
  while (code == EXIT_DONE && !at_end(world) && !summary->interrupted) {
    AspStepInfo info;
    code = make_step(session, world, writer, result, summary, &info);
    if (code == EXIT_DONE)
      show_progress(&progress, world, &info);
  }
  progress_finish(&progress);
  return code;
}

/* ---- the log of solver iterations ---- */

static void log_iteration(void *user, int64_t step, int iteration, const char *method, double residual) {
  fprintf((FILE *)user, "%lld,%d,%s,%.9g\n", (long long)step, iteration, method, residual);
}

static FILE *open_solver_log(const Session *session, AspWorld *world, const char *path) {
  FILE *log = fopen(path, "w");
  if (!log) {
    session_fail(session, EXIT_USAGE, "solver log %s: %s", path, strerror(errno));
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

static int write_result(const Session *session, const AspScene *scene, const char *result, AspWorld *world,
                        SimulationSummary *summary) {
  AspResultWriter *writer = NULL;
  AspError error = asp_result_create(session->context, result, scene, world, &writer);
  if (error != ASP_OK)
    return session_fail_error(session, error);
  double started = clock_seconds();
  int code = make_steps(session, world, result, writer, summary);
  error = asp_result_close(writer, world);
  summary->wall = clock_seconds() - started;
  if (error != ASP_OK && code == EXIT_DONE)
    code = session_fail(session, EXIT_FAILED, "%s", asp_context_message(session->context));
  return code;
}

int simulate(const Session *session, const AspScene *scene, const SimulationOutput *output, AspWorld **world,
             SimulationSummary *summary) {
  FILE *log = NULL;
  AspError error = asp_world_create(session->context, scene->model, &scene->run, world);
  for (int i = 0; error == ASP_OK && i < scene->warnings.count; i++) {
    if (!session->quiet)
      fprintf(stderr, "warning: %s\n", scene->warnings.line[i]);
    error = asp_world_add_warning(*world, scene->warnings.line[i]);
  }
  if (error != ASP_OK)
    return session_fail_error(session, error);
  if (output->solver_log) {
    log = open_solver_log(session, *world, output->solver_log);
    if (!log)
      return EXIT_USAGE;
  }
  note_start(summary, *world);
  int code = write_result(session, scene, output->result, *world, summary);
  asp_world_set_solver_log(*world, NULL, NULL);
  int log_code = close_solver_log(session, log, output->solver_log);
  return code == EXIT_DONE ? log_code : code;
}
