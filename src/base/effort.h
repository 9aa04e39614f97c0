/* Effort: work counted in operations, each about one machine instruction of the loops that do it.
 *
 * A limit of effort ends a computation like a deadline does (asp_is_late), but at the same place on every machine and
 * at any load: equal runs stay equal. The count belongs to the context. Loops add what they did, outside
 * parallel parts; a caller narrows the limit and puts the old one back:
 *
 *   AspEffort *effort = asp_effort(context), before = *effort;
 *   asp_effort_narrow(effort, share, weight);      the work below may use this share of what is left
 *   ...
 *   asp_effort_restore(effort, &before);
 *
 * Depends on nothing.
 */
#ifndef ASP_BASE_EFFORT_H
#define ASP_BASE_EFFORT_H

#include <stdbool.h>

typedef struct AspContext AspContext;

typedef struct AspEffort {
  double done;   /* weighted operations since the limit was set */
  double end;    /* of `done`; 0: no limit */
  double weight; /* of an operation, at most 1: in large problems each counts less; 0: none counts */
  double least;  /* `done` from which on little is left, for loops that can do with less */
} AspEffort;

AspEffort *asp_effort(AspContext *context); /* lent */

/* A new count with this limit; 0: no limit. */
void asp_effort_begin(AspEffort *effort, double limit);
/* Further work may use `share` of what is left, each operation counts `weight`. */
void asp_effort_narrow(AspEffort *effort, double share, double weight);
/* The limit and weight of before; what was done stays counted. */
void asp_effort_restore(AspEffort *effort, const AspEffort *before);

static inline void asp_effort_add(AspEffort *effort, double operations) { effort->done += effort->weight * operations; }
static inline bool asp_effort_is_spent(const AspEffort *effort) {
  return effort->end > 0 && effort->done >= effort->end;
}
static inline bool asp_effort_is_low(const AspEffort *effort) {
  return effort->end > 0 && effort->done >= effort->least;
}

#endif
