/* Units: see units.h. Forces are in newtons unless `force` is given; torques, stresses and stiffnesses follow from
 * force, length and angle as their units are written in the tables of keys: "N m/rad", "Pa" = N/m^2. What depends on
 * the joint, "rad or m", is by whether its coordinate turns or slides. In expressions t and quantities of the state are
 * in the scene's units too. */
#include "io/scene/units.h"
#include "base/constants.h"
#include "io/scene/reader.h"

#include <stdio.h>
#include <stdlib.h>

#define UNIT_SIZE(name, num, den) {num, den},
static const SceneUnit lengths[] = {SCENE_LENGTH_LIST(UNIT_SIZE)}, masses[] = {SCENE_MASS_LIST(UNIT_SIZE)},
                       times[] = {SCENE_TIME_LIST(UNIT_SIZE)}, angles[] = {SCENE_ANGLE_LIST(UNIT_SIZE)},
                       forces[] = {SCENE_FORCE_LIST(UNIT_SIZE)};
#undef UNIT_SIZE
static const SceneUnit *const sizes[UNITS_COUNT] = {[UNITS_LENGTH] = lengths,
                                                    [UNITS_MASS] = masses,
                                                    [UNITS_TIME] = times,
                                                    [UNITS_ANGLE] = angles,
                                                    [UNITS_FORCE] = forces};

static const char *const si_names[UNITS_COUNT] = {
    [UNITS_LENGTH] = "m", [UNITS_MASS] = "kg", [UNITS_TIME] = "s", [UNITS_ANGLE] = "rad", [UNITS_FORCE] = "N"};

/* ---- units of the tables ---- */

static void multiply(SceneUnit *size, SceneUnit by, int power) {
  for (int i = 0; i < abs(power); i++) {
    size->num *= power > 0 ? by.num : by.den;
    size->den *= power > 0 ? by.den : by.num;
  }
}

/* One factor of a unit such as "m^2"; numbers and words that are no unit have the size 1. */
static void multiply_token(const SceneUnits *units, const char *token, size_t length, int power, SceneUnit *size) {
  const char *caret = memchr(token, '^', length);
  if (caret) {
    power *= (int)strtol(caret + 1, NULL, 10);
    length = (size_t)(caret - token);
  }
  if (length == 2 && strncmp(token, "Pa", 2) == 0) {
    multiply(size, units->size[UNITS_FORCE], power);
    multiply(size, units->size[UNITS_LENGTH], -2 * power);
  }
  for (int i = 0; i < UNITS_COUNT; i++)
    if (strlen(si_names[i]) == length && strncmp(token, si_names[i], length) == 0)
      multiply(size, units->size[i], power);
}

/* Up to the first bracket or " or ". */
static bool unit_goes_on(const char *unit) {
  return *unit && *unit != '(' && *unit != ')' && strncmp(unit, " (", 2) != 0 && strncmp(unit, " or ", 4) != 0;
}

/* "kg m^2", "N m/rad": all behind the stroke divides. */
static SceneUnit size_of(const SceneUnits *units, const char *unit) {
  SceneUnit size = {1, 1};
  int power = 1;
  while (unit_goes_on(unit)) {
    size_t length = strcspn(unit, " /()");
    multiply_token(units, unit, length, power, &size);
    unit += length;
    if (*unit == '/')
      power = -1;
    unit += *unit == '/' || (*unit == ' ' && strncmp(unit, " or ", 4) != 0);
  }
  return size;
}

double asp_units_apply(const SceneUnits *units, const char *unit, double x) {
  SceneUnit size = size_of(units, unit);
  return x * size.num / size.den;
}

/* The part of the table's text that holds here. */
static const char *unit_here(const char *unit, int dimension, bool slides) {
  const char *other = strstr(unit, " or "), *plane = strstr(unit, "(2D: ");
  if (other && slides)
    return other + strlen(" or ");
  return plane && dimension == 2 ? plane + strlen("(2D: ") : unit;
}

/* "N m/rad" in the words of the file: "N mm/deg". */
static const char *name_of(SceneReader *reader, const SceneUnits *units, const char *unit) {
  const char *text = "";
  while (unit_goes_on(unit)) {
    size_t length = strcspn(unit, " /()"), base = strcspn(unit, " /()^");
    const char *word = NULL;
    for (int i = 0; i < UNITS_COUNT; i++)
      if (strlen(si_names[i]) == base && strncmp(unit, si_names[i], base) == 0)
        word = units->name[i];
    if (base == 2 && strncmp(unit, "Pa", 2) == 0)
      word = asp_reader_text(reader, "%s/%s^2", units->name[UNITS_FORCE], units->name[UNITS_LENGTH]);
    text = word ? asp_reader_text(reader, "%s%s%.*s", text, word, (int)(length - base), unit + base)
                : asp_reader_text(reader, "%s%.*s", text, (int)length, unit);
    unit += length;
    if ((*unit == '/' || *unit == ' ') && unit_goes_on(unit))
      text = asp_reader_text(reader, "%s%c", text, *unit++);
  }
  return text;
}

/* ---- joints that slide ---- */

static const char *text_of(const cJSON *object, const char *key) {
  const cJSON *node = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsString(node) ? node->valuestring : "";
}

/* The joint or axis of this name that is no coupling; NULL: none. */
static const cJSON *find_joint(const cJSON *list, const char *name) {
  const cJSON *joint = NULL;
  cJSON_ArrayForEach(joint, list) {
    const cJSON *axis = find_joint(cJSON_GetObjectItemCaseSensitive(joint, "axes"), name);
    if (axis)
      return axis;
    if (strcmp(text_of(joint, "name"), name) == 0 && strcmp(text_of(joint, "type"), "coupling") != 0)
      return joint;
  }
  return NULL;
}

static bool joint_slides(const SceneUnits *units, const cJSON *joint) {
  const char *type = text_of(joint, "type");
  if (strcmp(type, "coupling") != 0)
    return strcmp(type, "prismatic") == 0 || strcmp(type, "cylindrical") == 0 || strcmp(type, "planar") == 0 ||
           strcmp(type, "rack") == 0 || strcmp(type, "tendon") == 0;
  const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(joint, "joints"), 0);
  const cJSON *other = cJSON_IsString(first) ? find_joint(units->joints, first->valuestring) : NULL;
  return other && joint_slides(units, other);
}

/* ---- messages ---- */

/* The joint or axis that the reader is at; NULL: none. */
static const cJSON *joint_here(const SceneReader *reader) {
  const char *path = reader->path ? reader->path : "", *axes = strstr(path, "/axes/");
  if (strncmp(path, "/joints/", strlen("/joints/")) != 0)
    return NULL;
  const cJSON *joint = cJSON_GetArrayItem(reader->units.joints, atoi(path + strlen("/joints/")));
  const cJSON *list = axes && joint ? cJSON_GetObjectItemCaseSensitive(joint, "axes") : NULL;
  return list ? cJSON_GetArrayItem(list, atoi(axes + strlen("/axes/"))) : joint;
}

/* The key that the reader is at, or that of the list it is in, ends in _deg. */
static bool is_in_degrees(const SceneReader *reader) {
  const char *path = reader->path ? reader->path : "", *end = path + strlen(path);
  while (end > path && (end[-1] == '/' || (end[-1] >= '0' && end[-1] <= '9')))
    end--;
  return end - path > 4 && strncmp(end - 4, "_deg", 4) == 0;
}

const char *asp_units_here(SceneReader *reader, const char *unit, double *size) {
  *size = 1;
  if (!reader->units.converts || !unit)
    return unit ? unit : "";
  SceneUnits units = reader->units;
  if (is_in_degrees(reader)) {
    units.size[UNITS_ANGLE] = (SceneUnit){1, 1};
    units.name[UNITS_ANGLE] = "deg";
  }
  const cJSON *joint = joint_here(reader);
  unit = unit_here(unit, reader->dimension, joint && joint_slides(&units, joint));
  SceneUnit here = size_of(&units, unit);
  *size = here.num / here.den;
  return name_of(reader, &units, unit);
}

/* Texts that were converted are marked by their unused number. */
#define UNITS_CONVERTED 1

const char *asp_units_written(SceneReader *reader, const cJSON *node, double *size) {
  *size = 1;
  if (node->valueint != UNITS_CONVERTED)
    return node->valuestring;
  const char *end = node->valuestring, *next = end;
  while ((next = strstr(next + 1, ")*(")))
    end = next;
  double num = 1, den = 1;
  if (sscanf(end, ")*(%lf/%lf)", &num, &den) == 2)
    *size = num / den;
  return asp_reader_text(reader, "%.*s", (int)(end - node->valuestring - 1), node->valuestring + 1);
}

/* ---- the tree ---- */

typedef struct Walk {
  SceneReader *reader;
  bool slides; /* within a joint whose coordinate is a displacement */
} Walk;

static void convert_node(Walk walk, SceneUnit size, cJSON *node) {
  cJSON *item = NULL;
  if (cJSON_IsNumber(node))
    cJSON_SetNumberValue(node, node->valuedouble * size.num / size.den);
  else if (cJSON_IsString(node)) {
    const char *text = asp_reader_text(walk.reader, "(%s)*(%.17g/%.17g)", node->valuestring, size.num, size.den);
    if (!cJSON_SetValuestring(node, text))
      asp_reader_accept(walk.reader, NULL, ASP_ERROR_MEMORY);
    node->valueint = UNITS_CONVERTED;
  } else if (cJSON_IsArray(node))
    cJSON_ArrayForEach(item, node) convert_node(walk, size, item);
}

static void walk_object(Walk walk, const SceneObject *object, cJSON *json);

static void convert_member(Walk walk, const SceneKey *key, bool degrees, cJSON *member) {
  const SceneObject *inner = key->type == SCENE_ORIENTATION ? &asp_scene_orientation : key->object;
  cJSON *item = NULL;
  if (key->type == SCENE_LIST && inner) {
    cJSON_ArrayForEach(item, member) walk_object(walk, inner, item);
  } else if (cJSON_IsObject(member) && inner && key->type != SCENE_NAMED) {
    walk_object(walk, inner, member);
  } else if (key->unit) {
    SceneUnits units = walk.reader->units;
    if (degrees)
      units.size[UNITS_ANGLE] = (SceneUnit){1, 1};
    SceneUnit size = size_of(&units, unit_here(key->unit, walk.reader->dimension, walk.slides));
    if (size.num != size.den)
      convert_node(walk, size, member);
  }
}

static void walk_object(Walk walk, const SceneObject *object, cJSON *json) {
  if (object == &asp_scene_joint || object == &asp_scene_axis)
    walk.slides = joint_slides(&walk.reader->units, json);
  if (object == &asp_scene_units || !cJSON_IsObject(json))
    return;
  cJSON *member = NULL;
  cJSON_ArrayForEach(member, json) for (int k = 0; k < object->count; k++) {
    const SceneKey *key = &object->keys[k];
    size_t length = strlen(key->key);
    if (strncmp(member->string, key->key, length) != 0)
      continue;
    bool degrees = strcmp(member->string + length, "_deg") == 0 && asp_scene_key_has_degrees(key);
    if (member->string[length] == 0 || degrees)
      convert_member(walk, key, degrees, member);
  }
}

void asp_scene_convert_units(SceneReader *reader, cJSON *root) {
  SceneUnits *units = &reader->units;
  SceneValue values[UNITS_COUNT];
  const char *key = asp_scene_top.keys[TOP_UNITS].key;
  cJSON *json = cJSON_GetObjectItemCaseSensitive(root, key);
  for (int i = 0; i < UNITS_COUNT; i++)
    units->size[i] = (SceneUnit){1, 1};
  if (!cJSON_IsObject(json))
    return; // absent, or named as a mistake with the other keys
  size_t mark = asp_reader_enter(reader, key);
  bool sound = asp_reader_object(reader, &asp_scene_units, json, values);
  asp_reader_leave(reader, mark);
  if (!sound)
    return;
  for (int i = 0; i < UNITS_COUNT; i++) {
    units->size[i] = sizes[i][asp_value_choice(&values[i])];
    units->name[i] = asp_value_text(&values[i]);
    units->converts = units->converts || units->size[i].num != units->size[i].den;
  }
  units->joints = cJSON_GetObjectItemCaseSensitive(root, "joints");
  asp_reader_note(reader, key,
                  "numbers and expressions are read in %s, %s, %s, %s, %s; results and options of the command line are "
                  "in SI units",
                  asp_value_text(&values[UNITS_LENGTH]), asp_value_text(&values[UNITS_MASS]),
                  asp_value_text(&values[UNITS_TIME]), asp_value_text(&values[UNITS_ANGLE]),
                  asp_value_text(&values[UNITS_FORCE]));
  if (!units->converts)
    return;
  Walk walk = {.reader = reader};
  walk_object(walk, &asp_scene_top, root);
  const SceneObject *run = asp_scene_run_object(&reader->arena);
  if (run)
    walk_object(walk, run, cJSON_GetObjectItemCaseSensitive(root, "run"));
}

/* ---- names in expressions ---- */

/* The unit of a quantity of the state by the ending of its name; NULL: none. */
static const char *unit_of_quantity(const char *ending) {
  static const struct {
    const char *names, *unit;
  } quantities[] = {{" x y z ", "m"},
                    {" angle ", "rad"},
                    {" vx vy vz speed ", "m/s"},
                    {" wx wy wz ", "rad/s"},
                    {" ax ay az ", "m/s^2"},
                    {" fx fy fz force normal ", "N"},
                    {" tx ty tz torque ", "N m"},
                    {" coordinate ", "rad or m"},
                    {" rate ", "rad/s or m/s"},
                    {" motor friction limit ", "N m or N"},
                    {" kinetic gravitational elastic total ", "N m"}};
  char word[32];
  snprintf(word, sizeof word, " %.28s ", ending);
  for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++)
    if (strstr(quantities[i].names, word))
      return quantities[i].unit;
  return NULL;
}

const char *asp_units_of_name(SceneReader *reader, const char *name) {
  const SceneUnits *units = &reader->units;
  const char *dot = strrchr(name, '.'), *unit = strcmp(name, "t") == 0 ? "s" : dot ? unit_of_quantity(dot + 1) : NULL;
  if (!units->converts || !unit)
    return NULL;
  bool slides = false;
  const cJSON *joint = NULL;
  if (dot)
    cJSON_ArrayForEach(joint, units->joints) if (strlen(text_of(joint, "name")) == (size_t)(dot - name) &&
                                                 strncmp(text_of(joint, "name"), name, (size_t)(dot - name)) == 0)
        slides = joint_slides(units, joint);
  SceneUnit size = size_of(units, unit_here(unit, reader->dimension, slides));
  return size.num == size.den ? NULL : asp_reader_text(reader, "(%s*(%.17g/%.17g))", name, size.den, size.num);
}
