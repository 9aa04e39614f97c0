/* The options of a run: table from the one field list of world.h, defaults, validation. */
#include "asperity/world.h"
#include "base/base.h"
#include "scheme/scheme.h"

#include <math.h>

#define RUN_COOKIE UINT32_C(0x41535052)

static const AspField fields[] = {
#define ASP_RUN_FIELD(type, member, key, flag, initial, low, high, choices, unit, text)                                \
  {key, flag, ASP_FIELD_##type, offsetof(AspRunOptions, member), initial, low, high, choices, unit, text},
    ASP_RUN_FIELDS(ASP_RUN_FIELD)
#undef ASP_RUN_FIELD
};

const AspField *asp_run_fields(void) { return fields; }
int asp_run_field_count(void) { return (int)(sizeof fields / sizeof *fields); }

AspRunOptions asp_run_default_options(void) {
  AspRunOptions options = {.cookie = RUN_COOKIE};
  asp_fields_set_defaults(fields, (int)(sizeof fields / sizeof *fields), &options);
  return options;
}

AspError asp_run_validate(AspContext *context, const AspRunOptions *options) {
  if (options->cookie != RUN_COOKIE)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "run options did not come from asp_run_default_options()");
  ASP_TRY(asp_fields_validate(context, fields, (int)(sizeof fields / sizeof *fields), options));
  if (options->cone == ASP_CONE_CIRCUMSCRIBED && (options->directions < 4 || options->directions % 2))
    return asp_fail(context, ASP_ERROR_INPUT,
                    "friction.directions: %d is not an even number >= 4 (circumscribed polygon)", options->directions);
  if (options->accuracy_velocity > 0 && !(options->accuracy > 0 || options->accuracy_relative > 0))
    return asp_fail(context, ASP_ERROR_INPUT,
                    "accuracy_velocity: %g m/s alone does not say how early or late a jump may be; add accuracy (m) or "
                    "accuracy_relative",
                    options->accuracy_velocity);
  return asp_scheme_check_options(context, options, asp_impact_law_names[options->impact],
                                  asp_cone_kind_names[options->cone]);
}
