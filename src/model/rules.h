/* Rules at a state (rule.c), for the world. Depends on the public header. */
#ifndef ASP_MODEL_RULES_H
#define ASP_MODEL_RULES_H

#include "asperity/model.h"

/* Events whose condition became true act; a condition that is not a number is an error. *switched: joints were closed
 * or released. */
AspError asp_rules_apply(AspContext *context, const AspModel *model, AspState *state, bool *switched);

#endif
