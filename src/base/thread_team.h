/* The context's thread team, for base alone: see parallel.h. */
#ifndef ASP_BASE_THREAD_TEAM_H
#define ASP_BASE_THREAD_TEAM_H

#include "asperity/base.h"

typedef struct AspThreadTeam AspThreadTeam;

/* Where the context keeps it; NULL: there is none. */
AspThreadTeam **asp_context_team(AspContext *context);

#endif
