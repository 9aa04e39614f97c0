/* Loads that depend on velocities, within a step (sensed.c). */
#ifndef ASP_SCHEME_SENSED_H
#define ASP_SCHEME_SENSED_H

#include "scheme/step.h"

typedef struct Sensed {
  AspStepWork *work;
  AspState *state;       /* at the start; its velocities are changed and put back */
  const AspState *entry; /* as asp_formulate_step has it, */
  AspState *forced;      /* with inputs of its own */
  double theta;
  const AspStepTerms *terms;

  double *before, *mean, *change, *last; /* own: v_size */
  AspTurn *turns;                        /* as they were before the first formulation */
  double relaxation;
} Sensed;

/* False: out of memory. */
bool asp_sensed_begin(Sensed *sensed);
/* The step's problem into the work, with loads at the velocities that it leads to. */
AspError asp_sensed_expect(Sensed *sensed);
/* Behind its solution: what the loads miss, into work->missed. */
void asp_sensed_end(Sensed *sensed);

#endif
