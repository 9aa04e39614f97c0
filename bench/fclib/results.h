/* Rows of a benchmark, their CSV file, and what they say: fractions solved, false claims, ratios to the best peer. */
#ifndef BENCH_RESULTS_H
#define BENCH_RESULTS_H

#include "asperity/io.h"

#include <stdio.h>

#define NAME_LENGTH 128

typedef struct BenchProblem {
  char name[NAME_LENGTH]; /* file name, or family:size:seed */
  char family[NAME_LENGTH];
  bool global;
  int dimension, contacts, dofs;
} BenchProblem;

typedef struct BenchRow {
  int problem; /* index */
  char method[32];
  bool peer; /* of Siconos */
  double tolerance;
  double setup, solve; /* processor time, s */
  int iterations;
  size_t memory; /* most bytes in use at once; 0: not counted */
  char status[32];
  bool claims; /* the method says solved */
  bool solved; /* the judge says E1 <= tolerance, in time */
  AspResidual residual;
  char path[128];
} BenchRow;

typedef struct BenchResults {
  AspContext *context;
  BenchProblem *problem;
  int problems;
  BenchRow *row;
  int rows;
  size_t problem_capacity, row_capacity;
  double limit; /* s; what an unsolved problem counts */
} BenchResults;

/* Index of a problem by name, -1: not there. */
int results_find_problem(const BenchResults *results, const char *name);
/* The row of a peer, NULL: not there. */
const BenchRow *results_find(const BenchResults *results, const char *problem, const char *peer, double tolerance);
int results_add_problem(BenchResults *results, const BenchProblem *problem);
void results_add_row(BenchResults *results, const BenchRow *row);
void results_free(BenchResults *results);

void results_write_csv_header(FILE *file);
void results_write_csv_row(FILE *file, const BenchResults *results, const BenchRow *row);

/* For one tolerance: per method problems solved, false claims (neither E1 nor E2 within it), inflated reactions; for
 * each method of ours geometric means of (t + 1 ms)/(t_best + 1 ms) over the 3D problems by size, and where it loses.
 */
void results_print_summary(const BenchResults *results, double tolerance, FILE *out);

/* Performance profile of all methods on the 3D problems: table to `out`, drawing to `svg` (NULL: none). */
AspError results_profile(const BenchResults *results, double tolerance, const char *svg, FILE *out);

/* Peers' rows from a stored comparison (SICONOS_BASELINE.csv: file, ..., solver, tol, time_s, iter, status, E1, E2)
 * instead of runs: those whose file is among the problems, or `all`. Times there have no set-up. */
AspError baseline_read(BenchResults *results, const char *path, double tolerance, bool all);

#endif
