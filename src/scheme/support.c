/* What a scheme does not support is said here, from the table and in one form: what it is, which scheme, and what would
 * work. */
#include "scheme/scheme.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static bool selects(const AspSchemeType *type) { return type->selects; }
static bool has_friction_models(const AspSchemeType *type) { return type->friction_models; }
static bool has_impact_laws(const AspSchemeType *type) { return type->impact_laws; }
static bool has_restitution(const AspSchemeType *type) { return type->restitution; }
static bool has_resistance(const AspSchemeType *type) { return type->resistance; }
static bool has_beams(const AspSchemeType *type) { return type->beams; }
static bool varies_steps(const AspSchemeType *type) { return asp_scheme_varies_steps(type); }
static bool has_bearing_friction(const AspSchemeType *type) { return type->bearing_friction; }
static bool has_armature(const AspSchemeType *type) { return type->armature; }
static bool has_turning_surfaces(const AspSchemeType *type) { return type->turning_surfaces; }

/* "a, b or c": the schemes that can. */
static const char *names_of(bool (*can)(const AspSchemeType *type), char *text, size_t size) {
  int left = 0;
  size_t length = 0;
  text[0] = '\0';
  for (int scheme = 0; scheme < ASP_SCHEME_COUNT; scheme++)
    left += can(asp_scheme_type(scheme));
  for (int scheme = 0; scheme < ASP_SCHEME_COUNT && length < size; scheme++)
    if (can(asp_scheme_type(scheme)))
      length += (size_t)snprintf(text + length, size - length, "%s%s", asp_scheme_names[scheme],
                                 --left > 1  ? ", "
                                 : left == 1 ? " or "
                                             : "");
  return text;
}

/* "<what> is not possible with the scheme X; <instead>, or use A, B or C" */
static AspError refuse(AspContext *context, int scheme, bool (*can)(const AspSchemeType *type), const char *instead,
                       const char *format, ...) ASP_PRINTF(5, 6);
static AspError refuse(AspContext *context, int scheme, bool (*can)(const AspSchemeType *type), const char *instead,
                       const char *format, ...) {
  char what[512], names[128];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return asp_fail(context, ASP_ERROR_INPUT, "%s is not possible with the scheme %s; %s, or use %s", what,
                  asp_scheme_names[scheme], instead, names_of(can, names, sizeof names));
}

AspError asp_scheme_check_options(AspContext *context, const AspRunOptions *options, const char *impact,
                                  const char *cone) {
  const AspSchemeType *type = asp_scheme_type(options->scheme);
  if (options->impact != ASP_IMPACT_NEWTON && !type->impact_laws && !type->no_impacts)
    return refuse(context, options->scheme, has_impact_laws, "leave it out", "impact: %s", impact);
  if (options->cone != ASP_CONE_EXACT && !type->friction_models)
    return refuse(context, options->scheme, has_friction_models, "leave it out (--friction exact)",
                  "friction.model: %s", cone);
  if ((options->accuracy > 0 || options->accuracy_relative > 0) && !varies_steps(type))
    return refuse(context, options->scheme, varies_steps, "leave it out (0)", "accuracy: steps of varying length");
  return ASP_OK;
}

static AspError check_pair(AspContext *context, const AspModel *model, int scheme, int a, int b) {
  const AspSchemeType *type = asp_scheme_type(scheme);
  const AspPairLaw *law = asp_model_pair(model, a, b);
  const char *first = asp_model_material_name(model, a), *second = asp_model_material_name(model, b);
  const char *key = law ? asp_pair_law_beyond_friction(law) : NULL;
  if (key && !type->resistance)
    return refuse(context, scheme, has_resistance, "take it out", "materials %s/%s: \"%s\"", first, second, key);
  // springs give back what their damping leaves, and say so
  if (law && !type->restitution && !type->no_impacts && (law->restitution > 0 || law->tangential_restitution > 0))
    return refuse(context, scheme, has_restitution, "set it to 0", "materials %s/%s: restitution %g > 0", first, second,
                  fmax(law->restitution, law->tangential_restitution));
  return ASP_OK;
}

static AspError check_joint(AspContext *context, const AspModel *model, int scheme, int joint) {
  const AspSchemeType *type = asp_scheme_type(scheme);
  const AspJointDef *def = asp_model_joint_def(model, joint);
  const char *name = asp_model_joint_name(model, joint);
  if (def->limit_restitution > 0 && !type->restitution && !type->no_impacts)
    return refuse(context, scheme, has_restitution, "set it to 0", "joint %s: limit_restitution %g > 0", name,
                  def->limit_restitution);
  if (def->friction_coefficient > 0 && !type->bearing_friction)
    return refuse(context, scheme, has_bearing_friction, "take it out, give a constant \"friction\"",
                  "joint %s: \"friction_coefficient\"", name);
  if ((def->kind == ASP_JOINT_COUPLING || def->kind == ASP_JOINT_TENDON) && def->has_servo && !type->armature)
    return refuse(context, scheme, has_armature, "take it out", "joint %s: a spring or servo of a %s", name,
                  asp_joint_kind_name(def->kind));
  if (def->armature > 0 && !type->armature)
    return refuse(context, scheme, has_armature, "take it out", "joint %s: \"armature\"", name);
  return ASP_OK;
}

static AspError check_shape(AspContext *context, const AspModel *model, int scheme, int shape) {
  int body;
  const AspShapeAttachment *it = asp_model_shape(model, shape, &body);
  bool turns = it->surface_spin[0] || it->surface_spin[1] || it->surface_spin[2];
  if (turns && !asp_scheme_type(scheme)->turning_surfaces)
    return refuse(context, scheme, has_turning_surfaces, "give the body a motion that turns it",
                  "body %s: \"surface_spin\" of a shape", asp_model_body_name(model, body));
  return ASP_OK;
}

AspError asp_scheme_check_model(AspContext *context, const AspModel *model, int scheme) {
  int materials = asp_model_material_count(model);
  for (int a = 0; a < materials; a++)
    for (int b = a; b < materials; b++)
      ASP_TRY(check_pair(context, model, scheme, a, b));
  if (asp_model_beam_count(model) > 0 && !asp_scheme_type(scheme)->beams)
    return refuse(context, scheme, has_beams, "make it rigid", "beam %s: a flexible body",
                  asp_model_beam_name(model, 0));
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    ASP_TRY(check_joint(context, model, scheme, joint));
  for (int shape = 0; asp_model_has_surfaces(model) && shape < asp_model_shape_count(model); shape++)
    ASP_TRY(check_shape(context, model, scheme, shape));
  return ASP_OK;
}

const char *asp_scheme_selecting(char *text, size_t size) { return names_of(selects, text, size); }
