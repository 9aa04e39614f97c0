/* Energy and momentum from step to step (balance.c). */
#ifndef ASP_WORLD_BALANCE_H
#define ASP_WORLD_BALANCE_H

#include "asperity/world.h"
#include "scheme/scheme.h"

typedef struct StepBalance {
  AspEnergy energy;        /* at the start of the step */
  AspMomentumSum momentum; /* the same, from the second step on */
  /* schemes that integrate smooth motion: flow and outside impulse of the step were counted along the way */
  AspEnergyFlow flow;
  AspOutsideImpulse outside;
} StepBalance;

#endif
