/* Completion of commands, flags and the values of flags, for bash, zsh and fish. Other words are file names. */
#include "pages.h"

#include <string.h>

static const cJSON *flags_of(const cJSON *command) { return cJSON_GetObjectItemCaseSensitive(command, "flags"); }

/* The values that may follow a flag, separated by blanks; "" where any text may. */
static const char *values_of(const cJSON *flag, char *line, size_t size) {
  const cJSON *choice = NULL;
  size_t used = 0;
  line[0] = '\0';
  if (strcmp(text_of(flag, "value"), "[true|false]") == 0)
    return "true false";
  cJSON_ArrayForEach(choice, cJSON_GetObjectItemCaseSensitive(flag, "choices")) if (used < size) used +=
      (size_t)snprintf(line + used, size - used, "%s%s", used ? " " : "", choice->valuestring);
  return line;
}

/* Text inside single quotes of a shell; the given characters get a backslash before them. */
static void put_quoted(FILE *out, const char *text, const char *special, const char *quote) {
  for (; *text; text++) {
    if (*text == '\'')
      fputs(quote, out);
    else if (strchr(special, *text))
      fprintf(out, "\\%c", *text);
    else
      fputc(*text, out);
  }
}

/* ---- bash ---- */

static void bash_command(FILE *out, const cJSON *command) {
  const cJSON *flag = NULL;
  char line[1024];
  fprintf(out, "  %s)\n    flags='", text_of(command, "command"));
  cJSON_ArrayForEach(flag, flags_of(command)) {
    const char *letter = text_of(flag, "letter");
    fprintf(out, "%s%s%s--%s ", *letter ? "-" : "", letter, *letter ? " " : "", text_of(flag, "name"));
  }
  fputs("'\n    case $previous in\n", out);
  cJSON_ArrayForEach(flag, flags_of(command)) {
    const char *values = values_of(flag, line, sizeof line);
    if (*values)
      fprintf(out, "    --%s) values='%s' ;;\n", text_of(flag, "name"), values);
  }
  fputs("    esac\n    ;;\n", out);
}

void completion_bash(FILE *out, const Help *help) {
  fputs("# bash completion for asperity, made from the program's own help\n"
        "_asperity() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} flags='' values=''\n"
        "  COMPREPLY=()\n"
        "  if [[ $word == '=' ]]; then word=''; # --scheme=\n"
        "  elif [[ $previous == '=' ]]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "    COMPREPLY=($(compgen -W '",
        out);
  for (int i = 0; i < help->count; i++)
    fprintf(out, "%s ", text_of(help->commands[i], "command"));
  fputs("help --help --version' -- \"$word\"))\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n", out);
  for (int i = 0; i < help->count; i++)
    bash_command(out, help->commands[i]);
  fputs("  esac\n"
        "  if [ -n \"$values\" ]; then COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
        "  elif [[ $word == -* ]]; then COMPREPLY=($(compgen -W \"$flags\" -- \"$word\")); fi\n"
        "}\n"
        "complete -o bashdefault -o default -F _asperity asperity\n",
        out);
}

/* ---- zsh ---- */

static void zsh_flag(FILE *out, const cJSON *flag) {
  const char *name = text_of(flag, "name"), *letter = text_of(flag, "letter"), *value = text_of(flag, "value");
  char line[1024];
  const char *values = values_of(flag, line, sizeof line), *equals = *value ? "=" : "";
  if (*letter)
    fprintf(out, "    '(-%s --%s)'{-%s,--%s%s}'[", letter, name, letter, name, equals);
  else
    fprintf(out, "    '--%s%s[", name, equals);
  put_quoted(out, text_of(flag, "help"), "[]\\:", "'\\''");
  fputs("]", out);
  if (*value) {
    fputs(value[0] == '[' ? "::" : ":", out);
    put_quoted(out, value[0] == '[' ? "value" : value, "[]\\:", "'\\''");
    if (*values)
      fprintf(out, ":(%s)", values);
    else
      fputs(strstr(value, "FILE") || strchr(value, '.') || strcmp(value, "DIR") == 0 ? ":_files" : ": ", out);
  }
  fputs("' \\\n", out);
}

void completion_zsh(FILE *out, const Help *help) {
  fputs("#compdef asperity\n# zsh completion for asperity, made from the program's own help\n"
        "_asperity() {\n  local -a commands\n  commands=(\n",
        out);
  for (int i = 0; i < help->count; i++) {
    fprintf(out, "    '%s:", text_of(help->commands[i], "command"));
    put_quoted(out, text_of(help->commands[i], "summary"), "\\:", "'\\''");
    fputs("'\n", out);
  }
  fputs("  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
        "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n",
        out);
  for (int i = 0; i < help->count; i++) {
    const cJSON *flag = NULL;
    fprintf(out, "  %s)\n    _arguments \\\n", text_of(help->commands[i], "command"));
    cJSON_ArrayForEach(flag, flags_of(help->commands[i])) zsh_flag(out, flag);
    fputs("    '*:file:_files'\n    ;;\n", out);
  }
  fputs("  esac\n}\n_asperity \"$@\"\n", out);
}

/* ---- fish ---- */

static void fish_flag(FILE *out, const char *command, const cJSON *flag) {
  const char *letter = text_of(flag, "letter"), *value = text_of(flag, "value");
  char line[1024];
  const char *values = values_of(flag, line, sizeof line);
  fprintf(out, "complete -c asperity -n '__fish_seen_subcommand_from %s' -l %s", command, text_of(flag, "name"));
  if (*letter)
    fprintf(out, " -s %s", letter);
  if (*values)
    fprintf(out, " -x -a '%s'", values);
  else if (*value)
    fputs(" -r", out);
  fputs(" -d '", out);
  put_quoted(out, text_of(flag, "help"), "\\", "\\'");
  fputs("'\n", out);
}

void completion_fish(FILE *out, const Help *help) {
  fputs("# fish completion for asperity, made from the program's own help\n"
        "complete -c asperity -n __fish_use_subcommand -f -l version -d 'name the version'\n"
        "complete -c asperity -n __fish_use_subcommand -f -l help -d 'list the commands'\n",
        out);
  for (int i = 0; i < help->count; i++) {
    const cJSON *flag = NULL;
    const char *name = text_of(help->commands[i], "command");
    fprintf(out, "complete -c asperity -n __fish_use_subcommand -f -a %s -d '", name);
    put_quoted(out, text_of(help->commands[i], "summary"), "\\", "\\'");
    fputs("'\n", out);
    cJSON_ArrayForEach(flag, flags_of(help->commands[i])) fish_flag(out, name, flag);
  }
}
