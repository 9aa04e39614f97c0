/* Tuning numbers of block Gauss-Seidel and the problem of one contact (nsgs*.c, local_contact.c): name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_SOLVER_TUNING_NSGS_H
#define ASP_SOLVER_TUNING_NSGS_H

#define LOCAL_CONTACT_MAX_SEARCH            60      /* steps | of the search for a slip's multiplier | bench/fclib */
#define LOCAL_CONTACT_INSIDE                1e-6    /* 1 | ||r_T|| below r_N by this relative amount: not slipping | bench/fclib */
#define LOCAL_CONTACT_ROUNDINGS             16      /* factor | times DBL_EPSILON: determinants below are zero | bench/fclib */
#define LOCAL_CONTACT_SHIFT_LEAST           0.1     /* share | of the mean eigenvalue: least start of the search for a slip's multiplier | bench/fclib */
#define NSGS_MAX_SWEEPS                     1000000 /* sweeps | of the method at most | bench/fclib */
#define NSGS_WINDOW                         10      /* sweeps | sweeps between looks at the rate | bench/fclib */
#define NSGS_STAGNATION                     100     /* sweeps | sweeps without progress after which momentum is reduced | bench/fclib */
#define NSGS_REFRESH                        200     /* sweeps | sweeps after which y is made from r again | bench/fclib */
#define NSGS_CAREFUL                        0.6     /* 1 | cap of beta after stagnation | bench/fclib */
#define NSGS_PROGRESS                       0.9     /* share | of the best change: less is progress | bench/fclib */
#define ASP_NSGS_MOMENTUM                   0.9     /* 1 | cap of beta: what measured best on piles | bench/fclib */
#define NSGS_LAYOUT_EQUALITY_REGULARISATION 1e-10   /* 1 | of a singular W_ii, relative to its largest entry | bench/fclib */
#define LOCAL_BALL_STEPS                    30      /* steps | of Newton's method for the multiplier of a ball at most; 4 are the rule | tests/solver */
#define LOCAL_BALL_COMPLIANCE               1e-15   /* share | of the trace of W: what is added, so that W may be singular | tests/solver */
#define LOCAL_BALL_ROUNDING                 4e-16   /* 1 | of the radius: rounding | tests/solver */

#endif
// clang-format on
