/* Dense factorisations: see dense.h. Singular values and eigenvalues: dense_jacobi.c.
 *
 *   lu                blocks of columns: each is factored column by column (left-looking), then taken off the columns
 *                     behind it
 *   cholesky          column by column: a column takes what all columns before it take off it
 *   ldlt              Bunch and Kaufman 1977, one column after the other
 *   semidefinite      Cholesky with the largest diagonal entry as pivot (Higham 2002, section 10.3), then Householder
 *   least norm        Householder with column pivoting, then Householder of the rows that are left (Golub and Van Loan
 *                     2013, section 5.5)
 *
 * Depends on base.
 */
#include "linalg/dense.h"
#include "base/elementary.h"
#include "linalg/dense_product.h"
#include "linalg/tuning/linalg.h"

#include <float.h>
#include <math.h>

static double *column(double *A, int lda, int j) { return A + (size_t)j * (size_t)lda; }
static const double *column_of(const double *A, int lda, int j) { return A + (size_t)j * (size_t)lda; }

/* y := y - sum over k < count of c_k A_k, columns of m entries */
static void minus_columns(int m, int count, const double *A, int lda, const double *c, int step, double *y) {
  asp_dense_add_product(m, 1, count, -1, A, lda, c, step, 0, y, m);
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

static void swap(double *a, double *b) {
  double kept = *a;
  *a = *b;
  *b = kept;
}

void asp_dense_add_product_transposed(int m, int n, int k, const double *A, int lda, const double *B, int ldb,
                                      double *C, int ldc) {
  asp_dense_add_product(m, n, k, 1, A, lda, B, ldb, 1, C, ldc);
}

/* The first index whose pivot is not finite, or the one that failed. */
static int outcome(int failed, int n, const double *A, int lda) {
  for (int i = 0; i < n && failed < 0; i++)
    if (!isfinite(column_of(A, lda, i)[i]))
      return i;
  return failed;
}

/* ---- triangles ---- */

/* x := L^-1 x and x := L^-T x, L lower */
static void solve_lower(int n, const double *L, int lda, double *x) {
  for (int k = 0; k < n; k++) {
    const double *l = column_of(L, lda, k);
    x[k] /= l[k];
    for (int i = k + 1; i < n; i++)
      x[i] -= x[k] * l[i];
  }
}

static void solve_lower_transposed(int n, const double *L, int lda, double *x) {
  for (int k = n - 1; k >= 0; k--) {
    const double *l = column_of(L, lda, k);
    x[k] -= dot(n - k - 1, l + k + 1, x + k + 1);
    x[k] /= l[k];
  }
}

static void solve_upper(int n, const double *U, int lda, double *x) {
  for (int k = n - 1; k >= 0; k--) {
    const double *u = column_of(U, lda, k);
    x[k] /= u[k];
    for (int i = 0; i < k; i++)
      x[i] -= x[k] * u[i];
  }
}

static void solve_upper_transposed(int n, const double *U, int lda, double *x) {
  for (int k = 0; k < n; k++) {
    const double *u = column_of(U, lda, k);
    x[k] = (x[k] - dot(k, u, x)) / u[k];
  }
}

/* ---- Cholesky ---- */

int asp_dense_cholesky(int n, double *A, int lda) {
  for (int j = 0; j < n; j++) {
    double *a = column(A, lda, j);
    minus_columns(n - j, j, A + j, lda, A + j, lda, a + j);
    if (!(a[j] > 0))
      return j;
    a[j] = sqrt(a[j]);
    for (int i = j + 1; i < n; i++)
      a[i] /= a[j];
  }
  return outcome(-1, n, A, lda);
}

void asp_dense_cholesky_solve(int n, const double *L, int lda, int columns, double *X, int ldx) {
  for (int c = 0; c < columns; c++) {
    solve_lower(n, L, lda, column(X, ldx, c));
    solve_lower_transposed(n, L, lda, column(X, ldx, c));
  }
}

/* ---- LU ---- */

static int largest(int from, int n, const double *a) {
  int at = from;
  for (int i = from + 1; i < n; i++)
    if (fabs(a[i]) > fabs(a[at]))
      at = i;
  return at;
}

/* Columns first .. j - 1 of the block are factored: column j := L^-1 of it above the diagonal, less L times that below
 * it. */
static void bring_up_to_date(int n, int first, int j, double *A, int lda) {
  double *a = column(A, lda, j);
  for (int from = first; from < j; from += 4) {
    int count = j - from < 4 ? j - from : 4;
    for (int k = from; k < from + count; k++)
      for (int i = k + 1; i < from + count; i++)
        a[i] -= a[k] * column_of(A, lda, k)[i];
    int below = from + count;
    minus_columns(n - below, count, column_of(A, lda, from) + below, lda, a + from, 1, a + below);
  }
}

/* Columns first .. end - 1, rows from `first` on; returns the first pivot that is zero, or -1. */
static int factor_block(int n, int first, int end, double *A, int lda, int *pivot) {
  int failed = -1;
  for (int j = first; j < end; j++) {
    double *a = column(A, lda, j);
    for (int k = first; k < j; k++)
      swap(a + k, a + pivot[k]);
    bring_up_to_date(n, first, j, A, lda);
    pivot[j] = largest(j, n, a);
    if (a[pivot[j]] == 0) {
      failed = failed < 0 ? j : failed;
      continue;
    }
    // rows of the columns before; those behind are swapped when their turn comes
    for (int k = first; k <= j && pivot[j] != j; k++)
      swap(column(A, lda, k) + j, column(A, lda, k) + pivot[j]);
    // exact: the inverse of a smaller pivot may overflow
    bool safe = fabs(a[j]) >= DBL_MIN;
    double inverse = 1 / a[j];
    for (int i = j + 1; i < n; i++)
      a[i] = safe ? a[i] * inverse : a[i] / a[j];
  }
  return failed;
}

/* Rows first .. end - 1 of `columns` columns of X: L^-1 of them, for the unit triangle L there; four rows after
 * four. */
static void solve_unit_block(int first, int end, const double *L, int lda, int columns, double *X, int ldx) {
  for (int from = first, below; from < end; from = below) {
    below = end - from < 4 ? end : from + 4;
    for (int c = 0; c < columns; c++) {
      double *x = column(X, ldx, c);
      for (int k = from; k < below; k++)
        for (int i = k + 1; i < below; i++)
          x[i] -= x[k] * column_of(L, lda, k)[i];
    }
    asp_dense_add_product(end - below, columns, below - from, -1, column_of(L, lda, from) + below, lda, X + from, 1,
                          ldx, X + below, ldx);
  }
}

static void swap_rows(int first, int end, const int *pivot, int columns, double *X, int ldx) {
  for (int c = 0; c < columns; c++)
    for (int k = first; k < end; k++)
      swap(column(X, ldx, c) + k, column(X, ldx, c) + pivot[k]);
}

int asp_dense_lu(int n, double *A, int lda, int *pivot) {
  int failed = -1;
  for (int first = 0; first < n; first += DENSE_BLOCK) {
    int end = n - first < DENSE_BLOCK ? n : first + DENSE_BLOCK;
    int bad = factor_block(n, first, end, A, lda, pivot);
    failed = failed < 0 ? bad : failed;
    swap_rows(first, end, pivot, first, A, lda);
    if (end == n)
      break;
    double *behind = column(A, lda, end);
    swap_rows(first, end, pivot, n - end, behind, lda);
    solve_unit_block(first, end, A, lda, n - end, behind, lda);
    asp_dense_add_product(n - end, n - end, end - first, -1, column_of(A, lda, first) + end, lda, behind + first, 1,
                          lda, behind + end, lda);
  }
  return outcome(failed, n, A, lda);
}

/* What rows first .. end - 1 of X, solved for, leave rows to .. first - 1: from the last column of U on. */
static void take_off_above(int to, int first, int end, const double *U, int lda, int columns, double *X, int ldx) {
  asp_dense_add_product(first - to, columns, end - first, -1, column_of(U, lda, end - 1) + to, -lda, X + end - 1, -1,
                        ldx, X + to, ldx);
}

/* Rows first .. end - 1 of X: U^-1 of them, for the triangle U there; four rows after four, the last first. */
static void solve_upper_block(int first, int end, const double *U, int lda, int columns, double *X, int ldx) {
  for (int from; end > first; end = from) {
    from = end - first < 4 ? first : end - 4;
    for (int c = 0; c < columns; c++) {
      double *x = column(X, ldx, c);
      for (int k = end - 1; k >= from; k--) {
        x[k] /= column_of(U, lda, k)[k];
        for (int i = from; i < k; i++)
          x[i] -= x[k] * column_of(U, lda, k)[i];
      }
    }
    take_off_above(first, from, end, U, lda, columns, X, ldx);
  }
}

void asp_dense_lu_solve(int n, const double *LU, int lda, const int *pivot, int columns, double *X, int ldx) {
  swap_rows(0, n, pivot, columns, X, ldx);
  for (int first = 0; first < n; first += DENSE_BLOCK) {
    int end = n - first < DENSE_BLOCK ? n : first + DENSE_BLOCK;
    solve_unit_block(first, end, LU, lda, columns, X, ldx);
    asp_dense_add_product(n - end, columns, end - first, -1, column_of(LU, lda, first) + end, lda, X + first, 1, ldx,
                          X + end, ldx);
  }
  for (int end = n, first; end > 0; end = first) {
    first = (end - 1) / DENSE_BLOCK * DENSE_BLOCK;
    solve_upper_block(first, end, LU, lda, columns, X, ldx);
    take_off_above(0, first, end, LU, lda, columns, X, ldx);
  }
}

/* ---- L D L^T ---- */

/* Rows and columns k and p of the symmetric matrix (lower triangle) change places; k < p. */
static void swap_symmetric(int n, double *A, int lda, int k, int p) {
  for (int i = 0; i < k; i++)
    swap(column(A, lda, i) + k, column(A, lda, i) + p);
  for (int i = k + 1; i < p; i++)
    swap(column(A, lda, k) + i, column(A, lda, i) + p);
  for (int i = p + 1; i < n; i++)
    swap(column(A, lda, k) + i, column(A, lda, p) + i);
  swap(column(A, lda, k) + k, column(A, lda, p) + p);
}

/* Bunch and Kaufman's choice at step k: the size of the pivot (1 or 2) and the row that is brought into it. */
static int choose_pivot(int n, const double *A, int lda, int k, int *row) {
  // exact: alpha bounds the growth of entries alike for pivots of both sizes (Bunch and Kaufman 1977)
  const double alpha = (1 + sqrt(17.0)) / 8, *a = column_of(A, lda, k);
  *row = k;
  if (k + 1 >= n)
    return 1;
  int r = largest(k + 1, n, a);
  double below = fabs(a[r]), beside = 0;
  if (fabs(a[k]) >= alpha * below)
    return 1;
  for (int i = k; i < r; i++)
    beside = fmax(beside, fabs(column_of(A, lda, i)[r]));
  for (int i = r + 1; i < n; i++)
    beside = fmax(beside, fabs(column_of(A, lda, r)[i]));
  if (fabs(a[k]) * beside >= alpha * below * below)
    return 1;
  *row = r;
  return fabs(column_of(A, lda, r)[r]) >= alpha * beside ? 1 : 2;
}

/* What is left of the matrix behind a pivot of size 1 or 2, and the columns of L in its place. */
static void take_off_one(int n, double *A, int lda, int k) {
  double *a = column(A, lda, k), d = a[k];
  for (int j = k + 1; j < n; j++) {
    double c = a[j] / d, *b = column(A, lda, j);
    for (int i = j; i < n; i++)
      b[i] -= a[i] * c;
  }
  for (int i = k + 1; i < n; i++)
    a[i] /= d;
}

static void take_off_two(int n, double *A, int lda, int k) {
  double *a = column(A, lda, k), *b = column(A, lda, k + 1), e = a[k + 1];
  double p = a[k] / e, q = b[k + 1] / e, scale = 1 / (e * (p * q - 1));
  for (int j = k + 2; j < n; j++) {
    double u = scale * (q * a[j] - b[j]), v = scale * (p * b[j] - a[j]), *c = column(A, lda, j);
    for (int i = j; i < n; i++)
      c[i] -= a[i] * u + b[i] * v;
    a[j] = u;
    b[j] = v;
  }
}

/* pivot[k]: row that changed places with k; a pair of columns: -1 - row in both (the row changed places with k + 1).
 * The columns of L before are swapped, too: P A P^T = L D L^T with all swaps in P. */
AspError asp_dense_ldlt(AspArena *arena, int n, double *A, int lda, int *pivot, int *failed) {
  (void)arena;
  int bad = -1;
  for (int k = 0, size; k < n; k += size) {
    int row;
    size = choose_pivot(n, A, lda, k, &row);
    int place = k + size - 1;
    if (row != place)
      swap_symmetric(n, A, lda, place, row);
    pivot[k] = size == 1 ? row : -1 - row;
    if (size == 2) {
      pivot[k + 1] = -1 - row;
      take_off_two(n, A, lda, k);
    } else if (column(A, lda, k)[k] == 0) {
      bad = bad < 0 ? k : bad;
    } else {
      take_off_one(n, A, lda, k);
    }
  }
  *failed = outcome(bad, n, A, lda);
  return ASP_OK;
}

static int swapped_with(const int *pivot, int k) { return pivot[k] < 0 ? -1 - pivot[k] : pivot[k]; }

/* x := D^-1 x */
static void divide_by_blocks(int n, const double *L, int lda, const int *pivot, double *x) {
  for (int k = 0; k < n; k++) {
    const double *a = column_of(L, lda, k), *b = a + lda;
    if (pivot[k] >= 0) {
      x[k] /= a[k];
      continue;
    }
    double e = a[k + 1], p = a[k] / e, q = b[k + 1] / e, u = x[k] / e, v = x[k + 1] / e, det = p * q - 1;
    x[k] = (q * u - v) / det;
    x[++k] = (p * v - u) / det;
  }
}

static void solve_ldlt(int n, const double *L, int lda, const int *pivot, double *x) {
  for (int k = 0, size; k < n; k += size) {
    size = pivot[k] < 0 ? 2 : 1;
    swap(x + k + size - 1, x + swapped_with(pivot, k));
  }
  for (int k = 0, size; k < n; k += size) {
    size = pivot[k] < 0 ? 2 : 1;
    int below = k + size;
    minus_columns(n - below, size, column_of(L, lda, k) + below, lda, x + k, 1, x + below);
  }
  divide_by_blocks(n, L, lda, pivot, x);
  for (int k = n - 1, first; k >= 0; k = first - 1) {
    first = pivot[k] < 0 ? k - 1 : k;
    for (int i = first; i <= k; i++)
      x[i] -= dot(n - k - 1, column_of(L, lda, i) + k + 1, x + k + 1);
  }
  for (int k = n - 1; k >= 0; k -= pivot[k] < 0 ? 2 : 1)
    swap(x + k, x + swapped_with(pivot, k));
}

void asp_dense_ldlt_solve(int n, const double *L, int lda, const int *pivot, int columns, double *X, int ldx) {
  for (int c = 0; c < columns; c++)
    solve_ldlt(n, L, lda, pivot, column(X, ldx, c));
}

/* ---- Householder ---- */

/* H = 1 - tau v v^T with v_0 = 1 turns x (n entries) to (beta, 0, ...); beta and v_1 ... in place of x. */
static double reflector(int n, double *x) {
  double below = 0, size = 0;
  for (int i = 1; i < n; i++)
    size = fmax(size, fabs(x[i]));
  if (size == 0)
    return 0;
  for (int i = 1; i < n; i++)
    below += (x[i] / size) * (x[i] / size);
  double norm = asp_hypot(x[0], size * sqrt(below)), beta = x[0] > 0 ? -norm : norm, tau = (beta - x[0]) / beta;
  for (int i = 1; i < n; i++)
    x[i] /= x[0] - beta;
  x[0] = beta;
  return tau;
}

/* y := H y */
static void reflect(int n, const double *v, double tau, double *y) {
  double sum = tau * (y[0] + dot(n - 1, v + 1, y + 1));
  y[0] -= sum;
  for (int i = 1; i < n; i++)
    y[i] -= sum * v[i];
}

/* Q R of an m x n matrix, m >= n */
static void factor_qr(int m, int n, double *A, int lda, double *tau) {
  for (int k = 0; k < n; k++) {
    double *a = column(A, lda, k) + k;
    tau[k] = reflector(m - k, a);
    for (int j = k + 1; j < n; j++)
      reflect(m - k, a, tau[k], column(A, lda, j) + k);
  }
}

static void apply_q(int m, int n, const double *QR, int lda, const double *tau, bool transposed, double *x) {
  for (int i = 0; i < n; i++) {
    int k = transposed ? i : n - 1 - i;
    reflect(m - k, column_of(QR, lda, k) + k, tau[k], x + k);
  }
}

/* ---- semidefinite ---- */

static AspError require_finite(AspContext *context, int n, const double *A, int lda) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++)
      if (!isfinite(A[i + (size_t)j * (size_t)lda]))
        return asp_fail(context, ASP_ERROR_INPUT, "dense matrix: entry (%d, %d) is %g, not a finite number", i, j,
                        A[i + (size_t)j * (size_t)lda]);
  return ASP_OK;
}

/* L of the first `rank` pivots, the largest first; entries above the diagonal mean nothing. */
static int pivoted_cholesky(int n, double *A, int lda, double smallest, int *order) {
  for (int i = 0; i < n; i++)
    order[i] = i;
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (column(A, lda, i)[i] > column(A, lda, p)[p])
        p = i;
    double *a = column(A, lda, k);
    if (!(column(A, lda, p)[p] > smallest))
      return k;
    if (p != k) {
      swap_symmetric(n, A, lda, k, p);
      int kept = order[k];
      order[k] = order[p];
      order[p] = kept;
    }
    a[k] = sqrt(a[k]);
    for (int i = k + 1; i < n; i++)
      a[i] /= a[k];
    for (int j = k + 1; j < n; j++)
      minus_columns(n - j, 1, a + j, lda, a + j, 1, column(A, lda, j) + j);
  }
  return n;
}

AspError asp_dense_semidefinite(AspArena *arena, int n, double *A, int lda, double tolerance, AspSemidefinite *S) {
  ASP_TRY(require_finite(arena->context, n, A, lda));
  *S = (AspSemidefinite){.n = n, .order = ASP_TAKE(arena, int, n)};
  if (!S->order)
    return ASP_ERROR_MEMORY;
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, column(A, lda, i)[i]);
  if (most > 0)
    S->rank = pivoted_cholesky(n, A, lda, (tolerance > 0 ? tolerance : n * DBL_EPSILON) * most, S->order);
  // L = Q R, so that A = Q R R^T Q^T and the pseudo-inverse is Q R^-T R^-1 Q^T
  S->QR = ASP_TAKE(arena, double, (size_t)n *(size_t)S->rank);
  S->tau = ASP_TAKE(arena, double, S->rank);
  if (!S->QR || !S->tau)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < S->rank; j++)
    memcpy(column(S->QR, n, j) + j, column(A, lda, j) + j, (size_t)(n - j) * sizeof *A);
  factor_qr(n, S->rank, S->QR, n, S->tau);
  return ASP_OK;
}

AspError asp_dense_semidefinite_solve(AspArena *arena, const AspSemidefinite *S, double *x) {
  int n = S->n, r = S->rank;
  if (r == 0) {
    memset(x, 0, (size_t)n * sizeof *x);
    return ASP_OK;
  }
  AspArenaMark mark = asp_arena_mark(arena);
  double *y = ASP_TAKE(arena, double, n);
  if (!y)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < n; i++)
    y[i] = x[S->order[i]];
  apply_q(n, r, S->QR, n, S->tau, true, y);
  solve_upper(r, S->QR, n, y);
  solve_upper_transposed(r, S->QR, n, y);
  memset(y + r, 0, (size_t)(n - r) * sizeof *y);
  apply_q(n, r, S->QR, n, S->tau, false, y);
  for (int i = 0; i < n; i++)
    x[S->order[i]] = y[i];
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}

/* ---- least norm ---- */

/* A P = Q R up to the rank, the longest column that is left first; x := Q^T x on the way. */
static int pivoted_qr(int n, double *A, double tolerance, int *order, double *x) {
  double first = 0;
  for (int k = 0; k < n; k++) {
    int p = k;
    double longest = -1;
    for (int j = k; j < n; j++) {
      const double *a = column_of(A, n, j) + k;
      double length = dot(n - k, a, a);
      if (length > longest) {
        longest = length;
        p = j;
      }
    }
    for (int i = 0; i < n && p != k; i++)
      swap(column(A, n, k) + i, column(A, n, p) + i);
    int kept = order[k];
    order[k] = order[p];
    order[p] = kept;
    double *a = column(A, n, k) + k, tau = reflector(n - k, a);
    first = k == 0 ? fabs(a[0]) : first;
    if (!(fabs(a[0]) > tolerance * first))
      return k;
    for (int j = k + 1; j < n; j++)
      reflect(n - k, a, tau, column(A, n, j) + k);
    reflect(n - k, a, tau, x + k);
  }
  return n;
}

AspError asp_dense_least_norm(AspArena *arena, int n, double *A, double tolerance, double *x, int *rank) {
  *rank = 0;
  ASP_TRY(require_finite(arena->context, n, A, n));
  if (n == 0)
    return ASP_OK;
  AspArenaMark mark = asp_arena_mark(arena);
  int *order = ASP_TAKE(arena, int, n);
  double *T = ASP_TAKE(arena, double, (size_t)n *(size_t)n), *tau = ASP_TAKE(arena, double, n),
         *y = ASP_TAKE(arena, double, n);
  if (!order || !T || !tau || !y)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < n; i++)
    order[i] = i;
  int r = pivoted_qr(n, A, tolerance, order, x);
  // the r rows of R that are left, transposed: R^T = Z T, so the shortest y with R y = c is Z T^-T c
  for (int k = 0; k < r; k++)
    for (int j = k; j < n; j++)
      column(T, n, k)[j] = column_of(A, n, j)[k];
  factor_qr(n, r, T, n, tau);
  for (int k = 0; k < r; k++)
    y[k] = x[k];
  solve_upper_transposed(r, T, n, y);
  apply_q(n, r, T, n, tau, false, y);
  for (int i = 0; i < n; i++)
    x[order[i]] = y[i];
  asp_arena_rewind(arena, mark);
  *rank = r;
  return ASP_OK;
}
