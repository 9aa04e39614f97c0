/* A function of time and of inputs in a definition: its text, kept for readers of the model, and the parsed expression.
 * Depends on expression.c, table.c.
 */
#include "model/model.h"

static bool uses_sensor(const AspModel *model, const AspExpression *expression) {
  int slot = -1;
  const AspTable *table = NULL;
  for (int i = 0; asp_expression_operation(expression, i, &slot, &table); i++)
    if (slot >= 0 && asp_model_is_sensor(model, slot))
      return true;
  return false;
}

/* A motion has a velocity without jumps. */
static AspError check_tables(AspContext *context, const AspExpression *expression) {
  int slot = -1;
  const AspTable *table = NULL;
  for (int i = 0; asp_expression_operation(expression, i, &slot, &table); i++)
    if (table)
      ASP_TRY(asp_table_check_motion(context, table));
  return ASP_OK;
}

AspError asp_time_function_make(const AspModel *model, const char *field, const char *text, bool smooth,
                                TimeFunction *function) {
  AspContext *context = model->context;
  AspVariables variables = asp_model_variables(model);
  *function = (TimeFunction){NULL, NULL};
  if (!text)
    return ASP_OK;
  AspError error = asp_expression_parse_with(context, text, &variables, &function->expression);
  if (error == ASP_OK) {
    function->text = asp_copy_text(context, text);
    error = function->text ? ASP_OK : ASP_ERROR_MEMORY;
  }
  bool sensed = error == ASP_OK && uses_sensor(model, function->expression);
  if (sensed && smooth)
    error = asp_fail(context, ASP_ERROR_INPUT,
                     "'%.60s' depends on the state; a prescribed motion cannot: use a motor or a force", text);
  if (error == ASP_OK && smooth)
    error = check_tables(context, function->expression);
  if (error == ASP_OK && !sensed) { // what it is at first is not known yet
    AspJet start = asp_expression_evaluate_with(function->expression, 0, model->input);
    if (!isfinite(start.value))
      error = asp_fail(context, ASP_ERROR_INPUT, "'%.60s' is %g at t = 0; it must be finite", text, start.value);
    else if (smooth && !(isfinite(start.rate) && isfinite(start.acceleration)))
      error = asp_fail(context, ASP_ERROR_INPUT,
                       "'%.60s' has derivatives %g and %g at t = 0; they must be finite for a motion", text, start.rate,
                       start.acceleration);
  }
  if (error != ASP_OK) {
    asp_fail_prefix(context, "%s: ", field);
    asp_time_function_release(context, function);
  }
  return error;
}

void asp_time_function_release(AspContext *context, TimeFunction *function) {
  asp_expression_destroy(context, function->expression);
  asp_release(context, function->text);
  *function = (TimeFunction){NULL, NULL};
}

AspJet asp_time_function_at(const TimeFunction *function, double t, const AspInput *input, double absent) {
  return function->expression ? asp_expression_evaluate_with(function->expression, t, input) : (AspJet){absent, 0, 0};
}
