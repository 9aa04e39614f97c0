/* Warnings of a run. Those that are given once, or a few times, are counted by what they are about. */
#ifndef ASP_WORLD_WARNINGS_H
#define ASP_WORLD_WARNINGS_H

#include "base/archive.h"

/* What a warning is about; with some goes an index. */
typedef enum WarningKey {
  WARNING_LAWLESS_PAIR,      /* contacts without law: index of the pair of materials */
  WARNING_REDUNDANT_JOINT,   /* index of the joint */
  WARNING_PROJECTION,        /* positions were not corrected */
  WARNING_CONTACT_OFF,       /* a contact is off although the step meets its tolerance */
  WARNING_UNCERTIFIED,       /* a step missed its tolerance */
  WARNING_THROWN_APART,      /* an overlap that ends within the step */
  WARNING_DEPTH,             /* bodies deep in each other */
  WARNING_DEPTH_OF_STEP,     /* the same, so that a step is named once: index of the step */
  WARNING_ENERGY_GAIN,       /* an impact gained energy */
  WARNING_SEVERAL_SOLUTIONS, /* a step has several */
  WARNING_UNRESOLVED         /* a measure of resolution is exceeded: index of the measure */
} WarningKey;

/* How often a warning was given. */
typedef struct WarningCount {
  WarningKey key;
  int64_t index;
  int count;
} WarningCount;

typedef struct Warnings {
  AspContext *context;
  char *text; /* all of them, each ended by 0 */
  size_t text_capacity;
  int text_count; /* characters */
  int *start;     /* where each begins in text */
  size_t start_capacity;
  int count;
  WarningCount *given; /* ascending by key and index */
  size_t given_capacity;
  int given_count;
  bool muted; /* a trial: what it would warn of may not happen */
} Warnings;

/* Keep a text. */
AspError asp_warnings_add(Warnings *warnings, const char *text);
/* Keep and log one. */
AspError asp_warn(Warnings *warnings, const char *format, ...) ASP_PRINTF(2, 3);
/* How often it was given, or noted. */
int asp_warnings_given(const Warnings *warnings, WarningKey key, int64_t index);
AspError asp_warnings_note(Warnings *warnings, WarningKey key, int64_t index);
/* The same as asp_warn, unless it was given `most` times already. The last one ends with `end`, if that is not NULL. */
AspError asp_warn_few(Warnings *warnings, WarningKey key, int64_t index, int most, const char *end, const char *format,
                      ...) ASP_PRINTF(6, 7);
AspError asp_warnings_archive(Warnings *warnings, AspArchive *archive);
void asp_warnings_destroy(Warnings *warnings);

#endif
