/* LCP methods on an arena, for use inside the solver layer; the public functions wrap them. */
#ifndef ASP_SOLVER_LCP_H
#define ASP_SOLVER_LCP_H

#include "asperity/solver.h"
#include "base/base.h"

/* Cookie and ranges; the first field out of range is named. */
AspError asp_lcp_check_options(AspContext *context, const AspLcpOptions *options);

/* As the public functions; options have been checked. Scratch comes from the arena and is given back. */
AspError asp_lemke_solve(AspArena *arena, const AspLcp *lcp, const AspLcpOptions *options, double *z, double *ray,
                         AspLcpInfo *info);
AspError asp_mixed_lemke_solve(AspArena *arena, const AspMixedLcp *lcp, const AspLcpOptions *options, double *z,
                               int *kept, AspLcpInfo *info);

#endif
