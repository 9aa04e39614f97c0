/* One run of a study's scene: settings in, outputs out. Whatever goes wrong with the run is an exit code and a message,
 * as the program `asperity run` would give them. */
#include "io/study/study.h"

#include <math.h>
#include <stdio.h>

typedef struct SceneRun {
  const AspStudy *study;
  AspContext *context;
  AspScene scene;
  AspWorld *world;
  AspProbes *probes;
  AspResultWriter *writer;
  StudyOutcome *outcome;
} SceneRun;

/* ---- the scene at a point ---- */

/* Bytes of a field of the run's options. */
static size_t size_of(const AspField *field) {
  return field->type == ASP_FIELD_REAL ? sizeof(double) : field->type == ASP_FIELD_FLAG ? sizeof(bool) : sizeof(int);
}

static AspError set_options(SceneRun *run, int64_t point, double searched) {
  const AspStudy *study = run->study;
  const AspField *fields = asp_run_fields();
  AspRunOptions *options = &run->scene.run;
  options->threads = 1; // points run side by side
  for (int i = 0; i < asp_run_field_count(); i++)
    if (study->run_given[i])
      memcpy((char *)options + fields[i].offset, (const char *)&study->run + fields[i].offset, size_of(&fields[i]));
  for (int i = 0; i < study->parameter_count; i++)
    if (study->parameter[i].field)
      ASP_TRY(asp_field_set_number(run->context, study->parameter[i].field, options, asp_study_value(study, point, i)));
  const char *sought = study->search.method == SEARCH_NONE ? "" : study->search.parameter;
  if (strncmp(sought, "run.", 4) == 0)
    ASP_TRY(asp_field_set_number(run->context, asp_field_find(fields, asp_run_field_count(), sought + 4), options,
                                 searched));
  return asp_run_validate(run->context, options);
}

static AspError read_scene(SceneRun *run, int64_t point, double searched) {
  const AspStudy *study = run->study;
  AspArena arena;
  asp_arena_init(&arena, run->context);
  const char **text = asp_arena_take(&arena, (size_t)study->parameter_count + 1, sizeof *text);
  AspSettings settings = {.text = text, .probe_count = study->probe_count, .probe = study->probe};
  AspError error = text ? ASP_OK : ASP_ERROR_MEMORY;
  for (int i = 0; error == ASP_OK && i <= study->parameter_count; i++) {
    bool sought = i == study->parameter_count;
    if (sought ? study->search.method == SEARCH_NONE || strncmp(study->search.parameter, "run.", 4) == 0
               : study->parameter[i].field != NULL)
      continue;
    const char *name = sought ? study->search.parameter : study->parameter[i].name;
    size_t room = strlen(name) + 40;
    char *made = asp_arena_take(&arena, room, 1);
    if (!made) {
      error = ASP_ERROR_MEMORY;
      break;
    }
    snprintf(made, room, "%s=%.17g", name, sought ? searched : asp_study_value(study, point, i));
    text[settings.count++] = made;
  }
  if (error == ASP_OK)
    error = asp_scene_read_set(run->context, study->scene_path, &settings, &run->scene, NULL);
  asp_arena_free(&arena);
  return error;
}

/* ---- the steps ---- */

static AspError start(SceneRun *run, int64_t point, double searched, const char *result) {
  ASP_TRY(read_scene(run, point, searched));
  ASP_TRY(set_options(run, point, searched));
  ASP_TRY(asp_world_create(run->context, run->scene.model, &run->scene.run, &run->world));
  for (int i = 0; i < run->scene.warnings.count; i++)
    ASP_TRY(asp_world_add_warning(run->world, run->scene.warnings.line[i]));
  ASP_TRY(asp_probes_create(run->context, &run->scene, run->world, &run->probes));
  if (result)
    ASP_TRY(asp_result_create(run->context, result, &run->scene, run->world, &run->writer));
  asp_run_summary_start(&run->outcome->summary, run->world);
  return ASP_OK;
}

static AspError make_steps(SceneRun *run) {
  AspRunSummary *summary = &run->outcome->summary;
  while (!asp_world_at_end(run->world)) {
    AspStepInfo info;
    if (asp_stop_is_asked(run->context))
      return ASP_ERROR_INTERRUPTED;
    ASP_TRY(asp_world_step(run->world, &info));
    asp_run_summary_add(summary, &info);
    asp_probes_update(run->probes, run->world);
    if (run->writer)
      ASP_TRY(asp_result_append(run->writer, run->world, &info));
  }
  return ASP_OK;
}

static AspError end_result(SceneRun *run, AspError error) {
  AspResultWriter *writer = run->writer;
  run->writer = NULL;
  AspError closed = writer ? asp_result_close(writer, run->world) : ASP_OK;
  return error == ASP_OK ? closed : error;
}

/* ---- what came of it ---- */

static AspError evaluate(SceneRun *run) {
  const AspStudy *study = run->study;
  StudyOutcome *outcome = run->outcome;
  AspInput *value = asp_allocate(run->context, (size_t)study->variable_count + 1, sizeof *value);
  if (!value)
    return ASP_ERROR_MEMORY;
  StudyReading reading = {&run->scene, run->probes, &outcome->summary, outcome->wall, asp_world_stopped(run->world)};
  asp_study_read_values(study, &reading, value);
  double t = outcome->summary.time;
  for (int i = 0; i < study->output_count; i++)
    outcome->output[i] = asp_expression_evaluate_with(study->output[i].expression, t, value).value;
  if (study->search.expression)
    outcome->verdict = asp_expression_evaluate_with(study->search.expression, t, value).value;
  asp_release(run->context, value);
  return ASP_OK;
}

/* Exit code 1: which steps missed what. */
static void judge(SceneRun *run) {
  StudyOutcome *outcome = run->outcome;
  const AspRunSummary *summary = &outcome->summary;
  const AspAccuracy *accuracy = asp_world_accuracy(run->world);
  bool inaccurate = accuracy && (!(accuracy->share <= 1) || !isnan(accuracy->lost_at));
  if (!summary->steps_uncertified && !summary->steps_unresolved && !inaccurate)
    return;
  outcome->exit_code = 1;
  snprintf(outcome->message, sizeof outcome->message, "%lld of %lld steps not certified, %lld not resolved%s",
           (long long)summary->steps_uncertified, (long long)summary->steps, (long long)summary->steps_unresolved,
           inaccurate ? ", accuracy not kept" : "");
}

AspError asp_study_run_scene(const AspStudy *study, int64_t point, double searched, const char *result,
                             StudyOutcome *outcome) {
  SceneRun run = {.study = study, .context = study->context, .outcome = outcome};
  double began = asp_clock_seconds();
  outcome->exit_code = 0;
  *outcome->message = '\0';
  outcome->verdict = NAN;
  outcome->summary = (AspRunSummary){0};
  AspError error = start(&run, point, searched, result);
  if (error == ASP_OK)
    error = make_steps(&run);
  if (run.world)
    error = end_result(&run, error);
  outcome->wall = asp_clock_seconds() - began;
  if (error == ASP_OK || error == ASP_ERROR_IMPOSSIBLE)
    judge(&run);
  if (error != ASP_OK && error != ASP_ERROR_INTERRUPTED) {
    outcome->exit_code = asp_error_exit_code(error);
    const char *message = asp_context_message(run.context);
    snprintf(outcome->message, sizeof outcome->message, "%s", *message ? message : asp_error_name(error));
  }
  AspError fatal = error == ASP_ERROR_INTERRUPTED ? error : ASP_OK;
  if (fatal == ASP_OK && outcome->exit_code <= 1 && run.probes)
    fatal = evaluate(&run);
  outcome->runs++;
  asp_probes_destroy(run.probes);
  asp_world_destroy(run.world);
  asp_scene_destroy(run.context, &run.scene);
  return fatal;
}
