/* The help of one command: see help.h. */
#include "help.h"
#include "json.h"

#include <stdio.h>
#include <string.h>

/* Flags that every command has. */
static const Flag common_flags[] = {
    {"json", .help = "one JSON object on stdout"},
    {"quiet", 'q', .help = "no progress, no summary"},
    {"help", 'h', .help = "show this help"},
};
#define COMMON_FLAG_COUNT ((int)(sizeof common_flags / sizeof *common_flags))

static const char *const value_names[] = {
    [ASP_FIELD_REAL] = "X", [ASP_FIELD_INTEGER] = "N", [ASP_FIELD_FLAG] = "[true|false]", [ASP_FIELD_CHOICE] = "NAME"};

/* ---- as text ---- */

static void print_flag(char letter, const char *name, const char *value, const char *text, const char *more) {
  char left[64];
  snprintf(left, sizeof left, "%c%c%s --%s%s%s", letter ? '-' : ' ', letter ? letter : ' ', letter ? "," : " ", name,
           value ? " " : "", value ? value : "");
  if (strlen(left) < 28)
    printf("  %-28s %s%s\n", left, text, more);
  else
    printf("  %s\n  %-28s %s%s\n", left, "", text, more);
}

static void print_flags(const Flag *flags, int count) {
  for (int i = 0; i < count; i++)
    print_flag(flags[i].letter, flags[i].name, flags[i].value, flags[i].help, "");
}

static void print_field(const AspField *field) {
  char more[512] = "";
  size_t used = (size_t)snprintf(more, sizeof more, " (%s", field->type == ASP_FIELD_CHOICE ? "" : "default ");
  if (field->type == ASP_FIELD_CHOICE) {
    for (int i = 0; field->choices[i] && used < sizeof more; i++)
      used += (size_t)snprintf(more + used, sizeof more - used, "%s%s%s", i ? ", " : "", field->choices[i],
                               i == (int)field->initial ? " [default]" : "");
  } else {
    used += (size_t)snprintf(more + used, sizeof more - used, "%g%s%s", field->initial, *field->unit ? " " : "",
                             field->unit);
  }
  if (used < sizeof more)
    snprintf(more + used, sizeof more - used, ")");
  print_flag(0, field->flag, value_names[field->type], field->text, more);
}

void help_print(const Arguments *arguments, const Command *command) {
  printf("usage: asperity %s [FLAGS] %s\n\n%s\n\nflags:\n", command->name, command->arguments, command->details);
  print_flags(arguments->flags, arguments->flag_count);
  for (int i = 0; i < arguments->field_count; i++)
    if (arguments->fields[i].flag)
      print_field(&arguments->fields[i]);
  print_flags(common_flags, COMMON_FLAG_COUNT);
  printf("\nexamples:\n%s\n", command->examples);
}

/* ---- as JSON ---- */

static void write_flags(Json *json, const Flag *flags, int count) {
  for (int i = 0; i < count; i++) {
    char letter[2] = {flags[i].letter, '\0'};
    json_object(json, NULL);
    json_text(json, "name", flags[i].name);
    json_text(json, "letter", flags[i].letter ? letter : NULL);
    json_text(json, "value", flags[i].value);
    json_text(json, "help", flags[i].help);
    json_end(json);
  }
}

/* default: a number, true or false, or one of the choices. */
static void write_field(Json *json, const AspField *field) {
  json_object(json, NULL);
  json_text(json, "name", field->flag);
  json_null(json, "letter");
  json_text(json, "value", value_names[field->type]);
  json_text(json, "help", field->text);
  json_text(json, "unit", field->unit);
  if (field->type == ASP_FIELD_CHOICE) {
    json_text(json, "default", field->choices[(int)field->initial]);
    json_array(json, "choices");
    for (int i = 0; field->choices[i]; i++)
      json_text(json, NULL, field->choices[i]);
    json_end(json);
  } else if (field->type == ASP_FIELD_FLAG) {
    json_flag(json, "default", field->initial != 0);
  } else {
    json_number(json, "default", field->initial);
  }
  json_end(json);
}

void help_write(const Arguments *arguments, const Command *command) {
  Json json = json_start(stdout);
  json_text(&json, "command", command->name);
  json_text(&json, "arguments", command->arguments);
  json_text(&json, "summary", command->summary);
  json_text(&json, "details", command->details);
  json_text(&json, "examples", command->examples);
  json_array(&json, "flags");
  write_flags(&json, arguments->flags, arguments->flag_count);
  for (int i = 0; i < arguments->field_count; i++)
    if (arguments->fields[i].flag)
      write_field(&json, &arguments->fields[i]);
  write_flags(&json, common_flags, COMMON_FLAG_COUNT);
  json_end(&json);
  json_finish(&json);
}
