/* The kernels of kernels.h, written once in terms of a vector of WIDTH doubles; kernels.c includes this file once per
 * instruction set after defining
 *
 *   KERNEL(name)                   the name of a function in this set
 *   TARGET                         attribute that lets the compiler use the set
 *   WIDE, WIDTH                    vector type and its number of doubles
 *   LOAD(p) STORE(p, x) SPREAD(a)  unaligned access, one number in all places
 *   ZERO                           a vector of zeros
 *   SUM(x)                         sum of the SUM_LANES numbers in the vectors x[0], x[1], ...: first of those that are
 *                                  SUM_LANES / 2 apart, then SUM_LANES / 4, and so on
 *   VECTORS, COLUMNS               size of a register tile: VECTORS * WIDTH rows, COLUMNS columns
 *   DOTS                           columns whose sums are made at a time
 *
 * One order of operations, so that every set gives the same bits: each entry takes the products of its sum one after
 * the other, whatever the tile it is in; sums over rows have SUM_LANES parts, whatever the width of a vector. Products
 * are rounded before they are added: not every processor can do both at once.
 */
#include "linalg/tuning/linalg.h"

#include <float.h>

/* For `i` from `first` to `end` - 1, at most `most` rounds, written out so that tiles stay in registers. */
#ifndef EACH
#ifdef __clang__ // it passes over GCC's pragma without a word
#define EACH(most, i, first, end) _Pragma("clang loop unroll(full)") for (int i = first; i < end; i++)
#else
#define UNROLL(text)              _Pragma(#text)
#define EACH(most, i, first, end) UNROLL(GCC unroll most) for (int i = first; i < end; i++)
#endif
#endif

/* A register tile of V vectors by N columns of C := (add ? C : 0) - A B^T; V and N are constants where it is called. */
TARGET static inline __attribute__((always_inline)) void KERNEL(tile)(const int V, const int N, int k, const double *A,
                                                                      int lda, const double *B, int bj, int bk,
                                                                      bool add, double *C, int ldc) {
  WIDE c[4][6];
  EACH (6, j, 0, N)
    EACH (4, v, 0, V)
      c[v][j] = add ? LOAD(C + (size_t)j * (size_t)ldc + v * WIDTH) : ZERO;
  for (int p = 0; p < k; p++, A += lda, B += bk) {
    WIDE a[4];
    EACH (4, v, 0, V)
      a[v] = LOAD(A + v * WIDTH);
    EACH (6, j, 0, N) {
      WIDE b = SPREAD(B[(ptrdiff_t)j * bj]);
      EACH (4, v, 0, V)
        c[v][j] = c[v][j] - a[v] * b;
    }
  }
  EACH (6, j, 0, N)
    EACH (4, v, 0, V)
      STORE(C + (size_t)j * (size_t)ldc + v * WIDTH, c[v][j]);
}

/* The same for row-wise triangular solves: columns first .. first + N - 1 of Y from those before, then
 * from each other. */
TARGET static inline __attribute__((always_inline)) void KERNEL(solve_tile)(const int V, const int N, int first,
                                                                            double *X, int ldx, double *Y, int ldy,
                                                                            const double *T, int tj, int tk,
                                                                            const double *scale) {
  WIDE c[4][6];
  EACH (6, j, 0, N)
    EACH (4, v, 0, V)
      c[v][j] = LOAD(X + (size_t)(first + j) * (size_t)ldx + v * WIDTH);
  const double *t = T + (ptrdiff_t)first * tj, *y = Y;
  for (int p = 0; p < first; p++, y += ldy, t += tk) {
    WIDE a[4];
    EACH (4, v, 0, V)
      a[v] = LOAD(y + v * WIDTH);
    EACH (6, j, 0, N) {
      WIDE b = SPREAD(t[(ptrdiff_t)j * tj]);
      EACH (4, v, 0, V)
        c[v][j] = c[v][j] - a[v] * b;
    }
  }
  EACH (6, j, 0, N) {
    EACH (6, i, 0, j) {
      WIDE b = SPREAD(t[(ptrdiff_t)j * tj + (ptrdiff_t)i * tk]);
      EACH (4, v, 0, V)
        c[v][j] = c[v][j] - c[v][i] * b;
    }
    EACH (4, v, 0, V) {
      STORE(Y + (size_t)(first + j) * (size_t)ldy + v * WIDTH, c[v][j]);
      if (scale)
        STORE(X + (size_t)(first + j) * (size_t)ldx + v * WIDTH, c[v][j] * SPREAD(scale[first + j]));
    }
  }
}

/* one case per size of tile, so that each is compiled with constant sizes */
// clang-format off
#define TILE_SIZES(X)                                                                                                  \
  X(1, 1) X(1, 2) X(1, 3) X(1, 4) X(1, 5) X(1, 6) X(2, 1) X(2, 2) X(2, 3) X(2, 4) X(2, 5) X(2, 6)                      \
  X(3, 1) X(3, 2) X(3, 3) X(3, 4) X(3, 5) X(3, 6) X(4, 1) X(4, 2) X(4, 3) X(4, 4) X(4, 5) X(4, 6)
// clang-format on
#define TILE_FITS(v, n) ((v) <= VECTORS && (n) <= COLUMNS)

TARGET static void KERNEL(minus_product)(int m, int n, int k, const double *A, int lda, const double *B, int bj, int bk,
                                         bool add, bool lower, double *C, int ldc) {
  // columns of A that stay in the first-level cache for a tile's rows
  const int depth = ASP_KERNEL_DEPTH;
  for (int first = 0; first < k || (first == 0 && !add); first += depth) {
    int part = k - first < depth ? k - first : depth;
    for (int i = 0; i < m; i += VECTORS * WIDTH) {
      int vectors = (m - i + WIDTH - 1) / WIDTH;
      vectors = vectors < VECTORS ? vectors : VECTORS;
      int columns = lower && i + vectors * WIDTH < n ? i + vectors * WIDTH : n;
      const double *a = A + (size_t)first * (size_t)lda + i;
      for (int j = 0; j < columns; j += COLUMNS) {
        int width = columns - j < COLUMNS ? columns - j : COLUMNS;
        const double *b = B + (ptrdiff_t)first * bk + (ptrdiff_t)j * bj;
        double *c = C + (size_t)j * (size_t)ldc + i;
        // exact: a number per case
        switch (vectors * 8 + width) {
#define TILE_CASE(v, w)                                                                                                \
  case (v)*8 + (w):                                                                                                    \
    if (TILE_FITS(v, w))                                                                                               \
      KERNEL(tile)(v, w, part, a, lda, b, bj, bk, add || first > 0, c, ldc);                                           \
    break;
          TILE_SIZES(TILE_CASE)
#undef TILE_CASE
        default:
          break;
        }
      }
    }
    if (k == 0)
      break;
  }
}

TARGET static void KERNEL(solve_rows)(int m, int n, double *X, int ldx, double *Y, int ldy, const double *T, int tj,
                                      int tk, const double *scale) {
  for (int i = 0; i < m; i += VECTORS * WIDTH) {
    int vectors = (m - i + WIDTH - 1) / WIDTH;
    vectors = vectors < VECTORS ? vectors : VECTORS;
    for (int j = 0; j < n; j += COLUMNS) {
      int width = n - j < COLUMNS ? n - j : COLUMNS;
      // exact: a number per case
      switch (vectors * 8 + width) {
#define TILE_CASE(v, w)                                                                                                \
  case (v)*8 + (w):                                                                                                    \
    if (TILE_FITS(v, w))                                                                                               \
      KERNEL(solve_tile)(v, w, j, X + i, ldx, Y + i, ldy, T, tj, tk, scale);                                           \
    break;
        TILE_SIZES(TILE_CASE)
#undef TILE_CASE
      default:
        break;
      }
    }
  }
}

TARGET static inline __attribute__((always_inline)) void KERNEL(transposed_tile)(const int N, int m, const double *A,
                                                                                 int lda, const double *t, double *x) {
  WIDE sum[4][SUM_LANES / WIDTH];
  EACH (4, j, 0, N)
    EACH (4, v, 0, SUM_LANES / WIDTH)
      sum[j][v] = ZERO;
  for (int i = 0; i < m; i += SUM_LANES) {
    EACH (4, v, 0, SUM_LANES / WIDTH) {
      WIDE y = LOAD(t + i + v * WIDTH);
      EACH (4, j, 0, N)
        sum[j][v] = sum[j][v] + LOAD(A + (size_t)j * (size_t)lda + i + v * WIDTH) * y;
    }
  }
  EACH (4, j, 0, N)
    x[j] -= SUM(sum[j]);
}

TARGET static void KERNEL(minus_transposed)(int m, int n, const double *A, int lda, const double *t, double *x) {
  int j = 0;
  for (; j + DOTS <= n; j += DOTS)
    KERNEL(transposed_tile)(DOTS, m, A + (size_t)j * (size_t)lda, lda, t, x + j);
  for (; j < n; j++)
    KERNEL(transposed_tile)(1, m, A + (size_t)j * (size_t)lda, lda, t, x + j);
}

/* Rows i .. of column k of a panel, V vectors: S_k = P_k - sum over j < k of L_j (L D)_kj. */
TARGET static inline __attribute__((always_inline)) void KERNEL(ldlt_tile)(const int V, int k, int i, const double *P,
                                                                           double *S, int ld) {
  WIDE c[4];
  EACH (4, v, 0, V)
    c[v] = LOAD(P + (size_t)k * (size_t)ld + i + v * WIDTH);
  const double *left = P + i, *row = S + k;
  for (int j = 0; j < k; j++, left += ld, row += ld) {
    WIDE b = SPREAD(*row);
    EACH (4, v, 0, V)
      c[v] = c[v] - LOAD(left + v * WIDTH) * b;
  }
  EACH (4, v, 0, V)
    STORE(S + (size_t)k * (size_t)ld + i + v * WIDTH, c[v]);
}

TARGET static void KERNEL(ldlt)(int m, int n, double *P, double *S, int ld, const double *least,
                                const signed char *sign, double *inverse) {
  for (int k = 0; k < n; k++) {
    double *to = P + (size_t)k * (size_t)ld;
    const double *from = S + (size_t)k * (size_t)ld;
    for (int i = k; i < m; i += 4 * WIDTH) {
      int vectors = (m - i + WIDTH - 1) / WIDTH;
      if (vectors >= 4)
        KERNEL(ldlt_tile)(4, k, i, P, S, ld);
      else if (vectors == 3)
        KERNEL(ldlt_tile)(3, k, i, P, S, ld);
      else if (vectors == 2)
        KERNEL(ldlt_tile)(2, k, i, P, S, ld);
      else
        KERNEL(ldlt_tile)(1, k, i, P, S, ld);
    }
    double d = from[k], size = sign ? d * sign[k] : d < 0 ? -d : d;
    inverse[k] = size > least[k] && size <= DBL_MAX ? 1 / d : 0;
    WIDE b = SPREAD(inverse[k]);
    for (int i = k; i < m; i += WIDTH)
      STORE(to + i, LOAD(from + i) * b);
    to[k] = d;
  }
}

/* Four columns at a time: their own triangle, then all rows after them. */
TARGET static void KERNEL(forward)(int m, int n, const double *P, int ld, const double *inverse, double *y) {
  for (int b = 0; b < n; b += 4) {
    const double *column[4];
    double own[4];
    int count = n - b < 4 ? n - b : 4;
    for (int j = 0; j < 4; j++) {
      column[j] = P + (size_t)(b + (j < count ? j : 0)) * (size_t)ld;
      own[j] = j < count && inverse[b + j] != 0 ? y[b + j] : 0;
      for (int i = 0; i < j && j < count && inverse[b + j] != 0; i++)
        own[j] -= column[i][b + j] * own[i];
      if (j < count)
        y[b + j] = own[j];
    }
    WIDE t0 = SPREAD(own[0]), t1 = SPREAD(own[1]), t2 = SPREAD(own[2]), t3 = SPREAD(own[3]);
    for (int i = b + count; i < m; i += WIDTH) {
      WIDE c = LOAD(y + i) - LOAD(column[0] + i) * t0;
      c = c - LOAD(column[1] + i) * t1;
      c = c - LOAD(column[2] + i) * t2;
      STORE(y + i, c - LOAD(column[3] + i) * t3);
    }
  }
}

TARGET static void KERNEL(backward)(int m, int n, const double *P, int ld, double *y) {
  int count = n % 4 ? n % 4 : 4;
  for (int b = n - count; b >= 0; b -= 4, count = 4) {
    const double *block = P + (size_t)b * (size_t)ld + b;
    KERNEL(minus_transposed)(m - b - count, count, block + count, ld, y + b + count, y + b);
    for (int j = count - 2; j >= 0; j--)
      for (int i = j + 1; i < count; i++)
        y[b + j] -= block[(size_t)j * (size_t)ld + i] * y[b + i];
  }
}

/* N columns from `to` on take what column `from` leaves them: rows k + 1 .. m - 1. */
TARGET static inline __attribute__((always_inline)) void KERNEL(lu_tile)(const int N, int k, int m, const double *from,
                                                                         double *to, int ld) {
  WIDE t[4];
  EACH (4, j, 0, N)
    t[j] = SPREAD(to[(size_t)j * (size_t)ld + k]);
  for (int i = k + 1; i < m; i += WIDTH) {
    WIDE a = LOAD(from + i);
    EACH (4, j, 0, N) {
      double *c = to + (size_t)j * (size_t)ld + i;
      STORE(c, LOAD(c) - a * t[j]);
    }
  }
}

TARGET static bool KERNEL(lu)(int m, int n, double *A, int ld, int *pivot) {
  for (int k = 0; k < n; k++) {
    double *own = A + (size_t)k * (size_t)ld, most = 0;
    int at = k;
    for (int i = k; i < n; i++) {
      double size = own[i] < 0 ? -own[i] : own[i];
      at = size > most ? i : at;
      most = size > most ? size : most;
    }
    pivot[k] = at;
    if (!(most > 0 && most <= DBL_MAX))
      return false;
    for (int j = 0; j < n && at != k; j++) {
      double *column = A + (size_t)j * (size_t)ld, kept = column[k];
      column[k] = column[at];
      column[at] = kept;
    }
    WIDE inverse = SPREAD(1 / own[k]);
    for (int i = k + 1; i < m; i += WIDTH)
      STORE(own + i, LOAD(own + i) * inverse);
    int j = k + 1;
    for (; j + 4 <= n; j += 4)
      KERNEL(lu_tile)(4, k, m, own, A + (size_t)j * (size_t)ld, ld);
    for (; j < n; j++)
      KERNEL(lu_tile)(1, k, m, own, A + (size_t)j * (size_t)ld, ld);
  }
  return true;
}

TARGET static inline __attribute__((always_inline)) void KERNEL(add)(int count, const double *x, double *y) {
  int k = 0;
  for (; k + WIDTH <= count; k += WIDTH)
    STORE(y + k, LOAD(y + k) + LOAD(x + k));
  for (; k < count; k++)
    y[k] += x[k];
}

TARGET static void KERNEL(add_runs)(const AspRun *run, int first, int end_columns, int end, bool lower, const double *C,
                                    int ldc, double *target, int ldt, int shift) {
  for (int a = first; a < end_columns; a++)
    for (int l = 0; l < run[a].length; l++) {
      int column = run[a].to + l - shift;
      const double *from = C + (size_t)(run[a].from + l) * (size_t)ldc;
      double *to = target + (size_t)column * (size_t)ldt;
      if (lower)
        KERNEL(add)(run[a].length - l, from + run[a].from + l, to + column);
      for (int b = lower ? a + 1 : first; b < end; b++)
        KERNEL(add)(run[b].length, from + run[b].from, to + (run[b].to - shift));
    }
}

TARGET static void KERNEL(add_squares)(int m, int n, const double *Y, int ldy, const double *scale, double *sum) {
  for (int c = 0; c < m; c += SUM_LANES) {
    WIDE s[SUM_LANES / WIDTH];
    EACH (4, v, 0, SUM_LANES / WIDTH)
      s[v] = LOAD(sum + c + v * WIDTH);
    for (int i = 0; i < n; i++) {
      const double *y = Y + (size_t)i * (size_t)ldy + c;
      WIDE weight = SPREAD(scale[i]);
      EACH (4, v, 0, SUM_LANES / WIDTH) {
        WIDE x = LOAD(y + v * WIDTH);
        s[v] = s[v] + x * x * weight;
      }
    }
    EACH (4, v, 0, SUM_LANES / WIDTH)
      STORE(sum + c + v * WIDTH, s[v]);
  }
}

static const AspKernels KERNEL(table) = {
    KERNEL_NAME,  KERNEL(minus_product), KERNEL(solve_rows), KERNEL(minus_transposed),
    KERNEL(ldlt), KERNEL(forward),       KERNEL(backward),   KERNEL(add_runs),
    KERNEL(lu),   KERNEL(add_squares)};

#undef TILE_SIZES
#undef TILE_FITS
#undef KERNEL
#undef KERNEL_NAME
#undef TARGET
#undef WIDE
#undef WIDTH
#undef LOAD
#undef STORE
#undef SPREAD
#undef ZERO
#undef SUM
#undef VECTORS
#undef COLUMNS
#undef DOTS
