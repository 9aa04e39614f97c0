/* Stewart-Trinkle time stepping (Trinkle 2003, section 3; docs/theory/time-stepping.md, docs/theory/trinkle.md):
 *
 *   M v+ = M v + dt h + H r,     u = H^T v+ + w,     q+ = q + dt G v+
 *   w_N  = gap/dt + dgap/dt      contacts            w = Psi/dt + dPsi/dt      joints
 *
 * v, v+: velocities at start and end, h: forces, r: impulses, G: from velocities to rates of the coordinates. Impacts
 * are inelastic. */
#include "model/advance.h"
#include "model/sensor.h"
#include "scheme/sensed.h"
#include "scheme/step_memory.h"

/* Forces of joints that turn faster than the step resolves (formulate/taut.c). */
static void take_taut(AspStepWork *work, const AspState *state) {
  if (work->memory && work->memory->known)
    work->taut = (AspTaut){.force = work->memory->joint_force, .velocity = state->v, .stiff_only = true};
}

/* Keep the joints' forces, where there are joints. */
static AspError accept(const AspSchemeHost *host, void *run) {
  AspStepMemory *memory = run;
  memory->known = asp_model_joint_count(host->model) > 0;
  if (memory->known)
    asp_step_joint_forces(host->work, memory->joint_force);
  return ASP_OK;
}

/* With loads at the velocities that they lead to. */
static AspError solve_sensed(AspStepWork *work, AspState *state, const AspStepTerms *terms) {
  AspState entry = asp_state_copied(work->model, work->arena, state),
           forced = asp_state_copied(work->model, work->arena, state);
  Sensed sensed = {.work = work, .state = state, .entry = &entry, .forced = &forced, .theta = 1, .terms = terms};
  if (!entry.q || !forced.q || !asp_sensed_begin(&sensed))
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_sensed_expect(&sensed));
  ASP_TRY(asp_solve_step(work, state));
  asp_sensed_end(&sensed);
  return ASP_OK;
}

AspError asp_step_stewart_trinkle(AspStepWork *work, AspState *state) {
  double *known = asp_known_velocity(work->model, work->arena, state, work->dt, true);
  if (!known)
    return ASP_ERROR_MEMORY;
  AspStepTerms terms = {.level = ASP_LEVEL_POSITION,
                        .dt = work->dt,
                        .separation = work->separation,
                        .effort_time = work->dt,
                        .gap_tolerance = work->gap_tolerance,
                        .known_velocity = known};
  take_taut(work, state);
  if (asp_model_senses_velocity(work->model))
    ASP_TRY(solve_sensed(work, state, &terms));
  else {
    ASP_TRY(asp_formulate_step(work, state, state, 1, &terms));
    ASP_TRY(asp_solve_step(work, state));
  }
  asp_state_advance_parallel(work->arena->context, work->model, state, state->v, work->dt);
  return ASP_OK;
}

AspError asp_formulate_stewart_trinkle(AspStepWork *work, const AspState *state) {
  double *known = asp_known_velocity(work->model, work->arena, state, work->dt, true);
  if (!known)
    return ASP_ERROR_MEMORY;
  AspStepTerms terms = {.level = ASP_LEVEL_POSITION, .dt = work->dt, .effort_time = work->dt, .known_velocity = known};
  take_taut(work, state);
  return asp_formulate_step(work, state, state, 1, &terms);
}

const AspSchemeType asp_scheme_stewart_trinkle = {
    .selects = true,
    .friction_models = true,
    .resistance = true,
    .beams = true,
    .bearing_friction = true,
    .armature = true,
    .turning_surfaces = true,
    .throws_apart = true,
    .mean_velocities = true,
    .locates_rates = true,
    .late = ASP_LATE_ALL_CROSSED,
    .late_solves = ASP_LATE_SOLVES,
    .create = asp_step_memory_create,
    .destroy = asp_step_memory_destroy,
    .copy = asp_step_memory_copy,
    .archive = asp_step_memory_archive,
    .disturb = asp_step_memory_disturb,
    .prepare = asp_step_memory_prepare,
    .accept = accept,
    .step = asp_step_stewart_trinkle,
    .formulate = asp_formulate_stewart_trinkle,
    .rehearse = asp_step_stewart_trinkle,
};
