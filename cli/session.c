/* Error reports of a session: one line on stderr, and the same as a JSON object for machines. */
#include "command.h"
#include "interrupt.h"
#include "json.h"
#include "terminal.h"

#include <stdio.h>

int session_fail(const Session *session, int code, const char *format, ...) {
  char message[4096];
  va_list values;
  va_start(values, format);
  vsnprintf(message, sizeof message, format, values);
  va_end(values);
  fprintf(stderr, "%sasperity %s:%s %s\n", terminal_style(stderr, STYLE_BAD), session->command->name,
          terminal_style(stderr, STYLE_PLAIN), message);
  if (session->json) {
    Json json = json_start(stdout);
    json_text(&json, "error", message);
    json_finish(&json);
  }
  return code;
}

int exit_code_of(AspError error) {
  switch (error) {
  case ASP_OK:
    return EXIT_DONE;
  case ASP_ERROR_ARGUMENT:
  case ASP_ERROR_INPUT:
  case ASP_ERROR_FILE:
  case ASP_ERROR_UNSUPPORTED:
  case ASP_ERROR_VALUE:
    return EXIT_USAGE;
  case ASP_ERROR_INTERRUPTED:
    return 128 + interrupt_signal();
  default:
    return EXIT_FAILED;
  }
}

int session_fail_error(const Session *session, AspError error) {
  const char *message = asp_context_message(session->context);
  return session_fail(session, exit_code_of(error), "%s", *message ? message : asp_error_text(error));
}
