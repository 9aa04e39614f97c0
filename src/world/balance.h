/* Energy and momentum from step to step (balance.c). */
#ifndef ASP_WORLD_BALANCE_H
#define ASP_WORLD_BALANCE_H

#include "asperity/world.h"

/* Momentum of all bodies, or impulse of all that is not free to move, and its moment about the origin,
 * N s and N m s. */
typedef struct AspMomentumSum {
  AspVec3 linear, angular;
} AspMomentumSum;
typedef AspMomentumSum AspOutsideImpulse;

typedef struct StepBalance {
  AspEnergy energy;        /* at the start of the step */
  AspMomentumSum momentum; /* the same, from the second step on */
  /* schemes that integrate smooth motion: flow and outside impulse of the step were counted along the way */
  bool integrated;
  AspEnergyFlow flow;
  AspOutsideImpulse outside;
} StepBalance;

#endif
