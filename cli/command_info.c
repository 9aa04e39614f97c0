/* asperity info: what is in a file. */
#include "arguments.h"
#include "json.h"
#include "scene_flags.h"
#include "terminal.h"

#include "asperity/io.h"

#include <stdio.h>

/* "steps uncertified: 0" */
static void print_fact(void *user, const AspFact *fact) {
  (void)user;
  for (const char *c = fact->key; *c; c++)
    putchar(*c == '_' ? ' ' : *c);
  if (fact->kind == ASP_FACT_TEXT) {
    fputs(": ", stdout);
    terminal_print_plain(stdout, fact->text);
    putchar('\n');
  } else if (fact->kind == ASP_FACT_FLAG)
    printf(": %s\n", fact->number != 0 ? "yes" : "no");
  else
    printf(": %.9g%s%s\n", fact->number, *fact->unit ? " " : "", fact->unit);
}

static void write_fact(void *user, const AspFact *fact) {
  Json *json = user;
  if (fact->kind == ASP_FACT_TEXT)
    json_text(json, fact->key, fact->text);
  else if (fact->kind == ASP_FACT_FLAG)
    json_flag(json, fact->key, fact->number != 0);
  else
    json_number(json, fact->key, fact->number);
}

static int info(Session *session, int count, char **words) {
  FlagList set = {0};
  const Flag flags[] = {SET_FLAG(&set)};
  Arguments arguments = {.flags = flags, .flag_count = 1, .least = 1, .most = 1};
  int code = EXIT_DONE;
  if (!arguments_read(&arguments, session, count, words, &code))
    return code;
  const char *path = arguments.words[0];
  const AspSettings settings = settings_of(&set);
  if (!session->json) {
    AspError error = asp_file_info(session->context, path, &settings, print_fact, NULL);
    return error == ASP_OK ? EXIT_DONE : session_fail_error(session, error);
  }
  Json json = json_start(stdout);
  json_text(&json, "file", path);
  json_object(&json, "properties");
  AspError error = asp_file_info(session->context, path, &settings, write_fact, &json);
  json_end(&json);
  if (error != ASP_OK)
    json_text(&json, "error", asp_context_message(session->context));
  json_finish(&json);
  return exit_code_of(error);
}

const Command command_info = {
    .name = "info",
    .arguments = "FILE",
    .summary = "show what is in a file: scene, result or problem",
    .details = "Recognises scenes (JSON), results of a run, FCLIB problems and LCP files (HDF5), and prints what they\n"
               "hold, one property per line; with --json numbers in SI units.",
    .examples = "  asperity info scenes/sphere-slides-then-rolls.json   bodies, joints, how it will run\n"
                "  asperity info --set mu=0.5 scenes/gripper-squeeze.json   with another value of a parameter\n"
                "  asperity info sphere-slides-then-rolls.h5            steps, certificate, sizes",
    .run = info,
};
