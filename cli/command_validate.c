/* asperity validate: read scenes and studies, name every mistake of every file. */
#include "arguments.h"
#include "json.h"
#include "scene_flags.h"
#include "terminal.h"

#include "asperity/study.h"

#include <stdio.h>

/* What reading one file gave; `scene` and `world` hold something only where error is ASP_OK, and the file no study. */
typedef struct Verdict {
  AspError error;
  int64_t points; /* of a study; 0: a scene */
  AspScene scene;
  AspWorld *world; /* at the start: its warnings */
  AspMistakes mistakes;
  AspMistakes notes;  /* what is left to a default that matters */
  char message[1280]; /* where there is no list of mistakes */
} Verdict;

/* A scene is valid when it reads and a world can be made of it: some combinations of model and scheme
 * exist only there. */
static Verdict judge_scene(AspContext *context, const char *path, const AspSettings *settings) {
  Verdict verdict = {0};
  verdict.error = asp_scene_read_set(context, path, settings, &verdict.scene, &verdict.mistakes);
  if (verdict.error != ASP_OK) {
    snprintf(verdict.message, sizeof verdict.message, "%s", asp_context_message(context));
    return verdict;
  }
  verdict.error = asp_world_create(context, verdict.scene.model, &verdict.scene.run, &verdict.world);
  if (verdict.error == ASP_OK)
    verdict.error = asp_scene_notes(context, &verdict.scene, path, &verdict.notes);
  if (verdict.error != ASP_OK) {
    snprintf(verdict.message, sizeof verdict.message, "%s: %s", path, asp_context_message(context));
    asp_scene_destroy(context, &verdict.scene);
  }
  return verdict;
}

static Verdict judge_study(AspContext *context, const char *path) {
  Verdict verdict = {0};
  AspStudy *study = NULL;
  verdict.error = asp_study_read(context, path, &study, &verdict.mistakes);
  if (verdict.error != ASP_OK)
    snprintf(verdict.message, sizeof verdict.message, "%s", asp_context_message(context));
  else
    verdict.points = asp_study_point_count(study);
  asp_study_destroy(study);
  return verdict;
}

static void release_verdict(AspContext *context, Verdict *verdict) {
  asp_world_destroy(verdict->world);
  if (verdict->error == ASP_OK)
    asp_scene_destroy(context, &verdict->scene);
  asp_mistakes_destroy(context, &verdict->mistakes);
  asp_mistakes_destroy(context, &verdict->notes);
}

static void print_verdict(const Session *session, const char *path, const Verdict *verdict) {
  const AspMistakes *mistakes = &verdict->mistakes;
  if (verdict->error == ASP_OK && verdict->points) {
    if (!session->quiet)
      printf("%s: %svalid%s study, points: %lld\n", path, terminal_style(stdout, STYLE_GOOD),
             terminal_style(stdout, STYLE_PLAIN), (long long)verdict->points);
    return;
  }
  if (verdict->error == ASP_OK) {
    const AspModel *model = verdict->scene.model;
    for (int i = 0; i < verdict->scene.warnings.count; i++)
      fprintf(stderr, "warning: %s\n", verdict->scene.warnings.line[i]);
    for (int i = 0; i < asp_world_warning_count(verdict->world); i++)
      fprintf(stderr, "warning: %s\n", asp_world_warning(verdict->world, i));
    for (int i = 0; i < verdict->notes.count; i++)
      fprintf(stderr, "note: %s\n", verdict->notes.line[i]);
    if (!session->quiet)
      printf("%s: %svalid%s, %dD, bodies: %d, joints: %d, forces: %d\n", path, terminal_style(stdout, STYLE_GOOD),
             terminal_style(stdout, STYLE_PLAIN), asp_model_dimension(model), asp_model_body_count(model),
             asp_model_joint_count(model), asp_model_force_count(model));
    return;
  }
  for (int i = 0; i < mistakes->count; i++)
    fprintf(stderr, "%s\n", mistakes->line[i]);
  if (mistakes->count == 0)
    fprintf(stderr, "%s\n", verdict->message);
}

static void write_verdict(Json *json, const char *path, const Verdict *verdict) {
  const AspMistakes *mistakes = &verdict->mistakes;
  json_object(json, NULL);
  json_text(json, "file", path);
  json_flag(json, "valid", verdict->error == ASP_OK);
  json_array(json, "mistakes");
  for (int i = 0; i < mistakes->count; i++)
    json_text(json, NULL, mistakes->line[i]);
  if (verdict->error != ASP_OK && mistakes->count == 0)
    json_text(json, NULL, verdict->message);
  json_end(json);
  json_array(json, "warnings");
  for (int i = 0; verdict->error == ASP_OK && i < verdict->scene.warnings.count; i++)
    json_text(json, NULL, verdict->scene.warnings.line[i]);
  for (int i = 0; verdict->world && i < asp_world_warning_count(verdict->world); i++)
    json_text(json, NULL, asp_world_warning(verdict->world, i));
  json_end(json);
  json_array(json, "notes");
  for (int i = 0; i < verdict->notes.count; i++)
    json_text(json, NULL, verdict->notes.line[i]);
  json_end(json);
  json_end(json);
}

static int validate(Session *session, int count, char **words) {
  FlagList set = {0};
  const Flag flags[] = {SET_FLAG(&set)};
  Arguments arguments = {.flags = flags, .flag_count = 1, .least = 1, .most = -1};
  int code = EXIT_DONE, invalid = 0;
  if (!arguments_read(&arguments, session, count, words, &code))
    return code;
  const AspSettings settings = settings_of(&set);
  Json json = {0};
  if (session->json) {
    json = json_start(stdout);
    json_array(&json, "files");
  }
  for (int i = 0; i < arguments.word_count; i++) {
    bool study = asp_study_recognise(session->context, arguments.words[i]);
    Verdict verdict = study ? judge_study(session->context, arguments.words[i])
                            : judge_scene(session->context, arguments.words[i], &settings);
    int verdict_code = exit_code_of(verdict.error);
    if (session->json)
      write_verdict(&json, arguments.words[i], &verdict);
    else
      print_verdict(session, arguments.words[i], &verdict);
    invalid += verdict.error != ASP_OK;
    code = verdict_code > code ? verdict_code : code;
    release_verdict(session->context, &verdict);
  }
  if (session->json) {
    json_end(&json);
    json_integer(&json, "invalid", invalid);
    json_finish(&json);
  }
  return code;
}

const Command command_validate = {
    .name = "validate",
    .arguments = "FILE.json ...",
    .summary = "check scenes and studies, name every mistake",
    .details =
        "Reads every file, a scene or a study, and prints one line per mistake, with the file, the key and what would "
        "be right.\n"
        "Warns of bodies that overlap deeply at the start, with both names and the depth.\n"
        "Notes joints that do not say whether their bodies touch each other, where these have shapes that could.\n"
        "Ends with 0 when all are valid, with 2 otherwise.",
    .examples = "  asperity validate scenes/*.json          check all scenes of a folder\n"
                "  asperity validate --json my-scene.json   the mistakes as JSON",
    .run = validate,
};
