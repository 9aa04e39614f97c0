/* Sparse factorisations compared on the body matrices of contact problems, A = M + H D H^T with random D per contact:
 *
 *   bench_factor [--csv FILE] PROBLEM.hdf5 ...
 *
 * D is symmetric positive definite for the symmetric candidates, T G (T positive definite, G = [1 0.9 t^T; 0 I]) for
 * the unsymmetric ones: what an interior-point method factors. Per candidate: milliseconds of processor time of
 * analysis, factorisation and solve, medians of repeats that take turns in one run, and ||A x - b|| / (||A|| ||x||) of
 * one solve. Our time over each candidate's closes the table as geometric means.
 */
#define _POSIX_C_SOURCE 200809L
#include "../blas_threads.h"
#include "asperity/io.h"
#include "linalg/gram.h"
#include "linalg/kernels.h"
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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
enum { PEERS = sizeof peers / sizeof *peers };

/* What is measured of one candidate; s but for the error. */
enum { ANALYSE, FACTOR, SOLVE, TIMES };
typedef struct Row {
  double time[TIMES];
  double error;
} Row;

/* Processor time of this process: other programs on the machine disturb it less than the wall clock. */
static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double x[REPEATS]) {
  qsort(x, REPEATS, sizeof *x, compare);
  return x[REPEATS / 2];
}

/* One 3x3 (2x2) block per contact, sizes spread over five orders of magnitude. */
static void random_weights(const AspContactProblem *p, bool symmetric, double *D) {
  AspRandom random = {7};
  for (int i = 0; i < p->blocks; i++) {
    int d = p->offset[i + 1] - p->offset[i];
    double B[9], T[9], t[3] = {0}, scale = exp(asp_random_uniform(&random, -6, 6));
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

/* (M + M^T) / 2: real data are slightly unsymmetric, and the symmetric candidates read one triangle. */
static AspError symmetrise(AspArena *arena, const AspSparse *M, AspSparse *S) {
  int entries = asp_sparse_entries(M), count = 0;
  int *row = ASP_TAKE(arena, int, 2 * entries), *column = ASP_TAKE(arena, int, 2 * entries);
  double *value = ASP_TAKE(arena, double, 2 * entries);
  if (!row || !column || !value)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < M->columns; j++)
    for (int k = M->start[j]; k < M->start[j + 1]; k++) {
      row[count] = column[count + 1] = M->row[k];
      column[count] = row[count + 1] = j;
      value[count] = value[count + 1] = M->value[k] / 2;
      count += 2;
    }
  return asp_sparse_from_triplets(arena, M->rows, M->columns, count, row, column, value, S);
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

/* One candidate once: analysis, a factorisation to warm up (memory, pivots), one that counts, a solve. */
static Row measure_once(const Peer *peer, const AspSparse *A, double *x, double *b) {
  Row row = {.error = INFINITY};
  double start = seconds();
  void *state = peer->create(A);
  row.time[ANALYSE] = seconds() - start;
  if (!state)
    return row;
  bool good = peer->factor(state, A);
  start = seconds();
  good = peer->factor(state, A) && good;
  row.time[FACTOR] = seconds() - start;
  for (int i = 0; i < A->columns; i++)
    x[i] = b[i] = 1 + i % 5;
  start = seconds();
  good = peer->solve(state, x) && good;
  row.time[SOLVE] = seconds() - start;
  if (good)
    row.error = relative_error(A, x, b);
  peer->destroy(state);
  return row;
}

/* All candidates for symmetric or unsymmetric matrices on one matrix, taking turns. */
static void measure(const AspSparse *A, bool symmetric, Row rows[PEERS]) {
  static double times[PEERS][TIMES][REPEATS];
  size_t n = (size_t)A->columns;
  double *x = malloc(n * sizeof *x), *b = malloc(n * sizeof *b);
  for (int r = 0; r < REPEATS; r++)
    for (int p = 0; p < PEERS; p++) {
      if (peers[p]->symmetric != symmetric)
        continue;
      Row row = measure_once(peers[p], A, x, b);
      for (int t = 0; t < TIMES; t++)
        times[p][t][r] = row.time[t];
      rows[p].error = row.error;
    }
  for (int p = 0; p < PEERS; p++)
    for (int t = 0; t < TIMES && peers[p]->symmetric == symmetric; t++)
      rows[p].time[t] = median(times[p][t]);
  free(x);
  free(b);
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* The table of one matrix; adds the logarithms of our times over theirs. */
static void print_rows(const char *path, const AspGram *gram, double assembly, const Row rows[PEERS],
                       double ratio[PEERS], FILE *csv) {
  printf("\n%s: n = %d, %d entries; assembly %.3f ms\n", base_name(path), gram->A.columns, asp_sparse_entries(&gram->A),
         1e3 * assembly);
  printf("  %-14s %10s %10s %10s %10s %8s\n", "ms", "analyse", "factor", "solve", "error", "ours/it");
  double ours[2] = {0};
  for (int p = 0; p < PEERS; p++)
    if (peers[p] == &peer_own_ldlt || peers[p] == &peer_own_lu)
      ours[peers[p]->symmetric] = rows[p].time[FACTOR];
  for (int p = 0; p < PEERS; p++) {
    const double *t = rows[p].time;
    double over = ours[peers[p]->symmetric] / t[FACTOR];
    printf("  %-14s %10.3f %10.3f %10.4f %10.1e %8.2f\n", peers[p]->name, 1e3 * t[ANALYSE], 1e3 * t[FACTOR],
           1e3 * t[SOLVE], rows[p].error, over);
    if (csv)
      fprintf(csv, "%s,%d,%d,%s,%.6g,%.6g,%.6g,%.3g\n", base_name(path), gram->A.columns, asp_sparse_entries(&gram->A),
              peers[p]->name, t[ANALYSE], t[FACTOR], t[SOLVE], rows[p].error);
    ratio[p] += log(over);
  }
  fflush(stdout);
}

static AspError measure_problem(AspContext *context, AspArena *arena, const char *path, double ratio[PEERS],
                                FILE *csv) {
  AspError error = ASP_OK;
  AspContactProblem problem;
  AspGram gram;
  AspSparse M;
  Row rows[PEERS] = {{{0}, 0}};
  double assembly[REPEATS];
  ASP_TRY(asp_fclib_read(context, path, NULL, &problem, NULL));
  asp_arena_reset(arena);
  if (problem.dofs == 0) {
    error = asp_fail(context, ASP_ERROR_INPUT, "no global form");
    goto done;
  }
  ASP_CHECK(symmetrise(arena, &problem.M, &M));
  ASP_CHECK(asp_gram_analyse(arena, &M, &problem.H, problem.blocks, problem.offset, &gram));
  double *D = ASP_TAKE(arena, double, 9 * (size_t)problem.blocks);
  for (int symmetric = 1; D && symmetric >= 0; symmetric--) {
    random_weights(&problem, symmetric, D);
    for (int r = 0; r < REPEATS; r++) {
      double start = seconds();
      asp_gram_compute(&gram, &M, D);
      assembly[r] = seconds() - start;
    }
    measure(&gram.A, symmetric, rows);
  }
  print_rows(path, &gram, median(assembly), rows, ratio, csv);
done:
  asp_problem_destroy(context, &problem);
  return error;
}

int main(int argc, char **argv) {
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  double ratio[PEERS] = {0};
  int count = 0, first = 1;
  FILE *csv = NULL;
  asp_arena_init(&arena, context);
  blas_single_thread();
  if (argc > 2 && strcmp(argv[1], "--csv") == 0) {
    csv = fopen(argv[2], "w");
    first = 3;
  }
  if (csv)
    fprintf(csv, "problem,n,entries,candidate,analyse_s,factor_s,solve_s,error\n");
  printf("own kernels: %s\n", asp_kernels()->name);
  for (int k = first; k < argc; k++) {
    if (measure_problem(context, &arena, argv[k], ratio, csv) == ASP_OK)
      count++;
    else
      fprintf(stderr, "%s: %s\n", argv[k], asp_context_message(context));
  }
  if (count > 0)
    printf("\nfactor time, ours over theirs, geometric mean of %d matrices\n", count);
  for (int p = 0; p < PEERS && count > 0; p++)
    printf("  %-14s %8.2f\n", peers[p]->name, exp(ratio[p] / count));
  if (csv)
    fclose(csv);
  asp_arena_free(&arena);
  asp_context_destroy(context);
  return count > 0 ? 0 : 2;
}
