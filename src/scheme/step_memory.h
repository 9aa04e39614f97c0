/* What a time-stepping scheme keeps of the last step: how bodies were accelerated by everything that acts on them,
 * reactions included. The next step tells an impact from rest by it (formulate/unilateral.c). The functions are entries
 * of a row of the table of schemes. */
#ifndef ASP_SCHEME_STEP_MEMORY_H
#define ASP_SCHEME_STEP_MEMORY_H

#include "scheme/scheme.h"

typedef struct AspStepMemory {
  bool known;           /* a step was taken */
  double *acceleration; /* v_size: in the last step in which the body had no impact, m/s^2, rad/s^2 */
} AspStepMemory;

AspError asp_step_memory_create(const AspSchemeHost *host, void **run);
void asp_step_memory_destroy(const AspSchemeHost *host, void *run);
AspError asp_step_memory_prepare(const AspSchemeHost *host, void *run);
AspError asp_step_memory_accept(const AspSchemeHost *host, void *run);

#endif
