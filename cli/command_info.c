/* asperity info: what is in a file. */
#include "arguments.h"
#include "json.h"

#include "asperity/io.h"

#include <stdio.h>
#include <string.h>

static void print_line(void *user, const char *line) {
  (void)user;
  printf("%s\n", line);
}

/* "key: value" as a member of an object */
static void write_line(void *user, const char *line) {
  char key[128];
  const char *colon = strstr(line, ": ");
  size_t length = colon ? (size_t)(colon - line) : strlen(line);
  if (length >= sizeof key)
    length = sizeof key - 1;
  memcpy(key, line, length);
  key[length] = '\0';
  json_text((Json *)user, key, colon ? colon + 2 : "");
}

static int info(Session *session, int count, char **words) {
  Arguments arguments = {.least = 1, .most = 1};
  int code = EXIT_DONE;
  if (!arguments_read(&arguments, session, count, words, &code))
    return code;
  const char *path = arguments.words[0];
  if (!session->json) {
    AspError error = asp_file_info(session->context, path, print_line, NULL);
    return error == ASP_OK ? EXIT_DONE : session_fail_error(session, error);
  }
  Json json = json_start(stdout);
  json_text(&json, "file", path);
  json_object(&json, "properties");
  AspError error = asp_file_info(session->context, path, write_line, &json);
  json_end(&json);
  if (error != ASP_OK)
    json_text(&json, "error", asp_context_message(session->context));
  json_finish(&json);
  return exit_code_of(error);
}

const Command command_info = {
    .name = "info",
    .arguments = "FILE",
    .summary = "say what is in a file: scene, result or problem",
    .details = "Recognises scenes (JSON), results of a run, FCLIB problems and LCP files (HDF5), and prints what they\n"
               "hold, one property per line.",
    .examples = "  asperity info scenes/sphere-slides-then-rolls.json   bodies, joints, how it will run\n"
                "  asperity info sphere-slides-then-rolls.h5            steps, certificate, sizes",
    .run = info,
};
