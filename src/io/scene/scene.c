/* Scenes: from a JSON file to a model and run options. All mistakes are collected; a scene with any is refused whole.
 * Equations and conventions: docs/reference/scene.md. The parts are in body.c, joint.c, ...
 */
#include "io/file/json.h"
#include "io/file/text_file.h"
#include "io/import/scene_file.h"
#include "io/scene/build.h"
#include "io/scene/parameters.h"
#include "io/scene/table.h"
#include "linalg/vec3.h"

#include <math.h>

static const cJSON *member(const cJSON *json, SceneTopKey key) {
  return cJSON_GetObjectItemCaseSensitive(json, asp_scene_top.keys[key].key);
}

/* Vectors have two or three numbers: the dimension must be known before anything is checked. A mistake in it is noted
 * later, with the others. */
static int find_dimension(SceneReader *reader, const cJSON *json) {
  const cJSON *node = member(json, TOP_DIMENSION);
  double value = cJSON_IsNumber(node) ? node->valuedouble : 3;
  int before = reader->mistakes.count;
  if (cJSON_IsString(node) && asp_parameters_evaluate(reader, node->valuestring, &value))
    return value == 2 ? 2 : 3;
  asp_reader_forget(reader, before);
  return value == 2 ? 2 : 3;
}

/* Every object of a list, with the reader's path on it. */
static void each(SceneBuild *build, const SceneValue *list, void (*read)(SceneBuild *, const cJSON *, int)) {
  SceneReader *reader = &build->reader;
  size_t outer = asp_reader_enter(reader, list->key->key);
  int place = 0;
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, list->node) {
    size_t mark = asp_reader_enter_index(reader, place);
    read(build, item, place++);
    asp_reader_leave(reader, mark);
  }
  asp_reader_leave(reader, outer);
}

static void read_input(SceneBuild *build, const cJSON *json, int place) {
  SceneValue values[INPUT_COUNT];
  SceneReader *reader = &build->reader;
  if (!asp_reader_object(reader, &asp_scene_input, json, values))
    return;
  if (asp_scene_names_find(&reader->parameters.names, asp_value_text(&values[INPUT_NAME])) >= 0)
    asp_reader_mistake(reader, values[INPUT_NAME].key->key, "a parameter is called %s; an input needs another name",
                       asp_reader_quote(reader, asp_value_text(&values[INPUT_NAME])));
  else
    asp_reader_accept(reader, NULL,
                      asp_model_add_input(build->model, asp_value_text(&values[INPUT_NAME]),
                                          asp_value_number(&values[INPUT_VALUE]), &place));
}

static bool has_items(const SceneValue *list) { return list->node && list->node->child; }

static void read_scene(SceneBuild *build, const cJSON *root, AspRunOptions *run, const char **name) {
  SceneReader *reader = &build->reader;
  SceneValue values[TOP_COUNT];
  if (!cJSON_IsObject(root)) {
    asp_reader_mistake(reader, NULL, "a scene is a JSON object, { ... }");
    return;
  }
  asp_scene_read_parameters(reader, member(root, TOP_PARAMETERS), member(root, TOP_EVENTS), build->settings);
  reader->dimension = find_dimension(reader, root);
  asp_scene_convert_units(reader, (cJSON *)root); // the tree is the reader's own
  bool sound = asp_reader_object(reader, &asp_scene_top, root, values);
  if (!asp_reader_accept(reader, NULL, asp_model_create(reader->context, reader->dimension, &build->model)))
    return;
  *name = asp_value_text(&values[TOP_NAME]);
  each(build, &values[TOP_INPUTS], read_input);
  asp_parameters_add_inputs(reader, build->model);
  reader->model = build->model;
  reader->variables = asp_model_variables(build->model);
  reader->inputs = asp_model_inputs(build->model);
  each(build, &values[TOP_TABLES], asp_scene_read_table);
  asp_model_set_gravity(build->model, asp_value_vector(&values[TOP_GRAVITY], vec3(0, 0, 0)));
  each(build, &values[TOP_MATERIALS], asp_scene_read_law);
  asp_scene_collect_groups(build, values[TOP_BODIES].node, values[TOP_BEAMS].node);
  each(build, &values[TOP_BODIES], asp_scene_read_body);
  each(build, &values[TOP_BEAMS], asp_scene_read_beam);
  if (sound && !has_items(&values[TOP_BODIES]) && !has_items(&values[TOP_BEAMS]))
    asp_reader_mistake(reader, values[TOP_BODIES].key->key, "%sa scene needs at least one body or beam",
                       values[TOP_BODIES].node ? "" : "missing; ");
  each(build, &values[TOP_JOINTS], asp_scene_read_joint);
  asp_scene_read_exclusions(build, &values[TOP_EXCLUDE]);
  // with a broken law, body, joint or exclusion at hand a missing pair would be a false alarm
  if (reader->mistakes.count == 0)
    asp_scene_set_pairs(build);
  each(build, &values[TOP_FORCES], asp_scene_read_force);
  each(build, &values[TOP_EVENTS], asp_scene_read_event);
  each(build, &values[TOP_STOP], asp_scene_read_stop);
  each(build, &values[TOP_PROBES], asp_scene_read_probe);
  asp_scene_add_probes(build);
  build->recorded = asp_scene_read_recorded(build, &values[TOP_OUTPUT_BODIES]);
  if (reader->mistakes.count == 0)
    asp_parameters_check_sensors(reader);
  asp_scene_read_run(reader, values[TOP_RUN].node, run);
  if (reader->mistakes.count == 0 && reader->error == ASP_OK)
    asp_reader_accept(reader, NULL, asp_model_finish(build->model));
  if (reader->mistakes.count == 0)
    asp_parameters_warn(reader);
}

/* The file's name without folders and ending. */
static char *name_of_file(AspContext *context, const char *label) {
  const char *slash = strrchr(label, '/');
  char *name = asp_copy_text(context, slash ? slash + 1 : label);
  char *dot = name ? strrchr(name, '.') : NULL;
  if (dot && dot != name)
    *dot = 0;
  return name;
}

/* Shapes borrow their geometry: it goes after the model. */
static void free_geometry(AspContext *context, AspHull **hull, int hulls, AspHeightField **field, int fields) {
  for (int i = 0; i < hulls; i++)
    asp_hull_destroy(context, hull[i]);
  for (int i = 0; i < fields; i++)
    asp_height_field_destroy(context, field[i]);
  asp_release(context, hull);
  asp_release(context, field);
}

static void free_probes(AspContext *context, AspProbe *probe, int count) {
  for (int i = 0; i < count; i++) {
    asp_release(context, probe[i].name);
    asp_release(context, probe[i].unit);
    asp_release(context, probe[i].value);
  }
  asp_release(context, probe);
}

static void free_build(SceneBuild *build) {
  SceneReader *reader = &build->reader;
  asp_scene_names_free(reader, &build->bodies);
  asp_scene_names_free(reader, &build->groups);
  asp_scene_names_free(reader, &build->laws);
  asp_scene_names_free(reader, &build->meshes);
  asp_release(build->reader.context, build->recorded);
  asp_release(reader->context, build->pose);
  asp_release(reader->context, build->centre);
  asp_release(reader->context, build->law);
  asp_release(reader->context, build->mesh);
  for (int i = 0; i < build->collider_count; i++)
    asp_release(reader->context, build->colliders[i].bodies);
  asp_release(reader->context, build->colliders);
  free_probes(reader->context, build->probe, build->probes);
  asp_scene_names_free(reader, &build->excluded);
  asp_release(reader->context, build->contact_given);
  asp_model_destroy(build->model);
  free_geometry(reader->context, build->hull, build->hulls, build->field, build->fields);
  asp_mistakes_destroy(reader->context, &reader->warnings);
  asp_mistakes_destroy(reader->context, &reader->notes);
  asp_reader_free(reader);
}

/* The caller's view of what went wrong: the first mistake as message, all of them in the list. */
static AspError conclude(AspContext *context, AspError error, AspMistakes *found, AspMistakes *mistakes) {
  if (error == ASP_OK && found->count > 0)
    error = asp_fail(context, ASP_ERROR_INPUT, "%s", found->line[0]);
  if (mistakes)
    *mistakes = *found;
  else
    asp_mistakes_destroy(context, found);
  return error;
}

AspError asp_scene_parse_set(AspContext *context, const char *text, size_t length, const char *label,
                             const AspSettings *settings, AspScene *scene, AspMistakes *mistakes) {
  *scene = (AspScene){.run = asp_run_default_options()};
  if (mistakes)
    *mistakes = (AspMistakes){0};
  SceneBuild build = {.settings = settings};
  SceneReader *reader = &build.reader;
  asp_reader_init(reader, context, label);
  cJSON *root = NULL;
  const char *name = NULL;
  scene->text = asp_allocate(context, length + 1, 1);
  if (!scene->text) {
    reader->error = ASP_ERROR_MEMORY;
  } else {
    memcpy(scene->text, text, length);
    if (asp_reader_accept(reader, NULL, asp_json_parse(context, scene->text, length, &root)))
      read_scene(&build, root, &scene->run, &name);
  }
  bool sound = reader->error == ASP_OK && reader->mistakes.count == 0;
  if (sound) {
    scene->name = name && *name ? asp_copy_text(context, name) : name_of_file(context, label);
    if (!scene->name)
      reader->error = ASP_ERROR_MEMORY;
    scene->parameter = asp_parameters_copy(reader, &scene->parameter_count);
    scene->file = asp_scene_files_copy(reader, &scene->file_count);
    scene->probe = build.probe;
    scene->probe_count = build.probes;
    build.probe = NULL;
    build.probes = 0;
    scene->model = build.model;
    scene->centre = build.centre;
    scene->recorded = build.recorded;
    build.recorded = NULL;
    scene->contact_given = build.contact_given;
    scene->hull = build.hull;
    scene->hull_count = build.hulls;
    scene->field = build.field;
    scene->field_count = build.fields;
    scene->warnings = reader->warnings;
    reader->warnings = (AspMistakes){0};
    scene->notes = reader->notes;
    reader->notes = (AspMistakes){0};
    build.model = NULL;
    build.centre = NULL;
    build.contact_given = NULL;
    build.hull = NULL;
    build.field = NULL;
    build.hulls = build.fields = 0;
  }
  cJSON_Delete(root);
  AspMistakes found = reader->mistakes;
  AspError error = reader->error;
  free_build(&build);
  if (!sound || error != ASP_OK)
    asp_scene_destroy(context, scene);
  return conclude(context, error, &found, mistakes);
}

AspError asp_scene_parse(AspContext *context, const char *text, size_t length, const char *label, AspScene *scene,
                         AspMistakes *mistakes) {
  return asp_scene_parse_set(context, text, length, label, NULL, scene, mistakes);
}

AspError asp_scene_read(AspContext *context, const char *path, AspScene *scene, AspMistakes *mistakes) {
  return asp_scene_read_set(context, path, NULL, scene, mistakes);
}

/* A robot model is read as the scene that it is translated to. */
static AspError read_model(AspContext *context, const char *path, const AspSettings *settings, AspScene *scene,
                           AspMistakes *mistakes) {
  AspImportReport report = {0};
  AspImportSettings own;
  char *text = NULL;
  AspError error = asp_import_settings(context, settings, &own);
  if (error == ASP_OK)
    error = asp_import_read(context, path, &own.options, &text, &report);
  if (error == ASP_OK)
    error = asp_scene_parse_set(context, text, strlen(text), path, &own.others, scene, mistakes);
  if (error == ASP_OK) {
    error = asp_import_tell(context, path, &report, &scene->warnings, &scene->notes);
    if (error != ASP_OK)
      asp_scene_destroy(context, scene);
  }
  asp_import_settings_free(context, &own);
  asp_import_report_destroy(context, &report);
  asp_text_destroy(context, text);
  return error;
}

/* Mistakes that come without a list are one line. */
static AspError list_message(AspContext *context, AspError error, AspMistakes *mistakes) {
  if (!mistakes || mistakes->count > 0 || (error != ASP_ERROR_FILE && error != ASP_ERROR_INPUT))
    return error;
  mistakes->line = asp_allocate(context, 1, sizeof *mistakes->line);
  char *line = mistakes->line ? asp_copy_text(context, asp_context_message(context)) : NULL;
  if (!line)
    return ASP_ERROR_MEMORY;
  mistakes->line[mistakes->count++] = line;
  return error;
}

AspError asp_scene_read_set(AspContext *context, const char *path, const AspSettings *settings, AspScene *scene,
                            AspMistakes *mistakes) {
  *scene = (AspScene){.run = asp_run_default_options()};
  if (mistakes)
    *mistakes = (AspMistakes){0};
  char *text = NULL;
  size_t length = 0;
  AspError error = asp_text_file_read(context, path, &text, &length);
  if (error == ASP_OK && asp_import_recognise(path, text, length))
    error = read_model(context, path, settings, scene, mistakes);
  else if (error == ASP_OK)
    error = asp_scene_parse_set(context, text, length, path, settings, scene, mistakes);
  asp_release(context, text);
  return list_message(context, error, mistakes);
}

void asp_scene_destroy(AspContext *context, AspScene *scene) {
  if (!scene)
    return;
  asp_release(context, scene->name);
  asp_release(context, scene->text);
  asp_release(context, scene->centre);
  asp_release(context, scene->recorded);
  asp_parameters_destroy(context, scene->parameter, scene->parameter_count);
  asp_scene_files_destroy(context, scene->file, scene->file_count);
  free_probes(context, scene->probe, scene->probe_count);
  asp_release(context, scene->contact_given);
  asp_mistakes_destroy(context, &scene->warnings);
  asp_mistakes_destroy(context, &scene->notes);
  asp_model_destroy(scene->model);
  free_geometry(context, scene->hull, scene->hull_count, scene->field, scene->field_count);
  *scene = (AspScene){.run = asp_run_default_options()};
}

void asp_mistakes_destroy(AspContext *context, AspMistakes *mistakes) {
  if (!mistakes)
    return;
  for (int i = 0; i < mistakes->count; i++)
    asp_release(context, mistakes->line[i]);
  asp_release(context, mistakes->line);
  *mistakes = (AspMistakes){0};
}

void asp_text_destroy(AspContext *context, char *text) { asp_release(context, text); }
