/* asperity solve: one contact problem or LCP from a file. Kinds of problem: solve.h. */
#include "arguments.h"
#include "interrupt.h"
#include "json.h"
#include "solve.h"
#include "terminal.h"

#include "asperity/io.h"

#include <stdio.h>

static const AspField solve_fields[] = {
    {"solver", "solver", ASP_FIELD_CHOICE, offsetof(SolveOptions, method), ASP_METHOD_AUTO, 0, ASP_METHOD_COUNT - 1,
     asp_method_names, "", "method"},
    {"tol", "tol", ASP_FIELD_REAL, offsetof(SolveOptions, tolerance), 1e-8, 1e-15, 1, NULL, "",
     "largest residual that counts as solved"},
    {"max_time", "max-time", ASP_FIELD_REAL, offsetof(SolveOptions, max_time), 0, 0, 1e12, NULL, "s",
     "stop after this time; 0: no limit (contact problems)"},
    {"max_iterations", "max-iterations", ASP_FIELD_INTEGER, offsetof(SolveOptions, max_iterations), 0, 0, 1000000000,
     NULL, "", "stop after this many iterations of the method; 0: its own limit"},
};
#define FIELD_COUNT ((int)(sizeof solve_fields / sizeof *solve_fields))

/* The first kind that recognises the file takes it; the last one takes, or refuses, what is left. */
typedef struct ProblemKind {
  bool (*recognise)(AspContext *context, const char *path); /* NULL: any file */
  AspError (*solve)(AspContext *context, const char *path, const SolveOptions *options, SolveReport *report);
} ProblemKind;

static const ProblemKind kinds[] = {
    {asp_fclib_recognise, solve_contact},
    {NULL, solve_lcp},
};

static AspError solve_file(AspContext *context, const char *path, const SolveOptions *options, SolveReport *report) {
  const ProblemKind *kind = kinds;
  while (kind->recognise && !kind->recognise(context, path))
    kind++;
  return kind->solve(context, path, options, report);
}

static void write_json(const char *path, const SolveReport *report) {
  Json json = json_start(stdout);
  json_text(&json, "file", path);
  json_text(&json, "kind", report->kind);
  if (report->contacts >= 0)
    json_integer(&json, "contacts", report->contacts);
  else
    json_null(&json, "contacts");
  json_integer(&json, "dofs", report->dofs);
  json_text(&json, "solver", asp_method_name(report->method));
  json_text(&json, "status", asp_status_name(report->status));
  json_integer(&json, "iterations", report->iterations);
  json_number(&json, "residual", report->residual);
  json_number(&json, "residual_invariant", report->residual_invariant);
  json_number(&json, "time_s", report->time);
  json_number(&json, "setup_s", report->setup_time);
  json_finish(&json);
}

static void print_report(const char *path, const SolveReport *report, const SolveOptions *options) {
  printf("%s: %s, %d unknowns\n", path, report->kind, report->dofs);
  printf("  %-10s %s%s%s, %s, %d iterations in %.3g s\n", "status",
         terminal_style(stdout, report->certified ? STYLE_GOOD : STYLE_BAD), asp_status_name(report->status),
         terminal_style(stdout, STYLE_PLAIN), asp_method_name(report->method), report->iterations, report->time);
  printf("  %-10s %.3g, recomputed from the answer; tolerance %g\n", "residual", report->residual, options->tolerance);
  if (*report->finding)
    printf("  %-10s %s\n", "finding", report->finding);
  if (options->save)
    printf("  %-10s %s\n", "saved", options->save);
}

static int solve(Session *session, int count, char **words) {
  SolveOptions options = {0};
  SolveReport report = {0};
  const Flag flags[] = {
      {"save", 0, "FILE", "write problem and answer to this file", .text = &options.save},
      {"polish", 0, NULL, "contact problems: refine the answer as far as rounding allows", .on = &options.polish},
      {"minimum-norm", 0, NULL, "contact problems: where reactions are not unique, the smallest ones",
       .on = &options.minimum_norm}};
  Arguments arguments = {
      .flags = flags, .flag_count = 3, .fields = solve_fields, .field_count = FIELD_COUNT, .least = 1, .most = 1};
  int code = EXIT_DONE;
  asp_fields_set_defaults(solve_fields, FIELD_COUNT, &options);
  if (!arguments_read(&arguments, session, count, words, &code))
    return code;
  code = arguments_apply(&arguments, session, &options);
  if (code != EXIT_DONE)
    return code;
  interrupt_listen(session->context);
  AspError error = solve_file(session->context, arguments.words[0], &options, &report);
  if (error != ASP_OK)
    return session_fail_error(session, error);
  if (session->json)
    write_json(arguments.words[0], &report);
  else if (!session->quiet)
    print_report(arguments.words[0], &report, &options);
  return report.certified ? EXIT_DONE : EXIT_MISSED;
}

const Command command_solve = {
    .name = "solve",
    .arguments = "PROBLEM.hdf5",
    .summary = "solve one problem from a file",
    .details =
        "Solves the frictional contact problem of an FCLIB file (local or global, 2D or 3D, with or without equality\n"
        "constraints) or the linear complementarity problem of an HDF5 file with /M (n x n, row-major) and /q (n).\n"
        "Contact problems: auto combines the methods and splits independent parts; an LCP goes to lemke (or pgs).\n"
        "The residual is recomputed from the answer; the exit code is 1 when it misses the tolerance. A contact "
        "problem\n"
        "counts as solved when E1 and E2 are within the tolerance and E3 within 100 times it.",
    .examples = "  asperity solve problem.hdf5                             by the method that suits the problem\n"
                "  asperity solve --solver ipm --tol 1e-10 problem.hdf5    by the interior point method\n"
                "  asperity solve --save solved.hdf5 --json problem.hdf5   keep the answer, report as JSON",
    .run = solve,
};
