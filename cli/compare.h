/* The parts of `asperity compare`: which combinations there are, what one of them gave, how friction depends on
 * direction. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "simulate.h"

typedef enum RowState {
  ROW_DONE,    /* ran to the end */
  ROW_CUT,     /* its time was up; the summary stands at the time reached */
  ROW_REFUSED, /* does not apply; `message` says why */
  ROW_SKIPPED, /* interrupted before its turn */
  ROW_STATES   /* number of states */
} RowState;

/* How a row's motion relates to that of the first row of its scheme, both up to the time both reached. */
typedef enum RowRelation {
  RELATION_REFERENCE, /* it is the first row */
  RELATION_SAME,      /* within what the tolerance explains */
  RELATION_OTHER_LAW, /* another friction model: differences are the model's */
  RELATION_BRANCH,    /* same law, both certified, and one step led to two different answers: the step's problem has
                         several solutions */
  RELATION_DRIFT,     /* same law, both certified, differences grew from the tolerance */
  RELATION_MISSED,    /* same law, but a step missed its tolerance */
  RELATION_COUNT
} RowRelation;

typedef struct CompareRow {
  AspRunOptions options;
  RowState state;
  RowRelation relation;
  SimulationSummary summary;
  char message[256];
  double difference; /* largest distance of a body from where the first row of the scheme has it at the last common
                        step, m */
  double parted;     /* s: end of the step in which a branch was taken */
  double rise;       /* largest rise of a body against gravity above its start, m */
} CompareRow;

/* Every combination that may apply to the scene, options filled in; released with free. NULL: out of memory. */
CompareRow *compare_rows(const AspScene *scene, int *count);

/* Positions of all bodies, step by step, of the first row of a scheme. */
typedef struct CompareTrack {
  double *position; /* 3 per body and step */
  int bodies;
  int64_t steps;
  size_t capacity;
} CompareTrack;

/* Run one row within `seconds` of wall clock; the first of a scheme writes the track, the others are
 * held against it. */
void compare_run(const Session *session, const AspScene *scene, CompareRow *row, CompareTrack *track, double seconds);

/* The largest tangential force that a contact of each friction model resists, over mu times the normal force, by
 * direction, found by solving: a polar plot as SVG. */
int compare_write_polar(const Session *session, const AspRunOptions *options, const char *path);

#endif
