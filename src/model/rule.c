/* Rules: what happens when a condition becomes true. A stop ends the run; an event sets inputs. Conditions are
 * expressions, true where >= 0 (expression.c). What an event remembers is in the state, as two inputs of its own:
 * "NAME.held", whether its condition held last time, and "NAME.count", how often it acted. Depends on input.c,
 * time_function.c.
 */
#include "model/attach.h"
#include "model/rules.h"
#include "model/tuning/model.h"

#include <stdio.h>

#define EVENT_COOKIE 0x45564e54u

AspEventDef asp_event_default(void) { return (AspEventDef){.cookie = EVENT_COOKIE}; }

void asp_rules_release(AspModel *model) {
  AspContext *context = model->context;
  for (int i = 0; i < model->rules.event_count; i++) {
    ModelEvent *event = &model->rules.event[i];
    asp_time_function_release(context, &event->when);
    for (int k = 0; k < event->set_count; k++)
      asp_time_function_release(context, &event->set[k].value);
    asp_release(context, event->set);
  }
  for (int i = 0; i < model->rules.stop_count; i++) {
    asp_time_function_release(context, &model->rules.stop[i].when);
    asp_release(context, model->rules.stop[i].message);
  }
  asp_names_release(context, &model->rules.names);
  asp_release(context, model->rules.event);
  asp_release(context, model->rules.stop);
}

/* The two inputs of an event: what it remembers. */
static AspError add_memory(AspModel *model, const char *name, ModelEvent *event) {
  char text[EXPRESSION_NAME_MAX + 16];
  if (!asp_input_name_is_right(name))
    return asp_fail(model->context, ASP_ERROR_INPUT,
                    "a name has letters, digits and '_', and begins with a letter; at most %d characters",
                    EXPRESSION_NAME_MAX);
  snprintf(text, sizeof text, "%s.held", name);
  ASP_TRY(asp_model_add_memory(model, text, -1, &event->held));
  snprintf(text, sizeof text, "%s.count", name);
  return asp_model_add_memory(model, text, 0, &event->count);
}

static AspError add_set(AspModel *model, const char *input, const char *value, ModelEventSet *set) {
  set->input = asp_model_find_input(model, input);
  if (set->input < 0 || asp_model_is_sensor(model, set->input))
    return asp_fail(model->context, ASP_ERROR_INPUT, "set: '%.80s' is not an input of the model; declare it", input);
  return asp_time_function_make(model, input, value, false, &set->value);
}

/* The joint that an event closes or releases; -1: none. */
static AspError find_switch(AspModel *model, const char *key, const char *name, int *joint) {
  *joint = name ? asp_model_find_joint(model, name) : -1;
  if (!name)
    return ASP_OK;
  if (*joint < 0)
    return asp_fail(model->context, ASP_ERROR_INPUT, "%s: there is no joint '%.80s'", key, name);
  if (!model->joint[*joint].def.has_switch)
    return asp_fail(model->context, ASP_ERROR_INPUT, "%s: the joint '%.80s' cannot be switched; give it \"active\"",
                    key, name);
  if (strcmp(key, "activate") == 0 && !asp_joint_can_close(model, *joint))
    return asp_fail(model->context, ASP_ERROR_INPUT,
                    "activate: the joint '%.80s' is of the kind %s, which can only be released; use fixed, revolute, "
                    "prismatic, cylindrical, spherical or planar",
                    name, asp_joint_kind_name(model->joint[*joint].def.kind));
  return ASP_OK;
}

static AspError fill_event(AspModel *model, const AspEventDef *def, const char *name, ModelEvent *event) {
  if (!def->when)
    return asp_fail(model->context, ASP_ERROR_INPUT, "when: missing");
  if (def->set_count < 1 && !def->activate && !def->release)
    return asp_fail(model->context, ASP_ERROR_INPUT,
                    "set: missing; an event sets at least one input, or has a joint to activate or release");
  ASP_TRY(find_switch(model, "activate", def->activate, &event->activate));
  ASP_TRY(find_switch(model, "release", def->release, &event->release));
  ASP_TRY(add_memory(model, name, event));
  ASP_TRY(asp_time_function_make(model, "when", def->when, false, &event->when));
  event->once = def->once;
  event->set = asp_allocate(model->context, (size_t)def->set_count, sizeof *event->set);
  if (!event->set && def->set_count > 0)
    return ASP_ERROR_MEMORY;
  for (event->set_count = 0; event->set_count < def->set_count; event->set_count++)
    ASP_TRY(add_set(model, def->input[event->set_count], def->value[event->set_count], &event->set[event->set_count]));
  return ASP_OK;
}

AspError asp_model_add_event(AspModel *model, const AspEventDef *def, int *event) {
  ModelRules *rules = &model->rules;
  char label[ASP_LABEL_BYTES];
  ASP_TRY(asp_model_may_add(model, "event", def->cookie == EVENT_COOKIE));
  asp_model_label(label, "event", rules->event_count, def->name);
  AspError error = ASP_OK;
  ASP_CHECK(ASP_GROW(model->context, rules->event, rules->event_capacity, rules->event_count + 1));
  ASP_CHECK(asp_model_name_element(model, &rules->names, def->name, label));
  *event = rules->event_count++;
  rules->event[*event] = (ModelEvent){0};
  ASP_CHECK(fill_event(model, def, rules->names.name[*event], &rules->event[*event]));
done:
  if (error != ASP_OK)
    asp_fail_prefix(model->context, "event '%s': ", label);
  return error;
}

AspError asp_model_add_stop(AspModel *model, const char *when, const char *message, int *stop) {
  ModelRules *rules = &model->rules;
  ASP_TRY(asp_model_may_add(model, "stop", true));
  if (!when)
    return asp_fail(model->context, ASP_ERROR_INPUT, "stop: no condition is given");
  ASP_TRY(ASP_GROW(model->context, rules->stop, rules->stop_capacity, rules->stop_count + 1));
  ModelStop *made = &rules->stop[rules->stop_count];
  *made = (ModelStop){0};
  ASP_TRY(asp_time_function_make(model, "when", when, false, &made->when));
  *stop = rules->stop_count++;
  made->message = asp_copy_text(model->context, message && *message ? message : when);
  return made->message ? ASP_OK : ASP_ERROR_MEMORY;
}

int asp_model_event_count(const AspModel *model) { return model->rules.event_count; }
const char *asp_model_event_name(const AspModel *model, int event) { return model->rules.names.name[event]; }
int asp_model_stop_count(const AspModel *model) { return model->rules.stop_count; }
const char *asp_model_stop_message(const AspModel *model, int stop) { return model->rules.stop[stop].message; }

/* ---- at a state ---- */

/* Error: the condition is not a number. */
static AspError holds(AspContext *context, const char *what, const TimeFunction *when, const AspState *state,
                      bool *held) {
  double value = asp_time_function_at(when, state->t, state->input, -1).value;
  *held = value >= 0;
  return isnan(value) ? asp_fail(context, ASP_ERROR_VALUE, "%s: '%.80s' is not a number at t = %.9g s", what,
                                 when->text, state->t)
                      : ASP_OK;
}

static void remember(AspState *state, int input, double value) {
  state->input[input] = (AspInput){.since = state->t, .set = {.value = value}};
}

static AspError act(AspContext *context, const AspModel *model, const ModelEvent *event, const char *name,
                    AspState *state) {
  for (int k = 0; k < event->set_count; k++) {
    double value = asp_time_function_at(&event->set[k].value, state->t, state->input, 0).value;
    AspError error = asp_state_set_input(context, model, state, event->set[k].input, (AspJet){value, 0, 0});
    if (error != ASP_OK)
      return asp_fail_prefix(context, "event '%s': ", name), error;
  }
  if (event->release >= 0)
    asp_joint_switch(model, state, event->release, false);
  if (event->activate >= 0)
    asp_joint_switch(model, state, event->activate, true);
  return ASP_OK;
}

AspError asp_rules_apply(AspContext *context, const AspModel *model, AspState *state, bool *switched) {
  bool held = false;
  *switched = false;
  for (int i = 0; i < model->rules.event_count; i++) {
    const ModelEvent *event = &model->rules.event[i];
    double before = state->input[event->held].set.value, count = state->input[event->count].set.value;
    ASP_TRY(holds(context, model->rules.names.name[i], &event->when, state, &held));
    bool acts = held && before < 0 && !(event->once && count > 0);
    if (held != (before >= 0))
      remember(state, event->held, held ? 0 : -1);
    if (!acts)
      continue;
    remember(state, event->count, count + 1);
    *switched = *switched || event->activate >= 0 || event->release >= 0;
    ASP_TRY(act(context, model, event, model->rules.names.name[i], state));
  }
  for (int i = 0; i < model->rules.stop_count; i++)
    ASP_TRY(holds(context, "stop", &model->rules.stop[i].when, state, &held));
  return ASP_OK;
}

int asp_state_stop(const AspModel *model, const AspState *state) {
  for (int i = 0; i < model->rules.stop_count; i++)
    if (asp_time_function_at(&model->rules.stop[i].when, state->t, state->input, -1).value >= 0)
      return i;
  return -1;
}

int asp_state_event_actions(const AspModel *model, const AspState *state, int event) {
  return (int)state->input[model->rules.event[event].count].set.value;
}
