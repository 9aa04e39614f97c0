/* Parameters: see parameters.h. Their order in the file is free: each is evaluated once all that its text names are;
 * what is left over in the end is cyclic. */
#include "io/scene/parameters.h"
#include "io/scene/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_PARAMETERS 1000
#define MAX_CHAIN      8 /* names shown of a cycle */

struct SceneParameter {
  const char *name, *unit, *description;
  const char *text; /* expression; NULL: a number */
  double value, low, high;
  const char *changed_by; /* path of the first event that sets it; NULL: it is constant over the run */
  bool known;             /* value is what it should be, or broken */
  bool broken, set, used;
};

static SceneParameter *find(SceneReader *reader, const char *name) {
  int found = asp_scene_names_find(&reader->parameters.names, name);
  return found < 0 ? NULL : &reader->parameters.item[found];
}

/* ---- names in an expression's text ---- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/* Behind a number: digits, point, exponent. */
static const char *skip_number(const char *at) {
  while (is_digit(*at) || *at == '.')
    at++;
  if (*at == 'e' || *at == 'E') {
    const char *exponent = at + 1 + (at[1] == '+' || at[1] == '-');
    if (is_digit(*exponent))
      for (at = exponent; is_digit(*at);)
        at++;
  }
  return at;
}

/* The next name at or behind *at that is no function; its end in *end, a copy in the reader's memory. NULL: no more. */
static const char *next_name(SceneReader *reader, const char **at, const char **end) {
  for (const char *c = *at; *c;) {
    if (is_digit(*c) || *c == '.') {
      c = skip_number(c);
      continue;
    }
    if (!is_letter(*c)) {
      c++;
      continue;
    }
    const char *stop = c;
    while (is_letter(*stop) || is_digit(*stop) || *stop == '.')
      stop++;
    const char *behind = stop + strspn(stop, " \t\r\n");
    if (*behind != '(') {
      *at = c;
      *end = stop;
      return asp_reader_text(reader, "%.*s", (int)(stop - c), c);
    }
    if (stop - c == (int)strlen("table") && strncmp(c, "table", (size_t)(stop - c)) == 0)
      asp_scene_table_name(NULL, behind, &stop); // the name of a table is no parameter
    c = stop;
  }
  return NULL;
}

/* The shortest decimal that reads back as the number, in brackets where it has a sign. */
static const char *print_number(SceneReader *reader, double x) {
  const char *text = NULL;
  for (int digits = 15; digits <= 17; digits++) {
    text = asp_reader_text(reader, "%.*g", digits, x);
    if (strtod(text, NULL) == x)
      break;
  }
  return x < 0 || signbit(x) ? asp_reader_text(reader, "(%s)", text) : text;
}

static void unknown_name(SceneReader *reader, const char *text, const char *at, const char *name, bool constant) {
  const SceneNames *names = &reader->parameters.names;
  const char *near = asp_reader_suggestion(reader, name, names->name, names->count);
  const char *expected =
      *near ? near
            : asp_reader_text(reader, "; expected a parameter%s of the scene, %spi, e or a function such as sin",
                              constant ? "" : " or input", constant ? "" : "t, ");
  asp_reader_mistake(reader, NULL, "%s, column %d: %s is not known%s", asp_reader_quote(reader, text),
                     (int)(at - text) + 1, asp_reader_quote(reader, name), expected);
}

/* An input, or a quantity of the state such as box.z: the model gets a sensor of that name, whose meaning is checked
 * later. */
static bool is_variable(SceneReader *reader, const char *name) {
  if (reader->variables.slot && reader->variables.slot(reader->variables.user, name) >= 0)
    return true;
  int input = 0;
  if (!reader->model || !strchr(name, '.') || asp_model_add_sensor(reader->model, name, &input) != ASP_OK)
    return false;
  reader->inputs = asp_model_inputs(reader->model);
  SceneSensor *sensor = asp_reader_take(reader, 1, sizeof *sensor);
  if (sensor) {
    *sensor = (SceneSensor){name, asp_reader_text(reader, "%s", reader->path), reader->sensors};
    reader->sensors = sensor;
  }
  return true;
}

/* Room for texts that grow piece by piece is taken from the arena: expressions are short. */
const char *asp_parameters_substitute(SceneReader *reader, const char *text, bool constant) {
  const char *made = "", *at = text, *end = NULL, *copied = text;
  if (!asp_scene_use_tables(reader, text, constant))
    return NULL;
  for (const char *name; (name = next_name(reader, &at, &end)); at = end) {
    SceneParameter *parameter = find(reader, name);
    if (parameter && parameter->changed_by) {
      parameter->used = true;
      if (parameter->broken)
        return NULL; // noted where it is defined
      if (!constant)
        continue; // an input of the model
      asp_reader_mistake(reader, NULL, "%s changes during the run (%s), this number cannot; use another parameter here",
                         asp_reader_quote(reader, name), parameter->changed_by);
      return NULL;
    }
    if (strcmp(name, "t") == 0 && constant) {
      asp_reader_mistake(reader, NULL, "%s depends on t; this number is constant over the run",
                         asp_reader_quote(reader, text));
      return NULL;
    }
    if (strcmp(name, "t") == 0 || asp_expression_knows(name) || (!constant && is_variable(reader, name))) {
      const char *converted = asp_units_of_name(reader, name);
      if (converted) {
        made = asp_reader_text(reader, "%s%.*s%s", made, (int)(at - copied), copied, converted);
        copied = end;
      }
      continue;
    }
    if (!parameter) {
      unknown_name(reader, text, at, name, constant);
      return NULL;
    }
    if (parameter->broken)
      return NULL; // noted where it is defined
    parameter->used = true;
    made =
        asp_reader_text(reader, "%s%.*s%s", made, (int)(at - copied), copied, print_number(reader, parameter->value));
    copied = end;
  }
  return copied == text ? text : asp_reader_text(reader, "%s%s", made, copied);
}

bool asp_parameters_evaluate(SceneReader *reader, const char *text, double *value) {
  const char *plain = asp_parameters_substitute(reader, text, true);
  if (!plain)
    return false;
  AspExpression *expression = NULL;
  if (!asp_reader_accept_as(reader, NULL, asp_expression_parse(reader->context, plain, &expression), ""))
    return false;
  *value = asp_expression_evaluate(expression, 0).value;
  asp_expression_destroy(reader->context, expression);
  if (isfinite(*value))
    return true;
  asp_reader_mistake(reader, NULL, "%s is %g; it must be finite", asp_reader_quote(reader, text), *value);
  return false;
}

/* ---- the parameters themselves ---- */

static bool good_name(const char *name) {
  if (!is_letter(*name))
    return false;
  for (; *name; name++)
    if (!is_letter(*name) && !is_digit(*name))
      return false;
  return true;
}

/* What the file says of it: a number, a text, or an object with more. */
static void read_description(SceneReader *reader, SceneParameter *parameter, const cJSON *json) {
  SceneValue values[PARAMETER_COUNT];
  const cJSON *node = json;
  if (cJSON_IsObject(json)) {
    parameter->broken = !asp_reader_object(reader, &asp_scene_parameter, json, values);
    const cJSON *range = values[PARAMETER_RANGE].node;
    if (range && cJSON_IsNumber(range->child))
      parameter->low = range->child->valuedouble;
    if (range && cJSON_IsNumber(range->child->next))
      parameter->high = range->child->next->valuedouble;
    parameter->unit = asp_value_text(&values[PARAMETER_UNIT]);
    parameter->description = asp_value_text(&values[PARAMETER_DESCRIPTION]);
    node = values[PARAMETER_VALUE].node;
  } else if (!cJSON_IsNumber(json) && !cJSON_IsString(json)) {
    asp_reader_mistake(reader, NULL, "expected a number, an expression or an object with the key value");
    parameter->broken = true;
  }
  if (parameter->broken || !node)
    return;
  if (cJSON_IsString(node)) {
    parameter->text = node->valuestring;
  } else {
    parameter->value = node->valuedouble;
    parameter->known = true;
  }
  if (parameter->known && !isfinite(parameter->value)) {
    asp_reader_mistake(reader, NULL, "the number is too large; it must be finite");
    parameter->broken = true;
  }
}

static void add_parameter(SceneReader *reader, const cJSON *json) {
  SceneParameters *all = &reader->parameters;
  const char *name = json->string;
  size_t mark = asp_reader_enter(reader, name);
  if (!good_name(name))
    asp_reader_mistake(reader, NULL, "%s: a name has letters, digits and _, and begins with a letter",
                       asp_reader_quote(reader, name));
  else if (asp_expression_knows(name))
    asp_reader_mistake(reader, NULL, "%s has a meaning in expressions; choose another name",
                       asp_reader_quote(reader, name));
  else if (all->count == MAX_PARAMETERS)
    asp_reader_mistake(reader, NULL, "more than %d parameters", MAX_PARAMETERS);
  else if (asp_scene_names_find(&all->names, name) >= 0)
    asp_reader_mistake(reader, NULL, "this parameter is given twice");
  else if (asp_scene_names_add(reader, &all->names, name, all->count)) {
    SceneParameter *parameter = &all->item[all->count++];
    *parameter = (SceneParameter){.name = name, .low = -INFINITY, .high = INFINITY};
    read_description(reader, parameter, json);
    parameter->known = parameter->known || parameter->broken;
  }
  asp_reader_leave(reader, mark);
}

/* "mu=0.4" in place of what the file says. */
static void apply_setting(SceneReader *reader, const char *setting) {
  const SceneNames *names = &reader->parameters.names;
  const char *equals = strchr(setting, '=');
  if (strncmp(setting, SCENE_OUTPUT_SETTING, strlen(SCENE_OUTPUT_SETTING)) == 0)
    return; // read with the bodies
  if (!equals || equals == setting || !equals[1]) {
    asp_reader_mistake(reader, NULL, "--set %s: expected NAME=VALUE, for example --set mu=0.4",
                       asp_reader_quote(reader, setting));
    return;
  }
  const char *name = asp_reader_text(reader, "%.*s", (int)(equals - setting), setting);
  SceneParameter *parameter = find(reader, name);
  if (!parameter)
    asp_reader_mistake(reader, NULL, "--set %s: %s%s", setting,
                       names->count ? "the scene has no such parameter" : "the scene has no parameters",
                       asp_reader_suggestion(reader, name, names->name, names->count));
  else if (parameter->set)
    asp_reader_mistake(reader, NULL, "--set %s: %s is set twice", setting, name);
  else if (!parameter->broken) {
    parameter->text = equals + 1;
    parameter->known = false;
    parameter->set = true;
  }
}

/* The first parameter in the text that is not known yet; NULL: none. */
static SceneParameter *waits_for(SceneReader *reader, const SceneParameter *parameter) {
  const char *at = parameter->text, *end = NULL;
  for (const char *name; (name = next_name(reader, &at, &end)); at = end) {
    SceneParameter *other = find(reader, name);
    if (other && !other->known)
      return other;
  }
  return NULL;
}

static void check_range(SceneReader *reader, SceneParameter *parameter) {
  const char *unit = parameter->unit ? parameter->unit : "", *blank = *unit ? " " : "";
  double x = parameter->value;
  if (parameter->broken || (x >= parameter->low && x <= parameter->high))
    return;
  parameter->broken = true;
  asp_reader_mistake(reader, NULL, "%s%.15g is outside its range [%.15g, %.15g]%s%s", parameter->set ? "--set: " : "",
                     x, parameter->low, parameter->high, blank, unit);
}

static void name_cycle(SceneReader *reader, SceneParameter *start) {
  const char *chain = start->name;
  int shown = 0;
  for (SceneParameter *at = waits_for(reader, start); at && shown < MAX_CHAIN; at = waits_for(reader, at), shown++) {
    chain = asp_reader_text(reader, "%s -> %s", chain, at->name);
    if (at == start)
      break;
  }
  asp_reader_mistake(reader, NULL, "depends on itself: %s; give one of them a number", chain);
}

/* Evaluates what can be; true while something was. */
static bool evaluate_some(SceneReader *reader) {
  SceneParameters *all = &reader->parameters;
  bool progress = false;
  for (int i = 0; i < all->count; i++) {
    SceneParameter *parameter = &all->item[i];
    if (parameter->known || waits_for(reader, parameter))
      continue;
    size_t mark = asp_reader_enter(reader, parameter->name);
    parameter->broken = !asp_parameters_evaluate(reader, parameter->text, &parameter->value);
    parameter->known = progress = true;
    asp_reader_leave(reader, mark);
  }
  return progress;
}

/* ---- parameters that events set ---- */

/* Before any number is read: such a parameter is no number but an input. */
static void mark_changing(SceneReader *reader, const cJSON *events) {
  const cJSON *event = NULL, *item = NULL;
  int place = 0;
  cJSON_ArrayForEach(event, events) {
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(event, "set")) {
      SceneParameter *parameter = item->string ? find(reader, item->string) : NULL;
      if (parameter && !parameter->changed_by)
        parameter->changed_by = asp_reader_text(reader, "/events/%d/set", place);
    }
    place++;
  }
}

void asp_parameters_add_inputs(SceneReader *reader, AspModel *model) {
  SceneParameters *all = &reader->parameters;
  size_t mark = asp_reader_enter(reader, asp_scene_top.keys[TOP_PARAMETERS].key);
  for (int i = 0; i < all->count; i++) {
    const SceneParameter *it = &all->item[i];
    int input = 0;
    if (it->changed_by && !it->broken &&
        asp_reader_accept(reader, it->name, asp_model_add_input(model, it->name, it->value, &input)))
      asp_reader_accept(reader, it->name, asp_model_limit_input(model, input, it->low, it->high));
  }
  asp_reader_leave(reader, mark);
}

bool asp_parameters_may_become(SceneReader *reader, const char *name, double value) {
  SceneParameter *parameter = find(reader, name);
  if (!parameter || (value >= parameter->low && value <= parameter->high))
    return true;
  asp_reader_mistake(reader, NULL, "%.15g is outside the range [%.15g, %.15g] of the parameter", value, parameter->low,
                     parameter->high);
  return false;
}

/* ---- reading ---- */

void asp_scene_read_parameters(SceneReader *reader, const cJSON *json, const cJSON *events,
                               const AspSettings *settings) {
  SceneParameters *all = &reader->parameters;
  int count = cJSON_IsObject(json) ? cJSON_GetArraySize(json) : 0;
  all->item = asp_reader_take(reader, (size_t)count + 1, sizeof *all->item);
  if (!all->item)
    return;
  size_t mark = asp_reader_enter(reader, asp_scene_top.keys[TOP_PARAMETERS].key);
  const cJSON *item = NULL;
  if (count)
    cJSON_ArrayForEach(item, json) add_parameter(reader, item);
  asp_reader_leave(reader, mark);
  for (int i = 0; settings && i < settings->count; i++)
    apply_setting(reader, settings->text[i]);
  mark_changing(reader, events);
  mark = asp_reader_enter(reader, asp_scene_top.keys[TOP_PARAMETERS].key);
  while (evaluate_some(reader))
    ;
  for (int i = 0; i < all->count; i++) {
    SceneParameter *parameter = &all->item[i];
    size_t inner = asp_reader_enter(reader, parameter->name);
    if (!parameter->known)
      name_cycle(reader, parameter);
    else
      check_range(reader, parameter);
    asp_reader_leave(reader, inner);
  }
  for (int i = 0; i < all->count; i++)
    all->item[i].broken = all->item[i].broken || !all->item[i].known;
  asp_reader_leave(reader, mark);
  all->ready = true;
}

void asp_parameters_check_sensors(SceneReader *reader) {
  for (const SceneSensor *sensor = reader->sensors; sensor; sensor = sensor->next)
    if (asp_model_check_sensor(reader->model, sensor->name) != ASP_OK)
      asp_reader_mistake_at(reader, sensor->path, asp_context_message(reader->context));
}

void asp_parameters_warn(SceneReader *reader) {
  SceneParameters *all = &reader->parameters;
  size_t mark = asp_reader_enter(reader, asp_scene_top.keys[TOP_PARAMETERS].key);
  for (int i = 0; i < all->count; i++)
    if (!all->item[i].used)
      asp_reader_warn(reader, all->item[i].name, "no number of the scene uses this parameter");
  asp_reader_leave(reader, mark);
}

/* ---- for the scene ---- */

AspParameter *asp_parameters_copy(SceneReader *reader, int *count) {
  const SceneParameters *all = &reader->parameters;
  AspContext *context = reader->context;
  *count = 0;
  if (all->count == 0)
    return NULL;
  AspParameter *copies = asp_allocate(context, (size_t)all->count, sizeof *copies);
  bool whole = copies != NULL;
  for (int i = 0; whole && i < all->count; i++) {
    const SceneParameter *from = &all->item[i];
    copies[i] = (AspParameter){.name = asp_copy_text(context, from->name),
                               .unit = asp_copy_text(context, from->unit ? from->unit : ""),
                               .description = asp_copy_text(context, from->description ? from->description : ""),
                               .value = from->value,
                               .low = from->low,
                               .high = from->high,
                               .set = from->set};
    *count = i + 1;
    whole = copies[i].name && copies[i].unit && copies[i].description;
  }
  if (whole)
    return copies;
  asp_parameters_destroy(context, copies, *count);
  *count = 0;
  asp_reader_accept(reader, NULL, ASP_ERROR_MEMORY);
  return NULL;
}

void asp_parameters_destroy(AspContext *context, AspParameter *parameter, int count) {
  for (int i = 0; i < count; i++) {
    asp_release(context, parameter[i].name);
    asp_release(context, parameter[i].unit);
    asp_release(context, parameter[i].description);
  }
  asp_release(context, parameter);
}
