/* Moving a large state by several threads. */
#ifndef ASP_MODEL_ADVANCE_H
#define ASP_MODEL_ADVANCE_H

#include "asperity/model.h"

/* asp_state_advance by so many threads; the same bits for any number. */
void asp_state_advance_shared(const AspModel *model, AspState *state, const double *velocity, double dt, int threads);

#endif
