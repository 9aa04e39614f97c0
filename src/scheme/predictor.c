/* Where a step of Moreau-Jean is expected to come to, by its joints: v*, from which follow
 *
 *   the middle  q_m = q + dt/4 (v + v*),  v_m = (v + v*)/2      rows, forces
 *   the end     q*  = q + dt/2 (v + v*)                         what rows change by from the middle on
 *   stiffness   K of the joints' forces acts on v+ - v* (formulate/taut.c)
 *
 * v* solves the step's own problem without contacts, whose forces are expected to be those of the last steps: first
 * with v in place of v*, then again with the better middle, until the turns of the bodies change no more
 * (PREDICTOR_TURN) or PREDICTOR_SOLVES are done. Each of them leaves the scheme of second order; they take out most of
 * the error of mechanisms that turn by a tenth of a radian and more in a step. Where steps follow each other smoothly,
 * v* = v + dt a is as good, a the accelerations of the last two of them extrapolated: nothing is solved where that
 * would have put the middle of the last step off by no more than PREDICTOR_SURPRISE, or was no farther off than the
 * last solve, which does not know how contacts change their forces. Mechanisms at rest do without (PREDICTOR_REST), and
 * so do steps with impacts, and beams: what they come to is not the mean of two velocities.
 * Depends on step.c. */
#include "scheme/predictor.h"
#include "linalg/sparse.h"
#include "model/advance.h"
#include "scheme/tuning/scheme.h"

#include <math.h>

/* What a round of prediction works on. */
typedef struct Prediction {
  AspStepWork *work;
  const AspState *state;
  AspStepTerms terms;
  AspOutlook *outlook;
  AspTurn *turns;   /* of this round */
  double *expected; /* v_size: v* as the problem has it */
  double *mean;     /* v_size */
  double *force;    /* joints x ASP_JOINT_FORCES */
} Prediction;

/* Middle and end by the expected velocities. */
static void look_ahead(Prediction *p) {
  const AspModel *model = p->work->model;
  AspOutlook *outlook = p->outlook;
  int size = asp_model_v_size(model);
  double dt = p->work->dt;
  asp_state_copy(model, p->state, &outlook->ahead);
  for (int i = 0; i < size; i++)
    p->mean[i] = 0.5 * (p->state->v[i] + p->expected[i]);
  asp_state_expect(NULL, model, &outlook->ahead, p->mean, dt);
  for (int body = 0; body < asp_model_body_count(model); body++) // those of kinematic bodies are there
    if (asp_model_body_dof(model, body) >= 0) {
      size_t n = (size_t)asp_body_velocities(asp_model_dimension(model));
      memcpy(outlook->ahead.v + n * (size_t)body, p->expected + n * (size_t)body, n * sizeof(double));
    }
  asp_turns_advance(model, p->turns, &outlook->ahead);
  for (int i = 0; i < size; i++)
    p->mean[i] = 0.5 * (p->state->v[i] + outlook->ahead.v[i]);
  asp_state_copy(model, p->state, &outlook->middle);
  memcpy(outlook->middle.v, p->mean, (size_t)size * sizeof *p->mean);
  asp_state_expect(NULL, model, &outlook->middle, p->mean, p->work->theta * dt);
  asp_turns_shift_middle(model, outlook->turns, &outlook->ahead, p->work->theta * dt, &outlook->middle);
}

/* Forces of contacts that are expected. */
static void add_contacts(const AspStepWork *work, double *f) {
  int n = asp_body_velocities(asp_model_dimension(work->model));
  for (int body = 0; work->memory && body < asp_model_body_count(work->model); body++) {
    int dof = asp_model_body_dof(work->model, body);
    for (int i = 0; dof >= 0 && i < n; i++)
      f[dof + i] += work->dt * work->memory->contact[n * body + i];
  }
}

/* The largest turn within the step, rad, by which the middle moved: dt/4 |dw|. */
static double change_of(const Prediction *p, const double *x) {
  const AspModel *model = p->work->model;
  int n = asp_body_velocities(asp_model_dimension(model)), d = asp_model_dimension(model);
  double most = 0;
  for (int body = 0; body < asp_model_body_count(model); body++) {
    int dof = asp_model_body_dof(model, body);
    for (int i = d; dof >= 0 && i < n; i++)
      most = fmax(most, fabs(x[dof + i] - p->expected[n * body + i]));
  }
  return 0.25 * p->work->dt * most;
}

static bool is_usable(const AspStepWork *trial) {
  return trial->solved.residual.E2 <= PREDICTOR_RESIDUAL && !asp_step_has_impact(trial) &&
         asp_all_finite(trial->x, (size_t)trial->formulation.problem.dofs);
}

/* Once more; *change: see change_of; negative: this step is not to be predicted. */
static AspError predict(Prediction *p, double before, double *change) {
  const AspModel *model = p->work->model;
  AspStepWork trial = *p->work;
  *change = -1;
  trial.frames = NULL;
  trial.frame_count = 0;
  trial.solver = trial.projector;
  trial.guess = NULL;
  trial.is_trial = true;
  trial.sharp = NULL;
  trial.turn = p->turns;
  trial.taut = (AspTaut){.force = p->work->taut.force ? p->force : NULL, .velocity = p->expected};
  memcpy(p->turns, p->outlook->turns, (size_t)asp_model_body_count(model) * sizeof *p->turns);
  ASP_TRY(asp_formulate_step(&trial, &p->outlook->entry, &p->outlook->middle, trial.theta, &p->terms));
  add_contacts(&trial, trial.formulation.problem.f);
  ASP_TRY(asp_solve_problem(&trial, p->state, false));
  asp_count_aside(p->work, &trial.solved);
  if (!is_usable(&trial))
    return ASP_OK;
  double moved = change_of(p, trial.x);
  if (moved > PREDICTOR_CONTRACTION * before) // what is left is not to be trusted
    return ASP_OK;
  *change = moved;
  asp_state_spread(model, p->state, trial.x, p->expected);
  asp_step_joint_forces(&trial, p->force);
  look_ahead(p);
  return ASP_OK;
}

/* Do the accelerations of the last step hardly move the middle, turns in rad and ways over the largest
 * body's reach? Then it is where the velocities of the start lead. */
static bool is_resting(const AspStepWork *work) {
  const AspModel *model = work->model;
  int n = asp_body_velocities(asp_model_dimension(model)), d = asp_model_dimension(model);
  bool resting = work->memory && work->memory->known && work->reach;
  double reach = 0, most = PREDICTOR_REST / (0.25 * work->dt * work->dt);
  for (int body = 0; resting && body < asp_model_body_count(model); body++)
    reach = isfinite(work->reach[body]) ? fmax(reach, work->reach[body]) : reach;
  for (int body = 0; resting && body < asp_model_body_count(model); body++)
    for (int i = 0; resting && asp_model_body_dof(model, body) >= 0 && i < n; i++)
      resting = fabs(work->memory->acceleration[n * body + i]) <= (i < d ? most * reach : most);
  return resting;
}

/* Were the last steps such that the next is known from them as well as by a solve? Errors grow with its length. */
static bool is_smooth(const AspStepWork *work) {
  const AspStepMemory *memory = work->memory;
  if (!memory || !memory->known || !isfinite(memory->extrapolated))
    return false;
  double dt = work->dt, turn = 0.25 * dt * dt * memory->extrapolated * fmax(1, dt / memory->dt);
  return turn <= PREDICTOR_SURPRISE || (memory->ago < PREDICTOR_KNOWN && memory->extrapolated <= memory->solved);
}

/* The expected velocities by the accelerations of the last steps. */
static void extrapolate(Prediction *p) {
  const AspModel *model = p->work->model;
  int size = asp_model_v_size(model);
  asp_turns_find_ends(model, p->outlook->turns); // for both
  memcpy(p->turns, p->outlook->turns, (size_t)asp_model_body_count(model) * sizeof *p->turns);
  for (int body = 0; body < asp_model_body_count(model); body++)
    if (p->turns[body].active) // without a moment: all of it is in the velocity
      asp_turn_complete((AspVec3){0, 0, 0}, p->work->dt, &p->turns[body]);
  for (int i = 0; i < size; i++)
    p->expected[i] += p->work->dt * asp_memory_extrapolate(p->work->memory, p->work->dt, i);
  look_ahead(p);
}

static AspError make_room(Prediction *p) {
  const AspStepWork *work = p->work;
  AspArena *arena = work->arena;
  size_t size = (size_t)asp_model_v_size(work->model),
         forces = ASP_JOINT_FORCES * (size_t)asp_model_joint_count(work->model);
  p->turns = ASP_TAKE(arena, AspTurn, asp_model_body_count(work->model));
  p->expected = ASP_TAKE(arena, double, size);
  p->mean = ASP_TAKE(arena, double, size);
  p->force = ASP_TAKE(arena, double, forces);
  if (!p->turns || !p->expected || !p->mean || !p->force)
    return ASP_ERROR_MEMORY;
  memcpy(p->expected, p->outlook->entry.v, size * sizeof *p->expected);
  if (work->taut.force)
    memcpy(p->force, work->taut.force, forces * sizeof *p->force);
  return ASP_OK;
}

/* Is the step one that is predicted? */
static bool is_predicted(const AspStepWork *work) {
  return asp_model_joint_count(work->model) > 0 && asp_model_beam_count(work->model) == 0 && !work->time_of_impact &&
         !is_resting(work);
}

bool asp_step_is_extrapolated(const AspStepWork *work) { return is_predicted(work) && is_smooth(work); }

AspError asp_predict_step(AspStepWork *work, const AspState *state, const AspStepTerms *terms, AspOutlook *outlook) {
  const AspModel *model = work->model;
  bool known = work->memory && work->memory->known;
  work->foreseen = NULL;
  if (asp_model_joint_count(model) == 0 || asp_model_beam_count(model) > 0)
    return ASP_OK;
  work->taut = (AspTaut){.force = known ? work->memory->joint_force : NULL, .velocity = outlook->entry.v};
  if (!is_predicted(work))
    return ASP_OK;
  Prediction p = {.work = work, .state = state, .terms = *terms, .outlook = outlook};
  ASP_TRY(make_room(&p));
  if (is_smooth(work)) {
    extrapolate(&p);
    work->taut.velocity = p.expected;
    return ASP_OK;
  }
  AspState middle = asp_state_copied(model, work->arena, &outlook->middle);
  AspState ahead = asp_state_copied(model, work->arena, &outlook->ahead);
  if (!middle.q || !ahead.q)
    return ASP_ERROR_MEMORY;
  double change = INFINITY;
  for (int k = 0; k < PREDICTOR_SOLVES && change > PREDICTOR_TURN; k++) {
    double before = change;
    ASP_TRY(predict(&p, before, &change));
    if (change < 0 && k > 0)
      break;
    if (change < 0) { // as with the velocities of the start
      outlook->middle = middle;
      outlook->ahead = ahead;
      return ASP_OK;
    }
  }
  work->taut = (AspTaut){.force = p.force, .velocity = p.expected};
  work->foreseen = p.expected;
  return ASP_OK;
}
