/* Tuning numbers of src/problem: name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_PROBLEM_TUNING_PROBLEM_H
#define ASP_PROBLEM_TUNING_PROBLEM_H

#define BLOCK_COLUMNS_GRAIN         256    /* blocks | least number of blocks for one thread | bench/piles -c threads */
#define ASP_SQUARE_LEAST            1e-280 /* 1 | squares between these bounds have neither lost digits nor overflowed | tests/problem */
#define ASP_SQUARE_MOST             1e280  /* 1 | the upper one | tests/problem */
#define JUDGE_EFFORT                300    /* operations | of counted effort per row of a judgement | callgrind, small problems */
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
#define PARTITION_MOST_COPIES       8      /* copies | of a split body; beyond, its blocks make a cell of their own: as many cells meet at a corner of a grid | bench/cells */
#define EXACT_BITS                  40     /* bits | of a word of an exact sum: leaves room for 2^20 terms and as many ranks | tests/problem */
#define EXACT_LOWEST                320    /* bits | below the point of an exact sum: squares of 1e-48 | tests/problem */
#define EXACT_WORDS                 16     /* words | of an exact sum: up to 2^320, squares of 1e42 with all their digits | tests/problem */
#define EXACT_TERMS                 65536  /* terms | of an exact sum between two carries; words have room for 16 times as many | tests/problem */
#define PHANTOM_LCP_TINY_DIAGONAL   1e-12  /* share | of the diagonal before the joints were eliminated: a direction that joints hold | tests/problem */
#define PHANTOM_LCP_ROUNDING        1e-15  /* 1 | components of a direction below it are zero | tests/problem */
#define PHANTOM_RANK_RANK_TOLERANCE 1e-11  /* share | of the largest singular value | tests/problem */
#define POLYGON_LCP_ROUNDING        1e-15  /* 1 | components of a direction below it are zero | tests/problem */
#define PROBLEM_GRAIN               1024   /* blocks | least number of blocks for one thread | bench/piles -c threads */
#define PROBLEM_UNIT                1e-9   /* 1 | how far a slip direction's length may be from 1 | tests/problem */
#define ASP_UNIT_ROUNDOFF           1.12e-16 /* 1 | unit roundoff of double, 2^-53, and a hundredth more for the roundings of the bounds themselves | tests/problem */
#define ROUNDING_MAP                64     /* roundings | of the natural map's terms by evaluating it; 40 are counted in docs/theory/rounding.md | tests/problem */
#define ROUNDING_HOPELESS           100    /* tolerances | a residual beyond is refused without a bound | tests/problem */
#define ROUNDING_SPARSE_SHIFT       1e-6   /* 1 | lower bound on the eigenvalues of a sparse M with unit diagonal that is tried first | tests/problem */
#define SHARP_REFINEMENTS           2      /* refinements | of x in twice the precision; each gains the digits that M's condition leaves | tests/problem */
#define PSEUDO_SOLVE_RANK_TOLERANCE 1e-11  /* share | of the largest pivot of the scaled matrix | tests/problem */
#define PSEUDO_SOLVE_REFINEMENTS    3      /* refinements | of the singular case | tests/problem */
#define ASP_RIGID_ROUNDINGS         16     /* factor | times DBL_EPSILON: entries across the diagonal that differ less are equal | tests/problem */
#define ASP_RIGID_THINNEST          1e-9   /* 1 | determinant over the cube of the trace of an inertia that cofactors may invert | tests/problem */

#endif
// clang-format on
