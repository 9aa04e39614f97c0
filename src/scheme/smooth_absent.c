/* Smooth motion in builds without CVODE (WebAssembly): refused by name, with what works in its place. */
#include "scheme/smooth.h"

AspError asp_smooth_open(const AspSmooth *smooth, const AspState *state, const double *further,
                         AspSmoothMotion **motion) {
  (void)state;
  (void)further;
  *motion = NULL;
  return asp_fail(smooth->context, ASP_ERROR_UNSUPPORTED,
                  "the schemes event-driven and compliant integrate smooth motion by CVODE, which this build does not "
                  "have; use \"scheme\": \"moreau-jean\"");
}

void asp_smooth_close(AspSmoothMotion *motion) { (void)motion; }

AspError asp_smooth_advance(AspSmoothMotion *motion, double t, AspState *state, double *further, int *fired,
                            AspSmoothEnd *end, int *flag) {
  (void)motion;
  (void)t;
  (void)state;
  (void)further;
  (void)fired;
  *end = ASP_SMOOTH_STUCK;
  *flag = 0;
  return ASP_ERROR_UNSUPPORTED; // no motion was opened
}

AspError asp_smooth_archive(AspArchive *archive, const AspSmooth *smooth, AspSmoothMotion **motion) {
  (void)archive;
  (void)smooth;
  *motion = NULL;
  return ASP_ERROR_UNSUPPORTED;
}

double asp_smooth_error(const AspSmoothMotion *motion) {
  (void)motion;
  return 0;
}
