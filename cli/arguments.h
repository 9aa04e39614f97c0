/* Command-line words by a table: flags, values, help and suggestions.
 *
 *   const char *out = NULL;
 *   const Flag flags[] = {{"out", 'o', "FILE", "where the result goes", .text = &out}};
 *   Arguments arguments = {.flags = flags, .flag_count = 1, .least = 1, .most = 1};
 *   if (!arguments_read(&arguments, session, count, words, &exit_code))
 *     return exit_code;
 *
 * --help, --json and --quiet are understood everywhere. A list of AspField gives its fields' flags too: one list makes
 * flags, help and scene keys. Forms: --flag VALUE, --flag=VALUE, -o VALUE; "--" ends the flags.
 */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include "command.h"

#include "asperity/options.h"

#define FLAG_REPEATS_MAX 256

/* The values of a flag that may be given several times. */
typedef struct FlagList {
  const char *text[FLAG_REPEATS_MAX];
  int count;
} FlagList;

typedef struct Flag {
  const char *name;  /* without dashes */
  char letter;       /* short form; 0: none */
  const char *value; /* what the value is called in the help; NULL: a switch */
  const char *help;
  const char **text; /* receives the value */
  bool *on;          /* switch: receives true */
  FlagList *list;    /* in place of text: receives every value */
} Flag;

#define FIELD_FLAGS_MAX 64

typedef struct Arguments {
  const Flag *flags;
  int flag_count;
  const AspField *fields; /* may be NULL; those without a flag are passed over */
  int field_count;
  int least, most; /* how many words besides flags; most < 0: any number */

  char **words; /* filled in: the words besides flags */
  int word_count;
  const char *field_text[FIELD_FLAGS_MAX]; /* filled in: value given for each field; NULL: none */
} Arguments;

/* False when there is nothing left to do: help was shown or a mistake reported; *exit_code is set then. */
bool arguments_read(Arguments *arguments, Session *session, int count, char **words, int *exit_code);

/* Put the given field values into the options. Returns EXIT_DONE or the code of the mistake it reported. */
int arguments_apply(const Arguments *arguments, const Session *session, void *options);

#endif
