/* Impacts before the step, for laws other than Newton's (docs/theory/impacts.md). At the instant of impact, on average
 * the middle of the step, the velocities are v1 = v + dt/2 M^-1 h. They jump,
 *
 *   M (v2 - v1) = H r,
 *
 * and the step goes on from v + (v2 - v1) with its forces; contacts that were hit stay closed in it, without
 * restitution.
 *
 *   Poisson      compression, all closed contacts inelastic: impulses r_C. Then expansion, where each contact returns
 *                at least e r_C,N:   r_N = e r_C,N + s,  0 <= s _|_ u_N >= 0,  with Coulomb's friction for that r_N
 *   sequential   one contact after another by Newton's law, the fastest approach first, until none approaches faster
 *                than what counts as rest; equally fast ones together, so that symmetry is kept
 *
 * The event-driven scheme has impacts at their own instants (asp_impact_at): the same without forces, v1 = v, and
 * Newton's law for all closed contacts at once besides.
 *
 * Joints hold in every one of these problems; motors, springs and dry joint friction have no impulse at an instant. */
#include "formulate/blocks.h"
#include "scheme/step.h"
#include "scheme/tuning/scheme.h"

#include <math.h>

typedef struct Impact {
  AspStepWork *work;
  AspState state;     /* at the instant: v is the one that jumps */
  AspStepTerms terms; /* of the problems */
  AspSolverInfo solved;
  int joint_rows;
  /* sees every problem solved; may be NULL */
  void (*see)(void *user, const AspStepWork *work);
  void *see_user;
  bool balances; /* work->gain is asked for: Newton's law at an instant */
} Impact;

/* As the judge divides it. */
static double contact_error(const AspResidual *residual) {
  return residual->contact * (residual->mean_normal > 0 ? residual->mean_normal : 1);
}

void asp_solved_combine(AspSolverInfo *solved, const AspSolverInfo *other) {
  AspResidual *a = &solved->residual;
  const AspResidual *b = &other->residual;
  a->E1 = fmax(a->E1, b->E1);
  a->E2 = fmax(a->E2, b->E2);
  a->E3 = fmax(a->E3, b->E3);
  a->E2_rounding = fmax(a->E2_rounding, b->E2_rounding);
  a->E3_rounding = fmax(a->E3_rounding, b->E3_rounding);
  a->exact = fmax(a->exact, b->exact);
  // the error of a contact in N s over the larger load: without load it is rounding over rounding
  double error = fmax(contact_error(a), contact_error(b)), mean = fmax(a->mean_normal, b->mean_normal);
  a->contact = error / (mean > 0 ? mean : 1);
  a->mean_normal = mean;
  solved->iterations += other->iterations;
  if (other->status != ASP_STATUS_SOLVED)
    solved->status = other->status;
}

/* Rows of the joints' conditions: the first ones of every problem. */
static int count_joint_rows(const AspFormulation *formulation) {
  int block = 0;
  while (block < formulation->blocks && formulation->tag[block].role == ASP_ROLE_JOINT)
    block++;
  return formulation->offset[block];
}

/* Impulses of the problem just solved, onto those of the frames and joints. */
static void collect_impulses(Impact *impact, AspImpactPhase phase) {
  AspStepWork *work = impact->work;
  const AspFormulation *formulation = &work->formulation;
  for (int k = 0; k < impact->joint_rows; k++)
    work->impact_r[k] += work->r[k];
  for (int b = 0; b < formulation->blocks; b++) {
    AspBlockRole role = formulation->tag[b].role;
    if (!asp_role_is_of_contact(role))
      continue;
    AspContactFrame *frame = &work->frames[formulation->tag[b].index];
    int first = formulation->offset[b], count = formulation->offset[b + 1] - first;
    asp_contact_add_impulse(work->model, frame, role, count, work->r + first, frame->impulse, frame->moment);
    if (role != ASP_ROLE_CONTACT)
      continue;
    if (phase == ASP_PHASE_EXPANSION)
      frame->impulse[0] += frame->restitution * frame->compression;
    if (phase == ASP_PHASE_COMPRESSION)
      frame->compression = fmax(work->r[first], 0);
  }
}

/* f of an expansion: the impulses that are given back are known. */
static void add_given_back(Impact *impact) {
  AspStepWork *work = impact->work;
  const AspFormulation *formulation = &work->formulation;
  const AspSparse *H = &formulation->problem.H;
  int dofs = asp_model_dof_count(work->model);
  for (int b = 0; b < formulation->blocks; b++) {
    if (formulation->tag[b].role != ASP_ROLE_CONTACT)
      continue;
    const AspContactFrame *frame = &work->frames[formulation->tag[b].index];
    int column = formulation->offset[b];
    for (int k = H->start[column]; k < H->start[column + 1]; k++)
      if (H->row[k] < dofs) // load couplings have it in their load
        formulation->problem.f[H->row[k]] += H->value[k] * frame->restitution * frame->compression;
  }
}

/* The velocities jump, and work->gain is what energy that gave. */
static AspError spread_and_balance(Impact *impact) {
  AspStepWork *work = impact->work;
  size_t size = (size_t)asp_model_v_size(work->model);
  double *before = ASP_TAKE(work->arena, double, size);
  if (!before)
    return ASP_ERROR_MEMORY;
  memcpy(before, impact->state.v, size * sizeof *before);
  asp_state_spread(work->model, &impact->state, work->x, impact->state.v);
  return asp_impact_balance(work, before, &impact->state);
}

/* One problem at the instant of impact; the velocities jump by its solution. */
static AspError solve_phase(Impact *impact, AspImpactPhase phase) {
  AspStepWork *work = impact->work;
  AspFormulation *formulation = &work->formulation;
  AspArenaMark mark = asp_arena_mark(work->arena);
  double dt = work->dt;
  impact->terms.phase = phase;
  work->dt = 0; // no forces, no springs: impulses alone
  AspError error = asp_formulate_step(work, &impact->state, &impact->state, 1, &impact->terms);
  work->dt = dt;
  ASP_TRY(error);
  if (phase == ASP_PHASE_EXPANSION)
    add_given_back(impact);
  ASP_TRY(asp_solve_problem(work, &impact->state, false));
  impact->joint_rows = count_joint_rows(formulation);
  collect_impulses(impact, phase);
  if (impact->see)
    impact->see(impact->see_user, work);
  asp_solved_combine(&impact->solved, &work->solved);
  error = impact->balances ? spread_and_balance(impact) : ASP_OK;
  if (!impact->balances)
    asp_state_spread(work->model, &impact->state, work->x, impact->state.v);
  asp_arena_rewind(work->arena, mark);
  return error;
}

static AspError poisson(Impact *impact) {
  ASP_TRY(solve_phase(impact, ASP_PHASE_COMPRESSION));
  return solve_phase(impact, ASP_PHASE_EXPANSION);
}

/* Choose the contacts that approach fastest; false when none is faster than rest. `rest` per frame, m/s. */
static bool choose_fastest(Impact *impact, const double *rest) {
  AspStepWork *work = impact->work;
  double fastest = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < work->frame_count; i++) {
      AspContactFrame *frame = &work->frames[i];
      frame->chosen = false;
      if (!frame->closed)
        continue;
      double speed = -asp_contact_approach(work->model, frame, &impact->state);
      if (!(speed > rest[i]))
        continue;
      if (pass == 0)
        fastest = fmax(fastest, speed);
      else
        frame->chosen = speed >= (1 - IMPACT_TIE) * fastest;
    }
  return fastest > 0;
}

static AspError sequential(Impact *impact, const double *rest) {
  AspStepWork *work = impact->work;
  int64_t most = (int64_t)IMPACT_MOST_PER_CONTACT * work->frame_count;
  for (int64_t count = 0; count < most && choose_fastest(impact, rest); count++) {
    ASP_TRY(solve_phase(impact, ASP_PHASE_SINGLE));
    for (int i = 0; i < work->frame_count; i++)
      work->frames[i].hit = work->frames[i].hit || work->frames[i].chosen;
  }
  return ASP_OK;
}

/* The contacts that are hit in this step, and v1. */
static AspError prepare(Impact *impact, const AspState *state, double *rest, bool *any) {
  AspStepWork *work = impact->work;
  AspFormulation *formulation = &work->formulation;
  ASP_TRY(asp_formulation_begin(formulation, work->arena, work->model, work->frames, work->frame_count));
  ASP_TRY(asp_formulate_dynamics(formulation, state, state, work->dt, 1));
  formulation->time_of_impact = work->time_of_impact;
  *any = asp_contacts_meet(formulation, work->frames, work->frame_count, state, &impact->terms);
  for (int i = 0; i < work->frame_count; i++)
    rest[i] = asp_contact_rest_speed(formulation, &work->frames[i], &impact->terms);
  int n = asp_body_velocities(asp_model_dimension(work->model)), size = asp_model_v_size(work->model);
  for (int i = 0; i < size; i++) {
    int body = i / n; // what follows the bodies is of beams
    double part = body < asp_model_body_count(work->model) ? asp_part_of_step(work->time_of_impact, body, 0.5) : 0.5;
    impact->state.v[i] = state->v[i] + part * work->dt * formulation->acceleration[i];
  }
  return ASP_OK;
}

AspError asp_impact_stage(AspStepWork *work, AspState *state, const AspStepTerms *terms, bool *after) {
  size_t size = (size_t)asp_model_v_size(work->model);
  Impact impact = {.work = work, .state = *state, .terms = *terms, .solved = {.status = ASP_STATUS_SOLVED}};
  double *before = ASP_TAKE(work->arena, double, size), *rest = ASP_TAKE(work->arena, double, work->frame_count);
  impact.terms.effort_time = 0;
  impact.state.v = ASP_TAKE(work->arena, double, size);
  work->impact_r = ASP_TAKE(work->arena, double, ASP_JOINT_ROWS_MAX *asp_model_joint_count(work->model));
  if (!impact.state.v || !before || !rest || !work->impact_r)
    return ASP_ERROR_MEMORY;
  ASP_TRY(prepare(&impact, state, rest, after));
  if (!*after)
    return ASP_OK;
  memcpy(before, impact.state.v, size * sizeof *before);
  double energy = asp_model_energy(work->model, &impact.state).kinetic;
  ASP_TRY(work->impact == ASP_IMPACT_POISSON ? poisson(&impact) : sequential(&impact, rest));
  work->impact_energy = asp_model_energy(work->model, &impact.state).kinetic - energy;
  for (size_t i = 0; i < size; i++)
    state->v[i] += impact.state.v[i] - before[i];
  work->solved = impact.solved;
  return ASP_OK;
}

/* Newton's law, all contacts that do not part at once. */
static AspError newton(Impact *impact, double rest) {
  AspStepWork *work = impact->work;
  for (int i = 0; i < work->frame_count; i++) {
    AspContactFrame *frame = &work->frames[i];
    frame->chosen = frame->closed && asp_contact_approach(work->model, frame, &impact->state) <= rest;
  }
  return solve_phase(impact, ASP_PHASE_SINGLE);
}

AspError asp_impact_at(AspStepWork *work, AspState *state, double gap, double speed,
                       void (*see)(void *user, const AspStepWork *work), void *user) {
  double *known = asp_known_velocity(work->model, work->arena, state, 0, false);
  double *rest = ASP_TAKE(work->arena, double, work->frame_count);
  work->impact_r = ASP_TAKE(work->arena, double, ASP_JOINT_ROWS_MAX *asp_model_joint_count(work->model));
  if (!known || !rest || !work->impact_r)
    return ASP_ERROR_MEMORY;
  Impact impact = {.work = work,
                   .state = *state, // its velocities are the state's own
                   .terms = {.level = ASP_LEVEL_VELOCITY, .slop = gap, .slop_turn = gap, .known_velocity = known},
                   .solved = {.status = ASP_STATUS_SOLVED},
                   .see = see,
                   .see_user = user,
                   .balances = work->impact == ASP_IMPACT_NEWTON};
  work->gain = 0;
  bool hit = false;
  for (int i = 0; i < work->frame_count; i++) {
    AspContactFrame *frame = &work->frames[i];
    frame->closed = frame->gap <= gap;
    frame->hit = frame->closed && asp_contact_approach(work->model, frame, state) < -speed;
    hit = hit || frame->hit;
    rest[i] = speed;
  }
  AspError error = !hit || work->impact == ASP_IMPACT_NEWTON ? newton(&impact, speed)
                   : work->impact == ASP_IMPACT_POISSON      ? poisson(&impact)
                                                             : sequential(&impact, rest);
  work->solved = impact.solved;
  return error;
}
