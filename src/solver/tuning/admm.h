/* Tuning numbers of alternating directions (admm.c): name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_SOLVER_TUNING_ADMM_H
#define ASP_SOLVER_TUNING_ADMM_H

#define ADMM_MAX_ITERATIONS     200000 /* iterations | of the method at most | bench/fclib */
#define ADMM_OVER_RELAXATION    1.5    /* factor | on the change of the reactions | bench/fclib */
#define ADMM_FIRST_PENALTY      1      /* 1 | penalty at the start, scaled problem | bench/fclib */
#define ADMM_IMBALANCE          3      /* factor | ratio of the residuals that asks for another penalty | bench/fclib */
#define ADMM_LARGEST_CHANGE     10     /* factor | of the penalty at once | bench/fclib */
#define ADMM_MAX_FACTORISATIONS 60     /* factorisations | after which the penalty stays | bench/fclib */
#define ADMM_FIRST_INTERVAL     20     /* iterations | iterations between looks at the penalty; grows by half with every change | bench/fclib */
#define ADMM_RESTART            0.999  /* factor | the combined residual must fall by this factor, or the momentum starts again | bench/fclib */
#define ADMM_JUDGE_INTERVAL     25     /* iterations | between looks of the judge | bench/fclib */
#define ADMM_SIZE_LEAST         1e-12  /* share | of the reactions' size: least size that residuals are divided by | bench/fclib */

#endif
// clang-format on
