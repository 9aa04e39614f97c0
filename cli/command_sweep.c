/* asperity sweep: a study, one scene at many values of its parameters. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "arguments.h"
#include "page.h"
#include "simulate.h"
#include "sweep.h"
#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE    4096
#define REPORTS_MOST 200 /* each is about a megabyte */

typedef enum Action { ACTION_ALL, ACTION_PLAN, ACTION_RUN, ACTION_COLLECT, ACTION_STATUS, ACTION_COUNT } Action;
static const char *const action_names[ACTION_COUNT] = {"all", "plan", "run", "collect", "status"};

/* ---- as JSON ---- */

static void write_values(Json *json, const AspStudy *study, const AspStudyRow *row) {
  json_object(json, "values");
  for (int c = 0; c < asp_study_column_count(study); c++)
    json_number(json, asp_study_column_title(study, c), row->value[c]);
  json_end(json);
}

static int write_rows(const Session *session, Json *json, const Sweep *sweep) {
  json_array(json, "rows");
  AspError error = ASP_OK;
  for (int64_t point = 0; error == ASP_OK && point < asp_study_point_count(sweep->study); point++) {
    AspStudyRow row = {0};
    char key[17];
    error = asp_study_row(sweep->study, sweep->folder, point, &row);
    if (error != ASP_OK)
      break;
    asp_study_key(sweep->study, point, key);
    json_object(json, NULL);
    json_integer(json, "point", point + 1);
    json_text(json, "key", key);
    json_text(json, "state", asp_row_state_name(row.state));
    if (row.state == ASP_ROW_OPEN)
      json_null(json, "exit_code");
    else
      json_integer(json, "exit_code", row.exit_code);
    json_text(json, "message", *row.message ? row.message : NULL);
    write_values(json, sweep->study, &row);
    json_text(json, "result", *row.result ? row.result : NULL);
    json_end(json);
    asp_study_row_destroy(session->context, &row);
  }
  json_end(json);
  return error == ASP_OK ? EXIT_DONE : exit_code_of(error);
}

static int write_json(const Session *session, const Sweep *sweep, const int64_t count[4], const char *script) {
  Json json = json_start(stdout);
  json_text(&json, "study", asp_study_name(sweep->study));
  json_text(&json, "scene", asp_study_scene(sweep->study));
  json_text(&json, "folder", sweep->folder);
  json_text(&json, "script", script);
  json_integer(&json, "points", asp_study_point_count(sweep->study));
  json_integer(&json, "done", count[ASP_ROW_DONE] + count[ASP_ROW_MISSED]);
  json_integer(&json, "missed", count[ASP_ROW_MISSED]);
  json_integer(&json, "failed", count[ASP_ROW_FAILED]);
  json_integer(&json, "open", count[ASP_ROW_OPEN]);
  int code = write_rows(session, &json, sweep);
  json_finish(&json);
  return code;
}

/* ---- as text ---- */

static void print_first_failure(const Session *session, const Sweep *sweep, AspRowState state) {
  for (int64_t point = 0; point < asp_study_point_count(sweep->study); point++) {
    AspStudyRow row = {0};
    if (asp_study_row(sweep->study, sweep->folder, point, &row) != ASP_OK)
      return;
    bool found = row.state == state;
    if (found)
      printf("; the first is point %lld: %s", (long long)(point + 1), row.message);
    asp_study_row_destroy(session->context, &row);
    if (found)
      return;
  }
}

static void print_counts(const Session *session, const Sweep *sweep, const int64_t count[4]) {
  static const char *const words[] = {"open", "done", "missed", "failed"};
  printf("%s%s%s: %lld points in %s\n", terminal_style(stdout, STYLE_STRONG), asp_study_name(sweep->study),
         terminal_style(stdout, STYLE_PLAIN), (long long)asp_study_point_count(sweep->study), sweep->folder);
  static const AspRowState order[] = {ASP_ROW_DONE, ASP_ROW_MISSED, ASP_ROW_FAILED, ASP_ROW_OPEN};
  for (int i = 0; i < 4; i++) {
    AspRowState state = order[i];
    bool bad = state == ASP_ROW_FAILED || state == ASP_ROW_MISSED;
    if (count[state] == 0)
      continue;
    printf("  %s%-10s%s %lld", terminal_style(stdout, bad ? STYLE_BAD : STYLE_GOOD), words[state],
           terminal_style(stdout, STYLE_PLAIN), (long long)count[state]);
    if (bad)
      print_first_failure(session, sweep, state);
    printf("\n");
  }
}

/* ---- flags ---- */

static int default_cores(void) {
#ifdef CPU_COUNT
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
    return CPU_COUNT(&set);
#endif
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (int)online : 1;
}

/* "3..7", "3", "all" */
static int read_points(const Session *session, const char *text, Sweep *sweep) {
  int64_t count = asp_study_point_count(sweep->study);
  char *end = NULL;
  sweep->first = 0;
  sweep->last = count - 1;
  if (!text || strcmp(text, "all") == 0)
    return EXIT_DONE;
  errno = 0;
  long long first = strtoll(text, &end, 10), last = first;
  bool sound = end != text && errno == 0;
  if (sound && strncmp(end, "..", 2) == 0) {
    const char *second = end + 2;
    last = strtoll(second, &end, 10);
    sound = end != second && errno == 0;
  }
  if (!sound || *end || first < 1 || last < first || last > count)
    return session_fail(session, EXIT_USAGE, "--points %s: expected A..B, both from 1 to %lld, or one point", text,
                        (long long)count);
  sweep->first = first - 1;
  sweep->last = last - 1;
  return EXIT_DONE;
}

static int read_amount(const Session *session, const char *flag, const char *text, double *value) {
  char *end = NULL;
  if (!text)
    return EXIT_DONE;
  errno = 0;
  *value = strtod(text, &end);
  if (end == text || *end || errno || !(*value > 0) || !isfinite(*value))
    return session_fail(session, EXIT_USAGE, "--%s %s: expected a number above 0", flag, text);
  return EXIT_DONE;
}

/* studies/grip.json -> grip.sweep, in the current folder */
static bool default_folder(const char *path, char *folder) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
  return snprintf(folder, PATH_SIZE, "%.*s.sweep", length, name) < PATH_SIZE;
}

/* ---- reports ---- */

int sweep_reports(const Session *session, const Sweep *sweep) {
  const char *page = NULL;
  size_t length = 0;
  AspViewOptions options = asp_view_default_options();
  int made = 0;
  for (int64_t point = 0; point < asp_study_point_count(sweep->study) && made < REPORTS_MOST; point++) {
    AspStudyRow row = {0};
    char result[PATH_SIZE + 64], report[PATH_SIZE + 64], key[17];
    struct stat status;
    if (asp_study_row(sweep->study, sweep->folder, point, &row) != ASP_OK)
      continue;
    asp_study_key(sweep->study, point, key);
    snprintf(result, sizeof result, "%s/%s", sweep->folder, row.result);
    snprintf(report, sizeof report, "%s/results/%s.html", sweep->folder, key);
    bool wanted = *row.result && stat(result, &status) == 0;
    asp_study_row_destroy(session->context, &row);
    if (!wanted)
      continue;
    made++;
    if (stat(report, &status) == 0)
      continue;
    if (!page && session_page(session, &page, &length) != EXIT_DONE)
      return EXIT_DONE; // said; the page gives commands instead of links
    AspError error = asp_report_write(session->context, result, &options, page, length, report);
    if (error != ASP_OK)
      return session_fail_error(session, error);
  }
  return EXIT_DONE;
}

/* ---- the command ---- */

static int collect(const Session *session, const Sweep *sweep) {
  int code = sweep_reports(session, sweep);
  if (code != EXIT_DONE)
    return code;
  AspError error = asp_study_collect(sweep->study, sweep->folder);
  if (error == ASP_OK)
    error = asp_study_page(sweep->study, sweep->folder);
  return error == ASP_OK ? EXIT_DONE : session_fail_error(session, error);
}

/* Every point of the range is done, or another process is at it. */
static int code_of_range(const Session *session, const Sweep *sweep) {
  int code = EXIT_DONE;
  for (int64_t point = sweep->first; code == EXIT_DONE && point <= sweep->last; point++) {
    AspStudyRow row = {0};
    AspError error = asp_study_row(sweep->study, sweep->folder, point, &row);
    if (error != ASP_OK)
      code = session_fail_error(session, error);
    else if (row.state != ASP_ROW_DONE && row.state != ASP_ROW_OPEN)
      code = EXIT_MISSED;
    asp_study_row_destroy(session->context, &row);
  }
  return code;
}

/* What is in the folder now, and the exit code: 1 where points of the range failed or missed a tolerance. */
static int conclude(const Session *session, const Sweep *sweep, Action action, const char *script) {
  int64_t count[4] = {0};
  AspError error = asp_study_count(sweep->study, sweep->folder, count);
  if (error != ASP_OK)
    return session_fail_error(session, error);
  if (session->json) {
    int code = write_json(session, sweep, count, script);
    if (code != EXIT_DONE)
      return code;
  } else if (!session->quiet) {
    print_counts(session, sweep, count);
    if (script)
      printf("  %-10s %s\n", "script", script);
    if (action == ACTION_ALL || action == ACTION_COLLECT)
      printf("  %-10s %s/rows.csv, rows.h5\n  %-10s %s/index.html\n", "rows", sweep->folder, "page", sweep->folder);
  }
  if (action != ACTION_ALL && action != ACTION_RUN)
    return EXIT_DONE;
  return code_of_range(session, sweep);
}

static int act(const Session *session, Sweep *sweep, Action action, int engine, int64_t chunk, bool again) {
  char script[PATH_SIZE] = "";
  int code = EXIT_DONE;
  int64_t reopened = 0;
  if (action != ACTION_STATUS && asp_study_plan(sweep->study, sweep->folder) != ASP_OK)
    return session_fail(session, EXIT_USAGE, "%s", asp_context_message(session->context));
  if (again && asp_study_reopen(sweep->study, sweep->folder, &reopened) != ASP_OK)
    return session_fail(session, EXIT_FAILED, "%s", asp_context_message(session->context));
  if (engine >= 0) {
    code = sweep_script(session, sweep, (SweepEngine)engine, chunk, script);
    return code == EXIT_DONE ? conclude(session, sweep, ACTION_PLAN, script) : code;
  }
  if (action == ACTION_ALL || action == ACTION_RUN) {
    sweep->wait = action == ACTION_ALL;
    code = sweep_run(session, sweep);
  }
  // what is there is collected after an interruption, too
  if (action == ACTION_COLLECT || action == ACTION_ALL) {
    int collected = collect(session, sweep);
    code = code == EXIT_DONE ? collected : code;
  }
  return code == EXIT_DONE ? conclude(session, sweep, action, NULL) : code;
}

typedef struct SweepFlags {
  const char *out, *points, *cores, *chunk, *seconds, *memory;
  bool slurm, parallel, mpi, again, spread;
} SweepFlags;

static int settle(const Session *session, const SweepFlags *flags, Sweep *sweep, int64_t *chunk) {
  long long number = default_cores();
  int code = read_points(session, flags->points, sweep);
  if (code == EXIT_DONE && flags->cores)
    code = session_count(session, "cores", flags->cores, 1, 1024, &number);
  sweep->cores = (int)(number > 1024 ? 1024 : number);
  number = 0;
  if (code == EXIT_DONE && flags->chunk)
    code = session_count(session, "chunk", flags->chunk, 1, 10000000, &number);
  *chunk = number;
  if (code == EXIT_DONE)
    code = read_amount(session, "time-limit", flags->seconds, &sweep->seconds);
  if (code == EXIT_DONE)
    code = read_amount(session, "memory", flags->memory, &sweep->memory);
  sweep->spread = flags->spread;
  return code;
}

static int sweep(Session *session, int count, char **words) {
  SweepFlags given = {0};
  const Flag flags[] = {
      {"out", 'o', "FOLDER", "where the rows go (default: the study's name with .sweep, in this folder)",
       .text = &given.out},
      {"points", 0, "A..B", "only these points, counted from 1 (default: all)", .text = &given.points},
      {"cores", 'j', "N", "processes at a time (default: the cores of this machine)", .text = &given.cores},
      {"retry", 0, NULL, "take the rows of failed points away and run them again", .on = &given.again},
      {"time-limit", 0, "S", "seconds that a point may take; beyond, it is a failed row", .text = &given.seconds},
      {"memory", 0, "MB", "memory that a point may take; beyond, it is a failed row", .text = &given.memory},
      {"slurm", 0, NULL, "write FOLDER/slurm.sh, an array job for sbatch, and run nothing", .on = &given.slurm},
      {"parallel", 0, NULL, "write FOLDER/parallel.sh, for GNU parallel, and run nothing", .on = &given.parallel},
      {"mpi", 0, NULL, "write FOLDER/mpi.sh, a task farm under mpirun, and run nothing", .on = &given.mpi},
      {"chunk", 0, "N", "points a task of --slurm or --parallel (default: at most 1000 tasks)", .text = &given.chunk},
      {"spread", 0, NULL, "begin elsewhere in each process of a parallel job (mpi.sh)", .on = &given.spread}};
  Arguments arguments = {.flags = flags, .flag_count = sizeof flags / sizeof *flags, .least = 1, .most = 2};
  int code = EXIT_DONE;
  if (!arguments_read(&arguments, session, count, words, &code))
    return code;
  Action action = ACTION_ALL;
  if (arguments.word_count == 2) {
    action = ACTION_PLAN;
    while (action < ACTION_COUNT && strcmp(action_names[action], arguments.words[0]) != 0)
      action++;
    if (action == ACTION_COUNT)
      return session_fail(session, EXIT_USAGE, "%s: expected plan, run, collect or status before the study",
                          arguments.words[0]);
  }
  int engines = given.slurm + given.parallel + given.mpi;
  if (engines > 1 || (engines && action != ACTION_ALL && action != ACTION_PLAN))
    return session_fail(session, EXIT_USAGE,
                        "--slurm, --parallel and --mpi write a script each; give one of them, with "
                        "asperity sweep STUDY.json");
  Sweep study = {.path = arguments.words[arguments.word_count - 1]};
  char folder[PATH_SIZE];
  AspMistakes mistakes = {0};
  if (!given.out && !default_folder(study.path, folder))
    return session_fail(session, EXIT_USAGE, "the study's file name is too long; name the folder with --out");
  study.folder = given.out ? given.out : folder;
  AspError error = asp_study_read(session->context, study.path, &study.study, &mistakes);
  int64_t chunk = 0;
  if (error != ASP_OK)
    code = session_fail_scene(session, error, study.path, &mistakes);
  else
    code = settle(session, &given, &study, &chunk);
  if (code == EXIT_DONE)
    code = act(session, &study, action,
               given.slurm      ? ENGINE_SLURM
               : given.parallel ? ENGINE_PARALLEL
               : given.mpi      ? ENGINE_MPI
                                : -1,
               chunk, given.again);
  asp_mistakes_destroy(session->context, &mistakes);
  asp_study_destroy(study.study);
  return code;
}

const Command command_sweep = {
    .name = "sweep",
    .arguments = "[plan|run|collect|status] STUDY.json",
    .summary = "a study: one scene at many values of its parameters",
    .details =
        "Runs the scene of the study at every point, in processes of their own on all cores, and collects the\n"
        "outputs: a table (rows.csv, rows.h5) and a page (index.html) with plots and links. A point is done when\n"
        "its row is in the folder; it is put there whole and once. So the command may be stopped at any time, by\n"
        "Ctrl-C or otherwise, and goes on where it was when given again; several may work on one folder, on several\n"
        "machines. A point that fails is a row with exit code and message; --retry runs those again.\n"
        "The same in parts: plan lists the points with their keys, run --points A..B runs some, collect makes table\n"
        "and page of the rows that are there, status counts them. --slurm, --parallel and --mpi write scripts that\n"
        "run the points on a cluster. Ends with 1 where points failed or missed a tolerance.",
    .examples =
        "  asperity sweep studies/ladder-friction.json                   all of it, on all cores\n"
        "  asperity sweep status studies/ladder-friction.json            how far it is\n"
        "  asperity sweep run --points 1..2 --out two.sweep studies/ladder-friction.json\n"
        "  asperity sweep --slurm --chunk 3 studies/ladder-friction.json   then: sbatch ladder-friction.sweep/slurm.sh",
    .run = sweep,
};
