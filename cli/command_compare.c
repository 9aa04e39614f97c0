/* asperity compare: one scene through every scheme, friction model and solver that applies, side by side. */
#include "arguments.h"
#include "compare.h"
#include "interrupt.h"
#include "json.h"
#include "scene_flags.h"
#include "simulate.h"
#include "terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_numbers(const AspCompareRow *row) {
  return row->state == ASP_COMPARE_DONE || row->state == ASP_COMPARE_CUT;
}

/* ---- as JSON ---- */

static void write_row(Json *json, const AspCompareRow *row) {
  const AspRunSummary *summary = &row->summary;
  json_object(json, NULL);
  json_text(json, "scheme", asp_scheme_names[row->options.scheme]);
  json_text(json, "friction", asp_cone_kind_names[row->options.cone]);
  json_text(json, "solver", asp_method_names[row->options.method]);
  json_text(json, "state", asp_compare_state_name(row->state));
  if (has_numbers(row)) {
    json_number(json, "time", summary->time);
    json_integer(json, "steps", summary->steps);
    json_integer(json, "steps_uncertified", summary->steps_uncertified);
    json_integer(json, "steps_unresolved", summary->steps_unresolved);
    json_integer(json, "steps_not_checked", summary->steps_unchecked);
    json_integer(json, "steps_with_load_sharing", summary->steps_shared);
    json_integer(json, "steps_with_load_sharing_not_chosen", summary->steps_unshared);
    json_number(json, "residual_max", summary->residual_max);
    json_number(json, "residual_exact_max", summary->residual_exact_max);
    json_number(json, "penetration_max", summary->penetration_max);
    json_number(json, "energy_final", summary->energy_final);
    json_number(json, "rise_max", row->rise);
    json_text(json, "relation", asp_compare_relation_name(row->relation));
    json_number(json, "difference", row->difference);
    if (row->relation == ASP_RELATION_BRANCH || row->relation == ASP_RELATION_DRIFT)
      json_number(json, "parted", row->parted);
    json_number(json, "wall_s", row->wall);
  } else
    json_text(json, "message", row->message);
  json_end(json);
}

static void write_json(const AspCompareRow *rows, int count, const char *polar) {
  Json json = json_start(stdout);
  json_array(&json, "rows");
  for (int i = 0; i < count; i++)
    write_row(&json, &rows[i]);
  json_end(&json);
  json_text(&json, "polar", polar);
  json_finish(&json);
}

/* ---- as text ---- */

static void print_relation(const AspCompareRow *row) {
  switch (row->relation) {
  case ASP_RELATION_REFERENCE:
    printf("  reference");
    break;
  case ASP_RELATION_SAME:
    printf("  same, %.1e m apart", row->difference);
    break;
  case ASP_RELATION_OTHER_LAW:
    printf("  another law: %.2e m apart", row->difference);
    break;
  case ASP_RELATION_BRANCH:
    printf("  another solution from t = %.6g s on: %.2e m apart", row->parted, row->difference);
    break;
  case ASP_RELATION_DRIFT:
    printf("  drifts apart from t = %.6g s on: %.2e m", row->parted, row->difference);
    break;
  default:
    printf("  %.2e m apart, after steps that missed", row->difference);
  }
}

static void print_row(const AspCompareRow *row) {
  const AspRunSummary *summary = &row->summary;
  printf("  %-13s %-6s", asp_cone_kind_names[row->options.cone], asp_method_names[row->options.method]);
  if (!has_numbers(row)) {
    printf("  %s\n", row->state == ASP_COMPARE_REFUSED ? row->message : "skipped");
    return;
  }
  printf(" %8.4g %7lld %s%8lld%s %s%10lld%s %9.1e %9.1e %10.5g %9.1e %7.2f s", summary->time, (long long)summary->steps,
         terminal_style(stdout, summary->steps_uncertified ? STYLE_BAD : STYLE_GOOD),
         (long long)summary->steps_uncertified, terminal_style(stdout, STYLE_PLAIN),
         terminal_style(stdout, summary->steps_unresolved ? STYLE_BAD : STYLE_GOOD),
         (long long)summary->steps_unresolved, terminal_style(stdout, STYLE_PLAIN), summary->residual_max,
         summary->residual_exact_max, summary->energy_final, row->rise, row->wall);
  print_relation(row);
  printf("%s\n", row->state == ASP_COMPARE_CUT ? " (cut)" : "");
}

/* What a reader must know, only when it happened. */
static void print_remarks(const AspCompareRow *rows, int count, const char *scene) {
  bool cut = false, branch = false, relaxed = false;
  int64_t unchecked = 0, shared = 0, unshared = 0;
  for (int i = 0; i < count; i++) {
    if (has_numbers(&rows[i])) {
      unchecked = rows[i].summary.steps_unchecked > unchecked ? rows[i].summary.steps_unchecked : unchecked;
      shared = rows[i].summary.steps_shared > shared ? rows[i].summary.steps_shared : shared;
      unshared = rows[i].summary.steps_unshared > unshared ? rows[i].summary.steps_unshared : unshared;
    }
    cut = cut || rows[i].state == ASP_COMPARE_CUT;
    branch = branch || (has_numbers(&rows[i]) && rows[i].relation == ASP_RELATION_BRANCH);
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

static void print_table(const AspScene *scene, const char *path, const AspCompareRow *rows, int count) {
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

static void show(void *progress, double done, const char *text) { progress_update(progress, done, text); }

static int compare_scene(const Session *session, const Arguments *arguments, const char *path, AspScene *scene,
                         const char *polar, AspCompareOptions *options) {
  int code = arguments_apply(arguments, session, &scene->run);
  if (code != EXIT_DONE)
    return code;
  AspError error = asp_run_validate(session->context, &scene->run);
  if (error != ASP_OK)
    return session_fail_error(session, error);
  if (polar && (code = compare_write_polar(session, &scene->run, polar)) != EXIT_DONE)
    return code;
  interrupt_listen(session->context);
  Progress progress = progress_start(!session->quiet && !session->json);
  options->progress = show;
  options->progress_user = &progress;
  AspComparison found;
  error = asp_compare(session->context, scene->model, &scene->run, options, &found);
  progress_finish(&progress);
  if (error != ASP_OK && error != ASP_ERROR_INTERRUPTED)
    return session_fail_error(session, error);
  if (session->json)
    write_json(found.row, found.count, polar);
  else if (!session->quiet)
    print_table(scene, path, found.row, found.count);
  asp_comparison_destroy(session->context, &found);
  return interrupt_signal() ? 128 + interrupt_signal() : EXIT_DONE;
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
  AspCompareOptions options = asp_compare_default_options();
  if (!arguments_read(&arguments, session, count, words, &code))
    return code;
  if ((code = read_seconds(session, row_time, &options.row_time)) != EXIT_DONE)
    return code;
  AspScene scene = {0};
  AspMistakes mistakes = {0};
  const AspSettings settings = settings_of(&set);
  AspError error = asp_scene_read_set(session->context, arguments.words[0], &settings, &scene, &mistakes);
  if (error == ASP_OK) {
    code = compare_scene(session, &arguments, arguments.words[0], &scene, polar, &options);
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
