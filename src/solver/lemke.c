/* Lemke's method with lexicographic anti-cycling for 0 <= z _|_ w = M z + q >= 0.
 *
 * A covering vector d > 0 and an artificial variable z0 make w = q + M z + d z0 feasible; the path of almost
 * complementary points (z_i w_i = 0) is followed by pivots until z0 leaves (a solution) or a basic variable no longer
 * blocks (a secondary ray). Ties of the ratio test are broken as if q were q + (e, e^2, ..., e^n) with a small e > 0,
 * so that in exact arithmetic no basis comes twice. Cottle, Pang, Stone, The Linear Complementarity Problem, algorithm
 * 4.4.5 and section 4.9.
 *
 * Symbols: M, q scaled by powers of two (S M S, S q / |S q|, so that nothing is rounded); d covering vector; basis and
 * rates as in lemke_basis.h. Floating point: the answer is computed again from M and q by a factorisation of the final
 * basis, refined, and judged by asp_lcp_residual on the caller's data; only that gives the status SOLVED. A ray is
 * checked against M as well (check_ray). A path that fails either check, or ends in a ray, is tried again with other
 * covering vectors.
 */
#include "solver/tuning/lemke.h"
#include "base/effort.h"
#include "linalg/dense.h"
#include "base/double_double.h"
#include "solver/kernels.h"
#include "solver/lcp.h"
#include "solver/lemke_basis.h"
#include "solver/tuning/effort.h"

#include <math.h>

typedef enum PathEnd { PATH_COMPLETE, PATH_RAY, PATH_LIMIT, PATH_TIME, PATH_LOST, PATH_NOT_FINITE } PathEnd;

typedef struct Path {
  AspContext *context;
  const AspLcp *lcp; /* the caller's data */
  LcpHooks hooks;
  int n;
  size_t ld;
  double *M, *q, *d; /* scaled matrix, scaled vector, covering vector */
  double *scale;     /* n: z = scale z_scaled unit, w = w_scaled unit / scale */
  double unit;
  LemkeBasis basis;
  double *slot_rate, *w_rate, *scratch; /* n + 1 each */
  LemkeVariable *tied;                  /* n + 1 */
  LemkeVariable entering;               /* at the path's end: the variable that was growing */
  double step;                          /* how far it grows */
  double *best;                         /* n: candidate with the smallest residual so far, caller's units */
  double *candidate, *trial;            /* n each */
  int *alpha;                           /* n: basic z of a trial */
  double residual;                      /* of best */
} Path;

static bool all_finite(const double *x, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!isfinite(x[i]))
      return false;
  return true;
}

/* power of two next to 1 / x, for x > 0 */
static double inverse_power(double x) {
  int exponent;
  frexp(x, &exponent);
  return ldexp(1, -exponent < LEMKE_EXPONENT_MOST
                      ? (-exponent > -LEMKE_EXPONENT_MOST ? -exponent : -LEMKE_EXPONENT_MOST)
                      : LEMKE_EXPONENT_MOST);
}

/* S from the diagonal where it is positive (reactions); the other rows (sliding speeds) follow so that their couplings
 * become about one. Not done when that makes entries large: M is then unlike that of a contact problem. */
static void choose_scale(Path *path) {
  const double *M = path->lcp->M;
  size_t n = (size_t)path->n;
  for (size_t i = 0; i < n; i++) {
    double diagonal = M[i * n + i];
    path->scale[i] = diagonal > 0 ? inverse_power(sqrt(diagonal)) : 0;
  }
  for (size_t i = 0; i < n; i++) {
    double coupling = 0;
    if (path->scale[i] > 0)
      continue;
    for (size_t j = 0; j < n; j++) {
      double diagonal = M[j * n + j], s = diagonal > 0 ? path->scale[j] : 0;
      coupling = fmax(coupling, s * fmax(fabs(M[i * n + j]), fabs(M[j * n + i])));
    }
    path->scratch[i] = coupling > 0 ? inverse_power(coupling) : 1;
  }
  for (size_t i = 0; i < n; i++)
    if (!(path->scale[i] > 0))
      path->scale[i] = path->scratch[i];
}

static double scale_matrix(Path *path) {
  size_t n = (size_t)path->n;
  double largest = 0;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      double entry = path->scale[i] * path->lcp->M[j * n + i] * path->scale[j];
      path->M[j * path->ld + i] = entry;
      largest = fmax(largest, fabs(entry));
    }
  return largest;
}

static void scale_problem(Path *path) {
  choose_scale(path);
  if (!(scale_matrix(path) <= LEMKE_SCALE_LIMIT)) {
    for (int i = 0; i < path->n; i++)
      path->scale[i] = 1;
    scale_matrix(path);
  }
  double norm = 0;
  for (int i = 0; i < path->n; i++)
    norm = fmax(norm, fabs(path->scale[i] * path->lcp->q[i]));
  path->unit = 1 / inverse_power(norm);
  for (int i = 0; i < path->n; i++)
    path->q[i] = path->scale[i] * path->lcp->q[i] / path->unit;
}

/* First ones: in the caller's units where these are of order one (scales within LEMKE_ORDER_ONE of each other), as in
 * the textbook; else in the scaled ones, on which paths are several times shorter. Then random ones. */
static void choose_covering_vector(Path *path, int attempt) {
  AspRandom random = {(uint64_t)attempt};
  double smallest = INFINITY, largest = 0;
  for (int i = 0; i < path->n; i++) {
    smallest = fmin(smallest, path->scale[i]);
    largest = fmax(largest, path->scale[i]);
  }
  bool order_one = largest <= LEMKE_ORDER_ONE * smallest;
  for (int i = 0; i < path->n; i++) {
    double one = order_one ? path->scale[i] / largest : 1;
    path->d[i] = attempt == 0 ? one : asp_random_uniform(&random, 0.5, 1.5);
  }
}

/* The candidate in caller's units, negatives set to zero, if it is better than the best so far. */
static void offer(Path *path, const double *scaled) {
  for (int i = 0; i < path->n; i++)
    path->candidate[i] = scaled[i] > 0 ? scaled[i] * path->scale[i] * path->unit : 0;
  double residual = asp_lcp_residual(path->lcp, path->candidate);
  if (residual < path->residual) {
    path->residual = residual;
    memcpy(path->best, path->candidate, (size_t)path->n * sizeof(double));
  }
}

/* First pivot: z0 enters in the row where it must grow most; of equal ones the last (smallest power of e). */
static int first_row(const Path *path) {
  int row = 0;
  for (int i = 1; i < path->n; i++)
    if (path->q[i] / path->d[i] <= path->q[row] / path->d[row])
      row = i;
  return row;
}

static double largest_rate(const Path *path) {
  double largest = 0;
  for (int s = 0; s < path->basis.size; s++)
    largest = fmax(largest, fabs(path->slot_rate[s]));
  for (int i = 0; i < path->n; i++)
    largest = fmax(largest, fabs(path->w_rate[i]));
  return largest;
}

/* Rates of the basic variables, with the inverse computed again when it has lost its precision. False: it
 * stays inaccurate. */
static bool find_rates(Path *path, double *largest) {
  for (int attempt = 0; attempt < 2; attempt++) {
    double error = asp_lemke_basis_rates(&path->basis, path->entering, path->slot_rate, path->w_rate);
    *largest = largest_rate(path);
    if (error <= LEMKE_RATE_TOLERANCE * fmax(1, *largest))
      return true;
    if (attempt == 0 && !asp_lemke_basis_refactor(&path->basis))
      return false;
    asp_lemke_basis_values(&path->basis, path->q, path->scratch);
  }
  return false;
}

static double rate_of(const Path *path, LemkeVariable v) {
  return v.is_z ? path->slot_rate[path->basis.slot_of[v.index]] : path->w_rate[v.index];
}

/* Of the tied variables keep those whose coefficient of e^(row+1), divided by their rate, is smallest. */
static int keep_smallest(Path *path, int count, int row) {
  double smallest = INFINITY;
  double *ratio = path->scratch;
  for (int t = 0; t < count; t++) {
    LemkeVariable v = path->tied[t];
    double coefficient = path->basis.column_of[row] < 0 ? (!v.is_z && v.index == row ? 1 : 0)
                                                        : -asp_lemke_basis_influence(&path->basis, v, row);
    ratio[t] = coefficient / -rate_of(path, v);
    smallest = fmin(smallest, ratio[t]);
  }
  int kept = 0;
  for (int t = 0; t < count; t++)
    if (ratio[t] <= smallest + LEMKE_TIE_TOLERANCE * (1 + fabs(smallest)))
      path->tied[kept++] = path->tied[t];
  return kept;
}

/* The lexicographically smallest of the tied variables. */
static LemkeVariable break_tie(Path *path, int count) {
  for (int row = 0; row < path->n && count > 1; row++)
    count = keep_smallest(path, count, row);
  return path->tied[0];
}

/* Ratio test: which basic variable reaches zero first? False when none does. */
static bool find_leaving(Path *path, double largest, LemkeVariable *leaving) {
  const LemkeBasis *basis = &path->basis;
  double threshold = -LEMKE_PIVOT_TOLERANCE * largest, step = INFINITY;
  for (int s = 0; s < basis->size; s++)
    if (path->slot_rate[s] < threshold)
      step = fmin(step, fmax(basis->slot_value[s], 0) / -path->slot_rate[s]);
  for (int i = 0; i < path->n; i++)
    if (basis->column_of[i] < 0 && path->w_rate[i] < threshold)
      step = fmin(step, fmax(basis->w_value[i], 0) / -path->w_rate[i]);
  if (step == INFINITY)
    return false;

  int count = 0;
  for (int s = 0; s < basis->size; s++)
    if (path->slot_rate[s] < threshold && basis->slot_value[s] + step * path->slot_rate[s] <= LEMKE_TIE_TOLERANCE) {
      LemkeVariable v = {true, basis->slot_variable[s]};
      if (v.index == path->n) { // z0 may leave: a solution
        *leaving = v;
        return true;
      }
      path->tied[count++] = v;
    }
  for (int i = 0; i < path->n; i++)
    if (basis->column_of[i] < 0 && path->w_rate[i] < threshold &&
        basis->w_value[i] + step * path->w_rate[i] <= LEMKE_TIE_TOLERANCE)
      path->tied[count++] = (LemkeVariable){false, i};
  *leaving = break_tie(path, count);
  return true;
}

static double value_of(const Path *path, LemkeVariable v) {
  return v.is_z ? path->basis.slot_value[path->basis.slot_of[v.index]] : path->basis.w_value[v.index];
}

/* All basic variables move by `step` along their rates. */
static void advance(Path *path, double step) {
  for (int s = 0; s < path->basis.size; s++)
    path->basis.slot_value[s] += step * path->slot_rate[s];
  for (int i = 0; i < path->n; i++)
    path->basis.w_value[i] += step * path->w_rate[i];
}

/* z where the path stands after `step`, in scaled units, negatives included. */
static void find_point(const Path *path, double step, double *z) {
  memset(z, 0, (size_t)path->n * sizeof *z);
  for (int s = 0; s < path->basis.size; s++)
    if (path->basis.slot_variable[s] < path->n)
      z[path->basis.slot_variable[s]] = path->basis.slot_value[s] + step * path->slot_rate[s];
  if (path->entering.is_z)
    z[path->entering.index] = step;
}

/* rhs = -(M_alpha,alpha z_alpha + q_alpha), summed in twice the precision: what refinement needs */
static void find_defect(const Path *path, int k, const double *z, double *rhs) {
  const int *alpha = path->alpha;
  for (int a = 0; a < k; a++) {
    AspTwice sum = asp_twice(path->q[alpha[a]]);
    for (int b = 0; b < k; b++)
      sum = asp_twice_add(sum, asp_twice_product(path->M[(size_t)alpha[b] * path->ld + (size_t)alpha[a]], z[alpha[b]]));
    rhs[a] = -(sum.hi + sum.lo);
  }
}

/* Offer the solution that belongs to the basis when z0 leaves it now: the point itself, and M_alpha,alpha z_alpha =
 * -q_alpha by factorisation and refinement, alpha = the basic z and the entering one. */
static void try_basis(Path *path) {
  LemkeBasis *basis = &path->basis;
  double *A = basis->factor, *z = path->trial, *rhs = path->scratch;
  int *alpha = path->alpha, k = 0;
  find_point(path, path->step, z);
  offer(path, z);
  for (int s = 0; s < basis->size; s++)
    if (basis->slot_variable[s] < path->n)
      alpha[k++] = basis->slot_variable[s];
  if (path->entering.is_z)
    alpha[k++] = path->entering.index;
  for (int b = 0; b < k; b++)
    for (int a = 0; a < k; a++)
      A[(size_t)b * (size_t)k + (size_t)a] = path->M[(size_t)alpha[b] * path->ld + (size_t)alpha[a]];
  if (asp_dense_lu(k, A, k, basis->pivots) >= 0)
    return;
  memset(z, 0, (size_t)path->n * sizeof *z);
  for (int refinement = 0; refinement < 3; refinement++) {
    find_defect(path, k, z, rhs);
    asp_dense_lu_solve(k, A, k, basis->pivots, 1, rhs, k);
    for (int a = 0; a < k; a++)
      z[alpha[a]] += rhs[a];
  }
  offer(path, z);
}

/* Is the path over? When z0 leaves, or is so small that only rounding keeps it from leaving: try the basis. */
static bool is_complete(Path *path, LemkeVariable leaving, double tolerance, int *trials) {
  bool leaves = leaving.is_z && leaving.index == path->n;
  int slot = path->basis.slot_of[path->n];
  double z0 = path->basis.slot_value[slot] + path->step * path->slot_rate[slot];
  if (!leaves && (z0 > LEMKE_NEARLY_COMPLETE || *trials >= LEMKE_MAX_TRIALS))
    return false;
  ++*trials;
  try_basis(path);
  return leaves || path->residual <= tolerance;
}

/* Follow the path from the first pivot to its end. */
static PathEnd follow(Path *path, double tolerance, int limit, int *iterations) {
  LemkeBasis *basis = &path->basis;
  int row = first_row(path), trials = 0;
  asp_lemke_basis_start(basis, row);
  asp_lemke_basis_values(basis, path->q, path->scratch);
  path->entering = (LemkeVariable){true, row};
  for (int pivot = 1;; pivot++) {
    double largest;
    LemkeVariable leaving;
    if (!find_rates(path, &largest))
      return isfinite(largest) ? PATH_LOST : PATH_NOT_FINITE;
    if (!find_leaving(path, largest, &leaving))
      return PATH_RAY;
    if (++*iterations > limit)
      return PATH_LIMIT;
    path->step = fmax(value_of(path, leaving), 0) / -rate_of(path, leaving);
    if (is_complete(path, leaving, tolerance, &trials))
      return PATH_COMPLETE;
    advance(path, path->step);
    asp_lemke_basis_exchange(basis, path->entering, leaving, path->step, path->slot_rate, path->w_rate);
    path->entering = (LemkeVariable){!leaving.is_z, leaving.index};
    if (pivot % LEMKE_RENEW_INTERVAL == 0)
      asp_lemke_basis_values(basis, path->q, path->scratch);
    if (path->hooks.progress)
      path->hooks.progress(path->hooks.user, *iterations, basis->slot_value[basis->slot_of[path->n]]);
    asp_effort_add(asp_effort(path->context), EFFORT_PIVOT * (double)path->n * path->n);
    if (pivot % LEMKE_RENEW_INTERVAL == 0 && asp_is_late(path->context, path->hooks.deadline))
      return PATH_TIME;
  }
}

/* Is the end a secondary ray? With v, v0 the rates of z and z0 and y = M v + d v0 computed from M, normalised to
 * max(||v||, v0) = 1: v >= 0, v0 >= 0, v != 0, y >= 0, v_i y_i = 0, and along it the point stays almost complementary:
 * v_i w_i = 0, z_i y_i = 0. The direction v goes to `ray` in caller's units. */
static bool check_ray(Path *path, double *ray) {
  int n = path->n;
  double *v = path->candidate, *y = path->scratch, *z = path->d; // z is filled last, when d is no longer needed
  memset(v, 0, (size_t)n * sizeof *v);
  double v0 = path->slot_rate[path->basis.slot_of[n]], norm = fabs(v0), norm_v = 0;
  for (int s = 0; s < path->basis.size; s++)
    if (path->basis.slot_variable[s] < n)
      v[path->basis.slot_variable[s]] = path->slot_rate[s];
  if (path->entering.is_z)
    v[path->entering.index] = 1;
  for (int i = 0; i < n; i++)
    norm_v = fmax(norm_v, fabs(v[i]));
  norm = fmax(norm, norm_v);
  if (!(norm_v > LEMKE_RAY_TOLERANCE * norm) || !isfinite(norm) || v0 < -LEMKE_RAY_TOLERANCE * norm)
    return false;
  for (int i = 0; i < n; i++)
    y[i] = path->d[i] * v0 / norm;
  for (int j = 0; j < n; j++)
    if (v[j] != 0)
      asp_kernel_axpy(n, v[j] / norm, path->M + (size_t)j * path->ld, y);
  find_point(path, 0, z);
  for (int i = 0; i < n; i++) {
    double direction = v[i] / norm, w = path->basis.w_value[i];
    if (direction < -LEMKE_RAY_TOLERANCE || y[i] < -LEMKE_RAY_TOLERANCE ||
        fmin(direction, y[i]) > LEMKE_RAY_TOLERANCE || fmin(direction, w) > LEMKE_RAY_TOLERANCE ||
        fmin(z[i], y[i]) > LEMKE_RAY_TOLERANCE)
      return false;
  }
  for (int i = 0; i < n && ray; i++)
    ray[i] = fmax(v[i] / norm, 0) * path->scale[i];
  return true;
}

static AspError take_path(AspArena *arena, const AspLcp *lcp, Path *path) {
  size_t n = (size_t)lcp->n;
  memset(path, 0, sizeof *path);
  path->lcp = lcp;
  path->n = lcp->n;
  // exact: next multiple of eight
  path->ld = (n + 8) & ~(size_t)7;
  path->M = ASP_TAKE(arena, double, path->ld *n);
  double **vectors[] = {&path->q,       &path->d,    &path->scale,     &path->slot_rate, &path->w_rate,
                        &path->scratch, &path->best, &path->candidate, &path->trial};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = ASP_TAKE(arena, double, n + 1);
    if (!*vectors[i])
      return ASP_ERROR_MEMORY;
  }
  path->tied = ASP_TAKE(arena, LemkeVariable, n + 1);
  path->alpha = ASP_TAKE(arena, int, n + 1);
  if (!path->M || !path->tied || !path->alpha)
    return ASP_ERROR_MEMORY;
  scale_problem(path);
  path->residual = INFINITY;
  return asp_lemke_basis_take(arena, path->n, path->M, path->ld, path->d, &path->basis);
}

/* One path after the other until one is verified. Otherwise the first conclusive end decides the status. */
static AspStatus try_covering_vectors(Path *path, const AspLcpOptions *options, double *ray, int *iterations) {
  AspStatus status = ASP_STATUS_STALLED;
  int limit = 0;
  for (int attempt = 0; attempt < LEMKE_ATTEMPTS; attempt++) {
    // path lengths have a long tail: another start is often shorter than the rest of a long path
    int each = LEMKE_PIVOTS_LEAST + (attempt < LEMKE_ATTEMPTS / 2 ? LEMKE_PIVOTS_SHORT : LEMKE_PIVOTS_LONG) * path->n;
    limit = options->max_iterations ? options->max_iterations : *iterations + each;
    choose_covering_vector(path, attempt);
    PathEnd end = follow(path, options->tolerance, limit, iterations);
    if (path->residual <= options->tolerance)
      return ASP_STATUS_SOLVED;
    if (end == PATH_RAY && check_ray(path, status == ASP_STATUS_RAY ? NULL : ray)) {
      status = ASP_STATUS_RAY;
    } else if (status != ASP_STATUS_RAY) {
      status = end == PATH_LIMIT        ? ASP_STATUS_ITERATION_LIMIT
               : end == PATH_TIME       ? ASP_STATUS_TIME_LIMIT
               : end == PATH_NOT_FINITE ? ASP_STATUS_NOT_FINITE
                                        : ASP_STATUS_STALLED;
    }
    bool enough_rays = status == ASP_STATUS_RAY && attempt + 1 >= LEMKE_RAY_ATTEMPTS;
    if (end == PATH_TIME || enough_rays || (options->max_iterations && *iterations >= limit))
      break;
  }
  return status;
}

AspError asp_lemke_solve(AspArena *arena, const AspLcp *lcp, const AspLcpOptions *options, const LcpHooks *hooks,
                         double *z, double *ray, AspLcpInfo *info) {
  size_t n = (size_t)lcp->n;
  memset(info, 0, sizeof *info);
  memset(z, 0, n * sizeof *z);
  if (ray)
    memset(ray, 0, n * sizeof *ray);
  info->residual = asp_lcp_residual(lcp, z); // of z = 0, the answer when q >= 0
  if (!all_finite(lcp->M, n * n) || !all_finite(lcp->q, n)) {
    info->status = ASP_STATUS_NOT_FINITE;
    info->residual = INFINITY;
    return ASP_OK;
  }
  if (info->residual == 0) {
    info->status = ASP_STATUS_SOLVED;
    return ASP_OK;
  }
  AspArenaMark mark = asp_arena_mark(arena);
  Path path;
  ASP_TRY(take_path(arena, lcp, &path));
  path.context = arena->context;
  path.hooks = hooks ? *hooks : (LcpHooks){.deadline = 0};
  info->status = try_covering_vectors(&path, options, ray, &info->iterations);
  if (path.residual < info->residual) {
    memcpy(z, path.best, n * sizeof *z);
    info->residual = path.residual;
  }
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}

AspError asp_lcp_lemke(AspContext *context, const AspLcp *lcp, const AspLcpOptions *options, double *z, double *ray,
                       AspLcpInfo *info) {
  AspLcpOptions chosen = options ? *options : asp_lcp_default_options();
  ASP_TRY(asp_lcp_check_options(context, &chosen));
  AspArena arena;
  asp_arena_init(&arena, context);
  AspError error = asp_lemke_solve(&arena, lcp, &chosen, NULL, z, ray, info);
  if (error == ASP_OK && info->status == ASP_STATUS_TIME_LIMIT && asp_stop_is_asked(context))
    error = asp_fail(context, ASP_ERROR_INTERRUPTED, "interrupted after %d pivots", info->iterations);
  asp_arena_free(&arena);
  return error;
}
