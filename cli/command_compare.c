/* asperity compare: one scene through every scheme, friction model and solver that applies, side by side. */
#include "arguments.h"
#include "compare.h"
#include "interrupt.h"
#include "json.h"
#include "scene_flags.h"
#include "terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_DEFAULT 1.0 /* of wall clock for each combination */

static const char *const state_names[ROW_STATES] = {"done", "cut", "refused", "skipped"};
static const char *const relation_names[RELATION_COUNT] = {"reference", "same",  "other law",
                                                           "branch",    "drift", "missed"};

static bool has_numbers(const CompareRow *row) { return row->state == ROW_DONE || row->state == ROW_CUT; }

/* ---- as JSON ---- */

static void write_row(Json *json, const CompareRow *row) {
  const SimulationSummary *summary = &row->summary;
  json_object(json, NULL);
  json_text(json, "scheme", asp_scheme_names[row->options.scheme]);
  json_text(json, "friction", asp_cone_kind_names[row->options.cone]);
  json_text(json, "solver", asp_method_names[row->options.method]);
  json_text(json, "state", state_names[row->state]);
  if (has_numbers(row)) {
    json_number(json, "time", summary->run.time);
    json_integer(json, "steps", summary->run.steps);
    json_integer(json, "steps_uncertified", summary->run.steps_uncertified);
    json_integer(json, "steps_unresolved", summary->run.steps_unresolved);
    json_integer(json, "steps_not_checked", summary->run.steps_unchecked);
    json_integer(json, "steps_with_load_sharing", summary->run.steps_shared);
    json_integer(json, "steps_with_load_sharing_not_chosen", summary->run.steps_unshared);
    json_number(json, "residual_max", summary->run.residual_max);
    json_number(json, "residual_exact_max", summary->run.residual_exact_max);
    json_number(json, "penetration_max", summary->run.penetration_max);
    json_number(json, "energy_final", summary->run.energy_final);
    json_number(json, "rise_max", row->rise);
    json_text(json, "relation", relation_names[row->relation]);
    json_number(json, "difference", row->difference);
    if (row->relation == RELATION_BRANCH || row->relation == RELATION_DRIFT)
      json_number(json, "parted", row->parted);
    json_number(json, "wall_s", summary->wall);
  } else
    json_text(json, "message", row->message);
  json_end(json);
}

static void write_json(const CompareRow *rows, int count, const char *polar) {
  Json json = json_start(stdout);
  json_array(&json, "rows");
  for (int i = 0; i < count; i++)
    write_row(&json, &rows[i]);
  json_end(&json);
  json_text(&json, "polar", polar);
  json_finish(&json);
}

/* ---- as text ---- */

static void print_relation(const CompareRow *row) {
  switch (row->relation) {
  case RELATION_REFERENCE:
    printf("  reference");
    break;
  case RELATION_SAME:
    printf("  same, %.1e m apart", row->difference);
    break;
  case RELATION_OTHER_LAW:
    printf("  another law: %.2e m apart", row->difference);
    break;
  case RELATION_BRANCH:
    printf("  another solution from t = %.6g s on: %.2e m apart", row->parted, row->difference);
    break;
  case RELATION_DRIFT:
    printf("  drifts apart from t = %.6g s on: %.2e m", row->parted, row->difference);
    break;
  default:
    printf("  %.2e m apart, after steps that missed", row->difference);
  }
}

static void print_row(const CompareRow *row) {
  const SimulationSummary *summary = &row->summary;
  printf("  %-13s %-6s", asp_cone_kind_names[row->options.cone], asp_method_names[row->options.method]);
  if (!has_numbers(row)) {
    printf("  %s\n", row->state == ROW_REFUSED ? row->message : "skipped");
    return;
  }
  printf(" %8.4g %7lld %s%8lld%s %s%10lld%s %9.1e %9.1e %10.5g %9.1e %7.2f s", summary->run.time,
         (long long)summary->run.steps, terminal_style(stdout, summary->run.steps_uncertified ? STYLE_BAD : STYLE_GOOD),
         (long long)summary->run.steps_uncertified, terminal_style(stdout, STYLE_PLAIN),
         terminal_style(stdout, summary->run.steps_unresolved ? STYLE_BAD : STYLE_GOOD),
         (long long)summary->run.steps_unresolved, terminal_style(stdout, STYLE_PLAIN), summary->run.residual_max,
         summary->run.residual_exact_max, summary->run.energy_final, row->rise, summary->wall);
  print_relation(row);
  printf("%s\n", row->state == ROW_CUT ? " (cut)" : "");
}

/* What a reader must know, only when it happened. */
static void print_remarks(const CompareRow *rows, int count, const char *scene) {
  bool cut = false, branch = false, relaxed = false;
  int64_t unchecked = 0, shared = 0, unshared = 0;
  for (int i = 0; i < count; i++) {
    if (has_numbers(&rows[i])) {
      unchecked = rows[i].summary.run.steps_unchecked > unchecked ? rows[i].summary.run.steps_unchecked : unchecked;
      shared = rows[i].summary.run.steps_shared > shared ? rows[i].summary.run.steps_shared : shared;
      unshared = rows[i].summary.run.steps_unshared > unshared ? rows[i].summary.run.steps_unshared : unshared;
    }
    cut = cut || rows[i].state == ROW_CUT;
    branch = branch || (has_numbers(&rows[i]) && rows[i].relation == RELATION_BRANCH);
    relaxed = relaxed || (has_numbers(&rows[i]) && rows[i].options.cone == ASP_CONE_RELAXED);
  }
  if (relaxed)
    printf("'relaxed' is the convex relaxation, not Coulomb's law: what slides also lifts\n");
  if (branch)
    printf("'another solution': both obey the law to the tolerance, so the step's problem has several solutions;\n"
           "asperity analyze %s --level step lists those of the initial state\n",
           scene);
  if (unchecked > 0)
    printf("several solutions: not checked in up to %lld steps of a row\n", (long long)unchecked);
  if (shared > 0 || unshared > 0)
    printf("load sharing: chosen in up to %lld steps of a row, not chosen in up to %lld\n", (long long)shared,
           (long long)unshared);
  if (cut)
    printf("(cut): stopped by the time limit; raise it with --row-time\n");
}

static void print_table(const AspScene *scene, const char *path, const CompareRow *rows, int count) {
  AspScheme scheme = ASP_SCHEME_COUNT; // none yet
  printf("%s%s%s, dt = %g s, tolerance %g\n", terminal_style(stdout, STYLE_STRONG), scene->name,
         terminal_style(stdout, STYLE_PLAIN), scene->run.dt, scene->run.tolerance);
  for (int i = 0; i < count; i++) {
    if (rows[i].options.scheme != scheme) {
      scheme = rows[i].options.scheme;
      printf("%s%s%s\n  %-13s %-6s %8s %7s %8s %10s %9s %9s %10s %9s %9s  final state\n",
             terminal_style(stdout, STYLE_STRONG), asp_scheme_names[scheme], terminal_style(stdout, STYLE_PLAIN),
             "friction", "solver", "t [s]", "steps", "missed", "unresolved", "residual", "exact", "energy [J]",
             "rise [m]", "time");
    }
    print_row(&rows[i]);
  }
  print_remarks(rows, count, path);
}

/* ---- the command ---- */

static int run_rows(const Session *session, const AspScene *scene, CompareRow *rows, int count, double seconds) {
  CompareTrack track = {0};
  AspScheme scheme = ASP_SCHEME_COUNT; // none yet
  Progress progress = progress_start(!session->quiet && !session->json);
  for (int i = 0; i < count; i++) {
    char text[80];
    if (rows[i].options.scheme != scheme) { // the first row of a scheme is the others' reference
      scheme = rows[i].options.scheme;
      free(track.position);
      track = (CompareTrack){0};
    }
    rows[i].state = ROW_SKIPPED;
    snprintf(text, sizeof text, "%s, %s, %s", asp_scheme_names[scheme], asp_cone_kind_names[rows[i].options.cone],
             asp_method_names[rows[i].options.method]);
    progress_update(&progress, (double)i / count, text);
    if (!interrupt_signal())
      compare_run(session, scene, &rows[i], &track, seconds);
  }
  progress_finish(&progress);
  free(track.position);
  return interrupt_signal() ? 128 + interrupt_signal() : EXIT_DONE;
}

static int compare_scene(const Session *session, const Arguments *arguments, const char *path, AspScene *scene,
                         const char *polar, double seconds) {
  int count = 0, code = arguments_apply(arguments, session, &scene->run);
  if (code != EXIT_DONE)
    return code;
  AspError error = asp_run_validate(session->context, &scene->run);
  if (error != ASP_OK)
    return session_fail_error(session, error);
  if (polar && (code = compare_write_polar(session, &scene->run, polar)) != EXIT_DONE)
    return code;
  CompareRow *rows = compare_rows(scene, &count);
  if (!rows)
    return session_fail(session, EXIT_FAILED, "out of memory");
  interrupt_listen(session->context);
  code = run_rows(session, scene, rows, count, seconds);
  if (session->json)
    write_json(rows, count, polar);
  else if (!session->quiet)
    print_table(scene, path, rows, count);
  free(rows);
  return code;
}

/* --row-time as a number of seconds. */
static int read_seconds(const Session *session, const char *text, double *seconds) {
  char *end = NULL;
  if (!text)
    return EXIT_DONE;
  *seconds = strtod(text, &end);
  if (end == text || *end || !(*seconds > 0) || isinf(*seconds))
    return session_fail(session, EXIT_USAGE, "--row-time %s: expected a positive number of seconds", text);
  return EXIT_DONE;
}

static int run_compare(Session *session, int count, char **words) {
  const char *polar = NULL, *row_time = NULL;
  FlagList set = {0};
  const Flag flags[] = {
      SET_FLAG(&set),
      {"polar", 0, "FILE.svg", "friction by direction of each model, as a polar plot", .text = &polar},
      {"row-time", 0, "S", "wall-clock seconds for each combination at most (1)", .text = &row_time}};
  int code = EXIT_DONE, field_count = asp_run_field_count();
  const AspField *fields = asp_run_fields();
  Arguments arguments = {
      .flags = flags, .flag_count = 3, .fields = fields, .field_count = field_count, .least = 1, .most = 1};
  double seconds = SECONDS_DEFAULT;
  if (!arguments_read(&arguments, session, count, words, &code))
    return code;
  if ((code = read_seconds(session, row_time, &seconds)) != EXIT_DONE)
    return code;
  AspScene scene = {0};
  AspMistakes mistakes = {0};
  const AspSettings settings = settings_of(&set);
  AspError error = asp_scene_read_set(session->context, arguments.words[0], &settings, &scene, &mistakes);
  if (error == ASP_OK) {
    code = compare_scene(session, &arguments, arguments.words[0], &scene, polar, seconds);
    asp_scene_destroy(session->context, &scene);
  } else
    code = session_fail_scene(session, error, arguments.words[0], &mistakes);
  asp_mistakes_destroy(session->context, &mistakes);
  return code;
}

const Command command_compare = {
    .name = "compare",
    .arguments = "SCENE.json",
    .summary = "one scene through every scheme, friction model and solver",
    .details =
        "Runs the scene through every combination of scheme, friction model (exact cone, inscribed and circumscribed\n"
        "polygon, convex relaxation) and solver that applies, each for at most one second (see --row-time), and\n"
        "prints a table: steps that missed the tolerance, steps that are not resolved (asperity run --help), the\n"
        "largest residual against the model's own law and\n"
        "against the exact cone, final energy, the largest rise of a body, and the distance of the final state from\n"
        "that of the first row.\n"
        "Rows of the same law that differ although both are certified are solutions of a problem that has several.\n"
        "Missed tolerances and unresolved steps are shown in the table; the exit code is 0 all the same.",
    .examples = "  asperity compare scenes/sphere-slides-then-rolls.json\n"
                "  asperity compare scenes/sphere-slides-then-rolls.json --directions 8 --polar friction.svg\n",
    .run = run_compare,
};
