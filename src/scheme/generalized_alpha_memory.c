/* What generalized-alpha keeps between steps, and where contacts are at the end of one.
 *
 * Accelerations are kept by dof; forces by what their blocks mean, as in the warm start. Tangential forces of contacts
 * are kept as vectors, since the tangents t1, t2 follow from the normal and may turn by a right angle where it moves a
 * little. Contacts of the step are searched again at its end, by the features of their pair of shapes; a contact that
 * is not found there is moved with its bodies. */
#include "base/elementary.h"
#include "linalg/vec3.h"
#include "scheme/block_key.h"
#include "scheme/generalized_alpha.h"
#include "scheme/scheme.h"
#include "scheme/tuning/generalized_alpha.h"
#include "solver/archive.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Forces of a block at the end of the last step, per unit of time; of contacts with the tangents that they refer to. */
typedef struct AlphaEntry {
  AspBlockKey key;
  double lambda[ASP_JOINT_ROWS_MAX], lambda_bar[ASP_JOINT_ROWS_MAX];
  AspVec3 tangent[2]; /* t1, t2, each over the stretch of its row */
} AlphaEntry;

typedef struct AlphaRun {
  const AspSchemeHost *host;
  AspSolver *fine;                     /* of small problems: to rounding */
  AspSolver *large[ASP_ALPHA_LEVELS];  /* of large problems, */
  AspSolver *coarse[ASP_ALPHA_LEVELS]; /* and for these in early passes */
  AspJudge *judge;                     /* for these between passes */
  bool named;                          /* what was tried in a step that missed its tolerance was reported */
  bool gave_up;                        /* that a step was made by another scheme was reported */
  /* from the last step */
  bool valid;
  double dt;         /* of the last step, s */
  double *a, *a_bar; /* dofs */
  AlphaEntry *entry; /* ascending by key */
  int count;
  size_t capacity;
} AlphaRun;

/* ---- contacts at the end ---- */

/* How far apart the pair may have come between two states. */
static double travel(const AspSchemeHost *host, const AspState *state, int body) {
  AspPose from = asp_state_pose(host->model, host->before, body), to = asp_state_pose(host->model, state, body);
  AspVec3 w = asp_state_angular_velocity(host->model, state, body);
  return norm3(sub3(to.position, from.position)) + 2 * host->work->dt * norm3(w) * host->body_radius[body];
}

/* The tangents nearest to those of before; axes of an ellipse stay. */
static void keep_tangents(AspContactFrame *frame, AspVec3 t1) {
  AspVec3 along = axpy3(t1, -dot3(t1, frame->normal), frame->normal);
  if (frame->stretch[0] != 1 || frame->stretch[1] != 1 || norm3(along) < 0.5)
    return;
  frame->t1 = unit3(along);
  frame->t2 = cross3(frame->normal, frame->t1);
}

static AspError look(void *user, const AspState *state, AspContactFrame *frames, AspRoundness *round) {
  const AspSchemeHost *host = ((const AlphaRun *)user)->host;
  for (int i = 0; i < host->work->frame_count; i++) {
    AspContactFrame *frame = &frames[i], old = *frame;
    AspContact contact = (*host->found)[i];
    double reach = fabs(contact.gap) + 2 * (travel(host, state, frame->body_a) + travel(host, state, frame->body_b));
    host->call->follow(host->user, host->before, state, reach + host->slop, &contact);
    frame->gap = contact.gap;
    host->call->place_frame(host->user, state, &contact, frame);
    memcpy(frame->before, old.before, sizeof old.before);
    if (asp_model_dimension(host->model) == 3)
      keep_tangents(frame, old.t1);
    for (int side = 0; side < 2; side++)
      round[2 * i + side] = host->call->roundness(host->user, state, &contact, frame, side == 1);
  }
  return ASP_OK;
}

/* ---- forces from step to step ---- */

static int compare_entries(const void *a, const void *b) {
  return asp_block_key_compare(&((const AlphaEntry *)a)->key, &((const AlphaEntry *)b)->key);
}

/* The block's tangential rows lie along t1 and t2 of its frame. */
static const AspContactFrame *tangent_frame(const AspSchemeHost *host, const AspBlockTag *tag, int rows) {
  bool along = tag->role == ASP_ROLE_CONTACT || tag->role == ASP_ROLE_ROLLING;
  return along && rows == 3 ? &host->work->frames[tag->index] : NULL;
}

static AspVec3 tangent_of(const AspContactFrame *frame, int k, double power) {
  return scale3(asp_pow(frame->stretch[k], power), k == 0 ? frame->t1 : frame->t2);
}

/* Components of the force that `from` has along the entry's tangents, along those of the frame. */
static void turn(const AlphaEntry *entry, const AspContactFrame *frame, const double *from, double *to) {
  AspVec3 force = axpy3(scale3(from[1], entry->tangent[0]), from[2], entry->tangent[1]);
  to[0] = from[0];
  to[1] = dot3(force, tangent_of(frame, 0, -1));
  to[2] = dot3(force, tangent_of(frame, 1, -1));
}

/* x_bar is about x at t + (alpha_m - alpha_f) dt: where the next step has another length, the difference x_bar - x goes
 * with it. Growing steps carry at most twice of it, and much longer ones nothing: behind a jump it is no slope, and the
 * force of a moment, over the square of a longer time, would be a way. */
static double bar_factor(const AlphaRun *run) {
  double ratio = run->dt > 0 ? run->host->work->dt / run->dt : 1;
  return fabs(ratio - 1) < ALPHA_SAME_STEP ? 1 : ratio > ALPHA_LONGER ? 0 : fmin(ratio, 2);
}

static double rescaled(double x, double x_bar, double factor) { return factor == 1 ? x_bar : x + factor * (x_bar - x); }

static void recall(void *user, const AspFormulation *all, double *lambda, double *lambda_bar) {
  const AlphaRun *run = user;
  const AspSchemeHost *host = run->host;
  double factor = bar_factor(run);
  for (int b = 0; b < all->blocks; b++) {
    int first = all->offset[b], rows = all->offset[b + 1] - first;
    AlphaEntry wanted = {.key = asp_block_key(&all->tag[b], *host->found)};
    const AlphaEntry *entry =
        run->count > 0 ? bsearch(&wanted, run->entry, (size_t)run->count, sizeof *run->entry, compare_entries) : NULL;
    const AspContactFrame *frame = tangent_frame(host, &all->tag[b], rows);
    for (int k = 0; k < rows; k++) {
      lambda[first + k] = entry ? entry->lambda[k] : 0;
      lambda_bar[first + k] = entry ? entry->lambda_bar[k] : 0;
    }
    if (entry && frame) {
      turn(entry, frame, entry->lambda, lambda + first);
      turn(entry, frame, entry->lambda_bar, lambda_bar + first);
    }
    for (int k = first; k < first + rows; k++)
      lambda_bar[k] = rescaled(lambda[k], lambda_bar[k], factor);
  }
}

/* ---- life cycle ---- */

static AspError create(const AspSchemeHost *host, void **out) {
  const AspRunOptions *options = host->options;
  AspMethod method = (AspMethod)options->method;
  double tolerance = options->tolerance;
  AlphaRun *run = asp_allocate(host->context, 1, sizeof *run);
  if (!run)
    return ASP_ERROR_MEMORY;
  *out = run;
  run->host = host;
  ASP_TRY(host->call->make_solver(host->user, method, options->max_iterations, tolerance, true, &run->fine));
  for (int i = 0; i < ASP_ALPHA_LEVELS; i++) {
    ASP_TRY(host->call->make_solver(host->user, method, options->max_iterations, tolerance, false, &run->large[i]));
    ASP_TRY(host->call->make_solver(host->user, method, options->max_iterations, fmax(ASP_ALPHA_COARSE, tolerance),
                                    false, &run->coarse[i]));
  }
  return asp_judge_create(host->context, &run->judge);
}

static void destroy(const AspSchemeHost *host, void *data) {
  AlphaRun *run = data;
  asp_solver_destroy(run->fine);
  for (int i = 0; i < ASP_ALPHA_LEVELS; i++) {
    asp_solver_destroy(run->large[i]);
    asp_solver_destroy(run->coarse[i]);
  }
  asp_judge_destroy(run->judge);
  asp_release(host->context, run->a);
  asp_release(host->context, run->a_bar);
  asp_release(host->context, run->entry);
  asp_release(host->context, run);
}

/* ---- around a step ---- */

/* Those of dynamic bodies, in the coordinates of velocities. */
static void know_accelerations(const AspSchemeHost *host, const double *a, double *known) {
  int n = asp_body_velocities(asp_model_dimension(host->model));
  for (int body = 0; body < asp_model_body_count(host->model); body++) {
    int dof = asp_model_body_dof(host->model, body);
    if (dof >= 0)
      memcpy(known + (size_t)n * body, a + dof, (size_t)n * sizeof *known);
  }
}

static AspError prepare(const AspSchemeHost *host, void *data) {
  AlphaRun *run = data;
  AspStepWork *work = host->work;
  AspAlpha *alpha = ASP_TAKE(host->arena, AspAlpha, 1); // of this attempt: others may be made beside it
  if (!alpha)
    return ASP_ERROR_MEMORY;
  size_t bytes = (size_t)asp_model_dof_count(host->model) * sizeof(double);
  bool chosen = work->solver == host->solver; // otherwise a stronger one, for everything
  *alpha = (AspAlpha){.rho_inf = host->options->rho_inf,
                      .first = !run->valid,
                      .fine = chosen ? run->fine : work->solver,
                      .judge = run->judge,
                      .a = ASP_TAKE(host->arena, double, asp_model_dof_count(host->model)),
                      .a_bar = ASP_TAKE(host->arena, double, asp_model_dof_count(host->model)),
                      .known = ASP_TAKE(host->arena, double, asp_model_v_size(host->model)),
                      .recall = recall,
                      .look = look,
                      .user = run};
  if (!alpha->a || !alpha->a_bar || !alpha->known)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < ASP_ALPHA_LEVELS; i++) {
    alpha->large[i] = chosen ? run->large[i] : work->solver;
    alpha->coarse[i] = chosen ? run->coarse[i] : work->solver;
  }
  if (run->valid && bytes > 0) {
    memcpy(alpha->a, run->a, bytes);
    memcpy(alpha->a_bar, run->a_bar, bytes);
    for (int j = 0; j < asp_model_dof_count(host->model); j++)
      alpha->a_bar[j] = rescaled(run->a[j], run->a_bar[j], bar_factor(run));
    know_accelerations(host, run->a, alpha->known);
  }
  work->own = alpha;
  return ASP_OK;
}

static AspError reserve_accelerations(AlphaRun *run) {
  AspContext *context = run->host->context;
  size_t dofs = (size_t)asp_model_dof_count(run->host->model);
  if (!run->a)
    run->a = asp_allocate(context, dofs, sizeof *run->a);
  if (!run->a_bar)
    run->a_bar = asp_allocate(context, dofs, sizeof *run->a_bar);
  return run->a && run->a_bar ? ASP_OK : ASP_ERROR_MEMORY;
}

static AspError keep_accelerations(AlphaRun *run) {
  size_t dofs = (size_t)asp_model_dof_count(run->host->model);
  ASP_TRY(reserve_accelerations(run));
  run->dt = run->host->work->dt;
  const AspAlpha *alpha = run->host->work->own;
  memcpy(run->a, alpha->a, dofs * sizeof *run->a);
  memcpy(run->a_bar, alpha->a_bar, dofs * sizeof *run->a_bar);
  run->valid = true;
  return ASP_OK;
}

static AspError accept(const AspSchemeHost *host, void *data) {
  AlphaRun *run = data;
  const AspAlpha *alpha = host->work->own;
  const AspFormulation *all = &alpha->all;
  ASP_TRY(asp_alpha_tell_balance(host));
  ASP_TRY(keep_accelerations(run));
  ASP_TRY(ASP_GROW(host->context, run->entry, run->capacity, all->blocks));
  run->count = 0;
  for (int b = 0; b < all->blocks; b++) {
    int first = all->offset[b], rows = all->offset[b + 1] - first;
    AlphaEntry entry = {.key = asp_block_key(&all->tag[b], *host->found)};
    const AspContactFrame *frame = tangent_frame(host, &all->tag[b], rows);
    bool any = false;
    for (int k = 0; k < rows; k++) {
      entry.lambda[k] = alpha->lambda[first + k];
      entry.lambda_bar[k] = alpha->lambda_bar[first + k];
      any = any || entry.lambda[k] != 0 || entry.lambda_bar[k] != 0;
    }
    for (int k = 0; frame && k < 2; k++)
      entry.tangent[k] = tangent_of(frame, k, 1);
    if (any)
      run->entry[run->count++] = entry;
  }
  if (run->count > 1)
    qsort(run->entry, (size_t)run->count, sizeof *run->entry, compare_entries);
  return ASP_OK;
}

/* Accelerations and forces of the last step. */
static AspError copy(const AspSchemeHost *host, const void *from, void *to) {
  const AlphaRun *source = from;
  AlphaRun *target = to;
  size_t bytes = (size_t)asp_model_dof_count(host->model) * sizeof(double);
  target->valid = source->valid;
  target->dt = source->dt;
  target->count = 0;
  if (!source->valid)
    return ASP_OK;
  ASP_TRY(reserve_accelerations(target));
  ASP_TRY(ASP_GROW(host->context, target->entry, target->capacity, source->count));
  memcpy(target->a, source->a, bytes);
  memcpy(target->a_bar, source->a_bar, bytes);
  if (source->count > 0)
    memcpy(target->entry, source->entry, (size_t)source->count * sizeof *target->entry);
  target->count = source->count;
  return ASP_OK;
}

static AspError archive(const AspSchemeHost *host, void *data, AspArchive *archive) {
  AlphaRun *run = data;
  int dofs = asp_model_dof_count(host->model);
  AspSolver *solvers[] = {run->fine,      run->large[0],  run->large[1], run->large[2],
                          run->coarse[0], run->coarse[1], run->coarse[2]};
  ASP_ARCHIVE(archive, run->named);
  ASP_ARCHIVE(archive, run->gave_up);
  ASP_ARCHIVE(archive, run->valid);
  ASP_ARCHIVE(archive, run->dt);
  ASP_ARCHIVE_LIST(archive, run->entry, run->capacity, run->count);
  if (archive->error == ASP_OK && run->valid) {
    ASP_TRY(reserve_accelerations(run));
    ASP_ARCHIVE_ARRAY(archive, run->a, dofs);
    ASP_ARCHIVE_ARRAY(archive, run->a_bar, dofs);
  }
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
    ASP_TRY(asp_solver_archive(archive, solvers[i]));
  return archive->error;
}

/* The next step begins as the first one does: where forces jump, accelerations of before say nothing. */
static void disturb(const AspSchemeHost *host, void *data, bool moved) {
  (void)host;
  (void)moved;
  AlphaRun *run = data;
  run->valid = false;
  run->count = 0;
}

/* What was tried in a step that missed its tolerance, once. */
static AspError report(const AspSchemeHost *host, void *data, bool certified) {
  AlphaRun *run = data;
  const AspAlpha *alpha = host->work->own;
  if (certified || run->named)
    return ASP_OK;
  run->named = true;
  char modes[96] = "no contact changed its mode twice, so that none was held in one";
  if (alpha->combinations > 0)
    snprintf(modes, sizeof modes, "%d combinations of contact modes tried, none is consistent", alpha->combinations);
  return asp_scheme_warn(host,
                         "step %lld (t = %g s): residuals %.3g on position, %.3g on velocity, %.3g on acceleration "
                         "level; %d iterations still changed %.3g of them; %s",
                         (long long)*host->steps, host->state->t, alpha->residual[0], alpha->residual[1],
                         alpha->residual[2], alpha->iterations,
                         fmax(fmax(alpha->defect[0], alpha->defect[1]), alpha->defect[2]), modes);
}

/* Passes that do not converge end at a prediction that knows no contacts: bodies would pass through each other. */
static AspError give_up(const AspSchemeHost *host, void *data, AspScheme *by) {
  AlphaRun *run = data;
  *by = ASP_SCHEME_MOREAU_JEAN;
  if (run->gave_up)
    return ASP_OK;
  run->gave_up = true;
  return asp_scheme_warn(host,
                         "at t = %.9g s the iterations of generalized-alpha do not end, at shorter steps neither: the "
                         "step is made by moreau-jean, as later ones of this kind",
                         host->state->t);
}

const AspSchemeType asp_scheme_generalized_alpha = {
    .restitution = true,
    .resistance = true,
    .beams = true,
    .uses_projection = true,
    .makes_consistent = true,
    .locates = true,
    .impacts_before = true,
    .impacts_at_end = true,
    .late = ASP_LATE_AT_THE_END,
    .late_solves = ALPHA_LATE_SOLVES,
    .not_one_problem = "three problems",
    .create = create,
    .destroy = destroy,
    .copy = copy,
    .archive = archive,
    .disturb = disturb,
    .order = 2,
    .prepare = prepare,
    .meet = asp_alpha_meet,
    .step = asp_step_generalized_alpha,
    .accept = accept,
    .report = report,
    .give_up = give_up,
};
