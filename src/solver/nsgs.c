/* Block Gauss-Seidel: sweeps, when to ask the judge, when to give up. See nsgs.h. */
#include "solver/nsgs.h"
#include "base/elementary.h"
#include "solver/local_ball.h"
#include "solver/method.h"

#include "linalg/small.h"
#include "solver/tuning/nsgs.h"

#include <float.h>

/* u += V^T y of one block, or y += A^-1 F dr; inlined with constant sizes where it counts. */
static inline void gather_piece(int height, int size, const double *V, const double *y, double *u) {
  for (int l = 0; l < size; l++) {
    double sum = 0;
    for (int h = 0; h < height; h++)
      sum += V[h + l * height] * y[h];
    u[l] += sum;
  }
}

static inline void scatter_piece(int height, int size, const double *Y, const double *dr, double *y) {
  if (size == 3) {
    double d0 = dr[0], d1 = dr[1], d2 = dr[2];
    for (int h = 0; h < height; h++)
      y[h] += Y[h] * d0 + Y[h + height] * d1 + Y[h + 2 * height] * d2;
    return;
  }
  for (int l = 0; l < size; l++)
    for (int h = 0; h < height; h++)
      y[h] += Y[h + l * height] * dr[l];
}

static void gather(const AspNsgs *nsgs, const AspNsgsBlock *block, double *u) {
  for (int l = 0; l < block->size; l++)
    u[l] = nsgs->form->w[block->first + l];
  for (int q = block->piece; q < block->piece + block->pieces; q++) {
    const AspNsgsPiece *piece = &nsgs->piece[q];
    const double *V = nsgs->value + piece->value, *y = nsgs->y + piece->at;
    if (piece->height == 6 && block->size == 3)
      gather_piece(6, 3, V, y, u);
    else if (piece->height == 3 && block->size == 3)
      gather_piece(3, 3, V, y, u);
    else if (piece->height == 3 && block->size == 2)
      gather_piece(3, 2, V, y, u);
    else
      gather_piece(piece->height, block->size, V, y, u);
  }
}

static void scatter(AspNsgs *nsgs, const AspNsgsBlock *block, const double *dr) {
  for (int q = block->piece; q < block->piece + block->pieces; q++) {
    const AspNsgsPiece *piece = &nsgs->piece[q];
    const double *Y = nsgs->value + piece->value + (size_t)(block->size * piece->height);
    double *y = nsgs->y + piece->at;
    if (piece->height == 6 && block->size == 3)
      scatter_piece(6, 3, Y, dr, y);
    else
      scatter_piece(piece->height, block->size, Y, dr, y);
  }
}

/* y = A^-1 (F state + f) afresh: the increments of many sweeps leave rounding behind. */
static void refresh(AspNsgs *nsgs) {
  if (!nsgs->bodies)
    return;
  memcpy(nsgs->y, nsgs->y_zero, (size_t)nsgs->form->n * sizeof *nsgs->y);
  for (int i = 0; i < nsgs->blocks; i++)
    scatter(nsgs, &nsgs->block[i], nsgs->state + nsgs->block[i].first);
}

void asp_nsgs_start(AspNsgs *nsgs, const double *r) {
  if (nsgs->rows > 0) {
    memcpy(nsgs->state, r, (size_t)nsgs->rows * sizeof *r);
    memcpy(nsgs->r, r, (size_t)nsgs->rows * sizeof *r);
  }
  memset(nsgs->age, 0, (size_t)nsgs->blocks * sizeof *nsgs->age);
  refresh(nsgs);
}

/* r of one block from its u and the reaction x that u belongs to. */
static void solve_block(AspNsgs *nsgs, const AspNsgsBlock *block, double *u, const double *x, double *r) {
  switch (block->kind) {
  case ASP_LAW_COULOMB: {
    AspLocalContact *contact = &nsgs->contact[block->law];
    for (int l = 0; l < block->size; l++)
      for (int k = 0; k < block->size; k++)
        u[k] -= contact->W[k + 3 * l] * x[l];
    for (int k = 0; k < block->size; k++)
      r[k] = x[k];
    asp_local_contact_solve(contact, u, r);
    return;
  }
  case ASP_LAW_UNILATERAL:
    r[0] = block->W > 0 ? fmax(0, x[0] - u[0] / block->W) : 0;
    return;
  case ASP_LAW_BOX:
    r[0] = block->W > 0 ? fmax(-block->limit, fmin(block->limit, x[0] - u[0] / block->W)) : 0;
    return;
  case ASP_LAW_BALL: {
    const double *W = nsgs->W + block->law;
    for (int l = 0; l < block->size; l++)
      for (int k = 0; k < block->size; k++)
        u[k] -= W[k + block->size * l] * x[l];
    asp_local_ball_solve(block->size, W, block->limit, u, r);
    return;
  }
  default:
    asp_small_lu_solve(block->size, nsgs->LU + block->law, nsgs->pivot + block->first, u);
    for (int k = 0; k < block->size; k++)
      r[k] = x[k] - u[k];
  }
}

/* The weight of the extrapolation: the block's age rules it. */
static double momentum_of(AspNsgs *nsgs, int i, const double *y, const double *r, const double *x, int size) {
  double along = 0;
  for (int k = 0; k < size; k++)
    along += (y[k] - r[k]) * (r[k] - x[k]);
  nsgs->age[i] = along > 0 ? 0.5 * nsgs->age[i] : nsgs->age[i] + 1;
  return fmin(nsgs->momentum, nsgs->age[i] / (nsgs->age[i] + 3));
}

double asp_nsgs_sweep(AspNsgs *nsgs) {
  double change = 0, total = 0;
  for (int i = 0; i < nsgs->blocks; i++) {
    const AspNsgsBlock *block = &nsgs->block[i];
    double *state = nsgs->state + block->first, *r = nsgs->r + block->first;
    double *u = nsgs->u, *answer = nsgs->trial;
    gather(nsgs, block, u);
    solve_block(nsgs, block, u, state, answer);
    bool moved = false;
    double beta = nsgs->momentum > 0 ? momentum_of(nsgs, i, state, answer, r, block->size) : 0;
    for (int k = 0; k < block->size; k++) {
      double difference = answer[k] - state[k], next = answer[k] + beta * (answer[k] - r[k]);
      change += difference * difference;
      total += answer[k] * answer[k];
      r[k] = answer[k];
      u[k] = next - state[k];
      moved = moved || u[k] != 0;
      state[k] = next;
    }
    if (moved && nsgs->bodies)
      scatter(nsgs, block, u);
  }
  if (++nsgs->sweeps % NSGS_REFRESH == 0)
    refresh(nsgs);
  return sqrt(change) / fmax(sqrt(total), DBL_MIN);
}

/* What a run knows about its convergence. */
typedef struct Progress {
  double change;      /* of the last sweep */
  double window;      /* of the sweep at the last look */
  double ratio;       /* the judge's score over the change when it was last asked; 0: never asked */
  double best;        /* smallest change so far */
  int best_sweep;     /* when that was */
  double last_checks; /* the change when the judge was last asked */
} Progress;

static AspError ask_judge(AspNsgs *nsgs, SolverRun *run, Progress *progress, bool *solved) {
  AspResidual residual;
  ASP_TRY(asp_run_offer_scaled(run, nsgs->r, &residual, NULL));
  double score = asp_run_measure(run, &residual);
  progress->ratio = progress->change > 0 ? score / progress->change : HUGE_VAL;
  progress->last_checks = progress->change;
  *solved = asp_verdict_is_met(&run->asked, &residual);
  asp_run_progress(run, "nsgs", nsgs->sweeps, score);
  return ASP_OK;
}

/* Further sweeps that the rate of the last window predicts. */
static double predicted_sweeps(const Progress *progress, double tolerance) {
  double left = asp_ln(progress->change * progress->ratio / tolerance);
  double rate = asp_ln(progress->window / progress->change) / NSGS_WINDOW;
  return left <= 0 ? 0 : rate > 0 ? left / rate : HUGE_VAL;
}

/* Momentum can get caught in a cycle: less of it, then none. */
static void watch_stagnation(AspNsgs *nsgs, Progress *progress) {
  if (progress->change < NSGS_PROGRESS * progress->best) {
    progress->best = progress->change;
    progress->best_sweep = nsgs->sweeps;
  } else if (nsgs->sweeps - progress->best_sweep > NSGS_STAGNATION && nsgs->momentum > 0) {
    nsgs->momentum = nsgs->momentum > NSGS_CAREFUL ? NSGS_CAREFUL : 0;
    progress->best = progress->change;
    progress->best_sweep = nsgs->sweeps;
  }
}

AspError asp_nsgs_run(AspNsgs *nsgs, SolverRun *run, const AspNsgsLimits *limits, AspStatus *status) {
  Progress progress = {.best = HUGE_VAL, .best_sweep = nsgs->sweeps};
  bool solved = false;
  int first = nsgs->sweeps;
  *status = ASP_STATUS_ITERATION_LIMIT;
  while (nsgs->sweeps - first < limits->max_sweeps) {
    progress.change = asp_nsgs_sweep(nsgs);
    asp_run_spend(run, 1);
    bool look = (nsgs->sweeps - first) % NSGS_WINDOW == 0;
    bool promising = progress.change * progress.ratio <= run->asked.residual &&
                     (progress.ratio > 0 || progress.change <= run->asked.residual);
    if (progress.change == 0 || promising || (look && progress.ratio == 0)) {
      ASP_TRY(ask_judge(nsgs, run, &progress, &solved));
      if (solved)
        return ASP_OK;
    }
    if (!isfinite(progress.change) || progress.change == 0) {
      *status = ASP_STATUS_STALLED;
      break;
    }
    if (!look)
      continue;
    watch_stagnation(nsgs, &progress);
    if (limits->patience > 0 && nsgs->sweeps - first >= limits->verdict &&
        predicted_sweeps(&progress, run->asked.residual) > limits->patience)
      break;
    progress.window = progress.change;
    if (asp_run_is_late(run)) {
      *status = ASP_STATUS_TIME_LIMIT;
      break;
    }
  }
  return ask_judge(nsgs, run, &progress, &solved);
}

AspError asp_nsgs_solve(SolverRun *run, const double *start) {
  AspPrepared *p = run->prepared;
  AspStatus status = ASP_STATUS_SOLVED;
  int limit = run->settings.max_iterations;
  bool solved;
  ASP_TRY(asp_run_begin(run, &run->space->scratch, start, &solved));
  if (!solved) {
    AspNsgs nsgs;
    AspNsgsLimits limits = {.max_sweeps = limit > 0 ? limit : NSGS_MAX_SWEEPS};
    ASP_TRY(asp_nsgs_take(&nsgs, run));
    double *scaled = ASP_TAKE(&run->space->scratch, double, p->rows);
    if (!scaled)
      return ASP_ERROR_MEMORY;
    if (start)
      asp_prepared_to_scaled(p, start, scaled);
    asp_nsgs_start(&nsgs, scaled);
    ASP_TRY(asp_nsgs_run(&nsgs, run, &limits, &status));
    run->iterations = nsgs.sweeps;
  }
  asp_run_conclude(run, status);
  return ASP_OK;
}

const SolverMethod asp_method_nsgs = {.solve = asp_nsgs_solve, .exact_cones = true, .balls = true, .scaled_form = true};
