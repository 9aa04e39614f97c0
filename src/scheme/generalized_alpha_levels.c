/* The three levels of generalized-alpha as contact problems (generalized_alpha.h; docs/theory/generalized-alpha.md).
 * With a+ taken out by the equation of motion M a = h + W lambda each level stands on its own reactions:
 *
 *   position      M D = M D_0 + b h - W kappa_0 + W kappa^ + W_F (b lambda_F + dt/2 Lambda_F)     value(D) 0 or >= 0
 *   velocity      M u = M u_0 + g h - W P_0 + W P                                                 law of impact
 *   acceleration  M a = h + W lambda                                                              law of forces
 *
 * Lambda_F = P_F - P_0F - g lambda_F. W are all rows; W_F those without position level. The position level is solved
 * for the change of D at the iterate (Newton's method); laws and index sets are solved exactly, not by their
 * linearisation. */
#include "base/elementary.h"
#include "linalg/dimension.h"
#include "problem/cone.h"
#include "problem/verdict.h"
#include "scheme/generalized_alpha.h"
#include "scheme/tuning/generalized_alpha.h"

#include <math.h>

static bool is_unilateral(AspBlockRole role) {
  return role == ASP_ROLE_LIMIT_LOW || role == ASP_ROLE_LIMIT_HIGH || role == ASP_ROLE_CONTACT;
}

void asp_alpha_push(const AlphaStep *step, const double *x, double *f) {
  const AspSparse *H = &step->alpha->all.problem.H;
  for (int k = 0; k < step->row_count; k++)
    for (int e = H->start[k]; x[k] != 0 && e < H->start[k + 1]; e++)
      if (H->row[e] < step->dofs)
        f[H->row[e]] += H->value[e] * x[k];
}

/* f += M x, without load couplings */
static void push_mass(const AlphaStep *step, const double *x, double *f) {
  const AspSparse *M = &step->alpha->all.problem.M;
  for (int j = 0; j < step->dofs; j++)
    for (int e = M->start[j]; e < M->start[j + 1]; e++)
      f[M->row[e]] += M->value[e] * x[j];
}

/* m(x, x_bar), for the forces of a row */
static double carried(const AlphaStep *step, int k) {
  const AlphaWeights *w = &step->weights;
  return (w->alpha_f * step->old[k] - w->alpha_m * step->old_bar[k]) / (1 - w->alpha_m);
}

static double impulse_0(const AlphaStep *step, int k) {
  const AlphaWeights *w = &step->weights;
  return w->dt * ((1 - w->gamma) * step->old_bar[k] + w->gamma * carried(step, k));
}

static double kappa_0(const AlphaStep *step, int k) {
  const AlphaWeights *w = &step->weights;
  return 0.5 * w->dt * w->dt * ((1 - 2 * w->beta) * step->old_bar[k] + 2 * w->beta * carried(step, k));
}

typedef struct Level {
  int *keep;   /* blocks */
  AspLaw *law; /* blocks */
  double *c;   /* rows: known reactions */
  AspFormulation formulation;
  int *from;
  bool *redundant;
  int redundant_count;
  double *r, *u, *x;
} Level;

static AspError begin_level(const AlphaStep *step, Level *level) {
  AspArena *arena = step->work->arena;
  *level = (Level){.keep = ASP_TAKE(arena, int, step->block_count),
                   .law = ASP_TAKE(arena, AspLaw, step->block_count),
                   .c = ASP_TAKE(arena, double, step->row_count)};
  if (!level->keep || !level->law || !level->c)
    return ASP_ERROR_MEMORY;
  memcpy(level->law, step->alpha->all.law, (size_t)step->block_count * sizeof *level->law);
  return ASP_OK;
}

static AspError select_level(AlphaStep *step, Level *level, const double *known, const double *shift) {
  AspLevelChoice choice = {
      .keep = level->keep, .law = level->law, .known = known, .shift = shift, .apart = shift == step->rows.value};
  ASP_TRY(asp_formulation_select(&step->alpha->all, &choice, &level->formulation, &level->from, &level->redundant,
                                 &level->redundant_count));
  const AspContactProblem *problem = &level->formulation.problem;
  level->r = ASP_TAKE(step->work->arena, double, problem->rows);
  level->u = ASP_TAKE(step->work->arena, double, problem->rows);
  level->x = ASP_TAKE(step->work->arena, double, problem->dofs);
  return level->r && level->u && level->x ? ASP_OK : ASP_ERROR_MEMORY;
}

/* What r comes to in a problem, without solving it. */
static AspError judge_level(const AlphaStep *step, const AspContactProblem *problem, const double *r, double *u,
                            double *x, AspSolverInfo *info) {
  AspJudge *judge = step->alpha->judge;
  *info = (AspSolverInfo){.status = ASP_STATUS_SOLVED, .method = ASP_METHOD_AUTO};
  ASP_TRY(asp_judge_reset(judge, problem));
  return asp_judge_certify(judge, &(AspTolerances){.residual = step->work->tolerance}, r, &info->residual, u,
                           problem->dofs > 0 ? x : NULL); // prescribed bodies alone have none
}

/* The residual of the law is not larger than the rounding of the level's terms. */
static bool is_rounding(const AlphaStep *step, AspAlphaLevel level, const AspResidual *residual) {
  double left = residual->E2 * fmax(residual->norm_r, residual->rho * fmax(residual->norm_q, residual->least_q));
  return left <= ALPHA_LEVEL_OF_ROUNDING * ALPHA_ROUNDING * step->scale[level] * sqrt(step->row_count) * residual->rho;
}

static AspError solve_level(AlphaStep *step, AspAlphaLevel which, Level *level, double *reaction, AspSolverInfo *info) {
  const AspContactProblem *problem = &level->formulation.problem;
  for (int k = 0; k < level->formulation.rows; k++)
    level->r[k] = reaction[level->from[k]];
  ASP_TRY(judge_level(step, problem, level->r, level->u, level->x, info));
  if (step->judging || is_rounding(step, which, &info->residual))
    return ASP_OK;
  ASP_TRY(asp_solver_solve(asp_alpha_solver(step, which, level->formulation.rows), problem, level->r, level->u,
                           level->x, info));
  for (int k = 0; k < level->formulation.rows; k++)
    reaction[level->from[k]] = level->r[k];
  return ASP_OK;
}

static int rows_of(const AlphaStep *step, int block) {
  return step->alpha->all.offset[block + 1] - step->alpha->all.offset[block];
}

/* ---- position ---- */

/* The index set A, by the argument of the projection: kappa^ - value / W_kk >= 0. */
static void find_closed(AlphaStep *step, const Level *level) {
  const AspFormulation *all = &step->alpha->all;
  int k = 0;
  for (int b = 0; b < step->block_count; b++) {
    int row = all->offset[b];
    if (step->hold[b] != ALPHA_FREE)
      step->closed[b] = step->hold[b] != ALPHA_HOLD_OPEN;
    else if (is_unilateral(all->tag[b].role))
      step->closed[b] = step->kappa[row] * step->metric[row] >= level->u[k] - ALPHA_LEVEL_TOUCH * step->work->slop;
    k += level->keep[b];
  }
}

/* Largest sum of a row of the matrix over its M_jj. */
static AspError find_stiffness(AlphaStep *step, const AspSparse *lead) {
  const AspSparse *M = &step->alpha->all.problem.M;
  double *row = ASP_TAKE(step->work->arena, double, step->dofs);
  const double *inverse = asp_inverse_diagonal(step->work->arena, M);
  if (!row || !inverse)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < step->dofs; j++)
    for (int e = lead->start[j]; e < lead->start[j + 1]; e++)
      row[lead->row[e]] += fabs(lead->value[e]);
  step->stiffness = 1;
  for (int j = 0; j < step->dofs; j++)
    step->stiffness = fmax(step->stiffness, row[j] * inverse[j]);
  return ASP_OK;
}

/* Newton's matrix of the position level: M + g C + b K where there is something stiff. */
static AspError use_lead(AlphaStep *step, AspFormulation *level) {
  AspFormulation *all = &step->alpha->all;
  AspContactProblem *problem = &level->problem;
  step->stiffness = 1;
  if (!asp_alpha_is_stiff(step))
    return ASP_OK;
  ASP_TRY(asp_formulate_lead(all, &step->end, step->weights.g, step->weights.b, &problem->M));
  ASP_TRY(find_stiffness(step, &problem->M));
  problem->dofs = problem->H.rows = step->dofs;
  return asp_formulate_bodies(level);
}

/* h as the new D has it, h - (lead - M) x / b: smooth where evaluating it again would show the rounding of D times the
 * stiffness. */
static void imply_force(AlphaStep *step, const AspContactProblem *problem, const double *x) {
  const AspSparse *matrix[] = {&step->alpha->all.problem.M, &problem->M};
  if (matrix[0]->value == matrix[1]->value)
    return;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < step->dofs; j++)
      for (int e = matrix[i]->start[j]; e < matrix[i]->start[j + 1]; e++)
        if (matrix[i]->row[e] < step->dofs)
          step->h[matrix[i]->row[e]] += (i == 0 ? 1 : -1) * matrix[i]->value[e] * x[j] / step->weights.b;
}

AspError asp_alpha_note_friction(AlphaStep *step) {
  const AlphaWeights *w = &step->weights;
  double *c = ASP_TAKE(step->work->arena, double, step->row_count);
  if (!c)
    return ASP_ERROR_MEMORY;
  for (int k = 0; k < step->row_count; k++)
    if (!step->rows.placed[k])
      c[k] = w->b * step->lambda[k] + 0.5 * w->dt * (step->P[k] - impulse_0(step, k) - w->g * step->lambda[k]);
  memset(step->friction, 0, (size_t)step->size * sizeof *step->friction);
  asp_alpha_push(step, c, step->friction);
  return ASP_OK;
}

AspError asp_alpha_position(AlphaStep *step) {
  const AspFormulation *all = &step->alpha->all;
  const AlphaWeights *w = &step->weights;
  Level level;
  ASP_TRY(begin_level(step, &level));
  for (int b = 0; b < step->block_count; b++) {
    int first = all->offset[b], rows = rows_of(step, b);
    level.keep[b] = rows > 0 && step->rows.placed[first] ? (all->tag[b].role == ASP_ROLE_CONTACT ? 1 : rows) : 0;
    if (all->tag[b].role == ASP_ROLE_CONTACT)
      level.law[b] = (AspLaw){.kind = ASP_LAW_UNILATERAL};
    if (step->hold[b] != ALPHA_FREE)
      level.law[b].kind = ASP_LAW_EQUALITY;
    if (step->hold[b] == ALPHA_HOLD_OPEN) {
      level.keep[b] = 0;
      step->kappa[first] = 0;
    }
  }
  ASP_TRY(select_level(step, &level, NULL, step->rows.value));
  for (int k = 0; k < step->row_count; k++)
    level.c[k] = step->rows.placed[k] ? -kappa_0(step, k) : 0;
  if (step->judging)
    ASP_TRY(asp_alpha_note_friction(step));
  double *f = level.formulation.problem.f, *lag = ASP_TAKE(step->work->arena, double, step->size);
  if (!lag)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < step->dofs; j++) {
    lag[j] = step->D_0[j] - step->D[j];
    f[j] = w->b * step->h[j] + step->friction[j];
  }
  push_mass(step, lag, f);
  asp_alpha_push(step, level.c, f);
  ASP_TRY(use_lead(step, &level.formulation));
  ASP_TRY(solve_level(step, ASP_ALPHA_POSITION, &level, step->kappa, &step->position));
  double change = 0;
  for (int j = 0; j < step->dofs; j++) {
    change = fmax(change, fabs(level.x[j]));
    step->D[j] += level.x[j];
  }
  step->change[0] = change;
  imply_force(step, &level.formulation.problem, level.x);
  find_closed(step, &level);
  return ASP_OK;
}

/* ---- velocity ---- */

/* Blocks of a contact follow its normal. */
static bool is_closed(const AlphaStep *step, int block) {
  const AspBlockTag *tag = &step->alpha->all.tag[block];
  if (is_unilateral(tag->role))
    return step->closed[block];
  return !asp_role_is_of_contact(tag->role) || step->closed[step->contact_block[tag->index]];
}

typedef struct Guess {
  const AlphaStep *step;
  const Level *level;
} Guess;

static AspError guess_impulse(void *user, const AspFormulation *formulation, double *r, double *other) {
  const Guess *guess = user;
  for (int k = 0; k < formulation->rows; k++)
    r[k] = other[k] = guess->step->P[guess->level->from[k]];
  return ASP_OK;
}

/* The mode of a ball; its rows share one metric. */
static AlphaMode ball_mode(const AspLaw *law, int rows, const double *metric, const double *P, const double *u) {
  double x[3] = {0}, most = metric[0];
  for (int k = 1; k < rows; k++)
    most = fmax(most, metric[k]);
  for (int k = 0; k < rows; k++)
    x[k] = P[k] * most - u[k];
  bool beyond = asp_ball_length(rows, x) > law->limit * most * (1 + ALPHA_LEVEL_BOUNDARY);
  return beyond && asp_ball_length(rows, u) > 0 ? ALPHA_SLIP : ALPHA_STICK;
}

/* Of dry friction at its rates; others keep what they have. */
static void dry_direction(AspLawKind kind, int rows, const double *u, double direction[3]) {
  double slip = kind == ASP_LAW_BALL ? asp_ball_length(rows, u) : 0;
  if (kind == ASP_LAW_BOX)
    direction[0] = u[0] > 0 ? 1 : -1;
  for (int k = 0; k < rows && slip > 0; k++)
    direction[k] = u[k] / slip;
}

/* The mode of a block from its impulses and velocities: where P - u / W_kk lies. */
static AlphaMode mode_of(const AlphaStep *step, const AspLaw *law, int first, int rows, const double *P,
                         const double *u, const double *shift) {
  const double *metric = step->metric + first;
  if (law->kind == ASP_LAW_EQUALITY)
    return ALPHA_STICK;
  if (law->kind == ASP_LAW_BALL)
    return ball_mode(law, rows, metric, P, u);
  if (law->kind == ASP_LAW_BOX)
    return fabs(P[0] * metric[0] - u[0]) > law->limit * metric[0] * (1 + ALPHA_LEVEL_BOUNDARY) && u[0] != 0
               ? ALPHA_SLIP
               : ALPHA_STICK;
  if (P[0] * metric[0] < u[0])
    return ALPHA_PARTS;
  double reach = 0, slip = 0;
  for (int k = 1; k < rows; k++) {
    double t = metric[k] > 0 ? P[k] - u[k] / metric[k] : P[k], v = u[k] - shift[k];
    reach += t * t;
    slip += v * v;
  }
  return sqrt(reach) > law->mu * P[0] * (1 + ALPHA_LEVEL_BOUNDARY) && slip > 0 ? ALPHA_SLIP : ALPHA_STICK;
}

/* Accuracy of the levels' solutions, relative to their sizes. */
static double resolution(const AlphaStep *step) {
  if (step->row_count <= ALPHA_SMALL)
    return ALPHA_LEVEL_ROUNDED;
  return step->early ? fmax(ASP_ALPHA_COARSE, step->work->tolerance) : step->work->tolerance;
}

/* A contact's mode of the pass before that its impulses and velocities still allow, up to what is not resolved: the
 * noise of a solve does not change modes, nor turn a slip that is hardly one. */
static bool may_stay(const AlphaStep *step, int block, const AspLaw *law, int rows, const double *P, const double *u,
                     const double *shift) {
  const double *metric = step->metric + step->alpha->all.offset[block], *slip = step->slip + 3 * (size_t)block;
  double slow = resolution(step) * step->scale[1], speed = 0, turned = 0, friction = 0, stuck = 0;
  if (step->alpha->all.tag[block].role != ASP_ROLE_CONTACT || step->hold[block] != ALPHA_FREE || !(slow > 0))
    return false;
  if (step->mode[block] == ALPHA_PARTS)
    return P[0] * metric[0] <= slow && u[0] >= -slow;
  for (int k = 1; k < rows; k++)
    speed = asp_hypot(speed, u[k] - shift[k]);
  for (int k = 1; k < rows; k++) {
    stuck = asp_hypot(stuck, u[k]);
    turned = asp_hypot(turned, u[k] - shift[k] - speed * slip[k - 1]);
    friction = asp_hypot(friction, P[k]);
  }
  double inside = rows > 1 ? metric[1] * (law->mu * P[0] - friction) : 0;
  bool stays = step->mode[block] == ALPHA_STICK ? stuck <= slow : turned <= slow && inside <= slow;
  return step->mode[block] != ALPHA_OPEN && fabs(u[0]) <= slow && stays;
}

/* The coefficient of a contact at an instant, given that of its impulse: what came to rest in the step has the
 * coefficient of motion for its impulse, and that of rest at the end. */
static double mu_at_instant(const AlphaStep *step, int block, double mu) {
  const AspBlockTag *tag = &step->alpha->all.tag[block];
  const AspContactFrame *frame = tag->role == ASP_ROLE_CONTACT ? &step->work->frames[tag->index] : NULL;
  if (step->mode[block] != ALPHA_STICK || !frame || !frame->law || asp_pair_law_is_patch(frame->law))
    return mu;
  return asp_friction_coefficient(frame->law, 0) / frame->stretch[0];
}

/* Modes for the acceleration level; a slipping block's law there. */
static void set_modes(AlphaStep *step, const Level *level, const double *P, const double *u) {
  const AspFormulation *all = &step->alpha->all;
  const AspFormulation *formulation = &level->formulation;
  int at = 0;
  for (int b = 0; b < step->block_count; b++) {
    double *kept = step->slip + 3 * (size_t)b;
    if (level->keep[b] == 0 && all->tag[b].role != ASP_ROLE_JOINT) {
      step->mode[b] = ALPHA_OPEN;
      continue;
    }
    int first = formulation->offset[at];
    AspLaw law = formulation->law[at]; // as solved: coefficients may follow the slip
    int rows = formulation->offset[++at] - first;
    if (rows > 0 && may_stay(step, b, &law, rows, P + first, u + first, formulation->shift + first)) {
      all->law[b].mu = mu_at_instant(step, b, law.mu);
      memcpy(all->law[b].direction, kept, sizeof all->law[b].direction);
      continue;
    }
    step->mode[b] = rows > 0
                        ? mode_of(step, &law, all->offset[b], rows, P + first, u + first, formulation->shift + first)
                        : ALPHA_STICK;
    bool loaded = asp_role_is_of_contact(all->tag[b].role) && all->tag[b].role != ASP_ROLE_CONTACT;
    if (loaded && step->mode[step->contact_block[all->tag[b].index]] == ALPHA_PARTS)
      step->mode[b] = ALPHA_PARTS;
    else if (step->mode[b] == ALPHA_PARTS && !is_unilateral(all->tag[b].role))
      step->mode[b] = ALPHA_STICK; // loaded by what presses
    AspLaw *slips = &all->law[b];
    slips->mu = mu_at_instant(step, b, law.mu);
    double slip = 0;
    for (int k = 1; k < rows; k++)
      slip = asp_hypot(slip, u[first + k] - formulation->shift[first + k]);
    for (int k = 1; k < rows && k < 3 && slip > 0; k++) // joints have more rows, and no slip
      slips->direction[k - 1] = (u[first + k] - formulation->shift[first + k]) / slip;
    dry_direction(law.kind, rows, u + first, slips->direction);
    memcpy(kept, slips->direction, sizeof slips->direction);
  }
}

/* The law of a block that is held. */
static void hold_velocity(const AlphaStep *step, int block, AspLaw *law) {
  AlphaHold hold = step->hold[block];
  if (hold == ALPHA_HOLD_STICK)
    law->kind = ASP_LAW_EQUALITY;
  if ((hold != ALPHA_HOLD_SLIP && hold != ALPHA_HOLD_SLIP_BACK) || law->kind != ASP_LAW_COULOMB)
    return;
  law->kind = ASP_LAW_SLIDING;
  if (step->alpha->all.problem.dimension == 2)
    law->direction[0] = hold == ALPHA_HOLD_SLIP ? 1 : -1;
  else if (!(asp_hypot(law->direction[0], law->direction[1]) > 0))
    law->direction[0] = 1;
}

AspError asp_alpha_velocity(AlphaStep *step) {
  const AspFormulation *all = &step->alpha->all;
  AspStepWork *work = step->work;
  Level level;
  ASP_TRY(begin_level(step, &level));
  for (int b = 0; b < step->block_count; b++) {
    level.keep[b] = is_closed(step, b) ? rows_of(step, b) : 0;
    hold_velocity(step, b, &level.law[b]);
  }
  ASP_TRY(select_level(step, &level, all->known, all->shift));
  double *f = level.formulation.problem.f;
  for (int j = 0; j < step->dofs; j++)
    f[j] = step->weights.g * step->h[j];
  for (int c = 0; c < all->couplings; c++)
    f[step->dofs + c] = -all->coupling_load[c];
  push_mass(step, step->u_0, f);
  for (int k = 0; k < step->row_count; k++)
    level.c[k] = -impulse_0(step, k);
  asp_alpha_push(step, level.c, f);
  Guess guess = {step, &level};
  AspStepWork own = *work;
  own.solver = asp_alpha_solver(step, ASP_ALPHA_VELOCITY, level.formulation.rows);
  own.guess = guess_impulse;
  own.guess_user = &guess;
  own.formulation = level.formulation;
  own.redundant = level.redundant;
  own.redundant_count = level.redundant_count;
  own.r = level.r;
  own.u = level.u;
  own.x = level.x;
  ASP_TRY(guess_impulse(&guess, &level.formulation, own.r, own.u));
  ASP_TRY(judge_level(step, &level.formulation.problem, own.r, own.u, own.x, &own.solved));
  bool fits = is_rounding(step, ASP_ALPHA_VELOCITY, &own.solved.residual);
  if (!step->judging && (!fits || all->varying > 0)) // coefficients that follow the slip are found by the solve
    ASP_TRY(asp_solve_problem(&own, step->start, true));
  own.solver = work->solver;
  own.guess = work->guess;
  own.guess_user = work->guess_user;
  *work = own;
  level.formulation = own.formulation;
  memset(step->P, 0, (size_t)step->row_count * sizeof *step->P);
  for (int k = 0; k < own.formulation.rows; k++)
    step->P[level.from[k]] = own.r[k];
  step->velocity_rows = level.from;
  set_modes(step, &level, own.r, own.u);
  step->velocity = own.solved;
  double change = 0;
  for (int j = 0; j < step->dofs; j++) {
    change = fmax(change, fabs(own.x[j] - step->u[j]));
    step->u[j] = own.x[j];
  }
  step->change[1] = change;
  return ASP_OK;
}

/* ---- acceleration ---- */

static double mu_at_start(const AlphaStep *step, int block, const double *rate, bool slips) {
  const AspBlockTag *tag = &step->alpha->all.tag[block];
  const AspContactFrame *frame = tag->role == ASP_ROLE_CONTACT ? &step->work->frames[tag->index] : NULL;
  double slip = 0;
  for (int k = 1; frame && slips && k < rows_of(step, block); k++)
    slip = asp_hypot(slip, rate[k] / frame->stretch[k - 1]);
  return frame && frame->law ? asp_friction_coefficient(frame->law, slip) / frame->stretch[0]
                             : step->alpha->all.law[block].mu;
}

void asp_alpha_modes_at_start(AlphaStep *step, double gap, double speed) {
  const AspFormulation *all = &step->alpha->all;
  int n = asp_body_velocities(asp_model_dimension(all->model));
  const double *v = step->end.v;
  for (int b = 0; b < step->block_count; b++) {
    int first = all->offset[b], rows = rows_of(step, b);
    double rate[ASP_JOINT_ROWS_MAX] = {0}, slip = 0;
    for (int k = 0; k < rows; k++) {
      const AspRow *row = &all->row[first + k];
      rate[k] = all->known[first + k];
      for (const AspRow *part = row; part; part = part->more) {
        if (asp_model_body_is_free(all->model, part->body_a))
          rate[k] += asp_row_dot(n, part->ja, v + (size_t)n * part->body_a);
        if (asp_model_body_is_free(all->model, part->body_b))
          rate[k] += asp_row_dot(n, part->jb, v + (size_t)n * part->body_b);
      }
      slip = k > 0 ? asp_hypot(slip, rate[k]) : 0;
    }
    AspLawKind kind = all->law[b].kind;
    slip = kind == ASP_LAW_BOX || kind == ASP_LAW_BALL ? asp_ball_length(rows, rate) : slip;
    step->mode[b] = kind != ASP_LAW_EQUALITY && slip > speed ? ALPHA_SLIP : ALPHA_STICK;
    if (is_unilateral(all->tag[b].role)) {
      step->closed[b] = step->rows.value[first] <= gap && fabs(rate[0]) <= speed;
      step->mode[b] = step->closed[b] ? step->mode[b] : ALPHA_OPEN;
    } else if (!is_closed(step, b)) {
      step->mode[b] = ALPHA_OPEN;
    }
    all->law[b].mu = mu_at_start(step, b, rate, slip > speed);
    for (int k = 1; k < rows && k < 3 && slip > 0; k++)
      all->law[b].direction[k - 1] = rate[k] / slip;
    dry_direction(kind, rows, rate, all->law[b].direction);
  }
}

AspError asp_alpha_acceleration(AlphaStep *step) {
  const AspFormulation *all = &step->alpha->all;
  Level level;
  ASP_TRY(begin_level(step, &level));
  for (int b = 0; b < step->block_count; b++) {
    AspLaw *law = &level.law[b];
    AlphaMode mode = step->mode[b];
    int first = all->offset[b];
    level.keep[b] = mode == ALPHA_STICK || mode == ALPHA_SLIP ? rows_of(step, b) : 0;
    if (law->kind == ASP_LAW_BOX || law->kind == ASP_LAW_BALL) {
      law->limit /= step->weights.dt;
      for (int k = 0; mode == ALPHA_SLIP && k < rows_of(step, b); k++)
        level.c[first + k] = -law->limit * law->direction[k];
      level.keep[b] = mode == ALPHA_SLIP ? 0 : level.keep[b];
    } else if (law->kind == ASP_LAW_COULOMB && mode == ALPHA_SLIP) {
      law->kind = ASP_LAW_SLIDING;
    }
  }
  ASP_TRY(select_level(step, &level, NULL, step->rows.bias));
  double *f = level.formulation.problem.f;
  for (int j = 0; j < step->dofs; j++)
    f[j] = step->h[j];
  for (int c = 0; c < all->couplings; c++)
    f[step->dofs + c] = -all->coupling_load[c];
  asp_alpha_push(step, level.c, f);
  for (int k = 0; k < level.formulation.rows; k++)
    level.c[level.from[k]] = step->lambda[level.from[k]];
  memcpy(step->lambda, level.c, (size_t)step->row_count * sizeof *step->lambda);
  ASP_TRY(solve_level(step, ASP_ALPHA_ACCELERATION, &level, step->lambda, &step->acceleration));
  double change = 0;
  for (int j = 0; j < step->dofs; j++) {
    change = fmax(change, fabs(level.x[j] - step->a[j]));
    step->a[j] = level.x[j];
  }
  step->change[2] = change;
  return ASP_OK;
}
