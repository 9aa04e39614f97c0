/* Sparse factorisations compared on the body matrices of contact problems, A = M + H D H^T with random D per contact:
 *
 *   bench_factor PROBLEM.hdf5 ...
 *
 * D is symmetric positive definite for the symmetric candidates, T G (T positive definite, G = [1 0.9 t^T; 0 I]) for
 * the unsymmetric ones: what an interior-point method factors. Per candidate: milliseconds of analysis, factorisation
 * and solve, medians of repeats that take turns in one run, and ||A x - b|| / (||A|| ||x||) of one solve. Our time over
 * each candidate's closes the table as geometric means.
 */
#include "asperity/io.h"
#include "linalg/dense.h"
#include "linalg/gram.h"
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define REPEATS 15

static const Peer *const peers[] = {
    &peer_own_ldlt,
#ifdef ASP_BENCH_CHOLMOD
    &peer_cholmod,
#endif
#ifdef ASP_BENCH_MUMPS
    &peer_mumps_symmetric,
#endif
#ifdef ASP_BENCH_LDL
    &peer_ldl,
#endif
    &peer_own_lu,
#ifdef ASP_BENCH_MUMPS
    &peer_mumps_unsymmetric,
#endif
#ifdef ASP_BENCH_UMFPACK
    &peer_umfpack,
#endif
#ifdef ASP_BENCH_KLU
    &peer_klu,
#endif
};
#define PEERS ((int)(sizeof peers / sizeof *peers))

typedef struct Row {
  double analyse, factor, solve, error; /* s, s, s, relative */
} Row;

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(int count, double *x) {
  qsort(x, (size_t)count, sizeof *x, compare);
  return x[count / 2];
}

/* One 3x3 (2x2) block per contact with eigenvalues spread over several orders of magnitude. */
static void random_weights(const AspContactProblem *p, bool symmetric, double *D) {
  AspRandom random = {7};
  for (int i = 0; i < p->blocks; i++) {
    int d = p->offset[i + 1] - p->offset[i];
    double B[9], T[9] = {0}, scale = exp(asp_random_uniform(&random, -6, 6)), t[3] = {0};
    for (int k = 0; k < d * d; k++)
      B[k] = asp_random_normal(&random);
    for (int k = 1; k < d; k++)
      t[k] = 0.9 / sqrt(d - 1);
    for (int a = 0; a < d; a++)
      for (int b = 0; b < d; b++) {
        T[a + b * d] = a == b ? 0.1 * scale : 0;
        for (int k = 0; k < d; k++)
          T[a + b * d] += scale * B[a + k * d] * B[b + k * d];
      }
    for (int a = 0; a < d; a++)
      for (int b = 0; b < d; b++)
        D[a + b * d] = T[a + b * d] + (symmetric ? 0 : T[a] * t[b]);
    D += d * d;
  }
}

static AspSparse symmetrised(AspArena *arena, const AspSparse *M) {
  AspSparse T, S;
  int entries = asp_sparse_entries(M), *row = ASP_TAKE(arena, int, 2 * entries),
      *column = ASP_TAKE(arena, int, 2 * entries);
  double *value = ASP_TAKE(arena, double, 2 * entries);
  (void)T;
  int count = 0;
  for (int j = 0; j < M->columns; j++)
    for (int k = M->start[j]; k < M->start[j + 1]; k++) {
      row[count] = M->row[k], column[count] = j, value[count++] = M->value[k] / 2;
      row[count] = j, column[count] = M->row[k], value[count++] = M->value[k] / 2;
    }
  if (asp_sparse_from_triplets(arena, M->rows, M->columns, count, row, column, value, &S) != ASP_OK)
    abort();
  return S;
}

static double relative_error(const AspSparse *A, const double *x, double *b) {
  double norm_A = 0, norm_x = 0, norm_r = 0;
  asp_sparse_multiply_add(A, -1, x, b);
  for (int i = 0; i < A->columns; i++) {
    norm_x = fmax(norm_x, fabs(x[i]));
    norm_r = fmax(norm_r, fabs(b[i]));
  }
  for (int k = 0; k < asp_sparse_entries(A); k++)
    norm_A = fmax(norm_A, fabs(A->value[k]));
  return norm_r / (norm_A * norm_x);
}

/* All candidates of one kind on one matrix, taking turns. */
static void measure(const AspSparse *A, bool symmetric, Row *rows) {
  int n = A->columns;
  double times[3][PEERS][REPEATS], *x = malloc((size_t)n * sizeof *x), *b = malloc((size_t)n * sizeof *b);
  for (int r = 0; r < REPEATS; r++)
    for (int p = 0; p < PEERS; p++) {
      if (peers[p]->symmetric != symmetric)
        continue;
      double t0 = asp_clock_seconds();
      void *state = peers[p]->create(A);
      double t1 = asp_clock_seconds();
      bool good = state && peers[p]->factor(state, A); // the first one is a warm-up: memory, pivots
      double t2 = asp_clock_seconds();
      good = good && peers[p]->factor(state, A);
      double t3 = asp_clock_seconds();
      for (int i = 0; i < n; i++)
        x[i] = b[i] = 1 + i % 5;
      double t4 = asp_clock_seconds();
      good = good && peers[p]->solve(state, x);
      double t5 = asp_clock_seconds();
      times[0][p][r] = t1 - t0;
      times[1][p][r] = fmin(t3 - t2, INFINITY);
      times[2][p][r] = t5 - t4;
      (void)t2;
      rows[p].error = good ? relative_error(A, x, b) : INFINITY;
      if (state)
        peers[p]->destroy(state);
    }
  for (int p = 0; p < PEERS; p++)
    if (peers[p]->symmetric == symmetric) {
      rows[p].analyse = median(REPEATS, times[0][p]);
      rows[p].factor = median(REPEATS, times[1][p]);
      rows[p].solve = median(REPEATS, times[2][p]);
    }
  free(x), free(b);
}

static void measure_problem(AspContext *context, const char *path, double ratio[PEERS], int *count) {
  AspContactProblem problem;
  AspArena arena;
  AspGram gram;
  Row rows[PEERS] = {{0}};
  if (asp_fclib_read(context, path, NULL, &problem, NULL) != ASP_OK || problem.dofs == 0) {
    fprintf(stderr, "%s: %s\n", path, problem.dofs == 0 ? "no global form" : asp_context_message(context));
    return;
  }
  asp_arena_init(&arena, context);
  AspSparse M = symmetrised(&arena, &problem.M);
  double *D = ASP_TAKE(&arena, double, 9 * (size_t)problem.blocks), t0 = asp_clock_seconds();
  if (asp_gram_analyse(&arena, &M, &problem.H, problem.blocks, problem.offset, &gram) != ASP_OK)
    abort();
  double t1 = asp_clock_seconds(), assembly[REPEATS];
  for (int symmetric = 1; symmetric >= 0; symmetric--) {
    random_weights(&problem, symmetric, D);
    for (int r = 0; r < REPEATS; r++) {
      double t2 = asp_clock_seconds();
      asp_gram_compute(&gram, &M, D);
      assembly[r] = asp_clock_seconds() - t2;
    }
    measure(&gram.A, symmetric, rows);
  }
  const char *name = strrchr(path, '/');
  printf("\n%s: n = %d, %d entries; pattern %.2f ms, assembly %.3f ms\n", name ? name + 1 : path, gram.A.columns,
         asp_sparse_entries(&gram.A), 1e3 * (t1 - t0), 1e3 * median(REPEATS, assembly));
  printf("  %-14s %10s %10s %10s %10s %8s\n", "ms", "analyse", "factor", "solve", "error", "ours/it");
  for (int p = 0; p < PEERS; p++) {
    double ours = rows[0].factor;
    for (int k = 0; k < PEERS; k++)
      if (peers[k] == &peer_own_lu && !peers[p]->symmetric)
        ours = rows[k].factor;
    printf("  %-14s %10.3f %10.3f %10.4f %10.1e %8.2f\n", peers[p]->name, 1e3 * rows[p].analyse, 1e3 * rows[p].factor,
           1e3 * rows[p].solve, rows[p].error, ours / rows[p].factor);
    ratio[p] += log(ours / rows[p].factor);
  }
  fflush(stdout);
  ++*count;
  asp_arena_free(&arena);
  asp_problem_destroy(context, &problem);
}

int main(int argc, char **argv) {
  AspContext *context = asp_context_create(NULL);
  double ratio[PEERS] = {0};
  int count = 0;
  asp_blas_single_thread();
  for (int k = 1; k < argc; k++)
    measure_problem(context, argv[k], ratio, &count);
  printf("\nfactor time, ours over theirs, geometric mean of %d matrices\n", count);
  for (int p = 0; p < PEERS && count > 0; p++)
    printf("  %-14s %8.2f\n", peers[p]->name, exp(ratio[p] / count));
  asp_context_destroy(context);
  return count > 0 ? 0 : 2;
}
