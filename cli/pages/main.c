/* asperity_pages PROGRAM FOLDER: writes FOLDER/man/asperity*.1, FOLDER/bash/asperity, FOLDER/zsh/_asperity and
 * FOLDER/fish/asperity.fish from the help of the program. The folders exist. */
#include "pages.h"

#include <stdlib.h>
#include <string.h>

static void stop(const char *what, const char *name) {
  fprintf(stderr, "asperity_pages: %s: %s\n", what, name);
  exit(1);
}

/* What `PROGRAM words` prints, read as JSON. */
static cJSON *ask(const char *program, const char *words) {
  char command[4096];
  size_t length = 0, room = 1 << 20;
  char *text = malloc(room);
  if (!text || snprintf(command, sizeof command, "'%s' %s --help --json", program, words) >= (int)sizeof command)
    stop("cannot ask", program);
  FILE *pipe = popen(command, "r");
  if (!pipe)
    stop("cannot run", command);
  length = fread(text, 1, room - 1, pipe);
  text[length] = '\0';
  if (pclose(pipe) != 0)
    stop("failed", command);
  cJSON *json = cJSON_Parse(text);
  free(text);
  if (!json)
    stop("printed no JSON", command);
  return json;
}

static FILE *create(const char *folder, const char *name) {
  char path[4096];
  FILE *file = snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path ? fopen(path, "w") : NULL;
  if (!file)
    stop("cannot write", name);
  return file;
}

static void finish(FILE *file, const char *name) {
  if (fclose(file) != 0)
    stop("cannot write", name);
}

static void write_man_pages(const char *folder, const Help *help) {
  FILE *file = create(folder, "man/asperity.1");
  man_overview(file, help);
  finish(file, "man/asperity.1");
  for (int i = 0; i < help->count; i++) {
    char name[128];
    snprintf(name, sizeof name, "man/asperity-%s.1", text_of(help->commands[i], "command"));
    file = create(folder, name);
    man_command(file, help, help->commands[i]);
    finish(file, name);
  }
}

int main(int count, char **words) {
  static const struct {
    const char *name;
    void (*write)(FILE *out, const Help *help);
  } completions[] = {
      {"bash/asperity", completion_bash}, {"zsh/_asperity", completion_zsh}, {"fish/asperity.fish", completion_fish}};
  if (count != 3)
    stop("usage", "asperity_pages PROGRAM FOLDER");
  Help help = {.overview = ask(words[1], "")};
  const cJSON *entry = NULL;
  cJSON_ArrayForEach(entry, cJSON_GetObjectItemCaseSensitive(help.overview, "commands")) {
    if (help.count == COMMANDS_MAX)
      stop("too many commands", words[1]);
    help.commands[help.count++] = ask(words[1], text_of(entry, "name"));
  }
  write_man_pages(words[2], &help);
  for (size_t i = 0; i < sizeof completions / sizeof *completions; i++) {
    FILE *file = create(words[2], completions[i].name);
    completions[i].write(file, &help);
    finish(file, completions[i].name);
  }
  for (int i = 0; i < help.count; i++)
    cJSON_Delete(help.commands[i]);
  cJSON_Delete(help.overview);
  return 0;
}
