/* The JSON Schema of scenes (draft 2020-12), made from the tables of keys. Every object has a definition for scenes in
 * space and one for scenes in the plane; `dimension` chooses between them.
 *
 * cJSON's building functions return NULL when out of memory and take NULL without harm, so only the end is checked.
 */
#include "asperity/io.h"
#include "io/file/json.h"
#include "io/scene/keys.h"

#include <math.h>
#include <stdio.h>

#define MAX_OBJECTS 32

/* The definitions still to be written, each object once. */
typedef struct Schema {
  AspArena arena;
  cJSON *definitions;
  const SceneObject *objects[MAX_OBJECTS];
  int count;
  int dimension;
} Schema;

static cJSON *add_object(cJSON *parent, const char *key) { return cJSON_AddObjectToObject(parent, key); }
static void add_text(cJSON *parent, const char *key, const char *text) { cJSON_AddStringToObject(parent, key, text); }

static void add_reference(Schema *schema, cJSON *parent, const SceneObject *object) {
  int i = 0;
  while (i < schema->count && schema->objects[i] != object)
    i++;
  if (i == schema->count && i < MAX_OBJECTS)
    schema->objects[schema->count++] = object;
  char text[80];
  snprintf(text, sizeof text, schema->dimension ? "#/$defs/%s-%dd" : "#/$defs/%s", object->name, schema->dimension);
  add_text(parent, "$ref", text);
}

static void add_range(cJSON *parent, const SceneRange *range) {
  if (range->low == 0 && range->high == 0)
    return;
  if (isfinite(range->low))
    cJSON_AddNumberToObject(parent, range->above ? "exclusiveMinimum" : "minimum", range->low);
  if (isfinite(range->high))
    cJSON_AddNumberToObject(parent, "maximum", range->high);
}

/* One type, or several: a number may also be a text, an expression in parameters. */
static void add_types(cJSON *parent, const char *first, const char *second, const char *third) {
  const char *names[] = {first, second, third};
  cJSON *types = cJSON_AddArrayToObject(parent, "type");
  for (int i = 0; i < 3; i++)
    if (names[i])
      cJSON_AddItemToArray(types, cJSON_CreateString(names[i]));
}

/* The names of the choices in `bits` (0: all) that exist in this dimension. */
static void add_choices(const Schema *schema, cJSON *parent, const SceneKey *key, uint32_t bits) {
  uint32_t allowed = key->choices_in[scene_plane(schema->dimension)];
  cJSON *list = cJSON_AddArrayToObject(parent, "enum");
  for (int i = 0; key->choices && key->choices[i]; i++)
    if ((allowed == 0 || (allowed >> i & 1)) && (bits == 0 || (bits >> i & 1)))
      cJSON_AddItemToArray(list, cJSON_CreateString(key->choices[i]));
}

static void describe_value(Schema *schema, cJSON *parent, const SceneKey *key);

/* Names of the writer's choice, each with a number, an expression or an object. */
static void describe_named(Schema *schema, cJSON *parent, const SceneKey *key) {
  add_text(parent, "type", "object");
  if (!key->object) {
    add_types(add_object(parent, "additionalProperties"), "number", "string", NULL);
    return;
  }
  cJSON *either = cJSON_AddArrayToObject(add_object(parent, "additionalProperties"), "oneOf");
  cJSON *plain = cJSON_CreateObject(), *more = cJSON_CreateObject();
  add_types(plain, "number", "string", NULL);
  add_reference(schema, more, key->object);
  cJSON_AddItemToArray(either, plain);
  cJSON_AddItemToArray(either, more);
}

/* A number, or coefficients of powers. */
static void describe_factor(cJSON *parent) {
  add_types(parent, "number", "string", "array");
  add_types(add_object(parent, "items"), "number", "string", NULL);
  cJSON_AddNumberToObject(parent, "minItems", 1);
  cJSON_AddNumberToObject(parent, "maxItems", 4);
}

static void describe_item(Schema *schema, cJSON *parent, const SceneKey *key) {
  static const SceneKey vector = {.type = SCENE_VECTOR}, names = {.type = SCENE_TWO_NAMES}, pair = {.type = SCENE_PAIR};
  switch (asp_scene_type(key->type)->item) {
  case ITEM_TEXT:
  case ITEM_CONDITION:
    add_text(parent, "type", "string");
    break;
  case ITEM_FLAG:
    add_text(parent, "type", "boolean");
    break;
  case ITEM_NUMBER:
    add_types(parent, "number", "string", NULL);
    add_range(parent, &key->range);
    break;
  case ITEM_NUMBER_OR_NULL:
    add_types(parent, "number", "string", "null");
    break;
  case ITEM_INTEGER:
    add_types(parent, "integer", "string", NULL);
    add_range(parent, &key->range);
    break;
  case ITEM_CHOICE:
    add_choices(schema, parent, key, 0);
    break;
  case ITEM_VECTOR:
    describe_value(schema, parent, &vector);
    break;
  case ITEM_ROW:
    add_text(parent, "type", "array");
    add_types(add_object(parent, "items"), "number", "string", NULL);
    break;
  case ITEM_FACTOR:
    describe_factor(parent);
    break;
  case ITEM_PAIR:
    describe_value(schema, parent, &pair);
    break;
  case ITEM_COLUMN:
    add_types(parent, "string", "integer", NULL);
    add_range(parent, &(SceneRange){1, 10000, false});
    break;
  case ITEM_EXPRESSION:
  case ITEM_CONSTANT:
    add_types(parent, "number", "string", NULL);
    break;
  case ITEM_LABEL:
    add_types(parent, "string", "integer", NULL);
    add_range(parent, &(SceneRange){0, 31, false});
    break;
  case ITEM_TWO_NAMES:
    describe_value(schema, parent, &names);
    break;
  case ITEM_OBJECT:
    add_reference(schema, parent, key->object);
    break;
  case ITEM_NAMED:
    describe_named(schema, parent, key);
    break;
  }
}

static void describe_list(Schema *schema, cJSON *parent, const SceneKey *key, int low, int high) {
  add_text(parent, "type", "array");
  describe_item(schema, add_object(parent, "items"), key);
  if (low < 0 && key->required)
    cJSON_AddNumberToObject(parent, "minItems", 1);
  if (low >= 0) {
    cJSON_AddNumberToObject(parent, "minItems", low);
    cJSON_AddNumberToObject(parent, "maxItems", high);
  }
}

static void describe_value(Schema *schema, cJSON *parent, const SceneKey *key) {
  int count = asp_scene_type(key->type)->count[scene_plane(schema->dimension)];
  if (key->type == SCENE_ORIENTATION || (key->type == SCENE_INERTIA && count > 0)) {
    cJSON *either = cJSON_AddArrayToObject(parent, "oneOf"), *first = cJSON_CreateObject(),
          *second = cJSON_CreateObject();
    describe_list(schema, first, key, count, count);
    if (key->type == SCENE_ORIENTATION)
      add_reference(schema, second, &asp_scene_orientation);
    else
      describe_list(schema, second, key, 6, 6);
    cJSON_AddItemToArray(either, first);
    cJSON_AddItemToArray(either, second);
  } else if (count == 0) {
    describe_item(schema, parent, key);
  } else {
    describe_list(schema, parent, key, count, count);
  }
}

/* Only numbers, texts and flags of optional keys have a default that JSON can write; one outside the range stands for
 * "not given". */
static void add_default(cJSON *parent, const SceneKey *key) {
  bool number = key->type == SCENE_NUMBER || key->type == SCENE_INTEGER;
  bool any = key->range.low == 0 && key->range.high == 0;
  bool inside = any || (key->range.above ? key->initial > key->range.low : key->initial >= key->range.low);
  if (key->required || key->needed)
    return;
  if (key->initial_text)
    add_text(parent, "default", key->initial_text);
  else if (number && isfinite(key->initial) && inside)
    cJSON_AddNumberToObject(parent, "default", key->initial);
  else if (key->type == SCENE_FLAG)
    cJSON_AddBoolToObject(parent, "default", key->initial != 0);
}

static void describe_key(Schema *schema, cJSON *properties, const SceneKey *key, bool degrees) {
  char name[80], text[400];
  snprintf(name, sizeof name, "%s%s", key->key, degrees ? "_deg" : "");
  // "rad/s or m/s" becomes "deg/s" for the twin
  char unit[80] = "";
  if (key->unit && degrees)
    snprintf(unit, sizeof unit, " [deg%.*s]", (int)strcspn(key->unit + 3, " "), key->unit + 3);
  else if (key->unit)
    snprintf(unit, sizeof unit, " [%s]", key->unit);
  snprintf(text, sizeof text, "%s%s", key->text, unit);
  cJSON *property = add_object(properties, name);
  add_text(property, "description", text);
  if (degrees && key->field) { // the range is in radians
    add_types(property, "number", "string", NULL);
    return;
  }
  describe_value(schema, property, key);
  if (!degrees)
    add_default(property, key);
}

/* Either the key or its twin in degrees must be there. */
static void require(cJSON *parent, const SceneKey *key) {
  cJSON *either = asp_scene_key_has_degrees(key) ? cJSON_AddArrayToObject(parent, "oneOf") : NULL;
  for (int twin = 0; twin < (either ? 2 : 1); twin++) {
    char name[80];
    snprintf(name, sizeof name, "%s%s", key->key, twin ? "_deg" : "");
    cJSON *place = either ? cJSON_CreateObject() : parent;
    cJSON_AddItemToArray(cJSON_AddArrayToObject(place, "required"), cJSON_CreateString(name));
    if (either)
      cJSON_AddItemToArray(either, place);
  }
}

/* "if the type is one of these, then the key is needed" or "... otherwise the key is not allowed" */
static void add_condition(const Schema *schema, cJSON *conditions, const SceneObject *object, const SceneKey *key,
                          uint32_t types, bool needed) {
  const SceneKey *type = &object->keys[object->type_key];
  cJSON *condition = cJSON_CreateObject();
  cJSON *one_of = add_object(add_object(add_object(condition, "if"), "properties"), type->key);
  add_choices(schema, one_of, type, types);
  int initial = 0; // an object that does not say its type is of this one
  while (type->initial_text && type->choices[initial] && strcmp(type->choices[initial], type->initial_text) != 0)
    initial++;
  if (type->initial_text && !(types >> initial & 1))
    cJSON_AddItemToArray(cJSON_AddArrayToObject(cJSON_GetObjectItemCaseSensitive(condition, "if"), "required"),
                         cJSON_CreateString(type->key));
  if (needed) {
    require(add_object(condition, "then"), key);
  } else {
    cJSON *properties = add_object(add_object(condition, "else"), "properties");
    cJSON_AddFalseToObject(properties, key->key);
    char twin[80];
    snprintf(twin, sizeof twin, "%s_deg", key->key);
    if (asp_scene_key_has_degrees(key))
      cJSON_AddFalseToObject(properties, twin);
  }
  cJSON_AddItemToArray(conditions, condition);
}

static void add_conditions(const Schema *schema, cJSON *parent, const SceneObject *object) {
  cJSON *conditions = cJSON_CreateArray();
  for (int i = 0; i < object->count; i++) {
    const SceneKey *key = &object->keys[i];
    uint32_t only = asp_scene_key_only(key, schema->dimension), needed = only ? key->needed & only : key->needed;
    if (!asp_scene_key_applies(key, schema->dimension, -1))
      continue;
    if (key->required && asp_scene_key_has_degrees(key)) {
      cJSON *condition = cJSON_CreateObject();
      require(condition, key);
      cJSON_AddItemToArray(conditions, condition);
    }
    if (only)
      add_condition(schema, conditions, object, key, only, false);
    if (needed)
      add_condition(schema, conditions, object, key, needed, true);
  }
  if (conditions && conditions->child)
    cJSON_AddItemToObject(parent, "allOf", conditions);
  else
    cJSON_Delete(conditions);
}

static void describe_object(Schema *schema, const SceneObject *object) {
  char name[80];
  snprintf(name, sizeof name, schema->dimension ? "%s-%dd" : "%s", object->name, schema->dimension);
  cJSON *definition = add_object(schema->definitions, name);
  add_text(definition, "description", object->text);
  add_text(definition, "type", "object");
  cJSON_AddFalseToObject(definition, "additionalProperties");
  cJSON *properties = add_object(definition, "properties"), *required = cJSON_CreateArray();
  for (int i = 0; i < object->count; i++) {
    const SceneKey *key = &object->keys[i];
    if (!asp_scene_key_applies(key, schema->dimension, -1))
      continue;
    describe_key(schema, properties, key, false);
    if (asp_scene_key_has_degrees(key))
      describe_key(schema, properties, key, true);
    else if (key->required)
      cJSON_AddItemToArray(required, cJSON_CreateString(key->key));
  }
  if (required && required->child)
    cJSON_AddItemToObject(definition, "required", required);
  else
    cJSON_Delete(required);
  add_conditions(schema, definition, object);
}

/* The definitions of one dimension, from the scene down to everything it refers to. */
static void describe_scene(Schema *schema, const SceneObject *top, int dimension) {
  schema->dimension = dimension;
  schema->count = 0;
  schema->objects[schema->count++] = top;
  for (int i = 0; i < schema->count; i++)
    describe_object(schema, schema->objects[i]);
}

/* { "if": dimension is 2, "then": scene-2d, "else": scene-3d } */
static void describe_choice(Schema *schema, cJSON *root, const SceneObject *top) {
  const char *key = top->keys[TOP_DIMENSION].key;
  cJSON *condition = add_object(root, "if");
  cJSON_AddNumberToObject(add_object(add_object(condition, "properties"), key), "const", 2);
  cJSON_AddItemToArray(cJSON_AddArrayToObject(condition, "required"), cJSON_CreateString(key));
  schema->dimension = 2;
  add_reference(schema, add_object(root, "then"), top);
  schema->dimension = 3;
  add_reference(schema, add_object(root, "else"), top);
}

AspError asp_schema_print(AspContext *context, const char *title, const SceneObject *object, int run, char **text) {
  Schema schema = {0};
  asp_arena_init(&schema.arena, context);
  *text = NULL;
  AspError error = ASP_ERROR_MEMORY;
  SceneKey *keys = ASP_TAKE(&schema.arena, SceneKey, object->count);
  SceneObject top = *object;
  cJSON *root = cJSON_CreateObject();
  add_text(root, "$schema", "https://json-schema.org/draft/2020-12/schema");
  add_text(root, "title", title);
  add_text(root, "description", object->text);
  add_text(root, "type", "object");
  schema.definitions = cJSON_CreateObject();
  if (keys) {
    memcpy(keys, object->keys, (size_t)object->count * sizeof *keys);
    top.keys = keys;
    keys[run].object = asp_scene_run_object(&schema.arena);
  }
  if (keys && keys[run].object && root && schema.definitions) {
    if (object == &asp_scene_top) {
      describe_choice(&schema, root, &top);
      describe_scene(&schema, &top, 3);
      describe_scene(&schema, &top, 2);
    } else {
      add_reference(&schema, root, &top);
      describe_scene(&schema, &top, 0);
    }
    cJSON_AddItemToObject(root, "$defs", schema.definitions);
    error = asp_json_print(context, root, text);
  } else {
    cJSON_Delete(schema.definitions);
  }
  cJSON_Delete(root);
  asp_arena_free(&schema.arena);
  return error;
}

AspError asp_scene_schema(AspContext *context, char **text) {
  return asp_schema_print(context, "Asperity scene", &asp_scene_top, TOP_RUN, text);
}
