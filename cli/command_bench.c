/* asperity bench: solvers x problems. Every problem of a folder through every chosen solver, cold, with the set-up
 * counted; CSV, and the performance profile (Dolan and More 2002) as table and as SVG. */
#include "arguments.h"
#include "bench_files.h"
#include "interrupt.h"
#include "json.h"
#include "solve.h"
#include "terminal.h"

#include "asperity/io.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROFILE_SHIFT 1e-3 /* s: what is too short to matter */

typedef struct BenchOptions {
  double tolerance;
  double max_time;
  const char *solvers, *csv, *svg;
} BenchOptions;

typedef struct Bench {
  Session *session;
  BenchOptions options;
  FileList files;
  AspMethod method[ASP_METHOD_COUNT];
  const char *name[ASP_METHOD_COUNT];
  int methods;
  SolveReport *report; /* report[method * files.count + file]; kind NULL: could not be run */
  double *time;        /* s with set-up, the same order; NAN: not solved */
} Bench;

static const AspField bench_fields[] = {
    {"tol", "tol", ASP_FIELD_REAL, offsetof(BenchOptions, tolerance), 1e-8, 1e-15, 1, NULL, "",
     "largest residual that counts as solved"},
    {"max_time", "max-time", ASP_FIELD_REAL, offsetof(BenchOptions, max_time), 10, 0, 1e12, NULL, "s",
     "limit for one solve; 0: none"},
};
#define FIELD_COUNT     ((int)(sizeof bench_fields / sizeof *bench_fields))
#define DEFAULT_SOLVERS "auto,nsgs,admm,ipm,newton,aclm"

static int choose_solvers(Bench *bench) {
  char list[256];
  const char *chosen = bench->options.solvers ? bench->options.solvers : DEFAULT_SOLVERS;
  snprintf(list, sizeof list, "%s", chosen);
  for (char *rest = list, *word; (word = strtok_r(rest, ",", &rest)) != NULL;) {
    AspMethod method;
    if (!asp_method_from_name(word, &method))
      return session_fail(bench->session, EXIT_USAGE, "--solvers: there is no solver '%s'; nearest: %s", word,
                          asp_nearest_name(word, asp_method_names, ASP_METHOD_COUNT)
                              ? asp_nearest_name(word, asp_method_names, ASP_METHOD_COUNT)
                              : "auto");
    bool known = false;
    for (int m = 0; m < bench->methods; m++)
      known = known || bench->method[m] == method;
    if (known)
      continue;
    bench->method[bench->methods] = method;
    bench->name[bench->methods++] = asp_method_name(method);
  }
  return bench->methods > 0 ? EXIT_DONE : session_fail(bench->session, EXIT_USAGE, "--solvers: the list is empty");
}

/* A file that cannot be read is a mistake of the caller; a law that a method cannot treat is not. */
static int run_all(Bench *bench) {
  Progress progress = progress_start(!bench->session->quiet);
  int total = bench->methods * bench->files.count, done = 0, code = EXIT_DONE;
  for (int f = 0; f < bench->files.count && code == EXIT_DONE; f++)
    for (int m = 0; m < bench->methods && code == EXIT_DONE; m++) {
      SolveReport *report = &bench->report[m * bench->files.count + f];
      SolveOptions options = {
          .method = bench->method[m], .tolerance = bench->options.tolerance, .max_time = bench->options.max_time};
      progress_update(&progress, (double)done++ / total, bench->files.path[f]);
      AspError error = solve_contact(bench->session->context, bench->files.path[f], &options, report);
      if (error == ASP_ERROR_UNSUPPORTED || error == ASP_ERROR_INTERRUPTED)
        report->kind = NULL;
      else if (error != ASP_OK)
        code = session_fail_error(bench->session, error);
      bool solved = error == ASP_OK && report->certified;
      bench->time[m * bench->files.count + f] = solved ? report->time + report->setup_time : NAN;
      if (interrupt_signal())
        code = 128 + interrupt_signal();
    }
  progress_finish(&progress);
  return code;
}

static int write_csv(const Bench *bench) {
  FILE *file = fopen(bench->options.csv, "w");
  if (!file)
    return session_fail(bench->session, exit_code_of_system(errno), "%s: %s", bench->options.csv, strerror(errno));
  fprintf(file, "file,kind,contacts,dofs,solver,tol,status,iterations,residual,residual_invariant,time_s,setup_s\n");
  for (int f = 0; f < bench->files.count; f++)
    for (int m = 0; m < bench->methods; m++) {
      const SolveReport *r = &bench->report[m * bench->files.count + f];
      if (r->kind)
        fprintf(file, "%s,%s,%d,%d,%s,%g,%s,%d,%.6g,%.6g,%.6g,%.6g\n", bench->files.path[f], r->kind, r->contacts,
                r->dofs, bench->name[m], bench->options.tolerance, asp_status_name(r->status), r->iterations,
                r->residual, r->residual_invariant, r->time, r->setup_time);
    }
  bool failed = ferror(file);
  if (fclose(file) != 0 || failed)
    return session_fail(bench->session, EXIT_FAILED, "%s: cannot be written", bench->options.csv);
  return EXIT_DONE;
}

static void print_line(void *user, const char *line) {
  (void)user;
  puts(line);
}

static void write_json(const Bench *bench, const AspProfile *profile) {
  static const double ratios[] = {1, 2, 4, 10, 100};
  Json json = json_start(stdout);
  json_array(&json, "rows");
  for (int f = 0; f < bench->files.count; f++)
    for (int m = 0; m < bench->methods; m++) {
      const SolveReport *r = &bench->report[m * bench->files.count + f];
      json_object(&json, NULL);
      json_text(&json, "file", bench->files.path[f]);
      json_text(&json, "solver", bench->name[m]);
      json_text(&json, "status", r->kind ? asp_status_name(r->status) : "not supported");
      json_integer(&json, "contacts", r->contacts);
      json_integer(&json, "iterations", r->iterations);
      json_number(&json, "residual", r->kind ? r->residual : NAN);
      json_number(&json, "residual_invariant", r->kind ? r->residual_invariant : NAN);
      json_number(&json, "time_s", r->time);
      json_number(&json, "setup_s", r->setup_time);
      json_end(&json);
    }
  json_end(&json);
  json_array(&json, "profile");
  for (int m = 0; m < bench->methods; m++) {
    double values[sizeof ratios / sizeof *ratios];
    for (size_t k = 0; k < sizeof ratios / sizeof *ratios; k++)
      values[k] = asp_profile_value(profile, m, ratios[k]);
    json_object(&json, NULL);
    json_text(&json, "solver", bench->name[m]);
    json_numbers(&json, "ratio", ratios, sizeof ratios / sizeof *ratios);
    json_numbers(&json, "fraction", values, sizeof values / sizeof *values);
    json_end(&json);
  }
  json_end(&json);
  json_finish(&json);
}

static int report(const Bench *bench) {
  AspProfile profile = {bench->methods, bench->files.count, bench->name, bench->time, PROFILE_SHIFT};
  if (bench->options.csv) {
    int code = write_csv(bench);
    if (code != EXIT_DONE)
      return code;
  }
  if (bench->options.svg) {
    AspError error =
        asp_profile_write_svg(bench->session->context, bench->options.svg, "time over the best solver's", &profile);
    if (error != ASP_OK)
      return session_fail_error(bench->session, error);
  }
  if (bench->session->json)
    write_json(bench, &profile);
  else if (!bench->session->quiet) {
    printf("%d problems, tolerance %g, limit %g s; fraction solved within a multiple of the best solver's time:\n",
           bench->files.count, bench->options.tolerance, bench->options.max_time);
    asp_profile_print(&profile, print_line, NULL);
  }
  return EXIT_DONE;
}

static int run_bench(Bench *bench, const Arguments *arguments) {
  int code = choose_solvers(bench);
  for (int k = 0; k < arguments->word_count && code == EXIT_DONE; k++) {
    AspError error = file_list_add(bench->session->context, &bench->files, arguments->words[k]);
    if (error == ASP_ERROR_FILE)
      code = session_fail(bench->session, exit_code_of_system(errno), "%s: %s", arguments->words[k], strerror(errno));
    else if (error != ASP_OK)
      code = session_fail_error(bench->session, error);
  }
  if (code == EXIT_DONE && bench->files.count == 0)
    code = session_fail(bench->session, EXIT_USAGE, "%s: no FCLIB problem in it", arguments->words[0]);
  if (code != EXIT_DONE)
    return code;
  size_t runs = (size_t)bench->files.count * (size_t)bench->methods;
  bench->report = calloc(runs, sizeof *bench->report);
  bench->time = calloc(runs, sizeof *bench->time);
  if (!bench->report || !bench->time)
    return session_fail(bench->session, EXIT_FAILED, "out of memory");
  code = run_all(bench);
  return code == EXIT_DONE ? report(bench) : code;
}

static int bench_command(Session *session, int count, char **words) {
  Bench bench = {.session = session};
  const Flag flags[] = {
      {"solvers", 0, "LIST", "solvers, separated by commas (" DEFAULT_SOLVERS ")", .text = &bench.options.solvers},
      {"csv", 0, "FILE", "write a line per solve to this file", .text = &bench.options.csv},
      {"svg", 0, "FILE", "write the performance profile to this file", .text = &bench.options.svg}};
  Arguments arguments = {
      .flags = flags, .flag_count = 3, .fields = bench_fields, .field_count = FIELD_COUNT, .least = 1, .most = -1};
  int code = EXIT_DONE;
  asp_fields_set_defaults(bench_fields, FIELD_COUNT, &bench.options);
  if (!arguments_read(&arguments, session, count, words, &code))
    return code;
  code = arguments_apply(&arguments, session, &bench.options);
  if (code != EXIT_DONE)
    return code;
  interrupt_listen(session->context);
  code = run_bench(&bench, &arguments);
  file_list_free(&bench.files);
  free(bench.report);
  free(bench.time);
  return code;
}

const Command command_bench = {
    .name = "bench",
    .arguments = "DIR...",
    .summary = "compare solvers over the FCLIB problems of a folder",
    .details = "Runs every FCLIB problem below DIR through every chosen solver, from a cold start, and prints the\n"
               "performance profile: the fraction of problems solved within a multiple of the best solver's time\n"
               "(set-up included, 1 ms added to every time).",
    .examples = "  asperity bench problems/                                       all exact solvers\n"
                "  asperity bench --solvers auto,nsgs --csv rows.csv problems/    two of them, a line per solve\n"
                "  asperity bench --tol 1e-10 --svg profile.svg problems/         the profile as a picture",
    .run = bench_command,
};
