/* Dense kernels of one front: see front.h. */
#include "linalg/front.h"

#include <cblas.h>
#include <math.h>

/* columns of a Schur complement that are computed at once, so that little above the diagonal is wasted */
#define SCHUR_BLOCK 64

/* Take d as the pivot of index `pivot`; returns 1/d, or 0 when it is set aside. */
static double accept_pivot(FrontPivots *p, int pivot, double d) {
  int index = p->order[p->first_pivot + pivot];
  bool wrong_sign = p->sign && d * p->sign[index] < 0;
  if (!(fabs(d) > p->threshold) || !isfinite(d) || wrong_sign) {
    if (p->set_aside++ == 0 || index < p->first)
      p->first = index;
    return 0;
  }
  p->smallest = fmin(p->smallest, fabs(d));
  p->largest = fmax(p->largest, fabs(d));
  return 1 / d;
}

static double regularised(const FrontPivots *p, int pivot, double d) {
  return p->sign && p->sign[p->order[p->first_pivot + pivot]] < 0 ? d - p->regularisation : d + p->regularisation;
}

/* ---- LDL^T ---- */

/* L D L^T of a block of n pivots at the diagonal of A; first: its place in the front. */
static void ldlt_block(int n, double *A, int lda, int first, double *inverse, FrontPivots *pivots) {
  for (int j = 0; j < n; j++) {
    double *column = A + (size_t)j * (size_t)lda;
    inverse[j] = accept_pivot(pivots, first + j, column[j]);
    for (int k = j + 1; k < n; k++) {
      double l = column[k] * inverse[j];
      double *target = A + (size_t)k * (size_t)lda;
      for (int i = k; i < n; i++)
        target[i] -= column[i] * l;
    }
    for (int i = j + 1; i < n; i++)
      column[i] *= inverse[j];
  }
}

/* The rows below a factored block: R := R L^-T D^-1; D may hold zeros for 1/D. */
static void ldlt_rows(int rows, int n, const double *L, int ld, const double *inverse, double *R) {
  if (rows == 0)
    return;
  cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasUnit, rows, n, 1, L, ld, R, ld);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < rows; i++)
      R[i + (size_t)j * (size_t)ld] *= inverse[j];
}

/* S (rows x n, leading dimension rows) = L D; a pivot set aside has a zero column in L */
static void scale_columns(int rows, int n, const double *L, int ld, const double *inverse, double *S) {
  for (int j = 0; j < n; j++) {
    double d = inverse[j] != 0 ? 1 / inverse[j] : 0;
    for (int i = 0; i < rows; i++)
      S[i + (size_t)j * (size_t)rows] = L[i + (size_t)j * (size_t)ld] * d;
  }
}

void asp_front_ldlt(int width, int height, double *P, double *inverse, double *scratch, FrontPivots *pivots) {
  size_t ld = (size_t)height;
  if (pivots->regularisation > 0)
    for (int j = 0; j < width; j++)
      P[(size_t)j * (ld + 1)] = regularised(pivots, j, P[(size_t)j * (ld + 1)]);
  for (int b = 0; b < width; b += FRONT_BLOCK) {
    int n = width - b < FRONT_BLOCK ? width - b : FRONT_BLOCK, end = b + n;
    double *block = P + (size_t)b * ld + b;
    ldlt_block(n, block, height, b, inverse + b, pivots);
    ldlt_rows(height - end, n, block, height, inverse + b, block + n);
    if (end == width)
      break;
    scale_columns(width - end, n, block + n, height, inverse + b, scratch);
    for (int c = end; c < width; c += FRONT_BLOCK) {
      int columns = width - c < FRONT_BLOCK ? width - c : FRONT_BLOCK;
      cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, height - c, columns, n, -1, P + (size_t)b * ld + c, height,
                  scratch + (c - end), width - end, 1, P + (size_t)c * ld + c, height);
    }
  }
}

void asp_front_schur_ldlt(int width, int below, const double *L, int ld, const double *inverse, double *scratch,
                          double *C) {
  scale_columns(below, width, L, ld, inverse, scratch);
  for (int c = 0; c < below; c += SCHUR_BLOCK) {
    int columns = below - c < SCHUR_BLOCK ? below - c : SCHUR_BLOCK;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, below - c, columns, width, -1, L + c, ld, scratch + c, below,
                0, C + (size_t)c * (size_t)below + c, below);
  }
}

/* ---- LU ---- */

static void swap_rows(int columns, double *a, double *b, int ld) {
  for (int k = 0; k < columns; k++) {
    double t = a[(size_t)k * (size_t)ld];
    a[(size_t)k * (size_t)ld] = b[(size_t)k * (size_t)ld];
    b[(size_t)k * (size_t)ld] = t;
  }
}

/* L U with row exchanges of the block of n pivots at place b of the front; whole rows of the diagonal block P11 and
 * columns of UT are exchanged. */
static void lu_block(int n, int b, int width, int below, double *P, double *UT, double *inverse, int *exchange,
                     FrontPivots *pivots) {
  int height = width + below;
  double *A = P + (size_t)b * (size_t)height + b;
  for (int j = 0; j < n; j++) {
    double *column = A + (size_t)j * (size_t)height;
    int p = j;
    for (int i = j + 1; i < n; i++)
      if (fabs(column[i]) > fabs(column[p]))
        p = i;
    exchange[b + j] = b + p;
    if (p != j) {
      swap_rows(width, P + b + j, P + b + p, height);
      swap_rows(below, UT + (size_t)(b + j) * (size_t)below, UT + (size_t)(b + p) * (size_t)below, 1);
    }
    inverse[b + j] = accept_pivot(pivots, b + j, column[j]);
    for (int i = j + 1; i < n; i++)
      column[i] *= inverse[b + j];
    for (int k = j + 1; k < n; k++) {
      double *target = A + (size_t)k * (size_t)height;
      for (int i = j + 1; i < n; i++)
        target[i] -= column[i] * target[j];
    }
  }
}

/* A pivot set aside: its column of L and its row of U are zero. */
static void clear_set_aside(int width, int below, double *P, double *UT, const double *inverse, int b, int n) {
  int height = width + below;
  for (int j = b; j < b + n; j++) {
    if (inverse[j] != 0)
      continue;
    double *column = P + (size_t)j * (size_t)height;
    memset(column + j + 1, 0, (size_t)(height - j - 1) * sizeof *column);
    column[j] = 1;
    for (int k = j + 1; k < width; k++)
      P[(size_t)k * (size_t)height + j] = 0;
    memset(UT + (size_t)j * (size_t)below, 0, (size_t)below * sizeof *UT);
  }
}

void asp_front_lu(int width, int below, double *P, double *inverse, int *exchange, FrontPivots *pivots) {
  int height = width + below;
  size_t ld = (size_t)height;
  double *UT = P + ld * (size_t)width;
  if (pivots->regularisation > 0)
    for (int j = 0; j < width; j++)
      P[(size_t)j * (ld + 1)] = regularised(pivots, j, P[(size_t)j * (ld + 1)]);
  for (int b = 0; b < width; b += FRONT_BLOCK) {
    int n = width - b < FRONT_BLOCK ? width - b : FRONT_BLOCK, end = b + n, rest = width - end;
    double *block = P + (size_t)b * ld + b, *right = P + (size_t)end * ld + b;
    double *UT_b = UT + (size_t)b * (size_t)below, *UT_rest = UT + (size_t)end * (size_t)below;
    lu_block(n, b, width, below, P, UT, inverse, exchange, pivots);
    clear_set_aside(width, below, P, UT, inverse, b, n);
    if (height > end) // L below: rows U^-1
      cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, height - end, n, 1, block, height,
                  block + n, height);
    if (below > 0) // U beyond the front's pivots
      cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasUnit, below, n, 1, block, height, UT_b,
                  below);
    if (rest == 0)
      break;
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, n, rest, 1, block, height, right,
                height);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, height - end, rest, n, -1, block + n, height, right, height,
                1, right + n, height);
    if (below > 0)
      cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, below, rest, n, -1, UT_b, below, block + n, height, 1,
                  UT_rest, below);
  }
}

void asp_front_schur_lu(int width, int below, const double *L, int ld, const double *UT, double *C) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, below, below, width, -1, L, ld, UT, below, 0, C, below);
}
