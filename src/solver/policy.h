/* Which methods are tried, in which order: ladders of stages as data, and the one loop that walks them.
 *
 * A ladder is walked from its first stage to the last until the problem is solved or time is up. A stage runs where all
 * of its conditions hold; after a stage the ladder ends where its `ends` condition holds. The tables are in policy.c
 * and in docs/decisions/auto.md (a test compares them). Depends on asperity/solver.h.
 */
#ifndef ASP_SOLVER_POLICY_H
#define ASP_SOLVER_POLICY_H

#include "asperity/solver.h"

#include <stdio.h>

/* What a stage does; those of ASP_METHOD_LIST by their numbers. */
typedef enum AspStageKind {
  ASP_STAGE_ISLANDS = ASP_METHOD_COUNT, /* independent parts, each by the ladder for parts */
  ASP_STAGE_PACKED,                     /* packed Gauss-Seidel (packed.h) */
  ASP_STAGE_SUBPROBLEMS, /* the contacts that hold the residual (subproblem.h), packed sweeps between them */
  ASP_STAGE_KIND_COUNT
} AspStageKind;

/* Conditions, each a bit. */
#define ASP_CONDITION_LIST(X)                                                                                          \
  X(ASP_WHEN_START, "a start better than nothing was given")                                                           \
  X(ASP_WHEN_NO_START, "no such start")                                                                                \
  X(ASP_WHEN_NOT_SWEPT, "not swept before")                                                                            \
  X(ASP_WHEN_NEAR, "the start is near")                                                                                \
  X(ASP_WHEN_WHOLE, "not itself a part")                                                                               \
  X(ASP_WHEN_SMALL, "few contacts")                                                                                    \
  X(ASP_WHEN_PART_FAILED, "a part is not solved")                                                                      \
  X(ASP_WHEN_ROUNDED, "only E3 is missed, by rounding")                                                                \
  X(ASP_WHEN_LCP, "is an LCP")                                                                                         \
  X(ASP_WHEN_FEW_ROWS, "few rows")                                                                                     \
  X(ASP_WHEN_NOT_FINITE, "not finite")                                                                                 \
  X(ASP_WHEN_AUTO, "`auto` was chosen")                                                                                \
  X(ASP_WHEN_FACTORS_COSTLY, "factors are costly")

enum {
#define ASP_CONDITION_PLACE(code, text) code##_PLACE,
  ASP_CONDITION_LIST(ASP_CONDITION_PLACE)
#undef ASP_CONDITION_PLACE
      ASP_CONDITION_COUNT
};
enum {
#define ASP_CONDITION_BIT(code, text) code = 1 << code##_PLACE,
  ASP_CONDITION_LIST(ASP_CONDITION_BIT)
#undef ASP_CONDITION_BIT
};

typedef struct AspStage {
  int kind;       /* AspMethod or AspStageKind */
  bool from_best; /* starts at the best iterate so far; false: from nothing */
  int limit;      /* iterations, sweeps, passes or solves; 0: the method's own */
  unsigned when;  /* runs where all of these hold */
  unsigned ends;  /* after it, the ladder ends where all of these hold; 0: never */
  int verdict;    /* nsgs: sweeps before it may be given up */
  double theta;   /* ipm: weight of the derivative of the shift; 0: the method's own */
  double rho;     /* newton: first proximal step; 0: the method's own */
  int finish;     /* ipm: proximal Newton steps it may finish with; 0: the method's own */
  bool near;      /* newton: the start is thought to be near the solution */
} AspStage;

typedef struct AspLadder {
  const char *name;
  const AspStage *stage;
  int count;
} AspLadder;

typedef enum AspLadderKind {
  ASP_LADDER_EXACT,      /* exact cones */
  ASP_LADDER_SUBPROBLEM, /* exact cones, the subproblems of a large problem */
  ASP_LADDER_LARGE,      /* many rigid bodies, before the ladder for exact cones */
  ASP_LADDER_REST,       /* what the ladder for exact cones leaves unsolved */
  ASP_LADDER_RELAXED,    /* the convex relaxation */
  ASP_LADDER_POLYGON,    /* polygonal friction */
  ASP_LADDER_COUNT
} AspLadderKind;

const AspLadder *asp_ladder(AspLadderKind kind);

/* What the walk asks of its caller. */
typedef struct AspLadderActs {
  bool (*is_over)(const void *walker);                   /* solved, or out of time */
  bool (*holds)(const void *walker, unsigned condition); /* one condition */
  AspError (*run)(void *walker, const AspStage *stage);
} AspLadderActs;

/* begun: the walker may be over before the first stage; otherwise the first stage runs without that question. */
AspError asp_ladder_walk(const AspLadder *ladder, const AspLadderActs *acts, void *walker, bool begun);

/* The ladder as a table in Markdown. */
void asp_ladder_print(FILE *out, const AspLadder *ladder);

#endif
