/* asperity reproduce: the papers' numbers, printed beside computed. Rows come from one file per paper (reproduce.h). */
#include "arguments.h"
#include "grow.h"
#include "json.h"
#include "reproduce.h"
#include "terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct Paper {
  const char *name; /* on the command line and in the rows */
  const char *title;
  AspError (*add_rows)(AspContext *context, ReproduceReport *report);
} Paper;

static const Paper papers[] = {
    {"preclik", "Preclik and Ruede 2011, Solution existence and non-uniqueness of Coulomb friction", reproduce_preclik},
    {"trinkle", "Trinkle 2003, Formulation of multibody dynamics as complementarity problems", reproduce_trinkle},
    {"acary", "Acary, Cadoux, Lemarechal, Malick 2008, An algorithm for Coulomb's frictional contact", reproduce_acary},
    {"peiret",
     "Peiret, Koevecses, Font-Llagunes 2017, The discretized Coulomb friction model in a non-singular formulation",
     reproduce_peiret},
    {"capobianco",
     "Capobianco, Harsch, Eugster, Leine, Simulating mechanical systems with frictional contact using a nonsmooth "
     "generalized-alpha method",
     reproduce_capobianco},
    {"cases", "worlds with closed forms: impacts, sliding, a table on a slope, and the order of the schemes",
     reproduce_cases},
    {"schemes", "event-driven and compliant schemes beside closed forms and time stepping, and their orders",
     reproduce_schemes},
};
#define PAPER_COUNT ((int)(sizeof papers / sizeof *papers))

typedef enum Verdict { VERDICT_DISAGREES, VERDICT_AGREES, VERDICT_FIGURE } Verdict;

typedef struct Row {
  const Paper *paper;
  char *quantity, *note;
  double printed, reference, computed, tolerance;
  Verdict verdict;
} Row;

struct ReproduceReport {
  const Paper *paper;   /* whose rows are being added */
  const char *folder;   /* for figures; NULL: none */
  char unwritable[512]; /* path of a figure that could not be written */
  Row *rows;
  int count;
  size_t capacity;
  bool out_of_memory;
};

static char *copy_text(const char *text) {
  text = text ? text : "";
  char *copy = malloc(strlen(text) + 1);
  return copy ? strcpy(copy, text) : NULL;
}

static void add_row(ReproduceReport *report, Row row, const char *quantity, const char *note) {
  if (!grow(&report->rows, &report->capacity, (size_t)report->count + 1, sizeof *report->rows)) {
    report->out_of_memory = true;
    return;
  }
  row.paper = report->paper;
  row.quantity = copy_text(quantity);
  row.note = copy_text(note);
  report->out_of_memory = report->out_of_memory || !row.quantity || !row.note;
  report->rows[report->count++] = row;
}

void reproduce_row(ReproduceReport *report, const char *quantity, double printed, double reference, double computed,
                   double tolerance, const char *note) {
  bool agrees = fabs(computed - reference) <= tolerance; /* NaN disagrees */
  Row row = {.printed = printed,
             .reference = reference,
             .computed = computed,
             .tolerance = tolerance,
             .verdict = agrees ? VERDICT_AGREES : VERDICT_DISAGREES};
  add_row(report, row, quantity, note);
}

AspError reproduce_unwritable(ReproduceReport *report, const char *path) {
  snprintf(report->unwritable, sizeof report->unwritable, "%s", path);
  return ASP_ERROR_FILE;
}

const char *reproduce_folder(const ReproduceReport *report) { return report->folder; }

void reproduce_figure(ReproduceReport *report, const char *quantity, double printed, double computed,
                      const char *note) {
  Row row = {.printed = printed, .reference = NAN, .computed = computed, .tolerance = NAN, .verdict = VERDICT_FIGURE};
  add_row(report, row, quantity, note);
}

static void release_report(ReproduceReport *report) {
  for (int i = 0; i < report->count; i++) {
    free(report->rows[i].quantity);
    free(report->rows[i].note);
  }
  free(report->rows);
}

/* ---- output ---- */

static void write_json(const ReproduceReport *report) {
  Json json = json_start(stdout);
  json_array(&json, "rows");
  for (int i = 0; i < report->count; i++) {
    const Row *row = &report->rows[i];
    json_object(&json, NULL);
    json_text(&json, "paper", row->paper->name);
    json_text(&json, "quantity", row->quantity);
    json_number(&json, "printed", row->printed);
    json_number(&json, "reference", row->reference);
    json_number(&json, "computed", row->computed);
    json_number(&json, "tolerance", row->tolerance);
    if (row->verdict == VERDICT_FIGURE)
      json_null(&json, "agrees");
    else
      json_flag(&json, "agrees", row->verdict == VERDICT_AGREES);
    json_text(&json, "note", row->note);
    json_end(&json);
  }
  json_end(&json);
  json_finish(&json);
}

/* A number in 14 columns; a dash where there is none. */
static void print_cell(double value, const char *format) {
  char text[32] = "-";
  if (!isnan(value))
    snprintf(text, sizeof text, format, value);
  printf(" %14s", text);
}

static void print_row(const Row *row, int width) {
  static const char *const words[] = {
      [VERDICT_DISAGREES] = "NO", [VERDICT_AGREES] = "yes", [VERDICT_FIGURE] = "figure"};
  static const Style styles[] = {
      [VERDICT_DISAGREES] = STYLE_BAD, [VERDICT_AGREES] = STYLE_GOOD, [VERDICT_FIGURE] = STYLE_PLAIN};
  printf("  %-*s", width, row->quantity);
  print_cell(row->printed, "%.9g");
  print_cell(row->reference, "%.9g");
  print_cell(row->computed, "%.9g");
  print_cell(row->tolerance, "%.1e");
  printf("  %s%-6s%s%s%s\n", terminal_style(stdout, styles[row->verdict]), words[row->verdict],
         terminal_style(stdout, STYLE_PLAIN), *row->note ? "  " : "", row->note);
}

static void print_table(const ReproduceReport *report) {
  int width = 8, agreeing = 0, judged = 0;
  for (int i = 0; i < report->count; i++) {
    int length = (int)strlen(report->rows[i].quantity);
    width = length > width ? length : width;
    agreeing += report->rows[i].verdict == VERDICT_AGREES;
    judged += report->rows[i].verdict != VERDICT_FIGURE;
  }
  const Paper *paper = NULL;
  for (int i = 0; i < report->count; i++) {
    if (report->rows[i].paper != paper) {
      paper = report->rows[i].paper;
      printf("%s%s%s\n  %-*s %14s %14s %14s %14s  agrees\n", terminal_style(stdout, STYLE_STRONG), paper->title,
             terminal_style(stdout, STYLE_PLAIN), width, "quantity", "printed", "reference", "computed", "tolerance");
    }
    print_row(&report->rows[i], width);
  }
  printf("%d of %d quantities agree\n", agreeing, judged);
}

/* ---- the command ---- */

static const Paper *find_paper(const char *name) {
  for (int i = 0; i < PAPER_COUNT; i++)
    if (strcmp(papers[i].name, name) == 0)
      return &papers[i];
  return NULL;
}

static int unknown_paper(const Session *session, const char *word) {
  char names[256] = "";
  for (int i = 0; i < PAPER_COUNT; i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", papers[i].name);
  return session_fail(session, EXIT_USAGE, "there are no numbers under '%s'; known: %s", word, names);
}

static int conclude(const Session *session, const ReproduceReport *report) {
  int disagreeing = 0;
  for (int i = 0; i < report->count; i++)
    disagreeing += report->rows[i].verdict == VERDICT_DISAGREES;
  if (session->json)
    write_json(report);
  else if (!session->quiet)
    print_table(report);
  return disagreeing ? EXIT_MISSED : EXIT_DONE;
}

static int reproduce(Session *session, int count, char **words) {
  const char *folder = NULL;
  const Flag flags[] = {{"figures", 0, "DIR",
                         "write the figures as SVG files into this folder, made where it is missing", .text = &folder}};
  Arguments arguments = {.flags = flags, .flag_count = 1, .most = 1};
  int code = EXIT_DONE;
  if (!arguments_read(&arguments, session, count, words, &code))
    return code;
  const Paper *only = arguments.word_count ? find_paper(arguments.words[0]) : NULL;
  if (arguments.word_count && !only)
    return unknown_paper(session, arguments.words[0]);
  struct stat status;
  if (folder && mkdir(folder, 0777) != 0 && (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode)))
    return session_fail(session, EXIT_USAGE, "--figures %s: not a folder, and it cannot be made", folder);
  ReproduceReport report = {.folder = folder};
  AspError error = ASP_OK;
  for (int i = 0; i < PAPER_COUNT && error == ASP_OK; i++) {
    report.paper = &papers[i];
    if (!only || only == &papers[i])
      error = papers[i].add_rows(session->context, &report);
  }
  if (report.out_of_memory)
    code = session_fail(session, EXIT_FAILED, "out of memory");
  else if (*report.unwritable)
    code = session_fail(session, EXIT_USAGE, "%s cannot be written; is %s a folder?", report.unwritable, folder);
  else if (error != ASP_OK)
    code = session_fail_error(session, error);
  else
    code = conclude(session, &report);
  release_report(&report);
  return code;
}

const Command command_reproduce = {
    .name = "reproduce",
    .arguments = "[NAME]",
    .summary = "numbers printed in papers, compared with computed ones",
    .details = "Computes the numbers that the papers print and shows for each: the printed number, an independent\n"
               "reference, the computed one, and whether it lies within the tolerance of the reference. Without a\n"
               "name: all papers. Ends with 1 when a quantity disagrees.",
    .examples = "  asperity reproduce trinkle          a table\n"
                "  asperity reproduce preclik --figures .   its figures as SVG files, here\n"
                "  asperity reproduce --json trinkle   rows of {paper, quantity, printed, reference, computed,\n"
                "                                      tolerance, agrees, note}; agrees is null for figures",
    .run = reproduce,
};
