/* asperity converge: one scene with ever shorter steps; orders, extrapolated values and their error bars. */
#include "arguments.h"
#include "converge.h"
#include "interrupt.h"
#include "json.h"
#include "scene_flags.h"
#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS_SHOWN_MAX 30

/* ---- as JSON ---- */

static void write_level(Json *json, const ConvergeLevel *level) {
  json_object(json, NULL);
  json_number(json, "dt", level->dt);
  json_flag(json, "done", level->done);
  if (!level->done)
    json_text(json, "message", *level->message ? level->message : "not reached");
  json_number(json, "time", level->summary.run.time);
  json_integer(json, "steps", level->summary.run.steps);
  json_integer(json, "steps_uncertified", level->summary.run.steps_uncertified);
  json_number(json, "wall_s", level->summary.wall);
  json_end(json);
}

static void write_row(Json *json, const ConvergeRow *row, int levels) {
  json_object(json, NULL);
  json_text(json, "quantity", row->quantity->name);
  json_text(json, "unit", row->quantity->unit);
  json_numbers(json, "values", row->value, levels);
  json_text(json, "state", converge_state_names[row->state]);
  json_number(json, "order", row->order);
  json_number(json, "extrapolated", row->extrapolated);
  json_number(json, "error", row->error);
  json_end(json);
}

static void write_json(const Converge *converge, const ConvergeVerdict *verdict) {
  Json json = json_start(stdout);
  json_text(&json, "scene", converge->scene->name);
  json_text(&json, "scheme", asp_scheme_names[converge->scene->run.scheme]);
  json_number(&json, "until", converge->scene->run.until);
  json_flag(&json, "converged", verdict->converged);
  json_number(&json, "converges_until", verdict->motion_lost ? verdict->until : converge->scene->run.until);
  json_text(&json, "reason", *verdict->reason ? verdict->reason : NULL);
  json_integer(&json, "steps_uncertified", verdict->uncertified);
  json_numbers(&json, "dt", verdict->dt, verdict->levels);
  json_array(&json, "levels");
  for (int l = 0; l < converge->level_count; l++)
    write_level(&json, &converge->level[l]);
  json_end(&json);
  json_array(&json, "rows");
  for (int i = 0; i < verdict->row_count; i++)
    write_row(&json, &verdict->row[i], verdict->levels);
  json_end(&json);
  json_finish(&json);
}

/* ---- as text ---- */

static void print_levels(const Converge *converge) {
  printf("%s%s%s, %s, until t = %g s\n  %-12s %10s %8s %10s\n", terminal_style(stdout, STYLE_STRONG),
         converge->scene->name, terminal_style(stdout, STYLE_PLAIN), asp_scheme_names[converge->scene->run.scheme],
         converge->scene->run.until, "dt [s]", "steps", "missed", "time");
  for (int l = 0; l < converge->level_count; l++) {
    const ConvergeLevel *level = &converge->level[l];
    bool missed = level->summary.run.steps_uncertified > 0;
    printf("  %-12g %10lld %s%8lld%s %8.2f s%s%s\n", level->dt, (long long)level->summary.run.steps,
           missed ? terminal_style(stdout, STYLE_BAD) : "", (long long)level->summary.run.steps_uncertified,
           missed ? terminal_style(stdout, STYLE_PLAIN) : "", level->summary.wall,
           level->done ? "" : "  left out: ", level->message);
  }
}

static void print_row(const ConvergeRow *row, int width) {
  printf("  %-*s %-6s ", width, row->quantity->name, row->quantity->unit);
  if (row->state == CONVERGE_NONE) {
    printf("%s%6s  does not converge%s\n", terminal_style(stdout, STYLE_BAD), "", terminal_style(stdout, STYLE_PLAIN));
    return;
  }
  if (isnan(row->order))
    printf("%6s", "");
  else
    printf("%6.2f", row->order);
  printf("  %16.9g +- %-8.1e", row->extrapolated, row->error);
  printf("%s\n", row->state == CONVERGE_IRREGULAR ? " irregular"
                 : row->state == CONVERGE_SETTLED ? " no change beyond the tolerance"
                                                  : "");
}

/* The least converged first: those without limit, then by error over scale. */
static int compare_rows(const void *a, const void *b) {
  const ConvergeRow *one = *(const ConvergeRow *const *)a, *two = *(const ConvergeRow *const *)b;
  double first = one->state == CONVERGE_NONE ? HUGE_VAL : one->error / fmax(one->scale, 1e-300);
  double second = two->state == CONVERGE_NONE ? HUGE_VAL : two->error / fmax(two->scale, 1e-300);
  if (first != second)
    return first > second ? -1 : 1;
  return one < two ? -1 : one > two;
}

static void print_rows(const ConvergeVerdict *verdict) {
  const ConvergeRow **shown = calloc((size_t)verdict->row_count, sizeof *shown);
  int count = verdict->row_count < ROWS_SHOWN_MAX ? verdict->row_count : ROWS_SHOWN_MAX, width = 8;
  if (!shown)
    return;
  for (int i = 0; i < verdict->row_count; i++)
    shown[i] = &verdict->row[i];
  if (verdict->row_count > count)
    qsort(shown, (size_t)verdict->row_count, sizeof *shown, compare_rows);
  for (int i = 0; i < count; i++) {
    int length = snprintf(NULL, 0, "%s", shown[i]->quantity->name);
    width = length > width ? length : width;
  }
  printf("  %-*s %-6s %6s  %16s    %s\n", width, "quantity", "unit", "order", "dt -> 0", "error");
  for (int i = 0; i < count; i++)
    print_row(shown[i], width);
  if (verdict->row_count > count)
    printf("  and %d more with smaller relative errors; --output chooses, --json lists all\n",
           verdict->row_count - count);
  free(shown);
}

static void print_verdict(const ConvergeVerdict *verdict) {
  const char *style = terminal_style(stdout, verdict->converged ? STYLE_GOOD : STYLE_BAD);
  const char *plain = terminal_style(stdout, STYLE_PLAIN);
  if (verdict->missing)
    printf("%s%d of %d quantities do not converge%s: %s\n", style, verdict->missing, verdict->row_count, plain,
           verdict->reason);
  else
    printf("%sall %d quantities converge%s\n", style, verdict->row_count, plain);
  if (verdict->uncertified)
    printf("%s%lld steps missed their tolerance%s: what they give is not a solution of their step\n",
           terminal_style(stdout, STYLE_BAD), verdict->uncertified, plain);
}

/* ---- the command ---- */

/* Fewer than three lengths of step ran to the end. */
static int report_few(const Session *session, const Converge *converge) {
  for (int l = 0; l < converge->level_count; l++)
    if (!converge->level[l].done)
      return session_fail(session, EXIT_FAILED, "at least %d lengths of step must run to the end; dt = %g s: %s",
                          CONVERGE_LEVELS_MIN, converge->level[l].dt,
                          *converge->level[l].message ? converge->level[l].message : "not reached");
  return EXIT_FAILED;
}

static int conclude(const Session *session, const Converge *converge, const char *svg) {
  ConvergeVerdict verdict;
  if (!converge_judge(converge, &verdict))
    return session_fail(session, EXIT_FAILED, "out of memory");
  int code = EXIT_DONE;
  if (verdict.levels < CONVERGE_LEVELS_MIN)
    code = interrupt_signal() ? 128 + interrupt_signal() : report_few(session, converge);
  else if (svg)
    code = converge_plot(session, &verdict, converge->scene->name, svg);
  if (code == EXIT_DONE && session->json) {
    write_json(converge, &verdict);
  } else if (code == EXIT_DONE && !session->quiet) {
    print_levels(converge);
    print_rows(&verdict);
    print_verdict(&verdict);
  }
  if (code == EXIT_DONE)
    code = interrupt_signal() ? 128 + interrupt_signal() : verdict.converged ? EXIT_DONE : EXIT_MISSED;
  converge_verdict_destroy(&verdict);
  return code;
}

static int converge_scene(const Session *session, const Arguments *arguments, AspScene *scene, int levels,
                          const char *output, const char *svg) {
  int code = arguments_apply(arguments, session, &scene->run);
  if (code != EXIT_DONE)
    return code;
  AspError error = asp_run_validate(session->context, &scene->run);
  if (error != ASP_OK)
    return session_fail_error(session, error);
  if (!(scene->run.until > 0))
    return session_fail(session, EXIT_USAGE, "--until: %g s leaves no steps to compare", scene->run.until);
  Converge converge = {.scene = scene, .level_count = levels};
  code = quantities_choose(session, scene->model, output, &converge.quantities);
  if (code == EXIT_DONE) {
    interrupt_listen(session->context);
    int ran = converge_run(session, &converge);
    code = ran == EXIT_DONE || ran > 128 ? conclude(session, &converge, svg) : ran;
  }
  converge_destroy(&converge);
  return code;
}

/* --levels as a number. */
static int read_levels(const Session *session, const char *text, int *levels) {
  char *end = NULL;
  if (!text)
    return EXIT_DONE;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (errno || end == text || *end || value < CONVERGE_LEVELS_MIN || value > CONVERGE_LEVELS_MAX)
    return session_fail(session, EXIT_USAGE, "--levels %s: expected a number from %d to %d", text, CONVERGE_LEVELS_MIN,
                        CONVERGE_LEVELS_MAX);
  *levels = (int)value;
  return EXIT_DONE;
}

static int run_converge(Session *session, int count, char **words) {
  const char *level_text = NULL, *output = NULL, *svg = NULL;
  FlagList set = {0};
  const Flag flags[] = {
      SET_FLAG(&set),
      {"levels", 0, "N", "lengths of step: dt, dt/2, ..., N of them, 3 to 12 (4)", .text = &level_text},
      {"output", 0, "NAME,...", "quantities: bodies, joints, kinds, or both: ball.position.x", .text = &output},
      {"svg", 0, "FILE.svg", "differences over dt as a plot", .text = &svg}};
  int code = EXIT_DONE, levels = CONVERGE_LEVELS_DEFAULT;
  Arguments arguments = {.flags = flags, .flag_count = 4, .least = 1, .most = 1};
  arguments.fields = asp_run_fields();
  arguments.field_count = asp_run_field_count();
  if (!arguments_read(&arguments, session, count, words, &code))
    return code;
  if ((code = read_levels(session, level_text, &levels)) != EXIT_DONE)
    return code;
  AspScene scene = {0};
  AspMistakes mistakes = {0};
  const AspSettings settings = settings_of(&set);
  AspError error = asp_scene_read_set(session->context, arguments.words[0], &settings, &scene, &mistakes);
  if (error == ASP_OK) {
    code = converge_scene(session, &arguments, &scene, levels, output, svg);
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
        "Quantities (--output, a list with commas; default: position, orientation, energy):\n" QUANTITY_KINDS "\n"
        "and names of bodies and joints, alone or before a kind: ball, ball.position, ball.position.x, bodies,\n"
        "joints, all.\n"
        "Exit code 0: everything converges and every step is certified; 1: not.",
    .examples = "  asperity converge scenes/sphere-slides-then-rolls.json\n"
                "  asperity converge --levels 5 --output ball.velocity,energy.total --svg orders.svg "
                "scenes/sphere-slides-then-rolls.json\n",
    .run = run_converge,
};
