/* The run object: its tables of keys made from the option fields, its values set through them. */
#include "io/scene/build.h"

#include <stdio.h>

/* How a field of the options is written in a scene. */
static SceneKey key_of_field(const AspField *field, const char *name) {
  static const SceneType types[] = {[ASP_FIELD_REAL] = SCENE_NUMBER,
                                    [ASP_FIELD_INTEGER] = SCENE_INTEGER,
                                    [ASP_FIELD_FLAG] = SCENE_FLAG,
                                    [ASP_FIELD_CHOICE] = SCENE_CHOICE};
  SceneKey key = {.key = name,
                  .type = types[field->type],
                  .initial = field->initial,
                  .choices = field->choices,
                  .field = field,
                  .unit = *field->unit ? field->unit : NULL,
                  .text = field->text};
  if (field->type == ASP_FIELD_CHOICE)
    key.initial_text = field->choices[(int)field->initial];
  else if (field->type != ASP_FIELD_FLAG)
    key.range = (SceneRange){field->low, field->high, false};
  return key;
}

/* Room for an object with as many keys as there are fields. */
static SceneObject *new_object(AspArena *arena, const char *name, const char *text, int capacity) {
  SceneObject *object = ASP_TAKE(arena, SceneObject, 1);
  SceneKey *keys = ASP_TAKE(arena, SceneKey, capacity);
  if (!object || !keys)
    return NULL;
  *object = (SceneObject){name, text, keys, 0, -1};
  return object;
}

static SceneKey *add_key(SceneObject *object, SceneKey key) {
  SceneKey *place = (SceneKey *)&object->keys[object->count++]; // ours: taken in new_object
  *place = key;
  return place;
}

/* The object of the keys before the dot, made when it is not there yet. */
static SceneObject *inner_object(AspArena *arena, SceneObject *run, const char *name, size_t length, int capacity) {
  for (int i = 0; i < run->count; i++)
    if (run->keys[i].object && strlen(run->keys[i].key) == length && memcmp(run->keys[i].key, name, length) == 0)
      return (SceneObject *)run->keys[i].object;
  char *copy = ASP_TAKE(arena, char, length + 1), *title = ASP_TAKE(arena, char, length + 5);
  if (!copy || !title)
    return NULL;
  memcpy(copy, name, length);
  snprintf(title, length + 5, "run-%s", copy);
  SceneObject *object = new_object(arena, title, "options of the run", capacity);
  if (object)
    add_key(run, (SceneKey){.key = copy,
                            .type = SCENE_OBJECT,
                            .object = object,
                            .text = "an object with the keys of its own table"});
  return object;
}

const SceneObject *asp_scene_run_object(AspArena *arena) {
  int count = asp_run_field_count();
  const AspField *fields = asp_run_fields();
  SceneObject *run = new_object(arena, "run", "how the scene is simulated", count);
  for (int i = 0; run && i < count; i++) {
    const char *dot = strchr(fields[i].key, '.');
    SceneObject *object = run;
    if (dot)
      object = inner_object(arena, run, fields[i].key, (size_t)(dot - fields[i].key), count);
    if (!object)
      return NULL;
    add_key(object, key_of_field(&fields[i], dot ? dot + 1 : fields[i].key));
  }
  return run;
}

static void set_field(SceneReader *reader, const SceneValue *value, AspRunOptions *run) {
  const AspField *field = value->key->field;
  AspError error = ASP_OK;
  if (field->type == ASP_FIELD_CHOICE)
    error = asp_field_set_text(reader->context, field, run, asp_value_text(value));
  else if (field->type == ASP_FIELD_FLAG)
    error = asp_field_set_text(reader->context, field, run, asp_value_flag(value) ? "true" : "false");
  else
    error = asp_field_set_number(reader->context, field, run, asp_value_number(value));
  asp_reader_accept(reader, value->key->key, error);
}

static void read_object(SceneReader *reader, const SceneObject *object, const cJSON *json, AspRunOptions *run) {
  SceneValue *values = asp_reader_take(reader, (size_t)object->count, sizeof *values);
  if (!values)
    return;
  asp_reader_object(reader, object, json, values);
  for (int i = 0; i < object->count; i++) {
    if (!values[i].node)
      continue;
    if (values[i].key->field) {
      set_field(reader, &values[i], run);
    } else {
      size_t mark = asp_reader_enter(reader, values[i].key->key);
      read_object(reader, values[i].key->object, values[i].node, run);
      asp_reader_leave(reader, mark);
    }
  }
}

void asp_scene_read_run(SceneReader *reader, const cJSON *json, AspRunOptions *run) {
  int before = reader->mistakes.count;
  size_t mark = asp_reader_enter(reader, asp_scene_top.keys[TOP_RUN].key);
  const SceneObject *object = asp_scene_run_object(&reader->arena);
  if (!object)
    asp_reader_accept(reader, NULL, ASP_ERROR_MEMORY);
  else if (json)
    read_object(reader, object, json, run);
  if (reader->mistakes.count == before)
    asp_reader_accept(reader, NULL, asp_run_validate(reader->context, run));
  asp_reader_leave(reader, mark);
}
