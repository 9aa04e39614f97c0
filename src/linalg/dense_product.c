/* C + sign A B: see dense_product.h. Four columns of A and two of C at a time, over rows of A that stay in the cache.
 * Compiled with -O3 (CMakeLists.txt), so that the loops over rows are vectorised. */
#include "linalg/dense_product.h"
#include "base/dispatched.h"
#include "linalg/tuning/linalg.h"

#include <stddef.h>

/* c += b_0 a_0 + b_1 a_1 + b_2 a_2 + b_3 a_3, in this order, columns of m entries */
ASP_INLINED void add_four(int m, const double *restrict a, int lda, const double b[4], double *restrict c) {
  const double *a1 = a + lda, *a2 = a1 + lda, *a3 = a2 + lda;
  double b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3];
  for (int i = 0; i < m; i++)
    c[i] = (((c[i] + b0 * a[i]) + b1 * a1[i]) + b2 * a2[i]) + b3 * a3[i];
}

/* The same for two columns at once: each entry of a is loaded once for both. */
ASP_INLINED void add_four_twice(int m, const double *restrict a, int lda, const double b[4], const double d[4],
                                double *restrict c, double *restrict e) {
  const double *a1 = a + lda, *a2 = a1 + lda, *a3 = a2 + lda;
  double b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3], d0 = d[0], d1 = d[1], d2 = d[2], d3 = d[3];
  for (int i = 0; i < m; i++) {
    c[i] = (((c[i] + b0 * a[i]) + b1 * a1[i]) + b2 * a2[i]) + b3 * a3[i];
    e[i] = (((e[i] + d0 * a[i]) + d1 * a1[i]) + d2 * a2[i]) + d3 * a3[i];
  }
}

ASP_INLINED void add_one(int m, const double *restrict a, double b, double *restrict c) {
  for (int i = 0; i < m; i++)
    c[i] += b * a[i];
}

/* Columns j, and j + 1 if `two`, of C. */
ASP_INLINED void add_to_columns(int m, bool two, int k, double sign, const double *A, int lda, const double *B, int bp,
                                int bj, double *C, int ldc) {
  int p = 0;
  for (; p + 4 <= k; p += 4) {
    const double *a = A + (ptrdiff_t)p * lda, *from = B + (ptrdiff_t)p * bp;
    double b[4], d[4];
    for (int q = 0; q < 4; q++) {
      b[q] = sign * from[(ptrdiff_t)q * bp];
      d[q] = two ? sign * from[(ptrdiff_t)q * bp + bj] : 0;
    }
    if (two)
      add_four_twice(m, a, lda, b, d, C, C + ldc);
    else
      add_four(m, a, lda, b, C);
  }
  for (; p < k; p++) {
    const double *a = A + (ptrdiff_t)p * lda, *from = B + (ptrdiff_t)p * bp;
    add_one(m, a, sign * *from, C);
    if (two)
      add_one(m, a, sign * from[bj], C + ldc);
  }
}

ASP_DISPATCHED void asp_dense_add_product(int m, int n, int k, double sign, const double *A, int lda, const double *B,
                                          int bp, int bj, double *C, int ldc) {
  for (int i = 0; i < m; i += DENSE_ROWS) {
    int rows = m - i < DENSE_ROWS ? m - i : DENSE_ROWS;
    for (int j = 0; j < n; j += 2)
      add_to_columns(rows, j + 1 < n, k, sign, A + i, lda, B + (ptrdiff_t)j * bj, bp, bj, C + i + (ptrdiff_t)j * ldc,
                     ldc);
  }
}
