/* Options from one field list: defaults, validation, setting from text or number, printing. */
#include "asperity/options.h"
#include "base/base.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *asp_field_type_name(AspFieldType type) {
  static const char *const names[] = {"real", "integer", "flag", "choice"};
  return ASP_NAME_OF(names, type);
}

static double read_field(const AspField *field, const void *options) {
  const unsigned char *at = (const unsigned char *)options + field->offset;
  double real = 0;
  int integer = 0;
  unsigned char flag = 0; // what is read from a file may be no bool
  static_assert(sizeof(bool) == sizeof flag, "a flag is one byte");
  switch (field->type) {
  case ASP_FIELD_REAL:
    memcpy(&real, at, sizeof real);
    return real;
  case ASP_FIELD_FLAG:
    memcpy(&flag, at, sizeof flag);
    return flag;
  default:
    memcpy(&integer, at, sizeof integer);
    return integer;
  }
}

static void write_field(const AspField *field, void *options, double number) {
  unsigned char *at = (unsigned char *)options + field->offset;
  int integer = (int)number;
  bool flag = number != 0;
  switch (field->type) {
  case ASP_FIELD_REAL:
    memcpy(at, &number, sizeof number);
    break;
  case ASP_FIELD_FLAG:
    memcpy(at, &flag, sizeof flag);
    break;
  default:
    memcpy(at, &integer, sizeof integer);
    break;
  }
}

void asp_fields_set_defaults(const AspField *fields, int count, void *options) {
  for (int i = 0; i < count; i++)
    write_field(&fields[i], options, fields[i].initial);
}

static AspError check_range(AspContext *context, const AspField *field, double number) {
  if (number >= field->low && number <= field->high)
    return ASP_OK;
  return asp_fail(context, ASP_ERROR_INPUT, "%s: %.15g is outside [%.6g, %.6g]%s%s", field->key, number, field->low,
                  field->high, *field->unit ? " " : "", field->unit);
}

AspError asp_fields_validate(AspContext *context, const AspField *fields, int count, const void *options) {
  for (int i = 0; i < count; i++)
    ASP_TRY(check_range(context, &fields[i], read_field(&fields[i], options)));
  return ASP_OK;
}

AspError asp_field_set_number(AspContext *context, const AspField *field, void *options, double number) {
  if (field->type == ASP_FIELD_CHOICE || field->type == ASP_FIELD_FLAG)
    return asp_fail(context, ASP_ERROR_INPUT, "%s: %.15g is a number; expected %s", field->key, number,
                    field->type == ASP_FIELD_FLAG ? "true or false" : "a name");
  ASP_TRY(check_range(context, field, number));
  if (field->type == ASP_FIELD_INTEGER && number != floor(number))
    return asp_fail(context, ASP_ERROR_INPUT, "%s: %.15g is not a whole number", field->key, number);
  write_field(field, options, number);
  return ASP_OK;
}

static AspError set_choice(AspContext *context, const AspField *field, void *options, const char *text) {
  char names[512] = "";
  size_t length = 0;
  for (int i = 0; field->choices[i]; i++) {
    if (strcmp(field->choices[i], text) == 0) {
      write_field(field, options, i);
      return ASP_OK;
    }
    int added = snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "", field->choices[i]);
    if (added > 0 && (size_t)added < sizeof names - length)
      length += (size_t)added;
  }
  return asp_fail(context, ASP_ERROR_INPUT, "%s: '%.80s' is not one of %s", field->key, text, names);
}

AspError asp_field_set_text(AspContext *context, const AspField *field, void *options, const char *text) {
  if (field->type == ASP_FIELD_CHOICE)
    return set_choice(context, field, options, text);
  if (field->type == ASP_FIELD_FLAG) {
    bool yes = strcmp(text, "true") == 0;
    if (!yes && strcmp(text, "false") != 0)
      return asp_fail(context, ASP_ERROR_INPUT, "%s: '%.80s' is not true or false", field->key, text);
    write_field(field, options, yes);
    return ASP_OK;
  }
  char *end = NULL;
  double number = strtod(text, &end);
  if (end == text || *end)
    return asp_fail(context, ASP_ERROR_INPUT, "%s: '%.80s' is not a number", field->key, text);
  return asp_field_set_number(context, field, options, number);
}

/* The fewest digits that read back to the same number. */
static void print_shortest(double number, char *buffer, size_t size) {
  // exact: decimal digits that tell doubles apart
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(buffer, size, "%.*g", digits, number);
    if (strtod(buffer, NULL) == number)
      return;
  }
}

void asp_field_print(const AspField *field, const void *options, char *buffer, size_t size) {
  double number = read_field(field, options);
  if (field->type == ASP_FIELD_CHOICE)
    snprintf(buffer, size, "%s", field->choices[(int)number]);
  else if (field->type == ASP_FIELD_FLAG)
    snprintf(buffer, size, "%s", number != 0 ? "true" : "false");
  else
    print_shortest(number, buffer, size);
}

const AspField *asp_field_find(const AspField *fields, int count, const char *key) {
  for (int i = 0; i < count; i++)
    if (strcmp(fields[i].key, key) == 0)
      return &fields[i];
  return NULL;
}
