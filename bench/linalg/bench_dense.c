/* Dense factorisations (src/linalg/dense.h) beside LAPACK's, where that is installed:
 *
 *   bench_dense
 *
 * Per size of the matrix: microseconds of processor time of L U with one right-hand side and with as many as the matrix
 * has columns, ours and LAPACK's in turns, least of REPEATS, one thread.
 */
#define _POSIX_C_SOURCE 200809L
#include "../bench_clock.h"
#include "../blas_threads.h"
#include "linalg/dense.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef ASP_BENCH_LAPACKE
#include <lapacke.h>
#endif

#define REPEATS 7
#define WORK    2e7 /* products per measurement */

typedef struct Case {
  int n, columns, *pivot;
  const double *A, *B;
  double *LU, *X;
} Case;

static void copy(const Case *it) {
  memcpy(it->LU, it->A, (size_t)it->n * (size_t)it->n * sizeof *it->LU);
  memcpy(it->X, it->B, (size_t)it->n * (size_t)it->columns * sizeof *it->X);
}

static void own(const Case *it) {
  copy(it);
  if (asp_dense_lu(it->n, it->LU, it->n, it->pivot) >= 0)
    abort();
  asp_dense_lu_solve(it->n, it->LU, it->n, it->pivot, it->columns, it->X, it->n);
}

#ifdef ASP_BENCH_LAPACKE
static void theirs(const Case *it) {
  copy(it);
  if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, it->n, it->n, it->LU, it->n, it->pivot) != 0)
    abort();
  LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', it->n, it->columns, it->LU, it->n, it->pivot, it->X, it->n);
}
#else
static void theirs(const Case *it) { (void)it; }
#endif

static double microseconds(void (*run)(const Case *), const Case *it) {
  double products = (double)it->n * it->n * (it->n / 3.0 + it->columns) + 200;
  int times = 1 + (int)(WORK / products);
  double began = processor_seconds();
  for (int i = 0; i < times; i++)
    run(it);
  return (processor_seconds() - began) / times * 1e6;
}

static void measure(int n, int columns) {
  size_t size = (size_t)n * (size_t)n;
  double *A = malloc(size * sizeof *A), *B = malloc(size * sizeof *B), *LU = malloc(size * sizeof *LU),
         *X = malloc(size * sizeof *X), best[2] = {1e300, 1e300};
  int *pivot = malloc((size_t)n * sizeof *pivot);
  if (!A || !B || !LU || !X || !pivot)
    abort();
  srand(1);
  for (size_t i = 0; i < size; i++) {
    A[i] = rand() / (double)RAND_MAX - 0.5;
    B[i] = rand() / (double)RAND_MAX - 0.5;
  }
  Case it = {n, columns, pivot, A, B, LU, X};
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    double t[2] = {microseconds(own, &it), microseconds(theirs, &it)};
    for (int k = 0; k < 2; k++)
      best[k] = t[k] < best[k] ? t[k] : best[k];
  }
  printf("%5d %8d %12.2f %12.2f %6.2f\n", n, columns, best[0], best[1], best[0] / best[1]);
  free(A), free(B), free(LU), free(X), free(pivot);
}

int main(void) {
  const int sizes[] = {3, 6, 12, 24, 48, 96, 192, 384, 768};
  blas_single_thread();
#ifndef ASP_BENCH_LAPACKE
  printf("without LAPACK: its times mean nothing\n");
#endif
  printf("%5s %8s %12s %12s %6s\n", "rows", "columns", "own us", "LAPACK us", "ratio");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    measure(sizes[i], 1);
    measure(sizes[i], sizes[i]);
  }
  return 0;
}
