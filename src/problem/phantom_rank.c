/* What the matrix of the phantom LCP is like: rank and condition from its singular values, and the smallest inertia
 * that makes it singular (phantom_lcp.h).
 *
 * Units drop out by scaling rows and columns alike: reactions by D^-1/2 with D the diagonal of A, k+ and k- by
 * D_t^1/2 of their contact. Singular inertia: 2 min eig(S (A^-1)_tt S) with S^2 = E E', A over the normal and
 * tangential rows.
 */
#include "linalg/dense.h"
#include "problem/phantom_lcp.h"
#include "problem/tuning/problem.h"

#include <math.h>

static double safe_root(double value) { return fabs(value) > 0 ? sqrt(fabs(value)) : 1; }

static double row_root(const PhantomLcp *phantom, int row) {
  return safe_root(phantom->A[(size_t)row * ((size_t)phantom->equalities.rows + 1)]);
}

/* Scale of variable i of the LCP. */
static double scale_of(const PhantomLcp *phantom, int i) {
  int T = phantom->lcp.free, N = phantom->normals;
  if (i < T)
    return 1 / row_root(phantom, phantom->tangent_row[i]);
  if (i < T + N)
    return 1 / row_root(phantom, phantom->normal[i - T].row);
  return row_root(phantom, phantom->tangent_row[phantom->line[(i - T - N) % phantom->lines].tangent]);
}

static AspError find_rank(AspArena *arena, const PhantomLcp *phantom, AspPhantomInfo *info) {
  size_t n = (size_t)phantom->lcp.n;
  double *scaled = ASP_TAKE(arena, double, n *n), *value = ASP_TAKE(arena, double, n);
  if (!scaled || !value)
    return ASP_ERROR_MEMORY;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++)
      scaled[j * n + i] = phantom->lcp.M[j * n + i] * scale_of(phantom, (int)i) * scale_of(phantom, (int)j);
  ASP_TRY(asp_dense_singular_values(arena, (int)n, scaled, value));
  info->size = (int)n;
  for (size_t i = 0; i < n; i++)
    info->rank += value[i] > PHANTOM_RANK_RANK_TOLERANCE * value[0];
  info->condition = n == 0 ? 1 : info->rank < info->size ? INFINITY : value[0] / value[n - 1];
  return ASP_OK;
}

/* A over tangents and normals, scaled to unit diagonal; scale: T + N */
static void scaled_core(const PhantomLcp *phantom, double *C, double *scale) {
  int T = phantom->tangents, m = T + phantom->normals;
  size_t rows = (size_t)phantom->equalities.rows;
  for (int j = 0; j < m; j++)
    scale[j] = 1 / row_root(phantom, j < T ? phantom->tangent_row[j] : phantom->normal[j - T].row);
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) {
      int row = i < T ? phantom->tangent_row[i] : phantom->normal[i - T].row;
      int column = j < T ? phantom->tangent_row[j] : phantom->normal[j - T].row;
      C[(size_t)j * (size_t)m + (size_t)i] = phantom->A[(size_t)column * rows + (size_t)row] * scale[i] * scale[j];
    }
}

static AspError find_singular_inertia(AspArena *arena, const PhantomLcp *phantom, AspPhantomInfo *info) {
  int T = phantom->tangents, m = T + phantom->normals, rank = 0;
  size_t size = (size_t)m, t = (size_t)T;
  double *C = ASP_TAKE(arena, double, size *size), *copy = ASP_TAKE(arena, double, size *size);
  double *scale = ASP_TAKE(arena, double, size), *value = ASP_TAKE(arena, double, size);
  double *X = ASP_TAKE(arena, double, size *t), *B = ASP_TAKE(arena, double, t *t);
  int *pivot = ASP_TAKE(arena, int, m);
  if (!C || !copy || !scale || !value || !X || !B || !pivot)
    return ASP_ERROR_MEMORY;
  info->rho_singular = NAN;
  scaled_core(phantom, C, scale);
  memcpy(copy, C, size * size * sizeof *C);
  ASP_TRY(asp_dense_singular_values(arena, m, copy, value));
  for (int i = 0; i < m; i++)
    rank += value[i] > PHANTOM_RANK_RANK_TOLERANCE * value[0];
  if (T == 0 || rank < m || asp_dense_lu(m, C, m, pivot) >= 0)
    return ASP_OK;
  for (size_t j = 0; j < t; j++)
    X[j * size + j] = 1;
  asp_dense_lu_solve(m, C, m, pivot, T, X, m);
  for (size_t j = 0; j < t; j++)
    for (size_t i = 0; i < t; i++)
      B[j * t + i] = 0.5 * (X[j * size + i] + X[i * size + j]) * scale[i] * scale[j] *
                     sqrt(phantom->half_lines[i] * phantom->half_lines[j]);
  ASP_TRY(asp_dense_symmetric_eigenvalues(arena, T, B, value));
  info->rho_singular = 2 * value[0];
  return ASP_OK;
}

/* Rank of A_tt, scaled. */
static AspError find_tangent_rank(AspArena *arena, const PhantomLcp *phantom, AspPhantomInfo *info) {
  size_t t = (size_t)phantom->tangents, rows = (size_t)phantom->equalities.rows;
  double *C = ASP_TAKE(arena, double, t *t), *value = ASP_TAKE(arena, double, t);
  if (!C || !value)
    return ASP_ERROR_MEMORY;
  for (size_t j = 0; j < t; j++)
    for (size_t i = 0; i < t; i++) {
      int row = phantom->tangent_row[i], column = phantom->tangent_row[j];
      C[j * t + i] =
          phantom->A[(size_t)column * rows + (size_t)row] / (row_root(phantom, row) * row_root(phantom, column));
    }
  ASP_TRY(asp_dense_singular_values(arena, (int)t, C, value));
  for (size_t i = 0; i < t; i++)
    info->tangent_rank += value[i] > PHANTOM_RANK_RANK_TOLERANCE * value[0];
  return ASP_OK;
}

AspError asp_phantom_describe(AspArena *arena, const PhantomLcp *phantom, AspPhantomInfo *info) {
  *info = (AspPhantomInfo){.tangents = phantom->tangents, .rho_least = phantom->lines ? INFINITY : 0};
  for (int j = 0; j < phantom->lines; j++) {
    info->rho_least = fmin(info->rho_least, phantom->line[j].rho);
    info->rho_most = fmax(info->rho_most, phantom->line[j].rho);
  }
  ASP_TRY(find_rank(arena, phantom, info));
  ASP_TRY(find_tangent_rank(arena, phantom, info));
  return find_singular_inertia(arena, phantom, info);
}
