/* Asperity compare: one model run in several ways, and what the differences say.
 *
 *   asp_converge    with steps of dt, dt/2, dt/4, ...: order of convergence, value for dt -> 0, error bar
 *   asp_compare     through every scheme, friction model and solver that applies
 *
 *   AspConvergence found;
 *   asp_converge(context, model, &run, NULL, &found);
 *   ... found.row[i].extrapolated, found.row[i].error ...
 *   asp_convergence_destroy(context, &found);
 *
 * Both run in one process, without files, and end early when the context's stop callback asks for it.
 * Explained in docs/reference/converge.md. Threads and ownership: base.h.
 */
#ifndef ASPERITY_COMPARE_H
#define ASPERITY_COMPARE_H

#include "asperity/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- shorter and shorter steps ----
 *
 *   y_l     value at the end of a run with steps of dt / 2^l, l = 0 ... L - 1
 *   d_l     |y_(l+1) - y_l|
 *   p       order: d_l falls like 2^(-p l)
 *   y*      y_(L-1) + (y_(L-1) - y_(L-2)) / (2^p - 1): Richardson's extrapolation to dt = 0
 */

#define ASP_CONVERGE_LEVELS_MIN 3
#define ASP_CONVERGE_LEVELS_MAX 12

/* The quantities that AspConvergeOptions.output may name, for help texts. */
#define ASP_CONVERGE_QUANTITIES                                                                                        \
  "of bodies: position, orientation, velocity, angular_velocity, contact_force, contact_torque,\n"                     \
  "contact_impulse; of joints: coordinate, rate, force, torque, friction, motor, limit; of the scene:\n"               \
  "energy, flow"

typedef enum AspConvergeState {
  ASP_CONVERGE_REGULAR,   /* differences fall at a steady rate: extrapolated */
  ASP_CONVERGE_IRREGULAR, /* they fall, but not steadily: the finest value stands, with a wider error bar */
  ASP_CONVERGE_SETTLED,   /* no differences beyond the tolerance of the steps */
  ASP_CONVERGE_NONE,      /* they do not fall */
  ASP_CONVERGE_STATES     /* number of states */
} AspConvergeState;
/* "regular", ... [any thread, lent] */
ASP_API const char *asp_converge_state_name(AspConvergeState state);

/* Take it from asp_converge_default_options(). */
typedef struct AspConvergeOptions {
  uint32_t cookie;    /* set by the default function */
  int levels;         /* lengths of step: dt, dt/2, ...; 3 to 12 (4) */
  const char *output; /* quantities, a list with commas: bodies, joints, kinds, or both ("ball.position.x"); NULL:
                         position, orientation, energy */
  void (*progress)(void *user, double done, const char *text); /* may be NULL; done: 0 to 1 */
  void *progress_user;
} AspConvergeOptions;

/* The run with one length of step. */
typedef struct AspConvergeLevel {
  double dt;         /* s */
  bool done;         /* ran to the end */
  char message[256]; /* why not */
  AspRunSummary summary;
  double wall; /* s */
} AspConvergeLevel;

/* One number of the runs at their end: "ball.position.x", "hinge.coordinate", "energy.total". */
typedef struct AspConvergeRow {
  char name[160];
  const char *unit;
  double value[ASP_CONVERGE_LEVELS_MAX]; /* of the levels that ran to the end, longest step first */
  double scale; /* largest value of its kind, or what is natural for it in the scene, in its unit */
  AspConvergeState state;
  double order;        /* NaN: none */
  double extrapolated; /* NaN: none */
  double error;        /* half width of its error bar; NaN: none */
} AspConvergeRow;

typedef struct AspConvergence {
  int level_count; /* asked for */
  AspConvergeLevel level[ASP_CONVERGE_LEVELS_MAX];
  int levels;                         /* that ran to the end */
  double dt[ASP_CONVERGE_LEVELS_MAX]; /* theirs, s */
  int row_count;                      /* 0: fewer than 3 levels ran to the end */
  AspConvergeRow *row;
  int missing;         /* rows that do not converge */
  bool motion_lost;    /* positions do not converge up to the end */
  double until;        /* s: they do up to here */
  char reason[400];    /* why not; empty: all converge */
  bool converged;      /* every row, and every step is certified */
  int64_t uncertified; /* steps of all levels */
} AspConvergence;

ASP_API AspConvergeOptions asp_converge_default_options(void); /* [any thread] */
/* run: dt is the longest step; options may be NULL. When it is interrupted, *found holds the levels that were done.
 * [one thread, yours: asp_convergence_destroy] */
ASP_API AspError asp_converge(AspContext *context, const AspModel *model, const AspRunOptions *run,
                              const AspConvergeOptions *options, AspConvergence *found);
ASP_API void asp_convergence_destroy(AspContext *context, AspConvergence *found); /* [one thread, ends it] */
/* Order and state of one sequence of values (row->value, row->scale), longest step first; differences up to `floor` may
 * be those of the solver. [any thread] */
ASP_API void asp_converge_judge(AspConvergeRow *row, int levels, double floor);

/* ---- every scheme, friction model and solver ---- */

typedef enum AspCompareState {
  ASP_COMPARE_DONE,    /* ran to the end */
  ASP_COMPARE_CUT,     /* its time was up; the summary stands at the time reached */
  ASP_COMPARE_REFUSED, /* does not apply; `message` says why */
  ASP_COMPARE_SKIPPED, /* interrupted before its turn */
  ASP_COMPARE_STATES   /* number of states */
} AspCompareState;

/* How a row's motion relates to that of the first row of its scheme, both up to the time both reached. */
typedef enum AspCompareRelation {
  ASP_RELATION_REFERENCE, /* it is the first row */
  ASP_RELATION_SAME,      /* within what the tolerance explains */
  ASP_RELATION_OTHER_LAW, /* another friction model: differences are the model's */
  ASP_RELATION_BRANCH,    /* same law, both certified, and one step led to two different answers: the step's problem has
                             several solutions */
  ASP_RELATION_DRIFT,     /* same law, both certified, differences grew from the tolerance */
  ASP_RELATION_MISSED,    /* same law, but a step missed its tolerance */
  ASP_RELATION_COUNT      /* number of relations */
} AspCompareRelation;

/* "done", ...; "reference", ... [any thread, lent] */
ASP_API const char *asp_compare_state_name(AspCompareState state);
/* [any thread, lent] */
ASP_API const char *asp_compare_relation_name(AspCompareRelation relation);

typedef struct AspCompareRow {
  AspRunOptions options; /* scheme, cone and method are the combination */
  AspCompareState state;
  AspCompareRelation relation;
  AspRunSummary summary;
  double wall;       /* s */
  char message[256]; /* of rows that are refused */
  double difference; /* largest distance of a body from where the first row of the scheme has it at the last common
                        step, m */
  double parted;     /* s: end of the step in which a branch was taken */
  double rise;       /* largest rise of a body against gravity above its start, m */
} AspCompareRow;

/* Take it from asp_compare_default_options(). */
typedef struct AspCompareOptions {
  uint32_t cookie;                                             /* set by the default function */
  double row_time;                                             /* s of wall clock for each combination at most (1) */
  void (*progress)(void *user, double done, const char *text); /* may be NULL; done: 0 to 1 */
  void *progress_user;
} AspCompareOptions;

typedef struct AspComparison {
  int count;
  AspCompareRow *row;
} AspComparison;

ASP_API AspCompareOptions asp_compare_default_options(void); /* [any thread] */
/* Retries are off: each row shows its method itself. options may be NULL. When it is interrupted, *found holds all
 * rows, those not reached as skipped. [one thread, yours: asp_comparison_destroy] */
ASP_API AspError asp_compare(AspContext *context, const AspModel *model, const AspRunOptions *run,
                             const AspCompareOptions *options, AspComparison *found);
ASP_API void asp_comparison_destroy(AspContext *context, AspComparison *found); /* [one thread, ends it] */

#ifdef __cplusplus
}
#endif

#endif
