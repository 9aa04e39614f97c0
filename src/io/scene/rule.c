/* Events and stop conditions: expressions with parameters by their values, given to the model. */
#include "io/scene/build.h"
#include "io/scene/parameters.h"

void asp_scene_read_stop(SceneBuild *build, const cJSON *json, int place) {
  SceneReader *reader = &build->reader;
  SceneValue values[STOP_COUNT];
  if (!asp_reader_object(reader, &asp_scene_stop, json, values))
    return;
  asp_reader_accept(reader, NULL,
                    asp_model_add_stop(build->model, asp_value_expression(reader, &values[STOP_WHEN], -1),
                                       asp_value_text(&values[STOP_MESSAGE]), &place));
}

/* False: noted. */
static bool check_input(SceneReader *reader, const char *name) {
  const AspModel *model = reader->model;
  int input = asp_model_find_input(model, name), count = 0;
  if (input >= 0 && !asp_model_is_sensor(model, input))
    return true;
  if (asp_scene_names_find(&reader->parameters.names, name) >= 0)
    return false; // a parameter with a mistake of its own
  const char **names = asp_reader_take(reader, (size_t)asp_model_input_count(model) + 1, sizeof *names);
  for (int i = 0; names && i < asp_model_input_count(model); i++)
    if (!asp_model_is_sensor(model, i))
      names[count++] = asp_model_input_name(model, i);
  const char *near = names ? asp_reader_suggestion(reader, name, names, count) : "";
  asp_reader_mistake(reader, NULL, "not an input or parameter of the scene%s",
                     *near ? near : "; declare it under inputs");
  return false;
}

/* Names and expressions of what an event sets; false: a mistake, noted. */
static bool read_sets(SceneReader *reader, const SceneValue *set, const char **input, const char **value) {
  static const SceneKey number = {.key = "value", .type = SCENE_EXPRESSION};
  bool sound = true;
  int count = 0;
  const cJSON *item = NULL;
  size_t mark = asp_reader_enter(reader, set->key->key);
  cJSON_ArrayForEach(item, set->node) {
    size_t inner = asp_reader_enter(reader, item->string);
    SceneValue one = {.key = &number, .node = item};
    sound = check_input(reader, item->string) && sound;
    sound = asp_reader_check(reader, &number, item) && sound;
    if (cJSON_IsNumber(item))
      sound = asp_parameters_may_become(reader, item->string, item->valuedouble) && sound;
    input[count] = item->string;
    value[count++] = sound ? asp_value_expression(reader, &one, -1) : NULL;
    asp_reader_leave(reader, inner);
  }
  asp_reader_leave(reader, mark);
  return sound;
}

void asp_scene_read_event(SceneBuild *build, const cJSON *json, int place) {
  SceneReader *reader = &build->reader;
  SceneValue values[EVENT_COUNT];
  if (!asp_reader_object(reader, &asp_scene_event, json, values))
    return;
  AspEventDef def = asp_event_default();
  def.set_count = values[EVENT_SET].node ? cJSON_GetArraySize(values[EVENT_SET].node) : 0;
  def.activate = asp_value_text(&values[EVENT_ACTIVATE]);
  def.release = asp_value_text(&values[EVENT_RELEASE]);
  const char **input = asp_reader_take(reader, (size_t)def.set_count + 1, sizeof *input),
             **value = asp_reader_take(reader, (size_t)def.set_count + 1, sizeof *value);
  if (!input || !value || (def.set_count > 0 && !read_sets(reader, &values[EVENT_SET], input, value)))
    return;
  const char *name = asp_value_text(&values[EVENT_NAME]);
  def.name = name && *name ? name : asp_reader_text(reader, "event%d", place);
  def.when = asp_value_expression(reader, &values[EVENT_WHEN], -1);
  def.input = input;
  def.value = value;
  def.once = asp_value_flag(&values[EVENT_ONCE]);
  asp_reader_accept(reader, NULL, asp_model_add_event(build->model, &def, &place));
}
