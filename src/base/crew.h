/* The context's crew, for base alone: see parallel.h. */
#ifndef ASP_BASE_CREW_H
#define ASP_BASE_CREW_H

#include "asperity/base.h"

typedef struct AspCrew AspCrew;

/* Where the context keeps it; NULL: there is none. */
AspCrew **asp_context_crew(AspContext *context);

#endif
