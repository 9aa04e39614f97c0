/* A run as a whole: what its steps add up to, and when it is at its end. */
#include "asperity/world.h"
#include "world/tuning/world.h"

#include <math.h>

static double total(AspEnergy energy) { return energy.kinetic + energy.gravitational + energy.elastic; }

/* max(worst, value) that keeps a NaN */
static double worse(double worst, double value) { return isnan(worst) || worst >= value ? worst : value; }

void asp_run_summary_start(AspRunSummary *summary, const AspWorld *world) {
  const AspState *state = asp_world_state(world);
  *summary = (AspRunSummary){.time = state->t, .joint_drift_max = asp_world_joint_drift(world)};
  summary->energy_initial = summary->energy_final = total(asp_model_energy(asp_world_model(world), state));
}

void asp_run_summary_add(AspRunSummary *summary, const AspStepInfo *info) {
  summary->steps = info->step;
  summary->time = info->t;
  summary->steps_uncertified += !info->certified;
  summary->steps_unresolved += !info->resolved;
  summary->instants_none += info->instant_solutions == 0;
  summary->instants_several += info->instant_solutions > 1;
  summary->instants_unchecked += info->instant_solutions < 0;
  summary->steps_chosen += info->alternatives > 1;
  summary->steps_unchecked += info->alternatives == 0;
  summary->steps_shared += info->load_sharing > 0;
  summary->steps_unshared += info->load_sharing < 0;
  summary->steps_impulse += info->impulse;
  if (info->alternatives > summary->alternatives_max)
    summary->alternatives_max = info->alternatives;
  summary->steps_divided += info->parts > 1;
  summary->steps_retried += info->attempts > 1;
  summary->residual_max = worse(summary->residual_max, info->residual.E2);
  summary->residual_data_max = worse(summary->residual_data_max, info->residual.E3);
  summary->residual_exact_max = worse(summary->residual_exact_max, info->residual.exact);
  summary->residual_contact_max = worse(summary->residual_contact_max, info->residual.contact);
  summary->penetration_max = worse(summary->penetration_max, info->penetration);
  summary->joint_drift_max = worse(summary->joint_drift_max, info->joint_drift);
  summary->energy_final = total(info->energy);
  asp_energy_flow_add(&summary->flow, &info->flow);
  summary->contacts_max = info->contacts > summary->contacts_max ? info->contacts : summary->contacts_max;
}

bool asp_world_at_end(const AspWorld *world) {
  const AspRunOptions *options = asp_world_options(world);
  return options->until - asp_world_state(world)->t <= WORLD_END * options->dt || asp_world_stop_reason(world);
}
