/* Tuning numbers of the proximal point method with semismooth Newton (newton*.c): name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_SOLVER_TUNING_NEWTON_H
#define ASP_SOLVER_TUNING_NEWTON_H

#define NEWTON_MAX_INNER             15    /* steps | of one inner problem at most | bench/fclib, bench/warm */
#define NEWTON_INNER_ACCURACY        1e-2  /* share | of the outer residual that is asked of the inner one | bench/fclib, bench/warm */
#define NEWTON_MAX_HALVINGS          6     /* halvings | of a step in the line search | bench/fclib, bench/warm */
#define NEWTON_MANY                  50    /* blocks | blocks from which on Alart and Curnier's map is used, and hopeless steps are counted | bench/fclib, bench/warm */
#define NEWTON_MAX_REJECTED          3     /* steps | Newton steps that fail the test however short, after which the inner problem is given up | bench/fclib, bench/warm */
#define NEWTON_NATURAL_GAIN          0.25  /* share | share of a step by which the next correction must be smaller | bench/fclib, bench/warm */
#define NEWTON_FIRST_RHO             10    /* 1 | proximal step at the start | bench/fclib, bench/warm */
#define NEWTON_NEAR_STEPS            24    /* steps | Newton steps from near the solution: more, and the interior point is cheaper | bench/fclib, bench/warm */
#define NEWTON_LARGEST_RHO           1e8   /* 1 | largest proximal step | bench/fclib, bench/warm */
#define NEWTON_LARGEST_WEIGHT        1e6   /* 1 | largest weight of a contact's proximal term, and inverse of the smallest | bench/fclib, bench/warm */
#define NEWTON_SMALLEST_CAP          1e3   /* 1 | smallest cap of rho | bench/fclib, bench/warm */
#define NEWTON_ROUNDING              1e-14 /* factor | norm of g over rho times that of u that is taken for zero | bench/fclib, bench/warm */
#define NEWTON_SMALLEST_RHO          1e-8  /* 1 | smallest proximal step | bench/fclib, bench/warm */
#define NEWTON_ACCURATE_RHO          30    /* 1 | rho at which stagnation is stagnation and not rounding | bench/fclib, bench/warm */
#define NEWTON_STATE_RHO             1e6   /* 1 | on states held: the proximal term hardly counts, and rounding does not yet | bench/fclib, bench/warm */
#define NEWTON_STATE_STEPS           5     /* steps | Newton steps there | bench/fclib, bench/warm */
#define NEWTON_STATE_FACTORS         2     /* factor | factorisations for them | bench/fclib, bench/warm */
#define NEWTON_STATE_MISSES          2     /* attempts | in vain with the states held, after which there are no more | bench/fclib, bench/warm */
#define NEWTON_STATE_RATE            0.1   /* factor | fall of g up to which a factorisation serves once more | bench/fclib, bench/warm */
#define NEWTON_STATE_ACCURACY        1e-10 /* 1 | and fall of g that is enough | bench/fclib, bench/warm */
#define NEWTON_RHO_PER_SCORE         1e15  /* 1 | largest rho over the score at scale 1: rounding of the proximal term | bench/fclib, bench/warm */
#define NEWTON_RHO_FAILED            0.2   /* factor | on rho where the inner problem was not solved | bench/fclib, bench/warm */
#define NEWTON_RHO_NEAR              10    /* factor | on rho near the solution after two steps or fewer | bench/fclib, bench/warm */
#define NEWTON_MANY_STEPS            10    /* steps | of an inner problem after which rho falls | bench/fclib, bench/warm */
#define NEWTON_RHO_SLOW              0.6   /* factor | on rho after many steps | bench/fclib, bench/warm */
#define NEWTON_SCORE_LEAST           10    /* factor | times the tolerance: least score that rho is chosen for | bench/fclib, bench/warm */
#define NEWTON_CAP_GROWTH            1.3   /* factor | on the cap of rho from step to step | bench/fclib, bench/warm */
#define NEWTON_RHO_STAGNANT          0.03  /* factor | on rho where the residual stagnates by rounding | bench/fclib, bench/warm */
#define NEWTON_SOLVE_MAX_OUTER       250   /* steps | proximal steps at most | bench/fclib, bench/warm */
#define NEWTON_SOLVE_POLISH_OUTER    12    /* steps | proximal steps of a polish | bench/fclib, bench/warm */
#define NEWTON_SOLVE_WARM_RHO        30    /* 1 | first proximal step from a warm start | bench/fclib, bench/warm */
#define NEWTON_SOLVE_NORM_FIRST_RHO  10    /* 1 | first rho on the way to the smallest norm | bench/fclib, bench/warm */
#define NEWTON_SOLVE_NORM_LAST_RHO   1e5   /* 1 | last rho on that way | bench/fclib, bench/warm */
#define NEWTON_SOLVE_NORM_LEAST_RHO  1e3   /* 1 | what rho must reach for the norm to be worth something | bench/fclib, bench/warm */
#define NEWTON_SOLVE_NORM_SOLVES     3     /* solves | inner solves at every rho of that way | bench/fclib, bench/warm */
#define NEWTON_SOLVE_SHRINK_OUTER    60    /* steps | proximal steps of a shrinking solve | bench/fclib, bench/warm */
#define NEWTON_SOLVE_DEFLATION_RHO   1e4   /* 1 | rho at which inflated reactions are deflated | bench/fclib, bench/warm */
#define NEWTON_SOLVE_DEFLATION_GAIN  0.3   /* share | of the norm that a deflation must leave at most | bench/fclib, bench/warm */
#define NEWTON_SOLVE_NEARLY          1e3   /* 1 | score over the tolerance up to which the polish may still arrive | bench/fclib, bench/warm */
#define NEWTON_SOLVE_LONG_FINISH     150   /* steps | outer steps of a finish that has come near the tolerance | bench/fclib, bench/warm */
#define NEWTON_SOLVE_CLOSE           100   /* factor | to within this factor: better than another method from nothing | bench/fclib, bench/warm */
#define NEWTON_SOLVE_POLISH_RHO_1    1e5   /* 1 | first proximal step of a polish | bench/fclib, bench/warm */
#define NEWTON_SOLVE_POLISH_RHO_2    1e3   /* 1 | the second | bench/fclib, bench/warm */
#define NEWTON_SOLVE_POLISH_RHO_3    30    /* 1 | the third | bench/fclib, bench/warm */
#define NEWTON_SOLVE_NORM_RHO_GROWTH 10    /* factor | on rho on the way to the smallest norm | bench/fclib, bench/warm */

#endif
// clang-format on
