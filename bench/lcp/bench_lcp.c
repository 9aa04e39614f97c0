/* Lemke on the LCPs of random piles (four friction directions), n about 100, 300, 1000: pivots, medians of interleaved
 * repeats, ratio to Siconos' lexicographic Lemke where it is installed. Writes a CSV file.
 *
 *   bench_lcp [OUTPUT.csv]
 */
#include "asperity/solver.h"
#include "contact_piles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef ASP_BENCH_SICONOS
#include "siconos_lemke.h"
#endif

#define PROBLEMS 5
#define REPEATS  11

typedef struct Timing {
  double ours[REPEATS], theirs[REPEATS];
  int pivots, their_pivots, their_info;
  AspLcpInfo info;
  double their_residual;
} Timing;

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values) {
  qsort(values, REPEATS, sizeof *values, compare);
  return values[REPEATS / 2];
}

static void require(AspContext *context, AspError error) {
  if (error == ASP_OK)
    return;
  fprintf(stderr, "bench_lcp: %s: %s\n", asp_error_text(error), asp_context_message(context));
  exit(1);
}

/* A pile of `contacts` contacts as a standard LCP. */
static AspLcp make_lcp(AspContext *context, int contacts, uint64_t seed) {
  AspRandom random = {seed};
  PileOptions options = {.contacts = contacts,
                         .width = contacts > 80   ? 4
                                  : contacts > 30 ? 3
                                                  : 2,
                         .cone = ASP_CONE_INSCRIBED,
                         .directions = 4,
                         .mu_low = 0.2,
                         .mu_high = 0.8,
                         .speed = 0.1,
                         .mass_ratio = 4};
  AspContactProblem problem;
  AspMixedLcp lcp;
  require(context, pile_create(context, &random, &options, &problem));
  require(context, asp_problem_reduce(context, &problem));
  require(context, asp_problem_polygon_lcp(context, &problem, true, &lcp));
  asp_problem_destroy(context, &problem);
  return (AspLcp){lcp.n, lcp.M, lcp.q};
}

static void measure(AspContext *context, const AspLcp *lcp, Timing *timing) {
  double *z = asp_allocate(context, (size_t)lcp->n, sizeof *z);
  AspLcpOptions options = asp_lcp_default_options();
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    double start = asp_clock_seconds();
    require(context, asp_lcp_lemke(context, lcp, &options, z, NULL, &timing->info));
    timing->ours[repeat] = asp_clock_seconds() - start;
#ifdef ASP_BENCH_SICONOS
    timing->their_info = siconos_lemke(lcp->n, lcp->M, lcp->q, z, &timing->theirs[repeat], &timing->their_pivots);
    timing->their_residual = asp_lcp_residual(lcp, z);
#endif
  }
  asp_release(context, z);
}

static void print_row(FILE *csv, int n, int problem, Timing *timing) {
  double ours = median(timing->ours);
  printf("%5d  %3d  %6d  %10.3f  %.1e  %-8s", n, problem, timing->info.iterations, 1e3 * ours, timing->info.residual,
         asp_status_text(timing->info.status));
  fprintf(csv, "%d,%d,%s,%d,%.6g,%.3g", n, problem, asp_status_text(timing->info.status), timing->info.iterations,
          1e3 * ours, timing->info.residual);
#ifdef ASP_BENCH_SICONOS
  double theirs = median(timing->theirs);
  printf("  %6d  %10.3f  %.1e  %4d  %8.2f", timing->their_pivots, 1e3 * theirs, timing->their_residual,
         timing->their_info, theirs / ours);
  fprintf(csv, ",%d,%d,%.6g,%.3g,%.3g", timing->their_info, timing->their_pivots, 1e3 * theirs, timing->their_residual,
          theirs / ours);
#endif
  printf("\n");
  fprintf(csv, "\n");
}

int main(int argc, char **argv) {
  FILE *csv = fopen(argc > 1 ? argv[1] : "lcp.csv", "w");
  AspContext *context = asp_context_create(NULL);
  if (!csv || !context) {
    fprintf(stderr, "bench_lcp: cannot write %s\n", argc > 1 ? argv[1] : "lcp.csv");
    return 1;
  }
  printf("    n  no.  pivots  median ms  residual status  ");
  fprintf(csv, "n,problem,status,pivots,median_ms,residual");
#ifdef ASP_BENCH_SICONOS
  printf("| Siconos: pivots  median ms  residual  info  ratio");
  fprintf(csv, ",siconos_info,siconos_pivots,siconos_median_ms,siconos_residual,ratio");
#endif
  printf("\n");
  fprintf(csv, "\n");
  const int contacts[] = {17, 50, 167};
  for (int size = 0; size < 3; size++)
    for (int problem = 0; problem < PROBLEMS; problem++) {
      Timing timing = {0};
      AspLcp lcp = make_lcp(context, contacts[size], (uint64_t)(1000 * size + problem));
      measure(context, &lcp, &timing);
      print_row(csv, lcp.n, problem, &timing);
      asp_lcp_destroy(context, &lcp);
    }
  asp_context_destroy(context);
  return fclose(csv) == 0 ? 0 : 1;
}
