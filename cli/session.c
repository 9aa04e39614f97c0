/* Error reports of a session: one line on stderr, and with --json the same as a JSON object. */
#include "command.h"
#include "interrupt.h"
#include "json.h"
#include "terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int session_fail(const Session *session, int code, const char *format, ...) {
  char message[4096];
  va_list values;
  va_start(values, format);
  vsnprintf(message, sizeof message, format, values);
  va_end(values);
  fprintf(stderr, "%sasperity %s:%s ", terminal_style(stderr, STYLE_BAD), session->command->name,
          terminal_style(stderr, STYLE_PLAIN));
  terminal_print_plain(stderr, message);
  putc('\n', stderr);
  if (session->json) {
    Json json = json_start(stdout);
    json_text(&json, "error", message);
    json_finish(&json);
  }
  return code;
}

int exit_code_of(AspError error) {
  return error == ASP_ERROR_INTERRUPTED ? 128 + interrupt_signal() : asp_error_exit_code(error);
}

int exit_code_of_system(int reason) {
  return reason == ENOSPC || reason == EDQUOT || reason == EIO || reason == ENOMEM ? EXIT_FAILED : EXIT_USAGE;
}

/* What can be run first, by the file's first letter: a scene with its opening brace, a robot model with a tag; NULL: it
 * is neither. */
static const char *kind_to_run(const char *path) {
  FILE *file = fopen(path, "rb");
  int c = EOF;
  if (!file)
    return NULL;
  do
    c = getc(file);
  while (c == ' ' || c == '\t' || c == '\r' || c == '\n');
  fclose(file);
  return c == '{' ? "scene" : c == '<' ? "robot model" : NULL;
}

int session_fail_result(const Session *session, AspError error, const char *path) {
  const char *kind = error == ASP_ERROR_INPUT ? kind_to_run(path) : NULL;
  if (kind)
    return session_fail(session, EXIT_USAGE, "%s: this is a %s, not a result; run it first: asperity run %s", path,
                        kind, path);
  return session_fail_error(session, error);
}

int session_fail_error(const Session *session, AspError error) {
  const char *message = asp_context_message(session->context);
  return session_fail(session, exit_code_of(error), "%s", *message ? message : asp_error_name(error));
}

bool session_leads(const Session *session) { return !session->ranks || session->ranks->rank == 0; }

int session_agree(const Session *session, int code) {
  const AspRanks *ranks = session->ranks;
  if (!ranks)
    return code;
  int *said = calloc((size_t)ranks->ranks, sizeof *said);
  size_t *bytes = calloc((size_t)ranks->ranks, sizeof *bytes);
  int agreed = EXIT_FAILED;
  if (said && bytes) {
    said[ranks->rank] = code;
    for (int k = 0; k < ranks->ranks; k++)
      bytes[k] = sizeof *said;
    if (ranks->gather(ranks->user, said, bytes) == ASP_OK) {
      agreed = EXIT_DONE;
      for (int k = 0; k < ranks->ranks && agreed == EXIT_DONE; k++)
        agreed = said[k];
    }
  }
  free(said);
  free(bytes);
  return agreed;
}

bool same_file(const char *a, const char *b) {
  struct stat status_a, status_b;
  return stat(a, &status_a) == 0 && stat(b, &status_b) == 0 && status_a.st_dev == status_b.st_dev &&
         status_a.st_ino == status_b.st_ino;
}
