/* Tuning numbers of src/problem: name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_PROBLEM_TUNING_PROBLEM_H
#define ASP_PROBLEM_TUNING_PROBLEM_H

#define BLOCK_COLUMNS_GRAIN         256    /* blocks | least number of blocks for one thread | bench/piles -c threads */
#define ASP_SQUARE_LEAST            1e-280 /* 1 | squares between these bounds have neither lost digits nor overflowed | tests/problem */
#define ASP_SQUARE_MOST             1e280  /* 1 | the upper one | tests/problem */
#define JUDGE_CHUNK                 1024   /* rows | rows, or blocks, of one partial sum: fixed, so that bits do not depend on the threads | tests/problem */
#define JUDGE_READ_AT_ONCE          128    /* blocks | of H that are read at once, while they are in the cache | tests/problem */
#define JUDGE_SQUARES_LEAST         1e-200 /* 1 | sums of squares between these bounds have neither lost digits nor overflowed | tests/problem */
#define JUDGE_SQUARES_MOST          1e200  /* 1 | the upper one | tests/problem */
#define LCP_NOISE                   1e-3   /* share | of the largest z: what counts as a term of a row that has none | tests/problem */
#define LCP_ROWS_AT_ONCE            64     /* rows | rows whose sums are kept on the stack while the columns stream by | tests/problem */
#define MASS_GRAIN                  128    /* bodies | least number of bodies for one thread | bench/piles -c threads */
#define ASP_MASS_BLOCK              12     /* dofs | components of M of at most this size are dense blocks | tests/problem */
#define ASP_MASS_PANEL              24     /* columns | right-hand sides that the sparse factorisation solves at once | tests/problem */
#define NATURAL_MAP_STEEPEST        100    /* 1 | mu above which cones are judged by their normal too | tests/problem */
#define PHANTOM_LCP_TINY_DIAGONAL   1e-12  /* share | of the diagonal before the joints were eliminated: a direction that joints hold | tests/problem */
#define PHANTOM_LCP_ROUNDING        1e-15  /* 1 | components of a direction below it are zero | tests/problem */
#define PHANTOM_RANK_RANK_TOLERANCE 1e-11  /* share | of the largest singular value | tests/problem */
#define POLYGON_LCP_ROUNDING        1e-15  /* 1 | components of a direction below it are zero | tests/problem */
#define PROBLEM_GRAIN               1024   /* blocks | least number of blocks for one thread | bench/piles -c threads */
#define PROBLEM_UNIT                1e-9   /* 1 | how far a slip direction's length may be from 1 | tests/problem */
#define PSEUDO_SOLVE_RANK_TOLERANCE 1e-11  /* share | of the largest pivot of the scaled matrix | tests/problem */
#define PSEUDO_SOLVE_REFINEMENTS    3      /* refinements | of the singular case | tests/problem */
#define ASP_RIGID_ROUNDINGS         16     /* factor | times DBL_EPSILON: entries across the diagonal that differ less are equal | tests/problem */
#define ASP_RIGID_THINNEST          1e-9   /* 1 | determinant over the cube of the trace of an inertia that cofactors may invert | tests/problem */

#endif
// clang-format on
