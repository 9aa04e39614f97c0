/* Inputs: numbers from outside that expressions use by name. A model keeps what they are at first, a state what they
 * are now (AspInput). Depends on names.c, state.c.
 */
#include "model/model.h"

bool asp_input_name_is_right(const char *name) {
  bool right = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || *name == '_';
  for (const char *c = name; right && *c; c++)
    right = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_';
  return right && strlen(name) <= EXPRESSION_NAME_MAX;
}

static AspError check_input(const AspModel *model, const char *name, double value) {
  if (!name || !asp_input_name_is_right(name))
    return asp_fail(model->context, ASP_ERROR_INPUT,
                    "the name is not one that expressions can use: a letter, then letters, digits and '_', at most %d "
                    "characters",
                    EXPRESSION_NAME_MAX);
  if (asp_expression_knows(name))
    return asp_fail(model->context, ASP_ERROR_INPUT, "the name has a meaning in expressions already; choose another");
  return asp_check_number(model->context, "value", value);
}

static AspError enter(AspModel *model, const char *name, double value, int *input) {
  AspContext *context = model->context;
  ASP_TRY(ASP_GROW(context, model->input, model->input_capacity, model->input_names.count + 1));
  ASP_TRY(ASP_GROW(context, model->sensor, model->sensor_capacity, model->input_names.count + 1));
  ASP_TRY(ASP_GROW(context, model->range, model->range_capacity, model->input_names.count + 1));
  ASP_TRY(asp_model_name_element(model, &model->input_names, name, name));
  *input = model->input_names.count - 1;
  model->input[*input] = (AspInput){.set = {.value = value}};
  model->sensor[*input] = (ModelSensor){.subject = SENSOR_OF_NOTHING};
  model->range[*input] = (ModelRange){-INFINITY, INFINITY};
  return ASP_OK;
}

AspError asp_model_add_memory(AspModel *model, const char *name, double value, int *input) {
  ASP_TRY(enter(model, name, value, input));
  model->sensor[*input].subject = SENSOR_OF_EVENT;
  return ASP_OK;
}

AspError asp_model_add_sensor(AspModel *model, const char *name, int *input) {
  *input = name ? asp_model_find_input(model, name) : -1;
  if (*input >= 0)
    return ASP_OK;
  ASP_TRY(asp_model_may_add(model, "sensor", true));
  if (!name || !strchr(name, '.') || strlen(name) > EXPRESSION_NAME_MAX)
    return asp_fail(model->context, ASP_ERROR_INPUT, "sensor '%.80s': not of the form BODY.QUANTITY", name ? name : "");
  return enter(model, name, 0, input);
}

AspError asp_model_add_input(AspModel *model, const char *name, double value, int *input) {
  AspContext *context = model->context;
  AspError error = ASP_OK;
  ASP_TRY(asp_model_may_add(model, "input", true));
  ASP_CHECK(check_input(model, name, value));
  ASP_CHECK(enter(model, name, value, input));
done:
  if (error != ASP_OK)
    asp_fail_prefix(context, "input '%.80s': ", name ? name : "");
  return error;
}

AspError asp_model_limit_input(AspModel *model, int input, double low, double high) {
  ASP_TRY(asp_model_may_add(model, "range of an input", true));
  if (input < 0 || input >= asp_model_input_count(model))
    return asp_fail(model->context, ASP_ERROR_ARGUMENT, "input: %d is not an input of the model; it has %d", input,
                    asp_model_input_count(model));
  double value = model->input[input].set.value;
  if (!(low <= value && value <= high))
    return asp_fail(model->context, ASP_ERROR_INPUT, "input '%s': its value %.15g is outside the range [%.15g, %.15g]",
                    asp_model_input_name(model, input), value, low, high);
  model->range[input] = (ModelRange){low, high};
  return ASP_OK;
}

int asp_model_input_count(const AspModel *model) { return model->input_names.count; }
const char *asp_model_input_name(const AspModel *model, int input) { return model->input_names.name[input]; }
double asp_model_input_value(const AspModel *model, int input) { return model->input[input].set.value; }
int asp_model_find_input(const AspModel *model, const char *name) { return asp_names_find(&model->input_names, name); }
const AspInput *asp_model_inputs(const AspModel *model) { return model->input; }

static int slot_of_input(const void *user, const char *name) { return asp_model_find_input(user, name); }

static const AspTable *table_of(const void *user, const char *name) {
  int table = asp_model_find_table(user, name);
  return table < 0 ? NULL : asp_model_table(user, table);
}

AspVariables asp_model_variables(const AspModel *model) { return (AspVariables){slot_of_input, model, table_of}; }

AspJet asp_state_input(const AspModel *model, const AspState *state, int input) {
  return model->input_names.count ? asp_input_at(&state->input[input], state->t) : (AspJet){0};
}

AspError asp_state_set_input(AspContext *context, const AspModel *model, AspState *state, int input, AspJet value) {
  if (input < 0 || input >= asp_model_input_count(model))
    return asp_fail(context, ASP_ERROR_ARGUMENT, "input: %d is not an input of the model; it has %d", input,
                    asp_model_input_count(model));
  if (asp_model_is_sensor(model, input))
    return asp_fail(context, ASP_ERROR_ARGUMENT, "input %s: follows the state and cannot be set",
                    asp_model_input_name(model, input));
  if (!(isfinite(value.value) && isfinite(value.rate) && isfinite(value.acceleration)))
    return asp_fail(context, ASP_ERROR_VALUE, "input %s: %g with rate %g and acceleration %g is not finite",
                    asp_model_input_name(model, input), value.value, value.rate, value.acceleration);
  const ModelRange *range = &model->range[input];
  if (!(value.value >= range->low && value.value <= range->high))
    return asp_fail(context, ASP_ERROR_VALUE, "input %s: %.15g at t = %.9g s is outside its range [%.15g, %.15g]",
                    asp_model_input_name(model, input), value.value, state->t, range->low, range->high);
  state->input[input] = (AspInput){state->t, value};
  asp_state_place_kinematic(model, state);
  return ASP_OK;
}
