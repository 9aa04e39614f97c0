/* Packed Gauss-Seidel: recognising the problem, laying it out, sweeping until done. See packed.h. */
#include "solver/packed.h"

#include "base/parallel.h"
#include "problem/rigid.h"

#include <float.h>
#include <math.h>

#define CHECK_EVERY 8    /* sweeps between looks at the residual */
#define FRESH_EVERY 16   /* looks between velocities afresh from r */
#define MOMENTUM    0.8  /* beta at the start */
#define MOST        0.93 /* its cap, and what is tried after stagnation: CAREFUL, then 0 */
#define CAREFUL     0.6
#define LEAST       0.7  /* beta where the residual keeps rising */
#define FASTER      0.92 /* factors of 1 - beta where the residual fell, and where it rose */
#define SLOWER      1.5
#define AIM         0.5  /* share of the tolerances at which sweeping ends */
#define FAR         100  /* excess of a start beyond which others are looked at */
#define WINDOW      4    /* checks over which the rate is measured */
#define HOPE        12   /* checks without progress after which a residual that rises counts as stuck */
#define STAGNATION  12   /* checks without progress */
#define WAITING     6e-8 /* s for a sweep of several threads, times contacts: slower may be waiting for a processor */

/* A body of the problem: its first dof, 1/m, and L^-1 of its inertia J = L L^T (lower, by rows). */
typedef struct Body {
  int dof;
  double inverse_mass, L[6];
} Body;

typedef struct Pack {
  const AspContactProblem *problem;
  const bool *active; /* blocks; NULL: all */
  int *body_of;       /* dofs: body */
  Body *body;
  int bodies;
  int *first, *second; /* contacts: bodies; first < 0: the ground */
  int *block;          /* contacts: block of the problem */
  int contacts;
} Pack;

/* ---- recognising ---- */

/* M's block at `dof` as mass and inertia; false when it is of another kind. */
static bool read_body(const AspSparse *M, int dof, Body *body) {
  double block[36] = {0};
  for (int j = 0; j < 6; j++)
    for (int k = M->start[dof + j]; k < M->start[dof + j + 1]; k++) {
      int i = M->row[k] - dof;
      if (i >= 0 && i < 6)
        block[6 * j + i] += M->value[k];
      else if (M->value[k] != 0)
        return false;
    }
  double m, J[6];
  if (!asp_rigid_split(block, &m, J))
    return false;
  double a = J[0], b = J[1], c = J[2], d = J[3], e = J[4], f = J[5];
  double l00 = sqrt(a), l10 = b / l00, l20 = c / l00, l11 = sqrt(d - l10 * l10), l21 = (e - l20 * l10) / l11;
  double l22 = sqrt(f - l20 * l20 - l21 * l21);
  if (!(m > 0 && l00 > 0 && l11 > 0 && l22 > 0 && isfinite(m + l00 + l11 + l22)))
    return false;
  double *L = body->L;
  body->dof = dof;
  body->inverse_mass = 1 / m;
  L[0] = 1 / l00;
  L[2] = 1 / l11;
  L[5] = 1 / l22;
  L[1] = -l10 * L[0] * L[2];
  L[4] = -l21 * L[2] * L[5];
  L[3] = -(l20 * L[0] + l21 * L[1]) * L[5];
  return true;
}

/* The bodies of one column: first dofs, ascending. Where zeros were left out, bodies begin at multiples of six. False
 * when there are more than two, or they overlap. */
static bool column_bodies(const AspSparse *H, int column, int dof[2], int *count) {
  *count = 0;
  for (int k = H->start[column], end = H->start[column + 1]; k < end;) {
    int row = H->row[k];
    bool whole = k + 6 <= end && H->row[k + 5] == row + 5;
    if (*count == 2)
      return false;
    dof[(*count)++] = whole ? row : row - row % 6;
    for (int next = dof[*count - 1] + 6; k < end && H->row[k] < next; k++)
      ;
  }
  return *count < 2 || dof[0] + 6 <= dof[1];
}

/* The six entries of a column at a body. */
static void column_values(const AspSparse *H, int column, int dof, double value[6]) {
  int end = H->start[column + 1];
  for (int k = H->start[column]; k + 6 <= end; k += 6)
    if (H->row[k] == dof && H->row[k + 5] == dof + 5) {
      memcpy(value, H->value + k, 6 * sizeof *value);
      return;
    }
  memset(value, 0, 6 * sizeof *value);
  for (int k = H->start[column]; k < end; k++)
    if (H->row[k] >= dof && H->row[k] < dof + 6)
      value[H->row[k] - dof] = H->value[k];
}

static bool is_contact(const AspContactProblem *problem, int i) {
  const AspLaw *law = &problem->law[i];
  return law->kind == ASP_LAW_UNILATERAL || (law->kind == ASP_LAW_COULOMB && law->cone == ASP_CONE_EXACT);
}

static int body_at(Pack *pack, int dof) {
  int known = pack->body_of[dof] - 1;
  if (known >= 0)
    return pack->body[known].dof == dof ? known : -1;
  if (dof + 6 > pack->problem->dofs || !read_body(&pack->problem->M, dof, &pack->body[pack->bodies]))
    return -1;
  for (int k = 0; k < 6; k++) {
    if (pack->body_of[dof + k])
      return -1;
    pack->body_of[dof + k] = pack->bodies + 1;
  }
  return pack->bodies++;
}

/* Linear rows of two bodies are opposite to each other. */
static bool are_opposite(const AspSparse *H, int column, const int dof[2]) {
  double p[6], q[6];
  column_values(H, column, dof[0], p);
  column_values(H, column, dof[1], q);
  return p[0] == -q[0] && p[1] == -q[1] && p[2] == -q[2];
}

static bool read_block(Pack *pack, int i) {
  const AspContactProblem *problem = pack->problem;
  int dof[2], count = 0;
  if (!is_contact(problem, i))
    return false;
  for (int k = problem->offset[i]; k < problem->offset[i + 1]; k++) {
    int other[2] = {0, 0}, others;
    if (!column_bodies(&problem->H, k, other, &others))
      return false;
    if (k > problem->offset[i] && (others != count || other[0] != dof[0] || (count == 2 && other[1] != dof[1])))
      return false;
    count = others;
    dof[0] = other[0];
    dof[1] = other[1];
    if (count == 2 && !are_opposite(&problem->H, k, dof))
      return false;
  }
  if (count == 0)
    return false;
  int n = pack->contacts++, second = body_at(pack, dof[count - 1]);
  pack->first[n] = count == 2 ? body_at(pack, dof[0]) : -1;
  pack->second[n] = second;
  pack->block[n] = i;
  return second >= 0 && (count < 2 || pack->first[n] >= 0);
}

static AspError recognise(Pack *pack, AspArena *arena, bool *fits) {
  const AspContactProblem *problem = pack->problem;
  *fits = false;
  if (problem->dimension != 3 || problem->dofs < 6 || problem->blocks == 0)
    return ASP_OK;
  for (int i = 0; i < problem->blocks; i++)
    if (!is_contact(problem, i))
      return ASP_OK;
  pack->body_of = ASP_TAKE(arena, int, problem->dofs + 6);
  pack->body = ASP_TAKE(arena, Body, problem->dofs / 6);
  pack->first = ASP_TAKE(arena, int, problem->blocks);
  pack->second = ASP_TAKE(arena, int, problem->blocks);
  pack->block = ASP_TAKE(arena, int, problem->blocks);
  if (!pack->body_of || !pack->body || !pack->first || !pack->second || !pack->block)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < problem->blocks; i++)
    if ((!pack->active || pack->active[i]) && !read_block(pack, i))
      return ASP_OK;
  *fits = true;
  return ASP_OK;
}

/* ---- laying out ---- */

/* y = L^-1 x */
static void turn_inertia(const double *L, const double *x, double *y) {
  y[0] = L[0] * x[0];
  y[1] = L[1] * x[0] + L[2] * x[1];
  y[2] = L[3] * x[0] + L[4] * x[1] + L[5] * x[2];
}

static void pack_bodies(AspPacked *packed, const Pack *pack, const int *place) {
  for (int b = 0; b < pack->bodies; b++) {
    const Body *body = &pack->body[b];
    const double *f = pack->problem->f + body->dof;
    AspPackedBody *line = &packed->free[place[b]];
    line->inverse_mass = body->inverse_mass;
    for (int k = 0; k < 3; k++)
      line->v[k] = f[k] * body->inverse_mass;
    turn_inertia(body->L, f + 3, line->w);
  }
}

static double dot(double (*x)[ASP_LANES], double (*y)[ASP_LANES], int lane) {
  return x[0][lane] * y[0][lane] + x[1][lane] * y[1][lane] + x[2][lane] * y[2][lane];
}

static void pack_local(AspBatch *batch, int lane, double inverse_masses, bool friction) {
  static const int pair[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
  double W[6];
  for (int e = 0; e < 6; e++) {
    int k = 3 * pair[e][0], l = 3 * pair[e][1];
    W[e] = inverse_masses * dot(batch->D + k, batch->D + l, lane) + dot(batch->A + k, batch->A + l, lane) +
           dot(batch->B + k, batch->B + l, lane);
  }
  double largest = 0.5 * (W[3] + W[5]) + sqrt(0.25 * (W[3] - W[5]) * (W[3] - W[5]) + W[4] * W[4]);
  batch->W[0][lane] = W[1];
  batch->W[1][lane] = W[2];
  batch->inverse_N[lane] = W[0] > 0 ? 1 / W[0] : 0;
  batch->inverse_T[lane] = friction && largest > 0 ? 1 / largest : 0;
}

static void pack_contact(const Pack *pack, const int *place, int n, int ground, AspBatch *batch, int lane) {
  const AspContactProblem *problem = pack->problem;
  const AspSparse *H = &problem->H;
  int i = pack->block[n], first = problem->offset[i], rows = problem->offset[i + 1] - first;
  bool two = pack->first[n] >= 0;
  const Body *p = two ? &pack->body[pack->first[n]] : NULL, *q = &pack->body[pack->second[n]];
  for (int k = 0; k < rows; k++) {
    double of_p[6], of_q[6], angular[3];
    column_values(H, first + k, q->dof, of_q);
    batch->w[k][lane] = problem->w[first + k];
    turn_inertia(q->L, of_q + 3, angular);
    for (int j = 0; j < 3; j++) {
      batch->D[3 * k + j][lane] = of_q[j];
      batch->B[3 * k + j][lane] = angular[j];
    }
    if (!two)
      continue;
    column_values(H, first + k, p->dof, of_p);
    turn_inertia(p->L, of_p + 3, angular);
    for (int j = 0; j < 3; j++)
      batch->A[3 * k + j][lane] = angular[j];
  }
  batch->p[lane] = two ? place[pack->first[n]] : ground;
  batch->q[lane] = place[pack->second[n]];
  batch->mu[lane] = problem->law[i].kind == ASP_LAW_COULOMB ? problem->law[i].mu : 0;
  pack_local(batch, lane, q->inverse_mass + (two ? p->inverse_mass : 0), batch->mu[lane] > 0);
}

/* Contact numbers in `source` become blocks; the lines of ground contacts are the set's own. */
static void pack_batches(AspPacked *packed, const Pack *pack, const int *place) {
  ASP_PARALLEL(packed->threads)
  for (int s = 0; s < packed->set_count; s++)
    for (int b = packed->set[s].first; b < packed->set[s].end; b++)
      for (int lane = 0; lane < ASP_LANES; lane++) {
        int n = packed->source[b][lane], ground = pack->bodies + s;
        packed->batch[b].p[lane] = packed->batch[b].q[lane] = ground;
        if (n < 0)
          continue;
        pack_contact(pack, place, n, ground, &packed->batch[b], lane);
        packed->source[b][lane] = pack->block[n];
      }
}

AspError asp_packed_take(AspPacked *packed, AspArena *arena, const AspContactProblem *problem,
                         const AspPackedScope *scope, int threads, bool *fits) {
  Pack pack = {.problem = problem, .active = scope->active};
  *packed = (AspPacked){
      .problem = problem, .rho = scope->rho, .norm_q = scope->norm_q, .rest = scope->rest, .threads = threads};
  ASP_TRY(recognise(&pack, arena, fits));
  if (!*fits)
    return ASP_OK;
  int *place = ASP_TAKE(arena, int, pack.bodies);
  if (!place)
    return ASP_ERROR_MEMORY;
  AspPackedGraph graph = {pack.contacts, pack.bodies, pack.first, pack.second};
  ASP_TRY(asp_packed_order(packed, arena, &graph, place));
  packed->contacts = pack.contacts;
  packed->threads = asp_useful_threads(threads, pack.contacts);
  packed->bodies = pack.bodies + packed->set_count;
  packed->batch = ASP_TAKE(arena, AspBatch, packed->batch_count);
  packed->body = ASP_TAKE(arena, AspPackedBody, packed->bodies);
  packed->free = ASP_TAKE(arena, AspPackedBody, packed->bodies);
  packed->before = ASP_TAKE(arena, AspPackedBody, packed->bodies);
  packed->best = asp_arena_take(arena, (size_t)packed->batch_count, sizeof *packed->best);
  if (!packed->batch || !packed->body || !packed->free || !packed->before || !packed->best)
    return ASP_ERROR_MEMORY;
  pack_bodies(packed, &pack, place);
  pack_batches(packed, &pack, place);
  return ASP_OK;
}

/* ---- solving ---- */

static double finite_or_zero(double x) { return isfinite(x) ? x : 0; }

/* Start at r, or on the way from there to `other`; what is not finite counts as zero. */
static void load(AspPacked *packed, const double *r, const double *other, double part) {
  packed->now = 0;
  for (int b = 0; b < packed->batch_count; b++)
    for (int lane = 0; lane < ASP_LANES; lane++) {
      int i = packed->source[b][lane];
      for (int k = 0; i >= 0 && k < packed->problem->offset[i + 1] - packed->problem->offset[i]; k++) {
        int row = packed->problem->offset[i] + k;
        double start = part > 0 ? (1 - part) * r[row] + part * other[row] : r[row];
        packed->batch[b].r[0][k][lane] = packed->batch[b].r[1][k][lane] = finite_or_zero(start);
      }
    }
}

static void unload(const AspPacked *packed, double *r) {
  for (int b = 0; b < packed->batch_count; b++)
    for (int lane = 0; lane < ASP_LANES; lane++) {
      int i = packed->source[b][lane];
      for (int k = 0; i >= 0 && k < packed->problem->offset[i + 1] - packed->problem->offset[i]; k++)
        r[packed->problem->offset[i] + k] = packed->best[b][k][lane];
    }
}

typedef enum Pass { PASS_SWEEP, PASS_APPLY, PASS_RESIDUAL } Pass;

static void run_set(AspPacked *packed, const AspPackedKernels *kernels, Pass pass, double momentum, int s) {
  AspBatch *batch = packed->batch + packed->set[s].first;
  int count = packed->set[s].end - packed->set[s].first;
  switch (pass) {
  case PASS_SWEEP:
    kernels->sweep(batch, count, packed->body, packed->now, momentum);
    return;
  case PASS_APPLY:
    kernels->apply(batch, count, packed->body, packed->now);
    return;
  case PASS_RESIDUAL:
    kernels->residual(batch, count, packed->body, packed->now, packed->rho, &packed->sums[s]);
    return;
  }
}

/* All slabs, then all boundaries: sets of one kind share no body, so that threads may take them in any order. */
static void run_pass(AspPacked *packed, const AspPackedKernels *kernels, Pass pass, double momentum) {
  int from[3] = {0, packed->slab_count, packed->set_count};
  for (int kind = 0; kind < 2; kind++) {
    ASP_PARALLEL(packed->threads)
    for (int s = from[kind]; s < from[kind + 1]; s++)
      run_set(packed, kernels, pass, momentum, s);
  }
}

/* Velocities afresh from r: the increments of many sweeps leave rounding behind. */
static void refresh(AspPacked *packed, const AspPackedKernels *kernels) {
  memcpy(packed->body, packed->free, (size_t)packed->bodies * sizeof *packed->body);
  run_pass(packed, kernels, PASS_APPLY, 0);
}

/* From r to the next answers, whose velocities the bodies then have. */
static void sweep(AspPacked *packed, const AspPackedKernels *kernels, double momentum) {
  kernels->extrapolate(packed->body, packed->before, packed->bodies, momentum);
  run_pass(packed, kernels, PASS_SWEEP, momentum);
  packed->now = 1 - packed->now;
}

/* The residual of r: over what the goal allows, at most 1 when solved, and E2. */
typedef struct Look {
  double excess, E2;
} Look;

static Look look(AspPacked *packed, const AspPackedKernels *kernels, const AspPackedGoal *goal) {
  AspPackedSums all = packed->rest;
  run_pass(packed, kernels, PASS_RESIDUAL, 0);
  for (int s = 0; s < packed->set_count; s++) {
    const AspPackedSums *sums = &packed->sums[s];
    all.worst = sums->worst <= all.worst ? all.worst : sums->worst;
    all.map += sums->map;
    all.map_unit += sums->map_unit;
    all.speed += sums->speed;
    all.total += sums->total;
    all.normal += sums->normal;
  }
  double data = packed->rho * packed->norm_q, size = sqrt(all.map), r = sqrt(all.total);
  double E1 = sqrt(all.map_unit) / fmax(fmax(r, sqrt(all.speed)), fmax(packed->norm_q, DBL_MIN));
  double E2 = size / fmax(fmax(r, data), DBL_MIN), E3 = size / fmax(data, DBL_MIN);
  double result = fmax(E1, fmax(E2, 0.01 * E3)) / goal->tolerance;
  double contact = sqrt(all.worst) * packed->problem->blocks / fmax(all.normal, DBL_MIN);
  if (goal->tolerance_contact > 0)
    result = fmax(result, contact / goal->tolerance_contact);
  return (Look){isfinite(all.worst + all.map + all.map_unit) ? result : HUGE_VAL, E2};
}

static void keep(AspPacked *packed) {
  for (int b = 0; b < packed->batch_count; b++)
    memcpy(packed->best[b], packed->batch[b].r[packed->now], sizeof packed->best[b]);
}

static void tell(const AspPackedGoal *goal, int sweeps, double excess_now) {
  if (goal->progress)
    goal->progress(goal->progress_user, sweeps, "nsgs", excess_now * goal->tolerance);
}

static Look start_at(AspPacked *packed, const AspPackedKernels *kernels, const AspPackedGoal *goal, const double *r,
                     const double *other, double part) {
  load(packed, r, other, part);
  refresh(packed, kernels);
  return look(packed, kernels, goal);
}

/* Start where the residual is least; returns it. */
static Look choose_start(AspPacked *packed, const AspPackedKernels *kernels, const AspPackedGoal *goal, const double *r,
                         const double *other) {
  Look best = start_at(packed, kernels, goal, r, other, 0);
  double best_part = 0, last_part = 0;
  for (double part = 0.5; other && part <= 1 && best.excess > FAR; part += 0.5) {
    Look there = start_at(packed, kernels, goal, r, other, part);
    last_part = part;
    if (there.excess < best.excess) {
      best = there;
      best_part = part;
    }
  }
  if (last_part != best_part)
    best = start_at(packed, kernels, goal, r, other, best_part);
  memcpy(packed->before, packed->body, (size_t)packed->bodies * sizeof *packed->body);
  packed->momentum = MOMENTUM;
  packed->most = MOST;
  return best;
}

/* More momentum where the residual fell, less where it rose. */
static void adapt_momentum(AspPacked *packed, double before, double now) {
  double rest = 1 - packed->momentum;
  packed->momentum = now < before ? 1 - FASTER * rest : fmax(LEAST, 1 - SLOWER * rest);
  packed->momentum = fmin(packed->momentum, packed->most);
}

/* Several threads wait for each other where another job holds a processor. Sweeps that look like it are timed against
 * those of one thread, once; answers do not depend on the outcome. */
typedef struct Choice {
  int all;         /* threads */
  double together; /* s that they took for CHECK_EVERY sweeps; 0: not in doubt */
  bool decided;
} Choice;

static void choose_threads(AspPacked *packed, Choice *choice, double spent) {
  if (choice->decided)
    return;
  if (choice->together > 0) {
    choice->decided = true;
    packed->threads = spent < choice->together ? 1 : choice->all;
  } else if (spent > WAITING * CHECK_EVERY * packed->contacts) {
    choice->together = spent;
    packed->threads = 1;
  }
}

AspStatus asp_packed_solve(AspPacked *packed, const AspPackedGoal *goal, double *r, const double *other, int *sweeps) {
  const AspPackedKernels *kernels = asp_packed_kernels();
  *sweeps = 0;
  Look last = choose_start(packed, kernels, goal, r, other);
  double best = last.excess, past[ASP_LONGEST_WINDOW];
  int window = goal->window > 0 ? goal->window : WINDOW;
  for (int k = 0; k < window; k++)
    past[k] = best;
  int best_check = 0, check = 0;
  keep(packed);
  tell(goal, 0, best);
  bool done = best <= 1, late = false;
  Choice choice = {.all = packed->threads, .decided = packed->threads == 1};
  while (!done && !late && *sweeps < goal->max_sweeps) {
    double began = choice.decided ? 0 : asp_clock_seconds();
    for (int k = 0; k < CHECK_EVERY; k++)
      sweep(packed, kernels, packed->momentum);
    *sweeps += CHECK_EVERY;
    choose_threads(packed, &choice, choice.decided ? 0 : asp_clock_seconds() - began);
    if (++check % FRESH_EVERY == 0)
      refresh(packed, kernels);
    Look next = look(packed, kernels, goal);
    double now = next.excess;
    adapt_momentum(packed, last.E2, next.E2);
    last = next;
    double rate = log(past[check % window] / now) / (CHECK_EVERY * (check < window ? check : window));
    double last_rate = log(past[(check + window - 1) % window] / now) / CHECK_EVERY;
    past[check % window] = now;
    tell(goal, *sweeps, now);
    if (now < 0.95 * best)
      best_check = check;
    if (now < best) {
      best = now;
      keep(packed);
    }
    // a little better than asked for, where that costs little: what is left over disturbs the next step
    done = best <= AIM || (best <= 1 && !(rate > 0 && log(now / AIM) / rate <= CHECK_EVERY));
    if (now == HUGE_VAL)
      break;
    bool hopeful = rate > 0 ? log(now) / rate <= goal->patience : check - best_check < HOPE;
    if (!done && goal->patience > 0 && *sweeps >= goal->verdict && !hopeful)
      break;
    if (!done && now * goal->tolerance <= goal->near && *sweeps >= goal->near_verdict &&
        !(last_rate > 0 && log(now) / last_rate <= goal->near_patience))
      break;
    if (check - best_check > STAGNATION && packed->most > 0) {
      packed->most = packed->most > CAREFUL ? CAREFUL : 0;
      best_check = check;
    }
    late = goal->deadline > 0 && asp_clock_seconds() >= goal->deadline;
  }
  AspStatus status = best <= 1 ? ASP_STATUS_SOLVED : late ? ASP_STATUS_TIME_LIMIT : ASP_STATUS_ITERATION_LIMIT;
  unload(packed, r);
  return status;
}
