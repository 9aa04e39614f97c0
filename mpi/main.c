/* asperity-mpi: scenes, and single contact problems, on several processes. Rank 0 prints; exit codes as those of
 * asperity. */
#define _POSIX_C_SOURCE 200809L
#include "run.h"
#include "solve.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_DONE, EXIT_MISSED, EXIT_INPUT };

static const char usage[] =
    "usage: mpirun -n RANKS asperity-mpi run [options] SCENE.json\n"
    "       mpirun -n RANKS asperity-mpi solve [options] PROBLEM.hdf5\n"
    "\n"
    "run: simulates a scene as asperity run does, with the same options (asperity-mpi run --help) and the same bits "
    "in\n"
    "states, certificates and result, which rank 0 writes. Every rank reads the scene and holds all of it; the sweeps "
    "of\n"
    "large contact problems are shared. A run of one number of ranks goes on with another one, or with asperity\n"
    "(--resume). Refused: step_budget, since wall clock time is another one on every rank.\n"
    "\n"
    "solve: one contact problem in cells.\n"
    "Solves the frictional contact problem of an FCLIB file (global form, contacts of rigid bodies in space) by\n"
    "Gauss-Seidel in cells; answer, certificate and hash do not depend on the number of ranks. Every rank reads the "
    "file.\n"
    "\n"
    "  --cell-bodies N     bodies of a cell, about (default 1000); recorded input: it changes the sweeps, not the "
    "problem\n"
    "  --tol E             largest residual E2 that counts as solved (default 1e-6)\n"
    "  --max-sweeps N      stop after this many sweeps (default 2000)\n"
    "  --save FILE         write problem and answer to this file\n"
    "  --json              report as JSON\n"
    "  --help\n"
    "\n"
    "Exit codes: 0 solved, 1 the answer misses the tolerance, 2 bad input, 3 internal failure.\n";

/* What a run of the program was asked for. */
typedef struct Request {
  SolveRequest solve;
  bool json, help;
  char mistake[256]; /* empty: none */
} Request;

static bool read_count(const char *flag, const char *text, int least, int *value, Request *request) {
  char *end;
  errno = 0;
  long number = strtol(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || number < least || number > INT_MAX) {
    snprintf(request->mistake, sizeof request->mistake, "--%s must be a whole number of at least %d; it is %.60s", flag,
             least, text);
    return false;
  }
  *value = (int)number;
  return true;
}

static bool read_tolerance(const char *text, double *value, Request *request) {
  char *end;
  *value = strtod(text, &end);
  if (end != text && *end == '\0' && *value > 0 && *value < 1)
    return true;
  snprintf(request->mistake, sizeof request->mistake, "--tol must lie between 0 and 1; it is %.60s", text);
  return false;
}

static void read_arguments(int count, char **words, Request *request) {
  static const struct option flags[] = {{"cell-bodies", required_argument, NULL, 'c'},
                                        {"tol", required_argument, NULL, 't'},
                                        {"max-sweeps", required_argument, NULL, 'm'},
                                        {"save", required_argument, NULL, 's'},
                                        {"json", no_argument, NULL, 'j'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  *request = (Request){.solve = {.bodies_per_cell = 1000, .options = asp_parts_default_options()}};
  opterr = 0;
  bool right = true;
  for (int flag; right && (flag = getopt_long(count, words, "", flags, NULL)) != -1;)
    switch (flag) {
    case 'c':
      right = read_count("cell-bodies", optarg, 1, &request->solve.bodies_per_cell, request);
      break;
    case 't':
      right = read_tolerance(optarg, &request->solve.options.tolerance, request);
      break;
    case 'm':
      right = read_count("max-sweeps", optarg, 0, &request->solve.options.max_sweeps, request);
      break;
    case 's':
      request->solve.save = optarg;
      break;
    case 'j':
      request->json = true;
      break;
    case 'h':
      request->help = true;
      return;
    default:
      snprintf(request->mistake, sizeof request->mistake, "unknown option %.60s, or its value is missing; see --help",
               words[optind - 1]);
      right = false;
    }
  if (!right)
    return;
  if (optind >= count || strcmp(words[optind], "solve") != 0)
    snprintf(request->mistake, sizeof request->mistake, "%s%.60s; the commands are run and solve, see --help",
             optind < count ? "unknown command " : "no command", optind < count ? words[optind] : "");
  else if (optind + 2 != count)
    snprintf(request->mistake, sizeof request->mistake, "solve takes one problem file; %d are given",
             count - optind - 1);
  else
    request->solve.path = words[optind + 1];
}

static void print_json(const Request *request, int ranks, const SolveReport *report) {
  const AspPartsInfo *info = &report->info;
  printf("{\"ranks\": %d, \"contacts\": %d, \"bodies\": %d, \"cell_bodies\": %d, \"cells\": %d, \"copies\": %lld,\n"
         " \"status\": \"%s\", \"sweeps\": %d, \"looks\": %d, \"exchanges\": %d,\n"
         " \"residual\": %.17g, \"residual_data\": %.17g, \"residual_contact\": %.17g, \"norm_r\": %.17g,\n"
         " \"neighbours\": %d, \"bytes\": %lld, \"reductions\": %lld, \"hash\": \"%016llx\"}\n",
         ranks, report->contacts, report->bodies, request->solve.bodies_per_cell, report->cells,
         (long long)report->copies, asp_status_name(info->status), info->sweeps, info->looks, info->exchanges,
         info->residual.E2, info->residual.E3, info->residual.contact, info->residual.norm_r, report->most.neighbours,
         (long long)report->most.bytes, (long long)report->most.reductions, (unsigned long long)report->hash);
}

static void print_text(const Request *request, int ranks, const SolveReport *report) {
  const AspPartsInfo *info = &report->info;
  printf("%s: %d contacts of %d bodies in %d cells, %lld copies of split bodies, on %d rank%s\n", request->solve.path,
         report->contacts, report->bodies, report->cells, (long long)report->copies, ranks, ranks == 1 ? "" : "s");
  printf("  %-10s %s, %d sweeps\n", "status", asp_status_name(info->status), info->sweeps);
  printf("  %-10s %.3g, recomputed from the answer; tolerance %g\n", "residual", info->residual.E2,
         request->solve.options.tolerance);
  printf("  %-10s at most %d messages an exchange, %lld bytes received by a rank, %lld reductions\n", "sent",
         report->most.neighbours, (long long)report->most.bytes, (long long)report->most.reductions);
  printf("  %-10s %016llx\n", "hash", (unsigned long long)report->hash);
}

static int run(const Request *request) {
  int ranks = 0, rank = 0;
  char message[512] = "";
  SolveReport report;
  AspContext *context = asp_context_create(NULL);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!context)
    MPI_Abort(MPI_COMM_WORLD, EXIT_INPUT);
  AspError error = solve_problem(context, MPI_COMM_WORLD, &request->solve, &report, message);
  asp_context_destroy(context);
  if (error != ASP_OK) {
    if (rank == 0)
      fprintf(stderr, "asperity-mpi: %s\n", message);
    return EXIT_INPUT;
  }
  if (rank == 0 && request->json)
    print_json(request, ranks, &report);
  else if (rank == 0)
    print_text(request, ranks, &report);
  return report.info.status == ASP_STATUS_SOLVED ? EXIT_DONE : EXIT_MISSED;
}

int main(int count, char **words) {
  Request request;
  int rank = 0, code = EXIT_DONE;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (count > 1 && strcmp(words[1], "run") == 0) {
    code = run_command(count - 2, words + 2);
    MPI_Finalize();
    return code;
  }
  read_arguments(count, words, &request);
  if (request.help && rank == 0)
    fputs(usage, stdout);
  if (*request.mistake) {
    if (rank == 0)
      fprintf(stderr, "asperity-mpi: %s\n", request.mistake);
    code = EXIT_INPUT;
  } else if (!request.help) {
    code = run(&request);
  }
  MPI_Finalize();
  return code;
}
