/* An expression in t and in two variables, evaluated at several times. */
#include "fuzz.h"

static int slot(const void *user, const char *name) {
  (void)user;
  return strcmp(name, "a") == 0 ? 0 : strcmp(name, "ball.vx") == 0 ? 1 : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const double times[] = {0, 1, -1, 0.1, 1e-300, 1e300};
  const AspVariables variables = {slot, NULL, NULL};
  const AspInput inputs[] = {{0, {1, 0, 0}}, {0.5, {-2, 3, 1e9}}};
  AspContext *context = fuzz_context(1000);
  AspExpression *expression = NULL;
  char *text = fuzz_text(bytes, size);
  AspError error = asp_expression_parse_with(context, text, &variables, &expression);
  fuzz_check_error(context, error);
  for (size_t i = 0; error == ASP_OK && i < sizeof times / sizeof *times; i++)
    asp_expression_evaluate_with(expression, times[i], inputs);
  asp_expression_destroy(context, expression);
  free(text);
  fuzz_context_end(context);
  return 0;
}
