/* Rank, existence, uniqueness from theory: see certificate.h. */
#include "analyze/certificate.h"
#include "base/elementary.h"

#include "analyze/lp.h"
#include "analyze/tuning/analyze.h"
#include "linalg/small.h"
#include "problem/cone.h"

#include <math.h>

void asp_certify_rank(int rows, double *W, const double *whole, bool *dependent, int *rank) {
  *rank = 0;
  // Cholesky without exchanges: a vanishing pivot is a dependent row and is passed over
  for (int k = 0; k < rows; k++) {
    double pivot = W[(size_t)k * rows + k], size = whole ? whole[k] : pivot;
    for (int m = 0; m < k; m++)
      pivot -= dependent[m] ? 0 : W[(size_t)k * rows + m] * W[(size_t)k * rows + m];
    dependent[k] = !(pivot > CERTIFICATE_DEPENDENT * size);
    *rank += !dependent[k];
    double inverse = dependent[k] ? 0 : 1 / sqrt(pivot);
    for (int i = k + 1; i < rows; i++) {
      double sum = W[(size_t)i * rows + k];
      for (int m = 0; m < k; m++)
        sum -= dependent[m] ? 0 : W[(size_t)i * rows + m] * W[(size_t)k * rows + m];
      W[(size_t)i * rows + k] = sum * inverse;
    }
  }
}

/* ---- existence ---- */

static int cone_facets(const AspLaw *law, int rows) {
  return rows == 1 || law->mu == 0 ? 1 : rows == 2 ? 2 : CERTIFICATE_DIRECTIONS;
}

/* Coefficients of facet j of the dual cone: a.u >= t. */
static void cone_facet(const AspLaw *law, int rows, int j, double a[3]) {
  a[0] = 1;
  a[1] = a[2] = 0;
  if (rows == 2)
    a[1] = j ? law->mu : -law->mu;
  if (rows == 3) {
    double angle = 2 * ASP_PI * j / CERTIFICATE_DIRECTIONS, mu = law->mu / asp_cos(ASP_PI / CERTIFICATE_DIRECTIONS);
    a[1] = -mu * asp_cos(angle);
    a[2] = -mu * asp_sin(angle);
  }
}

AspError asp_certify_existence(AspArena *arena, const AspReduced *problem, double *margin, double *y) {
  int n = problem->rows, rows = 1;
  *margin = NAN;
  for (int b = 0; b < problem->blocks; b++) {
    if (problem->law[b].kind != ASP_LAW_COULOMB && problem->law[b].kind != ASP_LAW_UNILATERAL)
      return ASP_OK;
    rows += cone_facets(&problem->law[b], asp_reduced_size(problem, b));
  }
  AspArenaMark mark = asp_arena_mark(arena);
  AspLp lp;
  double value;
  AspLpStatus status;
  ASP_TRY(asp_lp_take(arena, rows, n + 1, &lp));
  lp.columns = n + 1;
  for (int j = 0; j <= n; j++)
    lp.is_free[j] = true;
  lp.c[n] = -1; // maximise t
  for (int b = 0; b < problem->blocks; b++)
    for (int j = 0; j < cone_facets(&problem->law[b], asp_reduced_size(problem, b)); j++) {
      double a[3], *row = lp.A + (size_t)lp.rows * lp.columns;
      cone_facet(&problem->law[b], asp_reduced_size(problem, b), j, a);
      for (int k = 0; k < asp_reduced_size(problem, b); k++) {
        int at = problem->offset[b] + k;
        for (int i = 0; i < n; i++)
          row[i] += a[k] * problem->W[(size_t)at * n + i];
        lp.b[lp.rows] -= a[k] * problem->q[at];
      }
      row[n] = -1;
      lp.rows++;
    }
  lp.A[(size_t)lp.rows * lp.columns + n] = -1; // t <= 1
  lp.b[lp.rows++] = -1;
  double *x = ASP_TAKE(arena, double, n + 1);
  if (!x)
    return ASP_ERROR_MEMORY;
  AspError error = asp_lp_solve(arena, &lp, CERTIFICATE_FEASIBLE, x, NULL, &value, &status);
  if (error == ASP_OK && status == ASP_LP_OPTIMAL)
    memcpy(y, x, (size_t)n * sizeof *y);
  asp_arena_rewind(arena, mark);
  *margin = status == ASP_LP_OPTIMAL ? -value : NAN;
  return error;
}

/* ---- copositive ---- */

/* The stationary value of r.A r on the face with these members (sum r = 1): 1 / sum of A_II^-1 1, where all entries of
 * A_II^-1 1 have one sign; INFINITY: none within the face. */
static double value_on_face(int n, const double *A, unsigned members, double *B, double *x) {
  int list[ASP_P_MATRIX_MOST], pivot[ASP_P_MATRIX_MOST], m = 0;
  double sum = 0;
  for (int i = 0; i < n; i++)
    if (members >> i & 1)
      list[m++] = i;
  for (int i = 0; i < m; i++) {
    x[i] = 1;
    for (int j = 0; j < m; j++)
      B[i + j * m] = 0.5 * (A[list[i] * n + list[j]] + A[list[j] * n + list[i]]);
  }
  if (!asp_small_lu(m, B, pivot))
    return INFINITY; // a continuum reaches a smaller face
  asp_small_lu_solve(m, B, pivot, x);
  for (int i = 0; i < m; i++) {
    if (x[i] == 0 || (x[i] > 0) != (x[0] > 0))
      return INFINITY;
    sum += x[i];
  }
  return 1 / sum;
}

AspError asp_certify_copositive(AspArena *arena, int n, const double *A, double *least) {
  AspArenaMark mark = asp_arena_mark(arena);
  double *B = ASP_TAKE(arena, double, (size_t)n *(size_t)n), *x = ASP_TAKE(arena, double, n);
  if (!B || !x)
    return ASP_ERROR_MEMORY;
  *least = INFINITY;
  for (unsigned members = 1; members < 1u << n; members++)
    *least = fmin(*least, value_on_face(n, A, members, B, x));
  for (int i = 0; i < n; i++) // a vertex with A_ii = 0 has a singular face of its own
    *least = fmin(*least, A[i * n + i]);
  if (fabs(*least) < CERTIFICATE_ROUNDING)
    *least = 0;
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}

/* ---- P-matrix ---- */

/* Smallest principal minor: Schur complements, the matrix with index 0 left out and with it pivoted away (Tsatsomeros
 * and Li 2000). scratch: room for the smaller matrices. */
static double smallest_minor(int n, const double *A, double *scratch) {
  double corner = A[0];
  if (n == 1 || !(corner > 0))
    return corner;
  int m = n - 1;
  double *without = scratch, *schur = scratch + (size_t)m * m, least = corner;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      without[i * m + j] = A[(i + 1) * n + j + 1];
      schur[i * m + j] = A[(i + 1) * n + j + 1] - A[(i + 1) * n] * A[j + 1] / corner;
    }
  least = fmin(least, smallest_minor(m, without, scratch + 2 * (size_t)m * m));
  return least > 0 ? fmin(least, corner * smallest_minor(m, schur, scratch + 2 * (size_t)m * m)) : least;
}

bool asp_certify_has_normal_equations(const AspReduced *problem) {
  bool fits = problem->blocks > 0 && problem->blocks <= ASP_P_MATRIX_MOST;
  for (int b = 0; b < problem->blocks; b++)
    fits = fits && (problem->law[b].kind == ASP_LAW_UNILATERAL || problem->law[b].kind == ASP_LAW_SLIDING);
  return fits;
}

void asp_certify_normal_equations(const AspReduced *problem, double *A) {
  int n = problem->blocks;
  for (int b = 0; b < n; b++)
    for (int c = 0; c < n; c++) {
      const AspLaw *law = &problem->law[c];
      const double *row = problem->W + (size_t)problem->offset[b] * problem->rows + problem->offset[c];
      A[b * n + c] = row[0];
      for (int k = 1; k < asp_reduced_size(problem, c); k++)
        A[b * n + c] -= law->mu * law->direction[k - 1] * row[k];
    }
}

AspError asp_certify_p_matrix(AspArena *arena, int n, const double *A, double *smallest) {
  AspArenaMark mark = asp_arena_mark(arena);
  double *scratch = ASP_TAKE(arena, double, 2 * (size_t)n * (size_t)n * (size_t)n);
  if (!scratch)
    return ASP_ERROR_MEMORY;
  *smallest = smallest_minor(n, A, scratch);
  if (fabs(*smallest) < CERTIFICATE_ROUNDING) // a minor that vanishes proves nothing, whatever sign rounding gave it
    *smallest = 0;
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}
