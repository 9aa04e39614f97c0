/* Asperity options: one field list per options struct generates its members, defaults, validation, command-line flags,
 * scene keys and the reference table in the docs. See ASP_RUN_FIELDS in world.h for a list.
 *
 * Threads and ownership: base.h. A table of fields is constant; `options` is the caller's struct that the table
 * describes, written by the set functions alone.
 */
#ifndef ASPERITY_OPTIONS_H
#define ASPERITY_OPTIONS_H

#include "asperity/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum AspFieldType { ASP_FIELD_REAL, ASP_FIELD_INTEGER, ASP_FIELD_FLAG, ASP_FIELD_CHOICE } AspFieldType;

ASP_API const char *asp_field_type_name(AspFieldType type); /* [any thread, lent] */

/* One field of an options struct: double, int, bool, or an enum with named choices. */
typedef struct AspField {
  const char *key;  /* scene key below the struct's object; a dot descends: "friction.model" */
  const char *flag; /* command-line flag without dashes; NULL: none */
  AspFieldType type;
  size_t offset;              /* in the struct */
  double initial, low, high;  /* default and allowed range, ends included; -HUGE_VAL, HUGE_VAL: open */
  const char *const *choices; /* CHOICE: NULL-terminated names, index = value */
  const char *unit;           /* "s", "m", "" */
  const char *text;           /* one line for help, schema and docs */
} AspField;

ASP_API void asp_fields_set_defaults(const AspField *fields, int count, void *options); /* [any thread] */
/* The first field out of range is named. [one thread] */
ASP_API AspError asp_fields_validate(AspContext *context, const AspField *fields, int count, const void *options);
/* From a command line: a number, true/false, or a choice's name; the message lists what would be right. [one thread] */
ASP_API AspError asp_field_set_text(AspContext *context, const AspField *field, void *options, const char *text);
/* [one thread] */
ASP_API AspError asp_field_set_number(AspContext *context, const AspField *field, void *options, double number);
/* As text, for printing and for result files; buffer gets a zero-terminated string. [any thread] */
ASP_API void asp_field_print(const AspField *field, const void *options, char *buffer, size_t size);
/* [any thread, lent] */
ASP_API const AspField *asp_field_find(const AspField *fields, int count, const char *key);

#ifdef __cplusplus
}
#endif
#endif
