/* Values of a scene: an object checked against its table of keys, and what the checked values mean. */
#include "base/constants.h"
#include "io/scene/parameters.h"
#include "linalg/vec3.h"

#include <math.h>
#include <stdio.h>

const double asp_radians_per_degree = ASP_PI / 180;
#define QUATERNION_TOLERANCE 1e-6

/* ---- checks; each notes the mistake at the present path ---- */

static const char *kind_of(const cJSON *node) {
  return cJSON_IsString(node)   ? "a text"
         : cJSON_IsNumber(node) ? "a number"
         : cJSON_IsBool(node)   ? "true or false"
         : cJSON_IsNull(node)   ? "null"
         : cJSON_IsArray(node)  ? "a list"
                                : "an object";
}

static bool expected(SceneReader *reader, const char *what, const cJSON *node) {
  asp_reader_mistake(reader, NULL, "expected %s, found %s", what, kind_of(node));
  return false;
}

/* A text in place of a number is an expression in parameters: its value takes the place of the text in the tree, which
 * is the reader's own; the text stays with the node for messages. */
static bool evaluate_text(SceneReader *reader, const cJSON *node) {
  cJSON *own = (cJSON *)node;
  double value = 0, size = 1;
  const char *written = asp_units_written(reader, node, &size);
  if (!asp_parameters_evaluate(reader, written, &value))
    return false;
  if (written != node->valuestring && !cJSON_SetValuestring(own, written))
    return asp_reader_accept(reader, NULL, ASP_ERROR_MEMORY);
  cJSON_SetNumberValue(own, value * size);
  own->type = (own->type & ~0xFF) | cJSON_Number; // the upper bits say who owns the texts
  return true;
}

/* A number of the tree as the file has it, to as many digits as survive the conversion. */
static const char *as_written(SceneReader *reader, double x, double size) {
  return asp_reader_text(reader, size == 1 ? "%.15g" : "%.12g", x / size);
}

static bool check_number(SceneReader *reader, const SceneKey *key, const cJSON *node) {
  if (cJSON_IsString(node) && reader->parameters.ready)
    return evaluate_text(reader, node) && check_number(reader, key, node);
  if (!cJSON_IsNumber(node))
    return expected(reader, "a number", node);
  const SceneRange *range = &key->range;
  double x = node->valuedouble, size;
  bool any = range->low == 0 && range->high == 0;
  bool inside = any || (x <= range->high && (range->above ? x > range->low : x >= range->low));
  if (isfinite(x) && inside)
    return true;
  const char *text =
      node->valuestring ? asp_reader_text(reader, "%s = ", asp_reader_quote(reader, node->valuestring)) : "";
  const char *unit = asp_units_here(reader, key->unit, &size), *blank = key->unit ? " " : "";
  const char *value = as_written(reader, x, size), *low = as_written(reader, range->low, size);
  if (!isfinite(x))
    asp_reader_mistake(reader, NULL, "the number is too large; it must be finite");
  else if (isfinite(range->high))
    asp_reader_mistake(reader, NULL, "%s%s is outside [%s, %s]%s%s", text, value, low,
                       as_written(reader, range->high, size), blank, unit);
  else
    asp_reader_mistake(reader, NULL, "%s%s is not %s %s%s%s", text, value, range->above ? ">" : ">=", low, blank, unit);
  return false;
}

static bool check_integer(SceneReader *reader, const SceneKey *key, const cJSON *node) {
  if (!check_number(reader, key, node))
    return false;
  if (node->valuedouble == floor(node->valuedouble))
    return true;
  asp_reader_mistake(reader, NULL, "%.15g is not a whole number", node->valuedouble);
  return false;
}

static bool check_expression(SceneReader *reader, const SceneKey *key, const cJSON *node) {
  if (cJSON_IsNumber(node))
    return check_number(reader, key, node);
  if (!cJSON_IsString(node))
    return expected(reader, "a number or an expression in t", node);
  AspExpression *expression = NULL;
  double size;
  const char *text = asp_parameters_substitute(reader, asp_units_written(reader, node, &size), false);
  if (!text)
    return false;
  AspError error = asp_expression_parse_with(reader->context, text, &reader->variables, &expression);
  asp_expression_destroy(reader->context, expression);
  return asp_reader_accept_as(reader, NULL, error, "");
}

static bool choice_allowed(const SceneKey *key, int dimension, int choice) {
  uint32_t allowed = key->choices_in[scene_plane(dimension)];
  return allowed == 0 || (allowed >> choice & 1);
}

/* Index of the choice with this name in any dimension; -1: none. */
static int find_choice(const SceneKey *key, const char *name) {
  for (int i = 0; key->choices[i]; i++)
    if (strcmp(key->choices[i], name) == 0)
      return i;
  return -1;
}

static bool check_choice(SceneReader *reader, const SceneKey *key, const cJSON *node) {
  if (!cJSON_IsString(node))
    return expected(reader, "a name", node);
  int found = find_choice(key, node->valuestring);
  if (found >= 0 && choice_allowed(key, reader->dimension, found))
    return true;
  const char *names[32], *list = "";
  int count = 0;
  for (int i = 0; key->choices[i] && count < 32; i++)
    if (choice_allowed(key, reader->dimension, i)) {
      list = asp_reader_text(reader, "%s%s%s", list, count ? ", " : "", key->choices[i]);
      names[count++] = key->choices[i];
    }
  const char *near = found >= 0 ? "" : asp_reader_suggestion(reader, node->valuestring, names, count);
  asp_reader_mistake(reader, NULL, "%s is not one of %s%s%s", asp_reader_quote(reader, node->valuestring), list,
                     found < 0                ? ""
                     : reader->dimension == 2 ? " (it exists in 3D scenes)"
                                              : " (it exists in 2D scenes)",
                     near);
  return false;
}

static bool check_label(SceneReader *reader, const cJSON *node) {
  static const SceneKey bit = {.range = {0, 31, false}};
  if (cJSON_IsNumber(node))
    return check_integer(reader, &bit, node);
  return cJSON_IsString(node) || expected(reader, "a name or a whole number from 0 to 31", node);
}

static bool check_column(SceneReader *reader, const cJSON *node) {
  static const SceneKey number = {.range = {1, 10000, false}};
  if (cJSON_IsNumber(node))
    return check_integer(reader, &number, node);
  return cJSON_IsString(node) || expected(reader, "the name of a column or its number from 1 on", node);
}

static bool check_list(SceneReader *reader, const SceneKey *key, const cJSON *node);
static bool check_row(SceneReader *reader, const SceneKey *key, const cJSON *node);

static bool check_factor(SceneReader *reader, const SceneKey *key, const cJSON *node) {
  if (!cJSON_IsArray(node))
    return check_number(reader, key, node);
  int count = cJSON_GetArraySize(node);
  if (count < 1 || count > 4) {
    asp_reader_mistake(reader, NULL, "expected 1 to 4 coefficients [a, b, c, d] of a q + b q^2 + ..., found %d", count);
    return false;
  }
  return check_row(reader, key, node);
}

static bool check_item(SceneReader *reader, const SceneKey *key, const cJSON *node) {
  static const SceneKey vector = {.type = SCENE_VECTOR}, names = {.type = SCENE_TWO_NAMES}, pair = {.type = SCENE_PAIR};
  switch (asp_scene_type(key->type)->item) {
  case ITEM_TEXT:
    return cJSON_IsString(node) || expected(reader, "a text", node);
  case ITEM_FLAG:
    return cJSON_IsBool(node) || expected(reader, "true or false", node);
  case ITEM_NUMBER:
    return check_number(reader, key, node);
  case ITEM_NUMBER_OR_NULL:
    return cJSON_IsNull(node) || check_number(reader, key, node);
  case ITEM_INTEGER:
    return check_integer(reader, key, node);
  case ITEM_CHOICE:
    return check_choice(reader, key, node);
  case ITEM_VECTOR:
    return check_list(reader, &vector, node);
  case ITEM_ROW:
    return check_row(reader, key, node);
  case ITEM_FACTOR:
    return check_factor(reader, key, node);
  case ITEM_PAIR:
    return check_list(reader, &pair, node);
  case ITEM_COLUMN:
    return check_column(reader, node);
  case ITEM_EXPRESSION:
    return check_expression(reader, key, node);
  case ITEM_LABEL:
    return check_label(reader, node);
  case ITEM_CONDITION:
    return cJSON_IsString(node) ? check_expression(reader, key, node)
                                : expected(reader, "a condition such as \"box.y < 0\"", node);
  case ITEM_CONSTANT:
    return cJSON_IsString(node) || check_number(reader, key, node);
  case ITEM_TWO_NAMES:
    return check_list(reader, &names, node);
  case ITEM_OBJECT:
  case ITEM_NAMED:
    break;
  }
  return cJSON_IsObject(node) || expected(reader, "an object", node);
}

/* One list of numbers of a grid. */
static bool check_row(SceneReader *reader, const SceneKey *key, const cJSON *node) {
  if (!cJSON_IsArray(node))
    return expected(reader, "a list of numbers", node);
  bool sound = true;
  int index = 0;
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, node) {
    size_t mark = asp_reader_enter_index(reader, index++);
    sound = check_number(reader, key, item) && sound;
    asp_reader_leave(reader, mark);
  }
  return sound;
}

/* A list of items: its length, then each item. */
static bool check_list(SceneReader *reader, const SceneKey *key, const cJSON *node) {
  const SceneTypeInfo *type = asp_scene_type(key->type);
  int plane = scene_plane(reader->dimension), wanted = type->count[plane];
  if (!cJSON_IsArray(node))
    return expected(reader, type->text[plane], node);
  int count = cJSON_GetArraySize(node);
  bool fits = wanted < 0 || count == wanted || (key->type == SCENE_INERTIA && count == 6);
  if (!fits) {
    asp_reader_mistake(reader, NULL, "expected %s, found a list of %d", type->text[plane], count);
    return false;
  }
  if (type->item == ITEM_OBJECT)
    return true; // its elements are checked where they are read
  bool sound = true;
  const cJSON *item = NULL;
  int index = 0;
  cJSON_ArrayForEach(item, node) {
    size_t mark = asp_reader_enter_index(reader, index++);
    sound = check_item(reader, key, item) && sound;
    asp_reader_leave(reader, mark);
  }
  return sound;
}

static bool check_orientation(SceneReader *reader, const SceneKey *key, const cJSON *node) {
  if (cJSON_IsObject(node)) {
    SceneValue values[ORIENTATION_COUNT];
    if (!asp_reader_object(reader, &asp_scene_orientation, node, values))
      return false;
    if (norm3(asp_value_vector(&values[ORIENTATION_AXIS], vec3(0, 0, 0))) > 0)
      return true;
    asp_reader_mistake(reader, values[ORIENTATION_AXIS].key->key, "the axis has no length");
    return false;
  }
  if (!check_list(reader, key, node))
    return false;
  double squares = 0;
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, node) squares += item->valuedouble * item->valuedouble;
  if (fabs(sqrt(squares) - 1) <= QUATERNION_TOLERANCE)
    return true;
  asp_reader_mistake(reader, NULL, "the quaternion [w, x, y, z] has length %.9g instead of 1", sqrt(squares));
  return false;
}

static bool check_limits(SceneReader *reader, const SceneKey *key, const cJSON *node) {
  if (!check_list(reader, key, node))
    return false;
  const cJSON *low = node->child, *high = low->next;
  if (cJSON_IsNull(low) || cJSON_IsNull(high) || low->valuedouble <= high->valuedouble)
    return true;
  double size;
  const char *unit = asp_units_here(reader, key->unit, &size);
  asp_reader_mistake(reader, NULL, "low %s is above high %s%s%s", as_written(reader, low->valuedouble, size),
                     as_written(reader, high->valuedouble, size), size == 1 ? "" : " ", size == 1 ? "" : unit);
  return false;
}

static bool check_value(SceneReader *reader, const SceneKey *key, const cJSON *node) {
  if (key->type == SCENE_ORIENTATION)
    return check_orientation(reader, key, node);
  if (key->type == SCENE_LIMITS)
    return check_limits(reader, key, node);
  if (asp_scene_type(key->type)->count[scene_plane(reader->dimension)] != 0)
    return check_list(reader, key, node);
  return check_item(reader, key, node);
}

bool asp_reader_check(SceneReader *reader, const SceneKey *key, const cJSON *node) {
  return check_value(reader, key, node);
}

/* ---- objects ---- */

/* Does this name mean the key, or its twin in degrees? */
static bool names_key(const SceneKey *key, const char *name, bool *degrees) {
  size_t length = strlen(key->key);
  if (strncmp(name, key->key, length) != 0)
    return false;
  *degrees = strcmp(name + length, "_deg") == 0 && asp_scene_key_has_degrees(key);
  return name[length] == 0 || *degrees;
}

static void unknown_key(SceneReader *reader, const SceneObject *object, const char *name) {
  const char *names[64], *list = "";
  int count = 0;
  for (int i = 0; i < object->count && count < 63; i++) {
    const SceneKey *key = &object->keys[i];
    if (!asp_scene_key_applies(key, reader->dimension, -1))
      continue;
    list = asp_reader_text(reader, "%s%s%s", list, count ? ", " : "", key->key);
    names[count++] = key->key;
    if (asp_scene_key_has_degrees(key))
      names[count++] = asp_reader_text(reader, "%s_deg", key->key);
  }
  const char *near = asp_reader_suggestion(reader, name, names, count);
  if (*near)
    asp_reader_mistake(reader, name, "unknown key%s", near);
  else
    asp_reader_mistake(reader, name, "unknown key; known here: %s", list);
}

/* The member's key, when it is one and may stand here; notes what is wrong otherwise. */
static bool place_member(SceneReader *reader, const SceneObject *object, int type, const cJSON *member,
                         SceneValue *values) {
  bool degrees = false;
  int k = 0;
  while (k < object->count && !names_key(&object->keys[k], member->string, &degrees))
    k++;
  if (k == object->count) {
    unknown_key(reader, object, member->string);
    return false;
  }
  const SceneKey *key = &object->keys[k];
  if (!asp_scene_key_applies(key, reader->dimension, -1))
    asp_reader_mistake(reader, member->string, "this key is for %s scenes only", key->not_2d ? "3D" : "2D");
  else if (!asp_scene_key_applies(key, reader->dimension, type))
    asp_reader_mistake(reader, member->string, "type '%s' has no such key",
                       object->keys[object->type_key].choices[type]);
  else if (values[k].node && values[k].degrees != degrees)
    asp_reader_mistake(reader, member->string, "%s and %s_deg are both given; keep one", key->key, key->key);
  else if (values[k].node)
    asp_reader_mistake(reader, member->string, "this key is given twice");
  else {
    values[k].node = member;
    values[k].degrees = degrees;
    size_t mark = asp_reader_enter(reader, member->string);
    values[k].wrong = !check_value(reader, key, member);
    asp_reader_leave(reader, mark);
    return !values[k].wrong;
  }
  return false;
}

/* The object's type, -1 when it has none or a wrong one. */
static int type_of(const SceneReader *reader, const SceneObject *object, const cJSON *json) {
  if (object->type_key < 0)
    return -1;
  const SceneKey *key = &object->keys[object->type_key];
  const cJSON *node = cJSON_GetObjectItemCaseSensitive(json, key->key);
  const char *name = cJSON_IsString(node) ? node->valuestring : node ? NULL : key->initial_text;
  int found = name ? find_choice(key, name) : -1;
  return found >= 0 && choice_allowed(key, reader->dimension, found) ? found : -1;
}

bool asp_reader_object(SceneReader *reader, const SceneObject *object, const cJSON *json, SceneValue *values) {
  for (int i = 0; i < object->count; i++)
    values[i] = (SceneValue){.key = &object->keys[i]};
  if (!cJSON_IsObject(json))
    return expected(reader, "an object", json);
  int type = type_of(reader, object, json);
  bool sound = true;
  const cJSON *member = NULL;
  cJSON_ArrayForEach(member, json) sound = place_member(reader, object, type, member, values) && sound;
  for (int i = 0; i < object->count; i++) {
    const SceneKey *key = &object->keys[i];
    bool needed = key->required || (type >= 0 && (key->needed >> type & 1));
    if (values[i].node || !needed || !asp_scene_key_applies(key, reader->dimension, type))
      continue;
    const char *what = asp_scene_type(key->type)->text[scene_plane(reader->dimension)];
    if (key->required)
      asp_reader_mistake(reader, key->key, "missing; expected %s", what);
    else
      asp_reader_mistake(reader, key->key, "missing; type '%s' needs %s", object->keys[object->type_key].choices[type],
                         what);
    sound = false;
  }
  for (int i = 0; i < object->count; i++)
    if (values[i].wrong)
      values[i].node = NULL;
  return sound;
}

/* ---- meaning ---- */

static double scale_of(const SceneValue *value) { return value->degrees ? asp_radians_per_degree : 1; }

double asp_value_number(const SceneValue *value) {
  return value->node ? scale_of(value) * value->node->valuedouble : value->key->initial;
}

bool asp_value_flag(const SceneValue *value) {
  return value->node ? cJSON_IsTrue(value->node) : value->key->initial != 0;
}

const char *asp_value_text(const SceneValue *value) {
  return value->node ? value->node->valuestring : value->key->initial_text;
}

int asp_value_choice(const SceneValue *value) { return find_choice(value->key, asp_value_text(value)); }

/* The element's number; 0 behind the end, so that a 2D vector has z = 0. */
static double element(const cJSON *list, int index) {
  const cJSON *item = cJSON_GetArrayItem(list, index);
  return item ? item->valuedouble : 0;
}

AspVec3 asp_node_vector(const cJSON *list) { return vec3(element(list, 0), element(list, 1), element(list, 2)); }

AspVec3 asp_value_vector(const SceneValue *value, AspVec3 otherwise) {
  return value->node ? scale3(scale_of(value), asp_node_vector(value->node)) : otherwise;
}

AspVec3 asp_value_spin(const SceneReader *reader, const SceneValue *value) {
  if (value->node && reader->dimension == 2)
    return vec3(0, 0, asp_value_number(value));
  return asp_value_vector(value, vec3(0, 0, 0));
}

const char *asp_value_name(const SceneValue *value, int index) {
  return cJSON_GetArrayItem(value->node, index)->valuestring;
}

const char *asp_value_expression(SceneReader *reader, const SceneValue *value, int index) {
  const cJSON *node = value->node && index >= 0 ? cJSON_GetArrayItem(value->node, index) : value->node;
  if (!node)
    return NULL;
  if (cJSON_IsNumber(node))
    return asp_reader_text(reader, "%.17g", scale_of(value) * node->valuedouble);
  const char *text = asp_parameters_substitute(reader, node->valuestring, false);
  return value->degrees && text ? asp_reader_text(reader, "(%s)*(pi/180)", text) : text;
}

AspQuat asp_value_orientation(SceneReader *reader, const SceneValue *orientation, const SceneValue *angle) {
  const cJSON *node = orientation->node;
  if (angle->node)
    return quat_from_axis_angle(vec3(0, 0, 1), asp_value_number(angle));
  if (!node)
    return quat_identity();
  if (cJSON_IsArray(node))
    return quat_normalize((AspQuat){element(node, 0), element(node, 1), element(node, 2), element(node, 3)});
  SceneValue values[ORIENTATION_COUNT] = {0};
  // checked before: the second look only finds the values
  if (!asp_reader_object(reader, &asp_scene_orientation, node, values) || !values[ORIENTATION_ANGLE].node)
    return quat_identity();
  return quat_from_axis_angle(asp_value_vector(&values[ORIENTATION_AXIS], vec3(0, 0, 1)),
                              asp_value_number(&values[ORIENTATION_ANGLE]));
}
