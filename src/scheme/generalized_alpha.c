/* Nonsmooth generalized-alpha (Capobianco, Harsch, Eugster, Leine: Simulating mechanical systems with frictional
 * contact using a nonsmooth generalized-alpha method, equations 1 to 6; docs/theory/generalized-alpha.md). Joints,
 * limits and contacts hold on position, velocity and acceleration level at the end of the step:
 *
 *   u+ = u + dt ((1 - gamma) a_bar + gamma a_bar+) + U            M U = W Lambda
 *   D  = dt u + dt^2/2 ((1 - 2 beta) a_bar + 2 beta a_bar+) + Q   M Q = W kappa + dt/2 W_F Lambda_F
 *   alpha_m a_bar + (1 - alpha_m) a_bar+ = alpha_f a + (1 - alpha_f) a+
 *   M a+ = h + W lambda+                                          q+ = q moved by D (rotations: exp(D) R, world axes)
 *
 * One pass takes geometry, forces and gaps at the iterate and solves the three levels in turn
 * (generalized_alpha_levels.c), until nothing changes. The certificate is the worst of the three levels' residuals,
 * with what the last pass still changed. */
#include "scheme/generalized_alpha.h"

#include "base/effort.h"
#include "formulate/blocks.h"
#include "linalg/factor.h"
#include "model/sensor.h"
#include "problem/residual.h"
#include "problem/verdict.h"
#include "scheme/tuning/generalized_alpha.h"

#include <math.h>

static AlphaWeights weights_of(double rho, double dt) {
  AlphaWeights w = {.alpha_m = (2 * rho - 1) / (rho + 1), .alpha_f = rho / (rho + 1), .dt = dt};
  w.gamma = 0.5 + w.alpha_f - w.alpha_m;
  w.beta = 0.25 * (w.gamma + 0.5) * (w.gamma + 0.5);
  w.next = (1 - w.alpha_f) / (1 - w.alpha_m);
  w.g = dt * w.gamma * w.next;
  w.b = dt * dt * w.beta * w.next;
  return w;
}

static AspError take_vectors(AlphaStep *step) {
  AspStepWork *work = step->work;
  double **vectors[] = {&step->u_0, &step->D_0, &step->D, &step->u, &step->a, &step->h, &step->friction};
  ASP_TRY(asp_formulation_begin(&step->alpha->all, work->arena, work->model, work->frames, work->frame_count));
  step->dofs = asp_model_dof_count(work->model);
  step->size = step->dofs + step->alpha->all.coupling_capacity;
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    if (!(*vectors[i] = ASP_TAKE(work->arena, double, step->size)))
      return ASP_ERROR_MEMORY;
  step->round = ASP_TAKE(work->arena, AspRoundness, 2 * work->frame_count);
  step->contact_block = ASP_TAKE(work->arena, int, work->frame_count);
  step->end = asp_state_ahead(work->model, work->arena, step->start, 0);
  return step->round && step->contact_block && step->end.q ? ASP_OK : ASP_ERROR_MEMORY;
}

/* Vectors over the rows of `all`, once they are counted. */
static AspError take_rows(AlphaStep *step) {
  AspArena *arena = step->work->arena;
  const AspFormulation *all = &step->alpha->all;
  if (step->mode)
    return ASP_OK;
  step->row_count = all->rows;
  step->block_count = all->blocks;
  double **vectors[] = {&step->old, &step->old_bar, &step->kappa, &step->P, &step->lambda, &step->metric};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    if (!(*vectors[i] = ASP_TAKE(arena, double, all->rows)))
      return ASP_ERROR_MEMORY;
  step->mode = ASP_TAKE(arena, AlphaMode, all->blocks);
  step->closed = ASP_TAKE(arena, bool, all->blocks);
  step->hold = ASP_TAKE(arena, AlphaHold, all->blocks);
  step->flips = ASP_TAKE(arena, int, all->blocks);
  step->slip = ASP_TAKE(arena, double, 3 * (size_t)all->blocks);
  return step->mode && step->slip && step->closed && step->hold && step->flips ? ASP_OK : ASP_ERROR_MEMORY;
}

/* H_k^T diag(M)^-1 H_k, the scale between reactions and velocities of a row. */
static AspError find_metric(AlphaStep *step) {
  const AspFormulation *all = &step->alpha->all;
  const AspSparse *H = &all->problem.H;
  step->inverse = asp_inverse_diagonal(step->work->arena, &all->problem.M);
  if (!step->inverse)
    return ASP_ERROR_MEMORY;
  for (int k = 0; k < all->rows; k++) {
    step->metric[k] = 0;
    for (int e = H->start[k]; e < H->start[k + 1]; e++)
      step->metric[k] += H->value[e] * H->value[e] * step->inverse[H->row[e]];
  }
  for (int b = 0; b < all->blocks; b++)
    if (all->tag[b].role == ASP_ROLE_CONTACT)
      step->contact_block[all->tag[b].index] = b;
  return ASP_OK;
}

/* Geometry, forces and conditions at the state step->end. */
static AspError evaluate(AlphaStep *step) {
  AspStepWork *work = step->work;
  AspAlpha *alpha = step->alpha;
  asp_state_sense(work->model, &step->end, step->end.v);
  ASP_TRY(alpha->look(alpha->user, &step->end, work->frames, step->round));
  ASP_TRY(asp_formulation_begin(&alpha->all, work->arena, work->model, work->frames, work->frame_count));
  ASP_TRY(asp_formulate_end(&alpha->all, step->start, &step->end, work->frames, step->round, work->frame_count,
                            &work->friction, step->weights.dt, &step->rows));
  ASP_TRY(take_rows(step));
  ASP_TRY(find_metric(step));
  asp_model_forces(work->model, &step->end, step->h);
  asp_model_add_servo_forces(work->model, &step->end, step->h);
  if (!alpha->first)
    alpha->recall(alpha->user, &alpha->all, step->old, step->old_bar);
  return ASP_OK;
}

/* The state that D and u stand for. */
static AspError place_end(AlphaStep *step) {
  const AspModel *model = step->work->model;
  double *way = ASP_TAKE(step->work->arena, double, asp_model_v_size(model));
  double *rate = ASP_TAKE(step->work->arena, double, step->size);
  if (!way || !rate)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < step->dofs; j++)
    rate[j] = step->D[j] / step->weights.dt;
  asp_state_spread(model, step->start, rate, way);
  asp_state_copy(model, step->start, &step->end);
  asp_state_advance(model, &step->end, way, step->weights.dt);
  asp_state_spread(model, &step->end, step->u, step->end.v);
  return ASP_OK;
}

/* ---- the first step ---- */

static double largest_gravity(const AlphaStep *step) {
  AspVec3 g = asp_model_gravity(step->work->model);
  return sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
}

static double largest_speed(const AlphaStep *step) {
  const AspModel *model = step->work->model;
  double g = largest_gravity(step);
  double speed = fmax(g * step->weights.dt, sqrt(g * ALPHA_REACH * step->work->slop) * ALPHA_REST);
  for (int j = 0; j < asp_model_v_size(model); j++)
    speed = fmax(speed, fabs(step->end.v[j]));
  return speed > 0 ? speed : 1;
}

/* Accelerations and forces at the start, from the conditions that are closed and at rest there. */
static AspError begin_at_rest(AlphaStep *step) {
  AspAlpha *alpha = step->alpha;
  ASP_TRY(evaluate(step));
  asp_alpha_modes_at_start(step, ALPHA_REACH * ALPHA_REST * ALPHA_FAR * step->work->slop,
                           ALPHA_REST * largest_speed(step));
  AspEffort *effort = asp_effort(step->work->arena->context), before = *effort;
  asp_effort_narrow(effort, ALPHA_EFFORT_START, before.weight); // the step can do without them
  ASP_TRY(asp_alpha_acceleration(step));
  asp_effort_restore(effort, &before);
  memcpy(step->old, step->lambda, (size_t)step->row_count * sizeof *step->old);
  memcpy(step->old_bar, step->lambda, (size_t)step->row_count * sizeof *step->old);
  memcpy(alpha->a, step->a, (size_t)step->dofs * sizeof *alpha->a);
  memcpy(alpha->a_bar, step->a, (size_t)step->dofs * sizeof *alpha->a);
  return ASP_OK;
}

/* ---- the step ---- */

/* u_0 and D_0, and the iterate to begin with: as if the accelerations stayed, or the velocities. */
static void predict(AlphaStep *step) {
  const AlphaWeights *w = &step->weights;
  const double *a = step->alpha->a, *a_bar = step->alpha->a_bar;
  bool stiff = asp_alpha_is_stiff(step); // accelerations that oscillate say nothing about the next step
  asp_state_gather(step->work->model, step->start->v, step->u);
  for (int j = 0; j < step->dofs; j++) {
    double m = (w->alpha_f * a[j] - w->alpha_m * a_bar[j]) / (1 - w->alpha_m);
    step->u_0[j] = step->u[j] + w->dt * ((1 - w->gamma) * a_bar[j] + w->gamma * m);
    step->D_0[j] = w->dt * step->u[j] + 0.5 * w->dt * w->dt * ((1 - 2 * w->beta) * a_bar[j] + 2 * w->beta * m);
    step->a[j] = a[j];
    step->D[j] = stiff ? w->dt * step->u[j] : step->D_0[j] + w->b * a[j];
    step->u[j] = stiff ? step->u[j] : step->u_0[j] + w->g * a[j];
  }
}

/* Velocities of the contacts at the start, in the frames given. */
static void note_approach(AlphaStep *step) {
  const AspModel *model = step->work->model;
  int dimension = asp_model_dimension(model);
  for (int i = 0; i < step->work->frame_count; i++) {
    AspContactFrame *frame = &step->work->frames[i];
    AspRow rows[3];
    asp_contact_rows(dimension, frame, rows);
    for (int k = 0; k < dimension; k++)
      frame->before[k] = row_rate(model, step->start, &rows[k]);
  }
}

/* What errors of D, u and a are relative to: the bodies' size, speeds, accelerations that the forces give one by one,
 * and none of them below what the rounding of positions makes of them. */
static void find_scales(AlphaStep *step) {
  double size = ALPHA_REACH * step->work->slop, noise = ALPHA_NOISE * step->stiffness * size / step->weights.b;
  double acceleration = fmax(largest_gravity(step), noise);
  for (int j = 0; j < step->dofs; j++)
    acceleration = fmax(acceleration, fabs(step->a[j]));
  for (int k = 0; k < step->row_count; k++)
    acceleration = fmax(acceleration, fabs(step->lambda[k]) * step->metric[k]);
  step->scale[0] = size;
  step->scale[1] = fmax(largest_speed(step), step->weights.g * noise);
  step->scale[2] = acceleration;
}

/* Forces of the last step to begin with. */
static AspError begin_passes(AlphaStep *step, AlphaMode **modes) {
  memset(step->flips, 0, (size_t)step->block_count * sizeof *step->flips);
  memset(step->kappa, 0, (size_t)step->row_count * sizeof *step->kappa);
  for (int k = 0; k < step->row_count; k++) {
    step->lambda[k] = step->old[k];
    step->P[k] = step->weights.dt * step->old[k];
  }
  find_scales(step);
  ASP_TRY(asp_alpha_note_friction(step));
  *modes = ASP_TAKE(step->work->arena, AlphaMode, step->block_count);
  return *modes ? asp_alpha_mixing_begin(step) : ASP_ERROR_MEMORY;
}

AspError asp_alpha_evaluate(AlphaStep *step) {
  ASP_TRY(place_end(step));
  return evaluate(step);
}

AspError asp_alpha_pass(AlphaStep *step) {
  ASP_TRY(asp_alpha_position(step));
  find_scales(step); // the stiffness is known now
  ASP_TRY(asp_alpha_velocity(step));
  ASP_TRY(asp_alpha_acceleration(step));
  ASP_TRY(asp_alpha_note_friction(step));
  find_scales(step);
  for (int i = 0; i < 3; i++)
    step->change[i] /= step->scale[i];
  return ASP_OK;
}

/* True where a mode changed; counted by block. */
static bool count_flips(AlphaStep *step, const AlphaMode *modes) {
  bool any = false;
  for (int b = 0; b < step->block_count; b++)
    if (modes[b] != step->mode[b]) {
      any = true;
      step->flips[b]++;
    }
  return any;
}

/* Where data of a level are noise, errors count relative to what is not. */
static void rate_noise(const AlphaStep *step, double scale, AspResidual *residual) {
  asp_residual_floor(residual, ALPHA_ROUNDING * scale * sqrt(step->row_count) / step->work->tolerance);
}

static void rate_levels(AlphaStep *step) {
  AspSolverInfo *levels[] = {&step->position, &step->velocity, &step->acceleration};
  for (int i = 0; i < 3; i++)
    rate_noise(step, step->scale[i], &levels[i]->residual);
}

/* What a pass changes beside `all`. */
typedef struct Kept {
  size_t dofs, rows, blocks;
  double *vector[8];
  double *slip;
  AlphaMode *mode;
  bool *closed;
} Kept;

static AspError keep_iterate(const AlphaStep *step, Kept *kept) {
  AspArena *arena = step->work->arena;
  const double *from[] = {step->D, step->u, step->a, step->h, step->friction, step->kappa, step->P, step->lambda};
  *kept = (Kept){.dofs = (size_t)step->size, .rows = (size_t)step->row_count, .blocks = (size_t)step->block_count};
  // exact: arrays that are kept
  for (int i = 0; i < 8; i++) {
    size_t count = i < 5 ? kept->dofs : kept->rows;
    if (!(kept->vector[i] = ASP_TAKE(arena, double, count)))
      return ASP_ERROR_MEMORY;
    memcpy(kept->vector[i], from[i], count * sizeof(double));
  }
  kept->slip = ASP_TAKE(arena, double, 3 * kept->blocks);
  kept->mode = ASP_TAKE(arena, AlphaMode, kept->blocks);
  kept->closed = ASP_TAKE(arena, bool, kept->blocks);
  if (!kept->slip || !kept->mode || !kept->closed)
    return ASP_ERROR_MEMORY;
  memcpy(kept->slip, step->slip, 3 * kept->blocks * sizeof *kept->slip);
  memcpy(kept->mode, step->mode, kept->blocks * sizeof *kept->mode);
  memcpy(kept->closed, step->closed, kept->blocks * sizeof *kept->closed);
  return ASP_OK;
}

static void put_back(const Kept *kept, AlphaStep *step) {
  double *to[] = {step->D, step->u, step->a, step->h, step->friction, step->kappa, step->P, step->lambda};
  // exact: arrays that are kept
  for (int i = 0; i < 8; i++)
    memcpy(to[i], kept->vector[i], (i < 5 ? kept->dofs : kept->rows) * sizeof(double));
  memcpy(step->slip, kept->slip, 3 * kept->blocks * sizeof *kept->slip);
  memcpy(step->mode, kept->mode, kept->blocks * sizeof *kept->mode);
  memcpy(step->closed, kept->closed, kept->blocks * sizeof *kept->closed);
}

/* Large problems: do the iterate's reactions solve the problems of all levels at the iterate itself, within the
 * tolerance? Then D, u and a follow from them; otherwise the iterate stays. */
static AspError judge_iterate(AlphaStep *step, bool *fits) {
  double tolerance = step->work->tolerance;
  Kept kept;
  ASP_TRY(keep_iterate(step, &kept));
  step->judging = true;
  AspError error = asp_alpha_pass(step);
  step->judging = false;
  ASP_TRY(error);
  rate_levels(step);
  *fits = step->change[0] <= tolerance && step->change[1] <= tolerance && step->change[2] <= tolerance;
  const AspResidual *levels[] = {&step->position.residual, &step->velocity.residual, &step->acceleration.residual};
  for (int i = 0; i < 3; i++)
    *fits = *fits && asp_verdict_is_met(&(AspTolerances){.residual = tolerance}, levels[i]);
  if (!*fits)
    put_back(&kept, step);
  return ASP_OK;
}

static bool is_finite(const AlphaStep *step) {
  double sum = 0;
  for (int j = 0; j < step->dofs; j++)
    sum += fabs(step->D[j]) + fabs(step->u[j]) + fabs(step->a[j]);
  return isfinite(sum);
}

static double largest_velocity(const AlphaStep *step) {
  double most = 0;
  for (int j = 0; j < step->dofs; j++)
    most = fmax(most, fabs(step->u[j]));
  return most;
}

/* Velocities beyond which the passes have diverged: a good many bodies, or radians, in a step, and as many times those
 * of the prediction. */
static double velocity_bound(const AlphaStep *step) {
  const AspStepWork *work = step->work;
  double reach = 1;
  for (int body = 0; work->reach && body < asp_model_body_count(work->model); body++)
    reach = fmax(reach, work->reach[body]);
  return ALPHA_DIVERGED * (reach / work->dt + largest_velocity(step));
}

static AspError run_passes(AlphaStep *step, bool *converged) {
  double last = INFINITY;
  step->early = true;
  AlphaMode *modes = NULL;
  int restarts = 0;
  predict(step);
  step->diverged = false;
  double most = velocity_bound(step), enough = ALPHA_CONVERGED, stagnant = ALPHA_STAGNANT;
  bool large = false;
  const AspEffort *effort = asp_effort(step->work->arena->context);
  for (int pass = 0; pass < ALPHA_PASSES && restarts < ALPHA_RESTARTS && (pass == 0 || !asp_effort_is_low(effort));
       pass++) {
    if (asp_stop_is_asked(step->work->arena->context))
      return asp_fail(step->work->arena->context, ASP_ERROR_INTERRUPTED, "stopped at t = %.9g s", step->start->t);
    ASP_TRY(asp_alpha_evaluate(step));
    if (pass == 0)
      ASP_TRY(begin_passes(step, &modes));
    large = step->row_count > ALPHA_SMALL;
    if (large) // solved to the tolerance, not to rounding
      stagnant = enough = ALPHA_LARGE_CONVERGED * step->work->tolerance;
    if (large && last <= ALPHA_NEARLY && step->work->dependent_count == 0) {
      ASP_TRY(judge_iterate(step, converged));
      if (*converged)
        break;
    }
    asp_alpha_mixing_note(step);
    memcpy(modes, step->mode, (size_t)step->block_count * sizeof *modes);
    ASP_TRY(asp_alpha_pass(step));
    step->alpha->iterations++;
    asp_effort_add(asp_effort(step->work->arena->context), ALPHA_EFFORT * (double)(step->row_count + step->dofs));
    *converged = false;
    if (!is_finite(step) || largest_velocity(step) > most) {
      step->diverged = true;
      break;
    }
    double change = fmax(step->change[0], ALPHA_RELATIVE * fmax(step->change[1], step->change[2]));
    *converged = change <= stagnant;
    if ((!step->early && change <= enough) || (pass > 2 && *converged && change > 0.5 * last))
      break;
    bool grew = asp_alpha_is_stiff(step) && change > last; // the passes of before lead away
    last = change;
    step->early = step->early && change > ALPHA_EARLY;
    bool other = count_flips(step, modes) && pass > 2;
    restarts += other && change > ALPHA_CYCLING;
    ASP_TRY(asp_alpha_mix(step, other || grew, restarts > ALPHA_PATIENT ? ALPHA_DAMPED : 1));
  }
  return ASP_OK;
}

/* A diverging iteration meets numbers for which no matrix can be formed: it has not converged, and starts again from
 * the prediction if another attempt follows. */
AspError asp_alpha_iterate(AlphaStep *step, bool *converged) {
  *converged = false;
  AspError error = run_passes(step, converged);
  step->diverged = step->diverged || error == ASP_ERROR_INPUT || error == ASP_ERROR_VALUE;
  if (!step->diverged)
    return error; // a wrong expression of the scene shows again below
  *converged = false;
  predict(step);
  step->change[0] = step->change[1] = step->change[2] = INFINITY;
  ASP_TRY(place_end(step));
  return evaluate(step);
}

/* A contact that opens takes its part out of the mean accelerations: a_bar -= M^-1 W lambda_bar. Kept,
 * it would have to be cancelled in the next step, and the contact would have to be treated there. */
static AspError release_open(AlphaStep *step) {
  AspAlpha *alpha = step->alpha;
  double *f = ASP_TAKE(step->work->arena, double, step->size);
  double *open = ASP_TAKE(step->work->arena, double, step->row_count);
  AspFactor *factor = NULL;
  bool any = false;
  if (!f || !open)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < step->block_count; b++)
    for (int k = alpha->all.offset[b]; step->mode[b] == ALPHA_OPEN && k < alpha->all.offset[b + 1]; k++) {
      any = any || alpha->lambda_bar[k] != 0;
      open[k] = alpha->lambda_bar[k];
      alpha->lambda_bar[k] = 0;
    }
  if (!any)
    return ASP_OK;
  asp_alpha_push(step, open, f);
  const AspSparse *M = &alpha->all.problem.M;
  AspError error;
  ASP_CHECK(asp_factor_create(step->work->arena->context, &factor));
  ASP_CHECK(asp_factor_analyse(factor, ASP_FACTOR_LDLT, M));
  ASP_CHECK(asp_factor_compute(factor, M, NULL, NULL));
  ASP_CHECK(asp_factor_solve(factor, 1, f, M->rows));
  for (int j = 0; j < step->dofs; j++)
    alpha->a_bar[j] -= f[j];
done:
  asp_factor_destroy(factor);
  return error;
}

/* What the next step needs. */
static AspError carry_on(AlphaStep *step) {
  const AlphaWeights *w = &step->weights;
  AspAlpha *alpha = step->alpha;
  AspStepWork *work = step->work;
  alpha->lambda = step->lambda;
  alpha->P = step->P;
  alpha->lambda_bar = ASP_TAKE(work->arena, double, step->row_count);
  work->force = ASP_TAKE(work->arena, double, work->formulation.rows);
  if (!alpha->lambda_bar || !work->force)
    return ASP_ERROR_MEMORY;
  for (int k = 0; k < work->formulation.rows; k++)
    work->force[k] = step->lambda[step->velocity_rows[k]];
  work->instant = work->force;
  for (int k = 0; k < step->row_count; k++)
    alpha->lambda_bar[k] =
        (w->alpha_f * step->old[k] - w->alpha_m * step->old_bar[k]) / (1 - w->alpha_m) + w->next * step->lambda[k];
  for (int j = 0; j < step->dofs; j++) {
    alpha->a_bar[j] =
        (w->alpha_f * alpha->a[j] - w->alpha_m * alpha->a_bar[j]) / (1 - w->alpha_m) + w->next * step->a[j];
    alpha->a[j] = step->a[j];
  }
  return release_open(step);
}

/* ---- what is met in the step ---- */

static AspStepTerms meeting_terms(const AspStepWork *work) {
  const AspAlpha *alpha = work->own;
  return (AspStepTerms){.level = ASP_LEVEL_VELOCITY,
                        .dt = work->dt,
                        .effort_time = work->dt,
                        .slop = work->slop,
                        .slop_turn = work->slop_turn,
                        .gap_tolerance = work->gap_tolerance,
                        .accelerated = alpha->first ? NULL : alpha->known};
}

AspError asp_alpha_meet(AspStepWork *work, const AspState *state) {
  AspAlpha *alpha = work->own;
  AspStepTerms terms = meeting_terms(work);
  return asp_step_meet(work, state, &terms, &alpha->times);
}

/* For those who look for events inside the step: its gaps at the start, when bodies meet something, what limits are
 * met, and accelerations. */
static void tell_events(AlphaStep *step, const double *gaps) {
  AspStepWork *work = step->work;
  AspFormulation *formulation = &work->formulation;
  AspStepTerms terms = meeting_terms(work);
  formulation->time_of_impact = step->alpha->times;
  formulation->acceleration = step->alpha->known;
  for (int i = 0; i < work->frame_count; i++)
    work->frames[i].gap = gaps[i];
  for (int b = 0; formulation->time_of_impact && b < formulation->blocks; b++) {
    AspBlockTag *tag = &formulation->tag[b];
    if (tag->role == ASP_ROLE_LIMIT_LOW || tag->role == ASP_ROLE_LIMIT_HIGH)
      tag->met = asp_limit_meets(formulation, step->start, tag->index, tag->role == ASP_ROLE_LIMIT_HIGH, &terms);
  }
}

static double *start_gaps(const AspStepWork *work) {
  double *gaps = ASP_TAKE_UNCLEARED(work->arena, double, work->frame_count);
  for (int i = 0; gaps && i < work->frame_count; i++)
    gaps[i] = work->frames[i].gap;
  return gaps;
}

/* The worst of the three levels, and of what was left to change. */
static void certify(AlphaStep *step) {
  AspAlpha *alpha = step->alpha;
  AspSolverInfo *solved = &step->work->solved;
  AspSolverInfo *levels[] = {&step->position, &step->velocity, &step->acceleration};
  rate_levels(step);
  *solved = step->velocity;
  asp_solved_combine(solved, &step->position);
  asp_solved_combine(solved, &step->acceleration);
  for (int i = 0; i < 3; i++) {
    alpha->residual[i] = levels[i]->residual.E2;
    alpha->defect[i] = step->change[i];
    solved->residual.E2 = fmax(solved->residual.E2, step->change[i]);
  }
  solved->iterations = alpha->iterations;
}

AspError asp_step_generalized_alpha(AspStepWork *work, AspState *state) {
  AspAlpha *alpha = work->own;
  AlphaStep step = {.work = work, .alpha = alpha, .weights = weights_of(alpha->rho_inf, work->dt), .start = state};
  const double *gaps = start_gaps(work);
  if (!gaps)
    return ASP_ERROR_MEMORY;
  ASP_TRY(take_vectors(&step));
  note_approach(&step);
  if (step.alpha->first)
    ASP_TRY(begin_at_rest(&step));
  bool converged = false;
  step.alpha->iterations = 0;
  ASP_TRY(asp_alpha_iterate(&step, &converged));
  bool diverged = step.diverged; // neither modes nor methods help: a shorter step may
  // modes that move bodies far when they change belong to steps that are too long, not to several combinations
  if (!converged && !diverged && step.change[0] <= ALPHA_MODES_FAR)
    ASP_TRY(asp_alpha_enumerate(&step, &converged));
  bool solved = step.position.status == ASP_STATUS_SOLVED && step.velocity.status == ASP_STATUS_SOLVED &&
                step.acceleration.status == ASP_STATUS_SOLVED;
  work->unconverged = !converged && (solved || diverged);
  ASP_TRY(carry_on(&step));
  tell_events(&step, gaps);
  certify(&step);
  asp_state_copy(work->model, &step.end, state);
  asp_state_spread(work->model, state, step.u, state->v);
  return ASP_OK;
}
