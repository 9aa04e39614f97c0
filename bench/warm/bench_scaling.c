/* Time of `auto` against the number of contacts on sphere packings drawn by seed (tests/support), and the exponent of
 * the power law through the measurements, for two tolerances. Processor time with set-up, cold start, one run each.
 *
 *   bench_scaling [FAMILY [FILE.csv]]     default: packing, bench/results/scaling.csv of the source tree
 */
#define _POSIX_C_SOURCE 200809L
#include "asperity/solver.h"
#include "base/base.h"
#include "bench_clock.h"
#include "problem_families.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const int sizes[] = {500, 1000, 2000, 5000, 10000, 20000, 50000};
#define SIZES ((int)(sizeof sizes / sizeof *sizes))
#define SEEDS 5

static void must(AspContext *context, AspError error) {
  if (error == ASP_OK)
    return;
  fprintf(stderr, "bench_scaling: %s\n", asp_context_message(context));
  exit(3);
}

static ProblemFamily family_of(const char *name) {
  for (int family = 0; family < FAMILY_COUNT; family++)
    if (strcmp(problem_family_name((ProblemFamily)family), name) == 0)
      return (ProblemFamily)family;
  fprintf(stderr, "bench_scaling: no family %s\n", name);
  exit(2);
}

/* One problem; returns the time, *contacts gets what was drawn. */
static double measure(ProblemFamily family, int size, int seed, double tolerance, double *contacts, FILE *csv) {
  AspContext *maker = asp_context_create(NULL), *context = asp_context_create(NULL);
  AspContactProblem problem;
  AspSolver *solver;
  AspSolverInfo info;
  AspSolverOptions options = asp_solver_default_options();
  if (!maker || !context)
    exit(3);
  options.max_time = 600;
  options.tolerance = tolerance;
  options.ask_E1 = true;
  must(maker, problem_family_make(maker, family, size, (uint64_t)seed, &problem));
  double *r = asp_allocate(maker, (size_t)problem.rows, sizeof *r);
  if (!r)
    exit(3);
  double began = processor_seconds();
  must(context, asp_solver_create(context, &options, &solver));
  must(context, asp_solver_solve(solver, &problem, r, NULL, NULL, &info));
  double spent = processor_seconds() - began;
  double memory = (double)asp_context_memory_peak(context) / (1 << 20);
  printf("%6d contacts %9.3f s %8.1f MiB  %-10s E1 %.1e E2 %.1e  %s\n", problem.blocks, spent, memory,
         asp_status_name(info.status), info.residual.E1, info.residual.E2, info.path);
  fprintf(csv, "%s,%d,%.0e,%d,%d,%.6g,%.1f,%s,%.3e,%.3e,\"%s\"\n", problem_family_name(family), seed, tolerance,
          problem.blocks, problem.dofs, spent, memory, asp_status_name(info.status), info.residual.E1, info.residual.E2,
          info.path);
  *contacts = problem.blocks;
  asp_solver_destroy(solver);
  asp_release(maker, r);
  asp_problem_destroy(maker, &problem);
  asp_context_destroy(context);
  asp_context_destroy(maker);
  return spent;
}

/* All sizes and seeds to one tolerance. */
static void measure_all(ProblemFamily family, double tolerance, FILE *csv) {
  double x = 0, y = 0, xx = 0, xy = 0, count = SIZES * SEEDS;
  for (int k = 0; k < SIZES; k++)
    for (int seed = 1; seed <= SEEDS; seed++) {
      double contacts, seconds = measure(family, sizes[k], seed, tolerance, &contacts, csv);
      x += log(contacts);
      y += log(seconds);
      xx += log(contacts) * log(contacts);
      xy += log(contacts) * log(seconds);
      fflush(NULL);
    }
  printf("tolerance %.0e: time grows as contacts^%.2f\n", tolerance, (count * xy - x * y) / (count * xx - x * x));
}

int main(int argc, char **argv) {
  ProblemFamily family = family_of(argc > 1 ? argv[1] : "packing");
  FILE *csv = fopen(argc > 2 ? argv[2] : BENCH_RESULTS_DIR "/scaling.csv", "w");
  if (!csv) {
    fprintf(stderr, "bench_scaling: the CSV file cannot be written\n");
    return 2;
  }
  fputs("family,seed,tolerance,contacts,dofs,seconds,peak_mib,status,E1,E2,path\n", csv);
  measure_all(family, 1e-8, csv);
  measure_all(family, 1e-4, csv);
  fclose(csv);
  return 0;
}
