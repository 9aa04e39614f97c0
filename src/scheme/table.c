/* The table of schemes: one row each, made of ASP_SCHEME_LIST; what the rows hold is in scheme.h. */
#include "scheme/scheme.h"

#include <stdarg.h>
#include <stdio.h>

#define DECLARE(scheme, text, word) extern const AspSchemeType asp_scheme_##word;
ASP_SCHEME_LIST(DECLARE)

#define ROW(scheme, text, word) [scheme] = &asp_scheme_##word,
static const AspSchemeType *const table[ASP_SCHEME_COUNT] = {ASP_SCHEME_LIST(ROW)};

const char *const asp_scheme_names[] = {
#define ASP_SCHEME_TEXT(code, text, word) text,
    ASP_SCHEME_LIST(ASP_SCHEME_TEXT)
#undef ASP_SCHEME_TEXT
        NULL};

const char *asp_scheme_name(AspScheme scheme) {
  return (unsigned)scheme < ASP_SCHEME_COUNT ? asp_scheme_names[scheme] : "unknown";
}

const char *asp_scheme_feature_name(AspSchemeFeature feature) {
  static const char *const names[] = {"selection", "friction models", "solvers", "events", "accuracy"};
  return ASP_NAME_OF(names, feature);
}

const AspSchemeType *asp_scheme_type(int scheme) { return table[scheme]; }

bool asp_scheme_varies_steps(const AspSchemeType *type) {
  return type->order > 0 && type->step && (!type->create || type->copy);
}

bool asp_scheme_supports(AspScheme scheme, AspSchemeFeature feature) {
  const AspSchemeType *type = (unsigned)scheme < ASP_SCHEME_COUNT ? table[scheme] : NULL;
  if (!type)
    return false;
  switch (feature) {
  case ASP_FEATURE_SELECTION:
    return type->selects;
  case ASP_FEATURE_FRICTION_MODELS:
    return type->friction_models;
  case ASP_FEATURE_SOLVERS:
    return !type->no_solver;
  case ASP_FEATURE_EVENTS:
    return type->events != NULL;
  case ASP_FEATURE_ACCURACY:
    return asp_scheme_varies_steps(type);
  }
  return false;
}

AspError asp_scheme_warn(const AspSchemeHost *host, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return host->call->warn(host->user, text);
}
