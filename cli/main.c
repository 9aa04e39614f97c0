/* The program: picks the command from one table and hands it the words that follow. */
#include "arguments.h"
#include "command.h"
#include "crash.h"
#include "json.h"
#include "terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const Command *const commands[] = {
    &command_run,    &command_validate, &command_info,       &command_import,   &command_convert,
    &command_report, &command_view,     &command_playground, &command_solve,    &command_analyze,
    &command_bench,  &command_sweep,    &command_compare,    &command_converge, &command_reproduce,
};
#define COMMAND_COUNT ((int)(sizeof commands / sizeof *commands))

#define DESCRIPTION "multibody dynamics with unilateral contact and exact Coulomb friction"
#define EXIT_CODES                                                                                                     \
  "0 done, certified and resolved, 1 finished but something missed its tolerance, 2 bad input or\n"                    \
  "usage, 3 internal failure or a full disk; 130 after Ctrl-C (128 + signal)"

static void print_overview(FILE *stream) {
  fprintf(stream,
          "%sasperity%s: " DESCRIPTION "\n\n"
          "usage: asperity COMMAND [FLAGS] ...\n\ncommands:\n",
          terminal_style(stream, STYLE_STRONG), terminal_style(stream, STYLE_PLAIN));
  for (int i = 0; i < COMMAND_COUNT; i++)
    fprintf(stream, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
  fprintf(stream, "\nasperity COMMAND --help explains one, with examples; asperity --version names the version.\n"
                  "exit codes: " EXIT_CODES "\n");
}

static void write_overview(void) {
  Json json = json_start(stdout);
  json_text(&json, "version", asp_version());
  json_text(&json, "summary", DESCRIPTION);
  json_text(&json, "usage", "asperity COMMAND [FLAGS] ...");
  json_text(&json, "exit_codes", EXIT_CODES);
  json_array(&json, "commands");
  for (int i = 0; i < COMMAND_COUNT; i++) {
    json_object(&json, NULL);
    json_text(&json, "name", commands[i]->name);
    json_text(&json, "summary", commands[i]->summary);
    json_end(&json);
  }
  json_end(&json);
  json_finish(&json);
}

static int show_version(bool as_json) {
  if (!as_json) {
    printf("asperity %s\n", asp_version());
    return EXIT_DONE;
  }
  Json json = json_start(stdout);
  json_text(&json, "version", asp_version());
  json_finish(&json);
  return EXIT_DONE;
}

static const Command *find_command(const char *name) {
  for (int i = 0; i < COMMAND_COUNT; i++)
    if (strcmp(commands[i]->name, name) == 0)
      return commands[i];
  return NULL;
}

/* The error as JSON; it is on stderr as text already. */
static int fail(bool as_json, const char *message) {
  if (as_json) {
    Json json = json_start(stdout);
    json_text(&json, "error", message);
    json_finish(&json);
  }
  return EXIT_USAGE;
}

static int unknown_command(const char *word, bool as_json) {
  const char *names[COMMAND_COUNT];
  char message[256];
  for (int i = 0; i < COMMAND_COUNT; i++)
    names[i] = commands[i]->name;
  const char *nearest = asp_nearest_name(word, names, COMMAND_COUNT);
  snprintf(message, sizeof message, "there is no command '%.100s'; %s%s%s", word,
           nearest ? "did you mean '" : "asperity --help", nearest ? nearest : " lists them", nearest ? "'?" : "");
  fprintf(stderr, "asperity: %s\n", message);
  return fail(as_json, message);
}

static int run_command(const Command *command, bool as_json, int count, char **words) {
  Session session = {.command = command, .context = asp_context_create(NULL), .json = as_json};
  if (!session.context)
    return session_fail(&session, EXIT_FAILED, "out of memory");
  int code = command->run(&session, count, words);
  asp_context_destroy(session.context);
  return code;
}

/* --json among the words, wherever it stands before "--". */
static bool wants_json(int count, char **words) {
  for (int i = 1; i < count && strcmp(words[i], "--") != 0; i++)
    if (strcmp(words[i], "--json") == 0)
      return true;
  return false;
}

static int show_overview(bool as_json) {
  if (as_json)
    write_overview();
  else
    print_overview(stdout);
  return EXIT_DONE;
}

static bool is_help(const char *word) {
  return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* "run --json scene", "--json --version", "help run" */
static int dispatch(int count, char **words) {
  bool as_json = wants_json(count, words);
  int first = 1;
  while (first < count && strcmp(words[first], "--json") == 0)
    first++;
  if (first == count) {
    print_overview(stderr);
    return fail(as_json, "no command given; asperity --help lists them");
  }
  if (strcmp(words[first], "--version") == 0)
    return show_version(as_json);
  bool help = is_help(words[first]);
  int named = first + help;
  while (named < count && strcmp(words[named], "--json") == 0)
    named++;
  if (named == count)
    return show_overview(as_json);
  const Command *command = find_command(words[named]);
  if (!command)
    return unknown_command(words[named], as_json);
  char help_word[] = "--help", json_word[] = "--json";
  char *help_words[] = {help_word, json_word};
  if (help)
    return run_command(command, as_json, 1 + as_json, help_words);
  return run_command(command, as_json, count - named - 1, words + named + 1);
}

/* Output that could not be written is an error, except where the reader closed the pipe. */
static int finish_output(int code) {
  errno = 0;
  bool failed = fflush(stdout) != 0 || ferror(stdout);
  if (!failed || errno == EPIPE)
    return code;
  fprintf(stderr, "asperity: standard output cannot be written: %s\n", errno ? strerror(errno) : "write error");
  return EXIT_FAILED;
}

int main(int count, char **words) {
  /* a closed pipe and a file size limit show as write errors instead of ending the program: files are
   * closed properly */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
#ifndef CLI_HAS_SANITIZER
  crash_listen();
#endif
  int code = finish_output(dispatch(count, words));
#ifndef CLI_HAS_SANITIZER
  // all files are closed; what libraries do at exit may hang or fail where memory was short (HDF5)
  _exit(code);
#endif
  return code;
}
