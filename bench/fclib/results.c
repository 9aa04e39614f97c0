/* Rows of a benchmark and what they say (see results.h). */
#include "results.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>

#define SMALL_TIME 1e-3 /* s, added to both sides of a ratio */

static void must(const BenchResults *results, AspError error) {
  if (error == ASP_OK)
    return;
  fprintf(stderr, "bench_fclib: %s\n", asp_context_message(results->context));
  exit(3);
}

int results_add_problem(BenchResults *results, const BenchProblem *problem) {
  must(results, asp_grow(results->context, (void **)&results->problem, &results->problem_capacity,
                         (size_t)results->problems + 1, sizeof *problem));
  results->problem[results->problems] = *problem;
  return results->problems++;
}

void results_add_row(BenchResults *results, const BenchRow *row) {
  must(results, asp_grow(results->context, (void **)&results->row, &results->row_capacity, (size_t)results->rows + 1,
                         sizeof *row));
  results->row[results->rows++] = *row;
}

void results_free(BenchResults *results) {
  asp_release(results->context, results->problem);
  asp_release(results->context, results->row);
}

/* ---- CSV ---- */

void results_write_csv_header(FILE *file) {
  fputs("file,family,kind,dimension,contacts,dofs,solver,tol,setup_s,solve_s,total_s,iterations,status,E1,E2,E3,norm_r,"
        "solved,memory_bytes,path\n",
        file);
}

void results_write_csv_row(FILE *file, const BenchResults *results, const BenchRow *row) {
  const BenchProblem *problem = &results->problem[row->problem];
  fprintf(file, "%s,%s,%s,%d,%d,%d,%s%s,%g,%.6g,%.6g,%.6g,%d,%s,%.3e,%.3e,%.3e,%.6g,%d,%zu,\"%s\"\n", problem->name,
          problem->family, problem->global ? "global" : "local", problem->dimension, problem->contacts, problem->dofs,
          row->peer ? "siconos:" : "", row->method, row->tolerance, row->setup, row->solve, row->setup + row->solve,
          row->iterations, row->status, row->residual.E1, row->residual.E2, row->residual.E3, row->residual.norm_r,
          row->solved, row->memory, row->path);
}

/* ---- looking things up ---- */

static bool same_method(const BenchRow *a, const BenchRow *b) {
  return a->peer == b->peer && strcmp(a->method, b->method) == 0;
}

/* True for the first row of its method at this tolerance: what the loops over methods go by. */
static bool first_of_method(const BenchResults *results, int row, double tolerance) {
  if (results->row[row].tolerance != tolerance)
    return false;
  for (int k = 0; k < row; k++)
    if (results->row[k].tolerance == tolerance && same_method(&results->row[k], &results->row[row]))
      return false;
  return true;
}

int results_find_problem(const BenchResults *results, const char *name) {
  for (int p = 0; p < results->problems; p++)
    if (strcmp(results->problem[p].name, name) == 0)
      return p;
  return -1;
}

const BenchRow *results_find(const BenchResults *results, const char *problem, const char *peer, double tolerance) {
  int p = results_find_problem(results, problem);
  for (int k = 0; k < results->rows; k++) {
    const BenchRow *row = &results->row[k];
    if (row->peer && row->problem == p && row->tolerance == tolerance && strcmp(row->method, peer) == 0)
      return row;
  }
  return NULL;
}

static const BenchRow *find_row(const BenchResults *results, const BenchRow *method, int problem) {
  for (int k = 0; k < results->rows; k++)
    if (results->row[k].problem == problem && results->row[k].tolerance == method->tolerance &&
        same_method(&results->row[k], method))
      return &results->row[k];
  return NULL;
}

static double counted_time(const BenchResults *results, const BenchRow *row) {
  return row && row->solved ? fmin(row->setup + row->solve, results->limit) : results->limit;
}

/* Best peer on a problem; *name (may be NULL) gets its name or "-". */
static double best_peer(const BenchResults *results, int problem, double tolerance, const char **name) {
  double best = results->limit;
  if (name)
    *name = "-";
  for (int k = 0; k < results->rows; k++) {
    const BenchRow *row = &results->row[k];
    if (!row->peer || row->problem != problem || row->tolerance != tolerance || !row->solved)
      continue;
    if (counted_time(results, row) < best) {
      best = counted_time(results, row);
      if (name)
        *name = row->method;
    }
  }
  return best;
}

/* A ratio to the best peer makes sense: the problem is 3D, the method ran on it, and so did a peer. */
static bool comparable(const BenchResults *results, const BenchRow *method, int problem) {
  bool peer_ran = false;
  for (int k = 0; k < results->rows && !peer_ran; k++)
    peer_ran =
        results->row[k].peer && results->row[k].problem == problem && results->row[k].tolerance == method->tolerance;
  return peer_ran && results->problem[problem].dimension == 3 && find_row(results, method, problem);
}

static double ratio_to_best(const BenchResults *results, const BenchRow *method, int problem) {
  return (counted_time(results, find_row(results, method, problem)) + SMALL_TIME) /
         (best_peer(results, problem, method->tolerance, NULL) + SMALL_TIME);
}

static double smallest_reaction(const BenchResults *results, int problem) {
  double smallest = INFINITY;
  for (int k = 0; k < results->rows; k++)
    if (results->row[k].problem == problem && results->row[k].solved)
      smallest = fmin(smallest, results->row[k].residual.norm_r);
  return smallest;
}

/* ---- summary ---- */

static void print_method(const BenchResults *results, const BenchRow *method, FILE *out) {
  int runs = 0, solved = 0, false_claims = 0, inflated = 0, loose = 0;
  double slowest = 0;
  for (int k = 0; k < results->rows; k++) {
    const BenchRow *row = &results->row[k];
    if (row->tolerance != method->tolerance || !same_method(row, method))
      continue;
    runs++;
    solved += row->solved;
    false_claims += row->claims && !(row->residual.E1 <= row->tolerance) && !(row->residual.E2 <= row->tolerance);
    loose += row->solved && row->residual.E2 > 100 * row->tolerance;
    inflated += row->solved && row->residual.E3 > 100 * row->tolerance &&
                row->residual.norm_r > 10 * smallest_reaction(results, row->problem);
    slowest = fmax(slowest, row->solved ? row->setup + row->solve : 0);
  }
  fprintf(out, "%-8s %-12s %4d/%-4d (%.3f) %12d %12d %12d %12.3f\n", method->peer ? "siconos" : "asperity",
          method->method, solved, runs, (double)solved / runs, false_claims, loose, inflated, slowest);
}

/* Geometric mean of the ratios over the 3D problems with at least `contacts` contacts; *count gets how many. */
static double mean_ratio(const BenchResults *results, const BenchRow *method, int contacts, int *count) {
  double sum = 0;
  *count = 0;
  for (int p = 0; p < results->problems; p++)
    if (results->problem[p].contacts >= contacts && comparable(results, method, p)) {
      sum += log(ratio_to_best(results, method, p));
      ++*count;
    }
  return *count ? exp(sum / *count) : NAN;
}

static void print_ratios(const BenchResults *results, const BenchRow *method, FILE *out) {
  static const int sizes[] = {0, 50, 300};
  fprintf(out, "%-12s", method->method);
  for (int k = 0; k < 3; k++) {
    int count = 0;
    double mean = mean_ratio(results, method, sizes[k], &count);
    fprintf(out, "  %8.3f (%3d)", mean, count);
  }
  double worst = 0;
  const char *where = "-";
  for (int p = 0; p < results->problems; p++)
    if (comparable(results, method, p) && ratio_to_best(results, method, p) > worst) {
      worst = ratio_to_best(results, method, p);
      where = results->problem[p].name;
    }
  fprintf(out, "  %8.3f %s\n", worst, where);
}

/* Where a method is slower than `factor` times the best peer plus 1 ms, or does not solve what a peer solves. */
static void print_losses(const BenchResults *results, const BenchRow *method, double factor, FILE *out) {
  for (int p = 0; p < results->problems; p++) {
    if (!comparable(results, method, p))
      continue;
    const BenchRow *row = find_row(results, method, p);
    const char *peer;
    double best = best_peer(results, p, method->tolerance, &peer), own = counted_time(results, row);
    if (best < results->limit && own > factor * best + SMALL_TIME)
      fprintf(out, "  %-12s %-55s %10.4f s (%s) against %10.4f s (%s)\n", method->method, results->problem[p].name, own,
              row->status, best, peer);
  }
}

/* What each method of ours takes for the problem with the most contacts. */
static void print_memory(const BenchResults *results, double tolerance, FILE *out) {
  int largest = 0;
  for (int p = 1; p < results->problems; p++)
    if (results->problem[p].contacts > results->problem[largest].contacts)
      largest = p;
  for (int k = 0; k < results->rows; k++) {
    const BenchRow *row = &results->row[k];
    if (!row->peer && row->problem == largest && row->tolerance == tolerance)
      fprintf(out, "peak memory of %s on the largest problem, %s: %.1f MiB (the problem itself not counted)\n",
              row->method, results->problem[largest].name, (double)row->memory / (1 << 20));
  }
}

void results_print_summary(const BenchResults *results, double tolerance, FILE *out) {
  bool peers = false;
  fprintf(out, "\nE1 <= %g within %g s of processor time, one thread, cold start, set-up included\n", tolerance,
          results->limit);
  fprintf(out, "%-21s %-17s %12s %12s %12s %12s\n", "method", "solved", "false claims", "E2 > 100 tol", "inflated r",
          "slowest, s");
  for (int k = 0; k < results->rows; k++) {
    if (first_of_method(results, k, tolerance))
      print_method(results, &results->row[k], out);
    peers = peers || (results->row[k].peer && results->row[k].tolerance == tolerance);
  }
  print_memory(results, tolerance, out);
  if (!peers)
    return;
  fprintf(
      out,
      "\ngeometric mean of (t + 1 ms)/(t of the best Siconos method + 1 ms), 3D problems, unsolved counted as %g s\n",
      results->limit);
  fprintf(out, "%-12s  %14s  %14s  %14s  %s\n", "method", "all", ">= 50 contacts", ">= 300", "worst single ratio");
  for (int k = 0; k < results->rows; k++)
    if (first_of_method(results, k, tolerance) && !results->row[k].peer)
      print_ratios(results, &results->row[k], out);
  for (int factor = 3; factor > 0; factor -= 2) {
    fprintf(out, "\nslower than %d x the best Siconos method + 1 ms:\n", factor);
    for (int k = 0; k < results->rows; k++)
      if (first_of_method(results, k, tolerance) && !results->row[k].peer)
        print_losses(results, &results->row[k], factor, out);
  }
}

/* ---- profile ---- */

static void print_line(void *user, const char *line) { fprintf(user, "%s\n", line); }

AspError results_profile(const BenchResults *results, double tolerance, const char *svg, FILE *out) {
  AspContext *context = results->context;
  int methods = 0, problems = 0;
  size_t rows = (size_t)results->rows;
  const char **name = asp_allocate(context, rows, sizeof *name);
  char(*label)[48] = asp_allocate(context, rows, sizeof *label);
  double *time = asp_allocate(context, rows * (size_t)results->problems, sizeof *time);
  AspError error = name && label && time ? ASP_OK : ASP_ERROR_MEMORY;
  for (int p = 0; p < results->problems; p++)
    problems += results->problem[p].dimension == 3;
  for (int k = 0; error == ASP_OK && k < results->rows; k++) {
    const BenchRow *method = &results->row[k];
    if (!first_of_method(results, k, tolerance))
      continue;
    snprintf(label[methods], sizeof *label, "%s%s", method->peer ? "siconos:" : "", method->method);
    name[methods] = label[methods];
    double *column = time + (size_t)methods++ * (size_t)problems;
    for (int p = 0; p < results->problems; p++) {
      const BenchRow *row = find_row(results, method, p);
      if (results->problem[p].dimension == 3)
        *column++ = row && row->solved ? row->setup + row->solve : INFINITY;
    }
  }
  AspProfile profile = {.methods = methods, .problems = problems, .name = name, .time = time, .shift = SMALL_TIME};
  if (error == ASP_OK) {
    fprintf(out, "\nperformance profile, 3D problems, E1 <= %g: fraction within a multiple of the best time (+ 1 ms)\n",
            tolerance);
    asp_profile_print(&profile, print_line, out);
    if (svg)
      error = asp_profile_write_svg(context, svg, "FCLIB problems, set-up included", &profile);
  }
  asp_release(context, time);
  asp_release(context, label);
  asp_release(context, name);
  return error;
}
