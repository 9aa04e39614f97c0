/* Dense kernels of the sparse factorisation, one table per instruction set, chosen at run time. All matrices are
 * column-major. The kernels work on whole vectors of rows: where it is said, they read and write up to ASP_PAD rows
 * beyond the last one, so leading dimensions leave room for that; values there mean nothing.
 *
 * Why not the BLAS: fronts are small (6 to a few hundred rows), a BLAS call packs and copies what fits the cache
 * anyway, and a BLAS that does not know the processor falls back to its oldest kernels (docs/decisions/0001).
 * Every table gives the same bits (kernels_body.h says how). Depends on base only.
 */
#ifndef ASP_LINALG_KERNELS_H
#define ASP_LINALG_KERNELS_H

#include "base/base.h"
#include "linalg/tuning/linalg.h"

/* leading dimensions with that room, for kernels that start at any row, or at row 0 only */
static inline int asp_padded(int rows) { return rows + ASP_PAD; }
static inline int asp_padded_from_0(int rows) { return (rows + ASP_PAD) & ~ASP_PAD; }

/* `length` neighbouring rows of a front's Schur complement, from `from`, stand at `to` in the parent front. */
typedef struct AspRun {
  int from, to, length;
} AspRun;

typedef struct AspKernels {
  const char *name;

  /* C := (add ? C : 0) - A B^T;  A: m x k, C: m x n; entry (j, p) of B at B[j * bj + p * bk]. Pads A and C. lower: only
   * the entries of C with row >= column are asked for (others may be written). */
  void (*minus_product)(int m, int n, int k, const double *A, int lda, const double *B, int bj, int bk, bool add,
                        bool lower, double *C, int ldc);

  /* Row by row X := X T^-1 with T triangular and unit: y_j = x_j - sum over p < j of y_p t_jp, t_jp at T[j * tj + p *
   * tk]. Y receives y (may be X); X receives y_j scale_j when scale is not NULL. m x n; pads X and Y. */
  void (*solve_rows)(int m, int n, double *X, int ldx, double *Y, int ldy, const double *T, int tj, int tk,
                     const double *scale);

  /* x_j := x_j - sum over i of A_ij t_i, i < m, j < n. Pads A and t: what A times t gives there must be zero. */
  void (*minus_transposed)(int m, int n, const double *A, int lda, const double *t, double *x);

  /* L D L^T of the first n columns of a panel P of m rows, in place: unit L below the diagonal, D on it. The lower
   * triangle is read. S, laid out as P: L D. A pivot counts that is finite and above least_j: in size, or in the sign
   * that sign_j says (NULL: in size); inverse_j = 1 / D_j, or 0: its column of L is zero. Pads P and S, P with zeros. */
  void (*ldlt)(int m, int n, double *P, double *S, int ld, const double *least, const signed char *sign,
               double *inverse);

  /* y := L^-1 y for such a panel, y: m and padding; what the first n entries leave in the others is their part of it.
   * Entries whose pivot was set aside become 0. */
  void (*forward)(int m, int n, const double *P, int ld, const double *inverse, double *y);

  /* The first n entries of y := L^-T y, the others being known; padding of y: zeros, as that of P. */
  void (*backward)(int m, int n, const double *P, int ld, double *y);

  /* Every column of C in the runs first .. end_columns - 1, its rows in the runs first .. end - 1 (lower: from the
   * diagonal on), is added to `target`: from row and column `from + l` to row and column `to + l - shift`. */
  void (*add_runs)(const AspRun *run, int first, int end_columns, int end, bool lower, const double *C, int ldc,
                   double *target, int ldt, int shift);

  /* L U of the first n rows of A, m x n, in place, with row exchanges among them: unit L below the diagonal; row k was
   * exchanged with row pivot_k >= k. The rows after them become what they are times U^-1. False: a pivot is zero or not
   * finite. Pads A. */
  bool (*lu)(int m, int n, double *A, int ld, int *pivot);

  /* sum_c := sum_c + the sum over i of Y_ci^2 scale_i; Y: m x n. Pads Y and sum. */
  void (*add_squares)(int m, int n, const double *Y, int ldy, const double *scale, double *sum);
} AspKernels;

/* The fastest table that this processor can run, up to asp_kernels_most. */
const AspKernels *asp_kernels(void);
/* Index of the last table that may be taken. The variable ASPERITY_KERNELS of the environment, "portable", "avx2" or
 * "avx512", sets it, here and for the kernels of packed Gauss-Seidel: for tests, which compare the bits that the tables
 * give. Without it all tables may be. */
int asp_kernels_most(void);
/* Table `index` among those that this processor can run, the portable one first; NULL beyond the last. */
const AspKernels *asp_kernels_at(int index);

#endif
