/* Energy and momentum from step to step (balance.c). */
#ifndef ASP_WORLD_BALANCE_H
#define ASP_WORLD_BALANCE_H

#include "scheme/scheme.h"
#include "world/step_view.h"

typedef struct StepBalance {
  AspEnergy energy;        /* at the start of the step */
  AspMomentumSum momentum; /* the same, from the second step on */
  /* schemes that integrate smooth motion: flow and outside impulse of the step were counted along the way */
  AspEnergyFlow flow;
  AspOutsideImpulse outside;
  double captured; /* J: lost where joints closed at the start of the step; counts as impacts */
} StepBalance;

/* The step begins with the velocities of this state, after joints closed and took `loss` (J). */
void asp_balance_capture(StepBalance *balance, const AspModel *model, const AspState *state, double loss);

/* Energies and momenta of the step just accepted (info->energy, flow, momentum). */
AspError asp_balance_close(StepBalance *balance, const StepView *view, const AspSchemeType *scheme, AspStepInfo *info);
/* Add what reactions r (impulses) on the formulation's rows, the frames' impulses of the step's work, and the scene's
 * forces over dt do at the state `middle` with its velocities. Forces in place of impulses and dt = 1: per second. */
AspError asp_balance_count_flow(const StepView *view, const AspSchemeType *scheme, const AspState *middle, double dt,
                                const AspFormulation *formulation, const double *r, AspEnergyFlow *flow,
                                AspOutsideImpulse *outside);
/* The state that the mean velocity (v- + v+) / 2 leads to in half a step, with that velocity, as far as
 * asp_balance_count_flow asks for it; on the arena. */
AspError asp_balance_middle(const StepView *view, AspState *middle);
AspError asp_balance_archive(StepBalance *balance, AspArchive *archive);

#endif
