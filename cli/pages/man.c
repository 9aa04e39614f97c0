/* Man pages: asperity(1) lists the commands, asperity-COMMAND(1) explains one. Written with the macros of man(7). */
#include "pages.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* One line: backslashes and dashes as such, no control character at its start. */
static void put_line(FILE *out, const char *text, size_t length) {
  if (length && (text[0] == '.' || text[0] == '\''))
    fputs("\\&", out);
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '\\')
      fputs("\\e", out);
    else if (text[i] == '-')
      fputs("\\-", out);
    else
      fputc(text[i], out);
  }
  fputc('\n', out);
}

static void put_words(FILE *out, const char *text) { put_line(out, text, strlen(text)); }

/* Lines that are indented, and their like, keep their form; others are filled. */
static void put_paragraphs(FILE *out, const char *text) {
  bool kept = false;
  while (*text) {
    size_t length = strcspn(text, "\n");
    bool keep = text[0] == ' ';
    if (keep != kept)
      fputs(keep ? ".nf\n" : ".fi\n", out);
    kept = keep;
    if (length == 0)
      fputs(".PP\n", out);
    else
      put_line(out, text, length);
    text += length + (text[length] == '\n');
  }
  if (kept)
    fputs(".fi\n", out);
}

static void put_title(FILE *out, const Help *help, const char *name) {
  fputs(".\\\" made from the program's own help\n.TH \"", out);
  for (const char *c = name; *c; c++)
    fputc(toupper((unsigned char)*c), out);
  fprintf(out, "\" 1 \"\" \"Asperity %s\" \"Asperity\"\n.SH NAME\n", text_of(help->overview, "version"));
}

/* What stands in brackets behind a flag's help: choices, default, unit. */
static void put_default(FILE *out, const cJSON *flag) {
  const cJSON *initial = cJSON_GetObjectItemCaseSensitive(flag, "default"), *choice = NULL;
  const cJSON *choices = cJSON_GetObjectItemCaseSensitive(flag, "choices");
  const char *unit = text_of(flag, "unit");
  char line[1024] = "";
  size_t used = 0;
  if (!initial)
    return;
  if (choices)
    cJSON_ArrayForEach(choice, choices) if (used < sizeof line) used +=
        (size_t)snprintf(line + used, sizeof line - used, "%s%s", used ? ", " : "one of ", choice->valuestring);
  if (used < sizeof line && cJSON_IsNumber(initial))
    snprintf(line + used, sizeof line - used, "default %g%s%s", initial->valuedouble, *unit ? " " : "", unit);
  else if (used < sizeof line)
    snprintf(line + used, sizeof line - used, "%sdefault %s", used ? "; " : "",
             cJSON_IsBool(initial) ? (cJSON_IsTrue(initial) ? "true" : "false") : initial->valuestring);
  fputs(".br\n", out);
  put_words(out, line);
}

static void put_flag(FILE *out, const cJSON *flag) {
  const char *letter = text_of(flag, "letter"), *value = text_of(flag, "value");
  char line[256];
  snprintf(line, sizeof line, "%s%s%s--%s%s%s", *letter ? "-" : "", letter, *letter ? ", " : "", text_of(flag, "name"),
           *value ? " " : "", value);
  fputs(".TP\n.B ", out);
  put_words(out, line);
  put_words(out, text_of(flag, "help"));
  put_default(out, flag);
}

static void put_exit_codes(FILE *out, const Help *help) {
  fputs(".SH EXIT STATUS\n", out);
  put_paragraphs(out, text_of(help->overview, "exit_codes"));
}

void man_overview(FILE *out, const Help *help) {
  put_title(out, help, "asperity");
  fprintf(out, "asperity \\- ");
  put_words(out, text_of(help->overview, "summary"));
  fputs(".SH SYNOPSIS\n.B asperity\n.I COMMAND\n.RI [ FLAGS ]\n\\&...\n.br\n.B asperity\n\\-\\-version\n"
        ".SH COMMANDS\nEach has a page of its own, for example\n.BR asperity\\-run (1),\n"
        "and a help with examples: asperity run \\-\\-help.\n",
        out);
  for (int i = 0; i < help->count; i++) {
    fputs(".TP\n.BR ", out);
    fprintf(out, "asperity\\-%s (1)\n", text_of(help->commands[i], "command"));
    put_words(out, text_of(help->commands[i], "summary"));
  }
  put_exit_codes(out, help);
  fputs(".SH FILES\n.I /usr/share/asperity/scenes\n.br\nscenes to start from, in packages of a distribution\n.br\n"
        ".I /usr/share/asperity/schema/scene.schema.json\n.br\nthe keys of a scene, for editors\n",
        out);
}

void man_command(FILE *out, const Help *help, const cJSON *command) {
  char name[128];
  const cJSON *flag = NULL;
  snprintf(name, sizeof name, "asperity-%s", text_of(command, "command"));
  put_title(out, help, name);
  fprintf(out, "asperity\\-%s \\- ", text_of(command, "command"));
  put_words(out, text_of(command, "summary"));
  fprintf(out, ".SH SYNOPSIS\n.B asperity %s\n.RI [ FLAGS ]\n", text_of(command, "command"));
  put_words(out, text_of(command, "arguments"));
  fputs(".SH DESCRIPTION\n", out);
  put_paragraphs(out, text_of(command, "details"));
  fputs(".SH OPTIONS\n", out);
  cJSON_ArrayForEach(flag, cJSON_GetObjectItemCaseSensitive(command, "flags")) put_flag(out, flag);
  fputs(".SH EXAMPLES\n", out);
  put_paragraphs(out, text_of(command, "examples"));
  put_exit_codes(out, help);
  fputs(".SH SEE ALSO\n.BR asperity (1)\n", out);
}
