/* Tuning numbers of Newton's method on the shift s (aclm*.c): name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_SOLVER_TUNING_ACLM_H
#define ASP_SOLVER_TUNING_ACLM_H

#define ACLM_MAX_NEWTON          40    /* steps | of Newton's method on s at most | bench/fclib */
#define ACLM_MAX_FIXED_POINT     500   /* steps | of the fixed point on s at most | bench/fclib */
#define ACLM_MAX_HALVINGS        4     /* halvings | of a step in the line search | bench/fclib */
#define ACLM_MAX_PLAIN_STEPS     2     /* steps | outer steps in a row that may fail to help | bench/fclib */
#define ACLM_MAX_RAISES          6     /* steps | that raise s until the first program has a feasible point | bench/fclib */
#define ACLM_FINISHING_STEPS     250   /* steps | of proximal Newton at the end | bench/fclib */
#define ACLM_ROUGH               1e-5  /* 1 | score at which the start is good enough | bench/fclib */
#define ACLM_ROUGH_STEPS         60    /* steps | of the interior point for a rough start | bench/fclib */
#define ACLM_WARM_OUTER          30    /* steps | of proximal Newton from a warm start | bench/fclib */
#define ACLM_WARM_RHO            10    /* 1 | first proximal step from a warm start | bench/fclib */
#define ACLM_MAX_RESTARTS        4     /* restarts | of Newton on s from a better s | bench/fclib */
#define ACLM_ROUGH_PATIENCE      15    /* steps | without progress after which the rough start ends | bench/fclib */
#define ACLM_NEGLIGIBLE          1e-14 /* 1 | relative infeasibility below which rounding decides | bench/fclib */
#define ACLM_DESCENT             1e-3  /* share | of a step's length by which the residual must fall | bench/fclib */
#define ACLM_PROGRESS            0.9   /* share | of the best infeasibility: less is progress | bench/fclib */
#define ACLM_WARM_ACCURACY       0.01  /* share | of the score that is asked of a warm start for s | bench/fclib */
#define ACLM_SECOND_THETA        0.95  /* 1 | largest share of the affine direction in the second attempt | bench/fclib */
#define ACLM_THIRD_THETA         0.8   /* 1 | the same in the third | bench/fclib */
#define PROGRAM_TOLERANCE        1e-13 /* 1 | the sharpest ever asked for | bench/fclib */
#define PROGRAM_LOOSE            1e-7  /* 1 | far from the solution | bench/fclib */
#define PROGRAM_ROUNDING         1e-9  /* 1 | below, lack of progress is taken for rounding | bench/fclib */
#define PROGRAM_NEIGHBOUR        1e-2  /* 1 | change of s, root mean square, from which on the interior point starts again | bench/fclib */
#define PROGRAM_INTERIOR_STEPS   60    /* steps | of the interior point for one program | bench/fclib */
#define PROGRAM_INTERIOR_END     1e-9  /* 1 | mu at which the proximal Newton takes over | bench/fclib */
#define PROGRAM_RHO              1e2   /* 1 | first proximal step for one program | bench/fclib */
#define PROGRAM_OUTER            25    /* steps | of proximal Newton for one program | bench/fclib */
#define PROGRAM_DERIVATIVE_RHO   1e7   /* 1 | proximal step at which the derivative is taken | bench/fclib */
#define PROGRAM_STEP_LEAST       1e-6  /* 1 | length of a step below which the interior point is stuck | bench/fclib */
#define PROGRAM_OF_INFEASIBILITY 0.01  /* share | of the square of the infeasibility that is asked of a program | bench/fclib */
#define PROGRAM_SHARPER          1e-3  /* share | of the tolerance that is asked of a program | bench/fclib */

#endif
// clang-format on
