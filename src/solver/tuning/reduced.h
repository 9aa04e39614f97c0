/* Tuning numbers of the elimination of EQUALITY rows (saddle.c, reduced.c): name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_SOLVER_TUNING_REDUCED_H
#define ASP_SOLVER_TUNING_REDUCED_H

#define SADDLE_DEPENDENT      1e-12 /* 1 | squared share of an EQUALITY row that earlier rows leave: below, it follows from them | tests/solver, tests/world */
#define SADDLE_DEPENDENT_MOST 60    /* rows | that follow from others: with more, nothing is eliminated | tests/solver */
#define SADDLE_FILL           40    /* factor | entries of the factors over those of the matrix: beyond, nothing is eliminated | bench/robots, bench/fclib */
#define REDUCED_ROWS          240   /* rows | that are left: with more, W is too large to be full and nothing is eliminated | bench/robots, bench/fclib */
#define REDUCED_LAYOUTS       4     /* layouts | of saddle matrices that are kept: patterns that take turns | bench/robots */
#define REDUCED_SOLVES        3     /* solves | of what is left, each to a smaller tolerance, until the whole problem meets its own | bench/robots */
#define REDUCED_SHARPER       0.1   /* factor | from one of these tolerances to the next | bench/robots */
#define REDUCED_REFINEMENTS   3     /* steps | of refinement of the eliminated reactions | tests/solver */
#define REDUCED_ENOUGH        1e-3  /* share | of the tolerance below which they are not refined | tests/solver */
#define REDUCED_HELD         1e-10 /* share | of the largest diagonal entry of W: held rows with less left of them follow from others | tests/scheme */
#define REDUCED_HOLDS        1e-6  /* share | of what held rows are off by that may be left where they depend on each other | tests/scheme */
#define DENSE_NEWTON_ROWS       120   /* rows | most for Newton steps on a full W; beyond, other methods are cheaper | bench/robots */
#define DENSE_NEWTON_COMPLIANCE 1e-9  /* share | of the mean of W's diagonal that stands beside W in the Newton matrix | tests/solver, bench/robots */
#define DENSE_NEWTON_STEPS      30    /* steps | at most | bench/robots */
#define DENSE_NEWTON_PATIENCE   2     /* steps | without gain before proximal steps follow | bench/robots */
#define DENSE_NEWTON_PROXIMAL   0.1   /* share | of 1/rho beside W in the first proximal step | bench/robots */
#define DENSE_NEWTON_LESS       0.1   /* factor | on that share after a proximal step that arrives | bench/robots */
#define DENSE_NEWTON_MORE       10    /* factor | on it after one that does not | bench/robots */
#define DENSE_NEWTON_STAGES     30    /* steps | proximal ones at most | bench/robots */
#define DENSE_NEWTON_MISSES     3     /* steps | proximal ones that may fail before other methods follow | bench/robots */
#define DENSE_NEWTON_STAGE_GAIN 0.1   /* factor | on the map that a proximal step must reach | bench/robots */
#define DENSE_NEWTON_STAGE_PATIENCE 4 /* steps | of Newton's without gain before a proximal step is given up | bench/robots */
#define DENSE_NEWTON_GAIN       0.9   /* factor | of the smallest map so far: less is a gain | bench/robots */
#define DENSE_NEWTON_ROUNDING   1e-15 /* 1 | map over its terms that is as small as rounding allows | tests/solver */
#define DENSE_NEWTON_CLOSE      1e-9  /* 1 | the same below which a step without gain ends it | tests/solver */

#endif
// clang-format on
