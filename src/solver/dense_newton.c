/* Semismooth Newton on a full W: see dense_newton.h. */
#include "solver/dense_newton.h"

#include "linalg/kernels.h"
#include "problem/cone.h"
#include "solver/tuning/reduced.h"

#include <math.h>

typedef struct DenseNewton {
  const AspContactProblem *problem;
  int rows;
  double compliance;        /* beside W in J */
  double proximal;          /* share of 1/rho that stands beside W for r - anchor; 0: none */
  double *r, *u, *F, *best; /* rows, u with padding */
  double *W, *minus_r;      /* W with padding behind it; rows */
  double *rho, *anchor;     /* rows */
  double *slope;            /* 9 per block: P', entry (k, l) at slope[k + 3 l] */
  int active, *at;          /* rows whose P is not constant, and which */
  const AspKernels *kernels;
  int ld;         /* of J */
  double *J;      /* J^T, active x active by columns, and below it the right-hand side as a row */
  double *held;   /* rows: W times the F of the rows that are not active */
  double *change; /* active and padding: J^-1 times the right-hand side */
  int *pivot;     /* active */
} DenseNewton;

bool asp_dense_newton_takes(const AspContactProblem *problem) {
  for (int i = 0; i < problem->blocks; i++) {
    const AspLaw *law = &problem->law[i];
    bool plane = problem->offset[i + 1] - problem->offset[i] == 2;
    if (law->kind == ASP_LAW_EQUALITY || (law->kind == ASP_LAW_COULOMB && law->mu > 0 &&
                                          (law->cone == ASP_CONE_RELAXED || (law->cone != ASP_CONE_EXACT && !plane))))
      return false;
  }
  return problem->rows <= DENSE_NEWTON_ROWS;
}

static AspError take(AspArena *arena, const AspContactProblem *problem, double *r, DenseNewton *newton) {
  size_t n = (size_t)problem->rows;
  *newton = (DenseNewton){.problem = problem,
                          .rows = problem->rows,
                          .r = r,
                          .u = ASP_TAKE_UNCLEARED(arena, double, n + ASP_PAD),
                          .F = ASP_TAKE_UNCLEARED(arena, double, n),
                          .best = ASP_TAKE_UNCLEARED(arena, double, n),
                          .W = ASP_TAKE_UNCLEARED(arena, double, n *n + ASP_PAD),
                          .minus_r = ASP_TAKE_UNCLEARED(arena, double, n),
                          .rho = ASP_TAKE_UNCLEARED(arena, double, n),
                          .anchor = ASP_TAKE_UNCLEARED(arena, double, n),
                          .slope = ASP_TAKE_UNCLEARED(arena, double, 9 * (size_t)problem->blocks),
                          .kernels = asp_kernels(),
                          .ld = asp_padded(problem->rows + 1),
                          .J = ASP_TAKE_UNCLEARED(arena, double, n *(size_t)asp_padded(problem->rows + 1)),
                          .held = ASP_TAKE_UNCLEARED(arena, double, n),
                          .change = ASP_TAKE_UNCLEARED(arena, double, n + ASP_PAD),
                          .at = ASP_TAKE_UNCLEARED(arena, int, n),
                          .pivot = ASP_TAKE_UNCLEARED(arena, int, n)};
  if (!newton->u || !newton->F || !newton->best || !newton->W || !newton->minus_r || !newton->rho || !newton->anchor ||
      !newton->slope || !newton->J || !newton->held || !newton->change || !newton->at || !newton->pivot)
    return ASP_ERROR_MEMORY;
  memcpy(newton->W, problem->W.value, n * n * sizeof *newton->W);
  memset(newton->W + n * n, 0, ASP_PAD * sizeof *newton->W);
  double trace = 0;
  for (size_t i = 0; i < n; i++)
    trace += problem->W.value[i * n + i];
  newton->compliance = DENSE_NEWTON_COMPLIANCE * trace / (double)n;
  for (size_t i = 0; i < n; i++)
    newton->rho[i] = 1 / fmax(problem->W.value[i * n + i], newton->compliance);
  // both tangents, and all rows of a ball alike: they are round
  for (int i = 0; i < problem->blocks; i++) {
    int size = problem->offset[i + 1] - problem->offset[i];
    double *rho = newton->rho + problem->offset[i];
    if (size == 3)
      rho[1] = rho[2] = fmin(rho[1], rho[2]);
    if (problem->law[i].kind == ASP_LAW_BALL)
      rho[0] = rho[1] = rho[size - 1] = fmin(rho[0], rho[1]);
  }
  return ASP_OK;
}

/* P(x) into p and P' of friction, x with `size` rows; slope is zero on entry */
static void project_friction(double mu, int size, const double *x, double *p, double *slope) {
  if (!(x[0] > 0))
    return;
  double tangential = size == 2 ? fabs(x[1]) : sqrt(x[1] * x[1] + x[2] * x[2]), radius = mu * x[0];
  p[0] = x[0];
  slope[0] = 1;
  for (int k = 1; k < size && mu > 0; k++) {
    if (tangential <= radius) {
      p[k] = x[k];
      slope[k + 3 * k] = 1;
      continue;
    }
    double t_k = x[k] / tangential;
    p[k] = radius * t_k;
    slope[k] = mu * t_k;
    for (int l = 1; l < size; l++)
      slope[k + 3 * l] = radius / tangential * ((k == l) - t_k * x[l] / tangential);
  }
}

static void project_ball(double limit, int size, const double *x, double *p, double *slope) {
  double length = asp_ball_length(size, x);
  bool inside = length <= limit;
  for (int k = 0; k < size; k++) {
    p[k] = inside ? x[k] : limit * x[k] / length;
    for (int l = 0; l < size; l++)
      slope[k + 3 * l] = inside ? k == l : limit / length * ((k == l) - x[k] * x[l] / (length * length));
  }
}

static void project(const AspLaw *law, int size, const double *x, double *p, double *slope) {
  switch (law->kind) {
  case ASP_LAW_COULOMB:
    project_friction(law->mu, size, x, p, slope);
    return;
  case ASP_LAW_BOX:
    p[0] = fmin(fmax(x[0], -law->limit), law->limit);
    slope[0] = fabs(x[0]) < law->limit;
    return;
  case ASP_LAW_BALL:
    project_ball(law->limit, size, x, p, slope);
    return;
  default: // UNILATERAL, SLIDING
    p[0] = fmax(x[0], 0);
    slope[0] = x[0] > 0;
    for (int k = 1; k < size; k++) {
      p[k] = -law->mu * law->direction[k - 1] * p[0];
      slope[k] = -law->mu * law->direction[k - 1] * slope[0];
    }
  }
}

/* u, F and P' at r; ||F|| over the size of x. */
static double evaluate(DenseNewton *newton) {
  const AspContactProblem *problem = newton->problem;
  size_t n = (size_t)newton->rows;
  double map = 0, size_of_x = 0;
  memcpy(newton->u, problem->q, n * sizeof *newton->u);
  for (size_t j = 0; j < n; j++)
    newton->minus_r[j] = -newton->r[j];
  newton->kernels->minus_product(newton->rows, 1, newton->rows, newton->W, newton->rows, newton->minus_r, 1, 1, true,
                                 false, newton->u, newton->rows);
  for (size_t i = 0; i < n && newton->proximal > 0; i++)
    newton->u[i] += newton->proximal / newton->rho[i] * (newton->r[i] - newton->anchor[i]);
  memset(newton->slope, 0, 9 * (size_t)problem->blocks * sizeof *newton->slope);
  for (int b = 0; b < problem->blocks; b++) {
    int first = problem->offset[b], size = problem->offset[b + 1] - first;
    double x[3] = {0}, p[3] = {0};
    for (int k = 0; k < size; k++)
      x[k] = newton->r[first + k] - newton->rho[first + k] * newton->u[first + k];
    project(&problem->law[b], size, x, p, newton->slope + (size_t)9 * (size_t)b);
    for (int k = 0; k < size; k++) {
      newton->F[first + k] = newton->r[first + k] - p[k];
      map += newton->F[first + k] * newton->F[first + k];
      size_of_x += x[k] * x[k];
    }
  }
  return size_of_x > 0 ? sqrt(map / size_of_x) : 0;
}

/* The rows whose P changes with x; the others have dr = -F at once. */
static void find_active(DenseNewton *newton) {
  const AspContactProblem *problem = newton->problem;
  newton->active = 0;
  for (int b = 0; b < problem->blocks; b++)
    for (int row = problem->offset[b]; row < problem->offset[b + 1]; row++) {
      const double *slope = newton->slope + 9 * b + row - problem->offset[b];
      if (slope[0] != 0 || slope[3] != 0 || slope[6] != 0)
        newton->at[newton->active++] = row;
    }
}

/* held := W F over the rows that are not active */
static void hold(DenseNewton *newton) {
  size_t n = (size_t)newton->rows;
  memset(newton->held, 0, n * sizeof *newton->held);
  for (size_t j = 0, next = 0; j < n; j++) {
    bool is_active = next < (size_t)newton->active && newton->at[next] == (int)j;
    const double *W = newton->problem->W.value + j * n;
    next += is_active;
    for (size_t i = 0; !is_active && newton->F[j] != 0 && i < n; i++)
      newton->held[i] += W[i] * newton->F[j];
  }
}

/* Row i of the active ones of J, in block b, as a column, and below it its part of the right-hand side. */
static void fill_row(const DenseNewton *newton, int b, int i) {
  const AspContactProblem *problem = newton->problem;
  size_t n = (size_t)newton->rows, m = (size_t)newton->active;
  int first = problem->offset[b], size = problem->offset[b + 1] - first, row = newton->at[i];
  double *J = newton->J + (size_t)i * (size_t)newton->ld, *right = J + m;
  memset(J, 0, (m + 1 + ASP_PAD) * sizeof *J);
  J[i] = 1;
  *right = newton->F[row];
  for (int k = 0; k < size; k++) {
    double slope = newton->slope[9 * b + row - first + 3 * k];
    if (slope == 0)
      continue;
    double factor = slope * newton->rho[first + k];
    const double *W = problem->W.value + (size_t)(first + k) * n; // symmetric: a row
    for (size_t j = 0; j < m; j++)
      J[j] += factor * W[newton->at[j]];
    *right -= factor * newton->held[first + k];
    // where row k is not itself active its own part of 1 - P' stands in the right-hand side
    int place = i;
    while (place > 0 && newton->at[place] > first + k)
      place--;
    while (place < newton->active - 1 && newton->at[place] < first + k)
      place++;
    if (newton->at[place] == first + k)
      J[place] += factor * (newton->compliance + newton->proximal / newton->rho[first + k]) - slope;
    else
      *right += slope * newton->F[first + k];
  }
}

/* change := J^-1 times the right-hand side: J^T = P^T L U, so that the row below U^-1 is solved with L^T and exchanged
 * back; false: J cannot be factored */
static bool solve(DenseNewton *newton) {
  int m = newton->active, ld = newton->ld;
  double *x = newton->change;
  if (!newton->kernels->lu(m + 1, m, newton->J, ld, newton->pivot))
    return false;
  memset(x + m, 0, ASP_PAD * sizeof *x);
  for (int k = 0; k < m; k++)
    x[k] = newton->J[(size_t)k * (size_t)ld + (size_t)m];
  newton->kernels->backward(m, m, newton->J, ld, x);
  for (int k = m - 1; k >= 0; k--) {
    double kept = x[k];
    x[k] = x[newton->pivot[k]];
    x[newton->pivot[k]] = kept;
  }
  return true;
}

/* r := r - J^-1 F; false: J cannot be factored */
static bool step(DenseNewton *newton) {
  const AspContactProblem *problem = newton->problem;
  find_active(newton);
  hold(newton);
  for (int b = 0, i = 0; b < problem->blocks; b++)
    for (; i < newton->active && newton->at[i] < problem->offset[b + 1]; i++)
      fill_row(newton, b, i);
  if (!solve(newton))
    return false;
  for (int i = 0; i < newton->active; i++)
    newton->F[newton->at[i]] = newton->change[i];
  for (int i = 0; i < newton->rows; i++)
    newton->r[i] -= newton->F[i];
  return true;
}

/* Newton steps from r until the map is at most `enough`, or smaller than `close` and does not fall further, or does not
 * fall for `patience` steps; r: the best iterate. Returns its map. */
static double iterate(DenseNewton *newton, double enough, double close, int patience, int *steps) {
  size_t bytes = (size_t)newton->rows * sizeof *newton->r;
  double least = HUGE_VAL;
  int since = 0, first = *steps;
  for (;; ++*steps) {
    double size = evaluate(newton);
    since = size < DENSE_NEWTON_GAIN * least ? 0 : since + 1;
    if (size < least) {
      least = size;
      memcpy(newton->best, newton->r, bytes);
    }
    bool ended = size <= enough || (since > 0 && least <= close);
    if (ended || !isfinite(size) || since > patience || *steps - first >= DENSE_NEWTON_STEPS || !step(newton))
      break;
  }
  if (least < HUGE_VAL)
    memcpy(newton->r, newton->best, bytes);
  return least;
}

/* Proximal steps: each solves the problem with a share of 1/rho beside W for the change of r, and the share falls from
 * one to the next; where Newton's steps do not arrive it rises, and r stays. False: no solution is found so. */
static bool approach(DenseNewton *newton, int *steps) {
  size_t bytes = (size_t)newton->rows * sizeof *newton->r;
  double share = DENSE_NEWTON_PROXIMAL, map = evaluate(newton);
  int missed = 0;
  for (int k = 0; k < DENSE_NEWTON_STAGES && missed <= DENSE_NEWTON_MISSES && map > DENSE_NEWTON_CLOSE; k++) {
    double wanted = DENSE_NEWTON_STAGE_GAIN * map;
    newton->proximal = share;
    memcpy(newton->anchor, newton->r, bytes);
    bool arrived = iterate(newton, wanted, 0, DENSE_NEWTON_STAGE_PATIENCE, steps) <= wanted;
    newton->proximal = 0;
    share *= arrived ? DENSE_NEWTON_LESS : DENSE_NEWTON_MORE;
    missed += !arrived;
    if (!arrived)
      memcpy(newton->r, newton->anchor, bytes);
    map = arrived ? evaluate(newton) : map;
  }
  return map <= DENSE_NEWTON_CLOSE;
}

AspError asp_dense_newton_solve(AspArena *arena, const AspContactProblem *problem, double *r, int *steps,
                                bool *arrived) {
  DenseNewton newton;
  size_t bytes = (size_t)problem->rows * sizeof *r;
  double *start = ASP_TAKE_UNCLEARED(arena, double, problem->rows);
  *steps = 0;
  ASP_TRY(take(arena, problem, r, &newton));
  if (!start)
    return ASP_ERROR_MEMORY;
  memcpy(start, r, bytes);
  double map = iterate(&newton, DENSE_NEWTON_ROUNDING, DENSE_NEWTON_CLOSE, DENSE_NEWTON_PATIENCE, steps);
  *arrived = map <= DENSE_NEWTON_CLOSE;
  if (!*arrived) {
    memcpy(r, start, bytes);
    *arrived = approach(&newton, steps);
  }
  return ASP_OK;
}
