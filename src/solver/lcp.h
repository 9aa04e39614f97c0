/* LCP methods on an arena, for use inside the solver layer; the public functions wrap them. */
#ifndef ASP_SOLVER_LCP_H
#define ASP_SOLVER_LCP_H

#include "asperity/solver.h"
#include "base/base.h"

/* Cookie and ranges; the first field out of range is named. */
AspError asp_lcp_check_options(AspContext *context, const AspLcpOptions *options);

/* What a caller may watch and limit; NULL: nothing. */
typedef struct LcpHooks {
  double deadline; /* asp_clock_seconds() at which to stop with TIME_LIMIT; 0: never */
  /* called per pivot with the artificial variable z0 relative to q: how far the point is from complementary */
  void (*progress)(void *user, int iteration, double residual);
  void *user;
} LcpHooks;

/* As the public functions; options have been checked. Scratch comes from the arena and is given back. */
AspError asp_lemke_solve(AspArena *arena, const AspLcp *lcp, const AspLcpOptions *options, const LcpHooks *hooks,
                         double *z, double *ray, AspLcpInfo *info);
AspError asp_mixed_lemke_solve(AspArena *arena, const AspMixedLcp *lcp, const AspLcpOptions *options,
                               const LcpHooks *hooks, double *z, int *kept, AspLcpInfo *info);

#endif
