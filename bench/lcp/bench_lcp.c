/* Lemke on contact LCPs (six families with four friction directions), n about 100, 300, 1000: pivots, medians of
 * interleaved repeats, and the ratio to Siconos' lexicographic Lemke where it is installed. An answer of theirs that
 * misses a residual of 1e-8 gets no ratio and is not repeated. Times are processor times of the calling thread, so that
 * other work on the machine counts for neither. Writes a CSV file.
 *
 *   bench_lcp [OUTPUT.csv]
 */
#define _POSIX_C_SOURCE 200809L
#include "asperity/solver.h"
#include "bench_clock.h"
#include "problem_families.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef ASP_BENCH_SICONOS
#include "siconos_lemke.h"
#else
static int siconos_lemke(int n, const double *M, const double *q, double *z, double *seconds, int *pivots) {
  (void)M, (void)q, (void)z;
  *seconds = *pivots = 0;
  return n >= 0 ? -1 : 0; // not there
}
#endif

#define SEEDS        3
#define REPEATS      7
#define SIZES        3
#define FAMILIES     6
#define THEIR_SOLVED 1e-8

typedef struct Timing {
  double ours[REPEATS], theirs[REPEATS];
  AspLcpInfo info;
  int their_pivots, their_info;
  double their_residual;
} Timing;

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return count > 0 ? values[count / 2] : NAN;
}

static void require(AspContext *context, AspError error) {
  if (error == ASP_OK)
    return;
  fprintf(stderr, "bench_lcp: %s: %s\n", asp_error_name(error), asp_context_message(context));
  exit(1);
}

/* A problem of the family with `contacts` contacts as a standard LCP. */
static AspLcp make_lcp(AspContext *context, ProblemFamily family, int contacts, uint64_t seed) {
  AspContactProblem problem;
  AspMixedLcp lcp;
  require(context, problem_family_make(context, family, contacts, seed, &problem));
  for (int i = 0; i < problem.blocks; i++) {
    problem.law[i].cone = ASP_CONE_INSCRIBED;
    problem.law[i].directions = 4;
  }
  require(context, asp_problem_reduce(context, &problem));
  require(context, asp_problem_polygon_lcp(context, &problem, true, &lcp));
  asp_problem_destroy(context, &problem);
  return (AspLcp){lcp.n, lcp.M, lcp.q};
}

/* The largest problem of the family with at most about n unknowns (families come in layers). */
static AspLcp make_lcp_of_size(AspContext *context, ProblemFamily family, int n, uint64_t seed) {
  AspLcp lcp = {0};
  for (int contacts = n / 6; contacts > 0; contacts -= 1 + contacts / 20) {
    lcp = make_lcp(context, family, contacts, seed);
    if (lcp.n <= n + n / 20)
      break;
    asp_lcp_destroy(context, &lcp);
  }
  return lcp;
}

static void measure(AspContext *context, const AspLcp *lcp, Timing *timing) {
  double *z = asp_allocate(context, (size_t)lcp->n, sizeof *z);
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    double start = processor_seconds();
    require(context, asp_lcp_lemke(context, lcp, NULL, z, NULL, &timing->info));
    timing->ours[repeat] = processor_seconds() - start;
    if (repeat > 0 && !(timing->their_residual <= THEIR_SOLVED))
      continue;
    timing->their_info = siconos_lemke(lcp->n, lcp->M, lcp->q, z, &timing->theirs[repeat], &timing->their_pivots);
    timing->their_residual = timing->their_info == 0 ? asp_lcp_residual(lcp, z) : INFINITY;
  }
  asp_release(context, z);
}

/* One line on the screen and in the file; returns the ratio, NaN when they have no solution. */
static double print_row(FILE *csv, int n, const char *family, int seed, Timing *timing) {
  bool solved = timing->their_residual <= THEIR_SOLVED;
  double ours = median(timing->ours, REPEATS), theirs = solved ? median(timing->theirs, REPEATS) : timing->theirs[0];
  double ratio = solved ? theirs / ours : NAN;
  printf("%5d  %-13s %d  %-8s %5d %10.3f  %.1e | %4d %6d %10.3f  %7.1e  %6.2f\n", n, family, seed,
         asp_status_name(timing->info.status), timing->info.iterations, 1e3 * ours, timing->info.residual,
         timing->their_info, timing->their_pivots, 1e3 * theirs, timing->their_residual, ratio);
  fflush(stdout);
  fprintf(csv, "%d,%s,%d,%s,%d,%.6g,%.3g,%d,%d,%.6g,%.3g,%.4g\n", n, family, seed, asp_status_name(timing->info.status),
          timing->info.iterations, 1e3 * ours, timing->info.residual, timing->their_info, timing->their_pivots,
          1e3 * theirs, timing->their_residual, ratio);
  return ratio;
}

static void run_size(AspContext *context, FILE *csv, int wanted) {
  const ProblemFamily family[FAMILIES] = {FAMILY_PACKING, FAMILY_TOWER,         FAMILY_WALL,
                                          FAMILY_CHAIN,   FAMILY_MIXED_PACKING, FAMILY_DENSE};
  double ratios[FAMILIES * SEEDS];
  int counted = 0, smallest_n = 0, n = 0;
  for (int f = 0; f < FAMILIES; f++)
    for (int seed = 0; seed < SEEDS; seed++) {
      Timing timing = {0};
      AspLcp lcp = make_lcp_of_size(context, family[f], wanted, (uint64_t)seed);
      measure(context, &lcp, &timing);
      double ratio = print_row(csv, lcp.n, problem_family_name(family[f]), seed, &timing);
      if (!isnan(ratio))
        ratios[counted++] = ratio;
      smallest_n = smallest_n == 0 || lcp.n < smallest_n ? lcp.n : smallest_n;
      n = lcp.n > n ? lcp.n : n;
      asp_lcp_destroy(context, &lcp);
    }
  printf("n = %d to %d: median ratio %.2f over the %d of %d problems that both solve\n\n", smallest_n, n,
         median(ratios, counted), counted, FAMILIES * SEEDS);
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "lcp.csv";
  const int wanted[SIZES] = {100, 300, 1000};
  FILE *csv = fopen(path, "w");
  AspContext *context = asp_context_create(NULL);
  if (!csv || !context) {
    fprintf(stderr, "bench_lcp: cannot write %s\n", path);
    return 1;
  }
  printf("    n  problem          status pivots  median ms  residual | Siconos: info pivots ms residual ratio\n");
  fprintf(csv, "n,family,seed,status,pivots,median_ms,residual,siconos_info,siconos_pivots,siconos_median_ms,"
               "siconos_residual,ratio\n");
  for (int size = 0; size < SIZES; size++)
    run_size(context, csv, wanted[size]);
  asp_context_destroy(context);
  return fclose(csv) == 0 ? 0 : 1;
}
