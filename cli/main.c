/* The program: picks the command from one table and hands it the words that follow. */
#include "arguments.h"
#include "command.h"
#include "terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const Command *const commands[] = {
    &command_run,  &command_validate, &command_info,  &command_convert,   &command_report,
    &command_view, &command_solve,    &command_bench, &command_reproduce,
};
#define COMMAND_COUNT ((int)(sizeof commands / sizeof *commands))

static void print_overview(FILE *stream) {
  fprintf(stream,
          "%sasperity%s: multibody dynamics with unilateral contact and exact Coulomb friction\n\n"
          "usage: asperity COMMAND [FLAGS] ...\n\ncommands:\n",
          terminal_style(stream, STYLE_STRONG), terminal_style(stream, STYLE_PLAIN));
  for (int i = 0; i < COMMAND_COUNT; i++)
    fprintf(stream, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
  fprintf(stream, "\nasperity COMMAND --help explains one, with examples; asperity --version names the version.\n"
                  "exit codes: 0 done and certified, 1 finished but something missed its tolerance, 2 bad input or\n"
                  "usage, 3 internal failure or a full disk; 130 after Ctrl-C (128 + signal)\n");
}

static const Command *find_command(const char *name) {
  for (int i = 0; i < COMMAND_COUNT; i++)
    if (strcmp(commands[i]->name, name) == 0)
      return commands[i];
  return NULL;
}

static int unknown_command(const char *word) {
  const char *names[COMMAND_COUNT];
  for (int i = 0; i < COMMAND_COUNT; i++)
    names[i] = commands[i]->name;
  const char *nearest = nearest_name(word, names, COMMAND_COUNT);
  fprintf(stderr, "asperity: there is no command '%s'; %s%s%s\n", word, nearest ? "did you mean '" : "asperity --help",
          nearest ? nearest : " lists them", nearest ? "'?" : "");
  return EXIT_USAGE;
}

static int run_command(const Command *command, int count, char **words) {
  Session session = {.command = command, .context = asp_context_create(NULL)};
  if (!session.context)
    return session_fail(&session, EXIT_FAILED, "out of memory");
  int code = command->run(&session, count, words);
  asp_context_destroy(session.context);
  return code;
}

static int dispatch(int count, char **words) {
  const char *first = count > 1 ? words[1] : "";
  if (count < 2) {
    print_overview(stderr);
    return EXIT_USAGE;
  }
  if (strcmp(first, "--version") == 0) {
    printf("asperity %s\n", asp_version());
    return EXIT_DONE;
  }
  /* "help", "help run" */
  bool help = strcmp(first, "help") == 0 || strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0;
  if (help && count == 2) {
    print_overview(stdout);
    return EXIT_DONE;
  }
  const char *name = help ? words[2] : first;
  const Command *command = find_command(name);
  if (!command)
    return unknown_command(name);
  char help_word[] = "--help";
  char *help_words[] = {help_word};
  return help ? run_command(command, 1, help_words) : run_command(command, count - 2, words + 2);
}

/* What was printed must have arrived. A reader that closed the pipe had enough: no complaint. */
static int finish_output(int code) {
  errno = 0;
  bool failed = fflush(stdout) != 0 || ferror(stdout);
  if (!failed || errno == EPIPE)
    return code;
  fprintf(stderr, "asperity: standard output cannot be written: %s\n", errno ? strerror(errno) : "write error");
  return EXIT_FAILED;
}

int main(int count, char **words) {
  /* a closed pipe and a file size limit show as write errors instead of ending the program: files are closed properly
   */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  return finish_output(dispatch(count, words));
}
