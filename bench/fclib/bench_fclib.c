/* Our methods over FCLIB problems, interleaved with Siconos' in one run: every solve in its own child process, one
 * thread, processor time, cold start, set-up included, a limit of 10 s, judged by our judge. Methods of Siconos that
 * take W pay for the condensation to it, made by our code.
 *
 *   bench_fclib [options] SOURCE...      SOURCE: folder, file, or family:NAME:SIZE:SEED (tests/support)
 */
#define _DEFAULT_SOURCE // scandir
#include "asperity/io.h"
#include "base/base.h"
#include "bench_clock.h"
#include "blas_threads.h"
#include "child_run.h"
#include "problem_families.h"
#include "results.h"
#include "siconos_peer.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#define MAX_TOLERANCES 8
#define MAX_SOURCES    4096

typedef struct Bench {
  AspContext *context;
  AspJudge *judge;
  BenchResults results;
  FILE *csv;
  double tolerance[MAX_TOLERANCES];
  int tolerances;
  const char *methods, *peers; /* lists of names; NULL: all */
  bool run_peers;
  BenchResults stored; /* of the peers: what failed there is not run again */
  const char *match;
  int least, most; /* contacts */
  int repeats;
  char *source[MAX_SOURCES];
  int sources;
} Bench;

static void fail(const char *message) {
  fprintf(stderr, "bench_fclib: %s\n", message);
  exit(2);
}

static void must(const Bench *bench, AspError error) {
  if (error != ASP_OK)
    fail(asp_context_message(bench->context));
}

/* True when `name` is an element of the comma-separated list; NULL holds everything. */
static bool listed(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
      return true;
  return list == NULL;
}

/* ---- one run ---- */

typedef struct OwnRun {
  const Bench *bench;
  const AspContactProblem *problem;
  AspMethod method;
  double tolerance;
} OwnRun;

static void run_own(void *user, double *r, RunOutcome *outcome) {
  const OwnRun *run = user;
  AspContext *context = asp_context_create(NULL); // its own: memory is counted
  AspSolverOptions options = asp_solver_default_options();
  AspSolverInfo info = {0};
  AspSolver *solver = NULL;
  options.method = run->method;
  options.tolerance = run->tolerance;
  options.ask_E1 = true;
  options.max_time = 3 * run->bench->results.limit; // by the clock on the wall
  double start = processor_seconds();
  AspError error = asp_solver_create(context, &options, &solver);
  if (error == ASP_OK)
    error = asp_solver_solve(solver, run->problem, r, NULL, NULL, &info);
  double total = processor_seconds() - start;
  asp_solver_destroy(solver);
  outcome->setup = error == ASP_OK ? fmin(info.setup_time, total) : 0;
  outcome->solve = total - outcome->setup;
  outcome->claims = error == ASP_OK && info.status == ASP_STATUS_SOLVED;
  outcome->iterations = info.iterations;
  snprintf(outcome->status, sizeof outcome->status, "%s",
           error == ASP_OK ? asp_status_name(info.status) : asp_error_name(error));
  snprintf(outcome->path, sizeof outcome->path, "%s", error == ASP_OK ? info.path : asp_context_message(context));
  outcome->memory = asp_context_memory_peak(context);
  asp_context_destroy(context);
}

typedef struct PeerRun {
  const AspContactProblem *problem;
  int method;
  double tolerance, condensation; /* s, what W = H^T M^-1 H took */
} PeerRun;

static void run_peer(void *user, double *r, RunOutcome *outcome) {
  const PeerRun *run = user;
  siconos_solve(run->method, run->problem, run->tolerance, r, outcome);
  outcome->setup += run->condensation;
}

/* Run, judge, keep and print. */
static void measure(Bench *bench, int problem, int rows, const RunTask *task, const char *method, bool peer,
                    double tolerance, double *r) {
  RunOutcome outcome;
  BenchRow row = {.problem = problem, .peer = peer, .tolerance = tolerance};
  run_in_child(task, rows, bench->results.limit, bench->repeats, r, &outcome);
  bool finite = true;
  for (int i = 0; i < rows; i++)
    finite = finite && isfinite(r[i]);
  if (finite)
    must(bench, asp_judge_residual(bench->judge, r, &row.residual, NULL, NULL));
  else
    row.residual.E1 = row.residual.E2 = row.residual.E3 = row.residual.norm_r = INFINITY;
  row.setup = outcome.setup;
  row.solve = outcome.finished ? outcome.solve : bench->results.limit;
  row.iterations = outcome.iterations;
  row.memory = outcome.memory;
  row.claims = outcome.finished && outcome.claims;
  row.solved = outcome.finished && row.residual.E1 <= tolerance && row.setup + row.solve <= bench->results.limit;
  snprintf(row.method, sizeof row.method, "%s", method);
  snprintf(row.status, sizeof row.status, "%s", outcome.status);
  snprintf(row.path, sizeof row.path, "%s", outcome.path);
  results_add_row(&bench->results, &row);
  results_write_csv_row(bench->csv, &bench->results, &row);
  fflush(bench->csv);
  printf("  %-8s %-12s %10.4f + %8.4f s %-16s E1 %9.2e E2 %9.2e %s\n", peer ? "siconos" : "", row.method, row.setup,
         row.solve, row.status, row.residual.E1, row.residual.E2, row.solved ? row.path : "NOT SOLVED");
  fflush(stdout);
}

/* A peer that failed in a stored comparison is not run again: its row says so and counts as unsolved. */
static bool skip_peer(Bench *bench, int problem, const char *method, double tolerance) {
  const BenchRow *stored = results_find(&bench->stored, bench->results.problem[problem].name, method, tolerance);
  if (!stored || stored->solved)
    return false;
  BenchRow row = *stored;
  row.problem = problem;
  row.claims = false;
  snprintf(row.status, sizeof row.status, "skipped: %.18s", stored->status);
  results_add_row(&bench->results, &row);
  results_write_csv_row(bench->csv, &bench->results, &row);
  printf("  siconos  %-12s %s\n", method, row.status);
  return true;
}

/* ---- one problem ---- */

static bool plain_contacts(const AspContactProblem *problem) {
  for (int b = 0; b < problem->blocks; b++)
    if (problem->law[b].kind != ASP_LAW_COULOMB || problem->law[b].cone != ASP_CONE_EXACT)
      return false;
  return problem->dimension == 3;
}

/* The local form for the peers, and what it takes to make it: best of up to three. */
static double condense(const Bench *bench, const AspContactProblem *problem, AspContactProblem *local) {
  double best = 0;
  must(bench, asp_problem_copy(bench->context, problem, local));
  for (int k = 0; problem->dofs && k < bench->repeats; k++) {
    if (k > 0) {
      asp_problem_destroy(bench->context, local);
      must(bench, asp_problem_copy(bench->context, problem, local));
    }
    double start = processor_seconds();
    must(bench, asp_problem_reduce(bench->context, local));
    double spent = processor_seconds() - start;
    best = k == 0 ? spent : fmin(best, spent);
    if (spent > 0.1)
      break;
  }
  return best;
}

static void bench_problem(Bench *bench, const AspContactProblem *problem, const char *name, const char *family) {
  BenchProblem entry = {.global = problem->dofs > 0, .dimension = problem->dimension, .dofs = problem->dofs};
  for (int b = 0; b < problem->blocks; b++)
    entry.contacts += problem->law[b].kind != ASP_LAW_EQUALITY;
  if (entry.contacts < bench->least || entry.contacts > bench->most)
    return;
  snprintf(entry.name, sizeof entry.name, "%s", name);
  snprintf(entry.family, sizeof entry.family, "%s", family);
  int index = results_add_problem(&bench->results, &entry);
  bool peers = bench->run_peers && siconos_count() > 0 && plain_contacts(problem);
  AspContactProblem local = {0};
  double condensation = peers ? condense(bench, problem, &local) : 0;
  double *r = asp_allocate(bench->context, (size_t)problem->rows, sizeof *r);
  if (!r)
    fail("out of memory");
  must(bench, asp_judge_reset(bench->judge, problem));
  printf("%s: %d contacts, %d dofs\n", name, entry.contacts, entry.dofs);
  for (int t = 0; t < bench->tolerances; t++) {
    int ours = ASP_METHOD_COUNT, theirs = peers ? siconos_count() : 0;
    for (int k = 0; k < (ours > theirs ? ours : theirs); k++) { // in turns, so that both meet the same machine
      if (k < ours && listed(bench->methods, asp_method_name((AspMethod)k))) {
        OwnRun run = {bench, problem, (AspMethod)k, bench->tolerance[t]};
        measure(bench, index, problem->rows, &(RunTask){run_own, &run}, asp_method_name((AspMethod)k), false,
                bench->tolerance[t], r);
      }
      bool global = k < theirs && siconos_is_global(k);
      if (k < theirs && listed(bench->peers, siconos_name(k)) && (problem->dofs || !global)) {
        PeerRun run = {global ? problem : &local, k, bench->tolerance[t], global ? 0 : condensation};
        if (skip_peer(bench, index, siconos_name(k), bench->tolerance[t]))
          continue;
        measure(bench, index, problem->rows, &(RunTask){run_peer, &run}, siconos_name(k), true, bench->tolerance[t], r);
      }
    }
  }
  asp_release(bench->context, r);
  asp_problem_destroy(bench->context, &local);
}

/* ---- sources ---- */

static void bench_file(Bench *bench, const char *path) {
  AspContactProblem problem;
  const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *first = strchr(name, '_'),
             *last = strstr(name, "_nc");
  char family[NAME_LENGTH] = "";
  if (bench->match && !strstr(name, bench->match))
    return;
  if (first && last && last > first)
    snprintf(family, sizeof family, "%.*s", (int)(last - first - 1), first + 1);
  must(bench, asp_fclib_read(bench->context, path, NULL, &problem, NULL));
  bench_problem(bench, &problem, name, family);
  asp_problem_destroy(bench->context, &problem);
}

static void bench_family(Bench *bench, const char *source) {
  char name[NAME_LENGTH];
  int size = 0;
  unsigned long long seed = 0;
  if (sscanf(source, "family:%63[^:]:%d:%llu", name, &size, &seed) != 3)
    fail("a family is given as family:NAME:SIZE:SEED");
  for (int family = 0; family < FAMILY_COUNT; family++)
    if (strcmp(problem_family_name((ProblemFamily)family), name) == 0) {
      AspContactProblem problem;
      must(bench, problem_family_make(bench->context, (ProblemFamily)family, size, seed, &problem));
      bench_problem(bench, &problem, source + strlen("family:"), name);
      asp_problem_destroy(bench->context, &problem);
      return;
    }
  fail("no such family");
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }
static int is_hdf5(const struct dirent *entry) { return strstr(entry->d_name, ".hdf5") != NULL; }

static void bench_source(Bench *bench, const char *source) {
  struct stat status;
  struct dirent **entry = NULL;
  if (strncmp(source, "family:", 7) == 0) {
    bench_family(bench, source);
    return;
  }
  if (stat(source, &status) != 0)
    fail("no such file or folder");
  if (!S_ISDIR(status.st_mode)) {
    bench_file(bench, source);
    return;
  }
  int count = scandir(source, &entry, is_hdf5, by_name);
  for (int k = 0; k < count; k++) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", source, entry[k]->d_name);
    bench_file(bench, path);
    free(entry[k]);
  }
  free(entry);
}

/* ---- command line ---- */

static const char usage[] =
    "usage: bench_fclib [options] SOURCE...\n"
    "  SOURCE               folder or file of FCLIB problems, or family:NAME:SIZE:SEED\n"
    "  --methods LIST       of ours, by name (default: all)\n"
    "  --peers LIST         of Siconos, by name (default: all); --peers none\n"
    "  --baseline FILE      stored results of the peers instead of running them\n"
    "  --skip-failed FILE   peers are not run where these stored results say that they failed\n"
    "  --tol LIST           tolerances on E1 (default 1e-8)\n"
    "  --limit SECONDS      for each solve (default 10)\n"
    "  --repeat N           short solves are repeated, the fastest counts (default 3)\n"
    "  --match TEXT, --least N, --most N   only problems whose name has TEXT, with N contacts and more, or at most N\n"
    "  --csv FILE, --svg FILE              (default bench/results/fclib.csv of the source tree, no drawing)\n"
    "  example: bench_fclib --methods auto --svg profile.svg FOLDER_OF_FCLIB_FILES\n";

typedef struct Outputs {
  const char *csv, *svg, *baseline, *skip_failed;
} Outputs;

static void parse_tolerances(Bench *bench, const char *text) {
  bench->tolerances = 0;
  for (char *end; *text && bench->tolerances < MAX_TOLERANCES; text = *end ? end + 1 : end) {
    bench->tolerance[bench->tolerances++] = strtod(text, &end);
    if (end == text)
      fail("--tol needs numbers");
  }
}

static void parse(Bench *bench, Outputs *outputs, int argc, char **argv) {
  for (int k = 1; k < argc; k++) {
    const char *flag = argv[k];
    if (strncmp(flag, "--", 2) != 0) {
      if (bench->sources == MAX_SOURCES)
        fail("too many sources");
      bench->source[bench->sources++] = argv[k];
      continue;
    }
    const char *value = ++k < argc ? argv[k] : NULL;
    if (!value || strcmp(flag, "--help") == 0) {
      fputs(usage, stderr);
      exit(strcmp(flag, "--help") == 0 ? 0 : 2);
    }
    if (strcmp(flag, "--methods") == 0)
      bench->methods = value;
    else if (strcmp(flag, "--peers") == 0)
      bench->peers = value;
    else if (strcmp(flag, "--baseline") == 0)
      outputs->baseline = value;
    else if (strcmp(flag, "--skip-failed") == 0)
      outputs->skip_failed = value;
    else if (strcmp(flag, "--tol") == 0)
      parse_tolerances(bench, value);
    else if (strcmp(flag, "--limit") == 0)
      bench->results.limit = strtod(value, NULL);
    else if (strcmp(flag, "--repeat") == 0)
      bench->repeats = (int)strtol(value, NULL, 10);
    else if (strcmp(flag, "--match") == 0)
      bench->match = value;
    else if (strcmp(flag, "--least") == 0)
      bench->least = (int)strtol(value, NULL, 10);
    else if (strcmp(flag, "--most") == 0)
      bench->most = (int)strtol(value, NULL, 10);
    else if (strcmp(flag, "--csv") == 0)
      outputs->csv = value;
    else if (strcmp(flag, "--svg") == 0)
      outputs->svg = value;
    else
      fail("unknown option; see --help");
  }
  if (bench->sources == 0) {
    fputs(usage, stderr);
    exit(2);
  }
}

int main(int argc, char **argv) {
  static Bench bench = {.tolerance = {1e-8}, .tolerances = 1, .most = 1 << 30, .repeats = 3, .results = {.limit = 10}};
  Outputs outputs = {.csv = BENCH_RESULTS_DIR "/fclib.csv"};
  parse(&bench, &outputs, argc, argv);
  blas_single_thread();
  bench.context = bench.results.context = bench.stored.context = asp_context_create(NULL);
  bench.stored.limit = bench.results.limit;
  bench.run_peers = !outputs.baseline;
  bench.csv = fopen(outputs.csv, "w");
  if (!bench.context || !bench.csv)
    fail("the CSV file cannot be created");
  must(&bench, asp_judge_create(bench.context, &bench.judge));
  for (int t = 0; outputs.skip_failed && t < bench.tolerances; t++)
    must(&bench, baseline_read(&bench.stored, outputs.skip_failed, bench.tolerance[t], true));
  results_write_csv_header(bench.csv);
  for (int k = 0; k < bench.sources; k++)
    bench_source(&bench, bench.source[k]);
  for (int t = 0; t < bench.tolerances; t++) {
    if (outputs.baseline)
      must(&bench, baseline_read(&bench.results, outputs.baseline, bench.tolerance[t], false));
    results_print_summary(&bench.results, bench.tolerance[t], stdout);
    must(&bench, results_profile(&bench.results, bench.tolerance[t], t == 0 ? outputs.svg : NULL, stdout));
  }
  fclose(bench.csv);
  asp_judge_destroy(bench.judge);
  results_free(&bench.results);
  results_free(&bench.stored);
  asp_context_destroy(bench.context);
  return 0;
}
