/* Moreau-Jean time stepping (docs/theory/time-stepping.md), theta in [1/2, 1]:
 *
 *   M v+ = M v + dt h(q + theta dt v, v, t + theta dt) + H r,   u = H^T v+ + w
 *   w_N  = e_N u_N-,   w_T = e_T u_T-      contacts that are met in the step;   joints: rate = 0
 *   q+   = q + dt G ((1 - theta) v + theta v+)
 *
 * For bodies that meet something, tau the part of the step at which they do (formulate/time_of_impact.c): positions
 * with theta = 1 - tau; rows, inertia and forces at q + tau dt v. Poisson's law and sequential impacts make v jump
 * before the step (impact.c). Forces are taken at the theta point, so that theta = 1/2 is of second order while
 * contacts keep their modes. The error of the theta rule in gaps and joints adds up as drift; asp_project_positions
 * removes it. */
#include "model/advance.h"
#include "model/sensor.h"
#include "scheme/predictor.h"
#include "scheme/scheme.h"
#include "scheme/sensed.h"

/* Accelerations of the last step; NULL: there was none. */
static const double *last_acceleration(const AspStepWork *work) {
  return work->memory && work->memory->known ? work->memory->acceleration : NULL;
}

static AspStepTerms step_terms(const AspStepWork *work, const double *known) {
  return (AspStepTerms){.level = ASP_LEVEL_VELOCITY,
                        .dt = work->dt,
                        .effort_time = work->dt,
                        .whole = work->whole,
                        .slop = work->slop,
                        .slop_turn = work->slop_turn,
                        .gap_tolerance = work->gap_tolerance,
                        .known_velocity = known,
                        .motions = work->motions,
                        .accelerated = last_acceleration(work),
                        .accelerated_over = work->memory ? work->memory->dt : 0};
}

static AspError meet(AspStepWork *work, const AspState *state) {
  AspStepTerms terms = step_terms(work, NULL);
  double *times;
  ASP_TRY(asp_step_meet(work, state, &terms, &times));
  work->time_of_impact = times;
  return ASP_OK;
}

/* The velocity that takes a body or a beam through the step. */
static void take_mean(const AspStepWork *work, int body, int first, int count, const double *before,
                      const double *after, double *mean) {
  double late = 1 - asp_part_of_step(work->time_of_impact, body, 1 - work->theta);
  for (int i = first; i < first + count; i++)
    mean[i] = (1 - late) * before[i] + late * after[i];
}

/* The same for all beams. */
static void take_beam_means(const AspStepWork *work, const double *before, const double *after, double *mean) {
  const AspModel *model = work->model;
  for (int beam = 0; beam < asp_model_beam_count(model); beam++) {
    int count, first = asp_model_beam_v(model, beam, &count);
    take_mean(work, asp_model_beam_station(model, beam, false), first, count, before, after, mean);
  }
}

/* Where the velocities of the start lead to, how bodies turn, and the velocities before the reactions. */
static AspError look_out(AspStepWork *work, const AspState *state, AspOutlook *outlook) {
  const AspModel *model = work->model;
  AspArena *arena = work->arena;
  bool extrapolated = work->impact == ASP_IMPACT_NEWTON && asp_step_is_extrapolated(work); // both follow there
  outlook->entry = asp_state_copied(model, arena, state);
  outlook->middle = extrapolated ? asp_state_copied(model, arena, state) : asp_state_in_step(work, state, work->theta);
  outlook->ahead =
      extrapolated ? asp_state_copied(model, arena, state) : asp_state_ahead(model, arena, state, work->dt);
  if (!outlook->middle.q || !outlook->entry.q || !outlook->ahead.q)
    return ASP_ERROR_MEMORY;
  const double *carried = work->memory ? work->memory->moment : NULL;
  outlook->turns = asp_turns_begin(model, arena, state, work->dt, work->time_of_impact, work->theta, carried,
                                   &outlook->middle, &outlook->entry);
  if (!outlook->turns)
    return ASP_ERROR_MEMORY;
  if (!extrapolated)
    asp_turns_look_ahead(model, outlook->turns, &outlook->ahead);
  return ASP_OK;
}

/* Positions at the end: each body with the mean of its velocities. */
static AspError advance(AspStepWork *work, const double *before, AspState *state) {
  const AspModel *model = work->model;
  int n = asp_body_velocities(asp_model_dimension(model)), bodies = asp_model_body_count(model);
  double *mean = ASP_TAKE(work->arena, double, asp_model_v_size(model));
  if (!mean)
    return ASP_ERROR_MEMORY;
  for (int body = 0; body < bodies; body++)
    take_mean(work, body, n * body, n, before, state->v, mean);
  take_beam_means(work, before, state->v, mean);
  asp_state_advance(model, state, mean, work->dt);
  asp_turns_advance(model, work->turn, state);
  return ASP_OK;
}

/* Is a beam met by something within the step? */
static bool beam_is_hit(const AspStepWork *work) {
  for (int beam = 0; work->time_of_impact && beam < asp_model_beam_count(work->model); beam++)
    if (work->time_of_impact[asp_model_beam_station(work->model, beam, false)] >= 0)
      return true;
  return false;
}

/* The step's problem with the middle where a beam comes to that is hit: what is made with its old velocity misses how
 * the hit turns it, and a straight way through that turn would stretch it. Leaves state->v as it was. */
static AspError formulate_again(AspStepWork *work, AspState *state, const double *before, const AspStepTerms *terms) {
  const AspModel *model = work->model;
  size_t size = (size_t)asp_model_v_size(model);
  double *mean = ASP_TAKE(work->arena, double, size);
  if (!mean)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_solve_problem(work, state, true));
  asp_state_spread_parallel(work->arena->context, model, state, work->x, state->v);
  memcpy(mean, before, size * sizeof *mean);
  take_beam_means(work, before, state->v, mean);
  memcpy(state->v, mean, size * sizeof *mean);
  AspOutlook outlook;
  AspError error = look_out(work, state, &outlook);
  work->turn = outlook.turns;
  memcpy(state->v, before, size * sizeof *before);
  ASP_TRY(error);
  return asp_formulate_step(work, state, &outlook.middle, work->theta, terms);
}

/* The laws of bodies that meet something hold for velocities that have turned freely up to there. */
static AspError take_free_rotation_off(const AspStepWork *work, const AspState *state, const AspTurn *turns,
                                       AspStepTerms *terms) {
  if (!terms->accelerated || !work->time_of_impact)
    return ASP_OK;
  size_t size = (size_t)asp_model_v_size(work->model);
  double *acceleration = ASP_TAKE_UNCLEARED(work->arena, double, size);
  if (!acceleration)
    return ASP_ERROR_MEMORY;
  memcpy(acceleration, terms->accelerated, size * sizeof *acceleration);
  asp_turns_take_off(work->model, state, turns, acceleration);
  terms->accelerated = acceleration;
  return ASP_OK;
}

AspError asp_step_moreau_jean(AspStepWork *work, AspState *state) {
  const AspModel *model = work->model;
  double theta = work->theta;
  int size = asp_model_v_size(model);
  AspOutlook outlook;
  ASP_TRY(look_out(work, state, &outlook));
  double *known = asp_known_velocity(model, work->arena, state, work->dt, false);
  double *before = ASP_TAKE(work->arena, double, size);
  if (!known || !before)
    return ASP_ERROR_MEMORY;
  AspStepTerms terms = step_terms(work, known);
  ASP_TRY(take_free_rotation_off(work, state, outlook.turns, &terms));
  for (int i = 0; i < size; i++)
    before[i] = state->v[i];
  AspSolverInfo impacts = {0};
  bool after = false;
  if (work->impact != ASP_IMPACT_NEWTON) {
    ASP_TRY(asp_impact_stage(work, state, &terms, &after));
    terms.phase = after ? ASP_PHASE_AFTER : ASP_PHASE_STEP;
    impacts = work->solved;
  }
  if (after) {
    asp_turns_kick(model, state, outlook.turns);
    memcpy(outlook.entry.v, state->v, (size_t)size * sizeof *outlook.entry.v);
  }
  terms.ahead = asp_model_beam_count(model) == 0 ? &outlook.ahead : NULL;
  if (!after)
    ASP_TRY(asp_predict_step(work, state, &terms, &outlook));
  work->turn = outlook.turns; // problems of impacts before the step have none
  Sensed sensed = {.work = work,
                   .state = state,
                   .entry = &outlook.entry,
                   .forced = &outlook.middle,
                   .theta = theta,
                   .terms = &terms};
  bool senses = asp_model_senses_velocity(model);
  if (senses && !asp_sensed_begin(&sensed))
    return ASP_ERROR_MEMORY;
  ASP_TRY(senses ? asp_sensed_expect(&sensed)
                 : asp_formulate_step(work, &outlook.entry, &outlook.middle, theta, &terms));
  if (!after && beam_is_hit(work))
    ASP_TRY(formulate_again(work, state, before, &terms));
  ASP_TRY(asp_solve_step(work, state));
  if (senses)
    asp_sensed_end(&sensed);
  if (after)
    asp_solved_combine(&work->solved, &impacts);
  return advance(work, before, state);
}

/* The problem of the step without impacts before it. */
static AspError formulate(AspStepWork *work, const AspState *state) {
  AspOutlook outlook;
  double *known = asp_known_velocity(work->model, work->arena, state, work->dt, false);
  if (!known)
    return ASP_ERROR_MEMORY;
  ASP_TRY(look_out(work, state, &outlook));
  AspStepTerms terms = step_terms(work, known);
  terms.ahead = asp_model_beam_count(work->model) == 0 ? &outlook.ahead : NULL;
  ASP_TRY(asp_predict_step(work, state, &terms, &outlook));
  work->turn = outlook.turns;
  return asp_formulate_step(work, &outlook.entry, &outlook.middle, work->theta, &terms);
}

const AspSchemeType asp_scheme_moreau_jean = {
    .selects = true,
    .friction_models = true,
    .impact_laws = true,
    .restitution = true,
    .resistance = true,
    .beams = true,
    .bearing_friction = true,
    .armature = true,
    .turning_surfaces = true,
    .uses_projection = true,
    .projects = true,
    .refines_contacts = true,
    .makes_consistent = true,
    .order = 2,
    .locates = true,
    .impacts_before = true,
    .confirms = true,
    .late_solves = ASP_LATE_SOLVES,
    .create = asp_step_memory_create,
    .destroy = asp_step_memory_destroy,
    .copy = asp_step_memory_copy,
    .archive = asp_step_memory_archive,
    .disturb = asp_step_memory_disturb,
    .prepare = asp_step_memory_prepare,
    .accept = asp_step_memory_accept,
    .meet = meet,
    .step = asp_step_moreau_jean,
    .formulate = formulate,
    .rehearse = asp_step_moreau_jean,
};
