/* asperity converge: one scene with ever shorter steps; orders, extrapolated values and their error bars. */
#include "arguments.h"
#include "converge.h"
#include "interrupt.h"
#include "json.h"
#include "scene_flags.h"
#include "simulate.h"
#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS_SHOWN_MAX 30

/* ---- as JSON ---- */

static void write_level(Json *json, const AspConvergeLevel *level) {
  json_object(json, NULL);
  json_number(json, "dt", level->dt);
  json_flag(json, "done", level->done);
  if (!level->done)
    json_text(json, "message", *level->message ? level->message : "not reached");
  json_number(json, "time", level->summary.time);
  json_integer(json, "steps", level->summary.steps);
  json_integer(json, "steps_uncertified", level->summary.steps_uncertified);
  json_number(json, "wall_s", level->wall);
  json_end(json);
}

static void write_row(Json *json, const AspConvergeRow *row, int levels) {
  json_object(json, NULL);
  json_text(json, "quantity", row->name);
  json_text(json, "unit", row->unit);
  json_numbers(json, "values", row->value, levels);
  json_text(json, "state", asp_converge_state_name(row->state));
  json_number(json, "order", row->order);
  json_number(json, "extrapolated", row->extrapolated);
  json_number(json, "error", row->error);
  json_end(json);
}

static void write_json(const AspScene *scene, const AspConvergence *found) {
  Json json = json_start(stdout);
  json_text(&json, "scene", scene->name);
  json_text(&json, "scheme", asp_scheme_names[scene->run.scheme]);
  json_number(&json, "until", scene->run.until);
  json_flag(&json, "converged", found->converged);
  json_number(&json, "converges_until", found->motion_lost ? found->until : scene->run.until);
  json_text(&json, "reason", *found->reason ? found->reason : NULL);
  json_integer(&json, "steps_uncertified", found->uncertified);
  json_numbers(&json, "dt", found->dt, found->levels);
  json_array(&json, "levels");
  for (int l = 0; l < found->level_count; l++)
    write_level(&json, &found->level[l]);
  json_end(&json);
  json_array(&json, "rows");
  for (int i = 0; i < found->row_count; i++)
    write_row(&json, &found->row[i], found->levels);
  json_end(&json);
  json_finish(&json);
}

/* ---- as text ---- */

static void print_levels(const AspScene *scene, const AspConvergence *found) {
  printf("%s%s%s, %s, until t = %g s\n  %-12s %10s %8s %10s\n", terminal_style(stdout, STYLE_STRONG), scene->name,
         terminal_style(stdout, STYLE_PLAIN), asp_scheme_names[scene->run.scheme], scene->run.until, "dt [s]", "steps",
         "missed", "time");
  for (int l = 0; l < found->level_count; l++) {
    const AspConvergeLevel *level = &found->level[l];
    bool missed = level->summary.steps_uncertified > 0;
    printf("  %-12g %10lld %s%8lld%s %8.2f s%s%s\n", level->dt, (long long)level->summary.steps,
           missed ? terminal_style(stdout, STYLE_BAD) : "", (long long)level->summary.steps_uncertified,
           missed ? terminal_style(stdout, STYLE_PLAIN) : "", level->wall,
           level->done ? "" : "  left out: ", level->message);
  }
}

static void print_row(const AspConvergeRow *row, int width) {
  printf("  %-*s %-6s ", width, row->name, row->unit);
  if (row->state == ASP_CONVERGE_NONE) {
    printf("%s%6s  does not converge%s\n", terminal_style(stdout, STYLE_BAD), "", terminal_style(stdout, STYLE_PLAIN));
    return;
  }
  if (isnan(row->order))
    printf("%6s", "");
  else
    printf("%6.2f", row->order);
  printf("  %16.9g +- %-8.1e", row->extrapolated, row->error);
  printf("%s\n", row->state == ASP_CONVERGE_IRREGULAR ? " irregular"
                 : row->state == ASP_CONVERGE_SETTLED ? " no change beyond the tolerance"
                                                      : "");
}

/* The least converged first: those without limit, then by error over scale. */
static int compare_rows(const void *a, const void *b) {
  const AspConvergeRow *one = *(const AspConvergeRow *const *)a, *two = *(const AspConvergeRow *const *)b;
  double first = one->state == ASP_CONVERGE_NONE ? HUGE_VAL : one->error / fmax(one->scale, 1e-300);
  double second = two->state == ASP_CONVERGE_NONE ? HUGE_VAL : two->error / fmax(two->scale, 1e-300);
  if (first != second)
    return first > second ? -1 : 1;
  return one < two ? -1 : one > two;
}

static void print_rows(const AspConvergence *found) {
  const AspConvergeRow **shown = calloc((size_t)found->row_count, sizeof *shown);
  int count = found->row_count < ROWS_SHOWN_MAX ? found->row_count : ROWS_SHOWN_MAX, width = 8;
  if (!shown)
    return;
  for (int i = 0; i < found->row_count; i++)
    shown[i] = &found->row[i];
  if (found->row_count > count)
    qsort(shown, (size_t)found->row_count, sizeof *shown, compare_rows);
  for (int i = 0; i < count; i++) {
    int length = snprintf(NULL, 0, "%s", shown[i]->name);
    width = length > width ? length : width;
  }
  printf("  %-*s %-6s %6s  %16s    %s\n", width, "quantity", "unit", "order", "dt -> 0", "error");
  for (int i = 0; i < count; i++)
    print_row(shown[i], width);
  if (found->row_count > count)
    printf("  and %d more with smaller relative errors; --output chooses, --json lists all\n",
           found->row_count - count);
  free(shown);
}

static void print_verdict(const AspConvergence *found) {
  const char *style = terminal_style(stdout, found->converged ? STYLE_GOOD : STYLE_BAD);
  const char *plain = terminal_style(stdout, STYLE_PLAIN);
  if (found->missing)
    printf("%s%d of %d quantities do not converge%s: %s\n", style, found->missing, found->row_count, plain,
           found->reason);
  else
    printf("%sall %d quantities converge%s\n", style, found->row_count, plain);
  if (found->uncertified)
    printf("%s%lld steps missed their tolerance%s: what they give is not a solution of their step\n",
           terminal_style(stdout, STYLE_BAD), (long long)found->uncertified, plain);
}

/* ---- the command ---- */

static int conclude(const Session *session, const AspScene *scene, const AspConvergence *found, const char *svg) {
  int code = EXIT_DONE, stopped = interrupt_signal() ? 128 + interrupt_signal() : EXIT_DONE;
  if (found->row_count == 0)
    return stopped ? stopped : session_fail(session, EXIT_FAILED, "%s", found->reason);
  if (svg)
    code = converge_plot(session, found, scene->name, svg);
  if (code != EXIT_DONE)
    return code;
  if (session->json) {
    write_json(scene, found);
  } else if (!session->quiet) {
    print_levels(scene, found);
    print_rows(found);
    print_verdict(found);
  }
  return stopped ? stopped : found->converged ? EXIT_DONE : EXIT_MISSED;
}

static void show(void *progress, double done, const char *text) { progress_update(progress, done, text); }

static int converge_scene(const Session *session, const Arguments *arguments, AspScene *scene,
                          AspConvergeOptions *options, const char *svg) {
  int code = arguments_apply(arguments, session, &scene->run);
  if (code != EXIT_DONE)
    return code;
  AspError error = asp_run_validate(session->context, &scene->run);
  if (error != ASP_OK)
    return session_fail_error(session, error);
  interrupt_listen(session->context);
  Progress progress = progress_start(!session->quiet && !session->json);
  options->progress = show;
  options->progress_user = &progress;
  AspConvergence found;
  error = asp_converge(session->context, scene->model, &scene->run, options, &found);
  progress_finish(&progress);
  if (error == ASP_ERROR_ARGUMENT) // --output and --until are the user's words
    return session_fail(session, EXIT_USAGE, "--%s", asp_context_message(session->context));
  if (error != ASP_OK && error != ASP_ERROR_INTERRUPTED)
    return session_fail_error(session, error);
  code = conclude(session, scene, &found, svg);
  asp_convergence_destroy(session->context, &found);
  return code;
}

/* --levels as a number. */
static int read_levels(const Session *session, const char *text, int *levels) {
  char *end = NULL;
  if (!text)
    return EXIT_DONE;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (errno || end == text || *end || value < ASP_CONVERGE_LEVELS_MIN || value > ASP_CONVERGE_LEVELS_MAX)
    return session_fail(session, EXIT_USAGE, "--levels %s: expected a number from %d to %d", text,
                        ASP_CONVERGE_LEVELS_MIN, ASP_CONVERGE_LEVELS_MAX);
  *levels = (int)value;
  return EXIT_DONE;
}

static int run_converge(Session *session, int count, char **words) {
  const char *level_text = NULL, *svg = NULL;
  AspConvergeOptions options = asp_converge_default_options();
  FlagList set = {0};
  const Flag flags[] = {
      SET_FLAG(&set),
      {"levels", 0, "N", "lengths of step: dt, dt/2, ..., N of them, 3 to 12 (4)", .text = &level_text},
      {"output", 0, "NAME,...", "quantities: bodies, joints, kinds, or both: ball.position.x", .text = &options.output},
      {"svg", 0, "FILE.svg", "differences over dt as a plot", .text = &svg}};
  int code = EXIT_DONE;
  Arguments arguments = {.flags = flags, .flag_count = 4, .least = 1, .most = 1};
  arguments.fields = asp_run_fields();
  arguments.field_count = asp_run_field_count();
  if (!arguments_read(&arguments, session, count, words, &code))
    return code;
  if ((code = read_levels(session, level_text, &options.levels)) != EXIT_DONE)
    return code;
  AspScene scene = {0};
  AspMistakes mistakes = {0};
  const AspSettings settings = settings_of(&set);
  AspError error = asp_scene_read_set(session->context, arguments.words[0], &settings, &scene, &mistakes);
  if (error == ASP_OK) {
    code = converge_scene(session, &arguments, &scene, &options, svg);
    asp_scene_destroy(session->context, &scene);
  } else {
    code = session_fail_scene(session, error, arguments.words[0], &mistakes);
  }
  asp_mistakes_destroy(session->context, &mistakes);
  return code;
}

const Command command_converge = {
    .name = "converge",
    .arguments = "SCENE.json",
    .summary = "one scene at dt, dt/2, ...: orders, extrapolated values, error bars",
    .details =
        "Runs the scene with steps of dt, dt/2, dt/4, ... and compares what they give at the end: the order at which\n"
        "each quantity converges, its value for dt -> 0 and an error bar. Where differences do not shrink, it says\n"
        "so, and up to when positions converge: a chaotic or not unique motion has no limit to find.\n"
        "Quantities (--output, a list with commas; default: position, orientation, energy):\n" ASP_CONVERGE_QUANTITIES
        "\n"
        "and names of bodies and joints, alone or before a kind: ball, ball.position, ball.position.x, bodies,\n"
        "joints, all.\n"
        "Exit code 0: everything converges and every step is certified; 1: not.",
    .examples = "  asperity converge scenes/sphere-slides-then-rolls.json\n"
                "  asperity converge --levels 5 --output ball.velocity,energy.total --svg orders.svg "
                "scenes/sphere-slides-then-rolls.json\n",
    .run = run_converge,
};
