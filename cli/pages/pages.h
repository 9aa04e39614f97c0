/* Man pages and completions of the program from its own help.
 *
 * The source is `asperity --help --json` (called `overview` here: version, summary, exit_codes, commands) and `asperity
 * COMMAND --help --json` of every command: name, arguments, summary, details, examples, flags with name, letter, value,
 * help, unit, default and choices.
 */
#ifndef PAGES_PAGES_H
#define PAGES_PAGES_H

#include <cjson/cJSON.h>
#include <stdio.h>

#define COMMANDS_MAX 64

typedef struct Help {
  cJSON *overview;
  cJSON *commands[COMMANDS_MAX];
  int count;
} Help;

/* The text of a key; "" where it is missing or null. */
static inline const char *text_of(const cJSON *object, const char *key) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
  return text ? text : "";
}

/* asperity(1), or asperity-COMMAND(1). */
void man_overview(FILE *out, const Help *help);
void man_command(FILE *out, const Help *help, const cJSON *command);

void completion_bash(FILE *out, const Help *help);
void completion_zsh(FILE *out, const Help *help);
void completion_fish(FILE *out, const Help *help);

#endif
