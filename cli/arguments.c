/* Command-line words by a table: see arguments.h. */
#include "arguments.h"
#include "help.h"

#include <stdio.h>
#include <string.h>

#define NAME_MAX_LENGTH 40

/* ---- reading ---- */

typedef struct Reader {
  Arguments *arguments;
  Session *session;
  char **words;
  int count, at; /* words[at] is being read */
  bool wants_help;
} Reader;

static int unknown_flag(const Reader *reader, const char *name) {
  const Arguments *arguments = reader->arguments;
  const char *names[FIELD_FLAGS_MAX * 2 + 3] = {"json", "quiet", "help"};
  int count = 3;
  for (int i = 0; i < arguments->flag_count; i++)
    names[count++] = arguments->flags[i].name;
  for (int i = 0; i < arguments->field_count; i++)
    if (arguments->fields[i].flag)
      names[count++] = arguments->fields[i].flag;
  const char *nearest = asp_nearest_name(name, names, count);
  return session_fail(reader->session, EXIT_USAGE, "there is no flag --%s; %s%s%s", name,
                      nearest ? "did you mean --" : "asperity ", nearest ? nearest : reader->session->command->name,
                      nearest ? "?" : " --help lists them");
}

/* The value after '=' or in the next word; NULL when there is none. */
static const char *take_value(Reader *reader, const char *attached) {
  if (attached)
    return attached;
  if (reader->at + 1 >= reader->count || strncmp(reader->words[reader->at + 1], "--", 2) == 0)
    return NULL;
  return reader->words[++reader->at];
}

/* Whether the next word is the value of a flag that is true or false; alone, such a flag is true. */
static bool is_truth(const Reader *reader) {
  const char *next = reader->at + 1 < reader->count ? reader->words[reader->at + 1] : "";
  return strcmp(next, "true") == 0 || strcmp(next, "false") == 0;
}

static int missing_value(const Reader *reader, const char *name, const char *value) {
  return session_fail(reader->session, EXIT_USAGE, "--%s needs a value: --%s %s", name, name, value);
}

static bool *common_switch(Reader *reader, const char *name) {
  if (strcmp(name, "json") == 0)
    return &reader->session->json;
  if (strcmp(name, "quiet") == 0)
    return &reader->session->quiet;
  if (strcmp(name, "help") == 0)
    return &reader->wants_help;
  return NULL;
}

static int keep_value(const Reader *reader, const Flag *flag, const char *value) {
  if (!flag->list)
    *flag->text = value;
  else if (flag->list->count == FLAG_REPEATS_MAX)
    return session_fail(reader->session, EXIT_USAGE, "--%s is given more than %d times", flag->name, FLAG_REPEATS_MAX);
  else
    flag->list->text[flag->list->count++] = value;
  return EXIT_DONE;
}

/* One flag by its long name. Returns EXIT_DONE or the code of the mistake it reported. */
static int read_flag(Reader *reader, const char *name, const char *attached) {
  Arguments *arguments = reader->arguments;
  bool *on = common_switch(reader, name);
  for (int i = 0; i < arguments->flag_count && !on; i++) {
    const Flag *flag = &arguments->flags[i];
    if (strcmp(flag->name, name) != 0)
      continue;
    if (flag->value) {
      const char *value = take_value(reader, attached);
      return value ? keep_value(reader, flag, value) : missing_value(reader, name, flag->value);
    }
    on = flag->on;
  }
  if (on) {
    if (attached)
      return session_fail(reader->session, EXIT_USAGE, "--%s takes no value ('%s' given)", name, attached);
    *on = true;
    return EXIT_DONE;
  }
  for (int i = 0; i < arguments->field_count; i++) {
    const char *flag = arguments->fields[i].flag;
    if (!flag || strcmp(flag, name) != 0)
      continue;
    bool lone = !attached && arguments->fields[i].type == ASP_FIELD_FLAG && !is_truth(reader);
    arguments->field_text[i] = lone ? "true" : take_value(reader, attached);
    return arguments->field_text[i] ? EXIT_DONE : missing_value(reader, name, "VALUE");
  }
  return unknown_flag(reader, name);
}

static int read_long(Reader *reader, const char *word) {
  char name[NAME_MAX_LENGTH + 1];
  const char *equals = strchr(word, '=');
  size_t length = equals ? (size_t)(equals - word) : strlen(word);
  if (length > NAME_MAX_LENGTH)
    return session_fail(reader->session, EXIT_USAGE, "there is no flag --%.*s", (int)length, word);
  memcpy(name, word, length);
  name[length] = '\0';
  return read_flag(reader, name, equals ? equals + 1 : NULL);
}

static int read_short(Reader *reader, const char *word) {
  if (word[1] == '\0') {
    if (word[0] == 'q')
      return read_flag(reader, "quiet", NULL);
    if (word[0] == 'h')
      return read_flag(reader, "help", NULL);
    for (int i = 0; i < reader->arguments->flag_count; i++)
      if (reader->arguments->flags[i].letter == word[0])
        return read_flag(reader, reader->arguments->flags[i].name, NULL);
  }
  return session_fail(reader->session, EXIT_USAGE, "there is no flag -%s; asperity %s --help lists them", word,
                      reader->session->command->name);
}

static int check_word_count(const Arguments *arguments, const Session *session) {
  const char *usage = session->command->arguments;
  if (arguments->word_count < arguments->least)
    return session_fail(session, EXIT_USAGE, "expected: asperity %s %s", session->command->name, usage);
  if (arguments->most >= 0 && arguments->word_count > arguments->most)
    return session_fail(session, EXIT_USAGE, "'%s' is one word too many; expected: asperity %s %s",
                        arguments->words[arguments->most], session->command->name, usage);
  return EXIT_DONE;
}

bool arguments_read(Arguments *arguments, Session *session, int count, char **words, int *exit_code) {
  Reader reader = {.arguments = arguments, .session = session, .words = words, .count = count};
  bool flags_over = false;
  arguments->words = words;
  arguments->word_count = 0;
  *exit_code = EXIT_DONE;
  for (; reader.at < count && *exit_code == EXIT_DONE && !reader.wants_help; reader.at++) {
    char *word = words[reader.at];
    if (flags_over || word[0] != '-' || word[1] == '\0')
      words[arguments->word_count++] = word; /* never ahead of the word being read */
    else if (strcmp(word, "--") == 0)
      flags_over = true;
    else
      *exit_code = word[1] == '-' ? read_long(&reader, word + 2) : read_short(&reader, word + 1);
  }
  if (*exit_code == EXIT_DONE && reader.wants_help) {
    (session->json ? help_write : help_print)(arguments, session->command);
    return false;
  }
  if (*exit_code == EXIT_DONE)
    *exit_code = check_word_count(arguments, session);
  return *exit_code == EXIT_DONE;
}

int arguments_apply(const Arguments *arguments, const Session *session, void *options) {
  for (int i = 0; i < arguments->field_count; i++) {
    const AspField *field = &arguments->fields[i];
    if (!arguments->field_text[i])
      continue;
    AspError error = asp_field_set_text(session->context, field, options, arguments->field_text[i]);
    if (error == ASP_OK)
      continue;
    // the library names the scene key; here the flag takes its place
    const char *message = asp_context_message(session->context);
    size_t key = strlen(field->key);
    if (strncmp(message, field->key, key) == 0 && strncmp(message + key, ": ", 2) == 0)
      message += key + 2;
    return session_fail(session, exit_code_of(error), "--%s: %s", field->flag, message);
  }
  return EXIT_DONE;
}
