/* Where a step of Moreau-Jean is expected to come to, see predictor.c. */
#ifndef ASP_SCHEME_PREDICTOR_H
#define ASP_SCHEME_PREDICTOR_H

#include "scheme/step_memory.h"

/* What a step is made of before its problem is known. */
typedef struct AspOutlook {
  AspState entry;  /* its start, with the velocities that count as before the reactions */
  AspState middle; /* where rows and forces are taken; comes in as reached with the velocities of the start */
  AspState ahead;  /* where it is expected to end; comes in as reached with the velocities of the start */
  AspTurn *turns;  /* of bodies, before the moments of the step */
} AspOutlook;

/* Will asp_predict_step know middle and end from the last steps, whatever the outlook has? */
bool asp_step_is_extrapolated(const AspStepWork *work);
/* Improve middle and end, and fill work->taut. */
AspError asp_predict_step(AspStepWork *work, const AspState *state, const AspStepTerms *terms, AspOutlook *outlook);

#endif
