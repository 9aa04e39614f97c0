/* Options of the LCP methods from one field list: defaults and validation. */
#include "asperity/options.h"
#include "solver/lcp.h"

#include <limits.h>

#define LCP_COOKIE UINT32_C(0x4153504c)

static const AspField fields[] = {
    {"tolerance", NULL, ASP_FIELD_REAL, offsetof(AspLcpOptions, tolerance), 1e-10, 1e-15, 1, NULL, "",
     "tolerance on the residual of the LCP"},
    {"max_iterations", NULL, ASP_FIELD_INTEGER, offsetof(AspLcpOptions, max_iterations), 0, 0, INT_MAX, NULL, "",
     "pivots (Lemke) or sweeps (Gauss-Seidel); 0: chosen from n"},
    {"relaxation", NULL, ASP_FIELD_REAL, offsetof(AspLcpOptions, relaxation), 1, 1e-6, 2 - 1e-6, NULL, "",
     "projected Gauss-Seidel: over- or under-relaxation"},
};

AspLcpOptions asp_lcp_default_options(void) {
  AspLcpOptions options = {.cookie = LCP_COOKIE};
  asp_fields_set_defaults(fields, (int)(sizeof fields / sizeof *fields), &options);
  return options;
}

AspError asp_lcp_check_options(AspContext *context, const AspLcpOptions *options) {
  if (options->cookie != LCP_COOKIE)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "LCP options: take them from asp_lcp_default_options()");
  return asp_fields_validate(context, fields, (int)(sizeof fields / sizeof *fields), options);
}
