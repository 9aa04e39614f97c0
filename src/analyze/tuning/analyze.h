/* Tuning numbers of src/analyze: name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_ANALYZE_TUNING_ANALYZE_H
#define ASP_ANALYZE_TUNING_ANALYZE_H

#define ANALYSIS_CONTRADICTION        1e-8               /* 1 | scaled contradiction of joints above which no solution exists | tests/analyze */
#define ANALYSIS_BLURRED              5e-9               /* share | tolerance of the second search: below the smallest motion (pieces.h) | tests/analyze */
#define ANALYSIS_PUSHES               1e-9               /* 1 | scaled reactions below this count as zero | tests/analyze */
#define ANALYSIS_MOVES                1e-7               /* share | of the largest |u| | tests/analyze */
#define CERTIFICATE_ROUNDING          1e-10              /* 1 | of minors and powers of matrices with entries of order 1: smaller is zero | tests/analyze */
#define CERTIFICATE_DEPENDENT         1e-10              /* 1 | squared sine of a row's angle to the span of earlier ones | tests/analyze */
#define CERTIFICATE_DIRECTIONS        16                 /* directions | of the polygon around the disk: the dual cone from inside | tests/analyze */
#define CERTIFICATE_FEASIBLE          1e-10              /* 1 | misses of the linear program up to this are rounding | tests/analyze */
#define ASP_P_MATRIX_MOST             14                 /* rows | of a matrix whose minors are all computed | tests/analyze */
#define ASP_INTERVAL_SLACK            1e-15              /* 1 | bound of the error of sine and cosine of the C library | tests/analyze */
#define ASP_INTERVAL_PI               1e-16              /* 1 | bound of the rounding of pi/2 | tests/analyze */
#define LP_PIVOT_TOLERANCE            1e-9               /* 1 | scaled entries below are no pivots | tests/analyze */
#define LP_COST_TOLERANCE             1e-11              /* 1 | reduced costs above minus this are not negative | tests/analyze */
#define LP_STALL_LIMIT                60                 /* pivots | pivots without progress before Bland's rule | tests/analyze */
#define LP_PIVOTS_PER_ROW             60                 /* pivots | per row at most | tests/analyze */
#define LP_ASK_INTERVAL               64                 /* pivots | between two questions whether to stop | tests/analyze */
#define LP_TIE                        1e-12              /* share | ratios that differ less are equal | tests/analyze */
#define LP_ROWS_MORE                  10                 /* rows | added to the number of rows for the limit of pivots | tests/analyze */
#define LP_PROGRESS                   1e-13              /* share | fall of the cost that counts as progress | tests/analyze */
#define MULTISTART_FIRST_SIZE         0.1                /* 1 | size of the random starts, times their number | tests/analyze */
#define MULTISTART_TOLERANCE          1e-11              /* 1 | on E2 of a solution that is kept | tests/analyze */
#define PIECES_ROUND_DIRECTIONS       8                  /* directions | of the polygon around the exact cone | tests/analyze */
#define PIECES_FIRST_ANGLE            0.3217505543966422 /* rad | of the first arc: a direction that is unlikely in scenes | tests/analyze */
#define ASP_PIECE_DIRECTIONS          64                 /* directions | largest number of polygon directions | tests/analyze */
#define ASP_PIECE_CONDITIONS          80                 /* conditions | of a piece at most | tests/analyze */
#define ASP_SMALLEST_MOTION           1e-8               /* 1 | scaled motions below are none | tests/analyze */
#define RAY_HOLDS                     1e-10              /* 1 | on M^T v <= 0, relative to |M| |v| | tests/analyze */
#define REACTIONS_MOVING              1e-7               /* share | of the largest |u| | tests/analyze */
#define REACTIONS_POSITIVE            1e-9               /* 1 | scaled reactions above count as positive | tests/analyze */
#define REACTIONS_RANK                1e-9               /* share | of the largest pivot: smaller pivots are zero | tests/analyze */
#define REACTIONS_MOST_CUTS           400                /* cuts | of the set of reactions at most | tests/analyze */
#define REDUCED_COUPLED               1e-12              /* 1 | scaled entries of W below this do not couple | tests/analyze */
#define REDUCED_DIAGONAL_LEAST        1e-300             /* 1 | diagonal entries below are not scaled by | tests/analyze */
#define RELAXATION_MAX_CUT_ITERATIONS 12                 /* iterations | of cuts at most | tests/analyze */
#define RELAXATION_WITNESS            1e-12              /* 1 | multipliers below are zero | tests/analyze */
#define RELAXATION_POWER              1e-9               /* 1 | power of the reactions, scaled, that counts as dissipation | tests/analyze */
#define ASP_FEASIBLE                  1e-10              /* 1 | misses up to this are rounding | tests/analyze */
#define ASP_CUTS_MAX                  48                 /* cuts | of one block at most | tests/analyze */
#define ASP_FACETS_MAX                64                 /* facets | of one block at most | tests/analyze */
#define SEARCH_ACCEPTED               1e-8               /* 1 | on the natural map of a solution, scaled | tests/analyze */
#define SEARCH_SAME                   1e-7               /* 1 | motions nearer than this are one | tests/analyze */
#define SEARCH_NEAR_MOTION            1e-5               /* 1 | choices that miss by little belong to a solution nearer than this | tests/analyze */
#define SEARCH_RANK                   1e-11              /* share | of the largest pivot: smaller pivots are zero | tests/analyze */
#define SEARCH_FIRST_TEST             0.4                /* rad | arcs narrower than this are put to the proof | tests/analyze */
#define SEARCH_LAST_TEST              1e-6               /* rad | arcs narrower than this are given up | tests/analyze */
#define SEARCH_ARC_LEAST              1e-9               /* rad | arcs narrower than this are not split | tests/analyze */
#define ASP_NEAR                      1e-7               /* 1 | a choice that misses by less is not ruled out for certain unless its motion was found | tests/analyze */
#define ASP_NEAR_MAX                  64                 /* choices | that miss by little and are kept | tests/analyze */
#define SLIP_PROOF_NEWTON_STEPS       30                 /* steps | of Newton's method at most | tests/analyze */
#define SLIP_PROOF_INFLATION          0.05               /* 1 | of a bound's width | tests/analyze */
#define SLIP_PROOF_ABSOLUTE           1e-7               /* 1 | added to the width of a bound, scaled | tests/analyze */
#define SLIP_PROOF_DIVERGED           1e3                /* 1 | scaled step beyond which Newton's method has diverged | tests/analyze */
#define SLIP_PROOF_CONVERGED          1e-15              /* 1 | scaled step at which it has converged | tests/analyze */
#define SMALL_FRICTION_DEPENDENT      1e-13              /* 1 | pivot of a row over its diagonal: follows from earlier rows | tests/analyze */
#define SMALL_FRICTION_REDUNDANT      1e-9               /* 1 | the same for normal reactions | tests/analyze */
#define SMALL_FRICTION_SQUARINGS      3                  /* squarings | of a matrix whose largest eigenvalue is bounded | tests/analyze */
#define SMALL_FRICTION_MOST_COUPLED   24                 /* dofs | dofs of one component of M | tests/analyze */
#define SMALL_FRICTION_DIVISOR_LEAST  1e-300             /* 1 | least divisor | tests/analyze */
#define SMALL_FRICTION_SYMMETRIC      1e-12              /* share | entries of M across the diagonal that differ less are equal | tests/analyze */
#define ASP_KAPPA_UNIQUE              4.0                /* 1 | kappa below which there is one motion at most | tests/analyze */
#define RATES_INFEASIBLE              1e-4               /* share | of the drives' speed: sums of violations below it count as none, since joints that drift make rows contradict each other by little | tests/analyze, tests/world */
#define STATICS_FEASIBLE              1e-10              /* 1 | misses of the linear program up to this are rounding | tests/analyze */
#define STATICS_IN_CONE               1e-9               /* 1 | scaled force outside its cone that counts as inside | tests/analyze */
#define STATICS_MAX_FACET_ITERATIONS  2000               /* iterations | of facets at most | tests/analyze */
#define STATICS_BISECTIONS            44                 /* steps | of the search for the limit load | tests/analyze */
#define STATICS_FACETS                60                 /* facets | of one cone at most | tests/analyze */
#define STATICS_LOAD_MOST             1e6                /* 1 | load factor beyond which a structure counts as standing under any load | tests/analyze */

#endif
// clang-format on
