/* Tuning numbers of src/compare: name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_COMPARE_TUNING_COMPARE_H
#define ASP_COMPARE_TUNING_COMPARE_H

#define COMPARE_ROW_TIME        1.0    /* s | wall clock of a combination, where the caller gives none | tests/cli/run.sh */
#define COMPARE_SAME_FACTOR     1e3    /* tolerances | differences up to this many, in sizes of the motion, are none | python/tests/test_studies.py */
#define COMPARE_BRANCH_FACTOR   1e3    /* factor | a difference that grows by this much in one step is a branch | tests/cli/run.sh */
#define CONVERGE_LEVELS_DEFAULT 4      /* runs | lengths of step where the caller gives no number | tests/cli/converge.sh */
#define CONVERGE_SAMPLES_MOST   100    /* samples | of all positions on the way, at most | tests/cli/converge.sh */
#define CONVERGE_TIME           1e-6   /* steps | rounding of times | tests/cli/converge.sh */
#define ORDER_LEAST             0.5    /* order | a smaller one is no convergence | tests/compare */
#define ORDER_ALIKE             0.35   /* order | two that differ by no more belong to one rate | tests/compare */
#define ORDER_MOST              6.0    /* order | more is none: differences that are zero by chance | tests/compare */
#define ORDER_UNSURE            3.0    /* factor | on error bars where no order is seen (Roache 1997) | tests/compare */
#define ORDER_FALLS             0.5    /* factor | the last difference against the larger one of the two before | tests/compare */
#define ORDER_ROUNDING          1e-13  /* share | of the scale: differences below are none | tests/compare */
#define ORDER_SOLVER_FACTOR     100    /* tolerances | of the scale: differences that solves may leave | tests/cli/converge.sh */
#define ORDER_TINY              1e-300 /* 1 | keeps logarithms of zero differences finite | tests/compare */
#define ORDER_NOTHING           1e-30  /* kg, m | least mass and size of a scene | tests/compare */
#define QUANTITY_BODIES_NAMED   32     /* names | of bodies, among which a mistyped word is looked for | tests/cli/converge.sh */
#define QUANTITY_JOINTS_NAMED   32     /* names | of joints, the same | tests/cli/converge.sh */

#endif
// clang-format on
