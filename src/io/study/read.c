/* A study from its file: checked against the tables of keys and against the scene that it names. All mistakes are
 * collected. */
#include "base/elementary.h"
#include "io/study/keys.h"
#include "io/study/study.h"

#include "io/file/json.h"
#include "io/file/text_file.h"
#include "io/scene/build.h"
#include "io/scene/parameters.h"

#include <math.h>
#include <stdio.h>

typedef struct StudyReader {
  SceneReader reader;
  AspStudy *study;
  SceneValue values[STUDY_KEYS];
} StudyReader;

static const char *copy(StudyReader *reading, const char *text) {
  size_t length = strlen(text ? text : "") + 1;
  char *made = asp_arena_take(&reading->study->arena, length, 1);
  if (made)
    memcpy(made, text ? text : "", length);
  else
    asp_reader_accept(&reading->reader, NULL, ASP_ERROR_MEMORY);
  return made ? made : "";
}

/* ---- parameters ---- */

/* [low, high], both given and apart; the logarithm of low exists where it is needed. */
static bool read_range(SceneReader *reader, const SceneValue *range, bool logarithmic, double *low, double *high) {
  const cJSON *first = range->node->child;
  if (!cJSON_IsNumber(first) || !cJSON_IsNumber(first->next) || !(first->valuedouble < first->next->valuedouble)) {
    asp_reader_mistake(reader, range->key->key, "expected [low, high] with low < high");
    return false;
  }
  *low = first->valuedouble;
  *high = first->next->valuedouble;
  if (!logarithmic || *low > 0)
    return true;
  asp_reader_mistake(reader, range->key->key, "low is %.15g; a scale of ratios needs low > 0", *low);
  return false;
}

static bool take_values(StudyReader *reading, StudyParameter *parameter, int64_t count) {
  parameter->count = count;
  parameter->value = asp_arena_take(&reading->study->arena, (size_t)count, sizeof *parameter->value);
  return asp_reader_accept(&reading->reader, NULL, parameter->value ? ASP_OK : ASP_ERROR_MEMORY);
}

static void read_list(StudyReader *reading, const cJSON *list, StudyParameter *parameter) {
  int count = cJSON_GetArraySize(list), i = 0;
  if (count == 0)
    asp_reader_mistake(&reading->reader, parameter->name, "the list of values is empty");
  else if (take_values(reading, parameter, count)) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, list) parameter->value[i++] = item->valuedouble;
  }
}

static void read_grid(StudyReader *reading, int64_t count, StudyParameter *parameter) {
  double low = parameter->low, high = parameter->high;
  if (!take_values(reading, parameter, count))
    return;
  for (int64_t i = 0; i < count; i++) {
    double x = (double)i / (double)(count - 1);
    parameter->value[i] = i == 0                   ? low
                          : i == count - 1         ? high
                          : parameter->logarithmic ? low * asp_pow(high / low, x)
                                                   : low + (high - low) * x;
  }
}

static void read_varied(StudyReader *reading, const cJSON *json, StudyParameter *parameter) {
  SceneReader *reader = &reading->reader;
  SceneValue values[VARIED_KEYS];
  size_t mark = asp_reader_enter(reader, parameter->name);
  bool sound = asp_reader_object(reader, &asp_study_parameter_object, json, values);
  bool list = values[VARIED_VALUES].node, range = values[VARIED_RANGE].node;
  parameter->logarithmic = sound && asp_value_choice(&values[VARIED_SCALE]) == 1;
  if (sound && list == range)
    asp_reader_mistake(reader, NULL, "give either values, a list, or range, from low to high");
  else if (sound && list && values[VARIED_COUNT].node)
    asp_reader_mistake(reader, "count", "a list of values has its own count; remove the key");
  else if (sound && list)
    read_list(reading, values[VARIED_VALUES].node, parameter);
  else if (sound &&
           read_range(reader, &values[VARIED_RANGE], parameter->logarithmic, &parameter->low, &parameter->high)) {
    if (values[VARIED_COUNT].node)
      read_grid(reading, (int64_t)asp_value_number(&values[VARIED_COUNT]), parameter);
    else
      parameter->sampled = reading->study->sampled_count++;
  }
  asp_reader_leave(reader, mark);
}

static void read_parameter(StudyReader *reading, const cJSON *json, StudyParameter *parameter) {
  SceneReader *reader = &reading->reader;
  *parameter = (StudyParameter){.name = copy(reading, json->string), .unit = ""};
  if (cJSON_IsObject(json)) {
    read_varied(reading, json, parameter);
    return;
  }
  double value = json->valuedouble;
  size_t mark = asp_reader_enter(reader, json->string);
  bool sound = cJSON_IsNumber(json);
  if (cJSON_IsString(json))
    sound = asp_parameters_evaluate(reader, json->valuestring, &value);
  else if (!sound)
    asp_reader_mistake(reader, NULL, "expected a number, an expression, or an object with values or range");
  if (sound && take_values(reading, parameter, 1))
    *parameter->value = value;
  asp_reader_leave(reader, mark);
}

static void read_parameters(StudyReader *reading, const cJSON *json) {
  AspStudy *study = reading->study;
  int count = json ? cJSON_GetArraySize(json) : 0;
  study->parameter = asp_arena_take(&study->arena, (size_t)count + 1, sizeof *study->parameter);
  if (!asp_reader_accept(&reading->reader, NULL, study->parameter ? ASP_OK : ASP_ERROR_MEMORY) || !json)
    return;
  size_t mark = asp_reader_enter(&reading->reader, "parameters");
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, json) {
    for (int i = 0; i < study->parameter_count; i++)
      if (strcmp(study->parameter[i].name, item->string) == 0)
        asp_reader_mistake(&reading->reader, item->string, "this parameter is given twice");
    read_parameter(reading, item, &study->parameter[study->parameter_count++]);
  }
  asp_reader_leave(&reading->reader, mark);
}

static void read_sample(StudyReader *reading, const cJSON *json) {
  SceneReader *reader = &reading->reader;
  AspStudy *study = reading->study;
  SceneValue values[SAMPLE_KEYS];
  size_t mark = asp_reader_enter(reader, "sample");
  if (!json && study->sampled_count)
    asp_reader_mistake(reader, NULL,
                       "missing; it says how many samples the ranges without count get: {\"count\": 100}");
  else if (json && asp_reader_object(reader, &asp_study_sample_object, json, values)) {
    study->sample_count = (int64_t)asp_value_number(&values[SAMPLE_COUNT]);
    if (!study->sampled_count)
      asp_reader_mistake(reader, NULL, "no parameter has a range without count to be sampled; remove the key");
    else
      asp_reader_accept(reader, NULL,
                        asp_study_sample(study, (StudySampling)asp_value_choice(&values[SAMPLE_METHOD]),
                                         (uint64_t)asp_value_number(&values[SAMPLE_SEED])));
  }
  asp_reader_leave(reader, mark);
}

/* ---- the scene, at the first point ---- */

/* An option of the run by "run.KEY"; NULL, with the mistake noted, where there is none that is a number. */
static const AspField *find_option(SceneReader *reader, const char *name) {
  const AspField *field = asp_field_find(asp_run_fields(), asp_run_field_count(), name + strlen("run."));
  if (!field)
    asp_reader_mistake(reader, NULL, "the run has no option %s; docs/reference/scene.md#run lists them",
                       asp_reader_quote(reader, name + strlen("run.")));
  else if (field->type == ASP_FIELD_REAL || field->type == ASP_FIELD_INTEGER)
    return field;
  else
    asp_reader_mistake(reader, NULL, "%s is not a number; give it under run", asp_reader_quote(reader, name));
  return NULL;
}

/* The scene must have the parameter; *field where it is an option of the run instead. */
static void check_name(StudyReader *reading, const char *name, const AspField **field, const char **unit) {
  SceneReader *reader = &reading->reader;
  const AspScene *scene = &reading->study->scene;
  if (strncmp(name, "run.", 4) == 0) {
    *field = find_option(reader, name);
    if (*field)
      *unit = (*field)->unit;
    return;
  }
  const char **names = asp_reader_take(reader, (size_t)scene->parameter_count + 1, sizeof *names);
  for (int i = 0; names && i < scene->parameter_count; i++) {
    names[i] = scene->parameter[i].name;
    if (strcmp(names[i], name) == 0) {
      *unit = copy(reading, scene->parameter[i].unit);
      return;
    }
  }
  if (names)
    asp_reader_mistake(reader, NULL, "the scene has no parameter %s%s", asp_reader_quote(reader, name),
                       asp_reader_suggestion(reader, name, names, scene->parameter_count));
}

static bool read_scene(StudyReader *reading) {
  SceneReader *reader = &reading->reader;
  AspStudy *study = reading->study;
  const char *given = asp_value_text(&reading->values[STUDY_SCENE]);
  if (!given)
    return false;
  study->scene_path = copy(reading, asp_reader_file(reader, given));
  AspMistakes mistakes = {0};
  AspError error = asp_scene_read_set(reader->context, study->scene_path, NULL, &study->scene, &mistakes);
  if (error == ASP_OK)
    return true;
  for (int i = 0; i < mistakes.count && i < 5; i++)
    asp_reader_mistake(reader, "scene", "%s", mistakes.line[i]);
  if (mistakes.count == 0)
    asp_reader_accept(reader, "scene", error);
  asp_mistakes_destroy(reader->context, &mistakes);
  return false;
}

static void check_parameters(StudyReader *reading) {
  AspStudy *study = reading->study;
  SceneReader *reader = &reading->reader;
  size_t outer = asp_reader_enter(reader, "parameters");
  for (int i = 0; i < study->parameter_count; i++) {
    StudyParameter *parameter = &study->parameter[i];
    size_t mark = asp_reader_enter(reader, parameter->name);
    check_name(reading, parameter->name, &parameter->field, &parameter->unit);
    asp_reader_leave(reader, mark);
  }
  asp_reader_leave(reader, outer);
}

/* ---- outputs and search ---- */

static AspExpression *read_expression(StudyReader *reading, const char *key, const char *text) {
  AspExpression *expression = NULL;
  AspVariables variables = asp_study_variables(reading->study);
  AspError error = asp_expression_parse_with(reading->reader.context, text, &variables, &expression);
  if (error == ASP_ERROR_INPUT && strstr(asp_context_message(reading->reader.context), "is not known"))
    asp_reader_mistake(&reading->reader, key,
                       "%s (names are parameters, probes and quantities of the state such as box.y, each of the latter "
                       "also with .min or .max, and run.steps, run.energy_final, ...)",
                       asp_context_message(reading->reader.context));
  else
    asp_reader_accept(&reading->reader, key, error);
  return expression;
}

static bool good_title(const char *name) {
  for (const char *c = name; *c; c++)
    if ((unsigned char)*c < 0x20 || *c == '"' || *c == ',' || *c == '/')
      return false;
  return *name != '\0';
}

static void read_output(StudyReader *reading, const cJSON *json, StudyOutput *output) {
  SceneReader *reader = &reading->reader;
  AspStudy *study = reading->study;
  SceneValue values[OUTPUT_KEYS] = {0};
  const cJSON *node = json;
  *output = (StudyOutput){.name = copy(reading, json->string), .unit = "", .text = ""};
  size_t mark = asp_reader_enter(reader, json->string);
  if (!good_title(json->string))
    asp_reader_mistake(reader, NULL, "a name has no commas, quotes or slashes, and is not empty");
  for (int c = 0; c < asp_study_column_count(study); c++)
    if (strcmp(asp_study_column_title(study, c), json->string) == 0)
      asp_reader_mistake(reader, NULL, "another column of the table is called %s",
                         asp_reader_quote(reader, json->string));
  if (cJSON_IsObject(json)) {
    node = asp_reader_object(reader, &asp_study_output_object, json, values) ? values[OUTPUT_VALUE].node : NULL;
    if (node && values[OUTPUT_UNIT].node)
      output->unit = copy(reading, asp_value_text(&values[OUTPUT_UNIT]));
  } else if (!cJSON_IsString(json) && !cJSON_IsNumber(json)) {
    asp_reader_mistake(reader, NULL, "expected an expression such as \"block.y\", or an object with the key value");
    node = NULL;
  }
  if (node) {
    output->text = cJSON_IsString(node) ? copy(reading, node->valuestring)
                                        : copy(reading, asp_reader_text(reader, "%.17g", node->valuedouble));
    output->expression = read_expression(reading, NULL, output->text);
  }
  asp_reader_leave(reader, mark);
}

static void read_outputs(StudyReader *reading, const cJSON *json) {
  AspStudy *study = reading->study;
  int count = json ? cJSON_GetArraySize(json) : 0;
  study->output = asp_arena_take(&study->arena, (size_t)count + 1, sizeof *study->output);
  if (!asp_reader_accept(&reading->reader, NULL, study->output ? ASP_OK : ASP_ERROR_MEMORY) || !json)
    return;
  size_t mark = asp_reader_enter(&reading->reader, "outputs");
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, json) {
    StudyOutput output;
    read_output(reading, item, &output);
    study->output[study->output_count++] = output;
  }
  asp_reader_leave(&reading->reader, mark);
}

/* The search's own keys, before the scene is known. */
static void read_search(StudyReader *reading, const cJSON *json, SceneValue values[SEARCH_KEYS]) {
  SceneReader *reader = &reading->reader;
  AspStudy *study = reading->study;
  StudySearch *search = &study->search;
  size_t mark = asp_reader_enter(reader, "search");
  if (asp_reader_object(reader, &asp_study_search_object, json, values) &&
      read_range(reader, &values[SEARCH_RANGE], false, &search->low, &search->high)) {
    search->method = (StudySearching)asp_value_choice(&values[SEARCH_METHOD]);
    search->parameter = copy(reading, asp_value_text(&values[SEARCH_PARAMETER]));
    search->unit = "";
    search->title[0] = search->parameter;
    search->title[1] = copy(reading, asp_reader_text(reader, "%s.low", search->parameter));
    search->title[2] = copy(reading, asp_reader_text(reader, "%s.high", search->parameter));
    search->title[3] = "runs";
    search->tolerance = values[SEARCH_TOLERANCE].node ? asp_value_number(&values[SEARCH_TOLERANCE])
                                                      : 1e-6 * (search->high - search->low);
    bool least = values[SEARCH_MINIMIZE].node, largest = values[SEARCH_MAXIMIZE].node;
    search->sign = largest ? -1 : 1;
    if (search->method == SEARCH_GOLDEN && least == largest)
      asp_reader_mistake(reader, NULL, "give either minimize or maximize, with an expression");
    for (int i = 0; i < study->parameter_count; i++)
      if (strcmp(study->parameter[i].name, search->parameter) == 0)
        asp_reader_mistake(reader, "parameter", "%s has values under parameters, too; remove one of them",
                           asp_reader_quote(reader, search->parameter));
  }
  asp_reader_leave(reader, mark);
}

static void check_search(StudyReader *reading, const SceneValue values[SEARCH_KEYS]) {
  SceneReader *reader = &reading->reader;
  StudySearch *search = &reading->study->search;
  const AspField *field = NULL;
  size_t outer = asp_reader_enter(reader, "search"), mark = asp_reader_enter(reader, "parameter");
  check_name(reading, search->parameter, &field, &search->unit);
  asp_reader_leave(reader, mark);
  int key = search->method == SEARCH_BISECTION ? SEARCH_WHEN : search->sign < 0 ? SEARCH_MAXIMIZE : SEARCH_MINIMIZE;
  if (values[key].node) {
    search->text = copy(reading, asp_value_text(&values[key]));
    search->expression = read_expression(reading, values[key].key->key, search->text);
  }
  asp_reader_leave(reader, outer);
}

/* ---- options of the run ---- */

static void read_run(StudyReader *reading, const cJSON *json) {
  AspStudy *study = reading->study;
  const AspField *fields = asp_run_fields();
  int count = asp_run_field_count();
  study->run = asp_run_default_options();
  study->run_given = asp_arena_take(&study->arena, (size_t)count, sizeof *study->run_given);
  if (!asp_reader_accept(&reading->reader, NULL, study->run_given ? ASP_OK : ASP_ERROR_MEMORY) || !json)
    return;
  for (int i = 0; i < count; i++) {
    const char *dot = strchr(fields[i].key, '.');
    char name[64];
    snprintf(name, sizeof name, "%.*s", dot ? (int)(dot - fields[i].key) : 60, fields[i].key);
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(json, name);
    study->run_given[i] = (dot ? cJSON_GetObjectItemCaseSensitive(node, dot + 1) : node) != NULL;
  }
  asp_scene_read_run(&reading->reader, json, &study->run);
}

/* ---- the whole ---- */

static uint64_t hash_json(uint64_t hash, const cJSON *json) {
  char *text = json ? cJSON_PrintUnformatted(json) : NULL;
  hash = asp_hash_bytes(hash, text ? text : "", text ? strlen(text) + 1 : 1);
  cJSON_free(text);
  return hash;
}

/* All that every row depends on besides its own parameters. */
static void hash_study(AspStudy *study, const cJSON *root) {
  uint64_t hash = asp_hash_bytes(ASP_HASH_START, study->scene.text, strlen(study->scene.text) + 1);
  for (int i = 0; i < study->scene.file_count; i++)
    hash = asp_hash_bytes(hash, study->scene.file[i].hash, sizeof study->scene.file[i].hash);
  static const StudyTopKey parts[] = {STUDY_OUTPUTS, STUDY_SEARCH, STUDY_RESULTS, STUDY_RUN};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    hash = hash_json(hash, cJSON_GetObjectItemCaseSensitive(root, asp_study_top.keys[parts[i]].key));
  study->hash = hash;
}

static void read_study(StudyReader *reading, const cJSON *root) {
  SceneReader *reader = &reading->reader;
  AspStudy *study = reading->study;
  SceneValue search[SEARCH_KEYS] = {0}, *values = reading->values;
  if (!cJSON_IsObject(root)) {
    asp_reader_mistake(reader, NULL, "a study is a JSON object, { ... }");
    return;
  }
  asp_scene_read_parameters(reader, NULL, NULL, NULL); // numbers may be texts: "pi/6"
  asp_reader_object(reader, &asp_study_top, root, values);
  study->name = copy(reading, values[STUDY_NAME].node ? asp_value_text(&values[STUDY_NAME]) : "");
  study->description = copy(reading, values[STUDY_DESCRIPTION].node ? asp_value_text(&values[STUDY_DESCRIPTION]) : "");
  study->keep_results = !values[STUDY_RESULTS].wrong && asp_value_choice(&values[STUDY_RESULTS]) == 1;
  read_parameters(reading, values[STUDY_PARAMETERS].node);
  read_sample(reading, values[STUDY_SAMPLE].node);
  if (values[STUDY_SEARCH].node)
    read_search(reading, values[STUDY_SEARCH].node, search);
  read_run(reading, values[STUDY_RUN].node);
  study->points = asp_study_size(study);
  if (study->points < 0)
    asp_reader_mistake(reader, "parameters", "more than 10,000,000 points; take fewer values, or samples");
  if (reader->error != ASP_OK || !read_scene(reading))
    return;
  check_parameters(reading);
  if (values[STUDY_OUTPUTS].node && !values[STUDY_OUTPUTS].node->child)
    asp_reader_mistake(reader, "outputs", "at least one output is needed");
  read_outputs(reading, values[STUDY_OUTPUTS].node);
  if (study->search.method != SEARCH_NONE)
    check_search(reading, search);
  hash_study(study, root);
}

/* The file's name without folder and ending. */
static const char *name_of_file(StudyReader *reading, const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  return copy(reading, asp_reader_text(&reading->reader, "%.*s", (int)(dot && dot > name ? dot - name : 200), name));
}

static AspError parse(StudyReader *reading, const char *path, size_t length, AspMistakes *mistakes) {
  SceneReader *reader = &reading->reader;
  AspStudy *study = reading->study;
  cJSON *root = NULL;
  asp_reader_init(reader, study->context, path);
  reader->dimension = 3;
  if (asp_reader_accept(reader, NULL, asp_json_parse(study->context, study->text, length, &root)))
    read_study(reading, root);
  if (reader->error == ASP_OK && reader->mistakes.count == 0 && !*study->name)
    study->name = name_of_file(reading, path);
  cJSON_Delete(root);
  AspError error = reader->error;
  AspMistakes found = reader->mistakes;
  asp_mistakes_destroy(study->context, &reader->warnings);
  asp_mistakes_destroy(study->context, &reader->notes);
  asp_reader_free(reader);
  if (error == ASP_OK && found.count > 0)
    error = asp_fail(study->context, ASP_ERROR_INPUT, "%s", found.line[0]);
  if (mistakes)
    *mistakes = found;
  else
    asp_mistakes_destroy(study->context, &found);
  return error;
}

AspError asp_study_read(AspContext *context, const char *path, AspStudy **out, AspMistakes *mistakes) {
  *out = NULL;
  if (mistakes)
    *mistakes = (AspMistakes){0};
  AspStudy *study = asp_allocate(context, 1, sizeof *study);
  if (!study)
    return ASP_ERROR_MEMORY;
  *study = (AspStudy){.context = context, .search.method = SEARCH_NONE};
  asp_arena_init(&study->arena, context);
  StudyReader reading = {.study = study};
  size_t length = 0;
  AspError error = asp_text_file_read(context, path, &study->text, &length);
  if (error == ASP_OK)
    error = parse(&reading, path, length, mistakes);
  if (error == ASP_OK)
    *out = study;
  else
    asp_study_destroy(study);
  return error;
}

void asp_study_destroy(AspStudy *study) {
  if (!study)
    return;
  AspContext *context = study->context;
  for (int i = 0; i < study->output_count; i++)
    asp_expression_destroy(context, study->output[i].expression);
  asp_expression_destroy(context, study->search.expression);
  asp_scene_destroy(context, &study->scene);
  asp_release(context, study->variable);
  asp_release(context, study->sample);
  asp_release(context, study->text);
  asp_arena_free(&study->arena);
  asp_release(context, study);
}

bool asp_study_recognise(AspContext *context, const char *path) {
  char *text = NULL;
  size_t length = 0;
  cJSON *root = NULL;
  bool study = asp_text_file_read(context, path, &text, &length) == ASP_OK && strstr(text, "\"scene\"") &&
               asp_json_parse(context, text, length, &root) == ASP_OK &&
               cJSON_GetObjectItemCaseSensitive(root, asp_study_top.keys[STUDY_SCENE].key) != NULL;
  cJSON_Delete(root);
  asp_release(context, text);
  return study;
}
