/* Moving a large state by several threads. */
#ifndef ASP_MODEL_ADVANCE_H
#define ASP_MODEL_ADVANCE_H

#include "asperity/model.h"

/* asp_state_spread by the context's team, */
void asp_state_spread_parallel(AspContext *context, const AspModel *model, const AspState *state, const double *x,
                               double *v);
/* and asp_state_advance by the context's team; the same bits for any number of threads. */
void asp_state_advance_parallel(AspContext *context, const AspModel *model, AspState *state, const double *velocity,
                                double dt);
/* The same for a state that is looked at and not kept: angles of joints as their rates expect them, good enough to
 * count full turns by, as coordinates do. */
void asp_state_expect(AspContext *context, const AspModel *model, AspState *state, const double *velocity, double dt);

#endif
