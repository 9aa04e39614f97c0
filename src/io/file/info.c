/* What is in a file: scene, result, FCLIB problem or LCP, told by its content and described in a few lines. */
#include "io/result/files.h"
#include "io/result/parameters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Where the facts go. */
typedef struct Teller {
  AspContext *context;
  const AspSettings *settings;
  void (*tell)(void *user, const AspFact *fact);
  void *user;
} Teller;

static void tell_text(const Teller *teller, const char *key, const char *text) {
  teller->tell(teller->user, &(AspFact){key, ASP_FACT_TEXT, text, 0, ""});
}
static void tell_number(const Teller *teller, const char *key, double number, const char *unit) {
  teller->tell(teller->user, &(AspFact){key, ASP_FACT_NUMBER, "", number, unit});
}
static void tell_flag(const Teller *teller, const char *key, bool flag) {
  teller->tell(teller->user, &(AspFact){key, ASP_FACT_FLAG, "", flag, ""});
}

const char *asp_fact_kind_name(AspFactKind kind) {
  static const char *const names[] = {"text", "number", "flag"};
  return ASP_NAME_OF(names, kind);
}

/* ---- scenes ---- */

/* The options: "run_friction.model". */
static void tell_run(const Teller *teller, const AspRunOptions *run) {
  int count = asp_run_field_count();
  const AspField *fields = asp_run_fields();
  for (int i = 0; i < count; i++) {
    char key[64], value[64], *end = NULL;
    snprintf(key, sizeof key, "run_%s", fields[i].key);
    asp_field_print(&fields[i], run, value, sizeof value);
    double number = strtod(value, &end);
    if (fields[i].type == ASP_FIELD_REAL || fields[i].type == ASP_FIELD_INTEGER)
      tell_number(teller, key, number, fields[i].unit);
    else if (fields[i].type == ASP_FIELD_FLAG)
      tell_flag(teller, key, strcmp(value, "true") == 0);
    else
      tell_text(teller, key, value);
  }
}

/* "parameter_mu: 0.3". */
static void tell_parameter(const Teller *teller, const char *name, double value, const char *unit) {
  char key[128];
  snprintf(key, sizeof key, "parameter_%s", name);
  tell_number(teller, key, value, unit);
}

/* "file_quake.csv: hash 0123456789abcdef". */
static void tell_file(const Teller *teller, const char *path, const char *hash) {
  char key[512], text[64];
  snprintf(key, sizeof key, "file_%s", path);
  snprintf(text, sizeof text, "hash %s", hash);
  tell_text(teller, key, text);
}

static AspError describe_scene(const Teller *teller, const char *path) {
  AspScene scene;
  ASP_TRY(asp_scene_read_set(teller->context, path, teller->settings, &scene, NULL));
  const AspModel *model = scene.model;
  int kinds[ASP_BODY_STATION + 1] = {0};
  for (int i = 0; i < asp_model_body_count(model); i++)
    kinds[asp_model_body_kind(model, i)]++;
  tell_text(teller, "kind", "scene");
  tell_text(teller, "name", scene.name);
  tell_number(teller, "dimension", asp_model_dimension(model), "");
  tell_number(teller, "bodies", asp_model_body_count(model), "");
  tell_number(teller, "bodies_free", kinds[ASP_BODY_DYNAMIC], "");
  tell_number(teller, "bodies_fixed", kinds[ASP_BODY_FIXED], "");
  tell_number(teller, "bodies_prescribed", kinds[ASP_BODY_KINEMATIC], "");
  tell_number(teller, "beams", asp_model_beam_count(model), "");
  tell_number(teller, "stations", kinds[ASP_BODY_STATION], "");
  tell_number(teller, "dofs", asp_model_dof_count(model), "");
  tell_number(teller, "shapes", asp_model_shape_count(model), "");
  tell_number(teller, "joints", asp_model_joint_count(model), "");
  tell_number(teller, "forces", asp_model_force_count(model), "");
  if (asp_model_table_count(model))
    tell_number(teller, "tables", asp_model_table_count(model), "");
  for (int i = 0; i < scene.file_count; i++)
    tell_file(teller, scene.file[i].path, scene.file[i].hash);
  for (int i = 0; i < scene.parameter_count; i++)
    tell_parameter(teller, scene.parameter[i].name, scene.parameter[i].value, scene.parameter[i].unit);
  tell_run(teller, &scene.run);
  asp_scene_destroy(teller->context, &scene);
  return ASP_OK;
}

/* ---- results ---- */

typedef struct ColumnSummary {
  double high, sum, first, last;
  int64_t zero, positive, negative; /* how many values are */
} ColumnSummary;

/* Largest, sum, first and last of a column of single numbers. */
static AspError summarise(const ResultFile *result, const char *path, int64_t rows, ColumnSummary *summary) {
  enum { BLOCK = 4096 };
  double *values = asp_allocate(result->file.context, BLOCK, sizeof *values);
  if (!values)
    return ASP_ERROR_MEMORY;
  *summary = (ColumnSummary){.high = -INFINITY};
  AspError error = ASP_OK;
  for (int64_t first = 0; first < rows && error == ASP_OK; first += BLOCK) {
    int64_t count = rows - first < BLOCK ? rows - first : BLOCK;
    error = asp_result_rows(result, path, first, count, 1, values);
    for (int64_t i = 0; i < count && error == ASP_OK; i++) {
      if (first + i == 0)
        summary->first = values[i];
      summary->high = fmax(summary->high, values[i]);
      summary->sum += values[i];
      summary->zero += values[i] == 0;
      summary->positive += values[i] > 0;
      summary->negative += values[i] < 0;
      summary->last = values[i];
    }
  }
  asp_release(result->file.context, values);
  return error;
}

/* Measures that were exceeded, by the names that the file has: other versions have others. */
static AspError describe_measures(const Teller *teller, const ResultFile *result) {
  char *names = NULL;
  size_t bytes;
  int count;
  AspError error = asp_result_texts_read(result, "/resolution/name", &count, &bytes, &names);
  for (int i = 0; i < count && error == ASP_OK; i++) {
    double worst, exceeded;
    char key[96];
    snprintf(key, sizeof key, "resolution_%.60s_max", names + (size_t)i * bytes);
    ASP_CHECK(asp_result_rows(result, "/resolution/worst", i, 1, 1, &worst));
    ASP_CHECK(asp_result_rows(result, "/resolution/steps", i, 1, 1, &exceeded));
    if (exceeded > 0)
      tell_number(teller, key, worst, "");
  }
done:
  asp_release(result->file.context, names);
  return error;
}

/* Steps that are not resolved, and by which measures; files of older programs were not judged. */
static AspError describe_resolution(const Teller *teller, const ResultFile *result, int64_t steps) {
  const char *path = asp_result_step_columns[STEP_RESOLVED].path;
  ColumnSummary column;
  if (!asp_h5_has(&result->file, path)) {
    tell_text(teller, "resolved", "not judged: the file is from an older version");
    return ASP_OK;
  }
  ASP_TRY(summarise(result, path, steps, &column));
  tell_number(teller, "steps_unresolved", (double)steps - column.sum, "");
  return asp_h5_has(&result->file, "/resolution/worst") ? describe_measures(teller, result)
                                                        : ASP_OK; // or it was cut off
}

static AspError describe_steps(const Teller *teller, const ResultFile *result) {
  static const struct {
    StepColumn column;
    const char *key, *unit;
  } largest[] = {{STEP_E2, "residual_max", ""},
                 {STEP_E3, "residual_data_max", ""},
                 {STEP_EXACT, "residual_exact_max", ""},
                 {STEP_CONTACT, "residual_contact_max", ""},
                 {STEP_CONTACTS, "contacts_max", ""},
                 {STEP_ATTEMPTS, "attempts_max", ""},
                 {STEP_PENETRATION, "penetration_max", "m"},
                 {STEP_JOINT_DRIFT, "joint_drift_max", "m or rad"}};
  int64_t steps = result->committed.rows[TABLE_STEPS];
  ColumnSummary column;
  if (steps == 0)
    return ASP_OK;
  ASP_TRY(summarise(result, asp_result_step_columns[STEP_CERTIFIED].path, steps, &column));
  tell_number(teller, "steps_uncertified", (double)steps - column.sum, "");
  ASP_TRY(describe_resolution(teller, result, steps));
  for (size_t i = 0; i < sizeof largest / sizeof *largest; i++) {
    ASP_TRY(summarise(result, asp_result_step_columns[largest[i].column].path, steps, &column));
    tell_number(teller, largest[i].key, column.high, largest[i].unit);
  }
  return ASP_OK;
}

/* What was not decided, and how loads were shared; a result without these columns says nothing of them. */
static AspError describe_uniqueness(const Teller *teller, const ResultFile *result) {
  int64_t steps = result->committed.rows[TABLE_STEPS];
  ColumnSummary column;
  if (steps == 0)
    return ASP_OK;
  ASP_TRY(summarise(result, asp_result_step_columns[STEP_ALTERNATIVES].path, steps, &column));
  tell_number(teller, "steps_not_checked", (double)column.zero, "");
  ASP_TRY(summarise(result, asp_result_step_columns[STEP_INSTANT_SOLUTIONS].path, steps, &column));
  tell_number(teller, "instants_not_checked", (double)column.negative, "");
  if (!asp_h5_has(&result->file, asp_result_step_columns[STEP_LOAD_SHARING].path))
    return ASP_OK;
  ASP_TRY(summarise(result, asp_result_step_columns[STEP_LOAD_SHARING].path, steps, &column));
  tell_number(teller, "steps_with_load_sharing", (double)column.positive, "");
  tell_number(teller, "steps_with_load_sharing_not_chosen", (double)column.negative, "");
  return ASP_OK;
}

/* Energy at both ends, and where it went. */
static AspError describe_energy(const Teller *teller, const ResultFile *result) {
  static const char *const flows[] = {"energy_motors", "energy_forces",  "energy_friction", "energy_impacts",
                                      "energy_joints", "energy_damping", "energy_remainder"};
  int64_t rows = result->committed.rows[TABLE_ENERGY];
  double first = 0, last = 0;
  ColumnSummary column;
  for (int i = ENERGY_KINETIC; i <= ENERGY_ELASTIC; i++) {
    ASP_TRY(summarise(result, asp_result_energy_columns[i].path, rows, &column));
    first += column.first;
    last += column.last;
  }
  tell_number(teller, "energy_initial", first, "J");
  tell_number(teller, "energy_final", last, "J");
  for (int i = ENERGY_MOTORS; i <= ENERGY_REMAINDER; i++) {
    ASP_TRY(summarise(result, asp_result_energy_columns[i].path, rows, &column));
    tell_number(teller, flows[i - ENERGY_MOTORS], column.sum, "J");
  }
  return ASP_OK;
}

/* What the run was given beside the scene: parameters and files. */
static AspError describe_parameters(const Teller *teller, const ResultFile *result) {
  ResultParameters parameters = {0};
  AspError error = asp_result_parameters_read(result, &parameters);
  for (int i = 0; error == ASP_OK && i < parameters.name.count; i++)
    tell_parameter(teller, asp_result_text_at(&parameters.name, i), parameters.value[i],
                   asp_result_text_at(&parameters.unit, i));
  asp_result_parameters_free(teller->context, &parameters);
  ResultFiles files = {0};
  if (error == ASP_OK)
    error = asp_result_files_read(result, &files);
  for (int i = 0; error == ASP_OK && i < files.path.count; i++)
    tell_file(teller, asp_result_text_at(&files.path, i), asp_result_text_at(&files.hash, i));
  asp_result_files_free(teller->context, &files);
  return error;
}

static const char *end_text(int64_t complete) {
  return complete == RESULT_ENDED     ? "reached"
         : complete == RESULT_STOPPED ? "not reached: the run was stopped"
                                      : "not reached: the run was cut off";
}

static void tell_end(const Teller *teller, const ResultFile *result) {
  char text[512], stop[448];
  tell_flag(teller, "complete", result->committed.complete == RESULT_ENDED);
  snprintf(text, sizeof text, "%s", end_text(result->committed.complete));
  if (result->committed.complete == RESULT_STOPPED && asp_result_stop(result, stop, sizeof stop))
    snprintf(text, sizeof text, "a stop condition ended the run: %s", stop);
  tell_text(teller, "end", text);
  if (asp_result_from(result, text, sizeof text))
    tell_text(teller, "from", text);
}

static AspError describe_result(const Teller *teller, const char *path) {
  ResultFile result;
  ASP_TRY(asp_result_open(teller->context, path, &result));
  ColumnSummary time;
  int64_t frames = result.committed.rows[TABLE_FRAMES];
  AspError error = summarise(&result, "/frames/time", frames, &time);
  if (error == ASP_OK) {
    tell_text(teller, "kind", "result");
    tell_text(teller, "name", result.name);
    tell_number(teller, "dimension", result.dimension, "");
    tell_number(teller, "bodies", result.bodies, "");
    tell_number(teller, "frames", (double)frames, "");
    tell_number(teller, "time_start", time.first, "s");
    tell_number(teller, "time_end", time.last, "s");
    tell_number(teller, "steps", (double)result.committed.rows[TABLE_STEPS], "");
    tell_end(teller, &result);
    error = describe_parameters(teller, &result);
  }
  if (error == ASP_OK)
    error = describe_steps(teller, &result);
  if (error == ASP_OK)
    error = describe_uniqueness(teller, &result);
  if (error == ASP_OK)
    error = describe_energy(teller, &result);
  asp_result_shut(&result);
  return error;
}

/* ---- problems ---- */

static AspError describe_fclib(const Teller *teller, const char *path) {
  AspContactProblem problem;
  AspFclibExtra extra;
  ASP_TRY(asp_fclib_read(teller->context, path, NULL, &problem, &extra));
  int laws[ASP_LAW_COUNT] = {0};
  for (int i = 0; i < problem.blocks; i++)
    laws[problem.law[i].kind]++;
  tell_text(teller, "kind", "contact problem (FCLIB)");
  tell_text(teller, "form", problem.dofs ? "global" : "local");
  if (extra.title)
    tell_text(teller, "title", extra.title);
  tell_number(teller, "dimension", problem.dimension, "");
  for (int kind = 0; kind < ASP_LAW_COUNT; kind++) {
    char key[64];
    snprintf(key, sizeof key, "laws_%s", asp_law_kind_name((AspLawKind)kind));
    if (laws[kind])
      tell_number(teller, key, laws[kind], "");
  }
  tell_number(teller, "rows", problem.rows, "");
  tell_number(teller, "dofs", problem.dofs, "");
  if (problem.dofs) {
    tell_number(teller, "nonzeros_M", problem.M.start[problem.M.columns], "");
    tell_number(teller, "nonzeros_H", problem.H.start[problem.H.columns], "");
  } else {
    tell_number(teller, "nonzeros_W", problem.W.start[problem.W.columns], "");
  }
  tell_flag(teller, "solution", extra.solution.r != NULL);
  tell_number(teller, "guesses", extra.guess_count, "");
  asp_fclib_extra_destroy(teller->context, &extra);
  asp_problem_destroy(teller->context, &problem);
  return ASP_OK;
}

static AspError describe_lcp(const Teller *teller, const AspH5File *file) {
  size_t n = 0;
  ASP_TRY(asp_h5_count(file, "/q", false, &n));
  tell_text(teller, "kind", "linear complementarity problem");
  tell_number(teller, "size", (double)n, "");
  return ASP_OK;
}

static AspError describe_hdf5(const Teller *teller, const char *path) {
  AspH5File file;
  ASP_TRY(asp_h5_open(teller->context, path, &file));
  bool result = asp_result_recognise(&file), lcp = asp_h5_has(&file, "/M") && asp_h5_has(&file, "/q");
  AspError error = lcp && !result ? describe_lcp(teller, &file) : ASP_OK;
  asp_h5_close(&file);
  if (result)
    return describe_result(teller, path);
  if (lcp)
    return error;
  if (asp_fclib_recognise(teller->context, path))
    return describe_fclib(teller, path);
  return asp_fail(teller->context, ASP_ERROR_INPUT,
                  "%s: an HDF5 file, but neither a result nor a contact problem nor an LCP", path);
}

/* HDF5's own test fails where the file cannot be opened just now: its mark decides then. */
static AspError look_for_hdf5(AspContext *context, const char *path, bool *is_hdf5) {
  AspH5File quiet = {.context = context};
  ASP_TRY(asp_h5_start(context, path));
  asp_h5_silence(&quiet);
  htri_t known = H5Fis_hdf5(path);
  asp_h5_restore(&quiet);
  char mark[4] = "";
  FILE *file = known < 0 ? fopen(path, "rb") : NULL;
  bool marked = file && fread(mark, 1, 4, file) == 4 && memcmp(mark, "\x89HDF", 4) == 0;
  if (file)
    fclose(file);
  *is_hdf5 = known > 0 || marked;
  return ASP_OK;
}

AspError asp_file_info(AspContext *context, const char *path, const AspSettings *settings,
                       void (*tell)(void *user, const AspFact *fact), void *user) {
  Teller teller = {context, settings, tell, user};
  bool is_hdf5;
  ASP_TRY(look_for_hdf5(context, path, &is_hdf5));
  return is_hdf5 ? describe_hdf5(&teller, path) : describe_scene(&teller, path);
}
