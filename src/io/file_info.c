/* What is in a file: scene, result, FCLIB problem or LCP, told by its content and described in a few lines. */
#include "io/result_read.h"

#include <math.h>
#include <stdio.h>

/* Where the lines go. */
typedef struct Printer {
  AspContext *context;
  void (*print)(void *user, const char *line);
  void *user;
} Printer;

static void say(const Printer *printer, const char *format, ...) ASP_PRINTF(2, 3);
static void say(const Printer *printer, const char *format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  printer->print(printer->user, line);
}

/* ---- scenes ---- */

static AspError describe_scene(const Printer *printer, const char *path) {
  AspScene scene;
  ASP_TRY(asp_scene_read(printer->context, path, &scene, NULL));
  const AspModel *model = scene.model;
  int kinds[ASP_BODY_KINEMATIC + 1] = {0}, fields_count = 0;
  for (int i = 0; i < asp_model_body_count(model); i++)
    kinds[asp_model_body_kind(model, i)]++;
  say(printer, "kind: scene");
  say(printer, "name: %s", scene.name);
  say(printer, "dimension: %d", asp_model_dimension(model));
  say(printer, "bodies: %d (%d free, %d fixed, %d prescribed)", asp_model_body_count(model), kinds[ASP_BODY_DYNAMIC],
      kinds[ASP_BODY_FIXED], kinds[ASP_BODY_KINEMATIC]);
  say(printer, "dofs: %d", asp_model_dof_count(model));
  say(printer, "shapes: %d", asp_model_shape_count(model));
  say(printer, "joints: %d", asp_model_joint_count(model));
  say(printer, "forces: %d", asp_model_force_count(model));
  const AspField *fields = asp_run_fields(&fields_count);
  for (int i = 0; i < fields_count; i++) {
    char value[64];
    asp_field_print(&fields[i], &scene.run, value, sizeof value);
    say(printer, "run %s: %s%s%s", fields[i].key, value, *fields[i].unit ? " " : "", fields[i].unit);
  }
  asp_scene_destroy(printer->context, &scene);
  return ASP_OK;
}

/* ---- results ---- */

typedef struct ColumnSummary {
  double low, high, sum, last;
} ColumnSummary;

/* Smallest, largest, sum and last of a column of single numbers. */
static AspError summarise(const ResultFile *result, const char *path, int64_t rows, ColumnSummary *summary) {
  enum { BLOCK = 4096 };
  double *values = asp_allocate(result->file.context, BLOCK, sizeof *values);
  if (!values)
    return ASP_ERROR_MEMORY;
  *summary = (ColumnSummary){.low = INFINITY, .high = -INFINITY};
  AspError error = ASP_OK;
  for (int64_t first = 0; first < rows && error == ASP_OK; first += BLOCK) {
    int64_t count = rows - first < BLOCK ? rows - first : BLOCK;
    error = asp_result_rows(result, path, first, count, 1, values);
    for (int64_t i = 0; i < count && error == ASP_OK; i++) {
      summary->low = fmin(summary->low, values[i]);
      summary->high = fmax(summary->high, values[i]);
      summary->sum += values[i];
      summary->last = values[i];
    }
  }
  asp_release(result->file.context, values);
  return error;
}

static AspError describe_steps(const Printer *printer, const ResultFile *result) {
  int64_t steps = result->committed.rows[TABLE_STEPS];
  ColumnSummary certified, residual, contacts, penetration, drift;
  if (steps == 0)
    return ASP_OK;
  ASP_TRY(summarise(result, asp_result_step_columns[STEP_CERTIFIED].path, steps, &certified));
  ASP_TRY(summarise(result, asp_result_step_columns[STEP_E2].path, steps, &residual));
  ASP_TRY(summarise(result, asp_result_step_columns[STEP_CONTACTS].path, steps, &contacts));
  ASP_TRY(summarise(result, asp_result_step_columns[STEP_PENETRATION].path, steps, &penetration));
  ASP_TRY(summarise(result, asp_result_step_columns[STEP_JOINT_DRIFT].path, steps, &drift));
  say(printer, "steps not certified: %.0f", (double)steps - certified.sum);
  say(printer, "residual E2, largest: %.3g", residual.high);
  say(printer, "contacts, largest number: %.0f", contacts.high);
  say(printer, "penetration, deepest: %.3g m", penetration.high);
  say(printer, "joint drift, largest: %.3g m or rad", drift.high);
  return ASP_OK;
}

static AspError describe_result(const Printer *printer, const char *path) {
  ResultFile result;
  ASP_TRY(asp_result_open(printer->context, path, &result));
  ColumnSummary time;
  int64_t frames = result.committed.rows[TABLE_FRAMES];
  AspError error = summarise(&result, "/frames/time", frames, &time);
  if (error == ASP_OK) {
    say(printer, "kind: result");
    say(printer, "name: %s", result.name);
    say(printer, "dimension: %d", result.dimension);
    say(printer, "bodies: %d", result.bodies);
    say(printer, "frames: %lld", (long long)frames);
    say(printer, "time: %.15g to %.15g s", time.low, time.last);
    say(printer, "steps: %lld", (long long)result.committed.rows[TABLE_STEPS]);
    say(printer, "complete: %s", result.committed.complete ? "yes" : "no, the run was cut off");
    error = describe_steps(printer, &result);
  }
  asp_result_shut(&result);
  return error;
}

/* ---- problems ---- */

static AspError describe_fclib(const Printer *printer, const char *path) {
  AspContactProblem problem;
  AspFclibExtra extra;
  ASP_TRY(asp_fclib_read(printer->context, path, NULL, &problem, &extra));
  int laws[ASP_LAW_COUNT] = {0};
  for (int i = 0; i < problem.blocks; i++)
    laws[problem.law[i].kind]++;
  say(printer, "kind: contact problem (FCLIB), %s form", problem.dofs ? "global" : "local");
  if (extra.title)
    say(printer, "title: %s", extra.title);
  say(printer, "dimension: %d", problem.dimension);
  for (int kind = 0; kind < ASP_LAW_COUNT; kind++)
    if (laws[kind])
      say(printer, "%s laws: %d", asp_law_name((AspLawKind)kind), laws[kind]);
  say(printer, "rows: %d", problem.rows);
  if (problem.dofs) {
    say(printer, "dofs: %d", problem.dofs);
    say(printer, "nonzeros of M: %d, of H: %d", problem.M.start[problem.M.columns], problem.H.start[problem.H.columns]);
  } else {
    say(printer, "nonzeros of W: %d", problem.W.start[problem.W.columns]);
  }
  say(printer, "solution: %s", extra.solution.r ? "yes" : "no");
  say(printer, "guesses: %d", extra.guess_count);
  asp_fclib_extra_destroy(printer->context, &extra);
  asp_problem_destroy(printer->context, &problem);
  return ASP_OK;
}

static AspError describe_lcp(const Printer *printer, const AspH5File *file) {
  size_t n = 0;
  ASP_TRY(asp_h5_count(file, "/q", false, &n));
  say(printer, "kind: linear complementarity problem");
  say(printer, "size: %zu", n);
  return ASP_OK;
}

static AspError describe_hdf5(const Printer *printer, const char *path) {
  AspH5File file;
  ASP_TRY(asp_h5_open(printer->context, path, &file));
  bool result = asp_result_recognise(&file), lcp = asp_h5_has(&file, "/M") && asp_h5_has(&file, "/q");
  AspError error = lcp && !result ? describe_lcp(printer, &file) : ASP_OK;
  asp_h5_close(&file);
  if (result)
    return describe_result(printer, path);
  if (lcp)
    return error;
  if (asp_fclib_recognise(printer->context, path))
    return describe_fclib(printer, path);
  return asp_fail(printer->context, ASP_ERROR_INPUT,
                  "%s: an HDF5 file, but neither a result nor a contact problem nor an LCP", path);
}

AspError asp_file_info(AspContext *context, const char *path, void (*print)(void *user, const char *line), void *user) {
  Printer printer = {context, print, user};
  AspH5File quiet = {.context = context};
  asp_h5_silence(&quiet);
  bool hdf5 = H5Fis_hdf5(path) > 0;
  asp_h5_restore(&quiet);
  return hdf5 ? describe_hdf5(&printer, path) : describe_scene(&printer, path);
}
